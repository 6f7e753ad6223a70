"""Tables and statements of a document, copied as it prints them: cells as text, and their numbers.

The file is a CSV with comments at its head that say where it was copied from::

    # document: SAS on NetApp EF550, July 2014
    # table: Table 2
    # place: Test Results
    # title: Total Workload Elapsed Time
    # part: results
    # keys: system, real
    # units: , min
    # footer: 1
    Storage System,Elapsed Real Time in Minutes
    Spinning Storage,1482.10

``# as printed in DOCUMENT, section 4, Table 2`` says it in one line. Other comments are kept out.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perfkit.core import schema
from perfkit.core.errors import ParseError, did_you_mean
from perfkit.core.evidence import Origin, Section
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row, Schema
from perfkit.formats.printed_text import MISSING, exact_text, printed_number, unit_name
from perfkit.sources.files import File, file_bytes, frame, reader, text_of

VERSION = 1

CELLS: Schema = {
    "table_id": schema.text("id of the table: the file's name, or # id:"),
    "document": schema.text("document it was copied from"),
    "table": schema.text("what the document calls it: Table 2; null for statements"),
    "place": schema.text("section or page; that of the row where a column names it"),
    "title": schema.text("the document's caption"),
    "part": schema.text("part of a report that it belongs to: environment, results"),
    "row": schema.whole("row, from 1"),
    "line": schema.whole("line in the file"),
    "row_name": schema.text("text of the row's first cell"),
    "column": schema.whole("column, from 1"),
    "column_key": schema.text("short name of the column, for references"),
    "column_label": schema.text("head of the column as printed"),
    "text": schema.text("the cell as printed; null where it is empty"),
    "number": schema.text("its exact value in the unit; null where it is not a number"),
    "low": schema.text("smallest value that is printed so; null: none, or no bound"),
    "high": schema.text("largest value that is printed so; null: none, or no bound"),
    "decimals": schema.whole("digits printed after the point"),
    "unit": schema.text("unit of the cell, else of its column; 1: none by declaration"),
    "value": schema.number("the number, in the unit as printed (nothing converted)"),
    "footer": schema.flag("whether the row stands under a rule (sum, difference)"),
}
"""One row a cell."""

_NAMES = ("id", "document", "table", "place", "title", "part", "keys", "units", "footer")
_COMMENT = re.compile(r"^#\s*([a-z]+):\s?(.*)$")
_AS_PRINTED = re.compile(
    r"^#\s*as printed in (.+?)(?:,\s*((?:section|page)s? [^,]+))?(?:,\s*([^,]+))?$"
)


@dataclass(frozen=True)
class _Head:
    """What the comments say."""

    facts: dict[str, str]
    lines: dict[str, int]

    def cells(self, name: str, columns: list[str], label: str) -> list[str]:
        """A list of one item a column; ParseError where the counts differ."""
        if name not in self.facts:
            return [""] * len(columns)
        items = [item.strip() for item in next(csv.reader([self.facts[name]]))]
        if len(items) != len(columns):
            raise ParseError(
                label,
                f"# {name}: has {len(items)} items for {len(columns)} columns",
                self.lines[name],
            )
        return items


def is_printed(head: str) -> bool:
    """Whether the beginning of a file is that of a table copied from a document."""
    first = head.lstrip("\ufeff").split("\n", 1)[0]
    return first.startswith("# document:")


def is_printed_file(path: Path) -> bool:
    """``is_printed`` of a file's first bytes; ParseError where it cannot be read."""
    return is_printed(file_bytes(path, str(path), 200).decode("utf-8", "replace"))


@reader
def read_printed(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read a table or statements of a document, copied as printed: a row a cell.

    The table is called by its id (the file's name without ending, or ``# id:``), so that a study's
    evidence holds each printed table by itself.

    Each cell keeps its text, and beside it the number with its unit and what its rounding allows
    (columns: ``CELLS``). A column with a unit holds numbers: another text in it is an error. A
    column with the key ``place`` gives the place of its row. The origin of every value is
    "printed", with document and table.

    Raises:
        ParseError: With the line: no document is named, a row that does not fit the head, two
            columns of one key, no number where the column has a unit.
    """
    file = File.of(path, root)
    label = file.label
    text = text_of(file.data, label).removeprefix("\ufeff")
    head, start = _head(text, label)
    rows = _rows(text, start, label)
    if not rows:
        raise ParseError(label, "no rows below the comments")
    facts = {"id": Path(path).name.split(".")[0], **head.facts}
    cells = _frame(rows, head, facts, label)
    origin = Origin("printed", ", ".join(filter(None, (facts["document"], facts.get("table")))))
    sections = (Section("cells", "found", len(cells)),)
    found = file.evidence("printed", sections=sections, origin=origin)
    return reading("read.printed", VERSION, {facts["id"]: cells}, found)


def _head(text: str, label: str) -> tuple[_Head, int]:
    """The facts of the comments, and the index of the first line below them."""
    facts: dict[str, str] = {}
    lines: dict[str, int] = {}
    start = 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            break
        start = number
        match, whole = _COMMENT.match(line), _AS_PRINTED.match(line)
        if match and match[1] in _NAMES:
            facts[match[1]], lines[match[1]] = match[2].strip(), number
        elif match and match[1] not in {"note", "source", "copied"}:
            raise ParseError(label, f"# {match[1]}: {did_you_mean(match[1], list(_NAMES))}", number)
        elif whole:
            given = {"document": whole[1], "place": whole[2], "table": whole[3]}
            facts |= {name: value for name, value in given.items() if value}
    if not facts.get("document"):
        raise ParseError(label, "names no document: the first line is '# document: ...'", 1)
    return _Head(facts, lines), start


def _rows(text: str, start: int, label: str) -> list[tuple[int, list[str]]]:
    """The cells of each row with its line; the first one is the heads."""
    lines = csv.reader(text.splitlines(keepends=True)[start:], strict=True)
    rows, before = [], start
    try:
        for cells in lines:
            if any(cell.strip() for cell in cells):
                rows.append((before + 1, [cell.strip() for cell in cells]))
            before = start + lines.line_num
    except csv.Error as problem:
        raise ParseError(label, f"not CSV: {problem}", start + lines.line_num) from problem
    for line, cells in rows:
        if len(cells) != len(rows[0][1]):
            raise ParseError(
                label, f"{len(cells)} cells in a table of {len(rows[0][1])} columns", line
            )
    return rows


def _frame(
    rows: list[tuple[int, list[str]]], head: _Head, facts: dict[str, str], label: str
) -> pl.DataFrame:
    (head_line, heads), *body = rows
    keys = head.cells("keys", heads, label)
    keys = [key or name for key, name in zip(keys, heads, strict=True)]
    twice = next((key for number, key in enumerate(keys) if key in keys[:number]), None)
    if twice is not None:
        raise ParseError(label, f"two columns are called {twice!r}", head_line)
    units = head.cells("units", heads, label)
    footer = facts.get("footer", "0")
    if not footer.isdecimal() or int(footer) > len(body):
        raise ParseError(
            label, f"# footer: {footer!r} is not a number of rows", head.lines["footer"]
        )
    found = []
    for number, (line, cells) in enumerate(body, 1):
        own = dict(zip(keys, cells, strict=True)).get("place") or facts.get("place")
        common = {
            "table_id": facts["id"],
            "document": facts["document"],
            "table": facts.get("table"),
            "title": facts.get("title"),
            "part": facts.get("part"),
            "place": own,
            "row": number,
            "line": line,
            "row_name": cells[0] or None,
            "footer": number > len(body) - int(footer),
        }
        for column, text in enumerate(cells):
            found.append(
                {
                    **common,
                    "column": column + 1,
                    "column_key": keys[column],
                    "column_label": heads[column],
                    "text": text or None,
                    **_number(text, units[column], f"column {keys[column]!r}", label, line),
                }
            )
    return frame(found, CELLS, label)


def _number(text: str, unit: str, where: str, label: str, line: int) -> Row:
    """What a cell's number is, and the unit; empty for words in a column without a unit."""
    found = printed_number(text)
    if found is None:
        if unit and text.lower() not in MISSING:
            raise ParseError(label, f"{where}: {text!r} is not a number", line)
        return {"unit": unit_name(unit) if unit else None}
    return {
        "number": exact_text(found.value),
        "value": float(found.value),
        "low": None if found.low is None else exact_text(found.low),
        "high": None if found.high is None else exact_text(found.high),
        "decimals": found.decimals,
        "unit": found.unit or (unit_name(unit) if unit else None),
    }
