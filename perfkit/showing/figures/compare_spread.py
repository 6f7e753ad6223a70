"""Distributions side by side: percentile fans of several systems, and one load's histogram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perfkit.analysis.curves.latency_bins import merged_histogram
from perfkit.analysis.curves.metrics import (
    column_format,
    load_number,
    load_text,
    metric_of,
    percentiles_note,
)
from perfkit.analysis.curves.series import Row, require_columns, series_labels
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import PERCENTILES
from perfkit.core.units import UNITS
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures.axes import (
    Data,
    Series,
    in_sentence,
    load_axis,
    load_places,
    load_title,
    log_axis,
    log_ticks,
)
from perfkit.showing.figures.canvas import HEIGHT_MM, Canvas, base_layout, escape, figure
from perfkit.showing.figures.fan import FAN_COLORS, line_by_load
from perfkit.showing.figures.words import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_PANELS = 4
"""Fans beside each other that still have room for their loads."""

_GUTTER = 0.035
_NAME_ROOM = 0.1
"""Room at the right of the last panel for the percentiles' names, of the whole width."""


@step(version=2, name="figure.percentile_fans")
def plot_percentile_fans(
    curve: Measured, *, value_id: str = "percentile-fans", caption: str | None = None
) -> Figure:
    """The percentiles p50 to p99.99 over the load, a panel a system, on one scale.

    Percentiles differ by shade, mark and dash. A curve without percentiles is told in the caption.

    Raises AnalysisError where no curve has a percentile, or there are more than four.
    """
    require_columns(curve.frame, ["load", "load_kind", *PERCENTILES], "curve")
    rows = curve.frame.rows(named=True)
    panels: Series = {}
    for label, row in zip(series_labels(rows), rows, strict=True):
        panels.setdefault(label, []).append(row)
    without = [label for label, own in panels.items() if not any(map(_has_one, own))]
    panels = {label: own for label, own in panels.items() if label not in without}
    if not panels:
        raise AbsentError("no percentile is known: percentiles are never averaged")
    if len(panels) > MOST_PANELS:
        raise AnalysisError(f"{len(panels)} fans find no room beside each other: filter first")
    values = [row[n] for own in panels.values() for row in own for n in PERCENTILES
              if row[n] is not None]  # fmt: skip
    form = column_format("lat_mean_s", [max(values)])
    scale = UNITS[form.unit].si
    low, high, ticks = log_axis([value / scale for value in values])
    title = load_title(panels)
    layout = base_layout(title, f"Latency ({UNITS[form.unit].symbol})")
    layout["yaxis"] |= log_ticks(ticks) | {"range": [low, high]}
    layout["annotations"] = []
    data: Data = []
    for number, (label, own) in enumerate(panels.items()):
        data += _panel(layout, number, len(panels), (label, own), title=title, scale=scale,
                       y_range=(low, high))  # fmt: skip
    layout["margin"] = {**layout["margin"], "t": 30}
    words = Words()
    alt = _fans_alt(words, panels)
    note = percentiles_note([row for own in panels.values() for row in own])
    missing = f" Without percentiles, and so not drawn: {', '.join(without)}." if without else ""
    given = caption or (
        f"Latency percentiles by {in_sentence(title)}, log scale."
        f"{f' {note}' if note else ''}{missing}"
    )
    return Figure(check_id(value_id), figure(data, layout), given, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


def _has_one(row: Row) -> bool:
    """Whether a load point has any percentile."""
    return any(row[name] is not None for name in PERCENTILES)


def _panel(
    layout: dict[str, Any], number: int, count: int, curve: tuple[str, Sequence[Row]], *,
    title: str, scale: float, y_range: tuple[float, float],
) -> Data:  # fmt: skip
    """The traces of one system; its axis and name go into the layout."""
    label, rows = curve
    width = (1 - _NAME_ROOM - _GUTTER * (count - 1)) / count
    left = number * (width + _GUTTER)
    axis = "x" if number == 0 else f"x{number + 1}"
    places = load_places({label: list(rows)})
    own = {**layout["xaxis"], **load_axis(places), "domain": [left, left + width], "anchor": "y",
           "range": [-0.4, len(places) - 0.6], "title": {"text": title}}  # fmt: skip
    layout[f"xaxis{number + 1 if number else ''}"] = own
    layout["annotations"].append({
        "text": f"<b>{escape(label)}</b>", "xref": "paper", "yref": "paper", "x": left + width / 2,
        "y": 1, "xanchor": "center", "yanchor": "bottom", "yshift": 5, "showarrow": False,
        "font": {"size": style.FONT_SIZE_PX, "color": style.TEXT},
    })  # fmt: skip
    data: Data = []
    ends = []
    for index, name in enumerate(PERCENTILES):
        xs, ys = line_by_load(rows, name, scale)
        known = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
        if not known:
            continue
        look = style.series(index)
        data.append({
            "type": "scatter", "mode": "lines+markers", "name": metric_of(name).short,
            "x": xs, "y": ys, "xaxis": axis, "yaxis": "y",
            "line": {"color": FAN_COLORS[index], "width": 2, "dash": look["dash"]},
            "marker": {"color": FAN_COLORS[index], "symbol": look["symbol"], "size": 6},
            "hovertemplate": f"{escape(label)} {metric_of(name).short} %{{y:,.4~g}}<extra></extra>",
        })  # fmt: skip
        last, top = known[-1]
        ends.append((metric_of(name).short, last, math.log10(top), FAN_COLORS[index]))
    if number == count - 1:
        canvas = Canvas(x_max=float(len(places)), y_max=y_range[1], y_min=y_range[0])
        layout["annotations"] += [{**note, "xref": axis} for note in canvas.stack(ends)]
    return data


def _fans_alt(words: Words, panels: Mapping[str, Sequence[Row]]) -> str:
    said = []
    for label, every in panels.items():
        rows = [row for row in every if _has_one(row)]
        first, last = rows[0], rows[-1]
        parts = [
            f"{metric_of(name).short} from {words.value(name, first[name])} to "
            f"{words.value(name, last[name])}"
            for name in PERCENTILES
            if first[name] is not None and last[name] is not None
        ]
        said.append(f"{label}, {words.load_of(first)} to {words.load_of(last)}: {', '.join(parts)}")
    return f"Line charts of latency percentiles against the load. {'; '.join(said)}."


PER_DECADE = 20
"""Steps of the histogram in a decade of latency; fio's own buckets are finer."""


def plot_latency_histogram(
    histogram: Measured,
    *,
    load: float | None = None,
    direction: str = "total",
    value_id: str = "latency-histogram",
    caption: str | None = None,
) -> Figure:
    """The share of I/Os by latency at one load, a line a system, over all repeats.

    Args:
        histogram: Bins with the keys of the curves, ``value_s`` and ``count``.
        load: The load; None: the highest that every curve has.
        direction: read, write or total.
        value_id: The figure's id.
        caption: Its caption.

    Raises:
        AnalysisError: No samples of the direction, or no load that all curves have.
    """
    merged = merged_histogram(histogram, direction=direction)
    return _plot_histogram(merged, load=load, value_id=value_id, caption=caption)


@step(version=2, name="figure.latency_histogram")
def _plot_histogram(
    merged: Measured, *, load: float | None, value_id: str, caption: str | None
) -> Figure:
    rows = merged.frame.rows(named=True)
    curves: Series = {}
    for label, row in zip(series_labels(rows), rows, strict=True):
        curves.setdefault(label, []).append(row)
    shared = set.intersection(*({row["load"] for row in own} for own in curves.values()))
    if not shared or load not in {None, *shared}:
        raise AnalysisError(
            f"histogram: no load{'' if load is None else f' {load_number(load).text}'} is common "
            "to all curves"
        )
    at = max(shared) if load is None else load
    curves = {label: [r for r in own if r["load"] == at] for label, own in curves.items()}
    everything = [row["value_s"] for own in curves.values() for row in own]
    form = column_format("lat_mean_s", [max(everything)])
    scale = UNITS[form.unit].si
    data: Data = []
    ends: list[tuple[str, float, float, str]] = []
    for index, (label, own) in enumerate(curves.items()):
        xs, ys = _steps(own, scale)
        look = style.series(index)
        data.append({
            "type": "scatter", "mode": "lines", "name": escape(label), "x": xs, "y": ys,
            "line": {"color": look["color"], "width": 2, "dash": look["dash"], "shape": "hvh"},
            "hovertemplate": f"{escape(label)}<br>%{{x:.3~g}}: %{{y:.2~f}}%<extra></extra>",
        })  # fmt: skip
        top = max(range(len(ys)), key=ys.__getitem__)
        ends.append((label, xs[top], ys[top], look["color"]))
    low, high, ticks = log_axis([value / scale for value in everything])
    y_top = 1.15 * max(y for trace in data for y in trace["y"])
    canvas = Canvas(x_min=low, x_max=high, y_max=y_top)
    for trace in data:
        canvas.mark([math.log10(x) for x in trace["x"]], trace["y"], radius=2)
    layout = base_layout(f"Latency ({UNITS[form.unit].symbol})", "Share of I/Os (%)", canvas)
    layout["xaxis"] |= log_ticks(ticks) | {"range": [low, high]}
    layout["annotations"] = [] if len(ends) == 1 else [
        canvas.place(name, math.log10(x), y, size=12, bold=True, color=color,
                     places=("above right", "right", "above", "above left", "left"))
        for name, x, y, color in ends
    ]  # fmt: skip
    words = Words()
    alt = _histogram_alt(words, curves)
    kind = next(iter(curves.values()))[0]["load_kind"]
    given = caption or (
        f"Share of I/Os by latency at {load_text(kind, at)}, in steps of a twentieth of a decade; "
        "log scale."
    )
    return Figure(check_id(value_id), figure(data, layout), given, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


def _steps(rows: Sequence[Row], scale: float) -> tuple[list[float], list[float]]:
    """Middles of the steps, and the share of the I/Os in each; empty steps between are 0."""
    total = sum(row["count"] for row in rows)
    counts: dict[int, int] = {}
    for row in rows:
        place = math.floor(math.log10(row["value_s"]) * PER_DECADE)
        counts[place] = counts.get(place, 0) + row["count"]
    places = range(min(counts), max(counts) + 1)
    middles = [10 ** ((place + 0.5) / PER_DECADE) / scale for place in places]
    return middles, [100 * counts.get(place, 0) / total for place in places]


def _histogram_alt(words: Words, curves: Series) -> str:
    said = []
    for label, rows in curves.items():
        p50, p99 = (words.value(name, rows[0][name]) for name in ("lat_p50_s", "lat_p99_s"))
        said.append(f"{label}: median {p50}, 99th percentile {p99}")
    first = next(iter(curves.values()))[0]
    return f"Histogram of latency at {words.load_of(first)}. {'; '.join(said)}."
