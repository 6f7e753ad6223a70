"""Top events, wait events and their histogram of Statspack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, Wait, ratio
from forges.awr.lines.histogram import BINS_OLD, buckets, histogram_rows
from forges.awr.lines.waits import IDLE, timeouts
from forges.awr.printing import BLANK, MICRO, fixed, kilo, milli, percent, word
from forges.awr.sheet import Block, Line, fit

if TYPE_CHECKING:
    from forges.awr.statspack.release import BlockMaker


def top_block(_content: Content, instance: Instance) -> Block:
    """Top 5 Timed Events."""
    every = (*instance.foreground, *instance.background)
    waits = [wait for wait in every if wait.wait_class != IDLE]
    rows: list[tuple[int, Wait | None]] = [(wait.time_us, wait) for wait in waits]
    rows.append((instance.db_cpu_us, None))
    rows.sort(key=lambda row: -row[0])
    total = sum(time for time, _ in rows)
    lines = []
    for rank, (time, wait) in enumerate(rows[:5], 1):
        share = percent(ratio(time, total), 1, dot=True)
        seconds = fixed(time * MICRO)
        cells = [
            word("CPU time" if wait is None else wait.event),
            BLANK if wait is None else fixed(wait.waits), seconds,
            BLANK if wait is None else milli(wait.average, 0), share,
        ]  # fmt: skip
        lines.append(Line(cells, {"rank": rank}))
    text = "Top 5 Timed Events                                                    Avg %Total\n"
    heads = (
        "~~~~~~~~~~~~~~~~~~                                                   wait   Call",
        "Event                                            Waits    Time (s)   (ms)   Time",
    )
    keys = ("event", "waits", "total_wait_s", "avg_wait_s", "db_time_ratio")
    return Block(
        "top_events", "", keys, ((-41, 12, 11, 6, 6),), (heads,), tuple(lines), style="bare",
        text=text, fixed={"scope": "all"},
    )  # fmt: skip


def events_block(heading: str, scope: str) -> BlockMaker:
    """Wait events of one scope."""

    def make(_content: Content, instance: Instance) -> Block:
        parts = {"foreground": instance.foreground, "background": instance.background}
        waits = parts.get(scope, instance.foreground + instance.background)
        everything = instance.foreground + instance.background
        total = sum(wait.time_us for wait in everything) + instance.db_cpu_us
        transactions = instance.counters["transactions"]
        lines = tuple(
            Line([
                word(wait.event), fixed(wait.waits), timeouts(wait), fixed(wait.seconds),
                milli(wait.average, 0), fixed(ratio(wait.waits, transactions), 1),
                BLANK if wait.wait_class == IDLE
                else percent(ratio(wait.time_us, total), 1, dot=True),
            ])
            for wait in sorted(waits, key=lambda wait: (wait.wait_class == IDLE, -wait.time_us))
        )  # fmt: skip
        heads = (
            "                                                             Avg          %Total",
            "                                          %Tim Total Wait   wait    Waits   Call",
            "Event                               Waits  out   Time (s)   (ms)     /txn   Time",
        )
        keys = (
            "event", "waits", "timeouts_ratio", "total_wait_s", "avg_wait_s",
            "waits_per_transaction", "db_time_ratio",
        )  # fmt: skip
        return Block(
            "wait_events", heading, keys, ((-28, 12, 4, 10, 6, 8, 6),), (heads,), lines,
            ("Only events with Total Wait Time (s) >= .001 are shown",), {"scope": scope},
        )  # fmt: skip

    return make


def histogram_block(_content: Content, instance: Instance) -> Block:
    """The wait event histogram."""
    bins = BINS_OLD[0]
    heads = (
        "                           Total ----------------- % of Waits ------------------",
        "Event                      Waits  <1ms  <2ms  <4ms  <8ms <16ms <32ms  <=1s   >1s",
    )
    lines = tuple(
        buckets(h, kilo(waits, digits=0), bins, counts, fit(word(h.event), -26))
        for h, waits, counts in histogram_rows(bins, instance.histograms)
    )
    return Block(
        "event_histogram", "Wait Event Histogram", (), ((-26, 5, 5, 5, 5, 5, 5, 5, 5, 5),),
        (heads,), lines, ("Total Waits - units: K is 1000, M is 1000000, G is 1000000000",),
    )  # fmt: skip
