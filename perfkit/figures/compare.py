"""Charts of a comparison: how large each change is, and how sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perfkit import style
from perfkit.analysis.compare.questions import QUESTIONS
from perfkit.analysis.metrics import limit_printed, load_number, metric_of, printed, workload_name
from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.figures.canvas import HEIGHT_MM, base_layout, escape, figure
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
_SIDE = 0.5
"""Series at one value stand side by side over this part of its width."""

_ROOM = 0.12


@step(version=1)
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
    known = comparison.frame["question"].unique().to_list()
    rows = [row for row in comparison.frame.rows(named=True) if row["question"] == question]
    if not rows:
        raise AnalysisError(f"no question {question!r}; {did_you_mean(question, known)}")
    drawn = [row for row in rows if row["ratio"] is not None]
    if not drawn:
        raise AnalysisError(f"{question}: no value has a ratio, so there is nothing to draw")
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
    metric = "" if row["metric"] is None else metric_of(row["metric"]).phrase()
    x_title = "" if asked.given is None else _GIVEN[asked.given]
    if asked.given == "lat":
        x_title = metric_of(row["metric"]).title(row["direction"])
    layout = base_layout(x_title, _TITLES[asked.wanted].format(metric=metric))
    tops, bottoms = zip(*(_reach(trace) for trace in traces), strict=True)
    high, low = max(0.0, *tops), min(0.0, *bottoms)
    room = _ROOM * (high - low) or 1.0
    layout["yaxis"] |= {"range": [low - room, high + room], "tickformat": ",.4~g"}
    layout["xaxis"] |= {
        "range": [-0.6, len(values) - 0.4], "tickmode": "array", "showgrid": False,
        "tickvals": list(range(len(values))),
        "ticktext": ["at the peak" if v is None else _at({**row, "at": v}) for v in values],
    }  # fmt: skip
    zero = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0,
            "line": {"color": style.AXIS, "width": 1.5}, "layer": "below"}  # fmt: skip
    layout["shapes"] = [zero]
    layout["annotations"] = _numbers(traces)
    if len(traces) > 1:
        layout["showlegend"] = True
        layout["margin"] = {**layout["margin"], "t": 40}
    return layout


def _reach(trace: dict[str, Any]) -> tuple[float, float]:
    """How far a trace goes up and down, its whiskers included."""
    bars = trace.get("error_y")
    up = bars["array"] if bars else [0.0] * len(trace["y"])
    down = bars["arrayminus"] if bars else up
    ys = trace["y"]
    return (
        max(y + more for y, more in zip(ys, up, strict=True)),
        min(y - less for y, less in zip(ys, down, strict=True)),
    )


_MOST_WITH_NUMBERS = 12


def _numbers(traces: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The change beside each mark, where there is room for it."""
    marks = [pair for trace in traces for pair in zip(trace["x"], trace["y"], strict=True)]
    if len(marks) > _MOST_WITH_NUMBERS:
        return []
    return [
        {"x": x, "y": y, "text": _signed(y / 100), "showarrow": False, "xanchor": "left",
         "xshift": 8, "font": {"size": 11, "color": style.TEXT}}
        for x, y in marks
    ]  # fmt: skip


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
    name = {
        "iops_at_latency": "IOPS at equal latency", "latency_at_iops": "latency at equal IOPS",
        "cpu_at_iops": "host CPU at equal IOPS", "iops_at_cpu": "IOPS at equal host CPU",
        "iops_at_load": "IOPS at equal load", "latency_at_load": "latency at equal load",
        "cpu_at_load": "host CPU at equal load", "peak_iops": "peak IOPS",
        "peak_iops_under_latency": "highest measured IOPS under a latency",
        "iops_per_busy_core": "IOPS per busy core at the peak",
    }[row["question"]]  # fmt: skip
    whiskers = any(item["ratio_low"] is not None for item in rows)
    note = " Whiskers are 95% intervals over the repeats." if whiskers else (
        " One repeat or no spread, so no intervals.")  # fmt: skip
    return f"Change of {name}{pair}.{note}"


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
