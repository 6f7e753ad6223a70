"""What must stand in order or in proportion: minimum and maximum, percentiles, request sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.evaluate import NoNumberError, ratio
from perfkit.auditing.relations.found.check import Check, cell_check, place_of
from perfkit.auditing.relations.found.words import Label, label_of
from perfkit.auditing.relations.run import FAILS, HOLDS, ROUNDING
from perfkit.core.errors import AnalysisError

if TYPE_CHECKING:
    from perfkit.auditing.relations.found.grid import View

_RANK = re.compile(r"^p([1-9]\d(?:\.\d+)?)$")  # p1 is a pool or a port
_NTH = re.compile(r"^(\d+(?:\.\d+)?)th$")
_LOWEST, _HIGHEST = Fraction(-1), Fraction(101)
_ENDS = {"min": _LOWEST, "minimum": _LOWEST, "max": _HIGHEST, "maximum": _HIGHEST}
_MIDDLE = frozenset({"avg", "average", "mean"})
_PERCENTILE = frozenset({"percentile", "pct", "%"})


def orders(view: View) -> Iterator[Check]:
    """Minimum, percentiles and maximum of one quantity rise; its mean lies between the ends."""
    groups: dict[tuple[frozenset[str], str | None], list[tuple[Fraction | None, int]]] = {}
    for place, label in enumerate(view.labels):
        rank = _rank(label)
        if rank is not None and view.numeric(place) and not (view.by_rows and label.aggregate):
            groups.setdefault((rank[1], view.unit(place)), []).append((rank[0], place))
    for items in groups.values():
        ranked = sorted((rank, place) for rank, place in items if rank is not None)
        for (low, a), (high, b) in pairwise(ranked):
            if low < high:
                yield from _rising(view, a, b)
        ends = [p for r, p in ranked if r in {_LOWEST, _HIGHEST}]
        for middle in (place for rank, place in items if rank is None):
            for end in ends:
                low_end = (_LOWEST, end) in ranked
                yield from _rising(view, *((end, middle) if low_end else (middle, end)))


def _rank(label: Label) -> tuple[Fraction | None, frozenset[str]] | None:
    """Where in its distribution a label stands (None: the mean), and of which quantity it is."""
    for word in label.words:
        rest = frozenset(label.words) - {word} - _PERCENTILE
        if word in _ENDS:
            return _ENDS[word], rest
        if word in _MIDDLE:
            return None, rest
        if word == "median":
            return Fraction(50), rest
        match = _RANK.match(word) or _NTH.match(word)
        if match and not match[1].startswith("999"):
            return Fraction(match[1]), rest
    return None


def _rising(view: View, a: int, b: int) -> Iterator[Check]:
    for record in view.records:
        numbers = record.numbers([a, b])
        if numbers is None or numbers[0].unit != numbers[1].unit:
            continue
        low, high = numbers
        outcome = HOLDS if low.value <= high.value else FAILS
        if outcome == FAILS and low.around.meets(high.around):
            outcome = ROUNDING
        cell = record.cells[b]
        yield Check(
            "limit",
            f"{view.labels[a].text} is not above {view.labels[b].text}",
            cell.line,
            place_of(view.grid, cell),
            cell.text,
            f"{low.text} \u2264 {high.text}",
            outcome,
            high,
            low,
            cell.decimals,
            view.grid.name,
            cell.row,
            cell.column,
            recomputed=f"\u2265 {low.text}",
        )


_BLOCKS = tuple(1024 * n for n in (4, 8, 16, 32, 64, 128, 256, 512, 1024))
_RATES = {
    "MB/s": (10**6, 1024**2),
    "GB/s": (10**9, 1024**3),
    "MiB/s": (1024**2,),
    "GiB/s": (1024**3,),
    "KB/s": (1000, 1024),
}
_ROWS = 3


def requests(view: View) -> Iterator[Check]:
    """Throughput is IOPS by the size of a request, where one size fits nearly all rows."""
    if view.by_rows:
        return
    for a, label in enumerate(view.labels):
        if view.unit(a) != "IOPS" or label.change:
            continue
        for b, other in enumerate(view.labels):
            rest = frozenset(label.words) - {"io"}
            same = frozenset(other.words) - {"throughput", "mb", "gb", "mib", "gib"} == rest
            if same and view.unit(b) in _RATES:
                yield from _sized(view, a, b)


def _sized(view: View, a: int, b: int) -> Iterator[Check]:
    best: list[Check] = []
    top = 0
    for size in _BLOCKS:
        for unit in _RATES[str(view.unit(b))]:
            made = []
            for record in view.records:
                numbers = record.numbers([a, b])
                if numbers is None or not numbers[0].value:
                    continue
                factor = Fraction(size, unit)
                number = numbers[0]
                result = Number(
                    number.value * factor,
                    number.around.scaled(factor),
                    numbers[1].unit,
                    f"{number.text} \u00d7 {size // 1024} KiB",
                    "rate",
                    number.places,
                )
                name = f"{view.labels[b].text} at {size // 1024} KiB a request"
                made.append(cell_check(view.grid, record, record.cells[b], "product", name, result))
            held = sum(check.outcome != FAILS for check in made)
            if held >= _ROWS and 5 * held >= 3 * len(made) and held > top:
                best, top = made, held
    yield from best


_PER = re.compile(r"^(.+?)\s*(?:/|\bper\b)\s*(.+)$", re.I)


def ratios(view: View) -> Iterator[Check]:
    """A label "A per B" or "A/B" beside A and B."""
    for place, label in enumerate(view.labels):
        match = _PER.match(re.sub(r"[(\[].*?[)\]]|[Ii]/[Oo]|/s(?:ec)?\b", " ", label.text).strip())
        if not match or label.change:
            continue
        above = _whole(view, frozenset(label_of(match[1]).words), place)
        below = _whole(view, frozenset(label_of(match[2]).words), place)
        if above is not None and below is not None and above != below:
            yield from _divided(view, place, above, below)


def _whole(view: View, words: frozenset[str], but: int) -> int | None:
    loose = {"total", "number", "of", "count", "aggregate"}
    for n, label in enumerate(view.labels):
        own = frozenset(w.rstrip("s") for w in label.words if w not in loose)
        if n != but and words and own == frozenset(w.rstrip("s") for w in words):
            return n
    return None


def _divided(view: View, place: int, above: int, below: int) -> Iterator[Check]:
    made = []
    for record in view.records:
        cell, numbers = record.cells[place], record.numbers([above, below])
        if cell.number is None or numbers is None:
            continue
        try:
            result = ratio([replace(n, unit=None) for n in numbers])
        except (NoNumberError, AnalysisError):
            continue
        name = f"{view.labels[above].text} \u00f7 {view.labels[below].text}"
        made.append(
            cell_check(view.grid, record, cell, "ratio", name, replace(result, unit=cell.unit))
        )
    held = sum(check.outcome != FAILS for check in made)
    if 2 * held >= len(made):
        yield from made
