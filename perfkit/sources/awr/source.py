"""What is to be known of AWR and Statspack reports."""

from __future__ import annotations

from functools import partial

from perfkit.sources.awr.many import read_awr_reports, read_awr_sets
from perfkit.sources.awr.read import read_awr
from perfkit.sources.awr.report_file import is_report, is_statspack
from perfkit.sources.awr.schema import TABLES
from perfkit.sources.source import CURVE, Source

_report = partial(
    Source,
    read=read_awr,
    read_many=read_awr_reports,
    read_sets=read_awr_sets,
    tables=TABLES,
    chooses=True,
    table="report",
    row_key=("source", "db_id", "instance", "snap_begin_id", "snap_end_id"),
    # without a load a report is a series of its own: a period of a database, not a load point
    series_key=(*CURVE, "db_name"),
    time="begin_time",
    notebook="oracle",
    notebook_of_loads="compare",
)
"""A report of either tool: they are read alike, and reports of both stand in one order."""

SOURCES = (
    _report(
        "awr",
        is_report,
        description="Oracle AWR report (HTML or text)",
        suffixes=(".html", ".htm", ".txt", ".lst", ".html.gz"),
    ),
    _report(
        "statspack",
        is_statspack,
        description="Oracle Statspack report (text)",
        suffixes=(".lst", ".txt", ".lst.gz"),
    ),
)
