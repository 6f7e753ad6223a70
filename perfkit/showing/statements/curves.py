"""The sentences of what a curve was asked.

The grammar, one line a sentence. S is the name of the series, with "(reads only)", "(writes only)"
or "(trims only)" behind it where it is of one direction; Q a quantity ("401 thousand IOPS", "a mean
latency of 1 ms", "a host CPU busy share of 25%"), the value asked at exact, every other one rounded
to three digits (CPU: two); M the name of a latency ("mean latency"); L a load ("16 jobs", "iodepth
8"); I the interval, " (95% interval LOW to HIGH, over [only ]N repeats)" with LOW and HIGH in the
unit of the value before it, or why there is none: " (one repeat, so no interval)", " (no interval:
X)", X one of "N repeats that do not differ", "not each of N repeats has an answer", "a repeat has
the value zero", "N repeats that lie too far apart", "another load point was measured once". A value
that lies beyond the one asked at, or keeps it, has as many digits as show it. WHY is one of the
reasons of ``questions``. GAVE is "gave", of a latency and CPU "had". What stands in [] may be
missing.

peak_iops
    measured =       S reached a peak of QI at L[, with a mean latency of V].
    measured >=      S gave at least QI at L[, the highest load measured| , the only load measured],
                     [with a mean latency of V]; its peak may lie higher.
    missing          The peak of S is not known: WHY.
most_iops_within_latency
    highest_within =  Within Q, the most that S gave was QI, at L, with Q.
    highest_within >= Within Q, S gave at least QI, at L, with Q; it may give more[: its highest M,
                      V, is within the limit].
    beyond_measured   S did not stay within Q at any load: its lowest M was V, at L, with Q.
    missing           The most IOPS of S within Q are not known: WHY.
iops_at_latency, latency_at_iops, cpu_at_iops, iops_at_cpu
    interpolated     At Q, the curve of S gives QI, interpolated between L and L.
    measured         At Q, S GAVE QI, measured at L.
    not_reached      The curve of S does not reach Q: its highest was V, at L[, with Q].
    beyond_measured  The curve of S lies above Q at every load measured: its lowest was V, at L[,
                     with Q].
    ambiguous        The curve of S passes Q more than once (between L and L|at L; ...), so it gives
                     no single number there.
    missing          IOPS|The M|The host CPU busy share of S at Q are|is not known: WHY.
iops_at_load, latency_at_load, throughput_at_load, cpu_at_load
    measured         At L, S GAVE QI.
    not_reached      S was not measured at L: its highest load was L.
    beyond_measured  S was not measured at L: its lowest load was L.
    missing          as above
lowest_latency
    measured =       The lowest M of S was VI, at L, with Q.
    measured <=      The lowest M of S was at most VI, at L[, with Q]; it may be lower elsewhere.
    missing          The lowest M of S is not known: WHY.
repeatability
    measured         Over N [to N ]repeats, the 95% intervals of the M of S reach at most N% above
                     their value, at L[; a load point measured once has none][; two repeats leave
                     one degree of freedom].
    missing          The repeatability of the M of S is not known: WHY.
knee, knee_by_kneedle
    measured         By METHOD, the knee of S lies at L, with Q, with Q.
    missing          By METHOD, no knee is reported for S: WHY.
plateau, stated_plateau
    measured         From L to L, S stayed between Q and Q[, while the M went from V to V][; HOST].
                     A plateau between Q and Q is stated, without its points[; HOST].
    missing          S shows no plateau: WHY.
littles_law
    measured         In N of N closed-loop results of S, IOPS times mean latency equals the I/Os in
                     flight within N%; the furthest from it, at L, finds N% of them.[ Such a result
                     ran at another depth than it says, or was read wrongly.]
    missing          Little's law cannot be applied to S: WHY.
iops_per_busy_core
    measured         At its peak, at L, S gave Q for each busy coreI, with Q of N cores.
    missing          The IOPS of S for each busy core are not known: WHY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.curves import CONFIDENCE
from perfkit.analysis.curves.metrics import METRICS, apart_printed
from perfkit.core.units import Format
from perfkit.showing.statements.say import template
from perfkit.showing.statements.words import (
    CPU,
    asked,
    asked_at,
    estimate,
    first_caution,
    found,
    interval,
    load,
    load_found,
    name,
    value,
    where,
    who,
    why,
)

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

# --- the peak and the lowest latency ----------------------------------------------------------


@template("peak_iops", status="measured")
def _peak(text: Text, answer: Answer) -> str:
    return (
        f"{who(text, answer)} reached a peak of {estimate(text, answer)} at "
        f"{load(text, load_found(answer))}{found(text, answer, 'lat_mean_s')}."
    )


_LOAD_NOTE = {"highest_load": ", the highest load measured", "one_load": ", the only load measured"}


@template("peak_iops", status="measured", relation=">=")
def _peak_bound(text: Text, answer: Answer) -> str:
    note = _LOAD_NOTE.get(first_caution(answer, *_LOAD_NOTE) or "", "")
    return (
        f"{who(text, answer)} gave at least {estimate(text, answer)} at "
        f"{load(text, load_found(answer))}{note}{found(text, answer, 'lat_mean_s')}; its peak may "
        f"lie higher."
    )


@template("peak_iops", status="missing")
def _peak_missing(text: Text, answer: Answer) -> str:
    return f"The peak of {who(text, answer)} is not known: {why(text, answer)}."


@template("lowest_latency", status="measured")
def _lowest(text: Text, answer: Answer) -> str:
    return (
        f"The lowest {text(name(answer, answer.metric))} of {who(text, answer)} was "
        f"{value(text, answer)}, at {load(text, load_found(answer))}{found(text, answer, 'iops')}."
    )


@template("lowest_latency", status="measured", relation="<=")
def _lowest_bound(text: Text, answer: Answer) -> str:
    return (
        f"The lowest {text(name(answer, answer.metric))} of {who(text, answer)} was at most "
        f"{value(text, answer)}, at {load(text, load_found(answer))}{found(text, answer, 'iops')}"
        f"; it may be lower elsewhere."
    )


@template("lowest_latency", status="missing")
def _lowest_missing(text: Text, answer: Answer) -> str:
    return (
        f"The lowest {text(name(answer, answer.metric))} of {who(text, answer)} is not known: "
        f"{why(text, answer)}."
    )


@template("iops_per_busy_core", status="measured")
def _per_core(text: Text, answer: Answer) -> str:
    cores = where(answer, "cores")
    assert cores is not None  # noqa: S101 - a part of this answer
    assert answer.estimate is not None  # noqa: S101
    return (
        f"At its peak, at {load(text, load_found(answer))}, {who(text, answer)} gave "
        f"{text.value('iops', answer.estimate.value)} for each busy core{interval(text, answer)}"
        f"{found(text, answer, CPU)} of {text.count(cores.value)} cores."
    )


@template("iops_per_busy_core", status="missing")
def _per_core_missing(text: Text, answer: Answer) -> str:
    return f"The IOPS of {who(text, answer)} for each busy core are not known: {why(text, answer)}."


# --- within a limit ---------------------------------------------------------------------------


@template("most_iops_within_latency", status="highest_within")
def _most(text: Text, answer: Answer) -> str:
    at = asked_at(answer)
    return (
        f"Within {asked(text, answer, at)}, the most that {who(text, answer)} gave was "
        f"{estimate(text, answer)}, at {load(text, load_found(answer))}"
        f"{found(text, answer, at.metric)}."
    )


@template("most_iops_within_latency", status="highest_within", relation=">=")
def _most_bound(text: Text, answer: Answer) -> str:
    at = asked_at(answer)
    highest = next((c for c in answer.cautions if c.name == "limit_not_reached"), None)
    reason = ""
    if highest:
        number = text(dict(highest.arguments)["highest"])
        reason = f": its highest {text(name(answer, at.metric))}, {number}, is within the limit"
    return (
        f"Within {asked(text, answer, at)}, {who(text, answer)} gave at least "
        f"{estimate(text, answer)}, at {load(text, load_found(answer))}"
        f"{found(text, answer, at.metric)}; it may give more{reason}."
    )


@template("most_iops_within_latency", status="beyond_measured")
def _never_within(text: Text, answer: Answer) -> str:
    at = asked_at(answer)
    nearest = where(answer, at.metric)
    assert nearest is not None  # noqa: S101 - a part of this answer
    return (
        f"{who(text, answer)} did not stay within {asked(text, answer, at)} at any load: its "
        f"lowest {text(name(answer, at.metric))} was "
        f"{text(apart_printed(at.metric, nearest.value, at.value))}, at "
        f"{load(text, load_found(answer))}{found(text, answer, 'iops')}."
    )


@template("most_iops_within_latency", status="missing")
def _most_missing(text: Text, answer: Answer) -> str:
    return (
        f"The most IOPS of {who(text, answer)} within {asked(text, answer, asked_at(answer))} are "
        f"not known: {why(text, answer)}."
    )


# --- at a value -------------------------------------------------------------------------------

_MEETINGS = ("iops_at_latency", "latency_at_iops", "cpu_at_iops", "iops_at_cpu")
_AT_LOAD = ("iops_at_load", "latency_at_load", "throughput_at_load", "cpu_at_load")


def _gave(answer: Answer) -> str:
    return "gave" if METRICS[answer.metric].quantity == "rate" else "had"


@template(*_MEETINGS, status="interpolated")
def _interpolated(text: Text, answer: Answer) -> str:
    low, high = (load(text, c) for c in answer.conditions if c.role == "between")
    return (
        f"At {asked(text, answer, asked_at(answer))}, the curve of {who(text, answer)} gives "
        f"{estimate(text, answer)}, interpolated between {low} and {high}."
    )


@template(*_MEETINGS, status="measured")
def _measured(text: Text, answer: Answer) -> str:
    return (
        f"At {asked(text, answer, asked_at(answer))}, {who(text, answer)} {_gave(answer)} "
        f"{estimate(text, answer)}, measured at {load(text, load_found(answer))}."
    )


@template(*_MEETINGS, status="not_reached")
def _not_reached(text: Text, answer: Answer) -> str:
    return (
        f"The curve of {who(text, answer)} does not reach {asked(text, answer, asked_at(answer))}: "
        f"its highest was {_end(text, answer)}."
    )


@template(*_MEETINGS, status="beyond_measured")
def _beyond(text: Text, answer: Answer) -> str:
    at = asked(text, answer, asked_at(answer))
    return (
        f"The curve of {who(text, answer)} lies above {at} at every load measured: its lowest was "
        f"{_end(text, answer)}."
    )


def _end(text: Text, answer: Answer) -> str:
    """The end of a curve that does not get there: its value, the load, and what was wanted."""
    at = asked_at(answer)
    nearest = where(answer, at.metric)
    assert nearest is not None  # noqa: S101 - a part of this answer
    return (
        f"{text(apart_printed(at.metric, nearest.value, at.value))}, at "
        f"{load(text, load_found(answer))}{found(text, answer, answer.metric)}"
    )


@template(*_MEETINGS, status="ambiguous")
def _ambiguous(text: Text, answer: Answer) -> str:
    return (
        f"The curve of {who(text, answer)} passes {asked(text, answer, asked_at(answer))} more "
        f"than once ({'; '.join(_places(text, answer))}), so it gives no single number there."
    )


def _places(text: Text, answer: Answer) -> list[str]:
    """Each place where the curve has the value: a load point, or between two of them."""
    found_: list[str] = []
    waiting: str | None = None
    for item in answer.conditions:
        if item.role == "where":
            found_.append(f"at {load(text, item)}")
        elif item.role == "between" and waiting is None:
            waiting = load(text, item)
        elif item.role == "between":
            found_.append(f"between {waiting} and {load(text, item)}")
            waiting = None
    return found_


@template(*_MEETINGS, *_AT_LOAD, status="missing")
def _missing(text: Text, answer: Answer) -> str:
    rate = METRICS[answer.metric].quantity == "rate"
    return (
        f"The {text(name(answer, answer.metric))} of {who(text, answer)} at "
        f"{asked(text, answer, asked_at(answer))} {'are' if rate else 'is'} not known: "
        f"{why(text, answer)}."
    )


@template(*_AT_LOAD, status="measured")
def _at_load(text: Text, answer: Answer) -> str:
    return (
        f"At {asked(text, answer, asked_at(answer))}, {who(text, answer)} {_gave(answer)} "
        f"{estimate(text, answer)}."
    )


@template(*_AT_LOAD, status="not_reached")
def _below_load(text: Text, answer: Answer) -> str:
    return (
        f"{who(text, answer)} was not measured at {asked(text, answer, asked_at(answer))}: its "
        f"highest load was {load(text, load_found(answer))}."
    )


@template(*_AT_LOAD, status="beyond_measured")
def _above_load(text: Text, answer: Answer) -> str:
    return (
        f"{who(text, answer)} was not measured at {asked(text, answer, asked_at(answer))}: its "
        f"lowest load was {load(text, load_found(answer))}."
    )


# --- the repeats ------------------------------------------------------------------------------

_SHARE = Format("%", significant=2)
_RATIO = Format("%", significant=3)


@template("repeatability", status="measured")
def _repeatability(text: Text, answer: Answer) -> str:
    fewest, most = (c.value for c in answer.conditions if c.metric == "repeats")
    over = text.count(fewest) if fewest == most else f"{text.count(fewest)} to {text.count(most)}"
    assert answer.estimate is not None  # noqa: S101 - of the status that has one
    once = "; a load point measured once has none" if first_caution(answer, "one_repeat") else ""
    twice = (
        "; two repeats leave one degree of freedom" if first_caution(answer, "two_repeats") else ""
    )
    return (
        f"Over {over} repeats, the {text(Format('%').show(CONFIDENCE))} intervals of the "
        f"{text(name(answer, answer.metric))} of {who(text, answer)} reach at most "
        f"{text(_SHARE.show(answer.estimate.value))} above their value, at "
        f"{load(text, load_found(answer))}{once}{twice}."
    )


@template("repeatability", status="missing")
def _no_repeatability(text: Text, answer: Answer) -> str:
    return (
        f"The repeatability of the {text(name(answer, answer.metric))} of {who(text, answer)} is "
        f"not known: {why(text, answer)}."
    )


# --- the shape of the curve -------------------------------------------------------------------

_METHODS = {"knee": "Kleinrock's power", "knee_by_kneedle": "the Kneedle distance"}


@template(*_METHODS, status="measured")
def _knee(text: Text, answer: Answer) -> str:
    return (
        f"By {_METHODS[answer.question]}, the knee of {who(text, answer)} lies at "
        f"{load(text, load_found(answer))}{found(text, answer, 'iops')}"
        f"{found(text, answer, 'lat_mean_s')}."
    )


@template(*_METHODS, status="missing")
def _no_knee(text: Text, answer: Answer) -> str:
    return (
        f"By {_METHODS[answer.question]}, no knee is reported for {who(text, answer)}: "
        f"{why(text, answer)}."
    )


@template("plateau", status="measured")
def _plateau(text: Text, answer: Answer) -> str:
    ends = [c for c in answer.conditions if c.role == "between"]
    first, last = (load(text, c) for c in ends if c.metric not in METRICS)
    grew = ""
    latencies = [text.value(c.metric, c.value) for c in ends if c.metric in METRICS]
    if latencies:
        grew = (
            f", while the {text(name(answer, 'lat_mean_s'))} went from {latencies[0]} to "
            f"{latencies[1]}"
        )
    return (
        f"From {first} to {last}, {who(text, answer)} stayed {_range(text, answer)}{grew}"
        f"{_host(text, answer)}."
    )


@template("stated_plateau", status="measured")
def _stated(text: Text, answer: Answer) -> str:
    return f"A plateau {_range(text, answer)} is stated, without its points{_host(text, answer)}."


def _range(text: Text, answer: Answer) -> str:
    high = where(answer, "iops")
    assert answer.estimate is not None  # noqa: S101 - of the status that has one
    assert high is not None  # noqa: S101 - a part of this answer
    low = text.value("iops", answer.estimate.value)
    return f"between {low} and {text.value('iops', high.value)}"


def _host(text: Text, answer: Answer) -> str:
    busy = where(answer, CPU)
    if busy and first_caution(answer, "host_may_hold"):
        share = text.value(CPU, busy.value)
        return f"; the host was busy up to {share}, so it may be host-bound"
    if first_caution(answer, "host_unknown"):
        return "; the host's CPU was not recorded, so what holds it is not known"
    return ""


@template("plateau", status="missing")
def _no_plateau(text: Text, answer: Answer) -> str:
    return f"{who(text, answer)} shows no plateau: {why(text, answer)}."


@template("littles_law", status="measured")
def _little(text: Text, answer: Answer) -> str:
    counts = {c.metric: c.value for c in answer.conditions}
    assert answer.estimate is not None  # noqa: S101 - of the status that has one
    broken = ""
    if first_caution(answer, "little_broken"):
        broken = " Such a result ran at another depth than it says, or was read wrongly."
    return (
        f"In {text.count(counts['results_within'])} of {text.count(counts['results'])} closed-loop "
        f"results of {who(text, answer)}, IOPS times mean latency equals the I/Os in flight within "
        f"{text(Format('%').show(asked_at(answer).value))}; the furthest from it, at "
        f"{load(text, load_found(answer))}, finds {text(_RATIO.show(answer.estimate.value))} of "
        f"them.{broken}"
    )


@template("littles_law", status="missing")
def _no_little(text: Text, answer: Answer) -> str:
    return f"Little's law cannot be applied to {who(text, answer)}: {why(text, answer)}."
