"""Starting a tool so that it cannot outlive perfkit, waiting for it, and ending it cleanly.

On Linux the kernel kills the tool when the thread that started it dies (parent-death signal), so
the caller starts it and waits for it in one thread. fio runs with threads instead of processes, so
that no children go on doing I/O after it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, Any

from perfkit.core.errors import MissingPartError, RunError

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_S = 10.0
"""Seconds a tool has to end after SIGINT before it is killed; fio takes about 0.1 s."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

Tick = Callable[[float], None]


class InterruptedRunError(Exception):
    """A stop signal came while a tool ran; the tool has ended. Never leaves ``held_signals``."""


@dataclass(frozen=True)
class Watch:
    """How long a tool may take, and what is called every ``tick_s`` with the seconds passed."""

    deadline_s: float
    tick: Tick | None = None
    tick_s: float = 0.5


@dataclass(frozen=True)
class Finished:
    """How a tool ended. A negative exit code is the signal that killed it."""

    exit_code: int
    wall_s: float
    timed_out: bool = False


class Stop:
    """Whether a stop signal has come, and a file descriptor that wakes a waiting poll."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)

    def fileno(self) -> int:
        """Readable once a signal has come."""
        return self._read

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """The signal handler: the first signal is kept, each one wakes the wait."""
        self.signal = self.signal or number
        with contextlib.suppress(BlockingIOError):
            os.write(self._write, b".")

    def drain(self) -> None:
        """Discard the wake-ups so far, so that only another signal wakes again."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._read, 64)

    def check(self) -> None:
        """Raise InterruptedRunError if a signal has come."""
        if self.signal is not None:
            raise InterruptedRunError

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._read)
        os.close(self._write)


@contextlib.contextmanager
def held_signals() -> Iterator[Stop]:
    """Hold back Ctrl-C, SIGTERM and SIGHUP inside the block, and deliver them at its end.

    So no file stays half-written and no tool runs unattended. Once the former handlers are back,
    the signal has its usual effect: KeyboardInterrupt, or the end of the process. Signals that are
    ignored stay ignored. Outside the main thread nothing is held back.
    """
    stop = Stop()
    former: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in STOP_SIGNALS:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                former[number] = signal.signal(number, stop.handle)
    try:
        with contextlib.suppress(InterruptedRunError):
            yield stop
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        stop.close()
        if stop.signal is not None:
            os.kill(os.getpid(), stop.signal)
    if stop.signal is not None:
        raise KeyboardInterrupt


def run_tool(
    argv: list[str],
    *,
    cwd: Path,
    stdout: Path,
    stderr: Path,
    watch: Watch,
    stop: Stop,
    program: str | None = None,
) -> Finished:
    """Run a tool to its end, its output in files; ``program`` is its path if not ``argv[0]``.

    After the deadline it is stopped and ``timed_out`` is set. Raises MissingPartError if the
    program is not there, RunError if the folder is not or the tool cannot be ended,
    InterruptedRunError after a stop signal ended it.
    """
    began = time.monotonic()
    with stdout.open("wb") as out, stderr.open("wb") as err:
        process = _start(argv, program, cwd, out, err)
        try:
            timed_out = not _wait(process, began, watch, stop)
        finally:
            # also after an error in the caller's tick: the tool never goes on alone
            end(process, stop)
    stop.check()
    return Finished(process.returncode, time.monotonic() - began, timed_out)


def end(process: subprocess.Popen[bytes], stop: Stop) -> None:
    """End a tool: SIGINT, ``GRACE_S`` seconds, SIGKILL; a second stop signal kills at once."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        stop.drain()
        _wait_until(process, time.monotonic() + GRACE_S, stop)
    if process.poll() is None:
        process.kill()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired as problem:
        # only a process stuck in the kernel (a dead file server) outlives SIGKILL
        raise RunError(
            f"process {process.pid} cannot be ended: it waits in the kernel for storage that does "
            "not answer"
        ) from problem


def bound_process(argv: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """A process in a session of its own that is killed when the thread that starts it dies.

    ``options`` are those of ``subprocess.Popen``, which also says what is raised.
    """
    parent = os.getpid()

    def in_child() -> None:
        # a signal ignored by a background shell would be inherited: fio must hear Ctrl-C
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # the parent died before the line above
                os._exit(1)

    with warnings.catch_warnings():
        # Python 3.12+ warns of fork in a process with threads (a notebook has some); the child
        # only sets signals before it becomes the tool
        warnings.simplefilter("ignore", DeprecationWarning)
        return subprocess.Popen(
            argv,
            start_new_session=True,
            preexec_fn=in_child,  # noqa: PLW1509 - the parent-death signal has no other way
            **options,
        )


def pipe_of(stream: IO[bytes] | None) -> IO[bytes]:
    """A stream of a process that was started with a pipe for it."""
    if stream is None:
        raise RunError("a process was started without a pipe")
    return stream


def _start(
    argv: list[str], program: str | None, cwd: Path, out: Any, err: Any
) -> subprocess.Popen[bytes]:
    try:
        return bound_process(
            argv, executable=program, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as problem:
        if not os.access(cwd, os.X_OK):
            raise RunError(f"target {cwd}: {problem.strerror}") from problem
        raise MissingPartError(
            f"cannot start {program or argv[0]!r}: {problem.strerror}"
        ) from problem


def _wait(process: subprocess.Popen[bytes], began: float, watch: Watch, stop: Stop) -> bool:
    """Whether the tool ended, or was interrupted, before its deadline."""
    while (elapsed := time.monotonic() - began) < watch.deadline_s and stop.signal is None:
        if _wait_until(process, began + min(elapsed + watch.tick_s, watch.deadline_s), stop):
            return True
        if watch.tick:
            watch.tick(time.monotonic() - began)
    # a signal does not count as a time-out: the caller sees it by stop.check()
    return stop.signal is not None


def _wait_until(process: subprocess.Popen[bytes], until: float, stop: Stop) -> bool:
    """Wait until the tool ends, a stop signal comes or time is up; whether the tool has ended."""
    with _waker(process) as handle:
        poll = select.poll()
        poll.register(stop, select.POLLIN)
        if handle is not None:
            poll.register(handle, select.POLLIN)
        while process.poll() is None:
            left = until - time.monotonic()
            # without a process handle (not Linux) the process is polled 50 times a second
            step = left if handle is not None else min(left, 0.02)
            if left <= 0 or any(fd == stop.fileno() for fd, _ in poll.poll(step * 1000)):
                break
    return process.poll() is not None


@contextlib.contextmanager
def _waker(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A descriptor that becomes readable when the process ends; None where there is none."""
    if sys.platform != "linux" or process.poll() is not None:
        yield None
        return
    handle = os.pidfd_open(process.pid)
    try:
        yield handle
    finally:
        os.close(handle)
