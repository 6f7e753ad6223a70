"""Is it storage? Judged for reads and for commits by stated rules, each with its reasons.

What is judged is a stretch against the rest: of the changes in which User I/O, or Commit, rose, the
largest for which storage is the cause or a contributor (others are named), else the largest. Where
storage was only faster for a time, the other periods are judged against that time. Of two levels
by turns the high ones are judged against the others. All of a trend is judged together where there
is not a change.

Reads. Storage is the cause where a read took longer than in the other periods, or longer than the
limit, and User I/O is at least half of DB time or of what came on top; a contributor from a tenth
of DB time on; not the cause
where a read took no longer, or User I/O is less than that. Not judged: no mean of enough waits; or
nothing to hold it against, which is neither a limit nor other periods.

Commits. Where commits are at least a tenth of DB time: the log's writes are the cause where log
file parallel write took longer together with log file sync, from the same half on, else a
contributor. Where it did not take longer, what moved is named, and storage is a contributor where
the log's writes add up to most of the time, as they then limit how often commits are written; else
not the cause. Not judged: a pluggable database, whose log writer is in the root; too few waits.

Nor is a longer wait judged while the host's CPUs are busy: every wait ends on a CPU.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import Literal

import polars as pl

from perfkit.analysis.awr.histograms import ENOUGH_WAITS
from perfkit.analysis.awr.periods.answers import stretch, where
from perfkit.analysis.awr.periods.causes import STARVED
from perfkit.analysis.awr.periods.episodes import (
    Episode,
    History,
    Moved,
    alternations,
    episode_of,
    episodes,
    histories,
    levels_of,
)
from perfkit.analysis.awr.periods.over_time import UNCLASSED, sessions_over_time
from perfkit.analysis.awr.periods.risers import listed
from perfkit.analysis.awr.periods.worst import SESSIONS
from perfkit.analysis.awr.single_time import CPU, LOCKS, MOSTLY_LOCKS, too_much_cpu
from perfkit.core import answers as claims
from perfkit.core.answers import Answer, Estimate, Subject, register_questions
from perfkit.core.cautions import Caution, caution
from perfkit.core.keys import file_of
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.units import Format

(STORAGE,) = register_questions(
    ("series_storage", "ratio", "the share of DB time that waits for reads, or for commits, and "
     "whether storage is its cause", "by the rules of perfkit.analysis.awr.periods.storage",
     "none", frozenset({("measured", "="), ("not_judged", "=")})),
)  # fmt: skip

Outcome = Literal["yes", "contributor", "no"]

BLAMED = frozenset({"yes", "contributor"})

CAUSE, PART = 0.5, 0.1
"""Shares of DB time from which waits are the cause, and a part of it."""

INSIDE = 0.7
"""Log writes that add up to this share of the time limit how often a commit can be written."""

TRANSPORT_SESSIONS = 0.1
"""The transport of redo to a standby moved where so many sessions more are in it."""

_STARVED = "the host's CPUs were busy, which lengthens every wait"

_SYNC, _WRITE = "log_file_sync_s", "log_file_parallel_write_s"

TOLD_OF_COMMITS = ("commits_per_s", "commits_per_redo_write", "log_writer_busy_ratio",
                   "cpu_busy_ratio")  # fmt: skip


@dataclass(frozen=True)
class _Judged:
    """An outcome with the rule that gave it; no outcome: not judged, with the reason."""

    outcome: Outcome | None
    rule: str


def is_it_storage(
    periods: Measured, over_time: Measured, reading: Reading, *, limit_s: float | None = None
) -> Measured:
    """Whether storage is the cause of the largest change of each history, for reads and commits.

    Args:
        periods: What ``periods`` gave.
        over_time: What ``over_time`` gave.
        reading: The reports' tables.
        limit_s: What the study demands of a read's mean wait; None: nothing.

    Returns:
        ``answers.ANSWERS``: question series_storage, metrics reads and commits. The subject says
        the outcome: yes, contributor or no.
    """
    report = reading["report"]
    sessions = sessions_over_time(periods, reading)
    return _storage(over_time, sessions, listed(over_time, reading), report, limit_s=limit_s)


@step(version=2, name="awr.is_it_storage")
def _storage(
    over_time: Measured,
    sessions: Measured,
    listed: Measured,
    report: Measured,
    *,
    limit_s: float | None,
) -> pl.DataFrame:
    frames = (frame.frame.rows(named=True) for frame in (over_time, sessions, listed))
    reports = {file_of(row): row for row in report.frame.rows(named=True)}
    found: list[Answer] = []
    # the busiest database first, as where the time went is told
    for history in sorted(histories(*frames), key=_busy, reverse=True):
        own = reports[history.rows[0]["source"]]
        found += judged(history, limit_s, pdb=own["scope"] == "pdb", cluster=bool(own["rac"]))
    return claims.to_frame(found)


def _busy(history: History) -> float:
    rows = [row for row in history.rows if row[SESSIONS] is not None]
    elapsed = math.fsum(row["elapsed_s"] for row in rows)
    db_time = math.fsum(row[SESSIONS] * row["elapsed_s"] for row in rows)
    return db_time / elapsed if elapsed else 0.0


def judged(
    history: History, limit_s: float | None, *, pdb: bool, cluster: bool
) -> tuple[Answer, Answer]:
    """The answers of one history: of reads, and of commits."""
    found = [*episodes(history), *(one.episode for one in alternations(history))]
    return (
        _answered(_stretches(history, found, "User I/O"), lambda one: _reads(one, limit_s)),
        _answered(
            _stretches(history, found, "Commit"),
            lambda one: _commits(one, pdb=pdb, cluster=cluster),
        ),
    )


@dataclass(frozen=True)
class Focus:
    """What is judged: some periods of a history, and the episode that they are, if they are one."""

    history: History
    places: tuple[int, ...]
    episode: Episode | None

    def share(self, part: str) -> float | None:
        """The share of a part in the DB time of these periods; None where one does not state it."""
        by = self.history.parts.get(("part", part, None), {})
        rows = [self.history.rows[place] for place in self.places]
        if any(row["source"] not in by for row in rows):
            stated = {name for kind, name, _ in self.history.parts if kind == "part"}
            # without classes a part may be among the waits
            return 0.0 if stated and UNCLASSED not in stated and not by else None
        whole = math.fsum(row[SESSIONS] * row["elapsed_s"] for row in rows)
        own = math.fsum(by[row["source"]] * row["elapsed_s"] for row in rows)
        return own / whole if whole else None

    @property
    def no_shares(self) -> str | None:
        """Why shares of DB time say nothing; None where they do."""
        return too_much_cpu(self.history.name, self.share(CPU))

    def value(self, quantity: str) -> float | None:
        """A quantity over these periods; None where none of them knows it.

        The median; of all periods, held against no others, the mean of all waits where their counts
        are known.
        """
        values = self.history.values(quantity)
        known = {place: value for place in self.places if (value := values[place]) is not None}
        if not known:
            return None
        column = _COUNTS.get(quantity) if self.episode is None else None
        counts = [self.history.rows[place][column] for place in known] if column else []
        if not counts or None in counts:
            return median(known.values())
        return math.fsum(map(operator.mul, known.values(), counts)) / math.fsum(counts)

    def moved(self, quantity: str) -> Moved | None:
        """How a quantity moved against the other periods; None where that is not known."""
        return self.episode.moved.get(quantity) if self.episode else None

    @property
    def locks(self) -> float | None:
        """The share of waits for rows and tables that others have locked in DB time."""
        rows = [self.history.rows[place] for place in self.places]
        db_time = math.fsum(row[SESSIONS] * row["elapsed_s"] for row in rows if row[SESSIONS])
        waited = [
            by.get(row["source"], 0.0) * row["elapsed_s"]
            for (kind, name, _), by in self.history.parts.items()
            if kind == "event" and name.startswith(LOCKS)
            for row in rows
        ]
        return math.fsum(waited) / db_time if db_time else None

    @property
    def starved(self) -> bool:
        """Whether sessions may wait for the host's CPUs, within any wait."""
        return (self.value("cpu_busy_ratio") or 0.0) >= STARVED

    def usual(self, quantity: str) -> float | None:
        """The median of a quantity over the other periods."""
        found = self.moved(quantity)
        return found.usual if found else None


def _stretches(history: History, found: Sequence[Episode], part: str) -> list[tuple[float, Focus]]:
    """What is judged of a part of DB time, each with the sessions that came on top in it.

    These are the episodes in which it rose, else all of it did. Where it only fell, the periods
    in no episode are held against those in which it was lower. Without either it is all periods.
    """
    risen = [(_risen(one, part), Focus(history, one.places, one)) for one in found]
    rose = [item for item in risen if item[0] > 0]
    if rose:
        return sorted(rose, key=lambda item: -item[0])
    every = tuple(range(len(history.rows)))
    lower = _lower(history, found, part)
    others = [place for place in every if place not in lower]
    # places that follow each other
    groups = groupby(enumerate(others), key=lambda item: item[1] - item[0])
    runs = [[place for _, place in own] for _, own in groups]
    if lower and runs:
        places = max(runs, key=len)
        one = episode_of(history, places, WAITED[part], sorted(lower))
        return [(_risen(one, part), Focus(history, tuple(places), one))]
    return [(0.0, Focus(history, every, None))]


_COUNTS = {
    "read_wait_s": "read_waits",
    _SYNC: "log_file_syncs",
    _WRITE: "log_file_parallel_writes",
}
"""The waits behind each mean wait."""

WAITED = {"User I/O": "read_wait_s", "Commit": _WRITE}
"""The wait that tells whether storage was slower."""


def _lower(history: History, found: Sequence[Episode], part: str) -> set[int]:
    """The periods in which storage was faster than in the others."""
    quantity = WAITED[part]
    places, runs = levels_of(history, quantity)
    whole = max(
        (one for one in runs if not one.stretch), default=None, key=lambda one: one.end - one.first
    )
    stretches = [
        one
        for one in runs
        if one.stretch and whole and whole.holds(one) and one.median < whole.median
    ]
    return {
        *(place for one in found if one.way(quantity) == -1 for place in one.places),
        *(places[at] for one in stretches for at in range(one.first, one.end)),
    }


def _risen(episode: Episode, part: str) -> float:
    """The sessions that a part took on top over an episode, else all of them."""
    rise = episode.rise("part", lambda one: one.name == part)
    own = rise.by if rise else 0.0
    return len(episode.places) * (own if own > 0 else 1e-9 * max(0.0, episode.excess or 0.0))


def _answered(stretches: Sequence[tuple[float, Focus]], judge: Callable[[Focus], Answer]) -> Answer:
    """Of the stretch in which most came on top, unless storage is blamed for others alone.

    Of several for which it is blamed the others are named.
    """
    answers = [(risen, judge(focus)) for risen, focus in stretches]
    largest = answers[0][0]
    blamed = [
        answer
        for risen, answer in answers
        if answer.subject.get("outcome") in BLAMED and risen >= PART * largest
    ]
    if not blamed:
        return answers[0][1]
    first, *others = blamed
    if not others:
        return first
    also = ";".join(f"{one.subject.get('begin')}/{one.subject.get('end')}" for one in others)
    key = (*first.subject.key, ("also", also))
    return replace(first, subject=Subject(first.subject.label, key))


def _reads(focus: Focus, limit_s: float | None) -> Answer:
    quantity = "read_wait_s"
    value, share = focus.value(quantity), focus.share("User I/O")
    verdict = _reads_judged(focus, value, share, limit_s)
    numbers = where(
        (quantity, value),
        (f"usual {quantity}", focus.usual(quantity)),
        ("limit", limit_s),
        ("read_iops", focus.value("read_iops")),
        ("usual read_iops", focus.usual("read_iops")),
    )
    return _answer(
        focus, "reads", verdict, share, numbers=numbers, cautions=_few(focus, "read_waits", "reads")
    )


def _reads_judged(
    focus: Focus, value: float | None, share: float | None, limit_s: float | None
) -> _Judged:
    if (nothing := focus.no_shares) is not None:
        return _Judged(None, nothing)
    if share is not None and share < PART:
        return _Judged("no", "little")
    moved = focus.moved("read_wait_s")
    over = limit_s is not None and value is not None and value > limit_s
    slower = moved is not None and moved.way == 1
    refused = (
        (share is None, "not every period states its DB time and its User I/O"),
        (value is None, f"no period has {ENOUGH_WAITS:,} reads with a mean wait"),
        (
            moved is None and limit_s is None,
            "there is neither a limit nor another period to compare reads with",
        ),
        ((over or slower) and focus.starved, _STARVED),
    )
    reason = next((words for holds, words in refused if holds), None)
    if reason is not None:
        return _Judged(None, reason)
    if over or slower:
        return _Judged(_by_share(focus, "User I/O", share), "over" if over else "slower")
    return _Judged("no", "within" if moved is None else "same")


def _by_share(focus: Focus, part: str, share: float | None) -> Outcome:
    """The cause: half of DB time, or of what came on top."""
    episode = focus.episode
    rise = episode.rise("part", lambda one: one.name == part) if episode else None
    excess = episode.excess if episode else None
    of_change = rise is not None and (excess or 0.0) > 0 and rise.by >= CAUSE * (excess or 0.0)
    return "yes" if (share or 0.0) >= CAUSE or of_change else "contributor"


def _commits(focus: Focus, *, pdb: bool, cluster: bool) -> Answer:
    share = focus.share("Commit")
    verdict = _commits_judged(focus, share, pdb=pdb)
    told = (_SYNC, _WRITE, *TOLD_OF_COMMITS)
    numbers = where(
        *((name, focus.value(name)) for name in told),
        *((f"usual {name}", focus.usual(name)) for name in told),
        *((f"way {name}", float(moved.way)) for name in told if (moved := focus.moved(name))),
    )
    transport = focus.episode.rise("transport") if focus.episode else None
    if transport is not None and transport.by >= TRANSPORT_SESSIONS:
        numbers += where(("transport", transport.value), ("usual transport", transport.usual))
    cautions = _few(focus, "log_file_syncs", "log file sync")
    cautions += (caution("sync_spreads"),) if cluster else ()
    return _answer(focus, "commits", verdict, share, numbers=numbers, cautions=cautions)


def _commits_judged(focus: Focus, share: float | None, *, pdb: bool) -> _Judged:
    value, writes = (focus.value(name) for name in (_SYNC, _WRITE))
    refused = (
        (pdb, "the log writer is in the root of the container database"),
        (focus.no_shares is not None, focus.no_shares),
        (share is None, "not every period states its DB time and its waits for commits"),
        (
            share is not None and share >= PART and None in {value, writes},
            f"no period has {ENOUGH_WAITS:,} commits and writes of the log with a mean wait",
        ),
    )
    reason = next((words for holds, words in refused if holds), None)
    if reason is not None or share is None:
        return _Judged(None, reason or "")
    return _Judged("no", "little") if share < PART else _log_judged(focus, share)


def _log_judged(focus: Focus, share: float) -> _Judged:
    """Whether it is the log's writes that commits wait for."""
    write, sync = focus.moved(_WRITE), focus.moved(_SYNC)
    if write is None and (focus.value("log_writer_busy_ratio") or 0.0) >= INSIDE:
        return _Judged("contributor", "full")
    if write is None:
        return _Judged(None, "there are no other periods to compare the log's writes with")
    if write.way == 1 and focus.starved:
        return _Judged(None, _STARVED)
    if write.way == 1 and (sync is None or sync.way == 1):
        return _Judged(_by_share(focus, "Commit", share), "slower")
    if (focus.value("log_writer_busy_ratio") or 0.0) >= INSIDE:
        return _Judged("contributor", "inside")
    return _Judged("no", "same")


def _few(focus: Focus, count: str, of: str) -> tuple[Caution, ...]:
    """A caution where the means of some of all periods are of too few waits."""
    counts = [row[count] for row in focus.history.rows]
    some = any(value is not None and value < ENOUGH_WAITS for value in counts)
    return (caution("means_left_out", of=of, least=f"{ENOUGH_WAITS:,}"),) if some else ()


def _answer(
    focus: Focus,
    metric: str,
    verdict: _Judged,
    share: float | None,
    *,
    numbers: tuple[claims.Condition, ...],
    cautions: tuple[Caution, ...],
) -> Answer:
    all_rows = focus.history.rows
    rows = [all_rows[place] for place in focus.places]
    by_turns = focus.episode is not None and focus.episode.by_turns
    locks = focus.locks
    if verdict.outcome == "no" and locks is not None and locks >= MOSTLY_LOCKS:
        of_db_time = Format("%").show(locks).text
        cautions += (caution("lock_waits", of=focus.history.name, share=of_db_time),)
    no_value = verdict.outcome is None or share is None
    return Answer(
        STORAGE.name,
        metric,
        stretch(
            focus.history.name,
            all_rows if by_turns else all_rows[focus.places[0] : focus.places[-1] + 1],
            high=str(len(rows)) if by_turns else None,
            outcome=verdict.outcome,
            rule=verdict.rule if verdict.outcome else None,
            event=rows[0]["read_event"] if metric == "reads" else None,
            all=None if focus.episode else "yes",
        ),
        "not_judged" if no_value else "measured",
        None if no_value else Estimate(share or 0.0, STORAGE.unit, n=len(rows)),
        conditions=numbers,
        reason=verdict.rule if no_value else None,
        cautions=cautions,
    )
