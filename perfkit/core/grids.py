"""Of a load of two numbers (iodepth and jobs): which is raised along a curve, and which is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfkit.core.schema import Row

Pair = tuple[float, float]
"""The two numbers of a load, in the order of the source's ``grid``."""


def pair_of(
    grid: Sequence[str], kind: str | None, load: float | None, held: float | None
) -> Pair | None:
    """Both numbers of a load that states one of them, or both; None of any other load."""
    if kind not in grid or load is None:
        return None
    other = 1.0 if held is None else held
    return (load, other) if kind == grid[0] else (other, load)


def raised(grid: Sequence[str], pairs: Sequence[Pair]) -> list[Row] | None:
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
