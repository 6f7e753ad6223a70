"""Tables, charts and sentences of verdicts: every number from the frame, no word too strong."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from analysis.genio_case import aqos_test, runs

from perfkit.analysis.genio import cluster_totals
from perfkit.analysis.verdicts.adaptive_qos import adaptive_qos, default_policies, qos_limits
from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.analysis.verdicts.headroom import headroom, last_pass
from perfkit.analysis.verdicts.isolation import isolation
from perfkit.analysis.verdicts.run_verdicts import judge_runs, runs_passed
from perfkit.core.answers import QUESTIONS, from_frame, to_frame
from perfkit.core.errors import AnalysisError
from perfkit.showing.figures.verdicts import plot_adaptive_qos, plot_headroom, plot_isolation
from perfkit.showing.statements.say import say, templates
from perfkit.showing.tables.verdicts import (
    _p,
    table_adaptive_qos,
    table_headroom,
    table_isolation,
    table_rules,
    table_run_verdicts,
    table_server_verdicts,
    tables_run_verdicts,
)

GENIO = criteria_set("epic-genio").sourced()


@pytest.fixture(scope="module")
def judged():
    return judge_runs(aqos_test(), GENIO)


@pytest.fixture(scope="module")
def room(judged):
    return headroom(judged, cluster_totals(aqos_test()), required_iops=75_000)


@pytest.fixture(scope="module")
def found():
    return isolation(aqos_test(), bully="epic-rhel3", margin_ratio=0.15)


def said(answers):
    return " ".join(statement.text for statement in say(answers))


def rows(table):
    return table.content()["rows"]


def labels(table):
    return [column.label for column in table.columns]


def test_the_rules_stand_with_their_source_and_what_they_leave_open():
    shown = table_rules(criteria_set("epic-hardware").sourced())
    assert labels(shown) == ["Criterion", "Rule", "Remark"]
    assert shown.note.startswith("All rows: Source: ")
    assert shown.lineage.traceable
    assert shown.lineage.mark() == " (as stated by the authors)"
    assert rows(shown)[-1][:3] == ["Mean write latency", "mean write latency ≤ 1 ms",
                                   "depending on size"]  # fmt: skip


def test_each_run_stands_with_its_values_and_its_verdict(judged):
    shown = table_run_verdicts(judged)
    assert labels(shown) == ["Server", "Run", "IOPS", "Longest write cycle (s)",
                             "Effective write latency (ms)", "Verdict"]  # fmt: skip
    assert rows(shown)[20] == ["epic-rhel3", "10", "81,207", "40.05", "0.10", "pass"]
    assert rows(shown)[21] == ["epic-rhel3", "11", "88,610", "46.32", "0.12", "fail"]


def test_the_printed_value_never_contradicts_the_verdict():
    frame = runs([{"longest_write_cycle_s": c} for c in (44.9999996, 45.0000004, 45.0, None)])
    shown = rows(table_run_verdicts(judge_runs(frame, GENIO[:1])))
    assert [(row[1], row[2]) for row in shown] == [
        ("44.9999996", "pass"), ("45.0000004", "fail"), ("45.0000000", "fail"),
        ("not judged", "not judged"),
    ]  # fmt: skip


def test_each_server_stands_with_its_count_and_first_failure(judged):
    assert rows(table_server_verdicts(judged)) == [
        ["epic-rhel1", "10", "10", "0", "0", "pass", "–", "–", "–"],
        ["epic-rhel2", "10", "10", "0", "0", "pass", "–", "–", "–"],
        ["epic-rhel3", "10", "1", "9", "0", "fail", "run 11", "88,610",
         "Longest write cycle 46.3 s"],
    ]  # fmt: skip


def test_the_sentence_on_servers_follows_the_numbers(judged):
    assert said(runs_passed(judged)) == (
        "epic-rhel1 met all criteria in all 10 runs. epic-rhel2 met all criteria in all 10 runs. "
        "epic-rhel3 met all criteria in 1 of 10 runs; it first failed in run 11, at 88,610 IOPS "
        "(Longest write cycle 46.3 s)."
    )
    missing = judge_runs(runs([{"total_iops": 5.0}]), GENIO[:1])
    assert said(runs_passed(missing)) == (
        "1 run of a could not be judged: Longest write cycle: longest write cycle is missing."
    )


def test_headroom_names_each_number_for_what_it_is(room):
    shown = rows(table_headroom(room))
    assert shown[2] == ["epic-rhel3", "1 of 10", "run 10", "81,207", "228,750", "88,610", "75,000",
                        "+6,207", "+7,500", "fails above"]  # fmt: skip
    text = said(last_pass(room))
    assert (
        "epic-rhel3 last passed in run 10, at 81,207 IOPS; run 11, at 88,610 IOPS, did not pass."
    ) in text
    assert (
        "Headroom of epic-rhel3 over the required 75,000 IOPS: +6,207 IOPS (+8.3%; by targets "
        "+7,500 IOPS)."
    ) in text
    assert "Headroom of epic-rhel1 over the required 75,000 IOPS: at least " in text
    assert "All servers last passed in run 10, at 228,750 IOPS;" in text
    assert "epic-rhel1 still passed in the last run, run 19, at 73,739 IOPS: the limit " in text


def test_a_server_that_never_passes_has_no_point_to_speak_of():
    made = runs([{"longest_write_cycle_s": 50.0, "total_iops": 5.0}])
    assert said(last_pass(headroom(judge_runs(made, GENIO[:1])))) == (
        "No IOPS of a passing run of a are known: its first run, run 1, does not pass."
    )


def test_the_table_of_isolation_has_units_and_its_method_in_the_note(found):
    shown = table_isolation(found)
    assert labels(shown) == [
        "Server", "Level (s)", "Range of runs (s)", "Change over the ramp (%)",
        "Its interval (%)", "Furthest run (%)", "Its name", "Larger p", "Equivalence",
    ]  # fmt: skip
    assert rows(shown)[0] == [
        "epic-rhel1", "34.7", "32.0 to 37.5", "+6.6", "−7.5 to +22.4", "−6.3",
        "run 15", "0.1447", "not shown",
    ]  # fmt: skip
    assert shown.note.startswith(
        "All rows: Remark: its change over the ramp is not shown to lie within the margin."
    )
    assert shown.caption == (
        "Equivalence of the longest write cycle to a server's level ± 15% while epic-rhel3 ramps."
    )
    assert "Two one-sided tests at 5% each. Interval: 90% of the change" in shown.note
    assert "limits that hold 90% of the runs" in shown.note
    assert shown.note.endswith(
        "the change by lines weighed over how alike neighbouring runs may be, not by plain least "
        "squares."
    )
    assert "no control run of epic-rhel1 and epic-rhel2 without" in shown.caution


def test_the_table_shows_the_answers_and_no_number_of_its_own(found):
    """A number changed in the answers is the number in the cell, whatever the others are."""
    answers = from_frame(found.frame)
    departure, effect = answers[:2]
    where = tuple(replace(c, value=12.5) if c.metric == "level" else c
                  for c in departure.conditions)  # fmt: skip
    estimate = replace(effect.estimate, low=-0.9)
    changed = to_frame([
        replace(departure, conditions=where, status="measured", relation="<=", reason=None,
                estimate=replace(estimate, value=0.01, low=None, high=None)),
        replace(effect, estimate=estimate), *answers[2:],
    ])  # fmt: skip
    first = rows(table_isolation(changed))[0]
    assert (first[1], first[4], first[8]) == ("12.5", "−90.0 to +22.4", "equivalent")


def test_the_chart_of_isolation_has_a_band_a_victim_and_the_limit(found):
    drawn = plot_isolation(aqos_test(), found, limit_s=45.0)
    [line] = drawn.plotly.layout.shapes
    assert line.y0 == 45.0
    bands = [trace for trace in drawn.plotly.data if trace.fill]
    assert len(bands) == 2
    assert (min(bands[0].y), max(bands[0].y)) == pytest.approx((34.73 * 0.85, 34.73 * 1.15))
    lines = [trace for trace in drawn.plotly.data if not trace.fill]
    assert [trace.name for trace in lines] == ["epic-rhel1", "epic-rhel2", "epic-rhel3"]
    assert list(lines[2].y)[:2] == [40.05, 46.32]
    assert "limit 45 s" in drawn.alt
    assert "±" in drawn.caption


def test_the_chart_of_headroom_has_its_numbers_at_the_bars(room):
    drawn = plot_headroom(room)
    assert [trace.name for trace in drawn.plotly.data] == [
        "required", "last passing run", "first run not passed",
    ]  # fmt: skip
    assert list(drawn.plotly.data[1].text) == ["73,739", "73,785", "81,207", "228,750"]
    assert list(drawn.plotly.data[2].y) == ["epic-rhel3", "all servers"]


def test_adaptive_qos_says_which_inputs_it_plots():
    growth = adaptive_qos(default_policies(), "performance", to_tb=75.0)
    inputs = "expected 2,048 and peak 4,096 IOPS per TB, absolute minimum 500 IOPS"
    drawn = plot_adaptive_qos(growth)
    assert inputs in drawn.caption
    assert [trace.name for trace in drawn.plotly.data] == ["ceiling", "floor"]
    assert drawn.plotly.data[0].y[-1] == pytest.approx(307_200)
    assert inputs in table_adaptive_qos(growth).note
    assert rows(table_adaptive_qos(growth))[-1] == ["75.00", "153,600", "307,200", "rate"]
    assert said(qos_limits(growth)) == (
        "Policy performance guarantees 153,600 IOPS and allows 307,200 IOPS at 75.00 TB; its "
        "inputs are 2,048 IOPS expected and 4,096 IOPS at peak per TB, with an absolute minimum of "
        "500 IOPS for each volume."
    )


def test_both_readings_stand_apart_in_chart_table_and_sentence():
    growth = adaptive_qos(default_policies(), "extreme", to_tb=1.0, points=3,
                          readings=("max", "override"))  # fmt: skip
    assert [trace.name for trace in plot_adaptive_qos(growth).plotly.data] == [
        "ceiling (max)", "floor (max)", "ceiling (override)", "floor (override)",
    ]  # fmt: skip
    assert labels(table_adaptive_qos(growth))[0] == "Reading of the minimum"
    assert "with the absolute minimum read as override" in said(qos_limits(growth))


def test_what_is_empty_or_mixed_is_refused(found):
    with pytest.raises(AnalysisError, match="no rows"):
        table_run_verdicts(judge_runs(runs([]), []))
    answers = from_frame(found.frame)
    both = to_frame([*answers, *(replace(item, metric="total_iops") for item in answers)])
    for show in (table_isolation, lambda data: plot_isolation(aqos_test(), data)):
        with pytest.raises(AnalysisError, match="of several metrics"):
            show(both)
        with pytest.raises(AnalysisError, match="no rows"):
            show(found.frame.clear())
    two = pl.concat([adaptive_qos(default_policies(), name, to_tb=1.0).frame
                     for name in ("value", "extreme")])  # fmt: skip
    with pytest.raises(AnalysisError, match="one policy"):
        plot_adaptive_qos(two)


def test_a_victim_that_cannot_be_judged_is_told_and_not_drawn():
    made = runs([{"host": h, "run": i, "total_iops": 10.0 + i} for h in "vb" for i in range(5)])
    blind = isolation(made, bully="b", margin_ratio=0.1)
    assert rows(table_isolation(blind))[0][-2:] == [
        "not judged", "5 of 5 runs have no longest write cycle",
    ]  # fmt: skip
    with pytest.raises(AnalysisError, match="no victim could be judged"):
        plot_isolation(made, blind)


def test_every_answer_of_a_verdict_has_its_sentence():
    """Each status and relation that these questions can give has a template."""
    questions = ("criteria_met", "runs_passed", "last_passing_iops", "headroom_iops", "qos_floor")
    known = templates()
    for name in questions:
        assert {(name, *given) for given in QUESTIONS[name].gives} <= set(known)


def test_headroom_of_a_run_without_iops_is_missing_and_a_run_that_was_not_judged_is_said():
    made = runs([{"longest_write_cycle_s": c, "total_iops": x, "target_iops": t} for c, x, t in
                 ((40.0, None, 1.0), (None, 5.0, 2.0), (40.0, 6.0, 3.0))])  # fmt: skip
    room = headroom(judge_runs(made, GENIO[:1]), required_iops=4.0)
    assert said(last_pass(room)) == (
        "No IOPS of a passing run of a are known: the IOPS of its last passing run are not known. "
        "The headroom of a is not known: the IOPS of its last passing run are not known."
    )
    known = runs([{"longest_write_cycle_s": c, "total_iops": x, "target_iops": t} for c, x, t in
                  ((40.0, 3.0, 1.0), (None, 5.0, 2.0), (40.0, 6.0, 3.0))])  # fmt: skip
    (told,) = say(last_pass(headroom(judge_runs(known, GENIO[:1]))))
    assert told.text == (
        "a last passed in run 1, at 3 IOPS; run 2, at 5 IOPS, could not be judged."
    )
    assert "a passes again at a higher load: the first failure counts" in told.caution


def test_many_runs_stand_in_short_and_each_of_them_as_a_detail(judged):
    short, each = tables_run_verdicts(judged)
    assert (short.detail, each.detail, each.id) == (False, True, "run-verdicts-each")
    assert rows(short) == [
        ["epic-rhel1", "10 to 19", "73,722 to 73,832", "32.54 to 35.81", "0.10 to 0.12", "pass"],
        ["epic-rhel2", "10 to 19", "73,711 to 73,796", "28.59 to 33.96", "0.09 to 0.10", "pass"],
        ["epic-rhel3", "10", "81,207", "40.05", "0.10", "pass"],
        ["epic-rhel3", "11 to 19", "88,610 to 147,633", "46.32 to 73.66", "0.10 to 0.13", "fail"],
    ]
    assert len(rows(each)) == 30
    made = [step.function for step in each.lineage.steps]
    assert made[-2:] == ["table.run_verdicts", "table.attached"]


def test_a_few_runs_have_their_rows_and_no_detail():
    (only,) = tables_run_verdicts(judge_runs(runs([{"total_iops": 5.0}]), GENIO[:1]))
    assert (only.detail, len(rows(only))) == (False, 1)


def test_a_run_without_iops_leaves_no_range_of_iops():
    frame = runs([{"longest_write_cycle_s": 1.0, "total_iops": x} for x in (3.0, None)])
    shown = table_run_verdicts(judge_runs(frame, GENIO[:1]), short=True)
    assert labels(shown) == ["Run", "Longest write cycle (s)", "Verdict"]
    assert rows(shown) == [["1 to 2", "1", "pass"]]


def test_p_values_of_a_column_have_the_same_decimals():
    assert [_p({"p": p}) for p in (0.0114, 0.00743, 0.00004, None)] == [
        "0.0114", "0.0074", "< 0.0001", None,
    ]  # fmt: skip
