"""Faults with the real fio: one clear line, nothing accepted, nothing left running or half made."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import psutil
import pytest
from waiting import wait_for

from perfkit.core.errors import RunError, SafetyError
from perfkit.measure import progress
from perfkit.measure.engines import fio as fio_module
from perfkit.measure.safety import files as safety
from perfkit.measure.sweep import run_sweep

pytestmark = pytest.mark.slow

SIZE = 8388608


def fio_on(directory):
    """The fio processes of the runs beside a target directory: each works in its point's folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.name() == "fio" and process.cwd().startswith(str(directory.parent)):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def accepted(runs):
    return [path.name for path in (runs / "r" / "points").iterdir() if path.name[0] != "."]


def test_a_missing_target_is_refused_and_no_folder_is_made(small, tmp_path, runs):
    with pytest.raises(SafetyError, match="no such directory"):
        run_sweep(small(), tmp_path / "missing", runs_dir=runs)
    assert not runs.exists()
    assert not (tmp_path / "missing").exists()


def test_a_target_without_room_is_refused_and_leaves_nothing(small, target, runs, monkeypatch):
    monkeypatch.setattr(safety, "free_bytes", lambda _: safety.RESERVE_BYTES)
    with pytest.raises(SafetyError, match="the target file needs 8 MiB"):
        run_sweep(small(), target, runs_dir=runs, run_id="r")
    assert list(target.iterdir()) == []
    assert not (runs / "r").exists()


def test_a_file_of_an_earlier_version_is_named_and_not_touched(small, target, runs):
    """Nothing proves whose it is; the sweep makes a file of its own beside it."""
    theirs = target / f"perfkit-{SIZE}.dat"
    theirs.write_bytes(b"precious")
    marker = theirs.with_name(theirs.name + ".perfkit.json.new")
    marker.write_text("{}")
    heard = []
    run = run_sweep(small(), target, runs_dir=runs, progress=heard.append)
    assert theirs.read_bytes() == b"precious"
    assert marker.read_text() == "{}"
    told = [event.path for event in heard if isinstance(event, progress.LeftOver)]
    assert told == [str(theirs)]
    record = json.loads((run / "run.json").read_text())
    assert record["left_over"] == ["an earlier version's, which had no proof"]


def test_an_option_that_fio_refuses_is_told_in_fios_words(small, target, runs, monkeypatch):
    """The point is kept apart with its reason, the sweep stops, and the next call goes on."""
    spec = small(load={"iodepth": [1, 4]})
    real = fio_module.point_job

    def with_unknown_option(spec, point, *targets, **options):
        return real(spec, point, *targets, **options) + ("nonsense=1\n" if point.load == 4 else "")

    monkeypatch.setattr(fio_module, "point_job", with_unknown_option)
    with pytest.raises(RunError) as failed:
        run_sweep(spec, target, runs_dir=runs, run_id="r")
    said = str(failed.value)
    assert said.startswith(
        "point iodepth-4-r1: fio ended with exit code 1: Bad option <nonsense=1>"
    )
    assert "\n" not in said
    assert accepted(runs) == ["iodepth-1-r1"]
    point = json.loads((runs / "r" / "rejected" / "iodepth-4-r1-1" / "point.json").read_text())
    assert (point["accepted"], point["exit_code"]) == (False, 1)
    monkeypatch.setattr(fio_module, "point_job", real)
    run_sweep(spec, target, runs_dir=runs, run_id="r")
    assert sorted(accepted(runs)) == ["iodepth-1-r1", "iodepth-4-r1"]


@pytest.mark.parametrize("when", ["PointStarted", "PointProgress"])
def test_a_target_that_vanishes_is_an_error_and_not_a_new_file(small, own, target, runs, when):
    """Before a point nothing begins; in one the held file is measured on, and does not count."""

    def remove(event):
        if type(event).__name__ == when:
            own().unlink(missing_ok=True)

    with pytest.raises((RunError, SafetyError), match="no longer there: it was removed"):
        run_sweep(small(runtime="800ms"), target, runs_dir=runs, run_id="r", progress=remove)
    assert accepted(runs) == []
    assert not own().exists()


def test_a_hung_fio_is_stopped_and_its_point_rejected(small, target, runs, monkeypatch):
    monkeypatch.setattr(fio_module, "deadline", lambda *_: 0.5)
    with pytest.raises(RunError, match="fio did not end in time"):
        run_sweep(small(runtime="30s"), target, runs_dir=runs, run_id="r")
    assert accepted(runs) == []
    assert fio_on(target) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk_in_the_layout_is_one_line_and_leaves_no_file(small, target, runs, monkeypatch):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "none", target], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        # as if another writer took the room after it was checked
        monkeypatch.setattr(safety, "free_bytes", lambda _: 1 << 40)
        with pytest.raises(RunError, match=r"laying out .*No space left on device") as failed:
            run_sweep(small(), target, runs_dir=runs, run_id="r")
        assert "\n" not in str(failed.value)
        assert list(target.iterdir()) == []
        assert accepted(runs) == []
    finally:
        subprocess.run(["umount", target], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
@pytest.mark.parametrize("room", [0, 16, 64, 100])
def test_a_full_disk_of_the_runs_is_named_and_no_half_point_is_left(small, target, runs, room):
    """So many KiB are free: run.json, the result or the record is the first that has no room."""
    runs.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "none", runs], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        (runs / "full").write_bytes(bytes((300 - room - 8) << 10))
        with pytest.raises(RunError) as failed:
            run_sweep(small(load={"iodepth": [1, 2, 4]}), target, runs_dir=runs, run_id="r")
        said = str(failed.value)
        assert "\n" not in said
        assert str(runs) in said
        assert "No space left on device" in said or "no room is left where the run is kept" in said
        for folder in (runs / "r" / "points").glob("[!.]*"):
            assert json.loads((folder / "point.json").read_text())["accepted"]
    finally:
        subprocess.run(["umount", runs], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_target_in_memory_is_measured_and_marked(small, target, runs):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400m", "none", target],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        spec = small("iris-ranread", load={"numjobs": [1]}, direct=False)
        run = run_sweep(spec, target, runs_dir=runs)
        point = json.loads((run / "points" / "numjobs-1-r1" / "point.json").read_text())
        assert point["warnings"][0] == ("the target is on tmpfs: this measures memory, not storage")
    finally:
        subprocess.run(["umount", target], check=True)


def test_a_target_folder_that_vanishes_is_named(small, target, runs):
    def remove(event):
        if type(event).__name__ == "PointStarted":
            shutil.rmtree(target)

    with pytest.raises(SafetyError, match=r"/target/perfkit-.*: no longer there"):
        run_sweep(small(), target, runs_dir=runs, run_id="r", progress=remove)
    assert accepted(runs) == []


def test_a_runs_folder_that_cannot_be_made_is_one_line(small, target, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="file"):
        run_sweep(small(), target, runs_dir=tmp_path / "file" / "runs")


LONG = {
    "load": {"iodepth": [1, 2]},
    "file_size": SIZE,
    "runtime": "1s",
    "ramp": 0,
    "repeats": 1,
}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_perfkit_killed_in_mid_run_leaves_no_fio_and_no_half_point(
    number, small, target, runs, other_process
):
    """In the second point: the first stays, fio is gone at once, and a later call goes on."""
    process = other_process(LONG, env={**os.environ, "PERFKIT_PROGRESS": "none"})
    wait_for((runs / "r" / "points" / "iodepth-1-r1").exists)
    wait_for(lambda: fio_on(target))
    for pid in fio_on(target) if number == signal.SIGKILL else ():
        os.kill(pid, signal.SIGSTOP)  # it cannot end by itself
    process.send_signal(number)
    process.communicate()
    assert process.returncode == -number
    wait_for(lambda: not fio_on(target))
    assert accepted(runs) == ["iodepth-1-r1"]
    assert list((runs / "r" / "rejected").iterdir()) == []
    run_sweep(small(**LONG), target, runs_dir=runs, run_id="r")
    assert sorted(accepted(runs)) == ["iodepth-1-r1", "iodepth-2-r1"]
    assert list(target.iterdir()) == []


def test_fio_killed_in_mid_run_is_no_result(small, target, runs, other_process):
    process = other_process({**LONG, "runtime": "20s"})
    wait_for(lambda: fio_on(target) and (runs / "r" / "points" / ".tmp-iodepth-1-r1").exists())
    for pid in fio_on(target):
        os.kill(pid, signal.SIGKILL)
    said = process.communicate()[1]
    assert process.returncode == 1
    assert "RunError: point iodepth-1-r1: fio ended with exit code -9" in said
    assert accepted(runs) == []


def test_a_second_run_of_the_same_folder_is_refused(small, target, runs, other_process):
    process = other_process({**LONG, "runtime": "20s"})
    wait_for(lambda: fio_on(target))
    with pytest.raises(RunError, match="another perfkit is measuring this run"):
        run_sweep(small(**{**LONG, "runtime": "20s"}), target, runs_dir=runs, run_id="r")
    with pytest.raises(RunError, match=r"target .*: another perfkit is measuring there"):
        run_sweep(small(**LONG), target, runs_dir=runs, run_id="other")
    larger = small(**{**LONG, "file_size": "16 MiB"})
    with pytest.raises(RunError, match=r"target .*: another perfkit is measuring there"):
        run_sweep(larger, target, runs_dir=runs, run_id="larger")
    process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
def test_fio_dies_with_a_killed_notebook_kernel(target, runs):
    """The parent-death signal is tied to the thread that starts fio: also inside a kernel."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3")
    try:
        client.execute(
            "from pathlib import Path\n"
            "from perfkit.measure.workloads import named_workload\n"
            "from perfkit.measure.sweep import run_sweep\n"
            f"spec = named_workload('oltp-select', **{ {**LONG, 'runtime': '1h'}!r})\n"
            f"run_sweep(spec, Path({str(target)!r}), runs_dir=Path({str(runs)!r}), run_id='r')\n"
        )
        wait_for((runs / "r" / "points" / ".tmp-iodepth-1-r1" / "host.csv").exists)
        time.sleep(0.5)
        assert fio_on(target)
        os.kill(manager.provisioner.process.pid, signal.SIGKILL)
        wait_for(lambda: not fio_on(target))
        assert accepted(runs) == []
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_target_that_is_full_in_a_point_is_named_with_its_path(small, target, runs):
    """Thin storage: the file was written, and its blocks are gone. The record holds no path."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400m", "none", target],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")

    def punch(event):
        # after the file was proved to be whole, while the load runs
        if type(event).__name__ == "PointProgress" and not (target / "theirs").exists():
            load = psutil.Process().children(recursive=True)
            for process in load:  # it would fill the hole again at once
                process.suspend()
            path = next(target.rglob("perfkit-*.dat"))
            subprocess.run(["fallocate", "-p", "-l", str(SIZE), path], check=True)
            subprocess.run(["mount", "-o", "remount,size=256m", target], check=True)
            with contextlib.suppress(OSError), (target / "theirs").open("wb") as file:
                while True:
                    file.write(bytes(1 << 20))
            for process in load:
                process.resume()

    try:
        spec = small(
            "oltp-update", direct=False, ioengine="psync", load={"numjobs": [1]}, runtime="3s"
        )
        with pytest.raises(RunError, match=f"file {target}/.*: No space left on device"):
            run_sweep(spec, target, runs_dir=runs, run_id="r", progress=punch)
        (record,) = (runs / "r" / "rejected").glob("*/point.json")
        assert str(target) not in record.read_text()
    finally:
        subprocess.run(["umount", target], check=True)
