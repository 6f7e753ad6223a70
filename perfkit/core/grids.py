"""Of a load of two numbers (iodepth and jobs): which is raised along a curve, and which is held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perfkit.core.schema import Row

Grid = tuple[str, str]
"""What the two numbers of a load are of: ("iodepth", "numjobs")."""

Pair = tuple[float, float]
"""The two numbers of a load, in the order of its grid."""


def grid_of(grids: Sequence[Grid], load: Mapping[str, Any]) -> tuple[Grid, Pair] | None:
    """The grid of a load and both its numbers, of which it states one or both; None of any other.

    Args:
        grids: Those of the source; the first that fits counts.
        load: Columns of ``load_points``: ``load_kind``, ``load``, ``held_kind``, ``held``.
    """
    kind, value, held_kind, held = (
        load.get(name) for name in ("load_kind", "load", "held_kind", "held")
    )
    for grid in grids:
        if value is not None and kind in grid and held_kind in {None, *grid}:
            other = 1.0 if held is None else held
            return grid, ((value, other) if kind == grid[0] else (other, value))
    return None


def raised(grid: Grid, pairs: Sequence[Pair]) -> list[Row] | None:
    """The load of each pair, as columns of ``load_points``; None where they stay as they are.

    Where the pairs differ in both numbers, the first is raised and the second held: a grid is a
    curve for each value of the second. Where they differ in one, that is the load, and the other is
    held unless it is 1. Two sweeps that meet at 1 and 1 are not a grid, and a single load none
    either.
    """
    firsts, seconds = ({pair[place] for pair in pairs} for place in (0, 1))
    both = len(firsts) > 1 and len(seconds) > 1
    if len(firsts) == len(seconds) == 1 or (both and not any(min(pair) > 1 for pair in pairs)):
        return None
    place = 0 if len(firsts) > 1 else 1
    other = 1 - place
    return [
        {
            "load_kind": grid[place],
            "load": pair[place],
            "held_kind": grid[other] if both or pair[other] != 1 else None,
            "held": pair[other] if both or pair[other] != 1 else None,
        }
        for pair in pairs
    ]
