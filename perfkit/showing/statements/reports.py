"""The sentences of AWR and Statspack reports: two of them side by side, and a wait as latency.

A change is "no change", "N% higher", "N% lower", "N times as much" (from twice on) or "N% of it"
(up to a tenth).
"""

from __future__ import annotations

from functools import partial

from perfkit.analysis.compare.printing import form_of, ratio_printed
from perfkit.analysis.compare.report_changes import CHANGE as REPORT_CHANGE
from perfkit.analysis.compare.report_changes import (
    DB_TIME_PER_LOAD,
    DIFFERENCE,
    PER_LOAD,
    READS_OF_ONE,
    SESSIONS_METRIC,
    SPREAD,
    STORAGE,
    STORAGE_WAITING,
    TRANSACTIONS,
    VALUE,
    WAITING,
)
from perfkit.analysis.curves.event_latency import EVENT_LATENCY, event_latency
from perfkit.core.answers import Answer
from perfkit.core.lineage import Measured
from perfkit.core.units import Format
from perfkit.core.values import Statement
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import CHANGE, Template, say, sentences, template
from perfkit.showing.statements.words import number

_COUNTS = {
    SESSIONS_METRIC: (Format("1", decimals=2), ""),
    TRANSACTIONS: (Format("1", significant=3), " per second"),
    READS_OF_ONE: (Format("1", significant=3), ""),
    WAITING: (Format("1", significant=3), ""),
    STORAGE_WAITING: (Format("1", significant=3), ""),
}
"""Metrics of a load: how their numbers are printed, and of what they are."""

_NOUNS = {
    "iops": "The I/O rate",
    "bw_bytes_per_s": "The throughput",
    "cpu_busy_ratio": "The hosts' busy CPU share",
    SESSIONS_METRIC: "The average number of active sessions",
    TRANSACTIONS: "The transaction rate",
    READS_OF_ONE: "The number of read requests per transaction",
    STORAGE_WAITING: "The average number of sessions waiting for I/O or commits",
}
_RATE, _NONE = Format("1", significant=3), Format("1", decimals=0)


def _noun(text: Text, answer: Answer) -> str:
    event = answer.subject.get("event")
    if answer.metric == WAITING:
        return f"The average number of sessions waiting for {text(event or '')}"
    if answer.metric == DB_TIME_PER_LOAD:
        return f"DB time per {text(answer.subject.get('one') or 'unit of load')}"
    return f"The mean wait of {text(event)}" if event else _NOUNS[answer.metric]


def quantity_of(answer: Answer) -> str:
    """What a change is of, without its article, for a table."""
    noun = _alone(_noun, answer).removeprefix("The ")
    return noun[:1].upper() + noun[1:]


def value_of(answer: Answer) -> str:
    """One side of a change as it stands in sentences, for a table."""
    return _alone(_value, answer)


def _alone(words: Template, answer: Answer) -> str:
    text = Text()
    return text.done("x", [words(text, answer)]).text


def _value(text: Text, answer: Answer) -> str:
    if answer.estimate is None:
        return "not known"
    value = answer.estimate.value
    if answer.metric == DB_TIME_PER_LOAD:
        return text.value("lat_mean_s", value)
    if answer.metric in _COUNTS:
        form, of = _COUNTS[answer.metric]
        return (
            f"{text(form.show(value))}{of}"
            if value
            else f"{text(_NONE.show(value))}{of} as printed"
        )
    return text.value(answer.metric, value)


def change(text: Text, ratio: float) -> str:
    """A ratio later / earlier in words."""
    if ratio == 1:
        return "no change"
    form = form_of(ratio)
    number = text(ratio_printed(ratio, form))
    if form == "percent":
        return f"{number} {'higher' if ratio > 1 else 'lower'}"
    return f"{number} times as much" if form == "times" else f"{number} of it"


_sentences = partial(
    sentences,
    noun=_noun,
    before=lambda text, answer: _value(text, answer.sides[1]),
    after=lambda text, answer: _value(text, answer.sides[0]),
    change=lambda text, answer: change(text, answer.got.value),
    why=lambda text, answer: text(answer.reason or ""),
)

_sentences(
    REPORT_CHANGE,
    part=CHANGE,
    of={
        "measured": "{noun} went from {before} to {after}: {change}.",
        "missing": "{noun}: {before} before, {after} after; no change is given: {why}.",
    },
)
_sentences(
    DIFFERENCE,
    part=CHANGE,
    of={"measured": "{noun} went from {before} to {after}; no ratio is given: {why}."},
    headline={"measured": "{noun} went from {before} to {after}."},
    detail={"measured": "No ratio is given: {why}."},
)


def _rate(name: str) -> Template:
    return lambda text, answer: text(_RATE.show(number(answer, name)))


_DB_TIME = "{noun} went from {before} to {after}: {change}."
_LOAD = "The load went from {load_before} to {load_after} {many} per second: {load_change}{passed}."
_per_load = partial(
    _sentences,
    load_before=_rate("load_before"),
    load_after=_rate("load_after"),
    many=lambda text, answer: text(str(answer.subject.get("many"))),
    load_change=lambda text, answer: change(text, number(answer, "load_ratio")),
    passed=lambda text, answer: f" ({text(answer.reason)})" if answer.reason else "",
)
_per_load(
    PER_LOAD,
    part=CHANGE,
    of={"measured": f"{_DB_TIME} {_LOAD}"},
    headline={"measured": _DB_TIME},
    detail={"measured": _LOAD},
)

_ALIKE = "no change beyond the rounding of the printed figures"


def _outcome(text: Text, answer: Answer) -> str:
    """How a mean wait changed: "2.2% longer", "3.1 times as long"."""
    if answer.subject.get("outcome") == "same":
        return _ALIKE
    ratio = answer.got.value
    form = form_of(ratio)
    said = text(ratio_printed(ratio, form))
    words = {"times": "times as long", "share": "of the time"}
    return f"{said} {words.get(form) or answer.subject.get('outcome')}"


_OF_STORAGE = "{event}: {before} before, {after} after"
_storage = partial(
    _sentences,
    outcome=_outcome,
    metric_of=lambda _, answer: answer.metric,
    which=lambda _, answer: f"{answer.metric[:1].upper()}{answer.metric[1:]}",
    event=lambda text, answer: text(str(answer.subject.get("event"))),
)
_storage(
    STORAGE,
    part=CHANGE,
    of={
        "measured": "{which}: {outcome}. Mean wait of " + _OF_STORAGE + ".",
        "missing": "Whether {metric_of} took longer is not known: " + _OF_STORAGE + "; {why}.",
    },
)
_storage(STORAGE, part=f"panel {CHANGE}", of={"measured": "{which}: {outcome}."})
_storage(
    STORAGE,
    part=f"panel detail {CHANGE}",
    of={
        "measured": _OF_STORAGE + ". With one report each, it is not known whether that is more "
        "than an ordinary spread."
    },
)


_sentences(
    VALUE,
    of={
        "measured": "{noun} was {shown} in {label}.",
        "missing": "{noun} is not known of {label}.",
    },
    shown=_value,
)
sentences(SPREAD, of={"missing": "{label} is one report: no interval."})


@template(SPREAD, part=CHANGE, status="missing")
def _spread(text: Text, answer: Answer) -> str:
    after, before = (text(side.subject.label) for side in answer.sides)
    told = [f"{text(item.text[:1].upper() + item.text[1:])}." for item in answer.cautions]
    return " ".join(
        [
            f"Before: {before}; after: {after}.",
            *told,
            "One report each: no interval. Two reports do not show how much two ordinary periods "
            "of this database differ, so no change here is shown to be more than that.",
        ]
    )


@template(EVENT_LATENCY, status="measured")
def _event_latency(text: Text, answer: Answer) -> str:
    got, every = answer.got.value, answer.got.n or 0
    of = text.many(every, "report", "reports")
    count = of if got == every else f"{text.count(got)} of {of}"
    return (
        f"Read latency is the mean wait for {text(answer.subject.label)} as the database saw it, "
        f"transport included, over the foreground sessions of {count}."
    )


sentences(
    EVENT_LATENCY,
    of={"missing": "No report gives a mean wait for {label}: there is no read latency."},
)


def say_event_latency(points: Measured) -> list[Statement]:
    """What the read latency of the load points is; nothing where it is not of a wait event."""
    return list(say(event_latency(points))) if "latency_event" in points.frame.columns else []
