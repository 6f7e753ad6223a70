"""Tables on who waited for what: samples of active sessions, services, locks, undo, findings.

Sources of the meanings: the notes that the reports print above these tables, and the views of
Oracle's Database Reference that they are taken from (V$ACTIVE_SESSION_HISTORY, V$SERVICE_STATS,
V$SERVICE_WAIT_CLASS, V$WAITSTAT, V$ENQUEUE_STATISTICS, V$UNDOSTAT, DBA_ADDM_FINDINGS).
"""

from __future__ import annotations

from perfkit.core.schema import Schema, moment, number, text
from perfkit.sources.awr.schema_fields import LEVEL

_ACTIVITY = number("share of all samples of active sessions")
_EVENT = text("event, or CPU + Wait for CPU")

ASH_EVENTS: Schema = {
    **LEVEL,
    "event": _EVENT,
    "wait_class": text("wait class; CPU"),
    "session_type": text("FOREGROUND or BACKGROUND"),
    "activity_ratio": _ACTIVITY,
    "average_active_sessions": number("as printed"),
}
"""What the sampled sessions did. Samples are taken every 10 s: what is short is rarely seen."""

ASH_SQL: Schema = {
    **LEVEL,
    "listed_by": text("event or row_source: the table that the row stands in"),
    "sql_id": text("SQL id"),
    "plan_hash": text("hash value of the plan; null where none is known"),
    "executions": number("executions that were sampled"),
    "activity_ratio": number("share of all samples: of the statement"),
    "event": text("event in which most samples of the row are"),
    "event_ratio": number("share of all samples: of the statement in this event"),
    "row_source": text("step of the plan in which most samples of the row are"),
    "row_source_ratio": number("share of all samples: of the statement in this step"),
    "container": text("pluggable database"),
    "text": text("beginning of the SQL text, as printed"),
}
"""The statements most often found active: by event, and by step of the plan."""

ASH_ACTIVITY: Schema = {
    **LEVEL,
    "slot_text": text("begin and length of the slot as printed: 13:35:00   (5.0 min)"),
    "slot_time": text("its begin, without a date"),
    "slot_duration_s": number("its length; null where a length below 0 is printed", "s"),
    "slot_samples": number("samples of active sessions in the slot"),
    "event": _EVENT,
    "samples": number("of them, in this event"),
    "activity_ratio": _ACTIVITY,
}
"""Samples of active sessions over time, with the three events of each slot that have most."""

SERVICES: Schema = {
    **LEVEL,
    "service": text("service that the sessions were connected by"),
    "db_time_s": number("DB time", "s"),
    "db_cpu_s": number("CPU time of it", "s"),
    "physical_reads_blocks": number("blocks read from storage; printed in thousands"),
    "logical_reads_blocks": number("blocks read from the cache; printed in thousands"),
}

SERVICE_WAITS: Schema = {
    **LEVEL,
    "service": SERVICES["service"],
    "wait_class": text("User I/O, Concurrency, Administrative or Network: no others are printed"),
    "waits": number("waits"),
    "total_wait_s": number("time waited in all", "s"),
}

BUFFER_WAITS: Schema = {
    **LEVEL,
    "block_class": text("kind of block: data block, undo header, segment header ..."),
    "waits": number("waits for a buffer that others held"),
    "total_wait_s": number("time waited in all", "s"),
    "avg_wait_s": number("mean wait as printed, in whole milliseconds", "s"),
}

ENQUEUES: Schema = {
    **LEVEL,
    "enqueue": text("type and reason of the lock: TX-Transaction (row lock contention)"),
    "requests": number("requests"),
    "successful_gets": number("requests that got the lock"),
    "failed_gets": number("requests that did not"),
    "waits": number("waits"),
    "total_wait_s": number("time waited in all", "s"),
    "avg_wait_s": number("mean wait as printed", "s"),
}
"""Locks, of which only those are printed that were waited for."""

UNDO: Schema = {
    **LEVEL,
    "undo_tablespace_number": number("number of the undo tablespace"),
    "undo_blocks": number("blocks of undo used; printed in thousands"),
    "transactions": number("transactions"),
    "longest_query_s": number("longest query", "s"),
    "most_concurrent_transactions": number("most transactions at a time"),
    "retention_min_s": number("shortest retention that Oracle set by itself", "s"),
    "retention_max_s": number("longest retention that Oracle set by itself", "s"),
    "snapshot_too_old": number("queries that ended with ORA-01555, snapshot too old"),
    "out_of_space": number("transactions that found no space for undo"),
}

ADDM_FINDINGS: Schema = {
    **LEVEL,
    "finding": text("what ADDM, Oracle's own advisor, found: a claim of its own"),
    "task": text("the run of ADDM"),
    "task_average_active_sessions": number("average active sessions that the run looked at"),
    "finding_ratio": number("share of them that the finding is about"),
    "begin_time": moment("begin of the run's period"),
    "end_time": moment("end of the run's period"),
    "begin_text": text("the same as printed"),
    "end_text": text("the same as printed"),
}

EFFICIENCY: Schema = {
    **LEVEL,
    "statistic": text("buffer_nowait, buffer_hit, library_hit, soft_parse, redo_nowait ..."),
    "printed": text("the row's name as printed"),
    "ratio": number("the share as printed; not a measure of speed"),
}
