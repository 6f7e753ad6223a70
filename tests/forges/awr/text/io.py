"""IO profile, I/O by function and by file type, as text."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import Content, Instance, Io, total_row
from forges.awr.lines.io import io_cells, io_profile_lines
from forges.awr.printing import MICRO, Shown, kilo, milli, timed, word
from forges.awr.sheet import Block, Line
from forges.awr.text.blocks import literal
from forges.awr.text.dialect import NOT_KNOWN, TextDialect


def io_profile_block(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """IO Profile."""
    head = (
        "IO Profile                  Read+Write/Second     Read/Second    Write/Second\n"
        "~~~~~~~~~~                  ----------------- --------------- ---------------\n"
    )
    lines = io_profile_lines(content, instance)
    keys = ("printed", "total_per_s", "read_per_s", "write_per_s")
    return literal("io_profile", keys, head, lines, (27, 18, 16, 16))


IO_KEYS = (
    "read_bytes", "read_iops", "read_bytes_per_s", "write_bytes", "write_iops",
    "write_bytes_per_s",
)  # fmt: skip


IO_NOTES = (
    "'Data' columns suffixed with M,G,T,P are in multiples of 1024\n"
    "    other columns suffixed with K,M,G,T,P are in multiples of 1000",
)


def _milli(seconds: Decimal | None) -> Shown:
    return NOT_KNOWN if seconds is None else milli(seconds, 1)


def functions_block(content: Content, instance: Instance, dialect: TextDialect) -> Block:
    """I/O by function; from 12.2 on, the mean of no waits is blank."""
    rows = [*instance.functions, total_row("TOTAL:", instance.functions)]

    def mean(io: Io) -> Shown:
        seconds = io.wait_us * MICRO / io.waits if io.waits else None
        return timed(seconds) if dialect.new else _milli(seconds)

    lines = tuple(
        Line([
            word(io.name), *io_cells(io, content.seconds, 1, 7, commas=False), kilo(io.waits),
            mean(io),
        ])
        for io in (rows if instance.functions else [])
    )  # fmt: skip
    last = "   Time" if dialect.new else " Tm(ms)"
    heads = (
        "                 Reads:  Reqs    Data   Writes:  Reqs    Data    Waits:   Avg",
        f"Function Name      Data per sec per sec    Data per sec per sec   Count {last}",
    )
    return Block(
        "io_by_function", "IOStat by Function summary",
        ("function", *IO_KEYS, "waits", "avg_wait_s"),
        ((-15, *[7] * 7, 8 if dialect.new else 7),), (heads,), lines, IO_NOTES,
    )  # fmt: skip


def filetypes_block(content: Content, instance: Instance, dialect: TextDialect) -> Block:
    """I/O by file type."""
    rows = [*instance.filetypes, total_row("TOTAL:", instance.filetypes)]

    def time(value: int | None) -> Shown:
        seconds = None if value is None else value * MICRO
        return timed(seconds) if dialect.new else _milli(seconds)

    def cells(io: Io) -> list[Shown]:
        six = io_cells(io, content.seconds, 1, None if dialect.new else 7, commas=False)
        return [word(io.name), *six, time(io.small_read_us), time(io.large_read_us)]

    lines = tuple(Line(cells(io)) for io in (rows if instance.filetypes else []))
    if dialect.new:
        widths = (-14, *[7] * 6, 8, 8)
        heads = (
            "                Reads:  Reqs    Data   Writes:  Reqs    Data      Small    Large",
            "Filetype Name     Data per sec per sec    Data per sec per sec     Read     Read",
        )
    else:
        widths = (-15, *[7] * 8)
        heads = (
            "                 Reads:  Reqs    Data   Writes:  Reqs    Data     Small   Large",
            "Filetype Name      Data per sec per sec    Data per sec per sec    Read    Read",
        )
    keys = ("filetype", *IO_KEYS, "small_read_s", "large_read_s")
    return Block(
        "io_by_filetype", "IOStat by Filetype summary", keys, (widths,), (heads,), lines, IO_NOTES
    )
