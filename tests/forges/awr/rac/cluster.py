"""Blocks between instances, disk groups and Exadata's cells, RAC-global, 19c."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.spread import (
    COUNT,
    GIGA,
    MEGA,
    MICROS,
    RATE,
    SHARE,
    WHOLE,
    Drawn,
    always,
    grouped,
    plain,
)
from forges.awr.printing import word
from forges.awr.rac.cells import level

if TYPE_CHECKING:
    from forges.awr.content import Content
    from forges.awr.rac.dialect import GlobalMaker, RacDialect
    from forges.awr.sheet import Sheet

_CELLS = (("Disk Type", "disk_type"), ("Cell Name", "cell"))
_DISKS = (("F/2.9T", "cell01"), ("^F/2.9T", "cell02"), ("H/7.2T", "cell01"), ("^H/7.2T", "cell02"))
_SINGLE = (
    ("F/2.9T", "cell01", "FD_00_cell01"),
    ("^F/2.9T", "cell01", "FD_01_cell01"),
    ("H/7.2T", "cell02", "CD_00_cell02"),
    ("^H/7.2T", "cell01", "CD_00_cell01"),
)
_REASONS = (("cell01", "smart scan"), ("^cell01", "redo log write"), ("cell02", "smart scan"))
_SIDES = (("Small Read", "small_read"), ("Small Write", "small_write"),
          ("Large Read", "large_read"), ("Large Write", "large_write"))  # fmt: skip

_FOUND = (
    Drawn(
        "disk_groups", "ASM Diskgroups", "This table displays ASM Diskgroups",
        (("Disk Group", "disk_group"), ("Redundancy", "redundancy"), ("State", "state")),
        (("DATA01", "HIGH", "CONNECTED"), ("RECO01", "NORMAL", "CONNECTED")),
        plain(("Size (GB)", "size_bytes", GIGA), ("Used (GB)", "used_bytes", GIGA),
              ("# Griddisks", "grid_disks", WHOLE)),
    ),
    Drawn(
        "cell_disks", "Exadata Cell Server Statistics Top",
        "This table displays top cells by cell server IO requests", _CELLS, _DISKS,
        (*grouped("IOPs", ("% Total", None, SHARE), ("Average", "cell_server_iops", RATE)),
         *grouped("Average Per Second",
                  *((f"{title}s", f"{key}_iops", RATE) for title, key in _SIDES))),
    ),
    Drawn(
        "cell_single_disks", "", "This table displays the top disks by cell server IOPs",
        (*_CELLS, ("Disk Name", "disk")), _SINGLE,
        (*grouped("IOPs", ("%Total", None, SHARE), ("Average", "cell_server_iops", RATE)),
         *grouped("Average Per Second",
                  *((f"{title}s", f"{key}_iops", RATE) for title, key in _SIDES))),
    ),
    Drawn(
        "cell_flash_cache", "Flash Cache", "This table displays Flash Cache user reads efficiency",
        (("Cell Name", "cell"),), (("Total (2)",), ("cell01",), ("cell02",)),
        (*grouped("Total Hits", ("Requests", "hits", COUNT), ("MB", "hit_bytes", MEGA)),
         *grouped("OLTP", ("Read Hits", "oltp_hits", COUNT), ("Misses", "oltp_misses", COUNT),
                  ("%Hit", "oltp_hit_ratio", SHARE)),
         *grouped("Scan", ("Read MB", "scan_bytes", MEGA),
                  ("Attempted MB", "scan_attempted_bytes", MEGA),
                  ("%Hit", "scan_hit_ratio", SHARE))),
    ),
    Drawn(
        "cell_smart_io", "Exadata Smart Statistics",
        "This table displays Smart I/O statistics", (("Cell Name", "cell"),),
        (("Total (2)",), ("cell01",)),
        (*grouped("MB Requested", ("% Total", "requested_ratio", SHARE),
                  ("Total", "requested_bytes", MEGA), ("per Sec", "requested_bytes_per_s", MEGA)),
         *grouped("Storage Index", ("MB", "storage_index_bytes", MEGA), ("per Sec", None, MEGA),
                  ("% Optimized", "storage_index_ratio", SHARE)),
         *grouped("Offload", ("MB", "offload_bytes", MEGA),
                  ("% Efficiency", "offload_ratio", SHARE))),
    ),
    Drawn(
        "cell_io", "Exadata Statistics", "This table contains IO performance summary",
        (("Disk Type", "disk_type"),), (("F/2.9T",), ("H/7.2T",)),
        (*grouped("Requests", ("Reads/s", "read_iops", RATE), ("Writes/s", "write_iops", RATE)),
         *grouped("Throughput", ("Read MB/s", "read_bytes_per_s", MEGA),
                  ("Write MB/s", "write_bytes_per_s", MEGA))),
    ),
    *(
        Drawn(
            "cell_io_reasons", "Exadata IO Reasons",
            "This table displays the top IO reasons by requests per cell",
            (("Cell Name", "cell"), ("IO Reason", "reason")), _REASONS,
            (*grouped("Requests", *([("%Cell", "cell_ratio", SHARE)] if name == "requests" else []),
                      ("Total Requests", "requests", COUNT), ("per Sec", "iops", RATE)),
             *grouped("MB", *([("%Cell", "cell_ratio", SHARE)] if name == "bytes" else []),
                      ("Total MB", "bytes", MEGA), ("per Sec", "bw_bytes_per_s", MEGA))),
            {"ranked_by": name},
        )
        for name in ("requests", "bytes")
    ),
    Drawn(
        "interconnect_pings", "Ping Statistics", "Ping Statistics. . Latency of the roundtrip",
        (), ((),),
        (*grouped("Instance#", ("Src", "instance", always(1)),
                  ("Target", "target_instance", always(2))),
         *grouped("500 bytes", ("Ping Count", "pings_500b", COUNT),
                  ("Avg Time(us)", "ping_500b_avg_s", MICROS), ("Std Dev", "ping_500b_std", RATE)),
         *grouped("8 Kbytes", ("Ping Count", "pings_8kib", COUNT),
                  ("Avg Time(us)", "ping_8kib_avg_s", MICROS))),
        {"level": "instance"},
    ),
    Drawn(
        "block_transfers", "Global Cache Transfer Statistics",
        "Global Cache Transfer Statistics. . Immediate (Immed) - Block Transfer NOT impacted",
        (), ((),),
        (*grouped("Instance#", ("Dest", "instance", always(1)),
                  ("Src", "source_instance", always(2))),
         *grouped("Block", ("Class", "block_class", lambda _: word("undo header"))),
         *grouped("CR Blocks", ("Received", "cr_blocks", COUNT),
                  ("%Immed", "cr_immediate_ratio", SHARE), ("%Cngst", "cr_congested_ratio", SHARE)),
         *grouped("CR Avg Time (us)", ("All", "cr_avg_s", MICROS),
                  ("Cngst", "cr_congested_avg_s", MICROS)),
         *grouped("Current Avg Time (us)", ("Busy", "current_busy_avg_s", MICROS))),
        {"level": "instance"},
    ),
    Drawn(
        "immediate_transfers", "Global Cache Transfer (Immediate)",
        "Global Cache Transfer (Immediate). . Ordered by instance_number", (), ((),),
        (*grouped("Instance#", ("Dest", "instance", always(1)),
                  ("Src", "source_instance", always(2))),
         *grouped("Block", ("Class", "block_class", lambda _: word("data block"))),
         *grouped("Lost Blocks", ("Count", "lost_blocks", COUNT),
                  ("Time(us)", "lost_avg_s", MICROS)),
         *(part for title, key in (("CR", "cr"), ("Current", "current")) for part in (
             *grouped(f"Immediate {title} Blocks", ("Received", f"{key}_blocks", COUNT),
                      ("%2-hop", f"{key}_two_hop_ratio", SHARE),
                      ("%3-hop", f"{key}_three_hop_ratio", SHARE)),
             *grouped(f"Immed {title} Avg Time (us)", ("Total", f"{key}_avg_s", MICROS),
                      ("2-hop", f"{key}_two_hop_avg_s", MICROS),
                      ("3-hop", f"{key}_three_hop_avg_s", MICROS)),
         ))),
        {"level": "instance"},
    ),
    Drawn(
        "cache_latency", "Global Latency Characteristics", "Global Latency Characteristics",
        (), ((),),
        (*plain(("I#", "instance", always(1)), ("GE Get Time (us)", "enqueue_get_avg_s", MICROS)),
         *grouped("CR Blocks", ("Receive Time (us)", "cr_receive_avg_s", MICROS),
                  ("Build Time (us)", "cr_build_avg_s", MICROS),
                  ("Flush Time (us)", "cr_flush_avg_s", MICROS),
                  ("Log Flush CR Srvd %", "cr_log_flush_ratio", SHARE)),
         *grouped("CU Blocks", ("Receive Time (us)", "current_receive_avg_s", MICROS),
                  ("Pin Time (us)", "current_pin_avg_s", MICROS),
                  ("Flush Time (us)", "current_flush_avg_s", MICROS),
                  ("Log Flush CU Srvd %", "current_log_flush_ratio", SHARE))),
        {"level": "instance"},
    ),
)  # fmt: skip


def _maker(drawn: Drawn) -> GlobalMaker:
    def make(content: Content, dialect: RacDialect) -> Sheet | None:
        return drawn.sheet(content, level(None)) if dialect.new else None

    return make


CLUSTER: tuple[GlobalMaker, ...] = tuple(map(_maker, _FOUND))
"""These sections, in the order in which they are put into the report."""
