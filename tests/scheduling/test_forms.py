"""Calendars in systemd's and cron's form: one value, read back by the tools themselves."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import subprocess
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.scheduling.calendar import Calendar
from perfkit.scheduling.forms import cron_fields, on_calendar, parse

UTC = ZoneInfo("UTC")
BASE = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on this machine"
)


def slots(calendar: Calendar, count: int, base: dt.datetime = BASE) -> list[dt.datetime]:
    found = calendar.after(base, UTC)
    return [slot for slot, _ in zip(found, range(count), strict=False)]


@pytest.mark.parametrize(
    ("systemd", "cron"),
    [
        ("Mon..Fri 06:00", "0 6 * * 1-5"),
        ("Mon-Fri 06:00", "0 6 * * mon-fri"),
        ("Sun 06:00", "0 6 * * 0"),
        ("Sun 06:00", "0 6 * * 7"),
        ("sunday 06:00", "0 6 * * SUN"),
        ("Sat,Sun 06:00", "0 6 * * sat-sun"),
        ("Fri..Sun 06:00", "0 6 * * 5-7"),
        ("*:0/15", "*/15 * * * *"),
        ("*-*-1 0:0", "@monthly"),
        ("hourly", "@hourly"),
        ("daily", "@midnight"),
        ("Sun *-*-*", "@weekly"),
        ("*-01,07-* 4,16:30", "30 4,16 * jan,jul *"),
        ("0..20/5:10", "10 0-20/5 * * *"),
        ("Sun,Tue,Thu,Sat 00:00", "0 0 * * */2"),
    ],
)
def test_both_forms_of_one_calendar_are_one_value(systemd, cron):
    """0 and 7 are Sunday, 1 is Monday, names mean what they say."""
    assert parse(systemd) == parse(cron)


@pytest.mark.parametrize("number", range(8))
def test_cron_weekday_numbers(number):
    """0 is Sunday, as 7 is; APScheduler's own cron form would begin at Monday."""
    day = slots(parse(f"0 0 * * {number}").calendar, 1)[0]
    assert f"{day:%a}" == ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][number]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("0 6 * * 8", "weekday 8 is not within 0 to 7"),
        ("0 6 * * mo", "weekday 'mo' is not a number or three-letter name"),
        ("0 6 * * 5-1", "runs backward"),
        ("60 6 * * *", "minute 60 is not within 0 to 59"),
        ("5/15 * * * *", "a step behind * or a range only"),
        ("*/0 * * * *", "not a number above 0"),
        ("0 6 * * * *", "five fields, and these are 6"),
        ("0 6 L * *", "'L' is not a number"),
        ("@reboot", "'@reboot' is not a calendar"),
        ("Sat..Mon 06:00", "run backward"),
        ("Mo 06:00", "'Mo' is not a weekday"),
        ("24:00", "'24' is not within 0 to 23"),
        ("22..4:00", "runs backward"),
        ("06", "'06' is not a date"),
        ("*-13-01", "month '13' is not within 1 to 12"),
        ("*-*~29", "not within 1 to 28"),
        ("06:00:00.5", "second '00.5' is not understood"),
        ("*:0/0", "a step is above 0"),
        ("Mon 06:00 06:00", "'06:00' is not understood"),
        ("6:00 tomorrow", "'tomorrow' is not understood"),
        (":30", "is not a time"),
    ],
)
def test_what_is_no_calendar_is_named(text, words):
    """The message says which part is not understood."""
    with pytest.raises(ValueError, match=re.escape(words)):
        parse(text)


def test_days_from_the_end_and_cron_either():
    """~1 is a month's last day; Mon ~07/1 its last Monday; cron's two day fields mean "or"."""
    last = [day.day for day in slots(parse("*-*~1").calendar, 3)]
    assert last == [31, 28, 31]
    mondays = [day.date().isoformat() for day in slots(parse("Mon *-05~07/1").calendar, 2)]
    assert mondays == ["2026-05-25", "2027-05-31"]
    either = [day.day for day in slots(parse("0 0 13 * 5").calendar, 4)]
    assert either == [2, 9, 13, 16]  # Fridays, and Tuesday the 13th
    both = [day.day for day in slots(parse("Fri *-*-13").calendar, 1)]
    assert both == [13]


def test_a_calendar_that_never_comes_ends():
    """30 February: no slot, and no endless search; 29 February on a Monday comes in 2044."""
    assert parse("*-02-30").calendar.next_after(BASE, UTC) is None
    assert parse("2020-01-01").calendar.next_after(BASE, UTC) is None
    leap = parse("Mon *-02-29").calendar.next_after(BASE, UTC)
    assert leap == dt.datetime(2044, 2, 29, tzinfo=dt.UTC)
    assert parse("Mon *-02-29").calendar.newest_until(BASE, UTC).year == 2016


def numbers(low: int, high: int) -> st.SearchStrategy[frozenset[int]]:
    return st.frozensets(st.integers(low, high), min_size=1, max_size=5)


def field(low: int, high: int) -> st.SearchStrategy[frozenset[int]]:
    return st.just(frozenset(range(low, high + 1))) | numbers(low, high)


CALENDARS = st.builds(
    Calendar,
    seconds=st.just(frozenset({0})) | numbers(0, 59),
    minutes=field(0, 59),
    hours=field(0, 23),
    days=st.just(frozenset(range(1, 32))) | st.just(frozenset({1})) | numbers(1, 31),
    days_from_end=st.just(frozenset()) | numbers(1, 28),
    months=field(1, 12),
    weekdays=field(0, 6),
    years=st.none() | numbers(2026, 2032),
)


@given(CALENDARS)
def test_what_is_written_for_systemd_is_read_back_as_the_same_slots(calendar):
    """on_calendar and parse are each other's inverse."""
    written = [parse(text) for text in on_calendar(calendar, "Europe/Oslo")]
    assert {each.zone for each in written} == {"Europe/Oslo"}
    union = sorted({slot for each in written for slot in slots(each.calendar, 5)})[:5]
    assert union == slots(calendar, 5)


@needs_systemd
@settings(max_examples=25)
@given(CALENDARS)
def test_systemd_reads_the_same_slots(calendar):
    """systemd-analyze names the very next slots that we name (UTC: no clock jumps)."""
    found: set[dt.datetime] = set()
    for text in on_calendar(calendar, "UTC"):
        argv = ["systemd-analyze", "calendar", "--base-time=2026-01-01 00:00:00 UTC"]
        done = subprocess.run(
            [*argv, "--iterations=4", text], capture_output=True, text=True, check=True,
            env={"TZ": "UTC", "LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        stamps = re.findall(
            r"(?:elapse|#\d+): \w+ (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC", done.stdout
        )
        found |= {dt.datetime.fromisoformat(s).replace(tzinfo=dt.UTC) for s in stamps}
    assert sorted(found)[:4] == slots(calendar, 4)


@given(
    st.builds(
        Calendar,
        minutes=field(0, 59), hours=field(0, 23), days=field(1, 31), months=field(1, 12),
        weekdays=field(0, 6), either=st.booleans(),
    )
)  # fmt: skip
def test_a_cron_library_reads_the_lines_we_write(calendar):
    """cronsim gives the slots of the calendar; what cron cannot say is an error that says why."""
    from cronsim import CronSim

    try:
        line = cron_fields(calendar)
    except ValueError:
        both = not calendar.full("days") and not calendar.full("weekdays")
        assert both
        assert not calendar.either
        return
    theirs = CronSim(line, BASE.replace(tzinfo=None))
    wanted = [slot.replace(tzinfo=None) for slot in slots(calendar, 4)]
    assert [next(theirs) for _ in wanted] == wanted
    assert slots(parse(line).calendar, 4) == slots(calendar, 4)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("06:00:30", "no seconds"),
        ("2027-*-* 06:00", "no years"),
        ("*-*~1 06:00", "month's end"),
        ("Mon *-*-1 06:00", "not when both do"),
    ],
)
def test_what_cron_cannot_say_is_refused(text, why):
    with pytest.raises(ValueError, match=why):
        cron_fields(parse(text).calendar)
