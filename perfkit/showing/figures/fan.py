"""How latency spreads: percentiles over the load, a panel for each curve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from perfkit.analysis.curves.metrics import column_format, metric_of, percentiles_note
from perfkit.analysis.curves.series import Row, by_label, require_columns
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import PERCENTILES
from perfkit.core.units import UNITS
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures.axes import (
    Data,
    Series,
    all_rows,
    in_sentence,
    load_axis,
    load_places,
    load_title,
    log_axis,
    log_ticks,
)
from perfkit.showing.figures.canvas import HEIGHT_MM, Canvas, base_layout, escape, figure
from perfkit.showing.figures.words import Words

FAN_COLORS = ("#0b5cad", "#2b74bd", "#00806b", "#d9730d", "#9c2f72")

MOST_PANELS = 4
"""Panels side by side that still have room for their loads."""

_TOP_PX = 30.0
_GUTTER = 0.035
_NAME_ROOM = 0.1
"""Room right of the last panel for the names of the percentiles, of the whole width."""


@step(version=3, name="figure.percentile_fan")
def plot_percentile_fan(
    curve: Measured, *, value_id: str = "percentile-fan", caption: str | None = None
) -> Figure:
    """The percentiles p50 to p99.99 over the load, a panel for each curve, on one log scale.

    Percentiles differ by colour, mark and dash. The caption names curves without percentiles.

    Raises AnalysisError where no curve has a percentile, or more than four have one.
    """
    require_columns(curve.frame, ["load", "load_kind", *PERCENTILES], "curve")
    every: Series = {
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
        raise AnalysisError(f"{len(panels)} fans find no room beside each other: filter first")
    known = [_known(own) for own in panels.values()]
    values = [row[name] for found in known for name, own in found.items() for row in own]
    form = column_format("lat_mean_s", [max(values)])
    scale = UNITS[form.unit].si
    low, high, ticks = log_axis([value / scale for value in values])
    layout = base_layout(load_title(panels), f"Latency ({UNITS[form.unit].symbol})")
    layout["yaxis"] |= log_ticks(ticks) | {"range": [low, high]}
    layout["margin"]["t"] = _TOP_PX
    layout["annotations"] = []
    data: Data = []
    for number, label in enumerate(panels):
        axis = _add_panel(layout, number, panels)
        lines, ends = _lines(label, panels[label], axis, scale)
        data += lines
    canvas = Canvas(x_max=float(len(panels[label])), y_max=high, y_min=low, top_px=_TOP_PX)
    layout["annotations"] += [{**note, "xref": axis} for note in canvas.stack(ends)]
    words = Words()
    alt = _alt(words, panels)
    without = [label for label in every if label not in panels]
    return Figure(check_id(value_id), figure(data, layout), caption or _caption(panels, without),
                  alt, HEIGHT_MM, printed=tuple(words.printed))  # fmt: skip


def _known(rows: Sequence[Row]) -> Series:
    """The load points that have a percentile, by its column; of those that any point has."""
    found = {name: [row for row in rows if row[name] is not None] for name in PERCENTILES}
    return {name: known for name, known in found.items() if known}


def _add_panel(layout: dict[str, Any], number: int, panels: Series) -> str:
    """Put the load axis of a panel into the layout, and of several its name above; the axis."""
    label = list(panels)[number]
    width = (1 - _NAME_ROOM - _GUTTER * (len(panels) - 1)) / len(panels)
    left = number * (width + _GUTTER)
    places = load_places({label: panels[label]})
    suffix = str(number + 1) if number else ""
    layout[f"xaxis{suffix}"] = {
        **layout["xaxis"], **load_axis(places), "domain": [left, left + width], "anchor": "y",
        "range": [-0.4, len(places) - 0.6],
    }  # fmt: skip
    if len(panels) > 1:
        layout["annotations"].append({
            "text": f"<b>{escape(label)}</b>", "xref": "paper", "yref": "paper",
            "x": left + width / 2, "y": 1, "xanchor": "center", "yanchor": "bottom", "yshift": 5,
            "showarrow": False, "font": {"size": style.FONT_SIZE_PX, "color": style.TEXT},
        })  # fmt: skip
    return f"x{suffix}"


def _lines(
    label: str, rows: Sequence[Row], axis: str, scale: float
) -> tuple[Data, list[tuple[str, float, float, str]]]:
    """The line of each percentile, broken where a load lacks it; where each ends, for its name."""
    places = load_places({label: list(rows)})
    lines: Data = []
    ends = []
    for name, known in _known(rows).items():
        index = list(PERCENTILES).index(name)
        look, color, short = style.series(index), FAN_COLORS[index], metric_of(name).short
        lines.append({
            "type": "scatter", "mode": "lines+markers", "name": short,
            "x": [places[row["load"]] for row in rows],
            "y": [None if row[name] is None else row[name] / scale for row in rows],
            "xaxis": axis, "yaxis": "y", "line": {"color": color, "width": 2, "dash": look["dash"]},
            "marker": {"color": color, "symbol": look["symbol"], "size": 6},
            "hovertemplate": f"{escape(label)} {short} %{{y:,.4~g}}<extra></extra>",
        })  # fmt: skip
        # on a log axis Plotly takes an annotation's y as the power of ten
        last = known[-1]
        ends.append((short, places[last["load"]], math.log10(last[name] / scale), color))
    return lines, ends


def _caption(panels: Series, without: Sequence[str]) -> str:
    load = in_sentence(load_title(panels))
    (only, *others) = panels
    said = [f"Latency percentiles by {load}, {'' if others else f'{only}; '}log scale."]
    said += filter(None, [percentiles_note(all_rows(panels))])
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
