"""What stands in a panel of lines: the lines, their limit, and the words beside them.

The words are put where nothing lies below them; one that finds no free place is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.showing import style
from perfkit.showing.figures import hover
from perfkit.showing.figures.canvas import GAP_PX, LIFTS, Canvas, Data, Plotly, escape

if TYPE_CHECKING:
    from perfkit.showing.figures.scales import Scale

LABEL_PX = 12
SMALL_PX = 11


@dataclass(frozen=True)
class Line:
    """A line with what is drawn beneath it (its interval) and over it (its marks).

    ``trace`` carries the whole name, ``name`` is its name in its panel; none needs none.
    """

    trace: Plotly
    name: str = ""
    panel: str = ""
    under: tuple[Plotly, ...] = ()
    over: tuple[Plotly, ...] = ()

    @property
    def traces(self) -> tuple[Plotly, ...]:
        """All that is drawn of it."""
        return (*self.under, self.trace, *self.over)


@dataclass(frozen=True)
class Limit:
    """A dashed line over the whole width: its value in the unit of the axis, and "limit 45 s"."""

    value: float
    text: str


MARKED = 90
"""Values of a line over time up to which each has a mark."""


def line_trace(
    index: int,
    name: str,
    xs: Sequence[float | None],
    ys: Sequence[float | None],
    units: tuple[str, str],
    *,
    marked: bool = True,
    dashed: bool = True,
    width: float = 1.5,
    size: float = 5,
) -> Plotly:
    """Line number ``index`` of a chart, in the units of its axes, with its whole name.

    Args:
        index: Which of the looks it has (``style.series``).
        name: What it is called under the pointer.
        xs: Its places along x.
        ys: Its values; None: a gap.
        units: The symbols of both units, for the numbers under the pointer.
        marked: Whether each value has a mark.
        dashed: Whether it has a dash of its own, so that several differ in grey print.
        width: Of the line, in pixels.
        size: Of a mark, in pixels.
    """
    look, shown = style.series(index), escape(name)
    x, y = map(hover.unit, units)
    return {
        "type": "scatter",
        "mode": "lines+markers" if marked else "lines",
        "name": shown,
        "x": xs,
        "y": ys,
        "line": {"color": look["color"], "width": width, "dash": look["dash"] if dashed else None},
        "marker": {"color": look["color"], "symbol": look["symbol"], "size": size},
        "hovertemplate": f"{shown}<br>%{{x:,.6~g}}{x}, %{{y:,.4~g}}{y}<extra></extra>",
    }


def values_of(trace: Plotly, axis: str) -> Iterator[float]:
    """The values of a trace along an axis, with the ends of their interval bars."""
    bars = trace.get(f"error_{axis}")
    for i, value in enumerate(trace[axis]):
        if value is None:
            continue
        yield value
        if bars:
            yield value + (bars["array"][i] or 0.0)
            yield value - (bars["arrayminus"][i] or 0.0)


def known(lines: Sequence[Line], scale: Scale, axis: str) -> list[float]:
    """The values of lines, and of what is drawn with them, along an axis that can show them."""
    return [v for line in lines for trace in line.traces for v in above_floor(trace, axis, scale)]


def above_floor(trace: Plotly, axis: str, scale: Scale) -> Iterator[float]:
    """The values of a trace that its axis can show."""
    return (value for value in values_of(trace, axis) if not scale.log or value > 0)


def mark(canvas: Canvas, trace: Plotly, x: Scale, y: Scale) -> None:
    """Keep labels off a line or its marks, and off its interval bars."""
    if trace.get("fill"):
        return
    places = [
        None if a is None or b is None or (y.log and b <= 0) else (x.at(a), y.at(b))
        for a, b in zip(trace["x"], trace["y"], strict=True)
    ]
    radius = 5 if "lines+markers" in trace["mode"] else 3
    for part in _runs(places) if "lines" in trace["mode"] else [[p] for p in places if p]:
        canvas.mark([p[0] for p in part], [p[1] for p in part], radius)
    for axis, scale, cross in (("x", x, y), ("y", y, x)):
        bars = trace.get(f"error_{axis}")
        if not bars:
            continue
        other = "y" if axis == "x" else "x"
        for value, beside, up, down in zip(
            trace[axis], trace[other], bars["array"], bars["arrayminus"], strict=True
        ):
            if value is None or beside is None or not (up or down):
                continue
            floor = value - down
            ends = [
                scale.at(floor) if floor > 0 or not scale.log else scale.at(value),
                scale.at(value + up),
            ]
            across = [cross.at(beside)] * 2
            canvas.mark(*((ends, across) if axis == "x" else (across, ends)), radius=2)


def _runs(places: Sequence[tuple[float, float] | None]) -> Iterator[list[tuple[float, float]]]:
    run: list[tuple[float, float]] = []
    for place in [*places, None]:
        if place is not None:
            run.append(place)
        elif run:
            yield run
            run = []


_ALONG = (0.005, 0.25, 0.5, 0.75, 0.995)


def limit_label(canvas: Canvas, limit: Limit, y: Scale, *, drawn: bool) -> Plotly | None:
    """The words of a limit at its line, where nothing lies below them."""
    low, width = canvas.x_min, canvas.x_max - canvas.x_min
    above = y.at(limit.value) > canvas.y_max
    text = limit.text if drawn else f"{limit.text} lies {'above' if above else 'below'}"
    at = y.at(limit.value) if drawn else canvas.y_max if above else canvas.y_min
    if drawn:
        canvas.mark([low, canvas.x_max], [at, at], radius=1)
    sides = ("above", "below") if drawn else ("below",) if above else ("above",)
    for side in sides:
        for share in _ALONG:
            place = f"{side} {'right' if share < 0.5 else 'left'}"
            label = canvas.label(
                text, low + share * width, at, places=(place,), size=SMALL_PX, color=style.MUTED
            )
            if label:
                return label
    return None


_SIDES = ("right", "above left", "left", "below right", "above", "below")


def name_labels(
    canvas: Canvas, lines: Sequence[Line], x: Scale, y: Scale
) -> Sequence[Plotly | None]:
    """A label at the end of each line, in its colour; None where one finds no room."""
    ends = []
    for line in lines:
        last = max(
            i
            for i, value in enumerate(line.trace["y"])
            if value is not None and line.trace["x"][i] is not None
        )
        at = x.at(line.trace["x"][last]), line.trace["y"][last]
        ends.append((line.name, at[0], y.at(at[1]), line.trace["line"]["color"]))
    if len({at for _, at, *_ in ends}) == 1 and len(ends) > 1:
        reach = max(max(map(x.at, above_floor(line.trace, "x", x))) for line in lines)
        whisker = canvas.pixel(reach, 0)[0] - canvas.pixel(ends[0][1], 0)[0]
        return canvas.stack(ends, max(0.0, whisker) + GAP_PX) or [None]
    return [
        canvas.label(
            name, at, height, size=LABEL_PX, bold=True, color=color, places=_SIDES, lifts=LIFTS[:5]
        )
        if name
        else {}
        for name, at, height, color in ends
    ]


def load_labels(
    canvas: Canvas, loads: Sequence[tuple[str, float, float]], x: Scale, y: Scale
) -> Data:
    """The load beside each point of a single curve, where there is room."""
    return [
        label
        for text, a, b in loads
        if (
            label := canvas.label(
                text, x.at(a), y.at(b), size=SMALL_PX, color=style.MUTED, places=_AROUND
            )
        )
    ]


_AROUND = ("above left", "above", "above right", "below right", "below", "below left", "left",
           "right")  # fmt: skip
