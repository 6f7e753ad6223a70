"""Load profile and instance activity of Statspack."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import Content, Instance, ratio
from forges.awr.lines.load import ProfileRow, activity_rows, profile_lines
from forges.awr.printing import MIB, fixed, word
from forges.awr.sheet import Block, Line

PROFILE: tuple[ProfileRow, ...] = (
    ("DB time(s)", "DB Time(s)", "s", 1), ("DB CPU(s)", "DB CPU(s)", "s", 1),
    ("Redo size", "redo_bytes", "bytes", 1), ("Logical reads", "logical_reads", "blocks", 1),
    ("Block changes", "block_changes", None, 1),
    ("Physical reads", "physical_reads", "blocks", 1),
    ("Physical writes", "physical_writes", "blocks", 1), ("User calls", "user_calls", "1", 1),
    ("Parses", "parses", "1", 1), ("Hard parses", "hard_parses", "1", 1),
    ("W/A MB processed", "work_area_bytes", "bytes", MIB), ("Logons", "logons", "1", 1),
    ("Executes", "executes", "1", 1), ("Rollbacks", "rollbacks", "1", 1),
    ("Transactions", "transactions", "1", 1),
)  # fmt: skip


def load_profile_block(content: Content, instance: Instance) -> Block:
    """Load Profile."""
    lines = profile_lines(content, instance, PROFILE)
    head = (
        "Load Profile              Per Second    Per Transaction    Per Exec    Per Call\n"
        "~~~~~~~~~~~~      ------------------  ----------------- ----------- -----------\n"
    )
    text = ""
    for line in lines:
        parts = [
            cell.text.strip().rjust(width)
            for cell, width in zip(line.cells, (17, 19, 19, 12, 12), strict=False)
        ]
        text += "".join(parts).rstrip() + "\n"
    keys = ("printed", "per_s", "per_transaction", "per_exec", "per_call")
    return Block("load_profile", "", keys, lines=lines, style="literal", text=f"{head}{text}\n")


def activity_block(content: Content, instance: Instance) -> Block:
    """The statistics of instance activity."""
    transactions = instance.counters["transactions"]
    lines = tuple(
        Line([
            word(name), fixed(total), fixed(Decimal(total) / content.seconds, 1),
            fixed(ratio(total, transactions), 1),
        ])
        for name, total in activity_rows(instance)
    )  # fmt: skip
    heads = ("Statistic                                      Total     per Second    per Trans",)
    return Block(
        "instance_activity", "Instance Activity Stats",
        ("statistic", "total", "per_s", "per_transaction"), ((-33, 18, 14, 12),), (heads,), lines,
        fixed={"kind": "rate"},
    )  # fmt: skip
