"""The knee, Little's law and drain cycles: an answer, or the reason why there is none."""

from __future__ import annotations

import polars as pl
import pytest

from perfkit.analysis.curves.little import littles_law
from perfkit.analysis.curves.plateau import _no_knee, knee
from perfkit.analysis.over_time.cycles import LABEL, NO_VERDICT, drain_summary
from perfkit.core.answers import from_frame
from perfkit.core.cautions import caution, to_json
from perfkit.core.errors import AnalysisError


@pytest.fixture
def bend(table):
    def build(pairs):
        points = table([
            {"load": 2**i, "iops": x, "lat_mean_s": y} for i, (x, y) in enumerate(pairs)
        ])  # fmt: skip
        (found,) = from_frame(knee(points).frame)
        values = {item.metric: item.value for item in found.conditions}
        assert found.estimate is None or found.estimate.value == values["iodepth"]
        return {"found": found.status == "measured", "load": values.get("iodepth"),
                "iops": values.get("iops"), "reason": found.reason}  # fmt: skip

    return build


def closed_loop(depths, service=1e-4, cap=40_000.0):
    """A loop that saturates sharply: X = min(d / s, cap)."""
    return [(x, d / x) for d in depths for x in [min(d / service, cap)]]


def test_a_sharp_saturation_is_the_knee(bend):
    """At depth 4 the made system reaches its cap: 4 / 0.1 ms = 40,000 IOPS."""
    found = bend(closed_loop((1, 2, 4, 8, 16)))
    assert (found["found"], found["load"], found["iops"]) == (True, 4.0, 40_000.0)


def test_no_knee_at_the_last_point(bend):
    found = bend(closed_loop((1, 2, 4, 8), cap=1e9))
    assert (found["found"], found["load"]) == (False, None)
    assert "highest load" in found["reason"]


def test_no_knee_at_the_first_point(bend):
    found = bend([(100.0, d / 100.0) for d in (1, 2, 4, 8)])
    assert "already at the lowest load" in found["reason"]


def test_no_knee_where_two_summits_are_as_high(bend):
    found = bend([(10.0, 1.0), (20.0, 1.0), (10.0, 1.0), (20.0, 1.0), (10.0, 1.0)])
    assert found["reason"].startswith("not unique: iodepth 2 and iodepth 8")


def test_no_knee_where_two_neighbours_are_equal(bend):
    found = bend([(10.0, 1.0), (20.0, 1.0), (20.0, 1.0), (10.0, 1.0)])
    assert found["reason"].startswith("not unique: iodepth 2 and iodepth 4")


def test_no_knee_of_a_curve_that_does_not_bend(bend):
    assert bend([(10.0, 1.0)] * 4)["reason"] == "the curve does not bend"


def test_no_knee_of_three_points(bend):
    assert bend(closed_loop((1, 2, 4)))["reason"] == "too few load points"


def test_no_knee_with_a_missing_value(bend):
    assert "no value" in bend([*closed_loop((1, 2, 4)), (None, 1.0)])["reason"]


@pytest.mark.parametrize(
    ("latency", "within"), [(0.001, 1), (0.00104, 1), (0.00106, 0), (0.0009, 0)]
)
def test_little_compares_iops_times_latency_with_the_depth(table, latency, within):
    row = {"load": 10, "iops": 10_000.0, "lat_mean_s": latency, "in_flight": 10}
    (found,) = from_frame(littles_law(table([row])).frame)
    values = {item.metric: item.value for item in found.conditions}
    assert (values["results_within"], found.estimate.value) == (
        within,
        pytest.approx(1e3 * latency),
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"in_flight": 4, "target_iops": 50.0, "iops": 1.0, "lat_mean_s": 1.0}, "paced"),
        ({"iops": 1.0, "lat_mean_s": 1.0}, "depth is not known"),
        ({"in_flight": 4, "iops": 1.0}, "no mean latency"),
    ],
)
def test_little_says_where_it_does_not_apply(table, row, reason):
    (found,) = from_frame(littles_law(table([{"load": 1, **row}])).frame)
    assert found.estimate is None
    assert reason in found.reason


def drains(*seconds):
    return pl.DataFrame(
        [{"workload": "epic-like", "load_kind": "rate_iops", "load": 100.0, "repeat": 1,
          "cycle": i, "drain_s": s} for i, s in enumerate(seconds, 1)],
        schema_overrides={"drain_s": pl.Float64},
    )  # fmt: skip


def drained(*seconds):
    (answer,) = from_frame(drain_summary(drains(*seconds)).frame)
    return answer, {item.metric: item.value for item in answer.conditions}


def test_the_longest_drain_of_five_cycles_can_be_judged():
    answer, where = drained(10.0, 12.0, 9.0, 11.0, 10.0)
    assert (answer.status, answer.relation, answer.reason) == ("measured", "=", None)
    assert (answer.estimate.value, answer.estimate.unit) == (12.0, "s")
    assert where == {"rate_iops": 100.0, "repeat": 1.0, "cycles_planned": 5.0, "cycles": 5.0,
                     "drain_shortest_s": 9.0}  # fmt: skip
    assert LABEL == "GenIO-like, not GenIO"


def test_of_four_cycles_the_longest_is_a_lower_bound_without_a_verdict():
    answer, _ = drained(10.0, 12.0, 9.0, 11.0)
    assert (answer.status, answer.relation, answer.reason) == ("measured", ">=", NO_VERDICT)
    assert answer.estimate.value == 12.0


def test_where_a_drain_did_not_happen_the_longest_is_a_lower_bound():
    answer, where = drained(1.0, 1.0, 1.0, 1.0, 1.0, None)
    assert (answer.relation, answer.reason) == (">=", "a planned drain did not happen")
    assert (where["cycles_planned"], where["cycles"]) == (6, 5)


def test_without_any_drain_there_is_no_longest():
    answer, where = drained(None, None)
    assert (answer.status, answer.estimate, answer.reason) == ("missing", None, NO_VERDICT)
    assert (where["cycles"], "drain_shortest_s" in where) == (0, False)


def test_what_must_be_known_of_a_run_stands_beside_its_longest_drain():
    told = caution("drain_overran", drain="2", of="rate 100", time="90 s", period="80 s")
    frame = drains(10.0, 12.0).with_columns(cautions=pl.lit(to_json([told])))
    assert from_frame(drain_summary(frame).frame)[0].cautions == (told,)


def test_a_drain_without_a_load_is_refused():
    with pytest.raises(AnalysisError, match="a drain has no load"):
        drain_summary(drains(1.0).with_columns(load=pl.lit(None, pl.Float64)))


@pytest.mark.parametrize(
    ("second", "reason"),
    [(0.98, "not unique: 1 job and 4 jobs fit as well"), (0.97, None)],
)
def test_a_summit_of_98_percent_is_as_good_as_the_highest(second, reason):
    points = [{"load_kind": "numjobs", "load": load} for load in (0.5, 1, 2, 4, 8)]
    assert _no_knee(points, [0.0, second, 0.0, 1.0, 0.0], 3) == reason
