"""The level and power of the equivalence tests by simulation, and what verdicts cost."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.analysis.verdicts.equivalence import INDEPENDENT, change_over, tolerance_range
from perfkit.analysis.verdicts.run_verdicts import judge_runs, server_verdicts

SIMULATIONS = 20_000
ALPHA, LEVEL, MARGIN, NOISE = 0.05, 30.0, 3.0, 0.5


def made(rng, n, change):
    """A victim of n runs that changes by ``change`` over the ramp, with normal noise."""
    return list(LEVEL + change * np.arange(n) / (n - 1) + rng.normal(0, NOISE, n))


@pytest.mark.parametrize("n", [4, 10, 30])
def test_level_and_power_of_the_slope_test(n):
    """Of independent runs 5 % are called equivalent at a true change of the margin."""
    rng = np.random.default_rng(n)
    ramp = [80.0 + i for i in range(n)]
    shares = {}
    for share in (1.2, 1.0, 0.5, 0.0):
        found = sum(
            change_over(ramp, made(rng, n, share * MARGIN), MARGIN, ALPHA, INDEPENDENT).p < ALPHA
            for _ in range(SIMULATIONS)
        )
        shares[share] = found / SIMULATIONS
    error = (ALPHA * (1 - ALPHA) / SIMULATIONS) ** 0.5
    said = ", ".join(f"{found:.2%} at {share:g} margins" for share, found in shares.items())
    print(f"\nslope test, {n} runs, noise {NOISE}, margin {MARGIN}: called equivalent {said}")
    assert shares[1.2] <= ALPHA + 4 * error
    assert abs(shares[1.0] - ALPHA) < 4 * error
    assert shares[0.0] >= shares[0.5]


@pytest.mark.parametrize("n", [6, 10, 20])
@pytest.mark.parametrize("correlation", [0.6, 0.8])
def test_runs_that_are_alike_are_called_equivalent_in_six_percent_at_most(n, correlation):
    """At a true change of the margin's size, for errors of an autoregressive process of order one.

    It was 18% at a correlation of 0.6, then 8 to 10% at 0.8.
    """
    rng, ramp, runs = np.random.default_rng(n), [80.0 + i for i in range(n)], SIMULATIONS // 4
    errors = rng.normal(0, NOISE, (runs, n))
    for i in range(1, n):
        errors[:, i] = correlation * errors[:, i - 1] + errors[:, i] * (1 - correlation**2) ** 0.5
    moved = LEVEL + errors + 2 * MARGIN * np.arange(n) / (n - 1)
    found = sum(change_over(ramp, list(y), 2 * MARGIN, ALPHA).p < ALPHA for y in moved) / runs
    print(f"\nslope test, {n} runs, correlation {correlation}: {found:.2%} called equivalent")
    assert found <= 0.06 + 0.5 * (0.06 * 0.94 / runs) ** 0.5


@pytest.mark.parametrize("n", [4, 10, 30])
def test_level_of_the_range_test(n):
    """Where the 90 % quantile of the runs lies at the margin, at most 5 % are called equivalent."""
    from scipy.stats import norm

    rng = np.random.default_rng(n)
    spread = MARGIN / norm.ppf(0.9)
    known, own = 0, 0
    for _ in range(SIMULATIONS // 4):
        values = list(rng.normal(LEVEL, spread, n))
        known += tolerance_range(values, LEVEL, MARGIN, ALPHA).p < ALPHA
        own += tolerance_range(values, statistics.fmean(values), MARGIN, ALPHA).p < ALPHA
    runs = SIMULATIONS // 4
    error = (ALPHA * (1 - ALPHA) / runs) ** 0.5
    print(f"\nrange test, {n} runs, quantile at the margin: called equivalent {known / runs:.2%} "
          f"(level known), {own / runs:.2%} (level of the same runs)")  # fmt: skip
    assert known / runs < ALPHA + 4 * error
    assert own / runs < ALPHA + 4 * error


def frame(rows):
    """Runs of ten servers."""
    rng = np.random.default_rng(1)
    return pl.DataFrame({
        "host": [f"server-{i % 10}" for i in range(rows)], "run": [i // 10 for i in range(rows)],
        "position": [i // 10 for i in range(rows)], "total_iops": rng.uniform(7e4, 8e4, rows),
        "longest_write_cycle_s": rng.uniform(20, 50, rows),
        "effective_write_latency_s": rng.uniform(1e-5, 1e-3, rows),
    })  # fmt: skip


def test_cost_of_verdicts_on_many_runs():
    """10,000 runs against two criteria, and their servers."""
    runs, criteria = frame(10_000), criteria_set("epic-genio").sourced()
    clock = time.perf_counter()
    judged = judge_runs(runs, criteria)
    middle = time.perf_counter()
    server_verdicts(judged)
    end = time.perf_counter()
    print(f"\nverdicts: {len(judged)} in {middle - clock:.2f} s, servers {end - middle:.2f} s, "
          f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")  # fmt: skip
    assert len(judged) == 20_000


GX = """
import resource, sys, time
sys.path.insert(0, sys.argv[1])
from test_verdict_bench import frame
from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.analysis.verdicts.expectations import check_expectations
import pandas
criteria = criteria_set("epic-genio").sourced() + criteria_set("epic-hardware").sourced()
clock = time.perf_counter()
import perfkit.analysis.verdicts.great_expectations
loaded = time.perf_counter()
check_expectations(frame(30), criteria)
first = time.perf_counter()
check_expectations(frame(30), criteria)
again = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{loaded - clock:.2f} {first - loaded:.2f} {again - first:.2f} {peak:.0f}")
"""


def test_cost_of_great_expectations():
    """Its import apart from the suite: 30 runs against seven criteria."""
    folder = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", GX, str(folder)], capture_output=True, text=True,
                          check=True, cwd=folder.parents[1])  # fmt: skip
    imported, first, again, peak = done.stdout.split()
    print(f"\nGreat Expectations: import {imported} s; 30 runs against 7 criteria {first} s, "
          f"again {again} s; peak {peak} MiB")  # fmt: skip
    assert float(again) < float(imported)
