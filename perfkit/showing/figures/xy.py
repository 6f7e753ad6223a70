"""One quantity against another, a line a series: for sources whose rows are no load points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perfkit.core.errors import AbsentError
from perfkit.core.units import UNITS, Format, Printed
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures.canvas import (
    HEADROOM,
    HEIGHT_MM,
    Canvas,
    base_layout,
    escape,
    figure,
    room_for,
)
from perfkit.showing.figures.lines import SMALL_SIZE, name_lines
from perfkit.showing.figures.words import Words

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Axis:
    """An axis: its title without the unit, and how its values (SI base units) are printed."""

    title: str
    form: Format

    @property
    def heading(self) -> str:
        """The title with the unit in brackets."""
        if self.form.unit == "kIOPS":
            return f"{self.title} (thousands)"
        symbol = UNITS[self.form.unit].symbol
        return self.title if symbol in {"", "IOPS"} else f"{self.title} ({symbol})"

    @property
    def scale(self) -> float:
        """SI base units in one unit of the axis."""
        return UNITS[self.form.unit].si


@dataclass(frozen=True)
class Limit:
    """A dashed line over the whole width, with its words: "limit 45 s"."""

    value: float
    text: str


def lines_chart(
    series: Mapping[str, Points],
    x: Axis,
    y: Axis,
    *,
    value_id: str,
    caption: str,
    limit: Limit | None = None,
    bands: Mapping[str, tuple[float, float]] | None = None,
    dashes: bool = False,
    markers: bool = True,
    from_zero: bool = True,
) -> Figure:
    """Lines through points in the order given, each with its name at its end.

    Args:
        series: Name -> points in SI base units; a series without points is refused.
        x: The horizontal axis.
        y: The vertical axis, from 0.
        value_id: The figure's id.
        caption: Its caption.
        limit: A limit of y, drawn as a dashed line.
        bands: Name of a series -> the lowest and highest y of a band in its colour.
        dashes: Lines differ by their dashes too.
        markers: Points have marks; without, only the lines are drawn.
        from_zero: The horizontal axis begins at 0, else a little below the first point.

    Raises:
        AnalysisError: Nothing to draw.
    """
    if not series or not all(series.values()):
        empty = ", ".join(name for name, points in series.items() if not points) or "no series"
        raise AbsentError(f"nothing to draw: {empty} has no point")
    traces = [
        _trace(index, name, points, x, y, dashes=dashes, markers=markers)
        for index, (name, points) in enumerate(series.items())
    ]
    top = max(max(trace["y"]) for trace in traces) * HEADROOM or 1.0
    if limit:
        top = max(top, limit.value / y.scale * HEADROOM)
    ends = [(name, t["x"][-1]) for name, t in zip(series, traces, strict=True)]
    right = max(max(trace["x"]) for trace in traces)
    left = 0.0 if from_zero else _left([value for trace in traces for value in trace["x"]])
    shifted = [(name, at - left) for name, at in ends] if len(ends) > 1 else []
    x_max = left + (room_for(shifted, right - left) or 1.0)
    canvas = Canvas(x_min=left, x_max=x_max, y_max=top)
    for trace in traces:
        canvas.mark(trace["x"], trace["y"])
    layout = base_layout(x.heading, y.heading, canvas)
    layout["shapes"], layout["annotations"] = _limit(canvas, limit, y.scale)
    layout["shapes"] += _bands(bands or {}, list(series), y.scale)
    layout["annotations"] += name_lines(canvas, list(series), traces)
    words = Words()
    alt = _alt(words, series, x, y, limit)
    return Figure(check_id(value_id), figure(traces, layout), caption, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


def _trace(
    index: int, name: str, points: Points, x: Axis, y: Axis, *, dashes: bool, markers: bool
) -> dict[str, Any]:
    look = style.series(index)
    line: dict[str, Any] = {"color": look["color"], "width": 2}
    if dashes:
        line["dash"] = style.DASHES[index % len(style.DASHES)]
    return {
        "type": "scatter", "mode": "lines+markers" if markers else "lines", "name": escape(name),
        "x": [point[0] / x.scale for point in points],
        "y": [point[1] / y.scale for point in points],
        "line": line,
        "marker": {"color": look["color"], "symbol": look["symbol"], "size": 7},
        "hovertemplate": f"{escape(name)}<br>%{{x:,.6~g}}, %{{y:,.4~g}}<extra></extra>",
    }  # fmt: skip


def _limit(canvas: Canvas, limit: Limit | None, scale: float) -> tuple[list[Any], list[Any]]:
    if limit is None:
        return [], []
    at = limit.value / scale
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": at, "y1": at,
            "line": style.LIMIT_LINE, "layer": "above"}  # fmt: skip
    width = canvas.x_max - canvas.x_min
    label = canvas.place(limit.text, canvas.x_min + 0.005 * width, at, places=("above right",),
                         size=SMALL_SIZE, color=style.MUTED)  # fmt: skip
    canvas.mark([canvas.x_min, canvas.x_max], [at, at], radius=2)
    return [line], [label]


def _left(values: Sequence[float]) -> float:
    """A little below the first point."""
    return max(0.0, min(values) - _BEFORE * (max(values) - min(values)))


_BEFORE = 0.04
_BAND_OPACITY = 0.12


def _bands(bands: Mapping[str, tuple[float, float]], names: list[str], scale: float) -> list[Any]:
    return [
        {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": low / scale, "y1": high / scale,
         "fillcolor": style.series(names.index(name))["color"], "opacity": _BAND_OPACITY,
         "line": {"width": 0}, "layer": "below"}
        for name, (low, high) in bands.items()
    ]  # fmt: skip


def _alt(words: Words, series: Mapping[str, Points], x: Axis, y: Axis, limit: Limit | None) -> str:
    said = [f"Line chart of {_lower(y.title)} against {_lower(x.title)}."]
    for name, points in series.items():
        first, last = points[0], points[-1]
        begin = f"{_kept(words, y, first[1])} at {_kept(words, x, first[0])}"
        if len(points) == 1:
            said.append(f"{name}: one point, {begin}.")
            continue
        end = f"{_kept(words, y, last[1])} at {_kept(words, x, last[0])}"
        low, high = min(p[1] for p in points), max(p[1] for p in points)
        span = f"between {_kept(words, y, low)} and {_kept(words, y, high)}"
        count = words.many(len(points), "point", "points")
        said.append(f"{name}: {count}, from {begin} to {end}, {span}.")
    if limit:
        said.append(f"A dashed line marks the {limit.text}.")
    return " ".join(said)


def _kept(words: Words, axis: Axis, value: float) -> str:
    shown: Printed = axis.form.show(value)
    return words.keep(shown)


def _lower(title: str) -> str:
    """A title inside a sentence; words such as IOPS keep their capitals."""
    first = title.split(" ", maxsplit=1)[0]
    return title if first.isupper() else title[:1].lower() + title[1:]
