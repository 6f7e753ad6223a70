"""The sentences of a SAS workload, and of SAS logs without a job table."""

from __future__ import annotations

from perfkit.analysis.compare.printing import Form, form_of, ratio_printed
from perfkit.analysis.sas.answers import (
    AT_ONCE,
    CPU_RATIO,
    ELAPSED,
    ELAPSED_CHANGE,
    WAITING_STEPS,
    WAITING_TIME,
)
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
from perfkit.analysis.sas.logs import ALL_LOGS
from perfkit.core.answers import Answer
from perfkit.core.units import Format, elapsed_format
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import CHANGE, sentences, template
from perfkit.showing.statements.words import number

_MINUTES = Format("min", significant=3)
_RATIO = Format("1", decimals=3)
_ONE = Format("1", decimals=1)
_WHOLE = Format("1", decimals=0)
_SHORTEST = Format("s", significant=1)


def _headline(text: Text, answer: Answer) -> str:
    got, names = answer.got, [text(side.subject.label) for side in answer.sides]
    if got.low is not None and got.high is not None and got.low <= 1 <= got.high:
        return f"No difference in elapsed time between {' and '.join(names)} is shown."
    return f"Elapsed time was {_elapsed_change(text, answer)}."


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
    printed = text(ratio_printed(ratio, form))
    if form == "percent":
        return f"{printed} {'more' if ratio > 1 else 'less'}"
    return f"{printed} times as much" if form == "times" else f"{printed} as much"


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
    ELAPSED_CHANGE,
    part=CHANGE,
    of={
        "measured": "Summed over all jobs, elapsed time was {change} ({sides}).",
        "missing": "Whether the jobs took longer on {systems} is not known: {why}.",
    },
    headline={"measured": "{elapsed}"},
    detail={"measured": "Summed over all jobs: {sides}."},
    change=_elapsed_change,
    sides=_sides,
    elapsed=_headline,
    systems=lambda text, answer: " than on ".join(
        text(side.subject.label) for side in answer.sides
    ),
)
sentences(
    ELAPSED,
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
    CPU_RATIO,
    of={
        "measured": "On {label}, {ratio} was {number}.",
        "missing": "On {label}, {ratio} is not known: {why}.",
    },
    ratio=lambda _, answer: _RATIOS[answer.metric],
    number=lambda text, answer: text(_RATIO.show(answer.got.value)) + _range(text, answer, _RATIO),
)


@template(AT_ONCE, status="measured")
def _at_once(text: Text, answer: Answer) -> str:
    got, name = answer.got, text(answer.subject.label)
    if answer.metric == "concurrency_peak":
        of = text.many(got.n or 0, "run", "runs")
        most = text(_WHOLE.show(got.value))
        return f"On {name}, at most {most} jobs ran concurrently, over {of}."
    mean = text(_ONE.show(got.value))
    return (
        f"On {name}, an average of {mean} jobs ran concurrently over the span of a run"
        f"{_range(text, answer, _ONE)}."
    )


sentences(AT_ONCE, of={"missing": "How many jobs ran concurrently on {label} is not known: {why}."})


def _waiters(text: Text, answer: Answer) -> str:
    """The steps that waited: "12 of the steps of 1 s and longer on Flash"."""
    many = text.many(int(number(answer, "waiting")), "step", "steps")
    shortest = text(_SHORTEST.show(number(answer, "shortest")))
    return f"{_whose(text, answer)}{many} of {shortest} or longer"


def _whose(text: Text, answer: Answer) -> str:
    system = answer.subject.label
    return "" if system == ALL_LOGS else f"{text(system)}: "


sentences(
    WAITING_TIME,
    of={
        "measured >=": "{waiters} used less CPU time than elapsed time and waited for at least "
        "{time}, on storage or anything else."
    },
    headline={"measured >=": "{whose}{steps} waited for at least {time}."},
    detail={
        "measured >=": "Steps of {shortest} or longer that used less CPU time than elapsed time; "
        "they waited on storage or on anything else."
    },
    waiters=_waiters,
    time=lambda text, answer: time(text, answer.got.value),
    whose=_whose,
    steps=lambda text, answer: text.many(int(number(answer, "waiting")), "step", "steps"),
    shortest=lambda text, answer: text(_SHORTEST.show(number(answer, "shortest"))),
)
sentences(
    WAITING_STEPS,
    of={
        "measured": "{waiters} waited; blocks or the host's iowait are known for {known:count} of "
        "them, and show I/O for {on_io}.",
        "missing": "{waiters} waited; whether on I/O is not known: {why}.",
    },
    waiters=_waiters,
    on_io=lambda text, answer: text.count(answer.got.value) if answer.got.value else "none",
)

# --- logs without a job table --------------------------------------------------------------------

_SHARE = Format("%", significant=2)
_OR_MORE = {"=": "", ">=": "at least "}
_BOTH = ("=", ">=")
_TIMES = {"real_time_s": "elapsed time", "cpu_s": "CPU time"}


def time(text: Text, seconds: float) -> str:
    """An elapsed time in the unit in which people read it."""
    return text(elapsed_format(seconds).show(seconds))


def _of_all(text: Text, answer: Answer) -> str:
    """The share of all time; of known time alone where steps have none, and how many have none.

    Where most have none, a share of the rest is none of the work.
    """
    untimed, steps = (int(number(answer, name)) for name in ("untimed", "steps"))
    of = "known time" if untimed else "time of all steps"
    shares = [item.value for item in answer.conditions if item.metric == "share"]
    share = "".join(f", {text(_SHARE.show(share))} of the {of}" for share in shares)
    without = f"; no time is known for {text.count(untimed)} of {text.count(steps)} steps"
    return f"{share if 2 * untimed <= steps else ''}{without if untimed else ''}"


@template(TIME, status="measured", relation=_BOTH)
def _in_steps(text: Text, answer: Answer) -> str:
    least, took = _OR_MORE[answer.relation], time(text, answer.got.value)
    if answer.metric == "real_time_s":
        logs = text.many(int(number(answer, "logs")), "log", "logs")
        steps = text.many(int(number(answer, "steps")), "step", "steps")
        return f"In {logs}, {steps} took {least}{took} of elapsed time in all."
    shares = [item.value for item in answer.conditions if item.metric == "share"]
    of = "".join(
        f", {text(_SHARE.show(share))} of the elapsed time of the steps that print both"
        for share in shares
    )
    return f"The steps used {least}{took} of CPU time{of}."


@template(OUTSIDE, status="measured")
def _outside(text: Text, answer: Answer) -> str:
    sessions = text.many(int(number(answer, "sessions")), "session", "sessions")
    total, apart = time(text, number(answer, "total")), time(text, answer.got.value)
    if answer.metric == "outside_s":
        return (
            f"{sessions} of SAS with a printed total took {total}, of which {apart} passed outside "
            f"the steps, in starting SAS, macro code and pauses."
        )
    if answer.metric == "overlap_s":
        some = text.count(number(answer, "overlapping"))
        return f"In {some} of {sessions}, the steps add up to {apart} more than the total."
    return f"{sessions} of SAS with a printed total took {total}, the sum of their steps."


@template(LONGEST, status="measured")
def _longest(text: Text, answer: Answer) -> str:
    took, step = time(text, answer.got.value), text(answer.subject.label)
    known = " of known time" if number(answer, "untimed") else ""
    return f"The longest step{known}, {step}, took {took}{_of_all(text, answer)}."


@template(MOST_TIME, status="measured")
def _most(text: Text, answer: Answer) -> str:
    count = answer.estimate.n if answer.estimate else None
    steps = text.many(count or 0, "step", "steps")
    took = time(text, answer.got.value)
    name = text(answer.subject.label)
    most = "Most of the known time" if number(answer, "untimed") else "Most time"
    return f"{most} went to {name}: {steps} took {took}{_of_all(text, answer)}."


@template(MESSAGES, status="measured")
def _messages(text: Text, answer: Answer) -> str:
    every, holding = (int(number(answer, name)) for name in ("logs", "holding"))
    total = text.count(answer.got.value)
    if every == 1:
        found = f"{answer.metric} messages, {total} in all" if answer.got.value else ""
        return f"The log contains {found or f'no {answer.metric} messages'}."
    logs = text.many(every, "log", "logs")
    if not answer.got.value:
        return f"None of {logs} contains {answer.metric} messages."
    contain = "contains" if holding == 1 else "contain"
    return f"{text.count(holding)} of {logs} {contain} {answer.metric} messages, {total} in all."


@template(ROWS_WRITTEN, status="measured", relation=_BOTH)
def _written(text: Text, answer: Answer) -> str:
    notes = text.many(int(number(answer, "notes")), "note says", "notes say")
    rows = text.many(int(answer.got.value), "row was", "rows were")
    names = text.many(
        int(number(answer, "names")), "data set, table or file", "data sets, tables and files"
    )
    return f"{notes} that {_OR_MORE[answer.relation]}{rows} written to {names}."


@template(SAME_STEPS_CHANGE, part=CHANGE, status="measured")
def _same_steps_change(text: Text, answer: Answer) -> str:
    subject, against = answer.sides
    name, other = text(subject.subject.label), text(against.subject.label)
    ratio = answer.got.value
    form = form_of(ratio)
    printed = text(ratio_printed(ratio, form))
    if ratio == 1:
        change = f"as long in {name} as in {other}"
    elif form == "percent":
        change = f"{printed} {'longer' if ratio > 1 else 'less time'} in {name} than in {other}"
    else:
        times = f"{printed} times" if form == "times" else printed
        change = f"{times} as long in {name} as in {other}"
    steps = text.many(int(number(answer, "steps")), "step", "steps")
    logs = text.many(int(number(answer, "logs")), "log", "logs")
    values = f"{time(text, subject.got.value)} against {time(text, against.got.value)}"
    left = int(number(answer, "unknown"))
    lost = f"; {text.many(left, 'step', 'steps')} of unknown time left out" if left else ""
    once = "each measured once, so there is no interval"
    return f"The same {steps} of {logs} took {change} ({values}; {once}{lost})."


_NOT_KNOWN = {
    TIME: "How much {kind} the steps took",
    OUTSIDE: "How much time passed outside the steps",
    LONGEST: "Which step took longest",
    MOST_TIME: "Which kind of step took most time",
    ROWS_WRITTEN: "How many rows were written",
    SAME_STEPS: "How long the steps took in {label}",
}
for _question, _what in _NOT_KNOWN.items():
    sentences(
        _question,
        of={"missing": f"{_what} is not known: {{why}}."},
        kind=lambda _, answer: _TIMES[answer.metric],
    )
sentences(
    SAME_STEPS,
    of={"measured": "In {label} the steps took {time}."},
    time=lambda text, answer: time(text, answer.got.value),
)
sentences(
    SAME_STEPS_CHANGE,
    part=CHANGE,
    of={"missing": "Whether the same steps took longer in {names} is not known: {why}."},
    names=lambda text, answer: " than in ".join(text(side.subject.label) for side in answer.sides),
)
