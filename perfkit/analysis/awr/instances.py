"""System statistics of the instances of one report together: sum, average, deviation."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from perfkit.analysis.awr.waits import rows_of
from perfkit.core.lineage import Measured, step

PER_SECOND = (
    "logical_reads_blocks_per_s", "physical_reads_blocks_per_s", "physical_writes_blocks_per_s",
    "redo_bytes_per_s", "block_changes_per_s", "user_calls_per_s", "executes_per_s",
    "parses_per_s", "logons_per_s", "transactions_per_s",
)  # fmt: skip


@step(version=1, name="awr.over_instances")
def over_instances(system: Measured) -> pl.DataFrame:
    """The rates of each instance of one report, and below several their Sum, Avg and Std.

    Std is the sample standard deviation, as Oracle prints it. A rate that is not known of every
    instance has none of the three.

    Returns:
        ``of`` (the instance, "–" where the report has no number of it, Sum, Avg, Std) and the rates
        ``PER_SECOND``.

    Raises:
        AnalysisError: No rows, or those of several reports.
    """
    rows_of(system, "system_statistics", ("instance", *PER_SECOND))
    each = system.frame.select(
        pl.col("instance").cast(pl.String).fill_null("–").alias("of"),
        *(pl.col(name).cast(pl.Float64) for name in PER_SECOND),
    )
    if each.height <= 1:
        return each
    together = [
        each.select(
            pl.lit(label).alias("of"),
            *(pl.when(pl.col(name).null_count() == 0).then(how(pl.col(name))).alias(name)
              for name in PER_SECOND),
        )
        for label, how in _TOGETHER
    ]  # fmt: skip
    return pl.concat([each, *together])


_TOGETHER: tuple[tuple[str, Callable[[pl.Expr], pl.Expr]], ...] = (
    ("Sum", pl.Expr.sum), ("Avg", pl.Expr.mean), ("Std", pl.Expr.std),
)  # fmt: skip
