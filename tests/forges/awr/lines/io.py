"""I/O: the rows and cells that every dialect of one instance prints."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import Content, FileIo, Instance, Io, ratio
from forges.awr.printing import (
    MIB,
    MICRO,
    Shown,
    data,
    data_rate,
    fixed,
    milli,
    padded,
    percent,
    word,
)
from forges.awr.sheet import Line


def io_profile_rows(
    content: Content, instance: Instance
) -> tuple[tuple[str, str, int, int, int], ...]:
    """(printed, unit, scale, reads, writes) of the IO profile, as totals."""
    count, block = instance.counters, content.database.block_size
    zero = 0
    return (
        ("Total Requests", "1", 1, count["total_read_requests"], count["total_write_requests"]),
        ("Database Requests", "1", 1, count["read_requests"], count["write_requests"]),
        ("Optimized Requests", "1", 1, zero, zero),
        ("Redo Requests", "1", 1, zero, count["redo_requests"]),
        ("Total (MB)", "bytes", MIB, count["total_read_bytes"], count["total_write_bytes"]),
        ("Database (MB)", "bytes", MIB, count["physical_reads"] * block,
         count["physical_writes"] * block),
        ("Optimized Total (MB)", "bytes", MIB, zero, zero),
        ("Redo (MB)", "bytes", MIB, zero, count["redo_bytes"]),
        ("Database (blocks)", "blocks", 1, count["physical_reads"], count["physical_writes"]),
        ("Via Buffer Cache (blocks)", "blocks", 1, count["physical_reads"],
         count["physical_writes"]),
        ("Direct (blocks)", "blocks", 1, zero, zero),
    )  # fmt: skip


def io_profile_lines(content: Content, instance: Instance, colon: str = ":") -> tuple[Line, ...]:
    """The rows of the IO profile, one decimal, for every single-instance dialect."""
    lines = []
    for printed, unit, scale, reads, writes in io_profile_rows(content, instance):
        parts = (reads + writes, reads, writes)
        cells = [
            padded(fixed(Decimal(part) / scale / content.seconds, 1, scale=scale), 18)
            for part in parts
        ]
        lines.append(Line([Shown(printed + colon, printed), *cells], {"unit": unit}))
    return tuple(lines)


def io_cells(io: Io, seconds: int, digits: int, cut: int | None, commas: bool) -> list[Shown]:
    """The six cells of reads and writes."""
    cells = []
    for amount, requests in ((io.read_bytes, io.reads), (io.write_bytes, io.writes)):
        cells += [
            data(amount), fixed(Decimal(requests) / seconds, digits, commas=commas),
            data_rate(Decimal(amount) / seconds, cut),
        ]  # fmt: skip
    return cells


def file_cells(line: FileIo, seconds: int, digits: int) -> dict[str, Shown]:
    """The cells of one file or tablespace, by the key of their column."""
    return {
        "reads": fixed(line.reads),
        "read_iops": fixed(Decimal(line.reads) / seconds),
        "read_avg_s": milli(ratio(line.read_us * MICRO, line.reads), digits),
        "blocks_per_read": fixed(ratio(line.blocks, line.reads), digits),
        "one_block_read_iops": fixed(Decimal(line.one_block_reads) / seconds),
        "one_block_read_avg_s": milli(
            ratio(line.one_block_us * MICRO, line.one_block_reads), digits
        ),
        "optimized_ratio": percent(Decimal(0), digits),
        "writes": fixed(line.writes),
        "write_iops": fixed(Decimal(line.writes) / seconds),
        "write_avg_s": milli(ratio(line.write_us * MICRO, line.writes), digits),
        "buffer_waits": fixed(line.buffer_waits),
        "buffer_wait_avg_s": milli(ratio(line.buffer_us * MICRO, line.buffer_waits), digits),
        "container": word(line.container),
    }  # fmt: skip
