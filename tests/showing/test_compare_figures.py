"""Charts of a comparison: what is drawn where, told apart without colour."""

import polars as pl
import pytest

from perfkit.analysis.compare.asked import changes_asked
from perfkit.analysis.compare.pairs import compare
from perfkit.analysis.curves.curves import latency_curve
from perfkit.analysis.over_time.stalls import iops_over_time
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.showing.figures.compare import plot_differences
from perfkit.showing.figures.compare_time import plot_stalls
from perfkit.showing.figures.curves import plot_latency_curve
from perfkit.showing.figures.distributions import plot_latency_histogram, plot_percentile_fan

TRACED = Lineage((Evidence("awr", "a.html", "00"),), (), traceable=True)
XYS = [(1000, 100), (2000, 200), (3000, 400)]


def points(systems=("A", "B"), repeats=3):
    usual = {"workload": "w", "load_kind": "threads", "direction": "total"}
    rows = [
        {**dict.fromkeys(LOAD_POINTS), **usual, "system": system, "load": float(n), "repeat": r,
         "iops": x * (1 + number / 2) * (1 + r / 100), "lat_mean_s": y * 1e-6 * (1 + r / 50),
         "lat_p50_s": y * 1e-6, "lat_p99_s": y * 3e-6}
        for number, system in enumerate(systems)
        for n, (x, y) in enumerate(XYS, 1)
        for r in range(1, repeats + 1)
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)), TRACED)


def test_curves_differ_by_mark_and_dash_and_have_bands():
    """In grey print the colour is gone: marks and dashes are not."""
    drawn = plot_latency_curve(latency_curve(points()), points=points(), bands=True)
    lines = [trace for trace in drawn.plotly.data if trace.mode == "lines+markers"]
    assert len({trace.line.dash for trace in lines}) == 2
    assert len({trace.marker.symbol for trace in lines}) == 2
    bands = [trace for trace in drawn.plotly.data if trace.fill == "toself"]
    assert [len(band.x) for band in bands] == [6, 6]
    assert all(trace.error_y.array is None for trace in lines)
    assert max(bands[1].y) <= drawn.plotly.layout.yaxis.range[1]
    assert drawn.caption.endswith("Bands are 95% intervals over 3 repeats, each load by itself.")


def test_a_load_point_that_stands_alone_has_a_bar_instead_of_a_band():
    """A band of one point has no width, so its interval would not show."""
    gap = pl.when(pl.col("load") == 2).then(None).otherwise(pl.col("lat_mean_s"))
    holed = Measured(points(("A",)).frame.with_columns(lat_mean_s=gap), TRACED)
    drawn = plot_latency_curve(latency_curve(holed), bands=True)
    [line] = drawn.plotly.data
    rows = latency_curve(holed).frame.rows(named=True)
    reach = [(row["lat_mean_s_high"] - row["lat_mean_s"]) * 1e6 for row in (rows[0], rows[2])]
    assert [line.error_y.array[0], line.error_y.array[2]] == pytest.approx(reach)
    assert "Bars are 95% intervals over 3 repeats, each load by itself." in drawn.caption
    one = latency_curve(Measured(points().frame.filter((pl.col("system") == "A") |
                                                       (pl.col("load") == 1)), TRACED))  # fmt: skip
    beside = plot_latency_curve(one, bands=True)
    assert [len(t.x) for t in beside.plotly.data if t.fill == "toself"] == [6]
    assert "Bands and bars are 95% intervals over 3 repeats, each load by itself." in beside.caption


def test_one_curve_alone_is_solid():
    [line] = plot_latency_curve(latency_curve(points(("A",)))).plotly.data
    assert line.line.dash is None


def test_changes_stand_at_their_values_with_whiskers():
    found = compare(points(), loads=[1.0, 3.0, 9.0])
    drawn = plot_differences(found, question="iops_at_load")
    [marks] = drawn.plotly.data
    assert list(marks.x) == [0, 1]
    assert list(marks.y) == pytest.approx([50.0, 50.0])
    got = changes_asked(found, "iops_at_load")[0].estimate
    assert marks.error_y.array[0] == pytest.approx((got.high - got.value) * 100)
    assert marks.error_y.arrayminus[0] == pytest.approx((got.value - got.low) * 100)
    assert list(drawn.plotly.layout.xaxis.ticktext) == ["1", "3"]
    assert drawn.caption.endswith("Not drawn, for lack of a ratio: 1.")
    assert drawn.plotly.layout.annotations[0].text == "+50.0%"


def test_orders_of_magnitude_stand_on_a_log_scale_as_ratios():
    """Beside a twelvefold, half as much again is not a flat line at 1,100%."""
    frame = points(("A", "B", "C")).frame
    far = frame.with_columns(
        iops=pl.when(pl.col("system") == "C").then(pl.col("iops") * 12).otherwise(pl.col("iops"))
    )
    found = compare(Measured(far, TRACED), loads=[1.0])
    drawn = plot_differences(found, question="iops_at_load")
    assert drawn.plotly.layout.yaxis.type == "log"
    assert [trace.y[0] for trace in drawn.plotly.data] == pytest.approx([1.5, 24.0])
    assert drawn.plotly.layout.shapes[0].y0 == 1.0
    assert [note.text for note in drawn.plotly.layout.annotations] == ["+50.0%", "24 times"]
    assert drawn.plotly.layout.yaxis.title.text == "Ratio of IOPS"
    top = max(trace.y[0] + trace.error_y.array[0] for trace in drawn.plotly.data)
    assert 10 ** drawn.plotly.layout.yaxis.range[1] > top


def test_changes_without_intervals_have_no_whiskers():
    drawn = plot_differences(compare(points(repeats=1)), question="peak_iops")
    assert drawn.plotly.data[0].error_y.array is None
    assert "One repeat or no spread, so no intervals." in drawn.caption


def test_no_ratio_and_no_such_question_are_refused():
    found = compare(points(), loads=[9.0])
    with pytest.raises(AnalysisError, match="at no value do both sides have a number"):
        plot_differences(found, question="iops_at_load")
    with pytest.raises(AnalysisError, match="no question 'peak'"):
        plot_differences(found, question="peak")


def test_fans_stand_side_by_side_on_one_scale():
    drawn = plot_percentile_fan(latency_curve(points(repeats=1)))
    assert [trace.xaxis for trace in drawn.plotly.data] == [None, None, "x2", "x2"]
    assert drawn.plotly.layout.yaxis.range == drawn.plotly.layout.yaxis2.range
    first, second = (drawn.plotly.layout[name].domain for name in ("xaxis", "xaxis2"))
    assert first[1] < second[0]
    assert list(drawn.plotly.data[1].y) == pytest.approx([0.3, 0.6, 1.2])


def test_percentiles_of_several_repeats_without_histogram_make_no_fan():
    with pytest.raises(AnalysisError, match="never averaged"):
        plot_percentile_fan(latency_curve(points()))
    many = latency_curve(points([f"system {n}" for n in range(13)], repeats=1))
    with pytest.raises(AbsentError, match="13 curves are too many for one chart"):
        plot_percentile_fan(many)


def bins(**counts):
    rows = [
        {"system": system, "workload": "w", "load_kind": "threads", "load": load, "repeat": 1,
         "direction": "total", "value_s": value, "count": count}
        for system, of in counts.items() for load, value, count in of
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows), TRACED)


def test_a_histogram_is_of_the_highest_common_load_and_adds_up():
    data = bins(A=[(1.0, 1e-4, 30), (1.0, 1e-3, 10), (2.0, 1e-3, 1)], B=[(1.0, 2e-4, 5)])
    drawn = plot_latency_histogram(data)
    assert [sum(trace.y) for trace in drawn.plotly.data] == pytest.approx([100, 100])
    assert max(drawn.plotly.data[0].y) == 75
    assert "at 1 thread" in drawn.caption
    with pytest.raises(AnalysisError, match="no load 2"):
        plot_latency_histogram(data, load=2.0)


def intervals(system, ios):
    return [
        {"system": system, "workload": "w", "load_kind": "threads", "load": 1.0, "repeat": 1,
         "t_s": t, "interval_s": 1.0, "direction": "total", "ios": n}
        for t, n in ios
    ]  # fmt: skip


def test_stalls_are_marked_and_what_was_not_sampled_is_a_gap():
    rows = intervals("A", [(1.0, 100), (2.0, 0), (3.0, 100), (6.0, 50), (7.0, 0)])
    rows += intervals("B", [(1.0, 100), (2.0, 100), (3.0, 7)])
    drawn = plot_stalls(pl.DataFrame(rows))
    a, b, stalls = drawn.plotly.data
    assert list(a.y) == [100, 0, 100, None, 50]
    assert list(b.y) == [100, 100]
    assert (list(stalls.x), stalls.name) == ([2.0], "A, stalls")
    assert "stalled for 1.00 s; B: 100 IOPS to 100 IOPS, no stall." in drawn.alt
    with pytest.raises(AnalysisError, match="no interval of repeat 2"):
        plot_stalls(pl.DataFrame(rows), repeat=2)


def test_an_interval_that_one_direction_does_not_count_is_a_gap():
    """A sum over a part of the directions would look like a fall."""
    rows = intervals("A", [(1.0, 100), (2.0, 100), (3.0, 100), (4.0, 100)])
    both = pl.DataFrame([{**row, "direction": d} for row in rows for d in ("read", "write")])
    lost = (pl.col("t_s") == 2.0) & (pl.col("direction") == "write")
    counted = both.with_columns(pl.when(~lost).then(pl.col("ios")).alias("ios"))
    found = iops_over_time(counted).frame
    assert found.select("t_s", "iops", "stalled_s").rows() == [(1.0, 200, 0.0), (3.0, 200, 0.0)]
