"""Of a grid's curves, which differ only in what is held, the one whose answer counts most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.analysis.curves.series import HELD, series_labels
from perfkit.core.answers import Answer, Subject, from_frame, to_frame
from perfkit.core.cautions import Caution, caution
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    import polars as pl

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
        return [replace(best, cautions=(*best.cautions, _told(own, what, best)))]
    first = own[0]
    if len({(answer.status, answer.reason) for answer in own}) > 1:
        return list(own)
    if first.status in {"not_reached", "beyond_measured"}:
        return [replace(min(own, key=_short_of), cautions=(*first.cautions, _told(own, _NEAREST)))]
    if first.status != "missing":
        return list(own)
    key = tuple(pair for pair in first.subject.key if pair[0] not in HELD)
    (label,) = series_labels([dict(key)])
    return [replace(first, subject=Subject(label, key))]


_NEAREST = "the value nearest to the one asked at"


def _told(own: Sequence[Answer], what: str, chosen: Answer | None = None) -> Caution:
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
