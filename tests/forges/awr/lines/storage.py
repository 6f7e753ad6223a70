"""Recovery, memory pools and segments: the rows that the dialects of one instance share.

A form differs in its decimals, not in its rows: HTML prints two of most figures, text one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from forges.awr.content import ratio
from forges.awr.printing import BLANK, MIB, Shown, fixed, percent, word
from forges.awr.sheet import Line
from forges.awr.storage import (
    HUNDREDTH,
    BufferAdvice,
    Checkpoints,
    MttrAdvice,
    Pga,
    PgaAdvice,
    Pool,
    Recovery,
    Segment,
    SgaAdvice,
    WorkAreas,
)

MOMENTS = (Shown("B", "begin"), Shown("E", "end"))
"""The two snapshots, as their rows are marked."""

RECOVERY_KEYS = (
    "snapshot", "target_mttr_s", "estimated_mttr_s", "recovery_estimated_ios",
    "actual_redo_blocks", "target_redo_blocks", "log_size_redo_blocks",
    "log_checkpoint_timeout_redo_blocks", "log_checkpoint_interval_redo_blocks",
    "optimal_log_size_bytes", "estimated_rac_available_time_s",
)  # fmt: skip


def recovery_lines(recovery: tuple[Recovery, Recovery], missing: Shown) -> tuple[Line, Line]:
    """Instance Recovery Stats: no thousands commas; ``missing`` is what is printed of nothing."""
    begin, end = (
        Line([
            moment,
            *(
                fixed(value, commas=False)
                for value in (
                    row.target_mttr, row.estimated_mttr, row.dirty_buffers, row.actual_blocks,
                    row.target_blocks, row.log_size_blocks, row.timeout_blocks,
                )
            ),
            _or(row.interval_blocks, missing), _or(row.optimal_log_mb, missing, MIB),
            _or(row.rac_seconds, missing),
        ])
        for moment, row in zip(MOMENTS, recovery, strict=True)
    )  # fmt: skip
    return begin, end


def _or(value: int | None, missing: Shown, scale: int = 1) -> Shown:
    return missing if value is None else fixed(value, scale=scale, commas=False)


CHECKPOINT_KEYS = (
    "mttr_writes", "log_size_writes", "log_checkpoint_writes", "other_settings_writes",
    "autotune_writes", "thread_writes",
)  # fmt: skip


def checkpoint_line(checkpoints: Checkpoints) -> Line:
    """Checkpoint Activity."""
    return Line([
        fixed(value)
        for value in (
            checkpoints.mttr, checkpoints.log_size, checkpoints.log_checkpoint, checkpoints.other,
            checkpoints.autotune, checkpoints.thread,
        )
    ])  # fmt: skip


MTTR_KEYS = (
    "target_mttr_s", "dirty_limit_buffers", "cache_writes", "cache_writes_factor", "total_writes",
    "total_writes_factor", "total_ios", "total_ios_factor",
)  # fmt: skip


def mttr_lines(rows: Sequence[MttrAdvice]) -> tuple[Line, ...]:
    """MTTR Advisory; the totals are blank in every real report."""
    lines = []
    for row in rows:
        cells = [
            fixed(row.seconds), fixed(row.dirty_limit), fixed(row.cache_writes),
            factor(row.cache_factor, 2),
        ]  # fmt: skip
        if row.totals is None:
            cells += [BLANK] * 4
        else:
            writes, writes_factor, ios, ios_factor = row.totals
            cells += [fixed(writes), factor(writes_factor, 2), fixed(ios), factor(ios_factor, 2)]
        lines.append(Line(cells))
    return tuple(lines)


def factor(hundredths: int, digits: int, *, dot: bool = False) -> Shown:
    """A factor; with ``dot`` .5 for 0.5."""
    return fixed(Decimal(hundredths) / HUNDREDTH, digits, dot=dot, commas=False)


POOL_KEYS = (
    "pool", "buffers", "hit_ratio", "buffer_gets_blocks", "physical_reads_blocks",
    "physical_writes_blocks", "free_buffer_waits", "write_complete_waits", "buffer_busy_waits",
)  # fmt: skip


def pool_line(pool: Pool, buffers: Shown) -> Line:
    """A row of Buffer Pool Statistics; ``buffers`` as the form prints them."""
    counts = (
        pool.gets, pool.reads, pool.writes, pool.free_waits, pool.write_waits, pool.busy_waits,
    )  # fmt: skip
    hit = percent(Decimal(pool.hit) / 100, 0)
    return Line([word(pool.name), buffers, hit, *(fixed(count) for count in counts)])


PGA_KEYS = (
    "snapshot", "target_bytes", "auto_target_bytes", "allocated_bytes", "work_areas_bytes",
    "work_areas_ratio", "auto_work_areas_ratio", "manual_work_areas_ratio",
    "global_memory_bound_bytes",
)  # fmt: skip


def pga_lines(pga: tuple[Pga, Pga], digits: int, *, dot: bool) -> tuple[Line, Line]:
    """PGA Aggr Target Stats: sizes in MiB, the bound in KiB, shares of what is allocated."""
    begin, end = (
        Line([
            moment, fixed(row.target_mb, scale=MIB), fixed(row.auto_target_mb, scale=MIB),
            *(mib(size, digits) for size in (row.allocated, row.auto_work + row.manual_work)),
            *(
                percent(ratio(part, whole) or Decimal(0), digits, dot=dot)
                for part, whole in (
                    (row.auto_work + row.manual_work, row.allocated),
                    (row.auto_work, row.auto_work + row.manual_work),
                    (row.manual_work, row.auto_work + row.manual_work),
                )
            ),
            fixed(row.bound_mb * 1024, scale=1024),
        ])
        for moment, row in zip(MOMENTS, pga, strict=True)
    )  # fmt: skip
    return begin, end


def mib(hundredths: int, digits: int) -> Shown:
    """A size in MiB, from hundredths of one."""
    return fixed(Decimal(hundredths) / HUNDREDTH, digits, scale=MIB)


AREA_KEYS = ("cache_hit_ratio", "processed_bytes", "extra_bytes")


def area_line(areas: WorkAreas, digits: int) -> Line:
    """PGA Aggr Summary."""
    hit = percent(Decimal(areas.hit) / HUNDREDTH / 100, digits)
    return Line([hit, fixed(areas.processed_mb, scale=MIB), fixed(areas.extra_mb, scale=MIB)])


BUFFER_KEYS = (
    "pool", "size_bytes", "size_factor", "buffers", "physical_reads_factor",
    "physical_reads_blocks", None, None,
)  # fmt: skip


def buffer_lines(rows: Sequence[BufferAdvice], digits: int, *, dot: bool) -> tuple[Line, ...]:
    """Buffer Pool Advisory; nobody knows what its estimated times are."""
    return tuple(
        Line([
            word(row.pool), fixed(row.size_mb, scale=MIB), factor(row.factor, digits, dot=dot),
            fixed(row.buffers_k, scale=1000), factor(row.reads_factor, digits),
            fixed(row.reads_k, scale=1000), fixed(1),
            fixed(Decimal(row.reads_k), digits, commas=False),
        ])
        for row in rows
    )  # fmt: skip


PGA_ADVICE_KEYS = (
    "size_bytes", "size_factor", "processed_bytes", "extra_bytes", "cache_hit_ratio",
    "overallocations",
)  # fmt: skip


def pga_advice_cells(row: PgaAdvice, digits: int, sizes: int) -> list[Shown]:
    """A row of PGA Memory Advisory; ``sizes``: decimals of the data."""
    return [
        fixed(row.size_mb, scale=MIB), factor(row.factor, digits),
        mib(row.processed, sizes), mib(row.extra, sizes),
        percent(Decimal(row.hit) / 100, digits), fixed(row.overallocations),
    ]  # fmt: skip


SGA_KEYS = ("size_bytes", "size_factor", "db_time_s", "physical_reads_blocks")


def sga_cells(row: SgaAdvice, digits: int, *, dot: bool = False) -> list[Shown]:
    """A row of SGA Target Advisory."""
    return [
        fixed(row.size_mb, scale=MIB), factor(row.factor, digits, dot=dot),
        fixed(row.db_time_s), fixed(row.reads),
    ]  # fmt: skip


@dataclass(frozen=True)
class Order:
    """One table of segments: its heading, and how its column is titled."""

    name: str
    anchor: str
    heading: str
    summary: str
    title: str
    unit: str = "1"

    @property
    def of_all(self) -> bool:
        """Whether the share is of the report's total; changes are of what was captured."""
        return not self.name.endswith(("_changes", "_waits"))


ORDERS = (
    Order("logical_reads", "4000", "Logical Reads", "logical reads", "Logical Reads", "blocks"),
    Order("physical_reads", "4100", "Physical Reads", "physical reads", "Physical Reads", "blocks"),
    Order("physical_read_requests", "4104", "Physical Read Requests", "physical read requests",
          "Phys Read Requests"),
    Order("unoptimized_reads", "4108", "UnOptimized Reads", "unoptimized reads",
          "UnOptimized Reads"),
    Order("direct_physical_reads", "4110", "Direct Physical Reads", "direct physical reads",
          "Direct Reads", "blocks"),
    Order("physical_writes", "4120", "Physical Writes", "physical writes", "Physical Writes",
          "blocks"),
    Order("physical_write_requests", "4124", "Physical Write Requests", "physical write requests",
          "Phys Write Requests"),
    Order("direct_physical_writes", "4130", "Direct Physical Writes", "direct physical writes",
          "Direct Writes", "blocks"),
    Order("block_changes", "4150", "DB Blocks Changes", "DB blocks changes", "DB Block Changes",
          "blocks"),
    Order("row_lock_waits", "4160", "Row Lock Waits", "row lock waits", "Row Lock Waits"),
    Order("itl_waits", "4170", "ITL Waits", "ITL waits", "ITL Waits"),
    Order("buffer_busy_waits", "4180", "Buffer Busy Waits", "buffer busy waits",
          "Buffer Busy Waits"),
)  # fmt: skip
"""The orders of segments that say what storage was asked for, and what was waited for."""


def ranked(segments: Sequence[Segment], order: str) -> list[Segment]:
    """The segments that have something of it, most first."""
    own = [segment for segment in segments if segment.counts.get(order)]
    return sorted(own, key=lambda segment: -segment.counts[order])


def share(segment: Segment, segments: Sequence[Segment], order: str) -> Decimal | None:
    """The segment's share of all that stand there."""
    return ratio(segment.counts[order], sum(item.counts.get(order, 0) for item in segments))
