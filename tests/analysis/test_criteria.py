"""Criteria: typed, exact on the raw value, and never passed for lack of a number."""

from __future__ import annotations

import operator

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from perfkit.analysis.over_time.cycles import NO_VERDICT
from perfkit.analysis.verdicts.criteria import (
    Criterion,
    format_against,
    limit_of,
    parse_limit,
)
from perfkit.analysis.verdicts.judge import judge

OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def criterion(**given_):
    usual = {"name": "c", "metric": "lat_mean_s", "comparison": "<", "limit": "2 ms"}
    return Criterion(**{**usual, **given_})


def only(verdict):
    (judgement,) = verdict.judgements
    return judgement


@pytest.mark.parametrize(
    ("text", "metric", "value"),
    [("2 ms", "lat_mean_s", 0.002), ("500us", "lat_p99_s", 500e-6), ("1 s", "lat_mean_s", 1.0),
     ("100k IOPS", "iops", 100_000), ("1.5M", "iops", 1.5e6), ("12,000", "iops", 12_000),
     ("80 %", "cpu_busy_ratio", 0.8), ("500 MB/s", "bw_bytes_per_s", 500e6),
     ("1 MiB/s", "bw_bytes_per_s", 1048576)],
)  # fmt: skip
def test_a_limit_is_read_with_its_unit(text, metric, value):
    assert parse_limit(text, metric).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "metric"),
    [("2", "lat_mean_s"), ("2 m", "lat_mean_s"), ("2k ms", "lat_mean_s"), ("2 ms", "iops"),
     ("0.8", "cpu_busy_ratio"), ("100", "bw_bytes_per_s"), ("fast", "iops"),
     ("-1 ms", "lat_mean_s")],
)  # fmt: skip
def test_a_limit_without_a_fitting_unit_is_refused(text, metric):
    with pytest.raises(ValidationError, match="needs a number with its unit"):
        criterion(metric=metric, limit=text)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"metric": "lat_p99_s", "statistic": "mean"}, "never averaged"),
     ({"statistic": "pooled"}, "only percentiles are pooled"),
     ({"metric": "drain_longest_s", "statistic": "mean"}, "every repeat"),
     ({"metric": "lat_max_s", "statistic": "bound"}, "every repeat"),
     ({"metric": "longest_wij_time_s", "statistic": "mean"}, "every repeat"),
     ({"within": {"lat_mean_s": "1 ms"}}, "within: one latency limit goes with metric iops"),
     ({"metric": "iops", "limit": "1", "within": {"lat_mean_s": "1 ms"}, "at": 4}, "not both"),
     ({"at": {"lat_mean_s": "1 ms"}}, "metric iops"),
     ({"metric": "iops", "limit": "1", "at": {"lat_mean_s": "1"}}, "unit"),
     ({"metric": "latency"}, "Input should be"), ({"extra": 1}, "Extra inputs")],
)  # fmt: skip
def test_a_criterion_that_makes_no_sense_is_refused(wrong, words):
    with pytest.raises(ValidationError, match=words):
        criterion(**wrong)


def test_a_criterion_survives_its_json_form():
    made = criterion(at={"lat_mean_s": "1 ms"}, metric="iops", limit="100k IOPS")
    assert Criterion.model_validate(made.model_dump(mode="json")) == made


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(latency=st.floats(1.9999e-3, 2.0001e-3) | st.sampled_from([0.002, 0.0020000001]),
       sign=st.sampled_from(sorted(OPERATORS)))  # fmt: skip
def test_the_outcome_is_the_raw_comparison_and_print_never_contradicts_it(table, latency, sign):
    got = only(judge(table([{"load": 1, "lat_mean_s": latency}]), [criterion(comparison=sign)]))
    assert (got.outcome == "pass") == OPERATORS[sign](latency, 0.002)
    assert OPERATORS[sign](float(got.value.text.removesuffix(" ms")), 2.0) == (
        got.outcome == "pass"
    )


def test_more_digits_are_printed_where_rounding_would_hide_the_failure():
    assert shown([0.0020004], criterion(comparison="<")) == ["2.00 ms"]
    assert shown([0.0020004], criterion(comparison="<=")) == ["2.0004 ms"]


def test_values_beside_one_limit_have_the_same_decimals():
    assert shown([0.000115, 0.00009], criterion(limit="1 ms")) == ["0.115 ms", "0.090 ms"]
    assert shown([0.04468, 0.04324], criterion(limit="45 ms")) == ["44.7 ms", "43.2 ms"]
    # the coarser digit of the one would put the other on its limit
    assert shown([0.03, 0.0449996], criterion(limit="45 ms", comparison="<")) == [
        "30.0000 ms", "44.9996 ms"
    ]  # fmt: skip


def shown(values, of):
    form = format_against(values, of)
    return [form.show(value).text for value in values]


def test_a_missing_metric_is_not_judged(table):
    got = only(judge(table([{"load": 1}]), [criterion()]))
    assert (got.outcome, got.value, got.reason) == (
        "not judged", None, "mean latency missing at iodepth 1"
    )  # fmt: skip
    assert (got.answer.status, got.answer.estimate) == ("not_judged", None)


def test_a_selection_that_matches_nothing_is_not_judged(system):
    got = only(judge(system(), [criterion(where={"workload": "other"})]))
    assert (got.outcome, got.scope, got.reason) == ("not judged", "other", "no load point matches")
    assert only(judge(system(), [criterion(at=7)])).outcome == "not judged"


def test_a_direction_that_was_not_measured_is_not_judged(system):
    got = only(judge(system(), [criterion(direction="write")]))
    assert got.outcome == "not judged"
    assert "direction 'write'" in got.reason


def test_a_percentile_of_several_repeats_needs_its_histogram(table, histogram):
    points = table([{"load": 1, "repeat": r, "lat_p99_s": 0.001} for r in (1, 2)])
    demand = [criterion(metric="lat_p99_s")]
    assert "no histogram" in only(judge(points, demand)).reason
    bins = histogram([(1, 1, 0.001, 100), (1, 2, 0.001, 100)])
    assert only(judge(points, demand, histogram=bins)).outcome == "pass"


@pytest.mark.parametrize(
    ("sign", "limit", "outcome"), [("<", "2.5 ms", "fail"), (">", "1.5 ms", "fail")]
)
def test_the_worst_repeat_is_the_one_on_the_wrong_side(table, sign, limit, outcome):
    points = table([{"load": 1, "repeat": r, "lat_mean_s": r / 1e3} for r in (1, 2, 3)])
    given_ = criterion(comparison=sign, limit=limit, statistic="worst")
    assert only(judge(points, [given_])).outcome == outcome
    assert only(judge(points, [criterion(comparison=sign, limit=limit)])).outcome == "pass"


@pytest.mark.parametrize(
    ("at", "scopes"),
    [("every load", ["iodepth 1", "iodepth 2", "iodepth 4"]), ("lowest load", ["iodepth 1"]),
     ("highest load", ["iodepth 4"]), ("peak", ["iodepth 2"]), (4, ["iodepth 4"])],
)  # fmt: skip
def test_where_on_the_curve_a_criterion_is_judged(table, at, scopes):
    points = table([{"load": d, "iops": x} for d, x in ((1, 10.0), (2, 30.0), (4, 20.0))])
    got = judge(points, [criterion(metric="iops", comparison=">=", limit="5", at=at)])
    assert [item.scope for item in got.judgements] == [f"w, {scope}" for scope in scopes]


@pytest.mark.parametrize(
    ("latency", "demand", "outcome"),
    [("3 ms", "100", "pass"), ("3 ms", "101", "fail"), ("9 ms", "200", "pass"),
     ("9 ms", "201", "not judged"), ("0.5 ms", "1", "not judged")],
)  # fmt: skip
def test_iops_within_a_latency_knows_a_lower_bound_from_a_value(table, latency, demand, outcome):
    points = table([{"load": d, "iops": d * 100.0, "lat_mean_s": y}
                    for d, y in ((1, 0.002), (2, 0.004))])  # fmt: skip
    given_ = criterion(
        metric="iops", comparison=">=", limit=f"{demand} IOPS", within={"lat_mean_s": latency}
    )
    assert only(judge(points, [given_])).outcome == outcome


@pytest.mark.parametrize(
    ("latency", "demand", "outcome", "words"),
    [("3 ms", "150", "pass", "once"), ("3 ms", "151", "fail", "once"),
     ("9 ms", "1", "not judged", "every load point lies below mean latency 9 ms; within: asks for"),
     ("0.5 ms", "1", "not judged", "every load point lies above mean latency 0.5 ms")],
)  # fmt: skip
def test_iops_at_a_latency_is_the_value_where_the_curve_meets_it(
    table, latency, demand, outcome, words
):
    points = table([{"load": d, "iops": d * 100.0, "lat_mean_s": y}
                    for d, y in ((1, 0.002), (2, 0.004))])  # fmt: skip
    given_ = criterion(
        metric="iops", comparison=">=", limit=f"{demand} IOPS", at={"lat_mean_s": latency}
    )
    got = only(judge(points, [given_]))
    assert got.outcome == outcome
    assert words in got.reason


def test_a_curve_that_bends_back_is_not_judged_at_a_latency_and_is_within_it(table):
    """401k at 38.9 us and 306k at 1 ms: two questions with two answers."""
    points = table([{"load": d, "iops": x, "lat_mean_s": y} for d, x, y in
                    ((1, 100e3, 10e-6), (16, 401e3, 39e-6), (32, 300e3, 2e-3),
                     (64, 290e3, 500e-6))])  # fmt: skip
    demand = {"metric": "iops", "comparison": ">=", "limit": "400k"}
    at = only(judge(points, [criterion(at={"lat_mean_s": "1 ms"}, **demand)]))
    within = only(judge(points, [criterion(within={"lat_mean_s": "1 ms"}, **demand)]))
    assert (at.outcome, within.outcome) == ("not judged", "pass")
    assert "passes mean latency 1 ms more than once" in at.reason
    assert within.scope == "w, within mean latency 1 ms"
    assert within.answer.condition("where").value == 16


def test_an_upper_demand_on_a_lower_bound_can_only_fail_or_stay_open(table):
    points = table([{"load": 1, "iops": 100.0, "lat_mean_s": 0.001}])
    within = {"lat_mean_s": "5 ms"}
    low = criterion(metric="iops", comparison="<", limit="50", within=within)
    high = criterion(metric="iops", comparison="<", limit="500", within=within)
    assert [j.outcome for j in judge(points, [low, high]).judgements] == ["fail", "not judged"]


@pytest.mark.parametrize(("cycles", "outcome"), [(5, "pass"), (4, "not judged")])
def test_drains_are_judged_from_five_cycles_on(table, cycles, outcome):
    drains = pl.DataFrame([
        {"workload": "epic-like", "load_kind": "rate_iops", "load": 9.0, "repeat": 1, "cycle": i,
         "drain_s": 40.0} for i in range(cycles)
    ])  # fmt: skip
    demand = [criterion(metric="drain_longest_s", limit="45 s")]
    got = only(judge(table([{"load": 1}]), demand, cycles=drains))
    assert got.outcome == outcome
    assert "GenIO-like, not GenIO" in got.scope
    assert only(judge(table([{"load": 1}]), demand)).reason == "no drain cycles are given"
    lost = drains.with_columns(drain_s=pl.when(pl.col("cycle") == 0).then(None).otherwise(40.0))
    reason = "a planned drain did not happen" if cycles == 5 else NO_VERDICT
    missed = pl.concat([drains, lost.with_columns(cycle=pl.lit(99, pl.Int64)).head(1)])
    got = only(judge(table([{"load": 1}]), demand, cycles=missed))
    assert (got.outcome, got.value, got.reason) == ("not judged", None, reason)


REPEATS = (90e3, 90e3, 130e3)


def three(table, values=REPEATS, **keys):
    return table([{"load": 1, "repeat": r, "iops": x, "lat_mean_s": 1 / x, **keys}
                  for r, x in enumerate(values, 1)])  # fmt: skip


@pytest.mark.parametrize(
    ("statistic", "outcome", "rule", "value"),
    [(None, "pass", "mean over repeats", 103_333), ("mean", "pass", "mean over repeats", 103_333),
     ("every repeat", "fail", "every repeat", 90_000), ("worst", "fail", "every repeat", 90_000),
     ("bound", "fail", "lower end of the interval", None)],
)  # fmt: skip
def test_a_criterion_says_which_statistic_it_means(table, statistic, outcome, rule, value):
    """Repeats of 90k, 90k and 130k against 100k: their mean meets it, and two of them do not."""
    given_ = criterion(metric="iops", comparison=">=", limit="100k", statistic=statistic)
    got = only(judge(three(table), [given_]))
    assert (got.outcome, got.rule) == (outcome, f"IOPS ≥ 100,000, {rule}")
    assert value is None or got.value.value == pytest.approx(value, abs=1)


def test_a_verdict_that_the_repeats_do_not_support_says_so(table):
    given_ = criterion(metric="iops", comparison=">=", limit="100k")
    verdict = judge(three(table), [given_])
    got = only(verdict)
    assert [item.name for item in got.cautions][:2] == ["repeats_disagree", "limit_in_interval"]
    assert got.reason.startswith(
        "2 of 3 repeats of w, iodepth 1 lie on the other side of the limit; the interval over the "
        "repeats of w, iodepth 1, 61,000 IOPS to 175,000 IOPS, contains the limit"
    )
    assert verdict.headline() == "CRITERIA MET 1 of 1, 1 NOT SUPPORTED BY ITS REPEATS"
    assert got.record()["cautions"][0]["name"] == "repeats_disagree"
    (failed,) = judge(three(table, (110e3, 60e3, 120e3)), [given_]).judgements
    assert (failed.outcome, failed.cautions[0].text) == (
        "fail", "2 of 3 repeats of w, iodepth 1 lie on the other side of the limit",
    )  # fmt: skip


def test_every_repeat_names_the_worst_and_a_bound_is_an_end_of_the_interval_itself(table):
    given_ = criterion(metric="iops", comparison=">=", limit="100k", statistic="every repeat")
    got = only(judge(three(table, (130e3, 90e3, 95e3)), [given_]))
    assert [item.value for item in got.answer.conditions if item.metric == "repeat"] == [2.0]
    bound = criterion(metric="iops", comparison=">=", limit="100k", statistic="bound")
    cautions = only(judge(three(table), [bound])).cautions
    assert "limit_in_interval" not in {item.name for item in cautions}


def test_repeats_that_agree_clearly_are_no_caution(table):
    given_ = criterion(metric="iops", comparison=">=", limit="80k")
    got = only(judge(three(table, (100e3, 101e3, 102e3)), [given_]))
    assert (got.outcome, got.cautions, got.reason) == ("pass", (), None)
    assert (got.answer.question, got.answer.estimate.n) == ("iops_at_load", 3)


def test_a_bound_without_an_interval_is_not_judged(table):
    given_ = criterion(metric="iops", comparison=">=", limit="1", statistic="bound")
    got = only(judge(three(table, (100e3,)), [given_]))
    assert (got.outcome, got.reason) == (
        "not judged", "w was measured once, so there is no interval"
    )  # fmt: skip


def test_a_metric_of_one_repeat_that_is_missing_is_not_judged_by_every_repeat(table):
    given_ = criterion(metric="iops", comparison=">=", limit="1", statistic="every repeat")
    points = table([{"load": 1, "repeat": 1, "iops": 5.0}, {"load": 1, "repeat": 2}])
    assert only(judge(points, [given_])).outcome == "not judged"


def test_throughput_is_judged_with_its_interval(table):
    points = three(table, bw_bytes_per_s=5e8)
    got = only(
        judge(points, [criterion(metric="bw_bytes_per_s", comparison=">=", limit="400 MB/s")])
    )
    assert (got.outcome, got.value.text, got.answer.question) == (
        "pass", "500 MB/s", "throughput_at_load"
    )  # fmt: skip


def test_a_subject_that_is_meant_to_fail_is_shown_and_does_not_count(table):
    rows = [{"load": 1, "config": c, "lat_mean_s": y} for c, y in (("bully", 9.0), ("kept", 1e-3))]
    meant = {"where": {"config": "bully"}, "reason": "nothing holds it back"}
    verdict = judge(table(rows), [criterion(meant_to_fail=[meant])])
    assert [(item.outcome, item.meant_to_fail) for item in verdict.judgements] == [
        ("fail", "nothing holds it back"), ("pass", None),
    ]  # fmt: skip
    assert (verdict.outcome, verdict.headline()) == ("pass", "CRITERIA MET 1 of 1")
    alone = judge(table(rows[:1]), [criterion(meant_to_fail=[meant])])
    assert alone.outcome == "not judged"
    protected = {**meant, "where": {"config": "kept"}}
    assert judge(table(rows), [criterion(meant_to_fail=[protected])]).outcome == "fail"


def test_the_verdict_counts_and_keeps_the_source(system):
    given_ = [criterion(limit="1 s", source="Guide, section 3"), criterion(limit="1 us", at=1)]
    verdict = judge(system(), given_)
    assert (verdict.outcome, verdict.headline()) == ("fail", "CRITERIA NOT MET: PASSED 6 of 7")
    assert verdict.judgements[0].source == "Guide, section 3"
    assert judge(system(), []).outcome == "not judged"


@pytest.mark.parametrize("text", ["1,5 ms", "0,45 ms", "1,2345 ms"])
def test_a_limit_with_a_decimal_comma_is_refused(text):
    """A criterion of 1,5 ms never judges by 15 ms."""
    with pytest.raises(ValueError, match="needs a number with its unit"):
        parse_limit(text, "lat_mean_s")
    assert parse_limit("1,500 us", "lat_mean_s").value == pytest.approx(1.5e-3)


@pytest.mark.parametrize(
    ("others", "limit"),
    [
        ([], 0.002), ([{}], 0.002),  # twice the same is one line
        ([{"limit": "3 ms"}], None),  # of two limits neither is the one
        ([{"metric": "lat_p99_s", "limit": "3 ms"}], 0.002),
        ([{"limit": "3 ms", "direction": "read"}], 0.002),
        ([{"limit": "3 ms", "where": {"host": "a"}}], 0.002),
        ([{"limit": "1 ms", "comparison": ">"}], 0.002),
    ],
)  # fmt: skip
def test_a_chart_has_the_line_of_the_one_limit_of_everything(others, limit):
    given_ = [criterion(), *(criterion(name=f"c{n}", **one) for n, one in enumerate(others))]
    assert limit_of(given_, "lat_mean_s") == limit
    assert limit_of(given_[1:], "lat_max_s") is None


def test_a_line_of_reads_is_of_a_limit_of_reads():
    given_ = [criterion(), criterion(name="r", limit="3 ms", direction="read")]
    assert limit_of(given_, "lat_mean_s", direction="read") == 0.003
    assert limit_of(given_, "lat_mean_s", direction="write") is None


def test_drains_are_judged_of_the_workload_that_is_asked_for(table):
    drains = pl.DataFrame([
        {"workload": name, "load_kind": "rate_iops", "load": 1.0, "repeat": 1, "cycle": cycle,
         "drain_s": seconds}
        for name, seconds in (("short", 40.0), ("long", 50.0)) for cycle in range(5)
    ])  # fmt: skip
    demands = [
        criterion(metric="drain_longest_s", limit="45 s", where={"workload": name})
        for name in ("short", "long")
    ]
    verdict = judge(table([{"load": 1}]), demands, cycles=drains)
    assert [item.outcome for item in verdict.judgements] == ["pass", "fail"]


@pytest.mark.parametrize(
    ("at", "loads"),
    [("every load", [1.0, 2.0, 4.0]), ("lowest load", [1.0]), ("highest load", [4.0]), (2, [2.0]),
     (3, [])],
)  # fmt: skip
def test_drains_are_judged_at_the_loads_that_are_asked_for(table, at, loads):
    drains = pl.DataFrame(
        [
            {
                "workload": "epic-like",
                "load_kind": "rate_iops",
                "load": load,
                "repeat": 1,
                "cycle": i,
                "drain_s": 40.0,
            }
            for load in (1.0, 2.0, 4.0)
            for i in range(5)
        ]
    )
    demand = criterion(metric="drain_longest_s", limit="45 s", at=at)
    verdict = judge(table([{"load": 1}]), [demand], cycles=drains)
    found = [item.scope for item in verdict.judgements if item.outcome == "pass"]
    assert [float(text.partition(" rate of ")[2].partition(" ")[0]) for text in found] == loads
