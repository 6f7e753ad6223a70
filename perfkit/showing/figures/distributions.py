"""Charts of how latencies lie: heat map, histogram and percentiles over the load."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from perfkit.analysis.curves.curves import merged_histogram
from perfkit.analysis.curves.metrics import (
    column_format,
    load_number,
    load_text,
    metric_of,
    percentiles_note,
)
from perfkit.analysis.curves.series import CURVE_KEYS, by_label, require_columns
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import PERCENTILES, Row
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import axes, hover, line_chart
from perfkit.showing.figures.canvas import HEIGHT_MM, Canvas, Plotly, base_layout, escape, figure
from perfkit.showing.figures.panel_lines import Line, line_trace
from perfkit.showing.figures.panels import MOST_PANELS
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words

PER_DECADE, STEPS_PER_DECADE = 12, 20
"""Rows of the heat map, and steps of the histogram, in a decade of latency; fio's own buckets are
finer."""

COLORS = [[0.0, "#eaf2fa"], [0.35, "#9cc3e6"], [0.7, "#2f7bc0"], [1.0, "#062f5c"]]
"""One hue from light to dark: it reads the same on grey paper."""

FLOOR = -2.0
"""Shares below 0.01% (10^-2 percent) have the lightest colour; none at all is left white."""


def plot_latency_heatmap(histogram: Measured, *, direction: str = "total") -> Figure:
    """The share of I/Os by latency at each load, over all repeats; one workload.

    Columns add up to 100%. The colours are logarithmic, so that the tail shows.

    Raises AnalysisError for several workloads or load kinds, or no samples of the direction.
    """
    merged = merged_histogram(histogram, direction=direction)
    return _plot_heatmap(merged)


@step(version=3, name="figure.latency_heatmap")
def _plot_heatmap(merged: Measured) -> Figure:
    rows = merged.frame.rows(named=True)
    if len({tuple(row.get(key) for key in CURVE_KEYS) for row in rows}) > 1:
        raise AnalysisError("a heat map shows one curve: filter by workload first")
    shares = {
        (load, level): share
        for load, own in rows_by(rows, lambda row: row["load"]).items()
        for level, share in _binned(own, PER_DECADE).items()
    }
    places = axes.load_places({"": rows})
    values = [row["value_s"] for row in rows]
    form = column_format("lat_mean_s", [max(values)])
    scale = UNITS[form.unit].si
    levels = sorted({level for _, level in shares})
    every = list(range(levels[0], levels[-1] + 1))
    heights = [10 ** ((level + 0.5) / PER_DECADE) / scale for level in every]
    y = Scale(f"Latency ({UNITS[form.unit].symbol})", log=True)
    plot = Canvas(1.0, 1.0)
    data = [
        {
            "type": "heatmap",
            "x": list(places.values()),
            "y": heights,
            "z": [[shade(shares.get((load, level))) for load in places] for level in every],
            "colorscale": COLORS,
            "zmin": FLOOR,
            "zmax": 2,
            "xgap": 3,
            "hoverongaps": False,
            "colorbar": {
                "title": {"text": "Share of I/Os (%)", "side": "right"},
                "thickness": 12,
                "outlinewidth": 0,
                "tickvals": [-2, -1, 0, 1, 2],
                "ticktext": ["0.01", "0.1", "1", "10", "100"],
            },
            "customdata": [
                [_cell_words(load, shares.get((load, level))) for load in places] for level in every
            ],
            "hovertemplate": f"%{{customdata}} at about %{{y:.3~g}} {UNITS[form.unit].symbol}"
            "<extra></extra>",
        }
    ]
    layout = base_layout(axes.load_title({"": rows}), *y.heading(plot.height))
    layout["xaxis"] |= axes.load_scale({"": rows}).axis(
        (-0.5, len(places) - 0.5), plot.width, high=False
    )
    ends = y.range([heights[0], heights[-1]])
    layout["yaxis"] |= {**y.axis(ends, plot.height, high=True), "showgrid": False}
    words = Words()
    alt = _alt(words, rows)
    name = rows[0]["workload"]
    given = f"Share of I/Os by latency and {axes.load_title({'': rows})}, {name}."
    return Figure(
        "latency-heatmap", figure(data, layout), given, alt, HEIGHT_MM, printed=tuple(words.printed)
    )


def _binned(rows: Sequence[Row], per_decade: int) -> dict[int, float]:
    """The share of the I/Os in each step of latency that has some."""
    counts: dict[int, int] = {}
    for row in rows:
        step = math.floor(math.log10(row["value_s"]) * per_decade)
        counts[step] = counts.get(step, 0) + row["count"]
    total = sum(counts.values())
    return {step: count / total for step, count in counts.items()}


def _cell_words(load: float, share: float | None) -> str:
    """A cell in words: its load and its share of the I/Os."""
    return f"load {load_number(load).text}<br>{_SHARE.show(share).text} of I/Os" if share else ""


_SHARE = Format("%", significant=2)


def shade(share: float | None) -> float | None:
    """The colour of a share: the logarithm of its percentage, none where there is nothing."""
    return None if not share else max(FLOOR, math.log10(share * 100))


def _alt(words: Words, rows: list[Row]) -> str:
    ends: list[Plotly] = [rows[0], rows[-1]]
    said = []
    for end in ends if ends[0]["load"] != ends[1]["load"] else ends[:1]:
        p50, p99 = (words.value(name, end[name]) for name in ("lat_p50_s", "lat_p99_s"))
        said.append(f"at {words.load_of(end)} the median is {p50} and the 99th percentile {p99}")
    loads = len({row["load"] for row in rows})
    return (
        f"Heat map of latency over {words.count(loads)} loads, "
        f"{rows[0]['workload']}: {'; '.join(said)}."
    )


def plot_latency_histogram(
    histogram: Measured, *, load: float | None = None, direction: str = "total"
) -> Figure:
    """The share of I/Os by latency at one load, a line a system, over all repeats.

    Args:
        histogram: Bins with the keys of the curves, ``value_s`` and ``count``.
        load: The load; None: the highest that every curve has.
        direction: read, write or total.

    Raises:
        AnalysisError: No samples of the direction, or no load that all curves have.
    """
    merged = merged_histogram(histogram, direction=direction)
    return _plot_histogram(merged, load=load)


@step(version=4, name="figure.latency_histogram")
def _plot_histogram(merged: Measured, *, load: float | None) -> Figure:
    rows = merged.frame.rows(named=True)
    curves = by_label(rows)
    at = axes.common_load(curves, load)
    curves = {label: [r for r in own if r["load"] == at] for label, own in curves.items()}
    everything = [row["value_s"] for own in curves.values() for row in own]
    form = axes.axis_format("lat_mean_s", everything)
    unit = UNITS[form.unit]
    lines = []
    for place, (label, own) in zip(axes.places_of(curves), curves.items(), strict=True):
        shares = _binned(own, STEPS_PER_DECADE)
        steps = range(min(shares), max(shares) + 1)
        xs = [10 ** ((step + 0.5) / STEPS_PER_DECADE) / unit.si for step in steps]
        ys = [100 * shares.get(step, 0.0) for step in steps]
        look = style.series(place.look)
        lines.append(
            Line(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": escape(label),
                    "x": xs,
                    "y": ys,
                    "line": {
                        "color": look["color"],
                        "width": 2,
                        "dash": look["dash"],
                        "shape": "hvh",
                    },
                    "hovertemplate": f"{escape(label)}<br>%{{x:.3~g}} {unit.symbol}: "
                    "%{y:.2~f}% of I/Os<extra></extra>",
                },
                place.name,
                place.panel,
            )
        )
    x = Scale(f"Latency ({unit.symbol})", log=True)
    chart = line_chart.draw(lines, x, Scale("Share of I/Os (%)"), legend=len(lines) > 1)
    words = Words()
    alt = _histogram_alt(words, curves)
    kind = next(iter(curves.values()))[0]["load_kind"]
    caption = (
        f"Share of I/Os by latency at {load_text(kind, at)}, in steps of a twentieth of a decade; "
        "log scale."
    )
    return chart.figure("latency-histogram", caption, alt, words.printed)


def _histogram_alt(words: Words, curves: axes.Series) -> str:
    said = []
    for label, rows in curves.items():
        p50, p99 = (words.value(name, rows[0][name]) for name in ("lat_p50_s", "lat_p99_s"))
        said.append(f"{label}: median {p50}, 99th percentile {p99}")
    first = next(iter(curves.values()))[0]
    return f"Histogram of latency at {words.load_of(first)}. {'; '.join(said)}."


FAN_COLORS = ("#0b5cad", "#2b74bd", "#00806b", "#d9730d", "#9c2f72")


@step(version=5, name="figure.percentile_fan")
def plot_percentile_fan(curve: Measured) -> Figure:
    """The percentiles p50 to p99.99 over the load, a panel for each curve, on one log scale.

    Percentiles differ by colour, mark and dash. The caption names curves without percentiles.

    Raises AbsentError where no curve has a percentile, or more have one than a page has room for.
    """
    require_columns(curve.frame, ["load", "load_kind", *PERCENTILES], "curve")
    every: axes.Series = {
        label: sorted(rows, key=lambda row: row["load"])
        for label, rows in by_label(curve.frame.rows(named=True)).items()
    }
    panels = {label: own for label, own in every.items() if _with_percentiles(own)}
    if not panels:
        raise AbsentError(
            "no percentile is known: several repeats need their histograms, as percentiles are "
            "never averaged"
        )
    if len(panels) > MOST_PANELS:
        raise AbsentError(f"{len(panels)} curves are too many for one chart: choose some of them")
    known = [_with_percentiles(own) for own in panels.values()]
    values = [row[name] for found in known for name, own in found.items() for row in own]
    form = axes.axis_format("lat_mean_s", values)
    unit = UNITS[form.unit]
    lines = [
        line
        for label, rows in panels.items()
        for line in _fan_lines(
            label, rows, axes.load_places(panels), form.unit, alone=len(panels) == 1
        )
    ]
    y = Scale(f"Latency ({unit.symbol})", log=True)
    chart = line_chart.draw(lines, axes.load_scale(panels), y)
    words = Words()
    alt = _fan_alt(words, panels)
    without = [label for label in every if label not in panels]
    return chart.figure("percentile-fan", _fan_caption(panels, without), alt, words.printed)


def _with_percentiles(rows: Sequence[Row]) -> axes.Series:
    """The load points that have a percentile, by its column; of those that any point has."""
    found = {name: [row for row in rows if row[name] is not None] for name in PERCENTILES}
    return {name: known for name, known in found.items() if known}


def _fan_lines(
    label: str, rows: Sequence[Row], places: Mapping[float, float], unit: str, *, alone: bool
) -> Iterator[Line]:
    """The line of each percentile, broken where a load lacks it."""
    scale, symbol = UNITS[unit].si, UNITS[unit].symbol
    hover_texts = [
        f"load {load_number(row['load']).text}{hover.after(hover.repeats(row.get('repeats')))}"
        for row in rows
    ]
    for name in _with_percentiles(rows):
        index = list(PERCENTILES).index(name)
        look, color, short = style.series(index), FAN_COLORS[index], metric_of(name).short
        xs = [places[row["load"]] for row in rows]
        ys = [None if row[name] is None else row[name] / scale for row in rows]
        trace = line_trace(index, short, xs, ys, ("", "")) | {
            "line": {"color": color, "width": 2, "dash": look["dash"]},
            "marker": {"color": color, "symbol": look["symbol"], "size": 6},
            "customdata": hover_texts,
            "hovertemplate": f"{escape(label)}<br>%{{customdata}}<br>{short} %{{y:,.4~g}} {symbol}"
            "<extra></extra>",
        }
        yield Line(trace, short, "" if alone else label)


def _fan_caption(panels: axes.Series, without: Sequence[str]) -> str:
    load = axes.in_sentence(axes.load_title(panels))
    (only, *others) = panels
    said = [f"Latency percentiles by {load}, {'' if others else f'{only}; '}log scale."]
    said += filter(None, [percentiles_note(axes.all_rows(panels))])
    if without:
        said.append(f"Not drawn, for lack of percentiles: {', '.join(without)}.")
    return " ".join(said)


def _fan_alt(words: Words, panels: Mapping[str, Sequence[Row]]) -> str:
    said = []
    for label, rows in panels.items():
        parts = [
            f"{metric_of(name).short} from {words.value(name, known[0][name])} at "
            f"{words.load_of(known[0])} to {words.value(name, known[-1][name])} at "
            f"{words.load_of(known[-1])}"
            for name, known in _with_percentiles(rows).items()
        ]
        said.append(f"{label}: {', '.join(parts)}")
    charts = "Line chart" if len(panels) == 1 else "Line charts"
    return f"{charts} of latency percentiles against the load. {'; '.join(said)}."
