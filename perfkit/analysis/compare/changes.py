"""Changes: the ratio of what two curves answer, and the intervals of all changes of a pair.

The ratio is that of exactly the two answers that stand beside it, so that a change never disagrees
with its two numbers. Its interval holds together with those of all other changes of the same pair
and metric (``intervals.change_intervals``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfkit.analysis.curves.curves import CONFIDENCE
from perfkit.analysis.curves.questions import CURVE_QUESTIONS
from perfkit.core.answers import Answer, Estimate, Relation, Status
from perfkit.core.cautions import Caution, caution
from perfkit.core.intervals import EQUAL_ON_LOGS, Side, change_intervals

if TYPE_CHECKING:
    from perfkit.analysis.compare.sides import Curve

FAR_APART = 100.0
"""Latencies this many times apart are more often of two units than of two systems."""

WITHOUT_INTERVAL = (
    "one_repeat", "no_spread", "repeat_unanswered", "zero_value", "interval_too_wide",
)  # fmt: skip
"""The cautions that explain a missing interval."""

_GRAVEST: tuple[Status, ...] = ("missing", "ambiguous", "not_reached", "beyond_measured")
"""The statuses without a value: a change has the first of them that a side has."""

_FOUND: tuple[Status, ...] = ("interpolated", "highest_within", "measured")
"""The statuses with a value, likewise."""


@dataclass(frozen=True)
class Change:
    """A change before its interval; ``own`` are the answers of the repeats of both sides."""

    answer: Answer
    own: tuple[Side, Side] | None = None


def change(
    question: str,
    at: float | None,
    pair: tuple[Curve, Curve],
    metric: str,
    cautions: Sequence[Caution] = (),
) -> Change:
    """One question to both curves of a pair (subject, against).

    ``cautions`` are those of the pair.
    """
    subject, against = pair
    found = [curve.answer(question, at, metric) for curve in pair]
    one, other = (answer for answer, _ in found)
    own = [side for _, side in found if side is not None and side.value > 0]
    reason = _reason(question, pair, (one, other))
    known = len(own) == len(pair) and reason is None
    statuses = {side.status for side in (one, other)}
    answer = Answer(
        question,
        one.metric,
        subject.series.subject,
        "missing" if reason else next(s for s in (*_GRAVEST, *_FOUND) if s in statuses),
        Estimate(_ratio(*own), "ratio", n=min(len(side.own) for side in own)) if known else None,
        _relation(one.relation, other.relation) if known else "=",
        tuple(item for item in one.conditions if item.role in {"at", "limit"}),
        against=against.series.subject,
        reason=reason,
        sides=(one, other),
        cautions=tuple(dict.fromkeys([*cautions, *one.cautions, *other.cautions])),
        inputs=tuple(dict.fromkeys([*one.inputs, *other.inputs])),
    )
    return Change(answer, (own[0], own[1]) if known else None)


def _ratio(subject: Side, against: Side) -> float:
    """The ratio of two values; of two that only differ by the rounding of doubles it is 1."""
    same = math.isclose(subject.value, against.value, rel_tol=EQUAL_ON_LOGS)
    return 1.0 if same else subject.value / against.value


def _reason(question: str, pair: tuple[Curve, Curve], sides: tuple[Answer, Answer]) -> str | None:
    """Why two answers are not a change, though both curves may have one; None where they are."""
    if CURVE_QUESTIONS[question].at == "load" and len({c.series.load_kind for c in pair}) > 1:
        return "loads of different kinds are not equal"
    if any(side.estimate is not None and not side.estimate.value > 0 for side in sides):
        return "a value of zero has no ratio"
    return None


_TURNED: dict[Relation, Relation] = {"=": "=", ">=": "<=", "<=": ">="}


def _relation(subject: Relation, against: Relation) -> Relation:
    """What bounds of both sides say of their ratio: nothing where they pull in two directions."""
    said = {subject, _TURNED[against]} - {"="}
    return said.pop() if len(said) == 1 else "="


def with_intervals(changes: Iterable[Change]) -> list[Answer]:
    """The changes of one pair with their intervals: a family for each metric."""
    made = list(changes)
    found = [item.answer for item in made]
    for metric in dict.fromkeys(answer.metric for answer in found):
        places = [i for i, item in enumerate(made) if item.own and item.answer.metric == metric]
        sides = [own for own in (made[i].own for i in places) if own is not None]
        intervals = change_intervals(sides, level=CONFIDENCE)
        for place, ends in zip(places, intervals, strict=True):
            found[place] = _finished(found[place], ends)
    return found


def _finished(answer: Answer, ends: tuple[float, float] | None) -> Answer:
    """A change with its interval, or with the reason why it has none, and what both say."""
    estimate = answer.got
    cautions = list(answer.cautions)
    apart = not 1 / FAR_APART < estimate.value < FAR_APART
    if apart and answer.metric.startswith("lat_"):
        cautions.append(caution("far_apart"))
    if ends is not None:
        low, high = min(ends[0], estimate.value), max(ends[1], estimate.value)
        estimate = replace(estimate, low=low, high=high, level=CONFIDENCE)
        cautions = [item for item in cautions if item.name not in WITHOUT_INTERVAL]
        if low <= 1 <= high:
            cautions.append(caution("no_difference"))
    elif not any(item.name in WITHOUT_INTERVAL for item in cautions):
        cautions.append(caution("interval_too_wide", of="both"))
    return replace(answer, estimate=estimate, cautions=tuple(dict.fromkeys(cautions)))
