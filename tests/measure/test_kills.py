"""A sweep killed at any moment resumes with exactly the missing points."""

import json
import shutil
from pathlib import Path

import pytest
from sweep_kills import NOT_DONE, SPEC, kill_and_exchange, kill_and_resume

from perfkit.core.errors import RunError
from perfkit.measure.record.rundir import RunDirectory
from perfkit.measure.sweep import run_sweep


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7))
def test_a_sweep_struck_at_a_random_moment_is_completed(tmp_path, seed):
    kill_and_resume(tmp_path, seed, {**SPEC, "runtime": "150ms"}, longest=2.2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7))
def test_a_file_exchanged_at_a_random_moment_harms_nobody(tmp_path, seed):
    # soon after the file is there, so that it is still there: else nothing was shown
    trick, _ = kill_and_exchange(tmp_path, seed, {**SPEC, "runtime": "300ms"}, longest=0.8)
    assert trick != NOT_DONE


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("elbencho") is None, reason="elbencho is not on PATH")
@pytest.mark.parametrize("seed", range(3))
def test_a_sweep_of_elbencho_struck_at_a_random_moment_is_completed(tmp_path, seed):
    kill_and_resume(tmp_path, seed, {**SPEC, "engine": "elbencho", "runtime": "1s"}, longest=5.0)


@pytest.mark.slow
def test_what_a_power_cut_left_aside_is_measured_again(small, target, runs):
    """A temporary folder with half a point, a folder without its record, an empty run.json.tmp."""
    spec = small(load={"iodepth": [1, 4]})
    run = run_sweep(spec, target, runs_dir=runs, run_id="r", keep_target=True)
    points = run / "points"
    (points / "iodepth-4-r1").rename(points / ".tmp-iodepth-4-r1")
    (points / ".tmp-iodepth-4-r1" / "fio.json").write_text("{")
    kept = (points / "iodepth-1-r1" / "fio.json").read_bytes()
    run_sweep(spec, target, runs_dir=runs, run_id="r")
    assert sorted(path.name for path in points.iterdir()) == ["iodepth-1-r1", "iodepth-4-r1"]
    assert (points / "iodepth-1-r1" / "fio.json").read_bytes() == kept


@pytest.mark.slow
def test_a_point_whose_record_was_lost_is_put_aside_and_measured_again(small, target, runs):
    spec = small(load={"iodepth": [1]})
    run = run_sweep(spec, target, runs_dir=runs, run_id="r", keep_target=True)
    (run / "points" / "iodepth-1-r1" / "point.json").write_text("")
    run_sweep(spec, target, runs_dir=runs, run_id="r")
    assert RunDirectory(run).accepted() == {"iodepth-1-r1"}
    assert [path.name for path in (run / "rejected").iterdir()] == ["iodepth-1-r1-1"]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"read_percent": 90}, "read_percent"),
        ({"runtime": "400ms"}, "runtime_s"),
        ({"load": {"iodepth": [1, 2]}}, "load.points"),
        ({"engine": "elbencho", "runtime": "1s"}, "engine"),
        ({"control": 1}, "control"),
        ({"hosts": ("10.0.0.1",)}, "hosts"),
        ({"steady_state": {"round": "1s"}}, "steady_state"),
        ({"fills": 2}, "fills"),
    ],
)
def test_a_changed_sweep_is_refused_and_names_its_field(small, tmp_path, target, changed, field):
    spec = small(load={"iodepth": [1, 4]})
    run = tmp_path / "runs" / "r"
    point = run / "points" / "iodepth-1-r1"
    point.mkdir(parents=True)
    (point / "fio.json").touch()
    (point / "point.json").write_text(json.dumps({"name": point.name, "accepted": True}))
    (run / "run.json").write_text(json.dumps({"format": 1, "spec": spec.record()}))
    other = small(**{"load": {"iodepth": [1, 4]}, **changed})
    with pytest.raises(RunError, match=f"another {field} "):
        run_sweep(other, target, runs_dir=tmp_path / "runs", run_id="r")
    assert list(Path(target).iterdir()) == []
