"""One value for every calendar, whatever form it was written in, and the slots it gives.

Daylight saving: a slot is a time on the wall clock. One that falls into the hour that is skipped
in spring comes at the very moment the clock jumps; one in the hour that is repeated in autumn comes
the first time only. Several that fall on one moment are one slot.
"""

from __future__ import annotations

import datetime as dt
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from zoneinfo import ZoneInfo

FULL = {
    "seconds": frozenset(range(60)),
    "minutes": frozenset(range(60)),
    "hours": frozenset(range(24)),
    "days": frozenset(range(1, 32)),
    "days_from_end": frozenset[int](),
    "months": frozenset(range(1, 13)),
    "weekdays": frozenset(range(7)),
}
"""What a field holds that restricts nothing."""

HORIZON_DAYS = 366 * 41
"""How far ahead a slot is searched: 29 February falls on each weekday once in 40 years at most."""


@dataclass(frozen=True)
class Calendar:
    """When something happens, on the wall clock of a time zone.

    ``weekdays``: 0 is Monday, as in Python's ``date.weekday``. ``days_from_end``: 1 is a month's
    last day; beside ``days`` it adds. ``either``: a day is right when the day of the month or the
    weekday is (cron's rule when both are given), else both must be. ``years`` None: every year.
    """

    seconds: frozenset[int] = frozenset({0})
    minutes: frozenset[int] = frozenset({0})
    hours: frozenset[int] = frozenset({0})
    days: frozenset[int] = FULL["days"]
    days_from_end: frozenset[int] = frozenset()
    months: frozenset[int] = FULL["months"]
    weekdays: frozenset[int] = FULL["weekdays"]
    years: frozenset[int] | None = None
    either: bool = False

    @property
    def once_a_day(self) -> bool:
        """Whether no day has more than one slot, so that the date alone names it."""
        return len(self.seconds) == len(self.minutes) == len(self.hours) == 1

    def full(self, name: str) -> bool:
        """Whether a field restricts nothing."""
        return bool(getattr(self, name) == FULL[name])

    def holds(self, day: dt.date) -> bool:
        """Whether the day has slots."""
        if day.month not in self.months or (self.years is not None and day.year not in self.years):
            return False
        from_end = monthrange(day.year, day.month)[1] - day.day + 1
        of_month = day.day in self.days or from_end in self.days_from_end
        of_week = day.weekday() in self.weekdays
        return (of_month or of_week) if self.either else (of_month and of_week)

    def slots_on(self, day: dt.date, zone: ZoneInfo) -> list[dt.datetime]:
        """The slots of a day, in UTC, in order, each moment once."""
        if not self.holds(day):
            return []
        times = (dt.time(h, m, s) for h in self.hours for m in self.minutes for s in self.seconds)
        return sorted({moment_of(dt.datetime.combine(day, time), zone) for time in times})

    def next_after(self, moment: dt.datetime, zone: ZoneInfo) -> dt.datetime | None:
        """The first slot after a moment, in UTC; None when there is none any more."""
        return next(self.after(moment, zone), None)

    def after(self, moment: dt.datetime, zone: ZoneInfo) -> Iterator[dt.datetime]:
        """The slots after a moment, in UTC, in order."""
        last = moment
        first = moment.astimezone(zone).date() - dt.timedelta(days=1)
        for number in range(HORIZON_DAYS):
            for slot in self.slots_on(first + dt.timedelta(days=number), zone):
                if slot > last:  # a midnight that is skipped gives two days the same moment
                    yield slot
                    last = slot

    def newest_until(self, moment: dt.datetime, zone: ZoneInfo) -> dt.datetime | None:
        """The last slot at or before a moment, in UTC; None when there was none."""
        last = moment.astimezone(zone).date() + dt.timedelta(days=1)
        for number in range(HORIZON_DAYS):
            day = last - dt.timedelta(days=number)
            found = [slot for slot in self.slots_on(day, zone) if slot <= moment]
            if found:
                return found[-1]
        return None


@lru_cache(maxsize=4096)
def moment_of(wall: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """The moment of a wall-clock time, in UTC (see the module for skipped and repeated times)."""
    moment = wall.replace(tzinfo=zone, fold=0).astimezone(dt.UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == wall:
        return moment
    return _jump(wall, zone)


def _jump(wall: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """The moment at which the clock jumps over a wall-clock time."""
    before = wall.replace(tzinfo=zone, fold=0).utcoffset()
    after = wall.replace(tzinfo=zone, fold=1).utcoffset()
    if before is None or after is None:
        raise AssertionError("a zone has an offset at every time")
    utc = wall.replace(tzinfo=dt.UTC)
    early, late = utc - after, utc - before  # the jump lies between these
    while late - early > dt.timedelta(seconds=1):
        middle = (early + (late - early) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == before:
            early = middle
        else:
            late = middle
    return late
