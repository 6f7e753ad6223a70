"""Events, statements and segments of a series: what rose, and how many periods list what."""

from __future__ import annotations

import polars as pl

from perfkit.analysis.awr.periods import tables
from perfkit.analysis.awr.periods.columns import READ_SEGMENTS, RECURRENT_SQL, RISERS
from perfkit.analysis.awr.periods.worst import SESSIONS, busy
from perfkit.analysis.awr.single_time import CPU
from perfkit.analysis.awr.waits import classes_of, no_idle
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import ColumnTypes

LISTED: ColumnTypes = {
    "history": pl.String,
    "source": pl.String,
    "kind": pl.String,
    "name": pl.String,
    "wait_class": pl.String,
    "module": pl.String,
    "sessions": pl.Float64,
}
"""One row a period and event or statement that its report lists, by its average sessions."""


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
    return _risers(over_time, listed(over_time, reading))


def listed(over_time: Measured, reading: Reading) -> Measured:
    """DB CPU, events and statements of each period that lists them: ``LISTED``.

    Events are those of the foreground; of the background the transport of redo to a standby.
    """
    return _listed(
        over_time,
        tables.table(reading, "wait_events"),
        tables.table(reading, "top_events"),
        tables.table(reading, "sql"),
    )


@step(version=1, name="awr.listed")
def _listed(
    over_time: Measured, wait_events: Measured, top_events: Measured, sql: Measured
) -> pl.DataFrame:
    known = over_time.frame.filter(pl.col(SESSIONS).is_not_null())
    cpu = known.drop_nulls("cpu_sessions").select(
        "history", "source", kind=pl.lit("event"), name=pl.lit(CPU), sessions="cpu_sessions"
    )
    parts = (
        cpu,
        _events(known, wait_events, top_events),
        _transport(known, wait_events),
        _statements(known, sql),
    )
    return pl.concat([tables.shaped(part, LISTED) for part in parts])


@step(version=1, name="awr.risers")
def _risers(over_time: Measured, listed: Measured) -> pl.DataFrame:
    known = over_time.frame.filter(pl.col(SESSIONS).is_not_null())
    marked = known.select(
        "history", "source", worst=pl.Series(busy(known.rows(named=True)), dtype=pl.Boolean)
    )
    sides = marked.group_by("history").agg(
        pl.col("worst").sum().alias("worst_periods"), pl.len().alias("periods")
    )
    own = listed.frame.filter(pl.col("kind") != "transport").join(
        marked, on=["history", "source"], maintain_order="left"
    )
    found = (
        own.group_by("history", "kind", "name", maintain_order=True)
        .agg(
            pl.col("wait_class").drop_nulls().first(),
            pl.col("module").drop_nulls().first(),
            pl.col("sessions").filter("worst").median().alias("worst_sessions"),
            pl.col("sessions").filter(~pl.col("worst")).median().alias("rest_sessions"),
            pl.col("sessions").filter("worst").len().alias("worst_listed"),
            pl.len().alias("listed_in"),
        )
        .join(sides, on="history")
    )
    rest_listed = pl.col("listed_in") - pl.col("worst_listed")
    rest = pl.col("periods") - pl.col("worst_periods")
    found = found.with_columns(
        worst_sessions=pl.when(2 * pl.col("worst_listed") >= pl.col("worst_periods")).then(
            "worst_sessions"
        ),
        rest_sessions=pl.when(2 * rest_listed >= rest).then("rest_sessions"),
    )
    found = found.with_columns(change_sessions=pl.col("worst_sessions") - pl.col("rest_sessions"))
    ordered = found.sort(
        pl.col("history"),
        pl.coalesce("change_sessions", "worst_sessions"),
        pl.col("name"),
        descending=[False, True, False],
        nulls_last=True,
    )
    return tables.shaped(tables.cautioned(ordered, known), RISERS)


def _events(known: pl.DataFrame, waits: Measured, top_events: Measured) -> pl.DataFrame:
    rows = tables.joined(
        known, waits, "scope", "event", "wait_class", "total_wait_s", "db_time_ratio"
    ).filter(pl.col("scope") == "foreground")
    top = tables.joined(known, top_events, "event", "wait_class")
    classes = classes_of(
        *(frame.select("event", "wait_class").unique().rows(named=True) for frame in (rows, top))
    )
    own = no_idle(rows).filter(
        pl.col("db_time_ratio").is_not_null(), pl.col("total_wait_s").is_not_null()
    )
    return own.select(
        "history",
        "source",
        kind=pl.lit("event"),
        name="event",
        wait_class=pl.col("event").replace_strict(classes, default=None, return_dtype=pl.String),
        sessions=pl.col("total_wait_s") / pl.col("elapsed_s"),
    )


TRANSPORT = frozenset({
    "LGWR-LNS wait on channel", "LNS wait on SENDREQ", "SYNC Remote Write",
"LGWR wait on LNS", "LGWR wait on SENDREQ",
})  # fmt: skip
"""Background events in which redo waits on its way to a standby (V$EVENT_NAME)."""


def _transport(known: pl.DataFrame, waits: Measured) -> pl.DataFrame:
    rows = tables.joined(known, waits, "scope", "event", "total_wait_s").filter(
        pl.col("scope") == "background",
        pl.col("event").is_in(sorted(TRANSPORT)),
        pl.col("total_wait_s").is_not_null(),
    )
    return rows.select(
        "history",
        "source",
        kind=pl.lit("transport"),
        name="event",
        sessions=pl.col("total_wait_s") / pl.col("elapsed_s"),
    )


def _statements(known: pl.DataFrame, sql: Measured) -> pl.DataFrame:
    return by_elapsed(known, sql).select(
        "history",
        "source",
        kind=pl.lit("sql"),
        name="sql_id",
        module="module",
        sessions=pl.col("sql_s") / pl.col("elapsed_s"),
    )


def by_elapsed(known: pl.DataFrame, sql: Measured, *columns: str) -> pl.DataFrame:
    """The statements that reports list by elapsed time (``sql_s``), each once a report."""
    rows = tables.joined(
        known.rename({"elapsed_s": "period_s"}),
        sql,
        "ordered_by",
        "sql_id",
        "module",
        "elapsed_s",
        *columns,
    )
    return (
        rows.filter(
            pl.col("ordered_by") == "elapsed",
            pl.col("sql_id").is_not_null(),
            pl.col("elapsed_s").is_not_null(),
        )
        .rename({"elapsed_s": "sql_s", "period_s": "elapsed_s"})
        .unique(["source", "sql_id"], keep="first", maintain_order=True)
    )


# --- how many periods list it ------------------------------------------------------------------


def recurrent_sql(over_time: Measured, worst: Measured, reading: Reading) -> Measured:
    """Statements by the number of periods that list them among those by elapsed time.

    A statement that another one calls is in both: times and shares are not to be added up.

    Args:
        over_time: What ``over_time`` gave.
        worst: What ``worst_periods`` gave.
        reading: The reports' tables.

    Returns:
        ``RECURRENT_SQL``; of as many periods, the longer elapsed time first.
    """
    return _sql(over_time, worst, tables.table(reading, "sql"))


@step(version=1, name="awr.recurrent_sql")
def _sql(over_time: Measured, worst: Measured, sql: Measured) -> pl.DataFrame:
    known = _marked(over_time, worst)
    rows = by_elapsed(known, sql, "text", "executions")
    db_time = pl.col(SESSIONS) * pl.col("elapsed_s")
    found = (
        rows.with_columns(share=pl.col("sql_s") / db_time)
        .group_by("history", "sql_id", maintain_order=True)
        .agg(
            pl.col("module").drop_nulls().first(),
            pl.col("text").drop_nulls().first(),
            pl.len().alias("listed_in"),
            pl.col("sql_s").sum().alias("elapsed_s"),
            pl.col("share").filter("worst").max().alias("worst_share_ratio"),
            _whole("executions"),
        )
    )
    return _ordered(found, known, "elapsed_s", "sql_id").pipe(tables.shaped, RECURRENT_SQL)


def read_segments(over_time: Measured, worst: Measured, reading: Reading) -> Measured:
    """Segments by the number of periods that list them among those by physical reads.

    The partitions of a segment that a report lists are taken together.

    Returns:
        ``READ_SEGMENTS``; of as many periods, the more blocks first.
    """
    return _segments(over_time, worst, tables.table(reading, "segments"))


@step(version=1, name="awr.read_segments")
def _segments(over_time: Measured, worst: Measured, segments: Measured) -> pl.DataFrame:
    known = _marked(over_time, worst)
    rows = tables.joined(
        known, segments, "ordered_by", "owner", "object", "object_type", "value", "total_ratio"
    )
    key = ("history", "owner", "object", "object_type")
    # a partition is of the type of its segment: TABLE PARTITION of TABLE
    own = rows.filter(pl.col("ordered_by") == "physical_reads", pl.col("object").is_not_null())
    own = own.with_columns(pl.col("object_type").str.replace(r" (SUB)?PARTITION$", ""))
    each = own.group_by(*key, "source", "worst", maintain_order=True).agg(
        _whole("value"), _whole("total_ratio")
    )
    found = each.group_by(*key, maintain_order=True).agg(
        pl.len().alias("listed_in"),
        _whole("value").alias("physical_reads_blocks"),
        pl.col("total_ratio").filter("worst").max().alias("worst_share_ratio"),
    )
    return _ordered(found, known, "physical_reads_blocks", "object").pipe(
        tables.shaped, READ_SEGMENTS
    )


def _marked(over_time: Measured, worst: Measured) -> pl.DataFrame:
    bad = worst.frame["source"].to_list()
    return over_time.frame.with_columns(worst=pl.col("source").is_in(bad))


def _whole(name: str) -> pl.Expr:
    """A sum; null where a part of it is missing."""
    column = pl.col(name)
    return pl.when(column.null_count() == 0).then(column.sum()).cast(pl.Float64).alias(name)


def _ordered(found: pl.DataFrame, known: pl.DataFrame, size: str, name: str) -> pl.DataFrame:
    periods = known.group_by("history").agg(pl.len().alias("periods"))
    ordered = found.join(periods, on="history").sort(
        "history", "listed_in", size, name, descending=[False, True, True, False], nulls_last=True
    )
    return tables.cautioned(ordered, known)
