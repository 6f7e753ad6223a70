"""The curves of a comparison with the values marked at which they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfkit.analysis.compare.asked import asked_at, changes_asked, changes_of
from perfkit.analysis.curves.metrics import exact_printed, load_text, printed
from perfkit.core.lineage import Measured, step
from perfkit.core.units import UNITS
from perfkit.showing import style
from perfkit.showing.figures.axes import axis_format, brushing
from perfkit.showing.figures.canvas import escape
from perfkit.showing.figures.curves import plot_latency_curve
from perfkit.showing.figures.line_chart import axes_by_name

if TYPE_CHECKING:
    from perfkit.core.answers import Answer, Condition
    from perfkit.core.values import Figure

MARK_PX = 12


@step(version=4, name="figure.compared_curves")
def plot_compared_curves(
    curve: Measured,
    comparison: Measured,
    *,
    question: str,
    at: Sequence[float],
    metric: str = "lat_mean_s",
    points: Measured | None = None,
    bands: bool = True,
    limit_s: float | None = None,
) -> Figure:
    """The latency curves, with the answers of one question at some of its values as open marks.

    A thin line stands at the latency or the IOPS at which the curves are compared. Hovering over a
    mark says what it is.

    Args:
        curve: What ``latency_curve`` gave of the compared load points.
        comparison: What ``compare`` gave of them.
        question: iops_at_latency, latency_at_iops, or iops_at_load (with latency_at_load).
        at: Which of the values are marked, in SI base units.
        metric: The latency.
        points: The repeats, drawn as small marks.
        bands: Intervals as bands; otherwise as bars.
        limit_s: A limit, drawn as a dashed line.

    Raises AnalysisError for what a curve lacks (``plot_latency_curve``), or no such question.
    """
    drawn = plot_latency_curve(
        curve, metric=metric, points=points, bands=bands, limit_s=limit_s
    ).renamed("compared-curves")
    changes = [
        item for item in changes_asked(comparison, question)
        if (asked := asked_at(item)) and asked.value in at
    ]  # fmt: skip
    places = _PLACES[question](_sides(changes), _latencies(comparison))
    known = [row for row in curve.frame.rows(named=True) if row["iops"] and row[metric]]
    forms = [axis_format(name, [row[name] for row in known]) for name in ("iops", metric)]
    scales = [UNITS[form.unit].si for form in forms]
    drawn.plotly.update_layout(meta=brushing(("iops", forms[0]), (metric, forms[1])))
    look = {"symbol": "circle-open", "size": MARK_PX, "color": style.TEXT, "line": {"width": 1.6}}
    axes = axes_by_name(drawn.plotly)
    for panel in dict.fromkeys(axes.values()):
        own = [place for place in places if axes.get(escape(place["name"]), panel) == panel]
        if own:
            drawn.plotly.add_trace({
                "type": "scatter", "mode": "markers", "name": "compared", "marker": look,
                "x": [place["iops"] / scales[0] for place in own], "xaxis": panel[0],
                "y": [place["latency"] / scales[1] for place in own], "yaxis": panel[1],
                "hovertext": [escape(f"{place['name']}: {place['text']}") for place in own],
                "hoverinfo": "text", "showlegend": False,
            })  # fmt: skip
    if question in _LINES:
        axis, scale = _LINES[question], scales[_LINES[question] == "y"]
        for value in dict.fromkeys(place.value for item in changes if (place := asked_at(item))):
            for x, y in dict.fromkeys(axes.values()):
                drawn.plotly.add_shape(_line(axis, value / scale, x, y))
    told = dict.fromkeys(item for change in changes for item in change.cautions)
    return replace(drawn, cautions=tuple(dict.fromkeys([*(drawn.cautions or ()), *told])))


def _line(axis: str, at: float, x: str, y: str) -> dict[str, Any]:
    other = "y" if axis == "x" else "x"
    refs = {"xref": x, "yref": y}
    refs[f"{other}ref"] += " domain"
    return {
        "type": "line", f"{axis}0": at, f"{axis}1": at, f"{other}0": 0, f"{other}1": 1, **refs,
        "line": {"color": style.AXIS, "width": 1}, "layer": "below",
    }  # fmt: skip


_LINES = {"iops_at_latency": "y", "latency_at_iops": "x"}


Side = tuple[str, "Condition", "Answer"]
"""What a side is called, the value it was asked at, and its answer."""


def _sides(changes: Sequence[Answer]) -> list[Side]:
    """The sides that have a value, the baseline first; one that several changes share, once."""
    sides = dict.fromkeys(s for item in changes for s in item.sides[::-1] if s.estimate)
    return [(side.subject.label, at, side) for side in sides if (at := asked_at(side))]


def _value_text(side: Answer) -> str:
    return printed(side.metric, side.got.value).text


def _exact(at: Condition) -> str:
    return exact_printed(at.metric, at.value).text


_Key = tuple[object, float]


def _latencies(comparison: Measured) -> dict[_Key, Answer]:
    """The latency of each curve at each load that was asked for."""
    changes = [item for item in changes_of(comparison) if item.question == "latency_at_load"]
    return {(side.subject, at.value): side for _, at, side in _sides(changes)}


def _at_latency(sides: Sequence[Side], _latencies: dict[_Key, Answer]) -> list[dict[str, Any]]:
    return [
        {"name": name, "iops": side.got.value, "latency": at.value,
         "text": f"{_value_text(side)} at {_exact(at)}"}
        for name, at, side in sides
    ]  # fmt: skip


def _at_iops(sides: Sequence[Side], _latencies: dict[_Key, Answer]) -> list[dict[str, Any]]:
    return [
        {"name": name, "iops": at.value, "latency": side.got.value,
         "text": f"{_value_text(side)} at {_exact(at)}"}
        for name, at, side in sides
    ]  # fmt: skip


def _at_load(sides: Sequence[Side], latencies: dict[_Key, Answer]) -> list[dict[str, Any]]:
    """The load points themselves: their IOPS, and their latency where it is known."""
    return [
        {
            "name": name,
            "iops": side.got.value,
            "latency": latency.got.value,
            "text": f"{_value_text(side)} and {_value_text(latency)} "
            f"at {load_text(at.metric, at.value)}",
        }
        for name, at, side in sides
        if (latency := latencies.get((side.subject, at.value))) is not None
    ]


_PLACES = {"iops_at_latency": _at_latency, "latency_at_iops": _at_iops, "iops_at_load": _at_load}
MARKED = tuple(_PLACES)
"""The questions whose answers can be marked in the curves."""
