"""Tables of a comparison: what each side gave, the change between them, and how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.analysis.compare.asked import NAMES, rows_asked
from perfkit.analysis.compare.effects import CONFIDENCE
from perfkit.analysis.compare.questions import QUESTIONS
from perfkit.analysis.metrics import column_format, metric_of, workload_name
from perfkit.analysis.series import Row, need, series_labels
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured, step
from perfkit.tables.sheet import Sheet, with_unit
from perfkit.units import Format

if TYPE_CHECKING:
    from perfkit.values import Table

_CHANGE = Format("%", decimals=1)
_SHARE = Format("%", decimals=0)
_METHODS = {
    "welch": "Welch's t on logarithms",
    "bootstrap": "percentiles of a bootstrap, which is too narrow for few repeats",
}
_GIVEN = {"iops": "iops", "load": "load", "cpu_busy_ratio": "cpu_busy_ratio"}


@step(version=1, name="table.comparison")
def table_comparison(
    comparison: Measured,
    *,
    question: str = "iops_at_latency",
    value_id: str | None = None,
    caption: str | None = None,
) -> Table:
    """One question of a comparison, one row a value and pair: both sides, change and interval.

    Changes and ends of intervals have a decimal of a percent, below 0 for less.

    A side that has no value says why and how far it got ("not reached, up to 345,220"): no number
    stands in for it.

    Raises AnalysisError for a question that the comparison does not hold.
    """
    need(comparison.frame, ("question", "at", "ratio"), "comparison")
    rows = rows_asked(comparison.frame, question)
    asked = QUESTIONS[question]
    name = rows[0]["metric"] if asked.wanted == "lat" else asked.wanted
    values = [row[f"{side}_value"] for row in rows for side in ("baseline", "contender")]
    form = _format(name, [value for value in values if value is not None])
    sheet = Sheet([_row(row) for row in rows])
    if len({row["workload"] for row in rows}) > 1:
        sheet.add("workload", "Workload", None)
    _given(sheet, rows, asked.given)
    pairs = {(row["baseline"], row["contender"]) for row in rows}
    one = len(pairs) == 1
    if not one:
        sheet.add("baseline", "Compared with", None)
        sheet.add("contender", "System", None)
    first, second = next(iter(pairs)) if one else ("compared with", "system")
    sheet.add("b", with_unit(first, form), form)
    sheet.add("c", with_unit(second, form), form)
    sheet.add("change", "Change (%)", _CHANGE)
    sheet.add("interval", f"{_SHARE.number(CONFIDENCE)}% interval (%)", None)
    sheet.add("repeats", "Repeats", None)
    if any(row["crosses_at_iops"] is not None for row in rows):
        form = column_format("iops", [row["crosses_at_iops"] for row in rows])
        sheet.add("crosses_at_iops", "Curves cross at (IOPS)", form)
    sheet.add("differs", "Conditions that differ", None)
    given = caption or f"{NAMES[question][:1].upper()}{NAMES[question][1:]}."
    return sheet.table(value_id or question.replace("_", "-"), given, _note(rows))


def _format(name: str, values: list[float]) -> Format:
    if name == "iops_per_core":
        return Format("IOPS", decimals=0)
    return column_format(name, values) if values else Format("1", decimals=0)


def _row(row: Row) -> Row:
    made = {**row, "workload": workload_name(str(row["workload"]))}
    for key, side in (("b", "baseline"), ("c", "contender")):
        value = row[f"{side}_value"]
        made[key] = _why(row, side) if value is None else value
    counts = (row["baseline_repeats"], row["contender_repeats"])
    made["repeats"] = str(counts[0]) if counts[0] == counts[1] else f"{counts[0]}, {counts[1]}"
    if row["ratio"] is not None:
        made["change"] = row["ratio"] - 1
    if row["ratio_low"] is not None:
        ends = [_CHANGE.number(row[end] - 1) for end in ("ratio_low", "ratio_high")]
        made["interval"] = f"{ends[0]} to {ends[1]}"
    elif row["ratio"] is not None:
        made["interval"] = "none"
    return made


def _why(row: Row, side: str) -> str:
    status, reached = row[f"{side}_status"], row[f"{side}_reached"]
    if reached is None:
        return str(status)
    given = QUESTIONS[row["question"]].given
    name = row["metric"] if given == "lat" else _GIVEN.get(str(given), "iops")
    if name == "load":
        return f"{status} ({reached:g})"
    form = column_format(name, [reached])
    return f"{status} ({form.show(reached).text})"


def _given(sheet: Sheet, rows: list[Row], given: str | None) -> None:
    if given is None:
        return
    name = rows[0]["metric"] if given == "lat" else given
    values: list[Any] = [row["at"] for row in rows]
    if name == "load":
        sheet.add("at", "Load", Format("1", decimals=0))
        return
    form = column_format(name, values)
    sheet.add("at", with_unit(metric_of(name).head(rows[0]["direction"]), form), form)


def _note(rows: list[Row]) -> str | None:
    marks = [row["mark"] for row in rows if row["mark"]]
    notes = [row["note"] for row in rows if row["note"]]
    texts = []
    if any(row["ratio_low"] is not None for row in rows):
        method = _METHODS[rows[0]["method"]]
        texts.append(f"Change: of the geometric means over the repeats; interval: {method}.")
    texts += [f"{text[:1].upper()}{text[1:]}." for text in dict.fromkeys([*marks, *notes])]
    return " ".join(texts) or None


@step(version=1, name="table.scaling")
def table_scaling(
    fits: Measured, *, value_id: str = "scaling-law", caption: str | None = None
) -> Table:
    """The scalability law of each curve (``usl``): parameters, peak, and what is left over."""
    rows = fits.frame.rows(named=True)
    if not rows:
        raise AnalysisError("fits: no curve, so no table")
    named = [
        {**row, "name": label, "reason": None if row["fitted"] else row["reason"]}
        for label, row in zip(series_labels(rows), rows, strict=True)
    ]
    sheet = Sheet(named)
    sheet.add("name", "Configuration", None)
    sheet.add("iops_per_load", "IOPS of one unit of load", Format("1", decimals=0))
    sheet.add("contention", "Contention (%)", Format("%", decimals=2))
    sheet.add("coherency", "Coherency (%)", Format("%", decimals=4))
    sheet.add("peak_load", "Load at the peak", Format("1", decimals=0))
    sheet.add("peak_iops", "Peak (IOPS)", Format("IOPS", decimals=0))
    sheet.add("rms_residual_ratio", "RMS residual (%)", Format("%", decimals=1))
    sheet.add("largest_residual_ratio", "Largest residual (%)", Format("%", decimals=1))
    sheet.add("reason", "Not fitted because", None)
    note = (
        "Universal Scalability Law, least squares of relative residuals. A peak outside the "
        "measured loads has no IOPS."
    )
    return sheet.table(value_id, caption or "How IOPS scale with the load.", note)
