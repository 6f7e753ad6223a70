"""Sentences on what an audit of printed numbers comes to.

The grammar, one line a sentence; a part in brackets stands where its count is not zero.

relations_failed
    measured        Of N relations declared between printed numbers, N fail, and no rounding
                    explains it.[ N hold as printed.][ N hold within the rounding of the printed
                    numbers.][ N could not be checked.][ N were found by reading.]
    not_judged      No relation between printed numbers was checked: WHY.[ N were found by reading.]
relations_in_doubt
    measured        Of N relations found between printed numbers, N are in doubt: as perfkit reads
                    the page they do not agree.[ ... as above]
    not_judged      (as above)
numbers_in_relations
    measured >=     At least N of N printed numbers took part in a relation; of the others nothing
                    is known.
    measured =      N of N printed numbers took part in a relation: nothing was checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.auditing.relations import summary  # noqa: F401 - registers the questions
from perfkit.showing.statements.say import template

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

_BESIDE = (
    ("holding", "holds as printed", "hold as printed"),
    ("within_rounding", *(f"{verb} within the rounding of the printed numbers"
                          for verb in ("holds", "hold"))),
    ("not_checked", "could not be checked", "could not be checked"),
    ("remarks", "was found by reading", "were found by reading"),
)  # fmt: skip


def _found(answer: Answer) -> dict[str, int]:
    return {item.metric: int(item.value) for item in answer.conditions}


def _number(answer: Answer) -> int:
    assert answer.estimate is not None  # noqa: S101 - of the statuses that have one
    return int(answer.estimate.value)


def _others(text: Text, answer: Answer) -> str:
    found = _found(answer)
    said = (f" {text.many(found[key], one, many)}." for key, one, many in _BESIDE if key in found)
    return "".join(said)


def _of_all(text: Text, answer: Answer, how: str) -> str:
    many = text.many(_found(answer)["relations"], "relation", "relations")
    return f"Of {many} {how} between printed numbers"


@template("relations_failed", status="measured")
def _failed(text: Text, answer: Answer) -> str:
    count = text.many(_number(answer), "fails", "fail")
    return (
        f"{_of_all(text, answer, 'declared')}, {count}, and no rounding explains it."
        f"{_others(text, answer)}"
    )


@template("relations_in_doubt", status="measured")
def _in_doubt(text: Text, answer: Answer) -> str:
    count = text.many(_number(answer), "is in doubt", "are in doubt")
    return (
        f"{_of_all(text, answer, 'found')}, {count}: as perfkit reads the page they do not agree."
        f"{_others(text, answer)}"
    )


@template("relations_failed", "relations_in_doubt", status="not_judged")
def _unchecked(text: Text, answer: Answer) -> str:
    why = text(answer.reason or "there is none")
    return f"No relation between printed numbers was checked: {why}.{_others(text, answer)}"


@template("numbers_in_relations", status="measured", relation=">=")
def _reached(text: Text, answer: Answer) -> str:
    all_ = text.count(_found(answer)["numbers"])
    return (
        f"At least {text.count(_number(answer))} of {all_} printed numbers took part in a "
        "relation; of the others nothing is known."
    )


@template("numbers_in_relations", status="measured")
def _nothing(text: Text, answer: Answer) -> str:
    all_ = text.count(_found(answer)["numbers"])
    return (
        f"{text.count(_number(answer))} of {all_} printed numbers took part in a relation: "
        "nothing was checked."
    )
