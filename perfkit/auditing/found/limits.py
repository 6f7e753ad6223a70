"""Limits that a text states, against the columns they name; and those of a command's options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from perfkit.auditing.found.page import shortened
from perfkit.auditing.found.relate import Check, bounded, check_of
from perfkit.auditing.found.words import label_of
from perfkit.formats.quantities import OPS

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet
    from perfkit.auditing.found.slots import Slot

STATED, OPTIONS = "limits in sentences", "options of a command"
_SIGNS = {
    "below": "<", "under": "<", "less than": "<", "no greater than": "\u2264",
    "no more than": "\u2264", "at most": "\u2264", "not exceed": "\u2264", "at least": "\u2265",
}  # fmt: skip
_SIGN = re.compile(rf"\b({'|'.join(_SIGNS)})\s+$", re.I)
_DUTY = re.compile(r"\b(?:must|shall|has to|have to)\b", re.I)
_LOADS = re.compile(r"\b(?:all|every|each) load points? (?:at or below|up to|below)\s+$", re.I)


def limits(page: Page) -> Iterator[Check]:
    """Limits in sentences and in commands."""
    for sentence in page.said:
        if sentence.kind == "command":
            yield from _options(sentence)
        limits = _stated(sentence) if sentence.kind == "text" else ()
        for limit, sheet in product(limits, page.sheets):
            yield from _held_against(sentence, *limit, sheet)


def _stated(said: Said) -> Iterator[tuple[Slot, str, Slot | None]]:
    """What must be, or what was kept up to a load: "the write cycle must be below 45 seconds"."""
    load: Slot | None = None
    for slot in said.slots:
        before = said.text[: slot.quantity.start]
        sign = _SIGN.search(before)
        if slot.kind == OPS and _LOADS.search(before):
            load = slot
        elif sign and slot.kind and (load or _DUTY.search(before)):
            # what is stated is exact, and so is what was measured: rounding mends nothing
            exact = replace(slot, quantity=replace(slot.quantity, half=Fraction(0)))
            yield exact, _SIGNS[sign[1].lower()], load


def _held_against(
    said: Said, bound: Slot, sign: str, load: Slot | None, sheet: Sheet
) -> Iterator[Check]:
    """The cells of the columns that the words before a limit name; of a load, of any latency."""
    rule = f"{sign} {bound.text} (line {said.line}: \u201c{shortened(said.text)}\u201d)"
    named = set(label_of(said.text[: bound.quantity.start]).words)
    total = next((n for n, label in enumerate(sheet.labels) if label.words == ("sum", "io")), -1)
    for column, label in list(enumerate(sheet.labels))[1:]:
        # one word, as "time", names too little
        meant = len(label.words) > 1 and named.issuperset(label.words)
        for slot in sheet.column(column):
            at = sheet.at((slot.row or 1) - 1, total)
            # a column of milliseconds is of latencies, whatever its head calls them
            short = slot.unit and slot.unit.factor < 1 and "latency" in named
            within = meant if load is None else short and at and at.value <= load.value
            if within and slot.kind == bound.kind:
                trial, name = bounded(slot, sign, bound, loose=0), "A limit that the text states"
                yield check_of(trial, STATED, "limit", name, rule, doubt=True)


_OPTION = re.compile(
    r"(?<!\S)[-\u2013]{1,2}(?:(?P<least>min|expected)|max|peak)-?(?P<of>[a-z]+)[ =]"
    r"(?P<value>\d+)(?!\S)"
)


def _options(command: Said) -> Iterator[Check]:
    """In one command, an option for the least above the one for the most of the same thing."""
    found = list(_OPTION.finditer(command.text))
    for pair in product(found, found):
        low, high = pair
        if low["least"] and not high["least"] and low["of"] == high["of"]:
            least, most = (command.count(int(m["value"]), m["value"], m.start()) for m in pair)
            trial, name = bounded(most, "\u2265", least), "The most of an option, and the least"
            rule, text = f"{low[0]} \u2264 {high[0]}", high[0]
            yield check_of(trial, OPTIONS, "limit", name, rule, doubt=True, printed=text)
