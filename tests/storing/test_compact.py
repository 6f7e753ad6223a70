"""Merged files: the same rows as before, of the pieces that are live."""

import datetime as dt

import polars as pl
import pytest
from places import TESTS
from polars.testing import assert_frame_equal
from store_kills import write_tables

from perfkit.core.errors import StoreError
from perfkit.storing import commits
from perfkit.storing.layout import Layout
from perfkit.storing.store import Store
from perfkit.storing.upkeep import FEWEST

FIO = TESTS / "data" / "fio"
PIECES = FEWEST + 2


@pytest.fixture
def store(tmp_path):
    """Pieces that came one by one: each has files of its own."""
    found = Store(tmp_path / "store")
    for file in (*sorted(write_tables(tmp_path / "evidence", PIECES).iterdir()), FIO / "rw75.json"):
        found.ingest(file)
    return found


def cells(store):
    return store.scan("cells").collect().sort("piece", maintain_order=True)


def files(store, table="cells"):
    return list((store.path / "tables" / table).iterdir())


def test_merged_rows_are_those_that_were_there(store):
    before, pieces, answers = cells(store), store.pieces(), store.answers().collect()
    assert store.compact() == PIECES - 1
    assert_frame_equal(cells(store), before)
    assert_frame_equal(store.pieces().sort("piece"), pieces.sort("piece"))
    assert_frame_equal(store.answers().collect(), answers)
    assert store.check() == []
    assert len(files(store)) == PIECES + 1
    store.sweep(dt.timedelta(days=-1))
    assert len(files(store)) == 1
    assert_frame_equal(cells(store), before)


def test_a_second_compaction_has_nothing_to_do(store):
    store.compact()
    before = sorted(store.layout.commits.iterdir())
    assert store.compact() == 0
    assert sorted(store.layout.commits.iterdir()) == before


def test_rows_of_a_merged_file_whose_piece_is_gone_are_not_seen(store):
    store.compact()
    gone = cells(store)["piece"][0]
    store.forget([gone], "old")
    left = cells(store)
    assert gone not in left["piece"]
    assert left["piece"].n_unique() == PIECES - 1
    assert store.query("select count(*) as n from cells")["n"][0] == 6 * (PIECES - 1)


def test_what_is_read_anew_is_there_once(store, monkeypatch):
    store.compact()
    before = cells(store)
    monkeypatch.setattr("perfkit.sources.printed.read.VERSION", 7)
    store.reingest()
    assert_frame_equal(cells(store), before)
    assert set(store.pieces().filter(kind="printed")["reader"]) == {"read.printed 7"}


def test_a_damaged_merged_file_is_named_and_made_anew(store, tmp_path):
    store.compact()
    (merged,) = [path for path in files(store) if path.name.startswith("merged")]
    merged.write_bytes(merged.read_bytes()[:-20])
    assert any(str(merged) in text for text in store.check())
    with pytest.raises(StoreError, match="the answer would lack its rows"):
        store.query("select count(*) as n from cells")
    store.ingest(tmp_path / "evidence")
    assert cells(store)["piece"].n_unique() == PIECES
    assert store.check() == []


def test_what_others_say_meanwhile_counts(store, tmp_path, monkeypatch):
    """A label, a removal and a new piece are committed just before the compaction's commit."""
    other = Store(store.path)
    pieces = dict(store.pieces().select("name", "piece").rows())
    took = commits._took

    def later(layout, number, entries):
        monkeypatch.setattr(commits, "_took", took)
        other.forget([pieces["001.csv"]], "old")
        other.ingest(tmp_path / "evidence" / "002.csv", labels={"run": "second"})
        return took(layout, number, entries)

    monkeypatch.setattr(commits, "_took", later)
    store.compact()
    labels = dict(store.pieces().select("name", "label_run").rows())
    assert "001.csv" not in labels
    assert labels["002.csv"] == "second"
    assert cells(store)["piece"].n_unique() == PIECES - 1
    assert store.check() == []


def test_a_compaction_that_ends_in_the_middle_changes_nothing(store, monkeypatch):
    before, place = cells(store), Layout.place

    def ends(self, named, **options):
        if options.get("exclusive"):
            raise KeyboardInterrupt
        return place(self, named, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Layout, "place", ends)
        with pytest.raises(KeyboardInterrupt):
            store.compact()
    assert_frame_equal(cells(store), before)
    assert store.compact() == PIECES - 1
    assert_frame_equal(cells(store), before)


def test_a_merged_file_is_merged_again_without_what_is_gone(store, tmp_path):
    store.compact()
    gone = cells(store)["piece"][0]
    store.forget([gone], "old")
    more = write_tables(tmp_path / "more", PIECES)
    for file in more.iterdir():
        file.write_text(file.read_text().replace("TR-", "more-"))
    store.ingest(more)
    before = cells(store)
    store.compact()
    assert_frame_equal(cells(store), before)
    newest = max(files(store), key=lambda path: path.stat().st_mtime_ns)
    assert gone not in pl.read_parquet(newest)["piece"]
