"""Charts of one report, and of a set: where DB time went, waits, one quantity of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from perfkit.analysis.awr.histograms import Bucket, buckets
from perfkit.analysis.awr.waits import lacking
from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError, check_name
from perfkit.core.keys import file_of, report_names, rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format, time_format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import legend
from perfkit.showing.figures.bars import MOST_BARS, Bars
from perfkit.showing.figures.canvas import HEIGHT_MM, base_layout, escape, figure
from perfkit.showing.figures.line_chart import MM_PX

_SHARE = Format("%", decimals=1)
_LEAST = 0.0005
"""A smaller share prints as 0.0%."""


@step(version=2, name="figure.db_time")
def plot_db_time(parts: Measured) -> Figure:
    """Where the DB time of one report went (``db_time_parts``): a bar for each part.

    A part that prints as nothing has no bar; one part alone is not a chart.
    """
    require_columns(parts.frame, ("part", "db_time_ratio"), "parts")
    rows = [row for row in parts.frame.rows(named=True) if row["db_time_ratio"] >= _LEAST]
    if len(rows) <= 1:
        raise AbsentError(f"{len(rows)} part of DB time is known, and no other beside it")
    bars = Bars([row["part"] for row in rows], [row["db_time_ratio"] for row in rows], _SHARE)
    alt = f"Bars of the share of DB time of {len(rows)} parts; {bars.ends()}."
    return bars.figure("db-time", "Share of DB time (%)", "Where DB time went.", alt)


@step(version=3, name="figure.wait_histogram")
def plot_wait_histogram(
    histogram: Measured, event: str | None, *, instance: int | None = None
) -> Figure:
    """How long the waits for one event were: the share of its waits in each bucket.

    Of two reports the bars stand side by side, the earlier first as they are read. Buckets are
    Oracle's, the finest that the report prints (``analysis.awr.histograms``); one without anything
    printed holds no waits and has no bar. Buckets at the ends that print as 0.0% are not drawn.

    Raises AnalysisError for an event that no report has a histogram of, and for three reports.
    """
    found = _buckets(histogram, event, instance)
    drawn = _between_ends(found)
    labels, edges = [_label(item) for item in drawn], {item.upper_s for item in drawn}
    several = len(found) > 1
    traces, printed = [], []
    for place, (name, own) in enumerate(found.items()):
        shares = {_label(item): item.waits_ratio for item in own if item.upper_s in edges}
        shown = [_SHARE.show(share) for share in shares.values()]
        printed += shown
        traces.append(
            {
                "type": "bar",
                "name": escape(name),
                "x": list(shares),
                "y": [share * 100 for share in shares.values()],
                "marker": {
                    "color": style.PALETTE[(len(found) - 1 - place) * 4],
                    "pattern": {"shape": "/" if several and not place else ""},
                },
                "text": [item.text for item in shown],
                "textposition": "outside",
                "cliponaxis": False,
                "hovertemplate": f"{escape(name)}<br>%{{x}}: %{{text}}<extra></extra>",
            }
        )
    layout = base_layout("Wait", "Share of waits (%)")
    layout["xaxis"] |= {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": labels,
        "tickangle": 0 if len(labels) < _CROWDED else -90,
    }
    layout["yaxis"] |= {"rangemode": "tozero"}
    more = legend.add(layout, list(found)) / MM_PX if several else 0.0
    left_out = " Lengths at the ends that print as 0.0% are not drawn." * (
        len(drawn) < len(_ordered(found))
    )
    name, own = next(iter(found.items()))
    top = max(own, key=lambda item: item.waits_ratio)
    alt = (
        f"Bars of the share of waits for {event} in {len(labels)} ranges of time; the largest"
        f"{f' of {name}' if several else ''} is {_SHARE.show(top.waits_ratio).text} of the waits, "
        f"{_label(top)}."
    )
    return Figure(
        "wait-histogram",
        figure(traces, layout),
        f"Waits for {event} by their length." + left_out,
        alt,
        HEIGHT_MM + more,
        printed=tuple(printed),
    )


_CROWDED = 9
_FEWEST = 5
_MOST = 2


def _buckets(
    histogram: Measured, event: str | None, instance: int | None
) -> dict[str, list[Bucket]]:
    """The buckets of each report, by its name."""
    require_columns(
        histogram.frame, ["event", "range", "lower_s", "upper_s", "waits_ratio"], "histogram"
    )
    rows = [
        row
        for row in histogram.frame.rows(named=True)
        if row["event"] == event
        and row["waits_ratio"] is not None
        and (instance is None or row["instance"] == instance)
    ]
    if not rows:
        raise lacking(f"histogram of {event}" if event else "event of User I/O")
    of_report = rows_by(rows, lambda row: str(file_of(row)))
    if len(of_report) > _MOST:
        raise AnalysisError(
            f"a histogram shows one report or two, not {', '.join(of_report)}: choose"
        )
    for own in of_report.values():
        if len({(row["level"], row["instance"]) for row in own}) > 1:
            raise AnalysisError("a histogram shows one instance: name it")
    names = report_names(list(of_report))
    return {name: buckets(own) for name, own in zip(names, of_report.values(), strict=True)}


def _ordered(found: Mapping[str, Sequence[Bucket]]) -> list[Bucket]:
    every = {item.upper_s: item for own in found.values() for item in own}
    return [every[upper] for upper in sorted(every)]


def _between_ends(found: Mapping[str, Sequence[Bucket]]) -> list[Bucket]:
    """The buckets from the first to the last that does not print as nothing; a few at least."""
    every = _ordered(found)
    shown = {item.upper_s for own in found.values() for item in own if item.waits_ratio >= _LEAST}
    places = [place for place, item in enumerate(every) if item.upper_s in shown]
    if not places:
        return every
    return every[places[0] : max(places[-1] + 1, places[0] + _FEWEST)]


def _label(item: Bucket) -> str:
    """A bucket in words by its upper edge, ``< 8 µs``; the last, without one, ``≥ 1 s``."""
    last = math.isinf(item.upper_s)
    edge = item.lower_s if last else item.upper_s
    text = time_format(edge).show(edge).text
    number, _, unit = text.partition(" ")
    short = f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"
    return f"{'≥' if last else '<'} {short}"


# --- a set of reports ---------------------------------------------------------------------------

QUANTITIES: dict[str, tuple[str, Format]] = {
    "iops": ("IOPS", Format("IOPS", decimals=0)),
    "read_iops": ("Read IOPS", Format("IOPS", decimals=0)),
    "write_iops": ("Write IOPS", Format("IOPS", decimals=0)),
    "bw_bytes_per_s": ("Throughput (MB/s)", Format("MB/s", decimals=1)),
    "cpu_busy_ratio": ("Host CPU busy (%)", Format("%", decimals=1)),
    "db_time_per_elapsed_ratio": ("Average active sessions", Format("1", decimals=2)),
    "event_wait_s": ("Mean wait (ms)", Format("ms", decimals=3)),
}
"""Column of an overview -> axis title and how it is printed."""


@step(version=3, name="figure.reports")
def plot_reports(overview: Measured, *, quantity: str = "iops") -> Figure:
    """One quantity of each report of a set (``report_overview``), in the order of the overview.

    A bar a report: nothing is added up. A report that does not state the quantity has none; the
    alternative text counts those.

    Raises AnalysisError for an unknown quantity, one that no report states, or too many bars.
    """
    check_name("quantity", quantity, QUANTITIES)
    require_columns(overview.frame, ("report", "load", quantity), "overview")
    rows = overview.frame.rows(named=True)
    if len(rows) == 1:
        raise AbsentError("there is only one report")
    known = [row for row in rows if row[quantity] is not None]
    title, form = QUANTITIES[quantity]
    event = next((row["event"] for row in rows if row["event"]), None)
    if not known:
        what = (
            f"the mean wait of {event or 'an I/O event'}" if quantity == "event_wait_s" else title
        )
        raise AbsentError(f"reports: none states {what}")
    named = f"{title.split(' (')[0]}, {event}" if quantity == "event_wait_s" else title
    lost = len(rows) - len(known)
    more = f" {lost} of the reports do not state it." if lost else ""
    words = named.split(" (")[0]
    if len(known) > MOST_BARS:
        raise AbsentError(f"{len(known)} reports are too many bars; choose some (where)")
    drawn = Bars([_name(row) for row in known], [row[quantity] for row in known], form)
    alt = f"Bars of {named} of {len(known)} reports; {drawn.ends()}.{more}"
    return drawn.figure("reports-chart", title, f"{words} by report.", alt)


def _name(row: Row) -> str:
    """The report by its load and labels where it has a load, else by its file."""
    if row["load"] is None:
        return str(row["report"])
    parts = [row["system"], row["config"], load_text(row["load_kind"], row["load"])]
    if row["repeat"] is not None:
        parts.append(f"repeat {row['repeat']}")
    return ", ".join(part for part in parts if part)
