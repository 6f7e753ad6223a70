"""Findings of a notebook: which answers a report is made for, and how they are said.

A finding is chosen by the notebook's order, never by how large a number is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from perfkit.analysis.curves.metrics import workload_name
from perfkit.analysis.curves.over_curves import (
    by_size,
    range_over_curves,
    size_of,
    unlike_workloads,
)
from perfkit.analysis.curves.questions import (
    CURVE_QUESTIONS,
    IOPS_AT_LATENCY,
    MOST_IOPS_WITHIN_LATENCY,
)
from perfkit.core import answers as claims
from perfkit.core.answers import Answer, Subject
from perfkit.core.cautions import Caution
from perfkit.core.errors import AbsentError, AnalysisError, check_name
from perfkit.core.findings import Finding, Findings
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, Shown, measured, step
from perfkit.core.unanswered import Unanswered, takes_unanswered
from perfkit.core.values import Figure, check_id
from perfkit.showing.sentences import Text
from perfkit.showing.statements.over_curves import size_printed
from perfkit.showing.statements.say import (
    begun,
    conditions_asked,
    sentence,
    templates,
    words_of,
)

MOST_FINDINGS = 5
"""A first page has room for so many."""


def finding(
    answers: Measured,
    question: str,
    *,
    of: str | None = None,
    see: str | None = None,
    most: int | None = None,
    by: str | None = None,
    subject: Mapping[str, str | None] | None = None,
    panel: str | None = None,
) -> list[Finding]:
    """One question's answers as a candidate for the findings of a report (``findings``).

    Of a question asked at several values the first value counts that has a number. Several curves
    make one finding, with the range of their answers; of changes the workloads of each pair do.
    Curves of a few workloads that differ in I/O size or mix make one for each workload, those of
    more workloads one for each I/O size: the smallest and the largest where there are many. Of
    another question each answer is a finding.

    Args:
        answers: What ``peak``, ``compare``, ``audit_summary`` and the like gave.
        question: The question.
        of: Whose answer, by its name in the sentences ("all servers"); None: that of each.
        see: The id of the figure or table that shows it; of several, "id" stands for "id-1".
        most: At most so many findings, the first; None: all. ``findings`` says how many more there
            are.
        by: A part of what they are of ("history"), each value of which has its first finding.
        subject: Parts of what they are of; a part with None: those without it.
        panel: A question that it answers in a panel beside the findings ("Is it storage?").

    Raises AbsentError where the question was not asked; AnalysisError where there is none.
    """
    templates()  # which registers the questions
    answers = measured(answers, "answers")
    check_name("question", question, claims.QUESTIONS)
    every = list(enumerate(claims.from_frame(answers.frame), 1))
    asked = [
        (claim, item)
        for claim, item in every
        if item.question == question
        and of in {None, item.subject.label}
        and all(item.subject.get(key) == value for key, value in (subject or {}).items())
    ]
    if not asked:
        whose = f" of {of}" if of else ""
        raise AbsentError(f"{question.replace('_', ' ')}{whose} was not asked")
    at = next(
        (conditions_asked(item) for _, item in asked if item.estimate is not None),
        conditions_asked(asked[0][1]),
    )
    chosen = [(claim, item) for claim, item in asked if conditions_asked(item) == at]
    # curves of which none has a number are none together, whatever they differ in
    known = any(item.estimate is not None for _, item in chosen)
    apart = known and _apart([item for _, item in chosen])
    sizes = _sizes(chosen) if known and not apart else []
    parts = sizes or _parted(chosen, "workload" if apart else None)
    parts = _lacking_together(parts, dict(chosen))
    every_part = len(parts)
    if by is not None:
        parts = _first_of_each(parts, dict(chosen), by, most)
    if len(sizes) > MOST_SIZES:
        most = BOTH_ENDS if most is None else min(most, BOTH_ENDS)
    shown = parts if by else parts[:most]
    made = [
        _of_claims(answers, of_one, see, panel, apart=apart, sized=bool(sizes)) for of_one in shown
    ]
    told = {claim for part in shown for claim in part}
    more = [one for claim, item in chosen if claim not in told for one in item.cautions]
    left_out = every_part - len(made)
    return [*(replace(one, left_out=left_out, others=(*more,)) for one in made[:1]), *made[1:]]


MOST_SIZES, BOTH_ENDS = 3, 2
"""Of more I/O sizes the first page has the smallest and the largest: it answers other questions."""


def _sizes(chosen: Sequence[tuple[int, Answer]]) -> list[list[int]]:
    """The claims of each I/O size, the smallest and the largest first; empty of one size."""
    curves = all(item.question in CURVE_QUESTIONS for _, item in chosen)
    claim_of = {id(item): claim for claim, item in chosen}
    groups = by_size([item for _, item in chosen]) if curves else []
    if len(groups) <= 1:
        return []
    found = [[claim_of[id(item)] for item in group] for group in groups]
    return [found[0], found[-1], *found[1:-1]] if len(found) > MOST_SIZES else found


def _first_of_each(
    parts: list[list[int]], answers: Mapping[int, Answer], by: str, most: int | None
) -> list[list[int]]:
    """At most so many, those that come first of what they are of; each has its first."""
    met = Counter[Any]()
    ranked = []
    for part in parts:
        own = answers[part[0]].subject.get(by)
        ranked.append((met[own], part))
        met[own] += 1
    least = max(most or len(parts), len(met))
    chosen = sorted(ranked, key=lambda item: item[0])[:least]
    return [item[1] for item in ranked if item in chosen]


def _parted(chosen: Sequence[tuple[int, Answer]], by: str | None) -> list[list[int]]:
    """The claims of each finding; of curves by a part of what they are of."""
    parts: dict[Any, list[int]] = {}
    for claim, item in chosen:
        pair = (item.subject.label, item.against and item.against.label)
        curve = item.question in CURVE_QUESTIONS
        own = item.subject.get(by) if by else ()
        parts.setdefault((pair if item.against else own) if curve else claim, []).append(claim)
    return list(parts.values())


def _lacking_together(parts: list[list[int]], answers: Mapping[int, Answer]) -> list[list[int]]:
    """The claims of each finding; pairs of curves of which none has a number are one together."""
    pairs = [part for part in parts if answers[part[0]].question in CURVE_QUESTIONS]
    lacking = [part for part in pairs if all(answers[claim].estimate is None for claim in part)]
    if len(lacking) <= 1 or not all(answers[part[0]].against for part in lacking):
        return parts
    together = [claim for part in lacking for claim in part]
    return [together if part is lacking[0] else part for part in parts if part not in lacking[1:]]


def _apart(answers: Sequence[Answer]) -> bool:
    """Whether each workload has a finding of its own: of many a first page would have the first."""
    if any(item.against for item in answers):
        return False
    workloads = {item.subject.get("workload") for item in answers}
    return len(workloads) <= MOST_FINDINGS and unlike_workloads(answers)


def _of_claims(
    answers: Measured,
    of_one: list[int],
    see: str | None,
    panel: str | None,
    *,
    apart: bool,
    sized: bool,
) -> Finding:
    every = claims.from_frame(answers.frame)
    workload = every[of_one[0] - 1].subject.get("workload") if apart else None
    if len(of_one) == 1:
        more: dict[str, Any] = {"workload": _workload_of_change(every, of_one[0])}
        if sized:
            more["of_size"] = True
        found = _finding(answers, claim=of_one[0], see=see, panel=panel, **more)
    else:
        more = {"workload": workload} if apart else {"of_size": True} if sized else {}
        span = range_over_curves(answers, claims=of_one, **more)
        found = _finding(span, claim=1, see=see, panel=panel)
    answers_said = tuple(every[claim - 1] for claim in of_one)
    return replace(found, answers=answers_said, of=answers_said[0].subject.get("history"))


def _workload_of_change(every: Sequence[Answer], claim: int) -> str | None:
    """The workload that a change is of, where others are of another one."""
    workloads = {item.subject.get("workload") for item in every if item.against}
    one = every[claim - 1]
    return one.subject.get("workload") if one.against and len(workloads) > 1 else None


@step(version=3, name="finding.answer")
def _finding(
    answers: Measured,
    *,
    claim: int,
    see: str | None,
    panel: str | None = None,
    workload: str | None = None,
    of_size: bool = False,
) -> Finding:
    text, answer = Text(), claims.from_frame(answers.frame)[claim - 1]
    kind = "panel " if panel else ""
    headline = words_of(text, answer, kind or "headline ")
    if headline is None and answer.estimate is None:
        said: tuple[str | None, str] = (None, sentence(text, answer))
    elif headline is None:
        said = (sentence(text, answer), "")
    else:
        detail = words_of(text, answer, f"{kind}detail ")
        said = (
            begun(text, headline),
            begun(text, sentence(text, answer) if detail is None else detail),
        )
    if workload and said[0]:
        said = (f"{text(workload_name(workload))}: {said[0]}", said[1])
    if of_size and said[0]:
        size = text(size_printed(size_of(answer) or 0.0))
        said = (said[0], f"{said[1]} Its I/Os are of {size}.".strip())
    heading, body = (None if part is None else text.done("x", [part]) for part in said)
    return Finding(
        # a range over curves is of the question that was asked of them
        check_id(str(answer.subject.get("asked") or answer.question).replace("_", "-")),
        heading.text if heading else None,
        body.text if body else "",
        see,
        text.done("x", filter(None, said)).printed,
        cautions=answer.cautions,
        panel=panel,
    )


@takes_unanswered
def findings(
    *candidates: Sequence[Finding] | Finding | Unanswered,
    hero: str | Sequence[str | Sequence[Figure] | Unanswered] | None = None,
    table: str | None = None,
    value_id: str = "findings",
) -> Findings | Unanswered:
    """What a report's first page says: the first five candidates that are answered, and its panel.

    A candidate that the evidence has no answer to drops out. Where an answer has no number, its
    sentence stands among what the report does not show.

    Args:
        candidates: What ``finding`` gave, in order of importance.
        hero: The chart that stands with them, large: its id, or several ids and figures, of which
            the first that the report has counts. Of several, "id" stands for "id-1".
        table: The id of a table, likewise.
        value_id: The id.

    Unanswered where no candidate has an answer.
    """
    # before the step: a replay has findings without the answers behind them
    given = _said_once(list(_flat(candidates)))
    if not given:
        reasons = [item.reason for item in candidates if isinstance(item, Unanswered)]
        return Unanswered("; ".join(dict.fromkeys(reasons)) or "no finding was asked for")
    return _findings(given, hero=_charts(hero), table=table, value_id=value_id)


def _charts(hero: Any) -> tuple[str, ...]:
    """The ids of what is named: ids, figures, lists of both; nothing of what is unanswered."""
    if hero is None or isinstance(hero, Unanswered):
        return ()
    if isinstance(hero, str | Figure):
        return (hero if isinstance(hero, str) else hero.id,)
    return tuple(name for item in hero for name in _charts(item))


def _flat(candidates: Iterable[Any]) -> Iterable[Finding]:
    for item in candidates:
        if isinstance(item, Finding):
            yield item
        elif isinstance(item, list | tuple):
            yield from _flat(item)
        elif not isinstance(item, Unanswered):
            raise AnalysisError(
                f"findings take what finding gives, and one is a {type(item).__name__}"
            )


def _with_left_out(
    listed: Sequence[Finding], left: Mapping[str, int], others: Mapping[str, Sequence[Caution]]
) -> list[Finding]:
    """Of each question the last that is listed says how many more there are, with their cautions.

    A caution counts its curves: "6 curves were measured once" says that others were not.
    """
    last = {item.id: item for item in listed}
    return [
        _and_more(item, left[item.id], others[item.id])
        if item is last[item.id] and left[item.id]
        else item
        for item in listed
    ]


def _cautions_of(items: Sequence[Finding], among: Sequence[Finding]) -> list[Caution]:
    return [one for item in items if item in among for one in item.cautions or ()]


def _and_more(item: Finding, left: int, others: Sequence[Caution]) -> Finding:
    text = Text()
    more = f"{text.many(left, 'more such finding is', 'more such findings are')} not listed here."
    said = text.done("x", [more])
    return replace(
        item,
        text=" ".join(filter(None, (item.text, said.text))),
        cautions=tuple(dict.fromkeys((*(item.cautions or ()), *others))) or item.cautions,
        printed=(*item.printed, *said.printed),
    )


def _said_once(given: Sequence[Finding]) -> list[Finding]:
    """Without the lowest latency of one curve of a single load, which stands with its peak.

    Of several curves the peaks stand without their latencies, and both are told. Where no curve has
    IOPS within a latency, none has any at it.
    """
    nowhere = [_asked_of(item) for item in given if _lacks(item, MOST_IOPS_WITHIN_LATENCY.name)]
    single = {
        item.answers[0].subject
        for item in given
        if item.id == "peak-iops" and item.headline is not None and len(item.answers) == 1
        if any(one.name == "one_load" for one in item.answers[0].cautions)
    }
    return [
        item
        for item in given
        if not _stands_with_a_peak(item, single)
        and not (_lacks(item, IOPS_AT_LATENCY.name) and _asked_of(item) in nowhere)
    ]


def _lacks(item: Finding, question: str) -> bool:
    """Whether this is a question to which no curve has an answer."""
    of = {one.question for one in item.answers}
    return item.headline is None and of == {question}


def _asked_of(item: Finding) -> set[float]:
    return {one.value for answer in item.answers for one in conditions_asked(answer)}


def _stands_with_a_peak(item: Finding, single: Collection[Subject]) -> bool:
    lowest = item.id == "lowest-latency" and item.headline is not None
    return lowest and len(item.answers) == 1 and item.answers[0].subject in single


@step(version=3, name="finding.chosen")
def _findings(
    candidates: Sequence[Shown], *, hero: tuple[str, ...], table: str | None, value_id: str
) -> Findings:
    given = [item for item in candidates if isinstance(item, Finding)]
    known = [item for item in given if item.headline is not None]
    among = [item for item in known if item.panel is None]
    left_out = Counter(item.id for item in among[MOST_FINDINGS:])
    for item in given:
        left_out[item.id] += item.left_out
    others = {
        name: [one for item in own for one in item.others]
        + _cautions_of(own, among[MOST_FINDINGS:])
        for name, own in rows_by(given, lambda item: item.id).items()
    }
    listed = _with_left_out(among[:MOST_FINDINGS], left_out, others)
    items = (*listed, *(item for item in known if item.panel is not None))
    lacking = tuple(item for item in given if item.headline is None)
    cautions = dict.fromkeys(one for item in items for one in item.cautions or ())
    return Findings(check_id(value_id), items, lacking, hero, table, cautions=tuple(cautions))
