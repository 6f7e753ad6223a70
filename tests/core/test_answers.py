"""Answers: the one shape of a claim, in Python and in a frame."""

import dataclasses

import polars as pl
import pytest

from perfkit.core import answers
from perfkit.core.answers import ANSWERS, Answer, Condition, Estimate, Question, Subject
from perfkit.core.cautions import WORDS, caution
from perfkit.core.errors import AnalysisError

ASKED = answers.register(Question(
    "test_iops_at_latency", "1/s", "IOPS where the curve meets the latency", "mean over repeats",
    "Student's t",
))  # fmt: skip
A = Subject("A", (("system", "A"), ("config", None), ("workload", "w")))
B = Subject("B", (("system", "B"), ("config", None), ("workload", "w")))


def answer(**changes):
    given = {
        "question": "test_iops_at_latency", "metric": "iops", "subject": A,
        "status": "interpolated", "estimate": Estimate(1e5, "1/s", 9e4, 1.1e5, 0.95, 3),
        "conditions": (Condition("lat_mean_s", 1e-3, "s"),
                       Condition("iodepth", 8.0, "1", "between")),
        "cautions": (caution("two_repeats", of="A"),), "inputs": ("A, iodepth 8",),
    }  # fmt: skip
    return Answer(**{**given, **changes})


def change():
    return answer(
        subject=B, against=A, estimate=Estimate(1.5, "ratio", 1.4, 1.6, 0.95, 3),
        sides=(answer(subject=B), answer()),
    )  # fmt: skip


def test_answers_and_their_frame_say_the_same():
    told = [answer(), change(), answer(status="not_reached", estimate=None, cautions=())]
    frame = answers.to_frame(told)
    assert dict(frame.schema) == ANSWERS
    assert frame["part"].to_list() == ["claim", "claim", "subject", "against", "claim"]
    assert frame["value"].to_list() == [1e5, 1.5, 1e5, 1e5, None]
    assert answers.from_frame(frame) == told


def test_the_method_is_the_one_registered():
    assert answer().method == (
        "IOPS where the curve meets the latency; mean over repeats; interval: Student's t"
    )
    with pytest.raises(AnalysisError, match="another question is called"):
        answers.register(dataclasses.replace(ASKED, centre="geometric mean"))
    assert answers.register(ASKED) is ASKED


@pytest.mark.parametrize(("changes", "told"), [
    ({"status": "about"}, "no status 'about'"),
    ({"relation": "~"}, "no relation '~'"),
    ({"question": "test_iops_at_latencies"}, "did you mean 'test_iops_at_latency'"),
    ({"status": "missing"}, "status missing with Estimate"),
    ({"estimate": None}, "status interpolated with None"),
    ({"against": B}, "both its sides"),
    ({"sides": (1, 2)}, "both its sides"),
])  # fmt: skip
def test_an_answer_that_cannot_be_is_refused(changes, told):
    with pytest.raises(AnalysisError, match=told):
        answer(**changes)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_an_estimate_is_a_finite_number(value):
    with pytest.raises(AnalysisError, match="finite"):
        Estimate(value, "1/s")
    with pytest.raises(AnalysisError, match="finite"):
        Estimate(1.0, "1/s", value, 2.0)


def test_a_side_without_its_claim_is_refused():
    frame = answers.to_frame([change()])
    with pytest.raises(AnalysisError, match="has sides but no claim"):
        answers.from_frame(frame.filter(frame["part"] != "claim"))
    with pytest.raises(AnalysisError, match="no column 'inputs'"):
        answers.from_frame(frame.drop("inputs"))


def test_frames_put_together_lose_no_claim_in_silence():
    """Each numbers its claims from 1: the second would take the place of the first."""
    frame = answers.to_frame([change()])
    with pytest.raises(AnalysisError, match="claim 1 occurs twice"):
        answers.from_frame(pl.concat([frame, frame]))


def test_cautions_have_a_name_arguments_and_words():
    assert caution("one_repeat", of="A").text == ("A was measured once, so there is no interval")
    with pytest.raises(AnalysisError, match="did you mean 'one_repeat'"):
        caution("one_repeats", of="A")
    with pytest.raises(AnalysisError, match="no argument 'of'"):
        caution("one_repeat")


def test_every_caution_begins_in_the_middle_of_a_sentence():
    assert {name: text for name, text in WORDS.items() if text.endswith(".")} == {}
    capitals = {name for name, text in WORDS.items() if not (text[0] == "{" or text[0].islower())}
    assert capitals == set()
