"""What a text states in two places: counts of things, models, captions, sentences, gains.

Each statement has a key (what it is of) and a value. Where all statements of one key but one have
the same value, that one is told.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from perfkit.auditing.found.compared import direction
from perfkit.auditing.found.page import COUNT, counted
from perfkit.auditing.found.relate import Check, told
from perfkit.auditing.quantities import OPS, RATE, SHARE, TIME

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said
    from perfkit.auditing.found.slots import Slot

THINGS, SENTENCES, GAINS = (
    "things counted twice",
    "sentences that stand twice",
    "gains stated twice",
)
MANY = rf"(?:{COUNT}|\d{{1,4}})"
"""A count, in words or digits."""
_NOUN = r"(?P<noun>host|server|node|drive|disk|ssd|controller|switch|port|adapter|array|system)"
_TWICE: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.I)
    for name, pattern in {
        "The same things counted": rf"\b(?:all|the|these|those)\s+(?:same\s+)?(?P<value>{MANY})\s+"
        rf"(?P<words>(?:[a-z]\w*\s+){{1,2}}){_NOUN}(?:e?s)\b",
        "What each has, counted twice": r"\beach\s+(?:[\w-]+\s+){0,5}?(?P<owner>[a-z]+?)s?\s+ha[sd]\s+"
        rf"(?P<value>{MANY})\s+(?:[\w-]+\s+){{0,3}}?{_NOUN}(?:e?s)?\s+(?P<how>[a-z]+ed\s+(?:to|by|with|in))\b",
        "The model of the things": rf"\b(?P<count>{MANY})\s+(?:x\s+)?(?P<maker>[a-z]+\s+[a-z]+)\s+"
        rf"(?P<value>[a-z]+\d\w*(?:\s+\w*\d\w*)?)\s+{_NOUN}(?:e?s)\b",
    }.items()
}
"""What may be said twice, by the name of its check: all groups but the value are the key."""
_FOR_EACH = re.compile(r"\ban?\s+(?P<noun>\w+)\s+was\s+\w+\s+(?:for|on|in)\s+each\s+of\b", re.I)
_CAPTION = re.compile(r"^(?P<label>Table\s+-?\w+)\s*[).:]+\s*(?P<title>.*)$", re.I)
_LEAST_LETTERS = 40


@dataclass(frozen=True)
class _Statement:
    """A value of something, where it stands, and in which words."""

    key: Hashable
    value: object
    said: Said
    text: str


def stated(page: Page) -> Iterator[Check]:
    """Statements of one thing that differ."""
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    for name, pattern in _TWICE.items():
        yield from _differing(THINGS, name, _matches(pattern, page.texts))
    yield from _single(prose)
    yield from _differing(SENTENCES, "Two tables of one number", _captions(page.said))
    yield from _differing(SENTENCES, "A sentence that stands twice", _sentences(prose))
    yield from _gains(prose)


def _differing(family: str, name: str, found: Iterator[_Statement]) -> Iterator[Check]:
    """Of each key what has another value than all others, in another paragraph."""
    groups: dict[Hashable, list[_Statement]] = defaultdict(list)
    for item in found:
        groups[item.key].append(item)
    for items in groups.values():
        (usual, many), *_ = Counter(item.value for item in items).most_common()
        first = next(item for item in items if item.value == usual)
        for item in items if many == len(items) - 1 else ():
            # in one paragraph two counts are set against each other, not stated twice
            if item.value != usual and item.said.paragraph != first.said.paragraph:
                rule = f"\u201c{first.text}\u201d (line {first.said.line})"
                right = None if name == "Two tables of one number" else str(usual)
                yield told(family, name, item.said, item.text, rule, recomputed=right)


def _matches(pattern: re.Pattern[str], said: Sequence[Said]) -> Iterator[_Statement]:
    for item in said:
        for match in pattern.finditer(item.text):
            groups = {k: counted(v) or v.lower() for k, v in match.groupdict().items()}
            value = groups.pop("value")
            yield _Statement(tuple(groups.values()), value, item, match[0])


def _single(said: Sequence[Said]) -> Iterator[Check]:
    """A single one, and one for each of several, in one paragraph."""
    for sentence in said:
        for each in _FOR_EACH.finditer(sentence.text):
            single = re.compile(rf"\ba single\s+(?:\S+\s+){{0,4}}?{each['noun']}\b", re.I)
            for other in (s for s in said if s.paragraph == sentence.paragraph):
                for match in single.finditer(other.text):
                    rule = f"\u201c{each[0]}\u201d (line {sentence.line})"
                    yield told(THINGS, "One, or one for each", other, match[0], rule)


def _captions(said: Sequence[Said]) -> Iterator[_Statement]:
    """The titles of tables, by their numbers."""
    first: dict[str, str] = {}
    for item in said:
        match = _CAPTION.match(item.text) if item.kind == "caption" else None
        if match:
            label, title = match["label"], re.sub(r"[^a-z0-9]", "", match["title"].lower())
            known = first.setdefault(label, title)
            # the same caption again is a list of tables, or a table that goes on
            same = title.startswith(known) or known.startswith(title)
            yield _Statement(label, known if same else title, item, label)


def _sentences(said: Sequence[Said]) -> Iterator[_Statement]:
    """Each number of a sentence, by all the rest of it, letter for letter, and its section."""
    for sentence in said:
        heading = re.sub(r"^[\d.]+\s+|ning\b", "", sentence.section.lower())
        # a page without sections is what a tool prints
        for slot in sentence.slots if heading and len(sentence.slots) > 1 else ():
            if slot.kind in {OPS, RATE, TIME} and sentence.text[-1] == ".":
                start, end = slot.quantity.start, slot.quantity.end
                rest = f"{sentence.text[:start]}#{sentence.text[end:]}".lower()
                bare = re.sub(r"[^a-z0-9#]", "", rest)
                if len(bare) >= _LEAST_LETTERS:
                    yield _Statement((bare, heading), slot.text, sentence, slot.text)


_ABOUT = {
    "cpu": re.compile(r"\bcpu\b", re.I),
    "throughput": re.compile(r"\biops\b|throughput|workloads?\b|transactions", re.I),
}
"""What a gain may be of."""
_SUMMARY = re.compile(r"summary|conclusion|abstract", re.I)
_STOP = re.compile(r"[.;,]|\b(?:with|over|at|on|for|than|while|under|when)\b")
_BEFORE, _BEHIND = 60, 30
"""Characters around a gain that say what it is of."""


def _gains(said: Sequence[Said]) -> Iterator[Check]:
    """One gain that a summary and another part state a point apart: 29% and 30% lower."""
    groups: dict[Hashable, list[tuple[Said, Slot]]] = defaultdict(list)
    for sentence in said:
        for claim in (slot for slot in sentence.slots if slot.kind == SHARE):
            start, end = claim.quantity.start, claim.quantity.end
            behind = _STOP.split(sentence.text[end:])[0][:_BEHIND]
            window = sentence.text[max(start - _BEFORE, 0) : start] + behind
            about = [name for name, pattern in _ABOUT.items() if pattern.search(window)]
            up = direction(sentence.text, claim)
            if len(about) == 1 and up is not None:
                groups[about[0], up].append((sentence, claim))
    for items in groups.values():
        for (before, one), (sentence, claim) in combinations(items, 2):
            summary = any(_SUMMARY.search(item.section) for item in (before, sentence))
            apart = abs(one.quantity.value - claim.quantity.value)
            rounding = max(one.quantity.half, claim.quantity.half)  # 41% rounds 41.28%
            if summary and before.section != sentence.section and rounding < apart <= 1:
                rule = f"\u201c{one.text}\u201d (line {before.line})"
                right = one.text.rstrip("%")
                name = "A gain stated twice"
                yield told(GAINS, name, sentence, claim.text, rule, recomputed=right)
