"""How much a system gave: its peak, and the IOPS it held under a latency limit."""

from __future__ import annotations

from typing import Any

import polars as pl

from perfkit.analysis.metrics import LATENCIES, in_words
from perfkit.analysis.series import SERIES, Row, groups, need
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, step

INSIDE = "inside the range"
AT_LAST = "at the highest load: not known to be the peak"
ONLY_POINT = "only one load point"
MISSING = "missing"

INTERPOLATED = "interpolated"
MEASURED = "measured"
AT_LEAST = "at the measured maximum: limit not reached"
NOT_REACHED = "not reached"

_KEYS: dict[str, Any] = dict.fromkeys(SERIES, pl.String)
PEAK = _KEYS | {
    "iops": pl.Float64, "iops_low": pl.Float64, "iops_high": pl.Float64, "load": pl.Float64,
    "repeats": pl.Int64, "interval_mark": pl.String, "lat_mean_s": pl.Float64,
    "lat_p99_s": pl.Float64, "bw_bytes_per_s": pl.Float64, "cpu_busy_ratio": pl.Float64,
    "status": pl.String,
}  # fmt: skip
AT_LATENCY = _KEYS | {
    "metric": pl.String, "limit_s": pl.Float64, "iops": pl.Float64, "status": pl.String,
    "load_below": pl.Float64, "load_above": pl.Float64, "first_iops": pl.Float64,
    "nearest_s": pl.Float64, "note": pl.String,
}  # fmt: skip


@step(version=1, name="curve.peak")
def peak(curve: Measured) -> pl.DataFrame:
    """The highest mean IOPS of each curve, one row a curve, with its interval and its load.

    ``status``: "inside the range" when a higher load gave less; "at the highest load: not known
    to be the peak" when it is the last load point; "only one load point"; "missing" when a load
    point has no IOPS (the peak may be there). The lowest load wins a tie.
    """
    need(curve.frame, ["load", "iops", "lat_mean_s"], "curve")
    rows = [_peak(key, points) for key, points in groups(curve.frame)]
    return pl.DataFrame(rows, schema=PEAK, orient="row")


def _peak(key: Row, points: list[Row]) -> Row:
    if any(point["iops"] is None for point in points):
        return {**dict.fromkeys(PEAK), **key, "status": MISSING}
    best = max(points, key=lambda point: point["iops"])
    status = AT_LAST if best is points[-1] else INSIDE
    found = {name: best[name] for name in PEAK if name in best}
    return {**found, "status": status if len(points) > 1 else ONLY_POINT}


@step(version=1, name="curve.iops_at_latency")
def iops_at_latency(curve: Measured, limit_s: float, metric: str = "lat_mean_s") -> pl.DataFrame:
    """The highest IOPS with ``metric`` at or under the limit, one row a curve.

    The points are taken in order of load up to the first that is above the limit; between it and
    the one before, IOPS is interpolated linearly over the metric. Nothing is extrapolated.

    ``status``:
        - "interpolated": between two load points (``load_below``, ``load_above``).
        - "measured": a load point below the crossing gave as much or more than the crossing.
        - "at the measured maximum: limit not reached": the whole curve is at or under the limit;
          ``iops`` is its highest and a lower bound ("at least").
        - "not reached": the first load point is above the limit already; ``iops`` is null,
          ``first_iops`` and ``nearest_s`` say where the curve starts.
        - "missing": the metric or IOPS is null at a load point before the crossing.

    ``note`` says when the metric falls under the limit again after the first crossing.

    Raises AnalysisError for a metric that is not a latency or a limit that is not above 0.
    """
    if metric not in LATENCIES:
        raise AnalysisError(f"{metric!r} is not a latency; known: {', '.join(LATENCIES)}")
    if not 0 < limit_s < float("inf"):
        raise AnalysisError(f"a latency limit is a time above 0, not {limit_s}")
    need(curve.frame, ["load", "iops", metric], "curve")
    rows = [
        {**dict.fromkeys(AT_LATENCY), **key, "metric": metric, "limit_s": limit_s,
         **_at_latency(points, limit_s, metric)}
        for key, points in groups(curve.frame)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=AT_LATENCY, orient="row")


def _at_latency(points: list[Row], limit_s: float, metric: str) -> Row:
    above = next((i for i, p in enumerate(points) if (p[metric] or 0) > limit_s), len(points))
    if any(p[metric] is None or p["iops"] is None for p in points[: above + 1]):
        return {"status": MISSING, "note": f"{in_words(metric, 'iops')} missing at a load point"}
    start = {"first_iops": points[0]["iops"]}
    if above == 0:
        return {**start, "status": NOT_REACHED, "nearest_s": points[0][metric]}
    best = max(points[:above], key=lambda point: point["iops"])
    if above == len(points):
        nearest = max(point[metric] for point in points)
        return {**start, "iops": best["iops"], "status": AT_LEAST, "nearest_s": nearest,
                "load_below": best["load"]}  # fmt: skip
    before, after = points[above - 1], points[above]
    share = (limit_s - before[metric]) / (after[metric] - before[metric])
    crossing = before["iops"] + share * (after["iops"] - before["iops"])
    between = {"load_below": before["load"], "load_above": after["load"]}
    note = _note(points[above:], limit_s, metric)
    if crossing > best["iops"]:
        return {**start, "iops": crossing, "status": INTERPOLATED, **between, "note": note}
    return {**start, "iops": best["iops"], "status": MEASURED, "load_below": best["load"],
            "note": note}  # fmt: skip


def _note(rest: list[Row], limit_s: float, metric: str) -> str | None:
    again = any(point[metric] is not None and point[metric] <= limit_s for point in rest)
    return "falls under the limit again at a higher load; the first crossing counts" if again else (
        None
    )  # fmt: skip
