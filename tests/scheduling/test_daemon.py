"""The daemon's time keeping, on a clock that the test moves; test_real.py runs it for real."""

import datetime as dt

import pytest

from perfkit.scheduling import daemon as daemons
from perfkit.scheduling.daemon import WAKE_S, Daemon
from perfkit.scheduling.schedule_file import open_schedule

SCHEDULE = """
timezone: UTC
entries:
  - {name: nightly, study: study, calendar: "WHEN"}
"""


def at(text):
    return dt.datetime.fromisoformat(f"{text}+00:00")


class Clock:
    """A clock that a wait moves on; ``jumps`` says what it shows after a wait's number."""

    def __init__(self, start, most_waits, jumps=None):
        self.now, self._left, self._jumps = at(start), most_waits, dict(jumps or {})
        self.waits = []

    def wait(self, seconds):
        """As Event.wait: True when the daemon was stopped, here after so many waits."""
        self.waits.append(seconds)
        self.now = self._jumps.get(len(self.waits), self.now + dt.timedelta(seconds=seconds))
        return len(self.waits) >= self._left


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Keep one entry; the moments at which it was called, and what was said."""

    def keep(when, clock, run_s=0):
        (tmp_path / "study").mkdir()
        (tmp_path / "study/study.yml").write_text("report: {title: The array}\n")
        (tmp_path / "schedule.yml").write_text(SCHEDULE.replace("WHEN", when))
        monkeypatch.setattr(daemons, "utc_now", lambda: clock.now)
        called, said = [], []
        daemon = Daemon(open_schedule(tmp_path / "schedule.yml"), said.append)
        monkeypatch.setattr(daemon._stop, "wait", clock.wait)

        def call(_entry):
            called.append(f"{clock.now:%m-%d %H:%M:%S}")
            clock.now += dt.timedelta(seconds=run_s)

        monkeypatch.setattr(daemon, "_call", call)
        daemon.keep(daemon._entries[0])
        return called, said

    return keep


def test_an_entry_is_called_at_the_start_and_at_each_slot(kept):
    """What was missed is made up at the start; a wait is never longer than WAKE_S."""
    clock = Clock("2026-01-01T05:58:45", most_waits=6)
    called, said = kept("*-*-* *:0/1", clock)
    assert called == ["01-01 05:58:45", "01-01 05:59:00", "01-01 06:00:00", "01-01 06:01:00"]
    assert clock.waits == [15, WAKE_S, 30, WAKE_S, 30, WAKE_S]
    assert said[0] == "nightly: next 2026-01-01 05:59:00 UTC"
    assert len(said) == 4  # a slot is told once


def test_a_slot_that_came_while_the_entry_ran_is_called_at_once(kept):
    """Two slots came: they are one call."""
    clock = Clock("2026-01-01T06:00:00", most_waits=1)
    called, said = kept("*-*-* 06:01,02:00", clock, run_s=200)
    assert called == ["01-01 06:00:00", "01-01 06:03:20"]
    assert said == ["nightly: next 2026-01-02 06:01:00 UTC"]


def test_a_laptop_that_slept_calls_the_slot_it_missed(kept):
    clock = Clock("2026-01-01T06:00:00", 2, {1: at("2026-01-02T08:30:00")})
    called, _ = kept("*-*-* 07:00:00", clock)
    assert called == ["01-01 06:00:00", "01-02 08:30:00"]


def test_a_clock_that_was_set_back_is_planned_anew(kept):
    clock = Clock("2026-01-03T06:00:00", 2, {1: at("2026-01-01T06:00:00")})
    called, said = kept("*-*-* 07:00:00", clock)
    assert called == ["01-03 06:00:00"]
    assert said == [
        "nightly: next 2026-01-03 07:00:00 UTC",
        "nightly: the clock was set back: planning anew",
        "nightly: next 2026-01-01 07:00:00 UTC",
    ]


def test_an_entry_without_a_further_slot_says_so(kept):
    called, said = kept("2020-01-01 07:00:00", Clock("2026-01-01T06:00:00", 1))
    assert called == ["01-01 06:00:00"]
    assert said == ["nightly: no further slot"]


def test_an_entry_that_cannot_be_started_waits_for_its_next_slot(monkeypatch, tmp_path):
    def full(*_args, **_options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    (tmp_path / "study").mkdir()
    (tmp_path / "study/study.yml").write_text("report: {title: The array}\n")
    (tmp_path / "schedule.yml").write_text(SCHEDULE.replace("WHEN", "2020-01-01 07:00:00"))
    monkeypatch.setattr(daemons.subprocess, "Popen", full)
    said = []
    daemon = Daemon(open_schedule(tmp_path / "schedule.yml"), said.append)
    daemon.keep(daemon._entries[0])
    assert said == [
        "nightly: cannot be started: Resource temporarily unavailable",
        "nightly: no further slot",
    ]
