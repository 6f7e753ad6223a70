"""Retention: what an entry's policy no longer keeps and why, and taking it away.

What goes is planned anew each time from what is there, so that a removal that was interrupted is
finished by the next one. Nothing of the baseline goes, nothing that a kept report rests on, and no
run that is in work.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from perfkit.core.errors import RunError, StoreError
from perfkit.measure.record.rundir import RunDirectory
from perfkit.scheduling import folders
from perfkit.scheduling.making import runs_folder
from perfkit.scheduling.results import BASELINE, slot_of, slots_of, store_of
from perfkit.scheduling.schedule_file import Scheduled, open_schedule
from perfkit.scheduling.state import Run, State

if TYPE_CHECKING:
    from perfkit.storing.store import Store


@dataclass(frozen=True)
class Going:
    """Something that is no longer kept.

    Attributes:
        what: What it is.
        name: What it is called: a folder's name, or the time of a slot.
        why: By which rule it goes.
        path: Where it is; of results None.
        pieces: The pieces of the store that go.
    """

    what: Literal["report", "run", "results"]
    name: str
    why: str
    path: Path | None = None
    pieces: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.what} {self.name}: {self.why}"


def going(scheduled: Scheduled, state: State, now: dt.datetime) -> list[Going]:
    """What goes, the oldest first: reports, then runs, then results.

    Raises StoreError for a store that cannot be read.
    """
    there = folders.kept(scheduled.reports)
    reports = list(_reports(scheduled, there))
    gone = {item.path for item in reports}
    stay = [item.run for item in there if item.path not in gone]
    known = [*(item.run for item in there), *state.runs]
    runs = _runs(scheduled, state, known, stay, now)
    return [*reports, *runs, *_results(scheduled, state, stay, now)]


def prune(scheduled: Scheduled, state: State, now: dt.datetime) -> list[Going]:
    """Remove what goes; returns what is gone. Hold the entry meanwhile.

    Raises OSError for what cannot be removed, StoreError for a store that cannot be written.
    """
    removed = [item for item in going(scheduled, state, now) if _remove(scheduled, item)]
    for folder in filter(None, (scheduled.reports, runs_folder(scheduled))):
        for left in folder.glob(f"{folders.GOING}*"):
            shutil.rmtree(left, ignore_errors=True)
    store = store_of(scheduled)
    if store and scheduled.entry.keep.store:
        # somebody writes to it: the next slot sweeps
        with contextlib.suppress(StoreError):
            store.sweep()
    return removed


def without_gone(scheduled: Scheduled, state: State) -> State:
    """The state without measurements of older slots that are not there any more."""
    folder = runs_folder(scheduled) if state.measured else None
    if folder is None:
        return state
    there = {name: slot for name, slot in state.measured.items() if (folder / name).exists()}
    return replace(state, measured=there)


def _reports(scheduled: Scheduled, there: Sequence[folders.Kept]) -> Iterator[Going]:
    keep = scheduled.entry.keep
    for good, most, word in ((True, keep.last, "good"), (False, keep.failed, "failed")):
        found = [item for item in there if item.good is good]
        for item in found[: max(0, len(found) - most)]:
            if not scheduled.in_baseline(item.run.moment.date()):
                yield Going(
                    "report", item.path.name, f"older than the last {most} {word} ones", item.path
                )


def _runs(
    scheduled: Scheduled,
    state: State,
    known: Sequence[Run],
    stay: Sequence[Run],
    now: dt.datetime,
) -> Iterator[Going]:
    """The measurements that were made for reports of this entry, and that nothing rests on."""
    folder, days = runs_folder(scheduled), scheduled.entry.keep.runs
    if folder is None:
        return
    # the last one may be measured on
    used: set[object] = {run.measured for run in (*stay, *known[-1:])}
    used |= {each.entry.parameters.get("run_id") for each in open_schedule(scheduled.file)}
    older = {name: dt.datetime.fromisoformat(slot) for name, slot in state.measured.items()}
    slots = older | {run.measured: run.moment for run in known if run.measured}
    for name, slot in sorted(slots.items()):
        if name in used:
            continue
        path = folder / name
        old = days is None or now - slot > dt.timedelta(days=days)
        if old and not scheduled.in_baseline(slot.date()) and _is_run(path):
            age = "" if days is None else f", and it is older than {days} days"
            yield Going("run", path.name, f"no report rests on it{age}", path)


def _results(
    scheduled: Scheduled, state: State, stay: Sequence[Run], now: dt.datetime
) -> Iterator[Going]:
    """What old slots left in the store, without what a kept report or answer rests on."""
    days, store = scheduled.entry.keep.store, store_of(scheduled)
    if store is None or days is None or not any(run.stored for run in state.runs):
        return
    slots = slots_of(scheduled, store)
    begin = (now.astimezone(scheduled.zone) - dt.timedelta(days=days)).replace(tzinfo=None)
    used = {slot_of(run) for run in (*stay, *state.not_stored(scheduled.reports))}
    old = {
        slot: pieces
        for slot, pieces in slots.items()
        if dt.datetime.fromisoformat(slot) < begin
        and slot not in used
        and not scheduled.in_baseline(dt.date.fromisoformat(slot[:10]))
    }
    needed = _needed(store, {piece for pieces in old.values() for piece in pieces})
    for slot, pieces in old.items():
        own = tuple(piece for piece in pieces if piece not in needed)
        if own:
            yield Going("results", slot, f"older than {days} days", pieces=own)


def _needed(store: Store, going: set[str]) -> set[str]:
    """The pieces of a baseline, and those that answers are made of which stay."""
    found: set[str] = set()
    for entry, record in store.tables().state.entries:
        held = BASELINE in dict(entry.labels)
        if held:
            found.add(entry.piece)
        if held or entry.piece not in going:
            found.update(record.evidence.get("sources", ()))
    return found


def _is_run(path: Path) -> bool:
    """Whether a folder is a run directory of its name."""
    if path.is_symlink():
        return False
    try:
        record = RunDirectory(path).record()
    except RunError:
        return False
    return record is not None and record.get("run_id") == path.name


def _remove(scheduled: Scheduled, item: Going) -> bool:
    """Whether it is gone: a run that somebody measures stays."""
    if item.path is None:
        store = store_of(scheduled)
        return store is not None and bool(
            store.forget(item.pieces, f"{scheduled.name}: {item.why}")
        )
    away = item.path.with_name(f"{folders.GOING}{item.path.name}")
    lock = RunDirectory(item.path).locked() if item.what == "run" else contextlib.nullcontext()
    with contextlib.suppress(RunError), lock:
        # renamed first: what is half removed must not be taken for a report or a run
        shutil.rmtree(away, ignore_errors=True)
        item.path.rename(away)
    if item.path.exists():
        return False
    shutil.rmtree(away, ignore_errors=True)
    return True
