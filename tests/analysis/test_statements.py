"""Sentences: every status in its own words, every number from the data."""

from __future__ import annotations

import polars as pl
import pytest

from perfkit.analysis.capacity import iops_at_latency, peak
from perfkit.analysis.criteria import Criterion
from perfkit.analysis.curves import latency_curve
from perfkit.analysis.cycles import drain_summary
from perfkit.analysis.judge import judge
from perfkit.analysis.knee import knee
from perfkit.analysis.little import little_check
from perfkit.errors import AnalysisError
from perfkit.statements.load_points import (
    say_cycles,
    say_host,
    say_iops_at_latency,
    say_knee,
    say_little,
    say_lowest_latency,
    say_peak,
    say_repeatability,
    say_verdict,
)


def test_a_peak_inside_the_range(table):
    points = table([{"load": d, "iops": x, "lat_mean_s": 0.001}
                    for d, x in ((1, 1000.0), (2, 250_400.0), (4, 900.0))])  # fmt: skip
    said = say_peak(peak(latency_curve(points)))
    assert said.text == (
        "w reached a peak of 250 thousand IOPS (one repeat, so no interval) at iodepth 2, with a "
        "mean latency of 1.00 ms."
    )
    assert [(p.text, p.value) for p in said.printed] == [
        ("250 thousand IOPS", 250_400.0), ("2", 2.0), ("1.00 ms", 0.001)
    ]  # fmt: skip


def test_a_peak_at_the_last_load_is_not_called_the_peak(system):
    text = say_peak(peak(latency_curve(system()))).text
    assert text == (
        "w gave the most, 76,200 IOPS (95% interval 74,300 to 78,100, over 3 repeats), at iodepth "
        "32, the highest load measured, with a mean latency of 420 µs; its peak may lie higher."
    )


def test_two_repeats_are_said_to_be_only_two(system):
    assert "over only 2 repeats" in say_peak(peak(latency_curve(system(repeats=2)))).text


def test_one_load_and_a_missing_iops_say_no_peak(table):
    alone = say_peak(peak(latency_curve(table([{"load": 1, "iops": 5.0}])))).text
    assert "at one load only, iodepth 1" in alone
    missing = table([{"load": 1, "iops": 5.0}, {"load": 2}])
    assert say_peak(peak(latency_curve(missing))).text == (
        "The peak of w is not known, because a load point has no IOPS."
    )


def test_a_changed_input_changes_the_sentence(system):
    before = say_peak(peak(latency_curve(system())))
    after = say_peak(peak(latency_curve(system().with_columns(pl.col("iops") * 1.1))))
    assert before.text != after.text
    assert before.content_hash() != after.content_hash()


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (0.003, "At a mean latency of 3 ms, w delivered 150 IOPS, interpolated between iodepth 1 "
                "and iodepth 2."),
        (0.0025, "At a mean latency of 2.5 ms, w delivered 125 IOPS, interpolated"),
        (0.009, "w delivered at least 200 IOPS at a mean latency of 9 ms: the limit was not "
                "reached at any load measured (highest value 4.00 ms)."),
        (0.0005, "w did not stay within a mean latency of 500 µs at any load: at its lowest load "
                 "it gave 100 IOPS at 2.00 ms."),
    ],
)  # fmt: skip
def test_iops_at_a_latency_in_every_status(table, limit, words):
    points = table([{"load": d, "iops": 100.0 * d, "lat_mean_s": 0.002 * d} for d in (1, 2)])
    said = say_iops_at_latency(iops_at_latency(latency_curve(points), limit))
    assert said.text.startswith(words)
    assert limit in [item.value for item in said.printed]


def test_iops_at_a_latency_that_is_missing(table):
    curve = latency_curve(table([{"load": 1, "iops": 5.0}]))
    assert "are not known" in say_iops_at_latency(iops_at_latency(curve, 0.001)).text


def test_the_lowest_latency_and_where_it_was(system):
    assert say_lowest_latency(latency_curve(system())).text == (
        "The lowest mean latency of w was 110 µs, at iodepth 1 and 9,090 IOPS."
    )
    assert "is not known" in say_lowest_latency(latency_curve(system()), "lat_p99_s").text


def test_a_knee_is_named_with_its_method_or_its_absence_with_the_reason(table, system):
    assert say_knee(knee(latency_curve(system((1, 2, 4, 8, 40, 100))))).text.startswith(
        "By Kleinrock's power, the knee of w lies at iodepth 8: 44,400 IOPS"
    )
    assert say_knee(knee(latency_curve(table([{"load": 1}])))).text == (
        "By Kleinrock's power, no knee is reported for w: too few load points."
    )


@pytest.mark.parametrize(
    ("repeats", "words"),
    [(1, "Each load point was measured once, so no interval can be given."),
     (2, "rest on one degree of freedom."), (3, "Each load point was measured 3 times. The 95% "
      "interval of mean IOPS is at most ±2.5% of its value.")],
)  # fmt: skip
def test_repeatability(system, repeats, words):
    assert words in say_repeatability(latency_curve(system(repeats=repeats))).text


def test_littles_law_held_broken_and_not_applicable(system, table):
    assert say_little(little_check(system())).text == (
        "In all 18 closed-loop results, IOPS times mean latency equals the I/Os in flight "
        "within 5%."
    )
    one = table([{"load": 8, "iops": 100.0, "lat_mean_s": 0.04, "in_flight": 8}])
    assert say_little(little_check(one)).text.startswith(
        "In 1 of 1 closed-loop result, IOPS times mean latency does not equal the I/Os in flight "
        "within 5%; the furthest finds 50% of them."
    )
    assert "cannot be applied" in say_little(little_check(table([{"load": 1}]))).text


def test_a_verdict_names_what_failed_and_what_could_not_be_judged(system):
    def demand(name, limit, metric="lat_mean_s"):
        return Criterion(name=name, metric=metric, comparison="<", limit=limit, at=1)

    verdict = judge(system(), [demand("A", "1 s"), demand("B", "0.1 ms"),
                               demand("C", "1 s", "lat_p99_s")])  # fmt: skip
    assert say_verdict(verdict).text == (
        "Of 3 judgements, 1 passed. B (w, iodepth 1) failed: 0.110 ms against the rule mean "
        "latency < 0.1 ms, mean over repeats. C (w, iodepth 1) could not be judged: 99th "
        "percentile latency missing at iodepth 1 (several repeats and no histogram of each)."
    )
    assert say_verdict(judge(system(), [demand("A", "1 s")] * 2)).text == "All 2 judgements passed."
    assert say_verdict(judge(system(), [])).text.startswith("No criterion was given")


def test_cycles_are_never_called_genio_and_few_have_no_verdict():
    key = {"workload": "epic-like", "load_kind": "rate_iops", "load": 1000.0, "repeat": 1}
    frame = pl.DataFrame([{**key, "cycle": i, "drain_s": 10.0 + i} for i in (1, 2)])
    assert say_cycles(drain_summary(frame)).text == (
        "At an offered rate of 1,000 IOPS, repeat 1, 2 of 2 drains completed, the longest in "
        "12.0 s; no verdict on fewer than 5 cycles. The workload is GenIO-like, not GenIO."
    )


def test_the_host_is_told_by_the_facts_there_are():
    facts = pl.DataFrame(
        [("host", "cpu_threads", "2"), ("host", "memory_bytes", str(8 * 1024**3)),
         ("host", "virtual_machine", "True"), ("host", "cpu_model", None)],
        schema=["group", "fact", "value"], orient="row",
    )  # fmt: skip
    assert say_host(facts).text == (
        "The load ran on a virtual machine with 2 logical CPUs and 8 GiB of memory."
    )
    assert "were not recorded" in say_host(facts.with_columns(value=pl.lit(None, pl.String))).text


def test_names_with_digits_and_braces_are_words_not_numbers(system):
    said = say_lowest_latency(latency_curve(system(workload="A400 {x} 8k")))
    assert "A400 {x} 8k" in said.text


def test_nothing_to_say_is_an_error(system):
    with pytest.raises(AnalysisError, match="nothing to say"):
        say_peak(peak(latency_curve(system())).frame.clear())
