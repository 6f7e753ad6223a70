"""Counters that a command printed, as CSV or JSON: whose they are, their names and values."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from typing import Any


def counters(text: str, form: str, clock: str | None) -> list[tuple[str | None, str, Any]]:
    """(item, counter, value) of each value that is printed; ValueError for another form.

    ``clock`` is the counter with the time, which names no item.
    """
    return list(_of_csv(text, clock) if form == "csv" else _of_json(json.loads(text)))


def _of_csv(text: str, clock: str | None) -> Iterator[tuple[str | None, str, Any]]:
    """(item, counter, value) of each cell; cells that are not numbers name the item."""
    for number, row in enumerate(
        csv.DictReader(io.StringIO(text.strip()), strict=True, restkey=None), start=1
    ):
        if None in row or None in row.values():
            raise ValueError(f"a row has not as many cells as the header: {text[:60]!r}")
        for name, cell in row.items():
            _check_digits(cell, f"row {number}, {name.strip()}")
        words = [
            cell.strip()
            for name, cell in row.items()
            if name.strip() != clock and number_of(cell) is None
        ]
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
        raise ValueError(
            f"{place}: {value.strip()!r} has a separator between its digits: print plain numbers"
        )


def number_of(value: Any) -> float | None:
    """A finite number; None for anything else."""
    # Python's own _ between digits is in no tool's numbers
    if isinstance(value, bool) or value is None or "_" in str(value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
