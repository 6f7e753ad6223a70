"""One quantity against another, a line a series: for sources whose rows are not load points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from perfkit.core.errors import AbsentError
from perfkit.core.units import UNITS, Format, Printed
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import line_chart, panels
from perfkit.showing.figures.canvas import Plotly
from perfkit.showing.figures.panel_lines import Limit, Line, line_trace
from perfkit.showing.figures.scales import Scale, wide
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
        return self.title if self.symbol in {"", "IOPS"} else f"{self.title} ({self.symbol})"

    @property
    def symbol(self) -> str:
        """The symbol of its unit."""
        return "IOPS" if self.rate else UNITS[self.form.unit].symbol

    @property
    def rate(self) -> bool:
        """Whether its values are IOPS, which are drawn in ones whatever they are printed in."""
        return self.form.unit in {"IOPS", "kIOPS", "MIOPS"}

    @property
    def time(self) -> bool:
        """Whether its values are times, which may cross orders of magnitude."""
        return UNITS[self.form.unit].quantity == "time"

    @property
    def whole(self) -> bool:
        """Whether its values are counts."""
        return self.form == Format("1", decimals=0)

    @property
    def scale(self) -> float:
        """SI base units in one unit of the axis."""
        return 1.0 if self.rate else UNITS[self.form.unit].si


def lines_chart(
    series: Mapping[str, Points],
    x: Axis,
    y: Axis,
    *,
    value_id: str,
    caption: str,
    limit: Limit | None = None,
    bands: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    markers: bool = True,
    from_zero: bool = True,
    names: Mapping[str, panels.Name] = MappingProxyType({}),
    apart: int | None = None,
) -> Figure:
    """Lines through points in the order given, each with its name; many are parted into panels.

    Args:
        series: Name -> points in SI base units; a series without points is refused.
        x: The horizontal axis.
        y: The vertical axis, from 0; logarithmic where the values cross orders of magnitude.
        value_id: The figure's id.
        caption: Its caption.
        limit: A limit of y in SI base units, drawn as a dashed line.
        bands: Name of a series -> the lowest and highest y of a band in its colour.
        markers: Points have marks; without, only the lines are drawn.
        from_zero: The horizontal axis begins at 0, else a little below the first point.
        names: Name of a series -> its parts, by which panels are made (``panels.places``).
        apart: Which of the parts has panels of its own.

    Raises:
        AbsentError: Nothing to draw, or more lines than a page has room for.
    """
    if not series or not all(series.values()):
        empty = ", ".join(name for name, points in series.items() if not points) or "no series"
        raise AbsentError(f"nothing to draw: {empty} has no point")
    parts = [names.get(name, (name,)) for name in series]
    places = panels.places(parts, apart)
    several = len(series) > 1
    lines = [
        Line(
            line_trace(
                place.look,
                name,
                [point[0] / x.scale for point in points],
                [point[1] / y.scale for point in points],
                (x.symbol, y.symbol),
                marked=markers,
                dashed=several,
                width=2,
                size=7,
            ),
            place.name if several else "",
            place.panel,
            under=(_band(bands[name], place.look, points, (x, y)),) if name in bands else (),
        )
        for place, (name, points) in zip(places, series.items(), strict=True)
    ]
    values = [value for points in series.values() for _, value in points]
    chart = line_chart.draw(
        lines,
        Scale(x.heading, rate=x.rate, low=0.0 if from_zero else None, whole=x.whole),
        Scale(y.heading, rate=y.rate, log=y.time and wide(values), time=y.time, whole=y.whole),
        limit=limit and Limit(limit.value / y.scale, limit.text),
    )
    words = Words()
    alt = _alt(words, series, x, y, limit)
    return chart.figure(value_id, caption, alt, words.printed)


_BAND_COVER = 0.12


def _band(ends: tuple[float, float], index: int, points: Points, axes: tuple[Axis, Axis]) -> Plotly:
    """An area in the colour of a line, from its first point to its last."""
    x, y = axes
    left, right = (pick(point[0] for point in points) / x.scale for pick in (min, max))
    low, high = (end / y.scale for end in ends)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "band",
        "hoverinfo": "skip",
        "x": [left, right, right, left],
        "y": [low, low, high, high],
        "fill": "toself",
        "line": {"width": 0},
        "fillcolor": style.faint(style.series(index)["color"], _BAND_COVER),
    }


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
        ends = (y.form.show(low), y.form.show(high))
        span = words.ends(ends, "between {} and {}", "all at {}")
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
