"""Parts and totals, averages and the like: rows and columns that are made of others."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from statistics import median
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
from perfkit.auditing.quantities import FACTOR, OPS, SHARE, TIME, quantities
from perfkit.auditing.relations.run import HOLDS

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page
    from perfkit.auditing.found.slots import Slot, Track, View

FAMILY = "parts and totals"
MOST_TRACKS, _SHOWN = 14, 7
_NEAR, _NEAR_IN_DOUBT, _REST = 0.5, 0.3, 0.1
_MOST_BESIDE, _LEAST_DIGITS, _SEEN, _FEW_PARTS = 6, 2.0, 0.05, 3
_TOLD_DIGITS, _PROVEN_DIGITS, _SURE_DIGITS, _SHOWN_DIGITS, _LONG = 5.0, 8.0, 10.0, 4.0, 4
_PARTED = ({"used", "free"}, {"hit", "miss"}, {"passed", "failed"})
"""Sides that make up a whole of any name."""
_SIDES = ({"read", "write"}, {"user", "system"}, *_PARTED)
_LOOSE = frozenset({"io", "time", "average"})
_WHOLE = frozenset({"sum", "overall", "size", "capacity"})


def _deviation(less: int) -> Formula:
    def formula(*values: Any) -> Any:
        mean = sum(values) / len(values)
        return math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - less))

    return formula


def _geomean(*values: Any) -> Any:
    return math.exp(sum(map(math.log, values)) / len(values))


_RULES: dict[str, tuple[str, tuple[Formula, ...]]] = {
    "sum": ("Sum", (added,)),
    "mean": ("Average", (lambda *v: added(*v) / len(v), _geomean)),
    "geomean": ("Geometric mean", (_geomean,)),
    "std": ("Standard deviation", (_deviation(1), _deviation(0))),
    "min": ("Minimum", (lambda *v: min(v),)),
    "max": ("Maximum", (lambda *v: max(v),)),
    "median": ("Median", (lambda *v: median(v),)),
    "range": ("Range", (lambda *v: max(v) - min(v),)),
}


@dataclass(frozen=True)
class _Found:
    """The trials of one relation of a table, under a key that other tables may share.

    ``said``: its labels name it. ``doubted``: only what holds in the same table shows that it is
    meant, as a total of times may be their mean. ``whole``: a single place is enough.
    """

    key: object
    kind: str
    name: str
    trials: tuple[Trial, ...]
    said: bool
    whole: bool = False
    doubted: bool = False

    def trusted(self, pooled: Sequence[Trial]) -> Iterator[Trial]:
        """What holds, and what fails of a relation that the document shows to be its own."""
        # zeros are the total, the least and the mean of zeros: they hold, and show nothing
        held = [trial for trial in self.trials if trial.held and self._shows(trial)]
        failed = [trial for trial in self.trials if not trial.held]
        if self.kind == "sum" and (_has_rest(failed) or _leaves_one_out(failed)):
            failed = []
        if not self.said:
            enough = len(held) >= 3 or weight(held) >= _SURE_DIGITS
            few = (enough and 2 * len(failed) <= len(held)) or (
                held and all(map(_slip_digits, failed))
            )
            yield from (*held, *(t for t in failed if not _is_each(t))) if few else ()
            return
        yield from held
        if len(failed) > max(len(held), 1):
            return  # what fails more often than it holds is not what is meant here
        own = any(trial.held and self._shows(trial) for trial in pooled)
        alone = len(self.trials) == 1 and self.whole
        # several sums of a table that hold show that times are added in it, not averaged
        shown = len(held) > max(1, len(failed))
        for trial in (trial for trial in failed if not _is_each(trial)):
            near = off_by(trial) <= (_NEAR_IN_DOUBT if self.doubted else _NEAR)
            slip = len(trial.inputs) > 1 and is_slip(trial)
            slip = slip or (self.doubted and _has_slip(trial))
            if slip or shown or (near and alone) or (own and (near or not self.doubted)):
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


def _has_rest(failed: Sequence[Trial]) -> bool:
    """Whether all that fail are a little more than their parts: one more part is not printed."""
    over = [t.claim.value - sum(slot.value for slot in t.inputs) for t in failed]
    little = all(0 < rest <= _REST * t.claim.value for rest, t in zip(over, failed, strict=True))
    return len(failed) > 1 and little


def _leaves_one_out(failed: Sequence[Trial]) -> bool:
    """Whether one part less makes every total that fails: it is no part of them."""
    places = range(min((len(t.inputs) for t in failed), default=0))
    return any(
        all(_holds_without(trial, n) for trial in failed) for n in (*places, -1) if len(places) > 2
    )


def _is_each(trial: Trial) -> bool:
    """Whether a total is what each part is: of prices and shares of 100% there is no sum."""
    return {slot.value for slot in trial.inputs} == {trial.claim.value}


def _holds_without(trial: Trial, place: int) -> bool:
    inputs = [slot for n, slot in enumerate(trial.inputs) if n != place % len(trial.inputs)]
    less = tried(trial.claim, inputs, added, cut=False)
    return bool(less and less.held)


def _has_slip(trial: Trial) -> bool:
    """Whether a slip of the pen in one of few parts explains a sum that fails."""
    parts = trial.inputs if len(trial.inputs) <= MOST_TRACKS else ()
    for n, part in enumerate(parts):
        rest = (trial.claim, *parts[:n], *parts[n + 1 :])
        less = replace(trial, claim=part, inputs=rest, formula=lambda all_, *v: all_ - added(*v))
        if is_slip(less):
            return True
    return False


def totals(page: Page) -> Iterator[Check]:
    """Relations that add up or average, of all tables: one that holds elsewhere is known here."""
    found: list[_Found] = []
    for view in (view for sheet in page.tables for view in sheet.views):
        found += _aggregates(view)
        if not view.by_rows or len(view.tracks) <= MOST_TRACKS:
            found += _pairs(view)
    pooled: dict[object, list[Trial]] = defaultdict(list)
    for item in found:
        pooled[item.key] += item.trials
    for item in found:
        yield from map(item.check, item.trusted(pooled[item.key]))


def _aggregates(view: View) -> Iterator[_Found]:
    """Sum, average, standard deviation, minimum ... of what stands before it, or below."""
    for at, track in enumerate(view.tracks):
        last = view.by_rows and track is view.tracks[-1] and track.label.total_of
        kind = track.label.aggregate or ("sum" if last else None)
        if kind is None or track.names or track.part or (not view.by_rows and at == 0):
            continue
        # the least and the most of a distribution are of what it is of
        if kind in {"min", "max"} and any(
            t.label.rank and 0 < t.label.rank[0] < 100 for t in view.tracks
        ):
            continue
        name, rules = _RULES[kind]
        tested = [
            (operands, tuple(_along(view, track, operands, rule, kind)))
            for operands in _operands(view, at)
            for rule in rules
        ]
        best = max((t for t in tested if t[1]), key=lambda item: weight(item[1]), default=None)
        if best is None:
            continue
        operands, trials = best
        # beside one another "Run 1, Run 2, Run 3" are a sample by their names, others by numbers
        masked = {re.sub(r"\d+", "#", t.label.text.lower()) for t in operands}
        said = view.by_rows or kind == "sum" or len(masked) == 1
        numbers = [n for n, t in enumerate(view.tracks) if any(t is o for o in operands)]
        money = {s.key for n, s in enumerate(track.slots) if s and _is_money(n, (track, *operands))}
        doubted = {s.key for n, s in enumerate(track.slots) if s and _in_doubt(view, n, track, s)}
        for doubt in (False, True):
            own = tuple(t for t in trials if (kind == "sum" and t.claim.key in doubted) is doubt)
            # a sum that holds shows which rows an average below it is of
            key = (view.name, view.by_rows, *numbers, doubt)
            whole = kind == "sum" and all(t.claim.value == 100 or t.claim.key in money for t in own)
            yield _Found(key, kind, f"{name} of {len(numbers)} values", own, said, whole, doubt)


_MONEY = re.compile(r"[$\u20ac\u00a3\u00a5\u20bd]")


def _is_money(n: int, tracks: Sequence[Track]) -> bool:
    """Whether a total and three parts at least are printed as amounts of one money, which adds up."""
    found = [_MONEY.search(track.cells[n]) for track in tracks if track.slots[n]]
    signs = {sign[0] if sign else "" for sign in found}
    return len(found) > _FEW_PARTS and len(signs) == 1 and all(signs)


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
    totals = [n for n in range(at) if view.tracks[n].label.aggregate == "sum"]
    # a grand total below a total is of several tables
    grand = "grand" in view.tracks[at].label.words
    several = grand and any("sum" in view.tracks[n].label.words for n in range(at))
    options = [totals] if several else [*options, totals]
    # "overhead" names a part as well as a change
    if view.by_rows and view.tracks[at].label.said_sum and not several:
        options.append([n for n in range(stop + 1, at) if not view.tracks[n].names])
    partial = [n for n in before[:-1] if n > stop]
    if len(partial) > 1 and _is_mean(view, partial, before[-1]):
        options = [before[:-1]]  # the row right above is an average itself, and none of the values
    for option in dict.fromkeys(map(tuple, options)):
        if len(option) > 1:
            yield [view.tracks[n] for n in option]


def _is_mean(view: View, parts: Sequence[int], place: int) -> bool:
    """Whether a track is the average of others wherever it has a number."""
    track, used = view.tracks[place], [view.tracks[n] for n in parts]
    _, (mean, _) = _RULES["mean"]
    trials = list(_along(view, track, used, mean, "mean"))
    return weight(trials) >= _TOLD_DIGITS and all(trial.held for trial in trials)


def _chain(view: View, place: int, end: int) -> bool:
    """Whether no aggregate stands at a place, or only aggregates between it and the end."""
    labels = [track.label for track in view.tracks[place:end]]
    return labels[0].aggregate is None or all(x.aggregate or x.change for x in labels)


def _is_part(track: Track, view: View) -> bool:
    label = track.label
    # a row without a number is the heading of a group
    if track.names or label.aggregate or label.change or label.rank or not track.known:
        return False
    return view.by_rows or bool(track.kind) or not label.numbering


def _along(
    view: View, track: Track, operands: list[Track], rule: Formula, kind: str
) -> Iterator[Trial]:
    for n, claim in enumerate(track.slots):
        if claim is None or not _adds(view, n, claim, kind):
            continue
        if kind != "sum" and claim.kind in {SHARE, TIME} and _is_of_its_row(view, claim):
            continue
        inputs = [t.slots[n] for t in operands]
        used = [slot for slot in inputs if slot is not None]
        if len(used) < len(inputs) and _is_unread(n, operands):
            continue
        if _several(n, operands, track):
            continue
        # a row without a value is none of the sample, but words where a number belongs end it
        whole = len(used) >= max(2, len(inputs) - 1) and {s.kind for s in used} == {claim.kind}
        trial = tried(claim, used, rule, cut=kind != "sum") if whole else None
        # shares that are far from a whole are rates, and a total of them is their mean
        rates = kind == "sum" and claim.kind == SHARE
        if trial and not (rates and off_by(trial) > _NEAR):
            yield trial


def _is_unread(n: int, operands: Sequence[Track]) -> bool:
    """Whether a cell that gave no number prints one: a sum of the others is none of all."""
    return any(t.slots[n] is None and re.search(r"\d", t.cells[n]) for t in operands)


def _several(n: int, operands: Sequence[Track], track: Track) -> bool:
    """Whether cells hold several numbers of a kind, and their total one: "100 PUT, 50 GET"."""
    kinds = [[q.kind for q in quantities(t.cells[n])] for t in (track, *operands)]
    mine, *others = (own.count(kinds[0][0]) if kinds[0] else 0 for own in kinds)
    return any(count > mine for count in others)


def _is_of_its_row(view: View, claim: Slot) -> bool:
    """Whether a number follows from its own row, as those above it: a share, or a time of a rate."""
    if claim.kind == TIME:
        row = [s for track in view.tracks for s in track.known if s.row == claim.row]
        turned = (tried(claim, (s,), lambda a: 1 / a) for s in row if s.kind == OPS and s.value)
        return any(trial and trial.held for trial in turned)
    beside = [
        slot
        for track in view.tracks
        for slot in track.known
        if slot.row == claim.row and slot.kind != SHARE and slot.value
    ]
    trials = (
        tried(claim, pair, lambda a, b: a / b * 100)
        for pair in permutations(beside[:_MOST_BESIDE], 2)
    )
    return any(
        trial and trial.outcome == HOLDS and trial.digits >= _LEAST_DIGITS for trial in trials
    )


def _adds(view: View, n: int, claim: Slot, kind: str) -> bool:
    """Whether a statistic of a column can be meant: latencies and numbers of runs are not added."""
    if view.by_rows and view.places[n].numbering and kind in {"sum", "mean", "geomean", "std"}:
        return False
    if kind == "sum" and claim.kind == FACTOR:
        return False  # the total's speed-up is of the totals, and no sum of speed-ups
    # shares are added only to make the whole
    return kind != "sum" or claim.kind != SHARE or abs(claim.value - 100) <= 1


def _in_doubt(view: View, n: int, track: Track, claim: Slot) -> bool:
    """Whether a total may be no sum: of latencies and run times it is often a mean."""
    label = view.places[n] if view.by_rows else track.label
    return claim.kind == TIME or not label.added or not track.label.said_sum


def _pairs(view: View) -> Iterator[_Found]:
    """Two tracks that a third one is the sum of: by their names, or by the numbers alone."""
    tracks = [t for t in view.tracks if t.known and _is_part(t, view)]
    if len(tracks) > MOST_TRACKS:
        return
    named: set[int] = set()
    sums = [t for t in view.tracks if t.known and not t.names and t.label.aggregate == "sum"]
    for total in [*tracks, *sums]:
        for a, b in combinations([t for t in tracks if t is not total], 2):
            sides = _sides(a, b, total)
            alike = {a.kind, b.kind} == {total.kind} and total.kind != SHARE
            # a row stands right below the two it is the sum of, and ends its table
            last = [id(t) for t in view.tracks[-3:]] == [id(a), id(b), id(total)]
            alike = alike and (last or not view.by_rows)
            trials = tuple(_summed(a, b, total)) if sides or alike else ()
            told = total.label.said_sum
            if not sides and (id(total) in named or not _proven(trials, told=told)):
                continue
            if not trials or _is_of_more(view, (a, b, total), trials):
                continue
            if sides:
                named.add(id(total))
            name = f"{a.label.text} + {b.label.text} = {total.label.text}"
            key = sides or (view.name, name)
            yield _Found(key, "sum", name, trials, bool(sides) or told, whole=bool(sides))


def _is_of_more(view: View, own: tuple[Track, ...], trials: Sequence[Trial]) -> bool:
    """Whether a third part explains most places in which two parts are not their total.

    Where it is 0 the two add up as well: a sum is shown only by places that have all its parts.
    """
    *parts, total = own
    failed = {trial.claim.key for trial in trials if not trial.held}
    places = [(n, slot) for n, slot in enumerate(total.slots) if slot and slot.key in failed]
    for third in (t for t in view.tracks if t not in own and _is_part(t, view)):
        wholes = [(claim, [t.slots[n] for t in (*parts, third)]) for n, claim in places]
        if 2 * sum(_adds_up(*whole) for whole in wholes) > len(places):
            return True
    return False


def _adds_up(claim: Slot, parts: Sequence[Slot | None]) -> bool:
    used = [slot for slot in parts if slot and slot.kind == claim.kind]
    trial = tried(claim, used, added, cut=False) if len(used) == len(parts) else None
    return bool(trial and trial.held)


def _sides(a: Track, b: Track, total: Track) -> frozenset[str]:
    """Read and write of one thing, where the third label has neither word, or both; else empty."""
    mine, other, whole = (set(t.label.words) for t in (a, b, total))
    for side in _SIDES:
        if len(mine & side) == 1 and len(other & side) == 1 and mine & side != other & side:
            rest, theirs = mine - side - _LOOSE, other - side - _LOOSE
            bare = whole - side - {"sum", "overall"} - _LOOSE
            named = "sum" in whole or "overall" in whole or side <= whole
            named = named or (side in _PARTED and bool(whole))
            bare = set() if side in _PARTED else bare
            fits = bare == rest or (bare <= rest and named)
            # "memory used" and "memory free" make up no "root filesystem"
            fits = fits and (side not in _PARTED or not rest or bool(whole & (rest | _WHOLE)))
            return frozenset(side if rest == theirs and fits and len(whole & side) != 1 else ())
    return frozenset()


def _summed(a: Track, b: Track, total: Track) -> Iterator[Trial]:
    for claim, one, two in zip(total.slots, a.slots, b.slots, strict=True):
        # two shares have a mean, and no sum
        if claim and one and two and one.value and two.value and claim.kind != SHARE:
            trial = tried(claim, (one, two), added, cut=False)
            if trial and {one.kind, two.kind} == {claim.kind}:
                yield trial


def _proven(trials: Sequence[Trial], *, told: bool) -> bool:
    """Whether numbers show it: too many digits agree to be chance, and not of x + x = 2x.

    ``told``: its label says a total, and fewer digits do.
    """
    # a part within the rounding of its total shows no digit of it
    trials = [
        replace(trial, digits=_digits_of_the_smaller(trial))
        for trial in trials
        if len({slot.value for slot in trial.inputs}) > 1
    ]
    digits = weight(trials)
    if digits < _SHOWN_DIGITS:
        return False
    slips = [own for t in trials if not t.held and (own := _slip_digits(t))]
    failed = sum(not t.held for t in trials) - len(slips)
    digits += sum(slips)
    most = len(trials) if told or digits >= _SURE_DIGITS else len(trials) - failed
    least = _TOLD_DIGITS if told else _PROVEN_DIGITS - bool(slips)
    return digits >= least and 3 * failed <= most


def _slip_digits(trial: Trial) -> float:
    """How many digits speak for a slip of the pen: of a long number chance hardly makes one."""
    digits = trial.claim.quantity.digits
    return digits - math.log10(10 * digits) if digits >= _LONG and is_slip(trial) else 0.0


def _digits_of_the_smaller(trial: Trial) -> float:
    width = 2 * sum(slot.half for slot in (trial.claim, *trial.inputs))
    smaller = min(abs(slot.value) for slot in trial.inputs)
    return min(max(math.log10(smaller / width), 0.0), MOST_DIGITS) if width else MOST_DIGITS
