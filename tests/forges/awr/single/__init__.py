"""The sections of a report of one instance (awrrpt), HTML 11.2.0.4, 12.2, 19c and PDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.histogram import BINS_NEW, BINS_OLD
from forges.awr.lines.sql import ORDERS
from forges.awr.lines.storage import ORDERS as SEGMENT_ORDERS
from forges.awr.sheet import Sheet
from forges.awr.single.activity import ACTIVITY, efficiency_sheet
from forges.awr.single.files import files_sheet
from forges.awr.single.histogram import histogram_sheet
from forges.awr.single.host import (
    host_cpu_sheet,
    instance_cpu_sheet,
    os_detail_sheet,
    os_sheet,
    time_model_sheet,
)
from forges.awr.single.io import filetypes_sheet, functions_sheet, io_profile_sheet
from forges.awr.single.load import activity_sheet, load_profile_sheet
from forges.awr.single.memory import caches_sheet, memory_sheet
from forges.awr.single.parameters import parameters_sheet
from forges.awr.single.report import head_sheets
from forges.awr.single.segments import segments_sheet
from forges.awr.single.sql import sql_sheet
from forges.awr.single.storage import STORAGE
from forges.awr.single.waits import (
    background_sheet,
    foreground_classes_sheet,
    foreground_sheet,
    top_events_sheet,
    wait_classes_sheet,
)

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect, SheetMaker


def sheets(content: Content, dialect: Dialect) -> list[Sheet]:
    """Every section, in the order of the report."""
    instance = content.instances[0]
    found = [*head_sheets(content, instance, dialect)]
    own = {"level": "instance", "instance": instance.number}
    for make in PARTS:
        sheet = make(content, instance, dialect)
        if sheet is None or (dialect.pdb and sheet.heading in NOT_IN_PDB):
            continue
        fixed_facts = {**own, **sheet.fixed} if sheet.table else sheet.fixed
        found.append(Sheet(**{**sheet.__dict__, "fixed": fixed_facts}))
    return found


NOT_IN_PDB = {
    "Host CPU", "Instance CPU", "Memory Statistics", "Cache Sizes",
    "Operating System Statistics", "Operating System Statistics - Detail",
    "Buffer Pool Statistics", "Checkpoint Activity", "Instance Recovery Stats", "MTTR Advisory",
    "Buffer Pool Advisory", "PGA Aggr Summary", "PGA Aggr Target Stats", "PGA Memory Advisory",
    "SGA Target Advisory",
}  # fmt: skip


def _only(new: bool, make: SheetMaker) -> SheetMaker:
    def maybe(content: Content, instance: Instance, dialect: Dialect) -> Sheet | None:
        return make(content, instance, dialect) if dialect.new is new else None

    return maybe


PARTS: tuple[SheetMaker, ...] = (
    load_profile_sheet, efficiency_sheet, top_events_sheet, wait_classes_sheet, host_cpu_sheet,
    instance_cpu_sheet, io_profile_sheet, memory_sheet, caches_sheet, time_model_sheet, os_sheet,
    os_detail_sheet,
    foreground_classes_sheet, foreground_sheet, background_sheet,
    *(_only(True, histogram_sheet(bins)) for bins in BINS_NEW),
    *(_only(False, histogram_sheet(bins)) for bins in BINS_OLD),
    *(sql_sheet(order) for order in ORDERS), activity_sheet, functions_sheet, filetypes_sheet,
    files_sheet(False), files_sheet(True),
    *STORAGE, *(segments_sheet(order) for order in SEGMENT_ORDERS), *ACTIVITY, parameters_sheet,
)  # fmt: skip
