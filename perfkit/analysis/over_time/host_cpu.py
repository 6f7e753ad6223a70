"""How busy the hosts were at each load point, and with what."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from perfkit.analysis.curves.series import groups, require_columns, require_one_file
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

PARTS = ("cpu_user_ratio", "cpu_system_ratio", "cpu_other_ratio", "cpu_iowait_ratio")
"""The parts of a host's CPU time that are drawn; the last is idle time with I/O outstanding."""

_POINT = ("system", "config", "workload", "load_kind", "load", "host")
_READ = ("cpu_busy_ratio", "cpu_user_ratio", "cpu_system_ratio", "cpu_iowait_ratio")


@step(version=1, name="host.cpu_by_load")
def cpu_by_load(host_series: Measured, spec: Measured | None = None) -> pl.DataFrame:
    """The mean CPU shares of each load point and host, over its samples after the ramp.

    One row a system, configuration, workload, load kind, load and host, with
    ``cpu_busy_ratio``, ``cpu_user_ratio``, ``cpu_system_ratio``, ``cpu_other_ratio`` (busy with
    neither: interrupts, time taken by the hypervisor), ``cpu_iowait_ratio``, and ``samples``
    and ``repeats`` behind them. The mean of a repeat is over its samples, which are a second
    apart; that of the load point over the repeats' means. A share that no sample has is null.
    ``spec`` is the run's table of that name: its ``ramp_s`` is left out from the beginning of
    each repeat; without it nothing is.

    Raises AnalysisError when nothing was sampled after the ramp, or two files have the samples of
    one load point, repeat and host.
    """
    require_columns(host_series.frame, [*_POINT[2:5], "repeat", "t_s", *_READ], "host_series")
    ramp_s = 0.0
    if spec is not None:
        require_columns(spec.frame, ["field", "value"], "spec")
        ramp_s = float(dict(spec.frame.select("field", "value").rows()).get("ramp_s") or 0.0)
    frame = host_series.frame
    absent = [name for name in ("system", "config", "host") if name not in frame.columns]
    frame = frame.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in absent)
    require_one_file(frame.filter(pl.col("load").is_not_null()), (*_POINT, "repeat"), "host_series")
    found = [
        {**keys, **means}
        for keys, rows in groups(frame, _POINT, ("repeat", "t_s"))
        for means in [_means(rows, ramp_s)]
        if keys["load"] is not None and means["samples"]
    ]
    if not found:
        raise AbsentError(f"host_series: no sample of a load point after {ramp_s:g} s")
    whole = {"samples": pl.Int64, "repeats": pl.Int64}
    types = {
        name: pl.String if name in _POINT and name != "load" else whole.get(name, pl.Float64)
        for name in found[0]
    }
    return pl.DataFrame(found, schema=types)


def _means(rows: Sequence[Row], ramp_s: float) -> Row:
    repeats: dict[int | None, list[Row]] = {}
    begin, before = 0.0, object()
    for row in rows:
        # an interval counts when it began after the ramp; its time is that of its end
        begin = 0.0 if row["repeat"] != before else begin
        if begin >= ramp_s and row["cpu_busy_ratio"] is not None:
            repeats.setdefault(row["repeat"], []).append(row)
        begin, before = row["t_s"] or begin, row["repeat"]
    means = {
        name: _mean([_mean([row[name] for row in part]) for part in repeats.values()])
        for name in _READ
    }
    user, system, busy = (means[f"cpu_{name}_ratio"] for name in ("user", "system", "busy"))
    other = None
    if user is not None and system is not None and busy is not None:
        other = max(busy - user - system, 0.0)
    return {
        **means,
        "cpu_other_ratio": other,
        "samples": sum(len(part) for part in repeats.values()),
        "repeats": len(repeats),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; null when one is missing, for a mean of the others would be of something else."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None
