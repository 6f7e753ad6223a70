"""A printed number to its value in SI units, exactly: the factor is applied to the decimal digits.

The decimal sign is the point or, in a file written under another locale, the comma. None of the
tools groups thousands, so a comma can be nothing else; a file with both is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from perfkit.core.errors import ParseError
from perfkit.core.units import KIB
from perfkit.sources.host.columns import CPU, Column

_NUMBER = re.compile(
    r"(?P<whole>-?\d{1,25})(?:(?P<sign>[.,])(?P<part>\d{1,9}))?(?P<unit>[BkMGTP%]?)$"
)
_COMMA_DECIMALS = 2
"""The tools print at most two decimals (--dec=0|1|2): three digits after a comma are a group."""

_NO_NUMBER = {"nan", "-nan", "inf", "-inf"}
"""What C prints for a division by zero: no value."""

_HUMAN = {letter: Decimal(KIB) ** power for power, letter in enumerate("BkMGTP")}

LARGEST = Decimal(10) ** 15
"""No rate or size of a host is as large: a counter that wrapped around gives such numbers."""

CPU_FIELDS = frozenset(column.field for column in CPU.values())
CPU_SLACK = 1.02
"""Shares of CPU time add to 1 but for rounding; more than that is a fault of the counters."""


@dataclass
class Numbers:
    """Reads the cells of one file and records what it met.

    Attributes:
        path: The file, for errors.
        signs: The decimal signs met.
        human: Whether numbers with a unit letter (--human) were met.
        odd: Field -> how many values were not a possible value of it, and are null.
    """

    path: str
    signs: set[str] = field(default_factory=set)
    human: bool = False
    odd: dict[str, int] = field(default_factory=dict)

    def column(self, cells: list[str], lines: list[int], column: Column) -> list[float | None]:
        """The values of a column's cells; each text is read once.

        Raises ParseError naming the line of the first cell that is not a number.
        """
        values: dict[str, float | None] = {}
        for cell, line in zip(cells, lines, strict=True):
            if cell not in values:
                values[cell] = self._value(cell, column, line)
        odd = {cell for cell, value in values.items() if value is None}
        if odd:
            self.odd[column.field] = self.odd.get(column.field, 0) + sum(c in odd for c in cells)
        return [values[cell] for cell in cells]

    def _value(self, cell: str, column: Column, line: int) -> float | None:
        if cell in _NO_NUMBER:
            return None
        number = _NUMBER.match(cell)
        # the tools group no digits: three behind a comma are not decimals
        is_grouped = number and number["sign"] == "," and len(number["part"]) > _COMMA_DECIMALS
        if number is None or is_grouped:
            raise ParseError(self.path, f"{cell!r} is not a number of {column.field}", line)
        if number["sign"]:
            self.signs.add(number["sign"])
            if len(self.signs) > 1:
                raise ParseError(
                    self.path, f"{cell!r}: decimal points and commas in one file", line
                )
        value = Decimal(f"{number['whole']}.{number['part'] or 0}")
        scaled = value * self._factor(number["unit"], column, cell, line)
        if scaled < 0 or abs(value) >= LARGEST:
            return None
        if column.field in CPU_FIELDS and scaled > CPU_SLACK:
            return None
        return float(scaled)

    def _factor(self, unit: str, column: Column, cell: str, line: int) -> Decimal:
        if not unit:
            return column.factor
        self.human = True
        is_ratio = column.field.endswith("_ratio")
        if unit == "%" and is_ratio:
            return column.factor
        if unit != "%" and "_bytes" in column.field:
            return _HUMAN[unit]
        raise ParseError(self.path, f"{cell!r} is not a number of {column.field}", line)

    def warnings(self) -> Iterable[str]:
        """What a reader of the values must know."""
        if "," in self.signs:
            yield "numbers are written with a decimal comma and were read so"
        if self.human:
            yield "numbers are rounded for people (--human): few digits are left of them"
        for name, count in self.odd.items():
            yield f"{name}: {count} printed values cannot be (negative, far too large, none): null"
