"""Percentages of the text: near two numbers that give another, and two of one thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.relations.evaluate import percent_change
from perfkit.auditing.relations.found.check import Check, judged
from perfkit.auditing.relations.run import FAILS, HOLDS, ROUNDING
from perfkit.core.errors import AnalysisError

if TYPE_CHECKING:
    from perfkit.auditing.relations.cells import Number
    from perfkit.auditing.relations.found.grid import Grid
    from perfkit.auditing.relations.found.sentence import Quantity, Said

_UP = re.compile(
    r"\b(higher|more|increase[ds]?|faster|greater|improv\w+|gain\w*|better|larger|rose|rises?|risen"
    r"|grew|grows?|growth|longer|slower|raise[ds]?)\b",
    re.I,
)
_DOWN = re.compile(
    r"\b(lower|less|fewer|reduc\w+|decreas\w+|drop\w*|fell|falls?|shorter|smaller|sav\w+|cut)\b",
    re.I,
)
_ABOUT: dict[str, re.Pattern[str]] = {
    "cpu": re.compile(r"\bcpu\b|processor utili[sz]ation", re.I),
    "latency": re.compile(r"\blatenc|response time", re.I),
    "throughput": re.compile(
        r"\biops\b|throughput|bandwidth|workloads?\b|transactions|\btps\b", re.I
    ),
    "time": re.compile(r"run ?time|elapsed|duration", re.I),
    "power": re.compile(r"\bpower\b|watts?", re.I),
}
_AGAINST = re.compile(
    r"\b(compared (?:to|with)|versus|vs\.?|against|than|instead of|down from|up from)\b", re.I
)
_PEAK = re.compile(r"\b(peak|max(?:imum)?|up to|highest|as high as)\b", re.I)
_NOT_A_CHANGE = re.compile(
    r"^\s*(?:of\b|read|write|select|update|random|sequential|/|:|utili|busy|idle|full|cache|hit)",
    re.I,
)
_FROM = re.compile(r"\bfrom\s*$", re.I)
_TO = re.compile(r"\s*(?:to|\u2192|->)\s*$")
_SCALED = re.compile(r"\d\s?[kKM]|thousand|million")
_NEAR = Fraction(2)


def percents_of_two(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A change in percent beside the two numbers it is of, in its sentence or in the one before."""
    for at, sentence in enumerate(said):
        if sentence.kind == "command":
            continue
        for claim in sentence.quantities:
            if claim.unit != "%" or not _is_change(sentence, claim):
                continue
            pair = _pair(sentence, claim)
            before = said[at - 1] if at else None
            if pair is None and before and before.paragraph == sentence.paragraph:
                pair = _pair_of(list(before.quantities), _about(sentence.text, claim), before.text)
            if pair:
                yield from _checked(sentence, claim, *pair)


def _is_change(sentence: Said, claim: Quantity) -> bool:
    if _NOT_A_CHANGE.match(sentence.text[claim.end :]):
        return False
    return _direction(sentence.text, claim) is not None


def _direction(text: str, claim: Quantity) -> bool | None:
    """Whether a percentage says more (True) or less (False): by the nearest word; None: neither."""
    before, behind = _around(text, claim)
    found = [(m.start(), up) for up, p in ((True, _UP), (False, _DOWN)) for m in p.finditer(behind)]
    # "reduced by 29%": the word before is as near as its distance to the number
    found += [
        (len(before) - m.end(), up)
        for up, p in ((True, _UP), (False, _DOWN))
        for m in p.finditer(before)
    ]
    return min(found)[1] if found else None


def _around(text: str, claim: Quantity) -> tuple[str, str]:
    """The words around a percentage: six before and five behind, no further than its clause."""
    before = re.split(r"[;,](?=\s)", text[: claim.start])[-1].split()[-8:]
    behind = re.split(r"[;,](?=\s)", text[claim.end :])[0].split()[:5]
    return " ".join(before), " ".join(behind)


def _pair(sentence: Said, claim: Quantity) -> tuple[Quantity, Quantity] | None:
    others = [q for q in _with_units(sentence) if q is not claim]
    return _pair_of(others, _about(sentence.text, claim), sentence.text)


def _with_units(sentence: Said) -> list[Quantity]:
    """The quantities, where "from 120,000 to 200,000 IOPS" gives both numbers the second's unit.

    Only units of performance are handed on: "from 4 to 64" may be threads, and years have no unit.
    """
    items = list(sentence.quantities)
    for at, (first, second) in enumerate(pairwise(items)):
        if first.unit or _kind(second.unit) is None or _SCALED.search(second.text):
            continue
        between = sentence.text[first.end : second.start]
        if _TO.fullmatch(between) and _FROM.search(sentence.text[: first.start]):
            number = replace(first.number, unit=second.number.unit)
            items[at] = replace(first, unit=second.unit, number=number)
    return items


def _pair_of(
    items: list[Quantity], about: str | None, text: str
) -> tuple[Quantity, Quantity] | None:
    """The two of one unit, where there are just two and the sentence sets them against each other."""
    for unit in dict.fromkeys(q.unit for q in items if q.unit):
        same = [q for q in items if q.unit == unit]
        if unit == "%" or len(same) != 2 or (about and _kind(unit) not in {about, None}):  # noqa: PLR2004
            continue
        between = text[same[0].end : same[1].start]
        joined = _AGAINST.search(between) or re.search(
            r"\bto\b|\band\b|\bwhile\b|\u2192|->", between, re.I
        )
        if joined and len(between.split()) <= 14 and same[0].number.value != same[1].number.value:  # noqa: PLR2004
            return same[0], same[1]
    return None


def _kind(unit: str | None) -> str | None:
    if unit in {"ms", "\u00b5s", "ns"}:
        return "latency"
    return "throughput" if unit in {"IOPS", "MB/s", "GB/s", "MiB/s", "GiB/s"} else None


def _checked(sentence: Said, claim: Quantity, first: Quantity, second: Quantity) -> Iterator[Check]:
    """Held where any way of reading the change gives it; else against the likeliest."""
    results = []
    for a, b in ((first, second), (second, first)):
        try:
            results.append(_size(percent_change([a.number, b.number])))
        except (AnalysisError, ZeroDivisionError):
            return
    verdicts = [judged(claim.number, result) for result in results]
    outcome = HOLDS if HOLDS in verdicts else ROUNDING if ROUNDING in verdicts else FAILS
    if outcome == FAILS:
        # which of the two is the base is the sentence's: a rise is of the smaller one
        rise = bool(_direction(sentence.text, claim))
        low_first = first.number.value < second.number.value
        result = results[0] if rise == low_first else results[1]
    else:
        result = results[verdicts.index(outcome)]
    yield _check(sentence, claim, result, outcome, "Percentage of two numbers beside it")


def _size(number: Number) -> Number:
    if number.value >= 0:
        return number
    return replace(number, value=-number.value, around=-number.around, text=f"|{number.text}|")


def _check(sentence: Said, claim: Quantity, result: Number, outcome: str, name: str) -> Check:
    return Check(
        "percent_change",
        name,
        sentence.line,
        sentence.place,
        claim.text,
        result.text,
        outcome,
        claim.number,
        result,
        claim.decimals,
    )


@dataclass(frozen=True)
class _Claim:
    sentence: Said
    quantity: Quantity
    about: str
    up: bool


def claims_twice(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """One gain stated with two numbers that are nearly the same: up to 29%, and up to 30% lower."""
    found = [item for sentence in said for item in _claims(sentence)]
    for at, item in enumerate(found):
        for before in found[:at]:
            if (item.about, item.up) != (before.about, before.up):
                continue
            one, other = item.quantity.number, before.quantity.number
            apart = abs(one.value - other.value)
            if apart > _NEAR or item.sentence.section == before.sentence.section:
                continue
            outcome = HOLDS if apart == 0 else FAILS
            yield Check(
                "stated_twice",
                "A gain stated twice",
                item.sentence.line,
                item.sentence.place,
                item.quantity.text,
                f"\u201c{before.quantity.text}\u201d (line {before.sentence.line}: "
                f"\u201c{_window(before)}\u201d)",
                outcome,
                one,
                other,
                item.quantity.decimals,
            )
            break


def _window(item: _Claim) -> str:
    start = max(item.quantity.start - 45, 0)
    return item.sentence.text[start : item.quantity.end + 45].strip()


def _claims(sentence: Said) -> Iterator[_Claim]:
    if sentence.kind != "text":
        return
    for quantity in sentence.quantities:
        if quantity.unit != "%" or not _is_change(sentence, quantity):
            continue
        about = _about(sentence.text, quantity)
        up = _direction(sentence.text, quantity)
        if about and up is not None:
            yield _Claim(sentence, quantity, about, up)


def _about(text: str, claim: Quantity) -> str | None:
    """What a percentage is of: the nearest word of the field behind it, else before it."""
    behind = re.split(
        r"[.;,]|\b(?:with|over|at|on|for|than|while|under|when)\b", text[claim.end :]
    )[0][:60]
    found = [(m.start(), name) for name, p in _ABOUT.items() if (m := p.search(behind))]
    if found:
        return min(found)[1]
    before = text[max(claim.start - 90, 0) : claim.start]
    last = [(m.end(), name) for name, p in _ABOUT.items() for m in p.finditer(before)]
    return max(last)[1] if last else None


def peaks(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:  # noqa: C901 - pairs of pairs
    """A gain at the peak against two peaks of the text, where just one pair of them gives it.

    Numbers that stand apart are many: this only confirms (exactly, or within rounding), it never
    accuses.
    """
    tops = [
        (s, q)
        for s in said
        if s.kind == "text"
        for q in s.quantities
        if q.unit == "IOPS" and _PEAK.search(s.text[max(q.start - 60, 0) : q.start])
    ]
    for sentence in said:
        for claim in sentence.quantities:
            close = sentence.text[max(claim.start - 60, 0) : claim.start]
            if claim.unit != "%" or not _PEAK.search(close) or not _is_change(sentence, claim):
                continue
            if _about(sentence.text, claim) != "throughput":
                continue
            fits = []
            for (_, a), (_, b) in combinations(tops, 2):
                low, high = sorted((a.number, b.number), key=lambda n: n.value)
                if low.value and low.value != high.value:
                    result = percent_change([low, high])
                    if judged(claim.number, result) != FAILS:
                        fits.append(result)
            if len({fit.text for fit in fits}) == 1:
                outcome = judged(claim.number, fits[0])
                yield _check(sentence, claim, fits[0], outcome, "Gain of two peaks of the text")
