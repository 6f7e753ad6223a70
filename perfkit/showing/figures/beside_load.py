"""A point over time: its load, its host and what was observed, panels over one time axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perfkit.analysis.curves.metrics import load_number, load_text
from perfkit.analysis.curves.series import by_label, require_rows
from perfkit.analysis.over_time.beside import EVENTS
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format, time_format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures.canvas import HEADROOM, Plotly, upright
from perfkit.showing.figures.panel_lines import MARKED, line_trace
from perfkit.showing.figures.periods import stack
from perfkit.showing.figures.scales import Scale, share_above, wide
from perfkit.showing.figures.words import Words

MOST_PANELS = 8
"""Panels of a figure: so many fill a page."""

_FOOT = 46.0
_SECONDS = Format("s", significant=3)


def plots_beside_load(beside: Measured) -> list[Figure]:
    """What ``beside_load`` gives, a figure a workload and system; of many counters several.

    A further figure begins with the first panel of all, the load's IOPS.
    """
    rows = require_rows(beside, "beside the load", ("panel", "line", "t_s", "value"), "no chart")
    found: list[Figure] = []
    for label, own in by_label(rows).items():
        panels = list(dict.fromkeys(row["panel"] for row in own if row["panel"] != EVENTS))
        for first in range(1, max(2, len(panels)), MOST_PANELS - 1):
            chosen = [panels[0], *panels[first : first + MOST_PANELS - 1]]
            number = f"-{len(found) + 1}" if found else ""
            found.append(_plotted(beside, label, chosen, value_id=f"beside-load{number}"))
    return found


@step(version=1, name="figure.beside_load")
def _plotted(beside: Measured, label: str, panels: Sequence[str], *, value_id: str) -> Figure:
    every = by_label(beside.frame.rows(named=True))[label]
    rows = [row for row in every if row["panel"] in panels]
    events = [row for row in every if row["panel"] == EVENTS]
    parts = rows_by(rows, lambda row: row["panel"])
    drawn = {title: parts[title] for title in panels}
    times = [row["t_s"] for row in rows]
    axis = Scale("Time since the point was started (s)")
    ends = axis.range(times)
    made = [_panel(title, own) for title, own in drawn.items()]
    chart = stack.over(
        made, lambda width: {**axis.axis(ends, width, high=False), "title": axis.title}, foot=_FOOT
    )
    for event in events:
        chart.layout["shapes"] += [_through(place, event["t_s"]) for place in range(len(made))]
    words = Words()
    first = rows[0]
    at = f"{load_text(first['load_kind'], first['load'])}, repeat {first['repeat']}"
    late = first["late_s"]
    said = ""
    if late is not None:
        most = words.keep(time_format(late).show(late))
        apart = ", and they are no further apart from host to host" if first["hosts"] > 1 else ""
        said = f" The lines of the load are drawn too late by {most} at most{apart}."
    marks = "".join(
        f" Dotted line at {words.keep(_SECONDS.show(row['t_s']))}: {row['line']}." for row in events
    )
    caption = f"{label} at {at}, over time.{said}{marks}{_left_out(drawn)}"
    return chart.figure(value_id, caption, _alt(words, drawn), words.printed)


def _through(place: int, t_s: float) -> Plotly:
    """A dotted line through a panel, at an event."""
    dotted = {"color": style.TEXT, "width": 1, "dash": "dot"}
    return upright(t_s, str(place + 1) if place else "", dotted)


def _left_out(drawn: dict[str, list[Row]]) -> str:
    """What the caption says of the lines that are not drawn."""
    said = ""
    for title, own in drawn.items():
        own_lines, every = len({row["line"] for row in own}), own[0]["lines"]
        if every > own_lines:
            said += f" Of {title} the {own_lines} of {every} lines with the highest mean are drawn."
    return said


def _form(own: Sequence[Row]) -> Format:
    unit = own[0]["unit"]
    if unit == "s":
        return time_format(max(_known(own)))
    return Format(unit or "1", significant=3)


def _known(own: Sequence[Row]) -> list[float]:
    return [row["value"] for row in own if row["value"] is not None]


def _panel(title: str, own: list[Row]) -> stack.Panel:
    form = _form(own)
    unit = UNITS[form.unit]
    shown = [value / unit.si for value in _known(own)]
    rate = form.unit == "IOPS"
    scale = Scale(
        title if rate or not unit.symbol else f"{title} ({unit.symbol})",
        rate=rate,
        log=own[0]["unit"] == "s" and wide(shown),
        high=share_above(max(shown)) if form.unit == "%" else None,
    )
    if not own[0]["unit"] and min(shown) > max(shown) / 2:
        # of a counter that only rises, the axis shows the rise
        room = (max(shown) - min(shown)) * (HEADROOM - 1)
        scale = replace(scale, low=None, high=max(shown) + room if room else None)
    lines = rows_by(own, lambda row: row["line"])
    traces = [_trace(i, name, rows, form) for i, (name, rows) in enumerate(lines.items())]
    names = [
        (name, next(y for y in reversed(trace["y"]) if y is not None), trace["line"]["color"])
        for name, trace in zip(lines, traces, strict=True)
        if name
    ]
    return stack.Panel(scale, tuple(traces), tuple(shown), tuple(names))


def _trace(index: int, name: str, rows: Sequence[Row], form: Format) -> Plotly:
    unit = UNITS[form.unit]
    trace = line_trace(
        index,
        name or rows[0]["panel"],
        [row["t_s"] for row in rows],
        [None if row["value"] is None else row["value"] / unit.si for row in rows],
        ("s", unit.symbol),
        marked=len(rows) <= MARKED,
        size=3.5,
    )
    return {**trace, "showlegend": False, "connectgaps": False}


def _alt(words: Words, drawn: dict[str, list[Row]]) -> str:
    said = []
    for title, own in drawn.items():
        form = _form(own)
        for name, rows in rows_by(own, lambda row: row["line"]).items():
            # of a counter that only rises, the last digits are what changes
            printed = form.show if own[0]["unit"] else load_number
            ends = (words.keep(printed(pick(_known(rows)))) for pick in (min, max))
            reach = " to ".join(dict.fromkeys(ends))
            said.append(f"{title}{f', {name}' if name else ''}: {reach}")
    return f"Panels over one time axis. {'; '.join(said)}."
