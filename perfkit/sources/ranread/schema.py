"""The tables of ``read_ranread``: one row a batch of processes. ``load_points`` comes beside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from perfkit.core.schema import KEYS, Field, Schema

if TYPE_CHECKING:
    import datetime as dt

OK, OFF, NOT_CHECKABLE = "ok", "off", "not checkable"


@dataclass(slots=True)
class PrintedRun:
    """A run as an export or a transcript prints it.

    Attributes:
        line: Its line in the file.
        tool: RanRead, RanWrite or RanIO; None where the file does not say.
        asked_s: Seconds that the command asked for.
        numbers: What its layout prints, by name; None: an empty cell.
    """

    line: int
    tool: str | None = None
    started_at: dt.datetime | None = None
    database: str | None = None
    namespace: str | None = None
    asked_s: int | None = None
    numbers: dict[str, str | None] = field(default_factory=dict)


RANREAD_RUNS: Schema = {
    "tool": Field(pl.String, None, "RanRead, RanWrite or RanIO; null: the file does not say"),
    "layout": Field(pl.String, None, "which layout the row was in: see perfkit.sources.ranread"),
    "host": KEYS["host"],
    "position": Field(pl.Int64, None, "place of the run in its file, from 1"),
    "job": Field(pl.Int64, None, "number of the parent job (console only)"),
    "started_at": Field(pl.Datetime("us"), None, "RunDate and RunTime, local time"),
    "database": Field(pl.String, None, "database directory"),
    "namespace": Field(pl.String, None, "namespace"),
    "processes": Field(pl.Int64, None, "worker processes: the load point"),
    "iterations": Field(pl.Int64, None, "of one job (the tool prints no total)"),
    "read_target_ratio": Field(pl.Float64, None, "ReadPct: the share of reads that was asked for"),
    "reads": Field(pl.Int64, None, "reads of all jobs"),
    "writes": Field(pl.Int64, None, "writes of all jobs: into the database cache, not to disk"),
    "read_iops": Field(pl.Float64, "1/s", "reads per second"),
    "write_iops": Field(pl.Float64, "1/s", "writes per second into memory: no disk writes"),
    "total_iops": Field(pl.Float64, "1/s", "IOPS as printed, else reads + writes"),
    "response_time_s": Field(pl.Float64, "s", "mean response time"),
    "response_time_origin": Field(
        pl.String, None, "printed, or derived (processes / IOPS: the tool prints none since 2024)"
    ),
    "little_ratio": Field(pl.Float64, None, "total_iops x response time / processes"),
    "little_check": Field(
        pl.String, None, "ok, off (columns are mixed up, or a value is wrong), or not checkable"
    ),
    "elapsed_s": Field(pl.Float64, "s", "console only; null where the clock wrapped around"),
    "crosses_midnight": Field(
        pl.Boolean, None, "the run's own clock wrapped around, or may have; null: not known"
    ),
    "reads_stddev": Field(pl.Float64, None, "over the jobs, of their reads"),
    "writes_stddev": Field(pl.Float64, None, "over the jobs, of their writes"),
    "read_iops_stddev": Field(pl.Float64, "1/s", "over the jobs"),
    "write_iops_stddev": Field(pl.Float64, "1/s", "over the jobs"),
    "reads_cv_ratio": Field(pl.Float64, None, "standard deviation / mean of the jobs' reads"),
    "writes_cv_ratio": Field(pl.Float64, None, "standard deviation / mean of the jobs' writes"),
    "read_iops_cv_ratio": Field(pl.Float64, None, "standard deviation / mean over the jobs"),
    "write_iops_cv_ratio": Field(pl.Float64, None, "standard deviation / mean over the jobs"),
    "line": Field(pl.Int64, None, "line of the file"),
}
"""One row a run. ``load_points``: load_kind ``processes``, load = processes, repeat: from 1."""
