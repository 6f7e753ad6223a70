"""Lists as tables: items of one form, "a: 64,000 IOPS, latency 0.50 ms", are rows of one table.

Items with one number each are a table only where they name a distribution: "p95: 12 ms".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perfkit.auditing.found.page import Sheet
from perfkit.auditing.found.slots import Track
from perfkit.auditing.found.words import label_of
from perfkit.formats.quantities import Quantity, head_unit

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Said
    from perfkit.auditing.found.slots import Slot

_LEAST_ITEMS, _MOST_NUMBERS, _LONGEST_NAME = 3, 8, 60
_NAME = re.compile(r"^[^:=]{1,60}?(?::\s|\s[-\u2013\u2014]\s|\s?=>?\s)")
_LINES = 3
"""How many lines further the next item of a list may begin."""


def lists(said: Sequence[Said]) -> Iterator[Sheet]:
    """Each run of items that have the same numbers between the same words, as a table."""
    items = [item for item in map(_item, said) if item]
    run: list[_Item] = []
    for item in items:
        # a name that comes again begins the list of another thing
        if run and (not run[-1].goes_on(item) or item.name in {own.name for own in run}):
            yield from _sheet(run)
            run = []
        run.append(item)
    yield from _sheet(run)


class _Item:
    """A sentence of a list: its name, its numbers, and the words before each of them."""

    def __init__(self, said: Said, name: str, numbers: Sequence[Quantity]) -> None:
        self.said, self.name = said, name
        starts = [len(name), *(q.end for q in numbers[:-1])]
        between = zip(starts, numbers, strict=True)
        self.heads = tuple(said.text[start : q.start].strip(" ,;:=(") for start, q in between)
        self.slots = tuple(map(self._slot, numbers, self.heads))
        words = (re.sub(r"[^a-z0-9]", "", head.lower()) for head in self.heads)
        behind = re.findall(r"[a-z]+", said.text[numbers[-1].end :].lower())[:1]
        kinds = (slot.kind for slot in self.slots)
        several = tuple(behind) if len(numbers) > 1 else ()
        self.form = (said.section, tuple(zip(words, kinds, strict=True)), several)

    def _slot(self, number: Quantity, head: str) -> Slot:
        return self.said.slot(number, number.unit or head_unit(head)[0])

    def goes_on(self, other: _Item) -> bool:
        """Whether another one is the next item of the same list."""
        near = 0 < other.said.line - self.said.line <= _LINES
        return near and other.said.paragraph > self.said.paragraph and self.form == other.form


def _item(said: Said) -> _Item | None:
    numbers = said.quantities if said.kind == "text" else ()
    named = _NAME.match(said.text)
    name = named[0] if named else said.text[: numbers[0].start] if numbers else ""
    own = [number for number in numbers if number.start >= len(name) and not number.bound]
    fits = 0 < len(own) <= _MOST_NUMBERS and len(name) <= _LONGEST_NAME
    return _Item(said, name, own) if fits else None


def _sheet(run: list[_Item]) -> Iterator[Sheet]:
    bare = any(len(item.slots) == 1 and not label_of(item.name).rank for item in run)
    if len(run) < _LEAST_ITEMS or bare:
        return
    first = run[0].said
    texts = tuple(
        (item.name.rstrip(" :=>\u2013\u2014-"), *(slot.text for slot in item.slots)) for item in run
    )
    tracks = tuple(
        Track(
            label_of(head),
            tuple(item.slots[n] for item in run),
            n + 2,
            cells=tuple(row[n + 1] for row in texts),
        )
        for n, head in enumerate(run[0].heads)
    )
    lines = tuple(item.said.line for item in run)
    heads = ("", *run[0].heads)
    yield Sheet(f"list {first.line}", "list", "", first.section, heads, texts, lines, tracks)
