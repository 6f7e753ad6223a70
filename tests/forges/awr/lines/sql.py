"""SQL: in which orders it is listed, and by what quantity."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.printing import MICRO

if TYPE_CHECKING:
    from forges.awr.content import Instance, Sql


@dataclass(frozen=True)
class Order:
    """One table of SQL: its quantity, and how it is printed."""

    name: str
    anchor: str
    heading: str
    summary: str
    first: str
    each: str
    key: str


ORDERS = (
    Order("elapsed", "400", "SQL ordered by Elapsed Time", "elapsed time", "Elapsed  Time (s)",
          "Elapsed Time per Exec (s) ", "elapsed_s"),
    Order("cpu", "500", "SQL ordered by CPU Time", "CPU time", "CPU    Time (s)",
          "CPU per  Exec (s)", "cpu_s"),
    Order("gets", "600", "SQL ordered by Gets", "buffer gets", "Buffer Gets ",
          "Gets     per Exec  ", "buffer_gets"),
    Order("reads", "700", "SQL ordered by Reads", "physical reads", "Physical Reads",
          "Reads     per Exec  ", "physical_reads_blocks"),
)  # fmt: skip


def quantity(sql: Sql, order: str) -> Decimal:
    """What a table of SQL is ordered by, in seconds or blocks."""
    return {
        "elapsed": sql.elapsed_us * MICRO, "cpu": sql.cpu_us * MICRO,
        "gets": Decimal(sql.gets), "reads": Decimal(sql.reads),
    }[order]  # fmt: skip


def whole_of(instance: Instance, order: str) -> Decimal:
    """The report's total of that quantity."""
    return {
        "elapsed": instance.db_time, "cpu": instance.db_cpu_us * MICRO,
        "gets": Decimal(instance.counters["logical_reads"]),
        "reads": Decimal(instance.counters["physical_reads"]),
    }[order]  # fmt: skip
