"""The declaration of fio's results."""

from __future__ import annotations

import re

from perfkit.core import schema
from perfkit.formats.fio_json import form_of, has_error_line
from perfkit.sources.fio import schema as fio_schema
from perfkit.sources.fio.load import GRIDS
from perfkit.sources.fio.logs import is_fio_log, read_fio_log, read_fio_logs
from perfkit.sources.fio.normal import is_normal
from perfkit.sources.fio.read import read_fio, turn_of, written
from perfkit.sources.source import CURVE, Keys, Reported, Series, Source

_FIRST_KEY = re.compile(r'^\{\s*"fio version"\s*:|\{\n\s*"fio version"\s*:\s*"fio-', re.M)


def is_fio(head: str) -> bool:
    """JSON with fio's first key, normal output, fio's errors, or a form that its reader refuses.

    The key alone proves nothing: programs that read fio's results name it too.
    """
    is_json = head.lstrip().startswith(("{", "["))
    has_key = '"fio version"' in head and (is_json or bool(_FIRST_KEY.search(head)))
    return has_key or has_error_line(head) or is_normal(head) or form_of(head) is not None


SOURCES = (
    Source(
        "fio-log",
        is_fio_log,
        read_fio_log,
        "fio log over time (bw, iops, lat, slat, clat, histogram)",
        tables={"fio_logs": fio_schema.FIO_LOGS, "fio_log_histogram": fio_schema.FIO_LOG_HISTOGRAM},
        table="fio_logs",
        keys=Keys(row=("source", "line"), series=("source", "log", "direction")),
        series={"fio_logs": Series(("log", "job", "direction"))},
        reported=Reported(joins=("fio_results", "compare")),
        read_many=read_fio_logs,
    ),
    Source(
        "fio",
        is_fio,
        read_fio,
        "fio result (JSON or normal output)",
        tables={
            "load_points": schema.LOAD_POINTS,
            "summary": fio_schema.FIO_SUMMARY,
            "percentiles": fio_schema.FIO_PERCENTILES,
            "histogram": fio_schema.FIO_HISTOGRAM,
            "job_options": fio_schema.FIO_JOB_OPTIONS,
            "disk_util": fio_schema.FIO_DISK_UTIL,
            "job_steady_state": fio_schema.FIO_STEADY_STATE,
            "sync": fio_schema.FIO_SYNC,
        },
        table="summary",
        keys=Keys(
            row=("source", "hostname", "port", "job", "direction"),
            series=(*CURVE, "rw", "bs"),
            options={"rw": ("rw", "readwrite"), "bs": ("bs", "blocksize")},
            sizes=("bs",),
        ),
        grids=GRIDS,
        reported=Reported(notebook="fio_results", needs_load=True),
        overview=("load_points",),
        asks=("curves",),
        when=written,
        turn=turn_of,
        leading={
            "summary": (
                "hostname",
                "job",
                "jobname",
                "direction",
                "iops",
                "bw_bytes_per_s",
                "lat_mean_s",
            ),
        },
    ),
)
