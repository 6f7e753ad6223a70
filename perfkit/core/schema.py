"""The columns of perfkit's tables: name, type, unit and meaning, and what conform() enforces.

The unit is part of the name; SI base units inside; null where the source said nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.core.errors import ParseError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Field:
    """One column: its polars type, its unit (None: no unit) and what it means."""

    dtype: pl.DataType | type[pl.DataType]
    unit: str | None
    meaning: str


Schema = dict[str, Field]

Row = dict[str, Any]
"""A row of a table, column -> value: its columns and their types are those of a ``Schema``."""

ColumnTypes = dict[str, pl.DataType | type[pl.DataType]]
"""A frame's columns with their polars types: what polars calls its schema."""

KEYS: Schema = {
    "system": Field(pl.String, None, "the storage system under test, from the study"),
    "config": Field(pl.String, None, "the configuration: protocol, release, controller"),
    "workload": Field(pl.String, None, "named workload, or the job's own name"),
    "load_kind": Field(
        pl.String,
        None,
        "what is raised: iodepth, numjobs, rate_iops, threads, host_threads (threads x hosts) ...",
    ),
    "load": Field(pl.Float64, None, "the load point, in the unit of load_kind (rate_iops: 1/s)"),
    "held_kind": Field(pl.String, None, "of a load of two numbers, what is held along a curve"),
    "held": Field(pl.Float64, None, "the number that is held, in the unit of held_kind"),
    "repeat": Field(pl.Int64, None, "repeat of the load point, from 1"),
    "host": Field(pl.String, None, "load generator, by the label given in the study"),
    "direction": Field(
        pl.String, None, "read, write, trim, total, or total with read latency (of all I/O)"
    ),
}

CAUTIONS = Field(
    pl.String, None, "what must be known beside the row: JSON of cautions (perfkit.core.cautions)"
)

PERCENTILES = {
    "lat_p50_s": 0.5,
    "lat_p95_s": 0.95,
    "lat_p99_s": 0.99,
    "lat_p999_s": 0.999,
    "lat_p9999_s": 0.9999,
}
"""Percentile columns and their quantiles: never averaged, only taken from merged histograms."""

LOAD_POINTS: Schema = {
    **KEYS,
    "iops": Field(pl.Float64, "1/s", "completed I/Os per second of run time"),
    "bw_bytes_per_s": Field(pl.Float64, "bytes/s", "payload bytes per second of run time"),
    "lat_mean_s": Field(pl.Float64, "s", "mean latency from submission to completion"),
    "lat_min_s": Field(pl.Float64, "s", "smallest latency"),
    "lat_max_s": Field(pl.Float64, "s", "largest latency"),
    "lat_p50_s": Field(pl.Float64, "s", "median latency; of which latency: percentiles_of"),
    "lat_p95_s": Field(pl.Float64, "s", "95th percentile of latency"),
    "lat_p99_s": Field(pl.Float64, "s", "99th percentile of latency"),
    "lat_p999_s": Field(pl.Float64, "s", "99.9th percentile of latency"),
    "lat_p9999_s": Field(pl.Float64, "s", "99.99th percentile of latency"),
    "percentiles_of": Field(
        pl.String, None, "lat (submission to completion) or clat (without submission)"
    ),
    "ios": Field(pl.Int64, None, "completed I/Os"),
    "runtime_s": Field(pl.Float64, "s", "run time of the direction"),
    "in_flight": Field(pl.Float64, None, "I/Os that the load point keeps in flight (closed loop)"),
    "target_iops": Field(pl.Float64, "1/s", "offered rate of a paced point"),
    "cpu_busy_ratio": Field(pl.Float64, None, "busy share of all the host's CPUs, 0 to 1"),
    "cautions": CAUTIONS,
}
"""One row a load point, repeat, host and direction: every source with load points gives it."""


COMPATIBILITY: Schema = {
    "workload": KEYS["workload"],
    "load_kind": KEYS["load_kind"],
    "hosts": Field(pl.Int64, None, "load generators of a point"),
    "read_block_size_bytes": Field(pl.Float64, "bytes", "mean size of a read, as measured"),
    "write_block_size_bytes": Field(pl.Float64, "bytes", "mean size of a write, as measured"),
    "read_ratio": Field(pl.Float64, None, "the mix: reads among reads and writes, as measured"),
    "percentiles_of": LOAD_POINTS["percentiles_of"],
    "tool": Field(pl.String, None, "the load generator, where a sweep names it"),
    "engine": Field(pl.String, None, "how it submits I/O: libaio, psync, io_uring ..."),
    "direct": Field(pl.String, None, "yes: the page cache is bypassed; no"),
    "pattern": Field(pl.String, None, "random or sequential"),
    "rate_limit": Field(pl.String, None, "what a closed loop is held to beside its load; no"),
    "active_set_bytes": Field(pl.Int64, "bytes", "size of what is read and written"),
    "preconditioning": Field(pl.String, None, "what was written before, such as fills"),
    "distribution": Field(pl.String, None, "where random I/Os go: uniform, zipf, a hot region"),
    "block_mix": Field(pl.String, None, "sizes and their shares, where there are several; no"),
    "think_time": Field(pl.String, None, "pause of a job after an I/O; no"),
    "fsync_every": Field(pl.String, None, "after how many writes they are made to last; no"),
    "dedupe_percent": Field(pl.String, None, "share of blocks written that repeat another"),
    "compress_percent": Field(pl.String, None, "share by which what is written compresses"),
    "targets": Field(pl.String, None, "files' folders or devices that are one load"),
    "files": Field(pl.String, None, "files in each folder"),
    "numa_nodes": Field(pl.String, None, "NUMA nodes whose processors run the jobs; any"),
    "background_iops": Field(pl.String, None, "offered rate of a load beside the measured one; no"),
}
"""The compatibility key of a curve: what must agree before two of them are compared.

A field that one source does not say is no difference; one that differs is refused, or allowed by
its name and marked.
"""


def _latency_fields(kind: str, meaning: str) -> Schema:
    """The statistics fio gives for one kind of latency; null where the direction has none."""
    return {
        f"{kind}_n": Field(pl.Int64, None, f"samples of {meaning}"),
        f"{kind}_min_s": Field(pl.Float64, "s", f"smallest {meaning}"),
        f"{kind}_max_s": Field(pl.Float64, "s", f"largest {meaning}"),
        f"{kind}_mean_s": Field(pl.Float64, "s", f"mean {meaning}"),
        f"{kind}_stddev_s": Field(pl.Float64, "s", f"standard deviation of {meaning}"),
    }


FIO_JOB: Schema = {
    "hostname": Field(pl.String, None, "load generator as fio names it (client/server only)"),
    "port": Field(pl.Int64, None, "its port: hosts are told apart by name and port"),
    "job": Field(pl.Int64, None, "place of the job in the file, from 0"),
    "jobname": Field(pl.String, None, "the job's name"),
    "groupid": Field(pl.Int64, None, "fio's group: jobs of one group ran at the same time"),
}

FIO_SUMMARY: Schema = {
    **FIO_JOB,
    "error": Field(pl.Int64, None, "fio's error number for the job; 0: none"),
    "direction": Field(pl.String, None, "read, write, trim, or mixed (unified_rw_reporting)"),
    "ios": Field(pl.Int64, None, "completed I/Os"),
    "short_ios": Field(pl.Int64, None, "I/Os that came back shorter than asked"),
    "drop_ios": Field(pl.Int64, None, "I/Os dropped"),
    "io_bytes": Field(pl.Int64, "bytes", "payload"),
    "runtime_s": Field(pl.Float64, "s", "run time of this direction"),
    "iops": Field(pl.Float64, "1/s", "ios / runtime_s"),
    "bw_bytes_per_s": Field(pl.Float64, "bytes/s", "io_bytes / runtime_s"),
    **_latency_fields("slat", "submission latency"),
    **_latency_fields("clat", "completion latency (from submission done)"),
    **_latency_fields("lat", "latency from submission to completion"),
    "iops_samples": Field(pl.Int64, None, "fio's samples (one in 0.5 s) behind the next four"),
    "iops_sample_min": Field(pl.Float64, "1/s", "smallest sample"),
    "iops_sample_max": Field(pl.Float64, "1/s", "largest sample"),
    "iops_sample_mean": Field(pl.Float64, "1/s", "mean of the samples; not the same as iops"),
    "iops_sample_stddev": Field(pl.Float64, "1/s", "standard deviation of the samples"),
    "fio_usr_ratio": Field(pl.Float64, None, "user CPU of fio's own process, per run time"),
    "fio_sys_ratio": Field(pl.Float64, None, "system CPU of fio's own process, per run time"),
    "context_switches": Field(pl.Int64, None, "of fio's own process"),
    "major_faults": Field(pl.Int64, None, "of fio's own process"),
    "minor_faults": Field(pl.Int64, None, "of fio's own process"),
}
"""One row a job and direction that did I/O; what belongs to the job stands in each of its rows."""

_KIND = Field(pl.String, None, "slat (submission), clat (completion) or lat (both)")

PERCENTILE: Schema = {
    "direction": Field(pl.String, None, "read, write, trim, sync, mixed or total"),
    "kind": _KIND,
    "percentile": Field(pl.Float64, None, "percent of the samples at or below the value, 0 to 100"),
    "value_s": Field(pl.Float64, "s", "the latency"),
    "samples": Field(pl.Int64, None, "samples of the distribution"),
}

HISTOGRAM: Schema = {
    "direction": Field(pl.String, None, "read, write, trim, sync, mixed or total"),
    "kind": _KIND,
    "lower_s": Field(pl.Float64, "s", "lower edge of the bucket, inside it"),
    "value_s": Field(
        pl.Float64, "s", "what a percentile is given as: the bucket's middle (fio), its upper edge"
    ),
    "upper_s": Field(pl.Float64, "s", "upper edge of the bucket, outside it"),
    "count": Field(pl.Int64, None, "samples in the bucket"),
}

FIO_PERCENTILES: Schema = {**FIO_JOB, **PERCENTILE}
FIO_HISTOGRAM: Schema = {**FIO_JOB, **HISTOGRAM}

FIO_JOB_OPTIONS: Schema = {
    **FIO_JOB,
    "scope": Field(pl.String, None, "job, or global (of the whole file: no job named)"),
    "option": Field(pl.String, None, "the option's name in fio's writing"),
    "value": Field(pl.String, None, "its value in fio's writing"),
}

FIO_DISK_UTIL: Schema = {
    "hostname": FIO_JOB["hostname"],
    "port": FIO_JOB["port"],
    "device": Field(pl.String, None, "the disk under the file; other processes are counted too"),
    "read_ios": Field(pl.Int64, None, "reads the disk completed"),
    "write_ios": Field(pl.Int64, None, "writes the disk completed"),
    "read_merges": Field(pl.Int64, None, "reads merged into others"),
    "write_merges": Field(pl.Int64, None, "writes merged into others"),
    "read_ticks_s": Field(pl.Float64, "s", "time spent on reads, summed over them"),
    "write_ticks_s": Field(pl.Float64, "s", "time spent on writes, summed over them"),
    "in_queue_s": Field(pl.Float64, "s", "time in the queue, summed over all requests"),
    "util_ratio": Field(pl.Float64, None, "share of time with a request in flight"),
}

FIO_STEADY_STATE: Schema = {
    **FIO_JOB,
    "criterion": Field(pl.String, None, "what was asked for, in fio's writing"),
    "duration_s": Field(pl.Float64, "s", "window"),
    "attained": Field(pl.Boolean, None, "whether it was reached"),
    "measured": Field(pl.String, None, "the deviation or slope of the last window, as written"),
    "iops_mean": Field(pl.Float64, "1/s", "mean of the last window"),
    "bw_mean_bytes_per_s": Field(pl.Float64, "bytes/s", "mean of the last window"),
}

FIO_SYNC: Schema = {
    **FIO_JOB,
    "syncs": Field(pl.Int64, None, "fsync, fdatasync and sync_file_range calls"),
    **{
        name: item
        for name, item in _latency_fields("lat", "latency of a sync call").items()
        if name != "lat_n"
    },
}
"""One row a job that synced. This time is in none of the write latencies."""

_LINE = Field(pl.Int64, None, "the phase's line in the file")

ELBENCHO_PHASES: Schema = {
    "line": _LINE,
    "operation": Field(pl.String, None, "the phase in elbencho's writing: READ, RWMIX75 ..."),
    "started": Field(pl.String, None, "when it began, as written"),
    "label": Field(pl.String, None, "the label given to elbencho"),
    "first_done_s": Field(pl.Float64, "s", "until the first thread was done"),
    "last_done_s": Field(pl.Float64, "s", "until the last thread was done"),
    "entries": Field(pl.Int64, None, "files or directories, where the phase is about such"),
    "cpu_busy_ratio": LOAD_POINTS["cpu_busy_ratio"],
    "threads": Field(pl.Int64, None, "threads of each host"),
    "hosts": Field(pl.Int64, None, "hosts"),
    "iodepth": Field(pl.Int64, None, "I/Os in flight of each thread"),
    "block_bytes": Field(pl.Int64, "bytes", "size of one I/O"),
    "file_bytes": Field(pl.Int64, "bytes", "size of each file or device"),
    "path_type": Field(pl.String, None, "file, dir or bdev"),
}
ELBENCHO_PERCENTILES: Schema = {"line": _LINE, **PERCENTILE}
ELBENCHO_HISTOGRAM: Schema = {"line": _LINE, **HISTOGRAM}

ELBENCHO_JOB_OPTIONS: Schema = {
    "workload": KEYS["workload"],
    "load_kind": KEYS["load_kind"],
    "load": KEYS["load"],
    **FIO_JOB_OPTIONS,
}

_FIO_LOG: Schema = {
    "line": Field(pl.Int64, None, "line of the file"),
    "log": Field(pl.String, None, "what is logged: bw, iops, lat, slat, clat or a histogram"),
    "job": Field(pl.Int64, None, "fio's number of the job, from 1; null: one log for all jobs"),
    "jobs": Field(pl.Int64, None, "jobs of the result that named the log: each has such a log"),
    "result": Field(pl.String, None, "the result beside it whose job options name the log"),
    "direction": KEYS["direction"],
    "t_s": Field(pl.Float64, "s", "time of the entry, since the job began (or since 1970)"),
}

FIO_LOGS: Schema = {
    **_FIO_LOG,
    "single_io": Field(pl.Boolean, None, "of one I/O; else the mean of a window that ends here"),
    "bw_bytes_per_s": Field(pl.Float64, "bytes/s", "of a log of bandwidth"),
    "iops": Field(pl.Float64, "1/s", "of a log of IOPS; null of one I/O"),
    "latency_s": Field(pl.Float64, "s", "of a log of latency: submission, completion or both"),
}
"""fio's logs over time. What ``log`` is not of is null, and latencies of an unknown unit."""

FIO_LOG_HISTOGRAM: Schema = {
    **_FIO_LOG,
    "lower_s": Field(pl.Float64, "s", "lower edge of the bucket, inside it"),
    "upper_s": Field(pl.Float64, "s", "upper edge, outside it"),
    "count": Field(pl.Int64, None, "I/Os in the bucket and interval"),
}

ELBENCHO_SERIES: Schema = {
    **{name: KEYS[name] for name in ("workload", "load_kind", "load")},
    "label": ELBENCHO_PHASES["label"],
    "operation": ELBENCHO_PHASES["operation"],
    "repeat": Field(pl.Int64, None, "how often the phase was run in the file, from 1"),
    "rank": Field(pl.String, None, "Total, or the number of a thread or host, from 0"),
    "host": KEYS["host"],
    "direction": KEYS["direction"],
    "t_s": Field(pl.Float64, "s", "end of the interval, since the phase began"),
    "interval_s": Field(pl.Float64, "s", "length of the interval"),
    "bw_bytes_per_s": Field(pl.Float64, "bytes/s", "payload per second of the interval"),
    "lat_mean_s": Field(pl.Float64, "s", "mean latency in the interval"),
}

RUN_POINT: Schema = {
    "point": Field(pl.String, None, "the point's name in the run directory"),
    "workload": KEYS["workload"],
    "load_kind": KEYS["load_kind"],
    "load": KEYS["load"],
    "repeat": KEYS["repeat"],
}

_RUN_RESULT: Schema = {**RUN_POINT, "cautions": CAUTIONS}

RUN_POINTS: Schema = {
    **_RUN_RESULT,
    "role": Field(pl.String, None, "point, or control: the same load again, to show drift"),
    "order": Field(pl.Int64, None, "place in the order of measuring, from 1"),
    "wall_s": Field(pl.Float64, "s", "time fio took in all"),
    "exit_code": Field(pl.Int64, None, "fio's exit code"),
    "closed_loop": Field(pl.Boolean, None, "whether a new I/O waits for one to complete"),
    "in_flight": LOAD_POINTS["in_flight"],
    "target_iops": LOAD_POINTS["target_iops"],
    "cpu_busy_ratio": LOAD_POINTS["cpu_busy_ratio"],
    "warnings": Field(pl.String, None, "what an accepted point shows, one a line"),
}

RUN_PERCENTILES: Schema = {**_RUN_RESULT, **PERCENTILE}
RUN_HISTOGRAM: Schema = {**_RUN_RESULT, **HISTOGRAM}
RUN_JOB_OPTIONS: Schema = {"point": RUN_POINT["point"], **FIO_JOB_OPTIONS}
RUN_COMMANDS: Schema = {
    **RUN_POINT,
    "file": Field(pl.String, None, "job file as the tool was given it, or command.json"),
    "text": Field(pl.String, None, "the job file; of command.json the command, as for a shell"),
}
RUN_DISK_UTIL: Schema = {**RUN_POINT, **FIO_DISK_UTIL}

RUN_HOST_SERIES: Schema = {
    **RUN_POINT,
    "host": Field(pl.String, None, "the host that was sampled; null: where perfkit ran"),
    "t_s": Field(pl.Float64, "s", "time since fio was started, at the end of the interval"),
    "cpu_busy_ratio": LOAD_POINTS["cpu_busy_ratio"],
    "cpu_user_ratio": Field(pl.Float64, None, "user share of all the host's CPUs"),
    "cpu_system_ratio": Field(pl.Float64, None, "kernel share of all the host's CPUs"),
    "cpu_iowait_ratio": Field(pl.Float64, None, "idle with I/O outstanding"),
    "memory_used_bytes": Field(pl.Int64, "bytes", "used memory"),
    "memory_available_bytes": Field(pl.Int64, "bytes", "memory available without swapping"),
    "disk_read_bytes_per_s": Field(pl.Float64, "bytes/s", "reads of the target's disk"),
    "disk_write_bytes_per_s": Field(pl.Float64, "bytes/s", "writes of the target's disk"),
    "disk_read_iops": Field(pl.Float64, "1/s", "reads of the target's disk"),
    "disk_write_iops": Field(pl.Float64, "1/s", "writes of the target's disk"),
    "cpu_steal_ratio": Field(pl.Float64, None, "time that a hypervisor gave to others"),
    "swap_in_bytes_per_s": Field(pl.Float64, "bytes/s", "memory read from swap space"),
    "swap_out_bytes_per_s": Field(pl.Float64, "bytes/s", "memory written to swap space"),
    "quota_throttles": Field(pl.Int64, None, "periods in which a processor quota was used up"),
    "heat_throttles": Field(
        pl.Int64, None, "times CPUs and packages were slowed by heat, as each CPU counts"
    ),
}
"""From ``cpu_steal_ratio`` on, null in runs from before they were sampled."""

RUN_OBSERVED: Schema = {
    **RUN_POINT,
    "observer": Field(pl.String, None, "the name of the user's command"),
    "t_s": Field(pl.Float64, "s", "time since the point was started, in the command's middle"),
    "took_s": Field(pl.Float64, "s", "how long the command ran"),
    "item": Field(pl.String, None, "what the counter is of: words of its row; null: one thing"),
    "name": Field(pl.String, None, "the counter, as it was printed; null: text"),
    "value": Field(pl.Float64, None, "the number, in the unit that its command has"),
    "text": Field(pl.String, None, "what was printed, or why the reading failed; null: counters"),
    "failed": Field(pl.Boolean, None, "whether the reading failed"),
    "clock_offset_s": Field(
        pl.Float64, "s", "the printed clock less this host's, to within took_s; null: no clock"
    ),
}

RUN_CAUTIONS: Schema = {
    **RUN_POINT,
    "host": Field(pl.String, None, "the load generator it is about; null: the whole point"),
    "name": Field(pl.String, None, "stall, busy_host, overran ...; null: recorded without one"),
    "args": Field(pl.String, None, "the numbers in it by name, as JSON"),
    "text": Field(pl.String, None, "the same in words"),
}
"""What accepted points (control points too) show and a reader must know; see ``points``."""

RUN_SERIES: Schema = {
    **_RUN_RESULT,
    "t_s": Field(pl.Float64, "s", "end of the interval, since the measurement began"),
    "interval_s": Field(pl.Float64, "s", "length of the interval"),
    "direction": KEYS["direction"],
    "ios": Field(pl.Int64, None, "I/Os completed in the interval; 0: none were"),
    "iops": Field(pl.Float64, "1/s", "ios / interval_s"),
    "lat_mean_s": Field(pl.Float64, "s", "mean latency in the interval (elbencho only)"),
    "lat_p50_s": Field(pl.Float64, "s", "median completion latency in the interval (fio only)"),
    "lat_p99_s": Field(pl.Float64, "s", "99th percentile of completion latency (fio only)"),
    "lat_max_s": Field(pl.Float64, "s", "upper edge of the slowest I/O's bucket (fio only)"),
    "drain": Field(pl.Int64, None, "the drain these writes are of (epic-like); null: the load"),
}
"""A point over time. fio's buckets are joined to 12.5% width; a percentile is an upper edge."""

RUN_STREAMS: Schema = {
    **_RUN_RESULT,
    "stream": Field(pl.Int64, None, "the stream, from 1: fio's job, elbencho's thread"),
    "host": KEYS["host"],
    "direction": KEYS["direction"],
    "t_s": Field(pl.Float64, "s", "end of the interval, since the measurement began"),
    "interval_s": Field(pl.Float64, "s", "length of the interval"),
    "bw_bytes_per_s": Field(pl.Float64, "bytes/s", "payload of the stream in the interval"),
}

RUN_STEADY_STATE: Schema = {
    "workload": KEYS["workload"],
    "metric": Field(pl.String, None, "what had to hold still: iops or lat_mean_s"),
    "rounds": Field(pl.Int64, None, "rounds that were run"),
    "round_s": Field(pl.Float64, "s", "time of a round"),
    "attained": Field(pl.Boolean, None, "whether the last five rounds keep both limits"),
    "window_first": Field(pl.Int64, None, "first round of the window, from 1"),
    "window_last": Field(pl.Int64, None, "last round of the window"),
    "mean": Field(pl.Float64, None, "the metric's mean over the window, in its unit"),
    "range_ratio": Field(pl.Float64, None, "maximum minus minimum, of the mean; at most 0.2"),
    "slope_ratio": Field(
        pl.Float64,
        None,
        "how far the best-fit line moves over the window, of the mean: at most 0.1",
    ),
    "pts": Field(pl.Boolean, None, "whether it is a whole PTS measurement"),
    "why_not_pts": Field(pl.String, None, "what it lacks to be one"),
}

RUN_CYCLES: Schema = {
    **_RUN_RESULT,
    "cycle": Field(pl.Int64, None, "number of the planned drain, from 1"),
    "drain_s": Field(pl.Float64, "s", "time to write all blocks; null: it did not happen"),
    "blocks": Field(pl.Int64, None, "blocks written"),
}

RUN_HOST: Schema = {
    "group": Field(pl.String, None, "host, target, tool or consent"),
    "fact": Field(pl.String, None, "name, with dots for what is nested"),
    "value": Field(pl.String, None, "as text"),
    "host": Field(pl.String, None, "load generator; null: where perfkit ran, or the only one"),
}

RUN_SPEC: Schema = {
    "field": Field(pl.String, None, "name in the sweep, with dots for what is nested"),
    "value": Field(pl.String, None, "as text"),
}


def polars_schema(schema: Schema) -> ColumnTypes:
    """The polars schema: column name -> type."""
    return {name: item.dtype for name, item in schema.items()}


def conform(frame: pl.DataFrame, schema: Schema, path: Path | str) -> pl.DataFrame:
    """The frame with exactly the schema's columns, in order, cast; a column it lacks is null.

    Raises ParseError naming ``path`` for a column that the schema does not know, or a value that
    does not fit its type: nothing is cast to null in silence.
    """
    unknown = [name for name in frame.columns if name not in schema]
    if unknown:
        raise ParseError(path, f"column {unknown[0]!r} is not in the schema")
    try:
        return frame.select(
            pl.col(name).cast(item.dtype)
            if name in frame.columns
            else pl.lit(None, dtype=item.dtype).alias(name)
            for name, item in schema.items()
        )
    except pl.exceptions.InvalidOperationError as problem:
        raise ParseError(path, f"a value does not fit its column: {problem}") from problem
