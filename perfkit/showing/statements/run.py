"""The sentences about how a sweep was measured."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from perfkit.analysis.curves.metrics import (
    METRICS,
    exact_printed,
    metric_of,
    workload_name,
)
from perfkit.analysis.curves.series import require_rows
from perfkit.analysis.over_time.beside import LARGEST_BACKLOG, OBSERVER_CLOCK
from perfkit.analysis.over_time.cycles import LONGEST_DRAIN
from perfkit.analysis.over_time.drift import CONTROL_SPREAD, DRIFT
from perfkit.analysis.over_time.pauses import DEGRADED_LEVEL, IO_PAUSE, TIME_TO_LEVEL
from perfkit.analysis.over_time.prepared import VERIFIED_BYTES, WARM_UP_ROUNDS, WRONG_BLOCK
from perfkit.analysis.over_time.pts import PTS_PARTS, PTS_ROUNDS
from perfkit.analysis.over_time.stalls import STALLED_POINTS
from perfkit.analysis.over_time.steadiness import (
    CONFIDENCE,
    HOST_BALANCE,
    STEADY_BY_CHANCE,
    STEADY_STATE,
    STEADY_TREND,
)
from perfkit.core.answers import Answer
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format, format_size
from perfkit.core.values import Statement
from perfkit.showing.sentences import Text
from perfkit.showing.statements import say
from perfkit.showing.statements.recorded import range_of
from perfkit.showing.statements.words import FORMS, has, number

_FACTS = frozenset({
    "factor", "limit", "repeat", "watched_s", "slow_s", "without_io_s", "controls", "lowest",
    "highest", "chance", "hosts", "cycles", "cycles_planned", "drain_shortest_s",
    "series_interval_s", "pause_begin_s", "event_s", "at_s", "behind_ios", "level_before",
    "level_share", "level_between",
})  # fmt: skip
"""Conditions that are not the load."""


def load(text: Text, answer: Answer) -> str:
    """The load, where the answer has one, with the repeat."""
    found = next((item for item in answer.conditions if item.metric not in _FACTS), None)
    if found is None:
        return ""
    after = f", repeat {text.count(number(answer, 'repeat'))}" if has(answer, "repeat") else ""
    return f"{text.load(found.metric, found.value)}{after}"


def _at_load(text: Text, answer: Answer) -> str:
    at = load(text, answer)
    return f" at {at}" if at else ""


def _interval(text: Text, answer: Answer) -> str:
    got = answer.got
    low, high = text(FORMS["moved"].show(got.low)), text(FORMS["moved"].show(got.high))
    level = text(Format("%", decimals=0 if got.level == CONFIDENCE else 1).show(got.level))
    return f" ({level} interval {low} to {high})"


def _iops(text: Text, answer: Answer, name: str) -> str:
    return text.value("iops", number(answer, name))


sentences = partial(say.sentences, load=load, at_load=_at_load, interval=_interval)
"""With the words for the load that a run was at."""

# --- stalls -----------------------------------------------------------------------------------


def _worst(text: Text, answer: Answer) -> str:
    where = load(text, answer)
    if not where:
        return ""
    slow, watched, *still = (
        text(FORMS["seconds"].show(number(answer, name)))
        for name in ("slow_s", "watched_s", "without_io_s")
        if has(answer, name)
    )
    without = f", without I/O for up to {still[0]}" if still else ""
    return f" The worst was {where}: slow for {slow} of {watched}{without}."


sentences(
    STALLED_POINTS,
    of={
        "measured": "{value:count} of {points} of {label} stalled: they did no I/O for a time, or "
        "were {factor} times slower than the best rate or latency that they kept up.{worst}",
        "not_judged": "Whether {label} stalled is not known: {why}.",
    },
    points=lambda text, answer: text.many(answer.got.n or 0, "point", "points"),
    factor=lambda text, answer: text(exact_printed("factor", number(answer, "factor"))),
    worst=_worst,
)

# --- pauses -----------------------------------------------------------------------------------


def _since(text: Text, answer: Answer) -> str:
    """From where a time counts: a pause, or an event."""
    if not has(answer, "event_s"):
        return "that pause began"
    return f"the event at {text(FORMS['seconds'].show(number(answer, 'event_s')))}"


of_pauses = partial(
    sentences,
    before=partial(_iops, name="level_before"),
    between=partial(_iops, name="level_between"),
    points=lambda text, answer: text.many(answer.got.n or 0, "point", "points"),
    since=_since,
)
of_pauses(
    IO_PAUSE,
    of={
        "measured": "The longest pause of {label} was at {load}: from {pause_begin_s:seconds} on, "
        "no I/O completed for {value:seconds} (between {low:seconds} and {high:seconds}, by "
        "intervals of {series_interval_s:seconds}).",
        "measured <=": "No pause shows in {points} of {label}; one longer than {value:seconds} "
        "would.",
        "missing": "Whether {label} paused is not known: {why}.",
    },
)
of_pauses(
    TIME_TO_LEVEL,
    of={
        "measured": "{value:seconds} after {since}, {label} was back at {level_share:share} of the "
        "{before} that it did before.",
        "measured >=": "When the point ended, {value:seconds} after {since}, {label} was not back "
        "at {level_share:share} of the {before} that it did before.",
        "missing": "How long {label} took to be back at its level is not known: {why}.",
    },
)
of_pauses(
    DEGRADED_LEVEL,
    of={
        "measured": "Until then {label} did {between}, {value:percent} of what it did before.",
        "missing": "What {label} did until then is not known: {why}.",
    },
)

sentences(
    LARGEST_BACKLOG,
    of={
        "measured": "{label} was up to {value:seconds} behind its schedule: at {load}, "
        "{at_s:seconds} after the measurement began, {behind_ios:count} I/Os were due and not "
        "done. No latency includes how long they waited, as latency counts from the issue of an "
        "I/O.",
        "missing": "How far {label} was behind its schedule is not known: {why}.",
    },
)
sentences(
    OBSERVER_CLOCK,
    of={
        "measured": "The clock of {label} stood at {value:moved_seconds} relative to this host's "
        "({low:moved_seconds} to {high:moved_seconds} over {readings}).",
        "missing": "How far the clock of {label} is from this host's is not known: {why}.",
    },
    readings=lambda text, answer: text.many(answer.got.n or 0, "reading", "readings"),
)

# --- drift ------------------------------------------------------------------------------------

sentences(
    DRIFT,
    of={
        "measured": "From the first to the last of {controls:count} control points at {load}, the "
        "IOPS of {label} moved by {value:moved}{interval}: more than the spread of repeats "
        "explains.",
        "measured <=": "From the first to the last of {controls:count} control points at {load}, "
        "the IOPS of {label} show no trend: they moved by at most "
        "{value:percent}{interval}.",
        "missing": "The drift of {label}{at_load} is not known: {why}.",
    },
)
sentences(
    CONTROL_SPREAD,
    of={
        "measured": "The {controls:count} control points of {label} at {load} gave {range}: "
        "the lowest is {value:percent} below the highest, and the spread of repeats "
        "explains up to {chance:percent}.",
        "measured <=": "The {controls:count} control points of {label} at {load} gave {range}, "
        "which the spread of repeats explains (up to {chance:percent}): the lowest is "
        "at most {value:percent} below the highest.",
        "missing": "How far apart the control points of {label}{at_load} lie is not known: {why}.",
    },
    range=range_of,
)

# --- drain cycles -----------------------------------------------------------------------------


def _planned(text: Text, answer: Answer) -> str:
    drains = text.many(int(number(answer, "cycles_planned")), "drain", "drains")
    return f"{drains} of {text(workload_name(answer.subject.label))}"


def longest(text: Text, answer: Answer) -> str:
    """The longest drain."""
    return text.value("drain_longest_s", answer.got.value)


sentences(
    LONGEST_DRAIN,
    of={
        "measured": "At {load}, {cycles:count} of {planned} were completed, the longest in "
        "{longest}.",
        "measured >=": "At {load}, {cycles:count} of {planned} were completed, the longest of "
        "these in {longest}: {why}.",
        "missing": "At {load}, none of {planned} was completed.",
    },
    headline={
        "measured": "At {load}, the longest of {cycles:count} drains took {longest}.",
        "measured >=": "At {load}, the longest drain took at least {longest}.",
    },
    planned=_planned,
    longest=longest,
    load=load,
)

# --- hosts ------------------------------------------------------------------------------------


@say.template(HOST_BALANCE, status="measured")
def _balance(text: Text, answer: Answer) -> str:
    slowest, fastest = answer.sides
    count = text.count(number(answer, "hosts"))
    low, high = (text.value("iops", side.got.value) for side in (slowest, fastest))
    return (
        f"Of {count} hosts, the slowest, {text(slowest.subject.label)}, gave {low}, "
        f"{text(FORMS['percent'].show(answer.got.value))} of the {high} of the fastest, "
        f"{text(fastest.subject.label)}, where they differed most, at {load(text, answer)}."
    )


sentences(
    HOST_BALANCE,
    of=dict.fromkeys(
        ("missing", "not_judged"), "How far apart the hosts of {label} lie is not known: {why}."
    ),
)

# --- steady state -----------------------------------------------------------------------------

of_rounds = partial(
    sentences,
    metric=lambda text, answer: text(metric_of(answer.metric).phrase()),
    its=lambda _, answer: "their" if METRICS[answer.metric].quantity == "rate" else "its",
)
_RULE = (
    "By the SNIA rule {label} %s steady after {rounds:count} rounds: in the last five the {metric} "
    "moved by {range_ratio:percent} of {its} mean (limit {range_most:percent}) and {its} best-fit "
    "line by {slope_ratio:percent} (limit {slope_most:percent})."
)
of_rounds(
    STEADY_STATE,
    of={
        "measured": _RULE % "was",
        "not_reached": _RULE % "was not",
        "missing": "Whether {label} was steady is not known: {why}.",
    },
)
sentences(
    PTS_PARTS,
    of={
        "measured": "The run kept {value:count} of {parts} of the {label} test of SNIA's PTS; not "
        "kept: {why}. Its result is therefore PTS-like, not a PTS result. What PTS requires is "
        "taken from SNIA's pages and from public implementations of it, not from its text.",
    },
    parts=lambda text, answer: text.many(answer.got.n or 0, "part", "parts"),
)
_COUNT = Format("1", decimals=0)
_PTS_RULE = (
    "The {label} test %s steady by the SNIA rule after {rounds:count} rounds, at {cell}{most}: "
    "in the last five the {metric} moved by {range_ratio:percent} of {its} mean and {its} "
    "best-fit line by {slope_ratio:percent}."
)
of_rounds(
    PTS_ROUNDS,
    of={
        "measured": _PTS_RULE % "was",
        "not_reached": _PTS_RULE % "was not",
        "missing": "Whether the {label} test was steady is not known: {why}.",
    },
    cell=lambda text, answer: (
        f"{text(format_size(int(number(answer, 'block_bytes'))))} and "
        f"{text(FORMS['share'].show(number(answer, 'read_ratio')))} reads"
    ),
    most=lambda text, answer: (
        f" (of the {text(_COUNT.show(n))} combinations by which it is judged, the one that "
        "moved most)"
        if (n := number(answer, "combinations")) > 1
        else ""
    ),
)
of_rounds(
    STEADY_TREND,
    of={
        "measured": "In the last five rounds the {metric} of {label} still moved: {its} best-fit "
        "line moved by {value:moved}{interval} of {its} mean.",
        "measured <=": "In the last five rounds the {metric} of {label} showed no trend: {its} "
        "best-fit line moved by at most {value:percent}{interval} of {its} mean.",
        "missing": "Whether {label} still moved is not known: {why}.",
    },
)
of_rounds(
    STEADY_BY_CHANCE,
    of={
        "measured": "A random walk with such steps from round to round ({step:percent}) is never "
        "steady, yet it meets the rule within {rounds:count} rounds in {value:percent} of cases.",
        "missing": "How easily chance meets the rule is not known: {why}.",
    },
)

# --- what was done around the points ------------------------------------------------------------


def _bytes(name: str) -> Callable[[Text, Answer], str]:
    return lambda text, answer: text(format_size(int(number(answer, name))))


of_targets = partial(
    sentences,
    watched=lambda text, answer: text(str(answer.subject.get("watched"))),
    size=_bytes("whole_bytes"),
    block=_bytes("block_bytes"),
    at_byte=lambda text, answer: text(f"{int(answer.got.value):,}"),
    read=_bytes("value"),
)
of_targets(
    WARM_UP_ROUNDS,
    of={
        "measured": "Before {label} was measured, it was warmed up by {value:count} rounds of its "
        "highest load: in the last three the {watched} lay within {tolerance:percent} of their "
        "mean.",
        "not_reached": "The warm-up before {label} ended after {rounds:count} rounds, and the "
        "{watched} of the last three still lay further than {tolerance:percent} from their mean.",
    },
)
of_targets(
    VERIFIED_BYTES,
    of={
        "measured": "After the last point of {label}, {read} was written in blocks of {block} and "
        "read back: every block was as written.",
        "missing": "Whether the target of {label} returns what is written to it is not known: "
        "{why}.",
    },
)
of_targets(
    WRONG_BLOCK,
    of={
        "measured": "The target of {label} did not return what was written to it: of {size}, "
        "the block at byte {at_byte} was read back wrong ({why}).",
    },
)


HOST = "host"
"""The id of what is said of a host."""


@step(version=2, name="say.host")
def say_host(host: Measured) -> Statement:
    """What the load ran on, from the run's ``host`` facts; a fact that is missing is left out."""
    rows = require_rows(host, "host", ("group", "fact", "value"), "nothing to say")
    facts = {(row["group"], row["fact"]): row["value"] for row in rows if row["value"]}
    text = Text()
    threads = facts.get(("host", "cpu_threads"))
    memory = facts.get(("host", "memory_bytes"))
    parts = [
        _known(text, "{} logical CPUs" if threads != "1" else "{} logical CPU", threads),
        _known(text, "({})", facts.get(("host", "cpu_model"))),
        _known(text, "and {} of memory", format_size(int(memory)) if memory else None),
        _known(text, "under {}", facts.get(("host", "os"))),
        _known(text, "with kernel {}", facts.get(("host", "kernel"))),
    ]
    known = " ".join(part for part in parts if part)
    if not known:
        return text.done(HOST, ["The facts of the host were not recorded."])
    virtual = facts.get(("host", "virtual_machine"), "").lower() == "true"
    return text.done(
        HOST, [f"The load ran on {'a virtual machine' if virtual else 'a host'} with {known}."]
    )


def _known(text: Text, words: str, fact: str | None) -> str:
    return words.format(text(fact)) if fact else ""
