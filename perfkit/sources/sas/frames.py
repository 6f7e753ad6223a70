"""Rows to polars frames with the columns and types of the schema."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.core.schema import Schema, polars_schema
from perfkit.core.units import KIB
from perfkit.sources.sas.schema import TABLES
from perfkit.sources.sas.usual import FULLSTIMER_COLUMNS, STIMER_COLUMNS

if TYPE_CHECKING:
    from perfkit.sources.sas.record import Usual
    from perfkit.sources.sas.rows import Row


def step_frame(usual: Usual, rows: Sequence[Row], file: str) -> pl.DataFrame:
    """The steps of a batch in the order of the file."""
    schema = TABLES["steps"]
    short, full = usual
    parts = [
        _fast_frame(short, STIMER_COLUMNS, file),
        _fast_frame(full, FULLSTIMER_COLUMNS, file),
        table_frame(rows, schema, file),
    ]
    filled = [part for part in parts if part.height]
    if not filled:
        return parts[-1]
    return filled[0] if len(filled) == 1 else pl.concat(filled).sort("line", maintain_order=True)


def _fast_frame(flat: list[Any], names: tuple[str, ...], file: str) -> pl.DataFrame:
    schema = TABLES["steps"]
    if not flat:  # a workload is hundreds of small logs: nothing is made of nothing
        return pl.DataFrame(schema=polars_schema(schema))
    series = []
    for place, name in enumerate(names):
        dtype = schema[name].dtype if name in schema else pl.Float64
        series.append(pl.Series(name, flat[place :: len(names)], dtype=dtype))
    frame = pl.DataFrame(series).with_columns(pl.lit(True).alias("complete"))
    if "memory_k" in names:
        frame = frame.with_columns(
            (pl.col("memory_k") * KIB).alias("memory_bytes"),
            (pl.col("os_memory_k") * KIB).alias("os_memory_bytes"),
            pl.lit("timestamp").alias("time_source"),
        )
    return _finished(frame, schema, file)


def table_frame(rows: Sequence[Row], schema: Schema, file: str) -> pl.DataFrame:
    """A table of rows; what a row does not have is null."""
    if not rows:
        return pl.DataFrame(schema=polars_schema(schema))
    columns = {
        name: pl.Series(name, list(map(attrgetter(name), rows)), dtype=item.dtype)
        for name, item in schema.items()
        if hasattr(rows[0], name)
    }
    return _finished(pl.DataFrame(columns), schema, file)


def _finished(frame: pl.DataFrame, schema: Schema, file: str) -> pl.DataFrame:
    """All columns of the schema, with the sums and differences that a log does not print."""
    missing = [name for name in schema if name not in frame.columns]
    frame = frame.with_columns(
        pl.lit(file if name == "file" else None, dtype=schema[name].dtype).alias(name)
        for name in missing
    )
    if "start" in schema:
        both = pl.col("user_cpu_s") + pl.col("system_cpu_s")
        micros = (pl.col("real_time_s") * 1e6).round().cast(pl.Int64)
        frame = frame.with_columns(
            # thousandths: the sum of printed decimals has no more digits than they have
            pl.col("cpu_s").fill_null(both.round(3)),
            (pl.col("timestamp") - pl.duration(microseconds=micros)).alias("start"),
        )
    return frame.select(pl.col(name).cast(item.dtype) for name, item in schema.items())
