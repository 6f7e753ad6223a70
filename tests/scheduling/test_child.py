"""A command that is bounded in time, of which nothing outlives the run."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil
import pytest

from perfkit.core.errors import RunError
from perfkit.scheduling.child import MARK, end_leftovers, reason_of, run_bounded

pytestmark = pytest.mark.slow

NESTED = """
import subprocess, sys, time
# a session of its own, as a kernel or Chrome has
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
print("error: begun", flush=True)
time.sleep({seconds})
"""


def carriers(token: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == token and process.status() != "zombie":
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def run(code: str, tmp_path, deadline_s: float):
    argv = [sys.executable, "-c", code]
    log = tmp_path / "log"
    return run_bounded(argv, cwd=tmp_path, log=log, token="t0", deadline_s=deadline_s), log


@pytest.mark.parametrize("seconds", [0, 3600])
def test_whatever_it_started_ends_with_it(tmp_path, seconds):
    """At its own end and at the deadline, also what has a session of its own."""
    ended, log = run(NESTED.format(seconds=seconds), tmp_path, 1.0 if seconds else 3600.0)
    assert ended.timed_out == bool(seconds)
    assert carriers("t0") == []
    assert log.read_text() == "error: begun\n"
    if seconds:
        assert reason_of(ended, log, 1.0) == "not done within 1 s: ended"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the signal is Linux's")
def test_it_ends_when_its_caller_is_killed(tmp_path):
    """kill -9 of the run: the command is told by the kernel, the rest is found by its token."""
    code = (
        "from pathlib import Path; from perfkit.scheduling.child import run_bounded; "
        f"run_bounded([{sys.executable!r}, '-c', {NESTED.format(seconds=3600)!r}], "
        f"cwd=Path({str(tmp_path)!r}), log=Path({str(tmp_path / 'log')!r}), token='t1', "
        "deadline_s=3600)"
    )
    caller = subprocess.Popen([sys.executable, "-c", code])
    while not (tmp_path / "log").exists() or not (tmp_path / "log").read_text():
        time.sleep(0.02)
    caller.kill()
    caller.wait()
    end_leftovers("t1")
    assert carriers("t1") == []


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print('error: fio is not there'); raise SystemExit(1)", "fio is not there"),
        ("print('error: a'); print('more'); raise SystemExit(1)", "a"),
        ("print('\\x1b[31mred\\x1b[0m words'); raise SystemExit(7)", "exit code 7: red words"),
        ("raise SystemExit(7)", "exit code 7"),
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
    ],
)
def test_the_reason_is_one_line(tmp_path, code, reason):
    ended, log = run(code, tmp_path, 60)
    assert " ".join(reason_of(ended, log, 60).split()) == reason


def test_a_command_that_is_not_there_is_named(tmp_path):
    with pytest.raises(RunError, match="cannot start 'no-such-program'"):
        run_bounded(["no-such-program"], cwd=tmp_path, log=tmp_path / "l", token="t", deadline_s=1)
