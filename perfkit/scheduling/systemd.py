"""Handing an entry to systemd: a service and a timer, shown first, which can be taken away again.

They call ``perfkit schedule run NAME --due``, which runs the newest slot unless it was run: a call
too many does no harm, so the timer may be wider than the entry's calendar where systemd cannot say
it exactly.
"""

from __future__ import annotations

import datetime as dt
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from perfkit.core.errors import RunError, UsageError
from perfkit.core.files import write_whole
from perfkit.scheduling.after import TELL_S
from perfkit.scheduling.forms import on_calendar
from perfkit.scheduling.schedule_file import Scheduled

Scope = Literal["user", "system"]
UNIT_FOLDERS = {
    "user": Path.home() / ".config" / "systemd" / "user",
    "system": Path("/etc/systemd/system"),
}
YEARS_AHEAD = 6
STOP_EXTRA_S = 120


@dataclass(frozen=True)
class Unit:
    """A unit file: its name and text."""

    name: str
    text: str


def units(scheduled: Scheduled, scope: Scope) -> list[Unit]:
    """The service and the timer. UsageError for a path that a unit file cannot hold."""
    name = f"perfkit-{scheduled.name}"
    title = f"perfkit: scheduled report {scheduled.name}"
    after = (
        "After=network-online.target\nWants=network-online.target\n" if scope == "system" else ""
    )
    # seconds by which a run has ended: waiting for files, the run, telling, and ending
    entry = scheduled.entry
    settle = entry.evidence.settle if entry.evidence else 0
    longest = int(settle + entry.timeout + TELL_S) + STOP_EXTRA_S
    service = f"""# Written by: perfkit schedule install {scheduled.name} --systemd
[Unit]
Description={title}
{after}
[Service]
Type=oneshot
WorkingDirectory={_unit_path(scheduled.file.parent)}
ExecStart={" ".join(map(_unit_word, scheduled.command))}
# done, though criteria are not met: the report is there
SuccessExitStatus=3
# perfkit bounds itself; this is for a perfkit that does not
TimeoutStartSec={longest}
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
        for slot in calendar.slots_on(day, zone):
            wall = slot.astimezone(zone)
            as_written = (
                wall.date() == day
                and wall.hour in calendar.hours
                and wall.minute in calendar.minutes
                and wall.second in calendar.seconds
            )
            if not as_written:
                found[wall.month, f"{wall:%H:%M:%S}"] = None
    return [f"*-{month:02d}-* {time} {zone.key}" for month, time in found]


def _days_with_jump(zone: ZoneInfo) -> Iterator[dt.date]:
    first = dt.datetime.now(zone).date()
    for number in range(366 * YEARS_AHEAD):
        day = first + dt.timedelta(days=number)
        begin = dt.datetime.combine(day, dt.time(), zone)
        end = begin + dt.timedelta(days=1)  # on the wall clock
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
    calls = ["daemon-reload"], ["enable", "--now", paths[1].name]
    return [*notes, *_systemctl(scope, folder, *calls)]


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
    name = f"perfkit-{scheduled.name}"
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
