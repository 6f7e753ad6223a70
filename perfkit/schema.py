"""The columns of perfkit's tables: name, type, unit and meaning, and what conform() enforces.

The unit is part of the name; SI base units inside; null where the source said nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from perfkit.errors import ParseError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Field:
    """One column: its polars type, its unit (None: no unit) and what it means."""

    dtype: pl.DataType | type[pl.DataType]
    unit: str | None
    meaning: str


Schema = dict[str, Field]

KEYS: Schema = {
    "system": Field(pl.String, None, "the storage system under test, from the study"),
    "config": Field(pl.String, None, "the configuration: protocol, release, controller"),
    "workload": Field(pl.String, None, "named workload, or the job's own name"),
    "load_kind": Field(pl.String, None, "what is raised: iodepth, numjobs or rate_iops"),
    "load": Field(pl.Float64, None, "the load point, in the unit of load_kind (rate_iops: 1/s)"),
    "repeat": Field(pl.Int64, None, "repeat of the load point, from 1"),
    "host": Field(pl.String, None, "load generator, by the label given in the study"),
    "direction": Field(pl.String, None, "read, write, trim, or total"),
}

LOAD_POINTS: Schema = {
    **KEYS,
    "iops": Field(pl.Float64, "1/s", "completed I/Os per second of run time"),
    "bw_bytes_per_s": Field(pl.Float64, "bytes/s", "payload bytes per second of run time"),
    "lat_mean_s": Field(pl.Float64, "s", "mean latency from submission to completion"),
    "lat_min_s": Field(pl.Float64, "s", "smallest latency"),
    "lat_max_s": Field(pl.Float64, "s", "largest latency"),
    "lat_p50_s": Field(pl.Float64, "s", "median completion latency"),
    "lat_p95_s": Field(pl.Float64, "s", "95th percentile of completion latency"),
    "lat_p99_s": Field(pl.Float64, "s", "99th percentile of completion latency"),
    "lat_p999_s": Field(pl.Float64, "s", "99.9th percentile of completion latency"),
    "lat_p9999_s": Field(pl.Float64, "s", "99.99th percentile of completion latency"),
    "ios": Field(pl.Int64, None, "completed I/Os"),
    "runtime_s": Field(pl.Float64, "s", "run time of the direction"),
    "in_flight": Field(pl.Float64, None, "I/Os that the load point keeps in flight (closed loop)"),
    "target_iops": Field(pl.Float64, "1/s", "offered rate of a paced point"),
    "cpu_busy_ratio": Field(pl.Float64, None, "busy share of all the host's CPUs, 0 to 1"),
}
"""One row a load point, repeat, host and direction: every source with load points gives it."""


def polars_schema(schema: Schema) -> dict[str, pl.DataType | type[pl.DataType]]:
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
            pl.col(name).cast(item.dtype) if name in frame.columns
            else pl.lit(None, dtype=item.dtype).alias(name)
            for name, item in schema.items()
        )  # fmt: skip
    except pl.exceptions.InvalidOperationError as problem:
        raise ParseError(path, f"a value does not fit its column: {problem}") from problem
