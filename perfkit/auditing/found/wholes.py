"""Shares of a whole that the document does not print: 3.67 GB (15.51%) in every row of a column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import Check, Trial, check_of, tried
from perfkit.auditing.quantities import FACTOR, SHARE

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Slot, Track

FAMILY = "shares of one whole"
_MANY_HOLD, _FEW_FAIL, _DIGITS = 6, 0.15, 2.0
"""Rows that must hold, the share of rows that may fail, and the digits that a row has to say."""

Pair = tuple["Slot", "Slot"]


def wholes(page: Page) -> Iterator[Check]:
    """Numbers with their share in brackets, where nearly all rows have one whole."""
    for view in page.views:
        for value, share in pairwise(view.tracks) if not view.by_rows else ():
            if _in_brackets(value, share):
                yield from _of_one(value, share)


def _in_brackets(value: Track, share: Track) -> bool:
    """Whether a track is the share in brackets behind the number in the same cell."""
    same = share.kind == SHARE and value.column == share.column
    if not same or value.kind in {SHARE, FACTOR} or share.label.change:
        return False
    cells = [share.cells[n] for n, slot in enumerate(share.slots) if slot]
    return all("(" in cell for cell in cells)


def _of_one(value: Track, share: Track) -> Iterator[Check]:
    pairs = [(v, s) for v, s in zip(value.slots, share.slots, strict=True) if v and s and s.value]
    whole = _whole(pairs)
    trials = [t for v, s in pairs if whole and (t := _trial(v, s, whole))]
    held = [t for t in trials if t.held and t.digits >= _DIGITS]
    failed = [t for t in trials if not t.held]
    different = len({t.inputs[0].value for t in held})
    if different < _MANY_HOLD or len(failed) > _FEW_FAIL * len(trials):
        return
    for trial in (*held, *failed):
        rule = f"{trial.inputs[0].text}, by the whole of the other rows"
        name = f"{share.label.text or 'Share'} of one whole"
        yield check_of(trial, FAMILY, "ratio", name, rule)


def _trial(value: Slot, share: Slot, whole: float) -> Trial | None:
    return tried(share, (value,), lambda part: part / whole * 100)


def _whole(pairs: list[Pair]) -> float | None:
    """The whole that the most rows allow by their rounding."""
    allowed = [
        (
            (v.value - v.half) / (s.value + s.half) * 100,
            (v.value + v.half) / (s.value - s.half) * 100,
        )
        for v, s in pairs
        if s.value > s.half and v.value > v.half
    ]
    middles = [(low + high) / 2 for low, high in allowed]
    return max(middles, key=lambda m: sum(a <= m <= b for a, b in allowed), default=None)
