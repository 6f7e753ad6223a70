"""Numbers that a text quotes from a table: what others in the sentence prove, one digit may deny.

A sentence that repeats numbers of a table quotes it. Where another of its numbers stands nowhere in
the document, but one digit away from a cell of a row or column that the sentence quotes and names,
one of the two is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import Check, check_of, is_slip, same, tried
from perfkit.auditing.found.words import FILLING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

FAMILY = "numbers quoted from a table"
_LEAST_DIGITS, _REACH = 3, 40
"""Digits of a number that chance seldom repeats, and how many lines a text stands from its table."""


def quoted(page: Page) -> Iterator[Check]:
    """Each sentence that quotes a table, against the cells it quotes."""
    sentences = [said for said in page.said if said.kind == "text" and said.quantities]
    known = _known(page)
    for sheet in page.sheets:
        cells = _Cells.of(sheet)
        for sentence in sentences:
            if is_near(sentence, sheet):
                yield from _against(sentence, cells, known)


@dataclass(frozen=True)
class _Cells:
    """The numbers of a table that can be quoted, by their value."""

    sheet: Sheet
    slots: tuple[Slot, ...]

    @classmethod
    def of(cls, sheet: Sheet) -> _Cells:
        return cls(sheet, tuple(filter(_says_much, sheet.slots)))

    def equal(self, number: Slot) -> list[Slot]:
        """The cells that a number repeats, as rounded as it is."""
        return [slot for slot in self.slots if _repeats(number, slot)]

    def names(self, slot: Slot, sentence: Said) -> tuple[bool, bool]:
        """Whether a sentence names the row of a cell by a word of its own, and its column."""
        row = set(self.sheet.names[(slot.row or 1) - 1].words) & self.sheet.telling
        column = set(self.sheet.labels[(slot.column or 1) - 1].words) - FILLING
        return bool(row & sentence.words), bool(column & sentence.words)


def _says_much(slot: Slot) -> bool:
    """Whether a number is seldom the same by chance: of three digits, and no size or depth that is set."""
    whole = slot.quantity.value if not slot.quantity.decimals else 0
    is_set = whole == int(whole) and int(whole) & (int(whole) - 1) == 0 and whole > 0
    return slot.quantity.digits >= _LEAST_DIGITS and not is_set


def _known(page: Page) -> dict[float, int]:
    """How often each value is printed in the document."""
    found: dict[float, int] = defaultdict(int)
    numbers = [s for sheet in page.sheets for s in sheet.slots]
    numbers += [s for said in page.prose for s in said.slots]
    for slot in numbers:
        found[abs(float(slot.quantity.value))] += 1
    return found


def is_near(sentence: Said, sheet: Sheet) -> bool:
    """Whether a sentence stands so near to a table that it can speak of it."""
    first, last = sheet.lines[0], sheet.lines[-1]
    near = first - _REACH <= sentence.line <= last + _REACH
    return near and not first <= sentence.line <= last


def _repeats(number: Slot, cell: Slot) -> bool:
    if not _fit(number, cell):
        return False
    trial = tried(number, (cell,), same, cut=False)
    return bool(trial and trial.held)


def _fit(number: Slot, cell: Slot) -> bool:
    """Whether two can be one quantity: of one kind, or one of them printed without its unit."""
    return number.kind == cell.kind or not (number.kind and cell.kind)


def _against(sentence: Said, cells: _Cells, known: dict[float, int]) -> Iterator[Check]:
    numbers = [slot for slot in sentence.slots if _says_much(slot)]
    repeated = {s.key: found for s in numbers if (found := cells.equal(s))}
    for number in numbers:
        others = [c for key, found in repeated.items() if key != number.key for c in found]
        if number.key in repeated:
            if others and len(repeated[number.key]) == 1:
                yield from _check(number, repeated[number.key][0])
        elif others and known[abs(float(number.quantity.value))] == 1:
            slips = [c for c in cells.slots if _is_meant(number, c, others, sentence, cells)]
            if len(slips) == 1:
                yield from _check(number, slips[0])


def _is_meant(number: Slot, cell: Slot, others: list[Slot], sentence: Said, cells: _Cells) -> bool:
    """Whether a cell is what a number was to repeat: a slip away, and beside what is quoted."""
    if not _fit(number, cell) or any(cell is other for other in others):
        return False
    row, column = cells.names(cell, sentence)
    in_row = any(other.row == cell.row for other in others)
    in_column = any(other.column == cell.column for other in others)
    beside = (in_row and (column or row)) or (in_column and row)
    trial = tried(number, (cell,), same, cut=False) if beside else None
    return bool(trial and not trial.held and is_slip(trial))


def _check(number: Slot, cell: Slot) -> Iterator[Check]:
    trial = tried(number, (cell,), same)
    if trial:
        name = f"Quoted from {cell.place} (line {cell.line})"
        yield check_of(trial, FAMILY, "stated_twice", name)
