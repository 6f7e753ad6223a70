"""Parts and totals, averages and the like: rows and columns that are made of others."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Any

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.quantities import FACTOR, SHARE, TIME
from perfkit.auditing.found.relate import (
    MOST_DIGITS,
    Check,
    Formula,
    Trial,
    added,
    check_of,
    is_slip,
    tried,
    weight,
)

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Slot, Track, View

FAMILY = "parts and totals"
MOST_TRACKS, _SHOWN = 14, 7
_NEAR, _SAID_DIGITS, _TOLD_DIGITS, _PROVEN_DIGITS, _SURE_DIGITS = 0.5, 1.0, 5.0, 8.0, 10.0
_SHOWN_NEAR = 0.3
"""A mean of two or more is further below their sum."""
_SIDES = ({"read", "write"}, {"user", "system"}, {"used", "free"}, {"hit", "miss"})
_ALL_SIDES = frozenset().union(*_SIDES)
_LOOSE = word_set("io time average")


def _deviation(less: int) -> Formula:
    def formula(*values: Any) -> Any:
        mean = sum(values) / len(values)
        return math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - less))

    return formula


_RULES: dict[str, tuple[str, tuple[Formula, ...]]] = {
    "sum": ("Sum", (added,)),
    "mean": ("Average", (lambda *v: added(*v) / len(v),)),
    "geomean": ("Geometric mean", (lambda *v: math.exp(sum(map(math.log, v)) / len(v)),)),
    "std": ("Standard deviation", (_deviation(1), _deviation(0))),
    "min": ("Minimum", (lambda *v: min(v),)),
    "max": ("Maximum", (lambda *v: max(v),)),
    "median": ("Median", (lambda *v: median(v),)),
    "range": ("Range", (lambda *v: max(v) - min(v),)),
}


@dataclass(frozen=True)
class _Found:
    """The trials of one relation of a table, under a key that other tables may share."""

    key: str
    kind: str
    name: str
    trials: tuple[Trial, ...]
    said: bool
    whole: bool = False
    shown: bool = False
    """Whether only what holds in the same table shows that it is meant: times may be means."""

    def trusted(self, pooled: float) -> Iterator[Trial]:
        """What holds, and what fails of a relation that the document shows to be its own."""
        held = [trial for trial in self.trials if trial.held]
        failed = [trial for trial in self.trials if not trial.held]
        if self.said:
            # labels say what it is: a failure is told beside others that hold, or where it is near
            own = pooled >= _SAID_DIGITS and len(failed) <= max(len(held), 1)
            alone = len(self.trials) == 1 and self.whole
            yield from held
            for trial in failed:
                near = _near(trial, _SHOWN_NEAR if self.shown else _NEAR)
                meant = (own and (near or not self.shown)) or _slip(trial)
                if meant or (alone and near) or (self.shown and _slip_of_a_part(trial)):
                    yield trial
        elif len(held) >= 3 or weight(held) >= _SURE_DIGITS:
            yield from self.trials

    def check(self, trial: Trial) -> Check:
        texts = [slot.text for slot in trial.inputs]
        texts = texts if len(texts) < _SHOWN else [*texts[:3], "\u2026", texts[-1]]
        listed = (" + " if self.kind == "sum" else ", ").join(texts)
        rule = listed if self.kind == "sum" else f"{self.name.lower()} of {listed}"
        return check_of(trial, FAMILY, self.kind, self.name, rule)


def _slip(trial: Trial) -> bool:
    return len(trial.inputs) > 1 and is_slip(trial)


def _slip_of_a_part(trial: Trial) -> bool:
    """Whether a slip of the pen in one of few parts explains a sum that fails."""
    parts = trial.inputs if len(trial.inputs) <= MOST_TRACKS else ()
    for n, part in enumerate(parts):
        rest = (trial.claim, *parts[:n], *parts[n + 1 :])
        if is_slip(replace(trial, claim=part, inputs=rest, formula=_less)):
            return True
    return False


def _less(total: Any, *parts: Any) -> Any:
    return total - added(*parts)


def _near(trial: Trial, most: float) -> bool:
    """Whether what fails is so near that it can only be meant."""
    value = trial.formula(*(slot.value for slot in trial.inputs))
    return bool(abs(trial.claim.value - value) <= most * abs(value))


def sums(page: Page) -> Iterator[Check]:
    """Relations that add up or average, of all tables: one that holds elsewhere is known here."""
    found: list[_Found] = []
    for view in (view for sheet in page.sheets for view in sheet.views):
        found += _aggregates(view)
        if not view.by_rows or len(view.tracks) <= MOST_TRACKS:
            found += _pairs(view)
    pooled: Counter[str] = Counter()
    for item in found:
        held = sum(trial.held for trial in item.trials)
        pooled[item.key] += max(weight(item.trials), held)  # type: ignore[assignment]
    for item in found:
        yield from map(item.check, item.trusted(pooled[item.key]))


def _aggregates(view: View) -> Iterator[_Found]:
    """Sum, average, standard deviation, minimum ... of what stands before it, or below."""
    for at, track in enumerate(view.tracks):
        kind = track.label.aggregate
        if kind is None or track.names or (not view.by_rows and at == 0):
            continue
        name, rules = _RULES[kind]
        doubted = {s.key for n, s in enumerate(track.slots) if s and _in_doubt(view, n, track, s)}
        tested = [
            (operands, tuple(_along(view, track, operands, rule, kind)))
            for operands in _operands(view, at)
            # beside one another only "Run 1, Run 2, Run 3" are a sample
            if view.by_rows or kind == "sum" or len({_masked(t) for t in operands}) == 1
            for rule in rules
        ]
        best = max((t for t in tested if t[1]), key=lambda item: weight(item[1]), default=None)
        if best:
            # a sum that holds shows which rows an average below it is of
            of = [n for n, t in enumerate(view.tracks) if any(t is o for o in best[0])]
            named = f"{name} of {len(of)} values"
            for shown in (False, True):
                own = tuple(
                    t for t in best[1] if (kind == "sum" and t.claim.key in doubted) is shown
                )
                whole = kind == "sum" and all(t.claim.value == 100 for t in own)
                key = f"{view.name}:{view.by_rows}:{of}:{shown}"
                if own:
                    yield _Found(key, kind, named, own, said=True, whole=whole, shown=shown)


def _masked(track: Track) -> str:
    return re.sub(r"\d+", "#", track.label.text.lower())


def _operands(view: View, at: int) -> Iterator[list[Track]]:
    """What an aggregate can be of: those since the last one, all before it, those behind it."""
    kind = view.tracks[at].kind
    plain = [
        n
        for n, track in enumerate(view.tracks)
        if _is_part(track, view) and (view.by_rows or track.kind == kind)
    ]
    stop = max((n for n in range(at) if not _chain(view, n, at)), default=-1)
    before = [n for n in plain if n < at]
    options = [[n for n in before if n > stop], before, [n for n in plain if n > at]]
    options.append([n for n in range(at) if view.tracks[n].label.aggregate == "sum"])
    for option in dict.fromkeys(map(tuple, options)):
        if len(option) > 1:
            yield [view.tracks[n] for n in option]


def _chain(view: View, place: int, end: int) -> bool:
    """Whether no aggregate stands at a place, or only aggregates between it and the end."""
    labels = [track.label for track in view.tracks[place:end]]
    return labels[0].aggregate is None or all(x.aggregate or x.change for x in labels)


def _is_part(track: Track, view: View) -> bool:
    label = track.label
    if track.names or label.aggregate or label.change or label.rank:
        return False
    return view.by_rows or not label.numbering


def _along(
    view: View, track: Track, operands: list[Track], rule: Formula, kind: str
) -> Iterator[Trial]:
    for n, claim in enumerate(track.slots):
        if claim is None or not _adds(view, n, claim, kind):
            continue
        inputs = [t.slots[n] for t in operands]
        used = [slot for slot in inputs if slot is not None]
        # a row without a value is none of the sample, but words where a number belongs end it
        if len(used) < 2 or len(used) < len(inputs) - 1 or {s.kind for s in used} != {claim.kind}:
            continue
        if trial := tried(claim, used, rule, cut=kind != "sum"):
            yield trial


def _adds(view: View, n: int, claim: Slot, kind: str) -> bool:
    """Whether a statistic of a column can be meant: latencies and numbers of runs are not added."""
    label = view.places[n] if view.by_rows else None
    if label is not None and label.numbering and kind in {"sum", "mean", "geomean", "std"}:
        return False
    # shares are added only to make the whole
    return kind != "sum" or claim.kind != SHARE or abs(claim.value - 100) <= 1


def _in_doubt(view: View, n: int, track: Track, claim: Slot) -> bool:
    """Whether a total may be no sum: of latencies, run times and factors it is often a mean."""
    label = view.places[n] if view.by_rows else track.label
    return claim.kind in {TIME, FACTOR} or not label.added or not track.label.said_sum


def _pairs(view: View) -> Iterator[_Found]:
    """Two tracks that a third one is the sum of: by their names, or by the numbers alone."""
    tracks = [t for t in view.tracks if t.known and _is_part(t, view)]
    if len(tracks) > MOST_TRACKS:
        return
    named: set[int] = set()
    totals = [t for t in view.tracks if t.known and not t.names and t.label.aggregate == "sum"]
    for total in [*tracks, *totals]:
        for a, b in combinations([t for t in tracks if t is not total], 2):
            said = _said(a, b, total)
            alike = {a.kind, b.kind} == {total.kind} and total.kind != SHARE
            alike = alike and (not view.by_rows or _closes(view, a, b, total))
            trials = tuple(_summed(a, b, total)) if said or alike else ()
            told = total.label.said_sum
            if not trials or (not said and (id(total) in named or not _proven(trials, told=told))):
                continue
            if said:
                named.add(id(total))
            name = f"{a.label.text} + {b.label.text} = {total.label.text}"
            sides = sorted({*a.label.words, *b.label.words} & _ALL_SIDES)
            key = f"sum:{sides}" if said else f"{view.name}:{name}"
            yield _Found(key, "sum", name, trials, said or told, whole=said)


def _closes(view: View, a: Track, b: Track, total: Track) -> bool:
    """Whether a row stands right below the two it is the sum of, and ends its table."""
    return [id(t) for t in view.tracks[-3:]] == [id(a), id(b), id(total)]


def _said(a: Track, b: Track, total: Track) -> bool:
    """Whether labels say it: read and write of one thing, and what has neither word, or both."""
    mine, other, whole = (set(t.label.words) for t in (a, b, total))
    for side in _SIDES:
        if len(mine & side) == 1 and len(other & side) == 1 and mine & side != other & side:
            rest, theirs = mine - side - _LOOSE, other - side - _LOOSE
            bare = whole - side - {"sum", "overall"} - _LOOSE
            named = "sum" in whole or "overall" in whole or side <= whole
            fits = bare == rest or (bare <= rest and named)
            return rest == theirs and fits and len(whole & side) != 1
    return False


def _summed(a: Track, b: Track, total: Track) -> Iterator[Trial]:
    for claim, one, two in zip(total.slots, a.slots, b.slots, strict=True):
        if claim and one and two and {one.kind, two.kind} == {claim.kind}:
            trial = tried(claim, (one, two), added, cut=False)
            if trial and one.value and two.value:
                yield trial


def _proven(trials: Sequence[Trial], *, told: bool) -> bool:
    """Whether numbers show it: too many digits agree to be chance, and not of x + x = 2x.

    ``told``: its label says a total, and fewer digits do.
    """
    trials = [
        replace(trial, digits=_digits_of_the_smaller(trial))
        for trial in trials
        if len({slot.value for slot in trial.inputs}) > 1
    ]
    failed, digits = sum(not t.held for t in trials), weight(trials)
    most = len(trials) if told or digits >= _SURE_DIGITS else len(trials) - failed
    return digits >= (_TOLD_DIGITS if told else _PROVEN_DIGITS) and 3 * failed <= most


def _digits_of_the_smaller(trial: Trial) -> float:
    """How many digits of the smaller part its total shows: a part within the rounding shows none."""
    width = 2 * sum(slot.half for slot in (trial.claim, *trial.inputs))
    smaller = min(abs(slot.value) for slot in trial.inputs)
    return min(max(math.log10(smaller / width), 0.0), MOST_DIGITS) if width else MOST_DIGITS


Family = Callable[["Page"], Iterator[Check]]
