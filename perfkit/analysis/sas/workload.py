"""A workload of SAS jobs: sums by system and class, differences between systems, CPU ratios.

The statistics are those in which SAS's papers on mixed analytics workloads report (sums over jobs
of FULLSTIMER figures; mean, standard deviation and range of CPU/real), beside those that they leave
out: the spread over repeated runs, and the ratio of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.analysis.sas.jobs import CLASSES, all_or_null
from perfkit.core.errors import AbsentError, AnalysisError, check_name
from perfkit.core.intervals import Side, change_intervals
from perfkit.core.keys import collision
from perfkit.core.lineage import Measured, step

ALL = "all"
METRICS = ("real_time_s", "user_cpu_s", "system_cpu_s", "memory_bytes")
CONFIDENCE = 0.95
MIXED = "mixed"
_NEEDED = ("log", "system", "repeat", "test", "class", "times_of", "memory_of", "ratio", *METRICS)


@step(version=1, name="sas.aggregates")
def aggregates(jobs: Measured) -> pl.DataFrame:
    """Sums over the jobs of each run, by class and for all: a row a system, repeat and class.

    Columns: ``system``, ``repeat``, ``class`` ("all" besides the classes), ``jobs``, the sums
    ``real_time_s``, ``user_cpu_s``, ``system_cpu_s`` and ``memory_bytes`` (null where one job's is
    unknown), ``without_times`` and ``without_memory`` (jobs whose figure is unknown), ``times_of``
    and ``memory_of`` (what the jobs' figures rest on; "mixed" where they differ).
    """
    require_columns(jobs.frame, _NEEDED, "jobs")
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


@step(version=1, name="sas.means")
def means(aggregates: Measured) -> pl.DataFrame:
    """The sums of each system and class over its runs: mean, spread, smallest and largest.

    Args:
        aggregates: Of ``sas.aggregates``.

    Returns:
        A row a system and class: ``system``, ``class``, ``runs``, ``jobs_least`` and ``jobs_most``
        of a run, of each metric ``METRIC_mean``, ``METRIC_std`` (sample; null for one run),
        ``METRIC_least`` and ``METRIC_most`` (all null where one run's is unknown: no mean over a
        part of the runs), ``times_of`` and ``memory_of`` ("mixed" where the runs differ).

    Raises:
        AnalysisError: Two rows of one system, run and class.
    """
    keys = ("system", "repeat", "class")
    require_columns(
        aggregates.frame, (*keys, "jobs", "times_of", "memory_of", *METRICS), "aggregates"
    )
    twice = collision(aggregates.frame, keys)
    if twice is not None:
        run = f"{twice['system']}, run {twice['repeat']}, class {twice['class']}"
        raise AnalysisError(f"aggregates: two rows of {run}: a mean over both mixes them")
    return aggregates.frame.group_by("system", "class", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("runs"),
        pl.col("jobs").min().alias("jobs_least"),
        pl.col("jobs").max().alias("jobs_most"),
        *(expr for name in METRICS for expr in _over_runs(name)),
        *(
            pl.when(pl.col(name).n_unique() > 1)
            .then(pl.lit(MIXED))
            .otherwise(pl.col(name).first())
            .alias(name)
            for name in ("times_of", "memory_of")
        ),
    )


def _over_runs(name: str) -> list[pl.Expr]:
    column = pl.col(name)
    made = {
        "mean": column.mean(),
        "std": column.std(ddof=1),
        "least": column.min(),
        "most": column.max(),
    }
    whole = pl.when(column.null_count() == 0)
    return [whole.then(expr).alias(f"{name}_{word}") for word, expr in made.items()]


@step(version=3, name="sas.differences")
def differences(aggregates: Measured, *, base: str | None = None) -> pl.DataFrame:
    """How each system's sums differ from those of one, with the spread over repeated runs.

    Means over repeats. The interval (95%) is that of their ratio, made on logarithms, and one
    family over the classes of a pair and metric (``intervals.change_intervals``); ``low`` and
    ``high`` are the differences that its ends are. Null where a system has one run only.

    Args:
        aggregates: Of ``sas.aggregates``.
        base: The system that the others are compared with; default: the first by name.

    Returns:
        A row a system, class and metric: ``system``, ``base``, ``class``, ``metric``, ``repeats``,
        ``base_repeats``, ``mean``, ``std`` and ``base_mean``, ``base_std`` (in the metric's unit;
        std null for one run), ``difference``, ``low``, ``high``, ``difference_ratio``, ``ratio``,
        ``ratio_low``, ``ratio_high``, and ``status``: "differs", "within the spread", "one run: no
        spread", "no spread between runs", "unknown".

    Raises:
        AnalysisError: A base that is not a system, or one system only.
    """
    require_columns(aggregates.frame, ("system", "repeat", "class", *METRICS), "aggregates")
    systems = sorted(aggregates.frame["system"].unique().to_list())
    if len(systems) <= 1:
        raise AbsentError(f"only one system, {systems[0]}: there is nothing to compare with")
    first = base or systems[0]
    check_name("system", first, systems)
    found = {}
    for system in systems:
        for metric in METRICS:
            if system != first:
                family = {
                    kind: (
                        _values(aggregates.frame, system, kind, metric),
                        _values(aggregates.frame, first, kind, metric),
                    )
                    for kind in (*CLASSES, ALL)
                }
                for kind, row in _differences(family).items():
                    found[kind, system, metric] = row
    rows = [
        {
            "system": system,
            "base": first,
            "class": kind,
            "metric": metric,
            **asdict(found[kind, system, metric]),
        }
        for kind in (*CLASSES, ALL)
        for system in systems
        for metric in METRICS
        if (kind, system, metric) in found
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _values(frame: pl.DataFrame, system: str, kind: str, metric: str) -> list[float | None]:
    return frame.filter(system=system, **{"class": kind})[metric].to_list()


_Runs = list[float | None]


@dataclass(frozen=True, slots=True)
class _Difference:
    """How two systems' sums of one class and metric differ; None where that is unknown."""

    repeats: int
    base_repeats: int
    mean: float | None
    std: float | None
    base_mean: float | None
    base_std: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    difference_ratio: float | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    status: str = "unknown"


def _differences(family: dict[str, tuple[_Runs, _Runs]]) -> dict[str, _Difference]:
    """The differences of each class of one pair and metric: their intervals are one family."""
    there = {kind: pair for kind, pair in family.items() if any(pair)}
    known = [kind for kind, pair in there.items() if all(mean(_whole(own)) for own in pair)]
    sides = [(_side(there[kind][0]), _side(there[kind][1])) for kind in known]
    ends = dict(zip(known, change_intervals(sides, level=CONFIDENCE), strict=True))
    return {kind: _difference(*pair, ends.get(kind)) for kind, pair in there.items()}


def _side(values: _Runs) -> Side:
    whole = _whole(values)
    return Side(mean(whole) or 0.0, tuple(whole))


def _difference(mine: _Runs, theirs: _Runs, ends: tuple[float, float] | None) -> _Difference:
    one, other = _whole(mine), _whole(theirs)
    middle, against = mean(one), mean(other)
    found = _Difference(len(mine), len(theirs), middle, std(one), against, std(other))
    if middle is None or against is None:
        return found
    single = min(len(one), len(other)) == 1
    found = replace(
        found,
        difference=middle - against,
        difference_ratio=(middle - against) / against if against else None,
        ratio=middle / against if against else None,
        status="one run: no spread" if single else "no spread between runs",
    )
    if ends is None:
        return found
    low, high = ends
    return replace(
        found,
        ratio_low=low,
        ratio_high=high,
        low=against * (low - 1),
        high=against * (high - 1),
        status="differs" if low > 1 or high < 1 else "within the spread",
    )


def _whole(values: list[float | None]) -> list[float]:
    """The values, or none where one is unknown: no mean over a part of the runs."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def mean(values: Sequence[float]) -> float | None:
    """The mean; None for no values."""
    return math.fsum(values) / len(values) if values else None


def std(values: Sequence[float]) -> float | None:
    """The sample standard deviation; None for fewer than two values."""
    if len(values) <= 1:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


@step(version=1, name="sas.ratios")
def ratios(jobs: Measured, *, by: Literal["run", "test"] = "run") -> pl.DataFrame:
    """CPU time to elapsed time over jobs: three statistics of the jobs' ratios, and that of sums.

    Below 1 a job waits; above 1 threads ran side by side. The mean of ratios weighs each job the
    same, the ratio of sums by its time: they are different quantities and may order two systems
    differently. Jobs with CAS steps have no ratio: the server's CPU time is not in their logs.

    Args:
        jobs: Of ``sas.jobs``.
        by: "run": a row a system and repeat; "test": a row a system and test, all its jobs.

    Returns:
        ``system``, ``repeat`` or ``test`` and ``class``, ``jobs`` (with a ratio), ``without``
        (jobs without one), ``ratio_mean``, ``ratio_std`` (sample), ``ratio_range`` (largest less
        smallest), ``ratio_min``, ``ratio_max``, ``ratio_of_sums``.
    """
    require_columns(jobs.frame, (*_NEEDED, "cpu_s"), "jobs")
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
            .then(pl.col("cpu_s").filter(known).sum() / pl.col("real_time_s").filter(known).sum())
            .alias("ratio_of_sums"),
        )
        .sort(*keys)
    )
