"""What a relation is: a number, what it should be, and how much the document says for it.

Nothing is accused by its shape alone. A relation is tried at every place where it could hold; how
unlikely it is that it holds there by chance is counted in decimal digits, and only a relation with
enough of them, and with few places where it fails, is one of the document's own.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.page import number_of
from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.run import DOUBT, FAILS, HOLDS, ROUNDING
from perfkit.formats.interval import Interval
from perfkit.formats.printed_text import rounded_text

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Said
    from perfkit.auditing.found.slots import Slot

Formula = Callable[..., Any]
"""A value of some inputs: the same for floats (the search) and fractions (what is reported)."""

ONE_MORE = 12
"""Of so many places that hold one more than one may fail: several that fail are another reading, as
9 of 10 findings of such relations were at first looks at public documents."""
MOST_DIGITS, EPSILON = 6.0, 1e-9
MOST_CORNERS = 4
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "\u2264": lambda a, b: a <= b + 1e-12, "<": lambda a, b: a < b,
    "\u2265": lambda a, b: a >= b - 1e-12, ">": lambda a, b: a > b,
}  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """A relation at one place: the number, its inputs, and whether it holds."""

    claim: Slot
    inputs: tuple[Slot, ...]
    formula: Formula
    outcome: str
    digits: float = 0.0
    sign: str = "="

    @property
    def held(self) -> bool:
        """Whether it holds, exactly or by rounding."""
        return self.outcome in {HOLDS, ROUNDING}


def added(*values: Any) -> Any:
    """The sum, of floats as of fractions."""
    return sum(values[1:], values[0])


def same(value: Any) -> Any:
    """The value itself."""
    return value


def tried(
    claim: Slot,
    inputs: Sequence[Slot],
    formula: Formula,
    slack: float = 0.0,
    *,
    nominal: bool = False,
    cut: bool = True,
) -> Trial | None:
    """A relation at one place; None where it cannot be computed.

    Args:
        claim: What is printed.
        inputs: What it is made of.
        formula: How.
        slack: What else it may be off, as a share.
        nominal: Whether whole sizes and counts among the inputs are exact.
        cut: Whether the last digit of the claim may have been cut off instead of rounded.
    """
    try:
        value = formula(*(slot.value for slot in inputs))
        low, high = _range(inputs, formula, nominal=nominal)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None
    near = slack * abs(value) + EPSILON * max(abs(value), abs(claim.value))
    step = (2 if cut else 1) * claim.half
    if abs(claim.value - value) <= claim.half + near:
        outcome = HOLDS
    elif low - step - near <= claim.value <= high + step + near:
        outcome = ROUNDING
    else:
        outcome = FAILS
    size = max(abs(value), abs(claim.value))
    width = 2 * claim.half + (high - low) + 2 * slack * size
    digits = min(-math.log10(min(width / size, 1.0)), MOST_DIGITS) if size and width else 0.0
    return Trial(claim, tuple(inputs), formula, outcome, digits)


def best_of(
    claim: Slot,
    ways: Iterable[tuple[Sequence[Slot], Formula]],
    *,
    nominal: bool = False,
    cut: bool = True,
) -> Trial | None:
    """Of several ways to read a claim the one that holds best; the first, where none does."""
    tries = (tried(claim, inputs, way, nominal=nominal, cut=cut) for inputs, way in ways)
    found = [trial for trial in tries if trial]
    ranks = (HOLDS, ROUNDING, FAILS)
    return min(found, key=lambda trial: ranks.index(trial.outcome), default=None)


def bounded(claim: Slot, sign: str, bound: Slot, *, fails: str = FAILS, loose: float = 1) -> Trial:
    """A number against one that it must not pass; ``loose``: by how much rounding may pass it."""
    kept = _ORDERS[sign](claim.value, bound.value)
    apart = abs(claim.value - bound.value) - claim.half - bound.half
    by_rounding = apart <= (loose - 1) * min(claim.value, bound.value)
    outcome = HOLDS if kept else ROUNDING if by_rounding else fails
    return Trial(claim, (bound,), same, outcome, 0.0, sign)


def _range(
    inputs: Sequence[Slot], formula: Formula, *, nominal: bool = False
) -> tuple[float, float]:
    """The least and the largest value that the rounding of the inputs allows."""
    values = [slot.value for slot in inputs]
    halves = [slot.nominal if nominal else slot.half for slot in inputs]
    if len(inputs) > MOST_CORNERS:  # of many inputs each moves the result by itself
        middle = formula(*values)
        reach = sum(
            abs(formula(*values[:n], value + half, *values[n + 1 :]) - middle)
            for n, (value, half) in enumerate(zip(values, halves, strict=True))
        )
        return middle - reach, middle + reach
    pairs = zip(values, halves, strict=True)
    ends = [formula(*corner) for corner in product(*((v - half, v + half) for v, half in pairs))]
    return min(ends), max(ends)


def weight(trials: Iterable[Trial]) -> float:
    """How many digits speak for a relation: of the places where it holds, the same inputs once."""
    held = {tuple(s.value for s in trial.inputs): trial.digits for trial in trials if trial.held}
    return sum(held.values())


@dataclass(frozen=True)
class Check:
    """One relation that was found and checked; ``at`` is where its claim stands.

    ``named``: labels name it, so that no other place has to show it.
    """

    family: str
    kind: str
    name: str
    at: Slot | Said
    printed: str
    rule: str
    outcome: str
    claim: Number | None = None
    result: Number | None = None
    recomputed: str | None = None
    note: str | None = None
    trial: Trial | None = field(default=None, compare=False)
    moved: frozenset[str] = frozenset()
    alone: bool = False
    named: bool = False

    @property
    def places(self) -> frozenset[str]:
        """The printed numbers that took part."""
        kept = [item.places for item in (self.claim, self.result) if item is not None]
        return self.moved.union(*kept)


def told(
    family: str,
    name: str,
    said: Said,
    printed: str,
    rule: str,
    *,
    recomputed: str | None = None,
    note: str | None = None,
) -> Check:
    """What is said in words against other words, and needs a person.

    Where words agree nothing is told: no number of theirs is checked.
    """
    what = (family, "stated_twice", name, said, printed, rule, DOUBT)
    return Check(*what, recomputed=recomputed, note=note)


def check_of(
    trial: Trial,
    family: str,
    kind: str,
    name: str,
    rule: str = "",
    *,
    doubt: bool = False,
    printed: str = "",
    note: str | None = None,
    alone: bool = False,
) -> Check:
    """A trial as a check, computed again exactly, in the unit of its claim.

    ``doubt``: where it fails, that is not an error. ``alone``: its claim is wrong then, no input.
    """
    claim, scale = trial.claim, claim_scale(trial.claim)
    factor = claim.factor * scale
    value = Fraction(trial.formula(*(slot.exact for slot in trial.inputs))) / factor
    ends = [Fraction(end) / factor for end in _range(trial.inputs, trial.formula)]
    text = rule or " and ".join(slot.text for slot in trial.inputs)
    number = number_of(claim, 1 / scale)
    places = frozenset(slot.key for slot in trial.inputs if slot.key)
    result = Number(value, Interval(min(ends), max(ends)), number.unit, text, "", places)
    outcome = DOUBT if doubt and trial.outcome == FAILS else trial.outcome
    fit = None
    if outcome != HOLDS and trial.sign != "=":
        fit = f"{trial.sign} {trial.inputs[0].text}"
    elif outcome in {FAILS, DOUBT} and scale != 1:
        digits = rounded_text(value, claim.quantity.decimals)
        fit = re.sub(r"^.*?\d(?=\s?[kKMG](?![A-Za-z]))", digits, claim.text)
    sole = alone or kind == "limit" or claim.table is None
    what = (family, kind, name, claim, printed or claim.text, text, outcome, number, result)
    return Check(*what, recomputed=fit, note=note, trial=trial, alone=sole)


def claim_scale(claim: Slot) -> Fraction:
    """By what the digits in print are multiplied: 663K is 663 by 1000."""
    match = re.search(r"\d\s?([kKMG])(?![A-Za-z])", claim.text)
    return Fraction(1000 ** ("kmg".index(match[1].lower()) + 1)) if match else Fraction(1)


def off_by(trial: Trial) -> float:
    """How far a trial is off, as a share of what it should be."""
    value = trial.formula(*(slot.value for slot in trial.inputs))
    return abs(trial.claim.value - value) / abs(value) if value else math.inf


def similar(trial: Trial, most: float) -> bool:
    """Whether two numbers can be meant to be one: neither is so many times the other."""
    value = trial.formula(*(slot.value for slot in trial.inputs))
    return bool(value) and 1 / most < abs(trial.claim.value / value) < most


def is_slip(trial: Trial, least: int = 3) -> bool:
    """Whether what fails is off by a slip of the pen: one digit, two swapped, the point moved.

    Of fewer digits than ``least`` any number is soon a slip of any other.
    """
    mine, other = _digits(trial)
    if len(mine.strip("0")) < least and len(other.strip("0")) < least:
        return False
    if mine.strip("0") == other.strip("0"):
        return mine != other
    return _swapped(mine, other) or len(_different(mine, other)) == 1


def is_swap(trial: Trial) -> bool:
    """Whether two digits beside each other are swapped, which chance hardly does."""
    return _swapped(*_digits(trial))


def _digits(trial: Trial) -> tuple[str, str]:
    """The digits that are printed, and those that should be."""
    claim = trial.claim
    exact = trial.formula(*(slot.exact for slot in trial.inputs))
    value = abs(Fraction(exact) / (claim.factor * claim_scale(claim)))
    fit = rounded_text(value, max(claim.quantity.decimals, 0))
    return re.sub(r"\D", "", claim.text.split(maxsplit=1)[0]), re.sub(r"\D", "", fit)


def _different(mine: str, other: str) -> list[int]:
    """Where two rows of digits differ; nowhere where one is longer."""
    return [n for n, (a, b) in enumerate(zip(mine, other, strict=False)) if a != b] * (
        len(mine) == len(other)
    )


def _swapped(mine: str, other: str) -> bool:
    differ = _different(mine, other)
    beside = len(differ) == 2 and differ[1] == differ[0] + 1
    return beside and [mine[n] for n in differ] == [other[n] for n in reversed(differ)]


def blamed(checks: Sequence[Check]) -> list[Check]:
    """The same checks; of those that fail one for each number that is likely wrong.

    Relations that fail share a number, and what holds elsewhere clears one.
    """
    failing = [c for c in checks if c.outcome in {FAILS, DOUBT} and c.trial]
    others = [c for c in checks if not (c.outcome in {FAILS, DOUBT} and c.trial)]
    cleared = Counter(
        key
        for c in others
        if c.trial and c.kind not in {"limit", "stated_twice"}
        for key in c.places
    )
    return [*others, *(c for own in _connected(failing) for c in _likeliest(own, cleared))]


def _connected(checks: Sequence[Check]) -> Iterable[list[Check]]:
    """Checks in groups that share no number with each other."""
    groups: dict[str, list[Check]] = {}
    for check in checks:
        keys = {slot.key for slot in _suspects(check)}
        shared = {id(groups[key]): groups[key] for key in keys if key in groups}
        group = [*(c for own in shared.values() for c in own), check]
        keys |= {slot.key for c in group for slot in _suspects(c)}
        groups |= dict.fromkeys(keys, group)
    return {id(group): group for group in groups.values()}.values()


def _likeliest(failing: list[Check], cleared: Counter[str]) -> Iterator[Check]:
    """One check for each number that is likely wrong."""
    while failing:
        count = Counter(slot.key for c in failing for slot in _suspects(c))
        claims = {c.trial.claim.key for c in failing if c.trial}
        worst = max(count, key=lambda key: (count[key] - cleared[key], key in claims))
        own = [c for c in failing if worst in {slot.key for slot in _suspects(c)}]
        first = next((c for c in own if c.trial and c.trial.claim.key == worst), None)
        yield first or _moved(own[0], worst)
        failing = [c for c in failing if c not in own]


def _suspects(check: Check) -> tuple[Slot, ...]:
    trial = check.trial
    assert trial  # noqa: S101 - those that fail have one
    inputs = () if check.alone else trial.inputs
    return (trial.claim, *(slot for slot in inputs if slot.key))


def _moved(check: Check, key: str) -> Check:
    """A check told of one of its inputs: the claim it does not fit is right elsewhere."""
    trial = check.trial
    assert trial  # noqa: S101
    slot = next(s for s in trial.inputs if s.key == key)
    value = _solved(trial, slot)
    fit = None if value is None else rounded_text(value / slot.factor, slot.quantity.decimals)
    if fit and slot.quantity.unit:
        fit = f"{fit} {slot.quantity.unit.name}"
    return replace(
        check,
        at=slot,
        printed=slot.text,
        recomputed=fit,
        claim=None,
        result=None,
        moved=check.places,
        rule=f"{check.printed} ({check.at.place}) is {check.rule}",
    )


def _solved(trial: Trial, slot: Slot) -> Fraction | None:
    """What an input would have to be for the claim to hold; None where that is not simple."""
    claim, at = trial.claim.exact, trial.inputs.index(slot)
    value = Fraction(trial.formula(*(s.exact for s in trial.inputs)))
    if not value or not claim:
        return None
    many = len(trial.inputs)
    options = [
        slot.exact + claim - value,
        slot.exact - claim + value,
        slot.exact * claim / value,
        slot.exact * value / claim,
        slot.exact + (claim - value) * many,
    ]
    for option in options:
        inputs = [option if n == at else s.exact for n, s in enumerate(trial.inputs)]
        try:
            again = float(trial.formula(*inputs))
        except (ZeroDivisionError, ValueError):
            continue
        if abs(again - float(claim)) <= EPSILON * abs(float(claim)):
            return option
    return None
