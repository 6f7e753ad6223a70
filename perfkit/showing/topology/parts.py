"""What a test bed is made of: parts in rows, and links between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


WHOLE = "\u00a0"
"""A space at which no line ends."""

Kind = tuple[int | None, str | None]
"""Paths and speed of a link: links that agree in them share a label."""


def labels(bed: Bed, links: Sequence[Link]) -> list[str]:
    """What stands beside links that are drawn side by side: a line for each kind of them.

    Where there are several kinds, each names the parts by which it is told from the others.
    """
    kinds = _by_kind(links)
    several = len(kinds) > 1
    told = [(_whose(own, links), _label(bed, own)) for own in kinds.values()]
    return [f"{whose}: {text}" if several else text for whose, text in told if text]


def _by_kind(links: Iterable[Link]) -> dict[Kind, list[Link]]:
    kinds: dict[Kind, list[Link]] = {}
    for link in links:
        kinds.setdefault((link.paths, link.speed), []).append(link)
    return kinds


def _label(bed: Bed, links: Sequence[Link]) -> str:
    """Paths and speed of links that agree in them; empty where neither is stated."""
    paths, speed = links[0].paths, links[0].speed
    counted = [] if paths is None else ["1 path" if paths == 1 else f"{paths} paths"]
    alike = bed.part(links[0].upper).count * bed.part(links[0].lower).count
    if counted and (len(links) > 1 or alike > 1):
        counted[0] += " each"
    # neither is broken between lines
    return ", ".join(text.replace(" ", WHOLE) for text in (*counted, *([speed] if speed else [])))


def _whose(own: Sequence[Link], every: Sequence[Link]) -> str:
    """The upper parts of the links, or the lower ones, where no other link has them; else both."""
    others = [link for link in every if link not in own]
    uppers, lowers = [link.upper for link in own], [link.lower for link in own]
    if not {link.upper for link in others} & set(uppers):
        return ", ".join(_bare(name) for name in dict.fromkeys(uppers))
    if not {link.lower for link in others} & set(lowers):
        return ", ".join(_bare(name) for name in dict.fromkeys(lowers))
    return ", ".join(f"{_bare(link.upper)} to {_bare(link.lower)}" for link in own)


def _bare(name: str) -> str:
    return name.replace("{n}", "").strip()


def alt_text(bed: Bed) -> str:
    """The topology in words: the parts row by row from the top, then the links."""
    rows = [f"{row.capitalize()}: {_row_words(bed.row(row))}." for row in bed.rows]
    return " ".join(["Topology, from the top.", *rows, *_linked(bed)]).replace(WHOLE, " ")


def _row_words(parts: Sequence[Part]) -> str:
    told = []
    for number, part in enumerate(parts):
        text = f" ({part.text})" if part.text else ""
        after = parts[number + 1].group if number + 1 < len(parts) else None
        group = f", together {part.group}" if part.group and part.group != after else ""
        told.append(f"{_range(part)}{text}{group}")
    return "; ".join(told)


def _range(part: Part) -> str:
    return (" to " if part.count > len(part.ends) else " and ").join(part.ends)


def _linked(bed: Bed) -> list[str]:
    if not bed.links:
        return []
    told: dict[tuple[str, Kind], list[Link]] = {}
    for link in bed.links:
        told.setdefault((link.upper, (link.paths, link.speed)), []).append(link)
    links = []
    for (upper, _), own in told.items():
        ends = in_words([_range(bed.part(link.lower)) for link in own])
        label = _label(bed, own)
        links.append(f"{_range(bed.part(upper))} with {ends}{f', {label}' if label else ''}")
    return [f"Links: {'; '.join(links)}."]
