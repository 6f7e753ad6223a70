"""Little's law: operations a second by their mean time are the operations in flight.

J. D. C. Little, "A proof for the queuing formula: L = lambda W", Operations Research 9 (3), 1961. A
load of a set depth shows it in each row: 128 in flight at 97,700 operations a second take 1.31 ms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.products import FAMILY
from perfkit.auditing.found.relate import Check, Trial, check_of
from perfkit.auditing.found.words import MEAN
from perfkit.auditing.quantities import OPS, RATE, TIME
from perfkit.auditing.relations.run import FAILS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Sheet
    from perfkit.auditing.found.slots import Slot, Track

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
_HELD, _FAILS = math.log(1.05), math.log(1.25)
"""How far off a row may be that holds, and is at least that fails. What lies between was measured
apart: the rates of several clients, which do not end together."""
_DOUBLED = 0.03
_ROWS, _DIGITS, _WITNESSES = 3, 3.5, 3


@dataclass(frozen=True)
class _Point:
    """A rate with the mean time of its operations, and what is said to be in flight."""

    rate: Slot
    latency: Slot
    block_bytes: float
    said: float

    @property
    def log(self) -> float:
        """How many times the operations are in flight that are said to be, as a logarithm."""
        return math.log(self.rate.value / self.block_bytes * self.latency.value / self.said)

    @property
    def width(self) -> float:
        """How far off rounding and measuring may make it."""
        return sum(slot.nominal / slot.value for slot in (self.rate, self.latency)) + _HELD


def in_flight(page: Page) -> Iterator[Check]:
    """The rows of a table with rates and mean times, or the cells of two tables of one shape."""
    for sheet in page.tables:
        pairs = list(_pairs(sheet))
        yield from _judged([p for rate, latency in pairs for p in _of_rows(sheet, rate, latency)])
    for one, two in page.of_one_shape:
        tables = {sheet.joined.kind: sheet for sheet in (one, two)}
        if {OPS, TIME} <= set(tables):
            yield from _judged(list(_of_cells(tables[OPS], tables[TIME])))


def _pairs(sheet: Sheet) -> Iterator[tuple[Track, Track]]:
    """Columns of rates, each with the one column of mean times of the same operations."""
    times = [t for t in sheet.columns if _is_mean_time(t)]
    rates = [t for t in sheet.columns if t.kind in {OPS, RATE} and not t.names] if times else []
    for rate in rates:
        alike = [t for t in times if _what(t) == _what(rate)]
        others = [t for t in rates if _what(t) == _what(rate) and t.kind == rate.kind]
        if len(alike) == len(others) == 1 and not rate.label.change:
            yield rate, alike[0]


def _is_mean_time(track: Track) -> bool:
    rank = track.label.rank
    return track.kind == TIME and "latency" in track.label.words and (not rank or rank[0] == MEAN)


def _what(track: Track) -> frozenset[str]:
    """What a column is of, but for what it measures: "striped volume"."""
    return frozenset(track.label.words) - _MEASURES


def _of_rows(sheet: Sheet, rate: Track, latency: Track) -> Iterator[_Point]:
    measured = {t.column for t in sheet.columns if t.kind in {OPS, RATE, TIME} and not t.names}
    for n, row in enumerate(sheet.texts):
        cells = enumerate(zip(sheet.heads, row, strict=True), 1)
        said = ", ".join(
            f"{head} {text}" for column, (head, text) in cells if column not in measured
        )
        yield from _point(rate.slots[n], latency.slots[n], said)


def _of_cells(rates: Sheet, times: Sheet) -> Iterator[_Point]:
    places = product(rates.texts, rates.heads[1:])
    for (row, head), rate, time in zip(places, rates.joined.slots, times.joined.slots, strict=True):
        yield from _point(rate, time, f"{row[0]}, {head}")


def _point(rate: Slot | None, latency: Slot | None, said: str) -> Iterator[_Point]:
    """The point of a row; none where a number is missing, or the size of an operation."""
    if not rate or not latency or min(rate.value, latency.value) <= 0:
        return
    loads = [int(match["many"] or match["said"]) for match in _SAID.finditer(said)]
    found = {
        int(size["many"]) * 1024 ** " km".index(size["unit"].lower())
        for size in _SIZE.finditer(said)
    }
    blocks = [size for size in found if 0 < size <= _LARGEST_BLOCK]
    if rate.kind == OPS and latency.kind == TIME:
        yield _Point(rate, latency, 1.0, math.prod(loads) or 1)
    elif rate.kind == RATE and latency.kind == TIME and len(blocks) == 1:
        yield _Point(rate, latency, blocks[0], math.prod(loads) or 1)


def _judged(points: Sequence[_Point]) -> Iterator[Check]:
    """The points that bear out what is said to be in flight, or one multiple of it, and those far off."""
    ways = [(0.0, 0), *((p.log, 1) for p in points if abs(p.log) > _FAILS)]
    multiple, spent = max(ways, key=lambda way: (len(_near(points, way[0])) - way[1], -abs(way[0])))
    held = _near(points, multiple)
    failed = [p for p in points if abs(p.log - multiple) > _FAILS + p.width]
    rates = [math.log(p.rate.value / p.block_bytes) for p in held]
    distinct = {(p.rate.value, p.latency.value): p.width for p in held}
    if len(distinct) < _ROWS + spent or _WITNESSES * (1 + spent) * len(failed) > len(held):
        return
    spread = max(max(rates) - min(rates), 1e-9)
    shown = sorted(-math.log10(min(1.0, 2 * width / spread)) for width in distinct.values())
    if sum(shown[spent:]) >= _DIGITS:
        yield from (_check(p, multiple, ROUNDING) for p in held)
        yield from (
            _check(p, multiple, FAILS) for p in failed if not _other_load(p, failed, multiple)
        )


def _other_load(point: _Point, failed: Sequence[_Point], multiple: float) -> bool:
    """Whether a point is off as another is, or by a power of two: by its load, and no slip."""
    octaves = (point.log - multiple) / math.log(2)
    doubled = abs(octaves - round(octaves)) * math.log(2) <= _DOUBLED + point.width - _HELD
    return doubled or len(_near(failed, point.log)) > 1


def _near(points: Sequence[_Point], multiple: float) -> list[_Point]:
    return [p for p in points if abs(p.log - multiple) <= p.width]


def _check(point: _Point, multiple: float, outcome: str) -> Check:
    """The rate of a point by its mean time and what is in flight."""
    many = math.exp(multiple) * point.said

    def formula(latency: Any) -> Any:
        return many * point.block_bytes / float(latency)

    trial = Trial(point.rate, (point.latency,), formula, outcome)
    size = f" \u00d7 {point.block_bytes:g} bytes" if point.rate.kind == RATE else ""
    rule = f"{many:.3g} in flight{size} \u00f7 {point.latency.text}, as in other places"
    return check_of(trial, FAMILY, "product", "rate = in flight \u00f7 mean latency", rule)
