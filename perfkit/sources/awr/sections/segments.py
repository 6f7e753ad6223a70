"""Segments by what was read and written of them."""

from __future__ import annotations

from perfkit.sources.awr.cells import key
from perfkit.sources.awr.sections.section import INSTANCE, Section, columns

_NAMES = columns(
    words={
        "owner": "owner",
        "tablespace": "tablespacename tablespace",
        "object": "objectname",
        "subobject": "subobjectname",
        "object_type": "obj.type",
        "container": "pdbname",
    },
    number={"object_id": "obj#", "data_object_id": "dataobj#"},
    percent={"total_ratio": "%total pcttotal"},
)

_ORDERS = (
    # name, heading (Segments by ...), the title of its column, unit
    ("logical_reads", "Logical Reads", "Logical Reads", "blocks"),
    ("physical_reads", "Physical Reads", "Physical Reads", "blocks"),
    ("physical_read_requests", "Physical Read Requests", "Phys Read Requests", "1"),
    ("unoptimized_reads", "UnOptimized Reads", "UnOptimized Reads", "1"),
    ("optimized_reads", "Optimized Reads", "Optimized Reads", "1"),
    ("direct_physical_reads", "Direct Physical Reads", "Direct Reads", "blocks"),
    ("physical_writes", "Physical Writes", "Physical Writes", "blocks"),
    ("physical_write_requests", "Physical Write Requests", "Phys Write Requests", "1"),
    ("direct_physical_writes", "Direct Physical Writes", "Direct Writes", "blocks"),
    ("block_changes", "DB Blocks Changes", "DB Block Changes", "blocks"),
    ("row_lock_waits", "Row Lock Waits", "Row Lock Waits", "1"),
    ("itl_waits", "ITL Waits", "ITL Waits", "1"),
    ("buffer_busy_waits", "Buffer Busy Waits", "Buffer Busy Waits", "1"),
)
_OF_CAPTURE = ("block_changes", "row_lock_waits", "itl_waits", "buffer_busy_waits")
"""Orders whose share is one of the captured segments alone: it is left out."""

_PRINTED = {"block_changes": "dbblockchanges dbblockschanges"}
"""Names of the column of values that are not that of the text reports alone."""

_NEW_HEADER = (
    "Owner | Tablespace Name | Object Name? | Subobject Name? | Obj. Type? | Obj# | Dataobj# | "
    "{value} | {share}"
)
_OLD_HEADER = (
    "Owner | Tablespace | Object Name | Subobject Name? | Obj. Type? | {value} | Pct Total"
)

SECTIONS: tuple[Section, ...] = tuple(
    Section(
        f"segments_by_{name}",
        ("segments",),
        titles=(f"Segments by {heading}",),
        summaries=(f"This table displays top segments by {heading}",),
        required=("objectname",),
        columns={**_NAMES, **columns(number={"value": _PRINTED.get(name, key(value))})},
        ignored=("%ofcapture",),
        title_headers={
            f"Segments by {heading}": (
                _NEW_HEADER.format(
                    value=value, share="% of Capture" if name in _OF_CAPTURE else "%Total"
                ),
                _OLD_HEADER.format(value=value),
            ),
        },
        constants={"ordered_by": name, "unit": unit},
        scopes=INSTANCE if name == "physical_reads" else (),
    )
    for name, heading, value, unit in _ORDERS
)
"""Every order of segments; only the one by physical reads is in reports of every release."""
