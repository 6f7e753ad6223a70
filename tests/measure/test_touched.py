"""The bytes a load touches: the estimate against fio's own log of every I/O."""

import subprocess

import pytest

from perfkit.core.units import GIB
from perfkit.measure.engines.jobfile import point_job
from perfkit.measure.points import planned_points
from perfkit.measure.touched import reused, touched
from perfkit.measure.workloads import named_workload, sweep_spec

MIB = 1 << 20
SMALL = {
    "workload": "mine", "block_size": 4096, "file_size": 8 * MIB, "ioengine": "psync",
    "direct": False, "load": {"numjobs": [1]}, "runtime": 1, "ramp": 0, "repeats": 1,
}  # fmt: skip


def logged(folder, spec, ios):
    """The blocks of each job of a point as fio writes them down, jobs in sections of their own."""
    for name in ("a", "b"):
        with (folder / name).open("wb") as file:
            file.truncate(8 * MIB)
    [point] = planned_points(spec)
    names = "a:b" if spec.files > 1 else "a"
    text = point_job(spec, point, names).replace("time_based=1\n", "")
    head, load = text.replace("group_reporting=1\n", "").split("[load]\n")
    load = load.replace(f"numjobs={point.load}", "numjobs=1") + f"number_ios={ios}\nio_size=1g\n"
    jobs = [f"[job{n}]\n{load}write_iolog=io{n}.log\n" for n in range(point.load)]
    (folder / "job.fio").write_text(head + "".join(jobs))
    subprocess.run(["fio", "job.fio", "--output=/dev/null"], cwd=folder, check=True)
    found = []
    for log in sorted(folder.glob("io*.log")):
        lines = [line.split() for line in log.read_text().splitlines()]
        found.append({(line[1], line[3]) for line in lines if line[2:3] == ["read"]})
    return found


@pytest.mark.slow
@pytest.mark.parametrize("distribution", [None, "hot:80/20", "zipf:1.2", "zipf:0.8", "pareto:0.2"])
def test_the_estimate_is_near_what_fio_logged(distribution, tmp_path):
    """Four jobs, each of which has hot blocks of its own where the distribution is skewed."""
    fields = {"distribution": distribution} if distribution else {}
    spec = sweep_spec({**SMALL, **fields, "load": {"numjobs": [4]}})
    jobs = logged(tmp_path, spec, 1000)
    found = touched(spec, planned_points(spec)[0], 4000 * 4096)
    assert found.estimated
    assert found.unique_bytes == pytest.approx(4096 * len(set().union(*jobs)), rel=0.08)
    assert found.job_bytes == pytest.approx(1024 * sum(map(len, jobs)), rel=0.08)


@pytest.mark.slow
def test_files_of_a_target_are_touched_alike_and_in_full(tmp_path):
    spec = sweep_spec({**SMALL, "files": 2})
    [blocks] = logged(tmp_path, spec, 4000)
    found = touched(spec, planned_points(spec)[0], 4000 * 4096)
    assert found.unique_bytes == pytest.approx(4096 * len(blocks), rel=0.03)
    each = [sum(name == file for name, _ in blocks) for file in ("a", "b")]
    assert each[0] == pytest.approx(each[1], rel=0.05)
    assert max(int(at) for _, at in blocks) > 7 * MIB


def test_exact_cases():
    one = named_workload("oltp-select", file_size="1 MiB", block_size="1 MiB", load={"iodepth": 1})
    found = touched(one, planned_points(one)[0], 10 << 20)
    # ten I/Os on one block
    assert (found.unique_bytes, found.repeat_ratio) == (MIB, pytest.approx(0.9))
    streams = named_workload("sas-sequential", file_size="64 MiB", load={"numjobs": [4]})
    found = touched(streams, planned_points(streams)[0], 32 * MIB)
    assert (found.unique_bytes, found.job_bytes, found.repeat_ratio) == (32 * MIB, 8 * MIB, 0)
    found = touched(streams, planned_points(streams)[0], 640 * MIB)
    assert (found.unique_bytes, found.job_bytes) == (64 * MIB, 16 * MIB)
    normal = sweep_spec({**SMALL, "distribution": "normal:20"})
    assert touched(normal, planned_points(normal)[0], GIB).unique_bytes is None


@pytest.mark.parametrize(
    ("cache", "io_gib", "expected"),
    [("4 GiB", 40, 1), ("4 GiB", 1, 0), ("1 MiB", 40, 0), ("200 GiB", 40, 0), (None, 40, 0)],
)
def test_most_io_on_blocks_that_fit_into_a_cache_is_a_caution(cache, io_gib, expected):
    """40 GiB of I/O, 95% of it to 1% of 100 GiB: what is touched is about 3 GiB."""
    cached = {"array_cache": cache} if cache else {}
    spec = named_workload("oltp-select", file_size="100 GiB", distribution="hot:95/1", **cached)
    found = [noted.text for noted in reused(spec, planned_points(spec)[0], io_gib * GIB, None)]
    assert len(found) == expected
    for text in found:
        assert text.startswith("93% of the I/O of the load went to blocks that it had touched")
