"""What is drawn of periods: bars as wide as they are, and lines that break where one is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.showing.figures.canvas import escape
from perfkit.showing.figures.periods.clock import interval
from perfkit.showing.figures.periods.stack import gap_between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.core.schema import Row

LIGHT = "#9cc3e6"
"""The fill of bars below a line of the first colour; it is light in grey print too."""


def bars(
    rows: Sequence[Row], values: Sequence[float | None], name: str, marker: dict[str, Any]
) -> dict[str, Any]:
    """A bar a period over its time; without a value there is none."""
    return {
        "type": "bar", "name": escape(name), "x": [row["begin_time"].isoformat() for row in rows],
        "y": list(values), "offset": 0, "width": [_ms(row) for row in rows], "marker": marker,
        "customdata": [interval(row["begin_time"], row["end_time"]) for row in rows],
        "hovertemplate": f"{escape(name)}<br>%{{customdata}}: %{{y:,.4~g}}<extra></extra>",
        "showlegend": False,
    }  # fmt: skip


def steps(
    rows: Sequence[Row], values: Sequence[float | None], name: str, line: dict[str, Any]
) -> dict[str, Any]:
    """A line that keeps the value of a period over its time, and breaks where none is known."""
    xs: list[str | None] = []
    ys: list[float | None] = []
    told: list[str | None] = []
    before: Row | None = None
    for row, value in zip(rows, values, strict=True):
        if value is None or (before is not None and gap_between(before, row)):
            xs.append(row["begin_time"].isoformat())
            ys.append(None)
            told.append(None)
        if value is not None:
            xs += [row["begin_time"].isoformat(), row["end_time"].isoformat()]
            ys += [value, value]
            told += [interval(row["begin_time"], row["end_time"])] * 2
        before = row
    return {
        "type": "scatter", "mode": "lines", "name": escape(name), "x": xs, "y": ys,
        "connectgaps": False, "line": line, "customdata": told, "showlegend": False,
        "hovertemplate": f"{escape(name)}<br>%{{customdata}}: %{{y:,.4~g}}<extra></extra>",
    }  # fmt: skip


def _ms(row: Row) -> float:
    """The length of a period in the unit of Plotly's time axis."""
    return float((row["end_time"] - row["begin_time"]).total_seconds() * 1000)
