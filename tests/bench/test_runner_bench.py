"""What perfkit adds to fio's own time, and how light its front door is."""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from perfkit.measure.engines.fio import SERVER
from perfkit.measure.fleet.hosts import Fleet, hosts_of
from perfkit.measure.safety.files import claimed_file
from perfkit.measure.sweep import run_sweep
from perfkit.measure.workloads import named_workload


def test_overhead_of_the_runner_per_point(tmp_path):
    """perfkit's wall time per point against bare fio on the same job file, in alternating runs.

    What a run takes once (a tenth of a second of it shows how busy the host is) is told apart: it
    is what sweeps of two and of six points have in common.
    """
    target = tmp_path / "target"
    target.mkdir()
    each, once, bare = [], [], []
    for turn in range(4):
        over = []
        for loads in ([1, 4], [1, 2, 3, 4, 5, 6]):
            whole, walls = _against_bare(loads, turn, target, tmp_path / "runs")
            bare += walls
            over.append(whole - sum(walls))
        if turn == 0:
            continue  # the first call lays out the target file
        each.append((over[1] - over[0]) / 4)
        once.append(over[0] - 2 * each[-1])
    print(
        f"\nrunner: {statistics.median(each) * 1e3:.0f} ms per point beyond bare fio (median of "
        f"{len(each)} pairs of sweeps; aim 50 ms), and {statistics.median(once) * 1e3:.0f} ms per "
        f"run; bare fio {statistics.median(bare):.2f} s for 1 s of I/O"
    )


def _against_bare(loads, seed, target, runs):
    """Seconds of a sweep, and of bare fio on each of its job files."""
    spec = named_workload(
        "oltp-select", load={"iodepth": loads}, runtime=1, ramp=0, repeats=1, seed=seed,
        file_size="64 MiB",
    )  # fmt: skip
    clock = time.monotonic()
    run = run_sweep(spec, target, runs_dir=runs, progress=lambda _: None, keep_target=True)
    whole = time.monotonic() - clock
    return whole, [_bare_fio(point, target) for point in sorted((run / "points").iterdir())]


def test_checks_of_the_target(tmp_path):
    """What proving the file takes: here, and over the sessions of two hosts on this machine."""
    size = 64 << 20
    with claimed_file(tmp_path, size, direct=False) as file:
        _fill(file.handle, size)
        file.mark_laid_out()
        here = [file.check_again()["check_s"] for _ in range(50)]
        file.remove()
    fleet = Fleet(hosts_of(("127.0.0.1:1", "127.0.0.1:2"), 1), tmp_path, size, SERVER)
    fleet.open()
    try:
        fleet.claim()
        for one in fleet.taken:
            with Path(one.path).open("r+b") as opened:
                _fill(opened.fileno(), size)
        fleet.mark_laid_out()
        trips = [_timed(fleet.check_again) for _ in range(50)]
        fleet.remove()
    finally:
        fleet.close()
    there = [max(one["check_s"] for one in told.values()) for _, told in trips]
    whole = statistics.median(seconds for seconds, _ in trips)
    print(
        f"\nproof of the target: {statistics.median(here) * 1e3:.2f} ms here, twice a point; two "
        f"hosts {whole * 1e3:.2f} ms, one round trip a point, of which "
        f"{statistics.median(there) * 1e3:.2f} ms are the check (medians of 50)"
    )


def _fill(handle, size):
    for at in range(0, size, 1 << 20):
        os.pwrite(handle, os.urandom(1 << 20), at)


def _timed(work):
    clock = time.monotonic()
    found = work()
    return time.monotonic() - clock, found


def _bare_fio(point, target):
    """The wall time of the same command, as perfkit noted it down, without perfkit."""
    argv = json.loads((point / "command.json").read_text())["argv"]
    scratch = point.parent.parent / "bare"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    (scratch / "target").symlink_to(next(target.glob("perfkit-*")))
    shutil.copy(point / "job.fio", scratch)
    clock = time.monotonic()
    # a session of its own, as perfkit's has: the kernel shares the CPU out by session (autogroup),
    # and beside a busy shell a bare fio in it had a fifth of the IOPS
    subprocess.run(argv, cwd=scratch, check=True, capture_output=True, start_new_session=True)
    return time.monotonic() - clock


def test_cpu_of_help(ratio):
    """CPU seconds of `perfkit --help` beside a bare interpreter's."""

    def cpu(argv):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *argv], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    helps = [cpu(["-m", "perfkit", "--help"]) for _ in range(7)]
    bare = [cpu(["-c", "pass"]) for _ in range(7)]
    ratio("CPU of perfkit --help / a bare interpreter",
          statistics.median(helps) / statistics.median(bare), "lower")  # fmt: skip
    print(
        f"\nperfkit --help: {statistics.median(helps):.2f} s CPU (aim 0.30 s), "
        f"{statistics.median(helps) / statistics.median(bare):.1f} x a bare interpreter"
    )
