"""A store on the disk: immutable files that get their names when they are whole.

::

    store.json                        the form of the store
    raw/3f/3f9a...                    evidence as it was, by its SHA-256
    tables/load_points/PIECE-....parquet
    pieces/PIECE-....json             what was read from a piece of evidence, and in which files
    commits/00000012.json             which pieces are live, from this commit on
    fresh/                            files that are being written
    writers.lock                      locked while somebody writes
    index.sqlite                      what commits and pieces say, to start quickly; made anew

A reader takes its list of files from the commits, never from the names in a folder. Only ``fresh``,
the lock and the index ever change, so a writer that is killed leaves the store as it was.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from perfkit.core.errors import StoreError
from perfkit.core.files import Json, sync

FORMAT = 2
"""The form of store, commits and records; a store of a newer form is refused.

1 had no answers; ``migrate`` brings it to 2.
"""

_PLAN = "store.json"
_WRITERS = "writers.lock"
_FOLDERS = ("raw", "tables", "pieces", "commits", "fresh")


_TOGETHER = 128
"""Files that get their names together; each is open until then."""

_SYNCS = 16
"""Files that are synced side by side: a disk takes many in one go, where one by one each waits."""


class NewerFormError(StoreError):
    """A newer perfkit wrote to the store: what that means is not known here."""


@dataclass(frozen=True)
class Layout:
    """The folders of a store.

    Attributes:
        root: The folder of the store.
        unnamed: Files that were written, each with the name that ``settle`` gives it.
        ends: What closes and removes them.
    """

    root: Path
    unnamed: dict[Path, Path] = field(default_factory=dict, compare=False, repr=False)
    ends: contextlib.ExitStack = field(
        default_factory=contextlib.ExitStack, compare=False, repr=False
    )

    @property
    def commits(self) -> Path:
        """The numbered commits."""
        return self.root / "commits"

    @property
    def pieces(self) -> Path:
        """The records of what was read."""
        return self.root / "pieces"

    @property
    def index(self) -> Path:
        """What commits and records say, in SQLite."""
        return self.root / "index.sqlite"

    def raw(self, sha256: str) -> Path:
        """Where a file of evidence is kept."""
        return self.root / "raw" / sha256[:2] / sha256

    def exists(self) -> bool:
        """Whether there is a store."""
        return (self.root / _PLAN).is_file()

    def make(self) -> None:
        """Make the store where there is none; several processes may do so at once.

        Raises StoreError for a folder that holds something else, and for a newer form.
        """
        if not self.exists():
            if self.root.is_dir() and any(
                item.name not in (*_FOLDERS, _PLAN, _WRITERS) for item in self.root.iterdir()
            ):
                raise StoreError(f"{self.root}: is not a store, and not empty")
            try:
                for name in _FOLDERS:
                    (self.root / name).mkdir(parents=True, exist_ok=True)
                self.write_form()
            except OSError as problem:
                raise self.unwritable(problem) from problem
        self.form()

    def write_form(self) -> None:
        """Say that the store is of the form of this perfkit."""
        with self.place(self.root / _PLAN) as fresh:
            fresh.write_bytes(packed({"format": FORMAT}))
        self.settle()

    def form(self) -> int:
        """The form of the store. Raises StoreError where there is none, or one of a newer form."""
        plan = self.root / _PLAN
        if not plan.is_file():
            raise StoreError(f"{self.root}: there is no store; perfkit ingest makes one")
        try:
            return int(loaded(plan.read_bytes())["format"])
        except StoreError as problem:
            raise type(problem)(f"{plan}: {problem}") from None

    @contextlib.contextmanager
    def place(self, named: Path | Callable[[], Path], *, exclusive: bool = False) -> Iterator[Path]:
        """A path to write to; the file gets its name with others, when they are on the disk.

        ``named`` may be a function, for a name that is known when the file is written. A file that
        has the name is replaced: it has the same content unless it was damaged. With ``exclusive``
        FileExistsError is raised instead, and the file has its name at the end, after all others.
        """
        with contextlib.ExitStack() as ends:
            fresh = self._begun(ends)
            yield fresh
            target = named if isinstance(named, Path) else named()
            if exclusive:
                self.settle()
                sync(fresh)
                os.link(fresh, target)
                sync(target.parent)
                return
            self.unnamed[fresh] = target
            self.ends.push(ends.pop_all())
        if len(self.unnamed) >= _TOGETHER:
            self.settle()

    def settle(self) -> None:
        """See the files that were placed on the disk, then give them their names."""
        try:
            _synced(self.unnamed)
            folders = set()
            for fresh, target in self.unnamed.items():
                if not target.parent.is_dir():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    folders.add(target.parent.parent)
                fresh.replace(target)
                folders.add(target.parent)
            _synced(folders)
        finally:
            self._drop()

    def _drop(self) -> None:
        """Remove the files that have no name yet."""
        self.unnamed.clear()
        self.ends.close()

    def _begun(self, ends: contextlib.ExitStack) -> Path:
        """An empty file whose lock says that the writer lives; it ends with ``ends``."""
        while True:
            fresh = self.root / "fresh" / f"{os.getpid()}-{secrets.token_hex(8)}"
            handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
            fcntl.flock(handle, fcntl.LOCK_EX)
            if fresh.exists():  # else it was swept away before it had its lock
                ends.callback(os.close, handle)
                ends.callback(fresh.unlink, missing_ok=True)
                return fresh
            os.close(handle)

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """While something is written that is committed later: nothing of it is swept away."""
        with self._locked(fcntl.LOCK_SH):
            try:
                yield
                self.settle()
            finally:
                self._drop()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """While nobody writes to the store. Raises StoreError where somebody does."""
        with self._locked(fcntl.LOCK_EX | fcntl.LOCK_NB):
            yield

    @contextlib.contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        try:
            file = (self.root / _WRITERS).open("ab")
        except OSError as problem:
            raise self.unwritable(problem) from problem
        with file:
            try:
                fcntl.flock(file, how)
            except BlockingIOError:
                raise StoreError(f"{self.root}: somebody writes to it; try again later") from None
            try:
                yield
            except OSError as problem:
                raise self.unwritable(problem) from problem

    def unwritable(self, problem: OSError) -> StoreError:
        """The error of a store that cannot be written: a full disk, a read-only medium."""
        return StoreError(f"{self.root}: cannot be written: {problem.strerror or problem}")

    def tidy(self) -> int:
        """Remove half files of writers that are no more; returns how many."""
        gone = 0
        for path in (self.root / "fresh").iterdir():
            with contextlib.suppress(OSError), path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
                gone += 1
        return gone


def _synced(paths: Collection[Path]) -> None:
    """See files and folders on the disk."""
    if not paths:
        return
    with ThreadPoolExecutor(min(len(paths), _SYNCS)) as threads:
        for _ in threads.map(sync, paths):
            pass


def packed(record: Json, indent: int | None = 1) -> bytes:
    """A JSON object as it stands in a file of the store: the same bytes for the same object."""
    space = (",", ":") if indent is None else None
    text = json.dumps(record, ensure_ascii=False, sort_keys=True, indent=indent, separators=space)
    return text.encode() + b"\n"


def loaded(content: bytes) -> Json:
    """The JSON object in a file of the store.

    Raises StoreError where it is damaged, NewerFormError where a newer perfkit wrote it; whoever
    calls names the file.
    """
    try:
        found: Json = json.loads(content.decode())
        form = found["format"]
    except (ValueError, KeyError, TypeError) as problem:
        raise StoreError(f"damaged: {problem}") from problem
    if not isinstance(form, int):
        raise StoreError(f"damaged: its format is {form!r}")
    if form > FORMAT:
        raise NewerFormError(newer(form))
    return found


def newer(form: int) -> str:
    """What is said of a newer form."""
    return f"of format {form}, this perfkit knows formats up to {FORMAT}: upgrade perfkit"
