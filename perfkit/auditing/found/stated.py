"""What a text states in several places: counts of things, models, gains, captions, whole sentences.

Each kind of statement has a key (what it is of) and a value. Where two statements of one key differ
in their value, the one that differs from the usual one is told.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.compared import direction
from perfkit.auditing.found.page import COUNT, counted
from perfkit.auditing.found.relate import Check, told
from perfkit.auditing.found.words import label_of
from perfkit.auditing.quantities import OPS, RATE, SHARE, TIME

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said
    from perfkit.auditing.found.slots import Slot

THINGS, SENTENCES, GAINS = (
    "things counted twice",
    "sentences that stand twice",
    "gains stated twice",
)
NOUN = (
    r"hosts?|servers?|nodes?|clients?|instances?|machines?|vms?|drives?|ssds?|disks?|controllers?|"
    r"switche?s?|ports?|adapters?|hbas?|cards?|luns?|volumes?|namespaces?|svms?|lifs?|aggregates?|"
    r"shelves|shelf|cores?|sockets?|databases?|threads?|jobs?|users?|sessions?|tests?|runs?|"
    r"workloads?|links?|paths?|groups?|pools?|arrays?|blades?|racks?|enclosures?|initiators?|targets?"
)
MANY = rf"(?P<count>{COUNT}|\d{{1,4}})"
_SOME = r"(?P<words>(?:[A-Za-z][\w/-]*\s+){0,3}?)"
_PHRASE = re.compile(
    r"\b(?P<definite>(?:all|the|these|those|same|our|its|of the|each of the|for the)\s+"
    rf"(?:same\s+|of the\s+)?)?{MANY}\s+{_SOME}(?P<noun>{NOUN})\b(?!-|\s+(?:{NOUN})\b)",
    re.I,
)
_EACH = re.compile(
    rf"\beach\s+(?:of\s+the\s+(?:\w+\s+)?)?(?P<owner>(?:[A-Z][\w/-]*\s+|[a-z]+\s+){{0,4}}?(?:{NOUN}))"
    r"\s+(?:has|had|have|having|contains?|contained|uses?|used|provides?|provided|was given)\s+"
    rf"{MANY}\s+{_SOME}(?P<noun>{NOUN})\b(?!\s+(?:{NOUN})\b)(?P<rest>[^.;]*)",
    re.I,
)
_MODEL = re.compile(
    rf"\b{MANY}\s+(?:x\s+)?(?P<words>(?:[A-Z][\w-]*\s+){{2,6}})(?P<noun>servers?|hosts?|switche?s?|"
    r"adapters?|arrays?|drives?|blades?|nodes?|systems?|controllers?|storage systems?)\b"
)
_SINGLE = re.compile(
    rf"\b(?:a single|only one|exactly one)\s+(?:[\w\u00ae\u2122/-]+\s+){{0,4}}?(?P<noun>{NOUN})\b",
    re.I,
)
_FOR_EACH = re.compile(
    rf"\b(?:an?|one)\s+(?:[\w/-]+\s+){{0,2}}?(?P<noun>{NOUN})\s+(?:was|is|were)\s+(?:created|configured|"
    r"built|defined|used|set up|assigned)\s+(?:for|on|in|to|per)\s+each\s+(?:of\s+)?(?:the\s+)?"
    rf"(?P<count>{COUNT}|\d+)?\s*(?:[\w/-]+\s+){{0,3}}?(?:{NOUN})\b",
    re.I,
)
_CAPTION = re.compile(r"^(?P<label>Table\s+-?\w+)\s*[).:]+\s*(?P<title>.*)$", re.I)
_DONE = re.compile(r"(?:threads?|jobs?|users?|sessions?|tests?|runs?|workloads?|groups?)", re.I)
_CLOCK = re.compile(r"\b\d\d:\d\d:\d\d\b")
_ONLY = word_set(
    "and or of with for to in on by were was are is had has each per than other more additional "
    "different separate new the a an"
)
_LINKS = word_set("the to a with and")
_SAME = {"shelves": "shelf", "switches": "switch", "ssds": "drive", "ssd": "drive", "disks": "drive",
         "disk": "drive"}  # fmt: skip
_NEARBY, _LEAST_LETTERS = 3, 40


@dataclass(frozen=True)
class _Statement:
    """A value of something, where it stands, and in which words; ``sure``: it is meant of all."""

    key: Hashable
    value: object
    said: Said
    text: str
    sure: bool = True


def stated(page: Page) -> Iterator[Check]:
    """Statements of one thing that differ."""
    prose = [sentence for sentence in page.said if sentence.kind == "text"]
    for name, found in (
        ("The same things counted", _counts(page.prose)),
        ("What each has, counted twice", _owned(page.prose)),
        ("The model of the things", _models(page.texts)),
    ):
        yield from _differing(THINGS, name, found)
    yield from _single(page.prose)
    yield from _differing(SENTENCES, "Two tables of one number", _captions(page.said))
    yield from _sentences(prose)
    yield from _gains(prose, _shares_in(page))


def _differing(family: str, name: str, found: Iterator[_Statement]) -> Iterator[Check]:
    """Of each key what differs from its usual value, in another paragraph."""
    groups: dict[Hashable, list[_Statement]] = defaultdict(list)
    for item in found:
        groups[item.key].append(item)
    for items in groups.values():
        usual = Counter(item.value for item in items).most_common(1)[0][0]
        first = next(item for item in items if item.value == usual)
        # without an article a count is one of many ("two servers were tested", then three)
        if not all(item.sure or item.value == usual for item in items):
            continue
        for item in items:
            # in one paragraph two counts are set against each other, not stated twice
            if item.value != usual and item.said.paragraph != first.said.paragraph:
                rule = f"\u201c{first_words(first.text)}\u201d (line {first.said.line})"
                right = None if family == SENTENCES else str(usual)
                printed = first_words(item.text).removesuffix(" \u2026")
                yield told(family, name, item.said, printed, rule, recomputed=right)


def first_words(text: str, words: int = 12) -> str:
    """The first words of a text."""
    parts = text.split()
    return " ".join(parts[:words]) + (" \u2026" if words < len(parts) else "")


def singular(word: str) -> str:
    """A noun in the singular, by its ending."""
    bare = _SAME.get(word.lower(), word.lower())
    return bare.removesuffix("s") if not bare.endswith("ss") else bare


def counts_in(
    pattern: re.Pattern[str], said: Sequence[Said]
) -> Iterator[tuple[Said, re.Match[str], int]]:
    """Where a pattern with a count stands, and the count."""
    for item in said:
        for match in pattern.finditer(item.text):
            number = counted(match["count"])
            if number is not None:
                yield item, match, number


def _counts(said: Sequence[Said]) -> Iterator[_Statement]:
    """How many there are of something: "six Linux hosts" where four are spoken of elsewhere."""
    for item, match, number in counts_in(_PHRASE, said):
        words = tuple(match["words"].lower().split())
        # one of them is no count of them all, and of what is done there is more every day
        made = number > 1 and not _DONE.fullmatch(match["noun"])
        if words and made and not _ONLY & set(words):
            key = (*words, singular(match["noun"]))
            yield _Statement(key, number, item, match[0], bool(match["definite"]))


def _owned(said: Sequence[Said]) -> Iterator[_Statement]:
    """What each of some owners has, joined to the same: one port to the switch, then two."""
    found: list[tuple[tuple[str, str], set[str], set[str]]] = []
    for item, match, number in counts_in(_EACH, said):
        what = singular(match["owner"].split()[-1]), singular(match["noun"])
        words, rest = (
            set(match["words"].lower().split()),
            set(label_of(match["rest"]).words) - _LINKS,
        )
        alike = (
            n
            for n, (w, mine, other) in enumerate(found)
            if w == what and (mine == words or len(rest & other) > 1)
        )
        # under another head stands another system
        key = (next(alike, len(found)), item.section)
        yield _Statement(key, number, item, match[0])
        found.append((what, words, rest))


def _single(said: Sequence[Said]) -> Iterator[Check]:
    """A single one, and one for each of several, in neighbouring sentences."""
    for at, sentence in enumerate(said):
        for match in _SINGLE.finditer(sentence.text):
            near = said[max(at - _NEARBY, 0) : at + _NEARBY + 1]
            for other, each in ((o, m) for o in near for m in _FOR_EACH.finditer(o.text)):
                several = counted(each["count"]) if each["count"] else None
                if singular(each["noun"]) == singular(match["noun"]) and several != 1:
                    rule = f"\u201c{first_words(each[0])}\u201d (line {other.line})"
                    right, name = str(several or "several"), "One, or one for each"
                    yield told(THINGS, name, sentence, match[0], rule, recomputed=right)


def _models(said: Sequence[Said]) -> Iterator[_Statement]:
    """As many things of one maker and family, called by one model or another."""
    for item, match, number in counts_in(_MODEL, said):
        name = match["words"].split()
        if re.search(r"\d", match["words"]):
            key = (singular(match["noun"]), number, *name[:2])
            yield _Statement(key, first_words(match[0]), item, match[0])


def _captions(said: Sequence[Said]) -> Iterator[_Statement]:
    """Two tables of one number."""
    first: dict[str, str] = {}
    for item in said:
        match = _CAPTION.match(item.text) if item.kind == "caption" else None
        if match:
            label = match["label"].capitalize()
            title = re.sub(r"[^a-z0-9]|\(?cont(?:inue)?'?d\)?$", "", match["title"].lower())
            known = first.setdefault(label, title)
            # the same caption again is a list of tables, or a table that goes on
            same = not title or title.startswith(known) or known.startswith(title)
            yield _Statement(label, known if same else title, item, label)


def _sentences(said: Sequence[Said]) -> Iterator[Check]:
    """A sentence that stands twice, letter for letter but for one of its numbers."""
    groups: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for sentence in said:
        # what a tool prints or logs, and the head of a page, is not a sentence
        logged = "=" in sentence.text or _CLOCK.search(sentence.text)
        if len(sentence.quantities) < 2 or logged or sentence.text[-1:] not in ".!":
            continue
        masked = sentence.text
        for quantity in reversed(sentence.quantities):
            masked = masked[: quantity.start] + "#" + masked[quantity.end :]
        # the digits that are left name things: ResNet50 is no ResNet18
        bare = re.sub(r"[^a-z0-9#]", "", masked.lower())
        if len(bare) >= _LEAST_LETTERS:
            heading = re.sub(r"^(?:\d+\.)*\d+\s+|ning\b|[^a-z0-9 ]", "", sentence.section.lower())
            groups[bare, heading.strip()].append(sentence)
    # what stands again and again is a form that is filled in
    for before, sentence in (items for items in groups.values() if len(items) == 2):
        pairs = zip(sentence.slots, before.slots, strict=True)
        other = [(a, b) for a, b in pairs if a.quantity.value != b.quantity.value]
        # in one paragraph they are said of two things, one after the other
        if len(other) == 1 and sentence.paragraph != before.paragraph:
            a, b = other[0]
            if a.kind in {OPS, RATE, TIME}:
                rule, note = f"\u201c{b.text}\u201d (line {before.line})", "two tests or one?"
                name = "A sentence that stands twice"
                yield told(SENTENCES, name, sentence, a.text, rule, recomputed=b.text, note=note)


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


def _shares_in(page: Page) -> list[float]:
    """Every share of the document that is printed with decimals."""
    slots = [slot for sheet in page.tables for track in sheet.columns for slot in track.known]
    slots += [slot for sentence in page.said for slot in sentence.slots]
    return [float(s.quantity.value) for s in slots if s.kind == SHARE and s.quantity.decimals]


def _gains(said: Sequence[Said], exact: Sequence[float]) -> Iterator[Check]:
    """One gain that a summary and another part state a point apart: 29% and 30% lower."""
    before: list[tuple[Said, Slot, tuple[str, bool]]] = []
    for sentence in said:
        for claim in sentence.slots:
            up = direction(sentence.text, claim) if claim.kind == SHARE else None
            about = _about(sentence.text, claim) if up is not None else None
            if not about or up is None:
                continue
            near = (
                item
                for item in before
                if item[2] == (about, up) and _is_restated(item, sentence, claim)
            )
            for other, slot, _ in near:
                one, two = slot.quantity, claim.quantity
                low, high = sorted((float(one.value), float(two.value)))
                # cut and rounded: 35% and 36% are both of 35.6%
                if any(low <= abs(value) <= high for value in exact):
                    continue
                if abs(one.value - two.value) > max(one.half, two.half):  # 41% rounds 41.28%
                    start, end = slot.quantity.start, slot.quantity.end
                    window = other.text[max(start - 45, 0) : end + 45].strip()
                    rule = f"\u201c{slot.text}\u201d (line {other.line}: \u201c{window}\u201d)"
                    right, name = slot.text.rstrip("%"), "A gain stated twice"
                    yield told(GAINS, name, sentence, claim.text, rule, recomputed=right)
                break
            before.append((sentence, claim, (about, up)))


def _is_restated(item: tuple[Said, Slot, tuple[str, bool]], sentence: Said, claim: Slot) -> bool:
    """Whether a summary repeats what another part states: one gain of several tests is theirs."""
    before, slot, _ = item
    summary = any(_SUMMARY.search(said.section) for said in (before, sentence))
    near = abs(claim.quantity.value - slot.quantity.value) <= 1
    return summary and near and sentence.section != before.section


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
