"""The rules that read sentences, in the order in which they speak."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from perfkit.auditing.relations.found.check import Check
from perfkit.auditing.relations.found.claims import claims_twice, peaks, percents_of_two
from perfkit.auditing.relations.found.counts import (
    counts,
    counts_of_tables,
    each_has,
    models,
    single_or_each,
)
from perfkit.auditing.relations.found.grid import Grid
from perfkit.auditing.relations.found.limits import limit_columns, limits, options
from perfkit.auditing.relations.found.repeats import (
    captions,
    orders_in_words,
    quotients,
    restated,
    sentences,
)
from perfkit.auditing.relations.found.sentence import Said
from perfkit.auditing.relations.found.sums import lists, points, products, times

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
