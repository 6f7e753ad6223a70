"""Runs judged one by one: exact, never passed for lack of a number, added up by server."""

from __future__ import annotations

import polars as pl
import pytest
from analysis.genio_case import aqos_test, runs
from hypothesis import given
from hypothesis import strategies as st

from perfkit.analysis.verdicts.criteria import Criterion
from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.analysis.verdicts.judge import judge
from perfkit.analysis.verdicts.run_verdicts import (
    judge_runs,
    run_name,
    server_verdicts,
    verdict_of_runs,
)
from perfkit.core.lineage import Measured

GENIO = criteria_set("epic-genio").sourced()
EPIC = criteria_set("epic-hardware").sourced()
READS = criteria_set("intersystems-read").sourced()


def outcomes(frame, criteria):
    return judge_runs(frame, criteria).frame["outcome"].to_list()


def reasons(frame, criteria):
    return judge_runs(frame, criteria).frame["reason"].to_list()


def rule(**given_):
    usual = {"name": "c", "metric": "longest_write_cycle_s", "comparison": "<", "limit": "45 s"}
    return Criterion(**{**usual, **given_})


def test_the_runs_of_tr4784_pass_as_its_tables_say():
    """10 of 10, 10 of 10 and 1 of 10; the bully fails from run 11 on, at 46.32 s."""
    found = server_verdicts(judge_runs(aqos_test(), GENIO)).frame
    assert found.select("server", "passed", "failed", "not_judged", "outcome").rows() == [
        ("epic-rhel1", 10, 0, 0, "pass"), ("epic-rhel2", 10, 0, 0, "pass"),
        ("epic-rhel3", 1, 9, 0, "fail"),
    ]  # fmt: skip
    assert found.row(2, named=True)["first_fail"] == "run 11"
    assert found.row(2, named=True)["first_fail_iops"] == 88610
    assert found.row(2, named=True)["reason"] == "Longest write cycle 46.3 s"


def test_one_changed_cell_changes_the_verdict():
    """The bully's run 10 with 45.00 s no longer passes: the rule says below."""
    changed = aqos_test().with_columns(
        pl.when(pl.col("longest_write_cycle_s") == 40.05).then(45.0)
        .otherwise("longest_write_cycle_s").alias("longest_write_cycle_s")
    )  # fmt: skip
    assert server_verdicts(judge_runs(changed, GENIO)).frame["passed"].to_list() == [10, 10, 0]


def test_the_verdict_of_a_server_shows_its_worst_run():
    verdict = verdict_of_runs(judge_runs(aqos_test(), GENIO))
    assert verdict.outcome == "fail"
    shown = {item.scope: item for item in verdict.judgements if "cycle" in item.criterion}
    assert shown["epic-rhel1"].value.text == "35.8 s"
    assert shown["epic-rhel1"].reason == "10 of 10 runs pass; worst: run 17"
    assert shown["epic-rhel3"].reason == "1 of 10 runs pass; worst: run 19"


def test_genio_tells_nothing_of_percentiles_and_of_the_mean_write():
    """The random-read average is the mean read; effective write latency is not a mean of writes."""
    frame = runs([{"random_read_average_s": 0.00105, "effective_write_latency_s": 0.0001}])
    assert outcomes(frame, EPIC) == ["pass", *["not judged"] * 4]
    assert reasons(frame, EPIC)[-1] == "mean write latency is not in this source; depending on size"


def test_the_mean_read_passes_at_its_limit_and_fails_above():
    frame = runs([{"random_read_average_s": value} for value in (0.002, 0.0020001)])
    assert outcomes(frame, EPIC[:1]) == ["pass", "fail"]


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "is missing"), (float("nan"), "nothing can measure"),
     (float("inf"), "nothing can measure"), (-1.0, "nothing can measure")],
)  # fmt: skip
def test_what_is_no_measurement_is_not_judged(value, words):
    frame = runs([{"longest_write_cycle_s": value}])
    assert outcomes(frame, GENIO[:1]) == ["not judged"]
    assert words in reasons(frame, GENIO[:1])[0]


@pytest.mark.parametrize(
    ("given_", "words"),
    [({"where": {"host": "z"}}, "no run matches"), ({"at": 7}, "no run matches"),
     ({"at": "peak"}, "not at the peak"), ({"where": {"load_kind": "x"}}, "have no load_kind"),
     ({"metric": "effective_write_latency_s", "limit": "1 ms", "statistic": "mean"}, "one by one")],
)  # fmt: skip
def test_a_criterion_that_selects_no_run_is_not_judged(given_, words):
    frame = runs([{"longest_write_cycle_s": 1.0, "target_iops": 5.0}])
    assert outcomes(frame, [rule(**given_)]) == ["not judged"]
    assert words in reasons(frame, [rule(**given_)])[0]
    assert verdict_of_runs(judge_runs(frame, [rule(**given_)])).outcome == "not judged"


def test_only_the_runs_of_the_load_and_server_are_judged():
    frame = runs([{"host": h, "target_iops": t, "longest_write_cycle_s": 50.0 if t == 2 else 1.0}
                  for h in "ab" for t in (1.0, 2.0)])  # fmt: skip
    assert outcomes(frame, [rule(at="highest load", where={"host": "b"})]) == ["fail"]
    assert outcomes(frame, [rule(at=1)]) == ["pass", "pass"]


def test_a_run_without_its_load_leaves_the_highest_unknown():
    frame = runs([{"target_iops": t, "longest_write_cycle_s": 1.0} for t in (1.0, None)])
    assert reasons(frame, [rule(at="highest load")]) == [
        "is asked for at highest load, and a run has no load"
    ]


@pytest.mark.parametrize(
    ("row", "name"),
    [({"run": 10, "position": 1, "target_iops": 5.0}, "run 10"), ({"run_label": "1b"}, "run 1b"),
     ({"position": 3}, "run 3"), ({"load_kind": "run", "load": 2.0, "repeat": 1}, "run 2"),
     ({"load_kind": "iodepth", "load": 16.0, "repeat": 2}, "iodepth 16, repeat 2"),
     ({"processes": 50, "position": 1}, "50 processes"), ({}, "run")],
)  # fmt: skip
def test_a_run_is_named_as_its_source_names_it(row, name):
    assert run_name(row) == name


def test_no_run_at_all_is_not_judged():
    judged = judge_runs(runs([]), GENIO)
    assert judged.frame["outcome"].to_list() == ["not judged", "not judged"]
    assert verdict_of_runs(judged).outcome == "not judged"


RANREAD = {"host": "a", "processes": 50, "position": 1, "response_time_origin": "printed"}


@pytest.mark.parametrize(
    ("row", "outcome", "words"),
    [({"tool": "RanRead", "response_time_s": 166e-6}, "pass", None),
     ({"tool": "RanRead", "response_time_s": 6e-3}, "fail", None),
     ({"tool": "RanWrite", "response_time_s": 1e-6}, "not judged", "RanWrite is not of reads"),
     ({"tool": None, "response_time_s": 1e-6}, "not judged", "an unknown tool"),
     ({"tool": "RanRead", "response_time_s": 1e-3, "response_time_origin": "derived"}, "pass",
      "derived from processes / IOPS")],
)  # fmt: skip
def test_only_the_response_time_of_ranread_is_a_read_latency(row, outcome, words):
    frame = Measured(pl.DataFrame([{**RANREAD, **row}], schema_overrides={"tool": pl.String}))
    assert outcomes(frame, READS[:1]) == [outcome]
    assert words is None or words in reasons(frame, READS[:1])[0]


def test_a_criterion_on_reads_is_of_the_runs_that_read():
    """Both tools' runs stand in one transcript: what RanWrite wrote refutes and proves nothing."""
    rows = [{**RANREAD, "tool": "RanRead", "response_time_s": 1e-3},
            {**RANREAD, "tool": "RanWrite", "position": 2, "response_time_s": 1e-3}]  # fmt: skip
    assert outcomes(Measured(pl.DataFrame(rows)), READS[:1]) == ["pass"]


def test_the_same_criteria_judge_load_points_of_any_tool(table):
    """fio's reads by the Epic guide: each repeat by itself here, curves by judge()."""
    points = table([{"load": 1, "direction": d, "lat_mean_s": 0.001, "lat_p99_s": 0.07}
                    for d in ("read", "write", "total")])  # fmt: skip
    demanded = EPIC[:2] + EPIC[4:]
    assert outcomes(points, demanded) == ["pass", "fail", "pass"]
    assert [item.outcome for item in judge(points, demanded).judgements] == ["pass", "fail", "pass"]


def test_load_points_have_no_write_cycle(table):
    (got,) = judge(table([{"load": 1, "iops": 5.0, "lat_mean_s": 0.1}]), GENIO[:1]).judgements
    assert (got.outcome, got.value) == ("not judged", None)
    assert "no longest write cycle" in got.reason


def test_judge_takes_one_host_out_of_the_sum(table):
    points = table([{"load": 1, "host": h, "iops": x} for h, x in (("a", 10.0), ("b", 90.0))])
    demand = [Criterion(name="c", metric="iops", comparison=">", limit="50", where={"host": h})
              for h in "ab"]  # fmt: skip
    assert [item.outcome for item in judge(points, demand).judgements] == ["fail", "pass"]


values = st.none() | st.floats(allow_nan=True, allow_infinity=True) | st.just(45.0)


@given(st.lists(st.tuples(st.sampled_from("ab"), values), max_size=8))
def test_a_pass_always_has_a_value_that_holds(rows):
    frame = runs([{"host": h, "longest_write_cycle_s": v} for h, v in rows])
    judged = judge_runs(frame, GENIO[:1]).frame.rows(named=True)
    for row in judged:
        assert (row["outcome"] == "pass") == (row["value"] is not None and row["value"] < 45)
        assert (row["outcome"] == "not judged") == (row["value"] is None)
    whole = server_verdicts(judge_runs(frame, GENIO[:1])).frame
    assert whole.select(pl.sum_horizontal("passed", "failed", "not_judged") == pl.col("runs"))[
        :, 0
    ].all()
