"""A number as a document prints it: its exact value, what its rounding allows, and its unit.

Nothing here is a binary fraction: ``19.95`` is 1995/100, and its rounding allows 19.945 to 19.955.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for tables of words."""
    return frozenset(text.split())


MISSING = frozenset({"", "-", "--", "\u2013", "\u2014", "n/a", "na", "none"})
"""What is printed for no value (in lower case)."""

_SIGN = r"(?P<sign>[+\-\u2212\u2013])?\s*"
_DIGITS = r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)"
_NUMBER = re.compile(
    rf"^{_SIGN}{_DIGITS}\s*(?P<scale>[kKM](?![A-Za-z/])|thousand\b|million\b)?\s*"
    r"(?P<unit>%|[A-Za-z\u00b5\u03bc][A-Za-z\u00b5\u03bc0-9]*(?:\s*/\s*[A-Za-z]+)?"
    r"|[A-Za-z]+ per second)?$"
)
_TIMES = re.compile(r"(\d+(?:\.\d+)?)\s*(hours?|h|minutes?|mins?|m|seconds?|secs?|s)\b", re.I)
_QUALIFIED = re.compile(
    r"^(?P<words>approximately|approx\.?|about|around|some|nearly|almost|roughly|~|\u2248"
    r"|over|more than|at least|above|no less than|>=|>|\u2265"
    r"|less than|below|under|up to|at most|no more than|no greater than|<=|<|\u2264)"
    r"\s*(?P<rest>.*)$",
    re.I | re.S,
)
_SCALE = {"k": 1000, "m": 10**6, "thousand": 1000, "million": 10**6}
_AT_LEAST = {"over", "more than", "at least", "above", "no less than", ">=", ">", "\u2265"}
_AT_MOST = {
    "less than", "below", "under", "up to", "at most", "no more than", "no greater than", "<=", "<",
    "\u2264",
}  # fmt: skip

UNIT_NAMES = {
    "seconds": "s", "second": "s", "secs": "s", "sec": "s",
    "minutes": "min", "minute": "min", "mins": "min",
    "hours": "h", "hour": "h", "hr": "h", "hrs": "h",
    "us": "\u00b5s", "\u03bcs": "\u00b5s", "usec": "\u00b5s", "microseconds": "\u00b5s",
    "msec": "ms",
    "milliseconds": "ms", "percent": "%", "gigabytes": "GB", "gigabyte": "GB",
    "terabytes": "TB", "terabyte": "TB", "megabytes": "MB", "megabyte": "MB",
    "mb/sec": "MB/s", "gb/sec": "GB/s", "mb/s": "MB/s", "gb/s": "GB/s", "gb/second": "GB/s",
    "tb": "TB", "gb": "GB", "mb": "MB", "kb": "KB", "mib": "MiB", "gib": "GiB", "iops": "IOPS",
}  # fmt: skip
"""Names of units as documents write them (in lower case) -> the name used here."""

_BITS = re.compile(r"[kKMGT]b(?![A-Za-z]*yte)")
_SECONDS = {"h": Fraction(3600), "m": Fraction(60), "s": Fraction(1)}


@dataclass(frozen=True)
class PrintedNumber:
    """A number as printed.

    Attributes:
        text: As printed.
        value: Exactly what is printed, in ``unit``.
        low: The smallest value that prints so (None: no bound, as in "up to 5").
        high: The largest value that prints so (None: no bound, as in "over 5").
        unit: As printed behind the number, by its usual name; None where none stands there.
        decimals: Digits printed after the point; negative where the last digits are not meant.
    """

    text: str
    value: Fraction
    low: Fraction | None
    high: Fraction | None
    unit: str | None
    decimals: int


def unit_name(text: str) -> str:
    """A unit's usual name: "minutes" is "min", "GB/sec" is "GB/s"; others stay as they are."""
    bare = re.sub(r"\s*/\s*", "/", text.strip())
    if _BITS.match(bare):
        return bare  # lower case would make a gigabit a gigabyte
    return UNIT_NAMES.get(bare.lower(), bare)


def printed_number(text: str) -> PrintedNumber | None:
    """The number that a whole text prints; None for any other text.

    Known forms: ``-19.95``, ``1,482.10``, ``401K``, ``66%``, ``2.5 GB/sec``, ``1 hour and 53
    minutes``, ``approximately 20 minutes`` (rounded to its last digit that is not 0), ``over 120
    Gigabytes`` and ``up to 5`` (bounds of one side).
    """
    bare = text.strip()
    qualified = _QUALIFIED.match(bare)
    words = qualified["words"].lower() if qualified else ""
    found = _plain(qualified["rest"].strip() if qualified else bare)
    if found is None:
        return None
    value, half, unit, decimals, coarse = found
    low: Fraction | None = value - half
    high: Fraction | None = value + half
    if words in _AT_LEAST:
        low, high = value, None
    elif words in _AT_MOST:
        low, high = None, value
    elif words:
        low, high = value - coarse, value + coarse
    return PrintedNumber(bare, value, low, high, unit, decimals)


def _plain(text: str) -> tuple[Fraction, Fraction, str | None, int, Fraction] | None:
    """Value, half of its last digit, unit, decimals, half of its last digit that is not 0."""
    match = _NUMBER.match(text)
    if not match:
        return _composite(text)
    digits = match["digits"].replace(",", "")
    decimals = len(digits.partition(".")[2])
    scale = _SCALE.get((match["scale"] or "").lower(), 1)
    sign = -1 if (match["sign"] or "+") not in "+" else 1
    value = sign * Fraction(Decimal(digits)) * scale
    step = Fraction(scale, 10**decimals)
    unit = unit_name(match["unit"]) if match["unit"] else None
    whole = digits.replace(".", "").lstrip("0")
    zeros = len(whole) - len(whole.rstrip("0")) if whole.strip("0") else 0
    return value, step / 2, unit, decimals, step * 10**zeros / 2


def _composite(text: str) -> tuple[Fraction, Fraction, str | None, int, Fraction] | None:
    """Times in words: "1 hour and 53 minutes" is 113 min."""
    parts = _TIMES.findall(text)
    rest = re.sub(r"\band\b|[,\s]", "", _TIMES.sub("", text))
    if len(parts) <= 1 or rest:  # one part is a plain number with its unit
        return None
    seconds = sum((Fraction(Decimal(n)) * _SECONDS[u[0].lower()] for n, u in parts), Fraction(0))
    last = parts[-1][1][0].lower()
    unit = {"h": "h", "m": "min", "s": "s"}[last]
    half = Fraction(1, 2 * 10 ** len(parts[-1][0].partition(".")[2]))
    value = seconds / _SECONDS[last]
    return value, half, unit, len(parts[-1][0].partition(".")[2]), half


def exact_text(value: Fraction) -> str:
    """A number exactly: a decimal where it is one, else a quotient "a/b"."""
    bare = value.denominator
    for prime in (2, 5):
        while bare % prime == 0:
            bare //= prime
    if bare != 1:
        return f"{value.numerator}/{value.denominator}"
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    return rounded_text(value, digits)


def rounded_text(value: Fraction, decimals: int, *, sign: bool = False) -> str:
    """A number rounded half to even to some decimals, as documents print it (no grouping)."""
    scaled = round(value * 10 ** max(decimals, 0))
    whole = str(abs(scaled)).rjust(max(decimals, 0) + 1, "0")
    text = f"{whole[:-decimals]}.{whole[-decimals:]}" if decimals > 0 else whole
    if scaled < 0:
        return f"\u2212{text}"
    return f"+{text}" if sign and scaled else text


def number_of(text: str) -> Fraction:
    """The inverse of ``exact_text``."""
    return Fraction(text.replace("\u2212", "-"))
