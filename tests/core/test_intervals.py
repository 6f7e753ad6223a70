"""Intervals over repeats: of an answer, of a peak, of all changes of one pair and metric."""

import math
import statistics

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.optimize import brentq
from scipy.special import polygamma

from perfkit.core import intervals
from perfkit.core.intervals import (
    Side,
    _prior,
    _skewed,
    _together,
    answer_interval,
    change_intervals,
    doubts,
    peak_interval,
)


def of(*values):
    return Side(statistics.fmean(values), values)


def test_the_interval_of_an_answer_is_students_t_on_logarithms():
    values = [90.0, 100.0, 115.0]
    logs = [math.log(value) for value in values]
    half = scipy_stats.t.ppf(0.975, 2) * statistics.stdev(logs) / math.sqrt(3)
    found = answer_interval(102.0, values)
    assert found.low == pytest.approx(102.0 * math.exp(-half))
    assert found.high == pytest.approx(102.0 * math.exp(half))
    assert (found.mean, found.n) == (102.0, 3)


def test_it_is_never_negative_however_the_repeats_spread():
    """Student's t on the values themselves gave -196,000 to 376,000 IOPS."""
    found = answer_interval(90_000, [45_000.0, 135_000.0])
    assert 0 < found.low < 90_000 < found.high


@pytest.mark.parametrize("values", [[5.0], [5.0, 5.0], [5.0, 0.0], [1e-300, 1e300]])
def test_there_is_none_where_nothing_can_be_said(values):
    assert answer_interval(5.0, values)[1:3] == (None, None)
    assert peak_interval([values, values]).interval[1:3] == (None, None)
    assert change_intervals([(Side(5.0, tuple(values)), Side(5.0, tuple(values)))]) == [None]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([100.0, 101.0], ("two_repeats",)),
        ([100.0, 101.0, 102.5], ()),
        ([100.0, 300.0, 110.0], ("skewed_repeats",)),
        ([100.0, 101.0, 99.5, 50.0, 100.4], ("skewed_repeats",)),  # one run at half
        ([62.0, 62.0, 63.0], ()),  # printed to whole microseconds
        ([100.0, 101.0, 102.0, 103.0, 104.0], ("autocorrelated",)),
        ([100.0, 103.0, 101.0, 104.0, 102.0], ()),
        ([100.0, 101.0, 102.0, 103.0], ()),  # four have too few orders
    ],
)
def test_repeats_say_what_speaks_against_their_interval(values, told):
    assert doubts(values) == told


def test_an_uneven_spread_counts_from_two_percent_on():
    """Three 1% above their mean and one 3% below it have a standard deviation of 2%."""
    assert _skewed([0.01, 0.01, 0.01, -0.03])
    assert not _skewed([0.0099, 0.0099, 0.0099, -0.0297])


def test_the_peak_of_a_plateau_reaches_below_the_mean_of_its_highest_load():
    """The highest of ten equal means lies above what each of them is."""
    plateau = [[97.0, 100.0, 103.0], [98.0, 100.0, 102.5], [101.0, 103.0, 99.0]]
    found = peak_interval([*plateau, [50.0, 51.5, 50.5]])
    alone = peak_interval(plateau[2:])
    assert found.interval.mean == alone.interval.mean == 101.0
    assert found.alike == (0, 1, 2)
    assert found.interval.low < 101.0 < found.interval.high
    assert peak_interval([[97.0, 100.0, 103.0], [50.0, 51.5, 52.0]]).alike == (0,)


def test_the_peak_of_loads_with_unlike_repeats_has_the_degrees_of_its_own():
    """Three repeats, far above a load of four: Student's t with two degrees of freedom."""
    logs = [math.log(value) for value in (97.0, 100.0, 103.0)]
    half = scipy_stats.t.ppf(0.975, 2) * statistics.stdev(logs) / math.sqrt(3)
    found = peak_interval([[97.0, 100.0, 103.0], [1e-3, 1.1e-3, 1e-3, 1.2e-3]])
    assert found.alike == (0,)
    assert found.interval[1:3] == pytest.approx((100 * math.exp(-half), 100 * math.exp(half)))


def test_one_load_alone_has_the_interval_of_its_repeats():
    values = [97.0, 100.0, 103.0]
    assert peak_interval([values]).interval == pytest.approx(answer_interval(100.0, values))


def test_a_single_change_is_welchs_t_on_logarithms():
    """Unequal counts and spreads; degrees of freedom pooled over the sides are another interval."""
    subject, against = of(90.0, 100.0, 115.0), of(50.0, 50.5, 50.2, 50.1, 49.9, 50.4)
    wanted = scipy_stats.ttest_ind(
        np.log(subject.own), np.log(against.own), equal_var=False
    ).confidence_interval(0.95)
    ratio = subject.value / against.value
    ((low, high),) = change_intervals([(subject, against)])
    assert math.log(high / low) == pytest.approx(wanted.high - wanted.low)
    assert math.log(low * high) / 2 == pytest.approx(math.log(ratio))
    pooled = scipy_stats.ttest_ind(np.log(subject.own), np.log(against.own)).confidence_interval()
    assert math.log(high / low) != pytest.approx(pooled.high - pooled.low, rel=0.1)


def test_of_two_repeats_against_five_the_one_degree_of_freedom_counts():
    """Welch's own degrees of freedom gave 10.8% false claims there."""
    subject, against = of(98.0, 103.0), of(100.0, 100.2, 99.9, 100.1, 100.0)
    ((low, high),) = change_intervals([(subject, against)])
    error = math.hypot(
        statistics.stdev(map(math.log, subject.own)) / math.sqrt(2),
        statistics.stdev(map(math.log, against.own)) / math.sqrt(5),
    )
    assert math.log(high / low) / 2 / error == pytest.approx(scipy_stats.t.ppf(0.975, 1))


def noisy(seed, spreads, repeats=3, factor=1.0, together=0.0):
    draw = np.random.default_rng(seed)
    shift = together * draw.standard_normal(repeats)
    return [
        of(*(factor * 100 * np.exp(spread * draw.standard_normal(repeats) + shift)))
        for spread in spreads
    ]


def widths(found):
    return [math.log(high / low) for low, high in found]


def reaches(pairs):
    """Half of each interval in standard errors of the spread pooled over all changes."""
    shares = [
        statistics.fmean(statistics.variance(map(math.log, pair[i].own)) for pair in pairs)
        / len(pairs[0][i].own)
        for i in (0, 1)
    ]
    return [width / 2 / math.sqrt(sum(shares)) for width in widths(change_intervals(pairs))]


def pairs_of(seed, spreads, repeats=(3, 3), together=0.0):
    return list(
        zip(
            noisy(seed, spreads, repeats[0], together=together),
            noisy(seed + 1, spreads, repeats[1], together=together),
            strict=True,
        )
    )


EVEN = [0.03] * 10


def test_the_spread_is_pooled_over_a_family_where_it_is_homogeneous():
    """Ten changes of like spread: one width, that of the largest of ten with some 40 degrees."""
    pairs = pairs_of(11, EVEN)
    found = reaches(pairs)
    assert max(found) == pytest.approx(min(found))
    assert 2.9 < found[0] < 3.2
    assert widths(change_intervals(pairs))[0] / 2 < 0.095  # what +10% takes to be told


def test_two_repeats_pooled_against_five_keep_the_degrees_of_the_smaller_side():
    """Ten loads of two repeats have ten degrees at most: 3.47, and not the 2.95 of forty."""
    found = reaches(pairs_of(21, EVEN, (2, 5)))
    assert min(found) >= intervals._modulus(10.0, 10, 0.95) - 1e-9


def test_changes_that_go_together_count_as_one():
    """A repeat that moves its whole curve is one repeat, not ten: four degrees, and not forty."""
    found = reaches(pairs_of(5, [1e-4] * 10, together=0.03))
    assert found[0] > 0.99 * intervals._modulus(4.0, 10, 0.95)


def test_a_load_whose_spread_stands_out_keeps_its_own():
    """It widens neither the others nor is it hidden among them; theirs is drawn together."""
    pairs = pairs_of(35, [0.02] * 9 + [0.12])
    *others, last = widths(change_intervals(pairs))
    own = [
        math.hypot(*(statistics.stdev(map(math.log, side.own)) for side in pair))
        for pair in pairs[:-1]
    ]
    assert max(others) < 1.1 * min(others)
    assert max(own) > 2 * min(own)
    assert last > 3.5 * max(others)


def test_the_variance_of_a_change_is_drawn_to_the_mean_as_far_as_the_spreads_are_alike():
    """Smyth's moderated t, done by hand: prior degrees from the scatter of the log variances."""
    pairs = pairs_of(45, [0.01] * 5 + [0.04] * 5, (5, 5))
    own = np.array([
        sum(statistics.variance(map(math.log, side.own)) / 5 for side in pair) for pair in pairs
    ])  # fmt: skip
    shares = [np.mean([statistics.variance(map(math.log, pair[i].own)) / 5 for pair in pairs])
              for i in (0, 1)]  # fmt: skip
    freedom = sum(shares) ** 2 / sum(share**2 / 4 for share in shares)
    beyond = np.log(own).var(ddof=1) - 2 * polygamma(1, freedom / 2)
    prior = 2 * brentq(lambda x: polygamma(1, x) - beyond, 1e-3, 1e3)
    assert 1 < prior < 20
    reach = intervals._modulus(prior + freedom, 10, 0.95)
    # the five of 1%: those of 4% may stand out, and count less with the mean
    for square, width in zip(own[:5], widths(change_intervals(pairs))[:5], strict=True):
        drawn = (prior * own.mean() + freedom * square) / (prior + freedom)
        assert width / 2 == pytest.approx(reach * math.sqrt(drawn), rel=1e-6)


def test_a_variance_that_stands_out_is_drawn_to_the_mean_by_the_share_of_its_tail():
    """Nine variances of 1 and one of 4, of four degrees each: no more scatter than chance.

    The others have one spread. The largest of ten has a tail of (1 - 1/2) / 10 on average, and
    stands out below half of that: it counts as of three more like it at most, by its tail's share.
    """
    *others, last = _prior(np.array([1.0] * 9 + [4.0]), 4.0, (1.0, 0.5))
    assert others == [math.inf] * 9
    tail = scipy_stats.f.sf(4.0, 4, 36)
    assert tail < 0.025
    assert last == pytest.approx(tail / 0.025 * 3 * 4)


def test_spreads_that_differ_along_the_curve_are_not_pooled():
    """None stands out alone; together they are uneven, and each keeps some of its own."""
    found = widths(change_intervals(pairs_of(41, [0.01] * 5 + [0.05] * 5, (5, 5))))
    assert len({round(width, 9) for width in found}) == 10


def test_the_highest_of_several_loads_is_one_of_the_family():
    plateau = noisy(7, [0.1] * 10)
    best = max(plateau, key=lambda side: side.value)
    chosen = (Side(best.value, best.own, tuple(side.own for side in plateau)), of(99.0, 100.0, 101))
    alone = widths(change_intervals([chosen]))[0]
    assert widths(change_intervals([chosen, *pairs_of(11, EVEN)]))[0] > 1.3 * alone


def test_the_largest_of_several_t():
    assert intervals._modulus(40.0, 1, 0.95) == pytest.approx(scipy_stats.t.ppf(0.975, 40))
    # Stoline and Ury's table: 10 comparisons, 40 degrees of freedom, 5%
    assert intervals._modulus(40.0, 10, 0.95) == pytest.approx(2.952, abs=0.005)


def test_one_repeat_takes_its_change_out_of_the_family_and_no_other():
    pair = (of(97.0, 100.0, 103.0), of(98.0, 101.0, 102.0))
    alone = change_intervals([pair])
    assert change_intervals([(of(100.0), pair[1]), pair]) == [None, *alone]
    gap = Side(100.0, (99.0, None, 101.0))
    assert change_intervals([(gap, pair[1]), pair]) == [None, *alone]


def test_the_change_of_a_peak_allows_for_its_choice():
    """A plateau of ten noisy loads against one load: its highest mean is too high by chance."""
    plateau = noisy(7, [0.1] * 10)
    best = max(plateau, key=lambda side: side.value)
    chosen = Side(best.value, best.own, tuple(side.own for side in plateau))
    against = of(99.0, 100.0, 101.0)
    ratio = chosen.value / against.value
    ((low, high),) = change_intervals([(chosen, against)])
    assert low < ratio < high
    assert math.log(ratio / low) > 1.3 * math.log(high / ratio)


@pytest.mark.parametrize(
    ("rest", "share"),
    [([[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]], 1.0), ([[1.0, -1.0], [-1.0, 1.0]], 0.0),
     ([[2.0, 1.0], [-2.0, -1.0]], 0.8)],
)  # fmt: skip
def test_how_much_the_loads_of_one_repeat_go_together(rest, share):
    """Their mean correlation: 1 where all moved alike, never below 0.

    Of 2 and 1 it is (3² + 3²) / (2² + 1² + 2² + 1²) - 1 = 0.8.
    """
    assert _together([np.array(rest)], [1]) == pytest.approx(share)


def test_a_side_whose_repeats_do_not_spread_adds_nothing_to_the_peak_of_the_other():
    loads = ((97.0, 100.0, 103.0), (98.0, 100.0, 102.5))
    low, high = peak_interval(loads).interval[1:3]
    value = max(math.fsum(own) / 3 for own in loads)
    ((below, above),) = change_intervals(
        [(Side(value, (97.0, 100.0, 103.0), loads), of(50.0, 50.0, 50.0))]
    )
    assert (below, above) == pytest.approx((low / 50.0, high / 50.0))


@pytest.mark.parametrize("others", [1, 2, 5])
def test_loads_are_alike_that_lie_within_the_reach_of_all_comparisons(others):
    """Errors of 3 and 4 make 5; with 10 degrees, Šidák's t over each load but the highest."""
    reach = 5 * scipy_stats.t.ppf(0.95 ** (1 / others), 10)
    errors, freedom = np.array([3.0] + [4.0] * others), np.full(others + 1, 10.0)
    for share, found in ((0.999, (0, *range(1, others + 1))), (1.001, (0,))):
        means = np.array([1000.0] + [1000.0 - share * reach] * others)
        assert intervals._alike((means, errors, freedom), 0.95) == found
