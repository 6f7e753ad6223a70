"""Where two curves cross: beyond that place another one is ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perfkit.analysis.compare.sides import Curve
    from perfkit.core.schema import Row

SAME = 0.01
"""Latencies, or IOPS, that differ by less than this share do not tell who is ahead.

Both count: on a plateau a little noise of the IOPS is a large difference of the latency.
"""


def crosses_at(first: Curve, other: Curve, metric: str) -> list[float]:
    """The IOPS at which the two curves' latencies cross, in order; empty where one stays ahead.

    Each curve is the one that is drawn, linear between load points, over the IOPS that both
    reached. Where they are within 1% of each other, upwards or sideways, none is ahead, so that
    curves which only touch do not cross.
    """
    import numpy as np

    lines = [_line(curve.series.points, metric) for curve in (first, other)]
    if lines[0] is None or lines[1] is None:
        return []
    (xs, ys), (other_xs, other_ys) = lines[0], lines[1]
    low, high = max(xs[0], other_xs[0]), min(xs[-1], other_xs[-1])
    if not low < high:
        return []
    grid = sorted({low, high, *(x for x in (*xs, *other_xs) if low < x < high)})
    one = np.log(np.interp(grid, xs, ys))
    two = np.log(np.interp(grid, other_xs, other_ys))
    sideways = np.maximum(_sideways(grid, one, two), _sideways(grid, two, one))
    gaps = np.where(sideways < SAME, 0.0, two - one)
    return _changes(grid, gaps.tolist())


def _sideways(grid: Sequence[float], one: Any, two: Any) -> Any:
    """How far the other curve's IOPS are from each point's at its latency, as a logarithm."""
    import numpy as np

    there = np.interp(one, np.maximum.accumulate(two), grid)
    return np.abs(np.log(there / np.asarray(grid)))


def _line(rows: Sequence[Row], metric: str) -> tuple[list[float], list[float]] | None:
    """IOPS and latency of the load points at which the IOPS rose, where both are known."""
    xs: list[float] = []
    ys: list[float] = []
    for row in rows:
        x, y = row["iops"], row[metric]
        if x is None or y is None or y <= 0:
            return None
        if x > 0 and (not xs or x > xs[-1]):
            xs.append(x)
            ys.append(y)
    return (xs, ys) if xs else None


def _changes(grid: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Where the gap changes its sign, between the last clear value and the next."""
    found = []
    last: tuple[float, float] | None = None
    for x, gap in zip(grid, gaps, strict=True):
        if abs(gap) < SAME:
            continue
        if last is not None and (gap > 0) != (last[1] > 0):
            share = last[1] / (last[1] - gap)
            found.append(float(last[0] + share * (x - last[0])))
        last = (x, gap)
    return found
