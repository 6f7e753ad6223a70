"""Where DB time went over a series of reports: average active sessions, stacked by their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import legend
from perfkit.showing.figures.canvas import PLOT_PX, Plotly
from perfkit.showing.figures.line_chart import MM_PX
from perfkit.showing.figures.periods import clock, stack, traces
from perfkit.showing.figures.periods.over_time import one_history
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words

RESIDUAL = "residual"
_FIRST = ("DB CPU", "User I/O", "Commit", "Concurrency", "Application", "System I/O", "Cluster",
          "Configuration", "Network", "Scheduler", "Administrative", "Other")  # fmt: skip
"""From below, and in which colour: the same part looks alike in every report."""

_SMALL = 0.02
"""A part that is nowhere above this share of the highest period is not drawn, and named."""

_FORM = Format("1", significant=3)
_NARROW_PX = 5.0
"""Hatched bars that are narrower than this have no outline: it would be all of them."""


@step(version=2, name="figure.sessions_over_time")
def plot_sessions_over_time(
    sessions: Measured, periods: Measured | None = None, changes: Measured | None = None
) -> Figure:
    """Average active sessions over a series of reports, stacked: DB CPU and the classes of waits.

    The residual is DB time less its parts: above them where they are too few, below zero where
    they are too many. Background processes are in none of them.

    Args:
        sessions: ``sessions_over_time`` of one history.
        periods: ``periods``: restarts are marked.
        changes: Answers on when it changed: what came after is shaded.

    Raises:
        AnalysisError: Several histories.
        AbsentError: No period, or none with a part.
    """
    rows = [
        row
        for row in one_history(sessions, "sessions_over_time")
        if row["average_active_sessions"] is not None
    ]
    if not rows:
        raise AbsentError("no report of the series states where DB time went")
    every = rows_by(rows, lambda row: row["begin_time"])
    firsts = [own[0] for own in every.values()]
    parts = rows_by(rows, lambda row: str(row["part"]))
    # how high the bars of each period reach
    tops = [sum(max(0.0, row["average_active_sessions"]) for row in own) for own in every.values()]
    least = _SMALL * max(tops)
    seen = [
        part
        for part in _ordered(parts)
        if any(abs(row["average_active_sessions"]) > least for row in parts[part])
    ]
    data = [_bars(place, part, parts[part], len(firsts)) for place, part in enumerate(seen)]
    marks = stack.marked(firsts, periods, None, changes)
    lows = [row["average_active_sessions"] for row in parts.get(RESIDUAL, [])]
    panel = stack.Panel(
        Scale("Average active sessions"), tuple(data), (*tops, *(low for low in lows if low < 0))
    )
    chart = stack.draw([panel], firsts[0]["begin_time"], firsts[-1]["end_time"], marks)
    chart.layout["barmode"] = "relative"
    more = legend.add(chart.layout, [*seen])
    words = Words()
    told = "Average active sessions over time, by what they did"
    return replace(chart, height_mm=chart.height_mm + more / MM_PX).figure(
        "sessions-over-time",
        f"{told.rstrip('.')}; {clock.whole(firsts)}.{_note(parts, seen)}"
        f"{stack.told(firsts, marks)}",
        _alt(words, firsts, parts, seen),
        words.printed,
        stack.cautions_of(sessions, changes),
    )


def _ordered(parts: dict[str, list[Row]]) -> list[str]:
    """The parts from below; the residual last."""
    known = [part for part in _FIRST if part in parts]
    others = sorted(parts.keys() - {*_FIRST, RESIDUAL})
    return [*known, *others, *([RESIDUAL] if RESIDUAL in parts else [])]


def _bars(place: int, part: str, rows: list[Row], count: int) -> Plotly:
    values = [row["average_active_sessions"] for row in rows]
    narrow = PLOT_PX / count < _NARROW_PX
    if part == RESIDUAL:
        edge = style.GRID if narrow else style.AXIS
        marker: Plotly = {"color": style.GRID, "line": {"color": edge, "width": 0.5}}
    else:
        marker = style.bar(_FIRST.index(part) if part in _FIRST else place)
        if narrow and marker["pattern"]["shape"]:
            marker["line"] = {"width": 0}
    told = [f"{_FORM.show(value).text} sessions" for value in values]
    return {**traces.bars(rows, values, part, marker, told), "showlegend": True}


def _note(parts: dict[str, list[Row]], seen: Sequence[str]) -> str:
    small = [part for part in _ordered(parts) if part not in seen]
    left = f" Not drawn, as nowhere above {_SMALL:.0%} of the highest period: {', '.join(small)}."
    residual = (
        " Residual: DB time in neither CPU nor waits, such as time on the run queue or of long "
        "calls, which are booked when they end; below zero: parts of calls that had not ended."
    )
    return (residual if RESIDUAL in seen else "") + (left if small else "")


def _alt(
    words: Words, firsts: Sequence[Row], parts: dict[str, list[Row]], seen: Sequence[str]
) -> str:
    said = []
    for part in seen:
        ends = (
            _FORM.show(pick(row["average_active_sessions"] for row in parts[part]))
            for pick in (min, max)
        )
        said.append(f"{part} {words.ends(ends, 'from {} to {}', 'at {}')}")
    return f"Stacked bars of average active sessions, {clock.whole(firsts)}: {'; '.join(said)}."
