"""Tables copied from documents: cells as printed, numbers beside them, faults with their line."""

from __future__ import annotations

import pytest

import perfkit as pk
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Origin
from perfkit.showing.tables.printed import table_printed

TABLE = """\
# document: Some paper, July 2014
# table: Table 2
# place: Test Results
# title: Elapsed time
# keys: system, real, memory
# units: , min, GB
# footer: 1
Storage System,Elapsed Real Time in Minutes,"Memory, GB"
Spinning,1482.10,56.07
2u Flash,"1,462.97",
Delta,-19.95,+0.00
"""


@pytest.fixture
def write(tmp_path):
    def make(text=TABLE, name="table-2.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return make


def test_cells_keep_their_text_and_their_number(write):
    """Each cell is kept as printed, with its exact number, what rounding allows, and the unit."""
    reading = pk.read(write())
    assert reading.evidence.kind == "printed"
    assert reading.evidence.origin == Origin("printed", "Some paper, July 2014, Table 2")
    frame = reading["table-2"].frame
    assert frame["text"].to_list() == [
        "Spinning", "1482.10", "56.07", "2u Flash", "1,462.97", None, "Delta", "-19.95", "+0.00",
    ]  # fmt: skip
    real = frame.filter(column_key="real")
    assert real["number"].to_list() == ["1482.1", "1462.97", "−19.95"]
    assert real["low"].to_list() == ["1482.095", "1462.965", "−19.955"]
    assert real["value"].to_list() == [1482.1, 1462.97, -19.95]
    assert real["unit"].unique().to_list() == ["min"]
    assert frame.filter(row_name="2u Flash", column_key="memory")["number"].item() is None
    assert frame.filter(footer=True)["row_name"].unique().to_list() == ["Delta"]
    assert frame.filter(row_name="Delta")["line"].unique().to_list() == [11]


def test_a_table_is_shown_as_printed_with_its_document_in_the_caption(write):
    table = table_printed(pk.read(write(), kind="printed")["table-2"])
    shown = [[cell.text for cell in row] for row in table.cells()]
    assert shown == [
        ["Spinning", "1482.10", "56.07"],
        ["2u Flash", "1,462.97", "–"],
        ["Delta", "-19.95", "+0.00"],
    ]
    assert [column.align for column in table.columns] == ["left", "right", "right"]
    assert table.footer_rows == 1
    assert table.lineage.mark() == " (as printed in Some paper, July 2014, Table 2)"


def test_one_line_may_say_document_and_table(write):
    """The line that other copied files carry says document, section and table."""
    text = "# as printed in TR-4784 (June 2019), section 4.2.3, Table 4\nRun,IOPS\n10,5\n"
    row = pk.read(write(text, "table-4.csv"), kind="printed")["table-4"].frame.rows(named=True)[1]
    assert (row["document"], row["place"], row["table"]) == (
        "TR-4784 (June 2019)", "section 4.2.3", "Table 4",
    )  # fmt: skip
    assert (row["row_name"], row["column_key"], row["value"]) == ("10", "IOPS", 5.0)


FAULTS = {
    "no document": (TABLE.replace("# document: Some paper, July 2014\n", ""), 1, "no document"),
    "short row": (TABLE.replace("2u Flash,", "2u Flash,1,"), 10, "4 cells in a table of 3"),
    "no number": (TABLE.replace("56.07", "5B.07"), 9, "column 'memory': '5B.07' is not a number"),
    "unknown": (TABLE.replace("# keys", "# key"), 5, "did you mean 'keys'"),
    "keys": (TABLE.replace("system, real, memory", "system, real"), 5, "2 items for 3 columns"),
    "twice": (TABLE.replace("system, real, memory", "a, real, real"), 8, "two columns"),
    "footer": (TABLE.replace("footer: 1", "footer: 9"), 7, "not a number of rows"),
    "quote": (TABLE.replace("Spinning", '"Spin'), 10, "not CSV"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_name_file_and_line(write, fault):
    text, line, words = FAULTS[fault]
    with pytest.raises(ParseError, match=words) as told:
        pk.read(write(text), kind="printed")
    assert told.value.line == line


def test_no_rows(write):
    with pytest.raises(ParseError, match="no rows"):
        pk.read(write("# document: x\n"), kind="printed")
