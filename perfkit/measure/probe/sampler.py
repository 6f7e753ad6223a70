"""What the host did while a point ran: CPU, memory and the target's disk, once a second.

fio's usr and sys are fio's own; a slow point may have another cause on the host.
"""

from __future__ import annotations

import contextlib
import csv
import subprocess
import time
from typing import TYPE_CHECKING, Self

from perfkit.measure.probe.meanwhile import Meanwhile
from perfkit.measure.probe.program import framed, program
from perfkit.measure.probe.read import ROOT, Facts
from perfkit.measure.probe.watch import HEAD, counters, line_of, row
from perfkit.measure.process import bound_process, pipe_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType


def _read(path: Path) -> list[dict[str, float | None]]:
    """The rows of a host.csv; none where there is no file, or it ends in half a line."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                {name: float(cell) if cell else None for name, cell in row.items()}
                for row in csv.DictReader(file)
            ]
    except (OSError, ValueError, TypeError):
        return []


def _reading(devices: list[str]) -> tuple[float, Facts]:
    """The host's counters, and the clock when they were read."""
    return time.monotonic(), counters(ROOT, devices)


class Sampler(Meanwhile):
    """A thread that writes a row a second into ``path`` while the block runs, and one at least.

    It never breaks a measurement: if the host's counters cannot be read or written, it stops and
    ``problem`` says why.
    """

    def __init__(self, path: Path, devices: Sequence[str], every_s: float = 1.0):
        super().__init__(every_s)
        self.problem: str | None = None
        self._path, self._devices, self._every_s = path, list(devices), every_s

    def rows(self) -> list[dict[str, float | None]]:
        """What was written, by column."""
        return _read(self._path)

    def work(self) -> None:
        """Write rows until the block ends."""
        try:
            self._record()
        except Exception as problem:  # noqa: BLE001 - any failure here must leave the run alone
            self.problem = f"host sampling stopped: {problem}"

    def _record(self) -> None:
        at, before = _reading(self._devices)
        began = at
        if not before["cpu"]:
            raise OSError("this system has no /proc/stat")
        with self._path.open("w", encoding="ascii") as file:
            file.write(HEAD)
            ended = False
            while not ended:
                ended = self.ended.wait(max(0.0, at + self._every_s - time.monotonic()))
                # a point shorter than the interval is one sample, not none
                if ended and at > began:
                    return
                now, after = _reading(self._devices)
                file.write(line_of(row(now - began, now - at, before, after)))
                at, before = now, after


FIRST_S = 10.0
"""Seconds that a point waits for another host's first reading, before its load begins."""


class RemoteSampler:
    """A program that writes another host's rows into ``path`` while the block runs.

    ``argv`` starts it, for example ``ssh HOST`` and ``probe.program.watch_command``; it gets the
    probe's program on its standard input. The block begins when it has taken its first reading
    (``begun``); it writes one row at least, since it ends when its input is closed. Times count
    from when it began there. Like ``Sampler`` it never breaks a measurement: ``problem`` says why
    there are no rows. It ends with perfkit, also where that is killed: the program there finds its
    input closed.
    """

    def __init__(self, argv: Sequence[str], path: Path, host: str | None = None):
        self.problem: str | None = None
        self.host = host
        self._argv, self._path = list(argv), path
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            with self._path.open("wb") as out:
                self._process = bound_process(
                    self._argv, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL
                )
            given = pipe_of(self._process.stdin)
            given.write(framed(program()))
            given.flush()
        except OSError as problem:
            self.problem = f"{self._path.name}: sampling did not start: {problem.strerror}"
        return self

    def begun(self) -> bool:
        """Wait until the first reading is taken; False where it is not, within ``FIRST_S``.

        A host that is late is sampled all the same: what it has read when the block ends counts.
        """
        until = time.monotonic() + FIRST_S
        while self._process is not None and time.monotonic() < until:
            if HEAD in self._lines():
                return True
            if self._process.poll() is not None:
                return False
            time.sleep(0.005)
        return False

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._end(self._process)
        self._whole_lines()

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Close its input and wait for its last row; without a first reading there is none."""
        if HEAD not in self._lines():
            # its first row would be of a time after the block
            process.kill()
        with contextlib.suppress(OSError):
            pipe_of(process.stdin).close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def rows(self) -> list[dict[str, float | None]]:
        """What was written, by column."""
        return _read(self._path)

    def _lines(self) -> list[str]:
        """The whole lines that are written."""
        try:
            written = self._path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return []
        return written[: written.rfind("\n") + 1].splitlines(keepends=True)

    def _whole_lines(self) -> None:
        """Leave no half line, and no file without a row."""
        lines = self._lines()
        with contextlib.suppress(OSError):
            if HEAD in lines[:-1]:
                # a login's greeting may stand before
                self._path.write_text("".join(lines[lines.index(HEAD) :]), encoding="utf-8")
                return
            self._path.unlink()
        self.problem = self.problem or f"{self._path.name}: the host gave no samples"
