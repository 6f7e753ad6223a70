"""A curve as a line: its points in words, its intervals as bars or a band, and its gaps."""

from __future__ import annotations

import itertools
from typing import Any

from perfkit.analysis.curves.metrics import (
    load_number,
)
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format
from perfkit.showing import style
from perfkit.showing.figures import hover
from perfkit.showing.figures.canvas import Data, Plotly, escape, whiskers
from perfkit.showing.figures.panel_lines import line_trace

DIGITS = 4
"""Significant digits of what a point says under the pointer."""


def line_of(
    label: str,
    rows: list[Row],
    index: int,
    *,
    x: str,
    y: str,
    forms: tuple[Format, Format],
    several: bool,
) -> Plotly:
    """The line of one curve, a mark at each load point, with the bars of its intervals.

    Of ``several`` each has its own dash.
    """
    xs, ys = UNITS[forms[0].unit].si, UNITS[forms[1].unit].si
    trace = line_trace(
        index,
        label,
        [row[x] / xs for row in rows],
        [row[y] / ys for row in rows],
        ("", ""),
        dashed=several,
        width=2,
        size=7,
    ) | {
        "customdata": [load_number(row["load"]).text for row in rows],
        "text": [_point_words(row, x, y, forms) for row in rows],
        "hovertemplate": f"{escape(label)}<br>load %{{customdata}}<br>%{{text}}<extra></extra>",
        "gaps": [i for i, row in enumerate(rows) if row.get("after_gap")],
    }
    for axis, metric, scale in (("error_x", x, xs), ("error_y", y, ys)):
        bars = _bars(rows, metric, scale, trace["line"]["color"])
        if bars:
            trace[axis] = bars
    return trace


def _point_words(row: Row, x: str, y: str, forms: tuple[Format, Format]) -> str:
    """A point in words: its values with their units, the interval of y, and its repeats."""
    wide, high = (Format(form.unit, significant=DIGITS) for form in forms)
    # a place among loads is not a number
    parts = [] if x == "place" else [wide.show(row[x]).text]
    parts.append(high.show(row[y]).text)
    ends = row.get(f"{y}_low"), row.get(f"{y}_high")
    if None not in ends:
        parts.append(f"interval {high.number(ends[0])} to {high.show(ends[1]).text}")
    parts.append(hover.repeats(row.get("repeats")))
    return "<br>".join(filter(None, parts))


def _bars(rows: list[Row], metric: str, scale: float, color: str) -> Plotly | None:
    """Interval bars; none where no point has an interval."""
    if all(row.get(f"{metric}_high") is None for row in rows):
        return None
    up = [_reach(row, metric, "high") / scale for row in rows]
    down = [_reach(row, metric, "low") / scale for row in rows]
    return whiskers(up, down, style.faint(color), width=3)


def _reach(row: Row, metric: str, bound: str) -> float:
    edge = row[f"{metric}_{bound}"]
    return 0.0 if edge is None else float(abs(edge - row[metric]))


def broken(trace: Plotly) -> Plotly:
    """The trace with its line broken where a load point has no value: nothing is known there."""
    gaps = trace.pop("gaps", [])
    if not gaps:
        return trace
    bars: Plotly = {
        axis: {
            **trace[axis],
            **{side: _parted(trace[axis][side], gaps) for side in ("array", "arrayminus")},
        }
        for axis in ("error_x", "error_y")
        if axis in trace
    }
    lines = {name: _parted(trace[name], gaps) for name in ("x", "y", "customdata", "text")}
    return {**trace, **lines, **bars, "connectgaps": False}


def _parted(values: list[Any], gaps: list[int]) -> list[Any]:
    return [
        item for i, value in enumerate(values) for item in ([None, value] if i in gaps else [value])
    ]


BAND_COVER = 0.18
"""How much of the paper a band covers: two that overlap are still told apart."""


def band(trace: Plotly) -> Data:
    """The interval of y along a curve as a faint area instead of bars; none without intervals.

    Where the line is broken the area is too: nothing is known there. A load point that stands
    alone keeps its bar: an area without width would not show.
    """
    bars = trace.pop("error_y", None)
    trace.pop("error_x", None)
    if not bars:
        return []
    upper = [y + more for y, more in zip(trace["y"], bars["array"], strict=True)]
    lower = [y - less for y, less in zip(trace["y"], bars["arrayminus"], strict=True)]
    parts = list(itertools.pairwise([0, *trace["gaps"], len(upper)]))
    alone = {first for first, end in parts if end - first == 1}
    kept = {
        side: [size if i in alone else 0.0 for i, size in enumerate(bars[side])]
        for side in ("array", "arrayminus")
    }
    if any(map(any, kept.values())):
        trace["error_y"] = {**bars, **kept}
    xs: list[float | None] = []
    ys: list[float | None] = []
    for part in (slice(*ends) for ends in parts if ends[0] not in alone):
        around = [None] if xs else []
        xs += [*around, *trace["x"][part], *reversed(trace["x"][part])]
        ys += [*around, *upper[part], *reversed(lower[part])]
    if not xs:
        return []
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": xs,
            "y": ys,
            "fill": "toself",
            "line": {"width": 0},
            "fillcolor": style.faint(trace["line"]["color"], BAND_COVER),
            "hoverinfo": "skip",
            "name": f"{trace['name']}, interval",
        }
    ]
