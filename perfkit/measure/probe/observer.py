"""Readings of a command of the user's beside a point: the array's counters, a switch's, a log.

The command is started when the point begins, every so often while it runs, and once more at its
end. What it printed is kept as it is, with the time; a reader takes it apart (``sources.rundir``).
"""

from __future__ import annotations

import datetime as dt
import json
import time
from typing import TYPE_CHECKING

from perfkit.measure.probe.meanwhile import Meanwhile, printed

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.measure.parts import Observe

LONGEST = 1 << 20
"""Characters of one reading that are kept."""

PREFIX = "observed-"
"""The beginning of the names of a point's files of readings."""


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
        if not why and len(text) > LONGEST:
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
            "text": text[:LONGEST],
        }
