"""The sentences on "is it storage?" of a series of AWR reports: reads and commits, by rules."""

from __future__ import annotations

from perfkit.analysis.awr.periods.storage import STORAGE, TOLD_OF_COMMITS
from perfkit.core.answers import Answer
from perfkit.showing.sentences import Text
from perfkit.showing.statements.awr_series import (
    interval,
    moved,
    named,
    quantity,
    upper,
    when,
    whose,
)
from perfkit.showing.statements.say import Template, filled, template
from perfkit.showing.statements.words import has, number, why

_OUTCOMES = {
    ("reads", "yes"): "reads point to storage, or the path to it, as the cause",
    ("reads", "contributor"): "reads point to storage, or the path to it, as a contributor",
    ("reads", "no"): "reads do not point to storage",
    ("commits", "yes"): "commits point to the log's writes as the cause",
    ("commits", "contributor"): "commits point to the log's writes as a contributor",
    ("commits", "no"): "commits do not point to the log's writes",
}

_SYNC = "log_file_sync_s"
_NO_CHANGE = "in the other periods, which shows no change"
_LOG = "log file parallel write took {log}, and {usual_log} " + _NO_CHANGE
_RULES = {
    ("reads", "little"): "User I/O was {share} of DB time{took}",
    ("reads", "over"): "User I/O was {share} of DB time; {event} took {value}, over the limit of "
    "{limit}",
    ("reads", "slower"): "User I/O was {share} of DB time; {moved}",
    ("reads", "same"): "User I/O was {share} of DB time; {event} took {value}, and {usual} "
    + _NO_CHANGE,
    ("reads", "within"): "User I/O was {share} of DB time; {event} took {value}, within the limit "
    "of {limit}",
    ("commits", "little"): "Commits were {share} of DB time{took}",
    ("commits", "slower"): "Commits were {share} of DB time; {write}{sync}",
    ("commits", "inside"): "Commits were {share} of DB time; " + _LOG + ", but adds up to {busy} "
    "of the time{others}",
    ("commits", "full"): "Commits were {share} of DB time; log file parallel write took {log}, "
    "which adds up to {busy} of the time; there are no other periods to compare it with",
    ("commits", "same"): "Commits were {share} of DB time; " + _LOG + "{others}",
}  # fmt: skip


def _of(name: str, unit: str) -> Template:
    return lambda text, answer: quantity(text, number(answer, name), unit)


def _took(text: Text, answer: Answer) -> str:
    """How long the waits of little time were: that tells whether they were slow all the same."""
    event = str(answer.subject.get("event") or "a read")
    waits = {
        "read_wait_s": event,
        "log_file_sync_s": "log file sync",
        "log_file_parallel_write_s": "log file parallel write",
    }
    told = [
        f"{text(name)} took {quantity(text, number(answer, key), 's')}"
        for key, name in waits.items()
        if has(answer, key)
    ]
    return f"; {', '.join(told)}" if told else ""


def _others(text: Text, answer: Answer) -> str:
    """What moved where the log's writes did not."""
    ways = dict(named(answer, "way"))
    told = [
        moved(text, answer, name)
        for name in TOLD_OF_COMMITS
        if ways.get(name) and name != "log_writer_busy_ratio"
    ]
    if has(answer, "transport"):
        took, usual = (
            quantity(text, number(answer, name), "1") if has(answer, name) else None
            for name in ("transport", "usual transport")
        )
        instead = f" instead of {usual}" if usual else ""
        told.append(f"sending redo to a standby took {took} sessions{instead}")
    return f". What moved: {', '.join(told)}" if told else ""


_PLACES: dict[str, Template] = {
    "share": lambda text, answer: quantity(text, answer.got.value, "ratio"),
    "value": _of("read_wait_s", "s"),
    "usual": _of("usual read_wait_s", "s"),
    "limit": _of("limit", "s"),
    "moved": lambda text, answer: moved(text, answer, "read_wait_s"),
    "write": lambda text, answer: moved(text, answer, "log_file_parallel_write_s"),
    "event": lambda text, answer: text(str(answer.subject.get("event") or "a read")),
    "sync": lambda text, answer: (
        f", {moved(text, answer, _SYNC)}" if has(answer, f"usual {_SYNC}") else ""
    ),
    "log": _of("log_file_parallel_write_s", "s"),
    "usual_log": _of("usual log_file_parallel_write_s", "s"),
    "busy": _of("log_writer_busy_ratio", "ratio"),
    "others": _others,
    "took": _took,
}
"""What the words of a rule may take; made when it asks for them."""


@template(STORAGE, part="headline", status="measured")
def _outcome(text: Text, answer: Answer) -> str:
    words = _OUTCOMES[answer.metric, str(answer.subject.get("outcome"))]
    return f"{whose(text, answer)}, {words}."


@template(STORAGE, part="panel", status="measured")
def _in_short(text: Text, answer: Answer) -> str:
    outcome = _SHORT[str(answer.subject.get("outcome"))]
    return f"{text(answer.subject.label)}, {answer.metric}: {outcome}."


_SHORT = {
    "yes": "it is the cause",
    "contributor": "a contributor",
    "no": "not shown to be the cause",
}


@template(STORAGE, part="panel detail", status="measured")
def _in_panel(text: Text, answer: Answer) -> str:
    """The interval and the rule; what else moved stands in the chapter: a panel is narrow."""
    rule = _RULES[answer.metric, str(answer.subject.get("rule"))].replace("{others}", "")
    said = filled(rule, _PLACES)(text, answer)
    return f"{upper(when(text, answer))}: {said}.{_also(text, answer)}"


@template(STORAGE, part="detail", status="measured")
def _reasons(text: Text, answer: Answer) -> str:
    rule = _RULES[answer.metric, str(answer.subject.get("rule"))]
    return f"{upper(filled(rule, _PLACES)(text, answer))}.{_also(text, answer)}"


def _also(text: Text, answer: Answer) -> str:
    """The other times at which storage is the cause or a contributor."""
    given = answer.subject.get("also")
    if not given:
        return ""
    times = [interval(text, *one.split("/")) for one in given.split(";")]
    return f" Storage is also the cause or a contributor {' and '.join(times)}."


@template(STORAGE, status="measured")
def _storage(text: Text, answer: Answer) -> str:
    return f"{_outcome(text, answer)} {_reasons(text, answer)}"


@template(STORAGE, status="not_judged")
def _not_judged(text: Text, answer: Answer) -> str:
    took = _took(text, answer) if answer.metric == "reads" else ""
    return (
        f"Whether {answer.metric} of {text(answer.subject.label)} waited for storage "
        f"{when(text, answer)} is not judged: {why(text, answer)}{took}."
    )
