"""The rules by which a report becomes tables, each on a small report written for it."""

import gzip
import json
import quopri
from datetime import datetime

import pytest

from perfkit import sources as parsers
from perfkit.core.errors import ParseError, UsageError
from perfkit.sources.awr import read_awr
from perfkit.sources.awr.cells import moment
from perfkit.sources.awr.schema import TABLES
from perfkit.sources.awr.tidy.activity import _SLOT, _length

SNAPS = (
    "This table displays snapshot information",
    ["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"],
    [
        ["Begin Snap:", "7", "23-Jan-22 10:00:00", "10", "1.0"],
        ["End Snap:", "8", "23-Jan-22 11:00:00", "12", "1.1"],
        ["Elapsed:", "&#160;", "60.00 (mins)", "&#160;", "&#160;"],
        ["DB Time:", "&#160;", "90.00 (mins)", "&#160;", "&#160;"],
    ],
)
DATABASE = (
    "This table displays database instance information",
    ["DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"],
    [["ORA", "42", "ora1", "1", "01-Jan-22 00:00", "19.0.0.0.0", "NO"]],
)
HOST = (
    "This table displays host information",
    ["Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (GB)"],
    [["h", "Linux", "4", "2", "1", "16.00"]],
)
EVENTS = (
    "This table displays Foreground Wait Events and their wait statistics",
    [
        "Event",
        "Waits",
        "%Time -outs",
        "Total Wait Time (s)",
        "Avg wait",
        "Waits /txn",
        "% DB time",
    ],
    [["log file sync", "1,000,000", "0", "500", "500.00us", "1.00", "9.26"]],
)


def table(summary, names, rows):
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f'<table summary="{summary}"><tr>{head}</tr>{body}</table>'


def html(*tables, end="End of Report</body></html>"):
    parts = "".join(item if isinstance(item, str) else table(*item) for item in tables)
    title = "<title>AWR Report for DB: ORA, Inst: ora1, Snaps: 7-8</title>"
    return (
        f"<html><head>{title}</head><body><h1 class='awr'>WORKLOAD REPOSITORY report for</h1>"
        f"{parts}<p/>{end}"
    )


def rac(*tables):
    return (
        html(*tables).replace("AWR Report", "AWR RAC Report").replace("report for", "REPORT (RAC)")
    )


@pytest.fixture
def read(tmp_path):
    def reader(text, name="report.html", **options):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_awr(path, **options)

    return reader


def status(reading, name):
    return next((item for item in reading.evidence.sections if item.name == name), None)


def test_the_head_of_a_report(read):
    """Minutes become seconds; the release, the CPUs and the times are those printed."""
    row = read(html(DATABASE, HOST, SNAPS)).report.frame.row(0, named=True)
    assert (row["db_name"], row["db_id"], row["release"], row["rac"]) == (
        "ORA", 42, "19.0.0.0.0", False,
    )  # fmt: skip
    assert (row["elapsed_s"], row["db_time_s"]) == (3600.0, 5400.0)
    assert (row["snap_begin_id"], row["snap_end_id"]) == (7, 8)
    assert row["memory_bytes"] == 16 * 1024**3
    assert str(row["begin_time"]) == "2022-01-23 10:00:00"


@pytest.mark.parametrize(("end", "total"), [("2", 2), ("3", None)])
def test_the_instances_of_the_database_are_those_that_both_snapshots_state(read, end, total):
    rows = [[*SNAPS[2][0], "2"], [*SNAPS[2][1], end], *([*row, "&#160;"] for row in SNAPS[2][2:])]
    snaps = (SNAPS[0], [*SNAPS[1], "Instances"], rows)
    assert read(html(DATABASE, snaps)).report.frame["instances_total"][0] == total


def test_every_table_is_there_though_empty(read):
    """A reading has every table of the schema with exactly its columns."""
    reading = read(html(DATABASE, SNAPS))
    assert list(reading) == list(TABLES)
    assert all(reading[name].frame.columns == list(fields) for name, fields in TABLES.items())


def test_sections_are_told_as_found_empty_absent_and_unparsed(read):
    """Each section says what became of it; one with unknown columns is unparsed, with them."""
    strange = ("This table displays load profile", ["What", "Ever"], [["a", "1"]])
    empty = (*EVENTS[:2], [])
    reading = read(html(DATABASE, SNAPS, strange, empty))
    assert status(reading, "snapshots").status == "found"
    assert status(reading, "foreground_wait_events").status == "empty"
    assert status(reading, "io_profile").status == "absent"
    unparsed = status(reading, "load_profile")
    assert unparsed.status == "unparsed"
    assert "table 3" in unparsed.reason
    assert "What | Ever" in unparsed.reason


def test_a_section_of_which_one_table_is_not_read_tells_the_rows_of_the_others(read):
    strange = (EVENTS[0], ["What", "Ever"], [["a", "1"]])
    found = status(read(html(DATABASE, SNAPS, EVENTS, strange)), "foreground_wait_events")
    assert (found.status, found.rows) == ("unparsed", 1)
    alone = status(read(html(DATABASE, SNAPS, strange)), "foreground_wait_events")
    assert (alone.status, alone.rows) == ("unparsed", None)


def test_an_unknown_table_is_listed_by_name(read):
    """A table that perfkit does not know stands in a warning with its name and place."""
    odd = ("My Odd Figures", ["A"], [["1"]])
    warnings = read(html(DATABASE, SNAPS, odd)).evidence.warnings
    assert any("My Odd Figures" in text or "table 3" in text for text in warnings)


def test_a_table_left_out_on_purpose_is_a_section(read):
    """Latches are known and not taken: the evidence names them."""
    latch = ("This table displays latch statistics.", ["Latch Name"], [["x"]])
    names = [s.name for s in read(html(DATABASE, SNAPS, latch)).evidence.sections]
    assert any(name.startswith("not read: ") for name in names)


def test_an_unknown_column_is_told(read):
    """A new column of a known table is named, the known ones are read."""
    names = [*EVENTS[1], "New Thing"]
    reading = read(html(DATABASE, SNAPS, (EVENTS[0], names, [[*EVENTS[2][0], "5"]])))
    assert reading.wait_events.frame["waits"].to_list() == [1e6]
    assert any("'New Thing' is not known" in text for text in reading.evidence.warnings)


def test_of_two_columns_of_one_name_the_second_is_never_read_as_the_first(read):
    """With the name of the first damaged, writes per second would stand as reads."""
    first = ["Filetype Name", "Reads: Data", "Rqs per sec", "Data per sec"]
    names = [*first, "Writes: Data", "Reqs per sec", "Data per sec"]
    summary = "This table displays IO Statistics for different file types"
    row = ["Data File", "1G", "7.00", "1M", "2G", "9.00", "2M"]
    reading = read(html(DATABASE, SNAPS, (summary, names, [row])))
    assert not reading.io_by_filetype.frame.height
    assert status(reading, "io_by_filetype").status == "unparsed"


def test_hashes_are_null_and_told_with_their_cell(read):
    """A cell of ##### was wider than its column: null, and the warning names row and column."""
    rows = [["log file sync", "#######", "0", "500", "500.00us", "1.00", "9.26"]]
    reading = read(html(DATABASE, SNAPS, (*EVENTS[:2], rows)))
    row = reading.wait_events.frame.row(0, named=True)
    assert (row["waits"], row["total_wait_s"], row["avg_wait_computed_s"]) == (None, 500.0, None)
    assert any("row 1, column 'Waits'" in text for text in reading.evidence.warnings)


def test_printed_and_computed_average_are_both_kept(read):
    """Both are in seconds; where they differ a warning says so."""
    right = read(html(DATABASE, SNAPS, EVENTS))
    row = right.wait_events.frame.row(0, named=True)
    assert (row["avg_wait_s"], row["avg_wait_computed_s"]) == (0.0005, 0.0005)
    assert not any("printed average" in text for text in right.evidence.warnings)
    rows = [["log file sync", "1,000,000", "0", "500", "700.00us", "1.00", "9.26"]]
    wrong = read(html(DATABASE, SNAPS, (*EVENTS[:2], rows)))
    assert any("printed average wait is 0.0007 s" in text for text in wrong.evidence.warnings)


def test_a_total_rounded_to_zero_gives_no_average(read):
    """Total 0 s over one wait of 5 ms: the computed average is null, not 0."""
    rows = [["log file sync", "1", "&#160;", "0", "5.00ms", "1.00", ".0"]]
    row = read(html(DATABASE, SNAPS, (*EVENTS[:2], rows))).wait_events.frame.row(0, named=True)
    assert (row["avg_wait_s"], row["avg_wait_computed_s"]) == (0.005, None)
    assert row["timeouts_ratio"] is None


def test_a_time_without_a_unit_is_null(read):
    """A bare number under 'Avg wait' may be ms or s: it is not guessed."""
    rows = [["log file sync", "1,000", "0", "500", "5", "1.00", "9.26"]]
    reading = read(html(DATABASE, SNAPS, (*EVENTS[:2], rows)))
    assert reading.wait_events.frame["avg_wait_s"].to_list() == [None]
    assert any("has no unit" in text for text in reading.evidence.warnings)


def test_decimal_commas_are_refused(read):
    """12,5 may be twelve and a half: the report is refused as a whole, not read as 125."""
    rows = [["log file sync", "1,000", "0", "500", "500.00us", "1.00", "12,5"]]
    with pytest.raises(ParseError, match="decimal comma"):
        read(html(DATABASE, SNAPS, (*EVENTS[:2], rows)))


IO = ("This table displays IO profile", ["", "Read+Write Per Second", "Read per Second",
                                         "Write Per Second"])  # fmt: skip
LOAD = ("This table displays load profile", ["", "Per Second", "Per Transaction"])
ACTIVITY = (
    "This table displays Instance activity statistics.",
    ["Statistic", "Total", "per Second", "per Trans"],
)


def test_iops_never_come_from_blocks(read):
    """A report that prints blocks alone has no IOPS: null, not the blocks."""
    load = (*LOAD, [["Physical read (blocks):", "8,000.0", "1.0"],
                    ["Physical write (blocks):", "10.0", "1.0"]])  # fmt: skip
    reading = read(html(DATABASE, SNAPS, load))
    assert reading.load_points.frame["iops"].to_list() == [None] * 3
    assert reading.iops_source.frame.is_empty()
    assert reading.system_statistics.frame["physical_reads_blocks_per_s"].to_list() == [8000.0]


FUNCTION = (
    "This table displays the IO Statistics for different functions. IO stats includes amount of",
    ["Function Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data",
     "Reqs per sec", "Data per sec", "Waits: Count", "Avg Time"],
)  # fmt: skip
TOTAL = ["TOTAL:", "1G", "40.00", "1M", "1G", "5.00", "1M", "1,000", "1.00ms"]


def test_iops_come_from_the_first_source_in_order(read):
    """IO Profile, load profile, instance activity, IO by function; the frame names the one used.

    Of two that count the same the finer one is used, and bytes come from the finest too.
    """
    function = (*FUNCTION, [TOTAL])
    activity = (*ACTIVITY, [["physical read total IO requests", "1", "30.0", "1"],
                            ["physical write total IO requests", "1", "4.0", "1"]])  # fmt: skip
    load = (*LOAD, [["Read IO requests:", "20.0", "1"], ["Write IO requests:", "3.0", "1"]])
    finer_function = (*FUNCTION, [[*TOTAL[:2], "40.25", *TOTAL[3:5], "5.25", *TOTAL[6:]]])
    finer_load = (*LOAD, [["Read IO requests:", "20.25", "1"], ["Write IO requests:", "3.25", "1"]])
    profile = (
        *IO,
        [["Total Requests:", "12.0", "10.0", "2.0"], ["Total (MB):", "3.0", "2.0", "1.0"]],
    )
    finer = (*ACTIVITY, [["physical read total IO requests", "1", "10.04", "1"],
                         ["physical write total IO requests", "1", "1.97", "1"],
                         ["physical read total bytes", "1", "2,099,999.25", "1"],
                         ["physical write total bytes", "1", "1,040,000.50", "1"]])  # fmt: skip
    for tables, source, counts, iops in (
        ((function,), "IO by Function", "total", 45.0),
        ((function, activity), "Instance Activity", "total", 34.0),
        ((function, activity, load), "Load Profile", "database", 23.0),
        ((function, activity, load, profile), "IO Profile", "total", 12.0),
        ((function, activity, finer_load, profile), "IO Profile", "total", 12.0),
        ((finer_function, profile), "IO Profile", "total", 12.0),
        ((function, finer, load, profile), "Instance Activity", "total", 12.01),
    ):
        reading = read(html(DATABASE, SNAPS, *tables))
        used = reading.iops_source.filter(used=True).frame.row(0, named=True)
        assert (used["section"], used["counts"], used["iops"]) == (source, counts, iops)
        assert reading.load_points.filter(direction="total").frame["iops"].to_list() == [iops]
    assert reading.load_points.frame.select("direction", "iops", "bw_bytes_per_s").rows() == [
        ("read", 10.04, 2_099_999.25), ("write", 1.97, 1_040_000.5), ("total", 12.01, 3_139_999.75),
    ]  # fmt: skip


PER_SECOND = ["I#", "Logical Reads/s", "Physical Reads/s", "Physical Writes/s", "Redo Size (k)/s"]


def test_rac_statistics_rows_are_no_instances(read):
    """Sum, Avg, Std stay out of the frame, and a sum that is wrong is told."""
    rows = [["1", "10.00", "5.00", "1.00", "2.00"], ["2", "20.00", "6.00", "1.00", "2.00"],
            ["Sum", "30.00", "99.00", "2.00", "4.00"], ["Avg", "15.00", "5.50", "1.00", "2.00"],
            ["Std", "7.07", ".71", ".00", ".00"]]  # fmt: skip
    reading = read(rac(("System Statistics - Per Second", PER_SECOND, rows)))
    assert reading.system_statistics.frame["instance"].to_list() == [1, 2]
    assert reading.system_statistics.frame["redo_bytes_per_s"].to_list() == [2048.0, 2048.0]
    told = [text for text in reading.evidence.warnings if "the printed sum is" in text]
    assert len(told) == 1
    assert "Physical Reads/s: the instances add to 11, the printed sum is 99" in told[0]


@pytest.mark.parametrize(
    ("instances", "printed", "told"),
    [(3, "30.02", False), (3, "29.98", False), (3, "30.03", True), (2, "20.01", False),
     (2, "20.02", True), (2, "19.98", True), (1, "10.01", False), (1, "10.02", True)],
)  # fmt: skip
def test_a_sum_may_be_off_by_half_a_digit_of_each_cell_and_no_more(instances, printed, told, read):
    """Of n instances and their sum, each rounded to 0.01, the sum is within (n + 1) / 2 digits."""
    rows = [[str(number), *["10.00"] * 4] for number in range(1, instances + 1)]
    rows.append(["Sum", printed, *[f"{10 * instances}.00"] * 3])
    reading = read(rac(("System Statistics - Per Second", PER_SECOND, rows)))
    sums = [text for text in reading.evidence.warnings if "the printed sum is" in text]
    assert len(sums) == told


def test_negative_counters_are_told(read):
    """A counter that went back is read as printed, with a warning."""
    activity = (*ACTIVITY, [["redo size", "-531,618,648", "-1.00", "0"]])
    reading = read(html(DATABASE, SNAPS, activity))
    assert reading.instance_activity.frame["total"].to_list() == [-531618648.0]
    assert any("redo size: a counter is negative" in text for text in reading.evidence.warnings)


def test_more_db_cpu_than_the_cpus_give_is_told(read):
    """4 CPUs give 14,400 s in an hour: 20,000 s of DB CPU is a warning, 14,000 s is none."""
    for seconds, warned in (("20,000.00", True), ("14,000.00", False)):
        model = (
            "This table displays different time model statistics.",
            ["Statistic Name", "Time (s)", "% of DB Time"],
            [["DB CPU", seconds, "90.00"]],
        )
        warnings = read(html(DATABASE, HOST, SNAPS, model)).evidence.warnings
        assert any("more than 4 CPUs" in text for text in warnings) is warned


RAC_NAMES = ["I#", "Instance", "Host", "Elapsed Time(min)", "DB time(min)", "Avg Active Sessions"]


def test_average_active_sessions_against_db_time(read):
    """120 min of DB time in 60 min are 2 active sessions; 9 is a warning."""
    rows = [
        ["1", "a", "h1", "60.00", "120.00", "2.00"],
        ["2", "b", "h2", "60.00", "120.00", "9.00"],
    ]
    reading = read(rac(("Database Instances Included In Report", RAC_NAMES, rows)))
    told = [text for text in reading.evidence.warnings if "active sessions" in text]
    assert len(told) == 1
    assert told[0].startswith("instance 2: ")


@pytest.mark.parametrize(("read_s", "told"), [("400.00", 1), ("44.00", 0), ("5.00", 1)])
def test_io_profile_against_io_by_function(read_s, told, read):
    """Both count the reads of the instance: more than a quarter apart, one of them is wrong.

    That stands among the warnings of the file, and as a caution beside what is shown of it.
    """
    profile = (*IO, [["Total Requests:", "45.0", "40.0", "5.0"]])
    function = (*FUNCTION, [[*TOTAL[:2], read_s, *TOTAL[3:]]])
    reading = read(html(DATABASE, SNAPS, profile, function))
    found = [text for text in reading.evidence.warnings if "one of them is wrong" in text]
    assert len(found) == told
    beside = reading.load_points.frame["cautions"][0] or ""
    assert ('"name": "io_disagrees"' in beside) == bool(told)
    assert not told or "IO Profile has 40 read requests/s" in found[0]


SUMMARY_NAMES = ["Id", "Name", "RAC", "Block Size", "Begin", "End", "DB time", "Elapsed time"]


@pytest.mark.parametrize(("minutes", "told"), [("240.00", 0), ("250.00", 1), ("120.00", 1)])
def test_the_instances_db_time_adds_to_the_reports(minutes, told, read):
    """Two instances with 120 minutes each in a report of 240, of 250, and of one of them."""
    rows = [
        ["1", "a", "h1", "60.00", "120.00", "2.00"],
        ["2", "b", "h2", "60.00", "120.00", "2.00"],
    ]
    summary = ["42", "X", "YES", "8192", "7", "8", minutes, "60.00"]
    reading = read(
        rac(
            ("Database Summary", SUMMARY_NAMES, [summary]),
            ("Database Instances Included In Report", RAC_NAMES, rows),
        )
    )
    found = [text for text in reading.evidence.warnings if "DB time adds to 14,400 s" in text]
    assert len(found) == told


def test_a_missing_end_tag_does_not_mix_tables(read):
    """A table without its end puts the next ones into its last cell: their rows stay their own."""
    broken = table(*EVENTS).replace("</td></tr></table>", "")
    reading = read(html(DATABASE, SNAPS, broken, table(*IO, [["Total Requests:", "3", "2", "1"]])))
    assert reading.io_profile.frame["total_per_s"].to_list() == [3.0]
    assert reading.wait_events.frame["event"].to_list() == ["log file sync"]


def test_a_cut_report_is_told_and_its_last_row_left_out(read):
    """An upload that was not whole: the last number may be cut too, so its row is not read."""
    rows = [["log file sync", "1,000", "0", "500", "500.00ms", "1.00", "9.26"],
            ["db file sequential read", "1,000", "0", "500", "500.00ms", "1.00", "9"]]  # fmt: skip
    heading = "<h3 class='awr'>Foreground Wait Events</h3>"
    text = html(DATABASE, SNAPS, heading, table(*EVENTS[:2], rows), end="")
    text = text[: text.rindex("</td>")]
    reading = read(text)
    assert reading.wait_events.frame["event"].to_list() == ["log file sync"]
    assert any("cut off" in word and "table 3" in word for word in reading.evidence.warnings)
    told = [json.loads(text) for text in reading.load_points.frame["cautions"]]
    cut = {"name": "cut_off", "of": "report.html", "section": "Foreground Wait Events"}
    assert [cut in cautions for cautions in told] == [True] * 3, told


def test_a_packed_report_is_the_same(read):
    """gzip changes nothing but the hash of the file."""
    text = html(DATABASE, SNAPS, EVENTS)
    plain, packed = read(text), read(gzip.compress(text.encode()), "r.html.gz")
    assert {name: item.hash for name, item in plain.items()} == {
        name: item.hash for name, item in packed.items()
    }


def archived(text, *, kind="text/html"):
    """A page as browsers save it in one file: lines are broken anywhere, also within numbers."""
    body = quopri.encodestring(text.encode()).decode().replace("1,000,000", "1,00=\n0,000")
    return (
        "From: <Saved by Blink>\nSubject: AWR Report\nMIME-Version: 1.0\n"
        'Content-Type: multipart/related;\n\ttype="text/html";\n\tboundary="----X"\n\n'
        f'------X\nContent-Type: {kind}; charset="utf-8"\n'
        f"Content-Transfer-Encoding: quoted-printable\n\n{body}\n------X--\n"
    )


def test_a_web_archive_is_the_page_in_it(read):
    """Its line breaks stand within numbers: read as it is, it had no table at all."""
    text = html(DATABASE, SNAPS, EVENTS)
    plain, packed = read(text), read(archived(text), "r.mht")
    assert packed.wait_events.frame["waits"].to_list() == [1e6]
    assert {name: item.hash for name, item in plain.items()} == {
        name: item.hash for name, item in packed.items()
    }
    with pytest.raises(ParseError, match=r"web archive \(MHTML\) without a page"):
        read(archived(text, kind="text/plain"), "x.mht")


def test_a_dialect_without_a_real_file_is_unverified(read):
    """19c and 23ai were read from real files, 21c was not."""
    for release, unverified in (("19.0.0.0.0", False), ("23.4.0.24.05", False), ("21.3", True)):
        other = html(DATABASE, SNAPS).replace("19.0.0.0.0", release)
        assert read(other).evidence.unverified is unverified


def test_tables_of_11_1_are_told_by_the_words_above_them(read):
    """They have no summary; the advisory counts whole blocks where later ones count thousands."""
    head = (
        '<table><tr><td colspan="2">&#160;</td><th colspan=" 2">{}</th></tr>'
        "<tr><th>Inst No</th><th>Block   Class</th><th>{}</th><th>{}</th></tr>"
        "<tr><td>2</td><td>data block</td><td>{}</td><td>{}</td></tr></table>"
    )
    reading = read(
        html(
            DATABASE,
            SNAPS,
            "<h3>RAC Statistics</h3>"
            "Global Cache and Enqueue Services - Workload Characteristics<p />"
            "<table><tr><td>Avg global cache cr block receive time (ms):</td><td>0.4</td></tr>"
            "<tr><td>Avg global cache cr block send time (ms):</td><td>0.1</td></tr></table>",
            "<h3>Buffer Pool Advisory</h3>",
            table(
                "",
                ["P", "Size for Est (M)", "Size Factor", "Buffers for Estimate",
                 "Est Phys Read Factor", "Estimated Physical Reads"],
                [["D", "448", "0.09", "53,263", "1.89", "24,326,918"]],
            ),
            "<h3>Global Cache Transfer Stats</h3>",
            head.format("CR", "Blocks Received", "% Immed", "176", "98.86"),
            "<h3>Global Cache Transfer Times (ms)</h3>",
            head.format("CR Avg Time (ms)", "All", "Immed", "0.45", "0.44"),
        )
    )  # fmt: skip
    (advice,) = reading.memory_advice.frame.to_dicts()
    assert (advice["buffers"], advice["physical_reads_blocks"]) == (53263.0, 24326918.0)
    (blocks,) = reading.block_transfers.frame.to_dicts()
    assert (blocks["cr_blocks"], blocks["cr_avg_s"]) == (176.0, 0.00045)
    (latency,) = reading.cache_latency.frame.to_dicts()
    assert latency["cr_receive_avg_s"] == 0.0004
    assert reading.evidence.warnings == ()


def test_advisories_of_23ai_are_known_and_left_out(read):
    """They have two sizes, of the first and of the last snapshot, for one row of estimates."""
    columns = [
        "Pool Name",
        "Size Factr",
        "Size for Est (MB) Beg Snap",
        "Size for Est (MB) End Snap",
    ]
    told = "<h3>Buffer Cache Advisory</h3>", table(
        "Buffer Cache Advisory. . ordered by Size Factor", columns,
        [["DEFAULT", "1.00", "1,040", "1,008"]],
    )  # fmt: skip
    notes = table("Report Footnotes", ["Note"], [["the limits of the database"]])
    reading = read(html(DATABASE, SNAPS, *told, notes))
    assert reading.memory_advice.frame.is_empty()
    assert reading.evidence.warnings == ()
    assert status(reading, "not read: Buffer Cache Advisory").status == "found"


def test_an_unknown_table_name_is_refused(read):
    """A table that does not exist is the caller's mistake, with a suggestion."""
    with pytest.raises(UsageError, match="load_points"):
        read(html(DATABASE, SNAPS), tables=["load_point"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  \n ", "is empty"),
        (b"<html><body>hello</body></html>", "no AWR or Statspack"),
        (b"some text\n" * 9, "no AWR or Statspack"),
        (b"\x7fELF\0\0\0\1", "binary"),
        (html(DATABASE).encode().replace(b"AWR Report for DB", b"AWR Compare Period Report for DB"),
         "compare-periods"),
        (b"<html><head><title>ASH Report - From 1</title></head>", "ASH report"),
        (b"          ADDM Report for Task 'TASK_1'\n", "ADDM report"),
        (b"WORKLOAD REPOSITORY COMPARE PERIOD REPORT\n", "compare-periods"),
        (gzip.compress(html(DATABASE, SNAPS).encode())[:-20], "cut off"),
        (b"\x1f\x8b" + b"junk" * 9, "damaged"),
        (html((*DATABASE[:2], [["<ul>" * 200_000, *DATABASE[2][0][1:]]])).encode(),
         "inside one another"),
    ],
    ids=["empty", "blank", "page", "text", "binary", "diff", "ash", "addm", "diff-text", "cut-gz",
         "bad-gz", "deep"],
)  # fmt: skip
def test_what_is_no_report_is_refused_with_its_name(read, content, message):
    """Each is a ParseError that names the file and says what it is."""
    with pytest.raises(ParseError, match=message) as raised:
        read(content)
    assert "report.html" in str(raised.value)


def test_a_huge_file_is_refused_before_it_is_read_through(read, monkeypatch):
    """More bytes than any report has, plain or packed: refused by its size."""
    from perfkit.sources.awr import report_file

    monkeypatch.setattr(report_file, "LIMIT", 1000)
    text = html(DATABASE, SNAPS, EVENTS).encode()
    for content in (text, gzip.compress(text)):
        with pytest.raises(ParseError, match="larger than any report"):
            read(content)


def test_text_in_another_encoding_is_read_and_told(read):
    """Names may suffer, figures are ASCII: Latin-1 with a warning, UTF-16 by its mark."""
    text = html(DATABASE, SNAPS, EVENTS).replace("ORA<", "ÖRA<")
    latin = read(text.encode("latin-1"))
    assert latin.report.frame["db_name"].to_list() == ["ÖRA"]
    assert any("is not UTF-8" in word for word in latin.evidence.warnings)
    assert read(text.encode("utf-16")).report.frame["db_name"].to_list() == ["ÖRA"]


STATSPACK = """
STATSPACK report for

Database    DB Id    Instance     Inst Num  Startup Time   Release     RAC
~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---
                  42 ora1                1 01-Jan-22 00:00 11.2.0.4.0  NO

Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment
~~~~~~~~    ---------- ------------------ -------- --------- ------------------
Begin Snap:          7 23-Jan-22 10:00:00       37       1.1
  End Snap:          8 23-Jan-22 11:00:00       37       1.1
   Elapsed:      60.00 (mins) Av Act Sess:       1.5
   DB time:      90.00 (mins)      DB CPU:      12.00 (mins)
{page}
Top 5 Timed Events                                                    Avg %Total
~~~~~~~~~~~~~~~~~~                                                   wait   Call
Event                                            Waits    Time (s)   (ms)   Time
----------------------------------------- ------------ ----------- ------ ------
db file sequential read                      1,000,000         759      1   40.0
CPU time                                                       720          38.0
          -------------------------------------------------------------

End of Report
"""


def test_statspack_text(read):
    """A blank cell is null, and the heading's own line holds words of the columns."""
    reading = read(STATSPACK.format(page=""), "sp.lst")
    assert reading.evidence.kind == "statspack"
    row = reading.report.frame.row(0, named=True)
    assert (row["db_name"], row["average_active_sessions"], row["db_cpu_s"]) == (None, 1.5, 720.0)
    events = {item["event"]: item for item in reading.top_events.frame.to_dicts()}
    assert events["CPU time"]["waits"] is None
    read_ = events["db file sequential read"]
    assert (read_["avg_wait_s"], read_["avg_wait_computed_s"]) == (0.001, 0.000759)
    assert read_["db_time_ratio"] == pytest.approx(0.4)


def test_page_headings_and_form_feeds_are_no_rows(read):
    """SQL*Plus's OUTPUT headings and a form feed before a title change nothing."""
    plain = read(STATSPACK.format(page=""), "a.lst")
    paged = STATSPACK.format(page="\n\f").replace(
        "db file sequential", "\nOUTPUT\n----------\ndb file sequential"
    ).replace("CPU time", "\nOUTPUT\n----------\nCPU time")  # fmt: skip
    assert read(paged, "b.lst").top_events.hash == plain.top_events.hash


def test_the_kind_is_told_by_the_head():
    """AWR, Statspack and fio are told apart by what they say at their beginning."""
    told = {name: source.sniff for name, source in parsers.SOURCES.items() if source.sniff}
    assert [name for name, sniff in told.items() if sniff(html(DATABASE))] == ["awr"]
    assert [name for name, sniff in told.items() if sniff(STATSPACK)] == ["statspack"]


def test_many_elements_without_an_end_are_no_depth(read):
    """Real reports leave <p>, <br> and <a name> open by the thousand; none of them nests."""
    loose = "<p><br><a name=x><hr>" * 5000
    reading = read(html(DATABASE, loose, SNAPS, EVENTS))
    assert reading.wait_events.frame["event"].to_list() == ["log file sync"]


def test_of_the_orders_of_segments_one_is_expected(read):
    expected = {
        item.name for item in read(html(DATABASE, SNAPS)).evidence.sections
        if item.name.startswith("segments_by")
    }  # fmt: skip
    assert expected == {"segments_by_physical_reads"}


def test_a_slot_of_no_length_is_no_slot_before_the_snapshot():
    lengths = [_length(_SLOT.fullmatch(f"10:00:00 ({n} secs)")) for n in ("0", "5", "-4")]
    assert lengths == [0.0, 5.0, None]


@pytest.mark.parametrize(
    ("printed", "month"),
    [
        ("12-Dec-23", 12), ("12-ДЕК-23", 12), ("12-Май-23", 5), ("12-2月 -23", 2),
        ("12-6월 -23", 6), ("12-JUIN-23", 6), ("12-JUIL.-23", 7), ("12-JUIL-23", 7),
        ("12-FÉVR.-23", 2),
    ],
)  # fmt: skip
def test_month_names_of_other_languages_are_known(printed, month):
    """In French juillet is no juin: three letters do not tell one from the other."""
    assert moment(f"{printed} 13:30:55") == datetime(2023, month, 12, 13, 30, 55)  # noqa: DTZ001


@pytest.mark.parametrize("printed", ["01:30:55 PM", "01:30 pm", "01:30:555"])
def test_a_time_that_is_not_of_24_hours_is_none(printed):
    assert moment(f"12-Dec-23 {printed}") is None
