"""The curves of a comparison with the values marked at which they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perfkit import style
from perfkit.analysis.compare.asked import rows_asked
from perfkit.analysis.metrics import limit_printed, load_text, printed
from perfkit.figures.axes import axis_format
from perfkit.figures.canvas import escape
from perfkit.figures.curves import plot_latency_curve
from perfkit.lineage import Measured, step
from perfkit.units import UNITS

if TYPE_CHECKING:
    from perfkit.analysis.series import Row
    from perfkit.values import Figure

MARK_PX = 12


@step(version=1, name="figure.compared_curves")
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
    value_id: str = "compared-curves",
) -> Figure:
    """The latency curves, with the answers of one question at some of its values as open marks.

    A thin line stands at the latency or the IOPS at which the curves are compared. An answer is the
    geometric mean over the repeats, which need not lie on the line through the means. Hovering over
    a mark says what it is.

    Args:
        curve: What ``latency_curve`` gave of the compared load points.
        comparison: What ``compare`` gave of them.
        question: iops_at_latency, latency_at_iops, or iops_at_load (with latency_at_load).
        at: Which of the values are marked, in SI base units.
        metric: The latency.
        points: The repeats, drawn as small marks.
        bands: Intervals as bands; otherwise as bars.
        limit_s: A limit, drawn as a dashed line.
        value_id: The figure's id.

    Raises AnalysisError for what a curve lacks (``plot_latency_curve``), or no such question.
    """
    drawn = plot_latency_curve(
        curve, metric=metric, points=points, bands=bands, limit_s=limit_s, value_id=value_id
    )
    rows = [row for row in rows_asked(comparison.frame, question) if row["at"] in at]
    places = _PLACES[question](rows, comparison)
    known = [row for row in curve.frame.rows(named=True) if row["iops"] and row[metric]]
    forms = [axis_format(name, [row[name] for row in known]) for name in ("iops", metric)]
    scales = [UNITS[form.unit].si for form in forms]
    look = {"symbol": "circle-open", "size": MARK_PX, "color": style.TEXT, "line": {"width": 1.6}}
    if places:
        drawn.plotly.add_trace({
            "type": "scatter", "mode": "markers", "name": "compared", "marker": look,
            "x": [place["iops"] / scales[0] for place in places],
            "y": [place["latency"] / scales[1] for place in places],
            "hovertext": [escape(place["text"]) for place in places], "hoverinfo": "text",
        })  # fmt: skip
    if question in _LINES:
        axis, scale = _LINES[question], scales[_LINES[question] == "y"]
        for value in dict.fromkeys(row["at"] for row in rows):
            drawn.plotly.add_shape(_line(axis, value / scale))
    return drawn


def _line(axis: str, at: float) -> dict[str, Any]:
    other = "y" if axis == "x" else "x"
    return {
        "type": "line", f"{axis}0": at, f"{axis}1": at, f"{other}0": 0, f"{other}1": 1,
        f"{other}ref": "paper", "line": {"color": style.AXIS, "width": 1}, "layer": "below",
    }  # fmt: skip


_LINES = {"iops_at_latency": "y", "latency_at_iops": "x"}


def _sides(row: Row) -> list[tuple[str, float]]:
    sides = [(str(row[side]), row[f"{side}_value"]) for side in ("baseline", "contender")]
    return [(name, value) for name, value in sides if value is not None]


def _at_latency(rows: list[Row], _comparison: Measured) -> list[dict[str, Any]]:
    return [
        {"iops": value, "latency": row["at"],
         "text": f"{name}: {printed('iops', value).text} at {limit_printed(row['at']).text}"}
        for row in rows for name, value in _sides(row)
    ]  # fmt: skip


def _at_iops(rows: list[Row], _comparison: Measured) -> list[dict[str, Any]]:
    return [
        {"iops": row["at"], "latency": value,
         "text": f"{name}: {printed(row['metric'], value).text} at "
                 f"{printed('iops', row['at']).text}"}
        for row in rows for name, value in _sides(row)
    ]  # fmt: skip


def _at_load(rows: list[Row], comparison: Measured) -> list[dict[str, Any]]:
    """The load points themselves: their IOPS, and their latency where it is known."""
    latencies = {
        (name, row["workload"], row["at"]): (row["metric"], value)
        for row in comparison.frame.rows(named=True) if row["question"] == "latency_at_load"
        for name, value in _sides(row)
    }  # fmt: skip
    found = []
    for row in rows:
        for name, value in _sides(row):
            metric, latency = latencies.get((name, row["workload"], row["at"]), (None, None))
            if metric is not None and latency is not None:
                text = (
                    f"{name}: {printed('iops', value).text} and {printed(metric, latency).text} "
                    f"at {load_text(row['load_kind'], row['at'])}"
                )
                found.append({"iops": value, "latency": latency, "text": text})
    return found


_PLACES = {"iops_at_latency": _at_latency, "latency_at_iops": _at_iops, "iops_at_load": _at_load}
MARKED = tuple(_PLACES)
"""The questions whose answers can be marked in the curves."""
