"""What a sentence claims of a whole column: a bound that all rows keep, the highest, the lowest.

A claim is held against the one column near it that has its unit and that it names. One that says
which rows it is of, or how often, is none of the whole column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.quoted import is_near
from perfkit.auditing.found.relate import Check, bounded, check_of, is_slip, same, tried
from perfkit.auditing.found.words import FILLING
from perfkit.auditing.quantities import FACTOR, SHARE

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

FAMILY = "claims of a whole column"
_LEAST_ROWS = 3
_ALL = re.compile(r"\b(?:all|every|each|none|no|never|always|any|consistently|throughout)\b", re.I)
_NOT = re.compile(r"\b(?:none|no|never|not|nor|without)\b", re.I)
_BOUND = re.compile(
    r"\b(?:(?P<below>below|under|less than|lower than|within|at most|up to|no more than)|"
    r"(?P<above>above|over|more than|at least|greater than|higher than|exceed(?:s|ed|ing)?|passed))"
    r"\s+(?:the\s+)?$",
    re.I,
)
_EXTREME = re.compile(
    r"\b(?:(?P<high>highest|maximum|max|peak|largest|greatest)|(?P<low>lowest|minimum|min|smallest))\b"
    r"(?P<of>(?:\s+[A-Za-z][\w-]*){1,5}?)\s+(?:was|is|of|reached|at)\s+(?:only\s+)?$",
    re.I,
)
_MARK = re.compile(r"\((?:fastest|slowest|best|worst|highest|lowest|peak|max|min)\)", re.I)
_PARTIAL = re.compile(
    r"\b(?:most|nearly|almost|often|typically|usually|generally|may|can|could|might|if|when|would|should|"
    r"must|sometimes|likely|except|until|only|other|others|both|second|next|first|after|before|while|but|"
    r"require[sd]?|recommended|expected|target|limit|goal)\b",
    re.I,
)
_UNSAID = FILLING | word_set("latency io throughput bandwidth time read write average value us")


@dataclass(frozen=True)
class _Column:
    """A column of numbers that a claim is held against."""

    sheet: Sheet
    slots: tuple[Slot, ...]


def claimed(page: Page) -> Iterator[Check]:
    """The claims of all sentences, and those that cells make: 14.05 (fastest)."""
    for sheet in page.sheets:
        for column in range(1, len(sheet.heads)):
            yield from _marked(sheet, column)
    for sentence in page.said:
        if sentence.kind != "text" or not sentence.quantities or _PARTIAL.search(sentence.text):
            continue
        for claim in sentence.slots:
            if claim.kind in {SHARE, FACTOR} or claim.quantity.bound:
                continue
            yield from _of_all(page, sentence, claim)
            yield from _of_the_extreme(page, sentence, claim)


def _marked(sheet: Sheet, column: int) -> Iterator[Check]:
    """A cell that says it is the first or last of its column, where one other is beyond it."""
    slots = sheet.column(column)
    rows = {slot.row: slot for slot in slots}
    for n, row in enumerate(sheet.texts):
        slot = rows.get(n + 1)
        if slot is None or len(slots) <= _LEAST_ROWS or not _MARK.search(row[column]):
            continue
        others = [other for other in slots if other is not slot and other.kind == slot.kind]
        above = [other for other in others if other.value > slot.value]
        below = [other for other in others if other.value < slot.value]
        sign, beyond = min((("\u2264", above), ("\u2265", below)), key=lambda side: len(side[1]))
        for other in beyond[:1] if len(beyond) <= 1 else ():
            name = f"What a cell says to be the first or last (line {slot.line})"
            yield check_of(bounded(other, sign, slot), FAMILY, "limit", name, doubt=True)
        if not beyond:
            last = (
                max(others, key=lambda o: o.value)
                if sign == "\u2264"
                else min(others, key=lambda o: o.value)
            )
            yield check_of(
                bounded(last, sign, slot), FAMILY, "limit", "The first or last", doubt=True
            )


def _of_all(page: Page, sentence: Said, claim: Slot) -> Iterator[Check]:
    """All configurations stayed below 2 ms; the latency never exceeded 2 ms."""
    before = sentence.text[: claim.quantity.start]
    bound = _BOUND.search(before) if _ALL.search(sentence.text) else None
    if not bound or len(sentence.slots) > 1:
        return
    above = bool(bound["above"]) != bool(_NOT.search(before))
    column = _column(page, sentence, claim)
    if column is None or _names_a_row(sentence, column.sheet):
        return
    sign = "\u2265" if above else "\u2264"
    trials = [bounded(slot, sign, claim) for slot in column.slots]
    failed = [trial for trial in trials if not trial.held]
    if 2 * len(failed) < len(trials):
        for trial in failed or trials:
            name = f"What the text says of all (line {sentence.line})"
            yield check_of(trial, FAMILY, "limit", name, doubt=True)


def _of_the_extreme(page: Page, sentence: Said, claim: Slot) -> Iterator[Check]:
    """The highest throughput was 139,100 IOPS."""
    match = _EXTREME.search(sentence.text[: claim.quantity.start])
    column = _column(page, sentence, claim) if match else None
    if match is None or column is None:
        return
    pick = max if match["high"] else min
    extreme = pick(column.slots, key=lambda slot: slot.value)
    beside = {slot.value for slot in column.sheet.slots if slot.row == extreme.row}
    if any(slot.value not in beside for slot in sentence.slots if slot is not claim):
        return
    trial = tried(claim, (extreme,), same, cut=False)
    # one of the others, or a slip of the pen: anything else may be of another table
    other = any(_is_equal(claim, slot) for slot in column.slots)
    if trial and (trial.held or other or is_slip(trial)):
        name = f"The {match[0].split()[0].lower()} of {extreme.place}"
        yield check_of(trial, FAMILY, "stated_twice", name, doubt=True)


def _is_equal(claim: Slot, slot: Slot) -> bool:
    trial = tried(claim, (slot,), same, cut=False)
    return bool(trial and trial.held)


def _column(page: Page, sentence: Said, claim: Slot) -> _Column | None:
    """The one column near a sentence that it names, of the unit of its number."""
    found = [
        column
        for sheet in page.sheets
        if is_near(sentence, sheet)
        for column in _columns(sheet, sentence, claim)
    ]
    return found[0] if len(found) == 1 else None


def _columns(sheet: Sheet, sentence: Said, claim: Slot) -> Sequence[_Column]:
    alike = []
    for n, label in enumerate(sheet.labels):
        rows = [m for m, name in enumerate(sheet.names) if not name.aggregate and not name.change]
        slots = tuple(s for m in rows if n and (s := sheet.at(m, n)))
        if len(slots) < _LEAST_ROWS or label.change or {s.kind for s in slots} != {claim.kind}:
            continue
        words = set(label.words) - FILLING
        if words & sentence.words and words - _UNSAID <= sentence.words:
            alike.append((len(words & sentence.words), _Column(sheet, slots)))
    most = max((many for many, _ in alike), default=0)
    return [column for many, column in alike if many == most]


def _names_a_row(sentence: Said, sheet: Sheet) -> bool:
    return bool(sheet.telling & sentence.words)
