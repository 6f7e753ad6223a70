"""Statements of answers: one sentence an answer, its template chosen by what the answer is.

A template belongs to a question, a status and a relation. It puts the answer's numbers into words:
it computes nothing, decides nothing and rounds by the rules of ``metrics``. Each family of
questions registers its templates in a module of its own (``FAMILIES``): patterns where the words
stand in a row (``sentences``), functions where they do not (``template``).
"""

from __future__ import annotations

import importlib
import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from perfkit.analysis.curves.metrics import METRICS, exact_printed, workload_name
from perfkit.analysis.curves.questions import CURVE_QUESTIONS
from perfkit.analysis.curves.series import require_columns
from perfkit.core import answers as claims
from perfkit.core.answers import Answer, Condition, Question
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, measured, step
from perfkit.core.units import Printed
from perfkit.core.values import Statement, check_id
from perfkit.showing.sentences import Text
from perfkit.showing.statements.words import FORMS, PLACES, number

Template = Callable[[Text, Answer], str]

TEMPLATES: dict[tuple[str, str, str], Template] = {}
"""(question, status, relation) -> the words."""

FAMILIES = tuple(
    f"perfkit.showing.statements.{name}"
    for name in (
        "curves",
        "run",
        "recorded",
        "compare",
        "verdicts",
        "audit",
        "reports",
        "awr_series",
        "awr_beside",
        "awr_single",
        "awr_storage",
        "sas",
        "trend",
        "over_curves",
    )
)
"""The modules that register templates."""

CHANGE = "change"
"""Stands for every question in the templates of changes, which have one sentence for all.

A question with words of its own for its changes has them under "change QUESTION".
"""

Asked = tuple[tuple[str, float], ...]


def template(
    *questions: Question | str,
    part: str = "",
    status: str | Sequence[str],
    relation: str | Sequence[str] = "=",
) -> Callable[[Template], Template]:
    """Register the words of these questions for these statuses and relations.

    ``part``: of what besides the sentence: "headline", "detail", "panel", ``CHANGE``.
    """
    names = [one if isinstance(one, str) else one.name for one in questions]
    statuses = [status] if isinstance(status, str) else status
    relations = [relation] if isinstance(relation, str) else relation

    def register(words: Template) -> Template:
        keys = [(f"{part} {q}".strip(), s, r) for q in names for s in statuses for r in relations]
        for key in keys:
            if TEMPLATES.setdefault(key, words) is not words:
                raise AnalysisError(f"there is another sentence for {key}")
        return words

    return register


NO_WORDS: Mapping[str, str] = {}


def sentences(
    *questions: Question | str,
    part: str = "",
    of: Mapping[str, str] = NO_WORDS,
    headline: Mapping[str, str] = NO_WORDS,
    detail: Mapping[str, str] = NO_WORDS,
    **own: Template,
) -> None:
    """Register the words of these questions as patterns, by status and relation: "measured >=".

    ``of`` are their sentences; ``headline`` is that of a finding, and ``detail`` what stands below
    it, in place of the sentence. A headline says no more than its answer: a bound is "at least" or
    "at most" in it, and a change whose interval holds none is "not shown".

    ``{who}`` and the other names of ``PLACES``, and those of ``own``, stand for their words, and
    ``{limit:percent}`` for the condition ``limit`` in the form ``percent`` of ``FORMS``; so do
    ``{value:percent}``, ``{low:percent}`` and ``{high:percent}`` for the estimate.

    Raises AnalysisError for a pattern with a place that has no words.
    """
    places = {**PLACES, **own}
    for text_of, patterns in (("", of), ("headline", headline), ("detail", detail)):
        for kind, pattern in patterns.items():
            status, _, relation = kind.partition(" ")
            for _, name, form, _ in string.Formatter().parse(pattern):
                if name is not None and (form not in FORMS if form else name not in places):
                    raise AnalysisError(f"{pattern!r}: no words for {name!r}")
            words = filled(pattern, places)
            whole = f"{text_of} {part}".strip()
            template(*questions, part=whole, status=status, relation=relation or "=")(words)


def filled(pattern: str, places: Mapping[str, Template]) -> Template:
    """The words of a pattern; each of its places is made when the pattern asks for it."""
    return lambda text, answer: pattern.format_map(_Filling(text, answer, places))


@dataclass(frozen=True)
class _Filling:
    """The words of an answer by the names of a pattern, made when the pattern asks for them."""

    text: Text
    answer: Answer
    places: Mapping[str, Template]
    name: str = ""

    def __getitem__(self, name: str) -> _Filling:
        return replace(self, name=name)

    def __format__(self, form: str) -> str:
        if not form:
            return self.places[self.name](self.text, self.answer)
        return self.text(FORMS[form].show(number(self.answer, self.name)))


def templates() -> dict[tuple[str, str, str], Template]:
    """Every template, of all families."""
    for name in FAMILIES:
        importlib.import_module(name)
    return TEMPLATES


def sentence(text: Text, answer: Answer) -> str:
    """The sentence of one answer.

    Raises AnalysisError where no template belongs to it.
    """
    said = words_of(text, answer)
    if said is None:
        raise AnalysisError(
            f"there is no sentence for {answer.question} {answer.status} {answer.relation}"
        )
    return begun(text, said)


def words_of(text: Text, answer: Answer, part: str = "") -> str | None:
    """The words of one answer; None where no template belongs to it.

    ``part`` stands before the question in the template's name: "headline peak_iops".
    """
    names = [answer.question]
    if answer.against is not None:
        names.insert(0, f"{CHANGE} {answer.question}")
    if _is_change(answer):
        names = [names[0], CHANGE]
    kind = (answer.status, answer.relation)
    found = (templates().get((f"{part}{name}", *kind)) for name in names)
    words = next(filter(None, found), None)
    return words and words(text, answer)


def begun(text: Text, said: str) -> str:
    """A sentence that begins with a common word ("the run", "at least") has a capital letter.

    A name keeps its own.
    """
    if said.startswith(("at ", "all ")):
        return f"{said[0].upper()}{said[1:]}"
    first = said.partition("}")[0].removeprefix("{")
    name = text.places.get(first)
    if isinstance(name, str) and name.startswith("the "):
        text.places[first] = f"The {name[4:]}"
    return said


def _is_change(answer: Answer) -> bool:
    """Whether a curve's answer is held against another's; other questions have two sides too."""
    return answer.against is not None and answer.question in CURVE_QUESTIONS


@dataclass(frozen=True)
class _Group:
    """What has one statement: a question, the values it was asked at, and of several workloads one.

    ``change``: whether the answers are changes.
    """

    question: str
    at: Asked
    workload: str | None
    change: bool


def say(
    answers: Measured, *questions: str, value_id: str | None = None, by_workload: bool = False
) -> list[Statement]:
    """A statement for each question, and each value at which it was asked.

    The ids are those of the questions (``peak-iops``), with the value where a question was asked at
    several (``iops-at-latency-400-us``). Of several curves a statement has a sentence for each.
    Changes have the value in every id, and of several workloads a statement each, with the
    workload's name in the id and first in the text (``iops-at-latency-400-us-read-only``). What a
    comparison was not asked, because its sources do not know it, is passed over.

    Args:
        answers: What ``peak``, ``iops_at_latency``, ``compare`` and the like gave.
        questions: Those wanted; none named: all.
        value_id: The id, where there is one statement alone.
        by_workload: Whether changes name their workload though there is one alone: where it was
            chosen of several, so that the ids are those of a report of all of them.

    Raises AnalysisError for answers that do not hold a question named, no answers at all, and
    one id for several statements.
    """
    templates()  # which registers the questions
    answers = measured(answers, "answers")
    every = _grouped(claims.from_frame(answers.frame), named=by_workload)
    known = list(dict.fromkeys(group.question for group in every))
    passed_over = claims.QUESTIONS if any(group.change for group in every) else ()
    for question in questions:
        if question not in known and question not in passed_over:
            raise AnalysisError(f"no answer to {question!r}; {did_you_mean(question, known)}")
    wanted = [group for group in every if not questions or group.question in questions]
    if not every:
        raise AbsentError("answers: no rows, so nothing to say")
    if value_id is not None and len(wanted) > 1:
        raise AnalysisError(f"one id, {value_id!r}, for {len(wanted)} statements")
    return [
        _say(
            answers,
            group.question,
            [list(pair) for pair in group.at],
            workload=group.workload,
            value_id=value_id or _id(group, [g.at for g in every if g.question == group.question]),
        )
        for group in wanted
    ]


def _grouped(answers: Sequence[Answer], *, named: bool) -> dict[_Group, list[Answer]]:
    workloads = {answer.subject.get("workload") for answer in answers if _is_change(answer)}
    named = named or len(workloads) > 1
    found: dict[_Group, list[Answer]] = {}
    for answer in answers:
        change = _is_change(answer)
        workload = answer.subject.get("workload") if change and named else None
        group = _Group(answer.question, _asked(answer), workload, change)
        found.setdefault(group, []).append(answer)
    return found


@step(version=3, name="say.answers")
def _say(
    answers: Measured,
    question: str,
    at: list[list[str | float]],
    *,
    workload: str | None = None,
    value_id: str,
) -> Statement:
    text = Text()
    wanted = [
        answer
        for group, own in _grouped(
            claims.from_frame(answers.frame), named=workload is not None
        ).items()
        if (group.question, group.workload) == (question, workload)
        and [list(pair) for pair in group.at] == at
        for answer in own
    ]
    once: dict[int | str, Answer] = {}
    named = _furthest(_together(wanted))
    for place, answer in enumerate(named):
        # of what is not known, several metrics may have the same sentence
        once.setdefault(place if answer.estimate else _printed(answer), answer)
    said = list(dict.fromkeys(sentence(text, answer) for answer in once.values()))
    said = [*_of_how_many(text, wanted, named), *said]
    if workload is not None:
        said[0] = f"{text(workload_name(workload))}: {said[0]}"
    cautions = dict.fromkeys(item for answer in wanted for item in answer.cautions)
    return replace(text.done(check_id(value_id), said), cautions=tuple(cautions))


_NAMED = 3
"""Of more curves that have no answer for one reason their number is said."""

_OF_MANY = frozenset({"repeatability", "littles_law"})
"""Questions whose sentence without an answer reads as well of "24 curves"."""


def _together(answers: Sequence[Answer]) -> list[Answer]:
    """The answers, those of many curves that are missing for one reason as one of their number."""

    def key(answer: Answer) -> object:
        missing = answer.question in _OF_MANY and answer.status == "missing"
        return (answer.reason, answer.subject.get("direction")) if missing else id(answer)

    found: list[Answer] = []
    for own in rows_by(answers, key).values():
        subjects = dict.fromkeys(answer.subject for answer in own)
        if len(subjects) > _NAMED:
            many = replace(own[0].subject, label=f"{len(subjects):,} curves")
            found.append(replace(own[0], subject=many))
        else:
            found += own
    return found


_OFF: dict[str, tuple[str, Callable[[float], float]]] = {
    "repeatability": ("whose intervals reach furthest", float),
    "littles_law": ("that are furthest off", lambda ratio: abs(ratio - 1)),
}
"""Questions of which many curves need no sentence each: who is named, and how far off it is."""

_MANY = 12
"""Curves that still have a sentence each."""


def _furthest(answers: Sequence[Answer]) -> list[Answer]:
    """The answers; of many curves those of a metric that are furthest off, and what is missing."""
    found: list[Answer] = []
    for own in rows_by(answers, lambda answer: (answer.metric, answer.status)).values():
        off = _OFF.get(own[0].question)
        if off is None or own[0].estimate is None or len(own) <= _MANY:
            found += own
        else:
            found += _ranked(own, off[1])[:_NAMED]
    return found


def _ranked(answers: Sequence[Answer], off: Callable[[float], float]) -> list[Answer]:
    return sorted(answers, key=lambda answer: off(answer.got.value), reverse=True)


def _of_how_many(text: Text, every: Sequence[Answer], named: Sequence[Answer]) -> list[str]:
    """That not all curves with an answer are named; nothing where they are."""
    curves, shown = ({a.subject for a in own if a.estimate} for own in (every, named))
    if len(shown) == len(curves):
        return []
    of, some = text.count(len(curves)), text.count(len(shown))
    return [f"Of {of} curves the {some} {_OFF[every[0].question][0]} are named."]


def _printed(answer: Answer) -> str:
    text = Text()
    return text.done("x", [sentence(text, answer)]).text


def conditions_asked(answer: Answer) -> tuple[Condition, ...]:
    """The conditions that were asked at, not those that were found."""
    return tuple(item for item in answer.conditions if item.role in {"at", "limit"})


def _asked(answer: Answer) -> Asked:
    return tuple((item.metric, item.value) for item in conditions_asked(answer))


def _id(group: _Group, all_: Sequence[Asked]) -> str:
    parts = [group.question.replace("_", "-")]
    if len(set(all_)) > 1 or group.change:
        # what differs between the statements of this question tells them apart
        kinds = {metric for asked in all_ for metric, _ in asked}
        parts += [
            slug((f"{metric} " if len(kinds) > 1 else "") + _value(metric, value))
            for metric, value in group.at
        ]
    if group.workload is not None:
        parts.append(slug(group.workload))
    return check_id("-".join(parts))


def _value(metric: str, value: float) -> str:
    """A value in an id: latencies with their unit, others as plain numbers."""
    if metric in METRICS and METRICS[metric].quantity == "time":
        return exact_printed(metric, value).text
    return f"{value:.12g}"


def slug(text: str) -> str:
    """A text as a part of an id: 400 µs is 400-us, 75% SELECT / 25% UPDATE 75-select-25-update."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower().replace("µ", "u")).strip("-")


# --- what a document states, cell by cell, for the running text of a report --------------------


def statements_printed(cells: Measured, *, column: str = "value") -> list[Statement]:
    """The statements of one printed table, one a row: its id the row's name, its text the cell.

    Prose then says ``{{say fcp-peak}}`` for a row "fcp-peak" or "FCP, peak", and the number stands
    there exactly as printed.

    Args:
        cells: One table of ``read_printed``.
        column: The key of the column that holds what is said.
    """
    require_columns(cells.frame, ("row_name", "column_key"), "printed cells")
    names = cells.frame["row_name"].unique(maintain_order=True).to_list()
    return [say_printed(cells, name, column=column, value_id=slug(name)) for name in names]


@step(version=1, name="say.printed")
def say_printed(
    cells: Measured, row: str, *, column: str = "value", value_id: str | None = None
) -> Statement:
    """One cell of a printed table as a piece of a sentence, exactly as printed.

    Raises AnalysisError where no cell, or more than one, has this row and column.
    """
    require_columns(
        cells.frame, ("row_name", "column_key", "text", "value", "unit"), "printed cells"
    )
    found = cells.frame.filter(row_name=row, column_key=column).rows(named=True)
    if len(found) != 1 or found[0]["text"] is None:
        known: Sequence[str] = cells.frame["row_name"].unique().to_list()
        raise AnalysisError(
            f"printed cells: {len(found)} cells of row {row!r} and column {column!r}; "
            f"{did_you_mean(row, list(known))}"
        )
    cell = found[0]
    printed = Printed(cell["text"], cell["value"], cell["unit"] or "", "as printed")
    return Statement(check_id(value_id or row), cell["text"], (printed,))
