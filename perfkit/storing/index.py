"""What is live in a store; an index in SQLite spares reading thousands of small files each time.

Nothing rests on the index: it is made anew from the files where it is missing, damaged, of another
time, or cannot be written, and whoever deletes it loses nothing.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from perfkit.core.errors import StoreError
from perfkit.storing.commits import Entry, commit_of, commit_path, live, numbers
from perfkit.storing.layout import Layout, NewerFormError
from perfkit.storing.records import Record, record_of, record_path

T = TypeVar("T")

_VERSION = 1
_PATIENCE_S = 10.0


@dataclass(frozen=True)
class State:
    """What is live in a store.

    Attributes:
        commits: How many commits there are.
        entries: The live pieces, each with its record, in the order in which they came.
        problems: What is damaged, a line each; what it held is not live.
    """

    commits: int
    entries: tuple[tuple[Entry, Record], ...]
    problems: tuple[str, ...]


def state_of(layout: Layout) -> State:
    """What is live now. Raises StoreError for no store, and where a newer perfkit wrote to it."""
    layout.check_form()
    try:
        with _opened(str(layout.index)) as known:
            return _Files(known).state(layout)
    except sqlite3.Error:  # read-only, locked, damaged
        with contextlib.suppress(OSError):
            layout.index.unlink()
    with _opened(":memory:") as known:
        return _Files(known).state(layout)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE_S)) as known:
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
        self.had = {
            path: (stamp, content)
            for path, stamp, content in known.execute("select path, stamp, content from files")
        }
        self.problems: list[str] = []

    def state(self, layout: Layout) -> State:
        """What is live."""
        commits = [
            found for number in numbers(layout)
            if (found := self._read(commit_path(layout, number), commit_of))
        ]  # fmt: skip
        entries = [
            (entry, record) for entry in live(commits)
            if (record := self._read(record_path(layout, entry.record), record_of))
        ]  # fmt: skip
        gone = [(path,) for path in self.had]
        self.known.executemany("delete from files where path = ?", gone)
        return State(len(commits), tuple(entries), tuple(self.problems))

    def _read(self, path: Path, made: Callable[[Path, bytes], T]) -> T | None:
        """What a file says; None where it is damaged."""
        name = f"{path.parent.name}/{path.name}"
        had, content = self.had.pop(name, (None, b""))
        try:
            stamp = _stamp(path)
            if had == stamp:
                return made(path, content)
            content = path.read_bytes()
            found = made(path, content)
        except NewerFormError:
            raise
        except OSError as problem:
            self.problems.append(f"{path}: cannot be read: {problem.strerror}")
        except StoreError as problem:
            self.problems.append(str(problem))
        else:
            self.known.execute("replace into files values (?, ?, ?)", (name, stamp, content))
            return found
        return None


def _stamp(path: Path) -> str:
    facts = path.stat()
    return f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"
