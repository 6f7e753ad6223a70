"""Load points that make curves, and results that stand by themselves."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import KEYS


@step(version=1, name="points.on_curves")
def curve_points(points: Measured) -> pl.DataFrame:
    """The load points that make curves: the load is known, and no other result has the same keys.

    Raises AbsentError where there is none.
    """
    return _having(points, _on_curve(points), "no result is a load point of a curve")


@step(version=1, name="points.off_curves")
def other_points(points: Measured) -> pl.DataFrame:
    """Results that belong to no curve: their load is unknown, or equal to another result's.

    Raises AbsentError where there is none.
    """
    return _having(points, ~_on_curve(points), "every result is a load point of a curve")


def _on_curve(points: Measured) -> pl.Expr:
    require_columns(points.frame, ["load"], "load_points")
    keys = [name for name in KEYS if name in points.frame.columns]
    return pl.col("load").is_not_null() & ~pl.struct(keys).is_duplicated()


def _having(points: Measured, which: pl.Expr, words: str) -> pl.DataFrame:
    found = points.frame.filter(which)
    if found.is_empty():
        raise AbsentError(words)
    return found
