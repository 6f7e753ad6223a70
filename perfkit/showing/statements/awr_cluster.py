"""The sentence of what the instances of a cluster did together.

cluster_time
    measured         WHEN, instances 1, 2 of SHOP, 2 of 2, together had N average active sessions
                     [, N to N by period]: X read and Y write requests a second, V and W.
    missing          What instances 1, 2 of SHOP did together is not known: WHY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.awr.periods.cluster import TIME
from perfkit.showing.statements.awr_series import by_periods, quantity, when
from perfkit.showing.statements.say import template
from perfkit.showing.statements.words import has, number, why

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

_RATES = (
    ("read_iops", "1/s", "read requests a second"),
    ("write_iops", "1/s", "write requests a second"),
    ("read_bytes_per_s", "bytes/s", "read"), ("write_bytes_per_s", "bytes/s", "written"),
)  # fmt: skip


def _which(text: Text, answer: Answer) -> str:
    return f"instances {text(answer.subject.get('instances'))} of {text(answer.subject.label)}"


@template(TIME.name, status="measured")
def _together(text: Text, answer: Answer) -> str:
    began = when(text, answer)
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
        f"{began[:1].upper()}{began[1:]}, {_which(text, answer)} together, "
        f"{text.count(number(answer, 'present'))} of {of}, had {sessions} average active sessions"
        f"{by_period}{told}."
    )


@template(TIME.name, status="missing")
def _not_together(text: Text, answer: Answer) -> str:
    return f"What {_which(text, answer)} did together is not known: {why(text, answer)}."
