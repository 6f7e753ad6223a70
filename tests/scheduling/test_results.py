"""A slot's evidence and answers in a store: each once, whatever was killed."""

from __future__ import annotations

import datetime as dt
import json
import shutil

import pytest
from places import TESTS
from schedule_bench import SCHEDULE, Bench, answers

from perfkit.core.errors import StoreError
from perfkit.scheduling import results
from perfkit.storing.store import Store
from perfkit.storing.store import store as open_store

FIO = TESTS / "data/fio/rw75_jsonplus.json"
STUDY = """\
report: {title: Nightly}
evidence: [{files: "incoming/*.json", labels: {system: a400}}]
notebook: fio_results
"""
DROPPED = SCHEDULE.replace("timezone", "store: store\ntimezone") + (
    '    evidence: {folder: drop, files: ["*.json"], settle: 1ms}\n'
)


@pytest.fixture
def nightly(bench) -> Bench:
    """An entry with a store, on dropped results of fio; its reports answer the peak of a run."""
    (bench.folder / "study/study.yml").write_text(STUDY)
    (bench.folder / "drop").mkdir()
    bench.write(DROPPED)
    return bench


def night(bench, day, found=50_000.0, **options):
    """One slot with its own evidence, whose report answers the peak, or these answers."""
    record = json.loads(FIO.read_text())
    record["timestamp"] += day
    (bench.folder / f"drop/{day}.json").write_text(json.dumps(record))
    bench.clock.set(f"2026-11-{day:02d} 12:00")
    bench.make.answers = answers(found) if isinstance(found, float) else found
    return bench.run(**options)


def store(bench):
    return Store(bench.folder / "store")


def added(bench):
    return store(bench).answers().filter(kind="answers").collect()


def test_evidence_and_answers_of_each_slot_are_in_the_store(nightly):
    night(nightly, 10, 51_000.0)
    night(nightly, 11, 52_000.0)
    found = added(nightly)
    assert found.select("question", "value", "label_entry", "label_slot", "name").rows() == [
        ("peak_iops", 51_000.0, "nightly", "2026-11-10T06:00:00", "nightly 2026-11-10"),
        ("peak_iops", 52_000.0, "nightly", "2026-11-11T06:00:00", "nightly 2026-11-11"),
    ]
    evidence = store(nightly).pieces().filter(kind="fio")
    assert evidence.select("name", "label_system", "label_entry", "label_slot").rows() == [
        ("10.json", "a400", "nightly", "2026-11-10T06:00:00"),
        ("11.json", "a400", "nightly", "2026-11-11T06:00:00"),
    ]
    assert [run.stored for run in nightly.state().runs] == [True, True]


def test_conditions_and_facts_are_those_of_the_evidence(nightly):
    night(nightly, 10)
    row = added(nightly).row(0, named=True)
    conditions, facts = json.loads(row["conditions_key"]), json.loads(row["facts"])
    assert conditions["entry"] == "nightly"
    assert conditions["read_block_size_bytes"] == "4096"
    assert facts["tool_version"] == "3.33"
    assert "perfkit" in facts


def test_each_workload_has_the_conditions_of_its_own_evidence(nightly):
    """So that one which could not be measured breaks no history but its own."""
    (nightly.folder / "drop/b.json").write_text(FIO.read_text().replace("mix75", "other"))
    night(nightly, 10, answers(1e4, "mix75", "other", "unknown"))
    found = [json.loads(key)["workload"] for key in added(nightly)["conditions_key"]]
    assert found == ["mix75", "other", "mix75, other"]


def test_a_commit_of_one_workload_is_not_taken_for_all(nightly, monkeypatch):
    add = Store.add_answers

    def killed(self, frame, **more):
        add(self, frame, **more)
        raise SystemExit

    monkeypatch.setattr(Store, "add_answers", killed)
    with pytest.raises(SystemExit):
        night(nightly, 10, answers(1e4, "a", "b"))
    monkeypatch.undo()
    night(nightly, 11)
    assert added(nightly)["workload"].to_list() == ["a", "b", "mixed"]


def test_evidence_that_says_no_time_is_of_the_slots(nightly, monkeypatch):
    monkeypatch.setattr(results, "_known_of", lambda *_: results.Known(None, {}, {}))
    night(nightly, 10)
    assert added(nightly)["time"].to_list() == [dt.datetime(2026, 11, 10, 6)]  # noqa: DTZ001


def test_a_slot_that_is_kept_once_more_adds_nothing(nightly):
    """What is known of past slots is lost: the report that is there is looked at once more."""
    night(nightly, 10)
    before = store(nightly).pieces()
    (nightly.folder / ".perfkit-schedule/nightly/state.json").unlink()
    assert nightly.run().fresh is False
    night(nightly, 11)
    assert [run.stored for run in nightly.state().runs] == [True, True]
    after = store(nightly).pieces()
    assert after.head(2).equals(before)
    assert after["label_slot"].str.slice(0, 10).to_list() == ["2026-11-10"] * 2 + ["2026-11-11"] * 2


def test_evidence_of_another_slot_is_not_taken_for_a_slots_own(nightly, monkeypatch):
    """The store failed, and its evidence is gone when the store is there again."""
    with monkeypatch.context() as patch:
        patch.setattr(Store, "ingest", full)
        night(nightly, 10)
        patch.setattr("perfkit.scheduling.run._recovered", lambda after: after.store.load())
        night(nightly, 11)
    warnings = night(nightly, 12).run.warnings
    assert warnings == (
        "not in the store: 10.json: its copy is gone",
        "not in the store: 11.json: its copy is gone",
    )
    evidence = store(nightly).pieces().filter(kind="fio")
    assert evidence.select("name", "label_slot").rows() == [("12.json", "2026-11-12T06:00:00")]
    assert len(added(nightly)) == 3


def full(*_args, **_options):
    raise StoreError("store: cannot be written: No space left on device")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["ingest", "label", "add_answers"])
def test_what_was_killed_before_its_commit_is_finished_by_the_next_slot(
    nightly, monkeypatch, place
):
    def killed(*_args, **_options):
        raise SystemExit

    monkeypatch.setattr(Store, place, killed)
    with pytest.raises(SystemExit):
        night(nightly, 10)
    monkeypatch.undo()
    assert night(nightly, 11).run.outcome == "pass"
    assert added(nightly)["label_slot"].str.slice(0, 10).to_list() == ["2026-11-10", "2026-11-11"]
    assert store(nightly).pieces().filter(kind="fio")["name"].to_list() == ["10.json", "11.json"]


def test_a_store_that_cannot_be_written_costs_no_report(nightly, monkeypatch):
    """It is told, and the next slot makes up for it."""
    with monkeypatch.context() as patch:
        patch.setattr(Store, "add_answers", full)
        run = night(nightly, 10).run
    assert run.outcome == "pass"
    assert run.warnings == ("store: store: cannot be written: No space left on device",)
    night(nightly, 11)
    assert len(added(nightly)) == 2


def test_the_baseline_is_labelled_as_the_schedule_says_it_now(nightly):
    for day in (10, 11, 12):
        night(nightly, day)
    nightly.write(DROPPED + "    baseline: {first: 2026-11-11, last: 2026-11-11}\n")
    night(nightly, 13)
    held = store(nightly).pieces().filter(label_baseline="yes")
    assert set(held["label_slot"]) == {"2026-11-11T06:00:00"}
    assert held["kind"].sort().to_list() == ["answers", "fio"]
    nightly.write(DROPPED + "    baseline: {first: 2026-11-10, last: 2026-11-10}\n")
    night(nightly, 14)
    held = store(nightly).pieces().filter(label_baseline="yes")
    assert set(held["label_slot"]) == {"2026-11-10T06:00:00"}


def test_what_somebody_else_said_of_evidence_stays(nightly):
    night(nightly, 10)
    store(nightly).ingest(nightly.folder / "drop/10.json", labels={"owner": "me"})
    night(nightly, 11)
    assert store(nightly).pieces().filter(label_owner="me")["name"].to_list() == ["10.json"]


def test_a_notebook_of_an_older_release_leaves_its_evidence(nightly):
    night(nightly, 10)
    run = night(nightly, 11, None).run
    assert (run.stored, run.warnings) == (True, ())
    assert store(nightly).pieces()["kind"].to_list() == ["fio", "answers", "fio"]


def test_without_a_store_nothing_is_kept(bench):
    bench.run()
    assert bench.state().runs[-1].stored is None
    assert not (bench.folder / "store").exists()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["delta:lake", "file://{folder}/lake"])
def test_a_store_may_be_of_delta_lake(nightly, form):
    pytest.importorskip("deltalake")
    place = form.format(folder=nightly.folder)
    nightly.write(DROPPED.replace("store: store", f"store: {place}"))
    night(nightly, 10)
    assert night(nightly, 11).run.warnings == ()
    found = open_store(f"delta:{nightly.folder}/lake").answers().filter(kind="answers").collect()
    assert sorted(found["label_report"]) == ["2026-11-10", "2026-11-11"]


RUN = TESTS / "data/old/0.1/runs/oltp-select-209e59a0"


def test_what_a_slot_measured_is_its_evidence(bench):
    (bench.folder / "study/study.yml").write_text(
        "report: {title: t}\nrun: {workload: oltp-select, target: x, file_size: 4 MiB}\n"
    )
    bench.write(SCHEDULE.replace("timezone", "store: store\ntimezone"))
    make = bench.make
    make.answers = answers(9_000.0)

    def made(task):
        shutil.copytree(RUN, bench.folder / "study/runs" / task.run_id)
        return make(task)

    bench.make = made
    assert bench.run().run.warnings == ()
    pieces = store(bench).pieces()
    assert pieces.select("kind", "name").row(0) == ("perfkit-run", "nightly-2026-11-21")
    (row,) = added(bench).rows(named=True)
    assert row["time"] == pieces["time"][0]
    assert json.loads(row["conditions_key"])["workload"] == "oltp-select"
