"""Where a table of a page begins and ends, whatever was lost or hidden on its way."""

import re

import pytest

from perfkit.core.errors import ParseError
from perfkit.sources.awr import html, html_rows, read_awr

HEAD = (
    "<html><head><title>AWR Report for DB: ORA</title></head><body><h1>WORKLOAD REPOSITORY "
    'report for</h1><table summary="This table displays database instance information"><tr>'
    "<th>DB Name</th><th>DB Id</th></tr><tr><td>ORA</td><td>42</td></tr></table>"
)
ROWS = (("db file sequential read", "1,000", "500"), ("log file sync", "7", "12"))
TITLES = ("Event", "Waits", "Total Wait Time (s)")


def cells(tag, texts):
    return "".join(f"<{tag} class='x'>{text}</{tag}>" for text in texts)


def events(rows=ROWS, attributes="", *, end="</table>"):
    lines = "".join(f"<tr>{cells('td', row)}</tr>\n" for row in rows)
    return (
        f'<table {attributes} summary="This table displays Foreground Wait Events and more"><tr>'
        f"{cells('th', TITLES)}</tr>\n{lines}{end}"
    )


@pytest.fixture
def read(tmp_path):
    def reader(body, end="End of Report</body></html>"):
        path = tmp_path / "report.html"
        path.write_text(HEAD + body + end)
        return read_awr(path)

    return reader


def waits(reading):
    frame = reading.wait_events.frame
    return list(zip(frame["event"], frame["waits"], frame["total_wait_s"], strict=True))


SAID = [("db file sequential read", 1000.0, 500.0), ("log file sync", 7.0, 12.0)]


@pytest.mark.parametrize(
    "body",
    [
        events(),
        events().upper().replace("DB FILE SEQUENTIAL READ", "db file sequential read").replace(
            "LOG FILE SYNC", "log file sync"),
        events(attributes='title="a > b"'),
        events(attributes="title='<table>'"),
        events().replace("<td class='x'>7", "<td title='x > 5 <b>' class='x'>7"),
        events().replace(">7<", "><a href='#x'><b>7</b></a><br/><"),
        events().replace(">7<", ">&#55;<").replace(">12<", ">&#160;12&nbsp;<"),
        events().replace("</td>", ""),
        events().replace("</tr>", ""),
        events().replace("</td>", "").replace("</tr>", ""),
        events().replace("</tr>\n<tr>", "</tr>\n<tbody><tr>", 1).replace("</table>",
                                                                         "</tbody></table>"),
        events().replace("\n", "\r\n"),
        f"<!-- {events((('hidden', '1', '1'),))} -->{events()}",
        events().replace("<td class='x'>7", "<!-- </table> --><td class='x'>7"),
        f"<script>document.write('{events((('hidden', '1', '1'),))}')</script>{events()}",
        f"<a title=\"{events((('hidden', '1', '1'),)).replace(chr(34), '')}\">x</a>{events()}",
        events().replace(">12</td>", "><table summary='latch'><tr><td>9</td></tr></table>12</td>"),
        events(end="") + "<h3>Latch</h3><table summary='latch statistics'><tr><td>1</td></table>",
    ],
    ids=["plain", "upper case", "quoted >", "quoted table", "quoted tags in a row", "markup",
         "references", "no </td>", "no </tr>", "no ends", "tbody", "CRLF", "comment",
         "comment in a row", "script", "attribute", "table in a cell", "no </table>"],
)  # fmt: skip
def test_the_rows_are_those_of_the_table(read, body):
    """However a row is written or damaged, its cells are the same, and hidden tables are none."""
    assert waits(read(body)) == SAID


def test_all_ways_through_the_rows_give_the_same_texts():
    """A table whose rows are alike, each row by itself, and the HTML parser."""
    inside = events().split(">", 1)[1].removesuffix("</table>")
    head = html_rows.header(inside)
    alike = html_rows._alike(inside[inside.index("</tr>") + 5 :], len(head.columns))
    parsed = [
        [text for _, _, text in row]
        for piece in inside.split("<tr")[2:]
        for row in html_rows._by_parser(piece)
    ]
    said = [list(row) for row in ROWS]
    assert alike == parsed == html_rows._each_row(inside, head.rows) == said
    assert html_rows.rows(inside, head) == said


CELLS = [f"<td class='x'>{text}</td>" for text in ("a", "1", "2", "b", "3", "4")]


@pytest.mark.parametrize(
    "rows",
    [
        "<tr>{0}{1}{2}{3}</tr>\n<tr>{4}{5}</tr>",
        "<tr>{0}{1}</tr>\n<tr>{2}{3}{4}{5}</tr>",
        "<tr>{0}{1}{2}</tr>\n<tr>{3}{4}{5}",
        "<tr>{0}{1}{2}</tr>\n {3}{4}{5}</tr>",
        "<tr>{0}{1}{2}{3}{4}{5}</tr>",
        "<tr>{0}{1}{2}</tr>\n<tr>{3}{4}<td>5 > 4</td></tr>",
        "<tr>{0}{1}{2}</tr>\n<tr>{3}{4}<td title='a>b'>4</td></tr>",
        "<tr>{0}{1}{2}</tr>\n<tr>{3}{4}<td title='<'>4</td></tr>",
        "<tr>{0}{1}{2}</tr>\n<tr>{3}{4}<tdx>4</td></tr>",
        "<tr>{0}{1}{2}</tr>\n<tr>{3}{4}<th>4</th></tr>",
        "<tr>{0}{1}{2}</tr>\n<tr>{3}{4}<td>4<td></tr>",
        "<tr>{0}{1}{2}</tr>\n<tr>{3}{4}<td>4<table></table></td></tr>",
    ],
)
def test_rows_that_are_not_alike_are_taken_each_by_itself(rows):
    """A cell that moved from one row into the next must not fill a gap there."""
    assert html_rows._alike(rows.format(*CELLS), 3) is None


def test_a_header_of_two_rows_ends_below_its_last_one_however_that_is_written():
    """A break in a name of the second row: the parser reads it, and it stays in the header."""
    inside = (
        "<tr><th></th><th colspan='2'>Reads</th></tr><tr><th>Event</th><th>per <br/>txn</th>"
        "<th>Time</th></tr><tr><td>a</td><td>1</td><td>2</td></tr>"
    )
    head = html_rows.header(inside)
    assert [(column.group, column.name) for column in head.columns] == [
        ("", "Event"), ("Reads", "per txn"), ("Reads", "Time"),
    ]  # fmt: skip
    assert html_rows.rows(inside, head) == [["a", "1", "2"]]


def test_rows_of_another_header_are_not_read_under_the_first():
    """As a browser saves pages: in capitals. Where a table ran into another of its width, the rows
    up to the second header are the first one's, and an empty row tells of the rest."""
    first = "<TR><TH>Event</TH><TH>Waits</TH></TR><TR><TD>a</TD><TD>1</TD></TR>"
    second = "<TR><TH>Event</TH><TH>Timeouts</TH></TR><TR><TD>b</TD><TD>2</TD></TR>"
    head = html_rows.header(first + second)
    assert html_rows.rows(first + second, head) == [["a", "1"], []]


def test_a_row_that_lost_its_beginning_stays():
    """Its cells stand behind those of the header, as a row by themselves."""
    head = "<TR><TH>Event</TH><TH>Waits</TH></TR>"
    inside = f"{head}<TD>a</TD><TD>1</TD></TR><TR><TD>b</TD><TD>2</TD></TR>"
    for table in (inside, inside.lower()):
        assert ["b", "2"] in html_rows.rows(table, html_rows.header(table))
        assert html_rows.rows(table, html_rows.header(table)) != [["b", "2"]]


def test_an_empty_cell_without_an_end_needs_no_parser():
    """Browsers save Exadata's empty cells so; a cell with a text that lost its end goes on."""
    piece = ">\n<TD>\n<TD class=exa>{}<TD>3</TD></TR>"
    empty, lost = piece.format("cel01</TD>"), piece.format("cel01")
    assert html_rows._found(empty) is not None
    for row in (empty, lost):
        parsed = [tuple(text for _, _, text in cells) for cells in html_rows._by_parser(row)]
        found = [tuple(text for _, _, text in cells) for cells in html_rows._cells(row)]
        assert found == parsed == [("", "cel01", "3")]


def test_what_is_hidden_to_the_end_is_told(read):
    """A comment without an end hides what follows it, as in a browser: the warning has the line."""
    reading = read(events() + "\n<!-- " + events((("hidden", "1", "1"),)))
    assert waits(reading) == SAID
    assert any("a comment without an end hides" in text for text in reading.evidence.warnings)


def test_headings_name_the_tables_after_them(read):
    """A table without a summary is known by its heading, also after one that lost its end."""
    plain = events().replace(' summary="This table displays Foreground Wait Events and more"', "")
    lost = "<table summary='latch'><tr><td>1</td></tr>"
    for before in ("", lost, lost.replace("</td></tr>", "")):
        assert waits(read(f"{before}<h3>Foreground Wait Events</h3>{plain}")) == SAID


def test_more_tables_than_any_report_has_are_refused(read, monkeypatch):
    """Their number is bounded: each costs memory."""
    monkeypatch.setattr(html, "_MOST", 10)
    with pytest.raises(ParseError, match="more than 10 tables"):
        read("<table></table>" * 10)


def exadata(rows, summary="This table displays the top cells by IOPs"):
    """Exadata's cells: each average spans two cells, of which the first may hold a mark."""
    groups = "".join(f'<th colspan="{n}">{name}</th>' for name, n in (("IOPs", 3), ("IO MB/s", 2)))
    names = (
        "<th>Disk Type</th><th>Cell Name</th><th>%Total</th><th colSpan=2>Avg</th>"
        "<th colspan=2>Avg</th>"
    )
    return (
        f'<table summary="{summary}"><tr><td></td><td></td>{groups}</tr><tr>{names}</tr>'
        f"{''.join(rows)}</table>"
    )


PLAIN = "<tr><td>F/2.9T</td><td>cell01</td><td>33.4</td><td colspan=2>17.5</td><td colSpan=2>2.0"
MARKED = (
    "<tr><td></td><td>cell02</td><td>33.3</td><td>*</td><td>19.5</td><td colspan=2>3.0</td></tr>"
)


def disks(reading):
    frame = reading.cell_disks.frame
    return frame.select("disk_type", "cell", "iops", "bw_bytes_per_s").rows()


def test_a_column_wider_than_a_cell_is_told_by_its_place(read):
    """A mark of an outlier stands in a cell of its own before the value: no value is another's."""
    reading = read(exadata([f"{PLAIN}</td></tr>", MARKED]))
    assert disks(reading) == [
        ("F/2.9T", "cell01", 17.5, 2 * 1024**2),
        ("F/2.9T", "cell02", 19.5, 3 * 1024**2),
    ]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (MARKED.replace("<td>*</td>", ""), "a row of it is damaged"),
        (MARKED.replace("<td>*</td><td>19.5</td>", ""), "a row of it is damaged"),
        (MARKED.replace("<td></td><td>cell02", "<td>H/7.2T</td><td>"), "names no cell"),
        (MARKED.replace("cell02", ""), "two rows of it have one name"),
        (MARKED.replace("cell02", "cell01"), "two rows of it have one name"),
    ],
)
def test_no_row_of_cells_is_taken_for_anothers(read, row, why):
    """What stands below a lost name or row could be another disk's: nothing of it is read."""
    reading = read(exadata([f"{PLAIN}</td></tr>", row]))
    assert disks(reading) == []
    (section,) = [item for item in reading.evidence.sections if item.name == "cell_os_requests"]
    assert section.status == "unparsed"
    assert why in section.reason


def test_cells_of_several_tables_stand_in_one_row(read):
    """Requests of one table and times of another are of one disk; a cell that one lacks is null."""
    times = (
        '<table summary="This table displays the top cells by Wait time"><tr><td></td><td></td>'
        '<th colspan="2">Average Times</th></tr><tr><th>Disk Type</th><th>Cell Name</th>'
        "<th>Service Time</th><th>Wait Time</th></tr><tr><td>F/2.9T</td><td>cell02</td>"
        "<td>22.33us</td><td>1.50ms</td></tr></table>"
    )
    reading = read(exadata([f"{PLAIN}</td></tr>", MARKED]) + times)
    frame = reading.cell_disks.frame
    assert frame.select("cell", "iops", "wait_avg_s").rows() == [
        ("cell01", 17.5, None), ("cell02", 19.5, 0.0015),
    ]  # fmt: skip


def disk_times(rows, span=10, service="Service Time"):
    """Disks by wait time, as Exadata prints them: the group is wider than its columns."""
    return (
        '<table summary="This table displays the top disks by wait time"><tr><td/><td/><td/>'
        f'<th colspan="{span}">Average Times</th></tr><tr><th>Disk Type</th><th>Cell Name</th>'
        f"<th>Disk Name</th><th>{service}</th><th>Wait Time</th></tr>{rows}</table>"
    )


DISK = "<tr><td>H/8T</td><td>cell01</td><td>CD_00</td><td>633.70us</td><td>2.13ms</td></tr>"


def test_one_group_wider_than_its_columns_is_no_damage(read):
    """Single disks of Exadata; a row that is not as wide as the header is read as no other's."""
    frame = read(disk_times(DISK)).cell_single_disks.frame
    assert frame.select("disk", "service_avg_s", "wait_avg_s").rows() == [
        ("CD_00", pytest.approx(0.0006337), 0.00213)
    ]
    for damaged in (
        disk_times(DISK.replace("<td>633.70us</td>", "")),
        disk_times(DISK, service="x").replace("<th>x</th>", ""),
        disk_times(DISK, span=1),
        disk_times(DISK * 2),
    ):
        assert len(read(damaged).cell_single_disks) == 0


def test_a_column_of_names_and_values_is_a_row_of_the_cluster_tables(read):
    """Latencies of one instance's global cache; what is blank is null, what is strange is told."""
    rows = "".join(
        f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in (
            ("Avg global cache cr block receive time (us):", "913.5"),
            ("Avg global cache current block receive time (ms):", "0.2"),
            ("Avg global cache cr block flush time (us):", "&#160;"),
            ("Global cache log flushes for cr blocks served %:", "14.3"),
            ("Avg LMS process busy %:", "many"),
            ("Avg of another thing (us):", "7"),
        )
    )  # fmt: skip
    summary = "This table displays workload characteristics for global cache and enqueue services"
    reading = read(f'<table summary="{summary}">{rows}</table>')
    (row,) = reading.cache_latency.frame.to_dicts()
    assert row["cr_receive_avg_s"] == pytest.approx(0.0009135)
    assert row["current_receive_avg_s"] == pytest.approx(0.0002)
    assert (row["cr_flush_avg_s"], row["lms_busy_ratio"]) == (None, None)
    assert row["cr_log_flush_ratio"] == pytest.approx(0.143)
    told = " ".join(reading.evidence.warnings)
    assert "'Avg of another thing (us):' is not known" in told
    assert "many" in told


def test_a_class_of_a_service_keeps_what_is_left_of_its_two_columns(read):
    """One column of a wait class was damaged: the other stays, and nothing takes its place."""
    table = (
        '<table summary="This table displays service wait class statistics"><tr>'
        "<th>Service Name</th><th>User I/O Total Wts</th><th>User I/O Wt Time</th>"
        "<th>Network Total Wts</th><th>Nxtwork Wt Time</th></tr>"
        "<tr><td>shop</td><td>7</td><td>2</td><td>5</td><td>3</td></tr></table>"
    )
    frame = read(table).service_waits.frame
    assert frame.select("wait_class", "waits", "total_wait_s").rows() == [
        ("User I/O", 7.0, 2.0), ("Network", 5.0, None),
    ]  # fmt: skip


def test_a_table_whose_beginning_was_lost_is_named_with_the_line_of_its_end(read):
    body = f"<p>a</p>\n<p>b</p>\n<tr><td>1</td></tr>\n</table>\n{events()}"
    plain = read(f"<p>a</p>\n<p>b</p>\n{events()}")
    found = read(body)
    assert waits(found) == waits(plain)
    (told,) = [text for text in found.evidence.warnings if "whose beginning was lost" in text]
    (line,) = re.findall(r"line (\d+): a table ends", told)
    assert (HEAD + body).split("\n")[int(line) - 1] == "</table>"
