"""Rows of an AWR or Statspack reading: of one report, its instances, and classes of events."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.keys import file_of
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row


def rows_of(data: Measured, what: str, columns: Sequence[str]) -> list[Row]:
    """The rows of a table of one report; AnalysisError for none, or for those of several."""
    require_columns(data.frame, columns, what)
    rows = data.frame.rows(named=True)
    if not rows:
        raise lacking(what)
    sources = sorted({str(file_of(row)) for row in rows})
    if len(sources) > 1:
        raise AnalysisError(
            f"{what}: rows of several reports, which are never added up; choose one "
            f"(where(source=...), or -p report=...): {', '.join(sources)}"
        )
    return rows


_NAMES = {
    "event_histogram": "histograms of waits", "host_cpu": "host CPU",
    "io_by_function": "I/O by function", "io_profile": "I/O profile",
    "iops_source": "I/O requests per second", "memory": "sizes of memory",
    "pga": "memory of processes (PGA)", "redo_log": "redo statistics",
    "segments": "segment statistics", "sql": "SQL", "top_events": "top timed events",
}  # fmt: skip
"""What tables are called in print; others have the name of the table."""


def lacking(what: str) -> AbsentError:
    """The error that a report has nothing of a table, or of what is named."""
    name = _NAMES.get(what, what.replace("_", " "))
    return AbsentError(f"the report has no {name}", lacks=name)


def chosen_events(events: Measured, scope: str | None, instance: int | None) -> list[Row]:
    """The top events of one instance or of the cluster, in the report's order.

    ``scope`` None takes all events where the report has them, else the foreground's. An event whose
    wait class is not printed has that of ``classes_of``: Statspack lists idle events among them.
    """
    rows = rows_of(events, "top_events", ("level", "instance", "scope", "event", "total_wait_s"))
    cluster = any(row["level"] == "cluster" for row in rows)
    own = [
        row
        for row in rows
        if (
            row["instance"] == instance
            if instance is not None
            else row["level"] == "cluster" or not cluster
        )
    ]
    scopes = [row["scope"] for row in own]
    taken = scope or ("all" if "all" in scopes else "foreground")
    found = [row for row in own if row["scope"] == taken]
    if not found:
        raise AbsentError(f"top_events: none of scope {taken!r} for instance {instance}")
    classes = classes_of(found)
    return [row | {"wait_class": classes.get(row["event"])} for row in found]


USER_IO = frozenset({
    "BFILE read", "Datapump dump file I/O", "Disk file Mirror Read", "Disk file operations I/O",
    "cell list of blocks physical read", "cell multiblock physical read",
    "cell physical read no I/O", "cell single block physical read", "cell smart file creation",
    "cell smart index scan", "cell smart table scan", "cell statistics gather",
    "db file parallel read", "db file scattered read", "db file sequential read",
    "db file single write", "dbms_file_transfer I/O", "direct path read", "direct path read temp",
    "direct path sync", "direct path write", "direct path write temp", "external table read",
    "external table write", "local write wait", "read by other session",
    "securefile direct-read completion", "securefile direct-write completion", "utl_file I/O",
})  # fmt: skip
"""Events of Oracle's class User I/O, by name (V$EVENT_NAME).

The foreground events of a report of one instance, and of Statspack, stand without a class.
"""


IDLE = frozenset({
    "ASM background timer", "DBWR timer", "Data Guard: Gap Manager", "Data Guard: Timer",
    "EMON slave idle wait", "Emon coordinator main loop", "Emon slave main loop", "GCR sleep",
    "HS message to agent", "JOX Jit Process Sleep", "JS external job", "KSV master wait",
    "LGWR real time apply sync", "LNS ASYNC archive log", "LNS ASYNC dest activation",
    "LNS ASYNC end of log", "LogMiner builder: branch", "LogMiner client: transaction",
    "LogMiner: activate", "LogMiner: find session", "LogMiner: internal", "LogMiner: other",
    "LogMiner: reset", "Logical Standby Apply Delay", "MRP redo arrival", "Null event", "PING",
    "PL/SQL lock timer", "PX Deq: Execute Reply", "PX Deq: Execution Msg",
    "PX Deq: Index Merge Close", "PX Deq: Index Merge Execute", "PX Deq: Index Merge Reply",
    "PX Deq: Join ACK", "PX Deq: Msg Fragment", "PX Deq: Parse Reply", "PX Deq: Table Q Normal",
    "PX Deq: Table Q Sample", "PX Deq: Txn Recovery Reply", "PX Deq: Txn Recovery Start",
    "PX Deque wait", "PX Idle Wait", "REPL Apply: txns", "REPL Capture/Apply: messages",
    "REPL Capture: archive log", "Recovery Server Servlet wait", "Recovery Server Surrogate wait",
    "Recovery Server waiting for work", "SGA: MMAN sleep for component shrink",
    "SQL*Net message from client", "SQL*Net vector message from client",
    "Streams AQ: waiting for messages in the queue",
    "Streams AQ: waiting for time management or cleanup tasks",
    "Streams capture: waiting for archive log", "Streams fetch slave: waiting for txns",
    "VKTM Init Wait for GSGA", "class slave wait", "client message", "dispatcher timer",
    "fbar timer", "gcs for action", "gcs remote message", "ges remote message", "gopp msggopp msg",
    "heartbeat monitor sleep", "heartbeat redo informer", "i/o slave wait", "imco timer",
    "iowp file id", "iowp msg", "jobq slave wait", "lock manager wait for remote message",
    "lreg timer", "master wait", "netp network", "null event", "parallel query dequeue",
    "parallel recovery control message reply", "pipe get", "pman timer", "pmon timer",
    "process in prespawned state", "queue messages", "rdbms ipc message",
    "simulated log write delay", "single-task message", "slave wait", "smon timer",
    "virtual circuit next request", "virtual circuit status",
    "wait for unread message on broadcast channel",
    "wait for unread message on multiple broadcast channels", "wakeup time manager",
    "watchdog main loop",
})  # fmt: skip
"""Events of Oracle's class Idle, by name (V$EVENT_NAME), beside those that are called idle."""

_CUT = 22
"""Letters of a name from which on it may have been cut off: Statspack prints 26 and more."""


def is_idle(event: str) -> bool:
    """Whether an event is of class Idle by its name, which Statspack may have cut off.

    Statspack prints a share of call time for idle events that came with a later release.
    """
    return (
        event in IDLE
        or re.search(r"\bidle\b", event, re.I) is not None
        or (len(event) >= _CUT and any(name.startswith(event) for name in IDLE))
    )


def no_idle(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a frame whose event is not idle."""
    idle = [name for name in frame["event"].unique().to_list() if name and is_idle(name)]
    return frame.filter(~frame["event"].is_in(idle))


def classes_of(*tables: Sequence[Row]) -> dict[str, str]:
    """The wait class of each event: of the first table that prints one, else by the event's name.

    An event that is in none of them with a class, nor known by its name, is not in it.
    """
    found: dict[str, str] = {}
    for row in (row for rows in tables for row in rows):
        if row.get("wait_class") is not None:
            found.setdefault(row["event"], row["wait_class"])
    names = {row["event"] for rows in tables for row in rows}
    idle = [name for name in names if name is not None and is_idle(name)]
    return {**dict.fromkeys(names & USER_IO, "User I/O"), **dict.fromkeys(idle, "Idle"), **found}


_NO_READS = frozenset({"cell physical read no I/O", "read by other session"})
"""Events with that word that are not a read of the session's own."""


def is_read(event: str) -> bool:
    """Whether an event of User I/O is named a read: its mean wait is then a read latency."""
    return event not in _NO_READS and re.search(r"\b(read|scan)\b", event, re.I) is not None


def reads_among(*tables: Sequence[Row]) -> list[str]:
    """The reads of User I/O among the events of some tables, by their classes."""
    classes = classes_of(*tables)
    return sorted(name for name, kind in classes.items() if kind == "User I/O" and is_read(name))


def main_io_event(waits: Measured, top_events: Measured | None = None) -> str | None:
    """The read of User I/O that most reports' foreground waited longest on; None where none is.

    It names what to show. Nothing is added up over reports: each has one vote, and of events with
    as many votes the first by name is taken.

    Args:
        waits: The wait events of one or more reports.
        top_events: Their top events, which print wait classes where the wait events have none.
    """
    votes = Counter(longest_reads(waits, top_events).values())
    return min(votes, key=lambda event: (-votes[event], event), default=None)


def longest_reads(waits: Measured, top_events: Measured | None = None) -> dict[str | None, str]:
    """The read of User I/O that the foreground of each report waited longest on, by file."""
    require_columns(waits.frame, ("scope", "event", "wait_class", "total_wait_s"), "wait_events")
    rows = waits.frame.rows(named=True)
    top = [] if top_events is None else top_events.frame.rows(named=True)
    reads = frozenset(reads_among(rows, top))
    longest: dict[str | None, tuple[float, str]] = {}
    for row in rows:
        if row["scope"] != "foreground" or row["event"] not in reads:
            continue
        own = (-(row["total_wait_s"] or 0.0), row["event"])
        name = file_of(row)
        longest[name] = min(longest.get(name, own), own)
    return {name: event for name, (_, event) in longest.items()}


PER_SECOND = (
    "logical_reads_blocks_per_s", "physical_reads_blocks_per_s", "physical_writes_blocks_per_s",
    "redo_bytes_per_s", "block_changes_per_s", "user_calls_per_s", "executes_per_s",
    "parses_per_s", "logons_per_s", "transactions_per_s",
)  # fmt: skip


@step(version=1, name="awr.over_instances")
def over_instances(system: Measured) -> pl.DataFrame:
    """The rates of each instance of one report, and below several their Sum, Avg and Std.

    Std is the sample standard deviation, as Oracle prints it. A rate that is not known of every
    instance has none of the three.

    Returns:
        ``of`` (the instance, "–" where the report has no number of it, Sum, Avg, Std) and the rates
        ``PER_SECOND``.

    Raises:
        AnalysisError: No rows, or those of several reports.
    """
    rows_of(system, "system_statistics", ("instance", *PER_SECOND))
    each = system.frame.select(
        pl.col("instance").cast(pl.String).fill_null("–").alias("of"),
        *(pl.col(name).cast(pl.Float64) for name in PER_SECOND),
    )
    if each.height <= 1:
        return each
    together = [
        each.select(
            pl.lit(label).alias("of"),
            *(
                pl.when(pl.col(name).null_count() == 0).then(how(pl.col(name))).alias(name)
                for name in PER_SECOND
            ),
        )
        for label, how in _TOGETHER
    ]
    return pl.concat([each, *together])


_TOGETHER: tuple[tuple[str, Callable[[pl.Expr], pl.Expr]], ...] = (
    ("Sum", pl.Expr.sum), ("Avg", pl.Expr.mean), ("Std", pl.Expr.std),
)  # fmt: skip
