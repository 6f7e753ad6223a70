"""Cells that two tables both hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from perfkit.auditing.relations.found.check import Check, cell_check, place_of, same
from perfkit.auditing.relations.found.grid import Cell, Grid, Record
from perfkit.auditing.relations.run import FAILS

LEAST = 3
MOST_TABLES = 200


def twins(grids: Sequence[Grid]) -> Iterator[Check]:
    """Cells of the same row and column in two tables, where most of those agree."""
    known = [(grid, _by_name(grid)) for grid in grids[:MOST_TABLES]]
    for number, (grid, cells) in enumerate(known):
        for other, theirs in known[:number]:
            common = [key for key in cells if key in theirs]
            if len(common) >= LEAST:
                yield from _compared(grid, other, [(cells[k], theirs[k]) for k in common])


def _by_name(grid: Grid) -> dict[tuple[str, str], Cell]:
    found: dict[tuple[str, str], Cell] = {}
    double = set()
    for row in grid.rows:
        for head, cell in zip(grid.heads[1:], row[1:], strict=True):
            # a bare number names no row: two runs are two runs
            if cell.number is None or not row[0].text or row[0].number is not None:
                continue
            key = (" ".join(row[0].text.lower().split()), " ".join(head.lower().split()))
            if key in found:
                double.add(key)
            found[key] = cell
    return {key: cell for key, cell in found.items() if key not in double}


def _compared(grid: Grid, other: Grid, pairs: list[tuple[Cell, Cell]]) -> Iterator[Check]:
    made = []
    for cell, first in pairs:
        if first.number is None or cell.number is None or first.unit != cell.unit:
            continue
        name = f"Stated in {place_of(other, first)} (line {first.line})"
        found = cell_check(grid, Record("", (cell,)), cell, "stated_twice", name, first.number)
        made.append(replace(found, outcome=same(cell.number, first.number)))
    held = sum(check.outcome != FAILS for check in made)
    if len(made) >= LEAST and 5 * held >= 3 * len(made):
        yield from made
