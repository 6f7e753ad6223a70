"""Latency against IOPS with the plateau as a band, measured or as a document states it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.analysis.curves.plateau import PLATEAU, STATED
from perfkit.core.answers import from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.showing import style
from perfkit.showing.figures.canvas import escape
from perfkit.showing.figures.curves import plot_latency_curve
from perfkit.showing.figures.line_chart import axes_by_name
from perfkit.showing.figures.words import Words

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.core.values import Figure

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
        item for item in from_frame(plateaus.frame)
        if item.question in QUESTIONS and item.estimate is not None
    ]  # fmt: skip
    if not found:
        raise AbsentError("plateaus: none was found, so there is no band to draw")
    bands = [_ends(item) for item in found]
    figure = plot_latency_curve(curve).renamed("plateau-chart")
    layout = figure.plotly.layout
    axes = axes_by_name(figure.plotly)
    words = Words()
    for item, (low, high) in zip(found, bands, strict=True):
        x, y = axes.get(escape(item.subject.label), ("x", "y"))
        place = {"xref": x, "yref": f"{y} domain"}
        figure.plotly.add_shape({
            "type": "rect", **place, "x0": low, "x1": high, "y0": 0, "y1": 1,
            "fillcolor": style.GRID, "line": {"width": 0}, "layer": "below",
        })  # fmt: skip
        figure.plotly.add_annotation({
            "x": low, "y": 1, **place, "xanchor": "right", "yanchor": "top", "showarrow": False,
            "text": "plateau ", "font": {"color": style.MUTED, "size": 11},
        })  # fmt: skip
    end = max(float(layout.xaxis.range[1]), max(high for _, high in bands) * 1.04)
    figure.plotly.update_xaxes(range=[layout.xaxis.range[0], end])
    said = [
        f"A band marks the plateau from {words.value('iops', low)} to {words.value('iops', high)}."
        for low, high in bands
    ]
    return replace(
        figure, caption=f"{figure.caption} The band is the plateau.",
        alt=" ".join([figure.alt, *said]), printed=(*figure.printed, *words.printed),
    )  # fmt: skip


def _ends(answer: Answer) -> tuple[float, float]:
    """The lowest and the highest IOPS of a plateau."""
    assert answer.estimate is not None  # noqa: S101 - of a plateau that was found
    high = next(c.value for c in answer.conditions if c.metric == "iops" and c.role == "where")
    return answer.estimate.value, high
