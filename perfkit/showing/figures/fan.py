"""How latency spreads: the percentiles of one curve over its loads."""

from __future__ import annotations

from collections.abc import Sequence

from perfkit.analysis.curves.metrics import column_format, metric_of, percentiles_note
from perfkit.analysis.curves.series import Row, require_columns, series_labels
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import PERCENTILES
from perfkit.core.units import UNITS
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures.axes import (
    Data,
    load_axis,
    load_canvas,
    load_places,
    load_title,
    log_axis,
    log_ticks,
)
from perfkit.showing.figures.canvas import HEIGHT_MM, Canvas, base_layout, figure
from perfkit.showing.figures.words import Words

FAN_COLORS = ("#0b5cad", "#2b74bd", "#00806b", "#d9730d", "#9c2f72")


@step(version=2, name="figure.percentile_fan")
def plot_percentile_fan(
    curve: Measured, *, value_id: str = "percentile-fan", caption: str | None = None
) -> Figure:
    """The percentiles of one curve over its loads, from the median to the 99.99th, log scale.

    Raises AnalysisError for several curves (take one by ``curve.filter(workload=...)``) and where
    no percentile is known (several repeats without histograms).
    """
    require_columns(curve.frame, [*PERCENTILES, "load"], "curve")
    rows = curve.frame.sort("load").rows(named=True)
    if len(set(series_labels(rows))) != 1:
        raise AnalysisError("a percentile fan shows one curve: filter by system or workload first")
    known = {
        name: [row for row in rows if row[name] is not None]
        for name in PERCENTILES
        if any(row[name] is not None for row in rows)
    }
    if not known:
        raise AbsentError(
            "no percentile is known: several repeats need their histograms, as percentiles are "
            "never averaged"
        )
    label = series_labels(rows)[0]
    values = [row[name] for name, part in known.items() for row in part]
    form = column_format("lat_mean_s", [max(values)])
    scale = UNITS[form.unit].si
    places = load_places({label: rows})
    y_min, y_max, ticks = log_axis([value / scale for value in values])
    canvas = load_canvas(places, y_max, [metric_of(name).short for name in known])
    canvas.y_min = y_min
    traces, notes = _fan(canvas, rows, list(known), scale=scale)
    layout = base_layout(load_title({label: rows}), f"Latency ({UNITS[form.unit].symbol})", canvas)
    layout["xaxis"] |= load_axis(places)
    layout["yaxis"] |= log_ticks(ticks)
    layout["annotations"] = notes
    words = Words()
    alt = _fan_alt(words, label, known)
    given = caption or f"Latency percentiles by {load_title({label: rows})}, {label}; log scale."
    if caption is None and (note := percentiles_note(rows)):
        given += f" {note}"
    return Figure(check_id(value_id), figure(traces, layout), given, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


def line_by_load(
    rows: Sequence[Row], name: str, scale: float
) -> tuple[list[float], list[float | None]]:
    """A line over the places of the loads; where a load has no value the line is broken."""
    places = load_places({"": list(rows)})
    xs = [places[row["load"]] for row in rows]
    return xs, [None if row[name] is None else row[name] / scale for row in rows]


def _fan(canvas: Canvas, rows: list[Row], names: list[str], *, scale: float) -> tuple[Data, Data]:
    import math

    traces: Data = []
    ends = []
    for index, name in enumerate(names):
        look, color = style.series(index), FAN_COLORS[list(PERCENTILES).index(name)]
        xs, ys = line_by_load(rows, name, scale)
        x, y = next((x, y) for x, y in zip(xs[::-1], ys[::-1], strict=True) if y is not None)
        traces.append({
            "type": "scatter", "mode": "lines+markers", "name": metric_of(name).short,
            "x": xs, "y": ys, "line": {"color": color, "width": 2},
            "marker": {"color": color, "symbol": look["symbol"], "size": 7},
            "hovertemplate": f"{metric_of(name).short} %{{y:,.4~g}}<extra></extra>",
        })  # fmt: skip
        # on a log axis Plotly takes an annotation's y as the power of ten
        ends.append((metric_of(name).short, x, math.log10(y), color))
    return traces, canvas.stack(ends)


def _fan_alt(words: Words, label: str, known: dict[str, list[Row]]) -> str:
    said = [
        f"{metric_of(name).short} from {words.value(name, rows[0][name])} at "
        f"{words.load_of(rows[0])} to {words.value(name, rows[-1][name])} at "
        f"{words.load_of(rows[-1])}"
        for name, rows in known.items()
    ]
    return f"Line chart of latency percentiles against the load, {label}: {'; '.join(said)}."
