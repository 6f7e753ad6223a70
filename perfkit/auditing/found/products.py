"""Products and quotients: IOPS by block size, size by time, and columns that go in proportion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.page import Page, Sheet, Track, View
from perfkit.auditing.found.quantities import OPS, RATE, SHARE, SIZE, TIME, Unit, head_unit
from perfkit.auditing.found.records import records
from perfkit.auditing.found.relate import Check, Formula, Trial, check_of, tried
from perfkit.auditing.found.words import MEAN, NUMBERING, label_of
from perfkit.auditing.relations.run import HOLDS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Slot

FAMILY = "products and quotients"
MOST_TRACKS = 14
_LEAST_ROWS, _MANY_ROWS = 3, 5
_LEAST_DIGITS, _LEAST_PRICED = 5.0, 4.0
_MOST_OF_FOUR = 6
_LOOSE, _FEW = 0.02, 8.5
_SURE = 1.3
_FINE = 0.005
_MEASURED, _NEAR, _PRECISE = 0.001, 0.1, 3.0
_LOAD, _MOST_LOAD = 0.05, 0.4
_REACH, _LEAST_CELLS = 4, 6
_MEASURES = word_set("io throughput speed rate latency iops mbps")
_SPEEDS = word_set("io throughput qps tps rps")
_LOADS = NUMBERING | {"batch"}
_POWERS: dict[str, tuple[int, int]] = {
    # of each kind: how often bytes and seconds are in it
    RATE: (1, -1), SIZE: (1, 0), TIME: (0, 1), OPS: (0, -1), "": (0, 0),
}  # fmt: skip


@dataclass(frozen=True)
class _Relation:
    """Tracks whose product, each to the power 1 or -1, is one constant in most rows."""

    tracks: tuple[Track, ...]
    signs: tuple[int, ...]
    rows: tuple[int, ...]
    held: tuple[int, ...]
    constant: float
    known: bool
    digits: float
    slack: float

    @property
    def whole(self) -> bool:
        """Whether it holds in every row."""
        return len(self.held) == len(self.rows)

    def within(self, tracks: Sequence[Track]) -> bool:
        """Whether its tracks are among these."""
        return {id(t) for t in self.tracks} <= {id(t) for t in tracks}


def products(page: Page) -> Iterator[Check]:
    """Each relation of proportion that a table shows, and the rows in which it fails."""
    for view in (*page.views, *records(page)):
        tracks = [t for t in view.tracks if _takes_part(t)]
        if 2 <= len(tracks) <= MOST_TRACKS:
            yield from related(view, tracks)
    yield from _across(page.sheets)


def _across(sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Neighbouring tables with the same rows and heads, of which the captions name the units."""
    units = [head_unit(sheet.title)[0] or head_unit(sheet.section)[0] for sheet in sheets]
    shapes = [(sheet.heads, tuple(row[0] for row in sheet.texts)) for sheet in sheets]
    for at, sheet in enumerate(sheets):
        for place in range(at + 1, min(at + 1 + _REACH, len(sheets))):
            other = sheets[place]
            if shapes[at] != shapes[place]:
                continue
            one, two = _joined(sheet, units[at], other), _joined(other, units[place], sheet)
            if {one.kind, two.kind} == {OPS, RATE} and len(one.known) >= _LEAST_CELLS:
                of = sheet if one.kind == RATE else other
                labels = tuple(name for name in of.names for _ in of.heads[1:])
                yield from related(View(of.name, (), (one, two), labels, by_rows=True), [one, two])


def _joined(sheet: Sheet, unit: Unit | None, other: Sheet) -> Track:
    """All numbers of a table one after the other, in the unit that its caption names."""
    slots: list[Slot | None] = []
    for row in range(len(sheet.texts)):
        for column in range(1, len(sheet.heads)):
            slot, beside = sheet.at(row, column), other.at(row, column)
            if slot and unit and slot.kind != unit.kind and slot.quantity.unit is None:
                slot = replace(slot, unit=unit)
            slots.append(slot if beside and slot and slot.value > 0 < beside.value else None)
    return Track(label_of(sheet.title or sheet.section), tuple(slots), 0)


def _takes_part(track: Track) -> bool:
    """Whether a track can be in a product: it varies, or is a time or size that is set for all rows."""
    values = [slot.value for slot in track.known]
    alike = len({s.kind for s in track.known}) == 1 and not track.label.change
    return (
        len(values) >= _LEAST_ROWS
        and min(values) > 0
        and alike
        and (_varies(track) or track.kind in {TIME, SIZE})
    )


def _varies(track: Track) -> bool:
    values = [slot.value for slot in track.known]
    return max(values) > 1.05 * min(values)


def related(view: View, tracks: list[Track]) -> Iterator[Check]:
    """The relations of proportion between tracks, each with where it holds and where it fails."""
    found: list[_Relation] = []
    for count in (2, 3, 4) if len(tracks) <= _MOST_OF_FOUR else (2, 3):
        for chosen in combinations(tracks, count):
            # a pair in proportion makes any third track look related
            if sum(map(_varies, chosen)) < 2 or any(r.whole and r.within(chosen) for r in found):
                continue
            tested = (r for s in _SIGNS[count] for r in _tested(chosen, s, len(tracks), view))
            best = max(tested, key=lambda r: r.digits, default=None)
            if best:
                found.append(best)
    for relation in found:
        # where a third track explains what fails of two, the three are the relation
        if not any(len(r.held) > len(relation.held) and relation.within(r.tracks) for r in found):
            yield from _checks(view, relation)


_SIGNS: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((1, -1), (1, 1)),
    3: ((1, 1, -1), (1, -1, 1), (-1, 1, 1), (1, 1, 1)),
    4: tuple((1, *signs) for signs in product((1, -1), repeat=3) if -1 in signs),
}


def _tested(
    tracks: tuple[Track, ...], signs: tuple[int, ...], many: int, view: View
) -> Iterator[_Relation]:
    expected = _expected(tracks, signs)
    # rows are alternatives, and none is divided by another, unless they are metrics
    metrics = not view.by_rows or _are_metrics(tracks, free=expected.free, told=expected.told)
    if not metrics or (expected.free and not _may_be_free(tracks)):
        return
    rows = _full_rows(tracks, view)
    slots = [[t.slots[n] for t in tracks] for n in rows]
    if len(rows) < _LEAST_ROWS or _by_itself(slots):
        return
    logs = [
        sum(s * math.log(x.value) for s, x in zip(signs, row, strict=True) if x) for row in slots
    ]
    halves = [max(sum(x.nominal / x.value for x in row if x), _MEASURED) for row in slots]
    if expected.free and sorted(halves)[len(halves) // 2] > _FINE:
        return  # a load goes in proportion by its nature: what proves a relation is its digits
    spread = min(_spread(t, rows) for t in tracks if _varies(t))
    price = math.log10(math.comb(many, len(tracks)) * len(signs) * max(len(expected.constants), 1))
    for slack in expected.slacks:
        center, held = _densest(logs, halves, slack)
        known = any(abs(center - x) <= max(_LOOSE, slack) for x in expected.constants)
        if not known and ((slack and not expected.closed) or not _may_be_free(tracks)):
            continue
        if not known and expected.free and _is_doubling(tracks, center):
            continue
        gains = sorted(_gain(halves[n] + slack, spread) for n in held)
        # a constant must be found first: one row is spent on it, unless the units tell it
        digits = sum(gains) - (0 if known else gains[-1]) - (0 if expected.told else price)
        failed, middle = len(rows) - len(held), gains[len(gains) // 2]
        distinct = len({tuple(x.value for x in slots[n] if x) for n in held})
        most = 3 if not known and middle < _PRECISE else 2
        few = 2 if expected.one_thing and digits >= _LEAST_DIGITS else _LEAST_ROWS
        enough = distinct >= (few if known else _MANY_ROWS) and (known or middle >= _SURE)
        if digits >= expected.least(slack, known=known) and enough and most * failed <= len(held):
            yield _Relation(
                tracks,
                signs,
                tuple(rows),
                tuple(rows[n] for n in held),
                center,
                known,
                digits,
                slack,
            )
            return


def _is_doubling(tracks: tuple[Track, ...], center: float) -> bool:
    """Whether one column is a few times another of its kind, as ratings of hardware are by choice."""
    times = math.exp(abs(center))
    return (
        len({t.kind for t in tracks}) == 1 and times < _FEW and abs(times - round(times)) < _LOOSE
    )


def _by_itself(slots: list[list[Slot | None]]) -> bool:
    """Whether two of three tracks are the same numbers: x by x checks nothing."""
    values = [[slot.value for slot in row if slot] for row in slots]
    pairs = combinations(range(len(values[0]) if len(values[0]) > 2 else 0), 2)
    return any(2 * sum(row[a] == row[b] for row in values) > len(values) for a, b in pairs)


def _full_rows(tracks: tuple[Track, ...], view: View) -> list[int]:
    """Where each track has a number, and the row is not a total or change of others."""
    return [
        n
        for n, place in enumerate(view.places)
        if all(t.slots[n] for t in tracks) and not (place.aggregate or place.change)
    ]


def _may_be_free(tracks: tuple[Track, ...]) -> bool:
    """Whether two tracks may go by a constant that nobody knows: settings do so by choice."""
    kinds = [t.kind for t in tracks]
    measured = any(t.kind in {RATE, OPS, TIME} or _MEASURES & set(t.label.words) for t in tracks)
    measured = measured or (all(map(_is_fine, tracks)) and not _are_alike(tracks))
    twice = max(kinds.count(TIME), kinds.count(SIZE), kinds.count(SHARE)) > 1
    return measured and len(tracks) == 2 and not twice


def _are_alike(tracks: tuple[Track, ...]) -> bool:
    """Whether columns print the same numbers: one beside itself, perhaps rounded."""
    pairs = [pair for pair in zip(*(t.slots for t in tracks), strict=True) if all(pair)]
    return 2 * sum(len({s.value for s in pair if s}) == 1 for pair in pairs) > len(pairs)


def _is_fine(track: Track) -> bool:
    """Whether many numbers have several digits: those are measured, not set."""
    fine = sum(slot.quantity.digits > 2 for slot in track.known)
    return fine >= _MANY_ROWS and 2 * fine > len(track.known)


def _are_metrics(tracks: tuple[Track, ...], *, free: bool, told: bool) -> bool:
    """Whether rows are what was measured: of several kinds, and in several tables if no unit tells."""
    tables = {slot.table for slot in tracks[0].known}
    fine = all(t.kind and _is_fine(t) for t in tracks)
    return len({t.kind for t in tracks}) > 1 and (told or (free and (fine or len(tables) > 1)))


def _gain(half: float, spread: float) -> float:
    """How many digits one more row says: the wider the numbers vary, the less it is chance."""
    return max(0.0, -math.log10(min(1.0, 2 * max(half, 1e-6) / spread)))


def _spread(track: Track, rows: list[int]) -> float:
    values = [math.log(s.value) for n in rows if (s := track.slots[n])]
    return max(max(values) - min(values), 1e-9)


def _densest(logs: list[float], halves: list[float], slack: float) -> tuple[float, list[int]]:
    """The constant that most rows allow, and those rows."""
    best: tuple[int, float, list[int]] = (0, 0.0, [])
    for at, log in enumerate(logs):
        for center in (log - halves[at] * 0.5, log, log + halves[at] * 0.5):
            held = [n for n, x in enumerate(logs) if abs(x - center) <= halves[n] + slack + 1e-9]
            if len(held) > best[0]:
                best = (len(held), center, held)
    if best[2]:
        weights = [1 / max(halves[n], 1e-6) for n in best[2]]
        center = sum(w * logs[n] for w, n in zip(weights, best[2], strict=True)) / sum(weights)
        held = [n for n, x in enumerate(logs) if abs(x - center) <= halves[n] + slack + 1e-9]
        if len(held) >= best[0]:
            return center, held
    return best[1], best[2]


@dataclass(frozen=True)
class _Expected:
    """Constants (as logarithms) that a product may have, and who says so.

    ``told``: the units do. ``priced``: the numbers alone do, and all that was tried counts.
    ``closed``: so many wait at any time, and nobody says how many. ``one_thing``: it is one quantity
    in two units.
    """

    constants: tuple[float, ...] = ()
    told: bool = False
    slacks: tuple[float, ...] = (0.0,)
    closed: bool = False
    one_thing: bool = False

    @property
    def free(self) -> bool:
        """Whether it may be any."""
        return not self.constants

    @property
    def priced(self) -> bool:
        """Whether only its digits speak for it."""
        return bool(self.constants) and not self.told

    def least(self, slack: float, *, known: bool) -> float:
        """How many digits it needs."""
        if not known:
            return _LEAST_DIGITS
        return _LEAST_PRICED if self.priced else 2.0 if slack else 1.5


_MIXED = tuple(n * math.log(1.024) for n in range(-4, 5))
_TURNS = (0.0, *(sign * math.log(n) for n in (60, 1000, 3600, 10**6) for sign in (1, -1)))


def _expected(tracks: tuple[Track, ...], signs: tuple[int, ...]) -> _Expected:
    """The constants that units allow: 1, and mixtures of 1000 and 1024; of bare numbers 1."""
    kinds = {t.kind for t in tracks}
    powers = [_POWERS[t.kind] for t in tracks if t.kind in _POWERS]
    if len(powers) < len(tracks) or (len(kinds) == 1 and "" not in kinds and len(tracks) > 2):
        return _Expected()
    balanced = all(
        not sum(s * p[axis] for s, p in zip(signs, powers, strict=True)) for axis in (0, 1)
    )
    if len(tracks) == 2:
        return _of_two(tracks, signs, balanced=balanced)
    waiting = _waiting(tracks, signs)
    if waiting is not None:
        return _Expected(tuple(waiting), told=True, slacks=(_LOAD,))
    if "" not in kinds or (balanced and _counts_sizes(tracks)):
        told = balanced and ("" in kinds or len({t.unit for t in tracks}) == len(tracks))
        return _Expected(_MIXED if told else (), told=told, slacks=(0.0, _LOOSE))
    # what is not a unit of ours may be any: "Gflops", "W" and "Gflops/W"; but of the least, the mean and
    # the most of something each has its own
    if any(t.label.rank for t in tracks):
        return _Expected()
    return _Expected((0.0,) if balanced or len(tracks) == 3 else _TURNS)


def _of_two(tracks: tuple[Track, ...], signs: tuple[int, ...], *, balanced: bool) -> _Expected:
    kinds = {t.kind for t in tracks}
    if kinds == {OPS, RATE} and signs == (1, -1):
        return _Expected(tuple(_sizes(tracks)), told=True, slacks=(0.0, _LOOSE))
    if kinds == {OPS, TIME} and balanced:
        return _Expected((0.0,), told=True, slacks=(_LOAD,), closed=_waits(tracks))
    if (
        kinds == {"", TIME}
        and signs == (1, 1)
        and any(_SPEEDS & set(t.label.words) for t in tracks)
    ):
        return _Expected((0.0,), slacks=(_LOAD,))
    if balanced and "" not in kinds and len({t.unit for t in tracks}) > 1:
        return _Expected(_MIXED, told=True, slacks=(0.0, _LOOSE), one_thing=len(kinds) == 1)
    return _Expected()


def _sizes(tracks: tuple[Track, ...]) -> list[float]:
    """What a rate can be of a rate of operations: the size of a request, a power of two."""
    one, two = (set(t.label.words) - _MEASURES - {"average", "sum"} for t in tracks)
    if one and two and one != two:
        return []
    sign = 1 if tracks[0].kind == RATE else -1
    return [
        sign * (math.log(2**n) + m * math.log(1.024)) for n in range(9, 25) for m in (-2, -1, 0)
    ]


def _waiting(tracks: tuple[Track, ...], signs: tuple[int, ...]) -> list[float] | None:
    """Rate by latency is how many wait: so many times the depth or clients of the row."""
    by_kind = {t.kind: s for t, s in zip(tracks, signs, strict=True)}
    loads = [t for t in tracks if not t.kind and set(t.label.words) & _LOADS]
    if len(tracks) != 3 or set(by_kind) != {OPS, TIME, ""} or not loads:
        return None
    sign = by_kind[OPS]
    if sign != by_kind[TIME] or by_kind[""] == sign or not _waits(tracks):
        return []
    return [sign * math.log(n) for n in range(1, 17)]


def _waits(tracks: tuple[Track, ...]) -> bool:
    """Whether a time among tracks is a latency, and a mean one."""
    return all(t.label.rank is None or t.label.rank[0] == MEAN for t in tracks if t.kind == TIME)


def _counts_sizes(tracks: tuple[Track, ...]) -> bool:
    """Whether tracks are a count, a size and their product: 4 buffers of 256 MiB are 1 GiB."""
    bare = [t for t in tracks if not t.kind]
    whole = all(s.exact.denominator == 1 for t in bare for s in t.slots if s)
    return [t.kind for t in tracks].count(SIZE) == 2 and len(bare) == 1 and whole


def _checks(view: View, relation: _Relation) -> Iterator[Check]:
    """The rows of a relation: the claim is the track that the others make, or the last."""
    at = _claimed(relation)
    track = relation.tracks[at]
    others = [n for n in range(len(relation.tracks)) if n != at]
    powers = [-relation.signs[n] * relation.signs[at] for n in others]
    constant = math.exp(relation.constant * relation.signs[at])

    def formula(*values: Any) -> Any:
        result = values[0] ** powers[0]
        for value, power in zip(values[1:], powers[1:], strict=True):
            result *= value**power
        return float(result) * constant

    near = [n for n in relation.rows if n not in relation.held and _off(relation, n) < _NEAR]
    # means of one run may differ by some percent: one that does is told, several are how it is
    least = 3 * relation.slack + 0.01 if len(near) < 2 else 2 * _NEAR
    least = _MOST_LOAD if relation.slack == _LOAD else least
    tables = {slot.table for n in relation.held if (slot := track.slots[n])}
    for n in relation.rows:
        inputs = [s for m in others if (s := relation.tracks[m].slots[n])]
        claim = track.slots[n]
        assert claim is not None  # noqa: S101 - rows are those with all numbers
        if n in relation.held:
            yield _check(relation, at, _kept(claim, inputs, formula), others)
            continue
        if (
            claim.table not in tables
            and len(relation.rows) > len(relation.held) + 1
            and not view.by_rows
        ):
            continue  # another table of this shape, in which nothing holds, means something else
        trial = tried(claim, inputs, formula, least, nominal=True)
        other = _other_units(relation, n)
        if (
            trial
            and not trial.held
            and not (_explained(view, relation, n) or _is_at_another_depth(relation, n))
            and not (
                other and tried(claim, inputs, formula, 0.052, nominal=True).held  # type: ignore[union-attr]
            )
        ):
            yield _check(relation, at, trial, others)


def _off(relation: _Relation, row: int) -> float:
    """How far a row is from the constant, as a share."""
    slots = [t.slots[row] for t in relation.tracks]
    log = sum(g * math.log(s.value) for g, s in zip(relation.signs, slots, strict=True) if s)
    return abs(log - relation.constant)


def _is_at_another_depth(relation: _Relation, row: int) -> bool:
    """Whether 2, 4, 8 ... waited in a row, by its rate and latency, where one does in the others."""
    waited = _off(replace(relation, constant=0.0), row) / math.log(2)
    one = relation.known and relation.slack == _LOAD and len(relation.tracks) == 2
    return one and abs(waited - (round(waited) or 1)) <= _LOOSE / math.log(2)


def _other_units(relation: _Relation, row: int) -> bool:
    """Whether units stand in a row that no row has in which the relation holds: KB may be 1024."""
    return any(
        (s := t.slots[row])
        and s.unit
        and s.unit.name not in {x.unit.name for n in relation.held if (x := t.slots[n]) and x.unit}
        for t in relation.tracks
    )


def _explained(view: View, relation: _Relation, row: int) -> bool:
    """Whether a row differs in what all rows share in which the relation holds: another set-up."""
    if view.by_rows:
        return False
    texts = view.texts
    for column in range(len(texts[0])):
        if column + 1 in {t.column for t in relation.tracks}:
            continue
        shared = {texts[n][column] for n in relation.held}
        # a constant that nobody knows may be of what few rows have
        few = 1 if relation.known else 2
        if len(shared) <= few and texts[row][column] not in shared:
            return True
    return False


def _kept(claim: Slot, inputs: list[Slot], formula: Formula) -> Trial:
    value = formula(*(s.value for s in inputs))
    outcome = HOLDS if abs(value - claim.value) <= claim.half else ROUNDING
    return Trial(claim, tuple(inputs), formula, outcome, 0.0)


def _claimed(relation: _Relation) -> int:
    order = {RATE: 3, OPS: 2, SIZE: 0, TIME: 1}
    ranks = [(order.get(t.kind, 1), t.column, t.part) for t in relation.tracks]
    return ranks.index(max(ranks))


def _check(relation: _Relation, at: int, trial: Trial, others: list[int]) -> Check:
    over = [relation.signs[n] == relation.signs[at] for n in others]
    parts = _written([relation.tracks[n].label.text for n in others], over)
    constant = "" if abs(relation.constant) <= max(_LOOSE, relation.slack) else "k \u00d7 "
    name = f"{relation.tracks[at].label.text} = {constant}{parts}"
    rule = f"{_written([s.text for s in trial.inputs], over)}, as in other places"
    sure = relation.known and relation.slack < _LOAD
    return check_of(trial, FAMILY, "product", name, rule, doubt=not sure)


def _written(parts: Sequence[str], over: Sequence[bool]) -> str:
    """A product in print: what multiplies first, then what divides."""
    above = " \u00d7 ".join(part for part, below in zip(parts, over, strict=True) if not below)
    below = "".join(f" \u00f7 {part}" for part, under in zip(parts, over, strict=True) if under)
    return f"{above or 1}{below}"
