"""The declaration of elbencho's results."""

from __future__ import annotations

from perfkit.core import schema
from perfkit.formats.elbencho_live import is_live
from perfkit.sources.elbencho import schema as elbencho_schema
from perfkit.sources.elbencho.live import read_elbencho_live
from perfkit.sources.elbencho.read import is_elbencho, read_elbencho
from perfkit.sources.source import CURVE, Keys, Reported, Series, Source

SOURCES = (
    Source(
        "elbencho",
        is_elbencho,
        read_elbencho,
        "elbencho results (JSON lines or CSV)",
        tables={
            "load_points": schema.LOAD_POINTS,
            "phases": elbencho_schema.ELBENCHO_PHASES,
            "job_options": elbencho_schema.ELBENCHO_JOB_OPTIONS,
            "percentiles": elbencho_schema.ELBENCHO_PERCENTILES,
            "histogram": elbencho_schema.ELBENCHO_HISTOGRAM,
        },
        table="phases",
        keys=Keys(row=("source", "line"), series=(*CURVE, "block_bytes"), sizes=("block_bytes",)),
        time="started",
        reported=Reported(notebook="fio_results", needs_load=True),
        overview=("load_points", "phases"),
        asks=("curves",),
        leading={"phases": ("operation", "threads", "iodepth", "block_bytes", "last_done_s")},
    ),
    Source(
        "elbencho-live",
        is_live,
        read_elbencho_live,
        "elbencho live CSV (over time)",
        tables={"series": elbencho_schema.ELBENCHO_SERIES},
        table="series",
        series={"series": Series(("operation", "rank", "direction"))},
        reported=Reported(joins=("fio_results",)),
        keys=Keys(
            row=("source", "label", "operation", "repeat", "rank", "direction", "t_s"),
            series=("source", "label", "operation", "repeat", "rank", "direction"),
        ),
    ),
)
