"""Tables on recovery, memory and segments: what the database asks of its storage, and why.

Sources of the meanings: the notes that the reports print above these tables, and the views of
Oracle's Database Reference that they are taken from (V$INSTANCE_RECOVERY, V$PGASTAT,
V$DB_CACHE_ADVICE, V$PGA_TARGET_ADVICE, V$SGA_TARGET_ADVICE, V$MTTR_TARGET_ADVICE,
V$SEGMENT_STATISTICS, V$IOSTAT_FUNCTION).
"""

from __future__ import annotations

from perfkit.core.schema import Schema, number, text, whole
from perfkit.sources.awr.schema_fields import LEVEL

_SNAPSHOT = text("begin or end: the snapshot at which it held")

INSTANCE_RECOVERY: Schema = {
    **LEVEL,
    "snapshot": _SNAPSHOT,
    "target_mttr_s": number("mean time to recover that is aimed at; 0: none is set", "s"),
    "estimated_mttr_s": number("mean time to recover by the dirty buffers and redo", "s"),
    "recovery_estimated_ios": number("dirty buffers in the cache, which recovery would write"),
    "actual_redo_blocks": number("redo blocks that recovery would read now"),
    "target_redo_blocks": number("redo blocks that recovery may read: the least of the limits"),
    "log_size_redo_blocks": number("limit by the size of the smallest log file"),
    "log_checkpoint_timeout_redo_blocks": number("limit by log_checkpoint_timeout"),
    "log_checkpoint_interval_redo_blocks": number("limit by log_checkpoint_interval"),
    "optimal_log_size_bytes": number("size of log files that the target asks for", "bytes"),
    "estimated_rac_available_time_s": number(
        "time until the cluster is partly available after this instance failed", "s"
    ),
}
"""Redo and log files at the two snapshots; redo blocks are those of the log files (512 or 4,096
bytes), not of the database."""

CHECKPOINT_WRITES: Schema = {
    **LEVEL,
    "mttr_writes": number("writes because of the target of mean time to recover"),
    "log_size_writes": number("writes because of the size of the smallest log file"),
    "log_checkpoint_writes": number("writes because of log_checkpoint_interval and _timeout"),
    "other_settings_writes": number("writes because of other settings"),
    "autotune_writes": number("writes because of automatic checkpoint tuning"),
    "thread_writes": number("writes because of checkpoints of a thread"),
}
"""One row: why buffers were written. Counted over the time between the snapshots."""

MTTR_ADVICE: Schema = {
    **LEVEL,
    "target_mttr_s": number("the target that the row is an estimate for", "s"),
    "dirty_limit_buffers": number("dirty buffers that it allows"),
    "cache_writes": number("estimated writes of the cache"),
    "cache_writes_factor": number("the same, over those of the target in use"),
    "total_writes": number("estimated writes"),
    "total_writes_factor": number("the same, over those of the target in use"),
    "total_ios": number("estimated reads and writes"),
    "total_ios_factor": number("the same, over those of the target in use"),
}

PGA: Schema = {
    **LEVEL,
    "snapshot": _SNAPSHOT,
    "target_bytes": number("pga_aggregate_target", "bytes"),
    "auto_target_bytes": number("what of it work areas may have", "bytes"),
    "allocated_bytes": number("allocated", "bytes"),
    "work_areas_bytes": number("of it, all work areas (one instance)", "bytes"),
    "auto_work_areas_bytes": number("work areas sized automatically (RAC)", "bytes"),
    "manual_work_areas_bytes": number("work areas sized by hand (RAC)", "bytes"),
    "work_areas_ratio": number("share of work areas in what is allocated, as printed"),
    "auto_work_areas_ratio": number("share of work areas sized automatically, as printed"),
    "manual_work_areas_ratio": number("share of work areas sized by hand, as printed"),
    "global_memory_bound_bytes": number("largest work area sized automatically", "bytes"),
}
"""Memory of the server processes at the two snapshots."""

PGA_WORK_AREAS: Schema = {
    **LEVEL,
    "cache_hit_ratio": number("share of the work areas' data that stayed in memory"),
    "processed_bytes": number("data that went through work areas", "bytes"),
    "extra_bytes": number("data that they read from and wrote to temporary files", "bytes"),
}
"""One row: what sorts and hash joins asked of temporary files, between the snapshots."""

BUFFER_POOLS: Schema = {
    **LEVEL,
    "pool": text("D (default), K (keep), R (recycle), or the block size of a pool: 16k"),
    "buffers": number("buffers; Statspack in multiples of 1000, as precise as printed"),
    "hit_ratio": number("share of the gets that found their block in the pool"),
    "buffer_gets_blocks": number("blocks asked for"),
    "physical_reads_blocks": number("blocks read from storage: blocks, not I/Os"),
    "physical_writes_blocks": number("blocks written to storage: blocks, not I/Os"),
    "free_buffer_waits": number("waits for a free buffer"),
    "write_complete_waits": number("waits for a write to complete"),
    "buffer_busy_waits": number("waits for a busy buffer"),
}

MEMORY_ADVICE: Schema = {
    **LEVEL,
    "advice": text("buffer_pool, pga or sga: whose size the row is an estimate for"),
    "pool": text("buffer_pool: which"),
    "size_bytes": number("the size that the row is an estimate for", "bytes"),
    "size_factor": number("the same, over the size in use"),
    "buffers": number("buffer_pool: buffers of that size"),
    "physical_reads_blocks": number("estimated blocks read from storage (buffer_pool, sga)"),
    "physical_reads_factor": number("the same, over those of the size in use"),
    "db_time_s": number("sga: estimated DB time", "s"),
    "db_time_factor": number("sga: the same, over that of the size in use (Statspack)"),
    "processed_bytes": number("pga: data that went through work areas", "bytes"),
    "extra_bytes": number("pga: of it read from and written to temporary files", "bytes"),
    "cache_hit_ratio": number("pga: share of it that stays in memory"),
    "overallocations": number("pga: times more memory was needed than the target"),
}
"""What other sizes of memory would have asked of storage, by Oracle's own estimate.

Left out: the estimated times of reads and work areas, which are printed without a unit, and the
share of DB time beside them, which is none (12,829% at the size in use, in a report of 11.2).
"""

SEGMENTS: Schema = {
    **LEVEL,
    "ordered_by": text("logical_reads, physical_reads, physical_writes, row_lock_waits ..."),
    "rank": whole("place in that order, from 1"),
    "owner": text("owner"),
    "tablespace": text("tablespace; text reports cut names off"),
    "object": text("object name; text reports cut names off"),
    "subobject": text("partition"),
    "object_type": text("TABLE, INDEX, LOB ...; text reports cut names off"),
    "object_id": number("object number"),
    "data_object_id": number("number of the segment"),
    "container": text("pluggable database"),
    "unit": text("of value: blocks, or 1 (requests, waits)"),
    "value": number("what the table is ordered by, between the snapshots"),
    "total_ratio": number("share of the report's total of it"),
}
"""The segments that storage is read and written for."""

FILE_READ_HISTOGRAM: Schema = {
    **LEVEL,
    "tablespace": text("tablespace"),
    "data_file": text("data file"),
    "lower_s": number("lower edge of the bucket", "s"),
    "upper_s": number("upper edge; null: without end", "s"),
    "reads": number("single-block reads that took so long"),
}
"""Statspack: one row a data file and bucket; files of temporary tablespaces are not in it."""

IO_SIZES: Schema = {
    **LEVEL,
    "function": text("Oracle's function; text cuts names off"),
    "filetype": text("file type, in the table by function and file type; null: all"),
    "small_read_requests": number("single-block read requests; null where nothing is printed"),
    "large_read_requests": number("multi-block read requests"),
    "small_write_requests": number("single-block write requests"),
    "large_write_requests": number("multi-block write requests"),
    "small_read_bytes": number("data of the single-block reads", "bytes"),
    "large_read_bytes": number("data of the multi-block reads", "bytes"),
    "small_write_bytes": number("data of the single-block writes", "bytes"),
    "large_write_bytes": number("data of the multi-block writes", "bytes"),
    "waits": number("waits counted by the function"),
    "wait_s": number("time waited in all", "s"),
}
"""Single-block and multi-block I/O by function (Statspack alone prints it)."""
