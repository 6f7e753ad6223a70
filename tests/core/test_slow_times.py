"""How long a point stood still or was slow: each bound from both sides, by hand."""

import pytest

from perfkit.core.errors import AnalysisError
from perfkit.core.slow_times import still_runs, watched


def rows(ios, late=None, *, interval=1.0, times=None):
    """Intervals of so many I/Os, with their latencies, one after the other or at these times."""
    times = times or [interval * (place + 1) for place in range(len(ios))]
    late = late or [None] * len(ios)
    return [
        {"t_s": t, "interval_s": interval, "ios": n, "lat_mean_s": lat}
        for t, n, lat in zip(times, ios, late, strict=True)
    ]


@pytest.mark.parametrize(("ios", "slow_s"), [(10, 0.0), (9, 1.0)])
def test_an_interval_of_less_than_a_tenth_of_the_best_rate_is_slow(ios, slow_s):
    found = watched(rows([100] * 9 + [ios]))
    assert (found.watched_s, found.slow_s, found.without_io_s, found.unseen_s) == (10, slow_s, 0, 0)


@pytest.mark.parametrize(("late", "slow_s"), [(0.01, 0.0), (0.0101, 1.0)])
def test_a_latency_above_ten_times_the_lowest_is_slow(late, slow_s):
    assert watched(rows([None] * 10, [0.001] * 9 + [late])).slow_s == slow_s
    assert watched(rows([100] * 10, [0.001] * 9 + [late])).slow_s == slow_s


@pytest.mark.parametrize(("fast", "slow_s"), [(1, 0.0), (2, 18.0), (3, 17.0)])
def test_the_best_level_is_one_that_was_kept_up_for_a_tenth_of_the_time(fast, slow_s):
    """Of 20 s two at 1,000 a second make it the usual rate, and 50 a second slow."""
    assert watched(rows([1000] * fast + [50] * (20 - fast))).slow_s == slow_s


@pytest.mark.parametrize(("rate", "still_s"), [(19, 0.0), (20, 1.0)])
def test_a_time_without_io_is_one_where_twenty_were_due(rate, still_s):
    found = watched(rows([rate] * 9 + [0]))
    assert (found.without_io_s, found.slow_s) == (still_s, still_s)


def test_intervals_without_io_that_follow_each_other_are_one_time():
    found = watched(rows([100, 100, 0, 0, 0, 100, 0, 100]))
    assert (found.without_io_s, found.slow_s) == (3.0, 4.0)


@pytest.mark.parametrize(("next_s", "runs"), [(3.0, [[1, 2]]), (3.5, [[1, 2]]), (3.6, [[1], [2]])])
def test_a_gap_of_more_than_half_an_interval_parts_them(next_s, runs):
    assert list(still_runs(rows([5, 0, 0], times=[1.0, 2.0, next_s]))) == runs


@pytest.mark.parametrize(("last_s", "unseen_s"), [(4.0, 0.0), (4.5, 0.0), (4.6, 0.6), (6.0, 2.0)])
def test_time_in_no_interval_is_unseen_where_it_is_more_than_half_of_one(last_s, unseen_s):
    found = watched(rows([100] * 4, times=[1.0, 2.0, 3.0, last_s]))
    assert found.unseen_s == pytest.approx(unseen_s)


def test_one_interval_is_not_judged_and_none_may_be_without_a_length():
    assert watched(rows([100])) is None
    assert watched(rows([None] * 5)) is None
    for length in (0.0, -1.0, float("inf"), None):
        made = [{**row, "interval_s": length, "point": "p"} for row in rows([100] * 3)]
        with pytest.raises(AnalysisError, match="point p: an interval without a length"):
            watched(made)
