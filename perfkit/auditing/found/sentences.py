"""Arithmetic within a sentence or a cell: changes, products and units of numbers that stand together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.compared import FAMILY as CHANGES
from perfkit.auditing.found.relate import (
    Check,
    Formula,
    Trial,
    check_of,
    claim_scale,
    is_slip,
    same,
    similar,
    tried,
)  # fmt: skip
from perfkit.auditing.quantities import OPS, RATE, SIZE, TIME, Unit, quantities
from perfkit.auditing.relations.run import FAILS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Slot

TWICE, PRODUCTS, REQUESTS = (
    "one value in two units", "products in sentences", "requests by their size",
)  # fmt: skip
_STEP = Fraction(1024, 1000)
_FAR, _MOST = 4, 20


def sentences(page: Page) -> Iterator[Check]:
    """All arithmetic within sentences and cells."""
    for item in page.texts:
        yield from _phrases(item)
        yield from _shares(item)
    yield from _two_units(page.texts)
    yield from _requests(page.texts)


def _product(powers: Sequence[int], thousands: int = 0) -> Formula:
    def formula(*values: Any) -> Any:
        made = [v if power > 0 else 1 / v for v, power in zip(values, powers, strict=True)]
        return math.prod(made[1:], start=made[0]) * _STEP**thousands

    return formula


@dataclass(frozen=True)
class _Phrase:
    """Three numbers in a row, of these kinds, with this between them: the last follows from the others."""

    family: str
    name: str
    kinds: tuple[tuple[str, str, str], ...]
    between: tuple[re.Pattern[str], re.Pattern[str]]
    ways: tuple[Formula, ...]
    rule: str
    slack: float = 0.0


_PHRASES = (
    _Phrase(
        PRODUCTS, "So much in some time, and its rate", ((SIZE, TIME, RATE), ("", TIME, OPS)),
        (
            re.compile(r"(?:\s+[A-Za-z][\w-]*){0,3}?\s*(?:/|\b(?:in|over|within|took|for)\b)\s*(?:about |~)?"),
            re.compile(r"\s*(?:\(|=|\u2248|\u2192|->|=>|,? i\.e\.,?|,? or|,? (?:that|which) is|,? giving|,? at)"
                       r"\s*(?:an? (?:\w+ )?(?:rate|throughput|bandwidth) of )?(?:about |~)?"),
        ),
        tuple(_product((1, -1), n) for n in (0, 1, -1, 2, -2, 3, -3)), "{a} \u00f7 {b}", slack=0.02,
    ),
    _Phrase(
        PRODUCTS, "So many of each, and their total", (("", SIZE, SIZE), ("", "", "")),
        (
            re.compile(r"\s*[x\u00d7]\s*|(?:\s+[A-Za-z][\w/-]*){0,4}?,?\s+(?:each\s+)?"
                       r"(?:with|of|has|have|having|running|using)\s+(?:each\s+)?"),
            re.compile(r"[^.;:()\d]{0,45}?\btotal(?:l?ing)?(?:\s+(?:size|capacity|number))?(?:\s+of)?\s+"),
        ),
        tuple(_product((1, 1), n) for n in (0, 1, -1)), "{a} \u00d7 {b}",
    ),
)  # fmt: skip


def _phrases(item: Said) -> Iterator[Check]:
    """10 GB in 20 s (500 MB/s); 8 LUNs of 500GB for a total of 4TB."""
    slots = item.slots
    for one, two, claim in zip(slots, slots[1:], slots[2:], strict=False):
        gaps = (_between(item, one, two), _between(item, two, claim))
        for phrase in _PHRASES:
            kinds = (one.kind, two.kind, claim.kind) in phrase.kinds
            if not kinds or not all(
                p.fullmatch(g) for p, g in zip(phrase.between, gaps, strict=True)
            ):
                continue
            ways = phrase.ways if one.kind or two.kind == SIZE else phrase.ways[:1]
            trials = [t for way in ways if (t := tried(claim, (one, two), way, phrase.slack))]
            trial = next((t for t in trials if t.held), trials[0] if trials else None)
            if trial and (trial.held or similar(trial, _FAR)):
                rule = phrase.rule.format(a=one.text, b=two.text)
                yield check_of(trial, phrase.family, "ratio", phrase.name, rule)


_SHARED = re.compile(
    r"(?<![\w.,/-])(?P<part>\d[\d,]*)\s*(?:/|out of|of)\s*(?:the\s+|all\s+)?(?P<whole>\d[\d,]*)"
    r"(?:\s+[A-Za-z]+){0,3}\s*\((?=\d[\d.]*\s?%\s*\))"
)


_SHARE_FIRST = re.compile(
    r"%\s*\((?P<part>\d[\d,]*)\s*(?:/|out of|of)\s*(?P<whole>\d[\d,]*)(?:\s+[A-Za-z]+){0,2}\)"
)


_MARK = re.compile(
    r"\b(?:pass(?:ing)?|threshold|required?|minimum|at least|need(?:s|ed)?|target)\b", re.I
)
"""What is asked of a share, and the least count that reaches it: 70% (13 of 18)."""


def _shares(item: Said) -> Iterator[Check]:
    """A share of a count: 24 of 60 (40%), 38/43 (88%), 88% (38/43)."""
    text = item.text if "%" in item.text else ""
    found = [(match, match.end()) for match in _SHARED.finditer(text)]
    found += [
        (match, slot.quantity.start)
        for match in _SHARE_FIRST.finditer(text)
        for slot in item.slots
        if slot.quantity.end in {match.start(), match.start() + 1}
    ]
    for match, start in found:
        if _MARK.search(text[: min(match.start(), start)]):
            continue
        claim = next((s for s in item.slots if s.quantity.start == start), None)
        part, whole = (
            item.count(int(match[name].replace(",", "")), match[name], match.start(name))
            for name in ("part", "whole")
        )
        # "at least 80% (6/7)" is what is asked, not what was found
        bounded = claim and (
            claim.quantity.bound not in {"", "~", "\u2248"} or claim.text[0] in "+-\u2212"
        )
        trial = (
            tried(claim, (part, whole), lambda a, b: a / b * 100) if claim and not bounded else None
        )
        # what is far off is a share of something else: "2.1% of what is saved (3 of 285 layers)"
        near = trial and (trial.held or similar(trial, _NEARLY) or is_slip(trial))
        if trial and near and part.value <= whole.value:
            rule = f"{part.text} of {whole.text}"
            yield check_of(trial, CHANGES, "ratio", "A share of a count", rule)


def _between(item: Said, one: Slot, two: Slot) -> str:
    return item.text[one.quantity.end : two.quantity.start]


def _is_closed(item: Said, claim: Slot) -> bool:
    """Whether a bracket closes right behind a number."""
    return item.text[claim.quantity.end :].lstrip()[:1] == ")"


_PAIRED = re.compile(
    r"\s*(?:\(|=|\u2248|/|\||,? i\.e\.,?|,? or)\s*(?:or |i\.e\. |about |~|BW[:=] ?)?"
)
_PER = re.compile(r"\s*(?:per|each|an?|for)\b")
_LOOSE, _NEARLY, _LEAST_UNNAMED = 0.005, 1.3, 5
_FARTHEST = 2e6
"""No slip mistakes a unit by more: 21.5 ms (2.15 ns) is a whole and a part."""


def _two_units(texts: Sequence[Said]) -> Iterator[Check]:
    """One value in two units: 215 MiB/s (226 MB/s), 330 s or 5.5 min, 268435456 (256 MB)."""
    pairs = [(item, one, two) for item in texts for one, two in pairwise(item.slots)]
    made = [found for pair in pairs if (found := _restated(*pair))]
    # where MiB and MB are told apart, one is not the other
    strict = sum(trial.held and _is_told_apart(trial) for trial, _ in made) > 1
    for trial, meant in made:
        if not trial.held and not (strict and _is_told_apart(trial)) and _is_mixed(trial):
            rounded = replace(trial, outcome=ROUNDING)
            yield check_of(rounded, TWICE, "stated_twice", "One value in two units")
        # "or" may tell another case: there only a slip or what is near is told
        elif (
            trial.held
            or similar(trial, _MOST if meant else _NEARLY)
            or (is_slip(trial) and similar(trial, _FARTHEST))
        ):
            yield check_of(trial, TWICE, "stated_twice", "One value in two units")


def _restated(item: Said, first: Slot, two: Slot) -> tuple[Trial, bool] | None:
    """Two neighbours as one value, and whether a sign says so; None where they are two."""
    between = _between(item, first, two)
    bracket = "(" in between
    one = _in_bytes(first) if bracket and two.kind == SIZE else first
    bounded = bool(one.quantity.bound or two.quantity.bound)
    bare = bounded or not one.unit or not two.unit
    same_unit = (one.factor, claim_scale(one)) == (two.factor, claim_scale(two))
    if bare or same_unit or one.kind != two.kind or min(one.value, two.value) <= 0:
        return None
    # the last number of a calculation is not its result
    worked = "=" in between and _WORKED.search(item.text[: one.quantity.start])
    ends = worked or bracket > _is_closed(item, two) or _PER.match(item.text[two.quantity.end :])
    trial = None if ends or not _PAIRED.fullmatch(between) else tried(two, (one,), same, _LOOSE)
    return (trial, bracket or "=" in between) if trial else None


def _in_bytes(slot: Slot) -> Slot:
    """A long whole number before a size in brackets counts bytes."""
    whole = not slot.unit and slot.exact.denominator == 1 and len(str(slot.exact)) >= _LEAST_UNNAMED
    return replace(slot, unit=Unit(SIZE, Fraction(1), "B")) if whole else slot


def _is_told_apart(trial: Trial) -> bool:
    """Whether one of two sizes is printed in binary units by their names, the other is not."""
    names = [slot.unit.name for slot in (trial.claim, *trial.inputs) if slot.unit]
    return len({"i" in name for name in names}) > 1


def _is_mixed(trial: Trial) -> bool:
    """Whether MB may mean MiB: it then holds by a power of 1.024."""
    of_bytes = trial.claim.kind in {SIZE, RATE}
    slots = (trial.claim, *trial.inputs)
    orders = {n for s in slots if s.unit and (n := "KMGT".find(s.unit.name[0].upper()) + 1)}
    apart = max(orders, default=0) - min(orders, default=0)  # 1280 MB are 1.25 GB, too
    powers = {0, apart, -apart, *orders, *(-n for n in orders)} if of_bytes else set()
    ways = (tried(trial.claim, trial.inputs, _product((1,), n), 2 * _LOOSE) for n in powers)
    return any(way and way.held for way in ways)


_WORKED = re.compile(r"[x\u00d7*+/\u00f7]\s*$")


_SIZES = tuple(2.0**n for n in range(9, 31))
_BLOCK = re.compile(
    r"(?<![\w.])(\d{1,4})\s?(k|m)i?b?(?![\w/])(?!\s?(?:iops|ops|qps|tps|req))", re.I
)
_LISTED = re.compile(
    r"\s*(?:,|;|/|\||@|\u00b7|[-\u2013\u2014]|and|at|with|\()?\s*"
    r"(?:(?!(?:min|max|p\d|\d|than|from|to)\b)[^\W\d]+[:=]?\s){0,3}[~\u2248]?\s?"
)
"""What may stand between two numbers of one run: "98,000 IOPS with a bandwidth of 383 MiB/s"."""
_CLOSE, _WRONG, _LARGEST = 0.03, 0.05, math.log(20)


def _requests(texts: Sequence[Said]) -> Iterator[Check]:
    """Operations a second beside their throughput, and the size of a request that is stated."""
    for item in texts:
        for pair in pairwise(item.slots):
            ops, rate = pair if pair[0].kind == OPS else pair[::-1]
            bounds = {slot.quantity.bound for slot in pair} - {"", "~", "\u2248"}
            right = (ops.kind, rate.kind) == (OPS, RATE) and min(ops.value, rate.value) > 0
            if bounds or not right or not _LISTED.fullmatch(_between(item, *pair)):
                continue
            stated = _sizes(f"{item.section} {item.text}" if item.kind == "cell" else item.text)
            each = rate.value / ops.value
            size = min(stated, key=lambda size: abs(math.log(each / size)), default=None)
            if size is None:
                continue
            # a rate in GB/s may be one in GiB/s
            off = min(abs(math.log(each / size) - n * math.log(_STEP)) for n in range(-3, 4))
            off -= sum(-math.log1p(-min(s.half / s.value, 0.9)) for s in (ops, rate))
            trial = tried(rate, (ops,), lambda value, size=Fraction(size): value * size)
            if trial and off <= _LARGEST and not _CLOSE < off <= _WRONG:
                trial = replace(trial, outcome=FAILS if off > _WRONG else ROUNDING)
                rule = f"{ops.text} \u00d7 {size / 1024:g} KiB"
                yield check_of(trial, REQUESTS, "product", "Requests a second by their size", rule)


def _sizes(text: str) -> list[float]:
    """The sizes of a request that a text names."""
    found = [float(n) * 1024 ** (1 + (p in "mM")) for n, p in _BLOCK.findall(text)]
    found += [float(q.value * q.unit.factor) for q in quantities(text) if q.kind == SIZE and q.unit]
    return [size for size in found if any(abs(size / s - 1) < _CLOSE for s in _SIZES)]
