"""What can be asked of a curve: each question gives one number, or says why it has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perfkit.analysis.compare.crossing import (
    MEASURED,
    MISSING,
    NOT_MEASURED,
    NOT_REACHED,
    STARTS_ABOVE,
    Answer,
    lacking,
    value_at,
)
from perfkit.analysis.series import Row

Ask = Callable[[Sequence[Row], float, str], Answer]


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        ask: The rows of one curve in order of load, the value given, the latency metric -> answer.
        given: What is given ("lat", "iops", "load", "cpu_busy_ratio"), or None for nothing.
        wanted: What is asked for.
        more_is_better: Whether a larger answer is the better one.
    """

    ask: Ask
    given: str | None
    wanted: str
    more_is_better: bool


def _iops_at_latency(rows: Sequence[Row], at: float, metric: str) -> Answer:
    return value_at(rows, metric, at, "iops")


def _latency_at_iops(rows: Sequence[Row], at: float, metric: str) -> Answer:
    return value_at(rows, "iops", at, metric)


def _cpu_at_iops(rows: Sequence[Row], at: float, _metric: str) -> Answer:
    return value_at(rows, "iops", at, "cpu_busy_ratio")


def _iops_at_cpu(rows: Sequence[Row], at: float, _metric: str) -> Answer:
    return value_at(rows, "cpu_busy_ratio", at, "iops")


def _at_load(wanted: str) -> Ask:
    def ask(rows: Sequence[Row], at: float, metric: str) -> Answer:
        key = metric if wanted == "lat" else wanted
        found = [row for row in rows if row["load"] == at]
        if not found:  # loads are what was set: nothing lies between them
            return _no_such_load(rows, at)
        value = found[0][key]
        return Answer(None, MISSING, note=lacking(key)) if value is None else Answer(
            value, MEASURED)  # fmt: skip

    return ask


def _no_such_load(rows: Sequence[Row], at: float) -> Answer:
    """A load inside the measured ones was left out; it was not too much."""
    low, high = rows[0]["load"], rows[-1]["load"]
    if low < at < high:
        return Answer(None, NOT_MEASURED)
    above = at < low
    return Answer(None, STARTS_ABOVE if above else NOT_REACHED, reached=low if above else high)


def _peak(rows: Sequence[Row], _at: float, _metric: str) -> Answer:
    if any(row["iops"] is None for row in rows):
        return Answer(None, MISSING, note=lacking("iops"))
    best = max(rows, key=lambda row: row["iops"])
    last = best is rows[-1]
    return Answer(best["iops"], MEASURED, note="the highest load: its peak may be higher" if last
                  else None)  # fmt: skip


def _peak_under(rows: Sequence[Row], at: float, metric: str) -> Answer:
    """The highest measured IOPS among the load points up to the first above the limit."""
    if any(row["iops"] is None or row[metric] is None for row in rows):
        return Answer(None, MISSING, note=lacking("iops", metric))
    under: list[Row] = []
    for row in rows:
        if row[metric] > at:
            break
        under.append(row)
    if not under:
        return Answer(None, STARTS_ABOVE, reached=rows[0][metric])
    note = "the limit was not reached: it may give more" if len(under) == len(rows) else None
    return Answer(max(row["iops"] for row in under), MEASURED, note=note)


def _per_busy_core(rows: Sequence[Row], _at: float, _metric: str) -> Answer:
    """At the peak: IOPS / (busy share x cores)."""
    if any(row["iops"] is None for row in rows):
        return Answer(None, MISSING, note=lacking("iops"))
    best = max(rows, key=lambda row: row["iops"])
    busy, cores = best["cpu_busy_ratio"], best.get("cores")
    if not best["iops"] or not busy or not cores:
        missing = "host CPU" if not busy else "the number of cores"
        return Answer(None, MISSING, note=f"{missing} is not known")
    return Answer(best["iops"] / (busy * cores), MEASURED)


QUESTIONS: dict[str, Question] = {
    "iops_at_latency": Question(_iops_at_latency, "lat", "iops", more_is_better=True),
    "latency_at_iops": Question(_latency_at_iops, "iops", "lat", more_is_better=False),
    "cpu_at_iops": Question(_cpu_at_iops, "iops", "cpu_busy_ratio", more_is_better=False),
    "iops_at_cpu": Question(_iops_at_cpu, "cpu_busy_ratio", "iops", more_is_better=True),
    "iops_at_load": Question(_at_load("iops"), "load", "iops", more_is_better=True),
    "latency_at_load": Question(_at_load("lat"), "load", "lat", more_is_better=False),
    "cpu_at_load": Question(
        _at_load("cpu_busy_ratio"), "load", "cpu_busy_ratio", more_is_better=False
    ),
    "peak_iops": Question(_peak, None, "iops", more_is_better=True),
    "peak_iops_under_latency": Question(_peak_under, "lat", "iops", more_is_better=True),
    "iops_per_busy_core": Question(_per_busy_core, None, "iops_per_core", more_is_better=True),
}
"""Every question by name."""
