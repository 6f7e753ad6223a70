"""Percentiles as buckets, the worst periods, what rose, and what recurs."""

from __future__ import annotations

import json

import polars as pl
import pytest
from analysis.awr_histories import HALF_HOUR, period

from perfkit.analysis.awr.periods.columns import (
    BANDS,
    HISTOGRAM_OVER_TIME,
    OVER_TIME,
    PERIODS,
    READ_SEGMENTS,
    RECURRENT_SQL,
    RISERS,
    WORST,
)
from perfkit.analysis.awr.periods.latency import histogram_over_time, latency_bands
from perfkit.analysis.awr.periods.over_time import over_time
from perfkit.analysis.awr.periods.risers import read_segments, recurrent_sql, risers
from perfkit.analysis.awr.periods.worst import worst_periods
from perfkit.core.errors import AbsentError

READ = "db file sequential read"


def shaped(made, columns) -> list[dict]:
    assert dict(made.frame.schema) == dict(pl.DataFrame(schema=columns).schema)
    return made.frame.rows(named=True)


def trend(count: int) -> pl.DataFrame:
    rows = [{name: value for name, value in period(place).items() if name in PERIODS}
            | {"in_trend": True} for place in range(count)]  # fmt: skip
    return pl.DataFrame(rows, schema=PERIODS)


def time(*sessions: float, **columns: list[float]) -> pl.DataFrame:
    rows = [period(place, average_active_sessions=value,
                   **{name: values[place] for name, values in columns.items()})
            for place, value in enumerate(sessions)]  # fmt: skip
    return pl.DataFrame(rows, schema=OVER_TIME)


# --- percentiles ------------------------------------------------------------------------------


def buckets(place: int, range_: str, *shares: tuple[float, float | None, float]) -> list[dict]:
    return [
        {"file": f"awr_{place}.html", "level": "instance", "instance": 1, "range": range_,
         "event": READ, "lower_s": lower, "upper_s": upper, "waits_ratio": share, "below": False}
        for lower, upper, share in shares
    ]  # fmt: skip


FINE = (  # up to half a millisecond, and up to 32 ms: each table has all waits
    ("all", (0.0, 0.000256, 0.2), (0.000256, 0.000512, 0.1), (0.000512, None, 0.7)),
    ("up to 32 ms", (0.0, 0.000512, 0.3), (0.000512, 0.001, 0.5), (0.002, 0.004, 0.18),
     (0.004, 0.008, 0.02)),
)  # fmt: skip


def histogram(*tables: tuple) -> dict[str, pl.DataFrame]:
    rows = [row for place, own in enumerate(tables) for name, *shares in own
            for row in buckets(place, name, *shares)]  # fmt: skip
    return {"event_histogram": pl.DataFrame(rows)}


def test_a_percentile_is_the_bucket_that_it_lies_in():
    rows = shaped(latency_bands(trend(1), histogram(FINE), READ), BANDS)
    assert [(row["percent"], row["lower_s"], row["upper_s"]) for row in rows] == [
        (50, 0.000512, 0.001), (95, 0.002, 0.004), (99, 0.004, 0.008),
    ]  # fmt: skip
    assert {row["mean_s"] for row in rows} == {None}


def test_a_percentile_at_an_edge_within_rounding_lies_in_both_buckets():
    edge = (("all", (0.0, 0.001, 0.5), (0.001, 0.002, 0.45), (0.002, None, 0.05)),)
    rows = shaped(latency_bands(trend(1), histogram(edge), READ, percents=[50, 95, 99]), BANDS)
    assert [(row["lower_s"], row["upper_s"]) for row in rows] == [
        (0.0, 0.002), (0.001, None), (0.002, None),
    ]  # fmt: skip


def test_a_histogram_that_is_not_of_all_waits_says_nothing():
    half = (("all", (0.0, 0.001, 0.3), (0.001, 0.002, 0.2)),)
    assert shaped(latency_bands(trend(1), histogram(half), READ), BANDS) == []


def test_buckets_over_time_are_those_that_every_period_has():
    coarse = (("up to 32 ms", (0.0, 0.000512, 0.6), (0.000512, 0.001, 0.4)),)
    rows = shaped(histogram_over_time(trend(2), histogram(FINE, coarse), READ),
                  HISTOGRAM_OVER_TIME)  # fmt: skip
    found = {place: [(row["upper_s"], row["waits_ratio"]) for row in rows
                     if row["report"] == f"awr_{place}"] for place in (0, 1)}  # fmt: skip
    edges = [0.000512, 0.001, 0.002, 0.004, 0.008, None]
    assert [edge for edge, _ in found[0]] == [edge for edge, _ in found[1]] == edges
    assert [share for _, share in found[0]] == pytest.approx([0.3, 0.5, 0, 0.18, 0.02, 0])
    assert [share for _, share in found[1]] == pytest.approx([0.6, 0.4, 0, 0, 0, 0])


# --- the worst periods ------------------------------------------------------------------------


def test_the_worst_five_stand_by_their_sessions_with_what_was_different():
    given = time(2, 2.1, 1.9, 2, 2.2, 1.8, 2, 12, iops=[100.0, 101, 99, 100, 98, 102, 100, 900],
                 read_wait_s=[0.001] * 7 + [None])  # fmt: skip
    rows = shaped(worst_periods(given), WORST)
    assert [(row["rank"], row["report"], row["outlier"]) for row in rows] == [
        (1, "awr_7", True), (2, "awr_4", False), (3, "awr_1", False),
    ], "the others are the median, or below it"  # fmt: skip
    assert rows[0]["median_sessions"] == 2
    assert rows[0]["deviations"] == pytest.approx(100)  # the MAD is 0.1
    assert json.loads(rows[0]["different"]) == [{"quantity": "iops", "value": 900, "median": 100}]


def test_where_most_periods_are_alike_a_quarter_more_is_an_outlier():
    rows = shaped(worst_periods(time(2, 2, 2, 2, 2, 2.4, 2.6)), WORST)
    assert [(row["report"], row["deviations"], row["outlier"]) for row in rows[:2]] == [
        ("awr_6", None, True), ("awr_5", None, False),
    ]  # fmt: skip


def test_no_period_is_worse_than_its_equals():
    assert shaped(worst_periods(time(2, 2, 2, 2, 2, 2)), WORST) == []
    (one,) = shaped(worst_periods(time(2, 2, 3, 2, 2, 2)), WORST)
    assert (one["rank"], one["average_active_sessions"]) == (1, 3.0)


def test_no_db_time_has_no_worst_period():
    with pytest.raises(AbsentError):
        worst_periods(time(1).with_columns(average_active_sessions=pl.lit(None, pl.Float64)))


# --- what rose, and what recurs ---------------------------------------------------------------

QUIET, BUSY = 8, 3
STEP = time(*([1.0] * QUIET), *([11.0] * BUSY))
OWN = {"level": "instance", "instance": 1}


def waits(event: str, *sessions: float | None, idle: bool = False) -> list[dict]:
    """An event's time in each period that lists it."""
    return [OWN | {"file": f"awr_{place}.html", "scope": "foreground", "event": event,
                   "wait_class": None, "total_wait_s": value * HALF_HOUR,
                   "db_time_ratio": None if idle else 0.1}
            for place, value in enumerate(sessions) if value is not None]  # fmt: skip


def statement(name: str, *sessions: float | None) -> list[dict]:
    return [OWN | {"file": f"awr_{place}.html", "ordered_by": "elapsed", "sql_id": name,
                   "module": "shop", "elapsed_s": value * HALF_HOUR, "text": f"select {name}",
                   "executions": 10.0}
            for place, value in enumerate(sessions) if value is not None]  # fmt: skip


READING = {
    "wait_events": pl.DataFrame([
        *waits(READ, *[0.5] * QUIET, 7.0, 8.0, 9.0),
        *waits("log file sync", *[0.4] * QUIET, *[0.5] * BUSY),
        *waits("latch free", *[None] * 7, 0.1, 2.0, 2.0, 2.0),
        *waits("SQL*Net message from client", *[50.0] * (QUIET + BUSY), idle=True),
    ]),
    "sql": pl.DataFrame([
        *statement("a", *[0.2] * (QUIET + BUSY)), *statement("b", *[None] * QUIET, 3.0, 4.0, None),
    ]),
}  # fmt: skip


def test_risers_are_ranked_by_their_change_and_what_is_not_listed_is_not_zero():
    rows = shaped(risers(STEP, READING), RISERS)
    told = [(row["name"], row["worst_sessions"], row["rest_sessions"], row["change_sessions"])
            for row in rows]  # fmt: skip
    assert told == [
        (READ, 8.0, 0.5, 7.5),
        ("b", 3.5, None, None),
        ("latch free", 2.0, None, None),
        ("log file sync", 0.5, 0.4, pytest.approx(0.1)),
        ("a", pytest.approx(0.2), pytest.approx(0.2), pytest.approx(0.0)),
    ]
    assert {row["name"]: row["listed_in"] for row in rows}["latch free"] == 4
    assert rows[0]["wait_class"] == "User I/O"


def test_statements_recur_by_the_periods_that_list_them():
    rows = shaped(recurrent_sql(STEP, worst_periods(STEP), READING), RECURRENT_SQL)
    assert [(row["sql_id"], row["listed_in"], row["elapsed_s"], row["executions"])
            for row in rows] == [
        ("a", 11, pytest.approx(0.2 * 11 * HALF_HOUR), 110), ("b", 2, 7 * HALF_HOUR, 20),
    ]  # fmt: skip
    # of 11 sessions, in one of the worst periods
    assert rows[1]["worst_share_ratio"] == pytest.approx(4 / 11)


def test_the_partitions_of_a_segment_are_one_segment():
    own = OWN | {"ordered_by": "physical_reads", "owner": "SHOP", "object": "ORDERS",
                 "total_ratio": 0.25}  # fmt: skip
    segments = pl.DataFrame([
        own | {"file": "awr_10.html", "object_type": "TABLE PARTITION", "value": 100.0},
        own | {"file": "awr_10.html", "object_type": "TABLE PARTITION", "value": 50.0},
        own | {"file": "awr_9.html", "object_type": "TABLE", "value": 10.0},
        own | {"file": "awr_9.html", "object_type": "TABLE", "value": 10.0,
               "ordered_by": "logical_reads"},
    ])  # fmt: skip
    (row,) = shaped(read_segments(STEP, worst_periods(STEP), {"segments": segments}), READ_SEGMENTS)
    assert (row["listed_in"], row["periods"], row["physical_reads_blocks"]) == (2, 11, 160)
    assert row["worst_share_ratio"] == 0.5


def test_reports_without_a_table_give_no_rows():
    assert shaped(risers(STEP, {}), RISERS) == []
    assert shaped(recurrent_sql(STEP, worst_periods(STEP), {}), RECURRENT_SQL) == []
    assert shaped(latency_bands(trend(2), {}, READ), BANDS) == []


# --- the read of a history --------------------------------------------------------------------


def waited(*events: tuple[str, float]) -> dict[str, pl.DataFrame]:
    rows = [
        {"file": "awr_0.html", "level": "instance", "instance": 1, "scope": "foreground",
         "event": event, "wait_class": "User I/O", "waits": 5000.0, "total_wait_s": total,
         "avg_wait_s": total / 5000}
        for event, total in events
    ]  # fmt: skip
    return {"wait_events": pl.DataFrame(rows)}


def test_the_read_of_a_history_is_one_that_its_sessions_did_themselves():
    """Waits for what another session reads are of User I/O, and no latency of a read."""
    given = waited(("read by other session", 900.0), ("cell smart table scan", 500.0), (READ, 20.0))
    (row,) = shaped(over_time(trend(1), given), OVER_TIME)
    assert (row["read_event"], row["read_wait_s"]) == ("cell smart table scan", 0.1)


def test_reports_of_which_none_is_in_a_trend_give_no_rows():
    """As one whose snapshots have no times."""
    assert shaped(over_time(trend(0), waited((READ, 20.0))), OVER_TIME) == []
