"""The known columns of a raw table as values, with the level and instance of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from perfkit.core.units import GIB, KIB, MIB
from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import Column, indices
from perfkit.sources.awr.sections import RAC
from perfkit.sources.awr.tidy.context import Data, Found, Seen, UnreadError, rows_of, size_of

CLASSES = (
    "User I/O", "System I/O", "Other", "Application", "Commit", "Network", "Concurrency",
    "Configuration", "Cluster", "Administrative", "Scheduler", "Queueing", "Idle", "DB CPU",
)  # fmt: skip
"""Oracle's wait classes; text reports cut them off."""


def wait_class(text: str) -> str | None:
    """The wait class whose name begins so; a name that begins none, or several, stays as it is."""
    squeezed = cells.words(text)
    if squeezed is None or squeezed in CLASSES:
        return squeezed
    found = [name for name in CLASSES if name.startswith(squeezed)]
    return found[0] if len(found) == 1 else squeezed


CONVERTERS: dict[str, Callable[[str], Any]] = {
    "number": cells.number,
    "count": cells.count,
    "tally": cells.tally,
    "percent": cells.percent,
    "size": cells.size,
    "megabytes": cells.scaled(MIB),
    "gigabytes": cells.scaled(GIB),
    "kilobytes": cells.scaled(KIB),
    "whole": cells.whole,
    "words": cells.words,
    "verbatim": cells.verbatim,
    "yes": cells.yes,
    "snapshot": cells.snapshot,
    "thousands": cells.scaled(1000),
    "wait_class": wait_class,
}


_TIMES: dict[str, Callable[..., Any]] = {
    "seconds": cells.seconds,
    # up to 12.1 a bare number of milliseconds under a header without a unit
    "service": lambda text, unit: cells.seconds(text, unit or "ms"),
    "microseconds": lambda text, unit: cells.seconds(text, unit or "us"),
    "minutes": lambda text, unit: cells.seconds(text, unit or "min"),
    "hours": lambda text, unit: cells.seconds(text, unit or "h"),
}
"""The kinds of cell whose unit may stand in the header."""


def converter(kind: str, column: Column) -> Callable[[str], Any]:
    """How the cells of a column become values."""
    if kind == "verbatim":
        return cells.verbatim
    unit = column.unit if kind in _TIMES else None
    if kind in ("minutes", "hours") and unit == "s":
        unit = None
    return _seen(kind, unit).__getitem__


@cache
def _seen(kind: str, unit: str | None) -> Seen:
    timed = _TIMES.get(kind)
    return Seen(CONVERTERS[kind] if timed is None else partial(timed, unit=unit))


def take(found: Found, rows: list[list[str]] | None = None) -> Data:
    """The known columns of a table as values; what cannot be read is null, with a warning.

    Raises:
        UnreadError: None of the columns is known, or one is missing.
        cells.ForeignNumberError: A number with a decimal comma.
    """
    places = indices(found.table.columns, tuple(found.section.columns))
    missing = [
        name
        for name in found.section.required
        if name in found.section.columns and name not in places
    ]
    if missing or not places:
        what = f"no column {missing[0]!r}" if missing else "none of its columns is known"
        raise UnreadError(f"{what} at {found.table.place}: {shown(found.table.columns)}")
    if _has_unknown(found, places):
        _refuse_lone(found, places)
    # every row has a cell for each column at least
    columns = list(zip(*(found.table.aligned if rows is None else rows), strict=False))
    columns = columns or [()] * len(found.table.columns)
    data: Data = {}
    for name, place in places.items():
        target, kind = found.section.columns[name]
        if target not in data:
            column = found.table.columns[place]
            if place in found.table.body.must:
                _blank(columns, place, found)
            data[target] = converted(columns[place], converter(kind, column), column, found)
    return data


def _blank(columns: Sequence[Sequence[str]], place: int, found: Found) -> None:
    """Report blank cells of a column in which every row has a number: they were lost."""
    for row, (name, text) in enumerate(zip(columns[0], columns[place], strict=True), 1):
        if name and not text:
            found.fault(row, repr(found.table.columns[place].name), "nothing is printed")


def shown(columns: Sequence[Column]) -> str:
    """The names of columns, for messages."""
    return " | ".join(column.name for column in columns)[:120] or "no header"


def _refuse_lone(found: Found, places: dict[str, int]) -> None:
    """Refuse a name printed once, not twice, beside an unknown one: which of both it is is open.

    Raises:
        UnreadError: The second column of the name could be read as the first.
    """
    for name in places:
        if f"{name}#2" in found.section.columns and f"{name}#2" not in places:
            what = f"column {name!r} is printed once beside one that is not known"
            raise UnreadError(f"{what} at {found.table.place}: {shown(found.table.columns)}")


def _has_unknown(found: Found, places: dict[str, int]) -> bool:
    """Whether there are columns that the section neither reads nor ignores; warns of them."""
    unknown = False
    used = set(places.values())
    for place, column in enumerate(found.table.columns):
        known = any(name in found.section.ignored for name in column.keys)
        if place not in used and not known and column.name:
            found.warn(f"column {column.name!r} is not known, not read")
            unknown = True
    return unknown


def converted(
    texts: Sequence[str],
    convert: Callable[[str], Any],
    column: Column,
    found: Found,
) -> list[Any]:
    """Cells as values; one that cannot be read is null, with a warning."""
    try:
        return list(map(convert, texts))
    except cells.ForeignNumberError:
        raise
    except (ValueError, OverflowError):
        pass
    values = []
    for row, text in enumerate(texts, 1):
        try:
            values.append(convert(text))
        except cells.ForeignNumberError:
            raise
        except (ValueError, OverflowError) as problem:
            found.fault(row, repr(column.name), str(problem))
            values.append(None)
    return values


def by_instance(found: Found, rows: list[list[str]] | None = None) -> Data:
    """The known columns of a table, each row with its level and instance; errors as ``take``."""
    return levelled(take(found, rows), found)


def levelled(data: Data, found: Found) -> Data:
    """The data with level and instance; rows Sum, Avg, Std, Min, Max are left out."""
    marks = data.pop("i#", None)
    if marks is None:
        count = size_of(data)
        level = "cluster" if found.context.scope == RAC else "instance"
        return {"level": [level] * count, "instance": [found.context.instance] * count, **data}
    for row, mark in enumerate(marks, 1):
        if found.text and mark is None:
            found.lost_row(row, "it has no instance")
    keep = [place for place, mark in enumerate(marks) if mark and (mark == "*" or mark.isdecimal())]
    return {
        "level": ["cluster" if marks[place] == "*" else "instance" for place in keep],
        "instance": [None if marks[place] == "*" else int(str(marks[place])) for place in keep],
        **rows_of(data, keep),
    }


def is_instance(mark: str) -> bool:
    """Whether a cell of the column I# is the number of an instance."""
    return mark.isascii() and mark.isdecimal() and len(mark) < _LONGEST


_LONGEST = 6
"""Digits of an instance number at most; a real one has two."""
