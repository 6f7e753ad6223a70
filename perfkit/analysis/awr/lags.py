"""By how much one series runs behind another that is of the same thing: the lag that joins them.

What is held together are changes of changes, not levels: two loads that merely follow the same day
are alike in their levels, and in their slopes, at many lags (the reason for pre-whitening in Box
and Jenkins 1970). A lag is found where

1. they go together (``LEAST_R``), over at least ``FEWEST``, so that chance finds as good a lag
   among all that were tried in one of a hundred cases at most: the gain in the logarithm of the
   likelihood, -n/2 log(1 - r²), is above log(100 x lags). Neighbours share a value, so that n
   counts for half (Bartlett 1946: 1.9 times the variance of r);
2. they still do without the largest ones: one step is met by any other step;
3. the lags that fit as well (gain within ``SLACK``, 99% of a chi-squared of one degree, halved)
   lie side by side, and not at the end of those that were tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

FEWEST = 6
"""Changes that must be known on both sides."""
SHARED = 2
"""Periods more than changes of changes."""
LEAST_R = 0.8
CHANCE = 0.01
SLACK = 3.32
LARGEST = 4
"""Changes without which a lag must still be seen: a load that came and went makes four."""


BLOCK = 256
"""Lags that are tried at once: a thousand periods at thousands of lags are gigabytes."""


@dataclass(frozen=True)
class Match:
    """The best lag, the lowest and highest that fit as well, the correlation and its number."""

    lag: float
    low: float
    high: float
    r: float
    n: int
    gain: float


def matched(lags: Numbers, own: Numbers, other: Numbers) -> Match | str:
    """The lag that joins two series, or why none is told.

    Args:
        lags: The lags tried, rising, shape (lags,).
        own: Changes of changes of one series, shape (changes,); NaN: not known.
        other: Those of the other one at each lag, shape (lags, changes).
    """
    import numpy as np

    r, n = _correlations(own, other)
    gain = np.where((n >= FEWEST) & (r > 0), _gain(r, n), -np.inf)
    if n.max(initial=0) < FEWEST:
        return f"{FEWEST + SHARED} periods in a row that both recorded are needed"
    best = int(np.argmax(gain))
    if r[best] < LEAST_R or gain[best] <= np.log(len(lags) / CHANCE):
        return "what they recorded matches at no offset"
    fits = np.flatnonzero(gain >= gain[best] - SLACK)
    first, last = int(fits[0]), int(fits[-1])
    if last - first + 1 > len(fits):
        return "what they recorded matches at several offsets"
    if first == 0 or last == len(lags) - 1:
        return "what they recorded matches at the end of the offsets that were tried"
    rest = np.argsort(-np.abs(np.where(np.isnan(other[best]), 0.0, own)))[LARGEST:]
    left, count = _correlations(own[rest], other[best : best + 1, rest])
    if not (left[0] > 0 and _gain(left, count)[0] > SLACK):
        return "what they recorded matches in only a few changes"
    low, high = float(lags[first]), float(lags[last])
    return Match(float(lags[best]), low, high, float(r[best]), int(n[best]), float(gain[best]))


def _gain(r: Numbers, n: Numbers) -> Numbers:
    import numpy as np

    found: Numbers = -n / 4 * np.log1p(-np.minimum(r**2, 1 - 1e-12))
    return found


def _correlations(own: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """Pearson's correlation of ``own`` with each row (0: one is constant), and of how many."""
    import numpy as np

    blocks = [_of_block(own, other[at : at + BLOCK]) for at in range(0, len(other), BLOCK)]
    if not blocks:
        return np.zeros(0), np.zeros(0, dtype=int)
    r, n = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return r, n


def _of_block(own: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    import numpy as np

    known = ~np.isnan(other) & ~np.isnan(own)
    n = known.sum(axis=1)
    rows = [np.where(known, side, 0.0) for side in (np.broadcast_to(own, other.shape), other)]
    some = np.maximum(n, 1)
    x, y = (np.where(known, row - (row.sum(axis=1) / some)[:, None], 0.0) for row in rows)
    spread = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.divide((x * y).sum(axis=1), spread, out=np.zeros(len(n)), where=spread > 0), n
