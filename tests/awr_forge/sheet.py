"""One section of a report: its columns, its printed rows, and the table rows that it says.

The column keys are those of perfkit.parsers.awr.schema: what a printed row says is put down in the
ledger under the table's name, and a reader of the report must give back exactly that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .printing import Shown

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
    """section (anchor and h3), summary (a bare heading), top (no heading) or plain (bare text)."""

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


def ledger_of(sheets: Iterable[Sheet]) -> Ledger:
    """What all sections say, by table, in the order of the report."""
    found: Ledger = {}
    for sheet in sheets:
        if sheet.table:
            found.setdefault(sheet.table, []).extend(sheet.said())
    return found


@dataclass(frozen=True)
class Forged:
    """A report, and what it says."""

    dialect: str
    data: bytes
    tables: Ledger
    sheets: tuple[Sheet, ...]
