"""Segments by what was read and written of them, of one instance, in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.storage import Order, ranked, share
from forges.awr.printing import Shown, fixed, percent, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect, SheetMaker


def segments_sheet(order: Order) -> SheetMaker:
    """Segments in one order."""

    def make(content: Content, instance: Instance, dialect: Dialect) -> Sheet | None:
        segments = instance.storage.segments
        own = ranked(segments, order.name)
        if not own:
            return None
        cdb = dialect.new and content.database.cdb
        columns = [
            Column("Owner", "owner", left=True), Column("Tablespace Name", "tablespace", left=True),
            Column("Object Name", "object", left=True),
            Column("Subobject Name", "subobject", left=True),
            Column("Obj. Type", "object_type", left=True),
        ]  # fmt: skip
        columns += [Column("Obj#", "object_id"), Column("Dataobj#", "data_object_id")] * dialect.new
        columns += [
            Column(order.title, "value"),
            Column("%Total", "total_ratio") if order.of_all else Column("% of Capture"),
        ]
        columns += [Column("PDB Name", "container", left=True)] * cdb
        lines = []
        for rank, segment in enumerate(own, 1):
            numbers = [Shown(str(n), n) for n in (segment.number, segment.data_number)]
            cells = [
                word(segment.owner), word(segment.tablespace), word(segment.name),
                word(segment.partition), word(segment.kind), *(numbers * dialect.new),
                fixed(segment.counts[order.name]), percent(share(segment, own, order.name), 2),
                *([word(segment.container)] * cdb),
            ]  # fmt: skip
            lines.append(Line(cells, {"rank": rank, "unit": order.unit}))
        return Sheet(
            "segments", f"Segments by {order.heading}",
            f"This table displays top segments by {order.summary}. Owner, tablespace name, object"
            " type are displayed for each segment",
            tuple(columns), tuple(lines), anchor=order.anchor, fixed={"ordered_by": order.name},
        )  # fmt: skip

    return make
