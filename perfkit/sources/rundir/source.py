"""The declaration of perfkit's own run directories."""

from __future__ import annotations

from perfkit.sources.rundir.read import read_run, started
from perfkit.sources.rundir.tables import TABLES
from perfkit.sources.source import CURVE, Keys, Reported, Source

RUN = Source(
    "perfkit-run",
    None,
    read_run,
    "run directory of perfkit run (folder with run.json)",
    markers=("run.json",),
    tables=TABLES,
    table="points",
    keys=Keys(row=("source", "point"), series=CURVE),
    reported=Reported(notebook="fio_results", needs_load=True),
    overview=("load_points", "cautions"),
    asks=("curves",),
    when=started,
    leading={"cautions": ("point", "name", "text")},
)
SOURCES = (RUN,)
