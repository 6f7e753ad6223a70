"""What is written for systemd and cron, read back by the tools; and taken away again."""

from __future__ import annotations

import datetime as dt
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from schedule_bench import SCHEDULE

from perfkit.core.errors import MissingPartError, RunError, UsageError
from perfkit.scheduling import crontab, systemd
from perfkit.scheduling.schedule_file import open_schedule

CALENDARS = [
    "06:00", "Mon..Fri 06:00", "*:0/15", "0 6 13 * 5", "*-*~1 06:00", "Mon *-05~07/1 03:30",
    "2027-*-* 02:30", "@weekly", "02:30:15",
]  # fmt: skip
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on this machine"
)


def entry(bench, calendar="06:00", zone="Europe/Oslo"):
    text = SCHEDULE.replace('"06:00"', f'"{calendar}"').replace("Europe/Oslo", zone)
    bench.write(text)
    return open_schedule(bench.folder)[0]


@needs_systemd
@pytest.mark.parametrize("calendar", CALENDARS)
def test_systemd_takes_the_units(bench, tmp_path, calendar):
    """`systemd-analyze verify` passes on service and timer, `calendar` on each value."""
    folder = tmp_path / "units"
    notes = systemd.install_units(entry(bench, calendar), "system", folder)
    assert "checked with systemd-analyze" in notes
    timer = (folder / "perfkit-nightly.timer").read_text()
    assert "Persistent=true" in timer
    for text in re.findall("OnCalendar=(.*)", timer):
        subprocess.run(["systemd-analyze", "calendar", text], check=True, capture_output=True)


@needs_systemd
def test_units_that_systemd_refuses_are_taken_away_again(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(systemd, "on_calendar", lambda *_: ["Blursday 06:00"])
    with pytest.raises(RunError, match="Blursday"):
        systemd.install_units(entry(bench), "system", tmp_path / "units")
    assert list((tmp_path / "units").iterdir()) == []


def test_uninstall_takes_away_what_install_wrote_and_nothing_else(bench, tmp_path):
    folder = tmp_path / "units"
    folder.mkdir()
    (folder / "other.timer").write_text("theirs")
    systemd.install_units(entry(bench), "user", folder)
    assert len(list(folder.iterdir())) == 3
    systemd.uninstall_units(entry(bench), "user", folder)
    assert [path.name for path in folder.iterdir()] == ["other.timer"]
    assert systemd.uninstall_units(entry(bench), "user", folder) == []


def test_a_path_with_odd_characters_survives_the_unit(bench, tmp_path, monkeypatch):
    """Blanks, %, $, quotes and backslashes: systemd's quoting, undone by its rules."""
    odd = tmp_path / 'a b%h$HOME"q\\z'
    odd.mkdir()
    shutil.copytree(bench.folder / "study", odd / "study")
    (odd / "schedule.yml").write_text(SCHEDULE)
    text = systemd.units(open_schedule(odd)[0], "user")[0].text
    line = re.search("ExecStart=(.*)", text).group(1)
    last = re.search(r'"((?:[^"\\]|\\.)*)"$', line).group(1)
    undone = re.sub(r"\\(.)", r"\1", last).replace("%%", "%").replace("$$", "$")
    assert undone == str(odd / "schedule.yml")
    if shutil.which("systemd-analyze"):
        assert "checked" in " ".join(
            systemd.install_units(open_schedule(odd)[0], "user", tmp_path / "units")
        )


def test_the_skipped_hour_has_a_call_of_its_own(bench):
    """systemd leaves 02:30 out on the day of the jump; the timer also elapses at 03:00 then."""
    assert systemd.after_jumps(entry(bench, "02:30")) == ["*-03-* 03:00:00 Europe/Oslo"]
    assert systemd.after_jumps(entry(bench, "06:00")) == []
    assert systemd.after_jumps(entry(bench, "02:30", "Asia/Kolkata")) == []


# cron


def fields(lines: list[str]) -> str:
    return " ".join(lines[2].split()[:5])


def calls(line: str, first: dt.datetime, zone: ZoneInfo, days: int) -> set[dt.datetime]:
    """When cron, on a clock in ``zone``, calls: told by a maintained cron library."""
    found, until = set(), first + dt.timedelta(days=days)
    for moment in CronSim(line, first.astimezone(zone)):
        if moment > until:
            return found
        found.add(moment.astimezone(dt.UTC))
    return found


@pytest.mark.parametrize("local", ["Europe/Oslo", "UTC", "America/New_York", "Asia/Kolkata"])
@pytest.mark.parametrize(
    "calendar", ["06:00", "Mon..Fri 22:45", "Mon *-*~07/1 06:00", "0 6 13 * 5"]
)
def test_cron_calls_at_every_slot_whatever_its_clock(bench, calendar, local):
    """Over 400 days and both changes of the clock there is a call at each slot."""
    scheduled = entry(bench, calendar)
    lines = crontab.cron_lines(scheduled, ZoneInfo(local))
    first = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)
    called = calls(fields(lines), first, ZoneInfo(local), 400)
    slots = set()
    for slot in scheduled.entry.when.after(first, scheduled.zone):
        if slot > first + dt.timedelta(days=400):
            break
        slots.add(slot)
    assert slots <= called
    exact = local == "Europe/Oslo" and "~" not in calendar
    assert (slots == called) == exact
    assert exact == ("more often" not in lines[1])


def test_cron_has_no_seconds(bench):
    with pytest.raises(UsageError, match="has seconds"):
        crontab.cron_lines(entry(bench, "06:00:30"), ZoneInfo("UTC"))


def test_the_line_calls_this_entry_and_survives_a_percent_sign(bench, tmp_path):
    """% ends a command in a crontab unless it is escaped; the shell then gets the path whole."""
    odd = tmp_path / "50% off 'x'"
    odd.mkdir()
    (odd / "schedule.yml").write_text(SCHEDULE)
    line = crontab.cron_lines(open_schedule(odd)[0], ZoneInfo("Europe/Oslo"))[2]
    assert not re.search(r"(?<!\\)%", line)
    seen_by_shell = line.split(" ", 5)[5].replace("\\%", "%")
    shown = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\n' {seen_by_shell}"], capture_output=True, text=True,
        check=True,
    ).stdout.splitlines()  # fmt: skip
    assert shown == open_schedule(odd)[0].command
    assert shown[-1] == str(odd / "schedule.yml")


def test_a_crontab_keeps_the_lines_of_others(bench):
    """Twice installed is once there; taken away, the crontab is what it was."""
    scheduled = entry(bench)
    lines = crontab.cron_lines(scheduled, ZoneInfo("Europe/Oslo"))
    theirs = "MAILTO=me\n0 1 * * * backup\n"
    once = crontab.crontab_with(theirs, scheduled, lines)
    assert once.startswith(theirs)
    assert crontab.crontab_with(once, scheduled, lines) == once
    assert crontab.crontab_with(once, scheduled, []) == theirs
    assert crontab.crontab_with("0 1 * * * x", scheduled, []) == "0 1 * * * x\n"


def test_a_crontab_in_disorder_is_left_alone(bench):
    scheduled = entry(bench)
    begin, _ = crontab.markers(scheduled)
    with pytest.raises(RunError, match="without its end"):
        crontab.crontab_with(f"{begin}\n0 1 * * * theirs\n", scheduled, [])


FAKE = """#!{python}
import sys, pathlib
table = pathlib.Path({table!r})
if sys.argv[1] == "-l":
    if not table.exists():
        sys.exit("no crontab for me")
    print(table.read_text(), end="")
else:
    table.write_text(sys.stdin.read())
"""


def test_install_and_uninstall_through_crontab(bench, tmp_path, monkeypatch, capsys):
    """As cron has it: -l lists, - replaces (a stand-in: test machines have no cron)."""
    from perfkit.cli.app import run

    entry(bench)
    table, program = tmp_path / "table", tmp_path / "bin/crontab"
    program.parent.mkdir()
    program.write_text(FAKE.format(python=sys.executable, table=str(table)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    file = ["--file", str(bench.folder)]
    assert run(["schedule", "install", "nightly", "--cron", *file]) == 2  # nobody to answer
    assert not table.exists()
    assert run(["schedule", "install", "nightly", "--cron", "--yes", *file]) == 0
    shown = capsys.readouterr().out
    assert table.read_text() in shown
    assert "schedule run nightly --due" in table.read_text()
    assert run(["schedule", "uninstall", "nightly", "--cron", *file]) == 0
    assert table.read_text() == ""
    assert run(["schedule", "install", "nightly", "--cron", "--yes", *file]) == 0
    assert run(["schedule", "uninstall", "nightly", "--cron", "--yes", *file]) == 0
    assert table.read_text() == ""


@pytest.mark.parametrize(("answer", "left"), [("n", True), ("y", False)])
def test_uninstall_asks_whoever_can_answer(bench, tmp_path, monkeypatch, answer, left):
    """As install does; --yes is the answer for both."""
    from perfkit.cli.app import run

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    entry(bench)
    own = ["--systemd", "--folder", str(tmp_path / "u"), "--file", str(bench.folder)]
    assert run(["schedule", "install", "nightly", *own, "--yes"]) == 0
    monkeypatch.setattr(sys, "stdin", Terminal(f"{answer}\n"))
    assert run(["schedule", "uninstall", "nightly", *own]) == (130 if left else 0)
    assert any((tmp_path / "u").iterdir()) is left
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    assert run(["schedule", "uninstall", "nightly", *own, "--yes"]) == 0
    assert not any((tmp_path / "u").iterdir())


def test_install_goes_through_while_the_entry_runs(bench, tmp_path, monkeypatch):
    """The lock is the run's; the crontab is written all the same."""
    from perfkit.cli.app import run
    from perfkit.scheduling.state import StateFolder

    table, program = tmp_path / "table", tmp_path / "bin/crontab"
    program.parent.mkdir()
    program.write_text(FAKE.format(python=sys.executable, table=str(table)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    store = StateFolder(entry(bench).state)
    with store.locked():
        argv = ["schedule", "install", "nightly", "--cron", "--yes", "--file", str(bench.folder)]
        assert run(argv) == 0
    assert "schedule run nightly --due" in table.read_text()
    assert store.load().since is not None


def test_without_cron_it_is_named(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPartError, match="crontab is not on this machine"):
        crontab.read_crontab()


@needs_systemd
def test_install_shows_the_units_first(bench, tmp_path, capsys):
    from perfkit.cli.app import run

    entry(bench)
    argv = ["schedule", "install", "nightly", "--systemd", "--folder", str(tmp_path / "u")]
    assert run([*argv, "--yes", "--file", str(bench.folder)]) == 0
    shown = capsys.readouterr()
    for path in (tmp_path / "u").iterdir():
        assert path.read_text() in shown.out
        assert f"wrote {path}" in shown.err
    assert Path(bench.entry().state / "state.json").is_file()
