"""The worst periods of a series, and the events and statements that rose with them."""

from __future__ import annotations

import json
from statistics import median
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.awr.periods import tables
from perfkit.analysis.awr.periods.columns import OVER_TIME, RISERS, WORST
from perfkit.analysis.awr.periods.levels import LEAST, high, mad
from perfkit.analysis.awr.waits import classes_of
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfkit.core.lineage import Reading
    from perfkit.core.schema import Row

SESSIONS = "average_active_sessions"

WORST_OF = 5

OUTLIER = 7.0
"""An outlier lies so many MADs above the median, and ``LEAST`` of it."""

DIFFERENT = 5
"""At most so many other quantities of a period are named."""

_QUANTITIES = tuple(
    name for name, type_ in OVER_TIME.items()
    if type_ == pl.Float64 and name not in {
        SESSIONS, "elapsed_s", "read_waits", "log_file_syncs", "log_file_parallel_writes"}
)  # fmt: skip


@step(version=1, name="awr.worst_periods")
def worst_periods(over_time: Measured) -> pl.DataFrame:
    """The five periods of each history with the most average active sessions.

    An outlier lies ``OUTLIER`` MADs and a quarter above the median of the history; where more than
    half of the periods are alike to the digit, the quarter alone counts. Other quantities of the
    period that differ as much from their own medians are listed, those furthest from them first.

    Args:
        over_time: What ``over_time`` gave.

    Returns:
        ``WORST``.
    """
    require_columns(over_time.frame, tuple(OVER_TIME), "over_time")
    known = over_time.frame.filter(pl.col(SESSIONS).is_not_null())
    if known.is_empty():
        raise AbsentError("over_time: no period of a trend states its DB time")
    found = []
    for own in rows_by(known.rows(named=True), lambda row: row["history"]).values():
        middles = {name: _middle(row[name] for row in own) for name in (SESSIONS, *_QUANTITIES)}
        ranked = sorted(own, key=lambda row: -row[SESSIONS])[:WORST_OF]
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
        **{name: row[name] for name in (*tables.PERIOD, "source")}, "rank": rank, SESSIONS: value,
        "median_sessions": middle and middle[0], "deviations": deviations(value, middle),
        "outlier": value > (middle[0] if middle else value) and _is_far(value, middle),
        "different": json.dumps(named),
    }  # fmt: skip


def risers(over_time: Measured, reading: Reading) -> Measured:
    """Events and statements by the change in their average active sessions, largest first.

    The periods in the high levels of their history (``levels.high``) are held against the others,
    each side by its median over the periods that list the event or statement: not listed is not
    zero, so that a side which fewer than half of its periods list has none. Without a change of
    level, the outliers are held against the rest.

    A statement that another one calls is in both: rows are not to be added up.

    Args:
        over_time: What ``over_time`` gave.
        reading: The reports' tables.

    Returns:
        ``RISERS``: DB CPU and foreground events that are not idle, and SQL by elapsed time; what
        rose most first, and what has no median on the quiet side by its other median.
    """
    return _risers(over_time, tables.table(reading, "wait_events"),
                   tables.table(reading, "top_events"), tables.table(reading, "sql"))  # fmt: skip


@step(version=1, name="awr.risers")
def _risers(
    over_time: Measured, wait_events: Measured, top_events: Measured, sql: Measured
) -> pl.DataFrame:
    known = over_time.frame.filter(pl.col(SESSIONS).is_not_null())
    marked = known.with_columns(worst=pl.Series(busy(known.rows(named=True)), dtype=pl.Boolean))
    listed = pl.concat([
        _cpu(marked), _events(marked, wait_events, top_events), _statements(marked, sql),
    ], how="vertical_relaxed")  # fmt: skip
    sides = marked.group_by("history").agg(
        pl.col("worst").sum().alias("worst_periods"), pl.len().alias("periods"))  # fmt: skip
    found = listed.group_by("history", "kind", "name", maintain_order=True).agg(
        pl.col("wait_class").drop_nulls().first(), pl.col("module").drop_nulls().first(),
        pl.col("sessions").filter("worst").median().alias("worst_sessions"),
        pl.col("sessions").filter(~pl.col("worst")).median().alias("rest_sessions"),
        pl.col("sessions").filter("worst").len().alias("worst_listed"),
        pl.len().alias("listed_in"),
    ).join(sides, on="history")  # fmt: skip
    rest_listed = pl.col("listed_in") - pl.col("worst_listed")
    rest = pl.col("periods") - pl.col("worst_periods")
    found = found.with_columns(
        worst_sessions=pl.when(2 * pl.col("worst_listed") >= pl.col("worst_periods"))
        .then("worst_sessions"),
        rest_sessions=pl.when(2 * rest_listed >= rest).then("rest_sessions"),
    )  # fmt: skip
    found = found.with_columns(change_sessions=pl.col("worst_sessions") - pl.col("rest_sessions"))
    ordered = found.sort(
        pl.col("history"), pl.coalesce("change_sessions", "worst_sessions"), pl.col("name"),
        descending=[False, True, False], nulls_last=True,
    )  # fmt: skip
    return tables.shaped(ordered, RISERS)


def busy(rows: Sequence[Row]) -> list[bool]:
    """Which periods are in high levels of their history, or outliers; in their order."""
    marked: list[bool] = []
    for own in rows_by(rows, lambda row: row["history"]).values():
        values = [row[SESSIONS] for row in own]
        upper = high(values)
        middle = _middle(values)
        outliers = [value > middle[0] and _is_far(value, middle) for value in values
                    ] if middle else upper  # fmt: skip
        marked += upper if any(upper) else outliers
    return marked


def _cpu(marked: pl.DataFrame) -> pl.DataFrame:
    return marked.drop_nulls("cpu_sessions").select(
        "history", "worst", kind=pl.lit("event"), name=pl.lit("DB CPU"),
        wait_class=pl.lit(None, pl.String), module=pl.lit(None, pl.String),
        sessions="cpu_sessions",
    )  # fmt: skip


def _events(marked: pl.DataFrame, waits: Measured, top_events: Measured) -> pl.DataFrame:
    rows = tables.joined(marked, waits, "scope", "event", "wait_class", "total_wait_s",
                         "db_time_ratio").filter(pl.col("scope") == "foreground")  # fmt: skip
    top = tables.joined(marked, top_events, "event", "wait_class")
    classes = classes_of(*(
        frame.select("event", "wait_class").unique().rows(named=True) for frame in (rows, top)
    ))  # fmt: skip
    # events that are idle have no share of DB time
    own = rows.filter(pl.col("db_time_ratio").is_not_null(), pl.col("total_wait_s").is_not_null())
    return own.select(
        "history", "worst", kind=pl.lit("event"), name="event",
        wait_class=pl.col("event").replace_strict(classes, default=None, return_dtype=pl.String),
        module=pl.lit(None, pl.String), sessions=pl.col("total_wait_s") / pl.col("elapsed_s"),
    )  # fmt: skip


def _statements(marked: pl.DataFrame, sql: Measured) -> pl.DataFrame:
    own = by_elapsed(marked, sql)
    return own.select(
        "history", "worst", kind=pl.lit("sql"), name="sql_id", wait_class=pl.lit(None, pl.String),
        module="module", sessions=pl.col("elapsed_s_right") / pl.col("elapsed_s"),
    )  # fmt: skip


def by_elapsed(known: pl.DataFrame, sql: Measured, *columns: str) -> pl.DataFrame:
    """The statements that reports list by elapsed time, each once a report."""
    wanted = ("ordered_by", "sql_id", "module", "elapsed_s", *columns)
    rows = tables.joined(known, sql, *wanted)
    if "elapsed_s_right" not in rows.columns:
        rows = rows.with_columns(elapsed_s_right=pl.lit(None, pl.Float64))
    return rows.filter(
        pl.col("ordered_by") == "elapsed", pl.col("sql_id").is_not_null(),
        pl.col("elapsed_s_right").is_not_null(),
    ).unique(["source", "sql_id"], keep="first", maintain_order=True)  # fmt: skip
