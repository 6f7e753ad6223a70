"""What a text says of a table in words, held against the row and the column that its words name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from perfkit.auditing.found.page import counted
from perfkit.auditing.found.relate import Check, added, check_of, similar, told, tried
from perfkit.auditing.found.stated import MANY, THINGS
from perfkit.auditing.found.words import label_of
from perfkit.auditing.quantities import TIME, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet

ORDERS, POINTS, TIMES = "orders in words", "load points in words", "times and their whole"
_Found = tuple["Said", re.Match[str]]

_SPREAD = re.compile(r"\b(?:deviation|spread|range)\b", re.I)
_MORE = re.compile(
    r"\b(?:deviation|spread|range)\b.*\b(?:is|are|was|were)\s+(?:\w+\s+){0,2}?"
    r"(?P<word>(?P<rises>higher|larger|greater)|lower|smaller|less)\s+than\b",
    re.I,
)
_TOTAL = re.compile(
    rf"\b\w+\s+a total of\s+(?P<count>{MANY})\s+(?:[\d.]+\s?[GT]B\s+)?(?P<noun>[a-z]+)\b", re.I
)
_POINT = re.compile(
    r"\bat the\s+(?P<load>\d[\d,.]*\s?[kKM]?[\s-]?IOPS)\s+(?:load\s+)?point\b", re.I
)
_RATIO = re.compile(r"\b(?P<a>[a-z]+)(?:[ -]time)?/(?P<b>[a-z]+)(?:[ -]time)?\b", re.I)
_TIME = r"(?:\d+\s+hours?\s+and\s+)?\d+\s+(?:hour|minute|second)s?"
_LONGEST = re.compile(rf"\branging in duration\b[^.;]*\bto\s+(?P<time>{_TIME})", re.I)
_SPAN = re.compile(rf"\b(?P<time>{_TIME})\s+(?:span|window)\b.*\bworkload\b", re.I)
_AT_ONCE = re.compile(
    r"\baverage (?:of )?(?P<count>\d+)\s+(?:\w+\s+){0,2}?(?:simultaneous|concurrent)", re.I
)
_MOST_LINES, _NEAR, _NEARLY = 60, 2, 0.1


def narrated(page: Page) -> Iterator[Check]:
    """All of these."""
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    for pattern, held in ((_MORE, _order), (_TOTAL, _count), (_POINT, _point), (_RATIO, _inverted)):
        for found, sheet in product(_find(pattern, prose), page.sheets):
            yield from held(*found, sheet)
    for sheet, other in product(page.sheets, page.sheets):
        yield from _quotients(sheet, other)
    for span in _find(_SPAN, prose):
        yield from _longest(span, prose)
        for found, sheet in product(_find(_AT_ONCE, prose), page.sheets):
            yield from _at_once(*found, sheet, span[1]["time"])


def _find(pattern: re.Pattern[str], said: Sequence[Said]) -> list[_Found]:
    return [(sentence, match) for sentence in said for match in pattern.finditer(sentence.text)]


def _named(text: str, labels: Sequence[str]) -> int | None:
    """Which of some labels a text names last: by a word that no other label has."""
    words = [set(re.findall(r"\w{3,}", label.lower())) for label in labels]
    own = {
        word: n
        for n, mine in enumerate(words)
        for word in mine.difference(*words[:n], *words[n + 1 :])
    }
    return next((own[w] for w in reversed(re.findall(r"\w+", text.lower())) if w in own), None)


def _order(said: Said, match: re.Match[str], sheet: Sheet) -> Iterator[Check]:
    """An order in words ("the deviation of A is higher than of B")."""
    before, behind = said.text[: match.start("word")], said.text[match.end() :]
    names = [row[0] for row in sheet.texts]
    column = _named(before, ["", *sheet.heads[1:]])
    rows = (_named(before, names), _named(behind, names))
    one, two = (None if column is None or r is None else sheet.at(r, column) for r in rows)
    if one and two and one.value != two.value and (one.value > two.value) != bool(match["rises"]):
        sign, right = (">", "higher") if match["rises"] is None else ("<", "lower")
        rule = f"{one.text} {sign} {two.text} ({one.place}, line {one.line})"
        name = "An order in words, against the table"
        yield told(ORDERS, name, said, match["word"], rule, recomputed=right)


def _count(said: Said, match: re.Match[str], sheet: Sheet) -> Iterator[Check]:
    """A total in words against a table's row "Number of ...", for the system it speaks of."""
    column, number = (
        _named(said.text[: match.start()], ["", *sheet.heads[1:]]),
        counted(match["count"]),
    )
    wanted = {"number", *label_of(match["noun"]).words}
    for row, name in enumerate(sheet.names if column else ()):
        slot = sheet.at(row, column or 0)
        if slot and wanted <= set(name.words) and slot.exact != number:
            rule = f"{slot.place}: {slot.text} (line {slot.line})"
            name = f"{name.text}, and the text"
            yield told(THINGS, name, said, match[0], rule, recomputed=slot.text)


def _point(said: Said, match: re.Match[str], sheet: Sheet) -> Iterator[Check]:
    """A table announced as that of a load point, against its own sum of reads and writes."""
    heads = [n for n, h in enumerate(sheet.heads) if re.match(r"physical (read|write)s/s", h, re.I)]
    row = next((n for n, name in enumerate(sheet.names) if name.aggregate == "sum"), 0)
    cells = [slot for n in heads if (slot := sheet.at(row, n))]
    load = next((s for s in said.slots if s.quantity.start == match.start("load")), None)
    below = 0 < sheet.lines[0] - said.line < _MOST_LINES
    trial = tried(load, cells, added) if load and below and len(cells) == 2 else None
    if trial:
        rule = f"{' + '.join(s.text for s in cells)} ({cells[0].place}, line {cells[0].line})"
        name = "The load point and its table"
        yield check_of(trial, POINTS, "stated_twice", name, rule, doubt=True)


def _ratios(sheet: Sheet) -> Iterator[tuple[int, re.Match[str]]]:
    """The columns that are ratios A/B by their heads, and not how far such are apart."""
    for place, head in enumerate(sheet.heads):
        match = _RATIO.search(head.lower())
        if match and "ratio" in head.lower() and not _SPREAD.search(head):
            yield place, match


def _inverted(said: Said, match: re.Match[str], sheet: Sheet) -> Iterator[Check]:
    """A ratio A/B of a table that the text calls B/A."""
    for place, ratio in _ratios(sheet):
        if ratio.groups() == (match["b"].lower(), match["a"].lower()):
            for slot in (s for s in sheet.column(place) if s.text in said.text):
                rule = f"{slot.text} is {ratio[0]} in {slot.place} (line {slot.line})"
                name = "A ratio called by its inverse"
                yield told(ORDERS, name, said, match[0], rule, recomputed=ratio[0])


def _quotients(sheet: Sheet, other: Sheet) -> Iterator[Check]:
    """A column "ratio of A/B" against the columns A and B of another table with the same rows.

    The ratio of what is counted is not that of the times beside it: the two have to be near.
    """
    for place, ratio in _ratios(sheet) if other is not sheet else ():
        above, below = (
            [n for n, label in enumerate(other.labels) if n and ratio[side] in label.words]
            for side in "ab"
        )
        for row, texts in enumerate(sheet.texts if above and len(below) == 1 else ()):
            at, slot = _named(texts[0], [r[0] for r in other.texts]), sheet.at(row, place)
            parts = [s for n in (*above, *below) if at is not None and (s := other.at(at, n))]
            if not slot or len(parts) <= len(above):
                continue
            trial = tried(slot, parts, lambda *v: added(*v[:-1]) / v[-1])
            if trial and (trial.held or similar(trial, _NEAR)):
                total = " + ".join(s.text for s in parts[:-1])
                rule = f"({total}) \u00f7 {parts[-1].text} ({other.called})"
                name = f"{sheet.heads[place]}, and the ratio of the sums"
                note = "a mean of ratios is not the ratio of the sums: say which is meant"
                yield check_of(
                    trial, ORDERS, "ratio", name, rule, doubt=True, note=note, alone=True
                )


def _seconds(text: str) -> Fraction:
    return sum((q.value * q.unit.factor for q in quantities(text) if q.unit), Fraction(0))


def _longest(span: _Found, said: Sequence[Said]) -> Iterator[Check]:
    """The longest part is not longer than the whole."""
    whole, match = span
    for sentence, longest in _find(_LONGEST, said):
        if _seconds(longest["time"]) > _seconds(match["time"]):
            rule = f"\u2264 {match['time']} (line {whole.line})"
            name, right = "The longest part is longer than the whole", f"\u2264 {match['time']}"
            yield told(TIMES, name, sentence, longest["time"], rule, recomputed=right)


def _at_once(said: Said, many: re.Match[str], sheet: Sheet, span: str) -> Iterator[Check]:
    """So many at once, against times added up by the span they took."""
    claim = next(s for s in said.slots if s.quantity.start == many.start("count"))
    for place, head in enumerate(sheet.heads):
        cells = [slot for slot in sheet.column(place) if slot.kind == TIME]
        if cells and re.search(r"\belapsed\b.*\b(?:aggregate|sum|total)\b", head, re.I):
            trial = tried(claim, (cells[0],), lambda time: time / _seconds(span), _NEARLY)
            if trial:
                rule, name = f"{cells[0].text} min \u00f7 {span}", f"{head} \u00f7 span = at once"
                yield check_of(trial, TIMES, "ratio", name, rule, doubt=True)
