"""Two tables of one shape: IOPS in the one, MB/s in the other, cell by cell by one size of request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.auditing.found.products import related
from perfkit.auditing.found.quantities import OPS, RATE, Unit, head_unit
from perfkit.auditing.found.sheets import Sheet, Slot, Track, View
from perfkit.auditing.found.words import label_of

if TYPE_CHECKING:
    from perfkit.auditing.found.relate import Check

_REACH = 4
_LEAST_CELLS = 6


def across(sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Neighbouring tables with the same rows and heads, of which the captions name the units."""
    units = [head_unit(sheet.title)[0] or head_unit(sheet.section)[0] for sheet in sheets]
    for at, sheet in enumerate(sheets):
        for other_at in range(at + 1, min(at + 1 + _REACH, len(sheets))):
            other = sheets[other_at]
            if _shape(sheet) != _shape(other):
                continue
            one, two = _track(sheet, units[at], other), _track(other, units[other_at], sheet)
            if {one.kind, two.kind} == {OPS, RATE} and one.count >= _LEAST_CELLS:
                of = sheet if one.kind == RATE else other
                labels = tuple(label_of(of.texts[n][0]) for n in range(len(of.texts)))
                places = tuple(label for label in labels for _ in of.heads[1:])
                yield from related(View(of, (one, two), places, by_rows=True), [one, two])


def _shape(sheet: Sheet) -> tuple[tuple[str, ...], ...]:
    return (sheet.heads, tuple(row[0] for row in sheet.texts))


def _track(sheet: Sheet, unit: Unit | None, other: Sheet) -> Track:
    """All numbers of a table one after the other, in the unit that its caption names."""
    slots: list[Slot | None] = []
    for row in range(len(sheet.texts)):
        for column in range(1, len(sheet.heads)):
            slot, beside = sheet.at(row, column), other.at(row, column)
            if slot and unit and (slot.unit is None or slot.unit.kind != unit.kind):
                slot = replace(slot, unit=unit) if slot.quantity.unit is None else slot
            slots.append(slot if beside and slot and slot.value > 0 < beside.value else None)
    return Track(label_of(sheet.title or sheet.section), tuple(slots), 0)
