"""Running an entry: one slot, at most once to an outcome, whatever happens in between.

The order makes it so. The state says "running" before anything is made; the report is made aside;
its folder gets a record and then, by a rename, its name: from then on the slot is done, and the
state is completed from the record even when this process dies right there.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import shutil
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from perfkit.core.errors import PerfkitError, RunError, UsageError
from perfkit.core.files import own_folder
from perfkit.formats.yaml_file import load
from perfkit.scheduling import folders
from perfkit.scheduling.after import After, Say
from perfkit.scheduling.child import end_leftovers
from perfkit.scheduling.files import add_line
from perfkit.scheduling.making import LOG, Make, Task, make_report, measures, run_id
from perfkit.scheduling.schedule_file import Scheduled
from perfkit.scheduling.state import SILENT_END, Run, Running, State, StateFolder
from perfkit.scheduling.watch import Taken, holding, named_in, take

Now = Callable[[], dt.datetime]


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
    UsageError for a time in the future; a failing report is not an exception but an outcome.
    """
    store = StateFolder(scheduled.state)
    after = After(scheduled, store, now(), say)
    with store.locked():
        state = _recovered(after)
        slot = _slot(scheduled, at, now())
        settled = state.settled(slot)
        if settled and not (again or (retry and settled.outcome == "failed")):
            return Answer(None if due else settled, fresh=False)
        since = state.since and dt.datetime.fromisoformat(state.since)
        # a time of installation that is still to come was taken from a clock that was ahead
        if due and since and slot < since <= now():
            return Answer(None, fresh=False)
        return Answer(_Attempt(after, state, slot, now, make).run(again), fresh=True)


def _slot(scheduled: Scheduled, at: dt.datetime | None, now: dt.datetime) -> dt.datetime:
    if at is not None and at > now:
        raise UsageError(f"--at {at.isoformat()}: lies in the future")
    slot = scheduled.newest_until(at or now)
    if slot is None:
        raise UsageError(f"{scheduled.name}: its calendar has no slot up to {at or now}")
    return slot


def _recovered(after: After) -> State:
    """The state, completed by what a run that was killed left behind."""
    scheduled, store = after.scheduled, after.store
    known, state = store.known, store.load()
    if not known:
        for item in folders.kept(scheduled.reports):
            # announced already
            state = state.with_run(replace(item.run, told=True))
    if state.running is None:
        last = state.runs[-1] if state.runs else None
        return after.outcome(state, last) if last and not last.told else state
    token = state.running.token
    end_leftovers(token)
    run = next((i.run for i in folders.kept(scheduled.reports) if i.run.token == token), None)
    if run is None:
        aside = scheduled.reports / state.running.aside
        run = state.running.ended("interrupted", SILENT_END)
        run = _kept_aside(scheduled, run, aside, state.running.date)
        after.say(f"{scheduled.name}: the run of {run.slot} was interrupted")
    state = state.with_run(run)
    store.save(state)
    return state if run.told else after.outcome(state, run)


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


@dataclass
class _Attempt:
    """One attempt at one slot."""

    after: After
    state: State
    slot: dt.datetime
    now: Now
    make: Make

    def __post_init__(self) -> None:
        self.scheduled, self.store = self.after.scheduled, self.after.store
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
        self.after = replace(self.after, now=self.now())
        self.state = self.after.outcome(self.state, run)
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
        run = replace(
            self._record(outcome, None),
            folder=name,
            title=title_of(self.scheduled),
            stored=None if self.scheduled.store is None else False,
        )
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
        for folder in (self.aside, self.scheduled.file.parent, own_folder("notebooks").parent):
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
    study = scheduled.study
    file = study / "study.yml" if study.is_dir() else study
    with contextlib.suppress(PerfkitError, OSError, TypeError, KeyError):
        if file.suffix in {".yml", ".yaml"}:
            return str(load(file)["report"]["title"])
    return study.stem
