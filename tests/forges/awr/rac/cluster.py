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
)  # fmt: skip


def _maker(drawn: Drawn) -> GlobalMaker:
    def make(content: Content, dialect: RacDialect) -> Sheet | None:
        return drawn.sheet(content, level(None)) if dialect.new else None

    return make


CLUSTER: tuple[GlobalMaker, ...] = tuple(map(_maker, _FOUND))
"""These sections, in the order in which they are put into the report."""
