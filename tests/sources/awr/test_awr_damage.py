"""One lost tag, quote, line or cell: a number stays in its column, or is null, and it is told."""

from __future__ import annotations

import itertools
import re
from random import Random

import pytest
from forges import awr
from forges.awr import text_damage
from forges.awr.damage import KINDS, damaged, frames, moved

from perfkit.core.errors import ParseError
from perfkit.sources.awr import read_awr
from perfkit.sources.awr.text import _columns
from perfkit.sources.awr.text_places import _cut, _edge, _score, misaligned

HTML = ("html-19c", "html-11.2", "rac-19c", "rac-11.2")
TEXT = ("text-12.1", "text-19c", "statspack", "rac-text")
EVENTS = "Foreground Wait Events"


def small(dialect):
    """A small content."""
    count = 3 if dialect in awr.MANY else 1
    return awr.sample(
        4819, instances=count, cdb=dialect == "html-pdb", narrow=dialect in awr.NARROW,
        statements=2, few=True,
    )  # fmt: skip


@pytest.mark.parametrize("dialect", HTML)
def test_no_single_damage_moves_a_number(dialect, tmp_path):
    """Every kind of damage, at random places: each value is the undamaged one, or null."""
    data = awr.forge(small(dialect), dialect).data
    path = tmp_path / "report.html"
    path.write_bytes(data)
    whole = frames(read_awr(path, root=tmp_path))
    random = Random(dialect)
    for kind in KINDS * 3:
        path.write_bytes(damaged(data, kind, random))
        try:
            reading = read_awr(path, root=tmp_path)
        except ParseError:
            continue
        assert list(moved(whole, without_block_size(frames(reading)))) == [], kind


def without_block_size(rows):
    """Where the table with the block size is lost, another one's is taken."""
    for row in rows["report"]:
        row["block_size_bytes"] = None
    return rows


def events(folder, change):
    """The foreground events of a report in whose table a change was made, and the warnings."""
    page = awr.forge(awr.sample(7), "html-19c").data.decode()
    start = page.index("<table", page.index(f">{EVENTS}</h3>"))
    end = page.index("</table>", start)
    path = folder / "report.html"
    path.write_text(page[:start] + change(page[start:end]) + page[end:])
    reading = read_awr(path, root=folder)
    rows = reading["wait_events"].frame.to_dicts()
    return [row for row in rows if row["scope"] == "foreground"], reading.evidence


def test_instances_of_two_releases_have_none_in_common_and_it_is_told(tmp_path):
    """By hand: the first instance of a cluster is of another release than the two others."""
    page = awr.forge(small("rac-text"), "rac-text").data.decode()
    path = tmp_path / "report.txt"
    path.write_text(page.replace("11.2.0.3.0", "11.2.0.4.0", 1))
    reading = read_awr(path, root=tmp_path)
    assert reading.report.frame["release"].to_list() == [None]
    told = "release: the instances have 11.2.0.3.0 and 11.2.0.4.0; null"
    assert told in reading.evidence.warnings


def test_a_row_with_a_cell_too_few_is_left_out_and_named(tmp_path):
    """The second cell of the third row: those behind it move to the left."""
    whole, _ = events(tmp_path, str)

    def cut(table):
        rows = table.split("<tr>")
        rows[4] = re.sub(r"(</td>)<td .*?</td>", r"\1", rows[4], count=1)
        return "<tr>".join(rows)

    rows, evidence = events(tmp_path, cut)
    assert rows == [*whole[:2], *whole[3:]]
    told = [text for text in evidence.warnings if EVENTS in text]
    assert len(told) == 1
    assert "row 3: 6 cells below 7 columns" in told[0]
    assert told[0].endswith("left out")


def test_a_header_with_a_name_too_few_makes_the_section_unparsed(tmp_path):
    """No cell can be told from its neighbour: none is read, and the section says so."""
    rows, evidence = events(
        tmp_path, lambda table: re.sub(r"(</th>)<th .*?</th>", r"\1", table, count=1)
    )
    assert rows == []
    part = next(part for part in evidence.sections if part.name == "foreground_wait_events")
    assert part.status == "unparsed"


def test_of_two_columns_of_one_name_the_second_is_not_taken_for_the_first(tmp_path):
    """The name of "Data per sec" of reads is lost: that of writes is not theirs."""
    page = awr.forge(small("html-19c"), "html-19c").data.decode()
    start = page.index("Filetype Name</th>")
    head = re.sub(r"Data\s+per sec</th>", "</th>", page[start:], count=1)
    path = tmp_path / "report.html"
    path.write_text(page[:start] + head)
    reading = read_awr(path, root=tmp_path)
    assert reading["io_by_filetype"].frame.height == 0
    (section,) = [part for part in reading.evidence.sections if part.name == "io_by_filetype"]
    assert "a column lost its name where two have one" in section.reason


def test_a_table_that_runs_into_the_next_ends_at_its_header(tmp_path):
    """A lost quote hides the beginning of the next table, of the same width."""
    whole, _ = events(tmp_path, str)

    def joined(table):
        head, rest = table.split("<tr>", 2)[1:]
        return f"{table}<tr>{head}<tr>{rest}"

    rows, evidence = events(tmp_path, joined)
    assert rows == whole
    assert any("another header begins here" in text for text in evidence.warnings)


def test_a_value_is_no_name_of_an_efficiency(tmp_path):
    """A lost quote makes one cell of two: the value behind it stood where a name does."""
    path = tmp_path / "report.html"
    page = awr.forge(small("html-19c"), "html-19c").data
    path.write_bytes(page)
    whole = read_awr(path, root=tmp_path)["efficiency"].frame.to_dicts()
    start = page.index(b"Buffer  Hit")
    begin = page.rindex(b"<td", 0, start)
    row = page[begin:start].replace(b'scope="row"', b'scope="row')
    path.write_bytes(page[:begin] + row + page[start:])
    reading = read_awr(path, root=tmp_path)
    found = reading["efficiency"].frame.to_dicts()
    assert len(found) < len(whole)
    assert all(row in whole for row in found)
    assert any("is not known; left out" in text for text in reading.evidence.warnings)


def test_a_text_row_that_left_its_columns_is_left_out_and_named(tmp_path):
    """Blanks before a number are lost: what follows stands under other headings."""
    data = awr.forge(awr.sample(7, narrow=True), "text-12.1").data
    path = tmp_path / "report.txt"
    path.write_bytes(data)
    whole = read_awr(path, root=tmp_path)["io_by_file"].frame.to_dicts()
    lines = data.decode().split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(("File IO", "\fFile IO")))
    numbers = re.compile(r" +[\d,]+ +[\d,]+ +[\d.]+ ")
    place = next(n for n in range(start, len(lines)) if numbers.match(lines[n]))
    first, rest = re.match(r"( +[\d,]+)(.*)", lines[place]).groups()
    lines[place] = first + rest[9:]
    path.write_text("\n".join(lines))
    reading = read_awr(path, root=tmp_path)
    rows = reading["io_by_file"].frame.to_dicts()
    assert len(rows) == len(whole) - 1
    assert all(row in whole for row in rows)
    assert any("do not stand where its columns are" in text for text in reading.evidence.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", TEXT)
def test_no_single_damage_moves_a_number_of_a_text_without_a_word(dialect, tmp_path):
    """Every kind of damage in titles, headers, rulers and rows: told, or each value as it was."""
    data = awr.forge(small(dialect), dialect).data
    path = tmp_path / "report.txt"
    path.write_bytes(data)
    reading = read_awr(path, root=tmp_path)
    whole = (frames(reading), reading.evidence)
    random = Random(dialect)
    for kind, area in itertools.islice(text_damage.every(), 44):
        page, damage = text_damage.damaged(data, kind, area, random)
        path.write_bytes(page)
        try:
            reading = read_awr(path, root=tmp_path)
        except ParseError:
            continue
        found = (frames(reading), reading.evidence)
        assert list(text_damage.silent(whole, found, damage)) == [], damage


@pytest.fixture
def changed(tmp_path):
    """A reader of a text report in which the lines of one part were changed."""

    def reader(dialect, change):
        data = awr.forge(awr.sample(7, narrow=True), dialect).data.decode()
        path = tmp_path / "report.txt"
        path.write_text("\n".join(change(data.split("\n"))))
        return read_awr(path, root=tmp_path)

    return reader


def at(lines, begin):
    """The first line that begins so, form feed or not."""
    return next(n for n, line in enumerate(lines) if line.lstrip("\f").startswith(begin))


def without(begin, offset=0, count=1):
    """A change that takes lines away, from one at a distance from that which begins so."""

    def change(lines):
        place = at(lines, begin) + offset
        return lines[:place] + lines[place + count :]

    return change


def status(reading, name):
    """What became of a section, and why."""
    part = next(part for part in reading.evidence.sections if part.name == name)
    return part.status, part.reason or ""


@pytest.mark.parametrize("dialect", ["text-12.1", "statspack"])
def test_a_table_whose_title_is_lost_is_not_of_the_table_above(dialect, changed):
    """Foreground and background events have one header in Statspack: the title alone tells them."""
    scopes = changed(dialect, without("Background Wait Events"))["wait_events"].frame["scope"]
    assert "background" not in scopes.to_list()
    whole = changed(dialect, list)["wait_events"].frame["scope"].to_list()
    assert scopes.to_list().count("foreground") == whole.count("foreground") > 0


def test_a_title_that_lost_a_word_is_not_the_title_of_another_table(changed):
    """Without its first word Foreground Wait Events is a title of 10g, whose header is another."""
    reading = changed(
        "statspack",
        lambda lines: [line.replace("Foreground Wait Events", "Wait Events") for line in lines],
    )
    assert "foreground" not in reading["wait_events"].frame["scope"].to_list()
    assert status(reading, "wait_events")[0] == "unparsed"


@pytest.mark.parametrize("offset", [4, 5, 6])
def test_a_header_that_lost_a_line_leaves_its_section_unread(offset, changed):
    """Total / Wait / Time (s): any of its lines, and what is left is none of the known headers."""
    reading = changed("text-12.1", without(EVENTS, offset))
    found, reason = status(reading, "foreground_wait_events")
    assert found == "unparsed"
    assert re.search(r"line 1\d\d: ", reason)


def test_a_table_that_lost_its_ruler_is_unread_and_not_empty(changed):
    """Without the line of dashes no row is cut into cells: the section is not told as empty."""
    found, reason = status(changed("text-12.1", without(EVENTS, 7)), "foreground_wait_events")
    assert (found, "no line of dashes" in reason) == ("unparsed", True)


def test_a_column_whose_name_alone_is_not_known_is_null(changed):
    """One name of seven says nothing: its column is not read, the others are."""

    def renamed(lines):
        place = at(lines, EVENTS)
        return [
            line.replace("wait (ms)", "wa?t (ms)") if 0 < n - place < 8 else line
            for n, line in enumerate(lines)
        ]

    whole, reading = changed("text-12.1", list), changed("text-12.1", renamed)
    rows, good = (
        [row for row in each["wait_events"].frame.to_dicts() if row["scope"] == "foreground"]
        for each in (reading, whole)
    )
    assert rows == [{**row, "avg_wait_s": None} for row in good]
    assert any("column 'Avg wa?t (ms)' is not known" in text for text in reading.evidence.warnings)


def test_a_row_that_is_printed_twice_counts_once(changed):
    """The second is left out, and the place of the others in the list is not known."""

    def twice(lines):
        place = at(lines, "Top 10 Foreground") + 5
        return [*lines[: place + 1], *lines[place:]]

    whole = changed("text-12.1", list)["top_events"].frame
    rows = changed("text-12.1", twice)["top_events"].frame
    assert rows.drop("rank").equals(whole.drop("rank"))
    assert rows["rank"].null_count() == rows.height


def test_rows_out_of_their_order_have_no_rank(changed):
    """Top events stand in the order of their time: two that do not were swapped."""

    def swapped(lines):
        place = at(lines, "Top 10 Foreground") + 5
        return [*lines[:place], lines[place + 1], lines[place], *lines[place + 2 :]]

    rows = changed("text-12.1", swapped)["top_events"].frame
    assert rows["rank"].null_count() == rows.height


@pytest.mark.parametrize(
    ("damage", "kept"),
    [((r" +[\d.]+( \w{13})$", r"\1"), True), ((r"\w( \w{13})$", r"x\1"), False)],
    ids=["cell", "number"],
)
def test_a_damaged_line_of_a_statement_is_not_the_text_of_the_one_above(damage, kept, changed):
    """A statement whose id can be read keeps its text, without numbers; another is left out."""

    def cut(lines):
        place = at(lines, "SQL ordered by Gets")
        rows = [n for n in range(place, len(lines)) if re.match(r" +[\d,]+ +[\d,]+ ", lines[n])]
        lines[rows[1]] = re.sub(*damage, lines[rows[1]])
        return lines

    def gets(reading):
        return [row for row in reading["sql"].frame.to_dicts() if row["ordered_by"] == "gets"]

    whole, rows = gets(changed("text-12.1", list)), gets(changed("text-12.1", cut))
    expected = whole if kept else [whole[0], *whole[2:]]
    assert [row["text"] for row in rows] == [row["text"] for row in expected]
    assert [row["rank"] for row in rows] == [None] * len(rows)
    assert not kept or rows[1]["buffer_gets"] is None
    assert rows[0]["buffer_gets"] == whole[0]["buffer_gets"]


def test_shares_of_a_histogram_that_do_not_add_up_are_left_out(changed):
    """Its columns are of one width: behind a lost cell all stand one bucket too low."""

    def cut(lines):
        place = at(lines, "Wait Event Histogram")
        rows = [n for n in range(place, len(lines)) if len(re.findall(r" +\d*\.\d", lines[n])) > 2]
        lines[rows[0]] = re.sub(r" +\d*\.\d", "", lines[rows[0]], count=1)
        return lines

    def events(reading):
        frame = reading["event_histogram"].frame
        return set(frame.filter(frame["range"] == "all")["event"])

    reading = changed("text-12.1", cut)
    assert len(events(changed("text-12.1", list)) - events(reading)) == 1
    assert any("Wait Event Histogram" in text for text in reading.evidence.warnings)


@pytest.mark.parametrize("dialect", ["text-12.1", "statspack"])
def test_a_text_report_cut_in_its_head_is_read_or_refused(dialect, tmp_path):
    """Cut behind each line of the summary: the last line makes no row, and nothing else breaks."""
    lines = awr.forge(awr.sample(7, narrow=True), dialect).data.splitlines(keepends=True)
    path = tmp_path / "cut.txt"
    read = 0
    for end in range(20, 110, 2):
        path.write_bytes(b"".join(lines[:end]) + lines[end][:30])
        try:
            read += any("cut off" in text for text in read_awr(path).evidence.warnings)
        except ParseError:
            continue
    assert read > 10


@pytest.mark.parametrize(
    ("name", "rest", "cut"),
    [
        ("redo blocks checksummed by F", "     12", True),
        ("redo blocks checksummed by:", "      12", False),  # its end is there
        ("redo blocks checksummed 1024", "     12", False),  # a size ends it
        ("redo blocks checksummed", "         12", False),  # short of the column's end
    ],
)
def test_a_name_is_cut_off_where_it_fills_its_column(name, rest, cut):
    """Cut names may be the same in several rows."""
    line = f"{name}{rest}"
    assert _cut(line, (0, len(name)), (0, 28)) is cut


@pytest.mark.parametrize(("row", "lost"), [("Other         10", True), ("Other", False)])
def test_the_last_cell_of_a_row_is_lost_where_another_stands_before_it(row, lost):
    """What stood behind the lost one may have moved to its place; a name has moved nothing."""
    lines = ["Reads         10      20", row, "Total         70      60"]
    spans = [(0, 8), (9, 16), (17, 24)]
    assert misaligned(lines, spans, ruled=True, full=frozenset({1, 2})) == [False, lost, False]


@pytest.mark.parametrize(
    ("held", "most", "score"), [(0, 1, 0), (1, 1, 1), (1, 2, 2), (3, 2, 3), (0, 4, 4)]
)
def test_an_edge_of_a_column_is_what_several_rows_keep_to(held, most, score):
    """That of the ruler counts from the first cell, another one from two rows on."""
    assert _score(held, most) == (score, held)


@pytest.mark.parametrize(
    ("cells", "span", "ruled", "edge"),
    [
        ([(10, 14), (10, 14)], (10, 14), False, (1, {13, 14})),  # as wide as the column: numbers
        ([(10, 12), (11, 14), (13, 14)], (10, 14), False, (1, {13, 14})),
        ([(10, 12), (10, 13), (10, 14)], (10, 14), False, (0, {10, 11})),
        ([(12, 16), (14, 16)], (10, 14), False, (1, {13, 14, 16})),  # two beyond the ruler
        ([(12, 16), (14, 16)], (10, 14), True, (1, {13, 14})),
        ([(0, 3), (1, 7), (2, 5), (2, 9)], (0, 6), False, (0, {0, 1, 2})),  # half keep to it
        ([(0, 3), (1, 7), (3, 5), (4, 9), (3, 4)], (0, 6), False, None),  # labels anywhere
        ([], (10, 14), False, None),
    ],
)
def test_the_edge_of_a_column_is_where_most_of_its_cells_end(cells, span, ruled, edge):
    """The right one where both fit: numbers are set to the right."""
    found = _edge(cells, span, ruled=ruled)
    assert found == (edge and (edge[0], frozenset(edge[1])))


def test_a_name_over_several_columns_leaves_the_words_beside_it_in_place():
    header = ["      --- Wait ---  Total", "Name   Count  Time   Time"]
    columns = _columns(header, [(0, 5), (7, 12), (13, 18), (19, 25)])
    assert [(column.group, column.name) for column in columns] == [
        ("", "Name"), ("Wait", "Count"), ("Wait", "Time"), ("", "Total Time"),
    ]  # fmt: skip


def test_a_nul_in_a_report_is_named_with_its_line(tmp_path):
    lines = awr.forge(awr.sample(4819), "html-19c").data.split(b"\n")
    lines[6] += b"\0"
    path = tmp_path / "awr.html"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ParseError, match=r"awr\.html:7: a binary file, .* a NUL here"):
        read_awr(path)
