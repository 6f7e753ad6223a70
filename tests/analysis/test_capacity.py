"""Peak, IOPS within and at a latency, lowest latency: what was answered, and never more."""

from __future__ import annotations

import itertools
import math

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import perfkit as pk
from perfkit.analysis.curves.asking import answer, series_of
from perfkit.analysis.curves.curves import latency_curve
from perfkit.analysis.curves.metrics import _time
from perfkit.analysis.curves.questions import CURVE_QUESTIONS
from perfkit.core.answers import QUESTIONS, from_frame
from perfkit.core.errors import AnalysisError
from perfkit.showing.statements.say import templates


@pytest.fixture
def points(table):
    """load_points of (IOPS, latency in ms) at loads 1, 2, 4, ..., or of several repeats of them."""

    def build(*pairs, repeats=None):
        return table([
            {"load": 2**i, "repeat": r, "iops": x, "lat_mean_s": None if ms is None else ms / 1e3}
            for r, own in enumerate(repeats or [pairs], 1)
            for i, (x, ms) in enumerate(own)
        ])  # fmt: skip

    return build


@pytest.fixture
def at(points):
    """The answers within and at a latency."""

    def build(pairs, limit_ms):
        return from_frame(pk.iops_at_latency(points(*pairs), limit_ms / 1e3).frame)

    return build


def loads(found, role="where"):
    return [c.value for c in found.conditions if c.role == role and c.metric == "iodepth"]


def value(found):
    return None if found.estimate is None else found.estimate.value


def test_a_curve_that_bends_back_has_the_most_within_and_the_value_at_the_limit(table):
    """401 thousand at 38.9 µs is not an answer to what the curve gives at 1 ms."""
    rows = ((16, 401e3, 38.9e-6), (32, 320e3, 5e-4), (64, 291.4e3, 1.52e-3))
    data = table([{"load_kind": "numjobs", "load": n, "iops": x, "lat_mean_s": y}
                  for n, x, y in rows])  # fmt: skip
    within, met = (s.text for s in pk.say(pk.iops_at_latency(data, 0.001)))
    assert within == (
        "Within a mean latency of 1 ms, the most that w gave was 401K IOPS (one repeat, so "
        "no interval), at 16 jobs, with a mean latency of 38.9 µs."
    )
    assert met == (
        "At a mean latency of 1 ms, the curve of w gives 306K IOPS (one repeat, so no "
        "interval), interpolated between 32 jobs and 64 jobs."
    )


def test_a_curve_that_stays_below_the_limit_does_not_reach_it(at):
    """At least 95,000 IOPS within 500 ms, and nothing at 500 ms: all was measured up to 0.8 ms."""
    within, met = at([(50e3, 0.4), (95e3, 0.8)], 500)
    assert (value(within), within.status, within.relation) == (95e3, "highest_within", ">=")
    assert "limit_not_reached" in [item.name for item in within.cautions]
    assert (value(met), met.status) == (None, "not_reached")


def test_a_load_that_keeps_the_limit_counts_wherever_it_lies(at):
    """3, 0.5 and 0.6 ms: the limit of 1 ms was kept at two loads."""
    within, met = at([(100.0, 3.0), (200.0, 0.5), (300.0, 0.6)], 1)
    assert (value(within), within.status, loads(within)) == (300.0, "highest_within", [4.0])
    assert (value(met), met.status, loads(met, "between")) == (180.0, "interpolated", [1.0, 2.0])


def test_one_question_has_one_number(at):
    """Points 200k at 0.8 ms and 120k at 2 ms: 187k is at the limit, 200k within it."""
    within, met = at([(200e3, 0.8), (120e3, 2.0)], 1)
    assert (value(within), value(met)) == (200e3, pytest.approx(186_666.67))


def test_the_answer_is_that_of_the_curve_that_is_drawn(points):
    """Repeats of 10k and 30k: 20,000 in the curve, and in every answer."""
    data = points(repeats=[[(10e3, 1.0)], [(30e3, 1.0)]])
    drawn = latency_curve(data).frame["iops"].to_list()
    (one,) = series_of(data)
    asked = [("peak_iops", None), ("iops_at_load", 1), ("iops_at_latency", 1e-3)]
    assert drawn == [value(answer(q, one, x)) for q, x in asked][:1] == [20e3]
    assert {value(answer(q, one, x)) for q, x in asked} == {20e3}


def test_an_interval_of_iops_never_goes_below_zero(points):
    """It was -196,000 to 376,000 IOPS."""
    data = points(repeats=[[(68e3, 1.0)], [(113e3, 1.0)]])
    found = from_frame(pk.peak(data).frame)[0].estimate
    assert 0 < found.low < found.value < found.high
    row = latency_curve(data).frame.row(0, named=True)
    assert 0 < row["iops_low"] < row["iops"] < row["iops_high"]


def test_no_io_is_no_peak(points):
    """It was "reached a peak of 0.00 IOPS"."""
    (found,) = from_frame(pk.peak(points((0.0, None), (0.0, None))).frame)
    assert (value(found), found.status, found.cautions[0].name) == (None, "missing", "no_io")
    assert pk.say(pk.peak(points((0.0, None))))[0].text == (
        "The peak of w is not known: it did no I/O at any load."
    )


def test_a_value_just_beyond_the_limit_is_printed_apart_from_it(at, points):
    texts = [s.text for s in pk.say(pk.iops_at_latency(points((100.0, 1.0004)), 0.001))]
    assert texts == [
        "w did not stay within a mean latency of 1 ms at any load: its lowest mean latency was "
        "1.0004 ms, at iodepth 1, with 100 IOPS.",
        "The curve of w lies above a mean latency of 1 ms at every load measured: its lowest was "
        "1.0004 ms, at iodepth 1, with 100 IOPS.",
    ]


@pytest.mark.parametrize(("pairs", "limit", "status", "got"), [
    ([(100.0, 1.0), (200.0, 2.0), (250.0, 4.0)], 3, "interpolated", 225.0),
    ([(100.0, 1.0), (200.0, 2.0), (250.0, 4.0)], 2, "measured", 200.0),
    ([(100.0, 1.0), (200.0, 2.0)], 0.5, "beyond_measured", None),
    ([(100.0, 1.0), (200.0, 2.0)], 5, "not_reached", None),
    ([(100.0, 1.0), (200.0, 3.0), (300.0, 1.5), (400.0, 5.0)], 2, "ambiguous", None),
    ([(100.0, 2.0), (200.0, 2.0)], 2, "ambiguous", None),
    ([(100.0, 1.0), (100.0, 3.0)], 2, "interpolated", 100.0),
    ([(100.0, 1.0), (200.0, None), (300.0, 5.0)], 2, "missing", None),
    ([(100.0, 1.0), (200.0, 3.0), (300.0, None)], 2, "interpolated", 150.0),
    ([(100.0, 1.0), (200.0, None)], 2, "missing", None),
    ([(None, 1.0), (200.0, 3.0)], 2, "missing", None),
    ([(None, None)], 2, "missing", None),
])  # fmt: skip
def test_iops_at_a_latency_by_status(at, pairs, limit, status, got):
    found = at(pairs, limit)[1]
    assert (found.status, value(found)) == (status, got and pytest.approx(got))


@pytest.mark.parametrize(("pairs", "limit", "status", "relation", "got"), [
    ([(100.0, 1.0), (200.0, 2.0), (250.0, 4.0)], 2, "highest_within", "=", 200.0),
    ([(100.0, 1.0), (200.0, 2.0), (150.0, 4.0)], 3, "highest_within", "=", 200.0),
    ([(100.0, 1.0), (200.0, None), (50.0, 5.0)], 2, "highest_within", ">=", 100.0),
    ([(300.0, 1.0), (200.0, None), (50.0, 5.0)], 2, "highest_within", "=", 300.0),
    ([(100.0, 3.0), (None, 1.0)], 2, "missing", "=", None),
    ([(100.0, 3.0), (None, 4.0)], 2, "beyond_measured", "=", None),
    ([(0.0, None), (50.0, 5.0)], 2, "beyond_measured", "=", None),
    ([(100.0, 1.0), (None, 4.0)], 2, "highest_within", "=", 100.0),
    ([(100.0, 1.0), (50.0, 2.000000000000001)], 2, "highest_within", ">=", 100.0),
])  # fmt: skip
def test_the_most_within_a_latency_by_status(at, pairs, limit, *, status, relation, got):
    found = at(pairs, limit)[0]
    assert (found.status, found.relation, value(found)) == (status, relation, got)


def test_a_value_that_keeps_a_limit_never_prints_above_it(points):
    said = [s.text for s in pk.say(pk.iops_at_latency(points((100.0, 0.99956)), 0.0009996))]
    assert (
        "with a mean latency of 999.6 µs; it may give more: its highest mean latency, " in said[0]
    )
    assert "999.6 µs, is within the limit" in said[0]
    assert "its highest was 999.56 µs" in said[1]


def test_a_peak_among_load_points_measured_once_says_why_it_has_no_interval(points):
    data = points(repeats=[[(100.0, 0.5), (200.0, 2.0)], [(101.0, 0.5)]])
    first = data.filter(pl.col("load") == 1).with_columns(pl.col("iops") * 9)
    text = pk.say(pk.peak(pl.concat([first, data.filter(pl.col("load") == 2)])))[0].text
    assert "904 IOPS (no interval: another load point was measured once) at iodepth 1" in text


def test_several_limits_are_several_answers(points):
    said = pk.say(pk.iops_at_latency(points((1e3, 1.0), (2e3, 2.0)), [0.0012, 0.0015]))
    assert [s.id for s in said] == [
        "most-iops-within-latency-1-2-ms", "iops-at-latency-1-2-ms",
        "most-iops-within-latency-1-5-ms", "iops-at-latency-1-5-ms",
    ]  # fmt: skip


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf"), "1 ms", None, True])
def test_a_limit_that_is_no_time_is_refused(points, limit):
    with pytest.raises(AnalysisError, match=r"is asked at a latency in seconds"):
        pk.iops_at_latency(points((1.0, 1.0)), limit)


def test_what_cannot_be_asked_is_refused(points):
    data = points((1.0, 1.0))
    with pytest.raises(AnalysisError, match="'iops' is not a latency"):
        pk.iops_at_latency(data, 0.1, metric="iops")
    with pytest.raises(AnalysisError, match="no curve is asked 'iops_at_latencies'"):
        pk.ask_curve(data, "iops_at_latencies", 1)
    with pytest.raises(AnalysisError, match="asked at no value"):
        pk.ask_curve(data, "peak_iops", 1)
    with pytest.raises(AnalysisError, match="no latency limit"):
        pk.iops_at_latency(data, [])
    with pytest.raises(AnalysisError, match="no rows of direction"):
        pk.peak(data.clear())


@pytest.mark.parametrize(("column", "bad"), [
    ("iops", -1.0), ("iops", float("nan")), ("iops", float("inf")), ("lat_mean_s", 0.0),
    ("lat_mean_s", -1.0), ("lat_mean_s", float("nan")), ("cpu_busy_ratio", 35.0),
    ("cpu_busy_ratio", float("nan")), ("load", float("nan")), ("load", -1.0),
    ("load", float("inf")), ("in_flight", float("nan")), ("target_iops", -1.0),
])  # fmt: skip
def test_what_nothing_can_measure_is_refused(points, column, bad):
    data = points((1.0, 1.0), (2.0, 2.0)).with_columns(pl.lit(bad).alias(column))
    with pytest.raises(AnalysisError, match=r"which nothing can measure|a load is a number"):
        pk.peak(data)


def test_the_peak_is_the_highest_mean_with_its_load_and_interval(system):
    (found,) = from_frame(pk.peak(system()).frame)
    assert value(found) == pytest.approx(1 / (1e-4 / 32 + 1e-5))
    assert (loads(found), found.relation, found.estimate.n) == ([32.0], ">=", 3)
    assert found.estimate.low < found.estimate.value < found.estimate.high


@pytest.mark.parametrize(("pairs", "relation", "load"), [
    ([(100.0, 1.0), (200.0, 2.0), (150.0, 4.0)], "=", 2.0),
    ([(9.0, 1.0), (9.0, 2.0), (1.0, 3.0)], "=", 1.0),
    ([(9.0, 1.0), (9.0, 2.0)], ">=", 1.0),
    ([(9.0, 1.0)], ">=", 1.0),
    ([(9.0, 1.0), (None, 2.0), (5.0, 2.0)], ">=", 1.0),
])  # fmt: skip
def test_a_peak_that_may_lie_higher_is_a_lower_bound(points, pairs, relation, load):
    (found,) = from_frame(pk.peak(points(*pairs)).frame)
    assert (found.relation, loads(found), value(found)) == (relation, [load], pairs[0][0] if load
                                                           == 1 else 200.0)  # fmt: skip


def test_each_curve_has_its_own_answer(system):
    both = system(workload="a").vstack(system(workload="b", depths=(1, 2)))
    found = from_frame(pk.peak(both).frame)
    assert [(a.subject.label, *loads(a)) for a in found] == [("a", 32.0), ("b", 2.0)]
    assert pk.say(pk.peak(both))[0].text.count("gave at least") == 2


@pytest.mark.parametrize(("repeats", "caution", "words"), [
    ([[(10.0, 1.0)]], "one_repeat", "(one repeat, so no interval)"),
    ([[(10.0, 1.0)]] * 3, "no_spread", "(no interval: 3 repeats that do not differ)"),
    ([[(10.0, 1.0)], [(12.0, 1.0)]], "two_repeats", "over only 2 repeats, for the highest of "
     "all loads)"),
    ([[(1e-9, 1.0)], [(1e9, 1.0)]], "interval_too_wide", "2 repeats that differ too much)"),
    ([[(0.0, None)], [(12.0, 1.0)]], "zero_value", "(no interval: a repeat has the value zero)"),
])  # fmt: skip
def test_an_interval_or_why_there_is_none(points, repeats, caution, words):
    answers = pk.peak(points(repeats=repeats))
    assert caution in [item.name for item in from_frame(answers.frame)[0].cautions]
    assert words in pk.say(answers)[0].text


def test_a_repeat_without_an_answer_leaves_no_interval(points):
    """One repeat crosses the limit, one stays below it: the curve crosses it."""
    data = points(repeats=[[(100.0, 0.5), (200.0, 2.0)], [(100.0, 0.5), (200.0, 0.9)]])
    met = pk.ask_curve(data, "iops_at_latency", 1e-3)
    assert "(no interval: not each of 2 repeats has an answer)" in pk.say(met)[0].text


def test_repeats_that_lack_a_load_are_told(points):
    data = points(repeats=[[(100.0, 0.5), (200.0, 2.0)], [(101.0, 0.5)], [(103.0, 0.6)]])
    (one,) = series_of(data)
    found = answer("iops_at_load", one, 2)
    assert found.estimate.n == 1
    assert {"uneven_repeats", "one_repeat"} <= {item.name for item in found.cautions}
    assert answer("iops_at_load", one, 1).estimate.n == 3


def test_loads_are_never_interpolated(points):
    data = points((100.0, 1.0), (200.0, 2.0), (300.0, 4.0))
    said = pk.say(pk.ask_curve(data, "iops_at_load", [2, 3, 8, 0.5]))
    assert [s.text for s in said] == [
        "At iodepth 2, w gave 200 IOPS (one repeat, so no interval).",
        "The IOPS of w at iodepth 3 are not known: this load was not measured.",
        "w was not measured at iodepth 8: its highest load was iodepth 4.",
        "w was not measured at iodepth 0.5: its lowest load was iodepth 1.",
    ]


def test_the_other_questions_of_a_curve(system):
    data = system(repeats=1, depths=(1, 2, 4))
    said = {
        q: pk.say(pk.ask_curve(data, q, x))[0].text for q, x in (
            ("latency_at_iops", 15e3), ("cpu_at_iops", 15e3), ("iops_at_cpu", 0.15),
            ("latency_at_load", 2), ("cpu_at_load", 2), ("iops_per_busy_core", None),
        )
    }  # fmt: skip
    assert said == {
        "latency_at_iops": "At 15,000 IOPS, the curve of w gives a mean latency of 118 µs (one "
        "repeat, so no interval), interpolated between iodepth 1 and iodepth 2.",
        "cpu_at_iops": "At 15,000 IOPS, the curve of w gives a host CPU busy share of 18% (one "
        "repeat, so no interval), interpolated between iodepth 1 and iodepth 2.",
        "iops_at_cpu": "At a host CPU busy share of 15%, the curve of w gives 10,000 IOPS (one "
        "repeat, so no interval), interpolated between iodepth 1 and iodepth 2.",
        "latency_at_load": "At iodepth 2, w had a mean latency of 120 µs (one repeat, so no "
        "interval).",
        "cpu_at_load": "At iodepth 2, w had a host CPU busy share of 18% (one repeat, so no "
        "interval).",
        "iops_per_busy_core": "The IOPS of w per busy core are not known: the number of "
        "cores is not known.",
    }


def test_percentiles_are_those_of_the_merged_histogram_or_missing(system):
    data = system(repeats=3)
    assert "99th percentile latency missing" in pk.say(
        pk.iops_at_latency(data, 0.001, metric="lat_p99_s")
    )[1].text  # fmt: skip
    one = pk.say(pk.lowest_latency(system(repeats=1), metric="lat_p99_s"))[0].text
    assert one.startswith("The lowest 99th percentile latency of w was 330 µs")


def test_a_direction_is_named_with_the_subject(system):
    text = pk.say(pk.peak(system(direction="read"), direction="read"))[0].text
    assert text.startswith("w (reads only) gave at least 76,200 IOPS")


def test_the_cautions_of_rows_are_those_of_the_answers_that_rest_on_them(points):
    from perfkit.core.cautions import caution, to_json

    told = caution("busy_host", share="99%")
    notes = [to_json([told]), None, None]
    data = points((100.0, 1.0), (200.0, 2.0), (150.0, 4.0)).with_columns(
        cautions=pl.Series(notes, dtype=pl.String)
    )
    assert latency_curve(data).frame["cautions"].to_list() == notes
    (one,) = series_of(data)
    assert told in answer("iops_at_load", one, 1).cautions
    assert told not in answer("peak_iops", one).cautions


def test_the_chart_marks_the_answers_and_no_other_numbers(table):
    """The limit's line, the ring and the cross lie where the sentences say."""
    rows = ((16, 401e3, 38.9e-6), (32, 320e3, 5e-4), (64, 291.4e3, 1.52e-3))
    data = table([{"load": n, "iops": x, "lat_mean_s": y} for n, x, y in rows])
    answers = pk.iops_at_latency(data, 0.001)
    figure = pk.plot_latency_curve(latency_curve(data), answers=answers)
    drawn = figure.plotly.to_plotly_json()
    marks = {t["meta"]: (t["x"][0], t["y"][0] / 1e3) for t in drawn["data"] if "meta" in t}
    within, met = (value(found) for found in from_frame(answers.frame))
    assert marks == {
        "most_iops_within_latency": (pytest.approx(within), pytest.approx(38.9e-6)),
        "iops_at_latency": (pytest.approx(met), pytest.approx(1e-3)),
    }
    (line,) = (shape for shape in drawn["layout"]["shapes"] if shape["type"] == "line")
    assert line["y0"] == line["y1"] == 1.0
    assert "A ring marks w with 401K IOPS at 38.9 µs." in figure.alt
    assert "A cross marks w with 306K IOPS at 1.00 ms." in figure.alt
    assert "a ring marks the most IOPS within it and a cross the IOPS at it" in figure.caption


@pytest.mark.parametrize("asked", [
    lambda data: pk.iops_at_latency(data, [0.001, 0.002]),
    lambda data: pk.iops_at_latency(data, 0.001, metric="lat_p99_s"),
    pk.peak,
    lambda data: pk.iops_at_latency(data.with_columns(workload=pl.lit("other")), 0.004),
])  # fmt: skip
def test_a_chart_refuses_answers_that_are_not_its_own(points, asked):
    data = points((100.0, 1.0), (200.0, 3.0), (300.0, 5.0))
    with pytest.raises(AnalysisError, match=r"to one limit of it|is not a curve of this chart"):
        pk.plot_latency_curve(latency_curve(data), answers=asked(data))


def test_no_line_is_drawn_over_a_load_point_without_a_value(points):
    """The sentence says that the IOPS at 2 ms are not known, and so does the chart."""
    data = points((100.0, 1.0), (200.0, None), (300.0, 5.0), (310.0, 6.0))
    assert from_frame(pk.ask_curve(data, "iops_at_latency", 2e-3).frame)[0].status == "missing"
    (trace,) = pk.plot_latency_curve(latency_curve(data)).plotly.to_plotly_json()["data"]
    assert list(trace["x"]) == [100.0, None, 300.0, 310.0]
    assert list(trace["y"]) == [1.0, None, 5.0, 6.0]


def test_a_table_of_load_points_has_the_numbers_of_the_answers(system):
    data = system()
    rows = pk.table_load_points(latency_curve(data)).content()
    keys = [column["key"] for column in rows["columns"]]
    (one,) = series_of(data)
    for row in rows["values"]:
        told = dict(zip(keys, row, strict=True))
        iops, latency = (
            answer(q, one, told["load"]).estimate for q in ("iops_at_load", "latency_at_load")
        )
        assert (told["iops"], told["lat_mean_s"]) == (iops.value, latency.value)
        assert (told["iops_low"], told["iops_high"]) == (iops.low, iops.high)
        assert (told["lat_mean_s_low"], told["lat_mean_s_high"]) == (latency.low, latency.high)


def test_two_keys_never_have_one_name(table):
    rows = [
        {"load": 1, "iops": 1.0, "lat_mean_s": 1.0, "system": "a, b"},
        {"load": 1, "iops": 2.0, "lat_mean_s": 1.0, "system": "a", "config": "b"},
    ]
    found = from_frame(pk.peak(table(rows)).frame)
    assert {a.subject.label for a in found} == {"system a, b", "system a, config b"}


IOPS = st.one_of(st.none(), st.just(0.0), st.floats(1e-3, 1e9))
LATENCY = st.one_of(st.none(), st.sampled_from([0.5, 1.0, 2.0]), st.floats(1e-6, 1e6))
CURVES = st.lists(st.lists(st.tuples(IOPS, LATENCY), min_size=3, max_size=3), min_size=1,
                  max_size=3)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(curves=CURVES, limit=st.sampled_from([0.5, 1.0, 1.5, 100.0]))
def test_every_answer_of_any_curve_has_its_sentence(points, curves, limit):
    """No traceback, no claim outside what was measured, and every answer can be said."""
    data = points(repeats=curves)
    (one,) = series_of(data)
    measured = [x for row in curves for x, _ in row if x]
    at_of = {"latency": limit / 1e3, "iops": 100.0, "cpu_busy_ratio": 0.5, "load": 2.0, None: None}
    for question, asked in CURVE_QUESTIONS.items():
        found = answer(question, one, at_of[asked.at])
        assert (found.status, found.relation) in QUESTIONS[question].gives
        if found.estimate and QUESTIONS[question].unit == "1/s" and measured:
            assert min(0.0, *measured) <= found.estimate.value <= max(measured) * (1 + 1e-12)
    for verb in (pk.peak, pk.lowest_latency, pk.knee, pk.plateau, pk.repeatability,
                 pk.littles_law):  # fmt: skip
        for said in pk.say(verb(data)):
            assert "nan" not in said.text
            assert "inf" not in said.text.replace("interval", "")
    for said in pk.say(pk.iops_at_latency(data, limit / 1e3)):
        assert said.text.endswith(".")


@pytest.mark.slow
@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
@given(
    pairs=st.lists(st.tuples(st.floats(1, 1e6), st.floats(0.01, 100)), min_size=1, max_size=6),
    limit=st.floats(0.01, 100),
)
def test_the_answers_hold_against_the_points(at, pairs, limit):
    """Counted again from the points alone."""
    # values as close as the rounding of a mean are equal, which plain numbers do not know
    assume(all(ms == limit or not math.isclose(ms, limit, rel_tol=1e-9) for _, ms in pairs))
    within, met = at(pairs, limit)
    limit_s = limit / 1e3
    kept = [x for x, ms in pairs if ms / 1e3 <= limit_s]
    assert value(within) == max(kept, default=None)
    assert (within.relation == ">=") == (len(kept) == len(pairs))
    crossings = sum(ms / 1e3 == limit_s for _, ms in pairs) + sum(
        (a / 1e3 - limit_s) * (b / 1e3 - limit_s) < 0
        for (_, a), (_, b) in itertools.pairwise(pairs)
    )
    assert (met.estimate is not None) == (crossings == 1)
    assert (met.status == "ambiguous") == (crossings > 1)
    if met.status == "interpolated":
        (x0, y0), (x1, y1) = (pairs[int(math.log2(n))] for n in loads(met, "between"))
        share = (limit - y0) / (y1 - y0)
        assert value(met) == pytest.approx(x0 + share * (x1 - x0), rel=1e-6)


def test_every_status_of_every_question_has_a_sentence():
    known = templates()
    asked = {name: q.gives for name, q in QUESTIONS.items() if q.gives}
    assert set(CURVE_QUESTIONS) <= set(asked)
    for name, gives in asked.items():
        for status, relation in gives:
            if (name, status) == ("range_over_curves", "measured"):
                # it is only ever a finding: a headline with its detail
                assert {
                    (f"{part} {name}", status, relation) for part in ("headline", "detail")
                } <= set(known)
            else:
                assert (name, status, relation) in known
    for name, status, relation in known:
        if name in asked:
            assert (status, relation) in asked[name], name


@pytest.mark.parametrize(("iops", "cautions"), [(1000, []), (1001, ["gap"])])
def test_a_load_of_unknown_latency_matters_where_it_could_be_the_most(at, iops, cautions):
    """1,000 IOPS lie within 1 ms: a load that did as many and no more changes nothing."""
    (within, _) = at([(500, 0.2), (iops, None), (1000, 0.5)], 1.0)
    assert value(within) == 1000
    assert [item.name for item in within.cautions if item.name == "gap"] == cautions


@pytest.mark.parametrize(("iops", "relation"), [(100.0, "="), (101.0, ">=")])
def test_a_load_without_latency_may_be_the_most_only_where_it_gave_more(at, iops, relation):
    within, _ = at([(100.0, 0.5), (iops, None), (90.0, 3.0)], 1)
    assert (value(within), within.relation) == (100.0, relation)


@pytest.mark.parametrize(("low", "unit"), [(10 * 1e-6, "ms"), (9.9e-6, "us")])
def test_a_column_of_times_is_in_ms_from_10_microseconds_on(low, unit):
    assert _time(low, 2e-3).unit == unit


def test_the_interval_of_the_best_of_several_points_holds_for_all_of_them():
    """The highest of many is high by chance: Student's t of it alone would be too narrow."""
    made = {name: QUESTIONS[name].interval.split(",")[0] for name in CURVE_QUESTIONS}
    together = {name for name, how in made.items() if how == "bounds for all load points together"}
    assert together == {"peak_iops", "most_iops_within_latency", "lowest_latency"}
    assert {made[name] for name in made.keys() - together} == {
        "Student's t over the repeats' own answers"
    }


def test_at_a_load_without_io_the_hosts_were_busy_all_the_same(table):
    data = table([{"load": 2, "iops": 0.0, "lat_mean_s": None, "cpu_busy_ratio": 0.25},
                  {"load": 4, "iops": 9.0, "lat_mean_s": 1.0, "cpu_busy_ratio": None}])  # fmt: skip
    (series,) = series_of(data, None, "total")
    busy = answer("cpu_at_load", series, 2.0)
    assert (busy.status, value(busy)) == ("measured", 0.25)
    for question in ("iops_at_load", "latency_at_load", "throughput_at_load"):
        found = answer(question, series, 2.0)
        assert (found.status, found.reason) == ("missing", "it did no I/O at iodepth 2")
    assert "missing at iodepth 4" in answer("cpu_at_load", series, 4.0).reason
    assert value(answer("iops_at_load", series, 4.0)) == 9.0
