"""IO profile, I/O by function and file type, RAC-global."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, Io, total_row
from forges.awr.lines.io import io_profile_rows
from forges.awr.printing import BLANK, MIB, MICRO, Shown, fixed, kilo, timed, word
from forges.awr.rac.cells import hidden, level, number
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.rac.dialect import RacDialect


def io_profile_sheet(content: Content, dialect: RacDialect) -> Sheet | None:
    """IO Profile."""
    if not dialect.new:
        return None
    profiles = [io_profile_rows(content, instance) for instance in content.instances]
    lines = []
    for parts in zip(*profiles, strict=True):
        printed, unit, scale = parts[0][:3]
        reads, writes = sum(part[3] for part in parts), sum(part[4] for part in parts)
        cells = [
            fixed(Decimal(value) / scale / content.seconds, 2, scale=scale)
            for value in (reads + writes, reads, writes)
        ]
        lines.append(Line([Shown(printed, printed), *cells], {"unit": unit}))
    columns = (
        Column("Statistic", "printed", left=True), Column("Read+Write/s", "total_per_s"),
        Column("Reads/s", "read_per_s"), Column("Writes/s", "write_per_s"),
    )  # fmt: skip
    return Sheet(
        "io_profile", "IO Profile (Global)", "IO Profile (Global)", columns, tuple(lines),
        anchor="12097", fixed=level(None),
    )  # fmt: skip


IO_COLUMNS = (
    Column("Total", "requests", "Requests"), Column("IOs/s", "iops", "Requests"),
    Column("Reads/s", "read_iops", "Requests"), Column("Writes/s", "write_iops", "Requests"),
    Column("Total", "bytes", "MB"), Column("IO MB/s", "bw_bytes_per_s", "MB"),
    Column("Read MB/s", "read_bytes_per_s", "MB"), Column("Write MB/s", "write_bytes_per_s", "MB"),
)  # fmt: skip


def _io_cells(io: Io, seconds: int) -> list[Shown]:
    requests, size = io.reads + io.writes, io.read_bytes + io.write_bytes
    rates = [fixed(Decimal(n) / seconds, 2) for n in (requests, io.reads, io.writes)]
    data = [
        fixed(Decimal(n) / MIB / seconds, 2, scale=MIB)
        for n in (size, io.read_bytes, io.write_bytes)
    ]
    return [fixed(requests), *rates, fixed(Decimal(size) / MIB, scale=MIB), *data]


def io_sheet(heading: str, anchor: str, key: str) -> Callable[[Content, RacDialect], Sheet | None]:
    """I/O by function or file type."""

    def lines_of(lines: Sequence[Io]) -> list[Io]:
        names = dict.fromkeys(line.name for line in lines)
        pooled_lines = [total_row(n, tuple(x for x in lines if x.name == n)) for n in names]
        return [total_row("Total", tuple(lines)), *pooled_lines]

    def make(content: Content, dialect: RacDialect) -> Sheet | None:
        if not dialect.new:
            return None
        part = "functions" if key == "function" else "filetypes"
        groups: list[tuple[Instance | None, list[Io]]] = [
            (None, [line for i in content.instances for line in getattr(i, part)])
        ]
        groups += [(instance, list(getattr(instance, part))) for instance in content.instances]
        lines = []
        for instance, rows in groups:
            first = number("*" if instance is None else instance.number)
            for place, io in enumerate(lines_of(rows)):
                average = io.wait_us * MICRO / io.waits if io.waits else None
                ends = [kilo(io.waits), timed(average)] if key == "function" else [BLANK, BLANK]
                mark = hidden(first) if place else first
                cells = [mark, word(io.name), *_io_cells(io, content.seconds), *ends]
                lines.append(Line(cells, level(instance)))
        if key == "function":
            tail = (Column("Waits: Count", "waits"), Column("Avg   Time ", "avg_wait_s"))
        else:
            tail = (
                Column("Small Read", "small_read_s", "Service Time"),
                Column("Large Read", "large_read_s", "Service Time"),
            )
        title = "Function Name" if key == "function" else "Filetype Name"
        columns = (Column("I#"), Column(title, key, left=True), *IO_COLUMNS, *tail)
        return Sheet(f"io_by_{key}", heading, heading, columns, tuple(lines), anchor=anchor)

    return make
