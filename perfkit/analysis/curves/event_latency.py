"""The read latency of load points whose source is a database: the mean wait of an event."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from perfkit.analysis.curves.metrics import TOTAL_WITH_READ_LATENCY
from perfkit.analysis.curves.series import place, require_columns
from perfkit.core import answers as claims
from perfkit.core.answers import ANY, Subject, register_questions
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import ColumnTypes, Row
from perfkit.core.stats import mean_wait

_KEYS = ("source", "system", "config", "workload", "load_kind", "load", "repeat", "host")
_NEEDED = ("level", "scope", "event", "waits", "total_wait_s", "avg_wait_s")


@step(version=1, name="awr.load_points_with_event")
def load_points_with_event(
    load_points: Measured,
    wait_events: Measured,
    *,
    event: str = "db file sequential read",
) -> pl.DataFrame:
    """Load points of AWR or Statspack reports, with the mean wait of an event as read latency.

    A report has no latency of all I/O; what a session waited for a read is the mean of a wait
    event: total wait / waits of foreground sessions, of the cluster where the report has that row,
    else of its only instance. Totals below 100 s are printed too coarsely for that: there the
    printed mean is taken, unless it is a few whole milliseconds (11.2), and then it is null.

    Args:
        load_points: One or more reports' load points, labelled by the study (load, repeat).
        wait_events: Their wait events.
        event: The wait event.

    Returns:
        The load points with ``lat_mean_s`` set in the rows of direction "read", and a row more for
        each report: direction "total with read latency" has IOPS, bandwidth and host CPU of all
        I/O and that latency, which is what curves of such tests show. ``latency_event`` names the
        event. A latency that is not known is null.

    Raises:
        AnalysisError: no report has the event, or the load points have a latency of their own.
    """
    require_columns(load_points.frame, ("direction", "iops", "lat_mean_s"), "load_points")
    require_columns(wait_events.frame, _NEEDED, "wait_events")
    known = sorted(set(wait_events.frame["event"].drop_nulls()))
    if event not in known:
        raise AnalysisError(f"no wait event {event!r} in any report; {did_you_mean(event, known)}")
    keys = [
        name
        for name in _KEYS
        if name in load_points.frame.columns and name in wait_events.frame.columns
    ]
    own = wait_events.frame.filter(pl.col("event") == event, pl.col("scope") == "foreground")
    waits = rows_by(own.rows(named=True), lambda row: tuple(row[key] for key in keys))
    rows: list[Row] = []
    for row in load_points.frame.rows(named=True):
        latency = event_mean(waits.get(tuple(row[key] for key in keys), []))
        rows += _with(row, latency, event)
    schema: ColumnTypes = {**load_points.frame.schema, "latency_event": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def points_with_event(reading: Reading, event: str | None) -> Measured:
    """The load points of a study's evidence, with an event's mean wait as read latency.

    Without an event they are as they were measured.

    Raises AbsentError where there are none, AnalysisError for an event where there are no waits.
    """
    points, waits = reading.get("load_points"), reading.get("wait_events")
    if points is None:
        raise AbsentError("the evidence has no load points")
    if event and waits is None:
        raise AnalysisError(f"the evidence has no wait events, and {event!r} was asked for")
    return load_points_with_event(points, waits, event=event) if event else points


[EVENT_LATENCY] = register_questions(
    ("event_latency", "1",
     "reports that give a mean wait of the event, which is their read latency",
     "a count; the mean is total wait / waits of foreground sessions, or as printed", "none", ANY),
)  # fmt: skip


@step(version=1, name="awr.event_latency")
def event_latency(points: Measured) -> pl.DataFrame:
    """What the read latency of load points with an event is, and of how many reports: an answer.

    Raises AnalysisError for load points of another kind (``load_points_with_event``).
    """
    require_columns(points.frame, ("latency_event", "lat_mean_s"), "load_points")
    reads = points.frame.filter(pl.col("latency_event").is_not_null(), direction="read")
    if reads.is_empty():
        raise AbsentError("no load point has a latency from a wait event")
    found = []
    for event in reads["latency_event"].unique().sort():
        own = reads.filter(latency_event=event)
        known = own.height - own["lat_mean_s"].null_count()
        found.append(
            EVENT_LATENCY.answer(
                "lat_mean_s",
                Subject(event, (("event", event),)),
                known or None,
                "no report gives its mean",
                n=own.height,
            )
        )
    return claims.to_frame(found)


def event_mean(rows: Sequence[Row]) -> float | None:
    """The mean wait of an event by the rows a report has of it, in seconds.

    Total / waits; of a total below 100 s the printed mean. Null where it is not known which row
    counts, or both are printed too coarsely. Every mean wait of perfkit is this one.
    """
    chosen = [row for row in rows if row["level"] == "cluster"] or rows
    if len(chosen) != 1:
        return None
    return mean_wait(*(chosen[0][name] for name in ("total_wait_s", "waits", "avg_wait_s")))


def _with(row: Row, latency: float | None, event: str) -> list[Row]:
    if row["direction"] not in {"read", "total"}:
        return [{**row, "latency_event": None}]
    if row["lat_mean_s"] is not None:
        raise AnalysisError(f"{place(row)}: the load point has a latency of its own")
    own = {**row, "lat_mean_s": latency, "latency_event": event}
    if row["direction"] == "read":
        return [own]
    return [{**row, "latency_event": None}, {**own, "direction": TOTAL_WITH_READ_LATENCY}]
