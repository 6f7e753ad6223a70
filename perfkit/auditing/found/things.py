"""How many there are of something, and of which model, said in several places."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perfkit.auditing.found.said import COUNT, Said, cells_said, counted, stated, whole
from perfkit.auditing.found.words import label_of
from perfkit.auditing.relations.run import FAILS, HOLDS

if TYPE_CHECKING:
    from perfkit.auditing.found.relate import Check
    from perfkit.auditing.found.sheets import Sheet

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
    rf"(?:same\s+|of the\s+)?)?{_MANY}\s+{_SOME}(?P<noun>{_NOUN})\b(?!-|\s+(?:{_NOUN})\b)", re.I,
)  # fmt: skip
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
    r"\s+(?:has|had|have|having|contains?|contained|uses?|used|provides?|provided|was given)\s+"
    rf"{_MANY}\s+{_SOME}(?P<noun>{_NOUN})\b(?!\s+(?:{_NOUN})\b)(?P<rest>[^.;]*)", re.I,
)  # fmt: skip
_SINGLE = re.compile(
    r"\b(?:a single|only one|exactly one)\s+(?P<phrase>(?:[\w\u00ae\u2122/-]+\s+){0,4}?)"
    rf"(?P<noun>{_NOUN})\b", re.I,
)  # fmt: skip
_FOR_EACH = re.compile(
    rf"\b(?:an?|one)\s+(?:[\w/-]+\s+){{0,2}}?(?P<noun>{_NOUN})\s+(?:was|is|were)\s+(?:created|configured|"
    r"built|defined|used|set up|assigned)\s+(?:for|on|in|to|per)\s+each\s+(?:of\s+)?(?:the\s+)?"
    rf"(?P<count>{COUNT}|\d+)?\s*(?P<owner>(?:[\w/-]+\s+){{0,3}}?(?:{_NOUN}))\b", re.I,
)  # fmt: skip
_MODEL = re.compile(
    rf"\b{_MANY}\s+(?:x\s+)?(?P<name>(?:[A-Z][\w-]*\s+){{2,6}})(?P<noun>servers?|hosts?|"
    r"switche?s?|adapters?|arrays?|drives?|blades?|nodes?|systems?|controllers?|storage systems?)\b"
)
_OF_TABLE = re.compile(r"\b(?:number|count|no\.?) of\b|\bcount\b|^#", re.I)
_TOTAL = re.compile(
    r"\b(?:total of|contain(?:s|ed|ing)|with|using|has|had|consist(?:s|ed) of)\s+(?:a total of\s+)?"
    rf"{_MANY}\s+(?:\d+(?:\.\d+)?\s?[GT]i?B\s+)?(?:[\w/-]+\s+){{0,3}}?(?P<noun>{_NOUN})\b", re.I,
)  # fmt: skip
_NEARBY = 3
_SAME = {"shelves": "shelf", "switches": "switch", "ssds": "drive", "ssd": "drive", "disks": "drive",
         "disk": "drive"}  # fmt: skip


def things(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Counts and models that a document states in several places."""
    prose = [sentence for sentence in said if sentence.kind != "command"]
    yield from _counts(prose)
    yield from _each_has(prose)
    yield from _single_or_each(prose)
    yield from _models(prose, sheets)
    yield from _counts_of_tables(prose, sheets)


def _counts(said: Sequence[Said]) -> Iterator[Check]:
    """The same things counted differently: "six Linux hosts" where four are spoken of elsewhere."""
    groups: dict[tuple[str, ...], list[tuple[Said, re.Match[str], int]]] = defaultdict(list)
    for sentence in said:
        for match in _PHRASE.finditer(sentence.text):
            number, adjectives = counted(match["count"]), tuple(match["adjectives"].lower().split())
            if number is not None and adjectives and not _ONLY & set(adjectives):
                groups[*adjectives, _singular(match["noun"])].append((sentence, match, number))
    for items in groups.values():
        # without an article a count is one of many ("two servers were tested", then three)
        usual = Counter(number for *_, number in items).most_common(1)[0][0]
        if len(items) < 2 or not all(m["definite"] or n == usual for _, m, n in items):  # noqa: PLR2004
            continue
        model, first = next((s, m) for s, m, n in items if n == usual)
        for sentence, match, number in items:
            # in one paragraph two counts are set against each other, not stated twice
            if match is first or (number != usual and sentence.paragraph == model.paragraph):
                continue
            yield stated(
                FAMILY, "The same things counted", sentence, " ".join(match[0].split()),
                f"\u201c{' '.join(first[0].split())}\u201d (line {model.line})",
                HOLDS if number == usual else FAILS, whole(number), whole(usual),
            )  # fmt: skip


def _each_has(said: Sequence[Said]) -> Iterator[Check]:
    """What each of some owners has, counted differently: one port of a host, then two."""
    found = [(s, m, n) for s in said for m in _EACH.finditer(s.text)
             if (n := counted(m["count"])) is not None]  # fmt: skip
    for at, (sentence, match, number) in enumerate(found):
        for before, other, count in found[:at]:
            if _same_thing(match, other):
                yield stated(
                    FAMILY, "What each has, counted twice", sentence, " ".join(match[0].split()[:12]),
                    f"\u201c{' '.join(other[0].split()[:12])} \u2026\u201d (line {before.line})",
                    HOLDS if number == count else FAILS, whole(number), whole(count),
                )  # fmt: skip
                break


def _same_thing(one: re.Match[str], other: re.Match[str]) -> bool:
    """The same owner and noun, joined to the same: "connected to the switch"."""
    owner, theirs = (_singular(m["owner"].split()[-1]) for m in (one, other))
    if owner != theirs or _singular(one["noun"]) != _singular(other["noun"]):
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
            for other in said[max(at - _NEARBY, 0) : at + _NEARBY + 1]:
                for each in _FOR_EACH.finditer(other.text):
                    several = counted(each["count"]) if each["count"] else None
                    if _singular(each["noun"]) == _singular(match["noun"]) and several != 1:
                        yield stated(
                            FAMILY, "One, or one for each", sentence, " ".join(match[0].split()),
                            f"\u201c{' '.join(each[0].split())}\u201d (line {other.line})", FAILS,
                            recomputed=f"{several}" if several else "several",
                        )  # fmt: skip


def _models(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """As many things of one maker and family, called by two models."""
    found = []
    for item in [*said, *cells_said(sheets)]:
        for match in _MODEL.finditer(item.text):
            number, name = counted(match["count"]), tuple(match["name"].split())
            if number is not None and any(any(c.isdigit() for c in word) for word in name):
                found.append(
                    (item, " ".join(match[0].split()), number, name, _singular(match["noun"]))
                )
    for at, (item, text, number, name, noun) in enumerate(found):
        for before, other, count, theirs, of in found[:at]:
            pairs = zip(name, theirs, strict=False)
            shared = next(
                (n for n, (a, b) in enumerate(pairs) if a != b), min(len(name), len(theirs))
            )
            if noun != of or number != count or shared < 2:  # noqa: PLR2004
                continue
            check = stated(
                FAMILY, f"The model of the {noun}s", item, text, f"\u201c{other}\u201d (line {before.line})",
                HOLDS if shared == min(len(name), len(theirs)) else FAILS, recomputed=other,
            )  # fmt: skip
            yield check
            break


def _counts_of_tables(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """A count in the text against a table's row "Number of ...", for the system it speaks of."""
    rows = [
        (sheet, n)
        for sheet in sheets
        for n, row in enumerate(sheet.texts)
        if _OF_TABLE.search(row[0])
    ]
    for sheet, row in rows:
        heads = [set(re.findall(r"[A-Za-z]+\d+\w*", head)) for head in sheet.heads]
        name = sheet.texts[row][0]
        nouns = {_singular(w) for w in label_of(name).words}
        for sentence in said:
            for match in _TOTAL.finditer(sentence.text):
                place = _column_meant(sentence.text[: match.start()], heads)
                number, slot = (
                    counted(match["count"]),
                    None if place is None else sheet.at(row, place),
                )
                if number is None or slot is None or _singular(match["noun"]) not in nouns:
                    continue
                if slot.exact.denominator != 1 or slot.kind:
                    continue
                yield stated(
                    FAMILY, f"{name}, and the text", sentence, " ".join(match[0].split()),
                    f"{sheet.called}, {name}, {sheet.heads[slot.column - 1]}: {slot.quantity.text} "
                    f"(line {slot.line})", HOLDS if slot.exact == number else FAILS, whole(number),
                    slot.number(),
                )  # fmt: skip


def _column_meant(before: str, heads: list[set[str]]) -> int | None:
    """The column of the system that is named last before a count; the only one, where there is one."""
    if len(heads) == 2:  # noqa: PLR2004
        return 1
    found = [
        (before.rfind(word), n) for n, words in enumerate(heads) for word in words if word in before
    ]
    return max(found)[1] if found else None


def _singular(word: str) -> str:
    """A noun in the singular, by its ending."""
    bare = _SAME.get(word.lower(), word.lower())
    return bare.removesuffix("s") if not bare.endswith("ss") else bare
