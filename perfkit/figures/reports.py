"""A chart of a set of reports: one quantity, a bar a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.metrics import load_text
from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.figures.bars import Bars
from perfkit.lineage import Measured, step
from perfkit.units import Format

if TYPE_CHECKING:
    from perfkit.values import Figure

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


@step(version=1, name="figure.reports")
def plot_reports(
    overview: Measured,
    *,
    quantity: str = "iops",
    value_id: str = "reports-chart",
    caption: str | None = None,
) -> Figure:
    """One quantity of each report of a set (``report_overview``), in the order of the reports.

    A report that does not state it has no bar; the alternative text counts those.

    Raises AnalysisError for an unknown quantity, or one that no report states.
    """
    if quantity not in QUANTITIES:
        raise AnalysisError(f"no quantity {quantity!r}; {did_you_mean(quantity, list(QUANTITIES))}")
    need(overview.frame, ("source", "load", quantity), "overview")
    rows = overview.frame.rows(named=True)
    known = [row for row in rows if row[quantity] is not None]
    if not known:
        raise AnalysisError(f"overview: no report states {quantity}")
    title, form = QUANTITIES[quantity]
    named = f"{title.split(' (')[0]}, {known[0]['event']}" if quantity == "event_wait_s" else title
    bars = Bars([_name(row) for row in known], [row[quantity] for row in known], form)
    lost = len(rows) - len(known)
    alt = f"Bars of {named} of {len(known)} reports; {bars.ends()}."
    if lost:
        alt += f" {lost} of the reports do not state it."
    return bars.figure(value_id, title, caption or f"{named.split(' (')[0]} by report.", alt)


def _name(row: Row) -> str:
    """The report by its labels, else by its file's name."""
    parts = [row["system"], row["config"]]
    if row["load"] is not None:
        parts.append(load_text(row["load_kind"], row["load"]))
    if row["repeat"] is not None:
        parts.append(f"repeat {row['repeat']}")
    return ", ".join(part for part in parts if part) or str(row["source"]).rpartition("/")[2]
