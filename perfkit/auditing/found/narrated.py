"""What a text says of a table in words, held against the row and the column that its words name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from perfkit.auditing.found.page import counted
from perfkit.auditing.found.relate import Check, added, check_of, similar, told, tried
from perfkit.auditing.found.stated import MANY, THINGS
from perfkit.auditing.found.words import Label, label_of
from perfkit.auditing.quantities import TIME, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet
    from perfkit.auditing.found.slots import Slot

ORDERS, POINTS, TIMES = "orders in words", "load points in words", "times and their whole"
_Found = tuple["Said", re.Match[str]]

_SPREAD = r"\b(?:deviation|spread|range)\b"
_MORE = re.compile(
    rf"{_SPREAD}.*\b(?:is|are|was|were)\s+(?:\w+\s+){{0,2}}?"
    r"(?P<word>(?P<rises>higher|larger|greater)|lower|smaller)\s+than\b",
    re.I,
)
_TOTAL = re.compile(
    rf"\b\w+\s+a total of\s+(?P<count>{MANY})\s+(?:[\d.]+\s?[GT]B\s+)?(?P<noun>[a-z]+)\b", re.I
)
_POINT = re.compile(r"\bat the\s+(?P<count>\d[\d,.]*\s?[kKM]?\s?IOPS)\s+(?:load )?point\b")
_RATIO = re.compile(r"\b(?P<a>[a-z]+)(?:[ -]time)?/(?P<b>[a-z]+)(?:[ -]time)?\b", re.I)
_TIME = r"(?P<time>(?:\d+\s+hours?\s+and\s+)?\d+\s+(?:hour|minute|second)s?)"
_LONGEST = re.compile(rf"\branging in duration\b[^.;]*\bto\s+{_TIME}")
_SPAN = re.compile(rf"\b{_TIME}\s+span\b.*\bworkload\b")
_AT_ONCE = re.compile(r"\baverage (?:of )?(?P<count>\d+)\s(?:\w+\s){0,2}?(?:simultan|concurrent)")
_MOST_LINES, _NEAR, _NEARLY = 60, 2, 0.1


def narrated(page: Page) -> Iterator[Check]:
    """All of these."""
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    for pattern, held in ((_MORE, _order), (_TOTAL, _count), (_POINT, _point)):
        for found, sheet in product(_find(pattern, prose), page.sheets):
            yield from held(*found, sheet)
    for ratio in (ratio for sheet in page.sheets for ratio in _ratios(sheet)):
        yield from _inverted(*ratio, prose)
        yield from _quotients(*ratio, page.sheets)
    for whole, span in _find(_SPAN, prose):
        for sentence, longest in _find(_LONGEST, prose):
            if _seconds(longest["time"]) > _seconds(span["time"]):
                right, name = f"\u2264 {span['time']}", "The longest part is longer than the whole"
                rule = f"{right} (line {whole.line})"
                yield told(TIMES, name, sentence, longest["time"], rule, recomputed=right)
        for found, sheet in product(_find(_AT_ONCE, prose), page.sheets):
            yield from _at_once(*found, sheet, span["time"])


def _find(pattern: re.Pattern[str], said: Sequence[Said]) -> list[_Found]:
    return [(sentence, match) for sentence in said for match in pattern.finditer(sentence.text)]


def _number(said: Said, match: re.Match[str]) -> Slot | None:
    return next((s for s in said.slots if s.quantity.start == match.start("count")), None)


def _named(text: str, labels: Sequence[Label]) -> int:
    """Which of some labels a text names last, by a word that no other label has; -1: none."""
    times = Counter(word for label in labels for word in set(label.words) if len(word) > 2)
    said = (word for word in reversed(label_of(text).words) if times[word] == 1)
    return next((n for word in said for n, label in enumerate(labels) if word in label.words), -1)


def _cell(sheet: Sheet, of_row: str, of_column: str) -> Slot | None:
    """The number in the row and the column that two texts name."""
    column = _named(of_column, sheet.labels[1:]) + 1
    return sheet.at(_named(of_row, sheet.names), column) if column else None


def _order(said: Said, match: re.Match[str], sheet: Sheet) -> Iterator[Check]:
    """An order in words: the deviation of A is higher than of B."""
    before, behind = said.text[: match.start("word")], said.text[match.end() :]
    one, two = (_cell(sheet, text, before) for text in (before, behind))
    if one and two and one.value != two.value and (one.value > two.value) != bool(match["rises"]):
        sign, right = ("<", "lower") if match["rises"] else (">", "higher")
        rule = f"{one.text} {sign} {two.text} ({one.place}, line {one.line})"
        name = "An order in words, against the table"
        yield told(ORDERS, name, said, match["word"], rule, recomputed=right)


def _count(said: Said, match: re.Match[str], sheet: Sheet) -> Iterator[Check]:
    """A total in words against a table's row "Total number of ...", for the system it speaks of."""
    slot = _cell(sheet, match[0], said.text[: match.start()])
    name = sheet.names[(slot.row or 1) - 1] if slot else label_of("")
    alike = {"number", *label_of(match["noun"]).words} <= set(name.words)
    if slot and alike and slot.exact != counted(match["count"]):
        rule = f"{slot.place}: {slot.text} (line {slot.line})"
        yield told(THINGS, name.text, said, match[0], rule, recomputed=slot.text)


def _point(said: Said, match: re.Match[str], sheet: Sheet) -> Iterator[Check]:
    """A table announced as that of a load point, against its own sum of reads and writes."""
    heads = [n for n, h in enumerate(sheet.heads) if re.match(r"physical (read|write)s/s", h, re.I)]
    row = next((n for n, name in enumerate(sheet.names) if name.aggregate == "sum"), 0)
    cells, load = [slot for n in heads if (slot := sheet.at(row, n))], _number(said, match)
    if load and len(cells) == 2 and 0 < cells[0].line - said.line < _MOST_LINES:
        rule = f"{' + '.join(s.text for s in cells)} ({cells[0].place}, line {cells[0].line})"
        name = "The load point and its table"
        if trial := tried(load, cells, added):
            yield check_of(trial, POINTS, "stated_twice", name, rule, doubt=True)


def _ratios(sheet: Sheet) -> Iterator[tuple[Sheet, int, re.Match[str]]]:
    """The columns that are ratios A/B by their heads, and not how far such are apart."""
    for place, head in enumerate(sheet.heads):
        match = _RATIO.search(head)
        if match and "ratio" in head.lower() and not re.search(_SPREAD, head, re.I):
            yield sheet, place, match


def _inverted(
    sheet: Sheet, place: int, ratio: re.Match[str], prose: Sequence[Said]
) -> Iterator[Check]:
    """A ratio A/B of a table that the text calls B/A."""
    inverse = re.compile(rf"\b{ratio['b']}(?:[ -]time)?/{ratio['a']}(?:[ -]time)?\b", re.I)
    for (said, match), slot in product(_find(inverse, prose), sheet.column(place)):
        if slot.text in said.text:
            rule = f"{slot.text} is {ratio[0]} in {slot.place} (line {slot.line})"
            name = "A ratio called by its inverse"
            yield told(ORDERS, name, said, match[0], rule, recomputed=ratio[0])


def _quotients(
    sheet: Sheet, place: int, ratio: re.Match[str], sheets: Sequence[Sheet]
) -> Iterator[Check]:
    """A column "ratio of A/B" against the columns A and B of another table with the same rows."""
    for other, slot in product((s for s in sheets if s is not sheet), sheet.column(place)):
        row = _named(sheet.texts[(slot.row or 1) - 1][0], other.names)
        cells = [(label.words, other.at(row, n)) for n, label in enumerate(other.labels)]
        above, below = ([c for w, c in cells if c and ratio[s].lower() in w] for s in "ab")
        if len(below) != 1 or not above:
            continue
        trial = tried(slot, (*above, *below), lambda *v: added(*v[:-1]) / v[-1])
        if trial and similar(trial, _NEAR):
            total = " + ".join(s.text for s in above)
            rule = f"({total}) \u00f7 {below[0].text} ({other.called})"
            name = f"{sheet.heads[place]}, and the ratio of the sums"
            note = "a mean of ratios is not the ratio of the sums: say which is meant"
            yield check_of(trial, ORDERS, "ratio", name, rule, doubt=True, note=note, alone=True)


def _seconds(text: str) -> Fraction:
    return sum((q.value * q.unit.factor for q in quantities(text) if q.unit), Fraction(0))


def _at_once(said: Said, many: re.Match[str], sheet: Sheet, span: str) -> Iterator[Check]:
    """So many at once, against times added up by the span they took."""
    claim = _number(said, many)
    for place, head in enumerate(sheet.heads if claim else ()):
        added_up = re.search(r"\belapsed\b.*\b(?:aggregate|sum|total)\b", head, re.I)
        cell = next((slot for slot in sheet.column(place) if slot.kind == TIME), None)
        if claim and cell and added_up:
            rule, name = f"{cell.text} min \u00f7 {span}", "Times added up, and running at once"
            if trial := tried(claim, (cell,), lambda time: time / _seconds(span), _NEARLY):
                yield check_of(trial, TIMES, "ratio", name, rule, doubt=True)
