"""Sentences: every status in its own words, every number from the data."""

from __future__ import annotations

import re

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.curves.asking import answer, series_of
from perfkit.analysis.over_time.cycles import drain_summary
from perfkit.analysis.verdicts.criteria import Criterion
from perfkit.analysis.verdicts.judge import judge
from perfkit.core.answers import QUESTIONS, to_frame
from perfkit.core.errors import AnalysisError
from perfkit.showing.statements.run import say_host
from perfkit.showing.statements.say import templates
from perfkit.showing.statements.verdicts import say_verdict


def said(answers):
    (statement,) = pk.say(answers)
    return statement.text


def test_a_peak_inside_the_range(table):
    points = table([{"load": d, "iops": x, "lat_mean_s": 0.001}
                    for d, x in ((1, 1000.0), (2, 250_400.0), (4, 900.0))])  # fmt: skip
    (peak,) = pk.say(pk.peak(points))
    assert peak.text == (
        "w reached a peak of 250K IOPS (one repeat, so no interval) at iodepth 2, with a "
        "mean latency of 1.00 ms."
    )
    assert peak.id == "peak-iops"
    assert [(p.text, p.value) for p in peak.printed] == [
        ("250K IOPS", 250_400.0), ("2", 2.0), ("1.00 ms", 0.001)
    ]  # fmt: skip


def test_a_peak_at_the_last_load_is_not_called_the_peak(system):
    text = said(pk.peak(system()))
    low, high = re.findall(r"interval ([\d,]+) to ([\d,]+), over 3", text)[0]
    assert text == (
        f"w gave at least 76,200 IOPS (95% interval {low} to {high}, over 3 repeats, for the "
        "highest of all loads) at iodepth 32, the highest load measured, with a mean latency of "
        "420 µs; its peak may lie higher."
    )


def test_a_number_with_two_intervals_says_whose_each_is(system):
    """The peak's interval holds for all loads together, that of its load point for it alone."""
    points = system()
    (series,) = series_of(points)
    texts = [said(to_frame([answer(*asked)])) for asked in (
        ("peak_iops", series), ("iops_at_load", series, 32.0),
        ("most_iops_within_latency", series, 300e-6),
    )]  # fmt: skip
    pattern = r"interval (.+ to .+), over 3 repeats(.*?)\)"
    found = [re.search(pattern, text).groups() for text in texts]
    assert found[0][0] != found[1][0]
    assert [whose for _, whose in found] == [
        ", for the highest of all loads", "", ", for the highest of the loads within",
    ]  # fmt: skip
    note = pk.table_load_points(pk.latency_curve(points)).note
    assert note == (
        "95% low and high: interval of the value to their left over 3 repeats (Student's t on "
        "logarithms), each load by itself; that of a peak or of a lowest latency is for all loads "
        "together."
    )


def test_two_repeats_are_said_to_be_only_two(system):
    assert "over only 2 repeats" in said(pk.peak(system(repeats=2)))


def test_one_load_and_a_missing_iops_are_no_peak(table):
    assert said(pk.peak(table([{"load": 1, "iops": 5.0}]))) == (
        "w gave at least 5.00 IOPS (one repeat, so no interval) at iodepth 1, the only load "
        "measured; its peak may lie higher."
    )
    missing = table([{"load": 1, "iops": 5.0}, {"load": 2}])
    (peak,) = pk.say(pk.peak(missing))
    assert peak.text == (
        "w gave at least 5.00 IOPS (one repeat, so no interval) at iodepth 1; its peak may lie "
        "higher."
    )
    assert peak.caution == "Caution: w has no IOPS at iodepth 2."


def test_a_changed_input_changes_the_sentence(system):
    (before,) = pk.say(pk.peak(system()))
    (after,) = pk.say(pk.peak(system().with_columns(pl.col("iops") * 1.1)))
    assert before.text != after.text
    assert before.content_hash() != after.content_hash()


def test_the_lowest_latency_and_where_it_was(system):
    text = said(pk.lowest_latency(system()))
    assert text.startswith("The lowest mean latency of w was 110 µs (95% interval ")
    assert text.endswith(
        ", over 3 repeats, for the lowest of all loads), at iodepth 1, with 9,090 IOPS."
    )
    assert said(pk.lowest_latency(system(depths=(1,)), metric="lat_p99_s")) == (
        "The lowest 99th percentile latency of w is not known: 99th percentile latency missing at "
        "iodepth 1."
    )


def test_the_lowest_latency_with_a_gap_is_an_upper_bound(table):
    points = table([{"load": 1, "iops": 5.0}, {"load": 2, "iops": 9.0, "lat_mean_s": 0.002}])
    assert said(pk.lowest_latency(points)) == (
        "The lowest mean latency of w was at most 2.00 ms (one repeat, so no interval), at "
        "iodepth 2, with 9.00 IOPS; it may be lower elsewhere."
    )


def test_a_knee_is_named_with_its_method_or_its_absence_with_the_reason(table, system):
    assert said(pk.knee(system((1, 2, 4, 8, 40, 100)))) == (
        "By Kleinrock's power, the knee of w lies at iodepth 8, with 44,400 IOPS, with a mean "
        "latency of 180 µs."
    )
    assert said(pk.knee(table([{"load": 1}]))) == (
        "By Kleinrock's power, no knee is reported for w: too few load points."
    )


def test_repeatability(system, table):
    assert said(pk.repeatability(system(repeats=1))) == (
        "The repeatability of w is not known: each load point was measured once."
    )
    assert "two repeats leave one degree of freedom" in said(pk.repeatability(system(repeats=2)))
    text = said(pk.repeatability(system()))
    assert text.startswith("Over 3 repeats, the 95% intervals of the IOPS of w reach at most 2.5% ")
    same = table([{"load": 1, "repeat": r, "iops": 5.0, "lat_mean_s": 1.0} for r in (1, 2)])
    assert "no load point has an interval" in said(pk.repeatability(same))


def test_littles_law_held_broken_and_not_applicable(system, table):
    assert said(pk.littles_law(system())) == (
        "IOPS times mean latency equals the I/Os in flight to within 5% in all 18 closed-loop "
        "results "
        "of w; in the one furthest off, at iodepth 1, it accounts for 100% of them."
    )
    one = table([{"load": 8, "iops": 100.0, "lat_mean_s": 0.04, "in_flight": 8}])
    assert said(pk.littles_law(one)) == (
        "IOPS times mean latency equals the I/Os in flight to within 5% in no closed-loop result "
        "of "
        "w; at iodepth 8, it accounts for 50.0% of them. A result beyond that ran at a different "
        "depth "
        "than it states, or was read wrongly."
    )
    assert said(pk.littles_law(table([{"load": 1}]))) == (
        "Little's law cannot be applied to w: the depth is not known."
    )


@pytest.mark.parametrize("curves", [3, 4])
def test_many_curves_without_an_answer_for_one_reason_are_counted(table, curves):
    """Five pages of "the repeatability of ... is not known: each load point was measured once"."""
    points = table(
        [{"load": 1, "system": f"s{n}", "iops": 5.0, "lat_mean_s": 1.0} for n in range(curves)]
    )
    text = said(pk.repeatability(points))
    assert text.count("The repeatability of ") == (3 if curves == 3 else 1)
    assert ("The repeatability of 4 curves is not known" in text) == (curves == 4)
    assert ("Little's law cannot be applied to 4 curves" in said(pk.littles_law(points))) == (
        curves == 4
    )


def test_of_many_curves_those_furthest_off_are_named(table):
    """Twenty pages of a report had a sentence for each of 385 curves."""
    points = table([
        {"load": 8, "system": f"s{n}", "repeat": repeat, "iops": 100.0 + n * repeat,
         "lat_mean_s": 0.08 + n * repeat / 1e6, "in_flight": 8}
        for n in range(1, 14) for repeat in (1, 2, 3)
    ])  # fmt: skip
    text = said(pk.repeatability(points))
    assert text.startswith("Of 13 curves the 3 whose intervals reach furthest are named. Over 3 ")
    assert [f" of s{n} reach" in text for n in (10, 11, 12, 13)] == [False, True, True, True]
    text = said(pk.littles_law(points))
    assert text.startswith("Of 13 curves the 3 that are furthest off are named. IOPS times ")
    assert text.count("IOPS times mean latency") == 3
    few = said(pk.littles_law(points.filter(repeat=1).filter(system="s1")))
    assert few.startswith("IOPS times mean latency")


def test_what_cannot_be_said_is_refused(system):
    answers = pk.iops_at_latency(system(), 0.001)
    with pytest.raises(AnalysisError, match="no answer to 'peak_iops'"):
        pk.say(answers, "peak_iops")
    with pytest.raises(AnalysisError, match="one id, 'x', for 2 statements"):
        pk.say(answers, value_id="x")
    assert [s.id for s in pk.say(answers, "iops_at_latency", value_id="x")] == ["x"]
    with pytest.raises(AnalysisError, match="these are not answers"):
        pk.say(system())


def test_show_takes_lists_apart(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda *values: shown.extend(values))
    pk.show("a", ["b", "c"], [])
    assert shown == ["a", "b", "c"]


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
    assert say_verdict(judge(system(), [demand("A", "1 s")] * 2)).text == (
        "Of 2 judgements, 2 passed."
    )
    assert say_verdict(judge(system(), [])).text == ("Nothing was judged: no criterion was given.")


def drains(*seconds):
    key = {"workload": "epic-like", "load_kind": "rate_iops", "load": 1000.0, "repeat": 1}
    rows = [{**key, "cycle": i, "drain_s": s} for i, s in enumerate(seconds, 1)]
    return drain_summary(pl.DataFrame(rows, schema_overrides={"drain_s": pl.Float64}))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        ((10.0, 12.0, 9.0, 11.0, 10.0), "5 of 5 drains of W were completed, the longest in 12.0 "
         "s."),
        ((11.0, 12.0), "2 of 2 drains of W were completed, the longest of these in 12.0 s: no "
         "verdict on fewer than five cycles."),
        ((1.0, 1.0, 1.0, 1.0, 1.0, None), "5 of 6 drains of W were completed, the longest of these "
         "in 1.00 s: a planned drain did not happen."),
        ((None,), "none of 1 drain of W was completed."),
    ],
)  # fmt: skip
def test_cycles_are_never_called_genio_and_few_have_no_verdict(seconds, words):
    (told,) = pk.say(drains(*seconds))
    words = words.replace("W", "epic-like (GenIO-like, not GenIO)")
    assert told.id == "longest-drain"
    assert told.text == f"At an offered rate of 1,000 IOPS, repeat 1, {words}"


def test_the_longest_drain_is_that_of_the_answer():
    """A number changed in the answer is the number said."""
    frame = drains(10.0, 12.0, 9.0, 11.0, 10.0).frame.with_columns(value=pl.lit(7.5))
    assert pk.say(frame)[0].text.endswith("were completed, the longest in 7.50 s.")


def test_every_answer_of_drains_has_its_sentence():
    known = {key[1:] for key in templates() if key[0] == "longest_drain"}
    assert known == QUESTIONS["longest_drain"].gives


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
    assert "A400 {x} 8k" in said(pk.lowest_latency(system(workload="A400 {x} 8k")))


def test_nothing_to_say_is_unanswered(system):
    nothing = pk.say(pk.peak(system()).frame.clear())
    assert nothing == pk.Unanswered("answers: no rows, so nothing to say")
