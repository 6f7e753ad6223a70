"""Samples of active sessions, services, locks, undo, findings: of one instance, in HTML."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.lines.spread import (
    COUNT,
    KILO,
    MICROS,
    MILLI,
    RATE,
    SECONDS,
    SHARE,
    THOUSANDS,
    WHOLE,
    Drawn,
    grouped,
    plain,
)
from forges.awr.printing import percent, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect, SheetMaker

_NOON = datetime(2023, 12, 23, 13, 30)  # noqa: DTZ001 - a report says no time zone

_FOUND = (
    Drawn(
        "ash_events", "Top Events", "This table shows the top events",
        (("Event", "event"), ("Event Class", "wait_class"), ("Session Type", "session_type")),
        (("CPU + Wait for CPU", "CPU", "FOREGROUND"),
         ("db file sequential read", "User I/O", "FOREGROUND"),
         ("log file parallel write", "System I/O", "BACKGROUND")),
        plain(("% Activity", "activity_ratio", SHARE),
              ("Avg Active Sessions", "average_active_sessions", RATE)), new=True,
    ),
    *(
        Drawn(
            "ash_sql", f"Top SQL with Top {what}s", summary,
            (("SQL ID", "sql_id"), ("Plan Hash", "plan_hash"), *names),
            (("390ps6515t2d8", "2218992963", *first), ("db7f9rmwydc9p", "", *second)),
            plain(("Executions", "executions", WHOLE), ("% Activity", "activity_ratio", SHARE),
                  ("% Event", "event_ratio", SHARE), ("% Row Source", "row_source_ratio", SHARE)),
            {"listed_by": listed}, new=True,
        )
        for what, listed, summary, names, first, second in (
            ("Event", "event", "This table displays the Top SQL by Top Wait Events",
             (("Event", "event"), ("Top Row Source", "row_source")),
             ("CPU + Wait for CPU", "SORT - AGGREGATE"),
             ("db file sequential read", "** Row Source Not Available **")),
            ("Row Source", "row_source", "This table display the Top SQLs with Top Row Sources",
             (("Row Source", "row_source"), ("Top Event", "event")),
             ("TABLE ACCESS - FULL", "direct path read"), ("DDL STATEMENT", "CPU + Wait for CPU")),
        )
    ),
    Drawn(
        "ash_activity", "Activity Over Time", "This table show the activity in ASH over time",
        (("Slot Time (Duration)", "slot_text"), ("Event", "event")),
        (("13:30:04   (-4 secs)", "CPU + Wait for CPU"),
         ("13:30:04   (4.9 min)", "db file sequential read"),
         ("13:35:00   (2 secs)", "log file sync")),
        plain(("Slot Count", "slot_samples", COUNT), ("Event Count", "samples", COUNT),
              ("% Event", "activity_ratio", SHARE)),
        also=({"slot_time": "13:30:04", "slot_duration_s": None},
              {"slot_time": "13:30:04", "slot_duration_s": Decimal(294)},
              {"slot_time": "13:35:00", "slot_duration_s": Decimal(2)}), new=True,
    ),
    Drawn(
        "services", "Service Statistics",
        "This table displays service statistics. It displays service names",
        (("Service Name", "service"),), (("SYS$USERS",), ("s_orders",), ("SYS$BACKGROUND",)),
        plain(("DB Time (s)", "db_time_s", SECONDS), ("DB CPU (s)", "db_cpu_s", SECONDS),
              ("Physical Reads (K)", "physical_reads_blocks", THOUSANDS),
              ("Logical Reads (K)", "logical_reads_blocks", THOUSANDS)),
    ),
    Drawn(
        "buffer_waits", "Buffer Wait Statistics",
        "This table displays buffer wait statistics. Statistics include waits",
        (("Class", "block_class"),), (("data block",), ("undo header",)),
        plain(("Waits", "waits", COUNT), ("Total Wait Time (s)", "total_wait_s", SECONDS),
              ("Avg Time (ms)", "avg_wait_s", MILLI)),
    ),
    Drawn(
        "enqueues", "Enqueue Activity",
        "This table displays enqueue activity statistics. Requests, success gets, failed gets",
        (("Enqueue Type (Request Reason)", "enqueue"),),
        (("TX-Transaction (row lock contention)",), ("KO-Multiple Object Checkpoint",)),
        plain(("Requests", "requests", COUNT), ("Succ Gets", "successful_gets", COUNT),
              ("Failed Gets", "failed_gets", COUNT), ("Waits", "waits", COUNT),
              ("Wt Time (s)", "total_wait_s", SECONDS), ("Av Wt Time(ms)", "avg_wait_s", MILLI)),
    ),
    Drawn(
        "undo", "Undo Segment Summary", "This table displays undo segment summary",
        (("Min/Max TR (mins)", ""), ("STO/ OOS", ""), ("uS/uR/uU/ eS/eR/eU", "")),
        (("26.7/46.7", "3/0", "0/0/0/0/0/1088"),),
        plain(("Undo TS#", "undo_tablespace_number", WHOLE),
              ("Num Undo Blocks (K)", "undo_blocks", KILO),
              ("Number of Transactions", "transactions", COUNT),
              ("Max Qry Len (s)", "longest_query_s", SECONDS),
              ("Max Tx Concurcy", "most_concurrent_transactions", COUNT)),
        also=({"retention_min_s": Decimal(1602), "retention_max_s": Decimal(2802),
               "snapshot_too_old": Decimal(3), "out_of_space": Decimal(0)},),
    ),
    Drawn(
        "addm_findings", "ADDM Findings",
        "This table displays top ADDM findings by average active sessions",
        (("Finding Name", "finding"), ("Task Name", "task"), ("Begin Snap Time", "begin_text"),
         ("End Snap Time", "end_text")),
        (("Top SQL Statements", "ADDM:1_1_176", "23-Dec-23 13:30", "23-Dec-23 14:00"),
         ("Undersized PGA", "ADDM:1_1_176", "23-Dec-23 13:30", "23-Dec-23 14:00")),
        plain(("Avg active sessions of the task", "task_average_active_sessions", RATE),
              ("Percent active sessions of finding", "finding_ratio", SHARE)),
        also=({"begin_time": _NOON, "end_time": _NOON + timedelta(minutes=30)},) * 2, new=True,
    ),
    Drawn(
        "interconnect_pings", "Interconnect Ping Latency Statistics",
        "This table displays IC ping latency statistics",
        (("Target Instance", ""),), (("1",), ("2",)),
        plain(("500B Ping Count", "pings_500b", COUNT),
              ("Avg Latency 500B msg", "ping_500b_avg_s", MICROS),
              ("Stddev 500B msg", "ping_500b_std", RATE), ("8K Ping Count", "pings_8kib", COUNT),
              ("Avg Latency 8K msg", "ping_8kib_avg_s", MICROS),
              ("Stddev 8K msg", "ping_8kib_std", RATE)),
        also=({"target_instance": 1}, {"target_instance": 2}), new=True,
    ),
    Drawn(
        "block_transfers", "Global Cache Transfer Stats",
        "This table displays global cache transfer stats. CR, blocks received, % immediate",
        (("Inst No", ""), ("Block Class", "")), (("2", "data block"), ("2", "Others")),
        (*grouped("CR", ("Blocks Received", "cr_blocks", COUNT),
                  ("% Immed", "cr_immediate_ratio", SHARE), ("% Busy", "cr_busy_ratio", SHARE),
                  ("% Congst", "cr_congested_ratio", SHARE)),
         *grouped("Current", ("Blocks Received", "current_blocks", COUNT),
                  ("% Immed", "current_immediate_ratio", SHARE))),
        also=({"source_instance": 2, "block_class": "data block"},
              {"source_instance": 2, "block_class": "others"}), new=True,
    ),
    Drawn(
        "immediate_transfers", "Global Cache Transfer (Immediate)",
        "This table displays global cache transfer (immediate) statistics",
        (("Src Inst#", ""), ("Block Class", "")), (("2", "data block"), ("2", "others")),
        (*plain(("Blocks Lost", "lost_blocks", COUNT)),
         *(part for title, key in (("CR", "cr"), ("Current", "current")) for part in grouped(
             title, ("Immed Blks Received", f"{key}_blocks", COUNT),
             ("% 2hop", f"{key}_two_hop_ratio", SHARE),
             ("% 3hop", f"{key}_three_hop_ratio", SHARE)))),
        also=({"source_instance": 2, "block_class": "data block"},
              {"source_instance": 2, "block_class": "others"}), new=True,
    ),
)  # fmt: skip


def _maker(drawn: Drawn) -> SheetMaker:
    def make(content: Content, _instance: Instance, dialect: Dialect) -> Sheet | None:
        return drawn.sheet(content, {}) if dialect.new or not drawn.new else None

    return make


def service_waits_sheet(_content: Content, instance: Instance, *_: Dialect) -> Sheet:
    """Service Wait Class Stats: two columns for each class."""
    classes = (("User I/O", "User I/O"), ("Concurcy", "Concurrency"), ("Admin", "Administrative"),
               ("Network", "Network"))  # fmt: skip
    columns = [Column("Service Name", left=True)]
    cells, said = [word("SYS$USERS")], []
    for place, (title, name) in enumerate(classes):
        waits, seconds = 1009119 * instance.number * place, 862 * place
        columns += [Column(f"{title} Total Wts"), Column(f"{title} Wt Time")]
        cells += [word(str(waits)), word(str(seconds))]
        said.append({
            "service": "SYS$USERS", "wait_class": name, "waits": Decimal(waits),
            "total_wait_s": Decimal(seconds),
        })  # fmt: skip
    return Sheet(
        "service_waits", "Service Wait Class Stats",
        "This table displays service wait class statistics. It displays user I/O total wait",
        tuple(columns), (Line(cells, said=tuple(said)),), anchor="3200",
    )  # fmt: skip


def efficiency_sheet(content: Content, _instance: Instance, *_: Dialect) -> Sheet:
    """Instance efficiency: two pairs in a row, and one in the last."""
    names = ("Buffer Nowait %", "Redo NoWait %", "Buffer  Hit   %", "In-memory Sort %",
             "Flash Cache Hit %")  # fmt: skip
    slugs = ("buffer_nowait", "redo_nowait", "buffer_hit", "in_memory_sort", "flash_cache_hit")
    shares = [
        percent(Decimal((content.snapshots.begin_id + place) % 101) / 100, 2) for place in range(5)
    ]
    cells = [(word(f"{name}:"), share) for name, share in zip(names, shares, strict=True)]
    said = [
        {"statistic": slug, "printed": " ".join(name.split()), "ratio": share.says}
        for slug, name, share in zip(slugs, names, shares, strict=True)
    ]
    lines = [
        Line([*cells[0], *cells[1]], said=(said[0], said[1])),
        Line([*cells[2], *cells[3]], said=(said[2], said[3])),
        Line([*cells[4]], said=(said[4],)),
    ]
    return Sheet(
        "efficiency", "Instance Efficiency Percentages (Target 100%)",
        "This table displays instance efficiency percentages",
        tuple(Column("") for _ in range(4)), tuple(lines), style="summary",
    )  # fmt: skip


def of_heading(heading: str, content: Content, instance: Instance) -> Sheet:
    """One of these sections, whatever the release."""
    drawn = next((each for each in _FOUND if each.heading == heading), None)
    return drawn.sheet(content, {}) if drawn else service_waits_sheet(content, instance)


ACTIVITY: tuple[SheetMaker, ...] = (
    *(_maker(drawn) for drawn in _FOUND), service_waits_sheet,
)  # fmt: skip
"""These sections, in the order in which they are put into the report."""
