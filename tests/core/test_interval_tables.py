"""The critical values by which repeats are called skewed or in order, against samples."""

import numpy as np
import pytest

from perfkit.core.intervals import _NEUMANN_5, _SKEW_99, FEWEST_IN_ORDER, _between


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30])
def test_one_sample_in_a_hundred_and_five_in_a_hundred_lie_beyond(n):
    """Also between two sizes of the tables, which are joined by straight lines."""
    x = np.random.default_rng(n).standard_normal((60_000, n))
    rest = x - x.mean(axis=1, keepdims=True)
    skew = np.abs((rest**3).mean(axis=1) / (rest**2).mean(axis=1) ** 1.5)
    assert (skew > _between(_SKEW_99, n)).mean() == pytest.approx(0.01, abs=0.002)
    if n >= FEWEST_IN_ORDER:
        ratio = (np.diff(x, axis=1) ** 2).sum(axis=1) / (rest**2).sum(axis=1)
        assert (ratio < _between(_NEUMANN_5, n)).mean() == pytest.approx(0.05, abs=0.005)
