"""Two numbers that stand side by side in a text and must agree: IOPS (MB/s), one value in two units."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import OPS, RATE, SIZE, Quantity, quantities
from perfkit.auditing.found.said import Said, cells_said, stated, unit_name
from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.interval import point
from perfkit.auditing.relations.run import FAILS, HOLDS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.relate import Check
    from perfkit.auditing.found.sheets import Sheet

TWICE, REQUESTS = "one value in two units", "requests by their size"
_PAIRED = re.compile(r"\s*(?:\(|=|,? i\.e\.,?)\s*(?:or |i\.e\. |about |~|BW[:=] ?)?")
_LISTED = re.compile(r"\s*(?:\(|,|/|\||and|at|with)\s*(?:BW[:=] ?|about )?")
_BLOCK = re.compile(r"(?<![\w.])(\d{1,4})\s?(k|m)i?b?(?![\w/])", re.I)
_STEP = Fraction(1024, 1000)
_NEAR, _FAR = 0.03, 0.05
_SIZES = [2.0**n for n in range(9, 25)]
_MOST = 20


def pairs(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """All pairs in sentences and cells."""
    texts = [item for item in (*said, *cells_said(sheets)) if item.kind != "command"]
    beside = [(item, one, two) for item in texts for one, two in pairwise(item.quantities)
              if one.unit and two.unit and not one.bound and not two.bound]  # fmt: skip
    yield from _two_units(beside)
    yield from _requests(beside)


def _two_units(beside: Sequence[tuple[Said, Quantity, Quantity]]) -> Iterator[Check]:
    """One value in two units: 215 MiB/s (226 MB/s)."""
    made = [
        (item, one, two, _same_value(one, two)) for item, one, two in beside
        if one.kind == two.kind and one.unit.factor != two.unit.factor  # type: ignore[union-attr]
        and _PAIRED.fullmatch(item.text[one.end : two.start])
    ]  # fmt: skip
    strict = sum(outcome == HOLDS for *_, outcome in made) > 1
    for item, one, two, outcome in made:
        told = outcome
        if outcome == FAILS and not strict and _loosely(one, two):
            told = ROUNDING  # MB may mean MiB, unless the document is strict
        number, factor = item.number(one), two.unit.factor  # type: ignore[union-attr]
        around = number.around.scaled(1 / factor)
        result = Number(
            number.value / factor, around, unit_name(two.unit), one.text, "", number.places
        )
        if told == FAILS and two.value and not 1 / _MOST < abs(result.value / two.value) < _MOST:
            continue  # two things, not one
        yield stated(
            TWICE, "One value in two units", item, two.text, one.text, told,
            item.scaled(two, Fraction(1)), result, decimals=two.decimals, error=True,
        )  # fmt: skip


def _same_value(one: Quantity, two: Quantity) -> str:
    factors = [q.unit.factor if q.unit else Fraction(1) for q in (one, two)]
    a, b = one.around.scaled(factors[0]), two.around.scaled(factors[1])
    near = two.value and abs(one.value * factors[0] / (two.value * factors[1]) - 1) <= Fraction(
        1, 200
    )
    return HOLDS if near or a.meets(b) else FAILS


def _loosely(one: Quantity, two: Quantity) -> bool:
    """Whether the two are the same but for thousands of 1000 or 1024."""
    a, b = (q.value * (q.unit.factor if q.unit else 1) for q in (one, two))
    return bool(b) and any(abs(a / b / _STEP**n - 1) < Fraction(1, 100) for n in range(-3, 4))


def _requests(beside: Sequence[tuple[Said, Quantity, Quantity]]) -> Iterator[Check]:
    """IOPS and, beside it, MB/s: one is the other by the size of a request."""
    made = []
    for item, one, two in beside:
        ops, rate = (one, two) if one.kind == OPS else (two, one)
        if (ops.kind, rate.kind) != (OPS, RATE) or not ops.value:
            continue
        if _LISTED.fullmatch(item.text[one.end : two.start]):
            a, b = item.number(ops), item.number(rate)
            sizes = _stated(item)
            size = float(b.value / a.value)
            best = min(sizes or _SIZES, key=lambda s, size=size: abs(math.log(size / s)))  # type: ignore[misc]
            off = abs(math.log(size / best))
            half = (
                float((a.around.high or a.value) / a.value + (b.around.high or b.value) / b.value)
                - 2
            )
            made.append((item, ops, rate, best, off - half, bool(sizes)))
    held = sum(off <= _NEAR for *_, off, _ in made)
    for item, ops, rate, best, off, known in made:
        # a size that nobody states must be that of other pairs of the document, too
        if off > _NEAR and not (off > _FAR and (known or (held > 1 and 2 * held > len(made)))):
            continue
        if off > math.log(_MOST):
            continue
        a, b, factor = item.number(ops), item.number(rate), rate.unit.factor  # type: ignore[union-attr]
        value = a.value * Fraction(best) / factor
        text = f"{ops.text} \u00d7 {best / 1024:g} KiB"
        result = Number(value, point(value), unit_name(rate.unit), text, "", a.places)
        claim = Number(rate.value, rate.around, unit_name(rate.unit), rate.text, "", b.places)
        yield stated(
            REQUESTS, "Requests a second by their size", item, rate.text, text,
            ROUNDING if off <= _NEAR else FAILS, claim, result, kind="product", decimals=rate.decimals,
            error=known,
        )  # fmt: skip


def _stated(item: Said) -> list[float]:
    """The sizes of a request that a text names."""
    powers = {"k": 1024.0, "m": 1024.0**2}
    text = f"{item.section} {item.text}" if item.kind == "cell" else item.text
    found = [float(n) * powers[p.lower()] for n, p in _BLOCK.findall(text)]
    found += [float(q.value * q.unit.factor) for q in quantities(text) if q.kind == SIZE and q.unit]
    return [size for size in found if any(abs(size / s - 1) < _NEAR for s in _SIZES)]
