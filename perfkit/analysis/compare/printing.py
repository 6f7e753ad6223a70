"""How a ratio is said: as a change in percent, as a multiple, or as a share."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from perfkit.core.units import Format, Printed

Form = Literal["percent", "times", "share"]

BOUND = {"=": "", ">=": "≥ ", "<=": "≤ "}
"""The sign of a bound by its relation, before the number in a cell or beside a mark."""

TIMES_FROM = 2.0
"""From twice on a ratio is said as a multiple: 2.4 times."""

SHARE_TO = 0.1
"""Up to a tenth it is said as a share: 0.010% of. Between the two it is a change in percent."""

WHOLE_FROM = 0.095
"""Changes from 10% on are whole percents, smaller ones have a decimal: two digits either way."""

LEAST = 0.0005
"""Changes that would be printed as 0.0% are "less than 0.1%": they are not nothing."""

_TIMES, _SHARE = Format("1", significant=2), Format("%", significant=2)


def form_of(ratio: float) -> Form:
    """The form in which a ratio is said, and its interval with it."""
    if ratio >= TIMES_FROM:
        return "times"
    return "share" if ratio <= SHARE_TO else "percent"


def ratio_printed(ratio: float, form: Form) -> Printed:
    """A ratio as printed: 59% (more or fewer: its sign is said in words), 2.4, or 0.010%."""
    if form != "percent":
        return (_TIMES if form == "times" else _SHARE).show(ratio)
    size = abs(ratio - 1)
    if 0 < size < LEAST:
        number = Format("%", decimals=1).show(2 * LEAST)
        return replace(number, text=f"less than {number.text}")
    return Format("%", decimals=_decimals(ratio, size)).show(size)


def _decimals(ratio: float, size: float) -> int:
    if size < WHOLE_FROM:
        return 1
    # what is left must not be rounded away: 99.97% fewer is not 100% fewer
    return max(0, -math.floor(math.log10(100 * ratio)))


def signed(ratio: float, form: Form) -> str:
    """A ratio with the sign of its change, for a cell or a mark: +59%, −8.4%, 2.4 times, 0.010%."""
    number = ratio_printed(ratio, form).text
    if form == "times":
        return f"{number} times"
    if form == "share" or ratio == 1:
        return number
    least, _, size = number.rpartition(" ")
    return f"{f'{least} ' if least else ''}{'+' if ratio > 1 else '−'}{size}"
