"""Tables and sentences of a comparison, word for word."""

import polars as pl
import pytest

from perfkit.analysis.compare import compare
from perfkit.analysis.compare.scaling import usl, usl_iops
from perfkit.analysis.curves import latency_curve
from perfkit.errors import AnalysisError
from perfkit.evidence import Evidence, Lineage, Origin
from perfkit.lineage import Measured
from perfkit.schema import LOAD_POINTS, polars_schema
from perfkit.sentences import article
from perfkit.statements.compare import change_printed, say_asserted, say_comparison
from perfkit.tables.compare import table_comparison, table_scaling

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


def said(rows, question, at=None, **given):
    return say_comparison(compare(points(*rows), **given), question, at).text


def test_one_repeat_says_that_it_has_no_interval():
    text = said([*curve("FCP", SLOW), *curve("NVMe/FC", FAST)], "iops_at_latency", 400e-6,
                latencies_s=[400e-6])  # fmt: skip
    assert text == (
        "At a mean latency of 400 µs, NVMe/FC served 59% more IOPS than FCP (255 thousand IOPS "
        "against 160 thousand IOPS; one repeat, so no interval)."
    )


def test_three_repeats_say_their_interval_and_two_say_only():
    rows = [*three("FCP", SLOW), *three("NVMe/FC", FAST)]
    found = said(rows, "iops_at_latency", 400e-6, latencies_s=[400e-6])
    assert found == (
        "At a mean latency of 400 µs, NVMe/FC served 59% more IOPS than FCP (255 thousand IOPS "
        "against 160 thousand IOPS; 95% interval 56% to 63% more, over 3 repeats)."
    )
    two = [row for row in rows if row["repeat"] < 3]
    assert "more, over only 2 repeats)" in said(two, "iops_at_latency", 400e-6,
                                                latencies_s=[400e-6])  # fmt: skip


def test_a_difference_within_the_noise_is_said_to_be_none():
    rows = [*three("A", SLOW), *three("B", [(x * 1.002, y) for x, y in SLOW])]
    text = said(rows, "peak_iops")
    assert text.startswith("B reached a peak with 0.2% more IOPS than A (200 thousand IOPS against")
    assert "95% interval 2.0% fewer to 2.5% more, over 3 repeats; no difference is shown)" in text


def test_equal_repeats_are_not_called_one_repeat():
    rows = [*three("A", SLOW, (1, 1, 1)), *three("B", FAST, (1, 1, 1))]
    assert "the repeats do not differ, so no interval" in said(rows, "peak_iops")


def test_a_bootstrap_is_called_one():
    rows = [*three("A", SLOW), *three("B", FAST)]
    found = compare(points(*rows), latencies_s=[4e-4], method="bootstrap")
    assert "95% bootstrap interval" in say_comparison(found, "peak_iops").text
    assert "percentiles of a bootstrap" in table_comparison(found).note


def test_latency_falls_and_cpu_is_used():
    rows = [{**row, "cpu_busy_ratio": row["iops"] / 1e6} for row in curve("A", SLOW)]
    rows += [{**row, "cpu_busy_ratio": row["iops"] / 2e6} for row in curve("B", FAST)]
    given = {"iops": [180_000.0], "loads": [2.0]}
    assert said(rows, "latency_at_iops", 180_000.0, **given).startswith(
        "At 180 thousand IOPS, B had a 45% lower mean latency than A (329 µs against 600 µs;"
    )
    assert said(rows, "cpu_at_iops", 180_000.0, **given).startswith(
        "At 180 thousand IOPS, B used 50% less of the host CPU than A (9.0% against 18%;"
    )
    assert said(rows, "cpu_at_load", 2.0, **given).startswith(
        "At 2 threads, B used 20% less of the host CPU than A (13% against 16%;"
    )


def test_what_was_not_reached_has_no_number():
    rows = [*curve("A", SLOW), *curve("B", FAST)]
    assert said(rows, "latency_at_iops", 250_000.0, iops=[250_000.0]) == (
        "At 250 thousand IOPS, B had 395 µs; A has no value (not reached, measured up to "
        "200 thousand IOPS): no comparison is made."
    )


def test_curves_that_cross_say_where():
    """Below 150,000 IOPS A is ahead, at 150,000 both have 300 µs, above it B is."""
    a = curve("A", [(100_000, 200), (150_000, 300), (200_000, 600)])
    b = curve("B", [(100_000, 250), (150_000, 300), (200_000, 400)])
    row = compare(points(*a, *b), iops=[180_000.0]).frame.row(1, named=True)
    # between the last and the next clear difference: log(1.25) at 100,000, log(2/3) at 200,000
    assert row["crosses_at_iops"] == pytest.approx(135_500, rel=0.01)
    text = said([*a, *b], "latency_at_iops", 180_000.0, iops=[180_000.0])
    assert "They cross first at 135 thousand IOPS." in text
    assert "the curves cross: beyond that place the other one is ahead" in text


def test_curves_that_only_touch_do_not_cross():
    a = curve("A", [(100_000, 200), (150_000, 300), (200_000, 600)])
    b = curve("B", [(100_000, 250), (150_000, 300), (200_000, 700)])
    row = compare(points(*a, *b), iops=[180_000.0]).frame.row(1, named=True)
    assert (row["crosses_at_iops"], row["note"]) == (None, None)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.594, "59%"), (1.596, "60%"), (0.9, "10%"), (1.0951, "10%"), (1.0949, "9.5%"),
        (1.0841, "8.4%"), (1.00051, "0.1%"), (1.0004, "less than 0.1%"),
        (0.9999, "less than 0.1%"), (9.9, "890%"), (12.3, "12 times"),
    ],
)  # fmt: skip
def test_how_changes_are_rounded(ratio, text):
    assert change_printed(ratio).text == text


def test_a_question_that_was_not_asked_is_refused():
    found = compare(points(*curve("A", SLOW), *curve("B", FAST)), latencies_s=[4e-4])
    with pytest.raises(AnalysisError, match=r"holds no 'iops_at_latency' at 0\.0005"):
        say_comparison(found, "iops_at_latency", 5e-4)
    with pytest.raises(AnalysisError, match="no question 'iops_at_latencies'"):
        table_comparison(found, question="iops_at_latencies")


def test_the_table_of_equal_latency():
    rows = [*three("FCP", SLOW), *three("NVMe/FC", FAST)]
    found = compare(points(*rows), latencies_s=[400e-6, 850e-6])
    table = table_comparison(found)
    assert [column.label for column in table.columns] == [
        "Mean latency (µs)", "FCP", "NVMe/FC", "Change (%)", "95% interval (%)",
        "Repeats",
    ]  # fmt: skip
    assert table.rows[1][1] == "not reached (800 µs)"
    assert table.rows[1][3] is None
    assert table.rows[0][0] == 400e-6
    assert table.rows[0][3] == pytest.approx(255 / 160 - 1)
    assert table.rows[0][4] == "55.8 to 63.0"
    assert table.note == (
        "Change: of the geometric means over the repeats; interval: Welch's t on logarithms."
    )


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


def test_what_a_document_asserts_is_carried_as_asserted():
    frame = pl.DataFrame({
        "row_name": ["from-ssd"], "column_key": ["value"],
        "text": ["89% to 98% of reads came from SSD"],
    })  # fmt: skip
    origin = Origin("printed", "TR-4819, Results")
    given = Measured(frame, Lineage((Evidence("printed", "c.csv", "00", origin=origin),), ()))
    statement = say_asserted(given, "from-ssd")
    assert statement.text == (
        'Asserted, without evidence: "89% to 98% of reads came from SSD" (TR-4819, Results).'
    )
    assert statement.id == "from-ssd"
    with pytest.raises(AnalysisError, match="0 cells of row 'from-hdd'"):
        say_asserted(given, "from-hdd")


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
    assert words in said(rows, "latency_at_iops", 1000.0, iops=[1000.0])


def test_a_percentile_is_named_in_the_sentence():
    rows = [
        {**row, "lat_p99_s": row["lat_mean_s"]} for row in [*curve("A", SLOW), *curve("B", FAST)]
    ]
    found = said(rows, "iops_at_latency", 4e-4, latencies_s=[4e-4], metric="lat_p99_s")
    assert found.startswith("At a 99th percentile latency of 400 µs, B served 59% more IOPS than A")


def test_the_highest_under_a_latency_is_up_to_it():
    rows = [*curve("A", SLOW), *curve("B", FAST)]
    found = said(rows, "peak_iops_under_latency", 4e-4, latencies_s=[4e-4])
    assert found.startswith("Up to a mean latency of 400 µs, B reached a peak with 59% more IOPS")


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
