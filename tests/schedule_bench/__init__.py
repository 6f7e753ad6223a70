"""A schedule in a folder, a clock that is told the time, a report step that makes small files."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from pathlib import Path

from perfkit.core.values import MIME
from perfkit.scheduling.folders import kept
from perfkit.scheduling.run import run_entry
from perfkit.scheduling.schedule_file import open_schedule
from perfkit.scheduling.state import GOOD, StateFolder

SCHEDULE = """\
timezone: Europe/Oslo
entries:
  - name: nightly
    study: study
    calendar: "06:00"
"""


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@dataclass
class Clock:
    """Stands still until it is set."""

    now: dt.datetime = field(default_factory=lambda: utc("2026-11-21 12:00"))

    def __call__(self) -> dt.datetime:
        return self.now

    def set(self, text: str) -> None:
        self.now = utc(text)


def notebook(outcome: str | None = "pass", answers: list[dict] | None = None) -> str:
    """An executed notebook as far as the schedule looks at it."""
    verdict = {"outcome": outcome, "judgements": [{"outcome": outcome}]}
    data = {MIME["verdict"]: verdict} if outcome else {"text/plain": "1"}
    found = [] if answers is None else [{"data": {MIME["findings"]: {"answers": answers}}}]
    return json.dumps({"cells": [{"cell_type": "code", "outputs": [{"data": data}, *found]}, {}]})


def answers(iops: float, *workloads: str) -> list[dict]:
    """What a report on one run finds: the peak of each workload."""
    from perfkit.analysis.curves.asking import peak  # noqa: F401 - registers the question
    from perfkit.core.answers import QUESTIONS, Subject, to_frame

    found = []
    for name in workloads or ("mixed",):
        subject = Subject(name, (("workload", name), ("direction", "total")))
        found.append(QUESTIONS["peak_iops"].answer("iops", subject, iops, n=1))
    return to_frame(found).to_dicts()


@dataclass
class Maker:
    """The report step: whole small files, or the fault that was ordered for the next call."""

    outcome: str | None = "pass"
    fault: Exception | None = None
    answers: list[dict] | None = None
    made: list[str] = field(default_factory=list)
    seen: list[dict[str, str]] = field(default_factory=list)

    def __call__(self, task) -> str:
        from perfkit.scheduling.making import made_outcome

        self.made.append(task.date)
        into = task.scheduled.study_folder / "incoming"
        files = [p for p in into.rglob("*") if p.is_file() and not p.name.startswith(".")]
        self.seen.append({p.relative_to(into).as_posix(): p.read_text() for p in files})
        if self.fault is not None:
            fault, self.fault = self.fault, None
            (task.folder / "study.failed.ipynb").write_text("{}")
            raise fault
        (task.folder / "study.ipynb").write_text(notebook(self.outcome, self.answers))
        (task.folder / "study.pdf").write_bytes(b"%PDF-")
        (task.folder / "study.html").write_text("<html>")
        return made_outcome(task.folder)


@dataclass
class Bench:
    """A folder with a schedule, its clock and its report step."""

    folder: Path
    clock: Clock = field(default_factory=Clock)
    make: Maker = field(default_factory=Maker)

    def write(self, text: str = SCHEDULE) -> None:
        (self.folder / "schedule.yml").write_text(text)

    def entry(self, number: int = 0):
        return open_schedule(self.folder)[number]

    def run(self, **options):
        entry = self.entry(options.pop("number", 0))
        return run_entry(entry, now=self.clock, make=self.make, **options)

    def state(self, number: int = 0):
        return StateFolder(self.entry(number).state).load()

    def outcomes(self) -> list[tuple[str, str]]:
        return [(run.slot[:16], run.outcome) for run in self.state().runs]

    def reports(self, name: str = "nightly") -> list[str]:
        return sorted(path.name for path in (self.folder / "reports" / name).iterdir())


def invariants(bench: Bench, name: str = "nightly") -> None:
    """What holds at every moment, whatever was killed before: call it when nothing runs."""
    reports = bench.folder / "reports" / name
    used: dict[str, str] = {}
    for item in kept(reports):
        files = {path.suffix for path in item.path.iterdir()}
        if item.good:
            assert {".pdf", ".html", ".ipynb"} <= files, item.path
            for file, sha in item.run.evidence.items():
                assert sha not in used, f"{file} is in {used[sha]} and in {item.path}"
                used[sha] = str(item.path)
    link = reports / "latest"
    assert not link.is_symlink() or (link / "report.json").is_file()
    state = StateFolder(bench.entry().state).load()
    slots = [run.slot for run in state.runs if run.outcome in GOOD]
    assert len(slots) == len(set(slots)), "a slot has two outcomes"
