"""SQL ordered by what it took, of Statspack."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, ratio
from forges.awr.lines.sql import quantity, whole_of
from forges.awr.printing import MICRO, Shown, fixed, percent
from forges.awr.sheet import Block, Line

if TYPE_CHECKING:
    from forges.awr.statspack.release import BlockMaker

SqlTable = tuple[str, str, tuple[str, ...], tuple[int, ...], tuple[str, str]]
"""Order, heading, keys, widths and header lines."""

SQL_TABLES: tuple[SqlTable, ...] = (
    ("cpu", "SQL ordered by CPU", ("cpu_s", "executions", "per_exec", "total_ratio", "elapsed_s",
     "buffer_gets"), (10, 12, 10, 6, 10, 15, 10),
     ("    CPU                  CPU per             Elapsd                     Old",
      "  Time (s)   Executions  Exec (s)  %Total   Time (s)    Buffer Gets  Hash Value")),
    ("gets", "SQL ordered by Gets", ("buffer_gets", "executions", "per_exec", "total_ratio",
     "cpu_s", "elapsed_s"), (15, 12, 14, 6, 8, 9, 10),
     ("                                                     CPU      Elapsd     Old",
      "  Buffer Gets    Executions  Gets per Exec  %Total Time (s)  Time (s) Hash Value")),
    ("reads", "SQL ordered by Reads", ("physical_reads_blocks", "executions", "per_exec",
     "total_ratio", "cpu_s", "elapsed_s"), (15, 12, 14, 6, 8, 9, 10),
     ("                                                     CPU      Elapsd",
      "  Physical Rds   Executions  Rds per Exec   %Total Time (s)  Time (s) Hash Value")),
)  # fmt: skip


def _hash(sql_id: str) -> str:
    """Statspack's key is a number: made of the id, so that it is the same in every run."""
    return str(sum((place + 1) * ord(letter) ** 3 for place, letter in enumerate(sql_id)))


def sql_block(table: SqlTable) -> BlockMaker:
    """One table of SQL, in one order."""
    order, heading, keys, widths, heads = table

    def make(_content: Content, instance: Instance) -> Block:
        lines = []
        ranked = sorted(instance.sql, key=lambda sql: -quantity(sql, order))
        for rank, sql in enumerate(ranked, 1):
            amount = quantity(sql, order)
            seconds = order == "cpu"
            known = {
                "cpu_s": fixed(sql.cpu_us * MICRO, 2),
                "elapsed_s": fixed(sql.elapsed_us * MICRO, 2),
                "buffer_gets": fixed(sql.gets), "physical_reads_blocks": fixed(sql.reads),
                "executions": fixed(sql.executions),
                "per_exec": fixed(ratio(amount, sql.executions), 2 if seconds else 1),
                "total_ratio": percent(ratio(amount, whole_of(instance, order)), 1),
            }  # fmt: skip
            key = _hash(sql.sql_id)
            cells = [*(known[name] for name in keys), Shown(key, key)]
            tail = [f"Module: {sql.module}"] if sql.module else []
            also = {"rank": rank, "module": sql.module or None}
            lines.append(Line(cells, also, tail=(*tail, *textwrap.wrap(sql.text, 64), "")))
        return Block(
            "sql", heading, (*keys, "sql_id"), (widths,), (heads,), tuple(lines),
            (f"Captured SQL accounts for  100.0% of {heading}",), {"ordered_by": order},
        )  # fmt: skip

    return make
