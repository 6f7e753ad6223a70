"""elbencho behind the sweep: its commands, its judgement, recorded runs, and the real one."""

import json
import re
import shutil
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest
from places import TESTS

import perfkit as pk
from perfkit.analysis.curves.little import littles_law
from perfkit.core.answers import from_frame
from perfkit.core.errors import MissingPartError, RunError, UsageError
from perfkit.measure.engines.elbencho import ENGINE as ELBENCHO
from perfkit.measure.engines.engine import find_tool
from perfkit.measure.engines.places import Place, Places
from perfkit.measure.points import planned_points
from perfkit.measure.process import Finished
from perfkit.measure.sweep import run_sweep

RECORDED = TESTS / "data" / "elbencho" / "points"
PLACE = Places.of(Place(Path("/mnt/x"), "perfkit-8.dat"))
real = pytest.mark.skipif(shutil.which("elbencho") is None, reason="elbencho is not on PATH")


@pytest.fixture
def sweep(small):
    """A sweep of elbencho as the recordings were made: 64 MiB, 1 s."""

    def make(workload="oltp-select", **overrides):
        own = {"engine": "elbencho", "file_size": "64 MiB", "runtime": "1s", "ramp": 0}
        return small(workload, **{**own, "load": {"iodepth": [4]}, **overrides})

    return make


@pytest.fixture
def replay(tmp_path):
    """The test-only executable, told what to play otherwise than recorded."""

    def make(recordings=RECORDED, pace=0.05, **phases):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = shutil.copy(Path(__file__).with_name("replay.py"), folder / "elbencho")
        Path(program).chmod(0o755)
        plan = {"recordings": str(recordings), "pace": pace, **phases}
        (folder / "replay.json").write_text(json.dumps(plan))
        return str(program)

    return make


def command(spec):
    plan = ELBENCHO.point(spec, planned_points(spec)[0], PLACE)
    return plan.before, plan.argv


def options(argv):
    return {name: value for name, value in pairwise(argv) if name[:2] == "--"}


def test_a_point_is_one_process_with_files_of_its_own(sweep):
    before, argv = command(sweep(runtime="30s"))
    given = options(argv)
    assert before == ()
    assert argv[-1] == "target/perfkit-8.dat"
    assert given["--timelimit"] == "30"
    # without a live file the time limit is looked at every 2 s only
    assert (given["--livecsv"], given["--liveint"]) == ("live.csv", "500")
    assert {"--lat", "--lathisto", "--infloop", "--nolive", "--direct", "--rand"} <= set(argv)
    assert (given["--iodepth"], given["--threads"], given["--block"]) == ("4", "1", "8192")


def test_a_ramp_is_the_same_load_in_a_process_before(sweep):
    before, argv = command(sweep(ramp="5s"))
    (ramp,) = before
    assert options(ramp)["--timelimit"] == "5"
    assert options(ramp)["--jsonfile"] == "ramp-elbencho.json"
    different = {name for name in options(argv) if options(argv)[name] != options(ramp)[name]}
    assert different == {"--csvfile", "--jsonfile", "--resfile", "--livecsv", "--timelimit"}


@pytest.mark.parametrize(
    ("overrides", "wanted", "unwanted"),
    [
        ({"read_percent": 100}, {"--read"}, {"--write", "--rwmixpct"}),
        ({"read_percent": 0}, {"--write"}, {"--read", "--rwmixpct"}),
        ({"read_percent": 75}, {"--write", "--rwmixpct"}, {"--read"}),
        (
            {"pattern": "sequential", "read_percent": 50, "load": {"numjobs": [2]}},
            {"--write", "--rwmixthr"},
            {"--read", "--rand"},
        ),
    ],
)
def test_only_a_pure_read_takes_the_read_phase(sweep, overrides, wanted, unwanted):
    """A mix is an option of the write phase: "100% read" through it would be another path."""
    _, argv = command(sweep(**overrides))
    assert wanted <= set(argv)
    assert not unwanted & set(argv)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"runtime": "1500ms"}, "runtime: elbencho counts whole seconds"),
        ({"load": {"rate_iops": [100]}}, "limits bytes per thread in a closed loop"),
        ({"ioengine": "io_uring"}, "ioengine: elbencho has libaio only"),
        ({"block_size_max": "16 KiB"}, "block_size_max"),
    ],
)
def test_what_elbencho_cannot_do_is_refused_by_field(sweep, overrides, said):
    with pytest.raises(UsageError, match=said):
        sweep(**overrides)


@pytest.mark.slow
def test_a_recorded_sweep_becomes_a_run_like_any_other(sweep, replay, target, runs):
    run = run_sweep(sweep("oltp-mixed"), target, runs_dir=runs, program=replay())
    found = pk.read(run)
    assert found.evidence.tool == "elbencho"
    assert found.load_points.frame["direction"].to_list() == ["read", "write", "total"]
    total = found.load_points.frame.row(2, named=True)
    assert total["in_flight"] == 4
    assert total["iops"] * total["lat_mean_s"] == pytest.approx(4, rel=0.05)
    assert json.loads((run / "run.json").read_text())["tool"]["version"] == "elbencho-3.1-10"
    assert list(target.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        ({"read": {"exit": 1, "stderr": "ERROR: no\n"}}, "exit code 1: ERROR: no"),
        ({"read": {"stderr": "WARNING: odd\n"}}, "wrote on stderr: WARNING: odd"),
        ({"read": {"without": ["elbencho.json"]}}, "wrote no result"),
        ({"layout": {"exit": 1, "stderr": "full\n"}}, "laying out .*exit code 1: full"),
    ],
)
def test_a_failed_elbencho_is_no_result(sweep, replay, target, runs, case):
    phases, said = case
    with pytest.raises(RunError, match=said):
        run_sweep(sweep(), target, runs_dir=runs, program=replay(**phases))


def judged(spec, folder):
    finished = Finished(0, 1.0)
    return ELBENCHO.point(spec, planned_points(spec)[0], PLACE).judge(finished, folder)


@pytest.mark.parametrize(
    "case",
    [
        ("read", "oltp-select", {}, None),
        ("read", "oltp-mixed", {}, "the phases are READ where RWMIX80 alone was asked for"),
        ("read", "oltp-select", {'_ms":"1000"': '_ms":"400"'}, "in 0.4 s"),
        ("layout", "oltp-select", {}, "the phases are SYNC, WRITE, SYNC where READ"),
    ],
)  # fmt: skip
def test_a_result_is_exactly_the_phase_asked_for(sweep, tmp_path, case):
    recording, workload, changes, said = case
    text = (RECORDED / recording / "elbencho.json").read_text()
    for old, new in changes.items():
        text = text.replace(old, new)
    (tmp_path / "elbencho.json").write_text(text)
    found = judged(sweep(workload), tmp_path)
    assert found.accepted is (said is None)
    assert said is None or said in str(found.reason)


def test_a_phase_shorter_than_asked_for_is_refused(sweep, tmp_path):
    shutil.copy(RECORDED / "read" / "elbencho.json", tmp_path)
    assert judged(sweep(runtime="2s"), tmp_path).reason == "READ ran for 1 s of 2 s"


def test_another_program_of_that_name_is_refused(tmp_path):
    other = tmp_path / "elbencho"
    other.write_text("#!/bin/sh\necho otherbench 1.0\n")
    other.chmod(0o755)
    with pytest.raises(MissingPartError, match="is not elbencho: it calls itself 'otherbench"):
        find_tool(ELBENCHO, str(other))


def test_a_missing_elbencho_says_where_its_project_publishes_it():
    with pytest.raises(MissingPartError, match="breuner/elbencho on GitHub"):
        find_tool(ELBENCHO, "no-such-elbencho")


@real
@pytest.mark.slow
@pytest.mark.parametrize("percent", [100, 0, 70])
def test_the_real_elbencho_keeps_littles_law(sweep, target, runs, percent):
    spec = sweep(read_percent=percent, load={"iodepth": [1, 8]}, ramp="1s")
    found = pk.read(run_sweep(spec, target, runs_dir=runs))
    (curve,) = from_frame(littles_law(found.load_points).frame)
    assert (curve.estimate.n, curve.estimate.value) == (2, pytest.approx(1, abs=0.05))
    assert "/" not in json.loads(
        (runs / next(runs.iterdir()).name / "points/iodepth-1-r1/elbencho.json").read_text()
    )["config"]["command"].replace("target/", "")


@real
@pytest.mark.slow
def test_the_real_elbencho_streams_sequentially(sweep, target, runs):
    spec = sweep(pattern="sequential", read_percent=50, load={"numjobs": [2]}, block_size="256 KiB")
    found = pk.read(run_sweep(spec, target, runs_dir=runs))
    assert found.load_points.frame["direction"].to_list() == ["read", "write", "total"]


@real
@pytest.mark.slow
@pytest.mark.parametrize("fields", [{"cpus": "0"}, {"numa": {"nodes": "0"}}])
def test_threads_run_where_the_kernel_says_that_they_may(sweep, tmp_path, fields):
    """As the kernel lists it for each of elbencho's threads: two of them do the I/O."""
    node = Path("/sys/devices/system/node/node0/cpulist")
    wanted = "0" if "cpus" in fields else node.read_text().strip()
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "perfkit-8.dat").write_bytes(bytes(64 << 20))
    spec = sweep(**fields, load={"numjobs": [2]}, runtime="20s", direct=False)
    _, argv = command(spec)
    process = subprocess.Popen(["elbencho", *argv], cwd=tmp_path, stdout=subprocess.DEVNULL)
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
