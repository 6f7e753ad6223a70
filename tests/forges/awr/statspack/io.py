"""I/O by function and by tablespace of Statspack."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

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
from forges.awr.sheet import Block, Line, fit


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


_EDGES = (0, 2, 4, 8, 16, 32, None)


def read_histogram_block(_content: Content, instance: Instance) -> Block:
    """Single-block reads by file and time: below each file half of its reads, a quarter ..."""
    lines = []
    for row in instance.files:
        counts = [row.one_block_reads >> place for place in range(1, len(_EDGES))]
        names = [fit(word(name), -width) for name, width in
                 ((row.tablespace, 24), (row.data_file, 52))]  # fmt: skip
        said = [
            {"level": "instance", "instance": instance.number, "tablespace": names[0].says,
             "data_file": names[1].says, "lower_s": Decimal(low) / 1000,
             "upper_s": None if high is None else Decimal(high) / 1000, "reads": Decimal(count)}
            for count, (low, high) in zip(counts, pairwise(_EDGES), strict=True)
        ]  # fmt: skip
        lines.append(Line([*names, *map(fixed, counts)], said=tuple(said)))
    heads = (
        ("Tablespace               Filename",),
        ("    0 - 2 ms     2 - 4 ms    4 - 8 ms     8 - 16 ms   16 - 32 ms       32+ ms",),
    )
    return Block(
        "file_read_histogram", "File Read Histogram Stats", (None,) * 8,
        ((-24, -52), (12,) * 6), heads, tuple(lines),
        ("Number of single block reads in each time range", "Tempfiles are not included",
         "ordered by Tablespace, File"),
    )  # fmt: skip
