"""How far a paced load was behind its schedule, from the I/Os of each interval."""

import pytest

from perfkit.formats.fio_series import COARSENESS
from perfkit.measure.points import planned_points
from perfkit.measure.validity.schedule import NO_SCHEDULE, NO_SERIES, Due, due, late
from perfkit.measure.workloads import named_workload


def lag_of(counts, rate=1000, **fields):
    """The lag of a load of so many IOPS that completed so many I/Os in each interval of 0.1 s."""
    fields = {"runtime": f"{100 * len(counts)}ms", "series": "100ms", **fields}
    spec = named_workload("oltp-select", load={"rate_iops": [rate]}, **fields)
    rows = [f"1,{100 * n},read,{f'900:{ios}' if ios else ''}" for n, ios in enumerate(counts, 1)]
    text = "\n".join([f"job,t_ms,direction,buckets of 2^{COARSENESS}", *rows]) + "\n"
    return due(spec, planned_points(spec)[0], text)


def test_a_load_on_time_is_not_late():
    found = lag_of([100] * 10)
    assert (found.behind_s, found.end_behind_s, found.why) == (0, 0, None)
    assert list(late(found)) == []


def test_a_stall_that_is_caught_up_shows_as_a_lag_of_its_length():
    """No I/O for 0.3 s, then all that were due at once: the mean rate is kept."""
    found = lag_of([100, 100, 0, 0, 0, 400, 100, 100])
    assert (found.behind_s, found.behind_ios, found.at_s) == (0.3, 300, 0.5)
    assert found.end_behind_s == 0
    [told] = late(found)
    assert told.name == "behind_schedule"
    assert told.text.startswith("the load was up to 0.3 s behind its schedule")


def test_what_is_never_caught_up_is_late_at_the_end():
    found = lag_of([100, 50, 50, 100])
    assert (found.behind_s, found.end_behind_s, found.at_s) == (0.1, 0.1, 0.3)


def test_a_lag_is_told_to_the_millisecond():
    """Of 3,000 a second 100 are 33.3 ms, and one is a third of a millisecond."""
    found = lag_of([300, 200, 399], rate=3000)
    assert (found.behind_s, found.end_behind_s, found.at_s) == (0.033, 0.0, 0.2)


def test_a_load_that_ran_ahead_owes_nothing_later():
    """fio may do more than the rate after a ramp: that is not a reserve for a stall."""
    assert lag_of([300, 0, 100]).behind_s == 0.1


def test_at_random_arrivals_the_schedule_is_not_known():
    found = lag_of([100, 0, 100], rate_process="poisson")
    assert (found.behind_s, found.why) == (None, NO_SCHEDULE)


def test_without_a_series_the_lag_is_not_known_and_a_closed_loop_has_none():
    spec = named_workload("oltp-select", load={"rate_iops": [1000]})
    assert due(spec, planned_points(spec)[0], None).why == NO_SERIES
    closed = named_workload("oltp-select")
    assert due(closed, planned_points(closed)[0], None) is None


@pytest.mark.parametrize(
    ("behind_s", "ios", "interval_s", "told"),
    [
        (0.1, 10, 0.1, True), (0.1, 9, 0.1, False), (0.099, 10, 0.05, False),
        (0.5, 10, 0.5, True), (0.4, 100, 0.5, False), (None, None, 0.5, False),
    ],
)  # fmt: skip
def test_a_load_was_late_by_a_tenth_of_a_second_ten_ios_and_an_interval(
    behind_s, ios, interval_s, told
):
    found = Due(100, interval_s, behind_s=behind_s, behind_ios=ios)
    assert [one.name for one in late(found)] == ["behind_schedule"] * told
