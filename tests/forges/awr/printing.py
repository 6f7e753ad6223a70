"""How Oracle prints a number, and what the print says: the text with the value a reader may take.

Every function gives a ``Shown``: the printed text and its exact value in SI base units (Decimal),
so that what is expected of a parser is what the page says, not what the forger had before rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

MIB = 1024**2
GIB = 1024**3
MICRO = Decimal(10) ** -6
SWITCH = Decimal(1000) / Decimal("1048.576")
"""Oracle goes to the next unit of time at 0.95367 of it: 0.96ms, 9490.99ms and 9.56 s are real."""
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(frozen=True)
class Shown:
    """One printed cell: its text and what it says (None: nothing)."""

    text: str
    says: Any = None


class Said(Decimal):
    """The value of a print; ``step`` is what one unit of its last digit is worth."""

    step = Decimal(0)

    def __new__(cls, value: Decimal | int, step: Decimal | int) -> Said:
        """The value with its step."""
        made = super().__new__(cls, value)
        made.step = Decimal(step)
        return made

    def times(self, unit: Decimal | int) -> Said:
        """The same print in another unit."""
        return Said(self * unit, self.step * unit)


class Cut(str):
    """A name that was cut to the width of its column; ``full`` is the whole name."""

    full: str

    def __new__(cls, full: str, width: int) -> Cut:
        """The first ``width`` characters, without the blanks at their end."""
        made = super().__new__(cls, full[:width].rstrip())
        made.full = full
        return made


BLANK = Shown("")


def rounded(value: Decimal | int, digits: int) -> Decimal:
    """Rounded half up, as Oracle's to_char does."""
    return Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def word(text: str | None) -> Shown:
    """A word as it is; None and the empty word print nothing and say nothing."""
    return Shown(text, text) if text else BLANK


def fixed(
    value: Decimal | int | None,
    digits: int = 0,
    *,
    scale: Decimal | int = 1,
    commas: bool = True,
    dot: bool = False,
    suffix: str = "",
) -> Shown:
    """1,234.50; with ``dot`` .50 for 0.50; ``scale`` is what one printed unit is worth."""
    if value is None:
        return BLANK
    number = rounded(value, digits)
    text = f"{number:,f}" if commas else f"{number:f}"
    if dot:
        text = _dotted(text)
    return Shown(text + suffix, Said(number * scale, Decimal(scale).scaleb(-digits)))


def _dotted(text: str) -> str:
    for sign in ("", "-"):
        if text.startswith(f"{sign}0."):
            return sign + text[len(sign) + 1 :]
    return text


def percent(ratio: Decimal | None, digits: int, *, dot: bool = False) -> Shown:
    """A ratio printed as percent."""
    if ratio is None:
        return BLANK
    return fixed(ratio * 100, digits, scale=Decimal("0.01"), dot=dot, commas=False)


def shortest(value: Decimal | int | None, digits: int = 1, scale: Decimal | int = 1) -> Shown:
    """At most ``digits`` decimals, no zeros at the end, none before the dot: 42.4, .3, 0."""
    if value is None:
        return BLANK
    number = rounded(value, digits)
    text = _dotted(f"{number:f}")
    text = (text.rstrip("0").rstrip(".") if "." in text else text) or "0"
    return Shown(text, Said(number * scale, Decimal(scale).scaleb(-digits)))


def timed(seconds: Decimal | None) -> Shown:
    """12.2 and later: 4.75us, 858.01ns, .99ms, 17.74 s."""
    if seconds is None:
        return BLANK
    for unit, scale, next_unit in (
        ("ns", Decimal("1e-9"), Decimal("1e-6") * SWITCH),
        ("us", Decimal("1e-6"), Decimal("1e-3") * SWITCH),
        ("ms", Decimal("1e-3"), 10 * SWITCH),
        (" s", Decimal(1), None),
    ):
        if next_unit is None or seconds < next_unit:
            return fixed(seconds / scale, 2, scale=scale, dot=True, commas=False, suffix=unit)
    raise AssertionError(seconds)


def milli(seconds: Decimal | None, digits: int) -> Shown:
    """Milliseconds without thousands commas: to 12.1, and all Statspack."""
    if seconds is None:
        return BLANK
    return fixed(seconds * 1000, digits, scale=Decimal("0.001"), commas=False)


def kilo(value: int | None, *, above: int = 10_000, digits: int = 1) -> Shown:
    """Counts in multiples of 1000: 8884, 12.7K, 35K, 1.1G (a zero after the dot is left out).

    ``digits``: none in Statspack, whose columns are five characters wide (12K, 751K).
    """
    if value is None:
        return BLANK
    if value < above:
        return Shown(str(value), Said(value, 1))
    for suffix, size in (("K", 10**3), ("M", 10**6), ("G", 10**9)):
        if value < size * 1000 or suffix == "G":
            break
    number = rounded(Decimal(value) / size, digits)
    text = f"{number:f}".removesuffix(".0")
    return Shown(text + suffix, Said(number * size, size // 10**digits))


def data(size: int) -> Shown:
    """Data volumes in multiples of 1024: 0M, 613M, 18.1G, 1.9T."""
    if size < GIB:
        number = rounded(Decimal(size) / MIB, 0)
        return Shown(f"{number:f}M", Said(number * MIB, MIB))
    unit, suffix = (GIB, "G") if size < GIB * 1024 else (GIB * 1024, "T")
    number = rounded(Decimal(size) / unit, 1)
    text = f"{number:f}".removesuffix(".0")
    return Shown(text + suffix, Said(number * unit, Decimal(unit) / 10))


def data_rate(rate: Decimal, width: int | None = None) -> Shown:
    """Data per second: 7.106M, .434M, 0M; to 12.1 cut to 7 characters, the M may be lost."""
    plain = shortest(rate / MIB, 3, MIB)
    text = plain.text + "M"
    if width is None or len(text) <= width:
        return Shown(text, plain.says)
    cut = text[:width]
    # digits are cut off, not rounded: the print may be a whole last digit away
    lost = Decimal(1).scaleb(-len(cut.partition(".")[2])) * MIB
    return Shown(cut, Said(Decimal(cut) * MIB, 2 * lost))


def size(number: int, unit: int, suffix: str) -> Shown:
    """A whole size with its unit: 51,200M or 8K."""
    return fixed(number, 0, scale=unit, suffix=suffix)


def padded(shown: Shown, width: int) -> Shown:
    """The same text with leading blanks, as Oracle's masks leave them in HTML too."""
    return Shown(shown.text.rjust(width) if shown.text else "", shown.says)


def moment(when: datetime, form: str = "second") -> str:
    """19-Nov-24 07:00:30; ``form`` minute: without seconds; detail: without the year."""
    day = f"{when.day:02d}-{MONTHS[when.month - 1]}"
    if form == "detail":
        return f"{day} {when:%H:%M:%S}"
    return f"{day}-{when:%y %H:%M:%S}" if form == "second" else f"{day}-{when:%y %H:%M}"


def minute(when: datetime) -> datetime:
    """The moment that a print without seconds says."""
    return when.replace(second=0, microsecond=0)
