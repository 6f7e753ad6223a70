"""Load profile and instance activity: the rows that every dialect of one instance prints."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from forges.awr.content import Content, Instance, ratio
from forges.awr.printing import BLANK, MIB, MICRO, Shown, fixed, padded
from forges.awr.sheet import Line


def profile_values(instance: Instance) -> dict[str, Decimal]:
    """Totals in the units that the load profile prints (seconds, bytes, blocks, counts)."""
    counters = instance.counters
    return {
        "DB Time(s)": instance.db_time,
        "DB CPU(s)": instance.db_cpu_us * MICRO,
        "Background CPU(s)": instance.background_cpu_us * MICRO,
        **{name: Decimal(value) for name, value in counters.items()},
    }


ProfileRow = tuple[str, str, str | None, int]
"""Printed name, counter, unit, what one printed unit is worth."""

PROFILE: tuple[tuple[ProfileRow, bool | None], ...] = (
    (("DB Time(s)", "DB Time(s)", "s", 1), True),
    (("DB CPU(s)", "DB CPU(s)", "s", 1), True),
    (("Background CPU(s)", "Background CPU(s)", "s", 1), False),
    (("Redo size (bytes)", "redo_bytes", "bytes", 1), True),
    (("Logical read (blocks)", "logical_reads", "blocks", 1), True),
    (("Block changes", "block_changes", None, 1), True),
    (("Physical read (blocks)", "physical_reads", "blocks", 1), True),
    (("Physical write (blocks)", "physical_writes", "blocks", 1), True),
    (("Read IO requests", "read_requests", "1", 1), True),
    (("Write IO requests", "write_requests", "1", 1), True),
    (("Read IO (MB)", "read_bytes", "bytes", MIB), True),
    (("Write IO (MB)", "write_bytes", "bytes", MIB), True),
    (("User calls", "user_calls", "1", 1), True),
    (("Parses (SQL)", "parses", "1", 1), True),
    (("Hard parses (SQL)", "hard_parses", "1", 1), True),
    (("SQL Work Area (MB)", "work_area_bytes", "bytes", MIB), True),
    (("Logons", "logons", "1", 1), True),
    (("User logons", "logons", "1", 1), None),
    (("Executes (SQL)", "executes", "1", 1), True),
    (("Rollbacks", "rollbacks", "1", 1), True),
    (("Transactions", "transactions", "1", 1), True),
)
"""Each row, and whether 11.2 prints it (None: neither does 12.2)."""


def profile_lines(
    content: Content,
    instance: Instance,
    rows: Sequence[ProfileRow],
    widths: tuple[int, int, int] = (18, 18, 10),
) -> tuple[Line, ...]:
    """The rows of a load profile, for every dialect."""
    values = profile_values(instance)
    counters = instance.counters
    lines = []
    for printed, name, unit, scale in rows:
        rate = values[name] / content.seconds / scale
        per_transaction = ratio(values[name] / scale, counters["transactions"])
        last = printed.startswith("Transactions")
        cells = [
            Shown(f"{printed}:", printed),
            padded(fixed(rate, 1, scale=scale), widths[0]),
            BLANK if last else padded(fixed(per_transaction, 1, scale=scale), widths[1]),
        ]
        if name.endswith("(s)") and not name.startswith("Background"):
            for base in ("executes", "user_calls"):
                each = ratio(values[name], counters[base])
                cells.append(padded(fixed(each, 2), widths[2]))
        else:
            cells += [BLANK, BLANK]
        lines.append(Line(cells, {"unit": unit} if unit else {}))
    return tuple(lines)


def activity_rows(instance: Instance) -> list[tuple[str, int]]:
    """Oracle's names for the counters that the reports' rules ask for, and the rest, by name."""
    count = instance.counters
    known = [
        ("physical read IO requests", count["read_requests"]),
        ("physical read total IO requests", count["total_read_requests"]),
        ("physical read total bytes", count["total_read_bytes"]),
        ("physical reads", count["physical_reads"]),
        ("physical write IO requests", count["write_requests"]),
        ("physical write total IO requests", count["total_write_requests"]),
        ("physical write total bytes", count["total_write_bytes"]),
        ("physical writes", count["physical_writes"]),
        ("redo size", count["redo_bytes"]),
        ("session logical reads", count["logical_reads"]),
    ]
    return sorted([*known, *instance.activity])
