"""Segments by what was read and written of them."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import INSTANCE, Columns, Section

_NAMES: Columns = {
    "owner": ("owner", "words"),
    "tablespacename": ("tablespace", "words"),
    "tablespace": ("tablespace", "words"),
    "objectname": ("object", "words"),
    "subobjectname": ("subobject", "words"),
    "obj.type": ("object_type", "words"),
    "obj#": ("object_id", "number"),
    "dataobj#": ("data_object_id", "number"),
    "pdbname": ("container", "words"),
    "%total": ("total_ratio", "percent"),
    "pcttotal": ("total_ratio", "percent"),
}

_ORDERS = (
    # name, heading (Segments by ...), the titles of its column, unit
    ("logical_reads", "Logical Reads", ("logicalreads",), "blocks"),
    ("physical_reads", "Physical Reads", ("physicalreads",), "blocks"),
    ("physical_read_requests", "Physical Read Requests", ("physreadrequests",), "1"),
    ("unoptimized_reads", "UnOptimized Reads", ("unoptimizedreads",), "1"),
    ("optimized_reads", "Optimized Reads", ("optimizedreads",), "1"),
    ("direct_physical_reads", "Direct Physical Reads", ("directreads",), "blocks"),
    ("physical_writes", "Physical Writes", ("physicalwrites",), "blocks"),
    ("physical_write_requests", "Physical Write Requests", ("physwriterequests",), "1"),
    ("direct_physical_writes", "Direct Physical Writes", ("directwrites",), "blocks"),
    ("block_changes", "DB Blocks Changes", ("dbblockchanges", "dbblockschanges"), "blocks"),
)
"""Segments by waits and table scans are left out: they say nothing of storage."""

SECTIONS: tuple[Section, ...] = tuple(
    Section(
        f"segments_by_{name}", ("segments",),
        titles=(f"Segments by {heading}",),
        summaries=(f"This table displays top segments by {heading}",),
        needs=("objectname",),
        columns={**_NAMES, **dict.fromkeys(values, ("value", "number"))},
        ignored=("%ofcapture",),
        const={"ordered_by": name, "unit": unit},
        scopes=INSTANCE if name == "physical_reads" else (),
    )
    for name, heading, values, unit in _ORDERS
)  # fmt: skip
"""Every order of segments; only the one by physical reads is in reports of every release."""
