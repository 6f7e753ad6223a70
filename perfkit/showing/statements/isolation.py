"""Sentences on isolation: whether protected servers keep their level while another one ramps.

The grammar, one line a sentence. S is a server, B the bully, M a metric, L a level with the margin
("its own level of 34.7 s ± 20%"), P a share of the level, V a rate, R a run.

isolation_departure
    measured <=      The M of S was equivalent to L over N runs: its change over the ramp and the
                     range of its runs lie within P of it.
    measured >=      The M of S did not keep L: over the ramp it changed by at least P.
    missing          The M of S is not shown to be equivalent to L, nor that it changed: WHY.
    not_judged       Whether the M of S kept its level could not be judged: WHY.
isolation_effect
    measured         While B ramped from V to V, the M of S changed by P (90% interval P to P) of
                     its level, LINE; its furthest run, R, lay P off it, with B at V. LINE says
                     that the change is not that of plain least squares.
    not_judged       How the M of S changed over the ramp is not known: WHY.
isolation_without_policy
    measured >=      Cause shown: without the policy the M of S does not keep its level, but changes
                     by at least P.
    measured <=      Cause not shown: without the policy too the M of S is equivalent to its level,
                     within P.
    missing          Cause not shown: what the M of S is without the policy does not tell: WHY.
isolation_without_bully
    measured <=      Cause shown: the M of S with B is equivalent to that without, within P.
    measured >=      Cause shown: the M of S with B lies at least P from that without.
    missing          Cause not shown: what the M of S is without B does not tell: WHY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import METRICS, share_printed
from perfkit.analysis.verdicts import isolation
from perfkit.analysis.verdicts.equivalence import LINE
from perfkit.core.units import Format
from perfkit.showing.statements.say import template

if TYPE_CHECKING:
    from perfkit.core.answers import Answer, Estimate
    from perfkit.showing.sentences import Text

_IOPS = Format("IOPS", decimals=0)
_SHARE = Format("%", significant=3)
_MOVED = Format("%", significant=3, sign=True)
_LEVELS = {isolation.OWN_LEVEL: "its own level", isolation.CONTROL_LEVEL: "its level without {b}"}


def _number(answer: Answer) -> Estimate:
    assert answer.estimate is not None  # noqa: S101 - of the statuses that have one
    return answer.estimate


def _found(answer: Answer) -> dict[str, float]:
    return {item.metric: item.value for item in answer.conditions}


def _what(text: Text, answer: Answer) -> str:
    return f"the {text(METRICS[answer.metric].phrase())} of {text(answer.subject.label)}"


def _first(words: str) -> str:
    return words[:1].upper() + words[1:]


def _bully(text: Text, answer: Answer) -> str:
    return text(str(answer.subject.get("bully")))


def _why(text: Text, answer: Answer) -> str:
    return text(answer.reason or "a value is missing")


def _bound(text: Text, answer: Answer) -> str:
    return text(_SHARE.show(_number(answer).value))


def _level(text: Text, answer: Answer) -> str:
    found = _found(answer)
    words = _LEVELS[str(answer.subject.get("level_of"))]
    whose = words.format(b=_bully(text, answer)) if "{b}" in words else words
    level = text.value(answer.metric, found["level"])
    return f"{whose} of {level} ± {text(share_printed(found['margin_ratio']))}"


@template("isolation_departure", status="measured", relation="<=")
def _kept(text: Text, answer: Answer) -> str:
    return (
        f"{_first(_what(text, answer))} was equivalent to {_level(text, answer)} over "
        f"{text.many(_number(answer).n or 0, 'run', 'runs')}: its change over the ramp and the "
        f"range of its runs lie within {_bound(text, answer)} of it."
    )


@template("isolation_departure", status="measured", relation=">=")
def _left(text: Text, answer: Answer) -> str:
    return (
        f"{_first(_what(text, answer))} did not keep {_level(text, answer)}: over the ramp it "
        f"changed by at least {_bound(text, answer)}."
    )


@template("isolation_departure", status="missing")
def _open(text: Text, answer: Answer) -> str:
    return (
        f"{_first(_what(text, answer))} is not shown to be equivalent to {_level(text, answer)}, "
        f"nor that it changed: {_why(text, answer)}."
    )


@template("isolation_departure", status="not_judged")
def _untested(text: Text, answer: Answer) -> str:
    what = _what(text, answer)
    return f"Whether {what} kept its level could not be judged: {_why(text, answer)}."


@template("isolation_effect", status="measured")
def _effect(text: Text, answer: Answer) -> str:
    got, found, bully = _number(answer), _found(answer), _bully(text, answer)
    start, end, then = (
        text(_IOPS.show(found[name]))
        for name in ("bully_from_iops", "bully_to_iops", "worst_at_bully_iops")
    )
    change, low, high, worst = (
        text(_MOVED.show(share)) for share in (got.value, got.low, got.high, found["worst_change"])
    )
    return (
        f"While {bully} ramped from {start} to {end}, {_what(text, answer)} changed by {change} "
        f"({text(share_printed(got.level or 0))} interval {low} to {high}) of its level, {LINE}; "
        f"its furthest run, {text(answer.inputs[0])}, lay {worst} off it, with {bully} at {then}."
    )


@template("isolation_effect", status="not_judged")
def _no_effect(text: Text, answer: Answer) -> str:
    what = _what(text, answer)
    return f"How {what} changed over the ramp is not known: {_why(text, answer)}."


@template("isolation_without_policy", status="measured", relation=">=")
def _policy_works(text: Text, answer: Answer) -> str:
    return (
        f"Cause shown: without the policy {_what(text, answer)} does not keep its level, but "
        f"changes by at least {_bound(text, answer)}."
    )


@template("isolation_without_policy", status="measured", relation="<=")
def _policy_needless(text: Text, answer: Answer) -> str:
    return (
        f"Cause not shown: without the policy too {_what(text, answer)} is equivalent to its "
        f"level, within {_bound(text, answer)}."
    )


@template("isolation_without_policy", status="missing")
def _policy_open(text: Text, answer: Answer) -> str:
    what = _what(text, answer)
    return (
        f"Cause not shown: what {what} is without the policy does not tell: {_why(text, answer)}."
    )


@template("isolation_without_bully", status="measured", relation="<=")
def _bully_harmless(text: Text, answer: Answer) -> str:
    return (
        f"Cause shown: {_what(text, answer)} with {_bully(text, answer)} is equivalent to that "
        f"without, within {_bound(text, answer)}."
    )


@template("isolation_without_bully", status="measured", relation=">=")
def _bully_matters(text: Text, answer: Answer) -> str:
    return (
        f"Cause shown: {_what(text, answer)} with {_bully(text, answer)} lies at least "
        f"{_bound(text, answer)} from that without."
    )


@template("isolation_without_bully", status="missing")
def _bully_open(text: Text, answer: Answer) -> str:
    what, bully = _what(text, answer), _bully(text, answer)
    return f"Cause not shown: what {what} is without {bully} does not tell: {_why(text, answer)}."
