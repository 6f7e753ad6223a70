"""One slot, one outcome: whoever calls, however often, and whatever breaks."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from schedule_bench import SCHEDULE, Bench, utc

from perfkit.core.errors import RunError, UsageError
from perfkit.scheduling import folders
from perfkit.scheduling.files import RESERVE
from perfkit.scheduling.listing import overview
from perfkit.scheduling.making import made_outcome
from perfkit.scheduling.state import StateFolder

SLOT = "2026-11-21T05:00"


def test_a_slot_is_run_once(bench):
    """The first call makes the report, the second says what is there, --due says nothing."""
    first = bench.run()
    assert (first.run.outcome, first.fresh) == ("pass", True)
    assert bench.reports() == ["2026-11-21", "latest"]
    assert str((bench.folder / "reports/nightly/latest").readlink()) == "2026-11-21"
    second = bench.run()
    assert (second.run, second.fresh) == (first.run, False)
    assert bench.run(due=True).run is None
    assert bench.make.made == ["2026-11-21"]


def test_the_next_day_is_a_slot_of_its_own(bench):
    bench.run()
    bench.clock.set("2026-11-22 04:59")
    assert bench.run(due=True).run is None
    bench.clock.set("2026-11-22 05:00")
    assert bench.run(due=True).run.slot.startswith("2026-11-22T05:00")


def test_at_is_as_if_it_were_that_time_and_never_the_future(bench):
    assert bench.run(at=utc("2026-11-19 05:30")).run.folder == "2026-11-19"
    assert bench.run(at=utc("2026-11-19 23:30")).fresh is False
    with pytest.raises(UsageError, match="lies in the future"):
        bench.run(at=utc("2026-11-22 05:30"))


def test_a_report_that_is_gone_is_not_passed_off_as_there(bench, capsys, monkeypatch):
    """Nobody is told "pass: PATH" of a path that is not there; --again makes it once more."""
    from perfkit.cli.app import run as perfkit
    from perfkit.scheduling import run as module

    made = lambda *_, **options: run_entry(bench.entry(), **given(options))  # noqa: E731
    run_entry = module.run_entry

    def given(options):
        return {**options, "now": bench.clock, "make": bench.make}

    monkeypatch.setattr(module, "run_entry", made)
    argv = ["schedule", "run", "nightly", "--file", str(bench.folder)]
    assert perfkit(argv) == 0
    assert perfkit(argv) == 0
    shutil.rmtree(bench.folder / "reports")
    capsys.readouterr()
    assert perfkit(argv) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "was 'pass', and its report is gone: " in told.err
    assert perfkit([*argv, "--due"]) == 0
    assert perfkit([*argv, "--again"]) == 0
    assert (bench.folder / "reports/nightly/latest/study.pdf").exists()
    assert perfkit(argv) == 0


def test_an_entry_can_be_installed_while_it_runs(bench):
    """When it was installed is noted beside the state, which the run goes on writing."""
    store = StateFolder(bench.entry().state)

    def make(task):
        store.begin(bench.clock())
        return whole(task)

    whole, bench.make = bench.make, make
    bench.run(at=utc("2026-11-19 12:00"))
    state = bench.state()
    assert state.since == bench.clock().isoformat()
    assert [run.outcome for run in state.runs] == ["pass"]
    # the slots between are not made up on the first day
    assert bench.run(due=True).run is None
    store.begin(utc("2026-11-25 12:00"))
    assert bench.state().since == state.since


def test_again_never_overwrites(bench):
    """A second report of a slot stands beside the first, and is the latest."""
    bench.run()
    assert bench.run(again=True).run.folder == "2026-11-21-2"
    assert bench.reports() == ["2026-11-21", "2026-11-21-2", "latest"]
    assert str((bench.folder / "reports/nightly/latest").readlink()) == "2026-11-21-2"


@pytest.mark.parametrize(
    ("judged", "outcome", "code"),
    [
        ("pass", "pass", 0),
        ("fail", "not met", 3),
        ("not judged", "not judged", 3),
        (None, "made", 0),
    ],
)
def test_the_verdict_is_the_notebooks(bench, judged, outcome, code):
    """A report whose criteria are not met is a whole report: it is the latest."""
    bench.make.outcome = judged
    run = bench.run().run
    assert (run.outcome, run.exit_code) == (outcome, code)
    assert (bench.folder / "reports/nightly/latest").exists()


def test_a_failing_run_keeps_what_there_is_and_the_last_good_report(bench, fault):
    """Partial notebook, log and reason under a name that says so; latest stays."""
    bench.run()
    bench.clock.set("2026-11-22 06:00")
    bench.make.fault = fault
    run = bench.run().run
    assert (run.outcome, run.exit_code) == ("failed", 1)
    assert run.reason == "sweep.ipynb: cell 3 ('x()'): ValueError: no such thing"
    left = bench.folder / "reports/nightly/2026-11-22.failed"
    assert {p.name for p in left.iterdir()} == {"study.failed.ipynb", "run.log", "report.json"}
    assert "ValueError" in (left / "run.log").read_text()
    assert str((bench.folder / "reports/nightly/latest").readlink()) == "2026-11-21"


def test_a_failed_slot_is_not_begun_again_by_itself(bench, fault):
    """A timer that calls too often does not repeat a failure; a person can."""
    bench.make.fault = fault
    bench.run(due=True)
    assert bench.run(due=True).run is None
    assert bench.run().run.outcome == "failed"
    assert bench.make.made == ["2026-11-21"]
    assert bench.run(retry=True).run.outcome == "pass"
    assert bench.run(retry=True).fresh is False


@pytest.mark.parametrize("missing", ["study.pdf", "study.html", "study.ipynb"])
def test_a_report_that_is_not_whole_is_none(bench, missing):
    """A step that ends well without a file, or with an empty one, has failed."""
    whole = bench.make

    def lossy(task):
        whole(task)
        (task.folder / missing).write_text("")
        return made_outcome(task.folder)

    bench.make = lossy
    run = bench.run().run
    assert run.outcome == "failed"
    assert "not whole" in run.reason
    assert not (bench.folder / "reports/nightly/latest").exists()


def test_a_defect_of_ours_is_told_with_its_traceback_in_the_log(bench):
    """Unattended, an unexpected exception is an outcome too."""
    bench.make.fault = ZeroDivisionError("division by zero")
    assert bench.run().run.reason == "ZeroDivisionError: division by zero"
    log = bench.folder / "reports/nightly/2026-11-21.failed/run.log"
    assert "Traceback" in log.read_text()


def test_missed_slots_are_made_up_once_and_the_newest_only(bench):
    """Five days off: one run, of today; the others are listed as missed, with the reason."""
    bench.run()
    bench.clock.set("2026-11-26 09:00")
    assert bench.run(due=True).run.slot.startswith("2026-11-26")
    assert bench.run(due=True).run is None
    past = overview(bench.entry(), bench.clock(), 10).past
    assert [(run.slot[5:10], run.outcome) for run in past] == [
        ("11-26", "pass"), ("11-25", "missed"), ("11-21", "pass"),
    ]  # fmt: skip
    assert past[1].reason == (
        "4 slots since 2026-11-22 06:00: nothing called perfkit before the next slot came"
    )


def test_nothing_is_made_up_from_before_it_was_installed(bench):
    """Installed at noon: the slot of the morning is not due; a person may still run it."""
    StateFolder(bench.entry().state).begin(bench.clock())
    assert bench.run(due=True).run is None
    bench.clock.set("2026-11-22 05:00")
    assert bench.run(due=True).run.outcome == "pass"
    assert bench.run(at=utc("2026-11-21 06:00")).run.outcome == "pass"


def test_a_clock_that_jumps_back_and_forth(bench):
    """Ahead by four years, then right again: every real slot is run, none twice."""
    for moment in (
        "2026-11-21 06:00", "2030-11-21 06:00", "2026-11-21 07:00", "2026-11-22 06:00",
        "2026-11-21 23:00", "2026-11-23 06:00", "1999-01-01 06:00", "2026-11-23 07:00",
    ):  # fmt: skip
        bench.clock.set(moment)
        bench.run(due=True)
    slots = [run.slot[:10] for run in bench.state().runs]
    assert slots == ["2026-11-21", "2030-11-21", "2026-11-22", "2026-11-23", "1999-01-01"]


def test_installed_while_the_clock_was_ahead(bench):
    """The wrong time of installation does not keep slots back once the clock is right."""
    bench.clock.set("2030-01-01 00:00")
    StateFolder(bench.entry().state).begin(bench.clock())
    bench.clock.set("2026-11-21 05:00:03")
    assert bench.run(due=True).run.outcome == "pass"


@pytest.mark.parametrize(
    ("day", "calls"),
    [
        # the clock jumps at 01:00 UTC over 02:30; in autumn 02:30 is at 00:30 and 01:30 UTC
        ("2026-03-29", ["00:59", "01:00", "01:30", "02:30"]),
        ("2026-10-25", ["00:29", "00:30", "01:30", "02:30"]),
    ],
)
def test_both_changes_of_the_clock_give_one_run(bench, day, calls):
    """02:30 Oslo: nothing before it, one run at it, none when the clock shows it again."""
    bench.write(SCHEDULE.replace("06:00", "02:30"))
    before = dt.date.fromisoformat(day) - dt.timedelta(days=1)
    bench.clock.set(f"{before} 03:00")
    bench.run(due=True)
    found = []
    for call in calls:
        bench.clock.set(f"{day} {call}")
        found.append(bench.run(due=True).run is not None)
    assert found == [False, True, False, False]
    assert (bench.folder / "reports/nightly" / day).is_dir()


def test_several_slots_a_day_have_the_time_in_their_name(bench):
    bench.write(SCHEDULE.replace('"06:00"', '"*/30 * * * *"'))
    assert bench.run().run.folder == "2026-11-21T1300"


def test_two_runs_at_once(bench):
    """The second is refused while the first runs, and the state is the first's."""
    inner = bench.make
    refused = []

    def slow(task):
        with pytest.raises(RunError, match="another perfkit is running this entry") as told:
            bench.run()
        refused.append(told)
        assert overview(bench.entry(), bench.clock()).past[0].outcome == "running"
        return inner(task)

    bench.make = slow
    assert bench.run().run.outcome == "pass"
    assert refused
    assert len(bench.state().runs) == 1


def test_the_slot_that_came_while_a_run_was_going_says_so(bench, monkeypatch):
    """A run of 06:00 that took 25 hours: the slot of the next day is listed with the reason."""
    clock = SimpleNamespace(monotonic=iter([0.0, 25 * 3600.0]).__next__)
    monkeypatch.setattr("perfkit.scheduling.run.time", clock)
    bench.clock.set("2026-11-21 05:00")
    bench.run()
    monkeypatch.undo()
    bench.clock.set("2026-11-23 05:00")
    bench.run(due=True)
    missed = overview(bench.entry(), bench.clock(), 3).past[1]
    assert missed.outcome == "missed"
    assert missed.reason == "the run of 2026-11-21 06:00 was still going"


def crash(bench, *, after):
    """Let a run die at a place, as kill -9 does: nothing is tidied up."""

    class Killed(BaseException):
        pass

    def die(*_args, **_kwargs):
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(after, die)
        with pytest.raises(Killed):
            bench.run()


@pytest.mark.parametrize(
    ("place", "committed"),
    [
        ("perfkit.scheduling.folders.aside", False),
        ("perfkit.scheduling.folders.place", False),
        ("perfkit.scheduling.after.After.outcome", True),
        ("perfkit.scheduling.folders.point_latest", True),
        ("perfkit.scheduling.index.write_index", True),
    ],
)
def test_the_next_call_puts_right_what_a_killed_run_left(bench, place, committed):
    """Killed before its folder had its name: run again. After: the report counts, and is told."""
    bench.write(SCHEDULE + "    on_result: 'echo $PERFKIT_OUTCOME >> told.txt'\n")
    crash(bench, after=place)
    assert bench.run().run.outcome == "pass"
    outcomes = [outcome for _, outcome in bench.outcomes()]
    assert outcomes == (["pass"] if committed else ["interrupted", "pass"])
    assert (bench.folder / "told.txt").read_text().split() == outcomes
    assert not list((bench.folder / "reports/nightly").glob(".*"))
    assert str((bench.folder / "reports/nightly/latest").readlink()) == "2026-11-21"
    assert (bench.folder / "reports/index.html").is_file()


def test_killed_between_the_folders_name_and_the_state(bench, monkeypatch):
    """The folder's record is the truth: the state is completed from it, nothing runs twice."""
    saved = []
    real = StateFolder.save

    def save(self, state):
        saved.append(state)
        if len(saved) > 1:
            raise SystemExit  # the second save is the one after the rename
        real(self, state)

    monkeypatch.setattr(StateFolder, "save", save)
    with pytest.raises(SystemExit):
        bench.run()
    monkeypatch.undo()
    assert overview(bench.entry(), bench.clock()).past[0].outcome == "interrupted"
    answer = bench.run()
    assert (answer.run.outcome, answer.fresh) == ("pass", False)
    assert len(bench.make.made) == 1


def test_a_slot_that_kills_its_run_each_time_is_given_up(bench):
    """Three interruptions: a timer does not try for ever."""
    for _ in range(3):
        bench.make.fault = SystemExit()
        with pytest.raises(SystemExit):
            bench.run(due=True)
    assert bench.run(due=True).run is None
    assert [outcome for _, outcome in bench.outcomes()] == ["interrupted"] * 3
    assert len([n for n in bench.reports() if "failed" in n]) == 3


def test_ctrl_c_is_an_interruption_that_resumes(bench):
    bench.make.fault = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        bench.run()
    assert bench.state().runs[-1].reason == "stopped by a signal"
    assert bench.run().run.outcome == "pass"


def test_a_reports_folder_that_vanished_is_made_again(bench):
    """What was run stays known: the state is not in the reports' folder."""
    bench.run()
    shutil.rmtree(bench.folder / "reports")
    assert bench.run(due=True).run is None
    bench.clock.set("2026-11-22 06:00")
    assert bench.run(due=True).run.outcome == "pass"
    assert bench.reports() == ["2026-11-22", "latest"]


def test_a_place_for_reports_that_cannot_be_made_is_a_reason(bench):
    """A mount that is gone (a file stands there): the run fails, the list says why, then works."""
    (bench.folder / "reports").write_text("not a folder")
    run = bench.run().run
    assert run.outcome == "failed"
    assert "reports" in run.reason
    assert overview(bench.entry(), bench.clock()).past[0].reason == run.reason
    (bench.folder / "reports").unlink()
    assert bench.run(again=True).run.outcome == "pass"


def test_a_state_that_is_lost_is_made_from_the_folders(bench):
    """Slots that have a report are not run again, and nobody is told twice."""
    bench.write(SCHEDULE + "    on_result: 'echo x >> told.txt'\n")
    bench.run()
    shutil.rmtree(bench.folder / ".perfkit-schedule")
    assert bench.run().fresh is False
    assert (bench.folder / "told.txt").read_text() == "x\n"


def test_a_state_that_cannot_be_read_is_an_error_with_the_cure(bench):
    bench.run()
    (bench.entry().state / "state.json").write_text("{")
    with pytest.raises(RunError, match="move it away"):
        bench.run()


def test_the_state_of_a_newer_perfkit_is_refused_and_that_of_an_older_is_read(bench):
    """Nothing of the newer one is written over, and no advice to move it away."""
    bench.run()
    file = bench.entry().state / "state.json"
    record = json.loads(file.read_text())
    newer = json.dumps({**record, "format": 3, "runs": [{"unheard": 1}]})
    file.write_text(newer)
    with pytest.raises(RunError, match=r"of format 3, .* up to 2: upgrade perfkit$"):
        bench.run()
    assert file.read_text() == newer
    (run,) = record["runs"]
    first = {key: value for key, value in run.items() if key not in {"regressions", "lasting"}}
    file.write_text(json.dumps({**record, "format": 1, "runs": [first]}))
    assert bench.run().fresh is False
    assert bench.state().runs[0].record() == run | {
        "warnings": (),
        "regressions": (),
        "lasting": (),
    }


@pytest.mark.parametrize("stays", [1, 3])
def test_retention_is_exact(bench, fault, stays):
    """The newest N reports and the newest failed ones, counted apart; latest is never removed."""
    bench.write(SCHEDULE + f"    keep: {{last: {stays}, failed: 2}}\n")
    for day in range(1, 11):
        bench.clock.set(f"2026-11-{day:02d} 06:00")
        if day % 2:
            bench.make.fault = fault
        bench.run()
    good = [f"2026-11-{day:02d}" for day in (2, 4, 6, 8, 10)][-stays:]
    assert bench.reports() == sorted([*good, "2026-11-07.failed", "2026-11-09.failed", "latest"])
    assert len(bench.state().runs) == 10


def test_what_is_not_ours_is_never_removed(bench):
    """Folders without a record and files beside the reports stay, whatever they are called."""
    bench.write(SCHEDULE + "    keep: {last: 1}\n")
    theirs = bench.folder / "reports/nightly/2026-01-01"
    theirs.mkdir(parents=True)
    (theirs / "notes.txt").write_text("mine")
    for day in (20, 21):
        bench.clock.set(f"2026-11-{day} 06:00")
        bench.run()
    assert bench.reports() == ["2026-01-01", "2026-11-21", "latest"]


def test_the_command_gets_verdict_and_paths(bench):
    """One line of the user's own: everything stands in the environment."""
    bench.write(
        SCHEDULE + "    on_result: 'env | grep ^PERFKIT_ > \"told $PERFKIT_OUTCOME.txt\"'\n"
    )
    bench.make.outcome = "fail"
    bench.run()
    told = dict(
        line.split("=", 1) for line in (bench.folder / "told not met.txt").read_text().splitlines()
    )
    report = bench.folder / "reports/nightly/2026-11-21"
    assert told["PERFKIT_NAME"] == "nightly"
    assert told["PERFKIT_EXIT_CODE"] == "3"
    assert told["PERFKIT_SLOT"] == "2026-11-21T06:00:00+01:00"
    assert told["PERFKIT_TITLE"] == "The array"
    for name, file in (("PDF", "study.pdf"), ("HTML", "study.html"), ("NOTEBOOK", "study.ipynb")):
        assert told[f"PERFKIT_{name}"] == str(report / file)
    assert Path(told["PERFKIT_LOG"]).read_text().startswith("nightly: slot 2026-11-21 06:00:00 CET")


def test_a_command_that_fails_spoils_no_report_and_is_listed(bench):
    bench.write(SCHEDULE + "    on_result: 'echo no such mailer >&2; exit 7'\n")
    assert bench.run().run.outcome == "pass"
    assert bench.state().runs[-1].warnings == ("on_result: exit code 7: no such mailer",)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 512 KiB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "perfkit-test", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> Path:
    """A file that takes all the room that is left."""
    file = place / "filler"
    with file.open("wb", buffering=0) as out, contextlib.suppress(OSError):
        while True:
            out.write(b"x" * 4096)
    return file


@needs_root
def test_a_full_disk_is_a_failure_with_its_reason_and_then_works(small_disk):
    """Everything on one full disk: the reason is kept in the room that was held back for it."""
    bench = Bench(small_disk)
    (small_disk / "study").mkdir()
    bench.write()
    bench.clock.set("2026-11-20 06:00")
    bench.run()
    assert (bench.entry().state / RESERVE).is_file()
    filler = fill(small_disk)
    bench.clock.set("2026-11-21 06:00")
    run = bench.run().run
    assert run.outcome == "failed"
    assert "No space left" in run.reason
    listed = overview(bench.entry(), bench.clock()).past[0]
    assert (listed.outcome, listed.reason) == ("failed", run.reason)
    assert [item.path.name for item in folders.kept(bench.folder / "reports/nightly") if item.good]
    assert str((bench.folder / "reports/nightly/latest").readlink()) == "2026-11-20"
    filler.unlink()
    bench.clock.set("2026-11-22 06:00")
    assert bench.run().run.outcome == "pass"
    assert (bench.entry().state / RESERVE).is_file()


def test_the_record_of_a_report_names_what_it_is(bench):
    """report.json: slot, outcome and evidence, so that a folder can stand alone."""
    bench.run()
    record = json.loads((bench.folder / "reports/nightly/2026-11-21/report.json").read_text())
    assert record["run"]["slot"] == f"{SLOT}:00+00:00"
    assert record["run"]["outcome"] == "pass"
    assert record["run"]["folder"] == "2026-11-21"
