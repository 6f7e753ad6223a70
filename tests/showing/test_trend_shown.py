"""What histories say is printed as it is: each answer has a sentence, and charts add none."""

import polars as pl
import pytest
from forges.stored_answers import answer, nights, values

import perfkit as pk
from perfkit.analysis.trend.answers import QUESTIONS
from perfkit.core import answers as claims
from perfkit.core.answers import Condition, Estimate, Subject
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import sentence, templates

FACTS = {False: {"firmware": "9.14.1"}, True: {"firmware": "9.15"}}


@pytest.fixture(scope="module")
def histories():
    """One that got worse with a firmware, one that did not change, one under new conditions."""
    rows = [
        *nights(values(90, shifts=[(60, 0.88)]), facts=lambda place: FACTS[place >= 60]),
        *nights(values(90, level=5e-4, seed=3), question="latency_at_load", metric="lat_p99_s",
                unit="s", facts=lambda place: FACTS[place >= 60]),
        *nights(values(40, seed=9), subject="backup", facts=None,
                conditions=lambda place: {"block_size_bytes": 8192 if place < 20 else 16384}),
        answer(None, 99, subject="backup"),
    ]  # fmt: skip
    return pk.trend.histories(pl.DataFrame(rows, infer_schema_length=None))


@pytest.fixture(scope="module")
def answers(histories):
    return pk.trend.answers(histories)


def said(answer):
    text = Text()
    return text.done("x", [sentence(text, answer)]).text


def sentences(answers, question):
    return [said(one) for one in claims.from_frame(answers.frame) if one.question == question]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_each_answer_that_can_occur_has_a_sentence(question):
    given = {(question.name, *kind) for kind in question.gives}
    assert given <= set(templates())


def test_a_regression_is_said_with_its_interval_its_runs_and_what_changed_with_it(answers):
    assert sentences(answers, "trend_verdict")[0] == (
        "Regression: Peak IOPS of oltp is 13% lower (95% interval 12% to 13% lower) over the 30 "
        "runs since 2 Mar 2026 02:00 than over the 60 runs before: 87,600 IOPS instead of 100K "
        "IOPS, by more than 5%. Changed with it: firmware 9.14.1 to 9.15."
    )


def test_a_fall_in_two_steps_is_said_with_the_runs_before_the_first():
    """None of the two steps was so large: the headline has both ends."""
    fall = values(60, shifts=[(30, 0.8), (50, 0.8)])
    found = pk.trend.answers(pk.trend.histories(pl.DataFrame(nights(fall))))
    (verdict,) = sentences(found, "trend_verdict")
    assert "over the 10 runs since 20 Feb 2026 02:00 than over the 30 runs up to 30 Jan" in verdict
    (finding,) = pk.finding(found, "trend_verdict")
    assert finding.headline == (
        "Regression: Peak IOPS of oltp is 36% lower since 20 Feb 2026 02:00 than up to 30 Jan 2026 "
        "02:00."
    )


def test_nothing_says_that_a_fact_is_the_cause(answers):
    every = " ".join(said(one) for one in claims.from_frame(answers.frame))
    assert "because of" not in every
    assert "caused" not in every


def test_no_change_is_said_with_its_margin(answers):
    assert sentences(answers, "trend_verdict")[1] == (
        "No change beyond 5%: 99th percentile latency at load of oltp is 0.8% higher (95% interval "
        "0.1% lower to 1.7% higher) over the 7 runs since 25 Mar 2026 02:00 than over the 83 runs "
        "before: 502 µs instead of 498 µs."
    )


def test_a_break_is_said_with_the_name_of_the_condition(answers):
    assert sentences(answers, "trend_break") == [
        "On 21 Jan 2026 02:00 the conditions of Peak IOPS of backup (block size 8 KiB) changed: "
        "block size 8 KiB to 16 KiB. The runs before are not joined to those after."
    ]


def test_what_is_left_out_is_said_with_the_runs(answers):
    assert sentences(answers, "trend_left_out") == [
        "1 of 221 answers are in no history: 1 because it has no value. They are from night-099."
    ]


@pytest.mark.parametrize(
    ("ratio", "low", "high", "words"),
    [
        (0.9, 0.85, 0.95, "is 10% lower (95% interval 5.0% to 15% lower)"),
        (1.2, 1.1, 1.3, "is 20% higher (95% interval 10% to 30% higher)"),
        (1.01, 0.99, 1.03, "is 1.0% higher (95% interval 1.0% lower to 3.0% higher)"),
        (1.0, 1.0, 1.0, "is the same (no spread on either side)"),
        (2.5, 2.4, 2.6, "is 2.5 times as high (95% interval 2.4 to 2.6 times)"),
        (0.05, 0.04, 0.06, "is 5.0% as high (95% interval 4.0% to 6.0%)"),
        (0.9, None, None, "is 10% lower (no interval)"),
    ],
)
def test_a_change_has_the_direction_of_its_numbers(ratio, low, high, words):
    levels = [Condition(name, 5.0, "1/s", "where") for name in ("after", "before")]
    counts = [Condition(f"runs_{name}", 9, "1", "where") for name in ("after", "before")]
    key = (("verdict", "undecided"), ("by", "earlier runs"), ("since", "2026-03-02T02:00:00"))
    answer = claims.Answer(
        "trend_verdict", "iops", Subject("H", key), "measured",
        Estimate(ratio, "ratio", low, high, None if low is None else 0.95, 9),
        conditions=(Condition("margin", 0.05, "ratio"), *levels, *counts),
    )  # fmt: skip
    joined = "as" if "as high" in words or "the same" in words else "than"
    assert f"H {words} over the 9 runs since 2 Mar 2026 02:00 {joined} over" in said(answer)


def test_a_drift_is_said_as_one():
    rows = [value * (1 + 0.004 * place) for place, value in enumerate(values(90))]
    found = pk.trend.answers(pk.trend.histories(pl.DataFrame(nights(rows))))
    (drift,) = sentences(found, "trend_drift")
    assert drift.startswith(
        "From 1 Jan 2026 02:00 to 31 Mar 2026 02:00 Peak IOPS of oltp drifted, without a step "
    )
    assert sentences(found, "trend_shift") == [
        "No shift of Peak IOPS of oltp is shown over 90 runs: it drifts."
    ]


@pytest.mark.parametrize(
    ("season", "period", "words"),
    [
        ("week", (), "follows the days of the week"),
        ("season", (43.2,), "swings once every 43 runs or so"),
    ],
)
def test_a_season_is_said_with_its_period(season, period, words):
    found = claims.Answer(
        "trend_season", "iops", Subject("H", (("season", season),)), "measured",
        Estimate(1.2, "ratio"),
        conditions=tuple(Condition("period", each, "1", "where") for each in period),
    )  # fmt: skip
    assert said(found) == f"H {words}: its highest is 20% higher than its lowest."


def test_the_table_has_each_history_with_its_verdict(answers):
    table = pk.trend.table_trend(answers)
    rows = [dict(zip([c.label for c in table.columns], row, strict=True)) for row in table.rows]
    assert [row["Verdict"] for row in rows] == [
        "regression", "no change", "no change",
        "not judged: later runs were measured under other conditions",
    ]  # fmt: skip
    assert rows[0]["Changed with it"] == "firmware 9.14.1 to 9.15"
    assert (rows[0]["Before"], rows[0]["Latest"]) == ("100K IOPS", "87,600 IOPS")
    assert (rows[0]["Runs before"], rows[0]["Latest runs"]) == (60, 30)


def test_the_table_of_shifts_has_when_each_was_and_what_changed_with_it(answers):
    table = pk.trend.table_shifts(answers)
    (row,) = (dict(zip([c.label for c in table.columns], r, strict=True)) for r in table.rows)
    assert (row["When"], row["History"]) == ("2 Mar 2026 02:00", "Peak IOPS of oltp")
    assert row["Change (interval)"] == "13% lower (95% interval 12% to 13% lower)"
    assert (row["Before"], row["After"]) == ("100K IOPS", "87,600 IOPS")
    assert row["Changed with it"] == "firmware 9.14.1 to 9.15"
    assert not pk.trend.table_shifts(answers.filter(question="trend_verdict"))


def test_a_history_of_one_run_has_no_chart_and_one_of_equal_values_has():
    rows = [*nights([7.0] * 12, subject="same"), *nights([5.0], subject="one")]
    chart = pk.trend.control_chart(pk.trend.histories(pl.DataFrame(rows)))
    (figure,) = pk.trend.plots_control(chart)
    low, high = figure.plotly.layout.yaxis.range
    assert low < 7 < high
    assert not pk.trend.plots_control(chart.filter(history="Peak IOPS of one"))


def test_the_table_of_what_is_in_no_history_names_runs_and_reasons(histories):
    table = pk.trend.table_left_out(histories)
    assert table.rows == (("night-099", "peak_iops", "iops", "it has no value"),)


def test_a_control_chart_draws_every_run_once_and_a_line_at_each_shift(histories):
    chart = pk.trend.control_chart(histories)
    figures = pk.trend.plots_control(chart)
    assert [figure.id for figure in figures] == [f"control-{n}" for n in range(1, 5)]
    first = figures[0].plotly
    drawn = [at for trace in first.data if trace.mode == "markers" for at in trace.x]
    assert len(drawn) == len(set(drawn)) == 90
    assert [shape.x0 for shape in first.layout.shapes] == ["2026-03-02T02:00:00"]
    labels = [note.text for note in first.layout.annotations]
    assert "firmware 9.14.1 to 9.15" in labels
    assert "with a new level from 2 Mar 2026 02:00 on" in figures[0].alt


def test_several_histories_stand_below_each_other_and_one_does_not(histories):
    chart = pk.trend.control_chart(histories)
    together = pk.trend.plot_histories(chart)
    assert together.caption.startswith("4 histories over time, those that got worse first.")
    one = pk.trend.plot_histories(chart.filter(history="Peak IOPS of oltp"))
    assert not one


def test_names_of_runs_and_facts_are_shown_as_they_are():
    rows = nights(
        values(90, shifts=[(60, 0.8)]), name="<b>night</b>", subject="<i>x</i>",
        facts=lambda p: {"fw": "<script>" if p < 60 else "%{x}"},
    )  # fmt: skip
    chart = pk.trend.control_chart(pk.trend.histories(pl.DataFrame(rows)))
    (figure,) = pk.trend.plots_control(chart)
    text = str(figure.plotly.to_plotly_json())
    assert not any(bad in text for bad in ("<b>night", "<i>x", "<script>", "%{x}"))
