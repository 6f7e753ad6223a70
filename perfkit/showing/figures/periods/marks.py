"""What is marked in the charts of a series, from the frames and answers that tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.showing.figures.periods.stack import Marks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from perfkit.core.lineage import Measured
    from perfkit.core.schema import Row


def marked(
    rows: Sequence[Row],
    periods: Measured | None = None,
    worst: Measured | None = None,
    changes: Measured | None = None,
) -> Marks:
    """The marks of one history."""
    history = rows[0]["history"]
    return Marks(
        changed=_intervals(_of(changes, history)),
        restarts=tuple(
            row["begin_time"] for row in _of(periods, history)
            if row["in_trend"] and row["restart_before"]
        ),
        worst=_intervals(_of(worst, history)),
    )  # fmt: skip


def _intervals(rows: Sequence[Row]) -> tuple[tuple[datetime, datetime], ...]:
    return tuple((row["begin_time"], row["end_time"]) for row in rows)


def _of(data: Measured | None, history: str) -> list[Row]:
    return [] if data is None else data.frame.filter(history=history).rows(named=True)
