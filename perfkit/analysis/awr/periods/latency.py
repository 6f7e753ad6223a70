"""How the waits of an event were spread in each period: by the buckets of its histogram alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from perfkit.analysis.awr.histograms import Bucket, buckets, percentile
from perfkit.analysis.awr.periods import tables
from perfkit.analysis.awr.periods.columns import BANDS, HISTOGRAM_OVER_TIME
from perfkit.analysis.curves.event_latency import event_mean
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import Row

PERCENTS = (50.0, 95.0, 99.0)

_COLUMNS = ("range", "event", "lower_s", "upper_s", "waits_ratio", "below")


def _rows(periods: Measured, histogram: Measured, event: str) -> dict[tuple[Any, ...], list[Row]]:
    known = tables.in_trend(periods)
    rows = tables.joined(known, histogram, *_COLUMNS).filter(pl.col("event") == event)
    return rows_by(rows.rows(named=True), lambda row: tuple(row[name] for name in tables.PERIOD))


def latency_bands(
    periods: Measured,
    reading: Reading,
    events: str | Sequence[str | None],
    *,
    percents: Sequence[float] = PERCENTS,
) -> Measured:
    """Between which edges the percentiles of events' waits lie in each period, and the means.

    A histogram of powers of two says no more than the bucket; where the rounding of the printed
    shares leaves two buckets, it is both. The histogram is of all sessions, background too; the
    mean is that of the foreground (log file parallel write: of the background). Of several events
    None is passed over.

    Returns:
        ``BANDS``, event by event; periods without a histogram of the event have no rows.
    """
    return _bands(
        periods,
        tables.table(reading, "event_histogram"),
        tables.table(reading, "wait_events"),
        events=[events] if isinstance(events, str) else [one for one in events if one],
        percents=list(percents),
    )


@step(version=1, name="awr.latency_bands")
def _bands(
    periods: Measured,
    histogram: Measured,
    wait_events: Measured,
    *,
    events: list[str],
    percents: list[float],
) -> pl.DataFrame:
    every = tables.joined(
        tables.in_trend(periods),
        wait_events,
        *("scope", "event", "waits", "total_wait_s", "avg_wait_s"),
    ).filter(pl.col("event").is_in(events))
    if "level" not in every.columns:
        every = every.with_columns(level=pl.lit("instance"))
    waits = rows_by(every.rows(named=True), lambda row: (row["source"], row["event"]))
    found = []
    for event in events:
        for period, rows in _rows(periods, histogram, event).items():
            own, mean = buckets(rows), _mean(waits.get((rows[0]["source"], event), []))
            bands = [(percent, percentile(own, percent)) for percent in percents]
            found += [
                {
                    **dict(zip(tables.PERIOD, period, strict=True)),
                    "event": event,
                    "mean_s": mean,
                    "percent": percent,
                    "lower_s": band.lower_s,
                    "upper_s": band.upper_s if math.isfinite(band.upper_s) else None,
                }
                for percent, band in bands
                if band is not None
            ]
    return pl.DataFrame(found, schema=BANDS)


def _mean(rows: Sequence[Row]) -> float | None:
    """The mean wait in one report: of the foreground, else of the background."""
    scopes = rows_by(rows, lambda row: row["scope"])
    return event_mean(scopes.get("foreground") or scopes.get("background") or [])


def histogram_over_time(periods: Measured, reading: Reading, event: str | None) -> Measured:
    """The share of an event's waits in each bucket, the buckets the same in all periods.

    Returns:
        ``HISTOGRAM_OVER_TIME``: buckets as fine as every period of the history has them. A period
        without a histogram of the event has no rows.

    Raises:
        AbsentError: No event: no report lists a read of User I/O.
    """
    if event is None:
        raise AbsentError("no report lists a read of User I/O")
    return _over_time(periods, tables.table(reading, "event_histogram"), event=event)


@step(version=1, name="awr.histogram_over_time")
def _over_time(periods: Measured, histogram: Measured, *, event: str) -> pl.DataFrame:
    every = {
        period: own
        for period, rows in _rows(periods, histogram, event).items()
        if percentile(own := buckets(rows), 50) is not None
    }
    found = []
    for same in rows_by(every, lambda period: period[0]).values():
        edges = _edges([every[period] for period in same])
        for period in same:
            # an empty bucket is not a row, and truly 0
            upto = [
                math.fsum(one.waits_ratio for one in every[period] if one.upper_s <= edge)
                for edge in edges
            ]
            shares = [0.0, *(min(1.0, share) for share in upto), 1.0]
            found += [
                {
                    **dict(zip(tables.PERIOD, period, strict=True)),
                    "event": event,
                    "lower_s": lower,
                    "upper_s": upper,
                    "waits_ratio": max(0.0, to - below),
                }
                for lower, upper, below, to in zip(
                    [0.0, *edges], [*edges, None], shares, shares[1:], strict=False
                )
            ]
    return pl.DataFrame(found, schema=HISTOGRAM_OVER_TIME)


def _edges(every: Sequence[Sequence[Bucket]]) -> list[float]:
    """The edges that lie within a bucket of no period."""
    edges = {edge for own in every for one in own for edge in (one.lower_s, one.upper_s)}
    return sorted(
        edge
        for edge in edges - {0.0, math.inf}
        if not any(one.lower_s < edge < one.upper_s for own in every for one in own)
    )
