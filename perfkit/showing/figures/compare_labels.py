"""Numbers beside the marks of a chart of changes, clear of the marks and of each other."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perfkit.showing.figures.canvas import Box, Canvas

MARK_PX = 5
CAP_PX = 6
"""Half the width of a whisker's cap."""

SIZE_PX = 11


@dataclass(frozen=True)
class Mark:
    """One mark: its place, how far its whiskers go, its number and colour."""

    x: float
    y: float
    low: float
    high: float
    text: str
    color: str


_TYPICAL = 3.0


def within(marks: Sequence[Mark]) -> tuple[list[Mark], list[dict[str, Any]]]:
    """The marks with whiskers that leave the others readable, and an arrow for each that is cut.

    A whisker is cut where it is longer than the marks lie apart, and than three typical ones.
    """
    ends = ((mark.high - mark.y, mark.y - mark.low) for mark in marks)
    reaches = [reach for both in ends for reach in both if reach > 0] or [0.0]
    ys = [0.0, *(mark.y for mark in marks)]
    most = max(max(ys) - min(ys), _TYPICAL * statistics.median(reaches))
    kept = [
        replace(mark, low=max(mark.low, mark.y - most), high=min(mark.high, mark.y + most))
        for mark in marks
    ]
    arrows = [
        _arrow(mark, end, up=up)
        for mark, cut in zip(marks, kept, strict=True)
        for end, whole, up in ((cut.high, mark.high, True), (cut.low, mark.low, False))
        if end != whole
    ]
    return kept, arrows


def _arrow(mark: Mark, end: float, *, up: bool) -> dict[str, Any]:
    return {
        "x": mark.x, "y": end, "ax": 0, "ay": 12 if up else -12, "text": "", "showarrow": True,
        "arrowhead": 2, "arrowwidth": 1.5, "arrowcolor": mark.color,
    }  # fmt: skip


_Place = tuple[str, Callable[[Mark], float]]
_BESIDE: _Place = ("right", lambda mark: mark.y)
_ABOVE: _Place = ("above", lambda mark: mark.high)
_BELOW: _Place = ("below", lambda mark: mark.low)
_ANYWHERE: tuple[_Place, ...] = (
    _BESIDE, _ABOVE, _BELOW, ("left", lambda mark: mark.y),
    ("above right", lambda mark: mark.high), ("below right", lambda mark: mark.low),
    ("above left", lambda mark: mark.high), ("below left", lambda mark: mark.low),
)  # fmt: skip
_LIFTS = (0, 1, -1)


def numbers(marks: Sequence[Mark], canvas: Canvas) -> list[dict[str, Any]]:
    """An annotation for each mark that has room for one; the canvas remembers what is taken.

    All stand on the same side of their marks where that is free for all; otherwise each takes the
    first free place, and one that finds none is left out: the table and the hover text have it.
    """
    for mark in marks:
        _take(canvas, mark)
    _, zero = canvas.pixel(canvas.x_min, 0.0)
    canvas.take(Box(0, zero - 1, canvas.width, zero + 1))
    before = set(canvas.taken)
    for place in (_BESIDE, _ABOVE, _BELOW):
        found = [_label(canvas, mark, (place,), (0,)) for mark in marks]
        if None not in found:
            return [note for note in found if note]
        canvas.taken = set(before)
    return [note for mark in marks if (note := _label(canvas, mark, _ANYWHERE, _LIFTS))]


def _take(canvas: Canvas, mark: Mark) -> None:
    canvas.mark([mark.x], [mark.y], radius=MARK_PX)
    left, bottom = canvas.pixel(mark.x, mark.low)
    _, top = canvas.pixel(mark.x, mark.high)
    if mark.high > mark.low:
        canvas.take(Box(left - CAP_PX, bottom - 1, left + CAP_PX, top + 1))


def _label(
    canvas: Canvas, mark: Mark, places: Sequence[_Place], lifts: Sequence[int]
) -> dict[str, Any] | None:
    for lift in lifts:
        for name, of in places:
            note = canvas.label(
                mark.text, mark.x, of(mark), places=(name,), size=SIZE_PX, color=mark.color,
                lifts=(lift,),
            )  # fmt: skip
            if note:
                return note
    return None
