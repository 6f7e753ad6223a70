"""What a text says of a table in words, held against the row and the column that its words name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from perfkit.auditing.found.page import counted
from perfkit.auditing.found.relate import Check, Formula, added, check_of, similar, told, tried
from perfkit.auditing.found.stated import MANY, THINGS, found_in
from perfkit.auditing.found.words import Label, label_of
from perfkit.formats.quantities import TIME, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet
    from perfkit.auditing.found.slots import Slot

ORDERS, POINTS, TIMES = "orders in words", "load points in words", "times and their whole"
_SPREAD = r"\b(?:deviation|spread|range)\b"
_MEAN_RATIO = r"\b(?:mean|average) ratio\b"
_MORE = re.compile(
    rf"{_SPREAD}.* is (?:\w+ ){{0,2}}(?P<word>(?P<rises>higher|larger)|lower|smaller) than\b"
)
_TOTAL = re.compile(rf"\b\w+ a total of (?P<count>{MANY}) (?:[\d.]+[GT]B )?(?P<noun>[A-Za-z]+)\b")
_POINT = re.compile(r"\bat the (?P<count>\d[\d,.]*[kKM]? IOPS) (?:load )?point\b")
_RATIO = re.compile(r"\b(?P<a>[a-z]+)(?:[ -]time)?/(?P<b>[a-z]+)(?:[ -]time)?\b", re.I)
_TIME = r"(?P<time>(?:\d+ hours? and )?\d+ (?:hour|minute|second)s?)"
_LONGEST = re.compile(rf"\branging in duration\b.*\bto {_TIME}")
_SPAN = re.compile(rf"\b{_TIME} span\b.*\bworkload\b")
_AT_ONCE = re.compile(r"\baverage (?:of )?(?P<count>\d+) (?:\w+ ){0,2}(?:simultan|concurrent)")
_ADDED_UP = re.compile(r"\belapsed\b.*\b(?:aggregate|sum|total)\b", re.I)
_MOST_LINES, _NEAR, _NEARLY = 60, 2, 0.1
"""A load point's table is near; a ratio that is twice another is of something else; what is counted
at once is rounded."""


def narrated(page: Page) -> Iterator[Check]:
    """Orders, counts, load points, ratios and spans of time."""
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    for pattern, held in ((_MORE, _order), (_TOTAL, _count), (_POINT, _point)):
        for found, sheet in product(found_in(prose, pattern), page.sheets):
            yield from held(*found, sheet)
    for ratio in (ratio for sheet in page.sheets for ratio in _ratios(sheet)):
        yield from _inverted(*ratio, prose)
        yield from _quotients(*ratio, page.sheets)
    for whole, span in found_in(prose, _SPAN):
        for sentence, longest in found_in(prose, _LONGEST):
            if _seconds(longest["time"]) > _seconds(span["time"]):
                right, name = f"\u2264 {span['time']}", "The longest part is longer than the whole"
                rule = f"{right} (line {whole.line})"
                yield told(TIMES, name, sentence, longest["time"], rule, recomputed=right)
        for found, sheet in product(found_in(prose, _AT_ONCE), page.sheets):
            yield from _at_once(*found, sheet, span["time"])


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
    cells = [slot for n in heads if (slot := sheet.at(row, n))]
    if len(cells) == 2 and 0 < cells[0].line - said.line < _MOST_LINES:
        what = (POINTS, "The load point and the sum in its table")
        yield from _computed(what, said, match, cells, added)


def _computed(
    what: tuple[str, str], said: Said, match: re.Match[str], cells: Sequence[Slot], formula: Formula
) -> Iterator[Check]:
    """A number of a sentence against what some cells give, and nearly so."""
    claim = next((s for s in said.slots if s.quantity.start == match.start("count")), None)
    trial = tried(claim, cells, formula, _NEARLY) if claim else None
    if trial:
        rule = f"{' and '.join(s.text for s in cells)} ({cells[0].place}, line {cells[0].line})"
        family, name = what
        yield check_of(trial, family, "ratio", name, rule, doubt=True)


def _ratios(sheet: Sheet) -> Iterator[tuple[Sheet, int, re.Match[str]]]:
    """The columns that are ratios A/B by their heads, and not how far such are apart."""
    for place, head in enumerate(sheet.heads):
        match = _RATIO.search(head)
        if match and re.search(_MEAN_RATIO, head, re.I) and not re.search(_SPREAD, head, re.I):
            yield sheet, place, match


def _inverted(
    sheet: Sheet, place: int, ratio: re.Match[str], prose: Sequence[Said]
) -> Iterator[Check]:
    """A ratio A/B of a table that the text calls B/A."""
    inverse = re.compile(rf"\b{ratio['b']}(?:[ -]time)?/{ratio['a']}(?:[ -]time)?\b", re.I)
    for (said, match), slot in product(found_in(prose, inverse), sheet.column(place)):
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
    heads = [n for n, head in enumerate(sheet.heads) if _ADDED_UP.search(head)]
    for cell in (slot for n in heads for slot in sheet.column(n)[:1] if slot.kind == TIME):
        what = (TIMES, f"Times added up \u00f7 {span} = running at once")
        yield from _computed(what, said, many, (cell,), lambda time: time / _seconds(span))
