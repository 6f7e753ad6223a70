"""Killing sweeps at random moments: what the tests do a few times and the bench two hundred."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import psutil

import perfkit as pk
from perfkit.errors import ParseError

SPEC = {
    "load": {"iodepth": [1, 2]}, "file_size": "8 MiB", "runtime": "300ms", "ramp": 0, "repeats": 2,
    # large reads: fio's own time between two I/Os is then little of each, as Little's law asks (of
    # small ones on fast storage it is 6%, of writes, whose buffers fio fills anew, 15%)
    "block_size": "256 KiB", "read_percent": 100,
}  # fmt: skip
POINTS = {"iodepth-1-r1", "iodepth-2-r1", "iodepth-1-r2", "iodepth-2-r2"}

_SWEEP = """\
from pathlib import Path
from perfkit.runners.workloads import named_workload
from perfkit.runners.sweep import run_sweep
spec = named_workload("oltp-mixed", **{spec!r})
run_sweep(spec, Path({target!r}), runs_dir=Path({runs!r}), run_id="r", program={program!r})
"""


def start(folder, spec, program=None):
    """A perfkit in a process of its own that measures the sweep, or what is missing of it."""
    code = _SWEEP.format(
        spec=spec, target=str(folder / "target"), runs=str(folder / "runs"), program=program
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PERFKIT_PROGRESS": "none"},
    )  # fmt: skip


def at_work(folder):
    """The processes other than perfkit that work in the sweep's folders."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd().startswith(str(folder)) and process.name() in {"fio", "elbencho"}:
                found.append(process)
        except psutil.Error:
            continue
    return found


def strike(process, folder, how):
    """Kill perfkit (SIGINT, SIGTERM, SIGKILL) or the tool it runs."""
    victims = [process] if how != "tool" else at_work(folder)
    number = {"tool": signal.SIGKILL}.get(how) or how
    for victim in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim.pid, number)


def kill_and_resume(folder, seed, spec=SPEC, program=None, longest=3.0):
    """Begin a sweep, strike it at a random moment, look, resume; what was found.

    Raises AssertionError where a tool goes on alone, an accepted point is not valid, or the
    resumed run is not complete.
    """
    chance = random.Random(seed)
    (folder / "target").mkdir()
    process = start(folder, spec, program)
    time.sleep(chance.uniform(0.0, longest))
    how = chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL, "tool"])
    early = process.poll() is None
    strike(process, folder, how)
    process.communicate(timeout=60)
    until = time.monotonic() + 3
    while at_work(folder) and time.monotonic() < until:
        time.sleep(0.01)
    assert not at_work(folder), f"seed {seed}: a tool goes on after {how}"
    before = accepted(folder)
    for name in before:
        assert name in POINTS, f"seed {seed}: {name} was not planned"
    if before:
        assert valid(folder) == before, f"seed {seed}: an accepted point is not valid after {how}"
    again = start(folder, spec, program)
    said = again.communicate(timeout=120)[1]
    assert again.returncode == 0, f"seed {seed}: no resume after {how}: {said}"
    assert accepted(folder) == valid(folder) == POINTS, f"seed {seed}: not complete after {how}"
    left = [path.name for path in (folder / "runs" / "r" / "points").glob(".tmp-*")]
    assert not left, f"seed {seed}: {left} left"
    assert not list((folder / "target").iterdir()), f"seed {seed}: a target file is left"
    return how, early, len(before)


def accepted(folder):
    place = folder / "runs" / "r" / "points"
    return {p.name for p in place.iterdir() if p.name[0] != "."} if place.is_dir() else set()


def valid(folder):
    """The points that the run's reader takes for results."""
    try:
        found = pk.read(folder / "runs" / "r")
    except ParseError:
        return set()
    names = found.points.frame["point"].to_list()
    assert len(set(names)) == len(names)
    for row in pk.little_check(found.load_points).frame.iter_rows(named=True):
        assert row["status"] == "ok", f"Little's law: {row}"
    return set(names)
