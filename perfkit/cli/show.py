"""Tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from perfkit.core.plain_text import plain
from perfkit.core.units import NULL_TEXT, Format, time_format

if TYPE_CHECKING:
    from perfkit.cli.doctor import Part
    from perfkit.core.lineage import Measured
    from perfkit.scheduling.listing import Overview

STATE_STYLE = {"found": "green", "missing": "bold red", "not here": "yellow"}


def doctor_table(parts: list[Part]) -> Table:
    """The table of ``perfkit doctor``."""
    table = Table(title="What perfkit needs")
    for name in ("part", "for", "state", "version"):
        # a part's name is what one looks for: it is never broken
        table.add_column(name, overflow="fold", no_wrap=name in {"part", "state"})
    for part in parts:
        state = f"[{STATE_STYLE[part.state]}]{part.state}[/]"
        table.add_row(part.name, part.purpose, state, part.version or NULL_TEXT)
    return table


def curve_table(curve: Measured) -> Table:
    """The points of a latency curve after ``perfkit run``: means over repeats."""
    table = Table(title="Means over repeats")
    for name in ("load", "repeats", "IOPS", "mean latency", "p99"):
        table.add_column(name, justify="right")
    iops = Format("1", significant=4)
    for row in curve.frame.iter_rows(named=True):
        table.add_row(
            f"{row['load_kind']} {row['load']:,.0f}",
            str(row["repeats"]),
            iops.number(row["iops"]),
            *(time_format(row[key]).show(row[key]).text for key in ("lat_mean_s", "lat_p99_s")),
        )
    return table


OUTCOME_STYLE = {
    "pass": "green", "made": "green", "not met": "yellow", "not judged": "yellow",
    "failed": "bold red", "interrupted": "bold red", "missed": "red",
}  # fmt: skip


def schedule_table(entry: Overview) -> Table:
    """One entry of a schedule: when it comes next, and its past slots, newest first."""
    from perfkit.scheduling.index import took
    from perfkit.scheduling.listing import remarks

    scheduled, following = entry.scheduled, entry.next
    when = (
        f"next {following.astimezone(scheduled.zone):%a %Y-%m-%d %H:%M}"
        if following
        else "no further slot"
    )
    busy = ", running now" if entry.busy else ""
    table = Table(
        title=f"{scheduled.name}: {when} {scheduled.zone.key}{busy}", title_justify="left"
    )
    for name in ("slot", "verdict", "took"):
        table.add_column(name, no_wrap=True, justify="right" if name == "took" else "left")
    table.add_column("remarks", overflow="fold")
    for run in entry.past:
        style = OUTCOME_STYLE.get(run.outcome, "")
        table.add_row(
            f"{run.moment:%Y-%m-%d %H:%M:%S}".removesuffix(":00"),
            f"[{style}]{run.outcome}[/]" if style else run.outcome,
            took(run.duration_s),
            escape(plain("; ".join(remarks(run)))),
        )
    return table
