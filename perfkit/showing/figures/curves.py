"""Charts of curves: latency, the plateau, scaling with the load, and host CPU against IOPS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from perfkit.analysis.curves.metrics import (
    LATENCIES,
    limit_printed,
    load_number,
    metric_of,
    printed,
    rates_of,
)
from perfkit.analysis.curves.plateau import PLATEAU, STATED
from perfkit.analysis.curves.questions import IOPS_AT_LATENCY, MOST_IOPS_WITHIN_LATENCY
from perfkit.analysis.curves.series import HELD, SERIES, require_columns, with_held
from perfkit.core.answers import Answer, from_frame
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import axes, line_chart, single_loads
from perfkit.showing.figures.canvas import Data, escape, note
from perfkit.showing.figures.curve_lines import band, broken, line_of
from perfkit.showing.figures.line_chart import axes_by_name
from perfkit.showing.figures.panel_lines import Limit, Line
from perfkit.showing.figures.words import Words, chart_words


@step(version=5, name="figure.latency_curve")
def plot_latency_curve(
    curve: Measured,
    *,
    metric: str = "lat_mean_s",
    limit_s: float | None = None,
    answers: Measured | None = None,
    points: Measured | None = None,
    bands: bool = False,
) -> Figure:
    """Latency against IOPS, one line a curve, its points in order of load.

    Several curves differ by colour, mark and dash, so that they do in grey print; more than a panel
    holds, and workloads of which each has several, have panels with the same axes. The latency is
    on a logarithmic axis where it crosses orders of magnitude. Bars are the 95%
    intervals over repeats; with ``bands`` those of the latency are a band along the curve, and a
    bar where a load point stands alone. With
    ``points`` the repeats themselves are drawn as small open marks. A limit is a dashed line. A
    single curve shows its loads at the points. Several results of one load each are no curves: they
    are bars of IOPS and latency, with the throughput where I/O sizes differ.

    With ``answers`` of ``iops_at_latency`` a ring marks the most IOPS within the limit and a cross
    the IOPS at it, of each curve that has them: the numbers of the sentences, and no others.

    Raises AnalysisError for a metric that is not a latency, a limit that is not a time above 0, and
    answers to another limit, of another latency or of no curve drawn.
    """
    if metric not in LATENCIES:
        raise AnalysisError(f"{metric!r} is not a latency; known: {', '.join(LATENCIES)}")
    answered = [] if answers is None else from_frame(answers.frame)
    limit_s = _limit(answered, limit_s, metric)
    series = axes.split(curve, ["iops", metric])
    if single_loads.are_single(series):
        return single_loads.draw(curve, series, metric, limit_s, "latency-curve")
    return latency_lines(
        curve, metric=metric, limit_s=limit_s, answered=answered, points=points, bands=bands
    )


def latency_lines(
    curve: Measured,
    *,
    metric: str = "lat_mean_s",
    limit_s: float | None = None,
    answered: Sequence[Answer] = (),
    points: Measured | None = None,
    bands: bool = False,
) -> Figure:
    """The chart of ``plot_latency_curve`` on axes of IOPS and latency, whatever the curves are."""
    series = axes.split(curve, ["iops", metric])
    limits = [] if limit_s is None else [limit_s]
    (x, iops), (y, form) = axes.scale_of("iops", series), axes.scale_of(metric, series, limits)
    forms = iops, form
    lines = _lines(series, metric, forms, points, answered, bands=bands)
    loads = [
        (load_number(row["load"]).text, *_place(row, metric, forms))
        for row in axes.all_rows(series)
    ]
    limit = (
        None
        if limit_s is None
        else Limit(limit_s / UNITS[form.unit].si, f"limit {limit_printed(limit_s).text}")
    )
    chart = line_chart.draw(
        lines, replace(x, own=True), y, limit=limit, loads=loads if len(series) == 1 else ()
    )
    words = Words()
    shown = chart_words(words, series, "iops", metric, limit_s)
    alt = " ".join([shown, *_marked(words, answered, metric)])
    caption = _caption(curve, series, metric, lines)
    return chart.figure("latency-curve", caption, alt, words.printed)


def _place(row: Row, metric: str, forms: tuple[Format, Format]) -> tuple[float, float]:
    """Where a load point stands, in the units of the axes."""
    x, y = (UNITS[form.unit].si for form in forms)
    return row["iops"] / x, row[metric] / y


def _lines(
    series: axes.Series,
    metric: str,
    forms: tuple[Format, Format],
    points: Measured | None,
    answered: Sequence[Answer],
    *,
    bands: bool,
) -> list[Line]:
    """Each curve, with its band and repeats beneath it and the marks of its answers over it."""
    places = dict(zip(series, axes.places_of(series), strict=True))
    looks = {label: style.series(place.look) for label, place in places.items()}
    marks = _marks(answered, series, forms, looks)
    repeats = _repeats(points, series, metric, forms, looks)
    found = []
    for label, part in series.items():
        place = places[label]
        trace = line_of(
            label, part, place.look, x="iops", y=metric, forms=forms, several=len(series) > 1
        )
        under = [*(band(trace) if bands else []), *repeats.get(label, [])]
        over = marks.get(label, [])
        found.append(Line(broken(trace), place.name, place.panel, tuple(under), tuple(over)))
    return found


WITHIN, AT = MOST_IOPS_WITHIN_LATENCY.name, IOPS_AT_LATENCY.name
_SYMBOLS = {WITHIN: "circle-open", AT: "x-thin-open"}
_RING, _CROSS = "a ring marks the most IOPS within it", "a cross the IOPS at it"
_MARKS_TOLD = {
    frozenset({WITHIN, AT}): f"Of the limit, {_RING} and {_CROSS}.",
    frozenset({WITHIN}): f"Of the limit, {_RING}.",
    frozenset({AT}): f"Of the limit, {_CROSS}.",
}


def _limit(answered: Sequence[Answer], limit_s: float | None, metric: str) -> float | None:
    """The limit of the answers, or the one given; one limit and one latency in all."""
    if limit_s is not None and not 0 < limit_s < float("inf"):
        raise AnalysisError(f"a latency limit is a time above 0, not {limit_s}")
    asked = [c for item in answered for c in item.conditions if c.role in {"at", "limit"}]
    limits = {limit_s, *(c.value for c in asked)} - {None}
    if (
        len(limits) > 1
        or {c.metric for c in asked} - {metric}
        or ({item.question for item in answered} - set(_SYMBOLS))
    ):
        raise AnalysisError(
            f"a chart of {metric} marks the answers of iops_at_latency to one limit of it"
        )
    return limits.pop() if limits else None


def _marks(
    answered: Sequence[Answer],
    series: axes.Series,
    forms: tuple[Format, Format],
    looks: Mapping[str, Mapping[str, str]],
) -> dict[str, Data]:
    """Of each curve a mark for each of its answers that has an estimate, in its colour."""
    xs, ys = (UNITS[form.unit].si for form in forms)
    labels = {tuple(part[0].get(k) for k in SERIES): label for label, part in series.items()}
    found: dict[str, Data] = {}
    for item in answered:
        if item.estimate is None:
            continue
        label = labels.get(tuple(item.subject.get(name) for name in SERIES))
        if label is None:
            raise AnalysisError(f"answers: {item.subject.label!r} is not a curve of this chart")
        found.setdefault(label, []).append(
            {
                "type": "scatter",
                "mode": "markers",
                "meta": item.question,
                "name": escape(f"{item.subject.label}, {item.question.replace('_', ' ')}"),
                "x": [item.estimate.value / xs],
                "y": [_height(item) / ys],
                "hoverinfo": "skip",
                "marker": {
                    "symbol": _SYMBOLS[item.question],
                    "size": 13,
                    "color": looks[label]["color"],
                    "line": {"width": 1.5},
                },
            }
        )
    return found


def _height(answer: Answer) -> float:
    """The latency at which an answer lies: that of its load point, or the limit itself."""
    role = "where" if answer.question == WITHIN else "at"
    return next(c.value for c in answer.conditions if c.role == role and c.metric in LATENCIES)


def _marked(words: Words, answered: Sequence[Answer], metric: str) -> list[str]:
    """The marks in words."""
    marks = {WITHIN: "A ring", AT: "A cross"}
    return [
        f"{marks[item.question]} marks {item.subject.label} with "
        f"{words.value('iops', item.estimate.value)} at {words.value(metric, _height(item))}."
        for item in answered
        if item.estimate
    ]


def _repeats(
    points: Measured | None,
    series: axes.Series,
    metric: str,
    forms: tuple[Format, Format],
    looks: Mapping[str, Mapping[str, str]],
) -> dict[str, Data]:
    """Of each curve the repeats themselves, as small open marks in its colour."""
    if points is None:
        return {}
    keys = ("system", "config", "workload", "load_kind", "direction")
    require_columns(points.frame, [*keys, "iops", metric], "load_points")
    rows = with_held(points.frame).rows(named=True)
    found: dict[str, Data] = {}
    for label, part in series.items():
        own = [
            _place(row, metric, forms)
            for row in rows
            if all(row[key] == part[0].get(key) for key in (*keys, *HELD))
            and row["iops"] is not None
            and row[metric] is not None
        ]
        found[label] = [
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"{escape(label)}, repeats",
                "x": [x for x, _ in own],
                "y": [y for _, y in own],
                "marker": {
                    "symbol": f"{looks[label]['symbol']}-open",
                    "size": 4,
                    "color": looks[label]["color"],
                    "line": {"width": 0.8},
                },
                "opacity": 0.55,
                "hoverinfo": "skip",
            }
        ]
    return found


def _caption(curve: Measured, series: axes.Series, metric: str, lines: Sequence[Line]) -> str:
    direction = axes.all_rows(series)[0]["direction"] or "total"
    against = f"{metric_of(metric).title(direction)} against {rates_of(direction)} IOPS"
    name = f", {next(iter(series))}" if len(series) == 1 else ""
    of = axes.load_title(series)
    of = of if of in {"iodepth", "Offered IOPS"} else of.lower()
    loads = f"; the numbers at the points are the {of}" if len(series) == 1 else ""
    bars = axes.bars_note(series, metric)
    if any(trace.get("fill") for line in lines for trace in line.under):
        both = any("error_y" in line.trace for line in lines)
        bars = bars.replace(" Bars are ", " Bands and bars are " if both else " Bands are ")
    return f"{against}{name}{loads}.{bars}{axes.missing_note(curve, series)}{_marks_note(lines)}"


def _marks_note(lines: Sequence[Line]) -> str:
    """Words for the caption on rings and crosses."""
    drawn = frozenset(mark["meta"] for line in lines for mark in line.over)
    return f" {_MARKS_TOLD[drawn]}" if drawn else ""


QUESTIONS = {PLATEAU.name, STATED.name}


@step(version=3, name="figure.plateau")
def plot_plateau(curve: Measured, plateaus: Measured) -> Figure:
    """The latency curve with a band over the IOPS of the plateau.

    Only points that were measured are drawn; where a document states a plateau and prints no points
    on it, the band is all there is.

    Args:
        curve: ``latency_curve``.
        plateaus: The answers of ``plateau`` of it, or of ``stated_plateau``.

    Raises:
        AnalysisError: No plateau among the answers, or what ``plot_latency_curve`` raises.
    """
    found = [
        item
        for item in from_frame(plateaus.frame)
        if item.question in QUESTIONS and item.estimate is not None
    ]
    if not found:
        raise AbsentError("plateaus: none was found, so there is no band to draw")
    bands = [_ends(item) for item in found]
    figure = latency_lines(curve).renamed("plateau-chart")
    layout = figure.plotly.layout
    panels = axes_by_name(figure.plotly)
    words = Words()
    for item, (low, high) in zip(found, bands, strict=True):
        x, y = panels.get(escape(item.subject.label), ("x", "y"))
        place = {"xref": x, "yref": f"{y} domain"}
        figure.plotly.add_shape(
            {
                "type": "rect",
                **place,
                "x0": low,
                "x1": high,
                "y0": 0,
                "y1": 1,
                "fillcolor": style.GRID,
                "line": {"width": 0},
                "layer": "below",
            }
        )
        figure.plotly.add_annotation(
            note("plateau ", (low, 1), size=11, color=style.MUTED, anchor=("right", "top"), **place)
        )
    end = max(float(layout.xaxis.range[1]), max(high for _, high in bands) * 1.04)
    figure.plotly.update_xaxes(range=[layout.xaxis.range[0], end])
    said = [
        f"A band marks the plateau {words.ends(shown, 'from {} to {}', 'at {}')}."
        for shown in ([printed("iops", end) for end in band] for band in bands)
    ]
    return replace(
        figure,
        caption=f"{figure.caption} The band is the plateau.",
        alt=" ".join([figure.alt, *said]),
        printed=(*figure.printed, *words.printed),
    )


def _ends(answer: Answer) -> tuple[float, float]:
    """The lowest and the highest IOPS of a plateau."""
    high = next(c.value for c in answer.conditions if c.metric == "iops" and c.role == "where")
    return answer.got.value, high


# --- scaling with the load, and host CPU --------------------------------------------------------


@step(version=3, name="figure.scaling")
def plot_scaling(curve: Measured, *, metric: str = "iops") -> Figure:
    """IOPS (or bandwidth) against the load, each load at the same distance from the next.

    Raises AbsentError where every curve is of one load.
    """
    series = axes.split(curve, [metric])
    if all(len(part) == 1 for part in series.values()):
        raise AbsentError("every curve is of one load, so nothing shows how it scales")
    places = axes.load_places(series)
    y, form = axes.scale_of(metric, series)
    moved = {
        label: [{**row, "place": places[row["load"]]} for row in part]
        for label, part in series.items()
    }
    lines = _named_lines(moved, x="place", y=metric, forms=(Format("1"), form))
    caption = (
        f"{metric_of(metric).title()} by {axes.in_sentence(axes.load_title(series))}."
        f"{axes.bars_note(series, metric)}{axes.missing_note(curve, series)}"
    )
    chart, words = line_chart.draw(lines, axes.load_scale(series), y), Words()
    alt = chart_words(words, series, "load", metric)
    return chart.figure("scaling", caption, alt, words.printed)


@step(version=6, name="figure.cpu")
def plot_cpu(curve: Measured) -> Figure:
    """Busy share of the host's CPUs against IOPS; by load ``plot_cpu_by_load`` shows it."""
    metric = "cpu_busy_ratio"
    series = axes.split(curve, ["iops", metric])
    (x, iops), (y, share) = axes.scale_of("iops", series), axes.scale_of(metric, series)
    lines = _named_lines(series, x="iops", y=metric, forms=(iops, share))
    for line in lines:
        line.trace.pop("error_x", None)  # of IOPS: this chart is about the CPU, without interval
    loads = [
        (line.trace["customdata"][i], line.trace["x"][i], line.trace["y"][i])
        for line in lines
        for i, text in enumerate(line.trace["customdata"])
        if text is not None
    ]
    chart = line_chart.draw(lines, x, y, loads=loads if len(series) == 1 else ())
    chart.layout["meta"] = axes.brushing(("iops", iops), (metric, share))
    words, caption = Words(), f"Host CPU against IOPS.{axes.missing_note(curve, series)}"
    return chart.figure(
        "host-cpu", caption, chart_words(words, series, "iops", metric), words.printed
    )


def _named_lines(
    series: axes.Series, *, x: str, y: str, forms: tuple[Format, Format]
) -> list[Line]:
    several = len(series) > 1
    return [
        Line(
            broken(line_of(label, part, place.look, x=x, y=y, forms=forms, several=several)),
            place.name,
            place.panel,
        )
        for place, (label, part) in zip(axes.places_of(series), series.items(), strict=True)
    ]
