"""Latency against IOPS with the plateau as a band, measured or as a document states it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfkit import style
from perfkit.analysis.series import need
from perfkit.errors import AnalysisError
from perfkit.figures.canvas import escape
from perfkit.figures.curves import plot_latency_curve
from perfkit.figures.words import Words
from perfkit.lineage import Measured, step

if TYPE_CHECKING:
    from perfkit.values import Figure

_SI_OF_THOUSANDS = 1000.0


@step(version=1, name="figure.plateau")
def plot_plateau(
    curve: Measured,
    plateaus: Measured,
    *,
    value_id: str = "plateau-chart",
    caption: str | None = None,
) -> Figure:
    """The latency curve with a band over the IOPS of the plateau.

    Only points that were measured are drawn; where a document states a plateau and prints no points
    on it, the band is all there is.

    Args:
        curve: ``latency_curve``.
        plateaus: ``plateau`` of it, or a frame of the same columns ``low_iops`` and ``high_iops``.
        value_id: The figure's id.
        caption: Its caption.

    Raises:
        AnalysisError: No plateau in the frame, or what ``plot_latency_curve`` raises.
    """
    need(plateaus.frame, ("low_iops", "high_iops"), "plateaus")
    bands = [row for row in plateaus.frame.rows(named=True) if row["low_iops"] is not None]
    if not bands:
        raise AnalysisError("plateaus: none was found, so there is no band to draw")
    figure = plot_latency_curve(curve, value_id=value_id)
    layout = figure.plotly.layout
    top = max(row["high_iops"] for row in bands)
    scale = _SI_OF_THOUSANDS if "thousands" in str(layout.xaxis.title.text) else 1.0
    words = Words()
    shapes: list[Any] = list(layout.shapes)
    notes: list[Any] = list(layout.annotations)
    for row in bands:
        low, high = (row[key] / scale for key in ("low_iops", "high_iops"))
        shapes.append({
            "type": "rect", "xref": "x", "yref": "paper", "x0": low, "x1": high, "y0": 0, "y1": 1,
            "fillcolor": style.GRID, "line": {"width": 0}, "layer": "below",
        })  # fmt: skip
        notes.append({
            "x": low, "y": 1, "xref": "x", "yref": "paper", "xanchor": "right", "yanchor": "top",
            "showarrow": False, "text": escape("plateau "),
            "font": {"color": style.MUTED, "size": 11},
        })  # fmt: skip
    figure.plotly.update_layout(shapes=shapes, annotations=notes)
    end = max(float(layout.xaxis.range[1]), top / scale * 1.04)
    figure.plotly.update_xaxes(range=[layout.xaxis.range[0], end])
    said = [
        f"A band marks the plateau from {words.value('iops', row['low_iops'])} to "
        f"{words.value('iops', row['high_iops'])}."
        for row in bands
    ]
    return replace(
        figure, caption=caption or f"{figure.caption} The band is the plateau.",
        alt=" ".join([figure.alt, *said]), printed=(*figure.printed, *words.printed),
    )  # fmt: skip
