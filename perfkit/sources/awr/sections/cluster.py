"""The cluster and its storage: blocks between instances, disk groups, Exadata's cells."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import Columns, Section, columns

_SIDES = ("small_read", "small_write", "large_read", "large_write")
_KINDS = ("cr", "current")

_TRANSFERS = columns(
    words={"i#": "instance#|dest", "block_class": "blockclass block|class"},
    whole={"source_instance": "instno instance#|src"},
    count={f"{kind}_blocks": f"{kind}|blocksreceived {kind}blocks|received" for kind in _KINDS},
    percent={
        f"{kind}_{part}_ratio": " ".join(
            f"{kind}{group}|%{short}" for group in ("", "blocks") for short in shorts.split()
        )
        for kind in _KINDS
        for part, shorts in (
            ("immediate", "immed"),
            ("busy", "busy"),
            ("congested", "congst cngst"),
        )
    },
    seconds={
        f"{kind}{part}_avg_s": " ".join(f"{kind}avgtime|{short}" for short in shorts.split())
        for kind in _KINDS
        for part, shorts in (
            ("", "all"),
            ("_immediate", "immed"),
            ("_busy", "busy"),
            ("_congested", "congst cngst"),
        )
    },
)

_IMMEDIATE = columns(
    words={"i#": "instance#|dest", "block_class": "blockclass block|class"},
    whole={"source_instance": "srcinst# instance#|src"},
    count={
        "lost_blocks": "lostblocks|count blockslost",
        **{
            f"{kind}_blocks": f"immediate{kind}blocks|received {kind}|immedblksreceived"
            for kind in _KINDS
        },
    },
    percent={
        f"{kind}{hop}_ratio": f"immediate{kind}blocks|%{long} {kind}|%{short}"
        for kind in _KINDS
        for hop, long, short in (("_two_hop", "2-hop", "2hop"), ("_three_hop", "3-hop", "3hop"))
    },
    microseconds={
        "lost_avg_s": "lostblocks|time losttime",
        **{
            f"{kind}{hop}_avg_s": f"immed{kind}avgtime|{long} {kind}avgtime|{short}"
            for kind in _KINDS
            for hop, long, short in (
                ("", "total", "immed"),
                ("_two_hop", "2-hop", "2hop"),
                ("_three_hop", "3-hop", "3hop"),
            )
        },
    },
)

_LATENCY = columns(
    words={"i#": "i#"},
    microseconds={
        "enqueue_get_avg_s": "gegettime avgglobalenqueuegettime",
        "cr_receive_avg_s": "crblocks|receivetime avgglobalcachecrblockreceivetime",
        "cr_build_avg_s": "crblocks|buildtime avgglobalcachecrblockbuildtime",
        "cr_flush_avg_s": "crblocks|flushtime avgglobalcachecrblockflushtime",
        "current_receive_avg_s": "cublocks|receivetime avgglobalcachecurrentblockreceivetime",
        "current_pin_avg_s": "cublocks|pintime avgglobalcachecurrentblockpintime",
        "current_flush_avg_s": "cublocks|flushtime avgglobalcachecurrentblockflushtime",
    },
    percent={
        "cr_log_flush_ratio": "crblocks|logflushcrsrvd% globalcachelogflushesforcrblocksserved%",
        "current_log_flush_ratio": (
            "cublocks|logflushcusrvd% globalcachelogflushesforcurrentblocksserved%"
        ),
        "lms_busy_ratio": "avglmsprocessbusy%",
    },
)
"""RAC prints them as columns, one instance as rows."""

_CELL = columns(words={"disk_type": "disktype", "cell": "cellname", "disk": "diskname"})


def _sides(group: str, suffix: str) -> dict[str, str]:
    return {f"{side}_{suffix}": f"{group}|{side.replace('_', '')}" for side in _SIDES}


def _plural(group: str, suffix: str) -> dict[str, str]:
    return {name: f"{printed}s" for name, printed in _sides(group, suffix).items()}


_CELL_TABLES: tuple[tuple[str, str, str, Columns, tuple[str, ...]], ...] = (
    # name, its summary for cells and for single disks, columns, columns left out
    ("os_requests", "the top cells by IOPs", "the top disks by IOPs", {**_CELL, **columns(
        number={"iops": "iops|avg"}, megabytes={"bw_bytes_per_s": "iomb/s|avg"},
        percent={"utilization_ratio": "%diskutilization|avg"},
    )}, ("%total",)),
    ("os_times", "the top cells by wait time", "the top disks by wait time", {**_CELL, **columns(
        seconds={"service_avg_s": "averagetimes|servicetime", "wait_avg_s": "averagetimes|waittime"}
    )}, ()),
    ("server_requests", "top cells by cell server IO requests",
     "the top disks by cell server IOPs", {**_CELL, **columns(
        number={"cell_server_iops": "iops|average", **_plural("averagepersecond", "iops")},
    )}, ("%total",)),
    ("server_bytes", "top cells by cell server IO MB/s",
     "the top disks by cell server IO MB/s", {**_CELL, **columns(
        megabytes={
            "cell_server_bytes_per_s": "iomb/s|average", **_plural("averagemb/s", "bytes_per_s"),
        },
    )}, ("%total",)),
    ("server_times", "the top cells by cell latency", "the top disks by cell latency",
     {**_CELL, **columns(
        seconds={"cell_server_avg_s": "averagetimes|celllatency", **_sides("averagetimes", "avg_s")}
    )}, ()),
)  # fmt: skip

_REASONS = columns(
    words={"cell": "cellname", "reason": "ioreason"},
    percent={"cell_ratio": "requests|%cell mb|%cell"},
    count={"requests": "requests|totalrequests"},
    number={"iops": "requests|persec"},
    megabytes={"bytes": "mb|totalmb", "bw_bytes_per_s": "mb|persec"},
)

_SMART = columns(
    words={"cell": "cellname"},
    percent={
        "requested_ratio": "mbrequested|%total",
        "storage_index_ratio": "storageindex|%optimized",
        "flash_cache_ratio": "flashcache|%optimized",
        "offload_ratio": "offload|%efficiency",
        "passthru_ratio": "passthru|%passthru",
        "reverse_offload_ratio": "reverseoffload|%reverseoffload",
    },
    megabytes={
        "requested_bytes": "mbrequested|total",
        "requested_bytes_per_s": "mbrequested|persec",
        "storage_index_bytes": "storageindex|mb",
        "flash_cache_bytes": "flashcache|mb",
        "offload_bytes": "offload|mb",
        "passthru_bytes": "passthru|mb",
        "reverse_offload_bytes": "reverseoffload|mb",
    },
)

_FLASH = columns(
    words={"cell": "cellname"},
    count={
        "hits": "totalhits|requests",
        "oltp_hits": "oltp|readhits",
        "oltp_misses": "oltp|misses",
    },
    percent={"oltp_hit_ratio": "oltp|%hit", "scan_hit_ratio": "scan|%hit"},
    megabytes={
        "hit_bytes": "totalhits|mb",
        "scan_bytes": "scan|readmb",
        "scan_attempted_bytes": "scan|attemptedmb",
    },
)

SECTIONS: tuple[Section, ...] = (
    Section(
        "block_transfers", ("block_transfers",), "transfers",
        titles=("Global Cache Transfer Stats", "Global Cache Transfer Times (ms)"),
        summaries=(
            "This table displays global cache transfer stats",
            "This table displays global cache transfer statistics",
            "This table displays global cache transfer time statistics",
        ),
        headings=("Global Cache Transfer Statistics",),
        html_only=True,
        columns=_TRANSFERS,
    ),
    Section(
        "interconnect_pings", ("interconnect_pings",),
        titles=("Interconnect Ping Latency Statistics",),
        summaries=("This table displays IC ping latency statistics",),
        headings=("Ping Statistics",),
        html_only=True,
        columns=columns(
            words={"i#": "instance#|src"},
            whole={"target_instance": "targetinstance instance#|target"},
            count={"pings_500b": "500bpingcount 500bytes|pingcount",
                   "pings_8kib": "8kpingcount 8kbytes|pingcount"},
            microseconds={
                "ping_500b_avg_s": "avglatency500bmsg 500bytes|avgtime",
                "ping_8kib_avg_s": "avglatency8kmsg 8kbytes|avgtime",
            },
            number={"ping_500b_std": "stddev500bmsg 500bytes|stddev",
                    "ping_8kib_std": "stddev8kmsg 8kbytes|stddev"},
        ),
    ),
    *(
        Section(
            name, ("immediate_transfers",), "transfers",
            titles=(title,), summaries=(f"This table displays {told} (immediate) statistics",),
            headings=headings, html_only=True, columns=_IMMEDIATE,
            required=("blockclass",) if not headings else (),
        )
        for name, title, told, headings in (
            ("immediate_transfers", "Global Cache Transfer (Immediate)", "global cache transfer",
             ("Global Cache Transfer (Immediate)",)),
            ("immediate_times", "Global Cache Times (Immediate)", "global cache times", ()),
        )
    ),
    Section(
        "cache_latency", ("cache_latency",),
        headings=("Global Latency Characteristics",),
        required=("i#", "crblocks|receivetime"),
        html_only=True,
        columns=_LATENCY,
    ),
    Section(
        "cache_workload", ("cache_latency",), "named_values",
        titles=("Global Cache and Enqueue Services - Workload Characteristics",),
        summaries=("This table displays workload characteristics for global cache",),
        html_only=True,
        columns=_LATENCY,
        ignored=("avgglobalcachecrblocksendtime", "avgglobalcachecurrentblocksendtime"),
    ),
    Section(
        "disk_groups", ("disk_groups",),
        titles=("ASM Diskgroups",),
        summaries=("This table displays ASM Diskgroups",),
        required=("diskgroup", "size(gb)"),
        html_only=True,
        columns=columns(
            words={"disk_group": "diskgroup", "redundancy": "redundancy", "state": "state"},
            gigabytes={"size_bytes": "size(gb)", "used_bytes": "used(gb)"},
            number={"grid_disks": "#griddisks"},
        ),
    ),
    *(
        Section(
            f"cell_{name}", ("cell_disks",), "cells",
            titles=("Exadata OS Statistics Top", "Exadata Cell Server Statistics Top"),
            summaries=(f"This table displays {order}",),
            required=("disktype", "cellname", *list(own)[3:4]), html_only=True,
            columns={key: value for key, value in own.items() if key != "diskname"},
            ignored=ignored,
        )
        for name, order, _, own, ignored in _CELL_TABLES
    ),
    *(
        Section(
            f"cell_single_{name}", ("cell_single_disks",), "cells",
            summaries=(f"This table displays {order}",),
            required=("disktype", "cellname", "diskname", *list(own)[3:4]), html_only=True,
            columns=own, ignored=ignored,
        )
        for name, _, order, own, ignored in _CELL_TABLES
    ),
    *(
        Section(
            f"cell_io_reasons_by_{name}", ("cell_io_reasons",), "cells",
            titles=("Exadata IO Reasons",),
            summaries=("This table displays the top IO reasons by requests per cell",),
            required=("cellname", "ioreason", f"{group}|%cell"),
            html_only=True,
            columns=_REASONS,
            constants={"ranked_by": name},
        )
        for name, group in (("requests", "requests"), ("bytes", "mb"))
    ),
    Section(
        "cell_smart_io", ("cell_smart_io",),
        titles=("Exadata Smart Statistics",),
        summaries=("This table displays Smart I/O statistics",),
        required=("cellname", "mbrequested|total"),
        html_only=True,
        columns=_SMART,
        ignored=("storageindex|persec", "flashcache|persec", "harddisk|mb", "harddisk|persec",
                 "offload|persec", "passthru|persec", "reverseoffload|persec"),
    ),
    Section(
        "cell_flash_cache", ("cell_flash_cache",),
        titles=("Flash Cache",),
        summaries=("This table displays Flash Cache user reads efficiency",),
        required=("cellname", "totalhits|requests"),
        html_only=True,
        columns=_FLASH,
        ignored=("columnar|readmb", "columnar|eligiblemb", "columnar|savedmb",
                 "columnar|%efficiency", "keep|readhits", "keep|misses", "keep|%hit"),
    ),
    Section(
        "cell_io", ("cell_io",),
        titles=("Exadata Statistics",),
        summaries=("This table contains IO performance summary",),
        required=("disktype", "requests|reads/s"),
        html_only=True,
        columns=columns(
            words={"disk_type": "disktype"},
            number={"read_iops": "requests|reads/s", "write_iops": "requests|writes/s"},
            megabytes={
                "read_bytes_per_s": "throughput|readmb/s",
                "write_bytes_per_s": "throughput|writemb/s",
            },
        ),
    ),
)  # fmt: skip
"""Exadata's tables have no words of their own release: columns that are missing stay null."""
