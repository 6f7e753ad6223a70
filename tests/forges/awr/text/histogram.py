"""The wait event histograms, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.histogram import BINS_NEW, BINS_OLD, Bins, buckets, histogram_rows
from forges.awr.printing import kilo, word
from forges.awr.sheet import Block, fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from forges.awr.content import Content, Instance
    from forges.awr.text.dialect import TextDialect

    Maker = Callable[[Content, Instance, TextDialect], Block | None]

_NAME = 5
"""Characters of a bucket's name: 12.2 and later print <128u for <128us, >=512, and >=32m for ms."""

_WAITS = 6
_UNITS = ("Units for Total Waits column: K is 1000, M is 1000000, G is 1000000000",)


def _block(instance: Instance, bins: Bins) -> Block:
    names = [name.strip()[:_NAME].rjust(_NAME) for name, _, _ in bins.edges]
    above, *words = bins.waits_title.replace("  ", "|").replace(" ", "|", 1).split("|")
    ends = [above, *(end.strip() for end in words)]
    heads = (
        f"{bins.group:>62}",
        f"{'':33}{'-' * 47}",
        *(f"{end[:_WAITS].rjust(_WAITS):>32}" for end in ends[:-1]),
        " ".join([f"{'Event':<25}", ends[-1][:_WAITS].rjust(_WAITS), *names]),
    )
    lines = tuple(
        buckets(h, kilo(waits), bins, counts, fit(word(h.event), -25))
        for h, waits, counts in histogram_rows(bins, instance.histograms)
    )
    widths = (-25, _WAITS, *[_NAME] * len(names))
    return Block("event_histogram", bins.heading, (), (widths,), (heads,), lines, _UNITS)


def _maker(place: int) -> Maker:
    def make(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
        """One of the tables, in the dialect's form."""
        known = BINS_NEW if dialect.new else BINS_OLD
        return _block(instance, known[place]) if place < len(known) else None

    return make


HISTOGRAMS = tuple(_maker(place) for place in range(len(BINS_NEW)))
"""The tables of 12.2 and later are those of HTML with names cut to their columns: a public parser
of such reports (rodrigonascimento/histo_parser) names the columns of two of them and their places;
no real file is known. 12.1 prints two."""
