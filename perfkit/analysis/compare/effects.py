"""How large a difference between two groups of repeats is: a ratio, and its interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from perfkit.errors import AnalysisError, did_you_mean

Method = Literal["welch", "bootstrap"]

CONFIDENCE = 0.95
RESAMPLES = 10_000
NO_INTERVAL = "one repeat: no interval"
FEW_REPEATS = "two repeats: few degrees of freedom"
NO_SPREAD = "repeats without spread: no interval"
FEWEST = 2


@dataclass(frozen=True)
class Effect:
    """The ratio of two quantities, contender / baseline.

    Attributes:
        ratio: exp of the difference of the mean logarithms, which is the ratio of the geometric
            means.
        low: Lower end of its two-sided interval; None where there is none.
        high: Upper end.
        mark: Why there is no interval, or why it is to be read with care; None for neither.
    """

    ratio: float
    low: float | None
    high: float | None
    mark: str | None


def geometric_mean(values: Sequence[float]) -> float:
    """exp(mean(log(values))), the centre that belongs to intervals on logarithms.

    Raises AnalysisError for a value that has no logarithm: 0, below 0, or not finite.
    """
    logs = _logs(values)
    # one value is itself, and not its neighbour after a logarithm and back
    return values[0] if len(set(values)) == 1 else math.exp(_mean(logs))


def effect(
    baseline: Sequence[float], contender: Sequence[float], *, method: Method = "welch",
    confidence: float = CONFIDENCE, seed: int = 1,
) -> Effect:  # fmt: skip
    """The ratio contender / baseline over independent repeats, with its interval.

    - "welch": Welch's t on logarithms: degrees of freedom after Welch and Satterthwaite
      (B. L. Welch, "The generalization of 'Student's' problem when several different population
      variances are involved", Biometrika 34, 1947). Multiplicative spread, which is how throughput
      and latency vary from repeat to repeat, is additive on logarithms.
    - "bootstrap": percentiles of 10,000 resamples of each group (B. Efron, "Bootstrap methods:
      another look at the jackknife", Annals of Statistics 7, 1979), from ``seed``. It is too
      narrow for few repeats; a choice, never the default.

    With one repeat in either group there is no interval. Two give one that is marked.

    Raises AnalysisError for no values, a value of 0 or below, or an unknown method.
    """
    if method not in _METHODS:
        raise AnalysisError(f"no method {method!r}; {did_you_mean(method, list(_METHODS))}")
    if not baseline or not contender:
        raise AnalysisError("a ratio needs one value or more on both sides")
    a, b = _logs(baseline), _logs(contender)
    ratio = math.exp(_mean(b) - _mean(a))
    fewest = min(len(a), len(b))
    if fewest < FEWEST:
        return Effect(ratio, None, None, NO_INTERVAL)
    if _variance(a) == 0 and _variance(b) == 0:
        return Effect(ratio, None, None, NO_SPREAD)
    low, high = _METHODS[method](a, b, confidence, seed)
    mark = FEW_REPEATS if fewest == FEWEST else None
    return Effect(ratio, math.exp(low), math.exp(high), mark)


def _welch(
    a: Sequence[float], b: Sequence[float], confidence: float, _seed: int
) -> tuple[float, float]:
    # scipy.stats would give the same quantile, and takes a second more to import
    from scipy.special import stdtrit

    va, vb = _variance(a) / len(a), _variance(b) / len(b)
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * math.sqrt(va + vb)
    middle = _mean(b) - _mean(a)
    return middle - half, middle + half


def _bootstrap(
    a: Sequence[float], b: Sequence[float], confidence: float, seed: int
) -> tuple[float, float]:
    import numpy as np

    draw = np.random.default_rng(seed)
    means = [
        draw.choice(np.asarray(group), size=(RESAMPLES, len(group))).mean(axis=1)
        for group in (a, b)
    ]
    ends = np.quantile(means[1] - means[0], [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(ends[0]), float(ends[1])


_METHODS: dict[
    str, Callable[[Sequence[float], Sequence[float], float, int], tuple[float, float]]
] = {"welch": _welch, "bootstrap": _bootstrap}


def _logs(values: Sequence[float]) -> list[float]:
    for value in values:
        if not (value > 0 and math.isfinite(value)):
            raise AnalysisError(f"a ratio needs finite values above 0, and one is {value!r}")
    return [math.log(value) for value in values]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    found = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    # equal values differ from their own mean by the rounding of a double
    return found if found > (1e-15 * max(1.0, abs(mean))) ** 2 else 0.0
