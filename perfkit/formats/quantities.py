"""Numbers as quantities: a value with its rounding, a unit, and the kind of thing it measures.

What only looks like a number is none: versions, dates, ranges, addresses and names (``7742``
in "EPYC 7742" is told from a quantity by where it stands, not here).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from perfkit.formats.interval import Interval

TIME, SIZE, RATE, OPS, SHARE, FACTOR = "time", "size", "rate", "ops", "share", "factor"

_K = 1024
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_TIMES = {
    "ns": "1/1000000000", "nsec": "1/1000000000", "nanoseconds": "1/1000000000",
    "us": "1/1000000", "\u00b5s": "1/1000000", "\u03bcs": "1/1000000", "usec": "1/1000000",
    "usecs": "1/1000000", "microseconds": "1/1000000", "microsecond": "1/1000000",
    "micros": "1/1000000", "ms": "1/1000", "msec": "1/1000", "msecs": "1/1000",
    "milliseconds": "1/1000", "millisecond": "1/1000",
    "s": "1", "sec": "1", "secs": "1", "second": "1", "seconds": "1",
    "min": "60", "mins": "60", "minute": "60", "minutes": "60", "h": "3600", "hr": "3600",
    "hrs": "3600", "hour": "3600", "hours": "3600",
    "\u5fae\u79d2": "1/1000000", "\u6beb\u79d2": "1/1000", "\u79d2": "1", "\u5206\u949f": "60",
    "\u5c0f\u65f6": "3600",
}  # fmt: skip
_COUNTED = ("iops", "iop/s", "ops", "op/s", "ops/s", "ops/sec", "io/s", "ios/s", "operations/s",
            "operations/sec", "operations per second", "ops per second", "requests/s",
            "requests/sec", "requests per second", "req/s", "reqs/s", "req/sec", "qps", "tps",
            "rps", "tpmc", "transactions/s", "blocks/s", "/s", "/sec", "per second")  # fmt: skip
_NAMES = {
    "bytes": "B", "byte": "B", "kilobytes": "KB", "megabytes": "MB", "gigabytes": "GB",
    "terabytes": "TB", "percent": "%", "pct": "%", "times": "x", "\u00d7": "x", "\u500d": "x",
}  # fmt: skip
_OTHER = {
    "%": (SHARE, 1), "x": (FACTOR, 1), "X": (FACTOR, 1), "W": ("", 1), "kW": ("", 1000),
    "Wh": ("", 1), "kWh": ("", 1000), "MHz": ("", 10**6), "GHz": ("", 10**9),
}  # fmt: skip
"""Other units; those of no kind are those of bare numbers."""


BINARY = {"Ki/s": 1024, "Mi/s": 1024**2, "Gi/s": 1024**3}
"""Binary multiples of things a second."""
_OTHER |= {name: (OPS, factor) for name, factor in BINARY.items()}


@dataclass(frozen=True)
class Unit:
    """A unit: what it measures, how much of the base unit it is, and its name in print."""

    kind: str
    factor: Fraction
    name: str


@lru_cache(maxsize=2048)
def unit_of(text: str) -> Unit | None:
    """The unit of a name in print: "usec", "GiB/s", "kIOPS", "ns/op"; None for other words."""
    bare = re.sub(r"\s*/\s*", "/", " ".join(text.split())).strip(".")
    if not bare:
        return None
    bare = re.sub(r"(?i)(?<=^[kmgt])bytes?\b", "B", _NAMES.get(bare.lower(), bare))
    bare = re.sub(r"(?i)(?<=^[kmgt])bits\b", "bit", bare)
    low = bare.lower()
    each, _, of = low.partition("/")
    if each in _TIMES and _is_thing(of):
        return Unit(TIME, Fraction(_TIMES[each]), bare)
    if bare in _OTHER:
        kind, factor = _OTHER[bare]
        return Unit(kind, Fraction(factor), bare)
    if low in _COUNTED or _THINGS_A_SECOND.fullmatch(bare):
        return Unit(OPS, Fraction(1), bare)
    scaled = re.fullmatch(r"([km])\s?(.+)", low)
    if scaled and scaled[2] in _COUNTED and not scaled[2].startswith("/"):
        return Unit(OPS, Fraction(1000 ** _POWERS[scaled[1]]), bare)
    return _bytes(bare)


_THINGS_A_SECOND = re.compile(
    r"(?i:(?![kmgt]i?b)[a-z]{3,})/(?i:s|sec)|(?![kmgt]?b|[mun]s|[ckm]?m)[a-z]{2}/s(?:ec)?"
)
"""Things of any name; of two letters "pf/s" and "it/s", but not "GT/s" and "km/s"."""
_SPANS = frozenset({"day", "week", "month", "year"})


def _is_thing(of: str) -> bool:
    """Whether a time of so much is one of each, "us/event": 5 hours/day and 12 ms/MB are none."""
    thing = of.removesuffix("s")
    counted = len(thing) > 1 and thing.isalpha() and thing not in _SPANS and unit_of(thing) is None
    return not of or counted


_BYTES = re.compile(
    r"(?P<power>[kKMGTPmgt]?)(?P<two>i?)(?P<bit>[Bb]|bytes?|bit)(?P<per>/s|/sec|/second|ps|/h|/hour|/min"
    r"| per second)?(?:/op)?"
)


def _bytes(text: str) -> Unit | None:
    match = _BYTES.fullmatch(text)
    if not match:
        return None
    power, two, per = match["power"], match["two"], match["per"]
    small = match["bit"] in {"b", "bit"}
    # "gb" and "mb/s" mean bytes; "Gb/s" and "Gbps" mean bits
    bits = small and (power.isupper() or per == "ps" or match["bit"] == "bit")
    if small and not bits and not power:
        return None
    factor = Fraction((_K if two else 1000) ** _POWERS[power.lower()], 8 if bits else 1)
    if per in {"/h", "/hour"}:
        factor /= 3600
    elif per == "/min":
        factor /= 60
    return Unit(RATE if per else SIZE, factor, text)


@dataclass(frozen=True)
class Quantity:
    """A number as printed: exact value, half of its last digit, unit, and where in a text."""

    value: Fraction
    half: Fraction
    unit: Unit | None
    text: str
    start: int
    end: int
    decimals: int
    bound: str = ""

    @property
    def kind(self) -> str:
        """What it measures; empty for a bare number."""
        return self.unit.kind if self.unit else ""

    @property
    def around(self) -> Interval:
        """What its rounding allows."""
        return Interval(self.value - self.half, self.value + self.half)

    @cached_property
    def digits(self) -> int:
        """How many digits are printed, without leading and trailing zeros: how much it says."""
        return len(re.sub(r"\D", "", self.text.split()[0]).strip("0")) or 1


_DIGITS = (
    r"\d{1,3}(?:[,\u2019'\u00a0\u202f\u2009]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+\.\d+|"
    r"\d+,(?:\d{1,2}|\d{4,})(?!\d)|0,\d+|\d+|\.\d+"
)
_WORDS = "|".join(
    re.escape(name)
    for name in sorted({*_TIMES, *_COUNTED, *_NAMES} - {"/s", "/sec"}, key=len, reverse=True)
)
_UNIT = (
    rf"%|[xX\u00d7](?!\w|\s*\d|\s+(?-i:[A-Z]))|(?:[kKmM]\s?)?(?:{_WORDS})(?:/[A-Za-z]{{2,}})?(?![\w/])"
    r"|[kKMGTPmgt]?i?(?:B|b|bytes?|bits?)(?:/s(?:ec(?:ond)?)?|ps|/h|/op| per second)?(?![\w/])"
    r"|[KMG]i/s(?![\w/])|[A-Za-z]{3,}/s(?:ec)?(?![\w/])|/s(?:ec)?\b|(?-i:W|kW|Wh|kWh|MHz|GHz)(?!\w)"
)
_TOKEN = re.compile(
    rf"(?<![\w.,:/\\#])(?P<bound>(?<![-=])[<>\u2264\u2265~\u2248\u00b1]=?\s?(?:[$\u20ac\u00a3\u00a5\u20bd](?=\d))?)?"
    rf"(?<![\d)\w][-\u2013\u2212])(?P<sign>[+\-\u2212\u2013]\s?)?(?P<digits>{_DIGITS})"
    r"(?P<power>[eE][+\-]?\d{1,2})?(?P<scale>\s?(?:[kKMG](?![\w/])|[kKM](?=\s?(?:iops|ops|qps|rps|tps)\b)"
    r"|(?i:thousand|million|billion)\b))?"
    rf"(?:[\s\u00a0\u202f]?-?(?P<unit>(?i:{_UNIT})))?"
    r"(?![\w*^]|[.,]\d|[-\u2013/]\d|\.\w|:\d)(?(unit)|(?!:))"  # "5: ..." labels, "5%: ..." does not
)
_SCALES = {"k": 3, "m": 6, "g": 9, "thousand": 3, "million": 6, "billion": 9}


_CLOCK = re.compile(
    r"(?<![\w.:-])(?:(?P<h>\d+)\s?(?:h|hr|hours?)(?:\s*(?P<m>\d+)\s?(?:m|min|minutes?))?(?:\s*(?P<s>\d+(?:\.\d+)?)\s?s)?"
    r"|(?P<mm>\d+)\s?(?:m|min)\s*(?P<ss>\d+(?:\.\d+)?)\s?s|(?P<sec>\d+)\s?s\s+(?P<ms>\d{1,3})\s?ms)(?![\w:])"
)


def count(text: str) -> int:
    """How many quantities a text has."""
    clocks, tokens = _matches(text)
    return len(clocks) + len(tokens)


@lru_cache(maxsize=1 << 14)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in their order."""
    clocks, tokens = _matches(text)
    found = [*map(_clock, clocks), *map(_quantity, tokens)]
    return tuple(sorted(found, key=lambda quantity: quantity.start))


def _matches(text: str) -> tuple[list[re.Match[str]], list[re.Match[str]]]:
    """Where a text prints times in several units, and where other numbers."""
    plain = text.replace("\\-", " -").replace("\\+", " +").replace("\\~", " ~")
    plain = _DECADE.sub(_blank, _IDEOGRAPH.sub(lambda match: match["unit"] or " ", plain))
    clocks = [m for m in _CLOCK.finditer(plain) if m["mm"] or m["m"] or m["s"] or m["ms"]]
    for match in clocks:
        plain = plain[: match.start()] + _blank(match) + plain[match.end() :]
    return clocks, list(_TOKEN.finditer(plain))


def _clock(match: re.Match[str]) -> Quantity:
    """A time in several units: 4m 59s, 1h 47m, 15 s 935 ms."""
    if match["ms"]:
        value = Fraction(int(match["sec"]) * 1000 + int(match["ms"]), 1000)
        second = Unit(TIME, Fraction(1), "s")
        return Quantity(value, Fraction(1, 2000), second, match[0], match.start(), match.end(), 3)
    hours, minutes, seconds = match["h"], match["m"] or match["mm"], match["s"] or match["ss"]
    value = 3600 * int(hours or 0) + 60 * int(minutes or 0) + Fraction(seconds or 0)
    decimals = len(seconds.partition(".")[2]) if seconds else 0
    half = Fraction(1, 2 * 10**decimals) if seconds else Fraction(30)
    unit = Unit(TIME, Fraction(1), "s")
    return Quantity(value, half, unit, match[0], match.start(), match.end(), decimals)


_IDEOGRAPH = re.compile(
    r"(?<=[\d\s])(?P<unit>\u5fae\u79d2|\u6beb\u79d2|\u79d2|\u5206\u949f|\u5c0f\u65f6|\u500d)"
    r"|[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uff65]"
)
"""Signs that stand beside a number without a blank, and the units among them: seconds, times."""
_DECADE = re.compile(r"(?<![\w.,])(?:1[5-9]|20)\d0s\b")


def _blank(match: re.Match[str]) -> str:
    return "-" * len(match[0])


def _quantity(match: re.Match[str]) -> Quantity:
    digits = re.sub(r"[\u2019'\u00a0\u202f\u2009]", "", match["digits"])
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits) and not digits.startswith("0,"):
        digits = digits.replace(",", "")
    elif "," in digits:
        digits = digits.replace(".", "").replace(",", ".")
    decimals = len(digits.partition(".")[2])
    scale = Fraction(10) ** _SCALES.get((match["scale"] or "").strip().lower(), 0)
    scale *= Fraction(10) ** int((match["power"] or "e0")[1:])
    sign = -1 if (match["sign"] or "+").strip() not in "+" else 1
    value = sign * Fraction(digits) * scale
    half = scale / 10**decimals / 2
    bound = (match["bound"] or "").strip("$\u20ac\u00a3\u00a5\u20bd ")
    if bound in {"~", "\u2248"}:
        # a place less, but no more than a tenth of it: "~4x" is not 0 to 9; "~2,000" has one digit
        zeros = len(digits) - len(digits.rstrip("0")) if not decimals else 0
        half = max(half, min(10 * half, abs(value) / 10))
        half = max(half, min(10**zeros * scale / 2, abs(value) / 4))
    unit = unit_of(match["unit"]) if match["unit"] else None
    return Quantity(
        value,
        half,
        unit,
        match[0].strip(),
        match.start(),
        match.end(),
        decimals,
        bound,
    )


def exactly(value: Fraction, text: str, start: int = 0) -> Quantity:
    """A number that is exact: a count."""
    return Quantity(value, Fraction(0), None, text, start, start + len(text), 0)


_BRACKET = re.compile(r"[(\[{]([^()\[\]{}]+)[)\]}]")
_SCALED = re.compile(r"(?i)(?:x\s?|in )?(k|m|1,?000s?|000s?|thousands?|millions?)\b\s*(.*)")


def head_unit(head: str) -> tuple[Unit | None, Fraction]:
    """The unit that a label names and its scale: "IOPS (K)", "clat_ms", "Latency, usec"."""
    text = head.replace("\\", "")
    for inside in reversed(_BRACKET.findall(text)):
        words = inside.removeprefix("in ").strip()
        unit = unit_of(words) or unit_of(words.split(",")[-1].strip())
        if unit and unit.name != "x":
            return unit, Fraction(1)
        match = _SCALED.fullmatch(words)
        if match:
            scale = Fraction(
                10**6 if match[1].lower().startswith("mi") or match[1] in "mM" else 1000
            )
            bare = unit_of(match[2]) or _last(_BRACKET.sub(" ", text))
            return bare, scale
    return _last(_BRACKET.sub(" ", text)), Fraction(1)


def _last(text: str) -> Unit | None:
    """The last word that is a unit: of "p99_latency_ms" its ending."""
    if "%" in text:
        return unit_of("%")
    words = re.split(r"[\s_,;:]+", text.strip())
    for word in reversed(words):
        unit = unit_of(word)
        if (
            unit
            and (len(word) > 1 or word == "s")
            and word.lower() not in {"second", "hour", "x", "min", "times"}
        ):
            return unit
    return None
