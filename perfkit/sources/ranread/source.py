"""The declaration of InterSystems' RANREAD, RanWrite and RanIO."""

from __future__ import annotations

from perfkit.core.schema import LOAD_POINTS
from perfkit.sources.ranread.read import is_ranread, read_ranread
from perfkit.sources.ranread.schema import RANREAD_RUNS
from perfkit.sources.source import CURVE, Keys, Reported, Source

SOURCES = (
    Source(
        "ranread",
        is_ranread,
        read_ranread,
        "RANREAD, RanWrite or RanIO of InterSystems",
        tables={"ranread_runs": RANREAD_RUNS, "load_points": LOAD_POINTS},
        table="ranread_runs",
        keys=Keys(row=("source", "position"), series=CURVE),
        time="started_at",
        reported=Reported(notebook="iris_ranread", criteria="intersystems-read"),
        asks=("curves",),
        leading={
            "ranread_runs": (
                "host",
                "tool",
                "job",
                "processes",
                "total_iops",
                "response_time_s",
                "elapsed_s",
            ),
        },
    ),
)
