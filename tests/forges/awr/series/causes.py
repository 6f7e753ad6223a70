"""What was planted: ten causes, each with its half hours and with what a report must name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from forges.awr.series.conditions import Conditions
from forges.awr.series.workload import LOCKED, REPLANNED

Change = Callable[[Conditions], Conditions]


def _same(now: Conditions) -> Conditions:
    return now


def _storage_slow(now: Conditions) -> Conditions:
    """The array degrades: everything takes longer, and the shop sells a little less."""
    return replace(
        now, transactions_per_s=now.transactions_per_s * 0.9, read_s=now.read_s * 8,
        write_s=now.write_s * 6, log_write_s=now.log_write_s * 3,
    )  # fmt: skip


def _log_slow(now: Conditions) -> Conditions:
    """The volume of the log alone: reads are as ever."""
    return replace(now, log_write_s=now.log_write_s * 16)


def _cpu_starved(now: Conditions) -> Conditions:
    """Others take the host's CPU; commits take longer though the log's writes do not."""
    return replace(now, other_cpus=13.0 * now.other_cpus**0.05, sync_overhead_s=1.2e-3)


def _lock_storm(now: Conditions) -> Conditions:
    """A session keeps rows locked, and the updates of stock wait for it."""
    return replace(
        now, lock_sessions=22 * (now.lock_sessions / 0.02) ** 0.2,
        transactions_per_s=now.transactions_per_s * 0.8,
    )  # fmt: skip


def _plan_change(now: Conditions) -> Conditions:
    return replace(now, replanned=True)


def _backup(now: Conditions) -> Conditions:
    """RMAN reads the database, and storage takes longer for it."""
    return replace(
        now, backup_bytes_per_s=600e6, read_s=now.read_s * 2.2, write_s=now.write_s * 1.8
    )


def _noisy_neighbour(now: Conditions) -> Conditions:
    """Storage takes longer while this database asks for little."""
    return replace(now, read_s=now.read_s * 6, write_s=now.write_s * 4)


def _cold(now: Conditions) -> Conditions:
    return replace(now, cold=1.8)


@dataclass(frozen=True)
class Cause:
    """One planted cause: the half hours ``first`` to ``last`` (both are in it)."""

    name: str
    first: int
    last: int
    change: Change = _same
    names: tuple[str, ...] = ()
    """What a report that found the cause names: an event, a statement, a quantity."""
    missing: bool = False
    """Nobody made reports of these half hours."""
    restarted: bool = False
    """The instance was started within these half hours."""
    spanned: bool = False
    """One more report is of all of these half hours."""

    def at(self, number: int) -> bool:
        """Whether the half hour is in it."""
        return self.first <= number <= self.last


CAUSES = (
    Cause("storage slow", 8, 13, _storage_slow, ("db file sequential read",)),
    Cause("backup", 29, 33, _backup, ("RMAN backup & recovery I/O",)),
    Cause("log slow", 50, 55, _log_slow, ("log file sync", "log file parallel write")),
    Cause("CPU starved", 64, 69, _cpu_starved, ("CPU",)),
    Cause("restart", 84, 84, restarted=True, missing=True),
    Cause("lock storm", 98, 101, _lock_storm, ("enq: TX - row lock contention", LOCKED)),
    Cause("plan change", 112, 121, _plan_change, (REPLANNED,)),
    Cause("gap", 132, 135, missing=True),
    Cause("overlap", 146, 153, spanned=True),
    Cause("noisy neighbour", 178, 183, _noisy_neighbour, ("db file sequential read",)),
)
"""All of them, in a series of 200 half hours that begins at 8 in the morning."""

AFTER_RESTART = 2
"""Half hours in which the cache is cold after a restart."""


def changed(now: Conditions, number: int, causes: tuple[Cause, ...]) -> Conditions:
    """The conditions of a half hour with what was planted in it."""
    for cause in causes:
        if cause.at(number):
            now = cause.change(now)
        if cause.restarted and cause.last < number <= cause.last + AFTER_RESTART:
            now = _cold(now)
    return now


def moved(cause: Cause, first: int, last: int) -> Cause:
    """The same cause in other half hours."""
    return replace(cause, first=first, last=last)
