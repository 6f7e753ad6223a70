"""Charts of how long waits were over a series of reports, as the buckets of histograms tell it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format, time_format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures.canvas import Plotly, escape
from perfkit.showing.figures.distributions import COLORS, FLOOR, shade
from perfkit.showing.figures.periods import clock, stack, traces
from perfkit.showing.figures.periods.over_time import one_history
from perfkit.showing.figures.periods.stack import Panel
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words

_LOOKS: dict[float, tuple[str, str, str]] = {
    50.0: ("median", style.PALETTE[4], ""),
    95.0: ("95%", style.PALETTE[1], "/"),
    99.0: ("99%", style.PALETTE[6], "."),
}
"""Percentile -> its name beside the panel, its colour, its hatching: it reads in grey too."""
_SHARE = Format("%", decimals=1)
MOST_TICKS = 11
"""So many edges have room for their names; of more every other one is named."""


@step(version=2, name="figure.latency_bands")
def plot_latency_bands(
    bands: Measured, periods: Measured | None = None, changes: Measured | None = None
) -> Figure:
    """How long the waits for some events were over a series of reports: a panel an event.

    A percentile of a histogram is known to a bucket: it is drawn as the range from the bucket's
    lower to its upper edge, never as a line. The line is the mean as the report states it.

    Args:
        bands: ``latency_bands`` of one history.
        periods: ``periods``: restarts are marked.
        changes: Answers on when it changed: what came after is shaded.

    Raises:
        AnalysisError: Several histories.
        AbsentError: No period with a percentile.
    """
    rows = [row for row in one_history(bands, "latency_bands") if row["lower_s"] is not None]
    if not rows:
        raise AbsentError("no report of the series has a histogram of these events")
    firsts = [own[0] for own in rows_by(rows, lambda row: row["begin_time"]).values()]
    marks = stack.marked(firsts, periods, None, changes)
    events = rows_by(rows, lambda row: str(row["event"]))
    edges = [row[name] for row in rows for name in ("lower_s", "upper_s") if row[name]]
    form = time_format(math.sqrt(min(edges) * max(edges)))
    percents = sorted({row["percent"] for row in rows})
    panels = [_panel(event, own, percents, form) for event, own in events.items()]
    chart = stack.draw(panels, firsts[0]["begin_time"], firsts[-1]["end_time"], marks)
    words = Words()
    told = f"Length of waits: {', '.join(events)}"
    open_ = any(row["upper_s"] is None for row in rows)
    more = " A box that reaches the top has no upper end." if open_ else ""
    return chart.figure(
        "latency-over-time",
        f"{told.rstrip('.')}; {clock.whole(firsts)}. Line: the mean. Boxes: the "
        f"bucket of the histogram in which a percentile lies.{more}"
        f"{stack.told(firsts, marks)}",
        _alt(words, events, firsts),
        words.printed,
        stack.cautions_of(bands, changes),
    )


def _panel(event: str, rows: list[Row], percents: Sequence[float], form: Format) -> Panel:
    unit = UNITS[form.unit]
    known = [row[name] / unit.si for row in rows for name in ("lower_s", "upper_s") if row[name]]
    floor, top = min(known) / 2, max(known) * 2
    drawn, names = [], []
    for percent in percents:
        name, color, hatch = _LOOKS.get(percent, (f"{percent:g}%", style.AXIS, "x"))
        own = [row for row in rows if row["percent"] == percent]
        low = [max(floor, row["lower_s"] / unit.si) for row in own]
        high = [top if row["upper_s"] is None else row["upper_s"] / unit.si for row in own]
        heights = [b - a for a, b in zip(low, high, strict=True)]
        marker: Plotly = {"color": color, "line": {"width": 0}}
        if hatch:
            marker["pattern"] = {"shape": hatch, "fillmode": "replace", "size": 6, "solidity": 0.4}
        bars = traces.bars(own, heights, f"{event}, {name}", marker, [_range(row) for row in own])
        drawn.append({**bars, "base": low})
        names.append((name, math.sqrt(low[-1] * high[-1]), color))
    means = [row for row in rows if row["percent"] == percents[0]]
    values = [None if row["mean_s"] is None else row["mean_s"] / unit.si for row in means]
    told = [
        None if row["mean_s"] is None else time_format(row["mean_s"]).show(row["mean_s"]).text
        for row in means
    ]
    line = {"color": style.TEXT, "width": 1.6}
    drawn.append(traces.steps(means, values, f"{event}, mean", line, told))
    spread = (floor, top, *(value for value in values if value))
    scale = Scale(f"{event} ({unit.symbol})", log=True)
    return stack.Panel(scale, tuple(drawn), spread, tuple(names))


def _range(row: Row) -> str:
    """A bucket in words: 4 ms to 8 ms, below 1 ms, 32 ms or more."""
    lower, upper = (
        None if row[name] is None else _edge(row[name]) for name in ("lower_s", "upper_s")
    )
    if upper is None:
        return f"{lower} or more"
    return f"{lower} to {upper}" if row["lower_s"] else f"below {upper}"


def _edge(seconds: float) -> str:
    """The edge of a bucket, without the zeros behind its point."""
    number, _, unit = time_format(seconds).show(seconds).text.partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"


def _alt(words: Words, events: dict[str, list[Row]], firsts: Sequence[Row]) -> str:
    said = []
    for event, rows in events.items():
        means = [row["mean_s"] for row in rows if row["mean_s"] is not None]
        if means:
            ends = (time_format(end).show(end) for end in (min(means), max(means)))
            said.append(f"{event}: mean {words.ends(ends, 'from {} to {}', 'at {}')}")
        high = max(row["percent"] for row in rows)
        last = [row for row in rows if row["percent"] == high][-1]
        said.append(f"{event}: {high:g}% of the last period's waits end within {_range(last)}")
    return f"Panels of waits over time, {clock.whole(firsts)}. {'; '.join(said)}."


@step(version=2, name="figure.histogram_over_time")
def plot_histogram_over_time(
    histogram: Measured, periods: Measured | None = None, changes: Measured | None = None
) -> Figure:
    """The histogram of one event over a series of reports: a column a period, a row a bucket.

    The colour is the share of the period's waits, on a logarithmic scale, so that the tail shows;
    a bucket without waits is white.

    Args:
        histogram: ``histogram_over_time`` of one history and event.
        periods: ``periods``: restarts are marked.
        changes: Answers on when it changed.

    Raises:
        AnalysisError: Several histories or events.
        AbsentError: No period with a histogram.
    """
    rows = [
        row
        for row in one_history(histogram, "histogram_over_time")
        if row["waits_ratio"] is not None
    ]
    if not rows:
        raise AbsentError("no report of the series has a histogram of the event")
    events = sorted({row["event"] for row in rows})
    if len(events) > 1:
        raise AnalysisError(f"a heat map shows one event, not {', '.join(events)}: filter by event")
    columns = rows_by(rows, lambda row: row["begin_time"])
    firsts = [own[0] for own in columns.values()]
    buckets = sorted({(row["lower_s"], row["upper_s"]) for row in rows}, key=lambda b: b[0])
    marks = stack.marked(firsts, periods, None, changes)
    edges, shades, cells = _cells(columns.values(), buckets)
    data = {
        "type": "heatmap",
        "x": edges,
        "y": [place - 0.5 for place in range(len(buckets) + 1)],
        "z": shades,
        "colorscale": COLORS,
        "zmin": FLOOR,
        "zmax": 2,
        "hoverongaps": False,
        "colorbar": {
            "title": {"text": "Share of waits (%)", "side": "right"},
            "thickness": 12,
            "outlinewidth": 0,
            "tickvals": [-2, -1, 0, 1, 2],
            "ticktext": ["0.01", "0.1", "1", "10", "100"],
        },
        "customdata": cells,
        "hovertemplate": f"{escape(events[0])}<br>%{{x|%d %b %H:%M}}: %{{customdata}}"
        "<extra></extra>",
    }
    scale = Scale(f"{events[0]}: wait")
    named = range(1, len(buckets), 1 if len(buckets) <= MOST_TICKS else 2)
    ticks = {
        "tickmode": "array",
        "tickvals": [place - 0.5 for place in named],
        "ticktext": [_edge(buckets[place][0]) for place in named],
        "showgrid": False,
        "range": [-0.5, len(buckets) - 0.5],
    }
    panel = stack.Panel(scale, (data,), (0.0, float(len(buckets))), more=ticks)
    chart = stack.draw([panel], firsts[0]["begin_time"], firsts[-1]["end_time"], marks, beside=92)
    words = Words()
    told = f"Waits for {events[0]} by length over time"
    return chart.figure(
        "waits-heatmap",
        f"{told.rstrip('.')}; {clock.whole(firsts)}. Colours: the share of each period's waits, "
        f"on a log scale; white: none.{stack.told(firsts, marks)}",
        _heat_alt(words, events[0], columns.values()),
        words.printed,
        stack.cautions_of(histogram, changes),
    )


def _cells(
    columns: Iterable[Sequence[Row]], buckets: Sequence[tuple[float, float | None]]
) -> tuple[list[str], list[list[float | None]], list[list[str]]]:
    """The edges of the columns in time, each cell's colour and words; a gap is an empty column."""
    known = list(columns)
    ranges = {
        (lower, upper): _range({"lower_s": lower, "upper_s": upper}) for lower, upper in buckets
    }
    edges, filled, told = [known[0][0]["begin_time"]], [], []
    for own, after in [*pairwise(known), (known[-1], None)]:
        shares = {(row["lower_s"], row["upper_s"]): row["waits_ratio"] for row in own}
        filled.append([shade(shares.get(bucket)) for bucket in buckets])
        told.append([f"{words}: {_share(shares.get(bucket))}" for bucket, words in ranges.items()])
        edges.append(own[0]["end_time"])
        if after is not None and stack.gap_between(own[0], after[0]):
            filled.append([None] * len(buckets))
            told.append([""] * len(buckets))
            edges.append(after[0]["begin_time"])
    shades, words = ([list(row) for row in zip(*cells, strict=True)] for cells in (filled, told))
    return [edge.isoformat() for edge in edges], shades, words


def _share(share: float | None) -> str:
    return "not printed" if share is None else _SHARE.show(share).text


def _heat_alt(words: Words, event: str, columns: Iterable[Sequence[Row]]) -> str:
    known = list(columns)
    said = []
    for own in (known[0], known[-1]):
        most = max(own, key=lambda row: row["waits_ratio"])
        share = words.keep(_SHARE.show(most["waits_ratio"]))
        said.append(
            f"{share} of the waits are {_range(most)} in the period that begins at "
            f"{clock.moment(most['begin_time'])}"
        )
    firsts = [own[0] for own in known]
    return f"Heat map of waits for {event}, {clock.whole(firsts)}: {'; '.join(said)}."
