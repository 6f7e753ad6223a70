"""The headlines of findings, and what stands below them where the sentence would say it again.

A headline says no more than its answer: a bound is "at least" or "at most" in it, and a change
whose interval holds none is "not shown". "headline QUESTION" is its name among the templates;
"detail QUESTION" is the text below it, in place of the question's own sentence. The headlines of
changes stand with their sentences (``compare``, ``sas``, ``sas_logs``, ``reports``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.compare.printing import Form, form_of, ratio_printed
from perfkit.analysis.curves.curves import BUSY
from perfkit.analysis.curves.over_curves import OVER_CURVES
from perfkit.analysis.curves.questions import CHOSEN_LATENCY, CURVE_QUESTIONS
from perfkit.analysis.genio.runs import ALL
from perfkit.showing.sentences import ONE
from perfkit.showing.statements import audit, curves, isolation, run, verdicts
from perfkit.showing.statements.compare import LEADS, direction_words, noun_of, verb
from perfkit.showing.statements.say import sentences, template
from perfkit.showing.statements.words import asked, asked_at, name, quantity

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text
    from perfkit.showing.statements.say import Template

HEADLINE, DETAIL = "headline ", "detail "


def _number(text: Text, answer: Answer) -> str:
    return text.value(answer.metric, answer.got.value)


def _headlines(*questions: str, of: dict[str, str], **own: Template) -> None:
    sentences(*(HEADLINE + one for one in questions), of=of, number=_number, **own)


# --- curves -----------------------------------------------------------------------------------

_headlines(
    "peak_iops",
    of={
        "measured": "{who} peaks at {number}.",
        "measured >=": "{who} gives at least {number}: its peak may lie higher.",
    },
)
sentences(
    "detail peak_iops",
    of={
        "measured": "{value} at {load}{with_latency}.",
        "measured >=": "{value} at {load}{load_note}{with_latency}.",
    },
    load_note=curves.load_note,
)
_headlines(
    "lowest_latency",
    of={
        "measured": "The lowest {metric} of {who} is {number}.",
        "measured <=": "The lowest {metric} of {who} is at most {number}.",
    },
)
sentences(
    "detail lowest_latency",
    of={
        "measured": "{value} at {load}{with_iops}.",
        "measured <=": "{value} at {load}{with_iops}; it may be lower elsewhere.",
    },
)
_headlines(
    "most_iops_within_latency",
    of={
        "highest_within": "Within {asked}, {who} gives {number}.",
        "highest_within >=": "Within {asked}, {who} gives at least {number}.",
        "beyond_measured": "{who} does not stay within {asked} at any load.",
    },
)
sentences(
    "detail most_iops_within_latency",
    of={
        "highest_within": "{value} at {load}{with_asked}.",
        "highest_within >=": "{value} at {load}{with_asked}; it may give more{highest}.",
        "beyond_measured": "Its lowest {metric_asked} was {end}, at {load}{with_iops}.",
    },
    **curves.WITHIN,
)


def _quantity(text: Text, answer: Answer) -> str:
    return quantity(text, answer, answer.metric, _number(text, answer))


_MET = "At {asked}, {who} {gives} {quantity}."
_headlines(
    *curves.MEETINGS,
    of={"interpolated": _MET, "measured": _MET},
    gives=lambda text, answer: {"gave": "gives", "had": "has"}[curves.gave(text, answer)],
    quantity=_quantity,
)
sentences(
    *(DETAIL + question for question in curves.MEETINGS),
    of={
        "interpolated": "{value}, interpolated between {between}.",
        "measured": "{value}, measured at {load}.",
    },
    between=curves.between,
)
_headlines(
    "plateau",
    of={"measured": "{who} levels off {range}."},
    range=curves.stays,
)
_headlines(
    "stated_plateau",
    of={"measured": "A plateau {range} is stated."},
    range=curves.stays,
)
sentences(
    "detail stated_plateau",
    of={"measured": "Its points are not printed, so it is not computed again{host}."},
    host=curves.host,
)

# --- over several curves ----------------------------------------------------------------------


def _lead(text: Text, answer: Answer) -> str:
    """Where the question was asked."""
    question = str(answer.subject.get("asked"))
    if CURVE_QUESTIONS[question].at is None:
        return LEADS.get(question, "") if answer.subject.get("against") else ""
    at = asked_at(answer)
    return f"{'Within' if at.role == 'limit' else 'At'} {asked(text, answer, at)}, "


def _of_all(text: Text, answer: Answer, one: str, many: str) -> str:
    """Of how many: "all 3 workloads"; "2 of 3 workloads", where the others have no number."""
    every, known = (int(_counted(answer, key)) for key in ("asked", "known"))
    of = text.many(every, one, many)
    return f"all {of}" if every == known else f"{text.count(known)} of {of}"


def _counted(answer: Answer, name: str) -> float:
    return next(item.value for item in answer.conditions if item.metric == name)


@template(HEADLINE + OVER_CURVES.name, status="measured", relation=("=", ">=", "<="))
def _range(text: Text, answer: Answer) -> str:
    if answer.subject.get("against"):
        where = _of_all(text, answer, "workload", "workloads")
        return f"{_lead(text, answer)}{_range_of_changes(text, answer)} in {where}."
    least = {"=": "", ">=": "at least ", "<=": "at most "}[answer.relation]
    low, high = (text.value(answer.metric, value)
                 for value in (answer.got.value, _counted(answer, "highest")))  # fmt: skip
    of = _of_all(text, answer, "curve", "curves")
    noun = text(name(answer, answer.metric))
    lead = _lead(text, answer)
    said = f"{of} {'range' if lead else 'range in ' + noun} from {least}{low} to {least}{high}."
    return f"{lead}{said}" if lead else f"{said[:1].upper()}{said[1:]}"


def _range_of_changes(text: Text, answer: Answer) -> str:
    """The words "B served 62% to 70% more IOPS than A"; of bounds the one end that they give."""
    question = str(answer.subject.get("asked"))
    low, high = answer.got.value, _counted(answer, "highest")
    ends = {"=": (low, high), ">=": (low, low), "<=": (high, high)}[answer.relation]
    subject, against = (text(str(item)) for item in
                        (answer.subject.label, answer.subject.get("against")))  # fmt: skip
    start = f"{subject} {verb(question)} "
    wanted, noun = CURVE_QUESTIONS[question].wanted, text(noun_of(question, answer))
    start += "a " if wanted == CHOSEN_LATENCY else ""
    forms = {form_of(end) for end in ends}
    if forms == {"percent"}:
        of = "of the " if wanted == BUSY else ""
        return f"{start}{_percents(text, answer, question, ends)} {of}{noun} than {against}"
    form: Form = "times" if "times" in forms else "share"
    shown = [text(ratio_printed(end, form)) for end in ends]
    bound = {"=": "", ">=": "at least ", "<=": "at most "}[answer.relation]
    of = " to ".join(shown if answer.relation == "=" else shown[:1])
    return f"{start}{bound}{of} {'times' if form == 'times' else 'of'} the {noun} of {against}"


def _percents(text: Text, answer: Answer, question: str, ends: tuple[float, float]) -> str:
    """The words "62% to 70% more", "5% fewer to 3% more", "at least 62% more"."""
    low = ends[0]
    shown = [text(ratio_printed(end, "percent")) for end in ends]
    words = [direction_words(question, end) for end in ends]
    if answer.relation != "=":
        grows = (answer.relation == ">=") == (low > 1)
        return f"{'at least' if grows else 'at most'} {shown[0]} {words[0]}"
    if words[0] != words[1]:
        return f"{shown[0]} {words[0]} to {shown[1]} {words[1]}"
    near, far = shown if low >= 1 else shown[::-1]
    return f"{near} to {far} {words[0]}"


def _each_end(text: Text, answer: Answer) -> str:
    """Both ends with the workload or curve that gave them, the first one in the headline first."""
    names = [text(str(answer.subject.get(key))) for key in ("lowest", "highest")]
    values = answer.got.value, _counted(answer, "highest")
    if not answer.subject.get("against"):
        ends = [f"{text.value(answer.metric, value)} by {of}"
                for value, of in zip(values, names, strict=True)]  # fmt: skip
        return f"{ends[0]}, {ends[1]}."
    forms = {form_of(value) for value in values}
    form: Form = "times" if "times" in forms else "share" if "share" in forms else "percent"
    shown = [text(ratio_printed(value, form)) for value in values]
    times = " times" if form == "times" else ""
    ends = [f"{value}{times} with {of}" for value, of in zip(shown, names, strict=True)]
    near, far = ends if form != "percent" or values[0] >= 1 else ends[::-1]
    return f"{near}, {far}."


@template(DETAIL + OVER_CURVES.name, status="measured", relation=("=", ">=", "<="))
def _ends(text: Text, answer: Answer) -> str:
    ends = _each_end(text, answer)
    if not answer.subject.get("against"):
        return ends
    known, shown = int(_counted(answer, "known")), int(_counted(answer, "shown"))
    if not shown:
        return f"{ends} By its interval, no difference is shown in any of them."
    where = "each" if shown == known else f"{text.count(shown)} of {text.count(known)}"
    return f"{ends} By its interval, a difference is shown in {where}."


sentences(
    OVER_CURVES.name,
    of={"missing": "No range can be given{of_changes}: {why}."},
    of_changes=lambda text, answer: (
        f" of the changes of {text(answer.subject.label)}" if answer.subject.get("against") else ""
    ),
)

# --- runs, criteria and documents -------------------------------------------------------------

_headlines(
    "longest_drain",
    of={
        "measured": "At {load}, the longest of {cycles:count} drains took {longest}.",
        "measured >=": "At {load}, the longest drain took at least {longest}.",
    },
    load=run.load,
    longest=run.longest,
)


def _of_server(text: Text, answer: Answer) -> str:
    label = answer.subject.label
    return "" if label == ALL else f"{text(label)}: "


_headlines(
    "runs_passed",
    of={"measured": "{server}{value:count} of {runs} met all criteria."},
    server=_of_server,
    runs=verdicts.runs,
)
sentences(
    "detail runs_passed",
    of={"measured": "{failure}"},
    failure=verdicts.failure,
)
_ROOM = "Against the {required_iops:iops} required, the headroom of {name} is %s{value:moved_iops}."
_headlines(
    "headroom_iops",
    of={"measured": _ROOM % "", "measured >=": _ROOM % "at least "},
    name=verdicts.name,
)
sentences(
    "detail headroom_iops",
    of=dict.fromkeys(
        ("measured", "measured >="),
        "This is {headroom_ratio:moved} of the requirement{by_targets}.",
    ),
    by_targets=verdicts.by_targets,
)
_headlines(
    "isolation_departure",
    of={
        "measured <=": "The {metric} of {label} kept its level, within {value:percent_3}.",
        "measured >=": "The {metric} of {label} did not keep its level.",
        "missing": "The {metric} of {label} is shown neither to keep its level nor to leave it.",
    },
)
isolation.sentences(
    "detail isolation_departure",
    of={
        "measured <=": "Against {level}, over {runs}: neither its change over the ramp nor the "
        "range of its runs is larger.",
        "measured >=": "Against {level}, it changed by at least {value:percent_3} over the ramp.",
        "missing": "Against {level}: {why}.",
    },
    runs=isolation.runs,
)


def _fail(text: Text, answer: Answer) -> str:
    of = audit.relations(text, answer)
    many = int(answer.got.value)
    return f"{text.count(many) if many else 'None'} of {of} between printed numbers {_fails(many)}."


def _fails(many: int) -> str:
    return "fails" if many == ONE else "fail"


sentences("headline relations_failed", of={"measured": "{fail}"}, fail=_fail)
sentences(
    "detail relations_failed",
    of={"measured": "{rounding}{others}"},
    rounding=lambda _, answer: "No rounding explains it." if answer.got.value else "",
    others=audit.others,
)
