"""The shape of a load against fio's own account: its log of every I/O, and the file itself."""

import hashlib
import json
import re
import subprocess
import time
import zlib
from collections import Counter
from pathlib import Path

import pytest

from perfkit.core.errors import SafetyError, UsageError
from perfkit.measure.engines.jobfile import layout_job, point_job
from perfkit.measure.named_target import NamedTarget
from perfkit.measure.points import planned_points
from perfkit.measure.safety.files import claimed_file
from perfkit.measure.sweep import run_sweep
from perfkit.measure.workloads import named_workload, sweep_spec

MIB = 1 << 20
NODE = Path("/sys/devices/system/node/node0/cpulist")
SMALL = {
    "workload": "mine", "block_size": 4096, "file_size": 16 * MIB, "ioengine": "psync",
    "direct": False, "load": {"numjobs": [1]}, "runtime": 1, "ramp": 0, "repeats": 1,
}  # fmt: skip


def spec_of(**fields):
    return sweep_spec({**SMALL, **fields})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"block_mix": "8k/70:64k/20"}, "block_mix: the shares add up to 90%, not to 100%"),
        ({"block_mix": "8k/100"}, "block_mix: a mix of blocks is written 8k/70:64k/20:256k/10"),
        ({"block_mix": "8k/100:16k/0"}, "block_mix: a block size has a share of 0%"),
        ({"block_mix": "8k/50:8192/50"}, "block_mix: a block size is listed twice"),
        ({"block_mix": "8k/50:12k/50"}, "block_mix: every size is a multiple of the smallest"),
        ({"block_mix": "8x/50:9k/50"}, "block_mix: '8x' is not a size"),
        ({"block_mix": "8k/50:64k/50", "block_size": 4096}, "the smallest of the block_mix is 8"),
        ({"block_mix": "4k/50:8k/50", "block_size_max": 8192}, "block_mix: it cannot be combined "
                                                               "with block"),
        ({"distribution": "zipf:1"}, "distribution: zipf:1: the value lies between 0 and 100"),
        ({"distribution": "zipf"}, "distribution: 'zipf' is not a distribution"),
        ({"distribution": "pareto:1.5"}, "distribution: pareto:1.5: the value lies between 0"),
        ({"distribution": "hot:80"}, "distribution: a hot region is written hot:80/20"),
        ({"distribution": "hot:80/100"}, "distribution: a zone has no space"),
        ({"distribution": "zoned:50/5:30/15"}, "shares of I/Os add up to 80%"),
        ({"distribution": "zipf:1.2", "pattern": "sequential"}, "distribution: sequential streams"),
        ({"region": {"start": "8m", "size": "16m"}}, "region: it ends behind the file_size"),
        ({"region": {"start": 100, "size": "1m"}}, "region: start and size are whole blocks"),
        ({"region": {"size": 512}}, "region.size: 512 B is smaller than one block"),
        ({"think_time": "1ms", "load": {"iodepth": [2]}, "ioengine": "libaio", "direct": True},
         "think_time: a job that pauses has one I/O in flight; raise numjobs"),
        ({"fsync_every": 4}, "fsync_every: the load writes nothing"),
        ({"data": {"dedupe_percent": 101}}, "data.dedupe_percent: "),
        ({"data": {"compress_chunk": 4096}}, "data.compress_chunk: it needs compress_percent"),
        ({"data": {"compress_percent": 50, "compress_chunk": "8k"}}, "it is larger than a block"),
        ({"data": {"dedup": 1}}, "data.dedup: no such field"),
        ({"cpus": "3-1"}, "cpus: 3-1 is a descending range"),
        ({"cpus": "all"}, "cpus: logical CPUs are written 0-3,8"),
        ({"fio_options": {"bs": "8k"}}, "bs: perfkit sets it itself, from block_size"),
        ({"fio_options": {"filename": "/etc/x"}}, "filename: perfkit sets it itself"),
        ({"fio_options": {"exec_prerun": "rm"}}, "exec_prerun: not one of the fio options"),
        ({"fio_options": {"hipry": 1}}, "did you mean 'hipri'?"),
        ({"fio_options": {"hipri": "1\nfilename=x"}}, "hipri: '1\\nfilename=x' is not a value"),
        ({"fio_options": ["hipri"]}, "fio_options: fio's options are written {hipri: 1"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_field(fields, said):
    with pytest.raises(UsageError) as refused:
        spec_of(**fields)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"distribution": "zipf:1.2"}, {"region": {"size": "1m"}}, {"think_time": "1ms"},
        {"fsync_every": 8}, {"block_mix": "8k/50:64k/50"}, {"fio_options": {"nice": 1}},
        {"data": {"dedupe_percent": 10}},
    ],
)  # fmt: skip
def test_what_elbencho_cannot_do_names_the_tool_that_can(fields):
    load = {"load": {"numjobs": [1]}} if "think_time" in fields else {}
    with pytest.raises(UsageError) as refused:
        named_workload("oltp-update", engine="elbencho", **load, **fields)
    assert "use fio" in str(refused.value)
    assert str(refused.value).startswith(next(iter(fields)))


def test_plain_sweeps_keep_the_record_that_they_had():
    """Their runs of earlier versions resume and compare."""
    spec = named_workload("oltp-select", ioengine="libaio")
    assert spec.sha256() == "e8e189f0cea08f4a02fa9357ec9223a669cf567bd85d912f061b7a73e6033807"
    assert spec_of(distribution="hot:80/20").record()["distribution"] == "zoned:80/20:20/80"


def logged(folder, spec, ios):
    """Each I/O of a point's load as fio writes it down: (offset, bytes)."""
    text = point_job(spec, planned_points(spec)[0], "target")
    text += f"write_iolog=io.log\nnumber_ios={ios}\nio_size=1g\n"
    fio(folder, text.replace("time_based=1\n", ""))
    lines = [line.split() for line in (folder / "io.log").read_text().splitlines()]
    return [(int(line[3]), int(line[4])) for line in lines if line[2:3] in (["read"], ["write"])]


def fio(folder, text):
    with (folder / "target").open("ab") as file:
        file.truncate(16 * MIB)
    (folder / "job.fio").write_text(text)
    done = subprocess.run(
        ["fio", "--output-format=json", "job.fio"], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout[done.stdout.index("{") :])


@pytest.mark.slow
def test_fio_s_log_shows_the_mix_and_the_hot_region(tmp_path):
    region = {"start": "4m", "size": "8m"}
    spec = spec_of(block_mix="4k/70:16k/20:64k/10", distribution="hot:80/20", region=region)
    done = logged(tmp_path, spec, 4000)
    assert len(done) == 4000
    shares = Counter(size for _, size in done)
    # three standard deviations of a share of 4,000 are at most 2.2%
    assert {size: shares[size] / 4000 for size in shares} == pytest.approx(
        {4096: 0.7, 16384: 0.2, 65536: 0.1}, abs=0.022
    )
    assert min(offset for offset, _ in done) >= 4 * MIB
    assert max(offset + size for offset, size in done) <= 12 * MIB
    hot = sum(offset < 4 * MIB + 0.2 * 8 * MIB for offset, _ in done)
    assert hot / 4000 == pytest.approx(0.8, abs=0.02)


@pytest.mark.slow
def test_fio_counts_the_syncs_and_a_pausing_job_is_as_slow_as_asked(tmp_path):
    spec = spec_of(read_percent=0, fsync_every=4, think_time="2ms", runtime=1)
    [job] = fio(tmp_path, point_job(spec, planned_points(spec)[0], "target"))["jobs"]
    writes = job["write"]["total_ios"]
    assert job["sync"]["total_ios"] == pytest.approx(writes / 4, abs=2)
    assert job["write"]["iops"] < 1 / 0.002


def blocks(path, size):
    content = path.read_bytes()
    return [content[at : at + size] for at in range(0, len(content), size)]


@pytest.mark.slow
def test_the_layout_repeats_and_compresses_as_the_load_does(tmp_path):
    data = {"dedupe_percent": 30, "compress_percent": 50}
    fio(tmp_path, layout_job(spec_of(data=data, read_percent=0), ("target", 16 * MIB)))
    found = blocks(tmp_path / "target", 4096)
    unique = {hashlib.sha256(block).digest() for block in found}
    # three standard deviations of a share of 4,096 blocks
    assert 1 - len(unique) / len(found) == pytest.approx(0.3, abs=0.022)
    kept = [len(zlib.compress(block, 1)) / 4096 for block in found]
    assert sum(kept) / len(kept) == pytest.approx(0.5, abs=0.03)


@pytest.mark.slow
def test_the_target_is_filled_by_the_blocks_that_were_asked_for(tmp_path):
    text = layout_job(spec_of(fill_block="128k", fills=2), ("target", 16 * MIB))
    fio(tmp_path, text + "write_iolog=io.log\n")
    lines = [line.split() for line in (tmp_path / "io.log").read_text().splitlines()]
    done = [(int(line[3]), int(line[4])) for line in lines if line[2:3] == ["write"]]
    assert done == [(at, 128 * 1024) for at in range(0, 16 * MIB, 128 * 1024)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "where"), [({"cpus": "0"}, None), ({"numa": {"nodes": "0"}}, NODE)]
)
def test_jobs_run_where_the_kernel_says_that_they_may(tmp_path, fields, where):
    """As the kernel lists it for each of fio's threads."""
    wanted = where.read_text().strip() if where else "0"
    spec = spec_of(**fields, runtime=20, load={"numjobs": [2]})
    with (tmp_path / "target").open("ab") as file:
        file.truncate(16 * MIB)
    (tmp_path / "job.fio").write_text(point_job(spec, planned_points(spec)[0], "target"))
    process = subprocess.Popen(["fio", "job.fio"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        allowed = []
        while allowed.count(wanted) < 2 and process.poll() is None:
            time.sleep(0.1)
            tasks = Path(f"/proc/{process.pid}/task").glob("*/status")
            said = [task.read_text() for task in tasks]
            allowed = [re.search(r"Cpus_allowed_list:\t(.*)", text)[1] for text in said]
    finally:
        process.kill()
        process.wait()
    assert allowed.count(wanted) >= 2, allowed


@pytest.mark.slow
def test_no_block_is_written_twice_by_fills_hosts_and_jobs(tmp_path):
    """An array that stores equal blocks once would measure less than was written."""
    seen = set()
    spec = spec_of(read_percent=0)
    file, hosts_and_fills = ("target", 16 * MIB), ((0, 0), (1, 0), (0, 1))
    texts = [layout_job(spec, file, host=h, fill=f) for h, f in hosts_and_fills]
    parts = {"read_percent": 0, "pattern": "sequential", "load": {"numjobs": [2]}}
    streams = spec_of(**parts, runtime=20)
    text = point_job(streams, planned_points(streams)[0], "target")
    texts.append(text.replace("time_based=1\n", ""))
    for text in texts:
        fio(tmp_path, text)
        found = {hashlib.sha256(block).digest() for block in blocks(tmp_path / "target", 4096)}
        assert len(found) == 4096
        assert not found & seen
        seen |= found


@pytest.mark.slow
def test_fio_refuses_a_value_before_anything_is_touched(tmp_path):
    spec = spec_of(fio_options={"prioclass": 9})
    with pytest.raises(UsageError, match="fio does not take this sweep: prioclass: max value out"):
        run_sweep(spec, tmp_path, runs_dir=tmp_path / "runs")
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_other_data_is_not_measured(tmp_path):
    """A sweep that was stopped left one that repeats no block."""
    spec = spec_of(data={"dedupe_percent": 30})
    assert (spec_of().content, spec.content) == ("", "-d30c0b4096k4096")
    with claimed_file(tmp_path, MIB, direct=False) as plain:
        assert plain.path.name == "perfkit-1048576.dat"
    with claimed_file(tmp_path, MIB, direct=False, content=spec.content) as other:
        assert other.path.name == "perfkit-1048576-d30c0b4096k4096.dat"
        assert other.path.parent != plain.path.parent


def test_a_device_that_is_only_read_holds_what_it_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(NamedTarget, "on_device", property(lambda _: True))
    target = NamedTarget(spec_of(data={"compress_percent": 50}), tmp_path, "d", (), None)
    with pytest.raises(SafetyError, match="data asks for the device to be written, which nobody"):
        target.check_fills()


def test_jobs_that_pause_keep_no_known_number_in_flight():
    spec = spec_of(think_time="1ms", load={"numjobs": [8]})
    [point] = planned_points(spec)
    assert point.in_flight(spec) is None
    assert point.target_iops() is None
