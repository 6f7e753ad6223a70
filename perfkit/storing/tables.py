"""The tables of pieces as Parquet files; pieces that are taken together share them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from perfkit.core.evidence import sha256_bytes, sha256_file
from perfkit.storing.layout import FORMAT, Layout
from perfkit.storing.records import Record, Table

PIECE = "piece"
"""The column of every stored table that names the piece of a row."""

PIECES, ANSWERS = "pieces", "answers"
"""The tables that a store has of its own; a source's table is never called so."""

_NAMED = 20
"""Digits of a hash in the name of a file."""

_ANSWERS_READER = "answers 1"


@dataclass(frozen=True)
class Unplaced:
    """A piece whose tables are still in memory.

    Attributes:
        record: Its record, which says nothing yet of where they are.
        frames: Those that have rows, by name, and its answers as ``ANSWERS``.
    """

    record: Record
    frames: Mapping[str, pl.DataFrame]

    @property
    def rows(self) -> int:
        """The rows of its tables, without its answers."""
        return sum(len(frame) for name, frame in self.frames.items() if name != ANSWERS)

    @property
    def size(self) -> int:
        """What they take in memory, in bytes."""
        return sum(int(frame.estimated_size()) for frame in self.frames.values())

    def placed(self, tables: Mapping[str, Table]) -> Record:
        """The record with the places of its tables and answers."""
        own = {name: table for name, table in tables.items() if name != ANSWERS}
        return replace(
            self.record, tables={**self.record.tables, **own}, answers=tables.get(ANSWERS)
        )


@dataclass(frozen=True)
class Rows:
    """The rows of a table in one file, of the same columns; ``counts``: how many of each piece."""

    table: str
    reader: str
    frame: pl.DataFrame
    counts: Mapping[str, int]


def together(pieces: Iterable[Unplaced]) -> Iterator[Rows]:
    """The tables of pieces, for each name, reader and set of columns one."""
    frames: dict[tuple[str, str, str], dict[str, pl.DataFrame]] = {}
    for one in pieces:
        for name, frame in one.frames.items():
            reader = _ANSWERS_READER if name == ANSWERS else one.record.reader
            same = frames.setdefault((name, reader, str(frame.schema)), {})
            same[one.record.piece] = frame
    for (name, reader, _), own in frames.items():
        whole = pl.concat(
            [
                frame.clone().insert_column(
                    0, pl.Series(PIECE, [piece]).new_from_index(0, len(frame))
                )
                for piece, frame in own.items()
            ]
        )
        yield Rows(name, reader, whole, {piece: len(frame) for piece, frame in own.items()})


def write_pieces(layout: Layout, pieces: Sequence[Unplaced]) -> dict[str, str]:
    """Write pieces into a store; they are not live before they are committed.

    Returns the name of the record of each. Of a piece that is there twice the last counts.
    """
    own = {one.record.piece: one for one in pieces}
    tables: dict[str, dict[str, Table]] = {piece: {} for piece in own}
    for rows in together(own.values()):
        begins = rows.reader.replace(" ", "-r")
        for piece, table in write_rows(layout, rows, begins).items():
            tables[piece][rows.table] = table
    records = {piece: one.placed(tables[piece]) for piece, one in own.items()}
    return {piece: record.keep(layout) for piece, record in records.items()}


def write_rows(layout: Layout, rows: Rows, begins: str) -> dict[str, Table]:
    """Write rows of one or more pieces into a file; the table of each.

    The file's name begins as given, or with the piece where it is of one alone; it says the form
    of the columns and the content, too.
    """
    counts = rows.counts
    if len(counts) == 1:
        begins = f"{next(iter(counts))[:_NAMED]}-{begins.rpartition('-')[2]}"
    digest = ""

    def named() -> Path:
        name = f"{begins}-s{FORMAT}-{digest[:_NAMED]}.parquet"
        return layout.root / "tables" / folder_of(rows.table) / name

    with layout.place(named) as fresh:
        rows.frame.write_parquet(fresh)
        size, digest = fresh.stat().st_size, sha256_file(fresh)
    file = named().relative_to(layout.root).as_posix()
    every = rows.frame.height if len(counts) > 1 else 0
    return {piece: Table(file, count, size, every) for piece, count in counts.items()}


def folder_of(table: str) -> str:
    """The folder of a table; a printed table may have any name."""
    return table if re.fullmatch(r"\w[\w-]*", table) else sha256_bytes(table.encode())[:_NAMED]
