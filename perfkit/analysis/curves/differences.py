"""What is measured of curves and tells that they are of different conditions: I/O size and mix."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

import polars as pl

from perfkit.analysis.curves.series import CURVE_KEYS, with_held
from perfkit.core.answers import Condition, where_conditions
from perfkit.core.keys import rows_by
from perfkit.core.schema import Row

SIZE_SHARE = 0.02
"""Mean I/O sizes further apart than this are of different block sizes."""

MIX_POINTS = 0.02
"""Shares of reads further apart than this are of different mixes."""


def same_size(one: float, other: float) -> bool:
    """Whether two mean I/O sizes are of one block size."""
    return abs(one - other) <= SIZE_SHARE * max(one, other)


def same_mix(one: float, other: float) -> bool:
    """Whether two shares of reads are of one mix."""
    return abs(one - other) <= MIX_POINTS


def mean_size(points: Sequence[Row], direction: str) -> float | None:
    """Mean bytes of an I/O of one direction, over all points that know both rates."""
    rows = [row for row in points if row["direction"] == direction]
    rows = [row for row in rows if row["iops"] and row.get("bw_bytes_per_s") is not None]
    if not rows:
        return None
    return math.fsum(r["bw_bytes_per_s"] for r in rows) / math.fsum(r["iops"] for r in rows)


def mean_io_bytes(points: Sequence[Row]) -> float | None:
    """Mean bytes of an I/O over all points, of reads and writes together."""
    both = [row for row in points if row["direction"] in {"read", "write"} and row["iops"]]
    rows = both or [row for row in points if row["direction"] == "total" and row["iops"]]
    if not rows or any(row.get("bw_bytes_per_s") is None for row in rows):
        return None
    return math.fsum(r["bw_bytes_per_s"] for r in rows) / math.fsum(r["iops"] for r in rows)


def read_ratio(points: Sequence[Row]) -> float | None:
    """The share of reads, over all points that know both."""
    reads, writes = (
        [row["iops"] for row in points if row["direction"] == direction and row["iops"] is not None]
        for direction in ("read", "write")
    )
    total = math.fsum(reads) + math.fsum(writes)
    return math.fsum(reads) / total if total else None


DIFFERENCES: Mapping[
    str, tuple[str, Callable[[Sequence[Row]], float | None], Callable[[float, float], bool]]
] = {
    "mean_io_bytes": ("B", mean_io_bytes, same_size),
    "mean_read_bytes": ("B", lambda points: mean_size(points, "read"), same_size),
    "mean_write_bytes": ("B", lambda points: mean_size(points, "write"), same_size),
    "read_ratio": ("ratio", read_ratio, same_mix),
}
"""Name -> its unit, how it is measured, and when two of it are equal."""


def _unlike_sizes(points: Sequence[Row]) -> bool:
    read, write = (mean_size(points, direction) for direction in ("read", "write"))
    return read is not None and write is not None and not same_size(read, write)


_COLUMNS = ("direction", "iops", "bw_bytes_per_s")


def differences(points: pl.DataFrame) -> dict[tuple[object, ...], tuple[Condition, ...]]:
    """Mean I/O size and mix of each curve, by ``CURVE_KEYS``, each where the curves differ in it.

    Where a curve's reads and writes have unlike sizes, no curve has one size of both: a mean over
    both would be the size of no I/O. Load points of all directions.
    """
    there = [*CURVE_KEYS, *(name for name in _COLUMNS if name in points.columns)]
    curves = rows_by(with_held(points).select(there).rows(named=True), itemgetter(*CURVE_KEYS))
    found: dict[tuple[object, ...], tuple[Condition, ...]] = dict.fromkeys(curves, ())
    unlike = any(_unlike_sizes(rows) for rows in curves.values())
    sizes = ("mean_read_bytes", "mean_write_bytes") if unlike else ("mean_io_bytes",)
    for name in (*sizes, "read_ratio"):
        unit, of, same = DIFFERENCES[name]
        values = {key: of(rows) for key, rows in curves.items()}
        known = [value for value in values.values() if value is not None]
        if known and not same(min(known), max(known)):
            for key, value in values.items():
                found[key] += where_conditions((name, value, unit))
    return found
