"""How sure an answer over repeats is: intervals on the log scale, of answers, peaks and changes.

Throughput and latency spread by a share of their size, and they are never negative: so the interval
stands on the logarithm, where the spread is the same at 10,000 IOPS and at 400,000. Repeats count
as independent of each other; where they show that they are not, a caution says so. Rounds are no
blocks: nothing declares them before a run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

LEVEL = 0.95
ONE, TWO = 1, 2

WIDE = 0.4
"""A standard deviation of logarithms from which the shape of the spread decides: at 1 an interval
of 95% covers 91 to 94%, and says so."""

_LEAST_SKEWED = 0.02
"""Below this spread an uneven one comes from digits cut off, and moves nothing."""

_SKEW_99 = {
    3: 0.7070, 4: 1.1377, 5: 1.3973, 6: 1.5298, 8: 1.6078, 10: 1.5773, 15: 1.4371, 20: 1.3094,
    30: 1.1133,
}  # fmt: skip
"""Repeats -> the skewness without its sign that one sample of the normal distribution in 100
exceeds (10^6 samples each; tests/bench repeats them)."""

_NEUMANN_5 = {
    5: 0.8210, 6: 0.8916, 8: 0.9822, 10: 1.0636, 15: 1.2053, 20: 1.2994, 30: 1.4197,
}  # fmt: skip
"""Repeats -> the von Neumann ratio (squared steps from one to the next, over squared deviations)
that five samples in 100 without order fall below."""

FEWEST_IN_ORDER = min(_NEUMANN_5)
"""Fewer repeats have too few orders to test whether they depend on each other."""

SURELY_BELOW = 0.999
"""With this confidence a load point is out of the choice of the highest."""

EQUAL_ON_LOGS = 1e-12
"""Repeats that differ by no more than this share of their value are equal: the rest is rounding."""

_TOO_UNEVEN = {1: (1.0, 0.5), 2: (2.0, 0.3)}
"""Degrees of freedom of the smaller side (at most 2) -> how often the scatter that chance gives the
logarithms of variances must be exceeded for them to differ, and the share of its expected tail
below which a variance stands out.

Chosen by simulation (tests/bench): with 1 and 1 at three repeats an even spread of 3% leaves 72%
of +10% found. Two repeats say so little of their spread that they are trusted less.
"""

_STANDS_OUT = 3
"""An outlying variance is pooled as if there were at most this many more like it."""

FARTHEST_ON_LOGS = 100.0
"""An interval that would reach further than exp(100) times its value is left out."""

_FLOOR = 1e-3
"""A variance below this share of the mean one is of values that were cut to few digits."""


class Interval(NamedTuple):
    """A value over ``n`` repeats with its two-sided confidence interval; None for none."""

    mean: float
    low: float | None
    high: float | None
    n: int


def answer_interval(
    estimate: float, answers: Sequence[float], confidence: float = LEVEL
) -> Interval:
    """The interval of an answer, from the answers that its repeats give each for itself.

    estimate * exp(± t(n - 1, (1 + confidence) / 2) * s / sqrt(n)), with s the standard deviation
    of the logarithms: Student's t for the logarithm, by the delta method that of the value. No
    interval (low and high None) of fewer than two repeats, of a value that is not above 0, of
    repeats that do not differ, and where its ends are too far apart for a number. ``doubts`` tells
    where it may be too narrow.
    """
    n = len(answers)
    none = Interval(estimate, None, None, n)
    if n <= ONE or not all(value > 0 for value in (estimate, *answers)):
        return none
    half = _quantile(n - 1, (1 + confidence) / 2) * _spread(answers) / math.sqrt(n)
    if not 0 < half <= FARTHEST_ON_LOGS:
        return none
    return Interval(estimate, estimate * math.exp(-half), estimate * math.exp(half), n)


def doubts(answers: Sequence[float]) -> tuple[str, ...]:
    """What repeats above 0 say against their interval, as names of cautions.

    "two_repeats"; "skewed_repeats": their logarithms spread by 0.4 or more, or more to one side
    than chance gives one sample in a hundred; "autocorrelated": neighbours are more alike than
    chance gives five samples in a hundred, from five repeats on.
    """
    logs = [math.log(value) for value in answers]
    found = {
        "two_repeats": len(logs) == TWO,
        "skewed_repeats": _skewed(logs),
        "autocorrelated": _in_order(logs),
    }
    return tuple(name for name, holds in found.items() if holds)


def _skewed(logs: Sequence[float]) -> bool:
    """Whether the logarithms spread widely, or more to one side than chance would have it."""
    if len(logs) < TWO:
        return False
    n, mean = len(logs), math.fsum(logs) / len(logs)
    second = math.fsum((x - mean) ** 2 for x in logs)
    spread = math.sqrt(second / (n - 1))
    if spread >= WIDE or n <= TWO or spread < _LEAST_SKEWED:
        return spread >= WIDE
    third = math.fsum((x - mean) ** 3 for x in logs)
    return bool(abs(third) / n / (second / n) ** 1.5 > _between(_SKEW_99, n))


def _in_order(values: Sequence[float]) -> bool:
    """Whether neighbours are more alike than chance would have it.

    J. von Neumann, "Distribution of the ratio of the mean square successive difference to the
    variance", Annals of Mathematical Statistics 12, 1941.
    """
    n, mean = len(values), math.fsum(values) / len(values)
    squares = math.fsum((x - mean) ** 2 for x in values)
    if n < FEWEST_IN_ORDER or squares == 0:
        return False
    steps = math.fsum((b - a) ** 2 for a, b in itertools.pairwise(values))
    return bool(steps / squares < _between(_NEUMANN_5, n))


def _between(table: dict[int, float], n: int) -> float:
    """A value of the table, between two of its places linear, beyond the last one the last."""
    places = sorted(table)
    above = next((place for place in places if place >= n), places[-1])
    below = max(place for place in places if place <= n)
    if above <= below:
        return table[below]
    return table[below] + (n - below) / (above - below) * (table[above] - table[below])


class Peak(NamedTuple):
    """The highest mean of several load points, and the places of those that may equal it."""

    interval: Interval
    alike: tuple[int, ...]


def peak_interval(
    repeats: Sequence[Sequence[float]], confidence: float = LEVEL, *, lowest: bool = False
) -> Peak:
    """The interval of the highest mean of several load points, from the repeats of each.

    With ``lowest`` that of the lowest mean; what follows is then the other way up.

    The highest of means that do not differ is higher than what any of them is: so the lower bound
    is the highest of lower bounds that hold for all load points together, the upper one the highest
    of the single upper bounds. The spread is moderated over the load points (``change_intervals``).

    ``alike`` are the places of the load points that are not told apart from the highest one,
    itself included: of more than one, which load has the peak is not known. No interval where a
    load point has fewer than two repeats or a value that is not above 0, or nothing spreads.
    """
    means = [math.fsum(own) / len(own) for own in repeats]
    best, n = (min if lowest else max)(means), min(map(len, repeats))
    place = means.index(best)
    sound = n > ONE and all(value > 0 for own in repeats for value in own)
    loads = _loads(repeats, lowest=lowest) if sound else None
    if loads is None:
        return Peak(Interval(best, None, None, n), (place,))
    low, high = _peak_ends(loads, confidence)
    if lowest:
        low, high = -high, -low
    if high - low > FARTHEST_ON_LOGS:
        return Peak(Interval(best, None, None, n), (place,))
    # a load alone is its own bound: rounding must not leave the value outside
    ends = min(math.exp(low), best), max(math.exp(high), best)
    return Peak(Interval(best, *ends, n), _alike(loads, confidence))


_Loads = tuple["Numbers", "Numbers", "Numbers"]


def _loads(repeats: Sequence[Sequence[float]], *, lowest: bool = False) -> _Loads | None:
    """Of each load point: logarithm of its mean, standard error, degrees of freedom.

    Logarithms of the reciprocals where the lowest is asked for. None where nothing spreads.
    """
    import numpy as np

    means = np.array([math.log(math.fsum(own) / len(own)) for own in repeats])
    counts = np.array([len(own) for own in repeats])
    if len(set(counts.tolist())) == 1:
        squares, freedom = _squared_errors([np.log(np.array(repeats, dtype=float).T)])
    else:
        squares = np.array([_spread(own) ** 2 for own in repeats]) / counts
        freedom = counts - 1.0
    if not squares.any():
        return None
    return -means if lowest else means, np.sqrt(squares), freedom


def _peak_ends(loads: _Loads, level: float) -> tuple[float, float]:
    means, errors, freedom = loads
    upper = (1 + level) / 2
    # Šidák, over the load points that may be the highest at all
    together = upper ** (1 / len(_alike(loads, SURELY_BELOW)))
    low = max(
        m - _quantile(f, together) * e for m, e, f in zip(means, errors, freedom, strict=True)
    )
    high = max(m + _quantile(f, upper) * e for m, e, f in zip(means, errors, freedom, strict=True))
    return float(low), float(high)


def _alike(loads: _Loads, level: float) -> tuple[int, ...]:
    """The load points that cannot be distinguished from the highest, itself included."""
    means, errors, freedom = loads
    best, others = int(means.argmax()), max(1, len(means) - 1)
    reach = [
        _quantile(min(freedom[best], freedom[i]), level ** (1 / others))
        * math.hypot(errors[best], errors[i])
        for i in range(len(means))
    ]
    return tuple(i for i, mean in enumerate(means) if i == best or means[best] - mean <= reach[i])


@dataclass(frozen=True)
class Side:
    """One side of a change.

    Attributes:
        value: Its answer, as it is printed.
        own: The answers of its repeats, each for itself; None for one without.
        among: Where the answer is the highest of several load points: the repeats of each of them.
    """

    value: float
    own: tuple[float | None, ...]
    among: tuple[tuple[float | None, ...], ...] = ()


def change_intervals(
    changes: Sequence[tuple[Side, Side]], *, level: float = LEVEL
) -> list[tuple[float, float] | None]:
    """The intervals of all changes subject / against of one pair and one metric: one family.

    They hold together: with the probability ``level`` there is none that misses its true ratio, so
    that of ten changes between equal systems not one in three sweeps has one that looks real. The
    ratio is that of the two values, its standard error that of the difference of their logarithms
    (delta method). Its variance is moderated: drawn to the mean of the family as far as the spreads
    are alike (empirical Bayes: G. K. Smyth, Statistical Applications in Genetics and Molecular
    Biology 3(1), 2004), less where one stands out above the others (B. Phipson and others, Annals
    of Applied Statistics 10, 2016). Spreads count as alike until they scatter more than chance
    explains (``_TOO_UNEVEN``): then the family has one spread, with the degrees of freedom that
    correlated changes leave (G. E. P. Box, Annals of Mathematical Statistics 25, 1954). Degrees of
    freedom of the two sides after Welch and Satterthwaite; where a side has two repeats, those of
    the smaller side count. An answer that is
    the highest of several load points has the bounds of ``peak_interval`` (combined by the squares
    of their distances: G. Y. Zou and A. Donner, Statistics in Medicine 27, 2008).

    None for a change without an interval: a side with one repeat, without an answer of each
    repeat, neither side with any spread, or ends that are too far apart for a number.
    """
    judged = [place for place, pair in enumerate(changes) if all(_complete(side) for side in pair)]
    each = level ** (1 / max(1, len(judged)))
    found: list[tuple[float, float] | None] = [None] * len(changes)
    alike: dict[tuple[int, int], list[int]] = {}
    for place in judged:
        subject, against = changes[place]
        if _chosen(subject) or _chosen(against):
            found[place] = _of_highest(subject, against, each)
        else:
            alike.setdefault((len(subject.own), len(against.own)), []).append(place)
    for places in alike.values():
        pairs = [changes[place] for place in places]
        for place, ends in zip(places, _pooled(pairs, level, len(judged)), strict=True):
            found[place] = ends
    return found


def _chosen(side: Side) -> bool:
    """Whether more than one load point may be the highest."""
    if len(side.among) < TWO:
        return False
    loads = _loads([[value for value in own if value is not None] for own in side.among])
    return loads is not None and len(_alike(loads, SURELY_BELOW)) > 1


def _complete(side: Side) -> bool:
    groups = side.among or (side.own,)
    return side.value > 0 and all(
        len(own) > 1 and all(value is not None and value > 0 for value in own) for own in groups
    )


def _pooled(
    pairs: Sequence[tuple[Side, Side]], level: float, family: int
) -> list[tuple[float, float] | None]:
    """Changes with equal numbers of repeats, their spread pooled where that is justified."""
    import numpy as np

    logs = [np.log(np.array([pair[i].own for pair in pairs], dtype=float).T) for i in (0, 1)]
    squares, freedoms = _squared_errors(logs)
    found: list[tuple[float, float] | None] = []
    for (subject, against), square, freedom in zip(pairs, squares, freedoms, strict=True):
        if not square > 0:
            found.append(None)
            continue
        reach = (
            _modulus(float(freedom), family, level)
            if len(pairs) > 1
            else _quantile(freedom, (1 + level ** (1 / family)) / 2)
        )
        middle, half = math.log(subject.value / against.value), reach * math.sqrt(square)
        found.append(_ends(middle - half, middle + half))
    return found


def _squared_errors(logs: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """Of each change (a side: repeats x changes, logarithms): squared error, degrees of freedom."""
    import numpy as np

    rests = [rows - rows.mean(axis=0) for rows in logs]
    least = [len(rows) - 1 for rows in logs]
    variances = [(rest**2).sum(axis=0) / f for rest, f in zip(rests, least, strict=True)]
    # equal values differ from their mean by the rounding of a double, which is not a spread
    shares = [
        np.where(own > EQUAL_ON_LOGS**2, own, 0.0) / len(rest)
        for rest, own in zip(rests, variances, strict=True)
    ]
    own: Numbers = np.sum(shares, axis=0)
    count = len(own)
    if not own.any():
        return own, np.full(count, float(min(least)))
    # the degrees of freedom of a sum of squared errors (Satterthwaite)
    means = [share.mean() for share in shares]
    freedom = float(sum(means) ** 2 / sum(s**2 / f for s, f in zip(means, least, strict=True)))
    smallest = 1.0 if min(least) == 1 else freedom
    if count == 1:
        return own, np.array([smallest])
    kept = count / (1 + (count - 1) * _together(rests, least) ** 2)
    prior = _prior(own, freedom, _TOO_UNEVEN[min(*least, 2)])
    # an infinite prior is the mean of all
    weight = 1 / (1 + prior / freedom)
    return (
        own.mean() + weight * (own - own.mean()),
        np.minimum(prior + freedom, smallest * kept),
    )


def _prior(squares: Numbers, freedom: float, too_uneven: tuple[float, float]) -> Numbers:
    """The degrees of freedom with which the mean of all counts beside each one's own.

    From how far the logarithms scatter beyond chance (Smyth); infinite where they do not. One that
    stands out above the others counts less by the share that its tail has of the expected one
    (Phipson and others).
    """
    import numpy as np
    from scipy.optimize import brentq
    from scipy.special import fdtrc, polygamma

    count, times, tail = len(squares), *too_uneven
    least = _FLOOR * squares.mean()
    beyond = np.log(np.maximum(squares, least)).var(ddof=1) - times * polygamma(1, freedom / 2)
    alike = math.inf
    if beyond > _NEGLIGIBLE:
        alike = 2 * brentq(lambda x: polygamma(1, x) - beyond, _NEGLIGIBLE, 1 / _NEGLIGIBLE)
    others = np.maximum((squares.sum() - squares) / (count - 1), least)
    rank = np.argsort(np.argsort(-squares))
    share = fdtrc(freedom, freedom * (count - 1), squares / others) / (rank + 0.5) * count / tail
    return np.where(share < 1, share * min(alike, _STANDS_OUT * freedom), alike)


_NEGLIGIBLE = 1e-5


def _together(rests: Sequence[Numbers], least: Sequence[int]) -> float:
    """How much the changes of one repeat go together: their mean correlation, at least 0."""
    import numpy as np

    total, weight = 0.0, 0
    for rest, f in zip(rests, least, strict=True):
        squares = float((rest**2).sum())
        if squares > 0:
            found = (float((rest.sum(axis=1) ** 2).sum()) / squares - 1) / (rest.shape[1] - 1)
            total, weight = total + f * found, weight + f
    return float(np.clip(total / weight, 0.0, 1.0)) if weight else 0.0


def _of_highest(subject: Side, against: Side, level: float) -> tuple[float, float] | None:
    """The change of two answers of which one or both are the highest of several."""
    reaches = [_reach(side, level) for side in (subject, against)]
    if reaches[0] == reaches[1] == (0.0, 0.0):
        return None
    (down, up), (other_down, other_up) = reaches
    middle = math.log(subject.value / against.value)
    low = middle - math.hypot(down, other_up)
    high = middle + math.hypot(up, other_down)
    return _ends(low, high)


def _ends(low: float, high: float) -> tuple[float, float] | None:
    return None if high - low > FARTHEST_ON_LOGS else (math.exp(low), math.exp(high))


def _reach(side: Side, level: float) -> tuple[float, float]:
    """How far the bounds of one side lie below and above it, as logarithms."""
    known = [[value for value in own if value is not None] for own in side.among or (side.own,)]
    loads = _loads(known)
    if loads is None:
        return 0.0, 0.0
    if not side.among:
        half = _quantile(loads[2][0], (1 + level) / 2) * float(loads[1][0])
        return half, half
    low, high = _peak_ends(loads, level)
    return max(0.0, math.log(side.value) - low), max(0.0, high - math.log(side.value))


def _spread(values: Sequence[float]) -> float:
    logs = [math.log(value) for value in values]
    mean = math.fsum(logs) / len(logs)
    found = math.sqrt(math.fsum((x - mean) ** 2 for x in logs) / (len(logs) - 1))
    # equal values differ from their own mean by the rounding of a double
    return found if found > EQUAL_ON_LOGS else 0.0


def _quantile(freedom: float, share: float) -> float:
    # scipy.stats would give the same quantile, and takes a second more to import
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


@cache
def _modulus(freedom: float, family: int, level: float) -> float:
    """The studentized maximum modulus: the largest of ``family`` |t| with one standard deviation.

    It stays below the result with the probability ``level``.

    P(c) = integral of (2 Phi(c s) - 1)^family over the distribution of s = chi / sqrt(freedom)
    (M. R. Stoline and H. K. Ury, Technometrics 21, 1979).
    """
    import numpy as np
    from scipy.optimize import brentq
    from scipy.special import chdtri, ndtr

    places = (np.arange(_STEPS) + 0.5) / _STEPS
    scale = np.sqrt(chdtri(freedom, places) / freedom)

    def beyond(c: float) -> float:
        return float(((2 * ndtr(c * scale) - 1) ** family).mean()) - level

    single = _quantile(freedom, (1 + level) / 2)
    if family == 1:
        return single
    return float(brentq(beyond, single, _quantile(freedom, (1 + level ** (1 / family)) / 2) + 1e-6))


_STEPS = 500
"""Places at which the distribution of the standard deviation is taken."""
