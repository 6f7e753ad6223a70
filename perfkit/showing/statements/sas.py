"""The sentences of a SAS workload."""

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
from perfkit.showing.statements.say import CHANGE, sentences, template

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

_MINUTES = Format("min", significant=3)
_RATIO = Format("1", decimals=3)
_ONE = Format("1", decimals=1)
_WHOLE = Format("1", decimals=0)
_SHORTEST = Format("s", significant=1)


@template(f"{CHANGE} {ELAPSED_CHANGE.name}", status="measured")
def _elapsed(text: Text, answer: Answer) -> str:
    change, sides = _elapsed_change(text, answer), _sides(text, answer)
    return f"Summed over all jobs, elapsed time was {change} ({sides})."


@template(f"headline {CHANGE} {ELAPSED_CHANGE.name}", status="measured")
def _headline(text: Text, answer: Answer) -> str:
    got, names = answer.got, [text(side.subject.label) for side in answer.sides]
    if got.low is not None and got.high is not None and got.low <= 1 <= got.high:
        return f"No difference in elapsed time between {' and '.join(names)} is shown."
    return f"Elapsed time was {_elapsed_change(text, answer)}."


@template(f"detail {CHANGE} {ELAPSED_CHANGE.name}", status="measured")
def _detail(text: Text, answer: Answer) -> str:
    return f"Summed over all jobs: {_sides(text, answer)}."


def _sides(text: Text, answer: Answer) -> str:
    subject, against = answer.sides
    values = f"{_minutes(text, subject)} against {_minutes(text, against)}"
    return f"{values}; {_sure(text, answer)}"


def _elapsed_change(text: Text, answer: Answer) -> str:
    ratio, (subject, against) = answer.got.value, answer.sides
    form = form_of(ratio)
    name, other = text(subject.subject.label), text(against.subject.label)
    if ratio == 1:
        return f"the same on {name} as on {other}"
    than = "than" if form == "percent" else "as"
    return f"{_change(text, ratio, form)} on {name} {than} on {other}"


def _change(text: Text, ratio: float, form: Form) -> str:
    number = text(ratio_printed(ratio, form))
    if form == "percent":
        return f"{number} {'more' if ratio > 1 else 'less'}"
    return f"{number} times as much" if form == "times" else f"{number} as much"


def _sure(text: Text, answer: Answer) -> str:
    got, (subject, against) = answer.got, answer.sides
    if got.low is None or got.high is None:
        return " and ".join(text(item.text) for item in answer.cautions) or "no interval"
    form = form_of(got.value)
    ends = " to ".join(_change(text, end, form) for end in (got.low, got.high))
    counts = [side.got.n or 0 for side in (subject, against)]
    each = len(set(counts)) == 1
    runs = (
        f"{text.count(counts[0])} runs each"
        if each
        else (f"{text.count(counts[0])} and {text.count(counts[1])} runs")
    )
    shown = "" if got.low > 1 or got.high < 1 else "; no difference is shown"
    return f"{text(Format('%').show(got.level))} interval {ends}, over {runs}{shown}"


def _minutes(text: Text, answer: Answer) -> str:
    return text(_MINUTES.show(answer.got.value))


sentences(
    f"{CHANGE} {ELAPSED_CHANGE.name}",
    of={"missing": "Whether the jobs took longer on {systems} is not known: {why}."},
    systems=lambda text, answer: " than on ".join(
        text(side.subject.label) for side in answer.sides
    ),
)
sentences(
    ELAPSED.name,
    of={
        "measured": "Summed over all jobs, elapsed time on {label} was {minutes}.",
        "missing": "The elapsed time of all jobs on {label} is not known: {why}.",
    },
    minutes=_minutes,
)

_RATIOS = {
    "ratio_mean": "the mean of the jobs' ratios of CPU to elapsed time",
    "ratio_of_sums": "the ratio of the sums of CPU and elapsed time",
}


def _range(text: Text, answer: Answer, form: Format) -> str:
    """The smallest and the largest run, or that they print alike, or that there is one."""
    got = answer.got
    if got.low is None or got.high is None:
        return " (one run)"
    low, high, runs = form.show(got.low), form.show(got.high), text.count(got.n or 0)
    if low.text == high.text:
        return f" (in each of {runs} runs)"
    return f" ({text(low)} to {text(high)} over {runs} runs)"


sentences(
    CPU_RATIO.name,
    of={
        "measured": "On {label} {ratio} was {number}.",
        "missing": "On {label} {ratio} is not known: {why}.",
    },
    ratio=lambda _, answer: _RATIOS[answer.metric],
    number=lambda text, answer: text(_RATIO.show(answer.got.value)) + _range(text, answer, _RATIO),
)


@template(AT_ONCE.name, status="measured")
def _at_once(text: Text, answer: Answer) -> str:
    got, name = answer.got, text(answer.subject.label)
    if answer.metric == "concurrency_peak":
        of = text.many(got.n or 0, "run", "runs")
        return f"On {name} {text(_WHOLE.show(got.value))} jobs ran at once at the most, of {of}."
    number = text(_ONE.show(got.value))
    return (
        f"On {name} an average of {number} jobs ran at once over the span of a run"
        f"{_range(text, answer, _ONE)}."
    )


sentences(AT_ONCE.name, of={"missing": "How many jobs ran at once on {label} is not known: {why}."})


def _waiters(text: Text, answer: Answer) -> str:
    """The steps that waited: "12 of the steps of 1 s and longer on Flash"."""
    many = text.many(int(where(answer, "waiting")), "step", "steps")
    shortest = text(_SHORTEST.show(where(answer, "shortest")))
    return f"{_whose(text, answer)}{many} of {shortest} or longer"


def _whose(text: Text, answer: Answer) -> str:
    system = answer.subject.label
    return "" if system == ALL_LOGS else f"{text(system)}: "


sentences(
    WAITING_TIME.name,
    of={
        "measured >=": "{waiters} used less CPU time than elapsed time and waited for at least "
        "{time}, on storage or anything else."
    },
    waiters=_waiters,
    time=lambda text, answer: time(text, answer.got.value),
)
sentences(
    f"headline {WAITING_TIME.name}",
    of={"measured >=": "{whose}{steps} waited for at least {time}."},
    whose=_whose,
    steps=lambda text, answer: text.many(int(where(answer, "waiting")), "step", "steps"),
    time=lambda text, answer: time(text, answer.got.value),
)
sentences(
    f"detail {WAITING_TIME.name}",
    of={
        "measured >=": "Steps of {shortest} or longer that used less CPU time than elapsed time; "
        "they waited on storage or on anything else."
    },
    shortest=lambda text, answer: text(_SHORTEST.show(where(answer, "shortest"))),
)
sentences(
    WAITING_STEPS.name,
    of={
        "measured": "{waiters} waited; blocks or the host's iowait are known of {known:count}, and "
        "show I/O in {on_io}.",
        "missing": "{waiters} waited; whether on I/O is not known: {why}.",
    },
    waiters=_waiters,
    on_io=lambda text, answer: text.count(answer.got.value) if answer.got.value else "none",
)
