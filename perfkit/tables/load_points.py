"""Tables of a sweep: its load points, summary, percentiles, criteria, Little's law and cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis import capacity
from perfkit.analysis.capacity import iops_at_latency, peak
from perfkit.analysis.curves import ONE_REPEAT, TWO_REPEATS
from perfkit.analysis.cycles import LABEL
from perfkit.analysis.judge import judgements
from perfkit.analysis.knee import knee
from perfkit.analysis.metrics import (
    LOAD_AXIS,
    PERCENTILES,
    column_format,
    limit_printed,
    metric_of,
    workload_name,
)
from perfkit.analysis.percentiles import percentiles_note
from perfkit.analysis.series import Row, series_labels
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, step
from perfkit.stats import enough_for_quantile
from perfkit.tables.sheet import Cell, Sheet, measured_rows, with_unit
from perfkit.units import Format

if TYPE_CHECKING:
    from perfkit.values import Table, Verdict

_COUNT = Format("1", decimals=0)
_SHARE = Format("%", decimals=1)


def _subject(rows: list[Row]) -> str:
    """The words ", oltp-select" where all rows are of one workload."""
    names = {row.get("workload") for row in rows}
    name = names.pop() if len(names) == 1 else None
    return f", {workload_name(name)}" if name else ""


def _half_width(metric: str) -> Cell:
    def cell(row: Row) -> float | None:
        high, value = row[f"{metric}_high"], row[metric]
        return None if high is None or not value else (high - value) / value

    return cell


def _notes(*notes: str | None) -> str | None:
    return " ".join(note for note in notes if note) or None


def _interval_note(rows: list[Row]) -> str:
    counts = sorted({row["repeats"] for row in rows})
    over = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    marks = {row["interval_mark"] for row in rows}
    if marks == {ONE_REPEAT}:
        return "One repeat per load point: no interval."
    words = f"±: half-width of the Student t 95% interval over {over} repeats, of the mean."
    if TWO_REPEATS in marks:
        words += " Two repeats leave one degree of freedom."
    return words


@step(version=1, name="table.load_points")
def table_load_points(
    curve: Measured, *, value_id: str = "load-points", caption: str | None = None
) -> Table:
    """One row per load point: IOPS, bandwidth, latency, their intervals, and host CPU."""
    rows = measured_rows(curve, "curve", ("load", "repeats", "iops", "iops_high", "lat_mean_s"))
    sheet = Sheet(rows)
    sheet.names()
    sheet.load()
    sheet.metric("iops")
    sheet.add("iops_half", "± (%)", _SHARE, _half_width("iops"))
    sheet.metric("bw_bytes_per_s")
    sheet.metric("lat_mean_s")
    sheet.add("lat_half", "± (%)", _SHARE, _half_width("lat_mean_s"))
    sheet.metric("lat_p99_s")
    sheet.metric("cpu_busy_ratio")
    return sheet.table(
        value_id,
        caption or f"Results by load point{_subject(rows)}.",
        _notes(_interval_note(rows), percentiles_note(rows)),
    )


@step(version=1, name="table.summary")
def table_summary(
    curve: Measured,
    *,
    limit_s: float | None = None,
    metric: str = "lat_mean_s",
    value_id: str = "summary",
    caption: str | None = None,
) -> Table:
    """One row per curve: peak, its load and latencies, IOPS at the latency limit, the knee.

    A lower bound is printed as "≥ ..."; what could not be found stands as a word.
    """
    peaks = measured_rows(peak(curve), "curve", ())
    knees = knee(curve).frame.rows(named=True)
    rows = [
        {**row, "name": label, "knee": bend["load"] if bend["found"] else "none",
         "last": "yes" if row["status"] == capacity.AT_LAST else "no"}
        for row, bend, label in zip(peaks, knees, series_labels(peaks), strict=True)
    ]  # fmt: skip
    sheet = Sheet(rows)
    sheet.add("name", "Configuration", None)
    sheet.metric("iops", "Peak IOPS")
    kinds = {row["load_kind"] for row in rows}
    load = LOAD_AXIS.get(next(iter(kinds)), "Load") if len(kinds) == 1 else "Load"
    sheet.add("load", f"{load} at peak", _COUNT)
    sheet.add("last", "Highest load", None)
    sheet.metric("lat_mean_s", "Mean latency at peak")
    sheet.metric("lat_p99_s", "p99 at peak")
    if limit_s is not None:
        _add_at_latency(sheet, iops_at_latency(curve, limit_s, metric).frame.rows(named=True))
    sheet.add("knee", f"{load} at knee", _COUNT)
    note = "Highest load: the peak is at the last load measured and may lie higher."
    any_last = any(row["last"] == "yes" for row in rows)
    return sheet.table(
        value_id, caption or "Peak, throughput at the latency limit, and knee.",
        note if any_last else None,
    )  # fmt: skip


def _add_at_latency(sheet: Sheet, answers: list[Row]) -> None:
    limit = limit_printed(answers[0]["limit_s"]).text
    form = column_format("iops", [row["iops"] for row in answers])
    for row, answer in zip(sheet.rows, answers, strict=True):
        row["at_latency"] = _at_latency_cell(answer, form)
    name = metric_of(answers[0]["metric"]).short
    name = name if name[:1] == "p" else name.lower()
    sheet.add("at_latency", f"IOPS at {name} {limit}", form)


def _at_latency_cell(answer: Row, form: Format) -> float | str | None:
    if answer["status"] == capacity.AT_LEAST:
        return f"≥ {form.number(answer['iops'])}"
    held: float | None = answer["iops"]
    return str(answer["status"]) if held is None else held


@step(version=1, name="table.percentiles")
def table_percentiles(
    curve: Measured, *, value_id: str = "percentiles", caption: str | None = None
) -> Table:
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
    elif any(too_few(row, name) for row in rows for name in PERCENTILES):
        names = [metric_of(n).short for n in PERCENTILES if any(too_few(r, n) for r in rows)]
        note = f"At some load points too few I/Os lie beyond {', '.join(names)} to carry it."
    notes = _notes(note, percentiles_note(rows))
    return sheet.table(value_id, caption or f"Latency percentiles{_subject(rows)}.", notes)


def too_few(row: Row, metric: str) -> bool:
    """Whether fewer than ten I/Os lie beyond the percentile: it is then hardly one."""
    if row.get(metric) is None or row.get("ios") is None:
        return False
    return not enough_for_quantile(row["ios"], PERCENTILES[metric])


@step(version=1, name="table.points")
def table_points(
    points: Measured,
    *,
    direction: str = "total",
    value_id: str = "repeats",
    caption: str | None = None,
) -> Table:
    """The raw values of each repeat, before any mean is taken."""
    columns = ("direction", "load", "repeat", "iops", "lat_mean_s", "host")
    rows = [r for r in measured_rows(points, "load_points", columns) if r["direction"] == direction]
    if not rows:
        raise AnalysisError(f"load_points: no rows of direction {direction!r}")
    rows.sort(key=lambda r: (*(str(r[k]) for k in ("system", "config", "workload", "load_kind")),
                             r["load"], r["repeat"] or 0, str(r["host"])))  # fmt: skip
    sheet = Sheet(rows)
    sheet.names()
    if len({row["host"] for row in rows}) > 1:
        sheet.add("host", "Host", None)
    sheet.load()
    sheet.add("repeat", "Repeat", _COUNT)
    for name in ("iops", "bw_bytes_per_s", "lat_mean_s", "lat_p99_s", "lat_max_s"):
        sheet.metric(name)
    sheet.metric("cpu_busy_ratio")
    given = caption or f"Every repeat as measured{_subject(rows)}."
    return sheet.table(value_id, given, percentiles_note(rows))


def table_criteria(
    verdict: Verdict, *, value_id: str = "criteria", caption: str | None = None
) -> Table:
    """One row per judgement: criterion, scope, rule, the value, and pass, fail or not judged."""
    return _table_criteria(judgements(verdict), value_id=value_id, caption=caption)


@step(version=1, name="table.criteria")
def _table_criteria(judged: Measured, *, value_id: str, caption: str | None) -> Table:
    sheet = Sheet(judged.frame.rows(named=True))
    sheet.add("criterion", "Criterion", None)
    sheet.add("scope", "Where", None)
    sheet.add("rule", "Rule", None)
    sheet.add("value_text", "Value", None)
    sheet.add("outcome", "Verdict", None)
    sheet.add("reason", "Remark", None)
    sheet.add("source", "Source", None)
    if not sheet.columns:
        raise AnalysisError("no criterion was given, so there is no table of criteria")
    return sheet.table(value_id, caption or "Criteria and verdict.")


@step(version=1, name="table.little")
def table_little(
    checks: Measured, *, value_id: str = "littles-law", caption: str | None = None
) -> Table:
    """One row per load point and repeat: I/Os in flight, IOPS times mean latency, the verdict."""
    rows = measured_rows(checks, "checks", ("load", "repeat", "in_flight", "ratio", "status"))
    sheet = Sheet(rows)
    sheet.names()
    sheet.load()
    sheet.add("repeat", "Repeat", _COUNT)
    sheet.add("in_flight", "In flight", _COUNT)
    sheet.add("in_flight_found", "IOPS × latency", Format("1", decimals=2))
    sheet.add("ratio", "Ratio (%)", _SHARE)
    sheet.add("status", "Status", None)
    sheet.add("reason", "Remark", None)
    return sheet.table(value_id, caption or "Little's law by load point and repeat.")


@step(version=1, name="table.cycles")
def table_cycles(
    drains: Measured, *, value_id: str = "cycles", caption: str | None = None
) -> Table:
    """One row per load point and repeat of the epic-like workload, from ``drain_summary``."""
    rows = measured_rows(
        drains, "drains", ("load", "repeat", "cycles", "drain_longest_s", "reason")
    )
    sheet = Sheet(rows)
    sheet.load()
    sheet.add("repeat", "Repeat", _COUNT)
    sheet.add("cycles_planned", "Drains planned", _COUNT)
    sheet.add("cycles", "Completed", _COUNT)
    sheet.metric("drain_longest_s", "Longest drain")
    sheet.metric("drain_shortest_s", "Shortest drain", source="drain_longest_s")
    sheet.add("reason", "Remark", None)
    return sheet.table(value_id, caption or f"Drain cycles ({LABEL}).", f"{LABEL}.")
