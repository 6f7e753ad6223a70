"""A table for print of what stands beside the database: a read and a commit, place by place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.analysis.awr.beside import LEDGER, PLACES
from perfkit.core.lineage import Measured, step
from perfkit.showing.tables.sheet import COUNT, SECONDS, SHARE, Sheet, measured_rows

if TYPE_CHECKING:
    from perfkit.core.values import Table

_NOTE = (
    "Between: what a place takes beyond the next one below it, where both are of the same "
    "operations. Covered: the share of the period that the recording covers. "
)


@step(version=2, name="table.beside")
def table_beside(ledger: Measured) -> Table:
    """One row a report, operation and place of a ledger (``awr.beside``), from the session down.

    Of more than a few reports it is a detail, attached and not printed.
    """
    rows = [
        {**row, "place": PLACES[row["place"]]}
        for row in measured_rows(ledger, "ledger", list(LEDGER))
    ]
    sheet = Sheet(rows)
    sheet.differing(history="Database", report="Report")
    sheet.words(operation="Operation", place="Place", of="Event or devices")
    sheet.add("operations", "Operations", COUNT)
    sheet.wait("mean_s", "Mean")
    sheet.wait("between_s", "Between")
    sheet.add("covered_ratio", "Covered (%)", SHARE)
    sheet.words(note="Remark")
    offsets = {row["offset_s"] for row in rows if row["offset_s"] is not None}
    clocks = (
        "The clocks of the recordings are taken as the database's."
        if offsets <= {0.0}
        else "The clocks of the recordings are ahead of the database's by "
        + " and ".join(f"{SECONDS.number(value)} s" for value in sorted(offsets))
        + "."
    )
    made = sheet.table("beside", "A read and a commit, from the session down.", _NOTE + clocks)
    return replace(made, detail=len({row["report"] for row in rows}) > _PRINTED)


_PRINTED = 4
"""Reports whose rows are printed."""
