"""Panels one below the other over one time axis, with what is marked in all of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from perfkit.analysis.awr.periods.answers import CHANGE
from perfkit.core import answers as claims
from perfkit.core.cautions import Caution
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured
from perfkit.core.schema import Row
from perfkit.core.text_size import LINE_PX, width_of
from perfkit.showing import style
from perfkit.showing.figures.canvas import (
    GAP_PX,
    PAPER,
    WIDTH_PX,
    Canvas,
    Data,
    Plotly,
    base_layout,
    escape,
    note,
    upright,
)
from perfkit.showing.figures.line_chart import MM_PX, Chart
from perfkit.showing.figures.panel_lines import LABEL_PX, SMALL_PX
from perfkit.showing.figures.periods import clock

if TYPE_CHECKING:
    from perfkit.showing.figures.scales import Scale

_HIGH_PX = {1: 142.0, 2: 88.0, 3: 84.0}
_LOW_PX = 62.0
_HEAD_PX = LINE_PX + 13.0
"""Over each panel: its title."""

_LEFT, _RIGHT, _FOOT = 52.0, 26.0, 40.0
_SHADE = "rgba(11,92,173,0.07)"


@dataclass(frozen=True)
class Panel:
    """One panel.

    Attributes:
        scale: Its vertical axis, in the unit of the traces.
        traces: What is drawn, with times as ISO text.
        values: Every value that its axis must show.
        names: Of each line that has a name: the name, the value at its end, its colour.
        more: Properties of the axis that take the place of the scale's.
    """

    scale: Scale
    traces: tuple[Plotly, ...]
    values: tuple[float, ...]
    names: tuple[tuple[str, float, str], ...] = ()
    more: Plotly = field(default_factory=dict)


@dataclass(frozen=True)
class Marks:
    """What is marked in time: when it was changed, restarts, and the worst periods."""

    changed: tuple[tuple[datetime, datetime], ...] = ()
    restarts: tuple[datetime, ...] = ()
    worst: tuple[tuple[datetime, datetime], ...] = ()


@dataclass(frozen=True)
class Stacked(Chart):
    """A chart of panels, and the height of all of them in pixels."""

    plot_px: float = 0.0


def draw(
    panels: Sequence[Panel], begin: datetime, end: datetime, marks: Marks, *, beside: float = 0.0
) -> Stacked:
    """The chart of these panels from begin to end; the marks are explained by ``told``.

    ``beside``: pixels that something takes right of the panels.
    """
    chart = over(panels, lambda width: _time_axis(begin, end, width), beside=beside)
    layout, width = chart.layout, WIDTH_PX - _LEFT - chart.layout["margin"]["r"]
    for place in range(len(panels)):
        layout["shapes"] += _shapes(marks, str(place + 1) if place else "")
    layout["annotations"] += _labels(marks, (begin, end), width, _heading(panels[0]))
    return chart


def over(
    panels: Sequence[Panel],
    axis: Callable[[float], Plotly],
    *,
    beside: float = 0.0,
    foot: float = _FOOT,
) -> Stacked:
    """The chart of these panels over one axis, whose properties depend on its width in pixels.

    ``foot``: pixels below the panels, for the numbers of the axis and its title.
    """
    height = _HIGH_PX.get(len(panels), _LOW_PX)
    names = [name for panel in panels for name, *_ in panel.names]
    widths = (_BROWSER * width_of(name, bold=True) + GAP_PX + 4 for name in names)
    right = max(beside, _RIGHT, *widths)
    width = WIDTH_PX - _LEFT - right
    total = len(panels) * (height + _HEAD_PX) - _HEAD_PX
    layout = base_layout("", "")
    layout["margin"] = {"l": _LEFT, "r": right, "t": _HEAD_PX, "b": foot}
    layout |= {"bargap": 0, "shapes": [], "annotations": []}
    data: Data = []
    base = layout.pop("xaxis"), layout.pop("yaxis")
    for place, panel in enumerate(panels):
        number = str(place + 1) if place else ""
        bottom = total - (place + 1) * height - place * _HEAD_PX
        share = [max(0.0, bottom / total), min(1.0, (bottom + height) / total)]
        ends = panel.scale.range(panel.values)
        layout[f"xaxis{number}"] = {
            **base[0],
            "title": {},
            **axis(width),
            "anchor": f"y{number}",
            "showticklabels": place == len(panels) - 1,
            **({"matches": "x"} if place else {}),
        }
        layout[f"yaxis{number}"] = {
            **base[1],
            **panel.scale.axis(ends, height, high=True),
            "domain": share,
            "anchor": f"x{number}",
            "title": {},
            "automargin": False,
            **panel.more,
        }
        data += [{**trace, "xaxis": f"x{number}", "yaxis": f"y{number}"} for trace in panel.traces]
        layout["annotations"] += [
            _title(panel, share[1]),
            *_names(panel, ends, (width, height, right), number),
        ]
        if place < len(panels) - 1:
            layout[f"xaxis{number}"]["title"] = {}
    high = round((total + _HEAD_PX + foot) / MM_PX, 1)
    return Stacked(data, layout, high, "", plot_px=total)


_BROWSER = 1.12
"""A browser sets small bold letters wider than the typeface's advances say."""


def _time_axis(begin: datetime, end: datetime, width: float) -> Plotly:
    shown = clock.ticks(begin, end, width)
    return {
        "type": "date",
        "range": [begin.isoformat(), end.isoformat()],
        "showgrid": False,
        "tickmode": "array",
        "tickvals": [at.isoformat() for at, _ in shown],
        "ticktext": [text for _, text in shown],
        "tickangle": 0,
        "automargin": False,
    }


def _heading(panel: Panel) -> str:
    return " ".join(panel.scale.heading(WIDTH_PX))


def _title(panel: Panel, top: float) -> Plotly:
    text, anchor = f"<b>{escape(_heading(panel))}</b>", ("left", "bottom")
    return note(text, (0, top), size=LABEL_PX, color=style.TEXT, anchor=anchor, yshift=4, **PAPER)


def _names(
    panel: Panel, ends: tuple[float, float], size: tuple[float, float, float], number: str
) -> Data:
    """The names of a panel's lines, right of it."""
    if not panel.names:
        return []
    width, height, right = size
    canvas = Canvas((width + right) / width, ends[1], 0.0, ends[0], width + right, height)
    at = panel.scale.at
    found = canvas.stack([(name, 1.0, at(value), color) for name, value, color in panel.names])
    if found is None:
        raise AbsentError(f"{len(panel.names)} lines are too many for one panel")
    return [{**note, "xref": f"x{number} domain", "yref": f"y{number}"} for note in found]


def _shapes(marks: Marks, panel: str) -> Data:
    """What was changed is shaded, with a line where it begins; and a line at each restart."""
    whole = {"xref": f"x{panel}", "yref": f"y{panel} domain", "y0": 0, "y1": 1}
    shade = {**whole, "type": "rect", "fillcolor": _SHADE, "line": {"width": 0}, "layer": "below"}
    begun = {"color": style.PALETTE[0], "width": 1}
    restarted = {"color": style.TEXT, "width": 1, "dash": "dot"}
    found: Data = []
    for begin, end in marks.changed:
        at = begin.isoformat()
        found += [{**shade, "x0": at, "x1": end.isoformat()}, upright(at, panel, begun)]
    return [*found, *(upright(at.isoformat(), panel, restarted) for at in marks.restarts)]


def _labels(marks: Marks, span: tuple[datetime, datetime], width: float, head: str) -> Data:
    """Over the first panel when it was changed, the longest first, as far as there is room."""
    begin, end = span
    taken = [(0.0, width_of(head, LABEL_PX, bold=True) + GAP_PX)]
    found: Data = []
    for since, until in sorted(marks.changed, key=lambda one: one[0] - one[1]):
        text = _said(since, until, span)
        own = width_of(text, SMALL_PX)
        left = min((since - begin) / (end - begin) * width, width - own)
        left = max(left, taken[0][1])
        if any(left < last and first < left + own + GAP_PX for first, last in taken):
            continue
        taken.append((left, left + own + GAP_PX))
        found.append({**roomy(text, left / width, "bottom", style.PALETTE[0]), "yshift": 4})
    return found


def roomy(text: str, x: float, anchor: str, color: str) -> Plotly:
    """Words at the top of the plot, which a small screen leaves out."""
    at = (x, 1)
    return note(
        text, at, size=SMALL_PX, color=color, anchor=("left", anchor), name="roomy", **PAPER
    )


def _said(since: datetime, until: datetime, span: tuple[datetime, datetime]) -> str:
    """A changed time in words: from 17:30; 17:30 to 18:00; of several days with the date."""
    one_day = span[0].date() == span[1].date()
    begun = f"{since:%H:%M}" if one_day else f"{since.day} {since:%b} {since:%H:%M}"
    return f"from {begun}" if until >= span[1] else f"{begun} to {until:%H:%M}"


def told(rows: Sequence[Row], marks: Marks) -> str:
    """What the caption says of the marks and of the gaps."""
    parts = []
    if len(marks.changed) > _MOST_SAID:
        parts.append(f"Shaded: {len(marks.changed)} intervals that departed from the usual.")
    elif marks.changed:
        parts.append(f"Shaded: {', and '.join(clock.interval(*one) for one in marks.changed)}.")
    if marks.restarts:
        parts.append("Dotted lines: the instance was restarted.")
    if marks.worst:
        parts.append("Dark bars and triangles: the worst periods.")
    if any(gap_between(a, b) for a, b in itertools.pairwise(rows)):
        parts.append("Blank: no report covers this time.")
    return "".join(f" {part}" for part in parts)


_MOST_SAID = 2


def gap_between(before: Row, after: Row) -> bool:
    """Whether there is time between two periods that neither is of."""
    return bool(after["begin_time"] > before["end_time"])


# --- what is marked -----------------------------------------------------------------------------


def marked(
    rows: Sequence[Row],
    periods: Measured | None = None,
    worst: Measured | None = None,
    changes: Measured | None = None,
) -> Marks:
    """The marks of one history; ``changes`` are answers, of which those on changes are marked."""
    history = rows[0]["history"]
    return Marks(
        changed=_changed(changes, history),
        restarts=tuple(
            row["begin_time"]
            for row in _of(periods, history)
            if row["in_trend"] and row["restart_before"]
        ),
        worst=tuple((row["begin_time"], row["end_time"]) for row in _of(worst, history)),
    )


def cautions_of(shown: Measured, changes: Measured | None) -> tuple[Caution, ...]:
    """What must be known of a chart: of the periods that it shows, and of the changes marked."""
    histories = set(shown.frame["history"])
    told = [
        one
        for item in (claims.from_frame(changes.frame) if changes is not None else [])
        if item.question == CHANGE.name and item.subject.get("history") in histories
        for one in item.cautions
    ]
    return tuple(dict.fromkeys([*shown.cautions, *told]))


def _changed(changes: Measured | None, history: str) -> tuple[tuple[datetime, datetime], ...]:
    """From when to when something was other than usual, in order of time."""
    told = [
        item.subject
        for item in (claims.from_frame(changes.frame) if changes is not None else [])
        if (item.question, item.status) == (CHANGE.name, "measured")
        and item.subject.get("history") == history
    ]
    times = ([datetime.fromisoformat(one.get(key)) for key in ("begin", "end")] for one in told)
    return tuple(sorted((begin, end) for begin, end in times))


def _of(data: Measured | None, history: str) -> list[Row]:
    return [] if data is None else data.frame.filter(history=history).rows(named=True)
