"""Memory of the database: what pools and work areas hold and spill, and what other sizes would."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import HOST_WIDE, RAC, Section, begin_and_end, columns

_POOLS = columns(
    words={"pool": "p"},
    count={
        "buffers": "numberofbuffers buffers",
        "buffer_gets_blocks": "buffergets",
        "physical_reads_blocks": "physicalreads",
        "physical_writes_blocks": "physicalwrites",
        "free_buffer_waits": "freebuffwait freebufferwaits",
        "write_complete_waits": "writcompwait",
        "buffer_busy_waits": "bufferbusywaits",
    },
    percent={"hit_ratio": "poolhit%"},
)

_PGA = columns(
    snapshot={"snapshot": ""},
    megabytes={
        "target_bytes": "pgaaggrtarget(m)",
        "auto_target_bytes": "autopgatarget(m)",
        "allocated_bytes": "pgamemalloc(m)",
        "work_areas_bytes": "w/apgaused(m)",
    },
    percent={
        "work_areas_ratio": "%pgaw/amem",
        "auto_work_areas_ratio": "%autow/amem",
        "manual_work_areas_ratio": "%manw/amem",
    },
    kilobytes={"global_memory_bound_bytes": "globalmembound(k)"},
)

_RAC_PGA = begin_and_end(
    "megabytes",
    target_bytes="pgaaggrtarget",
    auto_target_bytes="autopgatarget",
    allocated_bytes="pgamemalloc",
    auto_work_areas_bytes="autoworkareas",
    manual_work_areas_bytes="manualworkarea",
    global_memory_bound_bytes="globalmembound",
)

_BUFFER_ADVICE = columns(
    words={"pool": "p"},
    megabytes={"size_bytes": "sizeforest(m)"},
    number={
        "size_factor": "sizefactor sizefactr",
        "physical_reads_factor": "estphysreadfactor estphysreadfactr",
    },
    thousands={
        "buffers": "buffers(thousands)",
        "physical_reads_blocks": "estimatedphysreads(thousands)",
    },
    # 11.1 prints them whole
    count={
        "buffers": "buffersforestimate",
        "physical_reads_blocks": "estimatedphysicalreads",
    },
)

_PGA_ADVICE = columns(
    megabytes={
        "size_bytes": "pgatargetest(mb) pgaaggrtargetest(mb)",
        "processed_bytes": "w/ambprocessed",
        "extra_bytes": "estdextraw/ambread/writtentodisk",
    },
    number={"size_factor": "sizefactr"},
    percent={"cache_hit_ratio": "estdpgacachehit% estdpcachehit%"},
    count={"overallocations": "estdpgaoveralloccount estdpgaoverallocount"},
)

_SGA_ADVICE = columns(
    megabytes={"size_bytes": "sgatargetsize(m)"},
    number={
        "size_factor": "sgasizefactor",
        "db_time_factor": "estdbtimefactor",
        "physical_reads_blocks": "estphysicalreads",
    },
    seconds={"db_time_s": "estdbtime"},
)

SECTIONS: tuple[Section, ...] = (
    Section(
        "buffer_pools", ("buffer_pools",),
        titles=("Buffer Pool Statistics",),
        summaries=("This table displays buffer pool statistics for different types of buffers",),
        required=("p", "physicalreads"),
        columns=_POOLS,
        headers=(
            "P | Number of Buffers | Pool Hit% | Buffer Gets | Physical Reads | Physical Writes | "
            "Free Buff Wait | Writ Comp Wait | Buffer Busy Waits",
            "P | Buffers | Pool Hit% | Buffer Gets | Physical Reads | Physical Writes | "
            "Free Buffer Waits | Writ Comp Wait | Buffer Busy Waits",
        ),
        scopes=HOST_WIDE,
    ),
    Section(
        "pga", ("pga",),
        titles=("PGA Aggr Target Stats",),
        summaries=("This table displays PGA aggregate target statistics",),
        required=("pgaaggrtarget(m)",),
        columns=_PGA,
        headers=(
            "| PGA Aggr Target(M) | Auto PGA Target(M) | PGA Mem Alloc(M) | W/A PGA Used(M) | "
            "%PGA W/A Mem | %Auto W/A Mem | %Man W/A Mem | Global Mem Bound(K)",
        ),
        scopes=HOST_WIDE, forms=("awr",),
    ),
    Section(
        "pga_work_areas", ("pga_work_areas",),
        titles=("PGA Aggr Summary", "PGA Aggr Target Stats"),
        summaries=("This table displays PGA aggregate summary",),
        required=("pgacachehit%",),
        columns=columns(
            percent={"cache_hit_ratio": "pgacachehit%"},
            megabytes={
                "processed_bytes": "w/ambprocessed", "extra_bytes": "extraw/ambread/written",
            },
        ),
        headers=("PGA Cache Hit % | W/A MB Processed | Extra W/A MB Read/Written",),
        scopes=HOST_WIDE,
    ),
    Section(
        "rac_pga", ("pga",), "rac_pga",
        headings=("PGA Aggregate Target Statistics",),
        required=("i#",),
        columns=_RAC_PGA,
        scopes=(RAC,),
    ),
    Section(
        "buffer_pool_advice", ("memory_advice",),
        titles=("Buffer Pool Advisory",),
        summaries=("This table displays MTTR advisory",),
        required=("p", "sizeforest(m)"),
        columns=_BUFFER_ADVICE,
        ignored=("estphysreadtime", "est%dbtimeforrds"),
        headers=(
            "P | Size for Est (M) | Size Factor | Buffers (thousands) | Est Phys Read Factor | "
            "Estimated Phys Reads (thousands) | Est Phys Read Time | Est %DBtime for Rds",
            "P | Size for Est (M) | Size Factr | Buffers (thousands) | Est Phys Read Factr | "
            "Estimated Phys Reads (thousands) | Est Phys Read Time | Est % dbtime for Rds",
        ),
        constants={"advice": "buffer_pool"},
        scopes=HOST_WIDE,
    ),
    Section(
        "pga_advice", ("memory_advice",),
        titles=("PGA Memory Advisory",),
        summaries=("This table displays PGA memory advisory",),
        required=("w/ambprocessed", "sizefactr"),
        columns=_PGA_ADVICE,
        ignored=("estdtime", "estdtimetoprocessbytes"),
        headers=(
            "PGA Target Est (MB) | Size Factr | W/A MB Processed | "
            "Estd Extra W/A MB Read/ Written to Disk | Estd P Cache Hit % | "
            "Estd PGA Overallo Count | Estd Time",
            "PGA Aggr Target Est (MB) | Size Factr | W/A MB Processed | "
            "Estd Extra W/A MB Read/Written to Disk | Estd Time to Process Bytes (s) | "
            "Estd PGA Cache Hit % | Estd PGA Overalloc Count",
        ),
        constants={"advice": "pga"},
        scopes=HOST_WIDE,
    ),
    Section(
        "sga_advice", ("memory_advice",),
        titles=("SGA Target Advisory",),
        summaries=("This table displays SGA target advisory",),
        required=("sgatargetsize(m)", "estphysicalreads"),
        columns=_SGA_ADVICE,
        headers=(
            "SGA Target Size (M) | SGA Size Factor | Est DB Time (s) | Est Physical Reads",
            "SGA Target Size (M) | SGA Size Factor | Est DB Time (s) | Est DB Time Factor | "
            "Est Physical Reads",
        ),
        constants={"advice": "sga"},
    ),
)  # fmt: skip
"""Sections of memory beyond Memory Statistics and Cache Sizes, which stand with the host."""
