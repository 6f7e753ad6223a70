"""SQL ordered by what it took, as text."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, ratio
from forges.awr.lines.sql import Order, quantity, whole_of
from forges.awr.printing import MICRO, Shown, fixed, percent
from forges.awr.sheet import Block, Line

if TYPE_CHECKING:
    from forges.awr.text.dialect import BlockMaker, TextDialect

SQL_TABLES = {
    "elapsed": (
        ("executions", "per_exec", "total_ratio", "cpu_ratio", "io_ratio"),
        (16, 14, 13, 6, 6, 6, -13),
        ("        Elapsed                  Elapsed Time",
         "        Time (s)    Executions  per Exec (s)  %Total   %CPU    %IO    SQL Id"),
    ),
    "cpu": (
        ("executions", "per_exec", "total_ratio", "elapsed_s", "cpu_ratio", "io_ratio"),
        (10, 12, 10, 6, 10, 6, 6, -13),
        ("    CPU                   CPU per           Elapsed",
         "  Time (s)  Executions    Exec (s) %Total   Time (s)   %CPU    %IO    SQL Id"),
    ),
    "gets": (
        ("executions", "per_exec", "total_ratio", "elapsed_s", "cpu_ratio", "io_ratio"),
        (11, 11, 12, 6, 10, 5, 5, -13),
        ("     Buffer                 Gets              Elapsed",
         "      Gets   Executions   per Exec   %Total   Time (s)  %CPU   %IO    SQL Id"),
    ),
    "reads": (
        ("executions", "per_exec", "total_ratio", "elapsed_s", "cpu_ratio", "io_ratio"),
        (11, 11, 10, 6, 10, 6, 6, -13),
        ("   Physical              Reads              Elapsed",
         "      Reads  Executions per Exec   %Total   Time (s)   %CPU    %IO    SQL Id"),
    ),
}  # fmt: skip


def sql_block(order: Order) -> BlockMaker:
    """One table of SQL, in one order."""
    keys, widths, heads = SQL_TABLES[order.name]

    def make(_content: Content, instance: Instance, dialect: TextDialect) -> Block:
        seconds = order.key.endswith("_s")
        lines = []
        ranked = sorted(instance.sql, key=lambda sql: -quantity(sql, order.name))
        for rank, sql in enumerate(ranked, 1):
            amount = quantity(sql, order.name)
            known = {
                "executions": fixed(sql.executions),
                "per_exec": fixed(ratio(amount, sql.executions), 2 if seconds else 1),
                "total_ratio": percent(
                    ratio(amount, whole_of(instance, order.name)), 1, dot=True
                ),
                "elapsed_s": fixed(sql.elapsed_us * MICRO, 1),
                "cpu_ratio": percent(ratio(sql.cpu_us, sql.elapsed_us), 1, dot=True),
                "io_ratio": percent(ratio(sql.io_us, sql.elapsed_us), 1, dot=True),
            }  # fmt: skip
            cells = [fixed(amount, 1 if seconds else 0), *(known[key] for key in keys)]
            cells.append(Shown(sql.sql_id, sql.sql_id))
            tail = [f"Module: {sql.module}"] if sql.module else []
            tail += [f"   PDB: {sql.container}"] if sql.container and dialect.new else []
            also = {"rank": rank, "module": sql.module or None}
            lines.append(Line(cells, also, tail=(*tail, *textwrap.wrap(sql.text, 80), "")))
        return Block(
            "sql", order.heading, (order.key, *keys, "sql_id"), (widths,), (heads,), tuple(lines),
            ("Resources reported for PL/SQL code includes the resources used by all SQL\n"
             "   statements called by the code.",), {"ordered_by": order.name},
        )  # fmt: skip

    return make
