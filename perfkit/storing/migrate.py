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
from perfkit.storing.take import PIECE, Taken, with_answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfkit.storing.commits import Entry
    from perfkit.storing.layout import Layout
    from perfkit.storing.records import Record


def of_older_form(entries: Iterable[tuple[Entry, Record]]) -> list[tuple[Entry, Record]]:
    """Those pieces whose record an older perfkit wrote."""
    return [item for item in entries if item[1].form < FORMAT]


def migrated(layout: Layout, kept: Sequence[tuple[Entry, Record]]) -> list[Taken]:
    """Write the records of pieces in this form; what became of each, in order."""
    return [_migrated(layout, entry, record) for entry, record in kept]


def _migrated(layout: Layout, entry: Entry, record: Record) -> Taken:
    if record.kind not in SOURCES:
        return Taken(entry.name, "failed", f"this perfkit has no kind {record.kind}", entry.piece)
    found = with_answers(layout, record, _reading(layout, record))
    found.keep(layout)
    return Taken(entry.name, "read", found.unanswered, entry.piece, found.name)


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
