"""A set of AWR or Statspack reports side by side: one row a report, nothing added up."""

from __future__ import annotations

from typing import Any

import polars as pl

from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step

OVERVIEW: dict[str, Any] = {
    "source": pl.String,
    "system": pl.String,
    "config": pl.String,
    "load_kind": pl.String,
    "load": pl.Float64,
    "repeat": pl.Int64,
    "db_name": pl.String,
    "release": pl.String,
    "begin_time": pl.Datetime("us"),
    "elapsed_s": pl.Float64,
    "db_time_s": pl.Float64,
    "db_time_per_elapsed_ratio": pl.Float64,
    "read_iops": pl.Float64,
    "write_iops": pl.Float64,
    "iops": pl.Float64,
    "bw_bytes_per_s": pl.Float64,
    "cpu_busy_ratio": pl.Float64,
    "event": pl.String,
    "event_wait_s": pl.Float64,
}
"""The columns of an overview. DB time / elapsed is the number of average active sessions."""

_LABELS = ("system", "config", "load_kind", "load", "repeat")
_FACTS = ("db_name", "release", "begin_time", "elapsed_s", "db_time_s")


@step(version=1, name="awr.overview")
def report_overview(
    report: Measured,
    load_points: Measured,
    wait_events: Measured | None = None,
    *,
    event: str | None = None,
) -> pl.DataFrame:
    """One row a report: its period, load, IOPS and throughput, host CPU, and one event's mean wait.

    Args:
        report: The table ``report`` of one or more reports (with ``source`` where a study read it).
        load_points: Their load points: IOPS as the report's best section gives them, else null.
        wait_events: Their wait events; needed for ``event``.
        event: The wait event; None leaves its mean null. The mean is total / waits of foreground
            sessions: of the cluster where the report has that row, else of the only instance, else
            null.

    Returns:
        A frame with the columns ``OVERVIEW``, in the order of the reports.

    Raises:
        AnalysisError: No report, a table without its columns, or an event that none of the reports
            has.
    """
    need(report.frame, _FACTS, "report")
    need(load_points.frame, ("direction", "iops", "bw_bytes_per_s"), "load_points")
    if report.frame.is_empty():
        raise AnalysisError("report: no report, so no overview")
    waits = None if wait_events is None or event is None else wait_events.frame
    if waits is not None and event is not None:
        _known_event(waits, event)
    rows = [
        {
            **{name: row.get(name) for name in ("source", *_LABELS, *_FACTS)},
            "db_time_per_elapsed_ratio": _ratio(row["db_time_s"], row["elapsed_s"]),
            **_load(_own(load_points.frame, row)),
            "event": None if waits is None else event,
            "event_wait_s": None if waits is None else _wait(_own(waits, row), str(event)),
        }
        for row in report.frame.rows(named=True)
    ]
    return pl.DataFrame(rows, schema=OVERVIEW)


def _own(frame: pl.DataFrame, row: Row) -> list[Row]:
    """The rows of one report."""
    if "source" not in frame.columns:
        return frame.rows(named=True)
    return frame.filter(pl.col("source").eq_missing(pl.lit(row.get("source")))).rows(named=True)


def _load(points: list[Row]) -> Row:
    by = {point["direction"]: point for point in points}
    if len(by) < len(points):
        raise AnalysisError("load_points: several rows of one direction in one report")

    def value(direction: str, name: str) -> Any:
        return by[direction][name] if direction in by else None

    return {
        "read_iops": value("read", "iops"),
        "write_iops": value("write", "iops"),
        "iops": value("total", "iops"),
        "bw_bytes_per_s": value("total", "bw_bytes_per_s"),
        "cpu_busy_ratio": value("total", "cpu_busy_ratio"),
    }


def _known_event(waits: pl.DataFrame, event: str) -> None:
    need(waits, ("level", "scope", "event", "waits", "total_wait_s"), "wait_events")
    known = sorted(set(waits["event"].drop_nulls()))
    if event not in known:
        raise AnalysisError(f"no wait event {event!r} in any report; {did_you_mean(event, known)}")


def _wait(rows: list[Row], event: str) -> float | None:
    """Total / waits of the foreground, seconds; null where it cannot be told which row counts."""
    mine = [row for row in rows if row["event"] == event and row["scope"] == "foreground"]
    cluster = [row for row in mine if row["level"] == "cluster"]
    chosen = cluster or mine
    if len(chosen) != 1:
        return None
    return _ratio(chosen[0]["total_wait_s"], chosen[0]["waits"])


def _ratio(above: float | None, below: float | None) -> float | None:
    return None if above is None or not below else above / below
