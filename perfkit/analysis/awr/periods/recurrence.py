"""Statements and segments by how many periods list them: not listed is not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.awr.periods import tables
from perfkit.analysis.awr.periods.columns import READ_SEGMENTS, RECURRENT_SQL
from perfkit.analysis.awr.periods.risers import by_elapsed
from perfkit.analysis.awr.periods.worst import SESSIONS
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from perfkit.core.lineage import Reading


def recurrent_sql(over_time: Measured, worst: Measured, reading: Reading) -> Measured:
    """Statements by the number of periods that list them among those by elapsed time.

    A statement that another one calls is in both: times and shares are not to be added up.

    Args:
        over_time: What ``over_time`` gave.
        worst: What ``worst_periods`` gave.
        reading: The reports' tables.

    Returns:
        ``RECURRENT_SQL``; of as many periods, the longer elapsed time first.
    """
    return _sql(over_time, worst, tables.table(reading, "sql"))


@step(version=1, name="awr.recurrent_sql")
def _sql(over_time: Measured, worst: Measured, sql: Measured) -> pl.DataFrame:
    known = _marked(over_time, worst)
    rows = by_elapsed(known, sql, "text", "executions")
    db_time = pl.col(SESSIONS) * pl.col("elapsed_s")
    found = (
        rows.with_columns(share=pl.col("sql_s") / db_time)
        .group_by("history", "sql_id", maintain_order=True)
        .agg(
            pl.col("module").drop_nulls().first(),
            pl.col("text").drop_nulls().first(),
            pl.len().alias("listed_in"),
            pl.col("sql_s").sum().alias("elapsed_s"),
            pl.col("share").filter("worst").max().alias("worst_share_ratio"),
            _whole("executions"),
        )
    )
    return _ordered(found, known, "elapsed_s", "sql_id").pipe(tables.shaped, RECURRENT_SQL)


def read_segments(over_time: Measured, worst: Measured, reading: Reading) -> Measured:
    """Segments by the number of periods that list them among those by physical reads.

    The partitions of a segment that a report lists are taken together.

    Returns:
        ``READ_SEGMENTS``; of as many periods, the more blocks first.
    """
    return _segments(over_time, worst, tables.table(reading, "segments"))


@step(version=1, name="awr.read_segments")
def _segments(over_time: Measured, worst: Measured, segments: Measured) -> pl.DataFrame:
    known = _marked(over_time, worst)
    rows = tables.joined(
        known, segments, "ordered_by", "owner", "object", "object_type", "value", "total_ratio"
    )
    key = ("history", "owner", "object", "object_type")
    # a partition is of the type of its segment: TABLE PARTITION of TABLE
    own = rows.filter(pl.col("ordered_by") == "physical_reads", pl.col("object").is_not_null())
    own = own.with_columns(pl.col("object_type").str.replace(r" (SUB)?PARTITION$", ""))
    each = own.group_by(*key, "source", "worst", maintain_order=True).agg(
        _whole("value"), _whole("total_ratio")
    )
    found = each.group_by(*key, maintain_order=True).agg(
        pl.len().alias("listed_in"),
        _whole("value").alias("physical_reads_blocks"),
        pl.col("total_ratio").filter("worst").max().alias("worst_share_ratio"),
    )
    return _ordered(found, known, "physical_reads_blocks", "object").pipe(
        tables.shaped, READ_SEGMENTS
    )


def _marked(over_time: Measured, worst: Measured) -> pl.DataFrame:
    bad = worst.frame["source"].to_list()
    return over_time.frame.with_columns(worst=pl.col("source").is_in(bad))


def _whole(name: str) -> pl.Expr:
    """A sum; null where a part of it is missing."""
    column = pl.col(name)
    return pl.when(column.null_count() == 0).then(column.sum()).cast(pl.Float64).alias(name)


def _ordered(found: pl.DataFrame, known: pl.DataFrame, size: str, name: str) -> pl.DataFrame:
    periods = known.group_by("history").agg(pl.len().alias("periods"))
    ordered = found.join(periods, on="history").sort(
        "history", "listed_in", size, name, descending=[False, True, True, False], nulls_last=True
    )
    return tables.cautioned(ordered, known)
