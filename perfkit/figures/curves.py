"""Charts of a latency curve: latency against IOPS, percentiles, scaling, host CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perfkit import style
from perfkit.analysis.metrics import (
    LATENCIES,
    limit_printed,
    load_number,
    metric_of,
    rates_of,
)
from perfkit.analysis.series import SERIES, Row, need
from perfkit.answers import from_frame
from perfkit.errors import AnalysisError
from perfkit.figures.axes import (
    Data,
    Series,
    all_rows,
    axis_format,
    axis_title,
    load_axis,
    load_canvas,
    load_places,
    load_title,
    missing_note,
    split,
)
from perfkit.figures.canvas import (
    HEADROOM,
    HEIGHT_MM,
    Canvas,
    base_layout,
    escape,
    figure,
    room_for,
)
from perfkit.figures.words import Words, curve_words, load_words
from perfkit.lineage import Measured, step
from perfkit.units import UNITS, Format
from perfkit.values import Figure, check_id

if TYPE_CHECKING:
    from perfkit.answers import Answer

LIMIT_STRETCH = 3.0
"""A limit further above the data than this is told in words; the chart is not squeezed for it."""

LABEL_SIZE = 12
SMALL_SIZE = 11


def _bars(rows: list[Row], metric: str, scale: float, color: str) -> dict[str, Any] | None:
    """Interval bars; none where no point has an interval."""
    if all(row.get(f"{metric}_high") is None for row in rows):
        return None
    up = [_reach(row, metric, "high") / scale for row in rows]
    down = [_reach(row, metric, "low") / scale for row in rows]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down,
            "thickness": 1, "width": 3, "color": _faint(color)}  # fmt: skip


def _faint(color: str, cover: float = 0.55) -> str:
    """The colour for intervals: the same, half covering, so that the points stand out."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{cover})"


def _reach(row: Row, metric: str, bound: str) -> float:
    edge = row[f"{metric}_{bound}"]
    return 0.0 if edge is None else float(abs(edge - row[metric]))


def _trace(
    label: str, rows: list[Row], index: int, *, x: str, y: str, forms: tuple[Format, Format]
) -> dict[str, Any]:
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


def _mark(canvas: Canvas, trace: dict[str, Any]) -> None:
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


def _name_curves(canvas: Canvas, traces: Data) -> Data:
    """A label at the end of each curve, in its colour; one curve alone is named by the caption."""
    if len(traces) == 1:
        return []
    if len({trace["x"][-1] for trace in traces}) == 1:
        return canvas.stack([
            (t["name_plain"], t["x"][-1], t["y"][-1], t["line"]["color"]) for t in traces
        ])  # fmt: skip
    return [
        canvas.place(
            trace["name_plain"], trace["x"][-1], trace["y"][-1], size=LABEL_SIZE, bold=True,
            places=("right", "above left", "left", "below right", "above", "below"),
            color=trace["line"]["color"],
        )
        for trace in traces
    ]  # fmt: skip


def _name_loads(canvas: Canvas, rows: list[Row], trace: dict[str, Any]) -> Data:
    """The load beside each point of a single curve, where there is room."""
    labels = [
        canvas.label(
            load_number(row["load"]).text, x, y, size=SMALL_SIZE, color=style.MUTED,
            places=("above left", "above", "above right", "below right", "below", "below left"),
        )
        for row, x, y in zip(rows, trace["x"], trace["y"], strict=True)
    ]  # fmt: skip
    return [label for label in labels if label]


def _limit_line(canvas: Canvas, limit: float, text: str) -> tuple[Data, Data]:
    """The dashed line of a limit and its label: (shapes, annotations)."""
    if limit > canvas.y_max:
        words = {"xref": "paper", "yref": "paper", "x": 0.01, "y": 0.99, "showarrow": False,
                 "xanchor": "left", "yanchor": "top", "text": f"{escape(text)} lies above",
                 "font": {"size": SMALL_SIZE, "color": style.MUTED}}  # fmt: skip
        return [], [words]
    # above: under a grid line of the same height it would not show
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": limit, "y1": limit,
            "line": style.LIMIT_LINE, "layer": "above"}  # fmt: skip
    width = canvas.x_max - canvas.x_min
    at = canvas.label(text, canvas.x_min + 0.005 * width, limit, places=("above right",),
                      size=SMALL_SIZE, color=style.MUTED)  # fmt: skip
    at = at or canvas.place(text, canvas.x_max - 0.005 * width, limit, places=("above left",),
                            size=SMALL_SIZE, color=style.MUTED)  # fmt: skip
    canvas.mark([canvas.x_min, canvas.x_max], [limit, limit], radius=2)
    return [line], [at]


@step(version=1, name="figure.latency_curve")
def plot_latency_curve(
    curve: Measured,
    *,
    metric: str = "lat_mean_s",
    limit_s: float | None = None,
    answers: Measured | None = None,
    points: Measured | None = None,
    bands: bool = False,
    value_id: str = "latency-curve",
    caption: str | None = None,
) -> Figure:
    """Latency against IOPS, one line a curve, its points in order of load.

    Several curves differ by colour, mark and dash, so that they do in grey print. Bars are the 95%
    intervals over repeats; with ``bands`` those of the latency are a band along the curve. With
    ``points`` the repeats themselves are drawn as small open marks. A limit is a dashed line. A
    single curve shows its loads at the points.

    With ``answers`` of ``iops_at_latency`` a ring marks the most IOPS within the limit and a cross
    the IOPS at it, of each curve that has them: the numbers of the sentences, and no others.

    Raises AnalysisError for a metric that is not a latency, a limit that is no time above 0, and
    answers to another limit, of another latency or of no curve drawn.
    """
    if metric not in LATENCIES:
        raise AnalysisError(f"{metric!r} is not a latency; known: {', '.join(LATENCIES)}")
    told = [] if answers is None else from_frame(answers.frame)
    limit_s = _limit(told, limit_s, metric)
    series = split(curve, ["iops", metric])
    rows = all_rows(series)
    forms = (
        axis_format("iops", [row["iops"] for row in rows]),
        axis_format(metric, [row[metric] for row in rows]),
    )
    traces = [
        _trace(label, part, index, x="iops", y=metric, forms=forms)
        for index, (label, part) in enumerate(series.items())
    ]
    _dash(traces)
    under = [band for trace in traces if (band := _band(trace))] if bands else []
    direction = rows[0]["direction"] or "total"
    limit = None if limit_s is None else limit_s / UNITS[forms[1].unit].si
    canvas = _canvas(traces, list(series), limit)
    canvas.y_max = max([canvas.y_max, *(max(band["y"]) * 1.02 for band in under)])
    for trace, label in zip(traces, series, strict=True):
        _mark(canvas, trace)
        trace["name_plain"] = label
    repeats = _repeats(points, series, metric, forms)
    for x, y in ((x, y) for t in repeats for x, y in zip(t["x"], t["y"], strict=True)):
        canvas.mark([x], [y], radius=3)
    shapes: Data = []
    notes: Data = []
    if limit is not None and limit_s is not None:
        shapes, notes = _limit_line(canvas, limit, f"limit {limit_printed(limit_s).text}")
    marks = _marks(told, series, forms)
    notes += _name_curves(canvas, traces)
    if len(traces) == 1:
        notes += _name_loads(canvas, rows, traces[0])
    layout = base_layout(
        axis_title("iops", direction, forms[0]), axis_title(metric, direction, forms[1]), canvas
    )
    layout |= {"shapes": shapes, "annotations": notes}
    words = Words()
    alt = " ".join([_alt(words, series, "iops", metric, limit_s), *_marked(words, told, metric)])
    given = caption or _caption(curve, series, metric, direction)
    if marks and caption is None:
        given += " " + _MARKS_TOLD[frozenset(mark["meta"] for mark in marks)]
    if under and caption is None:
        given = given.replace(" Bars are ", " Bands are ")
    data = [*under, *repeats, *_drawn(traces), *marks]
    return Figure(check_id(value_id), figure(data, layout), given, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


WITHIN, AT = "most_iops_within_latency", "iops_at_latency"
_SYMBOLS = {WITHIN: "circle-open", AT: "x-thin-open"}
_RING, _CROSS = "a ring marks the most IOPS within it", "a cross the IOPS at it"
_MARKS_TOLD = {
    frozenset({WITHIN, AT}): f"Of the limit, {_RING} and {_CROSS}.",
    frozenset({WITHIN}): f"Of the limit, {_RING}.",
    frozenset({AT}): f"Of the limit, {_CROSS}.",
}


def _limit(told: Sequence[Answer], limit_s: float | None, metric: str) -> float | None:
    """The limit of the answers, or the one given; one limit and one latency in all."""
    if limit_s is not None and not 0 < limit_s < float("inf"):
        raise AnalysisError(f"a latency limit is a time above 0, not {limit_s}")
    asked = [c for item in told for c in item.conditions if c.role in {"at", "limit"}]
    limits = {limit_s, *(c.value for c in asked)} - {None}
    if len(limits) > 1 or {c.metric for c in asked} - {metric} or (
        {item.question for item in told} - set(_SYMBOLS)
    ):  # fmt: skip
        raise AnalysisError(
            f"a chart of {metric} marks the answers of iops_at_latency to one limit of it"
        )
    return limits.pop() if limits else None


def _marks(told: Sequence[Answer], series: Series, forms: tuple[Format, Format]) -> Data:
    """A mark for each answer that has an estimate, in the colour of its curve."""
    xs, ys = (UNITS[form.unit].si for form in forms)
    keys = {tuple(part[0][k] for k in SERIES): i for i, part in enumerate(series.values())}
    found = []
    for item in told:
        if item.estimate is None:
            continue
        place = tuple(item.subject.get(name) for name in SERIES)
        if place not in keys:
            raise AnalysisError(f"answers: {item.subject.label!r} is no curve of this chart")
        found.append({
            "type": "scatter", "mode": "markers", "meta": item.question,
            "name": escape(f"{item.subject.label}, {item.question.replace('_', ' ')}"),
            "x": [item.estimate.value / xs], "y": [_height(item) / ys], "hoverinfo": "skip",
            "marker": {"symbol": _SYMBOLS[item.question], "size": 13,
                       "color": style.series(keys[place])["color"], "line": {"width": 1.5}},
        })  # fmt: skip
    return found


def _height(answer: Answer) -> float:
    """The latency at which an answer lies: that of its load point, or the limit itself."""
    role = "where" if answer.question == WITHIN else "at"
    return next(c.value for c in answer.conditions if c.role == role and c.metric in LATENCIES)


def _marked(words: Words, told: Sequence[Answer], metric: str) -> list[str]:
    """The marks in words."""
    marks = {WITHIN: "A ring", AT: "A cross"}
    return [
        f"{marks[item.question]} marks {item.subject.label} with "
        f"{words.value('iops', item.estimate.value)} at {words.value(metric, _height(item))}."
        for item in told if item.estimate
    ]  # fmt: skip


def _dash(traces: Data) -> None:
    """Give each of several lines its own dash."""
    if len(traces) > 1:
        for index, trace in enumerate(traces):
            trace["line"]["dash"] = style.series(index)["dash"]


def _band(trace: dict[str, Any]) -> dict[str, Any] | None:
    """The interval of y along a curve as a faint area instead of bars; None without intervals."""
    bars = trace.pop("error_y", None)
    trace.pop("error_x", None)
    if not bars:
        return None
    upper = [y + more for y, more in zip(trace["y"], bars["array"], strict=True)]
    lower = [y - less for y, less in zip(trace["y"], bars["arrayminus"], strict=True)]
    return {
        "type": "scatter", "mode": "lines", "x": [*trace["x"], *reversed(trace["x"])],
        "y": [*upper, *reversed(lower)], "fill": "toself", "line": {"width": 0},
        "fillcolor": _faint(trace["line"]["color"], BAND_COVER), "hoverinfo": "skip",
        "name": f"{trace['name']}, interval",
    }  # fmt: skip


BAND_COVER = 0.18
"""How much of the paper a band covers: two that overlap are still told apart."""


def _drawn(traces: Data) -> Data:
    return [_broken({k: v for k, v in t.items() if k != "name_plain"}) for t in traces]


def _broken(trace: dict[str, Any]) -> dict[str, Any]:
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


def _canvas(traces: Data, labels: list[str], limit: float | None = None) -> Canvas:
    x_top = max(_edge(trace, "x") for trace in traces)
    y_top = max(_edge(trace, "y") for trace in traces) * HEADROOM
    if limit is not None and limit <= LIMIT_STRETCH * y_top:
        y_top = max(y_top, limit * 1.12)
    ends = [] if len(traces) == 1 else [
        (label, trace["x"][-1]) for label, trace in zip(labels, traces, strict=True)
    ]  # fmt: skip
    return Canvas(x_max=room_for(ends, x_top), y_max=y_top)


def _edge(trace: dict[str, Any], axis: str) -> float:
    """How far a trace reaches up, its interval bars included."""
    bars = trace.get(f"error_{axis}")
    extra = bars["array"] if bars else [0.0] * len(trace[axis])
    return float(max(value + more for value, more in zip(trace[axis], extra, strict=True)))


def _repeats(
    points: Measured | None, series: Series, metric: str, forms: tuple[Format, Format]
) -> Data:
    """The repeats themselves, as small open marks in the colour of their curve."""
    if points is None:
        return []
    keys = ("system", "config", "workload", "load_kind", "direction")
    need(points.frame, [*keys, "iops", metric], "load_points")
    rows = points.frame.rows(named=True)
    found = []
    for index, (label, part) in enumerate(series.items()):
        own = [
            row for row in rows
            if all(row[key] == part[0][key] for key in keys)
            and row["iops"] is not None and row[metric] is not None
        ]  # fmt: skip
        look = style.series(index)
        found.append({
            "type": "scatter", "mode": "markers", "name": f"{escape(label)}, repeats",
            "x": [row["iops"] / UNITS[forms[0].unit].si for row in own],
            "y": [row[metric] / UNITS[forms[1].unit].si for row in own],
            "marker": {"symbol": f"{look['symbol']}-open", "size": 5, "color": look["color"],
                       "line": {"width": 0.8}},
            "opacity": 0.55, "hoverinfo": "skip",
        })  # fmt: skip
    return found


def _alt(words: Words, series: Series, x: str, y: str, limit_s: float | None = None) -> str:
    direction = next(iter(series.values()))[0]["direction"] or "total"
    against = "the load" if x == "load" else f"{rates_of(direction)} {metric_of(x).phrase()}"
    lead = f"Line chart of {metric_of(y).phrase(direction)} against {against}."
    said = [
        curve_words(words, label, rows, x, y) if x != "load" else load_words(words, label, rows, y)
        for label, rows in series.items()
    ]  # fmt: skip
    if limit_s is not None:
        said.append(f"A dashed line marks the limit of {words.keep(limit_printed(limit_s))}.")
    return " ".join([lead, *said])


def _caption(curve: Measured, series: Series, metric: str, direction: str) -> str:
    against = f"{metric_of(metric).title(direction)} against {rates_of(direction)} IOPS"
    name = f", {next(iter(series))}" if len(series) == 1 else ""
    loads = f"; the numbers at the points are {_loads_word(series)}" if len(series) == 1 else ""
    return f"{against}{name}{loads}.{_bars_note(series, metric)}{missing_note(curve, series)}"


def _loads_word(series: Series) -> str:
    title = load_title(series)
    return f"the {title if title in {'iodepth', 'Offered IOPS'} else title.lower()}"


def _bars_note(series: Series, metric: str) -> str:
    rows = [row for row in all_rows(series) if row.get(f"{metric}_high") is not None]
    if not rows:
        return ""
    counts = sorted({row["repeats"] for row in rows})
    over = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f" Bars are 95% intervals over {over} repeats."


@step(version=1, name="figure.scaling")
def plot_scaling(
    curve: Measured, *, metric: str = "iops", value_id: str = "scaling", caption: str | None = None
) -> Figure:
    """IOPS (or bandwidth) against the load, each load at the same distance from the next."""
    series = split(curve, [metric])
    title = f"{metric_of(metric).title()} by {load_title(series)}"
    return _by_load(curve, series, metric, value_id=value_id, title=caption or title)


@step(version=1, name="figure.cpu")
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
    series = split(curve, ["iops", "cpu_busy_ratio"])
    if against == "load":
        title = f"Host CPU by {load_title(series)}"
        return _by_load(curve, series, "cpu_busy_ratio", value_id=value_id, title=caption or title,
                        y_top=1.0)  # fmt: skip
    rows = all_rows(series)
    forms = (axis_format("iops", [row["iops"] for row in rows]), Format("%"))
    traces = [
        _trace(label, part, index, x="iops", y="cpu_busy_ratio", forms=forms)
        for index, (label, part) in enumerate(series.items())
    ]
    for trace in traces:
        trace.pop("error_x", None)  # of IOPS: this chart is about the CPU, which has no interval
    canvas = _canvas(traces, list(series))
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
    _dash(traces)
    for trace, label in zip(traces, series, strict=True):
        _mark(canvas, trace)
        trace["name_plain"] = label
    layout["annotations"] = _name_curves(canvas, traces)
    if len(traces) == 1 and x != "load":
        layout["annotations"] = _name_loads(canvas, all_rows(series), traces[0])
    words = Words()
    alt = _alt(words, series, x, y)
    return Figure(check_id(value_id), figure(_drawn(traces), layout), caption, alt, HEIGHT_MM,
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
        traces.append(_trace(label, moved, index, x="place", y=metric, forms=forms))
    top = max(_edge(trace, "y") for trace in traces) * HEADROOM
    canvas = load_canvas(places, top if y_top is None else y_top / UNITS[form.unit].si,
                          [] if len(series) == 1 else list(series))  # fmt: skip
    layout = base_layout(
        load_title(series), axis_title(metric, rows[0]["direction"] or "total", form), canvas
    )
    layout["xaxis"] |= load_axis(places)
    bars = _bars_note(series, metric)
    given = title if title.endswith(".") else f"{title}.{bars}{missing_note(curve, series)}"
    return _finish(
        traces, canvas, layout, series, value_id=value_id, caption=given, x="load", y=metric
    )
