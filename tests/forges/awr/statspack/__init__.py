"""Statspack text reports (spreport): 12.1, as studied on a real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.pages import block_text
from forges.awr.sheet import Block
from forges.awr.statspack.host import (
    host_cpu_block,
    instance_cpu_block,
    os_block,
    time_model_block,
)
from forges.awr.statspack.io import functions_block, read_histogram_block, tablespaces_block
from forges.awr.statspack.load import activity_block, load_profile_block
from forges.awr.statspack.memory import caches_block, memory_block
from forges.awr.statspack.parameters import parameters_block
from forges.awr.statspack.release import END, FEED, BlockMaker
from forges.awr.statspack.report import head_block
from forges.awr.statspack.sql import SQL_TABLES, sql_block
from forges.awr.statspack.storage import STORAGE
from forges.awr.statspack.waits import events_block, histogram_block, top_block

if TYPE_CHECKING:
    from forges.awr.content import Content


def blocks(content: Content) -> list[Block]:
    """Every section, in the order of the report."""
    instance = content.instances[0]
    own = {"level": "instance", "instance": instance.number}
    found = [head_block(content, instance)]
    for make in PARTS:
        block = make(content, instance)
        if block is not None:
            found.append(Block(**{**block.__dict__, "fixed": {**own, **block.fixed}}))
    return found


def render(content: Content, found: list[Block]) -> str:
    """The whole text; the form feed is glued to the heading behind it."""
    name = content.database.name
    where = f"DB/Inst: {name}/{content.instances[0].name}  Snaps: " + (
        f"{content.snapshots.begin_id}-{content.snapshots.end_id}"
    )
    parts = ["\nSTATSPACK report for\n\n"]
    for block in found:
        if block.style == "section":
            parts.append(_section(block, where))
        else:
            parts.append(block_text(block, where, END))
    text = "".join(parts).replace(f"\n\n{END}\n{FEED}Host CPU", f"\n{END}\n{FEED}Host CPU")
    return f"{text}End of Report ( /tmp/sp.lst )\n\n"


def _section(block: Block, where: str) -> str:
    # the heading and where it is from stand two blanks apart
    filled = Block(**{**block.__dict__, "heading": f"{block.heading}  "})
    return block_text(filled, where, END, page=50, feed=FEED, wide=0)


PARTS: tuple[BlockMaker, ...] = (
    caches_block, load_profile_block, top_block, host_cpu_block, instance_cpu_block, memory_block,
    time_model_block, events_block("Foreground Wait Events", "foreground"),
    events_block("Background Wait Events", "background"),
    events_block("Wait Events (fg and bg)", "all"), histogram_block,
    *(sql_block(table) for table in SQL_TABLES), activity_block, os_block, functions_block,
    tablespaces_block, read_histogram_block, *STORAGE, parameters_block,
)  # fmt: skip
