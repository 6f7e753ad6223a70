"""The exports of RanRead, RanWrite and RanIO, and listings of their SQL tables.

Layouts after the sources of intersystems-community/perftools-io-test-suite. Every line of an export
ends with a comma, which makes a last column without a head; fields that a tool does not fill are
blank.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

import polars as pl

from perfkit.core.errors import ParseError
from perfkit.sources.printed_numbers import MISSING, Cell, file_sign, plain
from perfkit.sources.printed_times import datetimes
from perfkit.sources.ranread.schema import PrintedRun
from perfkit.sources.separated import Separated, cells_of, read_separated

NAMES = {
    "rundate": "date", "runtime": "time", "database": "database", "namespace": "namespace",
    "iterations": "iterations", "processes": "processes", "jobs": "processes",
    "responsetime": "response_ms", "responsetimems": "response_ms", "iops": "iops",
    "reads": "reads", "writes": "writes", "readsps": "reads_per_s", "writesps": "writes_per_s",
    "readspersec": "reads_per_s", "writespersec": "writes_per_s", "stddevr": "stddev_r",
    "stddevw": "stddev_w", "stddevrps": "read_iops_stddev", "stddevwps": "write_iops_stddev",
    "cvreads": "reads_cv_ratio", "cvwrites": "writes_cv_ratio",
    "cvreadspers": "read_iops_cv_ratio", "cvwritespers": "write_iops_cv_ratio",
    "readpct": "read_percent",
}  # fmt: skip
"""A head in lower case, letters only -> what it holds."""

_HINT = re.compile(r"r[^a-z]*u[^a-z]*n[^a-z]*d[^a-z]*a[^a-z]*t[^a-z]*e", re.IGNORECASE)
"""The head RunDate in any writing: a quick look at files of other kinds."""

TEXTS = {"date", "time", "database", "namespace"}

LAYOUTS = (
    ("ReadsPS with CV (2026)", {"reads_per_s", "reads_cv_ratio"}),
    ("ReadsPS (May 2024)", {"reads_per_s", "stddev_r"}),
    ("Reads and ResponseTime (April 2024)", {"reads", "response_ms", "iops"}),
    ("Iterations and ResponseTime (2016 to 2023)", {"iterations", "response_ms", "iops"}),
)
"""Layout -> heads that only it has, the newest first."""

HOROLOG = dt.datetime(1840, 12, 31)  # noqa: DTZ001 - a local date, as the tool prints it
"""Day 0 of $HOROLOG, in which SQL listings show dates in logical mode."""


def _name(head: str) -> str | None:
    return NAMES.get(re.sub(r"[^a-z]", "", head.lower()))


def known(cells: Sequence[str]) -> bool:
    """Whether cells are the heads of an export: RunDate and RunTime, and processes."""
    heads = {"date", "time", "processes"}
    return len(cells) >= len(heads) and heads <= {_name(cell) for cell in cells}


def is_export(head: str) -> bool:
    """Whether the beginning of a file has the heads of an export."""
    return any(
        known(line.split()) or any(known(cells_of(line, m)) for m in ",;\t|" if m in line)
        for line in head.lstrip("\ufeff").splitlines()[:50]
        if _HINT.search(line)
    )


def export_runs(text: str, path: str) -> tuple[list[PrintedRun], str, list[str]]:
    """The runs of an export, its layout, and what is odd.

    Raises ParseError, naming line and column, for other heads, rows that do not fit them, and cells
    that are not a number.
    """
    lines = text.split("\n")
    is_separated = any(known(cells_of(line, mark)) for line in lines[:200] for mark in ",;\t|")
    if not is_separated and any(known(line.split()) for line in lines[:200]):
        # a listing with blanks between its columns
        text = "\n".join("\t".join(line.split()) for line in lines)
    table = read_separated(text, path, known, "column heads of a RANREAD export")
    names = [_name(head) for head in table.heads]
    notes = [*table.warnings, *_strangers(table, names, path)]
    layout = next((label for label, own in LAYOUTS if own <= set(names)), None)
    if layout is None:
        raise ParseError(
            path,
            f"no layout of RANREAD has these columns: {', '.join(table.heads)}",
            table.head_line,
        )
    runs = _runs(table, names, path, notes)
    # the runs below would look like repeats of those above; an export that goes on is one
    for line in table.again:
        above = [run.started_at for run in runs if run.line < line]
        below = [run.started_at for run in runs if run.line > line]
        before, after = ([at for at in times if at is not None] for times in (above, below))
        if not below or (before + after == above + below and min(after) > max(before)):
            continue
        problem = "a second export begins here, and no time says that it is the later one"
        raise ParseError(path, f"{problem}: put each into a file of its own", line)
    return runs, layout, notes


def _strangers(table: Separated, names: list[str | None], path: str) -> list[str]:
    """Columns that no layout has; the one that the closing commas make is none."""
    notes = []
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        raise ParseError(path, f"two columns are {twice[0]}", table.head_line)
    for place, (name, head) in enumerate(zip(names, table.heads, strict=True)):
        column = table.cells[str(place)]
        if name is None and head:
            notes.append(f"column {head!r} is not known, and not read")
        elif name is None and column.null_count() < len(column):
            row = int(column.is_not_null().arg_true()[0])
            raise ParseError(
                path, f"{column[row]!r} is in a column without a name", table.lines[row]
            )
    return notes


def _runs(
    table: Separated, names: list[str | None], path: str, notes: list[str]
) -> list[PrintedRun]:
    columns = {name: place for place, name in enumerate(names) if name}
    numeric = {name: place for name, place in columns.items() if name not in TEXTS}
    cells = [
        Cell(text, table.heads[place], line)
        for place in numeric.values()
        for text, line in zip(table.cells[str(place)], table.lines, strict=True)
        if text and text.lower() not in MISSING and not text.isdecimal()
    ]
    sign = file_sign(cells, path, settled="." if table.separator == "," else None)
    times = _times(table, columns, notes)
    runs = []
    for row, line in enumerate(table.lines):
        texts = {name: _cell(table, place, row) for name, place in columns.items()}
        run = PrintedRun(line, None, times[row], texts.get("database"), texts.get("namespace"))
        for name in numeric:
            text = texts[name]
            run.numbers[name] = None if text is None else plain(text, sign)
        runs.append(run)
    return runs


def _cell(table: Separated, place: int, row: int) -> str | None:
    text: str | None = table.cells[str(place)][row]
    return None if text is None or text.lower() in MISSING else text


def _times(table: Separated, columns: dict[str, int], notes: list[str]) -> list[dt.datetime | None]:
    dates, times = (table.cells[str(columns[name])] for name in ("date", "time"))
    both = (dates + " " + times).alias("at")
    if both.null_count() == len(both):
        return [None] * len(both)
    if dates.str.contains(r"^\d{4,6}$").all() and times.str.contains(r"^\d{1,5}$").all():
        since = pl.duration(days=pl.lit(dates.cast(pl.Int64)), seconds=pl.lit(times.cast(pl.Int64)))
        return pl.select(HOROLOG + since).to_series().to_list()
    made = datetimes(both)
    if made is None:
        notes.append(
            f"{both[0]!r}: the form is not known, or day and month cannot be distinguished"
        )
        return [None] * len(both)
    return made.to_list()
