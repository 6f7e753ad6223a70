"""How many there are of something, and of which model, said in several places."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.auditing.relations.found.check import Check
from perfkit.auditing.relations.found.sentence import WORDS, Said, counted, whole
from perfkit.auditing.relations.found.words import label_of, words_of
from perfkit.auditing.relations.run import FAILS, HOLDS

if TYPE_CHECKING:
    from perfkit.auditing.relations.found.grid import Grid

_COUNT = "|".join(sorted(WORDS, key=len, reverse=True))
_NOUN = (
    r"hosts?|servers?|nodes?|clients?|instances?|machines?|vms?|drives?|ssds?|disks?|controllers?|"
    r"switche?s?|ports?|adapters?|hbas?|cards?|luns?|volumes?|namespaces?|svms?|lifs?|aggregates?|"
    r"shelves|shelf|cores?|sockets?|databases?|threads?|jobs?|users?|sessions?|tests?|runs?|"
    r"workloads?|links?|paths?|groups?|pools?|arrays?|blades?|racks?|enclosures?|initiators?|targets?"
)
_PHRASE = re.compile(
    rf"\b(?P<definite>(?:all|the|these|those|same|our|its|of the|each of the|for the)\s+(?:same\s+|of the\s+)?)?"
    rf"(?P<count>{_COUNT}|\d{{1,4}})\s+(?P<adjectives>(?:[A-Za-z][\w/-]*\s+){{0,3}}?)(?P<noun>{_NOUN})\b"
    rf"(?!-|\s+(?:{_NOUN})\b)",
    re.I,
)
_ONLY = frozenset(
    [
        "and",
        "or",
        "of",
        "with",
        "for",
        "to",
        "in",
        "on",
        "by",
        "were",
        "was",
        "are",
        "is",
        "had",
        "has",
        "each",
        "per",
        "than",
        "other",
        "more",
        "additional",
        "different",
        "separate",
        "new",
        "the",
        "a",
        "an",
    ]
)
_EACH = re.compile(
    rf"\beach\s+(?:of\s+the\s+(?:\w+\s+)?)?(?P<owner>(?:[A-Z][\w/-]*\s+|[a-z]+\s+){{0,4}}?(?:{_NOUN}))"
    rf"\s+(?:has|had|have|having|contains?|contained|uses?|used|provides?|provided|was given)\s+"
    rf"(?P<count>{_COUNT}|\d{{1,4}})\s+(?P<adjectives>(?:[A-Za-z][\w/-]*\s+){{0,3}}?)(?P<noun>{_NOUN})\b"
    rf"(?!\s+(?:{_NOUN})\b)(?P<rest>[^.;]*)",
    re.I,
)
_SINGLE = re.compile(
    rf"\b(?:a single|only one|exactly one)\s+(?P<phrase>(?:[\w\u00ae\u2122/-]+\s+){{0,4}}?)(?P<noun>{_NOUN})\b",
    re.I,
)
_FOR_EACH = re.compile(
    rf"\b(?:an?|one)\s+(?:[\w/-]+\s+){{0,2}}?(?P<noun>{_NOUN})\s+(?:was|is|were)\s+(?:created|configured|"
    rf"built|defined|used|set up|assigned)\s+(?:for|on|in|to|per)\s+each\s+(?:of\s+)?(?:the\s+)?"
    rf"(?P<count>{_COUNT}|\d+)?\s*(?P<owner>(?:[\w/-]+\s+){{0,3}}?(?:{_NOUN}))\b",
    re.I,
)
_MODEL = re.compile(
    rf"\b(?P<count>{_COUNT}|\d{{1,4}})\s+(?:x\s+)?(?P<name>(?:[A-Z][\w-]*\s+){{2,6}})(?P<noun>servers?|hosts?|"
    r"switche?s?|adapters?|arrays?|drives?|blades?|nodes?|systems?|controllers?|storage systems?)\b"
)
_NEARBY = 3


def counts(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """The same things counted differently: "six Linux hosts" where four are spoken of elsewhere."""
    groups: dict[tuple[str, ...], list[tuple[Said, re.Match[str], int]]] = defaultdict(list)
    for sentence in said:
        for match in _PHRASE.finditer(sentence.text):
            number = counted(match["count"])
            adjectives = tuple(match["adjectives"].lower().split())
            if number is None or not adjectives or _ONLY & set(adjectives):
                continue
            groups[(*adjectives, singular(match["noun"]))].append((sentence, match, number))
    for items in groups.values():
        # without an article a count is one of many ("two servers were tested", then three)
        if len(items) > 1 and all(
            match["definite"] or number == _usual(items) for _, match, number in items
        ):
            yield from _majority(items)


def _usual(items: list[tuple[Said, re.Match[str], int]]) -> int:
    return Counter(number for _, _, number in items).most_common(1)[0][0]


def _majority(items: list[tuple[Said, re.Match[str], int]]) -> Iterator[Check]:
    usual = _usual(items)
    model = next((s, m) for s, m, n in items if n == usual)
    for sentence, match, number in items:
        # in one paragraph two counts are set against each other, not stated twice
        if match is model[1] or (number != usual and sentence.paragraph == model[0].paragraph):
            continue
        phrase = " ".join(match[0].split())
        yield Check(
            "stated_twice",
            "The same things counted",
            sentence.line,
            sentence.place,
            phrase,
            f"\u201c{' '.join(model[1][0].split())}\u201d (line {model[0].line})",
            HOLDS if number == usual else FAILS,
            whole(number),
            whole(usual),
        )


def each_has(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """What each of some owners has, counted differently: one port of a host, then two."""
    found: list[tuple[Said, re.Match[str], int]] = []
    for sentence in said:
        for match in _EACH.finditer(sentence.text):
            number = counted(match["count"])
            if number is not None:
                found.append((sentence, match, number))
    for at, (sentence, match, number) in enumerate(found):
        for before, other, count in found[:at]:
            if _same_thing(match, other):
                yield Check(
                    "stated_twice",
                    "What each has, counted twice",
                    sentence.line,
                    sentence.place,
                    " ".join(match[0].split()[:12]),
                    f"\u201c{' '.join(other[0].split()[:12])} \u2026\u201d (line {before.line})",
                    HOLDS if number == count else FAILS,
                    whole(number),
                    whole(count),
                )
                break


def _same_thing(one: re.Match[str], other: re.Match[str]) -> bool:
    """The same owner and noun, joined to the same: "connected to the switch"."""
    owner, theirs = (singular(m["owner"].split()[-1]) for m in (one, other))
    if owner != theirs or singular(one["noun"]) != singular(other["noun"]):
        return False
    mine, others = (set(m["adjectives"].lower().split()) for m in (one, other))
    rest, more = (
        set(words_of(m["rest"])) - {"the", "to", "a", "with", "and"} for m in (one, other)
    )
    return mine == others or len(rest & more) > 1


def single_or_each(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A single one, and one for each of several, in neighbouring sentences."""
    for at, sentence in enumerate(said):
        for match in _SINGLE.finditer(sentence.text):
            for other in said[max(at - _NEARBY, 0) : at + _NEARBY + 1]:
                for each in _FOR_EACH.finditer(other.text):
                    several = counted(each["count"]) if each["count"] else None
                    if singular(each["noun"]) != singular(match["noun"]) or several == 1:
                        continue
                    yield Check(
                        "stated_twice",
                        "One, or one for each",
                        sentence.line,
                        sentence.place,
                        " ".join(match[0].split()),
                        f"\u201c{' '.join(each[0].split())}\u201d (line {other.line})",
                        FAILS,
                        recomputed=f"{several}" if several else "several",
                    )


@dataclass(frozen=True)
class _Named:
    line: int
    place: str
    text: str
    count: int
    name: tuple[str, ...]
    noun: str


def models(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """As many things of one maker and family, called by two models."""
    found = [item for s in said for item in _named(s.text, s.line, s.place)]
    for grid in grids:
        for row in grid.rows:
            for cell in row[1:]:
                place = f"{grid.called}, {row[0].text}"
                found += _named(cell.text, cell.line, place)
    for at, item in enumerate(found):
        for before in found[:at]:
            shared = _shared(item.name, before.name)
            if item.noun != before.noun or item.count != before.count or shared < 2:  # noqa: PLR2004
                continue
            same = item.name == before.name or shared == min(len(item.name), len(before.name))
            yield Check(
                "stated_twice",
                f"The model of the {item.noun}s",
                item.line,
                item.place,
                item.text,
                f"\u201c{before.text}\u201d (line {before.line})",
                HOLDS if same else FAILS,
                recomputed=before.text,
            )
            break


def _named(text: str, line: int, place: str) -> Iterator[_Named]:
    for match in _MODEL.finditer(text):
        number = counted(match["count"])
        name = tuple(match["name"].split())
        if number is not None and any(any(c.isdigit() for c in word) for word in name):
            yield _Named(
                line, place, " ".join(match[0].split()), number, name, singular(match["noun"])
            )


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


_OF_TABLE = re.compile(r"\b(?:number|count|no\.?) of\b|\bcount\b|^#", re.I)
_TOTAL = re.compile(
    rf"\b(?:total of|contain(?:s|ed|ing)|with|using|has|had|consist(?:s|ed) of)\s+(?:a total of\s+)?"
    rf"(?P<count>{_COUNT}|\d{{1,4}})\s+(?P<size>\d+(?:\.\d+)?\s?[GT]i?B\s+)?(?P<adjectives>(?:[\w/-]+\s+){{0,3}}?)"
    rf"(?P<noun>{_NOUN})\b",
    re.I,
)


def counts_of_tables(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A count in the text against a table's row "Number of ...", for the system it speaks of."""
    for grid in grids:
        heads = [set(re.findall(r"[A-Za-z]*\d+\w*", head)) for head in grid.heads]
        for row in grid.rows:
            if not _OF_TABLE.search(row[0].text):
                continue
            noun = {singular(w) for w in label_of(row[0].text).words}
            for sentence in said:
                for match in _TOTAL.finditer(sentence.text):
                    if singular(words_of(match["noun"])[0]) not in noun:
                        continue
                    place = _column_meant(sentence.text[: match.start()], heads, len(row))
                    number = counted(match["count"])
                    if place is None or number is None or row[place].number is None:
                        continue
                    claim = row[place].number
                    assert claim is not None  # noqa: S101 - looked at above
                    yield Check(
                        "stated_twice",
                        f"{row[0].text}, and the text",
                        sentence.line,
                        sentence.place,
                        " ".join(match[0].split()),
                        f"{grid.called}, {row[0].text}, {grid.heads[place]}: {row[place].text} "
                        f"(line {row[place].line})",
                        HOLDS if claim.value == number else FAILS,
                        whole(number),
                        claim,
                    )


def _column_meant(before: str, heads: list[set[str]], width: int) -> int | None:
    """The column of the system that is named last before a count; the only one, where there is one."""
    if width == 2:  # noqa: PLR2004
        return 1
    found = [
        (before.rfind(word), n) for n, words in enumerate(heads) for word in words if word in before
    ]
    return max(found)[1] if found else None


def singular(word: str) -> str:
    """A noun in the singular, by its ending."""
    bare = word.lower()
    bare = {
        "shelves": "shelf",
        "switches": "switch",
        "ssds": "drive",
        "ssd": "drive",
        "disks": "drive",
        "disk": "drive",
    }.get(bare, bare)
    return bare.removesuffix("s") if not bare.endswith("ss") else bare
