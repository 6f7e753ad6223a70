"""Rows of an AWR or Statspack reading: of one report, of one instance, and their mean waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError

if TYPE_CHECKING:
    from perfkit.lineage import Measured


def rows_of(data: Measured, what: str, columns: Sequence[str]) -> list[Row]:
    """The rows of a table of one report; AnalysisError for none, or for those of several."""
    need(data.frame, columns, what)
    rows = data.frame.rows(named=True)
    if not rows:
        raise AnalysisError(f"{what}: the report has nothing of it, so no table")
    sources = sorted({str(row.get("source")) for row in rows})
    if len(sources) > 1:
        raise AnalysisError(
            f"{what}: rows of several reports, which are never added up; choose one "
            f"(where(source=...), or -p report=...): {', '.join(sources)}"
        )
    return rows


def mean_wait(row: Row) -> float | None:
    """The mean wait to show: as printed; where that is whole milliseconds, total / waits.

    Up to 11.2 reports print averages in whole milliseconds: 0 for everything below half of one.
    """
    printed: float | None = row["avg_wait_s"]
    own: float | None = row["avg_wait_computed_s"]
    coarse = printed is None or printed * 1000 == round(printed * 1000)
    return own if coarse and own is not None else printed


def chosen_events(
    events: Measured, scope: str | None, instance: int | None, count: int | None
) -> list[Row]:
    """The top events of one instance or of the cluster, in the report's order.

    ``scope`` None takes all events where the report has them, else the foreground's.
    """
    rows = rows_of(events, "top_events", ("level", "instance", "scope", "event", "total_wait_s"))
    cluster = any(row["level"] == "cluster" for row in rows)
    own = [
        row for row in rows
        if (row["instance"] == instance if instance is not None
            else row["level"] == "cluster" or not cluster)
    ]  # fmt: skip
    scopes = [row["scope"] for row in own]
    taken = scope or ("all" if "all" in scopes else "foreground")
    found = [row for row in own if row["scope"] == taken]
    if not found:
        raise AnalysisError(f"top_events: none of scope {taken!r} for instance {instance}")
    return found[:count]


def main_io_event(waits: Measured) -> str | None:
    """The foreground User I/O event on which the reports together waited longest; None for none.

    It names what to show, and is no number of a report: sums over reports are not kept.
    """
    need(waits.frame, ("scope", "event", "wait_class", "total_wait_s"), "wait_events")
    totals: dict[str, float] = {}
    for row in waits.frame.rows(named=True):
        if row["scope"] == "foreground" and row["wait_class"] == "User I/O":
            totals[row["event"]] = totals.get(row["event"], 0.0) + (row["total_wait_s"] or 0.0)
    return min(totals, key=lambda event: (-totals[event], event), default=None)
