"""Recovery, checkpoints, memory pools and advisories of one instance, in HTML."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.lines import storage as lines
from forges.awr.printing import BLANK, fixed
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect, SheetMaker


def _columns(titles: str, keys: tuple[str | None, ...]) -> tuple[Column, ...]:
    named = zip(titles.split("|"), keys, strict=True)
    return tuple(Column(title, key, left=number == 0) for number, (title, key) in enumerate(named))


def recovery_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """Instance Recovery Stats."""
    if instance.storage.recovery is None:
        return None
    titles = (
        "|Targt MTTR (s)|Estd MTTR (s)|Recovery Estd IOs|Actual RedoBlks|Target RedoBlks"
        "|Log Sz RedoBlks|Log Ckpt Timeout RedoBlks|Log Ckpt Interval RedoBlks|Opt Log Sz(M)"
        "|Estd RAC Avail Time"
    )
    return Sheet(
        "instance_recovery", "Instance Recovery Stats",
        "This table displays instance recovery statistics at begin and end snapshot. It displays"
        " target MTTR, estimated MTTR and redo blocks",
        _columns(titles, lines.RECOVERY_KEYS),
        lines.recovery_lines(instance.storage.recovery, BLANK), anchor="2000",
        bullets=("B: Begin Snapshot, E: End Snapshot",),
    )  # fmt: skip


def checkpoint_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """Checkpoint Activity."""
    checkpoints = instance.storage.checkpoints
    if checkpoints is None:
        return None
    titles = (
        "MTTR Writes|Log Size Writes|Log Ckpt Writes|Other Settings Writes|Autotune Ckpt Writes"
        "|Thread Ckpt Writes"
    )
    return Sheet(
        "checkpoint_writes", "Checkpoint Activity",
        "This table displays checkpoint activity statistics. Statistics include MTTR writes and"
        " log size writes",
        _columns(titles, lines.CHECKPOINT_KEYS), (lines.checkpoint_line(checkpoints),),
        anchor="1910",
    )  # fmt: skip


ADVISORY = (
    "This table displays MTTR advisory. It displays size for estimate, dirty limit and estimated"
    " cache writes"
)
"""The summary of two tables: Oracle gives it to Buffer Pool Advisory too."""


def mttr_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """MTTR Advisory."""
    titles = (
        "Size for Est (s)|Dirty Limit|Est Cache Writes|Est Cache Write Fctr|Est Total Writes"
        "|Est Total Write Fctr|Est Total IOs|Est Total IO Fctr"
    )
    rows = instance.storage.mttr_advice
    return None if not rows else Sheet(
        "mttr_advice", "MTTR Advisory", ADVISORY, _columns(titles, lines.MTTR_KEYS),
        lines.mttr_lines(rows), anchor="2010",
    )  # fmt: skip


def pools_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """Buffer Pool Statistics."""
    titles = (
        "P|Number of Buffers|Pool Hit%|Buffer Gets|Physical Reads|Physical Writes|Free Buff Wait"
        "|Writ Comp Wait|Buffer Busy Waits"
    )
    pools = instance.storage.pools
    return None if not pools else Sheet(
        "buffer_pools", "Buffer Pool Statistics",
        "This table displays buffer pool statistics for different types of buffers, such as"
        " default, keep, and recycle",
        _columns(titles, lines.POOL_KEYS),
        tuple(lines.pool_line(pool, fixed(pool.buffers)) for pool in pools), anchor="1900",
    )  # fmt: skip


def work_areas_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """PGA Aggr Summary."""
    areas = instance.storage.work_areas
    return None if areas is None else Sheet(
        "pga_work_areas", "PGA Aggr Summary",
        "This table displays PGA aggregate summary. It includes PGA cache hits",
        _columns("PGA Cache Hit %|W/A MB Processed|Extra W/A MB Read/Written", lines.AREA_KEYS),
        (lines.area_line(areas, 2),), anchor="2400",
    )  # fmt: skip


def pga_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """PGA Aggr Target Stats."""
    titles = (
        "|PGA Aggr Target(M)|Auto PGA Target(M)|PGA Mem Alloc(M)|W/A PGA Used(M)|%PGA W/A Mem"
        "|%Auto W/A Mem|%Man W/A Mem|Global Mem Bound(K)"
    )
    pga = instance.storage.pga
    return None if pga is None else Sheet(
        "pga", "PGA Aggr Target Stats",
        "This table displays PGA aggregate target statistics for begin and end snapshot",
        _columns(titles, lines.PGA_KEYS), lines.pga_lines(pga, 2, dot=False), anchor="2600",
    )  # fmt: skip


def buffer_advice_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """Buffer Pool Advisory."""
    titles = (
        "P|Size for Est (M)|Size Factor|Buffers (thousands)|Est Phys Read Factor"
        "|Estimated Phys Reads (thousands)|Est Phys Read Time|Est %DBtime for Rds"
    )
    rows = instance.storage.buffer_advice
    return None if not rows else Sheet(
        "memory_advice", "Buffer Pool Advisory", ADVISORY, _columns(titles, lines.BUFFER_KEYS),
        lines.buffer_lines(rows, 2, dot=False), anchor="2100", fixed={"advice": "buffer_pool"},
    )  # fmt: skip


def pga_advice_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """PGA Memory Advisory."""
    titles = (
        "PGA Target Est (MB)|Size Factr|W/A MB Processed|Estd Extra W/A MB Read/ Written to Disk"
        "|Estd PGA Cache Hit %|Estd PGA Overalloc Count|Estd Time"
    )
    rows = instance.storage.pga_advice
    return None if not rows else Sheet(
        "memory_advice", "PGA Memory Advisory",
        "This table displays PGA memory advisory for different estimated PGA target sizes",
        _columns(titles, (*lines.PGA_ADVICE_KEYS, None)),
        tuple(
            Line([*lines.pga_advice_cells(row, 2, 2), fixed(Decimal(row.processed))])
            for row in rows
        ),
        anchor="2800", fixed={"advice": "pga"},
    )  # fmt: skip


def sga_advice_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet | None:
    """SGA Target Advisory."""
    titles = "SGA Target Size (M)|SGA Size Factor|Est DB Time (s)|Est Physical Reads"
    rows = instance.storage.sga_advice
    return None if not rows else Sheet(
        "memory_advice", "SGA Target Advisory",
        "This table displays SGA target advisory for different SGA target sizes",
        _columns(titles, lines.SGA_KEYS), tuple(Line(lines.sga_cells(row, 2)) for row in rows),
        anchor="6900", fixed={"advice": "sga"},
    )  # fmt: skip


STORAGE: tuple[SheetMaker, ...] = (
    pools_sheet, checkpoint_sheet, recovery_sheet, mttr_sheet, buffer_advice_sheet,
    work_areas_sheet, pga_sheet, pga_advice_sheet, sga_advice_sheet,
)  # fmt: skip
"""These sections, in the order of the report."""
