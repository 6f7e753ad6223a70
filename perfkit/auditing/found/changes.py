"""How much one differs from another: percent, factors, differences, and what they are of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import FACTOR, SHARE
from perfkit.auditing.found.relate import Check, Formula, Trial, check_of, tried, weight
from perfkit.auditing.found.sums import is_slip

if TYPE_CHECKING:
    from perfkit.auditing.found.sheets import Sheet, Slot, Track, View

FAMILY = "differences, percent and factors"
_LEAST, _TOLD = 2.0, 0.5
MOST_BASES = 12

_PERCENT: dict[str, Formula] = {
    "({b} \u2212 {a}) \u00f7 {a}": lambda a, b: (b - a) / a * 100,
    "{b} \u00f7 {a}, in percent": lambda a, b: b / a * 100,
    "({a} \u2212 {b}) \u00f7 {a}": lambda a, b: (a - b) / a * 100,
}
_FACTOR: dict[str, Formula] = {"{b} \u00f7 {a}": lambda a, b: b / a}
_LESS: dict[str, Formula] = {"{b} \u2212 {a}": lambda a, b: b - a}
_SIZE: dict[str, Formula] = {
    "|{b} \u2212 {a}| \u00f7 {a}": lambda a, b: abs(b - a) / a * 100,
    "|{b} \u2212 {a}| \u00f7 {b}": lambda a, b: abs(b - a) / b * 100,
}


@dataclass(frozen=True)
class _Reading:
    """One way to read a track of changes: of which, by which formula."""

    formula: Formula
    rule: str
    pairs: tuple[tuple[Slot | None, Slot | None], ...]
    prior: float
    name: str


def changes(sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Each track of changes, read as the numbers of its table bear out."""
    for sheet in sheets:
        for view in sheet.views:
            for at, track in enumerate(view.tracks):
                if _is_change(track, view):
                    yield from _read(view, at, track)


def _is_change(track: Track, view: View) -> bool:
    """Whether numbers can be changes: by their unit, their label, or as numbers in brackets."""
    if track.names or not track.count:
        return False
    if track.kind in {SHARE, FACTOR} or track.label.change:
        return True
    return bool(track.part) and not track.kind and not view.by_rows and _in_brackets(track, view)


def _in_brackets(track: Track, view: View) -> bool:
    """Whether numbers stand in brackets behind others: 1076 (1.9)."""
    texts = view.sheet.texts
    signs = [
        texts[s.row - 1][s.column - 1][: s.quantity.start].rstrip()[-1:] for s in track.slots if s
    ]
    return 2 * signs.count("(") > len(signs)


def _read(view: View, at: int, track: Track) -> Iterator[Check]:
    readings = list(_readings(view, at, track))
    best: tuple[float, _Reading, list[Trial]] | None = None
    for reading in readings:
        trials = list(_trials(track, reading))
        score = weight(trials) - (reading.prior or math.log10(len(readings)))
        if trials and (best is None or score > best[0] + 1e-9):
            best = score, reading, trials
    if best is None:
        return
    score, reading, trials = best
    held = [trial for trial in trials if trial.held]
    failed = [trial for trial in trials if not trial.held]
    sure = score >= _LEAST and len(held) > 1
    # what a label calls a change, of the only two there are, needs little more to be one
    told = bool(reading.prior) and track.label.change and len(held) >= len(failed)
    near = told and (score >= _TOLD or all(map(is_slip, failed)))
    if not sure and not near:
        return
    clear = (near or score >= 2 * _LEAST) and len(failed) <= len(held)
    if 2 * len(failed) > len(held) and not clear:
        failed = [t for t in failed if is_slip(t)] if len(failed) <= len(held) else []
    failed = [t for t in failed if not _read_otherwise(t, track)]
    for trial in [*held, *failed]:
        texts = {"a": trial.inputs[0].quantity.text, "b": trial.inputs[1].quantity.text}
        kind = "difference" if reading.formula in _LESS.values() else "percent_change"
        kind = "ratio" if reading.formula in _FACTOR.values() else kind
        yield check_of(view.sheet, trial, FAMILY, kind, reading.name, reading.rule.format(**texts))


def _read_otherwise(trial: Trial, track: Track) -> bool:
    """Whether another formula of the same two gives what is printed: slower by 9x, or by a ninth."""
    a, b = trial.inputs
    other = {**_PERCENT, **_SIZE} if track.kind == SHARE else _FACTOR
    ways = [tried(trial.claim, pair, f) for f in other.values() for pair in ((a, b), (b, a))]
    return trial.formula not in _LESS.values() and any(way and way.held for way in ways)


def _trials(track: Track, reading: _Reading) -> Iterator[Trial]:
    for claim, (a, b) in zip(track.slots, reading.pairs, strict=True):
        if claim is None or a is None or b is None or a is b or a.kind != b.kind:
            continue
        trial = tried(claim, (a, b), reading.formula)
        if trial and a.value and b.value:
            yield trial


def _readings(view: View, at: int, track: Track) -> Iterator[_Reading]:
    """All ways to read a track: of two tracks, or of one against a fixed place or track."""
    rules, values = _rules(track), _values(view, at, track)
    before = [id(t) for n, t in values if n < at][-2:]
    for a, b in permutations([t for _, t in values], 2):
        if a.kind == b.kind:
            near = len(before) == 2 and {id(a), id(b)} == set(before)  # noqa: PLR2004
            # "against plain", and the column right before it: of several changes each its own
            named = before[-1:] == [id(b)] and (a is values[0][1] or _names(track, a))
            prior = 0.5 if near or named else 0.0
            name = f"Change between {a.label.text} and {b.label.text}"
            pairs = tuple(zip(a.slots, b.slots, strict=True))
            yield from (
                _Reading(formula, rule, pairs, prior, name) for rule, formula in rules.items()
            )
    if not view.by_rows:
        yield from _against_bases(track, at, values, rules)


def _names(track: Track, value: Track) -> bool:
    """Whether the label of a change names what it is against."""
    return bool(value.label.words) and set(value.label.words) <= set(track.label.words)


def _against_bases(
    track: Track, at: int, values: list[tuple[int, Track]], rules: dict[str, Formula]
) -> Iterator[_Reading]:
    for n, value in values:
        for base in _bases(track, value):
            own = 0.5 if value.column == track.column or n == at - 1 else 0.0
            name = f"{value.label.text}, against its base"
            pairs = tuple(zip(base, value.slots, strict=True))
            for rule, formula in rules.items():
                yield _Reading(formula, rule, pairs, own, name)
                if formula in _FACTOR.values():
                    yield _Reading(formula, rule, tuple((b, a) for a, b in pairs), own, name)


def _values(view: View, at: int, track: Track) -> list[tuple[int, Track]]:
    """What a change can be of: the nearest tracks that are no changes themselves."""
    values = [
        (n, t) for n, t in enumerate(view.tracks)
        if t is not track and not t.names and t.count and t.kind != FACTOR and not t.label.change
        and not (t.label.numbering and not view.by_rows)
        and (t.kind != SHARE or track.kind != SHARE or n < at)
    ]  # fmt: skip
    return sorted(
        sorted(values, key=lambda item: abs(item[0] - at))[:MOST_BASES], key=lambda i: i[0]
    )


def _rules(track: Track) -> dict[str, Formula]:
    if track.kind == SHARE:
        return _PERCENT | (_SIZE if track.label.signless else {})
    if track.kind == FACTOR:
        return _FACTOR
    if not track.kind:
        return _FACTOR | (_PERCENT | _LESS if track.label.change else {})
    return _LESS


def _bases(track: Track, value: Track) -> Iterator[tuple[Slot | None, ...]]:
    """What each number may be held against: the first, the last, or the last that is 0% or 1x."""
    slots = value.slots
    known = [slot for slot in slots if slot]
    yield tuple(known[0] for _ in slots)
    if len(known) > 1:
        yield tuple(known[-1] for _ in slots)
    neutral = {SHARE: (0.0, 100.0)}.get(track.kind, (1.0,))
    marks = [
        n for n, slot in enumerate(slots)
        if slot and (track.slots[n] is None or track.slots[n].value in neutral)  # type: ignore[union-attr]
    ]  # fmt: skip
    if marks and len(marks) < len(known):
        last = [max((m for m in marks if m <= n), default=None) for n in range(len(slots))]
        yield tuple(None if m is None else slots[m] for m in last)
        following = [min((m for m in marks if m >= n), default=None) for n in range(len(slots))]
        yield tuple(None if m is None else slots[m] for m in following)
