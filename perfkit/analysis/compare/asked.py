"""The changes of one question of a comparison, or the reason, in words, why there are none."""

from __future__ import annotations

from collections.abc import Sequence

from perfkit.analysis.curves import questions
from perfkit.analysis.curves.curves import BUSY
from perfkit.analysis.curves.questions import CHOSEN_LATENCY, CURVE_QUESTIONS
from perfkit.core import answers
from perfkit.core.answers import Answer, Condition
from perfkit.core.errors import AbsentError, AnalysisError, check_name
from perfkit.core.lineage import Measured

NAMES = {
    questions.IOPS_AT_LATENCY.name: "IOPS at equal latency",
    questions.LATENCY_AT_IOPS.name: "latency at equal IOPS",
    questions.CPU_AT_IOPS.name: "host CPU at equal IOPS",
    questions.IOPS_AT_CPU.name: "IOPS at equal host CPU",
    questions.IOPS_AT_LOAD.name: "IOPS at equal load",
    questions.LATENCY_AT_LOAD.name: "latency at equal load",
    questions.CPU_AT_LOAD.name: "host CPU at equal load",
    questions.PEAK_IOPS.name: "peak IOPS",
    questions.MOST_IOPS_WITHIN_LATENCY.name: "highest measured IOPS within a latency",
    questions.IOPS_PER_BUSY_CORE.name: "IOPS per busy core at the peak",
}
"""What each question of a comparison is called in the middle of a sentence."""

_QUANTITIES = {CHOSEN_LATENCY: "latency", BUSY: "host CPU"}
_GIVEN = {CHOSEN_LATENCY: "latency", "iops": "IOPS", "load": "load", BUSY: "share of the CPU"}


def changes_of(comparison: Measured) -> list[Answer]:
    """The changes that ``compare`` gave.

    Raises AnalysisError for answers of which one is not a change.
    """
    found = answers.from_frame(comparison.frame)
    other = next((item.question for item in found if item.against is None), None)
    if other is not None:
        raise AnalysisError(f"comparison: an answer to {other!r} is not a change")
    return found


def changes_asked(comparison: Measured, question: str) -> list[Answer]:
    """The changes of one question.

    Raises AnalysisError: no such question ("did you mean"), or one that this comparison does not
    hold, with the reason as far as its answers tell: a quantity that no load point carries, or no
    value to ask at.
    """
    every = changes_of(comparison)
    found = [item for item in every if item.question == question]
    if found:
        return found
    check_name("question", question, NAMES)
    raise AbsentError(_why(every, question))


def asked_at(change: Answer) -> Condition | None:
    """The condition that a change was asked at; None for a peak."""
    return change.condition("at") or change.condition("limit")


TWOFOLD = 2.0


def tells(change: Answer) -> bool:
    """Whether a known change tells more than that no difference is shown.

    It does not where its interval holds no change and the upper end is more than twice the lower.
    """
    got = change.got
    if got.low is None or got.high is None:
        return True
    return not (got.low <= 1 <= got.high and got.high > TWOFOLD * got.low)


def _why(every: Sequence[Answer], question: str) -> str:
    asked = CURVE_QUESTIONS[question]
    for key, name in _QUANTITIES.items():
        if key in {asked.at, asked.wanted} and _carried_by_none(every, key):
            return f"the load points carry no {name}, so {NAMES[question]} cannot be answered"
    if asked.at is None:
        return f"{NAMES[question]} was not asked for"
    given = _GIVEN[asked.at]
    return f"no {given} was given at which to compare, so {NAMES[question]} was not asked"


def _carried_by_none(every: Sequence[Answer], key: str) -> bool:
    """Whether every answer that is wanted of the quantity lacks it, on both sides."""
    about = [
        item
        for item in every
        if CURVE_QUESTIONS[item.question].wanted == key and item.reason is None
    ]
    return bool(about) and all(side.status == "missing" for item in about for side in item.sides)
