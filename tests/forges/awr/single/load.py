"""Load profile and instance activity of one instance, in HTML."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, ratio
from forges.awr.lines.load import PROFILE, activity_rows, profile_lines
from forges.awr.printing import fixed, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.single.dialect import Dialect


def load_profile_sheet(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """Load Profile."""
    rows = [
        row for row, before in PROFILE
        if (dialect.user_logons if before is None else before or dialect.new)
    ]  # fmt: skip
    columns = (
        Column("", "printed", left=True), Column("Per Second", "per_s"),
        Column("Per Transaction", "per_transaction"), Column("Per Exec", "per_exec"),
        Column("Per Call", "per_call"),
    )  # fmt: skip
    lines = profile_lines(content, instance, rows)
    summary = "This table displays load profile"
    return Sheet("load_profile", "Load Profile", summary, columns, lines, style="summary")


def activity_sheet(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """The statistics of instance activity."""
    columns = (
        Column("Statistic", "statistic", left=True), Column("Total", "total"),
        Column("per Second", "per_s"), Column("per Trans", "per_transaction"),
    )  # fmt: skip
    transactions = instance.counters["transactions"]
    lines = tuple(
        Line([
            word(name), fixed(total), fixed(Decimal(total) / content.seconds, 2),
            fixed(ratio(total, transactions), 2),
        ])
        for name, total in activity_rows(instance)
    )  # fmt: skip
    part = "" if dialect.new else "non-key "
    return Sheet(
        "instance_activity",
        "Instance Activity Stats" if dialect.new else "Other Instance Activity Stats",
        f"This table displays {part}Instance activity statistics. For each instance, activity"
        " total, activity per second, and activity per transaction are displayed",
        columns, lines, anchor="1250", fixed={"kind": "rate"},
        bullets=("Ordered by statistic name",),
    )  # fmt: skip
