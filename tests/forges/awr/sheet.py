"""One section of a report: its columns, its printed rows, and the table rows that it says.

The column keys are those of perfkit.sources.awr.schema: what a printed row says is put down in the
ledger under the table's name, and a reader of the report must give back exactly that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from forges.awr.printing import Cut, Shown

Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """One column: its title, the key of what it says (None: nothing is expected), its group."""

    title: str
    key: str | None = None
    group: str = ""
    left: bool = False


@dataclass(frozen=True)
class Line:
    """One printed row, with what it says beyond its cells; ``said`` replaces what the cells say."""

    cells: Sequence[Shown]
    also: Row = field(default_factory=dict)
    total: bool = False
    said: tuple[Row, ...] | None = None
    tail: tuple[str, ...] = ()
    """Lines of text below the row (text reports: the module and the text of a SQL)."""


@dataclass(frozen=True)
class Sheet:
    """A section with its table; without lines it has no data."""

    table: str | None
    heading: str
    summary: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    anchor: str = ""
    bullets: tuple[str, ...] = ()
    fixed: Row = field(default_factory=dict)
    style: str = "section"
    """section (anchor and h3), summary or rac (a bare heading), top (none), plain (bare text)."""

    def said(self) -> list[Row]:
        """The rows that the section adds to its table."""
        found: list[Row] = []
        for line in self.lines:
            if line.said is not None:
                found += [{**self.fixed, **row} for row in line.said]
                continue
            cells = zip(self.columns, line.cells, strict=False)
            row = {column.key: cell.says for column, cell in cells if column.key}
            found.append({**self.fixed, **row, **line.also})
        return found


Ledger = dict[str, list[Row]]
MERGED = {"system_statistics", "host_cpu", "instance_cpu", "report"}
"""Tables with one row an instance: what several sections say of it stands in one row."""


def ledger_of(sheets: Iterable[Sheet | Block]) -> Ledger:
    """What all sections say, by table, in the order of the report."""
    found: Ledger = {}
    for sheet in sheets:
        if sheet.table:
            found.setdefault(sheet.table, []).extend(sheet.said())
    for name in MERGED & set(found):
        found[name] = _merged(found[name])
    return found


def _merged(rows: list[Row]) -> list[Row]:
    kept: dict[Any, Row] = {}
    for row in rows:
        kept.setdefault(row.get("instance"), {}).update(row)
    return list(kept.values())


@dataclass(frozen=True)
class Block:
    """One section of a text report: literal headers, fixed columns, rows of one or more lines.

    ``widths`` holds the columns of each physical line of a row; a negative width is a word.
    """

    table: str | None
    heading: str
    keys: tuple[str | None, ...] = ()
    widths: tuple[tuple[int, ...], ...] = ()
    heads: tuple[tuple[str, ...], ...] = ()
    lines: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()
    fixed: Row = field(default_factory=dict)
    style: str = "section"
    """section (heading, notes, end line), bare (a table without them) or literal (``text``)."""
    text: str = ""

    def said(self) -> list[Row]:
        """The rows that the section adds to its table: what fits in its columns."""
        found: list[Row] = []
        flat = [width for line in self.widths for width in line]
        for line in self.lines:
            if line.said is not None:
                found += [{**self.fixed, **row} for row in line.said]
                continue
            fitted = [fit(cell, width) for cell, width in zip(line.cells, flat, strict=False)]
            pairs = (
                zip(self.keys, fitted, strict=False)
                if flat
                else zip(self.keys, line.cells, strict=False)
            )
            row = {key: cell.says for key, cell in pairs if key}
            found.append({**self.fixed, **row, **line.also})
        return found


def fit(cell: Shown, width: int) -> Shown:
    """The cell in its column: a word is cut off; a number that does not fit is ##### and None."""
    if len(cell.text) <= abs(width):
        return cell
    if width < 0:
        says = Cut(cell.says, -width) if isinstance(cell.says, str) else cell.says
        return Shown(cell.text[:-width], says)
    return Shown("#" * width)


@dataclass(frozen=True)
class Forged:
    """A report, and what it says."""

    dialect: str
    data: bytes
    tables: Ledger
    sheets: tuple[Sheet | Block, ...]
