"""Little's law: a closed loop that does not obey it had another depth, or was read wrongly."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.curves import per_repeat
from perfkit.analysis.curves.series import SERIES, place, require_share, series_rows
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
from perfkit.core.schema import Row

OK = "ok"
OFF = "off"
NOT_APPLICABLE = "not applicable"
TOLERANCE = 0.05
DIGITS = 9
"""Ratios that differ by less are equally far from 1: the rest is rounding."""


def _check(row: Row, tolerance: float) -> Row:
    """The row with its ``ratio`` and ``status``, or the ``reason`` why it has none."""
    reason = _not_applicable(row)
    if reason:
        return {**row, "status": NOT_APPLICABLE, "reason": reason}
    ratio = row["iops"] * row["lat_mean_s"] / row["in_flight"]
    return {**row, "ratio": ratio, "status": OK if abs(ratio - 1) <= tolerance else OFF}


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

    The ratio is that of IOPS x mean latency to the I/Os kept in flight. A paced point, one whose
    depth is not known, and one that lacks IOPS or latency cannot be checked.

    The estimate is the ratio furthest from 1; ``conditions`` have the tolerance, the load of that
    result, how many results could be checked, and how many of them are within the tolerance.

    Raises AnalysisError for a tolerance that is not a share between 0 and 1.

    Source: J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9 (1961).
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
