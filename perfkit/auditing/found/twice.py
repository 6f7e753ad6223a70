"""What a document prints twice: a number of a table in its text, a cell in two tables."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import EPSILON, Check, check_of, is_slip, same, tried
from perfkit.auditing.found.words import FILLING, label_of
from perfkit.auditing.quantities import FACTOR, SHARE, SIZE

if TYPE_CHECKING:
    from fractions import Fraction

    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

PROSE, CELLS = "prose against its table", "cells of two tables"
_LEAST_DIGITS, _MANY_DIGITS, _LEAST_ROWS, _LEAST_SAME = 3, 4, 3, 9
MOST_SLOTS, _NEARBY = 20_000, 50
_MOST = re.compile(
    r"\b(?:peak\w*|max(?:imum)?|highest|best|fastest|largest|longest|slowest|worst)\b", re.I
)
_LEAST = re.compile(
    r"\b(?:min(?:imum)?|lowest|best|fastest|smallest|shortest|slowest|worst|least)\b", re.I
)
_NEARLY = frozenset({"", "~", "\u2248"})
Known = tuple["Sheet", "Slot"]
Place = tuple[str | None, int | None]


def twice(page: Page) -> Iterator[Check]:
    """All that stands twice."""
    known = [(sheet, slot) for sheet in page.sheets for slot in sheet.slots]
    by_kind: dict[str, list[Known]] = defaultdict(list)
    for sheet, slot in known if len(known) <= MOST_SLOTS else ():
        by_kind[slot.kind].append((sheet, slot))
    for said in page.prose if by_kind else ():
        yield from _quoted(said, by_kind)
    yield from _cells(page.sheets)


def _quoted(said: Said, by_kind: dict[str, list[Known]]) -> Iterator[Check]:
    """Numbers of a sentence that a table holds too, in a row or column that the sentence names.

    Where no cell has a number, one that has it but for a slip is told only where the sentence names
    that cell in whole words: what is nearly the same is nearly always another.
    """
    claims = [
        (slot, [k for k in by_kind[slot.kind] if _is_equal(slot, k[1])])
        for slot in said.slots
        if slot.quantity.digits > (1 if slot.kind else _MANY_DIGITS)
    ]
    quoted = {(s.table, s.column) for _, equal in claims for t, s in equal if _is_whole(said, t, s)}
    for claim, equal in claims:
        if claim.quantity.bound not in _NEARLY:
            continue
        # a small size is a setting, and stands in many places; shares need the row they are of
        setting = claim.kind == SIZE and claim.quantity.digits < _LEAST_DIGITS
        least = 2 if claim.kind in {SHARE, FACTOR} else 1
        named = [slot for sheet, slot in equal if _named(said, sheet, slot) >= least]
        if named and not setting:
            yield _compared(claim, named[0])
        slips = [
            slot
            for sheet, slot in (() if equal else by_kind[claim.kind])
            if slot.unit == claim.unit
            and (trial := tried(claim, (slot,), abs if claim.value > 0 else same))
            and is_slip(trial, 2)
            and (
                (_is_whole(said, sheet, slot) and _is_meant(said, claim, sheet, slot, quoted))
                or _is_extreme(said, claim, sheet, slot)
            )
        ]
        # the only cell it can be
        if len({abs(slot.value) for slot in slips}) == 1:
            yield _compared(claim, slips[0])


def _is_equal(claim: Slot, cell: Slot) -> bool:
    """Whether a number is that of a cell, rounded or cut to fewer digits."""
    finer = cell.half < claim.half * (1 - EPSILON)
    off = abs(abs(cell.value) - abs(claim.value))
    return off <= (2 * claim.half if finer else max(cell.half - claim.half, 0.0)) + EPSILON * off


def _is_whole(said: Said, sheet: Sheet, cell: Slot) -> bool:
    """Whether a sentence has all words of the name of a cell's row."""
    words = frozenset(sheet.names[(cell.row or 0) - 1].words) - FILLING
    return bool(words) and words <= said.words


def _is_meant(said: Said, claim: Slot, sheet: Sheet, cell: Slot, quoted: Container[Place]) -> bool:
    """Whether a sentence means the column of a cell: by another of its cells, its words, or its unit."""
    if (cell.table, cell.column) in quoted:
        return True
    row = sheet.names[(cell.row or 0) - 1].words
    if claim.quantity.digits < _LEAST_DIGITS or not any(word.isalpha() for word in row):
        return False  # few digits are soon a slip of others, and a number names no row
    words = frozenset(sheet.labels[(cell.column or 0) - 1].words) - FILLING
    others = [track for track in sheet.columns if not track.names and track.kind == cell.kind]
    only = bool(cell.kind) and len(others) == 1
    return only or bool(words and words <= said.words)


def _is_extreme(said: Said, claim: Slot, sheet: Sheet, cell: Slot) -> bool:
    """Whether a sentence speaks of the peak of a column by all its words, and a cell is that."""
    at, column = claim.quantity.start, (cell.column or 0) - 1
    words = frozenset(sheet.labels[column].words) - FILLING
    if not words or not words <= said.words:
        return False
    before, values = said.text[max(at - _NEARBY, 0) : at], [s.value for s in sheet.column(column)]
    most = bool(_MOST.search(before)) and cell.value == max(values)
    return most or (bool(_LEAST.search(before)) and cell.value == min(values))


def _named(said: Said, sheet: Sheet, slot: Slot) -> int:
    """Whether a sentence names the row of a cell (2), and whether it, or its section, its column (1)."""
    words = frozenset(w for w in sheet.names[(slot.row or 0) - 1].words if not w.isdigit())
    row, around = words - FILLING, said.words | frozenset(label_of(said.section).words)
    head = frozenset(sheet.labels[(slot.column or 0) - 1].words) - FILLING
    by_row = bool(row) and (row <= said.words or bool(row & said.words & sheet.telling))
    return 2 * by_row + bool(head & around)


def _compared(claim: Slot, cell: Slot) -> Check:
    """A number of the text against its cell, whatever the sign: "down by 4%" is -4%."""
    opposite = claim.value * cell.value < 0
    trial = tried(claim, (cell,), (lambda value: -value) if opposite else same)
    assert trial  # noqa: S101 - nothing is divided
    rule = f"{cell.text} (line {cell.line})"
    return check_of(trial, PROSE, "stated_twice", f"The text and {cell.place}", rule, doubt=True)


def _cells(sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Columns of two tables whose rows have the same names and nearly all the same numbers."""
    for pairs in _shared(sheets):
        trials = [t for a, b in pairs if a.kind == b.kind and (t := tried(a, (b,), same))]
        held = [t for t in trials if t.held and t.claim.quantity.digits > 1]
        failed = [t for t in trials if not t.held]
        digits = sum(t.claim.quantity.digits for t in held)
        # what is measured twice differs in many cells; what is copied differs by a slip
        if len(held) < _LEAST_ROWS or digits < _LEAST_SAME or len(failed) > 1:
            continue
        for trial in [*held, *filter(is_slip, failed)]:
            name = f"Stated in {trial.inputs[0].place} (line {trial.inputs[0].line})"
            yield check_of(trial, CELLS, "stated_twice", name, doubt=True)


def _shared(sheets: Sequence[Sheet]) -> Iterator[list[tuple[Slot, Slot]]]:
    """Columns of two tables that have some numbers in rows of one name in common."""
    rows = [{label_of(r[0]).words: n for n, r in enumerate(s.texts) if r[0]} for s in sheets]
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
            both = [(n, rows[two][name]) for name, n in rows[one].items() if name in rows[two]]
            slots = [(sheets[two].at(b, other), sheets[one].at(a, column)) for a, b in both]
            yield [(a, b) for a, b in slots if a and b]
