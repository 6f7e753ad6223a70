"""The tables of ``read_ranread``: one row a batch of processes. ``load_points`` comes beside."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from perfkit.core.schema import KEYS, Schema, flag, moment, number, text, whole

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
    "tool": text("RanRead, RanWrite or RanIO; null: the file does not say"),
    "layout": text("which layout the row was in: see perfkit.sources.ranread"),
    "host": KEYS["host"],
    "position": whole("place of the run in its file, from 1"),
    "job": whole("number of the parent job (console only)"),
    "started_at": moment("RunDate and RunTime, local time"),
    "database": text("database directory"),
    "namespace": text("namespace"),
    "processes": whole("worker processes: the load point"),
    "iterations": whole("of one job (the tool prints no total)"),
    "read_target_ratio": number("ReadPct: the share of reads that was asked for"),
    "reads": whole("reads of all jobs"),
    "writes": whole("writes of all jobs: into the database cache, not to disk"),
    "read_iops": number("reads per second", "1/s"),
    "write_iops": number("writes per second into memory: no disk writes", "1/s"),
    "total_iops": number("IOPS as printed, else reads + writes", "1/s"),
    "response_time_s": number("mean response time", "s"),
    "response_time_origin": text(
        "printed, or derived (processes / IOPS: the tool prints none since 2024)"
    ),
    "little_ratio": number("total_iops x response time / processes"),
    "little_check": text("ok, off (columns are mixed up, or a value is wrong), or not checkable"),
    "elapsed_s": number("console only; null where the clock wrapped around", "s"),
    "crosses_midnight": flag("the run's own clock wrapped around, or may have; null: not known"),
    "reads_stddev": number("over the jobs, of their reads"),
    "writes_stddev": number("over the jobs, of their writes"),
    "read_iops_stddev": number("over the jobs", "1/s"),
    "write_iops_stddev": number("over the jobs", "1/s"),
    "reads_cv_ratio": number("standard deviation / mean of the jobs' reads"),
    "writes_cv_ratio": number("standard deviation / mean of the jobs' writes"),
    "read_iops_cv_ratio": number("standard deviation / mean over the jobs"),
    "write_iops_cv_ratio": number("standard deviation / mean over the jobs"),
    "line": whole("line of the file"),
}
"""One row a run. ``load_points``: load_kind ``processes``, load = processes, repeat: from 1."""
