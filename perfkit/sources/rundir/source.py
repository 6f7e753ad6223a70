"""The declaration of perfkit's own run directories."""

from __future__ import annotations

from perfkit.core import run_schema, schema
from perfkit.sources.rundir.read import read_run, started
from perfkit.sources.source import CURVE, Source

RUN = Source(
    "perfkit-run",
    None,
    read_run,
    "run directory of perfkit run (folder with run.json)",
    markers=("run.json",),
    tables={
        **dict.fromkeys(
            ("load_points", "control_points", "rounds", "host_points"), schema.LOAD_POINTS
        ),
        "points": run_schema.RUN_POINTS,
        "steady_state": run_schema.RUN_STEADY_STATE,
        "warm_ups": run_schema.RUN_WARM_UPS,
        "verification": run_schema.RUN_VERIFICATION,
        "series": run_schema.RUN_SERIES,
        "streams": run_schema.RUN_STREAMS,
        "percentiles": run_schema.RUN_PERCENTILES,
        "histogram": run_schema.RUN_HISTOGRAM,
        "cautions": run_schema.RUN_CAUTIONS,
        "cycles": run_schema.RUN_CYCLES,
        "host_series": run_schema.RUN_HOST_SERIES,
        "observed": run_schema.RUN_OBSERVED,
        "events": run_schema.RUN_EVENTS,
        "by_target": run_schema.RUN_TARGETS,
        "job_options": run_schema.RUN_JOB_OPTIONS,
        "commands": run_schema.RUN_COMMANDS,
        "disk_util": run_schema.RUN_DISK_UTIL,
        "host": run_schema.RUN_HOST,
        "spec": run_schema.RUN_SPEC,
    },
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
