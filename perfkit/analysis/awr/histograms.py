"""The histogram of one event, put together from the parts in which a report prints it.

From 12.2 on a report prints waits up to half a millisecond in one table, and those up to 32 ms, 2 s
and longer in others. Shares are of all waits of the event in each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfkit.core.schema import Row

HALF_DIGIT = 0.0005
"""Half of the last digit of a printed share: 0.1%."""

ENOUGH_WAITS = 1000
"""Waits from which on a mean and a 99th percentile say something."""


@dataclass(frozen=True)
class Bucket:
    """Waits of ``lower_s`` to below ``upper_s`` (infinite: without end) and their share of all.

    The true share lies between ``low`` and ``high``: shares are printed rounded, or as "< 0.01".
    """

    lower_s: float
    upper_s: float
    waits_ratio: float
    low: float
    high: float

    def overlaps(self, other: Bucket) -> bool:
        """Whether waits could be counted in both."""
        return self.lower_s < other.upper_s and other.lower_s < self.upper_s


@dataclass(frozen=True)
class Band:
    """Where a percentile lies; ``upper_s`` is infinite where the last bucket has no end."""

    lower_s: float
    upper_s: float


def buckets(rows: Sequence[Row]) -> list[Bucket]:
    """The finest buckets of one event that together hold all its waits, in order.

    Of buckets that overlap the narrower one counts. Where the finest do not add up to all waits
    within the rounding of the print, those of the range "all" stand alone.

    Args:
        rows: Rows of ``event_histogram``, of one event, report and instance (or cluster).
    """
    printed = [_bucket(row) for row in rows if row["waits_ratio"] is not None]
    kept: list[Bucket] = []
    for item in sorted(printed, key=lambda item: (item.upper_s - item.lower_s, -item.lower_s)):
        if not any(item.overlaps(other) for other in kept):
            kept.append(item)
    if not _is_whole(kept):
        kept = [
            _bucket(row) for row in rows if row["range"] == "all" and row["waits_ratio"] is not None
        ]
    return sorted(kept, key=lambda item: item.lower_s)


def _bucket(row: Row) -> Bucket:
    share = float(row["waits_ratio"])
    low = 0.0 if row.get("below") else max(0.0, share - HALF_DIGIT)
    high = share if row.get("below") else share + HALF_DIGIT
    upper = math.inf if row["upper_s"] is None else float(row["upper_s"])
    return Bucket(float(row["lower_s"]), upper, share, low, high)


def _is_whole(found: Sequence[Bucket]) -> bool:
    return sum(item.low for item in found) <= 1 <= sum(item.high for item in found)


def percentile(found: Sequence[Bucket], percent: float) -> Band | None:
    """The narrowest band that surely holds a percentile, with all rounding of the print.

    A histogram says no more than the bucket; where rounding leaves open in which of two
    neighbours the percentile lies, the band is both.

    Args:
        found: What ``buckets`` gave.
        percent: 50, 95, 99.

    Returns:
        None where the buckets do not hold all waits.
    """
    if not found or not _is_whole(found):
        return None
    wanted = percent / 100
    lower, upper = found[0].lower_s, found[-1].upper_s
    for place, item in enumerate(found):
        # below this bucket: by what is summed up to it, and by what is left from it on
        most_before = min(
            sum(one.high for one in found[:place]), 1 - sum(one.low for one in found[place:])
        )
        if most_before < wanted:
            lower = item.lower_s
        least_through = max(
            sum(one.low for one in found[: place + 1]),
            1 - sum(one.high for one in found[place + 1 :]),
        )
        if least_through >= wanted:
            upper = item.upper_s
            break
    return Band(lower, upper)
