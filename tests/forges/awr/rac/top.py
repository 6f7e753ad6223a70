"""Top timed events of the cluster and of each instance, RAC-global."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import Content, Wait, ratio
from forges.awr.printing import BLANK, Shown, fixed, percent, word
from forges.awr.rac.cells import hidden, level, number
from forges.awr.rac.waits import (
    by_event,
    cpu_of,
    pooled,
    share_of,
    spread_cells,
    waits_of,
)
from forges.awr.sheet import Column, Line, Row, Sheet

if TYPE_CHECKING:
    from forges.awr.rac.dialect import RacDialect

EVENT_NOTES = (
    "Instance '*'  - cluster wide summary",
    "         '*'  Waits, %Timeouts, Wait Time Total(s)      : Cluster-wide total for the wait"
    " event",
    "         '*'  'Wait Time Avg'                      : Cluster-wide average computed as"
    " (Wait Time Total / Event Waits)",
    "         '*'  Summary 'Avg Wait Time '              : Per-instance 'Wait Time Avg ' used to"
    " compute the following statistics",
    "         '*'  [Avg/Min/Max/Std Dev]                     : average/minimum/maximum/standard"
    " deviation of per-instance 'Wait Time Avg'",
    "         '*'  Cnt                                       : count of instances with wait times"
    " for the event",
)


def event_columns(new: bool, share: str) -> tuple[Column, ...]:
    """The columns of Top Timed Events."""
    spreads = "Summary Avg Wait Time" if new else "Summary Avg Wait Time (ms)"
    return (
        Column("I#"), Column("Class", "wait_class", "Wait", left=True),
        Column("Event", "event", "Wait", left=True), Column("Waits", "waits", "Event"),
        Column("%Timeouts", "timeouts_ratio", "Event"),
        Column("Total(s)", "total_wait_s", "Wait Time"),
        Column("Avg Wait" if new else "Avg(ms)", "avg_wait_s", "Wait Time"),
        Column("%DB time", share, "Wait Time"), Column("Avg", "instances_avg_s", spreads),
        Column("Min", "instances_min_s", spreads), Column("Max", "instances_max_s", spreads),
        Column("Std Dev", "instances_std_s", spreads), Column("Cnt", "instances_count", spreads),
    )  # fmt: skip


def events_sheet(
    heading: str, anchor: str, scope: str, lines: tuple[Line, ...], *, new: bool = True
) -> Sheet:
    """One of the three tables of top timed events."""
    share = "bg_time_ratio" if scope == "background" else "db_time_ratio"
    summary = ". ".join([f"{heading}. ", *(" ".join(note.split()) for note in EVENT_NOTES)])
    return Sheet(
        "top_events", heading, summary, event_columns(new, share), lines, anchor=anchor,
        bullets=EVENT_NOTES, fixed={"scope": scope},
    )  # fmt: skip


_Row = tuple[Decimal, list[Shown], list[Shown] | None]
"""Seconds, by which rows are ordered; the cells; the columns of the spread at their end."""


def top_sheet(heading: str, anchor: str, scope: str) -> Callable[[Content, RacDialect], Sheet]:
    """Top timed events."""
    cpu_name = "background cpu time" if scope == "background" else "DB CPU"

    def wait_cells(wait: Wait, whole: Decimal, dialect: RacDialect) -> list[Shown]:
        return [
            word(wait.wait_class), word(wait.event), fixed(wait.waits),
            percent(ratio(wait.timeouts, wait.waits), 2), fixed(wait.seconds, 2),
            dialect.average(wait.average), percent(ratio(wait.seconds, whole), 2),
        ]  # fmt: skip

    def cpu_cells(seconds: Decimal, whole: Decimal) -> list[Shown]:
        share = percent(ratio(seconds, whole), 2)
        return [BLANK, word(cpu_name), BLANK, BLANK, fixed(seconds, 2), BLANK, share]

    def block(first: str, rows: list[_Row], also: Row, ends: list[Shown]) -> list[Line]:
        rows.sort(key=lambda row: -row[0])
        lines = []
        for rank, (_, cells, end) in enumerate(rows[:10], 1):
            # the number stands once, and is hidden in the rows below
            mark = number(first) if rank == 1 else hidden(number(first))
            lines.append(Line([mark, *cells, *(end or ends)], {**also, "rank": rank}))
        return lines

    def make(content: Content, dialect: RacDialect) -> Sheet:
        instances = content.instances
        whole = sum((share_of(i, scope) for i in instances), Decimal(0))
        cpu = sum((cpu_of(i, scope) for i in instances), Decimal(0))
        rows: list[_Row] = [
            (cpu, cpu_cells(cpu, whole), [*[BLANK] * 4, Shown(str(len(instances)), len(instances))])
        ]
        for parts in by_event(content, scope):
            wait = pooled(parts)
            ends = spread_cells(parts, dialect.average)
            rows.append((wait.seconds, wait_cells(wait, whole, dialect), ends))
        lines = block("*", rows, level(None), [])
        for instance in instances:
            own = share_of(instance, scope)
            rows = [(cpu_of(instance, scope), cpu_cells(cpu_of(instance, scope), own), None)]
            rows += [
                (wait.seconds, wait_cells(wait, own, dialect), None)
                for wait in waits_of(instance, scope)
            ]
            lines += block(str(instance.number), rows, level(instance), [BLANK] * 5)
        return events_sheet(heading, anchor, scope, tuple(lines), new=dialect.new)

    return make
