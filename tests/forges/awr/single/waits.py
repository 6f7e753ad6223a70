"""Top events, wait classes and wait events of one instance, in HTML."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, Wait, ratio
from forges.awr.lines.waits import (
    IDLE,
    class_rows,
    cpu_row,
    timeouts,
    top_rows,
    total_seconds,
)
from forges.awr.printing import BLANK, MICRO, Shown, fixed, percent, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.single.dialect import Dialect


def top_events_sheet(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """Top 10 Foreground Events by Total Wait Time."""
    average = "Avg Wait" if dialect.new else "Wait Avg(ms)"
    columns = (
        Column("Event", "event", left=True), Column("Waits", "waits"),
        Column("Total Wait Time (sec)", "total_wait_s"), Column(average, "avg_wait_s"),
        Column("% DB time", "db_time_ratio"), Column("Wait Class", "wait_class", left=True),
    )  # fmt: skip
    lines = tuple(
        Line(_top_cells(wait, instance, dialect), {"rank": number})
        for number, wait in enumerate(top_rows(instance), 1)
    )
    return Sheet(
        "top_events", "Top 10 Foreground Events by Total Wait Time",
        "This table displays top 10 wait events by total wait time", columns, lines,
        fixed={"scope": "foreground"}, style="summary",
    )  # fmt: skip


def _top_cells(wait: Wait | None, instance: Instance, dialect: Dialect) -> list[Shown]:
    if wait is None:
        cpu, share = cpu_row(instance)
        seconds = total_seconds(cpu, dialect.new)
        return [word("DB CPU"), BLANK, seconds, BLANK, percent(share, 1, dot=True), BLANK]
    return [
        word(wait.event), fixed(wait.waits), total_seconds(wait.seconds, dialect.new),
        dialect.average(wait.average),
        percent(ratio(wait.seconds, instance.db_time), 1, dot=True), word(wait.wait_class),
    ]  # fmt: skip


def wait_classes_sheet(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """Wait Classes by Total Wait Time."""
    average = "Avg Wait Time" if dialect.new else "Avg Wait (ms)"
    columns = (
        Column("Wait Class", "wait_class", left=True), Column("Waits", "waits"),
        Column("Total Wait Time (sec)", "total_wait_s"), Column(average, "avg_wait_s"),
        Column("% DB time", "db_time_ratio"),
        Column("Avg Active Sessions", "average_active_sessions"),
    )  # fmt: skip
    lines = []
    for wait in class_rows(instance.foreground + instance.background, instance):
        seconds = instance.db_cpu_us * MICRO if wait is None else wait.seconds
        lines.append(
            Line([
                word("DB CPU" if wait is None else wait.event),
                BLANK if wait is None else fixed(wait.waits),
                fixed(seconds),
                BLANK if wait is None else dialect.average(wait.average),
                percent(ratio(seconds, instance.db_time), 1, dot=True),
                fixed(seconds / content.seconds, 1),
            ])
        )  # fmt: skip
    return Sheet(
        "wait_classes", "Wait Classes by Total Wait Time",
        "This table displays wait class statistics ordered by total wait time", columns,
        tuple(lines), fixed={"scope": "all"}, style="summary",
    )  # fmt: skip


def foreground_classes_sheet(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """Foreground Wait Class."""
    average = "Avg wait" if dialect.new else "Avg wait (ms)"
    columns = (
        Column("Wait Class", "wait_class", left=True), Column("Waits", "waits"),
        Column("%Time -outs", "timeouts_ratio"), Column("Total Wait Time (s)", "total_wait_s"),
        Column(average, "avg_wait_s"), Column("%DB time", "db_time_ratio"),
    )  # fmt: skip
    lines = []
    for wait in class_rows(instance.foreground, instance):
        if wait is None:
            seconds = instance.db_cpu_us * MICRO
            share = percent(ratio(seconds, instance.db_time), 2)
            cells = [word("DB CPU"), BLANK, BLANK, fixed(seconds), BLANK, share]
        else:
            cells = [
                word(wait.event), fixed(wait.waits), timeouts(wait), fixed(wait.seconds),
                dialect.average(wait.average), percent(ratio(wait.seconds, instance.db_time), 2),
            ]  # fmt: skip
        lines.append(Line(cells))
    return Sheet(
        "wait_classes", "Foreground Wait Class",
        "This table displays foreground wait class statistics", columns, tuple(lines),
        anchor="210", fixed={"scope": "foreground"},
        bullets=("s  - second, ms - millisecond -    1000th of a second",),
    )  # fmt: skip


def _events(  # noqa: PLR0917 - what differs, in the order it is printed
    instance: Instance,
    dialect: Dialect,
    waits: tuple[Wait, ...],
    whole: Decimal,
    share_title: str,
    share_key: str,
) -> tuple[tuple[Column, ...], tuple[Line, ...]]:
    transactions = instance.counters["transactions"]
    average = "Avg wait" if dialect.new else "Avg wait (ms)"
    columns = (
        Column("Event", "event", left=True), Column("Waits", "waits"),
        Column("%Time -outs", "timeouts_ratio"), Column("Total Wait Time (s)", "total_wait_s"),
        Column(average, "avg_wait_s"), Column("Waits /txn", "waits_per_transaction"),
        Column(share_title, share_key),
    )  # fmt: skip
    lines = tuple(
        Line([
            word(wait.event), fixed(wait.waits), timeouts(wait), fixed(wait.seconds),
            dialect.average(wait.average), fixed(ratio(wait.waits, transactions), 2),
            BLANK if wait.wait_class == IDLE else percent(ratio(wait.seconds, whole), 2),
        ])
        for wait in sorted(waits, key=lambda wait: (wait.wait_class == IDLE, -wait.time_us))
    )  # fmt: skip
    return columns, lines


def foreground_sheet(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """Foreground Wait Events."""
    columns, lines = _events(
        instance, dialect, instance.foreground, instance.db_time, "% DB time", "db_time_ratio",
    )  # fmt: skip
    return Sheet(
        "wait_events", "Foreground Wait Events",
        "This table displays Foreground Wait Events and their wait statistics", columns, lines,
        anchor="100", fixed={"scope": "foreground"},
        bullets=("ordered by wait time desc, waits desc (idle events last)",),
    )  # fmt: skip


def background_sheet(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """Background Wait Events."""
    columns, lines = _events(
        instance, dialect, instance.background, instance.background_us * MICRO, "% bg time",
        "bg_time_ratio",
    )  # fmt: skip
    return Sheet(
        "wait_events", "Background Wait Events",
        "This table displays background wait events statistics", columns, lines, anchor="300",
        fixed={"scope": "background"},
    )  # fmt: skip
