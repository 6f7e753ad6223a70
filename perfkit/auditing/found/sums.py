"""Parts and totals, averages and the like: rows and columns that are made of others."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.quantities import FACTOR, SHARE, TIME
from perfkit.auditing.found.relate import Check, Formula, Trial, check_of, slipped, tried, weight
from perfkit.auditing.relations.run import FAILS

if TYPE_CHECKING:
    from perfkit.auditing.found.sheets import Sheet, Slot, Track, View

FAMILY = "parts and totals"
_NEAR = 0.5
_LEAST_DIGITS, _SAID_DIGITS = 4.0, 1.0
MOST_TRACKS, _SHOWN = 14, 7


def _deviation(less: int) -> Formula:
    def formula(*values: Any) -> Any:
        mean = sum(values) / len(values)
        return math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - less))

    return formula


def added(*values: Any) -> Any:
    """The sum, of floats as of fractions."""
    return sum(values[1:], values[0])


_RULES: dict[str, tuple[Formula, ...]] = {
    "sum": (added,),
    "mean": (lambda *v: added(*v) / len(v),),
    "std": (_deviation(1), _deviation(0)),
    "min": (lambda *v: min(v),),
    "max": (lambda *v: max(v),),
    "median": (lambda *v: median(v),),
    "range": (lambda *v: max(v) - min(v),),
}
_NAMES = {"sum": "Sum", "mean": "Average", "std": "Standard deviation", "min": "Minimum",
          "max": "Maximum", "median": "Median", "range": "Range"}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The trials of one relation of a table, under a name that other tables may share."""

    sheet: Sheet
    key: str
    kind: str
    name: str
    trials: tuple[Trial, ...]
    said: bool
    named: bool = False

    def checks(self, family: str, trials: Sequence[Trial] | None = None) -> Iterator[Check]:
        """As checks: all, or these."""
        for trial in self.trials if trials is None else trials:
            sign = {"sum": " + ", "difference": " \u2212 "}.get(self.kind, ", ")
            texts = [slot.quantity.text for slot in trial.inputs]
            rule = sign.join(texts if len(texts) < _SHOWN else [*texts[:3], "\u2026", texts[-1]])
            rule = rule if self.kind in {"sum", "difference"} else f"{self.name.lower()} of {rule}"
            yield check_of(self.sheet, trial, family, self.kind, self.name, rule)


def sums(sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Relations that add up or average, of all tables: one that holds elsewhere is known here."""
    found: list[Found] = []
    for sheet in sheets:
        for view in sheet.views:
            found += _aggregates(view)
            if not view.by_rows or len(view.tracks) <= MOST_TRACKS:
                found += _pairs(view)
    pooled: dict[str, float] = {}
    for item in found:
        many = sum(trial.held for trial in item.trials)
        pooled[item.key] = pooled.get(item.key, 0.0) + max(weight(item.trials), float(many))
    for item in found:
        yield from item.checks(FAMILY, list(_trusted(item, pooled[item.key])))


def _trusted(item: Found, pooled: float) -> Iterator[Trial]:
    """What holds, and what fails of a relation that the document shows to be its own."""
    held = [trial for trial in item.trials if trial.held]
    failed = [trial for trial in item.trials if not trial.held]
    if item.said:
        # labels say what it is: a failure is told beside others that hold, or where it is near
        own = pooled >= _SAID_DIGITS and len(failed) <= max(len(held), 1)
        near = len(item.trials) == 1 and item.named
        yield from held
        yield from (t for t in failed if own or is_slip(t) or (near and _near(t)))
    elif len(held) >= 3 and 3 * len(failed) <= len(held):  # noqa: PLR2004
        yield from item.trials


def _near(trial: Trial) -> bool:
    """Whether what fails is so near that it can only be meant."""
    value = trial.formula(*(slot.value for slot in trial.inputs))
    return bool(abs(trial.claim.value - value) <= _NEAR * abs(value))


def is_slip(trial: Trial) -> bool:
    """Whether what fails is off by a slip of the pen: one digit, two swapped, the point."""
    claim = trial.claim
    value = trial.formula(*(slot.exact for slot in trial.inputs)) / (claim.factor or 1)
    return len(trial.inputs) > 1 and slipped(claim.quantity.text, value, claim.quantity.decimals)


def _aggregates(view: View) -> Iterator[Found]:
    """Sum, average, standard deviation, minimum ... of what stands before it, or below."""
    for at, track in enumerate(view.tracks):
        kind = track.label.aggregate
        if kind is None or track.names or (not view.by_rows and at == 0):
            continue
        best: tuple[float, list[Track], tuple[Trial, ...]] | None = None
        for operands in _operands(view, at):
            if not view.by_rows and kind != "sum" and len({_masked(t) for t in operands}) > 1:
                continue  # beside one another only "Run 1, Run 2, Run 3" are a sample
            for rule in _RULES[kind]:
                trials = tuple(_along(view, at, operands, rule, kind))
                score = weight(trials)
                if trials and (best is None or score > best[0]):
                    best = score, operands, trials
        if best:
            # a sum that holds shows which rows an average below it is of
            of = [n for n, t in enumerate(view.tracks) if any(t is o for o in best[1])]
            key = f"{view.sheet.name}:{view.by_rows}:{of}"
            name = f"{_NAMES[kind]} of {len(of)} values"
            whole = kind == "sum" and all(t.claim.value == 100 for t in best[2])  # noqa: PLR2004
            yield Found(view.sheet, key, kind, name, best[2], said=True, named=whole)


def _masked(track: Track) -> str:
    return re.sub(r"\d+", "#", track.label.text.lower())


def _operands(view: View, at: int) -> Iterator[list[Track]]:
    """What an aggregate can be of: those since the last one, all before it, those behind it."""
    plain = [n for n, t in enumerate(view.tracks) if _detail(t, view)]
    stop = max((n for n in range(at) if not _chain(view, n, at)), default=-1)
    before = [n for n in plain if n < at]
    options = [[n for n in before if n > stop], before, [n for n in plain if n > at]]
    options.append([n for n in range(at) if view.tracks[n].label.aggregate == "sum"])
    seen: list[list[int]] = []
    for option in options:
        if len(option) > 1 and option not in seen:
            seen.append(option)
            yield [view.tracks[n] for n in option]


def _chain(view: View, place: int, end: int) -> bool:
    """Whether no aggregate stands at a place, or only aggregates between it and the end."""
    labels = [track.label for track in view.tracks[place:end]]
    return labels[0].aggregate is None or all(x.aggregate or x.change for x in labels)


def _detail(track: Track, view: View) -> bool:
    label = track.label
    if label.rank and not label.aggregate:
        return False
    return not (label.aggregate or label.change or track.names) and (
        view.by_rows or not label.numbering
    )


def _along(view: View, at: int, operands: list[Track], rule: Formula, kind: str) -> Iterator[Trial]:
    track = view.tracks[at]
    for n, claim in enumerate(track.slots):
        if claim is None or not _adds(view, n, claim, kind):
            continue
        inputs = [t.slots[n] for t in operands]
        used = [slot for slot in inputs if slot is not None]
        # a row without a value is none of the sample, but words where a number belongs end it
        if len(used) < 2 or len(used) < len(inputs) - 1 or {s.kind for s in used} != {claim.kind}:  # noqa: PLR2004
            continue
        trial = tried(claim, used, rule, cut=kind != "sum")
        if trial:
            yield trial


def _adds(view: View, n: int, claim: Slot, kind: str) -> bool:
    """Whether a statistic of a column can be meant: latencies and numbers of runs are not added."""
    label = view.places[n] if view.by_rows else None
    if label is not None and label.numbering and kind in {"sum", "mean", "std"}:
        return False
    if kind != "sum":
        return True
    if claim.kind == SHARE:
        return abs(claim.value - 100) <= 1  # shares are added only to make the whole
    return claim.kind not in {TIME, FACTOR} and (label is None or label.added)


_SIDES = ({"read", "write"}, {"user", "system"}, {"used", "free"}, {"hit", "miss"})

_LOOSE = frozenset({"io", "time", "average"})
_ALL_SIDES = frozenset().union(*_SIDES)


def _pairs(view: View) -> Iterator[Found]:
    """Two tracks that a third one is the sum of: by their names, or by the numbers alone."""
    tracks = [t for t in view.tracks if not t.names and t.count and _detail(t, view)]
    if len(tracks) > MOST_TRACKS:
        return
    named: set[int] = set()
    totals = [t for t in view.tracks if t.count and not t.names and t.label.aggregate == "sum"]
    for total in [*tracks, *totals]:
        for a, b in combinations([t for t in tracks if t is not total], 2):
            said = _said(a, b, total)
            if not said and (
                view.by_rows or {a.kind, b.kind} != {total.kind} or total.kind == SHARE
            ):
                continue
            trials = tuple(_summed(a, b, total))
            if not trials or (not said and (id(total) in named or not _proven(trials))):
                continue
            if said:
                named.add(id(total))
            name = f"{a.label.text} + {b.label.text} = {total.label.text}"
            sides = sorted({*a.label.words, *b.label.words} & _ALL_SIDES)
            key = f"sum:{sides}" if said else f"{view.sheet.name}:{name}"
            yield Found(view.sheet, key, "sum", name, trials, said, named=said)


def _said(a: Track, b: Track, total: Track) -> bool:
    """Whether labels say it: read and write of one thing, and what has neither word, or both."""
    mine, other, whole = (set(t.label.words) for t in (a, b, total))
    for side in _SIDES:
        if len(mine & side) == 1 and len(other & side) == 1 and mine & side != other & side:
            rest, theirs = mine - side - _LOOSE, other - side - _LOOSE
            bare = whole - side - {"sum", "overall"} - _LOOSE
            named = "sum" in whole or "overall" in whole or side <= whole
            return (
                rest == theirs
                and (bare == rest or (bare <= rest and named))
                and len(whole & side) != 1
            )
    return False


def _summed(a: Track, b: Track, total: Track) -> Iterator[Trial]:
    for claim, one, two in zip(total.slots, a.slots, b.slots, strict=True):
        if claim is None or one is None or two is None:
            continue
        if {one.kind, two.kind} != {claim.kind}:
            continue
        trial = tried(claim, (one, two), added, cut=False)
        if trial and one.value and two.value:
            yield trial


def _proven(trials: Sequence[Trial]) -> bool:
    """Whether numbers alone show it: too many digits agree to be chance."""
    failed = [t for t in trials if t.outcome == FAILS]
    return weight(trials) >= 2 * _LEAST_DIGITS and 3 * len(failed) <= len(trials) - len(failed)
