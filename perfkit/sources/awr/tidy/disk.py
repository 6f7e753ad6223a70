"""I/O by function, file type, tablespace and file."""

from __future__ import annotations

import re

from perfkit.sources.awr.raw import MISALIGNED, indices
from perfkit.sources.awr.tidy.context import Data, Found, columns_of, where
from perfkit.sources.awr.tidy.rows import KEY
from perfkit.sources.awr.tidy.take import by_instance, levelled, take

_TOTALS = frozenset({"TOTAL:", "Total", "TOTAL"})


def read_io(found: Found) -> dict[str, Data]:
    """IO by function or file type; its total is a row called Total."""
    name = found.section.tables[0]
    data = where(by_instance(found, _timed(found) if found.text else None), KEY[name])
    data[KEY[name]] = ["Total" if item in _TOTALS else item for item in data[KEY[name]]]
    return {name: data}


def _timed(found: Found) -> list[list[str]]:
    """The rows of a text table without those that lost one of their two times.

    Up to 12.1 times are bare numbers or N/A, never blank; the columns are of one width, so that
    where the first is lost the second stands in its place.
    """
    rows = found.table.aligned
    places = indices(found.table.columns, ("smallread", "largeread")).values()
    if not any(_BARE.fullmatch(row[place]) for row in rows for place in places):
        return rows
    kept = []
    for number, row in enumerate(rows, 1):
        if all(row[place] for place in places):
            kept.append(row)
        else:
            found.table.broken[number] = MISALIGNED
    return kept


_BARE = re.compile(r"[\d.,]+|N/A")

_PAIR = re.compile(r"(.*?)\s*\((.*)\)")


def read_function_filetype(found: Found) -> dict[str, Data]:
    """IO by function and file type; the rows of functions alone stand in IO by Function too."""
    if not indices(found.table.columns, ("function/filename",)):
        names, rows = _under_names(found)
        data = take(found, rows)
        data["function"] = list(names)
    else:
        data = take(found)
    pairs = [_PAIR.fullmatch(name or "") for name in data["function"]]
    data["function"] = [pair[1] if pair else None for pair in pairs]
    data["filetype"] = [pair[2] if pair else None for pair in pairs]
    return {"io_by_function": where(levelled(data, found), "filetype")}


def _under_names(found: Found) -> tuple[list[str], list[list[str]]]:
    """In text the name of a row stands on a line of its own above its numbers.

    A name without numbers, numbers without a name and misaligned rows are left out with a warning.
    """
    lines = [line for line in found.table.body.lines if line.strip()]
    pairs = list(zip(lines, found.table.rows, strict=True))
    figures = [bool(re.match(r"\s*[-.\d#]", line)) for line in lines]
    names: list[str] = []
    rows: list[list[str]] = []
    name = ""
    for place, (line, row) in enumerate(pairs):
        if not figures[place]:
            if name and name != " ".join(line.split()):
                found.table.broken[place] = MISALIGNED
            name = " ".join(line.split())
        elif name and not found.table.misaligned([line])[0]:
            names.append(name)
            rows.append(row)
            name = ""
        else:
            found.table.broken[place + 1] = MISALIGNED
            name = ""
    return names, rows


def read_files(found: Found) -> dict[str, Data]:
    """IO by tablespace or file, with a check against a header that Oracle wrote in a wrong order.

    In HTML reports of 11.2 the names of three columns stand one place off: "Writes" over the
    times of single-block reads. Writes over elapsed time must give the printed writes per second:
    the order for which that holds alone is right; where both hold, or none, the columns are null.
    """
    name = found.section.tables[0]
    data = where(by_instance(found), KEY[name])
    if found.text:
        _meanless(found, data)
        _against_rates(found, data)
    if found.text or "optimized_ratio" in data or not data.keys() >= _MOVED:
        return {name: data}
    shifted = {
        **data,
        "writes": data["one_block_read_iops"],
        "one_block_read_iops": _scaled(data["one_block_read_avg_s"], 1000),
        "one_block_read_avg_s": _scaled(data["writes"], 1 / 1000),
    }
    headed, moved = _agree(data, found), _agree(shifted, found)
    if headed and (not moved or name == "io_by_file"):
        # the names stand off in Tablespace IO Stats alone: in no file table of a real report
        return {name: data}
    remark = "read in the order in which writes / elapsed time is writes per second"
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
        remark = "it is unclear which number is which: null"
    found.warn(
        "the header may name Writes, 1-bk Rds/s and Av 1-bk Rd in an order that its numbers "
        f"contradict; {remark}"
    )
    return {name: shifted}


def _meanless(found: Found, data: Data) -> None:
    """Null waits that have no mean time: a number was lost, and another stands in its place."""
    waits = zip(data.get("buffer_waits", []), data.get("buffer_wait_avg_s", []), strict=False)
    for place, (count, mean) in enumerate(waits):
        if count and mean is None and "one_block_read_iops" in data:
            found.fault(place + 1, "'Buffer Waits'", "waits without their mean time")
            data["buffer_waits"][place] = None


def _against_rates(found: Found, data: Data) -> None:
    """Null counts that contradict the printed rates over the elapsed time: a cell was lost."""
    if not found.context.elapsed_s:
        return
    for total, rate, *others in _RATED:
        if total not in data or rate not in data:
            continue
        pairs = list(zip(data[total], data[rate], strict=True))
        for place, (count, per_s) in enumerate(pairs):
            if count is None or per_s is None or _near(count / found.context.elapsed_s, per_s):
                continue
            what = f"{count:g} in {found.context.elapsed_s:g} s are not {per_s:g} per second"
            found.fault(place + 1, repr(total), what)
            for column in {total, rate, *others} & data.keys():
                data[column][place] = None


_RATED = (
    ("reads", "read_iops", "read_avg_s", "blocks_per_read"),
    ("writes", "write_iops", "buffer_waits", "buffer_wait_avg_s"),
)
"""Counts, their rates, and the numbers after them, which a lost cell moves as well."""


def _near(own: float, rate: float) -> bool:
    """Whether two rates are the same: they are printed as whole numbers."""
    return abs(own - rate) <= 0.6 + 0.01 * max(own, rate)


_MOVED = {"writes", "one_block_read_iops", "one_block_read_avg_s"}


def _scaled(values: list[float | None], factor: float) -> list[float | None]:
    return [None if value is None else value * factor for value in values]


def _agree(data: Data, found: Found) -> bool:
    """Whether writes / elapsed time agree with the printed rates, where both are known."""
    if not found.context.elapsed_s or "write_iops" not in data:
        return True
    pairs = [
        (total / found.context.elapsed_s, rate)
        for total, rate in zip(data["writes"], data["write_iops"], strict=True)
        if total is not None and rate is not None
    ]
    wrong = sum(not _near(own, rate) for own, rate in pairs)
    return bool(wrong * _FEW <= len(pairs))


_FEW = 20
"""Totals and rates agree where they do in all rows but one of so many."""


def read_file_histogram(found: Found) -> dict[str, Data]:
    """Single-block reads of each file by the time they took: a row for each bucket."""
    wide = where(by_instance(found), "data_file")
    names = [name for name, kind in found.section.columns.values() if kind == "tally"]
    buckets = [
        (wide[name], [float(edge) / 1000 if edge else None for edge in name.split("-")])
        for name in names
        if name in wide
    ]
    own = ("level", "instance", "tablespace", "data_file")
    rows = [
        (*file, *edges, reads[row])
        for row, file in enumerate(zip(*(wide[name] for name in own), strict=True))
        for reads, edges in buckets
        if reads[row] is not None
    ]
    return {"file_read_histogram": columns_of((*own, "lower_s", "upper_s", "reads"), rows)}
