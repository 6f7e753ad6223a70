"""Charts of GenIO's runs: what the servers gave, and how long their write cycles took."""

from __future__ import annotations

from perfkit.analysis.curves.metrics import limit_printed
from perfkit.analysis.curves.series import require_columns
from perfkit.analysis.genio import run_labels, run_names
from perfkit.core.errors import AbsentError, AnalysisError, check_name
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format
from perfkit.core.values import Figure
from perfkit.showing.figures.panel_lines import Limit
from perfkit.showing.figures.panels import Name, joined
from perfkit.showing.figures.xy import Axis, lines_chart

QUANTITIES: dict[str, Axis] = {
    "longest_write_cycle_s": Axis("Longest write cycle", Format("s", decimals=2)),
    "longest_wij_time_s": Axis("Longest WIJ time", Format("s", decimals=2)),
    "effective_write_latency_s": Axis("Effective write latency", Format("ms", decimals=3)),
    "random_read_average_s": Axis("Random read average", Format("ms", decimals=3)),
    "total_iops": Axis("Total IOPS", Format("kIOPS", decimals=1)),
}
"""Column of ``genio_runs`` or ``cluster_totals`` -> its axis."""

_AGAINST = {
    "total_iops": Axis("Total IOPS", Format("kIOPS", decimals=1)),
    "run": Axis("Run", Format("1", decimals=0)),
}


@step(version=3, name="figure.genio_runs")
def plot_runs(
    runs: Measured,
    *,
    quantity: str = "longest_write_cycle_s",
    against: str = "total_iops",
    limit_s: float | None = None,
) -> Figure:
    """One quantity of each run against its IOPS, or against the run, a line a server.

    Runs without the quantity are not drawn; the caption counts them.

    Args:
        runs: ``genio_runs`` or cluster totals.
        quantity: One of ``QUANTITIES``.
        against: "total_iops", or "run".
        limit_s: A limit in seconds, drawn as a dashed line.

    Raises:
        AnalysisError: An unknown quantity, or no run that has it.
    """
    check_name("quantity", quantity, QUANTITIES)
    if against not in _AGAINST:
        raise AnalysisError(f"runs are drawn against 'total_iops' or 'run', not {against!r}")
    require_columns(runs.frame, (quantity, against), "genio_runs")
    rows = runs.frame.rows(named=True)
    known = [row for row in rows if row[quantity] is not None and row[against] is not None]
    if not known:
        raise AbsentError(f"no run has {quantity} and {against}: there is nothing to draw")
    x, y = _AGAINST[against], QUANTITIES[quantity]
    series: dict[str, list[tuple[float, float]]] = {}
    names: dict[str, Name] = {}
    for label, parts, row in zip(run_labels(known), run_names(known), known, strict=True):
        series.setdefault(label, []).append((float(row[against]), float(row[quantity])))
        host = str(row.get("host") or "")
        names[label] = (
            joined([part for part in parts if part != host]),
            host if host in parts else "",
        )
    limit = None if limit_s is None else Limit(limit_s, f"limit {limit_printed(limit_s).text}")
    left = len(rows) - len(known)
    more = f" Not drawn, for lack of a value: {left}." if left else ""
    axis = x.title if x.title.isupper() or "IOPS" in x.title else x.title.lower()
    caption = f"{y.title} against {axis[:1].lower() + axis[1:]}, by server.{more}"
    return lines_chart(
        series,
        x,
        y,
        value_id="genio-runs-chart",
        caption=caption,
        limit=limit,
        names=names,
        apart=0,
        from_zero=against != "run",
    )
