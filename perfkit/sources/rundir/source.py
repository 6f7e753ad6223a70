"""What is to be known of perfkit's own run directories."""

from __future__ import annotations

from perfkit.sources.rundir.read import read_run
from perfkit.sources.source import CURVE, Source

RUN = Source(
    "perfkit-run",
    None,
    read_run,
    "run directory of perfkit run (folder with run.json)",
    marker="run.json",
    table="points",
    row_key=("source", "point"),
    series_key=CURVE,
    notebook="fio_results",
)
SOURCES = (RUN,)
