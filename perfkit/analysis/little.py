"""Little's law: a closed loop that does not obey it had another depth, or was read wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.analysis.curves import per_repeat
from perfkit.lineage import Measured, step
from perfkit.schema import KEYS, polars_schema

if TYPE_CHECKING:
    from perfkit.analysis.series import Row

OK = "ok"
OFF = "off"
NOT_APPLICABLE = "not applicable"
TOLERANCE = 0.05

LITTLE: dict[str, Any] = {
    name: dtype for name, dtype in polars_schema(KEYS).items() if name != "host"
} | {
    "iops": pl.Float64, "lat_mean_s": pl.Float64, "in_flight": pl.Float64,
    "in_flight_found": pl.Float64, "ratio": pl.Float64, "status": pl.String, "reason": pl.String,
}  # fmt: skip


@step(version=1, name="curve.little")
def little_check(points: Measured, *, tolerance: float = TOLERANCE) -> pl.DataFrame:
    """IOPS x mean latency against the I/Os kept in flight, one row per load point and repeat.

    ``ratio`` = iops * lat_mean_s / in_flight; ``status`` is "ok" when it is within the tolerance
    of 1, "off" otherwise, and "not applicable" (with the reason) for a paced point, a point whose
    depth is not known, and one that lacks IOPS or latency.

    Source: J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9 (1961).
    """
    rows = [_check(row, tolerance) for row in per_repeat(points.frame, "total").rows(named=True)]
    ordered = ["system", "config", "workload", "load_kind", "load", "repeat"]
    return pl.DataFrame(rows, schema=LITTLE, orient="row").sort(ordered, nulls_last=True)


def _check(row: Row, tolerance: float) -> Row:
    kept = {name: row.get(name) for name in LITTLE}
    reason = _not_applicable(row)
    if reason:
        return {**kept, "status": NOT_APPLICABLE, "reason": reason}
    found = row["iops"] * row["lat_mean_s"]
    ratio = found / row["in_flight"]
    status = OK if abs(ratio - 1) <= tolerance else OFF
    return {**kept, "in_flight_found": found, "ratio": ratio, "status": status}


def _not_applicable(row: Row) -> str | None:
    if row.get("target_iops") is not None:
        return "paced: not a closed loop"
    if not row.get("in_flight"):
        return "the depth is not known"
    if row["iops"] is None or row["lat_mean_s"] is None:
        return "no IOPS or no mean latency"
    return None
