"""Criteria on answers: each answer of the question that a criterion names is judged as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.verdicts.criteria import JUDGED_AS, Criterion
from perfkit.analysis.verdicts.judge import judgements_of, verdict_of
from perfkit.analysis.verdicts.judged_values import Found, nothing
from perfkit.analysis.verdicts.rules import rule_text
from perfkit.core.answers import Answer, from_frame
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.core.verdict import Verdict


@step(version=2, name="verdict.answers")
def judge_answers(answers: Measured, criteria: Sequence[Criterion]) -> Verdict:
    """Apply each criterion to each answer of its metric's question, such as ``isolation``'s.

    A bound never says more than was shown: "at most 3%" meets a limit of 5%, and neither meets nor
    breaks one of 2%. Not judged, with the reason: an answer without a value, a criterion of which
    there is no answer, and one whose metric is judged on load points or runs.

    Args:
        answers: A frame of ANSWERS.
        criteria: What is demanded.
    """
    given = from_frame(answers.frame)
    judgements = [
        judged
        for criterion in criteria
        for judged in judgements_of(
            criterion, _answered(criterion, given), rule_text(criterion, over="each by itself")
        )
    ]
    return verdict_of(judgements)


def _answered(criterion: Criterion, answers: Sequence[Answer]) -> list[Found]:
    kind = JUDGED_AS[criterion.metric]
    if kind.of != "answers":
        return [nothing(criterion, f"it is judged on {kind.of}")]
    own = [item for item in answers if item.question == kind.question]
    unknown = [
        key for key in criterion.where if own and all(one.subject.get(key) is None for one in own)
    ]
    if unknown:
        return [nothing(criterion, f"the answers have no {unknown[0]}")]
    found = [
        Found(item.subject.label, item, item.estimate.value if item.estimate else None, item.reason)
        for item in own
        if all(item.subject.get(key) == text for key, text in criterion.where.items())
    ]
    return found or [nothing(criterion, "no answer matches")]
