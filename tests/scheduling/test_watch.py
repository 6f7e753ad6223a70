"""Dropped evidence: complete files only, each used once, none moved, none lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from schedule_bench import SCHEDULE

from perfkit.core.errors import RunError
from perfkit.scheduling.schedule_file import Watched
from perfkit.scheduling.watch import MARKER, holding, named_in, open_for_writing, take

WATCHED = SCHEDULE + '    evidence: {folder: drop, files: ["**/*.html"], settle: 60s}\n'


@pytest.fixture
def drop(bench):
    """A watched folder; ``drop(name, text)`` puts a file there that is an hour old."""
    bench.write(WATCHED)
    folder = bench.folder / "drop"
    folder.mkdir()

    def put(name: str, text: str):
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
        return path

    return put


@pytest.fixture(autouse=True)
def _long_ago(monkeypatch):
    """Files are looked at as if they had been written an hour ago: nothing has to be waited for."""
    monkeypatch.setattr("perfkit.scheduling.watch.now_s", lambda: time.time() + 3600)


def day(bench, number: int, **options):
    bench.clock.set(f"2026-11-{number:02d} 06:00")
    return bench.run(**options).run


def test_each_file_is_used_once(bench, drop):
    """Two files, one report; next day a third: it alone. The dropped files stay as they are."""
    drop("a.html", "A")
    drop("db/b.html", "B")
    drop("note.txt", "not asked for")
    first = day(bench, 1)
    assert sorted(first.evidence) == ["a.html", "db/b.html"]
    drop("c.html", "C")
    day(bench, 2)
    assert bench.make.seen == [{"a.html": "A", "db/b.html": "B"}, {"c.html": "C"}]
    names = sorted(p.name for p in (bench.folder / "drop").rglob("*.*"))
    assert names == ["a.html", "b.html", "c.html", "note.txt"]


def test_nothing_new_is_an_outcome_of_its_own(bench, drop):
    """No report, no failure, no folder; the list says it."""
    drop("a.html", "A")
    day(bench, 1)
    run = day(bench, 2)
    assert (run.outcome, run.exit_code, run.reason) == ("nothing new", 0, "no new evidence")
    assert bench.reports() == ["2026-11-01", "latest"]


def test_nothing_new_can_be_a_failure(bench, drop):
    bench.write(WATCHED.replace("settle: 60s", "settle: 60s, required: true, at_least: 2"))
    drop("a.html", "A")
    run = day(bench, 1)
    assert (run.outcome, run.reason) == ("failed", "1 new files of 2")
    assert day(bench, 1, again=True).outcome == "failed"
    drop("b.html", "B")
    assert sorted(day(bench, 2).evidence) == ["a.html", "b.html"]


def test_a_file_is_known_by_its_content(bench, drop):
    """Renamed or dropped again it is not new; replaced by other content it is."""
    path = drop("a.html", "A")
    day(bench, 1)
    path.rename(path.with_name("renamed.html"))
    drop("copy.html", "A")
    assert day(bench, 2).outcome == "nothing new"
    drop("copy.html", "A, corrected")
    assert day(bench, 3).outcome == "pass"
    assert bench.make.seen[-1] == {"copy.html": "A, corrected"}


def test_two_files_of_one_content_are_used_once(bench, drop):
    drop("a.html", "A")
    drop("b.html", "A")
    run = day(bench, 1)
    assert list(run.evidence) == ["a.html"]
    assert run.left == {"b.html": "has the same content as a.html"}


def test_a_failing_report_uses_up_nothing(bench, drop, fault):
    """The files are there for the next slot."""
    drop("a.html", "A")
    bench.make.fault = fault
    assert day(bench, 1).outcome == "failed"
    assert day(bench, 2).outcome == "pass"
    assert bench.make.seen == [{"a.html": "A"}] * 2
    assert day(bench, 3).outcome == "nothing new"


def test_a_file_that_an_error_names_is_set_aside_until_it_is_replaced(bench, drop):
    """One bad file does not keep the others back for ever, and the list says why."""
    drop("bad.html", "?")
    drop("good.html", "G")
    bench.make.fault = RunError("incoming/bad.html:3: not an AWR report")
    day(bench, 1)
    assert day(bench, 2).outcome == "pass"
    assert bench.make.seen[-1] == {"good.html": "G"}
    (refused,) = bench.state().refused.values()
    assert refused["reason"] == "incoming/bad.html:3: not an AWR report"
    drop("bad.html", "better")
    day(bench, 3)
    assert bench.make.seen[-1] == {"bad.html": "better"}


@pytest.mark.parametrize("place", ["folders.place", "after.After.outcome"])
def test_killed_at_any_place_no_file_is_lost_or_used_twice(bench, drop, place):
    """Before the report has its name the file stays new; after it the file is used."""
    drop("a.html", "A")

    class Killed(BaseException):
        pass

    def die(*_args):
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"perfkit.scheduling.{place}", die)
        with pytest.raises(Killed):
            day(bench, 1)
    day(bench, 1)
    day(bench, 2)
    reports = [run for run in bench.state().runs if run.outcome == "pass"]
    assert len(reports) == 1
    assert list(reports[0].evidence) == ["a.html"]


def test_evidence_stays_used_when_its_report_was_removed(bench, drop):
    bench.write(WATCHED + "    keep: {last: 1}\n")
    drop("a.html", "A")
    day(bench, 1)
    drop("b.html", "B")
    day(bench, 2)
    assert bench.reports() == ["2026-11-02", "latest"]
    assert day(bench, 3).outcome == "nothing new"


def test_a_watched_folder_that_is_not_there_is_named(bench):
    bench.write(WATCHED)
    assert "drop: there is no such folder to watch" in bench.run().run.reason


def test_a_folder_of_others_is_never_emptied(bench, drop):
    """incoming/ with somebody's files and without perfkit's mark is refused."""
    drop("a.html", "A")
    theirs = bench.folder / "study/incoming"
    theirs.mkdir()
    (theirs / "precious.html").write_text("P")
    run = day(bench, 1)
    assert "contains files that perfkit did not put there" in run.reason
    assert (theirs / "precious.html").read_text() == "P"


def taken(folder, into, known=None, **options):
    watched = Watched.model_validate({"folder": "x", "settle": "60s"})
    with holding(into):
        return take(watched, folder, into, known or {}, **options)


@pytest.fixture
def place(tmp_path):
    (tmp_path / "drop").mkdir()
    return tmp_path / "drop", tmp_path / "incoming"


def test_a_file_that_grows_is_left_for_the_next_time(place):
    """Fresh files are looked at twice, ``settle`` apart; what changed meanwhile is not taken."""
    folder, into = place
    (folder / "still.log").write_text("all of it")
    grows = folder / "grows.log"
    grows.write_text("part 1")
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        grows.write_text("part 1, part 2")

    found = taken(folder, into, now=time.time, sleep=sleep)
    assert slept == [60.0]
    assert list(found.files) == ["still.log"]
    assert found.left == {"grows.log": "still growing, or being replaced"}
    assert {p.name for p in into.iterdir() if not p.name.startswith(".")} == {"still.log"}


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_seen(place):
    """rename() over it, with size and mtime kept: it is another file."""
    folder, into = place
    path = folder / "a.log"
    path.write_text("old")
    facts = path.stat()

    def sleep(_seconds):
        fresh = folder / ".new"
        fresh.write_text("new")
        os.utime(fresh, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        fresh.replace(path)

    assert taken(folder, into, now=time.time, sleep=sleep).left == {
        "a.log": "still growing, or being replaced"
    }


def test_an_old_mtime_alone_does_not_make_a_file_complete(place):
    """A copy that carries its source's time was still written just now."""
    folder, into = place
    path = folder / "a.log"
    path.write_text("x")
    os.utime(path, (0, 0))
    slept = []
    taken(folder, into, now=time.time, sleep=slept.append)
    assert slept == [60.0]


@pytest.mark.parametrize("offset", [-86400, 0])
def test_a_clock_behind_the_files_makes_us_look_twice(place, offset):
    folder, into = place
    (folder / "a.log").write_text("x")
    slept = []
    found = taken(folder, into, now=lambda: time.time() + offset, sleep=slept.append)
    assert slept == [60.0]
    assert list(found.files) == ["a.log"]


def test_what_is_unfinished_by_name_or_empty_is_left(place):
    folder, into = place
    for name in ("a.log.part", "b.log.filepart", "c.log~"):
        (folder / name).write_text("x")
    (folder / ".hidden.Xq1").write_text("rsync writes so")
    (folder / "empty.log").write_text("")
    found = taken(folder, into)
    assert not found.files
    assert found.left == {
        "a.log.part": "its name says that it is unfinished",
        "b.log.filepart": "its name says that it is unfinished",
        "c.log~": "its name says that it is unfinished",
        "empty.log": "empty",
    }


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells it on Linux only")
def test_a_file_that_a_process_has_open_for_writing_is_left(place):
    """A writer that pauses past the settle time is seen in /proc; a reader is not a writer."""
    folder, into = place
    path = folder / "a.log"
    path.write_text("half")
    code = f"f = open({str(path)!r}, 'a'); print('open', flush=True); input()"
    writer = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with writer:
        writer.stdout.readline()
        found = taken(folder, into)
        assert found.left == {"a.log": f"open for writing by process {writer.pid}"}
        writer.stdin.close()
    with path.open():
        assert str(path) not in open_for_writing()
        assert list(taken(folder, into).files) == ["a.log"]


def test_the_folder_of_copies_is_emptied_each_time(place):
    """It holds this slot's files and nothing of the last one's."""
    folder, into = place
    (folder / "sub").mkdir()
    (folder / "sub/a.log").write_text("a")
    watched = Watched.model_validate({"folder": "x", "files": ["**/*.log"]})
    with holding(into):
        first = take(watched, folder, into, {})
        (folder / "b.log").write_text("b")
        second = take(watched, folder, into, dict.fromkeys(first.files.values(), ""))
    assert list(second.files) == ["b.log"]
    assert sorted(p.name for p in into.rglob("*.log")) == ["b.log"]
    assert (into / MARKER).is_file()


def test_two_entries_of_one_study_do_not_mix_their_files(place):
    _, into = place
    with holding(into), pytest.raises(RunError, match="another entry of this study"), holding(into):
        pass


def test_an_error_names_a_file_by_its_name_not_by_a_part_of_it():
    files = {"a.html": "1", "data.html": "2", "db/x.log": "3"}
    assert list(named_in("incoming/data.html:3: bad", {"data.html": "2"})) == ["data.html"]
    assert list(named_in("incoming/data.html:3: bad", files)) == ["data.html"]
    assert list(named_in("'x.log' is empty", files)) == ["db/x.log"]
    assert named_in("Chrome is missing", files) == {}
