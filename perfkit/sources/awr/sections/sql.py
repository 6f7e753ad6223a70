"""SQL statements in the orders of a report."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import INSTANCE, Section, columns

SQLS = columns(
    seconds={
        "elapsed_s": "elapsedtime elapsdtime",
        "cpu_s": "cputime",
        "user_io_s": "useri/otime",
        "per_exec": "elapsedtimeperexec elapperexec cpuperexec uioperexec",
    },
    count={
        "executions": "executions",
        "buffer_gets": "buffergets",
        "physical_reads_blocks": "physicalreads physicalrds",
        "read_requests": "physicalreadreqs",
        "unoptimized_read_requests": "unoptimizedreadreqs",
        "rows": "rowsprocessed",
    },
    number={
        "per_exec": (
            "getsperexec readsperexec rdsperexec rowsperexec unoptimizedreqsperexec "
            "unoptimizedreqsperexe"
        ),
    },
    percent={"total_ratio": "%total %totaldbtime", "cpu_ratio": "%cpu", "io_ratio": "%io"},
    words={"sql_id": "sqlid oldhashvalue hashvalue", "module": "sqlmodule", "container": "pdbname"},
    verbatim={"text": "sqltext"},
)

_ORDERS = (
    # name, heading (SQL ordered by ...), summary (top SQL by ...), heading of RAC's list
    ("elapsed", "Elapsed Time", "elapsed time", "Elapsed Time"),
    ("cpu", "CPU Time", "CPU time", "CPU Time"),
    ("user_io", "User I/O Wait Time", "user I/O time", "User I/O Time"),
    ("gets", "Gets", "buffer gets", "Gets"),
    ("reads", "Reads", "physical reads", "Reads"),
    (
        "unoptimized",
        "Physical Reads (UnOptimized)",
        "unoptimized read requests",
        "UnOptimized Read Requests",
    ),
    ("executions", "Executions", "number of executions", "Executions"),
)
_OTHER_HEADINGS = {"cpu": ("SQL ordered by CPU",)}

_GLOBAL = columns(
    words={"sql_id": "sqlid", "module": "sqlmodule", "container": "pdbname"},
    seconds={
        "elapsed_s": "elapsed elapsedtime",
        "cpu_s": "cpu cputime",
        "user_io_s": "iowait iotime",
    },
    count={
        "buffer_gets": "gets",
        "physical_reads_blocks": "reads",
        "unoptimized_read_requests": "unoptimizedreads unoptreads unoptimized",
        "read_requests": "requests",
        "rows": "rows",
        "executions": "execs executions",
    },
    verbatim={"text": "sqltext"},
)
"""RAC-global, by the order of columns that a parser of such reports is written for (kairos)."""

_SHARES = "%Total | Elapsed Time (s) | %CPU | %IO | SQL Id"
_OLD_SHARES = "%Total | CPU Time (s) | Elapsed Time (s) | SQL Id"
_HASHES = "%Total | CPU Time (s) | Elapsd Time (s) |"
_HEADERS = {
    "elapsed": (
        "Elapsed Time (s) | Executions | Elapsed Time per Exec (s) | %Total | %CPU | %IO | SQL Id",
        "Elapsed Time (s) | CPU Time (s) | Executions | Elap per Exec (s) | % Total DB Time | "
        "SQL Id",
        "Elapsed Time (s) | Executions | Elap per Exec (s) | %Total | CPU Time (s) | "
        "Physical Reads | Old Hash Value",
    ),
    "cpu": (
        f"CPU Time (s) | Executions | CPU per Exec (s) | {_SHARES}",
        "CPU Time (s) | Elapsed Time (s) | Executions | CPU per Exec (s) | % Total DB Time | "
        "SQL Id",
        "CPU Time (s) | Executions | CPU per Exec (s) | %Total | Elapsd Time (s) | Buffer Gets | "
        "Old Hash Value",
    ),
    "user_io": (f"User I/O Time (s) | Executions | UIO per Exec (s) | {_SHARES}",),
    "gets": (
        f"Buffer Gets | Executions | Gets per Exec | {_SHARES}",
        f"Buffer Gets | Executions | Gets per Exec | {_OLD_SHARES}",
        f"Buffer Gets | Executions | Gets per Exec | {_HASHES} Old Hash Value",
    ),
    "reads": (
        f"Physical Reads | Executions | Reads per Exec | {_SHARES}",
        f"Physical Reads | Executions | Reads per Exec | {_OLD_SHARES}",
        f"Physical Rds | Executions | Rds per Exec | {_HASHES} Hash Value",
        f"Physical Rds | Executions | Rds per Exec | {_HASHES} Old Hash Value",
        f"Physical Reads | Executions | Reads per Exec | {_HASHES} Old Hash Value",
    ),
    "unoptimized": (
        "UnOptimized Read Reqs | Physical Read Reqs | Executions | UnOptimized Reqs per Exe | "
        "%Opt | %Total | SQL Id",
    ),
    "executions": (
        "Executions | Rows Processed | Rows per Exec | Elapsed Time (s) | %CPU | %IO | SQL Id",
        "Executions | Rows Processed | Rows per Exec | CPU per Exec (s) | Elap per Exec (s) | "
        "SQL Id",
        "Executions | Rows Processed | Rows per Exec | CPU per Exec (s) | Elap per Exec (s) | "
        "Old Hash Value",
    ),
}  # fmt: skip
"""Order -> the headers of its list in text reports."""

_LEADING = {
    "elapsed": ("Elapsed (s)",), "cpu": ("CPU (s)",), "user_io": ("IOWait (s)",),
    "gets": ("Gets", "Reads"), "reads": ("Reads", "Gets"),
    "unoptimized": ("UnOptimized", "Requests", "Reads"), "executions": ("Execs",),
}  # fmt: skip
_FOLLOWING = (
    "Elapsed (s)", "CPU (s)", "IOWait (s)", "Gets", "Reads", "Rows", "Cluster (s)", "Execs"
)  # fmt: skip
_SHARES_OF = {
    "Elapsed (s)": "DB time", "CPU (s)": "DB CPU", "IOWait (s)": "IO Wait",
    "Cluster (s)": "Cluster",
}  # fmt: skip


def _global_header(*leading: str) -> str:
    """The header of a list of a cluster as text: what it is ordered by stands first."""
    left_out = {*leading, *(("Gets",) if "UnOptimized" in leading else ())}
    names = [*leading, *(name for name in _FOLLOWING if name not in left_out)]
    groups = {
        "Total": names,
        "Per Execution": [name for name in names if name != "Execs"],
        "Percentage of Total": [_SHARES_OF.get(name, name) for name in names if name != "Rows"],
    }
    return " | ".join(
        ["SQL Id", *(f"{group}/{name}" for group in groups for name in groups[group])]
    )


SECTIONS: tuple[Section, ...] = (
    *(
        Section(
            f"sql_by_{order}", ("sql",), "sql",
            titles=(f"SQL ordered by {heading}", *_OTHER_HEADINGS.get(order, ())),
            summaries=(f"This table displays top SQL by {summary}",),
            columns=SQLS,
            ignored=("%opt",),
            headers=_HEADERS[order],
            constants={"ordered_by": order},
            scopes=INSTANCE if order in ("elapsed", "cpu", "gets", "reads") else (),
        )
        for order, heading, summary, _ in _ORDERS
    ),
    *(
        Section(
            f"sql_by_{order}", ("sql",), "global_sql",
            headings=(f"SQL ordered by {heading} (Global)",),
            required=("sqlid",),
            columns=_GLOBAL,
            ignored=("cluster", "planhash", "planhashvalue", "%dbtime", "%total"),
            headers=(_global_header(*_LEADING[order]),),
            constants={"ordered_by": order},
            )
        for order, _, _, heading in _ORDERS
    ),
)  # fmt: skip
"""One section for each order."""
