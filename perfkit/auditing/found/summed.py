"""Sums in words: parts that a sentence joins, and the total that it gives of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.relate import Check, added, check_of, off_by, tried
from perfkit.auditing.quantities import FACTOR, SHARE

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Slot

FAMILY = "sums in sentences"
_NEAR, _MOST_PARTS, _ROUGH = 0.5, 4, 0.02
_TOTAL_BEFORE = re.compile(
    r"\b(?:total|sum|aggregate)(?:l?ing|s)?(?:\s+(?:is|was|of|to|up to))?\s*:?\s*$", re.I
)
_TOTAL_BEHIND = re.compile(
    r"^(?:\s+[A-Za-z][\w-]*){0,2}\s+(?:in total|in all|altogether|combined|together)\b|^\s+total\b",
    re.I,
)
_JOINED = re.compile(
    r"(?:\s+[A-Za-z][\w-]*){0,4}?\s*(?:,|\band\b|,\s*and\b|\bplus\b|\+)\s*(?:[A-Za-z][\w-]*\s+){0,4}",
    re.I,
)
_APART = re.compile(
    r"\b(?:each|with|to|from|vs|versus|than|times|at|by|every|instead|for|while|but)\b|\bof\s+(?:the\s+|all\s+)?$",
    re.I,
)
_OTHER = re.compile(r"\b(?!total|mak|giv|bring|add|amount)[a-z]{2,}ing\b", re.I)
"""What makes a total one of something else: "removes 3 and 4, saving 12 in total"."""
_ABOUT = re.compile(r"(?:\babout|\broughly|\bapproximately|\baround|~|\u2248)\s*$", re.I)
_BEFORE_TOTAL = re.compile(r"[^.;\d]{0,60}")


def summed(page: Page) -> Iterator[Check]:
    """The sums of each sentence."""
    for sentence in page.prose:
        slots = sentence.slots
        for at, claim in enumerate(slots):
            if parts := _parts(sentence, slots[:at], claim):
                yield from _judged(sentence, claim, parts)


def _parts(sentence: Said, before: Sequence[Slot], claim: Slot) -> list[Slot]:
    """What a total is of: the numbers right before it that the sentence joins by "and"."""
    text, at = sentence.text, claim.quantity
    named = _TOTAL_BEFORE.search(text[: at.start]) or _TOTAL_BEHIND.match(text[at.end :])
    if not named or claim.kind in {SHARE, FACTOR} or not before or at.bound:
        return []
    gap = text[before[-1].quantity.end : at.start]
    if _OTHER.search(gap):
        return []
    if not _BEFORE_TOTAL.fullmatch(gap) or _APART.search(
        re.sub(r"(?i)(?:for )?a total of", "", gap)
    ):
        return []
    parts = [before[-1]]
    for one, two in pairwise(reversed(before)):
        between = text[two.quantity.end : one.quantity.start]
        if not _JOINED.fullmatch(between) or _APART.search(between):
            break
        parts.append(two)
    alike = all(part.kind == claim.kind and not part.quantity.bound for part in parts)
    return parts[::-1] if alike and 1 < len(parts) <= _MOST_PARTS else []


def _judged(sentence: Said, claim: Slot, parts: Sequence[Slot]) -> Iterator[Check]:
    about = any(_ABOUT.search(sentence.text[: s.quantity.start]) for s in (claim, *parts))
    trial = tried(claim, parts, added, _ROUGH if about else 0.0, cut=False)
    times = tried(claim, parts, lambda *v: math.prod(v), cut=False) if not claim.kind else None
    if trial and (trial.held or (off_by(trial) <= _NEAR and not (times and times.held))):
        rule = " + ".join(part.text for part in parts)
        yield check_of(trial, FAMILY, "sum", "A total in words", rule)
