"""Two AWR reports side by side: what is set against each other, what is refused, and what is not
claimed."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pytest
from forges import awr
from places import ROOT
from report_pair_sample import BOTH, OLD, READ, TRACED, at, of, pair, row, said, tables

import perfkit as pk
from perfkit.analysis.compare.report_pair import report_pair
from perfkit.analysis.compare.report_rows import values
from perfkit.cli.app import run
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured
from perfkit.showing.tables.report_pair import table_pair_conditions, tables_report_pair

REAL = ROOT.parent / "shared/real/awr"


def test_rates_means_and_shares_are_set_against_each_other_by_time():
    """The order of the table is the other way round: time decides which is before."""
    made = tables()
    made["report"] = Measured(made["report"].frame.reverse(), TRACED)
    found = pair(made)
    assert set(found.frame["before"]) == {"old.html"}
    iops = row(found, "io", "total", "iops")
    assert (iops["before_value"], iops["after_value"], iops["change_ratio"]) == (1000, 2000, 1.0)
    assert row(found, "io", "total", "size_bytes")["change_ratio"] == 0.0
    assert row(found, "load", "User calls", "per second")["change_ratio"] == 1.0
    sessions = row(found, "load", "DB time / elapsed (average active sessions)", "per second")
    assert (sessions["before_value"], sessions["after_value"]) == (2.0, 1.0)
    wait = row(found, "event", READ, "mean_wait_s")
    assert (wait["before_value"], wait["after_value"]) == (0.001, 0.0005)
    rate = row(found, "event", READ, "waits_per_s")
    assert rate["change_ratio"] == pytest.approx(1.0)


def test_an_event_that_one_report_does_not_list_is_null_and_idle_ones_are_left_out():
    found = pair()
    sync = row(found, "event", "log file sync", "mean_wait_s")
    assert (sync["before_value"], sync["after_value"]) == (None, 0.002)
    assert (sync["change_ratio"], sync["note"]) == (None, "the report before does not list it")
    assert "SQL*Net message from client" not in set(found.frame["item"])


def test_conditions_are_yes_or_no_in_words():
    found = pair(tables(new={"rac": True, "cdb": False}))
    clustered = row(found, "condition", "Clustered (RAC)", "rac")
    assert clustered["after_text"] == "yes"
    assert row(found, "condition", "Container database", "cdb")["after_text"] == "no"


def test_the_times_of_both_reports_stand_as_printed_and_make_no_difference():
    times = {"begin_text": "05-Jan-26 09:00:00", "end_text": "05-Jan-26 10:00:00"}
    later = {"begin_text": "05-Feb-26 09:00:00", "end_text": "05-Feb-26 09:30:00"}
    found = pair(tables(old=times, new=later)).filter(part="condition")
    for item, measure in (("From", "begin_text"), ("To", "end_text")):
        (own,) = found.filter(item=item).frame.rows(named=True)
        assert (own["before_text"], own["after_text"]) == (times[measure], later[measure])
        assert own["differs"] is False


def test_parameters_that_differ_or_stand_in_one_report_only():
    own = pair().filter(part="parameter").frame.select("item", "before_text", "after_text").rows()
    assert own == [("open_links", None, "15"), ("sga_target", "1", "2")]


def test_beside_a_report_without_its_parameters_none_stands_in_one_only():
    made = tables()
    kept = made["parameters"].filter(source="old.html")
    found = pair(made | {"parameters": kept})
    assert found.filter(part="parameter").frame.is_empty()


@pytest.mark.parametrize(
    ("elapsed_s", "differs"), [(1800.0, True), (3240.0, False), (3239.0, True), (None, False)]
)
def test_periods_differ_by_more_than_a_tenth_of_the_longer(elapsed_s, differs):
    """A period that is not known differs from none."""
    found = pair(tables(new={"elapsed_s": elapsed_s}))
    assert row(found, "condition", "Elapsed time", "elapsed")["differs"] is differs


@pytest.mark.parametrize(
    ("new", "field", "words"),
    [
        ({"db_name": "OTHER"}, "database", "ORA against OTHER"),
        ({"instances_in_report": 2}, "coverage", "instance against cluster of 2"),
    ],
)
def test_another_database_or_another_coverage_is_refused_by_name(new, field, words):
    with pytest.raises(AnalysisError, match=f"{field} differs \\({words}\\); allow='{field}'"):
        pair(tables(new=new))
    found = pair(tables(new=new), allow=field)
    assert found.filter(measure=field).frame["differs"].to_list() == [True]


def test_two_statspack_reports_have_no_shares_of_db_time_beside_events():
    """What Statspack prints there is of call time."""
    assert not pair().filter(part="event", measure="db_time_ratio").frame.is_empty()
    found = pair(tables(old={"form": "statspack"}, new={"form": "statspack"}))
    assert found.filter(part="event", measure="db_time_ratio").frame.is_empty()
    assert not found.filter(part="event", measure="wait_s_per_s").frame.is_empty()


def test_iops_of_sections_that_count_other_requests_have_no_change():
    other = of(
        {"source": BOTH[0], "counts": "total"}, {"source": BOTH[1], "counts": "database"},
        section="s", used=True,
    )  # fmt: skip
    found = row(pair(tables(iops_source=other)), "io", "total", "iops")
    assert (found["before_value"], found["after_value"], found["change_ratio"]) == (1e3, 2e3, None)
    assert found["note"] == "counts other requests: total before, database after"


def test_periods_that_overlap_are_neither_before_nor_after():
    found = pair(
        tables(new={"begin_time": at("2026-01-05T09:30"), "end_time": at("2026-01-05T11:00")})
    )
    assert row(found, "condition", "Periods overlap", "overlap")["differs"]
    assert "Their periods overlap: neither is before the other." in said(found)["report-spread"]


@pytest.mark.parametrize(
    ("one", "two", "step", "change", "note"),
    [
        (100.0, 150.0, 0.1, 0.5, None),
        (1.2, 1.6, 0.1, None, "printed too coarsely for a ratio"),
        (0.0, 3.0, 0.1, None, "it is 0 before"),
        (0.0, 0.0, 0.1, None, None),
        (3.0, 0.0, 0.001, None, "printed too coarsely for a ratio"),
        (None, 3.0, None, None, "the report before does not list it"),
        (3.0, None, None, None, "the report after does not list it"),
        (None, None, None, None, "neither report has it"),
    ],
)
def test_a_change_is_only_given_where_the_print_allows_it(one, two, step, change, note):
    """1.2 against 1.6 with one decimal may be anything from 1.55 / 1.25 to 1.65 / 1.15."""
    found = values("load", "x", "per second", one, two, step=step)
    assert (found.change_ratio, found.note) == (change, note)


def test_a_mean_size_that_the_print_does_not_tell_is_null():
    """0.2 MiB/s may be 0.15 or 0.25: no size of an I/O follows from it."""
    coarse = of(
        {"source": BOTH[0], "iops": 24.7, "bw_bytes_per_s": 0.2 * 2**20},
        {"source": BOTH[1], "iops": 230.9, "bw_bytes_per_s": 0.0},
        direction="read", cpu_busy_ratio=None,
    )  # fmt: skip
    size = row(pair(tables(load_points=coarse)), "io", "read", "size_bytes")
    assert (size["before_value"], size["after_value"]) == (None, None)


def test_names_choose_two_of_many_and_mistakes_are_told():
    three = tables()
    three["report"] = of(*three["report"].frame.rows(named=True), {**OLD, "source": "awr/c.html"})
    with pytest.raises(AbsentError, match="side by side, not 3: name them by before= and after="):
        pair(dict(three))
    assert set(pair(dict(three), before=BOTH[1], after=BOTH[0]).frame["before"]) == {"new.html"}
    with pytest.raises(AnalysisError, match=r"'awr/nw.html' is not a report; did you mean"):
        pair(dict(three), before="awr/nw.html", after=BOTH[0])
    with pytest.raises(AnalysisError, match="is both before and after"):
        pair(before=BOTH[0], after=BOTH[0])
    with pytest.raises(AnalysisError, match="allow: 'databse' is not a condition"):
        pair(allow="databse")


def test_one_named_report_of_two_leaves_the_other():
    assert set(pair(before=BOTH[1]).frame["after"]) == {"old.html"}
    assert set(pair(after=BOTH[0]).frame["before"]) == {"new.html"}


def test_reports_are_called_by_their_config_where_the_study_labels_them():
    found = pair(tables(old={"config": "12c"}, new={"config": "19c"}))
    assert set(found.frame.select("before", "after").rows()) == {("12c", "19c")}
    assert table_pair_conditions(found).caption == "The two reports: 12c before, 19c after."


def test_facts_that_are_alike_stand_in_the_note():
    table = table_pair_conditions(pair())
    assert [line[0] for line in table.rows] == [
        "Report", "Database", "Release", "Logical CPUs", "Elapsed time",
    ]  # fmt: skip
    assert "The same in both: Database id: 7; Covers: instance." in table.note


def test_the_tables_say_that_there_is_no_interval():
    found = tables_report_pair(pair())
    assert [table.id for table in found] == [
        "pair-load", "pair-io", "pair-events", "pair-sql", "pair-parameters", "pair-all",
    ]  # fmt: skip
    assert all("no interval" in str(table.note) for table in found[:4])
    assert found[-1].detail


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["html-19c", "text-12.1", "rac-19c"])
def test_a_study_of_two_forged_reports_has_its_section(tmp_path, dialect):
    """Through the reader, the study and the notebook; the same database at two times."""
    content = awr.sample(7, instances=2 if dialect == "rac-19c" else 1)
    snaps = content.snapshots
    later = dataclasses.replace(
        snaps, begin=snaps.begin + dt.timedelta(days=7), end=snaps.end + dt.timedelta(days=7)
    )
    for name, own in (("a", content), ("b", dataclasses.replace(content, snapshots=later))):
        (tmp_path / f"{name}.html").write_bytes(awr.forge(own, dialect).data)
    (tmp_path / "study.yml").write_text(
        "report: {title: Two, date: 2026-03-04}\nnotebook: oracle_pair\n"
        "evidence: [{files: '*.html'}]\n"
    )
    assert run(["report", str(tmp_path), "-o", str(tmp_path / "out")]) == 0
    page = next((tmp_path / "out").glob("*.html")).read_text()
    assert "Did storage change?" in page
    assert "One report each: no interval" in page


@pytest.mark.slow
@pytest.mark.parametrize("apart", [0, 1])
def test_two_instances_are_no_before_and_after(tmp_path, apart):
    """Below "nothing is compared" stood "the I/O rate went from": from one node to the other."""
    one, two = awr.sample(7), awr.sample(8)
    later = one.snapshots.begin + dt.timedelta(days=7)
    (node,), (first,) = two.instances, one.instances
    node = dataclasses.replace(
        node, number=first.number + apart, name=first.name, startup=first.startup
    )
    time = dataclasses.replace(
        two.snapshots, begin=later, end=later + (two.snapshots.end - two.snapshots.begin)
    )
    other = dataclasses.replace(two, database=one.database, instances=(node,), snapshots=time)
    for name, own in (("a", one), ("b", other)):
        (tmp_path / f"{name}.html").write_bytes(awr.forge(own, "html-19c").data)
    (tmp_path / "study.yml").write_text(
        "report: {title: Two, date: 2026-03-04}\nnotebook: oracle\nevidence: [{files: '*.html'}]\n"
    )
    assert run(["report", str(tmp_path), "-o", str(tmp_path / "out")]) == 0
    page = next((tmp_path / "out").glob("*.html")).read_text()
    assert ("nothing is compared" in page) is bool(apart)
    assert ("went from" in page) is not ("nothing is compared" in page)


def forged_pair(folder, before, after):
    """A report in each dialect: of other releases, databases and times."""
    for name, dialect, seed in (("before", before, 7), ("after", after, 8)):
        content = awr.sample(seed, instances=2 if dialect.startswith("rac") else 1)
        (folder / f"{name}.html").write_bytes(awr.forge(content, dialect).data)
    return "before.html", "after.html"


def real_pair(folder, before, after):
    """Two real reports, where they are at hand."""
    if not (REAL / before).is_file():
        pytest.skip("the real reports are not at hand")
    for name in (before, after):
        (folder / name).symlink_to(REAL / name)
    return before, after


@pytest.mark.parametrize(
    ("made", "reports", "allow", "differs"),
    [
        (forged_pair, ("html-11.2", "html-19c"), "database", {"Release", "Periods overlap"}),
        (forged_pair, ("html-12.2", "html-12.2"), "database", {"Database id", "Periods overlap"}),
        (forged_pair, ("rac-19c", "rac-19c"), "database", {"Database id", "Periods overlap"}),
        (real_pair, ("single_11.2.0.4.html", "single_of_rac_node_19c.html"), (),
         {"Release", "Logical CPUs"}),
        (real_pair, ("rac_19c_U.html", "rac_19c_V.html"), "database",
         {"Database", "Periods overlap"}),
        (real_pair, ("single_12.2_T.html", "single_12.2_S.html"), "database",
         {"Database", "Instance"}),
    ],
)  # fmt: skip
def test_two_reports_side_by_side(tmp_path, made, reports, allow, differs):
    before, after = made(tmp_path, *reports)
    (tmp_path / "study.yml").write_text(
        "report: {title: Two}\nnotebook: oracle\nevidence: [{files: '*.html'}]\n"
    )
    awr = pk.open_study(tmp_path).read_evidence()
    found = report_pair(awr, before=before, after=after, allow=allow)
    assert differs <= set(found.filter(part="condition", differs=True).frame["item"])
    assert found.filter(part="event").frame.height >= (5 if made is forged_pair else 40)
    assert "no interval" in said(found)["report-spread"]
    sql = [] if found.filter(part="sql").frame.is_empty() else ["pair-sql"]
    parameters = [] if found.filter(part="parameter").frame.is_empty() else ["pair-parameters"]
    assert parameters or made is forged_pair
    assert [table.id for table in tables_report_pair(found)] == [
        "pair-load", "pair-io", "pair-events", *sql, *parameters, "pair-all",
    ]  # fmt: skip


def test_two_reports_of_one_period_are_no_before_and_after():
    """A copy, or a report that was cut off: nothing can have changed from one to the other."""
    again = {name: OLD[name] for name in ("begin_time", "end_time")}
    with pytest.raises(AbsentError, match="cover the same period: nothing changed"):
        pair(tables(new=again))


@pytest.mark.parametrize(("options", "count"), [({}, 10), ({"most": 3}, 3), ({"most": 30}, 12)])
def test_so_many_of_the_longest_waits_of_each_report_are_compared(options, count):
    rows = [
        {"source": source, "event": f"event {n:02d}", "waits": 1e5, "total_wait_s": 100.0 * n,
         "db_time_ratio": 0.01, "scope": "foreground", "level": "instance", "instance": 1,
         "avg_wait_s": None}
        for source in BOTH for n in range(1, 13)
    ]  # fmt: skip
    found = pair(tables(wait_events=of(*rows)), **options)
    compared = found.filter(part="event", measure="mean_wait_s").frame["item"].to_list()
    assert sorted(compared, reverse=True) == [f"event {n:02d}" for n in range(12, 12 - count, -1)]
