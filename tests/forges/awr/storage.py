"""What a forged report says of recovery, memory pools and segments, in whole numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HUNDREDTH = 100
"""Factors, shares and some sizes are whole hundredths here: as fine as any form prints them."""


@dataclass(frozen=True)
class Recovery:
    """What recovery would take at one snapshot: seconds, buffers, redo blocks, MiB."""

    target_mttr: int
    estimated_mttr: int
    dirty_buffers: int
    actual_blocks: int
    target_blocks: int
    log_size_blocks: int
    timeout_blocks: int
    interval_blocks: int | None = None
    optimal_log_mb: int | None = None
    rac_seconds: int | None = None


@dataclass(frozen=True)
class Checkpoints:
    """Writes by their reason."""

    mttr: int
    log_size: int
    log_checkpoint: int
    other: int
    autotune: int
    thread: int


@dataclass(frozen=True)
class MttrAdvice:
    """What another target of recovery would write; factors in hundredths."""

    seconds: int
    dirty_limit: int
    cache_writes: int
    cache_factor: int
    totals: tuple[int, int, int, int] | None = None
    """Writes and their factor, I/Os and their factor; Oracle prints them rarely."""


@dataclass(frozen=True)
class Pool:
    """One buffer pool; ``hit`` in whole percent."""

    name: str
    buffers: int
    hit: int
    gets: int
    reads: int
    writes: int
    free_waits: int
    write_waits: int
    busy_waits: int


@dataclass(frozen=True)
class Pga:
    """Memory of the server processes at one snapshot: MiB, hundredths of MiB where so named."""

    target_mb: int
    auto_target_mb: int
    allocated: int
    """Hundredths of MiB."""
    auto_work: int
    """Hundredths of MiB."""
    manual_work: int
    """Hundredths of MiB."""
    bound_mb: int


@dataclass(frozen=True)
class WorkAreas:
    """Sorts and hash joins: share in memory (hundredths of a percent), MiB."""

    hit: int
    processed_mb: int
    extra_mb: int


@dataclass(frozen=True)
class BufferAdvice:
    """Another size of a buffer pool; factors in hundredths, buffers and reads in thousands."""

    pool: str
    size_mb: int
    factor: int
    buffers_k: int
    reads_factor: int
    reads_k: int


@dataclass(frozen=True)
class PgaAdvice:
    """Another target of the PGA; factor and MiB in hundredths, ``hit`` in whole percent."""

    size_mb: int
    factor: int
    processed: int
    extra: int
    hit: int
    overallocations: int


@dataclass(frozen=True)
class SgaAdvice:
    """Another target of the SGA; factors in hundredths."""

    size_mb: int
    factor: int
    db_time_s: int
    db_time_factor: int
    reads: int


@dataclass(frozen=True)
class Segment:
    """One segment, and what was read and written of it, by the name of the order."""

    owner: str
    tablespace: str
    name: str
    partition: str
    kind: str
    number: int
    data_number: int
    counts: Mapping[str, int]
    container: str = ""


@dataclass(frozen=True)
class IoSize:
    """Single-block (small) and multi-block (large) I/O of a function, of one file type or all.

    Requests and bytes in the order: small reads, large reads, small writes, large writes.
    """

    function: str
    filetype: str
    requests: tuple[int, int, int, int]
    bytes: tuple[int, int, int, int]
    waits: int = 0
    wait_ms: int = 0


@dataclass(frozen=True)
class Storage:
    """All of it; what is empty is not printed."""

    recovery: tuple[Recovery, Recovery] | None = None
    checkpoints: Checkpoints | None = None
    mttr_advice: tuple[MttrAdvice, ...] = ()
    pools: tuple[Pool, ...] = ()
    pga: tuple[Pga, Pga] | None = None
    work_areas: WorkAreas | None = None
    buffer_advice: tuple[BufferAdvice, ...] = ()
    pga_advice: tuple[PgaAdvice, ...] = ()
    sga_advice: tuple[SgaAdvice, ...] = ()
    segments: tuple[Segment, ...] = ()
    io_sizes: tuple[IoSize, ...] = field(default=())
