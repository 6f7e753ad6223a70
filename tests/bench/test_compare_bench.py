"""Comparison: coverage of its intervals over whole curves, and the time that 10,000 curves take.

Small in the usual tests; here at the size that is promised. Figures go to the terminal. The rates
of false claims and the power are in test_intervals_bench.
"""

import math
import time

import numpy as np
import polars as pl
import pytest

from perfkit.analysis.compare.asked import changes_of
from perfkit.analysis.compare.pairs import compare
from perfkit.analysis.compare.scaling import fit_usl, usl_iops
from perfkit.analysis.curves.asking import answer, series_of
from perfkit.analysis.curves.curves import latency_curve
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema

SIMULATIONS = 1_000
TRACED = Lineage((Evidence("fio", "a.json", "00"),), (), traceable=True)
CURVE_POINTS = 15


@pytest.mark.parametrize("repeats", [2, 3, 5, 10])
def test_the_intervals_of_whole_curves_hold_the_truth_together(repeats):
    """Through interpolation too: a repeat moves its whole curve, and IOPS at 400 µs are asked.

    The peak and the most within 400 µs belong to the family: all three hold the truth in at least
    94% of the pairs.
    """
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
    found: dict[str, list[bool]] = {}
    for item in changes_of(compare(measured(rows), latencies_s=[4e-4])):
        got = item.estimate
        found.setdefault(item.subject.get("workload"), []).append(got.low <= 1.59 <= got.high)
    share = sum(map(all, found.values())) / count
    print(f"\nfamilies over whole curves at n = {repeats}: {share:.1%} of {count} hold the truth")
    assert share >= 0.94


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
    rates = np.linspace(0.06, top, CURVE_POINTS) / service
    rows = [
        ("A", "w", float(n), 1, float(x), service / (1 - x * service))
        for n, x in enumerate(rates, 1)
    ]
    (series,) = series_of(measured(rows))

    def value(question, at):
        return answer(question, series, float(at)).estimate.value

    asked = np.linspace(rates[0], rates[-1], 100)
    errors = [abs(value("latency_at_iops", x) * (1 - x * service) / service - 1) for x in asked]
    back = [abs(value("iops_at_latency", service / (1 - x * service)) / x - 1) for x in asked[1:-1]]
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


def spent(work, *arguments, **options):
    """Seconds of CPU, and what came of it."""
    began = time.process_time()
    found = work(*arguments, **options)
    return time.process_time() - began, found


@pytest.mark.parametrize(("workloads", "systems", "most"), [(5_000, 2, 7), (1, 10_000, 9)])
def test_the_time_of_comparing_ten_thousand_curves(workloads, systems, most):
    """Against the time of drawing them: every claim with both sides, ready for the store."""
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
    drawing, _ = spent(latency_curve, points)
    took, found = spent(compare, points, latencies_s=[3e-4], iops=[5e3])
    print(f"\n10,000 curves ({workloads:,} workloads x {systems:,} systems): {took:.1f} s of CPU, "
          f"{took / drawing:.1f} times what drawing them takes, {len(found):,} rows")  # fmt: skip
    assert not math.isnan(took)
    assert took < most * drawing
