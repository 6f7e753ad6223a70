"""Equivalence by two one-sided tests: "no change" has to be shown, not merely not refuted.

Schuirmann's procedure (J. Pharmacokin. Biopharm. 15, 1987): a change is equivalent to none at
level alpha when it is significantly above -margin and significantly below +margin; the same as its
1 - 2 alpha interval lying inside the margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

FEWEST = 4
"""With fewer points a line leaves less than two degrees of freedom."""

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
        return "changed" if self.at_least > margin else "not shown"

    @property
    def at_most(self) -> float:
        """The end of the interval that lies further from no change."""
        return max(abs(self.low), abs(self.high))

    @property
    def at_least(self) -> float:
        """How far the whole interval lies from no change; below 0 where it holds it."""
        return max(self.low, -self.high)


def _tost(estimate: float, error: float, freedom: float, margin: float, alpha: float) -> Tost:
    # scipy.stats would give the same, and takes a second more to import
    from scipy.special import stdtr, stdtrit

    if error == 0:  # no spread at all: the estimate is exact
        return Tost(estimate, estimate, estimate, 0.0 if abs(estimate) < margin else 1.0)
    half = float(stdtrit(freedom, 1 - alpha)) * error
    above = float(stdtr(freedom, -(estimate + margin) / error))
    below = float(stdtr(freedom, (estimate - margin) / error))
    return Tost(estimate, estimate - half, estimate + half, max(above, below))


CORRELATIONS = tuple(step / 20 for step in range(20))
"""How alike neighbouring runs may be: correlations of an autoregressive process of order one."""

INDEPENDENT = (0.0,)

LINE = "by lines weighed over how alike neighbouring runs may be, not by plain least squares"
"""How ``change_over`` estimates, in words for a sentence."""

_ALIKE = 0.75
"""How fast the weight of a correlation grows towards 1, see ``change_over``."""


def change_over(
    x: Sequence[float],
    y: Sequence[float],
    margin: float,
    alpha: float,
    correlations: Sequence[float] = CORRELATIONS,
) -> Tost:
    """The change of y over the whole span of x: slope of the line times the span.

    Neighbouring runs (in the order given) may be alike, and nobody knows by how much. The slope is
    that of generalised least squares for errors of an autoregressive process of order one, its
    distribution Student's t with n - 2 degrees of freedom; both are weighed over ``correlations``
    by their restricted likelihood (Harville, Biometrika 61, 1974), and before by
    (1 - correlation) ** -0.75: a few runs look less alike than they are. Of the weights tried this
    one is the lightest that keeps false claims below 6% up to a correlation of 0.8. With
    ``INDEPENDENT`` it is the least-squares slope with its t.

    Raises ValueError below four points or where x does not vary.
    """
    import numpy as np

    n = len(x)
    if n < FEWEST or min(x) == max(x):
        raise ValueError("a slope needs four points or more over different loads")
    span = max(x) - min(x)
    place = (np.asarray(x, dtype=float) - math.fsum(x) / n) / span
    values = np.asarray(y, dtype=float)
    scale = float(np.max(np.abs(values - values.mean()))) or 1.0
    lines = [_line(place, (values - values.mean()) / scale, each) for each in correlations]
    # a perfect line has only rounding errors: these are not a spread
    if any(line.rest <= _ROUNDING * n for line in lines):
        return _tost(lines[0].slope * scale, 0.0, n - 2, margin, alpha)
    highest = max(line.likelihood for line in lines)
    weights = [math.exp(line.likelihood - highest) for line in lines]
    mixed = _Mixed(
        np.array([line.slope for line in lines]) * scale,
        np.array([line.error for line in lines]) * scale,
        np.array(weights) / math.fsum(weights),
        n - 2,
    )
    return Tost(
        mixed.centre,
        mixed.quantile(alpha),
        mixed.quantile(1 - alpha),
        max(mixed.below(-margin), 1 - mixed.below(margin)),
    )


_ROUNDING = 1e-24


class _Line(NamedTuple):
    """A line for one correlation: slope, its error, what is left, and its weight as a logarithm."""

    slope: float
    error: float
    rest: float
    likelihood: float


def _line(x: Any, y: Any, correlation: float) -> _Line:
    """Generalised least squares by the transformation of Prais and Winsten."""
    import numpy as np

    n = len(x)
    design = np.column_stack([np.ones(n), x])
    first = math.sqrt(1 - correlation**2)

    def white(values: Any) -> Any:
        return np.concatenate([values[:1] * first, values[1:] - correlation * values[:-1]])

    moved, aim = white(design), white(y)
    normal = moved.T @ moved
    line = np.linalg.solve(normal, moved.T @ aim)
    rest = float(np.sum((aim - moved @ line) ** 2))
    error = math.sqrt(rest / (n - 2) * float(np.linalg.inv(normal)[1, 1]))
    likelihood = (
        math.log(first)
        - _ALIKE * math.log1p(-correlation)
        - math.log(float(np.linalg.det(normal))) / 2
        - (n - 2) / 2 * math.log(max(rest, 1e-300))
    )
    return _Line(float(line[1]), error, rest, likelihood)


class _Mixed(NamedTuple):
    """Student's t distributions (arrays: centre, error and weight of each)."""

    centres: Any
    errors: Any
    weights: Any
    freedom: int

    @property
    def centre(self) -> float:
        """The mean."""
        return float(self.weights @ self.centres)

    def below(self, value: float) -> float:
        """The probability of less than a value."""
        from scipy.special import stdtr

        return float(self.weights @ stdtr(self.freedom, (value - self.centres) / self.errors))

    def quantile(self, share: float) -> float:
        """The value below which a share lies, by bisection between those of the parts."""
        from scipy.special import stdtrit

        ends = self.centres + float(stdtrit(self.freedom, share)) * self.errors
        low, high = float(ends.min()), float(ends.max())
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.below(middle) < share else (low, middle)
        return (low + high) / 2


_HALVINGS = 60


def difference(a: Sequence[float], b: Sequence[float], margin: float, alpha: float) -> Tost:
    """The mean of a minus the mean of b, by Welch's t: variances need not be equal.

    Raises ValueError with less than two values on a side.
    """
    if min(len(a), len(b)) <= 1:
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


def tolerance_range(values: Sequence[float], level: float, margin: float, alpha: float) -> Range:
    """Normal one-sided tolerance limits of ``CONTENT`` of the values, against level ± margin.

    mean ± k s with k = t'(n - 1, z sqrt(n); 1 - alpha) / sqrt(n), t' the noncentral t (Hahn and
    Meeker, Statistical Intervals, section 4.6). p is that of the two one-sided hypotheses that the
    upper (lower) ``CONTENT`` quantile lies outside the margin. Where the level is the mean of the
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
    shift = float(ndtri(CONTENT)) * math.sqrt(n)
    reach = float(nctdtrit(n - 1, shift, 1 - alpha)) / math.sqrt(n) * spread
    rooms = (level + margin - mean, mean - (level - margin))
    p = max(1 - float(nctdtr(n - 1, shift, room * math.sqrt(n) / spread)) for room in rooms)
    return Range(mean - reach, mean + reach, p)
