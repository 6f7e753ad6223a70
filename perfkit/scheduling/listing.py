"""Next slots, past runs, and missed slots."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from perfkit.scheduling.state import SILENT_END, Run, State, StateFolder

if TYPE_CHECKING:
    from perfkit.scheduling.schedule_file import Scheduled

MISSED_SHOWN = 50
LATE_S = 600.0


@dataclass(frozen=True)
class Overview:
    """One entry's next slot and its past, newest first."""

    scheduled: Scheduled
    next: dt.datetime | None
    busy: bool
    past: list[Run]
    refused: dict[str, dict[str, str]]


def overview(scheduled: Scheduled, now: dt.datetime, count: int = 1) -> Overview:
    """The next slot and the last ``count`` things that happened or should have.

    Raises RunError when the state cannot be read.
    """
    store = StateFolder(scheduled.state)
    state, busy = store.load(), store.busy
    past = [*state.runs, *missed(scheduled, state, now)]
    if state.running:
        outcome, reason = ("running", None) if busy else ("interrupted", SILENT_END)
        past.append(state.running.ended(outcome, reason))
    past.sort(key=lambda run: (run.slot, run.started), reverse=True)
    told = _gathered(past)[:count]
    return Overview(scheduled, scheduled.next_after(now), busy, told, state.refused)


def _gathered(past: list[Run]) -> list[Run]:
    """Missed slots that follow each other, for one reason, as one: the newest, with how many."""
    found: list[Run] = []
    for (outcome, reason), group in groupby(past, key=lambda run: (run.outcome, run.reason)):
        runs = list(group)
        if outcome == "missed" and len(runs) > 1:
            many = f"{len(runs)} slots{' or more' * (len(runs) >= MISSED_SHOWN)}"
            since = f"{runs[-1].moment:%Y-%m-%d %H:%M}"
            runs = [replace(runs[0], reason=f"{many} since {since}: {reason}")]
        found += runs
    return found


def missed(scheduled: Scheduled, state: State, now: dt.datetime) -> list[Run]:
    """The newest slots that nobody ran, between the first that is known and the newest one.

    The newest slot itself is not missed: the next call still runs it.
    """
    known = {run.slot for run in state.runs}
    known |= {state.running.slot} if state.running else set()
    begin = min([*known, *([state.since] if state.since else [])], default=None)
    slot = scheduled.newest_until(now)
    found: list[Run] = []
    while begin and slot and slot.isoformat() > begin and len(found) < MISSED_SHOWN:
        slot = scheduled.newest_until(slot - dt.timedelta(seconds=1))
        if slot and slot.isoformat() >= begin and slot.isoformat() not in known:
            found.append(_missed(scheduled, state, slot))
    return found


def _missed(scheduled: Scheduled, state: State, slot: dt.datetime) -> Run:
    run = Run(slot.isoformat(), scheduled.zone.key, "missed", "")
    for other in state.runs:
        began = dt.datetime.fromisoformat(other.started)
        ended = began + dt.timedelta(seconds=other.duration_s or 0)
        if began <= slot <= ended:
            return replace(run, reason=f"the run of {other.moment:%Y-%m-%d %H:%M} was still going")
    return replace(run, reason="nothing called perfkit before the next slot came")


def remarks(run: Run) -> list[str]:
    """The reason, how late a run began, files that were left, regressions, and warnings."""
    found = [run.reason] if run.reason else []
    if run.started:
        late = (dt.datetime.fromisoformat(run.started) - run.moment).total_seconds()
        if late > LATE_S:
            found.append(f"began {dt.timedelta(seconds=round(late))} late")
        if late < 0:
            found.append("began before its slot: the clock was set back since")
    found += [f"left {name}: {why}" for name, why in run.left.items()]
    lasting = [f"since an earlier slot: {text}" for text in run.lasting]
    return [*found, *run.regressions, *lasting, *run.warnings]
