"""What a relation is: a number, what it should be, and how much the document says for it.

Nothing is accused by its shape alone. A relation is tried at every place where it could hold; how
unlikely it is that it holds there by chance is counted in decimal digits, and only a relation with
enough of them, and with few places where it fails, is one of the document's own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.interval import Interval, point
from perfkit.auditing.relations.run import DOUBT, FAILS, HOLDS, ROUNDING
from perfkit.formats.printed_text import rounded_text

if TYPE_CHECKING:
    from perfkit.auditing.found.sheets import Sheet, Slot

Formula = Callable[..., Any]
"""A value of some inputs: the same for floats (the search) and fractions (what is reported)."""

MOST_DIGITS = 6.0
EPSILON = 1e-9


@dataclass(frozen=True)
class Trial:
    """A relation at one place: the number, its inputs, and whether it holds."""

    claim: Slot
    inputs: tuple[Slot, ...]
    formula: Formula
    outcome: str
    digits: float

    @property
    def held(self) -> bool:
        """Whether it holds, exactly or by rounding."""
        return self.outcome != FAILS


def tried(
    claim: Slot, inputs: Sequence[Slot], formula: Formula, slack: float = 0.0, *, nominal: bool = False,
    cut: bool = True,
) -> Trial | None:  # fmt: skip
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
    apart = abs(claim.value - value)
    step = (2 if cut else 1) * claim.half
    if apart <= claim.half + near:
        outcome = HOLDS
    elif low - step - near <= claim.value <= high + step + near:
        outcome = ROUNDING
    else:
        outcome = FAILS
    size = max(abs(value), abs(claim.value))
    width = 2 * claim.half + (high - low) + 2 * slack * size
    digits = min(-math.log10(min(width / size, 1.0)), MOST_DIGITS) if size and width else 0.0
    return Trial(claim, tuple(inputs), formula, outcome, digits)


def _range(
    inputs: Sequence[Slot], formula: Formula, *, nominal: bool = False
) -> tuple[float, float]:
    """The least and the largest value that the rounding of the inputs allows."""
    halves = [(s.value, s.nominal if nominal else s.half) for s in inputs]
    if len(inputs) > 4:  # noqa: PLR2004 - of many inputs the formula is monotone: both ends do
        ends = [formula(*(value + sign * half for value, half in halves)) for sign in (-1, 1)]
    else:
        corners = product(*((value - half, value + half) for value, half in halves))
        ends = [formula(*corner) for corner in corners]
    return min(ends), max(ends)


def weight(trials: Iterable[Trial]) -> float:
    """How many digits speak for a relation: of the places where it holds."""
    return sum(trial.digits for trial in trials if trial.held)


@dataclass(frozen=True)
class Check:
    """One relation that was found and checked: a value, with its place."""

    family: str
    kind: str
    name: str
    line: int
    place: str
    printed: str
    rule: str
    outcome: str
    claim: Number | None = None
    result: Number | None = None
    decimals: int = 0
    table: str | None = None
    row: int | None = None
    column: int | None = None
    recomputed: str | None = None
    note: str | None = None
    trial: Trial | None = field(default=None, compare=False)
    moved: frozenset[str] = frozenset()

    @property
    def places(self) -> frozenset[str]:
        """The printed numbers that took part."""
        kept = [item.places for item in (self.claim, self.result) if item is not None]
        return self.moved.union(*kept)

    def at(self, table: str, row: int, column: int, place: str) -> Check:
        """The same at a cell."""
        return replace(self, table=table, row=row, column=column, place=place)

    def softened(self) -> Check:
        """The same as a doubt, where it fails."""
        return replace(self, outcome=DOUBT) if self.outcome == FAILS else self


def check_of(
    sheet: Sheet, trial: Trial, family: str, kind: str, name: str, rule: str = ""
) -> Check:
    """A trial as a check, computed again exactly, in the unit of its claim."""
    claim, factor = trial.claim, trial.claim.factor or Fraction(1)
    value = Fraction(trial.formula(*(slot.exact for slot in trial.inputs))) / factor
    ends = [Fraction(end) / factor for end in _range(trial.inputs, trial.formula)]
    unit = claim.unit.name if claim.unit else None
    places = frozenset(slot.key for slot in trial.inputs)
    text = rule or " and ".join(slot.quantity.text for slot in trial.inputs)
    printed = claim.quantity
    scale = claim_scale(claim)
    return Check(
        family, kind, name, claim.line, sheet.place(claim), printed.text, text, trial.outcome,
        Number(printed.value / scale, printed.around.scaled(1 / scale), unit, printed.text, "",
               frozenset({claim.key})),
        Number(value / scale, Interval(min(ends) / scale, max(ends) / scale), unit, text, "", places),
        printed.decimals, claim.table, claim.row, claim.column, trial=trial,
    )  # fmt: skip


def claim_scale(claim: Slot) -> Fraction:
    """By what the digits in print are multiplied: 663K is 663 by 1000."""
    match = re.search(r"\d\s?([kKMG])(?![A-Za-z])", claim.quantity.text)
    return Fraction(1000 ** ("kmg".index(match[1].lower()) + 1)) if match else Fraction(1)


def slipped(printed: str, value: Fraction, decimals: int) -> bool:
    """Whether a number in print is another one with a slip: a digit, two swapped, the point moved."""
    mine = re.sub(r"[^\d]", "", printed.split(maxsplit=1)[0] if printed.split() else "")
    other = re.sub(r"[^\d]", "", rounded_text(abs(value), max(decimals, 0)))
    if len(mine.strip("0")) < 3 and len(other.strip("0")) < 3:  # noqa: PLR2004
        return False
    if mine.strip("0") == other.strip("0"):
        return mine != other
    if len(mine) != len(other):
        return False
    differ = [n for n, (a, b) in enumerate(zip(mine, other, strict=True)) if a != b]
    swapped = [mine[n] for n in differ] == [other[n] for n in reversed(differ)]
    beside = len(differ) == 2 and differ[1] == differ[0] + 1  # noqa: PLR2004
    return len(differ) == 1 or (beside and swapped)


def exact_number(value: Fraction, text: str) -> Number:
    """A number that is exact: a count, a limit."""
    return Number(value, point(value), None, text, "")
