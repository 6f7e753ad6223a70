"""What a test bed is made of: parts in rows, and links between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ROWS = ("networks", "hosts", "switches", "controllers", "shelves", "volumes")
"""The rows of a drawing, from the top."""

NUMBER = "{n}"
"""In the name of several parts: where their number stands."""

Place = tuple[str | int, ...]


class BedError(ValueError):
    """A test bed that cannot be drawn; ``place`` is where in its declaration."""

    def __init__(self, place: Place, problem: str):
        super().__init__(place, problem)
        self.place, self.problem = place, problem

    def __str__(self) -> str:
        return self.problem


@dataclass(frozen=True)
class Part:
    """A part of the test bed, or ``count`` that are alike.

    ``group`` is the name of what it belongs to together with its neighbours, such as an HA pair.
    """

    name: str
    row: str
    text: str | None = None
    count: int = 1
    group: str | None = None

    @property
    def ends(self) -> tuple[str, ...]:
        """The name of the first and, where there are several, of the last."""
        if self.count == 1:
            return (self.name.replace(NUMBER, "1"),)
        return self.of(1), self.of(self.count)

    def of(self, number: int) -> str:
        """The name of one of several: "Host 2" of "Host", "rhel2" of "rhel{n}"."""
        if self.count == 1:
            return self.ends[0]
        if NUMBER in self.name:
            return self.name.replace(NUMBER, str(number))
        return f"{self.name} {number}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all."""
        return tuple(self.of(number) for number in range(1, self.count + 1))


@dataclass(frozen=True)
class Link:
    """A link of each of one part with each of another.

    Attributes:
        upper: The name of the part that stands above, or left of the other.
        lower: The name of the other.
        paths: How many paths join one with one; None: not stated.
        speed: Speed or protocol, as written ("32G FC").
    """

    upper: str
    lower: str
    paths: int | None = None
    speed: str | None = None


@dataclass(frozen=True)
class Bed:
    """A test bed: its parts, row by row, and its links."""

    parts: tuple[Part, ...]
    links: tuple[Link, ...] = ()

    @property
    def rows(self) -> list[str]:
        """The rows that have parts, from the top."""
        return [row for row in ROWS if self.row(row)]

    def row(self, name: str) -> list[Part]:
        """The parts of a row, from the left."""
        return [part for part in self.parts if part.row == name]

    def part(self, name: str) -> Part:
        """The part of a name."""
        return next(part for part in self.parts if part.name == name)

    def level(self, name: str) -> int:
        """The number of the row, from the top, in which a part stands."""
        return self.rows.index(self.part(name).row)


def in_words(names: Sequence[str]) -> str:
    """A, B and C."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
