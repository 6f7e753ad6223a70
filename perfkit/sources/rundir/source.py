"""The declaration of perfkit's own run directories."""

from __future__ import annotations

from perfkit.sources.rundir.read import read_run, started
from perfkit.sources.rundir.tables import TABLES
from perfkit.sources.source import CURVE, Source

RUN = Source(
    "perfkit-run",
    None,
    read_run,
    "run directory of perfkit run (folder with run.json)",
    markers=("run.json",),
    tables=TABLES,
    table="points",
    row_key=("source", "point"),
    series_key=CURVE,
    notebook="fio_results",
    needs_load=True,
    overview=("load_points", "cautions"),
    asks=("curves",),
    when=started,
    leading={"cautions": ("point", "name", "text")},
)
SOURCES = (RUN,)
