"""The mean wait of an event: from its total, or as printed where the total is too coarse."""

import pytest

from perfkit.core.stats import mean_wait


@pytest.mark.parametrize(
    ("total_s", "waits", "printed_s", "expected"),
    [
        (100.0, 50, 0.001, 2.0),
        (99.0, 50, 0.0123, 0.0123),
        (99.0, 50, 0.001, None),
        (99.0, 50, 0.099, None),
        (99.0, 50, 0.1, 0.1),
        (99.0, 50, 0.0, None),
        (99.0, 50, None, None),
        (None, None, 0.0005, 0.0005),
        (500.0, 0, 0.25, 0.25),
    ],
)
def test_a_mean_is_taken_where_its_rounding_is_half_a_percent_or_less(
    total_s, waits, printed_s, expected
):
    assert mean_wait(total_s, waits, printed_s) == expected
