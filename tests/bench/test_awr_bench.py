"""How fast AWR reports are read, in how much memory, and what a second process brings."""

from __future__ import annotations

import multiprocessing
import os
import statistics
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from forges import awr
from places import ROOT
from selectolax.lexbor import LexborHTMLParser

from perfkit.sources.awr import read_awr

REAL = ROOT / "../shared/real/awr"
SERIES = ROOT / "../shared/real/foreign/awr_series_day.tar.xz"
TURNS = 5
TURNS_PARALLEL = 3


def files(folder):
    """The real HTML reports where they are, a day's series among them, else forged ones."""
    real = sorted(REAL.glob("*.html")) if REAL.is_dir() else []
    if real:
        if SERIES.is_file():
            with tarfile.open(SERIES) as packed:
                packed.extractall(folder, filter="data")
        return "real", [*real, *sorted(folder.rglob("awrrpt_*.html"))]
    made = []
    for seed in range(6):
        path = folder / f"{seed}.html"
        content = awr.sample(seed, instances=3, events=200, statements=60, longest=4000)
        forge = awr.forge_rac if seed % 2 else awr.forge_html
        path.write_bytes(forge(content).data)
        made.append(path)
    return "forged", made


def bare_walk(path):
    """A bare walk over all cells: parse, and take the text of each cell."""
    tree = LexborHTMLParser(path.read_bytes())
    return sum(len(cell.text()) for cell in tree.css("td, th"))


def timed(action, paths):
    """Seconds of CPU, of all threads, of one pass over the files: other programs do not count."""
    clock = time.process_time()
    for path in paths:
        action(path)
    return time.process_time() - clock


def test_throughput_of_a_full_read_against_a_bare_walk(tmp_path, ratio):
    """The ratio of both in one run, in alternating passes; at least 0.7, aim above 1."""
    kind, paths = files(tmp_path)
    size = sum(path.stat().st_size for path in paths) / 1e6
    timed(read_awr, paths[:1])
    ratios, reads = [], []
    for _ in range(TURNS):
        walk, full = timed(bare_walk, paths), timed(read_awr, paths)
        ratios.append(walk / full)
        reads.append(size / full)
    share = statistics.median(ratios)
    ratio(f"AWR, full read of {kind} files / bare walk", share, "higher")
    print(
        f"\nAWR read: {len(paths)} {kind} files, {size:.1f} MB: "
        f"{statistics.median(reads):.1f} MB/s, {share:.2f} x a bare lexbor walk over all cells "
        f"(median of {TURNS} passes, {min(ratios):.2f} to {max(ratios):.2f}; floor 0.7, aim 1.0)"
    )
    assert share >= 0.7


PEAK = """
import sys
from pathlib import Path
from perfkit.sources.awr.read import read_awr

def peak():
    # of this program alone: ru_maxrss begins with what the parent had when it forked
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

read_awr(sys.argv[1])
before = peak()
read_awr(sys.argv[2])
print(peak() - before)
"""
"""A small report is read first: all that is imported when needed is there before the measure."""


def large(size):
    """A forged RAC report of about so many bytes, most of them in tables that are wanted."""
    events = 2000
    while True:
        content = awr.sample(1, instances=4, events=events, statements=5)
        data = awr.forge_rac(content).data
        if len(data) >= size * 0.9:
            return data
        events = int(events * size / len(data)) + 1


@pytest.mark.parametrize("kind", ["tables", "sql text"])
def test_peak_memory_of_a_20_mb_report(kind, tmp_path, ratio):
    """Above what the imports and a small report need, as a multiple of the file; at most 12."""
    if kind == "tables":
        data = large(20_000_000)
    else:
        content = awr.sample(1, statements=250, longest=20_000)
        data = awr.forge_html(content).data
    big, small = tmp_path / "big.html", tmp_path / "small.html"
    big.write_bytes(data)
    small.write_bytes(awr.forge_html(awr.sample(2)).data)
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(small), str(big)], capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    multiple = int(done.stdout) * 1024 / len(data)
    print(f"\nAWR memory: {len(data) / 1e6:.1f} MB of {kind}: {multiple:.1f} x its size (limit 12)")
    ratio(f"AWR, memory of a {kind} report / its size", multiple, "lower")
    assert multiple <= 12


def read_one(folder, number):
    """Read one report, and give the process' peak memory in MiB."""
    read_awr(folder / f"{number}.html", root=folder)
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def pass_over(folder, workers, count):
    """Reports per second of so many workers, CPU seconds they took, their peak memory in turn."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        # the workers are started and have imported everything before the clock
        list(pool.map(partial(read_one, folder), range(workers * 20)))
        clock, before = time.perf_counter(), spent(pool)
        peaks = list(pool.map(partial(read_one, folder), range(count), chunksize=10))
        took, used = time.perf_counter() - clock, spent(pool) - before
    return count / took, used, peaks


def spent(pool):
    """CPU seconds of a pool's workers so far, of all their threads."""
    ticks = 0
    for number in pool._processes:
        fields = Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def test_two_processes_against_one_on_1000_reports(tmp_path, ratio):
    """Two workers read 1,000 reports at 1.7 x the speed of one; memory stays flat.

    Judged on the wall, which needs a machine at rest: the load is printed. CPU time stands beside
    it, to tell what the workers cost each other from what other programs took.
    """
    count = int(os.environ.get("AWR_REPORTS", "1000"))
    for number in range(count):
        content = awr.sample(number % 20, statements=2, few=True)
        (tmp_path / f"{number}.html").write_bytes(awr.forge_html(content).data)
    load = os.getloadavg()[0]
    wall, cpu, rates = [], [], []
    for _ in range(TURNS_PARALLEL):
        one, used, peaks = pass_over(tmp_path, 1, count)
        two, both, _ = pass_over(tmp_path, 2, count)
        wall.append(two / one)
        cpu.append(2 * used / both)
        rates.append((one, two))
    one, two = (statistics.median(side) for side in zip(*rates, strict=True))
    early, late = max(peaks[: count // 5]), max(peaks)
    print(
        f"\nAWR parallel: {one:.0f} reports/s in one process, {two:.0f} in two: "
        f"{statistics.median(wall):.2f} x on the wall, {statistics.median(cpu):.2f} x by CPU time "
        f"(aim 1.7; load {load:.1f} before, {os.cpu_count()} cores); "
        f"peak memory {early:.0f} MiB after {count // 5}, {late:.0f} MiB after {count}"
    )
    ratio("AWR, two processes / one, by CPU time", statistics.median(cpu), "higher")
    assert late - early < 30
    assert statistics.median(cpu) >= 1.7
    assert statistics.median(wall) >= 1.7
