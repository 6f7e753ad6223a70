"""Numbers that stand together in a sentence or a cell: a share of a count, one value in two units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
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
from perfkit.auditing.quantities import RATE, SIZE, Unit
from perfkit.auditing.relations.run import ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said
    from perfkit.auditing.found.slots import Slot

TWICE = "one value in two units"
_STEP, _MOST = Fraction(1024, 1000), 20


def sentences(page: Page) -> Iterator[Check]:
    """Shares of counts, and values in two units."""
    for item in page.texts:
        yield from _shares(item)
    yield from _two_units(page.texts)


def _by_thousands(many: int) -> Formula:
    """The value itself, of which so many thousands are 1024."""

    def formula(value: Any) -> Any:
        return value * _STEP**many

    return formula


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
    # of bits a thousand may be 1024, too, where of bytes it is not
    powers = {0, 1, -1, apart, -apart, *orders, *(-n for n in orders)} if of_bytes else set()
    ways = (tried(trial.claim, trial.inputs, _by_thousands(n), 2 * _LOOSE) for n in powers)
    return any(way and way.held for way in ways)


_WORKED = re.compile(r"[x\u00d7*+/\u00f7]\s*$")
