"""Sweeps on a real device: agreed to, laid out, measured, resumed; or refused, all bytes kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perfkit.errors import SafetyError
from perfkit.evidence import sha256_file
from perfkit.runners import safety
from perfkit.runners.probe.target import target as look
from perfkit.runners.sweep import run_sweep

pytestmark = pytest.mark.slow


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def agreed(loop):
    return [safety.identity(look(str(loop)))]


@pytest.mark.parametrize("workload", ["oltp-mixed", "oltp-update"])
def test_a_mix_overwrites_a_device_that_was_agreed_to(small, loop, runs, workload):
    """Every byte that is to be measured is written first, and the consent stands in run.json."""
    before = sha256_file(loop)
    run = run_sweep(small(workload), loop, runs_dir=runs, run_id="r", consents=agreed(loop))
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
    assert {path.name for path in (run / "points").iterdir()} == {"iodepth-1-r1", "iodepth-4-r1"}


@pytest.mark.parametrize("workload", ["oltp-mixed", "oltp-update"])
@pytest.mark.parametrize("consents", [[], ["SOME OTHER"]])
def test_a_mix_without_consent_changes_nothing(small, loop, runs, workload, consents):
    before = sha256_file(loop)
    with pytest.raises(SafetyError, match="to agree, add --overwrite 'loop device"):
        run_sweep(small(workload), loop, runs_dir=runs, run_id="r", consents=consents)
    assert sha256_file(loop) == before
    assert not (runs / "r").exists()


def test_a_read_only_sweep_needs_no_consent_and_says_what_it_read(small, loop, runs):
    before = sha256_file(loop)
    run = run_sweep(small(), loop, runs_dir=runs, run_id="r")
    record = load(run / "run.json")
    assert record["consent"] is None
    assert record["warnings"] == [
        "the device was read as it was found: blocks that were never written may be answered "
        "without touching the medium"
    ]
    assert sha256_file(loop) == before
    assert "--readonly" in load(run / "points/iodepth-1-r1/command.json")["argv"]


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
    import subprocess

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
