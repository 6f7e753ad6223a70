"""CPU, memory and operating system of the host, and the time model."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import HOST_WIDE, INSTANCE, RAC, Columns, Section

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
        "host_cpu", ("host_cpu",), "host_cpu",
        titles=("Host CPU", "Host CPU *"),
        summaries=("This table displays system load statistics",),
        alone=(("loadaveragebegin", "%idle"),),
        needs=(),
        columns=_CPU,
        ignored=("", "wcpu"),
        headers=(
            "CPUs | Cores | Sockets | Load Begin | Average End | %User | %System | %WIO | %Idle",
            "| Load Begin | Average End | %User | %System | %WIO | %Idle",
            "| Load Begin | Average End | User | System | Idle | WIO | WCPU",
        ),
        scopes=HOST_WIDE,
    ),
    Section(
        "instance_cpu", ("instance_cpu",), "instance_cpu",
        titles=("Instance CPU",),
        summaries=("This table displays CPU usage and wait statistics",),
        alone=(("%totalcpu", "%busycpu"),),
        headers=("| % | Time (seconds)",),
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
        "memory", ("memory",), "memory",
        titles=("Memory Statistics",),
        summaries=("This table displays memory statistics",),
        alone=(("begin", "end", "hostmem(mb)"),),
        columns={"begin": ("begin", "words"), "end": ("end", "words")},
        ignored=("", "memorystatistics"),
        headers=("| Begin | End", "Memory Statistics | Begin | End"),
        scopes=HOST_WIDE,
    ),
    Section(
        "cache_sizes", ("memory",), "memory",
        titles=("Cache Sizes",),
        summaries=("This table displays cache sizes and other statistics",),
        alone=(("begin", "end", "buffercache"),),
        needs=("begin", "end"),
        columns={"begin": ("begin", "words"), "end": ("end", "words")},
        ignored=("", "cachesizes"),
        headers=("Cache Sizes | Begin | End?",),
        scopes=HOST_WIDE,
    ),
    Section(
        "rac_cache_sizes", ("memory",), "rac_caches",
        titles=("Cache Sizes",),
        summaries=("Cache Sizes",),
        alone=(("i#", "dbcache|begin", "sharedpool|begin"),),
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
        headers=(
            "Statistic Name | Time (s)! | % of DB Time | % of Total CPU Time",
            "Statistic Name | Time (s)! | % of DB Time", "Statistic | Time (s)! | % DB time",
        ),
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
        headers=(
            "Snap Time | Load | %busy | %user | %sys | %idle | %iowait",
            "Snap Id | Snapshot Day Time | Load | %Busy? | %User? | %System? | %WIO? | %WCPU?",
        ),
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
        headers=("Statistic | Value! | End Value", "Statistic | Total!"),
        scopes=HOST_WIDE,
    ),
)  # fmt: skip
"""What the host and the instance had, and spent."""
