"""What two AWR reports side by side say: changes, the load, and whether storage changed."""

from __future__ import annotations

import pytest
from report_pair_sample import BOTH, LOG, READ, of, pair, row, said, tables

import perfkit as pk
from perfkit.analysis.compare.report_changes import report_changes
from perfkit.analysis.compare.report_rows import values
from perfkit.core.answers import from_frame
from perfkit.core.errors import AnalysisError
from perfkit.showing.figures.report_pair import plot_report_pair
from perfkit.showing.tables.report_pair import table_pair_changes


def test_what_differs_between_the_reports_is_marked_and_said():
    found = pair()
    marked = found.filter(part="condition", differs=True).frame["item"].to_list()
    assert marked == ["Release", "Logical CPUs", "Elapsed time"]
    assert said(found) == {
        "report-change": (
            "The average number of active sessions went from 2.00 to 1.00: 50% lower. The average "
            "number of sessions waiting for I/O or commits went from 0.278 to 0.389: 40% higher. "
            "The average number of sessions waiting for log file sync: not known before, 0.111 "
            "after; no "
            "change is given: the report before does not list it. "
            f"The mean wait of {READ} went from 1.00 ms to 500 µs: 50% lower. "
            "The I/O rate went from 1,000 IOPS to 2,000 IOPS: 2.0 times as much. The throughput "
            "went from 8.19 MB/s to 16.4 MB/s: 2.0 times as much. The hosts' busy CPU share went "
            "from 40% to 50%: 25% higher."
        ),
        "report-per-load": (
            "DB time per user call went from 16.6 ms to 4.15 ms: 75% lower. The load went from 120 "
            "to 241 user calls per second: 2.0 times as much."
        ),
        "report-storage": (
            f"Reads: 50% shorter. Mean wait of {READ}: 1.00 ms before, 500 µs after. Log writes: "
            "25% longer. Mean wait of log file parallel write: 2.00 ms before, 2.50 ms after."
        ),
        "report-spread": (
            "Before: old.html; after: new.html. The two were measured under different conditions: "
            "Release, Logical CPUs, Elapsed time. One report each: no interval. Two reports do "
            "not show how much two ordinary periods of this database differ, so no change here is "
            "shown to be more than that."
        ),
    }


def test_what_is_said_is_an_answer_with_both_its_sides():
    """A ratio is later / earlier, of the two values that stand beside it."""
    answers = from_frame(report_changes(pair()).frame)
    assert [item.metric for item in answers] == [
        "db_time_per_elapsed_ratio", "db_time_per_load_s", "storage_sessions", "waiting_sessions",
        "lat_mean_s", "iops", "bw_bytes_per_s", "cpu_busy_ratio", "reads", "log writes", "",
    ]  # fmt: skip
    for item in answers[:-1]:
        if item.metric == "waiting_sessions":
            assert item.estimate is None
            continue
        after, before = item.sides
        assert item.estimate.value == pytest.approx(after.estimate.value / before.estimate.value)
        assert (item.subject.label, item.against.label) == ("new.html", "old.html")
        assert item.estimate.low is None
    assert dict(answers[4].subject.key)["event"] == READ
    assert answers[-1].status == "missing"


def test_the_load_by_which_rates_are_normalised_stands_with_them():
    """Transactions of both reports, and the reads of one."""

    def profile(source, transactions, reads):
        return [
            {"source": source, "statistic": "transactions", "printed": "Transactions:",
             "per_s": transactions, "per_transaction": None},
            {"source": source, "statistic": "read_requests", "printed": "Read IO requests:",
             "per_s": 900.5, "per_transaction": reads},
        ]  # fmt: skip

    rows = [*profile(BOTH[0], 40.5, 22.2), *profile(BOTH[1], 81.0, 11.1)]
    told = said(pair(tables(load_profile=of(*rows, unit="1"))))
    text = told["report-change"]
    assert "The transaction rate went from 40.5 per second to 81.0 per second: 2.0 times" in text
    assert "read requests per transaction went from 22.2 to 11.1: 50% lower." in text
    assert told["report-per-load"] == (
        "DB time per transaction went from 49.4 ms to 12.3 ms: 75% lower. The load went from 40.5 "
        "to 81.0 transactions per second: 2.0 times as much."
    )


def test_what_is_0_before_is_said_without_a_ratio_and_is_no_measure_of_load():
    """The print rounds: 0 transactions per second may have been one a minute."""

    def profile(source, transactions, calls):
        return [
            {"source": source, "statistic": name, "printed": printed, "per_s": value,
             "per_transaction": None}
            for name, printed, value in (
                ("transactions", "Transactions:", transactions),
                ("user_calls", "User calls:", calls))
        ]  # fmt: skip

    rows = [*profile(BOTH[0], 0.0, 50.5), *profile(BOTH[1], 35.8, 101.0)]
    found = report_changes(pair(tables(load_profile=of(*rows, unit="1"))))
    (told,) = pk.finding(found, "report_difference")
    assert told.headline == (
        "The transaction rate went from 0 per second as printed to 35.8 per second."
    )
    assert told.text == "No ratio is given: it is 0 before."
    (told,) = pk.finding(found, "report_per_load")
    assert told.headline == "DB time per user call went from 39.6 ms to 9.90 ms: 75% lower."
    assert told.text == (
        "The load went from 50.5 to 101 user calls per second: 2.0 times as much (transactions: it "
        "is 0 before)."
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (120.5, 241.0, "75% lower"),
        (0.0, 241.0, None),
        (0.0, 0.0, None),
        (0.6, 1.2, None),  # 0.55 to 0.65 is printed so: the ratio may be any of 1.8 to 2.3
    ],
)
def test_a_load_that_the_print_does_not_tell_is_no_measure_of_db_time(before, after, told):
    profile = of(
        {"source": BOTH[0], "per_s": before}, {"source": BOTH[1], "per_s": after},
        statistic="user_calls", printed="User calls:", unit="1", per_transaction=2.0,
    )  # fmt: skip
    text = said(pair(tables(load_profile=profile))).get("report-per-load")
    assert (text is None) == (told is None)
    assert told is None or told in text


def test_without_a_change_of_db_time_there_is_none_by_the_load():
    """No DB time before: 0 sessions have no ratio, by whatever load they are divided."""
    told = said(pair(tables(old={"db_time_s": 0.0})))
    assert "report-per-load" not in told
    assert "The I/O rate went from 1,000 IOPS to 2,000 IOPS" in told["report-change"]


@pytest.mark.parametrize(
    ("after_s", "outcome", "words"),
    [
        (250.0, "longer", "Log writes: 25% longer."),
        (150.0, "shorter", "Log writes: 25% shorter."),
        (201.0, "same", "Log writes: no change beyond the rounding of the printed figures."),
        (900.0, "longer", "Log writes: 4.5 times as long."),
    ],
)
def test_whether_storage_changed_is_told_as_far_as_the_print_can(after_s, outcome, words):
    answer, finding = log_writes(tables(), total_wait_s=after_s)
    assert (answer.status, answer.subject.get("outcome")) == ("measured", outcome)
    assert finding.headline == words


@pytest.mark.parametrize(
    ("head", "waits", "why"),
    [
        ({"scope": "pdb"}, 1e5, "the log writer is in the root"),
        ({"scope": "rac"}, 1e5, "each instance of a cluster has a log writer of its own"),
        ({}, 999.0, f"the mean of {LOG} rests on 999 waits"),
    ],
)
def test_where_the_log_writer_cannot_be_judged_the_reason_stands_in_place(head, waits, why):
    answer, finding = log_writes(tables(old=head, new=head), waits=waits)
    assert (answer.status, answer.reason, finding.headline) == ("missing", why, None)


def test_the_read_that_is_compared_can_be_named():
    """One that both reports give a mean of; else it is the longest."""
    made = tables()
    rows = made["wait_events"].frame.rows(named=True)
    other = [{**row, "event": "direct path read", "total_wait_s": 100.0} for row in rows
             if row["event"] == READ]  # fmt: skip
    found = pair({**made, "wait_events": of(*rows, *other)})
    for event, read in (("direct path read", "direct path read"), (None, READ), ("none", READ)):
        answers = from_frame(report_changes(found, event=event).frame)
        (reads,) = [one for one in answers if one.metric == "reads"]
        assert reads.subject.get("event") == read


def test_without_a_read_in_both_reports_it_is_not_told_whether_reads_changed():
    made = tables()
    rows = [row for row in made["wait_events"].frame.rows(named=True) if row["event"] != READ]
    told = said(pair({**made, "wait_events": of(*rows)}))["report-storage"]
    assert told.startswith(
        "Whether reads took longer is not known: a read of User I/O: not known before, not known "
        "after; no read of User I/O has a mean wait in both. Log writes: "
    )


def log_writes(made, **changed):
    """The answer about log writes, where the later report's row has other values; its finding."""
    rows = [
        {**row, **changed} if (row["event"], row["source"]) == (LOG, BOTH[1]) else row
        for row in made["wait_events"].frame.rows(named=True)
    ]
    found = report_changes(pair({**made, "wait_events": of(*rows)}))
    (answer,) = [one for one in from_frame(found.frame) if one.metric == "log writes"]
    *_, finding = pk.finding(found, "report_storage", panel="Did storage change?")
    return answer, finding


def test_sessions_are_shares_of_db_time_and_statements_shares_of_the_elapsed_time():
    """2 sessions before, 1 after: 13.9% of 2 and 38.9% of 1 waited for I/O."""
    found = pair()
    waited = row(found, "time", "User I/O", "sessions")
    assert (waited["before_value"], waited["after_value"]) == (pytest.approx(0.278), 0.389)
    # half a digit of 13.9%, and of 38.9%
    assert waited["rounding_ratio"] == pytest.approx(0.05 / 13.9 + 0.05 / 38.9)
    own = found.filter(part="sql").frame.select("item", "before_value", "after_value").rows()
    assert own == [("slow", 1.0, 0.5), ("other", None, 0.05)]


def test_a_chart_has_two_bars_a_thing_and_none_for_what_is_not_listed():
    found = pair()
    chart = plot_report_pair(found)
    before, after = chart.plotly["data"]
    assert (before["name"], before["y"]) == ("Before", ("DB CPU", "User I/O", "in no wait class"))
    assert (before["text"], after["text"]) == (("1.60", "0.28", "0.12"), ("0.60", "0.39", "0.01"))
    waits = plot_report_pair(found, show="waits")
    before, after = waits.plotly["data"]
    names = list(before["y"])
    assert names == [READ, LOG]
    assert [round(value, 3) for value in after["x"]] == [0.5, 2.5]
    with pytest.raises(AnalysisError, match="no 'wait'; did you mean"):
        plot_report_pair(found, show="wait")


def test_a_change_that_the_rounding_of_the_print_explains_is_none():
    """Means of 1.000 and 1.005 ms are known to half a percent each: they may be the same."""
    made = tables()
    rows = [
        {**row, "total_wait_s": 1005.0}
        if row["event"] == READ and row["source"] == BOTH[1]
        else row
        for row in made["wait_events"].frame.rows(named=True)
    ]
    found = pair({**made, "wait_events": of(*rows)})
    assert row(found, "event", READ, "mean_wait_s")["rounding_ratio"] == pytest.approx(0.01)
    assert (
        f"The mean wait of {READ}: 1.00 ms before, 1.00 ms after; no change is given: they differ "
        f"by no more than the rounding of the printed figures."
    ) in said(found)["report-change"].replace("1.01 ms after", "1.00 ms after")


def test_a_change_that_is_none_says_why_in_place_of_a_number():
    other = of(
        {"source": BOTH[0], "counts": "total"}, {"source": BOTH[1], "counts": "database"},
        section="s", used=True,
    )  # fmt: skip
    text = said(pair(tables(iops_source=other)))["report-change"]
    assert (
        "The I/O rate: 1,000 IOPS before, 2,000 IOPS after; no change is given: counts other "
        "requests: total before, database after."
    ) in text


def test_the_table_of_changes_has_both_values_and_why_there_is_no_ratio():
    table = table_pair_changes(report_changes(pair()))
    rows = {line[0]: line[1:] for line in table.rows}
    assert rows["Average number of active sessions"] == ("2.00", "1.00", "−50%", None)
    assert rows["DB time per user call"] == ("16.6 ms", "4.15 ms", "−75%", None)
    assert rows["Average number of sessions waiting for log file sync"] == (
        "not known", "0.111", None, "the report before does not list it",
    )  # fmt: skip
    assert rows["Mean wait of " + READ][2] == "−50%"


@pytest.mark.parametrize(("before", "after", "rounding", "differs"), [
    (64.0, 64.0, None, False), (64.0, 65.0, None, True),
    (64.0, 65.0, 1 / 64, False), (64.0, 66.0, 1 / 64, True),
])  # fmt: skip
def test_values_differ_by_more_than_the_rounding_of_the_print(before, after, rounding, differs):
    assert values("io", "total", "iops", before, after, rounding=rounding).differs is differs
