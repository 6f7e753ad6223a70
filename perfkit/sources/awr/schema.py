"""The tables of an AWR or Statspack report: one family for every form and release.

Seconds, bytes, 1/s and plain ratios (0 to 1 and above) inside; null where the report printed
nothing. Reads and writes counted in database blocks say so in their names: they are not I/Os.
"""

from __future__ import annotations

from perfkit.core.schema import LOAD_POINTS, Schema, flag, moment, number, text, whole
from perfkit.sources.awr import schema_activity as activity
from perfkit.sources.awr import schema_cluster as cluster
from perfkit.sources.awr import schema_storage as storage
from perfkit.sources.awr.schema_fields import LEVEL

REPORT: Schema = {
    "form": text("awr or statspack"),
    "format": text("html or text"),
    "scope": text("single (one instance), rac (awrgrpt: many instances) or pdb"),
    "db_name": text("database name"),
    "db_id": whole("database id"),
    "unique_name": text("unique name of the database (12.2 and later)"),
    "role": text("PRIMARY, PHYSICAL STANDBY ..."),
    "edition": text("EE, SE2 ..."),
    "release": text("release of the database"),
    "rac": flag("whether the database is clustered; a single report may be"),
    "cdb": flag("whether it is a container database"),
    "block_size_bytes": whole("standard block size", "bytes"),
    "instance": LEVEL["instance"],
    "instance_name": text("instance name; null in a RAC-global report"),
    "host": text("host name; null in a RAC-global report"),
    "platform": text("operating system"),
    "cpus": whole("logical CPUs of the host"),
    "cores": whole("CPU cores of the host"),
    "sockets": whole("CPU sockets of the host"),
    "memory_bytes": number("memory of the host, as precise as printed (GB)", "bytes"),
    "startup_time": moment("start of the instance; null where the text is not a known date"),
    "startup_text": text("the same as printed"),
    "snap_begin_id": whole("first snapshot"),
    "snap_end_id": whole("last snapshot"),
    "begin_time": moment("time of the first snapshot (RAC: the earliest of the instances)"),
    "end_time": moment("time of the last snapshot (RAC: the latest of the instances)"),
    "begin_text": text("time of the first snapshot as printed (RAC: of the first instance)"),
    "end_text": text("time of the last snapshot as printed (RAC: of the first instance)"),
    "sessions_begin": number("sessions at the first snapshot"),
    "sessions_end": number("sessions at the last snapshot"),
    "elapsed_s": number("time between the snapshots", "s"),
    "db_time_s": number("DB time: time of all foreground sessions in calls", "s"),
    "db_cpu_s": number("CPU part of it, where the head of the report gives it", "s"),
    "average_active_sessions": number("as printed (Statspack: Av Act Sess)"),
    "instances_in_report": whole("instances the report covers"),
    "instances_total": whole(
        "instances of the database; of a report of one of them, those open at both snapshots"
    ),
    "hosts_in_report": whole("hosts the report covers"),
    "hosts_total": whole("hosts of the database"),
}
"""One row: what was measured, where and for how long."""

INSTANCES: Schema = {
    "instance": LEVEL["instance"],
    "instance_name": text("instance name"),
    "host": text("host name"),
    "platform": text("operating system"),
    "release": text("release"),
    "startup_time": moment("start of the instance"),
    "startup_text": text("the same as printed"),
    "begin_time": moment("time of its first snapshot"),
    "begin_text": text("the same as printed"),
    "end_time": moment("time of its last snapshot"),
    "end_text": text("the same as printed"),
    "elapsed_s": number("time between its snapshots", "s"),
    "db_time_s": number("its DB time", "s"),
    "up_time_s": number("time since its start", "s"),
    "average_active_sessions": number("as printed"),
}
"""One row an instance of the report."""

CONTAINERS: Schema = {
    "container_db_id": whole("database id of the container"),
    "container": text("container name"),
    "open_time": moment("time it was opened"),
    "open_text": text("the same as printed"),
}

LOAD_PROFILE: Schema = {
    **LEVEL,
    "statistic": text("one name for all releases: redo_size, physical_reads, read_requests ..."),
    "printed": text("the row's name as printed"),
    "unit": text("of the values: s, bytes, blocks, 1 (plain count)"),
    "per_s": number("per second, in the unit of the row"),
    "per_transaction": number("per transaction"),
    "per_exec": number("per execution"),
    "per_call": number("per user call"),
}
"""Physical reads and writes here are blocks; I/Os are read_requests and write_requests."""

_SYSTEM = (
    ("logical_reads_blocks", "blocks read from the cache", None),
    ("physical_reads_blocks", "blocks read from storage: blocks, not I/Os", None),
    ("physical_writes_blocks", "blocks written to storage: blocks, not I/Os", None),
    ("redo_bytes", "redo written", "bytes"),
    ("block_changes", "block changes", None),
    ("user_calls", "user calls", None),
    ("executes", "executions", None),
    ("parses", "parse calls", None),
    ("logons", "logons", None),
    ("transactions", "transactions", None),
)

SYSTEM_STATISTICS: Schema = {
    **LEVEL,
    "section": text("where it stands: System Statistics (RAC), or Load Profile"),
    **{
        f"{name}_per_s": number(f"{meaning}, per second", f"{unit}/s" if unit else "1/s")
        for name, meaning, unit in _SYSTEM
    },
    **{name: number(f"{meaning}, total", unit) for name, meaning, unit in _SYSTEM},
    **{
        f"{name}_per_transaction": number(f"{meaning}, per transaction", unit)
        for name, meaning, unit in _SYSTEM[:-1]
    },
}
"""One row an instance."""

IO_PROFILE: Schema = {
    **LEVEL,
    "statistic": text("total_requests, database_requests, redo_bytes, database_blocks ..."),
    "printed": text("the row's name as printed"),
    "unit": text("of the values: 1 (requests), bytes, blocks"),
    "total_per_s": number("reads and writes per second"),
    "read_per_s": number("reads per second"),
    "write_per_s": number("writes per second"),
}

INSTANCE_ACTIVITY: Schema = {
    **LEVEL,
    "kind": text("rate (total and per second), absolute (begin, end) or thread (per hour)"),
    "statistic": text("Oracle's name of the statistic"),
    "total": number("over the whole time, in the statistic's own unit"),
    "per_s": number("per second"),
    "per_transaction": number("per transaction"),
    "per_hour": number("per hour (thread activity)"),
    "begin_value": number("at the first snapshot (absolute)"),
    "end_value": number("at the last snapshot (absolute)"),
    "mean_per_s": number("RAC: mean of the instances' rates"),
    "std_per_s": number("RAC: standard deviation of the instances' rates"),
    "min_per_s": number("RAC: smallest of the instances' rates"),
    "max_per_s": number("RAC: largest of the instances' rates"),
}
"""Oracle's statistics in Oracle's units: a name says bytes, cs or blocks if it is not a count."""

TIME_MODEL: Schema = {
    **LEVEL,
    "statistic": text("Oracle's name: DB time, DB CPU, sql execute elapsed time ..."),
    "time_s": number("time", "s"),
    "db_time_ratio": number("share of DB time, as printed"),
    "cpu_time_ratio": number("share of the total CPU time, as printed"),
}

OS_STATISTICS: Schema = {
    **LEVEL,
    "statistic": text("Oracle's name: BUSY_TIME, NUM_CPUS, PHYSICAL_MEMORY_BYTES ..."),
    "unit": text("of the values: s, bytes or 1"),
    "value": number("at the first snapshot, or over the time between"),
    "end_value": number("at the last snapshot, where it differs"),
}

_SHARES: Schema = {
    "busy_ratio": number("busy share of all CPUs"),
    "user_ratio": number("user share"),
    "system_ratio": number("kernel share"),
    "iowait_ratio": number("idle with I/O outstanding"),
    "idle_ratio": number("idle share"),
}

OS_STATISTICS_DETAIL: Schema = {
    **LEVEL,
    "snap_time": moment("time of the snapshot; null where the year is not printed or not known"),
    "snap_text": text("the same as printed"),
    "load_average": number("load average"),
    **_SHARES,
}

HOST_CPU: Schema = {
    **LEVEL,
    "cpus": REPORT["cpus"],
    "cores": REPORT["cores"],
    "sockets": REPORT["sockets"],
    "load_average_begin": number("load average at the first snapshot"),
    "load_average_end": number("load average at the last snapshot"),
    **_SHARES,
}
"""One row an instance's host. ``busy_ratio`` is null where only the parts are printed."""

INSTANCE_CPU: Schema = {
    **LEVEL,
    "total_cpu_ratio": number("share of all CPU time that the instance used"),
    "busy_cpu_ratio": number("share of the busy CPU time that the instance used"),
    "resource_manager_ratio": number("share of DB time spent waiting for CPU"),
    "host_total_s": number("CPU time of the host (Statspack)", "s"),
    "host_busy_s": number("busy CPU time of the host (Statspack)", "s"),
    "instance_cpu_s": number("CPU time of the instance (Statspack)", "s"),
    "instance_db_time_s": number("database time of the instance (Statspack)", "s"),
}

_WAIT: Schema = {
    "waits": number("waits, as precise as printed (26.4K)"),
    "timeouts_ratio": number("share of the waits that ended by a timeout"),
    "total_wait_s": number("time waited in all", "s"),
    "avg_wait_s": number("mean wait as printed", "s"),
    "avg_wait_computed_s": number("total_wait_s / waits; null where one is 0 or null", "s"),
    "db_time_ratio": number(
        "share of DB time, as printed; shares may add to more than 1; of Statspack the share of "
        "call time, which is CPU and waits, idle ones of later releases among them"
    ),
    "bg_time_ratio": number("share of the background's time, as printed"),
}

_WAIT_SPREAD: Schema = {
    "instances_avg_s": number("RAC: mean of the instances' mean waits", "s"),
    "instances_min_s": number("RAC: smallest of them", "s"),
    "instances_max_s": number("RAC: largest of them", "s"),
    "instances_std_s": number("RAC: their standard deviation", "s"),
    "instances_count": whole("RAC: instances with the event"),
}

_SCOPE = text("foreground, background, or all")

TOP_EVENTS: Schema = {
    **LEVEL,
    "scope": _SCOPE,
    "rank": whole("place in the table, from 1, for each scope, level and instance"),
    "event": text("event; DB CPU and CPU time are rows too; text reports cut names off"),
    "wait_class": text("wait class"),
    **_WAIT,
    **_WAIT_SPREAD,
}

WAIT_EVENTS: Schema = {
    **LEVEL,
    "scope": _SCOPE,
    "event": text("event; text reports cut names off"),
    "wait_class": text("wait class (RAC only)"),
    **_WAIT,
    "waits_per_transaction": number("waits per transaction"),
    **{name: item for name, item in _WAIT_SPREAD.items() if name != "instances_count"},
}

WAIT_CLASSES: Schema = {
    **LEVEL,
    "scope": _SCOPE,
    "wait_class": text("wait class; DB CPU is a row too; one name for all forms"),
    **{name: item for name, item in _WAIT.items() if name != "bg_time_ratio"},
    "average_active_sessions": number("as printed"),
}

EVENT_HISTOGRAM: Schema = {
    **LEVEL,
    "range": text("what its row covers: all, or a part such as 'up to 32 ms'"),
    "event": text("event"),
    "waits": number("waits of the row, as precise as printed: its range, not always all"),
    "lower_s": number("lower edge as printed (Oracle's s is 1024 ms); 0: first", "s"),
    "upper_s": number("upper edge as printed; null: without end", "s"),
    "waits_ratio": number("share of the event's waits; 0 means below half of the last digit"),
    "below": flag("printed as '<0.01': waits_ratio is an upper limit"),
    "count": number("waits in the bucket, where printed in brackets"),
}
"""One row a bucket with something printed in it: an empty cell is not a row (Oracle: truly 0)."""

_IO: Schema = {
    "requests": number("I/O requests in all"),
    "iops": number("I/O requests per second", "1/s"),
    "read_iops": number("read requests per second", "1/s"),
    "write_iops": number("write requests per second", "1/s"),
    "bytes": number("data in all", "bytes"),
    "read_bytes": number("data read", "bytes"),
    "write_bytes": number("data written", "bytes"),
    "bw_bytes_per_s": number("data per second", "bytes/s"),
    "read_bytes_per_s": number("data read per second", "bytes/s"),
    "write_bytes_per_s": number("data written per second", "bytes/s"),
}
"""Only what is printed: a single report prints reads and writes, RAC prints totals too."""

IO_BY_FUNCTION: Schema = {
    **LEVEL,
    "function": text("Oracle's function: LGWR ...; Total is a row too; text cuts names off"),
    "filetype": text("file type, in the summary by function and file type; null: all"),
    **_IO,
    "waits": number("waits counted by the function"),
    "avg_wait_s": number("mean wait as printed", "s"),
}

IO_BY_FILETYPE: Schema = {
    **LEVEL,
    "filetype": text("file type: Data File, Log File ...; Total is a row too"),
    **_IO,
    "small_read_s": number("mean service time of small reads", "s"),
    "large_read_s": number("mean service time of large reads", "s"),
}

_FILE_IO: Schema = {
    "container": text("pluggable database"),
    "reads": number("read requests"),
    "read_iops": number("read requests per second", "1/s"),
    "read_avg_s": number("mean read time", "s"),
    "blocks_per_read": number("blocks per read"),
    "one_block_read_iops": number("single-block reads per second", "1/s"),
    "one_block_read_avg_s": number("mean time of single-block reads", "s"),
    "optimized_ratio": number("share of reads from flash"),
    "writes": number("write requests"),
    "write_iops": number("write requests per second", "1/s"),
    "write_avg_s": number("mean write time", "s"),
    "buffer_waits": number("waits for a buffer"),
    "buffer_wait_avg_s": number("mean wait for a buffer", "s"),
}

IO_BY_TABLESPACE: Schema = {**LEVEL, "tablespace": text("tablespace"), **_FILE_IO}
IO_BY_FILE: Schema = {
    **LEVEL,
    "tablespace": text("tablespace"),
    "data_file": text("data file"),
    **_FILE_IO,
}

REDO_LOG: Schema = {
    **LEVEL,
    "item": text("redo_bytes, redo_requests, log_switches, log_file_sync ..."),
    "printed": text("the row's name as printed"),
    "unit": text("of the values: bytes, s or 1"),
    "total": number("over the whole time"),
    "per_s": number("per second"),
    "mean_s": number("mean time of one wait (log_file_sync, log_file_parallel_write)", "s"),
    "table": text("the table of this reading that it was taken from"),
}
"""What the other tables say of redo and the log files, together."""

SQL: Schema = {
    **LEVEL,
    "ordered_by": text("elapsed, cpu, user_io, gets, reads, unoptimized or executions"),
    "rank": whole("place in that order, from 1"),
    "sql_id": text("SQL id; Statspack: old hash value"),
    "module": text("SQL module"),
    "container": text("pluggable database"),
    "executions": number("executions"),
    "elapsed_s": number("elapsed time", "s"),
    "cpu_s": number("CPU time", "s"),
    "user_io_s": number("user I/O wait time", "s"),
    "buffer_gets": number("blocks read from the cache"),
    "physical_reads_blocks": number("blocks read from storage"),
    "read_requests": number("physical read requests"),
    "unoptimized_read_requests": number("read requests not served from flash"),
    "rows": number("rows processed"),
    "per_exec": number("the ordering quantity per execution (s, blocks or requests)"),
    "total_ratio": number("share of the report's total of the ordering quantity"),
    "cpu_ratio": number("CPU share of the elapsed time"),
    "io_ratio": number("user I/O share of the elapsed time"),
    "text": text("beginning of the SQL text, as printed"),
}

MEMORY: Schema = {
    **LEVEL,
    "item": text("buffer_cache, shared_pool, sga, pga, host_memory, block_size, log_buffer ..."),
    "printed": text("the row's name as printed"),
    "unit": text("bytes, or 1 for a ratio"),
    "begin": number("at the first snapshot"),
    "end": number("at the last snapshot"),
}

PARAMETERS: Schema = {
    **LEVEL,
    "parameter": text("parameter name"),
    "position": whole("place of a value among several, from 1"),
    "value": text("value at the first snapshot; null where none is printed"),
    "end_value": text("value at the last snapshot, where it differs"),
    "container": text("pluggable database"),
}

IOPS_SOURCE: Schema = {
    **LEVEL,
    "section": text(
        "where it stands: IO Profile, Load Profile, Instance Activity or IO by Function"
    ),
    "counts": text("total (all I/O of the instance) or database (without redo, control files)"),
    "used": flag("whether load_points takes its IOPS from this row"),
    "iops": number("read and write requests per second", "1/s"),
    "read_iops": number("read requests per second", "1/s"),
    "write_iops": number("write requests per second", "1/s"),
}
"""Every source of IOPS the report has, in the order in which they are taken."""

TABLES: dict[str, Schema] = {
    "report": REPORT,
    "instances": INSTANCES,
    "containers": CONTAINERS,
    "load_profile": LOAD_PROFILE,
    "system_statistics": SYSTEM_STATISTICS,
    "io_profile": IO_PROFILE,
    "instance_activity": INSTANCE_ACTIVITY,
    "time_model": TIME_MODEL,
    "os_statistics": OS_STATISTICS,
    "os_statistics_detail": OS_STATISTICS_DETAIL,
    "host_cpu": HOST_CPU,
    "instance_cpu": INSTANCE_CPU,
    "top_events": TOP_EVENTS,
    "wait_events": WAIT_EVENTS,
    "wait_classes": WAIT_CLASSES,
    "event_histogram": EVENT_HISTOGRAM,
    "io_by_function": IO_BY_FUNCTION,
    "io_by_filetype": IO_BY_FILETYPE,
    "io_by_tablespace": IO_BY_TABLESPACE,
    "io_by_file": IO_BY_FILE,
    "io_sizes": storage.IO_SIZES,
    "file_read_histogram": storage.FILE_READ_HISTOGRAM,
    "redo_log": REDO_LOG,
    "instance_recovery": storage.INSTANCE_RECOVERY,
    "checkpoint_writes": storage.CHECKPOINT_WRITES,
    "mttr_advice": storage.MTTR_ADVICE,
    "segments": storage.SEGMENTS,
    "sql": SQL,
    "memory": MEMORY,
    "buffer_pools": storage.BUFFER_POOLS,
    "pga": storage.PGA,
    "pga_work_areas": storage.PGA_WORK_AREAS,
    "memory_advice": storage.MEMORY_ADVICE,
    "ash_events": activity.ASH_EVENTS,
    "ash_sql": activity.ASH_SQL,
    "ash_activity": activity.ASH_ACTIVITY,
    "services": activity.SERVICES,
    "service_waits": activity.SERVICE_WAITS,
    "buffer_waits": activity.BUFFER_WAITS,
    "enqueues": activity.ENQUEUES,
    "undo": activity.UNDO,
    "addm_findings": activity.ADDM_FINDINGS,
    "efficiency": activity.EFFICIENCY,
    "block_transfers": cluster.BLOCK_TRANSFERS,
    "immediate_transfers": cluster.IMMEDIATE_TRANSFERS,
    "cache_latency": cluster.CACHE_LATENCY,
    "interconnect_pings": cluster.INTERCONNECT_PINGS,
    "disk_groups": cluster.DISK_GROUPS,
    "cell_disks": cluster.CELL_DISKS,
    "cell_single_disks": cluster.CELL_SINGLE_DISKS,
    "cell_io": cluster.CELL_IO,
    "cell_io_reasons": cluster.CELL_IO_REASONS,
    "cell_smart_io": cluster.CELL_SMART_IO,
    "cell_flash_cache": cluster.CELL_FLASH_CACHE,
    "parameters": PARAMETERS,
    "iops_source": IOPS_SOURCE,
    "load_points": LOAD_POINTS,
}
"""Every table of a reading, in order. A table without rows in the report is there, empty."""
