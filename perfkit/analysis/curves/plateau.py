"""The plateau of a curve: where more load brings no more IOPS, and what may hold it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from perfkit.analysis.curves.asking import Series, series_of
from perfkit.analysis.curves.metrics import load_text, printed
from perfkit.analysis.curves.series import place, require_columns, require_share
from perfkit.core.answers import (
    FOUND,
    MEASURED,
    Answer,
    Condition,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import Caution, caution, from_json
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

FEWEST_LOADS = 3
"""Fewer load points than these at one height are not a plateau."""

HOST_BUSY_RATIO = 0.9
"""A host busier than this may be what holds the plateau."""

_MEANS = "means over the repeats"
PLATEAU, STATED = register_questions(
    ("plateau", "1/s",
     "the lowest IOPS of the last load points that lie together within the tolerance of "
     "the highest among them", _MEANS, "none", FOUND),
    ("stated_plateau", "1/s", "the lowest IOPS of a plateau that a document states", "as printed",
     "none", MEASURED),
)  # fmt: skip


@step(version=3, name="curve.plateau")
def plateau(points: Measured, *, tolerance: float = 0.05, direction: str = "total") -> pl.DataFrame:
    """The plateau of each curve: its last load points, as far as they lie within ``tolerance``.

    Going down from the highest load, points count while all of them together lie within the
    tolerance of the highest among them. Three or more make a plateau. The estimate is the lowest
    IOPS measured on it; ``conditions`` have its first and last load with their mean latencies, the
    highest IOPS, and the highest busy share of the host. Nothing is said of what lies beyond the
    last load.

    The host may be what holds it where its CPU was busy for 90% or more at a point of the plateau
    (caution ``host_may_hold``); where that is not known, ``host_unknown`` says so.

    Raises AnalysisError for a tolerance that is not a share between 0 and 1.
    """
    require_share("a tolerance", tolerance)
    return to_frame(_answer(one, tolerance) for one in series_of(points, direction=direction))


@step(version=2, name="curve.stated_plateau")
def stated_plateau(cells: Measured, *, row: str, host_row: str | None = None) -> pl.DataFrame:
    """A plateau that a document states without printing its points: one answer.

    Args:
        cells: One table of ``read_printed``, with its lowest IOPS under ``low``, its highest under
            ``high``.
        row: The first cell of the row that states it.
        host_row: The row that states the busy share of the host's CPU in percent, under ``low``.

    Raises AnalysisError where the table has no such row or no number in it.
    """
    require_columns(cells.frame, ["row_name", "column_key", "value"], "printed cells")
    ends = [_stated(cells.frame, row, "low"), _stated(cells.frame, row, "high")]
    busy = [] if host_row is None else [_stated(cells.frame, host_row, "low") / 100]
    return to_frame(
        [
            STATED.answer(
                "iops",
                Subject("the document"),
                min(ends),
                conditions=(Condition("iops", max(ends), "1/s", "where"), *_busy(busy)),
                cautions=_host("the document", busy, complete=bool(busy)),
                inputs=(f"row {row}",),
            )
        ]
    )


def plateau_of(
    points: Measured,
    documents: Mapping[str, Measured],
    *,
    stated: str | None = None,
    row: str | None = None,
    host_row: str | None = None,
    direction: str = "total",
) -> Measured:
    """The plateau of the load points, or the one that a printed table states without its points.

    Args:
        points: ``load_points``.
        documents: Printed tables by id.
        stated: Id of the printed table; None: the plateau is measured.
        row: Of the printed table, the row that states it.
        host_row: The row that states the busy share of the host.
        direction: Of the load points.
    """
    if stated is None:
        return plateau(points, direction=direction)
    return stated_plateau(documents[stated], row=row or "", host_row=host_row)


def _stated(cells: pl.DataFrame, row: str, column: str) -> float:
    found = cells.filter((pl.col("row_name") == row) & (pl.col("column_key") == column))
    values = found["value"].drop_nulls().to_list()
    if len(values) != 1:
        raise AnalysisError(f"printed cells: no number under {column!r} in the row {row!r}")
    return float(values[0])


def _answer(series: Series, tolerance: float) -> Answer:
    asked = Condition("tolerance", tolerance, "ratio", "limit")
    flat, reason = _flat(series.points, tolerance)
    if reason:
        return PLATEAU.answer("iops", series.subject, None, reason, conditions=(asked,))
    busy = [row["cpu_busy_ratio"] for row in flat if row["cpu_busy_ratio"] is not None]
    iops = [row["iops"] for row in flat]
    ends = (flat[0], flat[-1])
    latencies = [
        Condition("lat_mean_s", row["lat_mean_s"], "s", "between")
        for row in ends
        if None not in [end["lat_mean_s"] for end in ends]
    ]
    return PLATEAU.answer(
        "iops",
        series.subject,
        min(iops),
        conditions=(
            asked,
            *(Condition(series.load_kind, row["load"], "1", "between") for row in ends),
            Condition("iops", max(iops), "1/s", "where"),
            *latencies,
            *_busy(busy),
        ),
        cautions=(
            *_host(series.label, busy, complete=len(busy) == len(flat)),
            *(item for row in flat for item in from_json(row["cautions"])),
        ),
        inputs=tuple(place(row) for row in flat),
        n=len(series.repeats),
    )


def _flat(points: Sequence[Row], tolerance: float) -> tuple[list[Row], str | None]:
    """The load points of the plateau, or why there is none."""
    if any(point["iops"] is None for point in points):
        return [], "IOPS are missing at a load point"
    if not any(point["iops"] for point in points):
        return [], "it did no I/O at any load"
    flat: list[Row] = []
    for point in reversed(points):
        iops = [row["iops"] for row in (*flat, point)]
        if min(iops) < (1 - tolerance) * max(iops) or not max(iops):
            break
        flat.insert(0, point)
    if len(flat) < FEWEST_LOADS:
        few = (
            "fewer than three load points"
            if len(points) < FEWEST_LOADS
            else ("IOPS still rise or fall at the highest loads")
        )
        return [], few
    return flat, None


def _busy(known: list[float]) -> tuple[Condition, ...]:
    return where_conditions(("cpu_busy_ratio", max(known, default=None), "ratio"))


def _host(label: str, known: list[float], *, complete: bool) -> tuple[Caution, ...]:
    if known and max(known) >= HOST_BUSY_RATIO:
        share = printed("cpu_busy_ratio", max(known)).text
        return (caution("host_may_hold", of=label, share=share),)
    return () if complete else (caution("host_unknown", of=label),)


# --- the knee of a latency curve by Kleinrock's power, or the reason why there is none ---------

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
    return to_frame(_knee_of(one) for one in series_of(points, direction=direction))


def _knee_of(series: Series) -> Answer:
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
