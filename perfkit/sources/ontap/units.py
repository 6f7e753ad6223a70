"""ONTAP's cells: numbers with their unit appended. KB, MB, GB and TB are powers of 1024.

That they are binary is seen in published output: 986 IOPS of 32 KiB are shown as 30.82MB/s.
"""

from __future__ import annotations

import re
from decimal import Decimal

from perfkit.core.units import DIGITS, GIB, KIB, MIB

_NUMBER = rf"(?P<number>{DIGITS}(?:\.\d+)?|\.\d+)"
_TIME = re.compile(rf"{_NUMBER}(?P<unit>us|ms|s|ns)$|(?P<none>0)$", re.I)
_BYTES = re.compile(rf"{_NUMBER}(?:(?P<unit>[KMGT]?B)(?:/s|ps)?)?$", re.I)
_COUNT = re.compile(rf"{_NUMBER}$")
_SHARE = re.compile(rf"{_NUMBER}%$")
_RATIO = re.compile(rf"{_NUMBER}\s*(?:IOPS)?(?:/(?P<per>TB|GB))?$", re.I)
_IOPS = re.compile(rf"{_NUMBER}\s*(?:IOPS)?$", re.I)
_FLAG = re.compile("(?:true|false)$", re.I)

_SECONDS = {"ns": Decimal("1e-9"), "us": Decimal("1e-6"), "ms": Decimal("1e-3"), "s": Decimal(1)}
GB_PER_TB = 1024
_SIZES = {"b": 1, "kb": KIB, "mb": MIB, "gb": GIB, "tb": GB_PER_TB * GIB}
NONE = {"-", "--", ""}
UNLIMITED = {"inf", "unlimited", "none"}


def _value(found: re.Match[str]) -> Decimal:
    return Decimal(found["number"].replace(",", ""))


def _read(pattern: re.Pattern[str], text: str, what: str) -> re.Match[str] | None:
    """A cell in its form; None for no value. ValueError for another form, which says ``what``."""
    found = pattern.match(text)
    if found is None and text not in NONE:
        raise ValueError(f"{text!r} is {what}")
    return found


def seconds(text: str) -> float | None:
    """``327.00us``, ``110.35ms``, ``0ms``; a bare 0 is 0. ValueError for another form."""
    found = _read(_TIME, text, "not a time such as 327.00us or 1.2ms")
    if found is None or found["none"]:
        return found and 0.0
    return float(_value(found) * _SECONDS[found["unit"].lower()])


def bytes_of(text: str) -> float | None:
    """``1.99MB/s``, ``0KB/s``, ``8192B``, ``32.0KB``, ``512``. ValueError for another form."""
    found = _read(_BYTES, text, "not a size or throughput such as 1.99MB/s")
    return found and float(_value(found) * _SIZES[(found["unit"] or "b").lower()])


def count(text: str) -> float | None:
    """``4,065``, ``12.5``. ValueError for another form."""
    found = _read(_COUNT, text, "not a number")
    return found and float(_value(found))


def share(text: str) -> float | None:
    """``75%`` as 0.75. ValueError for another form."""
    found = _read(_SHARE, text, "not a percentage")
    return found and float(_value(found) / 100)


def microseconds(text: str) -> float | None:
    """A number in a column whose head says us; ValueError for another form."""
    found = _read(_COUNT, text, "not a number")
    return found and float(_value(found) * _SECONDS["us"])


def flag(text: str) -> bool | None:
    """``true``, ``false``. ValueError for another form."""
    found = _read(_FLAG, text, "neither true nor false")
    return found and found[0].lower() == "true"


def iops(text: str) -> float | None:
    """``7500``, ``1000IOPS``. ValueError for another form."""
    found = _read(_IOPS, text, "not a number of IOPS")
    return found and float(_value(found))


def per_capacity(text: str) -> tuple[float, str, str]:
    """IOPS per TB or GB: the number, the unit, and whether the unit is printed.

    ``6144IOPS/TB``, ``5IOPS/GB``, ``300iops/tb``; a bare ``5000`` or ``5000IOPS`` is per TB
    (ONTAP manual, qos adaptive-policy-group create). ValueError for another form.
    """
    found = _RATIO.match(text)
    if not found:
        raise ValueError(f"{text!r} is not a rate such as 6144IOPS/TB")
    unit = f"IOPS/{(found['per'] or 'TB').upper()}"
    return float(_value(found)), unit, "printed" if found["per"] else "default"


def per_tb(value: float, unit: str) -> float:
    """IOPS per TB of a rate in IOPS/TB or IOPS/GB."""
    return value * GB_PER_TB if unit.endswith("/GB") else value


def limits(text: str) -> dict[str, float | None]:
    """A throughput limit, or a range of two: ``0-20000IOPS``, ``50000IOPS,1.53GB/s``.

    Keys min_iops, max_iops, min_bytes_per_s, max_bytes_per_s; a floor of 0 and a ceiling INF are no
    limits (null). ValueError for another form.
    """
    low, dash, high = text.partition("-")
    sides = {"min": low, "max": high} if dash else {"max": low}
    made: dict[str, float | None] = {}
    for side, part in sides.items():
        for piece in re.split(r"(?<=[A-Za-z]),", part):
            if piece.lower() in UNLIMITED or piece in {"0", ""}:
                continue
            if "b/s" in piece.lower():
                made[f"{side}_bytes_per_s"] = bytes_of(piece)
            else:
                made[f"{side}_iops"] = iops(piece)
    return made
