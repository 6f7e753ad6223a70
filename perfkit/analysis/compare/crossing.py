"""Where one curve is at a given value: between two of its points, or nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfkit.analysis.series import Row

INTERPOLATED = "interpolated"
MEASURED = "measured"
NOT_REACHED = "not reached"
STARTS_ABOVE = "starts above"
NOT_MEASURED = "not measured"
MISSING = "missing"
ZERO = "zero"


@dataclass(frozen=True)
class Answer:
    """What a curve gives, or why it gives nothing.

    Attributes:
        value: The quantity asked for; None unless ``status`` is interpolated or measured.
        status: interpolated, measured, not reached, starts above, not measured, missing or zero.
        reached: How far the curve got, in the unit of what was given (the highest IOPS where IOPS
            were given); None where it got there.
        note: What else a reader must know.
    """

    value: float | None
    status: str
    reached: float | None = None
    note: str | None = None


def value_at(rows: Sequence[Row], given: str, at: float, wanted: str) -> Answer:
    """``wanted`` where ``given`` first reaches ``at``, the rows being in order of load.

    Between two neighbouring load points it is interpolated linearly; nothing is extrapolated.

    - "measured": a load point has exactly this value.
    - "not reached": every load point is below; ``reached`` is the highest.
    - "starts above": the first load point is above already; ``reached`` is its value.
    - "missing": one of the two is null at a load point before the crossing.

    The first crossing counts, which is the careful answer where latency is not monotonic. A curve
    that comes back to the value at a higher load is noted.
    """
    for place, row in enumerate(rows):
        x, y = row[given], row[wanted]
        if x is None or y is None:
            return Answer(None, MISSING, note=f"{given if x is None else wanted} is missing")
        if x == at:
            return Answer(y, MEASURED, note=_again(rows[place + 1 :], given, at))
        if x > at:
            if place == 0:
                return Answer(None, STARTS_ABOVE, reached=x, note=_below(rows, given, at))
            before = rows[place - 1]
            share = (at - before[given]) / (x - before[given])
            value = before[wanted] + share * (y - before[wanted])
            return Answer(value, INTERPOLATED, note=_again(rows[place:], given, at))
    return Answer(None, NOT_REACHED, reached=max(row[given] for row in rows))


def _again(rest: Sequence[Row], given: str, at: float) -> str | None:
    back = any(row[given] is not None and row[given] < at for row in rest)
    return "comes back to it at a higher load; the first crossing counts" if back else None


def _below(rows: Sequence[Row], given: str, at: float) -> str | None:
    """A curve that starts above and falls: what it gave below is not between two risings."""
    falls = any(row[given] is not None and row[given] < at for row in rows)
    return "falls below it at a higher load" if falls else None


def without_zero(answer: Answer) -> Answer:
    """The same, unless its value is 0: of that there is no ratio, and it is told apart."""
    if answer.value is None or answer.value > 0:
        return answer
    return Answer(None, ZERO, note="a value of zero has no ratio")
