"""Pieces that are forgotten, and files that are swept away: never one that is needed."""

import datetime as dt
import os

import pytest
from store_kills import is_whole, write_tables

from perfkit.core.errors import StoreError, UsageError
from perfkit.storing import commits
from perfkit.storing.store import Store

NOW = dt.timedelta(0)


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "store")
    folder = write_tables(tmp_path / "evidence", 3)
    found.ingest(folder / "000.csv", labels={"baseline": "yes"})
    found.ingest(folder / "001.csv")
    found.ingest(folder / "002.csv")
    return found


def piece(store, name):
    return dict(store.pieces().select("name", "piece").rows())[name]


def files(store):
    folders = ("raw", "tables", "pieces")
    return sorted(p for f in folders for p in (store.path / f).rglob("*") if p.is_file())


def age(store, days):
    """Set the clock of the commits back."""
    for path in store.layout.commits.iterdir():
        stat = path.stat()
        os.utime(path, (stat.st_atime, stat.st_mtime - days * 86400))


def test_what_is_forgotten_is_in_no_table_and_its_files_stay(store):
    before = files(store)
    assert store.forget([piece(store, "001.csv"), "no such piece"], "older than 90 days") == 1
    assert store.pieces()["name"].to_list() == ["000.csv", "002.csv"]
    assert store.scan("cells").collect()["piece"].n_unique() == 2
    assert files(store) == before
    assert store.check() == []


def test_a_baseline_is_never_forgotten_nor_what_is_named_with_it(store):
    with pytest.raises(UsageError, match=r"000\.csv is a baseline, which is never forgotten"):
        store.forget([piece(store, name) for name in ("000.csv", "001.csv")], "old")
    assert store.pieces().height == 3


def test_what_becomes_a_baseline_meanwhile_is_not_forgotten(store, monkeypatch):
    other, gone, took = Store(store.path), piece(store, "001.csv"), commits._took

    def later(layout, number, entries):
        monkeypatch.setattr(commits, "_took", took)
        other.label([gone], {"baseline": "yes"})
        return took(layout, number, entries)

    monkeypatch.setattr(commits, "_took", later)
    with pytest.raises(UsageError, match=r"001\.csv is a baseline"):
        store.forget([gone], "old")
    assert is_whole(store.path, 3, 3)


def test_what_is_forgotten_comes_back_when_it_is_ingested_again(store, tmp_path):
    store.forget([piece(store, "001.csv")], "old")
    store.ingest(tmp_path / "evidence")
    assert is_whole(store.path, 3, 3)


def test_a_sweep_removes_what_was_forgotten_when_the_grace_time_is_over(store):
    before = files(store)
    gone = piece(store, "001.csv")
    store.forget([gone], "old")
    assert store.sweep().files == 0
    assert files(store) == before
    age(store, 8)
    sizes = {path: path.stat().st_size for path in before}
    swept = store.sweep()
    gone_files = set(before) - set(files(store))
    assert (swept.files, swept.size) == (3, sum(sizes[path] for path in gone_files))
    assert {path.name[:20] for path in gone_files} == {gone[:20]}
    assert is_whole(store.path, 2, 3)


def test_a_sweep_removes_what_was_read_anew_and_what_was_never_committed(store, monkeypatch):
    monkeypatch.setattr("perfkit.sources.printed.read.VERSION", 7)
    store.reingest()
    (store.path / "tables" / "cells" / "left.parquet").write_bytes(b"of a writer that was killed")
    age(store, 8)
    assert store.sweep().files == 7
    assert is_whole(store.path, 3, 3)
    assert store.sweep().files == 0


def test_nothing_is_swept_while_somebody_writes(store):
    with store.layout.writing(), pytest.raises(StoreError, match="somebody writes to it"):
        store.sweep(NOW)
    with store.layout.writing(), store.layout.writing():
        pass


def test_nothing_is_swept_from_a_store_with_damage(store):
    (store.layout.commits / "00000002.json").unlink()
    before = files(store)
    with pytest.raises(StoreError, match="what is needed is not known"):
        store.sweep(NOW)
    assert files(store) == before


def test_a_clock_that_jumps_takes_nothing_that_is_live(store):
    store.forget([piece(store, "001.csv")], "old")
    age(store, -5000)
    store.sweep(NOW)
    assert is_whole(store.path, 2, 3)
    age(store, 20000)
    store.sweep(NOW)
    assert is_whole(store.path, 2, 3)
