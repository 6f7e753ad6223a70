"""Numbers that a text quotes from a table near by: the same, or with two digits swapped.

A number of five digits or more that stands nowhere else in the document, but two swapped digits away
from one cell, is that cell's: chance hardly makes one. Of fewer digits, or of one that differs, no
finding was right at a first look (of six, November 2026): other runs give such numbers, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import Check, Trial, check_of, is_swap, same, tried
from perfkit.auditing.quantities import SIZE

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

FAMILY = "numbers quoted from a table"
_DIGITS, _MANY_DIGITS, _REACH = 3, 5, 40
"""Digits of a number that repeats a cell, and of one that is a slip of it; and how many lines a text
stands from the table that it speaks of."""


def quoted(page: Page) -> Iterator[Check]:
    """Each sentence that quotes a table, against the cells it quotes."""
    known = _known(page)
    cells = [(sheet, tuple(filter(_is_measured, sheet.slots))) for sheet in page.sheets]
    for sentence in (said for said in page.prose if said.kind == "text" and said.quantities):
        near = [slot for sheet, slots in cells if _is_near(sentence, sheet) for slot in slots]
        for number in filter(_is_measured, sentence.slots):
            meant = [cell for cell in near if _repeats(number, cell)]
            if not meant and known[abs(number.quantity.value)] == 1:
                meant = list(_slips(number, sentence, near))
            if len(meant) == 1:
                yield _check(tried(number, (meant[0],), same), meant[0])


def _is_near(sentence: Said, sheet: Sheet) -> bool:
    """Whether a sentence stands so near to a table that it can speak of it."""
    first, last = sheet.lines[0], sheet.lines[-1]
    near = first - _REACH <= sentence.line <= last + _REACH
    return near and not first <= sentence.line <= last


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


def _slips(number: Slot, sentence: Said, near: Sequence[Slot]) -> Iterator[Slot]:
    """The cells of which a number may be a slip of the pen, and the sentence has no other."""
    for cell in near if number.quantity.digits >= _MANY_DIGITS else ():
        alike = (cell.kind, cell.factor) == (number.kind, number.factor)
        trial = tried(number, (cell,), same, cut=False) if alike else None
        others = (other for other in sentence.slots if other is not number)
        if trial and is_swap(trial) and not any(_repeats(other, cell) for other in others):
            yield cell


def _check(trial: Trial | None, cell: Slot) -> Check:
    assert trial  # noqa: S101 - a number against another can always be tried
    name = f"Quoted from {cell.place} (line {cell.line})"
    return check_of(trial, FAMILY, "stated_twice", name)
