"""The frames of a series against the truth of the forge that printed its reports."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pytest
from forges.awr.series import CAUSES, moved, series
from series_told import by_name, false_causes, frames, told_of

import perfkit as pk
from perfkit.core.answers import from_frame

pytestmark = pytest.mark.slow

NUMBER = 24
PLANTED = {cause.name: cause for cause in CAUSES}
CASE = (
    moved(PLANTED["restart"], 5, 5), moved(PLANTED["gap"], 9, 10),
    moved(PLANTED["overlap"], 13, 16), moved(PLANTED["storage slow"], 18, 20),
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A series of twelve hours, its reading, and its frames."""
    found = series(NUMBER, CASE, seed=5)
    periods, over_time, reading = frames(found, tmp_path_factory.mktemp("series"))
    return found, reading, periods, over_time


def rows(frame):
    """The rows of a frame by the begin of their period."""
    return {row["begin_time"]: row for row in frame.frame.rows(named=True)}


def ordinary(found):
    """The half hours."""
    return [one for one in found.periods if not one.spans]


def test_gap_restart_and_the_report_that_spans_others_are_named(made):
    """In time, not in the order of names; the spanning report alone is left out."""
    found, _, periods, _ = made
    out = periods.frame.filter(~pl.col("in_trend"))
    assert out.select("begin_time", "end_time", "left_out").rows() == [
        (one.begin, one.end, "spans_others") for one in found.periods if one.spans
    ]
    own = periods.frame.filter("in_trend")
    assert own["begin_time"].to_list() == [one.begin for one in ordinary(found)]
    gaps = own.filter(pl.col("gap_before_s") > 0).select("begin_time", "gap_before_s")
    start = found.periods[0].begin
    assert gaps.rows() == [
        (start + timedelta(hours=3), 1800.0), (start + timedelta(hours=5.5), 3600.0),
    ]  # fmt: skip
    assert own.filter("restart_before")["begin_time"].to_list() == [start + timedelta(hours=3)]


def mean(one, event):
    """The mean wait of an event in seconds."""
    wait = one.counts.wait(event)
    return wait.time_us / wait.waits / 1e6


TRUTH = {
    "average_active_sessions": lambda one: one.counts.db_time_us / one.counts.seconds / 1e6,
    "cpu_sessions": lambda one: one.counts.db_cpu_us / one.counts.seconds / 1e6,
    "wait_sessions": lambda one: one.counts.waited_us / one.counts.seconds / 1e6,
    "read_wait_s": lambda one: mean(one, "db file sequential read"),
    "read_waits": lambda one: one.counts.wait("db file sequential read").waits,
    "log_file_sync_s": lambda one: mean(one, "log file sync"),
    "log_file_syncs": lambda one: one.counts.wait("log file sync").waits,
    "log_file_parallel_write_s": lambda one: mean(one, "log file parallel write"),
    "log_file_parallel_writes": lambda one: one.counts.wait("log file parallel write").waits,
    "log_writer_busy_ratio": lambda one: (
        one.counts.wait("log file parallel write").time_us / one.counts.seconds / 1e6
    ),
    "commits_per_redo_write": lambda one: (
        one.counts.commits / one.counts.wait("log file parallel write").waits
    ),
    "commits_per_s": lambda one: one.counts.commits / one.counts.seconds,
    "redo_bytes_per_s": lambda one: one.counts.redo_bytes / one.counts.seconds,
    "cpu_busy_ratio": lambda one: one.counts.busy_cpus / 16,
    "read_iops": lambda one: counter(one, "total_read_requests"),
    "write_iops": lambda one: counter(one, "total_write_requests"),
    "read_bytes_per_s": lambda one: counter(one, "total_read_bytes"),
    "write_bytes_per_s": lambda one: counter(one, "total_write_bytes"),
}
"""A column of the frame -> what the forge counted."""


def counter(one, name):
    """A counter per second."""
    return one.content.instances[0].counters[name] / one.counts.seconds


@pytest.mark.parametrize("name", TRUTH)
def test_every_column_is_what_the_forge_counted(made, name):
    """To the rounding of the print: half a percent."""
    found, _, _, over_time = made
    shown = rows(over_time)
    for one in ordinary(found):
        assert shown[one.begin][name] == pytest.approx(TRUTH[name](one), rel=0.005, abs=0.001)


def test_the_residual_keeps_its_sign(made):
    """DB time less CPU and waits, whole seconds of the print apart."""
    found, _, _, over_time = made
    shown = rows(over_time)
    truth = {one.begin: one.counts.residual_us / 1800 / 1e6 for one in ordinary(found)}
    assert min(truth.values()) < 0 < max(truth.values())
    for begin, residual in truth.items():
        assert shown[begin]["residual_sessions"] == pytest.approx(residual, abs=0.005)


def test_the_parts_of_db_time_add_up_and_hold_nothing_idle(made):
    """CPU, wait classes and the residual; the idle waits of a half hour are many times DB time."""
    found, reading, periods, _ = made
    parts = pk.awr.sessions_over_time(periods, reading).frame
    assert "Idle" not in parts["part"].to_list()
    sums = dict(parts.group_by("begin_time").agg(pl.col("average_active_sessions").sum()).rows())
    for one in ordinary(found):
        truth = one.counts.db_time_us / one.counts.seconds / 1e6
        assert sums[one.begin] == pytest.approx(truth, abs=0.003)


def test_percentiles_lie_in_the_bucket_that_the_histogram_says(made):
    """Fewer waits than the percentile lie below the bucket, and as many up to its end."""
    found, reading, periods, _ = made
    event = "db file sequential read"
    bands = pk.awr.latency_bands(periods, reading, event).frame
    for one in ordinary(found)[::5]:
        (own,) = (h for h in one.content.instances[0].histograms if h.event == event)
        for row in bands.filter(pl.col("begin_time") == one.begin).rows(named=True):
            end = (row["upper_s"] or float("inf")) * 1.03
            below, upto = (
                sum(count for power, count in enumerate(own.counts) if 2**power / 1e6 <= edge)
                for edge in (row["lower_s"], end)
            )
            # a share is printed to a tenth of a percent
            assert below / own.total <= row["percent"] / 100 + 0.002
            assert upto / own.total >= row["percent"] / 100 - 0.002


def test_the_worst_periods_are_those_of_the_slow_storage(made):
    """Three half hours of slow storage come first, and the read wait is what was different."""
    found, _, _, over_time = made
    worst = pk.awr.worst_periods(over_time).frame.sort("rank")
    slow = {one.begin for one in found.periods if 18 <= one.number <= 20}
    assert set(worst["begin_time"].to_list()[:3]) == slow
    assert worst["outlier"].to_list()[3:] == [False, False]
    assert all('"read_wait_s"' in told for told in worst["different"].to_list()[:3])


def test_the_planted_cause_is_named_with_its_period(made):
    """Slow storage from 17:00 to 18:30, and nothing else; the gap, the restart and the overlap."""
    found, reading, periods, over_time = made
    answers = from_frame(pk.awr.what_changed(periods, over_time, reading).frame)
    assert {name: told_of(answers, cause, found) for name, cause in by_name(found).items()} == {
        "storage slow": True, "restart": True, "gap": True, "overlap": True,
    }  # fmt: skip
    assert false_causes(answers, found) == []


def test_a_flat_series_has_no_cause(tmp_path):
    """Noise whose neighbours are alike, and a day's curve of load: no change is shown."""
    found = series(NUMBER, (), seed=11)
    answers = from_frame(pk.awr.what_changed(*frames(found, tmp_path)).frame)
    assert [one.status for one in answers if one.question == "series_change"] == ["missing"]
    assert false_causes(answers, found) == []
    assert not any(told_of(answers, cause, found) for cause in CASE if not cause.spanned)


def test_the_tables_of_a_series_are_all_that_its_notebook_asks_for(tmp_path):
    """Read so, a series gives what it does with every table read, in the order of its times."""
    found = series(6, ())
    whole = frames(found, tmp_path / "series")[-1]
    few = pk.open_study(tmp_path / "series").read_evidence(in_series=True)
    event = "db file sequential read"

    def given(reading):
        periods = pk.awr.periods(reading.report, reading.instances)
        over_time = pk.awr.over_time(periods, reading, event=event)
        worst = pk.awr.worst_periods(over_time)
        return [
            periods, over_time, worst, pk.points_with_event(reading, event),
            pk.awr.risers(over_time, reading), pk.awr.recurrent_sql(over_time, worst, reading),
            pk.awr.read_segments(over_time, worst, reading),
            pk.awr.sessions_over_time(periods, reading),
            pk.awr.histogram_over_time(periods, reading, event),
            pk.awr.latency_bands(periods, reading, [event, "log file sync"]),
            pk.awr.what_changed(periods, over_time, reading),
            pk.awr.is_it_storage(periods, over_time, reading, limit_s=None),
        ]  # fmt: skip

    assert len(few) < len(whole) / 3
    for one, other in zip(given(few), given(whole), strict=True):
        assert one.frame.select(other.frame.columns).equals(other.frame)
