"""SQL statements in the orders of a report."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import INSTANCE, Columns, Section

SQLS: Columns = {
    "elapsedtime": ("elapsed_s", "seconds"),
    "elapsdtime": ("elapsed_s", "seconds"),
    "cputime": ("cpu_s", "seconds"),
    "useri/otime": ("user_io_s", "seconds"),
    "executions": ("executions", "count"),
    "buffergets": ("buffer_gets", "count"),
    "physicalreads": ("physical_reads_blocks", "count"),
    "physicalrds": ("physical_reads_blocks", "count"),
    "physicalreadreqs": ("read_requests", "count"),
    "unoptimizedreadreqs": ("unoptimized_read_requests", "count"),
    "rowsprocessed": ("rows", "count"),
    "elapsedtimeperexec": ("per_exec", "seconds"),
    "elapperexec": ("per_exec", "seconds"),
    "cpuperexec": ("per_exec", "seconds"),
    "uioperexec": ("per_exec", "seconds"),
    "getsperexec": ("per_exec", "number"),
    "readsperexec": ("per_exec", "number"),
    "rdsperexec": ("per_exec", "number"),
    "rowsperexec": ("per_exec", "number"),
    "unoptimizedreqsperexec": ("per_exec", "number"),
    "unoptimizedreqsperexe": ("per_exec", "number"),
    "%total": ("total_ratio", "percent"),
    "%totaldbtime": ("total_ratio", "percent"),
    "%cpu": ("cpu_ratio", "percent"),
    "%io": ("io_ratio", "percent"),
    "sqlid": ("sql_id", "words"),
    "oldhashvalue": ("sql_id", "words"),
    "hashvalue": ("sql_id", "words"),
    "sqlmodule": ("module", "words"),
    "pdbname": ("container", "words"),
    "sqltext": ("text", "verbatim"),
}

_ORDERS = (
    ("elapsed", ("SQL ordered by Elapsed Time", "SQL ordered by Elapsed time"), "elapsed time"),
    ("cpu", ("SQL ordered by CPU Time", "SQL ordered by CPU"), "CPU time"),
    ("user_io", ("SQL ordered by User I/O Wait Time",), "user I/O time"),
    ("gets", ("SQL ordered by Gets",), "buffer gets"),
    ("reads", ("SQL ordered by Reads",), "physical reads"),
    (
        "unoptimized",
        ("SQL ordered by Physical Reads (UnOptimized)",),
        "unoptimized read requests",
    ),
    ("executions", ("SQL ordered by Executions",), "number of executions"),
)

_GLOBAL: Columns = {
    "sqlid": ("sql_id", "words"),
    "elapsed": ("elapsed_s", "seconds"),
    "elapsedtime": ("elapsed_s", "seconds"),
    "cpu": ("cpu_s", "seconds"),
    "cputime": ("cpu_s", "seconds"),
    "iowait": ("user_io_s", "seconds"),
    "iotime": ("user_io_s", "seconds"),
    "gets": ("buffer_gets", "count"),
    "reads": ("physical_reads_blocks", "count"),
    "unoptimizedreads": ("unoptimized_read_requests", "count"),
    "unoptreads": ("unoptimized_read_requests", "count"),
    "rows": ("rows", "count"),
    "execs": ("executions", "count"),
    "executions": ("executions", "count"),
    "sqlmodule": ("module", "words"),
    "pdbname": ("container", "words"),
    "sqltext": ("text", "verbatim"),
}
"""RAC-global, by the order of columns that a parser of such reports is written for (kairos)."""

_GLOBAL_ORDERS = (
    ("elapsed", "Elapsed Time"),
    ("cpu", "CPU Time"),
    ("user_io", "User I/O Time"),
    ("gets", "Gets"),
    ("reads", "Reads"),
    ("unoptimized", "UnOptimized Read Requests"),
    ("executions", "Executions"),
)

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

SECTIONS: tuple[Section, ...] = (
    *(
        Section(
            f"sql_by_{order}", ("sql",), "sql",
            titles=titles,
            summaries=(f"This table displays top SQL by {words}",),
            columns=SQLS,
            ignored=("%opt",),
            headers=_HEADERS[order],
            const={"ordered_by": order},
            scopes=INSTANCE if order in ("elapsed", "cpu", "gets", "reads") else (),
        )
        for order, titles, words in _ORDERS
    ),
    *(
        Section(
            f"sql_by_{order}", ("sql",), "global_sql",
            titles=(f"SQL ordered by {words} (Global)",),
            summaries=(f"SQL ordered by {words} (Global)",),
            needs=("sqlid",),
            columns=_GLOBAL,
            ignored=("cluster", "planhash", "planhashvalue", "%dbtime", "%total"),
            headers=_HEADERS[order],
            const={"ordered_by": order},
            forms=("awr",),
        )
        for order, words in _GLOBAL_ORDERS
    ),
)  # fmt: skip
"""One section for each order."""
