"""Calendars in the two forms people know: systemd's OnCalendar and cron's five fields.

Forms: systemd.time(7), "Calendar events" (252), as ``systemd-analyze calendar`` takes them;
crontab(5) of Vixie cron. What either would refuse is an error here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from perfkit.core.stats import spans
from perfkit.scheduling.calendar import FULL, Calendar

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
LONG_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FIRST_YEAR, LAST_YEAR = 1970, 2199

SYSTEMD_WORDS = {
    "minutely": "*-*-* *:*:00",
    "hourly": "*-*-* *:00:00",
    "daily": "*-*-* 00:00:00",
    "weekly": "Mon *-*-* 00:00:00",
    "monthly": "*-*-01 00:00:00",
    "quarterly": "*-01,04,07,10-01 00:00:00",
    "semiannually": "*-01,07-01 00:00:00",
    "yearly": "*-01-01 00:00:00",
    "annually": "*-01-01 00:00:00",
}
CRON_WORDS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
CRON_FIELDS = 5


@dataclass(frozen=True)
class Parsed:
    """A calendar, and the time zone that was written behind it (systemd's form only)."""

    calendar: Calendar
    zone: str | None = None


def parse(text: str) -> Parsed:
    """A calendar from either form: five fields or ``@daily`` are cron's, all else systemd's.

    Raises ValueError that names what is not understood.
    """
    words = text.split()
    if not words:
        raise ValueError("a calendar is empty; write it as 'Mon..Fri 06:00' or '0 6 * * 1-5'")
    if words[0].startswith("@"):
        if text.strip() not in CRON_WORDS:
            raise ValueError(f"{text!r} is not a calendar; known: {', '.join(CRON_WORDS)}")
        words = CRON_WORDS[text.strip()].split()
    if len(words) >= CRON_FIELDS:
        return Parsed(_cron(text, words))
    return _systemd(text, words)


# cron


def _cron(text: str, words: list[str]) -> Calendar:
    if len(words) != CRON_FIELDS:
        raise ValueError(f"{text!r}: cron has five fields, and these are {len(words)}")
    minute, hour, day, month, weekday = words
    numbered = _cron_field(weekday, 0, 7, "weekday", ("sun", *(d.lower() for d in WEEKDAYS)))
    return Calendar(
        minutes=_cron_field(minute, 0, 59, "minute"),
        hours=_cron_field(hour, 0, 23, "hour"),
        days=_cron_field(day, 1, 31, "day of the month"),
        months=_cron_field(month, 1, 12, "month", ("", *MONTHS)),
        # cron counts from Sunday, which is 0 and 7
        weekdays=frozenset((number - 1) % 7 for number in numbered),
        either=not (day.startswith("*") or weekday.startswith("*")),
    )


def _cron_field(
    text: str, low: int, high: int, name: str, names: tuple[str, ...] = ()
) -> frozenset[int]:
    values: set[int] = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        if slash and (not step.isascii() or not step.isdecimal() or int(step) == 0):
            raise ValueError(f"{name} {part!r}: the step is not a number above 0")
        if span == "*":
            first, last = low, high
        else:
            begin, dash, end = span.partition("-")
            first = _cron_number(begin, low, high, name, names)
            last = _cron_number(end, low, high, name, names) if dash else first
            if slash and not dash:
                raise ValueError(f"{name} {part!r}: cron takes a step behind * or a range only")
            # "fri-sun": a week that ends on Sunday is meant, though its first number is 0
            last = 7 if dash and last == 0 < first and name == "weekday" else last
        if first > last:
            raise ValueError(f"{name} {part!r}: runs backward")
        values.update(range(first, last + 1, int(step) if slash else 1))
    if name == "weekday" and text == "*":
        return frozenset(range(7))
    return frozenset(values)


def _cron_number(text: str, low: int, high: int, name: str, names: tuple[str, ...]) -> int:
    if text.lower() in names and text:
        return names.index(text.lower())
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"{name} {text!r} is not a number{' or three-letter name' * bool(names)}")
    if not low <= int(text) <= high:
        raise ValueError(f"{name} {text} is not within {low} to {high}")
    return int(text)


# systemd


def _systemd(text: str, words: list[str]) -> Parsed:
    zone = None
    if len(words) > 1 and re.fullmatch(r"UTC|[A-Za-z]+/[A-Za-z0-9_+/-]+", words[-1]):
        zone = words.pop()
    if len(words) == 1 and words[0].lower() in SYSTEMD_WORDS:
        words = SYSTEMD_WORDS[words[0].lower()].split()
    calendar, rest = Calendar(), list(words)
    if rest and rest[0][0].isalpha():
        calendar = replace(calendar, weekdays=_weekdays(rest.pop(0)))
    if rest and ":" not in rest[0]:
        calendar = _on_date(calendar, rest.pop(0))
    if rest and ":" in rest[0]:
        calendar = _at_time(calendar, rest.pop(0))
    if rest:
        raise ValueError(
            f"{text!r} is not a calendar: {rest[0]!r} is not understood; "
            "write it as 'Mon..Fri 06:00' or '0 6 * * 1-5'"
        )
    return Parsed(calendar, zone)


def _weekdays(text: str) -> frozenset[int]:
    values: set[int] = set()
    for part in text.split(","):
        first, _, last = part.replace("..", "-").partition("-")
        begin = _weekday(first)
        end = _weekday(last) if last else begin
        if begin > end:
            raise ValueError(f"weekdays {part!r}: run backward (a week begins on Monday)")
        values.update(range(begin, end + 1))
    return frozenset(values)


def _weekday(text: str) -> int:
    for names in (tuple(day.lower() for day in WEEKDAYS), LONG_WEEKDAYS):
        if text.lower() in names:
            return names.index(text.lower())
    raise ValueError(f"{text!r} is not a weekday; known: {', '.join(WEEKDAYS)}")


def _on_date(calendar: Calendar, text: str) -> Calendar:
    matched = re.fullmatch(r"(?:([^~-]+)-)?([^~-]+)([~-])([^~-]+)", text)
    if matched is None:
        raise ValueError(
            f"{text!r} is not a date; write it as *-*-01, 12-24 or *-*~1 (the last day)"
        )
    year, month, sign, day = matched.groups()
    every_year = year in {None, "*"}
    calendar = replace(
        calendar,
        months=_numbers(month, 1, 12, "month"),
        years=None if every_year else _numbers(year, FIRST_YEAR, LAST_YEAR, "year"),
    )
    if sign == "-":
        return replace(calendar, days=_numbers(day, 1, 31, "day"))
    return replace(calendar, days=frozenset(), days_from_end=_from_end(day))


def _from_end(text: str) -> frozenset[int]:
    """Days counted from a month's end; ``07/1`` is every day from the seventh last on."""
    values: set[int] = set()
    for part in text.split(","):
        start, slash, step = part.partition("/")
        if slash and (".." in start or not step.isdecimal() or int(step) == 0):
            raise ValueError(f"day ~{part}: a step follows one day, such as ~07/1")
        numbers = _numbers(start, 1, 28, "day before the month's end")
        values.update(range(max(numbers), 0, -int(step)) if slash else numbers)
    return frozenset(values)


def _at_time(calendar: Calendar, text: str) -> Calendar:
    if not re.fullmatch(r"[^:]+:[^:]+(:[^:]+)?", text):
        raise ValueError(f"{text!r} is not a time; write it as 06:00 or 06:00:30")
    hours, minutes, seconds = [*text.split(":"), "0"][:3]
    return replace(
        calendar,
        hours=_numbers(hours, 0, 23, "hour"),
        minutes=_numbers(minutes, 0, 59, "minute"),
        seconds=_numbers(seconds, 0, 59, "second"),
    )


def _numbers(text: str, low: int, high: int, name: str) -> frozenset[int]:
    """``*``, ``1,3..5``, ``0/15`` (from 0 on, every 15), ``1..9/2`` as systemd takes them."""
    if text == "*":
        return frozenset(range(low, high + 1))
    values: set[int] = set()
    for part in text.split(","):
        matched = re.fullmatch(r"([0-9]+)(?:\.\.([0-9]+))?(?:/([0-9]+))?", part)
        if matched is None:
            raise ValueError(f"{name} {part!r} is not understood; write 3, 1..5, 0/15 or *")
        first, last, step = (None if item is None else int(item) for item in matched.groups())
        if first is None or step == 0:
            raise ValueError(f"{name} {part!r}: a step is above 0")
        end = last if last is not None else (high if step else first)
        if not low <= first <= end <= high:
            raise ValueError(f"{name} {part!r} is not within {low} to {high}, or runs backward")
        values.update(range(first, end + 1, step or 1))
    return frozenset(values)


# written back


def on_calendar(calendar: Calendar, zone: str) -> list[str]:
    """The calendar as systemd's ``OnCalendar`` values; a timer elapses at each of them.

    Several where one cannot say it: days counted from both ends, or cron's "either".
    """
    weekdays = "" if calendar.full("weekdays") else _list(calendar.weekdays, name=WEEKDAYS) + " "
    ends = [f"-{_star(calendar, 'days')}"] if calendar.days else []
    # each in a value of its own: systemd (252) takes ~01 and ~26, but not ~01,26
    ends += [f"~{day:02d}" for day in sorted(calendar.days_from_end)]
    years = "*" if calendar.years is None else _list(calendar.years, "d")
    month = f"{years}-{_star(calendar, 'months')}"
    parts = (_star(calendar, name) for name in ("hours", "minutes", "seconds"))
    time = f"{':'.join(parts)} {zone}"
    if calendar.either:
        by_day = [f"{month}{end} {time}" for end in ends]
        return [*by_day, f"{weekdays}{month}-* {time}"]
    return [f"{weekdays}{month}{end} {time}" for end in ends]


def cron_fields(calendar: Calendar) -> str:
    """The calendar as cron's five fields, exactly.

    Raises ValueError saying what cron cannot express.
    """
    days, weekdays = not calendar.full("days"), not calendar.full("weekdays")
    refused = {
        "cron has no seconds": calendar.seconds != {0},
        "cron has no years": calendar.years is not None,
        "cron does not count days from a month's end": bool(calendar.days_from_end),
        "cron runs when the day of the month or the weekday fits, not when both do": (
            days and weekdays and not calendar.either
        ),
    }
    for reason, holds in refused.items():
        if holds:
            raise ValueError(reason)
    star = not calendar.either
    cron_weekdays = frozenset((day + 1) % 7 for day in calendar.weekdays)
    return " ".join(
        [
            _cron_list(calendar.minutes, FULL["minutes"]),
            _cron_list(calendar.hours, FULL["hours"]),
            _cron_list(calendar.days, FULL["days"], star=star),
            _cron_list(calendar.months, FULL["months"]),
            _cron_list(cron_weekdays, FULL["weekdays"], star=star),
        ]
    )


def _cron_list(values: frozenset[int], full: frozenset[int], *, star: bool = True) -> str:
    if star and values == full:
        return "*"
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in spans(values))


def _star(calendar: Calendar, name: str) -> str:
    return "*" if calendar.full(name) else _list(getattr(calendar, name))


def _list(values: frozenset[int], form: str = "02d", name: tuple[str, ...] = ()) -> str:
    def shown(value: int) -> str:
        return name[value] if name else format(value, form)

    return ",".join(f"{shown(a)}..{shown(b)}" if a != b else shown(a) for a, b in spans(values))
