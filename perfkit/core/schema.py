"""The columns of perfkit's tables: name, type, unit and meaning, and what conform() enforces.

The unit is part of the name; SI base units inside; null where the source said nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from perfkit.core.errors import ParseError


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
        "what is raised: iodepth, numjobs, host_numjobs (jobs of all hosts), rate_iops, threads, "
        "host_threads (threads x hosts) ..."
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
