"""A made system whose answers are known: a closed loop with X(d) = 1 / (s/d + 1/cap)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from perfkit.core.schema import LOAD_POINTS, polars_schema

SERVICE_S = 1e-4
CAP_IOPS = 100_000.0
SPREAD = {1: (0.0,), 2: (-0.01, 0.01), 3: (-0.01, 0.0, 0.01)}

Frame = Callable[..., pl.DataFrame]


def iops_at(depth: float) -> float:
    return 1 / (SERVICE_S / depth + 1 / CAP_IOPS)


@pytest.fixture
def table() -> Frame:
    """load_points of rows that name only what matters."""

    def build(rows: list[dict[str, Any]]) -> pl.DataFrame:
        usual = {"workload": "w", "load_kind": "iodepth", "repeat": 1, "direction": "total"}
        return pl.DataFrame([{**usual, **row} for row in rows], schema=polars_schema(LOAD_POINTS))

    return build


@pytest.fixture
def system(table: Frame) -> Frame:
    """load_points of the made system, IOPS 1% apart between the repeats."""

    def build(
        depths: tuple[int, ...] = (1, 2, 4, 8, 16, 32), repeats: int = 3, **keys: Any
    ) -> pl.DataFrame:
        return table([
            {"load": d, "repeat": r, "iops": x, "bw_bytes_per_s": x * 8192, "lat_mean_s": d / x,
             "lat_min_s": SERVICE_S / 2, "lat_max_s": 20 * d / x, "lat_p50_s": 0.9 * d / x,
             "lat_p95_s": 2 * d / x, "lat_p99_s": 3 * d / x, "lat_p999_s": 6 * d / x,
             "lat_p9999_s": 9 * d / x, "ios": int(2 * x), "runtime_s": 2.0, "in_flight": d,
             "cpu_busy_ratio": 0.1 + x / 200_000, **keys}
            for d in depths
            for r, off in enumerate(SPREAD[repeats], 1)
            for x in [iops_at(d) * (1 + off)]
        ])  # fmt: skip

    return build


@pytest.fixture
def histogram() -> Frame:
    """A histogram table of (load, repeat, value, count)."""

    def build(bins: list[tuple[float, int, float, int]], direction: str = "total") -> pl.DataFrame:
        return pl.DataFrame([
            {"workload": "w", "load_kind": "iodepth", "load": float(load), "repeat": repeat,
             "direction": direction, "kind": "clat", "value_s": value, "count": count}
            for load, repeat, value, count in bins
        ])  # fmt: skip

    return build
