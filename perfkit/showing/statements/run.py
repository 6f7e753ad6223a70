"""The sentences about how a sweep was measured.

The grammar, one line a sentence. S is the name of the series, L a load ("16 jobs", "iodepth 8"), N
a count, P a share in percent with two digits (with its sign where it is a movement), T a time in
seconds, I an interval, " (97.5% interval LOW to HIGH)", M a metric, H a host, W a workload,
WHY one of the reasons of the analysis.

stalled_points
    measured        N of N points of S stalled: they did no I/O for a time, or were N times slower
                    than the best that they kept up, by rate or by latency[. The worst was L[,
                    repeat N]: slow for T of T[, without I/O for up to T]].
    not_judged      Whether S stalled is not known: WHY.
drift
    measured =      From the first to the last of N control points at L, the IOPS of S moved by PI:
                    more than the spread of repeats explains.
    measured <=     From the first to the last of N control points at L, no trend in the IOPS of S
                    shows: they moved by at most PI.
    missing         The drift of S[ at L] is not known: WHY.
control_spread
    measured =      The N control points of S at L gave Q to Q: the lowest lies P below the highest,
                    and the spread of repeats explains up to P.
    measured <=     The N control points of S at L gave Q to Q, which the spread of repeats explains
                    (up to P): the lowest lies at most P below the highest.
    missing         How far the control points of S[ at L] lie apart is not known: WHY.
longest_drain
    measured =      At L[, repeat N], N of N drains of W were completed, the longest in T.
    measured >=     At L[, repeat N], N of N drains of W were completed, the longest of these in T:
                    WHY.
    missing         At L[, repeat N], none of N drains of W was completed.
host_balance
    measured        Of N hosts, the slowest, H, gave Q, P of the Q of the fastest, H, where they lay
                    furthest apart, at L[, repeat N].
    missing, not_judged   How far the hosts of S lie apart is not known: WHY.
steady_state
    measured        By the SNIA rule S was steady after N rounds: in the last five the M moved by P
                    of its mean (at most P), its best-fit line by P (at most P).
    not_reached     By the SNIA rule S was not steady after N rounds: ... (as above)
    missing         Whether S was steady is not known: WHY.
steady_trend
    measured =      In the last five rounds the M of S still moved: its best-fit line by PI of its
                    mean.
    measured <=     In the last five rounds no trend in the M of S shows: its best-fit line moved by
                    at most PI of its mean.
    missing         Whether S still moved is not known: WHY.
steady_by_chance
    measured        A random walk, which is never steady, with such steps from round to round (P)
                    keeps the rule within N rounds in P of cases.
    missing         How easily chance keeps the rule is not known: WHY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import METRICS, exact_printed, metric_of, workload_name
from perfkit.analysis.over_time import cycles, drift, stalls, steadiness  # noqa: F401 - register the questions
from perfkit.analysis.over_time.steadiness import CONFIDENCE
from perfkit.core.units import Format
from perfkit.showing.statements.say import template

if TYPE_CHECKING:
    from perfkit.core.answers import Answer, Condition, Estimate
    from perfkit.showing.sentences import Text

_PERCENT = Format("%", significant=2)
_MOVED = Format("%", significant=2, sign=True)
_SECONDS = Format("s", significant=3)


def _number(answer: Answer) -> Estimate:
    assert answer.estimate is not None  # noqa: S101 - of the statuses that have one
    return answer.estimate


def _conditions(answer: Answer) -> dict[str, Condition]:
    return {item.metric: item for item in answer.conditions}


def _value(text: Text, answer: Answer, name: str, form: Format) -> str:
    return text(form.show(_conditions(answer)[name].value))


_FACTS = frozenset({
    "factor", "limit", "repeat", "watched_s", "slow_s", "without_io_s", "controls", "lowest",
    "highest", "chance", "hosts", "cycles", "cycles_planned", "drain_shortest_s",
})  # fmt: skip
"""Conditions that are not the load."""


def _load(text: Text, answer: Answer) -> str | None:
    """The load, where the answer has one, with the repeat."""
    load = next((item for item in answer.conditions if item.metric not in _FACTS), None)
    if load is None:
        return None
    repeat = _conditions(answer).get("repeat")
    after = "" if repeat is None else f", repeat {text.count(repeat.value)}"
    return f"{text.load(load.metric, load.value)}{after}"


def _interval(text: Text, answer: Answer) -> str:
    got = _number(answer)
    low, high = text(_MOVED.show(got.low)), text(_MOVED.show(got.high))
    level = text(Format("%", decimals=0 if got.level == CONFIDENCE else 1).show(got.level))
    return f" ({level} interval {low} to {high})"


def _why(text: Text, answer: Answer) -> str:
    return text(answer.reason or "a value is missing")


# --- stalls -----------------------------------------------------------------------------------


@template("stalled_points", status="measured")
def _stalled(text: Text, answer: Answer) -> str:
    got = _number(answer)
    of = text.many(got.n or 0, "point", "points")
    factor = text(exact_printed("factor", _conditions(answer)["factor"].value))
    where = _load(text, answer)
    worst = ""
    if where:
        slow, watched = (_value(text, answer, n, _SECONDS) for n in ("slow_s", "watched_s"))
        still = ""
        if "without_io_s" in _conditions(answer):
            still = f", without I/O for up to {_value(text, answer, 'without_io_s', _SECONDS)}"
        worst = f" The worst was {where}: slow for {slow} of {watched}{still}."
    return (
        f"{text.count(got.value)} of {of} of {text(answer.subject.label)} stalled: they did no I/O "
        f"for a time, or were {factor} times slower than the best that they kept up, by rate or by "
        f"latency.{worst}"
    )


@template("stalled_points", status="not_judged")
def _stalls_open(text: Text, answer: Answer) -> str:
    return f"Whether {text(answer.subject.label)} stalled is not known: {_why(text, answer)}."


# --- drift ------------------------------------------------------------------------------------


def _controls(text: Text, answer: Answer) -> tuple[str, str | None]:
    count = text.count(_conditions(answer)["controls"].value)
    return count, _load(text, answer)


@template("drift", status="measured")
def _drifted(text: Text, answer: Answer) -> str:
    count, load = _controls(text, answer)
    moved = text(_MOVED.show(_number(answer).value))
    return (
        f"From the first to the last of {count} control points at {load}, the IOPS of "
        f"{text(answer.subject.label)} moved by {moved}{_interval(text, answer)}: more than the "
        f"spread of repeats explains."
    )


@template("drift", status="measured", relation="<=")
def _no_drift(text: Text, answer: Answer) -> str:
    count, load = _controls(text, answer)
    most = text(_PERCENT.show(_number(answer).value))
    return (
        f"From the first to the last of {count} control points at {load}, no trend in the IOPS of "
        f"{text(answer.subject.label)} shows: they moved by at most {most}"
        f"{_interval(text, answer)}."
    )


@template("drift", status="missing")
def _drift_open(text: Text, answer: Answer) -> str:
    return f"The drift of {_series_at(text, answer)} is not known: {_why(text, answer)}."


def _series_at(text: Text, answer: Answer) -> str:
    label, load = text(answer.subject.label), _load(text, answer)
    return f"{label} at {load}" if load else label


def _gave(text: Text, answer: Answer) -> str:
    count, load = _controls(text, answer)
    low, high = (text.value("iops", _conditions(answer)[n].value) for n in ("lowest", "highest"))
    return (
        f"The {count} control points of {text(answer.subject.label)} at {load} gave {low} to {high}"
    )


@template("control_spread", status="measured")
def _apart(text: Text, answer: Answer) -> str:
    gave = _gave(text, answer)
    below = text(_PERCENT.show(_number(answer).value))
    return (
        f"{gave}: the lowest lies {below} below the highest, and the spread of repeats explains "
        f"up to {_value(text, answer, 'chance', _PERCENT)}."
    )


@template("control_spread", status="measured", relation="<=")
def _together(text: Text, answer: Answer) -> str:
    gave = _gave(text, answer)
    chance = _value(text, answer, "chance", _PERCENT)
    return (
        f"{gave}, which the spread of repeats explains (up to {chance}): the lowest lies at most "
        f"{text(_PERCENT.show(_number(answer).value))} below the highest."
    )


@template("control_spread", status="missing")
def _apart_open(text: Text, answer: Answer) -> str:
    return (
        f"How far the control points of {_series_at(text, answer)} lie apart is not known: "
        f"{_why(text, answer)}."
    )


# --- drain cycles -----------------------------------------------------------------------------


def _drains(text: Text, answer: Answer) -> tuple[str, str]:
    found = _conditions(answer)
    done = text.count(found["cycles"].value)
    planned = text.many(int(found["cycles_planned"].value), "drain", "drains")
    return done, f"{planned} of {text(workload_name(answer.subject.label))}"


@template("longest_drain", status="measured", relation=("=", ">="))
def _longest(text: Text, answer: Answer) -> str:
    load, (done, planned) = _load(text, answer), _drains(text, answer)
    longest = text.value("drain_longest_s", _number(answer).value)
    said = f"At {load}, {done} of {planned} were completed, the longest"
    if answer.relation == "=":
        return f"{said} in {longest}."
    return f"{said} of these in {longest}: {_why(text, answer)}."


@template("longest_drain", status="missing")
def _no_drain(text: Text, answer: Answer) -> str:
    load, (_, planned) = _load(text, answer), _drains(text, answer)
    return f"At {load}, none of {planned} was completed."


# --- hosts ------------------------------------------------------------------------------------


@template("host_balance", status="measured")
def _balance(text: Text, answer: Answer) -> str:
    slowest, fastest = answer.sides
    count = text.count(_conditions(answer)["hosts"].value)
    low, high = (text.value("iops", _number(side).value) for side in (slowest, fastest))
    return (
        f"Of {count} hosts, the slowest, {text(slowest.subject.label)}, gave {low}, "
        f"{text(_PERCENT.show(_number(answer).value))} of the {high} of the fastest, "
        f"{text(fastest.subject.label)}, where they lay furthest apart, at {_load(text, answer)}."
    )


@template("host_balance", status=("missing", "not_judged"))
def _balance_open(text: Text, answer: Answer) -> str:
    label = text(answer.subject.label)
    return f"How far the hosts of {label} lie apart is not known: {_why(text, answer)}."


# --- steady state -----------------------------------------------------------------------------


def _metric(text: Text, answer: Answer) -> str:
    return text(metric_of(answer.metric).phrase())


def _its(answer: Answer) -> str:
    return "their" if METRICS[answer.metric].quantity == "rate" else "its"


def _rule(text: Text, answer: Answer, was: str) -> str:
    rounds = _value(text, answer, "rounds", Format("1", decimals=0))
    spread, most, moved, limit = (
        _value(text, answer, name, _PERCENT)
        for name in ("range_ratio", "range_most", "slope_ratio", "slope_most")
    )
    its = _its(answer)
    return (
        f"By the SNIA rule {text(answer.subject.label)} {was} steady after {rounds} rounds: in the "
        f"last five the {_metric(text, answer)} moved by {spread} of {its} mean (at most {most}), "
        f"{its} best-fit line by {moved} (at most {limit})."
    )


@template("steady_state", status="measured")
def _steady(text: Text, answer: Answer) -> str:
    return _rule(text, answer, "was")


@template("steady_state", status="not_reached")
def _unsteady(text: Text, answer: Answer) -> str:
    return _rule(text, answer, "was not")


@template("steady_state", status="missing")
def _steady_open(text: Text, answer: Answer) -> str:
    return f"Whether {text(answer.subject.label)} was steady is not known: {_why(text, answer)}."


@template("steady_trend", status="measured")
def _moving(text: Text, answer: Answer) -> str:
    moved = text(_MOVED.show(_number(answer).value))
    its = _its(answer)
    return (
        f"In the last five rounds the {_metric(text, answer)} of {text(answer.subject.label)} "
        f"still moved: {its} best-fit line by {moved}{_interval(text, answer)} of {its} mean."
    )


@template("steady_trend", status="measured", relation="<=")
def _still(text: Text, answer: Answer) -> str:
    most = text(_PERCENT.show(_number(answer).value))
    its = _its(answer)
    return (
        f"In the last five rounds no trend in the {_metric(text, answer)} of "
        f"{text(answer.subject.label)} shows: {its} best-fit line moved by at most "
        f"{most}{_interval(text, answer)} of {its} mean."
    )


@template("steady_trend", status="missing")
def _trend_open(text: Text, answer: Answer) -> str:
    return f"Whether {text(answer.subject.label)} still moved is not known: {_why(text, answer)}."


@template("steady_by_chance", status="measured")
def _by_chance(text: Text, answer: Answer) -> str:
    rounds = _value(text, answer, "rounds", Format("1", decimals=0))
    return (
        f"A random walk, which is never steady, with such steps from round to round "
        f"({_value(text, answer, 'step', _PERCENT)}) keeps the rule within {rounds} rounds in "
        f"{text(_PERCENT.show(_number(answer).value))} of cases."
    )


@template("steady_by_chance", status="missing")
def _chance_open(text: Text, answer: Answer) -> str:
    return f"How easily chance keeps the rule is not known: {_why(text, answer)}."
