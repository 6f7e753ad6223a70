"""What a text says of a table in words: its order, its load point, its spans of time, its ratios."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import TIME, quantities
from perfkit.auditing.found.relate import Check, added, check_of, told, tried

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

ORDERS, POINTS, TIMES = "orders in words", "load points in words", "times and their whole"
_MORE = re.compile(
    r"\b(?:is|are|was|were)\s+(?:(?:very|slightly|much|significantly|somewhat|also)\s+)*(?P<word>higher|"
    r"lower|larger|smaller|greater|less|longer|shorter)\s+(?:than|for)\b",
    re.I,
)
_RISES = frozenset({"higher", "larger", "greater", "longer"})
_MEANS = {"standard": "std", "deviation": "std", "stdev": "std", "std": "std", "spread": "range",
          "range": "range", "mean": "mean", "average": "mean"}  # fmt: skip


def narrated(page: Page) -> Iterator[Check]:
    """All of these."""
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    for sentence in prose:
        yield from _orders(sentence, page.sheets)
        yield from _points(sentence, page.sheets)
    yield from _quotients(prose, page.sheets)
    yield from _times(prose, page.sheets)


def _meaning(text: str) -> set[str]:
    return {_MEANS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _MEANS}


def _orders(sentence: Said, sheets: Sequence[Sheet]) -> Iterator[Check]:
    """An order in words ("the deviation of A is higher than of B") against the table it is of."""
    match = _MORE.search(sentence.text)
    left = sentence.text[: match.start()] if match else ""
    wanted = _meaning(left)
    if not match or not wanted:
        return
    for sheet in sheets:
        rows = _row_of(left, sheet), _row_of(sentence.text[match.end() :], sheet)
        for place, head in enumerate(sheet.heads):
            pair = [sheet.at(row, place) for row in rows if row is not None]
            one, two = pair if len(set(rows)) == len(pair) == 2 else (None, None)
            own = _meaning(head.split(" - ")[-1])
            if not (place and own and own <= wanted and one and two) or one.value == two.value:
                continue
            rises, more = match["word"].lower() in _RISES, one.value > two.value
            if rises != more:
                rule = (
                    f"{one.text} {'>' if more else '<'} {two.text} ({one.place}, line {one.line})"
                )
                right = "higher" if more else "lower"
                name = "An order in words, against the table"
                yield told(ORDERS, name, sentence, match["word"], rule, recomputed=right)


def _row_of(text: str, sheet: Sheet) -> int | None:
    """The row whose own words (those no other row has) stand in a text."""
    names = [set(re.findall(r"[a-z0-9]+", row[0].lower())) for row in sheet.texts]
    said = set(re.findall(r"[a-z0-9]+", text.lower()))
    found = [
        n
        for n, words in enumerate(names)
        if (words - set().union(*names[:n], *names[n + 1 :])) & said
    ]
    return found[0] if len(found) == 1 else None


_RATIO = re.compile(r"\b(?P<a>[A-Za-z]+)(?:[ -]time)?\s?/\s?(?P<b>[A-Za-z]+)(?:[ -]time)?\b", re.I)


def _quotients(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """A ratio A/B of a table against A and B of another with the same rows; its name in the text."""
    for sheet in sheets:
        for place, head in enumerate(sheet.heads):
            match = _RATIO.search(head) if "ratio" in head.lower() else None
            if not match or {"std", "range"} & _meaning(head.split(" - ")[-1]):
                continue
            for other in sheets:
                if other is not sheet:
                    yield from _quotient(sheet, place, match, other)
            for sentence in said:
                yield from _inverted(sentence, sheet, place, match)


def _quotient(sheet: Sheet, place: int, match: re.Match[str], other: Sheet) -> Iterator[Check]:
    above, below = (
        [n for n, label in enumerate(other.labels) if n and match[side].lower() in label.words]
        for side in "ab"
    )
    for row, texts in enumerate(sheet.texts if above and len(below) == 1 else ()):
        at, slot = _row_of(texts[0], other), sheet.at(row, place)
        parts = [s for n in (*above, *below) if at is not None and (s := other.at(at, n))]
        if slot is None or len(parts) <= len(above):
            continue
        if trial := tried(slot, parts, lambda *v: added(*v[:-1]) / v[-1]):
            total = " + ".join(s.text for s in parts[:-1])
            name = f"{sheet.heads[place]}, and the ratio of the sums"
            rule = f"({total}) \u00f7 {parts[-1].text} ({other.called})"
            note = "a mean of ratios is not the ratio of the sums: say which is meant"
            yield check_of(trial, ORDERS, "ratio", name, rule, doubt=True, note=note, alone=True)


def _inverted(sentence: Said, sheet: Sheet, place: int, match: re.Match[str]) -> Iterator[Check]:
    named = (match["b"].lower(), match["a"].lower())
    for found in _RATIO.finditer(sentence.text):
        inverse = (found["a"].lower(), found["b"].lower()) == named
        if inverse and "ratio" in sentence.text[found.end() :][:9]:
            for slot in (s for s in sheet.column(place) if s.text in sentence.text):
                rule = f"{slot.text} is {match[0]} in {slot.place} (line {slot.line})"
                name = "A ratio called by its inverse"
                yield told(ORDERS, name, sentence, found[0], rule, recomputed=match[0])


_POINT = re.compile(
    r"\bat (?:the|a) (?P<load>\d[\d,.]*\s?[kKM]?)[\s-]?(?P<unit>IOPS)\s+(?:load\s+)?(?:point|level|step|mark|load)\b",
    re.I,
)
_SHOWN = re.compile(
    r"\b(table|report|screenshots?|output|listing|below|following|shows?|collected)\b", re.I
)
MOST_LINES = 60


def _points(sentence: Said, sheets: Sequence[Sheet]) -> Iterator[Check]:
    """A table announced as that of a load point, against its own reads and writes a second."""
    for match in _POINT.finditer(sentence.text if _SHOWN.search(sentence.text) else ""):
        below = [s for s in sheets if 0 < s.lines[0] - sentence.line < MOST_LINES]
        cells = next((found for sheet in below if (found := _per_second(sheet))), None)
        load = quantities(match["load"].strip())
        trial = tried(sentence.slot(load[0]), cells, added) if cells and load else None
        if trial and cells:
            rule = f"{' + '.join(s.text for s in cells)} ({cells[0].place}, line {cells[0].line})"
            printed = f"{match['load'].strip()} {match['unit']}"
            name = "The load point and its table"
            yield check_of(trial, POINTS, "stated_twice", name, rule, doubt=True, printed=printed)


def _per_second(sheet: Sheet) -> list[Slot] | None:
    """The reads and writes a second of a table: of its sum, else of its only row."""
    places = [
        n
        for name in ("read", "write")
        for n, label in enumerate(sheet.labels)
        if name in label.words
        and re.search(r"/s\b|per second|IOPS", label.text)
        and not {"logical", "latency", "throughput"} & set(label.words)
        and "MB" not in label.text
    ]
    rows = [n for n, name in enumerate(sheet.names) if name.aggregate == "sum"]
    rows = rows or list(range(len(sheet.names)))
    if len(places) != 2 or len(rows) != 1:
        return None
    cells = [slot for place in places if (slot := sheet.at(rows[0], place))]
    return cells if len(cells) == len(places) else None


_TIME = (
    r"\d+\s*(?:hours?|h)\s*(?:and\s*)?\d+\s*(?:minutes?|mins?|min|m)\b|"
    r"\d+(?:\.\d+)?[\s-]*(?:hours?|minutes?|mins?|seconds?|h|min|s)\b"
)
_LONGEST = re.compile(
    rf"\b(?:longest|slowest)\b[^.;]{{0,60}}?(?P<time>{_TIME})|\brang(?:ing|ed|es?) (?:in (?:duration|length|"
    rf"run ?time) )?from\b[^.;]{{0,40}}?\bto (?:approximately |about )?(?P<other>{_TIME})",
    re.I,
)
_SPAN = re.compile(
    rf"\b(?P<time>{_TIME})\s+(?:span|window|period|duration|run)\b|\b(?:entire|whole|total|complete)\s+"
    rf"(?:workload|test|run|suite)[^.;]{{0,30}}?\b(?:took|lasted|ran for|completed in|finished in)\s+"
    rf"(?P<other>{_TIME})",
    re.I,
)
_PARTS = re.compile(r"\b(tests?|jobs?|steps?|quer(?:y|ies)|tasks?)\b", re.I)
_CONCURRENT = re.compile(
    r"\baverage (?:of )?(?P<count>\d+)\s+(?:[\w-]+\s+){0,3}?(?:simultaneous\w*|concurrent\w*|in parallel)",
    re.I,
)
_ELAPSED = re.compile(r"\b(elapsed|real|run ?time|wall)\b", re.I)
_ADDED = re.compile(r"\b(aggregate|sum(?:med)?|total)\b", re.I)
_PART = re.compile(r"(\d+(?:\.\d+)?)[\s-]*(hours?|h|minutes?|mins?|min|m|seconds?|s)\b", re.I)
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_NEARLY = 0.1


def _seconds(text: str) -> Fraction:
    return sum((Fraction(n) * _SECONDS[u[0].lower()] for n, u in _PART.findall(text)), Fraction(0))


def _times(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """The longest part is not longer than the whole; times added up are concurrency by the span."""
    spans = [
        (s, m, m["time"] or m["other"])
        for s in said
        for m in _SPAN.finditer(s.text)
        if "workload" in s.text.lower()
    ]
    if len({_seconds(text) for *_, text in spans}) != 1:
        return
    whole, match, span = spans[0]
    for sentence in said:
        for longest in _LONGEST.finditer(sentence.text if _PARTS.search(sentence.text) else ""):
            text = longest["time"] or longest["other"]
            if _seconds(text) > _seconds(span):
                rule = f"\u2264 {' '.join(match[0].split())} (line {whole.line})"
                name = "The longest part is longer than the whole"
                yield told(TIMES, name, sentence, text, rule, recomputed=f"\u2264 {span}")
        for many in _CONCURRENT.finditer(sentence.text):
            for sheet in sheets:
                yield from _concurrency(sentence, many, _seconds(span), sheet)


def _concurrency(
    sentence: Said, many: re.Match[str], span: Fraction, sheet: Sheet
) -> Iterator[Check]:
    """So many at once, against times added up by the span they took."""
    for place, head in enumerate(sheet.heads):
        own = (sheet.at(n, place) for n, name in enumerate(sheet.names) if not name.change)
        cells = [slot for slot in own if slot and slot.kind == TIME]
        if _ELAPSED.search(head) and _ADDED.search(head) and cells:
            near = min(cells, key=lambda s: abs(s.exact / span - int(many["count"])))
            claim = sentence.count(int(many["count"]), many["count"], many.start("count"))
            trial = tried(claim, (near,), lambda time: time / span, _NEARLY)
            if trial:
                unit = near.unit.name if near.unit else ""
                rule = f"{near.text} {unit} \u00f7 {float(span / 60):g} min"
                name = f"{head} \u00f7 span = running at once"
                yield check_of(trial, TIMES, "ratio", name, rule, doubt=True)
