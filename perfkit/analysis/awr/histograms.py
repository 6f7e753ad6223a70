"""The histogram of one event, put together from the parts in which a report prints it.

From 12.2 on a report prints waits up to half a millisecond in one table, and those up to 32 ms, 2 s
and longer in others. Shares are of all waits of the event in each. In which bucket a percentile
lies is said by ``periods.latency``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.core.schema import Row

HALF_DIGIT = 0.0005
"""Half of the last digit of a printed share: 0.1%."""


@dataclass(frozen=True)
class Bucket:
    """Waits of ``lower_s`` to below ``upper_s`` (infinite: without end) and their share of all."""

    lower_s: float
    upper_s: float
    waits_ratio: float

    def overlaps(self, other: Bucket) -> bool:
        """Whether waits could be counted in both."""
        return self.lower_s < other.upper_s and other.lower_s < self.upper_s


def buckets(rows: Sequence[Row]) -> list[Bucket]:
    """The finest buckets of one event that together hold all its waits, in order, as printed.

    Of buckets that overlap the narrower one counts. Where the finest do not add up to all waits
    within the rounding of the print, those of the range "all" stand alone.

    Args:
        rows: Rows of ``event_histogram``, of one event, report and instance (or cluster).
    """
    known = [row for row in rows if row["waits_ratio"] is not None]
    kept: list[Bucket] = []
    narrow_first = sorted(
        map(_bucket, known), key=lambda item: (item.upper_s - item.lower_s, -item.lower_s)
    )
    for item in narrow_first:
        if not any(item.overlaps(other) for other in kept):
            kept.append(item)
    if abs(sum(item.waits_ratio for item in kept) - 1) > HALF_DIGIT * (len(kept) + 1):
        kept = [_bucket(row) for row in known if row["range"] == "all"]
    return sorted(kept, key=lambda item: item.lower_s)


def _bucket(row: Row) -> Bucket:
    upper = math.inf if row["upper_s"] is None else float(row["upper_s"])
    return Bucket(float(row["lower_s"]), upper, float(row["waits_ratio"]))
