"""perfkit's IOPS and p99 against the bare tool on the same target, in alternating runs."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import time
from pathlib import Path

import pytest

import perfkit as pk
from perfkit.core import intervals
from perfkit.formats import elbencho_json
from perfkit.measure.sweep import run_sweep
from perfkit.measure.workloads import named_workload

TURNS = int(os.environ.get("PERFKIT_TURNS", "12"))
SECONDS = 2
MEMORY = Path("/dev/shm")


@pytest.mark.parametrize("place", ["disk", "memory"])
@pytest.mark.parametrize("engine", ["fio", "elbencho"])
def test_perfkit_beside_the_bare_tool(tmp_path, ratio, engine, place):
    """The ratio of medians, the 95% interval of the paired ratios, and the p99s' buckets."""
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not on PATH")
    if place == "memory" and not os.access(MEMORY, os.W_OK):
        pytest.skip("no file system in memory")
    target = tmp_path / "target" if place == "disk" else MEMORY / f"perfkit-bench-{os.getpid()}"
    target.mkdir()
    try:
        pairs = [_pair(tmp_path, target, engine, turn) for turn in range(TURNS)]
    finally:
        shutil.rmtree(target)
    ours, bare = [[pair[n] for pair in pairs] for n in (0, 1)]
    share = statistics.median(x[0] for x in ours) / statistics.median(x[0] for x in bare)
    ratio(f"IOPS of {engine} on {place} / the bare tool", share, "higher")
    ratios = [a[0] / b[0] for a, b in zip(ours, bare, strict=True)]
    _, low, high, _ = intervals.answer_interval(statistics.geometric_mean(ratios), ratios)
    p99 = statistics.median(x[1] for x in ours) / statistics.median(x[1] for x in bare)
    overhead = statistics.median(x[2] for x in ours) - statistics.median(x[2] for x in bare)
    print(
        f"\n{engine} on {place}: IOPS perfkit / bare {share:.3f} (ratio of medians of {TURNS} "
        f"alternating runs; aim 2% of 1 in memory), 95% interval {low:.3f} to {high:.3f} "
        f"({'contains' if low <= 1 <= high else 'does not contain'} 1); p99 {p99:.3f}; "
        f"{overhead * 1e3:.0f} ms a point beyond the bare tool (aim 50 ms)"
    )


def _pair(folder, target, engine, turn):
    """(IOPS, p99, wall) of perfkit and of the bare tool; which is first alternates."""
    spec = named_workload(
        "oltp-select", engine=engine, load={"iodepth": [4]}, runtime=SECONDS, ramp=0, repeats=1,
        file_size="64 MiB", seed=turn,
    )  # fmt: skip
    if turn == 0:
        _perfkit(folder, spec, target, "first")
    own = [
        lambda: _perfkit(folder, spec, target, f"r{turn}"),
        lambda: _bare(folder, target, engine),
    ]
    order = (0, 1) if turn % 2 else (1, 0)
    found = {n: own[n]() for n in order}
    return found[0], found[1]


def _perfkit(folder, spec, target, run_id):
    clock = time.monotonic()
    marks = []

    def heard(event):
        if type(event).__name__ in {"PointStarted", "PointAccepted"}:
            marks.append(time.monotonic() - clock)

    run = run_sweep(
        spec, target, runs_dir=folder / "runs", run_id=run_id, progress=heard, keep_target=True
    )
    row = pk.read(run).load_points.frame.filter(direction="total").row(0, named=True)
    return row["iops"], row["lat_p99_s"], marks[1] - marks[0]


def _bare(folder, target, engine):
    """The command of a point, typed by hand: the same options and the same target."""
    point = folder / "runs" / "first" / "points" / "iodepth-4-r1"
    argv = json.loads((point / "command.json").read_text())["argv"]
    scratch = folder / "bare"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    (scratch / "target").symlink_to(next(target.glob("perfkit-*")))
    if engine == "fio":
        shutil.copy(point / "job.fio", scratch)
    clock = time.monotonic()
    # a session of its own, as perfkit's has: the kernel shares the CPU out by session (autogroup),
    # and beside a busy shell a bare fio in it had a fifth of the IOPS
    subprocess.run(argv, cwd=scratch, check=True, capture_output=True, start_new_session=True)
    wall = time.monotonic() - clock
    return *(_fio(scratch) if engine == "fio" else _elbencho(scratch)), wall


def _fio(scratch):
    job = json.loads((scratch / "fio.json").read_text())["jobs"][0]["read"]
    return job["iops"], job["lat_ns"]["percentile"]["99.000000"] / 1e9


def _elbencho(scratch):
    (phase,) = elbencho_json.phases((scratch / "elbencho.json").read_text(), "elbencho.json")
    (flow,) = phase.flows
    running = 0
    for index, count in flow.buckets:
        running += count
        if running >= 0.99 * flow.ios:
            return flow.iops, elbencho_json.edges_us(index)[1] / 1e6
    raise AssertionError("an empty histogram")
