"""Criteria on answers: a bound meets, breaks or leaves open a limit, and never more than that."""

from __future__ import annotations

import re

import pytest
from places import ROOT
from pydantic import ValidationError

from perfkit.analysis.curves.metrics import LATENCIES, unit_of
from perfkit.analysis.curves.questions import CHOSEN_LATENCY, CURVE_QUESTIONS
from perfkit.analysis.verdicts.criteria import JUDGED_AS, Criterion, parse_limit
from perfkit.analysis.verdicts.judge import judge_answers
from perfkit.core.answers import QUESTIONS, Answer, Estimate, Subject, to_frame


def criterion(limit="5 %", comparison="<=", **more):
    return Criterion(
        name="Own level", metric="isolation_departure", comparison=comparison, limit=limit, **more
    )


def departure(label, status, relation, value=None, reason=None):
    estimate = None if value is None else Estimate(value, "ratio", n=10)
    subject = Subject(label, (("bully", "b"), ("level_of", "its own runs")))
    return Answer("isolation_departure", "longest_write_cycle_s", subject, status, estimate,
                  relation, reason=reason)  # fmt: skip


def judged(answers, *criteria):
    verdict = judge_answers(to_frame(answers), list(criteria))
    return [(item.scope, item.outcome, item.reason) for item in verdict.judgements]


@pytest.mark.parametrize(
    ("relation", "value", "limit", "outcome"),
    [("<=", 0.05, "5 %", "pass"), ("<=", 0.051, "5 %", "not judged"),
     (">=", 0.051, "5 %", "fail"), (">=", 0.05, "5 %", "not judged")],
)  # fmt: skip
def test_a_bound_is_judged_only_where_it_decides(relation, value, limit, outcome):
    ((scope, found, reason),) = judged(
        [departure("v", "measured", relation, value)], criterion(limit)
    )
    assert (scope, found) == ("v", outcome)
    bound = {"<=": "the value is an upper bound", ">=": "the value is a lower bound"}[relation]
    assert reason == (bound if outcome == "not judged" else None)


def test_each_answer_is_judged_by_itself_and_one_without_a_value_is_not_judged():
    answers = [
        departure("v", "measured", "<=", 0.03),
        departure("w", "not_judged", "=", reason="fewer than four runs"),
    ]
    assert judged(answers, criterion()) == [
        ("v", "pass", None), ("w", "not judged", "fewer than four runs"),
    ]  # fmt: skip
    verdict = judge_answers(to_frame(answers), [criterion()])
    assert verdict.judgements[0].rule == "departure from its level ≤ 5%, each by itself"


def test_what_there_is_no_answer_of_is_not_judged():
    one = [departure("v", "measured", "<=", 0.03)]
    iops = Criterion(name="x", metric="iops", comparison=">", limit="1 IOPS")
    assert judged([], criterion()) == [("all", "not judged", "no answer matches")]
    assert judged(one, criterion(where={"host": "v"})) == [
        ("v", "not judged", "the answers have no host")
    ]
    assert judged(one, iops) == [("all", "not judged", "it is judged on load points")]


@pytest.mark.parametrize(
    "given", [{"statistic": "mean"}, {"at": "peak"}, {"direction": "read"}, {"at": 4}]
)
def test_an_answer_is_judged_as_it_was_answered(given):
    with pytest.raises(ValidationError, match="is judged as it was answered"):
        criterion(**given)


@pytest.mark.parametrize("metric", JUDGED_AS)
def test_every_metric_of_a_criterion_has_a_question_a_name_and_units_of_a_limit(metric):
    judged = JUDGED_AS[metric]
    assert judged.question in QUESTIONS
    if judged.question in CURVE_QUESTIONS:
        latency = metric if metric in LATENCIES else None
        wanted = CURVE_QUESTIONS[judged.question].wanted
        assert (latency if wanted == CHOSEN_LATENCY else wanted) == metric
    with pytest.raises(ValueError, match=f"{metric} needs a number with its unit"):
        parse_limit("many", metric)


@pytest.mark.parametrize("question", CURVE_QUESTIONS)
def test_a_curve_answers_in_the_unit_of_the_question(question):
    wanted = CURVE_QUESTIONS[question].wanted
    metric = "lat_mean_s" if wanted == CHOSEN_LATENCY else wanted
    assert unit_of(metric) == QUESTIONS[question].unit


def test_the_page_on_studies_names_every_metric_of_a_criterion():
    page = (ROOT / "docs/reports-and-studies.md").read_text()
    [row] = [line for line in page.splitlines() if line.startswith("| `metric` |")]
    assert set(re.findall(r"`(\w+)`", row)) == {"metric", *JUDGED_AS}
