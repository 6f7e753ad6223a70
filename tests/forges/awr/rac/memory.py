"""Memory of the server processes by instance, RAC-global."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.storage import mib
from forges.awr.printing import MIB, Shown, fixed
from forges.awr.rac.cells import level, number
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content
    from forges.awr.rac.dialect import RacDialect
    from forges.awr.storage import Pga

GROUPS = (
    ("PGA Aggr Target", "target_bytes"), ("Auto PGA Target", "auto_target_bytes"),
    ("PGA Mem Alloc", "allocated_bytes"), ("Auto Workareas", "auto_work_areas_bytes"),
    ("Manual Workarea", "manual_work_areas_bytes"),
    ("Global Mem Bound", "global_memory_bound_bytes"),
)  # fmt: skip


def _cells(pga: Pga) -> list[Shown]:
    """The six figures of one snapshot, in MB."""
    return [
        fixed(pga.target_mb, 2, scale=MIB), fixed(pga.auto_target_mb, 2, scale=MIB),
        mib(pga.allocated, 2), mib(pga.auto_work, 2), mib(pga.manual_work, 2),
        fixed(pga.bound_mb, 2, scale=MIB),
    ]  # fmt: skip


def pga_sheet(content: Content, dialect: RacDialect) -> Sheet | None:
    """PGA Aggregate Target Statistics: a row an instance, begin and end side by side."""
    lines = []
    for instance in content.instances:
        if instance.storage.pga is None:
            continue
        sides = [_cells(pga) for pga in instance.storage.pga]
        cells = [cell for pair in zip(*sides, strict=True) for cell in pair]
        said = tuple(
            {
                **level(instance), "snapshot": snapshot,
                **{key: cell.says for (_, key), cell in zip(GROUPS, side, strict=True)},
            }
            for snapshot, side in zip(("begin", "end"), sides, strict=True)
        )  # fmt: skip
        lines.append(Line([number(instance.number), *cells], said=said))
    if not lines or not dialect.new:
        return None
    columns = (
        Column("I#"),
        *(Column(when, group=group) for group, _ in GROUPS for when in ("Begin", "End")),
    )
    return Sheet(
        "pga", "PGA Aggregate Target Statistics",
        "PGA Aggregate Target Statistics. . all stats are reported in MegaBytes", columns,
        tuple(lines), anchor="12074", bullets=("all stats are reported in MegaBytes",),
    )  # fmt: skip
