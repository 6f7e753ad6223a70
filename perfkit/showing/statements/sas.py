"""The sentences of a SAS workload.

The grammar, one line a sentence. S and A are systems, V a time in minutes, CHANGE "N% less",
"N% more", "N times as much" or "N% of it"; RANGE is " (LOW to HIGH over N runs)", " (in each of N
runs)" where they print alike, or " (one run)".

sas_elapsed_change
    measured         Summed over all jobs, elapsed time was CHANGE on S than on A (V against V;
                     SURE). SURE is "95% interval CHANGE to CHANGE, over N and N runs", with "; no
                     difference is shown" behind it where it holds no change, or why there is none.
    missing          Whether the jobs took longer on S than on A is not known: WHY.
sas_cpu_ratio
    measured         On S the mean of the jobs' ratios of CPU to elapsed time was NRANGE.
                     On S the ratio of the sums of CPU and elapsed time was NRANGE.
    missing          On S [it] is not known: WHY.
sas_jobs_at_once
    measured         On S an average of N jobs ran at once over the span of a runRANGE.
                     On S N jobs ran at once at the most, of N runs.
    missing          How many jobs ran at once on S is not known: WHY.
sas_waiting_time
    measured         [S:] N steps of T or longer used less CPU time than elapsed time and waited for
                     at least V, on storage or anything else.
sas_waiting_on_io
    measured         [S:] N steps of T or longer waited; blocks or the host's iowait are known of N,
                     and show I/O in N.
    missing          [S:] N steps of T or longer waited; whether on I/O is not known: WHY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.compare.printing import Form, form_of, ratio_printed
from perfkit.analysis.sas.answers import (
    AT_ONCE,
    CPU_RATIO,
    ELAPSED,
    ELAPSED_CHANGE,
    WAITING_STEPS,
    WAITING_TIME,
)
from perfkit.analysis.sas.logs import ALL_LOGS
from perfkit.core.units import Format
from perfkit.showing.statements.sas_logs import time, where
from perfkit.showing.statements.say import CHANGE, template

if TYPE_CHECKING:
    from perfkit.core.answers import Answer, Estimate
    from perfkit.showing.sentences import Text

_MINUTES = Format("min", significant=3)
_RATIO = Format("1", decimals=3)
_ONE = Format("1", decimals=1)
_WHOLE = Format("1", decimals=0)
_SHORTEST = Format("s", significant=1)


@template(f"{CHANGE} {ELAPSED_CHANGE.name}", status="measured")
def _elapsed(text: Text, answer: Answer) -> str:
    got, (subject, against) = _got(answer), answer.sides
    form = form_of(got.value)
    name, other = text(subject.subject.label), text(against.subject.label)
    values = f"{_minutes(text, subject)} against {_minutes(text, against)}"
    if got.value == 1:
        change = f"the same on {name} as on {other}"
    elif form == "percent":
        change = f"{_change(text, got.value, form)} on {name} than on {other}"
    else:
        change = f"{_change(text, got.value, form)} on {name} as on {other}"
    return f"Summed over all jobs, elapsed time was {change} ({values}; {_sure(text, answer)})."


def _change(text: Text, ratio: float, form: Form) -> str:
    number = text(ratio_printed(ratio, form))
    if form == "percent":
        return f"{number} {'more' if ratio > 1 else 'less'}"
    return f"{number} times as much" if form == "times" else f"{number} as much"


def _sure(text: Text, answer: Answer) -> str:
    got, (subject, against) = _got(answer), answer.sides
    if got.low is None or got.high is None:
        return " and ".join(text(item.text) for item in answer.cautions) or "no interval"
    form = form_of(got.value)
    ends = " to ".join(_change(text, end, form) for end in (got.low, got.high))
    runs = " and ".join(text.count(_got(side).n or 0) for side in (subject, against))
    shown = "" if got.low > 1 or got.high < 1 else "; no difference is shown"
    return f"{text(Format('%').show(got.level))} interval {ends}, over {runs} runs{shown}"


def _minutes(text: Text, answer: Answer) -> str:
    return text(_MINUTES.show(_got(answer).value))


def _got(answer: Answer) -> Estimate:
    assert answer.estimate is not None  # noqa: S101 - of a status that has one
    return answer.estimate


@template(f"{CHANGE} {ELAPSED_CHANGE.name}", status="missing")
def _elapsed_missing(text: Text, answer: Answer) -> str:
    names = " than on ".join(text(side.subject.label) for side in answer.sides)
    return f"Whether the jobs took longer on {names} is not known: {text(answer.reason or '')}."


@template(ELAPSED.name, status="measured")
def _one_elapsed(text: Text, answer: Answer) -> str:
    name = text(answer.subject.label)
    return f"Summed over all jobs, elapsed time on {name} was {_minutes(text, answer)}."


@template(ELAPSED.name, status="missing")
def _no_elapsed(text: Text, answer: Answer) -> str:
    name = text(answer.subject.label)
    return f"The elapsed time of all jobs on {name} is not known: {text(answer.reason or '')}."


_RATIOS = {
    "ratio_mean": "the mean of the jobs' ratios of CPU to elapsed time",
    "ratio_of_sums": "the ratio of the sums of CPU and elapsed time",
}


@template(CPU_RATIO.name, status="measured")
def _ratio(text: Text, answer: Answer) -> str:
    number = text(_RATIO.show(_got(answer).value))
    name = text(answer.subject.label)
    return f"On {name} {_RATIOS[answer.metric]} was {number}{_range(text, answer, _RATIO)}."


@template(CPU_RATIO.name, status="missing")
def _no_ratio(text: Text, answer: Answer) -> str:
    name = text(answer.subject.label)
    return f"On {name} {_RATIOS[answer.metric]} is not known: {text(answer.reason or '')}."


def _range(text: Text, answer: Answer, form: Format) -> str:
    """The smallest and the largest run, or that they print alike, or that there is one."""
    got = _got(answer)
    if got.low is None or got.high is None:
        return " (one run)"
    low, high, runs = form.show(got.low), form.show(got.high), text.count(got.n or 0)
    if low.text == high.text:
        return f" (in each of {runs} runs)"
    return f" ({text(low)} to {text(high)} over {runs} runs)"


@template(AT_ONCE.name, status="measured")
def _at_once(text: Text, answer: Answer) -> str:
    got, name = _got(answer), text(answer.subject.label)
    if answer.metric == "concurrency_peak":
        of = text.many(got.n or 0, "run", "runs")
        return f"On {name} {text(_WHOLE.show(got.value))} jobs ran at once at the most, of {of}."
    number = text(_ONE.show(got.value))
    return (
        f"On {name} an average of {number} jobs ran at once over the span of a run"
        f"{_range(text, answer, _ONE)}."
    )


@template(AT_ONCE.name, status="missing")
def _not_at_once(text: Text, answer: Answer) -> str:
    name = text(answer.subject.label)
    return f"How many jobs ran at once on {name} is not known: {text(answer.reason or '')}."


def _waiters(text: Text, answer: Answer) -> str:
    """The steps that waited: "12 of the steps of 1 s and longer on Flash"."""
    many = text.many(int(where(answer, "waiting")), "step", "steps")
    shortest = text(_SHORTEST.show(where(answer, "shortest")))
    system = answer.subject.label
    of = "" if system == ALL_LOGS else f" {text(system)}:"
    return f"{of} {many} of {shortest} or longer".strip()


@template(WAITING_TIME.name, status="measured", relation=">=")
def _waiting_time(text: Text, answer: Answer) -> str:
    return (
        f"{_waiters(text, answer)} used less CPU time than elapsed time and waited for at least "
        f"{time(text, _got(answer).value)}, on storage or anything else."
    )


@template(WAITING_STEPS.name, status="measured")
def _waiting(text: Text, answer: Answer) -> str:
    known, on_io = where(answer, "known"), _got(answer).value
    return (
        f"{_waiters(text, answer)} waited; blocks or the host's iowait are known of "
        f"{text.count(known)}, and show I/O in {text.count(on_io) if on_io else 'none'}."
    )


@template(WAITING_STEPS.name, status="missing")
def _not_waiting(text: Text, answer: Answer) -> str:
    why = text(answer.reason or "")
    return f"{_waiters(text, answer)} waited; whether on I/O is not known: {why}."
