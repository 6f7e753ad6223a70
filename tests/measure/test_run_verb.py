"""``pk.run``: one verb for a sweep, for several, and for a study."""

import json
import shutil

import pytest

import perfkit as pk
from perfkit.core.errors import StudyError, UsageError

fio = pytest.mark.skipif(shutil.which("fio") is None, reason="needs fio")
STUDY = """
report: {title: Two}
run:
  workload: oltp-select
  target: target
  file_size: 4 MiB
  load: {numjobs: [1]}
  ramp: 0s
  runtime: 0.3s
  repeats: 1
"""
SWEEPS = """
sweeps:
  - {labels: {config: psync}, set: {ioengine: psync}}
  - {labels: {config: sync}, set: {ioengine: sync}}
"""


@pytest.fixture
def study(target):
    def write(text):
        (target.parent / "study.yml").write_text(text)
        return target.parent

    return write


def engines(runs):
    return [json.loads((run / "run.json").read_text())["spec"]["ioengine"] for run in runs]


@fio
@pytest.mark.slow
def test_a_sweep_gives_its_run_directory(small, target, tmp_path):
    run = pk.run(small(load={"iodepth": [1]}), str(target), runs_dir=tmp_path / "r", run_id="mine")
    assert run == tmp_path / "r/mine"
    assert (run / "points/iodepth-1-r1/fio.json").is_file()
    assert not list(target.iterdir())


@fio
@pytest.mark.slow
def test_several_sweeps_give_one_run_directory_each_in_their_order(small, target, tmp_path):
    sweeps = [small(load={"iodepth": [1]}, ioengine=name) for name in ("sync", "psync")]
    runs = pk.run(sweeps, target, runs_dir=str(tmp_path / "runs"))
    assert engines(runs) == ["sync", "psync"]


@fio
@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "count"), [("", 1), (SWEEPS, 2)], ids=["its run", "its sweeps instead"]
)
def test_a_study_is_measured_as_it_says_and_not_again(study, more, count):
    folder = study(STUDY + more)
    runs = pk.run(folder)
    assert len(runs) == count
    written = [(run / "run.json").stat().st_mtime_ns for run in runs]
    assert pk.run(pk.open_study(folder)) == runs == pk.run(str(folder / "study.yml"))
    assert written == [(run / "run.json").stat().st_mtime_ns for run in runs]


def test_a_sweep_needs_a_target(small):
    with pytest.raises(UsageError, match="name the folder or device"):
        pk.run(small())


def test_a_study_names_its_own_target(study, tmp_path):
    with pytest.raises(UsageError, match="a study names its own"):
        pk.run(study(STUDY), tmp_path)


def test_an_option_that_does_not_fit_is_refused(small, target, study):
    with pytest.raises(TypeError, match="order"):
        pk.run(small(), target, order="sequential")
    with pytest.raises(TypeError, match="run_id"):
        pk.run([small()], target, run_id="x")
    with pytest.raises(TypeError, match="runs_dir"):
        pk.run(study(STUDY), runs_dir="x")


def test_a_study_without_a_run_says_so(study):
    with pytest.raises(StudyError, match="nothing to measure"):
        pk.run(study("report: {title: None}\n"))
