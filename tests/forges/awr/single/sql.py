"""SQL ordered by what it took, of one instance, in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, ratio
from forges.awr.lines.sql import Order, quantity, whole_of
from forges.awr.printing import MICRO, Shown, fixed, percent, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.single.dialect import Dialect, SheetMaker


def sql_sheet(order: Order) -> SheetMaker:
    """One table of SQL, in one order."""

    def make(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
        cdb = dialect.new and content.database.cdb
        digits = 2 if order.key.endswith("_s") else 0
        lines = []
        ranked = sorted(instance.sql, key=lambda sql: -quantity(sql, order.name))
        for rank, sql in enumerate(ranked, 1):
            amount = quantity(sql, order.name)
            shares = [percent(ratio(time, sql.elapsed_us), 2) for time in (sql.cpu_us, sql.io_us)]
            elapsed = [] if order.name == "elapsed" else [fixed(sql.elapsed_us * MICRO, 2)]
            cells = [
                fixed(amount, digits), fixed(sql.executions),
                fixed(ratio(amount, sql.executions), 2),
                percent(ratio(amount, whole_of(instance, order.name)), 2), *elapsed, *shares,
                Shown(sql.sql_id, sql.sql_id), word(sql.module),
                *([word(sql.container)] if cdb else []),
                word(sql.text),
            ]  # fmt: skip
            lines.append(Line(cells, {"rank": rank}))
        head = [
            Column(order.first, order.key), Column("Executions ", "executions"),
            Column(order.each, "per_exec"), Column("%Total", "total_ratio"),
        ]  # fmt: skip
        head += [] if order.name == "elapsed" else [Column("Elapsed  Time (s)", "elapsed_s")]
        head += [
            Column("%CPU", "cpu_ratio"), Column("%IO", "io_ratio"),
            Column("   SQL Id", "sql_id", left=True), Column("SQL Module", "module", left=True),
        ]  # fmt: skip
        head += [Column("PDB Name", "container", left=True)] if cdb else []
        head.append(Column("SQL Text", "text", left=True))
        return Sheet(
            "sql", order.heading, f"This table displays top SQL by {order.summary}", tuple(head),
            tuple(lines), anchor=order.anchor, fixed={"ordered_by": order.name},
        )  # fmt: skip

    return make
