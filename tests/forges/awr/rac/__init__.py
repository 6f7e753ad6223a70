"""The sections of a RAC-global report (awrgrpt) in HTML: 12.2 and later, and 11.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.rac.cluster import CLUSTER
from forges.awr.rac.events import global_events_sheet
from forges.awr.rac.histogram import histogram_sheet
from forges.awr.rac.host import os_sheet, time_model_sheet
from forges.awr.rac.io import io_profile_sheet, io_sheet
from forges.awr.rac.load import SYSTEM_KINDS, activity_sheet, system_sheet
from forges.awr.rac.memory import pga_sheet
from forges.awr.rac.parameters import parameters_sheet
from forges.awr.rac.report import database_sheet, instance_list_sheet
from forges.awr.rac.top import top_sheet
from forges.awr.rac.waits import classes_sheet

if TYPE_CHECKING:
    from forges.awr.content import Content
    from forges.awr.rac.dialect import GlobalMaker, RacDialect
    from forges.awr.sheet import Sheet


def sheets(content: Content, dialect: RacDialect) -> list[Sheet]:
    """Every section, in the order of the report."""
    found = [database_sheet(content, dialect), instance_list_sheet(content, dialect)]
    made = (make(content, dialect) for make in PARTS)
    return found + [sheet for sheet in made if sheet is not None]


PARTS: tuple[GlobalMaker, ...] = (
    os_sheet, time_model_sheet, classes_sheet, top_sheet("Top Timed Events", "12050", "all"),
    top_sheet("Top Timed Foreground Events", "12051", "foreground"),
    top_sheet("Top Timed Background Events", "12052", "background"),
    global_events_sheet("Foreground Wait Events (Global)", "12053", "foreground"),
    global_events_sheet("Background Wait Events (Global)", "12054", "background"), histogram_sheet,
    *(system_sheet(kind) for kind in SYSTEM_KINDS), activity_sheet, io_profile_sheet,
    io_sheet("IOStat by Function", "12076", "function"),
    io_sheet("IOStat by File Type", "12077", "filetype"),
    pga_sheet, *CLUSTER, parameters_sheet,
)  # fmt: skip
