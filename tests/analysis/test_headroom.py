"""The last passing point of each server, each number named for what it is."""

from __future__ import annotations

import polars as pl
import pytest
from analysis.genio_case import aqos_test, runs

from perfkit.analysis.genio import cluster_totals
from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.analysis.verdicts.headroom import (
    ALL_PASSED,
    CLUSTER,
    FAILED_LATER,
    NONE_PASSED,
    NOT_JUDGED,
    PASSES_AGAIN,
    headroom,
)
from perfkit.analysis.verdicts.run_verdicts import judge_runs
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured

CYCLE = criteria_set("epic-genio").sourced()[:1]


def room(frame, **given):
    found = headroom(judge_runs(frame, CYCLE), **given).frame
    return {row["server"]: row for row in found.rows(named=True)}


def ramp(cycles, **row):
    return [{"longest_write_cycle_s": c, "total_iops": 1000.0 * i, "target_iops": 1020.0 * i, **row}
            for i, c in enumerate(cycles, 1)]  # fmt: skip


def test_the_bully_of_tr4784_and_what_the_array_served_with_it():
    """81,207 IOPS is that one server's last pass; the array served 228,750 then."""
    runs_ = aqos_test()
    found = headroom(judge_runs(runs_, CYCLE), cluster_totals(runs_), required_iops=75_000)
    rows = {row["server"]: row for row in found.frame.rows(named=True)}
    bully = rows["epic-rhel3"]
    assert (bully["last_pass"], bully["last_pass_iops"]) == ("run 10", 81_207)
    assert bully["cluster_iops_at_last_pass"] == 228_750
    assert (bully["first_fail_iops"], bully["cluster_iops_at_first_fail"]) == (88_610, 236_166)
    assert (bully["headroom_iops"], bully["target_headroom_iops"]) == (6_207, 7_500)
    assert rows[CLUSTER]["last_pass_iops"] == 228_750
    assert rows[CLUSTER]["required_iops"] == 225_000
    assert rows["epic-rhel1"]["status"] == ALL_PASSED


def test_without_a_requirement_there_is_no_headroom_and_without_totals_no_cluster():
    rows = room(aqos_test())
    assert CLUSTER not in rows
    assert all(row["headroom_iops"] is None and row["cluster_iops_at_last_pass"] is None
               for row in rows.values())  # fmt: skip


@pytest.mark.parametrize(
    ("cycles", "status", "last", "first"),
    [([40.0, 41.0, 46.0], FAILED_LATER, 2000, 3000), ([40.0, 41.0], ALL_PASSED, 2000, None),
     ([46.0, 40.0], NONE_PASSED, None, 1000), ([40.0, None, 46.0], NOT_JUDGED, 1000, 2000),
     ([None, 40.0], NONE_PASSED, None, 1000)],
)  # fmt: skip
def test_the_ramp_is_followed_up_to_the_first_run_that_does_not_pass(cycles, status, last, first):
    row = room(runs(ramp(cycles)))["a"]
    assert (row["status"], row["last_pass_iops"], row["first_fail_iops"]) == (status, last, first)


def test_a_pass_above_a_failure_is_no_headroom_but_is_told():
    row = room(runs(ramp([40.0, 46.0, 40.0])), required_iops=900)["a"]
    assert (row["last_pass_iops"], row["headroom_iops"], row["note"]) == (1000, 100, PASSES_AGAIN)
    assert (row["runs"], row["passed"]) == (3, 2)


def test_any_rate_above_0_may_be_required():
    """Half an I/O a second: 1,000 are 999.5 more, 1,999 times as many again."""
    row = room(runs(ramp([40.0])), required_iops=0.5)["a"]
    assert (row["headroom_iops"], row["headroom_ratio"]) == (999.5, 1999.0)


def test_the_ramp_is_in_order_of_load_not_of_lines():
    made = ramp([40.0, 46.0, 47.0])
    assert room(runs(made[::-1]))["a"]["last_pass_iops"] == 1000


def test_a_load_counts_only_where_all_its_runs_pass():
    points = ((40.0, 990.0, 1e3), (41.0, 1990.0, 2e3), (46.0, 1980.0, 2e3))
    made = [{"longest_write_cycle_s": c, "total_iops": x, "target_iops": t} for c, x, t in points]
    row = room(runs(made))["a"]
    assert (row["last_pass_iops"], row["first_fail"], row["passed"]) == (990, "run 3", 2)


def test_a_server_without_a_run_of_the_cluster_leaves_it_not_judged():
    frame = runs([*ramp([40.0, 40.0], host="a"), *ramp([40.0], host="b")])
    totals = Measured(pl.DataFrame({"run": [1, 2], "position": [1, 2],
                                    "total_iops": [2000.0, 3000.0]}))  # fmt: skip
    rows = {item["server"]: item for item in headroom(judge_runs(frame, CYCLE), totals)
            .frame.rows(named=True)}  # fmt: skip
    assert [rows[name]["status"] for name in "ab"] == [ALL_PASSED, ALL_PASSED]
    row = rows[CLUSTER]
    assert (row["status"], row["last_pass_iops"], row["first_fail_iops"]) == (
        NOT_JUDGED, 2000.0, 3000.0
    )  # fmt: skip
    assert (row["runs"], row["passed"]) == (2, 1)


def test_a_requirement_of_nobody_or_nothing_is_refused():
    with pytest.raises(AnalysisError, match="no server 'epic-rhel9'; did you mean"):
        room(aqos_test(), required_iops={"epic-rhel9": 1.0})
    with pytest.raises(AnalysisError, match="above 0"):
        room(aqos_test(), required_iops=0)
    with pytest.raises(AnalysisError, match="above 0"):
        room(aqos_test(), required_iops={"epic-rhel1": -1.0})
    with pytest.raises(AnalysisError, match="no run"):
        room(runs([]))
