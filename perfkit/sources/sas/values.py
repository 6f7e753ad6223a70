"""The values in a block: times, sizes, counts and times of day, as SAS prints them."""

from __future__ import annotations

import re
from datetime import datetime

from perfkit.core.units import GIB, KIB, LARGEST_INTEGER, MIB
from perfkit.sources.printed_times import hour_of_day, local_time

_CLOCK = re.compile(
    r"(?:(?:(?P<h>\d+):)?(?P<m>\d{1,3}):)?(?P<s>\d+(?:[.,]\d+)?|[.,]\d+)\s*(?P<word>\D*)$"
)
_SIZE = re.compile(r"(?P<n>\d+(?:[.,]\d+)?)\s*(?P<unit>[kKmMgG])(?:[bB]|\s|$)")
_GROUPED = re.compile(r"[1-9]\d{0,2},\d{3}$")
"""1,234: a thousand or one? SAS prints hundredths behind a decimal comma, so nothing says which."""
_COUNT = re.compile(r"\d{1,19}$")
_STAMP = re.compile(
    r"(\d{1,2})/(\d{1,2})/(\d{4})\s+(\d{1,2}):(\d{2}):(\d{2})(?:\.\d+)?\s*([AP])\.?M\.?$", re.I
)
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})")
_FACTORS = {"k": KIB, "m": MIB, "g": GIB}
_MINUTE = 60


def seconds(text: str, words: frozenset[str]) -> float | None:
    """``2.52 seconds``, ``1:15.47``, ``1:15:47.42``, ``0,03 Sekunden``; None for another form.

    The unit is missing from one minute on, and in copies below it too.
    """
    found = _CLOCK.match(text)
    if not found:
        return None
    hours, minutes, part, word = found.groups()
    if word.strip() and word.strip().casefold() not in words:
        return None
    number = float(part.replace(",", "."))
    if minutes is None:
        return None if _GROUPED.match(part) else number
    if number >= _MINUTE or (hours is not None and int(minutes) >= _MINUTE):
        return None
    # hundredths added up as integers: 1:15.47 is 75.47, to the last bit as 75.47 is read
    whole, _, rest = part.replace(",", ".").partition(".")
    total = int(hours or 0) * 3600 + int(minutes) * 60 + int(whole or 0)
    return float(f"{total}.{rest or 0}")


def size(text: str) -> float | None:
    """Bytes of ``10610.21k``, ``33 K``, ``1.41 M``, ``4320K (157K data ...)``; K is 1024."""
    found = _SIZE.match(text)
    if not found or _GROUPED.match(found["n"]):
        return None
    return float(found["n"].replace(",", ".")) * _FACTORS[found["unit"].lower()]


def count(text: str) -> int | None:
    """A whole number, with thousands commas perhaps; None for what is none or has over 63 bits."""
    plain = text.replace(",", "")
    if not _COUNT.match(plain):
        return None
    number = int(plain)
    return number if number <= LARGEST_INTEGER else None


def stamp(text: str) -> datetime | None:
    """``01/28/2019 05:48:57 AM`` (month first) or ISO; None for the dates of other locales."""
    found = _STAMP.match(text)
    if found:
        month, day, year, hour, minute, second = (int(part) for part in found.groups()[:6])
        of_day = hour_of_day(hour, found[7])
        if of_day is None:
            return None
        return local_time((year, month, day), (of_day, minute, second))
    found = _ISO.match(text)
    if not found:
        return None
    year, month, day, hour, minute, second = map(int, found.groups())
    return local_time((year, month, day), (hour, minute, second))


_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_LONG_DATE = re.compile(r"(?P<month>[A-Za-z]{3,9})\s+(?P<day>\d{1,2}),\s+(?P<year>\d{4})")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([AP])M)?", re.I)


def header_time(text: str) -> datetime | None:
    """``14:10 Monday, November 27, 2006`` of a page header; None where it has no date."""
    date, time = _LONG_DATE.search(text), _TIME.search(text)
    if not date or not time or date["month"][:3].lower() not in _MONTHS:
        return None
    hour = hour_of_day(int(time[1]), time[4]) if time[4] else int(time[1])
    if hour is None:
        return None
    month = _MONTHS.index(date["month"][:3].lower()) + 1
    day = int(date["year"]), month, int(date["day"])
    return local_time(day, (hour, int(time[2]), int(time[3] or 0)))
