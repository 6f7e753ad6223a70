"""A store of an older form brought to that of this perfkit, from its own tables.

Form 1 had no answers: each piece is asked, and gets a new record beside the old one. What was
committed stays when it is interrupted, and the next migration goes on from there; until it is done
tables are read as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Reading, measured
from perfkit.core.schema import polars_schema
from perfkit.sources import SOURCES
from perfkit.storing.layout import FORMAT
from perfkit.storing.tables import PIECE, Unplaced
from perfkit.storing.take import Read, Taken, asked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfkit.storing.commits import Entry
    from perfkit.storing.layout import Layout
    from perfkit.storing.records import Record


def of_older_form(entries: Iterable[tuple[Entry, Record]]) -> list[tuple[Entry, Record]]:
    """Those pieces whose record an older perfkit wrote."""
    return [item for item in entries if item[1].form < FORMAT]


def migrated(layout: Layout, entry: Entry, record: Record) -> Taken | Read:
    """A piece with what it answers; its tables are those that are there."""
    if record.kind not in SOURCES:
        return Taken(entry.name, "failed", f"this perfkit has no kind {record.kind}", entry.piece)
    return Read(entry.name, asked(Unplaced(record, {}), _reading(layout, record)), 0)


def _reading(layout: Layout, record: Record) -> Reading:
    """What was read from a piece, as the store has it; a table without rows is not kept there."""
    frames = {
        name: pl.DataFrame(schema=polars_schema(schema))
        for name, schema in SOURCES[record.kind].tables.items()
        if name != "*"
    }
    for name, table in record.tables.items():
        frames[name] = pl.read_parquet(layout.root / table.file).drop(PIECE)
    tables = {name: measured(frame, name) for name, frame in frames.items()}
    return Reading(tables, Evidence.from_record(record.evidence))
