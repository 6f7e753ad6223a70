"""Pooling of what was measured apart: means by count, histograms by sum; steady state.

Percentiles are never averaged: histograms are summed, and the quantile is taken from the sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

V = TypeVar("V", int, float)
T = TypeVar("T")

SAMPLES_BEHIND = 10
"""Samples that must lie beyond a quantile for it to be more than the largest value or so."""

_DIGITS_OF_PERCENT = 9
"""0.999 * 100 must be the 99.9 that fio computed with, not a neighbour of it."""


def over_all(function: Callable[[Sequence[Any]], T], values: Sequence[Any]) -> T | None:
    """The function of the values; None where one is missing: of the others it would look whole."""
    return None if any(value is None for value in values) else function(values)


def ratio_of(above: float | None, below: float | None) -> float | None:
    """The ratio of two values; None where one is missing, or ``below`` is 0."""
    return None if above is None or not below else above / below


class Line(NamedTuple):
    """A least-squares line: its slope, and the squared distances of its places to their mean."""

    slope: float
    squares: float


def least_squares(values: Sequence[float]) -> Line:
    """The least-squares line through values at the places 0, 1, 2 ..."""
    middle = (len(values) - 1) / 2
    squares = math.fsum((x - middle) ** 2 for x in range(len(values)))
    return Line(math.fsum((x - middle) * y for x, y in enumerate(values)) / squares, squares)


def pooled_mean(parts: Iterable[tuple[int, float | None]]) -> float | None:
    """The mean of all samples from (count, mean) of the parts: sum(n_i * mean_i) / sum(n_i).

    Parts without samples do not count. None if there is no sample at all, or if a part has
    samples but no mean: the mean of the rest would be another quantity.
    """
    used = [(n, mean) for n, mean in parts if n > 0]
    means = [mean for _, mean in used if mean is not None]
    if not used or len(means) < len(used):
        return None
    if len(used) == 1:
        return means[0]
    total = sum(n for n, _ in used)
    return math.fsum(n * mean for (n, _), mean in zip(used, means, strict=True)) / total


def merge_histograms(histograms: Iterable[Iterable[tuple[V, int]]]) -> dict[V, int]:
    """The sum of histograms, bucket by bucket, in rising order of the bucket.

    A histogram is pairs of the value that stands for a bucket and its count; all must come from
    the same rule of buckets (all of fio's do).
    """
    merged: dict[V, int] = {}
    for histogram in histograms:
        for value, count in histogram:
            merged[value] = merged.get(value, 0) + count
    return dict(sorted(merged.items()))


def quantiles_from_histogram(
    values: Sequence[float], counts: Sequence[int], quantiles: Sequence[float]
) -> list[float | None]:
    """The values at or below which the given shares (0 < quantile <= 1) of the samples lie.

    ``values`` stand for the buckets and ``counts`` are their samples. A quantile is the first
    bucket at which the running count reaches quantile * n, with no interpolation inside the
    bucket: fio's own rule (stat.c, calc_clat_percentiles), so that the percentiles of one fio
    histogram come out as fio printed them. None for a histogram without samples.

    Raises ValueError for a quantile outside (0, 1].
    """
    for quantile in quantiles:
        if not 0 < quantile <= 1:
            raise ValueError(f"a quantile lies in (0, 1], and {quantile!r} does not")
    n = sum(counts)
    if n == 0:
        return [None] * len(quantiles)
    # fio compares with its percentage as a binary double (99.9 is a little more than 999/1000), in
    # higher precision: at round counts this decides which bucket is taken
    percents = [Fraction(round(quantile * 100, _DIGITS_OF_PERCENT)) for quantile in quantiles]
    wanted = sorted((math.ceil(percent * n / 100), place) for place, percent in enumerate(percents))
    found: list[float | None] = [None] * len(quantiles)
    running, done = 0, 0
    for value, count in sorted(zip(values, counts, strict=True)):
        running += count
        while done < len(wanted) and running >= wanted[done][0]:
            found[wanted[done][1]] = value
            done += 1
    return found


def enough_for_quantile(n: int, quantile: float) -> bool:
    """Whether n samples carry this quantile: at least 10 lie beyond it, n >= 10 / (1 - q)."""
    return n >= samples_needed(quantile)


def samples_needed(quantile: float) -> int:
    """The samples a quantile needs: 10 / (1 - q), so 10,000 for the 99.9th percentile."""
    beyond = Fraction(round(100 - quantile * 100, _DIGITS_OF_PERCENT)).limit_denominator(10**9)
    if beyond <= 0:
        return SAMPLES_BEHIND
    return math.ceil(SAMPLES_BEHIND * 100 / beyond)


STEADY_WINDOW = 5
STEADY_RANGE = 0.20
STEADY_SLOPE = 0.10


@dataclass(frozen=True)
class SteadyWindow:
    """A window of rounds against the rule for steady state; ratios are of the window's mean.

    ``range_ratio`` is maximum minus minimum; ``slope_ratio`` how far the best-fit line moves
    from the first round of the window to the last, without its sign.
    """

    first: int
    last: int
    mean: float
    range_ratio: float
    slope_ratio: float

    @property
    def attained(self) -> bool:
        """Whether both limits are kept."""
        return self.range_ratio <= STEADY_RANGE and self.slope_ratio <= STEADY_SLOPE


def steady_window(values: Sequence[float]) -> SteadyWindow | None:
    """The last rounds against the rule; None while there are fewer than a window.

    Rounds count from 1. SNIA Solid State Storage Performance Test Specification 2.0.2: in a window
    of five rounds, maximum minus minimum is at most 20% of the mean, and the excursion of the
    least-squares line over the window at most 10% of the mean.
    """
    if len(values) < STEADY_WINDOW:
        return None
    last = [float(value) for value in values[-STEADY_WINDOW:]]
    mean = math.fsum(last) / STEADY_WINDOW
    if mean <= 0:
        return None
    return SteadyWindow(
        first=len(values) - STEADY_WINDOW + 1,
        last=len(values),
        mean=mean,
        range_ratio=(max(last) - min(last)) / mean,
        slope_ratio=abs(least_squares(last).slope) * (STEADY_WINDOW - 1) / mean,
    )


ENOUGH_S = 100.0
"""From so long a total on, its printed rounding (half a second at worst) is 0.5% or less."""

FINE = 0.005
"""A printed mean whose rounding is at most this share of it is taken."""

_HALF_MS = 0.0005


def mean_wait(total_s: float | None, waits: float | None, printed_s: float | None) -> float | None:
    """The mean wait in seconds: total / waits; of a total below 100 s the printed mean.

    Totals are printed in whole seconds, and up to 11.2 means in whole milliseconds. Null where
    both are too coarse: a mean of 0 ms is not no time.
    """
    if total_s is not None and waits and total_s >= ENOUGH_S:
        return float(total_s / waits)
    if not printed_s:
        return None
    fine = printed_s * 1000 != round(printed_s * 1000) or FINE * printed_s >= _HALF_MS
    return float(printed_s) if fine else None


def spans(values: Iterable[int]) -> list[tuple[int, int]]:
    """Numbers as runs without gaps: {1, 2, 3, 7} is [(1, 3), (7, 7)]."""
    found: list[tuple[int, int]] = []
    for value in sorted(values):
        if found and value == found[-1][1] + 1:
            found[-1] = (found[-1][0], value)
        else:
            found.append((value, value))
    return found
