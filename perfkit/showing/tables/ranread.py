"""Tables for print of RANREAD's runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.showing.tables.sheet import COUNT, Sheet

if TYPE_CHECKING:
    from perfkit.core.values import Table


@step(version=2, name="table.ranread_runs")
def table_ranread_runs(runs: Measured) -> Table:
    """One row a run: processes, IOPS, response time, and whether the three fit each other.

    Processes = IOPS x response time by construction of the tool: where the check fails, columns
    are mixed up or a value is wrong; a layout without response time cannot be checked.
    """
    require_columns(
        runs.frame, ("processes", "total_iops", "response_time_s", "little_check"), "ranread_runs"
    )
    rows = runs.frame.rows(named=True)
    if not rows:
        raise AbsentError("ranread_runs: no run, so no table")
    sheet = Sheet(rows)
    sheet.differing(system="System", config="Config", host="Host", tool="Tool")
    sheet.words(started_at="Started")
    sheet.numbers(COUNT, processes="Processes", read_iops="Read IOPS")
    if any(row["write_iops"] for row in rows):
        sheet.add("write_iops", "Writes/s (to memory)", COUNT)
    sheet.metric("response_time_s", "Response time", "lat_mean_s")
    sheet.varying("response_time_origin", "Response time is")
    sheet.varying("little_check", "IOPS x time = processes")
    return sheet.table("ranread-runs", "Runs of RANREAD.", _note(rows))


def _note(rows: list[dict[str, object]]) -> str | None:
    if any(row["write_iops"] for row in rows):
        return "Writes go to the database cache: they are no writes of the storage."
    return None
