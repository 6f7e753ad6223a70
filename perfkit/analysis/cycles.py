"""The drain cycles of the epic-like workload: their number and the longest."""

from __future__ import annotations

from typing import Any

import polars as pl

from perfkit.analysis.metrics import WORKLOAD_LABELS
from perfkit.analysis.series import check_physical, groups, need
from perfkit.lineage import Measured, step

LABEL = WORKLOAD_LABELS["epic-like"]
FEWEST_CYCLES = 5
NO_VERDICT = "no verdict on fewer than five cycles"
_KEYS = ("workload", "load_kind", "load", "repeat")

CYCLE_SUMMARY: dict[str, Any] = {
    "workload": pl.String, "load_kind": pl.String, "load": pl.Float64, "repeat": pl.Int64,
    "cycles_planned": pl.Int64, "cycles": pl.Int64, "drain_longest_s": pl.Float64,
    "drain_shortest_s": pl.Float64, "judgeable": pl.Boolean, "reason": pl.String,
    "label": pl.String,
}  # fmt: skip


@step(version=1, name="cycles.drain")
def drain_summary(cycles: Measured) -> pl.DataFrame:
    """The longest drain of each load point and repeat.

    A planned drain that did not happen (null) leaves ``judgeable`` false: the longest of the
    others is then only the longest seen. So do fewer than five cycles. ``label`` says wherever
    it shows that this is not GenIO.
    """
    need(cycles.frame, [*_KEYS, "cycle", "drain_s"], "cycles")
    rows = []
    for key, drains in groups(cycles.frame, _KEYS, along=("cycle",)):
        check_physical(drains, ["drain_s"])
        done = [row["drain_s"] for row in drains if row["drain_s"] is not None]
        reason = _reason(len(drains), len(done))
        rows.append({
            **key, "cycles_planned": len(drains), "cycles": len(done),
            "drain_longest_s": max(done, default=None),
            "drain_shortest_s": min(done, default=None),
            "judgeable": reason is None, "reason": reason, "label": LABEL,
        })  # fmt: skip
    return pl.DataFrame(rows, schema=CYCLE_SUMMARY, orient="row")


def _reason(planned: int, done: int) -> str | None:
    if done < FEWEST_CYCLES:
        return NO_VERDICT
    return "a planned drain did not happen" if done < planned else None
