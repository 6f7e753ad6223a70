"""The declaration of perfkit's own run directories."""

from __future__ import annotations

from perfkit.core import schema
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
        "points": schema.RUN_POINTS,
        "steady_state": schema.RUN_STEADY_STATE,
        "warm_ups": schema.RUN_WARM_UPS,
        "verification": schema.RUN_VERIFICATION,
        "series": schema.RUN_SERIES,
        "streams": schema.RUN_STREAMS,
        "percentiles": schema.RUN_PERCENTILES,
        "histogram": schema.RUN_HISTOGRAM,
        "cautions": schema.RUN_CAUTIONS,
        "cycles": schema.RUN_CYCLES,
        "host_series": schema.RUN_HOST_SERIES,
        "observed": schema.RUN_OBSERVED,
        "events": schema.RUN_EVENTS,
        "by_target": schema.RUN_TARGETS,
        "job_options": schema.RUN_JOB_OPTIONS,
        "commands": schema.RUN_COMMANDS,
        "disk_util": schema.RUN_DISK_UTIL,
        "host": schema.RUN_HOST,
        "spec": schema.RUN_SPEC,
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
