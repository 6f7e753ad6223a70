"""Lines of curves with their interval bars, and the labels on them: what the line charts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.analysis.curves.metrics import load_number
from perfkit.core.units import UNITS, Format
from perfkit.showing import style
from perfkit.showing.figures.canvas import HEADROOM, Canvas, escape, room_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.analysis.curves.series import Row
    from perfkit.showing.figures.axes import Data

LIMIT_STRETCH = 3.0
"""A limit further above the data than this is stated in words: a line would squeeze the chart."""

LABEL_SIZE = 12
SMALL_SIZE = 11


def line_of(
    label: str, rows: list[Row], index: int, *, x: str, y: str, forms: tuple[Format, Format]
) -> dict[str, Any]:
    """The line of one curve, a mark at each load point, with the bars of its intervals."""
    look = style.series(index)
    xs, ys = UNITS[forms[0].unit].si, UNITS[forms[1].unit].si
    trace: dict[str, Any] = {
        "type": "scatter", "mode": "lines+markers", "name": escape(label),
        "x": [row[x] / xs for row in rows], "y": [row[y] / ys for row in rows],
        "line": {"color": look["color"], "width": 2},
        "marker": {"color": look["color"], "symbol": look["symbol"], "size": 7},
        "customdata": [load_number(row["load"]).text for row in rows],
        "hovertemplate": f"{escape(label)}<br>load %{{customdata}}<br>%{{x:,.4~g}}, %{{y:,.4~g}}"
                         "<extra></extra>",
        "gaps": [i for i, row in enumerate(rows) if row.get("after_gap")],
    }  # fmt: skip
    for axis, metric, scale in (("error_x", x, xs), ("error_y", y, ys)):
        bars = _bars(rows, metric, scale, look["color"])
        if bars:
            trace[axis] = bars
    return trace


def _bars(rows: list[Row], metric: str, scale: float, color: str) -> dict[str, Any] | None:
    """Interval bars; none where no point has an interval."""
    if all(row.get(f"{metric}_high") is None for row in rows):
        return None
    up = [_reach(row, metric, "high") / scale for row in rows]
    down = [_reach(row, metric, "low") / scale for row in rows]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down,
            "thickness": 1, "width": 3, "color": faint(color)}  # fmt: skip


def _reach(row: Row, metric: str, bound: str) -> float:
    edge = row[f"{metric}_{bound}"]
    return 0.0 if edge is None else float(abs(edge - row[metric]))


def faint(color: str, cover: float = 0.55) -> str:
    """The colour for intervals: the same, half covering, so that the points stand out."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{cover})"


def dash_lines(traces: Data) -> None:
    """Give each of several lines its own dash."""
    if len(traces) > 1:
        for index, trace in enumerate(traces):
            trace["line"]["dash"] = style.series(index)["dash"]


def broken(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace with its line broken where a load point has no value: nothing is known there."""
    gaps = trace.pop("gaps", [])
    if not gaps:
        return trace
    bars: dict[str, Any] = {
        axis: {**trace[axis], **{side: _parted(trace[axis][side], gaps) for side in
                                 ("array", "arrayminus")}}
        for axis in ("error_x", "error_y") if axis in trace
    }  # fmt: skip
    lines = {name: _parted(trace[name], gaps) for name in ("x", "y", "customdata")}
    return {**trace, **lines, **bars, "connectgaps": False}


def _parted(values: list[Any], gaps: list[int]) -> list[Any]:
    return [item for i, value in enumerate(values)
            for item in ([None, value] if i in gaps else [value])]  # fmt: skip


def canvas_of(traces: Data, labels: list[str], limit: float | None = None) -> Canvas:
    """The drawing area for lines that are named at their ends, and for a limit near them."""
    x_top = max(edge_of(trace, "x") for trace in traces)
    y_top = max(edge_of(trace, "y") for trace in traces) * HEADROOM
    if limit is not None and limit <= LIMIT_STRETCH * y_top:
        y_top = max(y_top, limit * 1.12)
    ends = [] if len(traces) == 1 else [
        (label, trace["x"][-1]) for label, trace in zip(labels, traces, strict=True)
    ]  # fmt: skip
    return Canvas(x_max=room_for(ends, x_top), y_max=y_top)


def edge_of(trace: dict[str, Any], axis: str) -> float:
    """How far a trace reaches up, its interval bars included."""
    bars = trace.get(f"error_{axis}")
    extra = bars["array"] if bars else [0.0] * len(trace[axis])
    return float(max(value + more for value, more in zip(trace[axis], extra, strict=True)))


def mark_line(canvas: Canvas, trace: dict[str, Any]) -> None:
    """Keep labels off a curve and off its interval bars."""
    canvas.mark(trace["x"], trace["y"])
    for i, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
        left, right, below, above = (
            trace[axis][side][i] if axis in trace else 0.0
            for axis in ("error_x", "error_y")
            for side in ("arrayminus", "array")
        )
        canvas.mark([x - left, x + right], [y, y], radius=2)
        canvas.mark([x, x], [y - below, y + above], radius=2)


def name_lines(canvas: Canvas, labels: Sequence[str], traces: Data) -> Data:
    """A label at the end of each line, in its colour; a line alone is named by the caption."""
    if len(traces) == 1:
        return []
    ends = [
        (label, trace["x"][-1], trace["y"][-1], trace["line"]["color"])
        for label, trace in zip(labels, traces, strict=True)
    ]
    if len({x for _, x, _, _ in ends}) == 1:
        return canvas.stack(ends)
    return [
        canvas.place(
            label, x, y, size=LABEL_SIZE, bold=True, color=color,
            places=("right", "above left", "left", "below right", "above", "below"),
        )
        for label, x, y, color in ends
    ]  # fmt: skip


def name_loads(canvas: Canvas, rows: list[Row], trace: dict[str, Any]) -> Data:
    """The load beside each point of a single curve, where there is room."""
    labels = [
        canvas.label(
            load_number(row["load"]).text, x, y, size=SMALL_SIZE, color=style.MUTED,
            places=("above left", "above", "above right", "below right", "below", "below left"),
        )
        for row, x, y in zip(rows, trace["x"], trace["y"], strict=True)
    ]  # fmt: skip
    return [label for label in labels if label]
