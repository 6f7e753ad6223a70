"""AWR text reports of one instance (awrrpt, text): 12.1 and 19c."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.sql import ORDERS
from forges.awr.lines.storage import ORDERS as SEGMENT_ORDERS
from forges.awr.sheet import Block
from forges.awr.text.activity import ACTIVITY, efficiency_block
from forges.awr.text.files import files_block
from forges.awr.text.histogram import HISTOGRAMS
from forges.awr.text.host import (
    host_cpu_block,
    instance_cpu_block,
    os_block,
    os_detail_block,
    time_model_block,
)
from forges.awr.text.io import filetypes_block, functions_block, io_profile_block
from forges.awr.text.load import activity_block, load_profile_block
from forges.awr.text.memory import caches_block, memory_block
from forges.awr.text.parameters import parameters_block
from forges.awr.text.report import head_block
from forges.awr.text.segments import segments_block
from forges.awr.text.sql import sql_block
from forges.awr.text.storage import STORAGE
from forges.awr.text.waits import (
    classes_block,
    events_block,
    foreground_classes_block,
    top_block,
)

if TYPE_CHECKING:
    from forges.awr.content import Content
    from forges.awr.text.dialect import BlockMaker, TextDialect


def blocks(content: Content, dialect: TextDialect) -> list[Block]:
    """Every section, in the order of the report."""
    instance = content.instances[0]
    own = {"level": "instance", "instance": instance.number}
    found = [head_block(content, instance, dialect)]
    for make in PARTS:
        block = make(content, instance, dialect)
        if block is not None:
            found.append(Block(**{**block.__dict__, "fixed": {**own, **block.fixed}}))
    return found


PARTS: tuple[BlockMaker, ...] = (
    load_profile_block, efficiency_block, top_block, classes_block, host_cpu_block,
    instance_cpu_block,
    io_profile_block, memory_block, caches_block, time_model_block, os_block, os_detail_block,
    foreground_classes_block, events_block("foreground"), events_block("background"),
    *HISTOGRAMS, *(sql_block(order) for order in ORDERS), activity_block, functions_block,
    filetypes_block, files_block(False), files_block(True),
    *STORAGE, *(segments_block(order) for order in SEGMENT_ORDERS), *ACTIVITY,
    parameters_block,
)  # fmt: skip
