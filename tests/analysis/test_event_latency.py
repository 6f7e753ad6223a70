"""Read latency of AWR load points: the mean wait of an event, from the row that counts."""

import polars as pl
import pytest

from perfkit.analysis.curves.curves import latency_curve
from perfkit.analysis.curves.event_latency import (
    event_latency,
    load_points_with_event,
    points_with_event,
)
from perfkit.analysis.curves.metrics import TOTAL_WITH_READ_LATENCY, metric_of
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Measured, Reading
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.showing.statements.say import say

EVENT = "db file sequential read"
WAITS = {
    "source": pl.String, "level": pl.String, "scope": pl.String, "event": pl.String,
    "wait_class": pl.String, "waits": pl.Int64, "total_wait_s": pl.Float64,
    "avg_wait_s": pl.Float64,
}  # fmt: skip


def points(*sources, **more):
    rows = [
        {"source": source, "system": "A", "load_kind": "threads", "load": 8.0, "repeat": number,
         "direction": direction, "iops": iops, "cpu_busy_ratio": 0.5, **more}
        for number, source in enumerate(sources, 1)
        for direction, iops in (("read", 80.0), ("write", 20.0), ("total", 100.0))
    ]  # fmt: skip
    schema = {**polars_schema(LOAD_POINTS), "source": pl.String}
    return Measured(pl.DataFrame(rows, schema=schema))


def waits(*rows):
    whole = {"source": "a", "scope": "foreground", "event": EVENT, "wait_class": "User I/O"}
    return Measured(pl.DataFrame([{**whole, **row} for row in rows], schema=WAITS, orient="row"))


CLUSTER = {"level": "cluster", "waits": 1_000_000, "total_wait_s": 400.0, "avg_wait_s": 0.000401}
INSTANCE = {"level": "instance", "waits": 10, "total_wait_s": 9000.0, "avg_wait_s": 900.0}


def latencies(made):
    return {row["direction"]: row["lat_mean_s"] for row in made.frame.rows(named=True)}


def test_the_cluster_s_row_counts_and_the_total_is_divided_by_the_waits():
    """400 s / 1,000,000 = 400 us; the row of the instance is not it, nor the printed mean."""
    made = load_points_with_event(points("a"), waits(INSTANCE, CLUSTER))
    assert latencies(made) == {
        "read": 0.0004, "write": None, "total": None, TOTAL_WITH_READ_LATENCY: 0.0004
    }  # fmt: skip


def test_rates_of_all_io_stand_beside_the_read_latency():
    made = load_points_with_event(points("a"), waits(CLUSTER)).frame
    row = made.row(by_predicate=pl.col("direction") == TOTAL_WITH_READ_LATENCY, named=True)
    assert (row["iops"], row["cpu_busy_ratio"], row["latency_event"]) == (100.0, 0.5, EVENT)
    assert metric_of("lat_mean_s").phrase(TOTAL_WITH_READ_LATENCY) == "mean read latency"
    assert metric_of("iops").title(TOTAL_WITH_READ_LATENCY) == "IOPS"
    assert metric_of("lat_mean_s").head(TOTAL_WITH_READ_LATENCY) == "Mean read latency"
    assert metric_of("lat_mean_s").head("read") == "Mean latency"


def test_each_report_has_its_own_wait():
    made = load_points_with_event(
        points("a", "b"), waits(CLUSTER, {**CLUSTER, "source": "b", "total_wait_s": 500.0})
    )
    curve = latency_curve(made, direction=TOTAL_WITH_READ_LATENCY).frame.row(0, named=True)
    assert curve["lat_mean_s"] == pytest.approx(0.00045)
    assert curve["repeats"] == 2


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (0.00024452, 0.00024452),
        (0.001, None),
        (0.0, None),
        (None, None),
        (0.002, None),
        (0.099, None),
        (0.1, 0.1),
        (17.74, 17.74),
    ],
)
def test_a_small_total_is_too_coarse_and_a_mean_in_whole_milliseconds_is_none(printed, expected):
    """Up to 11.2 means are in whole milliseconds: 1 may be 0.6, 0 is not no time, 100 is exact."""
    row = {**CLUSTER, "waits": 120_000, "total_wait_s": 30.0, "avg_wait_s": printed}
    assert latencies(load_points_with_event(points("a"), waits(row)))["read"] == expected


def test_background_waits_and_two_instances_without_a_cluster_give_none():
    other = {**INSTANCE, "scope": "background"}
    assert latencies(load_points_with_event(points("a"), waits(other, other)))["read"] is None
    assert latencies(load_points_with_event(points("a"), waits(INSTANCE, INSTANCE)))["read"] is None


def test_an_unknown_event_is_named_with_what_is_near():
    with pytest.raises(AnalysisError, match="did you mean 'db file sequential read'"):
        load_points_with_event(points("a"), waits(CLUSTER), event="db file sequential reads")


def test_load_points_with_a_latency_of_their_own_are_refused():
    with pytest.raises(AnalysisError, match="a latency of its own"):
        load_points_with_event(points("a", lat_mean_s=0.001), waits(CLUSTER))


def test_the_sentence_says_what_the_latency_is_and_counts_the_reports_with_one():
    made = load_points_with_event(points("a", "b"), waits(CLUSTER))
    (said,) = say(event_latency(made))
    assert (said.id, said.text) == (
        "event-latency",
        f"Read latency is the mean wait for {EVENT} as the database saw it, transport included, "
        "over the foreground sessions of 1 of 2 reports.",
    )  # fmt: skip
    every = load_points_with_event(points("a"), waits(CLUSTER))
    assert say(event_latency(every))[0].text.endswith("over the foreground sessions of 1 report.")
    none = load_points_with_event(points("a"), waits({**CLUSTER, "source": "b"}))
    assert say(event_latency(none))[0].text == (
        f"No report gives a mean wait for {EVENT}: there is no read latency."
    )
    with pytest.raises(AnalysisError, match="latency_event"):
        event_latency(points("a"))


def test_of_a_study_s_evidence_the_event_is_that_which_was_asked_for():
    evidence = Evidence("awr", "a.html", "00")
    both = Reading({"load_points": points("a"), "wait_events": waits(CLUSTER)}, evidence)
    assert latencies(points_with_event(both, EVENT))["read"] == 0.0004
    assert points_with_event(both, None).frame.equals(points("a").frame)
    alone = Reading({"load_points": points("a")}, evidence)
    assert points_with_event(alone, None).frame.equals(points("a").frame)
    with pytest.raises(AnalysisError, match="has no wait events, and 'db file sequential read'"):
        points_with_event(alone, EVENT)
    with pytest.raises(AbsentError, match="has no load points"):
        points_with_event(Reading({"wait_events": waits(CLUSTER)}, evidence), EVENT)
