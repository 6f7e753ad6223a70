"""What may be written to, and what may be removed: only a file that perfkit itself made.

fio overwrites any file it is given and creates missing folders; the checks are ours. The target
is a directory the user names. perfkit makes a directory of its own in it, and one file in that,
whose ownership is proved again before every point (``perfkit.measure.target.owned``). A file of an
earlier call that proves nothing is neither used nor removed, but reported.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import RunError, SafetyError
from perfkit.core.files import Json
from perfkit.core.units import MIB, format_size
from perfkit.measure.safety.judge import missing
from perfkit.measure.target import earlier, owned

if TYPE_CHECKING:
    from perfkit.measure.target.forms import Proof

RESERVE_BYTES = 256 * MIB
"""Free space that a target file must leave on its file system."""

_O_DIRECT = getattr(os, "O_DIRECT", 0)

LeftOver = tuple[str, str]
"""A path that looks like perfkit's, and why nothing proves that it is."""


@dataclass(frozen=True)
class TargetFile:
    """The file that is measured, open and locked for this run.

    ``left_over`` are files beside it that look like perfkit's and prove nothing.
    """

    own: owned.Owned
    left_over: tuple[LeftOver, ...] = field(default=())

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.own.path)

    @property
    def size(self) -> int:
        """Bytes that are measured."""
        return self.own.size

    @property
    def handle(self) -> int:
        """The descriptor that is held."""
        return self.own.handle

    @property
    def laid_out(self) -> bool:
        """Whether every block has been written."""
        return self.own.laid_out

    @property
    def consent(self) -> None:
        """None: a file that perfkit made overwrites nobody's data."""

    @property
    def kept(self) -> bool:
        """Whether the file still exists, so that the user should know of it."""
        return self.own.there

    def check_again(self, *, wrote: bool = False) -> Proof:
        """What is proved of it, directly before and after a point; SafetyError where it is not.

        ``wrote`` says that our own load wrote to it since it was last seen.
        """
        with _as_run_errors():
            return self.own.check(wrote)

    def record(self) -> Json:
        """What it is, for run.json."""
        given = "path" if self.own.given is None else "descriptor"
        return {**self.own.facts(), "given": given}

    def allocated_bytes(self) -> int:
        """Bytes of it that have been written so far."""
        return self.own.allocated_bytes()

    def mark_laid_out(self) -> None:
        """Record that every block has been written; RunError where one has not."""
        try:
            self.own.mark_laid_out()
        except owned.OwnedError as problem:
            raise RunError(str(problem)) from problem

    def remove(self) -> None:
        """Remove the file and its directory; SafetyError where they are not provably ours."""
        with _as_run_errors():
            try:
                self.own.remove()
            except OSError as problem:
                raise SafetyError(f"{self.path}: stays: {problem.strerror}") from problem


@contextlib.contextmanager
def _as_run_errors() -> Iterator[None]:
    """Turn the errors of ``owned`` into RunError and SafetyError."""
    try:
        yield
    except owned.InUseError as problem:
        raise RunError(str(problem)) from problem
    except owned.OwnedError as problem:
        raise SafetyError(str(problem)) from problem


def check_directory(target: Path) -> Path:
    """The resolved directory; SafetyError unless it exists, is one, and can be written to."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        raise SafetyError(f"target {target}: {missing(str(target))}") from None
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


def check_room(directory: Path, needed: int, left_over: tuple[LeftOver, ...] = ()) -> None:
    """SafetyError unless the file system has room for a number of bytes and a reserve."""
    free = free_bytes(directory)
    if free < needed + RESERVE_BYTES:
        beside = f"; left over there: {left_over[0][0]}" if left_over else ""
        raise SafetyError(
            f"target {directory}: {format_size(free)} free, but the target file needs "
            f"{format_size(needed)} and {format_size(RESERVE_BYTES)} must stay free; "
            f"lower file_size or name another directory{beside}"
        )


def free_bytes(directory: Path) -> int:
    """Bytes an ordinary user may still write there."""
    facts = os.statvfs(directory)
    return facts.f_bavail * facts.f_frsize


def folder_with_less_room(run: Path, target: Path | None) -> Path:
    """The folder with less room of those written to: some write errors name no file.

    A device has no free room.
    """
    folders = [run, *([target] if target and target.is_dir() else [])]
    return min(folders, key=lambda folder: free_bytes(folder) if folder.is_dir() else 0)


@contextlib.contextmanager
def claimed_file(
    directory: Path, size: int, *, direct: bool, content: str = ""
) -> Iterator[TargetFile]:
    """The target file of that size in a checked directory: perfkit's own, or newly made.

    ``content`` names what is written into it: a file of other content is not used.

    Raises SafetyError for no room, or a file system without direct I/O; RunError if another run
    holds it.
    """
    name = f"perfkit-{size}{content}.dat"
    with _as_run_errors():
        found, listed = earlier.found_in(str(directory))
        left_over = tuple((path, why) for path, why in listed)
        fit = [one for one in found if (one["file"], one["size"]) == (name, size)]
        # the one that is written already, where several were left
        best = min(fit, key=lambda one: not one["laid_out"], default=None)
        if best is None:
            check_room(directory, size, left_over)
            own = _made(directory, name, size)
        else:
            own = owned.adopt(str(directory), best["directory"])
    target = TargetFile(own, left_over)
    try:
        try:
            _prepare(target, direct=direct)
        except BaseException:
            if own.made:
                with contextlib.suppress(SafetyError):
                    target.remove()
            raise
        yield target
    finally:
        own.close()


def _prepare(target: TargetFile, *, direct: bool) -> None:
    """Lock a file that is held, and check that it can be used."""
    with _as_run_errors():
        target.own.lock()
    if not target.own.made and not target.laid_out:
        missing = target.size - target.allocated_bytes()
        check_room(target.path.parent.parent, missing, target.left_over)
    target.check_again()
    if direct:
        _check_direct(target.path)


def _made(directory: Path, name: str, size: int) -> owned.Owned:
    try:
        return owned.make(str(directory), name, size)
    except OSError as problem:
        raise SafetyError(f"target {directory}: {problem.strerror}") from problem


def _check_direct(path: Path) -> None:
    if not _O_DIRECT:
        return
    try:
        os.close(os.open(path, os.O_RDWR | _O_DIRECT | os.O_CLOEXEC))
    except OSError as problem:
        if problem.errno != errno.EINVAL:
            raise SafetyError(f"{path}: {problem.strerror}") from problem
        raise SafetyError(
            f"target {path.parent.parent}: this file system does not support direct I/O; name "
            "another directory, or set direct: false (with ioengine: io_uring or psync) and "
            "measure the page cache as well"
        ) from problem
