"""Charts of a comparison: how large each change is, and how sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perfkit import style
from perfkit.analysis.compare.asked import NAMES, rows_asked
from perfkit.analysis.compare.questions import QUESTIONS
from perfkit.analysis.metrics import limit_printed, load_number, metric_of, printed, workload_name
from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError
from perfkit.figures.canvas import HEIGHT_MM, MARGIN, Canvas, base_layout, escape, figure
from perfkit.figures.compare_labels import Mark, legend_px, numbers
from perfkit.figures.words import Words
from perfkit.lineage import Measured, step
from perfkit.units import Format
from perfkit.values import Figure, check_id

_CHANGE = Format("%", decimals=1)
_TITLES = {
    "iops": "Change of IOPS (%)",
    "lat": "Change of {metric} (%)",
    "cpu_busy_ratio": "Change of host CPU (%)",
    "iops_per_core": "Change of IOPS per busy core (%)",
}
_GIVEN = {"lat": "Mean latency", "iops": "IOPS", "load": "Load", "cpu_busy_ratio": "Host CPU"}
_SIDE = 0.76
"""Series at one value stand side by side over this part of its width."""

_ROOM = 0.14
_EDGE = 0.55
"""Room left of the first and right of the last value, of the distance of two."""


@step(version=2, name="figure.differences")
def plot_differences(
    comparison: Measured,
    *,
    question: str = "iops_at_latency",
    value_id: str | None = None,
    caption: str | None = None,
) -> Figure:
    """The change at each value of one question, with its 95% interval as whiskers.

    One mark a value and pair of curves (or workload); above the line at 0 the contender has more.
    What has no ratio is not drawn, and the caption counts it; a mark without whiskers has no
    interval.

    Raises AnalysisError for a question that the comparison does not hold, or one without a ratio.
    """
    need(comparison.frame, ("question", "at", "ratio", "ratio_low"), "comparison")
    rows = rows_asked(comparison.frame, question)
    drawn = [row for row in rows if row["ratio"] is not None]
    if not drawn:
        raise AnalysisError(
            "at no value do both sides have a number, so there is no change of "
            f"{NAMES[question]} to draw"
        )
    values = sorted({row["at"] for row in drawn}, key=lambda value: value or 0.0)
    series: dict[str, list[Row]] = {}
    for row in drawn:
        series.setdefault(_name(row, rows), []).append(row)
    traces = [
        _trace(index, len(series), name, own, values)
        for index, (name, own) in enumerate(series.items())
    ]
    layout = _layout(drawn[0], values, traces)
    words = Words()
    alt = _alt(words, series)
    left = len(rows) - len(drawn)
    note = f" Without a ratio, and so not drawn: {left}." if left else ""
    given = caption or f"{_caption(drawn)}{note}"
    return Figure(
        check_id(value_id or f"change-{question.replace('_', '-')}"), figure(traces, layout), given,
        alt, HEIGHT_MM, printed=tuple(words.printed),
    )  # fmt: skip


def _name(row: Row, rows: Sequence[Row]) -> str:
    """What tells a mark: the pair where there are several, the workload where there are."""
    pairs = {(item["baseline"], item["contender"]) for item in rows}
    parts = [f"{row['contender']} against {row['baseline']}"] if len(pairs) > 1 else []
    if len({item["workload"] for item in rows}) > 1 or not parts:
        parts.append(workload_name(str(row["workload"])))
    return ", ".join(parts)


def _trace(
    index: int, count: int, name: str, rows: Sequence[Row], values: Sequence[float | None]
) -> dict[str, Any]:
    look = style.series(index)
    shift = (index - (count - 1) / 2) * _SIDE / count
    changes = [(row["ratio"] - 1) * 100 for row in rows]
    known = any(row["ratio_low"] is not None for row in rows)
    trace: dict[str, Any] = {
        "type": "scatter", "mode": "markers", "name": escape(name),
        "x": [values.index(row["at"]) + shift for row in rows], "y": changes,
        "marker": {"color": look["color"], "symbol": look["symbol"], "size": 9},
        "customdata": [_at(row) for row in rows],
        "hovertemplate": f"{escape(name)}<br>%{{customdata}}: %{{y:+.1f}}%<extra></extra>",
    }  # fmt: skip
    if known:
        ends = [
            [0.0 if row[end] is None else abs((row[end] - row["ratio"]) * 100) for row in rows]
            for end in ("ratio_high", "ratio_low")
        ]
        trace["error_y"] = {"type": "data", "symmetric": False, "array": ends[0],
                            "arrayminus": ends[1], "thickness": 1.5, "width": 6,
                            "color": look["color"]}  # fmt: skip
    return trace


def _layout(
    row: Row, values: Sequence[float | None], traces: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    asked = QUESTIONS[row["question"]]
    metric = "" if row["metric"] is None else metric_of(row["metric"]).phrase(row["direction"])
    x_title = "" if asked.given is None else _GIVEN[asked.given]
    if asked.given == "lat":
        x_title = metric_of(row["metric"]).title(row["direction"])
    layout = base_layout(x_title, _TITLES[asked.wanted].format(metric=metric))
    marks = _marks(traces)
    high = max(0.0, *(mark.high for mark in marks))
    low = min(0.0, *(mark.low for mark in marks))
    room = _ROOM * (high - low) or 1.0
    canvas = Canvas(
        x_min=-_EDGE, x_max=len(values) - 1 + _EDGE, y_min=low - room, y_max=high + room
    )
    if len(traces) > 1:
        # from the top of the chart down; Plotly adds its height to the margin
        canvas.top_px = MARGIN["t"] + legend_px([trace["name"] for trace in traces])
        layout["showlegend"] = True
        layout["legend"] = {"yref": "container", "y": 1.0, "yanchor": "top"}
    layout["yaxis"] |= {"range": [canvas.y_min, canvas.y_max], "tickformat": ",.4~g"}
    layout["xaxis"] |= {
        "range": [canvas.x_min, canvas.x_max], "tickmode": "array", "showgrid": False,
        "tickvals": list(range(len(values))),
        "ticktext": ["at the peak" if v is None else _at({**row, "at": v}) for v in values],
    }  # fmt: skip
    zero = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0,
            "line": {"color": style.AXIS, "width": 1.5}, "layer": "below"}  # fmt: skip
    layout["shapes"] = [zero]
    layout["annotations"] = numbers(marks, canvas)
    return layout


def _marks(traces: Sequence[dict[str, Any]]) -> list[Mark]:
    """Every mark with the reach of its whiskers and its number."""
    found = []
    for trace in traces:
        bars = trace.get("error_y") or {}
        nothing = [0.0] * len(trace["y"])
        up, down = bars.get("array", nothing), bars.get("arrayminus", nothing)
        color = trace["marker"]["color"]
        for x, y, more, less in zip(trace["x"], trace["y"], up, down, strict=True):
            found.append(Mark(x, y, y - less, y + more, _signed(y / 100), color))
    return found


def _signed(change: float) -> str:
    """A change with its sign: +59.4%."""
    text = _CHANGE.show(change).text
    return f"+{text}" if change > 0 else text


def _at(row: Row) -> str:
    """The value asked at, as printed."""
    given = QUESTIONS[row["question"]].given
    if given is None or row["at"] is None:
        return "at the peak"
    if given == "lat":
        return limit_printed(row["at"]).text
    if given == "load":
        return load_number(row["at"]).text
    return printed(given, row["at"]).text


def _caption(rows: Sequence[Row]) -> str:
    row = rows[0]
    pairs = {(item["baseline"], item["contender"]) for item in rows}
    pair = f", {row['contender']} against {row['baseline']}" if len(pairs) == 1 else ""
    whiskers = any(item["ratio_low"] is not None for item in rows)
    note = " Whiskers are 95% intervals over the repeats." if whiskers else (
        " One repeat or no spread, so no intervals.")  # fmt: skip
    return f"Change of {NAMES[row['question']]}{pair}.{note}"


def _alt(words: Words, series: dict[str, list[Row]]) -> str:
    said = []
    for name, rows in series.items():
        parts = []
        for row in rows:
            change = words.keep(_CHANGE.show(row["ratio"] - 1))
            text = f"{_at(row)} {change}"
            if row["ratio_low"] is not None:
                low, high = (
                    words.keep(_CHANGE.show(row[end] - 1)) for end in ("ratio_low", "ratio_high")
                )
                text += f" ({low} to {high})"
            parts.append(text)
        said.append(f"{name}: {', '.join(parts)}")
    return f"Marks of the change at each value. {'; '.join(said)}."
