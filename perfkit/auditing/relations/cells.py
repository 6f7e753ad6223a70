"""Printed cells by reference, and the units in which they are compared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfkit.auditing.relations.relation import parts_of
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.formats.interval import Interval, point
from perfkit.formats.printed_text import number_of
from perfkit.formats.quantities import unit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row = dict[str, Any]


@dataclass(frozen=True)
class Number:
    """A value: exactly as printed or computed, what rounding allows, its unit, and how it reads.

    ``places`` are the printed numbers that it is, or is made of.
    """

    value: Fraction
    around: Interval
    unit: str | None
    text: str
    name: str
    places: frozenset[str] = field(default=frozenset(), compare=False)

    def to(self, unit: str | None) -> Number:
        """The same in another unit; AnalysisError where the two measure different things.

        A unit that is not known (None) on either side converts nothing.
        """
        if unit is None or self.unit is None or unit == self.unit:
            return self
        factor = factor_between(self.unit, unit)
        return replace(
            self, value=self.value * factor, around=self.around.scaled(factor), unit=unit
        )


def _measured(unit: str) -> tuple[str, Fraction] | None:
    """What a unit measures, and how much of the base unit it is."""
    if unit in {"1", "%"}:
        return "number", Fraction(1, 100 if unit == "%" else 1)
    found = unit_of(unit)
    return (found.kind, found.factor) if found and found.kind else None


def factor_between(unit: str, other: str) -> Fraction:
    """What a number in the first unit is multiplied with to be in the other; AnalysisError."""
    mine, theirs = map(_measured, (unit, other))
    if mine is None or theirs is None or mine[0] != theirs[0]:
        raise AnalysisError(f"{unit} and {other} cannot be compared")
    return mine[1] / theirs[1]


class Cells:
    """The cells of printed tables, found by reference."""

    def __init__(self, rows: Sequence[Row]):
        self.tables: dict[str, list[Row]] = {}
        for row in rows:
            self.tables.setdefault(row["table_id"], []).append(row)

    def table(self, table: str) -> list[Row]:
        """The cells of a table; AnalysisError where there is none of that id."""
        if table not in self.tables:
            raise AnalysisError(f"no table {table!r}; {did_you_mean(table, list(self.tables))}")
        return self.tables[table]

    def numbers_of_rows(self, table: str) -> list[int]:
        """The rows of a table."""
        return list(dict.fromkeys(cell["row"] for cell in self.table(table)))

    def cell(self, reference: str, within: tuple[str, int] | None = None) -> Row:
        """The cell of a reference; ``within`` is table and row of references to columns alone.

        Raises AnalysisError where there is none, or more than one.
        """
        parts = parts_of(reference)
        if len(parts) == 1 and within:
            table, number = within
            row = [cell for cell in self.table(table) if cell["row"] == number]
            return self._column(row, parts[0], reference)
        if len(parts) not in {2, 3}:
            raise AnalysisError(f"{reference!r} names no cell: 'table | row | column'")
        row = self._row(self.table(parts[0]), parts[1], reference)
        return self._column(row, parts[2] if len(parts) == 3 else None, reference)

    def _row(self, cells: list[Row], name: str, reference: str) -> list[Row]:
        if name.startswith("#") and name[1:].isdecimal():
            found = {int(name[1:])} & {cell["row"] for cell in cells}
        else:
            found = {cell["row"] for cell in cells if _same(cell["row_name"], name)}
        if len(found) != 1:
            names = [str(cell["row_name"]) for cell in cells if cell["column"] == 1]
            why = "several rows" if found else "no row"
            raise AnalysisError(f"{reference!r}: {why} {name!r}; {did_you_mean(name, names)}")
        return [cell for cell in cells if cell["row"] in found]

    def _column(self, row: list[Row], name: str | None, reference: str) -> Row:
        if name is None:
            found = [cell for cell in row if cell["column_key"] == "stated"]
            found = found or [cell for cell in row if cell["number"] and cell["column"] > 1]
        else:
            found = [c for c in row if _same(c["column_key"], name)]
            found = found or [c for c in row if _same(c["column_label"], name)]
        if len(found) != 1:
            keys = [str(cell["column_key"]) for cell in row]
            why = f"no column {name!r}" if name else "which column?"
            raise AnalysisError(f"{reference!r}: {why} {did_you_mean(str(name), keys)}")
        return found[0]


def number_in(cell: Row) -> Number | None:
    """The number of a cell; None where it holds none."""
    if cell["number"] is None:
        return None
    value = number_of(cell["number"])
    around = Interval(*(None if cell[k] is None else number_of(cell[k]) for k in ("low", "high")))
    place = place_key(cell["table_id"], cell["row"], cell["column"])
    return Number(value, around, cell["unit"], str(cell["text"]), name_of(cell), frozenset({place}))


def place_key(*parts: object) -> str:
    """The place of a printed number, by which it is counted once."""
    return ":".join(map(str, parts))


def places_of(numbers: Iterable[Number]) -> frozenset[str]:
    """The places of all numbers that one is made of."""
    return frozenset().union(*(number.places for number in numbers))


def name_of(cell: Row) -> str:
    """What a cell is called in a rule: its row."""
    return str(cell["row_name"] or f"row {cell['row']}")


def constant(value: float) -> Number:
    """A number of the relation itself: exact, without a unit."""
    exact = Fraction(str(value))
    return Number(exact, point(exact), None, f"{value:g}", f"{value:g}")


def _same(found: str | None, wanted: str) -> bool:
    return found is not None and " ".join(found.split()).lower() == " ".join(wanted.split()).lower()
