"""What is known of an entry's slots: runs with outcome and reason, and evidence that was used."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from zoneinfo import ZoneInfo

from perfkit.core.errors import RunError
from perfkit.core.files import Json, write_json
from perfkit.scheduling.files import held, is_held, write_with_reserve

FORMAT = 2
"""The form of a state. 1 knew no regressions; what it holds is read as it is."""

KEPT_RUNS = 2000
INTERRUPTIONS = 3
"""A slot that was interrupted so often is not begun again by itself."""

EXIT_CODES: dict[str, int] = {
    "pass": 0, "made": 0, "nothing new": 0, "not met": 3, "not judged": 3,
    "failed": 1, "interrupted": 1,
}  # fmt: skip
GOOD = frozenset({"pass", "made", "not met", "not judged"})
"""Outcomes with a whole report; ``made``: the study has no criteria."""


@dataclass(frozen=True)
class Run:
    """One attempt at a slot. Times are UTC in ISO form; ``folder`` is below the entry's reports.

    ``measured`` is the run directory's name, where the slot had a measurement of its own.
    ``stored`` says whether its results are in the entry's store; None: it has none.
    ``regressions`` are the sentences on answers that got worse and were not so in the report
    before, ``lasting`` those on what was worse already.
    """

    slot: str
    zone: str
    outcome: str
    started: str
    duration_s: float | None = None
    reason: str | None = None
    folder: str | None = None
    title: str | None = None
    evidence: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    token: str = ""
    told: bool = False
    measured: str | None = None
    warnings: tuple[str, ...] = ()
    stored: bool | None = None
    regressions: tuple[str, ...] = ()
    lasting: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0, 1 or 3, as everywhere; 3 for an answer that got worse, where it is said first."""
        return EXIT_CODES[self.outcome] or (3 if self.regressions else 0)

    @property
    def moment(self) -> dt.datetime:
        """The slot, on the entry's wall clock."""
        return dt.datetime.fromisoformat(self.slot).astimezone(ZoneInfo(self.zone))

    def lost(self, reports: Path) -> bool:
        """Whether its report is gone: retention, or a user, removed it."""
        return self.folder is not None and not (reports / self.folder).is_dir()

    def record(self) -> Json:
        """As JSON."""
        return asdict(self)

    @classmethod
    def of(cls, record: Json) -> Run:
        """From JSON."""
        many = {name: tuple(record.get(name, ())) for name in _TOLD}
        return cls(**{**record, **many})


_TOLD = ("warnings", "regressions", "lasting")

SILENT_END = "ended without a word: killed, or the machine went down"
"""The reason of a run that the state calls running though no process runs it."""


@dataclass(frozen=True)
class Running:
    """What a run notes before it makes anything, so that it can be told what became of it.

    ``aside`` is the folder in which its report is made, ``date`` the name the report will have.
    """

    slot: str
    zone: str
    started: str
    token: str
    aside: str
    date: str
    measured: str | None = None

    def ended(self, outcome: str, reason: str | None) -> Run:
        """The run with its outcome."""
        return Run(
            slot=self.slot,
            zone=self.zone,
            outcome=outcome,
            started=self.started,
            reason=reason,
            token=self.token,
            measured=self.measured,
        )


@dataclass(frozen=True)
class State:
    """All that is known. ``used`` and ``refused``: SHA-256 to what is told of the file.

    ``measured`` is what older slots measured, of which nothing else is known any more: the run
    directory's name, and the slot on its wall clock.
    """

    since: str | None = None
    running: Running | None = None
    runs: tuple[Run, ...] = ()
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    refused: dict[str, dict[str, str]] = field(default_factory=dict)
    measured: dict[str, str] = field(default_factory=dict)

    def of_slot(self, slot: dt.datetime) -> list[Run]:
        """The attempts at a slot, oldest first."""
        return [run for run in self.runs if run.slot == slot.isoformat()]

    def settled(self, slot: dt.datetime) -> Run | None:
        """The attempt that settled a slot; None when it has still to be run."""
        attempts = self.of_slot(slot)
        ended = [run for run in attempts if run.outcome != "interrupted"]
        if ended:
            return ended[-1]
        return attempts[-1] if len(attempts) >= INTERRUPTIONS else None

    def with_run(self, run: Run) -> State:
        """With an attempt that ended, or what is known of it now.

        What it used counts as used when a report is there.
        """
        used = dict(self.used)
        if run.outcome in GOOD:
            used |= {sha: {"file": name, "slot": run.slot} for name, sha in run.evidence.items()}
        runs = tuple(run if run.token and each.token == run.token else each for each in self.runs)
        if run not in runs:
            runs = (*runs, run)
        gone = {one.measured: one.moment.isoformat() for one in runs[:-KEPT_RUNS] if one.measured}
        measured = {**self.measured, **gone}
        return replace(self, running=None, runs=runs[-KEPT_RUNS:], used=used, measured=measured)

    def not_stored(self, reports: Path) -> list[Run]:
        """The runs whose results are not in the store yet, oldest first."""
        return [run for run in self.runs if run.stored is False and not run.lost(reports)]


class StateFolder:
    """The folder in which an entry's state is kept."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.file = folder / "state.json"
        self.lock = folder / "lock"
        self.since = folder / "since.json"

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Hold the entry; RunError when another perfkit runs it."""
        return held(self.lock, f"{self.folder.name}: another perfkit is running this entry")

    @property
    def busy(self) -> bool:
        """Whether a perfkit runs the entry now."""
        return is_held(self.lock)

    @property
    def known(self) -> bool:
        """Whether there is a state."""
        return self.file.is_file()

    def load(self) -> State:
        """The state; an empty one where there is none yet. RunError where it cannot be read."""
        try:
            record = json.loads(self.file.read_text(encoding="utf-8"))
            form = record.pop("format")
            if form not in range(1, FORMAT + 1):
                raise RunError(
                    f"{self.file}: of format {form}, this perfkit knows formats up to {FORMAT}: "
                    "upgrade perfkit"
                )
            runs = tuple(Run.of(item) for item in record.pop("runs"))
            running = record.pop("running")
            running = running and Running(**running)
            return self._installed(State(running=running, runs=runs, **record))
        except FileNotFoundError:
            return self._installed(State())
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            raise RunError(
                f"{self.file}: cannot be read ({problem}); move it away, and it is made again from "
                "the reports that are there"
            ) from problem

    def save(self, state: State) -> None:
        """Write the state: whole, or as it was."""
        record = asdict(state) | {"runs": [run.record() for run in state.runs]}
        self.folder.mkdir(parents=True, exist_ok=True)
        write_with_reserve(self.file, {"format": FORMAT, **record})

    def begin(self, now: dt.datetime) -> None:
        """Note from when on slots are due, so that the past is not made up on the first day.

        While the entry runs, the state is that run's to write: then it is noted beside it.
        """
        state = self.load()
        if state.since is not None and dt.datetime.fromisoformat(state.since) <= now:
            return
        try:
            with self.locked():
                self.save(replace(self.load(), since=now.isoformat()))
                self.since.unlink(missing_ok=True)
        except RunError:
            write_json(self.since, {"since": now.isoformat()})

    def _installed(self, state: State) -> State:
        """The state, with what was noted beside it while the entry ran."""
        if not self.since.is_file():
            return state
        return replace(state, since=json.loads(self.since.read_text(encoding="utf-8"))["since"])
