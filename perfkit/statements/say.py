"""Statements of answers: one sentence an answer, its template chosen by what the answer is.

A template belongs to a question, a status and a relation. It puts the answer's numbers into words:
it computes nothing, decides nothing and rounds by the rules of ``metrics``. Each family of
questions registers its templates in a module of its own (``FAMILIES``), whose docstring holds the
grammar of its sentences.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from perfkit import answers as claims
from perfkit.analysis.metrics import exact_printed
from perfkit.answers import Answer, Condition
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.values import check_id

if TYPE_CHECKING:
    from perfkit.values import Statement

Template = Callable[[Text, Answer], str]

TEMPLATES: dict[tuple[str, str, str], Template] = {}
"""(question, status, relation) -> the words."""

FAMILIES = ("perfkit.statements.curves",)
"""The modules that register templates."""

Asked = tuple[tuple[str, float], ...]


def template(
    *questions: str, status: str | Sequence[str], relation: str | Sequence[str] = "="
) -> Callable[[Template], Template]:
    """Register the words of these questions for these statuses and relations."""
    statuses = [status] if isinstance(status, str) else status
    relations = [relation] if isinstance(relation, str) else relation

    def register(words: Template) -> Template:
        keys = [(q, s, r) for q in questions for s in statuses for r in relations]
        for key in keys:
            if TEMPLATES.setdefault(key, words) is not words:
                raise AnalysisError(f"there is another sentence for {key}")
        return words

    return register


def templates() -> dict[tuple[str, str, str], Template]:
    """Every template, of all families."""
    for name in FAMILIES:
        importlib.import_module(name)
    return TEMPLATES


def sentence(text: Text, answer: Answer) -> str:
    """The sentence of one answer.

    Raises AnalysisError where no template belongs to it.
    """
    key = answer.question, answer.status, answer.relation
    known = templates()
    if key not in known:
        raise AnalysisError(f"there is no sentence for {' '.join(key)}")
    return known[key](text, answer)


def say(answers: Measured, *questions: str, value_id: str | None = None) -> list[Statement]:
    """A statement for each question, and each value at which it was asked.

    The ids are those of the questions (``peak-iops``), with the value where a question was asked at
    several (``iops-at-latency-400-us``). Of several curves a statement has a sentence for each.

    Args:
        answers: What ``peak``, ``iops_at_latency`` and the like gave.
        questions: Those wanted; none named: all.
        value_id: The id, where there is one statement alone.

    Raises AnalysisError for answers that do not hold a question named, no answers at all, and
    one id for several statements.
    """
    templates()  # which registers the questions
    asked: dict[tuple[str, Asked], None] = {}
    for answer in claims.from_frame(answers.frame):
        asked[answer.question, _asked(answer)] = None
    known = list(dict.fromkeys(question for question, _ in asked))
    for question in questions:
        if question not in known:
            raise AnalysisError(f"no answer to {question!r}; {did_you_mean(question, known)}")
    wanted = [(q, at) for q, at in asked if not questions or q in questions]
    if not wanted:
        raise AnalysisError("answers: no rows, so nothing to say")
    if value_id is not None and len(wanted) > 1:
        raise AnalysisError(f"one id, {value_id!r}, for {len(wanted)} statements")
    return [
        _say(answers, question, [list(pair) for pair in at],
             value_id=value_id or _id(question, at, [a for q, a in asked if q == question]))
        for question, at in wanted
    ]  # fmt: skip


@step(version=1, name="say.answers")
def _say(
    answers: Measured, question: str, at: list[list[str | float]], *, value_id: str
) -> Statement:
    text = Text()
    said = [
        sentence(text, answer) for answer in claims.from_frame(answers.frame)
        if answer.question == question and [list(pair) for pair in _asked(answer)] == at
    ]  # fmt: skip
    return text.done(check_id(value_id), dict.fromkeys(said))


def conditions_asked(answer: Answer) -> tuple[Condition, ...]:
    """The conditions that were asked at, not those that were found."""
    return tuple(item for item in answer.conditions if item.role in {"at", "limit"})


def _asked(answer: Answer) -> Asked:
    return tuple((item.metric, item.value) for item in conditions_asked(answer))


def _id(question: str, at: Asked, all_: Sequence[Asked]) -> str:
    name = question.replace("_", "-")
    if len(all_) == 1:
        return name
    # what differs between the statements of this question tells them apart
    kinds = {metric for asked in all_ for metric, _ in asked}
    words = [
        (f"{metric} " if len(kinds) > 1 else "") + exact_printed(metric, value).text
        for metric, value in at
    ]
    return check_id("-".join([name, *map(_slug, words)]))


def _slug(text: str) -> str:
    """A value as a part of an id: 400 µs is 400-us, 1.5 ms is 1-5-ms."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower().replace("µ", "u")).strip("-")
