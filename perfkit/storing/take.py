"""Taking one piece into a store: its files are kept, and its tables read.

It comes from its evidence, again from what a store keeps of it, or from its tables in a store.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

import polars as pl

from perfkit.core.archives import opened
from perfkit.core.errors import ParseError, PerfkitError, UnknownKindError
from perfkit.core.evidence import Evidence, sha256_bytes, sha256_file
from perfkit.core.lineage import Reading, measured, untraced
from perfkit.core.schema import polars_schema
from perfkit.sources import SOURCES, kind_of, read
from perfkit.storing.asking import ADDED, ask
from perfkit.storing.layout import FORMAT, Layout
from perfkit.storing.places import Place
from perfkit.storing.records import File, Record
from perfkit.storing.tables import ANSWERS, PIECE, PIECES, Unplaced

if TYPE_CHECKING:
    from perfkit.storing.commits import Entry

Outcome = Literal["read", "known", "failed", "no evidence"]

PORTION_BYTES = 64_000_000
"""Tables of this size are written together, and wait in memory until then."""


@dataclass(frozen=True)
class Taken:
    """What became of a piece.

    Attributes:
        name: What it is called.
        outcome: "read"; "known": it is in the store already; "failed"; "no evidence".
        reason: Why it failed, is not evidence, or was read and lacks answers; None for the others.
        piece: What it is known by; "" where it was not read.
        record: The name of its record.
        rows: The rows of its tables.
        size: Its size in bytes.
    """

    name: str
    outcome: Outcome
    reason: str | None = None
    piece: str = ""
    record: str = ""
    rows: int = 0
    size: int = 0


@dataclass(frozen=True)
class Plan:
    """How pieces are taken.

    Attributes:
        raw: Whether their files are kept.
        kind: Their kind; None: by their content.
        options: The readers' options.
        known: The pieces that are live, each with its record: they are not read again.
    """

    raw: bool = True
    kind: str | None = None
    options: tuple[tuple[str, str | int | float], ...] = ()
    known: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Read:
    """A piece that was read; its tables are not in the store yet.

    Attributes:
        name: What it is called.
        piece: Its record, and its tables.
        size: Its size in bytes.
    """

    name: str
    piece: Unplaced
    size: int

    def taken(self, record: str) -> Taken:
        """What became of it: a record of that name."""
        own = self.piece.record
        return Taken(
            self.name, "read", own.unanswered, own.piece, record, self.piece.rows, self.size
        )


@untraced()
def take(
    layout: Layout, place: Place, plan: Plan, sound: Callable[[str], bool] = lambda _: True
) -> Taken | Read:
    """Read a piece of evidence, and keep its files in the store.

    What is wrong with the evidence is an outcome. ``sound`` tells whether a record that is live has
    all its files: else the piece is read again. Raises OSError where the store cannot be written.
    """
    if place.problem:
        return Taken(place.name, "failed", place.problem)
    try:
        path = opened(place.path)
        kind = plan.kind or kind_of(path)
        files = _files(path)
    except (ParseError, OSError) as problem:
        outcome: Outcome = "no evidence" if isinstance(problem, UnknownKindError) else "failed"
        return Taken(place.name, outcome, _told(problem))
    piece, size = _content(path, files), sum(file.size for file in files.values())
    known = (plan.known or {}).get(piece)
    if known and sound(known):
        return Taken(place.name, "known", None, piece, known, 0, size)
    try:
        reading = read(path, kind=kind, root=Path(place.root), **dict(plan.options))
        files |= _companions(reading.evidence, files, path, Path(place.root))
    except (PerfkitError, OSError) as problem:
        return Taken(place.name, "failed", _told(problem), piece, size=size)
    except Exception as problem:  # noqa: BLE001 - one bad file never stops the batch
        return Taken(place.name, "failed", f"not read, by a fault of perfkit: {problem!r}", piece)
    if plan.raw:
        for source, file in files.items():
            _keep_raw(layout, source, file)
    step = next(iter(reading.tables.values())).lineage.steps[0]
    record = Record(
        piece=piece,
        kind=kind,
        reader=f"{step.function} {step.version}",
        main="" if path.is_dir() else path.name,
        files=tuple(files.values()),
        raw=plan.raw,
        tables={},
        evidence=reading.evidence.record(),
        options=plan.options,
    )
    # a printed table may have any name, a store's own too
    tables = {
        f"printed_{name}" if name in {PIECES, ANSWERS} else name: item.frame
        for name, item in reading.items()
        if len(item)
    }
    return Read(place.name, asked(Unplaced(record, tables), reading, _time(reading, path)), size)


def take_again(layout: Layout, entry: Entry, record: Record) -> Taken | Read:
    """Read a piece again from what the store keeps of it."""
    if record.kind == ADDED:
        return Taken(entry.name, "known", None, entry.piece, entry.record)
    if not record.raw:
        return Taken(entry.name, "failed", "the store does not keep its files", entry.piece)
    lost = [file.name for file in record.files if not layout.raw(file.sha256).is_file()]
    if lost:
        return Taken(entry.name, "failed", f"the store lost its file {lost[0]}", entry.piece)
    with tempfile.TemporaryDirectory(prefix="perfkit-store-") as folder:
        root = Path(folder) / "evidence"
        name = PurePosixPath(os.path.normpath(f"/{entry.name}")).relative_to("/")
        path = root / name
        base = path.parent if record.main else path
        for file in record.files:
            target = base / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(layout.raw(file.sha256), target)
        plan = Plan(True, record.kind, record.options)
        return take(layout, Place(str(path), str(root), entry.name), plan)


@untraced()
def migrated(layout: Layout, entry: Entry, record: Record) -> Taken | Read:
    """A piece of form 1, which had no answers, with what it answers; its tables are as they were.

    It gets a new record beside the old one: until that is committed it is read as before.
    """
    if record.kind not in SOURCES:
        return Taken(entry.name, "failed", f"this perfkit has no kind {record.kind}", entry.piece)
    frames = {  # a table without rows is not kept
        name: pl.DataFrame(schema=polars_schema(schema))
        for name, schema in SOURCES[record.kind].tables.items()
        if name != "*"
    }
    for name, table in record.tables.items():
        frames[name] = pl.read_parquet(layout.root / table.file).drop(PIECE)
    tables = {name: measured(frame, name) for name, frame in frames.items()}
    reading = Reading(tables, Evidence.from_record(record.evidence))
    return Read(entry.name, asked(Unplaced(record, {}), reading), 0)


def asked(piece: Unplaced, reading: Reading, time: str | None = None) -> Unplaced:
    """A piece with its time and what it answers.

    ``time`` is None where the file is not there any more: it stays what it was.
    """
    found = ask(reading)
    record = replace(
        piece.record,
        asked=found.steps,
        unanswered=found.problem,
        time=time or piece.record.time,
        form=FORMAT,
    )
    answers = {ANSWERS: found.frame} if len(found.frame) else {}
    return Unplaced(record, {**piece.frames, **answers})


def written(
    found: Iterable[Taken | Read], write: Callable[[Sequence[Unplaced]], Mapping[str, str]]
) -> list[Taken]:
    """Write the pieces that were read, many at a time; what became of each.

    ``write`` returns the name of the record of each piece.
    """
    done: list[Taken] = []
    for portion in _portions(found):
        records = write([one.piece for one in portion if isinstance(one, Read)])
        done += [
            one.taken(records[one.piece.record.piece]) if isinstance(one, Read) else one
            for one in portion
        ]
    return done


def _portions(found: Iterable[Taken | Read]) -> Iterator[list[Taken | Read]]:
    portion: list[Taken | Read] = []
    size = 0
    for one in found:
        portion.append(one)
        size += one.piece.size if isinstance(one, Read) else 0
        if size > PORTION_BYTES:
            yield portion
            portion, size = [], 0
    yield portion


def _told(problem: Exception) -> str:
    if isinstance(problem, ParseError):
        return ("" if problem.line is None else f"line {problem.line}: ") + problem.problem
    return str(problem)


def _files(path: Path) -> dict[Path, File]:
    """The files of a piece, each with its name from the folder it lies in, or the folder it is."""
    folder = path if path.is_dir() else path.parent
    found = sorted(item for item in path.rglob("*") if item.is_file()) if path.is_dir() else [path]
    return {item: _file(item, folder) for item in found}


def _file(path: Path, folder: Path) -> File:
    return File(os.path.relpath(path, folder), sha256_file(path), path.stat().st_size)


def _content(path: Path, files: Mapping[Path, File]) -> str:
    """What a piece is known by: the hash of its file, or of the names and hashes of its files."""
    if not path.is_dir():
        return files[path].sha256
    listed = "".join(f"{file.sha256}  {file.name}\n" for file in files.values())
    return sha256_bytes(listed.encode())


def _companions(
    evidence: Evidence, files: Mapping[Path, File], path: Path, root: Path
) -> dict[Path, File]:
    """Files that were read with it and lie beside it, such as the result of a live recording.

    Raises ParseError where what was read is not what was hashed.
    """
    hashes = {file.sha256 for file in files.values()}
    parts = [part for part in evidence.parts or (evidence,) if part.sha256 not in hashes]
    folder = path if path.is_dir() else path.parent
    beside = {opened(root / part.path): part.sha256 for part in parts}
    found = {item: _file(item, folder) for item in beside if item not in files}
    if len(found) < len(parts) or any(file.sha256 != beside[item] for item, file in found.items()):
        raise ParseError(path, "changed while it was read")
    return found


def _keep_raw(layout: Layout, source: Path, file: File) -> None:
    target = layout.raw(file.sha256)
    if target.is_file() and target.stat().st_size == file.size:
        return
    with layout.place(target) as fresh:
        shutil.copyfile(source, fresh)
        if sha256_file(fresh) != file.sha256:
            raise ParseError(source, "changed while it was kept")


def _time(reading: Reading, path: Path) -> str | None:
    """When it was measured, on the clock of its host: the first time in the table of its kind."""
    source = SOURCES[reading.evidence.kind]
    if source.when:
        time = source.when(path)
        return None if time is None else time.isoformat()
    table = reading.get(source.table)
    if not source.time or table is None or source.time not in table.frame.columns:
        return None
    first = table.frame[source.time].min()
    if isinstance(first, str):
        first = dt.datetime.fromisoformat(first)
    return first.replace(tzinfo=None).isoformat() if isinstance(first, dt.datetime) else None
