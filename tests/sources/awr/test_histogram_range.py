"""The buckets of a histogram lie within the range that its heading states."""

import pytest

from perfkit.sources.awr.tidy.histogram import _beyond

MS = 1e-3


@pytest.mark.parametrize(
    ("covers", "upper"),
    [("up to 64 us", 64e-6), ("up to 32 ms", 32 * MS), ("64 msec to 2 sec", 2.048),
     ("4 sec to 2 min", 120.0), ("up to 1 hr", 3600.0), ("all", 60.0), (None, 60.0)],
)  # fmt: skip
def test_buckets_up_to_the_range_are_read(covers, upper):
    assert not _beyond(covers, [(1, 0.0, upper), (2, upper, None)])


@pytest.mark.parametrize("buckets", [[(1, 0.0, 60.0)], [(1, 0.0, 512e-6), (2, 1920.0, None)]])
def test_milliseconds_that_read_as_minutes_are_no_buckets(buckets):
    """Where a heading says ``<1m`` or ``>=32m`` for milliseconds, the table is not read."""
    assert _beyond("up to 32 ms", buckets)
