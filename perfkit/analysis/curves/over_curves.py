"""One answer for several curves: the range over curves or workloads, and the best curve of a grid.

A headline such as "62% to 70% more in all 3 workloads" is an answer of its own. Where an answer is
only a lower bound, the highest one may be higher still, and the lowest where it is that one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter

import polars as pl

from perfkit.analysis.curves import questions
from perfkit.analysis.curves.differences import DIFFERENCES, same_size
from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import HELD, series_labels
from perfkit.core.answers import (
    FOUND,
    Answer,
    Condition,
    Subject,
    from_frame,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import caution
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step

[OVER_CURVES] = register_questions(
    ("range_over_curves", "1", "the lowest and the highest answer to one question",
     "of the answers as they are", "none", FOUND),
)  # fmt: skip


@step(version=4, name="curve.range")
def range_over_curves(
    answers: Measured, *, claims: list[int], workload: str | None = None, of_size: bool = False
) -> pl.DataFrame:
    """The lowest and the highest of these claims, which answer one question asked at one value.

    The estimate is the lowest value, the condition ``highest`` the highest one. ``asked`` counts
    the claims, ``known`` those with a number; of changes, ``judged`` those with an interval and
    ``shown`` those whose interval holds changes in one direction alone. The subject's key names
    the question (``asked``), the curves of both ends, and how these stand to the true ends
    (``lowest_is``, ``highest_is``); where all others have no number for one reason, their status is
    ``others``. Of claims that are all of the ``workload`` the curves are named without it. Of
    claims that are all ``of_size`` (``by_size``) the condition ``SIZE`` says of which.
    """
    every = from_frame(answers.frame)
    chosen = [every[claim - 1] for claim in claims]
    if of_size:
        one = _range(chosen)
        size = where_conditions((SIZE, size_of(chosen[0]), "B"))
        return to_frame([replace(one, conditions=(*one.conditions, *size))])
    if workload is None:
        return to_frame([_range(chosen)])
    labels = series_labels([dict(answer.subject.key) for answer in chosen])
    named = [
        replace(answer, subject=replace(answer.subject, label=label))
        for answer, label in zip(chosen, labels, strict=True)
    ]
    one = _range(named)
    key = (*one.subject.key, ("workload", workload))
    return to_frame([replace(one, subject=replace(one.subject, key=key))])


def unlike_workloads(answers: Sequence[Answer]) -> bool:
    """Whether these are answers of several curves of workloads that differ in I/O size or mix."""
    workloads = {answer.subject.get("workload") for answer in answers}
    if not 1 < len(workloads) < len(answers):
        return False
    return any(_between(answers, name, same) for name, (_, _, same) in DIFFERENCES.items())


SIZE = "size_of_all"
"""The condition of a range over curves of one I/O size among others."""


def by_size(answers: Sequence[Answer]) -> list[list[Answer]]:
    """Answers of three curves or more by their mean I/O size, the smallest first.

    One group of all where they do not differ in it, or one does not say it: 4 KiB reads and 1 MiB
    writes have no range of IOPS together that says anything of either.
    """
    sized = [(size, answer) for answer in answers if (size := size_of(answer)) is not None]
    if len(sized) < len(answers) or len(answers) < FEW or any(one.against for one in answers):
        return [list(answers)]
    found: list[list[Answer]] = []
    least = 0.0
    for size, answer in sorted(sized, key=itemgetter(0)):
        if found and same_size(least, size):
            found[-1].append(answer)
        else:
            least = size
            found.append([answer])
    return found


FEW = 3
"""Fewer curves are named each with its answer."""


def size_of(answer: Answer) -> float | None:
    """The mean I/O size of its curve, where the curves differ in it."""
    return next((c.value for c in answer.conditions if c.metric == "mean_io_bytes"), None)


def _range(answers: Sequence[Answer]) -> Answer:
    first = answers[0]
    known = sorted((item for item in answers if item.estimate), key=lambda item: item.got.value)
    cautions = tuple(dict.fromkeys(item for answer in answers for item in answer.cautions))
    asked_at = tuple(item for item in first.conditions if item.role in {"at", "limit"})
    grids = sum(any(c.metric == GRID for c in item.conditions) for item in answers)
    counted = where_conditions(
        ("asked", len(answers), "1"), ("known", len(known), "1"), ("grids", grids or None, "1")
    )
    change = first.against is not None
    key = [("asked", first.question), ("direction", first.subject.get("direction"))]
    if not known:
        pairs = {(item.subject.label, item.against and item.against.label) for item in answers}
        key += [("of", "pairs")] if change and len(pairs) > 1 else []
        return OVER_CURVES.answer(
            first.metric,
            Subject(first.subject.label, tuple(key)),
            None,
            "none of the curves has an answer",
            conditions=(*asked_at, *counted),
            cautions=cautions,
        )
    low, high = known[0], known[-1]
    name = "workload" if change else None
    bounds = {item.relation for item in known}
    key += [
        ("lowest", _name(low, name)),
        ("highest", _name(high, name)),
        ("lowest_is", "<=" if "<=" in bounds else low.relation),
        ("highest_is", ">=" if ">=" in bounds else high.relation),
    ]
    others = {item.status for item in answers if not item.estimate}
    if len(others) == 1:
        key.append(("others", next(iter(others))))
    if first.against:
        key.append(("against", first.against.label))
    judged = [item for item in known if item.got.low is not None]
    shown = [item for item in judged if _tells(item)]
    ends = where_conditions(
        ("highest", high.got.value, high.got.unit),
        ("shown", len(shown) if change else None, "1"),
        ("judged", len(judged) if change else None, "1"),
    )
    differ = [
        item for name, (_, _, same) in DIFFERENCES.items() for item in _between(known, name, same)
    ]
    return OVER_CURVES.answer(
        first.metric,
        Subject(first.subject.label, tuple(key)),
        low.got.value,
        unit=low.got.unit,
        conditions=(*asked_at, *counted, *ends, *differ),
        cautions=cautions,
        inputs=tuple(dict.fromkeys(place for item in known for place in item.inputs)),
        n=min(item.got.n or 0 for item in known) or None,
    )


def _between(
    answers: Sequence[Answer], name: str, same: Callable[[float, float], bool]
) -> list[Condition]:
    """The least and the most of what the curves differ in, where they do."""
    every = [item for one in answers for item in one.conditions if item.metric == name]
    ends = [pick(every, key=lambda item: item.value) for pick in (min, max)] if every else []
    if not ends or same(ends[0].value, ends[1].value):
        return []
    return [replace(end, role="between") for end in ends]


def _tells(change: Answer) -> bool:
    """Whether the interval of a change holds only changes in one direction."""
    low, high = change.got.low, change.got.high
    return low is not None and high is not None and not low <= 1 <= high


def _name(answer: Answer, part: str | None) -> str:
    return str(answer.subject.get(part)) if part else answer.subject.label


_HIGHEST: Callable[[float], float] = float
_LOWEST: Callable[[float], float] = float.__neg__

RANKS: dict[str, Callable[[float], float]] = {
    questions.PEAK_IOPS.name: _HIGHEST,
    questions.MOST_IOPS_WITHIN_LATENCY.name: _HIGHEST,
    questions.IOPS_AT_LATENCY.name: _HIGHEST,
    questions.LOWEST_LATENCY.name: _LOWEST,
    "repeatability": _HIGHEST,
    "littles_law": lambda ratio: abs(ratio - 1),
}
"""Question -> by what the curve is chosen that stands for its grid."""

_CHECKS = {"repeatability", "littles_law"}
"""Questions of which the worst curve stands for its grid."""

GRID = "curves"
"""The condition of an answer that stands for a grid: of how many curves."""


@step(version=2, name="answers.of_grids")
def of_grids(answers: Measured) -> pl.DataFrame:
    """One answer for all curves that differ only in what is held (jobs), and every other as it is.

    It is that of the curve with the most IOPS, the lowest latency, or of a check the worst result;
    its condition ``GRID`` and a caution say of how many curves. Curves none of which has an
    estimate have one answer together, too. Questions that ``RANKS`` does not know keep all their
    answers.
    """
    found: list[Answer] = []
    grids = rows_by(from_frame(answers.frame), _grid)
    for own in grids.values():
        found += [_one(own)] if len(own) > 1 and own[0].question in RANKS else own
    return to_frame(found)


def _grid(answer: Answer) -> tuple[object, ...]:
    """What the answers of one grid agree in; an answer of no grid agrees with none."""
    asked = tuple(item for item in answer.conditions if item.role in {"at", "limit"})
    key = tuple(pair for pair in answer.subject.key if pair[0] != "held")
    alone = answer.subject.label if answer.subject.get("held") is None or answer.sides else None
    return answer.question, answer.metric, asked, key, alone


def _one(own: Sequence[Answer]) -> Answer:
    known = [answer for answer in own if answer.estimate is not None]
    rank = RANKS[own[0].question]
    if known and not _may_give_more(own):
        return _chosen(own, max(known, key=lambda answer: rank(answer.got.value)))
    (status, reason), *others = dict.fromkeys((answer.status, answer.reason) for answer in own)
    if status in {"not_reached", "beyond_measured"} and not others:
        return _chosen(own, min(own, key=_short_of))
    why = _OTHERS_GIVE_MORE if known else _NO_ONE_REASON if others else reason
    return _of_none(own, why or _NO_ONE_REASON)


_NO_ONE_REASON = "no curve of the grid gives an answer, for more than one reason"
_OTHERS_GIVE_MORE = "some curves of the grid stay below it at every load, and may give more"


def _may_give_more(own: Sequence[Answer]) -> bool:
    """Whether a curve without an estimate may have a better one than all that have one."""
    below = any(answer.status == "not_reached" for answer in own)
    return own[0].question == questions.IOPS_AT_LATENCY.name and below


def _chosen(own: Sequence[Answer], one: Answer) -> Answer:
    """The answer of one curve as that of its grid, with what every curve of it has as a caution."""
    kinds = set.intersection(*({item.name for item in answer.cautions} for answer in own))
    shared = [item for answer in own for item in answer.cautions if item.name in kinds]
    name = "worst_of_grid" if one.question in _CHECKS else "best_of_grid"
    told = caution(name, of=one.subject.label, curves=str(len(own)))
    one = replace(one, subject=replace(one.subject, label=_with_held(one)))
    return _of_grid(
        own, replace(one, cautions=tuple(dict.fromkeys((*one.cautions, *shared, told))))
    )


def _of_none(own: Sequence[Answer], why: str) -> Answer:
    """One answer for a grid of which no curve's stands for all."""
    first = own[0]
    key = tuple(pair for pair in first.subject.key if pair[0] not in HELD)
    asked = tuple(item for item in first.conditions if item.role in {"at", "limit"})
    subject = Subject(whole_label(first), key)
    lacking = Answer(first.question, first.metric, subject, "missing", conditions=asked, reason=why)
    return _of_grid(own, lacking)


def _of_grid(own: Sequence[Answer], one: Answer) -> Answer:
    counted = where_conditions((GRID, len(own), "1"))
    return replace(one, conditions=(*one.conditions, *counted))


def whole_label(answer: Answer) -> str:
    """What the grid of an answer's curve is called: the curve's label without what is held."""
    key = dict(answer.subject.key)
    if key.get("held") is None:
        return answer.subject.label
    held = load_text(key["held_kind"], key["held"])
    rest = answer.subject.label.removesuffix(held).removesuffix(", ")
    return rest or series_labels([{name: key[name] for name in key if name not in HELD}])[0]


def _with_held(answer: Answer) -> str:
    """A curve's label with what is held: "32 jobs peaks at 400K IOPS" does not say what peaks."""
    key = dict(answer.subject.key)
    return f"{whole_label(answer)}, {load_text(key['held_kind'], key['held'])}"


def _short_of(answer: Answer) -> float:
    """How far the nearest value of a curve lies from the one asked at."""
    asked = answer.condition("at") or answer.condition("limit")
    met = [
        c.value
        for c in answer.conditions
        if c.role == "where" and asked and c.metric == asked.metric
    ]
    return abs(met[0] - asked.value) if met and asked else float("inf")
