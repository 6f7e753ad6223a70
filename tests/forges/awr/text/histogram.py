"""The wait event histogram, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.histogram import BINS_OLD, buckets, histogram_rows
from forges.awr.printing import kilo, word
from forges.awr.sheet import Block, fit

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.text.dialect import TextDialect


def histogram_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    """The wait event histogram."""
    if dialect.new:
        return None  # no real file shows it
    bins = BINS_OLD[0]
    heads = (
        "                                                    % of Waits",
        "                                 -----------------------------------------------",
        "                           Total",
        "Event                      Waits  <1ms  <2ms  <4ms  <8ms <16ms <32ms  <=1s   >1s",
    )
    lines = tuple(
        buckets(h, kilo(waits), bins, counts, fit(word(h.event), -25))
        for h, waits, counts in histogram_rows(bins, instance.histograms)
    )
    return Block(
        "event_histogram", "Wait Event Histogram", (), ((-25, 6, 5, 5, 5, 5, 5, 5, 5, 5),),
        (heads,), lines,
        ("Units for Total Waits column: K is 1000, M is 1000000, G is 1000000000",),
    )  # fmt: skip
