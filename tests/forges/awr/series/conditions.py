"""What one half hour was like: how much was asked, and what storage, log, CPU and locks gave."""

from __future__ import annotations

from dataclasses import dataclass, field

from forges.awr.series.workload import STATEMENTS, Noise, day

TRANSACTIONS_PER_S = 300.0
READ_S, WRITE_S, LOG_WRITE_S, SYNC_OVERHEAD_S = 600e-6, 900e-6, 500e-6, 120e-6


@dataclass(frozen=True)
class Conditions:
    """One half hour before it is counted."""

    transactions_per_s: float
    read_s: float
    """Mean of a read of one block."""
    write_s: float
    """Mean of a write of the database writer."""
    log_write_s: float
    """Mean of log file parallel write."""
    sync_overhead_s: float
    """What a commit waits beyond the write of the log."""
    other_cpus: float = 1.0
    """CPUs that others on the host keep busy."""
    lock_sessions: float = 0.02
    """Sessions that wait for a row's lock, on average."""
    mutex_sessions: float = 0.03
    backup_bytes_per_s: float = 0.0
    replanned: bool = False
    """Whether the search has its worse plan."""
    cold: float = 1.0
    """Reads of a block over those of a warm cache."""
    executions: dict[str, float] = field(default_factory=dict)
    """A factor about 1 for the executions of each statement."""
    residual: float = 0.0
    """Time that no counter explains, as a share of DB time; of either sign."""


def ordinary(hour: float, noise: Noise) -> Conditions:
    """A half hour in which nothing is wrong; storage takes a little longer under load."""
    load = day(hour) * noise.step("load", 0.07)
    queue = 1 + 0.2 * (load - 1)
    return Conditions(
        TRANSACTIONS_PER_S * load,
        READ_S * queue * noise.step("read", 0.06),
        WRITE_S * queue * noise.step("write", 0.08),
        LOG_WRITE_S * queue * noise.step("log", 0.06),
        SYNC_OVERHEAD_S * noise.step("sync", 0.08),
        noise.step("other", 0.15),
        0.02 * noise.step("lock", 0.4),
        0.03 * load * noise.step("mutex", 0.25),
        executions={each.sql_id: noise.step(each.sql_id, 0.05) for each in STATEMENTS},
        residual=0.01 * (noise.step("residual", 0.3) - 1),
    )
