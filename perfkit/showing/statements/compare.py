"""The sentences of a comparison: how much more, how sure, and where one side has no number.

"At Q, S served N% more IOPS than A (V at L against V at L; SURE)": S is the system asked about, A
the one that it is held against, Q the value asked at. N is the ratio of the two values: from 2 on a
multiple, up to 0.1 a share, between them a change in percent; "at least" or "at most" stands before
a bound. SURE is the interval with the repeats it rests on, or why there is none and whose repeats
are the reason; "no difference is shown" where it holds no change. Without a value on both sides
each says in its own sentence what it was asked. What else a reader must know (that the curves
cross, that conditions differ) are its cautions.

Rounding: a change of 10% or more is a whole percent, a smaller one has a decimal, below 0.05% it is
"less than 0.1%"; multiples and shares have two digits. The change is that of the values before they
were rounded; these have three digits (CPU: two).
"""

from __future__ import annotations

from collections.abc import Callable

from perfkit.analysis.compare.asked import asked_at
from perfkit.analysis.compare.pairs import WITHOUT_INTERVAL
from perfkit.analysis.compare.printing import form_of, ratio_printed
from perfkit.analysis.curves.curves import BUSY
from perfkit.analysis.curves.questions import (
    CHOSEN_LATENCY,
    CURVE_QUESTIONS,
    IOPS_PER_BUSY_CORE,
    MOST_IOPS_WITHIN_LATENCY,
    PEAK_IOPS,
)
from perfkit.core.answers import Answer, Relation
from perfkit.core.units import Format
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import CHANGE, sentence, template
from perfkit.showing.statements.words import TWO_REPEATS, asked, load, load_found, name, who

PER_CORE = IOPS_PER_BUSY_CORE.name
CHOSEN = (PEAK_IOPS.name, MOST_IOPS_WITHIN_LATENCY.name)
"""The questions whose sides say at which load they are."""


@template(CHANGE, status=("measured", "interpolated", "highest_within"), relation=("=", ">=", "<="))
def _known(text: Text, answer: Answer) -> str:
    return f"{_claimed(text, answer)} ({_sides(text, answer)})."


def _claimed(text: Text, answer: Answer) -> str:
    """Where the change is asked, and the change itself."""
    subject, against = answer.sides
    bounds = subject.relation == against.relation == ">=" and asked_at(answer) is not None
    as_far = "as far as measured, " if bounds else ""
    return f"{_lead(text, answer)}{as_far}{_change(text, answer)}"


def _sides(text: Text, answer: Answer) -> str:
    """Both values, and how sure their ratio is."""
    subject, against = answer.sides
    values = f"{_value(text, subject)} against {_value(text, against)}"
    return f"{values}; {_sure(text, answer)}"


@template(
    CHANGE,
    part="headline",
    status=("measured", "interpolated", "highest_within"),
    relation=("=", ">=", "<="),
)
def _headline(text: Text, answer: Answer) -> str:
    if any(item.name == "no_difference" for item in answer.cautions):
        names = " and ".join(who(text, side) for side in answer.sides)
        noun = _noun(text, answer)
        return f"{_lead(text, answer)}no difference in {noun} between {names} is shown."
    return f"{_claimed(text, answer)}."


@template(
    CHANGE,
    part="detail",
    status=("measured", "interpolated", "highest_within"),
    relation=("=", ">=", "<="),
)
def _detail(text: Text, answer: Answer) -> str:
    return f"{_sides(text, answer)}."


@template(CHANGE, status=("not_reached", "beyond_measured", "ambiguous", "missing"))
def _unknown(text: Text, answer: Answer) -> str:
    said = " ".join(sentence(text, side) for side in answer.sides)
    subject, against = (who(text, side) for side in answer.sides)
    why = f": {text(answer.reason)}" if answer.reason else ""
    return f"{said} {subject} is not compared with {against}{why}."


LEADS = {PEAK_IOPS.name: "At their highest measured IOPS, ", PER_CORE: "At their peaks, "}


def _lead(text: Text, answer: Answer) -> str:
    at = asked_at(answer)
    if at is None:
        return LEADS[answer.question]
    return f"{'Within' if at.role == 'limit' else 'At'} {asked(text, answer.sides[0], at)}, "


# --- the change itself ------------------------------------------------------------------------

Words = Callable[["Text", "Answer"], str]


def _noun(text: Text, answer: Answer) -> str:
    return text(noun_of(answer.question, answer.sides[0]))


def noun_of(question: str, answer: Answer) -> str:
    """What changed, as it stands in a sentence: IOPS, host CPU, mean read latency."""
    if question == PER_CORE:
        return "IOPS per busy core"
    wanted = CURVE_QUESTIONS[question].wanted
    return {"iops": "IOPS", BUSY: "host CPU"}.get(wanted) or name(answer, answer.metric)


_VERBS = {"iops": "served", BUSY: "used", CHOSEN_LATENCY: "had"}
_DIRECTIONS = {
    "iops": ("more", "fewer"), BUSY: ("more", "less"), CHOSEN_LATENCY: ("higher", "lower"),
}  # fmt: skip
_BOUNDS: dict[tuple[Relation, bool], str] = {
    (">=", True): "at least ", (">=", False): "at most ",
    ("<=", True): "at most ", ("<=", False): "at least ",
}  # fmt: skip
"""(relation, whether the number grows with the ratio) -> the words; none for an equation."""


def _direction(answer: Answer, ratio: float) -> str:
    return direction_words(answer.question, ratio)


def direction_words(question: str, ratio: float) -> str:
    """The words for more and less of what a question wants: fewer IOPS, a lower latency."""
    more, less = _DIRECTIONS[CURVE_QUESTIONS[question].wanted]
    return more if ratio > 1 else less


def verb(question: str) -> str:
    """What a system did of what a question wants: served IOPS, used the CPU, had a latency."""
    return _VERBS[CURVE_QUESTIONS[question].wanted]


def _change(text: Text, answer: Answer) -> str:
    """The words "S served 59% more IOPS than A"."""
    subject, against = (who(text, side) for side in answer.sides)
    ratio, wanted = answer.got.value, CURVE_QUESTIONS[answer.question].wanted
    noun = _noun(text, answer)
    if ratio == 1:
        return f"{subject} and {against} are equal in {noun}"
    form = form_of(ratio)
    bound = _BOUNDS.get((answer.relation, form != "percent" or ratio > 1), "")
    shown = ratio_printed(ratio, form)
    start = f"{subject} {_VERBS[wanted]} {bound}"
    if form != "percent":
        times = "times" if form == "times" else "of"
        return f"{start}{text(shown)} {times} the {noun} of {against}"
    if wanted == CHOSEN_LATENCY:
        return f"{start}{text.a(shown)} {_direction(answer, ratio)} {noun} than {against}"
    of = "of the " if wanted == BUSY else ""
    return f"{start}{text(shown)} {_direction(answer, ratio)} {of}{noun} than {against}"


def _value(text: Text, side: Answer) -> str:
    least = "at least " if side.relation == ">=" else ""
    where = f" at {load(text, load_found(side))}" if side.question in CHOSEN else ""
    return f"{least}{text.value(side.metric, side.got.value)}{where}"


# --- how sure it is ---------------------------------------------------------------------------

_WHY = {
    "one_repeat": ("{of} was measured once", "{of} were each measured once"),
    "no_spread": ("the repeats of {of} do not differ",) * 2,
    "repeat_unanswered": ("not every repeat of {of} gives an answer",) * 2,
    "zero_value": ("a repeat of {of} has the value zero",) * 2,
    "interval_too_wide": ("the repeats of {of} differ too much",) * 2,
}


def _sure(text: Text, answer: Answer) -> str:
    got = answer.got
    if got.low is None or got.high is None:
        return _no_interval(text, answer)
    share = text(Format("%").show(got.level))
    words = f"{share} interval {_ends(text, answer, got.low, got.high)}, over {_over(text, answer)}"
    shown = any(item.name == "no_difference" for item in answer.cautions)
    return f"{words}; no difference is shown" if shown else words


def _no_interval(text: Text, answer: Answer) -> str:
    """Why there is no interval, and whose repeats are the reason."""
    of: dict[str, list[str]] = {}
    for item in answer.cautions:
        if item.name in WITHOUT_INTERVAL:
            of.setdefault(item.name, []).append(text(dict(item.arguments)["of"]))
    said = [_WHY[why][len(names) > 1].format(of=" and ".join(names)) for why, names in of.items()]
    return f"{'; '.join(said)}, so there is no interval"


def _ends(text: Text, answer: Answer, low: float, high: float) -> str:
    """The words 55% to 63% more, the smaller change first; or 2% fewer to 3% more."""
    form = form_of(answer.got.value)
    ends = [text(ratio_printed(end, form)) for end in (low, high)]
    if form == "times":
        return f"{ends[0]} to {ends[1]} times"
    if form == "share":
        return f"{ends[0]} to {ends[1]}"
    words = [_direction(answer, end) for end in (low, high)]
    if words[0] != words[1]:
        return f"{ends[0]} {words[0]} to {ends[1]} {words[1]}"
    near, far = ends if low >= 1 else ends[::-1]
    return f"{near} to {far} {words[0]}"


def _over(text: Text, answer: Answer) -> str:
    counts = [side.estimate.n or 0 for side in answer.sides if side.estimate]
    only = [f"{'only ' if n == TWO_REPEATS else ''}{text.count(n)}" for n in counts]
    if counts[0] == counts[1]:
        return f"{only[0]} repeats each"
    names = [who(text, side) for side in answer.sides]
    return f"{only[0]} repeats of {names[0]} and {only[1]} of {names[1]}"
