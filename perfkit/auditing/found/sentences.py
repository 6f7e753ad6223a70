"""Arithmetic within a sentence or a cell: changes, products and totals of numbers that stand together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.page import COUNT, counted
from perfkit.auditing.found.quantities import FACTOR, OPS, RATE, SHARE, SIZE, TIME, quantities
from perfkit.auditing.found.relate import (
    Check,
    Trial,
    added,
    best_of,
    check_of,
    same,
    tried,
)
from perfkit.auditing.relations.run import FAILS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Slot

CHANGES, TWICE, PRODUCTS, LISTS, REQUESTS = (
    "percent and factors in sentences", "one value in two units", "products in sentences",
    "parts in a list", "requests by their size",
)  # fmt: skip
_STEP = Fraction(1024, 1000)
_FAR, _MOST = 4, 20


def sentences(page: Page) -> Iterator[Check]:
    """All arithmetic within sentences and cells."""
    for item in page.prose:
        if item.quantities:
            yield from _changes(item)
            yield from _lists(item)
    for item in page.texts:
        yield from _products(item)
    beside = [(item, one, two) for item in page.texts for one, two in pairwise(item.slots)
              if one.unit and two.unit and not one.quantity.bound and not two.quantity.bound]  # fmt: skip
    yield from _two_units(beside)
    yield from _requests(beside)


_UP = re.compile(
    r"\b(higher|more|increas\w+|faster|greater|improv\w+|gain\w*|better|larger|rose|rises?|risen|grew"
    r"|grows?|growth|longer|slower|raise[ds]?|up by|speed-?up|boost\w*|worse)\b", re.I,
)  # fmt: skip
_DOWN = re.compile(
    r"\b(lower|less|fewer|reduc\w+|decreas\w+|drop\w*|fell|falls?|shorter|smaller|sav\w+|cut|declin\w+)\b",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:compared (?:to|with)|versus|vs\.?|against|than|instead of|(?:down|up) from|to|while|and)\b"
    r"|\u2192|->|=>", re.I,
)  # fmt: skip
_ARROW = re.compile(r"\s*(?:to|\u2192|->|=>)\s*")
_FROM = re.compile(r"\bfrom\s+(?:about |around |approximately )?$", re.I)
_NOT_A_CHANGE = re.compile(
    r"^\s*(?:of\b|read|write|select|update|random|sequential|/|:|utili|busy|idle|full|cache|hit|"
    r"overhead|percentile|confidence)", re.I,
)  # fmt: skip
_STOP = re.compile(r"[.;,]|\b(?:from|with|over|at|on|for|than|while|under|when)\b")
_REACH = 14
_WAYS = {
    SHARE: (lambda high, low: (high / low - 1) * 100, lambda high, low: (1 - low / high) * 100,
            lambda high, low: high / low * 100),
    FACTOR: (lambda high, low: high / low, lambda high, low: high / low - 1),
}  # fmt: skip


def _changes(sentence: Said) -> Iterator[Check]:
    """A change in percent, or a factor, beside the two numbers it is of."""
    for claim in sentence.slots:
        number = claim.quantity
        if claim.kind not in _WAYS or number.bound not in {"", "~", "\u2248"} or not number.value:
            continue
        way = direction(sentence.text, claim)
        if way is None or _NOT_A_CHANGE.match(sentence.text[number.end :]):
            continue
        if pair := _pair(sentence, claim):
            yield from _judged(claim, *pair, rise=way)


def direction(text: str, claim: Slot) -> bool | None:
    """Whether a change says more (True) or less (False): by the nearest word; None: neither."""
    before = re.split(r"[;,](?=\s)", text[: claim.quantity.start])[-1].split()[-8:]
    behind = re.split(r"[;,](?=\s)", text[claim.quantity.end :])[0].split()[:5]
    ahead, back = " ".join(behind), " ".join(before)
    signs = ((True, _UP), (False, _DOWN))
    found = [(m.start(), up) for up, p in signs for m in p.finditer(ahead)]
    found += [(len(back) - m.end(), up) for up, p in signs for m in p.finditer(back)]
    return min(found)[1] if found else None


def _kinds(text: str) -> set[str]:
    """What kinds of quantity a text speaks of."""
    named = {TIME: r"latenc|response time|run ?time|elapsed|duration", OPS: r"iops|qps|tps|throughput",
             RATE: r"throughput|bandwidth"}  # fmt: skip
    return {kind for kind, words in named.items() if re.search(words, text, re.I)}


def _pair(sentence: Said, claim: Slot) -> tuple[Slot, Slot] | None:
    """The only two of one unit that a sentence sets against each other."""
    text, at = sentence.text, claim.quantity
    items = [
        s for s in _with_units(sentence) if s.key != claim.key and s.quantity.bound != "\u00b1"
    ]
    behind = _STOP.split(text[at.end :])[0][:40]
    kinds = _kinds(behind) or _kinds(text[max(at.start - 60, 0) : at.start])
    for kind in dict.fromkeys(s.kind for s in items):
        pair = [s for s in items if s.kind == kind]
        if kind in {"", SHARE, FACTOR, SIZE} or len(pair) != 2 or (kinds and kind not in kinds):  # noqa: PLR2004
            continue
        start, end = pair[0].quantity.end, pair[1].quantity.start
        between = text[start:end]
        if start <= at.start < end:
            between = between[: at.start - start] + between[at.end - start :]
        if _AGAINST.search(between) and len(between.split()) <= _REACH and "." not in between:
            return pair[0], pair[1]
    return None


def _with_units(sentence: Said) -> list[Slot]:
    """The numbers, where "from 120,000 to 200,000 IOPS" gives both the second's unit."""
    items = list(sentence.slots)
    for at, (first, second) in enumerate(pairwise(items)):
        scaled = re.search(r"\d\s?[kKM]|thousand|million", second.text)
        if first.unit or second.kind in {"", SHARE, FACTOR, SIZE} or scaled:
            continue
        between = sentence.text[first.quantity.end : second.quantity.start]
        if _ARROW.fullmatch(between) and _FROM.search(sentence.text[: first.quantity.start]):
            items[at] = replace(first, unit=second.unit)
    return items


def _judged(claim: Slot, one: Slot, two: Slot, *, rise: bool) -> Iterator[Check]:
    """Held where any way of reading the change gives it; else against the likeliest."""
    low, high = sorted((one, two), key=lambda slot: slot.value)
    if low.value <= 0 or low.value == high.value:
        return
    ways, rises = _WAYS[claim.kind], rise or one.value > two.value
    ordered = ways if claim.kind == FACTOR or rises else (ways[1], ways[0], *ways[2:])
    size = replace(claim, quantity=replace(claim.quantity, value=abs(claim.quantity.value)))
    trial = best_of(size, [((high, low), way) for way in ordered])
    if trial is None or (trial.outcome == FAILS and not _similar(trial, _FAR)):
        return  # of something else
    base = high if trial.formula is ways[1] else low
    rule = f"{high.text} \u00f7 {low.text}" if claim.kind == FACTOR else (
        f"({high.text} \u2212 {low.text}) \u00f7 {base.text}")  # fmt: skip
    kind = "ratio" if claim.kind == FACTOR else "percent_change"
    yield check_of(trial, CHANGES, kind, "Change between two numbers beside it", rule)


def _similar(trial: Trial, most: float) -> bool:
    """Whether two numbers can be meant to be one: neither is so many times the other."""
    value = trial.formula(*(slot.value for slot in trial.inputs))
    return bool(value) and 1 / most < abs(trial.claim.value / value) < most


_PAIRED = re.compile(r"\s*(?:\(|=|,? i\.e\.,?)\s*(?:or |i\.e\. |about |~|BW[:=] ?)?")
_LISTED = re.compile(r"\s*(?:\(|,|/|\||and|at|with)\s*(?:BW[:=] ?|about )?")
_BLOCK = re.compile(r"(?<![\w.])(\d{1,4})\s?(k|m)i?b?(?![\w/])", re.I)
_NEAR, _APART, _LOOSE = 0.03, 0.05, 0.005
_SIZES = [2.0**n for n in range(9, 25)]
Beside = Sequence[tuple["Said", "Slot", "Slot"]]


def _between(item: Said, one: Slot, two: Slot) -> str:
    return item.text[one.quantity.end : two.quantity.start]


def _by_thousands(power: int) -> Any:
    return lambda *values: math.prod(values[1:], start=values[0]) * _STEP**power


def _two_units(beside: Beside) -> Iterator[Check]:
    """One value in two units: 215 MiB/s (226 MB/s)."""
    made = [
        trial for item, one, two in beside
        if one.kind == two.kind and one.factor != two.factor and _PAIRED.fullmatch(_between(item, one, two))
        and (trial := tried(two, (one,), same, _LOOSE))
    ]  # fmt: skip
    strict = sum(trial.held for trial in made) > 1
    for trial in made:
        mixed = [
            tried(trial.claim, trial.inputs, _by_thousands(n), 2 * _LOOSE) for n in range(-3, 4)
        ]
        if not trial.held and not strict and any(way and way.held for way in mixed):
            trial = replace(trial, outcome=ROUNDING)  # noqa: PLW2901 - MB may mean MiB, unless all are strict
        if trial.held or _similar(trial, _MOST):
            yield check_of(trial, TWICE, "stated_twice", "One value in two units")


@dataclass(frozen=True)
class _Request:
    """IOPS and MB/s side by side, the size of request that is nearest, and how far it is off."""

    ops: Slot
    rate: Slot
    size: float
    off: float
    stated: bool


def _requests(beside: Beside) -> Iterator[Check]:
    """IOPS and, beside it, MB/s: one is the other by the size of a request."""
    made = [_request(*pair) for pair in beside
            if {s.kind for s in pair[1:]} == {OPS, RATE} and _LISTED.fullmatch(_between(*pair))]  # fmt: skip
    known = [request for request in made if request]
    held = sum(request.off <= _NEAR for request in known)
    for request in known:
        # a size that nobody states must be that of other pairs of the document, too
        sure = request.stated or (held > 1 and 2 * held > len(known))
        wrong = request.off > _APART and sure
        if request.off > math.log(_MOST) or (request.off > _NEAR and not wrong):
            continue
        ops, rate, size = request.ops, request.rate, Fraction(request.size)
        trial = tried(rate, (ops,), lambda value, size=size: value * size)
        if trial:
            trial = replace(trial, outcome=FAILS if request.off > _NEAR else ROUNDING)
            rule = f"{ops.text} \u00d7 {float(size) / 1024:g} KiB"
            name = "Requests a second by their size"
            yield check_of(trial, REQUESTS, "product", name, rule, doubt=not request.stated)


def _request(item: Said, one: Slot, two: Slot) -> _Request | None:
    ops, rate = (one, two) if one.kind == OPS else (two, one)
    if not ops.value or not rate.value:
        return None
    sizes, size = _stated(item), rate.value / ops.value
    best = min(sizes or _SIZES, key=lambda s: abs(math.log(size / s)))
    off = abs(math.log(size / best)) - ops.half / ops.value - rate.half / rate.value
    return _Request(ops, rate, best, off, bool(sizes))


def _stated(item: Said) -> list[float]:
    """The sizes of a request that a text names."""
    text = f"{item.section} {item.text}" if item.kind == "cell" else item.text
    found = [float(n) * 1024 ** (1 + (p in "mM")) for n, p in _BLOCK.findall(text)]
    found += [float(q.value * q.unit.factor) for q in quantities(text) if q.kind == SIZE and q.unit]
    return [size for size in found if any(abs(size / s - 1) < _NEAR for s in _SIZES)]


_TOTAL_BEHIND = re.compile(r"^\s*(?:\w+\s+){0,2}?(?:in\s+)?total\b", re.I)
_TOTAL_BEFORE = re.compile(
    r"\b(?:total(?:l?ing)?|in all|altogether)(?:\s+(?:size|capacity|number))?(?:\s+of)?:?\s*(?:\w+\s+)?$", re.I
)  # fmt: skip
_EACH = re.compile(
    r"\beach\b|\bper\b|\d\s*[x\u00d7*]\s*\d|\d\s*[x\u00d7*]\s+\D|\bof size\b|\bof \d", re.I
)
_TIMES_WORD = re.compile(rf"\b({COUNT})\b", re.I)
_EQUALS = re.compile(r"\s*(?:[A-Za-z][\w-]*\s+){0,3}?(?:=|\u2248|equals|yields)\s*(?:about |~)?")
_SIGNS = re.compile(r"\s*(?:[A-Za-z][\w-]*\s+){0,3}?([x\u00d7*/\u00f7])\s*")
_GOES_ON_BEFORE = re.compile(r"[-+\u2212\u2013*/\u00d7(]\s*\d?$")
_GOES_ON = re.compile(r"\s*[-+\u2212*/\u00d7]\s*[\d(]")
_RANGE = re.compile(r"\d\s+(?:to|or|-|\u2013)\s+\d")
_SHARED = re.compile(r"\s*(?:out of|of|/)\s*(?:the\s+|all\s+)?")
_CLAUSE = 110
_TIMES, _DIVIDED = "\u00d7", "\u00f7"


def _products(item: Said) -> Iterator[Check]:
    """Products that a text spells out: 3 \u00d7 8 = 24; 8 x 512GB (4TB total); 24 of 60 (40%)."""
    slots = item.slots
    for one, two, claim in zip(slots, slots[1:], slots[2:], strict=False):
        before, behind = _between(item, one, two), _between(item, two, claim)
        sign = _SIGNS.fullmatch(before)
        whole = not _GOES_ON_BEFORE.search(item.text[: one.quantity.start + 1])
        whole = whole and not _GOES_ON.match(item.text[claim.quantity.end :])
        if sign and _EQUALS.fullmatch(behind) and not claim.quantity.bound and whole:
            yield from _spelled(claim, one, two, divided=sign[1] in "/\u00f7")
        elif claim.kind == SHARE and _SHARED.fullmatch(before) and not one.unit and not two.unit:
            after = item.text[claim.quantity.end :].lstrip()
            if (
                re.fullmatch(r"\s*(?:\w+\s*){0,3}[(,]\s*", behind)
                and after[:1] == ")"
                and two.value
            ):
                trial = tried(claim, (one, two), lambda a, b: a / b * 100)
                if trial and one.value <= two.value:
                    rule = f"{one.text} \u00f7 {two.text}"
                    yield check_of(trial, CHANGES, "ratio", "A share of a count", rule)
    for claim in slots:
        yield from _totals(item, claim)


_BASE = {RATE: (1, -1), SIZE: (1, 0), TIME: (0, 1), OPS: (0, -1), "": (0, 0)}


def _spelled(claim: Slot, one: Slot, two: Slot, *, divided: bool) -> Iterator[Check]:
    """One operation with its result, where the units go together."""
    if {one.kind, two.kind, claim.kind} - _BASE.keys():
        return
    sign = -1 if divided else 1
    made = tuple(a + sign * b for a, b in zip(_BASE[one.kind], _BASE[two.kind], strict=True))
    if made != _BASE[claim.kind] or (divided and not two.value):
        return
    ways = [_quotient(n) if divided else _by_thousands(n) for n in (0, 1, -1, 2, -2)]
    trial = best_of(claim, [((one, two), way) for way in ways])
    if trial and (trial.held or _similar(trial, _MOST)):
        rule = f"{one.text} {_DIVIDED if divided else _TIMES} {two.text}"
        kind = "ratio" if divided else "product"
        yield check_of(trial, PRODUCTS, kind, "A calculation in the text", rule)


def _quotient(power: int) -> Any:
    return lambda a, b: a / b * _STEP**power


def _totals(item: Said, claim: Slot) -> Iterator[Check]:
    """So many of so much each, and their total."""
    at = claim.quantity
    total = _TOTAL_BEHIND.match(item.text[at.end :]) or _TOTAL_BEFORE.search(item.text[: at.start])
    if not total or at.bound or claim.kind not in {SIZE, ""} or not claim.value:
        return
    start = max(
        item.text.rfind(". ", 0, at.start), item.text.rfind(";", 0, at.start), at.start - _CLAUSE, 0
    )
    words = [(m.start(), item.count(counted(m[1]) or 0, m[1], m.start()))
             for m in _TIMES_WORD.finditer(item.text, start, at.start)]  # fmt: skip
    parts = [(s.quantity.start, s) for s in item.slots if start <= s.quantity.start < at.start]
    parts = [(n, s) for n, s in sorted([*words, *parts], key=lambda p: p[0])
             if s.kind in {"", claim.kind} and s.value > 1]  # fmt: skip
    clause = item.text[start : at.start + 1]
    if len(parts) < 2 or not _EACH.search(clause) or _RANGE.search(clause):  # noqa: PLR2004
        return
    slots = [slot for _, slot in parts][-4:]
    tested = [
        (chosen, _by_thousands(n)) for many in (2, 3) for chosen in combinations(slots, many)
        if sum(s.kind == claim.kind for s in chosen if claim.kind) == bool(claim.kind)
        for n in ((0, 1, -1) if claim.kind else (0,))
    ]  # fmt: skip
    trial = best_of(claim, tested)
    if trial and (trial.held or (len(slots) == 2 and _similar(trial, _FAR))):  # noqa: PLR2004
        rule = " \u00d7 ".join(slot.text for slot in trial.inputs)
        yield check_of(trial, PRODUCTS, "product", "So many of each, and their total", rule)


_LIST = re.compile(
    rf"\b(?P<whole>\d{{1,4}}|{COUNT})\s+(?:\w+\s+){{0,4}}?\w+s?\s*(?::|\u2013|\u2014|\(|, of which|, comprising|"
    rf"consisting of)\s*(?P<parts>(?:(?:\d{{1,4}}|{COUNT})\s+[A-Za-z][\w\s/-]*?,\s*)*(?:\d{{1,4}}|{COUNT})\s+"
    rf"[A-Za-z][\w\s/-]*?,?\s+and\s+(?:\d{{1,4}}|{COUNT})\s+[A-Za-z])", re.I,
)  # fmt: skip
_PART = re.compile(rf"(?:^|,\s*(?:and\s+)?|\band\s+)(\d{{1,4}}|{COUNT})\b", re.I)


def _lists(sentence: Said) -> Iterator[Check]:
    """A number of things and its parts: 19 tests: 10 of one kind, 2 of another, and 7."""
    for match in _LIST.finditer(sentence.text):
        start = match.start("parts")
        parts = [sentence.count(n, m[1], start + m.start()) for m in _PART.finditer(match["parts"])
                 if (n := counted(m[1])) is not None]  # fmt: skip
        total, made = counted(match["whole"]), sum(part.value for part in parts)
        if total is None or len(parts) < 2 or not 0.5 * total < made < 2 * total:  # noqa: PLR2004
            continue
        claim = sentence.count(total, match["whole"], match.start("whole"))
        trial = tried(claim, parts, added, cut=False)
        if trial:
            rule = " + ".join(part.text for part in parts)
            yield check_of(trial, LISTS, "sum", "Parts in a list", rule, doubt=True)
