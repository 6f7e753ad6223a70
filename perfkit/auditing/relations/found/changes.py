"""Rows and columns that say how much one differs from another: a difference, percent, a factor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from perfkit.auditing.relations.cells import Number, places_of
from perfkit.auditing.relations.evaluate import NoNumberError, percent_change, ratio
from perfkit.auditing.relations.found.check import Check, cell_check
from perfkit.auditing.relations.found.words import Label, words_of
from perfkit.auditing.relations.interval import Interval
from perfkit.auditing.relations.run import FAILS
from perfkit.core.errors import AnalysisError

if TYPE_CHECKING:
    from perfkit.auditing.relations.found.grid import Cell, Record, View

Rule = Callable[[Number, Number], Number]


def _less(first: Number, second: Number) -> Number:
    other = second.to(first.unit)
    return Number(
        first.value - other.value,
        first.around - other.around,
        first.unit,
        f"{first.text} \u2212 {second.text}",
        "difference",
        places_of([first, second]),
    )


def _size(rule: Rule) -> Rule:
    def made(a: Number, b: Number) -> Number:
        found = rule(a, b)
        if found.value >= 0:
            return found
        around = Interval(
            *(None if x is None else -x for x in (found.around.high, found.around.low))
        )
        return replace(found, value=-found.value, around=around, text=f"|{found.text}|")

    return made


def _percent(base: int) -> Rule:
    return lambda a, b: percent_change([a, b] if base == 0 else [b, a])


def _lowered(a: Number, b: Number) -> Number:
    """How much lower the second is, in percent of the first: a positive number."""
    found = percent_change([a, b])
    low, high = found.around.high, found.around.low
    around = Interval(None if low is None else -low, None if high is None else -high)
    return replace(found, value=-found.value, around=around, text=f"\u2212({found.text})")


_ABSOLUTE: tuple[Rule, ...] = (lambda a, b: _less(b, a), _less)
_RELATIVE: tuple[Rule, ...] = (_percent(0), _percent(1), _lowered)
_FACTOR: tuple[Rule, ...] = (lambda a, b: ratio([b, a]), lambda a, b: ratio([a, b]))


def changes(view: View) -> Iterator[Check]:
    """Each change against the two that it is of."""
    for place, label in enumerate(view.labels):
        if label.change and place > 0 and _clear(view, place, label):
            yield from _change(view, place, label)


_JOINING = frozenset(
    [
        "%",
        "vs",
        "versus",
        "to",
        "over",
        "from",
        "of",
        "in",
        "and",
        "with",
        "by",
        "relative",
        "absolute",
        "against",
        "compared",
        "between",
        "the",
        "a",
        "per",
        "x",
        "factor",
        "rate",
        "performance",
        "percent",
        "total",
        "aggregate",
        "overall",
    ]
)


def _clear(view: View, place: int, label: Label) -> bool:
    """Whether a label names a change of what stands beside it, and is not the name of a thing."""
    beside = {w for n, other in enumerate(view.labels) if n != place for w in other.words}
    heads = {w for record in view.records for w in words_of(record.name)}
    return label.bare <= beside | heads | _JOINING


def _change(view: View, place: int, label: Label) -> Iterator[Check]:  # noqa: C901 - pairs by rules
    pairs = list(_pairs(view, place, label))
    if not pairs:
        return
    # a column has one unit; a row may hold differences, percent and factors side by side
    kinds: dict[str, list[Record]] = {}
    for record in view.records:
        cell = record.cells[place]
        if cell.number is not None:
            kinds.setdefault(_kind(cell, label, record, pairs[0]), []).append(record)
    for kind, records in kinds.items():
        best: list[Check] = []
        for pair in pairs:
            for rule in _rules(kind, label):
                made = [c for r in records for c in _checked(view, r, place, pair, rule, kind)]
                if made and (not best or _held(made) > _held(best)):
                    best = made
        if not _held(best) and len(best) > 2:  # noqa: PLR2004
            continue  # nothing of it is the change that it could be: it is of something else
        if _held(best) * 2 >= len(best) or (_held(best) and len(best) < 5) or len(pairs) == 1:  # noqa: PLR2004
            yield from best


def _held(made: list[Check]) -> int:
    return sum(check.outcome != FAILS for check in made)


def _rules(kind: str, label: Label) -> tuple[Rule, ...]:
    rules = {
        "absolute": _ABSOLUTE,
        "percent": _RELATIVE,
        "factor": _FACTOR,
        "points": (*_RELATIVE, *_ABSOLUTE),
    }[kind]
    if label.signless:
        # "Improvement" of IOPS and of a latency have one sign in print and two in the numbers
        return (*(_size(rule) for rule in rules), *rules)
    return rules


def _kind(cell: Cell, label: Label, record: Record, pair: tuple[int, int]) -> str:
    own = [record.cells[place].unit for place in pair]
    percent = cell.unit == "%" or "%" in cell.text or ("%" in label.words and cell.unit is None)
    if percent:
        return "points" if own == ["%", "%"] else "percent"
    if cell.unit in {"x", "X", "times"} or "speedup" in label.words:
        return "factor"
    return "absolute"


def _pairs(view: View, place: int, label: Label) -> Iterator[tuple[int, int]]:
    """Which two a change can be of: those it names, those just before it, the first and last."""
    plain = [
        n
        for n in range(place)
        if view.numeric(n)
        and not view.labels[n].change
        and not view.labels[n].identity
        and not (view.by_rows and view.labels[n].aggregate in {"std", "range"})
    ]
    if not view.by_rows:
        start = max((n + 1 for n in range(place) if view.labels[n].change), default=0)
        near = [n for n in plain if n >= start]
        own = label.bare - {"%", "vs", "to", "over", "from"}
        named = [
            n
            for n in plain
            if own
            and own & view.labels[n].bare
            and view.labels[n].bare & own == own & _shared(view, plain)
        ]
        plain = near or plain
    else:
        named = _mentioned(view, plain, label)
        plain = _block(view, plain, place)
    options = []
    if len(named) == 2:  # noqa: PLR2004
        options.append((named[0], named[1]))
    if len(plain) > 1:
        options += [(plain[-2], plain[-1]), (plain[0], plain[-1])]
    if 2 < len(plain) <= 6:  # noqa: PLR2004
        options += list(combinations(plain, 2))
    yield from dict.fromkeys(options)


def _block(view: View, plain: list[int], place: int) -> list[int]:
    """The rows since the last change: each block of a table has its own."""
    start = max((n for n in range(place) if view.labels[n].change), default=-1)
    before = [n for n in plain if n > start]
    return before if len(before) > 1 else plain


def _shared(view: View, places: list[int]) -> frozenset[str]:
    return frozenset(w for place in places for w in view.labels[place].bare)


def _mentioned(view: View, places: list[int], label: Label) -> list[int]:
    said = set(words_of(label.text))
    return [n for n in places if view.labels[n].bare and view.labels[n].bare <= said]


def _checked(
    view: View, record: Record, place: int, pair: tuple[int, int], rule: Rule, kind: str
) -> Iterator[Check]:
    cell, numbers = record.cells[place], record.numbers(list(pair))
    if numbers is None or cell.number is None:
        return
    first, second = numbers
    if first.unit != second.unit:
        return
    try:
        result = rule(first, second)
    except (AnalysisError, NoNumberError, ZeroDivisionError):
        return
    if kind == "absolute" and cell.number.unit not in {None, result.unit}:
        return
    names = f"{view.labels[pair[0]].text} and {view.labels[pair[1]].text}"
    claim = replace(cell.number, unit=result.unit)
    sized = replace(cell, number=claim)
    kinds = {"absolute": "difference", "factor": "ratio"}
    name = f"Change between {names}"
    yield cell_check(view.grid, record, sized, kinds.get(kind, "percent_change"), name, result)
