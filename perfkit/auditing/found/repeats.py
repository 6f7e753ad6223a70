"""What a document says twice: a sentence, a caption, a gain, a table's order or load point in words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from perfkit.auditing.found.claims import direction
from perfkit.auditing.found.quantities import SHARE, TIME, Quantity, quantities
from perfkit.auditing.found.relate import Check, tried
from perfkit.auditing.found.said import Said, stated, unit_name, whole
from perfkit.auditing.found.words import label_of
from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.interval import point
from perfkit.auditing.relations.run import FAILS, HOLDS

if TYPE_CHECKING:
    from perfkit.auditing.found.sheets import Sheet, Slot

SENTENCES, GAINS, ORDERS, POINTS, TIMES = (
    "sentences that stand twice", "gains stated twice", "orders in words", "load points in words",
    "times and their whole",
)  # fmt: skip
_LEAST_LETTERS = 40


def repeats(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """All of these."""
    prose = [sentence for sentence in said if sentence.kind == "text"]
    yield from _sentences(prose)
    yield from _captions(said)
    yield from _gains(prose)
    yield from _orders(prose, sheets)
    yield from _quotients(prose, sheets)
    yield from _points(prose, sheets)
    yield from _times(prose, sheets)


def _sentences(said: Sequence[Said]) -> Iterator[Check]:
    """A sentence that stands twice, letter for letter but for one of its numbers."""
    groups: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for sentence in said:
        # what a tool prints, and the head of a page, is no sentence
        if len(sentence.quantities) < 2 or "=" in sentence.text or sentence.text[-1:] not in ".!":  # noqa: PLR2004
            continue
        masked = sentence.text
        for quantity in reversed(sentence.quantities):
            masked = masked[: quantity.start] + "#" + masked[quantity.end :]
        bare = re.sub(r"[^a-z#]", "", masked.lower())
        if len(bare) >= _LEAST_LETTERS:
            heading = re.sub(
                r"^(?:\d+\.)*\d+\s+|ning\b|[^a-z ]", "", sentence.section.lower()
            ).strip()
            groups[bare, heading].append(sentence)
    for items in groups.values():
        for sentence, before in zip(items[1:], items, strict=False):
            pairs = list(zip(sentence.quantities, before.quantities, strict=True))
            other = [(a, b) for a, b in pairs if a.value != b.value]
            # in one paragraph they are said of two things, one after the other
            if sentence.paragraph != before.paragraph and len(other) == 1 and other[0][0].kind:
                a, b = other[0]
                yield stated(
                    SENTENCES, "A sentence that stands twice", sentence, a.text,
                    f"\u201c{b.text}\u201d (line {before.line})", FAILS,
                    sentence.scaled(a, Fraction(1)), before.scaled(b, Fraction(1)), decimals=a.decimals,
                    note="two tests or one? The document does not say",
                )  # fmt: skip


_CAPTION = re.compile(r"^(?P<label>Table\s+-?\w+)\s*[).:]+\s*(?P<title>.*)$", re.I)


def _captions(said: Sequence[Said]) -> Iterator[Check]:
    """Two tables of one number."""
    found: dict[str, tuple[str, Said]] = {}
    for sentence in said:
        match = _CAPTION.match(sentence.text) if sentence.kind == "caption" else None
        if not match:
            continue
        label = match["label"].capitalize()
        title = re.sub(
            r"(?:continued|contd)$", "", re.sub(r"[^a-z0-9]", "", match["title"].lower())
        )
        # the same caption again is a list of tables, or a table that goes on
        first, other = found.setdefault(label, (title, sentence))
        if title and first and not (title.startswith(first) or first.startswith(title)):
            yield stated(SENTENCES, "Two tables of one number", sentence, label,
                         f"\u201c{other.text}\u201d (line {other.line})", FAILS)  # fmt: skip


_ABOUT: dict[str, re.Pattern[str]] = {
    "cpu": re.compile(r"\bcpu\b|processor utili[sz]ation", re.I),
    "latency": re.compile(r"\blatenc|response time", re.I),
    "throughput": re.compile(
        r"\biops\b|throughput|bandwidth|workloads?\b|transactions|\btps\b", re.I
    ),
    "time": re.compile(r"run ?time|elapsed|duration", re.I),
    "power": re.compile(r"\bpower\b|watts?", re.I),
}
_SUMMARY = re.compile(
    r"summary|conclusion|abstract|overview|key (?:findings|results)|highlights", re.I
)
_STOP = re.compile(r"[.;,]|\b(?:with|over|at|on|for|than|while|under|when)\b")


def _gains(said: Sequence[Said]) -> Iterator[Check]:
    """One gain stated with two numbers that are a point apart: up to 29%, and up to 30% lower."""
    found: list[tuple[Said, Quantity, str, bool]] = []
    for sentence in said:
        for q in sentence.quantities:
            up = direction(sentence.text, q) if q.kind == SHARE else None
            about = _about(sentence.text, q) if up is not None else None
            if about and up is not None:
                found.append((sentence, q, about, up))
    summed = [_SUMMARY.search(sentence.section) is not None for sentence, *_ in found]
    for at, (sentence, q, about, up) in enumerate(found):
        # one gain of several tests is theirs: a summary repeats what another part states
        earlier = (
            found[:at] if summed[at] else [f for f, s in zip(found[:at], summed, strict=False) if s]
        )
        for before, other, what, way in earlier if any(summed) else ():
            apart = abs(q.value - other.value)
            if (about, up) != (what, way) or apart > 1 or sentence.section == before.section:
                continue
            window = before.text[max(other.start - 45, 0) : other.end + 45].strip()
            yield stated(
                GAINS, "A gain stated twice", sentence, q.text,
                f"\u201c{other.text}\u201d (line {before.line}: \u201c{window}\u201d)",
                HOLDS if apart == 0 else FAILS, sentence.number(q), before.number(other),
                decimals=q.decimals,
            )  # fmt: skip
            break


def _about(text: str, claim: Quantity) -> str | None:
    """What a percentage is of: the nearest word of the field behind it, else before it."""
    behind = _STOP.split(text[claim.end :])[0][:60]
    found = [(m.start(), name) for name, p in _ABOUT.items() if (m := p.search(behind))]
    if found:
        return min(found)[1]
    before = text[max(claim.start - 90, 0) : claim.start]
    last = [(m.end(), name) for name, p in _ABOUT.items() for m in p.finditer(before)]
    return max(last)[1] if last else None


_MORE = re.compile(
    r"\b(?:is|are|was|were)\s+(?:(?:very|slightly|much|significantly|somewhat|also)\s+)*(?P<word>higher|"
    r"lower|larger|smaller|greater|less|longer|shorter)\s+(?:than|for)\b", re.I,
)  # fmt: skip
_RISES = frozenset({"higher", "larger", "greater", "longer"})
_MEANS = {"standard": "std", "deviation": "std", "stdev": "std", "std": "std", "spread": "range",
          "range": "range", "mean": "mean", "average": "mean"}  # fmt: skip


def _meaning(text: str) -> set[str]:
    return {_MEANS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _MEANS}


def _orders(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """An order in words ("the deviation of A is higher than of B") against the table it is of."""
    for sentence in said:
        match = _MORE.search(sentence.text)
        if not match:
            continue
        left, right = sentence.text[: match.start()], sentence.text[match.end() :]
        wanted, rises = _meaning(left), match["word"].lower() in _RISES
        for sheet in sheets if wanted else ():
            a, b = _row_of(left, sheet), _row_of(right, sheet)
            if a is None or b is None or a == b:
                continue
            for place, head in enumerate(sheet.heads):
                own, one, two = (
                    _meaning(head.split(" - ")[-1]),
                    sheet.at(a, place),
                    sheet.at(b, place),
                )
                if not (place and own and own <= wanted and one and two):
                    continue
                sign = "<" if one.value < two.value else ">"
                holds = one.value >= two.value if rises else one.value <= two.value
                rule = f"{one.quantity.text} {sign} {two.quantity.text} ({sheet.place(one)}, line {one.line})"
                yield stated(
                    ORDERS, "An order in words, against the table", sentence, match["word"], rule,
                    HOLDS if holds else FAILS, one.number(), two.number(), kind="limit",
                    recomputed="lower" if sign == "<" else "higher",
                )  # fmt: skip


def _row_of(text: str, sheet: Sheet) -> int | None:
    """The row whose own words (those no other row has) stand in a text."""
    names = [set(re.findall(r"[a-z0-9]+", row[0].lower())) for row in sheet.texts]
    said = set(re.findall(r"[a-z0-9]+", text.lower()))
    found = [n for n, words in enumerate(names)
             if (words - set().union(*names[:n], *names[n + 1 :])) & said]  # fmt: skip
    return found[0] if len(found) == 1 else None


_RATIO = re.compile(r"\b(?P<a>[A-Za-z]+)(?:[ -]time)?\s?/\s?(?P<b>[A-Za-z]+)(?:[ -]time)?\b", re.I)


def _quotients(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """A ratio A/B of a table against A and B of another with the same rows; its name in the text."""
    for sheet in sheets:
        for place, head in enumerate(sheet.heads):
            match = _RATIO.search(head)
            if (
                not match
                or "ratio" not in head.lower()
                or {"std", "range"} & _meaning(head.split(" - ")[-1])
            ):
                continue
            for other in sheets:
                if other is not sheet:
                    yield from _quotient(sheet, place, match, other)
            yield from _inverted(sheet, place, match, said)


def _quotient(sheet: Sheet, place: int, match: re.Match[str], other: Sheet) -> Iterator[Check]:
    words = [label_of(head).words for head in other.heads]
    above = [n for n, own in enumerate(words) if n and match["a"].lower() in own]
    below = [n for n, own in enumerate(words) if n and match["b"].lower() in own]
    for row, texts in enumerate(sheet.texts):
        at, slot = _row_of(texts[0], other), sheet.at(row, place)
        if at is None or slot is None or not above or len(below) != 1:
            continue
        numbers = [other.at(at, n) for n in (*above, *below)]
        if None in numbers:
            continue
        parts: list[Slot] = [n for n in numbers if n is not None]
        trial = tried(slot, parts, lambda *v: sum(v[1:-1], v[0]) / v[-1])
        if trial is None:
            continue
        value = sum((s.exact for s in parts[1:-1]), parts[0].exact) / parts[-1].exact
        total = " + ".join(s.quantity.text for s in parts[:-1])
        rule = f"({total}) \u00f7 {parts[-1].quantity.text} ({other.called})"
        said = Said("", slot.line, "", 0, "cell", sheet.place(slot))
        check = stated(
            ORDERS, f"{sheet.heads[place]}, and the ratio of the sums", said, slot.quantity.text, rule,
            trial.outcome, slot.number(), Number(value, point(value), None, rule, ""), kind="ratio",
            decimals=slot.quantity.decimals,
            note="a mean of ratios is not the ratio of the sums: say which is meant",
        )  # fmt: skip
        yield check.at(slot.table, slot.row, slot.column, sheet.place(slot))


def _inverted(
    sheet: Sheet, place: int, match: re.Match[str], said: Sequence[Said]
) -> Iterator[Check]:
    for sentence in said:
        for found in _RATIO.finditer(sentence.text):
            inverse = (found["b"].lower(), found["a"].lower()) == (
                match["a"].lower(),
                match["b"].lower(),
            )
            if not inverse or "ratio" not in sentence.text[found.end() :][:9]:
                continue
            for row, texts in enumerate(sheet.texts):
                slot = sheet.at(row, place)
                if slot and texts[place] in sentence.text:
                    rule = f"{texts[place]} is {match[0]} in {sheet.place(slot)} (line {slot.line})"
                    yield stated(ORDERS, "A ratio called by its inverse", sentence, found[0], rule,
                                 FAILS, recomputed=match[0])  # fmt: skip


_POINT = re.compile(
    r"\bat (?:the|a) (?P<load>\d[\d,.]*\s?[kKM]?)[\s-]?(?P<unit>IOPS)\s+(?:load\s+)?(?:point|level|step|mark|load)\b",
    re.I,
)
_SHOWN = re.compile(
    r"\b(table|report|screenshots?|output|listing|below|following|shows?|collected)\b", re.I
)
MOST_LINES = 60


def _points(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """A table announced as that of a load point, against its own reads and writes a second."""
    for sentence in said:
        for match in _POINT.finditer(sentence.text):
            below = [s for s in sheets if 0 < s.lines[0] - sentence.line < MOST_LINES]
            found = next((t for sheet in below if (t := _per_second(sheet))), None)
            if found is None or not _SHOWN.search(sentence.text):
                continue
            sheet, cells = found
            load = quantities(match["load"].strip())[0]
            value = sum((s.exact for s in cells), Fraction(0))
            rule = " + ".join(s.quantity.text for s in cells)
            claim = Number(load.value, load.around, None, load.text, "")
            result = Number(value, point(value), None, rule, "", frozenset(s.key for s in cells))
            yield stated(
                POINTS, "The load point and its table", sentence, f"{match['load'].strip()} {match['unit']}",
                f"{rule} ({sheet.place(cells[0])}, line {cells[0].line})",
                HOLDS if load.around.meets(point(value)) else FAILS, claim, result,
            )  # fmt: skip


def _per_second(sheet: Sheet) -> tuple[Sheet, list[Slot]] | None:
    """The reads and writes a second of a table: of its sum, else of its only row."""
    places = [
        n for name in ("read", "write") for n, head in enumerate(sheet.heads)
        if name in label_of(head).words and re.search(r"/s\b|per second|IOPS", head)
        and not {"logical", "latency", "throughput"} & set(label_of(head).words) and "MB" not in head
    ]  # fmt: skip
    names = [label_of(row[0]).aggregate for row in sheet.texts]
    rows = [n for n, name in enumerate(names) if name == "sum"] or list(range(len(names)))
    if len(places) != 2 or len(rows) != 1:  # noqa: PLR2004
        return None
    cells = [slot for place in places if (slot := sheet.at(rows[0], place))]
    return (sheet, cells) if len(cells) == len(places) else None


_TIME = (r"\d+\s*(?:hours?|h)\s*(?:and\s*)?\d+\s*(?:minutes?|mins?|min|m)\b|"
         r"\d+(?:\.\d+)?[\s-]*(?:hours?|minutes?|mins?|seconds?|h|min|s)\b")  # fmt: skip
_LONGEST = re.compile(
    rf"\b(?:longest|slowest)\b[^.;]{{0,60}}?(?P<time>{_TIME})|\brang(?:ing|ed|es?) (?:in (?:duration|length|"
    rf"run ?time) )?from\b[^.;]{{0,40}}?\bto (?:approximately |about )?(?P<other>{_TIME})", re.I,
)  # fmt: skip
_SPAN = re.compile(
    rf"\b(?P<time>{_TIME})\s+(?:span|window|period|duration|run)\b|\b(?:entire|whole|total|complete)\s+"
    rf"(?:workload|test|run|suite)[^.;]{{0,30}}?\b(?:took|lasted|ran for|completed in|finished in)\s+"
    rf"(?P<other>{_TIME})", re.I,
)  # fmt: skip
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
    spans = [(s, m, _seconds(m["time"] or m["other"])) for s in said for m in _SPAN.finditer(s.text)
             if "workload" in s.text.lower()]  # fmt: skip
    if len({span for *_, span in spans}) != 1:
        return
    told, whole_span, span = spans[0]
    for sentence in said:
        for longest in _LONGEST.finditer(sentence.text):
            text = longest["time"] or longest["other"]
            if _PARTS.search(sentence.text):
                rule = f"\u2264 {' '.join(whole_span[0].split())} (line {told.line})"
                yield stated(
                    TIMES, "The longest part is within the whole", sentence, text, rule,
                    HOLDS if _seconds(text) <= span else FAILS, kind="limit",
                    recomputed=f"\u2264 {whole_span['time'] or whole_span['other']}",
                )  # fmt: skip
        for many in _CONCURRENT.finditer(sentence.text):
            yield from _concurrency(sentence, many["count"], span, sheets)


def _concurrency(
    sentence: Said, many: str, span: Fraction, sheets: Sequence[Sheet]
) -> Iterator[Check]:
    for sheet in sheets:
        for place, head in enumerate(sheet.heads):
            cells = [s for n, row in enumerate(sheet.texts) if not label_of(row[0]).change
                     and (s := sheet.at(n, place)) and s.kind == TIME]  # fmt: skip
            if not (_ELAPSED.search(head) and _ADDED.search(head) and cells):
                continue
            count = int(many)
            near = min(cells, key=lambda s: abs(s.exact / span - count))
            value = near.exact / span
            outcome = HOLDS if 0.9 * count <= value <= 1.1 * count else FAILS
            rule = f"{near.quantity.text} {unit_name(near.unit)} \u00f7 {float(span / 60):g} min"
            yield stated(
                TIMES, f"{head} \u00f7 span = running at once", sentence, many, rule, outcome, whole(count),
                Number(value, point(value), None, rule, "", frozenset({near.key})), kind="ratio", decimals=1,
            )  # fmt: skip
