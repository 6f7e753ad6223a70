"""Readings of a command of the user's beside a point: the array's counters, a switch's, a log.

The command is started when the point begins, every so often while it runs, and once more at its
end. What it printed is kept as it is, with the time; a reader takes it apart (``sources.rundir``).
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from perfkit.measure.parts import Observe

LONGEST = 1 << 20
"""Characters of one reading that are kept."""

PREFIX = "observed-"
"""The beginning of the names of a point's files of readings."""


class Observer:
    """A thread that runs one command while the block runs: a line of JSON for each reading.

    The first line says how they are read.
    A reading that fails, or takes longer than the interval, is kept as failed: it never breaks a
    measurement. ``failed`` and ``readings`` count them; ``why`` says why the last one failed.
    """

    def __init__(self, observe: Observe, folder: Path):
        self.name, self.readings, self.failed, self.why = observe.name, 0, 0, ""
        self._observe = observe
        self._path = folder / f"{PREFIX}{observe.name}.jsonl"
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="perfkit-observer", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join(timeout=3 * self._observe.every_s + 5)

    def _run(self) -> None:
        began = time.monotonic()
        try:
            with self._path.open("w", encoding="utf-8") as file:
                asked = {"form": self._observe.form, "clock": self._observe.clock}
                file.write(json.dumps({"observer": self.name, **asked}) + "\n")
                while True:
                    last, at = self._ended.is_set(), time.monotonic()
                    file.write(json.dumps(self._reading(began)) + "\n")
                    file.flush()
                    if last:
                        return
                    self._ended.wait(max(0.0, at + self._observe.every_s - time.monotonic()))
        except OSError as problem:
            self.failed, self.why = self.failed + 1, str(problem)

    def _reading(self, began: float) -> dict[str, object]:
        at, utc = time.monotonic(), dt.datetime.now(dt.UTC)
        text, why = self._printed()
        took_s = time.monotonic() - at
        self.readings += 1
        if why:
            self.failed, self.why = self.failed + 1, why
        return {
            # the counters were read while the command ran: its middle is the best guess
            "t_s": round(at - began + took_s / 2, 3),
            "took_s": round(took_s, 3),
            "utc": (utc + dt.timedelta(seconds=took_s / 2)).isoformat(),
            "problem": why or None,
            "text": text[:LONGEST],
        }

    def _printed(self) -> tuple[str, str]:
        """What the command prints, and why it failed."""
        process = subprocess.Popen(
            ["/bin/sh", "-c", self._observe.command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            text, words = process.communicate(timeout=self._observe.every_s)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "", f"took longer than {self._observe.every_s:g} s"
        if process.returncode:
            said = next((line for line in words.splitlines() if line.strip()), "")
            return text, f"exit code {process.returncode}{f': {said.strip()}' if said else ''}"
        return text, "" if len(text) <= LONGEST else "printed more than is kept"
