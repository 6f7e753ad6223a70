"""Results on no curve: what each did, and what its sentences say of its load."""

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.curves.alone import results_alone
from perfkit.core.answers import from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import measured
from perfkit.core.schema import LOAD_POINTS
from perfkit.sources.files import frame


def points(*rows):
    keys = {"system": "a", "direction": "total", "lat_mean_s": 0.002, "bw_bytes_per_s": 4e6}
    made = frame([{**keys, **row} for row in rows], LOAD_POINTS, "made")
    return measured(made, "load_points")


def test_each_result_answers_for_itself_the_highest_first():
    found = results_alone(
        points({"workload": "w", "iops": 1000.0}, {"workload": "r", "iops": 3000.0})
    )
    assert [(one.subject.label, one.got.value) for one in from_frame(found.frame)] == [
        ("r", 3000.0),
        ("w", 1000.0),
    ]


def test_a_load_point_of_a_curve_and_a_part_of_a_result_are_none():
    on_curve = {"load_kind": "iodepth", "load": 8.0, "iops": 1.0}
    with pytest.raises(AbsentError, match="every result is a load point"):
        results_alone(points(on_curve))
    with pytest.raises(AbsentError, match="no result outside a curve has IOPS"):
        results_alone(points({"iops": 5.0, "direction": "read"}))


def test_what_is_not_known_is_not_said():
    found = results_alone(points({"workload": "w", "iops": 1000.0, "lat_mean_s": None}))
    (told,) = pk.say(found)
    assert told.text == (
        "w gave 1,000 IOPS; its throughput was 4.00 MB/s. The evidence does not say at which load."
    )
    (one,) = pk.finding(found, "result_iops")
    assert one.headline == "w gave 1,000 IOPS."
    assert one.text == "The evidence does not say at which load; its throughput was 4.00 MB/s."


def test_two_results_of_one_load_say_so_and_are_told_apart_by_their_files():
    same = {"workload": "w", "load_kind": "iodepth", "load": 8.0}
    made = points({**same, "iops": 1000.0}, {**same, "iops": 900.0}).frame
    files = measured(made.with_columns(source=pl.Series(["x/1.json", "x/2.json"])), "load_points")
    found = results_alone(files)
    assert [one.headline for one in pk.finding(found, "result_iops")] == [
        "w, 1.json gave 1,000 IOPS, with a mean latency of 2.00 ms.",
        "w, 2.json gave 900 IOPS, with a mean latency of 2.00 ms.",
    ]
    assert "one of several results at iodepth 8" in pk.finding(found, "result_iops")[0].text
