"""What an episode is put down to: rules over what moved in it, each with the sessions it took.

A rule names what moved, never more: that reads took longer, not why. ``share`` is that of the
sessions that came on top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.analysis.awr.periods.worst import SESSIONS

if TYPE_CHECKING:
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


def _is_backup(rise: Rise) -> bool:
    return rise.name.startswith(("RMAN", "Backup:"))


def _is_event(rise: Rise) -> bool:
    return rise.name != "DB CPU" and rise.wait_class not in STORAGE_CLASSES and not _is_backup(rise)


def _is_starved(episode: Episode) -> bool:
    found = episode.moved.get("cpu_busy_ratio")
    return found is not None and found.way == 1 and found.value >= STARVED


def _always(_: Episode | Rise) -> bool:
    return True


@dataclass(frozen=True)
class _Rule:
    """What must have risen, and what else must hold of the episode.

    ``of`` names the part of DB time that rose, or tests what of the kind did. ``share`` is that of
    what came on top; None: any rise that is more than little counts, sessions fell or not.
    """

    kind: str
    of: str | Callable[[Rise], bool]
    share: float | None = PART
    when: Callable[[Episode], bool] = _always

    def rise(self, episode: Episode) -> Rise | None:
        """What rose by this rule; None where it does not hold."""
        found = episode.rise(
            self.kind, self.of if callable(self.of) else lambda one: one.name == self.of
        )
        if found is None or not self.when(episode):
            return None
        sessions, excess = episode.moved.get(SESSIONS), episode.excess or 0.0
        if found.by < LITTLE * (sessions.value if sessions else 0.0):
            return None
        counts = self.share is None or (excess > 0 and found.by >= self.share * excess)
        return found if counts else None


_READ, _WRITE = "read_wait_s", "log_file_parallel_write_s"

_RULES = {
    "reads_slower": _Rule("part", "User I/O", None, lambda one: one.way(_READ) == 1),
    "log_slower": _Rule("part", "Commit", None, lambda one: one.way(_WRITE) == 1),
    "commits": _Rule("part", "Commit", when=lambda one: one.way(_WRITE) != 1),
    "cpu_busy": _Rule("part", "residual", None, _is_starved),
    "event": _Rule("event", _is_event),
    "backup": _Rule("event", _is_backup),
    "statement": _Rule("sql", _always, MOST),
    "cpu_work": _Rule("part", "DB CPU"),
    "more_reads": _Rule("part", "User I/O", when=lambda one: one.way(_READ) == 0),
    "booked": _Rule("part", "residual", MOST, lambda one: not _is_starved(one)),
}

CAUSES = tuple(_RULES)
"""What an episode can be put down to."""


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
        if (rise := rule.rise(episode)) is not None
    ]
    booked = any(one.name == "booked" for one in found)
    return sorted(found, key=lambda one: (booked and one.name == "statement", -one.sessions))
