"""A folder into which evidence is dropped: which files are new and complete, and taking copies.

The dropped files are never moved, changed or deleted. A file is known by its content: under another
name it is not new, and replaced by other content it is.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from perfkit.core.errors import RunError
from perfkit.core.evidence import sha256_file
from perfkit.core.files import write_json
from perfkit.scheduling.files import held

if TYPE_CHECKING:
    from perfkit.scheduling.schedule_file import Watched

MARKER = ".perfkit-evidence.json"
LOCK = ".perfkit-lock"
UNFINISHED = (".part", ".partial", ".filepart", ".tmp", ".crdownload", ".swp", "~")
"""Endings that programs give to files they are still writing."""

_WRITES = os.O_WRONLY | os.O_RDWR


@dataclass
class Taken:
    """What was found: new files by their path below the folder, and why others were left."""

    files: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)


def take(
    watched: Watched,
    folder: Path,
    into: Path,
    known: dict[str, str],
    *,
    now: Callable[[], float] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Taken:
    """Copy every new and complete file into ``into`` (held by ``holding``), which is emptied first.

    ``known``: SHA-256 of files that must not be taken, and why. A file that changed within
    ``settle`` is looked at twice, that far apart. Returns path -> SHA-256 of what was taken, and
    path -> reason of what was left for the next time.

    Raises RunError when the watched folder is not there.
    """
    if not folder.is_dir():
        raise RunError(f"{folder}: there is no such folder to watch")
    _empty(into)
    taken = Taken()
    candidates = _candidates(watched, folder, taken)
    complete = _complete(candidates, watched.settle, taken, now or now_s, sleep)
    seen: dict[str, str] = {}
    for name, (path, look) in sorted(complete.items()):
        sha = _copied(path, look, into / name)
        if sha is None:
            taken.left[name] = "changed while it was copied"
            continue
        if sha in known or sha in seen:
            (into / name).unlink()
            if sha in seen:
                taken.left[name] = f"has the same content as {seen[sha]}"
            elif known[sha]:
                taken.left[name] = known[sha]
            continue
        seen[sha] = name
        taken.files[name] = sha
    return taken


def now_s() -> float:
    """The time that files are compared with."""
    return time.time()


def _candidates(watched: Watched, folder: Path, taken: Taken) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for pattern in watched.files:
        for path in folder.glob(pattern):
            name = path.relative_to(folder).as_posix()
            hidden = any(part.startswith(".") for part in Path(name).parts)
            if not path.is_file() or hidden:
                continue
            if name.lower().endswith(UNFINISHED):
                taken.left[name] = "its name says that it is unfinished"
                continue
            found[name] = path
    return found


class Look(NamedTuple):
    """What is seen of a file from outside: when all of it is the same, so is the file."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


def _look(path: Path) -> Look | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return Look(facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


def _complete(
    candidates: dict[str, Path],
    settle: float,
    taken: Taken,
    now: Callable[[], float],
    sleep: Callable[[float], None],
) -> dict[str, tuple[Path, Look]]:
    first = {name: _look(path) for name, path in candidates.items()}
    # ctime too: a copy may carry an old mtime. A time in the future says nothing: the clock moved
    changed = [max(look.mtime_ns, look.ctime_ns) / 1e9 for look in first.values() if look]
    if changed and max(changed) > now() - settle:
        sleep(settle)
    writers = open_for_writing()
    found: dict[str, tuple[Path, Look]] = {}
    for name, path in candidates.items():
        look = _look(path)
        reason = _unfit(path, first[name], look, writers)
        if reason:
            taken.left[name] = reason
        elif look:
            found[name] = (path, look)
    return found


def _unfit(path: Path, first: Look | None, look: Look | None, writers: dict[str, int]) -> str:
    if look is None or first is None:
        return "vanished while it was looked at"
    if look != first:
        return "still growing, or being replaced"
    if look.size == 0:
        return "empty"
    pid = writers.get(str(path.resolve()))
    return f"open for writing by process {pid}" if pid else ""


def open_for_writing() -> dict[str, int]:
    """Files that processes of this host have open for writing, as far as /proc shows them."""
    found: dict[str, int] = {}
    for fd in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            path = os.readlink(fd)  # noqa: PTH115 - the text is wanted, not a Path to resolve
            if not path.startswith("/"):
                continue
            info = (fd.parent.parent / "fdinfo" / fd.name).read_text()
            flags = int(info.split("flags:")[1].split()[0], 8)
        except (OSError, IndexError, ValueError):
            continue  # the process ended, or is another user's
        if flags & _WRITES:
            found[path] = int(fd.parts[2])
    return found


def _copied(path: Path, look: Look, to: Path) -> str | None:
    """Copy a file; its SHA-256, or None when it was not the same file before and after."""
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("rb") as source, to.open("wb") as copy:
            shutil.copyfileobj(source, copy)
    except FileNotFoundError:
        to.unlink(missing_ok=True)
        return None
    if _look(path) != look or to.stat().st_size != look.size:
        to.unlink()
        return None
    return sha256_file(to)


def holding(into: Path) -> contextlib.AbstractContextManager[Any]:
    """Hold the folder of copies, so that two entries with one study do not mix their files.

    Raises RunError when it contains files and no mark that they are perfkit's.
    """
    marker = into / MARKER
    if not marker.is_file():
        if into.exists() and any(path.name != LOCK for path in into.iterdir()):
            raise RunError(
                f"{into}: contains files that perfkit did not put there; name another folder by "
                "'into'"
            )
        into.mkdir(parents=True, exist_ok=True)
        write_json(marker, {"about": "copies of dropped evidence; perfkit empties this folder"})
    return held(into / LOCK, f"{into}: another entry of this study is running")


def _empty(into: Path) -> None:
    for path in into.iterdir():
        if path.name in {MARKER, LOCK}:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def named_in(reason: str, files: dict[str, str]) -> dict[str, str]:
    """The taken files that an error names: those it is about."""
    words = re.split(r"[\s'\":,;()]+", reason)
    return {
        name: sha
        for name, sha in files.items()
        if any(word == Path(name).name or word.endswith(f"/{name}") for word in words)
        or f"/{name}:" in reason
    }
