"""Segments by what was read and written of them, as text: a record of two lines each (12.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.storage import Order, ranked, share
from forges.awr.printing import Shown, fixed, percent, word
from forges.awr.sheet import Block, Line

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.text.dialect import BlockMaker, TextDialect

KEYS = (
    "owner", "tablespace", "object", "subobject", "object_type", "object_id", "data_object_id",
    "value",
)  # fmt: skip


def segments_block(order: Order) -> BlockMaker:
    """Segments in one order."""
    upper, lower = order.title.rsplit(" ", 1)
    shares = ("", "%Total") if order.of_all else ("% of", "Capture")
    heads = (
        ("                     Tablespace", "Owner                   Name"),
        (
            f"                     Subobject  Obj. {'':22}{upper:>12} {shares[0]:>7}",
            "Object Name            Name     Type        Obj#   Dataobj# "
            f"{lower:>12} {shares[1]:>7}",
        ),
    )

    def make(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
        own = ranked(instance.storage.segments, order.name)
        if not own or dialect.new:
            return None
        lines = tuple(
            Line([
                word(segment.owner), word(segment.tablespace), word(segment.name),
                word(segment.partition), word(segment.kind),
                *(Shown(str(n), n) for n in (segment.number, segment.data_number)),
                fixed(segment.counts[order.name]),
                percent(share(segment, own, order.name), 2, dot=True),
            ], {"rank": rank, "unit": order.unit})
            for rank, segment in enumerate(own, 1)
        )  # fmt: skip
        return Block(
            "segments", f"Segments by {order.heading}",
            (*KEYS, "total_ratio" if order.of_all else None),
            ((-20, -10), (-20, -10, -5, 10, 10, 12, 7)), heads, lines,
            ("When ** MISSING ** occurs, some of the object attributes may not be available",),
            {"ordered_by": order.name},
        )  # fmt: skip

    return make
