"""Applying criteria to answers: pass, fail, or not judged with the reason; verdicts as frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from perfkit.analysis.verdicts.criteria import JUDGED_AS, Criterion, format_against, rule_text
from perfkit.analysis.verdicts.judged_values import Found, Judged, nothing
from perfkit.core.answers import (
    Answer,
    Subject,
    from_frame,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import OF_EVIDENCE, Caution, caution, in_words, to_json
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import ColumnTypes, Row
from perfkit.core.units import Format, Printed
from perfkit.core.verdict import Judgement, Outcome, Verdict


@step(version=3, name="verdict.criteria")
def judge(
    points: Measured,
    criteria: Sequence[Criterion],
    *,
    histogram: Measured | None = None,
    cycles: Measured | None = None,
) -> Verdict:
    """Apply each criterion to each curve (and load point) that it selects.

    The comparison is exact, on the raw value. Not judged, with the reason, and so never passed: a
    metric that is missing, a selection that matches nothing, a percentile of several repeats
    without a histogram, IOPS at a latency that the curve does not have, a bound of an interval that
    is not there, fewer than five cycles. Where repeats lie on the other side of the limit, or their
    interval holds it, the verdict says so.

    Args:
        points: ``load_points``.
        criteria: What is demanded.
        histogram: Bins of completion latency, for pooled percentiles.
        cycles: The drains of an epic-like workload.
    """
    data = Judged(points, histogram, cycles)
    judgements = [
        judged
        for criterion in criteria
        for judged in judgements_of(criterion, data.found(criterion), rule_text(criterion))
    ]
    return verdict_of(judgements)


def verdict_of(judgements: Sequence[Judgement]) -> Verdict:
    """The verdict with the cautions of its judgements, each once."""
    cautions = dict.fromkeys(one for item in judgements for one in item.cautions)
    return Verdict("verdict", tuple(judgements), cautions=tuple(cautions))


def judgements_of(criterion: Criterion, every: Sequence[Found], rule: str) -> list[Judgement]:
    """The verdict on each value; all of them are printed with the same decimals."""
    form = format_against([one.value for one in every if one.value is not None], criterion)
    return [_judgement(criterion, found, rule, form) for found in every]


def _judgement(criterion: Criterion, found: Found, rule: str, form: Format) -> Judgement:
    """The one verdict on one value: what does not hold fails, what is missing is not judged."""
    outcome, reason = outcome_of(criterion, found)
    cautions = (*_unsupported(criterion, found, outcome), *found.answer.cautions)
    # what holds of the evidence is said of the whole table
    own = in_words(item for item in cautions if item.name not in OF_EVIDENCE)
    words = dict.fromkeys((reason, *own, criterion.note))
    open_ = {"status": "not_judged", "estimate": None, "relation": "="}
    status: dict[str, Any] = open_ if outcome == "not judged" else {}
    return Judgement(
        criterion=criterion.name,
        scope=found.scope,
        rule=rule,
        value=None if found.value is None else form.show(found.value),
        outcome=outcome,
        reason="; ".join(text for text in words if text) or None,
        source=criterion.source,
        answer=replace(found.answer, cautions=cautions, reason=reason, **status),
        cautions=cautions,
        demand=criterion.demand,
        meant_to_fail=criterion.expected_to_fail(dict(found.answer.subject.key)),
    )


def outcome_of(criterion: Criterion, found: Found) -> tuple[Outcome, str | None]:
    """The outcome, and what is to be said of it."""
    if found.value is None:
        return "not judged", found.reason
    holds = criterion.holds(found.value)
    proves = {">=": True, "<=": False}.get(found.answer.relation)
    if proves is not None and holds != (criterion.upward == proves):
        # "at least 50" neither refutes "100 or more" nor proves "100 or less"
        bound = f"the value is {'a lower' if proves else 'an upper'} bound"
        answered = JUDGED_AS[criterion.metric].of == "answers"
        return (
            "not judged",
            bound if answered else f"the curve ends below the latency limit: {bound}",
        )
    return ("pass" if holds else "fail"), found.reason


def _unsupported(criterion: Criterion, found: Found, outcome: Outcome) -> list[Caution]:
    """Where the repeats do not support the verdict on what is over all of them."""
    if outcome == "not judged" or not found.repeats:
        return []
    against = sum(criterion.holds(value) != (outcome == "pass") for value in found.repeats)
    some = {"some": f"{against}", "all": f"{len(found.repeats)}"}
    lie = "lies" if against == 1 else "lie"
    disagree = [caution("repeats_disagree", of=found.scope, lie=lie, **some)] if against else []
    return [*disagree, *_around_limit(criterion, found)]


def _around_limit(criterion: Criterion, found: Found) -> list[Caution]:
    """The caution for an interval that holds the limit; a bound is judged as an end of it."""
    estimate, limit = found.answer.estimate, criterion.parsed_limit
    if criterion.over_repeats == "bound" or estimate is None:
        return []
    if estimate.low is None or estimate.high is None:
        return []
    if not estimate.low <= limit.value <= estimate.high:
        return []
    form = Format(limit.unit, significant=3)
    ends = " to ".join(form.show(end).text for end in (estimate.low, estimate.high))
    return [caution("limit_in_interval", of=found.scope, interval=ends)]


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


@step(version=3, name="verdict.judgements")
def judgements(verdict: Verdict) -> pl.DataFrame:
    """The verdict as a frame, one row a judgement: for tables and sentences."""
    rows = [flat(item) for item in verdict.judgements]
    return pl.DataFrame(rows, schema=JUDGEMENTS, orient="row")


JUDGEMENTS: ColumnTypes = {
    "criterion": pl.String, "scope": pl.String, "rule": pl.String, "value": pl.Float64,
    "value_text": pl.String, "value_unit": pl.String, "value_rounding": pl.String,
    "outcome": pl.String, "reason": pl.String, "source": pl.String, "cautions": pl.String,
    "meant_to_fail": pl.String,
}  # fmt: skip


_AS_THEY_ARE = ("criterion", "scope", "rule", "outcome", "reason", "source", "meant_to_fail")


def flat(item: Judgement) -> Row:
    """A judgement as a row of ``JUDGEMENTS``."""
    value = item.value or Printed("–", None, "1", "")
    return {
        **{name: getattr(item, name) for name in _AS_THEY_ARE},
        "value": value.value,
        "value_text": value.text,
        "value_unit": value.unit,
        "value_rounding": value.rounding,
        "cautions": to_json(item.cautions),
    }


[CRITERIA_MET] = register_questions(
    ("criteria_met", "1", "the judgements that passed", "a count", "none",
     frozenset({("measured", "="), ("not_judged", "=")})),
)  # fmt: skip


@step(version=1, name="verdict.criteria_met")
def criteria_met(judged: Measured) -> pl.DataFrame:
    """The answer of ``judgements``: how many passed, of how many that count.

    Judgements of subjects that are meant to fail are counted separately.
    """
    rows = judged.frame.rows(named=True)
    counting = [row for row in rows if row["meant_to_fail"] is None]
    passed = sum(row["outcome"] == "pass" for row in counting)
    none = "no criterion was given" if not rows else "every subject is meant to fail"
    apart = len(rows) - len(counting)
    return to_frame(
        [
            CRITERIA_MET.answer(
                "judgements",
                Subject("the verdict"),
                passed if counting else None,
                none,
                without="not_judged",
                conditions=where_conditions(
                    ("judgements", float(len(counting)) if counting else None, "1"),
                    ("meant_to_fail", float(apart) if apart else None, "1"),
                ),
            )
        ]
    )
