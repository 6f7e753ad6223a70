"""A verdict as a frame, one row a judgement, and how many of them passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from perfkit.core.answers import Subject, register_questions, to_frame, where_conditions
from perfkit.core.cautions import to_json
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Printed

if TYPE_CHECKING:
    from perfkit.core.schema import ColumnTypes, Row
    from perfkit.core.verdict import Judgement, Verdict


@step(version=3, name="verdict.judgements")
def judgements(verdict: Verdict) -> pl.DataFrame:
    """The verdict as a frame, one row a judgement: for tables and sentences."""
    rows = [_flat(item) for item in verdict.judgements]
    return pl.DataFrame(rows, schema=JUDGEMENTS, orient="row")


JUDGEMENTS: ColumnTypes = {
    "criterion": pl.String, "scope": pl.String, "rule": pl.String, "value": pl.Float64,
    "value_text": pl.String, "value_unit": pl.String, "value_rounding": pl.String,
    "outcome": pl.String, "reason": pl.String, "source": pl.String, "cautions": pl.String,
    "meant_to_fail": pl.String,
}  # fmt: skip


def _flat(item: Judgement) -> Row:
    value = item.value or Printed("–", None, "1", "")
    return {
        **{
            name: getattr(item, name)
            for name in (
                "criterion",
                "scope",
                "rule",
                "outcome",
                "reason",
                "source",
                "meant_to_fail",
            )
        },
        "value": value.value,
        "value_text": value.text,
        "value_unit": value.unit,
        "value_rounding": value.rounding,
        "cautions": to_json(item.cautions),
    }


[_MET] = register_questions(
    ("criteria_met", "1", "the judgements that passed", "a count", "none",
     frozenset({("measured", "="), ("not_judged", "=")})),
)  # fmt: skip


@step(version=1, name="verdict.criteria_met")
def criteria_met(judged: Measured) -> pl.DataFrame:
    """The answer of ``judgements``: how many passed, of how many that count.

    Judgements of subjects that are meant to fail stand apart.
    """
    rows = judged.frame.rows(named=True)
    counting = [row for row in rows if row["meant_to_fail"] is None]
    passed = sum(row["outcome"] == "pass" for row in counting)
    none = "no criterion was given" if not rows else "every subject is meant to fail"
    apart = len(rows) - len(counting)
    return to_frame(
        [
            _MET.answer(
                "judgements",
                Subject("the verdict"),
                passed if counting else None,
                none,
                without="not_judged",
                conditions=where_conditions(
                    ("judgements", float(len(counting)) if counting else None, "1"),
                    ("meant_to_fail", float(apart) if apart else None, "1"),
                ),
            )
        ]
    )
