"""Slots on the wall clock, through both changes of the clock."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.scheduling.calendar import moment_of
from perfkit.scheduling.forms import parse

OSLO = ZoneInfo("Europe/Oslo")


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def on(text: str, day: str, zone: ZoneInfo = OSLO) -> list[str]:
    found = parse(text).calendar.slots_on(dt.date.fromisoformat(day), zone)
    return [f"{slot:%d %H:%M}" for slot in found]


def test_a_slot_in_the_skipped_hour_comes_right_after():
    """On 2026-03-29 the clock jumps from 02:00 to 03:00, which is 01:00 UTC."""
    assert on("02:30", "2026-03-28") == ["28 01:30"]
    assert on("02:30", "2026-03-29") == ["29 01:00"]
    assert on("02:30", "2026-03-30") == ["30 00:30"]


def test_slots_that_fall_on_one_moment_are_one():
    """Every 20 minutes: three of the skipped hour and 03:00 itself are one slot."""
    assert on("1..3:0/20", "2026-03-29") == [
        "29 00:00", "29 00:20", "29 00:40", "29 01:00", "29 01:20", "29 01:40",
    ]  # fmt: skip


def test_a_slot_in_the_repeated_hour_comes_once():
    """On 2026-10-25 02:30 is there twice: the first counts, also for an hourly calendar."""
    assert on("02:30", "2026-10-25") == ["25 00:30"]
    assert on("1..4:00", "2026-10-25") == ["24 23:00", "25 00:00", "25 02:00", "25 03:00"]


def test_odd_clocks():
    """Half an hour (Lord Howe), a jump over midnight (Beirut), a whole day left out (Samoa)."""
    howe = on("2:0/15", "2026-10-04", ZoneInfo("Australia/Lord_Howe"))
    assert howe == ["03 15:30", "03 15:45"]  # 02:00 and 02:15 are skipped: at 02:30, which is one
    assert on("00:15", "2026-03-29", ZoneInfo("Asia/Beirut")) == ["28 22:00"]
    assert on("12:00", "2011-12-30", ZoneInfo("Pacific/Apia")) == ["30 10:00"]


def test_midnights_that_are_one_moment_are_one_slot():
    """The day left out in Samoa ends where the next begins: one slot, not two."""
    zone, calendar = ZoneInfo("Pacific/Apia"), parse("00:00").calendar
    slots = calendar.after(utc("2011-12-29 00:00"), zone)
    assert [f"{next(slots):%d %H:%M}" for _ in range(3)] == ["29 10:00", "30 10:00", "31 10:00"]


def test_the_newest_slot_counts_when_it_is_now():
    """At 06:00 sharp the slot of 06:00 is there; a second before it is yesterday's."""
    calendar = parse("06:00").calendar
    assert calendar.newest_until(utc("2026-11-21 05:00"), OSLO) == utc("2026-11-21 05:00")
    assert calendar.newest_until(utc("2026-11-21 04:59:59"), OSLO) == utc("2026-11-20 05:00")
    assert calendar.next_after(utc("2026-11-21 05:00"), OSLO) == utc("2026-11-22 05:00")


ZONES = ["Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Asia/Beirut"]
FIRST, LAST = map(dt.datetime.fromisoformat, ("2025-01-01", "2029-01-01"))
MOMENTS = st.datetimes(FIRST, LAST, timezones=st.just(dt.UTC))


@given(
    MOMENTS,
    st.sampled_from(ZONES),
    st.sampled_from(["02:30", "0..3:0/20", "Mon 00:00", "*-*~1 02:00", "*:59"]),
)
def test_forward_and_backward_agree(moment, zone, text):
    """Between a slot and the next there is none: found from either side."""
    calendar, place = parse(text).calendar, ZoneInfo(zone)
    following = calendar.next_after(moment, place)
    newest = calendar.newest_until(moment, place)
    assert newest <= moment < following
    assert calendar.next_after(newest, place) == following
    assert calendar.newest_until(following, place) == following
    assert calendar.newest_until(following - dt.timedelta(seconds=1), place) == newest


@given(st.datetimes(FIRST, LAST), st.sampled_from(ZONES))
def test_a_time_that_exists_keeps_its_wall_clock(wall, zone):
    """Its moment shows the same wall clock; one that is skipped lies at the jump."""
    wall, place = wall.replace(microsecond=0), ZoneInfo(zone)
    moment = moment_of(wall, place)
    shown = moment.astimezone(place).replace(tzinfo=None)
    if shown != wall:
        second = dt.timedelta(seconds=1)
        before = (moment - second).astimezone(place).replace(tzinfo=None)
        assert before < wall < shown
        assert shown - before > second


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_has_each_day_once(zone):
    """02:30 every day of a year: 365 slots, in order, none twice."""
    calendar, place = parse("02:30").calendar, ZoneInfo(zone)
    found = []
    for slot in calendar.after(moment_of(dt.datetime.fromisoformat("2026-01-01"), place), place):
        if slot >= moment_of(dt.datetime.fromisoformat("2027-01-01"), place):
            break
        found.append(slot)
    assert len(found) == 365
    assert len({slot.astimezone(place).date() for slot in found}) == 365
