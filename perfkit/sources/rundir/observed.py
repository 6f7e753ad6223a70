"""What commands of the user's printed beside a point, as rows: one a counter of a reading."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ParseError
from perfkit.formats.printed_counters import counters, number_of

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

    Raises ParseError naming the file and line of what is not a record of a reading.
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
            raise ParseError(label, f"is not a reading of an observer: {error}", line) from error
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
    found = counters(text, form, clock)
    if len(found) > MOST:
        raise ValueError(f"{len(found)} counters in one reading, at most {MOST}")
    if found and not any(number_of(value) is not None for _, name, value in found if name != clock):
        raise ValueError("no value is a number")
    times = [value for _, name, value in found if name == clock]
    if clock and not times:
        raise ValueError(f"has no {clock!r} for the clock")
    offset = _seconds(times[-1]) - host_s if times else None
    for item, name, value in found:
        number = number_of(value)
        if name != clock and number is not None:
            yield {
                **base,
                "item": item,
                "name": name,
                "value": number,
                "clock_offset_s": offset,
                "failed": False,
            }


def _seconds(value: Any) -> float:
    """Seconds since 1970 of an ISO 8601 time (without a zone: UTC) or a number of seconds."""
    number = number_of(value)
    if number is not None:
        return number
    when = dt.datetime.fromisoformat(str(value))
    return (when if when.tzinfo else when.replace(tzinfo=dt.UTC)).timestamp()
