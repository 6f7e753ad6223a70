"""Tables and sentences of a comparison, word for word."""

import re

import polars as pl
import pytest

from perfkit.analysis.compare.pairs import compare
from perfkit.analysis.compare.printing import form_of, ratio_printed, signed
from perfkit.analysis.compare.scaling import usl, usl_iops
from perfkit.analysis.curves.curves import latency_curve
from perfkit.core.answers import CHANGES
from perfkit.core.errors import AnalysisError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.showing.sentences import article
from perfkit.showing.statements.say import CHANGE, say, templates
from perfkit.showing.tables.compare import table_comparison, table_scaling

TRACED = Lineage((Evidence("awr", "a.html", "00"),), (), traceable=True)


def points(*rows):
    usual = {"workload": "w", "load_kind": "threads", "repeat": 1, "direction": "total"}
    full = [{**dict.fromkeys(LOAD_POINTS), **usual, **row} for row in rows]
    return Measured(pl.DataFrame(full, schema=polars_schema(LOAD_POINTS)), TRACED)


def curve(system, xys, **more):
    return [
        {"system": system, "load": float(n), "iops": float(x), "lat_mean_s": y * 1e-6, **more}
        for n, (x, y) in enumerate(xys, 1)
    ]


def three(system, xys, factors=(0.99, 1.0, 1.01)):
    """Three repeats whose IOPS differ by these factors."""
    return [
        row for n, factor in enumerate(factors, 1)
        for row in curve(system, [(x * factor, y) for x, y in xys], repeat=n)
    ]  # fmt: skip


SLOW = [(100_000, 300), (160_000, 400), (200_000, 800)]
FAST = [(150_000, 300), (255_000, 400), (300_000, 900)]


def statement(rows, question, **given):
    (found,) = say(compare(points(*rows), **given), question)
    return found


def said(rows, question, **given):
    return statement(rows, question, **given).text


def test_one_repeat_says_whose_it_is():
    rows = [*curve("FCP", SLOW), *curve("NVMe/FC", FAST)]
    assert said(rows, "iops_at_latency", latencies_s=[400e-6]) == (
        "At a mean latency of 400 µs, NVMe/FC served 59% more IOPS than FCP (255K IOPS "
        "against 160K IOPS; NVMe/FC and FCP were each measured once, so there is no "
        "interval)."
    )
    five = [*curve("FCP", SLOW), *three("NVMe/FC", FAST, (0.98, 0.99, 1, 1.01, 1.02))]
    assert "; FCP was measured once, so there is no interval)." in said(five, "peak_iops")


def test_three_repeats_say_their_interval_and_two_say_only():
    rows = [*three("FCP", SLOW), *three("NVMe/FC", FAST)]
    assert said(rows, "latency_at_iops", iops=[180_000.0]) == (
        "At 180K IOPS, NVMe/FC had a 45% lower mean latency than FCP (329 µs against 600 "
        "µs; 95% interval 41% to 49% lower, over 3 repeats each)."
    )
    two = [row for row in rows if row["repeat"] < 3]
    assert ", over only 2 repeats each)" in said(two, "latency_at_iops", iops=[180_000.0])
    one_side = [row for row in rows if row["repeat"] < 3 or row["system"] == "FCP"]
    assert ", over only 2 repeats of NVMe/FC and 3 of FCP" in said(one_side, "peak_iops")


def test_a_difference_within_the_noise_is_said_to_be_none():
    rows = [*three("A", SLOW), *three("B", [(x * 1.002, y) for x, y in SLOW])]
    text = said(rows, "peak_iops")
    assert text.startswith("At their highest measured IOPS, B served 0.2% more IOPS than A (at ")
    assert "% fewer to " in text
    assert text.endswith("% more, over 3 repeats each; no difference is shown).")


def test_equal_repeats_are_not_called_one_repeat():
    rows = [*three("A", SLOW, (1, 1, 1)), *three("B", FAST, (1, 1, 1))]
    assert "; the repeats of B and A do not differ, so there is no interval)" in said(
        rows, "peak_iops"
    )


def test_latency_falls_and_cpu_is_used():
    rows = [{**row, "cpu_busy_ratio": row["iops"] / 1e6} for row in curve("A", SLOW)]
    rows += [{**row, "cpu_busy_ratio": row["iops"] / 2e6} for row in curve("B", FAST)]
    given = {"iops": [180_000.0], "loads": [2.0]}
    assert said(rows, "latency_at_iops", **given).startswith(
        "At 180K IOPS, B had a 45% lower mean latency than A (329 µs against 600 µs;"
    )
    assert said(rows, "cpu_at_iops", **given).startswith(
        "At 180K IOPS, B used 50% less of the host CPU than A (9.0% against 18%;"
    )
    assert said(rows, "cpu_at_load", **given).startswith(
        "At 2 threads, B used 20% less of the host CPU than A (13% against 16%;"
    )
    cores = {"A": 8, "B": 4}
    assert said(rows, "iops_per_busy_core", cores=cores).startswith(
        "At their peaks, B served 4.0 times the IOPS per busy core of A (500K IOPS against "
        "125K IOPS;"
    )


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (1e-4, "B served 0.010% of the IOPS of A (20.0 IOPS at 2 threads against 200K"),
        (0.1, "B served 10% of the IOPS of A"), (0.11, "B served 89% fewer IOPS than A"),
        (1.99, "B served 99% more IOPS than A"), (2.0, "B served 2.0 times the IOPS of A"),
        (10.0, "B served 10 times the IOPS of A"), (12.0, "B served 12 times the IOPS of A"),
        (1.0, "B and A are equal in IOPS (200K IOPS at 2 threads against 200K"),
    ],
)  # fmt: skip
def test_orders_of_magnitude_have_their_own_words(times, words):
    """Never "100% fewer", "900% more", or "12 times more"."""
    falling = [(100_000, 300), (200_000, 400), (150_000, 800)]
    rows = [*curve("A", falling), *curve("B", [(x * times, y) for x, y in falling])]
    assert f"At their highest measured IOPS, {words}" in said(rows, "peak_iops")


def test_an_interval_is_said_as_its_change_is():
    """Never "788% to 10 times more"."""
    rows = [*three("A", SLOW), *three("B", [(x * 9.95, y) for x, y in SLOW])]
    text = said(rows, "peak_iops")
    assert "B served 9.9 times the IOPS of A" in text or "B served 10 times the IOPS of A" in text
    low, _, high = text.partition("95% interval ")[2].partition(" times, over")[0].split(" ")
    assert float(low) < 9.95 < float(high)
    percents = [*three("A", SLOW), *three("B", [(x * 1.95, y) for x, y in SLOW])]
    assert re.search(r"95% interval \d\d% to 1\d\d% more, over", said(percents, "peak_iops"))
    shares = [*three("A", SLOW), *three("B", [(x / 2000, y) for x, y in SLOW])]
    assert "95% interval 0.0" in said(shares, "peak_iops")


def test_a_far_lower_end_is_not_rounded_to_everything():
    rows = [*three("A", SLOW, (0.2, 1.0)), *three("B", [(x * 1.5, y) for x, y in SLOW], (0.5, 1.0))]
    assert "100% fewer" not in said(rows, "peak_iops")
    assert ratio_printed(0.0004, "percent").text == "99.96%"


def test_a_bound_on_one_side_is_part_of_the_change():
    falling = [(100_000, 300), (200_000, 400), (150_000, 800)]
    rows = [*curve("A", falling), *curve("B", FAST)]
    assert said(rows, "peak_iops").startswith(
        "At their highest measured IOPS, B served at least 50% more IOPS than A (at least 300K "
        "IOPS at 3 threads against 200K IOPS at 2 threads;"
    )
    turned = said(rows, "peak_iops", baseline="B")
    assert turned.startswith(
        "At their highest measured IOPS, A served at least 33% fewer IOPS than B (200K"
    )
    both = said([*curve("A", SLOW), *curve("B", FAST)], "most_iops_within_latency",
                latencies_s=[1e-3])  # fmt: skip
    assert both.startswith(
        "Within a mean latency of 1 ms, as far as measured, B served 50% more IOPS than A (at "
        "least 300K IOPS at 3 threads against at least 200K IOPS at 3 threads;"
    )


def test_what_was_not_reached_has_no_number():
    rows = [*curve("A", SLOW), *curve("B", FAST)]
    assert said(rows, "latency_at_iops", iops=[250_000.0]) == (
        "At 250K IOPS, the curve of B gives a mean latency of 395 µs (one repeat, so no "
        "interval), interpolated between 1 thread and 2 threads. The curve of A does not reach "
        "250K IOPS: its highest was 200K IOPS, at 3 threads, with a mean latency of "
        "800 µs. B is not compared with A."
    )


def test_loads_of_different_kinds_are_not_compared_and_say_why():
    rows = [*curve("A", SLOW), *curve("B", FAST, load_kind="processes")]
    text = said(rows, "iops_at_load", loads=[1.0], allow="load_kind")
    assert text.endswith("A, by threads: loads of different kinds are not equal.")


def test_curves_that_cross_say_where():
    """Below 150,000 IOPS A is ahead, at 150,000 both have 300 µs, above it B is."""
    a = curve("A", [(100_000, 200), (150_000, 300), (200_000, 600)])
    b = curve("B", [(100_000, 250), (150_000, 300), (200_000, 400)])
    # between the last and the next clear difference: log(1.25) at 100,000, log(2/3) at 200,000
    found = statement([*a, *b], "latency_at_iops", iops=[180_000.0])
    assert "the curves cross at 135K IOPS: beyond it the other is ahead" in found.caution


def test_curves_that_only_touch_do_not_cross():
    a = curve("A", [(100_000, 200), (150_000, 300), (200_000, 600)])
    b = curve("B", [(100_000, 250), (150_000, 300), (200_000, 700)])
    found = statement([*a, *b], "latency_at_iops", iops=[180_000.0])
    assert "cross" not in found.caution


@pytest.mark.parametrize(
    ("ratio", "text", "cell"),
    [
        (1.594, "59%", "+59%"), (1.596, "60%", "+60%"), (0.9, "10%", "−10%"),
        (1.0951, "10%", "+10%"), (1.0949, "9.5%", "+9.5%"), (1.0841, "8.4%", "+8.4%"),
        (1.00051, "0.1%", "+0.1%"), (1.0004, "less than 0.1%", "less than +0.1%"),
        (2.41, "2.4", "2.4 times"), (9.9, "9.9", "9.9 times"), (123.4, "120", "120 times"),
        (0.0001, "0.010%", "0.010%"), (1.0, "0.0%", "0.0%"),
    ],
)  # fmt: skip
def test_how_changes_are_rounded(ratio, text, cell):
    assert ratio_printed(ratio, form_of(ratio)).text == text
    assert signed(ratio, form_of(ratio)) == cell


def test_a_question_that_was_not_asked_is_refused():
    found = compare(points(*curve("A", SLOW), *curve("B", FAST)), latencies_s=[4e-4])
    with pytest.raises(AnalysisError, match="no answer to 'iops_at_latencies'"):
        say(found, "iops_at_latencies")
    with pytest.raises(AnalysisError, match="no question 'iops_at_latencies'"):
        table_comparison(found, question="iops_at_latencies")
    assert say(found, "iops_at_load") == []


def test_the_table_of_equal_latency():
    rows = [*three("FCP", SLOW), *three("NVMe/FC", FAST)]
    found = compare(points(*rows), latencies_s=[400e-6, 850e-6])
    table = table_comparison(found)
    assert [column.label for column in table.columns] == [
        "Mean latency (µs)", "FCP", "NVMe/FC", "Change", "95% interval", "Repeats",
    ]  # fmt: skip
    assert table.rows[1][1] == "not reached (800 µs)"
    assert table.rows[1][3] is None
    assert table.rows[0][:4] == (400e-6, pytest.approx(160_000), pytest.approx(255_000), "+59%")
    low, high = table.rows[0][4].split(" to ")
    assert (low[0], high[0], low[-1], high[-1]) == ("+", "+", "%", "%")
    assert table.note == (
        "Intervals: moderated t on logarithms; those of one pair and metric hold simultaneously."
    )


def test_the_table_marks_what_is_not_shown_and_what_is_a_bound():
    rows = [*three("A", SLOW), *three("B", [(x * 1.002, y) for x, y in SLOW])]
    table = table_comparison(compare(points(*rows)), question="peak_iops")
    cells = dict(zip([column.label for column in table.columns], table.rows[0], strict=True))
    assert (cells["Difference"], cells["A"], cells["Change"]) == ("not shown", "≥ 200,000", "+0.2%")
    assert any(item.name == "highest_load" for item in table.cautions)


def test_the_table_says_what_differs():
    rows = [*curve("A", SLOW), *curve("B", FAST, load_kind="processes")]
    found = compare(points(*rows), latencies_s=[400e-6], loads=[1.0], allow="load_kind")
    table = table_comparison(found)
    assert table.columns[-1].label == "Conditions that differ"
    assert table.rows[0][-1] == "load kind differs (threads against processes)"
    with_load = table_comparison(found, question="iops_at_load")
    assert "Loads of different kinds are not equal." in with_load.note


def test_the_table_of_the_scaling_law_has_a_reason_where_there_is_no_fit():
    rows = [
        {"system": "A", "load": n, "iops": usl_iops(n, 9000.0, 0.02, 0.0005), "lat_mean_s": 1e-3}
        for n in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
    ]
    rows += curve("B", SLOW)
    table = table_scaling(usl(latency_curve(points(*rows))))
    labels = [column.label for column in table.columns]
    assert table.rows[0][labels.index("IOPS of one unit of load")] == pytest.approx(9000)
    assert table.rows[1][labels.index("Not fitted because")] == "fewer than 4 loads"


def test_nothing_of_the_scaling_law_above_0_prints_as_0():
    rows = [
        {"system": "A", "load": n, "lat_mean_s": 1e-3,
         "iops": usl_iops(n, 9000.0, 3e-6, 2e-9) * (1 + (-1) ** i * 1e-5)}
        for i, n in enumerate((1.0, 2.0, 4.0, 8.0, 1024.0, 4096.0))
    ]  # fmt: skip
    table = table_scaling(usl(latency_curve(points(*rows))))
    labels = [column.label for column in table.columns]
    texts = dict(zip(labels, table.content()["rows"][0], strict=True))
    for name in ("Coherency (%)", "RMS residual (%)", "Largest residual (%)"):
        assert float(texts[name]) > 0


def test_loads_asked_at_print_as_they_were_set():
    rows = [
        {"system": system, "load": n, "iops": scale * n, "lat_mean_s": 1e-3}
        for system, scale in (("A", 100.0), ("B", 150.0))
        for n in (0.25, 2.5, 2_000_000.0)
    ]
    found = compare(points(*rows), loads=[0.25, 2.5, 3_000_000.0])
    shown = table_comparison(found, question="iops_at_load").content()["rows"]
    assert [row[0] for row in shown] == ["0.25", "2.50", "3,000,000.00"]
    assert shown[2][1] == "not reached (2,000,000)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8%", "an"), ("8.4%", "an"), ("81%", "an"), ("89 µs", "an"), ("800", "an"),
        ("8,000", "an"), ("11%", "an"), ("11.5 ms", "an"), ("11,500 IOPS", "an"), ("18%", "an"),
        ("18,000", "an"), ("110%", "a"), ("118%", "a"), ("180%", "a"), ("1,800", "a"),
        ("1%", "a"), ("7%", "a"), ("45%", "a"), ("0.8%", "a"), ("12 times", "a"),
        ("less than 0.1%", "a"),
        ("−8%", "an"), ("IOPS", "an"), ("effective write latency", "an"), ("mean latency", "a"),
    ],
)  # fmt: skip
def test_the_article_is_the_spoken_one(text, expected):
    assert article(text) == expected


@pytest.mark.parametrize(
    ("latency", "words"),
    [(76, "an 81% lower"), (368, "an 8.0% lower"), (356, "an 11% lower"), (328, "an 18% lower"),
     (220, "a 45% lower")],
)  # fmt: skip
def test_a_change_of_a_latency_has_its_article(latency, words):
    rows = [*curve("A", [(1000, 400), (2000, 900)]), *curve("B", [(1000, latency), (2000, 950)])]
    assert words in said(rows, "latency_at_iops", iops=[1000.0])


def test_a_percentile_is_named_in_the_sentence():
    rows = [
        {**row, "lat_p99_s": row["lat_mean_s"]} for row in [*curve("A", SLOW), *curve("B", FAST)]
    ]
    found = said(rows, "iops_at_latency", latencies_s=[4e-4], metric="lat_p99_s")
    assert found.startswith("At a 99th percentile latency of 400 µs, B served 59% more IOPS than A")


def test_every_change_that_can_be_has_a_sentence():
    assert {key[1:] for key in templates() if key[0] == CHANGE} == CHANGES


def test_why_a_question_is_not_answered_is_told_in_words():
    """What no load point carries, and what was not asked, are told apart."""
    rows = [{**row, "lat_mean_s": None} for row in [*curve("A", SLOW), *curve("B", FAST)]]
    found = compare(points(*rows))
    for question, name in (
        ("iops_at_latency", "IOPS at equal latency"), ("latency_at_iops", "latency at equal IOPS"),
    ):  # fmt: skip
        with pytest.raises(AnalysisError) as told:
            table_comparison(found, question=question)
        reason = f"the load points carry no latency, so {name} cannot be answered"
        assert str(told.value) == reason
    with pytest.raises(AnalysisError, match="carry no host CPU, so IOPS at equal host CPU cannot"):
        table_comparison(found, question="iops_at_cpu")
    with_latency = compare(points(*curve("A", SLOW), *curve("B", FAST)), loads=[2.0])
    with pytest.raises(AnalysisError, match="no latency was given at which to compare, so IOPS at"):
        table_comparison(with_latency)


def test_loads_of_different_kinds_are_not_taken_for_a_missing_latency():
    rows = [*curve("A", SLOW), *curve("B", FAST, load_kind="processes")]
    found = compare(points(*rows), loads=[1.0], allow="load_kind")
    with pytest.raises(AnalysisError, match="no latency was given"):
        table_comparison(found)
