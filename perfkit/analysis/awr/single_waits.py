"""What one report says of one wait: its mean, and where its percentiles lie."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfkit.analysis.awr.histograms import ENOUGH_WAITS, buckets, percentile
from perfkit.analysis.awr.report_rows import ReportRows, of_whole
from perfkit.analysis.curves.event_latency import event_mean
from perfkit.core.answers import Condition
from perfkit.core.cautions import Caution, caution

if TYPE_CHECKING:
    from perfkit.core.schema import Row

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
