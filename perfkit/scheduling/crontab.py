"""Handing an entry to cron: lines between markers in the user's crontab.

They call ``perfkit schedule run NAME --due``, which runs the newest slot unless it was run: a call
too many does no harm, so the lines may be wider than the entry's calendar where cron cannot say it
exactly.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from perfkit.core.errors import MissingPartError, RunError, UsageError
from perfkit.scheduling.calendar import FULL, Calendar
from perfkit.scheduling.forms import cron_fields

if TYPE_CHECKING:
    from perfkit.scheduling.schedule_file import Scheduled

YEARS_AHEAD = 6
"""How far the clocks of two zones are compared."""


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
    call = shlex.join(scheduled.command).replace("%", "\\%")
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
    # on another clock the day may differ: every slot is covered, and more
    times = {
        (hour * 60 + minute + shift) % (24 * 60)
        for hour, minute, shift in itertools.product(calendar.hours, calendar.minutes, shifts)
    }
    hours, minutes = {time // 60 for time in times}, {time % 60 for time in times}
    moved = Calendar(minutes=frozenset(minutes), hours=frozenset(hours))
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
