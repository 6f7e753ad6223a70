"""Sentences on criteria of runs, headroom and adaptive QoS, each made of its numbers.

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

from collections.abc import Callable
from typing import TYPE_CHECKING

from perfkit.analysis.verdicts import adaptive_qos, run_verdicts  # noqa: F401 - they register the questions
from perfkit.analysis.verdicts import headroom as room_words
from perfkit.analysis.verdicts.judge import criteria_met, judgements
from perfkit.core.answers import from_frame
from perfkit.core.cautions import from_json
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format, Printed
from perfkit.core.verdict import UNSUPPORTED
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import sentence, template

if TYPE_CHECKING:
    from perfkit.analysis.curves.series import Row
    from perfkit.core.answers import Answer
    from perfkit.core.values import Statement
    from perfkit.core.verdict import Verdict

_IOPS = Format("IOPS", decimals=0)
_SIGNED = Format("IOPS", decimals=0, sign=True)
_SHARE = Format("%", significant=2)
_SIGNED_SHARE = Format("%", significant=2, sign=True)
_SIZE = Format("1", significant=4)


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
