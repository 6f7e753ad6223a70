"""Wait event histograms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat
from typing import Any

from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import MISALIGNED, indices
from perfkit.sources.awr.tidy.context import Data, Found, Seen, UnreadError
from perfkit.sources.awr.tidy.take import converted, converter, levelled, shown

_BUCKET = re.compile(r"(<=|<|>=|>)(\d+)(?:/(\d+))?(us|ms|u|s|m|h)")


_EDGES = {"u": 1e6, "us": 1e6, "ms": 1e3, "s": 1.0, "m": 1 / 60, "h": 1 / 3600}


_SHARE = re.compile(r"(<)?([\d.]+)(?:\((\d+)\))?")


_RANGE = re.compile(r"\(([^()]*)\)\s*$")


def read_histogram(found: Found) -> dict[str, Data]:
    """Wait event histograms: one row for each bucket with something printed in it."""
    columns = found.table.columns
    edges = [_edge(column.name) for column in columns]
    if not any(edges):
        raise UnreadError(f"no column of it is a bucket: {shown(columns)}")
    names = indices(columns, ("event",))
    if any(column.unknown for column in columns):
        raise UnreadError(f"a bucket of it is not known: {shown(columns)}")
    if not names:
        raise UnreadError(f"no column of events: {shown(columns)}")
    counted = [
        place for place, column in enumerate(columns)
        if edges[place] is None and place != names.get("event") and "wait" in cells.key(column.name)
    ]  # fmt: skip
    buckets = _buckets(edges)
    named = _RANGE.search(found.table.title)
    covers = named[1] if named else None
    if covers == "Global" or cells.key(found.table.title) == "waiteventhistogram":
        # one whose heading was lost, or is damaged, may be of any range
        covers = "all"
    if _beyond(covers, buckets):
        raise UnreadError(f"its buckets reach beyond its range ({covers}): {shown(columns)}")
    rows = _whole(found, buckets) if found.text else found.table.aligned
    events = [cells.words(row[names["event"]]) for row in rows]
    waits: list[float | None] = [None] * len(rows)
    if counted:
        column = columns[counted[0]]
        printed = [row[counted[0]] for row in rows]
        waits = converted(printed, converter("count", column), column, found)
    filled = [
        (covers, event, waits[number], *bucket)
        for number, event in enumerate(events) if event
        for bucket in _filled(found, number, rows[number], buckets)
    ]  # fmt: skip
    parts = zip(*filled, strict=True) if filled else repeat(())
    data = dict(zip(_HISTOGRAM, map(list, parts), strict=False))
    return {"event_histogram": levelled(data, found)}


def _beyond(covers: str | None, buckets: list[tuple[int, float, float | None]]) -> bool:
    """Whether a bucket ends beyond "up to 32 ms": its ``m`` were milliseconds, read as minutes."""
    most = _MOST.search(covers or "")
    if most is None:
        return False
    end = int(most[1]) / _EDGES[most[2]]
    return any(max(lower, upper or lower) > end * _BINARY for _, lower, upper in buckets)


_MOST = re.compile(r"to (\d+) (us|ms|s|m|h)")

_BINARY = 1.025
"""Oracle's second is 1,024 ms."""


def _whole(found: Found, buckets: list[tuple[int, float, float | None]]) -> list[list[str]]:
    """The rows of a text table whose shares add up to 100 %, as those of all buckets do.

    Its columns are of one width: behind a cell that was lost all stand one bucket too low.
    """
    rows = found.table.aligned
    if len(buckets) < _ALL or buckets[0][1] or buckets[-1][2] is not None:
        return rows
    kept = []
    for number, row in enumerate(rows, 1):
        shares = [_share(row[place]) for place, *_ in buckets if row[place] not in cells.NOTHING]
        printed = [share[0] for share in shares if share and share[0] is not None]
        if len(printed) == len(shares) and abs(sum(printed) - 1) > _ROUNDED * len(buckets):
            found.table.broken[number] = MISALIGNED
        else:
            kept.append(row)
    return kept


_ALL = 3
_ROUNDED = 0.0005 + 1e-9
"""Shares are printed to a tenth of a percent."""


def _filled(
    found: Found,
    number: int,
    row: list[str],
    buckets: list[tuple[int, float, float | None]],
) -> Iterator[tuple[Any, ...]]:
    """The buckets of a row in which something is printed: their edges and what it says."""
    for place, lower, upper in buckets:
        text = row[place]
        if text not in cells.NOTHING:
            share = _SHARES[text]
            if share is None:
                name = repr(found.table.columns[place].name)
                found.fault(number + 1, name, repr(text))
                share = (None, None, None)
            yield lower, upper, *share


_HISTOGRAM = ("range", "event", "waits", "lower_s", "upper_s", "waits_ratio", "below", "count")


def _edge(name: str) -> tuple[str, float] | None:
    found = _BUCKET.fullmatch(cells.key(name))
    if not found or found[3] == "0":
        return None
    return found[1], int(found[2]) / int(found[3] or 1) / _EDGES[found[4]]


def _buckets(edges: list[tuple[str, float] | None]) -> list[tuple[int, float, float | None]]:
    """The buckets: place of the column, lower edge, upper edge (None: without end)."""
    buckets: list[tuple[int, float, float | None]] = []
    below = 0.0
    for place, edge in enumerate(edges):
        if edge is None:
            continue
        if edge[0].startswith("<"):
            buckets.append((place, below, edge[1]))
            below = edge[1]
        else:
            buckets.append((place, edge[1], None))
    return buckets


def _share(text: str) -> tuple[float | None, bool | None, float | None] | None:
    """``0.0(37621)`` or ``<0.01(290)``: the share, whether it is a limit, the count in brackets."""
    found = _SHARE.fullmatch(text.replace(" ", ""))
    try:
        share = cells.percent(found[2]) if found else None
    except ValueError:
        return None
    if not found or share is None:
        return None
    return share, bool(found[1]), float(found[3]) if found[3] else None


_SHARES = Seen(_share)
