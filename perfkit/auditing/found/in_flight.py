"""Little's law: operations a second by their mean time are the operations in flight.

J. D. C. Little, "A proof for the queuing formula: L = lambda W", Operations Research 9 (3), 1961. A
load of a set depth shows it in each row: 128 in flight at 97,700 operations a second take 1.31 ms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from perfkit.auditing.found.proportion import Evidence, Hypothesis, borne_out, checks
from perfkit.auditing.found.slots import Track
from perfkit.auditing.found.words import MEAN, label_of
from perfkit.formats.printed_text import word_set
from perfkit.formats.quantities import OPS, RATE, TIME

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Sheet
    from perfkit.auditing.found.relate import Check
    from perfkit.auditing.found.slots import Slot

    _Point = tuple[Slot | None, Slot | None, str]

_LOADS = (
    r"depths?|threads?|(?:num)?jobs?|clients?|process(?:es)?|workers?|connections?|streams?|users?"
)
_SAID = re.compile(
    rf"(?<![\d.])(?P<many>\d+)[\s_-]*(?:io|queue)?[\s_-]*(?:{_LOADS})\b"
    rf"|(?<![a-z])(?:{_LOADS}|iodepth|qd|[qtc](?=\d))[\s_]*[=:(]?[\s_]*(?P<said>\d+)\b(?!\.)",
    re.I,
)
_SIZE = re.compile(r"(?<![\w.])(?P<many>\d+)\s?(?P<unit>[km])(?:i?b)?\b", re.I)
_MEASURES = word_set("io throughput rate latency average speed sum")
_LARGEST_BLOCK = 16 * 2**20
_SAID_LOAD = Evidence(3, 3.5, 3, slacks=(0.05,), least=0.25, by_units=True)
_MULTIPLE = replace(_SAID_LOAD, rows=4, witnesses=6)
"""What lies between was measured apart: the rates of several clients, which do not end together.
One point shows a multiple itself."""


def in_flight(page: Page) -> Iterator[Check]:
    """The rows of a table with rates and mean times, or the cells of two tables of one shape."""
    for sheet in page.sheets:
        yield from _checked(list(_of_rows(sheet)))
    for one, two in page.of_one_shape:
        rates, times = sorted((one.joined, two.joined), key=lambda track: track.kind == TIME)
        if {OPS, TIME} == {rates.kind, times.kind}:
            places = product(one.texts, one.heads[1:])
            said = [f"{row[0]}, {head}" for row, head in places]
            yield from _checked(list(zip(rates.slots, times.slots, said, strict=True)))


def _of_rows(sheet: Sheet) -> Iterator[_Point]:
    """Columns of rates, each with the one column of mean times of the same operations."""
    measured = [t for t in sheet.columns if t.kind in {OPS, RATE, TIME} and not t.names]
    columns = {t.column - 1 for t in measured}
    said = [
        ", ".join(f"{sheet.heads[n]} {text}" for n, text in enumerate(row) if n not in columns)
        for row in sheet.texts
    ]
    for rate in (t for t in measured if t.kind != TIME and not t.label.change):
        alike = [t for t in measured if _what(t) == _what(rate)]
        times = [t for t in alike if _is_mean_time(t)]
        if len(times) == 1 == sum(t.kind == rate.kind for t in alike):
            yield from zip(rate.slots, times[0].slots, said, strict=True)


def _is_mean_time(track: Track) -> bool:
    rank = track.label.rank
    return track.kind == TIME and "latency" in track.label.words and (not rank or rank[0] == MEAN)


def _what(track: Track) -> frozenset[str]:
    """What a column is of, but for what it measures: "striped volume"."""
    return frozenset(track.label.words) - _MEASURES


def _checked(points: Sequence[_Point]) -> Iterator[Check]:
    """What bears out the operations that are said to be in flight, or one multiple of them."""
    rates = Track(label_of("rate"), tuple(rate for rate, _, _ in points), 0)
    times = Track(label_of("mean latency"), tuple(time for _, time, _ in points), 0)
    if not rates.known or not times.known:
        return
    known = tuple(_known(rate, text) for rate, _, text in points)
    ways = [((0.0,), _SAID_LOAD), ((), _MULTIPLE)]
    tries = [borne_out(Hypothesis((rates, times), (1, 1), *way, known)) for way in ways]
    found = [relation for relation in tries if relation]
    if found:
        yield from checks(max(found, key=lambda r: len(r.held) - (not r.of.constants)))


def _known(rate: Slot | None, text: str) -> float | None:
    """What is said to be in flight, by the size of an operation; None where that is not known."""
    load = math.prod(int(m["many"] or m["said"]) for m in _SAID.finditer(text)) or 1
    sizes = {
        int(size["many"]) * 1024 ** " km".index(size["unit"].lower())
        for size in _SIZE.finditer(text)
    }
    blocks = [size for size in sizes if 0 < size <= _LARGEST_BLOCK]
    if rate and rate.kind == OPS:
        return math.log(load)
    return math.log(load * blocks[0]) if rate and rate.kind == RATE and len(blocks) == 1 else None
