"""The text report of a cluster (19c), and what 19c prints once for several rows."""
# ruff: noqa: E501 - tables as wide as Oracle prints them

import pytest
from forges import awr

from perfkit.sources.awr import read_awr

TITLE = "{:<41}DB/Inst: ORA/ora1  Snaps: 7-8\n\n"
END = " " * 26 + "-" * 60 + "\n\n"

TOP = (
    TITLE.format("Top Timed Events")
    + """\
                               Wait                                   Event                      Wait Time                            Summary Avg Wait Time
       ---------------------------------------------------   ----------------------   -------------------------------   ------------------------------------------------
  I#   Class      Event                                             Waits %Timeouts        Total(s) Avg Wait %DB time          Avg        Min        Max    Std Dev  Cnt
----   ---------- ----------------------------------------   ------------ ---------   ------------- -------- --------   ---------- ---------- ---------- ---------- ----
   *   User I/O   db file parallel read                         1,000,000       0.0       80,000.00  80.00ms    40.00      75.00ms    50.00ms   100.00ms    35.36ms    2
                  DB CPU                                              N/A       N/A       20,000.00             10.00                                                  2

   1   User I/O   db file parallel read                           500,000       0.0       25,000.00  50.00ms    25.00
                  DB CPU                                              N/A       N/A       12,000.00             12.00

   2   User I/O   db file parallel read                           500,000       0.0       55,000.00 100.00ms    55.00
                  DB CPU                                              N/A       N/A        8,000.00              8.00
"""
    + END
)

SQL = (
    TITLE.format("SQL ordered by Elapsed Time (Global)")
    + """\
                                                                 Total                                                                                           Per Execution                                                               Percentage of Total
                -------------------------------------------------------------------------------------------------------   ------------------------------------------------------------------------------------------   --------------------------------------------------------------
   SQL Id         Elapsed (s)     CPU (s)  IOWait (s)           Gets        Reads         Rows Cluster (s)        Execs     Elapsed (s)     CPU (s)  IOWait (s)           Gets        Reads         Rows Cluster (s)    DB time   DB CPU  IO Wait     Gets    Reads  Cluster    Execs
-------------   ------------- ----------- ----------- -------------- ------------ ------------ ----------- ------------   ------------- ----------- ----------- -------------- ------------ ------------ -----------   -------- -------- -------- -------- -------- -------- --------
0a1b2c3d4e5f6      100,000.50   17,000.25   90,000.75  4,000,000,000   50,000,000   40,000,000  150,000.00   20,000,000            0.01        0.00        0.00          200.0          2.5          2.0        0.01       90.0     80.0      0.9     93.0     91.0     90.0     94.0
SELECT COUNT(C2) FROM CF1 WHERE CUSTID >
 :B1

6f5e4d3c2b1a0        1,000.00       20.00      200.00        170,000      160,000            2      800.00            2          500.00       10.00      100.00       85,000.0     80,000.0          1.0      400.00        0.4      0.1      0.0      0.0      0.3      0.5      0.0
BEGIN NULL; END;
"""
    + END
)

BACKGROUND = (
    TITLE.format("Background Wait Events (Global)")
    + """\
                          Wait                                   Event                      Wait Time                          Summary Avg Wait Time
---------------------------------------------------   ----------------------   -------------------------------   -------------------------------------------
Class      Event                                             Waits %Timeouts        Total(s) Avg Wait %bg time          Avg        Min        Max    Std Dev
---------- ----------------------------------------   ------------ ---------   ------------- -------- --------   ---------- ---------- ---------- ----------
User I/O   db file sequential read                          10,000       0.0           80.00   8.00ms     0.04       8.50ms     8.00ms     9.00ms   700.00us
Other      watchdog main loop                                   10       0.0           51.89 5188.56m              5188.56m   5188.56m   5188.56m
"""
    + END
)

SLOTS = (
    TITLE.format("Activity Over Time")
    + """\
                         Slot                                   Event
Slot Time (Duration)    Count Event                             Count % Event
-------------------- -------- ------------------------------ -------- -------
21:32:34   (2.4 min)    2,673 db file parallel read               996    7.74
                              gc cr multi block request           995    7.74
                              db file sequential read             276    2.15
21:35:00   (5.0 min)    7,263 db file parallel read             2,900   22.55
                              gc cr multi block request         2,508   19.50
"""
    + END
)

SAMPLED = (
    TITLE.format("Top SQL with Top Events")
    + """\
                 SQL ID            Plan Hash           Executions     % Activity
----------------------- -------------------- -------------------- --------------
                                                                           % Row
Event                          % Event Top Row Source                     Source
------------------------------ ------- --------------------------------- -------
          0a1b2c3d4e5f6           1497866750                12711          98.89
db file parallel read            40.06 TABLE ACCESS - BY INDEX ROWID BAT   40.06
SELECT COUNT(C2) FROM CF1


gc cr multi block request        34.28 TABLE ACCESS - BY INDEX ROWID BAT   34.28

"""
    + END
)


@pytest.fixture
def cluster(tmp_path):
    """A reader of a cluster's text report with further tables at its end."""

    def read(*tables):
        page = awr.forge(awr.sample(7, instances=3), "rac-text").data.decode()
        path = tmp_path / "report"
        path.write_text(page.replace("End of Report", "\n".join((*tables, "End of Report"))))
        return read_awr(path, root=tmp_path)

    return read


def test_an_instance_is_printed_in_the_first_row_of_its_group(cluster):
    """Group headings stand beside I#; what stands under them is one table."""
    rows = cluster(TOP)["top_events"].frame.to_dicts()
    assert [(row["instance"], row["event"], row["total_wait_s"]) for row in rows] == [
        (None, "db file parallel read", 80000.0), (None, "DB CPU", 20000.0),
        (1, "db file parallel read", 25000.0), (1, "DB CPU", 12000.0),
        (2, "db file parallel read", 55000.0), (2, "DB CPU", 8000.0),
    ]  # fmt: skip
    assert (rows[0]["instances_std_s"], rows[0]["avg_wait_s"]) == pytest.approx((0.03536, 0.08))


def test_rows_whose_first_was_lost_are_of_no_instance(cluster):
    """The CPU of instance 2 is not that of instance 1."""
    lost = "".join(line for line in TOP.splitlines(True) if not line.startswith("   2"))
    rows = cluster(lost)["top_events"].frame.to_dicts()
    assert [row["instance"] for row in rows] == [None, None, 1, 1]


def test_statements_of_a_cluster_have_their_totals_and_text(cluster):
    """The id stands first, the text below; what is of one execution is not a total."""
    rows = cluster(SQL)["sql"].frame.to_dicts()
    assert [(row["sql_id"], row["elapsed_s"], row["executions"], row["text"]) for row in rows] == [
        ("0a1b2c3d4e5f6", 100000.5, 20e6, "SELECT COUNT(C2) FROM CF1 WHERE CUSTID > :B1"),
        ("6f5e4d3c2b1a0", 1000.0, 2.0, "BEGIN NULL; END;"),
    ]  # fmt: skip


def test_a_share_of_background_time_is_a_fraction(cluster):
    """80 s of 2,000 s print as 0.04 below %bg time."""
    rows = cluster(BACKGROUND)["wait_events"].frame.to_dicts()
    assert [row["bg_time_ratio"] for row in rows] == [0.04, None]


@pytest.mark.parametrize(
    ("printed", "wait"),
    [("5188.56m", 5.18856), ("5188.56 ", None)],
)
def test_a_unit_that_its_column_cut_is_read_where_a_letter_of_it_is_left(cluster, printed, wait):
    """Oracle's units are ns, us, ms and s: m begins one of them, a blank may have been any."""
    reading = cluster(BACKGROUND.replace("5188.56m", printed))
    rows = reading["wait_events"].frame.to_dicts()
    assert [row["avg_wait_s"] for row in rows] == [0.008, wait and pytest.approx(wait)]
    told = any("'5188.56' has no unit" in text for text in reading.evidence.warnings)
    assert told == (wait is None)


def test_a_slot_holds_for_the_events_below_it(cluster):
    rows = cluster(SLOTS)["ash_activity"].frame.to_dicts()
    assert [(row["slot_samples"], row["slot_duration_s"], row["samples"]) for row in rows] == [
        (2673, 144.0, 996), (2673, 144.0, 995), (2673, 144.0, 276),
        (7263, 300.0, 2900), (7263, 300.0, 2508),
    ]  # fmt: skip


def test_a_slot_does_not_hold_for_what_may_be_of_another(cluster):
    """The line that begins the second slot is lost: its other event is of no known slot."""
    lost = "".join(line for line in SLOTS.splitlines(True) if not line.startswith("21:35"))
    rows = cluster(lost)["ash_activity"].frame.to_dicts()
    assert [row["slot_samples"] for row in rows] == [2673, 2673, 2673, None]


def test_further_events_of_a_statement_are_its_own(cluster):
    rows = cluster(SAMPLED)["ash_sql"].frame.to_dicts()
    assert [(row["sql_id"], row["event"], row["event_ratio"], row["text"]) for row in rows] == [
        ("0a1b2c3d4e5f6", "db file parallel read", 0.4006, "SELECT COUNT(C2) FROM CF1"),
        ("0a1b2c3d4e5f6", "gc cr multi block request", 0.3428, "SELECT COUNT(C2) FROM CF1"),
    ]  # fmt: skip
