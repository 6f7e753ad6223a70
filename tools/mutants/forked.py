"""pytest in a forked process: start-up is paid once, and what a mutant breaks goes with it."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import Phase, settings

Report = list[dict[str, Any]]
MEMORY_BYTES = 12 << 30
"""Address space of a process of tests: polars reserves much and uses little."""
LONGEST_S = 1800.0
"""What hangs without using CPU time is ended after this time; a busy machine takes long."""
OPTIONS = (
    "-q", "-p", "no:cacheprovider", "-p", "pytest_timeout", "-m", "not slow",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",  # hypothesis is imported before the fork
)  # fmt: skip


class Tests:
    """A plugin: runs the tests asked for, in that order, and reports each."""

    def __init__(
        self, asked: dict[str, float], marks: set[int], report: Callable[..., None]
    ) -> None:
        """``asked``: the CPU time each test may take; empty: all tests, as long as they take."""
        self.asked = asked
        self.places = {name: place for place, name in enumerate(asked)}
        self.marks = marks
        self.report = report
        self.outcomes: set[str] = set()

    def pytest_configure(self) -> None:
        """A failing example is enough: hypothesis need not look for a smaller one."""
        own = settings(phases=(Phase.explicit, Phase.generate))
        settings.register_profile("mutants", own)
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep what is asked for."""
        self.report(marks=sorted(self.marks))
        if self.asked:
            items[:] = [item for item in items if item.nodeid in self.asked]
            items.sort(key=lambda item: self.places[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Report one test: its outcome, its CPU time, what it ran."""
        self.marks.clear()
        self.outcomes.clear()
        began = sum(os.times()[:4])
        signal.setitimer(signal.ITIMER_PROF, self.asked.get(item.nodeid, 0.0))
        try:
            return (yield)
        finally:
            outcome = next((o for o in ("failed", "skipped") if o in self.outcomes), "passed")
            cpu_s = sum(os.times()[:4]) - began
            self.report(test=item.nodeid, outcome=outcome, cpu_s=cpu_s, marks=sorted(self.marks))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a phase of the test ended."""
        self.outcomes.add(report.outcome)


def run(
    file: str, prepare: Callable[[], set[int]], asked: dict[str, float], *, first: bool
) -> tuple[Report, str]:
    """Run a file's tests in a process of its own.

    Args:
        file: The test file.
        prepare: Called in the process before anything of perfkit is imported; gives the marks.
        asked: The tests in their order, with the CPU time that each may take; empty: all.
        first: Whether to stop at the first failure.

    Returns:
        The reports, and how it ended: "passed", "failed", "limit", "broken" (it died).
    """
    place = tempfile.mkdtemp(prefix="mutants-")
    out, into = os.pipe()
    process = os.fork()
    if not process:
        os.close(out)
        _tests(file, prepare, asked, into, place, first=first)
    os.close(into)
    try:
        text, in_time = _read(out, time.monotonic() + LONGEST_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)  # with what its tests started
        status = os.waitpid(process, 0)[1]
    finally:
        os.close(out)
        shutil.rmtree(place, ignore_errors=True)
    report = [json.loads(line) for line in text.splitlines()]
    return report, _ending(report, status, in_time=in_time)


def _ending(report: Report, status: int, *, in_time: bool) -> str:
    if not in_time or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF):
        return "limit"
    codes = [row["code"] for row in report if "code" in row]
    return {(0,): "passed", (5,): "passed", (1,): "failed"}.get(tuple(codes), "broken")


def _read(pipe: int, until: float) -> tuple[bytes, bool]:
    """What the process reports, and whether it ended in time."""
    text = b""
    while (left := until - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            piece = os.read(pipe, 1 << 20)
            text += piece
            if not piece or b'"code"' in piece[-40:]:
                return text, True
    return text[: text.rfind(b"\n") + 1], False


def _tests(
    file: str,
    prepare: Callable[[], set[int]],
    asked: dict[str, float],
    into: int,
    place: str,
    *,
    first: bool,
) -> None:
    """The forked process: it never returns."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    # readers then start no processes of their own, which would load modules without faults
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.environ |= {
        "CI": "true",
        "TMPDIR": place,
        "HYPOTHESIS_STORAGE_DIRECTORY": place,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # what tests need of plugins stands in tests/
    }
    sys.dont_write_bytecode = False  # what pytest compiles is there for the next process
    tempfile.tempdir = None

    def report(**row: Any) -> None:
        os.write(into, f"{json.dumps(row)}\n".encode())

    code: int = 3
    try:
        plugin = Tests(asked, prepare(), report)
        code = int(
            pytest.main(
                [*OPTIONS, f"--basetemp={place}/tests", *(["-x"] if first else []), file],
                [plugin],
            )
        )
    finally:
        report(code=code)
        sys.stdout = sys.stderr = None  # type: ignore[assignment]
        os._exit(code)
