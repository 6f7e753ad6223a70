"""Taking one piece of evidence into a store: its files, its tables as Parquet, and its record."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import polars as pl

from perfkit.core.archives import opened
from perfkit.core.errors import ParseError, PerfkitError, UnknownKindError
from perfkit.core.evidence import sha256_bytes, sha256_file
from perfkit.sources import SOURCES, kind_of, read
from perfkit.storing.asking import ask
from perfkit.storing.layout import FORMAT
from perfkit.storing.records import File, Record, Table

if TYPE_CHECKING:
    from perfkit.core.evidence import Evidence
    from perfkit.core.lineage import Reading
    from perfkit.storing.layout import Layout
    from perfkit.storing.places import Place

PIECE = "piece"
"""The column of every stored table that names the piece of a row."""

PIECES, ANSWERS = "pieces", "answers"
"""The tables that a store has of its own; a source's table is never called so."""

Outcome = Literal["read", "known", "failed", "no evidence"]

_NAMED = 20
"""Digits of a hash in the name of a file."""


@dataclass(frozen=True)
class Taken:
    """What became of a piece.

    Attributes:
        name: What it is called.
        outcome: "read"; "known": it is in the store already; "failed"; "no evidence".
        reason: Why it failed, is no evidence, or was read and lacks answers; None for the others.
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


def take(layout: Layout, place: Place, plan: Plan) -> Taken:
    """Take a piece into the store; it is not live before it is committed.

    What is wrong with the evidence is an outcome. Raises OSError where the store cannot be written.
    """
    if place.problem:
        return Taken(place.name, "failed", place.problem)
    try:
        path = opened(place.path)
        kind = plan.kind or kind_of(path)
        files = _files(path)
    except (ParseError, OSError) as problem:
        return Taken(place.name, _no(problem), _told(problem))
    piece, size = _content(path, files), sum(file.size for file in files.values())
    if plan.known and piece in plan.known:
        return Taken(place.name, "known", None, piece, plan.known[piece], 0, size)
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
    reader = f"{step.function} {step.version}"
    record = Record(
        piece=piece,
        kind=kind,
        reader=reader,
        main="" if path.is_dir() else path.name,
        files=tuple(files.values()),
        raw=plan.raw,
        tables=_tables(layout, reading, piece, reader),
        evidence=reading.evidence.record(),
        options=plan.options,
    )
    record = with_answers(layout, record, reading, _time(reading, path))
    record.keep(layout)
    rows = sum(table.rows for table in record.tables.values())
    return Taken(place.name, "read", record.unanswered, piece, record.name, rows, size)


def with_answers(
    layout: Layout, record: Record, reading: Reading, time: str | None = None
) -> Record:
    """A record with the time of its piece and what that answers, which is written to the store.

    ``time`` is None where the file is not there any more: it stays what it was.
    """
    asked = ask(reading)
    return replace(
        record,
        answers=write_answers(layout, record.piece, asked.frame) if len(asked.frame) else None,
        asked=asked.steps,
        unanswered=asked.problem,
        time=time or record.time,
        form=FORMAT,
    )


def write_answers(layout: Layout, piece: str, frame: pl.DataFrame) -> Table:
    """Write the answers of a piece into the store."""
    return _parquet(layout, ANSWERS, frame, piece, "answers 1")


def _no(problem: Exception) -> Outcome:
    return "no evidence" if isinstance(problem, UnknownKindError) else "failed"


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


def _tables(layout: Layout, reading: Reading, piece: str, reader: str) -> dict[str, Table]:
    return {
        _free(name): _parquet(layout, name, item.frame, piece, reader)
        for name, item in reading.items()
        if len(item)
    }


def _free(table: str) -> str:
    """A name of a table that is none of the store's own; a printed table may have any name."""
    return f"printed_{table}" if table in {PIECES, ANSWERS} else table


def _parquet(layout: Layout, table: str, frame: pl.DataFrame, piece: str, reader: str) -> Table:
    """Write a table; its name says piece, version of the reader and of the columns, and content."""
    version = reader.rpartition(" ")[2]
    whole = frame.select(pl.lit(piece).alias(PIECE), pl.all())
    return _written(layout, table, whole, f"{piece[:_NAMED]}-r{version}")


def _written(layout: Layout, table: str, frame: pl.DataFrame, begins: str) -> Table:
    digest = ""

    def named() -> Path:
        name = f"{begins}-s{FORMAT}-{digest[:_NAMED]}.parquet"
        return layout.root / "tables" / _folder(table) / name

    with layout.place(named) as fresh:
        frame.write_parquet(fresh)
        size, digest = fresh.stat().st_size, sha256_file(fresh)
    return Table(named().relative_to(layout.root).as_posix(), frame.height, size)


def write_merged(layout: Layout, table: str, frame: pl.DataFrame) -> dict[str, Table]:
    """Write the rows of several pieces into one file; the table of each."""
    file = _written(layout, table, frame, "merged")
    rows = frame.group_by(PIECE).len().rows()
    return {piece: replace(file, rows=count, rows_of_file=file.rows) for piece, count in rows}


def _folder(table: str) -> str:
    """The folder of a table; a printed table may have any name."""
    return table if re.fullmatch(r"\w[\w-]*", table) else sha256_bytes(table.encode())[:_NAMED]


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
