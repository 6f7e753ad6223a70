"""What SAS logs say besides times: the libraries and data sets written, errors and warnings."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step

WRITTEN = ("written", "inserted", "updated")
"""Roles of notes on rows that were written; "deleted" and "read" are none."""

_MEMBERS = ("data set", "table", "view")
_FILES = "(files)"


def _required(datasets: Measured) -> pl.DataFrame:
    require_columns(
        datasets.frame, ("file", "line", "role", "kind", "name", "observations"), "datasets"
    )
    named = datasets.frame.filter(pl.col("name").is_not_null())
    if named.is_empty():
        raise AbsentError("no note in the logs names a data set")
    return named


@step(version=1, name="sas.libraries")
def libraries(datasets: Measured) -> pl.DataFrame:
    """What was read and written in each library: notes, data sets and observations.

    Observations are rows, not bytes: SAS logs do not say how large a data set is.

    Args:
        datasets: Of ``read_sas``.

    Returns:
        ``library`` ("(files)" for what is not a member of one), ``members`` (different names),
        ``notes_written``, ``rows_written``, ``notes_read``, ``rows_read`` (of the notes that have
        a number; null without any), ``uncounted`` (notes without one); most rows written first.

    Raises:
        AbsentError: No note names a data set.
    """
    named = _required(datasets)
    member = pl.col("kind").is_in(_MEMBERS)
    parts = pl.col("name").str.splitn(".", 2)
    library = pl.when(member & parts.struct[1].is_not_null()).then(parts.struct[0])
    written = pl.col("role").is_in(WRITTEN)
    read = pl.col("role") == "read"
    return (
        named.with_columns(library.otherwise(pl.lit(_FILES)).alias("library"))
        .group_by("library")
        .agg(
            pl.col("name").n_unique().alias("members"),
            written.sum().alias("notes_written"),
            _rows(written).alias("rows_written"),
            read.sum().alias("notes_read"),
            _rows(read).alias("rows_read"),
            pl.col("observations").null_count().alias("uncounted"),
        )
        .sort(
            "rows_written", "rows_read", "library", descending=[True, True, False], nulls_last=True
        )
    )


def _rows(which: pl.Expr) -> pl.Expr:
    """The sum of the observations of some notes, null where none of these has a number."""
    own = pl.col("observations").filter(which)
    return pl.when(own.count() > 0).then(own.sum())


@step(version=1, name="sas.largest_written")
def largest_written(datasets: Measured, steps: Measured, *, count: int = 10) -> pl.DataFrame:
    """The notes of the most observations written, with their step.

    Args:
        datasets: Of ``read_sas``.
        steps: Of the same: the step of each note and its time.
        count: How many.

    Returns:
        ``log``, ``line``, ``name``, ``observations``, ``variables``, ``step_name``,
        ``real_time_s`` of the step (null where the note is of none).

    Raises:
        AbsentError: No note says how many observations were written.
    """
    found = _required(datasets).filter(
        pl.col("role").is_in(WRITTEN), pl.col("observations").is_not_null()
    )
    if found.is_empty():
        raise AbsentError("no note in the logs says how many observations were written")
    of_step = steps.frame.select(
        "file", "session", "step", pl.col("name").alias("step_name"), "real_time_s"
    )
    return (
        found.sort("observations", "file", "line", descending=[True, False, False])
        .head(count)
        .join(of_step, on=("file", "session", "step"), how="left", maintain_order="left")
        .select(
            pl.col("file").alias("log"),
            "line",
            "name",
            "observations",
            "variables",
            "step_name",
            "real_time_s",
        )
    )


@step(version=1, name="sas.messages")
def messages(messages: Measured) -> pl.DataFrame:
    """The ERROR and WARNING messages, those of one text together, errors first.

    Args:
        messages: Of ``read_sas``.

    Returns:
        ``level``, ``code``, ``text``, ``messages`` (how many), ``logs`` (in how many), and the
        first of them: ``log``, ``line``.

    Raises:
        AbsentError: No log has a message.
    """
    require_columns(messages.frame, ("file", "line", "level", "code", "text"), "messages")
    if messages.frame.is_empty():
        raise AbsentError("the logs have no ERROR and no WARNING")
    return (
        messages.frame.sort("file", "line")
        .group_by("level", "code", "text", maintain_order=True)
        .agg(
            pl.len().alias("messages"),
            pl.col("file").n_unique().alias("logs"),
            pl.col("file").first().alias("log"),
            pl.col("line").first(),
        )
        .sort(pl.col("level") != "ERROR", -pl.col("messages").cast(pl.Int64), "log", "line")
    )
