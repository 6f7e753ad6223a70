"""What was done around a sweep's points: the warm-ups before them, the verification after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from perfkit.analysis.curves.series import require_columns, series_labels
from perfkit.core.answers import (
    FOUND,
    MEASURED,
    Answer,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

WARM_UP_ROUNDS, VERIFIED_BYTES, WRONG_BLOCK = register_questions(
    ("warm_up_rounds", "1", "rounds until the last three agree within the tolerance of the sweep",
     "each call by itself", "none", frozenset({("measured", "="), ("not_reached", "=")})),
    ("verified_bytes", "B",
     "bytes that were written after the last point, read back, and found as they were written",
     "none", "none", FOUND),
    ("wrong_block", "B", "where a block that was read back begins that is not as it was written",
     "none", "none", MEASURED),
)  # fmt: skip

_LABELS = ("system", "config", "workload")


@step(version=1, name="prepared.warm_ups")
def warm_ups(warmed: Measured) -> pl.DataFrame:
    """Of each warm-up, the rounds until it was warm, or that it was not: ANSWERS.

    Args:
        warmed: A run's ``warm_ups``.
    """
    require_columns(warmed.frame, ("call", "of", "round", "warm", "tolerance_ratio"), "warm-ups")
    keys = [name for name in (*_LABELS, "call") if name in warmed.frame.columns]
    last = warmed.frame.group_by(keys, maintain_order=True).last()
    return to_frame(_warm_up(*each) for each in _named(last))


def _warm_up(subject: Subject, row: Row) -> Answer:
    where = where_conditions(
        ("rounds", row["round"], "1"),
        ("tolerance", row["tolerance_ratio"], "ratio"),
        ("call", row["call"], "1"),
    )
    # what was watched is not a metric of perfkit's: it may be any counter that a command prints
    subject = Subject(subject.label, (*subject.key, ("watched", row["of"])))
    if not row["warm"]:
        return WARM_UP_ROUNDS.answer(
            "rounds", subject, None, without="not_reached", conditions=where
        )
    return WARM_UP_ROUNDS.answer("rounds", subject, row["round"], n=row["round"], conditions=where)


@step(version=1, name="prepared.verified")
def verified(verification: Measured) -> pl.DataFrame:
    """Whether each run's target gave back what was written, and else where it did not: ANSWERS.

    Args:
        verification: A run's ``verification``.
    """
    needed = ("verified", "block_bytes", "verified_bytes", "wrong_at_bytes", "problem")
    require_columns(verification.frame, needed, "verification")
    return to_frame(_verified(*each) for each in _named(verification.frame))


def _verified(subject: Subject, row: Row) -> Answer:
    where = where_conditions(
        ("block_bytes", row["block_bytes"], "B"),
        ("whole_bytes", row["verified_bytes"], "B"),
    )
    if row["verified"]:
        return VERIFIED_BYTES.answer("bytes", subject, row["verified_bytes"], conditions=where)
    if row["wrong_at_bytes"] is not None:
        wrong, why = row["wrong_at_bytes"], row["problem"]
        return WRONG_BLOCK.answer("bytes", subject, wrong, conditions=where, reason=why)
    return VERIFIED_BYTES.answer("bytes", subject, None, row["problem"], conditions=where)


def _named(table: pl.DataFrame) -> Iterator[tuple[Subject, Row]]:
    rows: Sequence[Row] = table.rows(named=True)
    for label, row in zip(series_labels(rows), rows, strict=True):
        key = tuple((name, row[name]) for name in _LABELS if row.get(name) is not None)
        yield Subject(label, key), row
