"""What commands of the user's printed beside a point, as rows: one a counter of a reading."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ParseError

if TYPE_CHECKING:
    from perfkit.core.schema import Row

PREFIX = "observed-"
NO_FORM = "printed no"
"""The beginning of why a reading that ended well gives no numbers."""

MOST = 100_000
"""Counters of one reading."""


def rows(text: str, label: str) -> Iterator[Row]:
    """The rows of one file of readings, a line of JSON each behind one that says their form.

    A reading that failed, or is not in its form, has one row, with the reason as its text.

    Raises ParseError naming the file and line of what is no record of a reading.
    """
    first, *readings = text.splitlines() or [""]
    try:
        declared = json.loads(first)
        name, form, clock = (declared[key] for key in ("observer", "form", "clock"))
    except (ValueError, KeyError, TypeError) as error:
        raise ParseError(label, f"does not say what its readings are: {error}", 1) from error
    for line, content in enumerate(readings, start=2):
        try:
            reading = json.loads(content)
            times = {key: float(reading[key]) for key in ("t_s", "took_s")}
            base = {"observer": str(name), **times}
            host_s = dt.datetime.fromisoformat(reading["utc"]).timestamp()
            said, problem = str(reading["text"]), reading["problem"]
        except (ValueError, KeyError, TypeError) as error:
            raise ParseError(label, f"is no reading of an observer: {error}", line) from error
        if problem or form == "text":
            yield {**base, "text": str(problem or said), "failed": bool(problem)}
            continue
        try:
            yield from list(_counters(said, form, clock, host_s, base))
        except (ValueError, KeyError, RecursionError) as error:
            # what a command prints must not cost the point it stands beside
            yield {**base, "text": f"{NO_FORM} {form}: {error}", "failed": True}


def unread(found: Sequence[Row]) -> Iterator[str]:
    """What a point must say of readings that were made and are not in their form."""
    for name in sorted({row["observer"] for row in found}):
        own = [row for row in found if row["observer"] == name]
        bad = [row for row in own if (row.get("text") or "").startswith(NO_FORM)]
        if bad:
            total = len({row["t_s"] for row in own})
            yield f"{len(bad)} of {total} readings of {name} are not read: {bad[0]['text']}"


def _counters(
    text: str, form: str, clock: str | None, host_s: float, base: dict[str, Any]
) -> Iterator[Row]:
    found = list(_of_csv(text, clock) if form == "csv" else _of_json(json.loads(text)))
    if len(found) > MOST:
        raise ValueError(f"{len(found)} counters in one reading, at most {MOST}")
    if found and not any(_number(value) is not None for _, name, value in found if name != clock):
        raise ValueError("no value is a number")
    times = [value for _, name, value in found if name == clock]
    if clock and not times:
        raise ValueError(f"has no {clock!r} for the clock")
    offset = _seconds(times[-1]) - host_s if times else None
    for item, name, value in found:
        number = _number(value)
        if name != clock and number is not None:
            yield {**base, "item": item, "name": name, "value": number,
                   "clock_offset_s": offset, "failed": False}  # fmt: skip


def _of_csv(text: str, clock: str | None) -> Iterator[tuple[str | None, str, Any]]:
    """(item, counter, value) of each cell; cells that are no numbers name the item."""
    for number, row in enumerate(
        csv.DictReader(io.StringIO(text.strip()), strict=True, restkey=None), start=1
    ):
        if None in row or None in row.values():
            raise ValueError(f"a row has not as many cells as the header: {text[:60]!r}")
        for name, cell in row.items():
            _check_digits(cell, f"row {number}, {name.strip()}")
        words = [cell.strip() for name, cell in row.items()
                 if name.strip() != clock and _number(cell) is None]  # fmt: skip
        item = " ".join(filter(None, words)) or None
        for name, cell in row.items():
            yield item, name.strip(), cell.strip()


def _of_json(value: Any, path: str = "", item: str | None = None) -> Iterator[tuple[Any, ...]]:
    """(item, counter, value) of each plain value; elements of lists are items, by their name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _of_json(inner, f"{path}.{key}" if path else str(key), item)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            named = inner.get("name") if isinstance(inner, dict) else None
            own = str(named if isinstance(named, str) else number)
            yield from _of_json(inner, path, f"{item} {own}" if item else own)
    else:
        _check_digits(value, f"{item} {path}" if item else path)
        yield item, path, value


_SEPARATED = re.compile(r"[+-]?(\d+,\d+|\d{1,3}([,'\s]\d{3})+|\d{1,3}(\.\d{3}){2})([.,]\d+)?")


def _check_digits(value: Any, place: str) -> None:
    """ValueError for digits in groups: 1,234 is a thousand here and little more than 1 there."""
    if isinstance(value, str) and _SEPARATED.fullmatch(value.strip()):
        raise ValueError(f"{place}: {value.strip()!r} has a separator between its digits: print "
                         "plain numbers")  # fmt: skip


def _number(value: Any) -> float | None:
    """A finite number; None for anything else."""
    # Python's own _ between digits is in no tool's numbers
    if isinstance(value, bool) or value is None or "_" in str(value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _seconds(value: Any) -> float:
    """Seconds since 1970 of an ISO 8601 time (without a zone: UTC) or a number of seconds."""
    number = _number(value)
    if number is not None:
        return number
    when = dt.datetime.fromisoformat(str(value))
    return (when if when.tzinfo else when.replace(tzinfo=dt.UTC)).timestamp()
