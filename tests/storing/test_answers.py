"""The answers of a store: what each piece answers by itself, and what is added from elsewhere."""

import datetime as dt
import json

import polars as pl
import pytest
from forges import genio, ranread
from forges.awr import forge_html, sample
from forges.sas import Log, Step
from places import TESTS
from store_kills import write_tables

from perfkit.analysis.compare.report_changes import VALUE
from perfkit.analysis.pieces.awr import period_of
from perfkit.core.answers import ANSWERS, Subject, from_frame, to_frame
from perfkit.core.errors import AnalysisError, UsageError
from perfkit.sources import SOURCES
from perfkit.storing.store import Store

FIO = TESTS / "data" / "fio" / "rw75_jsonplus.json"
NIGHT = dt.datetime(2026, 11, 20, 2, 0)  # noqa: DTZ001 - on the clock of its host


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def said(store, *columns):
    """Of each answer its question, metric and value."""
    columns = columns or ("question", "metric", "value")
    return store.answers().select(columns).collect().rows()


# Of one piece


def test_load_points_answer_for_themselves_at_each_load(store):
    """The values are those of fio's own file."""
    store.ingest(FIO, labels={"firmware": "9.14"})
    (job,) = json.loads(FIO.read_text())["jobs"]
    found = store.answers().collect()
    reads = found.filter(direction="read").select("question", "metric", "value").rows()
    assert ("peak_iops", "iops", job["read"]["iops"]) in reads
    assert ("throughput_at_load", "bw_bytes_per_s", job["read"]["bw_bytes"]) in reads
    mean = dict(r[1:] for r in reads if r[0] == "latency_at_load")["lat_mean_s"]
    assert mean == pytest.approx(job["read"]["lat_ns"]["mean"] / 1e9)
    assert found["direction"].unique().sort().to_list() == ["read", "total", "write"]
    assert found["label_firmware"].unique().to_list() == ["9.14"]
    assert found["claim"].to_list() == list(range(1, found.height + 1))
    assert from_frame(found)[0].subject.label == "mix75"


def test_what_must_agree_is_apart_from_what_may_differ(store):
    store.ingest(FIO)
    row = store.answers().collect().row(0, named=True)
    key, facts = json.loads(row["conditions_key"]), json.loads(row["facts"])
    wanted = {"workload": "mix75", "read_block_size_bytes": 4096, "read_ratio": 0.75,
              "duration": "2", "engine": "libaio", "tool": "fio"}  # fmt: skip
    assert wanted.items() <= key.items()
    assert facts == {
        "tool_version": "3.33",
        "option.filename": "data/f1",
        "option.rwmixread": "75",
        "option.bs": "4k",
        "option.iodepth": "16",
    }
    assert row["conditions_key"] == json.dumps(key, sort_keys=True)


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(14, "11 to 21"), (29.9, "21 to 42"), (30.2, "21 to 42"), (60.5, "42 to 85"),
     (1441, "1,358 to 2,715"), (None, None)],
)  # fmt: skip
def test_reports_of_unlike_periods_are_no_runs_of_one_history(minutes, told):
    """A day's report holds the means of all of its hours."""
    found = period_of(None if minutes is None else minutes * 60)
    assert found == (None if told is None else f"reports of {told} min")


def test_an_awr_report_answers_for_its_database(store, tmp_path):
    """The forge knows what it printed."""
    forged = forge_html(sample())
    (tmp_path / "awr.html").write_bytes(forged.data)
    store.ingest(tmp_path / "awr.html")
    (head,) = forged.tables["report"]
    read = next(r for r in forged.tables["wait_events"] if r["event"] == "db file sequential read")
    found = {(metric, subject): value for metric, subject, value in said(
        store, "metric", "subject", "value")}  # fmt: skip
    name = head["db_name"]
    sessions = float(head["db_time_s"]) / float(head["elapsed_s"])
    assert found["db_time_per_elapsed_ratio", name] == pytest.approx(sessions)
    wait = found["lat_mean_s", f"{name}, db file sequential read"]
    assert wait == pytest.approx(float(read["avg_wait_s"]), rel=0.01)
    ((key, time),) = set(said(store, "conditions_key", "time"))
    assert json.loads(key) == {
        "database": name, "instance": "forge1", "scope": "single",
        "period": period_of(float(head["elapsed_s"])),
    }  # fmt: skip
    assert time == head["begin_time"]


def test_a_sas_log_answers_under_its_name_without_a_date(store, tmp_path):
    log = Log([Step(real_ms=2_000), Step(name="SORT", real_ms=7_000)])
    (tmp_path / "nightly_2026-11-20.log").write_bytes(log.data())
    store.ingest(tmp_path / "nightly_2026-11-20.log")
    found = {(question, metric): (value, subject) for question, metric, value, subject in said(
        store, "question", "metric", "value", "subject")}  # fmt: skip
    assert found["sas_time_in_steps", "real_time_s"] == (9.0, "nightly_.log")
    assert found["sas_most_time", "real_time_s"] == (7.0, "PROC SORT")
    assert set(said(store, "conditions_key")) == {('{"log": "nightly_.log"}',)}
    assert set(said(store, "time")) == {(dt.datetime(2026, 9, 4, 8, 0, 57),)}  # noqa: DTZ001


def test_a_log_without_a_time_has_the_day_of_its_name(store, tmp_path):
    log = Log([Step()], dialect="6.11")
    for name in ("a_20260131.log", "a_20260231.log", "b.log"):
        (tmp_path / name).write_bytes(log.data() + name.encode())
        store.ingest(tmp_path / name)
    days = {name: time and str(time.date()) for name, time in said(store, "name", "time")}
    assert days == {"a_20260131.log": "2026-01-31", "a_20260231.log": None, "b.log": None}


def test_a_run_of_genio_answers_at_its_target_and_its_own_time(store, tmp_path):
    genio.ramp(tmp_path / "ramps", 1, cases=["no-bully"], runs=2)
    folder = next((tmp_path / "ramps" / "no-bully").iterdir())
    store.ingest(folder / "summary.csv")
    rows = store.scan("genio_runs").collect()
    found = store.answers().filter(question="value_of_run", metric="longest_write_cycle_s")
    assert found.select("time", "value").collect().rows() == rows.select(
        "started_at", "longest_write_cycle_s").rows()  # fmt: skip
    keys = [
        json.loads(key)["target_iops"] for (key,) in found.select("conditions_key").collect().rows()
    ]
    assert keys == rows["target_iops"].to_list()


def test_ranread_answers_at_each_number_of_processes(store, tmp_path):
    (tmp_path / "in").mkdir()
    ranread.write(tmp_path / "in", 1, processes=(1, 10), repeats=3)
    store.ingest(tmp_path / "in")
    found = store.answers().filter(question="iops_at_load").collect()
    assert found["n"].to_list() == [3, 3]
    assert [item.conditions[0].value for item in from_frame(found)] == [1.0, 10.0]


def test_what_names_no_question_has_no_answers(store):
    store.ingest(write_tables(store.path.parent / "evidence", 1))
    assert store.answers().collect().is_empty()
    assert store.pieces()["unanswered"].to_list() == [None]


def test_each_module_that_a_source_names_is_there():
    named = {name for source in SOURCES.values() for name in source.asks}
    assert named == {"awr", "curves", "genio", "sas"}


def test_a_fault_in_a_question_costs_its_answers_and_is_named(store, monkeypatch):
    def broken(_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("perfkit.analysis.pieces.curves.answers", broken)
    (taken,) = store.ingest(FIO)
    assert (taken.outcome, taken.reason) == (
        "read",
        "a fault of perfkit: ZeroDivisionError('division by zero')",
    )
    assert store.pieces()["unanswered"].to_list() == [taken.reason]
    assert store.answers().collect().is_empty()


def test_an_improved_question_is_asked_again_by_reingest(store, monkeypatch):
    store.ingest(FIO)
    before = store.answers().collect()
    monkeypatch.setattr("perfkit.analysis.pieces.curves._NO_FACTS", {"rwmixread"})
    store.reingest()
    after = store.answers().collect()
    assert after.height == before.height
    assert "rwmixread" not in after["facts"][0]


# Added


def finding(value=100.0):
    return to_frame([VALUE.answer("iops", Subject("mix75"), value, unit="1/s")])


def test_answers_of_a_report_are_a_piece_with_what_is_said_of_them(store):
    piece = store.add_answers(
        finding(), name="slot 2026-11-20", time=NIGHT, conditions_key={"b": 1, "a": "x"},
        facts={"firmware": "9.14"}, labels={"entry": "nightly"}, sources=["f00"],
    )  # fmt: skip
    found = store.answers().collect()
    assert found.select(list(ANSWERS)).equals(finding())
    wanted = {"piece": piece, "name": "slot 2026-11-20", "kind": "answers", "time": NIGHT,
              "conditions_key": '{"a": "x", "b": 1}', "facts": '{"firmware": "9.14"}',
              "label_entry": "nightly"}  # fmt: skip
    assert wanted.items() <= found.row(0, named=True).items()


def test_the_same_answers_are_one_piece_and_one_commit(store):
    pieces = {store.add_answers(finding(), name="slot", time=NIGHT) for _ in range(3)}
    assert len(pieces) == 1
    assert len(list(store.layout.commits.iterdir())) == 1
    store.add_answers(finding(101.0), name="slot", time=NIGHT)
    store.add_answers(finding(), name="slot", time=NIGHT + dt.timedelta(days=1))
    assert store.answers().collect().height == 3


def test_added_answers_stay_when_everything_is_read_again(store):
    store.add_answers(finding(), name="slot", time=NIGHT)
    store.ingest(FIO)
    before = store.answers().collect()
    assert {one.outcome for one in store.reingest()} == {"read", "known"}
    assert store.answers().collect().equals(before)
    assert store.check() == []


def test_what_is_no_answer_is_not_added(store):
    with pytest.raises(AnalysisError, match="these are not answers: there is no column 'claim'"):
        store.add_answers(pl.DataFrame({"a": [1]}), name="x")
    with pytest.raises(AnalysisError, match="a claim is there twice"):
        store.add_answers(pl.concat([finding(), finding()]), name="x")
    with pytest.raises(UsageError, match="there is no answer to add"):
        store.add_answers(to_frame([]), name="x")
    with pytest.raises(UsageError, match="without a zone"):
        store.add_answers(finding(), name="x", time=NIGHT.replace(tzinfo=dt.UTC))


# Asked


def test_sql_over_answers(store):
    store.ingest(FIO)
    store.add_answers(finding(), name="slot", time=NIGHT)
    found = store.query("select kind, count(*) as n from answers group by kind order by kind")
    assert found["kind"].to_list() == ["answers", "fio"]
    assert found["n"][0] == 1


def test_without_answers_there_are_the_columns_all_the_same(store):
    store.layout.make()
    schema = store.answers().collect_schema()
    assert [*ANSWERS, "time", "conditions_key", "facts"] == schema.names()[1:-2]
    assert schema["time"] == pl.Datetime("us")


def test_a_table_of_a_document_is_not_taken_for_the_answers(store):
    folder = write_tables(store.path.parent / "evidence", 1)
    text = (folder / "000.csv").read_text().replace("id: cells", "id: answers")
    (folder / "000.csv").write_text(text)
    store.ingest(folder)
    assert store.answers().collect().is_empty()
    assert store.scan("printed_answers").collect().height == 6
