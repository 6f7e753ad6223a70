"""What must not be passed: percentiles in their order, a mean by its maximum."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.relate import Check, bounded, check_of
from perfkit.auditing.found.words import HIGHEST, LOWEST, MEAN, Label, label_of
from perfkit.auditing.quantities import FACTOR, SHARE, TIME, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet
    from perfkit.auditing.found.slots import Slot, Track, View

ORDER = "order"
_FAR_OUT, _TAIL = 99.9, 1.25
"""A percentile that a mean is seldom above, and by how much it then has to be."""
_HIGH_TAIL, _MANY_MEANS = 99, 5
T = TypeVar("T")
_Same = tuple[str, int, tuple[str, ...]]
"""What the numbers of one distribution have in common: kind, place in their cells, words beside."""


def bounds(page: Page) -> Iterator[Check]:
    """All that has an upper or a lower bound in the document itself."""
    found = [own for s in page.tables for view in s.views for own in _distributions(view)]
    for items in found:
        for low, high in _neighbours(items):
            yield from _rising(low, high)
    yield from _above_their_tail(found)
    for item in page.texts:
        yield from _labelled(item)
    yield from (
        check for s in page.sheets for n in range(1, len(s.heads)) for check in _marked(s, n)
    )
    for sheet in page.sheets:
        yield from _in_their_ranges(sheet)


_MARK = re.compile(r"\((?:fastest|slowest|best|worst|highest|lowest|peak|max|min)\)", re.I)
_MANY_ROWS = 3


def _marked(sheet: Sheet, column: int) -> Iterator[Check]:
    """A cell that says it is the first or last of its column: at most one other is beyond it."""
    slots = sheet.column(column)
    for slot in slots if len(slots) > _MANY_ROWS else ():
        if not _MARK.search(sheet.texts[(slot.row or 1) - 1][column]):
            continue
        others = [other for other in slots if other is not slot and other.kind == slot.kind]
        first = [bounded(other, "\u2264", slot) for other in others]
        last = [bounded(other, "\u2265", slot) for other in others]
        trials = min(first, last, key=lambda own: sum(not trial.held for trial in own))
        beyond = [trial for trial in trials if not trial.held]
        for trial in (beyond or trials) if len(beyond) < 2 else ():
            name = f"What a cell says to be the first or last (line {slot.line})"
            yield check_of(trial, ORDER, "limit", name, doubt=True)


_LABELLED = re.compile(
    r"\b(?P<name>p\d{2}(?:\.\d+)?|\d{2}(?:\.\d+)?(?:th|%)|min(?:imum)?|max(?:imum)?|median|avg|average|mean)"
    r"(?:\s+(?:latency|lat|percentile))*\s*(?:[:=]|of|is|was)\s*(?=[\d.])",
    re.I,
)
_USUAL = frozenset({25, 50, 75, 90, 95, 98, 99, 99.9, 99.99, 99.999})
_HIGH_RANK, _MANY_RANKS = 90, 4
_WAITS = word_set("latency time delay wait service")
_OF_TIMES = word_set("latency time response wait delay percentile distribution duration")
_RANKED = re.compile(r"percentile|pct|quantile|median")
_BARE = re.compile(r"\s*(\d{2}(?:\.\d+)?)\s?%\s*(\(.*\))?")


def _labelled(item: Said) -> Iterator[Check]:
    """Percentiles with their labels in one cell or sentence: P99: 0.8 ms, P99.9: 1.2 ms."""
    found = []
    for match in _LABELLED.finditer(item.text):
        rank = label_of(match["name"]).rank or (float(match["name"].rstrip("%th")), frozenset())
        number = next((s for s in item.slots if s.quantity.start == match.end()), None)
        if number and number.kind in {TIME, ""}:
            found.append((rank[0], (match["name"], number)))
    # the same label twice is of two things
    pairs = list(_neighbours(found)) if len(dict(found)) == len(found) else []
    # a battery at 75%, 78% and 90% takes less and less
    shares = all(name.endswith("%") for _, (name, _) in found)
    if shares and any(a.value > b.value for (_, a), (_, b) in pairs):
        return
    for (one, a), (two, b) in pairs:
        # alone, a mean above a percentile shows no error
        if a.kind == b.kind and _loose(label_of(one), label_of(two)) == 1:
            yield _order(b, "\u2265", a, one, two, 1.0)


_NUMBER = r"[-\u2212]?\d[\d,]*(?:\.\d+)?"
_RANGED = re.compile(
    rf"\W*(?P<value>{_NUMBER})[^\d\[(]{{0,12}}[\[(]\s*(?:(?:95\s?%\s*)?CI:?\s*)?(?P<low>{_NUMBER})"
    rf"\s*(?:to|\.\.|[-\u2013\u2014;]|,\s)\s*(?P<high>{_NUMBER})\s*[^\d\])%]{{0,6}}[\])][^\d\[(]{{0,12}}"
)
_MANY_RANGES = 5


def _in_their_ranges(sheet: Sheet) -> Iterator[Check]:
    """Numbers with a range behind them, "10.1 [9.1-10.9]": a mean lies between the least and the most."""
    found = []
    for cell in sheet.cells:
        match = _RANGED.fullmatch(cell.text)
        parts = ("low", "value", "high")
        printed = [next(iter(quantities(match[p])), None) for p in parts] if match else []
        if match and all(printed):
            starts = (match.start(p) for p in parts)
            found.append(
                [
                    cell.slot(replace(q, start=at))
                    for q, at in zip(printed, starts, strict=True)
                    if q
                ]
            )
    ranges = [(low, value, high) for low, value, high in found if low.value <= high.value]
    within = sum(low.value <= value.value <= high.value for low, value, high in ranges)
    few = _MANY_RANGES * (len(found) - within) <= within
    for low, value, high in ranges if within >= _MANY_RANGES and few else ():
        yield _order(value, "\u2265", low, "the least of its range", "a number", 1.0)
        yield _order(value, "\u2264", high, "a number", "the most of its range", 1.0)


def _neighbours(ranked: list[tuple[float, T]]) -> Iterator[tuple[T, T]]:
    """What must not be above what, of one quantity's distribution."""
    others = sorted((item for item in ranked if item[0] != MEAN), key=lambda item: item[0])
    yield from ((low, high) for (a, low), (b, high) in pairwise(others) if a < b)
    for mean in (item for rank, item in ranked if rank == MEAN):
        yield from ((low, mean) for rank, low in others if rank == LOWEST)
        # a few very high values take a mean above lower ones
        yield from ((mean, high) for rank, high in others[-1:] if rank >= _FAR_OUT)


def _above_their_tail(found: list[list[tuple[float, Track]]]) -> Iterator[Check]:
    """The only mean of a document that is far above its 99th percentile: it needs a person.

    A few very long requests do that; where no other mean of many is there, it is seldom meant.
    """
    pairs = [
        (mean, high)
        for items in found
        for rank, high in items
        if _HIGH_TAIL <= rank < _FAR_OUT
        for place, mean in items
        if place == MEAN
    ]
    slots = [
        (low, high, a, b)
        for low, high in pairs
        for a, b in zip(low.slots, high.slots, strict=True)
        if a and b and a.kind == b.kind != SHARE and a.value > 0
    ]
    above = [item for item in slots if item[2].value > item[3].value + item[3].half]
    for low, high, a, b in above if len(above) == 1 and len(slots) > _MANY_MEANS else ():
        if a.value > _TAIL * b.value:
            trial = bounded(a, "\u2264", b)
            name = f"{low.label.text} above {high.label.text}, as nowhere else"
            yield check_of(trial, ORDER, "limit", name, f"{a.text} > {b.text}", doubt=True)


def _distributions(view: View) -> Iterator[list[tuple[float, Track]]]:
    """The tracks of each quantity that say where in its distribution they stand, with the place."""
    groups: dict[tuple[frozenset[str], _Same], list[tuple[float, Track]]] = defaultdict(list)
    once = _stand_once(view)
    # "10%" and "90%" are shares of anything, unless a head says that they are of times
    labels = (*view.places, *(track.label for track in view.tracks))
    timed = any(_OF_TIMES & set(label.words) for label in labels)
    for track in view.tracks:
        bare = _BARE.fullmatch(track.label.text) if timed else None
        rank = track.label.rank or ((float(bare[1]), frozenset[str]()) if bare else None)
        if rank and not track.names and track.known and not track.label.change:
            # rows of another task or unit are of another distribution
            alike = (track.kind, track.part, () if once else track.beside)
            groups[rank[1], alike].append((rank[0], track))
    for (rest, alike), items in list(groups.items()):
        # "latency p99" and, beside it, "p99.9": the noun stands once
        named = [own for (r, other), own in groups.items() if r and other == alike]
        ranks = {rank for rank, _ in items}
        # "P95" beside "first byte P95" is of something else
        apart = bool(named) and bool(ranks & {rank for rank, _ in named[0]})
        if not rest and len(named) == 1 and all(0 < r < 100 for r in ranks) and not apart:
            named[0].extend(items)
    for (rest, (kind, *_)), items in groups.items():
        # changes of percentiles have no order
        if kind not in {SHARE, FACTOR} and _are_ranks(items, rest):
            yield items


def _stand_once(view: View) -> bool:
    """Whether no percentile stands twice in a table: what is said beside each is no other task."""
    ranks = [t.label.rank for t in view.tracks if t.label.rank]
    return view.by_rows and len(ranks) == len(set(ranks)) >= _MANY_RANKS


def _are_ranks(items: list[tuple[float, Track]], rest: frozenset[str]) -> bool:
    """Whether P40 and P100 are percentiles, not names: one of the usual ones or a word says so."""
    ranks = [rank for rank, _ in items if 0 < rank < HIGHEST]
    texts = " ".join(track.label.text.lower() for _, track in items)
    # "25%" and "50%" are shares of something unless "90%" stands beside them, and nothing in words
    bare = [_BARE.fullmatch(track.label.text) for _, track in items]
    high = any(rank in _USUAL and rank >= _HIGH_RANK for rank in ranks)
    high = high and not any(match and match[2] for match in bare)
    # P24 and P25 are two of something else
    usual = high or (not all(bare) and len(_USUAL & set(ranks)) > len(ranks) // 2)
    return not ranks or bool(usual or rest & _WAITS or _RANKED.search(texts))


_SIGNS = frozenset("+-\u2212")


def _rising(low: Track, high: Track) -> Iterator[Check]:
    pairs = [
        (a, b)
        for a, b in zip(low.slots, high.slots, strict=True)
        if a
        and b
        and a.kind == b.kind
        and a.kind not in {SHARE, FACTOR}
        # "-17 ms" and "-650 ms" are changes of what is in order
        and not {a.text[:1], b.text[:1]} & _SIGNS
    ]
    loose = _loose(low.label, high.label)
    failed = [(a, b) for a, b in pairs if a.value - a.half > loose * (b.value + b.half)]
    if loose > 1 and 3 * len(failed) > len(pairs):
        return  # only where other rows show that such means stay below
    # a head that means something else fails in many rows
    percentiles = all(t.label.rank and 0 < t.label.rank[0] < 100 for t in (low, high))
    if len(failed) == len(pairs) == 1 < len(low.slots) and not percentiles:
        return  # where no other row has both, nothing shows that they belong together
    if len(failed) > 1 and (2 if percentiles else 3) * len(failed) > len(pairs):
        return
    for a, b in pairs:
        if (a, b) not in failed and a.value - a.half > b.value + b.half:
            continue  # a mean above a percentile, as it may be: nothing is shown
        # of two the one is told that is further from the others of its column
        if (a, b) in failed and _apart(low, a) > _apart(high, b):
            yield _order(a, "\u2264", b, low.label.text, high.label.text, loose)
        else:
            yield _order(b, "\u2265", a, low.label.text, high.label.text, loose)


def _apart(track: Track, slot: Slot) -> float:
    others = sorted(s.value for s in track.known if s is not slot and s.value > 0)
    middle = others[len(others) // 2] if others else 0.0
    return max(slot.value / middle, middle / slot.value) if middle and slot.value > 0 else 0.0


def _loose(low: Label, high: Label) -> float:
    """By what a number may be above the next: a few very high values take a mean above a percentile."""
    mean = low.rank and low.rank[0] == MEAN
    return _TAIL if mean and high.rank and high.rank[0] < HIGHEST else 1.0


def _order(claim: Slot, sign: str, bound: Slot, low: str, high: str, loose: float) -> Check:
    trial = bounded(claim, sign, bound, loose=loose)
    ordered = (bound, claim) if sign == "\u2265" else (claim, bound)
    rule = (" \u2264 " if trial.held else " > ").join(slot.text for slot in ordered)
    return check_of(trial, ORDER, "limit", f"{low} must not be above {high}", rule)
