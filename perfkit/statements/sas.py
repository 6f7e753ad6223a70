"""What the logs of a SAS workload say, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.sas_workload import ALL, CONFIDENCE
from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, step
from perfkit.sentences import Text as _Text
from perfkit.units import Format, Printed

if TYPE_CHECKING:
    from perfkit.values import Statement

_MINUTES = Format("min", decimals=1)
_PERCENT = Format("%", significant=2)
_RATIO = Format("1", decimals=3)
_ONE = Format("1", decimals=1)


@step(version=1, name="say.sas_difference")
def say_sas_difference(
    differences: Measured, *, value_id: str = "workload-difference"
) -> Statement:
    """The difference of the summed elapsed time between systems, beside the spread over runs."""
    need(differences.frame, ("system", "base", "class", "metric", "difference"), "differences")
    rows = differences.frame.filter(
        **{"class": ALL, "metric": "real_time_s"}
    ).rows(named=True)  # fmt: skip
    if not rows:
        raise AnalysisError("differences: no elapsed time of the whole workload")
    text = _Text()
    return text.done(value_id, [_difference(text, row) for row in rows])


def _difference(text: _Text, row: Row) -> str:
    names = f"{text(row['system'])} than {text(row['base'])}"
    if row["difference"] is None:
        return f"Whether the jobs took longer on {names} is not known: a time is missing."
    size = text(_MINUTES.show(abs(row["difference"])))
    share = text(_PERCENT.show(abs(row["difference_ratio"])))
    word = "less" if row["difference"] < 0 else "more"
    said = (
        f"Summed over all jobs, elapsed time was {size} ({share}) {word} on {names}, "
        f"over {text.count(row['repeats'])} and {text.count(row['base_repeats'])} runs"
    )
    if row["low"] is None:
        return f"{said}; one run says nothing of the spread between runs."
    bounds = f"{text(_bound(row['low']))} to {text(_bound(row['high']))}"
    level = text(Format("%").show(CONFIDENCE))
    if row["status"] == "differs":
        return f"{said}; the {level} interval of the difference is {bounds}."
    return f"{said}, which is within the spread of the runs ({level} interval {bounds})."


def _bound(seconds: float) -> Printed:
    return Format("min", decimals=1, sign=True).show(seconds)


@step(version=1, name="say.sas_ratios")
def say_sas_ratios(ratios: Measured, *, value_id: str = "ratio-summary") -> Statement:
    """The mean of the jobs' CPU ratios and the ratio of sums, each by its name, by system."""
    need(ratios.frame, ("system", "ratio_mean", "ratio_of_sums"), "ratios")
    text = _Text()
    said = []
    systems: dict[str, list[Row]] = {}
    for row in ratios.frame.rows(named=True):
        if row["ratio_mean"] is not None:
            systems.setdefault(row["system"], []).append(row)
    if not systems:
        raise AnalysisError("ratios: no job has a ratio")
    for system, rows in systems.items():
        means = _range(text, [row["ratio_mean"] for row in rows])
        sums = _range(text, [row["ratio_of_sums"] for row in rows])
        said.append(
            f"On {text(system)} the mean of the jobs' ratios of CPU to elapsed time was {means}, "
            f"and the ratio of the sums {sums}."
        )
    return text.done(value_id, said)


def _range(text: _Text, values: list[float]) -> str:
    low, high = _RATIO.show(min(values)), _RATIO.show(max(values))
    return text(low) if low.text == high.text else f"{text(low)} to {text(high)}"


@step(version=1, name="say.sas_concurrency")
def say_sas_concurrency(runs: Measured, *, value_id: str = "concurrency") -> Statement:
    """How many jobs ran at once, mean and peak, over the runs; or that it is not known."""
    need(runs.frame, ("system", "concurrency_mean", "concurrency_peak", "reason"), "runs")
    every = runs.frame.rows(named=True)
    known = [row for row in every if row["concurrency_mean"] is not None]
    text = _Text()
    if not known:
        return text.done(
            value_id, ["How many jobs ran at once is unknown: the logs hold no times of day."]
        )
    means = [row["concurrency_mean"] for row in known]
    low, high = _ONE.show(min(means)), _ONE.show(max(means))
    mean = text(low) if low.text == high.text else f"{text(low)} to {text(high)}"
    peak = text.count(max(row["concurrency_peak"] for row in known))
    said = f"On average {mean} jobs ran at once over the span of a run, and {peak} at the most"
    more = len(every) - len(known)
    if more:
        said += f"; for {text.many(more, 'run', 'runs')} it is unknown"
    return text.done(value_id, [f"{said}."])
