"""The sentences of what stands beside the database.

clock_offset
    measured         The host's clock (dbhost1) is N ahead of that of SHOP, between A and B, as the
                     load tells: QUANTITY changed together in the reports and the recording (r = R).
                     | The host's clock (dbhost1) is that of SHOP to N, as the load tells: ...
    not_judged       Whether the host's clock (dbhost1) is that of SHOP is not judged: WHY.
recording_times
    measured         FILE states no times; it has those of OTHER, whose CPU shares changed with its
                     own sample by sample (r = R over N).
    not_judged       FILE states no times, so it is not set beside any report: WHY.
paths_failed
    measured         When multipath was queried (FILE), all 8 paths to 2 devices worked.
                     | When multipath was queried (FILE), 3 of 8 paths to 2 devices had failed: 2
                     of 4 to data1 (sdc, sde); 1 of 4 to data2 (sdh).
    missing          Whether the paths to the recorded devices worked is not known from FILE: WHY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.awr.beside import BETWEEN
from perfkit.analysis.awr.clocks import CLOCK, TIMES
from perfkit.analysis.awr.paths import FAILED
from perfkit.core.units import Format
from perfkit.showing.statements.say import Template, sentences, template
from perfkit.showing.statements.words import has, number, why

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

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


@template(CLOCK, status="not_judged")
def _no_clock(text: Text, answer: Answer) -> str:
    whose, label = _whose(text, answer), text(answer.subject.label)
    same = ", whose reports name this host," if answer.subject.get("same") else ""
    return f"Whether {whose} agrees with that of {label}{same} is not judged: {why(text, answer)}."


@template(TIMES, status="measured")
def _times(text: Text, answer: Answer) -> str:
    file, other = (text(answer.subject.get(name)) for name in ("file", "beside"))
    r, count = text(_R.show(answer.got.value)), text.count(answer.got.n or 0)
    return (
        f"{file} states no times. It is given those of {other}: the CPU shares of both changed "
        f"together, "
        f"sample by sample (r = {r} over {count} samples)."
    )


@template(TIMES, status="not_judged")
def _no_times(text: Text, answer: Answer) -> str:
    file = text(answer.subject.get("file"))
    return f"{file} states no times, so it is not set beside any report: {why(text, answer)}."


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


@template(FAILED, status="missing")
def _no_paths(text: Text, answer: Answer) -> str:
    file = text(answer.subject.label)
    return (
        f"Whether the paths to the recorded devices worked is not known from {file}: "
        f"{why(text, answer)}."
    )
