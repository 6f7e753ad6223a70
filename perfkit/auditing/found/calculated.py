"""Calculations that a text prints in full: 168 x 146.6 MB = 24.63 GB; (693.6 - 598.8) / 693.6 = 13.7%.

A calculation is read as one is read aloud: numbers with their units and up to three words behind
each, signs, brackets. Of a chain of equal signs each expression is held against the number it gives.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.dimension import fits
from perfkit.auditing.found.relate import (
    Check,
    Formula,
    Trial,
    check_of,
    claim_scale,
    off_by,
    similar,
    tried,
)  # fmt: skip
from perfkit.auditing.quantities import RATE, SHARE, SIZE, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Slot

FAMILY = "products in sentences"
_MOST, _MOST_WORDS, _REACH = 20, 3, 48
_STEP = Fraction(1024, 1000)
_ROUGH = Fraction(2, 100)
_SIGNS = {"x": "*", "\u00d7": "*", "*": "*", "\u00b7": "*", "/": "/", "\u00f7": "/", "+": "+",
          "-": "-", "\u2212": "-", "\u2013": "-"}  # fmt: skip
_OPERATORS: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "+": (1, operator.add), "-": (1, operator.sub),
    "*": (2, operator.mul), "/": (2, operator.truediv),
}  # fmt: skip
"""Sign -> how strongly it binds, and what it does."""
_TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<number>\$?\d)|(?P<equal>[=\u2248](?![=>]))|(?P<open>[(\[])|(?P<close>[)\]])"
    r"|(?P<sign>[*\u00b7\u00d7+]|x(?=\s*[($]?\d)|(?<=[\s)\]])[-\u2212\u2013/\u00f7](?=[\s(\[]))"
    r"|(?P<about>~|\babout\b)|(?P<word>[A-Za-z][\w-]*)|(?P<other>.)",
    re.S,
)
_PARTS = re.compile(
    r"[=\u2248()\[\]*\u00b7\u00d7+]|\sx\s|(?<=\d)x(?=\d)|\s[-\u2212\u2013/\u00f7]\s"
)


@dataclass(frozen=True)
class _Token:
    """A number, sign, bracket or equal sign; ``other``: what no calculation holds."""

    kind: str
    text: str
    start: int
    slot: Slot | None = None


@dataclass(frozen=True)
class _Expression:
    """An expression as a formula of its numbers."""

    slots: tuple[Slot, ...]
    formula: Formula
    text: str


def calculated(page: Page) -> Iterator[Check]:
    """The calculations of all texts."""
    for item in page.texts:
        if "=" in item.text or "\u2248" in item.text:
            for chain in _chains(list(_tokens(item)), item.text):
                yield from _checks(chain)


def _tokens(item: Said) -> Iterator[_Token]:
    text, at, words, before = item.text, 0, 0, ""
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match  # noqa: S101 - "other" matches whatever else stands there
        kind = str(match.lastgroup)
        end = match.end()
        if kind == "number":
            joined = before != "sign" and re.search(r"[\w.,:/#]$", text[:at])
            slot = None if joined else _number(item, at)
            end = slot.quantity.end if slot else end
            yield _Token("number" if slot else "other", text[at:end], at, slot)
            words = 0
        elif kind == "word" and words < _MOST_WORDS and text[end : end + 1] != "=":
            words += 1  # what is counted or measured
        elif kind not in {"blank", "about"}:
            yield _Token("other" if kind == "word" else kind, match[0], at)
            words = _MOST_WORDS if kind != "close" else 0
        before = kind if kind != "blank" else before
        at = end


def _number(item: Said, at: int) -> Slot | None:
    """The number at a place with its unit; None of a date, a version."""
    text = item.text
    part = _PARTS.search(text, at + 1, at + _REACH)
    shift = at + (text[at] == "$")
    found = quantities(text[shift : part.start() if part else at + _REACH])
    if not found or found[0].start:
        return None
    number = replace(found[0], start=shift, end=shift + found[0].end)
    if re.search(r"(?:[~\u2248]|\babout)\s*$", text[:at]):
        number = replace(number, half=max(10 * number.half, abs(number.value) * _ROUGH))
    return item.slot(number)


def _chains(tokens: Sequence[_Token], text: str) -> Iterator[list[_Expression]]:
    """What stands between equal signs, where each is an expression or a number."""
    signs = [n for n, token in enumerate(tokens) if token.kind == "equal"]
    chain: list[_Expression] = []
    for at, sign in enumerate(signs):
        before = signs[at - 1] + 1 if at else 0
        after = signs[at + 1] if at + 1 < len(signs) else len(tokens)
        if not chain:
            starts = range(before, sign)
            left = next((e for n in starts if (e := _expression(tokens[n:sign], text))), None)
            chain = [left] if left and not _is_cut_off(tokens, before, left, text) else []
        ends = range(after, sign + 1, -1)
        found = ((n, e) for n in ends if (e := _expression(tokens[sign + 1 : n], text)))
        end, right = next(found, (sign, None))
        cut = right is None or (end < len(tokens) and tokens[end].kind == "sign")
        if chain and right and not cut:
            chain.append(right)
        if cut or end != after or at + 1 == len(signs):
            yield chain
            chain = [right] if right and not cut and end == after else []


_FUNCTION = re.compile(r"(?![\u3000-\u9fff\uac00-\ud7af])[^\s()\[\]=\u2248<>,;:~$][(\[]+\s*$")
"""A bracket right behind a sign that is none of a calculation: f(2), 2(3), \u00bd(4)."""


def _is_cut_off(tokens: Sequence[_Token], before: int, left: _Expression, text: str) -> bool:
    """Whether an expression is the end of one that is not understood: after a sign, of a function."""
    start = left.slots[0].quantity.start
    ahead = [token for token in tokens[before:] if token.start < start and token.kind != "open"]
    # "5 + 4 of them at 3.65 = ..." is no "3.65 = ..."
    signs = [token.kind == "sign" for token in ahead]
    cut = any(signs) if len(left.slots) == 1 else signs[-1:] == [True]
    # "first=4.0 / second=8.0 / 3 others = 4.4" is a list of what is set
    cut = cut or bool(re.search(r"\w=$", text[:start]))
    return cut or bool(_FUNCTION.search(text[:start]))


def _expression(tokens: Sequence[_Token], text: str) -> _Expression | None:
    """Tokens as an expression; None where they are none."""
    if not tokens or {token.kind for token in tokens} & {"other", "equal"}:
        return None
    numbers = [token.slot for token in tokens if token.slot]
    parser = _Parser(tokens)
    formula = parser.sum() if numbers else None
    if formula is None or parser.at < len(tokens):
        return None
    made = formula
    last = max(slot.quantity.end for slot in numbers)
    closing = text[last : tokens[-1].start + len(tokens[-1].text)]
    words = " ".join(f"{text[tokens[0].start : last]}{closing}".split())
    return _Expression(tuple(numbers), lambda *values: made(values), words)


_Value = Callable[[Sequence[Any]], Any]


class _Parser:
    """Signs by how they bind; each number is the next input of the formula."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.tokens, self.at, self.inputs = tokens, 0, 0

    def sum(self, least: int = 1) -> _Value | None:
        """What binds at least so strongly; None where it is broken off."""
        left = self._one()
        while left and (sign := self._sign()) and _OPERATORS[sign][0] >= least:
            self.at += 1
            strength, act = _OPERATORS[sign]
            left = self._joined(act, left, self.sum(strength + 1))
        return left

    @staticmethod
    def _joined(act: Callable[[Any, Any], Any], one: _Value, two: _Value | None) -> _Value | None:
        return (lambda values: act(one(values), two(values))) if two else None

    def _sign(self) -> str | None:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        return _SIGNS[token.text] if token and token.kind == "sign" else None

    def _one(self) -> _Value | None:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is None or token.kind not in {"number", "open"}:
            return None
        self.at += 1
        if token.slot:
            place = self.inputs
            self.inputs += 1
            return lambda values: values[place]
        inside = self.sum()
        closed = self.at < len(self.tokens) and self.tokens[self.at].kind == "close"
        self.at += 1
        return inside if closed else None


def _checks(chain: Sequence[_Expression]) -> Iterator[Check]:
    """Each expression of a chain against the next number of it, else the last before it.

    Where two expressions fail and give different numbers, they are not the same thing:
    "1 group x 250 = 1 group x 25 = 322 MB".
    """
    made = [(left, trial) for n, left in enumerate(chain) if (trial := _tried(chain, n, left))]
    failed = [trial for _, trial in made if not trial.held]
    if all(abs(off_by(one) - off_by(two)) <= _ROUGH for one, two in pairwise(failed)):
        for left, trial in made:
            yield check_of(trial, FAMILY, "product", "A calculation in the text", left.text)


def _tried(chain: Sequence[_Expression], n: int, left: _Expression) -> Trial | None:
    if len(left.slots) < 2:
        return None
    following = chain[n + 1].slots if n + 1 < len(chain) else ()
    if len(following) > 1:  # a calculation that goes on from its result: 2 x 3 = 6 / 2 = 3
        step = _best(following[0], left)
        if step and step.held:
            return step
    others = [*chain[n + 1 :], *reversed(chain[:n])]
    claim = next((e.slots[0] for e in others if len(e.slots) == 1), None)
    trial = _best(claim, left) if claim else None
    if claim is None or trial is None or trial.held:
        return trial
    told = (
        similar(trial, _MOST)
        and not _lacks_a_factor(trial)
        and fits(claim, left.slots, left.formula)
    )
    return trial if told and not _is_of_each(left) else None


def _is_of_each(left: _Expression) -> bool:
    """Whether it begins with what each of several has: "10 files (100 MB each) x 30%"."""
    return bool(re.match(r"[(\[][^()\[\]]*\beach\b", left.text))


def _lacks_a_factor(trial: Trial) -> bool:
    """Whether a count is a whole multiple of what is multiplied: one more factor is not printed."""
    counts = all(not s.quantity.decimals and not s.kind for s in (trial.claim, *trial.inputs))
    value = trial.formula(*(slot.exact for slot in trial.inputs))
    times = trial.claim.exact / value if value else Fraction(0)
    return counts and times.denominator == 1 and times > 1


def _best(claim: Slot, left: _Expression) -> Trial | None:
    """A calculation in the units as printed, with K of 1000 or 1024, and by its digits alone."""
    bare = replace(claim, unit=None), [replace(slot, unit=None) for slot in left.slots]
    sized = {SIZE, RATE} & {slot.kind for slot in (claim, *left.slots)}
    # "256 x 128 = 32K" may hold so; where it fails, K is 1000
    counted = claim_scale(claim) > 1 and not sized
    ways: list[tuple[Slot, Sequence[Slot], Formula]] = [
        (claim, left.slots, _by(left.formula, _STEP**n))
        for n in ((0, 1, -1, 2, -2) if sized or counted else (0,))
    ]
    ways.append((*bare, left.formula))
    if claim.kind == SHARE:
        ways.append((*bare, _by(left.formula, Fraction(100))))
    # of whole counts nothing is rounded
    cut = counted or any(s.quantity.decimals or s.unit for s in (*left.slots, claim))
    made = (tried(one, inputs, way, nominal=True, cut=cut) for one, inputs, way in ways)
    found = [trial for n, trial in enumerate(made) if trial and (trial.held or not (counted and n))]
    return min(found, key=lambda trial: (not trial.held, off_by(trial)), default=None)


def _by(formula: Formula, factor: Fraction) -> Formula:
    return lambda *values: formula(*values) * factor
