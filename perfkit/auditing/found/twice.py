"""What a document prints twice: a number of a table in its text, a cell in two tables, a sentence."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import FACTOR, OPS, RATE, SHARE, SIZE, TIME, quantities
from perfkit.auditing.found.relate import Check, check_of, is_slip, same, told, tried
from perfkit.auditing.found.sentences import direction
from perfkit.auditing.found.words import FILLING, label_of

if TYPE_CHECKING:
    from fractions import Fraction

    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

PROSE, CELLS, SENTENCES, GAINS = (
    "prose against its table", "cells of two tables", "sentences that stand twice", "gains stated twice",
)  # fmt: skip
_LEAST_DIGITS, _CLOSE, _NEARBY, _LEAST_LETTERS = 3, 25, 40, 40
_LEAST_CELLS, _LEAST_ROWS, _LEAST_SAME = 4, 3, 9
MOST_SLOTS, _MANY_DIGITS = 20_000, 4
_NEARLY = frozenset({"", "~", "\u2248"})
_MEASURED = frozenset({OPS, RATE, TIME})
_MEASURED_OR_SIZE = _MEASURED | {SIZE}
_CLAUSE = re.compile(r"[;.]\s|,\s")
_PEAK = re.compile(r"\b(?:peak\w*|max(?:imum)?|highest|up to|as high as|as much as|top)\b", re.I)
_LEAST = re.compile(r"\b(?:lowest|min(?:imum)?|as low as|down to)\b", re.I)


def twice(page: Page) -> Iterator[Check]:
    """All that stands twice."""
    yield from _quoted(page)
    yield from _cells(page.sheets)
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    yield from _sentences(prose)
    yield from _captions(page.said)
    yield from _gains(prose)


def _quoted(page: Page) -> Iterator[Check]:
    """Each number of a sentence against the tables of the document.

    It holds where a cell of its kind has that value and the sentence names its row or column. It is
    in doubt where no cell has it, and just one that the sentence names has it but for a slip.
    """
    known = [(sheet, slot) for sheet in page.sheets for slot in sheet.slots]
    if len(known) > MOST_SLOTS:
        return
    by_kind: dict[str, list[tuple[Sheet, Slot]]] = defaultdict(list)
    for sheet, slot in known:
        by_kind[slot.kind].append((sheet, slot))
    for _, paragraph in groupby(page.prose if known else (), key=lambda said: said.paragraph):
        yield from _restated(list(paragraph), by_kind)
    claims = (
        (s, c)
        for s in (page.prose if known else ())
        for c in s.slots
        if c.quantity.bound in _NEARLY
    )
    for sentence, claim in claims:
        if claim.kind == SHARE and claim.quantity.decimals:
            yield from _changed(sentence, claim, page.sheets)
        elif claim.kind in _MEASURED_OR_SIZE or (
            not claim.kind and claim.quantity.digits > _MANY_DIGITS
        ):
            yield from _measured(sentence, claim, by_kind[claim.kind])


def _restated(
    said: Sequence[Said], by_kind: dict[str, list[tuple[Sheet, Slot]]]
) -> Iterator[Check]:
    """A paragraph that quotes a table, as its other numbers show, and one that differs by a digit."""
    quoted: list[Slot] = []
    open_: list[tuple[Said, Slot, list[tuple[Sheet, Slot]]]] = []
    for sentence in said:
        for claim in sentence.slots:
            cells = by_kind[claim.kind] if claim.kind and claim.quantity.digits > 1 else []
            near = [
                (t, s)
                for t, s in cells
                if abs(abs(s.value) - abs(claim.value)) <= 2 * claim.half + s.half
            ]
            own = [s for sheet, s in near if _names_row(sentence, sheet, s)]
            quoted += own[:1]
            if own and claim.kind in {SHARE, FACTOR}:
                yield from _compared(claim, own[0])
            if not near and claim.quantity.bound in _NEARLY:
                open_.append((sentence, claim, cells))
    for sentence, claim, cells in open_:
        found = [
            s
            for sheet, s in cells
            if _beside(s, quoted)
            and _one_scale(s, claim)
            and _names_row(sentence, sheet, s)
            and s.quantity.digits == claim.quantity.digits
            and (t := tried(claim, (s,), abs if claim.value > 0 else same))
            and is_slip(t, 2)
        ]
        if len({s.value for s in found}) == 1:
            yield from _compared(claim, found[0])


def _beside(slot: Slot, quoted: Sequence[Slot]) -> bool:
    """Whether numbers of its column are quoted; or several of its row."""
    column = sum(
        q.quantity.digits for q in quoted if (q.table, q.column) == (slot.table, slot.column)
    )
    row = sum(q.quantity.digits for q in quoted if (q.table, q.row) == (slot.table, slot.row))
    return column > 1 or row >= _LEAST_DIGITS


def _names_row(sentence: Said, sheet: Sheet, slot: Slot) -> bool:
    """Whether a sentence itself names the row of a cell."""
    row = _row_words(sheet, slot)
    return bool(row) and (row <= sentence.words or bool(row & sentence.words & sheet.telling))


def _changed(sentence: Said, claim: Slot, sheets: Sequence[Sheet]) -> Iterator[Check]:
    """A change in percent that a sentence quotes from a row of changes that it names."""
    clause = frozenset(label_of(_CLAUSE.split(sentence.text[: claim.quantity.start])[-1]).words)
    rows: list[list[Slot]] = []
    for sheet in sheets:
        for n, name in enumerate(
            sheet.names if abs(sheet.lines[0] - sentence.line) <= _NEARBY else ()
        ):
            shares = [
                s for t in sheet.columns if t.label.change and (s := t.slots[n]) and s.kind == SHARE
            ]
            words = frozenset(name.words) - FILLING
            if len(words) > 1 and words <= clause and shares:
                rows.append(shares)
    agree = [
        s
        for own in rows
        for s in own
        if abs(abs(claim.value) - abs(s.value)) <= 2 * claim.half + s.half
    ]
    if agree:
        yield from _compared(claim, agree[0])
    elif len(rows) == 1 and len(rows[0]) == 1:
        yield from _compared(claim, rows[0][0])
    else:
        found = [s for own in rows for s in own if (t := tried(claim, (s,), abs)) and is_slip(t, 2)]
        if len({abs(s.value) for s in found}) == 1:
            yield from _compared(claim, found[0])


def _measured(sentence: Said, claim: Slot, cells: list[tuple[Sheet, Slot]]) -> Iterator[Check]:
    near = [(t, s) for t, s in cells if abs(s.value - claim.value) <= 2 * claim.half + s.half]
    if near:
        named = [s for sheet, s in near if _named(sentence, sheet, s)]
        # a small size is a setting, and stands in many places
        setting = claim.kind == SIZE and claim.quantity.digits < _LEAST_DIGITS
        if named and claim.quantity.digits > 1 and not setting:
            yield from _compared(claim, named[0])
        return
    if claim.quantity.digits < _LEAST_DIGITS:
        return
    found = [
        s
        for sheet, s in cells
        if s.value > 0
        and _one_scale(s, claim)
        and (t := tried(claim, (s,), same))
        and is_slip(t)
        and (_named(sentence, sheet, s) >= 2 - _tells(claim, s) or _peak(sentence, claim, sheet, s))
    ]
    if len({s.value for s in found}) == 1:
        yield from _compared(claim, found[0])


def _tells(claim: Slot, cell: Slot) -> int:
    """1 where so many digits agree that no other number can be meant; else 0."""
    alike = claim.quantity.digits == cell.quantity.digits and claim.unit == cell.unit
    return int(alike and claim.quantity.digits >= _MANY_DIGITS)


def _one_scale(one: Slot, two: Slot) -> bool:
    """Whether two numbers are printed to the same base: GB and MB, but not GB and GiB."""
    ratio = one.factor / two.factor
    return all(set(str(part)) <= {"1", "0"} for part in (ratio.numerator, ratio.denominator))


def _compared(claim: Slot, cell: Slot) -> Iterator[Check]:
    """A number of the text against its cell, whatever the sign: "down by 4%" is -4%."""
    trial = tried(claim, (cell,), (lambda value: -value) if claim.value * cell.value < 0 else same)
    if trial:
        rule = f"{cell.text} (line {cell.line})"
        yield check_of(trial, PROSE, "stated_twice", f"The text and {cell.place}", rule, doubt=True)


def _named(sentence: Said, sheet: Sheet, slot: Slot) -> int:
    """How many of row and column a sentence (or its section) names."""
    words = sentence.words | frozenset(label_of(sentence.section).words)
    row = _row_words(sheet, slot)
    head = frozenset(sheet.labels[(slot.column or 0) - 1].words) - FILLING
    by_row = bool(row) and (row <= words or bool(row & words & sheet.telling))
    return int(by_row) + int(bool(head & words))


def _row_words(sheet: Sheet, slot: Slot) -> frozenset[str]:
    return frozenset(w for w in sheet.names[(slot.row or 0) - 1].words if not w.isdigit()) - FILLING


def _peak(sentence: Said, claim: Slot, sheet: Sheet, slot: Slot) -> bool:
    """Whether a sentence speaks of the peak, and a cell is the largest of its column."""
    start = claim.quantity.start
    before = sentence.text[max(start - 50, 0) : start]
    top, low = _PEAK.search(before), _LEAST.search(before)
    unit = slot.unit and claim.unit and slot.unit.name.lower() == claim.unit.name.lower()
    close = abs(slot.line - sentence.line) <= _CLOSE
    if bool(top) == bool(low) or not (_named(sentence, sheet, slot) or (unit and close)):
        return False
    column = [s.value for t in sheet.columns if t.column == slot.column for s in t.known]
    return slot.value == (max if top else min)(column)


def _cells(sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Cells that two tables both hold, where nearly all of those agree."""
    for pairs, least in ((_by_names(sheets), _LEAST_CELLS), (_by_numbers(sheets), _LEAST_ROWS)):
        for own in pairs:
            trials = [t for a, b in own if a.kind == b.kind and (t := tried(a, (b,), same))]
            held = [t for t in trials if t.held and t.claim.quantity.digits > 1]
            failed = [t for t in trials if not t.held]
            digits = sum(t.claim.quantity.digits for t in held)
            # what is measured twice differs in many cells; what is copied differs by a slip
            if len(held) < least or digits < _LEAST_SAME or len(failed) > 1:
                continue
            for trial in [*held, *filter(is_slip, failed)]:
                other = trial.inputs[0]
                name = f"Stated in {other.place} (line {other.line})"
                yield check_of(trial, CELLS, "stated_twice", name, doubt=True)


Pairs = list[tuple["Slot", "Slot"]]


def _by_names(sheets: Sequence[Sheet]) -> Iterator[Pairs]:
    """The cells that have the names of row and column in common, in whichever order."""
    known = [_named_cells(sheet) for sheet in sheets]
    places: dict[frozenset[str], list[int]] = defaultdict(list)
    for number, cells in enumerate(known):
        for key in cells:
            places[key].append(number)
    common: dict[tuple[int, int], Pairs] = defaultdict(list)
    for key, numbers in places.items():
        for first, later in pairwise(numbers):
            common[first, later].append((known[later][key], known[first][key]))
    yield from common.values()


def _named_cells(sheet: Sheet) -> dict[frozenset[str], Slot]:
    """The numbers of a table by the names of their row and column, where those are the only such."""
    found: dict[frozenset[str], list[Slot]] = defaultdict(list)
    for n, row in enumerate(sheet.texts):
        # a bare number names no row: two runs are two runs
        if not row[0] or (quantities(row[0]) and not any(c.isalpha() for c in row[0])):
            continue
        for column, head in enumerate(sheet.heads[1:], 1):
            slot = sheet.at(n, column)
            if slot and head:
                found[frozenset({_plain(row[0]), _plain(head)})].append(slot)
    return {key: slots[0] for key, slots in found.items() if len(slots) == 1}


def _by_numbers(sheets: Sequence[Sheet]) -> Iterator[Pairs]:
    """Columns of two tables whose rows have the same names and, in some, the same numbers."""
    rows = [{_plain(row[0]): n for n, row in enumerate(sheet.texts) if row[0]} for sheet in sheets]
    places: dict[tuple[str, Fraction], list[tuple[int, int]]] = defaultdict(list)
    for number, sheet in enumerate(sheets):
        for name, n in rows[number].items():
            for column in range(1, len(sheet.heads)):
                slot = sheet.at(n, column)
                if slot and slot.quantity.digits > 1:
                    places[name, slot.exact].append((number, column))
    alike = Counter(pair for found in places.values() for pair in pairwise(found))
    for ((one, column), (two, other)), many in alike.items():
        if one != two and many >= _LEAST_ROWS:
            shared = [(n, rows[two][name]) for name, n in rows[one].items() if name in rows[two]]
            slots = [(sheets[two].at(b, other), sheets[one].at(a, column)) for a, b in shared]
            yield [(a, b) for a, b in slots if a and b]


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _sentences(said: Sequence[Said]) -> Iterator[Check]:
    """A sentence that stands twice, letter for letter but for one of its numbers."""
    groups: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for sentence in said:
        # what a tool prints, and the head of a page, is no sentence
        if len(sentence.quantities) < 2 or "=" in sentence.text or sentence.text[-1:] not in ".!":
            continue
        masked = sentence.text
        for quantity in reversed(sentence.quantities):
            masked = masked[: quantity.start] + "#" + masked[quantity.end :]
        bare = re.sub(r"[^a-z#]", "", masked.lower())
        if len(bare) >= _LEAST_LETTERS:
            heading = re.sub(r"^(?:\d+\.)*\d+\s+|ning\b|[^a-z ]", "", sentence.section.lower())
            groups[bare, heading.strip()].append(sentence)
    for items in groups.values():
        for before, sentence in pairwise(items):
            pairs = zip(sentence.slots, before.slots, strict=True)
            other = [(a, b) for a, b in pairs if a.quantity.value != b.quantity.value]
            # in one paragraph they are said of two things, one after the other
            if (
                sentence.paragraph != before.paragraph
                and len(other) == 1
                and other[0][0].kind in _MEASURED
            ):
                a, b = other[0]
                yield told(
                    SENTENCES,
                    "A sentence that stands twice",
                    sentence,
                    a.text,
                    f"\u201c{b.text}\u201d (line {before.line})",
                    recomputed=b.text,
                    note="two tests or one? The document does not say",
                )


_CAPTION = re.compile(r"^(?P<label>Table\s+-?\w+)\s*[).:]+\s*(?P<title>.*)$", re.I)


def _captions(said: Sequence[Said]) -> Iterator[Check]:
    """Two tables of one number."""
    found: dict[str, tuple[str, Said]] = {}
    for sentence in said:
        match = _CAPTION.match(sentence.text) if sentence.kind == "caption" else None
        if not match:
            continue
        label, title = match["label"].capitalize(), re.sub(r"[^a-z0-9]", "", match["title"].lower())
        title = re.sub(r"(?:continued|contd)$", "", title)
        # the same caption again is a list of tables, or a table that goes on
        first, other = found.setdefault(label, (title, sentence))
        if title and first and not (title.startswith(first) or first.startswith(title)):
            yield told(
                SENTENCES,
                "Two tables of one number",
                sentence,
                label,
                f"\u201c{other.text}\u201d (line {other.line})",
            )


_ABOUT: dict[str, re.Pattern[str]] = {
    about: re.compile(words, re.I)
    for about, words in {
        "cpu": r"\bcpu\b|processor utili[sz]ation",
        "latency": r"\blatenc|response time",
        "throughput": r"\biops\b|throughput|bandwidth|workloads?\b|transactions|\btps\b",
        "time": r"run ?time|elapsed|duration",
        "power": r"\bpower\b|watts?",
    }.items()
}
_SUMMARY = re.compile(
    r"summary|conclusion|abstract|overview|key (?:findings|results)|highlights", re.I
)
_STOP = re.compile(r"[.;,]|\b(?:with|over|at|on|for|than|while|under|when)\b")


def _gains(said: Sequence[Said]) -> Iterator[Check]:
    """One gain that a summary and another part state a point apart: 29% and 30% lower.

    Where both state the same number, that is no proof that they mean the same: nothing is said.
    """
    found: list[tuple[Said, Slot, tuple[str, bool], bool]] = []
    for sentence in said:
        for claim in sentence.slots:
            up = direction(sentence.text, claim) if claim.kind == SHARE else None
            about = _about(sentence.text, claim) if up is not None else None
            if about and up is not None:
                summary = _SUMMARY.search(sentence.section) is not None
                found.append((sentence, claim, (about, up), summary))
    for at, (sentence, claim, gain, summary) in enumerate(found):
        for before, other, what, summed in found[:at]:
            # one gain of several tests is theirs: a summary repeats what another part states
            apart = abs(claim.quantity.value - other.quantity.value)
            if (
                gain != what
                or not (summary or summed)
                or sentence.section == before.section
                or apart > 1
            ):
                continue
            if apart:
                at_text = other.quantity
                window = before.text[max(at_text.start - 45, 0) : at_text.end + 45].strip()
                yield told(
                    GAINS,
                    "A gain stated twice",
                    sentence,
                    claim.text,
                    f"\u201c{other.text}\u201d (line {before.line}: \u201c{window}\u201d)",
                    recomputed=other.text.rstrip("%"),
                )
            break


def _about(text: str, claim: Slot) -> str | None:
    """What a percentage is of: the nearest word of the field behind it, else before it."""
    behind = _STOP.split(text[claim.quantity.end :])[0][:60]
    found = [(m.start(), name) for name, p in _ABOUT.items() if (m := p.search(behind))]
    if found:
        return min(found)[1]
    start = claim.quantity.start
    before = text[max(start - 90, 0) : start]
    last = [(m.end(), name) for name, p in _ABOUT.items() for m in p.finditer(before)]
    return max(last)[1] if last else None
