"""What a shop asks of its database: its statements, its day, and how both vary."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

MULTI_BLOCKS, DIRECT_BLOCKS = 16, 64
"""Blocks of one db file scattered read, and of one direct path read."""


@dataclass(frozen=True)
class Statement:
    """One SQL statement, by what one execution of it takes; reads are requests."""

    sql_id: str
    text: str
    module: str
    segment: str
    per_transaction: float
    cpu_us: float
    gets: float
    singles: float
    multis: float = 0.0
    directs: float = 0.0


LOCKED = "7r3kq0v1m2stk"
"""The statement that waits in a lock storm."""
REPLANNED = "c4u5tm8sr9ch1"
"""The statement that gets another plan."""

STATEMENTS = (
    Statement("0a1grd3r5k00k", "select * from orders where order_id = :1", "shop", "ORDERS",
              3.0, 500, 12, 1.2),
    Statement("1b2k1n3srdad4", "select * from order_lines where order_id = :1", "shop",
              "ORDER_LINES", 2.0, 900, 30, 1.5),
    Statement("2d3kns0rd3r55", "insert into orders values (:1, :2, :3)", "shop", "ORDERS",
              1.0, 700, 15, 0.3),
    Statement(LOCKED, "update stock set quantity = quantity - :1 where item = :2", "shop",
              "STOCK", 1.5, 400, 8, 0.8),
    Statement(REPLANNED, "select * from customers where name like :1", "search", "CUSTOMERS",
              0.2, 2500, 60, 4.0),
    Statement("5fs3ss10nchck", "select 1 from sessions where id = :1", "shop", "SESSIONS",
              4.0, 150, 4, 0.0),
    Statement("6gr3p0rtscan7", "select sum(amount) from order_lines group by day", "reports",
              "ORDER_LINES", 0.002, 800_000, 9000, 2.0, 60.0, 40.0),
    Statement("8hpurg30kd9rs", "delete from carts where touched < :1", "housekeeping", "CARTS",
              0.05, 3000, 90, 2.5),
)  # fmt: skip


def day(hour: float) -> float:
    """Load over the mean load at an hour of the day: least at 4, most at 14."""
    return (
        0.85
        + 0.5 * math.exp(3 * (math.cos((hour - 14) * math.pi / 12) - 1))
        - 0.45 * math.exp(2 * (math.cos((hour - 4) * math.pi / 12) - 1))
    )


class Noise:
    """AR(1) noise of a factor about 1, one chain a name: what is high now stays so for a while."""

    def __init__(self, random: Random, memory: float = 0.6) -> None:
        self._random, self._memory = random, memory
        self._last: dict[str, float] = {}

    def step(self, name: str, deviation: float) -> float:
        """The next factor; ``deviation``: its standard deviation, about."""
        fresh = self._random.gauss(0, deviation * math.sqrt(1 - self._memory**2))
        start = self._random.gauss(0, deviation)
        self._last[name] = self._memory * self._last[name] + fresh if name in self._last else start
        return math.exp(self._last[name])
