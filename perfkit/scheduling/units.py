"""Handing an entry to systemd or cron: what is written is shown first and can be taken away again.

Both call ``perfkit schedule run NAME --due``, which runs the newest slot unless it was run: a call
too many does no harm, so the written calendar may be wider than the entry's own where the other
side cannot say it exactly.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from perfkit.core.errors import MissingPartError, RunError, UsageError
from perfkit.scheduling.calendar import FULL, Calendar
from perfkit.scheduling.files import write_whole
from perfkit.scheduling.forms import cron_fields, on_calendar
from perfkit.scheduling.notify import LIMIT_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfkit.scheduling.schedule_file import Scheduled

Scope = Literal["user", "system"]
UNIT_FOLDERS = {
    "user": Path.home() / ".config" / "systemd" / "user",
    "system": Path("/etc/systemd/system"),
}
YEARS_AHEAD = 6
STOP_EXTRA_S = 120


def command(scheduled: Scheduled) -> list[str]:
    """The call that a timer makes."""
    # -P: a folder or file beside the schedule shall not be taken for a module
    argv = [sys.executable, "-P", "-m", "perfkit", "schedule", "run", scheduled.name, "--due"]
    return [*argv, "--file", str(scheduled.file)]


# systemd


@dataclass(frozen=True)
class Unit:
    """A unit file: its name and text."""

    name: str
    text: str


def unit_name(scheduled: Scheduled) -> str:
    """The units' name without ending."""
    return f"perfkit-{scheduled.name}"


def units(scheduled: Scheduled, scope: Scope) -> list[Unit]:
    """The service and the timer. UsageError for a path that a unit file cannot hold."""
    name = unit_name(scheduled)
    title = f"perfkit: scheduled report {scheduled.name}"
    after = (
        "After=network-online.target\nWants=network-online.target\n" if scope == "system" else ""
    )
    service = f"""# Written by: perfkit schedule install {scheduled.name} --systemd
[Unit]
Description={title}
{after}
[Service]
Type=oneshot
WorkingDirectory={_unit_path(scheduled.file.parent)}
ExecStart={" ".join(map(_unit_word, command(scheduled)))}
# done, though criteria are not met: the report is there
SuccessExitStatus=3
# perfkit bounds itself; this is for a perfkit that does not
TimeoutStartSec={_longest_s(scheduled)}
KillMode=mixed
TimeoutStopSec={STOP_EXTRA_S}
"""
    calendars = [*on_calendar(scheduled.entry.when, scheduled.zone.key), *after_jumps(scheduled)]
    timer = f"""# Written by: perfkit schedule install {scheduled.name} --systemd
[Unit]
Description={title}

[Timer]
{chr(10).join(f"OnCalendar={text}" for text in calendars)}
Persistent=true
AccuracySec=1s
Unit={name}.service

[Install]
WantedBy=timers.target
"""
    return [Unit(f"{name}.service", service), Unit(f"{name}.timer", timer)]


def _longest_s(scheduled: Scheduled) -> int:
    """Seconds by which a run has ended: waiting for files, the run, telling, and ending."""
    entry = scheduled.entry
    settle = entry.evidence.settle if entry.evidence else 0
    return int(settle + entry.timeout + LIMIT_S) + STOP_EXTRA_S


def _unit_word(text: str) -> str:
    """A word of ExecStart: systemd's quoting, with % and $ doubled (systemd.service(5))."""
    if "\n" in text:
        raise UsageError(f"{text!r}: a unit file cannot hold a path with a line break")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return escaped if re.fullmatch(r"[\w@%+=:,./$-]+", text) else f'"{escaped}"'


def _unit_path(path: Path) -> str:
    """A path that stands alone behind =: it is not quoted, and only % has a meaning."""
    if "\n" in str(path):
        raise UsageError(f"{path}: a unit file cannot hold a path with a line break")
    return str(path).replace("%", "%%")


def after_jumps(scheduled: Scheduled) -> list[str]:
    """OnCalendar values at the moments where the zone's clock jumps over a slot.

    systemd (252) leaves out a time in the skipped hour; perfkit runs it right after. The values are
    without a year: the other calls they make find nothing due.
    """
    calendar, zone = scheduled.entry.when, scheduled.zone
    found: dict[tuple[int, str], None] = {}
    for day in _days_with_jump(zone):
        if not calendar.holds(day):
            continue
        plain = {
            dt.datetime.combine(day, dt.time(h, m, s)).replace(tzinfo=zone)
            for h, m, s in itertools.product(calendar.hours, calendar.minutes, calendar.seconds)
        }
        walls = {wall.replace(tzinfo=None) for wall in plain}
        for slot in calendar.slots_on(day, zone):
            wall = slot.astimezone(zone).replace(tzinfo=None)
            if wall not in walls:
                found[wall.month, f"{wall:%H:%M:%S}"] = None
    return [f"*-{month:02d}-* {time} {zone.key}" for month, time in found]


def _days_with_jump(zone: ZoneInfo) -> Iterator[dt.date]:
    first = dt.datetime.now(zone).date()
    for number in range(366 * YEARS_AHEAD):
        day = first + dt.timedelta(days=number)
        begin, end = (
            dt.datetime.combine(each, dt.time(), zone) for each in (day, day + dt.timedelta(days=1))
        )
        if (end.utcoffset() or dt.timedelta()) > (begin.utcoffset() or dt.timedelta()):
            yield day


def install_units(scheduled: Scheduled, scope: Scope, folder: Path) -> list[str]:
    """Write the units and check them; returns what the user has to know or do.

    Where systemd runs, it is told and the timer is started. Raises RunError when systemd refuses
    the units: they are then taken away again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for unit in units(scheduled, scope):
        write_whole(folder / unit.name, unit.text)
        paths.append(folder / unit.name)
    notes = [f"wrote {path}" for path in paths]
    try:
        notes += verify(scheduled, paths)
    except RunError:
        for path in paths:
            path.unlink()
        raise
    return [
        *notes,
        *_systemctl(scope, folder, ["daemon-reload"], ["enable", "--now", paths[1].name]),
    ]


def verify(scheduled: Scheduled, paths: list[Path]) -> list[str]:
    """Let ``systemd-analyze`` check units and calendar; a note where it is not there."""
    program = shutil.which("systemd-analyze")
    if program is None:
        return ["systemd-analyze is not on this machine: the units are not checked"]
    calls = [
        [program, "calendar", text]
        for text in on_calendar(scheduled.entry.when, scheduled.zone.key)
    ]
    # as a system unit also for the user's: --user needs a session, and these units are the same
    calls.append([program, "verify", "--man=no", *map(str, paths)])
    for argv in calls:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).split())
            raise RunError(f"systemd-analyze {argv[1]}: {said}")
    return ["checked with systemd-analyze"]


def uninstall_units(scheduled: Scheduled, scope: Scope, folder: Path) -> list[str]:
    """Stop the timer where systemd runs, and take the units away."""
    name = unit_name(scheduled)
    paths = [folder / f"{name}{ending}" for ending in (".timer", ".service")]
    there = [path for path in paths if path.is_file()]
    if not there:
        return []
    notes = _systemctl(scope, folder, ["disable", "--now", paths[0].name])
    for path in there:
        path.unlink()
    return [
        *notes,
        *(f"removed {path}" for path in there),
        *_systemctl(scope, folder, ["daemon-reload"]),
    ]


def _systemctl(scope: Scope, folder: Path, *calls: list[str]) -> list[str]:
    """Tell a running systemd; where there is none (or for another folder), say what to type."""
    flags = ["--user"] if scope == "user" else []
    typed = [shlex.join(["systemctl", *flags, *call]) for call in calls]
    program = shutil.which("systemctl")
    here = program and Path("/run/systemd/system").is_dir()
    if folder != UNIT_FOLDERS[scope] or program is None or not here:
        return [f"systemd does not run here; where it does: {line}" for line in typed]
    notes = []
    for call, line in zip(calls, typed, strict=True):
        done = subprocess.run(
            [program, *flags, *call], capture_output=True, text=True, timeout=60, check=False
        )
        said = " ".join(done.stderr.split())
        notes.append(line if done.returncode == 0 else f"warning: {line}: {said}")
    return notes


# cron


def markers(scheduled: Scheduled) -> tuple[str, str]:
    """The lines before and after an entry's lines in a crontab."""
    name = f"perfkit schedule {scheduled.name} ({scheduled.file})"
    return f"# begin {name}", f"# end {name}"


def cron_lines(scheduled: Scheduled, local: ZoneInfo) -> list[str]:
    """The entry's crontab lines, between markers, for a machine whose cron runs in ``local`` time.

    Raises UsageError for a calendar that cron cannot serve: with seconds.
    """
    begin, end = markers(scheduled)
    fields, remark = fields_for(scheduled, local)
    # % ends a crontab's command (crontab(5)); it cannot stand in a quoted word, only behind \
    call = shlex.join(command(scheduled)).replace("%", "\\%")
    if "\n" in call:
        raise UsageError(f"{call!r}: a crontab cannot hold a path with a line break")
    lines = [begin, f"# {scheduled.entry.calendar} {scheduled.zone.key}{remark}"]
    # what was missed while the machine was off is made up when it is on again
    return [*lines, f"{fields} {call}", f"@reboot {call}", end]


def fields_for(scheduled: Scheduled, local: ZoneInfo) -> tuple[str, str]:
    """The five fields, and a remark where they say more than the calendar."""
    calendar = scheduled.entry.when
    if calendar.seconds != {0}:
        raise UsageError(f"{scheduled.name}: its calendar has seconds, and cron has none")
    shifts = offsets_between(scheduled.zone, local)
    if shifts == {0}:
        try:
            return cron_fields(calendar), ""
        except ValueError as problem:
            wider = replace(calendar, years=None, days_from_end=frozenset(), either=False)
            # one of both has to go: cron would take "either"
            wider = replace(wider, days=FULL["days"])
            return cron_fields(wider), f"; called more often than that, as {problem}"
    moved = _moved(calendar, shifts)
    return cron_fields(moved), f"; cron's clock is {local.key}: called more often than that"


def offsets_between(zone: ZoneInfo, local: ZoneInfo) -> frozenset[int]:
    """Every difference in minutes between two zones' clocks, over the coming years."""
    first = dt.datetime.now(dt.UTC).replace(minute=0, second=0, microsecond=0)
    found = set()
    for hours in range(0, 366 * 24 * YEARS_AHEAD, 6):
        moment = first + dt.timedelta(hours=hours)
        offsets = [moment.astimezone(each).utcoffset() or dt.timedelta() for each in (local, zone)]
        found.add(int((offsets[0] - offsets[1]).total_seconds()) // 60)
    return frozenset(found)


def _moved(calendar: Calendar, shifts: frozenset[int]) -> Calendar:
    """A calendar on another clock that holds every slot, and more: any day may be meant."""
    times = {
        (hour * 60 + minute + shift) % (24 * 60)
        for hour, minute, shift in itertools.product(calendar.hours, calendar.minutes, shifts)
    }
    hours, minutes = {time // 60 for time in times}, {time % 60 for time in times}
    return Calendar(minutes=frozenset(minutes), hours=frozenset(hours))


def crontab_with(text: str, scheduled: Scheduled, lines: list[str]) -> str:
    """A crontab with the entry's lines in place of those it had; all else stays as it is."""
    begin, end = markers(scheduled)
    if text.count(f"{begin}\n") != text.count(f"{end}\n"):
        raise RunError(f"the crontab has {begin!r} without its end: put it in order by hand")
    kept = re.sub(rf"^{re.escape(begin)}\n.*?^{re.escape(end)}\n", "", text, flags=re.M | re.S)
    if kept and not kept.endswith("\n"):
        kept += "\n"
    return kept + "".join(f"{line}\n" for line in lines)


def read_crontab() -> str:
    """The user's crontab; empty where there is none. MissingPartError without cron."""
    done = _crontab(["-l"])
    if done.returncode and "no crontab" not in done.stderr.lower():
        raise RunError(f"crontab -l: {' '.join(done.stderr.split())}")
    return done.stdout if done.returncode == 0 else ""


def write_crontab(text: str) -> None:
    """Replace the user's crontab; cron checks it first. RunError when it refuses."""
    done = _crontab(["-"], text)
    if done.returncode:
        raise RunError(f"crontab refuses the lines: {' '.join(done.stderr.split())}")


def _crontab(arguments: list[str], text: str | None = None) -> subprocess.CompletedProcess[str]:
    program = shutil.which("crontab")
    if program is None:
        raise MissingPartError("crontab is not on this machine; apt-get install cron, or --systemd")
    return subprocess.run(
        [program, *arguments], input=text, capture_output=True, text=True, timeout=60, check=False
    )


def local_zone() -> ZoneInfo:
    """The time zone of this machine's clock, in which cron reads its table."""
    import tzlocal

    return ZoneInfo(tzlocal.get_localzone_name())
