"""The sentences of a series of AWR reports: its periods, DB time and changes.

The grammar of those that functions make, one line a sentence. WHEN is an interval of time: "On 23
Dec 2023 from 17:30 to 21:00".

series_periods
    measured         N of M reports of H form a trend, from T to T. [Left out: N because ...]
series_gap
    measured         WHEN there is no report of H[: the instance was restarted].
series_time
    measured         WHEN, H averaged N active sessions[, N to N by period]. DB time was
                     S% CLASS, S% CLASS ...[, S% in neither | ; CPU and waits add up to S% more].
                     The longest wait was EVENT: S%.
series_turns
    measured         WHEN, QUANTITY alternated between X and Y. It was high N times[, every T]: in
                     N of N periods. [When it was high, QUANTITY X instead of Y ...]
                     Added sessions: CAUSE (N).
series_change
    measured         WHEN, QUANTITY was X instead of Y[, and QUANTITY X instead of Y ...].
                     Added sessions: CAUSE (N), CAUSE (N).
    missing          No change in H is shown over N periods: WHY.
cluster_time
    measured         WHEN, instances 1, 2 of SHOP (2 of 2) together averaged N active sessions
                     [, N to N by period]: X read and Y write requests a second, V and W.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from perfkit.analysis.awr.periods.answers import CHANGE, GAP, PERIODS, TIME, TURNS, UNITS
from perfkit.analysis.awr.periods.cluster import TIME as CLUSTER_TIME
from perfkit.analysis.awr.periods.columns import LEFT_OUT
from perfkit.analysis.awr.periods.episodes import PER_TRANSACTION
from perfkit.analysis.awr.periods.worst import SESSIONS
from perfkit.analysis.awr.single_time import CPU
from perfkit.core.answers import Answer
from perfkit.core.units import Format, elapsed_format, time_format
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import sentences, template
from perfkit.showing.statements.words import class_waits, has, number, why

MOST_PARTS, LEAST_SHARE = 4, 0.05
"""So many parts of DB time are named, from this share on."""

MOST_MOVED = 4
"""So many quantities that moved are named."""


def quantity(text: Text, value: float, unit: str) -> str:
    """A number in the form that its unit is read in."""
    form = time_format(value) if unit == "s" else _FORMS[unit]
    return text(form.show(value))


_FORMS = {
    "1": Format("1", significant=3), "1/s": Format("1", significant=3),
    "bytes/s": Format("MB/s", significant=3), "ratio": Format("%", significant=2),
}  # fmt: skip


def when(text: Text, answer: Answer) -> str:
    """The interval of an answer; how much of it reports are of, and which periods it is about."""
    given = interval(text, *(answer.subject.get(key) for key in ("begin", "end")))
    reported, high = (answer.subject.get(key) for key in ("reported_s", "high"))
    part = f" ({_length(text, float(reported))} of it reported)" if reported else ""
    turns = f", in the {text.count(int(high))} periods when it was high" if high else ""
    return f"{given}{part}{turns}"


def _length(text: Text, seconds: float) -> str:
    return text(elapsed_format(seconds).show(seconds))


def interval(text: Text, *times: str) -> str:
    """An interval: on 23 Dec 2023 from 17:30 to 21:00."""
    begin, end = map(datetime.fromisoformat, times)
    if begin.date() == end.date():
        return f"on {text(_day(begin))} from {text(_clock(begin))} to {text(_clock(end))}"
    return f"from {text(f'{_day(begin)} {_clock(begin)}')} to {text(f'{_day(end)} {_clock(end)}')}"


def _day(time: datetime) -> str:
    return f"{time.day} {time:%b %Y}"


def _clock(time: datetime) -> str:
    return f"{time:%H:%M}"


def whose(text: Text, answer: Answer) -> str:
    """The database and the interval: one report may be of several databases."""
    return f"{text(answer.subject.label)}: {when(text, answer)}"


def upper(words: str) -> str:
    """The words as a sentence begins."""
    return f"{words[:1].upper()}{words[1:]}"


def named(answer: Answer, kind: str) -> list[tuple[str, float]]:
    """The conditions of a kind: what stands behind it in their names, and their values."""
    return [
        (item.metric.removeprefix(f"{kind} "), item.value)
        for item in answer.conditions
        if item.metric.startswith(f"{kind} ")
    ]


# --- periods ----------------------------------------------------------------------------------


@template(PERIODS, status="measured")
def _periods(text: Text, answer: Answer) -> str:
    count, every = int(answer.got.value), int(number(answer, "reports"))
    of = text.many(every, "report", "reports")
    form = "forms" if count == 1 else "form"
    label, begun = text(answer.subject.label), when(text, answer)
    reasons = [
        f"{text.count(many)} because {LEFT_OUT[name]}" for name, many in named(answer, "left out")
    ]
    left_out = f" Left out: {', '.join(reasons)}." if reasons else ""
    return f"{text.count(count)} of {of} of {label} {form} a trend, {begun}.{left_out}"


sentences(PERIODS, of={"missing": "No report of {label} forms a trend: {why}."})


@template(GAP, status="measured")
def _gap(text: Text, answer: Answer) -> str:
    label = text(answer.subject.label)
    restart = ": the instance was restarted" if answer.subject.get("restart") else ""
    if not answer.got.value:
        return f"{upper(when(text, answer))}, the instance of {label} was restarted."
    return f"{upper(when(text, answer))}, there is no report of {label}{restart}."


# --- where the time went ----------------------------------------------------------------------


@template(TIME, status="measured")
def _time(text: Text, answer: Answer) -> str:
    label, sessions = text(answer.subject.label), quantity(text, answer.got.value, "1")
    given = dict(named(answer, "part"))
    rest = given.pop("residual", 0.0)
    long = [item for item in given.items() if item[1] >= LEAST_SHARE][:MOST_PARTS]
    shown = [f"{quantity(text, share, 'ratio')} {text(name)}" for name, share in long]
    if rest >= LEAST_SHARE:
        shown.append(f"{quantity(text, rest, 'ratio')} in neither CPU nor waits")
    added = quantity(text, -rest, "ratio") if rest <= -LEAST_SHARE else None
    more = f"; CPU and waits add up to {added} more than DB time" if added else ""
    told = [f"DB time was {', '.join(shown)}{more}."] if shown else []
    if (event := _event(text, answer)) is not None:
        told.append(f"The longest wait was {event[0]}: {event[1]} of DB time.")
    head = f"{upper(when(text, answer))}, {label} averaged {sessions} active sessions"
    return " ".join([f"{head}{_varies(text, answer)}.", *told])


def by_periods(text: Text, answer: Answer) -> str:
    """The sessions of the quietest and the busiest period: 2.10 to 14.0 by period."""
    ends = (_FORMS["1"].show(number(answer, name)) for name in ("least", "most"))
    return text.ends(ends, "{} to {} by period", "{} in each period")


def _varies(text: Text, answer: Answer) -> str:
    """From the quietest to the busiest period."""
    busiest = answer.subject.get("busiest")
    if not busiest:
        return ""
    least, most = (_FORMS["1"].show(number(answer, name)) for name in ("least", "most"))
    by_period = by_periods(text, answer)
    if least.text == most.text:
        return f", {by_period}"
    begin = datetime.fromisoformat(busiest)
    one_day = len({str(answer.subject.get(key))[:10] for key in ("begin", "end")}) == 1
    at = _clock(begin) if one_day else f"{_day(begin)} {_clock(begin)}"
    return f", {by_period}, with the most in the period from {text(at)}"


def _event(text: Text, answer: Answer) -> tuple[str, str] | None:
    """The longest wait and its share of DB time; None where that is little."""
    sure = has(answer, "event")
    if not answer.subject.get("event") or (
        number(answer, "event" if sure else "event at least") < LEAST_SHARE
    ):
        return None
    share = quantity(text, number(answer, "event" if sure else "event at least"), "ratio")
    return text(str(answer.subject.get("event"))), share if sure else f"at least {share}"


@template(TIME, part="headline", status="measured")
def _most_time(text: Text, answer: Answer) -> str:
    given, leads = dict(named(answer, "part")), answer.subject.get("leads")
    label = text(answer.subject.label)
    if leads == "residual":
        share = quantity(text, given["residual"], "ratio")
        return f"{share} of the DB time of {label} was in neither CPU nor waits."
    if not given:
        return f"{label} averaged {quantity(text, answer.got.value, '1')} active sessions."
    name, largest = next(iter(given.items()))
    most = "most of" if largest > MOST else "the largest share of"
    part = text(name) if name == CPU else class_waits(text, name)
    took = quantity(text, largest, "ratio")
    said = f"{part} took {most} the DB time of {label}: {took}"
    if leads == "event" and (event := _event(text, answer)) is not None:
        wait, alone = event
        return f"{said} ({wait} alone: {alone})."
    return f"{said}."


MOST = 0.5


sentences(TIME, of={"missing": "Where the DB time of {label} went is not known: {why}."})

# --- what changed -----------------------------------------------------------------------------

_MOVED = {
    PER_TRANSACTION: "DB time per transaction was {} instead of {}",
    SESSIONS: "{} sessions were active on average instead of {}",
    "read_wait_s": "{event} took {} instead of {}",
    "log_file_sync_s": "log file sync took {} instead of {}",
    "log_file_parallel_write_s": "log file parallel write took {} instead of {}",
    "cpu_busy_ratio": "the host's CPUs were {} busy instead of {}",
    "read_iops": "there were {} reads per second instead of {}",
    "read_bytes_per_s": "read throughput was {} instead of {}",
    "write_bytes_per_s": "write throughput was {} instead of {}",
    "commits_per_s": "there were {} commits per second instead of {}",
    "log_writer_busy_ratio": "log file parallel write added up to {} of elapsed time instead of {}",
    "commits_per_redo_write": "each redo write served {} commits instead of {}",
}


def moved(text: Text, answer: Answer, name: str) -> str:
    """A quantity in these periods and in the others."""
    value, usual = (
        quantity(text, number(answer, key), UNITS[name]) for key in (name, f"usual {name}")
    )
    event = text(str(answer.subject.get("read_event") or answer.subject.get("event") or "a read"))
    return _MOVED[name].format(value, usual, event=event)


@template(CHANGE, status="measured")
def _change(text: Text, answer: Answer) -> str:
    return f"{whose(text, answer)}, {_told(text, answer)}.{_put_down(text, answer)}"


def _told(text: Text, answer: Answer) -> str:
    return ", ".join(moved(text, answer, name) for name in _that_moved(answer))


def _that_moved(answer: Answer) -> list[str]:
    """The quantity that leads, and the others that moved."""
    ways = dict(named(answer, "way"))
    others = [
        name for name in UNITS if name != answer.metric and ways.get(name) and has(answer, name)
    ]
    return [answer.metric, *others[:MOST_MOVED]]


@template(CHANGE, part="detail", status="measured")
def _change_detail(text: Text, answer: Answer) -> str:
    return f"{upper(_told(text, answer))}.{_put_down(text, answer)}"


def _put_down(text: Text, answer: Answer) -> str:
    given = named(answer, "cause")
    if not given:
        return ""
    said = _on_top(text, answer)
    twice = len(given) > 1 and "statement" in dict(given)
    also = "; a statement's time is also counted in the others" if twice else ""
    # medians of parts do not add up to the median of all: no total stands beside them
    return f" Added sessions: {', '.join(said)}{also}."


def _on_top(text: Text, answer: Answer) -> list[str]:
    """Each cause with its sessions: commits 10.8."""
    said = []
    for name, value in named(answer, "cause"):
        of = answer.subject.get(f"of {name}")
        cause = _CAUSES[name].format(text(of)) if of else _CAUSES[name]
        said.append(f"{cause} {quantity(text, value, '1')}")
    return said


_CAUSES = {
    "reads_slower": "reads that took longer", "log_slower": "commits, as log writes took longer",
    "commits": "commits", "cpu_busy": "time outside CPU and waits while the CPUs were busy",
    "event": "{}", "backup": "{}", "statement": "SQL {}", "cpu_work": "DB CPU",
    "more_reads": "reads that were no slower",
    "booked": "time in neither CPU nor waits",
}  # fmt: skip


_HEADLINES = {
    "reads_slower": "reads took longer", "log_slower": "log writes took longer",
    "cpu_busy": "the host's CPUs were busy",
    "event": "sessions waited for {}", "backup": "a backup used time ({})",
    "statement": "SQL {} took more time", "cpu_work": "more CPU was used",
    "more_reads": "more time went into reads that were no slower",
    "booked": "DB time in neither CPU nor waits rose",
}  # fmt: skip


@template(CHANGE, part="headline", status="measured")
def _change_headline(text: Text, answer: Answer) -> str:
    return f"{whose(text, answer)}, {_what(text, answer)}."


def _what(text: Text, answer: Answer) -> str:
    """What a change was, by its first cause."""
    given = [name for name, _ in named(answer, "cause")]
    if not given:
        return moved(text, answer, answer.metric)
    if given[0] == "commits":
        same = dict(named(answer, "way")).get("log_file_parallel_write_s") == 0
        return f"commits waited{'; log writes are not shown to be slower' if same else ''}"
    of = answer.subject.get(f"of {given[0]}")
    words = _HEADLINES[given[0]]
    return words.format(text(of)) if of else words


@dataclass(frozen=True)
class ChangeWords:
    """A change in the words of a table; quantities (name, usual, then), the leading one first."""

    when: str
    what: str
    on_top: str | None
    quantities: tuple[tuple[str, str, str], ...]


def change_words(answer: Answer) -> ChangeWords:
    """A change (``series_change`` with a value) in the words of a table."""

    def said(words: Callable[[Text, Answer], str]) -> str:
        text = Text()
        return upper(text.done("x", [words(text, answer)]).text)

    def value(name: str, key: str) -> str:
        return said(lambda text, one: quantity(text, number(one, key), UNITS[name]))

    return ChangeWords(
        said(when).removeprefix("On ").removeprefix("From ").replace(" from ", " "),
        said(_what),
        said(lambda text, one: ", ".join(_on_top(text, one))) or None,
        tuple(
            (
                _QUANTITIES.get(name) or str(answer.subject.get("read_event") or "a read"),
                value(name, f"usual {name}"),
                value(name, name),
            )
            for name in _that_moved(answer)
        ),
    )


_QUANTITIES = {
    PER_TRANSACTION: "DB time per transaction", SESSIONS: "active sessions",
    "log_file_sync_s": "log file sync", "log_file_parallel_write_s": "log file parallel write",
    "cpu_busy_ratio": "host CPU busy", "read_iops": "reads per second",
    "read_bytes_per_s": "read", "write_bytes_per_s": "written",
    "commits_per_s": "commits per second", "log_writer_busy_ratio": "log writer busy",
    "commits_per_redo_write": "commits per redo write",
}  # fmt: skip
"""What quantities are called in a table; the read has the name of its event."""


@template(TURNS, status="measured")
def _turns(text: Text, answer: Answer) -> str:
    return f"{_turns_headline(text, answer)} {_turns_detail(text, answer)}"


@template(TURNS, part="headline", status="measured")
def _turns_headline(text: Text, answer: Answer) -> str:
    name = answer.metric
    of = _QUANTITIES.get(name) or text(str(answer.subject.get("read_event") or "a read"))
    ends = (quantity(text, number(answer, key), UNITS[name]) for key in (f"usual {name}", name))
    return f"{whose(text, answer)}, {of} alternated between {' and '.join(ends)}."


@template(TURNS, part="detail", status="measured")
def _turns_detail(text: Text, answer: Answer) -> str:
    times, high = (int(number(answer, name)) for name in ("turns", "high periods"))
    every = f", every {_length(text, number(answer, 'every_s'))}" if has(answer, "every_s") else ""
    of = text.many(int(number(answer, "periods")), "period", "periods")
    others = [moved(text, answer, name) for name in _that_moved(answer)[1:]]
    also = f" When it was high, {', '.join(others)}." if others else ""
    return (
        f"It was high {text.count(times)} times{every}: in {text.count(high)} of {of}."
        f"{also}{_put_down(text, answer)}"
    )


@template(CHANGE, status="missing")
def _no_change(text: Text, answer: Answer) -> str:
    periods = text.many(int(number(answer, "periods")), "period", "periods")
    return (
        f"No change in {text(answer.subject.label)} is shown over {periods}, "
        f"{when(text, answer)}: {why(text, answer)}."
    )


# --- the instances of a cluster -----------------------------------------------------------------

_RATES = (
    ("read_iops", "1/s", "read requests a second"),
    ("write_iops", "1/s", "write requests a second"),
    ("read_bytes_per_s", "bytes/s", "read"), ("write_bytes_per_s", "bytes/s", "written"),
)  # fmt: skip


def _which(text: Text, answer: Answer) -> str:
    return f"instances {text(answer.subject.get('instances'))} of {text(answer.subject.label)}"


@template(CLUSTER_TIME, status="measured")
def _together(text: Text, answer: Answer) -> str:
    of = text.count(number(answer, "total")) if has(answer, "total") else "an unknown number"
    sessions = quantity(text, answer.got.value, "1")
    by_period = f", {by_periods(text, answer)}" if answer.got.n != 1 else ""
    rates = [
        f"{quantity(text, number(answer, name), unit)} {words}"
        for name, unit, words in _RATES
        if has(answer, name)
    ]
    told = f": {', '.join(rates)}" if rates else ""
    return (
        f"{upper(when(text, answer))}, {_which(text, answer)} "
        f"({text.count(number(answer, 'present'))} of {of}) together averaged {sessions} active "
        f"sessions{by_period}{told}."
    )


sentences(
    CLUSTER_TIME,
    of={"missing": "What {which} did together is not known: {why}."},
    which=_which,
)
