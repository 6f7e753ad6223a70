"""Running an entry: one slot, at most once to an outcome, whatever happens in between.

The order makes it so. The state says "running" before anything is made; the report is made aside;
its folder gets a record and then, by a rename, its name: from then on the slot is done, and the
state is completed from the record even when this process dies right there.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import shutil
import subprocess
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfkit.core.errors import PerfkitError, RunError, UsageError
from perfkit.scheduling import folders
from perfkit.scheduling.files import add_line
from perfkit.scheduling.making import LOG, Make, Task, make_report, measures, run_id, runs_folder
from perfkit.scheduling.state import SILENT_END, Run, Running, State, Store
from perfkit.scheduling.watch import Taken, holding, named_in, take

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.scheduling.schedule_file import Scheduled

Now = Callable[[], dt.datetime]
Say = Callable[[str], None]


def utc_now() -> dt.datetime:
    """The moment, in UTC, to the second."""
    return dt.datetime.now(dt.UTC).replace(microsecond=0)


@dataclass(frozen=True)
class Answer:
    """What a call found or did: the run of the slot (None: nothing is due)."""

    run: Run | None
    fresh: bool


def run_entry(
    scheduled: Scheduled,
    *,
    at: dt.datetime | None = None,
    due: bool = False,
    again: bool = False,
    retry: bool = False,
    now: Now = utc_now,
    make: Make = make_report,
    say: Say = lambda _text: None,
) -> Answer:
    """Run the newest slot (at ``at``, default now) unless it has its outcome already.

    ``due``: a slot before the entry was installed, or one that failed, is no reason to do anything.
    ``again``: run it once more, beside what is there. ``retry``: only if it failed.

    Raises RunError when another perfkit runs the entry or the state cannot be read or written,
    UsageError for a time in the future; a failing report is no exception but an outcome.
    """
    store = Store(scheduled.state)
    with store.locked():
        state = _recovered(scheduled, store, say)
        slot = _slot(scheduled, at, now())
        settled = state.settled(slot)
        if settled and not (again or (retry and settled.outcome == "failed")):
            return Answer(None if due else settled, fresh=False)
        if due and _before_installed(state, slot, now()):
            return Answer(None, fresh=False)
        return Answer(
            _Attempt(scheduled, store, state, slot, now, make, say).run(again), fresh=True
        )


def _slot(scheduled: Scheduled, at: dt.datetime | None, now: dt.datetime) -> dt.datetime:
    if at is not None and at > now:
        raise UsageError(f"--at {at.isoformat()}: lies in the future")
    slot = scheduled.newest_until(at or now)
    if slot is None:
        raise UsageError(f"{scheduled.name}: its calendar has no slot up to {at or now}")
    return slot


def _before_installed(state: State, slot: dt.datetime, now: dt.datetime) -> bool:
    if state.since is None:
        return False
    since = dt.datetime.fromisoformat(state.since)
    # a time of installation that is still to come was taken from a clock that was ahead
    return slot < since <= now


def _recovered(scheduled: Scheduled, store: Store, say: Say) -> State:
    """The state, completed by what a run that was killed left behind."""
    known, state = store.known, store.load()
    if not known:
        for item in folders.kept(scheduled.reports):
            # announced already
            state = state.with_run(replace(item.run, told=True))
    if state.running is None:
        last = state.runs[-1] if state.runs else None
        return _after(scheduled, store, state, last, say) if last and not last.told else state
    from perfkit.scheduling.child import end_leftovers

    token = state.running.token
    end_leftovers(token)
    run = next((i.run for i in folders.kept(scheduled.reports) if i.run.token == token), None)
    if run is None:
        aside = scheduled.reports / state.running.aside
        run = state.running.ended("interrupted", SILENT_END)
        run = _kept_aside(scheduled, run, aside, state.running.date)
        say(f"{scheduled.name}: the run of {run.slot} was interrupted")
    state = state.with_run(run)
    store.save(state)
    if not run.told:
        state = _after(scheduled, store, state, run, say)
    return state


def _kept_aside(scheduled: Scheduled, run: Run, aside: Path, date: str) -> Run:
    """Keep what a run without a report left, in a folder named as failed; never raises."""
    if not aside.is_dir():
        return run
    name = folders.free_name(scheduled.reports, f"{date}{folders.FAILED}")
    with_folder = replace(run, folder=name)
    try:
        folders.place(aside, with_folder)
    except OSError:
        # a full disk: the state still tells what happened
        shutil.rmtree(aside, ignore_errors=True)
        return run
    return with_folder


def _after(scheduled: Scheduled, store: Store, state: State, run: Run, say: Say) -> State:
    """What follows an outcome; each part may be repeated, and none can damage the report."""
    from perfkit.scheduling.index import write_index

    warnings = list(run.warnings)

    def attempt(what: str, do: Callable[[], object]) -> None:
        try:
            do()
        except (PerfkitError, OSError) as problem:
            warnings.append(f"{what}: {problem}")
            say(f"warning: {scheduled.name}: {what}: {problem}")

    if scheduled.reports.is_dir():
        attempt("latest", lambda: folders.point_latest(scheduled.reports))
        attempt("retention", lambda: folders.retain(
            scheduled.reports, scheduled.entry.keep, runs_folder(scheduled)))  # fmt: skip
        attempt("index", lambda: write_index(scheduled.root))
    attempt("on_result", lambda: tell(scheduled, run))
    state = state.with_run(replace(run, told=True, warnings=tuple(warnings)))
    store.save(state)
    return state


@dataclass
class _Attempt:
    """One attempt at one slot."""

    scheduled: Scheduled
    store: Store
    state: State
    slot: dt.datetime
    now: Now
    make: Make
    say: Say

    def __post_init__(self) -> None:
        date = self.scheduled.date_of(self.slot)
        self.clock = time.monotonic()
        self.aside = self.scheduled.reports / f"{folders.ASIDE}{date}"
        self.taken = Taken()
        self.running = Running(
            slot=self.slot.isoformat(),
            zone=self.scheduled.zone.key,
            started=self.now().isoformat(),
            token=uuid.uuid4().hex,
            aside=self.aside.name,
            date=date,
            measured=_measured(self.scheduled, date),
        )

    def run(self, again: bool) -> Run:
        """Make the report; whatever happens becomes an outcome in the state."""
        if again:
            self.state = replace(self.state, refused={})
        self.state = replace(self.state, running=self.running)
        self.store.save(self.state)
        try:
            run = self._made()
        except KeyboardInterrupt:
            run = self._record("interrupted", "stopped by a signal")
            self._ended(_kept_aside(self.scheduled, run, self.aside, self.running.date))
            raise
        return self._ended(run)

    def _ended(self, run: Run) -> Run:
        self.state = self.state.with_run(run)
        self.store.save(self.state)
        self.state = _after(self.scheduled, self.store, self.state, run, self.say)
        return self.state.runs[-1]

    def _made(self) -> Run:
        try:
            folders.aside(self.scheduled.reports, self.running.date)
            slot = self.slot.astimezone(self.scheduled.zone)
            self._log(f"{self.scheduled.name}: slot {slot:%Y-%m-%d %H:%M:%S %Z}")
            self._log(f"started {self.running.started}")
            with self._evidence():
                entry = self.scheduled.entry
                watched = entry.evidence
                if watched and len(self.taken.files) < watched.at_least:
                    return self._nothing_new(watched.required)
                started = dt.datetime.fromisoformat(self.running.started)
                task = Task(
                    self.scheduled, self.running.date, self.aside, self.running.token, started
                )
                outcome = self.make(task)
                return self._good(outcome)
        except (PerfkitError, OSError) as problem:
            return self._failed(str(problem) or type(problem).__name__)
        except Exception as problem:  # noqa: BLE001 - unattended: a defect is told, not lost
            with contextlib.suppress(OSError):
                self._log(traceback.format_exc().rstrip())
            return self._failed(f"{type(problem).__name__}: {problem}")

    @contextlib.contextmanager
    def _evidence(self) -> Iterator[None]:
        watched = self.scheduled.entry.evidence
        if watched is None:
            yield
            return
        into = self.scheduled.study_folder / watched.into
        if not self.scheduled.study_folder.is_dir():
            raise RunError(f"{self.scheduled.study}: there is no such study")
        known = dict.fromkeys(self.state.used, "")
        known |= {sha: f"set aside: {item['reason']}" for sha, item in self.state.refused.items()}
        with holding(into):
            folder = self.scheduled.file.parent / watched.folder
            self.taken = take(watched, folder, into, known)
            for name in self.taken.files:
                self._log(f"new evidence: {name}")
            for name, reason in self.taken.left.items():
                self._log(f"left for the next time: {name}: {reason}")
            yield

    def _log(self, line: str) -> None:
        add_line(self.aside / LOG, line)

    def _good(self, outcome: str) -> Run:
        name = folders.free_name(self.scheduled.reports, self.running.date)
        run = replace(self._record(outcome, None), folder=name, title=title_of(self.scheduled))
        folders.place(self.aside, run)
        return run

    def _nothing_new(self, required: bool) -> Run:
        count, least = len(self.taken.files), self.scheduled.entry.evidence
        reason = (
            "no new evidence" if count == 0 else f"{count} new files of {least and least.at_least}"
        )
        left = "; ".join(f"{name}: {why}" for name, why in self.taken.left.items())
        reason += f" ({left})" if left else ""
        if required:
            return self._failed(reason)
        shutil.rmtree(self.aside, ignore_errors=True)
        return self._record("nothing new", reason)

    def _failed(self, reason: str) -> Run:
        # a page that is shown to others needs no path of this machine
        reason = " ".join(reason.split())
        for folder in (self.aside, self.scheduled.file.parent):
            reason = reason.replace(f"{folder}/", "")
        self._refuse(reason)
        with contextlib.suppress(OSError):
            self._log(f"failed: {reason}")
        run = replace(self._record("failed", reason), title=title_of(self.scheduled))
        return _kept_aside(self.scheduled, run, self.aside, self.running.date)

    def _refuse(self, reason: str) -> None:
        """Set aside the files that the error is about; the others stay new."""
        named = named_in(reason, self.taken.files)
        refused = {
            sha: {"file": name, "slot": self.slot.isoformat(), "reason": reason}
            for name, sha in named.items()
        }
        self.state = replace(self.state, refused={**self.state.refused, **refused})

    def _record(self, outcome: str, reason: str | None) -> Run:
        return replace(
            self.running.ended(outcome, reason),
            duration_s=round(time.monotonic() - self.clock, 1),
            evidence=dict(self.taken.files),
            left=dict(self.taken.left),
        )


def _measured(scheduled: Scheduled, date: str) -> str | None:
    """The name of the run that a slot measures; None where it measures none, or cannot."""
    with contextlib.suppress(PerfkitError):
        return run_id(scheduled, date) if measures(scheduled) else None
    return None


def title_of(scheduled: Scheduled) -> str:
    """The study's title; where it cannot be read, the name of its file or folder."""
    from perfkit.formats.yaml_file import load

    study = scheduled.study
    file = study / "study.yml" if study.is_dir() else study
    with contextlib.suppress(PerfkitError, OSError, TypeError, KeyError):
        if file.suffix in {".yml", ".yaml"}:
            return str(load(file)["report"]["title"])
    return study.stem


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
        "PERFKIT_DURATION_S": "" if run.duration_s is None else f"{run.duration_s:g}",
        "PERFKIT_FOLDER": str(folder or ""),
        "PERFKIT_NOTEBOOK": path(".ipynb"),
        "PERFKIT_PDF": path(".pdf"),
        "PERFKIT_HTML": path(".html"),
        "PERFKIT_LOG": str(item.path / LOG) if item else "",
        "PERFKIT_INDEX": str(scheduled.root / "index.html"),
    }
