"""The scheduler's files: written on a full disk too, whole folders on the disk, and locks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perfkit.core.errors import RunError
from perfkit.core.files import sync, write_json

RESERVE_BYTES = 64 * 1024
RESERVE = ".reserve"


def write_with_reserve(path: Path, record: Any) -> None:
    """``write_json`` that also works on a full disk: it frees space reserved for this.

    A run must be able to record its outcome even then.
    """
    reserve = path.with_name(RESERVE)
    try:
        write_json(path, record)
    except OSError as problem:
        if problem.errno not in {errno.ENOSPC, errno.EDQUOT} or not reserve.exists():
            raise
        reserve.unlink()
        write_json(path, record)
    if not reserve.exists():
        with contextlib.suppress(OSError):
            # urandom: a file system that compresses or skips zeros would keep nothing back
            reserve.write_bytes(os.urandom(RESERVE_BYTES))


def sync_tree(folder: Path) -> None:
    """``sync`` for everything below a folder and the folder."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():
            sync(path)
    sync(folder)


def add_line(log: Path, line: str) -> None:
    """A further line of a log."""
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


@contextlib.contextmanager
def held(path: Path, busy: str, *, wait: bool = False) -> Iterator[None]:
    """Hold a lock file; the kernel gives it back however this process ends.

    Raises RunError with the words ``busy`` when another process holds it and ``wait`` is not set.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as problem:
            raise RunError(busy) from problem
        yield


def is_held(path: Path) -> bool:
    """Whether a process holds the lock file."""
    try:
        with held(path, "busy"):
            return False
    except RunError:
        return True
    except OSError:
        return False
