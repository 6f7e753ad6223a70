"""Where a table of a page begins and ends, whatever was lost or hidden on its way."""

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


def test_both_ways_through_a_row_give_the_same_texts():
    """The regular expression and the HTML parser agree on what a row says."""
    inside = events().split(">", 1)[1]
    rows = html_rows.rows(inside, 1)
    parsed = [
        [text for _, _, text in row]
        for piece in inside.split("<tr")[2:]
        for row in html_rows._by_parser(piece)
    ]
    assert rows == parsed == [list(row) for row in ROWS]


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
