"""The worst periods of a series, and what else was different in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from statistics import median

import polars as pl

from perfkit.analysis.awr.periods import tables
from perfkit.analysis.awr.periods.columns import OVER_TIME, WORST
from perfkit.analysis.awr.periods.levels import LEAST, high, mad
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

SESSIONS = "average_active_sessions"

WORST_OF = 5

OUTLIER = 7.0
"""An outlier lies so many MADs above the median, and ``LEAST`` of it."""

DIFFERENT = 5
"""At most so many other quantities of a period are named."""

_QUANTITIES = tuple(
    name
    for name, type_ in OVER_TIME.items()
    if type_ == pl.Float64
    and name
    not in {SESSIONS, "elapsed_s", "read_waits", "log_file_syncs", "log_file_parallel_writes"}
)


@step(version=2, name="awr.worst_periods")
def worst_periods(over_time: Measured) -> pl.DataFrame:
    """The five periods of each history with the most average active sessions, above its median.

    An outlier lies ``OUTLIER`` MADs and a quarter above the median of the history; where more than
    half of the periods are alike to the digit, the quarter alone counts. Other quantities of the
    period that differ as much from their own medians are listed, those furthest from them first.

    Args:
        over_time: What ``over_time`` gave.

    Returns:
        ``WORST``; without rows where all periods of each history are equal.
    """
    require_columns(over_time.frame, tuple(OVER_TIME), "over_time")
    known = over_time.frame.filter(pl.col(SESSIONS).is_not_null())
    if known.is_empty():
        raise AbsentError("over_time: no period of a trend states its DB time")
    found = []
    for own in rows_by(known.rows(named=True), lambda row: row["history"]).values():
        middles = {name: _middle(row[name] for row in own) for name in (SESSIONS, *_QUANTITIES)}
        usual = middles[SESSIONS]
        above = [row for row in own if usual and row[SESSIONS] > usual[0]]
        ranked = sorted(above, key=lambda row: -row[SESSIONS])[:WORST_OF]
        found += [_worst(rank, row, middles) for rank, row in enumerate(ranked, 1)]
    return pl.DataFrame(found, schema=WORST)


_Middle = tuple[float, float] | None


def _middle(values: Iterable[float | None]) -> _Middle:
    """Median and MAD; None where nothing is known."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    middle = median(known)
    return middle, mad(known, middle)


def deviations(value: float, middle: _Middle) -> float | None:
    """How many MADs a value lies from the median; None where the MAD is 0."""
    return (value - middle[0]) / middle[1] if middle and middle[1] else None


def _is_far(value: float, middle: _Middle) -> bool:
    if middle is None or abs(value - middle[0]) <= LEAST * abs(middle[0]):
        return False
    return abs(deviations(value, middle) or OUTLIER + 1) > OUTLIER


def _worst(rank: int, row: Row, middles: dict[str, _Middle]) -> Row:
    value, middle = row[SESSIONS], middles[SESSIONS]
    different = [
        (abs(deviations(row[name], own) or float("inf")), name, own[0])
        for name in _QUANTITIES
        if (own := middles[name]) is not None and row[name] is not None and _is_far(row[name], own)
    ]
    named = [
        {"quantity": name, "value": row[name], "median": usual}
        for _, name, usual in sorted(different, reverse=True)[:DIFFERENT]
    ]
    return {
        **{name: row[name] for name in (*tables.PERIOD, "source")},
        "rank": rank,
        SESSIONS: value,
        "median_sessions": middle and middle[0],
        "deviations": deviations(value, middle),
        "outlier": value > (middle[0] if middle else value) and _is_far(value, middle),
        "different": json.dumps(named),
    }


def busy(rows: Sequence[Row]) -> list[bool]:
    """Which periods are in high levels of their history, or outliers; in their order."""
    marked: list[bool] = []
    for own in rows_by(rows, lambda row: row["history"]).values():
        values = [row[SESSIONS] for row in own]
        upper = high(values)
        middle = _middle(values)
        outliers = (
            [value > middle[0] and _is_far(value, middle) for value in values] if middle else upper
        )
        marked += upper if any(upper) else outliers
    return marked
