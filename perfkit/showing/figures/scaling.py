"""Charts of what grows with the load: IOPS or bandwidth, and the busy share of the host's CPUs."""

from __future__ import annotations

from typing import Any

from perfkit.analysis.curves.metrics import metric_of
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Figure, check_id
from perfkit.showing.figures.axes import (
    Data,
    Series,
    all_rows,
    axis_format,
    axis_title,
    bars_note,
    load_axis,
    load_canvas,
    load_places,
    load_title,
    missing_note,
    split,
)
from perfkit.showing.figures.canvas import HEADROOM, HEIGHT_MM, Canvas, base_layout, figure
from perfkit.showing.figures.lines import (
    broken,
    canvas_of,
    dash_lines,
    edge_of,
    line_of,
    mark_line,
    name_lines,
    name_loads,
)
from perfkit.showing.figures.words import Words, chart_words


@step(version=1, name="figure.scaling")
def plot_scaling(
    curve: Measured, *, metric: str = "iops", value_id: str = "scaling", caption: str | None = None
) -> Figure:
    """IOPS (or bandwidth) against the load, each load at the same distance from the next."""
    series = split(curve, [metric])
    title = f"{metric_of(metric).title()} by {load_title(series)}"
    return _by_load(curve, series, metric, value_id=value_id, title=caption or title)


@step(version=2, name="figure.cpu")
def plot_cpu(
    curve: Measured,
    *,
    against: str = "iops",
    value_id: str = "host-cpu",
    caption: str | None = None,
) -> Figure:
    """Busy share of the host's CPUs against IOPS, or against the load (``against="load"``)."""
    if against not in {"iops", "load"}:
        raise AnalysisError(f"host CPU is drawn against 'iops' or 'load', not {against!r}")
    series = split(curve, [*(["iops"] if against == "iops" else []), "cpu_busy_ratio"])
    if against == "load":
        title = f"Host CPU by {load_title(series)}"
        return _by_load(curve, series, "cpu_busy_ratio", value_id=value_id, title=caption or title,
                        y_top=1.0)  # fmt: skip
    rows = all_rows(series)
    forms = (axis_format("iops", [row["iops"] for row in rows]), Format("%"))
    traces = [
        line_of(label, part, index, x="iops", y="cpu_busy_ratio", forms=forms)
        for index, (label, part) in enumerate(series.items())
    ]
    for trace in traces:
        trace.pop("error_x", None)  # of IOPS: this chart is about the CPU, which has no interval
    canvas = canvas_of(traces, list(series))
    canvas.y_max = 100.0
    layout = base_layout(
        axis_title("iops", rows[0]["direction"] or "total", forms[0]), "Host CPU busy (%)", canvas
    )
    given = caption or f"Host CPU against IOPS.{missing_note(curve, series)}"
    return _finish(traces, canvas, layout, series, value_id=value_id, caption=given, x="iops",
                   y="cpu_busy_ratio")  # fmt: skip


def _finish(
    traces: Data, canvas: Canvas, layout: dict[str, Any], series: Series, *, value_id: str,
    caption: str, x: str, y: str,
) -> Figure:  # fmt: skip
    dash_lines(traces)
    for trace in traces:
        mark_line(canvas, trace)
    layout["annotations"] = name_lines(canvas, list(series), traces)
    if len(traces) == 1 and x != "load":
        layout["annotations"] = name_loads(canvas, all_rows(series), traces[0])
    words = Words()
    alt = chart_words(words, series, x, y)
    data = [broken(trace) for trace in traces]
    return Figure(check_id(value_id), figure(data, layout), caption, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


def _by_load(
    curve: Measured, series: Series, metric: str, *, value_id: str, title: str,
    y_top: float | None = None,
) -> Figure:  # fmt: skip
    places = load_places(series)
    rows = all_rows(series)
    form = axis_format(metric, [row[metric] for row in rows])
    traces = []
    for index, (label, part) in enumerate(series.items()):
        moved = [{**row, "place": places[row["load"]]} for row in part]
        forms = (Format("1"), form)
        traces.append(line_of(label, moved, index, x="place", y=metric, forms=forms))
    top = max(edge_of(trace, "y") for trace in traces) * HEADROOM
    canvas = load_canvas(places, top if y_top is None else y_top / UNITS[form.unit].si,
                          [] if len(series) == 1 else list(series))  # fmt: skip
    layout = base_layout(
        load_title(series), axis_title(metric, rows[0]["direction"] or "total", form), canvas
    )
    layout["xaxis"] |= load_axis(places)
    bars = bars_note(series, metric)
    given = title if title.endswith(".") else f"{title}.{bars}{missing_note(curve, series)}"
    return _finish(
        traces, canvas, layout, series, value_id=value_id, caption=given, x="load", y=metric
    )
