"""Histories made by hand, and of the forged series' own counts, for tests of a series."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from perfkit.analysis.awr.periods.columns import OVER_TIME
from perfkit.analysis.awr.periods.episodes import History, histories

START = datetime(2026, 3, 2, 8)  # noqa: DTZ001 - a report names no zone
HALF_HOUR = 1800.0


def period(place: int, **known: Any) -> dict[str, Any]:
    """One row of ``OVER_TIME``; what is not given is null."""
    begin = START + timedelta(seconds=place * HALF_HOUR)
    row = dict.fromkeys(OVER_TIME) | {
        "history": "SHOP", "report": f"awr_{place}", "source": f"awr_{place}.html",
        "begin_time": begin, "end_time": begin + timedelta(seconds=HALF_HOUR),
        "elapsed_s": HALF_HOUR, "read_event": "db file sequential read",
    }  # fmt: skip
    return row | known


def history(rows: list[dict[str, Any]], listed: list[dict[str, float]] = ()) -> History:  # type: ignore[assignment]
    """A history of rows with ``parts``; ``listed`` has events and statements of each period."""
    sessions = [
        {"history": "SHOP", "report": row["report"], "begin_time": row["begin_time"],
         "part": name, "average_active_sessions": value}
        for row in rows for name, value in row.pop("parts", {}).items()
    ]  # fmt: skip
    names = [
        {"history": "SHOP", "source": row["source"], "name": name, "module": None,
         "kind": next((kind for kind in ("sql", "transport") if name.startswith(kind)), "event"),
         "wait_class": CLASSES.get(name),
         "sessions": value}
        for row, own in zip(rows, listed, strict=False) for name, value in own.items()
    ]  # fmt: skip
    (found,) = histories(rows, sessions, names)
    return found


CLASSES = {"db file sequential read": "User I/O", "log file sync": "Commit",
           "enq: TX - row lock contention": "Application",
           "RMAN backup & recovery I/O": "System I/O"}  # fmt: skip


def of_series(made: Any) -> History:
    """The history of a forged series, from what each half hour counted: nothing is read."""
    rows, listed = [], []
    for one in made.periods:
        if one.spans:
            continue
        counts, seconds = one.counts, one.counts.seconds

        def mean(event: str, counts: Any = counts) -> float:
            wait = counts.wait(event)
            return wait.time_us / wait.waits / 1e6

        waits = [wait for wait in counts.foreground if wait.wait_class != "Idle"]
        parts = {"DB CPU": counts.db_cpu_us / 1e6 / seconds,
                 "residual": counts.residual_us / 1e6 / seconds}  # fmt: skip
        for wait in waits:
            parts[wait.wait_class] = parts.get(wait.wait_class, 0) + wait.time_us / 1e6 / seconds
        write = counts.wait("log file parallel write")
        rows.append(period(
            one.number, parts=parts, average_active_sessions=counts.db_time_us / 1e6 / seconds,
            cpu_sessions=parts["DB CPU"], residual_sessions=parts["residual"],
            transactions_per_s=counts.transactions / seconds,
            commits_per_s=counts.commits / seconds, cpu_busy_ratio=counts.busy_cpus / 16,
            read_wait_s=mean("db file sequential read"), log_file_sync_s=mean("log file sync"),
            log_file_parallel_write_s=mean("log file parallel write"),
            log_writer_busy_ratio=write.time_us / 1e6 / seconds, read_waits=1e6,
            log_file_syncs=1e6,
        ))  # fmt: skip
        listed.append(
            {wait.event: wait.time_us / 1e6 / seconds for wait in waits}
            | {f"sql {ran.statement.sql_id}": _elapsed(counts, ran) / seconds
               for ran in counts.statements}
        )  # fmt: skip
    return history(rows, listed)


def _elapsed(counts: Any, ran: Any) -> float:
    """A statement's CPU, reads and locks, in seconds."""
    from forges.awr.series.counting import lock_us

    read = counts.wait("db file sequential read")
    return (ran.cpu_us + ran.singles * read.time_us / read.waits + lock_us(counts, ran)) / 1e6
