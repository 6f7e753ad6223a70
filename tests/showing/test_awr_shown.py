"""AWR readings on paper: tables and charts, each number as the report has it."""

import polars as pl
import pytest

from perfkit.core.errors import AnalysisError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured
from perfkit.showing.figures.reports import plot_wait_histogram
from perfkit.showing.tables.awr import (
    table_database_summary,
    table_host_cpu,
    table_instances,
    table_io_profile,
    table_system_statistics,
    table_top_events,
)
from perfkit.sources.awr.frames import framed


def made(table, *rows):
    names = {name for row in rows for name in row}
    return framed(table, {name: [row.get(name) for row in rows] for name in names})


def labels(table):
    return [column.label for column in table.columns]


def texts(table):
    return table.content()["rows"]


def test_the_database_summary_leaves_out_what_is_not_said():
    """One row a fact; a host that the report does not name has no row."""
    shown = table_database_summary(
        made(
            "report", {"db_name": "ORA", "rac": True, "elapsed_s": 3600.0, "block_size_bytes": 8192}
        )
    )
    assert texts(shown) == [
        ["Database", "ORA"], ["Clustered (RAC)", "yes"], ["Block size", "8 KiB"],
        ["Elapsed time", "60.00 min"],
    ]  # fmt: skip


def test_instances_show_their_own_times():
    """Elapsed and DB time of each instance, in seconds."""
    rows = (
        {"instance": 1, "host": "a", "elapsed_s": 3600.0, "db_time_s": 7200.0},
        {"instance": 2, "host": "b", "elapsed_s": 3000.0, "db_time_s": 60.0},
    )
    shown = table_instances(made("instances", *rows))
    assert labels(shown) == ["I#", "Host", "Elapsed (s)", "DB time (s)"]
    assert texts(shown) == [["1", "a", "3,600", "7,200"], ["2", "b", "3,000", "60"]]


SYSTEM = tuple(
    {
        "level": "instance",
        "instance": number,
        "physical_reads_blocks_per_s": reads,
        "redo_bytes_per_s": redo * 1024,
    }
    for number, reads, redo in ((1, 44394.59, 1638.71), (2, 38693.34, 1562.24))
)


def test_system_statistics_have_sum_avg_and_the_std_of_a_sample():
    """Oracle's rows below its instances, computed from the printed rates.

    Of 44,394.59 and 38,693.34: half a unit of the last digit is rounded to even.
    """
    shown = table_system_statistics(made("system_statistics", *SYSTEM))
    assert labels(shown) == ["I#", "Physical reads (blocks/s)", "Redo (KiB/s)"]
    assert texts(shown) == [
        ["1", "44,394.59", "1,638.71"], ["2", "38,693.34", "1,562.24"],
        ["Sum", "83,087.93", "3,200.95"], ["Avg", "41,543.96", "1,600.47"],
        ["Std", "4,031.39", "54.07"],
    ]  # fmt: skip
    assert "blocks" in shown.note


def test_one_instance_has_no_sum_and_an_unknown_rate_none_either():
    """Sum, Avg and Std need several instances, each with the rate."""
    one = table_system_statistics(made("system_statistics", SYSTEM[0]))
    assert [row[0] for row in texts(one)] == ["1"]
    half = {**SYSTEM[1], "redo_bytes_per_s": None}
    rows = texts(table_system_statistics(made("system_statistics", SYSTEM[0], half)))
    assert [row[2] for row in rows] == ["1,638.71", "–", "–", "–", "–"]


EVENTS = (
    {"level": "instance", "instance": 1, "scope": "foreground", "rank": 1, "event": "DB CPU",
     "total_wait_s": 5235.7, "db_time_ratio": 0.784},
    {"level": "instance", "instance": 1, "scope": "foreground", "rank": 2,
     "event": "direct path read", "wait_class": "User I/O", "waits": 2144793.0,
     "total_wait_s": 720.2, "avg_wait_s": 0.0, "avg_wait_computed_s": 720.2 / 2144793,
     "db_time_ratio": 0.108},
    {"level": "instance", "instance": 1, "scope": "foreground", "rank": 3,
     "event": "log file sync", "wait_class": "Commit", "waits": 1000.0, "total_wait_s": 2.3,
     "avg_wait_s": 0.00228, "avg_wait_computed_s": 0.0023, "db_time_ratio": 0.01},
)  # fmt: skip


def test_a_mean_wait_in_whole_ms_gives_way_to_the_computed_one():
    """11.2 prints 0 ms: the table has total / waits; a mean with digits stays as printed."""
    shown = table_top_events(made("top_events", *EVENTS))
    column = labels(shown).index("Mean wait (ms)")
    assert [row[column] for row in texts(shown)] == ["–", "0.336", "2.280"]


def test_an_idle_event_is_called_so_where_its_class_is_not_printed():
    """Statspack lists idle events of later releases among the top timed ones."""
    idle = {"level": "instance", "instance": 1, "scope": "foreground", "event": "lreg timer",
            "total_wait_s": 6000.0}  # fmt: skip
    data = made("top_events", idle, EVENTS[0])
    assert [row[:2] for row in texts(table_top_events(data))] == [
        ["lreg timer", "Idle"], ["DB CPU", "–"],
    ]  # fmt: skip


def test_shares_of_statspack_are_called_what_they_are():
    """Of call time, in which idle waits of later releases count: CPU was 0.3% there, 68% of DB
    time in the finding above."""
    frame = made("top_events", EVENTS[0])
    lineage = Lineage((Evidence("statspack", "a.lst", "00"),), (), traceable=True)
    assert labels(table_top_events(Measured(frame, lineage)))[-1] == "Call time (%)"
    assert labels(table_top_events(frame))[-1] == "DB time (%)"


def test_events_of_the_cluster_come_before_those_of_an_instance():
    """RAC: without an instance named, the table is of the cluster; a wrong scope is an error."""
    cluster = {**EVENTS[0], "level": "cluster", "instance": None, "scope": "all", "event": "x"}
    data = made("top_events", cluster, *EVENTS)
    assert [row[0] for row in texts(table_top_events(data))] == ["x"]
    assert len(texts(table_top_events(data, instance=1))) == 3
    with pytest.raises(AnalysisError, match="background"):
        table_top_events(data, scope="background")


def test_the_io_profile_shows_mib_where_the_report_says_mb():
    """Oracle's MB is 1024 x 1024 bytes: the table says MiB."""
    profile = made(
        "io_profile",
        {"printed": "Total Requests", "unit": "1", "total_per_s": 2371.89, "read_per_s": 1739.39},
        {"printed": "Total (MB)", "unit": "bytes", "total_per_s": 752.21 * 1024**2},
    )
    assert texts(table_io_profile(profile)) == [
        ["Total Requests", "2,371.89", "1,739.39"], ["Total (MiB)", "752.21", "–"],
    ]  # fmt: skip


def test_host_cpu_shows_shares():
    """Shares in percent; a share that is not printed has no column."""
    shown = table_host_cpu(
        made("host_cpu", {"instance": 1, "cpus": 4, "user_ratio": 0.01, "idle_ratio": 0.983})
    )
    assert labels(shown) == ["I#", "CPUs", "User (%)", "Idle (%)"]
    assert texts(shown) == [["1", "4", "1.0", "98.3"]]


BUCKETS = tuple(
    {"level": "instance", "instance": 1, "range": "all", "event": "log file sync",
     "lower_s": low, "upper_s": high, "waits_ratio": share}
    for low, high, share in ((0.0, 8e-6, 0.25), (8e-6, 16e-6, 0.7), (0.512, None, 0.05))
)  # fmt: skip


def test_the_wait_histogram_has_a_bar_a_bucket():
    """Buckets are named by their edges, in order of time."""
    chart = plot_wait_histogram(made("event_histogram", *BUCKETS[::-1]), "log file sync")
    bars = chart.content()["plotly"]["data"][0]
    assert list(bars["x"]) == ["< 8 µs", "< 16 µs", "≥ 512 ms"]
    assert list(bars["y"]) == [25.0, 70.0, 5.0]
    assert "70.0%" in chart.alt


def test_a_histogram_of_no_event_or_of_two_instances_is_refused():
    """The caller is told which event is missing, or to name the instance."""
    other = [{**row, "instance": 2} for row in BUCKETS]
    data = made("event_histogram", *BUCKETS, *other)
    with pytest.raises(AnalysisError, match="no histogram of no such event"):
        plot_wait_histogram(data, "no such event")
    with pytest.raises(AnalysisError, match="name it"):
        plot_wait_histogram(data, "log file sync")
    assert plot_wait_histogram(data, "log file sync", instance=2).printed


def test_a_table_of_nothing_is_refused():
    """A report without a section gives no table of it."""
    with pytest.raises(AnalysisError, match="the report has no I/O profile"):
        table_io_profile(pl.DataFrame(schema=made("io_profile").schema))


def test_rows_of_several_reports_are_not_added_up():
    """A study's tables name the file in ``source``: two of them in one table are refused."""
    both = made("system_statistics", *SYSTEM).with_columns(source=pl.Series(["a", "b"]))
    with pytest.raises(AnalysisError, match=r"never added up; choose one .*: a, b"):
        table_system_statistics(both)
