"""What may be written to, and what may be removed: only a file that perfkit itself made.

fio overwrites any file it is given and creates missing folders; the checks are ours. The target
is a directory the user names. perfkit makes one file in it, and a marker beside it that names the
file's inode: a file of that name without a fitting marker is somebody else's and stays untouched.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.errors import RunError, SafetyError
from perfkit.units import MIB, format_size

RESERVE_BYTES = 256 * MIB
"""Free space that a target file must leave on its file system."""

_O_DIRECT = getattr(os, "O_DIRECT", 0)


@dataclass(frozen=True)
class TargetFile:
    """The file that is measured, open and locked for this run."""

    path: Path
    size: int
    laid_out: bool
    handle: int

    @property
    def consent(self) -> None:
        """A file of our own making overwrites nobody's data."""

    @property
    def kept(self) -> bool:
        """Whether it is there after the run, for the user to know of."""
        return self.path.exists()

    def check_again(self) -> None:
        """Directly before a destructive point: the name still belongs to the file we hold."""
        try:
            same = self.path.lstat().st_ino == os.fstat(self.handle).st_ino
        except FileNotFoundError:
            same = False
        if not same:
            raise SafetyError(f"{self.path}: no longer the file that perfkit made")

    @property
    def marker(self) -> Path:
        """The file beside it that says perfkit made it."""
        return _marker_of(self.path)

    def allocated_bytes(self) -> int:
        """Bytes of it that have been written so far."""
        return min(self.size, os.fstat(self.handle).st_blocks * 512)

    def mark_laid_out(self) -> None:
        """Record that every block has been written."""
        _write_marker(self.marker, os.fstat(self.handle), laid_out=True)

    def remove(self) -> None:
        """Remove the file and its marker, if the name still belongs to the file we hold."""
        with contextlib.suppress(FileNotFoundError):
            if self.path.lstat().st_ino == os.fstat(self.handle).st_ino:
                self.path.unlink()
                self.marker.unlink(missing_ok=True)


def check_directory(target: Path) -> Path:
    """The resolved directory; SafetyError unless it exists, is one, and can be written to."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        raise SafetyError(f"target {target}: no such directory; perfkit does not make it") from None
    except OSError as problem:
        raise SafetyError(f"target {target}: {problem.strerror}") from problem
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        raise SafetyError(
            f"target {target}: a device, where a directory was expected: name one on it"
        )
    if not stat.S_ISDIR(mode):
        raise SafetyError(f"target {target}: not a directory")
    if not os.access(target, os.W_OK | os.X_OK):
        raise SafetyError(f"target {target}: the directory is not writable")
    return target.resolve()


def check_target(target: Path) -> Path:
    """The resolved directory or block device; SafetyError for anything else, see above."""
    try:
        return target.resolve() if target.is_block_device() else check_directory(target)
    except OSError as problem:
        raise SafetyError(f"target {target}: {problem.strerror}") from problem


def check_room(directory: Path, needed: int) -> None:
    """SafetyError unless the file system has room for so many more bytes and a reserve."""
    free = free_bytes(directory)
    if free < needed + RESERVE_BYTES:
        raise SafetyError(
            f"target {directory}: {format_size(free)} free, but the target file needs "
            f"{format_size(needed)} and {format_size(RESERVE_BYTES)} must stay free; "
            "lower file_size or name another directory"
        )


def free_bytes(directory: Path) -> int:
    """Bytes an ordinary user may still write there."""
    facts = os.statvfs(directory)
    return facts.f_bavail * facts.f_frsize


@contextlib.contextmanager
def claimed_file(directory: Path, size: int, *, direct: bool) -> Iterator[TargetFile]:
    """The target file of that size in a checked directory: perfkit's own, or newly made.

    Raises SafetyError for a file that perfkit did not make, no room, or a file system without
    direct I/O; RunError if another run holds it.
    """
    path = directory / f"perfkit-{size}.dat"
    handle, made = _open(path, directory, size)
    try:
        _lock(handle, path)
        try:
            if made:
                os.ftruncate(handle, size)
                _write_marker(_marker_of(path), os.fstat(handle), laid_out=False)
            if direct:
                _check_direct(path)
        except BaseException:
            if made:
                path.unlink()
                _marker_of(path).unlink(missing_ok=True)
            raise
        laid_out = not made and bool(_read_marker(path, os.fstat(handle))["laid_out"])
        yield TargetFile(path, size, laid_out, handle)
    finally:
        os.close(handle)


def _open(path: Path, directory: Path, size: int) -> tuple[int, bool]:
    """The open file, and whether it was made now."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(path, flags)
    except FileNotFoundError:
        check_room(directory, size)
        _check_free_name(_marker_of(path))
        try:
            return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600), True
        except OSError as problem:
            raise SafetyError(f"target {directory}: {problem.strerror}") from problem
    except OSError as problem:
        raise SafetyError(f"{path}: exists and cannot be used: {problem.strerror}") from problem
    try:
        facts = os.fstat(handle)
        if not _read_marker(path, facts)["laid_out"]:
            check_room(directory, size - min(size, facts.st_blocks * 512))
    except BaseException:
        os.close(handle)
        raise
    return handle, False


def _lock(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        raise RunError(f"{path}: another perfkit run is using this file") from problem
    try:
        same = path.stat().st_ino == os.fstat(handle).st_ino
    except FileNotFoundError:
        same = False
    if not same:
        raise RunError(f"{path}: another perfkit run has just removed this file; start again")


def _check_direct(path: Path) -> None:
    if not _O_DIRECT:
        return
    try:
        os.close(os.open(path, os.O_RDWR | _O_DIRECT | os.O_CLOEXEC))
    except OSError as problem:
        if problem.errno != errno.EINVAL:
            raise SafetyError(f"{path}: {problem.strerror}") from problem
        raise SafetyError(
            f"target {path.parent}: this file system does not support direct I/O; name another "
            "directory, or set direct: false (with ioengine: io_uring or psync) and measure the "
            "page cache as well"
        ) from problem


def _marker_of(path: Path) -> Path:
    return path.with_name(path.name + ".perfkit.json")


def _read_marker(path: Path, facts: os.stat_result) -> dict[str, Any]:
    """The marker of a file, if it names this very file; else SafetyError."""
    try:
        marker = json.loads(_marker_of(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        marker = None
    same = {"made_by": "perfkit", "inode": facts.st_ino, "file_bytes": facts.st_size}
    known = isinstance(marker, dict) and {*same, "laid_out"} <= marker.keys()
    if not known or any(marker[name] != value for name, value in same.items()):
        raise SafetyError(
            f"{path}: exists, and nothing shows that perfkit made it; move it away or name "
            "another directory"
        )
    return dict(marker)


def _check_free_name(marker: Path) -> None:
    """SafetyError when a new file's marker would replace a file that perfkit did not make."""
    if not os.path.lexists(marker):
        return
    try:
        found = None if marker.is_symlink() else json.loads(marker.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or found.get("made_by") != "perfkit":
        raise SafetyError(
            f"{marker}: exists, and perfkit did not make it; move it away or name another directory"
        )


def _write_marker(marker: Path, facts: os.stat_result, *, laid_out: bool) -> None:
    record = {
        "format": 1,
        "made_by": "perfkit",
        "file_bytes": facts.st_size,
        "inode": facts.st_ino,
        "laid_out": laid_out,
    }
    # a new name that is nobody's: a link or file that waits under a known name is left alone
    handle, fresh = tempfile.mkstemp(prefix=f".{marker.name}.", dir=marker.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    Path(fresh).replace(marker)
