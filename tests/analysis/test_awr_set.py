"""A set of AWR reports side by side: one row a report, nothing added up, nothing invented."""

import datetime as dt

import polars as pl
import pytest

from perfkit.analysis.awr.reports import report_overview
from perfkit.analysis.awr.waits import main_io_event
from perfkit.core.errors import AnalysisError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured, Reading
from perfkit.core.unanswered import Unanswered
from perfkit.showing.display import MOST_REPORTS, show_each
from perfkit.showing.figures.reports import plot_reports
from perfkit.showing.tables.awr import (
    table_instance_activity,
    table_io_by_function,
    table_iops_source,
    table_load_profile,
    table_parameters,
    table_reports,
    table_wait_classes,
)

EVIDENCE = Evidence("awr", "a.html", "00")
TRACED = Lineage((EVIDENCE,), (), traceable=True)


def of(*rows, **common):
    """A table as a study's evidence has it, null where a row says nothing."""
    names = list(dict.fromkeys(name for row in rows for name in (*row, *common)))
    return Measured(
        pl.DataFrame(
            [{name: {**common, **row}.get(name) for name in names} for row in rows],
            infer_schema_length=None,
        ),
        TRACED,
    )


A = {"source": "a.html", "db_name": "ORA", "release": "19.0", "elapsed_s": 600.0}
B = {"source": "b.html", "db_name": "ORA", "release": "19.0", "elapsed_s": 1200.0}
REPORT = of(
    {**A, "db_time_s": 1200.0, "begin_time": dt.datetime.fromisoformat("2026-01-02T03:00:00")},
    {**B, "db_time_s": None},
)
POINTS = of(
    {"source": "a.html", "direction": "read", "iops": 100.0},
    {"source": "a.html", "direction": "total", "iops": 150.0, "bw_bytes_per_s": 8e6},
    {"source": "b.html", "direction": "total", "iops": None, "cpu_busy_ratio": 0.25},
    iops=None, bw_bytes_per_s=None, cpu_busy_ratio=None,
)  # fmt: skip
EVENT = "db file sequential read"
WAITS = of(
    {"source": "a.html", "level": "instance", "event": EVENT, "waits": 4000, "total_wait_s": 2.0,
     "avg_wait_s": 0.00054},
    {"source": "b.html", "level": "instance", "event": EVENT, "waits": 10, "total_wait_s": 9.0},
    {"source": "b.html", "level": "cluster", "event": EVENT, "waits": 400_000,
     "total_wait_s": 400.0, "avg_wait_s": 0.00102},
    scope="foreground", wait_class="User I/O", avg_wait_s=None,
)  # fmt: skip


def test_one_row_a_report_with_its_own_numbers():
    """A mean is the printed one of a total below 100 s, else total / waits; the row of the cluster
    goes before those of instances."""
    found = report_overview(REPORT, POINTS, WAITS, event=EVENT)
    assert found.traceable
    rows = found.frame.rows(named=True)
    assert [row["source"] for row in rows] == ["a.html", "b.html"]
    assert rows[0]["db_time_per_elapsed_ratio"] == 2.0
    assert rows[0]["event_wait_s"] == 0.00054
    assert (rows[0]["read_iops"], rows[0]["write_iops"], rows[0]["iops"]) == (100.0, None, 150.0)
    assert rows[1]["event_wait_s"] == 0.001
    assert rows[1]["db_time_per_elapsed_ratio"] is None
    assert rows[1]["iops"] is None
    assert rows[1]["cpu_busy_ratio"] == 0.25
    assert [row["report"] for row in rows] == ["a", "b"]


def test_two_instances_without_a_row_of_the_cluster_have_no_common_mean():
    waits = of(
        *({"event": EVENT, "waits": 10, "total_wait_s": 1.0, "avg_wait_s": 0.1234}
          for _ in range(2)),
        source="a.html", level="instance", scope="foreground", wait_class="User I/O",
    )  # fmt: skip
    found = report_overview(REPORT, POINTS, waits, event=EVENT)
    assert found.frame["event_wait_s"].to_list() == [None, None]


def test_an_event_that_no_report_has_is_told_with_those_there_are():
    with pytest.raises(
        AnalysisError, match=r"no wait event 'db file seqential.*db file sequential"
    ):
        report_overview(REPORT, POINTS, WAITS, event="db file seqential read")


def test_no_event_leaves_the_wait_null():
    found = report_overview(REPORT, POINTS)
    assert found.frame["event"].to_list() == [None, None]


def test_the_main_event_is_the_one_that_most_reports_waited_on_longest():
    """Nothing is added up over reports: each has one vote. Background waits have none."""
    more = of(
        {"source": "a", "event": "direct path read", "total_wait_s": 5.0},
        {"source": "a", "event": "direct path read", "total_wait_s": None},
        {"source": "a", "event": "db file scattered read", "total_wait_s": 5.0},
        {"source": "a", "event": "log file sync", "wait_class": "Commit", "total_wait_s": 50.0},
        {"source": "a", "event": "db file parallel read", "scope": "background",
         "total_wait_s": 50.0},
        scope="foreground", wait_class="User I/O",
    )  # fmt: skip
    assert main_io_event(more) == "db file scattered read"
    votes = of(
        {"source": "a", "event": "direct path read", "total_wait_s": 9000.0},
        *({"source": name, "event": event, "total_wait_s": wait} for name in "bc"
          for event, wait in (("direct path read", 1.0), ("db file scattered read", 2.0))),
        scope="foreground", wait_class="User I/O",
    )  # fmt: skip
    assert main_io_event(votes) == "db file scattered read"


@pytest.mark.parametrize(
    "event",
    ["flashback log file sync", "direct path write temp", "read by other session",
     "cell physical read no I/O", "local write wait"],
)  # fmt: skip
def test_a_wait_that_is_no_read_is_no_read_latency(event):
    """Oracle counts writes and other waits as User I/O, too: one took longest in a real report."""
    row = {"scope": "foreground", "wait_class": "User I/O", "total_wait_s": 9.0}
    assert main_io_event(of({**row, "event": event})) is None
    assert main_io_event(of({**row, "event": event},
                            {**row, "event": EVENT, "total_wait_s": 1.0})) == EVENT  # fmt: skip


def test_an_event_without_a_class_is_known_by_the_top_events_or_by_its_name():
    """The foreground events of a report of one instance, 109 of 110 real ones, print no class."""
    bare = {"scope": "foreground", "wait_class": None, "total_wait_s": 1.0}
    assert main_io_event(of({**bare, "event": "x"})) is None
    assert main_io_event(of({**bare, "event": "log file sync"})) is None
    assert main_io_event(of({**bare, "event": EVENT})) == EVENT
    top = of({"event": "x read", "wait_class": "User I/O"})
    assert main_io_event(of({**bare, "event": "x read"}), top) == "x read"
    # what a report prints goes before what is known
    other = of({"event": EVENT, "wait_class": "Other"})
    assert main_io_event(of({**bare, "event": EVENT}), other) is None


def test_reports_stand_in_order_of_time_and_what_has_none_is_last():
    """Their files' names would put 21:30 before 3:00."""

    def report(name, begin):
        return {"source": name, "db_name": "A", "release": "19", "elapsed_s": 1.0, "db_time_s": 1.0,
                "begin_time": begin and dt.datetime.fromisoformat(begin)}  # fmt: skip

    found = report_overview(
        of(report("z/1.html", "2026-01-02T21:30"), report("9.html", None),
           report("a/1.html", "2026-01-03T03:00"), report("3.html", "2026-01-02T03:00")),
        POINTS,
    ).frame  # fmt: skip
    assert found["report"].to_list() == ["3", "z/1", "a/1", "9"]
    with pytest.raises(AnalysisError, match=r"2 reports are called a.html"):
        report_overview(of(report("a.html", None), report("a.html", None)), POINTS)


def test_reports_of_equal_labels_have_a_bar_each():
    """Plotly stacks bars of one name: 85 reports were one bar of 368,565 IOPS."""
    labels = {"system": "S", "config": "C", "load_kind": None, "load": None, "repeat": None}
    rows = [{**A, **labels, "source": f"{n}/awr.html", "db_time_s": 1.0, "begin_time": None}
            for n in range(3)]  # fmt: skip
    points = of(*({"source": f"{n}/awr.html", "direction": "total", "iops": 100.0 + n,
                   "bw_bytes_per_s": None, "cpu_busy_ratio": None} for n in range(3)))  # fmt: skip
    chart = plot_reports(report_overview(of(*rows), points)).content()["plotly"]
    (bars,) = chart["data"]
    assert list(bars["y"]) == ["0/awr", "1/awr", "2/awr"]
    assert list(bars["x"]) == [100.0, 101.0, 102.0]


def test_a_set_has_a_bar_a_report_as_long_as_their_names_can_be_read():
    """More of one database are a series, whose charts are over time."""

    def overview(count):
        rows = [{**A, "source": f"{n}.html"} for n in range(count)]
        points = [{"source": f"{n}.html", "iops": 100.0 + n} for n in range(count)]
        stated = {"direction": "total", "bw_bytes_per_s": None, "cpu_busy_ratio": None}
        heads = of(*rows, db_time_s=1.0, begin_time=None)
        return report_overview(heads, of(*points, **stated))

    chart = plot_reports(overview(60))
    (bars,) = chart.content()["plotly"]["data"]
    assert list(bars["x"]) == [100.0 + n for n in range(60)]
    assert chart.height_mm < 240
    with pytest.raises(AnalysisError, match="61 reports are too many bars"):
        plot_reports(overview(61))


def test_the_table_of_a_set():
    shown = table_reports(report_overview(REPORT, POINTS, WAITS, event=EVENT))
    assert [column.label for column in shown.columns] == [
        "Report", "From", "Elapsed (min)", "DB time / elapsed", "Read IOPS", "Throughput (MB/s)",
        "Host CPU (%)", f"{EVENT} (ms)",
    ]  # fmt: skip
    assert shown.content()["rows"] == [
        ["a", "2026-01-02 03:00:00", "10.00", "2.00", "100", "8.0", "–", "0.540"],
        ["b", "–", "20.00", "–", "–", "–", "25.0", "1.000"],
    ]


def test_the_chart_of_a_set_counts_the_reports_that_say_nothing():
    figure = plot_reports(report_overview(REPORT, POINTS, WAITS, event=EVENT))
    assert [item.text for item in figure.printed] == ["150 IOPS"]
    assert "1 of the reports do not state it" in figure.alt
    with pytest.raises(AnalysisError, match=r"reports: none states the mean wait of an I/O event"):
        plot_reports(report_overview(REPORT, POINTS), quantity="event_wait_s")
    with pytest.raises(AnalysisError, match="no quantity 'iop'; "):
        plot_reports(report_overview(REPORT, POINTS), quantity="iop")


PROFILE = of(
    {"printed": "Read IO (MB):", "unit": "bytes", "per_s": 3 * 1024**2, "per_transaction": None},
    {"printed": "DB Time(s):", "unit": "s", "per_s": 1.5, "per_transaction": 0.25},
    {"printed": "W/A MB processed:", "unit": "bytes", "per_s": 1024**2 / 10,
     "per_transaction": 1024**2},
    {"printed": "Redo size (bytes):", "unit": "bytes", "per_s": 512.0, "per_transaction": None},
    source="a.html", per_exec=None, per_call=None,
)  # fmt: skip


def test_sizes_in_mb_of_a_load_profile_stand_in_mib():
    """Oracle's MB is 2**20 bytes: the number and its unit go together, wherever the name has it.

    Before 11.2.0.4, and in Statspack, the work areas are "W/A MB processed".
    """
    shown = table_load_profile(PROFILE)
    assert shown.content()["rows"] == [
        ["Read IO (MiB)", "3.00", "–"],
        ["DB Time(s)", "1.50", "0.25"],
        ["W/A MiB processed", "0.10", "1.00"],
        ["Redo size (bytes)", "512.00", "–"],
    ]


def test_what_is_shown_of_each_report_has_its_own_id_and_caption(monkeypatch):
    """Two reports: two tables; a report that lacks the section says so in its place."""
    shown = []
    monkeypatch.setattr("perfkit.showing.display.show", lambda *values: shown.extend(values))
    one = Reading({"load_profile": PROFILE}, EVIDENCE)
    show_each(table_load_profile, one, "load_profile", by="report")
    assert [value.id for value in shown] == ["load-profile"]
    shown.clear()
    both = Reading({"report": REPORT, "load_profile": PROFILE}, EVIDENCE)
    show_each(table_load_profile, both, "load_profile", by="report")
    assert shown[0].id == "load-profile-1"
    assert shown[0].caption == "Load profile: a."
    assert shown[0].lineage.traceable
    assert shown[1].text == ("b: The report has no load profile.")


def test_of_many_reports_a_section_says_how_to_see_one(monkeypatch):
    """More reports than a day's hours: no hundreds of tables, and none passed over in silence."""
    shown = []
    monkeypatch.setattr("perfkit.showing.display.show", lambda *values: shown.extend(values))
    rows = [{"printed": "DB Time(s):", "unit": "s", "per_s": 1.5, "source": f"{n}.html"}
            for n in range(MOST_REPORTS + 1)]  # fmt: skip
    many = of(*rows, per_transaction=None, per_exec=None, per_call=None)
    reading = Reading({"load_profile": many}, EVIDENCE)
    show_each(table_load_profile, reading, "load_profile", by="report")
    (told,) = shown
    assert told == Unanswered(
        "25 reports are too many to show each; -p report= and its path in the study shows one"
    )


def test_parameters_of_several_instances_name_theirs():
    rows = of(
        {"instance": 1, "parameter": "a", "value": "1"}, {"instance": None, "parameter": "b",
         "value": "2"}, end_value=None, container=None,
    )  # fmt: skip
    assert table_parameters(rows).content()["rows"] == [["1", "a", "1"], ["all", "b", "2"]]


def test_io_by_function_leaves_out_the_rows_by_file_type():
    rows = of(
        {"function": "LGWR", "write_iops": 4.5, "write_bytes_per_s": 2e6},
        {"function": "LGWR", "filetype": "Log File", "write_iops": 4.0},
        instance=None, filetype=None, read_iops=0.0, read_bytes_per_s=0.0, waits=None,
        avg_wait_s=None,
    )  # fmt: skip
    assert [row[0] for row in table_io_by_function(rows).content()["rows"]] == ["LGWR"]


def test_instance_activity_stands_in_the_order_asked_for():
    rows = of(
        {"statistic": "redo size", "total": 10.0, "per_s": 1.0},
        {"statistic": "physical reads", "total": 20.0, "per_s": 2.0},
        instance=1, per_transaction=None,
    )  # fmt: skip
    shown = table_instance_activity(rows, statistics=["physical reads", "redo size", "none"])
    assert [row[0] for row in shown.content()["rows"]] == ["physical reads", "redo size"]
    with pytest.raises(AnalysisError, match="no instance activity"):
        table_instance_activity(rows, statistics=["user commits"])


def test_wait_classes_prefer_all_sessions():
    rows = of(
        {"scope": "all", "wait_class": "User I/O", "total_wait_s": 5.0},
        {"scope": "foreground", "wait_class": "User I/O", "total_wait_s": 4.0},
        level="instance", instance=1, waits=None, avg_wait_s=None, avg_wait_computed_s=None,
        db_time_ratio=0.5, average_active_sessions=None,
    )  # fmt: skip
    shown = table_wait_classes(rows)
    assert shown.content()["rows"] == [["User I/O", "5.0", "50.0"]]
    assert "all sessions" in shown.caption


def test_the_section_that_gave_the_iops_is_named():
    rows = of(
        {"section": "IO Profile", "counts": "total", "used": True, "iops": 727.1},
        {"section": "Load Profile", "counts": "database", "used": False, "iops": 658.5},
        instance=1, read_iops=None, write_iops=None,
    )  # fmt: skip
    assert table_iops_source(rows).content()["rows"] == [
        ["IO Profile", "total", "727.10", "yes"], ["Load Profile", "database", "658.50", "no"],
    ]  # fmt: skip
