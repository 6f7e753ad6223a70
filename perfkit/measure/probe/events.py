"""What happens during a point: commands run once or repeatedly, and marks that people set.

A command of ``events`` is run once, at its time. One of ``observe`` (the array's counters, a
switch's, a log) is run when the point begins, every so often while it runs, and once more at its
end; what it printed is kept as it is, with the time, and a reader takes it apart
(``sources.rundir``).

A mark is a line that somebody appends to the file ``marks.txt`` of the run's folder while a point
is measured, by ``perfkit mark runs/RUN "pulled path A"``. Its time is that of its arrival.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.measure.probe.meanwhile import Meanwhile, printed

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.measure.parts import Event, Observe

MARKS = "marks.txt"
"""The file of a run's folder to which marks are appended."""

LOOK_S = 0.05
"""Seconds between two looks at it: how exactly the time of a mark is known."""

GRACE_S = 30.0
"""Seconds that a command may take beyond the end of its point."""

LONGEST = 500
"""Characters of a mark, or of what a command of an event printed, that are kept."""
LONGEST_READING = 1 << 20
"""Characters of one reading that are kept."""
PREFIX = "observed-"
"""The beginning of the names of a point's files of readings."""


@dataclass(frozen=True)
class Happened:
    """An event of a point, as point.json holds it.

    Attributes:
        t_s: Seconds since the point began, as ``t_s`` of host.csv.
        utc: The same moment.
        name: The event's name; None: a mark.
        took_s: How long the command took; None: a mark.
        problem: Why the command failed, if it did.
        text: The mark, or what the command printed.
    """

    t_s: float
    utc: str
    name: str | None = None
    took_s: float | None = None
    problem: str | None = None
    text: str = ""


class Occurrence(Meanwhile):
    """Runs the command of an event once, at its time in the block; it never breaks a point."""

    def __init__(self, event: Event, block_s: float):
        self._event, self._timeout_s = event, max(0.0, block_s - event.at_s) + GRACE_S
        super().__init__(GRACE_S + 5)
        self.happened: tuple[Happened, ...] = ()

    def work(self) -> None:
        """Wait for the time, and run it; nothing, where the block ends before."""
        if self.ended.wait(self._event.at_s):
            return
        at_s, utc = self.passed_s, dt.datetime.now(dt.UTC).isoformat()
        try:
            text, problem = printed(self._event.command, self._timeout_s)
        except OSError as error:
            text, problem = "", str(error)
        took_s = round(self.passed_s - at_s, 3)
        name, words = self._event.name, text.strip()[:LONGEST]
        self.happened = (Happened(round(at_s, 3), utc, name, took_s, problem or None, words),)


class Marks(Meanwhile):
    """Looks for lines that are appended to the file of marks while the block runs."""

    def __init__(self, file: Path):
        self._file, self._at = file, 0
        super().__init__(5.0)
        self.happened: tuple[Happened, ...] = ()
        with contextlib.suppress(OSError):
            self._at = file.stat().st_size

    def work(self) -> None:
        """Look every ``LOOK_S``, and once more at the end."""
        last = False
        while not last:
            last = self.ended.wait(LOOK_S)
            with contextlib.suppress(OSError):
                self._look()

    def _look(self) -> None:
        if self._file.stat().st_size <= self._at:
            return
        with self._file.open("rb") as file:
            file.seek(self._at)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._at += len(whole)
        t_s, utc = round(self.passed_s, 3), dt.datetime.now(dt.UTC).isoformat()
        lines = whole.decode("utf-8", "replace").splitlines()
        self.happened += tuple(
            Happened(t_s, utc, text=line.strip()[:LONGEST]) for line in lines if line.strip()
        )


class Observer(Meanwhile):
    """A thread that runs one command while the block runs: a line of JSON for each reading.

    The first line says how they are read.
    A reading that fails, or takes longer than the interval, is kept as failed: it never breaks a
    measurement. ``failed`` and ``readings`` count them; ``why`` says why the last one failed.
    """

    def __init__(self, observe: Observe, folder: Path):
        self.name, self.readings, self.failed, self.why = observe.name, 0, 0, ""
        self._observe = observe
        self._path = folder / f"{PREFIX}{observe.name}.jsonl"
        super().__init__(3 * observe.every_s + 5)

    def work(self) -> None:
        """Read, and wait, until the block ends; and read once more."""
        try:
            with self._path.open("w", encoding="utf-8") as file:
                asked = {"form": self._observe.form, "clock": self._observe.clock}
                file.write(json.dumps({"observer": self.name, **asked}) + "\n")
                while True:
                    last, at = self.ended.is_set(), time.monotonic()
                    file.write(json.dumps(self._reading()) + "\n")
                    file.flush()
                    if last:
                        return
                    self.ended.wait(max(0.0, at + self._observe.every_s - time.monotonic()))
        except OSError as problem:
            self.failed, self.why = self.failed + 1, str(problem)

    def _reading(self) -> dict[str, object]:
        at_s, utc = self.passed_s, dt.datetime.now(dt.UTC)
        text, why = printed(self._observe.command, self._observe.every_s)
        if not why and len(text) > LONGEST_READING:
            why = "printed more than is kept"
        took_s = self.passed_s - at_s
        self.readings += 1
        if why:
            self.failed, self.why = self.failed + 1, why
        return {
            # the counters were read while the command ran: its middle is the best guess
            "t_s": round(at_s + took_s / 2, 3),
            "took_s": round(took_s, 3),
            "utc": (utc + dt.timedelta(seconds=took_s / 2)).isoformat(),
            "problem": why or None,
            "text": text[:LONGEST_READING],
        }
