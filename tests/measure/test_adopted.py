"""A fio job file of the user's: its options as fields, and what is refused by its line."""

import pytest

from perfkit.core.errors import PerfkitError
from perfkit.measure.engines.fio_options import ALLOWED
from perfkit.measure.workloads import sweep_spec
from perfkit.study.opening import open_study

JOB = """; made by a colleague
[global]
ioengine=libaio
direct=1
bssplit=8k/70:64k/30
size=1g
runtime=60
time_based
ramp_time=5s
group_reporting
random_distribution=zipf:1.2
buffer_compress_percentage=50
buffer_compress_chunk=4k
offset=1g
prioclass=2
[load]
rw=randrw
rwmixread=70
thinktime=0
fsync=16
numjobs=4
iodepth=8
"""
GIB = 1 << 30


@pytest.fixture
def job(tmp_path):
    def written(text):
        path = tmp_path / "my job.fio"
        path.write_text(text)
        return path

    return written


def test_a_job_is_a_sweep_of_one_load(job):
    spec = sweep_spec({"job_file": job(JOB)})
    assert spec.record() == sweep_spec({
        "workload": "my-job", "ioengine": "libaio", "direct": True,
        "block_mix": "8k/70:64k/30", "file_size": 2 * GIB, "region": {"start": GIB, "size": GIB},
        "runtime": 60, "ramp": 5, "distribution": "zipf:1.2", "pattern": "random",
        "data": {"compress_percent": 50, "compress_chunk": 4096}, "read_percent": 70,
        "fsync_every": 16, "numjobs": 4, "load": {"iodepth": [8]},
        "fio_options": {"prioclass": 2},
    }).record() | {"job_file": "my job.fio"}  # fmt: skip


def test_what_the_job_does_not_say_is_as_fio_has_it(job):
    spec = sweep_spec({"job_file": job("[j]\nsize=1m\n")})
    assert (spec.pattern, spec.read_percent, spec.block_size) == ("sequential", 100, 4096)
    assert (spec.ioengine, spec.direct, spec.ramp_s, spec.load.points) == ("psync", False, 0, (1,))
    mixed = sweep_spec({"job_file": job("[j]\nsize=1m\nrw=randrw\n")})
    assert mixed.read_percent == 50
    assert (
        sweep_spec({"job_file": job("[j]\nsize=1m\nrw=randrw\nrwmixwrite=20\n")}).read_percent == 80
    )


def test_a_job_that_trims_and_where_it_runs(job):
    text = "[j]\nsize=1m\nrw=randtrim\nnuma_cpu_nodes=0-1\nnuma_mem_policy=bind:1\n"
    spec = sweep_spec({"job_file": job(text)})
    assert (spec.trim, spec.directions, spec.pattern) == (True, ("trim",), "random")
    assert (spec.numa.nodes, spec.numa.memory) == ("0-1", "bind:1")


def test_the_load_and_other_fields_may_be_others(job):
    spec = sweep_spec({"job_file": job(JOB), "load": {"iodepth": [1, 2]}, "runtime": "1s"})
    assert (spec.load.points, spec.numjobs, spec.runtime_s) == ((1, 2), 4, 1)
    paced = sweep_spec({"job_file": job("[j]\nsize=1m\nrw=randread\nrate_iops=500\nnumjobs=2\n")})
    assert (paced.load.kind, paced.load.points) == ("rate_iops", (1000,))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("filename=/etc/passwd", "fio:23: filename: leave it out; --target names what is"),
        ("directory=/home", "fio:23: directory: leave it out"),
        ("exec_prerun=rm x", "fio:23: exec_prerun: not one of the fio options that"),
        ("write_iolog=/tmp/x", "fio:23: write_iolog: not one of"),
        ("loops=2", "fio:23: loops: perfkit sets it itself, from repeats"),
        ("bs=4k,8k", "fio:23: bs: '4k,8k': perfkit uses one block size"),
        ("rw=trimwrite", "fio:23: rw: 'trimwrite' is not measured"),
        ("size=10%", "'10%' is not a size"),
        ("numjobs=x", "fio:23: numjobs: 'x' is not a whole number"),
        ("rate_iops=100", "fio:23: rate_iops: fio holds reads and writes each to it"),
        ("[second]", "fio:23: a second job"),
        (
            "include other.fio",
            "fio:23: 'include other.fio': includes and variables are not read",
        ),
        ("size=${SIZE}", "fio:23: 'size=${SIZE}': includes and variables are not read"),
    ],
)
def test_what_is_refused_names_its_line(job, line, said):
    with pytest.raises(PerfkitError) as refused:
        sweep_spec({"job_file": job(f"{JOB}{line}\n")})
    assert said in str(refused.value)


def test_a_file_that_is_no_job_is_refused(job, tmp_path):
    for path, said in (
        (job("rw=read\n"), "no job: a section such as"),
        (tmp_path / "none.fio", "No such file"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(PerfkitError, match=said):
            sweep_spec({"job_file": path})


def test_a_study_names_one_beside_it(job, tmp_path):
    job(JOB)
    (tmp_path / "study.yml").write_text(
        "format: 1\nreport: {title: Mine}\nnotebook: fio_results\n"
        "run: {job_file: my job.fio, target: .}\n"
    )
    study = open_study(tmp_path)
    assert study.spec.fio_options == {"prioclass": "2"}
    [sweep] = study.target_sweeps(runtime="2s")
    assert sweep.spec.runtime_s == 2


def test_the_page_lists_every_option_that_may_be_set():
    from places import ROOT

    page = (ROOT / "docs/measuring.md").read_text()
    assert [name for name in sorted(ALLOWED) if f"`{name}`" not in page] == []
