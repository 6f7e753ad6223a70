"""Lines in one panel or in several with the same axes, each named where it ends or in a legend.

What a chart draws is given as traces in the units of its axes; this module finds the ranges, the
panels, and a place for each name and for the limit. A name that finds no free place would hide a
line: then all of them stand in a legend.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from perfkit.core.cautions import Caution
from perfkit.core.errors import AbsentError
from perfkit.core.text_size import LINE_PX, lines_of, width_of
from perfkit.core.units import Printed
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures import legend as legends
from perfkit.showing.figures.canvas import (
    GAP_PX,
    HEIGHT_MM,
    MARGIN,
    PAPER,
    PLOT_PX,
    Canvas,
    Data,
    Plotly,
    base_layout,
    escape,
    figure,
    note,
)
from perfkit.showing.figures.panel_lines import (
    LABEL_PX,
    Limit,
    Line,
    above_floor,
    known,
    limit_label,
    load_labels,
    mark,
    name_labels,
)
from perfkit.showing.figures.panels import TOO_MANY

if TYPE_CHECKING:
    from perfkit.showing.figures.scales import Scale

MM_PX = 96 / 25.4
NAME_SHARE = 0.45
"""Of a panel's width, what the name of a line may take right of the line."""

LIMIT_STRETCH = 3.0
"""A limit further above the data than this is stated in words: a line would squeeze the chart."""

LOG_STRETCH = 30.0

_GUTTER_PX = 20.0
_TICKS_PX = 26.0
"""Room for the numbers of the horizontal axis between two rows of panels."""

MOST_MM = 215.0
"""A page of the lower paper has so much room above a caption and its cautions."""

_HEIGHTS_PX = {1: 190.0, 2: 165.0}
_LOW_PX = 128.0
_COLUMNS = {1: 1, 2: 2, 4: 2}
_MOST_COLUMNS = 3
_SQUEEZED = 0.25
"""A panel whose lines would fill less of the common axis than this asks for axes of its own."""


@dataclass(frozen=True)
class Chart:
    """What is drawn, how high it is, and what the caption must add."""

    data: Data
    layout: Plotly
    height_mm: float
    note: str

    def figure(
        self,
        value_id: str,
        caption: str,
        alt: str,
        printed: Sequence[Printed],
        cautions: tuple[Caution, ...] | None = None,
    ) -> Figure:
        """The figure, with the numbers that its alternative text prints."""
        return Figure(
            check_id(value_id),
            figure(self.data, self.layout),
            caption + self.note,
            alt,
            self.height_mm,
            printed=tuple(printed),
            cautions=cautions,
        )


@dataclass(frozen=True)
class _Panel:
    """A panel: its lines, its place in the plot in pixels from below left, and its ranges."""

    title: str
    lines: tuple[Line, ...]
    left: float
    bottom: float
    width: float
    height: float
    number: int
    x_ends: tuple[float, float] = (0.0, 1.0)
    y_ends: tuple[float, float] = (0.0, 1.0)

    def canvas(self) -> Canvas:
        """Its empty drawing area."""
        (x_min, x_max), (y_min, y_max) = self.x_ends, self.y_ends
        return Canvas(x_max, y_max, x_min, y_min, self.width, self.height)

    def axis(self, letter: str) -> str:
        """The reference to one of its axes: x, x2."""
        return f"{letter}{self.number + 1}" if self.number else letter

    def refs(self, word: str) -> dict[str, str]:
        """The references of what stands in it ("xref", "xaxis"); the first panel needs none."""
        return {f"{letter}{word}": self.axis(letter) for letter in "xy"} if self.number else {}


def draw(
    lines: Sequence[Line],
    x: Scale,
    y: Scale,
    *,
    limit: Limit | None = None,
    loads: Sequence[tuple[str, float, float]] = (),
    legend: bool = False,
) -> Chart:
    """The chart of these lines.

    Args:
        lines: In the order in which they are drawn; those of one panel together.
        x: The horizontal axis, in the unit of the traces.
        y: The vertical one.
        limit: A limit of y.
        loads: Of a line alone, text beside its points where there is room.
        legend: Whether names stand in a legend in any case.

    Raises AbsentError where the panels and their legend are higher than a page.
    """
    arranged, height = _arranged(lines)
    y = _suited(arranged, y)
    drawn = limit if limit and _near(limit, lines, y) else None
    panels = _ranged(arranged, x, y, drawn, names=not legend)
    canvases = [panel.canvas() for panel in panels]
    for panel, canvas in zip(panels, canvases, strict=True):
        for trace in (trace for line in panel.lines for trace in line.traces):
            mark(canvas, trace, x, y)
    limits = [
        [limit_label(canvas, limit, y, drawn=drawn is not None)] if limit else []
        for canvas in canvases
    ]
    names = [
        []
        if legend or not any(line.name for line in panel.lines)
        else name_labels(canvas, panel.lines, x, y)
        for panel, canvas in zip(panels, canvases, strict=True)
    ]
    if any(None in own for own in names):
        return draw(lines, x, y, limit=limit, loads=loads, legend=True)
    beside = [load_labels(canvas, loads, x, y) for canvas in canvases]
    layout = base_layout("", "")
    heads = [_lines_px(panel.title, panel.width) for panel in panels]
    head = max(heads) if len(panels) > 1 else 0.0
    layout["margin"]["t"] += head
    if legend:
        named = list(dict.fromkeys(line.name for line in lines if line.name))
        legends.add(layout, named)
    _set_axes(layout, panels, x, y, height)
    layout["shapes"] = [_limit_line(panel, drawn) for panel in panels] if drawn else []
    labels = [[*one, *two, *three] for one, two, three in zip(limits, names, beside, strict=True)]
    layout["annotations"] = [*_titles(panels, height), *_placed(panels, labels)]
    total = (height + layout["margin"]["t"] + MARGIN["b"]) / MM_PX
    if total > MOST_MM:
        raise AbsentError(TOO_MANY.format(len(lines)))
    note = _note(panels, x, None if any(any(own) for own in limits) else limit, drawn)
    return Chart(list(_data(panels, legend=legend)), layout, round(total, 1), note)


def _placed(
    panels: Sequence[_Panel], labels: Sequence[Sequence[Plotly | None]]
) -> Iterator[Plotly]:
    """The labels of each panel, with its axes."""
    for panel, own in zip(panels, labels, strict=True):
        yield from ({**label, **panel.refs("ref")} for label in own if label)


def _note(panels: Sequence[_Panel], x: Scale, untold: Limit | None, drawn: Limit | None) -> str:
    """What the caption must add: axes that differ, and a limit whose words find no room."""
    note = ""
    if len({panel.x_ends for panel in panels}) > 1:
        note = f" Each panel has its own axis of {x.title}."
    if untold:
        where = "is the dashed line" if drawn else "lies outside the chart"
        note += f" The {untold.text} {where}."
    return note


def axes_by_name(figure: Any) -> dict[str, tuple[str, str]]:
    """The axes that each line of a drawn chart belongs to, by its whole name as Plotly has it."""
    return {
        trace.meta or trace.name: (trace.xaxis or "x", trace.yaxis or "y")
        for trace in figure.data
        if "lines" in (trace.mode or "")
    }


# --- where the panels stand ---------------------------------------------------------------------


def _arranged(lines: Sequence[Line]) -> tuple[list[_Panel], float]:
    """The panels in rows from above, and the height of all of them in pixels."""
    titles = list(dict.fromkeys(line.panel for line in lines))
    parts = [tuple(line for line in lines if line.panel == title) for title in titles]
    if len(titles) == 1:
        high = HEIGHT_MM * MM_PX - MARGIN["t"] - MARGIN["b"]
        return [_Panel(titles[0], parts[0], 0, 0, PLOT_PX, high, 0)], high
    columns = _COLUMNS.get(len(titles), _MOST_COLUMNS)
    rows = math.ceil(len(titles) / columns)
    width = (PLOT_PX - _GUTTER_PX * (columns - 1)) / columns
    high = _HEIGHTS_PX.get(rows, _LOW_PX)
    head = max(_lines_px(title, width) for title in titles)
    pitch = high + head + _TICKS_PX
    total = rows * high + (rows - 1) * (head + _TICKS_PX)
    return [
        _Panel(
            title,
            part,
            (i % columns) * (width + _GUTTER_PX),
            total - (i // columns) * pitch - high,
            width,
            high,
            i,
        )
        for i, (title, part) in enumerate(zip(titles, parts, strict=True))
    ], total


def _lines_px(title: str, width: float) -> float:
    return len(lines_of(title, width, LABEL_PX, bold=True)) * LINE_PX + 5 if title else 0.0


def _titles(panels: Sequence[_Panel], height: float) -> Data:
    if len(panels) == 1:
        return []
    return [
        note(
            "<br>".join(
                f"<b>{escape(part)}</b>"
                for part in lines_of(panel.title, panel.width, LABEL_PX, bold=True)
            ),
            ((panel.left + panel.width / 2) / PLOT_PX, (panel.bottom + panel.height) / height),
            size=LABEL_PX,
            color=style.TEXT,
            anchor=("center", "bottom"),
            yshift=3,
            **PAPER,
        )
        for panel in panels
    ]


def _suited(panels: Sequence[_Panel], y: Scale) -> Scale:
    """The axis of times made logarithmic where on a common one some panels would show nothing."""
    if y.log or not y.time or len(panels) == 1:
        return y
    highest = [max(known(panel.lines, y, "y")) for panel in panels]
    lowest = min(min(known(panel.lines, y, "y")) for panel in panels)
    squeezed = min(highest) < _SQUEEZED * max(highest)
    return replace(y, log=True) if squeezed and lowest > 0 else y


# --- ranges -------------------------------------------------------------------------------------


def _near(limit: Limit, lines: Sequence[Line], y: Scale) -> bool:
    values = known(lines, y, "y")
    if y.log:
        return min(values) / LOG_STRETCH <= limit.value <= max(values) * LOG_STRETCH
    return limit.value <= LIMIT_STRETCH * max(values)


def _ranged(
    panels: Sequence[_Panel], x: Scale, y: Scale, limit: Limit | None, *, names: bool
) -> list[_Panel]:
    """The panels with their ranges: one for all, unless some would be squeezed by it."""
    every = [line for panel in panels for line in panel.lines]
    y_ends = y.range([*known(every, y, "y"), *([limit.value * 1.04] if limit else [])])
    own = [_x_ends(panel, x, names=names) for panel in panels]
    common = min(low for low, _ in own), max(high for _, high in own)
    span = common[1] - common[0]
    apart = x.own and any(high - low < _SQUEEZED * span for low, high in own)
    return [
        replace(panel, x_ends=ends if apart else common, y_ends=y_ends)
        for panel, ends in zip(panels, own, strict=True)
    ]


def _x_ends(panel: _Panel, x: Scale, *, names: bool) -> tuple[float, float]:
    """The range of x, with room right of each line's end for its name."""
    low, high = x.range(known(panel.lines, x, "x"))
    if x.ticks:
        low, high = low - 0.4, high / 1.08 + 0.4 if x.high is None else high
    for line in panel.lines if names else ():
        needed = (width_of(line.name, bold=True) + GAP_PX + 6) / panel.width
        if line.name and needed < NAME_SHARE:
            last = max(map(x.at, above_floor(line.trace, "x", x)))
            high = max(high, low + (last - low) / (1 - needed))
    return low, high


def _limit_line(panel: _Panel, limit: Limit) -> Plotly:
    # above: under a grid line of the same height it would not show
    refs = (
        {"xref": f"{panel.axis('x')} domain", "yref": panel.axis("y")}
        if panel.number
        else {"xref": "x domain"}
    )
    return {
        "type": "line",
        **refs,
        "x0": 0,
        "x1": 1,
        "y0": limit.value,
        "y1": limit.value,
        "line": style.LIMIT_LINE,
        "layer": "above",
    }


# --- what Plotly is given ------------------------------------------------------------------------


_LAYERS: tuple[Callable[[Line], Sequence[Plotly]], ...] = (
    lambda line: [trace for trace in line.under if trace.get("fill")],
    lambda line: [trace for trace in line.under if not trace.get("fill")],
    lambda line: [line.trace],
    lambda line: line.over,
)
"""What is drawn first, so that bands hide no line, to what lies over all."""


def _data(panels: Sequence[_Panel], *, legend: bool) -> Iterator[Plotly]:
    """The traces with their axes, layer by layer; with a legend each name stands in it once."""
    listed: set[str] = set()
    for layer in _LAYERS:
        for panel in panels:
            for line in panel.lines:
                for trace in layer(line):
                    named = legend and trace is line.trace and line.name
                    more = (
                        _entry(line, listed) if named else {"showlegend": False} if legend else {}
                    )
                    yield {**trace, **panel.refs("axis"), **more, **_smaller(trace, panels)}


def _smaller(trace: Plotly, panels: Sequence[_Panel]) -> Plotly:
    """The marks of a line in a small panel."""
    marker = trace.get("marker")
    if len(panels) == 1 or not marker or "lines" not in trace["mode"]:
        return {}
    return {"marker": {**marker, "size": min(marker["size"], _SMALL_MARK_PX)}}


_SMALL_MARK_PX = 5


def _entry(line: Line, listed: set[str]) -> Plotly:
    """How a line stands in the legend; its whole name is kept beside."""
    first = line.name not in listed
    listed.add(line.name)
    return {
        "name": legends.shown(line.name),
        "legendgroup": escape(line.name),
        "showlegend": first,
        "meta": line.trace["name"],
    }


def _set_axes(layout: Plotly, panels: Sequence[_Panel], x: Scale, y: Scale, height: float) -> None:
    base = {axis: layout[f"{axis}axis"] for axis in "xy"}
    several = len(panels) > 1
    lowest = {panel.left: panel.number for panel in panels}
    for panel in panels:
        own_x = {**base["x"], **x.axis(panel.x_ends, panel.width, high=False)}
        own_y = {**base["y"], **y.axis(panel.y_ends, panel.height, high=True)}
        if several:
            own_x |= {"domain": _share(panel.left, panel.width, PLOT_PX), "anchor": panel.axis("y")}
            own_y |= {
                "domain": _share(panel.bottom, panel.height, height),
                "anchor": panel.axis("x"),
                "showticklabels": panel.left == 0,
            }
        own_x["title"] = _title(x, panel.width) if panel.number == lowest[panel.left] else {}
        own_y["title"] = _title(y, panel.height) if panel.left == 0 else {}
        number = str(panel.number + 1) if panel.number else ""
        layout[f"xaxis{number}"], layout[f"yaxis{number}"] = own_x, own_y


def _title(scale: Scale, px: float) -> dict[str, str]:
    return {"text": "<br>".join(map(escape, scale.heading(px)))}


def _share(start: float, size: float, of: float) -> list[float]:
    return [max(0.0, start / of), min(1.0, (start + size) / of)]
