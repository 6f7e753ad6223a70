"""What an entry's policy no longer keeps, and what stays whatever it says."""

from __future__ import annotations

import json

import pytest
from schedule_bench import SCHEDULE, utc

from perfkit.measure.record.rundir import RunDirectory
from perfkit.scheduling import retention

MEASURING = """\
report: {title: t}
run: {workload: oltp-select, target: x, file_size: 4 MiB}
"""


@pytest.fixture
def nights(bench):
    """Runs an entry that measures, on each of these days of November, with what is kept."""
    (bench.folder / "study/study.yml").write_text(MEASURING)
    make = bench.make

    def made(task):
        write_run(bench, task.run_id)
        return make(task)

    bench.make = made

    def run(days, more):
        bench.write(SCHEDULE + more)
        for day in days:
            bench.clock.set(f"2026-11-{day:02d} 12:00")
            bench.run()

    return run


def write_run(bench, name):
    run = bench.folder / "study/runs" / name
    run.mkdir(parents=True, exist_ok=True)
    (run / "run.json").write_text(json.dumps({"format": 1, "run_id": name}))


def runs(bench):
    return sorted(path.name[-2:] for path in (bench.folder / "study/runs").iterdir())


def reports(bench):
    return [name[-2:] for name in bench.reports() if name != "latest"]


def test_runs_outlive_their_reports_for_a_time(bench, nights):
    nights(range(1, 8), "    keep: {last: 2, runs: 4 days}\n")
    assert reports(bench) == ["06", "07"]
    # 06:00 on the third is 4 days and some hours before noon of the seventh
    assert runs(bench) == ["04", "05", "06", "07"]


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

    def killed(item):
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
