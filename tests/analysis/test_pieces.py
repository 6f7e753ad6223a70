"""What one piece of evidence answers by itself: the facts beside it, and what must agree."""

import json

import polars as pl
import pytest
from places import TESTS

import perfkit as pk
from perfkit.analysis.pieces import curves
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Reading, measured

FIO = TESTS / "data" / "fio" / "rw75_jsonplus.json"


def reading(**changed):
    """A real result of fio, with other tables in place of its own."""
    found = pk.read(FIO)
    tables = {name: found[name] for name in ("load_points", "job_options")}
    return Reading({**tables, **changed}, found.evidence)


def told(*rows):
    facts = pl.DataFrame(rows, schema=["group", "fact", "value"], orient="row")
    answered = curves.answers(reading(host=measured(facts, "x"))).frame
    return json.loads(answered.row(0, named=True)["facts"])


def test_what_the_hosts_recorded_of_themselves_is_a_fact_each_value_once():
    """Of three hosts two have one kernel; how busy a host was explains no change."""
    found = told(
        ("os", "kernel", "5.14"), ("os", "kernel", "6.1"), ("os", "kernel", "5.14"),
        ("os", "tuned", None), ("host", "memory_free_bytes", "1"),
        ("host", "background_cpu_busy_ratio", "0.1"),
    )  # fmt: skip
    assert found["os.kernel"] == "5.14, 6.1"
    assert {name for name in found if not name.startswith("option.")} == {
        "os.kernel", "tool_version",
    }  # fmt: skip


def test_an_option_of_which_the_load_points_differ_is_no_fact_of_them():
    options = pk.read(FIO)["job_options"].frame
    other = options.with_columns(
        value=pl.when(pl.col("option") == "bs").then(pl.lit("8k")).otherwise("value")
    )
    both = measured(pl.concat([options, other]), "x")
    row = curves.answers(reading(job_options=both)).frame.row(0, named=True)
    assert json.loads(row["facts"]) == {
        "tool_version": "3.33", "option.filename": "data/f1", "option.rwmixread": "75",
        "option.iodepth": "16",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("size", "ratio", "key"),
    [(4096.0, 0.75, (4096, 0.75)), (4300.0, 0.7549, (4096, 0.75)), (4400.0, 0.7551, (4608, 0.76)),
     (100.0, 0.75, (512, 0.75))],
)  # fmt: skip
def test_measured_sizes_and_mixes_agree_in_sectors_and_whole_percents(size, ratio, key):
    """A run's mean size is a little beside the one that was asked for; none is below a sector."""
    iops = pl.col("direction").replace_strict({"read": ratio, "write": 1 - ratio, "total": 1.0})
    points = pk.read(FIO).load_points.frame.with_columns(iops=1000 * iops)
    points = points.with_columns(bw_bytes_per_s=size * pl.col("iops"))
    row = curves.answers(reading(load_points=measured(points, "x"))).frame.row(0, named=True)
    found = json.loads(row["conditions_key"])
    assert (found["read_block_size_bytes"], found["read_ratio"]) == key


def test_of_reads_alone_there_is_one_curve_and_without_points_no_answer():
    points = pk.read(FIO).load_points.frame
    alone = measured(points.filter(pl.col("direction") != "write"), "x")
    assert set(curves.answers(reading(load_points=alone)).frame["direction"]) == {"total"}
    with pytest.raises(AbsentError, match="there are no load points"):
        curves.answers(reading(load_points=measured(points.clear(), "x")))
