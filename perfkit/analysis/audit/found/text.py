"""The rules that read sentences, in the order in which they speak."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from perfkit.analysis.audit.found.check import Check
from perfkit.analysis.audit.found.claims import claims_twice, peaks, percents_of_two
from perfkit.analysis.audit.found.counts import (
    counts,
    counts_of_tables,
    each_has,
    models,
    single_or_each,
)
from perfkit.analysis.audit.found.grid import Grid
from perfkit.analysis.audit.found.limits import limit_columns, limits, options
from perfkit.analysis.audit.found.repeats import (
    captions,
    orders_in_words,
    quotients,
    restated,
    sentences,
)
from perfkit.analysis.audit.found.sentence import Said
from perfkit.analysis.audit.found.sums import lists, points, products, times

TextRule = Callable[[Sequence[Said], Sequence[Grid]], Iterator[Check]]

TEXT_RULES: tuple[TextRule, ...] = (
    counts,
    each_has,
    single_or_each,
    models,
    counts_of_tables,
    percents_of_two,
    claims_twice,
    peaks,
    limits,
    limit_columns,
    options,
    products,
    lists,
    times,
    points,
    sentences,
    captions,
    restated,
    orders_in_words,
    quotients,
)
