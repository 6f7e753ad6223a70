"""What can be chosen: systems, workloads, I/O, latencies and questions the load points hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.metrics import LATENCIES
from perfkit.exploring.curves import Key, curve_names

if TYPE_CHECKING:
    from perfkit.core.lineage import Measured


@dataclass(frozen=True)
class Align:
    """A way to put curves side by side.

    Attributes:
        questions: What is then asked, the main question first.
        values: The argument of ``compare`` that takes the values; None: there is none to give.
        scale: SI base units in one unit as people write it.
        unit: That unit.
        parameter: The notebook's parameter of the values.
    """

    questions: tuple[str, ...]
    values: str | None
    scale: float
    unit: str
    parameter: str | None


ALIGN: dict[str, Align] = {
    "latency": Align(
        ("iops_at_latency", "most_iops_within_latency"), "latencies_s", 1e-6, "µs", "latencies_us"
    ),
    "IOPS": Align(("latency_at_iops", "cpu_at_iops"), "iops", 1.0, "IOPS", "iops"),
    "load": Align(("iops_at_load", "latency_at_load", "cpu_at_load"), "loads", 1.0, "", "loads"),
    "host CPU": Align(("iops_at_cpu",), "cpu_ratios", 1e-2, "%", "cpu_percents"),
    "peak": Align(("peak_iops",), None, 1.0, "", None),
}
"""By what curves are put side by side -> how."""

_NEEDS = {"latency": "latency", "IOPS": "latency or host CPU", "host CPU": "host CPU"}


@dataclass(frozen=True)
class Offers:
    """What the load points hold of one workload (or all) and one direction."""

    systems: dict[str, Key]
    metrics: tuple[str, ...]
    align: tuple[str, ...]

    def missing(self) -> list[str]:
        """Why a way to align is not offered, a sentence each."""
        return [
            f"Not offered: equal {name}, because the load points carry no {_NEEDS[name]}."
            for name in ALIGN
            if name not in self.align and name in _NEEDS
        ]


def workloads(points: Measured) -> list[str]:
    """Every workload."""
    names: list[str] = points.frame["workload"].unique().drop_nulls().sort().to_list()
    return names


def directions(points: Measured) -> list[str]:
    """Every direction, the totals first."""
    found: list[str] = points.frame["direction"].unique().drop_nulls().sort().to_list()
    return sorted(found, key=lambda name: (not name.startswith("total"), name))


def offers(points: Measured, *, workload: str | None, direction: str) -> Offers:
    """What can be asked of the load points of a workload (None: all) and direction."""
    frame = points.frame.filter(direction=direction)
    if workload is not None:
        frame = frame.filter(pl.col("workload") == workload)
    metrics = tuple(name for name in LATENCIES if _known(frame, name))
    cpu = _known(frame, "cpu_busy_ratio")
    there = {
        "latency": bool(metrics), "IOPS": bool(metrics) or cpu, "load": True, "host CPU": cpu,
        "peak": True,
    }  # fmt: skip
    return Offers(
        curve_names(frame), metrics or ("lat_mean_s",), tuple(n for n in ALIGN if there[n])
    )


def _known(frame: pl.DataFrame, name: str) -> bool:
    return name in frame.columns and frame[name].null_count() < frame.height
