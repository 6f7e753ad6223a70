"""How much one differs from another: percent, factors, differences, and what they are of."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from typing import TYPE_CHECKING

from perfkit.auditing.found.explained import (
    is_base,
    is_of_another_base,
    is_of_another_setup,
    is_of_one_base,
    is_other_sign,
    is_read_otherwise,
)  # fmt: skip
from perfkit.auditing.found.formulas import (
    FACTORS,
    LESS,
    PERCENT,
    SAVED,
    SIZES,
    TIMES,
    by_any_thousand,
    of_base,
    percent_less,
    percent_more,
    share,
    times,
)  # fmt: skip
from perfkit.auditing.found.relate import (
    Check,
    Formula,
    Trial,
    check_of,
    is_slip,
    is_swap,
    off_by,
    tried,
    weight,
)  # fmt: skip
from perfkit.auditing.quantities import FACTOR, SHARE, unit_of

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page
    from perfkit.auditing.found.slots import Slot, Track, View

FAMILY = "differences, percent and factors"
_LEAST, _TOLD, _OWN, _BASE, _NEAR = 2.0, 0.3, 0.5, 0.6, 0.06
_SIGNLESS, _EITHER = 4.0, 0.3
"""What a change without a sign must say more than one with it: about one place less that holds."""
_FAILS = 1.3
"""What each place beyond the first that fails says against it: one in twenty is an error, at most."""
_HIDDEN = 0.005
"""What digits that are not printed can make of a change."""
MOST_BASES = 12
_MOST_FAIL = 2
"""Of so many places that hold one more may fail: where more do, rows are read in two ways."""
_MANY_HOLD = 5
"""Of how many places that hold one that fails is an exception, by however little."""
_SET = 4.0
"""What a change of a number that was set must say more: 8 GPUs in each row."""
_FIRST = 20
"""Of a reading that holds in none of so many places the others are not tried."""
_FEW, _MANY = 3, 40
"""Of how many parts a column shows shares."""


_KINDS = {id(f): kind for kind, rules in (("difference", LESS | SAVED), ("ratio", FACTORS | TIMES))
          for f in rules.values()}  # fmt: skip
_NOTHING = 0.001
"""What is less of the other one is no part of it."""
_PARTS = (percent_more, percent_less, *SIZES.values())
_RATIOS = (*FACTORS.values(), times)
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
        trials = self.trials(track)
        first = list(islice(trials, _FIRST))
        seldom = len(first) == _FIRST and not any(trial.held for trial in first)
        return [] if seldom else [*first, *trials]

    def trials(self, track: Track) -> Iterator[Trial]:
        """It at each place where both numbers stand."""
        for claim, pair in zip(track.slots, self.pairs, strict=True):
            inputs = [slot for slot in pair if slot and slot.value]
            if not claim or len(inputs) < len(pair) or len({s.key for s in inputs}) < 2:
                continue
            alike = claim.kind == track.kind or not {claim.kind, track.kind} & {SHARE, FACTOR}
            # how many times as much is asked of what is above nothing
            alike = alike and (self.formula not in _RATIOS or min(s.value for s in inputs) > 0)
            trial = by_any_thousand(claim, inputs, self.formula) if alike else None
            if trial and len({slot.kind for slot in inputs}) == 1:
                yield trial


@dataclass(frozen=True)
class _Read:
    """A track of changes as its numbers bear it out: what holds, and what then fails."""

    track: Track
    reading: _Reading
    held: Sequence[Trial]
    failed: Sequence[Trial]
    near: int

    @property
    def sole(self) -> bool:
        """Whether one place alone fails where many hold: what explains it would show in others."""
        return _is_sole(self.held, self.failed)

    def check(self, trial: Trial) -> Check:
        """One place of it."""
        trial = _upright(trial)
        rule = self.reading.rule.format(a=trial.inputs[0].text, b=trial.inputs[-1].text)
        kind = _KINDS.get(id(self.reading.formula), "percent_change")
        return check_of(trial, FAMILY, kind, self.reading.name, rule)


def _upright(trial: Trial) -> Trial:
    """A factor that fails, told of the two in the order in which it is above 1, as printed, or below."""
    if trial.formula is times:
        return replace(trial, inputs=tuple(sorted(trial.inputs, key=lambda slot: -slot.value)))
    if trial.held or trial.formula not in FACTORS.values():
        return trial
    value = trial.formula(*(slot.value for slot in trial.inputs))
    turned = tried(trial.claim, trial.inputs[::-1], trial.formula)
    return turned if turned and (value > 1) != (trial.claim.value > 1) else trial


def changes(page: Page) -> Iterator[Check]:
    """Each track of changes, read as the numbers of its table bear out."""
    tracks = (
        (v, n, own)
        for v in page.views
        for n, t in enumerate(v.tracks)
        if _is_change(t, v)
        for own in _by_kind(t)
    )
    found = [read for view, at, track in tracks if (read := _read(view, at, track))]
    # a mean of ratios is near the ratio of the means: one that differs is told, several are how it is
    near: Counter[tuple[str, str]] = Counter()
    for read in found:
        near[_head(read)] += read.near
    for read in found:
        least = _HIDDEN if read.sole or near[_head(read)] < 2 else _NEAR
        told = [t for t in read.failed if off_by(t) > least or (read.sole and is_swap(t))]
        yield from map(read.check, (*read.held, *told))


def _by_kind(track: Track) -> Iterator[Track]:
    """A track of changes, and those of them that have another unit: "+1.5%" and "+0.012 ms"."""
    yield track
    others = {slot.kind for slot in track.known} - {track.kind, ""} if track.label.change else set()
    for kind in sorted(others):
        slots = tuple(slot if slot and slot.kind == kind else None for slot in track.slots)
        yield replace(track, slots=slots)


def _head(read: _Read) -> tuple[str, str]:
    """What it says of other tables: there the same head means the same."""
    return read.track.label.text, read.reading.rule


def _is_change(track: Track, view: View) -> bool:
    """Whether numbers can be changes: by their unit, their label, or as numbers in brackets."""
    if track.names or not track.known:
        return False
    if track.label.change or _is_quotient(track, view):
        return True
    if track.kind in {SHARE, FACTOR}:
        # shares below one another are alternatives, unless something else stands among them
        return not view.by_rows or any(t.kind != track.kind for t in view.tracks if t.known)
    if view.by_rows or track.kind:
        return False
    if not track.part:
        return False
    places = [(n, slot) for n, slot in enumerate(track.slots) if slot]
    before = [track.cells[n][: s.quantity.start].rstrip() for n, s in places]
    return 2 * sum(text.endswith("(") for text in before) > len(before)


def _is_quotient(track: Track, view: View) -> bool:
    """Whether a label is one other label by another one: "B / A" beside A and B, or "B ms" and "A ms"."""
    sides = [side.strip().lower() for side in track.label.text.split("/")]
    if len(sides) != 2:
        return False
    others = [t.label.text.strip().lower() for t in view.tracks if t is not track]
    plain = {" ".join(w for w in text.split() if not unit_of(w)) for text in others}
    return set(sides) <= {*others, *plain}


def _read(view: View, at: int, track: Track) -> _Read | None:
    """How a track is read, where enough speaks for it."""
    track = _signed(view, track)
    readings = list(_readings(view, at, track))
    best: tuple[float, _Reading, list[Trial]] | None = None
    for reading in readings:
        trials = reading.tested(track)
        # what does not differ shows no difference
        score = weight(map(_telling, filter(_is_of_two, trials)))
        score -= reading.prior or math.log10(len(readings))
        score -= _SIGNLESS if reading.formula in SIZES.values() else 0
        score -= _EITHER * len(trials) if reading.formula is times else 0
        # small whole numbers hold here and there by chance; where they do not, that counts against it
        score -= _FAILS * max(0, sum(not trial.held for trial in trials) - 1)
        if trials and (best is None or score > best[0] + 1e-9):
            best = score, reading, trials
    if best is None:
        return None
    score, reading, trials = best
    held = [trial for trial in trials if trial.held]
    failed = [trial for trial in trials if not trial.held]
    near_by = sum(off_by(trial) <= _NEAR for trial in failed)
    accused = _accused(view, track, reading, score, held, failed)
    if accused is None:
        return None
    failed, based = accused, reading.formula not in (*LESS.values(), *SAVED.values())
    own = {s.key for n, s in enumerate(track.slots) if s and not _is_of_others(view, n, track)}
    # another table of this shape, in which nothing holds, means something else
    tables = {trial.claim.table for trial in held}
    ones = Counter(trial.claim.table for trial in trials)
    single = len(tables) > 1 and len(failed) == 1 and max(ones.values()) == 1
    own -= {t.claim.key for t in failed if t.claim.table not in tables and not single}
    failed = [t for t in failed if t.claim.key in own and not (based and is_base(t.claim))]
    if not any(slot.value < 0 for slot in track.known):
        failed = [t for t in failed if not is_other_sign(t)]
    failed = [t for t in failed if not is_of_another_base(view, t, track, held)]
    failed = [t for t in failed if not is_of_another_setup(view, t, held)]
    failed = [t for t in failed if not is_read_otherwise(t, track, held)]
    if failed and is_of_one_base(trials):
        failed = []
    others = [trial for trial in trials if not trial.held]
    if not failed and not _would_tell(view, track, reading, score, held, others):
        return None
    return _Read(track, reading, held, failed, near_by)


def _accused(
    view: View,
    track: Track,
    reading: _Reading,
    score: float,
    held: Sequence[Trial],
    failed: Sequence[Trial],
) -> list[Trial] | None:
    """What fails, as far as enough speaks against it; None where too little shows the reading."""
    shown = sum(map(_differs, held))
    # what a label or its own cell calls a change, of the only two there are, needs little more
    named = track.label.change or track.part > 0 or _is_quotient(track, view)
    several = reading.prior == _BASE and shown > max(1, len(failed))
    # a saving of 30% is no part of 30%, unless numbers show it
    least = len(failed) + (reading.formula is of_base and track.label.change)
    told = named and (several or (reading.prior == _OWN and len(held) >= least))
    near = told and (score >= _TOLD or all(map(is_slip, failed)))
    if not near and (score < _LEAST or shown < 2):
        return None
    clear = (near or score >= 2 * _LEAST) and len(failed) <= len(held)
    # a difference has no other base
    based = reading.formula not in (*LESS.values(), *SAVED.values())
    many = based and len(failed) > 1 and _MOST_FAIL * len(failed) > len(held)
    if many or (2 * len(failed) > len(held) and not clear):
        return [t for t in failed if is_slip(t)] if len(failed) <= len(held) else []
    return list(failed)


def _would_tell(
    view: View,
    track: Track,
    reading: _Reading,
    score: float,
    held: Sequence[Trial],
    others: Sequence[Trial],
) -> bool:
    """Whether one of the places would be told if it were wrong: where not, none is checked."""
    if not held:
        return False
    one = max(held, key=lambda trial: trial.digits)
    score -= one.digits + _FAILS * bool(others)
    rest = [trial for trial in held if trial is not one]
    return one in (_accused(view, track, reading, score, rest, [*others, one]) or [])


def _differs(trial: Trial) -> bool:
    """Whether a claim says a difference at all: 1.00 beside two that hardly differ shows no relation."""
    claim = trial.claim
    if trial.formula in (*LESS.values(), *SAVED.values()):
        # what is taken away has to show: 90,112 - 1 is 90,112 by rounding
        smaller = min(abs(slot.value) for slot in trial.inputs)
        if smaller <= 2 * (claim.half + max(slot.half for slot in trial.inputs)):
            return False
    elif trial.formula in _PARTS:
        # nor is 0.25 less than 149,588,529 a change of 100%
        ends = sorted(abs(slot.value) for slot in trial.inputs)
        if ends[0] < _NOTHING * ends[-1]:
            return False
    return abs(abs(claim.value) - _none(trial)) > 2 * claim.half


def _none(trial: Trial) -> float:
    """What is printed where nothing differs."""
    if trial.formula in _RATIOS:
        return 1.0
    return 100.0 if trial.formula is of_base or trial.formula is share else 0.0


def _is_of_two(trial: Trial) -> bool:
    return len({slot.value for slot in trial.inputs}) > 1 and _differs(trial)


def _telling(trial: Trial) -> Trial:
    """A trial with the digits that tell a difference: of 1.04 beside 1.00 there is hardly one."""
    claim = trial.claim
    if trial.formula not in _RATIOS:
        return trial
    told = math.log10(abs(abs(claim.value) - 1) / (2 * claim.half)) if claim.half else trial.digits
    return replace(trial, digits=min(trial.digits, max(told, 0.0)))


def _is_sole(held: Sequence[Trial], failed: Sequence[Trial]) -> bool:
    return len(failed) == 1 and len(held) >= _MANY_HOLD


_WORSE = re.compile(r"\b(?:slower|worse|longer|more|higher|larger|regression)\b", re.I)
_BETTER = re.compile(r"\b(?:faster|better|shorter|less|lower|smaller|fewer|improvement)\b", re.I)


def _signed(view: View, track: Track) -> Track:
    """Changes with the sign that words beside them give: 32% faster, 25% slower."""
    texts = [""] * len(track.slots)
    if not view.by_rows:
        texts = [row[track.column - 1] for row in view.texts]
    worse = [bool(_WORSE.search(text)) for text in texts]
    # a factor has no sign: 2x slower is the other one by this
    if track.kind == FACTOR or not any(worse) or not any(map(_BETTER.search, texts)):
        return track
    slots = [
        slot and replace(slot, quantity=replace(slot.quantity, value=-abs(slot.quantity.value)))
        if less
        else slot
        for slot, less in zip(track.slots, worse, strict=True)
    ]
    return replace(track, slots=tuple(slots))


def _is_of_others(view: View, place: int, track: Track) -> bool:
    """Whether a place is made of others: the largest ratio is not the ratio of the largest."""
    label = view.places[place]
    if view.by_rows:  # nor is the change of a ratio the ratio of two changes
        return label.change or "%" in label.words
    extreme = label.rank is not None and label.rank[1] <= set(track.label.words)
    return extreme or label.aggregate not in {None, "sum"} or _names_its_base(place, track)


_BASE_NAMED = re.compile(r"\b(?:vs\.?|versus|compared|relative to|against)\s", re.I)


def _names_its_base(place: int, track: Track) -> bool:
    """Whether a cell says what it is against, where few others of its column do."""
    named = [bool(_BASE_NAMED.search(text)) for text in track.cells]
    return named[place] and 2 * sum(named) <= len(named)


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
            name = f"Change between {a.label.text} and {b.label.text}"
            pairs = tuple(zip(a.slots, b.slots, strict=True))
            if _is_setting(a) or _is_setting(b):
                prior = _SET
            for rule, formula in _rules(track, a).items():
                yield _Reading(formula, rule, pairs, prior, name)
    yield from _against_bases(view, at, track, values)


def _against_bases(
    view: View, at: int, track: Track, values: list[tuple[int, Track]]
) -> Iterator[_Reading]:
    for n, value in values:
        if _is_setting(value) or (track.part and value.column != track.column):
            continue
        prior = _BASE if value.column == track.column or n == at - 1 else 0.0
        name = f"{value.label.text}, against its base"
        for base in _bases(view, track, value):
            pairs = tuple(zip(base, value.slots, strict=True))
            for rule, formula in _rules(track, value).items():
                if formula is not times:
                    yield _Reading(formula, rule, pairs, prior, name)
                if formula in FACTORS.values():
                    yield _Reading(formula, rule, tuple((b, a) for a, b in pairs), prior, name)
        parts = [s for s, p in zip(value.slots, view.places, strict=True) if s and not p.aggregate]
        if track.kind == SHARE and not view.by_rows and _FEW <= len(parts) <= _MANY:
            shares: Pairs = tuple((*parts, slot) for slot in value.slots)
            yield _Reading(share, "{b} of the sum of its column", shares, prior, name)


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
