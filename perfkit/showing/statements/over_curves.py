"""One sentence on several curves: the range over them, its ends, and why the others have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perfkit.analysis.compare.printing import Form, form_of, ratio_printed
from perfkit.analysis.curves import questions
from perfkit.analysis.curves.curves import BUSY
from perfkit.analysis.curves.metrics import printed, workload_name
from perfkit.analysis.curves.over_curves import OVER_CURVES, SIZE
from perfkit.analysis.curves.questions import CHOSEN_LATENCY, CURVE_QUESTIONS
from perfkit.core.answers import Answer
from perfkit.core.units import UNITS, Format, Printed
from perfkit.showing.sentences import Text, article
from perfkit.showing.statements.compare import LEADS, direction_words, noun_of, verb
from perfkit.showing.statements.say import sentences, template
from perfkit.showing.statements.words import asked, asked_at

BOTH = 2


def _lead(text: Text, answer: Answer) -> str:
    """Where the question was asked."""
    question = str(answer.subject.get("asked"))
    if CURVE_QUESTIONS[question].at is None:
        return LEADS.get(question, "")
    at = asked_at(answer)
    return f"{'Within' if at.role == 'limit' else 'At'} {asked(text, answer, at)}, "


def _of_all(text: Text, answer: Answer, one: str, many: str) -> str:
    """Of how many: "both workloads"; "2 of 3 workloads", where the others have no number."""
    every, known = (int(_counted(answer, key)) for key in ("asked", "known"))
    if every == known:
        return f"both {many}" if every == BOTH else f"all {text.many(every, one, many)}"
    return f"{text.count(known)} of {text.many(every, one, many)}"


def _counted(answer: Answer, name: str) -> float:
    return next(item.value for item in answer.conditions if item.metric == name)


def _noun(text: Text, answer: Answer) -> tuple[str, str]:
    """What is counted, one and many, and of which kind, where others have their own range.

    Several curves of which one stands for all are a grid.
    """
    grids = next((item.value for item in answer.conditions if item.metric == "grids"), 0)
    one, many = "curve or grid", "curves and grids"
    if not grids:
        one, many = "curve", "curves"
    elif grids == _counted(answer, "asked"):
        one, many = "grid", "grids"
    workload = answer.subject.get("workload")
    of = f" of {text(workload_name(workload))}" if workload else ""
    size = next((item.value for item in answer.conditions if item.metric == SIZE), None)
    if size is not None:
        of = f" of {text(size_printed(size))} I/Os"
    return f"{one}{of}", f"{many}{of}"


_BOUNDS = {"=": "", ">=": "at least ", "<=": "at most "}
_TURNED = {"=": "=", ">=": "<=", "<=": ">="}


@dataclass(frozen=True)
class _End:
    """One end of a range: its value, how it stands to the true end, and whose it is."""

    value: float
    relation: str
    of: str


def _ends_of(answer: Answer) -> tuple[_End, _End]:
    """The lowest and the highest answer."""
    values = {"lowest": answer.got.value, "highest": _counted(answer, "highest")}
    low, high = (
        _End(value, str(answer.subject.get(f"{end}_is")), str(answer.subject.get(end)))
        for end, value in values.items()
    )
    return low, high


@template(OVER_CURVES, part="headline", status="measured")
def _range(text: Text, answer: Answer) -> str:
    if answer.subject.get("against"):
        return f"{_lead(text, answer)}{_claimed(text, answer)}."
    ends = _ends_of(answer)
    values = _told(
        [(_BOUNDS[end.relation], printed(answer.metric, end.value)) for end in ends], text
    )
    question, known = str(answer.subject.get("asked")), int(_counted(answer, "known"))
    gave = _GAVE[_wanted(answer)]
    if known == 1:
        others = _others(text, answer, int(_counted(answer, "asked")) - 1)
        if question in _BESTS:
            return f"The {_BESTS[question][0]} of {text(ends[0].of)} is {values[0]}; {others}."
        return f"{_lead(text, answer)}{text(ends[0].of)} {gave} {values[0]}; {others}."
    named = _names_both(answer)
    curves = _of_all(text, answer, *_noun(text, answer))
    if not named and (differing := _differing(text, answer)):
        curves += f", with {differing},"
    are, joined = "are", values[0]
    if named:
        joined = " and ".join(
            f"{value} ({text(end.of)})" for value, end in zip(values, ends, strict=True)
        )
    elif len(values) > 1:
        are, joined = "range from", " to ".join(values)
    if question in _BESTS:
        return f"The {_BESTS[question][1]} of {curves} {are} {joined}."
    return f"{_lead(text, answer)}{curves} {gave} {joined}."


def _names_both(answer: Answer) -> bool:
    """Whether a headline names two curves, each with its value, as these do not print alike."""
    ends = {(end.relation, printed(answer.metric, end.value).text) for end in _ends_of(answer)}
    return len(ends) > 1 and int(_counted(answer, "known")) == BOTH


_WHY_NOT = {
    "beyond_measured": (
        "lies above that latency at every load",
        "lie above that latency at every load",
    ),
    "not_reached": ("does not reach that latency", "do not reach that latency"),
}
_ASKED_A_LATENCY = {questions.MOST_IOPS_WITHIN_LATENCY.name, questions.IOPS_AT_LATENCY.name}


def _others(text: Text, answer: Answer, count: int) -> str:
    """Why the other curves have no number, where it is one reason; else that they have none."""
    of_latency = answer.subject.get("asked") in _ASKED_A_LATENCY
    why = _WHY_NOT.get(str(answer.subject.get("others"))) if of_latency else None
    one, many = why or ("gives no answer", "give no answer")
    curve, curves = _noun(text, answer)
    return (
        f"the other {curve} {one}"
        if count == 1
        else f"the other {text.count(count)} {curves} {many}"
    )


_FROM_MIB = 0.995


def size_printed(size: float) -> Printed:
    """A mean I/O size."""
    # a mean of 1 MiB I/Os may lack a byte, and is not "1,020 KiB"
    return Format("MiB" if size >= _FROM_MIB * UNITS["MiB"].si else "KiB", significant=3).show(size)


_DIFFERING = {
    "mean_io_bytes": (size_printed, "mean I/O sizes from {} to {}"),
    "mean_read_bytes": (size_printed, "mean read sizes from {} to {}"),
    "mean_write_bytes": (size_printed, "mean write sizes from {} to {}"),
    "read_ratio": (Format("%", decimals=0).show, "{} to {} reads"),
}


def _differing(text: Text, answer: Answer) -> str:
    """In what the curves of a range differ: "mean I/O sizes from 4.00 KiB to 1.00 MiB"."""
    said = []
    for name, (shown, words) in _DIFFERING.items():
        ends = [item.value for item in answer.conditions if item.metric == name]
        if ends:
            said.append(words.format(*(text(shown(end)) for end in ends)))
    return " and ".join(said)


def _told(ends: Sequence[tuple[str, Printed]], text: Text) -> list[str]:
    """The ends of a range, each with its bound; the one value, where both would read alike."""
    once = ends[:1] if (ends[0][0], ends[0][1].text) == (ends[1][0], ends[1][1].text) else ends
    return [f"{bound}{text(number)}" for bound, number in once]


_BESTS = {
    questions.PEAK_IOPS.name: ("peak", "peaks"),
    questions.LOWEST_LATENCY.name: ("lowest latency", "lowest latencies"),
    questions.IOPS_PER_BUSY_CORE.name: ("number of IOPS per busy core", "IOPS per busy core"),
}


def _claimed(text: Text, answer: Answer) -> str:
    """The range of changes; where intervals show no difference, or in some alone, that."""
    where = _of_all(text, answer, "workload", "workloads")
    known, judged, shown = (int(_counted(answer, key)) for key in ("known", "judged", "shown"))
    if judged == known and not shown:
        names = f"{text(answer.subject.label)} and {text(str(answer.subject.get('against')))}"
        noun = noun_of(str(answer.subject.get("asked")), answer)
        return f"no difference in {text(noun)} between {names} is shown in {where}"
    said = f"{_range_of_changes(text, answer)} in {where}"
    if not judged or shown == known:
        return said
    return f"{said}; a difference is shown in {text.count(shown)}"


_GAVE = {"iops": "gave", CHOSEN_LATENCY: "had a latency of", BUSY: "used"}


def _wanted(answer: Answer) -> str:
    return CURVE_QUESTIONS[str(answer.subject.get("asked"))].wanted


def _range_of_changes(text: Text, answer: Answer) -> str:
    """The words "B served 62% to 70% more IOPS than A"."""
    question = str(answer.subject.get("asked"))
    subject, against = (
        text(str(item)) for item in (answer.subject.label, answer.subject.get("against"))
    )
    wanted, noun = _wanted(answer), text(noun_of(question, answer))
    start = f"{subject} {verb(question)} "
    said, form = _changes(text, answer, question)
    if form == "percent" and wanted == CHOSEN_LATENCY:
        named = noun_of(question, answer)
        return f"{start}{article(named)} {noun} {' to '.join(said)} than {against}"
    if form != "percent":
        last = "times" if form == "times" else "of"
        return f"{start}{' to '.join(said)} {last} the {noun} of {against}"
    of = "of the " if wanted == BUSY else ""
    return f"{start}{' to '.join(said)} {of}{noun} than {against}"


def _changes(text: Text, answer: Answer, question: str) -> tuple[list[str], Form]:
    """Both ends in words and one form: of percents, the smaller change first."""
    ends = _ends_of(answer)
    form = _form(ends)
    if form != "percent":
        return _told(
            [(_BOUNDS[e.relation], ratio_printed(e.value, form)) for e in ends], text
        ), form
    changes = [
        (
            _BOUNDS[end.relation if end.value > 1 else _TURNED[end.relation]],
            ratio_printed(end.value, form),
        )
        for end in ends
    ]
    words = [direction_words(question, end.value) for end in ends]
    if words[0] != words[1]:
        return [
            f"{bound}{text(number)} {word}"
            for (bound, number), word in zip(changes, words, strict=True)
        ], form
    *near, far = _told(changes if ends[0].value >= 1 else changes[::-1], text)
    return [*near, f"{far} {words[0]}"], form


def _form(ends: Sequence[_End]) -> Form:
    forms = {form_of(end.value) for end in ends}
    return "times" if "times" in forms else "share" if "share" in forms else "percent"


@template(OVER_CURVES, part="detail", status="measured")
def _detail(text: Text, answer: Answer) -> str:
    ends = _ends_of(answer)
    if not answer.subject.get("against"):
        if int(_counted(answer, "known")) <= BOTH:  # its headline has all else
            differing = _differing(text, answer) if _names_both(answer) else ""
            return f"The {_noun(text, answer)[1]} have {differing}." if differing else ""
        if len({(end.relation, printed(answer.metric, end.value).text) for end in ends}) == 1:
            return ""  # "1,000 IOPS: A; 1,000 IOPS: B" tells no lowest and no highest
        said = [
            f"{_BOUNDS[end.relation]}{text.value(answer.metric, end.value)}: {text(end.of)}"
            for end in ends
        ]
        return f"{'; '.join(said)}."
    form = _form(ends)
    times = " times" if form == "times" else ""
    question = str(answer.subject.get("asked"))
    words = [direction_words(question, end.value) for end in ends]
    # "27% with reads; 44% with writes" were of more and of fewer
    ways = [f" {word}" if form == "percent" and len({*words}) > 1 else times for word in words]
    said = [
        f"{text(ratio_printed(end.value, form))}{way} with {text(end.of)}"
        for end, way in zip(ends, ways, strict=True)
    ]
    near, far = said if form != "percent" or ends[0].value >= 1 else said[::-1]
    return f"{near}; {far}. {_difference(text, answer)}".strip()


def _difference(text: Text, answer: Answer) -> str:
    """In how many workloads the interval shows a difference; nothing where there is none."""
    known, judged, shown = (int(_counted(answer, name)) for name in ("known", "judged", "shown"))
    if not judged:
        return ""
    if not shown:
        return "No interval shows a difference."
    where = "each" if shown == known else f"{text.count(shown)} of {text.count(known)}"
    return f"By its interval, a difference is shown in {where}."


def _none(text: Text, answer: Answer) -> str:
    """None of how many has an answer: "neither curve gives an answer"."""
    every = int(_counted(answer, "asked"))
    if answer.subject.get("of") == "pairs":
        noun = text(noun_of(str(answer.subject.get("asked")), answer))
        pairs = text.many(every, "pair", "pairs")
        return f"{noun} is compared in none of {pairs} of curves: one or both lack it"
    one, many = ("workload", "workloads") if answer.subject.get("against") else _noun(text, answer)
    whose = f"neither {one}" if every == BOTH else f"none of {text.many(every, one, many)}"
    return f"{whose} gives an answer"


sentences(
    OVER_CURVES,
    of={"missing": "{lead}{none}."},
    lead=_lead,
    none=_none,
)
