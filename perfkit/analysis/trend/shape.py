"""Which levels a history has, and where one gives way to the next.

Two questions in one: is there a change at all, and is it a shift at a point or a drift or season?
Each candidate (levels alone; levels on top of a line, a curve, the days of the week, a sine) is
fitted with every number of shifts, and the one with the least

    n log(RSS / n) + penalty for each shift + price of the candidate

counts. For each number of shifts the best places are found by dynamic programming (segment
neighbourhood: I. E. Auger and C. E. Lawrence, Bulletin of Mathematical Biology 51, 1989). The
penalty is the larger, the more alike neighbours are; with it at most 5% of flat series get a
shift (``tests/bench`` measures this, and how many shifts are found). Outliers, one or two in a
row, are drawn in towards their neighbours' median before: a shift lasts for ``LEAST`` runs.

Libraries that search for change points (ruptures, Apache Otava) find the same places: they leave
the false alarms to a penalty that is typed, and know no drift or season. The search is the few
lines of ``_segmented``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

FEWEST = 10
"""With fewer runs no shift can be told from chance."""

LEAST = 3
"""A level lasts for at least so many runs."""

MOST = 10
"""At most so many shifts are looked for."""

OUTLYING = 2.5
"""A single outlier is drawn in to so many robust standard deviations."""

_FAR = 3.5
"""So many standard deviations a run counts at most when the place of a shift is settled."""

_REACH = 3
"""So many neighbours on each side tell where a run should lie."""

_RUNS_FOR_PAIR = 30
"""Of so many runs two in a row may be outliers: more such pairs are a pattern."""

Kind = Literal["level", "drift", "week", "season"]

_PRICES: dict[str, float] = {"line": 11.0, "curve": 17.0, "week": 20.0, "season": 17.0}
"""What a candidate costs beside levels alone: chosen by simulation, so that a shift of three
standard deviations is taken for none of them."""

_ONE_STEP = 7.0
"""What a candidate costs more where levels alone need one shift: a single step is the simplest
reading, and with few runs or outliers a line or a sine comes near to it."""

_ON_TOP = 3.0
"""What each shift costs more on top of something that was fitted, too: it has more ways to help."""

_KINDS: dict[str, Kind] = {"line": "drift", "curve": "drift", "week": "week", "season": "season"}

_WEEKS = 3
"""Days of the week are told apart from so many weeks on."""

_FEWEST_IN_CYCLE = 6
_CYCLE_STEP = 0.25
_ALIKE = 1.3
"""Neighbours are alike from this many standard errors of their correlation on."""

MAD = 1.4826
"""From a median absolute deviation to the standard deviation of the normal distribution."""

MOVING = 0.9539
"""The median distance of two neighbours, in standard deviations of the normal distribution."""


@dataclass(frozen=True)
class Shape:
    """What a history looks like.

    Attributes:
        kind: What its levels lie on: nothing, a drift, the days of the week or a season.
        starts: The first run of each level; the first of all is 0.
        fitted: The value that each run is expected to have.
        beside: The part of it that is not a level: the drift or season.
        spread: The standard deviation of a run about it, from the median distance of neighbours.
        period: Of a season how many runs a cycle takes.
        alike: Whether what is left of neighbours is alike.
    """

    kind: Kind
    starts: tuple[int, ...]
    fitted: tuple[float, ...]
    beside: tuple[float, ...]
    spread: float
    period: float | None = None
    alike: bool = False

    @property
    def ends(self) -> tuple[int, ...]:
        """The end of each level: the place after its last run."""
        return (*self.starts[1:], len(self.fitted))

    def level_of(self, place: int) -> int:
        """The number of the level that a run belongs to."""
        return sum(start <= place for start in self.starts) - 1


def shape_of(values: Sequence[float], times: Sequence[datetime]) -> Shape:
    """The shape of values (logarithms, say) in the order of their times.

    Fewer than ``FEWEST``, or values that are all equal, have one level.
    """
    import numpy as np

    given = np.asarray(values, dtype=float)
    calm = _drawn_in(given)
    found = _Found(math.inf, ())
    if len(given) >= FEWEST and float(np.ptp(given)) > _ROUNDING:
        found = _best(calm, times, _penalty(len(given)))
        rest = calm - _fitted(calm, found)[0]
        alike = _correlation(rest)
        if found.places and alike * math.sqrt(len(given)) > _ALIKE:
            found = _best(calm, times, _penalty(len(given)) * (1 + alike) / (1 - alike))
    found = replace(found, places=_moved(given, calm, found))
    fitted, beside = _fitted(calm, found)
    left = calm - fitted
    return Shape(
        _KINDS.get(found.name, "level"),
        (0, *found.places),
        tuple(fitted.tolist()),
        tuple(beside.tolist()),
        _spread(given - fitted),
        found.period,
        _correlation(left) * math.sqrt(len(given)) > _SURELY_ALIKE,
    )


_ROUNDING = 1e-12
_SURELY_ALIKE = 2.0


def _penalty(n: int) -> float:
    """What one more shift must take off n log(RSS): in 2 of 100 flat series more by chance."""
    return 9 + math.log(n)


def _spread(rest: Numbers) -> float:
    """The standard deviation by the median moving range: a shift or an outlier moves it little."""
    import numpy as np

    return float(np.median(np.abs(np.diff(rest)))) / MOVING if len(rest) > 1 else 0.0


def _drawn_in(values: Numbers) -> Numbers:
    """The values with outliers drawn in towards the median of the runs about them.

    One alone is drawn in to ``OUTLYING``. Two in a row would make most of a level of three, so
    they are set to the median, unless pairs recur: weekends are no outliers.
    """
    import numpy as np

    n = len(values)
    padded = np.pad(values, _REACH, constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * _REACH + 1).copy()
    if n > _REACH + 1:  # a fifth run at the ends: of four, two outliers would be half
        windows[0, 0], windows[-1, -1] = values[_REACH + 1], values[-_REACH - 2]
    middle = np.nanmedian(windows, axis=1)
    apart = values - middle
    most = OUTLYING * MAD * float(np.median(np.abs(apart - np.median(apart))))
    if most == 0:
        return values
    calm = np.clip(apart, -most, most)
    pairs = list(_pairs(np.sign(apart) * (np.abs(apart) > most)))
    if len(pairs) <= max(1, n // _RUNS_FOR_PAIR):
        for place in pairs:
            calm[place : place + 2] = 0
    drawn_in: Numbers = middle + calm
    return drawn_in


def _moved(given: Numbers, calm: Numbers, found: _Found) -> tuple[int, ...]:
    """Each shift where the runs about it, as they were given, lie nearest to the levels beside it.

    An outlier next to a shift was drawn in to a median of both levels, and may have moved it: here
    one counts no more than ``_FAR``, on whichever side it lies.
    """
    import numpy as np

    fitted, beside = _fitted(calm, found)
    bare, most = given - beside, _FAR * _spread(given - fitted)
    places = [0, *found.places, len(given)]
    for number in range(1, len(places) - 1):
        before, place, after = places[number - 1 : number + 2]
        sides = [
            np.minimum(np.abs(bare - np.median(own)), most) ** 2
            for own in (bare[before:place], bare[place:after])
        ]
        tried = range(
            max(place - _REACH - 1, before + LEAST), min(place + _REACH + 1, after - LEAST) + 1
        )
        costs = {at: sides[0][before:at].sum() + sides[1][at:after].sum() for at in tried}
        places[number] = min(tried, key=lambda at: (costs[at], abs(at - place)))
    return tuple(places[1:-1])


def _pairs(sides: Numbers) -> Iterator[int]:
    """Where exactly two runs in a row lie far out on the same side (1 or -1; 0: not far out)."""
    place = 0
    for side, own in groupby(sides.tolist()):
        length = len(list(own))
        if side and length == 2:
            yield place
        place += length


def _correlation(rest: Numbers) -> float:
    """How alike neighbours are."""
    squares = float(rest @ rest)
    return float(rest[1:] @ rest[:-1]) / squares if squares > _ROUNDING else 0.0


# --- candidates -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """Shifts at ``places`` on top of what ``basis`` spans (None: nothing), and what they cost."""

    cost: float
    places: tuple[int, ...]
    name: str = "level"
    basis: Numbers | None = None
    period: float | None = None


def _best(values: Numbers, times: Sequence[datetime], penalty: float) -> _Found:
    """The cheapest candidate; where levels alone need no shift, no other is tried."""
    best = _segmented(values, penalty)
    if not best.places:
        return best
    more = _ONE_STEP if len(best.places) == 1 else 0.0
    for name, basis, period in _bases(values, times):
        found = _on_top(values, basis, penalty + _ON_TOP)
        cost = found.cost + _PRICES[name] + more
        if cost < best.cost:
            best = _Found(cost, found.places, name, basis, period)
    return best


def _bases(
    values: Numbers, times: Sequence[datetime]
) -> Iterator[tuple[str, Numbers, float | None]]:
    """What levels may lie on, each as columns, and the period of a season."""
    import numpy as np

    n = len(values)
    along = np.linspace(-1, 1, n)
    yield "line", along[:, None], None
    yield "curve", np.column_stack([along, along**2]), None
    days = np.array([time.weekday() for time in times])
    met = np.unique(days)
    if len(met) > 1 and (times[-1] - times[0]).days >= 7 * _WEEKS:
        yield "week", (days[:, None] == met[1:]).astype(float), None
    cycles = _cycles(values)
    if cycles:
        yield "season", _wave(n, cycles), n / cycles


def _wave(n: int, cycles: float) -> Numbers:
    """A sine of any phase with so many cycles in n runs."""
    import numpy as np

    turns = 2 * np.pi * cycles * np.arange(n) / n
    return np.column_stack([np.sin(turns), np.cos(turns)])


def _cycles(values: Numbers) -> float | None:
    """Of the sine that fits best how many cycles it has; None for too few runs."""
    import numpy as np
    from scipy.optimize import minimize_scalar

    n = len(values)

    def left(cycles: float) -> float:
        columns = np.column_stack([np.ones(n), _wave(n, cycles)])
        rest = values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0]
        return float(rest @ rest)

    tried = np.arange(1.0, n / _FEWEST_IN_CYCLE, _CYCLE_STEP).tolist()
    if not tried:
        return None
    best = min(tried, key=left)
    ends = max(1.0, best - _CYCLE_STEP), best + _CYCLE_STEP
    return float(minimize_scalar(left, bounds=ends, method="bounded").x)


def _columns(n: int, places: Sequence[int], basis: Numbers | None) -> Numbers:
    """A column of ones for each level, and those of the basis."""
    import numpy as np

    levels = np.zeros((n, len(places) + 1))
    for number, (start, end) in enumerate(zip((0, *places), (*places, n), strict=True)):
        levels[start:end, number] = 1
    return levels if basis is None else np.column_stack([levels, basis])


def _fitted(values: Numbers, found: _Found) -> tuple[Numbers, Numbers]:
    """What is expected of each run, by least squares, and the part of it that is not a level."""
    import numpy as np

    columns = _columns(len(values), found.places, found.basis)
    weights = np.linalg.lstsq(columns, values, rcond=None)[0]
    levels = len(found.places) + 1
    return columns @ weights, columns[:, levels:] @ weights[levels:]


_ROUNDS = 4


def _on_top(values: Numbers, basis: Numbers, penalty: float) -> _Found:
    """The shifts on top of a basis: places and basis are fitted in turn.

    What a basis that was fitted without a shift leaves looks like several: those that are not
    needed beside the others are dropped.
    """
    import numpy as np

    n = len(values)

    def fit(places: tuple[int, ...]) -> tuple[_Found, Numbers]:
        columns = _columns(n, places, basis)
        weights = np.linalg.lstsq(columns, values, rcond=None)[0]
        rest = values - columns @ weights
        cost = _cost(float(rest @ rest), n) + penalty * len(places)
        return _Found(cost, places), basis @ weights[len(places) + 1 :]

    best, beside = fit(())
    found = best
    for _ in range(_ROUNDS):
        again = _segmented(values - beside, penalty).places
        if again == found.places:
            break
        found, beside = fit(again)
        best = min(best, found, key=lambda one: one.cost)
    while best.places:
        fewer = (tuple(p for p in best.places if p != dropped) for dropped in best.places)
        found = min((fit(places)[0] for places in fewer), key=lambda one: one.cost)
        if found.cost >= best.cost:
            break
        best = found
    return best


def _cost(squares: float, n: int) -> float:
    # what is left of a perfect fit is rounding
    return n * math.log(max(squares / n, _ROUNDING**2))


def _segmented(values: Numbers, penalty: float) -> _Found:
    """The levels with the least squares about them, and a penalty for each shift."""
    import numpy as np

    n = len(values)
    sums, squares = (np.concatenate([[0.0], np.cumsum(values**power)]) for power in (1, 2))
    place = np.arange(n + 1)
    runs = place[None, :] - place[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = squares[None, :] - squares[:, None] - (sums[None, :] - sums[:, None]) ** 2 / runs
    cost[runs < LEAST] = np.inf
    best, before = cost[0], []
    found = _Found(_cost(float(best[n]), n), ())
    for shifts in range(1, min(MOST, n // (2 * LEAST)) + 1):
        whole = best[:, None] + cost
        before.append(whole.argmin(axis=0))
        best = whole[before[-1], place]
        total = _cost(float(best[n]), n) + penalty * shifts
        if total < found.cost:
            found = _Found(total, _places(before, n))
    return found


def _places(before: Sequence[Numbers], n: int) -> tuple[int, ...]:
    """Back from the end: where each level begins."""
    found = [n]
    for step in reversed(before):
        found.append(int(step[found[-1]]))
    return tuple(found[:0:-1])
