"""A store: what is taken is what was read, once, and stays so whatever happens to its writers."""

import json
import os
import signal
import subprocess
import sys
import tarfile
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import polars as pl
import pytest
from places import TESTS
from polars.testing import assert_frame_equal
from store_kills import is_whole, kill_often, start, write_tables

import perfkit as pk
from perfkit.core.errors import StoreError, UsageError
from perfkit.sources import SOURCES
from perfkit.storing.ingest import spread
from perfkit.storing.layout import FORMAT
from perfkit.storing.store import Store
from perfkit.storing.take import Taken

DATA = TESTS / "data"
FIO = DATA / "fio" / "rw75_jsonplus.json"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def evidence(tmp_path):
    return write_tables(tmp_path / "evidence", 3)


def outcomes(found):
    return {one.name: one.outcome for one in found}


def commits(store):
    return sorted(path.name for path in store.layout.commits.iterdir())


def one_file(store, folder):
    (found,) = (store.path / folder).rglob("*.*")
    return found


# What is in it


def test_what_is_taken_is_what_was_read(store):
    (taken,) = store.ingest(FIO)
    reading = pk.read(FIO)
    assert taken.outcome == "read"
    assert set(store.tables().names) == {
        "pieces",
        "answers",
        *(n for n, t in reading.items() if len(t)),
    }
    for name, table in reading.items():
        if len(table):
            found = store.scan(name).collect()
            assert found["piece"].unique().to_list() == [reading.evidence.sha256]
            assert_frame_equal(found.drop("piece"), table.frame)


def test_the_evidence_is_kept_by_its_hash_or_not_at_all(store, tmp_path):
    (taken,) = store.ingest(FIO)
    assert store.layout.raw(taken.piece).read_bytes() == FIO.read_bytes()
    without = Store(tmp_path / "without")
    without.ingest(FIO, raw=False)
    assert list((without.path / "raw").iterdir()) == []
    assert without.pieces()["raw"].to_list() == [False]


def test_a_piece_has_its_name_kind_rows_and_labels(store, evidence):
    store.ingest(evidence, labels={"system": "a400"})
    rows = store.pieces().select("name", "kind", "rows", "label_system").rows()
    assert rows == [(f"00{place}.csv", "printed", 6, "a400") for place in range(3)]


@pytest.mark.parametrize(
    ("file", "time"),
    [
        ("elbencho/seq_wr.json", "2026-11-21T02:47:53.661000"),
        ("fio/rw75.json", "2026-11-21T02:27:29"),
    ],
)
def test_a_time_is_that_of_the_evidence(store, file, time):
    store.ingest(DATA / file)
    store.ingest(write_tables(store.path.parent / "evidence", 1))
    found = dict(store.pieces().select("kind", "time").rows())
    assert found.pop("printed") is None
    assert [when.isoformat() for when in found.values()] == [time]


def test_a_run_has_the_time_of_its_own_record(tmp_path):
    (tmp_path / "run.json").write_text('{"started_utc": "2026-11-22T20:56:53.808+00:00"}')
    when = SOURCES["perfkit-run"].when
    assert when(tmp_path).isoformat() == "2026-11-22T20:56:53.808000"
    (tmp_path / "run.json").write_text("{}")
    assert when(tmp_path) is None


def test_what_is_known_is_not_read_again_and_nothing_is_committed(store, evidence):
    store.ingest(evidence)
    before = commits(store)
    assert set(outcomes(store.ingest(evidence)).values()) == {"known"}
    assert commits(store) == before


def test_new_labels_are_said_of_what_is_known(store, evidence):
    store.ingest(evidence)
    store.ingest(evidence / "001.csv", labels={"run": "second"})
    found = dict(store.query("select name, label_run from pieces").rows())
    assert found == {"000.csv": None, "001.csv": "second", "002.csv": None}


def test_the_same_bytes_under_two_names_are_one_piece(store, evidence):
    (evidence / "copy.csv").write_bytes((evidence / "000.csv").read_bytes())
    store.ingest(evidence)
    assert store.pieces().height == 3
    assert store.scan("cells").collect().height == 18


def test_an_archive_is_the_folder_it_is(store, evidence, tmp_path):
    archive = tmp_path / "evidence.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(evidence, "run")
    store.ingest(archive)
    assert store.pieces()["name"].to_list() == [f"run/00{place}.csv" for place in range(3)]
    store.ingest(evidence)
    assert store.pieces().height == 3


def test_one_bad_file_never_stops_the_others(store, evidence):
    (evidence / "bad.csv").write_text("# document: TR\n")
    (evidence / "notes.txt").write_text("what we did on Tuesday")
    os.mkfifo(evidence / "pipe")
    found = store.ingest(evidence)
    assert {**outcomes(found)} == {
        **{f"00{place}.csv": "read" for place in range(3)},
        "bad.csv": "failed",
        "notes.txt": "no evidence",
    }
    (reason,) = [one.reason for one in found if one.outcome == "failed"]
    assert reason == "no rows below the comments"


def test_what_is_read_with_a_file_is_kept_with_it(store):
    """elbencho's live recording is read with the result beside it."""
    store.ingest(DATA / "elbencho" / "rwmix75.live.csv")
    assert {one.outcome for one in store.reingest()} == {"read"}


def test_a_table_may_have_any_name(store, evidence):
    text = (evidence / "000.csv").read_text().replace("id: cells", "id: ../../out of it")
    (evidence / "000.csv").write_text(text)
    store.ingest(evidence)
    assert store.scan("../../out of it").collect().height == 6
    assert {path.name for path in store.path.parent.iterdir()} == {"evidence", "store"}


# Questions


def test_sql_joins_tables_and_pieces(store, evidence):
    store.ingest(evidence)
    found = store.query(
        "select name, sum(value) as s from cells join pieces using (piece) "
        "where column_key = 'time' or value is not null group by name order by name"
    )
    assert found["name"].to_list() == ["000.csv", "001.csv", "002.csv"]
    assert found["s"].round(3).to_list() == [0.3, 3.3, 6.3]


def test_a_name_that_is_not_there_is_told_with_those_that_are(store, evidence):
    store.ingest(evidence)
    with pytest.raises(UsageError, match=r"nope.*tables: pieces, answers, cells"):
        store.query("select nope from pieces")
    with pytest.raises(UsageError, match="no table 'cell'; did you mean 'cells'"):
        store.scan("cell")


# Reading again


def test_reading_again_gives_the_same_and_commits_nothing(store, evidence):
    store.ingest(evidence, FIO, labels={"system": "a"})
    before = commits(store), store.pieces()
    assert {one.outcome for one in store.reingest()} == {"read"}
    assert commits(store) == before[0]
    assert_frame_equal(store.pieces(), before[1])


def test_a_newer_reader_replaces_what_an_older_one_read(store, evidence, monkeypatch):
    store.ingest(evidence, labels={"system": "a"})
    monkeypatch.setattr("perfkit.sources.printed.read.VERSION", 7)
    store.reingest()
    pieces = store.pieces()
    assert pieces["reader"].unique().to_list() == ["read.printed 7"]
    assert pieces["label_system"].unique().to_list() == ["a"]
    assert is_whole(store.path, 3, 3)


def test_without_the_evidence_nothing_is_read_again(store, evidence):
    store.ingest(evidence, raw=False)
    (reason,) = {one.reason for one in store.reingest()}
    assert reason == "the store does not keep its files"
    assert store.pieces().height == 3


# Damage


def cut(path):
    path.write_bytes(path.read_bytes()[:-20])


def test_a_cut_table_is_left_out_named_and_made_anew(store):
    folder = write_tables(store.path.parent / "evidence", 1)
    store.ingest(folder)
    file = one_file(store, "tables")
    cut(file)
    assert any(str(file) in text for text in store.check())
    with pytest.warns(UserWarning, match="left out of the store"):
        assert store.scan("cells").collect().is_empty()
    with pytest.raises(StoreError, match="the answer would lack its rows"):
        store.query("select count(*) as n from cells")
    with pytest.warns(UserWarning, match="left out of the store"):
        assert store.query("select rows from pieces", partial=True)["rows"].to_list() == [None]
    assert outcomes(store.ingest(folder)) == {"000.csv": "read"}
    assert is_whole(store.path, 1, 3)


def test_a_changed_byte_is_found_by_the_check(store):
    store.ingest(write_tables(store.path.parent / "evidence", 1))
    file = one_file(store, "tables")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    assert store.check() == [f"{file}: damaged: not what its name says"]


@pytest.mark.parametrize("folder", ["commits", "pieces"])
def test_what_a_cut_commit_or_record_made_live_comes_back_with_its_evidence(store, folder):
    evidence = write_tables(store.path.parent / "evidence", 1)
    store.ingest(evidence)
    cut(one_file(store, folder))
    with pytest.warns(UserWarning, match="damaged"):
        assert store.pieces().is_empty()
    assert store.check()
    assert outcomes(store.ingest(evidence)) == {"000.csv": "read"}
    with_damage = store.tables if folder == "commits" else None
    if with_damage:
        with pytest.warns(UserWarning, match="damaged"):
            assert with_damage().pieces().height == 1
    else:
        assert is_whole(store.path, 1, 3)


@pytest.mark.parametrize("lose", [cut, lambda path: path.unlink()], ids=["cut", "gone"])
def test_what_a_lost_commit_made_live_is_refused_named_and_repaired(store, evidence, lose):
    for place in range(3):
        store.ingest(evidence / f"00{place}.csv", labels={"run": str(place)})
    lost = store.layout.commits / "00000002.json"
    lose(lost)
    with pytest.warns(UserWarning, match="left out of the store"):
        assert store.pieces()["name"].to_list() == ["000.csv", "002.csv"]
    with pytest.raises(StoreError, match=r"00000002\.json.*perfkit store repair"):
        store.query("select name from pieces")
    (problem,) = store.check()
    assert str(lost) in problem
    told = store.repair()
    assert "commit 2 is lost: labels that it gave" in told[0]
    assert told[1:] == ["001.csv is live again, without labels"]
    labels = dict(store.query("select name, label_run from pieces").rows())
    assert labels == {"000.csv": "0", "001.csv": None, "002.csv": "2"}
    assert is_whole(store.path, 3, 3)
    assert store.repair() == []


def test_a_repair_that_ends_in_the_middle_is_taken_up(store, evidence, monkeypatch):
    store.ingest(evidence / "000.csv")
    store.ingest(evidence / "001.csv")
    (store.layout.commits / "00000001.json").unlink()

    def ends(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("perfkit.storing.store.write_lost", ends)
        with pytest.raises(KeyboardInterrupt):
            store.repair()
    assert len(store.repair()) == 1
    assert is_whole(store.path, 2, 3)


def test_lost_evidence_is_named(store, evidence):
    store.ingest(evidence / "000.csv")
    lost = store.layout.raw(store.pieces()["piece"][0])
    lost.unlink()
    assert store.check() == [f"{lost}: cannot be read: No such file or directory"]


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_nothing_rests_on_the_index(store, evidence, content):
    store.ingest(evidence)
    store.pieces()
    if content is None:
        store.layout.index.unlink()
    else:
        store.layout.index.write_bytes(content)
    assert store.pieces().height == 3


def test_the_index_follows_a_store_that_was_put_back(store, evidence):
    store.ingest(evidence / "000.csv")
    store.ingest(evidence / "001.csv")
    assert store.pieces().height == 2
    (store.layout.commits / "00000002.json").unlink()
    assert store.pieces().height == 1


def test_a_newer_form_is_refused_wherever_it_is_met(store, evidence):
    store.ingest(evidence)
    for file in (one_file(store, "commits"), store.path / "store.json"):
        before = file.read_text()
        file.write_text(json.dumps({**json.loads(before), "format": FORMAT + 1}))
        with pytest.raises(StoreError, match=r"format 3.*upgrade perfkit"):
            store.pieces()
        file.write_text(before)


def test_a_folder_of_something_else_is_refused(tmp_path, evidence):
    with pytest.raises(StoreError, match="is not a store, and not empty"):
        Store(tmp_path / "evidence").ingest(evidence)
    with pytest.raises(StoreError, match="there is no store; perfkit ingest makes one"):
        Store(tmp_path / "nowhere").pieces()


def test_a_store_that_cannot_be_written_is_read(store, evidence, monkeypatch):
    store.ingest(evidence)
    store.layout.index.unlink(missing_ok=True)
    monkeypatch.setattr("perfkit.storing.layout.Layout.index", store.path / "nowhere" / "index")
    assert store.pieces().height == 3


# Writers


@pytest.mark.slow
def test_ten_kills_at_random_moments_lose_and_double_nothing(tmp_path):
    assert kill_often(tmp_path, 10, seed=3) > 0


@pytest.mark.slow
def test_four_processes_with_the_same_and_other_evidence(tmp_path, store):
    shared = write_tables(tmp_path / "shared", 20)
    own = [write_tables(tmp_path / f"own{place}", 0) for place in range(4)]
    for place, folder in enumerate(own):
        (folder / "own.csv").write_text(
            (shared / "000.csv").read_text().replace("TR-0", f"O-{place}")
        )
    processes = [start(store.path, shared, folder) for folder in own]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert is_whole(store.path, 24, 3)


def test_a_writer_that_is_no_more_leaves_nothing_behind(store, evidence):
    store.ingest(evidence / "000.csv")
    left = store.path / "fresh" / "999-left"
    left.write_bytes(b"half of a table")
    with store.layout.place(store.path / "fresh" / "other") as fresh:
        fresh.write_bytes(b"being written")
        store.ingest(evidence / "001.csv")
        assert not left.exists()
        assert fresh.exists()


def test_a_full_disk_is_told_and_what_was_committed_stays(tmp_path, store):
    """A limit on the size of files is what a full disk is to a writer: write() fails."""
    store.ingest(write_tables(tmp_path / "few", 1))
    code = (
        "import resource, sys; from perfkit.storing.store import Store\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))\n"
        "Store(sys.argv[1]).ingest(sys.argv[2])"
    )
    large = tmp_path / "large.csv"
    text = (tmp_path / "few" / "000.csv").read_text()
    large.write_text(text + "".join(f"row {n},{n}\n" for n in range(5000)))
    done = subprocess.run(
        [sys.executable, "-c", code, str(store.path), str(large)], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"{store.path}: cannot be written: File too large" in done.stderr
    assert is_whole(store.path, 1, 3)


# Executors


class OneDies(Executor):
    """An executor whose worker dies with every task that has the bad item."""

    def submit(self, work, batch):
        future = Future()
        if "bad" in batch:
            future.set_exception(RuntimeError("a worker died"))
        else:
            future.set_result(work(batch))
        return future


class Named(str):
    __slots__ = ()
    name = property(str)


def test_what_ends_its_worker_fails_alone():
    def work(batch):
        return [Taken(item, "read") for item in batch]

    batches = [[Named("a"), Named("bad"), Named("b")], [Named("c")]]
    found = [one for batch in spread(batches, work, OneDies()) for one in batch]
    assert outcomes(found) == {"a": "read", "bad": "failed", "b": "read", "c": "read"}
    (reason,) = [one.reason for one in found if one.outcome == "failed"]
    assert reason == "the process that read it ended"


def test_any_executor_does(store, evidence):
    with ThreadPoolExecutor(2) as threads:
        store.ingest(evidence, executor=threads)
    assert is_whole(store.path, 3, 3)


@pytest.mark.slow
def test_several_batches_are_spread_over_processes(tmp_path, store, monkeypatch):
    monkeypatch.setattr("perfkit.storing.ingest.BATCH", 2)
    store.ingest(write_tables(tmp_path / "evidence", 5))
    assert is_whole(store.path, 5, 3)
    assert len(commits(store)) == 3


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_committed(tmp_path, store):
    evidence = write_tables(tmp_path / "evidence", 200)
    process = start(store.path, evidence)
    process.send_signal(signal.SIGINT)
    process.communicate()
    if store.layout.exists():
        assert store.check() == []
    store.ingest(evidence)
    assert is_whole(store.path, 200, 3)


def test_the_frame_of_pieces_has_its_columns_when_it_is_empty(store):
    store.layout.make()
    assert store.pieces().schema["time"] == pl.Datetime("us")
    assert store.pieces().height == 0
