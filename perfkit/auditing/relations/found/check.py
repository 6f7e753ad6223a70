"""A relation that was found and checked: a value, with its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from perfkit.auditing.relations.cells import place_key
from perfkit.auditing.relations.interval import point
from perfkit.auditing.relations.run import FAILS, HOLDS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.relations.cells import Number
    from perfkit.auditing.relations.found.grid import Cell, Grid, Record


@dataclass(frozen=True)
class Check:
    """One relation: what is printed where, what it should be, and how that was found."""

    kind: str
    name: str
    line: int
    place: str
    printed: str
    rule: str
    outcome: str
    claim: Number | None = None
    result: Number | None = None
    decimals: int = 0
    table: str | None = None
    row: int | None = None
    column: int | None = None
    recomputed: str | None = None
    note: str | None = None

    @property
    def places(self) -> frozenset[str]:
        """The printed numbers that took part, as far as the rule kept them: at least these."""
        kept = [item.places for item in (self.claim, self.result) if item is not None]
        own = {place_key(self.table, self.row, self.column)} if self.row is not None else set()
        return frozenset(own).union(*kept)

    def noted(self, note: str) -> Check:
        """The same with a remark."""
        return replace(self, note=note)


def judged(claim: Number, result: Number) -> str:
    """Whether a recomputed value is the printed one, exactly or by the inputs' rounding."""
    if claim.around.meets(point(result.value)):
        return HOLDS
    return ROUNDING if result.around.meets(claim.around) else FAILS


def same(claim: Number, other: Number) -> str:
    """Whether two printed numbers state one quantity; those that only touch are two."""
    if claim.value == other.value:
        return HOLDS
    return ROUNDING if claim.around.overlaps(other.around) else FAILS


def cell_check(
    grid: Grid, record: Record, cell: Cell, kind: str, name: str, result: Number
) -> Check:
    """A cell against what it should be."""
    claim = cell.number
    assert claim is not None  # noqa: S101 - rules ask for numbers
    return Check(
        kind,
        name,
        cell.line,
        place_of(grid, cell),
        cell.text,
        result.text,
        judged(claim, result),
        claim,
        result,
        cell.decimals,
        grid.name,
        cell.row,
        cell.column,
    )


def place_of(grid: Grid, cell: Cell) -> str:
    """Table, row and column of a cell, in the document's words."""
    row = grid.rows[cell.row - 1][0].text or f"row {cell.row}"
    column = grid.heads[cell.column - 1] or f"column {cell.column}"
    name = f"row {cell.row} ({row})" if row[:1].isdigit() else row
    return f"{grid.called}, {name}, {column}"


def far(claim: Number, result: Number, most: Fraction) -> bool:
    """Whether two numbers are so different that they may not mean the same."""
    size = max(abs(claim.value), abs(result.value))
    return size > 0 and abs(claim.value - result.value) > most * size


def slipped(claim: Number, result: Number) -> bool:
    """Whether one is the other with its point or its sign misplaced."""
    if not claim.value or not result.value:
        return False
    ratio = abs(claim.value / result.value)
    return any(
        abs(ratio / (Fraction(10) ** n) - 1) < Fraction(1, 50) for n in (-3, -2, -1, 1, 2, 3)
    )
