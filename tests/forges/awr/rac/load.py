"""System statistics by instance and of all, RAC-global."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import SYSTEM, Content, Instance, ratio, spread
from forges.awr.lines.load import activity_rows
from forges.awr.printing import Shown, fixed, word
from forges.awr.rac.cells import by_instance, level
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.rac.dialect import RacDialect

SYSTEM_TITLES = (
    "Logical Reads", "Physical Reads", "Physical Writes", "Redo Size (k)", "Block Changes",
    "User Calls", "Execs", "Parses", "Logons", "Txns",
)  # fmt: skip


SYSTEM_KEYS = (
    "logical_reads_blocks", "physical_reads_blocks", "physical_writes_blocks", "redo_bytes",
    "block_changes", "user_calls", "executes", "parses", "logons", "transactions",
)  # fmt: skip


SystemKind = tuple[str, str, str, str, int, tuple[str, ...]]
"""Heading, anchor, suffix of the titles, suffix of the keys, decimals, rows below."""

SYSTEM_KINDS: tuple[SystemKind, ...] = (
    ("System Statistics", "12016", "", "", 0, ("Sum", "Avg", "Std")),
    ("System Statistics - Per Second", "12017", "/s", "_per_s", 2, ("Sum", "Avg", "Std")),
    ("System Statistics - Per Transaction", "12018", "/tx", "_per_transaction", 2, ("Avg",)),
)


def system_columns(suffix: str, key: str) -> tuple[Column, ...]:
    """I# and the statistics (per transaction: without the transactions themselves)."""
    count = len(SYSTEM) - (suffix == "/tx")
    named = zip(SYSTEM_TITLES[:count], SYSTEM_KEYS, strict=False)
    return (Column("I#"), *(Column(title + suffix, name + key) for title, name in named))


def scales(count: int = len(SYSTEM)) -> list[int]:
    """What one printed unit is worth: redo is printed in KiB."""
    return [1024 if name == "redo_bytes" else 1 for name in SYSTEM[:count]]


def system_sheet(kind: SystemKind) -> Callable[[Content, RacDialect], Sheet]:
    """One of the tables System Statistics."""
    heading, anchor, suffix, key, digits, names = kind

    def make(content: Content, _dialect: RacDialect) -> Sheet:
        columns = system_columns(suffix, key)
        worth = scales(len(columns) - 1)

        def values(instance: Instance) -> list[Decimal]:
            by = {"": 1, "/s": content.seconds, "/tx": instance.counters["transactions"]}[suffix]
            return [
                Decimal(instance.counters[name]) / by / unit
                for name, unit in zip(SYSTEM, worth, strict=False)
            ]

        lines = by_instance(content, values, lambda value: fixed(value, digits), names)
        said = tuple(
            Line([line.cells[0], *_worth(line.cells[1:], worth)], line.also, line.total, line.said)
            for line in lines
        )
        return Sheet("system_statistics", heading, heading, columns, said, anchor=anchor)

    return make


def _worth(cells: Sequence[Shown], worth: Sequence[int]) -> list[Shown]:
    return [
        Shown(cell.text, None if cell.says is None else cell.says.times(unit))
        for cell, unit in zip(cells, worth, strict=True)
    ]


def activity_sheet(content: Content, _dialect: RacDialect) -> Sheet:
    """The statistics of instance activity."""
    per_second = "per Second"
    columns = (
        Column("Statistic", "statistic", left=True), Column("Total", "total"),
        Column("per Second", "per_s"), Column("per Trans", "per_transaction"),
        Column("Average", "mean_per_s", per_second), Column("Std Dev", "std_per_s", per_second),
        Column("Min", "min_per_s", per_second), Column("Max", "max_per_s", per_second),
    )  # fmt: skip
    rows = [dict(activity_rows(instance)) for instance in content.instances]
    transactions = sum(i.counters["transactions"] for i in content.instances)
    lines = []
    for name in sorted({name for row in rows for name in row}):
        totals = [row[name] for row in rows if name in row]
        rates = [Decimal(total) / content.seconds for total in totals]
        mean, least, most, deviation = spread(rates)
        lines.append(
            Line([
                word(name), fixed(sum(totals)), fixed(sum(rates, Decimal(0)), 2),
                fixed(ratio(sum(totals), transactions), 2), fixed(mean, 2), fixed(deviation, 2),
                fixed(least, 2), fixed(most, 2),
            ])
        )  # fmt: skip
    return Sheet(
        "instance_activity", "System Statistics (Global)",
        "System Statistics (Global). . per Second Average - average of per-instance per Second"
        " rates",
        columns, tuple(lines), anchor="12071", fixed={**level(None), "kind": "rate"},
        bullets=("per Second Average - average of per-instance per Second rates",),
    )  # fmt: skip
