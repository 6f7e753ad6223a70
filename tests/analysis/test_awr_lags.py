"""By how much one series runs behind another: the lag, and why none is told."""

import numpy as np
import pytest

from perfkit.analysis.awr.lags import FEWEST, matched

LAGS = np.arange(-4.0, 5.0)
OWN = np.random.default_rng(3).standard_normal(30)


def behind(*alike, own=OWN):
    """The other series at each lag: the same at the lags named, else one that is unlike it."""
    draw = np.random.default_rng(8)
    near = own + 0.01 * draw.standard_normal(len(own))
    return np.array([near if lag in alike else draw.standard_normal(len(own)) for lag in LAGS])


def test_the_lag_at_which_both_go_together():
    found = matched(LAGS, OWN, behind(2))
    assert (found.lag, found.low, found.high, found.n) == (2.0, 2.0, 2.0, 30)
    assert found.r == pytest.approx(1.0, abs=1e-3)


def test_lags_that_fit_as_well_side_by_side_are_a_range():
    alike = np.where(np.isin(LAGS, [1, 2, 3])[:, None], OWN, behind())
    found = matched(LAGS, OWN, alike)
    assert (found.low, found.high) == (1.0, 3.0)


@pytest.mark.parametrize(
    ("alike", "why"),
    [
        ((), "at no offset"), ((-4,), "at the end of the offsets"),
        ((4,), "at the end of the offsets"), ((-2, 2), "at several offsets"),
    ],
)  # fmt: skip
def test_where_no_lag_is_told_it_is_said_why(alike, why):
    """At either end of those that were tried a better one may lie beyond it."""
    other = np.where(np.isin(LAGS, alike)[:, None], OWN, behind())
    assert why in matched(LAGS, OWN, other)


def test_so_many_changes_must_be_known_on_both_sides():
    few = np.where(np.arange(30) < FEWEST - 1, OWN, np.nan)
    assert matched(LAGS, few, behind(0)) == "8 periods in a row that both recorded are needed"


@pytest.mark.parametrize(
    ("large", "found"), [(4, "what they recorded matches in only a few changes"), (5, 1.0)]
)
def test_one_load_that_came_and_went_shows_no_lag(large, found):
    """It makes four large changes, which any other such load meets; a fifth is one more."""
    steps = np.where(np.arange(30) < large, 100.0 * (-1.0) ** np.arange(30), 0.0)
    draw = np.random.default_rng(5)
    own, other = (steps + 0.1 * draw.standard_normal(30) for _ in range(2))
    told = matched(LAGS, own, np.where((LAGS == 1)[:, None], other, behind()))
    assert getattr(told, "lag", told) == found
