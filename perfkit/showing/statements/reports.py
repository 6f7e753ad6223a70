"""The sentences of AWR and Statspack reports: two of them side by side, and a wait as latency.

The grammar, one line a sentence. M is a quantity with its article, A and B its values in the
earlier and the later report, or "not known"; CHANGE is "no change", "N% higher", "N% lower", "N
times as much" (from twice on) or "N% of it" (up to a tenth); WHY a reason of ``report_pair``.

report_change
    measured         M went from A to B: CHANGE.
    missing          M: A before, B after; no change is given: WHY.
report_spread
    missing          Before: NAME; after: NAME. [The two were measured under different conditions:
                     FACTS.] [Their periods overlap: neither is before the other.] One report each:
                     no interval. How far two ordinary periods of this database lie apart is not in
                     two reports, so that none of this is shown to be more than that.
event_latency
    measured         Read latency is the mean wait for EVENT as the database saw it, transport
                     included: of the foreground sessions of N of M reports.
    missing          No report gives a mean wait for EVENT: there is no read latency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.compare.printing import form_of, ratio_printed
from perfkit.analysis.compare.report_changes import CHANGE as REPORT_CHANGE
from perfkit.analysis.compare.report_changes import (
    READS_OF_ONE,
    SESSIONS_METRIC,
    SPREAD,
    TRANSACTIONS,
    VALUE,
    WAITING,
)
from perfkit.analysis.curves.event_latency import EVENT_LATENCY, event_latency
from perfkit.core.units import Format
from perfkit.showing.statements.say import CHANGE, say, template

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.core.lineage import Measured
    from perfkit.core.values import Statement
    from perfkit.showing.sentences import Text

_COUNTS = {
    SESSIONS_METRIC: (Format("1", decimals=2), ""),
    TRANSACTIONS: (Format("1", significant=3), " per second"),
    READS_OF_ONE: (Format("1", significant=3), ""),
    WAITING: (Format("1", significant=3), ""),
}
"""Metrics of a load: how their numbers are printed, and of what they are."""

_NOUNS = {
    "iops": "The I/O rate",
    "bw_bytes_per_s": "The throughput",
    "cpu_busy_ratio": "The hosts' busy CPU share",
    SESSIONS_METRIC: "The average of active sessions",
    TRANSACTIONS: "The transaction rate",
    READS_OF_ONE: "The number of read requests per transaction",
}


def _noun(text: Text, answer: Answer) -> str:
    event = answer.subject.get("event")
    if answer.metric == WAITING:
        return f"The average of sessions waiting for {text(event or '')}"
    return f"The mean wait of {text(event)}" if event else _NOUNS[answer.metric]


def _value(text: Text, answer: Answer) -> str:
    if answer.estimate is None:
        return "not known"
    if answer.metric in _COUNTS:
        form, of = _COUNTS[answer.metric]
        return f"{text(form.show(answer.estimate.value))}{of}"
    return text.value(answer.metric, answer.estimate.value)


def change(text: Text, ratio: float) -> str:
    """A ratio later / earlier in words."""
    if ratio == 1:
        return "no change"
    form = form_of(ratio)
    number = text(ratio_printed(ratio, form))
    if form == "percent":
        return f"{number} {'higher' if ratio > 1 else 'lower'}"
    return f"{number} times as much" if form == "times" else f"{number} of it"


@template(f"{CHANGE} {REPORT_CHANGE.name}", status="measured")
def _change(text: Text, answer: Answer) -> str:
    after, before = answer.sides
    values = f"from {_value(text, before)} to {_value(text, after)}"
    return f"{_noun(text, answer)} went {values}: {change(text, answer.got.value)}."


@template(f"{CHANGE} {REPORT_CHANGE.name}", status="missing")
def _no_change(text: Text, answer: Answer) -> str:
    after, before = answer.sides
    values = f"{_value(text, before)} before, {_value(text, after)} after"
    return f"{_noun(text, answer)}: {values}; no change is given: {text(answer.reason or '')}."


@template(VALUE.name, status="measured")
def _one(text: Text, answer: Answer) -> str:
    return f"{_noun(text, answer)} was {_value(text, answer)} in {text(answer.subject.label)}."


@template(VALUE.name, status="missing")
def _none(text: Text, answer: Answer) -> str:
    return f"{_noun(text, answer)} is not known of {text(answer.subject.label)}."


@template(SPREAD.name, status="missing")
def _one_spread(text: Text, answer: Answer) -> str:
    return f"{text(answer.subject.label)} is one report: no interval."


@template(f"{CHANGE} {SPREAD.name}", status="missing")
def _spread(text: Text, answer: Answer) -> str:
    after, before = (text(side.subject.label) for side in answer.sides)
    told = [f"{text(item.text[:1].upper() + item.text[1:])}." for item in answer.cautions]
    return " ".join([
        f"Before: {before}; after: {after}.", *told,
        "One report each: no interval. How far two ordinary periods of this database lie apart is "
        "not in two reports, so that none of this is shown to be more than that.",
    ])  # fmt: skip


@template(EVENT_LATENCY.name, status="measured")
def _event_latency(text: Text, answer: Answer) -> str:
    got, every = answer.got.value, answer.got.n or 0
    of = text.many(every, "report", "reports")
    count = of if got == every else f"{text.count(got)} of {of}"
    return (
        f"Read latency is the mean wait for {text(answer.subject.label)} as the database saw it, "
        f"transport included: of the foreground sessions of {count}."
    )


@template(EVENT_LATENCY.name, status="missing")
def _no_event_latency(text: Text, answer: Answer) -> str:
    event = text(answer.subject.label)
    return f"No report gives a mean wait for {event}: there is no read latency."


def say_event_latency(points: Measured) -> list[Statement]:
    """What the read latency of the load points is; nothing where it is not of a wait event."""
    return list(say(event_latency(points))) if "latency_event" in points.frame.columns else []
