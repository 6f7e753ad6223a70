"""The sentences of what stands beside the database.

time_between
    measured         From BEGIN to END a read of SHOP took A as the sessions waited and B at sdb,
                     sdc: C lies between, over N reports. CLOCKS.
    missing          What lies between the wait of SHOP for a read and sdb, sdc is not known: WHY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.awr import beside_answers  # noqa: F401 - registers the question
from perfkit.core.units import Format
from perfkit.showing.statements.say import Template, sentences
from perfkit.showing.statements.words import has, number

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

_SECONDS = Format("s", decimals=0)


def _operation(text: Text, answer: Answer) -> str:
    return text(answer.subject.get("operation"))


def _from_to(text: Text, answer: Answer) -> str:
    begin, end = (answer.subject.get(name) for name in ("begin", "end"))
    return f"From {text(begin)} to {text(end)}"


def _below(text: Text, answer: Answer) -> str:
    return text(answer.subject.get("below"))


def _there(text: Text, answer: Answer) -> str:
    """At a device, in an event."""
    way = "at" if answer.subject.get("operation") == "read" else "in"
    return f"{way} {_below(text, answer)}"


def _clocks(text: Text, answer: Answer) -> str:
    if not has(answer, "offset"):
        return ""
    offset = number(answer, "offset")
    if not offset:
        return " The host's clock is taken as the database's."
    way = "ahead of" if offset > 0 else "behind"
    return f" The host's clock is taken as {text(_SECONDS.show(abs(offset)))} {way} the database's."


def _time(name: str) -> Template:
    return lambda text, answer: text.value("lat_mean_s", number(answer, name))


sentences(
    "time_between",
    of={
        "measured": "{from_to} a {operation} of {label} took {waited} as the sessions waited and "
        "{taken} {there}: {between} lies between, over {reports}.{clocks}",
        "missing": "What lies between the wait of {label} for a {operation} and {below} is not "
        "known: {why}.",
    },
    from_to=_from_to,
    operation=_operation,
    below=_below,
    there=_there,
    clocks=_clocks,
    waited=_time("waited"),
    taken=_time("below"),
    between=_time("value"),
    reports=lambda text, answer: text.many(int(number(answer, "periods")), "report", "reports"),
)
