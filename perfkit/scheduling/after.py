"""What follows an outcome; each part may be repeated, and none can damage the report."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from perfkit.core.errors import PerfkitError, RunError
from perfkit.scheduling import folders, index, results, trends
from perfkit.scheduling.making import LOG
from perfkit.scheduling.retention import prune, without_gone
from perfkit.scheduling.schedule_file import Scheduled
from perfkit.scheduling.state import Run, State, StateFolder

Say = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class After:
    """What is done for an entry after each outcome.

    Attributes:
        scheduled: The entry.
        store: Where its state is kept.
        now: The time, by which retention counts.
        say: Takes what a person should know.
    """

    scheduled: Scheduled
    store: StateFolder
    now: dt.datetime
    say: Say

    def outcome(self, state: State, run: Run) -> State:
        """Do all of it; returns the state, which is saved, with what went wrong in the run."""
        following = _Following(self.scheduled, state, run, list(run.warnings), self.say)
        following.all(self.now)
        self.store.save(following.state)
        return following.state


@dataclass
class _Following:
    """What follows one outcome; what fails is a warning of the run."""

    scheduled: Scheduled
    state: State
    run: Run
    warnings: list[str]
    say: Say

    def all(self, now: dt.datetime) -> None:
        """Everything, in order; the state has it then."""
        scheduled, reports = self.scheduled, self.scheduled.reports
        if reports.is_dir():
            self._attempt("latest", lambda: folders.point_latest(reports))
            self._keep_results()
            self._look_at_trends()
            self._attempt("retention", lambda: prune(scheduled, self.state, now))
            self.state = without_gone(scheduled, self.state)
            self._attempt("index", lambda: index.write_index(scheduled.root))
        self._attempt("on_result", lambda: tell(scheduled, self.run))
        self._know(told=True, warnings=tuple(self.warnings))

    def _attempt(self, what: str, do: Callable[[], T]) -> T | None:
        try:
            return do()
        except (PerfkitError, OSError) as problem:
            told = str(problem)
        except Exception as problem:  # noqa: BLE001 - unattended: a defect is told, not lost
            told = f"by a fault of perfkit: {problem!r}"
        self.warnings.append(f"{what}: {told}")
        self.say(f"warning: {self.scheduled.name}: {what}: {told}")
        return None

    def _know(self, **more: Any) -> None:
        self.run = replace(self.run, **more)
        self.state = self.state.with_run(self.run)

    def _keep_results(self) -> None:
        """Commit what is not in the store yet, of earlier slots too."""
        for owed in self.state.not_stored(self.scheduled.reports):
            report = folders.Kept(
                self.scheduled.reports / str(owed.folder), owed, self.scheduled.name
            )
            lost = self._attempt("store", partial(results.keep_results, self.scheduled, report))
            if lost is None:
                return
            self.warnings += [f"not in the store: {text}" for text in lost]
            if owed == self.run:
                self._know(stored=True)
            else:
                self.state = self.state.with_run(replace(owed, stored=True))

    def _look_at_trends(self) -> None:
        if self.scheduled.store is None or self.run.stored is None:
            return
        found = self._attempt("trends", lambda: trends.look(self.scheduled, self.run))
        worse = found or trends.Worse()
        self._know(regressions=worse.new, lasting=worse.lasting)


TELL_S = 300.0
"""Seconds that the user's command on an outcome may take."""


def tell(scheduled: Scheduled, run: Run) -> None:
    """Call the user's command on the outcome, if there is one; its environment tells what happened.

    Raises RunError when it fails or takes too long.
    """
    command = scheduled.entry.on_result
    if command is None:
        return
    try:
        # the command is a line of the user's own for their shell; what happened reaches it as
        # variables only, never as text of the line
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**os.environ, **facts(scheduled, run)},
            cwd=scheduled.file.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TELL_S,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise RunError(f"not done within {TELL_S:g} s") from problem
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise RunError(f"exit code {done.returncode}{': ' + said[-1] if said else ''}")


def facts(scheduled: Scheduled, run: Run) -> dict[str, str]:
    """The variables of the user's command; empty where there is nothing to say."""
    folder = scheduled.reports / run.folder if run.folder else None
    item = folders.Kept(folder, run, scheduled.name) if folder and folder.is_dir() else None

    def path(ending: str) -> str:
        return str(item.file(ending) or "") if item else ""

    return {
        "PERFKIT_NAME": scheduled.name,
        "PERFKIT_STUDY": str(scheduled.study),
        "PERFKIT_TITLE": run.title or "",
        "PERFKIT_SLOT": run.moment.isoformat(),
        "PERFKIT_OUTCOME": run.outcome,
        "PERFKIT_EXIT_CODE": str(run.exit_code),
        "PERFKIT_REASON": run.reason or "",
        "PERFKIT_REGRESSIONS": "\n".join(run.regressions),
        "PERFKIT_LASTING": "\n".join(run.lasting),
        "PERFKIT_DURATION_S": "" if run.duration_s is None else f"{run.duration_s:g}",
        "PERFKIT_FOLDER": str(folder or ""),
        "PERFKIT_NOTEBOOK": path(".ipynb"),
        "PERFKIT_PDF": path(".pdf"),
        "PERFKIT_HTML": path(".html"),
        "PERFKIT_LOG": str(item.path / LOG) if item else "",
        "PERFKIT_INDEX": str(scheduled.root / "index.html"),
    }
