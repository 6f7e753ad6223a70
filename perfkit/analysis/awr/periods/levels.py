"""When a series changed: its levels, by medians and the median absolute deviation (MAD).

The method, for values in time (one quantity of one history):

1. The best split is the one that makes the sum of distances from the medians of its two sides the
   smallest (least absolute deviations, as in Bai 1995), of logarithms for a quantity that grows in
   ratios. Each side holds at least ``SHORTEST`` values.
2. It is a change where the medians lie further apart than ``APART`` scaled MADs of what is left
   around them, and by ``LEAST`` of the smaller one. At most one in ``PER_MIXED`` values of a side
   lies nearer to the other's median, and where any does, chance parts so many values so well in
   one of fifty series at most (``MIXED``). Both sides are then split in the same way.
3. Levels that vary much themselves are told by the order of their values: those of one side are
   above those of the other (all but one in ten), the medians differ by ``DOUBLE``, and chance
   brings about this order of so many values in one of 500 series at most, all places tried
   (``CHANCE``). Two splits are tried at once first, since what rose and came back has no one place
   that parts it, then one.
4. Within a level, a stretch is a run of values on one side of the median, each beyond ``BEYOND``
   scaled MADs and ``LEAST`` of it: an episode that came and went. Where such runs hold a good
   part of the values and are scattered among the others, as in a cycle, they are none.
5. Two levels by turns (``turns``) are neither changes nor episodes. The values fall into a low and
   a high group that lie apart as in 2, a sixth of them in each at least, and the high ones come
   back ``TURNS`` times: scattered as in 4, or one like the other, as long and as far apart.

Both are asked of the plain values and of their logarithms: a rate that varies in ratios has long
tails in plain values. A MAD counts for at least ``FLOOR`` of the median, as print is rounded.
Of few values a MAD says little, so that more is asked of them (``_few``). On noise without a change
(normal, log-normal, neighbours alike) fewer than one in twenty histories of six quantities shows
one: a test holds it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

SHORTEST = 3
"""Values on each side of a split."""

FEWEST = 2 * SHORTEST
"""Fewer values than this tell of no change."""

APART = 6.0
BEYOND = 6.0
LEAST = 0.25
DOUBLE = 2.0
CHANCE = 0.002
PER_STRANGER = 10
PER_MIXED = 4
MIXED = 0.02
TURNS, PER_TURN = 3, 6
"""What is scattered comes back so often, and has one in so many values."""
MOST = 300
"""Of more values no two splits are tried at once: it takes their number squared."""
FLOOR = 0.02

TO_SIGMA = 1.4826
"""MADs of a normal distribution in a standard deviation."""


@dataclass(frozen=True)
class Level:
    """A run of values: its place from ``first`` to before ``end``, their median and spread.

    ``usual`` is the median of what it is held against: for a stretch the level around it, for a
    level after a split the level before; None for the first.
    """

    first: int
    end: int
    median: float
    usual: float | None = None
    stretch: bool = False

    def holds(self, other: Level) -> bool:
        """Whether another run lies within this one."""
        return self.first <= other.first and other.end <= self.end


def mad(values: Sequence[float], middle: float) -> float:
    """The median absolute deviation from ``middle``."""
    return median(abs(value - middle) for value in values)


def spread(values: Sequence[float], middle: float) -> float:
    """The scaled MAD, at least ``FLOOR`` of the middle."""
    return max(TO_SIGMA * mad(values, middle), FLOOR * abs(middle))


def levels(values: Sequence[float]) -> list[Level]:
    """The levels of a series in their order, each followed by the stretches within it."""
    found: list[Level] = []
    usual: float | None = None
    for first, end in _split(values, 0, len(values)) if values else ():
        own = values[first:end]
        middle = median(own)
        found.append(Level(first, end, middle, usual))
        found += _stretches(values, first, end, middle)
        usual = middle
    return found


def _split(values: Sequence[float], first: int, end: int) -> list[tuple[int, int]]:
    own = values[first:end]
    places = _change(own) or _two_changes(own) or _parted(own)
    if not places:
        return [(first, end)]
    edges = [first, *(first + place for place in places), end]
    return [level for pair in pairwise(edges) for level in _split(values, *pair)]


def _change(values: Sequence[float]) -> tuple[int, ...]:
    """Where the values change their level; nothing where no change is shown."""
    if len(values) < FEWEST:
        return ()
    shown = _logarithms(values)
    place = best_split(shown)
    middles = [median(side) for side in (values[:place], values[place:])]
    apart = all(
        _apart(own[:place], own[place:], floor)
        for own, floor in ((values, FLOOR * min(map(abs, middles))), (shown, FLOOR))
    )
    mixed = _mixed(shown[:place], shown[place:])
    return (place,) if apart and not mixed and _enough(*middles) else ()


def _mixed(left: Sequence[float], right: Sequence[float]) -> bool:
    """Whether too many values of a side lie nearer to the median of the other.

    A MAD does not see them: of 1, 9, 1 and 9, 1, 9 it is zero. Where there are any, chance may not
    have brought about the order of the others either: Fisher's exact test, two-sided.
    """
    low, high = sorted((left, right), key=median)
    edge = (median(low) + median(high)) / 2
    strangers = sum(value > edge for value in low), sum(value < edge for value in high)
    if any(
        PER_MIXED * count > len(side) for count, side in zip(strangers, (low, high), strict=True)
    ):
        return True
    count, kept = len(left) + len(right), len(high) - strangers[1]
    above = kept + strangers[0]
    ways = sum(
        math.comb(above, own) * math.comb(count - above, len(high) - own)
        for own in range(kept, min(above, len(high)) + 1)
    )
    return any(strangers) and 2 * ways / math.comb(count, len(high)) > MIXED


def _parted(values: Sequence[float]) -> tuple[int, ...]:
    """Where two sides lie apart by the order of their values alone; nothing where none do."""
    if len(values) < FEWEST:
        return ()
    place = best_split(_logarithms(values))
    odds = _odds(values[:place], values[place:])
    return (place,) if odds * (len(values) - FEWEST + 1) <= CHANCE else ()


def _odds(left: Sequence[float], right: Sequence[float]) -> float:
    """How likely chance orders so many values: all of one side above all of the other.

    At most one value in ``PER_STRANGER`` may be on the other side; the bound counts every choice of
    these. 1 where more are, or where the medians do not differ by ``DOUBLE``.
    """
    low, high = sorted((left, right), key=median)
    count, least = len(low) + len(high), min(len(low), len(high))
    strangers = min(
        sum(value > edge for value in low) + sum(value <= edge for value in high)
        for edge in (*low, *high)
    )
    if strangers * PER_STRANGER > count or median(high) < DOUBLE * median(low):
        return 1.0
    ways = math.comb(count - strangers, max(least - strangers, 0))
    return min(1.0, 2 * math.comb(count, strangers) / ways)


def _two_changes(values: Sequence[float]) -> tuple[int, ...]:
    """Where the values change their level twice; nothing where that is not shown."""
    import numpy as np

    count = len(values)
    if not FEWEST + SHORTEST <= count <= MOST:
        return ()
    shown = _logarithms(values)
    cost = np.full((count + 1, count + 1), np.inf)
    for begin in range(count):
        cost[begin, begin + 1 :] = _costs(shown[begin:])
    inner = cost[0, :, None] + cost + cost[:, count][None, :]
    near = np.subtract.outer(np.arange(count + 1), np.arange(count + 1)) > -SHORTEST
    inner[near] = np.inf
    inner[:SHORTEST] = inner[:, count - SHORTEST + 1 :] = np.inf
    one, two = (int(place) for place in np.unravel_index(np.argmin(inner), inner.shape))
    sides = values[:one], values[one:two], values[two:]
    odds = _odds(*sides[:2]), _odds(*sides[1:])
    tried = math.comb(count - FEWEST, 2)
    return (one, two) if max(odds) < 1 and math.prod(odds) * tried <= CHANCE else ()


def _apart(left: Sequence[float], right: Sequence[float], floor: float) -> bool:
    """Whether the medians of two sides are further apart than what is left around them."""
    middles = median(left), median(right)
    sides = tuple(zip((left, right), middles, strict=True))
    rest = [abs(value - middle) for side, middle in sides for value in side]
    # a short side that is wider than the long one counts as far as its length tells
    each = (mad(side, middle) / math.sqrt(len(side) / SHORTEST) for side, middle in sides)
    noise = max(TO_SIGMA * max(median(rest), *each), floor)
    return abs(middles[0] - middles[1]) > APART * _few(len(rest)) * noise


def _few(count: int) -> float:
    """How much more is asked of few values: twice as much of six, a tenth more of sixty."""
    return 1 + FEWEST / count


def _logarithms(values: Sequence[float]) -> list[float]:
    """The logarithms, above a floor: of rates near 0 the ratio says nothing."""
    floor = max(max(values) / 1000, 1e-12)
    return [math.log(max(value, floor)) for value in values]


def _enough(one: float, other: float) -> bool:
    return abs(one - other) > LEAST * min(abs(one), abs(other))


def best_split(values: Sequence[float]) -> int:
    """The place from which the right side begins, of the smallest sum of absolute deviations."""
    before, after = _costs(values), _costs(values[::-1])[::-1]
    places = range(SHORTEST, len(values) - SHORTEST + 1)
    return min(places, key=lambda place: before[place - 1] + after[place])


def _costs(values: Sequence[float]) -> list[float]:
    """For each value, the sum of distances of it and those before from their median.

    Two heaps hold the lower and the upper half: n log n in all.
    """
    low: list[float] = []
    high: list[float] = []
    sums = [0.0, 0.0]
    found = []
    for value in values:
        moved = -heapq.heappushpop(low, -value)
        sums[0] += value - moved
        heapq.heappush(high, moved)
        sums[1] += moved
        if len(high) > len(low):
            moved = heapq.heappop(high)
            sums[1] -= moved
            heapq.heappush(low, -moved)
            sums[0] += moved
        middle = -low[0]
        found.append(sums[1] - middle * len(high) + middle * len(low) - sums[0])
    return found


def _stretches(values: Sequence[float], first: int, end: int, middle: float) -> Iterator[Level]:
    """The runs of values within a level that lie beyond it, on one side."""
    if end - first < FEWEST:
        return
    own = values[first:end]
    shown = _logarithms(own)
    usual = median(shown)
    beyond = BEYOND * _few(len(own))
    noise = beyond * spread(own, middle)
    in_ratio = beyond * max(TO_SIGMA * mad(shown, usual), FLOOR)

    def side(place: int) -> int:
        value = values[place]
        far = abs(value - middle) > noise and abs(shown[place - first] - usual) > in_ratio
        return (value > middle) - (value < middle) if far and _enough(value, middle) else 0

    runs = [(where, list(run)) for where, run in groupby(range(first, end), key=side)]
    for way in (1, -1):
        own_runs = [places for where, places in runs if where == way]
        if _scattered(len(own_runs), sum(map(len, own_runs)), end - first):
            continue
        for places in own_runs:
            yield Level(
                places[0], places[-1] + 1, median(values[p] for p in places), middle, stretch=True
            )


def _scattered(runs: int, values: int, count: int) -> bool:
    """Whether so many of the values lie about in runs as chance, or a cycle, lays them out.

    Chance makes values * (count - values + 1) / count runs of them (Wald and Wolfowitz 1940);
    episodes hold together, in fewer than half as many.
    """
    if runs < TURNS or PER_TURN * values < count:
        return False
    return 2 * runs * count >= values * (count - values + 1)


@dataclass(frozen=True)
class Turns:
    """Two levels by turns: which values are high, and the run of each high turn.

    ``regular``: the turns are as long, and as far apart, one as the other.
    """

    high: tuple[bool, ...]
    runs: tuple[tuple[int, int], ...]
    regular: bool


def turns(values: Sequence[float]) -> Turns | None:
    """Whether a series goes to and fro between two levels; None where that is not shown."""
    count = len(values)
    if count < 2 * TURNS:
        return None
    ordered = sorted(values)
    shown = _logarithms(ordered)
    place = best_split(shown)
    groups = (ordered[:place], ordered[place:])
    parted = all(
        _apart(own[:place], own[place:], floor)
        for own, floor in ((ordered, FLOOR * abs(median(groups[0]))), (shown, FLOOR))
    )
    if not parted or not _enough(*map(median, groups)):
        return None
    upper = tuple(value >= ordered[place] for value in values)
    runs = [(own[0], own[-1] + 1) for is_high, own in _runs(upper) if is_high]
    back = sum(not is_high for is_high, _ in _runs(upper))
    if min(map(len, groups)) * PER_TURN < count or min(len(runs), back) < TURNS:
        return None
    regular = _regular(runs, count)
    scattered = _scattered(len(runs), len(groups[1]), count)
    return Turns(upper, tuple(runs), regular) if regular or scattered else None


def _runs(marks: Sequence[bool]) -> list[tuple[bool, list[int]]]:
    """The places of values that follow each other and are marked alike."""
    runs = groupby(range(len(marks)), key=lambda place: marks[place])
    return [(mark, list(places)) for mark, places in runs]


def _regular(runs: Sequence[tuple[int, int]], count: int) -> bool:
    """Whether runs are as long and as far apart one as the other; the ends may cut one off."""
    # of three runs one at least is whole
    whole = [one for one in runs if one[0] > 0 and one[1] < count]
    lengths = [end - first for first, end in whole]
    gaps = [after[0] - before[1] for before, after in pairwise(runs)]
    return len(gaps) >= TURNS - 1 and all(
        max(own) - min(own) <= max(1, max(own) // PER_STRANGER) for own in (lengths, gaps)
    )


def high(values: Sequence[float]) -> list[bool]:
    """Which values belong to the high levels and stretches: nearer the highest than the lowest."""
    if (by_turns := turns(values)) is not None:
        return list(by_turns.high)
    found = levels(values)
    ends = [one.median for one in found]
    marked = [False] * len(values)
    for one in found:
        nearer = one.median > (min(ends) + max(ends)) / 2
        marked[one.first : one.end] = [nearer] * (one.end - one.first)
    return marked
