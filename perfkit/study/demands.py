"""The criteria of a study that its notebook did not judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.verdicts.criteria import rule_text
from perfkit.analysis.verdicts.judge import judgements_of
from perfkit.analysis.verdicts.judged_values import nothing
from perfkit.core.errors import StudyError, did_you_mean
from perfkit.core.evidence import Evidence, Lineage, Origin, sha256_file
from perfkit.core.verdict import JudgementRecord, Verdict
from perfkit.formats.yaml_file import line_of

if TYPE_CHECKING:
    from perfkit.study.study import Study

UNJUDGED = "criteria-not-judged"
"""The id of the verdict on criteria that a notebook passes over."""


def not_judged(study: Study, judged: list[JudgementRecord], notebook: str) -> Verdict | None:
    """The verdict on those criteria that are not among the judgements; None where all are.

    Args:
        study: The study that demands them.
        judged: The records of all judgements of its report.
        notebook: The name of the notebook, for the reason.

    Raises:
        StudyError: A subject is meant to fail, and no criterion was applied to it.
    """
    _check_meant_to_fail(study, judged)
    demands = {item.get("demand") for item in judged}
    left = [item for item in study.criteria if item.demand not in demands]
    if not left:
        return None
    reason = f"the notebook {notebook} does not judge it"
    asserted = Evidence(
        "study", study.path.name, sha256_file(study.path), origin=Origin("asserted", "the study")
    )
    return Verdict(
        UNJUDGED,
        tuple(
            one
            for item in left
            for one in judgements_of(item, [nothing(item, reason)], rule_text(item))
        ),
        lineage=Lineage((asserted,), traceable=True),
    )


def _check_meant_to_fail(study: Study, judged: list[JudgementRecord]) -> None:
    subjects = [answer for item in judged if (answer := item.get("answer"))]
    if not subjects:
        return
    models = [part.model for part in study.parts] or [study.model]
    for number, meant in enumerate(item for model in models for item in model.meant_to_fail):
        if any(all(s.get(k) == v for k, v in meant.where.items()) for s in subjects):
            continue
        words = ", ".join(f"{key} {text!r}" for key, text in meant.where.items())
        key, text = next(iter(meant.where.items()))
        known = sorted({str(s[key]) for s in subjects if s.get(key)})
        raise StudyError(
            study.path,
            f"meant_to_fail[{number}]: no subject with {words} was judged; "
            f"{did_you_mean(text, known)}",
            line_of(study.path, ("meant_to_fail", number)),
        )
