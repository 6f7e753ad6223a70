"""I/O by function and by tablespace of Statspack."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import Content, Instance, tablespaces
from forges.awr.lines.io import file_cells
from forges.awr.printing import (
    MIB,
    MICRO,
    Shown,
    data,
    fixed,
    kilo,
    milli,
    shortest,
    word,
)
from forges.awr.sheet import Block, Line


def functions_block(content: Content, instance: Instance) -> Block:
    """I/O by function."""
    lines = []
    for io in instance.functions:
        average = io.wait_us * MICRO / io.waits if io.waits else None
        cells = [word(io.name)]
        for amount, requests in ((io.read_bytes, io.reads), (io.write_bytes, io.writes)):
            rate = shortest(Decimal(amount) / content.seconds / MIB, 1, MIB)
            text = rate.text if "." in rate.text else f"{rate.text}.0"
            cells += [
                data(amount), fixed(Decimal(requests) / content.seconds, 1),
                Shown(f"{text}M", rate.says),
            ]  # fmt: skip
        lines.append(Line([*cells, kilo(io.waits), milli(average, 1)]))
    heads = (
        "               ---------- Read --------- --------- Write -------- --- Wait ----",
        "                 Data  Requests    Data   Data  Requests    Data          Avg",
        "Function        Volume     /sec  Vol/sec Volume     /sec  Vol/sec  Count Tm(ms)",
    )
    keys = (
        "function", "read_bytes", "read_iops", "read_bytes_per_s", "write_bytes", "write_iops",
        "write_bytes_per_s", "waits", "avg_wait_s",
    )  # fmt: skip
    return Block(
        "io_by_function", "IO Stat by Function - summary", keys,
        ((-15, 6, 8, 8, 6, 8, 8, 6, 6),), (heads,), tuple(lines),
        ("Data Volume values suffixed with   M,G,T,P are in multiples of 1024,\n"
         "  other values suffixed with       K,M,G,T,P are in multiples of 1000",),
    )  # fmt: skip


def tablespaces_block(content: Content, instance: Instance) -> Block:
    """I/O by tablespace."""
    lines = []
    keys = (
        "reads", "read_iops", "read_avg_s", "blocks_per_read", "writes", "write_iops",
        "buffer_waits", "buffer_wait_avg_s",
    )  # fmt: skip
    for row in tablespaces(instance.files):
        cells = file_cells(row, content.seconds, 1)
        lines.append(Line([word(row.tablespace), *(cells[key] for key in keys)]))
    heads = (
        ("Tablespace",),
        ("                 Av      Av     Av                    Av        Buffer Av Buf",
         "         Reads Reads/s Rd(ms) Blks/Rd       Writes Writes/s      Waits Wt(ms)"),
    )  # fmt: skip
    return Block(
        "io_by_tablespace", "Tablespace IO Stats", ("tablespace", *keys),
        ((-30,), (14, 7, 6, 7, 12, 8, 10, 6)), heads, tuple(lines),
        ("ordered by IOs (Reads + Writes) desc",),
    )  # fmt: skip
