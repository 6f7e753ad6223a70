"""Charts of whole distributions: how all latencies lie at each load."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from perfkit.analysis.curves.latency_bins import merged_histogram
from perfkit.analysis.curves.metrics import column_format, load_number
from perfkit.analysis.curves.series import CURVE_KEYS
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Figure
from perfkit.showing.figures.axes import load_places, load_scale, load_title
from perfkit.showing.figures.canvas import HEIGHT_MM, Canvas, base_layout, figure
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words

if TYPE_CHECKING:
    from perfkit.core.schema import Row

PER_DECADE = 12
"""Rows of the heat map in a decade of latency."""

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
    shares = _shares(rows)
    places = load_places({"": rows})
    values = [row["value_s"] for row in rows]
    form = column_format("lat_mean_s", [max(values)])
    scale = UNITS[form.unit].si
    levels = sorted({level for _, level in shares})
    every = list(range(levels[0], levels[-1] + 1))
    heights = [10 ** ((level + 0.5) / PER_DECADE) / scale for level in every]
    y = Scale(f"Latency ({UNITS[form.unit].symbol})", log=True)
    plot = Canvas(1.0, 1.0)
    data = [{
        "type": "heatmap", "x": list(places.values()), "y": heights,
        "z": [[_color(shares.get((load, level))) for load in places] for level in every],
        "colorscale": COLORS, "zmin": FLOOR, "zmax": 2, "xgap": 3, "hoverongaps": False,
        "colorbar": {"title": {"text": "Share of I/Os (%)", "side": "right"}, "thickness": 12,
                     "outlinewidth": 0, "tickvals": [-2, -1, 0, 1, 2],
                     "ticktext": ["0.01", "0.1", "1", "10", "100"]},
        "customdata": [[_told(load, shares.get((load, level))) for load in places]
                       for level in every],
        "hovertemplate": f"%{{customdata}} at about %{{y:.3~g}} {UNITS[form.unit].symbol}"
        "<extra></extra>",
    }]  # fmt: skip
    layout = base_layout(load_title({"": rows}), *y.heading(plot.height))
    layout["xaxis"] |= load_scale({"": rows}).axis(
        (-0.5, len(places) - 0.5), plot.width, high=False
    )
    ends = y.range([heights[0], heights[-1]])
    layout["yaxis"] |= {**y.axis(ends, plot.height, high=True), "showgrid": False}
    words = Words()
    alt = _alt(words, rows)
    name = rows[0]["workload"]
    given = f"Share of I/Os by latency and {load_title({'': rows})}, {name}."
    return Figure("latency-heatmap", figure(data, layout), given, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


def _shares(rows: list[Row]) -> dict[tuple[float, int], float]:
    """(load, level) -> share of the load's I/Os in that level of latency."""
    totals: dict[float, int] = {}
    counts: dict[tuple[float, int], int] = {}
    for row in rows:
        level = math.floor(math.log10(row["value_s"]) * PER_DECADE)
        totals[row["load"]] = totals.get(row["load"], 0) + row["count"]
        key = (row["load"], level)
        counts[key] = counts.get(key, 0) + row["count"]
    return {key: count / totals[key[0]] for key, count in counts.items()}


def _told(load: float, share: float | None) -> str:
    """A cell in words: its load and its share of the I/Os."""
    return f"load {load_number(load).text}<br>{_SHARE.show(share).text} of I/Os" if share else ""


_SHARE = Format("%", significant=2)


def _color(share: float | None) -> float | None:
    return None if not share else max(FLOOR, math.log10(share * 100))


def _alt(words: Words, rows: list[Row]) -> str:
    ends: list[dict[str, Any]] = [rows[0], rows[-1]]
    said = []
    for end in ends if ends[0]["load"] != ends[1]["load"] else ends[:1]:
        p50, p99 = (words.value(name, end[name]) for name in ("lat_p50_s", "lat_p99_s"))
        said.append(f"at {words.load_of(end)} the median is {p50} and the 99th percentile {p99}")
    loads = len({row["load"] for row in rows})
    return (
        f"Heat map of latency over {words.count(loads)} loads, "
        f"{rows[0]['workload']}: {'; '.join(said)}."
    )
