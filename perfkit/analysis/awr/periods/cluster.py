"""What the instances of one cluster did together: sums over reports of the same snapshots.

DB time, requests and bytes of several instances add up. A mean wait is theirs together weighted by
their waits; what an instance does not state, all of them together do not. Which instances are in a
sum, and of how many, stands beside it: a report of one instance prints how many were open.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import polars as pl

from perfkit.analysis.awr.periods.answers import subject, where
from perfkit.analysis.awr.periods.periods import TOLERANCE
from perfkit.analysis.awr.periods.worst import SESSIONS
from perfkit.analysis.curves.series import require_columns
from perfkit.core import answers as claims
from perfkit.core.answers import Answer, register_questions
from perfkit.core.cautions import caution, from_json, to_json
from perfkit.core.errors import AbsentError
from perfkit.core.keys import file_of, rows_by
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import ColumnTypes, Row

(TIME,) = register_questions(
    ("cluster_time", "1", "average active sessions of the instances of a cluster that have "
     "reports of the same snapshots", "sum of DB time / sum of elapsed time", "none",
     frozenset({("measured", "="), ("missing", "=")})),
)  # fmt: skip

_ADDED = (
    SESSIONS, "cpu_sessions", "iops", "read_iops", "write_iops", "read_bytes_per_s",
    "write_bytes_per_s", "redo_bytes_per_s", "transactions_per_s", "commits_per_s",
)  # fmt: skip
"""What adds up over instances."""

_WEIGHTED = {"read_wait_s": "read_waits", "log_file_sync_s": "log_file_syncs"}
"""Mean wait -> the waits that it is weighted by."""

CLUSTER: ColumnTypes = {
    "history": pl.String,  # the database
    "begin_time": pl.Datetime("us"),  # the earliest of the instances
    "end_time": pl.Datetime("us"),  # the latest of them
    "cautions": pl.String,  # of the reports: JSON of cautions
    "instances": pl.String,  # which are in the sums: 1, 2
    "instances_present": pl.Int64,
    "instances_total": pl.Int64,  # of the cluster; null where no report states it
    "elapsed_s": pl.Float64,  # the longest of the instances'
    **dict.fromkeys(_ADDED, pl.Float64),
    "read_event": pl.String,
    **dict.fromkeys((*_WEIGHTED, *_WEIGHTED.values()), pl.Float64),
}
"""One row for each two snapshots of which reports of several instances are there."""


def cluster_totals(over_time: Measured, reading: Reading) -> Measured:
    """The instances of each cluster together, where several have a report of the same snapshots.

    Args:
        over_time: What ``over_time`` gave: a row for each instance and period.
        reading: The reports' tables.

    Returns:
        ``CLUSTER``, database by database, in order of time. What one of the instances does not
        state is null.

    Raises:
        AbsentError: No two reports are of two instances of one cluster at the same snapshots.
    """
    return _cluster_totals(over_time, report=reading["report"])


@step(version=1, name="awr.cluster_totals")
def _cluster_totals(over_time: Measured, *, report: Measured) -> pl.DataFrame:
    require_columns(over_time.frame, ("source", "begin_time", *_ADDED), "over_time")
    heads = {file_of(row): row for row in report.frame.rows(named=True)}
    rows = [{**row, **_head(heads[row["source"]])} for row in over_time.frame.rows(named=True)]
    known = [row for row in rows if row["rac"] and None not in (row["instance"], *row["snaps"])]
    groups = rows_by(known, lambda row: (row["db_name"], row["db_id"], row["snaps"]))
    found = [_together(own) for group in groups.values() for own in _of_one_time(group)]
    if not found:
        raise AbsentError("no two reports cover two instances of a cluster at the same snapshots")
    return pl.DataFrame(found, schema=CLUSTER).sort("history", "begin_time")


def _head(row: Row) -> Row:
    return {
        **{name: row[name] for name in ("db_name", "db_id", "rac", "instance")},
        "total": row["instances_total"] if row["scope"] != "rac" else None,
        "snaps": (row["snap_begin_id"], row["snap_end_id"]),
    }


def _of_one_time(group: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows of several instances whose snapshots are of the same times, each instance once."""
    ordered = sorted(group, key=lambda row: int(row["instance"]))
    own = list({row["instance"]: row for row in ordered}.values())
    apart = max(
        max(row[name] for row in own) - min(row[name] for row in own)
        for name in ("begin_time", "end_time")
    )
    if len(own) > 1 and apart <= TOLERANCE:
        yield own


def _together(own: Sequence[Row]) -> Row:
    totals = {row["total"] for row in own}
    total = totals.pop() if len(totals) == 1 else None
    events = {row["read_event"] for row in own}
    told = [one for row in own for one in from_json(row["cautions"])]
    # all of the cluster is in the sums: that a report lacks the others does not hold for them
    kept = [one for one in told if one.name != "one_instance" or total != len(own)]
    event = events.pop() if len(events) == 1 else None
    return {
        "history": own[0]["db_name"] or own[0]["history"],
        "begin_time": min(row["begin_time"] for row in own),
        "end_time": max(row["end_time"] for row in own),
        "cautions": to_json(kept),
        "instances": ", ".join(str(row["instance"]) for row in own),
        "instances_present": len(own),
        "instances_total": total,
        "elapsed_s": max(row["elapsed_s"] for row in own),
        **{name: _sum([row[name] for row in own]) for name in _ADDED},
        "read_event": event,
        **{name: _sum([row[name] for row in own]) for name in _WEIGHTED.values()},
        **{
            name: _mean(own, name, waits) if name != "read_wait_s" or event else None
            for name, waits in _WEIGHTED.items()
        },
    }


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None


def _mean(own: Sequence[Row], name: str, waits: str) -> float | None:
    """A mean wait weighted by the waits; null where an instance has none."""
    pairs = [(row[name], row[waits]) for row in own]
    if any(None in pair for pair in pairs):
        return None
    count = math.fsum(number for _, number in pairs)
    return math.fsum(mean * number for mean, number in pairs) / count if count else None


@step(version=1, name="awr.cluster_time")
def cluster_time(totals: Measured) -> pl.DataFrame:
    """What the instances of each cluster did together over all periods.

    Args:
        totals: What ``cluster_totals`` gave.

    Returns:
        ``answers.ANSWERS``: ``cluster_time`` for each database and set of instances; conditions
        are how many instances there are and of how many, the least and the most of a period, and
        rates over all of them.
    """
    require_columns(totals.frame, list(CLUSTER), "cluster_totals")
    rows = totals.frame.rows(named=True)
    groups = rows_by(rows, lambda row: (row["history"], row["instances"], row["instances_total"]))
    return claims.to_frame(_answer(own) for own in groups.values())


def _answer(own: Sequence[Row]) -> Answer:
    first, last = own[0], own[-1]
    seconds = math.fsum(row["elapsed_s"] for row in own)
    rates = {
        name: math.fsum(row[name] * row["elapsed_s"] for row in own) / seconds
        for name in (SESSIONS, "read_iops", "write_iops", "read_bytes_per_s", "write_bytes_per_s")
        if all(row[name] is not None for row in own)
    }
    present, total = first["instances_present"], first["instances_total"]
    every = "an unknown number" if total is None else str(total)
    lacks = caution("instances_missing", of=first["history"], present=str(present), all=every)
    missing = () if total == present else (lacks,)
    about = subject(
        first["history"], first["begin_time"], last["end_time"], instances=first["instances"]
    )
    counts = where(("present", float(present)), ("total", total))
    if SESSIONS not in rates:
        why = "a report does not state its DB time"
        return TIME.answer(SESSIONS, about, None, why, conditions=counts, cautions=missing)
    sessions = [row[SESSIONS] for row in own]
    told = where(
        ("least", min(sessions)),
        ("most", max(sessions)),
        *((name, value) for name, value in rates.items() if name != SESSIONS),
    )
    return TIME.answer(
        SESSIONS, about, rates[SESSIONS], n=len(own), conditions=(*counts, *told), cautions=missing
    )
