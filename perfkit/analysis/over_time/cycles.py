"""The drain cycles of the epic-like workload: their number and the longest."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from perfkit.analysis.curves.metrics import WORKLOAD_LABELS
from perfkit.analysis.curves.series import cautions_of, check_physical, groups, require_columns
from perfkit.core.answers import Answer, Subject, register_questions, to_frame, where_conditions
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

LABEL = WORKLOAD_LABELS["epic-like"]
FEWEST_CYCLES = 5
NO_VERDICT = "no verdict on fewer than five cycles"
NOT_ALL = "a planned drain did not happen"
SUBJECT = ("workload", "load_kind")
"""What the drains of a load point are of."""
_KEYS = (*SUBJECT, "load", "repeat")

[LONGEST_DRAIN] = register_questions(
    ("longest_drain", "s", "the longest drain of a load point and repeat",
     "none: each repeat by itself", "none",
     frozenset({("measured", "="), ("measured", ">="), ("missing", "=")})),
)  # fmt: skip


@step(version=2, name="cycles.drain")
def drain_summary(cycles: Measured) -> pl.DataFrame:
    """The longest drain of each load point and repeat: ANSWERS of ``longest_drain``.

    Where a planned drain did not happen (null), or fewer than five did, the longest that was seen
    is a lower bound (``>=``) with the reason, on which there is no verdict; without any it is
    missing. ``where`` are the load, the repeat, ``cycles_planned``, ``cycles`` (completed) and
    ``drain_shortest_s``.
    """
    return to_frame(longest_drains(cycles.frame))


def longest_drains(cycles: pl.DataFrame) -> list[Answer]:
    """The answers of ``drain_summary``.

    Raises AnalysisError for a column that is missing, and for a time that cannot be.
    """
    require_columns(cycles, [*_KEYS, "cycle", "drain_s"], "cycles")
    return [_longest(*group) for group in groups(cycles, _KEYS, along=("cycle",))]


def _longest(key: Row, drains: list[Row]) -> Answer:
    check_physical(drains, ["drain_s"])
    if key["load"] is None:
        raise AnalysisError("cycles: a drain has no load")
    done = [row["drain_s"] for row in drains if row["drain_s"] is not None]
    reason = (
        NO_VERDICT if len(done) < FEWEST_CYCLES else (NOT_ALL if len(done) < len(drains) else None)
    )
    answer = LONGEST_DRAIN.answer(
        "drain_longest_s",
        Subject(key["workload"], tuple((name, key[name]) for name in SUBJECT)),
        max(done, default=None),
        n=1,
        relation=">=" if done and reason else "=",
        conditions=where_conditions(
            (key["load_kind"], key["load"], "1"),
            ("repeat", key["repeat"], "1"),
            ("cycles_planned", len(drains), "1"),
            ("cycles", len(done), "1"),
            ("drain_shortest_s", min(done, default=None), "s"),
        ),
        cautions=cautions_of(drains),
    )
    return replace(answer, reason=reason)
