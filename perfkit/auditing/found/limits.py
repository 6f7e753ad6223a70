"""Limits that a text states, against the columns that they name; and limits of a command's options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from perfkit.auditing.found.page import shortened
from perfkit.auditing.found.relate import Check, bounded, check_of
from perfkit.auditing.found.words import label_of
from perfkit.auditing.quantities import OPS, exactly

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet
    from perfkit.auditing.found.slots import Slot

STATED, OPTIONS = "limits in sentences", "options of a command"
_SIGNS = {
    "below": "<", "under": "<", "less than": "<", "no greater than": "\u2264",
    "no more than": "\u2264", "at most": "\u2264", "not exceed": "\u2264", "at least": "\u2265",
    "above": ">", "more than": ">",
}  # fmt: skip
_SIGN = re.compile(rf"\b(?P<sign>{'|'.join(_SIGNS)})\s+$", re.I)
_DUTY = re.compile(r"\b(?:must|shall|has to|have to)\b", re.I)
_LOADS = re.compile(r"\b(?:all|every|each) load points? (?:at or below|up to|below)\s+$", re.I)


def limits(page: Page) -> Iterator[Check]:
    """All of these."""
    for sentence in page.said:
        if sentence.kind == "command":
            yield from _options(sentence)
        elif sentence.kind == "text":
            yield from _stated(sentence, page.sheets)


def _stated(said: Said, sheets: Sequence[Sheet]) -> Iterator[Check]:
    """What must be, or was kept up to a load: "the write cycle must be below 45 seconds"."""
    load: Slot | None = None
    for slot in said.slots:
        before = said.text[: slot.quantity.start]
        sign = _SIGN.search(before)
        if slot.kind == OPS and _LOADS.search(before):
            load = slot
        elif sign and slot.kind and (load or _DUTY.search(before)):
            limit = _Limit(said, slot, _SIGNS[sign["sign"].lower()], load)
            for sheet in sheets:
                yield from _held_against(limit, sheet)


@dataclass(frozen=True)
class _Limit:
    """A limit of a sentence: which, and up to which load."""

    said: Said
    bound: Slot
    sign: str
    load: Slot | None

    def means(self, sheet: Sheet, column: int) -> bool:
        """Whether a column is what the words before a limit name; of a load, any latency."""
        slots, words = sheet.column(column), set(sheet.labels[column].words)
        named = set(label_of(self.said.text[: self.bound.quantity.start]).words)
        if not slots or slots[0].kind != self.bound.kind or not words:
            return False
        unit = slots[0].unit
        waits = self.load and "latency" in named and unit and unit.factor < 1
        return bool(waits) or words <= named


def _held_against(limit: _Limit, sheet: Sheet) -> Iterator[Check]:
    text = shortened(limit.said.text)
    rule = f"{limit.sign} {limit.bound.text} (line {limit.said.line}: \u201c{text}\u201d)"
    loads = [n for n, label in enumerate(sheet.labels) if label.words == ("sum", "io")]
    columns = [n for n in range(1, len(sheet.heads)) if limit.means(sheet, n)]
    for row, column in product(range(len(sheet.texts)), columns):
        slot = sheet.at(row, column)
        load = sheet.at(row, loads[0]) if loads else None
        if slot and (not limit.load or (load and load.value <= limit.load.value)):
            # what is stated is exact, and so is what was measured: rounding mends nothing
            trial = bounded(slot, limit.sign, _exact(limit.bound), loose=0)
            yield check_of(trial, STATED, "limit", "A limit that the text states", rule, doubt=True)


def _exact(slot: Slot) -> Slot:
    return replace(slot, quantity=replace(slot.quantity, half=Fraction(0)))


_OPTION = re.compile(
    r"(?<![\w-])[-\u2013]{1,2}(?:(?P<least>min|expected)|max|peak)-?(?P<of>[a-z]+)[ =](?P<value>\d+)\b",
    re.I,
)


def _options(command: Said) -> Iterator[Check]:
    """In one line, an option for the least above the one for the most of the same thing."""
    found = list(_OPTION.finditer(command.text))
    for low, high in product(found, found):
        if low["least"] and not high["least"] and low["of"] == high["of"]:
            least, most = (
                command.slot(exactly(Fraction(m["value"]), m["value"], m.start("value")))
                for m in (low, high)
            )
            trial, name = (
                bounded(most, "\u2265", least),
                "The most of an option is not below the least",
            )
            rule, text = f"{low[0]} \u2264 {high[0]}", high[0]
            yield check_of(trial, OPTIONS, "limit", name, rule, doubt=True, printed=text)
