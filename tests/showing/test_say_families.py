"""Every answer that reports, waits and SAS workloads can give has a sentence."""

import pytest

from perfkit.core.answers import Answer, Condition, Estimate, Subject
from perfkit.core.errors import AnalysisError
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import CHANGE, TEMPLATES, sentence, sentences, templates

CHANGES = {
    "report_change": ("measured", "missing"),
    "report_spread": ("missing",),
    "sas_elapsed_change": ("measured", "missing"),
    "sas_same_steps_change": ("measured", "missing"),
}
ALONE = {
    "report_value": ("measured", "missing"),
    "report_spread": ("missing",),
    "event_latency": ("measured", "missing"),
    "sas_elapsed": ("measured", "missing"),
    "sas_cpu_ratio": ("measured", "missing"),
    "sas_jobs_at_once": ("measured", "missing"),
    "sas_waiting_on_io": ("measured", "missing"),
    "sas_time_outside": ("measured", "missing"),
    "sas_time_in_steps": ("measured", "missing"),
    "sas_longest_step": ("measured", "missing"),
    "sas_most_time": ("measured", "missing"),
    "sas_messages": ("measured",),
    "sas_rows_written": ("measured", "missing"),
    "sas_same_steps": ("measured", "missing"),
}
METRICS = {
    "sas_cpu_ratio": ("ratio_mean", "ratio_of_sums"),
    "sas_jobs_at_once": ("concurrency_mean", "concurrency_peak"),
    "sas_elapsed": ("real_time_s",), "sas_elapsed_change": ("real_time_s",),
    "event_latency": ("lat_mean_s",), "sas_waiting_on_io": ("steps",),
    "sas_time_in_steps": ("real_time_s", "cpu_s"), "sas_longest_step": ("real_time_s",),
    "sas_time_outside": ("outside_s", "overlap_s", "agree_s"), "sas_most_time": ("real_time_s",),
    "sas_messages": ("ERROR", "WARNING"), "sas_rows_written": ("observations",),
    "sas_same_steps": ("real_time_s",), "sas_same_steps_change": ("real_time_s",),
}  # fmt: skip


def where(**values):
    return tuple(Condition(name, value, "1", "where") for name, value in values.items())


CONDITIONS = {
    "sas_waiting_on_io": where(waiting=3.0, shortest=1.0, known=2.0),
    "sas_time_in_steps": where(steps=3.0, logs=1.0, unknown=0.0),
    "sas_time_outside": where(sessions=3.0, total=90.0, overlapping=1.0),
    "sas_longest_step": where(share=0.5, untimed=1.0, steps=2.0),
    "sas_most_time": where(share=0.5, untimed=0.0, steps=2.0),
    "sas_messages": where(holding=1.0, logs=3.0),
    "sas_rows_written": where(notes=1.0, names=1.0, unknown=0.0),
    "sas_same_steps_change": where(steps=3.0, logs=1.0, unknown=1.0),
}
SIDES = {"report_change": "report_value", "sas_elapsed_change": "sas_elapsed",
         "sas_same_steps_change": "sas_same_steps"}  # fmt: skip
OF_REPORTS = ("iops", "bw_bytes_per_s", "cpu_busy_ratio", "db_time_per_elapsed_ratio", "lat_mean_s")


def answers(question, status, value=0.5, **more):
    subject = Subject("B", (("event", "db file sequential read"),))
    for metric in METRICS.get(question, OF_REPORTS):
        # a mean wait is of its event; other quantities are of the report
        own = subject if metric == "lat_mean_s" else Subject("B")
        estimate = Estimate(value, "1", n=2) if status == "measured" else None
        of = CONDITIONS.get(question, ())
        reason = "WHY" if status == "missing" else None
        yield Answer(question, metric, own, status, estimate, reason=reason, conditions=of, **more)


@pytest.mark.parametrize(("question", "status"), [(q, s) for q in ALONE for s in ALONE[q]])
def test_every_answer_has_a_sentence(question, status):
    assert (question, status, "=") in templates()
    for answer in answers(question, status):
        text = Text()
        said = text.done("x", [sentence(text, answer)]).text
        assert said.endswith(".")
        assert "None" not in said


@pytest.mark.parametrize("question", ["sas_time_in_steps", "sas_rows_written", "sas_waiting_time"])
def test_every_lower_bound_says_that_it_is_one(question):
    conditions = CONDITIONS.get(question, CONDITIONS["sas_waiting_on_io"])
    for metric in METRICS.get(question, ("waiting_s",)):
        answer = Answer(question, metric, Subject("B"), "measured", Estimate(0.5, "s"), ">=",
                        conditions)  # fmt: skip
        assert "at least" in sentence(Text(), answer)


@pytest.mark.parametrize(("question", "status"), [(q, s) for q in CHANGES for s in CHANGES[q]])
@pytest.mark.parametrize("ratio", [1e-4, 0.09, 0.5, 0.999, 1.0, 1.5, 2.0, 1e4])
def test_every_change_has_a_sentence_of_its_own(question, status, ratio):
    assert (f"{CHANGE} {question}", status, "=") in templates()
    side = SIDES.get(question)
    for known in ("measured", "missing") if side and status == "missing" else ("measured",):
        sides = list(answers(side or question, known if side else "missing"))
        for one in answers(question, status, ratio, against=Subject("A"), sides=(sides[0],) * 2):
            own = (next((s for s in sides if s.metric == one.metric), sides[0]),) * 2
            answer = Answer(**{**vars(one), "sides": own})
            text = Text()
            said = text.done("x", [sentence(text, answer)]).text
            assert said.endswith(".")
            assert "None" not in said
            assert not (ratio < 1 and ("higher" in said or " more on" in said))


@pytest.mark.parametrize("pattern", ["{nobody} did it.", "{value:furlongs} of it."])
def test_a_pattern_whose_place_has_no_words_is_refused(pattern):
    """When it is registered, not when a report is made."""
    with pytest.raises(AnalysisError, match="no words for"):
        sentences("peak_iops", of={"not_judged": pattern})
    assert ("peak_iops", "not_judged", "=") not in templates()


def test_the_numbers_of_a_pattern_are_those_of_the_answer():
    sentences("sas_jobs_at_once", of={"ambiguous": "{value:percent} of {limit:percent}."})
    answer = Answer(
        "sas_jobs_at_once", "steps", Subject("B"), "measured", Estimate(0.5, "1"),
        conditions=(Condition("limit", 0.25, "1", "where"),),
    )  # fmt: skip
    text = Text()
    said = TEMPLATES.pop(("sas_jobs_at_once", "ambiguous", "="))(text, answer)
    assert text.done("said", [said]).text == "50% of 25%."
    assert [item.value for item in text.places.values()] == [0.5, 0.25]
