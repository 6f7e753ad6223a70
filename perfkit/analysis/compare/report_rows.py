"""The rows of two AWR or Statspack reports side by side: conditions, load, I/O and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perfkit.analysis.awr.report_rows import ReportRows
from perfkit.analysis.curves.series import cautions_of
from perfkit.core.cautions import to_json
from perfkit.core.schema import Row
from perfkit.core.stats import ratio_of
from perfkit.core.units import MIB, format_size, in_mib, names_mb

COARSE = 0.05
"""A ratio is not shown where the rounding of the printed values may change it by this much."""

CPU_STEP = 0.001
"""The last digit of a host's busy share."""

PERIOD = 0.1
"""Periods that differ by more than this share are marked."""


Pair = tuple[ReportRows, ReportRows]


@dataclass(frozen=True, slots=True)
class PairRow:
    """A row of ``REPORT_PAIR`` without the names of the reports."""

    part: str
    item: str
    measure: str
    before_text: str | None = None
    after_text: str | None = None
    before_value: float | None = None
    after_value: float | None = None
    difference: float | None = None
    change_ratio: float | None = None
    differs: bool | None = None
    note: str | None = None
    rounding_ratio: float | None = None
    cautions: str | None = None


def values(
    part: str,
    item: str,
    measure: str,
    one: float | None,
    two: float | None,
    *,
    step: float | None = None,
    rounding: float | None = None,
    note: str | None = None,
) -> PairRow:
    """A row with the difference and the change of two values.

    ``step`` is the last digit of both as printed: a ratio that its rounding may change by 5% is
    left out. ``rounding`` is what the rounding may change of the ratio, where no one step says it.
    A ``note`` given says why there is no change at all.
    """
    row = PairRow(part, item, measure, before_value=one, after_value=two, differs=one != two)
    if one is None or two is None:
        missing = "before" if one is None else "after"
        said = "neither report has it" if one is two else f"the report {missing} does not list it"
        return replace(row, note=note or said)
    if note:
        return replace(row, note=note)
    row = replace(row, difference=two - one)
    if not one:
        return replace(row, note="it is 0 before" if two else None)
    if step is not None:
        rounding = step / 2 / one + step / 2 / max(two, step / 2)
    if rounding is not None and rounding > COARSE:
        return replace(row, note="printed too coarsely for a ratio")
    change = two / one - 1
    return replace(
        row, change_ratio=change, rounding_ratio=rounding, differs=abs(change) > (rounding or 0.0)
    )


def _yes(value: Any) -> str:
    return "yes" if value else "no"


_HEAD: tuple[tuple[str, str, str, Callable[[Any], str]], ...] = (
    ("database", "db_name", "Database", str),
    ("db_id", "db_id", "Database id", str),
    ("release", "release", "Release", str),
    ("edition", "edition", "Edition", str),
    ("rac", "rac", "Clustered (RAC)", _yes),
    ("cdb", "cdb", "Container database", _yes),
    ("block_size", "block_size_bytes", "Block size", format_size),
    ("instance", "instance_name", "Instance", str),
    ("host", "host", "Host", str),
    ("platform", "platform", "Platform", str),
    ("cpus", "cpus", "Logical CPUs", str),
    ("cores", "cores", "CPU cores", str),
    ("memory", "memory_bytes", "Memory", lambda value: format_size(int(value))),
)


def conditions(pair: Pair) -> list[PairRow]:
    """What was measured: the heads of both reports; periods differ by more than a tenth."""
    heads = [side.head for side in pair]
    rows = [_text("condition", "Report", "report", *(str(head["source"]) for head in heads))]
    for measure, column, label, shown in _HEAD:
        texts = [None if head.get(column) is None else shown(head[column]) for head in heads]
        if any(texts):
            row = _text("condition", label, measure, *texts)
            rows.append(replace(row, differs=None not in texts and texts[0] != texts[1]))
    instances = [head.get("instances_in_report") for head in heads]
    covers = ["instance" if count is None else f"cluster of {count}" for count in instances]
    covered = _text("condition", "Covers", "coverage", *covers)
    rows.append(replace(covered, differs=covered.before_text != covered.after_text))
    for label, column in (("From", "begin_text"), ("To", "end_text")):
        rows.append(_text("condition", label, column, *(head.get(column) for head in heads)))
    periods = [head["elapsed_s"] for head in heads]
    texts = [None if period is None else f"{period / 60:,.2f} min" for period in periods]
    apart = None not in periods and abs(periods[1] - periods[0]) > PERIOD * max(periods)
    rows.append(replace(_text("condition", "Elapsed time", "elapsed", *texts), differs=apart))
    if _overlap(heads):
        overlap = _text("condition", "Periods overlap", "overlap", "yes", "yes")
        rows.append(replace(overlap, differs=True, note="neither is before the other"))
    return rows


def _overlap(heads: Sequence[Row]) -> bool:
    """Whether the periods have time in common; False where a report has no times."""
    begins: list[Any] = [head.get("begin_time") for head in heads]
    ends: list[Any] = [head.get("end_time") for head in heads]
    if None in begins or None in ends:
        return False
    return all(begin < end for begin, end in zip(begins, reversed(ends), strict=True))


def _text(part: str, item: str, measure: str, one: str | None, two: str | None) -> PairRow:
    return PairRow(part, item, measure, before_text=one, after_text=two, differs=False)


SESSIONS = "DB time / elapsed (average active sessions)"
_LOAD = (("per_s", "per second"), ("per_transaction", "per transaction"))
_SYSTEM = (
    ("logical_reads_blocks_per_s", "Logical reads (blocks)"),
    ("physical_reads_blocks_per_s", "Physical reads (blocks)"),
    ("physical_writes_blocks_per_s", "Physical writes (blocks)"),
    ("redo_bytes_per_s", "Redo (bytes)"),
    ("block_changes_per_s", "Block changes"),
    ("user_calls_per_s", "User calls"),
    ("executes_per_s", "Executes"),
    ("parses_per_s", "Parses"),
    ("logons_per_s", "Logons"),
    ("transactions_per_s", "Transactions"),
)


def load(pair: Pair) -> list[PairRow]:
    """Average active sessions, and the load profile or, of a cluster, its system statistics."""
    sessions = [ratio_of(side.head.get("db_time_s"), side.head["elapsed_s"]) for side in pair]
    # DB time is printed in minutes with two decimals
    steps = [ratio_of(0.01 * 60, side.head["elapsed_s"]) for side in pair]
    step = None if None in steps else max(step for step in steps if step)
    rows = [values("load", SESSIONS, "per second", sessions[0], sessions[1], step=step)]
    profiles = [
        {row["statistic"] or row["printed"]: row for row in side.tables["load_profile"]}
        for side in pair
    ]
    if all(profiles):
        return [*rows, *_profile(profiles[0], profiles[1])]
    sums = [_sums(side.tables["system_statistics"]) for side in pair]
    return [
        *rows,
        *(
            values("load", label, "per second", sums[0].get(name), sums[1].get(name))
            for name, label in _SYSTEM
            if name in sums[0] or name in sums[1]
        ),
    ]


def _profile(one: Mapping[str, Row], two: Mapping[str, Row]) -> list[PairRow]:
    steps = {
        column: max(
            last_digit([_printed(row, column) for row in table.values()]) for table in (one, two)
        )
        for column, _ in _LOAD
    }
    found = []
    for name in dict.fromkeys([*one, *two]):
        row = one.get(name) or two[name]
        for column, measure in _LOAD:
            known = [_printed(table.get(name), column) for table in (one, two)]
            if known != [None, None]:
                label = in_mib(str(row["printed"]).removesuffix(":"))
                found.append(values("load", label, measure, known[0], known[1], step=steps[column]))
    return found


def _printed(row: Row | None, column: str) -> float | None:
    """A cell as printed: sizes in MB, which are MiB, as such."""
    if row is None or row[column] is None:
        return None
    mib = row["unit"] == "bytes" and names_mb(str(row["printed"]))
    return float(row[column] / MIB if mib else row[column])


def last_digit(shown: Sequence[float | None]) -> float:
    """The last digit of numbers that are printed with the same decimals."""
    texts = [f"{value:.6f}".rstrip("0") for value in shown if value is not None]
    decimals = [len(text.partition(".")[2]) for text in texts]
    return float(10 ** -max(decimals, default=0))


def _sums(rows: Sequence[Row]) -> dict[str, float]:
    """Sums over the instances of a report, of the rates that each of them has."""
    own = [row for row in rows if row.get("instance") is not None] or list(rows)
    return {
        name: sum(row[name] for row in own)
        for name, _ in _SYSTEM
        if own and all(row.get(name) is not None for row in own)
    }


def io(pair: Pair) -> list[PairRow]:
    """IOPS and throughput, of all I/O, reads and writes, the mean size, and the hosts' CPU."""
    points = [{row["direction"]: row for row in side.tables["load_points"]} for side in pair]
    counted = [_counted(side) for side in pair]
    note = None
    if None not in counted and counted[0] != counted[1]:
        note = f"counts other requests: {counted[0]} before, {counted[1]} after"
    every = [row for point in points for row in point.values()]
    steps = {
        "iops": last_digit([row.get("iops") for row in every]),
        "bw_bytes_per_s": last_digit([ratio_of(row.get("bw_bytes_per_s"), MIB) for row in every])
        * MIB,
    }
    rows = []
    for direction in ("read", "write", "total"):
        mine = [point.get(direction, {}) for point in points]
        for column, step in steps.items():
            one, two = (row.get(column) for row in mine)
            rows.append(values("io", direction, column, one, two, step=step, note=note))
        sizes = [_size(row, steps) for row in mine]
        rows.append(values("io", direction, "size_bytes", *sizes, note=note))
    busy = [point.get("total", {}).get("cpu_busy_ratio") for point in points]
    rows.append(values("io", "host", "cpu_busy_ratio", *busy, step=CPU_STEP))
    told = to_json(cautions_of([row for point in points for row in point.values()]))
    return [replace(row, cautions=told) for row in rows]


def _size(row: Row, steps: Mapping[str, float]) -> float | None:
    """Mean bytes of an I/O; null where throughput or IOPS are printed too coarsely to tell."""
    known = [(row.get(name), step) for name, step in steps.items()]
    if any(not value or step / 2 / value > COARSE / 2 for value, step in known):
        return None
    return ratio_of(row["bw_bytes_per_s"], row["iops"])


def _counted(side: ReportRows) -> str | None:
    """Which requests the IOPS count: those of the section that was used."""
    used = {row["counts"] for row in side.tables["iops_source"] if row["used"]}
    return used.pop() if len(used) == 1 else None


def parameters(pair: Pair) -> list[PairRow]:
    """Initialisation parameters that differ at the begin, or that only one report lists."""
    known = [_parameters(side) for side in pair]
    if not all(known):
        return []
    names = sorted({*known[0], *known[1]})
    return [
        replace(_text("parameter", name, "value", *(own.get(name) for own in known)), differs=True)
        for name in names
        if known[0].get(name) != known[1].get(name)
    ]


EMPTY = "(no value)"


def _parameters(side: ReportRows) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for row in side.tables["parameters"]:
        if not row["parameter"].startswith("_"):
            value = row["value"]
            found.setdefault(row["parameter"], []).append(EMPTY if value is None else str(value))
    return {name: ", ".join(dict.fromkeys(texts)) for name, texts in found.items()}
