"""Two one-sided tests against scipy's textbook forms, and their level by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perfkit.analysis.verdicts.equivalence import (
    INDEPENDENT,
    change_over,
    difference,
    tolerance_range,
)

ALPHA = 0.05
RAMP = [81_207.0 + 7_380.0 * i for i in range(10)]
SPAN = RAMP[-1] - RAMP[0]


@given(st.integers(0, 10_000), st.floats(0.5, 5), st.floats(-4, 4))
def test_the_slope_test_is_scipys_regression_against_both_bounds(seed, margin, change):
    """linregress's slope and error, moved by the margin, in scipy's t: the same p values."""
    noise = np.random.default_rng(seed).normal(0, 1, len(RAMP))
    y = [30 + change * (x - RAMP[0]) / SPAN + e for x, e in zip(RAMP, noise, strict=True)]
    got = change_over(RAMP, y, margin, ALPHA, INDEPENDENT)
    line = stats.linregress(RAMP, y)
    scaled = line.stderr * SPAN
    low = stats.t.sf((line.slope * SPAN + margin) / scaled, len(y) - 2)
    high = stats.t.cdf((line.slope * SPAN - margin) / scaled, len(y) - 2)
    assert got.estimate == pytest.approx(line.slope * SPAN, rel=1e-6, abs=1e-9)
    assert got.p == pytest.approx(max(low, high), rel=1e-6)
    half = stats.t.ppf(1 - ALPHA, len(y) - 2) * scaled
    assert (got.low, got.high) == pytest.approx((got.estimate - half, got.estimate + half))


@given(st.integers(0, 10_000), st.integers(3, 12), st.integers(3, 12), st.floats(0.2, 3))
def test_the_difference_of_means_is_scipys_welch_test_twice(seed, n, m, margin):
    rng = np.random.default_rng(seed)
    a, b = list(rng.normal(0.3, 1, n)), list(rng.normal(0, 2, m))
    got = difference(a, b, margin, ALPHA)
    low = stats.ttest_ind([x + margin for x in a], b, equal_var=False, alternative="greater")
    high = stats.ttest_ind([x - margin for x in a], b, equal_var=False, alternative="less")
    assert got.p == pytest.approx(max(low.pvalue, high.pvalue), rel=1e-6, abs=1e-300)


@given(st.integers(0, 10_000), st.integers(4, 30), st.floats(1, 6))
def test_the_range_is_the_tolerance_factor_of_the_noncentral_t(seed, n, margin):
    values = list(np.random.default_rng(seed).normal(30, 1, n))
    got = tolerance_range(values, 30.0, margin, ALPHA)
    mean, spread = np.mean(values), np.std(values, ddof=1)
    shift = stats.norm.ppf(0.9) * np.sqrt(n)
    factor = stats.nct.ppf(1 - ALPHA, n - 1, shift) / np.sqrt(n)
    assert got.high - mean == pytest.approx(factor * spread, rel=1e-6)
    rooms = (30 + margin - mean, mean - 30 + margin)
    p = max(stats.nct.sf(room * np.sqrt(n) / spread, n - 1, shift) for room in rooms)
    assert got.p == pytest.approx(p, rel=1e-4, abs=1e-8)


def test_the_known_factor_for_ten_runs():
    """Hahn and Meeker's table of one-sided factors: n = 10, 90 % content, 95 %: 2.355."""
    values = [30.0 + (-1) ** i for i in range(10)]
    got = tolerance_range(values, 30.0, 5.0, ALPHA)
    assert (got.high - 30.0) / np.std(values, ddof=1) == pytest.approx(2.355, abs=5e-4)


@given(st.integers(0, 10_000), st.floats(0.5, 4), st.floats(-5, 5))
def test_equivalent_exactly_where_the_90_percent_interval_lies_inside_the_margin(
    seed, margin, change
):
    noise = np.random.default_rng(seed).normal(0, 1, len(RAMP))
    y = [change * i / 9 + e for i, e in zip(range(10), noise, strict=True)]
    got = change_over(RAMP, y, margin, ALPHA)
    inside = -margin < got.low and got.high < margin
    assert (got.finding(margin, ALPHA) == "equivalent") == inside
    outside = got.low > margin or got.high < -margin
    assert (got.finding(margin, ALPHA) == "changed") == outside


SIMULATIONS = 1500


@pytest.mark.slow
@pytest.mark.parametrize("change", [2.0, -2.0])
def test_of_independent_runs_a_change_as_large_as_the_margin_passes_in_five_percent(change):
    """The level where no correlation is allowed, by simulation: within four errors of 5 %."""
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(SIMULATIONS):
        y = [30 + change * i / 9 + e for i, e in enumerate(rng.normal(0, 0.3, 10))]
        found += change_over(RAMP, y, 2.0, ALPHA, INDEPENDENT).p < ALPHA
    error = (ALPHA * (1 - ALPHA) / SIMULATIONS) ** 0.5
    assert abs(found / SIMULATIONS - ALPHA) < 4 * error


def alike(rng, n, correlation):
    """Errors of a first-order autoregressive process with variance 1."""
    errors = [rng.normal()]
    for _ in range(n - 1):
        errors.append(correlation * errors[-1] + (1 - correlation**2) ** 0.5 * rng.normal())
    return errors


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.8])
def test_runs_that_are_alike_do_not_pass_more_often(correlation):
    """With n - 2 degrees of freedom alone it was 18 % at a correlation of 0.6.

    With every correlation equally likely before it was 10 % at 0.8.
    """
    rng, found = np.random.default_rng(11), 0
    for _ in range(400):
        y = [30 + 4 * i / 9 + e for i, e in enumerate(alike(rng, 10, correlation))]
        found += change_over(RAMP, y, 4.0, ALPHA).p < ALPHA
    assert found / 400 < ALPHA + 2.5 * (ALPHA * (1 - ALPHA) / 400) ** 0.5


def test_runs_that_are_alike_have_a_wider_interval():
    """A wave: each run is like the one before."""
    wave = [30 + np.sin(2 * np.pi * i / 10) for i in range(10)]
    got, plain = (change_over(RAMP, wave, 3.0, ALPHA, *given) for given in ((), (INDEPENDENT,)))
    assert got.high - got.low > 1.5 * (plain.high - plain.low)


def test_a_flat_line_that_is_too_noisy_is_not_shown_to_be_equivalent():
    """A slope that fails to be significant is not an equivalence."""
    y = [30.0, 36, 25, 33, 28, 34, 26, 35, 29, 31]
    got = change_over(RAMP, y, 3.0, ALPHA)
    assert stats.linregress(RAMP, y).pvalue > 0.5
    assert got.finding(3.0, ALPHA) == "not shown"


def test_no_spread_at_all_is_decided_by_the_change_alone():
    flat = change_over(RAMP, [5.0] * 10, 0.1, ALPHA)
    assert (flat.estimate, flat.p) == (0.0, 0.0)
    assert tolerance_range([5.0] * 10, 5.0, 0.1, ALPHA) == (5.0, 5.0, 0.0)
    assert tolerance_range([5.0] * 10, 6.0, 0.1, ALPHA).p == 1.0
    assert difference([1.0, 1.0], [3.0, 3.0], 1.0, ALPHA).finding(1.0, ALPHA) == "changed"


def test_four_points_leave_two_degrees_of_freedom():
    values = [1.0, 2.1, 2.9, 4.2]
    fit = stats.linregress([1.0, 2, 3, 4], values)
    found = change_over([1.0, 2, 3, 4], values, 1.0, ALPHA, INDEPENDENT)
    assert found.estimate == pytest.approx(3 * fit.slope)
    half = stats.t.ppf(1 - ALPHA, 2) * 3 * fit.stderr
    assert found.high - found.low == pytest.approx(2 * half)


def test_too_few_points_or_no_ramp_are_refused():
    with pytest.raises(ValueError, match="four points"):
        change_over([1.0, 2, 3], [1.0, 2, 3], 1, ALPHA)
    with pytest.raises(ValueError, match="different loads"):
        change_over([1.0] * 5, [1.0, 2, 3, 4, 5], 1, ALPHA)
    with pytest.raises(ValueError, match="four values"):
        tolerance_range([1.0, 2, 3], 2.0, 1.0, ALPHA)
    with pytest.raises(ValueError, match="two values"):
        difference([1.0], [1.0, 2.0], 1.0, ALPHA)
