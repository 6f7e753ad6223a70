"""Products and quotients: IOPS by block size, size by time, and columns that go in proportion."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.relate import Check, Trial, check_of, tried
from perfkit.auditing.found.slots import Track, View
from perfkit.auditing.found.words import MEAN, label_of
from perfkit.auditing.quantities import OPS, RATE, SIZE, TIME, quantities, unit_of
from perfkit.auditing.relations.run import HOLDS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page
    from perfkit.auditing.found.slots import Slot

FAMILY = "products and quotients"
MOST_TRACKS, _MOST_OF_FOUR, _FIRST_ROWS = 24, 6, 4
_LEAST_ROWS, _MANY_ROWS, _MANY_HELD = 3, 5, 8
_LEAST_PRICED, _LEAST_TOLD, _LEAST_LOOSE, _LEAST_ALIKE = 4.0, 1.5, 2.0, 2.5
_LONG, _EXACT, _LEAST_FREE, _MOST_FAIL, _MOST_ROWS = 3, 5, 10.0, 8, 200
_LOOSE, _INVERSE = 0.02, 0.15
_MEASURED, _NEAR, _ABOUT, _STEPS = 0.001, 0.1, 0.06, 0.055
_MEASURES = word_set("io throughput speed rate latency iops mbps")
_COUNTED = word_set("io request query transaction message event operation op record row")
_SPEEDS = word_set("io throughput qps tps rps")
_POWERS: dict[str, tuple[int, int]] = {
    # of each kind: how often bytes and seconds are in it
    RATE: (1, -1), SIZE: (1, 0), TIME: (0, 1), OPS: (0, -1), "": (0, 0),
}  # fmt: skip
_SIGNS: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((1, -1), (1, 1)),
    3: ((1, 1, -1), (1, -1, 1), (-1, 1, 1), (1, 1, 1)),
    4: tuple((1, *signs) for signs in product((1, -1), repeat=3) if -1 in signs),
}
_MIXED = tuple(n * math.log(1.024) for n in range(-4, 5))
_TURNS = (0.0, *(sign * math.log(n) for n in (60, 1000, 3600, 10**6) for sign in (1, -1)))
_BITS = re.compile(r"[kKMGT]i?b(?!y)")
_REQUESTS = tuple(math.log(2**n) + m * math.log(1.024) for n in range(9, 25) for m in (-2, -1, 0))
_WHOLES: dict[frozenset[str], tuple[int, int]] = {
    # what two columns share though no cell prints it: the bytes, the operations, the seconds of a run
    frozenset({TIME, RATE}): (1, 1), frozenset({TIME, OPS}): (1, 1),
    frozenset({"", OPS}): (1, -1),
}  # fmt: skip


@dataclass(frozen=True)
class _Expected:
    """Constants (as logarithms) that a product may have, else any; ``told``: the units say so."""

    constants: tuple[float, ...] = ()
    told: bool = False
    slacks: tuple[float, ...] = (0.0,)


@dataclass(frozen=True)
class _Relation:
    """Tracks whose product, each to the power 1 or -1, is one constant in most rows.

    ``free``: no unit tells the constant, and what is near it was perhaps measured apart.
    """

    tracks: tuple[Track, ...]
    signs: tuple[int, ...]
    rows: tuple[int, ...]
    held: tuple[int, ...]
    constant: float
    digits: float
    slack: float
    free: bool = False

    @property
    def exact(self) -> bool:
        """Whether long numbers agree: of counts of a run, which were measured, few digits do."""
        held = [[s for t in self.tracks if (s := t.slots[n])] for n in self.held]
        return all(min(slot.quantity.digits for slot in row) >= _EXACT for row in held)

    def within(self, tracks: Sequence[Track]) -> bool:
        """Whether its tracks are among these."""
        return {id(t) for t in self.tracks} <= {id(t) for t in tracks}

    def off(self, row: int) -> float:
        """How far a row is from the constant, as a logarithm."""
        slots = [t.slots[row] for t in self.tracks]
        logs = [g * math.log(s.value) for g, s in zip(self.signs, slots, strict=True) if s]
        return abs(sum(logs) - self.constant)


def products(page: Page) -> Iterator[Check]:
    """Each relation of proportion that a table shows, and the rows in which it fails."""
    for view in page.views:
        tracks = [t for t in view.tracks if _takes_part(t)]
        if 2 <= len(tracks) <= MOST_TRACKS:
            yield from _related(view, tracks)
    yield from _across(page)


def _across(page: Page) -> Iterator[Check]:
    """Neighbouring tables of one shape, of which one has operations and one bytes."""
    for one, two in page.of_one_shape:
        pair = [one.joined, two.joined]
        if {t.kind for t in pair} == {OPS, RATE} and min(len(t.known) for t in pair) >= _MANY_ROWS:
            labels = tuple(name for name in one.names for _ in one.heads[1:])
            yield from _related(View(one.name, (), tuple(pair), labels, by_rows=True), pair)


def _takes_part(track: Track) -> bool:
    """Whether a track can be in a product: it varies, or is a time or size that is set for all rows."""
    values = [slot.value for slot in track.known]
    alike = len({s.kind for s in track.known}) == 1 and not track.label.change
    enough = len(values) >= _LEAST_ROWS and min(values) > 0 and alike
    return enough and (_varies(track) or track.kind in {TIME, SIZE})


def _varies(track: Track) -> bool:
    values = [slot.value for slot in track.known]
    return max(values) > 1.05 * min(values)


def _related(view: View, tracks: list[Track]) -> Iterator[Check]:
    """The relations of proportion between tracks, each with where it holds and where it fails."""
    found: list[_Relation] = []
    for count in (2, 3, 4) if len(tracks) <= _MOST_OF_FOUR else (2, 3):
        for chosen in combinations(tracks, count):
            # a pair in proportion makes any third track look related
            whole = any(len(r.held) == len(r.rows) and r.within(chosen) for r in found)
            if sum(map(_varies, chosen)) < 2 or whole:
                continue
            tested = [r for s in _SIGNS[count] if (r := _tested(chosen, s, len(tracks), view))]
            found += sorted(tested, key=lambda r: r.digits)[-1:]
    for relation in found:
        # where a third track explains what fails of two, the three are the relation
        wider = (len(r.held) > len(relation.held) and relation.within(r.tracks) for r in found)
        if not any(wider) and not any(_fits_better(other, relation) for other in found):
            yield from _checks(view, relation)


def _fits_better(one: _Relation, other: _Relation) -> bool:
    """Whether another track in the place of one of the same kind holds in more rows: of two means the one."""
    shared = {id(t) for t in one.tracks} & {id(t) for t in other.tracks}
    apart = [[t.kind for t in r.tracks if id(t) not in shared] for r in (one, other)]
    worst = [max(map(r.off, r.rows)) for r in (one, other)]
    several = len(other.held) + 1 < len(other.rows)
    nearer = several and len(one.held) == len(other.held) and 2 * worst[0] < worst[1]
    more = nearer or len(one.held) > len(other.held)
    return more and len(shared) + 1 == len(other.tracks) and apart[0] == apart[1]


def _tested(
    tracks: tuple[Track, ...], signs: tuple[int, ...], many: int, view: View
) -> _Relation | None:
    """A relation of tracks by the constant that most rows bear out; None where too few do."""
    expected = _expected(tracks, signs)
    # rows are alternatives, and none is divided by another, unless units say that they are metrics
    metrics = not view.by_rows or (expected.told and len({t.kind for t in tracks}) > 1)
    # a row that is a total or change of others is not one of them
    plain = [n for n, place in enumerate(view.places) if not (place.aggregate or place.change)]
    rows = tuple(n for n in plain if all(t.slots[n] for t in tracks))
    if len(tracks) > 2 and expected.constants and not _begins(tracks, signs, expected, rows):
        return None
    slots = [[s for t in tracks if (s := t.slots[n])] for n in rows]
    if not metrics or len(rows) < _LEAST_ROWS or _by_itself(slots):
        return None
    logs = [sum(g * math.log(x.value) for g, x in zip(signs, r, strict=True)) for r in slots]
    halves = [max(sum(x.nominal / x.value for x in row), _MEASURED) for row in slots]
    if not expected.constants:
        return _of_any_constant(tracks, signs, rows, slots, logs, halves, many)
    spread = min(_spread(t, rows) for t in tracks if _varies(t))
    price = math.log10(math.comb(many, len(tracks)) * len(signs) * len(expected.constants))
    least_of_two = _LEAST_ALIKE if _is_one_thing(tracks) else _LEAST_PRICED
    for slack in expected.slacks:
        constant, held = _borne_out(expected.constants, logs, [h + slack for h in halves])
        # the wider the numbers vary, the less it is chance that one more row agrees
        widths = [min(1.0, 2 * max(halves[n] + slack, 1e-6) / spread) for n in held]
        digits = -sum(map(math.log10, widths)) - (0 if expected.told else price)
        few = 2 if expected.told and digits >= least_of_two else _LEAST_ROWS
        distinct = len({tuple(x.value for x in slots[n]) for n in held})
        # numbers that are set, and what names a row, are soon a product of others
        named = len(tracks) > 2 and any(t.names and not t.kind for t in tracks)
        measured = sum(any(map(_is_measured, slots[n])) for n in held)
        is_set = named or (not expected.told and measured < few)
        if is_set and (distinct < _MANY_HELD or len(rows) > len(held) + 1):
            continue
        least = _LEAST_LOOSE if slack else _LEAST_TOLD if expected.told else _LEAST_PRICED
        if distinct >= few and digits >= least and 2 * (len(rows) - len(held)) <= len(held):
            kept = tuple(rows[n] for n in held)
            return _Relation(tracks, signs, rows, kept, constant, digits, slack)
    return None


def _is_measured(slot: Slot) -> bool:
    """Whether a number is none that is set, as 16, 500 and 4096 are."""
    value = slot.quantity.value
    whole = value.denominator == 1
    return not whole or (len(str(value).strip("0-")) > 2 and value.numerator.bit_count() > 1)


def _begins(
    tracks: tuple[Track, ...], signs: tuple[int, ...], expected: _Expected, rows: Sequence[int]
) -> bool:
    """Whether any of the first rows is near a constant: of most tracks none is, and time is saved."""
    for n in rows[:_FIRST_ROWS]:
        row = [s for t in tracks if (s := t.slots[n])]
        log = sum(sign * math.log(slot.value) for sign, slot in zip(signs, row, strict=True))
        width = sum(slot.nominal / slot.value for slot in row) + max(expected.slacks) + _MEASURED
        if any(abs(log - constant) <= width for constant in expected.constants):
            return True
    return len(rows) < _FIRST_ROWS


def _of_any_constant(
    tracks: tuple[Track, ...],
    signs: tuple[int, ...],
    rows: tuple[int, ...],
    slots: list[list[Slot]],
    logs: list[float],
    halves: list[float],
    many: int,
) -> _Relation | None:
    """Two tracks of long numbers whose ratio is one constant in all rows but one in eight.

    No unit tells the constant, so that short and round numbers show nothing: 2, 4 and 8 cores have
    8, 16 and 32 GB, and another machine has another share. Nor does a column that repeats another.
    """
    if len(tracks) != 2 or len(logs) > _MOST_ROWS or not _any_agree(logs, halves):
        return None
    if {t.kind for t in tracks} == {SIZE, RATE}:
        return None  # seconds, of which the last interval has fewer
    whole = _share_a_whole(tracks, signs)
    longest, least_rows, least = (2, 4, 5.0) if whole else (_LONG, _MANY_ROWS, _LEAST_FREE)
    long = [min(x.quantity.digits for x in row) >= longest for row in slots]
    if sum(long) < least_rows:
        return None
    constant, held = _borne_out(logs, logs, halves)
    spread = min(_spread(t, rows) for t in tracks if _varies(t))
    shown = [n for n in held if long[n]]
    digits = -sum(math.log10(min(1.0, 2 * halves[n] / spread)) for n in shown[1:])
    digits -= math.log10(math.comb(many, 2))
    distinct = len({tuple(x.value for x in slots[n]) for n in shown})
    # runs may differ by some percent in how long they took
    off = [abs(log - constant) > (_NEAR if whole else 0) for log in logs]
    failing = sum(far and n not in held for n, far in enumerate(off))
    least_held = (_LEAST_ROWS if whole else _MOST_FAIL) * failing
    few = least_held <= len(held) and len(rows) <= 2 * len(held)
    if distinct < least_rows or digits < least or not few or abs(constant) < _NEAR:
        return None
    kept = tuple(rows[n] for n in held)
    return _Relation(tracks, signs, rows, kept, constant, digits, 0.0, free=True)


def _share_a_whole(tracks: Sequence[Track], signs: tuple[int, ...]) -> bool:
    """Whether units say that the constant is something: the bytes of a file, the seconds of a run."""
    if _WHOLES.get(frozenset(t.kind for t in tracks)) != signs:
        return False
    counts = [t for t in tracks if not t.kind]
    return all(_COUNTED & {w.rstrip("s") for w in t.label.words} for t in counts)


def _any_agree(logs: Sequence[float], halves: Sequence[float]) -> bool:
    """Whether two of the first rows have one ratio: of most pairs of tracks none have."""
    first = list(zip(logs, halves, strict=True))[:_FIRST_ROWS]
    return any(abs(a - b) <= one + two for (a, one), (b, two) in combinations(first, 2))


def _borne_out(
    constants: Sequence[float], logs: Sequence[float], widths: Sequence[float]
) -> tuple[float, list[int]]:
    """The constant that most rows allow, and those rows; of several the one nearest to them."""

    def rows(constant: float) -> list[int]:
        pairs = enumerate(zip(logs, widths, strict=True))
        return [n for n, (log, width) in pairs if abs(log - constant) <= width + 1e-9]

    def rank(constant: float) -> tuple[int, float]:
        held = rows(constant)
        return len(held), -sum(abs(logs[n] - constant) for n in held)

    best = max(constants, key=rank)
    return best, rows(best)


def _is_one_thing(tracks: tuple[Track, ...]) -> bool:
    """Whether labels name one thing, but for their units: "Latency (us)" and "Latency (ms)"."""
    named = {tuple(w for w in t.label.words if not unit_of(w)) for t in tracks}
    return len(tracks) == 2 and len({t.kind for t in tracks}) == len(named) == 1


def _by_itself(slots: list[list[Slot]]) -> bool:
    """Whether two of three tracks are the same numbers: x by x checks nothing."""
    values = [[slot.value for slot in row] for row in slots]
    pairs = combinations(range(len(values[0]) if len(values[0]) > 2 else 0), 2)
    near = 1 + _LOOSE
    return any(
        2 * sum(row[a] <= near * row[b] and row[b] <= near * row[a] for row in values) > len(values)
        for a, b in pairs
    )


def _spread(track: Track, rows: Sequence[int]) -> float:
    values = [math.log(s.value) for n in rows if (s := track.slots[n])]
    return max(max(values) - min(values), 1e-9)


def _expected(tracks: tuple[Track, ...], signs: tuple[int, ...]) -> _Expected:
    """The constants that units allow: 1, and mixtures of 1000 and 1024; of bare numbers 1."""
    kinds = {t.kind for t in tracks}
    powers = [_POWERS[t.kind] for t in tracks if t.kind in _POWERS]
    if len(powers) < len(tracks) or (len(kinds) == 1 and "" not in kinds and len(tracks) > 2):
        return _Expected()
    sums = [sum(s * p[axis] for s, p in zip(signs, powers, strict=True)) for axis in (0, 1)]
    balanced, bits = not any(sums), any(_BITS.match(t.unit) for t in tracks)
    mixed = tuple(x + y for x in _MIXED for y in ((0, math.log(8), -math.log(8)) if bits else (0,)))
    if len(tracks) == 2:
        return _of_two(tracks, signs, mixed if balanced else ())
    bare = [t for t in tracks if not t.kind]
    whole = all(s.exact.denominator == 1 for t in bare for s in t.known)
    # 4 buffers of 256 MiB are 1 GiB
    counts = [t.kind for t in tracks].count(SIZE) == 2 and len(bare) == 1 and whole
    if not bare or (balanced and counts):
        told = balanced and (bool(bare) or len({t.unit for t in tracks}) == len(tracks))
        return _Expected(mixed if told else (), told, (0.0, _LOOSE) if told else (0.0,))
    if {t.kind for t in tracks} == {"", TIME, OPS} and balanced and len(bare) == 1:
        if any("latency" in t.label.words for t in tracks):
            return _Expected()  # operations in flight, which is a family of its own
        rate = next(t for t in tracks if t.kind == OPS)
        noun = set(bare[0].label.words) & set(label_of(f"{rate.label.text} {rate.unit}").words)
        return _Expected((0.0,), told=bool(noun))
    # what is not a unit of ours may be any: "Gflops", "W" and "Gflops/W"; but of the least and the most of
    # something each has its own
    ranks = [t.label.rank[0] for t in tracks if t.label.rank]
    free = () if len(ranks) > 1 or set(ranks) - {MEAN} else (0.0,)
    return _Expected(
        _TURNS if free and not balanced and (len(tracks) > 3 or TIME in kinds) else free
    )


def _of_two(
    tracks: tuple[Track, ...], signs: tuple[int, ...], mixed: tuple[float, ...]
) -> _Expected:
    kinds = {t.kind for t in tracks}
    if kinds == {OPS, RATE} and signs == (1, -1):
        # the size of a request is a power of two
        one, two = (set(t.label.words) - _MEASURES - {"average", "sum"} for t in tracks)
        sign = 1 if tracks[0].kind == RATE else -1
        other = bool(one and two and one != two)
        sizes = () if other else tuple(sign * size for size in _REQUESTS)
        return _Expected(sizes, told=True, slacks=(0.0, _LOOSE))
    if kinds == {OPS, TIME} and mixed:
        mean = all(t.label.rank is None or t.label.rank[0] == MEAN for t in tracks)
        return _Expected((0.0,), told=mean, slacks=(0.0, _LOOSE) if mean else (0.0,))
    if kinds == {"", TIME} and signs == (1, 1):
        return _Expected((0.0,) if any(_SPEEDS & set(t.label.words) for t in tracks) else ())
    if mixed and "" not in kinds and len({t.unit for t in tracks}) > 1:
        bytes_ = kinds & {RATE, SIZE}
        return _Expected(mixed if bytes_ else (0.0,), told=True, slacks=(0.0, _LOOSE))
    return _Expected()


def _checks(view: View, relation: _Relation) -> Iterator[Check]:
    """The rows of a relation: the claim is the track that the others make, or the last."""
    order = {RATE: 3, OPS: 2, SIZE: 0, TIME: 1}
    ranks = [(order.get(t.kind, 1), t.column, t.part) for t in relation.tracks]
    at = ranks.index(max(ranks))
    track, others = relation.tracks[at], [n for n in range(len(ranks)) if n != at]
    powers = [-relation.signs[n] * relation.signs[at] for n in others]
    constant = math.exp(relation.constant * relation.signs[at])

    def formula(*values: Any) -> Any:
        result = constant
        for value, power in zip(values, powers, strict=True):
            result *= float(value) ** power
        return result

    least = _least(relation)
    tables = {slot.table for n in relation.held if (slot := track.slots[n])}
    several = len(relation.rows) > len(relation.held) + 1 and not view.by_rows
    for n in relation.rows:
        inputs = [s for m in others if (s := relation.tracks[m].slots[n])]
        claim = track.slots[n]
        assert claim is not None  # noqa: S101 - rows are those with all numbers
        if n in relation.held:
            holds = abs(formula(*(s.value for s in inputs)) - claim.value) <= claim.half
            trial = Trial(claim, tuple(inputs), formula, HOLDS if holds else ROUNDING)
            yield _check(relation, at, trial, others)
        # another table of this shape, in which nothing holds, means something else
        elif (claim.table in tables or not several) and not _explained(view, relation, n):
            found = tried(claim, inputs, formula, least, nominal=True)
            # 3 operations a second may be 3.9, cut off
            about = any(s.quantity.bound or _is_one_digit(s) for s in (claim, *inputs))
            about = about or _says_more(relation, n)
            other = _in_other_units(relation, n) and tried(claim, inputs, formula, _STEPS)
            if found and not found.held and not about and not (other and other.held):
                yield _check(relation, at, found, others)


def _least(relation: _Relation) -> float:
    """By what share a row is off at least that fails."""
    # means of one run may differ by some percent: one that does is told, several are how it is
    others = set(relation.rows) - set(relation.held)
    several = sum(5 * _MEASURED < relation.off(n) < _NEAR for n in others) > 1
    least = 2 * _NEAR if several else 3 * relation.slack + 0.01
    kinds = {t.kind for t in relation.tracks} if len(relation.tracks) == 2 else set()
    if kinds == {OPS, RATE}:
        # sizes of requests are rounded, and thousands may be 1024, unless the many others show less
        worst = max(map(relation.off, relation.held))
        one_of_many = len(relation.rows) == len(relation.held) + 1 > _MANY_HELD
        return max(3 * worst, _LOOSE) if one_of_many else max(least, _ABOUT)
    # the mean of rates is no rate of the mean time
    if kinds == {OPS, TIME}:
        least = max(least, _INVERSE if relation.slack else _INVERSE / 5)
    return max(least, _NEAR) if relation.free and not relation.exact else least


def _says_more(relation: _Relation, row: int) -> bool:
    """Whether a cell says how many its number is of, where others do not: 140 ms (1K vectors)."""
    counted = [
        {n: len(quantities(t.cells[n])) for n in (row, *relation.held)}
        for t in relation.tracks
        if t.cells
    ]
    return any(own[row] > max(own[n] for n in relation.held) for own in counted)


def _is_one_digit(slot: Slot) -> bool:
    return slot.kind == OPS and slot.quantity.value < 10 and not slot.quantity.decimals


def _in_other_units(relation: _Relation, row: int) -> bool:
    """Whether a row has units that no row has in which the relation holds: KB may be 1024."""
    for track in relation.tracks:
        slot, held = track.slots[row], [s for n in relation.held if (s := track.slots[n])]
        if slot and slot.unit and slot.unit.name not in {s.unit.name for s in held if s.unit}:
            return True
    return False


def _explained(view: View, relation: _Relation, row: int) -> bool:
    """Whether a row differs in what all rows share in which the relation holds: another set-up."""
    own, kinds = {t.column for t in relation.tracks}, [t.kind for t in relation.tracks]
    waited = relation.off(row) / math.log(2)
    doubled = round(waited) and abs(waited - round(waited)) <= _LOOSE / math.log(2)
    if doubled and len(kinds) == 2 and TIME in kinds and {OPS, ""} & set(kinds):
        return True  # 2, 4, 8 ... waited, where one does in the others
    others = [t for t in view.tracks if t.column not in own]
    if any(_is_set_apart(t, relation, row) or _is_factor(t, relation, row) for t in others):
        return True
    columns = range(len(view.texts[0]) if not view.by_rows else 0)
    for column in (c for c in columns if c + 1 not in own):
        shared = {view.texts[n][column] for n in relation.held}
        if len(shared) == 1 and view.texts[row][column] not in shared:
            return True
    return False


def _is_set_apart(track: Track, relation: _Relation, row: int) -> bool:
    """Whether a number is nearly one in all rows that hold, and far from it in this one."""
    slot, held = track.slots[row], [s.value for n in relation.held if (s := track.slots[n])]
    if not slot or track.names or len(held) < len(relation.held) or min(held) <= 0:
        return False
    return max(held) <= (1 + _NEAR) * min(held) and not 0.5 < slot.value / min(held) < 2


def _is_factor(track: Track, relation: _Relation, row: int) -> bool:
    """Whether a row is off by another number of its own: a batch of 100 took so long."""
    slot = track.slots[row]
    count = abs(slot.value) if slot and not track.names and not track.kind else 0.0
    return count > 1 and abs(math.log(count) - relation.off(row)) <= _LOOSE


def _check(relation: _Relation, at: int, trial: Trial, others: list[int]) -> Check:
    over = [relation.signs[n] == relation.signs[at] for n in others]
    parts = _written([relation.tracks[n].label.text for n in others], over)
    constant = "" if abs(relation.constant) <= max(_LOOSE, relation.slack) else "k \u00d7 "
    name = f"{relation.tracks[at].label.text} = {constant}{parts}"
    rule = f"{_written([s.text for s in trial.inputs], over)}, as in other places"
    return check_of(trial, FAMILY, "product", name, rule)


def _written(parts: Sequence[str], over: Sequence[bool]) -> str:
    """A product in print: what multiplies first, then what divides."""
    above = " \u00d7 ".join(part for part, below in zip(parts, over, strict=True) if not below)
    below = "".join(f" \u00f7 {part}" for part, under in zip(parts, over, strict=True) if under)
    return f"{above or 1}{below}"
