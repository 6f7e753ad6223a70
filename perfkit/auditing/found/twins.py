"""Cells that two tables both hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import quantities
from perfkit.auditing.found.relate import Check, check_of, slipped, tried

if TYPE_CHECKING:
    from perfkit.auditing.found.sheets import Sheet, Slot

FAMILY = "cells of two tables"
_LEAST = 4
_Key = tuple[str, str]


def twins(sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Cells of the same row and column in two tables, where nearly all of those agree."""
    by_key: dict[_Key, list[int]] = defaultdict(list)
    known = [_by_name(sheet) for sheet in sheets]
    for number, cells in enumerate(known):
        for key in cells:
            by_key[key].append(number)
    common: dict[tuple[int, int], list[_Key]] = defaultdict(list)
    for key, numbers in by_key.items():
        for at, later in enumerate(numbers[1:], 1):
            common[numbers[at - 1], later].append(key)
    for (first, later), keys in common.items():
        if len(keys) >= _LEAST:
            pairs = [(known[later][key], known[first][key]) for key in keys]
            yield from _compared(sheets[later], sheets[first], pairs)


def _by_name(sheet: Sheet) -> dict[_Key, Slot]:
    found: dict[_Key, Slot] = {}
    double: set[_Key] = set()
    for n, row in enumerate(sheet.texts):
        # a bare number names no row: two runs are two runs
        if not row[0] or (quantities(row[0]) and not any(c.isalpha() for c in row[0])):
            continue
        for column, head in enumerate(sheet.heads[1:], 1):
            slot = sheet.at(n, column)
            key = (" ".join(row[0].lower().split()), " ".join(head.lower().split()))
            if slot and head:
                if key in found:
                    double.add(key)
                found[key] = slot
    return {key: slot for key, slot in found.items() if key not in double}


def _compared(sheet: Sheet, other: Sheet, pairs: list[tuple[Slot, Slot]]) -> Iterator[Check]:
    trials = [t for slot, first in pairs if slot.kind == first.kind
              and (t := tried(slot, (first,), lambda value: value))]  # fmt: skip
    held = [t for t in trials if t.held and t.claim.quantity.digits > 1]
    failed = [t for t in trials if not t.held]
    # what is measured twice differs in many cells; what is copied differs by a slip
    if len(held) < _LEAST or 4 * len(failed) > len(held):
        return
    slips = [
        t for t in failed
        if slipped(t.claim.quantity.text, t.inputs[0].exact / (t.claim.factor or 1), t.claim.quantity.decimals)
    ]  # fmt: skip
    for trial in [*held, *slips]:
        first = trial.inputs[0]
        name = f"Stated in {other.place(first)} (line {first.line})"
        yield check_of(sheet, trial, FAMILY, "stated_twice", name).softened()
