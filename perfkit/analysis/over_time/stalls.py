"""IOPS over time, also of fio's logs, and at how many points the storage stalled."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    SeriesRows,
    check_physical,
    groups,
    require_columns,
    require_one_file,
    series_of_hosts,
    with_held,
)
from perfkit.analysis.sas.jobs import all_or_null
from perfkit.core.answers import (
    ANY,
    Answer,
    Condition,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.slow_times import KEPT_UP, LATENCIES, STALL_FACTOR, Watched, watched
from perfkit.core.units import Format

_POINT = ("load", "repeat", "point", "direction")

[STALLED_POINTS] = register_questions(
    ("stalled_points", "1",
     "points with a time without I/O, or with a rate or latency so many times worse than the best "
     f"that the point kept up for {KEPT_UP:.0%} of its time", "count of points", "none", ANY),
)  # fmt: skip


@dataclass(frozen=True)
class _Point:
    """One direction of a point, and what it shows."""

    load: float
    repeat: int | None
    shows: Watched


@step(version=2, name="steadiness.stalls")
def stalls(series: Measured, *, factor: float = STALL_FACTOR) -> pl.DataFrame:
    """In how many points the storage stood still or was slow: an answer for each series.

    An interval is slow where it completed fewer than 1 / ``factor`` of the I/Os of the best rate
    that its point kept up, or where its 99th percentile of latency (where the tool gives none, the
    mean) is above ``factor`` times the lowest that it kept up. Intervals without I/O that follow
    each other are one time without I/O. A rate so low that an empty interval says nothing
    (``slow_times.EXPECTED``) is not judged by it. Drains of an epic-like point are left out.

    Answers ``stalled_points``: the number of points with any such time (``n`` were judged), and as
    conditions the worst of them: its load and repeat, how long it was watched (``watched_s``), slow
    (``slow_s``) and at longest without I/O (``without_io_s``).

    Raises AnalysisError for a factor that is not above 1, or a number that nothing can measure.
    """
    if not 1 < factor < math.inf:
        raise AnalysisError(f"factor: {factor:g} marks the usual as slow; it must be above 1")
    needed = ("workload", "load_kind", *_POINT, "t_s", "interval_s", "ios", *LATENCIES, "drain")
    require_columns(series.frame, needed, "series")
    load = series.frame.filter(pl.col("drain").is_null())
    keys = [key for key in CURVE_KEYS if key in load.columns]
    found = series_of_hosts(load, keys, along=(*_POINT, "t_s"))
    if not found:
        return to_frame([_open(Subject("the run"), factor, "there is no time series")])
    return to_frame(_answer(own, factor) for own in found)


def _open(subject: Subject, factor: float, reason: str) -> Answer:
    limit = Condition("factor", factor, "ratio", "limit")
    return STALLED_POINTS.answer(
        "points", subject, None, reason, without="not_judged", conditions=(limit,)
    )


def _answer(series: SeriesRows, factor: float) -> Answer:
    subject, kind, rows = series.subject, series.load_kind, series.rows
    check_physical(rows, ("ios", *LATENCIES))
    frame = pl.DataFrame(rows, infer_schema_length=None)
    parts = [(key, watched(own, factor)) for key, own in groups(frame, _POINT, along=("t_s",))]
    known = [_Point(key["load"], key["repeat"], shows) for key, shows in parts if shows]
    if not known:
        why = "no point has two intervals with a count of I/Os or a latency"
        return _open(subject, factor, why)
    points = rows_by(known, lambda part: (part.load, part.repeat))
    stalled = [own for own in points.values() if any(part.shows.slow_s for part in own)]
    worst = max(
        known,
        key=lambda part: (part.shows.without_io_s, part.shows.slow_s / part.shows.watched_s),
    )
    conditions = [Condition("factor", factor, "ratio", "limit")]
    if stalled:
        times = [(n, getattr(worst.shows, n)) for n in ("watched_s", "slow_s", "without_io_s")]
        conditions += where_conditions(
            (kind, worst.load, "1"),
            ("repeat", worst.repeat, "1"),
            *((name, time or None, "s") for name, time in times),
        )
    return STALLED_POINTS.answer(
        "points",
        subject,
        len(stalled),
        conditions=tuple(conditions),
        cautions=unseen(
            subject, kind, ((part.load, part.repeat, part.shows.unseen_s) for part in known)
        ),
        n=len(points),
    )


def unseen(
    subject: Subject, kind: str, points: Iterable[tuple[float, int | None, float]]
) -> tuple[Caution, ...]:
    """The cautions for time in no interval, by the load, repeat and unseen seconds of points."""
    found = []
    for load, repeat, seconds in points:
        if seconds > 0:
            words = "" if repeat is None else f" (repeat {repeat})"
            of = f"{subject.label} at {load_text(kind, load)}{words}"
            time = Format("s", significant=3).show(seconds).text
            found.append(caution("unseen_time", of=of, time=time))
    return tuple(found)


KEYS = ("system", "config", "workload", "load_kind", "load", "repeat")
"""What one line over time is of."""

_NEEDED = ("workload", "load_kind", "load", "repeat", "t_s", "interval_s", "direction", "ios")


@step(version=1, name="stalls.over_time")
def iops_over_time(series: Measured) -> pl.DataFrame:
    """The IOPS of each interval, over all directions, of every system, load and repeat.

    The last interval of each line is left out: a tool that ends within it has counted only a part,
    which would look like a fall or a stall. An interval of which one direction has no count is left
    out, too: a time that is not covered is a gap, never 0. So are the series of single load
    generators: their clocks differ, and nothing adds them.

    Args:
        series: A run's ``series`` (of one system, or of several with their labels).

    Returns:
        The keys, ``t_s``, ``interval_s``, ``ios``, ``iops``, and ``stalled_s``: the time of the
        line's intervals in which not one I/O completed, in any direction.

    Raises:
        AnalysisError: A source without a count of I/Os, or several with the same labels.
    """
    require_columns(series.frame, _NEEDED, "series")
    keys = [key for key in KEYS if key in series.frame.columns]
    require_one_file(series.frame, keys, "series")
    whole = series.frame
    if "host" in whole.columns:
        whole = whole.filter(pl.col("host").is_null())
    intervals = (
        whole.group_by(*keys, "t_s", "interval_s")
        .agg(all_or_null("ios"))
        .sort(*keys, "t_s", nulls_last=True)
    )
    found = intervals.filter(
        pl.col("ios").is_not_null(), pl.int_range(pl.len()).over(keys) < pl.len().over(keys) - 1
    )
    if found.is_empty():
        raise AbsentError("series: no line has more than one interval with a count of I/Os")
    still = pl.when(pl.col("ios") == 0).then(pl.col("interval_s")).otherwise(0.0)
    return found.with_columns(
        (pl.col("ios") / pl.col("interval_s")).alias("iops"),
        still.sum().over(keys).alias("stalled_s"),
    )


_ROUNDING = 1e-9
_POINT_KEYS = (*CURVE_KEYS, "load", "repeat")


@step(version=1, name="series.sum_over_jobs")
def sum_over_jobs(
    logs: Measured, points: Measured, *, window_s: float = 1.0, direction: str = "total"
) -> pl.DataFrame:
    """The IOPS of each load point over time: the sum over its jobs, window by window.

    The jobs' windows do not end at the same moments. A job's IOPS in a window are the mean of its
    entries that end in it; a window in which a job has no entry is left out, and so is the last
    one, which may not be whole. A result of which some job's log is missing is left out: a sum
    over the others would look like all.

    Args:
        logs: ``fio_logs``, as a study reads them.
        points: ``load_points``; ``source`` is the result that a log belongs to.
        window_s: Length of a window in seconds, at least that of the log's own.
        direction: read, write, trim, or the total of those that were logged.

    Returns:
        The keys and load of each load point, ``source``, ``t_s`` (end of the window), ``window_s``
        and ``iops``.

    Raises:
        AnalysisError: A window that is not a time above 0.
        AbsentError: No load point has an IOPS log of each of its jobs.
    """
    if not 0 < window_s < float("inf"):
        raise AnalysisError(f"a window is a time above 0, not {window_s}")
    require_columns(logs.frame, ("log", "job", "jobs", "result", "direction", "iops"), "fio_logs")
    require_columns(points.frame, ("source", "direction", "load"), "load_points")
    own = logs.frame.filter(
        pl.col("log") == "iops", pl.col("iops").is_not_null(), pl.col("job").is_not_null()
    )
    if direction != "total":
        own = own.filter(pl.col("direction") == direction)
    complete = (
        own.group_by("result")
        .agg(pl.col("job").n_unique().alias("there"), pl.col("jobs").first())
        .filter(pl.col("there") == pl.col("jobs"))
    )
    keyed = with_held(points.frame).filter(pl.col("direction") == direction)
    keys = [name for name in (*_POINT_KEYS, "source") if name in keyed.columns]
    named = keyed.select(keys).unique(subset="source", keep="none")
    found = _summed(own.join(complete.select("result"), on="result", how="semi"), window_s)
    joined = found.join(named, left_on="result", right_on="source", how="inner")
    if joined.is_empty():
        raise AbsentError("no load point has an IOPS log of each of its jobs beside it")
    return (
        joined.rename({"result": "source"})
        .with_columns(pl.lit(window_s).alias("window_s"))
        .select(*keys, "t_s", "window_s", "iops")
        .sort("source", "t_s")
    )


def _summed(rows: pl.DataFrame, window_s: float) -> pl.DataFrame:
    """Result, end of the window and the IOPS of all its jobs."""
    windows = rows.with_columns(
        ((pl.col("t_s") / window_s - _ROUNDING).ceil() * window_s).alias("end")
    )
    by_job = windows.group_by("result", "job", "direction", "end").agg(pl.col("iops").mean())
    parts = by_job.select("result", "job", "direction").unique().group_by("result").len("parts")
    summed = by_job.group_by("result", "end").agg(pl.col("iops").sum(), pl.len().alias("there"))
    whole = summed.join(parts, on="result").filter(pl.col("there") == pl.col("parts"))
    last = pl.col("end") < pl.col("end").max().over("result")
    return whole.filter(last).select("result", pl.col("end").alias("t_s"), "iops")
