"""Months of slots with a clock of our own (a year and 50 faults: tests/bench)."""

from __future__ import annotations

import pytest
from schedule_bench.year import simulate


@pytest.mark.slow
def test_two_months_with_eight_faults(bench):
    """Every slot once, each fault with its reason, retention exact, through a clock change."""
    simulate(bench, days=60, faults=8, seed=3)
