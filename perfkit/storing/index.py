"""What is live in a store; an index in SQLite spares reading thousands of small files each time.

Nothing rests on the index: it is made anew from the files where it is missing, damaged, of another
time, or cannot be written, and whoever deletes it loses nothing.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from perfkit.core.errors import StoreError
from perfkit.storing.commits import Commit, Entry, commit_name, commit_of, live, numbers_among
from perfkit.storing.layout import Layout, NewerFormError
from perfkit.storing.records import Record, record_name, record_of

T = TypeVar("T")

_VERSION = 1
_PATIENCE_S = 10.0


@dataclass(frozen=True)
class State:
    """What is live in a store.

    Attributes:
        commits: The number of the newest commit.
        entries: The live pieces, each with its record, in the order in which they came.
        problems: What is damaged or missing, a line each; what it held is not live.
        lost: The numbers of commits that are damaged or missing.
        named: The pieces that commits name, live or not.
        named_records: The records that they name; of Delta Lake alone.
    """

    commits: int
    entries: tuple[tuple[Entry, Record], ...]
    problems: tuple[str, ...]
    lost: tuple[int, ...] = ()
    named: frozenset[str] = frozenset()
    named_records: frozenset[str] = frozenset()


def state_of(layout: Layout) -> State:
    """What is live now. Raises StoreError for no store, and where a newer perfkit wrote to it."""
    return _with_index(layout, _Files.state)


def entries_of(layout: Layout) -> list[Entry]:
    """The live pieces without their records, which take ten times as long to read.

    Raises as ``state_of`` does.
    """
    return _with_index(layout, lambda files, layout: live(list(files.commits(layout)[1].values())))


def _with_index(layout: Layout, look: Callable[[_Files, Layout], T]) -> T:
    layout.form()
    try:
        with _opened(str(layout.index)) as known:
            return look(_Files(known), layout)
    except sqlite3.Error:  # read-only, locked, damaged
        with contextlib.suppress(OSError):
            layout.index.unlink()
    with _opened(":memory:") as known:
        return look(_Files(known), layout)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE_S)) as known:
        known.execute("pragma synchronous = off")  # what is lost is made anew
        if known.execute("pragma user_version").fetchone()[0] != _VERSION:
            known.execute("drop table if exists files")
            known.execute(f"pragma user_version = {_VERSION}")
        known.execute(
            "create table if not exists files (path text primary key, stamp text, content blob)"
        )
        with known:
            yield known


class _Files:
    """The files of a store, from the index where they are as they were when it took them."""

    def __init__(self, known: sqlite3.Connection):
        self.known = known
        self.problems: list[str] = []

    def state(self, layout: Layout) -> State:
        """What is live."""
        paths, commits = self.commits(layout)
        alive = live(list(commits.values()))
        names = [record_name(entry.record) for entry in alive]
        records = self._read(layout.pieces, names, _stamps(layout.pieces), record_of)
        entries = [
            (entry, records[name])
            for entry, name in zip(alive, names, strict=True)
            if name in records
        ]
        return State(
            len(paths),
            tuple(entries),
            tuple(self.problems),
            lost=tuple(number for number, path in enumerate(paths, 1) if path not in commits),
            named=frozenset(entry.piece for one in commits.values() for entry in one.entries),
        )

    def commits(self, layout: Layout) -> tuple[list[str], dict[str, Commit]]:
        """The files of the commits, and what those say that are not damaged."""
        stamps = _stamps(layout.commits)
        newest = max(numbers_among(stamps), default=0)
        # each number up to the newest was taken once: what is not there was lost
        paths = [commit_name(number) for number in range(1, newest + 1)]
        return paths, self._read(layout.commits, paths, stamps, commit_of)

    def _read(
        self, folder: Path, names: Sequence[str], stamps: Mapping[str, str], made: Callable[..., T]
    ) -> dict[str, T]:
        """What some files of a folder say, without those that are damaged."""
        query = "select path, stamp, content from files where path glob ?"
        within = folder.name
        rows = self.known.execute(query, (f"{within}/*",))
        had = {path: (stamp, content) for path, stamp, content in rows}
        found = {}
        for name in names:
            key = f"{within}/{name}"
            stamp, content = had.pop(key, (None, b""))
            try:
                if stamp == stamps.get(name, "") and isinstance(content, bytes):
                    with contextlib.suppress(StoreError):  # else the index is damaged
                        found[name] = made(name, content)
                        continue
                content = (folder / name).read_bytes()
                found[name] = made(name, content)
                if name in stamps:  # else it came while the folder was listed
                    row = (key, stamps[name], content)
                    self.known.execute("replace into files values (?, ?, ?)", row)
            except NewerFormError as problem:
                raise NewerFormError(f"{folder / name}: {problem}") from None
            except OSError as problem:
                self.problems.append(f"{folder / name}: cannot be read: {problem.strerror}")
            except StoreError as problem:
                self.problems.append(f"{folder / name}: {problem}")
        self.known.executemany("delete from files where path = ?", [(path,) for path in had])
        return found


def _stamps(folder: Path) -> dict[str, str]:
    """By which the files of a folder are known to be as they were."""
    found = {}
    with os.scandir(folder) as items:
        for item in items:
            facts = item.stat()
            found[item.name] = f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"
    return found
