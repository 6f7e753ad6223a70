"""A SLOB run directory: settings without secrets, awr_info.sh, db_stats.out, load points."""

import shutil
from datetime import datetime

import polars as pl
import pytest
from forges import awr
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT, TESTS

import perfkit as pk
from perfkit.analysis.awr.single import one_report
from perfkit.core.answers import from_frame
from perfkit.core.errors import ParseError, UsageError
from perfkit.sources import SOURCES, kind_of
from perfkit.sources.slob.files import conf_rows, info_rows
from perfkit.study.opening import open_study

HOST = TESTS / "data" / "host"
REAL = ROOT / "../shared/real/awr"
STRANGER = ROOT / "../shared/real/foreign/slob_run"
CONF = """\
#### SLOB
UPDATE_PCT=25   # percent
RUN_TIME=300
SCALE="10000"  # blocks
DATABASE_STATISTICS_TYPE=awr # Permitted values: [statspack|awr]
#SYSDBA_PASSWD="old#secret"
SYSDBA_PASSWD='hush#1'
DBA_PRIV_USER="system/manager@db"
ADMIN_SQLNET_SERVICE=ORCL
SQLNET_SERVICE_MAX=2
EXTERNAL_SCRIPT=''
export UPDATE_PCT RUN_TIME
UPDATE_PCT=30
"""
HEAD = (
    "FILE|SESSIONS|ELAPSED|DB CPU|DB Tm|EXECUTES|LIO|PREADS|READ_MBS|PWRITES|WRITE_MBS|REDO_MBS|"
    "DFSR_LAT|DPR_LAT|DFPR_LAT|DFPW_LAT|LFPW_LAT|TOP WAIT|\n"
)
OLD = (
    "awr.txt.128|128|304|370|71554|   559|28191|   329|108.2|   759|||   312|440653|"
    "db file sequential read 21,628,695 16,407|\n"
)
MAWK = "awr.txt.64|64|304|12.5|88.1|370|1.39E+09|71554|   559|28191||108.2||||||db file x|\n"


@pytest.fixture
def folder(tmp_path):
    """A run directory with host files of SLOB's own names, and no report."""
    place = tmp_path / "run"
    place.mkdir()
    (place / "slob.conf").write_text(CONF)
    for name, source in (
        ("iostat.out", "iostat-12.6.1-xmt.txt"),
        ("vmstat.out", "vmstat-4.0.2-t.txt"),
        ("mpstat.out", "mpstat-12.6.1-PALL.txt"),
    ):
        shutil.copyfile(HOST / source, place / name)
    (place / "db_stats.out").write_text("user1|30012|1200|4|\nuser2|30010|1180|4|\n")
    return place


def test_the_folder_is_told_by_its_settings(folder):
    assert kind_of(folder) == "slob"
    reading_ = pk.read(folder)
    assert reading_.evidence.kind == "slob"
    for name, schema in SOURCES["slob"].tables.items():
        assert reading_[name].frame.columns == list(schema), name


def test_settings_are_as_the_shell_takes_them_and_without_secrets(folder):
    """Comments off, quotes off, the last assignment counts; no secret is in any table or record."""
    reading_ = pk.read(folder, kind="slob")
    values = dict(reading_.slob_conf.frame.select("name", "value").iter_rows())
    assert values["UPDATE_PCT"] == "30"
    assert (values["SCALE"], values["DATABASE_STATISTICS_TYPE"]) == ("10000", "awr")
    assert (values["EXTERNAL_SCRIPT"], values["SQLNET_SERVICE_MAX"]) == ("", "2")
    redacted = reading_.slob_conf.frame.filter(pl.col("redacted"))
    assert set(redacted["name"]) == {"SYSDBA_PASSWD", "DBA_PRIV_USER", "ADMIN_SQLNET_SERVICE"}
    assert redacted["value"].null_count() == 3
    shown = "".join(str(table.frame.rows()) for table in reading_.values()) + repr(
        reading_.evidence.record()
    )
    for secret in ("hush", "secret", "manager", "ORCL"):
        assert secret not in shown


def test_a_line_that_is_no_assignment_is_named_and_not_quoted(folder):
    (folder / "slob.conf").write_text("RUN_TIME=300\nSYSDBA_PASSWD='hush\n")
    with pytest.raises(ParseError, match=r"slob.conf:2: not an assignment") as caught:
        pk.read(folder, kind="slob")
    assert "hush" not in str(caught.value)


@given(
    name=st.sampled_from(["SYSDBA_PASSWD", "SYS_PASSWORD", "ADMIN_SQLNET_SERVICE", "dba_pwd"]),
    secret=st.text(st.characters(codec="ascii", categories=("L", "N", "P")), min_size=1),
)
def test_no_secret_of_any_form_is_kept(name, secret):
    """Whatever a password is made of, it is redacted, or the line is refused without quoting it."""
    try:
        rows = conf_rows(f"{name}={secret}\n", "slob.conf")
    except ParseError as problem:
        rows = [{"value": None}]
        said = str(problem)
    else:
        said = "slob.conf:1: not an assignment NAME=value"
    assert said == "slob.conf:1: not an assignment NAME=value"
    assert rows[0]["value"] in {None, ""}


def test_awr_info_in_its_old_layout_without_heads():
    """The 2013 layout: MiB/s and microseconds; an empty cell is null."""
    row = info_rows(OLD, "awr_info.out", "awr_info.out")[0]
    assert (row["report"], row["threads"], row["elapsed_s"]) == ("awr.txt.128", 128, 304.0)
    assert (row["physical_reads_per_s"], row["read_bytes_per_s"]) == (71554.0, 559 * 2**20)
    assert row["db_file_sequential_read_s"] == 0.000759
    assert row["direct_path_read_s"] is row["db_file_parallel_read_s"] is None
    assert (row["db_file_parallel_write_s"], row["log_file_parallel_write_s"]) == (
        0.000312, 0.440653,
    )  # fmt: skip
    assert row["db_cpu_s_per_s"] is row["logical_reads_blocks_per_s"] is None
    assert row["top_wait"] == "db file sequential read 21,628,695 16,407"


def test_awr_info_under_mawk_has_nulls_and_a_warning(folder):
    """The new layout; what mawk leaves empty is null, and all of it missing is said."""
    (folder / "info.txt").write_text(HEAD + MAWK)
    result = pk.read(folder, kind="slob")
    row = result.awr_info.frame.row(0, named=True)
    assert (row["db_cpu_s_per_s"], row["db_time_s_per_s"]) == (12.5, 88.1)
    assert row["logical_reads_blocks_per_s"] == 1.39e9
    assert row["write_bytes_per_s"] is row["log_file_parallel_write_s"] is None
    assert row["redo_bytes_per_s"] == 113455923.2  # 108.2 MiB
    assert any("under mawk" in text for text in result.evidence.warnings)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a|b|c|\n", "3 cells are not a row"),
        (HEAD + "awr.txt.1|1|\n", "2 cells are not a row"),
        (HEAD + MAWK.replace("88.1", "x"), "'x' is not a number"),
        (HEAD.replace("LIO", "NEW"), "'NEW' is not a column of awr_info.sh"),
    ],
)
def test_damaged_awr_info_names_the_line(text, problem):
    with pytest.raises(ParseError, match=rf"info:\d: {problem}"):
        info_rows(text, "info", "info")


def test_db_stats_in_seconds(folder):
    frame = pk.read(folder, kind="slob").db_stats.frame
    assert frame.row(0, named=True) == {
        "file": "db_stats.out", "load": None, "schema": "user1", "elapsed_s": 300.12,
        "cpu_s": 12.0, "cpu_ratio": 0.04,
    }  # fmt: skip
    (folder / "db_stats.out").write_text("user1|1|\n")
    with pytest.raises(ParseError, match=r"db_stats.out:1: not a row schema"):
        pk.read(folder, kind="slob")


def test_host_files_are_the_general_readers(folder):
    """iostat gives the common series; each tool's tables bear file and load."""
    result = pk.read(folder, kind="slob")
    own = pk.read(folder / "iostat.out", kind="iostat").devices.frame
    assert result.iostat_devices.frame.drop("file", "load").equals(own)
    assert len(result.vmstat_samples) == 4
    assert set(result.mpstat_cpu.frame["file"]) == {"mpstat.out"}
    assert len(result.host_series) == 2
    assert result.host_series.frame["workload"].to_list() == ["slob", "slob"]
    assert result.host_series.frame["load"].to_list() == [None, None]
    assert {part.kind for part in result.evidence.parts} == {
        "slob_conf", "db_stats", "iostat", "vmstat", "mpstat",
    }  # fmt: skip


def test_threads_come_from_the_study_then_the_name(folder):
    """The caller's table counts first; a differing name is a warning; the table says which."""
    for threads in (8, 64):
        shutil.copyfile(folder / "iostat.out", folder / f"iostat.out.{threads}")
    (folder / "iostat.out").unlink()
    result = pk.read(folder, threads={"iostat.out.8": 16}, kind="slob")
    files = {row["file"]: row for row in result.report_files.frame.rows(named=True)}
    assert (files["iostat.out.8"]["threads"], files["iostat.out.8"]["threads_from"]) == (
        16,
        "study",
    )
    assert (files["iostat.out.64"]["threads"], files["iostat.out.64"]["threads_from"]) == (
        64, "file name",
    )  # fmt: skip
    assert set(result.host_series.frame["load"]) == {16.0, 64.0}
    assert any("threads differ (study: 16, file name: 8)" in w for w in result.evidence.warnings)
    with pytest.raises(UsageError, match=r"no file 'awr.txt.9'"):
        pk.read(folder, threads={"awr.txt.9": 9}, kind="slob")


def test_what_does_not_belong_is_listed_and_what_is_damaged_too(folder):
    (folder / "notes.md").write_text("my notes\n")
    (folder / "iostat.out").write_text("Linux 5.0 (h) \t01/01/26\n\navg-cpu: %user\n 1.0 2.0\n x\n")
    result = pk.read(folder, kind="slob")
    reasons = {s.name: s.reason for s in result.evidence.sections if s.status == "unparsed"}
    assert reasons["notes.md"] == "of no kind that belongs to a SLOB run"
    assert reasons["iostat.out"].startswith("iostat: 2 cells where 1 belong")
    assert len(result.host_series) == 3  # mpstat's


def test_a_folder_with_nothing_of_slob_is_refused(tmp_path):
    with pytest.raises(ParseError, match="nothing of a SLOB run in it"):
        pk.read(tmp_path, kind="slob")
    with pytest.raises(ParseError, match="there is no such folder"):
        pk.read(tmp_path / "gone", kind="slob")


def table(summary, heads, *rows):
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f'<table summary="{summary}"><tr>{head}</tr>{body}</table>'


def report(iops, threads=8):
    """A small AWR report of one instance that says how many reads there were per second."""
    return (
        "<html><head><title>AWR Report for DB: ORA, Inst: ora1, Snaps: 7-8</title></head><body>"
        "<h1 class='awr'>WORKLOAD REPOSITORY report for</h1>"
        + table(
            "This table displays database instance information",
            ("DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"),
            ("ORA", "42", "ora1", "1", "01-Jan-22 00:00", "19.0.0.0.0", "NO"),
        )
        + table(
            "This table displays snapshot information",
            ("", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"),
            ("Begin Snap:", "7", "23-Jan-22 10:00:00", "10", "1.0"),
            ("End Snap:", "8", "23-Jan-22 11:00:00", "12", "1.1"),
            ("Elapsed:", "&#160;", "60.00 (mins)", "&#160;", "&#160;"),
            ("DB Time:", "&#160;", f"{60 * threads:,.2f} (mins)", "&#160;", "&#160;"),
        )
        + table(
            "This table displays load profile",
            ("", "Per Second", "Per Transaction"),
            ("Read IO requests:", iops, "1"),
            ("Write IO requests:", "0.0", "1"),
        )
        + "<p/>End of Report</body></html>"
    )


def test_numbers_in_names_are_no_threads_where_more_sessions_were_active(folder):
    """The 4 and 8 of tests: 30 sessions were in calls on average, one of SLOB each thread."""
    busy = report("9,000.5", 30)
    (folder / "awr.html.4").write_text(busy)
    (folder / "awr.html.8").write_text(busy.replace(">7<", ">9<").replace(">8<", ">10<"))
    result = pk.read(folder, kind="slob")
    assert set(result.load_points.frame["load"]) == {None}
    assert any("not threads: awr.html.4 has 30.0" in text for text in result.evidence.warnings)


@pytest.mark.parametrize(("conf", "rac_of", "loads"), [
    ("THINK_TM_FREQUENCY=0\n", False, [None]),
    ("THINK_TM_FREQUENCY=\n", False, [None]),
    ("THINK_TM_FREQUENCY=\nTHINK_TM_FREQUENCY=0\n", False, [None]),
    ("# not set\n", False, [None]),
    ("THINK_TM_FREQUENCY=5\n", False, [4.0, 128.0]),
    ("THINK_TM_FREQUENCY=0\n", True, [4.0, 128.0]),
])  # fmt: skip
def test_numbers_in_names_are_no_threads_where_too_few_sessions_were_active(
    folder, conf, rac_of, loads
):
    """60 sessions in calls are not 128 threads, unless these think, or load other instances."""
    with (folder / "slob.conf").open("a") as settings:
        settings.write(conf)
    few = report("1.0", 60).replace(">7<", ">9<").replace(">8<", ">10<")
    (folder / "awr.html.4").write_text(report("1.0", 4))
    (folder / "awr.html.128").write_text(few.replace(*("NO", "YES") if rac_of else ("", "")))
    result = pk.read(folder, kind="slob")
    assert list(dict.fromkeys(result.load_points.frame["load"])) == loads
    assert any("128 has 60.0" in text for text in result.evidence.warnings) == (loads == [None])


def test_a_report_of_unknown_load_still_states_its_io_and_what_it_does_not_cover(folder):
    """Without load points, "how much I/O the database did is not known" stood over its IOPS."""
    (folder / "awr.html").write_text(report("1,500.5").replace(">NO<", ">YES<"))
    found = from_frame(one_report(pk.read(folder, kind="slob")).frame)
    (of_io,) = (answer for answer in found if answer.question == "report_io")
    assert of_io.got.value == 1500.5
    assert "one_instance" in {caution.name for caution in of_io.cautions}


def rac(text):
    text = text.replace("AWR Report", "AWR RAC Report").replace("report for", "REPORT (RAC)")
    return text.replace("<td>NO</td>", "<td>YES</td>")


def test_reports_are_joined_under_their_load_points(folder):
    """The load is in the name: each report's tables bear its path and load."""
    (folder / "awr.html.128").write_text(report("71,554.0", 128))
    (folder / "awr.html.8").write_text(report("9,000.5"))
    result = pk.read(folder, kind="slob")
    points = result.load_points.frame.filter(pl.col("direction") == "read")
    assert points.select("workload", "load_kind", "load", "iops").rows() == [
        ("slob", "threads", 8.0, 9000.5), ("slob", "threads", 128.0, 71554.0),
    ]  # fmt: skip
    paths = [f"{result.evidence.path}/awr.html.{load}" for load in (128, 8)]
    assert result.report.frame.select("source", "load", "db_name").rows() == [
        (paths[0], 128.0, "ORA"), (paths[1], 8.0, "ORA"),
    ]  # fmt: skip
    assert points["source"].to_list() == paths[::-1]
    assert result.host_series.frame["load"].to_list() == [None, None]  # which load, nothing says
    assert "parameters" in result
    assert "slob_conf" in result


def test_one_report_a_load_counts(folder):
    """The global report of a cluster goes before one of an instance; what is left out is said."""
    (folder / "awr.html.128").write_text(report("1.0", 128))
    (folder / "awr_rac.html.128").write_text(rac(report("3.0", 128)))
    result = pk.read(folder, kind="slob")
    assert result.load_points.frame.filter(direction="read")["iops"].to_list() == [3.0]
    assert left_out(result) == {
        "awr.html.128": "awr_rac.html.128 counts, which is of the same load"
    }


def test_of_an_instance_its_own_report_counts(folder):
    """Without a cluster the global report says less: runit.sh makes it all the same."""
    (folder / "awr.html.8").write_text(report("1.0"))
    (folder / "awr_rac.html.8").write_text(rac(report("1.0")).replace("YES", "NO"))
    result = pk.read(folder, kind="slob")
    assert result.report.frame["scope"].to_list() == ["single"]
    assert left_out(result) == {"awr_rac.html.8": "awr.html.8 counts, which is of the same load"}


def left_out(result):
    """The reports that are not read, with the reason."""
    sections = [part for part in result.evidence.sections if part.status == "unparsed"]
    return {part.name: part.reason for part in sections if part.name[-1].isdigit()}


def test_html_goes_before_text_of_the_same_load(folder):
    """Text is rounded to fit its columns: of both forms of one report the HTML counts."""
    content = awr.sample(7, narrow=True)
    texts = awr.forge(content, "text-12.1"), awr.forge(content, "html-11.2")
    for name, forged in zip(("a.txt.128", "b.html.128"), texts, strict=True):
        (folder / name).write_bytes(forged.data)
    result = pk.read(folder, kind="slob")
    assert set(result.report.frame["format"]) == {"html"}
    assert set(result.load_points.frame["load"]) == {128.0}
    alone = pk.read(folder / "b.html.128", kind="awr").load_points.frame
    assert result.load_points.frame["iops"].to_list() == alone["iops"].to_list()
    assert left_out(result) == {"a.txt.128": "b.html.128 counts, which is of the same load"}


def test_a_damaged_report_is_a_warning(folder):
    (folder / "awr.html.8").write_text(report("1.0"))
    (folder / "awr.html.16").write_bytes(report("1.0").encode()[:400] + b"\x00" * 900)
    result = pk.read(folder, kind="slob")
    lost = [w for w in result.evidence.warnings if w.startswith("awr.html.16: ")]
    assert lost
    assert 16.0 not in set(result.load_points.frame["load"])


@pytest.mark.skipif(not (REAL / "text_12.1.lst").exists(), reason="real reports are not here")
def test_a_real_report_in_a_run_directory(folder):
    """The same numbers as the AWR reader alone gives, under the load that its caller states."""
    shutil.copyfile(REAL / "text_12.1.lst", folder / "awr.txt.32")
    alone = SOURCES["awr"].read(folder / "awr.txt.32").load_points.frame
    joined = pk.read(folder, kind="slob", threads={"awr.txt.32": 32}).load_points.frame
    assert joined["iops"].to_list() == alone["iops"].to_list()
    assert set(joined["load"]) == {32.0}


@pytest.mark.parametrize(
    ("day", "time"),
    [
        ("08-Sep-22", datetime(2022, 9, 8, 6, 28, 8)),  # noqa: DTZ001 - a host prints no zone
        ("09-Aug-22", datetime(2022, 8, 9, 6, 28, 8)),  # noqa: DTZ001
        ("10-Oct-22", None),
    ],
)
def test_a_date_with_two_readings_is_that_of_the_reports(folder, day, time):
    """09/08/22 is of September in America and of August in Europe; the folder is of one run."""
    mpstat = folder / "mpstat.out"
    mpstat.write_text(mpstat.read_text().replace("11/21/26", "09/08/22"))
    (folder / "awr.html.128").write_text(report("71,554.0", 128).replace("23-Jan-22", day))
    result = pk.read(folder, kind="slob")
    assert result.mpstat_cpu.frame["time"][0] == time
    assert any("do not tell day from month" in told for told in result.evidence.warnings) is (
        time is None
    )


def test_the_only_load_point_is_that_of_the_host_files(folder):
    (folder / "awr.html.128").write_text(report("1.0", 128))
    result = pk.read(folder, kind="slob")
    assert set(result.host_series.frame["load"]) == {128.0}
    assert set(result.db_stats.frame["load"]) == {128.0}
    assert any("2 of 128 threads: rows were lost" in w for w in result.evidence.warnings)


def test_awr_info_says_the_threads_of_a_report_without_number(folder):
    (folder / "awr.html").write_text(report("1.0"))
    unknown = pk.read(folder, kind="slob")
    points = unknown.load_points.frame
    assert points.select("workload", "load_kind", "load").unique().rows() == [(None, None, None)]
    assert (
        points["iops"].to_list() == pk.read(folder / "awr.html").load_points.frame["iops"].to_list()
    )
    assert any("threads not known for awr.html" in w for w in unknown.evidence.warnings)
    (folder / "awr_info.out").write_text(HEAD + MAWK.replace("awr.txt.64", "awr.html"))
    known = pk.read(folder, kind="slob")
    assert set(known.load_points.frame["load"]) == {64.0}
    files = {row["file"]: row["threads_from"] for row in known.report_files.frame.rows(named=True)}
    assert files["awr.html"] == "content"


def test_the_output_of_awr_info_is_marked_unverified(folder):
    """It follows documents alone: the evidence says so, and the appendix of a report with it."""
    assert not pk.read(folder, kind="slob").evidence.unverified
    (folder / "awr_info.out").write_text(HEAD + MAWK)
    evidence = pk.read(folder, kind="slob").evidence
    assert evidence.unverified
    assert [part.kind for part in evidence.parts if part.unverified] == ["awr_info"]


def test_a_latency_of_0_is_an_event_that_the_report_does_not_have():
    """awr_info.sh prints 0 for it: null, also beside latencies that are there; a rate of 0 is 0."""
    line = "awr.txt.8|8|304|1|2|3|4|0|0.0|0|0|0.5|759|0|0|       0|440653|db file x|\n"
    row = info_rows(HEAD + line, "x", "f")[0]
    assert row["physical_reads_per_s"] == row["write_bytes_per_s"] == 0.0
    assert row["db_file_sequential_read_s"] == 0.000759
    assert row["direct_path_read_s"] is row["db_file_parallel_read_s"] is None
    assert row["db_file_parallel_write_s"] is None
    assert row["log_file_parallel_write_s"] == 0.440653


def test_reports_of_the_same_snapshots_are_of_one_load(folder):
    """runit.sh writes awr.html beside the awr.txt that its user renames to the threads."""
    (folder / "awr_text.html.128").write_text(report("1.0", 128))
    (folder / "awr.html").write_text(report("1.0"))
    (folder / "awr_rac.html").write_text(rac(report("3.0")))
    other = report("5.0").replace("<td>8</td>", "<td>9</td>").replace("Snaps: 7-8", "Snaps: 7-9")
    (folder / "other.html").write_text(other)
    found = pk.read(folder, kind="slob")
    files = {row["file"]: row for row in found.report_files.frame.rows(named=True)}
    for name in ("awr.html", "awr_rac.html"):
        assert files[name]["threads"] == 128
        assert files[name]["threads_from"] == "snapshots of awr_text.html.128"
    assert files["other.html"]["threads"] is None
    points = found.load_points.frame.filter(pl.col("direction") == "read")
    assert points.select("load", "iops").rows() == [(128.0, 3.0), (None, 5.0)]
    assert not any("their threads differ" in text for text in found.evidence.warnings)


def test_reports_of_the_same_snapshots_under_two_loads_are_told(folder):
    (folder / "awr.html.8").write_text(report("1.0", 10))
    (folder / "awr.html.16").write_text(report("1.0", 10))
    (folder / "awr.html").write_text(report("1.0", 10))
    found = pk.read(folder, kind="slob")
    assert (
        "awr.html.16 and awr.html.8 are of the same snapshots, and their threads differ"
        in found.evidence.warnings
    )
    files = {row["file"]: row["threads"] for row in found.report_files.frame.rows(named=True)}
    assert files["awr.html"] is None


def test_a_folder_without_settings_is_told_by_db_stats(folder):
    (folder / "slob.conf").unlink()
    assert kind_of(folder) == "slob"
    assert pk.read(folder).slob_conf.frame.height == 0


def test_a_study_names_the_folder_of_a_run(folder):
    """Also its own folder, and one that only the kind makes a run of SLOB."""
    study = folder / "study.yml"
    for name in ("slob.conf", "db_stats.out"):
        study.write_text("report: {title: T}\nevidence:\n  - {files: '.', kind: slob}\n")
        found = open_study(study).read_evidence()
        assert found.db_stats.frame["source"].unique().to_list() in (["."], [])
        assert found.host_series.frame.height == 2
        (folder / name).unlink()
    study.rename(folder.parent / "study.yml")
    (folder.parent / "study.yml").write_text(
        "report: {title: T}\nevidence:\n  - {files: run, kind: slob}\n"
    )
    found = open_study(folder.parent / "study.yml").read_evidence()
    assert found.host_series.frame["source"].unique().to_list() == ["run"]


@pytest.mark.skipif(not STRANGER.is_dir(), reason="the real run is not here")
def test_a_real_run_is_one_load_point():
    """128 sessions, as the name of one of its three reports says."""
    found = pk.read(STRANGER)
    assert set(found.load_points.frame["load"]) == {128.0}
    assert found.load_points.frame.height == 3
    assert set(found.iostat_devices.frame["load"]) == {128.0}
    assert not found.evidence.unverified
    # 05/02/2013 in mpstat's head, and a report of 2 May
    assert found.mpstat_cpu.frame["time"].min() == datetime(2013, 5, 2, 13, 53, 4)  # noqa: DTZ001


def test_a_decimal_comma_of_awk_is_an_error_and_never_ten_times_as_much():
    """awk prints by the locale: 108,2 MiB/s is not 1,082."""
    row = info_rows(HEAD.replace("DB CPU|DB Tm|", "").replace("LIO|", "") + OLD, "x", "f")[0]
    assert row["threads"] == 128
    with pytest.raises(ParseError, match="'108,2' is not a number"):
        info_rows(OLD.replace("108.2", "108,2"), "x", "f")
    grouped = info_rows(OLD.replace("71554", "71,554"), "x", "f")[0]
    assert grouped == info_rows(OLD, "x", "f")[0]
