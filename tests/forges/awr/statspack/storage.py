"""Recovery, memory pools, advisories, segments and sizes of I/O of Statspack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines import storage as lines
from forges.awr.pages import head_lines, rows_text
from forges.awr.printing import (
    BLANK,
    MIB,
    Said,
    Shown,
    data,
    fixed,
    kilo,
    milli,
    percent,
    word,
)
from forges.awr.sheet import Block, Line
from forges.awr.text.storage import PGA_HEADS, PGA_WIDTHS

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.statspack.release import BlockMaker


def recovery_block(_content: Content, instance: Instance) -> Block | None:
    """Instance Recovery Stats: no optimal log size, nor anything of RAC."""
    recovery = instance.storage.recovery
    if recovery is None:
        return None
    heads = (
        "  Targt Estd                                  Log File  Log Ckpt    Log Ckpt",
        "  MTTR  MTTR   Recovery   Actual    Target      Size     Timeout    Interval",
        "   (s)   (s)   Estd IOs  Redo Blks Redo Blks Redo Blks  Redo Blks  Redo Blks",
    )
    widths = (-1, 5, 5, 10, 9, 9, 10, 9, 12)
    rows = lines.recovery_lines(recovery, BLANK)
    return Block(
        "instance_recovery", "Instance Recovery Stats", lines.RECOVERY_KEYS[: len(widths)],
        (widths,), (heads,), tuple(Line(row.cells[: len(widths)]) for row in rows),
        ("B: Begin snapshot,  E: End snapshot",),
    )  # fmt: skip


def pools_block(_content: Content, instance: Instance) -> Block | None:
    """Buffer Pool Statistics: buffers in thousands."""
    pools = instance.storage.pools
    heads = (
        "                                                            Free Writ     Buffer",
        "            Pool         Buffer     Physical    Physical  Buffer Comp       Busy",
        "P   Buffers Hit%           Gets        Reads      Writes   Waits Wait      Waits",
    )
    return None if not pools else Block(
        "buffer_pools", "Buffer Pool Statistics", lines.POOL_KEYS,
        ((-3, 7, 4, 14, 12, 11, 7, 4, 10),), (heads,),
        tuple(
            lines.pool_line(pool, Shown(f"{pool.buffers // 1000}K",
                                        Said(pool.buffers // 1000 * 1000, 1000)))
            for pool in pools
        ),
        ("Standard block size Pools  D: default,  K: keep,  R: recycle",),
    )  # fmt: skip


def work_areas_block(_content: Content, instance: Instance) -> Block | None:
    """PGA Aggr Target Stats: its first table, and the lines of its second one below it."""
    storage = instance.storage
    if storage.work_areas is None:
        return None
    row = lines.area_line(storage.work_areas, 1)
    below = _pga(instance)
    tail = ("", *(head_lines(below) + "".join(rows_text(below, below.lines))).splitlines())
    heads = ("PGA Cache Hit % W/A MB Processed Extra W/A MB Read/Written",)
    return Block(
        "pga_work_areas", "PGA Aggr Target Stats", lines.AREA_KEYS, ((15, 16, 25),), (heads,),
        (Line(row.cells, tail=tail if below.lines else ()),),
        ("B: Begin snap   E: End snap (rows identified with B or E contain data\n"
         "   which is absolute i.e. not diffed over the interval)",),
    )  # fmt: skip


def _pga(instance: Instance) -> Block:
    pga = instance.storage.pga
    rows = () if pga is None else lines.pga_lines(pga, 1, dot=True)
    return Block("pga", "", lines.PGA_KEYS, (PGA_WIDTHS,), (PGA_HEADS,), rows, style="literal")


def pga_block(_content: Content, instance: Instance) -> Block | None:
    """What that second table says; it has no text of its own."""
    storage = instance.storage
    return None if storage.pga is None or storage.work_areas is None else _pga(instance)


def buffer_advice_block(_content: Content, instance: Instance) -> Block | None:
    """Buffer Pool Advisory."""
    rows = instance.storage.buffer_advice
    heads = (
        "                                   Est",
        "                                  Phys      Estimated                   Est",
        "    Size for  Size      Buffers   Read     Phys Reads     Est Phys % dbtime",
        "P    Est (M) Factr  (thousands)  Factr    (thousands)    Read Time  for Rds",
    )
    return None if not rows else Block(
        "memory_advice", "Buffer Pool Advisory", lines.BUFFER_KEYS,
        ((-3, 8, 5, 12, 6, 14, 12, 8),), (heads,), lines.buffer_lines(rows, 1, dot=True),
        ("Only rows with estimated physical reads >0 are displayed",), {"advice": "buffer_pool"},
    )  # fmt: skip


def pga_advice_block(_content: Content, instance: Instance) -> Block | None:
    """PGA Memory Advisory."""
    rows = instance.storage.pga_advice
    heads = (
        "                                   Estd Extra                Estd",
        "  PGA Aggr                           W/A MB      Estd Time    PGA   Estd PGA",
        "    Target   Size         W/A MB  Read/Written  to Process  Cache  Overalloc",
        "  Est (MB)  Factr      Processed    to Disk      Bytes (s)  Hit %      Count",
    )
    sized, rest = lines.PGA_ADVICE_KEYS[:4], lines.PGA_ADVICE_KEYS[4:]
    made = []
    for row in rows:
        cells = lines.pga_advice_cells(row, 1, 0)
        made.append(Line([*cells[:4], fixed(2, 1), *cells[4:]]))
    return None if not rows else Block(
        "memory_advice", "PGA Memory Advisory", (*sized, None, *rest),
        ((10, 6, 14, 14, 10, 6, 10),), (heads,), tuple(made), (), {"advice": "pga"},
    )  # fmt: skip


def sga_advice_block(_content: Content, instance: Instance) -> Block | None:
    """SGA Target Advisory, with the factor of DB time."""
    rows = instance.storage.sga_advice
    heads = (
        "SGA Target SGA Size   Est DB      Est DB   Est Physical",
        "  Size (M)   Factor Time (s) Time Factor          Reads",
    )
    *first, last = lines.SGA_KEYS
    made = []
    for row in rows:
        *cells, reads = lines.sga_cells(row, 1, dot=True)
        made.append(Line([*cells, lines.factor(row.db_time_factor, 1, dot=True), reads]))
    return None if not rows else Block(
        "memory_advice", "SGA Target Advisory", (*first, "db_time_factor", last),
        ((10, 8, 8, 11, 14),), (heads,), tuple(made), (), {"advice": "sga"},
    )  # fmt: skip


def segments_block(order: lines.Order) -> BlockMaker:
    """Segments in one order: by logical or physical reads."""
    upper, lower = order.title.split(" ")
    heads = (
        f"                                           Subobject    Obj.  {upper:>12}   Pct",
        f"Owner      Tablespace Object Name          Name         Type  {lower:>12} Total",
    )
    keys = (
        "owner", "tablespace", "object", "subobject", "object_type", "value", "total_ratio",
    )  # fmt: skip

    def make(_content: Content, instance: Instance) -> Block | None:
        own = lines.ranked(instance.storage.segments, order.name)
        rows = tuple(
            Line([
                word(segment.owner), word(segment.tablespace), word(segment.name),
                word(segment.partition), word(segment.kind), fixed(segment.counts[order.name]),
                percent(lines.share(segment, own, order.name), 1, dot=True),
            ], {"rank": rank, "unit": order.unit})
            for rank, segment in enumerate(own, 1)
        )  # fmt: skip
        return None if not own else Block(
            "segments", f"Segments by {order.heading}", keys, ((-10, -10, -20, -12, -5, 12, 5),),
            (heads,), rows, (f"End Segment {order.heading} Threshold:      1000",),
            {"ordered_by": order.name},
        )  # fmt: skip

    return make


def sizes_block(_content: Content, instance: Instance) -> Block | None:
    """IO Stat by Function - detail: what is 0 is not printed."""
    rows = [row for row in instance.storage.io_sizes if not row.filetype]
    heads = (
        "                   ----------- Read ---------- ----------- Write ---------",
        "                    Small  Large  Small  Large  Small  Large  Small  Large",
        "                     Read   Read   Data   Data  Write  Write   Data   Data",
        "Function             Reqs   Reqs   Read   Read   Reqs   Reqs  Writn  Writn",
    )
    keys = (
        "function", "small_read_requests", "large_read_requests", "small_read_bytes",
        "large_read_bytes", "small_write_requests", "large_write_requests", "small_write_bytes",
        "large_write_bytes",
    )  # fmt: skip
    made = tuple(
        Line([
            word(row.function),
            *(kilo(n) if n else BLANK for n in row.requests[:2]),
            *(data(n) if n else BLANK for n in row.bytes[:2]),
            *(kilo(n) if n else BLANK for n in row.requests[2:]),
            *(data(n) if n else BLANK for n in row.bytes[2:]),
        ])
        for row in rows
    )  # fmt: skip
    return None if not rows else Block(
        "io_sizes", "IO Stat by Function - detail", keys, ((-18, *[6] * 8),), (heads,), made,
        ("ordered by Data Volume (Read+Write) desc",),
    )  # fmt: skip


def filetype_sizes_block(_content: Content, instance: Instance) -> Block | None:
    """IO Stats Function Detail: whole MB by function and file type."""
    rows = [row for row in instance.storage.io_sizes if row.filetype]
    heads = (
        "                            Small   Small   Large   Large",
        "Function     FileType        Read   Write    Read   Write             Wait Time",
        "Name         Name            (MB)    (MB)    (MB)    (MB)     Waits        (ms)",
    )
    keys = (
        "function", "filetype", "small_read_bytes", "small_write_bytes", "large_read_bytes",
        "large_write_bytes", "waits", "wait_s",
    )  # fmt: skip
    made = []
    for row in rows:
        small_read, large_read, small_write, large_write = row.bytes
        volumes = (small_read, small_write, large_read, large_write)
        made.append(
            Line([
                word(row.function), word(row.filetype),
                *(fixed(volume // MIB, scale=MIB, commas=False) for volume in volumes),
                fixed(row.waits, commas=False), milli(Said(row.wait_ms, 1) / 1000, 0),
            ])
        )  # fmt: skip
    return None if not rows else Block(
        "io_sizes", "IO Stats Function Detail", keys, ((-12, -12, 7, 7, 7, 7, 9, 11),), (heads,),
        tuple(made),
    )  # fmt: skip


STORAGE: tuple[BlockMaker, ...] = (
    sizes_block, filetype_sizes_block, recovery_block, buffer_advice_block, pools_block,
    work_areas_block, pga_block, pga_advice_block,
    *(segments_block(order) for order in lines.ORDERS[:2]), sga_advice_block,
)  # fmt: skip
"""These sections, in the order of the report."""
