"""How far a paced load fell behind its schedule: I/Os that were due and not done.

The latency of a paced load counts from the issue of an I/O. What waited to be issued is in no
latency; it is in the backlog.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    check_physical,
    require_columns,
    require_one_file,
    series_rows,
)
from perfkit.analysis.sas.jobs import all_or_null
from perfkit.core.answers import (
    Answer,
    Estimate,
    Question,
    Subject,
    register,
    to_frame,
    where_conditions,
)
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from perfkit.core.schema import Row

register(Question(
    "largest_backlog", "1", "the most I/Os of a point that were due at the end of an interval and "
    "not done", "none: each point by itself", "none",
    gives=frozenset({("measured", "="), ("missing", "=")}),
))  # fmt: skip

RANDOM = "its arrivals are random, so when each I/O was due is not known"


@step(version=1, name="series.backlog")
def largest_backlog(series: Measured, points: Measured, spec: Measured) -> pl.DataFrame:
    """The largest backlog of each paced load, with its point and time: ANSWERS.

    ``largest_backlog``: the offered rate times the time, less what was done; ``behind_s`` is how
    long the offered rate takes for it. It is known up to the first time that is in no interval.

    Args:
        series: A run's ``series``.
        points: Its ``points``: the offered rates (``target_iops``).
        spec: Its ``spec``: whether arrivals are random (``rate_process``).

    Raises AbsentError where no load is paced, and AnalysisError for several runs with the same
    labels.
    """
    columns = ("point", "load", "repeat", "t_s", "interval_s", "ios", "drain")
    require_columns(series.frame, columns, "series")
    keys = [name for name in (*CURVE_KEYS, "point", "load", "repeat") if name in
            series.frame.columns]  # fmt: skip
    require_one_file(series.frame, keys, "series")
    paced = points.frame.filter(pl.col("target_iops").is_not_null())
    on = [name for name in keys if name in paced.columns]
    whole = (
        series.frame.filter(pl.col("drain").is_null())
        .group_by(*keys, "t_s", "interval_s", maintain_order=True)
        .agg(all_or_null("ios"))
        .join(paced.select(*on, "target_iops"), on=on, how="inner", nulls_equal=True)
    )
    found = series_rows(whole, [n for n in CURVE_KEYS if n in keys], ("load", "point", "t_s"))
    if not found:
        raise AbsentError("no paced load has a time series")
    random = "poisson" in spec.frame.filter(field="rate_process")["value"].to_list()
    return to_frame(_answer(own.subject, own.load_kind, own.rows, random=random) for own in found)


def _answer(subject: Subject, kind: str, rows: Sequence[Row], *, random: bool) -> Answer:
    check_physical(rows, ("ios", "target_iops"))
    worst: tuple[float, float, Row] | None = None
    points = 0
    for _, part in itertools.groupby(rows, key=lambda row: row["point"]):
        own = list(part)
        points += 1
        for t_s, behind in backlog(own, own[0]["target_iops"]):
            if worst is None or behind > worst[0]:
                worst = behind, t_s, own[0]
    if random or worst is None:
        why = RANDOM if random else "no interval has a count of I/Os"
        return Answer("largest_backlog", "ios", subject, "missing", reason=why)
    behind, t_s, row = worst
    where = where_conditions(
        (kind, row["load"], "1"), ("repeat", float(row["repeat"]), "1"), ("at_s", t_s, "s"),
        ("behind_s", behind / row["target_iops"], "s"),
    )  # fmt: skip
    return Answer("largest_backlog", "ios", subject, "measured", Estimate(behind, "1", n=points),
                  conditions=where)  # fmt: skip


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
