"""One answer for several curves: the range over curves or workloads, and the best curve of a grid.

A headline such as "62% to 70% more in all 3 workloads" is an answer of its own. Where an answer is
only a lower bound, the highest one may be higher still, and the lowest where it is that one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.analysis.curves.differences import DIFFERENCES
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
from perfkit.core.cautions import Caution, caution
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    import polars as pl


[OVER_CURVES] = register_questions(
    ("range_over_curves", "1", "the lowest and the highest answer to one question",
     "of the answers as they are", "none", FOUND),
)  # fmt: skip


@step(version=3, name="curve.range")
def range_over_curves(answers: Measured, *, claims: list[int]) -> pl.DataFrame:
    """The lowest and the highest of these claims, which answer one question asked at one value.

    The estimate is the lowest value, the condition ``highest`` the highest one. ``asked`` counts
    the claims, ``known`` those with a number; of changes, ``judged`` those with an interval and
    ``shown`` those whose interval holds changes in one direction alone. The subject's key names
    the question (``asked``), the curves of both ends, and how these stand to the true ends
    (``lowest_is``, ``highest_is``); where all others have no number for one reason, their status is
    ``others``.
    """
    every = from_frame(answers.frame)
    return to_frame([_range([every[claim - 1] for claim in claims])])


def _range(answers: Sequence[Answer]) -> Answer:
    first = answers[0]
    known = sorted((item for item in answers if item.estimate), key=lambda item: item.got.value)
    cautions = tuple(dict.fromkeys(item for answer in answers for item in answer.cautions))
    asked_at = tuple(item for item in first.conditions if item.role in {"at", "limit"})
    counted = where_conditions(("asked", len(answers), "1"), ("known", len(known), "1"))
    change = first.against is not None
    key = [("asked", first.question), ("direction", first.subject.get("direction"))]
    if not known:
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

COUNTS: dict[str, tuple[str, Callable[[float], float]]] = {
    "peak_iops": ("the most IOPS", _HIGHEST),
    "most_iops_within_latency": ("the most IOPS within the limit", _HIGHEST),
    "iops_at_latency": ("the most IOPS at the limit", _HIGHEST),
    "lowest_latency": ("the lowest latency", _LOWEST),
    "repeatability": ("the widest interval", _HIGHEST),
    "littles_law": ("the ratio furthest from 1", lambda ratio: abs(ratio - 1)),
}
"""Question -> what the answer of the chosen curve has, and by what it is chosen."""


@step(version=1, name="answers.of_grids")
def of_grids(answers: Measured) -> pl.DataFrame:
    """One answer for all curves that differ only in what is held (jobs), and every other as it is.

    It is that of the curve with the most IOPS, the lowest latency, or of a check the worst result;
    a caution says of how many curves. Curves that all have no estimate for one reason have one
    answer together. Questions that ``COUNTS`` does not know keep all their answers.
    """
    found: list[Answer] = []
    grids = rows_by(from_frame(answers.frame), _grid)
    for own in grids.values():
        found += _one(own) if len(own) > 1 and own[0].question in COUNTS else own
    return to_frame(found)


def _grid(answer: Answer) -> tuple[object, ...]:
    """What the answers of one grid agree in; an answer of no grid agrees with none."""
    asked = tuple(item for item in answer.conditions if item.role in {"at", "limit"})
    key = tuple(pair for pair in answer.subject.key if pair[0] != "held")
    alone = answer.subject.label if answer.subject.get("held") is None or answer.sides else None
    return answer.question, answer.metric, asked, key, alone


def _one(own: Sequence[Answer]) -> list[Answer]:
    known = [answer for answer in own if answer.estimate is not None]
    what, rank = COUNTS[own[0].question]
    if known:
        best = max(known, key=lambda answer: rank(answer.estimate.value) if answer.estimate else 0)
        return [replace(best, cautions=(*best.cautions, _grid_caution(own, what, best)))]
    first = own[0]
    if len({(answer.status, answer.reason) for answer in own}) > 1:
        return list(own)
    if first.status in {"not_reached", "beyond_measured"}:
        return [
            replace(
                min(own, key=_short_of), cautions=(*first.cautions, _grid_caution(own, _NEAREST))
            )
        ]
    if first.status != "missing":
        return list(own)
    key = tuple(pair for pair in first.subject.key if pair[0] not in HELD)
    (label,) = series_labels([dict(key)])
    return [replace(first, subject=Subject(label, key))]


_NEAREST = "the value nearest to the one asked at"


def _grid_caution(own: Sequence[Answer], what: str, chosen: Answer | None = None) -> Caution:
    of = chosen or min(own, key=_short_of)
    return caution("of_grid", of=of.subject.label, curves=str(len(own)), what=what)


def _short_of(answer: Answer) -> float:
    """How far the nearest value of a curve lies from the one asked at."""
    asked = answer.condition("at") or answer.condition("limit")
    met = [
        c.value
        for c in answer.conditions
        if c.role == "where" and asked and c.metric == asked.metric
    ]
    return abs(met[0] - asked.value) if met and asked else float("inf")
