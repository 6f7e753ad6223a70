"""Peak and IOPS at a latency limit: inside the measured range, with an honest status."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from perfkit.analysis import capacity
from perfkit.analysis.capacity import iops_at_latency, peak
from perfkit.analysis.curves import latency_curve
from perfkit.errors import AnalysisError


@pytest.fixture
def curve(table):
    """A curve of (IOPS, latency in ms) at loads 1, 2, 3, ...."""

    def build(*pairs):
        return latency_curve(table([
            {"load": i, "iops": x, "lat_mean_s": None if ms is None else ms / 1e3}
            for i, (x, ms) in enumerate(pairs, 1)
        ]))  # fmt: skip

    return build


def answer(curve, limit_ms):
    return iops_at_latency(curve, limit_ms / 1e3).frame.row(0, named=True)


def test_interpolation_is_linear_between_the_neighbours(curve):
    got = answer(curve((100.0, 1.0), (200.0, 2.0), (250.0, 4.0)), 3.0)
    assert got["iops"] == pytest.approx(225.0)
    assert (got["status"], got["load_below"], got["load_above"]) == ("interpolated", 2.0, 3.0)


def test_a_curve_that_stays_under_the_limit_gives_a_lower_bound(curve):
    got = answer(curve((100.0, 1.0), (200.0, 2.0)), 5.0)
    assert (got["iops"], got["status"]) == (200.0, capacity.AT_LEAST)


def test_a_curve_that_starts_above_the_limit_gives_nothing(curve):
    got = answer(curve((100.0, 1.0), (200.0, 2.0)), 0.5)
    assert (got["iops"], got["status"]) == (None, capacity.NOT_REACHED)
    assert (got["first_iops"], got["nearest_s"]) == (100.0, 0.001)


def test_a_point_exactly_at_the_limit_counts_as_under_it(curve):
    got = answer(curve((100.0, 1.0), (200.0, 2.0), (250.0, 4.0)), 2.0)
    assert (got["iops"], got["status"]) == (200.0, capacity.MEASURED)


def test_where_iops_fall_with_the_load_the_measured_highest_counts(curve):
    got = answer(curve((100.0, 1.0), (200.0, 2.0), (150.0, 4.0)), 3.0)
    assert (got["iops"], got["status"]) == (200.0, capacity.MEASURED)


def test_the_first_crossing_counts_and_a_second_is_told(curve):
    got = answer(curve((100.0, 1.0), (200.0, 3.0), (300.0, 1.5), (400.0, 5.0)), 2.0)
    assert got["iops"] == pytest.approx(150.0)
    assert "first crossing" in got["note"]


def test_equal_iops_at_two_loads_are_no_trouble(curve):
    assert answer(curve((100.0, 1.0), (100.0, 3.0)), 2.0)["iops"] == 100.0


def test_a_missing_value_before_the_crossing_gives_no_number(curve):
    got = answer(curve((100.0, 1.0), (200.0, None), (300.0, 5.0)), 2.0)
    assert (got["iops"], got["status"]) == (None, capacity.MISSING)


def test_a_missing_value_after_the_crossing_does_not_matter(curve):
    assert answer(curve((100.0, 1.0), (200.0, 3.0), (300.0, None)), 2.0)["iops"] == 150.0


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf")])
def test_a_limit_that_is_no_time_is_refused(curve, limit):
    with pytest.raises(AnalysisError, match="above 0"):
        iops_at_latency(curve((1.0, 1.0)), limit)


def test_only_a_latency_can_be_limited(curve):
    with pytest.raises(AnalysisError, match="'iops' is not a latency"):
        iops_at_latency(curve((1.0, 1.0)), 0.1, "iops")


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    points=st.lists(st.tuples(st.floats(1, 1e6), st.floats(0.01, 100)), min_size=1, max_size=6),
    limit=st.floats(0.01, 100),
)
def test_the_answer_lies_inside_what_was_measured(curve, points, limit):
    got = answer(curve(*points), limit)
    measured = [x for x, _ in points]
    if got["status"] == capacity.NOT_REACHED:
        assert points[0][1] / 1e3 > limit / 1e3
        return
    assert min(measured) <= got["iops"] <= max(measured)
    if got["status"] == capacity.INTERPOLATED:
        low, high = (points[int(got[k]) - 1] for k in ("load_below", "load_above"))
        assume(low[0] != high[0])
        assert low[0] <= got["iops"] <= high[0]
        assert low[1] <= limit * (1 + 1e-12)
        assert high[1] >= limit * (1 - 1e-12)


def test_the_peak_is_the_highest_mean_with_its_load_and_interval(system):
    row = peak(latency_curve(system())).frame.row(0, named=True)
    assert row["iops"] == pytest.approx(1 / (1e-4 / 32 + 1e-5))
    assert (row["load"], row["status"], row["repeats"]) == (32.0, capacity.AT_LAST, 3)
    assert row["iops_low"] < row["iops"] < row["iops_high"]


def test_a_peak_inside_the_range_is_known_as_one(curve):
    row = peak(curve((100.0, 1.0), (200.0, 2.0), (150.0, 4.0))).frame.row(0, named=True)
    assert (row["iops"], row["load"], row["status"]) == (200.0, 2.0, capacity.INSIDE)


def test_the_lowest_load_wins_a_tie(curve):
    assert peak(curve((9.0, 1.0), (9.0, 2.0), (1.0, 3.0))).frame["load"].to_list() == [1.0]


def test_one_point_alone_is_no_peak(curve):
    assert peak(curve((9.0, 1.0))).frame["status"].to_list() == [capacity.ONLY_POINT]


def test_a_load_point_without_iops_leaves_the_peak_unknown(curve):
    row = peak(curve((9.0, 1.0), (None, 2.0))).frame.row(0, named=True)
    assert (row["iops"], row["load"], row["status"]) == (None, None, capacity.MISSING)


def test_each_curve_has_its_own_row(system):
    both = system(workload="a").vstack(system(workload="b", depths=(1, 2)))
    assert peak(latency_curve(both)).frame["load"].to_list() == [32.0, 2.0]
