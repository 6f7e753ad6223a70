"""Stalls, drift, hosts apart and steady state, on made series whose answers are known."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import perfkit as pk
from perfkit.errors import AnalysisError
from perfkit.lineage import measured
from perfkit.schema import LOAD_POINTS, RUN_SERIES, RUN_STEADY_STATE, polars_schema
from perfkit.stats import steady_window


def series(p99s, **columns):
    usual = {
        "point": "p", "workload": "w", "load_kind": "iodepth", "load": 1.0, "repeat": 1,
        "interval_s": 0.5, "direction": "read",
    }  # fmt: skip
    rows = [
        {**usual, "t_s": 0.5 * n, "ios": 0 if p99 is None else 100, "lat_p99_s": p99, **columns}
        for n, p99 in enumerate(p99s, start=1)
    ]
    return measured(pl.DataFrame(rows, schema=polars_schema(RUN_SERIES)), "series")


def points(name, rows):
    usual = {"workload": "w", "load_kind": "iodepth", "load": 4.0, "repeat": 1,
             "direction": "total"}  # fmt: skip
    made = [{**usual, **row} for row in rows]
    return measured(pl.DataFrame(made, schema=polars_schema(LOAD_POINTS)), name)


def test_an_interval_without_io_and_a_slow_one_are_counted():
    """Median p99 1 ms: 11 ms is slow, 10 ms is not yet; two empty intervals are 1 s of silence."""
    found = pk.stalls(series([1e-3, 1e-3, None, None, 1e-3, 11e-3, 10e-3, 1e-3])).frame
    assert found.select("intervals", "without_io", "longest_without_io_s", "slow").rows() == [
        (8, 2, 1.0, 1)
    ]
    assert found.select("judged_by", "median_s", "worst_s", "factor").rows() == [
        ("lat_p99_s", 1e-3, 11e-3, 10.0)
    ]


def test_the_factor_is_the_callers_and_is_printed():
    found = pk.stalls(series([1e-3, 1e-3, 3e-3]), factor=2)
    assert found.frame["slow"].to_list() == [1]
    assert "2 times the median" in pk.say_stalls(found).text
    with pytest.raises(AnalysisError, match="above 1"):
        pk.stalls(series([1e-3]), factor=1)


def test_without_percentiles_the_mean_is_judged():
    found = pk.stalls(series([None, None], ios=5, lat_mean_s=1e-3)).frame
    assert found["judged_by"].to_list() == ["lat_mean_s"]


def test_quiet_points_are_said_to_be_quiet():
    assert pk.say_stalls(pk.stalls(series([1e-3] * 4))).text == (
        "In none of 1 point was there an interval of 0.500 s without I/O, or one slower than "
        "10 times the median."
    )


@pytest.mark.parametrize(("last", "drifted"), [(106, True), (104, False), (94, True), (96, False)])
def test_a_control_point_that_moved_by_more_than_five_percent_drifted(last, drifted):
    rows = [{"repeat": n, "iops": float(x)} for n, x in enumerate((100, 120, last), start=1)]
    found = pk.drift(points("control_points", rows))
    assert found.frame.select("controls", "change_ratio", "spread_ratio", "drifted").rows() == [
        (3, pytest.approx(last / 100 - 1), pytest.approx((120 - min(100, last)) / 100), drifted)
    ]
    assert ("it drifted" in pk.say_drift(found).text) is drifted


def test_hosts_apart_are_named():
    rows = [{"host": name, "iops": iops} for name, iops in (("a:1", 90.0), ("a:2", 110.0))]
    found = pk.host_balance(points("host_points", rows))
    assert found.frame.select("slowest", "fastest", "spread_ratio", "balanced").rows() == [
        ("a:1", "a:2", pytest.approx(0.2), False)
    ]
    assert "not balanced" in pk.say_host_balance(found).text


@pytest.mark.parametrize(
    ("values", "attained"),
    [
        ([100, 100, 100, 100, 100], True),
        # range exactly 20% of the mean, no slope
        ([90, 110, 100, 110, 90], True),
        ([89, 110, 101, 110, 90], False),
        # a straight line from 95 to 105 moves by exactly 10%; a little more is too much
        ([95, 97.5, 100, 102.5, 105], True),
        ([94.9, 97.45, 100, 102.55, 105.1], False),
    ],
)
def test_the_rule_of_the_specification(values, attained):
    window = steady_window(values)
    assert window is not None
    assert window.attained is attained


def test_only_the_last_five_rounds_count():
    window = steady_window([1000, 500, 100, 100, 100, 100, 100])
    assert (window.first, window.last, window.attained) == (3, 7, True)
    assert steady_window([100] * 4) is None


@given(st.lists(st.floats(1, 1e6), min_size=5, max_size=5), st.floats(0.01, 100))
def test_the_rule_does_not_depend_on_the_unit(values, unit):
    one, other = steady_window(values), steady_window([value * unit for value in values])
    assert one.range_ratio == pytest.approx(other.range_ratio)
    assert one.slope_ratio == pytest.approx(other.slope_ratio, abs=1e-9)
    # the excursion of a least-squares line over five rounds is at most 1.2 ranges
    assert one.slope_ratio <= 1.2 * one.range_ratio + 1e-9


def test_what_was_attained_is_never_called_pts():
    row = {
        "metric": "iops", "rounds": 8, "attained": False, "range_ratio": 0.24, "slope_ratio": 0.12,
        "pts": False, "why_not_pts": "not PTS: the target was not purged before it was filled",
    }  # fmt: skip
    frame = pl.DataFrame([row], schema=polars_schema(RUN_STEADY_STATE))
    said = pk.say_steady_state(measured(frame, "steady_state")).text
    assert said.startswith("Steady state was not attained in 8 rounds: in the last five IOPS moved")
    assert said.endswith("This is not PTS: the target was not purged before it was filled.")


def test_a_point_over_time_has_a_line_a_direction_and_one_of_its_drains():
    """Between two drains there is no line: the row that parts them has no value."""
    frame = pl.concat([
        series([1e-3] * 3, iops=200.0).frame,
        series([2e-3], iops=900.0, direction="write", drain=1).frame,
        series([None, None, 2e-3], iops=900.0, direction="write", drain=2).frame[2:],
    ])  # fmt: skip
    shown = pk.plot_series(measured(frame, "series"))
    lines = {trace["name"]: trace["y"] for trace in shown.plotly["data"]}
    assert lines == {"reads": (200.0,) * 3, "drains": (900.0, None, 900.0)}
    assert shown.caption.startswith("Completed I/Os over time")


def test_control_points_are_not_drawn_as_the_points_own():
    control = series([1e-3], iops=999.0, point="control-1").frame
    frame = pl.concat([series([1e-3] * 2, iops=200.0).frame, control])
    (trace,) = pk.plot_series(measured(frame, "series")).plotly["data"]
    assert trace["y"] == (200.0, 200.0)
