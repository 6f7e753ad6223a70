"""Charts over time: what the host did while the load ran."""

from __future__ import annotations

from typing import Any

from perfkit import style
from perfkit.analysis.metrics import load_number, load_text
from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.figures.canvas import (
    HEADROOM,
    HEIGHT_MM,
    Canvas,
    base_layout,
    escape,
    figure,
    room_for,
)
from perfkit.figures.words import Words
from perfkit.lineage import Measured, step
from perfkit.units import UNITS, Format
from perfkit.values import Figure, check_id

QUANTITIES: dict[str, tuple[str, str]] = {
    "cpu_busy_ratio": ("Host CPU busy", "%"),
    "cpu_user_ratio": ("Host CPU in user code", "%"),
    "cpu_system_ratio": ("Host CPU in the kernel", "%"),
    "cpu_iowait_ratio": ("Host CPU waiting for I/O", "%"),
    "memory_used_bytes": ("Host memory used", "GiB"),
    "disk_read_bytes_per_s": ("Disk reads", "MB/s"),
    "disk_write_bytes_per_s": ("Disk writes", "MB/s"),
    "disk_read_iops": ("Disk reads", "IOPS"),
    "disk_write_iops": ("Disk writes", "IOPS"),
}
"""Column of ``host_series`` -> axis title and unit."""


@step(version=1)
def plot_host_series(
    host_series: Measured,
    *,
    quantity: str = "cpu_busy_ratio",
    repeat: int = 1,
    value_id: str = "host-over-time",
    caption: str | None = None,
) -> Figure:
    """One quantity of the host over the time of a load point, one line a load, one repeat.

    Raises AnalysisError for an unknown quantity, several workloads, or no sample.
    """
    if quantity not in QUANTITIES:
        raise AnalysisError(f"no quantity {quantity!r}; {did_you_mean(quantity, list(QUANTITIES))}")
    lines = _lines(host_series, quantity, repeat)
    title, unit = QUANTITIES[quantity]
    scale = UNITS[unit].si
    traces = [_trace(i, rows, quantity, scale) for i, rows in enumerate(lines)]
    top = 100.0 if unit == "%" else max(max(trace["y"]) for trace in traces) * HEADROOM or 1.0
    ends = [
        (load_number(rows[0]["load"]).text, trace["x"][-1], trace["y"][-1], trace["line"]["color"])
        for rows, trace in zip(lines, traces, strict=True)
    ]
    canvas = Canvas(
        x_max=room_for([end[:2] for end in ends], max(max(t["x"]) for t in traces)) or 1.0,
        y_max=top,
    )
    layout = base_layout("Time since the load started (s)", f"{title} ({unit})", canvas)
    layout["annotations"] = canvas.stack(ends) if len(ends) > 1 else []
    words = Words()
    alt = _alt(words, lines, quantity, title, unit)
    kind = lines[0][0]["load_kind"]
    given = caption or f"{title} over time, by {kind}; {lines[0][0]['workload']}, repeat {repeat}."
    return Figure(check_id(value_id), figure(traces, layout), given, alt, HEIGHT_MM,
                  printed=tuple(words.printed))  # fmt: skip


def _lines(series: Measured, quantity: str, repeat: int) -> list[list[Row]]:
    columns = ["workload", "load_kind", "load", "repeat", "t_s", quantity]
    need(series.frame, columns, "host_series")
    rows = [
        row for row in series.frame.sort("load", "t_s").rows(named=True)
        if row["repeat"] == repeat and row[quantity] is not None
    ]  # fmt: skip
    if not rows:
        raise AnalysisError(f"host_series: no sample of {quantity} in repeat {repeat}")
    if len({(row["workload"], row["load_kind"]) for row in rows}) > 1:
        raise AnalysisError("host_series: several workloads; filter by workload first")
    loads = sorted({row["load"] for row in rows})
    return [[row for row in rows if row["load"] == load] for load in loads]


def _trace(index: int, rows: list[Row], quantity: str, scale: float) -> dict[str, Any]:
    look = style.series(index)
    name = escape(load_text(rows[0]["load_kind"], rows[0]["load"]))
    return {
        "type": "scatter", "mode": "lines+markers", "name": name,
        "x": [row["t_s"] for row in rows], "y": [row[quantity] / scale for row in rows],
        "line": {"color": look["color"], "width": 1.5},
        "marker": {"color": look["color"], "symbol": look["symbol"], "size": 5},
        "hovertemplate": f"{name}<br>%{{x:.1f}} s: %{{y:,.4~g}}<extra></extra>",
    }  # fmt: skip


def _alt(words: Words, lines: list[list[Row]], quantity: str, title: str, unit: str) -> str:
    form = Format(unit, significant=3)
    said = []
    for rows in lines:
        values = [row[quantity] for row in rows]
        low, high = (words.keep(form.show(value)) for value in (min(values), max(values)))
        said.append(f"{words.load(rows[0])}: {low} to {high}")
    return f"Line chart of {title[:1].lower()}{title[1:]} over time. {'; '.join(said)}."
