"""How IOPS grow with the load: the Universal Scalability Law, fitted, with what it leaves over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from perfkit.analysis.curves.series import SERIES_TYPES, groups, require_columns
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import ColumnTypes, Row

FEWEST_POINTS = 4
"""Three parameters need more points than three for anything to be left over."""

_RATE = "the load is an offered rate, not a concurrency"
NO_CONCURRENCY = {"rate_iops": _RATE, "target_iops": _RATE, "run": "the load numbers runs"}
"""Kinds of load that the law does not cover: it is about how many work at once."""

FAR = 10.0
"""A peak beyond this multiple of the highest load does not follow from the measurement."""

USL: ColumnTypes = SERIES_TYPES | {
    "points": pl.Int64,
    "iops_per_load": pl.Float64,
    "contention": pl.Float64,
    "coherency": pl.Float64,
    "peak_load": pl.Float64,
    "peak_iops": pl.Float64,
    "largest_residual_ratio": pl.Float64,
    "rms_residual_ratio": pl.Float64,
    "fitted": pl.Boolean,
    "reason": pl.String,
}
"""The columns of a fit. ``peak_load`` is null where the law has no peak (no coherency term), or
one at more than ten times the highest load; ``peak_iops`` where it lies outside the measured loads
(the law says nothing proved there)."""


@step(version=1, name="scaling.usl")
def usl(curve: Measured) -> pl.DataFrame:
    """The Universal Scalability Law fitted to each curve's IOPS over its load.

    X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), with lambda > 0 the IOPS of a single
    unit of load, sigma >= 0 contention and kappa >= 0 coherency (N. J. Gunther, "Guerrilla Capacity
    Planning", Springer 2007, chapter 4). Least squares of the relative residuals, so that a small
    load counts as much as a large one. The residuals tell how well the law describes the curve:
    it is a description, not a proof of a cause.

    No fit for fewer than four loads, loads that are offered rates, a load below 1, or IOPS that are
    missing or 0: the row then
    has the reason.

    Returns ``USL``, one row a curve.
    """
    require_columns(curve.frame, ["load", "load_kind", "iops"], "curve")
    rows = [
        {**dict.fromkeys(USL), **key, **asdict(_fit(points))} for key, points in groups(curve.frame)
    ]
    return pl.DataFrame(rows, schema=USL, orient="row")


@dataclass(frozen=True, slots=True)
class _Fit:
    """The columns of ``USL`` beside the keys."""

    points: int
    reason: str | None = None
    fitted: bool = False
    iops_per_load: float | None = None
    contention: float | None = None
    coherency: float | None = None
    peak_load: float | None = None
    peak_iops: float | None = None
    largest_residual_ratio: float | None = None
    rms_residual_ratio: float | None = None


def _no_fit(kind: str | None, loads: list[float | None], iops: list[float | None]) -> str | None:
    """Why the law cannot be fitted to a curve; None where it can."""
    if kind in NO_CONCURRENCY:
        return NO_CONCURRENCY[kind]
    if any(value is None or value <= 0 for value in iops):
        return "IOPS are missing or 0 at a load point"
    if any(load is None or load < 1 for load in loads):
        return "a load below 1"
    return f"fewer than {FEWEST_POINTS} loads" if len(set(loads)) < FEWEST_POINTS else None


def _fit(points: list[Row]) -> _Fit:
    loads = [row["load"] for row in points]
    iops = [row["iops"] for row in points]
    reason = _no_fit(points[0]["load_kind"], loads, iops)
    if reason:
        return _Fit(len(points), reason)
    found = fit_usl(loads, iops)
    if found is None:
        return _Fit(len(points), "the fit did not converge")
    scale, sigma, kappa = found
    left = [usl_iops(n, *found) / x - 1 for n, x in zip(loads, iops, strict=True)]
    top = math.sqrt((1 - sigma) / kappa) if kappa > 0 and sigma < 1 else None
    if top is not None and top > FAR * max(loads):
        top = None
    inside = top is not None and min(loads) <= top <= max(loads)
    return _Fit(
        len(points),
        fitted=True,
        iops_per_load=scale,
        contention=sigma,
        coherency=kappa,
        peak_load=top,
        peak_iops=usl_iops(top, *found) if inside and top else None,
        largest_residual_ratio=max(map(abs, left)),
        rms_residual_ratio=math.sqrt(math.fsum(r * r for r in left) / len(left)),
    )


def usl_iops(load: float, scale: float, sigma: float, kappa: float) -> float:
    """The law itself: IOPS at a load."""
    return scale * load / (1 + sigma * (load - 1) + kappa * load * (load - 1))


def fit_usl(loads: Sequence[float], iops: Sequence[float]) -> tuple[float, float, float] | None:
    """(lambda, sigma, kappa) of the least relative residuals; None where none was found."""
    import numpy as np
    from scipy.optimize import least_squares

    n, x = np.asarray(loads, dtype=float), np.asarray(iops, dtype=float)

    def left(parameters: Any) -> Any:
        scale, sigma, kappa = parameters
        return scale * (x[0] / n[0]) * n / (1 + sigma * (n - 1) + kappa * n * (n - 1)) / x - 1

    best = least_squares(
        left,
        x0=(1.0, 0.05, 1e-4),
        bounds=([1e-9, 0, 0], [np.inf, np.inf, np.inf]),
        x_scale=(1.0, 0.1, 1e-3),
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
        max_nfev=2000,
    )
    if not best.success:
        return None
    scale, sigma, kappa = (float(value) for value in best.x)
    return scale * float(x[0] / n[0]), sigma, kappa
