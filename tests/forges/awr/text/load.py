"""Load profile and instance activity, as text."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, ratio
from forges.awr.lines.load import PROFILE, activity_rows, profile_lines
from forges.awr.printing import fixed, word
from forges.awr.sheet import Block, Line
from forges.awr.text.blocks import literal

if TYPE_CHECKING:
    from forges.awr.text.dialect import TextDialect


def load_profile_block(content: Content, instance: Instance, dialect: TextDialect) -> Block:
    """Load Profile."""
    rows = [row for row, before in PROFILE if before is not None or dialect.new]
    lines = profile_lines(content, instance, rows)
    head = (
        "Load Profile                    Per Second   Per Transaction  Per Exec  Per Call\n"
        "~~~~~~~~~~~~~~~            ---------------   --------------- --------- ---------\n"
    )
    keys = ("printed", "per_s", "per_transaction", "per_exec", "per_call")
    return literal("load_profile", keys, head, lines, (24, 18, 18, 10, 10))


def activity_block(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """The statistics of instance activity."""
    transactions = instance.counters["transactions"]
    lines = tuple(
        Line([
            word(name), fixed(total), fixed(Decimal(total) / content.seconds, 1),
            fixed(ratio(total, transactions), 1),
        ])
        for name, total in activity_rows(instance)
    )  # fmt: skip
    heads = ("Statistic                                     Total     per Second     per Trans",)
    return Block(
        "instance_activity", "Instance Activity Stats",
        ("statistic", "total", "per_s", "per_transaction"), ((-32, 18, 14, 13),), (heads,), lines,
        ("Ordered by statistic name",), {"kind": "rate"},
    )  # fmt: skip
