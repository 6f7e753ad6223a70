"""The sections of a report: how each is recognised, and where its columns go.

One table for every form: HTML and text, single and RAC-global, AWR and Statspack. A section is
recognised by its heading, by the ``summary`` of its HTML table, or by the columns of its header;
a column by any of the names that releases gave it. Names are compared without white space, in
lower case, without a unit of time in brackets; that unit is what its cells are converted by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from perfkit.parsers.awr.cells import key
from perfkit.parsers.awr.raw import RawTable, indices

Columns = Mapping[str, tuple[str, str]]
"""Printed name -> (our column, kind of cell: a name of ``tidy.CONVERTERS``)."""

SINGLE, RAC, PDB = "single", "rac", "pdb"
HOST_WIDE = (SINGLE,)
INSTANCE = (SINGLE, PDB)


@dataclass(frozen=True)
class Section:
    """One part of a report.

    Attributes:
        name: Its name in the evidence.
        tables: The tables its rows go to.
        kind: How it is read: a name of ``tidy.READERS``.
        titles: Headings (whole, as printed; a ``*`` at the end: beginning).
        summaries: How the ``summary`` of its HTML table begins, or its later words after ``~``.
        needs: Columns without which it is not this section.
        columns: The columns.
        ignored: Columns that are known and not taken.
        const: Values that are the same in all its rows.
        scopes: The reports in which it is missed when it is absent.
        forms: awr, statspack.
    """

    name: str
    tables: tuple[str, ...]
    kind: str = "columns"
    titles: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    columns: Columns = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    const: Mapping[str, Any] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    forms: tuple[str, ...] = ("awr", "statspack")


WAITS: Columns = {
    "i#": ("i#", "words"),
    "event": ("event", "words"),
    "wait|class": ("wait_class", "class"),
    "waitclass": ("wait_class", "class"),
    "class": ("wait_class", "class"),
    "waits": ("waits", "count"),
    "%time-outs": ("timeouts_ratio", "percent"),
    "%timeouts": ("timeouts_ratio", "percent"),
    "%timout": ("timeouts_ratio", "percent"),
    "totalwaittime": ("total_wait_s", "seconds"),
    "waittime": ("total_wait_s", "seconds"),
    "total": ("total_wait_s", "seconds"),
    "time": ("total_wait_s", "seconds"),
    "avgwait": ("avg_wait_s", "seconds"),
    "avgwaittime": ("avg_wait_s", "seconds"),
    "waitavg": ("avg_wait_s", "seconds"),
    "waittime|avg": ("avg_wait_s", "seconds"),
    "%dbtime": ("db_time_ratio", "percent"),
    "%totalcalltime": ("db_time_ratio", "percent"),
    "%bgtime": ("bg_time_ratio", "percent"),
    "waits/txn": ("waits_per_transaction", "number"),
    "avg": ("instances_avg_s", "seconds"),
    "min": ("instances_min_s", "seconds"),
    "max": ("instances_max_s", "seconds"),
    "stddev": ("instances_std_s", "seconds"),
    "cnt": ("instances_count", "whole"),
    "avgactivesessions": ("average_active_sessions", "number"),
}
_BACKGROUND: Columns = {**WAITS, "%dbtime": ("bg_time_ratio", "percent")}
"""The RAC table of background events calls its share %DB time; it is of background time."""

RATES: Columns = {
    "statistic": ("statistic", "words"),
    "total": ("total", "number"),
    "persecond": ("per_s", "number"),
    "pertrans": ("per_transaction", "number"),
    "pertransaction": ("per_transaction", "number"),
    "perhour": ("per_hour", "number"),
    "beginvalue": ("begin_value", "number"),
    "endvalue": ("end_value", "number"),
    "persecond|average": ("mean_per_s", "number"),
    "persecond|stddev": ("std_per_s", "number"),
    "persecond|min": ("min_per_s", "number"),
    "persecond|max": ("max_per_s", "number"),
    "average": ("mean_per_s", "number"),
    "stddev": ("std_per_s", "number"),
    "min": ("min_per_s", "number"),
    "max": ("max_per_s", "number"),
}


def _system(suffix: str, tail: str) -> Columns:
    """The columns of RAC's system statistics; Size (k) is in multiples of 1024."""
    names = {
        "logicalreads": "logical_reads_blocks",
        "physicalreads": "physical_reads_blocks",
        "physicalwrites": "physical_writes_blocks",
        "redosize(k)": "redo_bytes",
        "blockchanges": "block_changes",
        "usercalls": "user_calls",
        "execs": "executes",
        "parses": "parses",
        "logons": "logons",
        "txns": "transactions",
    }
    return {
        "i#": ("i#", "words"),
        **{
            f"{name}{suffix}": (f"{ours}{tail}", "kilobytes" if ours == "redo_bytes" else "number")
            for name, ours in names.items()
        },
    }


IO: Columns = {
    "reads:data": ("read_bytes", "size"),
    "reqspersec": ("read_iops", "count"),
    "datapersec": ("read_bytes_per_s", "size"),
    "writes:data": ("write_bytes", "size"),
    "reqspersec#2": ("write_iops", "count"),
    "datapersec#2": ("write_bytes_per_s", "size"),
    "waits:count": ("waits", "count"),
    "avgtm": ("avg_wait_s", "seconds"),
    "avgtime": ("avg_wait_s", "seconds"),
    # RAC, 12.2 and later
    "i#": ("i#", "words"),
    "requests|total": ("requests", "count"),
    "ios/s": ("iops", "count"),
    "reads/s": ("read_iops", "count"),
    "writes/s": ("write_iops", "count"),
    "mb|total": ("bytes", "megabytes"),
    "iomb/s": ("bw_bytes_per_s", "megabytes"),
    "readmb/s": ("read_bytes_per_s", "megabytes"),
    "writemb/s": ("write_bytes_per_s", "megabytes"),
    # Statspack
    "read|datavolume": ("read_bytes", "size"),
    "read|requests/sec": ("read_iops", "count"),
    "read|datavol/sec": ("read_bytes_per_s", "size"),
    "write|datavolume": ("write_bytes", "size"),
    "write|requests/sec": ("write_iops", "count"),
    "write|datavol/sec": ("write_bytes_per_s", "size"),
    "wait|count": ("waits", "count"),
    "wait|avgtm": ("avg_wait_s", "seconds"),
    # service times of file types
    "smallread": ("small_read_s", "service"),
    "largeread": ("large_read_s", "service"),
    "servicetime|smallread": ("small_read_s", "service"),
    "servicetime|largeread": ("large_read_s", "service"),
}
_FUNCTION: Columns = {
    **IO,
    "functionname": ("function", "words"),
    "function": ("function", "words"),
    "function/filename": ("function", "words"),
}
_FILETYPE: Columns = {**IO, "filetypename": ("filetype", "words")}

FILES: Columns = {
    "tablespace": ("tablespace", "words"),
    "filename": ("file", "words"),
    "reads": ("reads", "count"),
    "avrds/s": ("read_iops", "count"),
    "avreads/s": ("read_iops", "count"),
    "avrd": ("read_avg_s", "seconds"),
    "avblks/rd": ("blocks_per_read", "number"),
    "1-bkrds/s": ("one_block_read_iops", "count"),
    "av1-bkrd": ("one_block_read_avg_s", "seconds"),
    "%optreads": ("optimized_ratio", "percent"),
    "writes": ("writes", "count"),
    "writesavg/s": ("write_iops", "count"),
    "avwrites/s": ("write_iops", "count"),
    "avwrites": ("write_avg_s", "seconds"),
    "bufferwaits": ("buffer_waits", "count"),
    "avbufwt": ("buffer_wait_avg_s", "seconds"),
    "pdbname": ("container", "words"),
}

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

_HISTOGRAM_SUMMARY = "This table displays total number of waits, and information about total wait"

_PARAMETERS: Columns = {
    "parametername": ("parameter", "words"),
    "i#": ("i#", "words"),
    "beginvalue": ("value", "words"),
    "endvalue(ifdifferent)": ("end_value", "words"),
    "endvalue": ("end_value", "words"),
    "pdbname": ("container", "words"),
}

_DETAIL: Columns = {
    "snaptime": ("snap_text", "words"),
    "snapshotdaytime": ("snap_text", "words"),
    "load": ("load_average", "number"),
    "%busy": ("busy_ratio", "percent"),
    "%user": ("user_ratio", "percent"),
    "%sys": ("system_ratio", "percent"),
    "%system": ("system_ratio", "percent"),
    "%iowait": ("iowait_ratio", "percent"),
    "%wio": ("iowait_ratio", "percent"),
    "%idle": ("idle_ratio", "percent"),
}

_CPU: Columns = {
    "cpus": ("cpus", "whole"),
    "cores": ("cores", "whole"),
    "sockets": ("sockets", "whole"),
    "loadaveragebegin": ("load_average_begin", "number"),
    "loadbegin": ("load_average_begin", "number"),
    "begin": ("load_average_begin", "number"),
    "loadaverageend": ("load_average_end", "number"),
    "averageend": ("load_average_end", "number"),
    "end": ("load_average_end", "number"),
    "%user": ("user_ratio", "percent"),
    "user": ("user_ratio", "percent"),
    "%system": ("system_ratio", "percent"),
    "system": ("system_ratio", "percent"),
    "%wio": ("iowait_ratio", "percent"),
    "wio": ("iowait_ratio", "percent"),
    "%idle": ("idle_ratio", "percent"),
    "idle": ("idle_ratio", "percent"),
}

_NODES: Columns = {
    "i#": ("i#", "words"),
    "cpu|#cpus": ("cpus", "whole"),
    "#cpus": ("cpus", "whole"),
    "numcpus": ("cpus", "whole"),
    "cpu|#cores": ("cores", "whole"),
    "#cores": ("cores", "whole"),
    "numcores": ("cores", "whole"),
    "cpu|#sckts": ("sockets", "whole"),
    "#sckts": ("sockets", "whole"),
    "numsckts": ("sockets", "whole"),
    "load|begin": ("load_average_begin", "number"),
    "loadbegin": ("load_average_begin", "number"),
    "beginload": ("load_average_begin", "number"),
    "load|end": ("load_average_end", "number"),
    "loadend": ("load_average_end", "number"),
    "endload": ("load_average_end", "number"),
    "%busy": ("busy_ratio", "percent"),
    "%cpu|%busy": ("busy_ratio", "percent"),
    "%usr": ("user_ratio", "percent"),
    "%sys": ("system_ratio", "percent"),
    "%wio": ("iowait_ratio", "percent"),
    "%idl": ("idle_ratio", "percent"),
    "time|busy": ("busy_s", "number"),
    "busytime": ("busy_s", "number"),
    "time|idle": ("idle_s", "number"),
    "idletime": ("idle_s", "number"),
    "time|total": ("total_s", "number"),
    "totaltime": ("total_s", "number"),
    "memory|mb": ("memory_bytes", "megabytes"),
    "memory(m)": ("memory_bytes", "megabytes"),
}

_RAC_CLASSES: Columns = {
    "i#": ("i#", "words"),
    **{
        name: (ours, "number")
        for name, ours in {
            "useri/o": "User I/O", "sysi/o": "System I/O", "other": "Other",
            "applic": "Application", "commit": "Commit", "network": "Network",
            "concurcy": "Concurrency", "config": "Configuration", "cluster": "Cluster",
            "admin": "Administrative", "scheduler": "Scheduler", "dbcpu": "DB CPU",
        }.items()
    },
}  # fmt: skip

_RAC_TIMES: Columns = {
    "i#": ("i#", "words"),
    **{
        name: (ours, "number")
        for name, ours in {
            "dbtime": "DB time", "dbcpu": "DB CPU", "sqlexecela": "sql execute elapsed time",
            "parseela": "parse time elapsed", "hardparseela": "hard parse elapsed time",
            "hardparse": "hard parse elapsed time", "pl/sqlela": "PL/SQL execution elapsed time",
            "javaela": "Java execution elapsed time", "bgtime": "background elapsed time",
            "bgcpu": "background cpu time",
        }.items()
    },
}  # fmt: skip

SECTIONS: tuple[Section, ...] = (
    Section(
        "database", ("report",), "database",
        titles=("Database",),
        summaries=("This table displays database instance information",),
        needs=("dbid",),
        columns={
            "dbname": ("db_name", "words"), "database": ("db_name", "words"),
            "dbid": ("db_id", "whole"), "uniquename": ("unique_name", "words"),
            "role": ("role", "words"), "dbrole": ("role", "words"),
            "edition": ("edition", "words"), "release": ("release", "words"),
            "rac": ("rac", "yes"), "cdb": ("cdb", "yes"),
            "instance": ("instance_name", "words"), "instnum": ("instance", "whole"),
            "startuptime": ("startup_text", "words"),
        },
        scopes=INSTANCE,
    ),
    Section(
        "instance", ("report",), "database",
        summaries=("This table displays database instance information",),
        needs=("instnum", "instance"),
        columns={
            "instance": ("instance_name", "words"), "instnum": ("instance", "whole"),
            "startuptime": ("startup_text", "words"),
        },
        ignored=("username", "systemdatavisible"),
    ),
    Section(
        "host", ("report",), "database",
        titles=("Host Name", "Host"),
        summaries=("This table displays host information",),
        needs=("platform",),
        columns={
            "hostname": ("host", "words"), "name": ("host", "words"),
            "platform": ("platform", "words"), "cpus": ("cpus", "whole"),
            "cores": ("cores", "whole"), "sockets": ("sockets", "whole"),
            "memory(gb)": ("memory_bytes", "gigabytes"), "memory(g)": ("memory_bytes", "gigabytes"),
        },
        ignored=("host",),
        scopes=INSTANCE,
    ),
    Section(
        "snapshots", ("report",), "snapshots",
        titles=("Snapshot",),
        summaries=("This table displays snapshot information",),
        needs=("snapid", "snaptime"),
        columns={
            "snapid": ("snap_id", "whole"), "snaptime": ("snap_text", "words"),
            "sessions": ("sessions", "number"),
        },
        ignored=(
            "", "snapshot", "cursors/session", "curs/sess", "comment", "cdb", "instances",
            "pluggabledatabasesopen",
        ),
        scopes=INSTANCE,
    ),
    Section(
        "database_summary", ("report",), "summary",
        titles=("Database Summary",),
        summaries=("Database Summary",),
        needs=("id", "begin", "elapsedtime"),
        columns={
            "id": ("db_id", "whole"), "name": ("db_name", "words"),
            "uniquename": ("unique_name", "words"), "role": ("role", "words"),
            "edition": ("edition", "words"), "rac": ("rac", "yes"), "cdb": ("cdb", "yes"),
            "blocksize": ("block_size_bytes", "whole"), "begin": ("snap_begin_id", "whole"),
            "end": ("snap_end_id", "whole"),
            "numberofinstances|inreport": ("instances_in_report", "whole"),
            "numberofinstances|total": ("instances_total", "whole"),
            "numberofhosts|inreport": ("hosts_in_report", "whole"),
            "numberofhosts|total": ("hosts_total", "whole"),
            "dbtime": ("db_time_s", "minutes"), "elapsedtime": ("elapsed_s", "minutes"),
        },
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "instances", ("instances",), "instances",
        titles=("Database Instances Included In Report",),
        summaries=("Database Instances Included In Report",),
        needs=("i#", "instance", "host"),
        columns={
            "i#": ("i#", "words"), "instance": ("instance_name", "words"),
            "host": ("host", "words"), "startup": ("startup_text", "words"),
            "beginsnaptime": ("begin_text", "words"), "endsnaptime": ("end_text", "words"),
            "release": ("release", "words"), "elapsedtime": ("elapsed_s", "minutes"),
            "dbtime": ("db_time_s", "minutes"), "uptime": ("up_time_s", "hours"),
            "avgactivesessions": ("average_active_sessions", "number"),
            "platform": ("platform", "words"),
        },
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "containers", ("containers",),
        titles=("Container DB Id",),
        summaries=("This table displays pdb instance information",),
        needs=("containerdbid",),
        columns={
            "containerdbid": ("container_db_id", "whole"),
            "containername": ("container", "words"), "opentime": ("open_text", "words"),
        },
    ),
    Section(
        "load_profile", ("load_profile",), "load_profile",
        titles=("Load Profile",),
        summaries=("This table displays load profile",),
        needs=("persecond", "pertransaction"),
        columns={
            "persecond": ("per_s", "number"), "pertransaction": ("per_transaction", "number"),
            "perexec": ("per_exec", "number"), "percall": ("per_call", "number"),
        },
        ignored=("", "loadprofile"),
        scopes=INSTANCE,
    ),
    Section(
        "top_events", ("top_events",),
        titles=(
            "Top 5 Timed Events", "Top 5 Timed Foreground Events", "Top Timed Events",
            "Top 10 Foreground Events by Total Wait Time", "Top 10 Timed Events",
        ),
        summaries=(
            "This table displays top 10 wait events by total wait time",
            "This table displays top 5", "Top 5 Timed", "Top Timed Events",
        ),
        needs=("event", "waits"),
        columns=WAITS,
        const={"scope": ""},
        scopes=(SINGLE, PDB, RAC),
    ),
    Section(
        "top_foreground_events", ("top_events",),
        titles=("Top Timed Foreground Events",),
        summaries=("Top Timed Foreground Events",),
        needs=("i#", "event"),
        columns=WAITS,
        const={"scope": "foreground"},
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "top_background_events", ("top_events",),
        titles=("Top Timed Background Events",),
        summaries=("Top Timed Background Events",),
        needs=("i#", "event"),
        columns=_BACKGROUND,
        const={"scope": "background"},
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "wait_classes_by_time", ("wait_classes",),
        titles=("Wait Classes by Total Wait Time",),
        summaries=("This table displays wait class statistics ordered by total wait time",),
        needs=("waitclass", "waits"),
        columns=WAITS,
        const={"scope": "all"},
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "foreground_wait_classes", ("wait_classes",),
        titles=("Foreground Wait Class",),
        summaries=("This table displays foreground wait class statistics",),
        needs=("waitclass", "waits"),
        columns=WAITS,
        const={"scope": "foreground"},
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "rac_wait_class_shares", ("wait_classes",), "class_shares",
        titles=(
            "Foreground Wait Classes - % of Total DB time",
            "Foreground Wait Classes - % of DB time",
        ),
        summaries=(
            "Foreground Wait Classes - % of Total DB time",
            "Foreground Wait Classes - % of DB time",
        ),
        needs=("useri/o",),
        columns=_RAC_CLASSES,
        ignored=("", "%totaldbtime"),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "rac_wait_classes", ("wait_classes",), "class_times",
        titles=("Foreground Wait Classes",),
        summaries=("Foreground Wait Classes",),
        needs=("i#", "useri/o"),
        columns=_RAC_CLASSES,
        ignored=("dbtime",),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "host_cpu", ("host_cpu",), "host_cpu",
        titles=("Host CPU", "Host CPU *"),
        summaries=("This table displays system load statistics",),
        needs=(),
        columns=_CPU,
        ignored=("", "wcpu"),
        scopes=HOST_WIDE,
    ),
    Section(
        "instance_cpu", ("instance_cpu",), "instance_cpu",
        titles=("Instance CPU",),
        summaries=("This table displays CPU usage and wait statistics",),
        scopes=HOST_WIDE,
    ),
    Section(
        "os_statistics_by_instance", ("host_cpu", "os_statistics"), "nodes",
        titles=("OS Statistics By Instance",),
        summaries=("OS Statistics By Instance",),
        needs=("i#",),
        columns=_NODES,
        ignored=(
            "endvalues|#cpus", "endvalues|#cores", "endvalues|#sckts", "endvalues|memory(m)",
            "endnumcpus", "endnumcores", "endnumsckts", "endmemory(m)",
        ),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "io_profile", ("io_profile",), "io_profile",
        titles=("IO Profile", "IO Profile (Global)"),
        summaries=("This table displays IO profile", "IO Profile (Global)"),
        columns={
            "read+writepersecond": ("total_per_s", "number"),
            "read+write/second": ("total_per_s", "number"),
            "read+write/s": ("total_per_s", "number"),
            "readpersecond": ("read_per_s", "number"), "read/second": ("read_per_s", "number"),
            "reads/s": ("read_per_s", "number"),
            "writepersecond": ("write_per_s", "number"), "write/second": ("write_per_s", "number"),
            "writes/s": ("write_per_s", "number"),
        },
        ignored=("", "ioprofile", "statistic"),
        scopes=(SINGLE, PDB, RAC), forms=("awr",),
    ),
    Section(
        "memory", ("memory",), "memory",
        titles=("Memory Statistics",),
        summaries=("This table displays memory statistics",),
        columns={"begin": ("begin", "words"), "end": ("end", "words")},
        ignored=("", "memorystatistics"),
        scopes=HOST_WIDE,
    ),
    Section(
        "cache_sizes", ("memory",), "memory",
        titles=("Cache Sizes",),
        summaries=("This table displays cache sizes and other statistics",),
        needs=("begin", "end"),
        columns={"begin": ("begin", "words"), "end": ("end", "words")},
        ignored=("", "cachesizes"),
        scopes=HOST_WIDE,
    ),
    Section(
        "rac_cache_sizes", ("memory",), "rac_caches",
        titles=("Cache Sizes",),
        summaries=("Cache Sizes",),
        needs=("i#",),
        columns={
            "i#": ("i#", "words"),
            **{
                f"{name}|{when}": (f"{ours}|{when}", "megabytes")
                for name, ours in {
                    "memorytarget": "memory_target", "sgatarget": "sga_target",
                    "dbcache": "buffer_cache", "sharedpool": "shared_pool",
                    "largepool": "large_pool", "javapool": "java_pool",
                    "streamspool": "streams_pool", "pgatarget": "pga_target",
                }.items()
                for when in ("begin", "end")
            },
            "logbuffer": ("log_buffer|begin", "megabytes"),
        },
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "time_model", ("time_model",),
        titles=("Time Model Statistics", "Time Model System Stats"),
        summaries=("This table displays different time model statistics",),
        needs=("time",),
        columns={
            "statisticname": ("statistic", "words"), "statistic": ("statistic", "words"),
            "time": ("time_s", "seconds"), "%ofdbtime": ("db_time_ratio", "percent"),
            "%dbtime": ("db_time_ratio", "percent"),
            "%oftotalcputime": ("cpu_time_ratio", "percent"),
        },
        scopes=INSTANCE,
    ),
    Section(
        "rac_time_model_shares", ("time_model",), "time_shares",
        titles=("Time Model - % of DB time",),
        summaries=("Time Model - % of DB time",),
        needs=("i#",),
        columns={
            **{name: item for name, item in _RAC_TIMES.items() if name not in ("bgcpu", "bgtime")},
        },
        ignored=("%totaldbtime", "%totalbgtime", "bgcpu"),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "rac_time_model", ("time_model",), "times",
        titles=("Time Model",),
        summaries=("Time Model",),
        needs=("i#", "dbtime"),
        columns=_RAC_TIMES,
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "os_statistics_detail", ("os_statistics_detail",), "detail",
        titles=("Operating System Statistics - Detail", "OS Statistics - detail"),
        summaries=("This table displays some detailed operating systems statistics",),
        columns=_DETAIL,
        ignored=("snapid", "%wcpu"),
        scopes=HOST_WIDE,
    ),
    Section(
        "os_statistics", ("os_statistics",), "os_statistics",
        titles=("Operating System Statistics", "OS Statistics"),
        summaries=("This table displays operating systems statistics",),
        needs=("statistic",),
        columns={
            "statistic": ("statistic", "words"), "value": ("value", "number"),
            "total": ("value", "number"), "endvalue": ("end_value", "number"),
        },
        scopes=HOST_WIDE,
    ),
    Section(
        "foreground_wait_events", ("wait_events",),
        titles=("Foreground Wait Events", "Foreground Wait Events (Global)"),
        summaries=(
            "This table displays Foreground Wait Events",
            "This table displays foreground wait event",
        ),
        needs=("event", "waits"),
        columns=WAITS,
        const={"scope": "foreground"},
        scopes=(SINGLE, PDB, RAC),
    ),
    Section(
        "background_wait_events", ("wait_events",),
        titles=("Background Wait Events", "Background Wait Events (Global)"),
        summaries=("This table displays background wait event",),
        needs=("event", "waits"),
        columns=WAITS,
        const={"scope": "background"},
        scopes=(SINGLE, PDB, RAC),
    ),
    Section(
        "wait_events", ("wait_events",),
        titles=("Wait Events (fg and bg)", "Wait Events"),
        summaries=("This table displays wait events statistics", "Wait Events"),
        needs=("event", "waits"),
        columns=WAITS,
        const={"scope": "all"},
        forms=("awr", "statspack"),
    ),
    Section(
        "event_histogram", ("event_histogram",), "histogram",
        titles=("Wait Event Histogram", "Wait Event Histogram *", "Wait Event Histogram (Global)"),
        summaries=(
            _HISTOGRAM_SUMMARY, "This table displays wait event histogram information",
        ),
        needs=("event",),
        columns={"event": ("event", "words")},
        scopes=(SINGLE, PDB, RAC),
    ),
    *(
        Section(
            f"sql_by_{order}", ("sql",), "sql",
            titles=titles,
            summaries=(f"This table displays top SQL by {words}",),
            columns=SQLS,
            ignored=("%opt",),
            const={"ordered_by": order},
            scopes=INSTANCE if order in ("elapsed", "cpu", "gets", "reads") else (),
        )
        for order, titles, words in _ORDERS
    ),
    Section(
        "instance_activity_key", ("instance_activity",), "activity",
        titles=("Key Instance Activity Stats",),
        summaries=("This table displays Key Instance activity statistics",),
        needs=("statistic",),
        columns=RATES,
    ),
    Section(
        "instance_activity", ("instance_activity",), "activity",
        titles=(
            "Instance Activity Stats", "Other Instance Activity Stats",
            "System Statistics (Global)",
        ),
        summaries=(
            "This table displays Instance activity statistics",
            "This table displays non-key Instance activity statistics",
            "System Statistics (Global)",
        ),
        needs=("statistic",),
        columns=RATES,
        scopes=(SINGLE, PDB, RAC),
    ),
    Section(
        "instance_activity_absolute", ("instance_activity",), "activity",
        titles=("Instance Activity Stats - Absolute Values",),
        summaries=("This table displays absolute values of instance-related features",),
        needs=("statistic",),
        columns=RATES,
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "instance_activity_thread", ("instance_activity",), "activity",
        titles=("Instance Activity Stats - Thread Activity",),
        summaries=("This table displays thread activity stats in the instance",),
        needs=("statistic",),
        columns=RATES,
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "rac_absolute_values", ("instance_activity",), "absolute",
        titles=("System Statistics (Absolute Values)",),
        summaries=("System Statistics (Absolute Values)",),
        needs=("i#",),
        columns={
            "i#": ("i#", "words"),
            **{
                f"{key(group)}|{when}": (f"{group}|{when}", "number")
                for group in ("Sessions", "Open Cursors", "Session Cached Cursors")
                for when in ("begin", "end")
            },
        },
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "system_statistics_per_second", ("system_statistics",), "system",
        titles=("System Statistics - Per Second",),
        summaries=("System Statistics - Per Second",),
        needs=("i#",),
        columns=_system("/s", "_per_s"),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "system_statistics_per_transaction", ("system_statistics",), "system",
        titles=("System Statistics - Per Transaction",),
        summaries=("System Statistics - Per Transaction",),
        needs=("i#",),
        columns=_system("/tx", "_per_transaction"),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "system_statistics", ("system_statistics",), "system",
        titles=("System Statistics",),
        summaries=("System Statistics",),
        needs=("i#",),
        columns=_system("", ""),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "io_by_function_and_filetype", ("io_by_function",), "function_filetype",
        titles=("IOStat by Function/Filetype summary", "IOStat by Function/Filetype"),
        summaries=("IOStat by Function/Filetype",),
        columns=_FUNCTION,
        ignored=("function/filename",),
        forms=("awr",),
    ),
    Section(
        "io_by_function", ("io_by_function",), "io",
        titles=(
            "IOStat by Function summary", "IOStat by Function", "IO Stat by Function - summary",
        ),
        summaries=(
            "This table displays the IO Statistics for different functions", "IOStat by Function",
        ),
        columns=_FUNCTION,
        scopes=(SINGLE, PDB, RAC),
    ),
    Section(
        "io_by_filetype", ("io_by_filetype",), "io",
        titles=("IOStat by Filetype summary", "IOStat by File Type"),
        summaries=(
            "This table displays IO Statistics for different file types", "IOStat by File Type",
        ),
        columns=_FILETYPE,
        scopes=(SINGLE, PDB, RAC), forms=("awr",),
    ),
    Section(
        "io_by_tablespace", ("io_by_tablespace",), "files",
        titles=("Tablespace IO Stats",),
        summaries=("This table displays IO Statistics for different tablespaces",),
        needs=("tablespace",),
        columns=FILES,
        scopes=INSTANCE,
    ),
    Section(
        "io_by_file", ("io_by_file",), "files",
        titles=("File IO Stats",),
        summaries=("This table displays IO Statistics for different physical files",),
        needs=("tablespace", "filename"),
        columns=FILES,
        ignored=("mxrdbkt",),
        scopes=INSTANCE,
    ),
    Section(
        "parameters", ("parameters",), "parameters",
        titles=(
            "init.ora Parameters", "Modified Parameters", "Parameters modified by this container",
            "Parameters modified by other containers",
        ),
        summaries=(
            "This table displays name and value of init.ora parameters",
            "This table displays values for init.ora parameters",
            "This table displays name and value of modified initialization parameters",
            "This table displays name and value of the initialization parameters",
            "This table displays name and value of database parameters",
        ),
        needs=("parametername",),
        columns=_PARAMETERS,
        const={"multi": False},
        scopes=(SINGLE, PDB, RAC),
    ),
    Section(
        "parameters_multi_valued", ("parameters",), "parameters",
        titles=(
            "init.ora Multi-Valued Parameters", "init.ora Multi-valued Parameters",
            "Modified Multi-Valued Parameters",
            "Multi-Valued Parameters modified by this container",
            "Multi-Valued Parameters modified by other containers",
        ),
        summaries=(
            "This table displays name and value of multi-valued",
            "init.ora Multi-valued Parameters",
        ),
        needs=("parametername",),
        columns=_PARAMETERS,
        const={"multi": True},
    ),
)  # fmt: skip
"""Every section, in the order in which a table is held against them."""


def _flat(text: str) -> str:
    return "".join(text.lower().split())


_BY_SUMMARY = tuple(
    (_flat(summary), section) for section in SECTIONS for summary in section.summaries
)
_BY_TITLE: dict[str, list[Section]] = {}
_BY_BEGIN: list[tuple[str, Section]] = []
for _section in SECTIONS:
    for _title in _section.titles:
        if _title.endswith("*"):
            _BY_BEGIN.append((_flat(_title[:-1]), _section))
        else:
            _BY_TITLE.setdefault(_flat(_title), []).append(_section)


def named(table: RawTable) -> Section | None:
    """The section a table is by its name, or None.

    By its summary (the longest that fits), else its heading or the text just before it, and, for
    the tables at the head of a text report, its columns alone. Of several sections of one name it
    is the first whose columns it has; if it has those of none, it is the first.
    """
    candidates = _candidates(table)
    fitting = (section for section in candidates if fits(table, section))
    own = next(fitting, None)
    if own is None and candidates and candidates[0].kind not in _HEADS:
        return candidates[0]
    return own


def _candidates(table: RawTable) -> list[Section]:
    if table.summary:
        flat = _flat(table.summary)
        found = [(len(begin), section) for begin, section in _BY_SUMMARY if flat.startswith(begin)]
        longest = max((size for size, _ in found), default=0)
        return [section for size, section in found if size == longest]
    for text in (table.title, table.near()):
        flat = _flat(text)
        named = _BY_TITLE.get(flat) or [s for begin, s in _BY_BEGIN if flat.startswith(begin)]
        if named:
            return named
    return [section for section in SECTIONS if section.kind in _HEADS] if table.columns else []


_HEADS = frozenset({"database", "snapshots", "summary", "instances"})
"""The kinds that are known by their columns alone."""


def fits(table: RawTable, section: Section) -> bool:
    """Whether the table has the columns without which it is not this section.

    A table without any header is judged by its name alone: a section may be empty.
    """
    if not section.needs or not table.columns:
        return section.kind not in _HEADS or bool(table.columns)
    return len(indices(table.columns, section.needs)) == len(section.needs)
