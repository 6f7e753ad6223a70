"""What lies between the database's wait and what is below it, over all periods of a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

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
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfkit.core.schema import Row

BETWEEN = register(Question(
    "time_between", "s",
    "the mean wait of the database less the mean of the next place below it, over the periods that "
    "have both",
    "mean over the database's waits", "none",
    frozenset({("measured", "="), ("missing", "=")}),
))  # fmt: skip

BELOW = {"read": "host", "commit": "log_writer"}
"""The place that an operation's wait is held against."""


@step(version=1, name="awr.time_between")
def time_between(ledger: Measured) -> pl.DataFrame:
    """How much of a read's, and of a commit's, wait is spent above the place below: an answer each.

    Args:
        ledger: What ``beside`` gives.

    Returns:
        Answers of ``time_between``: ``waited`` and ``below`` are the two means, weighted by the
        database's waits; ``periods`` how many reports have both; ``offset`` the clocks' offset.
    """
    require_columns(ledger.frame, list(LEDGER), "ledger")
    by_operation = rows_by(ledger.frame.rows(named=True), lambda row: str(row["operation"]))
    if not by_operation:
        raise AbsentError("ledger: no period, so no answer")
    return to_frame(_answer(name, rows) for name, rows in by_operation.items())


def _answer(operation: str, rows: Sequence[Row]) -> Answer:
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
    subject = Subject(operation, (("begin", f"{begin:%Y-%m-%d %H:%M}"),
                                  ("end", f"{end:%Y-%m-%d %H:%M}"), ("below", below)))  # fmt: skip
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
        ("waited", waited, "s"), ("below", waited - between, "s"),
        ("periods", float(len(both)), "1"), ("offset", offset, "s"),
    )  # fmt: skip
    return Answer(BETWEEN.name, metric, subject, "measured", Estimate(between, "s", n=len(both)),
                  conditions=conditions)  # fmt: skip


def _known(period: Mapping[str, Row], place: str) -> bool:
    """Whether the session's difference is to this place."""
    return (
        place in period
        and period[place]["mean_s"] is not None
        and period["session"]["between_s"] is not None
    )


@step(version=1, name="awr.beside_lines")
def beside_lines(ledger: Measured, operation: str = "read") -> pl.DataFrame:
    """The means of a ledger as lines over time, one a place, in the form of ``recorded_lines``.

    A period is a level from its begin to its end, and a gap follows it.

    Raises:
        AbsentError: Fewer than two periods have a mean below the session.
        AnalysisError: An unknown operation.
    """
    if operation not in BELOW:
        raise AnalysisError(f"no operation {operation!r}: read or commit")
    require_columns(ledger.frame, list(LEDGER), "ledger")
    own = ledger.frame.filter(pl.col("operation") == operation, pl.col("mean_s").is_not_null())
    below = own.filter(pl.col("place") != "session")
    if below["report"].n_unique() < 2:  # noqa: PLR2004 - one is no line
        raise AbsentError(f"fewer than two periods have a mean of a {operation} below the session")
    start = own["begin_time"].min()
    rows = []
    for row in own.sort("begin_time", maintain_order=True).rows(named=True):
        first, last = ((row[name] - start).total_seconds() for name in ("begin_time", "end_time"))
        rows += [
            {"thing": f"{PLACES[row['place']]}: {row['of']}", "t_s": at, "sample": None,
             "quantity": "lat_mean_s", "value": value, "things": own["place"].n_unique()}
            for at, value in ((first, row["mean_s"]), (last, row["mean_s"]), (last, None))
        ]  # fmt: skip
    return pl.DataFrame(rows, schema={
        "thing": pl.String, "t_s": pl.Float64, "sample": pl.Int64, "quantity": pl.String,
        "value": pl.Float64, "things": pl.Int64,
    })  # fmt: skip
