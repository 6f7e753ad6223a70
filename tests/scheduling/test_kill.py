"""kill -9 at random moments of a run in a process of its own (the real report: tests/bench)."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest
from schedule_bench import SCHEDULE, invariants

SCRIPT = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from schedule_bench import Bench, Clock, Maker, utc

class Slow(Maker):
    def __call__(self, task):
        time.sleep(0.1)
        outcome = super().__call__(task)
        time.sleep(0.1)
        return outcome

bench = Bench(Path({folder!r}), Clock(utc({now!r})), Slow())
print("go", flush=True)
sys.exit(bench.run().run.exit_code)
"""


def start(bench, now: str) -> subprocess.Popen:
    import schedule_bench

    tests = str(next(iter(schedule_bench.__path__)) + "/..")
    code = SCRIPT.format(tests=tests, folder=str(bench.folder), now=now)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    return process


@pytest.mark.slow
def test_five_kills(bench):
    """Each slot has new evidence; after each kill the next run works, and nothing is used twice."""
    bench.write(
        SCHEDULE
        + "    evidence: {folder: drop, files: ['*.log'], settle: 1ms}\n"
        + "    keep: {failed: 99}\n"
    )
    (bench.folder / "drop").mkdir()
    moments = random.Random(11)
    killed = 0
    for day in range(1, 6):
        (bench.folder / f"drop/{day}.log").write_text(f"evidence {day}")
        time.sleep(0.01)
        now = f"2026-11-{day:02d} 06:00"
        with start(bench, now) as process:
            time.sleep(moments.uniform(0.0, 0.45))
            process.kill()
        killed += process.returncode == -9
        invariants_of_half_done(bench)
        with start(bench, now) as process:
            pass
        assert process.returncode == 0
        invariants(bench)
    assert killed >= 3
    good = [run for run in bench.state().runs if run.outcome == "pass"]
    assert [run.slot[:10] for run in good] == [f"2026-11-{day:02d}" for day in range(1, 6)]
    assert [list(run.evidence) for run in good] == [[f"{day}.log"] for day in range(1, 6)]
    assert sorted(p.name for p in (bench.folder / "drop").iterdir()) == [
        f"{day}.log" for day in range(1, 6)
    ]


def invariants_of_half_done(bench) -> None:
    """Right after the kill, before anybody repaired anything, no half report is to be seen."""
    if (bench.folder / "reports/nightly").is_dir():
        invariants(bench)
    assert bench.state() is not None
