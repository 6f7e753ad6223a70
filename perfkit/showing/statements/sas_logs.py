"""The sentences of SAS logs without a job table.

The grammar, one line a sentence. N are counts, T times in s, min or h, P shares, S and A sets of
logs; AT-LEAST is "at least " where a step's time is unknown.

sas_time_in_steps
    measured         In N logs N steps took AT-LEAST T of elapsed time in all.
                     They used AT-LEAST T of CPU time, P of the elapsed time of the steps with both.
    missing          How much elapsed time (CPU time) the steps took is not known: WHY.
sas_time_outside
    measured         N sessions print their total, T: T of it lies outside of any step ...
                     In N of N sessions that print their total the steps add up to T more than it.
                     N sessions print their total, T, which is the sum of their steps.
    missing          How much time passed outside of the steps is not known: WHY.
sas_longest_step     The longest step, PROC SORT at line N of LOG, took T (P of all steps).
sas_most_time        Most time went to PROC SORT: N steps, T (P of all steps).
sas_messages         Of N logs N hold ERROR (WARNING) messages, N in all.
sas_rows_written     N notes say that AT-LEAST N rows were written to N data sets ...
sas_same_steps_change
    measured         The same N steps of N logs took CHANGE in S than in A (T against T; ...).
    missing          Whether the same steps took longer in S than in A is not known: WHY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.compare.printing import form_of, ratio_printed
from perfkit.analysis.sas.log_answers import (
    LONGEST,
    MESSAGES,
    MOST_TIME,
    OUTSIDE,
    ROWS_WRITTEN,
    SAME_STEPS,
    SAME_STEPS_CHANGE,
    TIME,
)
from perfkit.core.units import Format, elapsed_format
from perfkit.showing.statements.say import CHANGE, template

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

_SHARE = Format("%", significant=2)
_OR_MORE = {"=": "", ">=": "at least "}
_BOTH = ("=", ">=")
_TIMES = {"real_time_s": "elapsed time", "cpu_s": "CPU time"}


def value(answer: Answer) -> float:
    """The estimate of an answer that has one."""
    assert answer.estimate is not None  # noqa: S101 - of a status that has one
    return answer.estimate.value


def where(answer: Answer, name: str) -> float:
    """The value of a condition of role "where"."""
    return next(item.value for item in answer.conditions if item.metric == name)


def time(text: Text, seconds: float) -> str:
    """An elapsed time in the unit in which people read it."""
    return text(elapsed_format(seconds).show(seconds))


def _of_all(text: Text, answer: Answer) -> str:
    """The share of all time; where a step's is unknown, of what is known."""
    known = "known " if where(answer, "untimed") else ""
    shares = [item.value for item in answer.conditions if item.metric == "share"]
    return "".join(
        f", {text(_SHARE.show(share))} of the {known}time of all steps" for share in shares
    )


@template(TIME.name, status="measured", relation=_BOTH)
def _in_steps(text: Text, answer: Answer) -> str:
    least, took = _OR_MORE[answer.relation], time(text, value(answer))
    if answer.metric == "real_time_s":
        logs = text.many(int(where(answer, "logs")), "log", "logs")
        steps = text.many(int(where(answer, "steps")), "step", "steps")
        return f"In {logs} {steps} took {least}{took} of elapsed time in all."
    shares = [item.value for item in answer.conditions if item.metric == "share"]
    of = "".join(
        f", {text(_SHARE.show(share))} of the elapsed time of the steps that print both"
        for share in shares
    )
    return f"The steps used {least}{took} of CPU time{of}."


@template(TIME.name, status="missing")
def _not_in_steps(text: Text, answer: Answer) -> str:
    why = text(answer.reason or "")
    return f"How much {_TIMES[answer.metric]} the steps took is not known: {why}."


@template(OUTSIDE.name, status="measured")
def _outside(text: Text, answer: Answer) -> str:
    sessions = text.many(int(where(answer, "sessions")), "session", "sessions")
    total, apart = time(text, where(answer, "total")), time(text, value(answer))
    if answer.metric == "outside_s":
        return (
            f"{sessions} of SAS with a printed total took {total}: {apart} passed outside of the "
            "steps, in starting SAS, macro code and pauses."
        )
    if answer.metric == "overlap_s":
        some = text.count(where(answer, "overlapping"))
        return f"In {some} of {sessions} the steps add up to more than the total, by {apart}."
    return f"{sessions} of SAS with a printed total took {total}, the sum of their steps."


@template(OUTSIDE.name, status="missing")
def _not_outside(text: Text, answer: Answer) -> str:
    return f"How much time passed outside of the steps is not known: {text(answer.reason or '')}."


@template(LONGEST.name, status="measured")
def _longest(text: Text, answer: Answer) -> str:
    took, known = time(text, value(answer)), " of known time" if where(answer, "untimed") else ""
    step = text(answer.subject.label)
    return f"The longest step{known}, {step}, took {took}{_of_all(text, answer)}."


@template(LONGEST.name, status="missing")
def _no_longest(text: Text, answer: Answer) -> str:
    return f"Which step took longest is not known: {text(answer.reason or '')}."


@template(MOST_TIME.name, status="measured")
def _most(text: Text, answer: Answer) -> str:
    count = answer.estimate.n if answer.estimate else None
    steps = text.many(count or 0, "step", "steps")
    took = time(text, value(answer))
    name = text(answer.subject.label)
    most = "Most of the known time" if where(answer, "untimed") else "Most time"
    return f"{most} went to {name}: {steps} took {took}{_of_all(text, answer)}."


@template(MOST_TIME.name, status="missing")
def _no_most(text: Text, answer: Answer) -> str:
    return f"Which kind of step took most time is not known: {text(answer.reason or '')}."


@template(MESSAGES.name, status="measured")
def _messages(text: Text, answer: Answer) -> str:
    logs = text.many(int(where(answer, "logs")), "log", "logs")
    if not value(answer):
        return f"Of {logs} none holds {answer.metric} messages."
    holding = int(where(answer, "holding"))
    holds = f"{text.count(holding)} {'holds' if holding == 1 else 'hold'}"
    return f"Of {logs} {holds} {answer.metric} messages, {text.count(value(answer))} in all."


@template(ROWS_WRITTEN.name, status="measured", relation=_BOTH)
def _written(text: Text, answer: Answer) -> str:
    notes = text.many(int(where(answer, "notes")), "note says", "notes say")
    rows = text.many(int(value(answer)), "row was", "rows were")
    names = text.many(
        int(where(answer, "names")), "data set, table or file", "data sets, tables and files"
    )
    return f"{notes} that {_OR_MORE[answer.relation]}{rows} written to {names}."


@template(ROWS_WRITTEN.name, status="missing")
def _not_written(text: Text, answer: Answer) -> str:
    return f"How many rows were written is not known: {text(answer.reason or '')}."


@template(SAME_STEPS.name, status="measured")
def _same_steps(text: Text, answer: Answer) -> str:
    return f"In {text(answer.subject.label)} the steps took {time(text, value(answer))}."


@template(SAME_STEPS.name, status="missing")
def _no_same_steps(text: Text, answer: Answer) -> str:
    name, why = text(answer.subject.label), text(answer.reason or "")
    return f"How long the steps took in {name} is not known: {why}."


@template(f"{CHANGE} {SAME_STEPS_CHANGE.name}", status="measured")
def _change(text: Text, answer: Answer) -> str:
    subject, against = answer.sides
    name, other = text(subject.subject.label), text(against.subject.label)
    ratio = value(answer)
    form = form_of(ratio)
    number = text(ratio_printed(ratio, form))
    if ratio == 1:
        change = f"as long in {name} as in {other}"
    elif form == "percent":
        change = f"{number} {'longer' if ratio > 1 else 'less'} in {name} than in {other}"
    else:
        times = f"{number} times" if form == "times" else number
        change = f"{times} as long in {name} as in {other}"
    steps = text.many(int(where(answer, "steps")), "step", "steps")
    logs = text.many(int(where(answer, "logs")), "log", "logs")
    values = f"{time(text, value(subject))} against {time(text, value(against))}"
    left = int(where(answer, "unknown"))
    lost = f"; {text.many(left, 'step', 'steps')} of unknown time left out" if left else ""
    once = "each measured once, so there is no interval"
    return f"The same {steps} of {logs} took {change} ({values}; {once}{lost})."


@template(f"{CHANGE} {SAME_STEPS_CHANGE.name}", status="missing")
def _no_change(text: Text, answer: Answer) -> str:
    names = " than in ".join(text(side.subject.label) for side in answer.sides)
    why = text(answer.reason or "")
    return f"Whether the same steps took longer in {names} is not known: {why}."
