"""I/O by tablespace and by file, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, tablespaces
from forges.awr.lines.io import file_cells
from forges.awr.printing import word
from forges.awr.sheet import Block, Line

if TYPE_CHECKING:
    from forges.awr.text.dialect import BlockMaker, TextDialect

FILE_KEYS = (
    "reads", "read_iops", "read_avg_s", "blocks_per_read", "one_block_read_iops",
    "one_block_read_avg_s", "optimized_ratio", "writes", "write_iops", "buffer_waits",
    "buffer_wait_avg_s",
)  # fmt: skip


FILE_HEADS = (
    ("                  Av          Av        Av          1-bk     Av 1-bk  % Opt",
     "      Reads       Rds/s     Rd(ms)    Blks/Rd       Rds/s     Rd(ms)  Reads"),
    ("                 Writes     Buffer     Av Buf",
     "     Writes       avg/s      Waits     Wt(ms)"),
)  # fmt: skip


def files_block(per_file: bool) -> BlockMaker:
    """I/O by file, or by tablespace."""

    def make(content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
        if dialect.new:
            return None  # no real file shows it
        rows = instance.files if per_file else tablespaces(instance.files)
        lines = []
        for row in rows:
            cells = file_cells(row, content.seconds, 1)
            first = [word(row.tablespace)] + ([word(row.data_file)] if per_file else [])
            lines.append(Line(first + [cells[key] for key in FILE_KEYS]))
        name = (-24, -52) if per_file else (-30,)
        first_head = ("Tablespace               Filename" if per_file else "Tablespace",)
        keys = ("tablespace", *(["data_file"] if per_file else []), *FILE_KEYS)
        return Block(
            "io_by_file" if per_file else "io_by_tablespace",
            "File IO Stats" if per_file else "Tablespace IO Stats", keys,
            (name, (11, 11, 10, 10, 11, 10, 6), (11, 11, 10, 10)), (first_head, *FILE_HEADS),
            tuple(lines), ("ordered by IOs (Reads + Writes) desc",),
        )  # fmt: skip

    return make
