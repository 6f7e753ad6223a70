"""A simulated time of slots: one a day, faults at random days, the clock pushed to and fro."""

from __future__ import annotations

import datetime as dt
import random
import shutil
from typing import TYPE_CHECKING

from perfkit.core.errors import MissingPartError, ReportError, RunError, StudyError
from perfkit.scheduling.listing import overview
from schedule_bench import SCHEDULE, invariants

if TYPE_CHECKING:
    from schedule_bench import Bench

KEEP, KEEP_FAILED = 14, 6
BEGIN = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)

FAULTS = [
    lambda n: ReportError(f"sweep.ipynb: cell {n} ('f()'): ValueError: fault {n}"),
    lambda n: MissingPartError(f"Chrome is not there, fault {n}"),
    lambda n: MissingPartError(f"cannot start 'fio': fault {n}"),
    lambda n: StudyError("study.yml", f"not YAML: fault {n}", n),
    lambda n: OSError(28, f"No space left on device, fault {n}"),
    lambda n: RunError(f"not done within 60 s: fault {n}"),
    lambda n: ZeroDivisionError(f"fault {n}"),
    SystemExit,  # the process dies: an interruption, made up by the next call
]


def simulate(bench: Bench, *, days: int, faults: int, seed: int) -> None:
    """Run the days and assert what must hold at the end."""
    draw = random.Random(seed)
    bench.write(
        SCHEDULE.replace("06:00", "02:30") + f"    keep: {{last: {KEEP}, failed: {KEEP_FAILED}}}\n"
    )
    chosen = sorted(draw.sample(range(days), faults))
    expected: dict[str, str] = {}
    slots, slot = [], bench.entry().newest_until(BEGIN)
    for day in range(days):
        slot = bench.entry().next_after(slot)
        slots.append(slot)
        bench.clock.now = slot + dt.timedelta(seconds=draw.choice([0, 1, 30, 3600]))
        if day in chosen:
            fault = FAULTS[chosen.index(day) % len(FAULTS)](day)
            expected[slot.isoformat()] = str(fault)
            bench.make.fault = fault
        _call(bench)
        _push_the_clock(bench, draw, slot)
        if draw.random() < 0.03:
            shutil.rmtree(bench.folder / "reports")  # an output folder that vanished
            bench.folder.joinpath("vanished").write_text(slot.isoformat())
    _check(bench, slots, expected)


def _call(bench: Bench) -> None:
    for _ in range(3):  # a timer that calls too often
        try:
            bench.run(due=True)
        except SystemExit:
            continue


def _push_the_clock(bench: Bench, draw: random.Random, slot: dt.datetime) -> None:
    """Back by hours or days that were run already: nothing may be run again."""
    before = len(bench.make.made)
    for hours in (draw.randrange(1, 24), -draw.randrange(1, 20)):
        moment = slot + dt.timedelta(hours=min(hours, 20))
        newest = bench.entry().newest_until(moment)
        if newest is None or newest < BEGIN:
            continue
        bench.clock.now = moment
        bench.run(due=True)
    assert len(bench.make.made) == before, "a slot was run again after the clock was pushed"


def _check(bench: Bench, slots: list[dt.datetime], expected: dict[str, str]) -> None:
    runs = bench.state().runs
    ended = [run for run in runs if run.outcome != "interrupted"]
    assert [run.slot for run in ended] == [slot.isoformat() for slot in slots]
    told = {run.slot: run for run in runs if run.outcome in {"failed", "interrupted"}}
    assert set(told) == set(expected)
    for slot, words in expected.items():
        run = told[slot]
        if run.outcome == "failed":
            assert words in f"{run.reason}", slot
        else:
            assert run.reason == "ended without a word: killed, or the machine went down"
    listed = overview(bench.entry(), slots[-1], len(runs) + 10).past
    assert {run.slot for run in listed if run.outcome in {"failed", "interrupted"}} == set(expected)
    assert not [run for run in listed if run.outcome == "missed"]
    _check_folders(bench, runs)
    invariants(bench)


def _check_folders(bench: Bench, runs: tuple) -> None:
    marker = bench.folder / "vanished"
    since = marker.read_text() if marker.exists() else ""
    there = [run for run in runs if run.folder and run.slot > since]
    good = [run.folder for run in there if run.outcome == "pass"][-KEEP:]
    bad = [run.folder for run in there if run.outcome != "pass"][-KEEP_FAILED:]
    reports = bench.folder / "reports/nightly"
    names = {path.name for path in reports.iterdir()} if reports.is_dir() else set()
    assert names - {"latest"} == {*good, *bad}
    if good:
        assert str((reports / "latest").readlink()) == good[-1]
