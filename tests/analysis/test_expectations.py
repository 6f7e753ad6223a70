"""Great Expectations says what the criteria say: one comparison, one verdict, nothing left over."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import polars as pl
import pytest
from analysis.genio_case import aqos_test, runs
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT

from perfkit.analysis.verdicts.criteria import Criterion
from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.analysis.verdicts.expectations import (
    check_expectations,
    expectation_frame,
    expectation_suite,
    expectations_json,
)
from perfkit.analysis.verdicts.judge import judge
from perfkit.analysis.verdicts.run_verdicts import judge_runs
from perfkit.core.errors import AnalysisError
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.verdict import combined
from perfkit.showing.tables.verdicts import table_expectations

GENIO = criteria_set("epic-genio").sourced()
EPIC = criteria_set("epic-hardware").sourced()


def own(frame, criteria):
    """Each criterion's outcome over all runs, by perfkit alone."""
    return [combined(judge_runs(frame, [item]).frame["outcome"].to_list()) for item in criteria]


def theirs(checked):
    """The outcome that stands in the table of Great Expectations."""
    return checked.frame["outcome"].to_list()[::3]


@pytest.mark.slow
def test_both_say_the_same_of_the_printed_runs():
    checked = check_expectations(aqos_test(), GENIO + EPIC)
    assert theirs(checked) == own(aqos_test(), GENIO + EPIC) == [
        "fail", "pass", *["not judged"] * 5,
    ]  # fmt: skip
    held = checked.frame.row(2, named=True)
    assert (held["runs"], held["unexpected"]) == (30, 9)
    assert held["unexpected_runs"].startswith("epic-rhel3, run 11; epic-rhel3, run 12")


numbers = st.none() | st.sampled_from([45.0, 44.999999999, 0.0, 1e-3]) | st.floats()
rows = st.lists(
    st.fixed_dictionaries({
        "host": st.sampled_from(["a", "b"]), "longest_write_cycle_s": numbers,
        "effective_write_latency_s": numbers, "random_read_average_s": numbers,
        "target_iops": st.sampled_from([1.0, 2.0]),
    }), max_size=5,
)  # fmt: skip
demands = st.builds(
    lambda sign, limit, where, at: Criterion(
        name="Made", metric="longest_write_cycle_s", comparison=sign, limit=limit, where=where,
        at=at,
    ),
    st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(["45 s", "1 ms"]),
    st.sampled_from([{}, {"host": "a"}, {"host": "nobody"}]),
    st.sampled_from(["every load", "highest load", 2.0, "peak"]),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=25)
@given(rows, demands)
def test_both_verdicts_are_one_on_any_frame(made, demand):
    """Nulls, NaN, infinities, empty frames, selections of nothing: pass, fail or not judged alike.

    The suite succeeds exactly when the criterion passes.
    """
    frame, criteria = runs(made), [*GENIO, EPIC[0], demand]
    checked = check_expectations(frame, criteria)
    assert theirs(checked) == own(frame, criteria)
    succeeded = [all(checked.frame["success"].to_list()[i : i + 3]) for i in range(0, 12, 3)]
    assert succeeded == [outcome == "pass" for outcome in own(frame, criteria)]


sweeps = st.lists(
    st.fixed_dictionaries({
        "config": st.sampled_from(["x", "y"]), "host": st.sampled_from([None, "a"]),
        "load": st.sampled_from([1.0, 2.0, 4.0]), "repeat": st.sampled_from([1, 2, 3]),
        "direction": st.sampled_from(["total", "total", "read"]),
        "iops": st.none() | st.sampled_from([0.0, 90e3, 100e3, 130e3]),
        "lat_mean_s": st.none() | st.sampled_from([0.9e-3, 1e-3, 1.1e-3]),
        "lat_p99_s": st.none() | st.just(1e-3),
    }),
    max_size=14, unique_by=lambda r: (r["config"], r["host"], r["load"], r["repeat"],
                                      r["direction"]),
)  # fmt: skip
asked = st.builds(
    lambda metric, sign, statistic, where, at, direction, meant: Criterion(
        name="Made", metric=metric[0], comparison=sign, limit=metric[1], where=where,
        direction=direction, meant_to_fail=meant,
        statistic="pooled" if "p99" in metric[0] and statistic == "mean" else statistic,
        **(at if metric[0] == "iops" else {"at": "every load"}),
    ),
    st.sampled_from([("iops", "100k"), ("lat_mean_s", "1 ms"), ("lat_p99_s", "1 ms")]),
    st.sampled_from(["<", "<=", ">", ">="]),
    st.sampled_from([None, "mean", "every repeat", "bound"]),
    st.sampled_from([{}, {"config": "x"}, {"config": "none"}, {"host": "a"}]),
    st.sampled_from([{"at": "every load"}, {"at": "peak"}, {"at": "highest load"}, {"at": 2.0},
                     {"at": {"lat_mean_s": "1 ms"}}, {"within": {"lat_mean_s": "1 ms"}}]),
    st.sampled_from(["total", "total", "read"]),
    st.sampled_from([[], [], [{"where": {"config": "x"}, "reason": "made to"}]]),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(sweeps, st.lists(asked, min_size=3, max_size=6))
def test_both_verdicts_on_load_points_are_one(made, demands):
    """Missing values, repeats, hosts, selections of nothing, bounds of intervals: always alike."""
    usual = {"workload": "w", "load_kind": "iodepth"}
    points = pl.DataFrame([{**usual, **r} for r in made], schema=polars_schema(LOAD_POINTS))
    judged = [judge(points, [item]).outcome for item in demands]
    assert theirs(check_expectations(points, demands)) == judged


@pytest.mark.slow
def test_several_repeats_are_judged_by_their_statistic_and_not_one_by_one():
    """90k, 90k and 130k: the mean meets 100k, every repeat does not."""
    usual = {"workload": "w", "load_kind": "iodepth", "load": 1.0, "direction": "total"}
    points = pl.DataFrame([{**usual, "repeat": r, "iops": x} for r, x in
                           enumerate((90e3, 90e3, 130e3), 1)],
                          schema=polars_schema(LOAD_POINTS))  # fmt: skip
    demands = [Criterion(name="n", metric="iops", comparison=">=", limit="100k", statistic=s)
               for s in ("mean", "every repeat")]  # fmt: skip
    checked = check_expectations(points, demands)
    assert theirs(checked) == ["pass", "fail"]
    assert checked.frame["rule"][0] == "IOPS ≥ 100,000, mean over repeats"


PLAIN = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pandas as pd
import great_expectations as gx
assert "perfkit" not in sys.modules
suite = gx.ExpectationSuite(**json.load(open("suite.json")))
context = gx.get_context(mode="ephemeral")
asset = context.data_sources.add_pandas("p").add_dataframe_asset("a")
batch = asset.add_batch_definition_whole_dataframe("b")
for value in (44.999, 45.0, 99.0, None):
    frame = pd.DataFrame({"longest_write_cycle_s (total, criterion 1)": [1.0, value],
                          "selected by criterion 1": [True, True],
                          "iops (total, criterion 2)": [100e3, 99e3],
                          "selected by criterion 2": [True, False]})
    done = batch.get_batch(batch_parameters={"dataframe": frame}).validate(suite)
    print(value, [item.success for item in done.results])
assert "perfkit" not in sys.modules
"""


@pytest.mark.slow
def test_a_saved_suite_keeps_its_limits_in_plain_great_expectations(tmp_path):
    """Loaded where perfkit is not: below 45 s passes, 45 s, 99 s and a missing value do not."""
    rate = Criterion(name="Rate", metric="iops", comparison=">=", limit="100k")
    suite = expectation_suite([GENIO[0], rate])
    assert expectation_suite([GENIO[0], rate]).text == suite.text
    suite.write(tmp_path / "suite.json")
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": ""}
    done = subprocess.run([sys.executable, "-c", PLAIN], cwd=tmp_path, env=env, check=True,
                          capture_output=True, text=True)  # fmt: skip
    shown = [line for line in done.stdout.splitlines() if "[" in line]
    assert shown == [
        "44.999 [True, True, True, True, True, True]",
        "45.0 [True, True, False, True, True, True]",
        "99.0 [True, True, False, True, True, True]",
        "None [True, False, True, True, True, True]",
    ]


def test_the_frame_for_the_suite_is_pandas_and_names_every_run():
    frame, columns = expectation_frame(aqos_test(), GENIO)
    assert type(frame).__module__.startswith("pandas")
    assert frame["run"][0] == "epic-rhel1, run 10"
    assert len(frame) == 30
    assert columns[0] == ("longest_write_cycle_s (total, criterion 1)", "selected by criterion 1")


def test_the_json_is_the_same_each_time_and_names_no_path_of_the_machine():
    texts = {expectations_json(check_expectations(aqos_test(), GENIO)).text for _ in range(2)}
    (text,) = texts
    kept = json.loads(text)
    assert kept["success"] is False
    assert len(kept["results"]) == 6
    assert kept["results"][2]["result"]["unexpected_count"] == 9
    assert "/" not in text.replace("/ ", "").replace("IOPS/TB", "")
    assert "NaN" not in text


def test_the_json_travels_in_a_notebook_and_to_a_file(tmp_path):
    made = expectations_json(check_expectations(runs([]), GENIO))
    assert made._repr_mimebundle_()["application/json"]["success"] is False
    assert made._repr_mimebundle_()["text/plain"] == ""  # nothing that a report would remark on
    assert json.loads(made.write(tmp_path / "kept.json").read_text()) == made.document


def test_the_table_has_a_row_a_criterion():
    shown = table_expectations(check_expectations(aqos_test(), GENIO)).content()["rows"]
    assert [row[2:7] for row in shown] == [
        ["30", "0", "9", "2 of 3", "fail"], ["30", "0", "0", "3 of 3", "pass"],
    ]  # fmt: skip
    assert shown[0][7].endswith("epic-rhel3, run 13 and 6 more")


def test_without_criteria_there_is_nothing_to_expect():
    with pytest.raises(AnalysisError, match="no criterion"):
        check_expectations(runs([]), [])
    with pytest.raises(AnalysisError, match="no criterion"):
        expectation_suite([])


def test_nothing_is_sent_and_no_file_is_left(tmp_path, monkeypatch):
    """No socket is opened while the suite runs, and home and working directory stay empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def refuse(*_args, **_kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    check_expectations(one_run(), GENIO)
    assert list(tmp_path.iterdir()) == []


def one_run():
    return pl.DataFrame({"run": [1], "position": [1], "longest_write_cycle_s": [1.0]})


@pytest.mark.slow
def test_a_fresh_process_imports_it_without_warning_network_or_file(tmp_path):
    """The import itself: nothing on stderr, nothing in home; criteria alone do not import it."""
    code = (
        "import sys, socket\n"
        "def refuse(*a, **k): raise AssertionError('socket')\n"
        "socket.create_connection = refuse\n"
        "import polars as pl\n"
        "from perfkit.analysis.verdicts.criteria_sets import criteria_set\n"
        "import perfkit.analysis.verdicts.expectations as e\n"
        "assert 'great_expectations' not in sys.modules\n"
        "frame = pl.DataFrame({'run': [1], 'position': [1], 'longest_write_cycle_s': [1.0]})\n"
        "done = e.check_expectations(frame, criteria_set('epic-genio').sourced()[:1])\n"
        "print(done.frame['outcome'][0], 'great_expectations' in sys.modules)\n"
    )
    root = ROOT
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout.split() == ["pass", "True"]
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
