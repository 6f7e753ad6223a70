"""What lies between the database's wait and what is below it, over all periods of a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.awr.beside import LEDGER, PLACES
from perfkit.analysis.curves.series import require_columns
from perfkit.core.answers import (
    Answer,
    Estimate,
    Question,
    Subject,
    register,
    to_frame,
    where_conditions,
)
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from perfkit.core.schema import Row

BETWEEN = register(
    Question(
        "time_between",
        "s",
        "the mean wait of the database less the mean of the next place below it, over the periods "
        "that have both",
        "mean over the database's waits",
        "none",
        frozenset({("measured", "="), ("missing", "=")}),
    )
)

BELOW = {"read": "host", "commit": "log_writer"}
"""The place that an operation's wait is held against."""


@step(version=1, name="awr.time_between")
def time_between(ledger: Measured) -> pl.DataFrame:
    """How much of a read's, and of a commit's, wait is spent above the place below.

    An answer for each history and operation.

    Args:
        ledger: What ``beside`` gives.

    Returns:
        Answers of ``time_between``: ``waited`` and ``below`` are the two means, weighted by the
        database's waits; ``periods`` how many reports have both; ``offset`` the clocks' offset.
    """
    require_columns(ledger.frame, list(LEDGER), "ledger")
    rows = ledger.frame.rows(named=True)
    if not rows:
        raise AbsentError("ledger: no period, so no answer")
    found = rows_by(rows, lambda row: (str(row["history"]), str(row["operation"])))
    return to_frame(_answer(*key, own) for key, own in found.items())


def _answer(history: str, operation: str, rows: Sequence[Row]) -> Answer:
    periods = [
        {row["place"]: row for row in own}
        for own in rows_by(rows, lambda row: row["report"]).values()
    ]
    place = BELOW[operation]
    both = [own for own in periods if _known(own, place)]
    used = both or periods
    begin = min(row["begin_time"] for own in used for row in own.values())
    end = max(row["end_time"] for own in used for row in own.values())
    below = next((own[place]["of"] for own in used if place in own), PLACES[place])
    subject = Subject(
        history,
        (
            ("operation", operation),
            ("begin", f"{begin:%Y-%m-%d %H:%M}"),
            ("end", f"{end:%Y-%m-%d %H:%M}"),
            ("below", below),
        ),
    )
    metric = "lat_mean_s"
    if not both:
        why = next((row["note"] for own in periods for row in own.values() if row["note"]), None)
        return Answer(BETWEEN.name, metric, subject, "missing", reason=why)
    weights = [own["session"]["operations"] for own in both]
    waited, between = (
        sum(n * own["session"][name] for n, own in zip(weights, both, strict=True)) / sum(weights)
        for name in ("mean_s", "between_s")
    )
    offset = next((own[place]["offset_s"] for own in both), None)
    conditions = where_conditions(
        ("waited", waited, "s"),
        ("below", waited - between, "s"),
        ("periods", float(len(both)), "1"),
        ("offset", offset, "s"),
    )
    return Answer(
        BETWEEN.name,
        metric,
        subject,
        "measured",
        Estimate(between, "s", n=len(both)),
        conditions=conditions,
    )


def _known(period: Mapping[str, Row], place: str) -> bool:
    """Whether the session's difference is to this place."""
    return (
        place in period
        and period[place]["mean_s"] is not None
        and period["session"]["between_s"] is not None
    )
