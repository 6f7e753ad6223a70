"""What must rise: minimum, percentiles, maximum of one quantity; and the mean lies between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import FACTOR, SHARE
from perfkit.auditing.found.relate import Check, Trial, check_of
from perfkit.auditing.found.words import HIGHEST, LOWEST, MEAN
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


def _pairs(view: View) -> Iterator[tuple[Track, Track]]:
    """Neighbours in the order of one quantity's distribution."""
    groups: dict[tuple[frozenset[str], str, int], list[tuple[float, Track]]] = {}
    for track in view.tracks:
        rank = track.label.rank
        if rank and not track.names and track.count and not track.label.change:
            groups.setdefault((rank[1], track.kind, track.part), []).append((rank[0], track))
    for (_, kind, _), items in groups.items():
        if kind in {SHARE, FACTOR}:
            continue  # changes of percentiles have no order
        ranked = sorted((r for r in items if r[0] != MEAN), key=lambda item: item[0])
        yield from ((low, high) for (a, low), (b, high) in pairwise(ranked) if a < b)
        for mean in (track for rank, track in items if rank == MEAN):
            yield from ((track, mean) for rank, track in ranked if rank == LOWEST)
            # a mean may be above its percentiles: where it is below them in all other rows, it is not
            yield from ((mean, track) for rank, track in ranked if rank >= _HIGH)


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
    if not pairs or (len(failed) > 1 and 3 * len(failed) > len(pairs)):
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
