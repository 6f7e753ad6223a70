"""Two systems side by side: the ratio, its interval, and no number outside what was measured."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.analysis.compare import compare, usl, usl_residuals
from perfkit.analysis.compare.crossing import value_at
from perfkit.analysis.compare.effects import effect, geometric_mean
from perfkit.analysis.compare.scaling import fit_usl, usl_iops
from perfkit.analysis.curves import latency_curve
from perfkit.errors import AnalysisError
from perfkit.evidence import Evidence, Lineage
from perfkit.lineage import Measured
from perfkit.schema import LOAD_POINTS, polars_schema

TRACED = Lineage((Evidence("fio", "a.json", "00"),), (), traceable=True)


def points(*rows, **common):
    """Load points; what a row does not say is as of one reader at 8 KiB."""
    usual = {
        "workload": "w", "load_kind": "threads", "repeat": 1, "direction": "total", **common,
    }  # fmt: skip
    full = [{**dict.fromkeys(LOAD_POINTS), **usual, **row} for row in rows]
    for row in full:
        if row["bw_bytes_per_s"] is None and row["iops"] is not None:
            row["bw_bytes_per_s"] = row["iops"] * 8192
    return Measured(pl.DataFrame(full, schema=polars_schema(LOAD_POINTS)), TRACED)


def curve(system, xys, **more):
    """Load points 1, 2, 3 ... of (IOPS, mean latency in µs)."""
    return [
        {"system": system, "load": float(n), "iops": float(x), "lat_mean_s": y * 1e-6, **more}
        for n, (x, y) in enumerate(xys, 1)
    ]


FCP = curve("FCP", [(1000, 100), (2000, 200), (3000, 400), (3500, 800)])
NVME = curve("NVMe", [(2000, 100), (3000, 150), (5000, 450), (5500, 900)])


def answers(found, **given):
    """The single row of a comparison that has these values."""
    rows = [
        row for row in found.frame.rows(named=True)
        if all(row[key] == value for key, value in given.items())
    ]  # fmt: skip
    assert len(rows) == 1, rows
    return rows[0]


def test_iops_at_equal_latency_lie_between_two_load_points():
    """At 300 µs: FCP halfway from 2,000 to 3,000; NVMe halfway from 3,000 to 5,000."""
    found = compare(points(*FCP, *NVME), latencies_s=[300e-6], baseline="FCP")
    row = answers(found, question="iops_at_latency")
    assert row["baseline_value"] == pytest.approx(2500)
    assert row["contender_value"] == pytest.approx(4000)
    assert row["ratio"] == pytest.approx(1.6)
    assert (row["baseline_status"], row["contender_status"]) == ("interpolated", "interpolated")
    assert (row["ratio_low"], row["mark"]) == (None, "one repeat: no interval")
    assert found.traceable


def test_latency_at_equal_iops_and_what_was_not_reached():
    """At 4,000 IOPS only NVMe has a latency; FCP got to 3,500, and no number stands in for it."""
    found = compare(points(*FCP, *NVME), iops=[2500.0, 4000.0], baseline="FCP")
    inside = answers(found, question="latency_at_iops", at=2500.0)
    assert inside["baseline_value"] == pytest.approx(300e-6)
    assert inside["contender_value"] == pytest.approx(125e-6)
    outside = answers(found, question="latency_at_iops", at=4000.0)
    assert (outside["baseline_value"], outside["baseline_status"]) == (None, "not reached")
    assert outside["baseline_reached"] == 3500.0
    assert outside["contender_value"] == pytest.approx(300e-6)
    assert outside["ratio"] is None


def test_a_curve_that_begins_above_the_latency_says_where_it_begins():
    found = compare(points(*FCP, *NVME), latencies_s=[50e-6])
    row = answers(found, question="iops_at_latency")
    assert row["baseline_status"] == "starts above"
    assert row["baseline_reached"] == pytest.approx(100e-6)
    assert row["ratio"] is None


def test_the_peak_at_the_highest_load_is_noted():
    row = answers(compare(points(*FCP, *NVME)), question="peak_iops")
    assert (row["baseline_value"], row["contender_value"]) == (3500.0, 5500.0)
    assert row["note"] == "the highest load: its peak may be higher"


def test_the_peak_under_a_limit_is_a_measured_point():
    """At 500 µs: FCP's third point, NVMe's third."""
    row = answers(
        compare(points(*FCP, *NVME), latencies_s=[500e-6]), question="peak_iops_under_latency"
    )
    assert (row["baseline_value"], row["contender_value"]) == (3000.0, 5000.0)


def test_without_values_round_ones_inside_the_common_range_are_asked():
    """Common: 100 to 800 µs and 2,000 to 3,500 IOPS."""
    found = compare(points(*FCP, *NVME)).frame
    asked = set(found.filter(pl.col("question") == "iops_at_latency")["at"])
    assert asked == {1e-4, 2e-4, 5e-4}
    assert set(found.filter(pl.col("question") == "latency_at_iops")["at"]) == {2000.0}
    assert not found["ratio"].has_nulls() or found.filter(pl.col("ratio").is_null())[
        "question"
    ].unique().to_list() == ["cpu_at_iops"]


def test_cpu_and_iops_per_busy_core():
    """CPU at 2,500 IOPS interpolated as the latency is; per core from the cores given."""
    rows = [
        {**row, "cpu_busy_ratio": row["iops"] / (10_000 if row["system"] == "FCP" else 20_000)}
        for row in (*FCP, *NVME)
    ]
    found = compare(points(*rows), iops=[2500.0], cpu_ratios=[0.25], cores={"FCP": 10, "NVMe": 10})
    cpu = answers(found, question="cpu_at_iops")
    assert cpu["baseline_value"] == pytest.approx(0.25)
    assert cpu["contender_value"] == pytest.approx(0.125)
    assert answers(found, question="iops_at_cpu")["ratio"] == pytest.approx(2.0)
    core = answers(found, question="iops_per_busy_core")
    assert (core["baseline_value"], core["contender_value"]) == (
        pytest.approx(1000.0), pytest.approx(2000.0),
    )  # fmt: skip


def test_repeats_give_an_interval_on_the_ratio():
    """Three repeats each, of the seeds' shape: the interval is Welch's on logarithms."""
    from scipy import stats

    a, b = (1000.0, 1010.0, 990.0), (1600.0, 1584.0, 1616.0)
    rows = [
        {"system": name, "load": 1.0, "repeat": n, "iops": x, "lat_mean_s": 1e-4}
        for name, values in (("A", a), ("B", b))
        for n, x in enumerate(values, 1)
    ]
    row = answers(compare(points(*rows), loads=[1.0]), question="iops_at_load")
    logs = [[math.log(v) for v in values] for values in (b, a)]
    wanted = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    assert math.log(row["ratio_low"]) == pytest.approx(wanted.low, rel=1e-9)
    assert math.log(row["ratio_high"]) == pytest.approx(wanted.high, rel=1e-9)
    assert row["mark"] is None
    assert row["ratio"] == pytest.approx(row["contender_value"] / row["baseline_value"])


def test_a_value_that_one_repeat_did_not_reach_is_no_value():
    """The two that did are not quietly taken for all three."""
    rows = [*FCP, *NVME, *curve("NVMe", [(2000, 100), (2900, 150)], repeat=2)]
    rows += curve("FCP", [(1000, 100), (2000, 200), (3000, 400), (3500, 800)], repeat=2)
    row = answers(compare(points(*rows), latencies_s=[300e-6]), question="iops_at_latency")
    assert row["contender_status"] == "not reached in all repeats"
    assert row["contender_value"] is None
    assert row["contender_reached"] == pytest.approx(150e-6)
    assert row["ratio"] is None


@pytest.mark.parametrize("field", ["read_block_size_bytes", "read_ratio", "engine", "hosts"])
def test_conditions_that_differ_are_refused_by_name_or_allowed_and_marked(field):
    """What the message names, ``allow`` takes; the comparison then carries the words."""
    made = {
        "read_block_size_bytes": ({"read": 8192}, {"read": 16384}, None),
        "read_ratio": ({"read": 8192, "write": 8192}, {"read": 8192}, None),
        "engine": ({"read": 8192}, {"read": 8192}, ("psync", "io_uring")),
        "hosts": ({"read": 8192}, {"read": 8192}, None),
    }[field]
    rows = []
    for system, sizes in zip(("A", "B"), made[:2], strict=True):
        for host in ("h1", "h2") if field == "hosts" and system == "B" else ("h1",):
            both = [*sizes.items(), ("total", next(iter(sizes.values())))]
            rows += [
                {"system": system, "load": 1.0, "host": host, "direction": direction, "ios": 10,
                 "iops": 100.0, "bw_bytes_per_s": 100.0 * size, "lat_mean_s": 1e-3}
                for direction, size in both
            ]  # fmt: skip
    options = None
    if made[2]:
        options = Measured(
            pl.DataFrame({"system": ["A", "B"], "option": ["ioengine"] * 2, "value": made[2]}),
            TRACED,
        )
    with pytest.raises(AnalysisError, match=f"A and B are not to be compared: {field} differs"):
        compare(points(*rows), options)
    marked = compare(points(*rows), options, allow=[field]).frame["differs"][0]
    assert marked.startswith(f"{field.replace('_', ' ')} differs (")
    with pytest.raises(AnalysisError, match=field):
        compare(points(*rows), options, allow=["direct"])


def test_what_a_source_does_not_say_is_no_difference():
    """AWR knows no engine: that alone forbids nothing."""
    options = Measured(
        pl.DataFrame({"system": ["NVMe"], "option": ["ioengine"], "value": ["libaio"]}), TRACED
    )
    assert compare(points(*FCP, *NVME), options).frame["differs"].to_list()[0] is None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (FCP, "there is nothing to compare"),
        ([*FCP, *({**row, "workload": "other"} for row in NVME)], "there is nothing to compare"),
        ([*FCP, *NVME, NVME[0]], "two results for one load point"),
    ],
)
def test_what_cannot_be_compared_is_said(rows, message):
    with pytest.raises(AnalysisError, match=message):
        compare(points(*rows))


def test_one_point_each_gives_the_peak_and_nothing_between():
    found = compare(points(FCP[0], NVME[0]), iops=[1500.0]).frame
    assert found.filter(pl.col("question") == "peak_iops")["ratio"].to_list() == [2.0]
    row = found.filter(pl.col("question") == "latency_at_iops").row(0, named=True)
    assert (row["baseline_status"], row["contender_status"]) == ("not reached", "starts above")


def test_an_unknown_baseline_names_the_curves():
    with pytest.raises(AnalysisError, match=r"baseline 'FC' is no curve of workload w; .*FCP"):
        compare(points(*FCP, *NVME), baseline="FC")


def test_a_curve_that_comes_back_is_noted():
    """IOPS fall after the peak: the first crossing counts."""
    bent = curve("FCP", [(1000, 100), (3000, 200), (2000, 900)])
    row = answers(compare(points(*bent, *NVME), iops=[2500.0]), question="latency_at_iops")
    assert row["baseline_value"] == pytest.approx(175e-6)
    assert "comes back to it at a higher load" in row["note"]


def test_equal_iops_at_two_loads_cross_at_the_first():
    """Two load points of the same IOPS: no division by nothing."""
    flat = [{"iops": 100.0, "lat": 1.0}, {"iops": 200.0, "lat": 2.0}, {"iops": 200.0, "lat": 3.0}]
    assert value_at(flat, "iops", 200.0, "lat").value == 2.0
    assert value_at(flat, "iops", 250.0, "lat").reached == 200.0


@given(
    st.lists(st.floats(1, 1e6), min_size=2, max_size=12, unique=True), st.floats(0, 1),
    st.floats(0.1, 10), st.floats(-0.5, 3),
)  # fmt: skip
def test_interpolation_is_exact_on_a_straight_line(xs, share, base, slope):
    """On y = base + slope x every value inside the range comes back, and none outside it."""
    xs = sorted(xs)
    rows = [{"x": x, "y": base + slope * x} for x in xs]
    at = xs[0] + share * (xs[-1] - xs[0])
    found = value_at(rows, "x", at, "y").value
    assert found == pytest.approx(base + slope * at, rel=1e-9, abs=1e-6)
    assert value_at(rows, "x", xs[-1] * 1.01, "y").value is None
    assert value_at(rows, "x", xs[0] * 0.99, "y").value is None


def test_the_bootstrap_is_a_choice_and_repeats_from_its_seed():
    a, b = (100.0, 103.0, 98.0, 101.0), (120.0, 119.0, 123.0, 122.0)
    found = effect(a, b, method="bootstrap", seed=5)
    assert found == effect(a, b, method="bootstrap", seed=5)
    assert found.low < found.ratio < found.high
    welch = effect(a, b)
    assert (welch.high - welch.low) > (found.high - found.low)
    with pytest.raises(AnalysisError, match="no method 'bayes'"):
        effect(a, b, method="bayes")


@pytest.mark.parametrize("bad", [0.0, -1.0, math.inf, math.nan])
def test_a_value_without_a_logarithm_is_refused(bad):
    with pytest.raises(AnalysisError, match="above 0"):
        effect([1.0, bad], [1.0, 2.0])


def test_repeats_that_are_equal_have_no_interval():
    """No spread at all is not certainty: it says so instead of giving a width of zero."""
    found = effect([100.0] * 3, [150.0] * 3)
    assert found.ratio == pytest.approx(1.5)
    assert (found.low, found.mark) == (None, "repeats without spread: no interval")


def test_the_geometric_mean():
    assert geometric_mean([1.0, 100.0]) == pytest.approx(10.0)


@given(
    st.floats(100, 1e5), st.floats(0.0, 0.5), st.floats(0.0, 0.01), st.integers(4, 15)
)  # fmt: skip
def test_the_scalability_law_gives_back_its_own_parameters(scale, sigma, kappa, count):
    loads = [2.0**n for n in range(count)][:9]
    iops = [usl_iops(n, scale, sigma, kappa) for n in loads]
    found = fit_usl(loads, iops)
    assert found is not None
    assert [usl_iops(n, *found) for n in loads] == pytest.approx(iops, rel=1e-4)


def test_the_fit_of_a_curve_tells_what_it_leaves_over():
    """Known parameters: 9,000 IOPS, 2% contention, 0.05% coherency; the peak is at load 44."""
    loads = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    rows = [
        {"system": "A", "load": n, "iops": usl_iops(n, 9000.0, 0.02, 0.0005), "lat_mean_s": 1e-3}
        for n in loads
    ]
    row = usl(latency_curve(points(*rows))).frame.row(0, named=True)
    assert row["fitted"]
    assert row["iops_per_load"] == pytest.approx(9000, rel=1e-4)
    assert row["contention"] == pytest.approx(0.02, rel=1e-3)
    assert row["coherency"] == pytest.approx(0.0005, rel=1e-3)
    assert row["peak_load"] == pytest.approx(math.sqrt(0.98 / 0.0005), rel=1e-3)
    assert row["largest_residual_ratio"] < 1e-4


def test_too_few_loads_have_no_fit():
    row = usl(latency_curve(points(*FCP[:3]))).frame.row(0, named=True)
    assert (row["fitted"], row["reason"]) == (False, "fewer than 4 loads")


def test_the_law_agrees_with_scipy_s_general_fit():
    """Noisy IOPS: the same relative residuals through scipy's curve_fit."""
    import numpy as np
    from scipy.optimize import curve_fit

    noise = [1.01, 0.985, 1.004, 0.99, 1.012, 0.997, 1.003]
    loads = np.array([1.0, 2, 4, 8, 16, 32, 64])
    iops = np.array([usl_iops(n, 5000.0, 0.03, 0.001) for n in loads]) * noise
    theirs, _ = curve_fit(
        lambda n, a, s, k: a * n / (1 + s * (n - 1) + k * n * (n - 1)), loads, iops,
        p0=(5000, 0.05, 1e-3), sigma=iops, bounds=(0, np.inf), xtol=1e-14, ftol=1e-14,
    )  # fmt: skip
    assert fit_usl(list(loads), list(iops)) == pytest.approx(tuple(theirs), rel=1e-4)


def test_a_value_of_zero_is_told_and_stops_nothing_else():
    rows = [{**row, "cpu_busy_ratio": 0.0} for row in FCP]
    rows += [{**row, "cpu_busy_ratio": 0.5} for row in NVME]
    found = compare(points(*rows), iops=[2500.0])
    row = answers(found, question="cpu_at_iops")
    assert (row["baseline_status"], row["baseline_value"], row["ratio"]) == ("zero", None, None)
    assert "FCP: a value of zero has no ratio" in row["note"]
    assert answers(found, question="latency_at_iops")["ratio"] == pytest.approx(125 / 300)


def test_a_latency_of_zero_is_no_measurement():
    with pytest.raises(AnalysisError, match=r"FCP.*lat_mean_s is 0\.0, which nothing can measure"):
        compare(points({**FCP[0], "lat_mean_s": 0.0}, *FCP[1:], *NVME))


def test_a_load_between_those_measured_is_not_called_not_reached():
    row = answers(compare(points(*FCP, *NVME), loads=[2.5]), question="iops_at_load")
    assert (row["baseline_status"], row["baseline_reached"]) == ("not measured", None)
    row = answers(compare(points(*FCP, *NVME), loads=[9.0]), question="iops_at_load")
    assert (row["baseline_status"], row["baseline_reached"]) == ("not reached", 4.0)


def test_repeats_that_lack_a_load_point_are_told():
    rows = [*FCP, *curve("FCP", [(1000, 100), (2000, 200), (3000, 400)], repeat=2), *NVME]
    row = answers(compare(points(*rows)), question="peak_iops")
    assert "FCP: its repeats do not have the same load points" in row["note"]


def test_repeats_that_miss_in_two_ways_say_how_far_by_the_worse_one():
    """One repeat starts above 150 µs, at 500; the other ends below it, at 120: not reached."""
    rows = [*FCP, *curve("NVMe", [(10, 500), (20, 600)], repeat=1)]
    rows += curve("NVMe", [(10, 100), (20, 120)], repeat=2)
    row = answers(compare(points(*rows), latencies_s=[150e-6]), question="iops_at_latency")
    assert (row["contender_status"], row["contender_reached"]) == ("not reached", 120 * 1e-6)


def test_a_curve_that_starts_above_and_falls_says_so():
    rows = curve("FCP", [(1000, 500), (2000, 200), (3000, 700)])
    row = answers(compare(points(*rows, *NVME), latencies_s=[3e-4]), question="iops_at_latency")
    assert row["baseline_status"] == "starts above"
    assert "FCP: falls below it at a higher load" in row["note"]


def test_latencies_of_another_unit_are_suspected():
    """One source gave milliseconds for microseconds."""
    rows = [*FCP, *({**row, "lat_mean_s": row["lat_mean_s"] * 1000} for row in NVME)]
    row = answers(compare(points(*rows), iops=[2500.0]), question="latency_at_iops")
    assert "the units of the sources may differ" in row["note"]


def test_sources_that_know_no_latency_are_compared_at_equal_load():
    rows = [{**row, "lat_mean_s": None} for row in (*FCP, *NVME)]
    found = compare(points(*rows)).frame
    assert set(found["question"]) == {
        "peak_iops", "iops_at_load", "latency_at_load", "cpu_at_load"
    }  # fmt: skip
    at = found.filter(question="iops_at_load")
    assert at["ratio"].to_list() == pytest.approx([2.0, 1.5, 5 / 3, 5500 / 3500])
    asked = answers(compare(points(*rows), latencies_s=[3e-4]), question="iops_at_latency")
    assert (asked["baseline_status"], asked["note"]) == (
        "missing", "mean latency missing at a load point",
    )  # fmt: skip


def test_points_of_two_sources_need_not_be_joined_first():
    found = compare([points(*FCP), points(*NVME)], latencies_s=[3e-4])
    assert answers(found, question="iops_at_latency")["ratio"] == pytest.approx(1.6)
    with pytest.raises(AnalysisError, match="no load points were given"):
        compare([])


def test_a_percentile_of_several_repeats_says_what_its_value_is():
    rows = [
        {**row, "lat_p99_s": row["lat_mean_s"] * 3, "repeat": n, "percentiles_of": "lat"}
        for row in (*FCP, *NVME) for n in (1, 2)
    ]  # fmt: skip
    row = answers(
        compare(points(*rows), iops=[2500.0], metric="lat_p99_s"), question="latency_at_iops"
    )
    assert "geometric means" in row["note"]


def test_an_unknown_condition_cannot_be_allowed():
    with pytest.raises(AnalysisError, match="allow: 'blocksize' is no condition"):
        compare(points(*FCP, *NVME), allow=["blocksize"])
    with pytest.raises(AnalysisError, match="latencies_s: 0 is not above 0"):
        compare(points(*FCP, *NVME), latencies_s=[0])
    with pytest.raises(AnalysisError, match="cores: 'FC' is no curve"):
        compare(points(*FCP, *NVME), cores={"FC": 4})


def told(*rows):
    """Options of curves: (system, option, value)."""
    return Measured(
        pl.DataFrame(list(rows), schema=["system", "option", "value"], orient="row"), TRACED
    )


def test_equal_settings_in_two_writings_are_equal():
    options = told(("FCP", "size", "10g"), ("FCP", "direct", "1"),
                   ("NVMe", "file_size", "10 GiB"), ("NVMe", "direct", "true"))  # fmt: skip
    assert compare(points(*FCP, *NVME), options).frame["differs"].null_count() > 0


def test_fio_bypasses_no_cache_unless_told():
    options = told(("FCP", "rw", "randread"), ("NVMe", "rw", "randread"), ("NVMe", "direct", "1"))
    with pytest.raises(AnalysisError, match=r"direct differs \(no against yes\)"):
        compare(points(*FCP, *NVME), options)


def test_active_sets_and_preconditioning_are_part_of_the_key():
    for option, name in (("size", "active_set_bytes"), ("fills", "preconditioning")):
        options = told(("FCP", option, "1"), ("NVMe", option, "2"))
        with pytest.raises(AnalysisError, match=f"{name} differs"):
            compare(points(*FCP, *NVME), options)


def test_kinds_of_load_are_compared_only_by_name():
    rows = [*FCP, *({**row, "load_kind": "iodepth"} for row in NVME)]
    with pytest.raises(AnalysisError, match=r"different workloads or kinds of load .*threads"):
        compare(points(*rows))
    found = compare(points(*rows), latencies_s=[3e-4], loads=[1.0], allow="load_kind")
    row = answers(found, question="iops_at_latency")
    assert row["ratio"] == pytest.approx(1.6)
    assert row["differs"] == "load kind differs (threads against iodepth)"
    at = answers(found, question="iops_at_load")
    assert (at["ratio"], at["note"]) == (None, "loads of different kinds are not equal")


def test_offered_rates_have_no_scalability_law():
    rows = [{**row, "load_kind": "target_iops"} for row in FCP]
    row = usl(latency_curve(points(*rows))).frame.row(0, named=True)
    assert (row["fitted"], row["reason"]) == (False, "the load is an offered rate, no concurrency")


def test_a_peak_far_beyond_the_loads_is_not_told():
    """Four loads of straight growth: a coherency of next to nothing has a peak at millions."""
    rows = [
        {"system": "A", "load": n, "iops": usl_iops(n, 9000.0, 0.02, 1e-9), "lat_mean_s": 1e-3}
        for n in (1.0, 2.0, 4.0, 8.0, 16.0)
    ]
    row = usl(latency_curve(points(*rows))).frame.row(0, named=True)
    assert row["fitted"]
    assert (row["peak_load"], row["peak_iops"]) == (None, None)


def test_less_round_values_only_where_the_range_is_narrow():
    """Common: 110 to 190 µs, 2,100 to 2,900 IOPS."""
    one = curve("A", [(2100, 110), (2900, 190)])
    two = curve("B", [(2000, 100), (3000, 190)])
    found = compare(points(*one, *two)).frame
    assert set(found.filter(question="iops_at_latency")["at"]) == {1.5e-4}
    assert set(found.filter(question="latency_at_iops")["at"]) == {2500.0}


def test_what_the_law_leaves_over_is_told_at_each_point():
    """Of exact data nothing; a point raised by half stands above the law, its neighbours below."""
    loads = [1.0, 2.0, 4.0, 8.0, 16.0]
    iops = [usl_iops(n, 9000.0, 0.02, 0.0005) for n in loads]

    def left(values):
        rows = [
            {"system": "A", "load": n, "iops": x, "lat_mean_s": 1e-3}
            for n, x in zip(loads, values, strict=True)
        ]
        return usl_residuals(latency_curve(points(*rows, *FCP[:3]))).frame

    exact = left(iops)
    assert exact.filter(system="A")["residual_ratio"].to_list() == pytest.approx(
        [0.0] * 5, abs=1e-4
    )
    assert exact.filter(system="FCP")["law_iops"].null_count() == 3
    raised = left([*iops[:2], iops[2] * 1.5, *iops[3:]]).filter(system="A")["residual_ratio"]
    assert raised[2] > 0.1
    assert min(raised) < 0
