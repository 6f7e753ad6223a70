"""Tables of a comparison: what each side gave, the change between them, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from perfkit.analysis.compare.asked import NAMES, asked_at, changes_asked, changes_of
from perfkit.analysis.compare.conditions import OPTION_FIELDS, conditions
from perfkit.analysis.compare.printing import BOUND, Form, form_of, ratio_printed, signed
from perfkit.analysis.curves.curves import CONFIDENCE
from perfkit.analysis.curves.metrics import (
    METRICS,
    apart_printed,
    column_format,
    exact_printed,
    fine_enough,
    load_format,
    load_number,
    load_text,
    metric_of,
    printed,
    workload_name,
)
from perfkit.analysis.curves.over_curves import GRID, whole_label
from perfkit.analysis.curves.questions import CURVE_QUESTIONS, PEAK_IOPS
from perfkit.analysis.curves.series import SERIES, groups, require_columns, series_labels
from perfkit.core.answers import Answer, from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format, format_size
from perfkit.core.values import Table
from perfkit.showing.statements.say import conditions_asked
from perfkit.showing.tables.run import words
from perfkit.showing.tables.sheet import Sheet, measured_rows, with_unit

_LEVEL = Format("%", decimals=0)
_SIDES = ("subject", "against")


@step(version=4, name="table.comparison")
def table_comparison(comparison: Measured, *, question: str = "iops_at_latency") -> Table:
    """One question of a comparison, one row a value and pair: both sides, change and interval.

    A change is in percent with its sign, from twice on a multiple ("2.4 times"), up to a tenth a
    share ("0.010%"); its interval is in the same form. A side that has no value says why and how
    far it got ("not reached (800 µs)"): no number stands in for it. Where an interval holds no
    change, "not shown" stands beside it.

    Raises AnalysisError for a question that the comparison does not hold.
    """
    changes = changes_asked(comparison, question)
    values = [side.estimate.value for item in changes for side in item.sides if side.estimate]
    form = column_format(changes[0].metric, values)
    sheet = Sheet([_row(item, form) for item in changes])
    sheet.differing(workload="Workload")
    _given(sheet, changes)
    pairs = {(item.sides[0].subject.label, item.sides[1].subject.label) for item in changes}
    one = len(pairs) == 1
    if not one:
        sheet.words(against="Compared with", subject="System")
    second, first = next(iter(pairs)) if one else ("system", "compared with")
    sheet.add("against_value", with_unit(first, form), form)
    sheet.add("subject_value", with_unit(second, form), form)
    sheet.words(change="Change")
    sheet.add("interval", f"{_LEVEL.number(CONFIDENCE)}% interval", None)
    sheet.words(difference="Difference")
    sheet.varying("repeats", "Repeats")
    sheet.varying("differs", "Conditions that differ")
    caption = f"{NAMES[question][:1].upper()}{NAMES[question][1:]}."
    made = sheet.table(question.replace("_", "-"), caption, *_notes(changes))
    cautions = dict.fromkeys(item for change in changes for item in change.cautions)
    return replace(made, cautions=tuple(item for item in cautions if item.name not in _IN_CELLS))


def _row(change: Answer, form: Format) -> Row:
    made: Row = {"workload": workload_name(str(change.subject.get("workload")))}
    for part, side in zip(_SIDES, change.sides, strict=True):
        made[part] = side.subject.label
        made[f"{part}_value"] = _value(side, form)
    at, estimate = asked_at(change), change.estimate
    made["at"] = at.value if at else None
    counts = [str(side.estimate.n) for side in change.sides[::-1] if side.estimate]
    made["repeats"] = ", ".join(dict.fromkeys(counts)) if len(counts) == len(_SIDES) else None
    cautions = {item.name: dict(item.arguments) for item in change.cautions}
    made["differs"] = cautions.get("conditions_differ", {}).get("fields")
    if estimate is not None:
        shape = form_of(estimate.value)
        made["change"] = f"{BOUND[change.relation]}{signed(estimate.value, shape)}"
        made["interval"] = "none"
        if estimate.low is not None and estimate.high is not None:
            made["interval"] = _interval(estimate.low, estimate.high, shape)
        made["difference"] = "not shown" if "no_difference" in cautions else None
    return made


def _value(side: Answer, form: Format) -> float | str:
    """The value of a side; of a bound with its sign, and without one why there is none."""
    if side.estimate is None:
        at = asked_at(side)
        nearest = next(
            (c for c in side.conditions if c.role == "where" and at and c.metric == at.metric), None
        )
        if at is None or nearest is None:
            return _WHY[side.status]
        if nearest.metric not in METRICS:
            return f"{_WHY[side.status]} ({load_number(nearest.value).text})"
        # 499.9 µs is not 500 µs where the curve was asked at 500 µs
        shown = apart_printed(nearest.metric, nearest.value, at.value)
        return f"{_WHY[side.status]} ({shown.text})"
    value = side.estimate.value
    return value if side.relation == "=" else f"{BOUND[side.relation]}{form.number(value)}"


def _interval(low: float, high: float, form: Form) -> str:
    if form == "times":
        return " to ".join(ratio_printed(end, form).text for end in (low, high)) + " times"
    return " to ".join(signed(end, form) for end in (low, high))


_WHY = {
    "not_reached": "not reached", "beyond_measured": "all above", "missing": "missing",
    "ambiguous": "passed more than once", "not_judged": "not judged",
}  # fmt: skip


def _given(sheet: Sheet, changes: Sequence[Answer]) -> None:
    """The column of the values asked at."""
    conditions = [at for item in changes if (at := asked_at(item))]
    if not conditions:
        return
    if CURVE_QUESTIONS[changes[0].question].at == "load":
        sheet.add("at", "Load", load_format(at.value for at in conditions))
        return
    name = conditions[0].metric
    form = column_format(name, [at.value for at in conditions])
    head = metric_of(name).head(changes[0].subject.get("direction"))
    sheet.add("at", with_unit(head, form), form)


_IN_CELLS = ("no_difference", "conditions_differ")


def _notes(changes: Sequence[Answer]) -> list[str]:
    """How the interval is made, and why two values are not a change."""
    texts = []
    if any(item.estimate and item.estimate.low is not None for item in changes):
        texts.append(
            "Intervals: moderated t on logarithms; those of one pair and metric hold "
            "simultaneously."
        )
    reasons = dict.fromkeys(change.reason for change in changes if change.reason)
    return texts + [f"{text[:1].upper()}{text[1:]}." for text in reasons]


@step(version=3, name="table.scaling")
def table_scaling(fits: Measured) -> Table:
    """The scalability law of each curve (``usl``): parameters, peak, and what is left over."""
    rows = measured_rows(fits, "fits", ())
    named = [
        {**row, "name": label, "reason": None if row["fitted"] else row["reason"]}
        for label, row in zip(series_labels(rows), rows, strict=True)
    ]
    sheet = Sheet(named)
    sheet.words(name="Configuration")
    _fine(sheet, "iops_per_load", "IOPS of one unit of load", Format("1", decimals=0))
    _fine(sheet, "contention", "Contention (%)", Format("%", decimals=2))
    _fine(sheet, "coherency", "Coherency (%)", Format("%", decimals=4))
    _fine(sheet, "peak_load", "Load at the peak", Format("1", decimals=0))
    _fine(sheet, PEAK_IOPS.name, "Peak (IOPS)", Format("IOPS", decimals=0))
    _fine(sheet, "rms_residual_ratio", "RMS residual (%)", Format("%", decimals=1))
    _fine(sheet, "largest_residual_ratio", "Largest residual (%)", Format("%", decimals=1))
    sheet.words(reason="Not fitted because")
    note = (
        "Universal Scalability Law, least squares of relative residuals. A peak outside the "
        "measured loads has no IOPS."
    )
    return sheet.table("scaling-law", "How IOPS scale with the load.", note)


def _fine(sheet: Sheet, key: str, label: str, form: Format) -> None:
    """A column in which no value above 0 prints as 0."""
    sheet.add(key, label, fine_enough(form, [row.get(key) for row in sheet.rows]))


_KEYS = tuple(key for key in SERIES if key != "direction")
_BYTES = Format("B", decimals=0)
_SAID = {"hosts": "Hosts", "tool": "Tool", "engine": "Engine", "direct": "Direct I/O",
         "pattern": "Pattern", "rate_limit": "Rate limit",
         "active_set_bytes": "Active set", "preconditioning": "Preconditioning"}  # fmt: skip
"""Conditions that are always told; of the others those in which the curves differ."""

_FIRST = {"workload": "Workload", "system": "System", "config": "Configuration",
          "loads": "Loads", "points": "Points", "repeats": "Repeats"}  # fmt: skip


def tables_comparison(comparison: Measured, *questions: str) -> list[Table]:
    """The tables of these questions, of those that the comparison was asked; none named: of all.

    Their ids are those of the statements with "-table" behind them.
    """
    known = dict.fromkeys(item.question for item in changes_of(comparison))
    return [
        table_comparison(comparison, question=question).renamed(
            f"{question.replace('_', '-')}-table"
        )
        for question in known
        if not questions or question in questions
    ]


@step(version=2, name="table.conditions")
def table_conditions(points: Measured, options: Measured | None = None) -> Table:
    """What each curve was measured under: loads, repeats, I/O sizes, mix, and settings where known.

    Args:
        points: ``load_points``: sizes and mix are measured from them.
        options: ``job_options`` of the same sources.

    Raises AnalysisError for no load points.
    """
    require_columns(
        points.frame, (*_KEYS, "load", "repeat", "direction", "iops", "bw_bytes_per_s"), "points"
    )
    rows = [_conditions(key, rows, options) for key, rows in groups(points.frame, _KEYS)]
    if not rows:
        raise AbsentError("load_points: no rows, so no conditions")
    sheet = Sheet(rows)
    for name, label in _FIRST.items():
        sheet.varying(name, label)
    sheet.add("read_block_size_bytes", "Mean read size (B)", _BYTES)
    sheet.add("write_block_size_bytes", "Mean write size (B)", _BYTES)
    sheet.add("read_ratio", "Reads (%)", Format("%", decimals=1))
    for name, label in _SAID.items():
        sheet.varying(name, label)
    more = {name: words(name) for name in OPTION_FIELDS if name not in _SAID}
    sheet.differing(**more)
    return sheet.table("conditions", "Conditions of the curves, as measured.", None)


def _conditions(key: Row, rows: list[Row], options: Measured | None) -> Row:
    own = [] if options is None else _own(options.frame, key)
    found = conditions(rows, own).fields
    loads = sorted({row["load"] for row in rows if row["load"] is not None})
    repeats = len({row["repeat"] for row in rows})
    ends = [load_number(load).text for load in (loads[:1] + loads[-1:])]
    kind = f" {key['load_kind']}" if key["load_kind"] else ""
    return {
        **key,
        **dict.fromkeys(OPTION_FIELDS),
        **{name: said(name, found[name]) for name in found},
        "workload": workload_name(str(key["workload"])) if key["workload"] else None,
        "loads": (f"{' to '.join(dict.fromkeys(ends))}{kind}") if ends else None,
        # a report of a cluster names no load generators, and is not of one host for that
        "hosts": found["hosts"] if any(row.get("host") for row in rows) else None,
        "points": str(len(loads)),
        "repeats": str(repeats),
    }


def said(field: str, value: Any) -> Any:
    """A setting in words; sizes and shares that the table formats itself stay numbers."""
    if value is None or field.endswith("block_size_bytes") or field == "read_ratio":
        return value
    several = value if isinstance(value, tuple) else (value,)
    sizes = field.endswith("_bytes")
    return " and ".join(
        format_size(item) if sizes and isinstance(item, int) else str(item) for item in several
    )


def _own(options: pl.DataFrame, key: Row) -> list[Row]:
    named = [name for name in ("system", "config") if name in options.columns]
    same = [pl.col(name).eq_missing(pl.lit(key[name])) for name in named]
    return (options.filter(*same) if same else options).rows(named=True)


FEWEST_ROWS = 2


@step(version=3, name="table.headlines")
def table_headlines(answers: list[Measured], *, questions: list[str]) -> Table:
    """A row a workload and system, a column a question: the value or the change, with its interval.

    Of a question asked at several values, the first that has a number has the column.

    Args:
        answers: Frames of answers, such as a comparison.
        questions: The columns, in order; what was not asked has none.

    Raises AbsentError where there is one row alone, which findings say in words.
    """
    every = [item for frame in answers for item in from_frame(frame.frame)]
    asked = {name: _first_asked(every, name) for name in questions}
    rows: dict[tuple[str | None, ...], Row] = {}
    for name, own in asked.items():
        for item in own:
            workload, system, against = key = _headline_key(item)
            named = {"workload": workload and workload_name(workload), "system": system}
            rows.setdefault(key, {**named, "against": against})[name] = _headline(item)
    if len(rows) < FEWEST_ROWS:
        words = "one curve or one change is not a table: the findings say it in words"
        raise AbsentError(words, elsewhere=True)
    sheet = Sheet(list(rows.values()))
    curves = not any(against for _, _, against in rows)
    if curves:
        sheet.differing(system="Curve")
    else:
        sheet.differing(workload="Workload", system="System", against="Compared with")
    for name, own in asked.items():
        if own:
            sheet.add(name, _asked_words(own[0]), None)
    cautions = dict.fromkeys(one for own in asked.values() for item in own for one in item.cautions)
    known = any(
        item.estimate and item.estimate.low is not None for own in asked.values() for item in own
    )
    note = "In brackets: 95% intervals over the repeats." if known else None
    made = sheet.table("headlines", _headlines_caption(list(rows)), note)
    return replace(made, cautions=tuple(cautions))


def _headlines_caption(keys: Sequence[tuple[str | None, ...]]) -> str:
    pairs = {key[1:] for key in keys}
    if len(pairs) > 1:
        return "What was found for each curve."
    ((system, against),) = pairs
    return (
        f"{system} compared with {against}, by workload." if against else f"{system}, by workload."
    )


def _first_asked(every: Sequence[Answer], question: str) -> list[Answer]:
    own = [item for item in every if item.question == question]
    known = next((item for item in own if item.estimate), own[0] if own else None)
    return [item for item in own if known and conditions_asked(item) == conditions_asked(known)]


def _headline_key(answer: Answer) -> tuple[str | None, ...]:
    if answer.against:
        return answer.subject.get("workload"), answer.subject.label, answer.against.label
    label = whole_label(answer) if _stands_for_a_grid(answer) else answer.subject.label
    return answer.subject.get("workload"), label, None


def _stands_for_a_grid(answer: Answer) -> bool:
    return any(item.metric == GRID for item in answer.conditions)


def _held(answer: Answer) -> str:
    """Of an answer that stands for a grid whose curve's it is: ", 16 jobs"."""
    held = answer.subject.get("held")
    if held is None or not _stands_for_a_grid(answer):
        return ""
    return f", {load_text(answer.subject.get('held_kind'), held)}"


def _asked_words(answer: Answer) -> str:
    """What was asked: "IOPS at 400 µs"; of a change, whose it is stands in the caption."""
    at = conditions_asked(answer)
    name = NAMES.get(answer.question, answer.question.replace("_", " "))
    where = "".join(f", {exact_printed(item.metric, item.value).text}" for item in at)
    return f"{name[:1].upper()}{name[1:]}{where}"


def _headline(answer: Answer) -> str:
    got = answer.estimate
    if got is None:
        return _WHY[answer.status]
    said = f"{BOUND[answer.relation]}{_value_of(answer, got.value)}{_held(answer)}"
    if got.low is None or got.high is None:
        return said
    ends = [_value_of(answer, end) for end in (got.low, got.high)]
    if answer.against:
        form = form_of(got.value)
        ends = [
            ratio_printed(end, form).text if form == "times" else signed(end, form)
            for end in (got.low, got.high)
        ]
    return f"{said} ({' to '.join(ends)})"


def _value_of(answer: Answer, value: float) -> str:
    if answer.against:
        return signed(value, form_of(value))
    return printed(answer.metric, value).text if answer.metric in METRICS else f"{value:g}"
