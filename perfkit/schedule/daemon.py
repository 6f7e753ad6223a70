"""Keeping all entries of a schedule in time from one process: for containers and laptops.

APScheduler 3 waits and calls; it is given moments only (our own next slot), never a calendar: its
cron triggers count weekdays from Monday. Each run is a ``perfkit schedule run NAME --due`` of its
own, which holds what is promised of a run whoever calls it.
"""

from __future__ import annotations

import datetime as dt
import logging
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

from perfkit.schedule.child import GRACE_S
from perfkit.schedule.run import utc_now
from perfkit.schedule.state import Store
from perfkit.schedule.units import command

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfkit.schedule.schedule_file import Scheduled

WAKE_S = 30.0
"""The clock is looked at so often: a laptop that slept, or a clock that was set, is noticed."""


class Daemon:
    """The entries of one schedule, each with its next slot."""

    def __init__(self, entries: list[Scheduled], say: Callable[[str], None]):
        from apscheduler.executors.pool import ThreadPoolExecutor
        from apscheduler.schedulers.background import BackgroundScheduler

        self._entries, self._say = entries, say
        self._stop = threading.Event()
        self._children: set[subprocess.Popen[bytes]] = set()
        # its remark that a job was late is ours to make
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._scheduler: Any = BackgroundScheduler(
            timezone=dt.UTC,
            executors={"default": ThreadPoolExecutor(len(entries))},
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )

    def run(self) -> None:
        """Keep time until ``stop`` or KeyboardInterrupt; what runs is then ended in order."""
        for entry in self._entries:
            Store(entry.state).begin(utc_now())
            self._plan(entry, utc_now(), first=True)
        self._scheduler.start()
        try:
            seen = utc_now()
            while not self._stop.wait(WAKE_S):
                if utc_now() < seen:
                    self._clock_was_set_back()
                seen = utc_now()
                # APScheduler sleeps by the monotonic clock: after a jump it must look again
                self._scheduler.wakeup()
        finally:
            self._stop.set()
            for child in list(self._children):
                child.terminate()
            for child in list(self._children):
                child.wait(2 * GRACE_S)
            self._scheduler.shutdown(wait=True)

    def stop(self) -> None:
        """Let ``run`` return."""
        self._stop.set()

    def _clock_was_set_back(self) -> None:
        self._say("the clock was set back: planning anew")
        for entry in self._entries:
            self._plan(entry, utc_now())

    def _plan(self, entry: Scheduled, when: dt.datetime, *, first: bool = False) -> None:
        from apscheduler.triggers.date import DateTrigger

        # at the start each entry is asked once: what was missed is made up
        moment = when if first else entry.next_after(when)
        if moment is None:
            self._say(f"{entry.name}: no further slot")
            return
        if not first:
            self._say(f"{entry.name}: next {moment.astimezone(entry.zone):%Y-%m-%d %H:%M:%S %Z}")
        self._scheduler.add_job(
            self._due, DateTrigger(moment), args=[entry], id=entry.name, replace_existing=True
        )

    def _due(self, entry: Scheduled) -> None:
        """Run what is due, and once more for a slot that came meanwhile; then plan the next."""
        began = utc_now()
        try:
            self._call(entry)
            newest = entry.newest_until(utc_now())
            while newest and newest > began and not self._stop.is_set():
                began = utc_now()
                self._call(entry)
                newest = entry.newest_until(utc_now())
        finally:
            if not self._stop.is_set():
                self._plan(entry, began)

    def _call(self, entry: Scheduled) -> None:
        if self._stop.is_set():
            return
        child = subprocess.Popen(command(entry), stdin=subprocess.DEVNULL)
        self._children.add(child)
        try:
            code = child.wait()
        finally:
            self._children.discard(child)
        self._say(f"{entry.name}: ended with exit code {code}")


def serve(entries: list[Scheduled]) -> None:
    """Run the daemon in this process, telling on stderr."""

    def say(text: str) -> None:
        sys.stderr.write(f"{utc_now():%Y-%m-%d %H:%M:%S} UTC {text}\n")
        sys.stderr.flush()

    Daemon(entries, say).run()
