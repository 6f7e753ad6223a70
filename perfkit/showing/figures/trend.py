"""Control charts of histories: one large, or several small ones over one time axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from perfkit.analysis.curves.series import require_rows
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.text_size import width_of
from perfkit.core.units import UNITS
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures.canvas import GAP_PX, WIDTH_PX, Data, Plotly, escape, upright
from perfkit.showing.figures.panel_lines import SMALL_PX
from perfkit.showing.figures.periods import stack
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words
from perfkit.showing.statements.trend import at_time, value_printed

MOST_PANELS = 8
"""Histories that a page has room for, one below the other."""

MOST_CHARTS = 4
"""Histories that have a chart of their own."""

_COLUMNS = ("history", "time", "value", "expected", "lower", "upper")
_BAND = "rgba(11,92,173,0.10)"
_HEAD_SHARE = 0.16
"""Room over the highest value for what stands at the lines."""


def plots_control(chart: Measured) -> list[Figure]:
    """A control chart of each history, of many of the first ``MOST_CHARTS``: regressions first.

    Points are runs, the line is what is expected of them, the band reaches three standard
    deviations to each side. Lines stand where a level or the conditions change, with what was
    recorded to change there.

    Args:
        chart: What ``control_chart`` gave.
    """
    names = list(_by_history(chart))[:MOST_CHARTS]
    return [
        _plot_control(chart.filter(history=name), value_id=f"control-{number}")
        for number, name in enumerate(names, 1)
    ]


@step(version=1, name="figure.control_chart")
def _plot_control(chart: Measured, *, value_id: str) -> Figure:
    ((name, rows),) = _by_history(chart).items()
    return _figure({name: rows}, value_id, f"{name}: each run, and the value expected of it.")


@step(version=1, name="figure.histories")
def plot_histories(chart: Measured) -> Figure:
    """The control charts of several histories over one time axis; of many the first.

    Args:
        chart: What ``control_chart`` gave.

    Raises AbsentError where there is one history alone: it has a chart of its own.
    """
    found = _by_history(chart)
    if len(found) == 1:
        raise AbsentError("there is one history alone", elsewhere=True)
    shown = dict(list(found.items())[:MOST_PANELS])
    count = (
        f"{len(shown)} of {len(found):,} histories"
        if len(shown) < len(found)
        else (f"{len(found)} histories")
    )
    return _figure(shown, "histories", f"{count} over time, those that got worse first.")


def _by_history(chart: Measured) -> dict[str, list[Row]]:
    """The histories of two runs or more: one is not a line."""
    rows = require_rows(chart, "control chart", _COLUMNS, "nothing to draw")
    found = rows_by(rows, lambda row: row["history"])
    drawn = {name: own for name, own in found.items() if len(own) > 1}
    if not drawn:
        raise AbsentError("no history has two runs")
    return drawn


def _figure(histories: dict[str, list[Row]], value_id: str, caption: str) -> Figure:
    words = Words()
    every = [row for rows in histories.values() for row in rows]
    begin, end = min(row["time"] for row in every), max(row["time"] for row in every)
    margin = (end - begin) * 0.02 or _HOUR
    ends = (begin - margin, end + margin)
    panels = [_panel(name, rows) for name, rows in histories.items()]
    chart = stack.draw(panels, *ends, stack.Marks())
    width = WIDTH_PX - chart.layout["margin"]["l"] - chart.layout["margin"]["r"]
    for place, rows in enumerate(histories.values()):
        number = str(place + 1) if place else ""
        chart.layout["shapes"] += list(_lines(rows, number))
        if len(histories) == 1:
            chart.layout["annotations"] += _labels(rows, ends, width)
    alt = " ".join(_alt(words, name, rows) for name, rows in histories.items())
    return chart.figure(value_id, f"{caption}{_told(every)}", alt, words.printed, ())


_HOUR = timedelta(hours=1)


def _panel(name: str, rows: Sequence[Row]) -> stack.Panel:
    first = rows[0]
    high = max(row["upper"] or row["value"] for row in rows)
    form = value_printed(first["metric"], first["unit"], high)
    unit = UNITS[form.unit]
    known = [
        row[column] / unit.si
        for row in rows
        for column in ("value", "lower", "upper")
        if row[column] is not None
    ]
    # equal values have an axis, too
    room = _HEAD_SHARE * (max(known) - min(known) or max(known))
    symbol = f" ({unit.symbol})" if unit.symbol else ""
    return stack.Panel(
        Scale(f"{name}{symbol}", low=None),
        tuple(_traces(rows, unit.si)),
        (*known, max(known) + room, max(0.0, min(known) - room / 4)),
        more={"rangemode": "normal"},
    )


def _traces(rows: Sequence[Row], si: float) -> Iterator[Plotly]:
    for _, part in groupby(rows, key=lambda row: row["level"]):
        level = list(part)
        times = [row["time"].isoformat() for row in level]
        if level[0]["upper"] is not None:
            upper, lower = ([row[end] / si for row in level] for end in ("upper", "lower"))
            ends = [*times, *times[::-1]], [*upper, *lower[::-1]]
            look: Plotly = {"fill": "toself", "fillcolor": _BAND, "line": {"width": 0}}
            yield _trace("limits of chance", "lines", *ends, hoverinfo="skip", **look)
        expected = [row["expected"] / si for row in level]
        line = {"color": style.PALETTE[0], "width": 1.4}
        yield _trace("expected", "lines", times, expected, hoverinfo="skip", line=line)
    for outside, name, marker in ((False, "runs", _WITHIN), (True, "outside the limits", _OUTSIDE)):
        own = [row for row in rows if row["outside"] == outside]
        if own:
            times = [row["time"].isoformat() for row in own]
            values = [row["value"] / si for row in own]
            more: Plotly = {
                "customdata": [_hover(row) for row in own],
                "hovertemplate": "%{customdata}<extra></extra>",
            }
            yield _trace(name, "markers", times, values, marker=marker, **more)


def _trace(name: str, mode: str, x: list[str], y: list[float], **look: object) -> Plotly:
    shared = {"type": "scatter", "showlegend": False}
    return {**shared, "name": name, "mode": mode, "x": x, "y": y, **look}


_WITHIN = {"size": 4, "color": style.PALETTE[0], "symbol": "circle"}
_OUTSIDE = {"size": 7, "color": style.PALETTE[1], "symbol": "diamond"}


def _hover(row: Row) -> str:
    changed = f"<br>{escape(row['changed'])}" if row["changed"] else ""
    value = value_printed(row["metric"], row["unit"], row["value"]).text
    return f"{escape(row['run'])}<br>{at_time(row['time'].isoformat())}: {value}{changed}"


def _lines(rows: Sequence[Row], number: str) -> Iterator[Plotly]:
    """A line where a level begins, and a dashed one where the conditions change."""
    for row in rows:
        if row["shift"] or row["break"]:
            look = (
                {"width": 1, "color": style.PALETTE[0]}
                if row["shift"]
                else {"width": 1, "color": style.TEXT, "dash": "dash"}
            )
            yield upright(row["time"].isoformat(), number, look)


def _labels(rows: Sequence[Row], ends: tuple[datetime, datetime], width: float) -> Data:
    """What changed, at the lines of a chart that stands alone, as far as there is room."""
    begin, end = ends
    taken: list[tuple[float, float]] = []
    found: Data = []
    for row in rows:
        text = row["break"] or (row["changed"] if row["shift"] else None)
        if not text:
            continue
        own = width_of(text, SMALL_PX)
        at = (row["time"] - begin) / (end - begin) * width
        left = at + 4 if at + 4 + own <= width else at - 4 - own
        if left < 0 or any(left < b and a < left + own + GAP_PX for a, b in taken):
            continue
        taken.append((left, left + own + GAP_PX))
        found.append(stack.roomy(escape(text), left / width, "top", style.TEXT))
    return found


def _told(rows: Sequence[Row]) -> str:
    """What the caption says of the marks."""
    parts = ["Line: expected. Band: three standard deviations to each side."]
    marks = {
        "shift": "Lines: a new level begins.",
        "break": "Dashed lines: the conditions changed.",
        "outside": "Diamonds: outside the band.",
    }
    parts += [text for name, text in marks.items() if any(row[name] for row in rows)]
    return "".join(f" {part}" for part in parts)


def _alt(words: Words, name: str, rows: Sequence[Row]) -> str:
    low, high = (pick(rows, key=lambda row: row["value"]) for pick in (min, max))
    reached = (value_printed(row["metric"], row["unit"], row["value"]) for row in (low, high))
    shifts = [at_time(row["time"].isoformat()) for row in rows if row["shift"]]
    told = f", with a new level from {', '.join(shifts)} on" if shifts else ""
    runs = words.many(len(rows), "run", "runs")
    ends = " to ".join(at_time(rows[place]["time"].isoformat()) for place in (0, -1))
    span = words.ends(reached, "from {} to {}", "at {}")
    return f"{name}: {runs}, {ends}, {span}{told}."
