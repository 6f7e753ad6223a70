"""Lines of curves with their interval bars: what the charts of load points share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.analysis.curves.metrics import load_number
from perfkit.core.units import UNITS, Format
from perfkit.showing import style
from perfkit.showing.figures import hover
from perfkit.showing.figures.canvas import Plotly, escape

if TYPE_CHECKING:
    from perfkit.core.schema import Row

DIGITS = 4
"""Significant digits of what a point says under the pointer."""


def line_of(
    label: str, rows: list[Row], index: int, *, x: str, y: str, forms: tuple[Format, Format],
    several: bool,
) -> Plotly:  # fmt: skip
    """The line of one curve, a mark at each load point, with the bars of its intervals.

    Of ``several`` each has its own dash.
    """
    look = style.series(index)
    xs, ys = UNITS[forms[0].unit].si, UNITS[forms[1].unit].si
    trace: Plotly = {
        "type": "scatter", "mode": "lines+markers", "name": escape(label),
        "x": [row[x] / xs for row in rows], "y": [row[y] / ys for row in rows],
        "line": {"color": look["color"], "width": 2, **({"dash": look["dash"]} if several else {})},
        "marker": {"color": look["color"], "symbol": look["symbol"], "size": 7},
        "customdata": [load_number(row["load"]).text for row in rows],
        "text": [_told(row, x, y, forms) for row in rows],
        "hovertemplate": f"{escape(label)}<br>load %{{customdata}}<br>%{{text}}<extra></extra>",
        "gaps": [i for i, row in enumerate(rows) if row.get("after_gap")],
    }  # fmt: skip
    for axis, metric, scale in (("error_x", x, xs), ("error_y", y, ys)):
        bars = _bars(rows, metric, scale, look["color"])
        if bars:
            trace[axis] = bars
    return trace


def _told(row: Row, x: str, y: str, forms: tuple[Format, Format]) -> str:
    """A point in words: its values with their units, the interval of y, and its repeats."""
    wide, high = (Format(form.unit, significant=DIGITS) for form in forms)
    # a place among loads is no number
    told = [] if x == "place" else [wide.show(row[x]).text]
    told.append(high.show(row[y]).text)
    ends = row.get(f"{y}_low"), row.get(f"{y}_high")
    if None not in ends:
        told.append(f"interval {high.number(ends[0])} to {high.show(ends[1]).text}")
    told.append(hover.repeats(row.get("repeats")))
    return "<br>".join(filter(None, told))


def _bars(rows: list[Row], metric: str, scale: float, color: str) -> Plotly | None:
    """Interval bars; none where no point has an interval."""
    if all(row.get(f"{metric}_high") is None for row in rows):
        return None
    up = [_reach(row, metric, "high") / scale for row in rows]
    down = [_reach(row, metric, "low") / scale for row in rows]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down,
            "thickness": 1, "width": 3, "color": style.faint(color)}  # fmt: skip


def _reach(row: Row, metric: str, bound: str) -> float:
    edge = row[f"{metric}_{bound}"]
    return 0.0 if edge is None else float(abs(edge - row[metric]))


def broken(trace: Plotly) -> Plotly:
    """The trace with its line broken where a load point has no value: nothing is known there."""
    gaps = trace.pop("gaps", [])
    if not gaps:
        return trace
    bars: Plotly = {
        axis: {**trace[axis], **{side: _parted(trace[axis][side], gaps) for side in
                                 ("array", "arrayminus")}}
        for axis in ("error_x", "error_y") if axis in trace
    }  # fmt: skip
    lines = {name: _parted(trace[name], gaps) for name in ("x", "y", "customdata", "text")}
    return {**trace, **lines, **bars, "connectgaps": False}


def _parted(values: list[Any], gaps: list[int]) -> list[Any]:
    return [item for i, value in enumerate(values)
            for item in ([None, value] if i in gaps else [value])]  # fmt: skip
