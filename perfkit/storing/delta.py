"""A store of Delta Lake: on a URL, or in a folder that several hosts share; without an index.

Workers write pieces in batches: their rows go to ``tables/KIND/NAME/FORM``, one for each form that
the columns have, records to ``records`` and evidence to ``raw``, each with the name of the batch.
Nothing of it is live before a row of ``commits`` says so. All are Delta tables, to which any number
of writers append; a commit that conflicts with another is tried again.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import random
import tempfile
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import polars as pl

from perfkit.core.errors import MissingPartError, StoreError
from perfkit.core.evidence import sha256_bytes
from perfkit.core.schema import ColumnTypes
from perfkit.storing.commits import Change, Commit, Entry, changed, live, replacing
from perfkit.storing.index import State
from perfkit.storing.ingest import batches_of_kept, committed, spread
from perfkit.storing.layout import FORMAT, Layout, NewerFormError, newer
from perfkit.storing.places import Place
from perfkit.storing.records import Record, Table, unpacked
from perfkit.storing.scan import Tables
from perfkit.storing.store import GRACE, Store
from perfkit.storing.tables import PIECE, Unplaced, folder_of, together
from perfkit.storing.take import Plan, Read, Taken, take, take_again, written
from perfkit.storing.upkeep import Swept

try:
    from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
    from deltalake.exceptions import DeltaError, TableNotFoundError
except ImportError as problem:
    raise MissingPartError("a store on a URL needs deltalake: install perfkit[delta]") from problem

BATCH = "_batch"
"""The column that tells which batch wrote a row: it is live when a commit names piece and batch."""

COMMITS, RECORDS, RAW = "commits", "records", "raw"

TRIES = 30
WAIT_S = 0.2

MOST_RAW_BYTES = 1_000_000_000
"""A larger file of evidence does not fit into one cell of a table."""


@dataclass(frozen=True)
class Lake:
    """The Delta tables of a store at a URL."""

    url: str

    def place(self, name: str) -> str:
        """Where a table is."""
        return f"{self.url}/{name}"

    def open(self, name: str) -> DeltaTable | None:
        """A table; None where nobody wrote to it yet."""
        try:
            return DeltaTable(self.place(name))
        except TableNotFoundError:
            return None
        except (DeltaError, OSError) as problem:
            raise StoreError(f"{self.place(name)}: cannot be read: {problem}") from problem

    def rows(self, name: str) -> pl.DataFrame | None:
        """All rows of a table; None where nobody wrote to it yet."""
        found = self.open(name)
        return None if found is None else pl.scan_delta(found).collect()

    def append(self, name: str, batch: str, frame: pl.DataFrame) -> None:
        """Add the rows of a batch to a table, once, however often that is tried.

        Raises StoreError where it cannot be written.
        """
        once = CommitProperties(app_transactions=[Transaction(batch, 1)])
        rows = frame.with_columns(pl.col(pl.Null).cast(pl.String), pl.lit(batch).alias(BATCH))
        for left in reversed(range(TRIES)):
            try:
                table = self.open(name)
                if table is None or table.transaction_version(batch) is None:
                    write_deltalake(
                        table or self.place(name), rows, mode="append", commit_properties=once
                    )
            except (DeltaError, OSError) as problem:
                if not left:
                    raise StoreError(
                        f"{self.place(name)}: cannot be written: {problem}"
                    ) from problem
                time.sleep(random.uniform(0, WAIT_S))  # noqa: S311 - so that two do not meet again
            else:
                return


def take_batch(url: str, places: Sequence[Place], plan: Plan) -> list[Taken]:
    """Take some pieces in whatever process or host this runs; the caller commits them."""
    with _staged() as layout:
        found = (_fitting(take(layout, place, plan), plan) for place in places)
        return written(found, partial(_publish, Lake(url), layout))


def again_batch(url: str, kept: Sequence[tuple[Entry, Record]]) -> list[Taken]:
    """Likewise read some pieces again, from the evidence that the store keeps."""
    lake = Lake(url)
    with _staged() as layout:
        _fetch_raw(lake, layout, {file.sha256 for _, record in kept for file in record.files})
        found = (take_again(layout, entry, record) for entry, record in kept)
        return written(found, partial(_publish, lake, layout))


def _fetch_raw(lake: Lake, layout: Layout, wanted: Collection[str]) -> None:
    """Put files of evidence where a store in a folder has them."""
    if lake.open(RAW) is None:
        return
    rows = pl.scan_delta(lake.place(RAW)).filter(pl.col("sha256").is_in(list(wanted)))
    for sha256, content in rows.select("sha256", "content").collect().iter_rows():
        with layout.place(layout.raw(sha256)) as fresh:
            fresh.write_bytes(content)
    layout.settle()


def _fitting(one: Taken | Read, plan: Plan) -> Taken | Read:
    """A piece whose evidence fits into a table, or why it was not taken."""
    if isinstance(one, Taken) or not plan.raw or one.size <= MOST_RAW_BYTES:
        return one
    why = f"{one.size:,} bytes of evidence do not fit into a table: --no-raw takes it without"
    return Taken(one.name, "failed", why, one.piece.record.piece, size=one.size)


@contextlib.contextmanager
def _staged() -> Iterator[Layout]:
    """A store in a temporary folder, in which pieces are made ready."""
    with tempfile.TemporaryDirectory(prefix="perfkit-store-") as folder:
        layout = Layout(Path(folder) / "store")
        layout.make()
        yield layout


def _publish(lake: Lake, layout: Layout, pieces: Sequence[Unplaced]) -> dict[str, str]:
    """Write pieces to the tables, and at last their records; of each the name of the batch."""
    batch = uuid.uuid4().hex
    layout.settle()
    own = {one.record.piece: one for one in pieces}
    places: dict[str, dict[str, Table]] = {piece: {} for piece in own}
    frames: dict[str, list[pl.DataFrame]] = {}
    for kind in dict.fromkeys(one.record.kind for one in own.values()):
        for rows in together(one for one in own.values() if one.record.kind == kind):
            # rows of other columns have a table of their own
            form = sha256_bytes(str(rows.frame.schema).encode())[:12]
            file = f"tables/{kind}/{folder_of(rows.table)}/{form}"
            frames.setdefault(file, []).append(rows.frame)
            for piece, count in rows.counts.items():
                places[piece][rows.table] = Table(file, count, 0)
    for file, parts in frames.items():
        lake.append(file, batch, pl.concat(parts))
    records = [one.placed(places[piece]) for piece, one in own.items()]
    evidence = [file.sha256 for record in records if record.raw for file in record.files]
    if evidence:
        names = list(dict.fromkeys(evidence))
        contents = [layout.raw(sha256).read_bytes() for sha256 in names]
        lake.append(RAW, batch, pl.DataFrame({"sha256": names, "content": contents}))
    if records:
        texts = [record.packed().decode() for record in records]
        lake.append(RECORDS, batch, pl.DataFrame({PIECE: [*own], "record": texts}))
    return dict.fromkeys(own, batch)


class DeltaTables(Tables):
    """What is live in a store of Delta Lake, as it was when this was made."""

    def __init__(self, lake: Lake, state: State):
        super().__init__(Path(lake.url), state)
        self.lake = lake

    @cached_property
    def _damaged(self) -> dict[str, str]:
        return {}  # a file that is lost or damaged is an error when it is read

    def parts(
        self, tables: Mapping[str, Table | None], columns: ColumnTypes | None
    ) -> list[pl.LazyFrame]:
        """The rows of pieces that their live batches wrote; of each table in its forms."""
        batches = {entry.piece: entry.record for entry, _ in self.state.entries}
        places: dict[str, list[str]] = {}
        for piece, table in tables.items():
            if table:
                places.setdefault(table.file, []).append(piece)
        return [self._part(place, pieces, batches, columns) for place, pieces in places.items()]

    def _part(
        self,
        place: str,
        pieces: list[str],
        batches: Mapping[str, str],
        columns: ColumnTypes | None,
    ) -> pl.LazyFrame:
        alive = pl.LazyFrame({PIECE: pieces, BATCH: [batches[piece] for piece in pieces]})
        rows = pl.scan_delta(self.lake.place(place))
        found = rows.join(alive, on=[PIECE, BATCH], how="semi", maintain_order="left").drop(BATCH)
        if columns is None:
            return found
        return found.match_to_schema(
            columns,
            missing_columns="insert",
            extra_columns="ignore",
            integer_cast="upcast",
            float_cast="upcast",
        )


class DeltaStore(Store):
    """A store of Delta Lake, which several hosts write to at once.

    ``path`` is its URL. Form, damage and compaction are Delta Lake's.
    """

    def __init__(self, url: str):
        place = url.removeprefix("delta:")
        self.lake = Lake(place.rstrip("/") if "://" in place else str(Path(place).resolve()))
        super().__init__(url)

    def _made(self, _: Executor | None = None, /) -> None:
        if "://" not in self.lake.url:
            Path(self.lake.url).mkdir(parents=True, exist_ok=True)

    def _writing(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def _taking(self, plan: Plan) -> Callable[[Sequence[Place]], list[Taken]]:
        return partial(take_batch, self.lake.url, plan=plan)

    def _commit(self, entries: Sequence[Entry]) -> None:
        """Append what is said; what was said after it was read counts after it."""
        if not entries:
            return
        table = self.lake.open(COMMITS)
        texts = [json.dumps({**vars(one), "labels": dict(one.labels)}) for one in entries]
        rows = pl.DataFrame(
            {
                "after": [-1 if table is None else table.version()] * len(texts),
                "position": range(len(texts)),
                "entry": texts,
                "format": [FORMAT] * len(texts),
            }
        )
        self.lake.append(COMMITS, uuid.uuid4().hex, rows)

    def _change(self, pieces: Collection[str], change: Change) -> int:
        live = [entry for entry, _ in self._state().entries if entry.piece in pieces]
        entries = list(changed(change, live))
        self._commit(entries)
        return len(entries)

    def _entries(self) -> list[Entry]:
        return [entry for entry, _ in self._state().entries]

    def _written(self, piece: Unplaced) -> str:
        own = piece.record.piece
        known = {entry.piece: entry.record for entry in self._entries()}
        if own in known:
            return known[own]
        with _staged() as layout:
            return _publish(self.lake, layout, [piece])[own]

    def _now(self) -> Tables:
        return DeltaTables(self.lake, self._state())

    def _state(self) -> State:
        said = self.lake.rows(COMMITS)
        if said is None:
            if "://" not in self.lake.url and not Path(self.lake.url).is_dir():
                raise StoreError(f"{self.lake.url}: there is no store; perfkit ingest makes one")
            return State(0, (), ())
        newest = max(said["format"].to_list())
        if newest > FORMAT:
            raise NewerFormError(f"{self.lake.url}: {newer(newest)}")
        ordered = said.sort("after", BATCH, "position")["entry"]
        said_of = tuple(map(_entry, ordered))
        alive = live([Commit(1, said_of)])
        rows = self.lake.rows(RECORDS)
        read = () if rows is None else rows.select(PIECE, BATCH, "record").iter_rows()
        texts = {(piece, batch): text for piece, batch, text in read}
        found, problems = [], []
        for entry in alive:
            text = texts.get((entry.piece, entry.record))
            if text is None:
                problems.append(f"{self.lake.place(RECORDS)}: has no record of {entry.name}")
            else:
                found.append((entry, unpacked(text.encode())))
        return State(
            len(ordered),
            tuple(found),
            tuple(problems),
            named_records=frozenset(one.record for one in said_of if one.record),
        )

    def check(self) -> list[str]:
        """What is missing, a line each: every table has the rows that its records count."""
        now = DeltaTables(self.lake, self._state())
        files: dict[str, dict[str, Table]] = {}
        for _, record in now.state.entries:
            for table in record.written:
                files.setdefault(table.file, {})[record.piece] = table
        found = list(now.problems)
        for file, tables in sorted(files.items()):
            rows = sum(table.rows for table in tables.values())
            try:
                (part,) = now.parts(tables, None)
                there = part.select(pl.len()).collect().item()
            except (pl.exceptions.PolarsError, DeltaError, OSError) as problem:
                found.append(f"{self.lake.place(file)}: cannot be read: {problem}")
                continue
            if there != rows:
                found.append(f"{self.lake.place(file)}: {there:,} rows of {rows:,}")
        return found

    def leftovers(self) -> int:
        """Not known: what was never committed may be the work of another host."""
        return 0

    def compact(self, each: Callable[[int], object] = lambda _: None) -> int:
        """Merge the small files of each table; returns how many files are read less."""
        fewer = 0
        for table in self._tables_of(record for _, record in self._state().entries):
            with _again_later(table):
                done = table.optimize.compact()
            fewer += done["numFilesRemoved"] - done["numFilesAdded"]
            each(1)
        return fewer

    def sweep(self, grace: dt.timedelta = GRACE) -> Swept:
        """Remove the rows of batches that were committed and of which nothing is live any more.

        Their files go when they are older than ``grace``. What was never committed stays: it may be
        the work of another host.
        """
        state, records = self._state(), self.lake.rows(RECORDS)
        alive = {entry.record for entry, _ in state.entries}
        dead = state.named_records - alive
        if records is None or not dead:
            return Swept(0, None)
        texts = records.filter(pl.col(BATCH).is_in(list(dead)))["record"]
        gone = [unpacked(text.encode()) for text in texts]
        names = ", ".join(f"'{batch}'" for batch in sorted(dead))
        files = 0
        for table in self._tables_of(gone):
            with _again_later(table):
                table.delete(f"{BATCH} in ({names})")
                hours = round(grace.total_seconds() / 3600)
                files += len(table.vacuum(hours, dry_run=False, enforce_retention_duration=False))
        return Swept(files, None)

    def _tables_of(self, records: Iterable[Record]) -> list[DeltaTable]:
        """The tables that records name, and those of records and evidence."""
        files = {table.file for record in records for table in record.written}
        opened = [self.lake.open(name) for name in (*sorted(files), RECORDS, RAW)]
        return [table for table in opened if table is not None]

    def migrate(self, **_: object) -> list[Taken]:
        """Nothing is of an older form: Delta Lake came with this one."""
        return []

    def reingest(
        self, *, executor: Executor | None = None, each: Callable[[Taken], object] = lambda _: None
    ) -> list[Taken]:
        """Read everything again from what the store keeps, with the readers as they are now.

        All rows are written anew, and ``sweep`` removes those that were there. Returns what became
        of each piece. Raises StoreError as ``ingest`` does.
        """
        kept = self._state().entries
        before = {entry.piece: entry for entry, _ in kept}

        def commits(done: Sequence[Taken]) -> None:
            records = {one.piece: one.record for one in done if one.outcome == "read"}
            self._change(set(records), replacing(records, before))

        work = partial(again_batch, self.lake.url)
        return committed(spread(batches_of_kept(kept), work, executor), commits, each)

    def repair(self) -> list[str]:
        """Nothing: commits are rows, which Delta Lake keeps whole."""
        return []


@contextlib.contextmanager
def _again_later(table: DeltaTable) -> Iterator[None]:
    """An error in words where another host wrote to a table at the same time."""
    try:
        yield
    except DeltaError as problem:
        raise StoreError(f"{table.table_uri}: try again later: {problem}") from problem


def _entry(text: str) -> Entry:
    found = json.loads(text)
    return Entry(found["piece"], found["record"], found["name"], tuple(found["labels"].items()))
