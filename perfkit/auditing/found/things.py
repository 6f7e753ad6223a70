"""How many there are of something, and of which model, said in several places."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.page import COUNT, counted
from perfkit.auditing.found.relate import Check, told
from perfkit.auditing.found.words import label_of

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet

FAMILY = "things counted twice"
_NOUN = (
    r"hosts?|servers?|nodes?|clients?|instances?|machines?|vms?|drives?|ssds?|disks?|controllers?|"
    r"switche?s?|ports?|adapters?|hbas?|cards?|luns?|volumes?|namespaces?|svms?|lifs?|aggregates?|"
    r"shelves|shelf|cores?|sockets?|databases?|threads?|jobs?|users?|sessions?|tests?|runs?|"
    r"workloads?|links?|paths?|groups?|pools?|arrays?|blades?|racks?|enclosures?|initiators?|targets?"
)
_MANY = rf"(?P<count>{COUNT}|\d{{1,4}})"
_SOME = r"(?P<adjectives>(?:[A-Za-z][\w/-]*\s+){0,3}?)"
_PHRASE = re.compile(
    r"\b(?P<definite>(?:all|the|these|those|same|our|its|of the|each of the|for the)\s+"
    rf"(?:same\s+|of the\s+)?)?{_MANY}\s+{_SOME}(?P<noun>{_NOUN})\b(?!-|\s+(?:{_NOUN})\b)",
    re.I,
)
_ONLY = word_set(
    "and or of with for to in on by were was are is had has each per than other more additional "
    "different separate new the a an"
)
_EACH = re.compile(
    rf"\beach\s+(?:of\s+the\s+(?:\w+\s+)?)?(?P<owner>(?:[A-Z][\w/-]*\s+|[a-z]+\s+){{0,4}}?(?:{_NOUN}))"
    r"\s+(?:has|had|have|having|contains?|contained|uses?|used|provides?|provided|was given)\s+"
    rf"{_MANY}\s+{_SOME}(?P<noun>{_NOUN})\b(?!\s+(?:{_NOUN})\b)(?P<rest>[^.;]*)",
    re.I,
)
_SINGLE = re.compile(
    r"\b(?:a single|only one|exactly one)\s+(?P<phrase>(?:[\w\u00ae\u2122/-]+\s+){0,4}?)"
    rf"(?P<noun>{_NOUN})\b",
    re.I,
)
_FOR_EACH = re.compile(
    rf"\b(?:an?|one)\s+(?:[\w/-]+\s+){{0,2}}?(?P<noun>{_NOUN})\s+(?:was|is|were)\s+(?:created|configured|"
    r"built|defined|used|set up|assigned)\s+(?:for|on|in|to|per)\s+each\s+(?:of\s+)?(?:the\s+)?"
    rf"(?P<count>{COUNT}|\d+)?\s*(?P<owner>(?:[\w/-]+\s+){{0,3}}?(?:{_NOUN}))\b",
    re.I,
)
_MODEL = re.compile(
    rf"\b{_MANY}\s+(?:x\s+)?(?P<name>(?:[A-Z][\w-]*\s+){{2,6}})(?P<noun>servers?|hosts?|"
    r"switche?s?|adapters?|arrays?|drives?|blades?|nodes?|systems?|controllers?|storage systems?)\b"
)
_OF_TABLE = re.compile(r"\b(?:number|count|no\.?) of\b|\bcount\b|^#", re.I)
_TOTAL = re.compile(
    r"\b(?:total of|contain(?:s|ed|ing)|with|using|has|had|consist(?:s|ed) of)\s+(?:a total of\s+)?"
    rf"{_MANY}\s+(?:\d+(?:\.\d+)?\s?[GT]i?B\s+)?(?:[\w/-]+\s+){{0,3}}?(?P<noun>{_NOUN})\b",
    re.I,
)
_NEARBY = 3
_SAME = {"shelves": "shelf", "switches": "switch", "ssds": "drive", "ssd": "drive", "disks": "drive",
         "disk": "drive"}  # fmt: skip
Match = re.Match[str]


def things(page: Page) -> Iterator[Check]:
    """Counts and models that a document states in several places."""
    yield from _counts(page.prose)
    yield from _each_has(page.prose)
    yield from _single_or_each(page.prose)
    yield from _models(page.texts)
    for sheet in page.sheets:
        yield from _counts_of_table(page.prose, sheet)


def _found(pattern: re.Pattern[str], said: Sequence[Said]) -> Iterator[tuple[Said, Match, int]]:
    """Where a pattern with a count stands, and the count."""
    for item in said:
        for match in pattern.finditer(item.text):
            number = counted(match["count"])
            if number is not None:
                yield item, match, number


def _noun(match: Match) -> str:
    return _singular(match["noun"])


def _singular(word: str) -> str:
    """A noun in the singular, by its ending."""
    bare = _SAME.get(word.lower(), word.lower())
    return bare.removesuffix("s") if not bare.endswith("ss") else bare


def _first(text: str, words: int = 12) -> str:
    """The first words of a text."""
    parts = text.split()
    return " ".join(parts[:words]) + (" \u2026" if words < len(parts) else "")


def _told(name: str, here: Said, match: Match, there: Said, other: Match, right: object) -> Check:
    """A phrase against another one."""
    rule = f"\u201c{_first(other[0])}\u201d (line {there.line})"
    printed = _first(match[0]).removesuffix(" \u2026")
    return told(FAMILY, name, here, printed, rule, recomputed=str(right))


def _counts(said: Sequence[Said]) -> Iterator[Check]:
    """The same things counted differently: "six Linux hosts" where four are spoken of elsewhere."""
    groups: dict[tuple[str, ...], list[tuple[Said, Match, int]]] = defaultdict(list)
    for sentence, match, number in _found(_PHRASE, said):
        adjectives = tuple(match["adjectives"].lower().split())
        if adjectives and not _ONLY & set(adjectives):
            groups[*adjectives, _noun(match)].append((sentence, match, number))
    for items in groups.values():
        # without an article a count is one of many ("two servers were tested", then three)
        usual = Counter(number for *_, number in items).most_common(1)[0][0]
        if len(items) < 2 or not all(m["definite"] or n == usual for _, m, n in items):
            continue
        model, first = next((s, m) for s, m, n in items if n == usual)
        for sentence, match, number in items:
            # in one paragraph two counts are set against each other, not stated twice
            if number != usual and sentence.paragraph != model.paragraph:
                yield _told("The same things counted", sentence, match, model, first, usual)


def _each_has(said: Sequence[Said]) -> Iterator[Check]:
    """What each of some owners has, counted differently: one port of a host, then two."""
    found = list(_found(_EACH, said))
    for at, (sentence, match, number) in enumerate(found):
        same = (item for item in found[:at] if _same_thing(match, item[1]))
        for before, other, count in islice(same, 1):
            if number != count:
                name = "What each has, counted twice"
                yield _told(name, sentence, match, before, other, count)


def _same_thing(one: Match, other: Match) -> bool:
    """The same owner and noun, joined to the same: "connected to the switch"."""
    owner, theirs = (_singular(m["owner"].split()[-1]) for m in (one, other))
    if owner != theirs or _noun(one) != _noun(other):
        return False
    mine, others = (set(m["adjectives"].lower().split()) for m in (one, other))
    rest, more = (
        set(label_of(m["rest"]).words) - {"the", "to", "a", "with", "and"} for m in (one, other)
    )
    return mine == others or len(rest & more) > 1


def _single_or_each(said: Sequence[Said]) -> Iterator[Check]:
    """A single one, and one for each of several, in neighbouring sentences."""
    for at, sentence in enumerate(said):
        for match in _SINGLE.finditer(sentence.text):
            near = said[max(at - _NEARBY, 0) : at + _NEARBY + 1]
            for other, each in ((o, m) for o in near for m in _FOR_EACH.finditer(o.text)):
                several = counted(each["count"]) if each["count"] else None
                if _noun(each) == _noun(match) and several != 1:
                    right = several or "several"
                    yield _told("One, or one for each", sentence, match, other, each, right)


def _models(said: Sequence[Said]) -> Iterator[Check]:
    """As many things of one maker and family, called by two models."""
    named = [item for item in _found(_MODEL, said) if re.search(r"\d", item[1]["name"])]
    for at, (item, match, number) in enumerate(named):
        name = match["name"].split()
        for before, other, count in named[:at]:
            theirs = other["name"].split()
            shared = len(
                [*takewhile(lambda pair: pair[0] == pair[1], zip(name, theirs, strict=False))]
            )
            if _noun(match) == _noun(other) and number == count and shared > 1:
                if shared < min(len(name), len(theirs)):
                    what = f"The model of the {_noun(match)}s"
                    yield _told(what, item, match, before, other, _first(other[0]))
                break


def _counts_of_table(said: Sequence[Said], sheet: Sheet) -> Iterator[Check]:
    """A count in the text against a table's row "Number of ...", for the system it speaks of."""
    heads = [set(re.findall(r"[A-Za-z]+\d+\w*", head)) for head in sheet.heads]
    for row, (name,) in enumerate(texts[:1] for texts in sheet.texts):
        nouns = {_singular(w) for w in label_of(name).words} if _OF_TABLE.search(name) else set()
        for sentence, match, number in _found(_TOTAL, said) if nouns else ():
            place = _column_meant(sentence.text[: match.start()], heads)
            slot = None if place is None else sheet.at(row, place)
            whole = slot and not slot.kind and slot.exact.denominator == 1
            if slot and whole and slot.exact != number and _noun(match) in nouns:
                rule = f"{slot.place}: {slot.text} (line {slot.line})"
                what = f"{name}, and the text"
                yield told(FAMILY, what, sentence, _first(match[0]), rule, recomputed=slot.text)


def _column_meant(before: str, heads: list[set[str]]) -> int | None:
    """The column of the system that is named last before a count; the only one, where there is one."""
    if len(heads) == 2:
        return 1
    found = [(before.rfind(w), n) for n, words in enumerate(heads) for w in words if w in before]
    return max(found)[1] if found else None
