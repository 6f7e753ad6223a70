"""How long a point stood still or was slow, by what it did in each interval.

The usual level is not the median: a point that is slow for most of its time would then look usual.
It is the best level that the point kept up: the rate that it reached, and the latency that it
stayed below, for a tenth of its time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perfkit.core.errors import AnalysisError

STALL_FACTOR = 10.0
"""An interval is slow when its rate or latency is worse than the best by this factor."""

KEPT_UP = 0.1
"""The best level is one that was reached for this share of the time."""

FEWEST = 2
"""Intervals that the best level needs; a point with fewer is not judged."""

EXPECTED = 20
"""A time counts as without I/O, or as of a low rate, where the usual rate would have given so many
I/Os: at random arrivals the chance of a tenth of them or fewer is below one in a million."""

LATENCIES = ("lat_p99_s", "lat_mean_s")
"""The latency of an interval: the first of these that the tool gives."""

_Row = Mapping[str, Any]


@dataclass(frozen=True)
class Watched:
    """How long a point was watched, slow, at longest without I/O, and in no interval; seconds."""

    watched_s: float
    slow_s: float
    without_io_s: float
    unseen_s: float


def watched(rows: Sequence[_Row], factor: float = STALL_FACTOR) -> Watched | None:
    """What one direction of a point shows; None where it has too few intervals to be judged by.

    An interval is slow where it completed fewer than 1 / ``factor`` of the I/Os of the best rate
    that the point kept up, or where its latency is above ``factor`` times the lowest that it kept
    up. Intervals without I/O that follow each other are one time without I/O.

    Args:
        rows: Its intervals in order of time: ``t_s``, ``interval_s``, ``ios`` and ``LATENCIES``.
        factor: What counts as slow.

    Raises AnalysisError for an interval without a length.
    """
    times = [row["interval_s"] for row in rows]
    if not all(time and 0 < time < math.inf for time in times):
        raise AnalysisError(f"point {rows[0].get('point')}: an interval without a length")
    rates = [None if r["ios"] is None else r["ios"] / r["interval_s"] for r in rows]
    name = next((n for n in LATENCIES if any(r.get(n) is not None for r in rows)), None)
    latencies = [row.get(name) if name else None for row in rows]
    rate, latency = _kept_up(rates, times, most=True), _kept_up(latencies, times, most=False)
    if rate is None and latency is None:
        return None
    quiet = list(_quiet(rows, rate))
    slow = [
        still
        or _low(own, rate, factor, time)
        or (late is not None and latency is not None and late > factor * latency)
        for still, own, late, time in zip(quiet, rates, latencies, times, strict=True)
    ]
    whole = math.fsum(times)
    unseen = rows[-1]["t_s"] - rows[0]["t_s"] + times[0] - whole
    return Watched(
        whole,
        math.fsum(time for time, marked in zip(times, slow, strict=True) if marked),
        max(
            (
                math.fsum(rows[place]["interval_s"] for place in run)
                for run in still_runs(rows)
                if quiet[run[0]]
            ),
            default=0.0,
        ),
        unseen if unseen > max(times) / 2 else 0.0,
    )


def _kept_up(values: Sequence[float | None], times: Sequence[float], *, most: bool) -> float | None:
    """The best level that was reached for ``KEPT_UP`` of the time; None where it is not known."""
    known = [(v, time) for v, time in zip(values, times, strict=True) if v is not None]
    whole = math.fsum(time for _, time in known)
    run = 0.0
    for count, (value, time) in enumerate(sorted(known, reverse=most), 1):
        run += time
        if count >= FEWEST and run >= KEPT_UP * whole:
            return value
    return None


def _low(own: float | None, usual: float | None, factor: float, time: float) -> bool:
    if own is None or usual is None or usual * time < EXPECTED:
        return False
    return own * factor < usual


def still_runs(rows: Sequence[_Row]) -> Iterator[list[int]]:
    """The places of intervals without I/O that follow each other, with no gap in between."""
    run: list[int] = []
    for place, row in enumerate(rows):
        apart = (
            run and row["t_s"] - row["interval_s"] > rows[run[-1]]["t_s"] + row["interval_s"] / 2
        )
        if run and (row["ios"] != 0 or apart):
            yield run
            run = []
        if row["ios"] == 0:
            run.append(place)
    if run:
        yield run


def _quiet(rows: Sequence[_Row], usual: float | None) -> list[bool]:
    """Which intervals belong to a time without I/O that the usual rate does not explain."""
    found = [False] * len(rows)
    for run in still_runs(rows):
        length = math.fsum(rows[place]["interval_s"] for place in run)
        if not usual or usual * length >= EXPECTED:
            for place in run:
                found[place] = True
    return found
