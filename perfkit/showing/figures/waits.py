"""Charts of what a database waited for."""

from __future__ import annotations

import math

from perfkit.analysis.awr.histograms import Bucket, buckets
from perfkit.analysis.awr.waits import chosen_events, lacking
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.keys import file_of
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format, Printed, time_format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures.bars import Bars
from perfkit.showing.figures.canvas import HEIGHT_MM, base_layout, figure

_TOTAL = Format("s", decimals=1)
_SHARE = Format("%", decimals=1)
_LEAST = 0.0005
"""A smaller share prints as 0.0%."""


@step(version=2, name="figure.top_events")
def plot_top_events(
    events: Measured, *, scope: str | None = None, instance: int | None = None, count: int = 10
) -> Figure:
    """The time spent on each of the top timed events, the longest on top.

    Raises AnalysisError where the report has none of the scope and instance asked for.
    """
    rows = [
        row for row in chosen_events(events, scope, instance, count)
        if row["total_wait_s"] is not None
    ]  # fmt: skip
    if not rows:
        raise AbsentError("top_events: no event has a total time")
    bars = Bars([row["event"] for row in rows], [row["total_wait_s"] for row in rows], _TOTAL)
    alt = f"Bars of the total time of {len(rows)} timed events; {bars.ends()}."
    return bars.figure("top-events-chart", "Total time (s)", "Top timed events.", alt)


@step(version=2, name="figure.db_time")
def plot_db_time(parts: Measured) -> Figure:
    """Where the DB time of one report went (``db_time_parts``): a bar for each part.

    A part that prints as nothing has no bar.
    """
    require_columns(parts.frame, ("part", "db_time_ratio"), "parts")
    rows = [row for row in parts.frame.rows(named=True) if row["db_time_ratio"] >= _LEAST]
    if not rows:
        raise AbsentError("parts: none has a share of DB time")
    bars = Bars([row["part"] for row in rows], [row["db_time_ratio"] for row in rows], _SHARE)
    alt = f"Bars of the share of DB time of {len(rows)} parts; {bars.ends()}."
    return bars.figure("db-time", "Share of DB time (%)", "Where DB time went.", alt)


@step(version=3, name="figure.wait_histogram")
def plot_wait_histogram(
    histogram: Measured, event: str | None, *, instance: int | None = None
) -> Figure:
    """How long the waits for one event were: the share of its waits in each bucket.

    Buckets are Oracle's, the finest that the report prints (``analysis.awr.histograms``); one
    without anything printed holds no waits and has no bar.

    Raises AnalysisError for an event that the report has no histogram of.
    """
    found = _buckets(histogram, event, instance)
    labels = [_label(item) for item in found]
    shares: list[Printed] = [_SHARE.show(item.waits_ratio) for item in found]
    data = [{
        "type": "bar", "x": labels, "y": [item.waits_ratio * 100 for item in found],
        "marker": {"color": style.PALETTE[0]}, "text": [item.text for item in shares],
        "textposition": "outside", "cliponaxis": False,
        "hovertemplate": "%{x}: %{text}<extra></extra>",
    }]  # fmt: skip
    layout = base_layout("Wait", "Share of waits (%)")
    layout["xaxis"] |= {"type": "category", "tickangle": 0 if len(found) < _CROWDED else -90}
    layout["yaxis"] |= {"rangemode": "tozero"}
    top = max(range(len(found)), key=lambda place: found[place].waits_ratio)
    alt = (
        f"Bars of the share of waits for {event} in {len(found)} ranges of time; the largest is "
        f"{shares[top].text} of the waits, {labels[top]}."
    )
    return Figure("wait-histogram", figure(data, layout),
                  f"Waits for {event} by their length.", alt, HEIGHT_MM,
                  printed=tuple(shares))  # fmt: skip


_CROWDED = 9


def _buckets(histogram: Measured, event: str | None, instance: int | None) -> list[Bucket]:
    require_columns(
        histogram.frame, ["event", "range", "lower_s", "upper_s", "waits_ratio"], "histogram"
    )
    rows = [
        row for row in histogram.frame.rows(named=True)
        if row["event"] == event and row["waits_ratio"] is not None
        and (instance is None or row["instance"] == instance)
    ]  # fmt: skip
    if not rows:
        raise lacking(f"histogram of {event}" if event else "event of User I/O")
    files = sorted({str(file_of(row)) for row in rows})
    if len(files) > 1:
        raise AnalysisError(f"a histogram shows one report, not {', '.join(files)}: choose one")
    if len({(row["level"], row["instance"]) for row in rows}) > 1:
        raise AnalysisError("a histogram shows one instance: name it")
    return buckets(rows)


def _label(item: Bucket) -> str:
    """A bucket in words by its upper edge, ``< 8 µs``; the last, without one, ``≥ 1 s``."""
    last = math.isinf(item.upper_s)
    edge = item.lower_s if last else item.upper_s
    text = time_format(edge).show(edge).text
    number, _, unit = text.partition(" ")
    short = f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"
    return f"{'≥' if last else '<'} {short}"
