"""The runner against the real fio: what a sweep leaves behind, and how it goes on."""

import csv
import hashlib
import json
import os
import shutil
import signal
import threading
from itertools import pairwise

import pytest

from perfkit.core.errors import MissingPartError, RunError, UsageError
from perfkit.measure import progress
from perfkit.measure.engines.engine import find_tool
from perfkit.measure.engines.fio import ENGINE as FIO
from perfkit.measure.points import planned_points
from perfkit.measure.sweep import default_run_id, run_sweep

pytestmark = pytest.mark.slow

POINT_FILES = [
    "command.json",
    "fio.json",
    "host.csv",
    "job.fio",
    "latency-series.csv",
    "point.json",
    "stderr.txt",
    "stdout.txt",
]


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def jobs(run, point):
    return {job["jobname"]: job for job in load(run / "points" / point / "fio.json")["jobs"]}


def test_a_sweep_leaves_its_whole_record(small, target, runs):
    """Everything another person needs to judge the run, and no path, host name or stray file."""
    spec = small("oltp-mixed")
    run = run_sweep(spec, target, runs_dir=runs)
    assert run == runs / default_run_id(spec, target, runs)
    record = load(run / "run.json")
    names = [point.name for point in planned_points(spec)]
    assert record["points_planned"] == names == ["iodepth-1-r1", "iodepth-4-r1"]
    assert (record["format"], record["engine"], record["spec"]) == (1, "fio", spec.record())
    assert record["tool"] == find_tool(FIO).record()
    assert record["target"]["file_bytes"] == 8388608
    assert record["target"]["directory_label"] == "../target"
    for name in names:
        folder = run / "points" / name
        assert sorted(path.name for path in folder.iterdir()) == POINT_FILES
    point = load(run / "points" / "iodepth-4-r1" / "point.json")
    assert {key: point[key] for key in ("accepted", "reason", "exit_code", "order")} == {
        "accepted": True,
        "reason": None,
        "exit_code": 0,
        "order": 2,
    }
    assert (point["closed_loop"], point["in_flight"], point["target_iops"]) == (True, 4, None)
    assert point["expected_directions"] == ["read", "write"]
    assert list(target.iterdir()) == []
    for file in run.rglob("*"):
        if file.is_file():
            assert str(target) not in file.read_text(), file


def test_a_complete_run_returns_at_once_without_fio_or_target(small, target, runs):
    spec = small(load={"iodepth": [1]})
    run = run_sweep(spec, target, runs_dir=runs)
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    target.rmdir()
    assert run_sweep(spec, target, runs_dir=runs, program="no-such-fio") == run
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before


def test_resuming_measures_exactly_the_missing_points(small, target, runs):
    spec = small(load={"iodepth": [1, 2, 4]})
    run = run_sweep(spec, target, runs_dir=runs, run_id="r")
    kept = (run / "points" / "iodepth-1-r1" / "fio.json").read_bytes()
    for path in (run / "points" / "iodepth-2-r1").iterdir():
        path.unlink()
    (run / "points" / "iodepth-2-r1").rmdir()
    heard = []
    run_sweep(spec, target, runs_dir=runs, run_id="r", progress=heard.append)
    started = [event for event in heard if isinstance(event, progress.PointStarted)]
    assert [(event.name, event.number, event.points) for event in started] == [
        ("iodepth-2-r1", 2, 3)
    ]
    assert heard[0] == progress.SweepStarted("r", 3, 2, heard[0].seconds_left, str(run))
    assert heard[-1] == progress.SweepEnded("r", 3, 3, None)
    assert (run / "points" / "iodepth-1-r1" / "fio.json").read_bytes() == kept


def test_a_changed_sweep_does_not_join_an_old_run(small, target, runs):
    run_sweep(small(load={"iodepth": [1]}), target, runs_dir=runs, run_id="r")
    with pytest.raises(RunError, match=r"another load\.points"):
        run_sweep(small(load={"iodepth": [2]}), target, runs_dir=runs, run_id="r")


def test_the_same_label_of_another_directory_does_not_join_an_old_run(small, tmp_path, runs):
    spec = small(load={"iodepth": [1]}, repeats=2)
    for name in ("a", "b"):
        (tmp_path / name / "target").mkdir(parents=True)
    run = run_sweep(spec, tmp_path / "a" / "target", runs_dir=runs, run_id="r")
    (run / "points" / "iodepth-1-r2" / "point.json").unlink()
    with pytest.raises(RunError, match="another target directory_sha256"):
        run_sweep(spec, tmp_path / "b" / "target", runs_dir=runs, run_id="r")
    assert list((tmp_path / "b" / "target").iterdir()) == []


def test_the_target_file_is_laid_out_with_real_data_and_kept_when_asked(small, own, target, runs):
    """A hole, or zeros, would be read without touching the device."""
    spec = small(load={"iodepth": [1]})
    run_sweep(spec, target, runs_dir=runs, keep_target=True)
    file = own()
    data = file.read_bytes()
    blocks = {hashlib.sha256(data[at : at + 4096]).digest() for at in range(0, len(data), 4096)}
    assert len(blocks) == len(data) // 4096
    heard = []
    run_sweep(small(load={"iodepth": [2]}), target, runs_dir=runs, progress=heard.append)
    assert not any(isinstance(event, progress.LayoutProgress) for event in heard)
    assert not file.exists()


def test_the_load_points_of_one_run_differ_in_their_random_offsets(small, target, runs):
    run = run_sweep(small(repeats=2, load={"iodepth": [1]}), target, runs_dir=runs)
    seeds = {
        jobs_file.read_text().partition("randseed=")[2].split()[0]
        for jobs_file in run.glob("points/*/job.fio")
    }
    assert len(seeds) == 2


def test_a_closed_loop_keeps_its_depth(small, target, runs):
    """Little's law on fio's own numbers: IOPS times mean latency is what was asked for."""
    run = run_sweep(small("iris-ranread", load={"numjobs": [4]}), target, runs_dir=runs)
    read = jobs(run, "numjobs-4-r1")["load"]["read"]
    assert read["iops"] * read["lat_ns"]["mean"] / 1e9 == pytest.approx(4, rel=0.1)


def test_streams_read_and_write_at_the_same_time(small, target, runs):
    spec = small("sas-sequential", load={"numjobs": [4]}, file_size="32 MiB")
    run = run_sweep(spec, target, runs_dir=runs)
    load_job = jobs(run, "numjobs-4-r1")["load"]
    for direction in ("read", "write"):
        part = load_job[direction]
        assert part["runtime"] >= 270
        assert 262144 < part["io_bytes"] / part["total_ios"] < 1048576
    assert load(run / "points" / "numjobs-4-r1" / "point.json")["in_flight"] == 16


def test_a_paced_point_reaches_its_total_over_jobs_and_directions(small, target, runs):
    spec = small("oltp-mixed", load={"rate_iops": [1003]}, numjobs=3, iodepth=8, runtime="1s")
    run = run_sweep(spec, target, runs_dir=runs)
    job = jobs(run, "rate_iops-1003-r1")["load"]
    total = job["read"]["iops"] + job["write"]["iops"]
    point = load(run / "points" / "rate_iops-1003-r1" / "point.json")
    assert (point["closed_loop"], point["in_flight"], point["target_iops"]) == (False, None, 1003)
    assert total == pytest.approx(1003, rel=0.03) or point["warnings"]
    assert job["read"]["iops"] / total == pytest.approx(0.8, abs=0.02)


def test_an_epic_like_point_times_each_of_its_drains(small, target, runs):
    """Every drain is a job of its own that wrote all its blocks; the label travels along."""
    spec = small(
        "epic-like",
        load={"rate_iops": [200]},
        drain={"blocks": 100, "period": "400ms"},
        runtime="2s",
    )
    run = run_sweep(spec, target, runs_dir=runs)
    found = jobs(run, "rate_iops-200-r1")
    assert sorted(found) == [
        "drain-001",
        "drain-002",
        "drain-003",
        "drain-004",
        "drain-005",
        "load",
    ]
    assert all(found[name]["write"]["total_ios"] == 100 for name in found if name != "load")
    assert found["load"]["read"]["iops"] == pytest.approx(200, rel=0.05)
    point = load(run / "points" / "rate_iops-200-r1" / "point.json")
    assert (point["cycles"], point["label"]) == (5, "GenIO-like, not GenIO")
    assert load(run / "run.json")["spec"]["label"] == "GenIO-like, not GenIO"


def test_the_host_is_sampled_while_a_point_runs(small, target, runs):
    """Once a second: one sample in 1.2 s, and more where a busy machine stretched the point."""
    run = run_sweep(small(load={"iodepth": [1]}, runtime="1200ms"), target, runs_dir=runs)
    with (run / "points" / "iodepth-1-r1" / "host.csv").open(encoding="ascii") as file:
        rows = [(float(row["t_s"]), float(row["cpu_busy_ratio"])) for row in csv.DictReader(file)]
    times = [0.0, *(time for time, _ in rows)]
    assert len(times) >= 2
    assert all(after - before >= 0.99 for before, after in pairwise(times))
    assert all(0 < busy <= 1 for _, busy in rows)


def test_progress_tells_layout_points_and_end(small, target, runs):
    heard = []
    run_sweep(small(), target, runs_dir=runs, run_id="r", progress=heard.append)
    kinds = [type(event).__name__ for event in heard]
    assert kinds[0] == "SweepStarted"
    assert kinds[-1] == "SweepEnded"
    assert kinds.count("PointAccepted") == 2
    assert progress.LayoutProgress(8388608, 8388608) in heard
    accepted = [event for event in heard if isinstance(event, progress.PointAccepted)]
    assert all(event.iops > 0 and event.lat_mean_s > 0 for event in accepted)
    assert accepted[0].seconds_left > accepted[1].seconds_left == 0


def test_a_broken_progress_does_not_break_the_measurement(small, target, runs):
    def broken(_event):
        raise ValueError

    assert run_sweep(small(), target, runs_dir=runs, progress=broken).is_dir()


def test_the_run_id_depends_on_sweep_and_target_and_not_on_where_we_stand(
    small, tmp_path, monkeypatch
):
    runs = tmp_path / "runs"
    first = default_run_id(small(), tmp_path / "a", runs)
    assert first.startswith("oltp-select-")
    assert first != default_run_id(small(), tmp_path / "b", runs)
    assert first != default_run_id(small(runtime="301ms"), tmp_path / "a", runs)
    monkeypatch.chdir("/")
    assert first == default_run_id(small(), tmp_path / "a", runs)


@pytest.mark.parametrize("run_id", ["../x", "a/b", ".x", "a b"])
def test_a_run_id_is_the_name_of_a_folder(small, target, runs, run_id):
    with pytest.raises(UsageError, match="run id"):
        run_sweep(small(), target, runs_dir=runs, run_id=run_id)


def test_ctrl_c_keeps_the_accepted_points_and_the_next_call_goes_on(small, own, target, runs):
    """Ctrl-C in the second point: the first one stays, nothing half-made, the file is kept."""
    spec = small(load={"iodepth": [1, 2, 4]}, runtime="600ms")

    def interrupt(event):
        if isinstance(event, progress.PointStarted) and event.number == 2:
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()

    with pytest.raises(KeyboardInterrupt):
        run_sweep(spec, target, runs_dir=runs, run_id="r", progress=interrupt)
    points = runs / "r" / "points"
    assert [path.name for path in points.iterdir() if path.name[0] != "."] == ["iodepth-1-r1"]
    assert list((runs / "r" / "rejected").iterdir()) == []
    assert own().exists()
    heard = []
    run_sweep(spec, target, runs_dir=runs, run_id="r", progress=heard.append)
    started = [event.name for event in heard if isinstance(event, progress.PointStarted)]
    assert started == ["iodepth-2-r1", "iodepth-4-r1"]
    assert not any(isinstance(event, progress.LayoutProgress) for event in heard)
    assert list(target.iterdir()) == []


def test_a_fio_named_by_a_relative_path_is_found_from_the_target(
    small, target, runs, tmp_path, monkeypatch
):
    (tmp_path / "fio").symlink_to(shutil.which("fio"))
    monkeypatch.chdir(tmp_path)
    assert run_sweep(small(load={"iodepth": 1}), target, runs_dir=runs, program="./fio").is_dir()


@pytest.mark.parametrize("name", ["no-such-fio", "true"])
def test_no_fio_is_told_with_its_cure_and_nothing_is_written(small, target, runs, name):
    said = "apt install fio" if name == "no-such-fio" else "is not fio"
    with pytest.raises(MissingPartError, match=said):
        run_sweep(small(), target, runs_dir=runs, program=name)
    assert list(target.iterdir()) == []
    assert not runs.exists()
