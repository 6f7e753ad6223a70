"""The sentences of what a curve was asked.

In them the value asked at is exact, and every other one is rounded to three digits (CPU: two); a
value that lies beyond the one asked at, or keeps it, has as many digits as show it.
"""

from __future__ import annotations

from functools import partial

from perfkit.analysis.curves import questions
from perfkit.analysis.curves.alone import ALONE
from perfkit.analysis.curves.asking import REPEATABILITY
from perfkit.analysis.curves.curves import CONFIDENCE
from perfkit.analysis.curves.little import LITTLES_LAW
from perfkit.analysis.curves.metrics import METRICS, apart_printed, printed
from perfkit.analysis.curves.plateau import KNEE, PLATEAU, STATED
from perfkit.core.answers import Answer
from perfkit.core.units import Format
from perfkit.showing.sentences import Text
from perfkit.showing.statements import words
from perfkit.showing.statements.say import sentences, template

# --- the peak and the lowest latency ----------------------------------------------------------

_LOAD_NOTE = {"highest_load": ", the highest load measured", "one_load": ", the only load measured"}


def load_note(_: Text, answer: Answer) -> str:
    """What is special about the load of a peak."""
    return _LOAD_NOTE.get(words.first_caution(answer, *_LOAD_NOTE) or "", "")


sentences(
    questions.PEAK_IOPS,
    of={
        "measured": "{who} reached a peak of {estimate} at {load}{with_latency}.",
        "measured >=": "{who} gave at least {estimate} at {load}{load_note}{with_latency}; its "
        "peak may lie higher.",
        "missing": "The peak of {who} is not known: {why}.",
    },
    headline={
        "measured": "{who} peaks at {number}.",
        "measured >=": "{who} gives at least {number}: its peak may lie higher.",
    },
    detail={
        "measured": "{value} at {load}{with_latency}.",
        "measured >=": "{value} at {load}{load_note}{with_latency}.",
    },
    load_note=load_note,
)
sentences(
    questions.LOWEST_LATENCY,
    of={
        "measured": "The lowest {metric} of {who} was {value}, at {load}{with_iops}.",
        "measured <=": "The lowest {metric} of {who} was at most {value}, at {load}{with_iops}; it "
        "may be lower elsewhere.",
        "missing": "The lowest {metric} of {who} is not known: {why}.",
    },
    headline={
        "measured": "The lowest {metric} of {who} is {number}.",
        "measured <=": "The lowest {metric} of {who} is at most {number}.",
    },
    detail={
        "measured": "{value} at {load}{with_iops}.",
        "measured <=": "{value} at {load}{with_iops}; it may be lower elsewhere.",
    },
)
sentences(
    questions.IOPS_PER_BUSY_CORE,
    of={
        "measured": "At its peak, at {load}, {who} gave {value} per busy core{with_cpu} of "
        "{cores:count} cores.",
        "missing": "The IOPS of {who} per busy core are not known: {why}.",
    },
    with_cpu=words.also(words.CPU),
)

# --- a result that belongs to no curve -------------------------------------------------------


def alone_at(text: Text, answer: Answer) -> str:
    """At which load, which another result shares: else they would be a curve."""
    if any(item.metric not in METRICS for item in answer.conditions):
        return f"It is one of several results at {words.load(text, words.load_found(answer))}"
    return "The evidence does not say at which load"


def its_throughput(text: Text, answer: Answer) -> str:
    """Its throughput, where that is known: "; its throughput was 4.00 MB/s"."""
    here = words.where(answer, "bw_bytes_per_s")
    return "" if here is None else f"; its throughput was {text.value(here.metric, here.value)}"


sentences(
    ALONE,
    of={"measured": "{who} gave {iops}{with_latency}{throughput}. {at}."},
    headline={"measured": "{who} gave {number}{with_latency}."},
    detail={"measured": "{at}{throughput}."},
    iops=lambda text, answer: text.value(answer.metric, answer.got.value),
    throughput=its_throughput,
    at=alone_at,
)

# --- at a value, or within it -----------------------------------------------------------------


def gave(_: Text, answer: Answer) -> str:
    """The verb of a curve that has a value: it gave IOPS, it had a latency."""
    return "gave" if METRICS[answer.metric].quantity == "rate" else "had"


def _end(text: Text, answer: Answer) -> str:
    """The end of a curve that does not get to the value asked at, with the digits that show it."""
    at = words.asked_at(answer)
    return text(apart_printed(at.metric, words.number(answer, at.metric, role="where"), at.value))


def _with_asked(text: Text, answer: Answer) -> str:
    return words.found(text, answer, words.asked_at(answer).metric)


def _highest(text: Text, answer: Answer) -> str:
    for item in answer.cautions:
        if item.name == "limit_not_reached":
            value = text(dict(item.arguments)["highest"])
            return f": its highest {_metric_asked(text, answer)}, {value}, is within the limit"
    return ""


def _metric_asked(text: Text, answer: Answer) -> str:
    return text(words.name(answer, words.asked_at(answer).metric))


of_within = partial(
    sentences, with_asked=_with_asked, highest=_highest, metric_asked=_metric_asked, end=_end
)
"""With the words about what is within a limit."""

of_within(
    questions.MOST_IOPS_WITHIN_LATENCY,
    of={
        "highest_within": "Within {asked}, the most that {who} gave was {estimate}, at "
        "{load}{with_asked}.",
        "highest_within >=": "Within {asked}, {who} gave at least {estimate}, at "
        "{load}{with_asked}; it may give more{highest}.",
        "beyond_measured": "{who} did not stay within {asked} at any load: its lowest "
        "{metric_asked} was {end}, at {load}{with_iops}.",
        "missing": "The most IOPS of {who} within {asked} are not known: {why}.",
    },
    headline={
        "highest_within": "Within {asked}, {who} gives {number}.",
        "highest_within >=": "Within {asked}, {who} gives at least {number}.",
        "beyond_measured": "{who} does not stay within {asked} at any load.",
    },
    detail={
        "highest_within": "{value} at {load}{with_asked}.",
        "highest_within >=": "{value} at {load}{with_asked}; it may give more{highest}.",
        "beyond_measured": "Its lowest {metric_asked} was {end}, at {load}{with_iops}.",
    },
)


def between(text: Text, answer: Answer) -> str:
    """The two loads between which an answer is interpolated."""
    return " and ".join(words.load(text, c) for c in answer.conditions if c.role == "between")


def _places(text: Text, answer: Answer) -> str:
    """Each place where the curve has the value: a load point, or between two of them."""
    places: list[str] = []
    waiting: str | None = None
    for item in answer.conditions:
        if item.role == "where":
            places.append(f"at {words.load(text, item)}")
        elif item.role == "between" and waiting is None:
            waiting = words.load(text, item)
        elif item.role == "between":
            places.append(f"between {waiting} and {words.load(text, item)}")
            waiting = None
    return "; ".join(places)


MEETINGS = (
    questions.IOPS_AT_LATENCY,
    questions.LATENCY_AT_IOPS,
    questions.CPU_AT_IOPS,
    questions.IOPS_AT_CPU,
)
_AT_LOAD = (
    questions.IOPS_AT_LOAD,
    questions.LATENCY_AT_LOAD,
    questions.THROUGHPUT_AT_LOAD,
    questions.CPU_AT_LOAD,
)

_MET = "At {asked}, {who} {gives} {quantity}."
sentences(
    *MEETINGS,
    of={
        "interpolated": "At {asked}, the curve of {who} gives {estimate}, interpolated between "
        "{between}.",
        "measured": "At {asked}, {who} {gave} {estimate}, measured at {load}.",
        "not_reached": "The curve of {who} does not reach {asked}: its highest was {end}, at "
        "{load}{with_metric}.",
        "beyond_measured": "The curve of {who} lies above {asked} at every load measured: its "
        "lowest was {end}, at {load}{with_metric}.",
        "ambiguous": "The curve of {who} passes {asked} more than once ({places}), so it gives no "
        "single number there.",
    },
    headline={"interpolated": _MET, "measured": _MET},
    detail={
        "interpolated": "{value}, interpolated between {between}.",
        "measured": "{value}, measured at {load}.",
    },
    between=between,
    gave=gave,
    end=_end,
    with_metric=lambda text, answer: words.found(text, answer, answer.metric),
    places=_places,
    gives=lambda text, answer: {"gave": "gives", "had": "has"}[gave(text, answer)],
    quantity=lambda text, answer: words.quantity(
        text, answer, answer.metric, text.value(answer.metric, answer.got.value)
    ),
)
sentences(
    *_AT_LOAD,
    of={
        "measured": "At {asked}, {who} {gave} {estimate}.",
        "not_reached": "{who} was not measured at {asked}: its highest load was {load}.",
        "beyond_measured": "{who} was not measured at {asked}: its lowest load was {load}.",
    },
    gave=gave,
)
sentences(
    *MEETINGS,
    *_AT_LOAD,
    of={"missing": "The {metric} of {who} at {asked} {is_} not known: {why}."},
    is_=lambda _, answer: "are" if METRICS[answer.metric].quantity == "rate" else "is",
)

# --- the repeats ------------------------------------------------------------------------------


def _repeats(text: Text, answer: Answer) -> str:
    fewest, most = (c.value for c in answer.conditions if c.metric == "repeats")
    return text.count(fewest) if fewest == most else f"{text.count(fewest)} to {text.count(most)}"


_FEW = {
    "one_repeat": "; a load point measured once has none",
    "two_repeats": "; two repeats leave one degree of freedom",
}

sentences(
    REPEATABILITY,
    of={
        "measured": "Over {repeats} repeats, the {level} intervals of the {metric} of {who} reach "
        "at most {value:percent} above their value, at {load}{few}.",
        "missing": "The repeatability of {who} is not known: {why}.",
    },
    repeats=_repeats,
    level=lambda text, _: text(Format("%").show(CONFIDENCE)),
    few=lambda _, answer: "".join(_FEW[key] for key in _FEW if words.first_caution(answer, key)),
)

# --- the shape of the curve -------------------------------------------------------------------

sentences(
    KNEE,
    of={
        "measured": "By Kleinrock's power, the knee of {who} lies at {load}{with_iops}"
        "{with_latency}.",
        "missing": "By Kleinrock's power, no knee is reported for {who}: {why}.",
    },
)


@template(PLATEAU, status="measured")
def _plateau(text: Text, answer: Answer) -> str:
    ends = [c for c in answer.conditions if c.role == "between"]
    first, last = (c for c in ends if c.metric not in METRICS)
    loads = text.loads(first.metric, first.value, last.value)
    latencies = [printed(c.metric, c.value) for c in ends if c.metric in METRICS]
    grew = ""
    if latencies:
        of = text(words.name(answer, "lat_mean_s"))
        went = text.ends(latencies, "went from {} to {}", "was {} at both ends")
        grew = f", while the {of} {went}"
    who = words.who(text, answer)
    return f"From {loads}, {who} gave {stays(text, answer)}{grew}{host(text, answer)}."


def stays(text: Text, answer: Answer) -> str:
    """Between which IOPS a plateau lies."""
    return text.span("iops", answer.got.value, words.number(answer, "iops", role="where"))


def _results(text: Text, answer: Answer) -> str:
    """Of how many results the law holds: "all 36 closed-loop results"."""
    within, every = (int(words.number(answer, key)) for key in ("results_within", "results"))
    if every == 1:
        return f"{'the only' if within else 'no'} closed-loop result"
    if within == every:
        return f"all {text.count(every)} closed-loop results"
    return f"{text.count(within) if within else 'none'} of {text.count(every)} closed-loop results"


def host(text: Text, answer: Answer) -> str:
    """What is known of the host on a plateau."""
    busy = words.where(answer, words.CPU)
    if busy and words.first_caution(answer, "host_may_hold"):
        share = text.value(words.CPU, busy.value)
        return f"; the host was up to {share} busy, so it may be host-bound"
    if words.first_caution(answer, "host_unknown"):
        return "; the host's CPU was not recorded, so what limits it is not known"
    return ""


sentences(
    PLATEAU,
    of={"missing": "{who} shows no plateau: {why}."},
    headline={"measured": "{who} levels off at {range}."},
    range=stays,
)
sentences(
    STATED,
    of={"measured": "A plateau of {range} is stated, without its points{host}."},
    headline={"measured": "A plateau of {range} is stated."},
    detail={"measured": "Its points are not printed, so it is not computed again{host}."},
    range=stays,
    host=host,
)
sentences(
    LITTLES_LAW,
    of={
        "measured": "IOPS times mean latency equals the I/Os in flight to within {tolerance} in "
        "{results} of {who}; {furthest}at {load}, it accounts for {value:percent_3} of "
        "them.{broken}",
        "missing": "Little's law cannot be applied to {who}: {why}.",
    },
    tolerance=lambda text, answer: text(Format("%").show(words.asked_at(answer).value)),
    results=_results,
    furthest=lambda _, answer: (
        "" if words.number(answer, "results") == 1 else "in the one furthest off, "
    ),
    broken=lambda _, answer: (
        " A result beyond that ran at a different depth than it states, or was read wrongly."
        if words.first_caution(answer, "little_broken")
        else ""
    ),
)
