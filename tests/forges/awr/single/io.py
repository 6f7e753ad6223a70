"""IO profile, I/O by function and by file type of one instance, in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, total_row
from forges.awr.lines.io import io_cells, io_profile_lines
from forges.awr.printing import MICRO, kilo, milli, timed, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.single.dialect import Dialect


def io_profile_sheet(content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    """IO Profile."""
    columns = (
        Column("", "printed", left=True), Column("Read+Write Per Second", "total_per_s"),
        Column("Read per Second", "read_per_s"), Column("Write Per Second", "write_per_s"),
    )  # fmt: skip
    return Sheet(
        "io_profile", "IO Profile", "This table displays IO profile", columns,
        io_profile_lines(content, instance), style="summary",
    )  # fmt: skip


IO_NAMES = (
    ("Reads: Data", "read_bytes"), ("Reqs   per sec", "read_iops"),
    ("Data   per sec", "read_bytes_per_s"), ("Writes: Data", "write_bytes"),
    ("Reqs   per sec", "write_iops"), ("Data   per sec", "write_bytes_per_s"),
)  # fmt: skip


def functions_sheet(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """I/O by function."""
    last = "Avg   Time " if dialect.new else "Avg   Tm(ms)"
    columns = (
        Column("Function Name", "function", left=True),
        *(Column(title, key) for title, key in IO_NAMES), Column("Waits: Count", "waits"),
        Column(last, "avg_wait_s"),
    )  # fmt: skip
    rows = [*instance.functions, total_row("TOTAL:", instance.functions)]
    lines = []
    for io in rows if instance.functions else []:
        average = io.wait_us * MICRO / io.waits if io.waits else None
        shown = timed(average) if dialect.new else milli(average, 2)
        cells = [
            word(io.name),
            *io_cells(io, content.seconds, 2, None if dialect.new else 7, commas=False),
            kilo(io.waits), shown,
        ]  # fmt: skip
        lines.append(Line(cells))
    return Sheet(
        "io_by_function", "IOStat by Function summary",
        "This table displays the IO Statistics for different functions. IO stats includes amount"
        " of reads and writes, requests per second, data per second, wait count and average wait"
        " time",
        columns, tuple(lines), anchor="8760",
        bullets=(
            "'Data' columns suffixed with M,G,T,P are in multiples of 1024     other columns"
            " suffixed with K,M,G,T,P are in multiples of 1000",
        ),
    )  # fmt: skip


def filetypes_sheet(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """I/O by file type."""
    columns = (
        Column("Filetype Name", "filetype", left=True),
        *(Column(title, key) for title, key in IO_NAMES), Column("Small Read", "small_read_s"),
        Column("Large Read", "large_read_s"),
    )  # fmt: skip
    rows = [*instance.filetypes, total_row("TOTAL:", instance.filetypes)]
    lines = []
    for io in rows if instance.filetypes else []:
        times = [
            None if time is None else time * MICRO for time in (io.small_read_us, io.large_read_us)
        ]
        shown = [timed(time) if dialect.new else milli(time, 2) for time in times]
        six = io_cells(io, content.seconds, 2, None if dialect.new else 7, commas=False)
        lines.append(Line([word(io.name), *six, *shown]))
    return Sheet(
        "io_by_filetype", "IOStat by Filetype summary",
        "This table displays IO Statistics for different file types, such as data files, control"
        " files, log files and temp files. IO Statistics include amount of reads and writes,"
        " requests per second, data per second and service times",
        columns, tuple(lines), anchor="8770",
    )  # fmt: skip
