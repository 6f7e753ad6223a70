"""What a text states in two places: counts of things, models, tables' titles, sentences, gains.

Each statement has a key (what it is of) and a value. Where all statements of one key but one have
the same value, that one is told.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from perfkit.auditing.found.page import COUNT, counted
from perfkit.auditing.found.relate import Check, told
from perfkit.formats.quantities import OPS, RATE, SHARE, TIME

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said
    from perfkit.auditing.found.slots import Slot

THINGS, GAINS = "things counted twice", "gains stated twice"
SENTENCES = "sentences that stand twice"
MANY = rf"(?:{COUNT}|\d{{1,4}})"
"""A count, in words or digits."""
_NOUN = r"(?P<noun>host|server|node|drive|disk|ssd|controller|switch|port|adapter|array)(?:e?s)?\b"
_TWICE = (
    ((THINGS, "The same things counted", 2),
     rf"\b(?:all|the|these|those) (?:same )?(?P<value>{MANY}) "
     rf"(?P<words>(?:[a-z]\w* ){{1,2}}){_NOUN}"),
    ((THINGS, "What each has, counted twice", 1),
     rf"\beach (?:[\w-]+ ){{0,5}}?(?P<owner>[a-z]+?)s? had (?P<value>{MANY}) "
     rf"(?:[\w-]+ ){{0,3}}?{_NOUN} (?P<how>[a-z]+ed (?:to|by|with|in))\b"),
    ((THINGS, "The model of the things", 1),
     rf"\b(?P<count>{MANY}) (?:x )?(?P<maker>[a-z]+ [a-z]+) (?P<value>[a-z]+\d\w*(?: \w*\d\w*)?)"
     rf" {_NOUN}"),
    ((SENTENCES, "Two tables of one number", 1),
     r"^(?P<number>Table -?\w+)(?=[).:]+ (?!cont)(?P<value>(?:\w+ ?){1,3}))"),
)  # fmt: skip
"""What may be said twice: its check, how often the usual value stands at least (of other hosts
another count is as right), and the words; all groups but the value are the key."""
_FOR_EACH = re.compile(r"\ban? (?P<noun>\w+) was \w+ (?:for|on|in) each of\b", re.I)
_AGAIN, _LEAST_LETTERS = (SENTENCES, "A sentence that stands twice", 1), 40


class _Statement(NamedTuple):
    """A value of something, where it stands, and in which words."""

    check: tuple[str, str, int]
    key: tuple[object, ...]
    value: object
    said: Said
    text: str


def stated(page: Page) -> Iterator[Check]:
    """Statements of one thing that differ."""
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    yield from _differing([*_counts(page.texts), *_sentences(prose)])
    yield from _single(prose)
    yield from _gains(prose)


def _differing(found: Sequence[_Statement]) -> Iterator[Check]:
    """Of each key what has another value than all others, in another paragraph."""
    groups: dict[Hashable, list[_Statement]] = defaultdict(list)
    for item in found:
        groups[item.check, item.key].append(item)
    for items in groups.values():
        family, name, least = items[0].check
        usual, many = Counter(item.value for item in items).most_common(1)[0]
        first = next(item for item in items if item.value == usual)
        for item in items if least <= many == len(items) - 1 else ():
            # in one paragraph two counts are set against each other, not stated twice
            if item.value != usual and item.said.paragraph != first.said.paragraph:
                rule = f"\u201c{first.text}\u201d (line {first.said.line})"
                right = None if (item.text.lower(),) == item.key else str(usual)
                yield told(family, name, item.said, item.text, rule, recomputed=right)


def found_in(
    said: Sequence[Said], pattern: re.Pattern[str]
) -> Iterator[tuple[Said, re.Match[str]]]:
    """Where a pattern stands."""
    return ((item, match) for item in said for match in pattern.finditer(item.text))


def _counts(said: Sequence[Said]) -> Iterator[_Statement]:
    for check, pattern in _TWICE:
        # the title of a table stands in its caption alone
        own = [item for item in said if check[0] == THINGS or item.kind == "caption"]
        for item, match in found_in(own, re.compile(pattern, re.I)):
            groups = {k: counted(v) or v.lower() for k, v in match.groupdict().items()}
            value = groups.pop("value")
            yield _Statement(check, tuple(groups.values()), value, item, match[0])


def _single(said: Sequence[Said]) -> Iterator[Check]:
    """A single one, and one for each of several, in one paragraph."""
    for sentence, each in found_in(said, _FOR_EACH):
        beside = [other for other in said if other.paragraph == sentence.paragraph]
        single = re.compile(rf"\ba single (?:\S+ ){{0,4}}?{each['noun']}\b")
        for other, match in found_in(beside, single):
            rule = f"\u201c{each[0]}\u201d (line {sentence.line})"
            yield told(THINGS, "One, or one for each", other, match[0], rule)


def _sentences(said: Sequence[Said]) -> Iterator[_Statement]:
    """Each number of a sentence, by all the rest of it, letter for letter, and its section."""
    for sentence in said:
        heading = re.sub(r"^[\d.]+\s+", "", sentence.section)
        # what has no section or no full stop is what a tool prints, or an item of a list
        whole = heading and sentence.text.endswith(".") and len(sentence.slots) > 1
        for slot in sentence.slots if whole else ():
            bare = re.sub(r"[^a-z0-9#]", "", sentence.text.replace(slot.text, "#").lower())
            if slot.kind in {OPS, RATE, TIME} and len(bare) >= _LEAST_LETTERS:
                yield _Statement(_AGAIN, (bare, heading), slot.text, sentence, slot.text)


_ABOUT = {"cpu": r"\bcpu\b", "throughput": r"\biops\b|throughput|workloads|transactions"}
"""What a gain may be of."""
_BEFORE, _BEHIND = 60, 20
"""Characters around a gain that say what it is of."""
_CHANGED = re.compile(r"\b(?:more|higher|increas\w+|less|lower|reduc\w+)\b", re.I)
_MORE = re.compile(r"more|higher|increas\w+", re.I)
_SUMMARY = re.compile("summary|conclusion|abstract", re.I)


def _gains(said: Sequence[Said]) -> Iterator[Check]:
    """One gain that a summary and another part state a point apart: 29% and 30% lower."""
    groups: dict[Hashable, list[tuple[Said, Slot]]] = defaultdict(list)
    for sentence in said:
        for claim in (slot for slot in sentence.slots if slot.kind == SHARE):
            start, end = claim.quantity.start, claim.quantity.end
            near = sentence.text[max(start - _BEFORE, 0) : end + _BEHIND]
            about = [name for name, words in _ABOUT.items() if re.search(words, near, re.I)]
            ways = {bool(_MORE.fullmatch(word[0])) for word in _CHANGED.finditer(near)}
            if len(about) == len(ways) == 1:
                groups[about[0], *ways].append((sentence, claim))
    for items in groups.values():
        summaries = [item for item in items if _SUMMARY.search(item[0].section)]
        for pair in product(summaries, items):
            (before, one), (sentence, claim) = sorted(pair, key=lambda item: item[0].line)
            apart = abs(one.quantity.value - claim.quantity.value)
            # 41% rounds 41.28%
            rounding = one.quantity.half + claim.quantity.half
            if before.section != sentence.section and rounding <= apart <= 1:
                rule, right = f"\u201c{one.text}\u201d (line {before.line})", one.text.rstrip("%")
                what = (GAINS, "A gain stated twice", sentence, claim.text, rule)
                yield told(*what, recomputed=right)
