"""What an audit comes to: how many relations do not hold, and how far it reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.auditing.found.document import reach
from perfkit.auditing.found.page import SENTENCE
from perfkit.auditing.relations.run import CELL, DOUBT, FAILS, HOLDS, REMARK, ROUNDING, UNKNOWN
from perfkit.core.answers import (
    Answer,
    Condition,
    Estimate,
    Question,
    Relation,
    Status,
    Subject,
    register,
    to_frame,
)
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from perfkit.auditing.found.document import Reach
    from perfkit.core.schema import Row

_EXACT: frozenset[tuple[Status, Relation]] = frozenset({("measured", "=")})
_COUNTED: frozenset[tuple[Status, Relation]] = _EXACT | {("not_judged", "=")}
_LEAST: frozenset[tuple[Status, Relation]] = _EXACT | {("measured", ">=")}
for _name, _of_what, _gives in (
    ("relations_failed", "relations that fail, and no rounding explains it", _COUNTED),
    ("relations_in_doubt", "relations read off the page that a person has to look at", _COUNTED),
    ("numbers_in_relations", "printed numbers that took part in a relation, each once", _LEAST),
):
    register(Question(_name, "1", _of_what, "a count", "none", gives=_gives))

_BESIDE = (("holding", HOLDS), ("within_rounding", ROUNDING), ("not_checked", UNKNOWN),
           ("remarks", REMARK))  # fmt: skip
"""Conditions of a count of relations, and the outcomes that they count."""


@step(version=1, name="audit.summary")
def audit_summary(findings: Measured, printed: Mapping[str, Measured]) -> pl.DataFrame:
    """What an audit comes to: ANSWERS.

    Of declared relations ``relations_failed``; of those found by themselves ``relations_failed``
    where one does, and ``relations_in_doubt``: a count, with those checked and how they came out
    as conditions; not judged where there is none. ``numbers_in_relations`` is a lower bound, since
    a relation may name less than it rests on; zero is exact. Its condition ``numbers`` counts all
    that are printed.

    Args:
        findings: Of ``audit`` or ``audit_document``.
        printed: What was audited, as it was given to them.

    Raises AnalysisError for findings that are none.
    """
    require_columns(findings.frame, ("outcome", "numbers"), "findings")
    rows = findings.frame.rows(named=True)
    counted = found(rows) if "line" in findings.frame.columns else [failed(rows)]
    far = reach(rows, _of(CELL, printed), _of(SENTENCE, printed))
    return to_frame([*counted, reached(far)])


def failed(rows: Sequence[Row]) -> Answer:
    """How many declared relations fail, of the findings of ``audit``."""
    return _count("relations_failed", FAILS, rows, "no relation was declared")


def found(rows: Sequence[Row]) -> list[Answer]:
    """How many relations fail, and how many are in doubt, of ``audit_document``."""
    outcomes = {row["outcome"] for row in rows}
    if FAILS not in outcomes:
        return [in_doubt(rows)]
    # how many there are, and what became of the others, is said once
    besides = [replace(in_doubt(rows), conditions=())] if DOUBT in outcomes else []
    return [failed(rows), *besides]


def in_doubt(rows: Sequence[Row]) -> Answer:
    """How many relations are in doubt, of the findings of ``audit_document``."""
    return _count("relations_in_doubt", DOUBT, rows, "no relation was found")


def _count(question: str, outcome: str, rows: Sequence[Row], none: str) -> Answer:
    outcomes = [row["outcome"] for row in rows]
    checked = len(outcomes) - outcomes.count(REMARK)
    counts = [("relations", checked), *((key, outcomes.count(name)) for key, name in _BESIDE)]
    return Answer(
        question,
        "relations",
        Subject("printed numbers"),
        "measured" if checked else "not_judged",
        Estimate(float(outcomes.count(outcome)), "1") if checked else None,
        conditions=tuple(Condition(key, float(n), "1", "where") for key, n in counts if n),
        reason=None if checked else none,
    )


def reached(far: Reach) -> Answer:
    """How many of the printed numbers took part in a relation."""
    return Answer(
        "numbers_in_relations",
        "numbers",
        Subject("printed numbers"),
        "measured",
        Estimate(float(far.taking_part), "1"),
        ">=" if far.taking_part else "=",
        (Condition("numbers", float(far.numbers), "1", "where"),),
    )


def _of(columns: Sequence[str], printed: Mapping[str, Measured]) -> pl.DataFrame:
    """The rows of all tables that have these columns."""
    frames = [item.frame for item in printed.values() if set(columns) <= set(item.frame.columns)]
    own = [frame.select(columns) for frame in frames]
    return pl.concat(own) if own else pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
