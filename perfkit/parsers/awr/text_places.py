"""Whether the cells of a text row stand where those of their column do.

A character that is lost or one too many moves all behind it. What still stands in its column, or
where in another one, only the edges of the columns tell: a column's cells end (numbers) or begin
(words) at one place in every row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Spans = Sequence[tuple[int, int]]

_ENOUGH = 3
"""Cells of a column from which its edge is learned."""

_MOST = 0.6
"""The share of a column's cells that has to keep to one edge, for it to have one."""


def moved(lines: Sequence[str], spans: Spans, *, ruled: bool) -> list[bool]:
    """Of each row, whether it does not keep to the columns.

    ``ruled``: the edges are those of the ruler (records over several lines: losing one of them
    puts all that follow into other columns), not those that most rows keep to.
    """
    cells = [_edges(line, spans) for line in lines]
    across = zip(_across(cells, len(spans)), spans, strict=True)
    edges = [_edge(column, span, ruled=ruled) for column, span in across]
    return [row is None or _off(row, edges) for row in cells]


_Cell = tuple[int, int] | None


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


def _edge(
    column: list[tuple[int, int]], span: tuple[int, int], *, ruled: bool
) -> tuple[int, frozenset[int]] | None:
    """On which side a column's cells keep to an edge (0 left, 1 right), and where that is."""
    if not column:
        return None
    if ruled:
        ends = sum(cell[1] == span[1] for cell in column)
        begins = sum(cell[0] == span[0] for cell in column)
        return (1, frozenset({span[1]})) if ends >= begins else (0, frozenset({span[0]}))
    if len(column) < _ENOUGH:
        return None
    side, places = max(
        ((side, Counter(cell[side] for cell in column)) for side in (1, 0)),
        key=lambda item: max(item[1].values()),
    )
    if max(places.values()) < _MOST * len(column):
        return None
    # a few rows print an empty column narrower: what several rows keep to is an edge as well
    return side, frozenset(place for place, count in places.items() if count > 1) | {span[side]}


def _off(row: list[_Cell], edges: Sequence[tuple[int, frozenset[int]] | None]) -> bool:
    return any(
        cell is not None and edge is not None and cell[edge[0]] not in edge[1]
        for cell, edge in zip(row, edges, strict=True)
    )
