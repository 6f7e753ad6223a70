"""The time axis of a series: where its ticks stand, and what a period is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfkit.core.schema import Row

TICK_PX = 74.0
"""From one tick to the next at least: the room of "23 Dec 2023"."""

_MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720)
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)
_DAY = timedelta(days=1)
_MONTH = timedelta(days=30)


def ticks(begin: datetime, end: datetime, px: float) -> list[tuple[datetime, str]]:
    """Round times from begin to end with their labels: the date where the day changes.

    There are at most as many as have room in ``px`` pixels.
    """
    least = (end - begin) / max(1.0, px / TICK_PX)
    steps = [*(timedelta(minutes=n) for n in _MINUTES), *(timedelta(days=n) for n in _DAYS)]
    step = next((step for step in steps if step >= least), None)
    times = list(_every(begin, end, step) if step else _months(begin, end, least))
    within_days = step is not None and step < _DAY
    before = [None, *times]
    return [
        (at, _label(at, last, hours=within_days)) for at, last in zip(times, before, strict=False)
    ]


def _every(begin: datetime, end: datetime, step: timedelta) -> Iterator[datetime]:
    """Multiples of the step since midnight, or of days since the first of all days."""
    start = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    if step >= _DAY:
        start = start.replace(year=1, month=1, day=1)
    at = start + -(-(begin - start) // step) * step
    while at <= end:
        yield at
        at += step


def _months(begin: datetime, end: datetime, least: timedelta) -> Iterator[datetime]:
    """The first days of months."""
    first = begin.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    step = next((n for n in _MONTHS if n * _MONTH >= least), _MONTHS[-1])
    for month in range(begin.year * 12, end.year * 12 + 12, step):
        at = first.replace(year=month // 12, month=month % 12 + 1)
        if begin <= at <= end:
            yield at


def _label(at: datetime, before: datetime | None, *, hours: bool) -> str:
    """The time of day with the date where it is another one, or the date with its year."""
    new_year = before is None or before.year != at.year
    if hours:
        if before is not None and before.date() == at.date():
            return f"{at:%H:%M}"
        return f"{at:%H:%M}<br>{_date(at)}{f' {at.year}' if new_year else ''}"
    return f"{_date(at)}{f'<br>{at.year}' if new_year else ''}"


def _date(at: datetime) -> str:
    return f"{at.day} {at:%b}"


def moment(at: datetime) -> str:
    """A time in words: 23 December 2023, 17:30."""
    return f"{at.day} {at:%B} {at.year}, {at:%H:%M}"


def interval(begin: datetime, end: datetime) -> str:
    """From when to when, in words; the day once where both are of one."""
    if begin.date() == end.date():
        return f"{begin.day} {begin:%B} {begin.year}, {begin:%H:%M} to {end:%H:%M}"
    return f"{moment(begin)} to {moment(end)}"


def whole(rows: Sequence[Row]) -> str:
    """The interval of all periods, and how many they are."""
    count = len(rows)
    told = interval(rows[0]["begin_time"], max(row["end_time"] for row in rows))
    return f"{count:,} {'period' if count == 1 else 'periods'}, {told}"
