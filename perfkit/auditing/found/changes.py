"""How much one differs from another: percent, factors, differences, and what they are of."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, permutations
from typing import TYPE_CHECKING

from perfkit.auditing.found.explained import is_base, is_explained
from perfkit.auditing.found.formulas import (
    DIFFERENCES,
    FACTORS,
    LESS,
    PERCENT,
    RATIOS,
    SAVED,
    SIZES,
    TIMES,
    by_any_thousand,
    of_base,
    percent_less,
    percent_more,
    times,
)  # fmt: skip
from perfkit.auditing.found.relate import (
    ONE_MORE,
    Check,
    Formula,
    Trial,
    check_of,
    is_slip,
    is_swap,
    off_by,
    weight,
)
from perfkit.formats.quantities import FACTOR, SHARE

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page
    from perfkit.auditing.found.slots import Slot, Track, View

FAMILY = "differences, percent and factors"
_SHOWN, _NAMED = 2.0, 0.3
"""Digits that must speak for a reading; of what its label or its own cell calls a change, few."""
_OWN, _BASE, _SET = 0.5, 0.6, 4.0
"""What a reading must say more by what it is of: the two columns right before it, a base in the
column before it, a number that was set (8 GPUs in each row)."""
_SIGNLESS, _EITHER, _FAILS = 4.0, 0.3, 1.3
"""What speaks against a change without a sign, a factor that may be turned, a place that fails."""
_HIDDEN, _NEAR = 0.005, 0.06
"""What digits that are not printed can make of a change; and how near, where it is so of several,
a mean of ratios is to the ratio of the means."""
_FIRST, MOST_BASES, _FEW, _MANY_HOLD = 20, 12, 3, 5
_NOTHING = 0.001
"""What is less of the other one is no part of it."""
_BASE_NAMED = re.compile(r"\b(?:vs\.?|versus|compared|relative to|against)\s", re.I)
Pairs = tuple[tuple["Slot | None", ...], ...]


@dataclass(frozen=True)
class _Reading:
    """One way to read a track of changes: of which, by which formula; ``prior`` as labels say it."""

    formula: Formula
    rule: str
    pairs: Pairs
    prior: float
    name: str

    def tested(self, track: Track) -> list[Trial]:
        """It at all places; at none where it does not hold in any of the first ones."""
        trials = self._trials(track)
        first = list(islice(trials, _FIRST))
        seldom = len(first) == _FIRST and not any(trial.held for trial in first)
        return [] if seldom else [*first, *trials]

    def _trials(self, track: Track) -> Iterator[Trial]:
        for claim, pair in zip(track.slots, self.pairs, strict=True):
            inputs = [slot for slot in pair if slot and slot.value]
            if not claim or len(inputs) < len(pair) or len({s.key for s in inputs}) < len(pair):
                continue
            alike = claim.kind == track.kind or not {claim.kind, track.kind} & {SHARE, FACTOR}
            # how many times as much is asked of what is above nothing
            alike = alike and (self.formula not in RATIOS or min(s.value for s in inputs) > 0)
            trial = by_any_thousand(claim, inputs, self.formula) if alike else None
            if trial and len({slot.kind for slot in inputs}) == 1:
                yield trial


@dataclass(frozen=True)
class _Read:
    """A track of changes as its numbers bear it out: what holds, and what fails."""

    view: View
    track: Track
    reading: _Reading
    score: float
    held: Sequence[Trial]
    failed: Sequence[Trial]

    def is_shown(self, less: float = 0.0) -> bool:
        """Whether the document shows the reading; ``less``: without one place of so many digits."""
        score = self.score - less
        shown = sum(map(_differs, self.held)) - bool(less)
        failed = len(self.failed) + bool(less)
        several = self.reading.prior == _BASE and shown > max(1, failed)
        # a saving of 30% is no part of 30%, unless numbers show it
        least = failed + (self.reading.formula is of_base and self.track.label.change)
        own = self.reading.prior == _OWN and len(self.held) - bool(less) >= least
        if (self.track.label.change or self.track.part) and (several or own):
            slips = bool(self.failed) and all(map(is_slip, self.failed))
            return score >= _NAMED or slips
        return score >= _SHOWN and shown > 1

    @property
    def head(self) -> tuple[str, str]:
        """What it says of other tables."""
        return self.track.label.text, self.reading.rule

    @property
    def near(self) -> int:
        """How many that fail are near: a mean of ratios is near the ratio of the means."""
        return sum(off_by(trial) <= _NEAR for trial in self.failed)

    def off(self, near: int) -> list[Trial]:
        """What fails by more than hidden digits, and where several are near, by more than those."""
        one_of_many = len(self.failed) == 1 and len(self.held) >= _MANY_HOLD
        least = _HIDDEN if near < 2 or one_of_many else _NEAR
        return [t for t in self.failed if off_by(t) > least or (is_swap(t) and one_of_many)]

    def told(self, off: Sequence[Trial], most: int) -> list[Trial]:
        """What is accused of what is off: where more are than may be, slips of the pen alone."""
        # another table of this shape, in which nothing holds, means something else
        tables = {t.claim.table for t in self.held} if len(off) > 1 else set()
        # what a label calls a difference of two columns has no other base
        named = self.track.label.change and self.reading.formula in DIFFERENCES
        named = named and self.reading.prior != _BASE
        return [
            trial
            for trial in off
            if (not tables or trial.claim.table in tables)
            and trial.claim.key not in self.of_others
            and (most > 0 or named or is_slip(trial))
            and not is_explained(self.view, trial, self.track, self.held)
        ]

    @cached_property
    def of_others(self) -> frozenset[str]:
        """The places that are made of others."""
        slots = enumerate(self.track.slots)
        return frozenset(s.key for n, s in slots if s and self._is_of_others(n))

    def checked(self, most: int) -> list[Trial]:
        """What holds and would be told if it were wrong: else it is not checked."""
        largest = max((trial.digits for trial in self.held), default=0.0)
        # what says that it is a base has no other
        difference = self.reading.formula in DIFFERENCES
        if most <= ONE_MORE + 1 or not self.is_shown(largest or 1e-9):
            return []
        kept = [trial for trial in self.held if trial.claim.key not in self.of_others]
        return [trial for trial in kept if difference or not is_base(trial.claim)]

    def _is_of_others(self, place: int) -> bool:
        """Whether a place is made of others: the largest ratio is not the ratio of the largest."""
        label, cells = self.view.places[place], self.track.cells
        if self.view.by_rows:  # nor is the change of a ratio the ratio of two changes
            return label.change or "%" in label.words
        named = [bool(_BASE_NAMED.search(text)) for text in cells]
        extreme = label.rank is not None and label.rank[1] <= set(self.track.label.words)
        aggregate = label.aggregate not in {None, "sum"}
        return extreme or aggregate or (named[place] and 2 * sum(named) <= len(named))

    def check(self, trial: Trial) -> Check:
        """One place of it."""
        rule = self.reading.rule.format(a=trial.inputs[0].text, b=trial.inputs[-1].text)
        kind = "ratio" if self.reading.formula in RATIOS else "percent_change"
        kind = "difference" if self.reading.formula in DIFFERENCES else kind
        return check_of(trial, FAMILY, kind, self.reading.name, rule)


def changes(page: Page) -> Iterator[Check]:
    """Each track of changes, read as the numbers of its table bear out."""
    tracks = ((v, n, t) for v in page.views for n, t in enumerate(v.tracks) if _is_change(t, v))
    found = [read for place in tracks if (read := _read(*place)) and read.is_shown()]
    # below the same head other tables mean the same
    near: Counter[tuple[str, str]] = Counter()
    spare: Counter[tuple[str, str]] = Counter()
    for read in found:
        near[read.head] += read.near
    for read in found:
        spare[read.head] += len(read.held) - ONE_MORE * len(read.off(near[read.head]))
    for read in found:
        told = read.told(read.off(near[read.head]), spare[read.head] + ONE_MORE)
        held = read.held if told else read.checked(spare[read.head] + ONE_MORE)
        yield from map(read.check, (*held, *told))


def _is_change(track: Track, view: View) -> bool:
    """Whether numbers can be changes: by their unit, their label, or as numbers in brackets."""
    if track.names or not track.known:
        return False
    if track.label.change:
        # the largest of several changes is of whichever it is
        return not track.label.rank
    if track.kind in {SHARE, FACTOR}:
        # shares below one another are alternatives, unless something else stands among them
        return not view.by_rows or any(t.kind != track.kind for t in view.tracks if t.known)
    if view.by_rows or track.kind or not track.part:
        return False
    places = [(n, slot) for n, slot in enumerate(track.slots) if slot]
    before = [track.cells[n][: s.quantity.start].rstrip() for n, s in places]
    return 2 * sum(text.endswith("(") for text in before) > len(before)


def _read(view: View, at: int, track: Track) -> _Read | None:
    """The way to read a track for which most speaks."""
    readings = list(_readings(view, at, track))
    best: _Read | None = None
    for reading in readings:
        trials = reading.tested(track)
        # what does not differ shows no difference
        score = weight(map(_telling, filter(_is_of_two, trials)))
        score -= reading.prior or math.log10(len(readings))
        score -= _SIGNLESS if reading.formula in SIZES.values() else 0
        score -= _EITHER * len(trials) if reading.formula is times else 0
        failed = [trial for trial in trials if not trial.held]
        # small whole numbers hold here and there by chance; where they do not, that counts against it
        score -= _FAILS * max(0, len(failed) - 1)
        if trials and (best is None or score > best.score + 1e-9):
            held = [trial for trial in trials if trial.held]
            best = _Read(view, track, reading, score, held, failed)
    return best


def _differs(trial: Trial) -> bool:
    """Whether a claim says a difference at all: 1.00 beside two that hardly differ shows no relation."""
    claim, ends = trial.claim, sorted(abs(slot.value) for slot in trial.inputs)
    if trial.formula in DIFFERENCES:
        # what is taken away has to show: 90,112 - 1 is 90,112 by rounding
        least = 2 * (claim.half + max(slot.half for slot in trial.inputs))
    elif trial.formula in {percent_more, percent_less, *SIZES.values()}:
        # nor is 0.25 less than 149,588,529 a change of 100%
        least = _NOTHING * ends[-1]
    else:
        least = 0.0
    if ends[0] < least:
        return False
    nothing = 1.0 if trial.formula in RATIOS else 100.0 if trial.formula is of_base else 0.0
    return abs(abs(claim.value) - nothing) > 2 * claim.half


def _is_of_two(trial: Trial) -> bool:
    return len({slot.value for slot in trial.inputs}) > 1 and _differs(trial)


def _telling(trial: Trial) -> Trial:
    """A trial with the digits that tell a difference: of 1.04 beside 1.00 there is hardly one."""
    claim = trial.claim
    if trial.formula not in RATIOS or not claim.half:
        return trial
    told = math.log10(abs(abs(claim.value) - 1) / (2 * claim.half))
    return replace(trial, digits=min(trial.digits, max(told, 0.0)))


def _readings(view: View, at: int, track: Track) -> Iterator[_Reading]:
    """All ways to read a track: of two tracks, or of one against a fixed place or track."""
    values = _values(view, at, track)
    before = [id(t) for n, t in values if n < at][-2:]
    for a, b in permutations([t for _, t in values], 2):
        # a change within a cell is one of the number that it stands behind
        if a.kind == b.kind and (not track.part or track.column in {a.column, b.column}):
            near = len(before) == 2 and {id(a), id(b)} == set(before)
            # "against plain", and the column right before it: of several changes each its own
            words = set(a.label.words)
            own = a is values[0][1] or (bool(words) and words <= set(track.label.words))
            prior = _OWN if near or (before[-1:] == [id(b)] and own) else 0.0
            prior = _SET if _is_setting(a) or _is_setting(b) else prior
            name = f"Change between {a.label.text} and {b.label.text}"
            pairs = tuple(zip(a.slots, b.slots, strict=True))
            for rule, formula in _rules(track, a).items():
                yield _Reading(formula, rule, pairs, prior, name)
    for n, value in values:
        if not _is_setting(value) and (not track.part or value.column == track.column):
            prior = _BASE if value.column == track.column or n == at - 1 else 0.0
            yield from _against_bases(view, track, value, prior)


def _against_bases(view: View, track: Track, value: Track, prior: float) -> Iterator[_Reading]:
    name = f"{value.label.text}, against its base"
    own = {s.key: t for s, t in zip(value.slots, track.slots, strict=True) if s and t}
    for base in _bases(view, track, value):
        # the change of the base itself is none: else all are shares of something that is not printed
        if any(not _is_neutral(own[b.key]) for b in base if b and b.key in own):
            continue
        pairs = tuple(zip(base, value.slots, strict=True))
        for rule, formula in _rules(track, value).items():
            if formula is not times:
                yield _Reading(formula, rule, pairs, prior, name)
            if formula in FACTORS.values():
                yield _Reading(formula, rule, tuple((b, a) for a, b in pairs), prior, name)


def _is_neutral(claim: Slot) -> bool:
    """Whether a change is none: 0%, 100%, 1.00x, no difference."""
    neutral = {SHARE: (0, 100), FACTOR: (1,)}.get(claim.kind, (0, 1, 100))
    return any(abs(claim.quantity.value - n) <= claim.quantity.half for n in neutral)


def _values(view: View, at: int, track: Track) -> list[tuple[int, Track]]:
    """What a change can be of: the nearest tracks that are not changes themselves."""
    # shares are changes of shares by their label or their signs; others are shares of something
    told = track.label.change or any(slot.text[0] in "+-\u2212" for slot in track.known)
    values = [
        (n, t)
        for n, t in enumerate(view.tracks)
        if t is not track
        and not t.names
        and t.known
        and t.kind != FACTOR
        and not t.label.change
        and not (t.label.numbering and not view.by_rows)
        and (t.kind != SHARE or track.kind != SHARE or (n < at and told))
    ]
    return sorted(sorted(values, key=lambda item: abs(item[0] - at))[:MOST_BASES])


def _is_setting(track: Track) -> bool:
    """Whether a track has one whole number everywhere: 8 GPUs in each row were set, not measured."""
    values = {slot.value for slot in track.known}
    whole = not track.kind and not any(slot.quantity.decimals for slot in track.known)
    return whole and len(values) == 1 and len(track.known) >= _FEW


def _rules(track: Track, value: Track) -> dict[str, Formula]:
    """The formulas by which a track can be a change of another."""
    if track.kind == SHARE:
        points = LESS if value.kind == SHARE else {}
        return points | PERCENT | (SIZES if track.label.signless else {})
    if track.kind == FACTOR:
        return FACTORS | TIMES
    if not track.kind:
        return FACTORS | (PERCENT | LESS if track.label.change else {})
    return LESS | (SAVED if track.label.signless else {})


def _bases(view: View, track: Track, value: Track) -> Iterator[Sequence[Slot | None]]:
    """What each number may be held against: the first or last, one that is 0% or 1x, one stated."""
    slots = value.slots
    for stated in view.stated:
        if stated.kind == value.kind:
            yield [stated] * len(slots)
    if view.by_rows:
        return
    firsts = {slot.table: slot for slot in reversed(value.known)}
    lasts = {slot.table: slot for slot in value.known}
    yield [firsts[slot.table] if slot else None for slot in slots]
    yield [lasts[slot.table] if slot else None for slot in slots]
    neutral = {0.0, 100.0} if track.kind == SHARE else {1.0}
    marks = [
        n
        for n, (slot, own) in enumerate(zip(slots, track.slots, strict=True))
        if slot and (own is None or own.value in neutral)
    ]
    if marks and len(marks) < len(value.known):
        # what is 1.00 right below the base only rounds to it
        first, final = ([m for m in marks if m + by not in marks] for by in (-1, 1))
        last = [max((m for m in first if m <= n), default=None) for n in range(len(slots))]
        following = [min((m for m in final if m >= n), default=None) for n in range(len(slots))]
        for places in (last, following):
            yield [None if m is None else slots[m] for m in places]
