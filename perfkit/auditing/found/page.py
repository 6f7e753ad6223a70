"""A document as the families see it: numbers with their places, in tables and in sentences.

A cell may print several numbers ("0.167s (2.04x)", "4.6 / 4.4"): each place in a cell is a track of
its own, so that a relation can be sought between what stands side by side in the cells.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby, islice, product
from typing import TYPE_CHECKING

from perfkit.auditing.found.slots import Slot, Track, View
from perfkit.auditing.found.words import Label, label_of
from perfkit.auditing.relations.cells import Number, place_key
from perfkit.formats.quantities import (
    SIZE,
    Quantity,
    Unit,
    exactly,
    head_unit,
    quantities,
    unit_of,
)

if TYPE_CHECKING:
    import polars as pl

    from perfkit.core.schema import Row

MOST_PARTS, MOST_LETTERS, MOST_STACKED = 3, 10, 150
MOST_SENTENCES = 4000
"""Sentences with numbers that are read: of those behind them nothing is known, as the reach says."""
_REACH = 5
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
WORDS: dict[str, int] = {word: n for n, word in enumerate(_ONES.split(" "))}
"""Numbers in words."""
for _many, _ten in enumerate(_TENS.split(" "), 2):
    WORDS[_ten] = 10 * _many
    WORDS |= {f"{_ten}-{one}": 10 * _many + n for one, n in list(WORDS.items())[1:10]}
COUNT = "|".join(sorted(WORDS, key=len, reverse=True))


def counted(word: str) -> int | None:
    """The count that a word says: "six", "24"; None for other words."""
    if word.isdecimal() and len(word) < 5:
        return int(word)
    return WORDS.get(word.lower())


def shortened(text: str, most: int = 90) -> str:
    """A text cut at a word."""
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} \u2026"


@dataclass(frozen=True)
class Sheet:
    """A table of a document: its heads, its cells' texts by rows, its numbers by columns."""

    name: str
    called: str
    title: str
    section: str
    heads: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    columns: tuple[Track, ...]

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The labels of its heads."""
        return tuple(map(label_of, self.heads))

    @cached_property
    def names(self) -> tuple[Label, ...]:
        """The labels of its rows."""
        return tuple(label_of(row[0]) for row in self.texts)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """By columns, by rows."""
        numeric = [track for track in self.columns if not track.names and track.column > 1]
        worded = [column for column in range(1, len(self.heads)) if self._repeats(column)]
        by_rows = tuple(
            Track(
                name,
                tuple(track.slots[n] for track in numeric),
                0,
                cells=tuple(self.texts[n][track.column - 1] for track in numeric),
                beside=tuple(self.texts[n][column] for column in worded),
            )
            for n, name in enumerate(self.names)
        )
        heads = tuple(track.label for track in numeric)
        return (
            View(
                self.name, self.texts, self.columns, self.names, by_rows=False, stated=self.stated
            ),
            View(self.name, self.texts, by_rows, heads, by_rows=True, stated=self.stated),
        )

    def _repeats(self, column: int) -> bool:
        """Whether a column of words says the same of several rows."""
        texts = [row[column] for row in self.texts if row[column]]
        return len(set(texts)) < len(texts) and not self.column(column)

    @cached_property
    def stated(self) -> tuple[Slot, ...]:
        """What its first head, its title and its section say of all rows: "(47.49 GiB)"."""
        above = ((self.heads[0], "head"), (self.title, "title"), (self.section, "section"))
        line = self.lines[0] - 2
        said = [
            Said(text, line, "", 0, "cell", f"{self.called}, {what}")
            for text, what in above
            if text
        ]
        return tuple(slot for item in said for slot in item.slots if slot.kind)

    @cached_property
    def _cells(self) -> dict[tuple[int, int], Slot]:
        firsts = (t for t in self.columns if not t.part and not t.names)
        return {(n, t.column - 1): slot for t in firsts for n, slot in enumerate(t.slots) if slot}

    def at(self, row: int, column: int) -> Slot | None:
        """The number of a cell, both counted from 0; None for words."""
        return self._cells.get((row, column))

    def column(self, at: int) -> list[Slot]:
        """The numbers of a column, counted from 0."""
        return [slot for n in range(len(self.texts)) if (slot := self.at(n, at))]

    @cached_property
    def joined(self) -> Track:
        """All its numbers row by row, in the unit that its caption names."""
        unit = head_unit(self.title)[0] or head_unit(self.section)[0]
        places = product(range(len(self.texts)), range(1, len(self.heads)))
        slots = [self.at(row, column) for row, column in places]
        kept = [s if s is None or s.unit else replace(s, unit=unit) for s in slots]
        positive = tuple(slot if slot and slot.value > 0 else None for slot in kept)
        return Track(label_of(self.title or self.section), positive, 0)

    @cached_property
    def cells(self) -> tuple[Said, ...]:
        """Its cells as texts, each with its head and the name of its row as its section."""
        found = []
        for n, (line, row) in enumerate(zip(self.lines, self.texts, strict=True)):
            for column, (head, text) in enumerate(zip(self.heads, row, strict=True)):
                cell, section = (self.name, n + 1, column + 1), f"{head} {row[0]}"
                place = self.place(n, column)
                found.append(Said(text, line, section, 0, "cell", place, cell))
        return tuple(said for said in found if said.text)

    def place(self, row: int, column: int) -> str:
        """A cell in the document's words: its table, row and column."""
        return _place(self.called, row, self.texts[row][0], column, self.heads[column])


def _place(table: str, row: int, name: str, column: int, head: str) -> str:
    named = f"row {row + 1} ({name})" if name[:1].isdecimal() else name or f"row {row + 1}"
    return f"{table}, {named}, {head or f'column {column + 1}'}"


@dataclass(frozen=True)
class Said:
    """A sentence, command, caption or cell with its place."""

    text: str
    line: int
    section: str
    paragraph: int
    kind: str
    page: str | None
    cell: tuple[str, int, int] | None = None

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers in it, in digits."""
        return tuple(quantities(self.text)) if self.kind != "command" else ()

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Its numbers with their places."""
        return tuple(map(self.slot, self.quantities))

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, as those of labels."""
        return frozenset(label_of(self.text).words)

    @cached_property
    def place(self) -> str:
        """Where it stands, in the document's words."""
        if self.cell:
            return str(self.page)
        where = self.page or (f"section {self.section}" if self.section else "text")
        return f"{where}: \u201c{shortened(self.text)}\u201d"

    def slot(self, quantity: Quantity, unit: Unit | None = None) -> Slot:
        """A number of it with its place; in another unit where that is given."""
        table, row, column = self.cell or (None, None, None)
        if self.cell:
            part = sum(q.start < quantity.start for q in self.quantities)
            key = cell_key(str(table), row, column, part)
        else:
            key = place_key(place_key(self.line, self.text), quantity.start)
        at = (self.line, self.place, key, Fraction(1), table, row, column)
        return Slot(quantity, unit or quantity.unit, *at)

    def count(self, value: int, text: str, start: int) -> Slot:
        """A count in words or digits, with its place."""
        return self.slot(exactly(Fraction(value), text, start))


def cell_key(table: str, row: int | None, column: int | None, part: int) -> str:
    """The place of a number in a cell, by which it is counted once."""
    return place_key(table, row, column, *((part,) if part else ()))


def number_of(slot: Slot, factor: Fraction = Fraction(1)) -> Number:
    """A number as one of a relation, by a factor."""
    around, unit = slot.quantity.around.scaled(factor), slot.unit.name if slot.unit else None
    places = frozenset({slot.key} if slot.key else ())
    return Number(slot.quantity.value * factor, around, unit, slot.text, "", places)


LONGEST = 3000
"""Characters of the longest sentence that is read."""
SENTENCE = ("text", "line", "section", "paragraph", "kind", "place")
"""The columns of sentences that an audit needs."""


@dataclass(frozen=True)
class Page:
    """A document: its tables, and what is said around them."""

    sheets: tuple[Sheet, ...]
    said: tuple[Said, ...]

    @cached_property
    def views(self) -> tuple[View, ...]:
        """Its tables along both axes; tables of one shape are one, with more rows."""
        groups: dict[tuple[object, ...], list[View]] = defaultdict(list)
        for view in (view for sheet in self.sheets for view in sheet.views):
            shape = tuple((t.label.text, t.kind, t.column, t.part, t.names) for t in view.tracks)
            groups[view.by_rows, shape].append(view)
        found: list[View] = []
        for views in groups.values():
            # many rows of their own need no evidence from others
            few = sum(len(view.places) for view in views) <= MOST_STACKED
            found += [_stacked(views)] if few else views
        return tuple(found)

    @cached_property
    def of_one_shape(self) -> tuple[tuple[Sheet, Sheet], ...]:
        """Tables near each other with the same heads and rows: what they measure, captions name."""
        near = ((a, b) for n, a in enumerate(self.sheets) for b in self.sheets[n + 1 : n + _REACH])
        alike = ((a, b) for a, b in near if a.heads == b.heads)
        return tuple((a, b) for a, b in alike if [r[0] for r in a.texts] == [r[0] for r in b.texts])

    @cached_property
    def prose(self) -> tuple[Said, ...]:
        """What is said, without commands and what is too long for a sentence: a tool's output."""
        return tuple(s for s in self.said if s.kind != "command" and len(s.text) <= LONGEST)

    @cached_property
    def texts(self) -> tuple[Said, ...]:
        """What is said, and the cells of tables."""
        return (*self.prose, *(cell for sheet in self.sheets for cell in sheet.cells))


def _stacked(views: list[View]) -> View:
    """Tables of one shape below one another."""
    first = views[0]
    if len(views) == 1:
        return first
    tracks = tuple(
        replace(
            track,
            slots=tuple(s for view in views for s in view.tracks[n].slots),
            cells=tuple(text for view in views for text in view.tracks[n].cells),
        )
        for n, track in enumerate(first.tracks)
    )
    texts = tuple(row for view in views for row in view.texts)
    places = tuple(label for view in views for label in view.places)
    return View(first.name, texts, tracks, places, by_rows=first.by_rows)


def page_of(cells: pl.DataFrame, sentences: pl.DataFrame | None) -> Page:
    """The page of frames of printed cells and sentences."""
    tables = groupby(cells.iter_rows(named=True), key=lambda row: row["table_id"])
    sheets = tuple(_sheet(str(name), list(rows)) for name, rows in tables)
    said = said_of(sentences)
    numbered = islice((n for n, sentence in enumerate(said) if sentence.quantities), MOST_SENTENCES)
    last = max(numbered, default=0) + 1 if len(said) > MOST_SENTENCES else len(said)
    return Page(sheets, tuple(said[:last]))


def said_of(sentences: pl.DataFrame | None) -> list[Said]:
    """The sentences of a frame; none of none."""
    rows = () if sentences is None else sentences.iter_rows(named=True)
    return [
        Said(r["text"], r["line"], r["section"] or "", r["paragraph"], r["kind"], r["place"])
        for r in rows
    ]


def _sheet(name: str, cells: list[Row]) -> Sheet:
    rows = [list(part) for _, part in groupby(cells, key=lambda row: row["row"])]
    first = rows[0][0]
    section = first["place"] or ""
    called = first["table"] or (f"table in {section}" if section else name)
    heads = tuple(cell["column_label"] or "" for cell in rows[0])
    texts = tuple(tuple(cell["text"] or "" for cell in row) for row in rows)
    # "QPS" beside a row is the unit of its numbers; "128 KiB" is a number by itself
    units = [None if quantities(row[0]) else head_unit(row[0])[0] for row in texts]
    tracks: list[Track] = []
    for n, head in enumerate(heads):
        tracks += _tracks(n, head, [row[n] for row in rows], units, called)
    lines = tuple(row[0]["line"] for row in rows)
    return Sheet(name, called, first["title"] or "", section, heads, texts, lines, tuple(tracks))


def _tracks(
    n: int, head: str, cells: list[Row], units: list[Unit | None], called: str
) -> Iterator[Track]:
    """The tracks of a column: one for each place in its cells that holds numbers."""
    printed = [quantities(cell["text"] or "") for cell in cells]
    found = [[q for q in own if q.bound != "\u00b1"] for own in printed]
    # what names the rows has words, where a column of numbers has few
    most = MOST_LETTERS if n else 1
    bare = [is_numbers(c["text"] or "", own, most) for c, own in zip(cells, printed, strict=True)]
    names = n == 0 and 2 * sum(bare) <= len(cells)
    # "15, 20, 25, 30, 35" are settings, of which none is set against another column
    if 2 * sum(len(own) > MOST_PARTS for own in found) > len(cells):
        return
    for part in range(min(max(map(len, found), default=0), MOST_PARTS)):
        slots: list[Slot | None] = []
        for at, (cell, own) in enumerate(zip(cells, found, strict=True)):
            if part >= len(own) or not (names or bare[at]) or own[part].bound not in _ABOUT:
                slots.append(None)
                continue
            unit, scale = _unit(own, part, head, cell, None if names else units[at])
            key = cell_key(cell["table_id"], cell["row"], cell["column"], part)
            place = _place(called, at, cells[at]["row_name"] or "", n, head)
            where = (cell["table_id"], cell["row"], cell["column"])
            slots.append(Slot(own[part], unit, cell["line"], place, key, scale, *where))
        if any(slots):
            texts = tuple(cell["text"] or "" for cell in cells)
            yield Track(label_of(head), tuple(slots), n + 1, part, names, texts)


_ABOUT = frozenset({"", "~", "\u2248"})
_SIZES = re.compile(r"size|block|\bbs\b|request|workload|pattern|test|case|item", re.I)


def _unit(
    own: Sequence[Quantity], part: int, head: str, cell: Row, row: Unit | None
) -> tuple[Unit | None, Fraction]:
    """The unit of a number: its own, else of the head (of its place there), else of the row."""
    quantity, text = own[part], cell["text"] or ""
    named, scale = head_unit(head)
    if len(own) > 1 and "(" in text and "(" in head:
        outside, inside = head[: head.index("(")], head[head.index("(") :]
        named, scale = head_unit(inside if part else outside)
    elif part and "(" in text[: quantity.start]:
        named, scale = None, Fraction(1)
    if quantity.unit is not None:
        return quantity.unit, Fraction(1)
    if scaled := re.search(r"[kKMG]$", quantity.text):
        if named is None and _SIZES.search(head):
            power = "kmg".index(scaled[0].lower()) + 1
            return Unit(SIZE, Fraction(1024**power, 1000**power), "KiB"), Fraction(1)
        return named, Fraction(1)
    declared = unit_of(cell["unit"]) if cell["unit"] and named is None and part == 0 else None
    return named or declared or (row if part == 0 else None), scale


_RANGE = re.compile(r"[\[(]\s*[\d.,]+\s?[-\u2013]\s?[\d.,]+\s?[A-Za-z%]{0,4}[\])]")


def is_numbers(text: str, own: Iterable[Quantity], most: int = MOST_LETTERS) -> bool:
    """Whether a cell prints numbers, and few words beside them."""
    rest = text
    for quantity in reversed(tuple(own)):
        rest = rest[: quantity.start] + rest[quantity.end :]
    rest = _RANGE.sub("", rest) if own else rest
    words = len(re.sub(r"[^A-Za-z\u0400-\u9fff]", "", rest))
    return rest != text and words <= most and not re.search(r"\d", rest)
