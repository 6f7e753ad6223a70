"""Tables of a series of reports: every cell from a frame made by hand."""

from __future__ import annotations

import periods_sample as sample
import pytest

from perfkit.analysis.awr.periods import columns
from perfkit.core.answers import Answer, Condition, Estimate, Subject, to_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured
from perfkit.showing.tables.awr_series import (
    MOST_CHANGES,
    QUANTITIES,
    table_changes,
    table_histories,
    table_read_segments,
    table_recurrent_sql,
    table_risers,
    table_worst_periods,
    tables_left_out,
    tables_series,
)


def labels(table):
    return [column.label for column in table.columns]


def texts(table):
    return table.content()["rows"]


def test_a_history_has_its_reports_its_times_and_what_lies_between():
    shown = table_histories(sample.periods(4, restart=2, left_out=("no_time",)))
    assert labels(shown) == [
        "Database", "Reports", "In the trend", "From", "To", "Gaps", "Restarts",
    ]  # fmt: skip
    assert texts(shown) == [["ORA", "5", "4", "2026-03-09 06:00", "2026-03-09 08:00", "0", "1"]]


def test_each_report_that_is_left_out_has_its_reason_in_words():
    (shown,) = tables_left_out(sample.periods(4, left_out=("no_time", "same_period")))
    assert texts(shown) == [
        ["awr_x0", "–", "–", "its snapshots have no time"],
        ["awr_x1", "2026-03-09 06:00", "2026-03-09 08:00",
         "another report covers the same period (awr_003)"],
    ]  # fmt: skip
    assert shown.caption == "Left out of the trend: 2 of 6 reports."
    assert tables_left_out(sample.periods(4)) == []


def changes(*hours, **moved):
    """A change a pair of hours of 9 March: from 2 to 6 sessions, which waited for commits."""
    values = {"average_active_sessions": (2.0, 6.0), **moved}
    where = [
        Condition(name, value, "1", "where")
        for quantity, (usual, then) in values.items()
        for name, value in ((quantity, then), (f"usual {quantity}", usual), (f"way {quantity}", 1))
    ]
    made = []
    for begin, end in hours:
        key = (("history", "ORA"), ("begin", f"2026-03-09T{begin:02}:00:00"),
               ("end", f"2026-03-09T{end:02}:00:00"))  # fmt: skip
        made.append(Answer(
            "series_change", "average_active_sessions", Subject("ORA", key), "measured",
            Estimate(6.0, "1"), conditions=(*where, Condition("cause commits", 3.5, "1", "where")),
        ))  # fmt: skip
    return Measured(to_frame(made))


def test_a_change_is_a_row_with_what_told_of_it_and_what_else_moved():
    shown = table_changes(changes((9, 10), commits_per_s=(0.5, 500.0), cpu_busy_ratio=(0.1, 0.4)))
    assert labels(shown) == [
        "When", "What it was", "Added sessions", "Shown by", "Usual", "Then",
        "What else changed (usual)",
    ]  # fmt: skip
    assert texts(shown) == [[
        "9 Mar 2026 09:00 to 10:00", "Commits waited", "Commits 3.50", "active sessions", "2.00",
        "6.00", "host CPU busy 40% (10%); commits per second 500 (0.500)",
    ]]  # fmt: skip
    assert shown.caption == "When the load was not as usual: once."


def test_of_many_changes_those_with_the_most_sessions_are_printed_and_counted():
    shown = table_changes(changes(*((hour, hour + 1) for hour in range(9))))
    assert len(shown.rows) == MOST_CHANGES
    assert shown.caption == "When the load was not as usual: 8 of 9 times."
    with pytest.raises(AbsentError, match="no change of a level is shown"):
        table_changes(changes())


def test_many_that_are_left_out_have_a_row_for_each_reason():
    (shown,) = tables_left_out(sample.periods(1, left_out=("overlaps",) * 9 + ("apart",) * 2))
    assert texts(shown) == [
        ["awr_x0, awr_x1, awr_x2 and 6 more", "it overlaps another report's period"],
        ["awr_x9, awr_x10", "it is far from the others in time"],
    ]


@pytest.mark.parametrize("reason", columns.LEFT_OUT)
def test_every_reason_has_words(reason):
    (shown,) = tables_left_out(sample.periods(0, left_out=(reason,)))
    ((*_, why),) = texts(shown)
    assert why.startswith(columns.LEFT_OUT[reason])


def test_equal_periods_have_no_worst_ones():
    with pytest.raises(AbsentError, match="no period has more active sessions than the median one"):
        table_worst_periods(sample.worst(0, ranks=1))


def test_the_worst_periods_say_what_was_different():
    shown = table_worst_periods(sample.worst(8, ranks=2))
    assert texts(shown)[0] == [
        "1", "awr_006", "2026-03-09 09:00 to 09:30", "6.00", "3.5",
        "commits 500/s (0.0200/s); log file sync 6.10 ms (5.20 ms)",
    ]  # fmt: skip
    assert texts(shown)[1][4] == "–", "a MAD of 0 measures nothing"
    assert "the median period has 3.00. MADs" in shown.note


def test_every_quantity_over_time_that_may_differ_has_a_name():
    others = {"elapsed_s", "average_active_sessions", "read_event", "read_waits",
              "log_file_syncs", "log_file_parallel_writes", "source"}  # fmt: skip
    keys = {"history", "report", "begin_time", "end_time", "cautions"}
    assert set(columns.OVER_TIME) - others - keys == set(QUANTITIES)


def riser(name, change, **more):
    return {"history": "ORA", "kind": "event", "name": name, "change_sessions": change,
            "listed_in": 3, "periods": 30, **more}  # fmt: skip


def test_risers_are_in_the_order_of_the_frame_at_most_ten():
    rows = [riser(f"event {n}", 2.0 - n / 10, worst_sessions=2.5, rest_sessions=0.5,
                  wait_class="User I/O") for n in range(12)]  # fmt: skip
    frame = sample.framed(columns.RISERS, rows)
    shown = table_risers(frame)
    assert len(shown.rows) == 10
    assert labels(shown) == [
        "Event", "Wait class", "Busy periods", "Others", "Change", "Listed in",
    ]  # fmt: skip
    assert texts(shown)[0] == ["event 0", "User I/O", "2.50", "0.50", "+2.00", "3 of 30"]
    with pytest.raises(AbsentError, match="no report lists a statement"):
        table_risers(frame, kind="sql")


def test_without_a_busy_period_nothing_rose():
    frame = sample.framed(columns.RISERS, [riser("log file sync", None, rest_sessions=4.0)])
    with pytest.raises(
        AbsentError,
        match="active sessions are an outlier or a higher level, so no event is compared",
    ):
        table_risers(frame)


def test_a_riser_that_the_other_periods_do_not_list_has_dashes():
    frame = sample.framed(columns.RISERS, [riser("log file sync", None, worst_sessions=4.0)])
    assert texts(table_risers(frame)) == [["log file sync", "4.00", "3 of 30"]]


def test_statements_and_segments_say_how_many_periods_list_them():
    sql = sample.framed(columns.RECURRENT_SQL, [{
        "history": "ORA", "sql_id": "a1b2", "module": "batch",
        "text": "select\n *  from " + "t" * 60, "listed_in": 7, "periods": 30,
        "elapsed_s": 5400.0, "worst_share_ratio": 0.25,
    }])  # fmt: skip
    assert texts(table_recurrent_sql(sql)) == [
        ["a1b2", "batch", "select * from " + "t" * 46 + "…", "7 of 30", "1.50", "25.0"]
    ]
    segments = sample.framed(columns.READ_SEGMENTS, [{
        "history": "ORA", "owner": "APP", "object": "ORDERS", "object_type": "TABLE",
        "listed_in": 7, "periods": 30, "physical_reads_blocks": 1.5e9,
    }])  # fmt: skip
    shown = table_read_segments(segments)
    assert labels(shown) == ["Segment", "Type", "Listed in", "Physical reads (M blocks)"]
    assert texts(shown) == [["ORDERS", "TABLE", "7 of 30", "1,500.00"]]


def test_whole_frames_are_attached_with_their_columns():
    attached = tables_series(sample.periods(2), sample.over_time(2))
    assert [table.id for table in attached] == ["every-periods", "every-over-time"]
    assert all(table.detail for table in attached)
    first = dict(zip(labels(attached[1]), texts(attached[1])[0], strict=True))
    assert first["begin_time"] == "2026-03-09 06:00:00"
    assert first["read_wait_s"] == "0.0011"
    assert "log_writer_busy_ratio" not in first, "a column without any value is left out"
