"""Frames of a series of reports, made by hand: a load that changes, with a gap and a restart."""
# ruff: noqa: DTZ001 - reports print local times without a zone

from __future__ import annotations

import json
from datetime import datetime, timedelta

import polars as pl

from perfkit.analysis.awr.periods import columns
from perfkit.core.answers import Answer, Estimate, Subject
from perfkit.core.lineage import Measured

BEGIN = datetime(2026, 3, 9, 6, 0)
HALF_HOUR = timedelta(minutes=30)
BUCKETS = (0.0, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, None)
PARTS = ("DB CPU", "User I/O", "Commit", "Concurrency", "residual")


def framed(schema, rows):
    frame = pl.DataFrame(
        [{**dict.fromkeys(schema), **row} for row in rows], schema=dict(schema), orient="row"
    )
    return Measured(frame)


def times(count, *, gap=None, begin=BEGIN):
    """From when to when each period is; before the period ``gap`` two hours are missing."""
    starts = [begin + n * HALF_HOUR + (2 * timedelta(hours=1) if gap is not None and n >= gap
              else timedelta(0)) for n in range(count)]  # fmt: skip
    return [(start, start + HALF_HOUR) for start in starts]


def keys(count, history="ORA", **how):
    return [
        {"history": history, "report": f"awr_{n:03}", "begin_time": start, "end_time": end}
        for n, (start, end) in enumerate(times(count, **how))
    ]


def over_time(count=30, history="ORA", without=(), **how):
    """The load doubles in the last third, and with it what a commit waits."""
    rows = []
    for n, key in enumerate(keys(count, history, **how)):
        late = n >= 2 * count // 3
        rows.append({
            **key, "elapsed_s": 1800.0, "average_active_sessions": (4.0 if late else 2.0) + n % 3,
            "cpu_busy_ratio": 0.2 + (n % 5) / 50, "read_iops": 900.0 + 10 * n,
            "write_iops": 0.0, "iops": 900.0 + 10 * n, "read_bytes_per_s": 8e6 + 1e5 * n,
            "write_bytes_per_s": 1e6, "redo_bytes_per_s": 2e6, "commits_per_s": 500.0 if late
            else 0.02, "read_event": "db file sequential read", "read_wait_s": 0.0011,
            "read_waits": 1e5, "log_file_sync_s": 0.0061 if late else None,
            "log_file_parallel_write_s": 0.002,
        })  # fmt: skip
    rows = [{name: None if name in without else value for name, value in row.items()}
            for row in rows]  # fmt: skip
    return framed(columns.OVER_TIME, rows)


def periods(count=30, history="ORA", restart=None, left_out=(), **how):
    rows = [
        {**key, "source": f"day/{key['report']}.html", "db_id": 1, "instance": 1,
         "elapsed_s": 1800.0, "in_trend": True, "restart_before": n == restart,
         "gap_before_s": None if n == 0 else 0.0}
        for n, key in enumerate(keys(count, history, **how))
    ]  # fmt: skip
    rows += [
        {"history": history, "report": f"awr_x{n}", "source": f"day/awr_x{n}.html",
         "begin_time": None if why == "no_time" else BEGIN,
         "end_time": None if why == "no_time" else BEGIN + 4 * HALF_HOUR, "in_trend": False,
         "left_out": why, "left_out_for": "awr_003" if why == "same_period" else None}
        for n, why in enumerate(left_out)
    ]  # fmt: skip
    return framed(columns.PERIODS, rows)


def sessions(count=30, history="ORA", parts=PARTS, **how):
    rows = [
        {**key, "part": part, "average_active_sessions":
         (-0.2 if n % 4 == 0 else 0.3) if part == "residual" else 2.0 / (place + 1)}
        for n, key in enumerate(keys(count, history, **how))
        for place, part in enumerate(parts)
    ]  # fmt: skip
    return framed(columns.SESSIONS, rows)


def worst(count=30, history="ORA", ranks=5, **how):
    known = keys(count, history, **how)[-ranks:]
    different = [{"quantity": "commits_per_s", "value": 500.0, "median": 0.02},
                 {"quantity": "log_file_sync_s", "value": 0.0061, "median": 0.0052}]  # fmt: skip
    rows = [
        {**key, "source": f"day/{key['report']}.html", "rank": n + 1,
         "average_active_sessions": 6.0 - n / 10, "median_sessions": 3.0,
         "deviations": None if n == ranks - 1 else 3.5, "outlier": n < 2,
         "different": json.dumps(different[: 2 - n // 3])}
        for n, key in enumerate(known)
    ]  # fmt: skip
    return framed(columns.WORST, rows)


def bands(count=30, events=("db file sequential read", "log file sync"), history="ORA", **how):
    ends = {50.0: (0.0, 0.001), 95.0: (0.004, 0.008), 99.0: (0.032, None)}
    rows = [
        {**key, "event": event, "mean_s": 0.0015, "percent": percent, "lower_s": lower,
         "upper_s": upper}
        for event in events for key in keys(count, history, **how)
        for percent, (lower, upper) in ends.items()
    ]  # fmt: skip
    return framed(columns.BANDS, rows)


def histogram(count=30, event="db file sequential read", history="ORA", **how):
    rows = [
        {**key, "event": event, "lower_s": BUCKETS[place], "upper_s": BUCKETS[place + 1],
         "waits_ratio": 0.0 if place == 5 else 0.9 / 2**place}
        for key in keys(count, history, **how) for place in range(len(BUCKETS) - 1)
    ]  # fmt: skip
    return framed(columns.HISTOGRAM_OVER_TIME, rows)


def change(begin, end, history="ORA"):
    """An answer: the sessions were other than usual from begin to end."""
    key = (("history", history), ("begin", begin.isoformat()), ("end", end.isoformat()))
    return Answer("series_change", "average_active_sessions", Subject(history, key), "measured",
                  Estimate(6.0, "1"))  # fmt: skip
