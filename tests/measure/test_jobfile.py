"""The generated job file: what fio is told, checked option by option."""

from configparser import ConfigParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.measure.engines.jobfile import fio_time, layout_job, point_job
from perfkit.measure.points import planned_points
from perfkit.measure.workloads import WORKLOADS, named_workload


def test_each_load_generators_logs_have_a_name_of_their_own(small):
    """fio's client names a log by its name and the host's address, which two servers may share."""
    spec = small(hosts=("a", "b"))
    texts = [point_job(spec, planned_points(spec)[0], "f", host=host) for host in (0, 1)]
    named = [line for text in texts for line in text.splitlines() if "hist_log=" in line]
    assert named == ["write_hist_log=log-1", "write_hist_log=log-2"]


def job_of(spec, number=0):
    parsed = ConfigParser()
    parsed.read_string(point_job(spec, planned_points(spec)[number], "perfkit-1.dat"))
    return parsed


def test_an_oltp_point_from_first_to_last_line():
    spec = named_workload(
        "oltp-mixed", load={"iodepth": [16]}, file_size="1 GiB", repeats=1, ioengine="libaio"
    )
    assert point_job(spec, planned_points(spec)[0], "perfkit-1073741824.dat") == (
        "[global]\nbs=8192\nioengine=libaio\ndirect=1\nthread=1\n"
        "allow_file_create=0\nrefill_buffers=1\nnorandommap=1\nrandrepeat=0\nrandseed=1809537022\n"
        "lat_percentiles=1\nclat_percentiles=1\npercentile_list=50:95:99:99.9:99.99\n"
        "write_hist_log=log\nlog_hist_msec=1000\nlog_hist_coarseness=3\n\n"
        "[load]\nfilename=perfkit-1073741824.dat\nrw=randrw\nrwmixread=80\nsize=1073741824\nnumjobs=1\niodepth=16\ntime_based=1\n"
        "ramp_time=5s\nruntime=30s\ngroup_reporting=1\n"
    )


def test_options_stand_with_a_value():
    """fio leaves flags without a value out of its JSON."""
    for name in WORKLOADS:
        spec = named_workload(name)
        text = point_job(spec, planned_points(spec)[0], "f")
        assert all("=" in line for line in text.split() if not line.startswith("["))


def test_fio_can_neither_make_a_file_nor_leave_children():
    for name in WORKLOADS:
        job = job_of(named_workload(name))
        assert (job["global"]["allow_file_create"], job["global"]["thread"]) == ("0", "1")


def test_sequential_streams_have_their_own_parts_of_the_file():
    job = job_of(named_workload("sas-sequential", load={"numjobs": [4]}, file_size="1 GiB"))
    part = str(256 * 1024**2)
    assert job["global"]["bsrange"] == "262144-1048576"
    assert dict(job["load"]).items() >= {"rw": "read", "numjobs": "2", "offset": "0"}.items()
    assert job["load"]["offset_increment"] == job["load"]["size"] == part
    assert job["load-2"]["offset"] == str(2 * 256 * 1024**2)
    assert (job["load-2"]["rw"], job["load-2"]["numjobs"]) == ("write", "2")


def test_a_paced_total_is_divided_among_jobs_and_directions():
    spec = named_workload("oltp-mixed", load={"rate_iops": [1003]}, numjobs=4, iodepth=32)
    job = job_of(spec)
    total = 0
    for name in job.sections()[1:]:
        reads, writes = job[name]["rate_iops"].split(",")
        total += int(job[name]["numjobs"]) * (int(reads) + int(writes))
    assert total == 1003


def test_the_drains_of_an_epic_like_point():
    """The k-th drain begins k periods after the ramp and ends when its blocks are written."""
    job = job_of(named_workload("epic-like", drain={"blocks": 10, "period": 80}, ramp=5))
    assert job.sections() == ["global", "load", *(f"drain-00{n}" for n in range(1, 6))]
    assert [job[f"drain-00{n}"]["startdelay"] for n in range(1, 6)] == [
        "5s",
        "85s",
        "165s",
        "245s",
        "325s",
    ]
    drain = job["drain-001"]
    assert (drain["io_size"], drain["rw"], "time_based" in drain) == ("81920", "randwrite", False)
    assert drain["new_group"] == "1"


@pytest.mark.parametrize(("engine", "depth"), [("libaio", "8"), ("psync", "1")])
def test_the_layout_writes_data_that_cannot_be_compressed(engine, depth):
    spec = named_workload("iris-ranread", ioengine=engine, file_size="64 MiB")
    job = ConfigParser()
    job.read_string(layout_job(spec, ("perfkit-67108864.dat", spec.file_size)))
    layout = job["layout"]
    assert (layout["rw"], layout["size"], layout["bs"]) == ("write", "67108864", "1048576")
    assert (layout["refill_buffers"], layout["end_fsync"], layout["iodepth"]) == ("1", "1", depth)


@given(st.integers(1, 10**7))
def test_a_duration_keeps_its_milliseconds(ms):
    text = fio_time(ms / 1000)
    value = int(text[:-2]) if text.endswith("ms") else int(text[:-1]) * 1000
    assert value == ms
