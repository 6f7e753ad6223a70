"""Changes that a sentence tells of two of its numbers: in percent, as a factor, as a difference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import (
    Check,
    Formula,
    Trial,
    best_of,
    check_of,
    is_slip,
    similar,
    tried,
)  # fmt: skip
from perfkit.auditing.quantities import FACTOR, OPS, RATE, SHARE, SIZE, TIME

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said
    from perfkit.auditing.found.slots import Slot

FAMILY = "percent and factors in sentences"
_NEAR, _FEW_DIGITS, _DIGITS = 1.5, 2, 3
"""What is further off is likely the change of something else, unless it is a slip of the pen: of so
few digits where a bracket holds the three together, of more where a sentence has them somewhere."""


def compared(page: Page) -> Iterator[Check]:
    """The changes of each sentence."""
    for sentence in page.prose:
        if sentence.quantities:
            yield from _moved(sentence)
            yield from _changes(sentence)
    for text in page.texts:
        yield from _differences(text)
        yield from _saved(text)
        if text.kind == "cell":
            yield from _changes(text, bracket_only=True)


_UP = re.compile(
    r"\b(higher|more|increas\w+|faster|greater|improv\w+|gain\w*|better|larger|rose|rises?|risen|grew"
    r"|grows?|growth|longer|slower|raise[ds]?|up by|speed-?up|boost\w*|worse)\b",
    re.I,
)
_DOWN = re.compile(
    r"\b(lower|less|fewer|reduc\w+|decreas\w+|drop\w*|fell|falls?|shorter|smaller|sav\w+|cut|declin\w+)\b",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:compared (?:to|with)|versus|vs\.?|against|than|instead of|(?:down|up) from|to)\b"
    r"|\u2192|->|=>",
    re.I,
)
_ARROW = re.compile(r"\s*(?:to|\u2192|->|=>)\s*")
_VERSUS = re.compile(r"\s*(?:vs\.?|versus|compared (?:to|with)|instead of)\s*")
_FROM = re.compile(r"\bfrom\s+(?:about |around |approximately )?$", re.I)
_NOT_A_CHANGE = re.compile(
    r"^\s*(?:of\b|read|write|select|update|random|sequential|/|:(?!\s*from\b)|utili|busy|idle|full|cache|hit|"
    r"overhead|percentile|confidence)",
    re.I,
)
_STOP = re.compile(r"[.;,]|\b(?:from|with|over|at|on|for|than|while|under|when)\b")
_REACH, _UNIT_WORDS = 14, 5
_WAYS = {
    SHARE: (lambda high, low: (high / low - 1) * 100, lambda high, low: (1 - low / high) * 100,
            lambda high, low: high / low * 100, lambda high, low: low / high * 100),
    FACTOR: (lambda high, low: high / low, lambda high, low: high / low - 1,
             lambda high, low: low / high),
}  # fmt: skip
_KINDS = {
    TIME: re.compile(r"latenc|response time|run ?time|elapsed|duration", re.I),
    OPS: re.compile(r"iops|qps|tps|throughput", re.I),
    RATE: re.compile(r"throughput|bandwidth", re.I),
}
"""What kinds of quantity a text speaks of."""


def _changes(sentence: Said, *, bracket_only: bool = False) -> Iterator[Check]:
    """A change in percent, or a factor, beside the two numbers it is of."""
    for claim in sentence.slots:
        number = claim.quantity
        if claim.kind not in _WAYS or number.bound not in {"", "~", "\u2248"} or not number.value:
            continue
        if _is_itself_moved(sentence, claim):
            continue
        bracket = sentence.text[: number.start].endswith("(")
        said = bracket or (not bracket_only and direction(sentence.text, claim) is not None)
        if not said or _NOT_A_CHANGE.match(sentence.text[number.end :]):
            continue
        if bracket and _is_of_a_thing(sentence.text[number.end :]):
            continue
        beside = _right_before(sentence, claim) if bracket else _in_bracket(sentence, claim)
        pair = beside or (None if bracket else _set_against(sentence, claim))
        if pair and not _is_of_a_product(sentence.text, claim, pair):
            yield from _judged(claim, *pair, _FEW_DIGITS if beside else _DIGITS)


_TIMES, _OF_MANY = re.compile(r"[\u00d7*]\s*$"), re.compile(r"\d\s?/\s?\d+\s*\($")


def _is_of_a_product(text: str, claim: Slot, pair: Sequence[Slot]) -> bool:
    """Whether more than two numbers are compared, or the change is a share of a count: 107/150 (71%)."""
    multiplied = any(_TIMES.search(_ahead(text, slot)) for slot in pair)
    return multiplied or bool(_OF_MANY.search(_ahead(text, claim)))


def _is_of_a_thing(behind: str) -> bool:
    """Whether what follows in a bracket says of what else a change is: (4x visual tokens)."""
    words = re.match(r"\s*((?:[A-Za-z][\w-]*\s*){1,4})[),;:]", behind)
    return bool(words) and not any(p.search(words[1]) for p in (_UP, _DOWN, _CHANGE) if words)


_CHANGE = re.compile(r"\b(?:change|differen\w+|delta|of|vs|ratio|total|overall|w\w*|the)\b", re.I)


def _is_itself_moved(sentence: Said, claim: Slot) -> bool:
    """Whether a factor or share went to another, or is set against one: 65% vs 82% of accuracy."""
    found = [slot for slot in sentence.slots if slot.kind == claim.kind]
    return any(
        claim.key in {one.key, two.key}
        and (
            (_FROM.search(_ahead(sentence.text, one)) and _ARROW.fullmatch(between))
            or _VERSUS.fullmatch(between)
        )
        for one, two in pairwise(found)
        for between in (sentence.text[one.quantity.end : two.quantity.start],)
    )


def direction(text: str, claim: Slot) -> bool | None:
    """Whether a change says more (True) or less (False): by the nearest word; None: neither."""
    before = re.split(r"[;,](?=\s)", text[: claim.quantity.start])[-1].split()[-8:]
    behind = re.split(r"[;,](?=\s)", text[claim.quantity.end :])[0].split()[:5]
    ahead, back = " ".join(behind), " ".join(before)
    signs = ((True, _UP), (False, _DOWN))
    found = [(m.start(), up) for up, p in signs for m in p.finditer(ahead)]
    found += [(len(back) - m.end(), up) for up, p in signs for m in p.finditer(back)]
    return min(found)[1] if found else None


def _set_against(sentence: Said, claim: Slot) -> tuple[Slot, Slot] | None:
    """The only two of one unit that a sentence sets against each other, the base first."""
    text, at = sentence.text, claim.quantity
    items = [
        s for s in _with_units(sentence) if s.key != claim.key and s.quantity.bound != "\u00b1"
    ]
    behind = _STOP.split(text[at.end :])[0][:40]
    spoken = [
        {k for k, p in _KINDS.items() if p.search(t)} for t in (behind, text[: at.start][-60:])
    ]
    kinds = spoken[0] or spoken[1]
    changes = [s for s in sentence.slots if s.kind in _WAYS and s.key != claim.key]
    for kind in dict.fromkeys(s.kind for s in items):
        pair = [s for s in items if s.kind == kind]
        # a size that is set is a whole number: one with decimals was measured
        is_set = kind == SIZE and not all(slot.quantity.decimals for slot in pair)
        if kind in {"", SHARE, FACTOR} or is_set or len(pair) != 2 or (kinds and kind not in kinds):
            continue
        start, end = pair[0].quantity.end, pair[1].quantity.start
        if _is_of_another(text, claim, pair, changes):
            continue
        between = text[start:end]
        if start <= at.start < end:
            between = text[start : at.start] + text[at.end : end]
        if _AGAINST.search(between) and len(between.split()) <= _REACH and "." not in between:
            # what is compared with another has that as its base: "70 ms instead of 100"
            moved = _ARROW.fullmatch(between) or _FROM.search(_ahead(text, pair[0]))
            return (pair[0], pair[1]) if moved else (pair[1], pair[0])
    return None


_CLAUSE = re.compile(
    r"[;\u2014]|\b(?:and|while|whereas|but|despite|although|though)\b|,.*\b(?:cut|drop\w*|fell|rose) from\b",
    re.I,
)


def _is_of_another(text: str, claim: Slot, pair: Sequence[Slot], changes: Sequence[Slot]) -> bool:
    """Whether two numbers belong to another clause, or to another change that stands nearer."""
    begin, end = pair[0].quantity.start, pair[1].quantity.end
    at = claim.quantity
    gap = (at.end, begin) if at.end <= begin else (end, at.start)
    if gap[0] >= gap[1]:
        return False  # the change stands between the two
    nearer = any(gap[0] <= s.quantity.start < gap[1] for s in changes)
    # what stands in a bracket before it explains what stands before the bracket
    closed = at.start >= end and ")" in text[end : at.start]
    return nearer or closed or bool(_CLAUSE.search(text[slice(*gap)]))


def _right_before(sentence: Said, claim: Slot) -> tuple[Slot, Slot] | None:
    """The two before a change in brackets, of whatever unit, the base first.

    From 26.5 to 42.9 audio-s/s (+61.5%).
    """
    text = sentence.text
    before = [s for s in sentence.slots if s.quantity.end <= claim.quantity.start][-2:]
    if len(before) < 2 or text.count("(", before[-1].quantity.end, claim.quantity.start) > 1:
        return None
    one, two = before
    if {one.text[0], two.text[0]} & _SIGNS:
        return None  # a change itself
    between = text[one.quantity.end : two.quantity.start]
    alike = one.kind == two.kind or not one.kind
    if not alike or one.kind in {SHARE, FACTOR} or not _AGAINST.search(between):
        return None
    behind = text[two.quantity.end : claim.quantity.start]
    # a bare number further off counts something else: "step 1: ... -> 4.5 MB"
    reach = _REACH if one.unit or not two.unit else 1
    near = len(between.split()) <= reach and len(behind.split()) <= _UNIT_WORDS
    return (replace(one, unit=one.unit or two.unit), two) if near else None


_SIGNS = frozenset("+-\u2212")
_BEHIND = re.compile(r"(?:\s+[A-Za-z][\w-]*){0,5}\s*\((?:[A-Za-z][\w ]*:\s*)?(?:from )?")
_SPACE = re.compile(r"memory|space|footprint|disk|storage|binary|heap|rss|file|size|index", re.I)


def _in_bracket(sentence: Said, claim: Slot) -> tuple[Slot, Slot] | None:
    """The two measured values in a bracket right behind a change, the base first.

    3.8x increase (642.7 vs 170.3 reports/sec); 4.5x less memory (8.80MB -> 1.97MB).
    """
    text = sentence.text
    for one, two in pairwise(_with_units(sentence)):
        if one.quantity.start < claim.quantity.end or two.key == claim.key:
            continue
        between = text[one.quantity.end : two.quantity.start]
        before = text[claim.quantity.end : one.quantity.start]
        moved, against = _ARROW.fullmatch(between), _VERSUS.fullmatch(between)
        closed = re.match(r"[\w\s/]{0,12}\)", text[two.quantity.end :])
        # set-ups are no results: "(8 vs 16 threads)", "(4 KB vs 8 KB)"
        measured = two.kind in {TIME, OPS, RATE} or (two.kind == SIZE and _SPACE.search(before))
        apart = one.kind != two.kind or not measured or not (moved or against)
        if not apart and closed and _BEHIND.fullmatch(before):
            return (one, two) if moved else (two, one)
        return None
    return None


def _differences(sentence: Said) -> Iterator[Check]:
    """A difference with its sign beside the two it is of.

    From 140MB to 170MB (+30MB); +119 QPS (91 -> 200).
    """
    text, slots = sentence.text, sentence.slots
    for at, claim in enumerate(slots if "(" in text else ()):
        if claim.text[0] not in _SIGNS or claim.kind in {"", SHARE, FACTOR}:
            continue
        in_bracket = _ahead(text, claim).endswith("(")
        pair = slots[max(at - 2, 0) : at] if in_bracket else slots[at + 1 : at + 3]
        if len(pair) < 2 or not _stands_beside(text, claim, *pair):
            continue
        # "120 to 121 KB (+1.7 MB)": the two have one unit, where one of them has any
        own = next((slot.unit for slot in pair if slot.unit), claim.unit)
        one, two = (replace(slot, unit=slot.unit or own) for slot in pair)
        trial = tried(claim.unsigned, (one, two), lambda a, b: abs(b - a))
        if trial and {one.kind, two.kind} == {claim.kind}:
            rule = f"{two.text} \u2212 {one.text}"
            yield check_of(trial, FAMILY, "difference", "Difference of two numbers beside it", rule)


_SAVING = re.compile(
    r"\b(?:sav(?:ing|es|ed)|an? (?:difference|reduction|saving|drop|gain|increase|decrease) of)\s+"
    r"(?:about |around |approximately |~)?$",
    re.I,
)


def _saved(sentence: Said) -> Iterator[Check]:
    """A difference in words behind the two it is of: 3.77 GB compared to 4.83 GB, saving 1.06 GB."""
    text = sentence.text
    for claim in sentence.slots:
        ahead = _ahead(text, claim)
        pair = [s for s in sentence.slots if s.kind == claim.kind and s.quantity.end <= len(ahead)]
        if claim.kind in {"", SHARE, FACTOR} or len(pair) < 2 or not _SAVING.search(ahead):
            continue
        one, two = pair[-2:]
        between = text[one.quantity.end : two.quantity.start]
        if not _AGAINST.search(between):
            continue
        trial = tried(claim.unsigned, (one, two), lambda a, b: abs(b - a))
        if trial and _is_told(trial, _DIGITS) and len(between.split()) <= _REACH:
            rule = f"{two.text} \u2212 {one.text}"
            yield check_of(trial, FAMILY, "difference", "Difference of two numbers before it", rule)


def _stands_beside(text: str, claim: Slot, one: Slot, two: Slot) -> bool:
    """Whether only a bracket stands between a change and the two that it is of, from one to two."""
    before = claim.quantity.end <= one.quantity.start
    gap = (claim, one) if before else (two, claim)
    between, apart = (
        text[first.quantity.end : second.quantity.start] for first, second in ((one, two), gap)
    )
    return bool(_ARROW.fullmatch(between)) and apart.strip() == "("


def _with_units(sentence: Said) -> list[Slot]:
    """The numbers, where "from 120,000 to 200,000 IOPS" gives both the second's unit."""
    items = list(sentence.slots)
    for at, (first, second) in enumerate(pairwise(items)):
        scaled = re.search(r"\d\s?[kKM]|thousand|million", second.text)
        if first.unit or second.kind in {"", SHARE, FACTOR, SIZE} or scaled:
            continue
        between = sentence.text[first.quantity.end : second.quantity.start]
        arrow = _ARROW.fullmatch(between)
        from_one = arrow and _FROM.search(_ahead(sentence.text, first))
        if from_one or (arrow and "to" not in between) or _VERSUS.fullmatch(between):
            items[at] = replace(first, unit=second.unit)
    return items


def _judged(claim: Slot, base: Slot, other: Slot, digits: int) -> Iterator[Check]:
    """Held where any way of reading the change gives it; else against the likeliest."""
    low, high = sorted((base, other), key=lambda slot: slot.value)
    if low.value <= 0 or low.value == high.value:
        return
    ways = _WAYS[claim.kind]
    ordered: Sequence[Formula] = ways if base is low else (ways[1], ways[0], *ways[2:])
    if claim.kind == FACTOR:  # 0.58x is the smaller number by the larger one, or 58% more
        ordered = (ways[2], ways[1]) if claim.value < 1 else ways[:2]
    size = claim.unsigned
    size = replace(size, quantity=replace(size.quantity, half=_rounded(claim)))
    trial = best_of(size, [((high, low), way) for way in ordered])
    if trial is None or not _is_told(trial, digits):
        return
    over, under = (low, high) if trial.formula is ways[2] else (high, low)
    rule, kind = f"{over.text} \u00f7 {under.text}", "ratio"
    if claim.kind == SHARE:
        by = high if trial.formula is ways[1] else low
        rule, kind = f"({high.text} \u2212 {low.text}) \u00f7 {by.text}", "percent_change"
    yield check_of(trial, FAMILY, kind, "Change between two numbers beside it", rule)


def _is_told(trial: Trial, digits: int) -> bool:
    """Whether what a sentence says is of these numbers: it holds, is near, or a slip of the pen."""
    return trial.held or similar(trial, _NEAR) or is_slip(trial, digits)


def _rounded(claim: Slot) -> Fraction:
    """Half of the last place of a change that counts: "2000x" is 2,057 as well."""
    number = claim.quantity
    zeros = len(number.text.rstrip("xX\u00d7 ")) - len(number.text.rstrip("xX\u00d7 0"))
    rough = claim.kind == FACTOR and not number.decimals
    return number.half * 10**zeros if rough else number.half


_TO = re.compile(r"\bto\s+(?:about |around |approximately )?$", re.I)
_BY = re.compile(r"\b(?:by|or)\s+(?:about |around |approximately )?$|\($", re.I)
_NOUN = re.compile(r"\s*([A-Za-z]+)")
_LONG = 30


def _moved(sentence: Said) -> Iterator[Check]:
    """From A by so much, or so many percent, to B: the sentence itself says what is of what."""
    text, slots = sentence.text, sentence.slots
    starts = [n for n, s in enumerate(slots) if _FROM.search(_ahead(text, s))]
    for start, stop in pairwise([*starts, len(slots)]):
        # what follows its "from" without a "by" between is the end: from A to B
        end = next((n for n in range(start + 1, stop) if _TO.search(_ahead(text, slots[n]))), 0)
        if end > start + 1:
            yield from _by_so_much(text, slots[start], slots[start + 1 : end], slots[end])


def _by_so_much(text: str, one: Slot, told: Sequence[Slot], two: Slot) -> Iterator[Check]:
    between = text[one.quantity.end : two.quantity.start]
    if ". " in between or len(between.split()) > _LONG or not _alike(text, one, two):
        return
    for claim in (s for s in told if _BY.search(_ahead(text, s))):
        if claim.kind == SHARE and one.value:
            trial = tried(claim, (one, two), lambda a, b: abs(b - a) / a * 100)
            rule = f"|{two.text} \u2212 {one.text}| \u00f7 {one.text}"
        # "(1,000 rows)" behind one of the two is another way to say it
        elif (
            claim.kind != SHARE
            and _alike(text, claim, two)
            and not _ahead(text, claim).endswith("(")
        ):
            trial = tried(claim, (one, two), lambda a, b: abs(b - a))
            rule = f"|{two.text} \u2212 {one.text}|"
        else:
            continue
        if trial and _is_told(trial, _DIGITS):
            kind = "percent_change" if claim.kind == SHARE else "difference"
            yield check_of(trial, FAMILY, kind, "From one by so much to another", rule)


def _ahead(text: str, slot: Slot) -> str:
    return text[: slot.quantity.start]


def _alike(text: str, one: Slot, two: Slot) -> bool:
    """Whether two are of one kind; numbers without a unit, of one noun: "messages"."""
    nouns = [_NOUN.match(text[slot.quantity.end :]) for slot in (one, two)]
    same = all(nouns) and len({noun[1].lower() for noun in nouns if noun}) == 1
    return one.kind == two.kind and (bool(one.kind) or same)
