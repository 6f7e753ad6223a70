"""Wait event histograms: their edges, and the rows that every dialect prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from forges.awr.content import Histogram, ratio
from forges.awr.printing import BLANK, MICRO, Shown, percent
from forges.awr.sheet import Line

Edge = tuple[str, int | None, int | None]
"""A bucket: its printed name, and its edges as powers of two microseconds."""


@dataclass(frozen=True)
class Bins:
    """One histogram table: its edges as powers of two microseconds, with their printed names."""

    anchor: str
    heading: str
    waits_title: str
    group: str
    edges: tuple[Edge, ...]
    all_waits: bool = False


def _edges(names: str, first: int | None, powers: list[int]) -> tuple[Edge, ...]:
    lows = [first, *powers]
    highs = [*powers, None]
    return tuple(zip(names.split("|"), lows, highs, strict=True))


# 12.2 and later print what is below the range in the first column of each table
BINS_NEW = (
    Bins("7400", "Wait Event Histogram", "Total Waits", "% of Total Waits",
         _edges("<8us|<16us|<32us|<64us|<128us|<256us|<512us|>=512us", None,
                [3, 4, 5, 6, 7, 8, 9]), all_waits=True),
    Bins("7405", "Wait Event Histogram (up to 64 us)", "Waits 1us  - 64us", "% of Total Waits",
         _edges(" <1us| <2us| <4us|<8us|<16us|<32us|<64us|>=64us", None, [0, 1, 2, 3, 4, 5, 6])),
    Bins("7410", "Wait Event Histogram (up to 32 ms)", "Waits 1ms  to 32ms", "% of Total Waits",
         _edges(" <512us| <1ms| <2ms| <4ms|<8ms|<16ms|<32ms|>=32ms", None,
                [9, 10, 11, 12, 13, 14, 15])),
    Bins("7420", "Wait Event Histogram (up to 2 sec)", "Waits 64ms  to 2s", "% of Total Waits",
         _edges("<32ms|<64ms|<1/8s|<1/4s|<1/2s|  <1s|  <2s|>=2s", None,
                [15, 16, 17, 18, 19, 20, 21])),
    Bins("7430", "Wait Event Histogram (up to 2 min)", "Waits 4s   to 2m", "% of Total Waits",
         _edges("<2s| <4s| <8s|<16s|<32s|< 1m|< 2m|>=2m", None,
                [21, 22, 23, 24, 25, 26, 27])),
)  # fmt: skip


BINS_OLD = (
    Bins("7400", "Wait Event Histogram", "Total Waits", "% of Waits",
         _edges(" <1ms| <2ms| <4ms| <8ms|<16ms|<32ms| <=1s|  >1s", None,
                [10, 11, 12, 13, 14, 15, 20]), all_waits=True),
    Bins("7410", "Wait Event Histogram Detail (64 msec to 2 sec)", "Waits 64ms  to 2s",
         "% of Total Waits",
         _edges("<32ms|<64ms|<1/8s|<1/4s|<1/2s|  <1s|  <2s|>=2s", None,
                [15, 16, 17, 18, 19, 20, 21])),
)  # fmt: skip


def histogram_rows(
    bins: Bins, histograms: tuple[Histogram, ...]
) -> Iterator[tuple[Histogram, int, list[int]]]:
    """(event, waits, counts by bucket) of the events that have a row in this table."""
    for histogram in histograms:
        counts = [histogram.between(low, high) for _, low, high in bins.edges]
        inside = histogram.total if bins.all_waits else sum(counts[1:-1])
        if inside:
            yield histogram, inside, counts


def buckets(
    histogram: Histogram, waits: Shown, bins: Bins, counts: list[int], event: Shown
) -> Line:
    """One row: the shares, blank where there was no wait, .0 for less than half a digit."""
    shares = [
        percent(ratio(count, histogram.total), 1, dot=True) if count else BLANK for count in counts
    ]
    said = tuple(
        {
            "event": event.says, "waits": waits.says,
            "lower_s": Decimal(0) if low is None else 2**low * MICRO,
            "upper_s": None if high is None else 2**high * MICRO, "waits_ratio": share.says,
        }
        for (_, low, high), share in zip(bins.edges, shares, strict=True)
        if share.text
    )  # fmt: skip
    return Line([event, waits, *shares], said=said)
