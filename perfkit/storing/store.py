"""A store of results, as a notebook has it: ``pk.store("data/store")``."""

from __future__ import annotations

import contextlib
import datetime as dt
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from perfkit.core.errors import StoreError, UsageError
from perfkit.core.evidence import sha256_file
from perfkit.core.lineage import Measured
from perfkit.storing.asking import added
from perfkit.storing.commits import Change, Entry, commit, commit_changed, write_lost
from perfkit.storing.index import State, entries_of, state_of
from perfkit.storing.ingest import (
    again_batch,
    ingest,
    migrate_batch,
    replace_records,
    take_batch,
)
from perfkit.storing.layout import FORMAT, Layout
from perfkit.storing.places import Place, places_of
from perfkit.storing.records import Record, record_of
from perfkit.storing.scan import Tables, evidence_of
from perfkit.storing.tables import Unplaced, write_pieces
from perfkit.storing.take import Plan, Taken
from perfkit.storing.upkeep import Swept, compact, sweep

DEFAULT = Path("data/store")

BASELINE = "baseline"
"""The label of pieces that are never forgotten."""

GRACE = dt.timedelta(days=7)
"""So long a reader may be at work that has the files of pieces which are not live any more."""

_WAY_OUT = {
    True: "perfkit store repair brings back what is left of it",
    False: "perfkit reingest, or ingesting the same evidence, makes it anew",
}


class Store:
    """Evidence, tables and answers in a folder of immutable files; see ``storing.layout``.

    Each call sees what is live when it is made.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path | str = DEFAULT):
        self.path = Path(path)
        self.layout = Layout(self.path)

    def ingest(
        self,
        *paths: Path | str,
        labels: Mapping[str, str] | None = None,
        raw: bool = True,
        kind: str | None = None,
        options: Mapping[str, str | int | float] | None = None,
        executor: Executor | None = None,
        each: Callable[[Taken], object] = lambda _: None,
    ) -> list[Taken]:
        """Take files, folders, archives and runs into the store, which is made where it is missing.

        What is in it already is not read again. One bad file never stops the others.

        Args:
            paths: What is taken.
            labels: What is said of all of it: columns ``label_NAME`` of ``pieces``.
            raw: Whether the evidence itself is kept, so that a newer reader can read it again.
            kind: Its kind; None: by its content.
            options: Options of the kind's reader.
            executor: Any of ``concurrent.futures``; None: one process for each core.
            each: Called with what became of each piece.

        Returns what became of each piece, in no order.

        Raises ParseError for an archive that is refused, StoreError where the store cannot be used.
        """
        self._made(executor)
        with self._writing():
            known = {entry.piece: entry.record for entry in self._entries()}
            plan = Plan(raw, kind, tuple((options or {}).items()), known)
            places = places_of([Path(path) for path in paths])
            said = tuple(sorted((labels or {}).items()))
            return ingest(
                places, self._taking(plan), self._commit, labels=said, executor=executor, each=each
            )

    # What a store on Delta Lake does in its own way

    def _made(self, executor: Executor | None = None, /) -> None:
        """Make the store where there is none, and bring it to this form."""
        self.layout.make()
        with self.layout.writing():
            self.layout.tidy()
        if self.layout.form() < FORMAT:
            self.migrate(executor=executor)

    def _writing(self) -> contextlib.AbstractContextManager[None]:
        """While something is written that is committed later."""
        return self.layout.writing()

    def _taking(self, plan: Plan) -> Callable[[Sequence[Place]], list[Taken]]:
        """What takes some pieces in any process."""
        return partial(take_batch, str(self.layout.root.resolve()), plan=plan)

    def _commit(self, entries: Sequence[Entry]) -> object:
        """Make pieces live."""
        return commit(self.layout, entries)

    def _change(self, pieces: Collection[str], change: Change) -> int:
        """Commit what a change makes of pieces; returns how many changed."""
        with self.layout.writing():
            state = state_of(self.layout)
            live = {entry.piece: entry for entry, _ in state.entries if entry.piece in pieces}
            return commit_changed(self.layout, change, live, state.commits)

    def _entries(self) -> list[Entry]:
        """The pieces that are live."""
        return entries_of(self.layout)

    def _written(self, piece: Unplaced) -> str:
        """Write one piece; the name by which a commit knows its record."""
        return write_pieces(self.layout, [piece])[piece.record.piece]

    def _now(self) -> Tables:
        """What is live."""
        return Tables(self.path, state_of(self.layout))

    def migrate(
        self, *, executor: Executor | None = None, each: Callable[[Taken], object] = lambda _: None
    ) -> list[Taken]:
        """Bring a store that an older perfkit wrote to this form; ``ingest`` does so by itself.

        Returns what became of each piece of the older form. Raises StoreError as ``ingest`` does.
        """
        with self.layout.writing():
            now = self._now()
            found = replace_records(
                self.layout, now.state, now.older, migrate_batch, executor=executor, each=each
            )
            if self.layout.form() < FORMAT and not any(one.outcome == "failed" for one in found):
                self.layout.write_form()
            return found

    def add_answers(
        self,
        answers: Measured | pl.DataFrame,
        *,
        name: str,
        time: dt.datetime | None = None,
        conditions_key: Mapping[str, Any] | str = "{}",
        facts: Mapping[str, Any] | str = "{}",
        labels: Mapping[str, str] | None = None,
        sources: Sequence[str] = (),
    ) -> str:
        """Take answers that were made elsewhere into the store: the findings of a report.

        The same answers of the same time and sources are one piece, however often they are added.

        Args:
            answers: A frame with the columns ``answers.ANSWERS``.
            name: What it is called.
            time: When it was measured, on the clock of its host.
            conditions_key: What must agree before they are joined to others.
            facts: What was recorded beside them and may differ.
            labels: What is said of them.
            sources: The pieces of the store that they are made of.

        Returns the piece.

        Raises AnalysisError for a frame that holds no answers, UsageError for none at all,
        StoreError where the store cannot be written.
        """
        self._made()
        frame = answers.frame if isinstance(answers, Measured) else answers
        piece = added(
            frame=frame, time=time, conditions_key=conditions_key, facts=facts, sources=sources
        )
        said = tuple(sorted((labels or {}).items()))
        with self._writing():
            entry = Entry(piece.record.piece, self._written(piece), name, said)
            if entry not in self._entries():
                self._commit([entry])
        return entry.piece

    def forget(self, pieces: Iterable[str], reason: str) -> int:
        """Say that pieces are no longer live: their rows are in no table from here on.

        Their files stay until ``sweep`` removes them. Pieces that are not live are passed over.

        Returns how many were. Raises UsageError where one has the label ``baseline``: none is
        forgotten then; StoreError where the store cannot be written.
        """

        def forgotten(entry: Entry) -> Entry:
            if BASELINE in dict(entry.labels):
                raise UsageError(f"{entry.name} is a baseline, which is never forgotten")
            return replace(entry, record="", labels=(("reason", reason),))

        return self._change(set(pieces), forgotten)

    def compact(self, each: Callable[[int], object] = lambda _: None) -> int:
        """Merge the many small files of each table; returns how many files are read less.

        The small files stay until ``sweep`` removes them. ``each`` is called with the number of
        pieces of each commit. Raises StoreError where the store cannot be written.
        """
        with self.layout.writing():
            now = self._now()
            return compact(self.layout, now.state, now.sound, each)

    def sweep(self, grace: dt.timedelta = GRACE) -> Swept:
        """Remove the files that no piece needs which is live, or was so within the grace time.

        Raises StoreError where somebody writes to the store, and for one with damage.
        """
        with self.layout.alone():
            self.layout.tidy()
            return sweep(self.layout, state_of(self.layout), grace)

    def label(self, pieces: Collection[str], labels: Mapping[str, str | None]) -> None:
        """Say more of some pieces: each label is set, or taken away by None; the others stay.

        Raises StoreError for no store, and where it cannot be written.
        """

        def labelled(entry: Entry) -> Entry:
            merged = {**dict(entry.labels), **labels}
            own = sorted((key, value) for key, value in merged.items() if value is not None)
            return replace(entry, labels=tuple(own))

        self._change(set(pieces), labelled)

    def reingest(
        self, *, executor: Executor | None = None, each: Callable[[Taken], object] = lambda _: None
    ) -> list[Taken]:
        """Read everything again from what the store keeps, with the readers as they are now.

        Returns what became of each piece. Raises StoreError as ``ingest`` does.
        """
        with self.layout.writing():
            state = state_of(self.layout)
            return replace_records(
                self.layout, state, state.entries, again_batch, executor=executor, each=each
            )

    def repair(self) -> list[str]:
        """Bring back what lost commits made live, as far as it is known; what was lost, by line.

        Until then ``query`` gives no answer. Raises StoreError where the store cannot be written.
        """
        with self.layout.writing():
            return repair(self.layout, state_of(self.layout))

    def check(self) -> list[str]:
        """What is damaged or missing, a line each; every live file is read."""
        return damage(self.layout, state_of(self.layout))

    def leftovers(self) -> int:
        """How many pieces were read and never became live, as their ingest was interrupted."""
        return leftovers(self.layout, state_of(self.layout))

    def tables(self) -> Tables:
        """What is live now; a warning for what is damaged."""
        found = self._now()
        if found.problems:
            more = f" and {len(found.problems) - 1:,} more" if len(found.problems) > 1 else ""
            warnings.warn(f"left out of the store: {found.problems[0]}{more}", stacklevel=3)
        return found

    def pieces(self) -> pl.DataFrame:
        """A row for each piece of evidence, with its labels."""
        return self.tables().pieces()

    def answers(self) -> pl.LazyFrame:
        """The answers of all pieces, lazy: ``answers.ANSWERS`` and what they are of.

        ``claim`` is unique within a ``piece``. Beside the columns of answers: ``name``, ``kind``
        and the ``label_NAME`` columns of the piece; ``time``, when it was measured, on the clock of
        its host; ``conditions_key``, what must agree before two answers are joined, and ``facts``,
        what was recorded beside it and may differ, both JSON objects.

        Raises StoreError where pieces of an older perfkit were not asked yet.
        """
        return self.tables().answers()

    def evidence(self, question: str | None = None) -> Measured:
        """The answers to a question (None: to all) as evidence of a report, which names each piece.

        Raises StoreError for a store of which something is damaged, as ``query`` does, and
        UsageError for a question that no piece answers.
        """
        return evidence_of(self._whole("the report would lack its answers"), question)

    def scan(self, table: str) -> pl.LazyFrame:
        """A table over all pieces, lazy, with the column ``piece``.

        Raises UsageError for a table that no piece has.
        """
        return self.tables().scan(table)

    def query(self, sql: str, *, partial: bool = False) -> pl.DataFrame:
        """The answer to a question in SQL over the tables and ``pieces``.

        Where something of the store is damaged there is none: a sum over what is left would look
        like one over all. ``partial`` takes what is left, with a warning.

        Raises UsageError for what is not SQL, or names what is not there, StoreError for damage.
        """
        without = "; --partial (partial=True) answers without it"
        found = self.tables() if partial else self._whole("the answer would lack its rows", without)
        with pl.SQLContext() as context:
            for name in found.names:
                if name in sql:
                    context.register(name, found.scan(name))
            try:
                return context.execute(sql, eager=True)
            except pl.exceptions.PolarsError as problem:
                told = str(problem).partition("\n\nResolved plan")[0]
                raise UsageError(f"{told}; tables: {', '.join(found.names)}") from None

    def _whole(self, lacks: str, partly: str = "") -> Tables:
        """What is live now; StoreError where something of it is damaged."""
        found = self._now()
        if found.problems:
            way_out = _WAY_OUT[bool(found.state.lost)]
            raise StoreError(f"{found.problems[0]}: {lacks}. {way_out}{partly}")
        return found

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"


def store(path: Path | str = DEFAULT) -> Store:
    """The store in a folder, or of Delta Lake on a URL (``delta:FOLDER``, ``s3://...``).

    ``ingest`` makes it. Raises MissingPartError for a URL without deltalake.
    """
    if "://" in str(path) or str(path).startswith("delta:"):
        from perfkit.storing.delta import DeltaStore

        return DeltaStore(str(path))
    return Store(path)


# --- whether a store is whole; and what lost commits made live, as far as its records tell -----


def repair(layout: Layout, state: State) -> list[str]:
    """Bring back the pieces of lost commits, and note these as lost; what was lost, a line each.

    A piece comes back when no other commit names it: whole, under the name of its evidence. Its
    labels, and what a lost commit said of other pieces, are not known any more.
    """
    if not state.lost:
        return []

    def age(named: tuple[str, Record]) -> tuple[int, int, str]:
        name, record = named
        return record.form, int(record.reader.rpartition(" ")[2]), name

    # of several records of a piece the newest counts
    found = {
        record.piece: (name, record) for name, record in sorted(_unnamed(layout, state), key=age)
    }
    entries = [
        Entry(piece, name, record.evidence.get("path", piece))
        for piece, (name, record) in found.items()
    ]
    commit(layout, entries)  # first: what follows says that nothing is left to do
    for number in state.lost:
        write_lost(layout, number)
    numbers = ", ".join(map(str, state.lost))
    return [
        f"commit {numbers} is lost: labels that it gave, and pieces that it removed, are not known",
        *(f"{entry.name} is live again, without labels" for entry in entries),
    ]


def _unnamed(layout: Layout, state: State) -> Iterator[tuple[str, Record]]:
    """The records of pieces that no commit names, each with its name."""
    for path in layout.pieces.glob("*.json"):
        if path.stem.partition("-")[0] not in state.named:
            try:
                yield path.stem, record_of(path.name, path.read_bytes())
            except StoreError:
                continue  # damaged: its evidence has to be ingested again


def damage(layout: Layout, state: State) -> list[str]:
    """What is damaged or missing, a line each; every file that is live is read."""
    tables = {table.file for _, record in state.entries for table in record.written}
    raw = {file.sha256 for _, record in state.entries if record.raw for file in record.files}
    # the hash of its content is the last part of a table's name, and all of a raw file's
    files = [*(layout.root / file for file in sorted(tables)), *map(layout.raw, sorted(raw))]
    problems = ((path, _problem(path)) for path in files)
    return [*state.problems, *(f"{path}: {problem}" for path, problem in problems if problem)]


def leftovers(layout: Layout, state: State) -> int:
    """How many pieces were read and never became live: their writer was interrupted."""
    live = {entry.record for entry, _ in state.entries}
    known = {entry.piece for entry, _ in state.entries}
    names = [path.stem for path in layout.pieces.glob("*.json")]
    return sum(name not in live and name.partition("-")[0] not in known for name in names)


def _problem(path: Path) -> str | None:
    try:
        same = sha256_file(path).startswith(path.stem.rpartition("-")[2])
    except OSError as problem:
        return f"cannot be read: {problem.strerror}"
    return None if same else "damaged: not what its name says"
