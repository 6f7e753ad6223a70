"""IOPS over time: all directions of each interval together, and how long a line stood still."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.series import require_columns, require_one_file
from perfkit.analysis.sas.jobs import all_or_null
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step

KEYS = ("system", "config", "workload", "load_kind", "load", "repeat")
"""What one line over time is of."""

_NEEDED = ("workload", "load_kind", "load", "repeat", "t_s", "interval_s", "direction", "ios")


@step(version=1, name="stalls.over_time")
def iops_over_time(series: Measured) -> pl.DataFrame:
    """The IOPS of each interval, over all directions, of every system, load and repeat.

    The last interval of each line is left out: a tool that ends within it has counted only a part,
    which would look like a fall or a stall. An interval of which one direction has no count is left
    out, too: a time that is not covered is a gap, never 0.

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
    intervals = (
        series.frame.group_by(*keys, "t_s", "interval_s")
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
