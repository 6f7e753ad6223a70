"""What an entry's policy no longer keeps, and what stays whatever it says."""

from __future__ import annotations

import contextlib
import json

import pytest
from schedule_bench import SCHEDULE, answers, utc

from perfkit.measure.record.rundir import RunDirectory
from perfkit.scheduling import retention
from perfkit.storing.store import Store

MEASURING = """\
report: {title: t}
run: {workload: oltp-select, target: x, file_size: 4 MiB}
"""


@pytest.fixture
def measuring(bench):
    """Slots that measure: each leaves a run directory in the study's runs."""
    (bench.folder / "study/study.yml").write_text(MEASURING)
    make = bench.make

    def made(task):
        write_run(bench, task.run_id)
        return make(task)

    bench.make = made
    return bench


@pytest.fixture
def nights(measuring):
    """Runs an entry that measures, on each of these days of November, with what is kept."""

    def run(days, more):
        measuring.write(SCHEDULE + more)
        for day in days:
            measuring.clock.set(f"2026-11-{day:02d} 12:00")
            measuring.run()

    return run


def write_run(bench, name):
    run = bench.folder / "study/runs" / name
    run.mkdir(parents=True, exist_ok=True)
    (run / "run.json").write_text(json.dumps({"format": 1, "run_id": name}))


def runs(bench):
    return [name[-2:] for name in names(bench)]


def names(bench):
    return sorted(path.name for path in (bench.folder / "study/runs").iterdir())


def reports(bench):
    return [name[-2:] for name in bench.reports() if name.startswith("2026")]


def test_runs_outlive_their_reports_for_a_time(bench, nights):
    nights(range(1, 8), "    keep: {last: 2, runs: 4 days}\n")
    assert reports(bench) == ["06", "07"]
    # 06:00 on the third is 4 days and some hours before noon of the seventh
    assert runs(bench) == ["04", "05", "06", "07"]


def test_runs_of_slots_that_the_state_forgot_go_too(bench, nights, monkeypatch):
    """What else was known of them is gone: when they were measured is not."""
    monkeypatch.setattr("perfkit.scheduling.state.KEPT_RUNS", 2)
    nights(range(1, 7), "    keep: {last: 1, runs: 4 days}\n")
    assert len(bench.state().runs) == 2
    assert runs(bench) == ["03", "04", "05", "06"]
    assert [name[-2:] for name in bench.state().measured] == ["03", "04"]


def test_a_run_that_a_kept_report_rests_on_stays_however_old(bench, nights):
    nights(range(1, 8), "    keep: {last: 5, runs: 1 day}\n")
    assert runs(bench) == reports(bench) == ["03", "04", "05", "06", "07"]


def test_nothing_of_the_baseline_goes(bench, nights):
    """Neither its reports, nor its runs; and they are none of the last two that are kept."""
    keep = "    keep: {last: 2}\n"
    nights(range(1, 8), keep + "    baseline: {first: 2026-11-02, last: 2026-11-03}\n")
    assert runs(bench) == reports(bench) == ["02", "03", "06", "07"]


def test_a_run_that_another_entry_reports_on_stays(bench, nights):
    other = (
        '  - {name: b, study: study, calendar: "07:00", parameters: {run_id: nightly-2026-11-02}}\n'
    )
    nights(range(1, 5), "    keep: {last: 1}\n" + other)
    assert reports(bench) == ["04"]
    assert runs(bench) == ["02", "04"]


def test_a_removal_that_was_killed_is_finished_by_the_next_one(bench, nights, monkeypatch):
    """Between its renaming and its end, and between the report and its run."""
    nights([1], "    keep: {last: 1}\n")

    def killed(_scheduled, item):
        item.path.rename(item.path.with_name(f".old-{item.path.name}"))
        raise SystemExit

    monkeypatch.setattr(retention, "_remove", killed)
    with pytest.raises(SystemExit):
        nights([2], "    keep: {last: 1}\n")
    monkeypatch.undo()
    reports_folder = bench.folder / "reports/nightly"
    assert (reports_folder / ".old-2026-11-01").is_dir()
    nights([3], "    keep: {last: 1}\n")
    assert reports(bench) == runs(bench) == ["03"]
    assert not list(reports_folder.glob(".old-*"))


def test_the_command_says_first_what_would_go_and_why(bench, nights, capsys, monkeypatch):
    from perfkit.cli.app import run as perfkit

    monkeypatch.setattr("perfkit.scheduling.run.utc_now", lambda: utc("2026-11-05 12:00"))
    nights(range(1, 6), "    keep: {last: 9}\n")
    bench.write(SCHEDULE + "    keep: {last: 4, runs: 2 days}\n")
    argv = ["schedule", "prune", "--file", str(bench.folder)]
    assert perfkit([*argv, "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "nightly: would remove report 2026-11-01: older than the last 4 good ones",
        "nightly: would remove run nightly-2026-11-01: no report rests on it, and it is older "
        "than 2 days",
    ]
    assert runs(bench) == reports(bench) == ["01", "02", "03", "04", "05"]
    assert perfkit([*argv, "nightly"]) == 0
    assert "nightly: removed report 2026-11-01: older" in capsys.readouterr().out
    assert runs(bench) == reports(bench) == ["02", "03", "04", "05"]
    assert perfkit(argv) == 0
    assert capsys.readouterr().out == ""


def test_a_run_that_is_measured_meanwhile_is_not_said_to_be_gone(bench, nights):
    nights([1, 2], "    keep: {last: 9}\n")
    bench.write(SCHEDULE + "    keep: {last: 1}\n")
    run = bench.folder / "study/runs/nightly-2026-11-01"
    with RunDirectory(run).locked():
        gone = retention.prune(bench.entry(), bench.state(), bench.clock())
        assert [item.what for item in gone] == ["report"]
    assert run.is_dir()


def test_retention_removes_the_runs_of_the_reports_that_go(measuring):
    """Good and failed ones; runs of others stay, whatever they are called."""
    measuring.write(SCHEDULE + "    keep: {last: 2, failed: 0}\n")
    for name in ("by-hand", "nightly-2026-11-01"):
        write_run(measuring, name)
    for day in range(19, 23):
        measuring.clock.set(f"2026-11-{day} 12:00")
        measuring.run()
    theirs = ["by-hand", "nightly-2026-11-01"]
    assert measuring.reports() == ["2026-11-21", "2026-11-22", "latest"]
    assert names(measuring) == [*theirs, "nightly-2026-11-21", "nightly-2026-11-22"]


def test_a_run_on_which_a_report_still_rests_stays(measuring):
    """Two reports of one slot share their measurement."""
    measuring.write(SCHEDULE + "    keep: {last: 1}\n")
    measuring.run()
    measuring.run(again=True)
    assert measuring.reports() == ["2026-11-21-2", "latest"]
    assert names(measuring) == ["nightly-2026-11-21"]


@pytest.mark.parametrize("how", ["another's record", "a link", "being measured"])
def test_a_run_that_is_not_the_slots_own_is_not_removed(measuring, tmp_path, how):
    measuring.write(SCHEDULE + "    keep: {last: 1}\n")
    measuring.run()
    run = measuring.folder / "study/runs/nightly-2026-11-21"
    with contextlib.ExitStack() as held:
        if how == "another's record":
            (run / "run.json").write_text('{"format": 1, "run_id": "other"}')
        elif how == "a link":
            run.rename(tmp_path / "kept")
            run.symlink_to(tmp_path / "kept")
        else:
            held.enter_context(RunDirectory(run).locked())
        measuring.clock.set("2026-11-22 12:00")
        measuring.run()
    assert measuring.reports() == ["2026-11-22", "latest"]
    assert names(measuring) == ["nightly-2026-11-21", "nightly-2026-11-22"]
    assert (run / "run.json").is_file()


STORED = SCHEDULE.replace("timezone", "store: store\ntimezone")


@pytest.fixture
def stored(bench):
    """Runs an entry whose reports have answers; returns the slots in its store."""

    def run(days, more):
        bench.write(STORED + more)
        for day in days:
            bench.clock.set(f"2026-11-{day:02d} 12:00")
            bench.make.answers = answers(50_000.0 + day)
            assert bench.run().run.warnings == ()
        pieces = Store(bench.folder / "store").pieces()
        return pieces["label_slot"].str.slice(8, 2).to_list()

    return run


def test_results_go_by_age_and_never_before_their_report(bench, stored):
    assert stored(range(1, 8), "    keep: {last: 2, store: 3 days}\n") == ["05", "06", "07"]
    assert stored([8], "    keep: {last: 5, store: 1 day}\n") == ["06", "07", "08"]
    assert reports(bench) == ["06", "07", "08"]


def test_results_of_the_baseline_stay(stored):
    keep = "    keep: {last: 1, store: 1 day}\n"
    baseline = "    baseline: {first: 2026-11-02, last: 2026-11-02}\n"
    assert stored(range(1, 6), keep + baseline) == ["02", "05"]


def test_results_that_somebody_made_a_baseline_stay(bench, stored):
    stored([1], "")
    store = Store(bench.folder / "store")
    store.label(set(store.pieces()["piece"]), {"baseline": "before the upgrade", "entry": None})
    store.label(set(store.pieces()["piece"]), {"entry": "nightly"})
    bench.write(STORED + "    keep: {last: 1, store: 1 day}\n")
    gone = retention.going(bench.entry(), bench.state(), utc("2026-12-01 12:00"))
    assert gone == []


def test_evidence_of_answers_that_stay_stays(bench, stored):
    """Two slots rest on the same evidence: it goes with the later one."""
    stored([1], "")
    store = Store(bench.folder / "store")
    (first,) = store.pieces()["piece"]
    store.add_answers(
        store.answers().collect(), name="later", conditions_key={}, sources=[first],
        labels={"entry": "nightly", "slot": "2026-11-20T06:00:00"},
    )  # fmt: skip
    bench.write(STORED + "    keep: {last: 1, store: 5 days}\n")
    (bench.folder / "reports/nightly/2026-11-01/report.json").unlink()
    gone = retention.going(bench.entry(), bench.state(), utc("2026-11-22 12:00"))
    assert gone == []
    gone = retention.going(bench.entry(), bench.state(), utc("2026-12-22 12:00"))
    assert [str(item) for item in gone] == [
        "results 2026-11-01T06:00:00: older than 5 days",
        "results 2026-11-20T06:00:00: older than 5 days",
    ]
