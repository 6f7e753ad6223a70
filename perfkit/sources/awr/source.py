"""The declaration of AWR and Statspack reports."""

from __future__ import annotations

from functools import partial

from perfkit.sources.awr.many import read_awr_reports, read_awr_sets
from perfkit.sources.awr.read import read_awr
from perfkit.sources.awr.report_file import is_report, is_statspack
from perfkit.sources.awr.schema import TABLES
from perfkit.sources.source import CURVE, Keys, Reported, Source

_report = partial(
    Source,
    read=read_awr,
    read_many=read_awr_reports,
    read_sets=read_awr_sets,
    tables=TABLES,
    chooses=True,
    table="report",
    keys=Keys(
        row=("source", "db_id", "instance", "snap_begin_id", "snap_end_id"),
        # without a load a report is a series of its own: a period of a database, not a load point
        series=(*CURVE, "db_name"),
        history=("db_id", "instance"),
        period=("form", "scope", "snap_begin_id", "snap_end_id", "begin_time", "end_time"),
    ),
    time="begin_time",
    reported=Reported(
        notebook="oracle",
        of_loads="compare",
        of_series="oracle_series",
        of_pair="oracle_pair",
        tables_of_series=(
            "report",
            "instances",
            "load_points",
            "time_model",
            "wait_classes",
            "wait_events",
            "top_events",
            "load_profile",
            "instance_activity",
            "system_statistics",
            "event_histogram",
            "sql",
            "segments",
        ),
    ),
    overview=("report", "load_points", "top_events", "io_by_function"),
    asks=("awr",),
    leading={
        "report": (
            "db_name",
            "begin_time",
            "elapsed_s",
            "db_time_s",
            "release",
            "instance",
            "host",
            "cpus",
        ),
        "top_events": ("instance", "event", "waits", "total_wait_s", "avg_wait_s", "db_time_ratio"),
        "wait_events": (
            "instance",
            "scope",
            "event",
            "waits",
            "total_wait_s",
            "avg_wait_s",
            "db_time_ratio",
        ),
        "wait_classes": (
            "instance",
            "scope",
            "wait_class",
            "waits",
            "total_wait_s",
            "avg_wait_s",
            "db_time_ratio",
        ),
        "io_by_function": (
            "instance",
            "function",
            "filetype",
            "read_iops",
            "write_iops",
            "read_bytes_per_s",
            "write_bytes_per_s",
            "avg_wait_s",
        ),
        "load_profile": ("instance", "printed", "unit", "per_s", "per_transaction"),
        "io_profile": ("instance", "printed", "unit", "read_per_s", "write_per_s", "total_per_s"),
        "sql": (
            "instance",
            "ordered_by",
            "sql_id",
            "executions",
            "elapsed_s",
            "cpu_s",
            "user_io_s",
        ),
    },
)
"""A report of either tool: they are read alike, and reports of both stand in one order."""

SOURCES = (
    _report(
        "awr",
        is_report,
        description="Oracle AWR report (HTML or text)",
    ),
    _report(
        "statspack",
        is_statspack,
        description="Oracle Statspack report (text)",
    ),
)
