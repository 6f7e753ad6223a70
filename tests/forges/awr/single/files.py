"""I/O by tablespace and by file of one instance, in HTML."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import Content, FileIo, Instance, ratio, tablespaces
from forges.awr.lines.io import file_cells
from forges.awr.printing import MICRO, Shown, fixed, milli, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.single.dialect import Dialect, SheetMaker

Names = tuple[tuple[str, str], ...]
"""Printed titles and the keys of their columns."""

FILES_OLD: Names = (
    ("Reads", "reads"), ("Av    Rds/s", "read_iops"), ("Av   Rd(ms)", "read_avg_s"),
    ("Av    Blks/Rd", "blocks_per_read"), (" 1-bk  Rds/s", "one_block_read_iops"),
    ("Av 1-bk Rd(ms)", "one_block_read_avg_s"), ("Writes", "writes"),
    ("Writes avg/s", "write_iops"), ("Buffer Waits", "buffer_waits"),
    ("Av Buf Wt(ms)", "buffer_wait_avg_s"),
)  # fmt: skip


SPACES_OLD: Names = (
    *FILES_OLD[:4], (" 1-bk  Rds/s", "writes"), ("Av 1-bk Rd(ms)", "one_block_read_iops"),
    ("Writes", "one_block_read_avg_s"), *FILES_OLD[7:],
)  # fmt: skip
"""11.2.0.4 prints three numbers of Tablespace IO Stats below the titles of others (and in the
decimals of those titles): seen on a real report, where writes per second tell."""


FILES_NEW: Names = (
    ("Reads", "reads"), ("Av Rds/s", "read_iops"), ("Av Rd(ms)", "read_avg_s"),
    ("Av Blks/Rd", "blocks_per_read"), ("1-bk Rds/s", "one_block_read_iops"),
    ("Av 1-bk Rd(ms)", "one_block_read_avg_s"), ("% Opt Reads", "optimized_ratio"),
    ("Writes", "writes"), ("Writes avg/s", "write_iops"), ("Av Writes(ms)", "write_avg_s"),
    ("Buffer Waits", "buffer_waits"), ("Av Buf Wt(ms)", "buffer_wait_avg_s"),
)  # fmt: skip


def _misplaced(line: FileIo, seconds: int) -> dict[str, Shown]:
    return {
        "one_block_read_iops": fixed(Decimal(line.one_block_reads) / seconds, 2),
        "one_block_read_avg_s": milli(ratio(line.one_block_us * MICRO, line.one_block_reads), 0),
    }


def files_sheet(per_file: bool) -> SheetMaker:
    """I/O by file, or by tablespace."""

    def make(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
        names = FILES_NEW if dialect.new else FILES_OLD if per_file else SPACES_OLD
        cdb = dialect.new and content.database.cdb
        names += (("PDB Name", "container"),) if cdb else ()
        rows = instance.files if per_file else tablespaces(instance.files)
        left = [Column("Tablespace", "tablespace", left=True)]
        left += [Column("Filename", "data_file", left=True)] if per_file else []
        lines = []
        for line in rows:
            cells = file_cells(line, content.seconds, 2)
            if names is SPACES_OLD:
                cells |= _misplaced(line, content.seconds)
            first = [word(line.tablespace)] + ([word(line.data_file)] if per_file else [])
            lines.append(Line(first + [cells[key] for _, key in names]))
        columns = (*left, *(Column(title, key, left=key == "container") for title, key in names))
        what = "physical files" if per_file else "tablespaces"
        return Sheet(
            "io_by_file" if per_file else "io_by_tablespace",
            "File IO Stats" if per_file else "Tablespace IO Stats",
            f"This table displays IO Statistics for different {what}. IO Statistics include amount"
            " of reads and writes, average read/write per second, average blocks per read",
            columns, tuple(lines), anchor="1800" if per_file else "1700",
        )  # fmt: skip

    return make
