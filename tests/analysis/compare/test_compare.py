"""Two systems side by side: the ratio, its interval, and no number outside what was measured."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import perfkit as pk
from perfkit.analysis.compare import scaling
from perfkit.analysis.compare.asked import asked_at, changes_of
from perfkit.analysis.compare.common import numbers_of
from perfkit.analysis.compare.pairs import compare
from perfkit.analysis.compare.scaling import fit_usl, usl, usl_iops
from perfkit.analysis.curves.curves import latency_curve
from perfkit.core.errors import AbsentError, AnalysisError, UsageError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema

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


def change(found, question, at=None):
    """The one change of a question, at a value."""
    made = [
        item for item in changes_of(found)
        if item.question == question
        and (at is None or ((asked := asked_at(item)) and asked.value == at))
    ]  # fmt: skip
    assert len(made) == 1, made
    return made[0]


def values(item):
    """Of both sides, the baseline first; None for none."""
    return tuple(side.estimate and side.estimate.value for side in item.sides[::-1])


def statuses(item):
    return tuple(side.status for side in item.sides[::-1])


def told(item):
    return {caution.name: dict(caution.arguments) for caution in item.cautions}


def questions(found):
    return {item.question for item in changes_of(found)}


def differs(found):
    return [told(item).get("conditions_differ", {}).get("fields") for item in changes_of(found)]


def test_iops_at_equal_latency_lie_between_two_load_points():
    """At 300 µs: FCP halfway from 2,000 to 3,000; NVMe halfway from 3,000 to 5,000."""
    found = compare(points(*FCP, *NVME), latencies_s=[300e-6], baseline="FCP")
    item = change(found, "iops_at_latency")
    assert values(item) == pytest.approx((2500, 4000))
    assert item.estimate.value == pytest.approx(1.6)
    assert (item.subject.label, item.against.label) == ("NVMe", "FCP")
    assert (item.status, *statuses(item)) == ("interpolated",) * 3
    assert (item.estimate.low, item.estimate.n) == (None, 1)
    assert [c.text for c in item.cautions if c.name == "one_repeat"] == [
        "NVMe was measured once, so there is no interval",
        "FCP was measured once, so there is no interval",
    ]
    assert found.traceable


def test_a_pair_of_unlike_conditions_does_not_end_the_comparison_of_the_others():
    """Of thirty workloads one was of other blocks in one system, and nothing was compared."""

    def sized(system, workload, size):
        return {"system": system, "workload": workload, "load": 1.0, "ios": 10, "iops": 100.0,
                "bw_bytes_per_s": 100.0 * size, "lat_mean_s": 1e-3}  # fmt: skip

    def rows(system, *sizes):
        return [
            {**sized(system, f"w{n}", size), "direction": direction}
            for n, size in enumerate(sizes)
            for direction in ("read", "total")
        ]

    found = changes_of(compare(points(*rows("A", 4096, 8192, 512), *rows("B", 4096, 4096, 4096))))
    assert {item.subject.get("workload") for item in found} == {"w0"}
    assert told(found[0])["unlike_pairs"] == {
        "of": "A and B with w1, and 1 more pair of curves,",
        "why": "read_block_size_bytes differs (8,192 bytes against 4,096 bytes)",
    }
    alike = changes_of(compare(points(*rows("A", 4096), *rows("B", 4096))))
    assert "unlike_pairs" not in told(alike[0])


def test_latency_at_equal_iops_and_what_was_not_reached():
    """At 4,000 IOPS only NVMe has a latency; FCP got to 3,500, and no number stands in for it."""
    found = compare(points(*FCP, *NVME), iops=[2500.0, 4000.0], baseline="FCP")
    assert values(change(found, "latency_at_iops", 2500.0)) == pytest.approx((300e-6, 125e-6))
    outside = change(found, "latency_at_iops", 4000.0)
    assert (outside.status, outside.estimate) == ("not_reached", None)
    assert values(outside) == (None, pytest.approx(300e-6))
    nearest = {c.metric: c.value for c in outside.sides[1].conditions if c.role == "where"}
    assert nearest["iops"] == 3500.0


def test_a_curve_that_begins_above_the_latency_says_where_it_begins():
    item = change(compare(points(*FCP, *NVME), latencies_s=[50e-6]), "iops_at_latency")
    assert (item.status, item.estimate) == ("beyond_measured", None)
    nearest = {c.metric: c.value for c in item.sides[1].conditions if c.role == "where"}
    assert nearest["lat_mean_s"] == pytest.approx(100e-6)


def test_two_peaks_at_the_highest_load_bound_their_ratio_in_no_direction():
    item = change(compare(points(*FCP, *NVME)), "peak_iops")
    assert values(item) == (3500.0, 5500.0)
    assert [side.relation for side in item.sides] == [">=", ">="]
    assert item.relation == "="
    assert "highest_load" in told(item)


def test_a_bound_on_one_side_bounds_the_change():
    """FCP falls after its peak, NVMe does not: NVMe has at least so much more."""
    falling = [*FCP, *curve("FCP", [(0, 0)] * 4 + [(3000, 900)])[4:]]
    item = change(compare(points(*falling, *NVME), baseline="FCP"), "peak_iops")
    assert ([side.relation for side in item.sides], item.relation) == ([">=", "="], ">=")
    turned = change(compare(points(*falling, *NVME), baseline="NVMe"), "peak_iops")
    assert turned.relation == "<="


def test_the_most_within_a_limit_is_a_measured_point():
    """At 500 µs: FCP's third point, NVMe's third."""
    item = change(compare(points(*FCP, *NVME), latencies_s=[500e-6]), "most_iops_within_latency")
    assert (values(item), item.status) == ((3000.0, 5000.0), "highest_within")


def test_a_value_asked_for_may_be_small_but_not_nothing():
    assert numbers_of("loads", "0.5 1") == [0.5, 1.0]
    with pytest.raises(UsageError, match="loads: 0 is not above 0"):
        numbers_of("loads", 0)


def test_without_values_round_ones_inside_the_common_range_are_asked():
    """Common: 100 to 800 µs and 2,000 to 3,500 IOPS."""
    found = changes_of(compare(points(*FCP, *NVME)))
    asked = {i.question: set() for i in found}
    for item in found:
        if asked_at(item):
            asked[item.question].add(asked_at(item).value)
    assert asked["iops_at_latency"] == {1e-4, 2e-4, 5e-4}
    assert asked["latency_at_iops"] == {2000.0}
    assert {i.question for i in found if i.estimate is None} == {"cpu_at_iops"}


def test_cpu_and_iops_per_busy_core():
    """CPU at 2,500 IOPS interpolated as the latency is; per core from the cores given."""
    rows = [
        {**row, "cpu_busy_ratio": row["iops"] / (10_000 if row["system"] == "FCP" else 20_000)}
        for row in (*FCP, *NVME)
    ]
    found = compare(points(*rows), iops=[2500.0], cpu_ratios=[0.25], cores={"FCP": 10, "NVMe": 10})
    assert values(change(found, "cpu_at_iops")) == pytest.approx((0.25, 0.125))
    assert change(found, "iops_at_cpu").estimate.value == pytest.approx(2.0)
    assert values(change(found, "iops_per_busy_core")) == pytest.approx((1000.0, 2000.0))


def test_a_change_is_the_ratio_of_the_two_answers_of_the_curves_that_are_drawn():
    """Repeats of 10k and 30k are 20k in the curve and in the comparison; they were 17.3k there."""
    rows = [
        {"system": name, "load": 1.0, "repeat": n, "iops": x, "lat_mean_s": 1e-4}
        for name, own in (("A", (10_000.0, 30_000.0)), ("B", (40_000.0, 40_000.0)))
        for n, x in enumerate(own, 1)
    ]
    item = change(compare(points(*rows), loads=[1.0]), "iops_at_load")
    drawn = latency_curve(points(*rows)).frame.filter(system="A")["iops"][0]
    assert values(item) == (drawn, 40_000.0) == (20_000.0, 40_000.0)
    assert item.estimate.value == 2.0


def test_repeats_give_an_interval_on_the_ratio():
    """Three repeats each, and one latency asked for: the interval is Welch's on logarithms."""
    from scipy import stats

    a, b = (1e-3, 1.01e-3, 0.99e-3), (1.6e-3, 1.5e-3, 1.716e-3)
    rows = [
        {"system": name, "load": 1.0, "repeat": n, "iops": 1e3, "lat_mean_s": y}
        for name, own in (("A", a), ("B", b)) for n, y in enumerate(own, 1)
    ]  # fmt: skip
    item = change(compare(points(*rows), loads=[1.0]), "latency_at_load")
    logs = [[math.log(v) for v in own] for own in (b, a)]
    wanted = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    width = math.log(item.estimate.high / item.estimate.low)
    assert width == pytest.approx(wanted.high - wanted.low, rel=1e-9)
    assert item.estimate.value == pytest.approx(values(item)[1] / values(item)[0])
    assert item.estimate.low < item.estimate.value < item.estimate.high
    assert (item.estimate.level, item.estimate.n) == (0.95, 3)


def test_the_more_is_asked_of_one_pair_the_wider_each_interval_is():
    """Where the repeats tell their spread: with few of them more loads tell it better, too."""
    rows = [
        {**row, "repeat": n, "iops": row["iops"] * (1 + 0.02 * (n % 3 - 1))}
        for row in [*FCP, *NVME] for n in range(1, 31)
    ]  # fmt: skip

    def width(loads):
        got = change(compare(points(*rows), loads=loads), "iops_at_load", 2.0).estimate
        return math.log(got.high / got.low)

    assert width([2.0, 3.0, 4.0]) > width([2.0])


def test_a_repeat_without_an_answer_takes_the_interval_away_and_says_whose():
    """The two that got there are not quietly taken for all three."""
    rows = [*FCP, *NVME, *curve("NVMe", [(2000, 100), (2900, 150), (3100, 200), (3200, 260)],
                                repeat=2)]  # fmt: skip
    rows += curve("FCP", [(1000, 100), (2000, 200), (3000, 400), (3500, 800)], repeat=2)
    item = change(compare(points(*rows), latencies_s=[300e-6]), "iops_at_latency")
    assert told(item)["repeat_unanswered"] == {"of": "NVMe"}
    assert (item.estimate.low, item.sides[0].estimate.low) == (None, None)
    assert item.estimate.value == pytest.approx(values(item)[1] / values(item)[0])


def test_five_repeats_against_one_say_whose_is_missing():
    rows = [*FCP, *({**row, "repeat": n} for row in NVME for n in range(1, 6))]
    item = change(compare(points(*rows)), "peak_iops")
    assert told(item)["one_repeat"] == {"of": "FCP"}


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
    # a sentence that begins with a name would give it a capital: "T1 and t2 cannot be compared"
    said = f"^the curves A and B cannot be compared: {field} differs"
    with pytest.raises(AnalysisError, match=said):
        compare(points(*rows), options)
    marked = differs(compare(points(*rows), options, allow=[field]))[0]
    assert marked.startswith(f"{field.replace('_', ' ')} differs (")
    with pytest.raises(AnalysisError, match=field):
        compare(points(*rows), options, allow=["direct"])


def test_what_a_source_does_not_say_is_no_difference():
    """AWR knows no engine: that alone forbids nothing."""
    options = Measured(
        pl.DataFrame({"system": ["NVMe"], "option": ["ioengine"], "value": ["libaio"]}), TRACED
    )
    assert differs(compare(points(*FCP, *NVME), options))[0] is None


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
    found = compare(points(FCP[0], NVME[0]), iops=[1500.0])
    assert change(found, "peak_iops").estimate.value == 2.0
    assert statuses(change(found, "latency_at_iops")) == ("not_reached", "beyond_measured")


def test_an_unknown_baseline_names_the_curves():
    with pytest.raises(AnalysisError, match=r"baseline 'FC' is not a curve of workload w; .*FCP"):
        compare(points(*FCP, *NVME), baseline="FC")


def peaks(found):
    """The two sides of every change of the peak, with the ratio."""
    return [
        (item.subject.label, item.against.label, item.estimate.value)
        for item in changes_of(found)
        if item.question == "peak_iops"
    ]


def test_a_system_of_several_configs_is_the_baseline_in_each_that_another_has():
    """Two folders of results, one file for each block size, were an error and no report."""
    old, new = (
        {config: curve(system, [(iops, 100)], config=config) for config, iops in rates}
        for system, rates in (
            ("old", [("4k", 1000), ("8k", 500), ("1m", 10)]), ("new", [("4k", 3000), ("8k", 750)]),
        )
    )  # fmt: skip
    alone = curve("old", [(5, 100)], workload="v", config="4k")  # and of two configs, of one system
    also = curve("old", [(6, 100)], workload="v", config="8k")
    rows = [row for rows in (*old.values(), *new.values(), alone, also) for row in rows]
    assert peaks(compare(points(*rows), baseline="old")) == [
        ("new, 4k", "old, 4k", 3.0), ("new, 8k", "old, 8k", 1.5),
    ]  # fmt: skip


def test_curves_that_the_baseline_has_nothing_for_are_told():
    """ "In all 6 workloads" stood above six configurations of each system, of which one was
    compared."""
    rows = [
        *curve("old", [(1000, 100)], config="a"), *curve("new", [(2000, 100)], config="a"),
        *curve("old", [(3000, 100)], config="b"), *curve("new", [(4000, 100)], config="c"),
        *curve("new", [(5000, 100)], config="d"),
    ]  # fmt: skip
    (item,) = changes_of(compare(points(*rows), baseline="old"))
    assert told(item)["compared_with_none"] == {"curves": "2 curves are", "baseline": "old"}
    (item,) = changes_of(compare(points(*rows[:2]), baseline="old"))
    assert "compared_with_none" not in told(item)


def test_a_system_of_several_configs_that_no_other_has_is_no_baseline():
    rows = [*curve("old", [(1, 100)], config="a"), *curve("old", [(2, 100)], config="b")]
    with pytest.raises(AnalysisError, match="'old' is the name of several curves"):
        compare(points(*rows), baseline="old")
    other = curve("new", [(1, 100)], config="c")
    with pytest.raises(AbsentError, match=r"system old has several .* none of them is one of new"):
        compare(points(*rows, *other), baseline="old")


def test_a_workload_that_the_baseline_has_not_is_compared_with_nothing():
    """It was an error for the workloads that it has."""
    more = [*curve("B", [(7, 100)], workload="v"), *curve("C", [(8, 100)], workload="v")]
    rows = [*curve("A", [(1000, 100)]), *curve("B", [(3000, 100)]), *more]
    assert peaks(compare(points(*rows), baseline="A")) == [("B", "A", 3.0)]


def test_a_curve_that_comes_back_gives_no_single_number():
    """IOPS fall after the peak: 2,500 IOPS are passed twice, so no change is given there."""
    bent = curve("FCP", [(1000, 100), (3000, 200), (2000, 900)])
    item = change(compare(points(*bent, *NVME), iops=[2500.0]), "latency_at_iops")
    assert (item.status, statuses(item)) == ("ambiguous", ("ambiguous", "interpolated"))
    assert "comes_back" in told(item)


def test_repeats_that_are_equal_have_no_interval():
    """No spread at all is not certainty: it says so instead of giving a width of zero."""
    rows = [{**row, "repeat": n} for row in (*FCP, *NVME) for n in (1, 2, 3)]
    item = change(compare(points(*rows)), "peak_iops")
    assert item.estimate.low is None
    assert "no_spread" in told(item)


def test_equal_systems_are_equal_and_their_difference_is_not_shown():
    rows = [
        {**row, "system": name, "repeat": n, "iops": row["iops"] * (1 + n / 100)}
        for row in FCP for name in "AB" for n in (1, 2, 3)
    ]  # fmt: skip
    item = change(compare(points(*rows)), "peak_iops")
    assert item.estimate.value == 1.0
    assert "no_difference" in told(item)


@pytest.mark.parametrize("far", [1e-9, 1e9])
def test_systems_that_are_orders_of_magnitude_apart_are_compared(far):
    rows = [*FCP, *({**row, "iops": row["iops"] * far} for row in NVME)]
    assert change(compare(points(*rows)), "peak_iops").estimate.value == pytest.approx(
        5.5 / 3.5 * far
    )


@pytest.mark.parametrize("bad", [0, -1.0, math.inf, math.nan])
@pytest.mark.parametrize("name", ["latencies_s", "iops", "loads", "cpu_ratios"])
def test_a_value_at_which_no_curve_can_be_asked_is_refused(name, bad):
    with pytest.raises(AnalysisError, match=f"{name}: .* is not above 0"):
        compare(points(*FCP, *NVME), **{name: [bad]})


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
    item = change(found, "cpu_at_iops")
    assert (item.status, item.estimate) == ("missing", None)
    assert item.reason == "a value of zero has no ratio"
    assert change(found, "latency_at_iops").estimate.value == pytest.approx(125 / 300)


def test_a_system_that_did_no_io_has_no_peak_to_compare():
    rows = [*({**row, "iops": 0.0, "lat_mean_s": None} for row in FCP), *NVME]
    item = change(compare(points(*rows)), "peak_iops")
    assert (item.status, item.estimate) == ("missing", None)
    assert "no_io" in told(item)


def test_a_latency_of_zero_is_no_measurement():
    with pytest.raises(AnalysisError, match=r"FCP.*lat_mean_s is 0\.0, which nothing can measure"):
        compare(points({**FCP[0], "lat_mean_s": 0.0}, *FCP[1:], *NVME))


def test_a_load_between_those_measured_is_not_called_not_reached():
    item = change(compare(points(*FCP, *NVME), loads=[2.5]), "iops_at_load")
    assert statuses(item) == ("missing", "missing")
    assert item.sides[0].reason == "this load was not measured"
    item = change(compare(points(*FCP, *NVME), loads=[9.0]), "iops_at_load")
    assert statuses(item) == ("not_reached", "not_reached")


def test_repeats_that_lack_a_load_point_are_told():
    rows = [*FCP, *curve("FCP", [(1000, 100), (2000, 200), (3000, 400)], repeat=2), *NVME]
    assert told(change(compare(points(*rows)), "peak_iops"))["uneven_repeats"] == {"of": "FCP"}


def test_a_curve_that_starts_above_and_falls_is_asked_where_it_is():
    """500, 200 and 700 µs: 300 µs lie between both pairs of load points."""
    rows = curve("FCP", [(1000, 500), (2000, 200), (3000, 700)])
    item = change(compare(points(*rows, *NVME), latencies_s=[3e-4]), "iops_at_latency")
    assert statuses(item)[0] == "ambiguous"


def test_latencies_of_another_unit_are_suspected():
    """One source gave milliseconds for microseconds."""
    rows = [*FCP, *({**row, "lat_mean_s": row["lat_mean_s"] * 1000} for row in NVME)]
    item = change(compare(points(*rows), iops=[2500.0]), "latency_at_iops")
    assert "far_apart" in told(item)


def test_sources_that_know_no_latency_are_compared_at_equal_load():
    rows = [{**row, "lat_mean_s": None} for row in (*FCP, *NVME)]
    found = compare(points(*rows))
    assert questions(found) == {"peak_iops", "iops_at_load", "latency_at_load", "cpu_at_load"}
    at = [item.estimate.value for item in changes_of(found) if item.question == "iops_at_load"]
    assert at == pytest.approx([2.0, 1.5, 5 / 3, 5500 / 3500])
    asked = change(compare(points(*rows), latencies_s=[3e-4]), "iops_at_latency")
    assert statuses(asked) == ("missing", "missing")
    assert asked.sides[0].reason == "mean latency missing at 1, 2, 3 and 4 threads"


def test_one_side_without_latency_is_missing_and_stops_nothing_else():
    rows = [*({**row, "lat_mean_s": None} for row in FCP), *NVME]
    found = compare(points(*rows), latencies_s=[3e-4])
    assert statuses(change(found, "iops_at_latency")) == ("missing", "interpolated")
    assert change(found, "peak_iops").estimate is not None


def test_points_of_two_sources_need_not_be_joined_first():
    found = compare([points(*FCP), points(*NVME)], latencies_s=[3e-4])
    assert change(found, "iops_at_latency").estimate.value == pytest.approx(1.6)
    with pytest.raises(AnalysisError, match="no load points were given"):
        compare([])


def test_percentiles_of_several_repeats_come_from_their_merged_histogram():
    """Never averaged: without a histogram they are missing."""
    rows = [
        {**row, "lat_p99_s": row["lat_mean_s"] * 3, "repeat": n, "percentiles_of": "lat"}
        for row in (*FCP, *NVME) for n in (1, 2)
    ]  # fmt: skip
    alone = compare(points(*rows), loads=[2.0], metric="lat_p99_s")
    assert statuses(change(alone, "latency_at_load")) == ("missing", "missing")
    bins = [
        {"system": row["system"], "config": None, "workload": "w", "load_kind": "threads",
         "load": row["load"], "repeat": row["repeat"], "direction": "total", "kind": "lat",
         "value_s": row["lat_mean_s"] * (row["repeat"] + 1), "count": 60 * row["repeat"]}
        for row in rows
    ]  # fmt: skip
    merged = compare(
        points(*rows), histogram=Measured(pl.DataFrame(bins), TRACED), loads=[2.0],
        metric="lat_p99_s",
    )  # fmt: skip
    assert values(change(merged, "latency_at_load")) == pytest.approx((600e-6, 450e-6))


def test_an_unknown_condition_cannot_be_allowed():
    with pytest.raises(AnalysisError, match="allow: 'blocksize' is not a condition"):
        compare(points(*FCP, *NVME), allow=["blocksize"])
    with pytest.raises(AnalysisError, match="latencies_s: 0 is not above 0"):
        compare(points(*FCP, *NVME), latencies_s=[0])
    with pytest.raises(AnalysisError, match="cores: 'FC' is not a curve"):
        compare(points(*FCP, *NVME), cores={"FC": 4})


def options_of(*rows):
    """Options of curves: (system, option, value)."""
    return Measured(
        pl.DataFrame(list(rows), schema=["system", "option", "value"], orient="row"), TRACED
    )


def test_equal_settings_in_two_writings_are_equal():
    options = options_of(("FCP", "size", "10g"), ("FCP", "direct", "1"),
                         ("NVMe", "file_size", "10 GiB"), ("NVMe", "direct", "true"))  # fmt: skip
    assert set(differs(compare(points(*FCP, *NVME), options))) == {None}


def test_fio_bypasses_no_cache_unless_told():
    options = options_of(
        ("FCP", "rw", "randread"), ("NVMe", "rw", "randread"), ("NVMe", "direct", "1")
    )
    with pytest.raises(AnalysisError, match=r"direct differs \(no against yes\)"):
        compare(points(*FCP, *NVME), options)


def test_active_sets_and_preconditioning_are_part_of_the_key():
    for option, name in (("size", "active_set_bytes"), ("fills", "preconditioning")):
        options = options_of(("FCP", option, "1"), ("NVMe", option, "2"))
        with pytest.raises(AnalysisError, match=f"{name} differs"):
            compare(points(*FCP, *NVME), options)


def test_kinds_of_load_are_compared_only_by_name():
    rows = [*FCP, *({**row, "load_kind": "iodepth"} for row in NVME)]
    with pytest.raises(AnalysisError, match=r"different workloads or kinds of load .*threads"):
        compare(points(*rows))
    found = compare(points(*rows), latencies_s=[3e-4], loads=[1.0], allow="load_kind")
    item = change(found, "iops_at_latency")
    assert item.estimate.value == pytest.approx(1.6)
    assert told(item)["conditions_differ"] == {
        "fields": "load kind differs (threads against iodepth)"
    }
    at = change(found, "iops_at_load")
    assert (at.estimate, at.reason) == (None, "loads of different kinds are not equal")


def test_offered_rates_have_no_scalability_law():
    rows = [{**row, "load_kind": "target_iops"} for row in FCP]
    row = usl(latency_curve(points(*rows))).frame.row(0, named=True)
    assert (row["fitted"], row["reason"]) == (
        False,
        "the load is an offered rate, not a concurrency",
    )


def test_a_peak_far_beyond_the_loads_is_not_told():
    """Four loads of straight growth: a coherency of next to nothing has a peak at millions."""
    rows = [
        {"system": "A", "load": n, "iops": usl_iops(n, 9000.0, 0.02, 1e-9), "lat_mean_s": 1e-3}
        for n in (1.0, 2.0, 4.0, 8.0, 16.0)
    ]
    row = usl(latency_curve(points(*rows))).frame.row(0, named=True)
    assert row["fitted"]
    assert (row["peak_load"], row["peak_iops"]) == (None, None)


@pytest.mark.parametrize(
    ("sigma", "kappa", "peak"),
    [(0.02, 0.0005, math.sqrt(0.98 / 0.0005)), (0.02, 0.0, None), (1.0, 0.0005, None)],
)
def test_without_coherency_or_with_full_contention_there_is_no_peak(
    monkeypatch, sigma, kappa, peak
):
    """N at the peak is sqrt((1 - sigma) / kappa): not a load of 0, and no division by 0."""
    monkeypatch.setattr(scaling, "fit_usl", lambda *_: (9000.0, sigma, kappa))
    rows = [
        {"system": "A", "load": n, "iops": 1000 * n, "lat_mean_s": 1e-3}
        for n in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
    ]
    assert usl(latency_curve(points(*rows))).frame["peak_load"].to_list() == [peak]


def test_less_round_values_only_where_the_range_is_narrow():
    """Common: 110 to 190 µs, 2,100 to 2,900 IOPS."""
    one = curve("A", [(2100, 110), (2900, 190)])
    two = curve("B", [(2000, 100), (3000, 190)])
    found = compare(points(*one, *two))
    assert asked_at(change(found, "iops_at_latency")).value == 1.5e-4
    assert asked_at(change(found, "latency_at_iops")).value == 2500.0


def test_a_finding_of_one_workload_of_several_names_it():
    """ "At 100 µs, B served 8.2% fewer IOPS than A": of two workloads, it was not said of which."""
    slow = [row for name in ("FCP", "NVMe") for row in curve(name, [(10, 900)], workload="slow")]
    for rows, begins in ((slow, "w: At a mean latency of "), ([], "At a mean latency of ")):
        (found,) = pk.finding(compare(points(*FCP, *NVME, *rows)), "iops_at_latency")
        assert found.headline.startswith(begins)


def test_what_no_pair_of_curves_answers_is_one_line():
    """The host CPU that fio did not record of 33 pairs filled two pages of what is not shown."""
    configs = [
        row for name in "ab" for system, xys in (("old", [(1000, 100), (3000, 300)]),
                                                 ("new", [(2000, 100), (4000, 300)]))
        for row in curve(system, xys, config=name)
    ]  # fmt: skip
    found = compare(points(*configs), iops=[2500.0], baseline="old")
    (told,) = pk.finding(found, "cpu_at_iops")
    assert (told.headline, told.text) == (
        None,
        "At 2,500 IOPS, host CPU is compared in none of 2 pairs of curves: one or both lack it.",
    )
    assert len(pk.finding(found, "latency_at_iops")) == 2
