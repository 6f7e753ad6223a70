"""The curves of a comparison with the values marked at which they are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from perfkit.analysis.compare.asked import asked_at, changes_asked, changes_of
from perfkit.analysis.curves import questions
from perfkit.analysis.curves.metrics import exact_printed, load_text, printed
from perfkit.core.answers import Answer, Condition
from perfkit.core.lineage import Measured, step
from perfkit.core.units import UNITS
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures.axes import axis_format, brushing
from perfkit.showing.figures.canvas import Plotly, escape
from perfkit.showing.figures.curves import latency_lines
from perfkit.showing.figures.line_chart import axes_by_name

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
    drawn = latency_lines(
        curve, metric=metric, points=points, bands=bands, limit_s=limit_s
    ).renamed("compared-curves")
    changes = [
        item
        for item in changes_asked(comparison, question)
        if (asked := asked_at(item)) and asked.value in at
    ]
    places = list(_places(question, changes, comparison))
    known = [row for row in curve.frame.rows(named=True) if row["iops"] and row[metric]]
    forms = [axis_format(name, [row[name] for row in known]) for name in ("iops", metric)]
    scales = [UNITS[form.unit].si for form in forms]
    drawn.plotly.update_layout(meta=brushing(("iops", forms[0]), (metric, forms[1])))
    look = {"symbol": "circle-open", "size": MARK_PX, "color": style.TEXT, "line": {"width": 1.6}}
    axes = axes_by_name(drawn.plotly)
    for panel in dict.fromkeys(axes.values()):
        own = [place for place in places if axes.get(escape(place.name), panel) == panel]
        if own:
            drawn.plotly.add_trace(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": "compared",
                    "marker": look,
                    "x": [place.iops / scales[0] for place in own],
                    "xaxis": panel[0],
                    "y": [place.latency / scales[1] for place in own],
                    "yaxis": panel[1],
                    "hovertext": [escape(f"{place.name}: {place.text}") for place in own],
                    "hoverinfo": "text",
                    "showlegend": False,
                }
            )
    if question in _LINES:
        axis, scale = _LINES[question], scales[_LINES[question] == "y"]
        for value in dict.fromkeys(place.value for item in changes if (place := asked_at(item))):
            for x, y in dict.fromkeys(axes.values()):
                drawn.plotly.add_shape(_line(axis, value / scale, x, y))
    cautions = dict.fromkeys(item for change in changes for item in change.cautions)
    return replace(drawn, cautions=tuple(dict.fromkeys([*(drawn.cautions or ()), *cautions])))


def _line(axis: str, at: float, x: str, y: str) -> Plotly:
    other = "y" if axis == "x" else "x"
    refs = {"xref": x, "yref": y}
    refs[f"{other}ref"] += " domain"
    return {
        "type": "line",
        f"{axis}0": at,
        f"{axis}1": at,
        f"{other}0": 0,
        f"{other}1": 1,
        **refs,
        "line": {"color": style.AXIS, "width": 1},
        "layer": "below",
    }


_LINES = {questions.IOPS_AT_LATENCY.name: "y", questions.LATENCY_AT_IOPS.name: "x"}


Side = tuple[str, "Condition", "Answer"]
"""What a side is called, the value it was asked at, and its answer."""


def _sides(changes: Sequence[Answer]) -> list[Side]:
    """The sides that have a value, the baseline first; one that several changes share, once."""
    sides = dict.fromkeys(s for item in changes for s in item.sides[::-1] if s.estimate)
    return [(side.subject.label, at, side) for side in sides if (at := asked_at(side))]


def _latencies(comparison: Measured) -> dict[tuple[object, float], Answer]:
    """The latency of each curve at each load that was asked for."""
    changes = [
        item for item in changes_of(comparison) if item.question == questions.LATENCY_AT_LOAD.name
    ]
    return {(side.subject, at.value): side for _, at, side in _sides(changes)}


@dataclass(frozen=True)
class _Place:
    """Where an answer is marked, and what its mark says."""

    name: str
    iops: float
    latency: float
    text: str


def _places(question: str, changes: Sequence[Answer], comparison: Measured) -> Iterator[_Place]:
    """The places of the answers; of load points those whose latency is known."""
    latencies = _latencies(comparison)
    for name, at, side in _sides(changes):
        value = printed(side.metric, side.got.value).text
        if question == questions.IOPS_AT_LOAD.name:
            beside = latencies.get((side.subject, at.value))
            if beside is not None:
                where = f"{printed(beside.metric, beside.got.value).text} at "
                text = f"{value} and {where}{load_text(at.metric, at.value)}"
                yield _Place(name, side.got.value, beside.got.value, text)
            continue
        pair = (side.got.value, at.value)
        iops, latency = pair if question == questions.IOPS_AT_LATENCY.name else pair[::-1]
        yield _Place(name, iops, latency, f"{value} at {exact_printed(at.metric, at.value).text}")


MARKED = (
    questions.IOPS_AT_LATENCY.name,
    questions.LATENCY_AT_IOPS.name,
    questions.IOPS_AT_LOAD.name,
)
"""The questions whose answers can be marked in the curves."""
