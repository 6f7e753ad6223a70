"""Histograms of latency merged over repeats and hosts, with the percentiles that they give."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.series import CURVE_KEYS, require_columns, require_one_file
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.stats import quantiles_from_histogram

_QUANTILES = {"lat_p50_s": 0.5, "lat_p99_s": 0.99}


@step(version=1, name="histogram.merged")
def merged_histogram(histogram: Measured, *, direction: str = "total") -> pl.DataFrame:
    """The counts of each curve by load and latency, over all repeats and hosts.

    Of the kinds of latency the one that the mean is of, where the source has its histogram.

    Returns:
        The keys of the curves, ``load``, ``value_s``, ``count``, and of all counts of the curve at
        the load ``lat_p50_s`` and ``lat_p99_s``.

    Raises:
        AnalysisError: No samples of the direction, or two files have those of one load, repeat and
            host.
    """
    frame = histogram.frame
    require_columns(
        frame, ("workload", "load_kind", "load", "direction", "value_s", "count"), "histogram"
    )
    rows = frame.filter((pl.col("direction") == direction) & (pl.col("count") > 0))
    if "kind" in rows.columns:
        kinds = set(rows["kind"].to_list())
        kind = next((kind for kind in ("lat", "clat") if kind in kinds), None)
        rows = rows.filter(pl.col("kind").eq_missing(pl.lit(kind, pl.String)))
    if rows.is_empty():
        raise AbsentError(f"histogram: no samples of direction {direction!r}")
    keys = [key for key in CURVE_KEYS if key in rows.columns]
    require_one_file(rows, (*keys, "load", "repeat", "host"), "histogram")
    merged = rows.group_by(*keys, "load", "value_s").agg(pl.col("count").sum())
    merged = merged.sort(*keys, "load", "value_s", nulls_last=True)
    return pl.concat(
        _with_percentiles(part) for part in merged.partition_by(*keys, "load", maintain_order=True)
    )


def _with_percentiles(part: pl.DataFrame) -> pl.DataFrame:
    found = quantiles_from_histogram(
        part["value_s"].to_list(), part["count"].to_list(), [*_QUANTILES.values()]
    )
    return part.with_columns(
        pl.lit(value, pl.Float64).alias(name) for name, value in zip(_QUANTILES, found, strict=True)
    )
