"""What is to be known of SLOB's run directories."""

from __future__ import annotations

from perfkit.sources.slob.run import read_slob
from perfkit.sources.source import CURVE, Source

SOURCES = (
    Source(
        "slob",
        None,
        read_slob,
        "SLOB run directory (folder with slob.conf)",
        marker="slob.conf",
        table="report_files",
        row_key=("source", "file"),
        series_key=CURVE,
        notebook="oracle",
        notebook_of_loads="compare",
    ),
)
