"""The run directory: what a sweep leaves behind, written so that a crash leaves no partial point.

::

    <run>/run.json                what was planned, with which tool, on which host and target
    <run>/layout/                 how the target file was written
    <run>/warm-up/                the rounds of the last call's warm-up: no results
    <run>/verify/                 how it was written once more and read back
    <run>/rounds/<name>/          rounds towards steady state, and steady.json: their outcome
    <run>/points/<name>/          accepted points only: written aside, synced, renamed
    <run>/rejected/<name>-<n>/    points that did not prove themselves valid, with the reason
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perfkit.core.errors import RunError
from perfkit.core.files import Json, json_text, sync, write_json
from perfkit.measure.probe.events import MARKS

FORMAT = 1

SAME_ON_RESUME = (
    ("tool", "version"),
    ("tool", "sha256"),
    ("host", "kernel"),
    ("host", "architecture"),
    ("host", "cpu_model"),
    ("host", "cpu_threads"),
    ("target", "directory_sha256"),
    ("target", "filesystem"),
)
"""Facts that must be the same for all points of a run, since they shape the numbers."""


class RunDirectory:
    """One run's folder."""

    def __init__(self, path: Path):
        self.path = path
        self.points = path / "points"
        self.rejected = path / "rejected"
        self.layout = path / "layout"
        self.rounds = path / "rounds"
        self.verify = path / "verify"

    def record(self) -> Json | None:
        """run.json; None where it is not written yet, RunError for a form that is not ours."""
        file = self.path / "run.json"
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as problem:
            raise RunError(f"{file}: cannot be read: {problem}") from problem
        if not isinstance(record, dict) or "format" not in record:
            raise RunError(f"{file}: has no format: perfkit run did not write it")
        if record["format"] != FORMAT:
            raise RunError(
                f"{file}: another version wrote format {record['format']!r}, this one {FORMAT}: "
                "use another run id"
            )
        return record

    def accepted(self) -> frozenset[str]:
        """The names of the accepted points, by their own records."""
        names = self.points.iterdir() if self.points.is_dir() else ()
        return frozenset(path.name for path in names if _is_accepted(path))

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        """RunError naming the field in which the run's spec differs from this one.

        A run without an accepted point may become any sweep.
        """
        record = self.record()
        if record is None or not self.accepted():
            return
        field = first_difference(record["spec"], spec)
        if field:
            raise RunError(
                f"{self.path}: this run was made with another {field[0]} ({field[1]!r}, now "
                f"{field[2]!r}); use another run id, or the same sweep to resume it"
            )

    def check_surroundings(self, record: Mapping[str, Any]) -> None:
        """RunError if the run's points were made with another tool, host or target."""
        former = self.record() if self.accepted() else None
        for part, name in SAME_ON_RESUME if former else ():
            old, new = (former or {}).get(part, {}).get(name), record[part][name]
            if old != new:
                raise RunError(
                    f"{self.path}: this run's points were made with another {part} {name} "
                    f"({old!r}, now {new!r}); they cannot be mixed: use another run id"
                )

    def mark(self, text: str) -> str:
        """Note an event in the point that is measured by another process; the point's name.

        Raises RunError where none is measured just now: a mark would be in no point.
        """
        words = " ".join(text.split())
        if not words:
            raise RunError("the mark is empty: say what happened")
        try:
            with (self.path / ".lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            point = next(self.points.glob(".tmp-*"), None)
        except OSError as problem:
            raise RunError(f"{self.path}: not a perfkit run: {problem.strerror}") from problem
        else:
            point = None
        if point is None:
            raise RunError(f"{self.path}: no point is being measured right now; nothing was noted")
        if point.name.startswith(".tmp-round-"):
            raise RunError(
                f"{self.path}: only rounds before a point are running; nothing was noted"
            )
        with (self.path / MARKS).open("a", encoding="utf-8") as file:
            file.write(f"{words}\n")
        return point.name.removeprefix(".tmp-")

    def note(self, facts: Mapping[str, Any]) -> None:
        """Write what is known by now into run.json."""
        record = self.record()
        if record is not None and record != {**record, **facts}:
            write_json(self.path / "run.json", {**record, **facts})

    def begin(self, record: Mapping[str, Any]) -> None:
        """Write run.json; a run that has points keeps the one it has."""
        if not self.accepted():
            write_json(self.path / "run.json", record)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder and lock it for this process; remove what a killed run left unfinished.

        A run that was refused before it began (no run.json) leaves no folder.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as problem:
                raise RunError(f"{self.path}: another perfkit is measuring this run") from problem
            for folder in (self.points, self.rejected):
                folder.mkdir(exist_ok=True)
            for left in self.points.glob(".tmp-*"):
                shutil.rmtree(left, ignore_errors=True)
            try:
                yield
            finally:
                if not (self.path / "run.json").exists():
                    shutil.rmtree(self.path, ignore_errors=True)

    def aside(self, name: str) -> Path:
        """A new folder in which a point is written before it is kept."""
        folder = self.points / f".tmp-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def emptied(self, name: str) -> Path:
        """An empty folder of the run: ``layout``, ``warm-up`` or ``verify``."""
        folder = self.path / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def keep(self, aside: Path, record: Mapping[str, Any], folder: Path | None = None) -> Path:
        """Move a judged point to its place: its files are on the disk before its name appears.

        An accepted point goes to ``points``, or to the given folder. A folder of that name that is
        no accepted point (a crash of the file system leaves one) moves to ``rejected``.
        """
        (aside / "point.json").write_text(json_text(record), encoding="utf-8")
        # of an empty file its name is all there is, which is in the folder
        files = [file for file in aside.iterdir() if file.stat().st_size]
        # at once: one after the other, each would wait for a commit of the file system of its own
        with ThreadPoolExecutor(len(files)) as pool:
            list(pool.map(sync, files))
        sync(aside)
        name = str(record["name"])
        place = (folder or self.points) / name
        if not record["accepted"]:
            place = self._rejected_place(name)
        elif place.exists():
            place.rename(self._rejected_place(name))
        aside.rename(place)
        sync(place.parent)
        return place

    def _rejected_place(self, name: str) -> Path:
        number = 1 + sum(1 for path in self.rejected.glob(f"{name}-*"))
        return self.rejected / f"{name}-{number}"


@contextlib.contextmanager
def locked_directory(directory: Path) -> Iterator[None]:
    """Lock a target directory against a second sweep, whatever file that would use.

    Two sweeps at once would measure each other. Where a file system cannot lock a directory (some
    network ones), the lock on the target file remains, which is taken as well.
    """
    handle = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise RunError(f"target {directory}: another perfkit is measuring there") from problem
        except OSError as problem:
            if problem.errno not in {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP}:
                raise
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked_name(name: str) -> Iterator[None]:
    """Lock something that is not on this machine against a second sweep of the same user."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"perfkit-{os.getuid()}-{digest}.lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # the file may have been removed by its last holder since it was opened
            held = path.exists() and path.stat().st_ino == os.fstat(handle).st_ino
        except BlockingIOError:
            held = False
        if not held:
            raise RunError("another perfkit is measuring with these hosts")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(handle)


def first_difference(
    old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = ""
) -> tuple[str, Any, Any] | None:
    """The first field in which two records differ, by dotted name, with both values."""
    for name in dict.fromkeys([*old, *new]):
        left, right = old.get(name), new.get(name)
        if left == right and (name in old) == (name in new):
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            return first_difference(left, right, f"{prefix}{name}.")
        return f"{prefix}{name}", left, right
    return None


def missing(planned: Sequence[str], accepted: frozenset[str]) -> list[str]:
    """The planned names that are not accepted yet, in order."""
    return [name for name in planned if name not in accepted]


def _is_accepted(folder: Path) -> bool:
    if folder.name.startswith("."):
        return False
    try:
        record = json.loads((folder / "point.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    named = isinstance(record, dict) and record.get("name") == folder.name
    result = record.get("result_file", "fio.json") if named else ""
    return named and record.get("accepted") is True and (folder / result).is_file()


def now() -> str:
    """The time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
