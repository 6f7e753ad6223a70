"""Sentences on what an audit of printed numbers comes to."""

from __future__ import annotations

from perfkit.auditing.relations import summary  # noqa: F401 - registers the questions
from perfkit.core.answers import Answer
from perfkit.showing.sentences import ONE, Text
from perfkit.showing.statements.say import sentences
from perfkit.showing.statements.words import has, number

_BESIDE = (
    ("holding", "holds as printed", "hold as printed"),
    ("within_rounding", "holds within rounding", "hold within rounding"),
    ("not_checked", "could not be checked", "could not be checked"),
)  # fmt: skip


def _beside(text: Text, answer: Answer) -> str:
    """What became of the other relations: "3 hold as printed; 1 holds within rounding"."""
    return "; ".join(
        text.many(int(number(answer, key)), one, many)
        for key, one, many in _BESIDE
        if has(answer, key)
    )


def _rest(text: Text, answer: Answer) -> str:
    """The end of the sentence, and what was found by reading."""
    told = _beside(text, answer)
    return f"{f'; {told}' if told else ''}.{_remarks(text, answer)}"


def _others(text: Text, answer: Answer) -> str:
    """What else the audit found, as sentences of their own."""
    told = _beside(text, answer)
    return f"{f' {told}.' if told else ''}{_remarks(text, answer)}"


def _remarks(text: Text, answer: Answer) -> str:
    if not has(answer, "remarks"):
        return ""
    many = text.many(int(number(answer, "remarks")), "fault was", "faults were")
    return f" {many} found by reading."


def _relations(text: Text, answer: Answer) -> str:
    """How many relations were declared."""
    return text.many(int(number(answer, "relations")), "relation", "relations")


def _failing(text: Text, answer: Answer) -> str:
    count = int(answer.got.value)
    if not count:
        return "none fails"
    them = "it" if count == 1 else "them"
    return f"{text.many(count, 'fails', 'fail')} and rounding does not explain {them}"


def _in_doubt(text: Text, answer: Answer) -> str:
    count = int(answer.got.value)
    if not count:
        return "none is in doubt"
    return f"{text.many(count, 'is', 'are')} in doubt, as perfkit reads the page"


_NONE = "Nothing to check: {why} between printed numbers.{remarks}"
_FOUND = "{of_all}{found}{others}"


def _of(text: Text, answer: Answer) -> str:
    """Of how many relations it is; a second count of one audit does not say them again."""
    if not has(answer, "relations"):
        return "Besides, "
    return f"Of {_relations(text, answer)} between printed numbers, "


def _rest_unknown(_text: Text, answer: Answer) -> str:
    some = answer.got.value < number(answer, "numbers")
    return "; nothing is known about the others" if some else ""


def _fail(text: Text, answer: Answer) -> str:
    of = _relations(text, answer)
    many = int(answer.got.value)
    fail = "fails" if many == ONE else "fail"
    return f"{text.count(many) if many else 'None'} of {of} between printed numbers {fail}."


sentences(
    "relations_failed",
    of={"measured": _FOUND, "not_judged": _NONE},
    headline={"measured": "{fail}"},
    detail={"measured": "{rounding}{besides}"},
    of_all=_of,
    found=_failing,
    others=_rest,
    remarks=_remarks,
    fail=_fail,
    rounding=lambda _, answer: "No rounding explains it." if answer.got.value else "",
    besides=_others,
)
sentences(
    "relations_in_doubt",
    of={"measured": _FOUND, "not_judged": _NONE},
    of_all=_of,
    found=_in_doubt,
    others=_rest,
    remarks=_remarks,
)
sentences(
    "numbers_in_relations",
    of={
        "measured >=": "At least {value:count} of {numbers:count} printed numbers took part in a "
        "relation{rest}.",
        "measured": "{value:count} of {numbers:count} printed numbers took part in a relation: "
        "nothing was checked.",
    },
    rest=_rest_unknown,
)
