"""The tables of a store as lazy frames, over exactly the files that are live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from perfkit._version import __version__
from perfkit.analysis.pieces.told import TOLD
from perfkit.core.errors import StoreError, UsageError, check_name, did_you_mean
from perfkit.core.evidence import Evidence, sha256_bytes
from perfkit.core.lineage import Measured, reading
from perfkit.core.schema import ColumnTypes, Schema
from perfkit.sources import SOURCES
from perfkit.storing.layout import FORMAT
from perfkit.storing.records import Record, Table
from perfkit.storing.tables import ANSWERS, PIECE, PIECES

if TYPE_CHECKING:
    from perfkit.storing.commits import Entry
    from perfkit.storing.index import State

_PIECES: ColumnTypes = {
    PIECE: pl.String, "name": pl.String, "kind": pl.String, "time": pl.Datetime("us"),
    "reader": pl.String, "rows": pl.Int64, "size_bytes": pl.Int64, "raw": pl.Boolean,
    "unanswered": pl.String,
}  # fmt: skip

_CAST = pl.ScanCastOptions(integer_cast=["upcast", "allow-float"], float_cast="upcast")


class Tables:
    """What is live in a store, as it was when this was made.

    Attributes:
        root: The folder of the store.
        state: What is live.
    """

    def __init__(self, root: Path, state: State):
        self.root = root
        self.state = state

    @cached_property
    def problems(self) -> list[str]:
        """What is damaged, a line each; its rows are in no table."""
        return [*self.state.problems, *self._damaged.values()]

    @cached_property
    def _damaged(self) -> dict[str, str]:
        """The Parquet files that are not as they were written, and why."""
        files = {table.file: table for _, record in self.state.entries for table in record.written}
        problems = {file: table.problem(self.root) for file, table in files.items()}
        return {
            file: f"{self.root / file}: {problem}" for file, problem in problems.items() if problem
        }

    @property
    def sound(self) -> list[tuple[Entry, Record]]:
        """The live pieces of which no table is damaged."""
        return [
            item
            for item in self.state.entries
            if not any(table.file in self._damaged for table in item[1].written)
        ]

    @property
    def older(self) -> list[tuple[Entry, Record]]:
        """Those whose record an older perfkit wrote."""
        return [item for item in self.sound if item[1].form < FORMAT]

    @cached_property
    def names(self) -> list[str]:
        """The names of the tables."""
        found = {name for _, record in self.state.entries for name in record.tables}
        return [PIECES, ANSWERS, *sorted(found)]

    def pieces(self) -> pl.DataFrame:
        """A row for each live piece, with its labels as columns ``label_NAME``."""
        labels = sorted({name for entry, _ in self.state.entries for name, _ in entry.labels})
        rows = [
            (
                entry.piece,
                entry.name,
                record.kind,
                record.time,
                record.reader,
                None
                if any(table.file in self._damaged for table in record.tables.values())
                else sum(table.rows for table in record.tables.values()),
                sum(file.size for file in record.files),
                record.raw,
                record.unanswered,
                *(dict(entry.labels).get(label) for label in labels),
            )
            for entry, record in self.state.entries
        ]
        columns = {**_PIECES, "time": pl.String}
        columns |= {f"label_{label}": pl.String for label in labels}
        frame = pl.DataFrame(rows, schema=columns, orient="row")
        return frame.with_columns(pl.col("time").str.to_datetime(time_unit="us"))

    def answers(self) -> pl.LazyFrame:
        """The answers of all live pieces: ``TOLD``, with the piece and what is said of it.

        Raises StoreError for a store of form 1, whose pieces were not asked yet.
        """
        old = len(self.older)
        if old:
            raise StoreError(
                f"{self.root}: an older perfkit took {old:,} pieces, which were not asked yet: "
                "perfkit store migrate"
            )
        tables = {record.piece: record.answers for _, record in self.state.entries}
        schema: ColumnTypes = {PIECE: pl.String, **TOLD}
        parts = self.parts(tables, schema)
        found = pl.concat(parts) if parts else pl.LazyFrame(schema=schema)
        pieces = self.pieces().lazy()
        of_piece = pieces.drop("reader", "rows", "size_bytes", "raw", "unanswered")
        return (
            found.join(of_piece, on=PIECE, how="left", maintain_order="left", suffix="_of_piece")
            .with_columns(pl.coalesce("time", "time_of_piece"))
            .drop("time_of_piece")
        )

    def scan(self, name: str) -> pl.LazyFrame:
        """A table over all pieces that have it, with the column ``piece``.

        Raises UsageError for a table that no piece has.
        """
        if name == PIECES:
            return self.pieces().lazy()
        if name == ANSWERS:
            return self.answers()
        check_name("table", name, self.names, UsageError)
        kinds: dict[str, dict[str, Table | None]] = {}
        for _, record in self.state.entries:
            kinds.setdefault(record.kind, {})[record.piece] = record.tables.get(name)
        parts = [
            part
            for kind, tables in kinds.items()
            for part in self.parts(tables, _columns(kind, name))
        ]
        return pl.concat(parts, how="diagonal_relaxed") if parts else pl.LazyFrame({PIECE: []})

    def parts(
        self, tables: Mapping[str, Table | None], columns: ColumnTypes | None
    ) -> list[pl.LazyFrame]:
        """The rows of pieces in their files; of a file that others share those of the pieces.

        ``columns`` are those of the table, where they are declared.
        """
        pieces: dict[Table, list[str]] = {}
        rows: Counter[str] = Counter()
        for piece, table in tables.items():
            if table and table.file not in self._damaged:
                pieces.setdefault(replace(table, rows=0), []).append(piece)
                rows[table.file] += table.rows
        whole = [
            str(self.root / table.file)
            for table in pieces
            if table.rows_of_file in {0, rows[table.file]}
        ]
        return [
            *([_scanned(whole, columns)] if whole else []),
            *(
                _scanned([str(self.root / table.file)], columns).filter(pl.col(PIECE).is_in(own))
                for table, own in pieces.items()
                if table.rows_of_file not in {0, rows[table.file]}
            ),
        ]


def _columns(kind: str, name: str) -> ColumnTypes | None:
    """The columns that a source declares for its table; None where it does not."""
    known = SOURCES[kind].tables if kind in SOURCES else {}
    schema: Schema = known.get(name) or known.get("*") or {}
    if not schema:
        return None
    return {PIECE: pl.String, **{key: field.dtype for key, field in schema.items()}}


def _scanned(paths: list[str], columns: ColumnTypes | None) -> pl.LazyFrame:
    if columns is None:
        return pl.concat([pl.scan_parquet(path) for path in paths], how="diagonal_relaxed")
    return pl.scan_parquet(
        paths, schema=columns, missing_columns="insert", extra_columns="ignore", cast_options=_CAST
    )


READS = "read.store"
"""The step that its answers come from."""


def evidence_of(tables: Tables, question: str | None) -> Measured:
    """The answers to a question (None: to all), with each piece that has one as evidence.

    Raises UsageError for a question that no piece answers.
    """
    found = tables.answers()
    chosen = found if question is None else found.filter(pl.col("question") == question)
    answers = chosen.collect()
    if question is not None and answers.is_empty():
        known = sorted(found.select("question").unique().collect()["question"])
        raise UsageError(f"no answer to {question!r}; {did_you_mean(question, known)}")
    pieces = answers.select(PIECE, "name", "kind").unique(PIECE).sort("name", PIECE).rows()
    parts = tuple(Evidence(kind, name or piece, piece) for piece, name, kind in pieces)
    digest = sha256_bytes("\n".join(sorted(part.sha256 for part in parts)).encode())
    store = Evidence("store", tables.root.name, digest, "perfkit", __version__, parts=parts)
    return reading(READS, 1, {"answers": answers}, store, {"question": question})["answers"]
