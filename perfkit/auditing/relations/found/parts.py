"""Parts and their total: read + write, user + system, used + free; and shares of 100%."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from perfkit.auditing.relations.cells import Number, places_of
from perfkit.auditing.relations.found.check import Check, cell_check
from perfkit.auditing.relations.found.words import Label, label_of
from perfkit.auditing.relations.interval import point
from perfkit.auditing.relations.run import FAILS
from perfkit.core.errors import AnalysisError

if TYPE_CHECKING:
    from perfkit.auditing.relations.found.grid import View

PARTITIONS = (
    ("read", "write"),
    ("user", "system"),
    ("used", "free"),
    ("hit", "miss"),
    ("hits", "misses"),
    ("rx", "tx"),
    ("received", "sent"),
    ("inbound", "outbound"),
    ("select", "update"),
)
"""Pairs that are all there is of a quantity."""

_WHOLE = frozenset({"total", "sum", "combined", "aggregate", "overall", "all", "cumulative"})
_LOOSE = frozenset({"io", "count", "number", "value"})
_OTHER = frozenset({"other", "others", "misc", "metadata"})


def parts(view: View) -> Iterator[Check]:
    """Each total of two parts, and shares of two parts that make 100%."""
    for first, second in PARTITIONS:
        for a, label in enumerate(view.labels):
            if first not in label.words or (second in label.words):
                continue
            rest = _rest(label, first)
            for b, other in enumerate(view.labels):
                if (
                    second in other.words
                    and first not in other.words
                    and _rest(other, second) == rest
                ):
                    yield from _pair(view, a, b, rest, (first, second))
                    break


def _rest(label: Label, part: str) -> frozenset[str]:
    return frozenset(label.words) - {part}


def _pair(
    view: View, a: int, b: int, rest: frozenset[str], names: tuple[str, str]
) -> Iterator[Check]:
    label = view.labels[a]
    if label.aggregate or label.change:
        return
    if "%" in rest or (view.unit(a) == "%" and view.unit(b) == "%"):
        yield from _hundred(view, a, b)
        return
    if not label.added or not view.labels[b].added:
        return
    whole = _total(view, rest, names)
    if whole is None:
        return
    place, sure = whole
    extra = [
        n
        for n, o in enumerate(view.labels)
        if _OTHER & set(o.words) and o.bare - _OTHER - _LOOSE <= rest - _LOOSE
    ]
    made = _best([_sums(view, [a, b], place), _sums(view, [a, b, *extra], place)])
    held = sum(check.outcome != FAILS for check in made)
    if sure or 3 * held >= 2 * len(made) > 2:  # noqa: PLR2004
        yield from made


def _best(options: list[list[Check]]) -> list[Check]:
    return max(options, key=lambda made: sum(check.outcome != FAILS for check in made))


def _total(view: View, rest: frozenset[str], names: tuple[str, str]) -> tuple[int, bool] | None:
    """The place of the total, and whether its label says that it is one."""
    unsaid = loose = None
    wanted = rest - _LOOSE
    for n, label in enumerate(view.labels):
        words = set(label.words)
        both = set(names) <= words
        if (words & set(names) and not both) or label.change or not view.numeric(n):
            continue
        own = frozenset(words - _WHOLE - set(names)) - _LOOSE
        if words & _WHOLE or both:
            if own == wanted and bool(words & _LOOSE) >= bool(rest & _LOOSE):
                return n, True
            # "Physical reads, physical writes" and "Total IO": the total says less
            if loose is None and own < wanted and (own or words & _LOOSE):
                loose = n
        elif words and frozenset(words) == rest:
            unsaid = n
    if loose is not None:
        return loose, True
    return None if unsaid is None else (unsaid, False)


def _sums(view: View, places: list[int], total: int) -> list[Check]:
    made = []
    for record in view.records:
        cell, numbers = record.cells[total], record.numbers(places)
        if cell.number is None or numbers is None or not _adds(label_of(record.name)):
            continue
        try:
            same = [item.to(cell.number.unit) for item in numbers]
        except AnalysisError:
            continue
        result = Number(
            sum((n.value for n in same), Fraction(0)),
            reduce(lambda x, y: x + y, (n.around for n in same)),
            cell.number.unit,
            " + ".join(n.text for n in same),
            "sum",
            places_of(same),
        )
        name = f"{' + '.join(view.labels[p].text for p in places)} = {view.labels[total].text}"
        made.append(cell_check(view.grid, record, cell, "sum", name, result))
    return made


def _adds(record: Label) -> bool:
    """Not in a row of minima or deviations: the least total is not the sum of the least parts."""
    return record.aggregate in {None, "sum", "mean"} and not ("%" in record.words and record.change)


def _hundred(view: View, a: int, b: int) -> Iterator[Check]:
    """Two shares that make 100%, where they do in most records."""
    made = []
    for record in view.records:
        numbers = record.numbers([a, b])
        if numbers is None:
            continue
        first, second = numbers
        whole = Number(Fraction(100), point(Fraction(100)), second.unit, "100", "all")
        result = replace(
            whole,
            value=whole.value - first.value,
            around=whole.around - first.around,
            text=f"100 \u2212 {first.text}",
            places=first.places,
        )
        name = f"{view.labels[a].text} and {view.labels[b].text} make 100%"
        made.append(cell_check(view.grid, record, record.cells[b], "difference", name, result))
    held = sum(check.outcome != FAILS for check in made)
    if 3 * held >= 2 * len(made) > 2:  # noqa: PLR2004
        yield from made
