"""Tables on the cluster and its storage: blocks between instances, disk groups, Exadata's cells.

Sources of the meanings: the notes that the reports print above these tables, and the views of
Oracle's Database Reference that they are taken from (V$INSTANCE_CACHE_TRANSFER, V$CELL_STATE,
V$ASM_DISKGROUP).
"""

from __future__ import annotations

from perfkit.core.schema import Schema, number, text, whole
from perfkit.sources.awr.schema_fields import LEVEL

_KINDS = (("cr", "consistent read blocks"), ("current", "current blocks"))
_CELL = text("storage cell; 'Total (3)' or 'All (3)' stand for so many cells together")

BLOCK_TRANSFERS: Schema = {
    **LEVEL,
    "source_instance": whole("instance that the blocks came from; instance received them"),
    "block_class": text("data block, undo header, undo block, others"),
    **{f"{kind}_blocks": number(f"{what} received") for kind, what in _KINDS},
    **{
        f"{kind}_{part}_ratio": number(f"share of the {what} that {how}")
        for kind, what in _KINDS
        for part, how in (
            ("immediate", "came at once"),
            ("busy", "waited for others at the source"),
            ("congested", "waited for a busy process at the source"),
        )
    },
    **{
        f"{kind}{part}_avg_s": number(f"mean time to receive {what}{how}", "s")
        for kind, what in _KINDS
        for part, how in (
            ("", ""),
            ("_immediate", ", those that came at once"),
            ("_busy", ", those that waited for others"),
            ("_congested", ", those that waited for a busy process"),
        )
    },
}
"""Blocks that an instance of a cluster received from another, instead of reading them."""

IMMEDIATE_TRANSFERS: Schema = {
    **LEVEL,
    "source_instance": BLOCK_TRANSFERS["source_instance"],
    "block_class": BLOCK_TRANSFERS["block_class"],
    "lost_blocks": number("blocks that were sent and did not arrive"),
    "lost_avg_s": number("mean time after which a block counts as lost", "s"),
    **{f"{kind}_blocks": number(f"{what} that came at once") for kind, what in _KINDS},
    **{
        f"{kind}_{hops}_hop_ratio": number(f"share of the {what} that came by {hops} instances")
        for kind, what in _KINDS
        for hops in ("two", "three")
    },
    **{
        f"{kind}{hop}_avg_s": number(f"mean time to receive {what} at once{how}", "s")
        for kind, what in _KINDS
        for hop, how in (("", ""), ("_two_hop", ", by two instances"),
                         ("_three_hop", ", by three instances"))
    },
}  # fmt: skip
"""Blocks that came from another instance without a delay there: what the interconnect takes."""

CACHE_LATENCY: Schema = {
    **LEVEL,
    "enqueue_get_avg_s": number("mean time to get a global enqueue", "s"),
    "cr_receive_avg_s": number("mean time to receive a consistent read block", "s"),
    "cr_build_avg_s": number("mean time to build one for another instance", "s"),
    "cr_flush_avg_s": number("mean time to flush redo before one is sent", "s"),
    "cr_log_flush_ratio": number("share of those sent that redo was flushed for"),
    "current_receive_avg_s": number("mean time to receive a current block", "s"),
    "current_pin_avg_s": number("mean time to pin one for another instance", "s"),
    "current_flush_avg_s": number("mean time to flush redo before one is sent", "s"),
    "current_log_flush_ratio": number("share of those sent that redo was flushed for"),
    "lms_busy_ratio": number("mean share of the time in which LMS processes were busy"),
}
"""What the cache of a cluster takes for a block, sent and received; flushes wait for the log."""

INTERCONNECT_PINGS: Schema = {
    **LEVEL,
    "target_instance": whole("instance that the messages went to, and back from"),
    **{
        name: item
        for size in ("500b", "8kib")
        for name, item in {
            f"pings_{size}": number(f"messages of {size}"),
            f"ping_{size}_avg_s": number("mean time there and back, in whole microseconds", "s"),
            f"ping_{size}_std": number("standard deviation as printed: without a sure unit"),
        }.items()
    },
}

DISK_GROUPS: Schema = {
    **LEVEL,
    "disk_group": text("ASM disk group"),
    "size_bytes": number("size", "bytes"),
    "used_bytes": number("used", "bytes"),
    "grid_disks": number("grid disks of Exadata"),
    "redundancy": text("HIGH, NORMAL or EXTERN"),
    "state": text("CONNECTED, MOUNTED ..."),
}

_SIDES = ("small_read", "small_write", "large_read", "large_write")

CELL_DISKS: Schema = {
    **LEVEL,
    "disk_type": text("F (flash) or H (hard disk), and the size: F/2.9T"),
    "cell": _CELL,
    "iops": number("requests per second that the cell's operating system saw", "1/s"),
    "bw_bytes_per_s": number("data per second that it saw", "bytes/s"),
    "utilization_ratio": number("share of the time in which the disks were busy"),
    "service_avg_s": number("mean service time", "s"),
    "wait_avg_s": number("mean time in the queue and in service", "s"),
    "cell_server_iops": number("requests per second of the cell server", "1/s"),
    "cell_server_bytes_per_s": number("data per second of the cell server", "bytes/s"),
    "cell_server_avg_s": number("mean latency of the cell server's requests", "s"),
    **{f"{side}_iops": number(f"{side.replace('_', ' ')}s per second", "1/s") for side in _SIDES},
    **{
        f"{side}_bytes_per_s": number(f"data of {side.replace('_', ' ')}s per second", "bytes/s")
        for side in _SIDES
    },
    **{f"{side}_avg_s": number(f"mean latency of {side.replace('_', ' ')}s", "s")
       for side in _SIDES},
}  # fmt: skip
"""Exadata's disks by type and cell, all of a type together; of all databases on the cells."""

CELL_SINGLE_DISKS: Schema = {
    **{name: CELL_DISKS[name] for name in (*LEVEL, "disk_type", "cell")},
    "disk": text("disk of the cell: FD is flash, CD a hard disk"),
    **{name: item for name, item in CELL_DISKS.items() if name not in LEVEL},
}
"""Single disks of Exadata: those with the most requests, data or latency, as each list has them."""

CELL_IO_REASONS: Schema = {
    **LEVEL,
    "ranked_by": text("requests or bytes"),
    "cell": _CELL,
    "reason": text("what the I/O was for: smart scan, redo log write, scrub IO ..."),
    "cell_ratio": number("share of the cell's requests or bytes"),
    "requests": number("requests"),
    "iops": number("requests per second", "1/s"),
    "bytes": number("data", "bytes"),
    "bw_bytes_per_s": number("data per second", "bytes/s"),
}
"""Exadata's I/O by reason: of all databases on the cells."""

CELL_SMART_IO: Schema = {
    **LEVEL,
    "cell": _CELL,
    "requested_ratio": number("share of the cell in all that was requested"),
    "requested_bytes": number("data that smart I/O was to read", "bytes"),
    "requested_bytes_per_s": number("the same per second", "bytes/s"),
    "storage_index_bytes": number("of it, not read because of a storage index", "bytes"),
    "storage_index_ratio": number("the same as a share"),
    "flash_cache_bytes": number("of it, read from flash", "bytes"),
    "flash_cache_ratio": number("the same as a share"),
    "offload_bytes": number("of it, filtered in the cell", "bytes"),
    "offload_ratio": number("offload efficiency as printed"),
    "passthru_bytes": number("of it, sent to the database as it was", "bytes"),
    "passthru_ratio": number("the same as a share"),
    "reverse_offload_bytes": number("of it, filtered by the database for the cell", "bytes"),
    "reverse_offload_ratio": number("the same as a share"),
}
"""Exadata's smart I/O of this database."""

CELL_FLASH_CACHE: Schema = {
    **LEVEL,
    "cell": _CELL,
    "hits": number("read requests that flash cache served"),
    "hit_bytes": number("data that it served", "bytes"),
    "oltp_hits": number("of single-block reads, those it served"),
    "oltp_misses": number("of single-block reads, those it did not serve"),
    "oltp_hit_ratio": number("share as printed"),
    "scan_bytes": number("of scans, what it served", "bytes"),
    "scan_attempted_bytes": number("of scans, what was asked of it", "bytes"),
    "scan_hit_ratio": number("share as printed"),
}
"""Exadata's flash cache: of all databases on the cells."""

CELL_IO: Schema = {
    **LEVEL,
    "disk_type": CELL_DISKS["disk_type"],
    "read_iops": number("reads per second", "1/s"),
    "write_iops": number("writes per second", "1/s"),
    "read_bytes_per_s": number("data read per second", "bytes/s"),
    "write_bytes_per_s": number("data written per second", "bytes/s"),
}
"""Exadata's mean load of one disk of each type, as the report's summary prints it."""
