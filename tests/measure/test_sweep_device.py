"""Sweeps on a real device: agreed to, laid out, measured, resumed; or refused, all bytes kept."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from places import TESTS

import perfkit as pk
from perfkit.core.errors import SafetyError
from perfkit.core.evidence import sha256_file
from perfkit.measure.probe.ask import target as look
from perfkit.measure.safety.judge import identity
from perfkit.measure.sweep import run_sweep
from perfkit.measure.turns import measured_turns

pytestmark = pytest.mark.slow


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def agreed(loop):
    return [identity(look(str(loop)))]


RECORDED = TESTS / "data" / "elbencho" / "points"
NAMES = {"iodepth-1-r1", "iodepth-4-r1"}


@pytest.fixture(params=["fio", "elbencho"])
def engine(request):
    """Each load generator; the real one, so skipped where it is not there."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not on PATH")
    return request.param


@pytest.fixture
def sweep(small):
    """A small sweep of either engine; elbencho counts whole seconds."""

    def make(engine, workload="oltp-select", **overrides):
        own = {"engine": engine, **({"runtime": "1s"} if engine == "elbencho" else {})}
        return small(workload, **{**own, **overrides})

    return make


@pytest.fixture
def program(tmp_path):
    """A program that is taken for the engine's, where it is never to be started."""

    def find(engine):
        if engine == "fio" or shutil.which(engine):
            return engine
        folder = tmp_path / "bin"
        folder.mkdir()
        made = Path(shutil.copy(Path(__file__).with_name("replay.py"), folder / engine))
        made.chmod(0o755)
        (folder / "replay.json").write_text(json.dumps({"recordings": str(RECORDED)}))
        return str(made)

    return find


@pytest.mark.parametrize("workload", ["oltp-mixed", "oltp-update"])
def test_a_mix_overwrites_a_device_that_was_agreed_to(sweep, loop, runs, workload, engine):
    """Every byte that is to be measured is written first, and the consent stands in run.json."""
    before = sha256_file(loop)
    spec = sweep(engine, workload)
    run = run_sweep(spec, loop, runs_dir=runs, run_id="r", consents=agreed(loop))
    record = load(run / "run.json")
    assert record["consent"]["identity"] == agreed(loop)[0]
    assert record["consent"]["serial"].endswith("/image")
    assert (record["target"]["file"], record["target"]["file_bytes"]) == (None, 8 << 20)
    assert record["target"]["device"]["name"] == loop.name
    assert load(run / "layout/laid-out.json")["laid_out_bytes"] == 8 << 20
    assert sha256_file(loop) != before
    with loop.open("rb") as file:
        measured, rest = file.read(8 << 20), file.read()
    assert measured.count(0) < len(measured) // 100
    assert not any(rest), "nothing is written beyond the part that is measured"
    assert {path.name for path in (run / "points").iterdir()} == NAMES


@pytest.fixture(params=["fio", "elbencho"])
def refused(request, sweep, loop, runs, program):
    """Run a mix on the device with either engine: it is refused, and every byte is kept."""

    def check(consents, words, **overrides):
        before = sha256_file(loop)
        spec = sweep(request.param, "oltp-mixed", **overrides)
        with pytest.raises(SafetyError, match=words):
            run_sweep(spec, loop, runs_dir=runs, run_id="r", program=program(request.param),
                      consents=consents)  # fmt: skip
        assert sha256_file(loop) == before
        assert not (runs / "r").exists()

    return check


@pytest.mark.parametrize("percent", [99, 50, 0])
@pytest.mark.parametrize("consents", [[], ["SOME OTHER"]])
def test_a_mix_without_consent_changes_nothing(refused, percent, consents):
    refused(consents, "to agree, add --overwrite 'loop device", read_percent=percent)


def test_a_mounted_device_is_refused_whatever_was_agreed(refused, loop, tmp_path):
    """elbencho by itself writes to it. Read-only, so that ext4 leaves the bytes alone."""
    consents = agreed(loop)
    subprocess.run(["mkfs.ext4", "-q", loop], check=True)
    (tmp_path / "mnt").mkdir()
    subprocess.run(["mount", "-o", "ro", loop, tmp_path / "mnt"], check=True)
    try:
        refused(consents, "not overwritten: .*mounted")
    finally:
        subprocess.run(["umount", tmp_path / "mnt"], check=True)


def test_a_device_in_exclusive_use_is_refused_whatever_was_agreed(refused, loop):
    consents = agreed(loop)
    handle = os.open(loop, os.O_RDONLY | os.O_EXCL)
    try:
        refused(consents, "not overwritten: .*exclusive use")
    finally:
        os.close(handle)


def test_a_read_only_sweep_needs_no_consent_and_says_what_it_read(sweep, loop, runs, engine):
    before = sha256_file(loop)
    run = run_sweep(sweep(engine), loop, runs_dir=runs, run_id="r")
    record = load(run / "run.json")
    assert record["consent"] is None
    assert record["warnings"] == [
        "the device was read as it was found: blocks never written may be answered without "
        "touching the medium"
    ]
    assert sha256_file(loop) == before
    argv = load(run / "points/iodepth-1-r1/command.json")["argv"]
    assert ("--readonly" in argv) if engine == "fio" else ("--write" not in argv)


def test_a_read_only_sweep_that_asks_for_fills_needs_consent(sweep, loop, runs):
    """It would be measured unfilled otherwise, and look preconditioned."""
    before = sha256_file(loop)
    with pytest.raises(SafetyError, match="fills: 2 asks for the device to be written"):
        run_sweep(sweep("fio", fills=2), loop, runs_dir=runs, run_id="r")
    assert not (runs / "r").exists()
    assert sha256_file(loop) == before
    run_sweep(sweep("fio", fills=2, load={"iodepth": [1]}), loop, runs_dir=runs, run_id="r",
              consents=agreed(loop))  # fmt: skip
    assert sha256_file(loop) != before


def test_a_resumed_sweep_does_not_write_the_device_again(small, loop, runs):
    """The run remembers which device it has written, and how much of it."""
    spec = small(repeats=1)
    run = run_sweep(spec, loop, runs_dir=runs, run_id="r", consents=agreed(loop))
    written = sha256_file(loop)
    for file in (run / "points/iodepth-4-r1").iterdir():
        file.unlink()
    (run / "points/iodepth-4-r1").rmdir()
    run_sweep(spec, loop, runs_dir=runs, run_id="r", consents=agreed(loop))
    assert sha256_file(loop) == written
    assert (run / "points/iodepth-4-r1/fio.json").exists()


def test_a_device_that_comes_into_use_stops_the_sweep_before_the_next_point(small, loop, runs):
    """Between two points somebody opens the device: the second is not measured."""
    started = []

    def watch(event):
        if type(event).__name__ == "PointAccepted" and not started:
            with loop.open("rb") as file:
                started.append(subprocess.Popen(["sleep", "60"], stdin=file))

    try:
        with pytest.raises(SafetyError, match="open in sleep"):
            run_sweep(small("oltp-mixed"), loop, runs_dir=runs, run_id="r", progress=watch,
                      consents=agreed(loop))  # fmt: skip
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert len(list((runs / "r" / "points").iterdir())) == 1


@pytest.mark.parametrize("writes", [False, True])
def test_a_node_without_a_device_is_one_clear_line(tmp_path, runs, capsys, writes):
    """240 is for local use: no driver has it."""
    from perfkit.cli.app import run as perfkit

    node = tmp_path / "node"
    try:
        os.mknod(node, 0o600 | stat.S_IFBLK, os.makedev(240, 99))
    except PermissionError:
        pytest.skip("device nodes need root")
    workload = "oltp-mixed" if writes else "oltp-select"
    agreed = ["--overwrite", "some device"] if writes else []
    assert perfkit(["run", workload, "--target", str(node), "-o", str(runs), *agreed]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"error: target {node}: the kernel has no block device 240:99, to which this node leads"
    ]
    assert not list(runs.glob("*"))


def test_a_node_of_any_name_is_the_device_of_its_number(small, tmp_path, loop, runs):
    node = tmp_path / "mine"
    os.mknod(node, 0o600 | stat.S_IFBLK, loop.stat().st_rdev)
    run = run_sweep(small(load={"iodepth": [1]}), node, runs_dir=runs, run_id="r")
    record = load(run / "run.json")
    assert record["target"]["device"]["name"] == loop.name
    assert (run / "points/iodepth-1-r1/fio.json").exists()


def test_two_targets_are_measured_in_turns_and_the_comparison_is_named(tmp_path, runs, capsys):
    from perfkit.cli.app import run as perfkit

    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    given = ["--target", str(tmp_path / "old"), "-t", str(tmp_path / "new"), "-o", str(runs)]
    small = ["--file-size", "8MiB", "--load", "iodepth=1", "--runtime", "300ms", "--ramp", "0s"]
    assert perfkit(["run", "oltp-select", *given, *small, "--repeats", "2"]) == 0
    told = capsys.readouterr()
    assert "warning: 2 targets are on one device" in told.err
    (last,) = [line for line in told.out.splitlines() if "compare" in line]
    words = shlex.split(last.removeprefix("compare them: "))
    assert words[:2] == ["perfkit", "compare"]
    names, folders = zip(*(word.split("=") for word in words[2:]), strict=True)
    assert names == ("old", "new")
    targets = [load(Path(folder) / "run.json")["target"]["directory_label"] for folder in folders]
    assert [Path(target).name for target in targets] == ["old", "new"]
    assert measured_turns([Path(folder) for folder in folders]) == [0, 1, 0, 1]
    assert perfkit(["run", "oltp-select", *given, *small, "--run-id", "r"]) == 2
    assert "--run-id applies to a single run" in capsys.readouterr().err


def test_the_command_line_asks_for_the_device_by_name(loop, runs, capsys):
    from perfkit.cli.app import run as perfkit

    arguments = ["run", "oltp-update", "--target", str(loop), "-o", str(runs), "--file-size",
                 "8MiB", "--load", "iodepth=1", "--runtime", "300ms", "--ramp", "0s",
                 "--repeats", "1"]  # fmt: skip
    assert perfkit(arguments) == 1
    told = capsys.readouterr().err
    assert f"to agree, add --overwrite '{agreed(loop)[0]}'" in " ".join(told.split())
    assert perfkit([*arguments, "--overwrite", agreed(loop)[0]]) == 0
    assert isinstance(next(runs.glob("*/run.json")), Path)


def test_two_devices_are_overwritten_in_turns_only_where_both_are_agreed_to(
    sweep, loops, runs, tmp_path
):
    """Nothing is written to the first where nobody agreed to the second."""
    devices = []
    for name in ("a", "b"):
        image = tmp_path / name
        image.write_bytes(bytes(16 << 20))
        devices.append(loops(image))
    spec = sweep("fio", "oltp-mixed")
    before = sha256_file(devices[0])
    with pytest.raises(SafetyError, match=f"{devices[1].name}.*to agree, add --overwrite"):
        pk.run(spec, devices, runs_dir=runs, consents=agreed(devices[0]))
    assert sha256_file(devices[0]) == before
    found = pk.run(
        spec, devices, runs_dir=runs, consents=[*agreed(devices[0]), *agreed(devices[1])]
    )
    serials = [load(run / "run.json")["consent"]["serial"] for run in found]
    assert [serial.rsplit("/", 1)[1] for serial in serials] == ["a", "b"]
