"""The IOPS of results over time, as fio's logs have them, added over the jobs of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import require_rows, series_labels
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format
from perfkit.showing.figures.axes import axis_format
from perfkit.showing.figures.xy import Axis, lines_chart

if TYPE_CHECKING:
    from perfkit.core.values import Figure


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
        series, Axis("Time since the load started", Format("s")), Axis("IOPS", form),
        value_id="iops-over-time", caption=given, markers=False,
    )  # fmt: skip
