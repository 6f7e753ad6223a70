"""Tables of a sweep: its load points, percentiles, criteria and cycles."""

from __future__ import annotations

from perfkit.analysis.curves.curves import ONE_REPEAT, TWO_REPEATS
from perfkit.analysis.curves.metrics import (
    column_format,
    fine_enough,
    metric_of,
    percentiles_note,
    workload_name,
)
from perfkit.analysis.curves.series import SERIES, with_held
from perfkit.analysis.over_time.cycles import LABEL
from perfkit.core.answers import Answer, from_frame
from perfkit.core.errors import AbsentError, UsageError
from perfkit.core.keys import file_of
from perfkit.core.lineage import Measured, measured, step
from perfkit.core.schema import PERCENTILES, Row
from perfkit.core.stats import enough_for_quantile
from perfkit.core.values import Table
from perfkit.showing.tables.sheet import COUNT, Cell, Sheet, measured_rows, with_unit

WIDEST = 1000.0
"""High over low of the widest interval that is printed."""


def _subject(rows: list[Row]) -> str:
    """The words ", oltp-select" where all rows are of one workload."""
    names = {row.get("workload") for row in rows}
    name = names.pop() if len(names) == 1 else None
    return f", {workload_name(name)}" if name else ""


def _add_interval(sheet: Sheet, rows: list[Row], metric: str) -> None:
    """The two ends of the interval, in the unit of the metric's own column."""
    ends = (f"{metric}_low", f"{metric}_high")
    form = column_format(metric, [row[metric] for row in rows])
    form = fine_enough(form, [row[end] for row in rows for end in ends if not _open(row, metric)])

    def cell(end: str) -> Cell:
        return lambda row: None if _open(row, metric) else row[end]

    for end, label in zip(ends, ("95% low", "95% high"), strict=True):
        sheet.add(end, label, form, cell(end))


def _open(row: Row, metric: str) -> bool:
    """Whether the interval is so wide that its ends would be digits without a meaning."""
    low, high = row[f"{metric}_low"], row[f"{metric}_high"]
    return low is not None and high is not None and high > WIDEST * low


def _interval_note(rows: list[Row]) -> str:
    counts = sorted({row["repeats"] for row in rows})
    over = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    marks = {row["interval_mark"] for row in rows}
    if marks == {ONE_REPEAT}:
        return "One repeat per load point: no interval."
    words = (
        f"95% low and high: interval of the value to their left over {over} repeats (Student's t "
        "on logarithms), each load by itself; that of a peak or of a lowest latency is for all "
        "loads together."
    )
    if TWO_REPEATS in marks:
        words += " Two repeats leave one degree of freedom."
    if any(_open(row, metric) for row in rows for metric in ("iops", "lat_mean_s")):
        words += (
            f" Where high is above {WIDEST:,.0f} times low, the repeats leave the value open, and "
            "neither is printed."
        )
    return words


def table_load_points(
    data: Measured, *, direction: str | None = None, repeated: bool = False
) -> Table:
    """Load points: of a curve the means with their intervals, else every repeat as measured.

    Args:
        data: A curve (``latency_curve``, ``curve_by_direction``), or load points as read.
        direction: Of load points as read: which rows; default: "total".
        repeated: Of load points as read: only where one was measured more than once. Of others the
            table of the curve has them all.

    Raises:
        UsageError: A direction for a curve, which has its own.
        AbsentError: Asked for repeats, and each load point was measured once.
    """
    if "repeat" in measured(data).frame.columns:
        keys = [*SERIES, "load", "host"]
        if repeated and with_held(data.frame).select(keys).is_unique().all():
            raise AbsentError("each load point was measured once")
        return table_points(data, direction=direction or "total")
    if direction is not None:
        raise UsageError(f"direction {direction!r}: a curve has its own; give latency_curve one")
    return _table_curve(data)


@step(version=4, name="table.load_points")
def _table_curve(curve: Measured) -> Table:
    """One row per load point: IOPS, bandwidth, latency, their intervals, and host CPU."""
    rows = measured_rows(curve, "curve", ("load", "repeats", "iops", "iops_high", "lat_mean_s"))
    sheet = Sheet(rows)
    sheet.names()
    sheet.load()
    sheet.metric("iops")
    _add_interval(sheet, rows, "iops")
    sheet.metric("bw_bytes_per_s")
    sheet.metric("lat_mean_s")
    _add_interval(sheet, rows, "lat_mean_s")
    sheet.metric("lat_p99_s")
    sheet.metric("cpu_busy_ratio")
    return sheet.table(
        "load-points",
        f"Results by load point{_subject(rows)}.",
        _interval_note(rows),
        percentiles_note(rows),
    )


@step(version=3, name="table.percentiles")
def table_percentiles(curve: Measured) -> Table:
    """One row per load point: mean, p50 to p99.99 and the largest latency, in one unit."""
    rows = measured_rows(curve, "curve", ("load", *PERCENTILES, "lat_max_s"))
    sheet = Sheet(rows)
    sheet.names()
    sheet.load()
    columns = ("lat_mean_s", *PERCENTILES, "lat_max_s")
    form = column_format("lat_mean_s", [row[name] for row in rows for name in columns])
    for name in columns:
        sheet.add(name, with_unit(metric_of(name).short, form), form)
    note = None
    if not any(row[name] is not None for row in rows for name in PERCENTILES):
        note = "Percentiles of several repeats need their histograms: they are never averaged."
        if all(row.get("repeats") == 1 for row in rows):
            note = "The evidence holds no percentiles."
    elif any(too_few(row, name) for row in rows for name in PERCENTILES):
        names = [metric_of(n).short for n in PERCENTILES if any(too_few(r, n) for r in rows)]
        note = f"At some load points fewer than ten I/Os lie beyond {', '.join(names)}."
    caption = f"Latency percentiles{_subject(rows)}."
    return sheet.table("percentiles", caption, note, percentiles_note(rows))


def too_few(row: Row, metric: str) -> bool:
    """Whether fewer than ten I/Os lie beyond the percentile: it is then hardly one."""
    if row.get(metric) is None or row.get("ios") is None:
        return False
    return not enough_for_quantile(row["ios"], PERCENTILES[metric])


@step(version=3, name="table.points")
def table_points(points: Measured, *, direction: str = "total", counted: str = "Repeat") -> Table:
    """The raw values of each repeat, before any mean is taken; ``counted`` heads its number."""
    columns = ("direction", "load", "repeat", "iops", "lat_mean_s", "host")
    rows = [r for r in measured_rows(points, "load_points", columns) if r["direction"] == direction]
    if not rows:
        raise AbsentError(f"load_points: no rows of direction {direction!r}")
    names = ("system", "config", "workload", "load_kind")
    known = any(row["load"] is not None for row in rows)
    rows.sort(
        key=lambda r: (
            *(str(r[k]) for k in names),
            r.get("held") or 0,
            r["load"] or 0,
            file_of(r) or "",
            r["repeat"] or 0,
            str(r["host"]),
        )
    )
    sheet = Sheet(rows)
    sheet.names()
    sheet.differing(host="Host")
    if known:
        sheet.load()
    elif len(set(map(file_of, rows))) > 1:
        sheet.words(source="File")
    sheet.add("repeat", counted, COUNT)
    for name in ("iops", "bw_bytes_per_s", "lat_mean_s", "lat_p99_s", "lat_max_s"):
        sheet.metric(name)
    sheet.metric("cpu_busy_ratio")
    given = f"Every repeat as measured{_subject(rows)}."
    return sheet.table("repeats", given, percentiles_note(rows))


@step(version=3, name="table.cycles")
def table_cycles(drains: Measured) -> Table:
    """One row per load point and repeat of the epic-like workload, from ``drain_summary``."""
    rows = [
        _drain_row(answer)
        for answer in from_frame(drains.frame)
        if answer.question == "longest_drain"
    ]
    if not rows:
        raise AbsentError("drains: no answer about a drain, so no table")
    sheet = Sheet(rows)
    sheet.load()
    sheet.numbers(COUNT, repeat="Repeat", cycles_planned="Drains planned", cycles="Completed")
    sheet.metric("drain_longest_s", "Longest drain")
    sheet.metric("drain_shortest_s", "Shortest drain", source="drain_longest_s")
    sheet.words(reason="Remark")
    return sheet.table("cycles", f"Drain cycles ({LABEL}).", f"{LABEL}.")


def _drain_row(answer: Answer) -> Row:
    found: Row = {item.metric: item.value for item in answer.conditions}
    kind = answer.subject.get("load_kind")
    longest = answer.estimate and answer.estimate.value
    return {
        **found,
        "load_kind": kind,
        "load": found[str(kind)],
        "drain_longest_s": longest,
        "reason": answer.reason,
    }
