"""The rows of one AWR or Statspack report, which of them speak for all of it, and its waits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfkit.analysis.awr.histograms import ENOUGH_WAITS, buckets, percentile
from perfkit.analysis.awr.waits import is_idle
from perfkit.analysis.curves.event_latency import event_mean
from perfkit.core.answers import Condition
from perfkit.core.cautions import Caution, caution
from perfkit.core.schema import Row


@dataclass(frozen=True)
class ReportRows:
    """One report: what it is called, its head, and its rows by table."""

    name: str
    head: Row
    tables: Mapping[str, Sequence[Row]]


def of_whole(rows: Sequence[Row]) -> list[Row]:
    """The rows of the cluster where there are any, else of the only instance; of several none."""
    own = [row for row in rows if row["level"] == "cluster"]
    if not own and len({row["instance"] for row in rows}) == 1:
        return list(rows)
    return own


def events_of(report: ReportRows, scope: str = "foreground") -> dict[str, Row]:
    """The waits of foreground or background sessions by event; idle ones are left out.

    Oracle prints no share of DB time for what is idle.
    """
    own = of_whole([row for row in report.tables["wait_events"] if row["scope"] == scope])
    shared = any(row.get("db_time_ratio") is not None for row in own)
    return {
        row["event"]: row
        for row in own
        if row.get("wait_class") != "Idle"
        and not is_idle(row["event"])
        and not (shared and row.get("db_time_ratio") is None)
    }


# --- one wait ---------------------------------------------------------------------------------

PERCENTS = (50, 99)


def mean_of(row: Row | None) -> float | None:
    """The mean wait by the one row of an event; None without one, or where it is too coarse."""
    return None if row is None else event_mean([row])


def percentiles(report: ReportRows, event: str) -> list[Condition]:
    """In which bucket the percentiles of an event lie: p99_lower_s, and p99_upper_s where it ends.

    Nothing where the report has no whole histogram of it, or the event waited less than
    ``ENOUGH_WAITS`` times.
    """
    rows = of_whole([row for row in report.tables["event_histogram"] if row["event"] == event])
    every = {row["waits"] for row in rows if row["range"] == "all"}
    if not every or None in every or max(every) < ENOUGH_WAITS:
        return []
    found = buckets(rows)
    conditions = []
    for percent in PERCENTS:
        band = percentile(found, percent)
        if band is None:
            continue
        for end, value in (("lower", band.lower_s), ("upper", band.upper_s)):
            if math.isfinite(value):
                conditions.append(Condition(f"p{percent}_{end}_s", value, "s", "where"))
    return conditions


def few(event: str, row: Row) -> list[Caution]:
    """The caution of a mean of few waits."""
    waits = row.get("waits")
    if waits is None or waits >= ENOUGH_WAITS:
        return []
    return [caution("few_waits", of=event, waits=f"{waits:,.0f}")]
