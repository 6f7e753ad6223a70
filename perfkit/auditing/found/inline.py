"""Numbers that a bracket holds together: a change and its two, a share of a count, two units.

What only the words of a sentence tie together is not tried: of such findings one in ten was right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import (
    Check,
    Trial,
    best_of,
    check_of,
    claim_scale,
    is_slip,
    same,
    similar,
    tried,
)  # fmt: skip
from perfkit.auditing.relations.run import ROUNDING
from perfkit.formats.quantities import FACTOR, OPS, RATE, SHARE, SIZE, TIME, Unit

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said
    from perfkit.auditing.found.slots import Slot

FAMILY, TWICE = "percent and factors in sentences", "one value in two units"
_SIMILAR, _FEW_DIGITS = 1.5, 2
"""What is further off is the change of something else, unless it is a slip of the pen."""
_ARROW = re.compile(r"\s*(?:to|\u2192|->|=>)\s*")
_AGAINST = re.compile(
    r"\b(?:compared (?:to|with)|versus|vs\.?|against|than|instead of|(?:down|up) from|to)\b|\u2192|->|=>",
    re.I,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|over|up to)|\u7ea6|\u8fd1)[\s*]*$",
    re.I,
)
_VERSUS = re.compile(r"\s*(?:vs\.?|versus|compared (?:to|with)|instead of)\s*")
_REACH, _UNIT_WORDS = 14, 5
_NOT_A_CHANGE = re.compile(
    r"^\s*(?:of\b|read|write|random|sequential|/|utili|busy|idle|full|cache|hit|overhead|percentile"
    r"|confidence)",
    re.I,
)
_OF_A_THING = re.compile(
    r"^\s*(?!(?:[\w-]+\s+){0,3}(?:higher|more|less|lower|fewer|faster|slower|better|worse|larger|smaller|"
    r"increase|decrease|reduction|gain|improvement|change|difference|of|vs|ratio|total|overall|the)\b)"
    r"[A-Za-z][\w-]*[^)]*\)",
    re.I,
)
"""What a bracket says of something else: (4x visual tokens)."""
_TIMES, _OF_MANY = re.compile(r"[\u00d7*]\s*$"), re.compile(r"\d\s?/\s?\d+\s*\($")
_WAYS = {
    SHARE: (lambda high, low: (high / low - 1) * 100, lambda high, low: (1 - low / high) * 100,
            lambda high, low: high / low * 100, lambda high, low: low / high * 100),
    FACTOR: (lambda high, low: high / low, lambda high, low: low / high),
}  # fmt: skip


def inline(page: Page) -> Iterator[Check]:
    """Changes in brackets, shares of counts, and values in two units."""
    for item in page.texts:
        if "(" in item.text:
            yield from _changes(item)
            yield from _shares(item)
    yield from _two_units(page.texts)


def _ahead(text: str, slot: Slot) -> str:
    return text[: slot.quantity.start]


def _between(item: Said, one: Slot, two: Slot) -> str:
    return item.text[one.quantity.end : two.quantity.start]


def _changes(item: Said) -> Iterator[Check]:
    """A change in a bracket behind the two it is of, or in front of a bracket that holds the two."""
    for at, claim in enumerate(item.slots):
        about = _ABOUT.search(_ahead(item.text, claim))
        if not claim.value or about or claim.quantity.bound not in {"", "~", "\u2248"}:
            continue
        behind = item.text[claim.quantity.end :]
        if _ahead(item.text, claim).endswith("("):
            other = _NOT_A_CHANGE.match(behind) or _OF_A_THING.match(behind)
            pair = None if other else _right_before(item, claim, item.slots[max(at - 2, 0) : at])
        else:
            pair = _in_bracket(item, claim, item.slots[at + 1 : at + 3])
        multiplied = pair and any(_TIMES.search(_ahead(item.text, slot)) for slot in pair)
        # more than two numbers are compared, or it is a share of a count: 107/150 (71%)
        if pair and not multiplied and not _OF_MANY.search(_ahead(item.text, claim)):
            yield from _judged(claim, *pair)


def _right_before(item: Said, claim: Slot, two: Sequence[Slot]) -> tuple[Slot, Slot] | None:
    """The two before a change in brackets, the base first: from 26.5 to 42.9 audio-s/s (+61.5%)."""
    if len(two) < 2 or _between(item, two[1], claim).count("(") > 1:
        return None
    one, other = two
    between, behind = _between(item, one, other), _between(item, other, claim)
    alike = one.kind == other.kind or not one.kind
    is_change = {one.text[0], other.text[0]} & set("+-\u2212")
    is_change = is_change or {one.kind, other.kind} & {SHARE, FACTOR}
    # a bare number further off counts something else: "step 1: ... -> 4.5 MB"
    reach = _REACH if one.unit or not other.unit else 1
    near = len(between.split()) <= reach and len(behind.split()) <= _UNIT_WORDS
    if is_change or not alike or not near or not _AGAINST.search(between):
        return None
    return replace(one, unit=one.unit or other.unit), other


def _in_bracket(item: Said, claim: Slot, two: Sequence[Slot]) -> tuple[Slot, Slot] | None:
    """The two in a bracket right behind a change, the base first: 3.8x increase (642.7 vs 170.3 /s)."""
    if len(two) < 2:
        return None
    one, other = two
    between, before = _between(item, one, other), _between(item, claim, one)
    moved, against = _ARROW.fullmatch(between), _VERSUS.fullmatch(between)
    closed = re.match(r"[\w\s/]{0,12}\)", item.text[other.quantity.end :])
    beside = re.fullmatch(r"(?:\s+[A-Za-z][\w-]*){0,5}\s*\((?:from )?", before)
    # set-ups are no results: "(8 vs 16 threads)", "(4 KB vs 8 KB)"
    sized = other.kind == SIZE and one.quantity.decimals and other.quantity.decimals
    measured = (other.kind in {TIME, OPS, RATE} or sized) and one.kind in {other.kind, ""}
    # +119 QPS (91 -> 200)
    bare = not one.kind and not other.kind and claim.text[0] in "+-\u2212"
    if not ((measured or bare) and closed and beside and (moved or against)):
        return None
    difference = bare and claim.kind not in {SHARE, FACTOR}
    unit = other.unit or (claim.unit if difference else None)
    one, other = replace(one, unit=one.unit or unit), replace(other, unit=unit)
    return (one, other) if moved else (other, one)


def _judged(claim: Slot, base: Slot, other: Slot) -> Iterator[Check]:
    """Held where any way of reading the change gives it; else against the likeliest."""
    low, high = sorted((base, other), key=lambda slot: slot.value)
    if low.value <= 0 or low.value == high.value:
        return
    name, kind = "Change between two numbers beside it", "difference"
    if claim.kind == low.kind and claim.kind and claim.text[0] in "+-\u2212":
        trial = tried(claim.unsigned, (high, low), lambda a, b: a - b)
        rule = f"{high.text} \u2212 {low.text}"
    elif claim.kind in _WAYS:
        ways = _WAYS[claim.kind]
        # 0.58x is the smaller number by the larger one
        turned = (base is high) if claim.kind == SHARE else claim.value < 1
        ordered = (ways[1], ways[0], *ways[2:]) if turned else ways
        size = replace(claim.unsigned.quantity, half=_rounded(claim))
        trial = best_of(replace(claim, quantity=size), [((high, low), way) for way in ordered])
        rule, kind = f"{high.text} \u00f7 {low.text}", "ratio"
        if claim.kind == SHARE:
            by = high if trial and trial.formula is ways[1] else low
            rule, kind = f"({high.text} \u2212 {low.text}) \u00f7 {by.text}", "percent_change"
    else:
        return
    if trial and (trial.held or similar(trial, _SIMILAR) or is_slip(trial, _FEW_DIGITS)):
        yield check_of(trial, FAMILY, kind, name, rule)


def _rounded(claim: Slot) -> Fraction:
    """Half of the last place of a change that counts: "2000x" is 2,057 as well."""
    number = claim.quantity
    digits = number.text.rstrip("xX\u00d7 ")
    rough = claim.kind == FACTOR and not number.decimals
    return number.half * 10 ** (len(digits) - len(digits.rstrip("0"))) if rough else number.half


_COUNTS = r"(?P<part>\d[\d,]*)\s*(?:/|out of|of)\s*(?:the\s+|all\s+)?(?P<whole>\d[\d,]*)"
_SHARED = re.compile(rf"(?<![\w.,/-]){_COUNTS}(?:\s+[A-Za-z]+){{0,3}}\s*\((?=\d[\d.]*\s?%\s*\))")
_SHARE_FIRST = re.compile(rf"%\s*\({_COUNTS}(?:\s+[A-Za-z]+){{0,2}}\)")
_MARK = re.compile(
    r"\b(?:pass(?:ing)?|threshold|required?|minimum|at least|need(?:s|ed)?|target)\b", re.I
)
"""What is asked of a share, and the least count that reaches it: 70% (13 of 18)."""
_NEARLY = 1.3


def _shares(item: Said) -> Iterator[Check]:
    """A share of a count: 24 of 60 (40%), 38/43 (88%), 88% (38/43)."""
    text = item.text if "%" in item.text else ""
    ends = {slot.quantity.end: slot for slot in item.slots}
    starts = {slot.quantity.start: slot for slot in item.slots}
    found = [(match, starts.get(match.end())) for match in _SHARED.finditer(text)]
    found += [(m, ends.get(m.start() + 1)) for m in _SHARE_FIRST.finditer(text)]
    for match, claim in found:
        # "at least 80% (6/7)" is what is asked, not what was found
        if not claim or claim.quantity.bound or claim.text[0] in "+-\u2212":
            continue
        if _MARK.search(text[: min(match.start(), claim.quantity.start)]):
            continue
        part, whole = (
            item.count(int(match[name].replace(",", "")), match[name], match.start(name))
            for name in ("part", "whole")
        )
        trial = tried(claim, (part, whole), lambda a, b: a / b * 100)
        # what is far off is a share of something else: "2.1% of what is saved (3 of 285 layers)"
        near = trial and (trial.held or similar(trial, _NEARLY) or is_slip(trial))
        if trial and near and part.value <= whole.value:
            yield check_of(
                trial, FAMILY, "ratio", "A share of a count", f"{part.text} of {whole.text}"
            )


_PAIRED = re.compile(r"\s*(?:\(|=|\u2248|/|,? i\.e\.,?|,? or)\s*(?:or |i\.e\. |about |~)?")
_PER = re.compile(r"\s*(?:per|each|an?|for)\b")
_WORKED = re.compile(r"[x\u00d7*+/\u00f7]\s*$")
_LOOSE, _FAR, _FARTHEST, _LEAST_UNNAMED = 0.005, 20, 2e6, 5
"""Of two units: by how much they may differ, and how far off what a bracket holds is told; no slip
mistakes a unit by more than the third: 21.5 ms (2.15 ns) is a whole and a part."""


def _two_units(texts: Sequence[Said]) -> Iterator[Check]:
    """One value in two units: 215 MiB/s (226 MB/s), 330 s or 5.5 min, 268435456 (256 MB)."""
    pairs = [(item, one, two) for item in texts for one, two in pairwise(item.slots)]
    made = [(t, sign) for pair in pairs if (t := _restated(*pair, sign := _between(*pair)))]
    # where MiB and MB are told apart, one is not the other
    strict = sum(trial.held and _names_both(trial) for trial, _ in made) > 1
    for found, sign in made:
        mixed = not found.held and not (strict and _names_both(found)) and _is_mixed(found)
        trial = replace(found, outcome=ROUNDING) if mixed else found
        # "or" may tell another case: there only a slip or what is near is told
        most = _FAR if "(" in sign or "=" in sign else _NEARLY
        slip = is_slip(trial) and similar(trial, _FARTHEST)
        if trial.held or similar(trial, most) or slip:
            yield check_of(trial, TWICE, "stated_twice", "One value in two units")


def _names_both(trial: Trial) -> bool:
    """Whether one of two sizes is printed in binary units by their names, the other is not."""
    names = [slot.unit.name for slot in (trial.claim, *trial.inputs) if slot.unit]
    return len({"i" in name for name in names}) > 1


def _restated(item: Said, first: Slot, two: Slot, between: str) -> Trial | None:
    """Two neighbours as one value; None where they are two."""
    bracket = "(" in between
    one = _in_bytes(first) if bracket and two.kind == SIZE else first
    bounded = bool(one.quantity.bound or two.quantity.bound)
    same_unit = (one.factor, claim_scale(one)) == (two.factor, claim_scale(two))
    # 1200 MHz (6 GHz) are a width and a band
    if bounded or not one.kind or same_unit or one.kind != two.kind:
        return None
    behind = item.text[two.quantity.end :]
    # the last number of a calculation is not its result
    worked = "=" in between and _WORKED.search(_ahead(item.text, one))
    ends = worked or (bracket and behind.lstrip()[:1] != ")") or _PER.match(behind)
    if ends or min(one.value, two.value) <= 0 or not _PAIRED.fullmatch(between):
        return None
    return tried(two, (one,), same, _LOOSE)


def _in_bytes(slot: Slot) -> Slot:
    """A long whole number before a size in brackets counts bytes."""
    whole = not slot.unit and slot.exact.denominator == 1 and len(str(slot.exact)) >= _LEAST_UNNAMED
    return replace(slot, unit=Unit(SIZE, Fraction(1), "B")) if whole else slot


def _is_mixed(trial: Trial) -> bool:
    """Whether MB may mean MiB: it then holds by a power of 1.024."""
    of_bytes = range(-4, 5) if trial.claim.kind in {SIZE, RATE} else ()
    ways = (
        tried(trial.claim, trial.inputs, lambda a, n=n: a * Fraction(1024, 1000) ** n, 2 * _LOOSE)
        for n in of_bytes
    )
    return any(way and way.held for way in ways)
