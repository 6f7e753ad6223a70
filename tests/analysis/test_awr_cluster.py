"""Instances of one cluster at the same snapshots, together: what adds up, and of how many."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.awr.periods.cluster import cluster_time, cluster_totals
from perfkit.analysis.awr.periods.columns import OVER_TIME
from perfkit.core.answers import from_frame
from perfkit.core.cautions import caution, from_json, to_json
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import measured

EIGHT = datetime(2026, 3, 2, 8)  # noqa: DTZ001 - a report names no zone
ONE = to_json([caution("one_instance", of="a report")])


def period(instance, snap=100, *, total=2, shift=0, rac=True, db_id=7, **said):
    """A report of one instance as the two tables have it: 1,800 s from eight on."""
    name = f"{db_id}_{instance}_{snap}_{shift}"
    begin = EIGHT + timedelta(seconds=1800 * (snap - 100) + shift)
    row = {
        "history": f"SHOP, instance {instance}", "report": name, "source": name,
        "begin_time": begin, "end_time": begin + timedelta(seconds=1800), "elapsed_s": 1800.0,
        "cautions": ONE, "average_active_sessions": 2.0, "read_iops": 100.0, "write_iops": 10.0,
        "read_event": "db file sequential read", "read_wait_s": 1e-3, "read_waits": 1000.0, **said,
    }  # fmt: skip
    head = {
        "source": name, "db_name": "SHOP", "db_id": db_id, "rac": rac, "scope": "single",
        "instance": instance, "instances_total": total, "snap_begin_id": snap,
        "snap_end_id": snap + 1,
    }  # fmt: skip
    return row, head


def together(*periods):
    """The totals of some periods."""
    rows = [{name: row.get(name) for name in OVER_TIME} for row, _ in periods]
    over_time = pl.DataFrame(rows, schema=OVER_TIME)
    reading = {"report": measured(pl.DataFrame([head for _, head in periods]))}
    return cluster_totals(measured(over_time), reading)


def test_rates_add_up_and_a_mean_is_weighted_by_its_waits():
    """1,000 waits of 1 ms and 3,000 of 3 ms are 4,000 of 2.5 ms."""
    found = together(
        period(1), period(2, average_active_sessions=5.0, read_iops=300.0, read_wait_s=3e-3,
                          read_waits=3000.0, elapsed_s=1801.0),
    )  # fmt: skip
    (row,) = found.frame.rows(named=True)
    assert [row["history"], row["instances"]] == ["SHOP", "1, 2"]
    assert [row["instances_present"], row["instances_total"]] == [2, 2]
    assert [row["average_active_sessions"], row["read_iops"]] == [7.0, 400.0]
    assert [row["read_wait_s"], row["read_waits"]] == [pytest.approx(2.5e-3), 4000.0]
    assert [row["elapsed_s"], row["cautions"]] == [1801.0, None]


def test_what_one_instance_does_not_state_all_of_them_do_not():
    found = together(period(1, read_wait_s=None, write_iops=None), period(2))
    (row,) = found.frame.rows(named=True)
    assert [row["write_iops"], row["read_wait_s"], row["iops"]] == [None, None, None]
    assert row["read_waits"] == 2000.0
    other = together(period(1), period(2, read_event="direct path read"))
    assert other.frame.select("read_event", "read_wait_s").rows() == [(None, None)]


def test_rows_of_another_table_are_refused_by_the_column_that_they_lack():
    row, head = period(1)
    reading = {"report": measured(pl.DataFrame([head]))}
    for lacking in ("source", "begin_time", "read_iops", "average_active_sessions"):
        over_time = pl.DataFrame([{name: row.get(name) for name in OVER_TIME}], schema=OVER_TIME)
        with pytest.raises(AnalysisError, match=f"over_time: no column '{lacking}'"):
            cluster_totals(measured(over_time.drop(lacking)), reading)


def test_a_cluster_whose_database_is_not_named_has_the_name_of_its_first_instance():
    periods = [period(2), period(1)]
    for _, head in periods:
        head["db_name"] = None
    assert together(*periods).frame["history"].to_list() == ["SHOP, instance 1"]


@pytest.mark.parametrize(
    "periods",
    [
        pytest.param([period(1)], id="one instance"),
        pytest.param([period(1), period(2, 101)], id="other snapshots"),
        pytest.param([period(1), period(2, shift=600)], id="the same numbers at other times"),
        pytest.param([period(1), period(2, db_id=8)], id="another database"),
        pytest.param([period(1), period(1, shift=1)], id="one instance twice"),
        pytest.param([period(1, rac=False), period(2, rac=False)], id="no cluster"),
    ],
)
def test_other_reports_are_not_added(periods):
    with pytest.raises(AbsentError, match="no two reports cover two instances"):
        together(*periods)


@pytest.mark.parametrize(
    ("total", "told", "left"),
    [(2, "2 of 2", []), (3, "2 of 3", ["instances_missing"]),
     (None, "2 of an unknown number", ["instances_missing"])],
)  # fmt: skip
def test_it_is_said_of_how_many_instances_a_sum_is(total, told, left):
    """2 + 2 sessions in the first half hour, 2 + 6 in the second; 200 reads a second in both."""
    found = together(
        period(1, total=total), period(2, total=total), period(1, 101, total=total),
        period(2, 101, total=total, average_active_sessions=6.0),
    )  # fmt: skip
    kept = {one.name for text in found.frame["cautions"].drop_nulls() for one in from_json(text)}
    assert kept == ({"one_instance"} if left else set())
    answers = cluster_time(measured(found.frame))
    (answer,) = from_frame(answers.frame)
    assert [one.name for one in answer.cautions if one.name != "one_instance"] == left
    (statement,) = pk.say(answers)
    assert statement.text == (
        "On 2 Mar 2026 from 08:00 to 09:00, instances 1, 2 of SHOP "
        f"({told}) together averaged 6.00 active sessions, 4.00 to 8.00 by period: 200 read "
        "requests a second, 20.0 write requests a second."
    )


def test_a_sum_without_db_time_is_not_zero():
    found = together(period(1, average_active_sessions=None), period(2))
    (answer,) = from_frame(cluster_time(measured(found.frame)).frame)
    assert [answer.status, answer.estimate] == ["missing", None]
