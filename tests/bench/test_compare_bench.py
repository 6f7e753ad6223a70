"""Comparison: coverage of its intervals, and the time that 10,000 curves take.

Small in the usual tests; here at the size that is promised. Figures go to the terminal.
"""

import math
import time

import numpy as np
import polars as pl
import pytest
from perfkit.analysis.compare.crossing import value_at
from perfkit.analysis.compare.effects import effect

from perfkit.analysis.compare import compare
from perfkit.analysis.compare.scaling import fit_usl, usl_iops
from perfkit.evidence import Evidence, Lineage
from perfkit.lineage import Measured
from perfkit.schema import LOAD_POINTS, polars_schema

SIMULATIONS = 2_000
TRACED = Lineage((Evidence("fio", "a.json", "00"),), (), traceable=True)
CURVE_POINTS = 15


def covered(repeats, spread, seed):
    """The share of simulated pairs whose 95% interval holds the true ratio."""
    draw = np.random.default_rng(seed)
    true, hits = 1.59, 0
    for _ in range(SIMULATIONS):
        a = 100_000 * draw.lognormal(0, spread[0], repeats)
        b = 100_000 * true * draw.lognormal(0, spread[1], repeats)
        found = effect(a.tolist(), b.tolist())
        hits += found.low <= true <= found.high
    return hits / SIMULATIONS


@pytest.mark.parametrize("repeats", [3, 5, 10])
@pytest.mark.parametrize("spread", [(0.02, 0.02), (0.03, 0.02)])
def test_the_interval_covers_the_truth_as_often_as_it_says(repeats, spread):
    """Log-normal noise, equal and unequal between the systems: 93% to 97%."""
    share = covered(repeats, spread, seed=4819 + repeats)
    print(f"\ncoverage at n = {repeats}, spread {spread}: {share:.1%} of {SIMULATIONS}")
    assert 0.93 <= share <= 0.97


@pytest.mark.parametrize("repeats", [3, 5, 10])
def test_the_interval_of_whole_curves_covers_the_truth(repeats):
    """Through interpolation too: a repeat moves its whole curve, and IOPS at 400 us are asked."""
    draw = np.random.default_rng(59 + repeats)
    count = SIMULATIONS
    loads = np.arange(1, 6.0)
    rows = []
    for simulation in range(count):
        for system, scale in (("A", 1.0), ("B", 1.59)):
            for repeat in range(1, repeats + 1):
                factor = scale * draw.lognormal(0, 0.02)
                rows += [
                    (system, f"w{simulation}", load, repeat, 50_000 * load * factor, 1e-4 * load)
                    for load in loads
                ]
    found = compare(measured(rows), latencies_s=[4e-4]).frame.filter(question="iops_at_latency")
    hits = found.select(((pl.col("ratio_low") <= 1.59) & (pl.col("ratio_high") >= 1.59)).sum())
    share = hits.item() / count
    print(f"\ncoverage over whole curves at n = {repeats}: {share:.1%} of {count}")
    assert 0.93 <= share <= 0.97


def measured(rows):
    names = ["system", "workload", "load", "repeat", "iops", "lat_mean_s"]
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        load_kind=pl.lit("threads"), direction=pl.lit("total"), bw_bytes_per_s=pl.col("iops") * 8192
    )
    types = polars_schema(LOAD_POINTS)
    full = [
        pl.col(name).cast(kind) if name in frame.columns else pl.lit(None, dtype=kind).alias(name)
        for name, kind in types.items()
    ]
    return Measured(frame.select(full), TRACED)


def test_interpolation_of_a_smooth_curve_is_close_to_it():
    """Of an M/M/1 queue up to 90% of its capacity, 15 points, asked at a hundred places.

    The line between two points lies above a convex curve, most in the last, steepest stretch: there
    latency is up to 5.5% too high, and IOPS at a latency 1.1% too low.
    """
    service, top = 1e-4, 0.9
    loads = np.linspace(0.06, top, CURVE_POINTS) / service
    rows = [{"iops": float(x), "lat": service / (1 - x * service)} for x in loads]
    asked = np.linspace(loads[0], loads[-1], 100)
    errors = [
        abs(value_at(rows, "iops", float(x), "lat").value * (1 - x * service) / service - 1)
        for x in asked
    ]
    back = [
        abs(value_at(rows, "lat", service / (1 - x * service), "iops").value / x - 1)
        for x in asked[1:-1]
    ]
    print(f"\nlargest error of latency {max(errors):.2%}, of IOPS {max(back):.2%}")
    assert max(errors) < 0.06
    assert max(back) < 0.02


def test_the_law_is_found_again_from_noisy_data():
    """200 curves of known parameters and 1% noise: predictions within 4% of the true ones."""
    draw = np.random.default_rng(3)
    loads = [1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0, 64.0]
    worst = 0.0
    for _ in range(200):
        true = (draw.uniform(1e3, 1e5), draw.uniform(0, 0.1), draw.uniform(1e-5, 1e-3))
        iops = [usl_iops(n, *true) * draw.lognormal(0, 0.01) for n in loads]
        found = fit_usl(loads, iops)
        worst = max(worst, *(abs(usl_iops(n, *found) / usl_iops(n, *true) - 1) for n in loads))
    print(f"\nlargest error of a fitted curve at 1% noise: {worst:.2%}")
    assert worst < 0.04


@pytest.mark.parametrize(("workloads", "systems"), [(5_000, 2), (1, 10_000)])
def test_ten_thousand_curves_are_compared_in_five_seconds(workloads, systems):
    count = workloads * systems * CURVE_POINTS
    place = np.arange(count)
    load = place % CURVE_POINTS + 1.0
    system, workload = place // CURVE_POINTS % systems, place // (CURVE_POINTS * systems)
    draw = np.random.default_rng(1)
    frame = pl.DataFrame({
        "system": [f"s{n}" for n in system], "workload": [f"w{n}" for n in workload], "load": load,
        "repeat": np.ones(count, dtype=int),
        "iops": 1000 * load * draw.lognormal(0, 0.01, count),
        "lat_mean_s": 1e-4 * np.exp(load / 5) * draw.lognormal(0, 0.01, count),
    })  # fmt: skip
    points = measured(frame.rows())
    began = time.process_time()
    found = compare(points, latencies_s=[3e-4], iops=[5e3])
    took = time.process_time() - began
    print(f"\n10,000 curves ({workloads:,} workloads x {systems:,} systems): {took:.1f} s of CPU, "
          f"{len(found):,} answers")  # fmt: skip
    assert not math.isnan(took)
    assert took < 5
