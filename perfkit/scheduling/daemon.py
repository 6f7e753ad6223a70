"""Runs all entries of a schedule on time from one process: for containers and laptops.

Each entry has a thread that waits for its next slot. Each run is a ``perfkit schedule run NAME
--due`` of its own, which behaves the same whatever calls it.
"""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

from perfkit.scheduling.child import GRACE_S
from perfkit.scheduling.run import utc_now
from perfkit.scheduling.schedule_file import Scheduled
from perfkit.scheduling.state import StateFolder

WAKE_S = 30.0
"""Seconds between looks at the clock while waiting: a laptop may sleep, a clock may be set."""


class Daemon:
    """The entries of one schedule, each with its next slot."""

    def __init__(self, entries: list[Scheduled], say: Callable[[str], None]):
        self._entries, self._say = entries, say
        self._stop = threading.Event()
        self._children: set[subprocess.Popen[bytes]] = set()

    def run(self) -> None:
        """Run the entries until ``stop`` or KeyboardInterrupt; running ones are then stopped."""
        for entry in self._entries:
            StateFolder(entry.state).begin(utc_now())
        with ThreadPoolExecutor(len(self._entries)) as threads:
            try:
                for kept in as_completed([threads.submit(self.keep, e) for e in self._entries]):
                    kept.result()
                self._stop.wait()  # no entry has a further slot
            finally:
                self._end()

    def stop(self) -> None:
        """Let ``run`` return."""
        self._stop.set()

    def keep(self, entry: Scheduled) -> None:
        """Run an entry at the start, for a missed slot, and then at every slot."""
        began: dt.datetime | None = utc_now()
        while began is not None and not self._stop.is_set():
            self._call(entry)
            began = self._awaited(entry, began)

    def _awaited(self, entry: Scheduled, after: dt.datetime) -> dt.datetime | None:
        """Wait for the first slot after a moment; the time then, or None when there is none.

        The slot may have passed already: it came while the entry ran.
        """
        slot, seen, told = entry.next_after(after), after, None
        while slot is not None and (now := utc_now()) < slot:
            if now < seen:
                self._say(f"{entry.name}: the clock was set back: planning anew")
                slot = entry.next_after(now) or slot
            if slot != told:
                self._say(f"{entry.name}: next {slot.astimezone(entry.zone):%Y-%m-%d %H:%M:%S %Z}")
            seen, told = now, slot
            # Event.wait counts by the monotonic clock, which does not see a sleep or a set clock
            if self._stop.wait(min(WAKE_S, (slot - now).total_seconds())):
                return None
        if slot is None:
            self._say(f"{entry.name}: no further slot")
            return None
        return utc_now()

    def _call(self, entry: Scheduled) -> None:
        try:
            child = subprocess.Popen(entry.command, stdin=subprocess.DEVNULL)
        except OSError as problem:  # no memory or no process left: the next slot may find some
            self._say(f"{entry.name}: cannot be started: {problem.strerror or problem}")
            return
        self._children.add(child)
        if self._stop.is_set():  # while it started
            child.terminate()
        try:
            code = child.wait()
        finally:
            self._children.discard(child)
        self._say(f"{entry.name}: ended with exit code {code}")

    def _end(self) -> None:
        self._stop.set()
        for child in list(self._children):
            child.terminate()
        for child in list(self._children):
            child.wait(2 * GRACE_S)


def serve(entries: list[Scheduled]) -> None:
    """Run the daemon in this process, telling on stderr."""

    def say(text: str) -> None:
        sys.stderr.write(f"{utc_now():%Y-%m-%d %H:%M:%S} UTC {text}\n")
        sys.stderr.flush()

    Daemon(entries, say).run()
