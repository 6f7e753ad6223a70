"""SAS logs in the grammar of every dialect, with known content: what a step used, and its text.

The forms follow real logs of SAS 9.x and Altair SLC, an excerpt of 6.11, and documents for the
rest. Nothing here reads a log: the same step gives its lines (``block_lines``) and, column by
column, what a reader must find in them (``expected``).
"""

from __future__ import annotations

from forges.sas.dialects import (
    DIALECTS,
    Dialect,
    block_lines,
    expected,
    notes_of,
    page_header,
)
from forges.sas.log import Log
from forges.sas.step import COUNTERS, Step, clock, stamp

__all__ = [
    "COUNTERS", "DIALECTS", "Dialect", "Log", "Step", "block_lines", "clock",
    "expected", "notes_of", "page_header", "stamp",
]  # fmt: skip
