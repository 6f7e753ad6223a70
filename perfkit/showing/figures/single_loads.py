"""Results of one load each: lying bars of IOPS and latency, where no curve can be drawn.

A point of each makes no curve: a chart with two points on it shows less than their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perfkit.analysis.curves.differences import same_size
from perfkit.analysis.curves.metrics import is_rate, limit_printed, load_text, metric_of, printed
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured
from perfkit.core.schema import Row
from perfkit.core.text_size import FONT_SIZE_PX, LINE_PX, lines_of, shortened, width_of
from perfkit.core.units import UNITS, Printed
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import axes, hover
from perfkit.showing.figures.bars import MOST_BARS, MOST_MM, NAME_PX
from perfkit.showing.figures.canvas import (
    MARGIN,
    WIDTH_PX,
    Plotly,
    base_layout,
    escape,
    figure,
    whiskers,
)
from perfkit.showing.figures.line_chart import MM_PX
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words, curve_words

_ROW_MM, _FRAME_MM = 7.0, 22.0
_GAP_PX, _BESIDE_PX = 26.0, 6.0
"""Between two panels, and between a bar and its number."""

_BAR = 0.62
"""How much of its row a bar takes."""

_LEAST_LETTERS = 6
"""Letters of fewer pixels cannot be read."""


@dataclass(frozen=True)
class _Names:
    """The names of all rows in their lines, the size of their letters, and the rows' height."""

    shown: Sequence[Sequence[str]]
    letters: int
    row_px: float

    @property
    def left(self) -> float:
        """The width that they take."""
        widths = (width_of(line, self.letters) for lines in self.shown for line in lines)
        return max(widths) + 14


@dataclass(frozen=True)
class _Panel:
    """One quantity of all rows: its numbers as drawn and as printed, and its place."""

    metric: str
    title: str
    values: Sequence[float]
    ends: Sequence[tuple[float, float]]
    texts: Sequence[Printed]
    scale: float
    left: float
    width: float
    letters: int

    @property
    def most(self) -> float:
        """The end of the axis: the longest bar with its whisker has room for a number beside it."""
        room = max(width_of(item.text) for item in self.texts) + 2 * _BESIDE_PX
        return (max(high for _, high in self.ends) or 1.0) * self.width / (self.width - room)


def are_single(series: axes.Series) -> bool:
    """Whether these are results of one load each, and few enough for a row each."""
    return 0 < len(series) <= MOST_BARS and all(len(part) == 1 for part in series.values())


def draw(
    curve: Measured, series: axes.Series, metric: str, limit_s: float | None, value_id: str
) -> Figure:
    """The chart: a row for each result, those of one workload together, a panel a quantity."""
    rows = _in_order(series)
    names = [name for name, _ in rows]
    points = [row for _, row in rows]
    beside = _names(names)
    left = beside.left
    panels = _panels(points, metric, beside)
    layout = base_layout("", "")
    layout |= {"showlegend": False, "margin": {**MARGIN, "l": left, "r": 8}, "bargap": 1 - _BAR}
    keys = list(range(len(rows)))
    layout["yaxis"] |= {
        "range": [len(rows) - 0.5, -0.5],
        "showgrid": False,
        "tickmode": "array",
        "tickvals": keys,
        "ticktext": ["<br>".join(map(escape, lines)) for lines in beside.shown],
        "tickfont": {"size": beside.letters},
    }
    data, first = [], layout["xaxis"]
    for number, panel in enumerate(panels, 1):
        axis = "x" if number == 1 else f"x{number}"
        data.append(_bars(panel, names, points, axis))
        layout[f"xaxis{axis[1:]}"] = {**first, **_axis(panel, left)}
        layout["annotations"] = [*layout.get("annotations", []), *_numbers(panel, axis)]
    limit = limit_s is not None and _limit(layout, panels[-1], len(panels), limit_s)
    words = Words()
    said = [curve_words(words, name, [row], "iops", metric) for name, row in rows]
    return Figure(
        value_id,
        figure(data, layout),
        _caption(curve, series, points, panels) + _limit_note(limit_s, is_drawn=limit),
        " ".join([f"Bars of {_listed(panels)}, each result at one load.", *said]),
        round(_FRAME_MM + beside.row_px * len(rows) / MM_PX, 1),
        printed=(*words.printed, *(text for panel in panels for text in panel.texts)),
    )


def _in_order(series: axes.Series) -> list[tuple[str, Row]]:
    """The rows with their names: small I/Os first, those of one workload together.

    Where the loads differ they stand behind the names.
    """
    of = rows_by(series.items(), lambda item: item[1][0].get("workload"))
    by_size = sorted(of.values(), key=lambda own: round(_size(own[0][1][0]) or 0))
    rows = [(label, part[0]) for own in by_size for label, part in own]
    if len({_load(row) for _, row in rows}) == 1:
        return rows
    return [(f"{name}, {_load(row)}", row) for name, row in rows]


def _load(row: Row) -> str:
    return load_text(row["load_kind"], row["load"])


def _names(names: Sequence[str]) -> _Names:
    """The names in the largest letters in which none meets the one below it."""
    most_px = MOST_MM * MM_PX / len(names)
    for letters in range(FONT_SIZE_PX, _LEAST_LETTERS - 1, -1):
        shown = [lines_of(name, NAME_PX, letters) for name in names]
        needed = _height_of(max(map(len, shown)), letters)
        if needed <= most_px:
            return _Names(shown, letters, min(max(_ROW_MM * MM_PX, needed), most_px))
    letters = min(FONT_SIZE_PX, int(most_px) - 1)
    return _Names([[shortened(name, NAME_PX, letters)] for name in names], letters, most_px)


def _height_of(lines: int, letters: int) -> float:
    """Of a row with a name of so many lines, in pixels."""
    return lines * letters * LINE_PX / FONT_SIZE_PX + 2 if lines > 1 else letters + 1


def _panels(rows: Sequence[Row], metric: str, names: _Names) -> list[_Panel]:
    """IOPS and latency; between them the throughput where one does not follow from the other."""
    left = names.left
    metrics = ["iops", *(["bw_bytes_per_s"] if _sizes_differ(rows) else []), metric]
    whole = WIDTH_PX - left - 8
    width = (whole - _GAP_PX * (len(metrics) - 1)) / len(metrics)
    found = []
    for place, name in enumerate(metrics):
        values = [row[name] for row in rows]
        form = axes.axis_format(name, values)
        scale = UNITS[form.unit].si
        found.append(
            _Panel(
                name,
                axes.axis_title(name, rows[0].get("direction") or "total", form),
                [value / scale for value in values],
                [_ends(row, name, scale) for row in rows],
                [printed(name, value) for value in values],
                scale,
                left + place * (width + _GAP_PX),
                width,
                names.letters,
            )
        )
    return found


def _sizes_differ(rows: Sequence[Row]) -> bool:
    """Whether results are of several I/O sizes; not where one does not tell its throughput."""
    sizes = [size for row in rows if (size := _size(row)) is not None]
    return len(sizes) == len(rows) and not same_size(min(sizes), max(sizes))


def _size(row: Row) -> float | None:
    """Mean bytes of an I/O, where they are known."""
    moved = row.get("bw_bytes_per_s")
    return moved / row["iops"] if moved and row["iops"] else None


def _ends(row: Row, metric: str, scale: float) -> tuple[float, float]:
    """The ends of a value's interval, itself where it has none."""
    low, high = row.get(f"{metric}_low"), row.get(f"{metric}_high")
    if low is None or high is None:
        return (row[metric] / scale,) * 2
    return low / scale, high / scale


def _bars(panel: _Panel, names: Sequence[str], rows: Sequence[Row], axis: str) -> Plotly:
    """The bars of a panel, in the colour of their system and configuration."""
    kinds = list(dict.fromkeys((row.get("system"), row.get("config")) for row in rows))
    several = 1 < len(kinds) <= len(style.PALETTE)
    looks = [kinds.index((row.get("system"), row.get("config"))) if several else 0 for row in rows]
    trace: Plotly = {
        "type": "bar",
        "orientation": "h",
        "name": panel.title,
        "x": list(panel.values),
        "y": list(range(len(rows))),
        "xaxis": axis,
        "marker": {"color": [style.PALETTE[look] for look in looks]},
        "customdata": [
            escape(f"{name}: {text.text}{hover.after(hover.repeats(row.get('repeats')))}")
            for name, text, row in zip(names, panel.texts, rows, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    if any(row.get(f"{panel.metric}_high") is not None for row in rows):
        pairs = list(zip(panel.values, panel.ends, strict=True))
        up, down = [high - at for at, (_, high) in pairs], [at - low for at, (low, _) in pairs]
        trace["error_x"] = whiskers(up, down, style.TEXT, width=4, thickness=1.2)
    return trace


def _axis(panel: _Panel, left: float) -> Plotly:
    whole = WIDTH_PX - left - 8
    start = (panel.left - left) / whole
    return {
        **Scale("", rate=is_rate(panel.metric)).axis((0.0, panel.most), panel.width, high=False),
        "title": {"text": panel.title, "font": {"size": FONT_SIZE_PX + 1}, "standoff": 10},
        "domain": [start, min(1.0, start + panel.width / whole)],
        "anchor": "y",
    }


def _numbers(panel: _Panel, axis: str) -> list[Plotly]:
    """The number of each bar, behind it and its whisker."""
    return [
        {
            "xref": axis,
            "yref": "y",
            "x": max(at, high),
            "y": place,
            "xanchor": "left",
            "xshift": _BESIDE_PX,
            "showarrow": False,
            "text": escape(text.text),
            "font": {"size": panel.letters, "color": style.TEXT},
            "bgcolor": "#ffffff",
            "borderpad": 0,
        }
        for place, (at, (_, high), text) in enumerate(
            zip(panel.values, panel.ends, panel.texts, strict=True)
        )
    ]


def _limit(layout: Plotly, panel: _Panel, number: int, limit_s: float) -> bool:
    """Draw the limit where the axis reaches it."""
    at = limit_s / panel.scale
    if at > panel.most:
        return False
    layout["shapes"] = [
        {
            "type": "line",
            "xref": f"x{number}",
            "yref": "y domain",
            "x0": at,
            "x1": at,
            "y0": 0,
            "y1": 1,
            "line": dict(style.LIMIT_LINE),
        }
    ]
    return True


def _limit_note(limit_s: float | None, *, is_drawn: bool) -> str:
    if limit_s is None:
        return ""
    where = "is the dashed line" if is_drawn else "lies outside the chart"
    return f" The limit of {limit_printed(limit_s).text} {where}."


def _listed(panels: Sequence[_Panel]) -> str:
    names = ["IOPS" if one.metric == "iops" else metric_of(one.metric).phrase() for one in panels]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _caption(
    curve: Measured, series: axes.Series, rows: Sequence[Row], panels: Sequence[_Panel]
) -> str:
    loads = {_load(row) for row in rows}
    at = f"at {loads.pop()}" if len(loads) == 1 else "at one load"
    notes = "".join(axes.bars_note(series, panel.metric) for panel in panels[:1])
    notes = notes.replace(" Bars are ", " Whiskers are ").replace(", each load by itself", "")
    head, each = _listed(panels), "each " if len(rows) > 1 else ""
    return f"{head[0].upper()}{head[1:]}, {each}{at}.{notes}{axes.missing_note(curve, series)}"
