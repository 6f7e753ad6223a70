"""Any recording over time as lines: which quantities, which things, at which times."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.over_time.recorded import (
    MOST_DRAWN,
    MOST_LINES,
    extremes,
    recorded_levels,
    recorded_lines,
)
from perfkit.core.answers import from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import measured
from perfkit.showing.figures.recorded import plots_recorded


def lines(rows, **options):
    return recorded_lines(measured(pl.DataFrame(rows), "series"), **options).frame


def test_each_thing_has_a_line_of_each_quantity():
    found = lines(
        {
            "device": ["sda", "sdb", "sda", "sdb"],
            "t_s": [1.0, 1.0, 2.0, 2.0],
            "read_iops": [10.0, 20.0, 30.0, None],
            "await_s": [0.001, 0.002, 0.003, 0.004],
        },
        lines=["device"],
    )
    assert found.select("quantity", "thing", "t_s", "sample", "value", "things").rows() == [
        ("read_iops", "sda", 1.0, 1, 10.0, 2),
        ("read_iops", "sdb", 1.0, 1, 20.0, 2),
        ("read_iops", "sda", 2.0, 2, 30.0, 2),
        ("read_iops", "sdb", 2.0, 2, None, 2),  # a gap, no 0
        ("await_s", "sda", 1.0, 1, 0.001, 2),
        ("await_s", "sdb", 1.0, 1, 0.002, 2),
        ("await_s", "sda", 2.0, 2, 0.003, 2),
        ("await_s", "sdb", 2.0, 2, 0.004, 2),
    ]


def test_what_is_a_sum_since_the_start_or_always_0_has_no_line():
    found = lines(
        {
            "t_s": [None, 1.0, 2.0],
            "since_boot": [True, False, False],
            "read_iops": [999.0, 1.0, 2.0],
            "write_iops": [999.0, 0.0, 0.0],
        }
    )
    assert found.select("quantity", "value").rows() == [("read_iops", 1.0), ("read_iops", 2.0)]


def test_times_of_day_are_seconds_since_the_first_of_each_file():
    noon = dt.datetime.fromisoformat("2026-11-22T12:00:00")
    found = lines(
        {
            "source": ["a", "a", "b"],
            "at": [noon, noon + dt.timedelta(seconds=5), noon + dt.timedelta(hours=1)],
            "iops": [1.0, 2.0, 3.0],
        },
        time="at",
    )
    assert found.select("source", "t_s").rows() == [("a", 0.0), ("a", 5.0), ("b", 0.0)]


def test_a_contributors_own_quantity_is_shown_where_no_other_is():
    """Where one is known, only those that are known are drawn."""
    own = {"t_s": [1.0], "flushes_per_s": [7.0], "generation": [3.0]}
    assert lines(own)["quantity"].to_list() == ["flushes_per_s"]
    assert lines({**own, "iops": [1.0]})["quantity"].to_list() == ["iops"]


def test_of_many_things_those_with_the_highest_mean_are_shown_and_the_rest_is_counted():
    many = MOST_LINES + 3
    rows = {
        "device": [f"d{n}" for n in range(many)],
        "t_s": [1.0] * many,
        "iops": [float(n + 1) for n in range(many)],
    }
    found = lines(rows, lines=["device"])
    assert found["thing"].to_list() == [f"d{n}" for n in range(3, many)]
    assert found["things"].unique().to_list() == [many]
    (figure,) = plots_recorded({"devices": recorded_lines(measured(pl.DataFrame(rows), "devices"),
                                                          lines=["device"])})  # fmt: skip
    assert figure.id == "devices-iops"
    assert "the 12 of 15 with the highest mean" in figure.caption


def test_where_one_line_has_no_times_all_are_drawn_by_sample():
    rows = {"source": ["a", "a", "b"], "t_s": [None, None, 5.0], "iops": [1.0, 2.0, 3.0]}
    found = lines(rows).select("source", "t_s", "sample").rows()
    assert found == [("a", None, 1), ("a", None, 2), ("b", None, 1)]


def test_samples_are_those_of_the_table_where_it_numbers_them():
    """Without times: what is first seen in the second display stands beside the others there."""
    found = lines(
        {"name": ["a", "a", "b"], "sample": [1, 2, 2], "t_s": [None] * 3, "iops": [1.0, 2.0, 3.0]},
        lines=["name"],
    )
    assert found.select("thing", "sample").rows() == [("a", 1), ("a", 2), ("b", 2)]


def test_a_sample_without_a_time_has_no_place_beside_those_that_have_one():
    found = lines({"t_s": [None, 1.0, 2.0], "iops": [9.0, 2.0, 3.0]})
    assert found.select("t_s", "value").rows() == [(1.0, 2.0), (2.0, 3.0)]


@pytest.mark.parametrize(
    "rows", [{"t_s": [1.0, None], "iops": [None, 0.0]}, {"t_s": [1.0], "name": ["x"]}]
)
def test_a_recording_without_a_value_is_absent(rows):
    with pytest.raises(AbsentError, match="no quantity with a value"):
        lines(rows)


def points(**columns):
    keys = {"system": None, "config": None, "workload": "w", "load_kind": "iodepth",
            "repeat": 1, "host": None, "direction": "total"}  # fmt: skip
    size = len(next(iter(columns.values())))
    return measured(pl.DataFrame({**{k: [v] * size for k, v in keys.items()}, **columns}), "points")


def test_results_without_a_load_or_with_the_keys_of_another_are_on_no_curve():
    given = points(load=[1.0, 4.0, 4.0, None], iops=[10.0, 20.0, 21.0, 30.0])
    assert pk.curve_points(given).frame["iops"].to_list() == [10.0]
    assert pk.other_points(given).frame["iops"].to_list() == [20.0, 21.0, 30.0]


def test_where_there_are_none_the_answer_says_so():
    assert "no result is a load point" in pk.curve_points(points(load=[None], iops=[1.0])).reason
    assert "every result is" in pk.other_points(points(load=[1.0], iops=[1.0])).reason


@pytest.mark.parametrize(
    ("devices", "caption"),
    [(["sda", "sda"], "Read IOPS over time: sda."), (["sda", "sdb"], "Read IOPS over time.")],
)
def test_the_caption_names_what_all_lines_are_of(devices, caption):
    rows = {"t_s": [0.0, 1.0] * 2, "file": ["a"] * 2 + ["b"] * 2,
            "device": [device for device in devices for _ in range(2)],
            "read_iops": [1.0, 2.0, 3.0, 4.0]}  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "devices"), lines=["device"])
    (figure,) = plots_recorded({"devices": lines})
    assert figure.caption == caption


def test_a_chart_has_as_many_lines_as_it_can_show_and_a_finding_is_of_all():
    devices = [f"d{number}" for number in range(15)]
    rows = {"device": devices, "t_s": [1.0] * 15, "read_iops": [float(n + 1) for n in range(15)],
            "read_await_s": [1.0 / (n + 1) for n in range(15)]}  # fmt: skip
    series = measured(pl.DataFrame(rows), "devices")
    shown = recorded_lines(series, lines=["device"])
    assert shown.frame.filter(quantity="read_iops")["thing"].to_list() == devices[3:]
    whole = recorded_lines(series, lines=["device"], most=None)
    first = from_frame(recorded_levels([whole]).frame)[0]
    # the device with the most IOPS has the lowest latency: on no chart of the 12 highest
    assert first.subject.label == "d14, read"
    assert {c.metric: c.value for c in first.conditions}["lat_mean_s"] == 1 / 15


def test_a_long_line_is_drawn_by_its_extremes_and_a_short_one_whole():
    """By hand: 10 samples in 2 stretches of 5, with a peak, a dip and a gap that must be seen."""
    values = [5.0, 9.0, 5.0, 1.0, 5.0, 5.0, None, 5.0, 7.0, 5.0]
    rows = {
        "thing": ["a"] * 10 + ["b"] * 2,
        "t_s": [float(n) for n in range(10)] + [0.0, 1.0],
        "quantity": ["iops"] * 12,
        "value": [*values, 3.0, 4.0],
    }
    few = extremes(pl.DataFrame(rows), most=4)
    drawn = [(row["thing"], row["t_s"], row["value"]) for row in few.rows(named=True)]
    assert drawn == [
        ("a", 0.0, 5.0), ("a", 1.0, 9.0), ("a", 3.0, 1.0), ("a", 5.0, 5.0), ("a", 6.0, None),
        ("a", 8.0, 7.0), ("a", 9.0, 5.0), ("b", 0.0, 3.0), ("b", 1.0, 4.0),
    ]  # fmt: skip


def test_a_chart_of_a_long_recording_says_that_it_shows_the_extremes():
    """Some hundred thousand samples took minutes and made a page of 30 MB."""
    count = MOST_DRAWN + 1
    rows = {"t_s": [float(n) for n in range(count)], "iops": [100.0] * (count - 1) + [900.0]}
    (figure,) = plots_recorded({"a": recorded_lines(measured(pl.DataFrame(rows), "a"))})
    assert figure.caption.endswith(
        "; of more than 2,000 samples, a line shows the lowest and the highest in each stretch."
    )
    (trace,) = figure.plotly.data
    assert max(trace.y) == 900.0
    assert len(trace.y) < count
