"""IOPS over time of several systems at one load, with the intervals in which nothing completed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import by_label, require_rows, series_labels
from perfkit.analysis.over_time.stalls import iops_over_time
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import line_chart
from perfkit.showing.figures.axes import axis_format, axis_title, common_load, places_of, scale_of
from perfkit.showing.figures.canvas import Plotly, escape
from perfkit.showing.figures.panel_lines import MARKED, Line, line_trace
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words
from perfkit.showing.figures.xy import Axis, lines_chart

_IOPS = Format("IOPS")
_SECONDS = Format("s", significant=3)


def plot_stalls(series: Measured, *, load: float | None = None, repeat: int = 1) -> Figure:
    """IOPS over time, a line a system, of one load and repeat; stalls are marked on the axis.

    A stall is an interval in which not one I/O completed, in any direction. A time that the source
    does not cover is a gap in the line, never 0. The last interval of each line is left out
    (``iops_over_time``).

    Args:
        series: A run's ``series`` (of one system, or of several with their labels).
        load: The load; None: the highest that every system has.
        repeat: Which repeat.

    Raises:
        AnalysisError: No such load or repeat, or a source without a count of I/Os.
    """
    return _plot_stalls(iops_over_time(series), load=load, repeat=repeat)


@step(version=4, name="figure.stalls")
def _plot_stalls(over_time: Measured, *, load: float | None, repeat: int) -> Figure:
    rows = over_time.frame.filter(repeat=repeat).rows(named=True)
    if not rows:
        raise AbsentError(f"no interval of repeat {repeat} has a count of I/Os")
    at = common_load(by_label(rows), load)
    lines = by_label([row for row in rows if row["load"] == at])
    drawn = []
    for place, (label, rows) in zip(places_of(dict(lines)), lines.items(), strict=True):
        stalls = _stalls(place.look, label, rows)
        drawn.append(
            Line(
                _trace(place.look, label, rows),
                place.name,
                place.panel,
                over=(stalls,) if stalls else (),
            )
        )
    y, _ = scale_of("iops", dict(lines))
    x = Scale("Time since the measurement began (s)")
    chart = line_chart.draw(drawn, x, replace(y, title=axis_title("iops", "total", _IOPS)))
    words = Words()
    alt = _alt(words, lines)
    first = next(iter(lines.values()))[0]
    stalled = any(line.over for line in drawn)
    marks = (
        " Crosses on the axis are intervals in which no I/O completed."
        if stalled
        else (" I/Os completed in every interval.")
    )
    caption = (
        f"IOPS over time at {load_text(first['load_kind'], first['load'])}, repeat {repeat}, "
        f"without each line's last interval.{marks}"
    )
    return chart.figure("iops-over-time", caption, alt, words.printed)


def _trace(index: int, label: str, rows: Sequence[Row]) -> Plotly:
    """The line; where an interval does not begin where the one before it ended there is a gap."""
    xs: list[float] = []
    ys: list[float | None] = []
    before: Row | None = None
    for row in rows:
        begun = row["t_s"] - row["interval_s"]
        if before is not None and begun - before["t_s"] > row["interval_s"] / 2:
            xs.append(begun)
            ys.append(None)
        xs.append(row["t_s"])
        ys.append(row["iops"])
        before = row
    return line_trace(index, label, xs, ys, ("s", "IOPS"), marked=len(rows) <= MARKED)


def _stalls(index: int, label: str, rows: Sequence[Row]) -> Plotly | None:
    stalled = [row for row in rows if row["ios"] == 0]
    if not stalled:
        return None
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"{escape(label)}, stalls",
        "x": [row["t_s"] for row in stalled],
        "y": [0.0] * len(stalled),
        "cliponaxis": False,
        "marker": {"color": style.series(index)["color"], "symbol": "x", "size": 9},
        "hovertemplate": f"{escape(label)}: stall<br>%{{x:,.5~g}} s<extra></extra>",
    }


def _alt(words: Words, lines: Mapping[str, Sequence[Row]]) -> str:
    said = []
    for label, rows in lines.items():
        low, high = (f(row["iops"] for row in rows) for f in (min, max))
        stalled = rows[0]["stalled_s"]
        stall = f"stalled for {words.keep(_SECONDS.show(stalled))}" if stalled else "no stall"
        said.append(f"{label}: {words.value('iops', low)} to {words.value('iops', high)}, {stall}")
    return f"Line chart of IOPS over time. {'; '.join(said)}."


@step(version=2, name="figure.log_rates")
def plot_log_rates(rates: Measured, *, load: float | None = None) -> Figure:
    """IOPS over time from ``sum_over_jobs``, one line a result; ``load``: default the highest.

    Raises AbsentError for more lines than a page has room for.
    """
    columns = ("source", "load_kind", "load", "t_s", "window_s", "iops")
    rows = require_rows(rates, "rates", columns, "nothing to draw")
    known = max(row["load"] for row in rows) if load is None else load
    own = [row for row in rows if row["load"] == known]
    results = list(rows_by(own, lambda row: row["source"]).values())
    names = series_labels([part[0] for part in results])
    if len(set(names)) < len(names):
        names = [str(part[0]["source"]) for part in results]
    series = {
        name: [(row["t_s"], row["iops"]) for row in part]
        for name, part in zip(names, results, strict=True)
    }
    first = own[0]
    given = (
        f"IOPS over time at {load_text(first['load_kind'], known)}, the mean of each window of "
        f"{first['window_s']:g} s, added over the jobs of each result."
    )
    form = axis_format("iops", [row["iops"] for row in own])
    return lines_chart(
        series,
        Axis("Time since the load started", Format("s")),
        Axis("IOPS", form),
        value_id="iops-over-time",
        caption=given,
        markers=False,
    )


@step(version=1, name="figure.rounds")
def plot_rounds(rounds: Measured, *, metric: str = "iops") -> Figure:
    """A metric round by round: the plot by which steady state is seen; a line a series."""
    rows = require_rows(rounds, "rounds", ("repeat", "direction", "load", metric), "no chart")
    known = [row for row in rows if row["direction"] == "total" and row[metric] is not None]
    if not known:
        raise AbsentError(f"no round has a value of {metric}")
    series = {
        label: sorted((row["repeat"], row[metric]) for row in own)
        for label, own in by_label(known).items()
    }
    form = axis_format(metric, [row[metric] for row in known])
    title = axis_title(metric, "total", form).partition(" (")[0]
    return lines_chart(
        series,
        Axis("Round", Format("1", decimals=0)),
        Axis(title, form),
        value_id="rounds-plot",
        caption=f"{title} round by round.",
    )
