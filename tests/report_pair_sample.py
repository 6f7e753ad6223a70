"""The tables of two AWR reports, made by hand: the new one has twice the IOPS at half the wait."""

from __future__ import annotations

import datetime as dt

import polars as pl

from perfkit.analysis.compare.report_changes import report_changes
from perfkit.analysis.compare.report_pair import report_pair
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured, Reading
from perfkit.showing.statements.say import say

TRACED = Lineage((Evidence("awr", "a.html", "00"),), (), traceable=True)
READ, LOG = "db file sequential read", "log file parallel write"


def of(*rows, **common):
    names = list(dict.fromkeys(name for row in rows for name in (*row, *common)))
    return Measured(
        pl.DataFrame(
            [{name: {**common, **row}.get(name) for name in names} for row in rows],
            infer_schema_length=None,
        ),
        TRACED,
    )


def at(text):
    return dt.datetime.fromisoformat(text)


OLD = {
    "source": "awr/old.html", "db_name": "ORA", "db_id": 7, "release": "12.2.0.1.0", "cpus": 32,
    "begin_time": at("2026-01-05T09:00"), "end_time": at("2026-01-05T10:00"),
    "elapsed_s": 3600.0, "db_time_s": 7200.0,
}  # fmt: skip
NEW = {
    **OLD, "source": "awr/new.html", "release": "19.0.0.0.0", "cpus": 48,
    "begin_time": at("2026-02-05T09:00"), "end_time": at("2026-02-05T09:30"),
    "elapsed_s": 1800.0, "db_time_s": 1800.0,
}  # fmt: skip
BOTH = ("awr/old.html", "awr/new.html")


def tables(old=None, new=None, **changed):
    """The tables of two reports: the new one has twice the IOPS at half the wait."""
    heads = of({**OLD, **(old or {})}, {**NEW, **(new or {})}, instances_in_report=None,
               begin_text=None, end_text=None)  # fmt: skip

    def two(one, other, **common):
        return of({"source": BOTH[0], **one}, {"source": BOTH[1], **other}, **common)

    made = {
        "report": heads,
        "load_points": two(
            {"iops": 1000.0, "bw_bytes_per_s": 8192000.0, "cpu_busy_ratio": 0.4},
            {"iops": 2000.0, "bw_bytes_per_s": 16384000.0, "cpu_busy_ratio": 0.5},
            direction="total",
        ),
        "load_profile": two(
            {"per_s": 120.5, "per_transaction": 2.0}, {"per_s": 241.0, "per_transaction": 2.0},
            statistic="user_calls", printed="User calls:", unit="1",
        ),
        "system_statistics": of({"source": BOTH[0], "instance": None}),
        "iops_source": two({}, {}, section="IO Profile", counts="total", used=True),
        "top_events": two({}, {}, event=READ, wait_class="User I/O"),
        "wait_events": of(
            {"source": BOTH[0], "event": READ, "waits": 1e6, "total_wait_s": 1000.0,
             "db_time_ratio": 0.1389},
            {"source": BOTH[1], "event": READ, "waits": 1e6, "total_wait_s": 500.0,
             "db_time_ratio": 0.2778},
            {"source": BOTH[1], "event": "log file sync", "waits": 1e5, "total_wait_s": 200.0,
             "db_time_ratio": 0.1111},
            {"source": BOTH[1], "event": "SQL*Net message from client", "waits": 1e5,
             "total_wait_s": 9e5, "db_time_ratio": None},
            {"source": BOTH[0], "event": LOG, "waits": 1e5, "total_wait_s": 200.0,
             "scope": "background"},
            {"source": BOTH[1], "event": LOG, "waits": 1e5, "total_wait_s": 250.0,
             "scope": "background"},
            scope="foreground", level="instance", instance=1, avg_wait_s=None,
        ),
        "wait_classes": of(
            {"source": BOTH[0], "wait_class": "User I/O", "db_time_ratio": 0.139},
            {"source": BOTH[0], "wait_class": "DB CPU", "db_time_ratio": 0.8},
            {"source": BOTH[1], "wait_class": "User I/O", "db_time_ratio": 0.389},
            {"source": BOTH[1], "wait_class": "DB CPU", "db_time_ratio": 0.6},
            total_wait_s=None, scope="foreground", level="instance", instance=1,
        ),
        "sql": of(
            {"source": BOTH[0], "sql_id": "slow", "elapsed_s": 3600.0, "ordered_by": "elapsed"},
            {"source": BOTH[1], "sql_id": "slow", "elapsed_s": 900.0, "ordered_by": "elapsed"},
            {"source": BOTH[1], "sql_id": "other", "elapsed_s": 90.0, "ordered_by": "elapsed"},
            {"source": BOTH[1], "sql_id": "gets", "elapsed_s": 1e6, "ordered_by": "gets"},
            level="instance", instance=1, module="job",
        ),
        "parameters": of(
            {"source": BOTH[0], "parameter": "sga_target", "value": "1"},
            {"source": BOTH[1], "parameter": "sga_target", "value": "2"},
            {"source": BOTH[0], "parameter": "processes", "value": "400"},
            {"source": BOTH[1], "parameter": "processes", "value": "400"},
            {"source": BOTH[1], "parameter": "open_links", "value": "15"},
            {"source": BOTH[1], "parameter": "_hidden", "value": "x"},
        ),
    }  # fmt: skip
    return {**made, **changed}


def pair(given=None, **options):
    reading = Reading({**(given or tables())}, TRACED.evidence[0])
    return report_pair(reading, **options)


def said(found):
    """The sentences of what changed, by their ids."""
    return {value.id: value.text for value in say(report_changes(found))}


def row(found, part, item, measure):
    (one,) = found.filter(part=part, item=item, measure=measure).frame.rows(named=True)
    return one
