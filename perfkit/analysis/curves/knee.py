"""The knee of a latency curve, by a named method, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from perfkit.analysis.curves.asking import Series, series_of
from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import place
from perfkit.core.answers import FOUND, Answer, Condition, register_questions, to_frame
from perfkit.core.cautions import from_json
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    import polars as pl

    from perfkit.core.schema import Row

FEWEST_POINTS = 4
RIVAL_SHARE = 0.98
"""A second summit this close to the first could have been first in another measurement."""

_MEANS = "means over the repeats"
_POWER, _KNEEDLE = register_questions(
    ("knee", "1", "the load point with the highest IOPS per second of mean latency", _MEANS,
     "none", FOUND),
    ("knee_by_kneedle", "1",
     "the load point furthest from the chord of the curve, both axes scaled to 0..1", _MEANS,
     "none", FOUND),
)  # fmt: skip
KNEES = {"power": _POWER, "kneedle": _KNEEDLE}
"""The question that each method answers."""


@step(version=2, name="curve.knee")
def knee(points: Measured, method: str = "power", *, direction: str = "total") -> pl.DataFrame:
    """The load point at the knee of each curve: the answers to ``knee`` or ``knee_by_kneedle``.

    The estimate is the load; ``conditions`` have its IOPS and mean latency.

    ``method``:
        - "power": the load point with the highest IOPS per second of mean latency. Source: L.
          Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
          communications", ICC 1979. It does not depend on how far the sweep went.
        - "kneedle": the load point furthest from the chord of the curve scaled to 0..1 on both
          axes. Source: V. Satopää et al., "Finding a 'Kneedle' in a Haystack", ICDCS Workshops
          2011; without its smoothing and sensitivity. It depends on the end of the sweep.

    No knee (status "missing", with the reason) for fewer than four load points, a missing value,
    the first or last load point, or when a second summit comes within 2% of the first (not unique).

    Raises AnalysisError for an unknown method.
    """
    if method not in _SCORES:
        raise AnalysisError(f"no knee method {method!r}; {did_you_mean(method, list(_SCORES))}")
    return to_frame(_answer(one, method) for one in series_of(points, direction=direction))


def _answer(series: Series, method: str) -> Answer:
    at, reason = _knee(list(series.points), _SCORES[method])
    if at is None:
        return KNEES[method].answer("load", series.subject, None, reason)
    values = (
        (series.load_kind, "load", "1"),
        ("iops", "iops", "1/s"),
        ("lat_mean_s", "lat_mean_s", "s"),
    )
    return KNEES[method].answer(
        "load",
        series.subject,
        at["load"],
        n=len(series.repeats),
        conditions=tuple(Condition(name, at[key], unit, "where") for name, key, unit in values),
        cautions=from_json(at["cautions"]),
        inputs=(place(at),),
    )


def _scaled(points: list[Row], name: str) -> list[float]:
    values = [point[name] for point in points]
    low, span = min(values), max(values) - min(values)
    return [(value - low) / span if span else 0.0 for value in values]


_SCORES: dict[str, Callable[[list[Row]], list[float]]] = {
    "power": lambda points: [p["iops"] / p["lat_mean_s"] for p in points],
    "kneedle": lambda points: [
        x - y for x, y in zip(_scaled(points, "iops"), _scaled(points, "lat_mean_s"), strict=True)
    ],
}


def _knee(
    points: list[Row], score: Callable[[list[Row]], list[float]]
) -> tuple[Row | None, str | None]:
    """The load point at the knee, or why there is none."""
    if len(points) < FEWEST_POINTS:
        return None, "too few load points"
    if any(point[name] is None for point in points for name in ("iops", "lat_mean_s")):
        return None, "a load point has no value"
    scores = score(points)
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
    ends = {0: "the lowest load", len(points) - 1: "the highest load"}
    return (
        f"the curve bends nowhere before {ends[best]}"
        if best == len(points) - 1
        else (f"the curve bends already at {ends[best]}" if best == 0 else None)
    )


def _summits(scores: list[float]) -> list[int]:
    """Points that no neighbour exceeds: neighbours of the same height are summits both."""
    low = float("-inf")
    padded = [low, *scores, low]
    return [i for i in range(len(scores)) if padded[i] <= padded[i + 1] >= padded[i + 2]]
