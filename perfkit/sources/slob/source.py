"""The declaration of SLOB's run directories."""

from __future__ import annotations

from perfkit.sources.host.columns import HOST_SERIES
from perfkit.sources.slob import schema
from perfkit.sources.slob.run import read_slob
from perfkit.sources.source import CURVE, Keys, Reported, Source

SOURCES = (
    Source(
        "slob",
        None,
        read_slob,
        "SLOB run directory (slob.conf, db_stats.out, AWR reports, iostat, vmstat, mpstat)",
        markers=("slob.conf", "db_stats.out"),
        tables={
            "slob_conf": schema.CONF,
            "report_files": schema.REPORT_FILES,
            "awr_info": schema.AWR_INFO,
            "db_stats": schema.DB_STATS,
            "host_series": HOST_SERIES,
            "load_points": schema.POINTS,
        },
        table="report_files",
        keys=Keys(row=("source", "file"), series=CURVE),
        run_table="report",
        reported=Reported(notebook="oracle", of_loads="compare"),
        asks=("curves",),
        leading={
            "awr_info": (
                "file",
                "threads",
                "physical_reads_per_s",
                "physical_writes_per_s",
                "db_file_sequential_read_s",
                "log_file_parallel_write_s",
            ),
        },
    ),
)
