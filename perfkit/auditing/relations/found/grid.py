"""Tables as the rules see them: by columns and by rows alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from perfkit.auditing.relations.cells import Number, number_in
from perfkit.auditing.relations.found.words import Label, label_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Cell:
    """A cell with its place; ``number`` is None for words."""

    table: str
    row: int
    column: int
    line: int
    text: str
    decimals: int
    number: Number | None
    unit: str | None


@dataclass(frozen=True)
class Record:
    """Cells in which one relation holds: a row over its columns, or a column over its rows."""

    name: str
    cells: tuple[Cell, ...]

    def numbers(self, places: list[int]) -> list[Number] | None:
        """The numbers at these places; None where one is missing."""
        found = [self.cells[place].number for place in places]
        return None if None in found else [item for item in found if item is not None]


@dataclass(frozen=True)
class View:
    """A table along one axis: what the places of a record are called, and the records."""

    grid: Grid
    labels: tuple[Label, ...]
    records: tuple[Record, ...]
    by_rows: bool

    def numeric(self, place: int) -> bool:
        """Whether some record has a number there."""
        return any(record.cells[place].number for record in self.records)

    def unit(self, place: int) -> str | None:
        """The unit at a place, where all cells agree."""
        units = {r.cells[place].unit for r in self.records if r.cells[place].number}
        return units.pop() if len(units) == 1 else None


@dataclass(frozen=True)
class Grid:
    """A table of a document."""

    name: str
    table: str | None
    title: str
    section: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def line(self) -> int:
        """The line of its first row."""
        return self.rows[0][0].line

    @property
    def called(self) -> str:
        """What a reader calls it."""
        return self.table or (f"table in {self.section}" if self.section else self.name)

    def columns(self) -> View:
        """Rows as records: relations between columns."""
        records = tuple(Record(row[0].text, row) for row in self.rows)
        return View(self, tuple(map(label_of, self.heads)), records, by_rows=False)

    def lines(self) -> View:
        """Columns as records: relations between rows."""
        labels = tuple(label_of(row[0].text) for row in self.rows)
        records = tuple(
            Record(head, tuple(row[place] for row in self.rows))
            for place, head in enumerate(self.heads)
            if place
        )
        return View(self, labels, records, by_rows=True)


def grids_of(cells: pl.DataFrame) -> Iterator[Grid]:
    """The tables of a frame of printed cells, in its order."""
    for name, rows in groupby(cells.iter_rows(named=True), key=lambda row: row["table_id"]):
        lines = [list(part) for _, part in groupby(rows, key=lambda row: row["row"])]
        first = lines[0][0]
        yield Grid(
            str(name),
            first["table"],
            first["title"] or "",
            first["place"] or "",
            tuple(cell["column_label"] or "" for cell in lines[0]),
            tuple(tuple(map(_cell, line)) for line in lines),
        )


def _cell(row: dict[str, Any]) -> Cell:
    return Cell(
        row["table_id"],
        row["row"],
        row["column"],
        row["line"],
        row["text"] or "",
        row["decimals"] or 0,
        number_in(row),
        row["unit"],
    )
