"""Who waited for what: samples of active sessions, services, locks, undo, ADDM's findings."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import Section, columns

_SQL = columns(
    words={
        "sql_id": "sqlid",
        "plan_hash": "planhash",
        "event": "event topevent",
        "row_source": "toprowsource rowsource",
        "container": "containername pdbname",
    },
    count={"executions": "executions"},
    percent={
        "activity_ratio": "%activity",
        "event_ratio": "%event",
        "row_source_ratio": "%rowsource",
    },
    verbatim={"text": "sqltext"},
)

_BY_EVENT = (
    "SQL ID! | Plan Hash | Executions | % Activity! | Event! | % Event! | Top Row Source | "
    "% Row Source"
)
_BY_ROW_SOURCE = (
    "SQL ID! | Plan Hash | Executions | % Activity! | Row Source! | % Row Source! | Top Event! | "
    "% Event!"
)
"""Text: two lines, below which the SQL text stands."""

_CLASSES = {"User I/O": "useri/o", "Concurrency": "concurcy", "Administrative": "admin",
            "Network": "network"}  # fmt: skip
"""The classes of Service Wait Class Stats, and how its columns call them."""

SECTIONS: tuple[Section, ...] = (
    Section(
        "ash_events", ("ash_events",),
        titles=("Top Events",),
        summaries=("This table shows the top events",),
        required=("event", "%activity", "avgactivesessions"),
        headers=(
            "Event! | Event Class | Session Type | % Activity! | Avg Active Sessions!",
        ),
        columns=columns(
            words={"event": "event", "session_type": "sessiontype"},
            wait_class={"wait_class": "eventclass"},
            percent={"activity_ratio": "%activity"},
            number={"average_active_sessions": "avgactivesessions"},
        ),
    ),
    Section(
        "ash_sql_by_event", ("ash_sql",),
        titles=("Top SQL with Top Events",),
        summaries=("This table displays the Top SQL by Top Wait Events",),
        required=("sqlid", "event", "%event"),
        headers=(_BY_EVENT, f"{_BY_EVENT} | Container Name"),
        columns=_SQL,
        constants={"listed_by": "event"},
    ),
    Section(
        "ash_sql_by_row_source", ("ash_sql",),
        titles=("Top SQL with Top Row Sources",),
        summaries=("This table display the Top SQLs with Top Row Sources",),
        required=("sqlid", "rowsource", "%rowsource"),
        headers=(_BY_ROW_SOURCE, f"{_BY_ROW_SOURCE} | Container Name"),
        columns=_SQL,
        constants={"listed_by": "row_source"},
    ),
    Section(
        "ash_activity", ("ash_activity",), "ash_activity",
        titles=("Activity Over Time",),
        summaries=("This table show the activity in ASH over time",),
        required=("slottime(duration)", "event", "eventcount"),
        headers=(
            "Slot Time (Duration) | Slot Count | Event! | Event Count! | % Event!",
        ),
        columns=columns(
            verbatim={"slot_text": "slottime(duration)"},
            words={"event": "event"},
            count={"slot_samples": "slotcount", "samples": "eventcount"},
            percent={"activity_ratio": "%event"},
        ),
    ),
    Section(
        "services", ("services",),
        titles=("Service Statistics",),
        summaries=("This table displays service statistics",),
        required=("servicename", "dbtime"),
        headers=(
            "Service Name! | DB Time (s)! | DB CPU (s)! | Physical Reads (K)! | Logical Reads (K)!",
        ),
        columns=columns(
            words={"service": "servicename"},
            seconds={"db_time_s": "dbtime", "db_cpu_s": "dbcpu"},
            thousands={
                "physical_reads_blocks": "physicalreads(k)", "logical_reads_blocks":
                "logicalreads(k)",
            },
        ),
    ),
    Section(
        "service_waits", ("service_waits",), "service_waits",
        titles=("Service Wait Class Stats",),
        summaries=("This table displays service wait class statistics",),
        required=("servicename", "useri/owttime"),
        headers=(
            "Service Name! | User I/O Total Wts! | User I/O Wt Time! | Concurcy Total Wts! | "
            "Concurcy Wt Time! | Admin Total Wts! | Admin Wt Time! | Network Total Wts! | "
            "Network Wt Time!",
        ),
        columns=columns(
            words={"service": "servicename"},
            count={f"{name}|waits": f"{printed}totalwts" for name, printed in _CLASSES.items()},
            number={f"{name}|total_wait_s": f"{printed}wttime" for name, printed in
                    _CLASSES.items()},
        ),
    ),
    Section(
        "buffer_waits", ("buffer_waits",),
        titles=("Buffer Wait Statistics",),
        summaries=("This table displays buffer wait statistics",),
        required=("class", "waits"),
        headers=(
            "Class! | Waits! | Total Wait Time (s)! | Avg Time (ms)!",
        ),
        columns=columns(
            words={"block_class": "class"},
            count={"waits": "waits"},
            seconds={"total_wait_s": "totalwaittime", "avg_wait_s": "avgtime"},
        ),
    ),
    Section(
        "enqueues", ("enqueues",),
        titles=("Enqueue Activity",),
        summaries=("This table displays enqueue activity statistics",),
        required=("enqueuetype(requestreason)", "waits"),
        headers=(
            "Enqueue Type (Request Reason)! | Requests! | Succ Gets! | Failed Gets! | Waits! | "
            "Wt Time (s)! | Av Wt Time(ms)!",
        ),
        columns=columns(
            words={"enqueue": "enqueuetype(requestreason)"},
            count={
                "requests": "requests", "successful_gets": "succgets", "failed_gets": "failedgets",
                "waits": "waits",
            },
            seconds={"total_wait_s": "wttime", "avg_wait_s": "avwttime"},
        ),
    ),
    Section(
        "undo", ("undo",), "undo",
        titles=("Undo Segment Summary",),
        summaries=("This table displays undo segment summary",),
        required=("undots#", "numberoftransactions"),
        headers=(
            "Undo TS#! | Num Undo Blocks (K)! | Number of Transactions! | Max Qry Len (s)! | "
            "Max Tx Concurcy! | Min/Max TR (mins)! | STO/ OOS! | uS/uR/uU/ eS/eR/eU!",
        ),
        columns=columns(
            number={"undo_tablespace_number": "undots#"},
            thousands={"undo_blocks": "numundoblocks(k)"},
            count={
                "transactions": "numberoftransactions",
                "most_concurrent_transactions": "maxtxconcurcy",
            },
            seconds={"longest_query_s": "maxqrylen"},
            words={"retention": "min/maxtr", "failures": "sto/oos"},
        ),
        ignored=("us/ur/uu/es/er/eu",),
    ),
    Section(
        "addm_findings", ("addm_findings",), "addm",
        titles=("ADDM Findings",),
        summaries=("This table displays top ADDM findings by average active sessions",),
        required=("findingname", "taskname"),
        html_only=True,
        columns=columns(
            words={
                "finding": "findingname", "task": "taskname", "begin_text": "beginsnaptime",
                "end_text": "endsnaptime",
            },
            number={"task_average_active_sessions": "avgactivesessionsofthetask"},
            percent={"finding_ratio": "percentactivesessionsoffinding"},
        ),
    ),
    Section(
        "efficiency", ("efficiency",), "efficiency",
        titles=("Instance Efficiency Percentages*", "Instance Efficiency Indicators"),
        summaries=("This table displays instance efficiency percentages",),
    ),
)  # fmt: skip
"""What ADDM's findings look like as text is not known."""
