"""What a text says of a table in words: its order, its load point, its counts, its spans of time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from perfkit.auditing.found.page import counted
from perfkit.auditing.found.relate import Check, added, check_of, similar, told, tried
from perfkit.auditing.found.stated import MANY, NOUN, THINGS, counts_in, first_words, singular
from perfkit.auditing.found.words import label_of
from perfkit.auditing.quantities import TIME, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet
    from perfkit.auditing.found.slots import Slot

_NEAR = 2
ORDERS, POINTS, TIMES = "orders in words", "load points in words", "times and their whole"
_MORE = re.compile(
    r"\b(?:is|are|was|were)\s+(?:(?:very|slightly|much|significantly|somewhat|also)\s+)*(?P<word>higher|"
    r"lower|larger|smaller|greater|less|longer|shorter)\s+(?:than|for)\b",
    re.I,
)
_RISES = frozenset({"higher", "larger", "greater", "longer"})
_MEANS = {"standard": "std", "deviation": "std", "stdev": "std", "std": "std", "spread": "range",
          "range": "range", "mean": "mean", "average": "mean"}  # fmt: skip
_RATIO = re.compile(r"\b(?P<a>[A-Za-z]+)(?:[ -]time)?\s?/\s?(?P<b>[A-Za-z]+)(?:[ -]time)?\b", re.I)
_POINT = re.compile(
    r"\bat (?:the|a) (?P<load>\d[\d,.]*\s?[kKM]?)[\s-]?(?P<unit>IOPS)\s+(?:load\s+)?(?:point|level|step|mark|load)\b",
    re.I,
)
_SHOWN = re.compile(
    r"\b(table|report|screenshots?|output|listing|below|following|shows?|collected)\b", re.I
)
_PER_SECOND = re.compile(r"/s\b|per second|IOPS")
_OF_TABLE = re.compile(r"\b(?:number|count|no\.?) of\b|\bcount\b|^#", re.I)
_TOTAL = re.compile(
    r"\b(?:total of|contain(?:s|ed|ing)|with|using|has|had|consist(?:s|ed) of)\s+(?:a total of\s+)?"
    rf"{MANY}\s+(?:\d+(?:\.\d+)?\s?[GT]i?B\s+)?(?:[\w/-]+\s+){{0,3}}?(?P<noun>{NOUN})\b",
    re.I,
)
MOST_LINES, _NEARLY = 60, 0.1


def narrated(page: Page) -> Iterator[Check]:
    """All of these."""
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    for sheet in page.sheets:
        for sentence in prose:
            yield from _orders(sentence, sheet)
        for place, head in enumerate(sheet.heads):
            ratio = _RATIO.search(head) if "ratio" in head.lower() else None
            if ratio and not {"std", "range"} & _meaning(head.split(" - ")[-1]):
                yield from _quotients(sheet, place, ratio, page.sheets)
                yield from _inverted(prose, sheet, place, ratio)
        yield from _counts(page.prose, sheet)
    for sentence in prose:
        yield from _points(sentence, page.sheets)
    yield from _times(prose, page.sheets)


def _meaning(text: str) -> set[str]:
    return {_MEANS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _MEANS}


def _orders(sentence: Said, sheet: Sheet) -> Iterator[Check]:
    """An order in words ("the deviation of A is higher than of B") against the table it is of."""
    match = _MORE.search(sentence.text)
    wanted = _meaning(sentence.text[: match.start()]) if match else set()
    if not match or not wanted:
        return
    rows = (
        _row_of(sentence.text[: match.start()], sheet),
        _row_of(sentence.text[match.end() :], sheet),
    )
    for place, head in enumerate(sheet.heads):
        pair = [s for row in rows if row is not None and (s := sheet.at(row, place))]
        own = _meaning(head.split(" - ")[-1])
        if not (place and own and own <= wanted and len(set(rows)) == len(pair) == 2):
            continue
        (one, two), name = pair, "An order in words, against the table"
        more, rises = one.value > two.value, match["word"].lower() in _RISES
        if one.value != two.value and more != rises:
            sign, right = (">", "higher") if more else ("<", "lower")
            rule = f"{one.text} {sign} {two.text} ({one.place}, line {one.line})"
            yield told(ORDERS, name, sentence, match["word"], rule, recomputed=right)


def _row_of(text: str, sheet: Sheet) -> int | None:
    """The row whose own words (those no other row has) stand in a text."""
    names = [set(re.findall(r"[a-z0-9]+", row[0].lower())) for row in sheet.texts]
    said = set(re.findall(r"[a-z0-9]+", text.lower()))
    own = [words - set().union(*names[:n], *names[n + 1 :]) for n, words in enumerate(names)]
    found = [n for n, words in enumerate(own) if words & said]
    return found[0] if len(found) == 1 else None


def _quotients(
    sheet: Sheet, place: int, ratio: re.Match[str], sheets: Sequence[Sheet]
) -> Iterator[Check]:
    """A column "ratio of A/B" against the columns A and B of another table with the same rows.

    The ratio of what is counted is not that of the times beside it: the two have to be near.
    """
    for other in (other for other in sheets if other is not sheet):
        above, below = (
            [n for n, label in enumerate(other.labels) if n and ratio[side].lower() in label.words]
            for side in "ab"
        )
        for row, texts in enumerate(sheet.texts if above and len(below) == 1 else ()):
            at, slot = _row_of(texts[0], other), sheet.at(row, place)
            parts = [s for n in (*above, *below) if at is not None and (s := other.at(at, n))]
            if slot is None or len(parts) <= len(above):
                continue
            trial = tried(slot, parts, lambda *v: added(*v[:-1]) / v[-1])
            if trial and (trial.held or similar(trial, _NEAR)):
                total = " + ".join(s.text for s in parts[:-1])
                name = f"{sheet.heads[place]}, and the ratio of the sums"
                rule = f"({total}) \u00f7 {parts[-1].text} ({other.called})"
                note = "a mean of ratios is not the ratio of the sums: say which is meant"
                yield check_of(
                    trial, ORDERS, "ratio", name, rule, doubt=True, note=note, alone=True
                )


def _inverted(
    prose: Sequence[Said], sheet: Sheet, place: int, ratio: re.Match[str]
) -> Iterator[Check]:
    """A ratio A/B of a table that the text calls B/A."""
    named = (ratio["b"].lower(), ratio["a"].lower())
    for sentence in prose:
        for found in _RATIO.finditer(sentence.text):
            inverse = (found["a"].lower(), found["b"].lower()) == named
            if inverse and "ratio" in sentence.text[found.end() :][:9]:
                for slot in (s for s in sheet.column(place) if s.text in sentence.text):
                    rule = f"{slot.text} is {ratio[0]} in {slot.place} (line {slot.line})"
                    name = "A ratio called by its inverse"
                    yield told(ORDERS, name, sentence, found[0], rule, recomputed=ratio[0])


def _counts(said: Sequence[Said], sheet: Sheet) -> Iterator[Check]:
    """A count in the text against a table's row "Number of ...", for the system it speaks of."""
    heads = [set(re.findall(r"[A-Za-z]+\d+\w*", head)) for head in sheet.heads]
    for row, (name,) in enumerate(texts[:1] for texts in sheet.texts):
        nouns = {singular(w) for w in label_of(name).words} if _OF_TABLE.search(name) else set()
        for sentence, match, number in counts_in(_TOTAL, said) if nouns else ():
            before = sentence.text[: match.start()]
            named = [
                (before.rfind(w), n) for n, own in enumerate(heads) for w in own if w in before
            ]
            # the system that is named last before a count; the only one, where there is one
            place = 1 if len(heads) == 2 else max(named)[1] if named else None
            slot = None if place is None else sheet.at(row, place)
            whole = slot and not slot.kind and slot.exact.denominator == 1
            if slot and whole and slot.exact != number and singular(match["noun"]) in nouns:
                rule = f"{slot.place}: {slot.text} (line {slot.line})"
                what, printed = f"{name}, and the text", first_words(match[0])
                yield told(THINGS, what, sentence, printed, rule, recomputed=slot.text)


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
        and _PER_SECOND.search(label.text)
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


def _seconds(text: str) -> Fraction:
    return sum((Fraction(n) * _SECONDS[u[0].lower()] for n, u in _PART.findall(text)), Fraction(0))


def _times(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """The longest part is not longer than the whole; times added up are concurrency by the span."""
    work = [sentence for sentence in said if "workload" in sentence.text.lower()]
    spans = [(s, m, m["time"] or m["other"]) for s in work for m in _SPAN.finditer(s.text)]
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
    claim = sentence.count(counted(many["count"]) or 0, many["count"], many.start("count"))
    for place, head in enumerate(sheet.heads):
        own = (sheet.at(n, place) for n, name in enumerate(sheet.names) if not name.change)
        cells = [slot for slot in own if slot and slot.kind == TIME]
        if _ELAPSED.search(head) and _ADDED.search(head) and cells:
            near = min(cells, key=lambda s: abs(s.exact / span - claim.exact))
            trial = tried(claim, (near,), lambda time: time / span, _NEARLY)
            if trial:
                unit = near.unit.name if near.unit else ""
                rule = f"{near.text} {unit} \u00f7 {float(span / 60):g} min"
                name = f"{head} \u00f7 span = running at once"
                yield check_of(trial, TIMES, "ratio", name, rule, doubt=True)
