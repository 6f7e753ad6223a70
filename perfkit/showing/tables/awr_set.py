"""Tables for print of a set of AWR or Statspack reports, and of where their numbers stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.awr.waits import rows_of
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format
from perfkit.showing.tables.awr import MEAN_NOTE, by_instance
from perfkit.showing.tables.sheet import COUNT, RATE, SHARE, Sheet

if TYPE_CHECKING:
    from perfkit.core.values import Table

_MINUTES = Format("min", decimals=2)


@step(version=3, name="table.reports")
def table_reports(overview: Measured) -> Table:
    """One row a report of a set (``report_overview``): what was measured, and what it gave."""
    rows = overview.frame.rows(named=True)
    if not rows:
        raise AbsentError("there is no report")
    if len(rows) == 1:
        raise AbsentError("there is one report, and no other beside it")
    sheet = Sheet(rows)
    sheet.words(report="Report")
    sheet.differing(system="System", config="Config", db_name="Database", release="Release")
    sheet.load()
    sheet.words(begin_time="From")
    sheet.add("elapsed_s", "Elapsed (min)", _MINUTES)
    sheet.add("db_time_per_elapsed_ratio", "DB time / elapsed", RATE)
    sheet.numbers(COUNT, read_iops="Read IOPS", write_iops="Write IOPS")
    sheet.metric("bw_bytes_per_s")
    sheet.add("cpu_busy_ratio", "Host CPU (%)", SHARE)
    event = rows[0]["event"]
    sheet.wait("event_wait_s", str(event))
    note = (
        "DB time / elapsed: average active sessions. IOPS and throughput: of the section that "
        "gives them most finely, Instance Activity or a profile."
    )
    if any(row["event_wait_s"] is not None for row in rows):
        note += f" {event}: mean wait of foreground sessions. {MEAN_NOTE}"
    elif event:
        note += f" No report gives a mean wait of {event}."
    else:
        note += " No report lists a foreground event of User I/O: none has a mean wait here."
    return sheet.table("reports", "The reports of the set.", note)


@step(version=2, name="table.iops_source")
def table_iops_source(iops: Measured) -> Table:
    """Where a report states its I/O requests per second, which was used, and what they count."""
    rows = [
        {**row, "used": "yes" if row["used"] else "no"}
        for row in rows_of(iops, "iops_source", ("section", "counts", "used", "iops"))
    ]
    sheet = by_instance(rows)
    sheet.words(section="Section", counts="Requests counted")
    sheet.numbers(RATE, read_iops="Read IOPS", write_iops="Write IOPS", iops="IOPS")
    sheet.words(used="Used")
    note = (
        "total: all requests of the instance; database: without redo, control files and tools such "
        "as RMAN."
    )
    return sheet.table("iops-source", "I/O requests per second, by section.", note)
