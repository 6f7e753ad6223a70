"""Rows of several lines as one line each: records, and what stands below them.

The lines of a record are laid side by side. Below a row, reports of a pluggable database name it;
below sampled statements of SQL stand further events, the text and the container.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perfkit.sources.awr.cells import key
from perfkit.sources.awr.raw import CONTAINER, TEXT, Column
from perfkit.sources.awr.text_cells import cut

WIDE = 1000
"""The lines of a record are laid side by side, this far apart."""

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Layout:
    """Where the columns of one table are, and what they are called."""

    spans: Spans
    columns: tuple[Column, ...]
    size: int = 1
    """Lines of a record."""

    def line(self, place: int) -> Spans:
        """The columns of one line of a record."""
        return tuple(
            (start - place * WIDE, end - place * WIDE)
            for start, end in self.spans
            if start // WIDE == place
        )

    def beside(self, name: str, texts: Sequence[str]) -> Layout:
        """With one more column, behind the lines of a record, as wide as its texts."""
        start = self.size * WIDE
        span = (start, start + max(map(len, texts), default=1))
        return Layout((*self.spans, span), (*self.columns, Column("", name)), self.size)


def records(lines: Sequence[str], layout: Layout) -> tuple[tuple[str, ...], Layout]:
    """The records of a table, each as one line, and the layout of these lines."""
    listed = any(key(column.name) == "sqlid" for column in layout.columns)
    if listed and layout.size > 1:
        return _sampled(lines, layout)
    if not listed and any(map(_CONTAINER.fullmatch, lines)):
        return _contained(lines, layout)
    joined = _joined(lines, layout.size) if layout.size > 1 else lines
    return tuple(joined), layout


def _joined(lines: Sequence[str], size: int) -> list[str]:
    """The lines of each record as one long line."""
    plain = [line for line in lines if line.strip()]
    return [_beside(plain[place : place + size]) for place in range(0, len(plain), size)]


def _beside(lines: Sequence[str]) -> str:
    return "".join(line.ljust(WIDE) for line in lines)


_CONTAINER = re.compile(r"\s+PDB: (\S+)")


def _contained(lines: Sequence[str], layout: Layout) -> tuple[tuple[str, ...], Layout]:
    """Records of which some have a line with their container below them."""
    plain: list[str] = []
    named: dict[int, str] = {}
    for line in filter(str.strip, lines):
        found = _CONTAINER.fullmatch(line)
        if not found:
            plain.append(line)
        elif plain and not len(plain) % layout.size:
            named[len(plain) // layout.size - 1] = found[1]
    joined = _joined(plain, layout.size)
    for place, name in named.items():
        joined[place] = joined[place].ljust(layout.size * WIDE) + name
    return tuple(joined), layout.beside(CONTAINER, list(named.values()))


def _sampled(lines: Sequence[str], layout: Layout) -> tuple[tuple[str, ...], Layout]:
    """Sampled statements: a line with the id, one for each event, the text, the container."""
    found: list[tuple[str, str]] = []
    for filled, group in itertools.groupby(lines, key=lambda line: bool(line.strip())):
        own = list(group)
        if filled and found and all(_is_event(line, layout.line(1)) for line in own):
            # further events of the statement above: its text stands below the first one
            first, text = found[-1]
            found += [(_beside([first[:WIDE].rstrip(), line]), text) for line in own]
        elif filled:
            found += _statement(own, layout)
    start = layout.size * WIDE
    joined = tuple(line.ljust(start) + text for line, text in found)
    return joined, layout.beside(TEXT, [text for _, text in found])


def _statement(lines: list[str], layout: Layout) -> Iterator[tuple[str, str]]:
    """The rows of one statement, each with its text."""
    first, *rest = lines
    if not _ID.fullmatch(first[slice(*layout.line(0)[0])].strip()):
        # an end of the text of the statement on the page before, or damage
        yield first, ""
        return
    events = list(itertools.takewhile(lambda line: _is_event(line, layout.line(1)), rest))
    text = rest[len(events) :]
    named = layout.size > _EVENTS and text and _LAST.fullmatch(text[-1])
    container = text.pop() if named else ""
    for event in events or [""]:
        yield _beside([first, event, *([container] if named else [])]), "".join(text)


_ID = re.compile(r"[0-9a-z]{13}|\d{5,11}|\*\*.*\*\*")
_LAST = re.compile(r"\s{5,}\S+")
_EVENTS = 2
"""Lines of a record that names no container."""


def _is_event(line: str, spans: Spans) -> bool:
    """Whether a line is one of an event: shares of percent stand where their columns end."""
    cells = cut(line, spans)
    ends = [end for (_, end), cell in zip(spans, cells, strict=False) if _SHARE.fullmatch(cell)]
    return len(ends) > 1 and all(line[:end].endswith((*"0123456789",)) for end in ends)


_SHARE = re.compile(r"\d*\.\d+")
