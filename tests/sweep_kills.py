"""Killing sweeps at random moments: what the tests do a few times and the bench two hundred."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import namedtuple
from datetime import UTC, datetime

import psutil
from target_tricks import TRICKS, WHOLE

import perfkit as pk
from perfkit.core.errors import ParseError

SPEC = {
    "load": {"iodepth": [1, 2]}, "file_size": "8 MiB", "runtime": "300ms", "ramp": 0, "repeats": 2,
    "block_size": "256 KiB", "read_percent": 100,
}  # fmt: skip
POINTS = {"iodepth-1-r1", "iodepth-2-r1", "iodepth-1-r2", "iodepth-2-r2"}

_SWEEP = """\
from pathlib import Path
from perfkit.measure.workloads import named_workload
from perfkit.measure.sweep import run_sweep
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
    process.communicate()
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
    said = again.communicate()[1]
    assert again.returncode == 0, f"seed {seed}: no resume after {how}: {said}"
    assert accepted(folder) == valid(folder) == POINTS, f"seed {seed}: not complete after {how}"
    left = [path.name for path in (folder / "runs" / "r" / "points").glob(".tmp-*")]
    assert not left, f"seed {seed}: {left} left"
    assert not list((folder / "target").iterdir()), f"seed {seed}: a target file is left"
    return how, early, len(before)


def kill_and_exchange(folder, seed, spec=SPEC, longest=2.5):
    """Begin a sweep, do something to its file at a random moment, mostly after a kill; resume.

    Raises AssertionError where a byte of the user's changes, something of theirs is removed, a
    point counts in which the file was exchanged, or the resumed run is not complete.
    """
    chance = random.Random(seed)
    (folder / "target").mkdir()
    theirs = folder / "theirs"
    theirs.write_bytes(os.urandom(WHOLE))
    before = _digest(theirs)
    process = start(folder, spec)
    # from when the file is there: on a busy machine perfkit may take seconds to begin, and a strike
    # before that would prove nothing
    while not next(folder.glob("target/perfkit-*/owner.json"), None) and process.poll() is None:
        time.sleep(0.005)
    time.sleep(chance.uniform(0.0, longest))
    killed = chance.random() < 0.75
    if killed:
        strike(process, folder, signal.SIGKILL)
        process.wait()
    trick, moments = chance.choice(TRICKS), [datetime.now(UTC)]
    own = next(folder.glob("target/perfkit-*/*.dat"), None)
    done = own is not None
    if done:
        try:
            trick(own, theirs)
        except (OSError, subprocess.CalledProcessError):
            # the sweep was at its end, and took its file away
            assert not killed
            done = False
    moments.append(datetime.now(UTC))
    process.communicate()
    left = {p: _digest(p) for p in folder.glob("target/*/*") if p.is_file()}
    again = start(folder, spec)
    said = again.communicate()[1]
    name = f"seed {seed}: {trick.__name__}"
    assert again.returncode == 0, f"{name}: no resume: {said}"
    assert _digest(theirs) == before, f"{name}: the user's file was changed"
    for path, old in left.items():
        if path.exists():
            assert _digest(path) == old, f"{name}: {path} was changed"
        else:
            # only what was provably our own may be gone
            assert trick.__name__ in OURS or not done, f"{name}: {path} was removed"
    for point in (folder / "runs" / "r" / "points").iterdir():
        _not_exchanged_in(json.loads((point / "point.json").read_text()), moments, name, done)
    assert accepted(folder) == valid(folder) == POINTS, f"{name}: not complete"
    return trick.__name__ if done else NOT_DONE, killed


NOT_DONE = "not done: the file was gone"

OURS = {"removed", "punched", "never_written"}
"""After these what is left is provably perfkit's own, or nothing but its record."""


def _not_exchanged_in(point, moments, name, done):
    told = point["target"]
    assert told["problem"] is None
    assert told["before"]
    assert {"name", "handle", "token", "blocks"} <= set(told["after"]["proved"])
    began, ended = (datetime.fromisoformat(point[key]) for key in ("started_utc", "ended_utc"))
    inside = began < moments[0] and moments[1] < ended
    assert not (done and inside), f"{name}: {point['name']} counts, in which it was done"


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def accepted(folder):
    place = folder / "runs" / "r" / "points"
    return {p.name for p in place.iterdir() if p.name[0] != "."} if place.is_dir() else set()


Account = namedtuple("Account", "ios iops lat_mean_s")


def own_account(point):
    """What the tool's own file says of a point of pure reads; read without perfkit."""
    if (point / "elbencho.json").exists():
        # a document a phase: the sync before it, and the reads
        lines = (point / "elbencho.json").read_text().splitlines()
        phases = [json.loads(line) for line in lines if line.strip()]
        (phase,) = [phase for phase in phases if phase["phase_type"] == "READ"]
        done = phase["last_done"]
        latency = done["latency"]["IO"]
        ios = sum(int(bucket["count"]) for bucket in latency["histogram"]["buckets"])
        return Account(ios, float(done["iops"]), int(latency["avg_us"]) / 1e6)
    (job,) = json.loads((point / "fio.json").read_text())["jobs"]
    read = job["read"]
    return Account(read["total_ios"], read["iops"], read["lat_ns"]["mean"] / 1e9)


def valid(folder):
    """The points that the run's reader takes for results, each as its tool's own file says.

    How busy the machine was is no matter here: a point is whole where its I/Os and its mean
    latency are those of its own file, and no more are in flight than were asked for.
    """
    try:
        found = pk.read(folder / "runs" / "r")
    except ParseError:
        return set()
    names = found.points.frame["point"].to_list()
    assert len(set(names)) == len(names)
    for row in found.load_points.frame.filter(direction="total").iter_rows(named=True):
        name = f"iodepth-{row['load']:g}-r{row['repeat']}"
        told = own_account(folder / "runs" / "r" / "points" / name)
        assert row["ios"] in {None, told.ios}, name
        assert abs(row["iops"] / told.iops - 1) <= 0.01, name
        assert abs(row["lat_mean_s"] / told.lat_mean_s - 1) <= 0.001, name
        assert row["iops"] * row["lat_mean_s"] <= row["load"] * 1.05, name
    return set(names)
