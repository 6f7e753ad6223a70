"""Forms of tables that single releases print: each read, or left out with a reason."""

import re

import pytest
from forges import awr
from forges.awr import text_damage
from forges.awr.damage import frames

from perfkit.sources.awr import read_awr
from perfkit.sources.awr.text import tables


@pytest.fixture
def changed(tmp_path):
    """A reader of a forged report in whose text a change was made."""

    def read(dialect, change, **options):
        content = awr.sample(7, narrow=dialect in awr.NARROW, **options)
        path = tmp_path / "report"
        path.write_text(change(awr.forge(content, dialect).data.decode()))
        return read_awr(path, root=tmp_path)

    return read


def outcome(reading, name):
    """What became of a section."""
    return next(part.status for part in reading.evidence.sections if part.name == name)


HOST_11 = """\
\fHost CPU (CPUs:   32 Cores:   16 Sockets:    2)
~~~~~~~~         Load Average
               Begin       End     %User   %System      %WIO     %Idle
           --------- --------- --------- --------- --------- ---------
                2.96     70.57      11.5      10.7      33.9      77.7
"""


def test_host_cpu_of_11_2_stands_below_the_top_events_without_a_blank_line(changed):
    def old(page):
        page = re.sub(r"Host CPU\n~+ .*\n.*\n[- ]+\n.*\n", "", page)
        return re.sub(r"\n\n(Wait Classes by Total)", rf"\n{HOST_11}\n\1", page)

    reading = changed("text-12.1", old)
    (row,) = reading["host_cpu"].frame.to_dicts()
    assert (row["cpus"], row["cores"], row["sockets"]) == (32, 16, 2)
    assert (row["load_average_begin"], row["load_average_end"]) == (2.96, 70.57)
    assert (row["user_ratio"], row["idle_ratio"]) == pytest.approx((0.115, 0.777))
    assert (
        reading["top_events"].frame.height == changed("text-12.1", str)["top_events"].frame.height
    )


PARAMETERS = """\
init.ora Parameters                        DB/Inst: ORA/ora1  Snaps: 7-8

                                                                End value
Parameter Name                Begin value                       (if different)
----------------------------- --------------------------------- --------------
cursor_sharing                TRUE
db_block_size                 8192
db_files                      5000
db_name                       ORA
processes                     1000
resource_manager_plan
          ------------------------------------------------------
"""


def test_words_among_parameters_that_are_mostly_numbers_are_no_damage():
    (table,) = [each for each in tables(PARAMETERS, cut=False) if each.title]
    assert [row[1] for row in table.aligned] == ["TRUE", "8192", "5000", "ORA", "1000", ""]
    assert table.broken == {}


def test_a_text_in_the_last_column_may_be_wider_than_its_ruler():
    page = PARAMETERS.replace(
        "resource_manager_plan\n", f"resource_manager_plan{'':43}A_LONG_NAME_OF_A_PLAN\n"
    )
    (table,) = [each for each in tables(page, cut=False) if each.title]
    assert table.aligned[-1] == ["resource_manager_plan", "", "A_LONG_NAME_OF_A_PLAN"]
    assert table.broken == {}


def test_statistics_whose_names_were_cut_off_alike_are_all_kept(changed):
    """Statspack prints several rows under one cut name: none stands for the others."""
    name = "physical read total multi block r"
    rows = "".join(f"{name:<33} {total:>18,} {0:>14.1f} {0:>12.1f}\n" for total in (0, 27074, 0))
    reading = changed(
        "statspack",
        lambda page: re.sub(r"(Statistic +Total.*\n[- ]+\n)", lambda m: m[1] + rows, page, count=1),
    )
    frame = reading["instance_activity"].frame
    assert frame.filter(frame["statistic"] == name)["total"].to_list() == [0, 27074, 0]


def test_a_key_statistic_stands_once_though_two_sections_have_it(changed):
    def keyed(page):
        start = page.index("Instance Activity Stats")
        title, notes, blank, *rows = page[start:].split("\n")
        title = f"Key {title[:-5]}{title[-5:]}"
        return page[:start] + "\n".join([title, notes, blank, *rows[:4], " " * 20 + "-" * 50, "",
                                         page[start:]])  # fmt: skip

    frame = changed("text-12.1", keyed)["instance_activity"].frame
    assert frame.equals(changed("text-12.1", str)["instance_activity"].frame)


def test_an_end_of_a_section_behind_its_last_row_is_no_cell_of_it():
    page = PARAMETERS.replace("resource_manager_plan\n", f"processes_min{'':17}5{'':20}")
    (table,) = [each for each in tables(page, cut=False) if each.title]
    assert table.aligned[-1] == ["processes_min", "5", ""]


SEGMENTS = """\
Segments by Logical Reads                  DB/Inst: ORA/ora1  Snaps: 7-8

                     Tablespace
Owner                   Name
-------------------- ----------
                     Subobject  Obj.                             Logical
Object Name            Name     Type        Obj#   Dataobj#        Reads  %Total
-------------------- ---------- ----- ---------- ---------- ------------ -------
SYS                  SYSTEM
I_OBJ1                          INDEX         36         36        1,328   17.89
   PDB: SALES
APP                  USERS
ORDERS               P_1        TABLE      73139      73139        1,104   14.87
APP                  USERS
ITEMS                           TABLE      73140      73140          272    1.00
   PDB: STOCK
                          ------------------------------------------------------
"""


def test_a_pluggable_database_below_a_row_belongs_to_it():
    (table,) = [each for each in tables(SEGMENTS, cut=False) if each.title]
    assert table.columns[-1].name == "PDB Name"
    kept = [(row[2], row[7], row[-1]) for row in table.aligned]
    assert kept == [
        ("I_OBJ1", "1,328", "SALES"),
        ("ORDERS", "1,104", ""),
        ("ITEMS", "272", "STOCK"),
    ]


def test_a_parameter_of_a_pluggable_database_is_no_second_parameter():
    page = PARAMETERS.replace("8192\n", "8192\n   PDB: SALES\n")
    (table,) = [each for each in tables(page, cut=False) if each.title]
    assert [(row[0], row[-1]) for row in table.aligned][:3] == [
        ("cursor_sharing", ""), ("db_block_size", "SALES"), ("db_files", ""),
    ]  # fmt: skip


def test_a_file_type_without_one_of_its_times_lost_it_where_no_blank_is_printed(changed):
    """Up to 12.1 N/A stands there; without it, the second time would be the first."""
    lost = changed("text-12.1", lambda page: page.replace("    52.0   390.8\n", "   390.8\n"))
    assert "Data File" not in lost["io_by_filetype"].frame["filetype"]
    assert "Log File" in lost["io_by_filetype"].frame["filetype"]
    frame = changed("text-19c", str)["io_by_filetype"].frame
    blank = frame.filter(frame["filetype"] == "Control File").row(0, named=True)
    assert (blank["small_read_s"], blank["large_read_s"]) == (95e-6, None)


def test_a_cell_that_every_row_has_is_lost_where_it_is_blank(changed):
    """Each service has a DB time: one without is null and named, and the others stay."""

    def lose(page):
        found = re.search(r"\nSYS\$USERS +[\d,]+", page)
        return page.replace(found[0], "\nSYS$USERS".ljust(len(found[0])))

    reading = changed("text-19c", lose)
    times = dict(reading["services"].frame.select("service", "db_time_s").rows())
    whole = dict(changed("text-19c", str)["services"].frame.select("service", "db_time_s").rows())
    assert times == {**whole, "SYS$USERS": None}
    assert any("'DB Time (s)'" in text and "nothing is printed" in text
               for text in reading.evidence.warnings)  # fmt: skip


SYSTEM = ("SYSTEM", 75670.0, 93.0, 3064546.0, 3769.0, 476873.0, 0.0002)


@pytest.mark.parametrize(
    ("old", "new", "row", "warning"),
    [
        ("3,064,546 ", "3,164,546 ", (*SYSTEM[:3], None, None, None, None),
         "row 1, column 'writes': 3.16455e+06 in 813 s are not 3769 per second; null"),
        ("3,064,546 ", "3,074,546 ", (*SYSTEM[:3], 3074546.0, *SYSTEM[4:]), None),  # within 1%
        ("     75,670 ", "     85,670 ", (SYSTEM[0], None, None, *SYSTEM[3:]),
         "row 1, column 'reads': 85670 in 813 s are not 93 per second; null"),
        ("476,873        0.2", "476,873           ", (*SYSTEM[:5], None, None),
         "row 1, column 'Buffer Waits': waits without their mean time; null"),
    ],
)  # fmt: skip
def test_what_the_rates_of_a_tablespace_contradict_was_lost(old, new, row, warning, changed):
    """75,670 reads in 813 s are 93 a second: of another count a digit, or a cell, was lost."""
    reading = changed("text-12.1", lambda page: page.replace(old, new, 1))
    names = ("tablespace", "reads", "read_iops", "writes", "write_iops", "buffer_waits",
             "buffer_wait_avg_s")  # fmt: skip
    rows = reading["io_by_tablespace"].frame.select(names).rows()
    whole = changed("text-12.1", str)["io_by_tablespace"].frame.select(names).rows()
    assert whole[0] == SYSTEM
    assert rows == [row, *whole[1:]]
    told = [text for text in reading.evidence.warnings if "Tablespace IO Stats" in text]
    assert [text.split("), ")[-1] for text in told] == ([warning] if warning else [])


@pytest.mark.parametrize(
    "old",
    ["UNDOTBS1\n",
     "    197,439         243        0.1        1.0           7        0.5    0.0\n"],
)  # fmt: skip
def test_numbers_without_their_name_are_of_no_tablespace(old, changed):
    """Of what follows it is not certain which name is whose."""
    reading = changed("text-12.1", lambda page: page.replace(f"\n{old}", "\n", 1))
    assert reading["io_by_tablespace"].frame["tablespace"].to_list() == ["SYSTEM"]
    assert any("Tablespace IO Stats (line 410), row 2" in text and "left out" in text
               for text in reading.evidence.warnings)  # fmt: skip


@pytest.mark.parametrize(
    ("share", "kept"), [("66.7", True), ("66.3", True), ("67.1", True), ("66.2", False),
                        ("67.2", False)]
)  # fmt: skip
def test_shares_of_a_histogram_add_up_within_what_is_rounded(share, kept, changed):
    """Eight shares are off by 0.05% each at most: 99.6% to 100.4% are whole."""
    old = "db file sequential read    29.7M  66.7        33.3"
    new = old.replace("66.7", share)
    frame = changed("text-12.1", lambda page: page.replace(old, new, 1))["event_histogram"].frame
    found = frame.filter((frame["event"] == "db file sequential read") & (frame["range"] == "all"))
    assert (found.height > 0) is kept
    assert not kept or found["waits_ratio"][0] == pytest.approx(float(share) / 100)


def test_a_histogram_of_the_whole_cluster_is_of_all_times(changed):
    """Global is whose waits it counts, and no range of them."""

    def of_cluster(page):
        page, count = re.subn(
            r"\nWait Event Histogram  +", "\nWait Event Histogram (Global)  ", page
        )
        assert count
        return page

    found, whole = (changed("text-12.1", change)["event_histogram"] for change in (of_cluster, str))
    assert found.frame.height > 0
    assert found.frame.equals(whole.frame)


@pytest.mark.parametrize(
    ("old", "new", "row", "warning"),
    [
        ("1.0               0.0      0.01      0.00", "1.0               0.0                0.00",
         ("DB CPU(s)", None, None, None, None),
         "row 2, column 'Per Call': db_cpu has three numbers of four"),
        ("0.0               0.0\n      Redo", "0.0                  \n      Redo",
         ("Background CPU(s)", None, None, None, None),
         "row 3, column 'Per Second': background_cpu has one number of two"),
    ],
)  # fmt: skip
def test_a_row_of_the_load_profile_that_lost_a_number_has_none(old, new, row, warning, changed):
    """Of three numbers, or of one, nothing tells which column each is of."""
    reading = changed("text-19c", lambda page: page.replace(old, new, 1))
    names = ("printed", "per_s", "per_transaction", "per_exec", "per_call")
    rows = reading["load_profile"].frame.select(names).rows()
    whole = changed("text-19c", str)["load_profile"].frame.select(names).rows()
    assert [kept for kept in rows if kept not in whole] == [row]
    assert any(f"Load Profile (line 23), {warning}" in text for text in reading.evidence.warnings)


SAMPLED = """\
Top SQL with Top Events                    DB/Inst: ORA/ora1  Snaps: 7-8

                 SQL ID            Plan Hash           Executions     % Activity
----------------------- -------------------- -------------------- --------------
                                                                           % Row
Event                          % Event Top Row Source                     Source
------------------------------ ------- --------------------------------- -------
                              Container Name
 -------------------------------------------
          aa7t6babr24zf           3410170971                    1          75.00
db file sequential read          50.00 INDEX - UNIQUE SCAN                50.00
CPU + Wait for CPU               25.00 SORT - AGGREGATE                   25.00
select total from orders where id = 10 and note = 'a  wide
 gap'
                                       SALES

          1kvrp5v6r7jxf                                         0          12.50
log file sync                    12.50 ** Row Source Not Available **     12.50
                                       STOCK

                          ------------------------------------------------------
"""


def test_a_sampled_statement_has_a_row_for_each_event_its_text_and_container():
    (table,) = [each for each in tables(SAMPLED, cut=False) if each.title]
    rows = [(row[0], row[3], row[4], row[5], row[8], row[9]) for row in table.aligned]
    text = "select total from orders where id = 10 and note = 'a  wide gap'"
    assert rows == [
        ("aa7t6babr24zf", "75.00", "db file sequential read", "50.00", "SALES", text),
        ("aa7t6babr24zf", "75.00", "CPU + Wait for CPU", "25.00", "SALES", text),
        ("1kvrp5v6r7jxf", "12.50", "log file sync", "12.50", "STOCK", ""),
    ]
    assert table.broken == {}


def test_a_page_that_says_that_no_data_exists_has_an_empty_section(changed):
    sentence = "<p />\n                  No data exists for this section of the report.\n"
    heading = '<h3 class="awr">File IO Stats</h3>'

    def emptied(page):
        return re.sub(rf"{heading}.*?</table>", heading + sentence, page, flags=re.DOTALL)

    reading = changed("html-11.2", emptied)
    assert outcome(changed("html-11.2", str), "io_by_file") == "found"
    assert (outcome(reading, "io_by_file"), reading["io_by_file"].frame.height) == ("empty", 0)


@pytest.mark.parametrize("dialect", ["text-12.1", "statspack"])
def test_a_text_that_says_that_no_data_exists_has_an_empty_section(dialect, changed):
    def emptied(page):
        nothing = "                  No data exists for this section of the report.\n"
        return re.sub(
            r"(\n\f?(?:IOStat by Function summary|IO Stat by Function - summary) .*\n)(?:.*\n)*?"
            r"( {8,}-{30,}\n)", rf"\1\n{nothing}\2", page,
        )  # fmt: skip

    assert outcome(changed(dialect, str), "io_by_function") == "found"
    assert outcome(changed(dialect, emptied), "io_by_function") == "empty"


def test_snapshots_whose_rows_have_a_cell_more_than_their_header_keep_their_times(changed):
    """A PDB of 12.2: which cell is the additional one is not known of those behind the date."""

    def wider(page):
        start = page.index("<table", page.index("This table displays snapshot") - 200)
        end = page.index("</table>", start)
        table = re.sub(r"</td></tr>", '</td><td class="awrc">1</td></tr>', page[start:end])
        return page[:start] + table + page[end:]

    (good,), (row,) = (
        changed("html-pdb", change, cdb=True)["report"].frame.to_dicts() for change in (str, wider)
    )
    unread = ("sessions_begin", "sessions_end", "instances_total")
    assert row == {**good, **dict.fromkeys(unread)}
    assert good["sessions_begin"] is not None
    told = changed("html-pdb", wider, cdb=True).evidence.warnings
    assert any("the sessions are null" in text for text in told)


@pytest.mark.parametrize(
    ("cell", "kept"),
    [("26.7/46.7 0/0  ", True), ("126.7/146 0/0  ", False), ("1026.7/10 0/0  ", False),
     ("26.7/46.7 12/34", False)],
)  # fmt: skip
def test_figures_that_their_column_may_have_cut_off_are_null(cell, kept, changed):
    def cut(page):
        return page.replace("26.7/46.7 3/0  ", cell)

    (row,) = changed("text-12.1", cut)["undo"].frame.to_dicts()
    names = ("retention_min_s", "retention_max_s", "snapshot_too_old", "out_of_space")
    assert (None not in [row[name] for name in names]) is kept


def test_a_column_of_undo_whose_name_is_damaged_is_null(changed):
    reading = changed("text-12.1", lambda page: page.replace("TR (mins) OOS", "TR (mi?s) OOS"))
    (row,) = reading["undo"].frame.to_dicts()
    assert (row["retention_min_s"], row["retention_max_s"]) == (None, None)
    assert row["snapshot_too_old"] == 3


def test_the_shared_pool_below_the_efficiency_is_a_table_of_its_own(changed):
    """11.2 and Statspack print it without a title, below the same one."""
    reading = changed("text-12.1", str)
    assert reading["efficiency"].frame["statistic"].to_list() == [
        "buffer_nowait", "redo_nowait", "buffer_hit", "in_memory_sort", "flash_cache_hit",
    ]  # fmt: skip
    assert outcome(reading, "not read: Shared Pool Statistics") == "found"


def _wrapped(page):
    """A mail breaks lines at 72 characters."""
    return "\n".join(
        part for line in page.split("\n") for part in (line[:72], line[72:]) if part or not line
    )


COPIES = {
    "non-breaking blanks": lambda page: page.replace(" ", "\xa0"),
    "quoted": lambda page: "\n".join(f"> {line}".rstrip() for line in page.split("\n")),
    "indented": lambda page: "\n".join(f"    {line}" for line in page.split("\n")),
    "double-spaced": lambda page: page.replace("\n", "\n\n"),
}
DAMAGED_COPIES = {
    "without blank lines": lambda page: re.sub(r"\n\s*?\n+", "\n", page),
    "without indentation": lambda page: "\n".join(line.strip() for line in page.split("\n")),
    "with single blanks": lambda page: re.sub(" +", " ", page),
    "wrapped": _wrapped,
}


@pytest.mark.parametrize("dialect", ["text-12.1", "statspack"])
def test_tags_in_a_statement_make_no_page_of_a_text(dialect, changed):
    reading = changed(dialect, lambda page: re.sub(r"(?i)select", "select '<html><table>'", page))
    assert set(reading["report"].frame["format"]) == {"text"}
    assert reading["sql"].frame["text"].str.contains("<table>", literal=True).any()


@pytest.fixture(scope="module", params=["text-12.1", "statspack"])
def report(request):
    """A text report, and what a reader of it has when a copy was made."""
    page = awr.forge(awr.sample(7, narrow=True), request.param).data.decode()

    def read(folder, copy=str):
        path = folder / "copy"
        path.write_text(copy(page))
        reading = read_awr(path, root=folder)
        return frames(reading), reading.evidence

    return read


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_that_only_added_to_each_line_is_read_as_the_report(name, report, tmp_path):
    whole, copied = report(tmp_path), report(tmp_path, COPIES[name])
    assert copied[0] == whole[0]
    assert [part.status for part in copied[1].sections] == [
        part.status for part in whole[1].sections
    ]


@pytest.mark.parametrize("name", DAMAGED_COPIES)
def test_a_copy_that_lost_the_layout_is_told_and_moves_no_number(name, report, tmp_path):
    """What is left says what the report says; what is not left is named."""
    whole, copied = report(tmp_path), report(tmp_path, DAMAGED_COPIES[name])
    nothing = text_damage.Damage("drop line", "header", 0, "", "")
    assert list(text_damage.silent(whole, copied, nothing)) == []
    if name == "without blank lines":
        assert any("no blank lines between its tables" in text for text in copied[1].warnings)


@pytest.mark.parametrize("above_rulers", [1, 2])
def test_a_ruler_below_few_of_the_page_headings_is_the_reports_own(above_rulers):
    """Of five pages: SQL*Plus underlines its heading on every page or on none."""
    plain = awr.forge(awr.sample(7), "text-19c").data.decode()
    lines = plain.split("\n")
    rulers = [place for place, line in enumerate(lines) if re.fullmatch("-{60,}", line)]
    titles = [place for place, line in enumerate(lines) if "DB/Inst:" in line]
    for place in sorted(rulers[:above_rulers] + titles[above_rulers - 5 :], reverse=True):
        lines[place:place] = ["", "OUTPUT"]
    paged, whole = (
        [(each.title, each.rows) for each in tables(page, cut=False)]
        for page in ("\n".join(lines), plain)
    )
    assert paged == whole


@pytest.mark.parametrize("paged", [False, True])
@pytest.mark.parametrize("first", [0, 1])
def test_a_copy_with_a_blank_line_beside_each_names_the_lines_of_the_copy(first, paged):
    """Line 349 of the report is line 697 of a copy with a blank line behind each, or line 698."""
    page = awr.forge(awr.sample(7), "text-19c").data.decode()
    if paged:  # between two rows of each table
        page = re.sub(r"(\n-[- ]+\n.+\n)", r"\1\nOUTPUT\n", page)
    lines = [one for line in page.split("\n") for one in (("", line) if first else (line, ""))]
    whole, copied = (list(tables(text, cut=False)) for text in (page, "\n".join(lines)))
    assert [(each.title, each.rows) for each in copied] == [
        (each.title, each.rows) for each in whole
    ]
    places = [int(each.place.removeprefix("line ")) for each in whole]
    assert [each.place for each in copied] == [f"line {2 * place - 1 + first}" for place in places]
