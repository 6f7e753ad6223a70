"""The steps of a SAS workload: the longest, time by procedure, and those that wait."""

from __future__ import annotations

from datetime import timedelta
from operator import itemgetter

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

_NEEDED = ("file", "step", "name", "line", "real_time_s", "cpu_s", "cas_requests")
BLOCK_BYTES = 512
"""A block of getrusage's ru_inblock and ru_oublock on Linux."""

IO_BYTES_PER_S = 10e6
"""A step that waits and moves at least so much from and to disks is said to wait on I/O."""

IOWAIT_RATIO = 0.05
"""Or, where a log counts no blocks, one during which so much of the host's CPU time was iowait."""

WAITED_SHARE = 0.05
"""A step that waits for less of its elapsed time is said to wait, but not on what."""

_JOB = ("log", "system", "repeat", "test", "class", "stream", "os")


def _of_jobs(steps: Measured, jobs: Measured) -> pl.DataFrame:
    require_columns(steps.frame, _NEEDED, "steps")
    require_columns(jobs.frame, _JOB, "jobs")
    keys = jobs.frame.select(_JOB)
    own = steps.frame.drop([name for name in _JOB if name in steps.frame.columns])
    return own.join(keys, left_on="file", right_on="log", how="inner").with_columns(
        pl.col("cas_requests").is_not_null().alias("cas")
    )


@step(version=1, name="sas.longest_steps")
def longest_steps(steps: Measured, jobs: Measured, *, count: int = 10) -> pl.DataFrame:
    """The steps of the longest elapsed time, the longest first; steps of unknown time are none.

    Returns:
        ``system``, ``repeat``, ``test``, ``stream``, ``log``, ``step``, ``name``, ``line``,
        ``real_time_s``, ``cpu_s``, ``ratio`` (null for CAS steps), ``cas``.

    Raises:
        AbsentError: No step's elapsed time is known.
    """
    timed = _of_jobs(steps, jobs).filter(pl.col("real_time_s").is_not_null())
    if timed.is_empty():
        raise AbsentError("no step's elapsed time is known")
    known = pl.col("real_time_s") > 0
    return (
        timed.sort("real_time_s", "file", "step", descending=[True, False, False])
        .head(count)
        .select(
            "system",
            "repeat",
            "test",
            "stream",
            pl.col("file").alias("log"),
            "step",
            "name",
            "line",
            "real_time_s",
            "cpu_s",
            pl.when(known & ~pl.col("cas"))
            .then(pl.col("cpu_s") / pl.col("real_time_s"))
            .alias("ratio"),
            "cas",
        )
    )


@step(version=3, name="sas.procedures")
def procedures(steps: Measured, jobs: Measured) -> pl.DataFrame:
    """Elapsed and CPU time by kind of step, per run of the workload; CAS steps by themselves.

    Returns:
        ``system``, ``name`` (DATA or the procedure), ``cas``, ``runs``, ``steps``, ``untimed``
        (steps of unknown elapsed time, which are in no sum), and means per run: ``real_time_s``,
        ``cpu_s`` (null where no step's is known), ``share`` of the system's elapsed time of all
        steps, ``ratio`` (CPU to real, of the steps with both; null for CAS steps), and ``place``:
        1 for the kind of step that took longest on any of the systems.
    """
    frame = _of_jobs(steps, jobs)
    runs = jobs.frame.group_by("system").agg(
        pl.col("repeat").n_unique().cast(pl.Int64).alias("runs")
    )
    real, cpu = pl.col("real_time_s"), pl.col("cpu_s")
    both = real.is_not_null() & cpu.is_not_null()
    total = real.filter(both).sum()
    sums = frame.group_by("system", "name", "cas", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("steps"),
        real.null_count().cast(pl.Int64).alias("untimed"),
        *(
            pl.when(column.count() > 0).then(column.sum()).alias(name)
            for name, column in (("real_time_s", real), ("cpu_s", cpu))
        ),
        pl.when(~pl.col("cas").first() & (total > 0))
        .then(cpu.filter(both).sum() / total)
        .alias("ratio"),
    )
    of_all = real.sum().over("system")
    found = sums.join(runs, on="system", maintain_order="left").select(
        "system",
        "name",
        "cas",
        "runs",
        "steps",
        "untimed",
        real / pl.col("runs"),
        cpu / pl.col("runs"),
        pl.when(of_all > 0).then(real / of_all).alias("share"),
        "ratio",
    )
    longest = (
        found.group_by("name", "cas")
        .agg(pl.col("real_time_s").max())
        .sort("real_time_s", "name", "cas", descending=[True, False, False], nulls_last=True)
    )
    places = longest.select("name", "cas", pl.int_range(1, pl.len() + 1).alias("place"))
    return found.join(places, on=["name", "cas"]).sort(
        "system", "real_time_s", "name", descending=[False, True, False], nulls_last=True
    )


ON_IO = "waiting on I/O"
"""The verdict on a step whose wait was on I/O."""

WAITING = {
    "system": pl.String, "repeat": pl.Int64, "test": pl.String, "stream": pl.Int64,
    "log": pl.String, "step": pl.Int64, "name": pl.String, "line": pl.Int64,
    "real_time_s": pl.Float64, "cpu_s": pl.Float64, "ratio": pl.Float64, "waiting_s": pl.Float64,
    "disk_bytes_per_s": pl.Float64, "cpu_iowait_ratio": pl.Float64, "verdict": pl.String,
    "shortest_s": pl.Float64,
}  # fmt: skip


@step(version=2, name="sas.waiting_steps")
def waiting_steps(
    steps: Measured,
    jobs: Measured,
    throughput: Measured | None = None,
    *,
    shortest_s: float = 1.0,
) -> pl.DataFrame:
    """Steps whose CPU time is less than their elapsed time, the longest waits first.

    A ratio below 1 says that a step waited, not on what. "waiting on I/O" needs support: the step's
    blocks (of Linux, 512 bytes; a log that names no system is taken for one of Linux), by time at
    least ``IO_BYTES_PER_S``; where the log counts none, a host series with iowait of
    ``IOWAIT_RATIO`` while it ran. CAS steps wait for a server and are left out.

    Args:
        steps: Of ``read_sas``.
        jobs: Of ``sas.jobs``.
        throughput: Of ``sas.throughput``.
        shortest_s: Steps that took less are left out.

    Returns:
        ``system``, ``repeat``, ``test``, ``stream``, ``log``, ``step``, ``name``, ``line``,
        ``real_time_s``, ``cpu_s``, ``ratio``, ``waiting_s`` (real less CPU: at least so long),
        ``disk_bytes_per_s``, ``cpu_iowait_ratio``, ``verdict``: "waiting on I/O" or "waiting", and
        ``shortest_s`` as given.

    Raises:
        AbsentError: No such step.
    """
    every = _of_jobs(steps, jobs)
    frame = every.filter(
        ~pl.col("cas"), pl.col("real_time_s") >= shortest_s, pl.col("cpu_s") < pl.col("real_time_s")
    )
    if frame.is_empty():
        apart = ", CAS steps apart," if every["cas"].any() else ""
        took = f"took {shortest_s:g} s or longer{apart}"
        raise AbsentError(f"no step is known that {took} and used less CPU time than elapsed time")
    samples = throughput.frame.rows(named=True) if throughput else []
    series: dict[tuple[str, int], list[Row]] = rows_by(samples, itemgetter("system", "repeat"))
    rows = []
    for row in frame.rows(named=True):
        moved, iowait = _disk_rate(row), _iowait(row, series)
        waited = 1 - row["cpu_s"] / row["real_time_s"] >= WAITED_SHARE
        on_io = waited and _supported(moved, iowait)
        rows.append(
            {
                **{name: row[name] for name in WAITING if name in row},
                "log": row["file"],
                "ratio": row["cpu_s"] / row["real_time_s"],
                "waiting_s": row["real_time_s"] - row["cpu_s"],
                "disk_bytes_per_s": moved,
                "cpu_iowait_ratio": iowait,
                "verdict": ON_IO if on_io else "waiting",
                "shortest_s": shortest_s,
            }
        )
    return pl.DataFrame(rows, schema=WAITING).sort(
        "waiting_s", "log", "step", descending=[True, False, False]
    )


def _supported(moved: float | None, iowait: float | None) -> bool:
    """Whether anything says that the wait was on I/O: the step's own blocks before the host's."""
    if moved is not None:
        return moved >= IO_BYTES_PER_S
    return iowait is not None and iowait >= IOWAIT_RATIO


def _disk_rate(row: Row) -> float | None:
    """Bytes by blocks and elapsed time; None without block counts, or of an unknown size."""
    if row["os"] not in {None, "Linux"}:
        return None
    blocks = [row.get("block_input_operations"), row.get("block_output_operations")]
    known = [count for count in blocks if count is not None]
    return sum(known) * BLOCK_BYTES / row["real_time_s"] if len(known) == len(blocks) else None


def _iowait(row: Row, series: dict[tuple[str, int], list[Row]]) -> float | None:
    """The host's mean iowait over the samples that end while the step runs; None without any."""
    if row.get("start") is None or row.get("timestamp") is None:
        return None
    slack = timedelta(seconds=1)
    samples = [
        sample["cpu_iowait_ratio"]
        for sample in series.get((row["system"], row["repeat"]), ())
        if row["start"] - slack <= sample["time"] <= row["timestamp"] + slack
        and sample["cpu_iowait_ratio"] is not None
    ]
    return sum(samples) / len(samples) if samples else None
