"""The commands that a slot calls, as they are told in its log."""

from __future__ import annotations

import shlex

import pytest
from schedule_bench import SCHEDULE, notebook, utc

from perfkit.core.errors import RunError
from perfkit.scheduling import making
from perfkit.scheduling.child import Ended
from perfkit.scheduling.making import Task, make_report

STUDY = """\
report: {title: t}
run: {workload: oltp-select, target: x, file_size: 4 MiB}
"""


@pytest.fixture
def called(bench, monkeypatch):
    """Instead of starting perfkit: what it is called with (and a whole report)."""
    calls = []

    def run_bounded(argv, *, cwd, log, token, deadline_s):
        assert deadline_s <= 6 * 3600
        calls.append(argv[argv.index("perfkit") + 1 :])
        for ending in (".ipynb", ".pdf", ".html"):
            (log.parent / f"study{ending}").write_text(notebook())
        return Ended(0)

    monkeypatch.setattr(making, "run_bounded", run_bounded)
    (bench.folder / "study/study.yml").write_text(STUDY)
    aside = bench.folder / "aside"
    aside.mkdir()

    def make(extra: str) -> list[list[str]]:
        bench.write(SCHEDULE + extra)
        task = Task(bench.entry(), "2026-11-20", aside, "t", utc("2026-11-21 23:30"))
        assert make_report(task) == "pass"
        return calls

    return make


def test_a_slot_measures_anew_and_reports_on_that_run(bench, called):
    """The run is the slot's; the report's date is the day it is made, on the entry's clock."""
    sweep, report = called("")
    study = str(bench.folder / "study/study.yml")
    assert sweep == ["run", study, "--run-id", "nightly-2026-11-20"]
    assert report == [
        "report", study, "-o", str(bench.folder / "aside"), "--date", "2026-11-22",
        "--shared", str(bench.folder / "reports/assets"), "-p", 'run_id="nightly-2026-11-20"',
    ]  # fmt: skip
    log = (bench.folder / "aside/run.log").read_text().splitlines()
    assert [shlex.split(line)[1:] for line in log] == [["perfkit", *sweep], ["perfkit", *report]]


def test_what_the_schedule_says_otherwise_than_the_study(bench, called):
    sweep, report = called(
        "    run: {target: t, load: {iodepth: [1, 8]}, runtime: 5s, repeats: 2,\n"
        "          overwrite: [ACME 7]}\n"
        "    anonymise: true\n"
        "    parameters: {limit_s: 0.002, note: a b}\n"
    )
    assert sweep[4:] == [
        "--target", str(bench.folder / "t"), "--load", "iodepth=1,8", "--runtime", "5s",
        "--repeats", "2", "--overwrite", "ACME 7",
    ]  # fmt: skip
    assert "--anonymise" in report
    assert report[-6:-2] == ["-p", "limit_s=0.002", "-p", 'note="a b"']


FULL = """\
report: {title: t}
run: {workload: oltp-select, target: x, file_size: 4 MiB, load: {iodepth: [1, 4]}, control: 4}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("", None),
        ("    run: {load: {iodepth: [1, 4, 8]}, repeats: 2}\n", None),
        ("    run: {load: {iodepth: [1, 8]}}\n", "control: 4 is not among the load's points"),
        ("    run: {load: {iodeph: [1, 4]}}\n", "iodeph"),
        ("    run: {runtime: soon}\n", "runtime"),
        ("    parameters: {no_such: 1}\n", "no parameter 'no_such'"),
        # what is not measured needs no fitting load
        ("    parameters: {run_id: kept}\n", None),
    ],
)
def test_check_finds_what_every_slot_would_fail_of(bench, capsys, extra, said):
    """And what it finds, `perfkit run` as the slot calls it refuses too."""
    from perfkit.cli.app import run as perfkit

    (bench.folder / "study/study.yml").write_text(FULL)
    bench.write(SCHEDULE + extra)
    assert perfkit(["schedule", "check", "--file", str(bench.folder)]) == (2 if said else 0)
    told = capsys.readouterr()
    if said is None:
        assert f"{bench.folder}: good\n" in told.out
        return
    assert told.err.startswith(f"error: {bench.folder}/schedule.yml: nightly: ")
    assert said in told.err
    if "run: {" in extra:
        aside = bench.folder / "aside"
        aside.mkdir()
        task = Task(bench.entry(), "2026-11-20", aside, "t", utc("2026-11-21 23:30"))
        with pytest.raises(RunError, match=said.split()[0]):
            make_report(task)


def test_check_refuses_a_sweep_of_a_notebook(bench, capsys):
    from perfkit.cli.app import run as perfkit

    bench.write(SCHEDULE.replace("study: study", "study: x.ipynb") + "    run: true\n")
    assert perfkit(["schedule", "check", "--file", str(bench.folder)]) == 2
    assert "x.ipynb is a notebook: it has no sweep" in capsys.readouterr().err


@pytest.mark.parametrize("extra", ["    run: false\n", "    parameters: {run_id: kept}\n"])
def test_a_run_that_is_named_or_switched_off_is_not_measured(called, extra):
    """Then the report alone is called."""
    assert [call[0] for call in called(extra)] == ["report"]
