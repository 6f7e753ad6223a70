"""The levels of one history, the runs that are held against each other, and the change between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from perfkit.analysis.curves.metrics import METRICS
from perfkit.analysis.curves.questions import CURVE_QUESTIONS
from perfkit.analysis.trend.recorded import FactChange, fact_changes
from perfkit.analysis.trend.shape import Shape, shape_of
from perfkit.core.intervals import EQUAL_ON_LOGS, LEVEL, Side, change_intervals
from perfkit.core.schema import Row

LATEST = 7
"""Where no level is the last, so many runs are the latest: a week of nightly ones."""

FEWEST_COMPARED = 2
"""An interval needs so many runs on each side."""

_EXACT = 3
"""From so many runs on a level whose runs do not differ has no spread."""

MOST_MORE = 1000
"""A verdict that takes more runs than these is out of reach."""

Verdict = Literal["regression", "improvement", "no change", "undecided"]


@dataclass(frozen=True)
class Change:
    """A ratio with its interval (None: there is none), over so many runs on both sides."""

    ratio: float
    low: float | None
    high: float | None
    after: tuple[float, ...]
    before: tuple[float, ...]

    def verdict(self, margin: float, worse: int) -> Verdict:
        """By the whole interval: beyond the margin, or within it on both sides.

        ``worse`` is 1 where more is worse, -1 where less is.
        """
        if self.low is None or self.high is None:
            return "undecided"
        if self.low > 1 + margin or self.high < 1 - margin:
            return "regression" if (self.ratio > 1) == (worse > 0) else "improvement"
        within = 1 - margin <= self.low and self.high <= 1 + margin
        return "no change" if within else "undecided"

    def more_runs(self, margin: float) -> int | None:
        """About how many more runs a verdict takes, if they are as the latest; None: too many.

        With so many the interval (Welch's) would end at the nearer side of the margin.
        """
        from scipy.special import stdtrit

        if self.low is None:
            return None
        room = abs(math.log1p(margin) - abs(math.log(self.ratio)))
        after, before = map(_variance, (self.after, self.before))
        n, others = len(self.after), len(self.before)
        for more in range(1, MOST_MORE + 1):
            parts = after / (n + more), before / others
            ways = parts[0] ** 2 / (n + more - 1), parts[1] ** 2 / (others - 1)
            freedom = sum(parts) ** 2 / sum(ways) if any(ways) else math.inf
            if float(stdtrit(freedom, (1 + LEVEL) / 2)) * math.sqrt(sum(parts)) < room:
                return more
        return None


def _variance(values: Sequence[float]) -> float:
    logs = [math.log(value) for value in values]
    middle = math.fsum(logs) / len(logs)
    return math.fsum((value - middle) ** 2 for value in logs) / (len(logs) - 1)


def change_between(after: Sequence[float], before: Sequence[float]) -> Change:
    """The ratio of the geometric means, with the interval that a comparison has."""
    sides = Side(mean(after), tuple(after)), Side(mean(before), tuple(before))
    same = math.isclose(sides[0].value, sides[1].value, rel_tol=EQUAL_ON_LOGS)
    ratio = 1.0 if same else sides[0].value / sides[1].value
    enough = min(len(after), len(before)) >= FEWEST_COMPARED
    ends = change_intervals([sides])[0] if enough else None
    if ends is None and min(len(after), len(before)) >= _EXACT and _equal(after) and _equal(before):
        ends = (ratio, ratio)
    low, high = ends or (None, None)
    return Change(ratio, low, high, tuple(after), tuple(before))


def _equal(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= EQUAL_ON_LOGS * max(values)


def mean(values: Sequence[float]) -> float:
    """The geometric mean."""
    return math.exp(math.fsum(map(math.log, values)) / len(values))


@dataclass(frozen=True)
class History:
    """The runs of one history in the order of their times."""

    name: str
    runs: tuple[Row, ...]

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Their values, in the unit of the history."""
        return tuple(row["value"] for row in self.runs)

    @cached_property
    def shape(self) -> Shape:
        """Its levels, of the logarithms of its values."""
        return shape_of([math.log(v) for v in self.values], [row["time"] for row in self.runs])

    @property
    def worse(self) -> int | None:
        """1 where more of its metric is worse, -1 where less is; None where nothing says so."""
        return worse_of(*(self.runs[0][name] for name in ("question", "metric", "unit")))

    @cached_property
    def facts(self) -> list[FactChange]:
        """The recorded facts that changed from one run to the next."""
        return fact_changes([row["facts"] for row in self.runs])

    @cached_property
    def split(self) -> Split:
        """The runs that are judged, and those that they are held against."""
        n, starts = len(self.runs), self.shape.starts
        last = starts[-1]
        baseline = tuple(i for i, row in enumerate(self.runs) if row["baseline"])
        few = min(LATEST, n // 2)
        if baseline:
            later = tuple(i for i in range(max(last, baseline[-1] + 1), n))
            shift = last if later and last > baseline[-1] else None
            return Split(later, baseline, "baseline", shift)
        if last:
            begin, end = self._before_shifts()
            by: Against = "before the shift" if end == last else "before the shifts"
            return Split(tuple(range(last, n)), tuple(range(begin, end)), by, last)
        if self.shape.kind == "drift":
            return Split(tuple(range(n - few, n)), tuple(range(few)), "first runs")
        return Split(tuple(range(n - few, n)), tuple(range(n - few)), "earlier runs")

    def _before_shifts(self) -> tuple[int, int]:
        """Where the level begins and ends that the last is held against.

        What fell in two steps is held against what was before the first: the runs between are
        part of the fall, and few.
        """
        shape = self.shape
        levels = [shape.fitted[start] - shape.beside[start] for start in shape.starts]
        steps = [after > before for before, after in pairwise(levels)]
        first = len(steps) - 1
        while first and steps[first - 1] == steps[-1]:
            first -= 1
        return shape.starts[first], shape.starts[first + 1]


def worse_of(question: str, metric: str, unit: str) -> int | None:
    """1 where more is worse, -1 where less is; None where nothing says so.

    Less of a time is better. More of a rate is better where a load was offered to be served; the
    rate of a database is what it was asked for.
    """
    quantity = METRICS[metric].quantity if metric in METRICS else None
    if quantity in {"rate", "rate of bytes"}:
        return -1 if question in CURVE_QUESTIONS else None
    return 1 if quantity == "time" or (quantity is None and unit == "s") else None


Against = Literal["baseline", "before the shift", "before the shifts", "first runs", "earlier runs"]


@dataclass(frozen=True)
class Split:
    """Places of the latest runs and of those that they are held against.

    ``shift`` is the place of the shift between them, where that is why they were chosen.
    """

    latest: tuple[int, ...]
    against: tuple[int, ...]
    by: Against
    shift: int | None = None
