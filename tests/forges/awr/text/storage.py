"""Recovery, checkpoints, memory pools and advisories, as text.

Of 12.1 a real report shows them; of 19c none does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines import storage as lines
from forges.awr.printing import Shown, fixed
from forges.awr.sheet import Block, Line
from forges.awr.text.dialect import NOT_KNOWN, BlockMaker, TextDialect

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance


def recovery_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    """Instance Recovery Stats."""
    recovery = instance.storage.recovery
    heads = (
        "                                                                            Estd",
        "  Targt  Estd                                     Log Ckpt Log Ckpt    Opt   RAC",
        "  MTTR   MTTR Recovery  Actual   Target   Log Sz   Timeout Interval    Log Avail",
        "   (s)    (s) Estd IOs RedoBlks RedoBlks RedoBlks RedoBlks RedoBlks  Sz(M)  Time",
    )
    return None if recovery is None or dialect.new else Block(
        "instance_recovery", "Instance Recovery Stats", lines.RECOVERY_KEYS,
        ((-1, 5, 5, 8, 8, 8, 8, 8, 8, 6, 5),), (heads,), lines.recovery_lines(recovery, NOT_KNOWN),
        ("B: Begin Snapshot,  E: End Snapshot",),
    )  # fmt: skip


def checkpoint_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    """Checkpoint Activity."""
    checkpoints = instance.storage.checkpoints
    heads = (
        "                                          Other    Autotune      Thread",
        "       MTTR    Log Size    Log Ckpt    Settings        Ckpt        Ckpt",
        "     Writes      Writes      Writes      Writes      Writes      Writes",
    )
    return None if checkpoints is None or dialect.new else Block(
        "checkpoint_writes", "Checkpoint Activity", lines.CHECKPOINT_KEYS, ((11,) * 6,), (heads,),
        (lines.checkpoint_line(checkpoints),),
    )  # fmt: skip


def pools_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    """Buffer Pool Statistics."""
    pools = instance.storage.pools
    heads = (
        "                                                            Free   Writ   Buffer",
        "     Number of Pool       Buffer     Physical    Physical   Buff   Comp     Busy",
        "P      Buffers Hit%         Gets        Reads      Writes   Wait   Wait    Waits",
    )
    return None if not pools or dialect.new else Block(
        "buffer_pools", "Buffer Pool Statistics", lines.POOL_KEYS,
        ((-3, 10, 4, 12, 12, 11, 6, 6, 8),), (heads,),
        tuple(lines.pool_line(pool, fixed(pool.buffers)) for pool in pools),
        ("Standard block size Pools  D: default,  K: keep,  R: recycle",),
    )  # fmt: skip


def work_areas_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    """PGA Aggr Summary."""
    areas = instance.storage.work_areas
    heads = ("PGA Cache Hit %   W/A MB Processed  Extra W/A MB Read/Written",)
    return None if areas is None or dialect.new else Block(
        "pga_work_areas", "PGA Aggr Summary", lines.AREA_KEYS, ((15, 18, 26),), (heads,),
        (lines.area_line(areas, 1),),
    )  # fmt: skip


PGA_WIDTHS = (-1, 10, 10, 10, 10, 6, 6, 6, 10)
PGA_HEADS = (
    "                                                %PGA  %Auto   %Man",
    "    PGA Aggr   Auto PGA   PGA Mem    W/A PGA     W/A    W/A    W/A Global Mem",
    "   Target(M)  Target(M)  Alloc(M)    Used(M)     Mem    Mem    Mem   Bound(K)",
)
"""Printed in public reports of 10g and 11g, AWR and Statspack alike."""


def pga_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    """PGA Aggr Target Stats."""
    pga = instance.storage.pga
    return None if pga is None or dialect.new else Block(
        "pga", "PGA Aggr Target Stats", lines.PGA_KEYS, (PGA_WIDTHS,), (PGA_HEADS,),
        lines.pga_lines(pga, 1, dot=True),
        ("B: Begin Snap   E: End Snap (rows dentified with B or E contain data\n"
         "   which is absolute i.e. not diffed over the interval)",),
    )  # fmt: skip


def buffer_advice_block(
    _content: Content, instance: Instance, dialect: TextDialect
) -> Block | None:
    """Buffer Pool Advisory."""
    rows = instance.storage.buffer_advice
    heads = (
        "                                    Est",
        "                                   Phys      Estimated                  Est",
        "    Size for   Size      Buffers   Read     Phys Reads     Est Phys %DBtime",
        "P    Est (M) Factor  (thousands) Factor    (thousands)    Read Time for Rds",
    )
    return None if not rows or dialect.new else Block(
        "memory_advice", "Buffer Pool Advisory", lines.BUFFER_KEYS,
        ((-3, 8, 6, 12, 6, 14, 12, 7),), (heads,), lines.buffer_lines(rows, 1, dot=True),
        ("Only rows with estimated physical reads >0 are displayed",), {"advice": "buffer_pool"},
    )  # fmt: skip


def pga_advice_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    """PGA Memory Advisory."""
    rows = instance.storage.pga_advice
    heads = (
        "                                       Estd Extra    Estd P Estd PGA",
        "PGA Target    Size           W/A MB   W/A MB Read/    Cache Overallo    Estd",
        "  Est (MB)   Factr        Processed Written to Disk   Hit %    Count    Time",
    )
    return None if not rows or dialect.new else Block(
        "memory_advice", "PGA Memory Advisory", (*lines.PGA_ADVICE_KEYS, None),
        ((10, 7, 16, 16, 6, 8, 7),), (heads,),
        tuple(Line([*lines.pga_advice_cells(row, 1, 1), Shown("2.7E+06")]) for row in rows),
        (), {"advice": "pga"},
    )  # fmt: skip


def sga_advice_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    """SGA Target Advisory."""
    rows = instance.storage.sga_advice
    heads = (
        "SGA Target   SGA Size       Est DB     Est Physical",
        "  Size (M)     Factor     Time (s)            Reads",
    )
    return None if not rows or dialect.new else Block(
        "memory_advice", "SGA Target Advisory", lines.SGA_KEYS, ((10, 10, 12, 16),), (heads,),
        tuple(Line(lines.sga_cells(row, 1)) for row in rows), (), {"advice": "sga"},
    )  # fmt: skip


STORAGE: tuple[BlockMaker, ...] = (
    pools_block, checkpoint_block, recovery_block, buffer_advice_block, work_areas_block, pga_block,
    pga_advice_block, sga_advice_block,
)  # fmt: skip
"""These sections, in the order of the report."""
