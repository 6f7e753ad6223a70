"""Separated text (CSV and its kin) as people and tools leave it: where its heads are, and cells.

No meaning is given to a cell here. A row that does not fit its heads is never patched up: it is an
error with its line, but for the last one of a file, which is the mark of a file that was cut off.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import polars as pl

from perfkit.core.errors import ParseError

SEPARATORS = (",", ";", "\t", "|")
HEAD_LINES = 200
"""The heads stand among so many lines of a file."""

_SPREADSHEETS = {
    b"PK\x03\x04": "an Excel workbook (or another zip archive)",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the old form (.xls)",
}
_NAME_AT, _NAME_UP_TO = 30, 230
"""Where a zip archive has the name of what it begins with."""

_OF_OFFICE = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/", b"mimetype")
"""What Excel, and programs like it, put first in a file."""

_RULE = re.compile(r"[\s|+:=-]*-{2,}[\s|+:=-]*$")

Known = Callable[[Sequence[str]], bool]
"""Whether cells are the heads that are looked for."""


@dataclass(frozen=True)
class Separated:
    """A table of texts.

    Attributes:
        heads: Column heads as printed, without quotes.
        head_line: Their line.
        cells: One text column a head, named by its place (``"0"``, ``"1"`` ...); null: empty.
        lines: The line of each row.
        separator: What stands between two cells.
        before: Lines above the heads: number and text.
        warnings: What was left out, with its line.
        again: Lines at which the heads come again: a second table may begin there.
    """

    heads: tuple[str, ...]
    head_line: int
    cells: pl.DataFrame
    lines: pl.Series
    separator: str
    before: tuple[tuple[int, str], ...] = ()
    warnings: tuple[str, ...] = ()
    again: tuple[int, ...] = ()


@dataclass
class _Body:
    """What lies under the heads, while it is read."""

    path: str
    heads: tuple[str, ...]
    separator: str
    head_line: int
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    again: list[int] = field(default_factory=list)


def refuse_workbook(data: bytes, path: str) -> None:
    """ParseError for the bytes of an Excel file, which says what to do.

    Programs are zip archives too (``.jar``, ``.whl``), and no workbooks.
    """
    first = data[_NAME_AT:_NAME_UP_TO]
    if data.startswith(b"PK") and first and not first.startswith(_OF_OFFICE):
        return
    for start, what in _SPREADSHEETS.items():
        if data.startswith(start):
            raise ParseError(path, f"{what}: save the sheet as CSV, and read that")


def read_separated(text: str, path: str, known: Known, what: str) -> Separated:
    """The table under the first line whose cells are known heads.

    Heads that come again are left out with a warning, and so is a last row that is not whole.

    Args:
        text: The file's text, each line end one character.
        path: For errors.
        known: Whether cells are the heads.
        what: What is looked for, for the error ("column heads of GenIO's summary.csv").

    Raises ParseError, with the line, for no heads, no rows, and rows that do not fit the heads.
    """
    number, start, separator, heads = _find(text, path, known, what)
    before = tuple(
        (i, line)
        for i, line in enumerate(text[:start].split("\n")[: number - 1], 1)
        if line.strip()
    )
    end = text.find("\n", start)
    body = "" if end < 0 else text[end + 1 :]
    if not body or body.isspace():
        raise ParseError(path, "a header and no row below it", number)
    made = _plain(body.encode(), separator, heads)
    if made is not None:
        lines = pl.int_range(number + 1, number + 1 + made.height, eager=True)
        notes = [] if text.endswith("\n") else [_open_end(number + made.height)]
        return Separated(heads, number, made, lines, separator, before, tuple(notes))
    slow = _Body(path, heads, separator, number)
    _read_rows(slow, body)
    columns = {str(i): [row[i].strip() or None for row in slow.rows] for i in range(len(heads))}
    types = dict.fromkeys(columns, pl.String)
    cells, lines = pl.DataFrame(columns, schema=types), pl.Series(slow.lines, dtype=pl.Int64)
    warnings, again = tuple(slow.warnings), tuple(slow.again)
    return Separated(heads, number, cells, lines, separator, before, warnings, again)


def _open_end(line: int) -> str:
    return f"line {line}: the file ends without a line end: its last cell may be cut off"


def _find(text: str, path: str, known: Known, what: str) -> tuple[int, int, str, tuple[str, ...]]:
    """Line, place in the text, separator and cells of the heads."""
    start = 0
    for number in range(1, HEAD_LINES + 1):
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end]
        for separator in SEPARATORS:
            heads = cells_of(line, separator)
            if len(heads) > 1 and known(heads):
                return number, start, separator, tuple(heads)
        if end < 0:
            break
        start = end + 1
    raise ParseError(path, f"no {what} in it")


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of one line; the bars at both ends of a ruled row are not cells."""
    if separator == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    try:
        row = next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return []
    return [cell.strip() for cell in row]


def _plain(body: bytes, separator: str, heads: tuple[str, ...]) -> pl.DataFrame | None:
    """The cells of a body of plain rows without quotes, as a program writes it; None for another.

    The separators add up to the right number, and too many in one line is an error of the reader
    that comes next: so no line has too few.
    """
    import numpy as np

    if separator == "|" or b'"' in body or b"\n\n" in body or body.startswith(b"\n"):
        return None
    count = len(heads)
    rows = body.count(b"\n") + (not body.endswith(b"\n"))
    found = np.count_nonzero(np.frombuffer(body, np.uint8) == ord(separator))
    if found != rows * (count - 1):
        return None
    try:
        frame = pl.read_csv(
            body,
            has_header=False,
            separator=separator,
            quote_char=None,
            infer_schema=False,
            new_columns=[str(i) for i in range(count)],
        )
    except pl.exceptions.PolarsError:
        return None
    whole = frame.shape == (rows, count)
    return frame if whole and not (frame["0"] == heads[0]).any() else None


def _read_rows(body: _Body, text: str) -> None:
    """The rows of any other body: quotes, blank lines, ruled tables, heads that come again."""
    lines = text.split("\n")
    last = max((i for i, line in enumerate(lines) if line.strip()), default=-1)
    whole = text.endswith("\n")
    count = len(body.heads)
    number = body.head_line
    pending = iter(enumerate(lines))
    for index, line in pending:
        number = body.head_line + 1 + index
        if not line.strip() or _RULE.match(line) or line.lstrip().startswith("#"):
            continue
        cells = cells_of(line, body.separator)
        if tuple(cells) == body.heads:
            body.warnings.append(f"line {number}: the header again: left out")
            body.again.append(number)
            continue
        if len(cells) != count and index == last and len(cells) < count:
            body.warnings.append(
                f"line {number}: the file is cut off here ({len(cells)} of {count} cells): "
                "the row is left out"
            )
            continue
        if len(cells) != count:
            is_grouped = body.separator == "," and len(cells) > count
            hint = "; unquoted thousands commas?" if is_grouped else ""
            raise ParseError(
                body.path, f"{len(cells)} cells where {count} columns belong{hint}", number
            )
        if index == last and not whole:
            body.warnings.append(_open_end(number))
        body.rows.append(cells)
        body.lines.append(number)
    if not body.rows:
        raise ParseError(body.path, "a header and no whole row below it", body.head_line)
