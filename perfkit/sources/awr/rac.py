"""Tables that RAC-global reports print in another shape: I/O across, SQL with groups of columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import Column
from perfkit.sources.awr.tidy import (
    READERS,
    Context,
    Data,
    UnreadError,
    levelled,
    long_form,
    size_of,
    take,
    where,
)

if TYPE_CHECKING:
    from perfkit.sources.awr.raw import RawTable
    from perfkit.sources.awr.sections import Section

_DIRECTIONS = ("read", "write")
_UNITS = (("mb/s", "bytes_per_s", "megabytes"), ("requests/s", "iops", "count"))
"""What a group's name holds, what it is of, and the kind of its cells."""

_TOTALS = frozenset({"", "total", "totals"})
_EACH = frozenset({"perexecution", "perexec", "percentageoftotal", "%total", "%oftotal"})


def read_wide_io(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """IO by function or file type of 11.2: an instance a row, functions across under groups.

    The groups are ``Reads MB/sec``, ``Writes MB/sec``, ``Reads requests/sec`` and ``Writes
    requests/sec``; below each stand a total and the functions (file types) that matter most.
    """
    rates = {column.keys[0]: found for column in table.columns if (found := _rate(column))}
    if not rates:
        raise UnreadError(f"no group of columns is of rates at {table.place}")
    wide = replace(section, columns={"i#": ("i#", "words"), **rates})
    parts = {target.split("|")[1]: target.split("|")[1] for target, _ in rates.values()}
    name = section.tables[0]
    data = long_form(levelled(take(table, wide, context), context), parts, {})
    data["function" if name == "io_by_function" else "filetype"] = data.pop("statistic")
    return {name: data}


def _rate(column: Column) -> tuple[str, str] | None:
    """What a column below a group is: ``function|our column``, and the kind of its cells."""
    group = cells.key(column.group)
    directions = [word for word in _DIRECTIONS if word in group]
    units = [(ours, kind) for word, ours, kind in _UNITS if word in group]
    if len(directions) != 1 or len(units) != 1 or not column.name:
        return None
    ours, kind = units[0]
    return f"{cells.words(column.name)}|{directions[0]}_{ours}", kind


def read_global_sql(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """SQL of all instances together: totals, and beside them the same per execution.

    Only the totals are taken; a group of columns that is not known to be one or the other makes
    the table unread.
    """
    groups = {cells.key(column.group) for column in table.columns}
    if not groups <= _TOTALS | _EACH:
        strange = ", ".join(sorted(groups - _TOTALS - _EACH))
        raise UnreadError(f"groups of columns that are not known at {table.place}: {strange}")
    totals = tuple(
        Column("", column.name if cells.key(column.group) in _TOTALS else "")
        for column in table.columns
    )
    body = replace(table.body, columns=totals)
    data = take(replace(table, open=lambda: body), section, context)
    data = where(levelled(data, context), "sql_id")
    constant = {name: [value] * size_of(data) for name, value in section.const.items()}
    return {"sql": data | constant}


ALL_READERS = {**READERS, "wide_io": read_wide_io, "global_sql": read_global_sql}
"""How each kind of section is read; the head of the report is read by ``head``."""
