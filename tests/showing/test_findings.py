"""Findings: which answers are chosen, and that no headline says more than its answer."""

from dataclasses import replace

import pytest

import perfkit as pk
from perfkit.analysis.curves import plateau  # noqa: F401 - it registers its questions
from perfkit.core.answers import (
    CHANGES,
    QUESTIONS,
    WITHOUT_ESTIMATE,
    Answer,
    Condition,
    Estimate,
    Subject,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import ADVICE, NOT_SHOWN, WORDS, caution
from perfkit.core.errors import AnalysisError
from perfkit.core.findings import Findings
from perfkit.core.lineage import Measured
from perfkit.core.unanswered import Unanswered
from perfkit.core.values import Figure
from perfkit.showing.statements.say import templates

LIMIT = Condition("lat_mean_s", 400e-6, "s", "at")
LOAD = Condition("iodepth", 16.0, "1", "where")


def measured(*answers):
    return Measured(to_frame(answers))


def peak(value, relation="=", system="A", **more):
    return Answer("peak_iops", "iops", Subject(system, (("system", system),)), "measured",
                  Estimate(value, "1/s", n=1), relation, (LOAD,), **more)  # fmt: skip


def side(system, workload, value):
    key = (("system", system), ("workload", workload))
    return Answer("iops_at_latency", "iops", Subject(system, key), "interpolated",
                  Estimate(value, "1/s", n=3), conditions=(LIMIT, LOAD))  # fmt: skip


def change(workload, ratio, low, high, *, relation="=", system="B"):
    sides = side(system, workload, 100e3 * ratio), side("A", workload, 100e3)
    told = (caution("no_difference"),) if low <= 1 <= high else ()
    return Answer("iops_at_latency", "iops", sides[0].subject, "interpolated",
                  Estimate(ratio, "ratio", low, high, 0.95, 3), relation, (LIMIT,),
                  against=sides[1].subject, sides=sides, cautions=told)  # fmt: skip


def headline(*answers):
    (found,) = pk.finding(measured(*answers), answers[0].question)
    return found.headline


# --- headlines ----------------------------------------------------------------------------------


def test_a_bound_is_a_bound_in_the_headline():
    assert headline(peak(26_400.0)) == "A peaks at 26,400 IOPS."
    assert (
        headline(peak(26_400.0, ">=")) == "A gives at least 26,400 IOPS: its peak may lie higher."
    )


def test_several_curves_have_the_range_of_their_answers():
    assert headline(peak(26_400.0), peak(30_000.0, ">=", "B"), peak(28_000.0, "=", "C")) == (
        "The peaks of all 3 curves range from 26,400 IOPS to at least 30,000 IOPS."
    )


def lowest(system):
    return Answer("lowest_latency", "lat_mean_s", Subject(system, (("system", system),)),
                  "measured", Estimate(1e-3, "s", n=1), "=", (LOAD,))  # fmt: skip


def listed(peaks, latencies):
    found = pk.findings(
        pk.finding(measured(*peaks), "peak_iops"),
        pk.finding(measured(*latencies), "lowest_latency"),
    )
    return [item.id for item in found.items]


def test_the_latency_of_a_single_load_stands_with_its_peak_alone():
    def single(system):
        return peak(26_400.0, ">=", system, cautions=(caution("one_load", of=system),))

    both = ["peak-iops", "lowest-latency"]
    assert listed([single("A")], [lowest("A")]) == ["peak-iops"]
    assert listed([peak(26_400.0)], [lowest("A")]) == both, "of several loads it is news"
    assert listed([single("A")], [lowest("B")]) == both
    # the peaks of two curves stand without their latencies
    two = listed([single("A"), single("B")], [lowest("A"), lowest("B")])
    assert two == both


def test_two_curves_are_named_with_their_values():
    (found,) = pk.finding(measured(peak(26_400.0, ">="), peak(30_000.0, "=", "B")), "peak_iops")
    assert found.headline == (
        "The peaks of both curves are at least 26,400 IOPS (A) and at least 30,000 IOPS (B)."
    )
    assert not found.text


def within(system, status="beyond_measured", estimate=None, **more):
    subject = Subject(system, (("system", system),))
    return Answer("most_iops_within_latency", "iops", subject, status, estimate, "=",
                  (replace(LIMIT, role="limit"),), **more)  # fmt: skip


def test_a_single_curve_with_a_number_is_named_and_what_the_others_lack():
    gives = within("A", "highest_within", Estimate(17_700.0, "1/s", n=1))
    above, unknown = within("B"), within("C", "missing", reason="no latency")
    start = "Within a mean latency of 400 µs, A gave 17,700 IOPS; "
    assert (
        headline(gives, above) == f"{start}the other curve lies above that latency at every load."
    )
    assert headline(gives, above, within("C")) == (
        f"{start}the other 2 curves lie above that latency at every load."
    )
    assert headline(gives, unknown) == f"{start}the other curve gives no answer."
    assert headline(gives, above, unknown) == f"{start}the other 2 curves give no answer."


def test_a_range_whose_ends_print_alike_is_one_value():
    """Not "from 26,400 IOPS to 26,400 IOPS"; but what is a bound and what is none are two."""
    a, b = peak(26_400.1), peak(26_400.2, "=", "B")
    assert headline(a, b) == "The peaks of both curves are 26,400 IOPS."
    assert headline(a, peak(26_400.2, ">=", "B")) == (
        "The peaks of both curves are 26,400 IOPS (A) and at least 26,400 IOPS (B)."
    )
    sides_ = side("A", "w", 5_000.1), side("B", "w", 5_000.2)
    assert headline(*sides_) == "At a mean latency of 400 µs, both curves gave 5,000 IOPS."
    alike = change("r", 1.5901, 1.551, 1.632), change("w", 1.5902, 1.551, 1.632)
    assert headline(*alike).endswith("B served 59% more IOPS than A in both workloads.")


def test_a_change_has_both_sides_below_its_headline():
    (found,) = pk.finding(measured(change("read", 1.59, 1.55, 1.63)), "iops_at_latency", see="x")
    assert found.headline == "At a mean latency of 400 µs, B served 59% more IOPS than A."
    assert found.text == (
        "159K IOPS against 100K IOPS; 95% interval 55% to 63% more, over 3 repeats each."
    )
    assert found.see == "x"


def test_changes_over_workloads_have_their_range_and_where_a_difference_is_shown():
    three = change("r", 1.62, 1.5, 1.7), change("u", 1.7, 1.6, 1.8), change("m", 1.67, 1.6, 1.7)
    (found,) = pk.finding(measured(*three), "iops_at_latency")
    assert found.headline == (
        "At a mean latency of 400 µs, B served 62% to 70% more IOPS than A in all 3 workloads."
    )
    assert found.text == "62% with r; 70% with u. By its interval, a difference is shown in each."


def test_ends_that_print_alike_are_no_lowest_and_no_highest():
    three = peak(26_400.1), peak(26_400.2, "=", "B"), peak(26_400.3, "=", "C")
    (found,) = pk.finding(measured(*three), "peak_iops")
    assert (found.headline, found.text) == ("The peaks of all 3 curves are 26,400 IOPS.", "")


def test_of_changes_in_two_directions_each_says_its_own():
    """ "27% with reads; 44% with writes": one of them was fewer."""
    two = change("r", 1.27, 1.2, 1.4), change("w", 0.56, 0.5, 0.6)
    (found,) = pk.finding(measured(*two), "iops_at_latency")
    assert found.text.startswith("27% more with r; 44% fewer with w.")


def test_of_changes_without_intervals_none_is_said_to_show_no_difference():
    bare = [replace(one, estimate=replace(one.got, low=None, high=None))
            for one in (change("r", 1.3, 1.2, 1.4), change("w", 1.34, 1.2, 1.4))]  # fmt: skip
    (found,) = pk.finding(measured(*bare), "iops_at_latency")
    assert found.text == "30% with r; 34% with w."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([(0.8, 0.7, 0.9), (0.5, 0.4, 0.6)],
         "served 20% to 50% fewer IOPS than A in both workloads."),
        ([(0.8, 0.7, 0.9), (1.5, 1.4, 1.6)],
         "served 20% fewer to 50% more IOPS than A in both workloads."),
        ([(1.5, 1.4, 1.6), (3.0, 2.9, 3.1)],
         "served 1.5 to 3.0 times the IOPS of A in both workloads."),
        ([(1.02, 0.9, 1.1), (1.03, 0.9, 1.1)],
         "no difference in IOPS between B and A is shown in both workloads."),
        ([(1.02, 0.9, 1.1), (1.5, 1.4, 1.6)],
         "served 2.0% to 50% more IOPS than A in both workloads; a difference is shown in 1."),
    ],
)  # fmt: skip
def test_a_range_of_changes_says_no_more_than_its_changes(changes, said):
    every = [change(f"w{n}", *one) for n, one in enumerate(changes)]
    assert headline(*every).endswith(said)


def test_the_bounds_of_a_range_are_those_of_its_ends():
    every = change("r", 1.5, 1.4, 1.6), change("u", 1.7, 1.6, 1.8, relation=">=")
    assert "served 50% to at least 70% more IOPS" in headline(*every)
    every = change("r", 0.5, 0.4, 0.6, relation=">="), change("u", 0.8, 0.7, 0.9)
    assert "served at least 20% to at most 50% fewer" not in headline(*every)
    assert "at most 50% fewer" in headline(*every)


def test_pairs_have_a_finding_each():
    found = pk.finding(measured(change("r", 1.5, 1.4, 1.6), change("r", 1.2, 1.1, 1.3, system="C")),
                       "iops_at_latency")  # fmt: skip
    assert [item.headline.partition("µs, ")[2][:1] for item in found] == ["B", "C"]


@pytest.mark.parametrize("name", sorted(
    {key[0].removeprefix("headline ") for key in templates() if key[0].startswith("headline ")}
))  # fmt: skip
def test_every_answer_with_a_number_has_its_headline(name):
    """Of a question that has headlines, all statuses and relations with a number have one."""
    gives = QUESTIONS[name].gives if name in QUESTIONS else CHANGES
    own = {key[1:] for key in templates() if key[0] == f"headline {name}"}
    if name.startswith("change ") or name == "range_over_curves":
        assert ("measured", "=") in own
        return
    lacking = {pair for pair in gives if pair[0] not in WITHOUT_ESTIMATE} - own
    assert not lacking


# --- which are chosen ---------------------------------------------------------------------------


def test_the_first_value_with_a_number_is_taken():
    def at(latency, status, value):
        asked = Condition("lat_mean_s", latency, "s", "at")
        estimate = None if value is None else Estimate(value, "1/s", n=1)
        near = Condition("lat_mean_s", 2e-3, "s", "where")
        ends = tuple(Condition("iodepth", n, "1", "between") for n in (4.0, 8.0))
        return Answer("iops_at_latency", "iops", Subject("A"), status, estimate,
                      conditions=(asked, *((near, LOAD) if value is None else ends)))  # fmt: skip

    answers = measured(at(1e-4, "beyond_measured", None), at(1e-3, "interpolated", 5e3),
                       at(5e-3, "interpolated", 6e3))  # fmt: skip
    (found,) = pk.finding(answers, "iops_at_latency")
    assert found.headline == "At a mean latency of 1 ms, A gives 5,000 IOPS."


def test_what_has_no_number_stands_among_what_is_not_shown():
    lacking = Answer(
        "peak_iops", "iops", Subject("A"), "missing", reason="IOPS missing at iodepth 4"
    )
    made = pk.findings(pk.finding(measured(lacking), "peak_iops"),
                       pk.finding(measured(peak(5e3, system="B")), "peak_iops"))  # fmt: skip
    assert [item.headline for item in made.items] == ["B peaks at 5,000 IOPS."]
    assert [item.text for item in made.unanswered] == [
        "The peak of A is not known: IOPS missing at iodepth 4."
    ]


def test_at_most_five_are_kept_in_the_order_given():
    given = [pk.finding(measured(peak(float(n), system=f"S{n}")), "peak_iops")
             for n in (50, 10, 40, 30, 20, 60)]  # fmt: skip
    assert [item.headline[:3] for item in pk.findings(*given).items] == [
        "S50", "S10", "S40", "S30", "S20",
    ]  # fmt: skip


def test_a_candidate_that_is_not_answered_drops_out_and_none_gives_the_reasons():
    absent = pk.finding(measured(peak(5e3)), "lowest_latency")
    assert absent.reason == "lowest latency was not asked"
    kept = pk.findings(absent, pk.finding(measured(peak(5e3)), "peak_iops"))
    assert len(kept.items) == 1
    none = pk.findings(absent, Unanswered("the evidence has no criteria"))
    assert none.reason == "lowest latency was not asked; the evidence has no criteria"


def test_the_cautions_of_what_is_kept_are_those_of_the_findings():
    told = (caution("highest_load", of="A"),)
    made = pk.findings(pk.finding(measured(peak(5e3, ">=", cautions=told)), "peak_iops"))
    assert isinstance(made, Findings)
    assert made.cautions == told
    assert made.lineage.steps[-1].function == "finding.chosen"


def test_bad_input_is_refused():
    with pytest.raises(AnalysisError, match="did you mean 'peak_iops'"):
        pk.finding(measured(peak(5e3)), "peak_iop")
    with pytest.raises(AnalysisError, match="one is a str"):
        pk.findings("peak")
    assert "of C was not asked" in pk.finding(measured(peak(5e3)), "peak_iops", of="C").reason


# --- what cautions advise -----------------------------------------------------------------------


@pytest.mark.parametrize("words", [ADVICE, NOT_SHOWN])
def test_what_a_caution_advises_is_a_sentence_of_a_known_caution(words):
    for name, text in words.items():
        assert name in WORDS
        assert text.endswith(".")
        assert "{" not in text


def test_what_answers_the_question_of_a_panel_stands_beside_the_five():
    """It takes no place among them, and keeps its order."""
    asked = pk.finding(measured(peak(30_000.0)), "peak_iops", panel="Which peaks?")
    listed = [pk.finding(measured(peak(float(n))), "peak_iops") for n in range(1, 8)]
    made = pk.findings(asked, *listed)
    assert [item.panel for item in made.items] == [None] * 5 + ["Which peaks?"]
    assert made.content()["items"][-1]["panel"] == "Which peaks?"
    assert "panel" not in made.content()["items"][0]


def test_the_chart_beside_the_findings_is_an_id_or_the_first_of_several():
    """Figures stand for their ids; what is unanswered is left out."""
    figure = Figure("table-2-chart", None, "C.", "A.", 60.0)
    lacking = Unanswered("the evidence has no curve")
    found = pk.finding(measured(peak(5e3)), "peak_iops")

    def hero(named):
        return pk.findings(found, hero=named).content()["hero"]

    assert hero("curve") == ["curve"]
    assert hero(["curve", lacking, [figure], figure]) == ["curve", *["table-2-chart"] * 2]
    assert hero(None) == hero(lacking) == []


def test_findings_say_how_many_more_there_are():
    """Left out by ``most``, or since a first page has room for five: the last that is listed says
    so, of each question."""
    many = measured(*(change(name, 1.5, 1.4, 1.6, system=name) for name in "BCDEFGH"))
    peaks = pk.finding(measured(peak(5e3)), "peak_iops")

    def last(**options):
        found = pk.findings(peaks, pk.finding(many, "iops_at_latency", **options)).items
        assert not any("more such" in item.text for item in found[:-1])
        return found[-1]

    assert last(most=4).text.endswith(" 3 more such findings are not listed here.")
    assert last(most=6).text.endswith(" 3 more such findings are not listed here.")
    assert last().text.endswith(" 3 more such findings are not listed here.")
    assert "3" in [item.text for item in last().printed]
    few = measured(*(change(name, 1.5, 1.4, 1.6, system=name) for name in "BCD"))
    (_, said) = pk.findings(pk.finding(few, "iops_at_latency", most=2)).items
    assert said.text.endswith(" 1 more such finding is not listed here.")
    assert "more such" not in pk.findings(pk.finding(few, "iops_at_latency")).items[-1].text


def test_at_most_so_many_findings_of_a_question():
    many = measured(*(change(name, 1.5, 1.4, 1.6, system=name) for name in "BCD"))
    found = [item.said for item in pk.finding(many, "iops_at_latency", most=2)]
    assert found == [item.said for item in pk.finding(many, "iops_at_latency")][:2]
    assert len(found) == 2


@pytest.mark.parametrize(("most", "kept"), [(1, "AB"), (2, "AB"), (3, "AAB"), (None, "AAAB")])
def test_each_database_has_its_first_finding(most, kept):
    """Three changes of A stand before the only one of B."""
    answers = [
        Answer("series_storage", "reads", Subject(name, (
            ("history", name), ("begin", f"2026-03-02T{8 + place:02}:00:00"),
            ("end", f"2026-03-02T{9 + place:02}:00:00"), ("outcome", "no"), ("rule", "little"))),
            "measured", Estimate(0.01, "ratio"))
        for place, name in enumerate("AAAB")
    ]  # fmt: skip
    found = pk.finding(measured(*answers), "series_storage", most=most, by="history")
    assert "".join(item.headline[0] for item in found) == kept


@pytest.mark.parametrize(("outcome", "rule", "said"), [
    ("yes", "slower", "ORA, reads: it is the cause."),
    ("contributor", "slower", "ORA, reads: a contributor."),
    ("no", "little", "ORA, reads: not shown to be the cause."),
])  # fmt: skip
def test_the_panel_says_of_storage_what_the_answer_says(outcome, rule, said):
    key = (
        ("history", "ORA"),
        ("begin", "2026-03-09T17:30:00"),
        ("end", "2026-03-09T21:00:00"),
        ("outcome", outcome),
        ("rule", rule),
        ("read_event", "db file sequential read"),
    )
    given = [("read_wait_s", 0.004, "s"), ("usual read_wait_s", 0.001, "s")]
    answer = Answer("series_storage", "reads", Subject("ORA", key), "measured",
                    Estimate(0.6, "ratio"), conditions=where_conditions(*given))  # fmt: skip
    (found,) = pk.finding(measured(answer), "series_storage", panel="Is it storage?")
    assert found.headline == said
    assert found.text.startswith("On 9 Mar 2026 from 17:30 to 21:00: User I/O was 60% of DB time")
