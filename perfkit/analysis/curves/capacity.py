"""How much a system gave: its peak, its IOPS within a latency and at it, its lowest latency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perfkit.analysis.curves.asking import answer, series_of
from perfkit.core.answers import to_frame
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    import polars as pl


@step(version=3, name="curve.peak")
def peak(
    points: Measured, histogram: Measured | None = None, *, direction: str = "total"
) -> pl.DataFrame:
    """The highest mean IOPS of each curve and the load it was at: the answers to ``peak_iops``.

    "At least" (">=") where it is at the highest load, the only one, or IOPS are missing at another.
    """
    return to_frame(answer("peak_iops", one) for one in series_of(points, histogram, direction))


@step(version=2, name="curve.iops_at_latency")
def iops_at_latency(
    points: Measured,
    limit_s: float | Sequence[float],
    histogram: Measured | None = None,
    *,
    metric: str = "lat_mean_s",
    direction: str = "total",
) -> pl.DataFrame:
    """What each curve gives within a latency and at it: two answers a curve and limit.

    - ``most_iops_within_latency``: the highest IOPS of all load points with ``metric`` at or under
      the limit, and the load point where it was. "At least" where no load point is above the limit.
    - ``iops_at_latency``: the IOPS where the curve has exactly this latency, interpolated linearly
      between two neighbouring load points. A curve that passes the limit more than once has none.

    Args:
        points: ``load_points``.
        limit_s: The latency in seconds, or several.
        histogram: Bins of completion latency, for percentiles over repeats and hosts.
        metric: The latency: ``lat_mean_s``, or a percentile.
        direction: read, write, trim or total.

    Raises AnalysisError for a metric that is not a latency or a limit that is not above 0.
    """
    limits: list[Any] = list(limit_s) if isinstance(limit_s, list | tuple) else [limit_s]
    if not limits:
        raise AnalysisError("no latency limit was given")
    return to_frame(
        answer(question, one, limit, metric)
        for limit in limits
        for question in ("most_iops_within_latency", "iops_at_latency")
        for one in series_of(points, histogram, direction)
    )


@step(version=1, name="curve.lowest_latency")
def lowest_latency(
    points: Measured,
    histogram: Measured | None = None,
    *,
    metric: str = "lat_mean_s",
    direction: str = "total",
) -> pl.DataFrame:
    """The lowest latency of each curve and the load it was at: answers to ``lowest_latency``."""
    return to_frame(
        answer("lowest_latency", one, metric=metric)
        for one in series_of(points, histogram, direction)
    )


@step(version=1, name="curve.ask")
def ask_curve(
    points: Measured,
    question: str,
    at: float | Sequence[float] | None = None,
    histogram: Measured | None = None,
    *,
    metric: str = "lat_mean_s",
    direction: str = "total",
) -> pl.DataFrame:
    """Any question of ``questions.CURVE_QUESTIONS`` to each curve, at each value: latency_at_iops.

    Raises AnalysisError for an unknown question, and a value that no curve can be asked at.
    """
    values: list[Any] = list(at) if isinstance(at, list | tuple) else [at]
    return to_frame(
        answer(question, one, value, metric)
        for value in values
        for one in series_of(points, histogram, direction)
    )
