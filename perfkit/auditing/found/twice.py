"""What a document prints twice: a column in two tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import Check, check_of, is_swap, same, tried
from perfkit.auditing.found.words import label_of

if TYPE_CHECKING:
    from fractions import Fraction

    from perfkit.auditing.found.page import Page, Sheet, Slot

FAMILY = "cells of two tables"
_LEAST_ROWS, _LEAST_SAME = 3, 9


def twice(page: Page) -> Iterator[Check]:
    """Columns of two tables whose rows have the same names and nearly all the same numbers."""
    for pairs in _shared(page.sheets):
        trials = [t for a, b in pairs if a.kind == b.kind and (t := tried(a, (b,), same))]
        held = [t for t in trials if t.held and t.claim.quantity.digits > 1]
        failed = [t for t in trials if not t.held]
        digits = sum(t.claim.quantity.digits for t in held)
        # what is measured twice may differ in one digit of one cell; two that are swapped are a slip
        if len(held) < _LEAST_ROWS or digits < _LEAST_SAME or len(failed) > 1:
            continue
        for trial in [*held, *filter(is_swap, failed)]:
            name = f"Stated in {trial.inputs[0].place} (line {trial.inputs[0].line})"
            yield check_of(trial, FAMILY, "stated_twice", name, doubt=True)


def _shared(sheets: Sequence[Sheet]) -> Iterator[list[tuple[Slot, Slot]]]:
    """Columns of two tables that have some numbers in rows of one name in common."""
    rows = [{label_of(r[0]).words: n for n, r in enumerate(s.texts) if r[0]} for s in sheets]
    made = [{label.words for label in s.names if label.aggregate} for s in sheets]
    places: dict[tuple[object, Fraction], list[tuple[int, int]]] = defaultdict(list)
    for number, sheet in enumerate(sheets):
        cells = (
            (name, n, c) for name, n in rows[number].items() for c in range(1, len(sheet.heads))
        )
        for name, n, column in cells:
            slot = sheet.at(n, column)
            if slot and slot.quantity.digits > 1:
                places[name, slot.exact].append((number, column))
    alike = Counter(pair for found in places.values() for pair in pairwise(found))
    for ((one, column), (two, other)), many in alike.items():
        if one != two and many >= _LEAST_ROWS:
            # a mean, a total is of its own table's rows
            of_rows = made[one] | made[two] if rows[one].keys() != rows[two].keys() else set()
            shared = rows[one].keys() & rows[two].keys() - of_rows
            both = [(n, rows[two][name]) for name, n in rows[one].items() if name in shared]
            slots = [(sheets[two].at(b, other), sheets[one].at(a, column)) for a, b in both]
            yield [(a, b) for a, b in slots if a and b]
