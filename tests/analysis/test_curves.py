"""The latency curve: means and intervals over repeats, percentiles only from histograms."""

from __future__ import annotations

import math
import statistics

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import t

import perfkit as pk
from perfkit.analysis.curves.curves import (
    ONE_REPEAT,
    TWO_REPEATS,
    curve_and_repeats,
    latency_curve,
)
from perfkit.analysis.curves.series import SERIES, series_labels
from perfkit.core.errors import AnalysisError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import reading


def test_mean_and_interval_are_students_over_the_repeats(table):
    rows = [{"load": 1, "repeat": r, "iops": x} for r, x in ((1, 90.0), (2, 100.0), (3, 110.0))]
    curve = latency_curve(table(rows)).frame
    logs = [math.log(x) for x in (90.0, 100.0, 110.0)]
    half = t.ppf(0.975, 2) * statistics.stdev(logs) / math.sqrt(3)
    row = curve.row(0, named=True)
    assert (row["iops"], row["repeats"], row["interval_mark"]) == (100.0, 3, None)
    assert row["iops_low"] == pytest.approx(100 * math.exp(-half))
    assert row["iops_high"] == pytest.approx(100 * math.exp(half))


def test_one_repeat_has_no_interval_and_says_so(system):
    curve = latency_curve(system(repeats=1)).frame
    assert curve["interval_mark"].unique().to_list() == [ONE_REPEAT]
    assert curve["iops_low"].null_count() == curve["lat_mean_s_high"].null_count() == 6


def test_two_repeats_have_an_interval_and_a_mark(system):
    curve = latency_curve(system(repeats=2)).frame
    assert curve["interval_mark"].unique().to_list() == [TWO_REPEATS]
    assert curve["iops_low"].null_count() == 0


def test_percentiles_of_several_repeats_are_null_without_a_histogram(system):
    curve = latency_curve(system(repeats=3)).frame
    assert curve["lat_p99_s"].null_count() == curve["lat_p99_s_low"].null_count() == 6


def test_the_percentile_of_one_repeat_stands_as_reported(table):
    curve = latency_curve(table([{"load": 1, "lat_p99_s": 0.003}])).frame
    assert curve["lat_p99_s"].to_list() == [0.003]


def test_a_percentile_comes_from_the_merged_histogram_not_from_an_average(table, histogram):
    """99 fast I/Os and 1 slow in one repeat, 100 fast in the other: p99 of 200 is fast."""
    points = table([{"load": 1, "repeat": 1, "lat_p99_s": 0.001, "percentiles_of": "clat"},
                    {"load": 1, "repeat": 2, "lat_p99_s": 0.003, "percentiles_of": "clat"},
                    ])  # fmt: skip
    bins = histogram([(1, 1, 0.001, 99), (1, 1, 0.1, 1), (1, 2, 0.001, 100)])
    row = latency_curve(points, bins).frame.row(0, named=True)
    assert row["lat_p99_s"] == 0.001
    assert row["lat_p999_s"] == 0.1
    assert row["lat_p99_s_low"] < 0.002 < row["lat_p99_s_high"]


def test_an_interval_of_percentiles_needs_repeats_of_the_same_latency(table, histogram):
    """The pooled value stands; an interval over percentiles of another latency would be wrong."""
    points = table([{"load": 1, "repeat": r, "lat_p99_s": 0.001, "percentiles_of": "lat"}
                    for r in (1, 2)])  # fmt: skip
    bins = histogram([(1, 1, 0.001, 100), (1, 2, 0.001, 100)])
    row = latency_curve(points, bins).frame.row(0, named=True)
    assert (row["lat_p99_s"], row["percentiles_of"]) == (0.001, "clat")
    assert row["lat_p99_s_low"] is None


def test_a_repeat_has_percentiles_where_they_are_of_the_latency_of_its_load_point(table, histogram):
    points = table([{"load": 1, "repeat": r, "lat_p99_s": r / 1000, "percentiles_of": kind}
                    for r, kind in ((1, "lat"), (2, "clat"))])  # fmt: skip
    bins = histogram([(1, 1, 0.001, 100), (1, 2, 0.001, 100)])
    ((row, runs),) = curve_and_repeats(points, bins, "total")
    assert row["percentiles_of"] == "clat"
    assert [run["lat_p99_s"] for run in runs] == [None, 0.002]


def test_the_histogram_of_the_latency_of_the_mean_comes_first(table, histogram):
    """lat before clat: a mean and a percentile should be of one quantity."""
    points = table([{"load": 1, "lat_p50_s": 0.5}])
    clat = histogram([(1, 1, 0.001, 9)])
    bins = pl.concat([clat, clat.with_columns(kind=pl.lit("lat"), value_s=pl.lit(0.002))])
    row = latency_curve(points, bins).frame.row(0, named=True)
    assert (row["lat_p50_s"], row["percentiles_of"]) == (0.002, "lat")


def test_a_histogram_that_lacks_a_repeat_gives_no_percentile(table, histogram):
    points = table([{"load": 1, "repeat": r, "lat_p99_s": 0.001} for r in (1, 2)])
    curve = latency_curve(points, histogram([(1, 1, 0.001, 100)])).frame
    assert curve["lat_p99_s"].to_list() == [None]


def test_the_total_histogram_is_the_sum_of_the_directions_where_there_is_no_own(table, histogram):
    points = table([{"load": 1, "lat_p50_s": 0.5}])
    bins = pl.concat([histogram([(1, 1, 0.001, 1)], "read"), histogram([(1, 1, 0.01, 99)], "write"),
                      histogram([(1, 1, 9.0, 999)], "sync")])  # fmt: skip
    assert latency_curve(points, bins).frame["lat_p50_s"].to_list() == [0.01]


def test_a_metric_missing_in_one_repeat_is_null(table):
    points = table([{"load": 1, "repeat": 1, "iops": 10.0, "lat_mean_s": 0.1},
                    {"load": 1, "repeat": 2, "iops": 12.0, "lat_mean_s": None}])  # fmt: skip
    row = latency_curve(points).frame.row(0, named=True)
    assert (row["iops"], row["lat_mean_s"], row["lat_mean_s_low"]) == (11.0, None, None)


def test_hosts_add_up_and_their_latency_pools_by_count(table):
    points = table([
        {"load": 1, "host": "a", "iops": 100.0, "ios": 100, "lat_mean_s": 0.001, "in_flight": 1},
        {"load": 1, "host": "b", "iops": 300.0, "ios": 300, "lat_mean_s": 0.003, "in_flight": 1},
    ])  # fmt: skip
    row = latency_curve(points).frame.row(0, named=True)
    assert (row["iops"], row["ios"], row["in_flight"], row["repeats"]) == (400.0, 400, 2.0, 1)
    assert row["lat_mean_s"] == pytest.approx(0.0025)
    assert row["lat_p99_s"] is None


def test_a_host_that_is_missing_at_one_load_is_an_error(table):
    points = table([{"load": 1, "host": "a"}, {"load": 1, "host": "b"}, {"load": 2, "host": "a"}])
    with pytest.raises(AnalysisError, match=r"load 2.*no result of host b"):
        latency_curve(points)


def test_two_rows_that_nothing_tells_apart_are_an_error(table):
    with pytest.raises(AnalysisError, match=r"load 1.*two results for one load point"):
        latency_curve(table([{"load": 1, "repeat": None}, {"load": 1, "repeat": None}]))


@pytest.mark.parametrize(
    ("metric", "value"),
    [("lat_mean_s", 0.0), ("lat_p99_s", -1.0), ("iops", math.inf), ("iops", -1.0),
     ("lat_mean_s", math.nan)],
)  # fmt: skip
def test_a_number_that_nothing_can_measure_is_an_error(table, metric, value):
    with pytest.raises(AnalysisError, match=f"load 4.*{metric}"):
        latency_curve(table([{"load": 4, metric: value}]))


def test_no_load_is_an_error(table):
    with pytest.raises(AnalysisError, match="no load"):
        latency_curve(table([{"load": None}]))


def test_an_unknown_direction_names_the_known(system):
    with pytest.raises(AnalysisError, match=r"'write'.*total"):
        latency_curve(system(), direction="write")


def test_a_missing_column_is_named(system):
    with pytest.raises(AnalysisError, match="no column 'iops'"):
        latency_curve(system().drop("iops"))


@pytest.mark.slow
@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(order=st.permutations(range(18)))
def test_the_order_of_the_rows_does_not_matter(system, order):
    points = system()
    assert latency_curve(points[list(order)]).frame.equals(latency_curve(points).frame)


def test_workloads_stand_in_the_order_in_which_they_are_given(table):
    """Not by their names: a study states them from mix to mix. Loads still rise."""
    mixes = ["100% SELECT", "75% SELECT", "100% UPDATE"]
    rows = [{"workload": mix, "load": load} for mix in mixes for load in (8, 2)]
    curve = latency_curve(table(rows)).frame
    assert curve.select("workload", "load").rows() == [
        (mix, load) for mix in mixes for load in (2, 8)
    ]


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(values=st.lists(st.none() | st.floats(0.1, 1e6), min_size=1, max_size=5))
def test_absent_is_null_never_nan(table, values):
    rows = [{"load": 1, "repeat": i, "iops": x} for i, x in enumerate(values, 1)]
    frame = latency_curve(table(rows)).frame
    floats = frame.select(
        pl.col(pl.Float64).is_nan().any() | pl.col(pl.Float64).is_infinite().any()
    )
    assert not any(floats.row(0))
    assert (frame["iops"][0] is None) == (None in values)


def test_the_chain_goes_back_to_the_evidence(system):
    given_ = reading("test.read", 1, {"load_points": system()}, Evidence("k", "f.json", "00"))
    curve = latency_curve(given_.load_points)
    assert curve.traceable
    assert [s.function for s in curve.lineage.steps][-1] == "curve.latency"
    assert curve.lineage.steps[-1].inputs == (given_.load_points.hash,)
    assert not latency_curve(system()).traceable


def test_a_curve_without_labels_is_called_the_workload():
    rows = [dict.fromkeys(("system", "config", "workload", "load_kind", "direction"))] * 2
    assert series_labels(rows) == ["the workload"] * 2
    assert series_labels([rows[0], {**rows[0], "system": "A"}]) == ["the workload", "A"]
    named = {**rows[0], "workload": "scan"}
    assert series_labels([named, {**named, "system": "A"}]) == ["scan", "A"]
    # of a folder's own files and those of a folder in it, which are all of one workload
    own = {**named, "system": "A"}
    assert series_labels([own, {**own, "config": "direct"}]) == ["A", "direct"]


def test_a_curve_is_called_by_what_is_held_even_where_all_hold_the_same():
    """Iodepth 64 of 8 jobs is 512 I/Os in flight: the depth alone is not the load."""
    row = {"workload": "scan", "load_kind": "iodepth", "held_kind": "numjobs", "held": 8.0}
    assert series_labels([row]) == ["scan, 8 jobs"]
    assert series_labels([{**row, "system": name} for name in "AB"]) == ["A, 8 jobs", "B, 8 jobs"]
    assert series_labels([{**row, "held": jobs} for jobs in (1.0, 8.0)]) == ["1 job", "8 jobs"]


@pytest.mark.parametrize(("configs", "labels"), [
    (["long-folder-of-tests/2026/run_4k_qd1", "long-folder-of-tests/2026/run_4k_qd2"],
     ["run_4k_qd1", "run_4k_qd2"]),
    (["RW_50__ENGINE_libaio__FILESIZE_100G", "RW_0__ENGINE_libaio__FILESIZE_100G"],
     ["RW_50", "RW_0"]),  # not "50": of what, the word says
    (["measured_on_the_new_array_at_4_kib_a", "measured_on_the_new_array_at_8_kib_a"],
     ["at_4_kib", "at_8_kib"]),
    (["fcp/randread", "fcp/randwrite"], ["fcp/randread", "fcp/randwrite"]),  # short enough
    (["same-beginning-of-a-long-name-that", "same-beginning-of-a-long-name-that/x"],
     ["that", "that/x"]),
])  # fmt: skip
def test_of_long_names_a_curve_has_the_part_that_differs(configs, labels):
    point = dict.fromkeys(SERIES)
    assert series_labels([{**point, "config": name} for name in configs]) == labels


def test_a_sentence_about_a_curve_without_labels_begins_with_a_capital(table):
    none = dict.fromkeys(("system", "config", "workload", "load_kind"))
    (said,) = pk.say(pk.peak(table([{"load": 1, "repeat": 1, "iops": 90.0, **none}])))
    assert said.text.startswith("The workload gave at least 90.0 IOPS")
