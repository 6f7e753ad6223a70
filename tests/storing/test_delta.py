"""A store of Delta Lake: what several writers take is there once, what was not committed is not."""

import datetime as dt
import subprocess
import sys
import uuid

import polars as pl
import pytest
from places import TESTS
from polars.testing import assert_frame_equal
from store_kills import start, write_tables
from typer.testing import CliRunner

import perfkit as pk
from perfkit.analysis.compare.report_changes import VALUE
from perfkit.core.answers import Subject, to_frame
from perfkit.core.errors import StoreError, UsageError
from perfkit.storing import delta
from perfkit.storing.layout import FORMAT
from perfkit.storing.store import Store

FIO = TESTS / "data" / "fio" / "rw75.json"


@pytest.fixture
def store(tmp_path):
    return pk.store(f"delta:{tmp_path}/lake")


@pytest.fixture
def evidence(tmp_path):
    return write_tables(tmp_path / "evidence", 3)


def by_piece(frame):
    return frame.sort("piece", maintain_order=True)


def is_whole(store, pieces):
    each = store.scan("cells").collect().group_by("piece").len()["len"].to_list()
    return each == [6] * pieces and store.check() == []


def test_it_has_what_a_store_in_a_folder_has(store, evidence, tmp_path):
    folder = Store(tmp_path / "folder")
    for one in (store, folder):
        one.ingest(evidence, FIO, labels={"system": "a400"})
    assert_frame_equal(by_piece(store.pieces()), by_piece(folder.pieces()))
    for name in set(folder.tables().names) - {"pieces", "answers"}:
        assert_frame_equal(
            by_piece(store.scan(name).collect()), by_piece(folder.scan(name).collect())
        )
    assert_frame_equal(store.answers().collect(), folder.answers().collect())
    assert store.check() == []


def test_what_is_known_is_not_read_again(store, evidence):
    store.ingest(evidence)
    assert {one.outcome for one in store.ingest(evidence)} == {"known"}
    store.ingest(evidence / "000.csv", labels={"run": "second"})
    found = dict(store.query("select name, label_run from pieces").rows())
    assert found == {"000.csv": "second", "001.csv": None, "002.csv": None}


@pytest.mark.slow
def test_three_processes_with_the_same_and_other_evidence(store, evidence, tmp_path):
    own = [write_tables(tmp_path / f"own{place}", 0) for place in range(3)]
    for place, folder in enumerate(own):
        text = (evidence / "000.csv").read_text().replace("TR-0", f"O-{place}")
        (folder / "own.csv").write_text(text)
    processes = [start(store.path, evidence, folder) for folder in own]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert is_whole(store, 6)


@pytest.mark.slow
def test_a_writer_that_is_killed_before_its_commit_leaves_nothing_to_see(store, evidence):
    code = (
        "import os, sys\nfrom perfkit.storing import delta\n"
        "delta.DeltaStore._commit = lambda *_: os.kill(os.getpid(), 9)\n"
        "delta.DeltaStore(sys.argv[1]).ingest(sys.argv[2])"
    )
    done = subprocess.run([sys.executable, "-c", code, store.path, str(evidence)], check=False)
    assert done.returncode == -9
    assert store.pieces().is_empty()
    store.ingest(evidence)
    assert is_whole(store, 3)


def test_a_conflict_is_tried_again_and_nothing_is_there_twice(store, evidence, monkeypatch):
    """The first attempt fails before it wrote, the second after."""
    write, calls = delta.write_deltalake, iter(range(1000))

    def conflicting(*args, **options):
        call = next(calls) % 3
        if call > 0:
            write(*args, **options)
        if call < 2:
            raise delta.DeltaError("another writer was first")

    monkeypatch.setattr(delta, "write_deltalake", conflicting)
    monkeypatch.setattr(delta, "WAIT_S", 0)
    store.ingest(evidence)
    assert is_whole(store, 3)
    monkeypatch.setattr(delta, "write_deltalake", None)
    monkeypatch.setattr(delta, "TRIES", 1)
    monkeypatch.setattr(delta.Lake, "open", lambda *_: raised(delta.DeltaError("no access")))
    with pytest.raises(StoreError, match="cannot be written: no access"):
        delta.Lake("/nowhere").append("x", "b", pl.DataFrame({"a": [1]}))


def raised(error):
    raise error


def test_rows_that_are_lost_are_found(store, evidence):
    store.ingest(evidence)
    (table,) = (store.lake.open(name) for name in tables(store))
    piece = store.pieces()["piece"][0]
    table.delete(f"piece = '{piece}'")
    (problem,) = store.check()
    assert problem.endswith("12 rows of 18")


def tables(store):
    return {table.file for _, record in store._state().entries for table in record.written}


@pytest.mark.slow
def test_what_is_forgotten_is_gone_and_swept_with_its_batch(store, evidence):
    store.ingest(evidence / "000.csv")
    store.ingest(evidence / "001.csv", labels={"baseline": "yes"})
    pieces = dict(store.pieces().select("name", "piece").rows())
    with pytest.raises(UsageError, match="is a baseline"):
        store.forget([pieces["001.csv"]], "old")
    store.forget([pieces["000.csv"]], "old")
    assert is_whole(store, 1)
    assert store.sweep(dt.timedelta(0)).files > 0
    assert is_whole(store, 1)
    store.ingest(evidence)
    assert is_whole(store, 3)


def test_reading_again_gives_what_the_readers_make_of_it_now(store, evidence, monkeypatch):
    store.ingest(evidence, labels={"system": "a400"})
    before = by_piece(store.scan("cells").collect())
    monkeypatch.setattr("perfkit.sources.printed.read.VERSION", 7)
    assert {one.outcome for one in store.reingest()} == {"read"}
    assert_frame_equal(by_piece(store.scan("cells").collect()), before)
    pieces = store.pieces()
    assert pieces["reader"].to_list() == ["read.printed 7"] * 3
    assert pieces["label_system"].to_list() == ["a400"] * 3
    store.sweep(dt.timedelta(0))
    assert is_whole(store, 3)
    assert {one.outcome for one in store.reingest()} == {"read"}


def test_without_the_evidence_nothing_is_read_again(store, evidence):
    store.ingest(evidence, raw=False)
    assert {one.reason for one in store.reingest()} == {"the store does not keep its files"}
    assert is_whole(store, 3)


def test_what_others_say_while_it_is_read_again_counts(store, evidence, monkeypatch):
    store.ingest(evidence)
    piece = store.pieces().filter(name="001.csv")["piece"][0]
    publish = delta._publish

    def later(*given):
        monkeypatch.setattr(delta, "_publish", publish)
        store.forget([piece], "old")
        return publish(*given)

    monkeypatch.setattr(delta, "_publish", later)
    store.reingest()
    assert sorted(store.pieces()["name"]) == ["000.csv", "002.csv"]


def test_compaction_changes_no_row(store, evidence):
    for place in range(3):
        store.ingest(evidence / f"00{place}.csv")
    before = by_piece(store.scan("cells").collect())
    assert store.compact() > 0
    assert_frame_equal(by_piece(store.scan("cells").collect()), before)
    assert is_whole(store, 3)


def test_answers_are_added_once(store):
    found = to_frame([VALUE.answer("iops", Subject("a"), 5.0, unit="1/s")])
    pieces = {store.add_answers(found, name="slot", facts={"kernel": "6.1"}) for _ in range(2)}
    assert len(pieces) == 1
    assert store.answers().select("value", "facts").collect().rows() == [(5.0, '{"kernel": "6.1"}')]


def test_a_newer_form_and_no_store_are_refused(store, evidence):
    with pytest.raises(StoreError, match="there is no store"):
        store.pieces()
    store.ingest(evidence)
    row = pl.DataFrame({"after": [99], "position": [0], "entry": ["?"], "format": [FORMAT + 1]})
    store.lake.append("commits", uuid.uuid4().hex, row)
    with pytest.raises(StoreError, match=r"format 3.*upgrade perfkit"):
        store.pieces()


def test_evidence_too_large_for_a_table_fails_alone(store, evidence, monkeypatch):
    (evidence / "large.csv").write_text((evidence / "000.csv").read_text() + "row 9,9\n" * 50)
    monkeypatch.setattr(delta, "MOST_RAW_BYTES", 200)
    found = {one.name: one.reason for one in store.ingest(evidence) if one.outcome == "failed"}
    assert list(found) == ["large.csv"]
    assert found["large.csv"].endswith("do not fit into a table: --no-raw takes it without")
    assert is_whole(store, 3)


def test_the_command_takes_a_url(tmp_path, evidence):
    from perfkit.cli.app import app

    url = f"file://{tmp_path}/lake"
    done = CliRunner().invoke(app, ["ingest", str(evidence), "--store", url])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["store", "check", "--store", url])
    assert f"{url}: whole, 3 pieces" in done.output
