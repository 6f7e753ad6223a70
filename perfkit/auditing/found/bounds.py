"""What must not be passed: percentiles in their order, a mean by its maximum."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise, product
from typing import TYPE_CHECKING, TypeVar

from perfkit.auditing.found.relate import Check, bounded, check_of
from perfkit.auditing.found.words import HIGHEST, LOWEST, MEAN, label_of
from perfkit.auditing.relations.run import FAILS
from perfkit.formats.printed_text import word_set
from perfkit.formats.quantities import FACTOR, SHARE, TIME, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet
    from perfkit.auditing.found.slots import Slot, Track, View

ORDER = "order"
_HIGH_TAIL, _FAR_OUT, _TAIL = 99, 99.9, 1.25
"""Percentiles that a mean is seldom above, and by how much it then has to be."""
_MANY_MEANS, _FEW_MEANS = 6, 4
_BIN = 1 + 1 / 64
"""A tool may print the end of the bin that a percentile is in, above the highest value: fio's have
64 to a power of two."""
T = TypeVar("T")
_Ranked = list[tuple[float, T]]
"""Numbers or tracks of one distribution, each with its place in it."""


def bounds(page: Page) -> Iterator[Check]:
    """All that has an upper or a lower bound in the document itself."""
    found = [own for s in page.sheets for view in s.views for own in _distributions(view)]
    for items in found:
        for low, high in _neighbours(items):
            ranks = [track.label.rank[0] for track in (low, high) if track.label.rank]
            percentiles = all(0 < rank < HIGHEST for rank in ranks)
            yield from _mostly_kept(_rising(low, high), often=1 if percentiles else 2)
    yield from _above_their_tail(found)
    for item in page.texts:
        yield from _labelled(item)
    for sheet in page.sheets:
        yield from _in_their_ranges(sheet)


_LABELLED = re.compile(
    r"\b(?P<name>p\d{2}(?:\.\d+)?|\d{2}(?:\.\d+)?(?:th|%)|min(?:imum)?|max(?:imum)?|median|avg|average|mean)"
    r"(?:\s+(?:latency|lat|percentile))*\s*(?:[:=]|of|is|was)\s*(?=[\d.])",
    re.I,
)
_USUAL = frozenset({25, 50, 75, 90, 95, 98, 99, 99.9, 99.99, 99.999})
_MANY_RANKS = 4
_OF_TIMES = word_set("latency time response wait delay percentile distribution duration service")
_BARE = re.compile(r"\s*(\d{2}(?:\.\d+)?)\s?%\s*(\(.*\))?")


def _labelled(item: Said) -> Iterator[Check]:
    """Percentiles with their labels in one cell or sentence: P99: 0.8 ms, P99.9: 1.2 ms."""
    found: _Ranked[tuple[str, Slot]] = []
    for match in _LABELLED.finditer(item.text):
        rank = label_of(match["name"]).rank or (float(match["name"].rstrip("%th")), frozenset())
        numbers = [slot for slot in item.slots if slot.quantity.start == match.end()]
        found += [(rank[0], (match["name"], s)) for s in numbers if s.kind in {TIME, ""}]
    # the same label twice is of two things
    pairs = list(_neighbours(found)) if len(dict(found)) == len(found) else []
    yield from _mostly_kept(
        _order(b, "\u2265", a, x, y) for (x, a), (y, b) in pairs if a.kind == b.kind
    )


_NUMBER = r"[-\u2212]?\d[\d,]*(?:\.\d+)?"
_RANGED = re.compile(
    rf"\W*(?P<value>{_NUMBER})[^\d\[(]{{0,12}}[\[(]\s*(?:(?:95\s?%\s*)?CI:?\s*)?(?P<low>{_NUMBER})"
    rf"\s*(?:to|\.\.|[-\u2013\u2014;]|,\s)\s*(?P<high>{_NUMBER})\s*[^\d\])%]{{0,6}}[\])][^\d\[(]{{0,12}}"
)
_PARTS, _OFTEN = ("low", "value", "high"), 11
"""How often such ranges have to be kept for each one that is not: five of them, at both ends."""


def _in_their_ranges(sheet: Sheet) -> list[Check]:
    """Numbers with a range behind them, "10.1 [9.1-10.9]": a mean lies between the least and the most."""
    checks: list[Check] = []
    for cell in sheet.cells:
        match = _RANGED.fullmatch(cell.text)
        printed = [(match.start(p), quantities(match[p])) for p in _PARTS] if match else []
        own = [cell.slot(replace(q[0], start=at)) for at, q in printed if q]
        if len(own) == len(_PARTS) and own[0].value <= own[-1].value:
            low, value, high = own
            checks.append(_order(value, "\u2265", low, "the least of its range", "a number"))
            checks.append(_order(value, "\u2264", high, "a number", "the most of its range"))
    return _mostly_kept(checks, _OFTEN) if len(checks) > _OFTEN else []


def _neighbours(ranked: _Ranked[T]) -> Iterator[tuple[T, T]]:
    """What must not be above what, of one quantity's distribution."""
    means = [item for rank, item in ranked if rank == MEAN]
    others = sorted((item for item in ranked if item[0] != MEAN), key=lambda item: item[0])
    yield from ((low, high) for (a, low), (b, high) in pairwise(others) if a < b)
    # a few very high values take a mean above all but the highest
    yield from ((low, mean) for mean in means for rank, low in others if rank == LOWEST)
    yield from ((mean, high) for mean in means for rank, high in others if rank == HIGHEST)


def _above_their_tail(found: list[_Ranked[Track]]) -> Iterator[Check]:
    """The only mean of a document that is far above its 99th percentile: it needs a person.

    A few very long requests do that; where no other mean of many is there, it is seldom meant.
    """
    tails: dict[float, list[tuple[Slot, Slot, str]]] = defaultdict(list)
    for items in found:
        means = [track for rank, track in items if rank == MEAN]
        highs = [item for item in items if _HIGH_TAIL <= item[0] < HIGHEST]
        for low, (rank, high) in product(means, highs):
            name = f"{low.label.text} above {high.label.text}, as nowhere else"
            tails[rank] += [(a, b, name) for a, b in _both(low, high) if a.value > 0]
    for rank, slots in sorted(tails.items(), reverse=True):
        enough = len(slots) >= (_FEW_MEANS if rank >= _FAR_OUT else _MANY_MEANS)
        above = [item for item in slots if item[0].value > item[1].value + item[1].half]
        for a, b, name in above if len(above) == 1 and enough else ():
            if a.value > _TAIL * b.value:
                trial, rule = bounded(a, "\u2264", b), f"{a.text} > {b.text}"
                yield check_of(trial, ORDER, "limit", name, rule, doubt=True)


def _distributions(view: View) -> Iterator[_Ranked[Track]]:
    """The tracks of each quantity that say where in its distribution they stand, with the place."""
    groups: dict[tuple[frozenset[str], object], _Ranked[Track]] = defaultdict(list)
    said = [track.label.rank for track in view.tracks if track.label.rank]
    # rows of another task or unit are of another distribution, unless each percentile stands once
    once = view.by_rows and len(said) == len(set(said)) >= _MANY_RANKS
    # "10%" and "90%" are shares of anything, unless a head says that they are of times
    labels = (*view.places, *(track.label for track in view.tracks))
    timed = any(_OF_TIMES & set(label.words) for label in labels)
    for track in view.tracks:
        bare = _BARE.fullmatch(track.label.text) if timed else None
        rank = track.label.rank or ((float(bare[1]), frozenset[str]()) if bare else None)
        # shares and changes of percentiles have no order
        ordered = track.kind not in {SHARE, FACTOR} and not (track.names or track.label.change)
        if rank and ordered and track.known:
            same = (track.kind, track.part, () if once else track.beside)
            groups[rank[1], same].append((rank[0], track))
    for (rest, alike), items in list(groups.items()):
        # "latency p99" and, beside it, "p99.9": the noun stands once
        named = [own for (r, other), own in groups.items() if r and other == alike]
        ranks = {rank for rank, _ in items}
        # "P95" beside "first byte P95" is of something else
        if not rest and len(named) == 1 and not ranks & {MEAN, LOWEST, HIGHEST, *dict(named[0])}:
            named[0].extend(items)
    at = {id(track): n for n, track in enumerate(view.tracks)}
    for (rest, _), items in groups.items():
        places = [at[id(track)] for _, track in items]
        # rows far apart are names of something else: "max", "md", "mfi", "min"
        near = not view.by_rows or max(places) - min(places) < 2 * len(places)
        if near and _are_ranks(items, rest):
            yield items


def _are_ranks(items: _Ranked[Track], rest: frozenset[str]) -> bool:
    """Whether P24 and P25 are percentiles, not names: most are usual ones, or a word says so."""
    ranks = {rank for rank, _ in items if 0 < rank < HIGHEST}
    words = rest.union(*(track.label.words for _, track in items))
    return not ranks or 2 * len(_USUAL & ranks) > len(ranks) or bool(words & _OF_TIMES)


_SIGNS = frozenset("+-\u2212")


def _both(low: Track, high: Track) -> list[tuple[Slot, Slot]]:
    """The places where both have a number of one kind, in order: "-17 ms" and "-650 ms" are changes."""
    return [
        (a, b)
        for a, b in zip(low.slots, high.slots, strict=True)
        if a
        and b
        and a.kind == b.kind
        and a.kind not in {SHARE, FACTOR}
        and not {a.text[:1], b.text[:1]} & _SIGNS
    ]


def _rising(low: Track, high: Track) -> Iterator[Check]:
    """Of two that are not in order the one is told that is further from the others of its column."""
    names = low.label.text, high.label.text
    pairs = _both(low, high)
    ranks = [track.label.rank[0] for track in (low, high) if track.label.rank]
    # where no other row has both, nothing shows that a least, a most and a mean belong together
    alone = len(pairs) == 1 < len(low.slots) and not all(0 < rank < HIGHEST for rank in ranks)
    for a, b in () if alone else pairs:
        if a.value > b.value and _apart(low, a) > _apart(high, b):
            yield _order(a, "\u2264", b, *names)
        else:
            yield _order(b, "\u2265", a, *names)


def _mostly_kept(checks: Iterable[Check], often: int = 1) -> list[Check]:
    """The same checks; none where several fail, and hold less often: their labels mean another thing."""
    known = list(checks)
    failed = sum(check.outcome == FAILS for check in known)
    return known if failed < 2 or len(known) - failed >= often * failed else []


def _apart(track: Track, slot: Slot) -> float:
    others = sorted(s.value for s in track.known if s is not slot and s.value > 0)
    middle = others[len(others) // 2] if others else 0.0
    return max(slot.value / middle, middle / slot.value) if middle and slot.value > 0 else 0.0


def _order(claim: Slot, sign: str, bound: Slot, low: str, high: str) -> Check:
    loose = _BIN if "max" in label_of(high).words else 1.0
    trial = bounded(claim, sign, bound, loose=loose)
    ordered = (bound, claim) if sign == "\u2265" else (claim, bound)
    rule = (" \u2264 " if trial.held else " > ").join(slot.text for slot in ordered)
    return check_of(trial, ORDER, "limit", f"{low} must not be above {high}", rule)
