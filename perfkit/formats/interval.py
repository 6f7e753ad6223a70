"""Closed intervals of exact numbers; a bound of None is open (nothing limits that side)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Interval:
    """All values from ``low`` to ``high``; with None, no bound."""

    low: Fraction | None
    high: Fraction | None

    def __add__(self, other: Interval) -> Interval:
        return Interval(_sum(self.low, other.low), _sum(self.high, other.high))

    def __neg__(self) -> Interval:
        return Interval(_minus(self.high), _minus(self.low))

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        if None not in {self.low, self.high, other.low, other.high}:
            ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]  # type: ignore[operator]
            return Interval(min(ends), max(ends))
        if self._positive() and other._positive():
            low = self.low * other.low  # type: ignore[operator]
            both = self.high is not None and other.high is not None
            return Interval(low, self.high * other.high if both else None)  # type: ignore[operator]
        return ANYTHING

    def __truediv__(self, other: Interval) -> Interval:
        return self * other._inverse()

    def _inverse(self) -> Interval:
        """1 over it; anything where it holds 0."""
        if self._positive() and self.low:
            return Interval(Fraction(0) if self.high is None else 1 / self.high, 1 / self.low)
        if (-self)._positive() and self.high:
            return -((-self)._inverse())
        return ANYTHING

    def _positive(self) -> bool:
        return self.low is not None and self.low >= 0

    def scaled(self, factor: Fraction) -> Interval:
        """The interval times a number that is not negative."""
        return Interval(
            None if self.low is None else self.low * factor,
            None if self.high is None else self.high * factor,
        )

    def meets(self, other: Interval) -> bool:
        """Whether the two have a value in common."""
        apart = _below(self.high, other.low) or _below(other.high, self.low)
        return not apart

    def overlaps(self, other: Interval) -> bool:
        """Whether the two have more in common than the end of each: 29 and 30 only touch."""
        return self.meets(other) and self.high != other.low and other.high != self.low

    @property
    def bounded(self) -> bool:
        """Whether both sides have a bound."""
        return self.low is not None and self.high is not None


ANYTHING = Interval(None, None)


def point(value: Fraction) -> Interval:
    """The interval of one value."""
    return Interval(value, value)


def _sum(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    return None if a is None or b is None else a + b


def _minus(a: Fraction | None) -> Fraction | None:
    return None if a is None else -a


def _below(high: Fraction | None, low: Fraction | None) -> bool:
    return high is not None and low is not None and high < low
