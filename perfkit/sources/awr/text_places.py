"""Whether the cells of a text row stand where those of their column do.

One character lost or added moves everything after it. Whether a cell still stands in its column is
seen from the column's edges: numbers end where the ruler ends, words begin where it begins. A cell
may lie one place inside: Oracle prints some numbers with a blank after them, and a shift by one
place never reaches another column.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

Spans = Sequence[tuple[int, int]]

_LINE = 100
"""The lines of a record are laid side by side, at least this far apart."""


_Cell = tuple[int, int] | None


def misaligned(
    lines: Sequence[str], spans: Spans, *, ruled: bool, full: frozenset[int] = frozenset()
) -> list[bool]:
    """Whether each row leaves its columns, or repeats the one above it.

    ``ruled``: only the ruler gives the edges, not the other rows too (records over several lines:
    losing one line puts all that follow into other columns).
    ``full``: the columns in which a row has a cell wherever it has one in the column before.
    """
    cells = [_edges(line, spans) for line in lines]
    across = zip(_across(cells, len(spans)), spans, strict=True)
    edges = [_edge(column, span, ruled=ruled) for column, span in across]
    # numbers keep to the right: values of parameters do not, though most of them may be numbers
    numbers = [
        edge is not None and edge[0] == 1 and _are_numbers(lines, cells, place)
        for place, edge in enumerate(edges)
    ]
    again = [False, *(one == other for one, other in itertools.pairwise(lines))]
    return [
        row is None
        or _off(row, edges)
        or _short(line, row, spans, full)
        or _foreign(line, row, numbers)
        or (twice and not _cut(line, row[0], spans[0]))
        for line, row, twice in zip(lines, cells, again, strict=False)
    ]


NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(?:[EKMGTP%][-+\d]*|[num]?s)?|#+|N/A")
_LARGE = re.compile(r"\d,\d|[1-9]\d{3}|[1-9]\d*\.?\d*[KMGT]\b")
"""A number of a thousand or more."""

_WORDS = re.compile(r"[^\W\d_]+|\S+\s+(?![num]?s$).+")
"""Not a number: a word, or two of which the second is not a unit of time."""

_FIRST = 40
"""Rows that decide what a column contains."""

_TWO = re.compile(r"\s{3,}[-+.,\d]+$")
"""A number behind blanks that stand between two cells, not in one."""


def _are_numbers(lines: Sequence[str], cells: list[list[_Cell] | None], place: int) -> bool:
    """Whether most cells of a column are numbers."""
    held = [
        bool(NUMBER.fullmatch(line, *cell))
        for line, row in zip(lines[:_FIRST], cells, strict=False)
        if row and (cell := row[place])
    ]
    return 2 * sum(held) > len(held)


def _foreign(line: str, row: list[_Cell], numbers: Sequence[bool]) -> bool:
    """Whether a number stands in the column of names, or a word in one of numbers."""
    if row[0] and not numbers[0] and _TWO.search(line, *row[0]):
        return True
    return any(
        number and cell is not None and _WORDS.fullmatch(line, *cell) is not None
        for cell, number in zip(row, numbers, strict=True)
    )


def _cut(line: str, name: _Cell, span: tuple[int, int]) -> bool:
    """Whether a name was cut off at the end of its column: it may be the same in several rows.

    Such rows may have the same small figures as well (latches, redo overheads in real reports).
    """
    if name is None:
        return True
    text = line[name[0] : name[1]]
    cut = name[1] >= span[1] - 1 and not text.endswith(":") and not text[-3:].isdecimal()
    return cut and not _LARGE.search(line, span[1])


def _edges(line: str, spans: Spans) -> list[_Cell] | None:
    """Where each cell begins and ends; None where a word stands between two columns."""
    found: list[_Cell] = []
    after = [start for start, _ in spans[1:]] + [len(line)]
    for (start, limit), following in zip(spans, after, strict=True):
        end = limit
        if limit == spans[-1][1]:
            # the last column may be wider than its ruler
            end = limit + len(line[limit:].split(" ", maxsplit=1)[0])
        if line[end:following].strip():
            return None
        cell = line[start:end]
        bare = cell.strip()
        left = start + len(cell) - len(cell.lstrip())
        found.append((left, left + len(bare)) if bare else None)
    return found


def _across(cells: list[list[_Cell] | None], size: int) -> list[list[tuple[int, int]]]:
    whole = [row for row in cells if row is not None]
    return [[cell for row in whole if (cell := row[place])] for place in range(size)]


_Edge = tuple[int, frozenset[int]]


def _edge(column: list[tuple[int, int]], span: tuple[int, int], *, ruled: bool) -> _Edge | None:
    """On which side a column's cells keep to an edge (0 left, 1 right), and where that is.

    Labels may end anywhere: a first column of which most cells keep to neither edge has none.
    """
    if not column:
        return None
    counts = [Counter(cell[side] for cell in column) for side in (0, 1)]
    own = [{span[0], span[0] + 1}, {span[1], span[1] - 1}]
    held = [sum(counts[side][place] for place in own[side]) for side in (0, 1)]
    most = [0 if ruled else max(counts[side].values()) for side in (0, 1)]
    side = 1 if _score(held[1], most[1]) >= _score(held[0], most[0]) else 0
    if not span[0] and 2 * held[side] < len(column):
        return None
    # one damage moves the cells of one row: what several rows keep to is an edge as well
    shared = () if ruled else (place for place, count in counts[side].items() if count > 1)
    return side, frozenset({*own[side], *shared})


def _score(held: int, most: int) -> tuple[int, int]:
    """How many cells keep to an edge: one that several rows share, and that of the ruler."""
    return max(held, most if most > 1 else 0), held


def _off(row: list[_Cell], edges: Sequence[_Edge | None]) -> bool:
    return any(
        cell is not None and edge is not None and cell[edge[0]] not in edge[1]
        for cell, edge in zip(row, edges, strict=True)
    )


def _short(line: str, row: list[_Cell], spans: Spans, full: frozenset[int]) -> bool:
    """Whether a row lost a cell with its width, between columns of one width.

    All behind the lost one then stands one column further to the left, at its edge; the last of
    them is blank. A mean in the last column is blank as well where the count before it is 0.
    """
    if row[-1] is None and row[-2:-1] and (count := row[-2]) and line[slice(*count)] == "0":
        return False
    for place in range(len(row) - 1, 0, -1):
        (before, end), (start, limit) = spans[place - 1], spans[place]
        if start - end >= _LINE:
            continue
        if row[place] is None and row[place - 1] is not None and place > 1:
            alike = abs((end - before) - (limit - start)) <= 1
            behind = all(
                cell is None
                for cell, span in zip(row[place:], spans[place:], strict=True)
                if span[0] - limit < _LINE
            )
            if alike and behind and place in full:
                return True
    return False
