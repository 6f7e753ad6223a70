"""What an episode is put down to: rules over what moved in it, each with the sessions it took.

A rule names what moved, never more: that reads took longer, not why. ``share`` is that of the
sessions that came on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.analysis.awr.periods.worst import SESSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfkit.analysis.awr.periods.episodes import Episode, Rise

PART = 0.25
"""A part of what came on top counts from this share on."""

LITTLE = 0.02
"""A rise by less than this share of the sessions is the cause of nothing."""

MOST = 0.5
"""A statement, and time in neither CPU nor waits, count from this share on."""

STARVED = 0.9
"""A host this busy has sessions wait for its CPUs."""

STORAGE_CLASSES = frozenset({"User I/O", "Commit", "System I/O"})

_BACKUP = ("RMAN", "Backup:")


@dataclass(frozen=True)
class Cause:
    """What an episode is put down to: a name of ``CAUSES``, the sessions it took, and of what."""

    name: str
    sessions: float
    of: str | None = None


def causes(episode: Episode) -> list[Cause]:
    """What an episode is put down to, by the sessions that each took; empty where no rule holds.

    A statement whose time is in neither CPU nor waits stands behind that: it may be a long call
    that ended, and no more was done.
    """
    found = [
        Cause(name, rise.by, rise.name if rise.kind != "part" else None)
        for name, rule in _RULES.items()
        if (rise := rule(episode)) is not None
    ]
    booked = any(one.name == "booked" for one in found)
    return sorted(found, key=lambda one: (booked and one.name == "statement", -one.sessions))


def _part(episode: Episode, name: str) -> Rise | None:
    return episode.rise("part", lambda one: one.name == name)


def _more_than_little(episode: Episode, rise: Rise | None) -> Rise | None:
    sessions = episode.moved.get(SESSIONS)
    least = LITTLE * sessions.value if sessions else 0.0
    return rise if rise is not None and rise.by >= least else None


def _counts(episode: Episode, rise: Rise | None, share: float = PART) -> Rise | None:
    """A rise, where it is such a share of what came on top; nothing where sessions fell."""
    excess = episode.excess or 0.0
    found = _more_than_little(episode, rise)
    return found if found is not None and excess > 0 and found.by >= share * excess else None


def _reads_slower(episode: Episode) -> Rise | None:
    slower = episode.way("read_wait_s") == 1
    return _more_than_little(episode, _part(episode, "User I/O")) if slower else None


def _more_reads(episode: Episode) -> Rise | None:
    same = episode.way("read_wait_s") == 0
    return _counts(episode, _part(episode, "User I/O")) if same else None


def _log_slower(episode: Episode) -> Rise | None:
    slower = episode.way("log_file_parallel_write_s") == 1
    return _more_than_little(episode, _part(episode, "Commit")) if slower else None


def _commits(episode: Episode) -> Rise | None:
    same = episode.way("log_file_parallel_write_s") != 1
    return _counts(episode, _part(episode, "Commit")) if same else None


def _starved(episode: Episode) -> bool:
    found = episode.moved.get("cpu_busy_ratio")
    return found is not None and found.way == 1 and found.value >= STARVED


def _cpu_busy(episode: Episode) -> Rise | None:
    return _more_than_little(episode, _part(episode, "residual")) if _starved(episode) else None


def _cpu_work(episode: Episode) -> Rise | None:
    return _counts(episode, _part(episode, "DB CPU"))


def _booked(episode: Episode) -> Rise | None:
    return None if _starved(episode) else _counts(episode, _part(episode, "residual"), MOST)


def _is_backup(rise: Rise) -> bool:
    return rise.name.startswith(_BACKUP)


def _backup(episode: Episode) -> Rise | None:
    return _counts(episode, episode.rise("event", _is_backup))


def _event(episode: Episode) -> Rise | None:
    return _counts(
        episode,
        episode.rise(
            "event",
            lambda one: (
                one.name != "DB CPU"
                and one.wait_class not in STORAGE_CLASSES
                and not _is_backup(one)
            ),
        ),
    )


def _statement(episode: Episode) -> Rise | None:
    return _counts(episode, episode.rise("sql"), MOST)


_RULES: dict[str, Callable[[Episode], Rise | None]] = {
    "reads_slower": _reads_slower,
    "log_slower": _log_slower,
    "commits": _commits,
    "cpu_busy": _cpu_busy,
    "event": _event,
    "backup": _backup,
    "statement": _statement,
    "cpu_work": _cpu_work,
    "more_reads": _more_reads,
    "booked": _booked,
}

CAUSES = tuple(_RULES)
"""What an episode can be put down to."""
