"""The rounds before a run's first point, and whether the storage was steady after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.core import stats
from perfkit.core.errors import ParseError
from perfkit.core.schema import RUN_STEADY_STATE
from perfkit.sources.files import file_bytes, text_of
from perfkit.sources.fio.pool import metrics
from perfkit.sources.rundir.point import Point, json_node, read_point

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.core.schema import Row
    from perfkit.formats.json_node import Node

OUTCOME = "steady.json"
SLACK = 0.02
"""How far the ratios may lie from those of the rounds' own files: those are rounded by the tool."""


def read_rounds(folder: Path, label: str) -> tuple[list[Point], list[Row]]:
    """The rounds of a run in order, and its steady state as the one row of a table.

    Nothing where the run had none. ParseError where the outcome does not fit the rounds.
    """
    place = folder / "rounds"
    if not (place / OUTCOME).is_file():
        return [], []
    name = f"{label}/rounds/{OUTCOME}"
    node = json_node(text_of(file_bytes(place / OUTCOME, name), name), name)
    node.need("metric", "rounds", "attained")
    count = node.count("rounds") or 0
    points = [
        read_point(place / f"round-{n:03d}", f"round-{n:03d}", f"{label}/rounds/round-{n:03d}")
        for n in range(1, count + 1)
    ]
    _check(node, points)
    row: Row = {column: node.content.get(column) for column in RUN_STEADY_STATE}
    return points, [{**row, "workload": points[0].facts.text("workload") if points else None}]


def _check(node: Node, points: list[Point]) -> None:
    """The window must be the one that the rounds' own results give."""
    metric = node.text("metric") or ""
    values = [metrics(point.flows).get(metric) for point in points]
    if any(value is None for value in values):
        raise ParseError(node.file, f"a round gives no {metric}")
    window = stats.steady_window([value for value in values if value is not None])
    if window is None:
        raise ParseError(node.file, f"{len(points)} rounds are no window")
    for name in ("range_ratio", "slope_ratio"):
        given, own = node.number(name), getattr(window, name)
        if given is None or abs(given - own) > SLACK:
            raise node.fault(name, f"is {given}, and the rounds give {own:.4f}")
