"""The heat map of a grid: a quantity at each load of two numbers (iodepth and jobs)."""

from __future__ import annotations

import math

from perfkit.analysis.curves.metrics import LOAD_AXIS, column_format, load_text, metric_of
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format
from perfkit.core.values import Figure
from perfkit.showing.figures import axes
from perfkit.showing.figures.canvas import HEIGHT_MM, base_layout, escape, figure
from perfkit.showing.figures.distributions import COLORS
from perfkit.showing.figures.words import Words

MOST_CURVES = 16
"""Rows that still have room for their names."""

_WIDE = 10.0
"""Values that lie further apart than this have their colours on a logarithmic scale."""

_DARK = 0.55
"""Share of the colours' range from which the number in a cell is white."""


@step(version=3, name="figure.load_grid")
def plot_load_grid(curve: Measured, *, metric: str = "iops") -> Figure:
    """A quantity at every load of a grid: a row a curve (by jobs), a column a load (iodepth).

    Each cell has its number; one that was not measured is left white.

    Raises AbsentError where no load has two numbers, or one of them was the same throughout, and
    for more rows than can be read.
    """
    if "held" not in curve.frame.columns or curve.frame["held"].null_count() == len(curve):
        raise AbsentError("no load with two numbers (iodepth and jobs) was measured")
    if any(len({*curve.frame[name]} - {None}) < 2 for name in ("load", "held")):
        raise AbsentError("of the two numbers of the load one was the same throughout")
    series = axes.split(curve, [metric])
    if len(series) > MOST_CURVES:
        raise AbsentError(f"{len(series)} curves are too many for one grid: choose some of them")
    places = axes.load_places(series)
    cells = {(label, row["load"]): row[metric] for label, rows in series.items() for row in rows}
    form = column_format(metric, [*cells.values()])
    words = Words()
    text = [[_text(words, form, cells.get((label, load))) for load in places] for label in series]
    scale = _Scale([*cells.values()])
    shades = [[scale.of(cells.get((label, load))) for load in places] for label in series]
    data = [
        {
            "type": "heatmap",
            "x": list(places.values()),
            "y": list(range(len(series))),
            "z": shades,
            "colorscale": COLORS,
            "zmin": 0,
            "zmax": 1,
            "xgap": 2,
            "ygap": 2,
            "hoverongaps": False,
            "showscale": False,
            "hoverinfo": "skip",
        }
    ]
    direction = next(iter(series.values()))[0]["direction"] or "total"
    kinds = {row["held_kind"] for rows in series.values() for row in rows}
    held = LOAD_AXIS.get(kinds.pop() or "", "Curve")
    layout = base_layout(axes.load_title(series), held)
    layout["xaxis"] |= axes.load_axis(places)
    layout["yaxis"] |= {
        "tickmode": "array",
        "tickvals": list(range(len(series))),
        "showgrid": False,
        "ticktext": [escape(label) for label in series],
        "range": [-0.5, len(series) - 0.5],
    }
    layout["annotations"] = [
        {
            "x": place,
            "y": row,
            "text": text[row][column],
            "showarrow": False,
            "font": {"color": "#ffffff" if (shades[row][column] or 0) > _DARK else "#1f2933"},
        }
        for row in range(len(series))
        for column, place in enumerate(places.values())
        if text[row][column]
    ]
    title = axes.axis_title(metric, direction, form)
    caption = f"{title} by {axes.load_title(series)} and {held.lower()}."
    return Figure(
        f"grid-{metric.removesuffix('_s').replace('_', '-')}",
        figure(data, layout),
        caption,
        _alt(words, series, metric),
        HEIGHT_MM,
        printed=tuple(words.printed),
    )


class _Scale:
    """Where a value lies between the lowest and the highest, from 0 to 1."""

    def __init__(self, values: list[float]):
        low, high = min(values), max(values)
        self._log = low > 0 and high > _WIDE * low
        self._low, self._high = self._at(low), self._at(high)

    def _at(self, value: float) -> float:
        return math.log10(value) if self._log else value

    def of(self, value: float | None) -> float | None:
        """The place of a value; None of none."""
        if value is None:
            return None
        span = self._high - self._low
        return (self._at(value) - self._low) / span if span else 0.5


def _text(words: Words, form: Format, value: float | None) -> str:
    if value is None:
        return ""
    shown = form.show(value)
    words.keep(shown)
    return form.number(value)


def _alt(words: Words, series: axes.Series, metric: str) -> str:
    rows = [row for own in series.values() for row in own]
    name = metric_of(metric).phrase(rows[0]["direction"] or "total")
    low, high = (pick(rows, key=lambda row: row[metric]) for pick in (min, max))
    lead = f"Heat map of {name} over {words.count(len(rows))} loads"
    values = [words.value(metric, row[metric]) for row in (low, high)]
    if values[0] == values[1]:
        return f"{lead}: {values[0]} at each."
    ends = [
        f"{value} at {words.load_of(row)}"
        + (f" with {load_text(row['held_kind'], row['held'])}" if row["held"] else "")
        for value, row in zip(values, (low, high), strict=True)
    ]
    return f"{lead}: from {ends[0]} to {ends[1]}."
