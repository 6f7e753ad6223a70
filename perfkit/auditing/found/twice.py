"""What a document prints twice: a number of a table in its text, a cell in two tables, a sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.quantities import FACTOR, SHARE, quantities
from perfkit.auditing.found.relate import Check, check_of, is_slip, same, told, tried
from perfkit.auditing.found.sentences import direction
from perfkit.auditing.found.words import label_of

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

PROSE, CELLS, SENTENCES, GAINS = (
    "prose against its table", "cells of two tables", "sentences that stand twice", "gains stated twice",
)  # fmt: skip
_LEAST_DIGITS, _CLOSE, _NEARBY, _LEAST_CELLS, _LEAST_LETTERS = 3, 25, 40, 4, 40
MOST_SLOTS = 20_000
_CLAUSE = re.compile(r"[;.]\s|,\s")
_LOOSE = word_set("of the in at a an and for to with by on is per")
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
    for sentence in page.prose if known else ():
        for claim in sentence.slots:
            if claim.kind == SHARE and claim.quantity.decimals and not claim.quantity.bound:
                yield from _changed(sentence, claim, page.sheets)
            elif claim.kind not in {"", FACTOR, SHARE} and claim.quantity.bound in {
                "",
                "~",
                "\u2248",
            }:
                yield from _measured(sentence, claim, by_kind[claim.kind])


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
            words = frozenset(name.words) - _LOOSE
            if len(words) > 1 and words <= clause and shares:
                rows.append(shares)
    agree = [s for own in rows for s in own
             if abs(abs(claim.value) - abs(s.value)) <= 2 * claim.half + s.half]  # fmt: skip
    if agree:
        yield from _compared(claim, agree[0])
    elif len(rows) == 1 and len(rows[0]) == 1:
        yield from _compared(claim, rows[0][0])


def _measured(sentence: Said, claim: Slot, cells: list[tuple[Sheet, Slot]]) -> Iterator[Check]:
    near = [(t, s) for t, s in cells if abs(s.value - claim.value) <= 2 * claim.half + s.half]
    if near:
        named = [s for sheet, s in near if _named(sentence, sheet, s)]
        if named and claim.quantity.digits > 1:
            yield from _compared(claim, named[0])
        return
    if claim.quantity.digits < _LEAST_DIGITS:
        return
    found = [
        s for sheet, s in cells
        if s.value > 0 and (t := tried(claim, (s,), same)) and is_slip(t)
        and (_named(sentence, sheet, s) == 2 or _peak(sentence, claim, sheet, s))  # noqa: PLR2004
    ]  # fmt: skip
    if len({s.value for s in found}) == 1:
        yield from _compared(claim, found[0])


def _compared(claim: Slot, cell: Slot) -> Iterator[Check]:
    """A number of the text against its cell, whatever the sign: "down by 4%" is -4%."""
    trial = tried(claim, (cell,), (lambda value: -value) if claim.value * cell.value < 0 else same)
    if trial:
        rule = f"{cell.text} (line {cell.line})"
        yield check_of(trial, PROSE, "stated_twice", f"The text and {cell.place}", rule, doubt=True)


def _named(sentence: Said, sheet: Sheet, slot: Slot) -> int:
    """How many of row and column a sentence (or its section) names."""
    words = sentence.words | frozenset(label_of(sentence.section).words)
    row = frozenset(w for w in sheet.names[(slot.row or 0) - 1].words if not w.isdigit()) - _LOOSE
    head = frozenset(sheet.labels[(slot.column or 0) - 1].words) - _LOOSE
    by_row = bool(row) and (row <= words or bool(row & words & _telling(sheet)))
    return int(by_row) + int(bool(head & words))


def _telling(sheet: Sheet) -> frozenset[str]:
    """Words that name one row of a table alone."""
    found: dict[str, int] = defaultdict(int)
    for name in sheet.names:
        for word in set(name.words) - _LOOSE:
            found[word] += 1
    return frozenset(w for w, n in found.items() if n == 1 and not w.isdigit())


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
    """Cells of the same row and column in two tables, where nearly all of those agree."""
    known = [_by_name(sheet) for sheet in sheets]
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, cells in enumerate(known):
        for key in cells:
            places[key].append(number)
    common: dict[tuple[int, int], list[tuple[Slot, Slot]]] = defaultdict(list)
    for key, numbers in places.items():
        for first, later in pairwise(numbers):
            common[first, later].append((known[later][key], known[first][key]))
    for pairs in common.values():
        trials = [t for a, b in pairs if a.kind == b.kind and (t := tried(a, (b,), same))]
        held = [t for t in trials if t.held and t.claim.quantity.digits > 1]
        failed = [t for t in trials if not t.held]
        # what is measured twice differs in many cells; what is copied differs by a slip
        if len(held) < _LEAST_CELLS or 4 * len(failed) > len(held):
            continue
        for trial in [*held, *filter(is_slip, failed)]:
            other = trial.inputs[0]
            name = f"Stated in {other.place} (line {other.line})"
            yield check_of(trial, CELLS, "stated_twice", name, doubt=True)


def _by_name(sheet: Sheet) -> dict[tuple[str, str], Slot]:
    """The numbers of a table by the names of their row and column, where those are the only such."""
    found: dict[tuple[str, str], list[Slot]] = defaultdict(list)
    for n, row in enumerate(sheet.texts):
        # a bare number names no row: two runs are two runs
        if not row[0] or (quantities(row[0]) and not any(c.isalpha() for c in row[0])):
            continue
        for column, head in enumerate(sheet.heads[1:], 1):
            slot = sheet.at(n, column)
            if slot and head:
                found[_plain(row[0]), _plain(head)].append(slot)
    return {key: slots[0] for key, slots in found.items() if len(slots) == 1}


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


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
            heading = re.sub(r"^(?:\d+\.)*\d+\s+|ning\b|[^a-z ]", "", sentence.section.lower())
            groups[bare, heading.strip()].append(sentence)
    for items in groups.values():
        for before, sentence in pairwise(items):
            pairs = zip(sentence.slots, before.slots, strict=True)
            other = [(a, b) for a, b in pairs if a.quantity.value != b.quantity.value]
            # in one paragraph they are said of two things, one after the other
            if sentence.paragraph != before.paragraph and len(other) == 1 and other[0][0].kind:
                a, b = other[0]
                yield told(
                    SENTENCES, "A sentence that stands twice", sentence, a.text,
                    f"\u201c{b.text}\u201d (line {before.line})", recomputed=b.text,
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
        label, title = match["label"].capitalize(), re.sub(r"[^a-z0-9]", "", match["title"].lower())
        title = re.sub(r"(?:continued|contd)$", "", title)
        # the same caption again is a list of tables, or a table that goes on
        first, other = found.setdefault(label, (title, sentence))
        if title and first and not (title.startswith(first) or first.startswith(title)):
            yield told(SENTENCES, "Two tables of one number", sentence, label,
                       f"\u201c{other.text}\u201d (line {other.line})")  # fmt: skip


_ABOUT: dict[str, re.Pattern[str]] = {
    about: re.compile(words, re.I)
    for about, words in {
        "cpu": r"\bcpu\b|processor utili[sz]ation", "latency": r"\blatenc|response time",
        "throughput": r"\biops\b|throughput|bandwidth|workloads?\b|transactions|\btps\b",
        "time": r"run ?time|elapsed|duration", "power": r"\bpower\b|watts?",
    }.items()
}  # fmt: skip
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
                    GAINS, "A gain stated twice", sentence, claim.text,
                    f"\u201c{other.text}\u201d (line {before.line}: \u201c{window}\u201d)",
                    recomputed=other.text.rstrip("%"),
                )  # fmt: skip
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
