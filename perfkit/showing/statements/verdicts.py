"""Sentences on criteria of runs, headroom, adaptive QoS and isolation, made of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from perfkit.analysis.curves.metrics import share_printed
from perfkit.analysis.genio import ALL
from perfkit.analysis.verdicts import headroom as room_words
from perfkit.analysis.verdicts import isolation
from perfkit.analysis.verdicts.adaptive_qos import QOS_FLOOR
from perfkit.analysis.verdicts.headroom import HEADROOM_IOPS, LAST_PASSING
from perfkit.analysis.verdicts.isolation_questions import (
    DEPARTURE,
    EFFECT,
    WITHOUT_BULLY,
    WITHOUT_POLICY,
)
from perfkit.analysis.verdicts.judge import CRITERIA_MET, criteria_met, judgements
from perfkit.analysis.verdicts.run_verdicts import RUNS_PASSED
from perfkit.core.answers import Answer, from_frame
from perfkit.core.cautions import from_json
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format, Printed
from perfkit.core.values import Statement
from perfkit.core.verdict import UNSUPPORTED, Verdict
from perfkit.showing.sentences import ONE, Text
from perfkit.showing.statements.say import sentence, sentences
from perfkit.showing.statements.words import FORMS, has, number

# --- a verdict --------------------------------------------------------------------------------


SUMMARY = "verdict-summary"
"""The id of what is said of a verdict."""


def say_verdict(verdict: Verdict) -> Statement:
    """How many judgements passed, each that did not, and each that its repeats do not support."""
    judged = judgements(verdict)
    return _say_verdict(judged, criteria_met(judged))


@step(version=3, name="say.verdict")
def _say_verdict(judged: Measured, met: Measured) -> Statement:
    text = Text()
    (answer,) = from_frame(met.frame)
    rows = [row for row in judged.frame.rows(named=True) if row["meant_to_fail"] is None]
    said = [_JUDGED[row["outcome"]](text, row) for row in rows]
    return text.done(SUMMARY, [sentence(text, answer), *filter(None, said)])


def _apart(text: Text, answer: Answer) -> str:
    if not has(answer, "meant_to_fail"):
        return ""
    many = text.many(int(number(answer, "meant_to_fail")), "judgement", "judgements")
    return f" {many} of subjects that are meant to fail are counted separately."


sentences(
    CRITERIA_MET,
    of={
        "measured": "Of {judgements}, {value:count} passed.{apart}",
        "not_judged": "Nothing was judged: {why}.{apart}",
    },
    judgements=lambda text, answer: text.many(
        int(number(answer, "judgements")), "judgement", "judgements"
    ),
    apart=_apart,
)


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
    doubts = [item.text for item in from_json(row["cautions"]) if item.name in UNSUPPORTED]
    return f", but {text('; '.join(doubts))}" if doubts else ""


def _open_rule(text: Text, row: Row) -> str:
    return f"{_subject_of(text, row)} could not be judged: {text(row['reason'] or 'no value')}."


_JUDGED: dict[str, Callable[[Text, Row], str]] = {
    "pass": _passes,
    "fail": _fails_rule,
    "not judged": _open_rule,
}


# --- runs that meet all criteria --------------------------------------------------------------


def met_all(text: Text, answer: Answer) -> str:
    """Which runs met the criteria: of a server by its name, or of all there are."""
    every, met = int(number(answer, "runs")), int(answer.got.value)
    only = every == ONE
    verb = "did not meet" if only and not met else "met"
    runs = "its only run" if only else _some(text, met, every)
    if answer.subject.label != ALL:
        return f"{text(answer.subject.label)} {verb} all criteria in {runs}"
    return f"{'The only run' if only else first(runs)} {verb} all criteria"


def _some(text: Text, some: int, every: int) -> str:
    if some == every:
        return f"all {text.count(every)} runs"
    return f"{text.count(some) if some else 'none'} of {text.count(every)} runs"


def _first_failure(text: Text, answer: Answer) -> str:
    if not answer.inputs:
        return ""
    why = f" ({text(answer.reason)})" if answer.reason else ""
    failed = "the first to fail was" if answer.subject.label == ALL else "it first failed in"
    return f"; {failed} {text(answer.inputs[0])}{_at(text, answer, 'total_iops')}{why}"


def failure(text: Text, answer: Answer) -> str:
    """Where a run first failed, and how many could not be judged, as sentences of their own."""
    failed = first(_first_failure(text, answer).removeprefix("; "))
    return f"{f'{failed}.' if failed else ''}{_rest_open(text, answer)}".strip()


def _at(text: Text, answer: Answer, name: str) -> str:
    return f", at {_iops(text, answer, name)}" if has(answer, name) else ""


def _iops(text: Text, answer: Answer, name: str) -> str:
    return text(FORMS["iops"].show(number(answer, name)))


def _open_runs(text: Text, answer: Answer) -> str:
    many = int(number(answer, "runs_not_judged")) if has(answer, "runs_not_judged") else 0
    return text.many(many, "run", "runs")


def _rest_open(text: Text, answer: Answer) -> str:
    if not has(answer, "runs_not_judged") or not number(answer, "runs_not_judged"):
        return ""
    return f" {_open_runs(text, answer)} could not be judged."


sentences(
    RUNS_PASSED,
    of={
        "measured": "{met}{first_failure}.{rest}",
        "not_judged": "{open}{of_whom} could not be judged: {why}.",
    },
    headline={"measured": "{met}."},
    detail={"measured": "{failure}"},
    met=met_all,
    of_whom=lambda text, answer: (
        "" if answer.subject.label == ALL else f" of {text(answer.subject.label)}"
    ),
    first_failure=_first_failure,
    rest=_rest_open,
    open=_open_runs,
    failure=failure,
)

# --- headroom ---------------------------------------------------------------------------------


def name(text: Text, answer: Answer) -> str:
    """Whose headroom it is."""
    label = answer.subject.label
    return label if label == room_words.CLUSTER else text(label)


def next_run(text: Text, answer: Answer) -> str:
    """The run after the last that passes, where there is one, and how it ended."""
    if len(answer.inputs) == 1:
        return ""
    words = "did not pass" if number(answer, "next_judged") else "could not be judged"
    at = _at(text, answer, "next_iops")
    return f"; {text(answer.inputs[1])}{f'{at},' if at else ''} {words}"


def by_targets(text: Text, answer: Answer) -> str:
    """The headroom by the targets of the runs, where they are known."""
    if not has(answer, "target_headroom_iops"):
        return ""
    room = FORMS["moved_iops"].show(number(answer, "target_headroom_iops"))
    return f"; by targets {text(room)}"


def first(words: str) -> str:
    """Words as they begin a sentence."""
    return words[:1].upper() + words[1:]


def name_first(text: Text, answer: Answer) -> str:
    """Whose headroom it is, at the beginning of a sentence."""
    return first(name(text, answer))


sentences(
    LAST_PASSING,
    of={
        "measured": "{name_first} last passed in {run}, at {value:iops}{next}.",
        "measured >=": "{name_first} still passed in the last run, {run}, at {value:iops}: the "
        "limit may be higher.",
        "missing": "No IOPS of a passing run of {name} are known: {why}.",
    },
    headline={
        "measured": "{name_first} met all criteria up to {value:iops}.",
        "measured >=": "{name_first} met all criteria at {value:iops}, the highest that was run.",
    },
    detail={
        "measured": "The last that passed is {run}{next}.",
        "measured >=": "That was {run}, the last of the test: the limit may be higher.",
    },
    name_first=name_first,
    name=name,
    run=lambda text, answer: text(answer.inputs[0]),
    next=next_run,
)
_ROOM = "Against the {required_iops:iops} required, the headroom of {name} is %s{value:moved_iops}."
sentences(
    HEADROOM_IOPS,
    of={
        "measured": "Headroom of {name} over the required {required_iops:iops}: "
        "{value:moved_iops} ({headroom_ratio:moved}{by_targets}).",
        "measured >=": "Headroom of {name} over the required {required_iops:iops}: at least "
        "{value:moved_iops} ({headroom_ratio:moved}{by_targets}).",
        "missing": "The headroom of {name} is not known: {why}.",
    },
    headline={"measured": _ROOM % "", "measured >=": _ROOM % "at least "},
    detail=dict.fromkeys(
        ("measured", "measured >="),
        "This is {headroom_ratio:moved} of the requirement{by_targets}.",
    ),
    name=name,
    by_targets=by_targets,
)

# --- adaptive QoS -----------------------------------------------------------------------------


def _reading(text: Text, answer: Answer) -> str:
    means = answer.subject.get("reading")
    return f" with the absolute minimum read as {text(means)}" if means else ""


sentences(
    QOS_FLOOR,
    of={
        "measured": "Policy {label} guarantees {value:iops} and allows {ceiling_iops:iops} at "
        "{size} TB{volumes}{reading}; its inputs are {expected_iops_per_tb:iops} expected and "
        "{peak_iops_per_tb:iops} at peak per TB, with an absolute minimum of "
        "{absolute_min_iops:iops} for each volume."
    },
    size=lambda text, answer: text(Format("1", significant=4).show(number(answer, "size_tb"))),
    volumes=lambda text, answer: (
        f" on {text.count(number(answer, 'volumes'))} volumes" if has(answer, "volumes") else ""
    ),
    reading=_reading,
)


# --- isolation --------------------------------------------------------------------------------

_LEVELS = {isolation.OWN_LEVEL: "its own level", isolation.CONTROL_LEVEL: "its level without {b}"}


def _bully(text: Text, answer: Answer) -> str:
    return text(str(answer.subject.get("bully")))


def _level(text: Text, answer: Answer) -> str:
    words = _LEVELS[str(answer.subject.get("level_of"))]
    whose = words.format(b=_bully(text, answer)) if "{b}" in words else words
    level = text.value(answer.metric, number(answer, "level"))
    return f"{whose} of {level} ± {text(share_printed(number(answer, 'margin_ratio')))}"


def runs(text: Text, answer: Answer) -> str:
    """Over how many runs."""
    return text.many(answer.got.n or 0, "run", "runs")


of_isolation = partial(sentences, level=_level, bully=_bully)

of_isolation(
    DEPARTURE,
    of={
        "measured <=": "Over {runs} the {metric} of {label} was equivalent to {level}: its change "
        "and the range of its runs lie within {value:percent_3} of it.",
        "measured >=": "The {metric} of {label} did not keep {level}: over the ramp it changed by "
        "at least {value:percent_3}.",
        "missing": "Whether the {metric} of {label} kept {level} is not shown either way: {why}.",
        "not_judged": "Whether the {metric} of {label} kept its level could not be judged: {why}.",
    },
    headline={
        "measured <=": "The {metric} of {label} kept its level, within {value:percent_3}.",
        "measured >=": "The {metric} of {label} did not keep its level.",
        "missing": "Whether {label} kept its level of {metric} is not shown either way.",
    },
    detail={
        "measured <=": "Against {level}, over {runs}: neither its change over the ramp nor the "
        "range of its runs is larger.",
        "measured >=": "Against {level}, it changed by at least {value:percent_3} over the ramp.",
        "missing": "Against {level}: {why}.",
    },
    runs=runs,
)
of_isolation(
    EFFECT,
    of={
        "measured": "While {bully} ramped from {bully_from_iops:iops} to {bully_to_iops:iops}, the "
        "{metric} of {label} changed by {value:moved_3} of its level ({confidence} interval "
        "{low:moved_3} to {high:moved_3}).",
        "not_judged": "How the {metric} of {label} changed over the ramp is not known: {why}.",
    },
    confidence=lambda text, answer: text(share_printed(answer.got.level or 0)),
)
of_isolation(
    WITHOUT_POLICY,
    of={
        "measured >=": "Cause shown: without the policy the {metric} of {label} does not keep its "
        "level, but changes by at least {value:percent_3}.",
        "measured <=": "Cause not shown: without the policy, too, the {metric} of {label} is "
        "equivalent to its level, within {value:percent_3}.",
        "missing": "Cause not shown: the {metric} of {label} without the policy is inconclusive: "
        "{why}.",
    },
)
of_isolation(
    WITHOUT_BULLY,
    of={
        "measured <=": "Cause shown: the {metric} of {label} with {bully} is equivalent to that "
        "without, within {value:percent_3}.",
        "measured >=": "Cause shown: the {metric} of {label} with {bully} lies at least "
        "{value:percent_3} from that without.",
        "missing": "Cause not shown: the {metric} of {label} without {bully} is inconclusive: "
        "{why}.",
    },
)
