"""What a report is checked against itself for: where each check begins and ends."""

import pytest

from perfkit.sources.awr.checks import SHORT_S, _averages, _cpu, _histograms, _io
from perfkit.sources.awr.html_rows import _pieces
from perfkit.sources.awr.raw import MISALIGNED, Body, Column, RawTable
from perfkit.sources.awr.text_places import _foreign


@pytest.mark.parametrize(
    ("function", "texts"),
    [(1200.0, []), (None, []), (1500.0, ["IO Profile has 1,000 read requests/s, "
     "IO by Function 1,500: one of them is wrong"])],
)  # fmt: skip
def test_reads_of_the_profile_are_those_of_the_functions(function, texts):
    source = {
        "section": ["IO Profile", "IO by Function"], "counts": ["total", "total"],
        "read_iops": [1000.0, function], "write_iops": [None, 5.0],
    }  # fmt: skip
    assert list(_io({"iops_source": source})) == texts


@pytest.mark.parametrize(("cpu_s", "texts"), [
    (7273.0, []),
    (7274.0, ["DB CPU of 7,274 s is more than 2 CPUs give in 3,600 s"]),
])  # fmt: skip
def test_a_database_has_no_more_cpu_time_than_the_host_gives(cpu_s, texts):
    """One hour of 2 CPUs has 7,200 s; 1% and one second are rounding."""
    tables = {
        "report": {"cpus": [2], "scope": ["single"], "elapsed_s": [3600.0]},
        "instances": {"instance": [1], "elapsed_s": [None]},
        "host_cpu": {"instance": [1], "cpus": [2]},
        "time_model": {
            "statistic": ["DB CPU", "DB time"], "level": ["instance"] * 2, "instance": [1, 1],
            "time_s": [cpu_s, 9e9],
        },
    }  # fmt: skip
    assert list(_cpu(tables)) == texts


@pytest.mark.parametrize(("total_s", "told"), [(SHORT_S, 1), (SHORT_S - 1, 0)])
def test_an_average_is_checked_from_a_total_of_100_seconds_on(total_s, told):
    events = {
        "event": ["x"], "total_wait_s": [total_s], "avg_wait_s": [0.5],
        "avg_wait_computed_s": [0.25],
    }  # fmt: skip
    assert len(list(_averages({"top_events": events}, "19.3"))) == told


@pytest.mark.parametrize(
    ("heads", "row", "whole"),
    [("A B  ", "1 2", True), ("A   ", "1 2", False), ("A B C D", "1 2", False)],
)
def test_a_row_may_end_before_two_columns_without_names(heads, row, whole):
    """Only behind a column with a name: else nothing tells which cells are there."""
    columns = tuple(Column("", name) for name in heads.split(" "))
    body = Body(columns, lambda: [row.split()], exact=True)
    table = RawTable("", "", "", "table 1", lambda: body, str)
    kept = [row.split() + [""] * (len(columns) - len(row.split()))] if whole else []
    assert (table.rows, bool(table.broken)) == (kept, not whole)


def test_pairs_leave_out_a_row_over_the_end_of_the_columns_and_one_outside_of_them():
    columns = (Column("", "A"), Column("", "B"))
    lines = ("a  1  b  2", "a  1 22  3", "  a1  c  4")
    body = Body(
        columns, lambda: [["a", "1"], ["a", "1"], ["c", "4"]], lines=lines, limit=6,
        misaligned=lambda lines, _: [line.startswith(" ") for line in lines],
    )  # fmt: skip
    table = RawTable("", "", "", "line 1", lambda: body, str)
    assert table.pairs() == [["a", "1"]]
    assert table.broken == {2: MISALIGNED, 3: MISALIGNED}


def test_cells_before_the_first_row_are_a_row():
    """Its beginning was lost."""
    lost, row = _pieces("<td>1</td><tr><td>2</td></tr>")
    assert (lost.endswith("<td>1</td>"), row) == (True, "><td>2</td></tr>")
    assert list(_pieces("<tr><td>2</td></tr>")) == ["><td>2</td></tr>"]


@pytest.mark.parametrize(
    ("line", "numbers", "foreign"),
    [("ab   7  5", [False, True], True), ("ab 7    5", [False, True], False),
     ("ab      x", [False, True], True), ("ab      x", [False, False], False)],
)  # fmt: skip
def test_a_number_among_names_or_a_word_among_numbers_is_foreign(line, numbers, foreign):
    assert _foreign(line, [(0, len(line[:6].rstrip())), (8, 9)], numbers) is foreign


@pytest.mark.parametrize(
    ("shares", "texts"),
    [
        ((0.4, 0.1, 0.5), []),
        ((0.4, 0.1, 0.4995), []),  # a digit of rounding
        ((0.5, 0.0, 0.5), []),  # the edge that both parts have is the second
        ((0.4, 0.6, None), ["event_histogram, log file sync: below 0.000512 s are 50.0% of its "
                            "waits in one part of the histogram and 100.0% in another"]),
    ],
)  # fmt: skip
def test_parts_of_a_histogram_that_contradict_each_other_are_told(shares, texts):
    """Of 12.2 and later: waits below half a millisecond stand in two of the parts."""
    edges = (8e-6, 512e-6, None)
    rows = [("all", edge, share) for edge, share in zip(edges, shares, strict=True) if share]
    rows += [("up to 32 ms", 512e-6, 0.5), ("up to 32 ms", None, 0.5)]
    data = {
        "event": ["log file sync"] * len(rows), "range": [row[0] for row in rows],
        "upper_s": [row[1] for row in rows], "waits_ratio": [row[2] for row in rows],
    }  # fmt: skip
    assert list(_histograms({"event_histogram": data})) == texts


def test_events_whose_names_were_cut_off_alike_do_not_contradict_each_other():
    data = {"event": ["enq: TX - row lock conten"] * 3, "range": ["all", "all", "detail"],
            "upper_s": [0.032] * 3, "waits_ratio": [0.1, 0.9, 0.1]}  # fmt: skip
    assert list(_histograms({"event_histogram": data})) == []
