"""The tables of a series' reports, joined to the periods that are in a trend."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from perfkit.core.cautions import from_json, to_json
from perfkit.core.keys import file_column
from perfkit.core.lineage import Measured, Reading, measured
from perfkit.core.schema import ColumnTypes

PERIOD = ("history", "report", "begin_time", "end_time", "cautions")
"""What names a period in every frame."""

_KNOWN = (*PERIOD, "source", "elapsed_s")


_TEXTS = frozenset({
    "scope", "event", "wait_class", "statistic", "direction", "range", "ordered_by", "sql_id",
    "module", "text", "owner", "object", "object_type",
})  # fmt: skip
"""The columns of text among those that are asked for; the others are numbers."""


def in_trend(periods: Measured) -> pl.DataFrame:
    """The periods in a trend, in order: history by history, in time."""
    return periods.frame.filter("in_trend").select(_KNOWN)


def table(reading: Reading, name: str) -> Measured:
    """A table of the reading; one without rows where it has none."""
    found = reading.get(name)
    return found if found is not None else measured(pl.DataFrame(), name)


def joined(
    periods: pl.DataFrame, data: Measured, *columns: str, value: str | None = None
) -> pl.DataFrame:
    """The rows of a table whose report is in a trend, with its period; a table may be empty.

    A report of several instances has rows of the cluster and of each instance: where the former
    are there, they alone are kept. Rows of the cluster without a ``value`` are none: some tables
    print its shares alone.
    """
    frame = data.frame
    column = file_column(frame)
    if column is None or not set(columns) <= set(frame.columns):
        return periods.clear().with_columns(
            pl.lit(None, pl.String if name in _TEXTS else pl.Float64).alias(name)
            for name in columns
        )
    level = [name for name in ("level", "instance") if name in frame.columns]
    wanted = frame.select(pl.col(column).alias("source"), *dict.fromkeys([*level, *columns]))
    found = periods.join(wanted, on="source", how="inner", maintain_order="left_right")
    if "level" not in level:
        return found
    if value is not None:
        found = found.filter((pl.col("level") != "cluster") | pl.col(value).is_not_null())
    cluster = (pl.col("level") == "cluster").any().over("source")
    return found.filter(~cluster | (pl.col("level") == "cluster"))


def one_each(rows: pl.DataFrame, value: str, name: str) -> pl.DataFrame:
    """One value a report: of its only row, or null where several instances have one each."""
    return rows.group_by("source", maintain_order=True).agg(
        pl.when(pl.len() == 1).then(pl.col(value).first()).alias(name)
    )


def added(rows: pl.DataFrame, value: str, name: str) -> pl.DataFrame:
    """A rate or a time of all instances together; null where one of them has none."""
    whole = pl.col(value).null_count() == 0
    return rows.group_by("source", maintain_order=True).agg(
        pl.when(whole).then(pl.col(value).sum()).alias(name)
    )


def with_(periods: pl.DataFrame, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The periods with what each part knows of them; null where it knows nothing."""
    for part in parts:
        periods = periods.join(part, on="source", how="left", maintain_order="left")
    return periods


def cautioned(frame: pl.DataFrame, periods: pl.DataFrame) -> pl.DataFrame:
    """The rows of each history with the cautions of its periods, which are in the trend."""
    told = {
        history: to_json(one for text in own.drop_nulls() for one in from_json(text))
        for history, own in periods.group_by("history").agg("cautions").rows()
        for own in [pl.Series(own, dtype=pl.String)]
    }
    own = pl.col("history").replace_strict(told, default=None, return_dtype=pl.String)
    return frame.with_columns(cautions=own)


def shaped(frame: pl.DataFrame, columns: ColumnTypes) -> pl.DataFrame:
    """The frame with exactly these columns, in their types; those it lacks are null."""
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(type_).alias(name)
        for name, type_ in columns.items()
    )
