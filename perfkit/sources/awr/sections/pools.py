"""Memory of the database: what pools and work areas hold and spill, and what other sizes would."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import HOST_WIDE, RAC, Columns, Section

_POOLS: Columns = {
    "p": ("pool", "words"),
    "numberofbuffers": ("buffers", "count"),
    "buffers": ("buffers", "count"),
    "poolhit%": ("hit_ratio", "percent"),
    "buffergets": ("buffer_gets_blocks", "count"),
    "physicalreads": ("physical_reads_blocks", "count"),
    "physicalwrites": ("physical_writes_blocks", "count"),
    "freebuffwait": ("free_buffer_waits", "count"),
    "freebufferwaits": ("free_buffer_waits", "count"),
    "writcompwait": ("write_complete_waits", "count"),
    "bufferbusywaits": ("buffer_busy_waits", "count"),
}

_PGA: Columns = {
    "": ("snapshot", "snapshot"),
    "pgaaggrtarget(m)": ("target_bytes", "megabytes"),
    "autopgatarget(m)": ("auto_target_bytes", "megabytes"),
    "pgamemalloc(m)": ("allocated_bytes", "megabytes"),
    "w/apgaused(m)": ("work_areas_bytes", "megabytes"),
    "%pgaw/amem": ("work_areas_ratio", "percent"),
    "%autow/amem": ("auto_work_areas_ratio", "percent"),
    "%manw/amem": ("manual_work_areas_ratio", "percent"),
    "globalmembound(k)": ("global_memory_bound_bytes", "kilobytes"),
}

_RAC_PGA: Columns = {
    "i#": ("i#", "words"),
    **{
        f"{name}|{when}": (f"{ours}|{when}", "megabytes")
        for name, ours in {
            "pgaaggrtarget": "target_bytes", "autopgatarget": "auto_target_bytes",
            "pgamemalloc": "allocated_bytes", "autoworkareas": "auto_work_areas_bytes",
            "manualworkarea": "manual_work_areas_bytes",
            "globalmembound": "global_memory_bound_bytes",
        }.items()
        for when in ("begin", "end")
    },
}  # fmt: skip

_BUFFER_ADVICE: Columns = {
    "p": ("pool", "words"),
    "sizeforest(m)": ("size_bytes", "megabytes"),
    "sizefactor": ("size_factor", "number"),
    "sizefactr": ("size_factor", "number"),
    "buffers(thousands)": ("buffers", "thousands"),
    "estphysreadfactor": ("physical_reads_factor", "number"),
    "estphysreadfactr": ("physical_reads_factor", "number"),
    "estimatedphysreads(thousands)": ("physical_reads_blocks", "thousands"),
}

_PGA_ADVICE: Columns = {
    "pgatargetest(mb)": ("size_bytes", "megabytes"),
    "pgaaggrtargetest(mb)": ("size_bytes", "megabytes"),
    "sizefactr": ("size_factor", "number"),
    "w/ambprocessed": ("processed_bytes", "megabytes"),
    "estdextraw/ambread/writtentodisk": ("extra_bytes", "megabytes"),
    "estdpgacachehit%": ("cache_hit_ratio", "percent"),
    "estdpcachehit%": ("cache_hit_ratio", "percent"),
    "estdpgaoveralloccount": ("overallocations", "count"),
    "estdpgaoverallocount": ("overallocations", "count"),
}

_SGA_ADVICE: Columns = {
    "sgatargetsize(m)": ("size_bytes", "megabytes"),
    "sgasizefactor": ("size_factor", "number"),
    "estdbtime": ("db_time_s", "seconds"),
    "estdbtimefactor": ("db_time_factor", "number"),
    "estphysicalreads": ("physical_reads_blocks", "number"),
}

SECTIONS: tuple[Section, ...] = (
    Section(
        "buffer_pools", ("buffer_pools",),
        titles=("Buffer Pool Statistics",),
        summaries=("This table displays buffer pool statistics for different types of buffers",),
        needs=("p", "physicalreads"),
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
        needs=("pgaaggrtarget(m)",),
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
        needs=("pgacachehit%",),
        columns={
            "pgacachehit%": ("cache_hit_ratio", "percent"),
            "w/ambprocessed": ("processed_bytes", "megabytes"),
            "extraw/ambread/written": ("extra_bytes", "megabytes"),
        },
        headers=("PGA Cache Hit % | W/A MB Processed | Extra W/A MB Read/Written",),
        scopes=HOST_WIDE,
    ),
    Section(
        "rac_pga", ("pga",), "rac_pga",
        titles=("PGA Aggregate Target Statistics",),
        summaries=("PGA Aggregate Target Statistics",),
        needs=("i#",),
        columns=_RAC_PGA,
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "buffer_pool_advice", ("memory_advice",),
        titles=("Buffer Pool Advisory",),
        summaries=("This table displays MTTR advisory",),
        needs=("p", "sizeforest(m)"),
        columns=_BUFFER_ADVICE,
        ignored=("estphysreadtime", "est%dbtimeforrds"),
        headers=(
            "P | Size for Est (M) | Size Factor | Buffers (thousands) | Est Phys Read Factor | "
            "Estimated Phys Reads (thousands) | Est Phys Read Time | Est %DBtime for Rds",
            "P | Size for Est (M) | Size Factr | Buffers (thousands) | Est Phys Read Factr | "
            "Estimated Phys Reads (thousands) | Est Phys Read Time | Est % dbtime for Rds",
        ),
        const={"advice": "buffer_pool"},
        scopes=HOST_WIDE,
    ),
    Section(
        "pga_advice", ("memory_advice",),
        titles=("PGA Memory Advisory",),
        summaries=("This table displays PGA memory advisory",),
        needs=("w/ambprocessed", "sizefactr"),
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
        const={"advice": "pga"},
        scopes=HOST_WIDE,
    ),
    Section(
        "sga_advice", ("memory_advice",),
        titles=("SGA Target Advisory",),
        summaries=("This table displays SGA target advisory",),
        needs=("sgatargetsize(m)", "estphysicalreads"),
        columns=_SGA_ADVICE,
        headers=(
            "SGA Target Size (M) | SGA Size Factor | Est DB Time (s) | Est Physical Reads",
            "SGA Target Size (M) | SGA Size Factor | Est DB Time (s) | Est DB Time Factor | "
            "Est Physical Reads",
        ),
        const={"advice": "sga"},
    ),
)  # fmt: skip
"""Sections of memory beyond Memory Statistics and Cache Sizes, which stand with the host."""
