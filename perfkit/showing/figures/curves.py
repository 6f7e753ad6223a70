"""The chart of a latency curve: latency against IOPS, with a limit and the answers to it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perfkit.analysis.curves.metrics import LATENCIES, limit_printed, metric_of, rates_of
from perfkit.analysis.curves.series import SERIES, require_columns
from perfkit.core.answers import from_frame
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures.axes import (
    Data,
    Series,
    all_rows,
    axis_format,
    axis_title,
    bars_note,
    load_title,
    missing_note,
    split,
)
from perfkit.showing.figures.canvas import HEIGHT_MM, Canvas, base_layout, escape, figure
from perfkit.showing.figures.lines import (
    SMALL_SIZE,
    broken,
    canvas_of,
    dash_lines,
    faint,
    line_of,
    mark_line,
    name_lines,
    name_loads,
)
from perfkit.showing.figures.words import Words, chart_words

if TYPE_CHECKING:
    from perfkit.core.answers import Answer


@step(version=2, name="figure.latency_curve")
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
    intervals over repeats; with ``bands`` those of the latency are a band along the curve, and a
    bar where a load point stands alone. With
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
        line_of(label, part, index, x="iops", y=metric, forms=forms)
        for index, (label, part) in enumerate(series.items())
    ]
    dash_lines(traces)
    under = [band for trace in traces for band in _bands(trace)] if bands else []
    direction = rows[0]["direction"] or "total"
    limit = None if limit_s is None else limit_s / UNITS[forms[1].unit].si
    canvas = canvas_of(traces, list(series), limit)
    tops = [max(y for y in band["y"] if y is not None) for band in under]
    canvas.y_max = max([canvas.y_max, *(top * 1.02 for top in tops)])
    for trace in traces:
        mark_line(canvas, trace)
    repeats = _repeats(points, series, metric, forms)
    for x, y in ((x, y) for t in repeats for x, y in zip(t["x"], t["y"], strict=True)):
        canvas.mark([x], [y], radius=3)
    shapes: Data = []
    notes: Data = []
    if limit is not None and limit_s is not None:
        shapes, notes = _limit_line(canvas, limit, f"limit {limit_printed(limit_s).text}")
    marks = _marks(told, series, forms)
    notes += name_lines(canvas, list(series), traces)
    if len(traces) == 1:
        notes += name_loads(canvas, rows, traces[0])
    layout = base_layout(
        axis_title("iops", direction, forms[0]), axis_title(metric, direction, forms[1]), canvas
    )
    layout |= {"shapes": shapes, "annotations": notes}
    words = Words()
    shown = chart_words(words, series, "iops", metric, limit_s)
    alt = " ".join([shown, *_marked(words, told, metric)])
    given = caption or _caption(curve, series, metric, direction)
    if marks and caption is None:
        given += " " + _MARKS_TOLD[frozenset(mark["meta"] for mark in marks)]
    if under and caption is None:
        both = any("error_y" in trace for trace in traces)
        given = given.replace(" Bars are ", " Bands and bars are " if both else " Bands are ")
    data = [*under, *repeats, *map(broken, traces), *marks]
    return Figure(check_id(value_id), figure(data, layout), given, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


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
    keys = {tuple(part[0].get(k) for k in SERIES): i for i, part in enumerate(series.values())}
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


BAND_COVER = 0.18
"""How much of the paper a band covers: two that overlap are still told apart."""


def _bands(trace: dict[str, Any]) -> Data:
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
    kept = {side: [size if i in alone else 0.0 for i, size in enumerate(bars[side])]
            for side in ("array", "arrayminus")}  # fmt: skip
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
    return [{
        "type": "scatter", "mode": "lines", "x": xs, "y": ys,
        "fill": "toself", "line": {"width": 0},
        "fillcolor": faint(trace["line"]["color"], BAND_COVER), "hoverinfo": "skip",
        "name": f"{trace['name']}, interval",
    }]  # fmt: skip


def _repeats(
    points: Measured | None, series: Series, metric: str, forms: tuple[Format, Format]
) -> Data:
    """The repeats themselves, as small open marks in the colour of their curve."""
    if points is None:
        return []
    keys = ("system", "config", "workload", "load_kind", "direction")
    require_columns(points.frame, [*keys, "iops", metric], "load_points")
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


def _caption(curve: Measured, series: Series, metric: str, direction: str) -> str:
    against = f"{metric_of(metric).title(direction)} against {rates_of(direction)} IOPS"
    name = f", {next(iter(series))}" if len(series) == 1 else ""
    loads = f"; the numbers at the points are {_loads_word(series)}" if len(series) == 1 else ""
    return f"{against}{name}{loads}.{bars_note(series, metric)}{missing_note(curve, series)}"


def _loads_word(series: Series) -> str:
    title = load_title(series)
    return f"the {title if title in {'iodepth', 'Offered IOPS'} else title.lower()}"
