"""A workload of SAS jobs: sums by system and class, differences between systems, CPU ratios.

The statistics are those in which SAS's papers on mixed analytics workloads report (sums over jobs
of FULLSTIMER figures; mean, standard deviation and range of CPU/real), beside those that they leave
out: the spread over repeated runs, and the ratio of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from perfkit.analysis.sas_jobs import CLASSES, all_or_null
from perfkit.analysis.series import need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step

ALL = "all"
METRICS = ("real_time_s", "user_cpu_s", "system_cpu_s", "memory_bytes")
CONFIDENCE = 0.95
MIXED = "mixed"
_NEEDED = ("log", "system", "repeat", "test", "class", "times_of", "memory_of", "ratio", *METRICS)


@step(version=1, name="sas.aggregates")
def sas_aggregates(jobs: Measured) -> pl.DataFrame:
    """Sums over the jobs of each run, by class and for all: a row a system, repeat and class.

    Columns: ``system``, ``repeat``, ``class`` ("all" besides the classes), ``jobs``, the sums
    ``real_time_s``, ``user_cpu_s``, ``system_cpu_s`` and ``memory_bytes`` (null where one job's is
    unknown), ``without_times`` and ``without_memory`` (jobs whose figure is unknown), ``times_of``
    and ``memory_of`` (what the jobs' figures rest on; "mixed" where they differ).
    """
    need(jobs.frame, _NEEDED, "jobs")
    both = pl.concat([jobs.frame, jobs.frame.with_columns(pl.lit(ALL).alias("class"))])
    order = {name: number for number, name in enumerate((*CLASSES, ALL))}
    return (
        both.group_by("system", "repeat", "class")
        .agg(
            pl.len().alias("jobs"),
            *(all_or_null(name) for name in METRICS),
            pl.col("real_time_s").null_count().alias("without_times"),
            pl.col("memory_bytes").null_count().alias("without_memory"),
            _one_or_mixed("times_of"),
            _one_or_mixed("memory_of"),
        )
        .sort("system", "repeat", pl.col("class").replace_strict(order))
        .with_columns(pl.col("jobs", "without_times", "without_memory").cast(pl.Int64))
    )


def _one_or_mixed(name: str) -> pl.Expr:
    values = pl.col(name).drop_nulls()
    return pl.when(values.n_unique() > 1).then(pl.lit(MIXED)).otherwise(values.first()).alias(name)


@step(version=1, name="sas.differences")
def sas_differences(aggregates: Measured, *, base: str | None = None) -> pl.DataFrame:
    """How each system's sums differ from those of one, with the spread over repeated runs.

    Means over repeats; the interval of their difference is Welch's (95%, two-sided; B. L. Welch,
    Biometrika 34, 1947), and null where a system has one run only.

    Args:
        aggregates: Of ``sas_aggregates``.
        base: The system that the others are compared with; default: the first by name.

    Returns:
        A row a system, class and metric: ``system``, ``base``, ``class``, ``metric``, ``repeats``,
        ``base_repeats``, ``mean``, ``std`` and ``base_mean``, ``base_std`` (in the metric's unit;
        std null for one run), ``difference``, ``low``, ``high``, ``difference_ratio``, and
        ``status``: "differs", "within the spread", "one run: no spread", "unknown".

    Raises:
        AnalysisError: A base that is no system, or one system only.
    """
    need(aggregates.frame, ("system", "repeat", "class", *METRICS), "aggregates")
    systems = sorted(aggregates.frame["system"].unique().to_list())
    if len(systems) < 2:  # noqa: PLR2004 - a difference needs two
        raise AnalysisError(f"only one system, {systems[0]}: there is nothing to compare with")
    first = base or systems[0]
    if first not in systems:
        raise AnalysisError(f"no system {first!r}; {did_you_mean(first, systems)}")
    rows = []
    for kind in (*CLASSES, ALL):
        for system in systems:
            for metric in METRICS:
                mine = _values(aggregates.frame, system, kind, metric)
                theirs = _values(aggregates.frame, first, kind, metric)
                if system != first and (mine or theirs):
                    row = {"system": system, "base": first, "class": kind, "metric": metric}
                    rows.append({**row, **_difference(mine, theirs)})
    return pl.DataFrame(rows, infer_schema_length=None)


def _values(frame: pl.DataFrame, system: str, kind: str, metric: str) -> list[float | None]:
    return frame.filter(system=system, **{"class": kind})[metric].to_list()


def _difference(mine: list[float | None], theirs: list[float | None]) -> dict[str, Any]:
    one, other = _whole(mine), _whole(theirs)
    base: dict[str, Any] = {
        "repeats": len(mine), "base_repeats": len(theirs),
        "mean": mean(one), "std": std(one), "base_mean": mean(other), "base_std": std(other),
        "difference": None, "low": None, "high": None, "difference_ratio": None,
        "status": "unknown",
    }  # fmt: skip
    if not one or not other:
        return base
    difference = sum(one) / len(one) - sum(other) / len(other)
    half = _welch(one, other)
    base |= {
        "difference": difference,
        "difference_ratio": difference / base["base_mean"] if base["base_mean"] else None,
        "status": "one run: no spread",
    }
    if half is not None:
        clear = abs(difference) > half
        base |= {"low": difference - half, "high": difference + half,
                 "status": "differs" if clear else "within the spread"}  # fmt: skip
    return base


def _whole(values: list[float | None]) -> list[float]:
    """The values, or none where one is unknown: no mean over a part of the runs."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def mean(values: Sequence[float]) -> float | None:
    """The mean; None for no values."""
    return math.fsum(values) / len(values) if values else None


def std(values: Sequence[float]) -> float | None:
    """The sample standard deviation; None for fewer than two values."""
    if len(values) < 2:  # noqa: PLR2004 - n - 1
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def _welch(one: list[float], other: list[float]) -> float | None:
    """Half the width of Welch's interval of a difference of means; None without a spread."""
    first, second = std(one), std(other)
    if first is None or second is None:
        return None
    a, b = first**2 / len(one), second**2 / len(other)
    if a + b == 0:
        return 0.0
    # scipy.stats would give the same quantile, and takes seconds more to import
    from scipy.special import stdtrit

    freedom = (a + b) ** 2 / (a**2 / (len(one) - 1) + b**2 / (len(other) - 1))
    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * math.sqrt(a + b)


@step(version=1, name="sas.ratios")
def sas_ratios(jobs: Measured, *, by: Literal["run", "test"] = "run") -> pl.DataFrame:
    """CPU time to elapsed time over jobs: three statistics of the jobs' ratios, and that of sums.

    Below 1 a job waits; above 1 threads ran side by side. The mean of ratios weighs each job the
    same, the ratio of sums by its time: they are different quantities and may order two systems
    differently. Jobs with CAS steps have no ratio: the server's CPU time is not in their logs.

    Args:
        jobs: Of ``sas_jobs``.
        by: "run": a row a system and repeat; "test": a row a system and test, all its jobs.

    Returns:
        ``system``, ``repeat`` or ``test`` and ``class``, ``jobs`` (with a ratio), ``without``
        (jobs without one), ``ratio_mean``, ``ratio_std`` (sample), ``ratio_range`` (largest less
        smallest), ``ratio_min``, ``ratio_max``, ``ratio_of_sums``.
    """
    need(jobs.frame, (*_NEEDED, "cpu_s"), "jobs")
    keys = ("system", "repeat") if by == "run" else ("system", "class", "test")
    known = pl.col("ratio").is_not_null()
    return (
        jobs.frame.group_by(*keys)
        .agg(
            pl.col("ratio").count().cast(pl.Int64).alias("jobs"),
            pl.col("ratio").null_count().cast(pl.Int64).alias("without"),
            pl.col("ratio").mean().alias("ratio_mean"),
            pl.col("ratio").std(ddof=1).alias("ratio_std"),
            (pl.col("ratio").max() - pl.col("ratio").min()).alias("ratio_range"),
            pl.col("ratio").min().alias("ratio_min"),
            pl.col("ratio").max().alias("ratio_max"),
            pl.when(known.any())
            .then(
                pl.col("cpu_s").filter(known).sum() / pl.col("real_time_s").filter(known).sum()
            ).alias("ratio_of_sums"),
        )
        .sort(*keys)
    )  # fmt: skip
