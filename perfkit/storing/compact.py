"""Many small Parquet files made few: a table of a thousand pieces is one file, not a thousand.

Merged pieces get new records, which one commit makes live: a reader sees the small files or the
large ones. The small ones stay until a sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from perfkit.storing.commits import commit_changed, replacing
from perfkit.storing.tables import ANSWERS, PIECE, Rows, write_rows

if TYPE_CHECKING:
    from perfkit.storing.commits import Entry
    from perfkit.storing.index import State
    from perfkit.storing.layout import Layout
    from perfkit.storing.records import Record, Table

    Kept = tuple[Entry, Record]

MOST = 1000
"""So many pieces are merged at a time."""

FEWEST = 10
"""A table is merged where its rows lie in so many small files."""

SMALL_BYTES = 4_000_000


def compact(
    layout: Layout, state: State, sound: Sequence[Kept], each: Callable[[int], object]
) -> int:
    """Merge the small files of each table; returns how many files the pieces have less.

    ``each`` is called with the pieces of each commit. What is committed stays when it is
    interrupted; the next goes on from there. Raises OSError.
    """
    kinds: dict[str, list[Kept]] = {}
    for item in sound:
        kinds.setdefault(item[1].kind, []).append(item)
    fewer = 0
    for kept in kinds.values():
        for start in range(0, len(kept), MOST):
            part = kept[start : start + MOST]
            records = {entry.piece: record for entry, record in part}
            merged = _merged(layout, records)
            changed = [record for piece, record in merged.items() if record is not records[piece]]
            before = {entry.piece: entry for entry, _ in part}
            said = {record.piece: record.keep(layout) for record in changed}
            commit_changed(layout, replacing(said, before), before, after=state.commits)
            fewer += _files(records.values()) - _files(merged.values())
            each(len(part))
    return fewer


def _files(records: Iterable[Record]) -> int:
    return len({table.file for record in records for table in record.written})


def _merged(layout: Layout, records: dict[str, Record]) -> dict[str, Record]:
    """The same records with their tables in merged files, where that is worth it."""
    found = dict(records)
    names = dict.fromkeys(name for record in records.values() for name in record.tables)
    for name in (*names, ANSWERS):
        own = {
            piece: table
            for piece, record in found.items()
            if (table := record.answers if name == ANSWERS else record.tables.get(name))
            and table.size < SMALL_BYTES
        }
        if len({table.file for table in own.values()}) < FEWEST:
            continue
        for piece, table in _merge(layout, name, own).items():
            record = found[piece]
            found[piece] = (
                replace(record, answers=table)
                if name == ANSWERS
                else replace(record, tables={**record.tables, name: table})
            )
    return found


def _merge(layout: Layout, name: str, own: dict[str, Table]) -> dict[str, Table]:
    """The rows of pieces in one file for each form that their columns have."""
    forms: dict[str, list[pl.DataFrame]] = {}
    for file in dict.fromkeys(table.file for table in own.values()):
        frame = pl.read_parquet(layout.root / file)
        forms.setdefault(str(frame.schema), []).append(frame.filter(pl.col(PIECE).is_in(list(own))))
    found: dict[str, Table] = {}
    for frames in forms.values():
        whole = pl.concat(frames)
        counts = dict(whole.group_by(PIECE).len().iter_rows())
        found |= write_rows(layout, Rows(name, "", whole, counts), "merged")
    return found
