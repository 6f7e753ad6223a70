"""The IOPS of a result over time, from fio's logs: added over its jobs, where all have one."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.series import CURVE_KEYS, require_columns, with_held
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step

_ROUNDING = 1e-9
_KEYS = (*CURVE_KEYS, "load", "repeat")


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
    keys = [name for name in (*_KEYS, "source") if name in keyed.columns]
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
