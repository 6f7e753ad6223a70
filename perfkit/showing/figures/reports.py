"""A chart of a set of reports: one quantity, a bar a report, and nothing added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format
from perfkit.showing.figures import bars

if TYPE_CHECKING:
    from perfkit.core.schema import Row
    from perfkit.core.values import Figure

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
    if quantity not in QUANTITIES:
        raise AnalysisError(f"no quantity {quantity!r}; {did_you_mean(quantity, list(QUANTITIES))}")
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
    if len(known) > bars.MOST_BARS:
        raise AbsentError(f"{len(known)} reports are too many bars; choose some (where)")
    drawn = bars.Bars([_name(row) for row in known], [row[quantity] for row in known], form)
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
