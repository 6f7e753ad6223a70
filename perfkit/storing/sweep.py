"""Removing what no commit needs: what was read anew or forgotten, and what was never committed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.errors import StoreError
from perfkit.storing.commits import commit_name, commit_of, live, numbers
from perfkit.storing.records import record_name, record_of

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator
    from pathlib import Path

    from perfkit.storing.commits import Commit, Entry
    from perfkit.storing.index import State
    from perfkit.storing.layout import Layout


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
    needed = {path for name in _names(layout, grace) for path in _files(layout, record_name(name))}
    gone = [path for path in _all(layout) if path not in needed]
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


def _files(layout: Layout, name: str) -> Iterator[Path]:
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


def _all(layout: Layout) -> Iterator[Path]:
    for folder in ("tables", "pieces", "raw"):
        yield from (path for path in (layout.root / folder).rglob("*") if path.is_file())
