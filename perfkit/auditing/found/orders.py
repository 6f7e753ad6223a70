"""What must rise: minimum, percentiles, maximum of one quantity; and the mean lies between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import FACTOR, SHARE, TIME
from perfkit.auditing.found.relate import Check, Trial, check_of
from perfkit.auditing.found.said import Said, cells_said, stated
from perfkit.auditing.found.words import HIGHEST, LOWEST, MEAN, label_of
from perfkit.auditing.relations.run import FAILS, HOLDS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.sheets import Sheet, Slot, Track, View

FAMILY = "order"
_HIGH, _ROWS, _FAR = 90.0, 4, 1.35


def orders(sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Percentiles that fall, a mean above its maximum."""
    for sheet in sheets:
        for view in sheet.views:
            for low, high in _pairs(view):
                yield from _rising(sheet, low, high)


_LABELLED = re.compile(
    r"\b(?P<name>p\d{2}(?:\.\d+)?|\d{2}(?:\.\d+)?(?:th|%)|min(?:imum)?|max(?:imum)?|median)"
    r"(?:\s+(?:latency|lat|percentile))*\s*(?:[:=]|of|is|was)\s*(?=[\d.])", re.I,
)  # fmt: skip


def labelled(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Percentiles with their labels in one cell or sentence: P99: 0.8 ms, P99.9: 1.2 ms."""
    for item in [*cells_said(sheets), *(s for s in said if s.kind != "command")]:
        found = []
        for match in _LABELLED.finditer(item.text):
            rank = label_of(match["name"]).rank or (float(match["name"].rstrip("%th")), frozenset())
            number = next((q for q in item.quantities if q.start == match.end()), None)
            if number and number.kind in {TIME, ""}:
                found.append((rank[0], match["name"], number))
        if len({rank for rank, *_ in found}) < len(found):
            continue  # of two things
        for (_, one, a), (_, two, b) in pairwise(sorted(found, key=lambda f: f[0])):
            if a.kind == b.kind:
                low, high = item.number(a), item.number(b)
                outcome = HOLDS if low.value <= high.value else FAILS
                yield stated(
                    FAMILY, f"{one} is not above {two}", item, b.text, f"{a.text} \u2264 {b.text}", outcome,
                    high, low, kind="limit", recomputed=f"\u2265 {a.text}", error=True,
                )  # fmt: skip


def _pairs(view: View) -> Iterator[tuple[Track, Track]]:
    """Neighbours in the order of one quantity's distribution."""
    groups: dict[tuple[frozenset[str], str, int], list[tuple[float, Track]]] = {}
    for track in view.tracks:
        rank = track.label.rank or _bare(track)
        if rank and not track.names and track.count and not track.label.change:
            groups.setdefault((rank[1], track.kind, track.part), []).append((rank[0], track))
    for (rest, kind, part), items in list(groups.items()):
        # "latency p99" and, beside it, "p99.9": the noun stands once
        named = [g for r, k, p in groups if r and (k, p) == (kind, part) for g in [groups[r, k, p]]]
        if not rest and len(named) == 1 and all(0 < r < 100 for r, _ in items):  # noqa: PLR2004
            named[0].extend(items)
    for (_, kind, _), items in groups.items():
        if kind in {SHARE, FACTOR}:
            continue  # changes of percentiles have no order
        ranked = sorted((r for r in items if r[0] != MEAN), key=lambda item: item[0])
        yield from ((low, high) for (a, low), (b, high) in pairwise(ranked) if a < b)
        for mean in (track for rank, track in items if rank == MEAN):
            yield from ((track, mean) for rank, track in ranked if rank == LOWEST)
            # a mean may be above its percentiles: where it is below them in all other rows, it is not
            yield from ((mean, track) for rank, track in ranked if rank >= _HIGH)


def _bare(track: Track) -> tuple[float, frozenset[str]] | None:
    """The rank of a head that is "99.9%" and no more."""
    match = re.fullmatch(r"\s*(\d{2}(?:\.\d+)?)\s?%\s*(?:\(.*\))?", track.label.text)
    return (float(match[1]), frozenset()) if match else None


def _rising(sheet: Sheet, low: Track, high: Track) -> Iterator[Check]:
    pairs = [
        (a, b) for a, b in zip(low.slots, high.slots, strict=True) if a and b and a.kind == b.kind
    ]
    loose = (
        low.label.rank
        and low.label.rank[0] == MEAN
        and high.label.rank
        and high.label.rank[0] < HIGHEST
    )
    most = _FAR if loose else 1.0
    failed = [(a, b) for a, b in pairs if a.value - a.half > most * (b.value + b.half)]
    # a head that means something else fails in many rows
    ranks = [t.label.rank[0] for t in (low, high) if t.label.rank]
    most_failing = 2 if all(0 < rank < 100 for rank in ranks) else 3  # noqa: PLR2004
    if not pairs or (len(failed) > 1 and most_failing * len(failed) > len(pairs)):
        return
    if loose and (len(pairs) < _ROWS or 3 * len(failed) > len(pairs)):
        return
    for a, b in pairs:
        outcome = HOLDS if a.value <= b.value else FAILS if (a, b) in failed else ROUNDING
        claim, other = _culprit(low, high, a, b) if outcome == FAILS else (b, a)
        trial = Trial(claim, (other,), lambda value: value, outcome, 0.0)
        name = f"{low.label.text} is not above {high.label.text}"
        rule = f"{a.quantity.text} \u2264 {b.quantity.text}"
        check = check_of(sheet, trial, FAMILY, "limit", name, rule)
        told = f"\u2265 {a.quantity.text}" if claim is b else f"\u2264 {b.quantity.text}"
        check = replace(check, recomputed=told) if outcome == FAILS else check
        yield check.softened() if loose else check


def _culprit(low: Track, high: Track, a: Slot, b: Slot) -> tuple[Slot, Slot]:
    """Which of two is out of its column: the one that is further from the others there."""
    return (a, b) if _apart(low, a) > _apart(high, b) else (b, a)


def _apart(track: Track, slot: Slot) -> float:
    others = sorted(s.value for s in track.slots if s and s is not slot and s.value > 0)
    if not others or slot.value <= 0:
        return 0.0
    middle = others[len(others) // 2]
    return max(slot.value / middle, middle / slot.value)
