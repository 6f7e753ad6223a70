"""Bars of the hosts' CPU by load: what it was busy with, or how busy in several configurations."""

from __future__ import annotations

import math
from collections.abc import Sequence

from perfkit.analysis.curves.metrics import LOAD_AXIS, load_number
from perfkit.analysis.curves.series import require_columns, series_labels
from perfkit.analysis.over_time.host_cpu import PARTS
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.text_size import width_of
from perfkit.core.units import Format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import legend
from perfkit.showing.figures.canvas import HEIGHT_MM, PLOT_PX, Plotly, base_layout, escape, figure
from perfkit.showing.figures.line_chart import MM_PX
from perfkit.showing.figures.scales import share_above
from perfkit.showing.figures.words import Words

_NAMES = {
    "cpu_user_ratio": "User code",
    "cpu_system_ratio": "Kernel",
    "cpu_other_ratio": "Interrupts and hypervisor",
    "cpu_iowait_ratio": "Idle, waiting for I/O",
}
_SMALLEST = 0.001
"""A part that is nowhere above this share is not drawn."""

_PERCENT = Format("%", decimals=1)
_NUMBER_PX = 10
_BAR_SHARE = 0.65
"""Of the room of a load, what its bars take."""


@step(version=3, name="figure.cpu_by_load")
def plot_cpu_by_load(cpu: Measured) -> Figure:
    """The host's CPU by load point as bars.

    Of ``cpu_by_load`` of one host, each bar is made of its parts: user code, kernel, the rest of
    the busy time, and lighter, idle time with I/O outstanding; the number is the busy share. Of
    several hosts, or of a latency curve (a bar each configuration), each bar is the busy share.

    Raises AnalysisError where no load point has a CPU share.
    """
    require_columns(cpu.frame, ["workload", "load_kind", "load", "cpu_busy_ratio"], "cpu")
    rows = [row for row in cpu.frame.rows(named=True) if row["cpu_busy_ratio"] is not None]
    if not rows:
        raise AbsentError("no load point has a share of the host's CPU: there is nothing to draw")
    left = len(cpu) - len(rows)
    loads = sorted({row["load"] for row in rows})
    series = _series(rows)
    words = Words()
    stacked = len(series) == 1 and "cpu_user_ratio" in cpu.frame.columns
    part = next(iter(series.values()))
    traces = _stack(part, loads) if stacked else _beside(series, loads)
    bars = len(loads) * (1 if stacked else len(series))
    if width_of("00.0", _NUMBER_PX) <= _BAR_SHARE * PLOT_PX / bars:
        _number(traces, part, loads, stacked=stacked)
    top = max(
        sum(trace["y"][i] or 0.0 for trace in traces)
        if stacked
        else max(trace["y"][i] or 0.0 for trace in traces)
        for i in range(len(loads))
    )
    layout = _layout(rows, loads, top, stacked=stacked)
    more = legend.add(layout, [trace["name"] for trace in traces]) if len(traces) > 1 else 0.0
    alt = _alt(words, series)
    note = f" Not drawn, for lack of a sample: {left}." if left else ""
    kinds = ", ".join(sorted({LOAD_AXIS.get(r["load_kind"], r["load_kind"]) for r in rows}))
    given = f"Host CPU by {kinds.lower()}.{note}"
    return Figure(
        "cpu-by-load",
        figure(traces, layout),
        given,
        alt,
        HEIGHT_MM + more / MM_PX,
        printed=tuple(words.printed),
    )


def _series(rows: Sequence[Row]) -> dict[str, dict[float, Row]]:
    """Each bar series by its name: hosts where there are several, else the curves."""
    hosts = [row.get("host") for row in rows]
    several = len(set(hosts)) > 1
    names = [str(host or "controller") for host in hosts] if several else series_labels(rows)
    found: dict[str, dict[float, Row]] = {}
    for name, row in zip(names, rows, strict=True):
        own = found.setdefault(name, {})
        if row["load"] in own:
            at = load_number(row["load"]).text
            raise AnalysisError(f"cpu: two rows of {name} at load {at}; filter first")
        own[row["load"]] = row
    return found


def _stack(part: dict[float, Row], loads: Sequence[float]) -> list[Plotly]:
    """One trace a part of the CPU time, of those that are seen at all."""
    drawn = [
        name for name in PARTS if any((part[load].get(name) or 0.0) > _SMALLEST for load in loads)
    ] or ["cpu_busy_ratio"]
    return [
        _bar(
            i,
            _NAMES.get(name, "Busy"),
            [part[load].get(name) for load in loads],
            loads,
            faint=name == "cpu_iowait_ratio",
        )
        for i, name in enumerate(drawn)
    ]


def _beside(series: dict[str, dict[float, Row]], loads: Sequence[float]) -> list[Plotly]:
    empty: Row = {"cpu_busy_ratio": None}
    return [
        _bar(i, name, [own.get(load, empty)["cpu_busy_ratio"] for load in loads], loads)
        for i, (name, own) in enumerate(series.items())
    ]


def _bar(
    index: int,
    name: str,
    values: Sequence[float | None],
    loads: Sequence[float],
    *,
    faint: bool = False,
) -> Plotly:
    marker = style.bar(index)
    if faint:
        marker = {"color": style.GRID, "line": {"color": style.AXIS, "width": 1}}
    return {
        "type": "bar",
        "name": escape(name),
        "x": [load_number(load).text for load in loads],
        "y": [None if value is None else value * 100 for value in values],
        "marker": marker,
        "hovertemplate": f"{escape(name)}<br>load %{{x}}: %{{y:.1f}}%<extra></extra>",
    }


def _number(
    traces: list[Plotly], part: dict[float, Row], loads: Sequence[float], *, stacked: bool
) -> None:
    """The busy share over each bar; in a stack, over all of it."""
    for trace in traces[-1:] if stacked else traces:
        busy = (
            [part[load]["cpu_busy_ratio"] for load in loads]
            if stacked
            else [None if y is None else y / 100 for y in trace["y"]]
        )
        trace["text"] = ["" if value is None else _PERCENT.number(value) for value in busy]
        trace["textposition"] = "outside"
        trace["textangle"] = 0
        trace["textfont"] = {"size": _NUMBER_PX}
        trace["cliponaxis"] = False


def _layout(rows: Sequence[Row], loads: Sequence[float], top: float, *, stacked: bool) -> Plotly:
    kinds = {row["load_kind"] for row in rows}
    kind = next(iter(kinds)) if len(kinds) == 1 else "Load"
    layout = base_layout(LOAD_AXIS.get(kind, kind), "Share of the host's CPU time (%)")
    layout["barmode"] = "stack" if stacked else "group"
    texts = [load_number(load).text for load in loads]
    widest = max(map(width_of, texts)) + 6
    shown = texts[:: math.ceil(widest * len(texts) / PLOT_PX)]
    layout["xaxis"] |= {
        "type": "category",
        "showgrid": False,
        "tickangle": 0,
        "tickmode": "array",
        "tickvals": shown,
    }
    layout["yaxis"] |= {"range": [0, share_above(top * _NUMBER_ROOM)]}
    return layout


_NUMBER_ROOM = 1.06


def _alt(words: Words, series: dict[str, dict[float, Row]]) -> str:
    said = []
    for name, own in series.items():
        low, high = (
            f"{words.keep(_PERCENT.show(row['cpu_busy_ratio']))} at {words.load_of(row)}"
            for row in (own[min(own)], own[max(own)])
        )
        said.append(f"{name}: {low}, {high}" if len(own) > 1 else f"{name}: {low}")
    return f"Bars of the busy share of the host's CPU by load. {'; '.join(said)}."
