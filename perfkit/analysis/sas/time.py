"""A SAS workload over time: how many jobs ran at once, and what the host moved meanwhile."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.analysis.sas.jobs import CLASSES, JobTable, RunOf, runs_of
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import ColumnTypes, Row

_NEEDED = ("log", "system", "repeat", "class", "start", "end")

CONCURRENCY: ColumnTypes = {
    "system": pl.String, "repeat": pl.Int64, "t_s": pl.Float64, "jobs": pl.Int64,
    **dict.fromkeys(CLASSES, pl.Int64),
}  # fmt: skip
SUMMARY: ColumnTypes = {
    "system": pl.String, "repeat": pl.Int64, "jobs": pl.Int64, "first_start": pl.Datetime("us"),
    "last_end": pl.Datetime("us"), "span_s": pl.Float64, "concurrency_mean": pl.Float64,
    "concurrency_peak": pl.Int64, "peak_at_s": pl.Float64, "reason": pl.String,
}  # fmt: skip
THROUGHPUT: ColumnTypes = {
    "system": pl.String, "repeat": pl.Int64, "t_s": pl.Float64, "time": pl.Datetime("us"),
    "read_bytes_per_s": pl.Float64, "write_bytes_per_s": pl.Float64,
    "bytes_per_s": pl.Float64, "cpu_iowait_ratio": pl.Float64,
}  # fmt: skip


@step(version=1, name="sas.concurrency")
def concurrency(jobs: Measured) -> pl.DataFrame:
    """Jobs that run at the same time: a row at each change, in seconds since the run's first start.

    Starts and ends have a resolution of 1 s; a job that ends in the second in which another begins
    is not counted beside it. Runs of which any job's start or end is unknown are left out.

    Returns:
        ``system``, ``repeat``, ``t_s``, ``jobs`` from then on, and of each class.
    """
    require_columns(jobs.frame, _NEEDED, "jobs")
    rows: list[Row] = []
    for system, repeat in runs_of(jobs.frame.rows(named=True)):
        own = jobs.frame.filter(system=system, repeat=repeat).rows(named=True)
        if _lacking(own):
            continue
        for moment, count in _changes(own).items():
            rows.append({"system": system, "repeat": repeat, "t_s": moment, **count})
    return pl.DataFrame(rows, schema=CONCURRENCY)


def _changes(jobs: list[Row]) -> dict[float, dict[str, int]]:
    """Second since the first start -> jobs running from then on, in all and by class."""
    origin = first_start(jobs)
    deltas: dict[float, dict[str, int]] = {}
    for job in jobs:
        begin, end = (_second(job[name], origin) for name in ("start", "end"))
        for moment, sign in ((begin, 1), (max(end, begin), -1)):
            change = deltas.setdefault(moment, dict.fromkeys(("jobs", *CLASSES), 0))
            change["jobs"] += sign
            change[job["class"]] += sign
    running = dict.fromkeys(("jobs", *CLASSES), 0)
    found = {}
    for moment in sorted(deltas):
        running = {name: running[name] + deltas[moment][name] for name in running}
        found[moment] = running
    return found


def first_start(jobs: list[Row]) -> datetime:
    """The start of a run: of its first job, to the second."""
    first: datetime = min(job["start"] for job in jobs)
    return first.replace(microsecond=0)


def _second(moment: datetime, origin: datetime) -> float:
    return float((moment - origin) // timedelta(seconds=1))


def _lacking(jobs: list[Row]) -> int:
    return sum(job["start"] is None or job["end"] is None for job in jobs)


@step(version=1, name="sas.runs")
def runs(jobs: Measured) -> pl.DataFrame:
    """Each run of the workload: when, how long, and the mean and peak number of jobs at once.

    The mean is the jobs' elapsed times by start and end, divided by the span from the first start
    to the last end. Where a job's times are unknown, ``reason`` says so and the rest is null.

    Returns:
        ``system``, ``repeat``, ``jobs``, ``first_start``, ``last_end``, ``span_s``,
        ``concurrency_mean``, ``concurrency_peak``, ``peak_at_s``, ``reason``.
    """
    require_columns(jobs.frame, _NEEDED, "jobs")
    rows = []
    for system, repeat in runs_of(jobs.frame.rows(named=True)):
        own = jobs.frame.filter(system=system, repeat=repeat).rows(named=True)
        row: Row = {"system": system, "repeat": repeat, "jobs": len(own)}
        missing = _lacking(own)
        if missing:
            row["reason"] = f"start or end of {missing} of {len(own)} jobs is not in the logs"
        else:
            origin, last = first_start(own), max(job["end"] for job in own)
            span = _second(last, origin)
            busy = sum(_second(job["end"], origin) - _second(job["start"], origin) for job in own)
            changes = _changes(own)
            peak_at = max(changes, key=lambda moment: changes[moment]["jobs"])
            row |= {
                "first_start": origin,
                "last_end": last,
                "span_s": span,
                "concurrency_mean": busy / span if span else None,
                "concurrency_peak": changes[peak_at]["jobs"],
                "peak_at_s": peak_at,
            }
        rows.append(row)
    return pl.DataFrame(rows, schema=SUMMARY)


@step(version=1, name="sas.throughput")
def throughput(host_series: Measured, jobs: Measured, table: JobTable) -> pl.DataFrame:
    """What the host moved during each run, in seconds since the run's first job began.

    Args:
        host_series: Of iostat, sar or vmstat, as a study reads it (with ``source``). Its clock and
            that of the logs must be in one time zone: the declared one.
        jobs: Of ``sas.jobs``.
        table: The job table; its ``host`` says which file is of which run.

    Returns:
        ``system``, ``repeat``, ``t_s`` and ``time`` (end of the interval), ``read_bytes_per_s``,
        ``write_bytes_per_s``, ``bytes_per_s``, ``cpu_iowait_ratio``.

    Raises:
        AnalysisError: A file of no run, two files of one run, a series without time of day, or jobs
            without times.
    """
    columns = ("source", "time", "disk_read_bytes_per_s", "disk_write_bytes_per_s")
    require_columns(host_series.frame, columns, "host_series")
    require_columns(jobs.frame, _NEEDED, "jobs")
    rows: list[Row] = []
    files: dict[RunOf, str] = {}
    for sample in host_series.frame.rows(named=True):
        run = table.place(sample["source"])
        other = files.setdefault(run, sample["source"])
        if other != sample["source"]:
            raise AnalysisError(
                f"{other} and {sample['source']} are both of {run.system}, run {run.repeat}: "
                "the job table's 'host' must name one"
            )
        if sample["time"] is None:
            raise AbsentError(f"{sample['source']}: has no time of day to place it beside jobs")
        read, written = sample["disk_read_bytes_per_s"], sample["disk_write_bytes_per_s"]
        rows.append(
            {
                "system": run.system,
                "repeat": run.repeat,
                "time": sample["time"],
                "read_bytes_per_s": read,
                "write_bytes_per_s": written,
                "bytes_per_s": None if read is None or written is None else read + written,
                "cpu_iowait_ratio": sample.get("cpu_iowait_ratio"),
            }
        )
    starts = {}
    for system, repeat in runs_of(rows):
        own = jobs.frame.filter(system=system, repeat=repeat).rows(named=True)
        if not own or _lacking(own):
            raise AbsentError(f"{system}, run {repeat}: the jobs' times are not known")
        starts[system, repeat] = first_start(own)
    for row in rows:
        row["t_s"] = (row["time"] - starts[row["system"], row["repeat"]]).total_seconds()
    return pl.DataFrame(rows, schema=THROUGHPUT).sort("system", "repeat", "t_s")
