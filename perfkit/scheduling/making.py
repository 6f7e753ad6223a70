"""Making one slot's report: the sweep and the report, each a perfkit command of its own."""

from __future__ import annotations

import datetime as dt
import json
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import PerfkitError, ReportError, RunError, StudyError, UsageError
from perfkit.core.values import REPORT_ENDINGS
from perfkit.core.verdict import outcome_of
from perfkit.scheduling.child import reason_of, run_bounded
from perfkit.scheduling.files import add_line
from perfkit.scheduling.schedule_file import Scheduled, Sweep

LOG = "run.log"
ASSETS = "assets"
"""The folder, beside the index, of what the pages of all reports share."""

NOT_MET = 3


@dataclass(frozen=True)
class Task:
    """What is to be made, where, and by when."""

    scheduled: Scheduled
    date: str
    folder: Path
    token: str
    started: dt.datetime

    @property
    def log(self) -> Path:
        """The log of the run."""
        return self.folder / LOG

    @property
    def run_id(self) -> str:
        """The name of the slot's measurement: called again it resumes, another slot has its own."""
        return run_id(self.scheduled, self.date)


def run_id(scheduled: Scheduled, date: str) -> str:
    """The name of the measurement of a slot, by the slot's date."""
    return f"{scheduled.name}-{date}"


def runs_folder(scheduled: Scheduled) -> Path | None:
    """Where the study keeps its runs; None for a notebook, or a study that cannot be read."""
    from perfkit.study.opening import open_study

    if scheduled.study.suffix == ".ipynb":
        return None
    try:
        return open_study(scheduled.study).runs
    except PerfkitError:
        return None


Make = Callable[[Task], str]
"""Makes a report into the task's folder and returns its outcome, or raises RunError with reason."""


def make_report(task: Task) -> str:
    """Measure (when the entry says so) and report, in child processes, within the timeout.

    Raises RunError with the reason: the command's own ``error:`` line, a signal, the timeout;
    StudyError when the study cannot be read.
    """
    until = time.monotonic() + task.scheduled.entry.timeout
    parameters = dict(task.scheduled.entry.parameters)
    if measures(task.scheduled):
        _call(task, _sweep(task), until, accepted={0})
        parameters["run_id"] = task.run_id
    argv = ["report", _argument(task.scheduled.study), "-o", str(task.folder)]
    # the day it is made: a slot that was missed is not measured on its own day
    argv += ["--date", f"{task.started.astimezone(task.scheduled.zone):%Y-%m-%d}"]
    argv += ["--shared", str(task.scheduled.root / ASSETS)]
    argv += ["--anonymise"] if task.scheduled.entry.anonymise else []
    for name, value in parameters.items():
        argv += ["-p", f"{name}={json.dumps(value)}"]
    _call(task, argv, until, accepted={0, NOT_MET})
    return made_outcome(task.folder)


def measures(scheduled: Scheduled) -> bool:
    """Whether a slot begins with a measurement: as the entry says, else when the study has a sweep.

    Raises StudyError when the study cannot be read.
    """
    if scheduled.study.suffix == ".ipynb":
        return False
    if scheduled.entry.run is None:
        from perfkit.study.opening import open_study

        return (
            open_study(scheduled.study).model.run is not None
            and "run_id" not in scheduled.entry.parameters
        )
    return scheduled.entry.run is not False


def check(scheduled: Scheduled) -> None:
    """Whether an entry's slots can be run, as far as its files tell; nothing is measured.

    Raises StudyError, UsageError or ReportError for anything that would make every slot fail: in
    the study, or in the sweep as the entry changes it.
    """
    from perfkit.reporting.build import job_for
    from perfkit.reporting.execute.notebook import check_parameters

    who = f"{scheduled.file}: {scheduled.name}"
    if scheduled.study.suffix == ".ipynb" and scheduled.entry.run:
        raise UsageError(f"{who}: run: {scheduled.study.name} is a notebook: it has no sweep")
    own = {"run_id": ""} if measures(scheduled) else {}
    job = job_for(scheduled.study, {**scheduled.entry.parameters, **own})
    try:
        check_parameters(job.notebook, job.parameters)
        if own:
            _check_sweep(scheduled)
    except (ReportError, StudyError, UsageError) as problem:
        raise UsageError(f"{who}: {problem}") from problem


def _check_sweep(scheduled: Scheduled) -> None:
    from perfkit.study.opening import open_study

    given = _changes(scheduled)
    names = ("load", "runtime", "ramp", "repeats")
    open_study(scheduled.study).sweep(
        _target(scheduled), **{name: getattr(given, name) for name in names}
    )


def _changes(scheduled: Scheduled) -> Sweep:
    sweep = scheduled.entry.run
    return sweep if isinstance(sweep, Sweep) else Sweep()


def _target(scheduled: Scheduled) -> Path | None:
    target = _changes(scheduled).target
    return None if target is None else scheduled.file.parent / target


def _sweep(task: Task) -> list[str]:
    given, target = _changes(task.scheduled), _target(task.scheduled)
    argv = ["run", _argument(task.scheduled.study), "--run-id", task.run_id]
    if target is not None:
        argv += ["--target", str(target)]
    for kind, values in (given.load or {}).items():
        argv += ["--load", f"{kind}={','.join(map(str, values))}"]
    for name in ("runtime", "ramp", "repeats"):
        value = getattr(given, name)
        if value is not None:
            argv += [f"--{name}", str(value)]
    for device in given.overwrite:
        argv += ["--overwrite", device]
    return argv


def _argument(study: Path) -> str:
    """A folder's study file by name: ``perfkit run`` takes a bare name for a workload."""
    return str(study / "study.yml" if study.is_dir() else study)


def _call(task: Task, arguments: list[str], until: float, accepted: set[int]) -> None:
    # -P: a folder or file beside the schedule must not be imported as a module
    argv = [sys.executable, "-P", "-m", "perfkit", *arguments]
    add_line(task.log, f"$ perfkit {shlex.join(arguments)}")
    ended = run_bounded(
        argv,
        cwd=task.scheduled.file.parent,
        log=task.log,
        token=task.token,
        deadline_s=until - time.monotonic(),
    )
    if ended.timed_out or ended.exit_code not in accepted:
        raise RunError(reason_of(ended, task.log, task.scheduled.entry.timeout))


def made_outcome(folder: Path) -> str:
    """The outcome of a report from its executed notebook; RunError unless the report is whole.

    "pass", "not met", "not judged"; "made" when nothing was judged.
    """
    files = {ending: sorted(folder.glob(f"[!.]*{ending}")) for ending in REPORT_ENDINGS}
    for ending, found in files.items():
        if len(found) != 1 or found[0].stat().st_size == 0:
            raise RunError(f"the report is not whole: {len(found)} files {ending}")
    try:
        notebook = json.loads(files[".ipynb"][0].read_text(encoding="utf-8"))
    except ValueError as problem:
        raise RunError(f"the executed notebook cannot be read: {problem}") from problem
    # nbformat takes more than a second to import, and this is plain JSON
    outcome = outcome_of(notebook)
    if outcome is None:
        return "made"
    return "not met" if outcome == "fail" else outcome
