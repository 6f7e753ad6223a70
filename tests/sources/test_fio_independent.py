"""A second, naive reading of the same files with nothing but json: the numbers must agree."""

import json

import pytest

from perfkit.sources.fio.read import read_fio

FILES = (
    "rw75.json",
    "rw75_jsonplus.json",
    "rw75_jsonplus_all_percentiles.json",
    "numjobs4_group_jsonplus.json",
    "numjobs4_nogroup_jsonplus.json",
    "two_sections_stonewall.json",
    "steadystate_attained.json",
    "rate_split_jsonplus.json",
    "fdatasync.json",
)


@pytest.mark.parametrize("name", FILES)
def test_summary_agrees_with_a_naive_reading(fio_data, name):
    jobs = json.loads((fio_data / name).read_text())["jobs"]
    naive = [
        (
            job["jobname"],
            direction,
            job[direction]["total_ios"],
            job[direction]["io_bytes"],
            job[direction]["iops"],
            job[direction]["clat_ns"]["max"] * 1e-9,
            job[direction]["lat_ns"]["mean"] * 1e-9,
        )
        for job in jobs
        for direction in ("read", "write", "trim")
        if job[direction]["total_ios"] > 0
    ]
    ours = read_fio(fio_data / name).summary.frame.select(
        "jobname", "direction", "ios", "io_bytes", "iops", "clat_max_s", "lat_mean_s"
    )
    assert len(naive) == ours.height
    for left, right in zip(naive, ours.rows(), strict=True):
        assert left[:5] == right[:5]
        assert left[5:] == pytest.approx(right[5:], rel=1e-12)


@pytest.mark.parametrize("name", [name for name in FILES if "jsonplus" in name])
def test_merged_percentiles_agree_with_a_sorted_list_of_all_samples(fio_data, name):
    """Naive: every sample written out, all jobs and directions together, sorted, counted off."""
    jobs = json.loads((fio_data / name).read_text())["jobs"]
    asked = any("bins" in job["read"]["lat_ns"] for job in jobs)
    samples = sorted(
        int(value)
        for job in jobs
        for direction in ("read", "write")
        for value, count in job[direction]["lat_ns" if asked else "clat_ns"].get("bins", {}).items()
        for _ in range(count)
    )
    total = read_fio(fio_data / name).load_points.filter(direction="total").frame.row(0, named=True)
    for column, per_mille in [("lat_p50_s", 500), ("lat_p99_s", 990), ("lat_p999_s", 999)]:
        rank = -(-len(samples) * per_mille // 1000)
        assert total[column] == samples[rank - 1] / 1e9, column
