"""The only place with 1024, 1e9 and unit suffixes: text to SI base units, SI base units to text.

Inside perfkit every quantity is in seconds, bytes, 1/s or a plain ratio; ms, µs, KiB and % exist
only in what was read and in what is shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypedDict

NULL_TEXT = "–"
"""How a missing value is printed: an en dash, never 0 and never an empty cell."""

NS_PER_S = 1e9
US_PER_S = 1e6
MS_PER_S = 1e3
KIB = 1024
MIB = 1024**2
GIB = 1024**3

LARGEST_INTEGER = 2**63 - 1
"""The largest whole number that a column can hold."""

_BINARY = {"": 1, "k": KIB, "m": MIB, "g": GIB, "t": 1024**4, "p": 1024**5}
_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15}
_SECONDS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3,
    "s": 1.0, "sec": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0,
}  # fmt: skip

DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
"""Digits with thousands commas or without: a decimal comma (1,5) is refused, never fifteen."""

_NUMBER = r"(?P<number>[+-]?\d+(?:\.\d*)?|[+-]?\.\d+)"
_SIZE = re.compile(rf"^\s*{_NUMBER}\s*(?P<prefix>[kmgtp]?)(?P<binary>i?)(?P<unit>b?)\s*$", re.I)
_TIME = re.compile(rf"^\s*{_NUMBER}\s*(?P<unit>[a-zµμ]*)\s*$", re.I)


_MB = re.compile(r"\bMB\b")


def names_mb(label: str) -> bool:
    """Whether a printed label counts in MB: "Read IO (MB)", "W/A MB processed"."""
    return _MB.search(label) is not None


def in_mib(label: str) -> str:
    """The label of a number in MiB, which is what Oracle means by the MB in what it prints."""
    return _MB.sub("MiB", label)


def parse_size(text: str | int) -> int:
    """Bytes from fio's way of writing sizes: ``4k``, ``1.5 GiB``, ``128KiB``, ``512``.

    ``k`` and ``KiB`` are 1024 (fio's default ``kb_base``); ``KB`` and ``MB`` are 1000 (SI).

    Raises ValueError for anything else, and for a size that is not a whole number of bytes.
    Source: fio HOWTO, "Parameter types", int.
    """
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    match = _SIZE.match(str(text))
    if not match:
        raise ValueError(f"{text!r} is not a size such as 8k, 1 MiB or 4GB")
    decimal = bool(match["unit"]) and not match["binary"] and bool(match["prefix"])
    factor = (_DECIMAL if decimal else _BINARY)[match["prefix"].lower()]
    size = float(match["number"]) * factor
    if size != int(size):
        raise ValueError(f"{text!r} is not a whole number of bytes")
    return int(size)


def parse_duration(text: str | float) -> float:
    """Seconds from ``484.65us``, ``2 ms``, ``90``, ``5m`` (minutes), ``1h``.

    Raises ValueError for anything else; a bare number is seconds.
    """
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    match = _TIME.match(str(text))
    unit = match["unit"].lower() if match else ""
    if not match or unit not in _SECONDS:
        raise ValueError(f"{text!r} is not a time such as 484.65us, 2 ms, 90 s or 5m")
    return float(match["number"]) * _SECONDS[unit]


@dataclass(frozen=True)
class Unit:
    """A unit in which people read a quantity: shown = SI value / ``si``, followed by ``symbol``."""

    si: float
    symbol: str
    quantity: str

    @property
    def glued(self) -> str:
        """What stands right behind a number, without a space: the % of 12%, the K of 473K IOPS."""
        first = self.symbol.partition(" ")[0]
        return first if first in {"%", "K", "M"} else ""


UNITS: dict[str, Unit] = {
    "1": Unit(1.0, "", "number"),
    "M": Unit(1e6, "M", "number"),
    "%": Unit(0.01, "%", "ratio"),
    "s": Unit(1.0, "s", "time"),
    "min": Unit(60.0, "min", "time"),
    "h": Unit(3600.0, "h", "time"),
    "ms": Unit(1 / MS_PER_S, "ms", "time"),
    "us": Unit(1 / US_PER_S, "µs", "time"),
    "B": Unit(1.0, "B", "size"),
    "KiB": Unit(KIB, "KiB", "size"),
    "MiB": Unit(MIB, "MiB", "size"),
    "GiB": Unit(GIB, "GiB", "size"),
    "MB/s": Unit(1e6, "MB/s", "rate of bytes"),
    "MiB/s": Unit(MIB, "MiB/s", "rate of bytes"),
    "IOPS": Unit(1.0, "IOPS", "rate"),
    "kIOPS": Unit(1e3, "K IOPS", "rate"),
    "MIOPS": Unit(1e6, "M IOPS", "rate"),
    "1/s": Unit(1.0, "1/s", "rate"),
    "GHz": Unit(1e9, "GHz", "rate"),
}


class PrintedRecord(TypedDict):
    """A ``Printed`` in its JSON form."""

    text: str
    value: float | int | None
    unit: str
    rounding: str


@dataclass(frozen=True)
class Printed:
    """A number as it was printed: the text, the value behind it, its unit and the rounding rule."""

    text: str
    value: float | int | None
    unit: str
    rounding: str

    def record(self) -> PrintedRecord:
        """The JSON form that travels in the notebook."""
        return {
            "text": self.text,
            "value": self.value,
            "unit": self.unit,
            "rounding": self.rounding,
        }


@dataclass(frozen=True)
class Format:
    """How a quantity is printed: the unit, and either decimals or significant digits.

    The text is rounded half to even on the shown value, with thousands commas; a missing value
    (None or NaN) prints as an en dash. ``sign=True`` prints a plus too, for differences.
    """

    unit: str = "1"
    decimals: int | None = None
    significant: int | None = None
    sign: bool = False

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"unknown unit {self.unit!r}; known: {', '.join(UNITS)}")
        if self.decimals is not None and self.significant is not None:
            raise ValueError("a format has decimals or significant digits, not both")

    @property
    def rounding(self) -> str:
        """The rule in words, kept with every printed number."""
        if self.significant is not None:
            return f"{self.significant} significant digits"
        return f"{self.decimals or 0} decimals"

    def number(self, value: float | None) -> str:
        """The number alone, without its unit."""
        if value is None or math.isnan(value):
            return NULL_TEXT
        shown = value / UNITS[self.unit].si
        if not math.isfinite(shown):
            raise ValueError(f"{value!r} cannot be printed as a number")
        decimals = self.decimals or 0
        if self.significant is not None:
            decimals = _decimals_for(shown, self.significant)
            shown = round(shown, decimals)
        text = f"{shown:{'+' if self.sign else ''},.{max(decimals, 0)}f}"
        if not text.strip("+-0.,"):
            text = text.lstrip("+-")  # a rounded zero has no sign
        return text.replace("-", "−")

    def show(self, value: float | None) -> Printed:
        """The number with its unit, and the record of how it was rounded."""
        number = self.number(value)
        symbol = UNITS[self.unit].symbol
        glue = "" if UNITS[self.unit].glued else " "
        text = number if not symbol or number == NULL_TEXT else f"{number}{glue}{symbol}"
        kept = None if value is None or math.isnan(value) else value
        return Printed(text, kept, self.unit, self.rounding)


def _decimals_for(shown: float, significant: int) -> int:
    """Decimals that leave a number of significant digits; negative for numbers above 10^digits."""
    if shown == 0:
        return significant - 1
    decimals = significant - 1 - math.floor(math.log10(abs(shown)))
    # 9.996 to three digits is 10.0, not 10.00: the rounding may itself add a digit
    rounded = round(shown, decimals)
    return significant - 1 - math.floor(math.log10(abs(rounded))) if rounded else decimals


def in_column(form: Format, values: Iterable[float | None]) -> Format:
    """The format for all cells of a column: every number with the same decimals.

    Of a format with significant digits these are the fewest decimals that leave each value as it
    would print alone: 0.09 and 0.115 to three digits are 0.090 and 0.115.
    """
    if form.significant is None:
        return form
    alone = (form.number(value) for value in values)
    decimals = max((len(text.partition(".")[2].rstrip("0")) for text in alone), default=0)
    return replace(form, decimals=decimals, significant=None)


def time_format(seconds: float | None) -> Format:
    """The format in which people read a latency of this size: µs below 1 ms, ms below 1 s, s."""
    if seconds is None or math.isnan(seconds) or abs(seconds) >= 1:
        return Format("s", significant=3)
    return Format("us" if abs(seconds) < 1 / MS_PER_S else "ms", significant=3)


def elapsed_format(seconds: float | None) -> Format:
    """The format in which people read how long work took: 0.01 s below 2 min, min below 2 h, h."""
    size = abs(seconds or 0.0)
    if size < 2 * UNITS["min"].si:
        return Format("s", decimals=2)
    return Format("min" if size < 2 * UNITS["h"].si else "h", significant=3)


def format_size(size: int | None) -> str:
    """Bytes for people, exactly where it can be: ``8 KiB``, ``1.5 GiB``, ``512 B``."""
    if size is None:
        return NULL_TEXT
    for name in ("GiB", "MiB", "KiB"):
        if size >= UNITS[name].si:
            shown = size / UNITS[name].si
            return f"{shown:,.0f} {name}" if shown == int(shown) else f"{shown:,.3g} {name}"
    return f"{size} B"


_COUNTS = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e5, " k"), (0.0, ""))
_SCALES: dict[str, tuple[tuple[float, float, str], ...]] = {
    "s": (
        (2 * 86400, 86400, " d"), (3600, 3600, " h"), (60, 60, " min"), (1, 1, " s"),
        (1e-3, 1e-3, " ms"), (1e-6, 1e-6, " µs"), (0, 1e-9, " ns"),
    ),
    "bytes": (
        (1024**4, 1024**4, " TiB"), (GIB, GIB, " GiB"), (MIB, MIB, " MiB"), (KIB, KIB, " KiB"),
        (0, 1, " B"),
    ),
    "bytes/s": ((1e9, 1e9, " GB/s"), (1e6, 1e6, " MB/s"), (1e3, 1e3, " kB/s"), (0, 1, " B/s")),
}  # fmt: skip
"""Unit of a column -> from which value on, divided by what, with which symbol."""


def readable(value: float, unit: str | None) -> str:
    """A value of a column as people say it: ``1.14 h``, ``59.7 µs``, ``113.8 M``, ``99.96%``.

    At most four significant digits (six below 100,000 where the unit has no scale of its own): for
    a glance, never to compute with. A share that is not whole is never shown as 0% or 100%.

    Args:
        value: In the column's unit.
        unit: As a schema says it: s, bytes, bytes/s; "ratio" for a share; another or None is a
            plain number.
    """
    if not math.isfinite(value):
        return str(value)
    if unit == "ratio":
        text = f"{100 * value:.4g}%"
        return f"{100 * value!r}%" if text == "100%" and value != 1 else text
    if unit in _SCALES:
        if not value:
            return f"0 {unit.replace('bytes', 'B')}"
        rounded = abs(float(f"{value:.4g}"))
        _, factor, symbol = next(scale for scale in _SCALES[unit] if rounded >= scale[0])
        return f"{_four(value / factor)}{symbol}"
    rounded = abs(float(f"{value:.4g}"))
    least, symbol = next(scale for scale in _COUNTS if rounded >= scale[0])
    if not symbol:
        return f"{value:.6g}"
    return f"{_four(value / (1e3 if symbol == ' k' else least))}{symbol}"


def _four(value: float) -> str:
    """Four significant digits, and no exponent for what is above them."""
    return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:,.0f}"
