"""The plateau of a curve: where more load brings no more IOPS, and what may hold it there."""

from __future__ import annotations

from typing import Any

import polars as pl

from perfkit.analysis.series import SERIES, Row, groups, need
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, step

FEWEST_LOADS = 3
"""Fewer load points than these at one height are no plateau."""

HOST_BUSY_RATIO = 0.9
"""A host busier than this may be what holds the plateau."""

MAY_BE_HOST, NOT_HOST, UNKNOWN = "may be host-bound", "host not busy", "host CPU not known"

PLATEAU: dict[str, Any] = dict.fromkeys(SERIES, pl.String) | {
    "found": pl.Boolean, "reason": pl.String, "low_iops": pl.Float64, "high_iops": pl.Float64,
    "first_load": pl.Float64, "last_load": pl.Float64, "loads": pl.Int64,
    "first_lat_s": pl.Float64, "last_lat_s": pl.Float64, "cpu_busy_ratio": pl.Float64,
    "bound": pl.String,
}  # fmt: skip
"""One row a curve. ``bound``: may be host-bound, host not busy, or host CPU not known."""


@step(version=1, name="curve.plateau")
def plateau(curve: Measured, *, tolerance: float = 0.05) -> pl.DataFrame:
    """The plateau of each curve: its last load points, as far as they lie within ``tolerance``.

    Going down from the highest load, points count while all of them together lie within the
    tolerance of the highest among them. Three or more make a plateau; its range is the lowest and
    the highest IOPS measured on it, and nothing is said of what lies beyond the last load.

    The host may be what holds it where its CPU was busy for 90% or more at a point of the plateau.

    Raises AnalysisError for a tolerance that is no share between 0 and 1.
    """
    if not 0 < tolerance < 1:
        raise AnalysisError(f"a tolerance is a share between 0 and 1, not {tolerance}")
    need(curve.frame, ["load", "iops", "lat_mean_s", "cpu_busy_ratio"], "curve")
    rows = [
        {**dict.fromkeys(PLATEAU), **key, **_plateau(points, tolerance)}
        for key, points in groups(curve.frame)
    ]
    return pl.DataFrame(rows, schema=PLATEAU, orient="row")


@step(version=1, name="curve.stated_plateau")
def stated_plateau(
    cells: Measured, *, row: str, low: str = "low", high: str = "high", host_row: str | None = None
) -> pl.DataFrame:
    """A plateau that a document states without printing its points, in the columns of PLATEAU.

    Args:
        cells: One table of ``read_printed``.
        row: The first cell of the row that states it.
        low: Key of the column with its lowest IOPS.
        high: Key of the column with its highest IOPS.
        host_row: The row that states the busy share of the host's CPU in percent, under ``low``.

    Raises AnalysisError where the table has no such row or no number in it.
    """
    need(cells.frame, ["row_name", "column_key", "value"], "printed cells")
    ends = (_stated(cells.frame, row, low), _stated(cells.frame, row, high))
    busy = None if host_row is None else _stated(cells.frame, host_row, low) / 100
    known = [] if busy is None else [busy]
    found = {
        **dict.fromkeys(PLATEAU), "found": True, "low_iops": ends[0], "high_iops": ends[1],
        "cpu_busy_ratio": busy, "bound": _bound(known, complete=bool(known)),
    }  # fmt: skip
    return pl.DataFrame([found], schema=PLATEAU, orient="row")


def _stated(cells: pl.DataFrame, row: str, column: str) -> float:
    found = cells.filter((pl.col("row_name") == row) & (pl.col("column_key") == column))
    values = found["value"].drop_nulls().to_list()
    if len(values) != 1:
        raise AnalysisError(f"printed cells: no number under {column!r} in the row {row!r}")
    return float(values[0])


def _plateau(points: list[Row], tolerance: float) -> Row:
    if any(point["iops"] is None for point in points):
        return {"found": False, "reason": "IOPS are missing at a load point"}
    flat: list[Row] = []
    for point in reversed(points):
        iops = [row["iops"] for row in (*flat, point)]
        if min(iops) < (1 - tolerance) * max(iops):
            break
        flat.insert(0, point)
    if len(flat) < FEWEST_LOADS:
        return {"found": False, "reason": "IOPS still rise or fall at the highest loads"}
    busy = [row["cpu_busy_ratio"] for row in flat]
    known = [value for value in busy if value is not None]
    return {
        "found": True, "low_iops": min(row["iops"] for row in flat),
        "high_iops": max(row["iops"] for row in flat), "first_load": flat[0]["load"],
        "last_load": flat[-1]["load"], "loads": len(flat), "first_lat_s": flat[0]["lat_mean_s"],
        "last_lat_s": flat[-1]["lat_mean_s"], "cpu_busy_ratio": max(known, default=None),
        "bound": _bound(known, complete=len(known) == len(busy)),
    }  # fmt: skip


def _bound(known: list[float], *, complete: bool) -> str:
    if known and max(known) >= HOST_BUSY_RATIO:
        return MAY_BE_HOST
    return NOT_HOST if complete else UNKNOWN
