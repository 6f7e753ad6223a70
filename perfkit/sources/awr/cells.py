"""Cells as Oracle prints them, to values: numbers, times with units, sizes, shares, dates.

Every converter takes the stripped text of a cell and gives a value, None for a cell that says
nothing (blank, N/A), or raises ValueError: no cell that cannot be read becomes a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime

from perfkit.core.units import GIB, KIB, MIB
from perfkit.sources.printed_times import local_time

LARGEST = 2.0**62
"""Above it, no count of a report is a whole number."""

NOTHING = frozenset({"", "N/A", "n/a", "(null)"})

_THOUSAND = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_BYTES = {"K": KIB, "M": MIB, "G": GIB, "T": 1024**4, "P": 1024**5, "B": 1}
_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "cs": 1e2, "s": 1.0}
_SECONDS = {"min": 60.0, "h": 3600.0}

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.A)
_TIMED = re.compile(r"([^a-z]+?)\s*(ns|us|ms|cs|s)")
_CUT = re.compile(r"(\d{4,}\.\d\d)([num])")
"""A time whose column of eight characters cut the last one off: ``1190.07m`` can be ms alone."""

_FOREIGN = re.compile(r"[+-]?\d+,\d{1,2}|[+-]?\d{1,3}(?:\.\d{3})+,\d+|[+-]?\d{1,3}(?:\.\d{3}){2,}")

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan ene gen янв",
            "feb fev fév фев",
            "mar mär mrz мар",
            "apr avr abr апр",
            "may mai mag maj май",
            "jun juin giu июн",
            "jul juil lug июл",
            "aug ago aoû aou авг",
            "sep set сен",
            "oct okt out ott окт",
            "nov ноя",
            "dec dez dic déc дек",
        ),
        1,
    )
    for name in names.split()
}
_DATE = re.compile(
    r"(\d{1,2})-\s*(\w{1,4}?)[月월.]?\s*-\s*(\d{2}|\d{4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?"
    r"(?![\d:]|\s*[AaPp]\.?[Mm]\b)"
)


class WideNumberError(ValueError):
    """A cell of ``#``: the number was wider than its column."""


class ForeignNumberError(ValueError):
    """A number with a decimal comma: the whole report would be read wrongly."""


def plain(text: str) -> float:
    """A number with or without thousands commas: ``1,234.5``, ``.98``, ``1.1E+08``."""
    digits = text.replace(".", "", 1)
    if digits.isascii() and digits.isdecimal():
        return float(text)
    if _GROUPED.fullmatch(text):
        return float(text.replace(",", ""))
    if _PLAIN.fullmatch(text):
        value = float(text)
        if math.isfinite(value):
            return value
    if text.startswith("#"):
        raise WideNumberError("the number was wider than its column")
    if _FOREIGN.fullmatch(text):
        raise ForeignNumberError(f"{text!r} is a number with a decimal comma")
    raise ValueError(f"{text!r} is not a number")


def number(text: str) -> float | None:
    """A number; null where nothing is printed."""
    if text in NOTHING:
        return None
    return plain(text)


def count(text: str) -> float | None:
    """A count, with a suffix in multiples of 1000: ``26.4K`` is 26,400."""
    if text in NOTHING:
        return None
    factor = _THOUSAND.get(text[-1])
    return plain(text) if factor is None else plain(text[:-1]) * factor


def tally(text: str) -> float | None:
    """A count that is printed whole: one with decimals is another column's cell."""
    if "." in text and text[-1].isdecimal():
        raise ValueError(f"{text!r} is not a count")
    return count(text)


def percent(text: str) -> float | None:
    """A share, from percent."""
    if text in NOTHING:
        return None
    return plain(text.rstrip("%").rstrip()) / 100


def size(text: str) -> float | None:
    """Bytes, with a suffix in multiples of 1024; a bare number is megabytes (11.2 prints so)."""
    if text in NOTHING:
        return None
    factor = _BYTES.get(text[-1].upper())
    return plain(text) * MIB if factor is None else plain(text[:-1].rstrip()) * factor


def scaled(factor: int) -> Callable[[str], float | None]:
    """What reads a number of thousands, or of so many bytes; Oracle's k is 1024."""

    def convert(text: str) -> float | None:
        value = number(text)
        return None if value is None else value * factor

    return convert


def seconds(text: str, unit: str | None) -> float | None:
    """Seconds from ``4.75us``, ``17.74 s``, ``858.01ns``, or a number in the header's unit.

    A number with a suffix K, M, G is thousands of the header's unit. Raises ValueError where
    neither the cell nor the header names a unit.
    """
    if text in NOTHING:
        return None
    timed = _TIMED.fullmatch(text) or _CUT.fullmatch(text)
    if timed:
        return plain(timed[1]) / _PER_SECOND[timed[2].rstrip("s") + "s"]
    value = count(text)
    if value is None:
        return None
    if unit in _PER_SECOND:
        return value / _PER_SECOND[unit]
    if unit in _SECONDS:
        return value * _SECONDS[unit]
    raise ValueError(f"{text!r} has no unit, nor has its column")


def whole(text: str) -> int | None:
    """A whole number."""
    value = number(text)
    if value is None:
        return None
    if value != int(value) or abs(value) >= LARGEST:
        raise ValueError(f"{text!r} is not a whole number, or too large for one")
    exact = text.replace(",", "")
    return int(exact) if exact.isdecimal() else int(value)


def words(text: str) -> str | None:
    """Text, with runs of white space as one space."""
    return " ".join(text.split()) or None


def verbatim(text: str) -> str | None:
    """Text as it is printed."""
    return text or None


def snapshot(text: str) -> str | None:
    """Which snapshot a row is of: B is the first, E the last."""
    known = {"B": "begin", "E": "end", "": None}
    if text not in known:
        raise ValueError(f"{text!r} is neither B nor E")
    return known[text]


def yes(text: str) -> bool | None:
    """YES or NO."""
    known = {"YES": True, "NO": False, "": None}
    if text.upper() not in known:
        raise ValueError(f"{text!r} is neither YES nor NO")
    return known[text.upper()]


def moment(text: str | None) -> datetime | None:
    """A date and time such as ``23-May-16 14:50:28``; null where it is none that is known.

    Month names of several languages are known; the caller keeps the text as printed.
    """
    found = _DATE.search(text or "")
    if not found:
        return None
    day, month, year, hour, minute, second = found.groups()
    if month.isdecimal():
        number_ = int(month)
    else:
        number_ = MONTHS.get(month.lower(), MONTHS.get(month.lower()[:3], 0))
    whole = int(year) + (2000 if len(year) == 2 else 0)
    return local_time((whole, number_, int(day)), (int(hour), int(minute), int(second or 0)))


def slug(text: str) -> str:
    """A name for a row that perfkit has no name for: ``Session Logical Read IM`` with ``_``."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def key(text: str) -> str:
    """A printed name as it is looked up: lower case, no white space, no colon at its end."""
    return "".join(text.split()).lower().rstrip(":")
