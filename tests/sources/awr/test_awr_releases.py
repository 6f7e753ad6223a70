"""What other releases print: 10g, 11.2 across instances, 21c, pages without summaries.

The forms were read from public documents and reports; the figures here are made up.
"""

from __future__ import annotations

import re

import pytest
from forges import awr

from perfkit.core.errors import ParseError
from perfkit.sources.awr import read_awr

TEN = """
WORKLOAD REPOSITORY report for

DB Name         DB Id    Instance     Inst Num Release     RAC Host
------------ ----------- ------------ -------- ----------- --- ------------
TEN             10203040 ten1                1 10.2.0.4.0  YES nodea

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:       100 16-Feb-09 05:00:00        64        .1
  End Snap:       101 16-Feb-09 06:00:00        67        .2
   Elapsed:               60.00 (mins)
   DB Time:               25.00 (mins)

Load Profile
~~~~~~~~~~~~                            Per Second       Per Transaction
                                   ---------------       ---------------
                  Redo size:             68,225.00             12,794.50
             Physical reads:                 11.25                  2.10
                      Sorts:                 16.50                  2.00
               Transactions:                  5.33

  % Blocks changed per Read:    1.11    Recursive Call %:    98.04
 Rollback per transaction %:    0.57       Rows per Sort:    73.70

Top 5 Timed Events                                         Avg %Total
~~~~~~~~~~~~~~~~~~                                        wait   Call
Event                                 Waits    Time (s)   (ms)   Time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
CPU time                                          1,400          92.9
db file sequential read              40,000         180      4   12.0   User I/O
          -------------------------------------------------------------

Global Cache Load Profile
~~~~~~~~~~~~~~~~~~~~~~~~~                  Per Second       Per Transaction
                                      ---------------       ---------------
  Global Cache blocks received:                  0.05                  0.01

Wait Class                                DB/Inst: TEN/ten1  Snaps: 100-101
-> ordered by wait time desc, waits desc

                                                                  Avg
                                       %Time       Total Wait    wait     Waits
Wait Class                      Waits  -outs         Time (s)    (ms)      /txn
-------------------- ---------------- ------ ---------------- ------- ---------
User I/O                       41,000     .0              182       4       2.2
          -------------------------------------------------------------

Wait Events                               DB/Inst: TEN/ten1  Snaps: 100-101

                                                                   Avg
                                             %Time  Total Wait    wait     Waits
Event                                 Waits  -outs    Time (s)    (ms)      /txn
---------------------------- -------------- ------ ----------- ------- ---------
db file sequential read              40,000     .0         180       4       2.1
          -------------------------------------------------------------

Operating System Statistics               DB/Inst: TEN/ten1  Snaps: 100-101

Statistic                                       Total
-------------------------------- --------------------
BUSY_TIME                                     100,000
IDLE_TIME                                     300,000
NUM_CPUS                                            4
          -------------------------------------------------------------

SQL ordered by Elapsed Time               DB/Inst: TEN/ten1  Snaps: 100-101

  Elapsed      CPU                  Elap per  % Total
  Time (s)   Time (s)  Executions   Exec (s)  DB Time    SQL Id
---------- ---------- ------------ ---------- ------- -------------
     1,000        990        9,000        0.1    66.7 0gu4sdfsdfsz4
Module: batch
select 1 from dual

          -------------------------------------------------------------

Instance Activity Stats                   DB/Inst: TEN/ten1  Snaps: 100-101

Statistic                                     Total     per Second     per Trans
-------------------------------- ------------------ -------------- -------------
physical read total IO requests              96,120           26.7           5.0
physical write total IO requests             72,000           20.0           3.8
          -------------------------------------------------------------

End of Report
"""


@pytest.fixture
def read(tmp_path):
    def reader(text, name="report"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_awr(path)

    return reader


def only(reading, table):
    """The only row of a table, without what is null."""
    (row,) = reading[table].frame.to_dicts()
    return {name: value for name, value in row.items() if value is not None}


@pytest.fixture
def ten(read):
    return read(TEN)


def test_ten_has_its_host_in_the_table_of_the_database(ten):
    """10g has no table of the host: its name stands behind RAC, its CPUs in the OS statistics."""
    report = only(ten, "report")
    assert (report["host"], report["rac"], report["cpus"]) == ("nodea", True, 4)
    assert (report["release"], report["elapsed_s"], report["db_time_s"]) == (
        "10.2.0.4.0", 3600.0, 1500.0,
    )  # fmt: skip
    assert ten.evidence.unverified


def test_ratios_below_the_load_profile_are_no_rates(ten):
    """Two lines of percentages stand side by side below it: they are not per second."""
    rows = {row["statistic"]: row["per_s"] for row in ten.load_profile.frame.to_dicts()}
    assert rows == {
        "redo_size": 68225.0, "physical_reads": 11.25, "sorts": 16.5, "transactions": 5.33,
    }  # fmt: skip
    assert ten.evidence.warnings == ()


def test_ten_counts_all_sessions_together(ten):
    """Wait Class and Wait Events of 10g are of foreground and background: scope all."""
    events = {row["event"]: row for row in ten.wait_events.frame.to_dicts()}
    assert events["db file sequential read"]["scope"] == "all"
    row = only(ten, "wait_classes")
    assert (row["scope"], row["wait_class"], row["total_wait_s"]) == ("all", "User I/O", 182.0)
    top = ten.top_events.frame.to_dicts()
    assert [row["avg_wait_computed_s"] for row in top] == [None, 0.0045]
    assert [row["db_time_ratio"] for row in top] == [0.929, 0.12]


def test_ten_takes_iops_from_instance_activity_and_busy_from_times(ten):
    """No IO Profile, no IO requests in the load profile, no Host CPU."""
    source = only(ten, "iops_source")
    assert (source["section"], source["counts"]) == ("Instance Activity", "total")
    points = ten.load_points.frame.to_dicts()
    assert [row["iops"] for row in points] == pytest.approx([26.7, 20.0, 46.7])
    assert [row["cpu_busy_ratio"] for row in points] == [0.25] * 3


def test_share_of_db_time_in_sql_of_ten(ten):
    """% Total DB Time is the share of the report's DB time."""
    row = only(ten, "sql")
    assert (row["total_ratio"], row["module"]) == (pytest.approx(0.667), "batch")


@pytest.mark.parametrize("dialect", ["html-11.2", "html-19c", "html-pdb", "rac-19c"])
def test_a_page_without_summaries_gives_the_same_tables(dialect, read):
    """10.2 writes tables without a summary: headings, columns and first rows tell them."""
    count = 3 if dialect == "rac-19c" else 1
    content = awr.sample(4819, instances=count, cdb=dialect == "html-pdb")
    data = awr.forge(content, dialect).data
    bare = re.sub(rb' summary="[^"]*"', b"", data)
    assert bare != data
    plain, stripped = read(data, "plain.html"), read(bare, "bare.html")
    for name in plain:
        # Exadata's disks have no heading, and came after 10.2
        if name not in {"load_points", "cell_single_disks"}:
            assert stripped[name].frame.equals(plain[name].frame), name


RAC_PAGE = """<html><head><title>AWR RAC Report for DB: X, Snaps: 1-2</title></head>
<body class="awr"><h1 class="awr">WORKLOAD REPOSITORY REPORT (RAC)</h1>{}
<p />End of Report</body></html>"""
WIDE = """<h3 class="awr">IOStat by {} (per Second)</h3>
<table class="tdiff" summary="IOStat by {} (per Second). . Total Reads includes all">
<tr><td>&#160;</td><th colspan=" 2">Reads MB/sec</th><th colspan=" 2">Writes MB/sec</th>
<th colspan=" 2">Reads requests/sec</th><th colspan=" 2">Writes requests/sec</th></tr>
<tr><th>I#</th><th>Total</th><th>{}</th><th>Total</th><th>{}</th><th>Total</th><th>{}</th>
<th>Total</th><th>{}</th></tr>
<tr><td>1</td><td>10.00</td><td>8.00</td><td>5.00</td><td>4.00</td><td>1,000.00</td>
<td>990.00</td><td>500.00</td><td>400.00</td></tr>
<tr><td>2</td><td>1.00</td><td>.50</td><td>2.00</td><td>2.00</td><td>10.00</td><td>9.00</td>
<td>20.00</td><td>&#160;</td></tr>
<tr><td>Sum</td><td>11.00</td><td>8.50</td><td>7.00</td><td>6.00</td><td>1,010.00</td>
<td>999.00</td><td>520.00</td><td>400.00</td></tr></table>"""


@pytest.mark.parametrize(
    ("heading", "names", "table", "key"),
    [
        ("Function", ("Buffer Cache", "DBWR") * 2, "io_by_function", "function"),
        ("File Type", ("Data File", "Data File") * 2, "io_by_filetype", "filetype"),
    ],
)
def test_io_across_the_page_in_rac_of_11_2(heading, names, table, key, read):
    """An instance a row: bytes per second of MB/sec, IOPS of requests/sec, no row Sum."""
    reading = read(RAC_PAGE.format(WIDE.format(heading, heading, *names)), "rac.html")
    rows = {(row["instance"], row[key]): row for row in reading[table].frame.to_dicts()}
    total = rows[1, "Total"]
    assert (total["read_iops"], total["write_iops"]) == (1000.0, 500.0)
    assert (total["read_bytes_per_s"], total["write_bytes_per_s"]) == (10 * 2**20, 5 * 2**20)
    assert rows[2, names[1]]["write_iops"] is None
    assert {instance for instance, _ in rows} == {1, 2}
    assert rows[1, names[0]]["read_iops"] == 990.0
    found = [part.status for part in reading.evidence.sections if part.name == table]
    assert found == ["found"]


def test_an_unknown_group_of_rates_is_no_number(read):
    """A group that names neither megabytes nor requests: told, and not taken for one of them."""
    page = WIDE.replace("Reads MB/sec", "Reads GB/min").format("Function", "Function", *"ABAB")
    reading = read(RAC_PAGE.format(page), "rac.html")
    assert reading.io_by_function.frame["read_bytes_per_s"].null_count() == 6
    assert any("is not known, not read" in text for text in reading.evidence.warnings)


GLOBAL_SQL = """<h3 class="awr">SQL ordered by {} (Global)</h3>
<table class="tdiff" summary="SQL ordered by {} (Global). . Captured SQL account for">
<tr><td>&#160;</td><th colspan=" 8">{}</th><th colspan=" 2">Per Execution</th><td>&#160;</td></tr>
<tr><th>SQL Id</th><th>Elapsed (s)</th><th>CPU (s)</th><th>IOWait (s)</th><th>Gets</th>
<th>Reads</th><th>Rows</th><th>Cluster (s)</th><th>Execs</th><th>Elapsed (s)</th><th>CPU (s)</th>
<th>SQL Text</th></tr>
<tr><td>0gu4sdfsdfsz4</td><td>1,000.50</td><td>900.00</td><td>80.00</td><td>7,000</td>
<td>600</td><td>5</td><td>4.00</td><td>10</td><td>100.05</td><td>90.00</td><td>select 1</td></tr>
</table>"""


@pytest.mark.parametrize(
    ("words", "order"),
    [("Elapsed Time", "elapsed"), ("CPU Time", "cpu"), ("Gets", "gets"), ("Reads", "reads")],
)
def test_sql_of_all_instances(words, order, read):
    """RAC-global SQL: the totals of the cluster, not what stands per execution."""
    reading = read(RAC_PAGE.format(GLOBAL_SQL.format(words, words, "Total")), "rac.html")
    row = only(reading, "sql")
    assert (row["level"], row["ordered_by"], row["executions"]) == ("cluster", order, 10.0)
    assert (row["elapsed_s"], row["cpu_s"], row["user_io_s"]) == (1000.5, 900.0, 80.0)
    assert (row["buffer_gets"], row["physical_reads_blocks"], row["rows"]) == (7000.0, 600.0, 5.0)


def test_sql_under_an_unknown_group_is_unparsed(read):
    """A group that may be anything: no number is taken, and the evidence says why."""
    reading = read(RAC_PAGE.format(GLOBAL_SQL.format("Gets", "Gets", "Per Hour")), "rac.html")
    assert reading.sql.frame.is_empty()
    (part,) = [part for part in reading.evidence.sections if part.name == "sql_by_gets"]
    assert part.status == "unparsed"
    assert "perhour" in part.reason


PARTS = """<html><head><title>AWR Report for DB: X, Inst: x, Snaps: 1-2</title></head><body>
<h1 class="awr">WORKLOAD REPOSITORY report for</h1>
<table summary="This table displays cache sizes and other statistics for"><tr><th></th>
<th>Begin</th><th>End</th><th></th><th></th></tr>
<tr><td>Buffer Cache:</td><td>100M</td><td>90M</td><td>Std Block Size:</td><td>8K</td></tr>
<tr><td>NUMA Pool Size:</td><td>797M</td><td>797M</td><td></td><td></td></tr></table>
<h3 class="awr">Modified Parameters</h3>
<table summary="This table displays name and value of the modified initialization parameters"><tr>
<th>Parameter Name</th><th>Begin value</th><th>End value (if different)</th></tr>
<tr><td>processes</td><td>500</td><td>&#160;&#160;</td></tr></table>
<p />End of Report</body></html>"""


def test_words_of_18c_and_of_some_19c(read):
    """18c prints a NUMA pool; some 19c reports say "the modified initialization parameters"."""
    reading = read(PARTS, "r.html")
    memory = {row["item"]: row["end"] for row in reading.memory.frame.to_dicts()}
    assert (memory["numa_pool"], memory["buffer_cache"]) == (797 * 2**20, 90 * 2**20)
    assert only(reading, "parameters")["value"] == "500"
    assert reading.evidence.warnings == ()


TWENTY_ONE = """
WORKLOAD REPOSITORY report for

DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB
------------ ----------- ----------- ---------------- ------- ---------- --- ---
DBX                   42 DBX_far     PHYSICAL STANDBY XP      21.0.0.0.0 NO  YES

Instance     Inst Num Startup Time    User Name    System Data Visible
------------ -------- --------------- ------------ --------------------
dbx1                1 23-Jun-21 09:29 SYS          YES

Container DB Id  Container Name       Open Time
--------------- --------------- ---------------
      549332648 CDB$ROOT        29-Jun-21 13:19

              Snap Id      Snap Time      Sessions Curs/Sess  PDBs
            --------- ------------------- -------- --------- -----
Begin Snap:         1 29-Jun-21 13:50:00         1      11.0     1
  End Snap:         2 29-Jun-21 14:00:00         0        .0     2
   Elapsed:               10.00 (mins)
   DB Time:                0.50 (mins)

End of Report
"""


def test_the_head_of_21c_text(read):
    """A standby's report: role, unique name, container; who looked is not part of the report."""
    reading = read(TWENTY_ONE)
    report = only(reading, "report")
    assert (report["role"], report["unique_name"], report["instance_name"]) == (
        "PHYSICAL STANDBY", "DBX_far", "dbx1",
    )  # fmt: skip
    assert only(reading, "containers")["container"] == "CDB$ROOT"
    assert reading.evidence.warnings == ()
    assert reading.evidence.unverified


HOST_CPU = """<html><head><title>AWR Report for DB: X, Inst: x, Snaps: 1-2</title></head>
<body class="awr"><h1 class="awr">WORKLOAD REPOSITORY report for</h1>
<h3 class="awr"><a class="awr" name="99999"></a>Report Summary</h3>
<table><tr><th>Event</th></tr><tr><td>DB CPU</td></tr></table><p />
Host CPU (CPUs:    8 Cores:    4 Sockets:    2)
<p />
<table border="1" summary="This table displays system load statistics">
<tr><th>Load Average Begin</th><th>Load Average End</th><th>%User</th><th>%System</th>
<th>%WIO</th><th>%Idle</th></tr>
<tr><td>6.93</td><td>7.23</td><td>23.8</td><td>0.9</td><td>21.8</td><td>74.8</td></tr></table>
<p />Instance Efficiency Percentages (Target 100%)<p />
<table border="1"><tr><td>Buffer Nowait %:</td><td>99.97</td></tr></table>
<p />End of Report</body></html>"""


def test_the_cpus_beside_the_heading_of_11_2_0_3(read):
    """They stand in bare text, and the table in the paragraph behind it."""
    reading = read(HOST_CPU, "r.html")
    row = only(reading, "host_cpu")
    assert (row["cpus"], row["cores"], row["sockets"]) == (8, 4, 2)
    assert row["load_average_end"] == 7.23


def test_the_text_before_a_table_without_summary_names_it(read):
    """Instance Efficiency is read by it; the first table here nobody knows."""
    reading = read(HOST_CPU, "r.html")
    assert only(reading, "efficiency")["ratio"] == pytest.approx(0.9997, rel=1e-12)
    (told,) = [text for text in reading.evidence.warnings if "does not know" in text]
    assert told.count("(table ") == 1


def test_a_share_that_is_no_number_is_null_and_named(read):
    reading = read(HOST_CPU.replace("99.97", "99.9.7"), "r.html")
    assert reading["efficiency"].frame.select("statistic", "ratio").rows() == [
        ("buffer_nowait", None)
    ]
    (told,) = [text for text in reading.evidence.warnings if "99.9.7" in text]
    assert told == "Report Summary (table 3), row 1, column '%': '99.9.7' is not a number; null"


PAGED = """
SQL ordered by Executions        DB/Inst: TEN/ten1  Snaps: 100-101
{heads}
      36,852          36,852            1.0      651.8   3.2  96.9 9zd49du11u7cf
{broken}SQL ordered by Executions        DB/Inst: TEN/ten1  Snaps: 100-101
{heads}
{rest}
          -------------------------------------------------------------

End of Report
"""
HEADS = """
                                              Elapsed
 Executions   Rows Processed  Rows per Exec   Time (s)  %CPU   %IO    SQL Id
------------ --------------- -------------- ---------- ----- ----- -------------"""


@pytest.mark.parametrize(
    ("broken", "rest"),
    [
        ("Module: Swing\n", "insert into orders values (:1 ,\n :2)"),
        ("Module: Swing\ninsert into orders values (:1 ,\n", " :2)"),
        ("", "Module: Swing\ninsert into orders values (:1 ,\n :2)"),
    ],
)
def test_a_statement_goes_on_over_the_end_of_its_page(broken, rest, read):
    """The page ends behind its numbers, its module or in its text: nothing of it is lost."""
    page = PAGED.format(heads=HEADS, broken=broken, rest=rest)
    frame = read(TEN.replace("\nEnd of Report\n", page)).sql.frame
    (row,) = [row for row in frame.to_dicts() if row["ordered_by"] == "executions"]
    assert (row["module"], row["text"]) == ("Swing", "insert into orders values (:1 , :2)")
    assert (row["executions"], row["rows"], row["elapsed_s"]) == (36852.0, 36852.0, 651.8)


COPIED = """WORKLOAD REPOSITORY report for

DB Name          DB Id        Instance         Inst num Release      RAC
X                42           x1               1        19.19.0.0.0  NO

Load Profile

Per Second       Per Transaction
Read IO requests:        42               0.5

End of Report
"""


@pytest.mark.parametrize("text", [COPIED, RAC_PAGE.format("<p>nothing</p>")], ids=["text", "html"])
def test_a_report_without_a_table_is_refused(text, read):
    """Copied from a browser a report has lost its columns: refused, not an empty record."""
    with pytest.raises(ParseError, match="no table that perfkit knows"):
        read(text)


STATSPACK = """
STATSPACK report for

Database    DB Id    Instance     Inst Num Startup Time    Release     RAC
~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---
                  42 ten1                1 15-Sep-08 08:45 10.2.0.5.0  NO

Host  Name:   {name:<16} Num CPUs:{cpus:>4}        Phys Memory (MB):{memory:>9}
~~~~

Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment
~~~~~~~~    ---------- ------------------ -------- --------- -------------------
Begin Snap:       6693 31-Jan-09 00:00:00      153       5.5
  End Snap:       6694 31-Jan-09 01:00:00      153       5.5
   Elapsed:               60.00 (mins)

End of Report
"""


@pytest.mark.parametrize(
    ("name", "cpus", "memory", "found"),
    [
        ("node a", "2", "2,048", ("node a", 2, 2048 * 2**20)),
        ("nodea", "16", "", ("nodea", 16, None)),
        ("nodea", "", "", ("nodea", None, None)),
        ("", "2", "2,048", (None, 2, 2048 * 2**20)),
    ],
)
def test_the_host_of_statspack_10g_stands_in_one_line(name, cpus, memory, found, read):
    """Host, CPUs and memory of 10g; what is blank is null."""
    reading = read(STATSPACK.format(name=name, cpus=cpus, memory=memory))
    (row,) = reading.report.frame.to_dicts()
    assert (row["host"], row["cpus"], row["memory_bytes"]) == found
    assert (row["release"], row["elapsed_s"]) == ("10.2.0.5.0", 3600.0)
    assert reading.evidence.warnings == ()
