"""A command with a time limit, of which no process outlives the run.

A report has a kernel, Chrome and perhaps fio below it, each in a session of its own, so that a
process group is not enough: every process below carries the run's token in its environment.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.core.errors import RunError

MARK = "PERFKIT_SCHEDULED_RUN"
GRACE_S = 15.0
"""Seconds a command has to stop cleanly (stop fio, keep accepted points) before it is killed."""
TAIL_BYTES = 64 * 1024

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code (negative: a signal), or that it timed out."""

    exit_code: int
    timed_out: bool = False


def run_bounded(argv: list[str], *, cwd: Path, log: Path, token: str, deadline_s: float) -> Ended:
    """Run a command, its output appended to ``log``; at the deadline everything is ended.

    Raises RunError when it cannot be started, or its processes cannot be ended.
    """
    with log.open("ab") as output:
        process = _start(argv, cwd, output, token)
        timed_out = False
        try:
            process.wait(max(deadline_s, 0.0))
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            # also after Ctrl-C or SIGTERM: the command never goes on alone
            _end(process)
            end_leftovers(token)
    return Ended(process.returncode, timed_out)


def _start(argv: list[str], cwd: Path, output: Any, token: str) -> subprocess.Popen[bytes]:
    parent = os.getpid()

    def in_child() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        if _LIBC is not None:
            # SIGTERM: perfkit then ends fio and the kernel in order
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(1)

    try:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env={**os.environ, MARK: token},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=in_child,  # noqa: PLW1509 - the parent-death signal has no other way
        )
    except OSError as problem:
        raise RunError(f"cannot start {argv[0]!r}: {problem.strerror or problem}") from problem


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    if process.poll() is None:
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    if process.poll() is None:
        # only a process that waits in the kernel for dead storage outlives SIGKILL
        raise RunError(f"process {process.pid} cannot be ended: it waits for dead storage")


def end_leftovers(token: str) -> int:
    """Kill every process that carries the token; returns how many there were."""
    import psutil

    found, until = 0, time.monotonic() + GRACE_S
    while left := list(_carriers(token)):
        found += len(left)
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(left, timeout=1.0)
        if time.monotonic() > until:
            raise RunError(f"processes {[each.pid for each in left]} cannot be ended")
    return found


def _carriers(token: str) -> Iterator[Any]:
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if (
                process.pid != os.getpid()
                and process.environ().get(MARK) == token
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                yield process


def reason_of(ended: Ended, log: Path, deadline_s: float) -> str:
    """Why a command failed, in one line: its own ``error:`` line where there is one."""
    if ended.timed_out:
        return f"not done within {deadline_s:g} s: ended"
    lines = [line.strip() for line in tail(log).splitlines() if line.strip()]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    if errors:
        return errors[-1]
    last = f": {lines[-1]}" if lines else ""
    if ended.exit_code < 0:
        return f"killed by {signal.Signals(-ended.exit_code).name}{last}"
    return f"exit code {ended.exit_code}{last}"


def tail(log: Path) -> str:
    """The end of a log, without control characters."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]|[^\S\n]+", " ", text)
