"""Numbers that a text quotes from a table: what it names and repeats shows which cell is meant.

A number that stands nowhere else in the document, but a slip of the pen away from one cell, is
likely that cell's. How much has to show that the text speaks of the cell depends on the slip: two
digits swapped in a long number are none by chance, one digit that differs in a short one may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import Check, Trial, check_of, is_slip, is_swap, same, tried
from perfkit.auditing.found.words import FILLING
from perfkit.auditing.quantities import SIZE

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

FAMILY = "numbers quoted from a table"
_DIGITS, _MANY_DIGITS, _REACH = 3, 5, 40
"""Digits of a number, and how many lines a text stands from the table that it speaks of."""


def quoted(page: Page) -> Iterator[Check]:
    """Each sentence that quotes a table, against the cells it quotes."""
    known = _known(page)
    cells = [_Cells(sheet) for sheet in page.sheets]
    for sentence in (said for said in page.said if said.kind == "text" and said.quantities):
        near = [one for one in cells if is_near(sentence, one.sheet)]
        for number in filter(_is_measured, sentence.slots):
            if meant := [cell for one in near for cell in one.equal(number)]:
                yield from _repeated(number, meant)
            elif known[abs(number.quantity.value)] == 1:
                yield from _slipped(number, sentence, near)


def is_near(sentence: Said, sheet: Sheet) -> bool:
    """Whether a sentence stands so near to a table that it can speak of it."""
    first, last = sheet.lines[0], sheet.lines[-1]
    near = first - _REACH <= sentence.line <= last + _REACH
    return near and not first <= sentence.line <= last


@dataclass(frozen=True)
class _Cells:
    """The numbers of a table that can be quoted."""

    sheet: Sheet

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(filter(_is_measured, self.sheet.slots))

    @cached_property
    def heads(self) -> tuple[frozenset[str], ...]:
        """The words that each head has for itself."""
        words = [set(label.words) - FILLING for label in self.sheet.labels]
        counts = Counter(word for own in words for word in own)
        return tuple(frozenset(w for w in own if counts[w] < len(words) - 1) for own in words)

    def equal(self, number: Slot) -> list[Slot]:
        """The cells that a number repeats, as rounded as it is."""
        return [slot for slot in self.slots if _repeats(number, slot)]

    def named(self, slot: Slot, sentence: Said) -> int:
        """How many of a cell's row and column a sentence names: by a word that others lack."""
        row = set(self.sheet.names[(slot.row or 1) - 1].words) & self.sheet.telling
        column = self.heads[(slot.column or 1) - 1]
        only = sum(other.kind == slot.kind for other in self.slots if other.row == slot.row) == 1
        return bool(row & sentence.words) + (bool(column & sentence.words) or only)

    def beside(self, slot: Slot, sentence: Said) -> bool:
        """Whether a sentence quotes another cell of the same row or column."""
        others = [c for s in sentence.slots if _is_measured(s) for c in self.equal(s)]
        return any(slot.row == other.row or slot.column == other.column for other in others)


def _is_measured(slot: Slot) -> bool:
    """Whether a number was measured: a whole one may be a depth, a line, a year, a size that is set."""
    number = slot.quantity
    measured = number.decimals or "," in number.text or slot.kind not in {"", SIZE}
    return bool(measured) and number.digits >= _DIGITS and not number.bound


def _known(page: Page) -> Counter[object]:
    """How often each value is printed in the document."""
    numbers = [s for sheet in page.sheets for s in sheet.slots]
    numbers += [s for said in page.prose for s in said.slots]
    return Counter(abs(slot.quantity.value) for slot in numbers)


def _repeats(number: Slot, cell: Slot) -> bool:
    # of one kind, or one of them printed without its unit
    if number.kind != cell.kind and number.kind and cell.kind:
        return False
    trial = tried(number, (cell,), same)  # 1182 is 1182.8 as well, cut off
    return bool(trial and trial.held)


def _repeated(number: Slot, cells: Sequence[Slot]) -> Iterator[Check]:
    if len(cells) == 1:
        yield _check(tried(number, (cells[0],), same), cells[0])


def _slipped(number: Slot, sentence: Said, near: Sequence[_Cells]) -> Iterator[Check]:
    """The one cell of all tables near that a number may be a slip of."""
    found = [
        (slot, trial)
        for cells in near
        for slot in cells.slots
        if slot.kind == number.kind
        # 387 Gb/s is not quoted as 48.4 GB/s
        and slot.factor == number.factor
        and not any(_repeats(other, slot) for other in sentence.slots if other is not number)
        and (trial := tried(number, (slot,), same, cut=False))
        and is_slip(trial, _DIGITS)
        and _is_meant(trial, slot, sentence, cells)
    ]
    if len(found) == 1:
        (slot, trial) = found[0]
        yield _check(trial, slot)


def _is_meant(trial: Trial, slot: Slot, sentence: Said, cells: _Cells) -> bool:
    """Whether enough says that a number is that of a cell."""
    digits, named = trial.claim.quantity.digits, cells.named(slot, sentence)
    if is_swap(trial) and (slot.kind or digits >= _MANY_DIGITS):
        return digits >= _MANY_DIGITS or named > 0
    # one other digit is what another run gives, too
    return named > 1 and cells.beside(slot, sentence)


def _check(trial: Trial | None, cell: Slot) -> Check:
    assert trial  # noqa: S101 - a number against another can always be tried
    name = f"Quoted from {cell.place} (line {cell.line})"
    return check_of(trial, FAMILY, "stated_twice", name)
