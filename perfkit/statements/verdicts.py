"""Sentences on criteria of runs, headroom, isolation and adaptive QoS, each made of its numbers.

The grammar, one line a sentence. S is a server; V a rate in full ("81,207 IOPS"); R a run.

criteria_met
    measured         Of N judgements, N passed.[ N judgements of subjects that are meant to fail
                     stand apart.]
    not_judged       Nothing was judged: WHY.[ ...]
runs_passed
    measured         S met all criteria in N of N runs[; it first failed in R at V (WHY)].[ N runs
                     could not be judged.]
    not_judged       N runs of S could not be judged: WHY.
last_passing_iops
    measured =       S last passed in R with V[; all servers together gave V in that run].[ The
                     next, R[ at V], did not pass|could not be judged.]
    measured >=      S last passed in R with V, the last run of all, so the limit may lie higher[;
                     all servers together gave V in that run].
    missing          No IOPS of a passing run of S are known: WHY.
headroom_iops
    measured =       Against the V required of S the headroom is V (N%)[; by the targets of the
                     runs, V].
    measured >=      Against the V required of S the headroom is at least V (N%)[; ...].
    missing          The headroom of S is not known: WHY.
qos_floor
    measured         Policy P guarantees V and allows V at N TB[ on N volumes][ with the absolute
                     minimum read as READING]; its inputs are V expected and V at peak per TB, with
                     an absolute minimum of V for each volume.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from perfkit.analysis import adaptive_qos, run_verdicts  # noqa: F401 - they register the questions
from perfkit.analysis import headroom as room_words
from perfkit.analysis import isolation as isolation_words
from perfkit.analysis.judge import criteria_met, judgements
from perfkit.analysis.metrics import METRICS
from perfkit.analysis.series import Row, rows_with
from perfkit.answers import from_frame
from perfkit.cautions import from_json
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.statements.say import sentence, template
from perfkit.units import Format, Printed
from perfkit.values import UNSUPPORTED

if TYPE_CHECKING:
    from perfkit.answers import Answer
    from perfkit.values import Statement, Verdict

_IOPS = Format("IOPS", decimals=0)
_SIGNED = Format("IOPS", decimals=0, sign=True)
_SHARE = Format("%", significant=2)
_SIGNED_SHARE = Format("%", significant=2, sign=True)
_SIZE = Format("1", significant=4)


_rows = functools.partial(rows_with, otherwise="nothing to say")


def _iops(text: Text, value: float | None) -> str:
    return text(_IOPS.show(value))


def _where(answer: Answer) -> dict[str, float]:
    """What was found beside the estimate, by name."""
    return {item.metric: item.value for item in answer.conditions if item.role == "where"}


def _found(answer: Answer) -> float:
    assert answer.estimate is not None  # noqa: S101 - of the statuses that have one
    return answer.estimate.value


def _name(text: Text, answer: Answer) -> str:
    label = answer.subject.label
    return label if label == room_words.CLUSTER else text(label)


def _first(words: str) -> str:
    return words[:1].upper() + words[1:]


# --- a verdict --------------------------------------------------------------------------------


def say_verdict(verdict: Verdict, *, value_id: str = "verdict-summary") -> Statement:
    """How many judgements passed, each that did not, and each that its repeats do not support."""
    judged = judgements(verdict)
    return _say_verdict(judged, criteria_met(judged), value_id=value_id)


@step(version=2, name="say.verdict")
def _say_verdict(judged: Measured, met: Measured, *, value_id: str) -> Statement:
    text = Text()
    (answer,) = from_frame(met.frame)
    rows = [row for row in judged.frame.rows(named=True) if row["meant_to_fail"] is None]
    said = [_JUDGED[row["outcome"]](text, row) for row in rows]
    return text.done(value_id, [sentence(text, answer), *filter(None, said)])


@template("criteria_met", status="measured")
def _met(text: Text, answer: Answer) -> str:
    where = _where(answer)
    total = text.many(int(where["judgements"]), "judgement", "judgements")
    return f"Of {total}, {text.count(_found(answer))} passed.{_apart(text, where)}"


@template("criteria_met", status="not_judged")
def _nothing(text: Text, answer: Answer) -> str:
    reason = answer.reason or "there is no value"
    return f"Nothing was judged: {text(reason)}.{_apart(text, _where(answer))}"


def _apart(text: Text, where: dict[str, float]) -> str:
    if "meant_to_fail" not in where:
        return ""
    many = text.many(int(where["meant_to_fail"]), "judgement", "judgements")
    return f" {many} of subjects that are meant to fail stand apart."


def _subject_of(text: Text, row: Row) -> str:
    return f"{text(row['criterion'])} ({text(row['scope'])})"


def _passes(text: Text, row: Row) -> str:
    weak = _weak(text, row)
    return f"{_subject_of(text, row)} passed{weak}." if weak else ""


def _fails_rule(text: Text, row: Row) -> str:
    shown = Printed(row["value_text"], row["value"], row["value_unit"], row["value_rounding"])
    return (
        f"{_subject_of(text, row)} failed: {text(shown)} against the rule {text(row['rule'])}"
        f"{_weak(text, row)}."
    )


def _weak(text: Text, row: Row) -> str:
    told = [item.text for item in from_json(row["cautions"]) if item.name in UNSUPPORTED]
    return f", but {text('; '.join(told))}" if told else ""


def _open_rule(text: Text, row: Row) -> str:
    return f"{_subject_of(text, row)} could not be judged: {text(row['reason'] or 'no value')}."


_JUDGED: dict[str, Callable[[Text, Row], str]] = {
    "pass": _passes,
    "fail": _fails_rule,
    "not judged": _open_rule,
}


# --- runs that meet all criteria --------------------------------------------------------------


@template("runs_passed", status="measured")
def _passed(text: Text, answer: Answer) -> str:
    where = _where(answer)
    runs = text.many(int(where["runs"]), "run", "runs")
    said = (
        f"{text(answer.subject.label)} met all criteria in {text.count(_found(answer))} of {runs}"
    )
    if answer.inputs:
        at = f" at {_iops(text, where['total_iops'])}" if "total_iops" in where else ""
        why = f" ({text(answer.reason)})" if answer.reason else ""
        said += f"; it first failed in {text(answer.inputs[0])}{at}{why}"
    open_ = int(where.get("runs_not_judged", 0))
    left = f" {text.many(open_, 'run', 'runs')} could not be judged." if open_ else ""
    return f"{said}.{left}"


@template("runs_passed", status="not_judged")
def _unjudged(text: Text, answer: Answer) -> str:
    open_ = int(_where(answer).get("runs_not_judged", 0))
    return (
        f"{text.many(open_, 'run', 'runs')} of {text(answer.subject.label)} could not be judged: "
        f"{text(answer.reason or 'no value')}."
    )


# --- headroom ---------------------------------------------------------------------------------


@template("last_passing_iops", status="measured", relation=("=", ">="))
def _last(text: Text, answer: Answer) -> str:
    where = _where(answer)
    said = (
        f"{_first(_name(text, answer))} last passed in {text(answer.inputs[0])} with "
        f"{_iops(text, _found(answer))}"
    )
    if answer.relation == ">=":
        said += ", the last run of all, so the limit may lie higher"
    if "cluster_iops" in where:
        said += f"; all servers together gave {_iops(text, where['cluster_iops'])} in that run"
    return f"{said}.{_next(text, answer, where)}"


def _next(text: Text, answer: Answer, where: dict[str, float]) -> str:
    if len(answer.inputs) == 1:
        return ""
    words = "did not pass" if where["next_judged"] else "could not be judged"
    at = f" at {_iops(text, where['next_iops'])}" if "next_iops" in where else ""
    return f" The next, {text(answer.inputs[1])}{at}, {words}."


@template("last_passing_iops", status="missing")
def _none(text: Text, answer: Answer) -> str:
    return (
        f"No IOPS of a passing run of {_name(text, answer)} are known: "
        f"{text(answer.reason or 'no run passes')}."
    )


@template("headroom_iops", status="measured", relation=("=", ">="))
def _left(text: Text, answer: Answer) -> str:
    where = _where(answer)
    shown = text(_SIGNED.show(_found(answer)))
    share = text(_SIGNED_SHARE.show(where["headroom_ratio"]))
    least = "at least " if answer.relation == ">=" else ""
    said = (
        f"Against the {_iops(text, where['required_iops'])} required of {_name(text, answer)} the "
        f"headroom is {least}{shown} ({share})"
    )
    if "target_headroom_iops" in where:
        target = text(_SIGNED.show(where["target_headroom_iops"]))
        said += f"; by the targets of the runs, {target}"
    return f"{said}."


@template("headroom_iops", status="missing")
def _no_room(text: Text, answer: Answer) -> str:
    return (
        f"The headroom of {_name(text, answer)} is not known: "
        f"{text(answer.reason or 'no run passes')}."
    )


# --- adaptive QoS -----------------------------------------------------------------------------


@template("qos_floor", status="measured")
def _growth(text: Text, answer: Answer) -> str:
    where = _where(answer)
    means = answer.subject.get("reading")
    reading = f" with the absolute minimum read as {text(means)}" if means else ""
    volumes = f" on {text.count(where['volumes'])} volumes" if "volumes" in where else ""
    return (
        f"Policy {text(answer.subject.label)} guarantees {_iops(text, _found(answer))} and allows "
        f"{_iops(text, where['ceiling_iops'])} at {text(_SIZE.show(where['size_tb']))} TB{volumes}"
        f"{reading}; its inputs are {_iops(text, where['expected_iops_per_tb'])} expected and "
        f"{_iops(text, where['peak_iops_per_tb'])} at peak per TB, with an absolute minimum of "
        f"{_iops(text, where['absolute_min_iops'])} for each volume."
    )


# --- isolation --------------------------------------------------------------------------------


@step(version=1, name="say.isolation")
def say_isolation(found: Measured, *, value_id: str = "isolation-said") -> Statement:
    """Whether each victim kept its level, its worst change, where the bully fails, and the cause.

    "Not affected" is never said: equivalence is, where it is shown, and the cause as the control
    tells it.
    """
    rows = _rows(found, "isolation", ("victim", "bully", "metric", "status", "margin", "cause"))
    text = Text()
    said = [_ramp(text, rows), *(_ISOLATION[row["status"]](text, row) for row in rows)]
    said += [_fails(text, row) for row in rows[:1]]
    for cause in dict.fromkeys(row["cause"] for row in rows if row["cause"]):
        whose = [row["victim"] for row in rows if row["cause"] == cause]
        names = "" if len(whose) == len(rows) else f" ({text(', '.join(dict.fromkeys(whose)))})"
        said.append(f"{text(cause[:1].upper() + cause[1:])}{names}.")
    return text.done(value_id, [part for part in said if part])


def _ramp(text: Text, rows: list[Row]) -> str:
    row = next((row for row in rows if row["bully_from_iops"] is not None), None)
    if row is None:
        return ""
    return (
        f"{text(row['bully'])} ramped from {_iops(text, row['bully_from_iops'])} to "
        f"{_iops(text, row['bully_to_iops'])}."
    )


def _value(text: Text, row: Row, key: str, *, sign: bool = False) -> str:
    metric = row["metric"]
    unit = {"rate": "IOPS"}.get(METRICS[metric].quantity) or (
        "s" if row["level"] >= 1 else "ms" if row["level"] >= _MILLI / 10 else "us"
    )
    decimals = {"IOPS": 0, "s": 2, "ms": 3, "us": 1}[unit]
    shown: Printed = Format(unit, decimals=decimals, sign=sign).show(row[key])
    return text(shown)


_MILLI = 1e-3


def _level(text: Text, row: Row) -> str:
    whose = "its level without the bully" if row["level_of"] == "control" else "its own level"
    return (
        f"{whose} of {_value(text, row, 'level')} ± {_value(text, row, 'margin')} "
        f"({text(_SHARE.show(row['margin_ratio']))})"
    )


def _change(text: Text, row: Row) -> str:
    share = text(Format("%").show(row["confidence"]))
    return (
        f"it changed by {_value(text, row, 'change', sign=True)} over the ramp ({share} interval "
        f"{_value(text, row, 'change_low', sign=True)} to "
        f"{_value(text, row, 'change_high', sign=True)}), and its worst run, "
        f"{text(row['worst_run'])}, lay {_value(text, row, 'worst_change', sign=True)} "
        f"({text(_SIGNED_SHARE.show(row['worst_change_ratio']))}) off the level with the bully at "
        f"{_iops(text, row['worst_at_bully_iops'])}"
    )


def _subject(text: Text, row: Row) -> str:
    return f"The {text(METRICS[row['metric']].phrase())} of {text(row['victim'])}"


def _equivalent(text: Text, row: Row) -> str:
    return (
        f"{_subject(text, row)} was equivalent to {_level(text, row)} over all "
        f"{text.count(row['runs'])} runs: {_change(text, row)}."
    )


def _changed(text: Text, row: Row) -> str:
    return f"{_subject(text, row)} did not keep {_level(text, row)}: {_change(text, row)}."


def _open(text: Text, row: Row) -> str:
    return (
        f"{_subject(text, row)} is not shown to be equivalent to {_level(text, row)} "
        f"({text(row['open'])} not shown to lie within it), nor that it changed: "
        f"{_change(text, row)}."
    )


def _not_judged(text: Text, row: Row) -> str:
    return f"{_subject(text, row)} could not be judged: {text(row['reason'] or 'no value')}."


_ISOLATION: dict[str, Callable[[Text, Row], str]] = {
    isolation_words.EQUIVALENT: _equivalent,
    isolation_words.CHANGED: _changed,
    isolation_words.NOT_SHOWN: _open,
    isolation_words.NOT_JUDGED: _not_judged,
}


def _fails(text: Text, row: Row) -> str:
    if row["bully_first_fail"] is None:
        return ""
    before = ""
    if row["bully_last_pass_iops"] is not None:
        before = f", after it last passed at {_iops(text, row['bully_last_pass_iops'])}"
    return (
        f"{text(row['bully'])} itself first failed in {text(row['bully_first_fail'])} at "
        f"{_iops(text, row['bully_first_fail_iops'])}{before}."
    )
