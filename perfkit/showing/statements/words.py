"""Words that the sentences of answers share: who, a quantity, a load, an interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import (
    METRICS,
    exact_printed,
    metric_of,
    printed,
    within_printed,
)
from perfkit.analysis.curves.questions import LOWEST_LATENCY, MOST_IOPS_WITHIN_LATENCY, PEAK_IOPS
from perfkit.core.answers import Answer, Condition
from perfkit.core.units import UNITS, Format

if TYPE_CHECKING:
    from perfkit.showing.sentences import Text

ONE_REPEAT, TWO_REPEATS = 1, 2
CPU = "cpu_busy_ratio"

_ONLY = {"read": "reads only", "write": "writes only", "trim": "trims only"}


def who(text: Text, answer: Answer) -> str:
    """The series by its name, and the direction where it is one alone and the name lacks it."""
    label, direction = answer.subject.label, answer.subject.get("direction")
    only = _ONLY.get(direction or "total")
    if only is None or label == direction or label.endswith(f", {direction}"):
        return text(label)
    return f"{text(label)} ({only})"


def name(answer: Answer, metric: str) -> str:
    """A metric in the middle of a sentence: mean latency, IOPS, host CPU busy share."""
    if metric == CPU:
        return "host CPU busy share"
    if metric_of(metric).quantity == "rate":
        return metric_of(metric).phrase()
    return metric_of(metric).phrase(answer.subject.get("direction") or "total")


def quantity(text: Text, answer: Answer, metric: str, number: str) -> str:
    """A number with the name of what it is of: a mean latency of 1 ms; of IOPS the unit says it."""
    if METRICS[metric].quantity == "rate":
        return number
    return f"{text.a(name(answer, metric))} of {number}"


def class_waits(text: Text, wait_class: str) -> str:
    """The waits of a class, as a sentence begins; those of class Other are not all other waits."""
    name = text(wait_class)
    return f"Waits of class {name}" if wait_class == "Other" else f"{name} waits"


def load(text: Text, condition: Condition) -> str:
    """A load in words."""
    return text.load(condition.metric, condition.value)


def asked(text: Text, answer: Answer, condition: Condition) -> str:
    """The value asked at: exact."""
    if condition.metric not in METRICS:
        return load(text, condition)
    number = text(exact_printed(condition.metric, condition.value))
    return quantity(text, answer, condition.metric, number)


def found(text: Text, answer: Answer, metric: str) -> str:
    """What else was found at the load point, if it was: ", with a mean latency of 1.00 ms"."""
    here = where(answer, metric)
    if here is None:
        return ""
    limit = next((c for c in answer.conditions if c.role == "limit"), None)
    number = printed(metric, here.value)
    if limit is not None and limit.metric == metric:
        number = within_printed(metric, here.value, limit.value)
    return f", with {quantity(text, answer, metric, text(number))}"


def estimate(text: Text, answer: Answer) -> str:
    """The estimate as a quantity, with its interval."""
    return quantity(text, answer, answer.metric, value(text, answer))


def value(text: Text, answer: Answer) -> str:
    """The estimate as a number with its interval."""
    return text.value(answer.metric, answer.got.value) + interval(text, answer)


_WITHOUT = {
    "one_repeat": " (no interval: another load point was measured once)",
    "no_spread": " (no interval: {n} repeats that do not differ)",
    "repeat_unanswered": " (no interval: not each of {n} repeats has an answer)",
    "zero_value": " (no interval: a repeat has the value zero)",
    "interval_too_wide": " (no interval: {n} repeats that differ too much)",
}


def interval(text: Text, answer: Answer) -> str:
    """The interval in brackets, in the unit of the estimate, or why there is none."""
    got = answer.estimate
    if got is None or got.n is None:
        return ""
    if got.low is None:
        if got.n == ONE_REPEAT:
            return " (one repeat, so no interval)"
        reasons = [_WITHOUT[item.name] for item in answer.cautions if item.name in _WITHOUT]
        return reasons[0].format(n=text.count(got.n)) if reasons else ""
    low, high = (_bare(text, answer, end) for end in (got.low, got.high))
    only = "only " if got.n == TWO_REPEATS else ""
    share, whose = text(Format("%").show(got.level)), _CHOSEN.get(answer.question, "")
    return f" ({share} interval {low} to {high}, over {only}{text.count(got.n)} repeats{whose})"


_CHOSEN = {
    PEAK_IOPS.name: ", for the highest of all loads",
    MOST_IOPS_WITHIN_LATENCY.name: ", for the highest of the loads within",
    LOWEST_LATENCY.name: ", for the lowest of all loads",
}
"""Whose interval it is where the answer is the best of several loads: a load point by itself has
another one."""


def _bare(text: Text, answer: Answer, end: float | None) -> str:
    """An end of the interval in the unit of the estimate before it: 465K of 473K IOPS."""
    unit = printed(answer.metric, answer.got.value).unit
    form = Format(unit, significant=3)
    return text(replace(form.show(end), text=f"{form.number(end)}{UNITS[unit].glued}"))


def where(answer: Answer, metric: str) -> Condition | None:
    """What the load point found has of a metric; None where that is not known."""
    return next((c for c in answer.conditions if c.role == "where" and c.metric == metric), None)


def load_found(answer: Answer) -> Condition:
    """The load of the load point found."""
    return next(c for c in answer.conditions if c.role == "where" and c.metric not in METRICS)


def asked_at(answer: Answer) -> Condition:
    """The condition that was asked at."""
    return next(c for c in answer.conditions if c.role in {"at", "limit"})


def first_caution(answer: Answer, *names: str) -> str | None:
    """The first of its cautions that is one of these, by name."""
    return next((item.name for item in answer.cautions if item.name in names), None)


def why(text: Text, answer: Answer) -> str:
    """The reason why there is no estimate."""
    return text(answer.reason or "a value is missing")


def number(answer: Answer, name: str, *, role: str | None = None) -> float:
    """A number of an answer: of its estimate (value, low, high), else of a condition it has."""
    if name in {"value", "low", "high"}:
        of_estimate: float = getattr(answer.got, name)
        return of_estimate
    return next(c.value for c in answer.conditions if c.metric == name and role in {None, c.role})


def has(answer: Answer, name: str) -> bool:
    """Whether a condition of this metric is known."""
    return any(item.metric == name for item in answer.conditions)


def also(metric: str) -> Callable[[Text, Answer], str]:
    """``found`` as a place of patterns."""
    return lambda text, answer: found(text, answer, metric)


PLACES: dict[str, Callable[[Text, Answer], str]] = {
    "who": who,
    "label": lambda text, answer: text(answer.subject.label),
    "metric": lambda text, answer: text(name(answer, answer.metric)),
    "value": value,
    "estimate": estimate,
    "number": lambda text, answer: text.value(answer.metric, answer.got.value),
    "asked": lambda text, answer: asked(text, answer, asked_at(answer)),
    "load": lambda text, answer: load(text, load_found(answer)),
    "with_iops": also("iops"),
    "with_latency": also("lat_mean_s"),
    "why": why,
}
"""What a pattern's names stand for."""

FORMS = {
    "count": Format("1", decimals=0),
    "share": Format("%"),
    "percent": Format("%", significant=2),
    "moved": Format("%", significant=2, sign=True),
    "percent_3": Format("%", significant=3),
    "moved_3": Format("%", significant=3, sign=True),
    "seconds": Format("s", significant=3),
    "moved_seconds": Format("s", significant=3, sign=True),
    "iops": Format("IOPS", decimals=0),
    "moved_iops": Format("IOPS", decimals=0, sign=True),
}
"""The forms of a pattern's numbers."""
