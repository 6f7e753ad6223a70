"""What is to be known of vdbench's flat file."""

from __future__ import annotations

from perfkit.core.schema import LOAD_POINTS
from perfkit.sources.source import CURVE, Keys, Source
from toy_vdbench.read import VDBENCH_RUNS, is_vdbench, read_vdbench

SOURCES = (
    Source(
        "vdbench",
        is_vdbench,
        read_vdbench,
        "flatfile.html of vdbench",
        tables={"vdbench_runs": VDBENCH_RUNS, "load_points": LOAD_POINTS},
        table="vdbench_runs",
        keys=Keys(row=("source", "line"), series=CURVE),
    ),
)
