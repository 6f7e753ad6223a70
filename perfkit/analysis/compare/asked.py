"""The rows of one question of a comparison, or the reason, in words, why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.compare.crossing import MISSING, lacking
from perfkit.analysis.compare.questions import QUESTIONS
from perfkit.errors import AnalysisError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from perfkit.analysis.series import Row

NAMES = {
    "iops_at_latency": "IOPS at equal latency",
    "latency_at_iops": "latency at equal IOPS",
    "cpu_at_iops": "host CPU at equal IOPS",
    "iops_at_cpu": "IOPS at equal host CPU",
    "iops_at_load": "IOPS at equal load",
    "latency_at_load": "latency at equal load",
    "cpu_at_load": "host CPU at equal load",
    "peak_iops": "peak IOPS",
    "peak_iops_under_latency": "highest measured IOPS under a latency",
    "iops_per_busy_core": "IOPS per busy core at the peak",
}
"""What each question is called in the middle of a sentence."""

_QUANTITIES = {"lat": "latency", "cpu_busy_ratio": "host CPU"}
_GIVEN = {"lat": "latency", "iops": "IOPS", "load": "load", "cpu_busy_ratio": "share of the CPU"}


def rows_asked(frame: pl.DataFrame, question: str) -> list[Row]:
    """The rows of one question.

    Raises AnalysisError: no such question ("did you mean"), or one that this comparison does not
    hold, with the reason as far as its rows tell: a quantity that no load point carries, or no
    value to ask at.
    """
    rows = frame.rows(named=True)
    found = [row for row in rows if row["question"] == question]
    if found:
        return found
    if question not in QUESTIONS:
        raise AnalysisError(f"no question {question!r}; {did_you_mean(question, list(QUESTIONS))}")
    raise AnalysisError(_why(rows, question))


def _why(rows: list[Row], question: str) -> str:
    asked = QUESTIONS[question]
    for key, name in _QUANTITIES.items():
        if key in {asked.given, asked.wanted} and _carried_by_none(rows, key):
            return f"the load points carry no {name}, so {NAMES[question]} cannot be answered"
    if asked.given is None:
        return f"{NAMES[question]} was not asked for"
    given = _GIVEN[asked.given]
    return f"no {given} was given at which to compare, so {NAMES[question]} was not asked"


def _carried_by_none(rows: list[Row], key: str) -> bool:
    """Whether every answer that is wanted of the quantity lacks it, on both sides."""
    about = [row for row in rows if QUESTIONS[row["question"]].wanted == key]
    return bool(about) and all(_lacks(row, key) for row in about)


def _lacks(row: Row, key: str) -> bool:
    words = lacking(row["metric"] if key == "lat" else key)
    sides = {row["baseline_status"], row["contender_status"]}
    return sides == {MISSING} and words in (row["note"] or "")
