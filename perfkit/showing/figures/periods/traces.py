"""What is drawn of periods: bars as wide as they are, and lines that break where one is missing."""

from __future__ import annotations

from collections.abc import Sequence

from perfkit.core.schema import Row
from perfkit.showing.figures.canvas import Plotly, escape
from perfkit.showing.figures.periods.clock import interval
from perfkit.showing.figures.periods.stack import gap_between

LIGHT = "#9cc3e6"
"""The fill of bars below a line of the first colour; it is light in grey print too."""


def bars(
    rows: Sequence[Row],
    values: Sequence[float | None],
    name: str,
    marker: Plotly,
    told: Sequence[str | None],
) -> Plotly:
    """A bar a period over its time, ``told`` its value in words; without a value there is none."""
    return {
        "type": "bar",
        "name": escape(name),
        "x": [row["begin_time"].isoformat() for row in rows],
        "y": list(values),
        "offset": 0,
        # in the unit of Plotly's time axis
        "width": [(row["end_time"] - row["begin_time"]).total_seconds() * 1000 for row in rows],
        "marker": marker,
        "customdata": [_told(row, text) for row, text in zip(rows, told, strict=True)],
        "hovertemplate": _hover(name),
        "showlegend": False,
    }


def steps(
    rows: Sequence[Row],
    values: Sequence[float | None],
    name: str,
    line: Plotly,
    told: Sequence[str | None] | None,
) -> Plotly:
    """A line that keeps the value of a period over its time, and breaks where none is known.

    A period is one point, at its begin; only before a break its end is one, too. ``told``: each
    value in words; None: nothing stands under the pointer.
    """
    xs: list[str] = []
    ys: list[float | None] = []
    said: list[str | None] = []
    words = told or [None] * len(rows)
    for place, (row, value, text) in enumerate(zip(rows, values, words, strict=True)):
        after = rows[place + 1] if place + 1 < len(rows) else None
        under = _told(row, text)
        xs.append(row["begin_time"].isoformat())
        ys.append(value)
        said.append(under)
        broken = after is None or gap_between(row, after)
        if value is None or not (broken or values[place + 1] is None):
            continue
        xs.append(row["end_time"].isoformat())
        ys.append(value)
        said.append(under)
        if broken and after is not None:
            xs.append(row["end_time"].isoformat())
            ys.append(None)
            said.append(None)
    pointed: Plotly = {"hoverinfo": "skip"}
    if told is not None:
        pointed = {"customdata": said, "hovertemplate": _hover(name)}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(name),
        "x": xs,
        "y": ys,
        "connectgaps": False,
        "line": {**line, "shape": "hv"},
        "showlegend": False,
        **pointed,
    }


def _hover(name: str) -> str:
    return f"{escape(name)}<br>%{{customdata}}<extra></extra>"


def _told(row: Row, text: str | None) -> str | None:
    """The period and its value: 23 December 2023, 17:30 to 18:00: 1.22 ms, of 1,234 waits."""
    return None if text is None else f"{interval(row['begin_time'], row['end_time'])}: {text}"
