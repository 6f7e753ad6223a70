"""Arithmetic within a sentence: percent and factors of two numbers, one value in two units, sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import FACTOR, SHARE, SIZE, Quantity, quantities
from perfkit.auditing.found.said import COUNT, Said, counted, stated, whole
from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.interval import point
from perfkit.auditing.relations.run import FAILS, HOLDS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.relate import Check
    from perfkit.auditing.found.sheets import Sheet

CHANGES, TWICE, PRODUCTS, LISTS = (
    "percent and factors in sentences", "one value in two units", "sizes in sentences", "parts in a list",
)  # fmt: skip
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
_FAR = Fraction(4)
_STEP = Fraction(1024, 1000)


def claims(said: Sequence[Said], _sheets: Sequence[Sheet]) -> Iterator[Check]:
    """All arithmetic within sentences."""
    found: list[Check] = []
    for sentence in said:
        if sentence.kind == "command" or not sentence.quantities:
            continue
        found += _changes(sentence)
        found += _sizes(sentence)
        found += _lists(sentence)
    yield from found


def _changes(sentence: Said) -> Iterator[Check]:
    """A change in percent, or a factor, beside the two numbers it is of."""
    for claim in sentence.quantities:
        if claim.kind not in {SHARE, FACTOR} or claim.bound in {
            "<",
            ">",
            "\u2264",
            "\u2265",
            "\u00b1",
        }:
            continue
        if (
            _NOT_A_CHANGE.match(sentence.text[claim.end :])
            or direction(sentence.text, claim) is None
        ):
            continue
        pair = _pair(sentence, claim)
        if pair:
            yield from _judged(sentence, claim, *pair)


def direction(text: str, claim: Quantity) -> bool | None:
    """Whether a change says more (True) or less (False): by the nearest word; None: neither."""
    before = re.split(r"[;,](?=\s)", text[: claim.start])[-1].split()[-8:]
    behind = re.split(r"[;,](?=\s)", text[claim.end :])[0].split()[:5]
    ahead, back = " ".join(behind), " ".join(before)
    signs = ((True, _UP), (False, _DOWN))
    found = [(m.start(), up) for up, p in signs for m in p.finditer(ahead)]
    found += [(len(back) - m.end(), up) for up, p in signs for m in p.finditer(back)]
    return min(found)[1] if found else None


def _kinds(text: str) -> set[str]:
    """What kinds of quantity a text speaks of."""
    named = {"time": r"latenc|response time|run ?time|elapsed|duration", "ops": r"iops|qps|tps|throughput",
             "rate": r"throughput|bandwidth"}  # fmt: skip
    return {kind for kind, words in named.items() if re.search(words, text, re.I)}


def _pair(sentence: Said, claim: Quantity) -> tuple[Quantity, Quantity] | None:
    """The only two of one unit that a sentence sets against each other."""
    items = [q for q in _with_units(sentence) if q is not claim and q.kind and q.bound != "\u00b1"]
    behind = _STOP.split(sentence.text[claim.end :])[0][:40]
    kinds = _kinds(behind) or _kinds(sentence.text[max(claim.start - 60, 0) : claim.start])
    for kind in dict.fromkeys(q.kind for q in items):
        same = [q for q in items if q.kind == kind]
        if kind in {SHARE, FACTOR, SIZE} or len(same) != 2 or (kinds and kind not in kinds):  # noqa: PLR2004
            continue
        between = sentence.text[same[0].end : same[1].start]
        if same[0].start < claim.start < same[1].start:
            between = between[: claim.start - same[0].end] + between[claim.end - same[0].end :]
        if _AGAINST.search(between) and len(between.split()) <= _REACH and "." not in between:
            return same[0], same[1]
    return None


def _with_units(sentence: Said) -> list[Quantity]:
    """The quantities, where "from 120,000 to 200,000 IOPS" gives both numbers the second's unit."""
    items = list(sentence.quantities)
    for at, (first, second) in enumerate(pairwise(items)):
        scaled = re.search(r"\d\s?[kKM]|thousand|million", second.text)
        if first.unit or second.kind in {"", SHARE, FACTOR, SIZE} or scaled:
            continue
        between = sentence.text[first.end : second.start]
        if _ARROW.fullmatch(between) and _FROM.search(sentence.text[: first.start]):
            items[at] = replace(first, unit=second.unit)
    return items


def _judged(sentence: Said, claim: Quantity, first: Quantity, second: Quantity) -> Iterator[Check]:
    """Held where any way of reading the change gives it; else against the likeliest."""
    one, two = sentence.number(first), sentence.number(second)
    low, high = sorted((one, two), key=lambda n: n.value)
    if low.value <= 0 or low.value == high.value:
        return
    up, down = high.value / low.value, low.value / high.value
    wide = (high.around / low.around, low.around / high.around)
    hundred = Fraction(100)
    if claim.kind == FACTOR:
        ways = [(up, wide[0], False), (up - 1, wide[0] - point(Fraction(1)), False)]
    else:
        ways = [((up - 1) * hundred, (wide[0] - point(Fraction(1))).scaled(hundred), True),
                ((1 - down) * hundred, (point(Fraction(1)) - wide[1]).scaled(hundred), False),
                (up * hundred, wide[0].scaled(hundred), True)]  # fmt: skip
    number = Number(abs(claim.value), claim.around if claim.value >= 0 else -claim.around,
                    "%" if claim.kind == SHARE else "x", claim.text, "",
                    sentence.number(claim).places)  # fmt: skip
    # a gain in prose is often cut off: a whole step of its last digit is allowed
    step = number.around + number.around - point(number.value)
    outcomes = []
    for value, around, _ in ways:
        exact = number.around.meets(point(value))
        outcomes.append(HOLDS if exact else ROUNDING if around.meets(step) else FAILS)
    best = min(range(len(ways)), key=lambda n: (HOLDS, ROUNDING, FAILS).index(outcomes[n]))
    if outcomes[best] == FAILS:
        rise = bool(direction(sentence.text, claim))
        rises = (one.value < two.value) == rise or rise
        best = next((n for n, way in enumerate(ways) if way[2] == rises), 0)
        size = ways[best][0] / number.value if number.value else Fraction(0)
        if not 1 / _FAR < size < _FAR:
            return  # of something else
    value, around, _ = ways[best]
    base = low if ways[best][2] or claim.kind == FACTOR else high
    rule = f"{high.text} \u00f7 {low.text}" if claim.kind == FACTOR else (
        f"({high.text} \u2212 {low.text}) \u00f7 {base.text}")  # fmt: skip
    result = Number(value, around, number.unit, rule, "", one.places | two.places)
    yield stated(
        CHANGES, "Change between two numbers beside it", sentence, claim.text, rule, outcomes[best],
        number, result, kind="ratio" if claim.kind == FACTOR else "percent_change",
        decimals=claim.decimals, error=True,
    )  # fmt: skip


_SIZE = r"\d+(?:,\d{3})*(?:\.\d+)?\s?[KMGTP]i?B"
_MANY = re.compile(
    rf"(?<![\w.-])(?P<count>{COUNT}|\d{{1,4}})(?:\s*[x\u00d7]\s*|\s+(?:(?:[A-Za-z]+\s+){{1,3}}of\s+)?)"
    rf"(?P<size>{_SIZE})\b(?P<between>[^.;,]{{0,45}}?)(?:\(\s*(?P<total>{_SIZE})\s+(?:in\s+)?total\s*\)"
    rf"|for a total (?:size |capacity )?of\s+(?P<other>{_SIZE})|\btotal(?:l?ing)?\s+(?P<third>{_SIZE}))",
    re.I,
)
_EACH = re.compile(rf"each (?:yielding|providing|giving|of)\s+(?P<size>{_SIZE})", re.I)


def _sizes(sentence: Said) -> Iterator[Check]:
    """So many of one size, and their total: 8 x 512GB (4TB total), by thousands or by 1024."""
    for match in _MANY.finditer(sentence.text):
        count = counted(match["count"])
        each = _EACH.search(match["between"])
        total, size = match["total"] or match["other"] or match["third"], (each or match)["size"]
        if count is None:
            continue
        made, claim = quantities(size)[0], quantities(total)[0]
        if made.unit is None or claim.unit is None:
            continue
        ratio = made.unit.factor / claim.unit.factor
        ways = [ratio * _STEP**n for n in (0, 1, -1)]
        outcomes = []
        for factor in ways:
            around = made.around.scaled(factor * count)
            outcomes.append(HOLDS if claim.around.meets(point(made.value * factor * count)) else
                            ROUNDING if around.meets(claim.around) else FAILS)  # fmt: skip
        best = min(range(3), key=lambda n: (HOLDS, ROUNDING, FAILS).index(outcomes[n]))
        rule = f"{count} \u00d7 {size}"
        result = Number(made.value * ways[best] * count, made.around.scaled(ways[best] * count),
                        claim.unit.name, rule, "")  # fmt: skip
        number = Number(claim.value, claim.around, claim.unit.name, total, "",
                        frozenset({f"{sentence.line}:{match.start()}"}))  # fmt: skip
        yield stated(PRODUCTS, "So many of a size", sentence, total, rule, outcomes[best], number, result,
                     kind="product", decimals=claim.decimals, error=True)  # fmt: skip


_LIST = re.compile(
    rf"\b(?P<whole>\d{{1,4}}|{COUNT})\s+(?:\w+\s+){{0,4}}?\w+s?\s*(?::|\u2013|\u2014|\(|, of which|, comprising|"
    rf"consisting of)\s*(?P<parts>(?:(?:\d{{1,4}}|{COUNT})\s+[A-Za-z][\w\s/-]*?,\s*)*(?:\d{{1,4}}|{COUNT})\s+"
    rf"[A-Za-z][\w\s/-]*?,?\s+and\s+(?:\d{{1,4}}|{COUNT})\s+[A-Za-z])", re.I,
)  # fmt: skip
_PART = re.compile(rf"(?:^|,\s*(?:and\s+)?|\band\s+)(\d{{1,4}}|{COUNT})\b", re.I)


def _lists(sentence: Said) -> Iterator[Check]:
    """A number of things and its parts: 19 tests: 10 of one kind, 2 of another, and 7."""
    for match in _LIST.finditer(sentence.text):
        parts = [n for n in map(counted, _PART.findall(match["parts"])) if n is not None]
        total = counted(match["whole"])
        if total is None or len(parts) < 2 or not 0.5 * total < sum(parts) < 2 * total:  # noqa: PLR2004
            continue
        rule = " + ".join(map(str, parts))
        outcome = HOLDS if total == sum(parts) else FAILS
        yield stated(LISTS, "Parts in a list", sentence, match["whole"], rule, outcome, whole(total),
                     replace(whole(sum(parts)), text=rule), kind="sum")  # fmt: skip
