"""A point on one time axis: its load, its host and what was observed beside it."""

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.over_time.beside import beside_load, observer_clocks
from perfkit.core.answers import from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Reading, measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.sources.rundir.schema import (
    RUN_EVENTS,
    RUN_HOST_SERIES,
    RUN_OBSERVED,
    RUN_POINTS,
    RUN_SERIES,
    RUN_SPEC,
)

POINT = {"point": "p", "workload": "w", "load_kind": "iodepth", "load": 4.0, "repeat": 1}
SCHEMAS = {
    "series": RUN_SERIES, "host_series": RUN_HOST_SERIES, "observed": RUN_OBSERVED,
    "points": RUN_POINTS, "load_points": LOAD_POINTS, "spec": RUN_SPEC, "events": RUN_EVENTS,
}  # fmt: skip
LOAD = [
    {"t_s": 0.5 * n, "interval_s": 0.5, "direction": side, "ios": 50 * n, "iops": 100.0 * n,
     "lat_p50_s": 1e-3, "lat_p99_s": 2e-3 * n}
    for side in ("read", "write") for n in (1, 2, 3)
]  # fmt: skip
HOST = [{"t_s": 1.0, "cpu_busy_ratio": 0.5}, {"t_s": 2.0, "cpu_busy_ratio": 0.25}]


def reading(*points, observed=(), **tables):
    """A run of points that took 3.7 s each: a ramp of 1 s, and 1.5 s of load."""
    places = points or (POINT,)
    rows = {
        "series": LOAD, "host_series": HOST, "observed": observed, "points": [{"wall_s": 3.7}],
        "load_points": [{"direction": "total", "iops": 1.0, "runtime_s": 1.5}], "events": [],
        **tables,
    }  # fmt: skip
    made = {
        name: [{**{k: v for k, v in place.items() if k in SCHEMAS[name]}, **row}
               for place in places for row in own]
        for name, own in rows.items()
    }  # fmt: skip
    made["spec"] = [{"field": "ramp_s", "value": "1.0"}]
    frames = {
        name: measured(pl.DataFrame(made[name], schema=polars_schema(schema)), name)
        for name, schema in SCHEMAS.items()
    }
    return Reading(frames, Evidence("perfkit-run", "run", "00"))


def beside(of, **given):
    names = ("points", "load_points", "spec", "events")
    return beside_load(of["series"], of["host_series"], of["observed"],
                       **{name: of[name] for name in names}, **given).frame  # fmt: skip


def line(frame, panel, name=""):
    return frame.filter(panel=panel, line=name).select("t_s", "value").rows()


def counter(t_s, value, item="lun1", **more):
    return {"observer": "array", "t_s": t_s, "took_s": 0.2, "item": item, "name": "ops",
            "value": value, "failed": False, **more}  # fmt: skip


def test_the_load_is_set_on_the_clock_of_the_point():
    """The tool ran 2.2 s longer than its load, of which 1 s was the ramp."""
    frame = beside(reading())
    assert line(frame, "Completed I/Os", "reads") == [(2.7, 100.0), (3.2, 200.0), (3.7, 300.0)]
    assert frame["late_s"].unique().to_list() == [pytest.approx(1.2)]
    assert line(frame, "Host CPU busy") == [(1.0, 0.5), (2.0, 0.25)]


def test_hosts_are_lines_of_their_own_on_one_axis_with_a_bound():
    rows = [{**row, "host": host} for host in ("a:1", "b:2") for row in LOAD[:3]]
    of = reading(series=rows)
    frame = beside(of)
    for name in ("a:1", "b:2"):
        assert line(frame, "Completed I/Os", name) == [(2.7, 100.0), (3.2, 200.0), (3.7, 300.0)]
    [figure] = [item for item in pk.over_time(of) if hasattr(item, "plotly")]
    assert (
        "too late by 1.20 s at most, and they are no further apart from host to host."
        in figure.caption
    )


def test_where_the_record_tells_it_the_load_stands_where_it_was():
    frame = beside(reading(points=[{"wall_s": 3.7, "measured_from_s": 1.25}]))
    assert line(frame, "Completed I/Os", "reads")[0] == (1.75, 100.0)
    assert frame["late_s"].unique().to_list() == [None]


def test_events_are_lines_through_all_panels_and_named_in_the_caption():
    events = [{"t_s": 2.5, "name": "takeover"}, {"t_s": 3.0, "name": None}]
    of = reading(points=[{"wall_s": 3.7, "measured_from_s": 1.25}], events=events)
    [figure] = [item for item in pk.over_time(of) if hasattr(item, "plotly")]
    marks = [(shape.x0, shape.x1) for shape in figure.plotly.layout.shapes]
    assert marks == [(2.5, 2.5)] * 3 + [(3.0, 3.0)] * 3  # I/Os, latency, CPU
    assert figure.caption == (
        "w at iodepth 4, repeat 1, over time. Dotted line at 2.50 s: takeover. Dotted line at "
        "3.00 s: a mark."
    )


def test_each_direction_has_its_lines_and_the_mean_gives_way_to_percentiles():
    frame = beside(reading(series=[{**row, "lat_mean_s": 1e-3} for row in LOAD]))
    assert frame.filter(panel="Latency")["line"].unique(maintain_order=True).to_list() == [
        "reads, median", "writes, median", "reads, 99th percentile", "writes, 99th percentile",
    ]  # fmt: skip
    reads = [row for row in LOAD if row["direction"] == "read"]
    assert line(beside(reading(series=reads)), "Latency", "median")[0] == (2.7, 1e-3)


def test_drains_are_a_line_of_their_own_with_a_gap_between_two():
    row = {"interval_s": 0.5, "direction": "write", "iops": 9.0, "ios": 5}
    rows = [*LOAD[:3], {**row, "t_s": 0.5, "drain": 1}, {**row, "t_s": 1.5, "drain": 2}]
    frame = beside(reading(series=rows))
    assert line(frame, "Completed I/Os", "drains") == [(2.7, 9.0), (2.95, None), (3.7, 9.0)]
    assert len(line(frame, "Completed I/Os", "reads")) == 3


def test_a_counter_has_a_panel_and_each_item_a_line_that_a_failed_reading_breaks():
    failed = {"observer": "array", "t_s": 1.5, "took_s": 0.1, "text": "exit code 1", "failed": True}
    rows = [counter(1.0, 7.0), counter(1.0, 9.0, "lun2"), failed, counter(2.0, 8.0),
            counter(2.0, 0.0, name="errors")]  # fmt: skip
    frame = beside(reading(observed=rows))
    assert line(frame, "array: ops", "lun1") == [(1.0, 7.0), (1.5, None), (2.0, 8.0)]
    assert line(frame, "array: ops", "lun2") == [(1.0, 9.0), (1.5, None)]
    assert "array: errors" not in frame["panel"].to_list()  # 0 at every moment


def test_of_many_items_those_with_the_highest_mean_are_drawn_and_it_is_said():
    rows = [counter(t, float(n), f"lun{n}") for n in range(1, 10) for t in (1.0, 2.0)]
    of = reading(observed=rows)
    frame = beside(of).filter(panel="array: ops")
    assert frame["line"].unique(maintain_order=True).to_list() == [f"lun{n}" for n in (6, 7, 8, 9)]
    [figure] = [item for item in pk.over_time(of) if hasattr(item, "plotly")]
    assert figure.caption == (
        "w at iodepth 4, repeat 1, over time. The lines of the load are drawn too late by 1.20 s "
        "at "
        "most. Of array: ops the 4 of 9 lines with the highest mean are drawn."
    )


def test_the_highest_load_is_drawn_unless_another_is_named_and_never_a_control():
    lower = {**POINT, "point": "q", "load": 2.0}
    control = {**POINT, "point": "control-1", "load": 8.0}
    of = reading(POINT, lower, control)
    assert beside(of)["load"].unique().to_list() == [4.0]
    assert beside(of, load=2.0)["load"].unique().to_list() == [2.0]
    with pytest.raises(AbsentError, match="no point has a time series"):
        beside(of, load=3.0)


def test_of_how_long_the_tool_ran_nothing_is_guessed():
    with pytest.raises(AbsentError, match="no point has a time series"):
        beside(reading(points=[{"wall_s": None}]))


def test_more_counters_than_a_page_holds_stand_in_further_charts_below_the_load():
    rows = [counter(1.0, 7.0, name=f"c{n}") for n in range(9)]
    charts = [item for item in pk.over_time(reading(observed=rows)) if hasattr(item, "plotly")]
    assert [chart.id for chart in charts] == ["beside-load", "beside-load-2"]
    titles = [[note.text for note in c.plotly.layout.annotations if "<b>" in note.text
               and note.x == 0] for c in charts]  # fmt: skip
    assert titles[0][:4] == ["<b>Completed I/Os</b>", "<b>Latency (ms)</b>",
                             "<b>Host CPU busy (%)</b>", "<b>array: c0</b>"]  # fmt: skip
    assert titles[1][0] == "<b>Completed I/Os</b>"
    assert {t for own in titles for t in own} >= {f"<b>array: c{n}</b>" for n in range(9)}


def test_the_values_that_are_drawn_are_those_of_the_lines():
    [figure] = [item for item in pk.over_time(reading(observed=[counter(1.0, 7.0)]))
                if hasattr(item, "plotly")]  # fmt: skip
    drawn = {trace.name: (trace.x, trace.y) for trace in figure.plotly.data}
    assert drawn["writes, 99th percentile"][1] == pytest.approx((2.0, 4.0, 6.0))
    assert drawn["Host CPU busy"] == ((1.0, 2.0), (50.0, 25.0))
    assert drawn["lun1"] == ((1.0,), (7.0,))
    assert "array: ops, lun1: 7" in figure.alt


def test_the_offset_of_a_clock_is_said_with_how_far_it_is_known():
    rows = [counter(float(n), 7.0, clock_offset_s=ahead) for n, ahead in enumerate((3.0, 3.1, 2.9))]
    frame = observer_clocks(measured(pl.DataFrame(rows), "observed"))
    [answer] = from_frame(frame.frame)
    got = answer.estimate
    assert (got.value, got.low, got.high, got.n) == (3.0, pytest.approx(2.8), pytest.approx(3.2), 3)
    assert pk.say(frame)[0].text == (
        "The clock of array stood at +3.00 s relative to this host's (+2.80 s to +3.20 s over 3 "
        "readings)."
    )


def test_readings_without_a_time_leave_the_offset_unknown():
    frame = observer_clocks(reading(observed=[counter(1.0, 7.0)])["observed"])
    assert pk.say(frame)[0].text == (
        "How far the clock of array is from this host's is not known: its readings print no time."
    )


def test_a_run_without_a_series_says_so():
    lacking = "no run of perfkit's recorded a time series"
    assert pk.over_time(reading(series=[])).reason == lacking
    live = {"workload": ["w"], "t_s": [1.0], "iops": [5.0]}  # elbencho's own table of that name
    other = Reading({"series": measured(pl.DataFrame(live), "series")}, Evidence("e", "x", "00"))
    assert pk.over_time(other).reason == lacking


# --- paced loads -------------------------------------------------------------------------------


def paced(*ios, **told):
    """A load of 1,000 IOPS in intervals of 0.1 s, whose series begins with its point."""
    rows = [{"t_s": 0.1 * n, "interval_s": 0.1, "direction": "read", "ios": count}
            for n, count in enumerate(ios, start=1)]  # fmt: skip
    point = {"wall_s": 1.0, "measured_from_s": 0.0, "target_iops": 1000.0, "role": "point"}
    return reading(POINT, series=rows, points=[{**point, **told}])


def said_of_backlog(of):
    return [item.text for item in pk.over_time(of) if item.id == "largest-backlog"]


def test_how_far_a_load_was_behind_is_said_as_it_was_recorded():
    of = paced(100, 0, 100, behind_s=0.3, behind_ios=296, behind_at_s=2.5)
    assert said_of_backlog(of) == [
        "w was up to 0.300 s behind its schedule: at iodepth 4, repeat 1, 2.50 s after the "
        "measurement began, 296 I/Os were due and not done. No latency includes how long they "
        "waited, as latency counts from the issue of an I/O."
    ]


def test_what_was_due_and_not_done_is_drawn():
    """Two intervals of nothing leave 200; then 150 a time make up for it."""
    drawn = line(beside(paced(100, 0, 0, 150, 150, 150, 150, 100)), "I/Os due and not done")
    assert [value for _, value in drawn] == pytest.approx([0, 100, 200, 150, 100, 50, 0, 0])


def test_after_a_time_that_is_not_known_there_is_no_backlog():
    drawn = line(beside(paced(100, 50, None, 100)), "I/Os due and not done")
    assert [value for _, value in drawn] == pytest.approx([0, 50])


def test_of_random_arrivals_it_is_not_known_what_was_due():
    of = paced(100, 0, 100, behind_why="at random arrivals it is not known when each I/O was due")
    assert said_of_backlog(of) == [
        "How far w was behind its schedule is not known: at random arrivals it is not known when "
        "each I/O was due."
    ]
    assert line(beside(of), "I/Os due and not done") == []


def test_a_load_without_such_a_record_says_nothing_of_it():
    assert said_of_backlog(reading()) == []
