"""What is marked in the charts of a series, from the frames and answers that tell it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from perfkit.analysis.awr.periods.answers import CHANGE
from perfkit.core import answers as claims
from perfkit.showing.figures.periods.stack import Marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.core.cautions import Caution
    from perfkit.core.lineage import Measured
    from perfkit.core.schema import Row


def marked(
    rows: Sequence[Row],
    periods: Measured | None = None,
    worst: Measured | None = None,
    changes: Measured | None = None,
) -> Marks:
    """The marks of one history; ``changes`` are answers, of which those on changes are marked."""
    history = rows[0]["history"]
    return Marks(
        changed=_changed(changes, history),
        restarts=tuple(
            row["begin_time"]
            for row in _of(periods, history)
            if row["in_trend"] and row["restart_before"]
        ),
        worst=tuple((row["begin_time"], row["end_time"]) for row in _of(worst, history)),
    )


def cautions_of(shown: Measured, changes: Measured | None) -> tuple[Caution, ...]:
    """What must be known of a chart: of the periods that it shows, and of the changes marked."""
    histories = set(shown.frame["history"])
    told = [
        one
        for item in (claims.from_frame(changes.frame) if changes is not None else [])
        if item.question == CHANGE.name and item.subject.get("history") in histories
        for one in item.cautions
    ]
    return tuple(dict.fromkeys([*shown.cautions, *told]))


def _changed(changes: Measured | None, history: str) -> tuple[tuple[datetime, datetime], ...]:
    """From when to when something was other than usual, in the order of time."""
    found = [] if changes is None else claims.from_frame(changes.frame)
    told = [
        item.subject
        for item in found
        if item.question == CHANGE.name
        and item.status == "measured"
        and item.subject.get("history") == history
    ]
    return tuple(
        sorted(
            (datetime.fromisoformat(one.get("begin")), datetime.fromisoformat(one.get("end")))
            for one in told
        )
    )


def _of(data: Measured | None, history: str) -> list[Row]:
    return [] if data is None else data.frame.filter(history=history).rows(named=True)
