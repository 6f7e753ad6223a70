"""Equivalence by two one-sided tests: "no change" has to be shown, not merely not refuted.

Schuirmann's procedure (J. Pharmacokin. Biopharm. 15, 1987): a change is equivalent to none at
level alpha when it is significantly above -margin and significantly below +margin; the same as its
1 - 2 alpha interval lying inside the margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

FEWEST = 4
"""Below so many points a line leaves less than two degrees of freedom."""

CONTENT = 0.90
"""The share of runs that the range speaks of."""

Finding = Literal["equivalent", "changed", "not shown"]


class Tost(NamedTuple):
    """An estimate with its 1 - 2 alpha interval and the larger of the two one-sided p values."""

    estimate: float
    low: float
    high: float
    p: float

    def finding(self, margin: float, alpha: float) -> Finding:
        """Equivalent; changed, where the whole interval lies outside the margin; or neither."""
        if self.p < alpha:
            return "equivalent"
        outside = self.low > margin or self.high < -margin
        return "changed" if outside else "not shown"


def _tost(estimate: float, error: float, freedom: float, margin: float, alpha: float) -> Tost:
    # scipy.stats would give the same, and takes a second more to import
    from scipy.special import stdtr, stdtrit

    if error == 0:  # no spread at all: the estimate is exact
        return Tost(estimate, estimate, estimate, 0.0 if abs(estimate) < margin else 1.0)
    half = float(stdtrit(freedom, 1 - alpha)) * error
    above = float(stdtr(freedom, -(estimate + margin) / error))
    below = float(stdtr(freedom, (estimate - margin) / error))
    return Tost(estimate, estimate - half, estimate + half, max(above, below))


def change_over(x: Sequence[float], y: Sequence[float], margin: float, alpha: float) -> Tost:
    """The change of y over the whole span of x: slope of the least-squares line times the span.

    t with n - 2 degrees of freedom. Raises ValueError below four points or where x does not vary.
    """
    n = len(x)
    mean_x, mean_y = math.fsum(x) / n, math.fsum(y) / n
    spread = math.fsum((a - mean_x) ** 2 for a in x)
    if n < FEWEST or spread == 0:
        raise ValueError("a slope needs four points or more over different loads")
    slope = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    rest = math.fsum(
        (b - mean_y - slope * (a - mean_x)) ** 2 for a, b in zip(x, y, strict=True)
    )  # fmt: skip
    span = max(x) - min(x)
    error = math.sqrt(rest / (n - 2) / spread) * span
    return _tost(slope * span, error, n - 2, margin, alpha)


def difference(a: Sequence[float], b: Sequence[float], margin: float, alpha: float) -> Tost:
    """The mean of a minus the mean of b, by Welch's t: variances need not be equal.

    Raises ValueError with less than two values on a side.
    """
    if min(len(a), len(b)) < 2:  # noqa: PLR2004
        raise ValueError("a difference of means needs two values or more on each side")
    (mean_a, part_a), (mean_b, part_b) = _mean_error(a), _mean_error(b)
    error = part_a + part_b
    if error == 0:
        return _tost(mean_a - mean_b, 0.0, 1, margin, alpha)
    freedom = error**2 / (part_a**2 / (len(a) - 1) + part_b**2 / (len(b) - 1))
    return _tost(mean_a - mean_b, math.sqrt(error), freedom, margin, alpha)


def _mean_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and the square of its standard error."""
    n = len(values)
    mean = math.fsum(values) / n
    return mean, math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n


class Range(NamedTuple):
    """The limits that hold a share of the runs, each one-sided at 1 - alpha, and the p value."""

    low: float
    high: float
    p: float


def tolerance_range(
    values: Sequence[float], level: float, margin: float, alpha: float, content: float = CONTENT
) -> Range:
    """Normal one-sided tolerance limits of ``content`` of the values, against level ± margin.

    mean ± k s with k = t'(n - 1, z sqrt(n); 1 - alpha) / sqrt(n), t' the noncentral t (Hahn and
    Meeker, Statistical Intervals, section 4.6). p is that of the two one-sided hypotheses that the
    upper (lower) ``content`` quantile lies outside the margin. Where the level is the mean of the
    same values, the test is conservative.

    Raises ValueError below four values.
    """
    from scipy.special import nctdtr, nctdtrit, ndtri

    n = len(values)
    if n < FEWEST:
        raise ValueError("a range needs four values or more")
    mean, part = _mean_error(values)
    spread = math.sqrt(part * n)
    if spread == 0:
        return Range(mean, mean, 0.0 if abs(mean - level) < margin else 1.0)
    shift = float(ndtri(content)) * math.sqrt(n)
    reach = float(nctdtrit(n - 1, shift, 1 - alpha)) / math.sqrt(n) * spread
    rooms = (level + margin - mean, mean - (level - margin))
    p = max(1 - float(nctdtr(n - 1, shift, room * math.sqrt(n) / spread)) for room in rooms)
    return Range(mean - reach, mean + reach, p)
