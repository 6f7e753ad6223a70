"""Faults of medium and clock, and writers that end at any file: nothing is lost or doubled."""

import contextlib
import errno
import os
import sqlite3
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal
from store_kills import is_whole, write_tables

from perfkit.core.errors import StoreError
from perfkit.storing import layout
from perfkit.storing.layout import Layout
from perfkit.storing.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def evidence(tmp_path):
    return write_tables(tmp_path / "evidence", 2)


FILES = 1 + 2 * 2 + 1 + 1
"""What an ingest of two pieces writes: store.json; evidence and record of each; the table that they
share; a commit."""


class Killed(BaseException):
    """What nothing catches, as nothing catches a kill."""


def failing_at(monkeypatch, step, error, begins=Layout._begun):
    """Let the file of that number, which a writer begins, fail."""
    monkeypatch.setattr(Layout, "_begun", failing(begins, step, error))


def failing(does, step, error):
    """What fails at its call of that number."""
    count = iter(range(1000))

    def call(*given):
        if next(count) == step:
            raise error
        return does(*given)

    return call


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (Killed(), Killed),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), StoreError),
    ],
    ids=["killed", "disk full"],
)
def test_an_ingest_that_ends_at_any_file_is_taken_up(tmp_path, evidence, monkeypatch, error, seen):
    """A file is the store's own, evidence, a table, a record or the commit."""
    for step in range(FILES):
        store = Store(tmp_path / str(step))
        with monkeypatch.context() as patched:
            failing_at(patched, step, error)
            with pytest.raises(seen):
                store.ingest(evidence)
        if store.layout.exists():
            assert store.check() == []
            assert store.pieces().is_empty()
        store.ingest(evidence)
        assert is_whole(store.path, 2, 3)


@pytest.mark.parametrize("kept", range(FILES - 1))
def test_an_ingest_that_ends_while_files_get_their_names_is_taken_up(
    store, evidence, monkeypatch, kept
):
    """So many have theirs, and none is live; the last is the commit, which is linked to its own."""
    store.layout.make()
    named, ends = (Path, "replace") if kept < FILES - 2 else (os, "link")
    step = kept if named is Path else 0
    with monkeypatch.context() as patched:
        patched.setattr(named, ends, failing(getattr(named, ends), step, Killed()))
        with pytest.raises(Killed):
            store.ingest(evidence)
    assert sum(path.is_file() for path in store.path.rglob("*/*")) == kept
    assert store.check() == []
    assert store.pieces().is_empty()
    store.ingest(evidence)
    assert is_whole(store.path, 2, 3)


def test_what_was_written_before_a_fault_never_gets_its_name(store, evidence):
    store.ingest(evidence)
    target = store.layout.pieces / "late.json"

    def fails():
        with store.layout.writing():
            with store.layout.place(target) as fresh:
                fresh.write_bytes(b"{}")
            raise Killed

    with pytest.raises(Killed):
        fails()
    store.layout.settle()
    assert not target.exists()
    assert list((store.path / "fresh").iterdir()) == []


@pytest.mark.parametrize("change", ["label", "forget", "compact", "reingest"])
def test_a_change_that_ends_at_its_commit_changes_nothing(store, evidence, monkeypatch, change):
    monkeypatch.setattr("perfkit.storing.upkeep.FEWEST", 2)
    for file in evidence.iterdir():
        store.ingest(file)
    piece = store.pieces()["piece"][0]
    changes = {
        "label": lambda: store.label([piece], {"run": "2"}),
        "forget": lambda: store.forget([piece], "old"),
        "compact": store.compact,
        "reingest": store.reingest,
    }
    monkeypatch.setattr("perfkit.sources.printed.read.VERSION", 7)
    before = store.pieces(), store.scan("cells").collect()
    for step in range(8):
        with monkeypatch.context() as patched:
            failing_at(patched, step, Killed())
            with contextlib.suppress(Killed):
                changes[change]()
                break
        assert_frame_equal(store.pieces(), before[0])
        assert_frame_equal(store.scan("cells").collect(), before[1])
    assert step > 0
    assert store.check() == []


def test_a_number_that_another_writer_took_first_is_his(store, evidence, monkeypatch):
    """A writer looks for the next number, and another commits before it does: both are live."""
    store.ingest(evidence / "000.csv")
    with monkeypatch.context() as patched:
        patched.setattr("perfkit.storing.commits.numbers", lambda _: [])
        store.ingest(evidence / "001.csv")
    assert is_whole(store.path, 2, 3)


def test_no_clock_says_which_commit_counts(store, evidence):
    for run in "abc":
        store.ingest(evidence / "000.csv", labels={"run": run})
    for days, path in enumerate(sorted(store.layout.commits.iterdir(), reverse=True)):
        os.utime(path, (days * 86400, days * 86400))
    assert store.pieces()["label_run"].to_list() == ["c"]


def test_a_read_only_medium_is_read_and_refuses_what_would_write(store, evidence, monkeypatch):
    store.ingest(evidence)
    pieces = store.pieces()
    path_open, begins, connect = Path.open, Layout._begun, sqlite3.connect
    refused = OSError(errno.EROFS, os.strerror(errno.EROFS))

    def opened(self, mode="r", *args, **options):
        if set(mode) & set("wax+"):
            raise refused
        return path_open(self, mode, *args, **options)

    def connected(path, **options):
        if path != ":memory:":
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return connect(path, **options)

    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: raised(refused))
    monkeypatch.setattr(sqlite3, "connect", connected)
    failing_at(monkeypatch, 0, refused, begins)
    assert_frame_equal(store.pieces(), pieces)
    assert store.query("select count(*) as n from cells")["n"][0] == 12
    assert store.check() == []
    for change in (lambda: store.ingest(evidence), store.sweep, store.compact, store.reingest):
        with pytest.raises(StoreError, match="cannot be written: Read-only file system"):
            change()


def raised(error):
    raise error


def test_an_index_that_was_being_written_is_made_anew(store, evidence, monkeypatch):
    """Its writer is killed in the middle; and the index is half there."""
    store.ingest(evidence)
    store.layout.index.unlink(missing_ok=True)
    with monkeypatch.context() as patched:
        patched.setattr("perfkit.storing.index.record_of", lambda *_: raised(Killed()))
        with pytest.raises(Killed):
            store.pieces()
    assert store.pieces().height == 2
    content = store.layout.index.read_bytes()
    store.layout.index.write_bytes(content[: len(content) // 2])
    assert store.pieces().height == 2


def test_an_index_that_says_something_else_is_not_believed(store, evidence):
    store.ingest(evidence)
    store.pieces()
    with contextlib.closing(sqlite3.connect(store.layout.index)) as known, known:
        known.execute("update files set content = replace(cast(content as text), '6', '7')")
    assert store.pieces()["rows"].to_list() == [6, 6]


@pytest.mark.parametrize("change", ["ingest", "compact", "reingest"])
def test_what_a_commit_names_is_on_the_disk_before_it(store, evidence, monkeypatch, change):
    """Each folder with new names is synced after the last of them, and before the commit's name."""
    monkeypatch.setattr("perfkit.storing.upkeep.FEWEST", 2)
    does = {"ingest": lambda: store.ingest(evidence)}
    if change not in does:
        for file in evidence.iterdir():
            store.ingest(file)
    monkeypatch.setattr("perfkit.sources.printed.read.VERSION", 7)
    told = []
    synced, replaced, linked = layout.sync, Path.replace, os.link
    monkeypatch.setattr(layout, "sync", lambda path: (told.append(("sync", path)), synced(path)))
    monkeypatch.setattr(
        Path, "replace", lambda self, to: (told.append(("name", to.parent)), replaced(self, to))
    )
    monkeypatch.setattr(os, "link", lambda *to: (told.append(("commit", to[1])), linked(*to)))
    does.get(change, getattr(store, change))()
    (commit,) = [place for place, (what, _) in enumerate(told) if what == "commit"]
    last = {item: place for place, item in enumerate(told[:commit])}
    folders = {path for what, path in told if what == "name"}
    assert len(folders) >= 2
    for folder in folders:
        assert last["name", folder] < last["sync", folder]
    assert told[commit + 1 :] == [("sync", store.layout.commits)]
