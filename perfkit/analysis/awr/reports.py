"""A set of AWR or Statspack reports side by side: one row a report, in time, nothing added up."""

from __future__ import annotations

from typing import Any

import polars as pl

from perfkit.analysis.curves.event_latency import event_mean
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.keys import by_file, file_of, report_names
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import ColumnTypes, Row
from perfkit.core.stats import ratio_of

OVERVIEW: ColumnTypes = {
    "report": pl.String,
    "source": pl.String,
    "system": pl.String,
    "config": pl.String,
    "load_kind": pl.String,
    "load": pl.Float64,
    "repeat": pl.Int64,
    "db_name": pl.String,
    "release": pl.String,
    "begin_time": pl.Datetime("us"),
    "end_time": pl.Datetime("us"),
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
"""The columns of an overview. DB time / elapsed is the number of average active sessions.

``report`` is what a report is called: shorter than ``source``, and no two are called the same.
"""

_LABELS = ("system", "config", "load_kind", "load", "repeat")
_FACTS = ("db_name", "release", "begin_time", "elapsed_s", "db_time_s")
_SERIES = ("system", "config", "load_kind")


@step(version=2, name="awr.overview")
def report_overview(
    report: Measured,
    load_points: Measured,
    wait_events: Measured | None = None,
    *,
    event: str | None = None,
) -> pl.DataFrame:
    """One row a report: its period, load, IOPS and throughput, host CPU, and one event's mean wait.

    Args:
        report: The table ``report`` of one or more reports (with ``source`` where a study read it,
            ``file`` where many were read as one).
        load_points: Their load points: IOPS as the report's best section gives them, else null.
        wait_events: Their wait events; needed for ``event``.
        event: The wait event; None leaves its mean null. The mean is that of ``event_mean``, of the
            foreground sessions: of the cluster where the report has that row, else of the only
            instance, else null.

    Returns:
        A frame with the columns ``OVERVIEW``: system by system, and within one by load, repeat and
        the time at which the reports begin; those without a time last.

    Raises:
        AnalysisError: No report, a table without its columns, reports that cannot be distinguished,
            or an event that none of the reports has.
    """
    require_columns(report.frame, _FACTS, "report")
    require_columns(load_points.frame, ("direction", "iops", "bw_bytes_per_s"), "load_points")
    if report.frame.is_empty():
        raise AbsentError("report: no report, so no overview")
    waits = None if wait_events is None or event is None else wait_events.frame
    if waits is not None and event is not None:
        _known_event(waits, event)
    reports = _in_order(report.frame.rows(named=True))
    points = by_file(load_points.frame)
    listed = {} if waits is None else by_file(waits)
    rows = [
        {
            **{name: row.get(name) for name in (*_LABELS, *_FACTS, "end_time")},
            "source": file_of(row),
            "report": name,
            "db_time_per_elapsed_ratio": ratio_of(row["db_time_s"], row["elapsed_s"]),
            **_load(points.get(file_of(row), [])),
            "event": None if waits is None else event,
            "event_wait_s": event_mean(
                [
                    own
                    for own in listed.get(file_of(row), [])
                    if own["event"] == event and own["scope"] == "foreground"
                ]
            ),
        }
        for row, name in zip(reports, report_names([file_of(row) for row in reports]), strict=True)
    ]
    return pl.DataFrame(rows, schema=OVERVIEW)


def _in_order(reports: list[Row]) -> list[Row]:
    """The reports by series, load, repeat and begin; a report is one file, and in it once."""
    files = [file_of(row) for row in reports]
    if len(set(files)) < len(files):
        twice = next(name for name in files if files.count(name) > 1)
        raise AnalysisError(
            f"report: {files.count(twice)} reports are called {twice or 'nothing'}: read each from "
            "a file of its own"
        )
    met = list(dict.fromkeys(tuple(row.get(name) for name in _SERIES) for row in reports))

    def place(row: Row) -> tuple[Any, ...]:
        rises = (row.get("load"), row.get("repeat"), row["begin_time"])
        series = met.index(tuple(row.get(name) for name in _SERIES))
        # what is missing comes last, and is compared with nothing
        return series, *((value is None, 0 if value is None else value) for value in rises)

    return sorted(reports, key=place)


_OF_POINTS = {
    "read_iops": ("read", "iops"), "write_iops": ("write", "iops"), "iops": ("total", "iops"),
    "bw_bytes_per_s": ("total", "bw_bytes_per_s"), "cpu_busy_ratio": ("total", "cpu_busy_ratio"),
}  # fmt: skip


def _load(points: list[Row]) -> Row:
    by = {point["direction"]: point for point in points}
    if len(by) < len(points):
        raise AnalysisError("load_points: several rows of one direction in one report")
    return {
        name: by[direction][column] if direction in by else None
        for name, (direction, column) in _OF_POINTS.items()
    }


def _known_event(waits: pl.DataFrame, event: str) -> None:
    require_columns(
        waits, ("level", "scope", "event", "waits", "total_wait_s", "avg_wait_s"), "wait_events"
    )
    known = sorted(set(waits["event"].drop_nulls()))
    if event not in known:
        raise AnalysisError(f"no wait event {event!r} in any report; {did_you_mean(event, known)}")
