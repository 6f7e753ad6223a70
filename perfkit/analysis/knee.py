"""The knee of a latency curve, by a named method, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from perfkit.analysis.metrics import load_text
from perfkit.analysis.series import SERIES, Row, groups, need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step

FEWEST_POINTS = 4
RIVAL_SHARE = 0.98
"""A second summit this close to the first could have been first in another measurement."""

KNEE: dict[str, Any] = dict.fromkeys(SERIES, pl.String) | {
    "method": pl.String, "load": pl.Float64, "iops": pl.Float64, "lat_mean_s": pl.Float64,
    "found": pl.Boolean, "reason": pl.String,
}  # fmt: skip


@step(version=1, name="curve.knee")
def knee(curve: Measured, method: str = "power") -> pl.DataFrame:
    """The load point at the knee of each curve, one row a curve.

    ``method``:
        - "power": the load point with the highest IOPS per second of mean latency. Source: L.
          Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
          communications", ICC 1979. It does not depend on how far the sweep went.
        - "kneedle": the load point furthest from the chord of the curve scaled to 0..1 on both
          axes. Source: V. Satopää et al., "Finding a 'Kneedle' in a Haystack", ICDCS Workshops
          2011; without its smoothing and sensitivity. It depends on the end of the sweep.

    No knee is reported (``found`` false, with the ``reason``) for fewer than four load points, a
    missing value, the first or last load point, or when a second summit comes within 2% of the
    first (not unique).

    Raises AnalysisError for an unknown method.
    """
    if method not in _SCORES:
        raise AnalysisError(f"no knee method {method!r}; {did_you_mean(method, list(_SCORES))}")
    need(curve.frame, ["load", "iops", "lat_mean_s"], "curve")
    rows = [
        {**dict.fromkeys(KNEE), **key, "method": method, **_knee(points, _SCORES[method])}
        for key, points in groups(curve.frame)
    ]
    return pl.DataFrame(rows, schema=KNEE, orient="row")


def _power(points: list[Row]) -> list[float]:
    return [point["iops"] / point["lat_mean_s"] for point in points]


def _kneedle(points: list[Row]) -> list[float]:
    return [x - y for x, y in zip(_scaled(points, "iops"), _scaled(points, "lat_mean_s"),
                                  strict=True)]  # fmt: skip


def _scaled(points: list[Row], name: str) -> list[float]:
    values = [point[name] for point in points]
    low, span = min(values), max(values) - min(values)
    return [(value - low) / span if span else 0.0 for value in values]


_SCORES: dict[str, Callable[[list[Row]], list[float]]] = {"power": _power, "kneedle": _kneedle}


def _knee(points: list[Row], score: Callable[[list[Row]], list[float]]) -> Row:
    reason = _unfit(points)
    if reason:
        return {"found": False, "reason": reason}
    scores = score(points)
    best = max(range(len(scores)), key=scores.__getitem__)
    reason = _no_knee(points, scores, best)
    if reason:
        return {"found": False, "reason": reason}
    at = points[best]
    return {"found": True, **{name: at[name] for name in ("load", "iops", "lat_mean_s")}}


def _unfit(points: list[Row]) -> str | None:
    if len(points) < FEWEST_POINTS:
        return "too few load points"
    if any(point[name] is None for point in points for name in ("iops", "lat_mean_s")):
        return "a load point has no value"
    return None


def _no_knee(points: list[Row], scores: list[float], best: int) -> str | None:
    if min(scores) == max(scores):
        return "the curve does not bend"
    rivals = [i for i in _summits(scores) if i != best and scores[i] >= RIVAL_SHARE * scores[best]]
    if rivals:
        loads = " and ".join(load_text(points[i]["load_kind"], points[i]["load"])
                             for i in sorted([best, *rivals]))  # fmt: skip
        return f"not unique: {loads} fit as well"
    ends = {0: "the lowest load", len(points) - 1: "the highest load"}
    return f"the curve bends nowhere before {ends[best]}" if best == len(points) - 1 else (
        f"the curve bends already at {ends[best]}" if best == 0 else None
    )  # fmt: skip


def _summits(scores: list[float]) -> list[int]:
    """Points that no neighbour exceeds: neighbours of the same height are summits both."""
    low = float("-inf")
    padded = [low, *scores, low]
    return [i for i in range(len(scores)) if padded[i] <= padded[i + 1] >= padded[i + 2]]
