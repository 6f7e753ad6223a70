"""Sentences on what an audit of printed numbers comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.auditing.relations import summary  # noqa: F401 - registers the questions
from perfkit.showing.statements.say import sentences
from perfkit.showing.statements.words import has, number

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

_BESIDE = (
    ("holding", "holds as printed", "hold as printed"),
    ("within_rounding", "holds within the rounding of the printed numbers",
     "hold within the rounding of the printed numbers"),
    ("not_checked", "could not be checked", "could not be checked"),
    ("remarks", "was found by reading", "were found by reading"),
)  # fmt: skip


def others(text: Text, answer: Answer) -> str:
    """What else the audit found, a sentence each."""
    said = (
        f" {text.many(int(number(answer, key)), one, many)}."
        for key, one, many in _BESIDE if has(answer, key)
    )  # fmt: skip
    return "".join(said)


def relations(text: Text, answer: Answer) -> str:
    """How many relations were declared."""
    return text.many(int(number(answer, "relations")), "relation", "relations")


_NONE = "No relation between printed numbers was checked: {why}.{others}"

sentences(
    "relations_failed",
    of={
        "measured": "Of {relations} declared between printed numbers, {fail}, and no rounding "
        "explains it.{others}",
        "not_judged": _NONE,
    },
    relations=relations,
    fail=lambda text, answer: text.many(int(answer.got.value), "fails", "fail"),
    others=others,
)
sentences(
    "relations_in_doubt",
    of={
        "measured": "Of {relations} found between printed numbers, {doubts}: as perfkit reads the "
        "page they do not agree.{others}",
        "not_judged": _NONE,
    },
    relations=relations,
    doubts=lambda text, answer: text.many(int(answer.got.value), "is in doubt", "are in doubt"),
    others=others,
)
sentences(
    "numbers_in_relations",
    of={
        "measured >=": "At least {value:count} of {numbers:count} printed numbers took part in a "
        "relation; of the others nothing is known.",
        "measured": "{value:count} of {numbers:count} printed numbers took part in a relation: "
        "nothing was checked.",
    },
)
