"""The histogram of latency at one load, several systems in one chart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfkit.analysis.curves.latency_bins import merged_histogram
from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import by_label
from perfkit.core.lineage import Measured, step
from perfkit.core.units import UNITS
from perfkit.showing import style
from perfkit.showing.figures import line_chart
from perfkit.showing.figures.axes import Series, axis_format, common_load, places_of
from perfkit.showing.figures.canvas import escape
from perfkit.showing.figures.line_chart import Line
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words

if TYPE_CHECKING:
    from perfkit.core.schema import Row
    from perfkit.core.values import Figure

PER_DECADE = 20
"""Steps of the histogram in a decade of latency; fio's own buckets are finer."""


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
    at = common_load(curves, load)
    curves = {label: [r for r in own if r["load"] == at] for label, own in curves.items()}
    everything = [row["value_s"] for own in curves.values() for row in own]
    form = axis_format("lat_mean_s", everything)
    unit = UNITS[form.unit]
    lines = []
    for place, (label, own) in zip(places_of(curves), curves.items(), strict=True):
        xs, ys = _steps(own, unit.si)
        look = style.series(place.look)
        lines.append(Line({
            "type": "scatter", "mode": "lines", "name": escape(label), "x": xs, "y": ys,
            "line": {"color": look["color"], "width": 2, "dash": look["dash"], "shape": "hvh"},
            "hovertemplate": f"{escape(label)}<br>%{{x:.3~g}} {unit.symbol}: %{{y:.2~f}}% of I/Os"
            "<extra></extra>",
        }, place.name, place.panel))  # fmt: skip
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
