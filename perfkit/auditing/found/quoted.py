"""Numbers that a sentence quotes from a table, and differ from it by a slip of the pen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import FACTOR, SHARE, Quantity
from perfkit.auditing.found.relate import Check, slipped
from perfkit.auditing.found.said import Said, stated
from perfkit.auditing.found.words import label_of
from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.run import FAILS, HOLDS

if TYPE_CHECKING:
    from perfkit.auditing.found.sheets import Sheet, Slot

FAMILY = "prose against its table"
_LEAST_DIGITS, _CLOSE, _NEARBY = 3, 25, 40
_CLAUSE = re.compile(r"[;.]\s|,\s")
_LOOSE = frozenset(
    ["of", "the", "in", "at", "a", "an", "and", "for", "to", "with", "by", "on", "is", "per"]
)
_PEAK = re.compile(r"\b(?:peak\w*|max(?:imum)?|highest|up to|as high as|as much as|top)\b", re.I)
_LEAST = re.compile(r"\b(?:lowest|min(?:imum)?|as low as|down to)\b", re.I)
MOST_SLOTS = 20_000


def quoted(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Each number of a sentence against the tables of the document.

    It holds where a cell of its kind has that value and the sentence names its row or column. It is
    in doubt where no cell has it, and just one that the sentence names has it but for a slip.
    """
    known = [(sheet, slot) for sheet in sheets for slot in sheet.slots]
    if not known or len(known) > MOST_SLOTS:
        return
    by_kind: dict[str, list[tuple[Sheet, Slot]]] = {}
    for sheet, slot in known:
        by_kind.setdefault(slot.kind, []).append((sheet, slot))
    for sentence, quantity in _measured(said):
        yield from _one(sentence, quantity, by_kind.get(quantity.kind, []))
    for sentence in said:
        for quantity in sentence.quantities if sentence.kind == "text" else ():
            if quantity.kind == SHARE and quantity.decimals and not quantity.bound:
                yield from _changed(sentence, quantity, sheets)


def _changed(sentence: Said, quantity: Quantity, sheets: Sequence[Sheet]) -> Iterator[Check]:
    """A change in percent that a sentence quotes from a row of changes that it names."""
    clause = frozenset(label_of(_CLAUSE.split(sentence.text[: quantity.start])[-1]).words)
    rows = []
    for sheet in sheets:
        if abs(sheet.lines[0] - sentence.line) > _NEARBY:
            continue
        for n, texts in enumerate(sheet.texts):
            words = frozenset(label_of(texts[0]).words) - _LOOSE
            shares = [s for t in sheet.columns if t.label.change for s in t.slots
                      if s and s.row == n + 1 and s.kind == SHARE]  # fmt: skip
            if len(words) > 1 and words <= clause and shares:
                rows.append((sheet, shares))
    same = [(sheet, s) for sheet, own in rows for s in own if _agree(quantity, s)]
    if same:
        yield _check(sentence, quantity, *same[0], HOLDS)
    elif len(rows) == 1 and len(rows[0][1]) == 1:
        yield _check(sentence, quantity, rows[0][0], rows[0][1][0], FAILS)


def _agree(quantity: Quantity, slot: Slot) -> bool:
    step = float(2 * (quantity.around.high or quantity.value) - 2 * quantity.value)
    return abs(abs(float(quantity.value)) - abs(slot.value)) <= step + slot.half


def _measured(said: Sequence[Said]) -> list[tuple[Said, Quantity]]:
    """The quantities of sentences that measure something."""
    return [
        (s, q) for s in said if s.kind != "command" for q in s.quantities
        if q.kind not in {"", FACTOR, SHARE} and q.bound in {"", "~", "\u2248"}
    ]  # fmt: skip


def _one(sentence: Said, quantity: Quantity, cells: list[tuple[Sheet, Slot]]) -> Iterator[Check]:
    number = sentence.number(quantity)
    value, half = (
        float(number.value),
        float(number.around.high - number.value) if number.around.high else 0,
    )
    near = [(sheet, s) for sheet, s in cells if abs(s.value - value) <= 2 * half + s.half]
    if near:
        named = [(sheet, s) for sheet, s in near if _named(sentence, sheet, s)]
        if named and quantity.digits > 1:
            yield _check(sentence, quantity, *named[0], HOLDS)
        return
    if quantity.digits < _LEAST_DIGITS:
        return
    found = [
        (sheet, s) for sheet, s in cells
        if s.value > 0 and (_named(sentence, sheet, s) == 2 or _peak(sentence, quantity, sheet, s))  # noqa: PLR2004
        and quantity.unit and slipped(quantity.text, s.exact / quantity.unit.factor, quantity.decimals)
    ]  # fmt: skip
    if len({s.value for _, s in found}) == 1:
        yield _check(sentence, quantity, *found[0], FAILS)


def _named(sentence: Said, sheet: Sheet, slot: Slot) -> int:
    """How many of row and column a sentence (or its section) names."""
    words = sentence.words | frozenset(label_of(sentence.section).words)
    row = frozenset(label_of(sheet.texts[slot.row - 1][0]).words) - _LOOSE
    head = frozenset(label_of(sheet.heads[slot.column - 1]).words) - _LOOSE
    own = frozenset(w for w in row if not w.isdigit())
    by_row = bool(own) and (own <= words or bool(own & words & _telling(sheet)))
    return int(by_row) + int(bool(head & words))


def _telling(sheet: Sheet) -> frozenset[str]:
    """Words that name one row of a table alone."""
    found: dict[str, int] = {}
    for row in sheet.texts:
        for word in set(label_of(row[0]).words) - _LOOSE:
            found[word] = found.get(word, 0) + 1
    return frozenset(w for w, n in found.items() if n == 1 and not w.isdigit())


def _peak(sentence: Said, quantity: Quantity, sheet: Sheet, slot: Slot) -> bool:
    """Whether a sentence speaks of the peak, and a cell is the largest of its column."""
    before = sentence.text[max(quantity.start - 50, 0) : quantity.start]
    top, low = _PEAK.search(before), _LEAST.search(before)
    unit = slot.unit and quantity.unit and slot.unit.name.lower() == quantity.unit.name.lower()
    close = abs(slot.line - sentence.line) <= _CLOSE
    if bool(top) == bool(low) or not (_named(sentence, sheet, slot) or (unit and close)):
        return False
    column = [s.value for t in sheet.columns if t.column == slot.column for s in t.slots if s]
    return slot.value == (max if top else min)(column)


def _check(sentence: Said, quantity: Quantity, sheet: Sheet, slot: Slot, outcome: str) -> Check:
    factor = quantity.unit.factor if quantity.unit else Fraction(1)
    result = Number(slot.exact / factor, slot.around.scaled(1 / factor),
                    quantity.unit.name if quantity.unit else None, slot.quantity.text, "",
                    frozenset({slot.key}))  # fmt: skip
    claim = sentence.scaled(quantity, Fraction(1))
    return stated(
        FAMILY, f"The text and {sheet.place(slot)}", sentence, quantity.text,
        f"{slot.quantity.text} (line {slot.line})", outcome, claim, result, decimals=quantity.decimals,
    )  # fmt: skip
