"""The sentences of what stands beside the database."""

from __future__ import annotations

from perfkit.analysis.awr.beside import BETWEEN
from perfkit.analysis.awr.clocks import CLOCK, TIMES
from perfkit.analysis.awr.paths import FAILED
from perfkit.core.answers import Answer
from perfkit.core.units import Format
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import Template, sentences, template
from perfkit.showing.statements.words import has, number

_SECONDS = Format("s", decimals=0)


def _of(name: str) -> Template:
    return lambda text, answer: text(answer.subject.get(name))


def _clocks(text: Text, answer: Answer) -> str:
    if not has(answer, "offset"):
        return ""
    offset = number(answer, "offset")
    if not offset:
        return " The host's clock is taken to agree with the database's."
    way = "ahead of" if offset > 0 else "behind"
    by = text(_SECONDS.show(abs(offset)))
    return f" The host's clock is taken to be {by} {way} the database's."


def _time(name: str) -> Template:
    return lambda text, answer: text.value("lat_mean_s", number(answer, name))


sentences(
    BETWEEN,
    of={
        "measured": "From {begin} to {end} a {operation} of {label} took {waited} as the sessions "
        "saw it and {taken} {there} {below}, leaving {between} in between, over {reports}.{clocks}",
        "missing": "What lies between the wait of {label} for a {operation} and {below} is not "
        "known: {why}.",
    },
    begin=_of("begin"),
    end=_of("end"),
    operation=_of("operation"),
    below=_of("below"),
    # at a device, in an event
    there=lambda _, answer: "at" if answer.subject.get("operation") == "read" else "in",
    clocks=_clocks,
    waited=_time("waited"),
    taken=_time("below"),
    between=_time("value"),
    reports=lambda text, answer: text.many(int(number(answer, "periods")), "report", "reports"),
)


# --- clocks -----------------------------------------------------------------------------------

_R = Format("1", decimals=2)

_QUANTITIES = {
    "cpu_busy_ratio": "the host's busy share",
    "read_iops": "reads per second",
    "read_bytes_per_s": "what was read per second",
    "iops": "I/O requests per second",
}


def _whose(text: Text, answer: Answer) -> str:
    """The host's clock, with the host's name where the recording states it."""
    name, place = answer.subject.get("host"), answer.subject.get("place")
    return f"the {place}'s clock" + (f" ({text(name)})" if name else "")


@template(CLOCK, status="measured")
def _clock(text: Text, answer: Answer) -> str:
    found = answer.got
    low, high = found.low or 0.0, found.high or 0.0
    r, quantity = text(_R.show(number(answer, "correlation"))), _QUANTITIES[answer.metric]
    told = (
        f"judging by the load: {quantity} changed together in the reports and the recording "
        f"(r = {r} over {text.many(found.n or 0, 'change', 'changes')})."
    )
    whose, label = _whose(text, answer), text(answer.subject.label)
    whose = f"{whose[:1].upper()}{whose[1:]}"
    if not number(answer, "taken"):
        least = text(_SECONDS.show(max(abs(low), abs(high))))
        return f"{whose} agrees with that of {label} to within {least}, {told}"
    way = "ahead of" if found.value > 0 else "behind"
    ends = sorted((low, high), key=abs)
    between = text.ends(_SECONDS.show(abs(end)) for end in ends)
    return f"{whose} is {between} {way} that of {label}, {told}"


sentences(
    CLOCK,
    of={
        "not_judged": "Whether {whose} agrees with that of {label}{same} is not judged: {why}.",
    },
    whose=_whose,
    same=lambda _, answer: ", whose reports name this host," if answer.subject.get("same") else "",
)
sentences(
    TIMES,
    of={
        "measured": "{file} states no times. It is given those of {beside}: the CPU shares of both "
        "changed together, sample by sample (r = {r} over {samples} samples).",
        "not_judged": "{file} states no times, so it is not set beside any report: {why}.",
    },
    file=_of("file"),
    beside=_of("beside"),
    r=lambda text, answer: text(_R.show(answer.got.value)),
    samples=lambda text, answer: text.count(answer.got.n or 0),
)

# --- paths ------------------------------------------------------------------------------------


@template(FAILED, status="measured")
def _paths(text: Text, answer: Answer) -> str:
    failed, paths = (round(number(answer, name)) for name in ("value", "paths"))
    every = text.many(paths, "path", "paths")
    devices = text.many(round(number(answer, "maps")), "device", "devices")
    asked = f"When multipath was queried ({text(answer.subject.label)}),"
    if not failed:
        return f"{asked} {'all ' if paths > 1 else 'the '}{every} to {devices} worked."
    which = text(answer.subject.get("failed"))
    return f"{asked} {text.count(failed)} of {every} to {devices} had failed: {which}."


sentences(
    FAILED,
    of={
        "missing": "Whether the paths to the recorded devices worked is not known from {label}: "
        "{why}.",
    },
)
