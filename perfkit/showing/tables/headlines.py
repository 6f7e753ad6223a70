"""The headline table of a report's first page: workloads and systems by what they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.analysis.compare.asked import NAMES
from perfkit.analysis.compare.printing import BOUND, form_of, ratio_printed, signed
from perfkit.analysis.curves.metrics import METRICS, exact_printed, printed, workload_name
from perfkit.core.answers import from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.showing.statements.say import conditions_asked
from perfkit.showing.tables.sheet import Sheet

if TYPE_CHECKING:
    from perfkit.core.answers import Answer, Estimate
    from perfkit.core.schema import Row
    from perfkit.core.values import Table

FEWEST_ROWS = 2
_WITHOUT = {
    "not_reached": "not reached", "beyond_measured": "all above", "missing": "missing",
    "ambiguous": "passed more than once", "not_judged": "not judged",
}  # fmt: skip


@step(version=2, name="table.headlines")
def table_headlines(answers: list[Measured], *, questions: list[str]) -> Table:
    """A row a workload and system, a column a question: the value or the change, with its interval.

    Of a question asked at several values, the first that has a number has the column.

    Args:
        answers: Frames of answers, such as a comparison.
        questions: The columns, in order; what was not asked has none.
        caption: Its caption; None: whose values or changes these are.

    Raises AbsentError where there is one row alone, which findings say in words.
    """
    every = [item for frame in answers for item in from_frame(frame.frame)]
    asked = {name: _first_asked(every, name) for name in questions}
    rows: dict[tuple[str | None, ...], Row] = {}
    for name, own in asked.items():
        for item in own:
            rows.setdefault(_key(item), _names(item))[name] = _cell(item)
    if len(rows) < FEWEST_ROWS:
        raise AbsentError("one curve or one change is no table: the findings say it in words")
    sheet = Sheet(list(rows.values()))
    curves = not any(against for _, _, against in rows)
    if curves:
        sheet.differing(system="Curve")
    else:
        sheet.differing(workload="Workload", system="System", against="Compared with")
    for name, own in asked.items():
        if own:
            sheet.add(name, _head(own[0]), None)
    told = dict.fromkeys(one for own in asked.values() for item in own for one in item.cautions)
    known = any(
        item.estimate and item.estimate.low is not None for own in asked.values() for item in own
    )
    note = "In brackets: 95% intervals over the repeats." if known else None
    made = sheet.table("headlines", _caption(list(rows)), note)
    return replace(made, cautions=tuple(told))


def _caption(keys: Sequence[tuple[str | None, ...]]) -> str:
    pairs = {key[1:] for key in keys}
    if len(pairs) > 1:
        return "What was found of each curve."
    ((system, against),) = pairs
    return (
        f"{system} compared with {against}, by workload." if against else f"{system}, by workload."
    )


def _first_asked(every: Sequence[Answer], question: str) -> list[Answer]:
    own = [item for item in every if item.question == question]
    known = next((item for item in own if item.estimate), own[0] if own else None)
    return [item for item in own if known and conditions_asked(item) == conditions_asked(known)]


def _key(answer: Answer) -> tuple[str | None, ...]:
    against = answer.against.label if answer.against else None
    return answer.subject.get("workload"), answer.subject.label, against


def _names(answer: Answer) -> Row:
    workload, system, against = _key(answer)
    return {"workload": workload and workload_name(workload), "system": system, "against": against}


def _head(answer: Answer) -> str:
    """What was asked: "IOPS at 400 µs"; of a change, whose it is stands in the caption."""
    at = conditions_asked(answer)
    name = NAMES.get(answer.question, answer.question.replace("_", " "))
    where = "".join(f", {exact_printed(item.metric, item.value).text}" for item in at)
    return f"{name[:1].upper()}{name[1:]}{where}"


def _cell(answer: Answer) -> str:
    got = answer.estimate
    if got is None:
        return _WITHOUT[answer.status]
    said = f"{BOUND[answer.relation]}{_number(answer, got.value)}"
    return said + _interval(answer, got)


def _number(answer: Answer, value: float) -> str:
    if answer.against:
        return signed(value, form_of(value))
    return printed(answer.metric, value).text if answer.metric in METRICS else f"{value:g}"


def _interval(answer: Answer, got: Estimate) -> str:
    if got.low is None or got.high is None:
        return ""
    if not answer.against:
        return f" ({_number(answer, got.low)} to {_number(answer, got.high)})"
    form = form_of(got.value)
    ends = [ratio_printed(end, form).text if form == "times" else signed(end, form)
            for end in (got.low, got.high)]  # fmt: skip
    return f" ({' to '.join(ends)})"
