"""RanRead, RanWrite and RanIO: every layout, every build's console, and the clock's trap."""
# ruff: noqa: DTZ001 - the tools print local times without a zone

import datetime as dt
from types import SimpleNamespace

import polars as pl
import pytest
from forges import ranread
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import perfkit as pk
from perfkit.analysis.curves.little import littles_law
from perfkit.core.answers import from_frame
from perfkit.core.errors import ParseError
from perfkit.sources import kind_of
from perfkit.sources.ranread.read import _elapsed
from perfkit.sources.ranread.schema import RANREAD_RUNS

OLD = "RunDate,RunTime,Database,Iterations,Processes,ResponseTime,IOPS,\n"
MAY = (
    "RunDate,RunTime,Database,Namespace,Reads,Writes,ReadsPS,WritesPS,StdDevR,StdDevW,Processes,"
    "ReadPct,\n"
)


def read(folder, text, name="export.txt"):
    path = folder / name
    path.write_text(text)
    return pk.read(path, kind="ranread")


def row_of(reading):
    return reading.ranread_runs.frame.row(0, named=True)


def test_the_layout_up_to_2023_with_its_trailing_comma(tmp_path):
    """5 processes at 1.23 ms are 4,065 IOPS: the README's own example."""
    reading = read(tmp_path, f"{OLD}2022-10-23,14:08:01,/db/,10000,5,1.23,4065,\n",
                   "PerfToolsRanRead_20221023-1408.txt")  # fmt: skip
    row = row_of(reading)
    assert list(row) == list(RANREAD_RUNS)
    assert (row["tool"], row["processes"], row["iterations"]) == ("RanRead", 5, 10000)
    assert row["started_at"] == dt.datetime(2022, 10, 23, 14, 8, 1)
    assert (row["read_iops"], row["write_iops"], row["total_iops"]) == (4065.0, None, 4065.0)
    assert (row["response_time_s"], row["response_time_origin"]) == (0.00123, "printed")
    assert row["little_check"] == "ok"
    assert row["little_ratio"] == pytest.approx(4065 * 0.00123 / 5)
    assert row["crosses_midnight"] is False
    assert reading.evidence.warnings == ()
    assert reading.evidence.tool_version == "Iterations and ResponseTime (2016 to 2023)"


def test_a_column_that_no_layout_has_is_named_and_not_read(tmp_path):
    heads = OLD.replace("IOPS", "IOPS,Speed")
    reading = read(tmp_path, f"{heads}2022-10-23,14:08:01,/db/,10000,5,1.23,4065,7,\n")
    (warning,) = reading.evidence.warnings
    assert warning.endswith("column 'Speed' is not known, and not read")
    assert row_of(reading)["read_iops"] == 4065.0


def test_the_layout_of_may_2024_has_no_response_time(tmp_path):
    """Derived as processes / reads per second, marked, and not checkable; StdDevR is a ratio."""
    text = f"{MAY}2024-05-20,10:00:00,/db/,,18000000,,301000,,.012,,50,100,\n"
    row = row_of(read(tmp_path, text))
    assert (row["reads"], row["writes"], row["read_iops"]) == (18000000, None, 301000.0)
    assert row["response_time_s"] == 50 / 301000
    assert (row["response_time_origin"], row["little_check"]) == ("derived", "not checkable")
    assert (row["reads_cv_ratio"], row["reads_stddev"]) == (0.012, None)
    assert row["read_target_ratio"] == 1.0


def test_nothing_is_derived_for_tools_that_pause(tmp_path):
    """RanWrite waits between transactions: processes / IOPS would be no response time."""
    text = f"{MAY}2024-05-20,10:00:00,/db/,RAN,,600000,,10000,,.02,10,0,\n"
    reading = read(tmp_path, text)
    row = row_of(reading)
    assert (row["tool"], row["write_iops"], row["total_iops"]) == ("RanWrite", 10000.0, 10000.0)
    assert (row["response_time_s"], row["little_check"]) == (None, "not checkable")
    assert (row["writes_cv_ratio"], row["reads_cv_ratio"]) == (0.02, None)
    assert reading.evidence.warnings == (
        "writes go into the database cache: their rate is not a rate of disk writes",
    )


def test_the_layout_of_april_2024(tmp_path):
    text = (
        "RunDate,RunTime,Database,Namespace,Reads,Writes,Processes,ReadPct,ResponseTime,IOPS,\n"
        "2024-04-20,10:00:00,/db/,RAN,1800,600,10,75,.1,100000,\n"
    )
    row = row_of(read(tmp_path, text))
    assert (row["tool"], row["total_iops"], row["response_time_s"]) == ("RanIO", 100000.0, 0.0001)
    assert (row["read_iops"], row["write_iops"]) == (None, None)
    assert row["little_check"] == "ok"


def test_the_layout_of_2026(tmp_path):
    runs = ranread.sweep(1, (10, 20), repeats=1)
    reading = read(tmp_path, ranread.export_2026(runs), "PerfToolsRanIO_20260302-120000.csv")
    row = row_of(reading)
    assert row["tool"] == "RanIO"
    assert row["read_iops"] + row["write_iops"] == row["total_iops"] == round(runs[0].iops)
    assert row["read_target_ratio"] == 0.7
    assert (row["reads_stddev"], row["writes_stddev"]) == (12.5, 7.25)
    assert (row["read_iops_stddev"], row["write_iops_stddev"]) == (2.5, 1.25)
    assert (row["reads_cv_ratio"], row["writes_cv_ratio"]) == (0.004, 0.006)
    points = reading.load_points.frame
    assert points["workload"].unique().to_list() == ["ranio, 70% reads"]
    assert points["direction"].to_list() == ["total", "read", "write"] * 2


@pytest.mark.parametrize(
    ("row", "started"),
    [
        ("66203   45046   I:\\ZRANREAD\\    30000   4       .67     6011",
         dt.datetime(2022, 4, 4, 12, 30, 46)),
        ("2022-04-04 12:30:46 I:\\ZRANREAD\\ 30000 4 .67 6011",
         dt.datetime(2022, 4, 4, 12, 30, 46)),
        ("04/25/2022 12:30:46 I:\\ZRANREAD\\ 30000 4 .67 6011",
         dt.datetime(2022, 4, 25, 12, 30, 46)),
        ("04/06/2022 12:30:46 I:\\ZRANREAD\\ 30000 4 .67 6011", None),
    ],
)  # fmt: skip
def test_a_listing_of_the_sql_table(tmp_path, row, started):
    """Blanks between the columns; dates of $HOROLOG; a date that reads two ways is null."""
    heads = "RunDate RunTime Database        Iterations      Processes       ResponseTime  IOPS"
    reading = read(tmp_path, f"{heads}\n{row}\n")
    found = row_of(reading)
    assert (found["started_at"], found["processes"], found["total_iops"]) == (started, 4, 6011.0)
    assert found["little_check"] == "ok"
    assert bool(reading.evidence.warnings) == (started is None)


@pytest.mark.parametrize("build", ["2016", "2022", "2023", "2024"])
def test_the_console_of_each_build(tmp_path, build):
    runs = ranread.sweep(2, (5, 50), repeats=2)
    reading = read(tmp_path, ranread.console(runs, build))
    frame = reading.ranread_runs.frame
    assert frame["tool"].unique().to_list() == ["RanRead"]
    assert frame["processes"].to_list() == [5, 50, 5, 50]
    assert frame["total_iops"].to_list() == pytest.approx([run.iops for run in runs], rel=1e-3)
    assert frame["response_time_s"].to_list() == pytest.approx(
        [run.response_ms / 1000 for run in runs], rel=1e-3
    )
    checked, origin = ("not checkable", "derived") if build == "2024" else ("ok", "printed")
    assert frame["little_check"].unique().to_list() == [checked]
    assert frame["response_time_origin"].unique().to_list() == [origin]
    if build == "2022":
        assert frame["elapsed_s"].unique().to_list() == [62.856814]
    if build != "2016":
        assert frame["database"].unique().to_list() == [ranread.DATABASE]
    assert reading.evidence.warnings == ()


def test_numbers_without_a_leading_zero_and_doubled_words(tmp_path):
    """RanWrite prints ".0545ms", and since 2024 "total total writes/s"; RanIO two lines."""
    text = (
        "RanWrite job 1424's 10 processes (60 seconds) had average response time = .0545ms\n"
        "Calculated IOPS for RanWrite job 1424 = 183414\n"
        "RanWrite job 1425's 10 processes total total writes/s = 9000\n"
        "RanIO process 13 creating 5 worker processes in the background.\n"
        "Target Read I/O = 70%\n"
        "RanIO job 13's 5 processes total reads/s = 700\n   and total writes/s = 300\n"
        "Actual read I/O = 70.00%\nActual write I/O = 30.00%\n"
    )
    first, second, third = read(tmp_path, text).ranread_runs.frame.rows(named=True)
    assert (first["tool"], first["write_iops"]) == ("RanWrite", 183414.0)
    assert first["response_time_s"] == 0.0000545
    assert first["little_check"] == "ok"
    assert (second["write_iops"], second["response_time_s"]) == (9000.0, None)
    assert (third["read_iops"], third["write_iops"], third["total_iops"]) == (700.0, 300.0, 1000.0)
    assert third["read_target_ratio"] == 0.7


# ---- the clock


def test_a_run_across_midnight_is_flagged_and_its_numbers_are_no_numbers(tmp_path):
    """The tool's clock counts the seconds of a day: what it computes across 0:00 is negative."""
    text = (
        'USER>do ##class(PerfTools.RanRead).Run("/t",5,60)\n'
        "RanRead process 1 creating 5 worker processes in the background.\n"
        "RanRead job 1's 5 processes (-86337.1 seconds) average response time = -12.23ms\n"
        "Calculated IOPS for RanRead job 1 = -4065\n"
    )
    reading = read(tmp_path, text)
    row = row_of(reading)
    assert row["crosses_midnight"] is True
    assert (row["total_iops"], row["response_time_s"], row["elapsed_s"]) == (None, None, None)
    assert len(reading.load_points) == 0
    assert any("wrapped around midnight" in text for text in reading.evidence.warnings)


def test_elapsed_seconds_in_another_time_zone_are_left_out(tmp_path):
    text = (
        'USER>do ##class(PerfTools.RanRead).Run("/t",5,60)\n'
        "RanRead job 1's 5 processes (7262.1 seconds) average response time = 1.23ms\n"
        "Calculated IOPS for RanRead job 1 = 4065\n"
    )
    row = row_of(read(tmp_path, text))
    assert (row["elapsed_s"], row["crosses_midnight"]) == (None, True)


@pytest.mark.parametrize(("start", "crosses"), [("23:59:00", True), ("12:00:00", False)])
def test_an_export_that_goes_over_midnight_by_its_own_length(tmp_path, start, crosses):
    text = f"{MAY}2024-05-20,{start},/db/,,18060000,,301000,,.012,,50,100,\n"
    reading = read(tmp_path, text)
    assert row_of(reading)["crosses_midnight"] is crosses
    assert any("crosses midnight" in note for note in reading.evidence.warnings) is crosses


# ---- mixed-up columns and other faults


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        ("10000,50,1.23,4065", "line 2: IOPS x response time is 5 processes, and 50 are printed: "
         "columns are mixed up, or a value is wrong"),
        ("5,10000,1.23,4065", "line 2: IOPS x response time is 5 processes, and 10000 are printed: "
         "columns are mixed up, or a value is wrong"),
        ("10000,5,1.23,813", "line 2: IOPS x response time is 1 processes, and 5 are printed: "
         "the IOPS are of one process"),
        ("10000,5,4065,1.23",
         "line 2: a response time of 1 s or more: columns swapped, another unit?"),
    ],
)  # fmt: skip
def test_columns_that_are_mixed_up_are_a_warning(tmp_path, cells, note):
    reading = read(tmp_path, f"{OLD}2022-10-23,14:08:01,/db/,{cells},\n")
    assert note in reading.evidence.warnings


def test_the_check_allows_for_the_rounding_of_the_print(tmp_path):
    """0.17 ms may be 0.165: 3% more than the check's own 5%, and no more."""
    for iops, check in ((5882, "ok"), (6300, "ok"), (6500, "off")):
        text = f"{OLD}2022-10-23,14:08:01,/db/,10000,1,0.17,{iops},\n"
        assert row_of(read(tmp_path, text))["little_check"] == check


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("hello\n", "no column heads of a RANREAD export in it"),
        (OLD, "export.txt:1: a header and no row below it"),
        (f"{OLD}2022-10-23,14:08:01,/db/,10000,five,1.23,4065,\n",
         "export.txt:2: column 'Processes': 'five' is not a number"),
        (f"{OLD}2022-10-23,14:08:01,/db/,10000\n2022-10-23,14:08:01,/db/,1,5,1.23,4065,\n",
         "export.txt:2: 4 cells where 8 columns belong"),
        (f"{OLD}2022-10-23,14:08:01,/db/,10000,5,1.23,4065,9\n",
         "export.txt:2: '9' is in a column without a name"),
        ("RunDate,RunTime,Processes,Speed,\n2022-10-23,14:08:01,5,9,\n",
         "txt:1: no layout of RANREAD has these columns: RunDate, RunTime, Processes, Speed"),
        ("RunDate,RunTime,Processes\n2022-10-23,14:08:01,5\n",
         "export.txt:1: no layout of RANREAD has these columns: RunDate, RunTime, Processes"),
        ("Calculated IOPS for RanRead job 1 = 9\nRanRead job 1's 5 processes total reads/s = 9\n",
         "export.txt:1: calculated IOPS without a response time above"),
        (b"PK\x03\x04", "an Excel workbook"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_names_the_place(tmp_path, text, message):
    path = tmp_path / "export.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ParseError) as caught:
        pk.read(path, kind="ranread")
    assert message in str(caught.value)


def test_a_cut_off_export_and_a_run_without_a_result(tmp_path):
    runs = ranread.sweep(3, (5, 10), repeats=1)
    reading = read(tmp_path, ranread.export_2023(runs)[:-15])
    assert len(reading.ranread_runs) == 1
    assert "cut off here" in reading.evidence.warnings[0]
    text = (
        ranread.console(runs) + "RanRead process 9 creating 5 worker processes in the background.\n"
    )
    reading = read(tmp_path, text + "ERROR: Directory not valid. See below for parameters.\n")
    assert [note.split(": ", 1)[1] for note in reading.evidence.warnings] == [
        "the tool reports: ERROR: Directory not valid. See below for parameters.",
        "a run begins here and no result of it follows",
    ]


# ---- curves


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 1000), repeats=st.integers(1, 3))
def test_every_run_of_an_export_comes_back(tmp_path, seed, repeats):
    runs = ranread.sweep(seed, (1, 7, 50, 400), repeats=repeats)
    frame = read(tmp_path, ranread.export_2023(runs)).ranread_runs.frame
    assert frame["processes"].to_list() == [run.processes for run in runs]
    assert frame["started_at"].to_list() == [run.start for run in runs]
    assert frame["total_iops"].to_list() == [float(round(run.iops)) for run in runs]
    assert frame["response_time_s"].to_list() == [
        float(f"{round(run.response_ms, 2)}e-3") for run in runs
    ]
    assert frame["little_check"].unique().to_list() == ["ok"]


def test_load_points_are_a_closed_loop_with_repeats(tmp_path):
    runs = ranread.sweep(4, repeats=3)
    reading = read(tmp_path, ranread.export_2024(runs))
    reads = reading.load_points.filter(direction="read").frame
    assert reads["load_kind"].unique().to_list() == ["processes"]
    assert reads["in_flight"].to_list() == reads["load"].to_list()
    assert reads.filter(pl.col("load") == 50)["repeat"].to_list() == [1, 2, 3]
    curve = pk.latency_curve(reading.load_points).frame
    assert curve["load"].to_list() == [float(n) for n in ranread.PROCESSES]
    assert curve["repeats"].unique().to_list() == [3]
    # the article's form: 301,000 IOPS at 50 jobs, a plateau of 390,000 to 400,000
    assert curve.filter(pl.col("load") == 50)["iops"][0] == pytest.approx(300_000, rel=0.02)
    assert curve["iops"].max() < 400_000
    (little,) = from_frame(littles_law(reading.load_points).frame)
    within = {item.metric: item.value for item in little.conditions}["results_within"]
    assert within == little.estimate.n == 3 * len(ranread.PROCESSES)


def test_the_kind_is_told_by_the_content(tmp_path):
    runs = ranread.sweep(5, (5,), repeats=1)
    for text in (ranread.export_2023(runs), ranread.console(runs), ranread.console(runs, "2016")):
        path = tmp_path / "x"
        path.write_text(text)
        assert kind_of(path) == "ranread"


def test_a_decimal_comma_on_the_console_is_no_number(tmp_path):
    """1,23ms is not 123 ms: without a response time above, the IOPS line is an error."""
    whole = (
        "RanRead process 7 creating 5 worker processes in the background.\n"
        "RanRead job 7's 5 processes (62.8 seconds) average response time = 1.23ms\n"
        "Calculated IOPS for RanRead job 7 = 4,065\n"
    )
    row = row_of(read(tmp_path, whole))
    assert (row["response_time_s"], row["total_iops"]) == (0.00123, 4065.0)
    with pytest.raises(ParseError, match=":3: calculated IOPS without a response time above"):
        read(tmp_path, whole.replace("1.23ms", "1,23ms"))


@pytest.mark.parametrize(
    ("asked", "seconds", "elapsed", "notes"),
    [
        (10, 10.0, 10.0, 0),
        (10, 80.0, 80.0, 0),  # twice what was asked for and a minute
        (10, 80.5, None, 1),
        (10, 9.5, None, 1),
        (10, -5.0, None, 1),
        (None, 500.0, 500.0, 0),
        (None, 0.5, 0.5, 0),
        (None, 0.0, None, 1),
        (10, None, None, 0),
    ],
)
def test_a_clock_that_wrapped_around_gives_no_time(asked, seconds, elapsed, notes):
    told = []
    run = SimpleNamespace(line=3, asked_s=asked, tool="RanRead")
    assert _elapsed(run, seconds, told) == (elapsed, bool(notes))
    assert len(told) == notes
