"""Tables for print of histories: each with its verdict, and what is in none."""

from __future__ import annotations

from perfkit.analysis.trend.answers import SHIFT, VERDICT
from perfkit.analysis.trend.runs import LEFT_OUT
from perfkit.core.answers import Answer, from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.values import Table
from perfkit.showing.sentences import Text
from perfkit.showing.statements.trend import at_time, told_change, value_printed
from perfkit.showing.tables.sheet import COUNT, Sheet, measured_rows


@step(version=1, name="table.trend")
def table_trend(answers: Measured) -> Table:
    """Each history with its latest level, what it is held against, and the verdict.

    Args:
        answers: What ``answers`` gave.

    Raises AbsentError where no history is judged.
    """
    rows = [_row(one) for one in from_frame(answers.frame) if one.question == VERDICT.name]
    if not rows:
        raise AbsentError("there is no history")
    sheet = Sheet(rows)
    sheet.words(history="History", verdict="Verdict", change="Change (interval)", since="Since")
    sheet.words(before="Before", after="Latest")
    sheet.numbers(COUNT, runs_before="Runs before", runs_after="Latest runs")
    sheet.words(changed="Changed with it")
    note = "Change: the latest runs over those before or of the baseline, by geometric means."
    return sheet.table("trend", "Each history and its verdict.", note)


def _row(answer: Answer) -> Row:
    verdict = answer.subject.get("verdict") or f"not judged: {answer.reason}"
    found = {"history": answer.subject.label, "verdict": verdict}
    if answer.estimate is None:
        return found
    return {**found, **_change(answer), "since": at_time(answer.subject.get("since"))}


def _change(answer: Answer) -> Row:
    """A change with its two levels and what was recorded to change with it."""
    given = {item.metric: item for item in answer.conditions}
    text = Text()
    return {
        "change": text.done("x", [told_change(text, answer)]).text,
        "changed": answer.subject.get("changed_with"),
        **{
            name: value_printed(answer.metric, given[name].unit, given[name].value).text
            for name in ("before", "after")
        },
        **{name: int(given[name].value) for name in ("runs_before", "runs_after")},
        "elsewhere": int(given["elsewhere"].value) if "elsewhere" in given else None,
    }


@step(version=1, name="table.shifts")
def table_shifts(answers: Measured) -> Table:
    """When each history stepped from one level to another, and what changed with it.

    Args:
        answers: What ``answers`` gave.

    Raises AbsentError where no shift is shown.
    """
    shown = [
        one
        for one in from_frame(answers.frame)
        if one.question == SHIFT.name and one.estimate is not None
    ]
    if not shown:
        raise AbsentError("no shift of a history is shown")
    ordered = sorted(shown, key=lambda one: str(one.subject.get("at")))
    sheet = Sheet(
        [
            {"at": at_time(one.subject.get("at")), "history": one.subject.label, **_change(one)}
            for one in ordered
        ]
    )
    sheet.words(at="When", history="History", change="Change (interval)")
    sheet.words(before="Before", after="After")
    sheet.numbers(COUNT, runs_before="Runs before", runs_after="Runs after")
    sheet.words(changed="Changed with it")
    sheet.numbers(COUNT, elsewhere="Changed without a shift")
    caption = "When histories stepped from one level to another, in order of time."
    return sheet.table("shifts", caption)


@step(version=1, name="table.trend_left_out")
def table_left_out(histories: Measured) -> Table:
    """The answers that are in no history, each with the reason.

    Args:
        histories: What ``histories`` gave.

    Raises AbsentError where all are in one.
    """
    rows = measured_rows(histories, "histories", ("run", "question", "left_out"))
    left = [row | {"why": LEFT_OUT[row["left_out"]]} for row in rows if row["left_out"]]
    if not left:
        raise AbsentError("all answers are in a history", elsewhere=True)
    sheet = Sheet(left)
    sheet.words(run="Run", question="Question", metric="Metric", why="Why it is in no history")
    return sheet.table("left-out", f"In no history: {len(left):,} of {len(rows):,} answers.")
