"""How much one number differs from another: percent, factors, differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.relate import Formula, Trial, tried
from perfkit.formats.quantities import BINARY, RATE, SIZE

if TYPE_CHECKING:
    from perfkit.auditing.found.slots import Slot


def of_base(a: Any, b: Any) -> Any:
    """The second one in percent of the first."""
    return b / a * 100


def percent_more(a: Any, b: Any) -> Any:
    """By how many percent of the first the second one is more."""
    return (b - a) / a * 100


def percent_less(a: Any, b: Any) -> Any:
    """By how many percent of the first the second one is less."""
    return (a - b) / a * 100


PERCENT: dict[str, Formula] = {
    "({b} \u2212 {a}) \u00f7 {a}": percent_more,
    "{b} \u00f7 {a}, in percent": of_base,
    "({a} \u2212 {b}) \u00f7 {a}": percent_less,
}
"""Of changes with their sign: rule in print -> formula of two numbers, a the base."""
SIZES: dict[str, Formula] = {
    "|{b} \u2212 {a}| \u00f7 {a}": lambda a, b: abs(b - a) / a * 100,
    "|{b} \u2212 {a}| \u00f7 {b}": lambda a, b: abs(b - a) / b * 100,
}
"""Of changes whose direction a label says."""


FACTORS: dict[str, Formula] = {"{b} \u00f7 {a}": lambda a, b: b / a}


def times(a: Any, b: Any) -> Any:
    """The larger one by the smaller: times are faster where they fall, rates where they rise."""
    return max(a, b) / min(a, b)


TIMES: dict[str, Formula] = {"{a} \u00f7 {b}": times}
LESS: dict[str, Formula] = {"{b} \u2212 {a}": lambda a, b: b - a}
SAVED: dict[str, Formula] = {"{a} \u2212 {b}": lambda a, b: a - b}
POINTS: dict[str, Formula] = {
    "points": lambda a, b: abs(a - b), "points of one": lambda a, b: abs(a - b) * 100,
}  # fmt: skip
"""82.7% to 87.6% are 4.9 points, and 0.904 to 0.848 are 5.6."""
RATIOS = (*FACTORS.values(), times)
DIFFERENCES = (*LESS.values(), *SAVED.values())
_STEP = Fraction(1024, 1000)


def by_any_thousand(claim: Slot, inputs: Sequence[Slot], formula: Formula) -> Trial | None:
    """A change of sizes in two units, of which the larger may be 1000 or 1024 of the smaller."""
    trial = tried(claim, inputs, formula)
    if trial is None or trial.held or len(inputs) != 2 or not all(map(_is_of_bytes, inputs)):
        return trial
    one, two = inputs
    apart = round(math.log(one.factor / two.factor, 1000))
    ways = (
        tried(claim, inputs, lambda a, b, n=n: formula(a * _STEP**n, b)) for n in (-apart, apart)
    )
    return next((way for way in ways if way and way.held), trial)


def _is_of_bytes(slot: Slot) -> bool:
    """Whether a unit's K, M and G may be powers of 1000 or 1024; of times and operations they are not."""
    return slot.kind in {SIZE, RATE} or bool(slot.unit and slot.unit.name in BINARY)
