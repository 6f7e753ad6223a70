"""How latency spreads: percentiles over the load, a panel for each curve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import load_number, metric_of, percentiles_note
from perfkit.analysis.curves.series import by_label, require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import PERCENTILES, Row
from perfkit.core.units import UNITS
from perfkit.showing import style
from perfkit.showing.figures import axes, hover, line_chart
from perfkit.showing.figures.canvas import escape
from perfkit.showing.figures.line_chart import Line
from perfkit.showing.figures.panels import MOST_PANELS
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words

if TYPE_CHECKING:
    from perfkit.core.values import Figure

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
    panels = {label: own for label, own in every.items() if _known(own)}
    if not panels:
        raise AbsentError(
            "no percentile is known: several repeats need their histograms, as percentiles are "
            "never averaged"
        )
    if len(panels) > MOST_PANELS:
        raise AbsentError(f"{len(panels)} curves are too many for one chart: choose some of them")
    known = [_known(own) for own in panels.values()]
    values = [row[name] for found in known for name, own in found.items() for row in own]
    form = axes.axis_format("lat_mean_s", values)
    unit = UNITS[form.unit]
    lines = [
        line for label, rows in panels.items()
        for line in _lines(label, rows, axes.load_places(panels), form.unit, alone=len(panels) == 1)
    ]  # fmt: skip
    y = Scale(f"Latency ({unit.symbol})", log=True)
    chart = line_chart.draw(lines, axes.load_scale(panels), y)
    words = Words()
    alt = _alt(words, panels)
    without = [label for label in every if label not in panels]
    return chart.figure("percentile-fan", _caption(panels, without), alt, words.printed)


def _known(rows: Sequence[Row]) -> axes.Series:
    """The load points that have a percentile, by its column; of those that any point has."""
    found = {name: [row for row in rows if row[name] is not None] for name in PERCENTILES}
    return {name: known for name, known in found.items() if known}


def _lines(
    label: str, rows: Sequence[Row], places: Mapping[float, float], unit: str, *, alone: bool
) -> Iterator[Line]:
    """The line of each percentile, broken where a load lacks it."""
    scale, symbol = UNITS[unit].si, UNITS[unit].symbol
    told = [
        f"load {load_number(row['load']).text}{hover.after(hover.repeats(row.get('repeats')))}"
        for row in rows
    ]
    for name in _known(rows):
        index = list(PERCENTILES).index(name)
        look, color, short = style.series(index), FAN_COLORS[index], metric_of(name).short
        trace = {
            "type": "scatter", "mode": "lines+markers", "name": short,
            "x": [places[row["load"]] for row in rows],
            "y": [None if row[name] is None else row[name] / scale for row in rows],
            "line": {"color": color, "width": 2, "dash": look["dash"]},
            "marker": {"color": color, "symbol": look["symbol"], "size": 6},
            "customdata": told,
            "hovertemplate": f"{escape(label)}<br>%{{customdata}}<br>{short} %{{y:,.4~g}} {symbol}"
            "<extra></extra>",
        }  # fmt: skip
        yield Line(trace, short, "" if alone else label)


def _caption(panels: axes.Series, without: Sequence[str]) -> str:
    load = axes.in_sentence(axes.load_title(panels))
    (only, *others) = panels
    said = [f"Latency percentiles by {load}, {'' if others else f'{only}; '}log scale."]
    said += filter(None, [percentiles_note(axes.all_rows(panels))])
    if without:
        said.append(f"Without percentiles, and so not drawn: {', '.join(without)}.")
    return " ".join(said)


def _alt(words: Words, panels: Mapping[str, Sequence[Row]]) -> str:
    said = []
    for label, rows in panels.items():
        parts = [
            f"{metric_of(name).short} from {words.value(name, known[0][name])} at "
            f"{words.load_of(known[0])} to {words.value(name, known[-1][name])} at "
            f"{words.load_of(known[-1])}"
            for name, known in _known(rows).items()
        ]
        said.append(f"{label}: {', '.join(parts)}")
    charts = "Line chart" if len(panels) == 1 else "Line charts"
    return f"{charts} of latency percentiles against the load. {'; '.join(said)}."
