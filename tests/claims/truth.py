"""What is true of load points, by the plainest arithmetic there is: a reader's pocket calculator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claims.curves import Point


@dataclass(frozen=True)
class Mean:
    """A load point over its repeats; None where a repeat lacks the value."""

    load: float
    iops: float | None
    lat: float | None
    repeats: int


def curve(points: Sequence[Point], system: str) -> list[Mean]:
    """The curve of one system: arithmetic means over its repeats, in order of load."""
    own = [point for point in points if point.system == system]
    return [
        Mean(load, mean([p.iops for p in at]), mean([p.lat for p in at]), len(at))
        for load in sorted({point.load for point in own})
        for at in [[p for p in own if p.load == load]]
    ]


def mean(values: Sequence[float | None]) -> float | None:
    """The arithmetic mean; None where a value is missing."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def same(value: float, other: float) -> bool:
    """Whether two numbers are equal but for rounding: nothing that is printed tells them apart."""
    return math.isclose(value, other, rel_tol=1e-11)


def keeps(value: float, limit: float) -> bool:
    """Whether a value is at or under a limit."""
    return value <= limit or same(value, limit)


def crossings(points: Sequence[Mean], given: str, at: float, wanted: str) -> list[float]:
    """Every value of ``wanted`` at which the broken line through the points has ``given`` = at.

    Both must be known at every point.
    """
    xs = [getattr(point, given) for point in points]
    ys = [getattr(point, wanted) for point in points]
    found = [y for x, y in zip(xs, ys, strict=True) if same(x, at)]
    for (x0, y0), (x1, y1) in zip(
        zip(xs, ys, strict=True), zip(xs[1:], ys[1:], strict=True), strict=False
    ):
        if min(x0, x1) < at < max(x0, x1) and not (same(x0, at) or same(x1, at)):
            found.append(y0 + (at - x0) / (x1 - x0) * (y1 - y0))
    return found


def whole(points: Sequence[Mean]) -> bool:
    """Whether every load point has IOPS above 0 and a latency."""
    return all(point.iops and point.lat is not None for point in points)


def best_within(points: Sequence[Mean], limit: float) -> Mean | None:
    """The load point of the most IOPS among those at or under a mean latency; None for none."""
    inside = [p for p in points if p.lat is not None and keeps(p.lat, limit) and p.iops is not None]
    return max(inside, key=lambda p: p.iops or 0.0, default=None)
