"""Wait event histograms."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import MISALIGNED, Column, indices
from perfkit.sources.awr.tidy.context import Data, Found, Seen, UnreadError, columns_of
from perfkit.sources.awr.tidy.take import converted, converter, levelled, shown

_BUCKET = re.compile(r"(<=|<|>=|>)(\d+)(?:/(\d+))?(us|ms|u|s|m|h|)")

_EDGES = {"us": 1e6, "ms": 1e3, "s": 1.0, "m": 1 / 60, "h": 1 / 3600}

_UNITS = {"u": ("us",), "m": ("ms", "m"), "": ("us", "ms", "s")}
"""What is left of a unit, and which it may be: columns of five characters print ``<128u`` for
``<128us``, ``>=512`` for ``>=512us``, ``>=32m`` for ``>=32ms``."""

_Buckets = list[tuple[int, float, float | None]]
"""Of each bucket the place of its column, its lower edge and its upper one (None: without end)."""

_SHARE = re.compile(r"(<)?([\d.]+)(?:\((\d+)(\))?)?")

_RANGE = re.compile(r"\(([^()]*)\)\s*$")


def read_histogram(found: Found) -> dict[str, Data]:
    """Wait event histograms: one row for each bucket with something printed in it."""
    columns = found.table.columns
    named = _RANGE.search(found.table.title)
    covers = named[1] if named else None
    if covers == "Global" or cells.key(found.table.title) == "waiteventhistogram":
        # one whose heading was lost, or is damaged, may be of any range
        covers = "all"
    buckets = _buckets(columns, covers)
    names = indices(columns, ("event",))
    if not names:
        raise UnreadError(f"no column of events: {shown(columns)}")
    others = set(range(len(columns))) - {place for place, *_ in buckets} - {*names.values()}
    counted = [place for place in others if "wait" in cells.key(columns[place].name)]
    if len(counted) != 1 or others != {*counted}:
        raise UnreadError(f"a column of it is not known: {shown(columns)}")
    rows = _whole(found, buckets, counted[0]) if found.text else found.table.aligned
    events = [cells.words(row[names["event"]]) for row in rows]
    column = columns[counted[0]]
    waits = converted([row[counted[0]] for row in rows], converter("count", column), column, found)
    filled = [
        (covers, event, waits[number], *bucket)
        for number, event in enumerate(events)
        if event
        for bucket in _filled(found, number, rows[number], buckets)
    ]
    return {"event_histogram": levelled(columns_of(_HISTOGRAM, filled), found)}


def _whole(found: Found, buckets: _Buckets, counted: int) -> list[list[str]]:
    """The rows of a text table that have a count, and whose shares add up to 100 %.

    Its columns are of one width: beside a cell that was lost or added all stand one bucket apart.
    """
    rows = found.table.aligned
    complete = len(buckets) >= _ALL and buckets[-1][2] is None
    kept = []
    for number, row in enumerate(rows, 1):
        shares = [_SHARES[row[place]] for place, *_ in buckets if row[place] not in cells.NOTHING]
        total = sum(share[0] for share in shares if share)
        whole = not complete or abs(total - 1) <= _ROUNDED * len(buckets)
        if row[counted] and None not in shares and whole:
            kept.append(row)
        else:
            found.table.broken[number] = MISALIGNED
    return kept


_ALL = 3
_ROUNDED = 0.0005 + 1e-9
"""Shares are printed to a tenth of a percent."""


def _filled(
    found: Found,
    number: int,
    row: list[str],
    buckets: _Buckets,
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


def _buckets(columns: Sequence[Column], covers: str | None) -> _Buckets:
    """The buckets of a table, whose edges double from one to the next.

    Where a narrow column cut off a unit, its neighbours and the range of the table tell it.

    Raises:
        UnreadError: No column is a bucket, the edges contradict each other or the range, or there
            is more than one way to read them.
    """
    found = {
        place: name
        for place, column in enumerate(columns)
        if not column.unknown and (name := _BUCKET.fullmatch(cells.key(column.name)))
    }
    if not found:
        raise UnreadError(f"no column of it is a bucket: {shown(columns)}")
    ways = [
        way
        for way in itertools.product(*map(_edges, found.values()))
        if _doubles(way) and _ends_with(covers, way[-1][1])
    ]
    if len(ways) != 1:
        what = "do not follow each other up to the range" if not ways else "have several meanings"
        raise UnreadError(f"its buckets {what} ({covers or 'none is stated'}): {shown(columns)}")
    lower = [0.0, *(edge for _, edge in ways[0])]
    return [
        (place, below, edge if sign.startswith("<") else None)
        for place, below, (sign, edge) in zip(found, lower, ways[0], strict=False)
    ]


_Edge = tuple[str, float]


def _edges(name: re.Match[str]) -> list[_Edge]:
    """What the name of a bucket may say: its sign, and its edge in seconds."""
    sign, number, part, unit = name.groups()
    size = int(number) / (int(part or 1) or math.inf)
    return [(sign, size / _EDGES[whole]) for whole in _UNITS.get(unit, (unit,))]


def _doubles(edges: Sequence[_Edge]) -> bool:
    """Whether each edge is twice the one before; the last bucket begins where the one before ends.

    Up to 12.1 ``<32ms`` is followed by ``<=1s``.
    """
    return edges[0][1] > 0 and all(
        below == edge
        if sign.startswith(">")
        else below < edge < (math.inf if sign == "<=" else _DOUBLE * below)
        for (_, below), (sign, edge) in itertools.pairwise(edges)
    )


_DOUBLE = 2.2
"""512 us is followed by 1 ms, 64 ms by 1/8 s, 8 min by 1/4 h."""


def _ends_with(covers: str | None, edge: float) -> bool:
    """Whether the last edge is the end of the range that a table's title states."""
    most = _MOST.search(covers or "")
    return most is None or math.isclose(edge, int(most[1]) / _EDGES[most[2]])


_MOST = re.compile(r"to (\d+) (us|ms|s|m|h)")


def _share(text: str) -> tuple[float | None, bool | None, float | None] | None:
    """``0.0(37621)`` or ``<0.01(290)``: the share, whether it is a limit, the count in brackets.

    Of ``0.0(1324`` the column of a text report cut off the end: the count is not known.
    """
    found = _SHARE.fullmatch(text.replace(" ", ""))
    try:
        share = cells.percent(found[2]) if found else None
    except ValueError:
        return None
    if not found or share is None:
        return None
    return share, bool(found[1]), float(found[3]) if found[4] else None


_SHARES = Seen(_share)
