"""Wait event histograms of one instance, in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.histogram import Bins, buckets, histogram_rows
from forges.awr.printing import kilo, word
from forges.awr.sheet import Column, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect, SheetMaker

HISTOGRAM = (
    "This table displays total number of waits, and information about total wait time, for each"
    " wait event"
)


def histogram_sheet(bins: Bins) -> SheetMaker:
    """One histogram table."""

    def make(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
        columns = (
            Column("Event", left=True), Column(bins.waits_title),
            *(Column(name, group=bins.group) for name, _, _ in bins.edges),
        )  # fmt: skip
        lines = tuple(
            buckets(histogram, kilo(waits), bins, counts, word(histogram.event))
            for histogram, waits, counts in histogram_rows(bins, instance.histograms)
        )
        return Sheet(
            "event_histogram", bins.heading, HISTOGRAM, columns, lines, anchor=bins.anchor,
            bullets=("Units for Total Waits column: K is 1000, M is 1000000, G is 1000000000",),
        )  # fmt: skip

    return make
