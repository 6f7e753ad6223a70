"""Keeping a store small: many small files made few, and files removed that nothing needs.

Merged pieces get new records, which one commit makes live: a reader sees the small files or the
large ones. The small ones stay until a sweep.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from perfkit.core.errors import StoreError
from perfkit.storing.commits import (
    Commit,
    Entry,
    commit_changed,
    commit_name,
    commit_of,
    live,
    numbers,
    replacing,
)
from perfkit.storing.layout import Layout
from perfkit.storing.records import Record, Table, record_name, record_of
from perfkit.storing.tables import ANSWERS, PIECE, Rows, write_rows

if TYPE_CHECKING:
    from perfkit.storing.index import State

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


# --- sweeping ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Swept:
    """What was removed: how many files, and their size in bytes; None where it is not known."""

    files: int
    size: int | None


def sweep(layout: Layout, state: State, grace: dt.timedelta) -> Swept:
    """Remove the files that no piece needs which is live, or was so within the ``grace`` time.

    The grace time is for readers that are at work. Nobody may write meanwhile: then what is not
    committed belongs to a writer that is no more.

    Raises StoreError for a store with damage: what it needs is not known; and OSError.
    """
    if state.problems:
        raise StoreError(f"{state.problems[0]}: what is needed is not known; perfkit store check")
    needed = {path for name in _names(layout, grace) for path in _needed(layout, record_name(name))}
    folders = (layout.root / name for name in ("tables", "pieces", "raw"))
    every = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    gone = [path for path in every if path not in needed]
    size = sum(path.stat().st_size for path in gone)
    for path in gone:
        path.unlink()
    return Swept(len(gone), size)


def _names(layout: Layout, grace: dt.timedelta) -> set[str]:
    """The records of all pieces that are live, or were so within the grace time."""
    since = time.time() - grace.total_seconds()
    before: list[Commit] = []
    needed: list[Entry] = []
    for number in numbers(layout):
        path = layout.commits / commit_name(number)
        found = commit_of(path.name, path.read_bytes())
        if path.stat().st_mtime < since:
            before.append(found)
        else:
            needed += found.entries
    return {entry.record for entry in (*live(before), *needed) if entry.record}


def _needed(layout: Layout, name: str) -> Iterator[Path]:
    path = layout.pieces / name
    if not path.exists():  # it was swept away before a clock was set back
        return
    yield path
    record = record_of(name, path.read_bytes())
    for table in record.written:
        yield layout.root / table.file
    if record.raw:
        for file in record.files:
            yield layout.raw(file.sha256)
