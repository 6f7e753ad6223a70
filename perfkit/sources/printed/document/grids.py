"""Tables whose rows are lines: with bars (Markdown), tabs, commas, or set in columns by blanks."""

from __future__ import annotations

import csv
import re

from perfkit.sources.printed.document.model import Row, Table, plain_cell
from perfkit.sources.printed.document.stacked import is_value, joined

_RULE = re.compile(r"^\s*[|+]?\s*:?[-=]+:?\s*([|+]\s*:?[-=]+:?\s*)*[|+]?\s*$")
_GRID = re.compile(r"^\s*\+(?:[-=]+\+)+\s*$")
_RULED = re.compile(r"^\s*={2,}(?:\s+={2,})+\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_GAP = re.compile(r"\s{2,}")
MOST_HEADS = 3
MOST_SPAN = 100

Lines = list[tuple[int, str]]


def bar_rows(lines: Lines) -> list[Row]:
    """Rows with bars; the rule below the heads is none."""
    return [
        Row(
            number,
            tuple(map(plain_cell, _BAR.split(line.strip().removeprefix("|").removesuffix("|")))),
        )
        for number, line in lines
        if not _RULE.match(line)
    ]


def is_rule(line: str) -> bool:
    """Whether a line is the rule below the heads of a table with bars."""
    return "-" in line and "|" in line and bool(_RULE.match(line))


def is_grid(line: str) -> bool:
    """Whether a line is the edge of a table drawn with signs: +-----+-----+."""
    return bool(_GRID.match(line))


def is_ruled(line: str) -> bool:
    """Whether a line is the rule of a table set in columns: ==== ====."""
    return bool(_RULED.match(line))


def tab_rows(lines: Lines) -> list[Row]:
    """Rows with tabs."""
    return [Row(n, tuple(plain_cell(cell) for cell in line.split("\t"))) for n, line in lines]


def csv_rows(text: str, sign: str) -> list[Row]:
    """Rows of a CSV."""
    found, before = [], 0
    reader = csv.reader(text.splitlines(keepends=True), delimiter=sign)
    for cells in reader:
        if any(cell.strip() for cell in cells):
            found.append(Row(before + 1, tuple(plain_cell(cell) for cell in cells)))
        before = reader.line_num
    return found


_CELL = re.compile(r"(?<!\\)(?:(?P<many>\d+)(?P<sign>[+*]))?(?:\.\d+\+)?[<^>.]*[aehlmsd]?\|")


def cell_rows(lines: Lines, width: int) -> list[Row]:
    """Rows of AsciiDoc: a bar begins each cell, and as many as there are columns make a row."""
    found: list[tuple[int, str]] = []
    for number, line in lines:
        marks = list(_CELL.finditer(line))
        ends = [*(mark.start() for mark in marks[1:]), len(line)]
        if found and (lead := line[: marks[0].start()] if marks else line).strip():
            found[-1] = (found[-1][0], f"{found[-1][1]} {lead}")
        for mark, end in zip(marks, ends, strict=False):
            found += [(number, line[mark.end() : end])] * min(int(mark["many"] or 1), MOST_SPAN)
        if marks and not width:
            width = len(found)
    parts = [found[n : n + width] for n in range(0, len(found), width or 1)]
    return [
        Row(part[0][0], tuple(plain_cell(text) for _, text in part), tuple(n for n, _ in part))
        for part in parts
    ]


def table_of(rows: list[Row]) -> Table | None:
    """Rows as a table: the first ones are heads, as far as they hold no number.

    A first row with numbers is a head as well (load points above their columns), unless it stands
    alone. None where no row holds a number.
    """
    width = max((len(row.cells) for row in rows), default=0)
    even = [_of_width(row, width) for row in rows]
    count = 1
    while count < min(MOST_HEADS, len(even)) and _goes_on(even[count - 1], even[count]):
        count += 1
    if len(even) <= count or width < 2:
        return None
    heads = joined([row.cells for row in even[:count]])
    return Table(even[0].line, heads, tuple(even[count:]))


def _of_width(row: Row, width: int) -> Row:
    """A row with empty cells at its end, which stand in its own line."""
    missing = width - len(row.cells)
    lines = row.lines + (row.line,) * missing if row.lines else ()
    return Row(row.line, row.cells + ("",) * missing, lines)


def _goes_on(above: Row, below: Row) -> bool:
    """Whether the heads go on below: cells above span columns, and no number stands below."""
    words = [cell for cell in below.cells if cell]
    if len(words) < 2 or any(is_value(cell) for cell in (*words, *above.cells)):
        return False
    spans = above.cells[1:]
    return "" in spans or len(set(spans)) < len(spans)


def set_in_columns(lines: Lines) -> Table | None:
    """Lines in which blanks set columns (the text of a PDF): cells belong to the head above them.

    None where the lines do not agree in their columns.
    """
    pieces = [(number, _pieces(line)) for number, line in lines]
    columns = _columns([parts for _, parts in pieces])
    if len(columns) < 2:
        return None
    rows = []
    for number, parts in pieces:
        cells = [""] * len(columns)
        for start, end, text in parts:
            place = max(
                range(len(columns)),
                key=lambda i: (min(end, columns[i][1]) - max(start, columns[i][0]), -i),
            )
            cells[place] = f"{cells[place]} {text}".strip()
        rows.append(Row(number, tuple(map(plain_cell, cells))))
    return table_of(rows)


def ruled_rows(lines: Lines) -> list[Row]:
    """Rows in the columns of the rule that stands first: ==== ====."""
    starts = [match.start() for match in re.finditer("=+", lines[0][1])]
    spans = list(zip(starts, [*starts[1:], None], strict=True))
    return [
        Row(number, tuple(plain_cell(line[start:end]) for start, end in spans))
        for number, line in lines
        if not is_ruled(line)
    ]


def _pieces(line: str) -> list[tuple[int, int, str]]:
    found, at = [], len(line) - len(line.lstrip())
    for part in _GAP.split(line.strip()):
        start = line.index(part, at)
        found.append((start, start + len(part), part))
        at = start + len(part)
    return found


def _columns(rows: list[list[tuple[int, int, str]]]) -> list[tuple[int, int]]:
    """Where columns stand: ranges that the pieces of all rows leave blanks between."""
    spans = sorted((start, end) for parts in rows for start, end, _ in parts)
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start < found[-1][1] + 1:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
