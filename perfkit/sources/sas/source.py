"""The declaration of SAS logs, and of SAS's own I/O test."""

from __future__ import annotations

from perfkit.core.schema import LOAD_POINTS
from perfkit.sources.sas.iotest import IOTEST, is_iotest, read_iotest
from perfkit.sources.sas.many import read_sas_logs
from perfkit.sources.sas.read import is_sas_log, read_sas, sas_to_parquet
from perfkit.sources.sas.schema import TABLES
from perfkit.sources.source import CURVE, Keys, Reported, Source

_JOBS = """\
# As jobs of one workload, on several systems or in several runs, with this instead:
# notebook: sas_workload
# jobs:
#   path: '(?P<system>[^/]+)/run-(?P<repeat>\\d+)/(?P<test>[a-z]+\\d+)'  # fits each log's path
#   classes: {computation: [comp01], memory: [mem01], I/O: [io01]}  # may be left out\
"""

SOURCES = (
    Source(
        "iotest",
        is_iotest,
        read_iotest,
        "SAS's I/O test (rhel_iotest, iotest, Viya tool)",
        tables={"iotest": IOTEST, "load_points": LOAD_POINTS},
        table="iotest",
        keys=Keys(row=("source", "node", "run", "direction"), series=(*CURVE, "target_dir")),
        asks=("curves",),
    ),
    Source(
        "sas",
        is_sas_log,
        read_sas,
        "SAS or Altair SLC log",
        to_parquet=sas_to_parquet,
        read_many=read_sas_logs,
        tables=TABLES,
        table="steps",
        keys=Keys(row=("source", "session", "step"), series=("source", "session")),
        reported=Reported(notebook="sas_logs", study_lines=_JOBS),
        overview=("sessions", "steps", "messages"),
        asks=("sas",),
        leading={
            "sessions": ("session", "real_time_s", "cpu_s", "steps", "release", "os", "ended"),
            "steps": ("session", "step", "kind", "name", "real_time_s", "cpu_s", "line", "errors"),
            "datasets": ("session", "step", "role", "name", "observations", "variables"),
            "messages": ("line", "level", "text"),
        },
    ),
)
