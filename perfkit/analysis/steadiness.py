"""Whether a sweep held still: stalls inside its points, drift between them, hosts apart."""

from __future__ import annotations

import statistics
from typing import Any

import polars as pl

from perfkit.analysis.series import Row, groups, need
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, step

STALL_FACTOR = 10.0
"""An interval is slow when its p99 is above so many times the point's median p99."""

DRIFT_LIMIT = 0.05
"""A control point that moved by more than this share has drifted."""

BALANCE_LIMIT = 0.10
"""Hosts further apart than this share of their mean are not balanced."""

_POINT = ("point", "workload", "load_kind", "load", "repeat", "direction")

STALLS: dict[str, Any] = {
    "point": pl.String, "workload": pl.String, "load_kind": pl.String, "load": pl.Float64,
    "repeat": pl.Int64, "direction": pl.String, "intervals": pl.Int64, "interval_s": pl.Float64,
    "without_io": pl.Int64, "slow": pl.Int64, "longest_without_io_s": pl.Float64,
    "judged_by": pl.String, "median_s": pl.Float64, "worst_s": pl.Float64, "factor": pl.Float64,
}  # fmt: skip

DRIFT: dict[str, Any] = {
    "workload": pl.String, "load_kind": pl.String, "load": pl.Float64, "controls": pl.Int64,
    "metric": pl.String, "first": pl.Float64, "last": pl.Float64, "lowest": pl.Float64,
    "highest": pl.Float64, "change_ratio": pl.Float64, "spread_ratio": pl.Float64,
    "drifted": pl.Boolean, "limit_ratio": pl.Float64,
}  # fmt: skip

BALANCE: dict[str, Any] = {
    "workload": pl.String, "load_kind": pl.String, "load": pl.Float64, "repeat": pl.Int64,
    "hosts": pl.Int64, "iops_mean": pl.Float64, "slowest": pl.String, "slowest_iops": pl.Float64,
    "fastest": pl.String, "fastest_iops": pl.Float64, "spread_ratio": pl.Float64,
    "balanced": pl.Boolean, "limit_ratio": pl.Float64,
}  # fmt: skip


@step(version=1, name="steadiness.stalls")
def stalls(series: Measured, *, factor: float = STALL_FACTOR) -> pl.DataFrame:
    """The intervals of each point and direction in which the storage stood or was slow.

    ``without_io``: intervals in which no I/O completed. ``slow``: intervals whose 99th percentile
    (where the tool gives none, the mean) is above ``factor`` times the median over the point's
    intervals; ``judged_by`` says which. Drains of an epic-like point are left out: they begin and
    end inside it.

    Raises AnalysisError for a factor that is not above 1.
    """
    if factor <= 1:
        raise AnalysisError(f"factor: {factor:g} marks the usual as slow; it must be above 1")
    need(series.frame, [*_POINT, "t_s", "interval_s", "ios", "lat_p99_s", "lat_mean_s"], "series")
    load = series.frame.filter(pl.col("drain").is_null())
    rows = [{**key, **_stalls(part, factor)} for key, part in groups(load, _POINT, along=("t_s",))]
    return pl.DataFrame(rows, schema=STALLS, orient="row")


def _stalls(rows: list[Row], factor: float) -> Row:
    column = next(
        (name for name in ("lat_p99_s", "lat_mean_s") if any(r[name] is not None for r in rows)),
        None,
    )
    values = [row[column] for row in rows if column and row[column] is not None]
    usual = statistics.median(values) if values else None
    return {
        "intervals": len(rows),
        "interval_s": rows[0]["interval_s"],
        "without_io": sum(row["ios"] == 0 for row in rows),
        "slow": sum(value > factor * usual for value in values) if usual else 0,
        "longest_without_io_s": _longest(rows),
        "judged_by": column,
        "median_s": usual,
        "worst_s": max(values, default=None),
        "factor": factor,
    }


def _longest(rows: list[Row]) -> float:
    """The longest time without I/O, in whole intervals that follow each other."""
    longest = run = 0.0
    for row in rows:
        run = run + row["interval_s"] if row["ios"] == 0 else 0.0
        longest = max(longest, run)
    return longest


@step(version=1, name="steadiness.drift")
def drift(control_points: Measured, *, limit_ratio: float = DRIFT_LIMIT) -> pl.DataFrame:
    """How the control point changed from the first time to the last, by IOPS.

    ``change_ratio`` is last / first - 1, ``spread_ratio`` (highest - lowest) / first. It drifted
    where the change, without its sign, is above the limit.
    """
    keys = ("workload", "load_kind", "load")
    need(control_points.frame, [*keys, "repeat", "direction", "iops"], "control points")
    rows = []
    total = control_points.frame.filter(pl.col("direction") == "total")
    for key, part in groups(total, keys, along=("repeat",)):
        values = [row["iops"] for row in part if row["iops"]]
        if len(values) < 2:  # noqa: PLR2004 - one is no change
            continue
        change = values[-1] / values[0] - 1
        rows.append({
            **key, "controls": len(values), "metric": "iops", "first": values[0],
            "last": values[-1], "lowest": min(values), "highest": max(values),
            "change_ratio": change, "spread_ratio": (max(values) - min(values)) / values[0],
            "drifted": abs(change) > limit_ratio, "limit_ratio": limit_ratio,
        })  # fmt: skip
    return pl.DataFrame(rows, schema=DRIFT, orient="row")


@step(version=1, name="steadiness.host_balance")
def host_balance(host_points: Measured, *, limit_ratio: float = BALANCE_LIMIT) -> pl.DataFrame:
    """How far the load generators of each point lie apart, by IOPS.

    ``spread_ratio`` is (fastest - slowest) / mean; they are balanced where it is within the limit.
    """
    keys = ("workload", "load_kind", "load", "repeat")
    need(host_points.frame, [*keys, "host", "direction", "iops"], "host points")
    rows = []
    total = host_points.frame.filter(pl.col("direction") == "total", pl.col("iops").is_not_null())
    for key, part in groups(total, keys, along=("iops",)):
        mean = statistics.fmean(row["iops"] for row in part)
        spread = (part[-1]["iops"] - part[0]["iops"]) / mean if mean else None
        rows.append({
            **key, "hosts": len(part), "iops_mean": mean,
            "slowest": part[0]["host"], "slowest_iops": part[0]["iops"],
            "fastest": part[-1]["host"], "fastest_iops": part[-1]["iops"],
            "spread_ratio": spread, "balanced": spread is not None and spread <= limit_ratio,
            "limit_ratio": limit_ratio,
        })  # fmt: skip
    return pl.DataFrame(rows, schema=BALANCE, orient="row")
