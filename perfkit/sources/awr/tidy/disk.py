"""I/O by function, file type, tablespace and file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfkit.sources.awr.raw import MOVED, RawTable, indices
from perfkit.sources.awr.tidy.context import Context, Data, where
from perfkit.sources.awr.tidy.rows import KEY
from perfkit.sources.awr.tidy.take import by_instance, levelled, take

if TYPE_CHECKING:
    from perfkit.sources.awr.sections import Section

_TOTALS = frozenset({"TOTAL:", "Total", "TOTAL"})


def read_io(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """IO by function or file type; its total is a row called Total."""
    name = section.tables[0]
    data = where(by_instance(table, section, context), KEY[name])
    if name == "io_by_function":
        data.pop("small_read_s", None)
        data.pop("large_read_s", None)
    data[KEY[name]] = ["Total" if item in _TOTALS else item for item in data[KEY[name]]]
    return {name: data}


_PAIR = re.compile(r"(.*?)\s*\((.*)\)")


def read_function_filetype(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """IO by function and file type; the rows of functions alone stand in IO by Function too."""
    rows = table.rows
    if not indices(table.columns, ("function/filename",)):
        names, rows = _under_names(table)
        data = take(table, section, context, rows)
        data["function"] = list(names)
    else:
        data = take(table, section, context)
    pairs = [_PAIR.fullmatch(name or "") for name in data["function"]]
    data["function"] = [found[1] if found else None for found in pairs]
    data["filetype"] = [found[2] if found else None for found in pairs]
    return {"io_by_function": where(levelled(data, context), "filetype")}


def _under_names(table: RawTable) -> tuple[list[str], list[list[str]]]:
    """In text the name of a row stands on a line of its own above its numbers.

    A name without numbers, numbers without a name, and such as do not keep to their columns are
    left out, and told.
    """
    lines = [line for line in table.body.lines if line.strip()]
    pairs = list(zip(lines, table.rows, strict=True))
    figures = [bool(re.match(r"\s*[-.\d#]", line)) for line in lines]
    marks = dict.fromkeys(range(len(lines)), False)
    for place, line in enumerate(lines):
        if figures[place]:
            marks[place] = table.moved([line])[0]
    names: list[str] = []
    rows: list[list[str]] = []
    name = ""
    for place, (line, row) in enumerate(pairs):
        if not figures[place]:
            if name and name != " ".join(line.split()):
                table.broken[place] = MOVED
            name = " ".join(line.split())
        elif name and not marks[place]:
            names.append(name)
            rows.append(row)
            name = ""
        else:
            table.broken[place + 1] = MOVED
            name = ""
    return names, rows


def read_files(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """IO by tablespace or file, with a check against a header that Oracle wrote in a wrong order.

    In HTML reports of 11.2 the names of three columns stand one place off: "Writes" over the
    times of single-block reads. Writes over elapsed time must give the printed writes per second:
    the order for which that holds alone is right; where both hold, or none, the columns are null.
    """
    name = section.tables[0]
    data = where(by_instance(table, section, context), KEY[name])
    if context.text:
        _meanless(table, data, context)
        _against_rates(table, data, context)
    if context.text or "optimized_ratio" in data or not data.keys() >= _MOVED:
        return {name: data}
    shifted = {
        **data,
        "writes": data["one_block_read_iops"],
        "one_block_read_iops": _scaled(data["one_block_read_avg_s"], 1000),
        "one_block_read_avg_s": _scaled(data["writes"], 1 / 1000),
    }
    headed, moved = _agree(data, context), _agree(shifted, context)
    if headed and (not moved or name == "io_by_file"):
        # the names stand off in Tablespace IO Stats alone: in no file table of a real report
        return {name: data}
    told = "read in the order in which writes / elapsed time is writes per second"
    if headed or not moved:
        # a number that is the same in both orders needs no choice between them
        alike = {
            column: [
                one if one == other else None
                for one, other in zip(data[column], shifted[column], strict=True)
            ]
            for column in sorted(_MOVED)
        }
        if headed and all(alike[column] == data[column] for column in alike):
            return {name: data}
        shifted = {**data, **alike}
        told = "which numbers are which cannot be told: null"
    context.warn(
        f"{table.label}: the header may name Writes, 1-bk Rds/s and Av 1-bk Rd in "
        f"an order that its numbers contradict; {told}"
    )
    return {name: shifted}


def _meanless(table: RawTable, data: Data, context: Context) -> None:
    """Null for waits without a mean time: their number was lost, and it stands in its place."""
    waits = zip(data.get("buffer_waits", []), data.get("buffer_wait_avg_s", []), strict=False)
    for place, (count, mean) in enumerate(waits):
        if count and mean is None and "one_block_read_iops" in data:
            context.fault(table, place + 1, "'Buffer Waits'", "waits without their mean time")
            data["buffer_waits"][place] = None


def _against_rates(table: RawTable, data: Data, context: Context) -> None:
    """Null for counts that over the elapsed time are not the printed rates: a cell was lost."""
    if not context.elapsed_s:
        return
    for total, rate, *others in _RATED:
        if total not in data or rate not in data:
            continue
        pairs = list(zip(data[total], data[rate], strict=True))
        for place, (count, per_s) in enumerate(pairs):
            if count is None or per_s is None or _near(count / context.elapsed_s, per_s):
                continue
            what = f"{count:g} in {context.elapsed_s:g} s are not {per_s:g} per second"
            context.fault(table, place + 1, repr(total), what)
            for column in {total, rate, *others} & data.keys():
                data[column][place] = None


_RATED = (
    ("reads", "read_iops", "read_avg_s", "blocks_per_read"),
    ("writes", "write_iops", "buffer_waits", "buffer_wait_avg_s"),
)
"""Counts, their rates, and the numbers behind them, which would have moved as well."""


def _near(own: float, rate: float) -> bool:
    """Whether two rates are the same: they are printed as whole numbers."""
    return abs(own - rate) <= 0.6 + 0.01 * max(own, rate)


_MOVED = {"writes", "one_block_read_iops", "one_block_read_avg_s"}


def _scaled(values: list[float | None], factor: float) -> list[float | None]:
    return [None if value is None else value * factor for value in values]


def _agree(data: Data, context: Context) -> bool:
    """Whether writes over the elapsed time are the printed rates, as far as it can be told."""
    if not context.elapsed_s or "write_iops" not in data:
        return True
    pairs = [
        (total / context.elapsed_s, rate)
        for total, rate in zip(data["writes"], data["write_iops"], strict=True)
        if total is not None and rate is not None
    ]
    wrong = sum(not _near(own, rate) for own, rate in pairs)
    return bool(wrong * _FEW <= len(pairs))


_FEW = 20
"""Totals and rates agree where they do in all rows but one of so many."""
