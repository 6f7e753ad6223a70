"""What a half hour's conditions add up to: statements first, and everything else from them.

DB time = CPU + waits + residual; requests x mean = time waited; a histogram has its event's waits
and mean; the functions' I/O is the waits' I/O.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from forges.awr.content import Histogram, Wait
from forges.awr.series.workload import (
    DIRECT_BLOCKS,
    LOCKED,
    MULTI_BLOCKS,
    REPLANNED,
    STATEMENTS,
    Statement,
)

if TYPE_CHECKING:
    from forges.awr.series.conditions import Conditions

BLOCK = 8192
CPUS = 16
COMMITS_PER_TRANSACTION = 1.02
REDO_PER_TRANSACTION = 5200
RMAN_READ = 1024**2
"""Bytes of one read of a backup."""
SLOWER = {"db file scattered read": 2.1, "direct path read": 3.4}
"""The mean of a longer read over the mean of a read of one block."""
SPREAD = {"log file sync": 0.45, "log file parallel write": 0.4}
"""Standard deviation of the logarithm of a wait; of the others 0.6."""
CPU_ELSEWHERE = 1.12
"""DB CPU over the CPU of the statements."""


@dataclass(frozen=True)
class Ran:
    """One statement in one half hour; times in microseconds."""

    statement: Statement
    executions: int
    cpu_us: float
    gets: int
    singles: int
    multis: int
    directs: int

    @property
    def blocks(self) -> int:
        """Blocks it read from storage."""
        return self.singles + self.multis * MULTI_BLOCKS + self.directs * DIRECT_BLOCKS


@dataclass(frozen=True)
class Counted:
    """One half hour, counted; times in microseconds."""

    seconds: int
    transactions: int
    commits: int
    statements: tuple[Ran, ...]
    db_cpu_us: int
    residual_us: int
    busy_cpus: float
    foreground: tuple[Wait, ...]
    background: tuple[Wait, ...]
    backup_reads: int
    backup_writes: int
    redo_bytes: int
    writes: int
    """Requests of the database writer."""

    @property
    def waited_us(self) -> int:
        """Foreground time that is not idle."""
        return sum(wait.time_us for wait in self.foreground if wait.wait_class != "Idle")

    @property
    def db_time_us(self) -> int:
        """CPU, waits, and what neither explains."""
        return self.db_cpu_us + self.waited_us + self.residual_us

    def wait(self, event: str) -> Wait:
        """A wait event, foreground or background."""
        return next(wait for wait in self.foreground + self.background if wait.event == event)


def counted(now: Conditions, seconds: int) -> Counted:
    """The counts of so many seconds under these conditions."""
    transactions = round(now.transactions_per_s * seconds)
    statements = tuple(_ran(each, now, transactions) for each in STATEMENTS)
    db_cpu = sum(ran.cpu_us for ran in statements) * CPU_ELSEWHERE
    backup = now.backup_bytes_per_s * seconds
    busy = min((db_cpu + 0.002 * backup) / 1e6 / seconds + 0.3 + now.other_cpus, 0.985 * CPUS)
    queued = db_cpu * queue(busy / CPUS)
    commits = round(transactions * COMMITS_PER_TRANSACTION)
    foreground = _foreground(now, statements, commits, backup, seconds)
    waited = sum(wait.time_us for wait in foreground if wait.wait_class != "Idle")
    redo = transactions * REDO_PER_TRANSACTION
    writes = round(transactions * 2.2)
    return Counted(
        seconds, transactions, commits, statements, round(db_cpu),
        round(queued + now.residual * (db_cpu + waited)), busy, foreground,
        _background(now, commits, writes, seconds), round(backup / RMAN_READ),
        round(backup / RMAN_READ / 3), redo, writes,
    )  # fmt: skip


def queue(utilisation: float) -> float:
    """Time in the run queue over time on CPU (M/M/c, Sakasegawa 1977)."""
    return utilisation ** (math.sqrt(2 * (CPUS + 1)) - 1) / (CPUS * (1 - utilisation))


def _ran(each: Statement, now: Conditions, transactions: int) -> Ran:
    executions = round(transactions * each.per_transaction * now.executions.get(each.sql_id, 1.0))
    worse = now.replanned and each.sql_id == REPLANNED
    # the worse plan scans an index: a hundred times the gets, and more than it can keep cached
    cpu, gets, reads = (22, 100, 14) if worse else (1, 1, 1)
    return Ran(
        each, executions, executions * each.cpu_us * cpu, round(executions * each.gets * gets),
        round(executions * each.singles * reads * now.cold), round(executions * each.multis),
        round(executions * each.directs),
    )  # fmt: skip


def _timed(event: str, wait_class: str, waits: int, mean_s: float) -> Wait:
    return Wait(event, wait_class, waits, 0, round(waits * mean_s * 1e6))


def _lasting(event: str, wait_class: str, sessions: float, mean_s: float, seconds: int) -> Wait:
    """An event by the sessions that were in it."""
    return _timed(event, wait_class, max(1, round(sessions * seconds / mean_s)), mean_s)


def _foreground(
    now: Conditions, statements: tuple[Ran, ...], commits: int, backup: float, seconds: int
) -> tuple[Wait, ...]:
    reads = {
        "db file sequential read": sum(ran.singles for ran in statements),
        "db file scattered read": sum(ran.multis for ran in statements),
        "direct path read": sum(ran.directs for ran in statements),
    }
    calls = 3 * commits
    waits = [
        *(
            _timed(event, "User I/O", count, now.read_s * SLOWER.get(event, 1.0))
            for event, count in reads.items()
        ),
        # a few commits find their redo written already, and do not wait
        _timed("log file sync", "Commit", round(commits * 0.97),
               now.log_write_s * 1.15 + now.sync_overhead_s),
        _lasting("enq: TX - row lock contention", "Application", now.lock_sessions,
                 2.5 if now.lock_sessions > 1 else 0.08, seconds),
        _lasting("library cache: mutex X", "Concurrency", now.mutex_sessions, 400e-6, seconds),
        _timed("SQL*Net message to client", "Network", calls, 1.5e-6),
        _timed("SQL*Net message from client", "Idle", calls, 120e-3),
    ]  # fmt: skip
    if backup:
        waits.append(
            _timed("RMAN backup & recovery I/O", "System I/O", round(backup / RMAN_READ),
                   now.read_s * 3)
        )  # fmt: skip
    return tuple(waits)


def _background(now: Conditions, commits: int, writes: int, seconds: int) -> tuple[Wait, ...]:
    # while the log is written commits gather, and the next write takes them all
    log_writes = round(commits / (1 + commits / seconds * now.log_write_s))
    return (
        _timed("log file parallel write", "System I/O", log_writes, now.log_write_s),
        _timed("db file parallel write", "System I/O", max(1, writes // 8), now.write_s * 1.5),
        _timed("control file parallel write", "System I/O", seconds // 3, now.write_s),
        _timed("control file sequential read", "System I/O", seconds * 2, now.read_s * 0.5),
        _timed("rdbms ipc message", "Idle", seconds * 20, 0.9),
    )


def histogram(wait: Wait, random: Random) -> Histogram:
    """A log-normal histogram with the event's waits and, but for its buckets' width, its mean."""
    spread = SPREAD.get(wait.event, 0.6)
    middle = math.log(wait.time_us / wait.waits) - spread**2 / 2
    edges = [0.0, *(_below(2.0**power, middle, spread) for power in range(27)), 1.0]
    counts = [round(wait.waits * (high - low)) for low, high in pairwise(edges)]
    most = counts.index(max(counts))
    counts[most] += wait.waits - sum(counts)
    slow = min(counts[most], random.randrange(3))
    # now and then a wait takes much longer than all the others
    counts[most] -= slow
    counts[max(most, 19)] += slow
    return Histogram(wait.event, tuple(counts))


def _below(micro: float, middle: float, spread: float) -> float:
    return 0.5 * (1 + math.erf((math.log(micro) - middle) / (spread * math.sqrt(2))))


def lock_us(counts: Counted, ran: Ran) -> int:
    """Time that a statement waited for locks."""
    own = ran.statement.sql_id == LOCKED
    return counts.wait("enq: TX - row lock contention").time_us if own else 0


def total(parts: list[Counted]) -> Counted:
    """The counts of several half hours together, as a report that spans them says them."""
    if len(parts) == 1:
        return parts[0]
    seconds = sum(part.seconds for part in parts)
    sums = {
        name: sum(getattr(part, name) for part in parts)
        for name in (
            "transactions", "commits", "db_cpu_us", "residual_us", "backup_reads",
            "backup_writes", "redo_bytes", "writes",
        )
    }  # fmt: skip
    return Counted(
        seconds=seconds,
        statements=tuple(
            _ran_in_all(rans) for rans in zip(*(p.statements for p in parts), strict=True)
        ),
        busy_cpus=sum(part.busy_cpus * part.seconds for part in parts) / seconds,
        foreground=_waits_in_all(wait for part in parts for wait in part.foreground),
        background=_waits_in_all(wait for part in parts for wait in part.background),
        **sums,
    )


def _ran_in_all(rans: tuple[Ran, ...]) -> Ran:
    counts = ("executions", "cpu_us", "gets", "singles", "multis", "directs")
    return Ran(rans[0].statement, *(sum(getattr(ran, name) for ran in rans) for name in counts))


def _waits_in_all(waits: Iterable[Wait]) -> tuple[Wait, ...]:
    found: dict[str, Wait] = {}
    for wait in waits:
        before = found.get(wait.event, replace(wait, waits=0, time_us=0))
        found[wait.event] = replace(
            before, waits=before.waits + wait.waits, time_us=before.time_us + wait.time_us
        )
    return tuple(found.values())
