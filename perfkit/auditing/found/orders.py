"""What must rise: minimum, percentiles, maximum of one quantity; and the mean lies between."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import FACTOR, SHARE, TIME
from perfkit.auditing.found.relate import Check, bounded, check_of
from perfkit.auditing.found.words import HIGHEST, LOWEST, MEAN, label_of

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Slot, Track, View

FAMILY = "order"
_LABELLED = re.compile(
    r"\b(?P<name>p\d{2}(?:\.\d+)?|\d{2}(?:\.\d+)?(?:th|%)|min(?:imum)?|max(?:imum)?|median|avg|average|mean)"
    r"(?:\s+(?:latency|lat|percentile))*\s*(?:[:=]|of|is|was)\s*(?=[\d.])",
    re.I,
)


def orders(page: Page) -> Iterator[Check]:
    """Percentiles that fall, a mean above its maximum; in tables, and with labels in a text."""
    for view in (view for sheet in page.sheets for view in sheet.views):
        for low, high in _pairs(view):
            yield from _rising(low, high)
    for item in page.texts:
        yield from _labelled(item)


def _labelled(item: Said) -> Iterator[Check]:
    """Percentiles with their labels in one cell or sentence: P99: 0.8 ms, P99.9: 1.2 ms."""
    found = []
    for match in _LABELLED.finditer(item.text):
        rank = label_of(match["name"]).rank or (float(match["name"].rstrip("%th")), frozenset())
        number = next((s for s in item.slots if s.quantity.start == match.end()), None)
        if number and number.kind in {TIME, ""}:
            found.append((rank[0], match["name"], number))
    if len({rank for rank, *_ in found}) < len(found):
        return  # of two things
    ranked = sorted((f for f in found if f[0] != MEAN), key=lambda f: f[0])
    pairs = [*pairwise(ranked)]
    for mean in (f for f in found if f[0] == MEAN):
        pairs += [(low, mean) for low in ranked if low[0] == LOWEST]
        pairs += [(mean, high) for high in ranked if high[0] == HIGHEST]
    for (_, one, a), (_, two, b) in pairs:
        if a.kind == b.kind:
            yield _check(b, "\u2265", a, one, two)


def _check(claim: Slot, sign: str, bound: Slot, low: str, high: str) -> Check:
    trial = bounded(claim, sign, bound)
    ordered = (bound, claim) if sign == "\u2265" else (claim, bound)
    between = " \u2264 " if trial.held else " > "
    rule = between.join(slot.text for slot in ordered)
    return check_of(trial, FAMILY, "limit", f"{low} must not be above {high}", rule)


def _pairs(view: View) -> Iterator[tuple[Track, Track]]:
    """Neighbours in the order of one quantity's distribution."""
    groups: dict[tuple[frozenset[str], str, int], list[tuple[float, Track]]] = defaultdict(list)
    for track in view.tracks:
        rank = track.label.rank or _bare(track)
        if rank and not track.names and track.known and not track.label.change:
            groups[rank[1], track.kind, track.part].append((rank[0], track))
    for (rest, kind, part), items in list(groups.items()):
        # "latency p99" and, beside it, "p99.9": the noun stands once
        named = [own for (r, k, p), own in groups.items() if r and (k, p) == (kind, part)]
        if not rest and len(named) == 1 and all(0 < rank < 100 for rank, _ in items):
            named[0].extend(items)
    for (_, kind, _), items in groups.items():
        if kind in {SHARE, FACTOR}:
            continue  # changes of percentiles have no order
        ranked = sorted((r for r in items if r[0] != MEAN), key=lambda item: item[0])
        yield from ((low, high) for (a, low), (b, high) in pairwise(ranked) if a < b)
        for mean in (track for rank, track in items if rank == MEAN):
            yield from ((track, mean) for rank, track in ranked if rank == LOWEST)
            # a mean may be above its percentiles, where a few values are very high
            yield from ((mean, track) for rank, track in ranked if rank >= HIGHEST)


def _bare(track: Track) -> tuple[float, frozenset[str]] | None:
    """The rank of a head that is "99.9%" and no more."""
    match = re.fullmatch(r"\s*(\d{2}(?:\.\d+)?)\s?%\s*(?:\(.*\))?", track.label.text)
    return (float(match[1]), frozenset()) if match else None


def _rising(low: Track, high: Track) -> Iterator[Check]:
    pairs = [
        (a, b)
        for a, b in zip(low.slots, high.slots, strict=True)
        if a and b and a.kind == b.kind and a.kind not in {SHARE, FACTOR}
    ]
    failed = [(a, b) for a, b in pairs if a.value - a.half > b.value + b.half]
    # a head that means something else fails in many rows
    ranks = [t.label.rank[0] for t in (low, high) if t.label.rank]
    many = 2 if all(0 < rank < 100 for rank in ranks) else 3
    if not pairs or (len(failed) > 1 and many * len(failed) > len(pairs)):
        return
    for a, b in pairs:
        # of two the one is told that is further from the others of its column
        if (a, b) in failed and _apart(low, a) > _apart(high, b):
            yield _check(a, "\u2264", b, low.label.text, high.label.text)
        else:
            yield _check(b, "\u2265", a, low.label.text, high.label.text)


def _apart(track: Track, slot: Slot) -> float:
    others = sorted(s.value for s in track.known if s is not slot and s.value > 0)
    if not others or slot.value <= 0:
        return 0.0
    middle = others[len(others) // 2]
    return max(slot.value / middle, middle / slot.value)
