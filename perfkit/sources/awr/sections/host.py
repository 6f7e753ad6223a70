"""CPU, memory and operating system of the host, and the time model."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import (
    HOST_WIDE,
    INSTANCE,
    RAC,
    Section,
    begin_and_end,
    columns,
)

_DETAIL = columns(
    words={"snap_text": "snaptime snapshotdaytime"},
    number={"load_average": "load"},
    percent={
        "busy_ratio": "%busy",
        "user_ratio": "%user",
        "system_ratio": "%sys %system",
        "iowait_ratio": "%iowait %wio",
        "idle_ratio": "%idle",
    },
)

_CPU = columns(
    whole={"cpus": "cpus", "cores": "cores", "sockets": "sockets"},
    number={
        "load_average_begin": "loadaveragebegin loadbegin begin",
        "load_average_end": "loadaverageend averageend end",
    },
    percent={
        "user_ratio": "%user user",
        "system_ratio": "%system system",
        "iowait_ratio": "%wio wio",
        "idle_ratio": "%idle idle",
    },
)

_NODES = columns(
    words={"i#": "i#"},
    whole={
        "cpus": "cpu|#cpus #cpus numcpus",
        "cores": "cpu|#cores #cores numcores cpu|#core",
        "sockets": "cpu|#sckts #sckts numsckts cpu|#sckt",
    },
    number={
        "load_average_begin": "load|begin loadbegin beginload",
        "load_average_end": "load|end loadend endload",
        "busy_s": "time|busy busytime",
        "idle_s": "time|idle idletime",
        "total_s": "time|total totaltime",
    },
    percent={
        "busy_ratio": "%busy %cpu|%busy",
        "user_ratio": "%usr",
        "system_ratio": "%sys",
        "iowait_ratio": "%wio",
        "idle_ratio": "%idl",
    },
    megabytes={"memory_bytes": "memory|mb memory(m)"},
)

_RAC_TIMES = columns(
    words={"i#": "i#"},
    number={
        "DB time": "dbtime",
        "DB CPU": "dbcpu",
        "sql execute elapsed time": "sqlexecela",
        "parse time elapsed": "parseela",
        "hard parse elapsed time": "hardparseela hardparse",
        "PL/SQL execution elapsed time": "pl/sqlela",
        "Java execution elapsed time": "javaela",
        "background elapsed time": "bgtime",
        "background cpu time": "bgcpu",
    },
)

SECTIONS: tuple[Section, ...] = (
    Section(
        "host_cpu", ("host_cpu",), "host_cpu",
        titles=("Host CPU", "Host CPU *"),
        summaries=("This table displays system load statistics",),
        signatures=(("loadaveragebegin", "%idle"),),
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
        signatures=(("%totalcpu", "%busycpu"),),
        headers=("| % | Time (seconds)",),
        scopes=HOST_WIDE,
    ),
    Section(
        "os_statistics_by_instance", ("host_cpu", "os_statistics"), "nodes",
        headings=("OS Statistics By Instance",),
        required=("i#",),
        columns=_NODES,
        ignored=(
            "endvalues|#cpus", "endvalues|#cores", "endvalues|#sckts", "endvalues|memory(m)",
            "endvalues|#cpu", "endvalues|#cor", "endvalues|#sck",
            "endnumcpus", "endnumcores", "endnumsckts", "endmemory(m)",
        ),
        scopes=(RAC,),
    ),
    Section(
        "memory", ("memory",), "memory",
        titles=("Memory Statistics",),
        summaries=("This table displays memory statistics",),
        signatures=(("begin", "end", "hostmem(mb)"),),
        columns=columns(words={"begin": "begin", "end": "end"}),
        ignored=("", "memorystatistics"),
        headers=("| Begin | End", "Memory Statistics | Begin | End"),
        scopes=HOST_WIDE,
    ),
    Section(
        "rac_cache_sizes", ("memory",), "rac_caches",
        headings=("Cache Sizes",),
        signatures=(("i#", "dbcache|begin", "sharedpool|begin"),),
        required=("i#",),
        columns={
            **begin_and_end(
                "megabytes", memory_target="memorytarget", sga_target="sgatarget",
                buffer_cache="dbcache", shared_pool="sharedpool", large_pool="largepool",
                java_pool="javapool", streams_pool="streamspool", pga_target="pgatarget",
            ),
            **columns(megabytes={"log_buffer|begin": "logbuffer"}),
        },
        scopes=(RAC,),
    ),
    Section(
        "cache_sizes", ("memory",), "memory",
        titles=("Cache Sizes",),
        summaries=("This table displays cache sizes and other statistics",),
        signatures=(("begin", "end", "buffercache"),),
        required=("begin", "end"),
        columns=columns(words={"begin": "begin", "end": "end"}),
        ignored=("", "cachesizes"),
        headers=("Cache Sizes | Begin | End?",),
        scopes=HOST_WIDE,
    ),
    Section(
        "time_model", ("time_model",),
        titles=("Time Model Statistics", "Time Model System Stats"),
        summaries=("This table displays different time model statistics",),
        required=("time",),
        columns=columns(
            words={"statistic": "statisticname statistic"},
            seconds={"time_s": "time"},
            percent={"db_time_ratio": "%ofdbtime %dbtime", "cpu_time_ratio": "%oftotalcputime"},
        ),
        headers=(
            "Statistic Name | Time (s)! | % of DB Time | % of Total CPU Time",
            "Statistic Name | Time (s)! | % of DB Time", "Statistic | Time (s)! | % DB time",
        ),
        scopes=INSTANCE,
    ),
    Section(
        "rac_time_model_shares", ("time_model",), "time_shares",
        headings=("Time Model - % of DB time",),
        required=("i#",),
        columns={
            name: item
            for name, item in _RAC_TIMES.items()
            if name not in ("bgcpu", "bgtime", "dbtime")
        },
        ignored=("%totaldbtime", "%totalbgtime", "bgcpu"),
        scopes=(RAC,),
    ),
    Section(
        "rac_time_model", ("time_model",), "times",
        headings=("Time Model",),
        required=("i#", "dbtime"),
        columns=_RAC_TIMES,
        scopes=(RAC,),
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
        required=("statistic",),
        columns=columns(
            words={"statistic": "statistic"},
            number={"value": "value total", "end_value": "endvalue"},
        ),
        headers=("Statistic | Value! | End Value", "Statistic | Total!"),
        scopes=HOST_WIDE,
    ),
)  # fmt: skip
"""What the host and the instance had, and spent."""
