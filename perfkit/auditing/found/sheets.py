"""Tables as the families see them: numbers in tracks, by columns and by rows alike.

A cell may print several numbers ("0.167s (2.04x)", "4.6 / 4.4"): each place in a cell is a track of
its own, so that a relation can be sought between what stands side by side in the cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.quantities import (
    OPS,
    SIZE,
    Quantity,
    Unit,
    head_unit,
    quantities,
    unit_of,
)
from perfkit.auditing.found.words import Label, label_of
from perfkit.auditing.relations.cells import Number, place_key

if TYPE_CHECKING:
    import polars as pl

    from perfkit.auditing.relations.interval import Interval

MOST_PARTS, _COARSE = 3, 10_000
MOST_LETTERS = 10


@dataclass(frozen=True)
class Slot:
    """One number of a cell; ``value``, ``low`` and ``high`` are in the base unit of its kind."""

    quantity: Quantity
    unit: Unit | None
    scale: Fraction
    table: str
    row: int
    column: int
    line: int
    part: int

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
        high = self.quantity.around.high
        return float((high - self.quantity.value) * self.factor) if high is not None else 0.0

    @cached_property
    def nominal(self) -> float:
        """``half``; 0 of a whole size or count, which is set; more of a rounded rate."""
        whole = not self.quantity.decimals and self.quantity.digits < 3  # noqa: PLR2004
        if whole and self.kind in {SIZE, ""}:
            return 0.0
        # 12,900 operations a second are counted to the hundred
        number = self.quantity.value
        coarse = self.kind == OPS and number >= _COARSE and number % 100 == 0
        return self.half * 100 if coarse else self.half

    @property
    def around(self) -> Interval:
        """What its rounding allows, in the base unit."""
        return self.quantity.around.scaled(self.factor)

    @property
    def kind(self) -> str:
        """What it measures."""
        return self.unit.kind if self.unit else ""

    @property
    def key(self) -> str:
        """The place by which it is counted once."""
        parts = (self.part,) if self.part else ()
        return place_key(self.table, self.row, self.column, *parts)

    def number(self, name: str = "") -> Number:
        """It as a number of a relation, in the base unit."""
        unit = self.unit.name if self.unit else None
        return Number(
            self.exact, self.around, unit, self.quantity.text, name, frozenset({self.key})
        )


@dataclass(frozen=True)
class Track:
    """Numbers that stand below or beside one another under one label."""

    label: Label
    slots: tuple[Slot | None, ...]
    column: int
    part: int = 0
    names: bool = False

    @cached_property
    def kind(self) -> str:
        """What most of its numbers measure."""
        kinds = [slot.kind for slot in self.slots if slot]
        return max(set(kinds), key=kinds.count) if kinds else ""

    @cached_property
    def unit(self) -> str:
        """The unit that most of its numbers have."""
        names = [slot.unit.name for slot in self.slots if slot and slot.unit]
        return max(set(names), key=names.count) if names else ""

    @cached_property
    def count(self) -> int:
        """How many numbers it has."""
        return sum(slot is not None for slot in self.slots)


@dataclass(frozen=True)
class View:
    """A table along one axis: tracks of one length, and what the places in them are called."""

    sheet: Sheet
    tracks: tuple[Track, ...]
    places: tuple[Label, ...]
    by_rows: bool


@dataclass(frozen=True)
class Sheet:
    """A table of a document: its heads, its cells' texts by rows, its numbers by columns."""

    name: str
    table: str | None
    title: str
    section: str
    heads: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    columns: tuple[Track, ...]

    @property
    def called(self) -> str:
        """What a reader calls it."""
        return self.table or (f"table in {self.section}" if self.section else self.name)

    def place(self, slot: Slot) -> str:
        """Table, row and column of a number, in the document's words."""
        row = self.texts[slot.row - 1][0] or f"row {slot.row}"
        named = f"row {slot.row} ({row})" if row[:1].isdigit() else row
        return f"{self.called}, {named}, {self.heads[slot.column - 1] or f'column {slot.column}'}"

    @cached_property
    def views(self) -> tuple[View, ...]:
        """By columns, by rows."""
        names = tuple(label_of(row[0]) for row in self.texts)
        numeric = tuple(track for track in self.columns if not track.names)
        by_rows = tuple(
            Track(names[n], tuple(track.slots[n] for track in numeric if track.column > 1), 0)
            for n in range(len(self.texts))
        )
        heads = tuple(track.label for track in numeric if track.column > 1)
        return (
            View(self, self.columns, names, by_rows=False),
            View(self, by_rows, heads, by_rows=True),
        )

    @cached_property
    def _cells(self) -> dict[tuple[int, int], Slot]:
        return {(s.row - 1, s.column - 1): s for t in self.columns if not t.part and not t.names
                for s in t.slots if s}  # fmt: skip

    def at(self, row: int, column: int) -> Slot | None:
        """The number of a cell, both counted from 0; None for words."""
        return self._cells.get((row, column))

    @property
    def slots(self) -> Iterator[Slot]:
        """All numbers."""
        return (slot for track in self.columns if not track.names for slot in track.slots if slot)


def sheets_of(cells: pl.DataFrame) -> Iterator[Sheet]:
    """The tables of a frame of printed cells, in its order."""
    for name, rows in groupby(cells.iter_rows(named=True), key=lambda row: row["table_id"]):
        lines = [list(part) for _, part in groupby(rows, key=lambda row: row["row"])]
        yield _sheet(str(name), lines)


def _sheet(name: str, rows: list[list[dict[str, Any]]]) -> Sheet:
    first = rows[0][0]
    heads = tuple(cell["column_label"] or "" for cell in rows[0])
    texts = tuple(tuple(cell["text"] or "" for cell in row) for row in rows)
    # "QPS" beside a row is the unit of its numbers; "128 KiB" is a number by itself
    row_units = [None if quantities(row[0]) else head_unit(row[0])[0] for row in texts]
    tracks: list[Track] = []
    for n, head in enumerate(heads):
        column = [row[n] for row in rows]
        tracks += _tracks(n, head, column, row_units)
    return Sheet(
        name, first["table"], first["title"] or "", first["place"] or "", heads, texts,
        tuple(row[0]["line"] for row in rows), tuple(tracks),
    )  # fmt: skip


def _tracks(
    n: int, head: str, cells: list[dict[str, Any]], row_units: list[Unit | None]
) -> Iterator[Track]:
    """The tracks of a column: one for each place in its cells that holds numbers."""
    found = [[q for q in quantities(cell["text"] or "") if q.bound != "\u00b1"] for cell in cells]
    # what names the rows has words, where a column of numbers has few
    most = MOST_LETTERS if n else 1
    bare = [
        is_numbers(cell["text"] or "", own, most) for cell, own in zip(cells, found, strict=True)
    ]
    names = n == 0 and 2 * sum(bare) <= len(cells)
    binary = bool(
        re.search(r"size|block|\bbs\b|request|workload|pattern|test|case|item", head, re.I)
    )
    for part in range(min(max(map(len, found), default=0), MOST_PARTS)):
        slots: list[Slot | None] = []
        for at, (cell, own) in enumerate(zip(cells, found, strict=True)):
            usable = (
                part < len(own) and (names or bare[at]) and own[part].bound in {"", "~", "\u2248"}
            )
            if not usable:
                slots.append(None)
                continue
            unit, scale = _unit(
                own, part, head, cell, None if names else row_units[at], binary=binary
            )
            slots.append(Slot(own[part], unit, scale, cell["table_id"], cell["row"], cell["column"],
                              cell["line"], part))  # fmt: skip
        if any(slots):
            yield Track(label_of(head), tuple(slots), n + 1, part, names)


def _unit(
    own: Sequence[Quantity],
    part: int,
    head: str,
    cell: dict[str, Any],
    row: Unit | None,
    *,
    binary: bool,
) -> tuple[Unit | None, Fraction]:
    """The unit of a number: its own, else of the head (of its place there), else of the row."""
    quantity, text = own[part], cell["text"] or ""
    named, scale = head_unit(head)
    if len(own) > 1 and "(" in text and "(" in head:
        outside, inside = head[: head.index("(")], head[head.index("(") :]
        named, scale = head_unit(outside if part == 0 else inside)
    elif part and "(" in text[: quantity.start]:
        named, scale = None, Fraction(1)
    scaled = re.search(r"[kKMG]$", quantity.text)
    if quantity.unit is not None:
        return quantity.unit, Fraction(1)
    if scaled:
        if binary and named is None:
            power = "kmg".index(scaled[0].lower()) + 1
            return Unit(SIZE, Fraction(1024**power, 1000**power), "KiB"), Fraction(1)
        return named, Fraction(1)
    declared = unit_of(cell["unit"]) if cell["unit"] and named is None and part == 0 else None
    return named or declared or (row if part == 0 else None), scale


def is_numbers(text: str, own: Sequence[Quantity], most: int = MOST_LETTERS) -> bool:
    """Whether a cell prints numbers, and few words beside them."""
    if not own:
        return False
    rest = text
    for quantity in reversed(own):
        rest = rest[: quantity.start] + rest[quantity.end :]
    return len(re.sub(r"[^A-Za-z\u0400-\u9fff]", "", rest)) <= most and not re.search(r"\d", rest)
