"""The tables of recorded results, number by number as the files have them (checked by hand)."""

import json
from types import SimpleNamespace

import polars as pl
import pytest

from perfkit.core import schema
from perfkit.sources.fio import schema as fio_schema
from perfkit.sources.fio.load import _rates
from perfkit.sources.fio.read import read_fio

TABLES = {
    "load_points": schema.LOAD_POINTS,
    "summary": fio_schema.FIO_SUMMARY,
    "percentiles": fio_schema.FIO_PERCENTILES,
    "histogram": fio_schema.FIO_HISTOGRAM,
    "job_options": fio_schema.FIO_JOB_OPTIONS,
    "disk_util": fio_schema.FIO_DISK_UTIL,
    "job_steady_state": fio_schema.FIO_STEADY_STATE,
    "sync": fio_schema.FIO_SYNC,
}


def row(table, **equal):
    return table.filter(**equal).frame.row(0, named=True)


def test_every_result_gives_the_same_tables_with_their_schemas(fio_data):
    for path in fio_data.glob("*.json"):
        reading = read_fio(path)
        assert list(reading) == list(TABLES)
        for name, table in TABLES.items():
            assert reading[name].frame.schema == pl.Schema(schema.polars_schema(table))


def test_summary_of_a_mixed_run(fio_data):
    summary = read_fio(fio_data / "rw75_jsonplus.json").summary
    assert summary.frame["direction"].to_list() == ["read", "write"]
    assert row(summary, direction="read") == {
        "hostname": None,
        "port": None,
        "job": 0,
        "jobname": "mix75",
        "groupid": 0,
        "error": 0,
        "direction": "read",
        "ios": 48435,
        "short_ios": 0,
        "drop_ios": 0,
        "io_bytes": 198389760,
        "runtime_s": 2.001,
        "iops": 24205.397301,
        "bw_bytes_per_s": 99145307.0,
        "slat_n": 48435,
        "slat_min_s": 2774 / 1e9,
        "slat_max_s": 4078462 / 1e9,
        "slat_mean_s": 12900.967152 / 1e9,
        "slat_stddev_s": 47246.120505 / 1e9,
        "clat_n": 48435,
        "clat_min_s": 1472 / 1e9,
        "clat_max_s": 9971534 / 1e9,
        "clat_mean_s": 462038.998039 / 1e9,
        "clat_stddev_s": 604707.004621 / 1e9,
        "lat_n": 48435,
        "lat_min_s": 60180 / 1e9,
        "lat_max_s": 9975821 / 1e9,
        "lat_mean_s": 474939.96519 / 1e9,
        "lat_stddev_s": 609106.916999 / 1e9,
        "iops_samples": 3,
        "iops_sample_min": 20589.0,
        "iops_sample_max": 27606.0,
        "iops_sample_mean": 23997.666667,
        "iops_sample_stddev": 3512.758508,
        "fio_usr_ratio": pytest.approx(0.024, rel=1e-12),
        "fio_sys_ratio": pytest.approx(0.3315, rel=1e-12),
        "context_switches": 4112,
        "major_faults": 0,
        "minor_faults": 12,
    }


def test_load_points_of_a_mixed_run_and_their_total(fio_data):
    points = read_fio(fio_data / "rw75_jsonplus.json").load_points
    assert points.frame["direction"].to_list() == ["read", "write", "total"]
    read, total = row(points, direction="read"), row(points, direction="total")
    assert read["iops"] == 24205.397301
    assert read["lat_p50_s"] == 252928 / 1e9
    assert read["lat_p95_s"] == 1253376 / 1e9
    assert read["lat_p99_s"] == 3325952 / 1e9
    assert read["lat_p999_s"] == 6586368 / 1e9
    assert read["lat_p9999_s"] == 9895936 / 1e9
    assert read["in_flight"] is None  # reads and writes share the 16
    assert total["workload"] == "mix75"
    assert (total["load_kind"], total["load"], total["in_flight"]) == ("iodepth", 16.0, 16.0)
    assert total["ios"] == 48435 + 16151
    assert total["iops"] == (48435 + 16151) * 1000 / 2001
    assert total["bw_bytes_per_s"] == pytest.approx((198389760 + 66154496) / 2.001, rel=1e-12)
    pooled_ns = (474939.96519 * 48435 + 554035.12055 * 16151) / (48435 + 16151)
    assert total["lat_mean_s"] == pytest.approx(pooled_ns / 1e9, rel=1e-12)
    assert (total["lat_min_s"], total["lat_max_s"]) == (60180 / 1e9, 10087508 / 1e9)


def test_what_the_file_does_not_say_is_null(fio_data):
    points = read_fio(fio_data / "rw75_jsonplus.json").load_points.frame
    for name in ("system", "config", "repeat", "host", "cpu_busy_ratio", "target_iops"):
        assert points[name].null_count() == points.height, name


def test_without_bins_a_total_over_two_directions_has_no_percentiles(fio_data):
    reading = read_fio(fio_data / "rw75.json")
    read, total = (row(reading.load_points, direction=name) for name in ("read", "total"))
    assert read["lat_p99_s"] == 3686400 / 1e9
    assert total["lat_p99_s"] is None
    assert total["lat_mean_s"] is not None
    assert "total: no histogram of latency: percentiles are null" in (reading.evidence.warnings)


def test_merging_reads_and_writes_gives_what_fio_itself_gives_for_both(fio_data):
    """fio wrote the merged direction ("mixed") beside the two: ours must equal it."""
    path = fio_data / "unified_both_jsonplus.json"
    mixed = json.loads(path.read_text())["jobs"][0]["mixed"]
    total = row(read_fio(path).load_points, direction="total")
    percentiles = mixed["clat_ns"]["percentile"]
    for column, key in [
        ("lat_p50_s", "50.000000"),
        ("lat_p95_s", "95.000000"),
        ("lat_p99_s", "99.000000"),
        ("lat_p999_s", "99.900000"),
        ("lat_p9999_s", "99.990000"),
    ]:
        assert total[column] == percentiles[key] / 1e9, column
    assert total["ios"] == mixed["total_ios"] == 1024
    assert total["iops"] == mixed["iops"]
    assert total["lat_mean_s"] == pytest.approx(mixed["lat_ns"]["mean"] / 1e9, rel=1e-9)


def test_only_mixed_reporting_gives_a_total_and_no_direction(fio_data):
    points = read_fio(fio_data / "unified_mixed_jsonplus.json").load_points.frame
    assert points["direction"].to_list() == ["total"]
    assert points["ios"].to_list() == [1024]


def test_jobs_without_group_reporting_are_pooled_with_merged_percentiles(fio_data):
    path = fio_data / "numjobs4_nogroup_jsonplus.json"
    jobs = json.loads(path.read_text())["jobs"]
    total = row(read_fio(path).load_points, direction="total")
    assert total["ios"] == sum(job["read"]["total_ios"] for job in jobs) == 149492
    assert total["iops"] == 149492 * 1000 / 2002
    assert total["lat_p999_s"] == 4046848 / 1e9  # the four jobs alone: 3.36 to 4.42 ms
    assert total["in_flight"] == 16.0
    assert (total["load_kind"], total["load"]) == ("iodepth", 4.0)
    assert (total["held_kind"], total["held"]) == ("numjobs", 4.0)  # four jobs of depth 4


def test_group_reporting_takes_the_run_time_of_the_direction(fio_data):
    """job_runtime is the sum over the four jobs there, 8 s of a 2 s run."""
    reading = read_fio(fio_data / "numjobs4_group_jsonplus.json")
    assert row(reading.load_points, direction="read")["runtime_s"] == 2.001
    assert row(reading.load_points, direction="read")["iops"] == 73090.454773


def test_sections_one_after_the_other_are_load_points_of_their_own(fio_data):
    points = read_fio(fio_data / "two_sections_stonewall.json").load_points.frame
    assert points.select("workload", "direction", "load", "iops").rows() == [
        ("a", "read", 4.0, 27450.0998),
        ("a", "total", 4.0, 27450.0998),
        ("b", "write", 2.0, 15282.858571),
        ("b", "total", 2.0, 15282.858571),
    ]


def test_a_sync_engine_keeps_one_in_flight_and_has_no_submission_latency(fio_data):
    reading = read_fio(fio_data / "randread_psync.json")
    summary, point = row(reading.summary), row(reading.load_points, direction="total")
    assert [summary[f"slat_{x}"] for x in ("n", "min_s", "max_s", "mean_s", "stddev_s")] == (
        [None] * 5
    )
    assert (point["load"], point["in_flight"]) == (1.0, 1.0)  # the file asks for 16
    assert any("queue depth will be capped at 1" in text for text in reading.evidence.warnings)


def test_syncs_are_counted_and_kept_out_of_the_write_latency(fio_data):
    reading = read_fio(fio_data / "fdatasync.json")
    assert reading.sync.frame.select("syncs", "lat_mean_s", "lat_max_s").rows() == [
        (3989, 492385.209827 / 1e9, 20352403 / 1e9)
    ]
    point = row(reading.load_points, direction="write")
    assert point["lat_mean_s"] == 8262.015292 / 1e9
    assert point["in_flight"] is None  # most of the time is in the syncs
    sync = reading.percentiles.filter(direction="sync", percentile=99.0).frame
    assert sync["value_s"].to_list() == [4358144 / 1e9]


def test_a_paced_run_has_its_offered_rate_and_no_depth(fio_data):
    points = read_fio(fio_data / "rate_split_jsonplus.json").load_points.frame
    columns = ("direction", "load_kind", "load", "target_iops", "in_flight")
    assert points.select(columns).rows() == [
        ("read", "rate_iops", 2000.0, 1500.0, None),
        ("write", "rate_iops", 2000.0, 500.0, None),
        ("total", "rate_iops", 2000.0, 2000.0, None),
    ]


def test_percentiles_of_each_kind(fio_data):
    table = read_fio(fio_data / "rw75_jsonplus_all_percentiles.json").percentiles
    assert table.frame["kind"].unique().sort().to_list() == ["clat", "lat", "slat"]
    whole = table.filter(direction="read", kind="clat").frame
    assert whole["percentile"].to_list() == [50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999]
    assert whole["samples"].unique().to_list() == [50803]


def test_histogram_has_each_sample_once_and_its_buckets_do_not_overlap(fio_data):
    table = read_fio(fio_data / "rw75_jsonplus.json").histogram
    reads = table.filter(direction="read", kind="clat").frame
    assert reads["count"].sum() == 48435
    assert (reads["lower_s"][1:] >= reads["upper_s"][:-1]).all()
    assert ((reads["lower_s"] <= reads["value_s"]) & (reads["value_s"] < reads["upper_s"])).all()


def test_percentiles_are_of_the_latency_of_the_mean_where_fio_was_asked_for_them(fio_data):
    """lat (submission to completion) before clat; percentiles_of says which."""
    for name, kind in [
        ("lat_percentiles_only_jsonplus.json", "lat"),
        ("rw75_jsonplus_all_percentiles.json", "lat"),
        ("rw75_jsonplus.json", "clat"),
    ]:
        read = row(read_fio(fio_data / name).load_points, direction="read")
        raw = json.loads((fio_data / name).read_text())["jobs"][0]["read"]
        assert read["lat_p99_s"] == raw[f"{kind}_ns"]["percentile"]["99.000000"] / 1e9, name
        assert read["percentiles_of"] == kind, name


def test_steady_state(fio_data):
    attained = read_fio(fio_data / "steadystate_attained.json")
    assert row(attained.job_steady_state) | {"jobname": "ss"} == {
        "hostname": None,
        "port": None,
        "job": 0,
        "jobname": "ss",
        "groupid": 0,
        "criterion": "iops:30.000000%",
        "duration_s": 3.0,
        "attained": True,
        "measured": "7.942277%",
        "iops_mean": 83733.0,
        "bw_mean_bytes_per_s": 342972923.0,
    }
    missed = read_fio(fio_data / "steadystate_missed.json")
    assert row(missed.job_steady_state)["attained"] is False
    assert any("was not reached" in text for text in missed.evidence.warnings)


def test_disk_utilisation_in_seconds_and_ratios(fio_data):
    disk = row(read_fio(fio_data / "fdatasync.json").disk_util)
    assert disk["device"] == "vda"
    assert (disk["read_ticks_s"], disk["write_ticks_s"], disk["in_queue_s"]) == (
        0.008,
        0.553,
        0.751,
    )
    assert disk["util_ratio"] == pytest.approx(0.2358871, rel=1e-12)


def test_job_options_as_fio_writes_them(fio_data):
    options = read_fio(fio_data / "rw75.json").job_options.frame
    assert options["scope"].unique().to_list() == ["job"]
    assert dict(options.select("option", "value").rows())["rwmixread"] == "75"


def test_labels_fill_the_keys_and_stand_in_the_record(fio_data):
    reading = read_fio(fio_data / "rw75.json", labels={"system": "A", "repeat": 2})
    points = reading.load_points
    assert points.frame["system"].unique().to_list() == ["A"]
    assert points.frame["repeat"].unique().to_list() == [2]
    assert points.lineage.steps[0].arguments == (
        '{"labels":{"$pairs":[["system","A"],["repeat",2]]},"table":"load_points"}'
    )


@pytest.mark.parametrize(
    ("asked", "rates"),
    [("1000", {"read": 1000, "write": 1000, "trim": 1000}), ("1000,500,", None),
     ("1000,500", {"read": 1000, "write": 500}), ("", None)],
)  # fmt: skip
def test_rates_are_of_each_direction_in_fios_order(asked, rates):
    """One rate is that of every direction; one that is left out is not known."""
    assert _rates(SimpleNamespace(options={"rate_iops": asked})) == rates
