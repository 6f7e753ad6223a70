"""What a store says of a piece of evidence: its files, its reader, and where its tables are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import StoreError
from perfkit.core.files import Json
from perfkit.storing.layout import FORMAT, Layout, loaded, packed


@dataclass(frozen=True)
class File:
    """A file of a piece: its name from the piece's folder, its hash, and its size in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Table:
    """A table that was read: its Parquet file in the store, its rows, and the file's size in bytes.

    ``rows_of_file`` counts those of all pieces in a file that several share; 0: it has its own.
    """

    file: str
    rows: int
    size: int
    rows_of_file: int = 0

    def problem(self, root: Path) -> str | None:
        """Why its file is not as it was written, as far as its size tells; None where it is."""
        try:
            size = (root / self.file).stat().st_size
        except OSError as problem:
            return f"cannot be read: {problem.strerror}"
        return None if size == self.size else f"damaged: {size:,} bytes of {self.size:,}"


@dataclass(frozen=True)
class Record:
    """What was read from a piece of evidence.

    Attributes:
        piece: What it is known by: the hash of its content.
        kind: The kind of evidence.
        reader: The step that read it, with its version ("read.awr 1").
        main: The file that it is; "" where it is a folder.
        files: Its files, also what was read from beside it.
        raw: Whether these are kept in the store.
        tables: Its tables that have rows, by name.
        evidence: The evidence's own record (``Evidence.record``).
        time: When it was measured, on the clock of its host (ISO 8601); None where it does not say.
        options: The reader's options.
        answers: What it answers by itself; None where it answers nothing.
        asked: The steps that gave the answers, with their versions ("piece.curves 1").
        unanswered: Why it has no answers, or not all; None where nothing is lacking.
        form: The form that the record was written in.
    """

    piece: str
    kind: str
    reader: str
    main: str
    files: tuple[File, ...]
    raw: bool
    tables: dict[str, Table]
    evidence: Json
    time: str | None = None
    options: tuple[tuple[str, str | int | float], ...] = ()
    answers: Table | None = None
    asked: tuple[str, ...] = ()
    unanswered: str | None = None
    form: int = FORMAT

    def packed(self) -> bytes:
        """The JSON form, without spaces: there are thousands of them."""
        fields = {name: value for name, value in vars(self).items() if name != "form"}
        return packed(
            {
                **fields,
                "format": FORMAT,
                "files": [vars(file) for file in self.files],
                "tables": {name: vars(table) for name, table in self.tables.items()},
                "options": dict(self.options),
                "answers": self.answers and vars(self.answers),
            },
            indent=None,
        )

    @property
    def written(self) -> list[Table]:
        """Its Parquet files: those of its tables and its answers."""
        return [*self.tables.values(), *([self.answers] if self.answers else [])]

    def keep(self, layout: Layout) -> str:
        """Write it into the store; returns its name, which says its content."""
        content = self.packed()
        name = _named(self.piece, content)
        with layout.place(layout.pieces / record_name(name)) as fresh:
            fresh.write_bytes(content)
        return name


def _named(piece: str, content: bytes) -> str:
    return f"{piece}-{hashlib.sha256(content).hexdigest()[:16]}"


def record_name(name: str) -> str:
    """The name of a record's file."""
    return f"{name}.json"


def is_sound(layout: Layout, name: str) -> bool:
    """Whether a record is as it was written, and its tables have the sizes that it says."""
    file = record_name(name)
    try:
        record = record_of(file, (layout.pieces / file).read_bytes())
    except (OSError, StoreError):
        return False
    return not any(table.problem(layout.root) for table in record.written)


def record_of(file: str, content: bytes) -> Record:
    """A record as the file of that name has it.

    Raises StoreError where it is damaged, NewerFormError for a newer form.
    """
    record = unpacked(content)
    if record_name(_named(record.piece, content)) != file:
        raise StoreError("damaged: its content is not what its name says")
    return record


def unpacked(content: bytes) -> Record:
    """The inverse of ``Record.packed``; raises as ``record_of`` does."""
    found = loaded(content)
    # form 1 had a version of the columns, which was 1
    fields = {name: value for name, value in found.items() if name not in {"format", "schema"}}
    try:
        return Record(
            **{
                **fields,
                "form": found["format"],
                "files": tuple(File(**file) for file in found["files"]),
                "tables": {name: Table(**table) for name, table in found["tables"].items()},
                "options": tuple(found["options"].items()),
                "answers": Table(**found["answers"]) if found.get("answers") else None,
                "asked": tuple(found.get("asked", ())),
            }
        )
    except (KeyError, TypeError, AttributeError) as problem:
        raise StoreError(f"damaged: {problem!r}") from problem
