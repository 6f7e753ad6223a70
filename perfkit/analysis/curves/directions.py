"""The latency curve of each direction: what reads and writes gave, and both together."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.curves import latency_curve
from perfkit.analysis.curves.series import CURVE_KEYS, in_order, require_columns
from perfkit.core.lineage import Measured, step

ORDER = ("read", "write", "trim")


@step(version=2, name="curve.by_direction")
def curve_by_direction(points: Measured, histogram: Measured | None = None) -> pl.DataFrame:
    """One row per load point and direction that did I/O, and their total where there are several.

    The columns and rules are those of ``latency_curve``; a load of reads only has rows of
    direction read.

    Raises AnalysisError as ``latency_curve`` does.
    """
    require_columns(points.frame, ["direction"], "load_points")
    present = set(points.frame["direction"].to_list())
    shown = [name for name in ORDER if name in present]
    if len(shown) != 1:
        shown.append("total")
    curves = [latency_curve(points, histogram, direction=name).frame for name in shown]
    keys = [*CURVE_KEYS, "load"]
    whole = pl.concat(curves)
    # of a load with one direction the total is that direction again
    alone = (pl.col("direction") == "total") & (pl.len().over(keys) == 2)  # noqa: PLR2004
    return in_order(whole.filter(~alone), keys)
