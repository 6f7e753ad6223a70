"""Whether the storage stood still, or was slow for a time, inside a point.

What is usual is not the median: a point that is slow for most of its time would have nothing to be
slow against. It is the best level that the point kept up: the rate that it reached, and the
latency that it stayed below, for a tenth of its time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.metrics import load_text
from perfkit.analysis.series import Row, check_physical, groups, need, series_labels
from perfkit.answers import Answer, Condition, Estimate, Question, Subject, ask, to_frame
from perfkit.cautions import Caution, caution
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, step
from perfkit.units import Format

if TYPE_CHECKING:
    from collections.abc import Iterator

STALL_FACTOR = 10.0
"""A time is slow when its rate or its latency is so many times worse than the best kept up."""

KEPT_UP = 0.1
"""The best level is one that was reached for this share of the time."""

FEWEST = 2
"""... and in so many intervals: a point with fewer is not judged."""

EXPECTED = 20
"""A time counts as without I/O, or as of a low rate, where the usual rate would have given so many
I/Os: at random arrivals the chance of a tenth of them or fewer is below one in a million."""

_SERIES = ("system", "config", "workload", "load_kind")
_POINT = ("load", "repeat", "point", "direction")
_LATENCIES = ("lat_p99_s", "lat_mean_s")

STALLED = ask(Question(
    "stalled_points", "1",
    "points with a time without I/O, or with a rate or latency so many times worse than the best "
    f"that the point kept up for {KEPT_UP:.0%} of its time",
    "count of points", "none", more_is_better=False,
))  # fmt: skip


@dataclass(frozen=True)
class _Point:
    """One direction of a point: how long it was watched, how long slow, how long without I/O."""

    load: float
    repeat: int | None
    watched_s: float
    slow_s: float
    without_io_s: float
    unseen_s: float


@step(version=2, name="steadiness.stalls")
def stalls(series: Measured, *, factor: float = STALL_FACTOR) -> pl.DataFrame:
    """In how many points the storage stood still or was slow: an answer for each series.

    An interval is slow where it completed fewer than 1 / ``factor`` of the I/Os of the best rate
    that its point kept up, or where its 99th percentile of latency (where the tool gives none, the
    mean) is above ``factor`` times the lowest that it kept up. Intervals without I/O that follow
    each other are one time without I/O. A rate so low that an empty interval says nothing
    (``EXPECTED``) is not judged by it. Drains of an epic-like point are left out.

    Answers ``stalled_points``: the number of points with any such time (``n`` were judged), and as
    conditions the worst of them: its load and repeat, how long it was watched (``watched_s``), slow
    (``slow_s``) and at longest without I/O (``without_io_s``).

    Raises AnalysisError for a factor that is not above 1, or a number that nothing can measure.
    """
    if not 1 < factor < math.inf:
        raise AnalysisError(f"factor: {factor:g} marks the usual as slow; it must be above 1")
    needed = ("workload", "load_kind", *_POINT, "t_s", "interval_s", "ios", *_LATENCIES, "drain")
    need(series.frame, needed, "series")
    load = series.frame.filter(pl.col("drain").is_null())
    keys = [key for key in _SERIES if key in load.columns]
    found = list(groups(load, keys, along=(*_POINT, "t_s")))
    labels = series_labels([key for key, _ in found])
    if not found:
        return to_frame([_open(Subject("the run"), factor, "there is no time series")])
    return to_frame(
        _answer(Subject(label, tuple(key.items())), key["load_kind"] or "load", rows, factor)
        for label, (key, rows) in zip(labels, found, strict=True)
    )


def _open(subject: Subject, factor: float, reason: str) -> Answer:
    limit = Condition("factor", factor, "ratio", "limit")
    return Answer("stalled_points", "points", subject, "not_judged", conditions=(limit,),
                  reason=reason)  # fmt: skip


def _answer(subject: Subject, kind: str, rows: list[Row], factor: float) -> Answer:
    check_physical(rows, ("ios", *_LATENCIES))
    frame = pl.DataFrame(rows, infer_schema_length=None)
    parts = [_judged(key, part, factor) for key, part in groups(frame, _POINT, along=("t_s",))]
    known = [part for part in parts if part]
    if not known:
        why = "no point has two intervals with a count of I/Os or a latency"
        return _open(subject, factor, why)
    points: dict[tuple[float, int | None], list[_Point]] = {}
    for part in known:
        points.setdefault((part.load, part.repeat), []).append(part)
    stalled = [own for own in points.values() if any(part.slow_s for part in own)]
    worst = max(known, key=lambda part: (part.without_io_s, part.slow_s / part.watched_s))
    conditions = [Condition("factor", factor, "ratio", "limit")]
    if stalled:
        conditions += _where(kind, worst)
    return Answer(
        "stalled_points", "points", subject, "measured",
        Estimate(float(len(stalled)), "1", n=len(points)), conditions=tuple(conditions),
        cautions=tuple(_unseen(subject, kind, known)),
    )  # fmt: skip


def _where(kind: str, point: _Point) -> Iterator[Condition]:
    yield Condition(kind, point.load, "1", "where")
    if point.repeat is not None:
        yield Condition("repeat", float(point.repeat), "1", "where")
    for name in ("watched_s", "slow_s", "without_io_s"):
        if getattr(point, name):
            yield Condition(name, getattr(point, name), "s", "where")


def _unseen(subject: Subject, kind: str, points: Sequence[_Point]) -> Iterator[Caution]:
    for point in points:
        if point.unseen_s > 0:
            repeat = "" if point.repeat is None else f" (repeat {point.repeat})"
            of = f"{subject.label} at {load_text(kind, point.load)}{repeat}"
            time = Format("s", significant=3).show(point.unseen_s).text
            yield caution("unseen_time", of=of, time=time)


def _judged(key: Row, rows: list[Row], factor: float) -> _Point | None:
    times = [row["interval_s"] for row in rows]
    if not all(time and 0 < time < math.inf for time in times):
        raise AnalysisError(f"point {key['point']}: an interval without a length")
    rates = [None if r["ios"] is None else r["ios"] / r["interval_s"] for r in rows]
    name = next((n for n in _LATENCIES if any(r[n] is not None for r in rows)), None)
    latencies = [row[name] if name else None for row in rows]
    rate, latency = _kept_up(rates, times, most=True), _kept_up(latencies, times, most=False)
    if rate is None and latency is None:
        return None
    quiet = list(_quiet(rows, rate))
    slow = [
        still or _low(own, rate, factor, time) or _high(late, latency, factor)
        for still, own, late, time in zip(quiet, rates, latencies, times, strict=True)
    ]
    watched = math.fsum(times)
    unseen = rows[-1]["t_s"] - rows[0]["t_s"] + times[0] - watched
    return _Point(
        key["load"], key["repeat"], watched,
        math.fsum(time for time, marked in zip(times, slow, strict=True) if marked),
        _longest(rows, quiet),
        unseen if unseen > max(times) / 2 else 0.0,
    )  # fmt: skip


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


def _high(own: float | None, usual: float | None, factor: float) -> bool:
    return own is not None and usual is not None and own > factor * usual


def _runs(rows: Sequence[Row]) -> Iterator[list[int]]:
    """The places of intervals without I/O that follow each other."""
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


def _quiet(rows: Sequence[Row], usual: float | None) -> list[bool]:
    """Which intervals belong to a time without I/O that the usual rate does not explain."""
    found = [False] * len(rows)
    for run in _runs(rows):
        length = math.fsum(rows[place]["interval_s"] for place in run)
        if not usual or usual * length >= EXPECTED:
            for place in run:
                found[place] = True
    return found


def _longest(rows: Sequence[Row], quiet: Sequence[bool]) -> float:
    return max(
        (math.fsum(rows[place]["interval_s"] for place in run)
         for run in _runs(rows) if quiet[run[0]]),
        default=0.0,
    )  # fmt: skip
