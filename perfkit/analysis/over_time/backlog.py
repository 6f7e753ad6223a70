"""How far a paced load fell behind its schedule: I/Os that were due and not done.

The latency of a paced load counts from the issue of an I/O. What waited to be issued is in no
latency; it is in the backlog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    SeriesRows,
    check_physical,
    require_columns,
    require_one_file,
    series_rows,
)
from perfkit.core.answers import FOUND, Answer, register_questions, to_frame, where_conditions
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from perfkit.core.schema import Row

[LARGEST_BACKLOG] = register_questions(
    ("largest_backlog", "s",
     "the longest lag of a point behind its schedule: I/Os due and not done at the end of "
     "an interval, beyond those usually in flight, over the offered rate",
     "none: each point by itself", "none", FOUND),
)  # fmt: skip

_NEEDED = ("load", "repeat", "target_iops", "behind_s", "behind_ios", "behind_at_s", "behind_why")


@step(version=1, name="series.backlog")
def largest_backlog(points: Measured) -> pl.DataFrame:
    """How far each paced load was behind its schedule at most, as its runs recorded it: ANSWERS.

    Args:
        points: A run's ``points``.

    Raises AbsentError where no paced load recorded it, and AnalysisError for several runs with the
    same labels.
    """
    require_columns(points.frame, _NEEDED, "points")
    keys = [name for name in CURVE_KEYS if name in points.frame.columns]
    told = points.frame.filter(
        pl.col("behind_s").is_not_null() | pl.col("behind_why").is_not_null()
    )
    if told.is_empty():
        raise AbsentError("no paced load recorded how far it was behind its schedule")
    require_one_file(told, [*keys, "load", "repeat", "role"], "points")
    return to_frame(_answer(own) for own in series_rows(told, keys, ("load", "repeat")))


def _answer(series: SeriesRows) -> Answer:
    rows = [row for row in series.rows if row["behind_s"] is not None]
    check_physical(rows, ("behind_s", "behind_ios"))
    if not rows:
        why = series.rows[0]["behind_why"]
        return LARGEST_BACKLOG.answer("ios", series.subject, None, why)
    worst = max(rows, key=lambda row: row["behind_s"])
    where = where_conditions(
        (series.load_kind, worst["load"], "1"),
        ("repeat", float(worst["repeat"]), "1"),
        ("at_s", worst["behind_at_s"], "s"),
        ("behind_ios", worst["behind_ios"], "1"),
    )
    return LARGEST_BACKLOG.answer(
        "ios", series.subject, worst["behind_s"], conditions=where, n=len(rows)
    )


def backlog(rows: Sequence[Row], target_iops: float) -> Iterator[tuple[float, float]]:
    """The end of each interval and the I/Os that were due by then and not done, from 0 up.

    Up to the first time that is in no interval, or has no count of I/Os.
    """
    done, before = 0, 0.0
    for row in rows:
        apart = row["t_s"] - row["interval_s"] - before
        if row["ios"] is None or apart > row["interval_s"] / 2:
            return
        before, done = row["t_s"], done + row["ios"]
        yield row["t_s"], max(0.0, target_iops * row["t_s"] - done)
