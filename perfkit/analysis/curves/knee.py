"""The knee of a latency curve by Kleinrock's power, or the reason why there is none."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.asking import Series, series_of
from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import place
from perfkit.core.answers import FOUND, Answer, register_questions, to_frame, where_conditions
from perfkit.core.cautions import from_json
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

FEWEST_POINTS = 4
RIVAL_SHARE = 0.98
"""A second summit this close to the first could have been first in another measurement."""

[KNEE] = register_questions(
    ("knee", "1", "the load point with the highest IOPS per second of mean latency",
     "means over the repeats", "none", FOUND),
)  # fmt: skip


@step(version=3, name="curve.knee")
def knee(points: Measured, *, direction: str = "total") -> pl.DataFrame:
    """The load point at the knee of each curve, by Kleinrock's power: the answers to ``knee``.

    It is the load point with the highest IOPS per second of mean latency, which does not depend on
    how far the sweep went. Source: L. Kleinrock, "Power and deterministic rules of thumb for
    probabilistic problems in computer communications", ICC 1979. The estimate is the load;
    ``conditions`` have its IOPS and mean latency.

    No knee (status "missing", with the reason) for fewer than four load points, a missing value,
    the first or last load point, or when a second summit comes within 2% of the first (not unique).
    """
    return to_frame(_answer(one) for one in series_of(points, direction=direction))


def _answer(series: Series) -> Answer:
    at, reason = _knee(list(series.points))
    if at is None:
        return KNEE.answer("load", series.subject, None, reason)
    return KNEE.answer(
        "load",
        series.subject,
        at["load"],
        n=len(series.repeats),
        conditions=where_conditions(
            (series.load_kind, at["load"], "1"),
            ("iops", at["iops"], "1/s"),
            ("lat_mean_s", at["lat_mean_s"], "s"),
        ),
        cautions=from_json(at["cautions"]),
        inputs=(place(at),),
    )


def _knee(points: list[Row]) -> tuple[Row | None, str | None]:
    """The load point at the knee, or why there is none."""
    if len(points) < FEWEST_POINTS:
        return None, "too few load points"
    if any(point[name] is None for point in points for name in ("iops", "lat_mean_s")):
        return None, "a load point has no value"
    scores = [point["iops"] / point["lat_mean_s"] for point in points]
    best = max(range(len(scores)), key=scores.__getitem__)
    reason = _no_knee(points, scores, best)
    return (None, reason) if reason else (points[best], None)


def _no_knee(points: list[Row], scores: list[float], best: int) -> str | None:
    if min(scores) == max(scores):
        return "the curve does not bend"
    rivals = [i for i in _summits(scores) if i != best and scores[i] >= RIVAL_SHARE * scores[best]]
    if rivals:
        loads = " and ".join(
            load_text(points[i]["load_kind"], points[i]["load"]) for i in sorted([best, *rivals])
        )
        return f"not unique: {loads} fit as well"
    if best == len(points) - 1:
        return "the curve bends nowhere before the highest load"
    return None if best else "the curve bends already at the lowest load"


def _summits(scores: list[float]) -> list[int]:
    """Points that no neighbour exceeds: neighbours of the same height are summits both."""
    low = float("-inf")
    padded = [low, *scores, low]
    return [i for i in range(len(scores)) if padded[i] <= padded[i + 1] >= padded[i + 2]]
