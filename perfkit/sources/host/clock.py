"""Times as the host's tools print them: in the forms of several locales, mostly without a zone.

A date such as 05/06/2026 has two readings. The order of day and month is taken from the file where
anything in it decides (a number above 12, days that follow each other); otherwise ``time`` is null
and a warning says which argument settles it. Times relative to the beginning need no such choice.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from perfkit.sources.printed_times import hour_of_day

DateOrder = Literal["mdy", "dmy"]
ORDERS: tuple[DateOrder, ...] = ("mdy", "dmy")

DAY_S = 86400
HALF_DAY_S = DAY_S / 2
_CENTURY, _TWO_DIGITS = 2000, 100
_LAST = (23, 59, 60)
"""Hour, minute and second; there are leap seconds."""
_LONGEST_DAYS = 27
"""A month is longer: a wrong order of day and month tears following days so far apart."""

_DATE = r"\d{1,4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,4}日?\.?"
_TIME = r"\d{1,2}[:時时.h]\d{2}[:分.m]\d{2}[秒s]?(?:\s[AaPp]\.?[Mm]\.?)?"
_ZONE = r"Z|[+-]\d{2}:?\d{2}|[A-Z]{2,5}"
DATE_TEXT = re.compile(_DATE)
ROW_TIME = re.compile(rf"(?P<time>{_TIME}|\d{{9,10}})(?=\s|$)")
"""The time at the beginning of a row of mpstat and sar."""

_WORD = r"[^\W\d_]+\s?:\s+"
"""Before the time alone: "Time: " of iostat up to 9.0, in the host's language."""

_STAMP = re.compile(rf"(?:(?P<date>{_DATE})[ T]+|{_WORD})(?P<time>{_TIME})\s*(?P<zone>{_ZONE})?$")
_EPOCH = re.compile(r"\d{9,10}$")
_PARTS = re.compile(r"\d+")
_EPOCH_START = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - naive, the zone stands beside it

Dates = dict[DateOrder, dt.date]
"""A printed date in each order of day and month in which it is one."""


@dataclass(frozen=True)
class Stamp:
    """A printed time: the readings of its date (None: none), second of the day, zone."""

    dates: tuple[tuple[DateOrder, dt.date], ...] | None
    second: float
    zone: str | None = None

    def day(self, order: DateOrder) -> dt.date | None:
        """The day in one order."""
        return dict(self.dates or ()).get(order)

    def earlier(self, seconds: float | None) -> Stamp | None:
        """The time so many seconds before, where it lies on the same day."""
        if seconds is None or seconds > self.second:
            return None
        return replace(self, second=self.second - seconds)


def dates_of(text: str) -> Dates:
    """The readings of a date; none if it is not a date."""
    if not DATE_TEXT.fullmatch(text):
        return {}
    first, second, third = map(int, _PARTS.findall(text))
    if text[:4].isdecimal():  # the year comes first
        day = _date(first, second, third)
        return {"mdy": day, "dmy": day} if day else {}
    year = third if third >= _TWO_DIGITS else _CENTURY + third
    if "." in text or "-" in text:
        day = _date(year, second, first)
        return {"mdy": day, "dmy": day} if day else {}
    readings: Dates = {}
    pairs: dict[DateOrder, tuple[int, int]] = {"mdy": (first, second), "dmy": (second, first)}
    for order, (month, day_of_month) in pairs.items():
        day = _date(year, month, day_of_month)
        if day:
            readings[order] = day
    return readings


def _date(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def second_of_day(text: str) -> float | None:
    """Seconds since midnight; None where the text is not a time."""
    if not re.fullmatch(_TIME, text):
        return None
    printed, minute, second = map(int, _PARTS.findall(text))
    half = re.search(r"[AaPp]", text)
    hour = hour_of_day(printed, half[0]) if half else printed
    if hour is None or any(a > b for a, b in zip((hour, minute, second), _LAST, strict=True)):
        return None
    return float(hour * 3600 + minute * 60 + second)


def stamp_of(text: str) -> Stamp | None:
    """A line or field that is a time, with or without a date; None for anything else."""
    text = text.strip()
    if _EPOCH.match(text):
        return from_epoch(int(text))
    found = _STAMP.match(text)
    second = second_of_day(found["time"].strip()) if found else None
    if found is None or second is None:
        return None
    if found["date"] is None:
        return Stamp(None, second, found["zone"])
    readings = dates_of(found["date"])
    zone = "UTC" if found["zone"] == "Z" else found["zone"]
    return Stamp(tuple(readings.items()), second, zone) if readings else None


def row_stamp(text: str) -> Stamp | None:
    """The time at the beginning of a row: of the day, or in seconds since 1970."""
    text = text.strip()
    if _EPOCH.match(text):
        return from_epoch(int(text))
    second = second_of_day(text)
    return None if second is None else Stamp(None, second)


def from_epoch(seconds: int) -> Stamp:
    """Seconds since 1970 in UTC."""
    when = _EPOCH_START + dt.timedelta(seconds=seconds)
    day = when.date()
    of_day = float(seconds % DAY_S)
    return Stamp((("mdy", day), ("dmy", day)), of_day, "UTC")


@dataclass(frozen=True)
class Times:
    """The times of one table's reports: for each the moment and the seconds since the beginning."""

    moments: tuple[dt.datetime | None, ...]
    seconds: tuple[float | None, ...]
    zones: tuple[str | None, ...]


def order_of(dates: Sequence[Dates], given: DateOrder | None) -> DateOrder | None:
    """The order of day and month in a file's dates; None where nothing decides.

    A ``given`` order counts if every date is one in it.
    """
    fits = [order for order in ORDERS if all(order in readings for readings in dates)]
    if given is not None:
        return given if given in fits else None
    if len(fits) <= 1 or all(readings["mdy"] == readings["dmy"] for readings in dates):
        return fits[0] if fits else None
    near = [
        order
        for order in fits
        if all(abs((b[order] - a[order]).days) <= _LONGEST_DAYS for a, b in pairwise(dates))
    ]
    return near[0] if len(near) == 1 else None


def line_up(
    stamps: Sequence[Stamp | None], start: Stamp | None, header: Dates, order: DateOrder | None
) -> Times:
    """Moments and seconds since ``start`` (or the first stamp) of stamps in the order printed.

    Where the rows have no date, the header's counts, and a time that falls back by more than half
    a day begins the next day. ``order`` None leaves the moments null.
    """
    printed = (order for stamp in stamps if stamp for order, _ in stamp.dates or ())
    counted = order or next(iter(header), None) or next(printed, None)
    days = _Days(header.get(counted) if counted else None)
    begin = days.at(start, counted) if start else None
    placed = [days.at(stamp, counted) if stamp else None for stamp in stamps]
    zero = begin if begin is not None else next((p for p in placed if p is not None), None)
    known = order is not None
    return Times(
        tuple(_moment(place) if known and days.dated else None for place in placed),
        tuple(None if p is None or zero is None else p - zero for p in placed),
        tuple(stamp.zone if stamp else None for stamp in stamps),
    )


class _Days:
    """Counts seconds since year 1, day by day where the rows print only the time."""

    def __init__(self, first: dt.date | None) -> None:
        self.dated = first is not None
        self._day = first.toordinal() if first else 0
        self._before: float | None = None

    def at(self, stamp: Stamp, order: DateOrder | None) -> float:
        day = stamp.day(order) if order else None
        if day is not None:
            self.dated = True
            return day.toordinal() * float(DAY_S) + stamp.second
        if self._before is not None and stamp.second < self._before - HALF_DAY_S:
            self._day += 1
        self._before = stamp.second
        return self._day * float(DAY_S) + stamp.second


def _moment(place: float | None) -> dt.datetime | None:
    if place is None:
        return None
    day, second = divmod(place, DAY_S)
    midnight = dt.datetime.combine(dt.date.fromordinal(int(day)), dt.time())
    return midnight + dt.timedelta(seconds=second)
