"""Numbers with their places, and tracks of them: what stands below or beside one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from perfkit.auditing.found.words import Label
from perfkit.formats.quantities import OPS, SIZE, Quantity, Unit

_COARSE = 10_000


@dataclass(frozen=True)
class Slot:
    """One printed number with its place; ``value`` and ``half`` are in the base unit of its kind."""

    quantity: Quantity
    unit: Unit | None
    line: int
    place: str
    key: str
    scale: Fraction = Fraction(1)
    table: str | None = None
    row: int | None = None
    column: int | None = None

    @property
    def text(self) -> str:
        """As printed."""
        return self.quantity.text

    @property
    def factor(self) -> Fraction:
        """What the printed number is multiplied with to be in the base unit."""
        return self.scale * (self.unit.factor if self.unit else 1)

    @cached_property
    def exact(self) -> Fraction:
        """The value in the base unit, exactly as printed."""
        return self.quantity.value * self.factor

    @cached_property
    def value(self) -> float:
        """The value in the base unit."""
        return float(self.exact)

    @cached_property
    def half(self) -> float:
        """Half of its last digit, in the base unit."""
        return float(self.quantity.half * self.factor)

    @cached_property
    def nominal(self) -> float:
        """``half``; 0 of a whole size or count, which is set; more of a rounded rate."""
        whole = not self.quantity.decimals and self.quantity.digits < 3
        # "1 k" names a row by what was set; in another column it is rounded to thousands
        counted = not self.kind and (self.quantity.half < 1 or self.column == 1)
        if whole and (counted or self.kind == SIZE):
            return 0.0
        # 12,900 operations a second are counted to the hundred
        number = self.quantity.value
        coarse = (
            self.kind == OPS and number >= _COARSE and number % 100 == 0 and self.quantity.half < 1
        )
        return self.half * 100 if coarse else self.half

    @property
    def kind(self) -> str:
        """What it measures."""
        return self.unit.kind if self.unit else ""

    @property
    def unsigned(self) -> Slot:
        """The same number without its sign."""
        return replace(self, quantity=replace(self.quantity, value=abs(self.quantity.value)))


def _most_common(words: Iterable[str]) -> str:
    """The word that stands most often, of several the first: the order of a set is of each run its own."""
    return next((word for word, _ in Counter(words).most_common(1)), "")


@dataclass(frozen=True)
class Track:
    """Numbers that stand below or beside one another under one label."""

    label: Label
    slots: tuple[Slot | None, ...]
    column: int
    part: int = 0
    names: bool = False
    cells: tuple[str, ...] = ()
    """The texts of the cells that the numbers stand in."""
    beside: tuple[str, ...] = ()
    """Of a row: what its columns of words say, where they say it of several rows (a task, a unit)."""

    @cached_property
    def known(self) -> tuple[Slot, ...]:
        """Its numbers."""
        return tuple(slot for slot in self.slots if slot)

    @cached_property
    def kind(self) -> str:
        """What most of its numbers measure."""
        return _most_common(slot.kind for slot in self.known)

    @cached_property
    def unit(self) -> str:
        """The unit that most of its numbers have."""
        return _most_common(slot.unit.name for slot in self.known if slot.unit)


@dataclass(frozen=True)
class View:
    """A table along one axis: tracks of one length, and what the places in them are called."""

    name: str
    texts: tuple[tuple[str, ...], ...]
    tracks: tuple[Track, ...]
    places: tuple[Label, ...]
    by_rows: bool
    stated: tuple[Slot, ...] = ()
