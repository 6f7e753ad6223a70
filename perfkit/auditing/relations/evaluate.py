"""Operations over printed numbers: exactly, and in intervals over their rounding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import TYPE_CHECKING, Any

from perfkit.auditing.relations.cells import Cells, Number, constant, number_in, places_of
from perfkit.auditing.relations.relation import Change, Nested
from perfkit.core.errors import AnalysisError
from perfkit.formats.interval import Interval, point

if TYPE_CHECKING:
    from perfkit.auditing.relations.relation import Kind

HUNDRED = Fraction(100)


class NoNumberError(Exception):
    """A cell that an operation needs holds no number."""


@dataclass(frozen=True)
class Evaluator:
    """Operands to numbers; ``within`` is the table and row of references to columns alone."""

    cells: Cells
    within: tuple[str, int] | None = None

    def number(self, operand: Any) -> Number:
        """The number of an operand; NoNumberError for a cell without one."""
        if isinstance(operand, Nested):
            return self.result(*operand.operation)
        if isinstance(operand, int | float):
            return constant(operand)
        cell = self.cells.cell(operand, self.within)
        found = number_in(cell)
        if found is None:
            raise NoNumberError(f"{operand}: {cell['text'] or 'an empty cell'} is not a number")
        return found

    def result(self, kind: Kind, operands: Any) -> Number:
        """The result of one operation."""
        if isinstance(operands, Change):
            operands = [operands.before, operands.after]
        numbers = [self.number(item) for item in operands]
        return OPERATIONS[kind](numbers)


def _made(
    value: Fraction, around: Interval, unit: str | None, numbers: list[Number], sign: str
) -> Number:
    """A result, with how it reads: its inputs joined by a sign."""
    name = sign.join(dict.fromkeys(item.name for item in numbers))
    text = sign.join(_bracket(item.text) for item in numbers)
    return Number(value, around, unit, text, name, places_of(numbers))


def _added(numbers: list[Number]) -> Number:
    unit = _common_unit(numbers)
    same = [item.to(unit) for item in numbers]
    value = sum((item.value for item in same), Fraction(0))
    return _made(value, reduce(add, (item.around for item in same)), unit, numbers, " + ")


def _difference(numbers: list[Number]) -> Number:
    unit = _common_unit(numbers)
    one, two = (item.to(unit) for item in numbers)
    return _made(one.value - two.value, one.around - two.around, unit, numbers, " − ")


def _product(numbers: list[Number]) -> Number:
    units = [item.unit for item in numbers if item.unit not in {None, "1"}]
    value, around = (reduce(mul, (getattr(n, of) for n in numbers)) for of in ("value", "around"))
    return _made(value, around, units[0] if len(units) == 1 else None, numbers, " × ")


def ratio(numbers: list[Number]) -> Number:
    """The first by the second; NoNumberError where that is 0."""
    one, two = numbers
    unit: str | None = None
    if one.unit is not None and two.unit is not None:
        if two.unit == "1":
            unit = one.unit
        else:
            one, unit = one.to(two.unit), "1"
    if two.value == 0:
        raise NoNumberError(f"{two.name} is 0: nothing can be divided by it")
    return _made(one.value / two.value, one.around / two.around, unit, numbers, " ÷ ")


def _mean(numbers: list[Number]) -> Number:
    total = _added(numbers)
    share = Fraction(1, len(numbers))
    return replace(
        total,
        value=total.value * share,
        around=total.around.scaled(share),
        text=f"({total.text}) ÷ {len(numbers)}",
        name=f"mean of {total.name.replace(' + ', ', ')}",
    )


def percent_change(numbers: list[Number]) -> Number:
    """From the first to the second, in percent of the first."""
    before, after = numbers
    # after / before - 1 names each input once: the interval is then as narrow as it can be
    quotient = ratio([after, before])
    text = f"({_bracket(after.text)} − {_bracket(before.text)}) ÷ {_bracket(before.text)}"
    return Number(
        (quotient.value - 1) * HUNDRED,
        (quotient.around - point(Fraction(1))).scaled(HUNDRED),
        "%",
        text,
        f"change from {before.name} to {after.name}",
        quotient.places,
    )


OPERATIONS: dict[Kind, Callable[[list[Number]], Number]] = {
    "sum": _added,
    "difference": _difference,
    "product": _product,
    "ratio": ratio,
    "mean": _mean,
    "percent_change": percent_change,
}


def counted(rows: int, table: str) -> Number:
    """A count as a number: exact."""
    value = Fraction(rows)
    return Number(value, Interval(value, value), "1", f"{rows}", f"rows of {table}")


def _common_unit(numbers: list[Number]) -> str | None:
    units = [item.unit for item in numbers]
    if None in units:
        known = {unit for unit in units if unit is not None}
        if len(known) > 1:
            raise AnalysisError(f"numbers in {' and '.join(sorted(known))} and without a unit")
        return next(iter(known), None)
    return units[0]


def _bracket(text: str) -> str:
    return f"({text})" if any(sign in text for sign in (" + ", " − ", " ÷ ")) else text
