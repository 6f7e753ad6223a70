"""Full size: a year of slots with 50 faults, and 20 kills of real scheduled reports."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
from places import TESTS
from schedule_bench import Bench, invariants
from schedule_bench.year import simulate

from perfkit.scheduling.child import MARK
from perfkit.scheduling.folders import kept

SAMPLE = TESTS / "data/fio/rw75_jsonplus.json"


def test_a_year_with_fifty_faults(tmp_path):
    """365 slots, each once; 50 faults, each listed with its reason; retention exact."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study/study.yml").write_text("report: {title: The array}\n")
    bench, began = Bench(tmp_path), time.monotonic()
    simulate(bench, days=365, faults=50, seed=2026)
    runs = bench.state().runs
    failed = sum(run.outcome in {"failed", "interrupted"} for run in runs)
    took = time.monotonic() - began
    print(f"\nyear: 365 slots, {len(runs)} runs, {failed} of 50 faults listed, {took:.0f} s")
    assert failed == 50


STUDY = """\
report: {title: Dropped results, authors: [Test]}
evidence:
  - {files: "incoming/*.json", kind: fio, repeat: 'r(\\d+)',
     load: {kind: iodepth, name: 'qd(\\d+)'}}
notebook: fio_results
"""
SCHEDULE = """\
timezone: Europe/Oslo
entries:
  - name: nightly
    study: study
    calendar: "*-*-* 06:00"
    evidence: {folder: drop, files: ["*.json"], settle: 10ms}
    keep: {last: 99, failed: 99}
"""


def test_twenty_kills(tmp_path):
    """After each kill no half report is seen; the next run works; evidence is used once."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study/study.yml").write_text(STUDY)
    (tmp_path / "schedule.yml").write_text(SCHEDULE)
    (tmp_path / "drop").mkdir()
    bench, draw, hit = Bench(tmp_path), random.Random(5), 0
    whole = timed(tmp_path, "2026-01-01")
    for day in range(2, 22):
        date = f"2026-01-{day:02d}"
        drop(tmp_path, day)
        process = subprocess.Popen(call(tmp_path, date), stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.0, 0.9 * whole))
        hit += process.poll() is None
        process.kill()
        process.wait()
        invariants(bench)
        assert subprocess.run(call(tmp_path, date), check=False).returncode == 0
        invariants(bench)
        assert not leftovers()
    good = [item for item in kept(tmp_path / "reports/nightly") if item.good]
    used = [name for item in good for name in item.run.evidence]
    print(
        f"\nkills: 20, {hit} while it ran; {len(good)} reports, {len(used)} files, each used once"
    )
    assert len(good) == 21
    assert sorted(used) == sorted(path.name for path in (tmp_path / "drop").iterdir())


def drop(folder: Path, number: int) -> None:
    """A result of its own content."""
    record = json.loads(SAMPLE.read_text())
    record["timestamp"] += number
    (folder / f"drop/qd16_r{number}.json").write_text(json.dumps(record))


def call(folder: Path, date: str) -> list[str]:
    argv = [sys.executable, "-m", "perfkit", "schedule", "run", "nightly"]
    return [*argv, "--at", f"{date}T06:00", "--file", str(folder)]


def timed(folder: Path, date: str) -> float:
    shutil.copy(SAMPLE, folder / "drop/qd16_r1.json")
    began = time.monotonic()
    subprocess.run(call(folder, date), check=True)
    return time.monotonic() - began


def leftovers() -> list[int]:
    """Processes of a scheduled run that outlived it."""
    found = []
    for process in psutil.process_iter():
        try:
            if MARK in process.environ() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found
