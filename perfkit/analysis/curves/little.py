"""Little's law: a closed loop that does not obey it had another depth, or was read wrongly."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.curves import per_repeat
from perfkit.analysis.curves.series import CURVE_KEYS, SERIES, place, require_share, series_rows
from perfkit.core.answers import (
    FOUND,
    Answer,
    Condition,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import caution
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import KEYS, ColumnTypes, Row, polars_schema

OK = "ok"
OFF = "off"
NOT_APPLICABLE = "not applicable"
TOLERANCE = 0.05
DIGITS = 9
"""Ratios that differ by less are equally far from 1: the rest is rounding."""

LITTLE: ColumnTypes = {
    name: dtype for name, dtype in polars_schema(KEYS).items() if name != "host"
} | {
    "iops": pl.Float64,
    "lat_mean_s": pl.Float64,
    "in_flight": pl.Float64,
    "in_flight_found": pl.Float64,
    "ratio": pl.Float64,
    "status": pl.String,
    "reason": pl.String,
}


@step(version=1, name="curve.little")
def little_check(points: Measured, *, tolerance: float = TOLERANCE) -> pl.DataFrame:
    """IOPS x mean latency against the I/Os kept in flight, one row per load point and repeat.

    ``ratio`` = iops * lat_mean_s / in_flight; ``status`` is "ok" when it is within the tolerance
    of 1, "off" otherwise, and "not applicable" (with the reason) for a paced point, a point whose
    depth is not known, and one that lacks IOPS or latency.

    Source: J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9 (1961).
    """
    rows = [_check(row, tolerance) for row in per_repeat(points.frame, "total").rows(named=True)]
    ordered = [*CURVE_KEYS, "load", "repeat"]
    return pl.DataFrame(rows, schema=LITTLE, orient="row").sort(ordered, nulls_last=True)


def _check(row: Row, tolerance: float) -> Row:
    kept = {name: row.get(name) for name in LITTLE}
    reason = _not_applicable(row)
    if reason:
        return {**kept, "status": NOT_APPLICABLE, "reason": reason}
    found = row["iops"] * row["lat_mean_s"]
    ratio = found / row["in_flight"]
    status = OK if abs(ratio - 1) <= tolerance else OFF
    return {**kept, "in_flight_found": found, "ratio": ratio, "status": status}


def _not_applicable(row: Row) -> str | None:
    if row.get("target_iops") is not None:
        return "paced: not a closed loop"
    if not row.get("in_flight"):
        return "the depth is not known"
    if row["iops"] is None or row["lat_mean_s"] is None:
        return "no IOPS or no mean latency"
    return None


[LITTLES_LAW] = register_questions(
    ("littles_law", "ratio", "IOPS x mean latency over the I/Os kept in flight",
     "the result furthest from 1, of all load points and repeats", "none", FOUND),
)  # fmt: skip


@step(version=1, name="curve.littles_law")
def littles_law(points: Measured, *, tolerance: float = TOLERANCE) -> pl.DataFrame:
    """Whether the closed-loop results of each curve obey Little's law: one answer a curve.

    The estimate is the ratio furthest from 1; ``conditions`` have the tolerance, the load of that
    result, how many results could be checked, and how many of them are within the tolerance.

    Raises AnalysisError for a tolerance that is not a share between 0 and 1.
    """
    require_share("a tolerance", tolerance)
    rows = per_repeat(points.frame, "total")
    return to_frame(
        _answer(own.subject, [_check(row, tolerance) for row in own.rows], tolerance)
        for own in series_rows(rows, SERIES, along=("load", "repeat"))
    )


def _answer(subject: Subject, rows: list[Row], tolerance: float) -> Answer:
    asked = Condition("tolerance", tolerance, "ratio", "limit")
    checked = [row for row in rows if row["status"] != NOT_APPLICABLE]
    if not checked:
        reasons = dict.fromkeys(row["reason"] for row in rows)
        return LITTLES_LAW.answer(
            "in_flight", subject, None, "; ".join(reasons), conditions=(asked,)
        )
    worst = max(checked, key=lambda row: round(abs(row["ratio"] - 1), DIGITS))
    sound = sum(row["status"] == OK for row in checked)
    broken = () if sound == len(checked) else (caution("little_broken", of=subject.label),)
    return LITTLES_LAW.answer(
        "in_flight",
        subject,
        worst["ratio"],
        conditions=(
            asked,
            *where_conditions(
                (worst["load_kind"] or "load", worst["load"], "1"),
                ("results", len(checked), "1"),
                ("results_within", sound, "1"),
            ),
        ),
        cautions=broken,
        inputs=(place(worst),),
        n=len(checked),
    )
