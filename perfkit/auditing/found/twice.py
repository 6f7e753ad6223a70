"""What a document prints twice: a number of a table in its text, a cell in two tables, a sentence."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
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
_LEAST_DIGITS, _LEAST_LETTERS = 3, 40
_LEAST_CELLS, _LEAST_ROWS, _LEAST_SAME = 4, 3, 9
MOST_SLOTS, _MANY_DIGITS = 20_000, 4
_PEAK = re.compile(r"\b(?:peak\w*|max(?:imum)?|highest)\b", re.I)
_NEARLY = frozenset({"", "~", "\u2248"})
_MEASURED = frozenset({OPS, RATE, TIME})


def twice(page: Page) -> Iterator[Check]:
    """All that stands twice."""
    yield from _quoted(page)
    yield from _cells(page.sheets)
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    yield from _sentences(prose)
    yield from _captions(page.said)
    yield from _gains(prose)


Known = tuple["Sheet", "Slot"]


def _quoted(page: Page) -> Iterator[Check]:
    """Numbers of sentences that a table holds too, in a row or column that the sentence names.

    Where no cell has a number, one that has it but for a slip is told only where the sentence names
    that cell in whole words: what is nearly the same is nearly always another.
    """
    known = [(sheet, slot) for sheet in page.sheets for slot in sheet.slots]
    if not known or len(known) > MOST_SLOTS:
        return
    by_kind: dict[str, list[Known]] = defaultdict(list)
    for sheet, slot in known:
        by_kind[slot.kind].append((sheet, slot))
    for said in page.prose:
        claims = [
            (slot, [k for k in by_kind[slot.kind] if _is_equal(slot, k[1])])
            for slot in said.slots
            if slot.quantity.digits > (1 if slot.kind else _MANY_DIGITS)
        ]
        quoted = {
            (s.table, s.column) for _, equal in claims for t, s in equal if _is_whole(said, t, s)
        }
        for claim, equal in claims:
            if claim.quantity.bound in _NEARLY:
                cells = () if equal else by_kind[claim.kind]
                yield from _repeated(said, claim, equal)
                yield from _slipped(said, claim, cells, quoted)


def _is_equal(claim: Slot, cell: Slot) -> bool:
    return abs(abs(cell.value) - abs(claim.value)) <= 2 * claim.half + cell.half


def _repeated(said: Said, claim: Slot, equal: list[Known]) -> Iterator[Check]:
    # a small size is a setting, and stands in many places; shares need the row they are of
    setting = claim.kind == SIZE and claim.quantity.digits < _LEAST_DIGITS
    least = 2 if claim.kind in {SHARE, FACTOR} else 1
    named = (s for t, s in equal if 2 * (n := _names(said, t, s))[0] + n[1] >= least)
    cell = None if setting else next(named, None)
    if cell:
        yield _compared(claim, cell)


def _slipped(
    said: Said,
    claim: Slot,
    cells: Sequence[Known],
    quoted: Container[tuple[str | None, int | None]],
) -> Iterator[Check]:
    """A number against the only cell it can be: its row named, its column quoted; or a column's peak."""
    found = [
        cell
        for sheet, cell in cells
        if cell.unit == claim.unit
        and (trial := tried(claim, (cell,), abs if claim.value > 0 else same))
        and is_slip(trial, 2)
        and (
            ((cell.table, cell.column) in quoted and _is_whole(said, sheet, cell))
            or _is_peak(said, claim, sheet, cell)
        )
    ]
    if len({abs(slot.value) for slot in found}) == 1:
        yield _compared(claim, found[0])


def _is_whole(said: Said, sheet: Sheet, cell: Slot) -> bool:
    """Whether a sentence has all words of the name of a cell's row."""
    words = frozenset(sheet.names[(cell.row or 0) - 1].words) - FILLING
    return bool(words) and words <= said.words


def _is_peak(said: Said, claim: Slot, sheet: Sheet, cell: Slot) -> bool:
    """Whether a sentence speaks of the peak of a column by all its words, and a cell is that."""
    start = claim.quantity.start
    words = frozenset(sheet.labels[(cell.column or 0) - 1].words) - FILLING
    if (
        not words
        or not words <= said.words
        or not _PEAK.search(said.text, max(start - 50, 0), start)
    ):
        return False
    return cell.value == max(slot.value for slot in sheet.column((cell.column or 0) - 1))


def _compared(claim: Slot, cell: Slot) -> Check:
    """A number of the text against its cell, whatever the sign: "down by 4%" is -4%."""
    opposite = claim.value * cell.value < 0
    trial = tried(claim, (cell,), (lambda value: -value) if opposite else same)
    assert trial  # noqa: S101 - nothing is divided
    rule = f"{cell.text} (line {cell.line})"
    return check_of(trial, PROSE, "stated_twice", f"The text and {cell.place}", rule, doubt=True)


def _names(said: Said, sheet: Sheet, slot: Slot) -> tuple[bool, bool]:
    """Whether a sentence names the row of a cell; and whether it, or its section, names its column."""
    words = frozenset(w for w in sheet.names[(slot.row or 0) - 1].words if not w.isdigit())
    row, around = words - FILLING, said.words | frozenset(label_of(said.section).words)
    head = frozenset(sheet.labels[(slot.column or 0) - 1].words) - FILLING
    by_row = bool(row) and (row <= said.words or bool(row & said.words & sheet.telling))
    return by_row, bool(head & around)


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
        # what a tool prints, and the head of a page, is not a sentence
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
                rule, note = f"\u201c{b.text}\u201d (line {before.line})", "two tests or one?"
                name = "A sentence that stands twice"
                yield told(SENTENCES, name, sentence, a.text, rule, recomputed=b.text, note=note)


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
            rule = f"\u201c{other.text}\u201d (line {other.line})"
            yield told(SENTENCES, "Two tables of one number", sentence, label, rule)


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

    Where both state the same number, that is not proof that they mean the same: nothing is said.
    """
    found: list[tuple[Said, Slot, tuple[str, bool], bool]] = []
    for sentence in said:
        for claim in sentence.slots:
            up = direction(sentence.text, claim) if claim.kind == SHARE else None
            about = _about(sentence.text, claim) if up is not None else None
            if about and up is not None:
                summary = _SUMMARY.search(sentence.section) is not None
                found.append((sentence, claim, (about, up), summary))
    summaries = [(n, item) for n, item in enumerate(found) if item[3]]
    for at, (sentence, claim, gain, summary) in enumerate(found):
        # one gain of several tests is theirs: a summary repeats what another part states
        earlier = found[:at] if summary else [item for n, item in summaries if n < at]
        for before, other, what, _ in earlier:
            apart = abs(claim.quantity.value - other.quantity.value)
            if gain != what or sentence.section == before.section or apart > 1:
                continue
            if apart:
                start, end = other.quantity.start, other.quantity.end
                window = before.text[max(start - 45, 0) : end + 45].strip()
                rule = f"\u201c{other.text}\u201d (line {before.line}: \u201c{window}\u201d)"
                right = other.text.rstrip("%")
                yield told(
                    GAINS, "A gain stated twice", sentence, claim.text, rule, recomputed=right
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
