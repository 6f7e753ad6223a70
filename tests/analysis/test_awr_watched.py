"""What was recorded below a database, set beside the time of a report."""

from datetime import datetime, timedelta

import polars as pl
import pytest

from perfkit.analysis.awr.watched import Sums, Watched

NINE = datetime(2026, 3, 2, 9)  # noqa: DTZ001 - recordings name no zone


def at(second):
    return NINE + timedelta(seconds=second)


def watched(*counts, operation="read"):
    """Samples of 10 s each from nine on: so many operations of 1/1024 s, half of them reads."""
    samples = pl.DataFrame(
        [{"begin": at(10 * n), "end": at(10 * n + 10), "operations": float(count),
          "time_s": count / 1024, "own": count / 2} for n, count in enumerate(counts)],
        schema={"begin": pl.Datetime("us"), "end": pl.Datetime("us"), "operations": pl.Float64,
                "time_s": pl.Float64, "own": pl.Float64},
    )  # fmt: skip
    return Watched("host", operation, "sda", samples)


@pytest.mark.parametrize(
    ("begin", "end", "sums"),
    [
        (0, 30, Sums(30.0, 896.0, 0.875, 0.5)), (10, 20, Sums(10.0, 256.0, 0.25, 0.5)),
        (9, 21, Sums(10.0, 256.0, 0.25, 0.5)), (11, 30, Sums(10.0, 512.0, 0.5, 0.5)),
        (11, 19, Sums(0.0, 0.0, 0.0, 0.0)), (40, 50, Sums(0.0, 0.0, 0.0, 0.0)),
    ],
)  # fmt: skip
def test_samples_count_that_lie_within_a_period_as_a_whole(begin, end, sums):
    assert watched(128, 256, 512).within(at(begin), at(end)) == sums


@pytest.mark.parametrize(
    ("begin", "end", "found"),
    [(-10, 0, False), (-10, 1, True), (5, 6, True), (19, 40, True), (20, 40, False)],
)
def test_a_recording_that_ends_where_a_report_begins_does_not_overlap_it(begin, end, found):
    report = {"begin_time": at(begin), "end_time": at(end)}
    assert watched(1, 1).overlaps(report) is found
    assert watched().overlaps(report) is False


def test_on_the_databases_clock_all_samples_are_earlier():
    own = watched(100, 200)
    assert own.offset_s == 0.0
    moved = own.earlier(3.5)
    assert moved.offset_s == 3.5
    assert moved.samples["begin"].to_list() == [at(-3.5), at(6.5)]
    assert moved.samples["end"].to_list() == [at(6.5), at(16.5)]
    assert moved.samples["operations"].to_list() == [100.0, 200.0]


def test_a_commit_is_a_write_there():
    assert [watched(operation=name).verb for name in ("read", "commit")] == ["reads", "writes"]
