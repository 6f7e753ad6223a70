"""Parts and totals: rows and columns that are the sum, the average or the deviation of others."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.relate import (
    MOST_DIGITS,
    Check,
    Formula,
    Trial,
    added,
    check_of,
    is_slip,
    off_by,
    tried,
    weight,
)  # fmt: skip
from perfkit.formats.quantities import FACTOR, SHARE

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page
    from perfkit.auditing.found.slots import Slot, Track, View

FAMILY = "parts and totals"
MOST_TRACKS, _SHOWN = 14, 7
_NEAR, _SEEN, _FEW_PARTS, _MANY, _LONG = 0.5, 0.05, 3, 3, 4
_BY_SLIP, _TOLD_DIGITS, _PROVEN_DIGITS, _SURE_DIGITS = 4.0, 5.0, 8.0, 10.0
"""Digits that have to agree: beside a slip of the pen, under a label that says a total, alone."""
_SURE_MEAN = 3.0
"""Digits by which a mean of fewer numbers is one."""
_SIDES = (
    {"read", "write"}, {"user", "system"}, {"used", "free"}, {"hit", "miss"}, {"passed", "failed"},
)  # fmt: skip
_LOOSE = frozenset({"io", "time", "average", "sum", "overall", "size", "capacity"})


def _mean(*values: Any) -> Any:
    return added(*values) / len(values)


def _geomean(*values: Any) -> Any:
    return math.exp(sum(map(math.log, values)) / len(values))


def _deviation(less: int) -> Formula:
    def formula(*values: Any) -> Any:
        mean = sum(values) / len(values)
        return math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - less))

    return formula


_RULES: dict[str, tuple[str, tuple[Formula, ...]]] = {
    "sum": ("Sum", (added,)),
    "mean": ("Average", (_mean, _geomean)),
    "geomean": ("Geometric mean", (_geomean,)),
    "std": ("Standard deviation", (_deviation(1), _deviation(0))),
}


@dataclass(frozen=True)
class _Whole:
    """A track as made of others, at each of its places; other tables may share its key.

    ``said``: its labels name it. ``whole``: they do it so well that a single place is enough.
    """

    key: object
    kind: str
    name: str
    trials: tuple[Trial, ...]
    said: bool
    whole: bool = False

    def trusted(self, pooled: Sequence[Trial]) -> Iterator[Trial]:
        """What holds, and what fails of a relation that the document shows to be its own."""
        # zeros are the total and the mean of zeros: they hold, and show nothing
        held = [trial for trial in self.trials if trial.held and self._shows(trial)]
        failed = [trial for trial in self.trials if not trial.held]
        sure = 2 * len(failed) <= len(held)
        sure = sure and (self.said or len(held) >= _MANY or weight(held) >= _SURE_DIGITS)
        if not (self.said or sure or (held and all(map(is_slip, failed)))):
            return
        # "~300" would not be told if it were wrong, and is not checked
        yield from (trial for trial in held if not trial.claim.quantity.bound)
        # what fails more often than it holds is not what is meant here
        if len(failed) > max(len(held), 1) or _have_other_parts(failed):
            return
        own = any(trial.held and self._shows(trial) for trial in pooled)
        own = own or (self.whole and len(self.trials) == 1)
        for trial in failed:
            likely = is_slip(trial) or (own and off_by(trial) <= _NEAR)
            # shares that are far from a whole are rates, and a total of them is their mean
            shown = sure and trial.claim.kind != SHARE
            told = not (_is_each(trial) or trial.claim.quantity.bound)
            if told and (shown or (likely and not _is_among_its_parts(trial))):
                yield trial

    def _shows(self, trial: Trial) -> bool:
        """Whether a place that holds shows anything: a sum, by two parts above its own rounding."""
        total, step = abs(trial.claim.value), 2 * trial.claim.half
        seen = sum(abs(s.value) > min(step + 2 * s.half, _SEEN * total) for s in trial.inputs)
        return bool(total) and (self.kind != "sum" or seen > 1)

    def check(self, trial: Trial) -> Check:
        texts = [slot.text for slot in trial.inputs]
        texts = texts if len(texts) < _SHOWN else [*texts[:3], "\u2026", texts[-1]]
        rule = " + ".join(texts)
        if self.kind != "sum":
            rule = f"{self.name.lower()} of {', '.join(texts)}"
        check = check_of(trial, FAMILY, self.kind, self.name, rule)
        return replace(check, named=isinstance(self.key, frozenset))


def _is_each(trial: Trial) -> bool:
    """Whether a total is what each part is: of prices and shares of 100% there is no sum."""
    return {slot.value for slot in trial.inputs} == {trial.claim.value}


def _is_among_its_parts(trial: Trial) -> bool:
    """Whether a total lies between its parts: of waiting times and rates it is often a mean."""
    values = [slot.value for slot in trial.inputs]
    return trial.formula is added and 0 < min(values) <= trial.claim.value <= max(values)


def _have_other_parts(failed: Sequence[Trial]) -> bool:
    """Whether all that fail are more than their parts, or what they are without one of them."""
    over = all(t.claim.value > sum(s.value for s in t.inputs) for t in failed)
    few = min((len(t.inputs) for t in failed), default=0)
    places = range(few) if few >= _FEW_PARTS else ()
    return (over and len(failed) > 1) or any(
        all(_holds_without(trial, n) for trial in failed) for n in places
    )


def _holds_without(trial: Trial, place: int) -> bool:
    others = (*trial.inputs[:place], *trial.inputs[place + 1 :])
    less = tried(trial.claim, others, trial.formula, cut=False)
    # a mean of few short numbers is soon the mean of some of them
    shown = trial.formula is added or (less and less.digits >= _SURE_MEAN)
    return bool(less and less.held and shown)


def totals(page: Page) -> Iterator[Check]:
    """Relations that add up or average, of all tables: one that holds elsewhere is known here."""
    views = [view for sheet in page.sheets for view in sheet.views]
    found = [own for view in views for own in (*_aggregates(view), *_pairs(view))]
    pooled: dict[object, list[Trial]] = defaultdict(list)
    for item in found:
        pooled[item.key] += item.trials
    for item in found:
        yield from map(item.check, item.trusted(pooled[item.key]))


def _aggregates(view: View) -> Iterator[_Whole]:
    """Sum, average and standard deviation of what stands before it, or below."""
    for at, track in enumerate(view.tracks):
        last = view.by_rows and track is view.tracks[-1] and track.label.total_of
        kind = track.label.aggregate or ("sum" if last else "")
        if kind not in _RULES or track.names or track.part or (not view.by_rows and at == 0):
            continue
        name, rules = _RULES[kind]
        tested = [
            (parts, trials)
            for parts in _parts(view, at)
            for rule in rules
            if (trials := tuple(_along(view, track, [view.tracks[n] for n in parts], rule)))
        ]
        if not tested:
            continue
        numbers, trials = max(tested, key=lambda item: weight(item[1]))
        parts = [view.tracks[n] for n in numbers]
        # beside one another "Run 1, Run 2, Run 3" are a sample by their names, others by numbers
        masked = {re.sub(r"\d+", "#", part.label.text.lower()) for part in parts}
        said = view.by_rows or kind == "sum" or len(masked) == 1
        whole = kind == "sum" and all(
            trial.claim.value == 100 or _is_money(trial, (track, *parts)) for trial in trials
        )
        # a sum that holds shows which rows an average below it is of
        key = (view.name, view.by_rows, numbers)
        yield _Whole(key, kind, f"{name} of {len(parts)} values", trials, said, whole)


_OTHERWISE = re.compile(r"\b(?:avg|average|mean|max|min)\b", re.I)
"""What a cell says of its number that is then no total."""
_MONEY = re.compile(r"[$\u20ac\u00a3\u00a5\u20bd]")


def _is_money(trial: Trial, tracks: Sequence[Track]) -> bool:
    """Whether a total and three parts at least are printed as amounts of one money, which adds up."""
    n = tracks[0].slots.index(trial.claim)
    found = [_MONEY.findall(track.cells[n])[:1] for track in tracks if track.slots[n]]
    return len(found) > _FEW_PARTS and bool(found[0]) and found == [found[0]] * len(found)


def _parts(view: View, at: int) -> Iterator[tuple[int, ...]]:
    """What an aggregate can be of: those since the last one, all before it, those behind it."""
    total = view.tracks[at]
    plain = [
        n
        for n, track in enumerate(view.tracks)
        if _is_part(track, view) and (view.by_rows or track.kind == total.kind)
    ]
    before = [n for n in plain if n < at]
    others = [n for n in range(at) if view.tracks[n].label.aggregate]
    stop = max((n for n in others if n < max(before, default=0)), default=-1)
    sums = [n for n in others if view.tracks[n].label.aggregate == "sum"]
    options = [[n for n in before if n > stop], before, [n for n in plain if n > at], sums]
    # "overhead" names a part as well as a change
    options += [[n for n in range(stop + 1, at) if n in before or view.by_rows]]
    # a grand total below a total is of several tables
    if "grand" in total.label.words and any("sum" in t.label.words for t in view.tracks[:at]):
        options = [sums]
    yield from dict.fromkeys(tuple(option) for option in options if len(option) > 1)


def _is_part(track: Track, view: View) -> bool:
    label = track.label
    # a row without a number is the heading of a group
    if track.names or label.aggregate or label.change or label.rank or not track.known:
        return False
    return view.by_rows or bool(track.kind) or not label.numbering


def _along(view: View, total: Track, parts: Sequence[Track], rule: Formula) -> Iterator[Trial]:
    for n, claim in enumerate(total.slots):
        # "~11 avg" below counts
        other = re.search(_OTHERWISE, total.cells[n])
        if claim is None or other or not _is_made(view, n, claim, rule):
            continue
        used = [slot for part in parts if (slot := part.slots[n])]
        # a sum of the others is none of all where a cell prints what is no number of the column
        unread = any(
            re.search(r"\d\s?\+\s?\d" if part.slots[n] else r"\d", part.cells[n]) for part in parts
        )
        # a row without a value is none of the sample, but words where a number belongs end it
        enough = len(used) >= max(2, len(parts) - 1) and {s.kind for s in used} == {claim.kind}
        trial = tried(claim, used, rule, cut=rule is not added) if enough and not unread else None
        if trial:
            yield trial


def _is_made(view: View, n: int, claim: Slot, rule: Formula) -> bool:
    """Whether a number can be made of others of its kind: numbers of runs are not.

    The total's speed-up is that of the totals, and so is a share, unless it is the whole.
    """
    if view.by_rows and view.places[n].numbering:
        return False
    ratio = claim.kind in {SHARE, FACTOR} and (view.by_rows or rule is added)
    return not ratio or (rule is added and claim.kind == SHARE and abs(claim.value - 100) <= 1)


def _pairs(view: View) -> Iterator[_Whole]:
    """Two tracks that a third one is the sum of: by their names, or by the numbers alone."""
    tracks = [t for t in view.tracks if t.known and _is_part(t, view)]
    if len(tracks) > MOST_TRACKS or (view.by_rows and len(view.tracks) > MOST_TRACKS):
        return
    sums = [t for t in view.tracks if t.known and not t.names and t.label.aggregate == "sum"]
    for total in [*tracks, *sums]:
        for pair in combinations([t for t in tracks if t is not total], 2):
            sides, told = _sides(*pair, total), total.label.said_sum
            # a row stands right below the two it is the sum of, and ends its table
            last = [id(t) for t in view.tracks[-3:]] == [*map(id, pair), id(total)]
            if not (sides or last or not view.by_rows):
                continue
            trials = tuple(_along(view, total, pair, added))
            # two shares have a mean, and no sum
            shares = {SHARE, FACTOR}
            trials = tuple(
                t for t in trials if t.claim.kind not in shares and all(s.value for s in t.inputs)
            )
            if sides or _is_proven(trials, told=told):
                name = f"{pair[0].label.text} + {pair[1].label.text} = {total.label.text}"
                said = bool(sides) or told
                # used and free are the whole only where nothing else is set apart
                sure = sides & {"read", "user"} or any(trial.held for trial in trials)
                if sure or not sides:
                    yield _Whole(sides or (view.name, name), "sum", name, trials, said, bool(sides))


def _sides(a: Track, b: Track, total: Track) -> frozenset[str]:
    """Read and write of one thing, where the third label has neither word, or both; else empty."""
    one, two, whole = (set(track.label.words) for track in (a, b, total))
    for side in _SIDES:
        rest = one - side
        alike = rest == two - side and one & side != two & side
        if alike and len(one & side) == len(two & side) == 1:
            both = side <= whole or (not whole & side and bool(whole & (rest | _LOOSE)))
            fits = both and whole - side - _LOOSE <= rest - _LOOSE
            return frozenset(side if fits else ())
    return frozenset()


def _is_proven(trials: Sequence[Trial], *, told: bool) -> bool:
    """Whether numbers show it: too many digits agree to be chance, and not of x + x = 2x."""
    values = [tuple(slot.value for slot in trial.inputs) for trial in trials]
    held = {
        own: _digits(t)
        for own, t in zip(values, trials, strict=True)
        if t.held and len(set(own)) > 1
    }
    slips = any(is_slip(trial, _LONG) for trial in trials if not trial.held)
    return sum(held.values()) >= (_BY_SLIP if slips else _TOLD_DIGITS if told else _PROVEN_DIGITS)


def _digits(trial: Trial) -> float:
    """How many digits of the smaller part speak: one within the rounding of its total shows none."""
    width = 2 * sum(slot.half for slot in (trial.claim, *trial.inputs))
    smaller = min(abs(slot.value) for slot in trial.inputs)
    return min(max(math.log10(smaller / width), 0.0), MOST_DIGITS) if width else MOST_DIGITS
