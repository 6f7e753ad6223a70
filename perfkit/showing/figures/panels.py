"""Which lines share a panel: never more than can be told apart, in grey print too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perfkit.core.errors import AbsentError
from perfkit.showing import style

MOST_LINES = 6
"""Lines of a panel: so many dashes Plotly has, and in grey print colours tell nothing apart."""

MOST_PANELS = 12
"""Panels of a chart: four rows of three fill a page."""

TOO_MANY = "{} lines are too many for one chart: choose a workload or some systems"

Name = tuple[str, ...]
"""What a line is called, in parts: system, configuration, workload, jobs."""


@dataclass(frozen=True)
class Place:
    """Where a line is drawn: its panel, its name there, and which of the looks it has."""

    panel: str
    name: str
    look: int


_UNLABELLED = "without a label"


def joined(parts: Sequence[str]) -> str:
    """The parts that say something, as one name."""
    return ", ".join(part for part in parts if part)


def places(names: Sequence[Name], apart: int | None = None) -> list[Place]:
    """The place of each line.

    Up to ``MOST_LINES`` lines share one panel. More are parted by the part of their names that
    gives the fewest panels; what is still too much for one panel follows in the next.

    Args:
        names: The parts of each line's name, as many for each.
        apart: Which part has panels of its own wherever some panel then compares several lines:
            workloads.

    Raises:
        AbsentError: More panels than a page has room for.
    """
    by = _parted_by(names, apart)
    panels = _panels(names, by)
    if len(panels) > MOST_PANELS:
        raise AbsentError(TOO_MANY.format(len(names)))
    found: dict[int, tuple[str, str]] = {}
    for title, own in panels:
        for i in own:
            found[i] = title, _rest(names[i], by) or ("" if title else _UNLABELLED)
    placed = [found[i] for i in range(len(names))]
    looks = _looks(placed)
    return [Place(title, name, looks[name]) for title, name in placed]


def _looks(placed: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The look of each name, the same in every panel; in a panel each has a dash of its own.

    Two of a panel have the same dash only where their names stand in other panels too and leave
    no dash free.
    """
    looks: dict[str, int] = {}
    for name in dict.fromkeys(name for _, name in placed):
        panels = {title for title, other in placed if other == name}
        beside = {other for title, other in placed if title in panels}
        taken = {style.series(looks[other])["dash"] for other in beside & looks.keys()}
        free = [look for look in range(3 * len(placed) + MOST_LINES) if look not in looks.values()]
        looks[name] = min(free, key=lambda look: style.series(look)["dash"] in taken)
    return looks


def _parted_by(names: Sequence[Name], apart: int | None) -> int | None:
    if apart is not None and 1 < len({name[apart] for name in names}) < len(names):
        return apart
    if len(names) <= MOST_LINES:
        return None
    ways: list[int | None] = [*range(len(names[0])), None]
    return min(ways, key=lambda by: len(_panels(names, by)))


def _panels(names: Sequence[Name], by: int | None) -> list[tuple[str, list[int]]]:
    """The title of each panel and the lines in it."""
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        groups.setdefault("" if by is None else name[by], []).append(i)
    found = []
    for title, own in groups.items():
        size = math.ceil(len(own) / math.ceil(len(own) / MOST_LINES))
        for start in range(0, len(own), size):
            part = own[start : start + size]
            ends = [_rest(names[i], by) for i in (part[0], part[-1])]
            of = " to ".join(dict.fromkeys(ends)) if size < len(own) else ""
            found.append((": ".join(filter(None, (title, of))), part))
    return found


def _rest(name: Name, by: int | None) -> str:
    """The name without the part that is the panel's."""
    return joined([part for place, part in enumerate(name) if place != by])
