"""Tracks whose product is one constant: what bears it out, and which rows differ from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.relate import ONE_MORE, Check, Trial, check_of, is_slip, tried
from perfkit.auditing.relations.run import HOLDS, ROUNDING
from perfkit.formats.quantities import OPS, RATE, SIZE, TIME

if TYPE_CHECKING:
    from perfkit.auditing.found.slots import Slot, Track

FAMILY = "products and quotients"
LOOSE, NEAR = 0.02, 0.1
"""How far off numbers are that were measured apart; and what differs in how long it took."""
_MEASURED, _VARIES, _FIRST_ROWS, _EXACT, _MANY_DIGITS = 0.001, 1.05, 4, 5, 4.0
_CUT = 10
_CLAIMED = {RATE: 3, OPS: 2, SIZE: 0, TIME: 1}


@dataclass(frozen=True)
class Evidence:
    """What a constant needs to be the document's own.

    ``rows`` that bear it out, and their ``digits``; ``witnesses`` for each that fails; ``shortest``:
    digits that a number needs to show anything; ``slacks``: what else a row may be off; ``least``:
    by what share it is off that is told; ``by_units``: whether units say the constant, so that it is
    no chance that there is one.
    """

    rows: int
    digits: float
    witnesses: int
    shortest: int = 1
    slacks: tuple[float, ...] = (0.0,)
    least: float = 0.0
    by_units: bool = False


@dataclass(frozen=True)
class Hypothesis:
    """Tracks, each to the power 1 or -1, and the constants (as logarithms) that they may have.

    ``constants``: none where any may be. ``known``: of each row what is known of its constant.
    """

    tracks: tuple[Track, ...]
    signs: tuple[int, ...]
    constants: tuple[float, ...]
    evidence: Evidence
    known: tuple[float | None, ...] = ()

    def slots(self, row: int) -> tuple[Slot, ...]:
        """The numbers of a row; none where one is missing."""
        found = tuple(s for t in self.tracks if (s := t.slots[row]) and s.value > 0)
        unknown = self.known and self.known[row] is None
        return () if unknown or len(found) < len(self.tracks) else found

    def log(self, row: int) -> float:
        """The constant of a row, by what is known of it."""
        pairs = zip(self.signs, self.slots(row), strict=True)
        return sum(g * math.log(s.value) for g, s in pairs) - self.share(row)

    def share(self, row: int) -> float:
        """What is known of the constant of a row."""
        return (self.known[row] or 0.0) if self.known else 0.0

    def rounding(self, row: int) -> float:
        """How far off rounding may make a row."""
        return max(sum(slot.nominal / slot.value for slot in self.slots(row)), _MEASURED)


@dataclass(frozen=True)
class Relation:
    """A hypothesis that rows bear out: how far each is off its constant, and those that hold."""

    of: Hypothesis
    off: dict[int, float]
    held: frozenset[int]
    constant: float
    digits: float
    slack: float

    @property
    def least(self) -> float:
        """By what share a row is off at least that is told; of long numbers that agree any other is."""
        digits = (s.quantity.digits for n in self.held for s in self.of.slots(n))
        evidence, own = self.of.evidence, 3 * self.slack + 0.01
        exact = not evidence.by_units and min(digits) >= _EXACT
        return own if exact else max(evidence.least, own)


def varies(track: Track) -> bool:
    """Whether a track is more than one number with its noise."""
    values = [slot.value for slot in track.known]
    return max(values) > _VARIES * min(values)


def borne_out(hypothesis: Hypothesis, many: int = 0) -> Relation | None:
    """The relation by the constant that most rows allow; None where they show too little.

    Args:
        hypothesis: What is tried.
        many: Of how many tracks its own were chosen: the more, the sooner some agree by chance.
    """
    evidence, constants = hypothesis.evidence, hypothesis.constants
    rows = [n for n in range(len(hypothesis.tracks[0].slots)) if hypothesis.slots(n)]
    # of most tracks no two of the first rows agree, and time is saved
    first = rows[:_FIRST_ROWS]
    begin = _agreeing(hypothesis, first, evidence.slacks[-1])[1] if first else ()
    if len(rows) < 2 or len(begin) <= (not constants) or _by_itself(hypothesis, rows):
        return None
    chances = math.comb(many, len(hypothesis.tracks)) * max(len(constants), 1)
    price = 0.0 if evidence.by_units else math.log10(chances)
    spread = min(_spread(t, rows) for t in hypothesis.tracks if varies(t))
    for slack in evidence.slacks:
        constant, held = _agreeing(hypothesis, rows, slack)
        # the wider the numbers vary, the less it is chance that one more row agrees
        widths = {n: 2 * (hypothesis.rounding(n) + slack) / spread for n in held}
        shown = {
            tuple(s.value for s in hypothesis.slots(n)): -math.log10(min(1.0, width))
            for n, width in widths.items()
            if min(s.quantity.digits for s in hypothesis.slots(n)) >= evidence.shortest
        }
        digits = sum(sorted(shown.values())[0 if constants else 1 :]) - price
        off = {n: hypothesis.log(n) - constant for n in rows}
        few = evidence.witnesses * (len(rows) - len(held)) <= len(held)
        repeated = not constants and abs(constant) < NEAR
        # two rows of many digits show as much as three of few
        rows_needed = 2 if evidence.by_units and digits >= _MANY_DIGITS else evidence.rows
        if len(shown) >= rows_needed and digits >= evidence.digits and few and not repeated:
            return Relation(hypothesis, off, frozenset(held), constant, digits, slack)
    return None


def _agreeing(
    hypothesis: Hypothesis, rows: Sequence[int], slack: float
) -> tuple[float, Sequence[int]]:
    """The constant that most rows allow, and those rows; of several the one nearest to them."""
    logs = {n: hypothesis.log(n) for n in rows}
    widths = {n: hypothesis.rounding(n) + slack + 1e-9 for n in rows}

    def agreeing(constant: float) -> list[int]:
        return [n for n in rows if abs(logs[n] - constant) <= widths[n]]

    def rank(constant: float) -> tuple[int, float]:
        held = agreeing(constant)
        return len(held), -sum(abs(logs[n] - constant) for n in held)

    best = max(hypothesis.constants or logs.values(), key=rank)
    return best, agreeing(best)


def _by_itself(hypothesis: Hypothesis, rows: Sequence[int]) -> bool:
    """Whether two of three tracks are the same numbers: x by x checks nothing."""
    logs = [[math.log(s.value) for s in hypothesis.slots(n)] for n in rows]
    pairs = combinations(range(len(logs[0])), 2) if len(logs[0]) > 2 else ()
    return any(2 * sum(abs(r[a] - r[b]) <= LOOSE for r in logs) > len(logs) for a, b in pairs)


def _spread(track: Track, rows: Sequence[int]) -> float:
    values = [math.log(s.value) for n in rows if (s := track.slots[n])]
    return max(max(values) - min(values), 1e-9)


def checks(relation: Relation, beside: Sequence[Track] = ()) -> Iterator[Check]:
    """The rows of a relation: the claim is the track that the others make, or the last.

    Args:
        relation: What holds.
        beside: All tracks of its table, which may say why a row differs.
    """
    of = relation.of
    ranks = [(_CLAIMED.get(t.kind, 1), t.column, t.part) for t in of.tracks]
    at = ranks.index(max(ranks))
    others = [n for n in range(len(ranks)) if n != at]
    over = [False, *(of.signs[n] == of.signs[at] for n in others)]
    labels = [of.tracks[n].label.text for n in others]
    plain = abs(relation.constant) <= max(LOOSE, relation.slack)
    factor = "in flight" if of.known else "" if plain else "k"
    name = f"{of.tracks[at].label.text} = {_written([factor, *labels], over)}"
    failing: list[Check] = []
    for n in relation.off:
        slots = of.slots(n)
        claim, inputs = slots[at], [slots[m] for m in others]
        constant = math.exp((relation.constant + of.share(n)) * of.signs[at])

        def formula(*values: Any, constant: float = constant) -> Any:
            for value, below in zip(values, over[1:], strict=True):
                constant *= 1 / float(value) if below else float(value)
            return constant

        texts = [f"{constant:.4g} in flight" if of.known else "", *(s.text for s in inputs)]
        rule = f"{_written(texts, over)}, as in other places"
        if n in relation.held:
            holds = abs(formula(*(s.value for s in inputs)) - claim.value) <= claim.half
            trial = Trial(claim, tuple(inputs), formula, HOLDS if holds else ROUNDING)
            yield check_of(trial, FAMILY, "product", name, rule)
            continue
        off = tried(claim, inputs, formula, relation.least, nominal=True)
        # 3 operations a second may be 3.9, cut off
        about = any(s.quantity.bound or (s.kind == OPS and s.value < _CUT) for s in slots)
        # of counts that were measured what is near is told where it is a slip of the pen
        exact = min(slot.quantity.digits for slot in slots) >= _EXACT
        near = not of.evidence.by_units and abs(relation.off[n]) < (LOOSE if exact else NEAR)
        about = about or (near and off is not None and not is_slip(off))
        if off and not off.held and not about and not _is_explained(relation, n, beside):
            failing.append(check_of(off, FAMILY, "product", name, rule))
    # several that differ are of another kind
    if len(failing) <= 1 + len(relation.held) // ONE_MORE:
        yield from failing


def _is_explained(relation: Relation, row: int, beside: Sequence[Track]) -> bool:
    """Whether a row is off by a number of its own, or so many more wait in it."""
    of, off = relation.of, relation.off[row]
    octaves = off / math.log(2)
    waits = len(of.tracks) == 2 and TIME in {t.kind for t in of.tracks}
    doubled = waits and abs(octaves - round(octaves)) * math.log(2) <= LOOSE
    others = [t for t in beside if t not in of.tracks]
    return doubled or any(_is_factor(t, relation, row) for t in others)


def _is_factor(track: Track, relation: Relation, row: int) -> bool:
    """Whether a row is off by its number in a track, or by how often that of the others is in it."""
    slot, held = track.slots[row], {s.value for n in relation.held if (s := track.slots[n])}
    bases = {1.0, *(held if len(held) == 1 else ())}
    nearly_one = held and 0 < min(held) >= max(held) / (1 + NEAR)
    if slot and nearly_one and not 0.5 < slot.value / min(held) < 2:
        return True  # it is set apart by another number, too
    ratios = [math.log(slot.value / base) for base in bases if slot and slot.value * base > 0]
    return any(abs(abs(ratio) - abs(relation.off[row])) <= LOOSE < abs(ratio) for ratio in ratios)


def _written(parts: Sequence[str], over: Sequence[bool]) -> str:
    """A product in print: what multiplies first, then what divides."""
    pairs = list(zip(parts, over, strict=True))
    above = " \u00d7 ".join(part for part, below in pairs if part and not below)
    return (above or "1") + "".join(f" \u00f7 {part}" for part, below in pairs if below)
