"""Top events, wait classes and wait events, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, ratio
from forges.awr.lines.waits import (
    IDLE,
    class_rows,
    cpu_row,
    timeouts,
    top_rows,
    total_seconds,
)
from forges.awr.printing import BLANK, MICRO, fixed, percent, word
from forges.awr.sheet import Block, Line
from forges.awr.text.blocks import bare

if TYPE_CHECKING:
    from forges.awr.text.dialect import BlockMaker, TextDialect


def top_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block:
    """Top timed events."""
    if dialect.new:
        heads = (
            "                                           Total Wait       Avg   % DB Wait",
            "Event                                Waits Time (sec)      Wait   time Class",
        )
    else:
        heads = (
            "                                           Total Wait       Wait   % DB Wait",
            "Event                                Waits Time (sec)    Avg(ms)   time Class",
        )
    lines = []
    for rank, wait in enumerate(top_rows(instance), 1):
        if wait is None:
            cpu, share = cpu_row(instance)
            seconds = total_seconds(cpu, dialect.new)
            cells = [
                word("DB CPU"),
                BLANK,
                seconds,
                BLANK,
                percent(share, 1, dot=True),
                BLANK,
            ]
        else:
            cells = [
                word(wait.event), fixed(wait.waits),
                total_seconds(wait.seconds, dialect.new), dialect.average(wait.average),
                percent(ratio(wait.seconds, instance.db_time), 1, dot=True), word(wait.wait_class),
            ]  # fmt: skip
        lines.append(Line(cells, {"rank": rank}))
    title = "Top 10 Foreground Events by Total Wait Time"
    keys = ("event", "waits", "total_wait_s", "avg_wait_s", "db_time_ratio", "wait_class")
    widths = (-30, 11, 10, 9 if dialect.new else 10, 6, -8)
    text = f"{title}\n{'~' * len(title)}\n"
    return bare("top_events", keys, widths, heads, lines, text, {"scope": "foreground"})


def classes_block(content: Content, instance: Instance, dialect: TextDialect) -> Block:
    """Wait Classes by Total Wait Time."""
    if dialect.new:
        heads = (
            "                                                          Avg             Avg",
            "                                        Total Wait       Wait   % DB   Active",
            "Wait Class                  Waits       Time (sec)       Time   time Sessions",
        )
    else:
        heads = (
            "                                                           Avg             Avg",
            "                                        Total Wait        Wait   % DB   Active",
            "Wait Class                  Waits       Time (sec)        (ms)   time Sessions",
        )
    lines = []
    for wait in class_rows(instance.foreground + instance.background, instance):
        seconds = instance.db_cpu_us * MICRO if wait is None else wait.seconds
        cells = [
            word("DB CPU" if wait is None else wait.event),
            BLANK if wait is None else fixed(wait.waits), fixed(seconds),
            BLANK if wait is None else dialect.average(wait.average),
            percent(ratio(seconds, instance.db_time), 1, dot=True),
            fixed(seconds / content.seconds, 1),
        ]  # fmt: skip
        lines.append(Line(cells))
    title = "Wait Classes by Total Wait Time"
    keys = (
        "wait_class", "waits", "total_wait_s", "avg_wait_s", "db_time_ratio",
        "average_active_sessions",
    )  # fmt: skip
    widths = (-16, 16, 16, 10 if dialect.new else 11, 6, 8)
    text = f"{title}\n{'~' * len(title)}\n"
    return bare("wait_classes", keys, widths, heads, lines, text, {"scope": "all"})


def foreground_classes_block(_content: Content, instance: Instance, dialect: TextDialect) -> Block:
    """Foreground Wait Class."""
    if dialect.new:
        heads = (
            "                                     %Time      Total Wait",
            "Wait Class                     Waits -outs        Time (s)   Avg wait  %DB time",
        )
    else:
        heads = (
            "                                     %Time      Total Wait         Avg",
            "Wait Class                     Waits -outs        Time (s)   wait (ms)  %DB time",
        )
    lines = []
    for wait in class_rows(instance.foreground, instance):
        seconds = instance.db_cpu_us * MICRO if wait is None else wait.seconds
        lines.append(
            Line([
                word("DB CPU" if wait is None else wait.event),
                BLANK if wait is None else fixed(wait.waits),
                BLANK if wait is None else timeouts(wait), fixed(seconds),
                BLANK if wait is None else dialect.average(wait.average),
                percent(ratio(seconds, instance.db_time), 1),
            ])
        )  # fmt: skip
    keys = (
        "wait_class", "waits", "timeouts_ratio", "total_wait_s", "avg_wait_s", "db_time_ratio",
    )  # fmt: skip
    return Block(
        "wait_classes", "Foreground Wait Class", keys,
        ((-20, 15, 5, 15, 10 if dialect.new else 11, 9),), (heads,), tuple(lines),
        ("s  - second, ms - millisecond -    1000th of a second",), {"scope": "foreground"},
    )  # fmt: skip


def events_block(scope: str) -> BlockMaker:
    """Wait events of one scope."""

    def make(_content: Content, instance: Instance, dialect: TextDialect) -> Block:
        foreground = scope == "foreground"
        waits = instance.foreground if foreground else instance.background
        whole = instance.db_time if foreground else instance.background_us * MICRO
        unit = "DB" if foreground else "bg"
        if dialect.new:
            heads = (
                "                                                Total",
                " " * 39 + f"%Time     Wait              Waits   % {unit}",
                "Event                            Waits -outs Time (s)  Avg wait     /txn   time",
            )
        else:
            heads = (
                "                                                Total",
                " " * 39 + f"%Time     Wait        Avg    Waits   % {unit}",
                "Event                            Waits -outs Time (s)  wait (ms)     /txn   time",
            )
        lines = tuple(
            Line([
                word(wait.event), fixed(wait.waits), timeouts(wait), fixed(wait.seconds),
                dialect.average(wait.average),
                fixed(ratio(wait.waits, instance.counters["transactions"]), 1),
                BLANK if wait.wait_class == IDLE
                else percent(ratio(wait.seconds, whole), 1, dot=True),
            ])
            for wait in sorted(waits, key=lambda wait: (wait.wait_class == IDLE, -wait.time_us))
        )  # fmt: skip
        share = "db_time_ratio" if foreground else "bg_time_ratio"
        keys = (
            "event", "waits", "timeouts_ratio", "total_wait_s", "avg_wait_s",
            "waits_per_transaction", share,
        )  # fmt: skip
        return Block(
            "wait_events", f"{scope.capitalize()} Wait Events", keys,
            ((-26, 11, 5, 8, 9 if dialect.new else 10, 8, 6),), (heads,), lines,
            ("ordered by wait time desc, waits desc (idle events last)",
             "Only events with Total Wait Time (s) >= .001 are shown"),
            {"scope": scope},
        )  # fmt: skip

    return make
