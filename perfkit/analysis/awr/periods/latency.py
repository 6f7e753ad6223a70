"""How the waits of an event were spread in each period: by the buckets of its histogram alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.analysis.awr.periods import tables
from perfkit.analysis.awr.periods.columns import BANDS, HISTOGRAM_OVER_TIME
from perfkit.analysis.curves.event_latency import event_mean
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfkit.core.lineage import Reading
    from perfkit.core.schema import Row

PERCENTS = (50.0, 95.0, 99.0)

_ROUNDED = 0.0005
"""Half of the last digit of a share: shares are printed to a tenth of a percent."""

_SAME = 1e-9


@dataclass(frozen=True)
class Share:
    """The share of waits up to an edge, known to within ``within``."""

    upto: float
    within: float


@dataclass
class Histogram:
    """One event in one report: the share of its waits up to each edge that is printed.

    Several tables print it, each all its waits: the buckets of one are finer where those of
    another are one. An empty bucket is no row, and truly 0.
    """

    shares: dict[float, Share] = field(default_factory=dict)
    ranges: set[str] = field(default_factory=set)
    longest: float | None = None

    def bucket(self, percent: float) -> tuple[float, float | None] | None:
        """The edges between which a percentile lies; None where no share is known."""
        wanted = percent / 100
        lower, upper = 0.0, None
        for edge in sorted(self.shares):
            share = self.shares[edge]
            if share.upto + share.within < wanted - _SAME:
                lower = edge
            elif share.upto - share.within >= wanted - _SAME:
                upper = edge
                break
        return (lower, upper) if self.shares else None

    def upto(self, edge: float) -> float:
        """The share of the waits up to an edge of one of its tables."""
        known = [self.shares[own].upto for own in self.shares if own <= edge]
        return max(known, default=0.0)


def histogram_of(rows: Sequence[Row]) -> Histogram:
    """The histogram of one event from the rows of all the tables that have buckets of it.

    A table with a bucket that could not be read says nothing, nor does one whose shares are not
    those of all waits.
    """
    found = Histogram()
    for name, own in rows_by(rows, lambda row: row["range"]).items():
        shares = [row["waits_ratio"] for row in own]
        whole = None not in shares and math.fsum(shares)
        if whole and abs(whole - 1) <= _ROUNDED * (len(own) + 1):
            found.ranges.add(name or "")
            _add(found, sorted(own, key=lambda row: row["lower_s"]))
    return found


def _add(found: Histogram, own: Sequence[Row]) -> None:
    """The shares up to the edges of one table; of an edge in several tables the sharper one."""
    if own[-1]["upper_s"] is not None:
        found.longest = min(own[-1]["upper_s"], found.longest or math.inf)
    edges = [(row["lower_s"], place) for place, row in enumerate(own) if row["lower_s"]]
    edges += [(row["upper_s"], place) for place, row in enumerate(own, 1) if row["upper_s"]]
    ratios = [row["waits_ratio"] for row in own]
    for edge, place in edges:
        above = len(own) - place
        # summed from the end that has fewer buckets, each of which was rounded
        share = (
            Share(math.fsum(ratios[:place]), _ROUNDED * place) if place <= above
            else Share(1 - math.fsum(ratios[place:]), _ROUNDED * above)
        )  # fmt: skip
        if edge not in found.shares or share.within < found.shares[edge].within:
            found.shares[edge] = share


_COLUMNS = ("range", "event", "lower_s", "upper_s", "waits_ratio")


def _rows(periods: Measured, histogram: Measured, event: str) -> dict[tuple[Any, ...], list[Row]]:
    known = tables.in_trend(periods)
    rows = tables.joined(known, histogram, *_COLUMNS).filter(pl.col("event") == event)
    return rows_by(rows.rows(named=True), lambda row: tuple(row[name] for name in tables.PERIOD))


def latency_bands(
    periods: Measured, reading: Reading, events: str | Sequence[str | None], *,
    percents: Sequence[float] = PERCENTS,
) -> Measured:  # fmt: skip
    """Between which edges the percentiles of events' waits lie in each period, and the means.

    A histogram of powers of two says no more than the bucket; where the rounding of the printed
    shares leaves two buckets, it is both. The histogram is of all sessions, background too; the
    mean is that of the foreground (log file parallel write: of the background). Of several events
    None is passed over.

    Returns:
        ``BANDS``, event by event; periods without a histogram of the event have no rows.
    """
    return _bands(periods, tables.table(reading, "event_histogram"),
                  tables.table(reading, "wait_events"),
                  events=[events] if isinstance(events, str) else [one for one in events if one],
                  percents=list(percents))  # fmt: skip


@step(version=1, name="awr.latency_bands")
def _bands(
    periods: Measured, histogram: Measured, wait_events: Measured, *, events: list[str],
    percents: list[float],
) -> pl.DataFrame:  # fmt: skip
    found = [row for event in events
             for row in _bands_of(periods, histogram, wait_events, event, percents)]  # fmt: skip
    return pl.DataFrame(found, schema=BANDS)


def _bands_of(
    periods: Measured, histogram: Measured, wait_events: Measured, event: str,
    percents: list[float],
) -> list[Row]:  # fmt: skip
    known = tables.in_trend(periods)
    waits = tables.joined(known, wait_events, "scope", "event", "waits", "total_wait_s",
                          "avg_wait_s").filter(pl.col("event") == event)  # fmt: skip
    if "level" not in waits.columns:
        waits = waits.with_columns(level=pl.lit("instance"))
    means = _means(waits.rows(named=True))
    found = []
    for period, rows in _rows(periods, histogram, event).items():
        own = histogram_of(rows)
        for percent in percents:
            bucket = own.bucket(percent)
            if bucket is not None:
                found.append({
                    **dict(zip(tables.PERIOD, period, strict=True)), "event": event,
                    "mean_s": means.get(rows[0]["source"]), "percent": percent,
                    "lower_s": bucket[0], "upper_s": bucket[1],
                })  # fmt: skip
    return found


def _means(rows: Sequence[Row]) -> dict[str, float | None]:
    """The mean wait of each report: of the foreground, else of the background."""
    found = {}
    for source, own in rows_by(rows, lambda row: row["source"]).items():
        scopes = rows_by(own, lambda row: row["scope"])
        found[source] = event_mean(scopes.get("foreground") or scopes.get("background") or [])
    return found


def histogram_over_time(periods: Measured, reading: Reading, event: str) -> Measured:
    """The share of an event's waits in each bucket, the buckets the same in all periods.

    Returns:
        ``HISTOGRAM_OVER_TIME``: buckets as fine as every period of the history has them. A period
        without a histogram of the event has no rows.
    """
    return _over_time(periods, tables.table(reading, "event_histogram"), event=event)


@step(version=1, name="awr.histogram_over_time")
def _over_time(periods: Measured, histogram: Measured, *, event: str) -> pl.DataFrame:
    rows = _rows(periods, histogram, event)
    every = {period: histogram_of(own) for period, own in rows.items()}
    found = []
    for periods_ in rows_by(every, lambda period: period[0]).values():
        own = {period: every[period] for period in periods_ if every[period].shares}
        edges = _edges(own.values(), [row for period in own for row in rows[period]])
        for period, one in own.items():
            shares = [0.0, *map(one.upto, edges), 1.0]
            found += [
                {
                    **dict(zip(tables.PERIOD, period, strict=True)), "event": event,
                    "lower_s": lower, "upper_s": upper, "waits_ratio": max(0.0, upto - below),
                }
                for lower, upper, below, upto in zip(
                    [0.0, *edges], [*edges, None], shares, shares[1:], strict=False)
            ]  # fmt: skip
    return pl.DataFrame(found, schema=HISTOGRAM_OVER_TIME)


def _edges(own: Iterable[Histogram], rows: Sequence[Row]) -> list[float]:
    """The edges that every period knows: of its own tables, or beyond its longest wait."""
    edges: dict[float, set[str]] = {}
    for row in rows:
        for edge in (row["lower_s"], row["upper_s"]):
            if edge:
                edges.setdefault(edge, set()).add(row["range"] or "")
    every = list(own)
    return sorted(
        edge
        for edge, ranges in edges.items()
        if all(ranges & one.ranges or edge >= (one.longest or math.inf) for one in every)
    )
