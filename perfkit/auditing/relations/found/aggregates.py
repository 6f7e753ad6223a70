"""Rows and columns that add up, average or spread the ones before them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from perfkit.auditing.relations.cells import Number, places_of
from perfkit.auditing.relations.found.check import Check, cell_check, far, slipped
from perfkit.auditing.relations.found.words import TIMES_OF_WAITING, label_of
from perfkit.auditing.relations.interval import Interval
from perfkit.auditing.relations.run import FAILS

if TYPE_CHECKING:
    from perfkit.auditing.relations.found.grid import Record, View

_NAMES = {
    "sum": "Sum",
    "mean": "Average",
    "std": "Standard deviation",
    "min": "Minimum",
    "max": "Maximum",
    "median": "Median",
    "range": "Range",
}
_NEEDED = {"std": 2, "sum": 2, "mean": 2, "min": 2, "max": 2, "median": 2, "range": 2}
_FAR = Fraction(3, 5)


def aggregates(view: View) -> Iterator[Check]:
    """Sum, average, standard deviation (of a sample), minimum ... of what stands before."""
    places = [n for n, label in enumerate(view.labels) if label.aggregate]
    if not view.by_rows:
        # columns: "Run 1, Run 2, Run 3, Mean"; "Total IOPS" is no aggregate of its neighbours
        places = [place for place in places if place > 0]
    for place in places:
        kind = view.labels[place].aggregate
        assert kind  # noqa: S101 - chosen above
        yield from _aggregate(view, place, kind)


def _aggregate(view: View, place: int, kind: str) -> Iterator[Check]:
    best: list[Check] = []
    series = False
    for operands in _operands(view, place):
        for rule in _RULES[kind]:
            made = [c for r in view.records for c in _checked(view, r, place, operands, kind, rule)]
            if made and (not best or _held(made) > _held(best)):
                best = made
                series = len({_masked(view, n) for n in operands}) == 1
    # "Run 1, Run 2, Run 3, Mean" leaves no doubt; other columns must prove what they are
    yield from _trusted(best, sure=series or view.by_rows)


def _trusted(made: list[Check], *, sure: bool) -> list[Check]:
    """All of them, where the row is what its label says; a failure alone must at least be near."""
    held = _held(made)
    if not sure and (held < 2 or 2 * held < len(made)):  # noqa: PLR2004
        return [check for check in made if check.outcome != FAILS] if held else []
    if 2 * held >= len(made):
        return made
    return [c for c in made if c.outcome != FAILS or _plausible(c)]


def _plausible(check: Check) -> bool:
    assert check.claim  # noqa: S101
    assert check.result  # noqa: S101
    return not far(check.claim, check.result, _FAR) or slipped(check.claim, check.result)


def _held(made: list[Check]) -> int:
    return sum(check.outcome != FAILS for check in made)


def _operands(view: View, place: int) -> Iterator[list[int]]:
    """What an aggregate can be of: all before it, those since the last aggregates, those below."""
    plain = [n for n in range(len(view.labels)) if _detail(view, n)]
    before = [n for n in plain if n < place]
    stop = max(
        (n for n in range(place) if view.labels[n].aggregate and not _chain(view, n, place)),
        default=-1,
    )
    since = [n for n in before if n > stop]
    if not view.by_rows:
        before = since = _alike(view, since or before, place)
    subtotals = [n for n in range(place) if view.labels[n].aggregate == "sum"]
    seen: list[list[int]] = []
    options = [since, before, subtotals]
    if view.by_rows and not before:
        options.append([n for n in plain if n > place])
    for option in options:
        if len(option) > 1 and option not in seen:
            seen.append(option)
            yield option


def _chain(view: View, place: int, end: int) -> bool:
    """Whether only aggregates stand between: Sum, Avg and Std below one another."""
    return all(view.labels[n].aggregate or view.labels[n].change for n in range(place, end))


def _detail(view: View, place: int) -> bool:
    label = view.labels[place]
    if label.aggregate or label.change:
        return False
    return view.by_rows or (view.numeric(place) and not label.identity)


def _alike(view: View, places: list[int], place: int) -> list[int]:
    """The columns before an aggregate that are of its kind: the same unit, the same words."""
    own = view.unit(place)
    found: list[int] = []
    for n in reversed(places):
        if view.unit(n) != own and own is not None and view.unit(n) is not None:
            break
        series = len(found) > 1 and _masked(view, found[0]) == _masked(view, found[1])
        if series and _masked(view, n) != _masked(view, found[0]):
            break  # before "Run 1, Run 2, Run 3" stands what numbers the rows
        found.append(n)
    return found[::-1]


def _masked(view: View, place: int) -> str:
    return re.sub(r"\d+", "#", view.labels[place].text.lower())


def _checked(
    view: View, record: Record, place: int, operands: list[int], kind: str, rule: _Rule
) -> Iterator[Check]:
    cell = record.cells[place]
    if cell.number is None or (view.by_rows and not _adds(record, view, place, kind)):
        return
    # a row without a value there is none of the sample, but one with words ends the matter
    used = [n for n in operands if record.cells[n].text.strip("-\u2013\u2014 ")]
    numbers = record.numbers(used)
    if numbers is None or len(numbers) < _NEEDED[kind]:
        return
    units = {item.unit for item in (*numbers, cell.number)}
    if len(units) > 1:
        return
    result = rule(numbers)
    yield cell_check(
        view.grid, record, cell, kind, f"{_NAMES[kind]} of {len(numbers)} values", result
    )


def _adds(record: Record, view: View, place: int, kind: str) -> bool:
    """Whether a sum can be meant: latencies, shares and numbers of runs are not added."""
    label = label_of(record.name)
    if label.identity and kind in {"sum", "mean", "std"}:
        return False
    if kind != "sum":
        return True
    cell = record.cells[place]
    unit = cell.unit
    if (unit == "%" or "%" in label.words or "share" in label.words) and cell.number is not None:
        return abs(cell.number.value - 100) <= 1  # shares are added only to make the whole
    return label.added and unit not in TIMES_OF_WAITING and unit != "%"


_Rule = Callable[[list[Number]], Number]


def _listed(numbers: list[Number], sign: str = " + ") -> str:
    texts = [item.text for item in numbers]
    if len(texts) > 6:  # noqa: PLR2004
        texts = [*texts[:3], "\u2026", texts[-1]]
    return sign.join(texts)


def _sum(numbers: list[Number]) -> Number:
    return Number(
        sum((n.value for n in numbers), Fraction(0)),
        reduce(lambda a, b: a + b, (n.around for n in numbers)),
        numbers[0].unit,
        _listed(numbers),
        "sum",
        places_of(numbers),
    )


def _mean(numbers: list[Number]) -> Number:
    total, share = _sum(numbers), Fraction(1, len(numbers))
    return Number(
        total.value * share,
        total.around.scaled(share),
        total.unit,
        f"({total.text}) \u00f7 {len(numbers)}",
        "mean",
        total.places,
    )


def _deviation(less: int) -> _Rule:
    def rule(numbers: list[Number]) -> Number:
        mean = sum((n.value for n in numbers), Fraction(0)) / len(numbers)
        squares = sum(((n.value - mean) ** 2 for n in numbers), Fraction(0))
        value = _root(squares / (len(numbers) - less))
        # a deviation of values moves by no more than the norm of their own moves
        half = max((abs(b - n.value) for n in numbers for b in _bounds(n)), default=Fraction(0))
        move = half * _root(Fraction(len(numbers), len(numbers) - less))
        around = Interval(max(value - move, Fraction(0)), value + move)
        name = "sample" if less else "population"
        text = f"standard deviation ({name}) of {_listed(numbers, ', ')}"
        return Number(value, around, numbers[0].unit, text, "std", places_of(numbers))

    return rule


def _bounds(number: Number) -> list[Fraction]:
    return [b for b in (number.around.low, number.around.high) if b is not None]


def _root(value: Fraction) -> Fraction:
    return Fraction(math.sqrt(value)).limit_denominator(10**12)


def _picked(pick: Callable[[list[Number]], Number], name: str) -> _Rule:
    def rule(numbers: list[Number]) -> Number:
        found = pick(numbers)
        text = f"{name} of {_listed(numbers, ', ')}"
        return Number(found.value, found.around, found.unit, text, name, places_of(numbers))

    return rule


def _median(numbers: list[Number]) -> Number:
    order = sorted(numbers, key=lambda n: n.value)
    middle = len(order) // 2
    return order[middle] if len(order) % 2 else _mean(order[middle - 1 : middle + 1])


def _range(numbers: list[Number]) -> Number:
    low, high = (pick(numbers, key=lambda n: n.value) for pick in (min, max))
    return Number(
        high.value - low.value,
        high.around - low.around,
        high.unit,
        f"{high.text} \u2212 {low.text}",
        "range",
        places_of(numbers),
    )


_RULES: dict[str, tuple[_Rule, ...]] = {
    "sum": (_sum,),
    "mean": (_mean,),
    "std": (_deviation(1), _deviation(0)),
    "min": (_picked(lambda n: min(n, key=lambda i: i.value), "minimum"),),
    "max": (_picked(lambda n: max(n, key=lambda i: i.value), "maximum"),),
    "median": (_median,),
    "range": (_range,),
}
"""The first is the one that is meant where the numbers do not tell."""
