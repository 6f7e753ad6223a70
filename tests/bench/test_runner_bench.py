"""What perfkit adds to fio's own time, and how light its front door is."""

from __future__ import annotations

import json
import resource
import shutil
import statistics
import subprocess
import sys
import time

from perfkit.runners.sweep import run_sweep
from perfkit.runners.workloads import named_workload


def test_overhead_of_the_runner_per_point(tmp_path):
    """perfkit's wall time per point against bare fio on the same job file, in alternating runs."""
    target = tmp_path / "target"
    target.mkdir()
    overhead, bare = [], []
    for turn in range(6):
        spec = named_workload(
            "oltp-select", load={"iodepth": [1, 4]}, runtime=1, ramp=0, repeats=1, seed=turn,
            file_size="64 MiB",
        )  # fmt: skip
        clock = time.monotonic()
        run = run_sweep(
            spec, target, runs_dir=tmp_path / "runs", progress=lambda _: None, keep_target=True
        )
        whole = time.monotonic() - clock
        if turn == 0:
            continue  # the first call lays out the target file
        points = sorted((run / "points").iterdir())
        walls = [_bare_fio(point, target) for point in points]
        bare += walls
        overhead.append((whole - sum(walls)) / len(points))
    print(
        f"\nrunner: {statistics.median(overhead) * 1e3:.0f} ms per point beyond bare fio "
        f"(median of {len(overhead)} sweeps of 2 points; aim 50 ms); "
        f"bare fio {statistics.median(bare):.2f} s for 1 s of I/O"
    )


def _bare_fio(point, target):
    """The wall time of the same command, as perfkit noted it down, without perfkit."""
    argv = json.loads((point / "command.json").read_text())["argv"]
    scratch = point.parent.parent / "bare"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    (scratch / "target").symlink_to(target)
    shutil.copy(point / "job.fio", scratch)
    clock = time.monotonic()
    subprocess.run(argv, cwd=scratch, check=True, capture_output=True)
    return time.monotonic() - clock


def test_cpu_of_help():
    """CPU seconds of `perfkit --help` beside a bare interpreter's."""

    def cpu(argv):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *argv], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    helps = [cpu(["-m", "perfkit", "--help"]) for _ in range(7)]
    bare = [cpu(["-c", "pass"]) for _ in range(7)]
    print(
        f"\nperfkit --help: {statistics.median(helps):.2f} s CPU (aim 0.30 s), "
        f"{statistics.median(helps) / statistics.median(bare):.1f} x a bare interpreter"
    )
