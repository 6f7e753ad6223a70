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


def text(meaning: str) -> Field:
    """A column of words."""
    return Field(pl.String, None, meaning)


def number(meaning: str, unit: str | None = None) -> Field:
    """A column of numbers."""
    return Field(pl.Float64, unit, meaning)


def whole(meaning: str, unit: str | None = None) -> Field:
    """A column of whole numbers."""
    return Field(pl.Int64, unit, meaning)


def flag(meaning: str) -> Field:
    """A column that says yes or no."""
    return Field(pl.Boolean, None, meaning)


def moment(meaning: str) -> Field:
    """A column of dates with times, as a clock showed them: without a zone."""
    return Field(pl.Datetime("us"), None, meaning)


Schema = dict[str, Field]

Row = dict[str, Any]
"""A row of a table, column -> value: its columns and their types are those of a ``Schema``."""

ColumnTypes = dict[str, pl.DataType | type[pl.DataType]]
"""A frame's columns with their polars types: what polars calls its schema."""

KEYS: Schema = {
    "system": text("the storage system under test, from the study"),
    "config": text("the configuration: protocol, release, controller"),
    "workload": text("named workload, or the job's own name"),
    "load_kind": text(
        "what is raised: iodepth, numjobs, rate_iops, threads, host_threads (threads x hosts) ..."
    ),
    "load": number("the load point, in the unit of load_kind (rate_iops: 1/s)"),
    "held_kind": text("of a load of two numbers, what is held along a curve"),
    "held": number("the number that is held, in the unit of held_kind"),
    "repeat": whole("repeat of the load point, from 1"),
    "host": text("load generator, by the label given in the study"),
    "direction": text("read, write, trim, total, or total with read latency (of all I/O)"),
}

CAUTIONS = text("what must be known beside the row: JSON of cautions (perfkit.core.cautions)")

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
    "iops": number("completed I/Os per second of run time", "1/s"),
    "bw_bytes_per_s": number("payload bytes per second of run time", "bytes/s"),
    "lat_mean_s": number("mean latency from submission to completion", "s"),
    "lat_min_s": number("smallest latency", "s"),
    "lat_max_s": number("largest latency", "s"),
    "lat_p50_s": number("median latency; of which latency: percentiles_of", "s"),
    "lat_p95_s": number("95th percentile of latency", "s"),
    "lat_p99_s": number("99th percentile of latency", "s"),
    "lat_p999_s": number("99.9th percentile of latency", "s"),
    "lat_p9999_s": number("99.99th percentile of latency", "s"),
    "percentiles_of": text("lat (submission to completion) or clat (without submission)"),
    "ios": whole("completed I/Os"),
    "runtime_s": number("run time of the direction", "s"),
    "in_flight": number("I/Os that the load point keeps in flight (closed loop)"),
    "target_iops": number("offered rate of a paced point", "1/s"),
    "cpu_busy_ratio": number("busy share of all the host's CPUs, 0 to 1"),
    "cautions": CAUTIONS,
}
"""One row a load point, repeat, host and direction: every source with load points gives it."""


COMPATIBILITY: Schema = {
    "workload": KEYS["workload"],
    "load_kind": KEYS["load_kind"],
    "hosts": whole("load generators of a point"),
    "read_block_size_bytes": number("mean size of a read, as measured", "bytes"),
    "write_block_size_bytes": number("mean size of a write, as measured", "bytes"),
    "read_ratio": number("the mix: reads among reads and writes, as measured"),
    "percentiles_of": LOAD_POINTS["percentiles_of"],
    "tool": text("the load generator, where a sweep names it"),
    "engine": text("how it submits I/O: libaio, psync, io_uring ..."),
    "direct": text("yes: the page cache is bypassed; no"),
    "pattern": text("random or sequential"),
    "rate_limit": text("what a closed loop is held to beside its load; no"),
    "active_set_bytes": whole("size of what is read and written", "bytes"),
    "preconditioning": text("what was written before, such as fills"),
    "fill_block_bytes": text("size of the I/Os that did it, where it was asked for"),
    "distribution": text("where random I/Os go: uniform, zipf, a hot region"),
    "block_mix": text("sizes and their shares, where there are several; no"),
    "think_time": text("pause of a job after an I/O; no"),
    "fsync_every": text("after how many writes they are made to last; no"),
    "dedupe_percent": text("share of blocks written that repeat another"),
    "compress_percent": text("share by which what is written compresses"),
    "compress_chunk_bytes": text("within which it does; a block"),
    "region_start_bytes": text("where the part that is read and written begins"),
    "trim": text("whether blocks are trimmed instead of written"),
    "rate_process": text("how paced I/Os arrive: linear or poisson"),
    "drain_blocks": text("blocks that a periodic writer drains; no"),
    "drain_period": text("its period in seconds; no"),
    "targets": text("folders or devices that are one load"),
    "files": text("files in each folder"),
    "cpus": text("logical CPUs on which the jobs run; any"),
    "numa_nodes": text("NUMA nodes whose processors run the jobs; any"),
    "numa_memory": text("where their memory lies; any"),
    "fio_options": text("options of fio's that no other field says; no"),
    "drop_caches": text("whether the page cache is emptied before each point"),
    "warm_up": text("whether rounds went before the points until a cache was warm"),
    "steady_state": text("whether rounds went before the points until the storage was steady"),
    "events": text("what was done to the system during each point, and when; no"),
    "background_iops": text("offered rate of a load beside the measured one; no"),
    "background_read_percent": text("its share of reads; no"),
    "background_block_bytes": text("its block size; no"),
}
"""The compatibility key of a curve: what must agree before two of them are compared.

A field that one source does not say is no difference; one that differs is refused, or allowed by
its name and marked.
"""


def _latency_fields(kind: str, meaning: str) -> Schema:
    """The statistics fio gives for one kind of latency; null where the direction has none."""
    return {
        f"{kind}_n": whole(f"samples of {meaning}"),
        f"{kind}_min_s": number(f"smallest {meaning}", "s"),
        f"{kind}_max_s": number(f"largest {meaning}", "s"),
        f"{kind}_mean_s": number(f"mean {meaning}", "s"),
        f"{kind}_stddev_s": number(f"standard deviation of {meaning}", "s"),
    }


FIO_JOB: Schema = {
    "hostname": text("load generator as fio names it (client/server only)"),
    "port": whole("its port: hosts are told apart by name and port"),
    "job": whole("place of the job in the file, from 0"),
    "jobname": text("the job's name"),
    "groupid": whole("fio's group: jobs of one group ran at the same time"),
}

FIO_SUMMARY: Schema = {
    **FIO_JOB,
    "error": whole("fio's error number for the job; 0: none"),
    "direction": text("read, write, trim, or mixed (unified_rw_reporting)"),
    "ios": whole("completed I/Os"),
    "short_ios": whole("I/Os that came back shorter than asked"),
    "drop_ios": whole("I/Os dropped"),
    "io_bytes": whole("payload", "bytes"),
    "runtime_s": number("run time of this direction", "s"),
    "iops": number("ios / runtime_s", "1/s"),
    "bw_bytes_per_s": number("io_bytes / runtime_s", "bytes/s"),
    **_latency_fields("slat", "submission latency"),
    **_latency_fields("clat", "completion latency (from submission done)"),
    **_latency_fields("lat", "latency from submission to completion"),
    "iops_samples": whole("fio's samples (one in 0.5 s) behind the next four"),
    "iops_sample_min": number("smallest sample", "1/s"),
    "iops_sample_max": number("largest sample", "1/s"),
    "iops_sample_mean": number("mean of the samples; not the same as iops", "1/s"),
    "iops_sample_stddev": number("standard deviation of the samples", "1/s"),
    "fio_usr_ratio": number("user CPU of fio's own process, per run time"),
    "fio_sys_ratio": number("system CPU of fio's own process, per run time"),
    "context_switches": whole("of fio's own process"),
    "major_faults": whole("of fio's own process"),
    "minor_faults": whole("of fio's own process"),
}
"""One row a job and direction that did I/O; what belongs to the job stands in each of its rows."""

_KIND = text("slat (submission), clat (completion) or lat (both)")

PERCENTILE: Schema = {
    "direction": text("read, write, trim, sync, mixed or total"),
    "kind": _KIND,
    "percentile": number("percent of the samples at or below the value, 0 to 100"),
    "value_s": number("the latency", "s"),
    "samples": whole("samples of the distribution"),
}

HISTOGRAM: Schema = {
    "direction": text("read, write, trim, sync, mixed or total"),
    "kind": _KIND,
    "lower_s": number("lower edge of the bucket, inside it", "s"),
    "value_s": number(
        "what a percentile is given as: the bucket's middle (fio), its upper edge", "s"
    ),
    "upper_s": number("upper edge of the bucket, outside it", "s"),
    "count": whole("samples in the bucket"),
}

FIO_PERCENTILES: Schema = {**FIO_JOB, **PERCENTILE}
FIO_HISTOGRAM: Schema = {**FIO_JOB, **HISTOGRAM}

FIO_JOB_OPTIONS: Schema = {
    **FIO_JOB,
    "scope": text("job, or global (of the whole file: no job named)"),
    "option": text("the option's name in fio's writing"),
    "value": text("its value in fio's writing"),
}

FIO_DISK_UTIL: Schema = {
    "hostname": FIO_JOB["hostname"],
    "port": FIO_JOB["port"],
    "device": text("the disk under the file; other processes are counted too"),
    "read_ios": whole("reads the disk completed"),
    "write_ios": whole("writes the disk completed"),
    "read_merges": whole("reads merged into others"),
    "write_merges": whole("writes merged into others"),
    "read_ticks_s": number("time spent on reads, summed over them", "s"),
    "write_ticks_s": number("time spent on writes, summed over them", "s"),
    "in_queue_s": number("time in the queue, summed over all requests", "s"),
    "util_ratio": number("share of time with a request in flight"),
}

FIO_STEADY_STATE: Schema = {
    **FIO_JOB,
    "criterion": text("what was asked for, in fio's writing"),
    "duration_s": number("window", "s"),
    "attained": flag("whether it was reached"),
    "measured": text("the deviation or slope of the last window, as written"),
    "iops_mean": number("mean of the last window", "1/s"),
    "bw_mean_bytes_per_s": number("mean of the last window", "bytes/s"),
}

FIO_SYNC: Schema = {
    **FIO_JOB,
    "syncs": whole("fsync, fdatasync and sync_file_range calls"),
    **{
        name: item
        for name, item in _latency_fields("lat", "latency of a sync call").items()
        if name != "lat_n"
    },
}
"""One row a job that synced. This time is in none of the write latencies."""

_LINE = whole("the phase's line in the file")

ELBENCHO_PHASES: Schema = {
    "line": _LINE,
    "operation": text("the phase in elbencho's writing: READ, RWMIX75 ..."),
    "started": text("when it began, as written"),
    "label": text("the label given to elbencho"),
    "first_done_s": number("until the first thread was done", "s"),
    "last_done_s": number("until the last thread was done", "s"),
    "entries": whole("files or directories, where the phase is about such"),
    "cpu_busy_ratio": LOAD_POINTS["cpu_busy_ratio"],
    "threads": whole("threads of each host"),
    "hosts": whole("hosts"),
    "iodepth": whole("I/Os in flight of each thread"),
    "block_bytes": whole("size of one I/O", "bytes"),
    "file_bytes": whole("size of each file or device", "bytes"),
    "path_type": text("file, dir or bdev"),
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
    "line": whole("line of the file"),
    "log": text("what is logged: bw, iops, lat, slat, clat or a histogram"),
    "job": whole("fio's number of the job, from 1; null: one log for all jobs"),
    "jobs": whole("jobs of the result that named the log: each has such a log"),
    "result": text("the result beside it whose job options name the log"),
    "direction": KEYS["direction"],
    "t_s": number("time of the entry, since the job began (or since 1970)", "s"),
}

FIO_LOGS: Schema = {
    **_FIO_LOG,
    "single_io": flag("of one I/O; else the mean of a window that ends here"),
    "bw_bytes_per_s": number("of a log of bandwidth", "bytes/s"),
    "iops": number("of a log of IOPS; null of one I/O", "1/s"),
    "latency_s": number("of a log of latency: submission, completion or both", "s"),
}
"""fio's logs over time. What ``log`` is not of is null, and latencies of an unknown unit."""

FIO_LOG_HISTOGRAM: Schema = {
    **_FIO_LOG,
    "lower_s": number("lower edge of the bucket, inside it", "s"),
    "upper_s": number("upper edge, outside it", "s"),
    "count": whole("I/Os in the bucket and interval"),
}

ELBENCHO_SERIES: Schema = {
    **{name: KEYS[name] for name in ("workload", "load_kind", "load")},
    "label": ELBENCHO_PHASES["label"],
    "operation": ELBENCHO_PHASES["operation"],
    "repeat": whole("how often the phase was run in the file, from 1"),
    "rank": text("Total, or the number of a thread or host, from 0"),
    "host": KEYS["host"],
    "direction": KEYS["direction"],
    "t_s": number("end of the interval, since the phase began", "s"),
    "interval_s": number("length of the interval", "s"),
    "bw_bytes_per_s": number("payload per second of the interval", "bytes/s"),
    "lat_mean_s": number("mean latency in the interval", "s"),
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
