"""A test bed in words: the labels of its links, and the text for those who cannot see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from perfkit.showing.topology.parts import Bed, in_words

if TYPE_CHECKING:
    from perfkit.showing.topology.parts import Link, Part

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
    if counted and (len(links) > 1 or _alike(bed, links[0]) > 1):
        counted[0] += " each"
    # neither is broken between lines
    return ", ".join(text.replace(" ", WHOLE) for text in (*counted, *([speed] if speed else [])))


def _alike(bed: Bed, link: Link) -> int:
    return bed.part(link.upper).count * bed.part(link.lower).count


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
    rows = [f"{row.capitalize()}: {_row(bed.row(row))}." for row in bed.rows]
    return " ".join(["Topology, from the top.", *rows, *_linked(bed)]).replace(WHOLE, " ")


def _row(parts: Sequence[Part]) -> str:
    told = []
    for number, part in enumerate(parts):
        text = f" ({part.text})" if part.text else ""
        after = parts[number + 1].group if number + 1 < len(parts) else None
        group = f", together {part.group}" if part.group and part.group != after else ""
        told.append(f"{_range(part)}{text}{group}")
    return "; ".join(told)


def _range(part: Part) -> str:
    return (" and " if part.count == 2 else " to ").join(part.ends)  # noqa: PLR2004


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
