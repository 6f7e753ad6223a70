"""A line over time as a small drawing (SVG): its runs, what is expected of them, and the limits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from perfkit.core.plain_text import as_html

if TYPE_CHECKING:
    from perfkit.scheduling.trends import Line, Point

WIDTH, HEIGHT, ROOM = 240.0, 48.0, 4.0
"""Of the drawing, in units of its own, and what is left free at each side."""


def drawing(line: Line, name: str) -> str:
    """The line as an ``svg`` element; ``name`` makes the ids of its title and words unique."""
    at = _Places(line.points)
    shapes = [*_bands(line.points, at), *_shifts(line.points, at), _runs(line.points, at)]
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" preserveAspectRatio="none" '
        f'aria-labelledby="{name}-title {name}-desc"><title id="{name}-title">'
        f'{as_html(line.name)}</title><desc id="{name}-desc">{as_html(_words(line))}</desc>'
        f"{''.join(shapes)}</svg>"
    )


def _words(line: Line) -> str:
    first, last = (_day(point) for point in (line.points[0], line.points[-1]))
    outside = sum(point.outside for point in line.points)
    limits = f" Its limits are {line.limits}; {outside} lie outside." if line.limits else ""
    count = len(line.points)
    runs = "1 run" if count == 1 else f"{count} runs, {first} to {last}"
    return f"{runs}. The last gave {line.last}.{limits} {line.said}"


def _day(point: Point) -> str:
    return point.time[:10]


class _Places:
    """Where times and values stand: the first run left, the lowest value or limit at the foot."""

    def __init__(self, points: Sequence[Point]):
        times = [_seconds(point) for point in points]
        ends = [(point.value, point.expected, point.lower, point.upper) for point in points]
        values = [value for four in ends for value in four if value is not None]
        self._begin, self._end = times[0], times[-1]
        self._low, self._high = min(values), max(values)

    def x(self, point: Point) -> str:
        """Across, by its time; a single run stands in the middle."""
        return _placed(_seconds(point), self._begin, self._end, WIDTH)

    def y(self, value: float) -> str:
        """Down from the top."""
        return _placed(-value, -self._high, -self._low, HEIGHT)


def _seconds(point: Point) -> float:
    return dt.datetime.fromisoformat(point.time).replace(tzinfo=dt.UTC).timestamp()


def _placed(value: float, begin: float, end: float, size: float) -> str:
    share = (value - begin) / (end - begin) if end > begin else 0.5
    return f"{ROOM + share * (size - 2 * ROOM):.1f}"


def _bands(points: Sequence[Point], at: _Places) -> list[str]:
    """The limits and the expected value of each level."""
    found = []
    for part in _levels(points):
        band = [(point, point.lower, point.upper) for point in part]
        upper = [f"{at.x(point)},{at.y(high)}" for point, _, high in band if high is not None]
        lower = [f"{at.x(point)},{at.y(low)}" for point, low, _ in band if low is not None]
        if upper:
            found.append(f'<polygon class="limits" points="{" ".join([*upper, *lower[::-1]])}"/>')
        expected = " ".join(f"{at.x(point)},{at.y(point.expected)}" for point in part)
        found.append(f'<polyline class="expected" points="{expected}"/>')
    return found


def _levels(points: Sequence[Point]) -> list[list[Point]]:
    level = 0
    numbered = []
    for point in points:
        level += point.shift
        numbered.append((level, point))
    return [[point for _, point in part] for _, part in groupby(numbered, key=lambda item: item[0])]


def _shifts(points: Sequence[Point], at: _Places) -> list[str]:
    return [
        f'<line class="shift" x1="{at.x(point)}" x2="{at.x(point)}" y1="0" y2="{HEIGHT:g}"/>'
        for point in points
        if point.shift
    ]


def _runs(points: Sequence[Point], at: _Places) -> str:
    """The runs as a line; those outside of the limits and the last one as dots.

    A dot is a line of no length with round ends: it stays round when the drawing is stretched.
    """
    path = " ".join(f"{at.x(point)},{at.y(point.value)}" for point in points)
    dots = "".join(
        f'<path class="{"outside" if point.outside else "last"}" '
        f'd="M{at.x(point)},{at.y(point.value)}h0"/>'
        for point in points
        if point.outside or point is points[-1]
    )
    return f'<polyline class="runs" points="{path}"/>{dots}'
