"""An AWR reading through every form of file and back: values equal, nulls still null.

The workbook is read with the standard library alone: a reader that shares nothing with its writer.
"""

from __future__ import annotations

import dataclasses
import json
import re
import zipfile
from datetime import datetime, timedelta
from xml.etree import ElementTree

import polars as pl
import pytest
from forges import awr
from forges.awr import storage
from polars.testing import assert_frame_equal

from perfkit.cli.app import run
from perfkit.cli.gathering import Part
from perfkit.cli.workbook import WHOLE, write_workbook
from perfkit.core.schema import Field
from perfkit.sources.awr import read_awr

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - Excel's day 0; a report names no zone
STORAGE = storage.Storage(
    recovery=(
        storage.Recovery(82, 77, 2391, 19_258, 20_384, 20_384, 28_543, None, 731, 39),
        storage.Recovery(0, 42, 25_722, 3281, 20_384, 20_384, 27_926),
    ),
    pga=(storage.Pga(10_240, 8901, 57_533, 3450, 1150, 1024),) * 2,
    segments=(
        storage.Segment("SYS", "SYSTEM", "=OBJ$", "", "TABLE", 18, 18, {"physical_reads": 750}),
    ),
)  # fmt: skip
DIALECTS = ("html-19c", "html-11.2", "rac-19c", "text-12.1", "statspack")


@pytest.fixture(params=DIALECTS)
def report(request, tmp_path):
    """A report in one form, and its reading."""
    many = 2 if request.param == "rac-19c" else 1
    content = awr.sample(7, instances=many, narrow=True)
    instances = tuple(dataclasses.replace(one, storage=STORAGE) for one in content.instances)
    content = dataclasses.replace(content, instances=instances)
    path = tmp_path / "report.html"
    path.write_bytes(awr.forge(content, request.param).data)
    return path, read_awr(path)


def exported(report, form, out):
    path, reading = report
    assert run(["read", str(path), "--format", form, "-o", str(out)]) == 0
    frames = {name: table.frame for name, table in reading.tables.items()}
    assert any(frame.null_count().sum_horizontal().item() for frame in frames.values())
    return frames


def test_parquet_is_the_reading_itself(report, tmp_path):
    """Types, values and nulls, of every table, those without rows too."""
    frames = exported(report, "parquet", tmp_path / "out")
    assert {path.stem for path in (tmp_path / "out").iterdir()} == set(frames)
    for name, frame in frames.items():
        # the file's name is a label of load_points, the same in both
        assert_frame_equal(pl.read_parquet(tmp_path / "out" / f"{name}.parquet"), frame)


def test_csv_gives_the_same_values_under_the_same_schema(report, tmp_path):
    """To the last bit: a float is written in as many digits as it needs. A text that a spreadsheet
    would take for a formula has an apostrophe before it."""
    frames = exported(report, "csv", tmp_path / "out")
    marked = pl.col(pl.String).str.replace(r"^=", "'=")
    for name, frame in frames.items():
        path = tmp_path / "out" / f"{name}.csv"
        found = pl.read_csv(path, schema=frame.schema)
        assert_frame_equal(found, frame.with_columns(marked), check_exact=True)


def test_json_gives_the_same_values(report, tmp_path):
    """A null is null, a number a number; times are text."""
    frames = exported(report, "json", tmp_path / "out.json")
    tables = json.loads((tmp_path / "out.json").read_text())["tables"]
    assert set(tables) == set(frames)
    for name, frame in frames.items():
        wanted = [
            {key: str(v) if isinstance(v, datetime) else v for key, v in row.items()}
            for row in frame.to_dicts()
        ]
        assert tables[name] == wanted, name


@pytest.mark.slow
def test_a_workbook_gives_the_same_values(report, tmp_path):
    """A sheet a table; numbers to the 16 digits that a workbook keeps, an empty cell for null."""
    frames = exported(report, "xlsx", tmp_path / "out.xlsx")
    sheets = workbook(tmp_path / "out.xlsx")
    assert list(sheets) == [*(name[:31] for name in frames), "about the columns"]
    for name, frame in frames.items():
        head, *rows = sheets[name[:31]]
        assert head == frame.columns, name
        # a sheet of no rows has one empty line below its header
        assert len([row for row in rows if any(cell is not None for cell in row)]) == frame.height
        for row, wanted in zip(rows, frame.iter_rows(), strict=False):
            for column, cell, value in zip(head, row, wanted, strict=True):
                assert same(cell, value), (name, column, cell, value)


def same(cell, value):
    """Whether a cell of a workbook is the value."""
    if isinstance(value, datetime):
        return abs(EPOCH + timedelta(days=float(cell)) - value) < timedelta(milliseconds=1)
    if value is None or isinstance(value, str | bool):
        return cell == value
    return float(cell) == pytest.approx(value, rel=1e-15, abs=0)


def workbook(path):
    """Sheet name -> its rows: texts, numbers as printed, booleans, None for an empty cell."""
    with zipfile.ZipFile(path) as book:
        texts = [
            "".join(part.text or "" for part in item.iter(f"{SHEET}t"))
            for item in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
        ]
        names = [
            item.get("name")
            for item in ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{SHEET}sheet")
        ]
        return {
            name: rows_of(book.read(f"xl/worksheets/sheet{number}.xml"), texts)
            for number, name in enumerate(names, 1)
        }


def rows_of(sheet, texts):
    tree = ElementTree.fromstring(sheet)
    rows = [{place(cell): value(cell, texts) for cell in row} for row in tree.iter(f"{SHEET}row")]
    width = max(rows[0]) + 1
    return [[row.get(column) for column in range(width)] for row in rows]


def place(cell):
    """The column of a cell: A is 0, AA is 26."""
    letters = re.match("[A-Z]+", cell.get("r"))[0]
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def value(cell, texts):
    assert cell.find(f"{SHEET}f") is None, "a formula where evidence should stand"
    found = cell.find(f"{SHEET}v")
    if found is None:
        return None
    if cell.get("t") == "s":
        return texts[int(found.text)]
    return found.text == "1" if cell.get("t") == "b" else found.text


def part(name, frame, schema=None):
    """A table to be written, of no kind in particular."""
    return Part(name, "mine", name, frame, schema or {})


def test_no_text_of_the_evidence_becomes_a_formula_or_a_link(tmp_path):
    """=1+1 in a SQL text is five characters: Excel would show 2, or run it."""
    texts = ["=1+1", "{=A1}", "http://host/x", "12", None, "+1", "@x"]
    write_workbook([part("sql", pl.DataFrame({"text": texts}))], tmp_path / "x.xlsx")
    _, *rows = workbook(tmp_path / "x.xlsx")["sql"]
    assert [row[0] for row in rows] == texts
    assert "hyperlink" not in zipfile.ZipFile(tmp_path / "x.xlsx").read(
        "xl/worksheets/sheet1.xml"
    ).decode()  # fmt: skip


def test_whole_numbers_that_a_workbook_would_round_are_text(tmp_path):
    """123456789012345678 would come back as 123456789012345680."""
    frame = pl.DataFrame({"big": [123456789012345678, None, -1], "fits": [WHOLE, 1, None]})
    write_workbook([part("counts", frame)], tmp_path / "x.xlsx")
    _, *rows = workbook(tmp_path / "x.xlsx")["counts"]
    assert [row[0] for row in rows] == ["123456789012345678", None, "-1"]
    assert [row[1] and int(row[1]) for row in rows] == [WHOLE, 1, None]


def test_names_of_columns_and_tables_become_no_formula(tmp_path):
    """A document names the columns of its tables; a sheet's name has fewer signs."""
    parts = [part("=1+1", pl.DataFrame({"=cmd()": [1]})), part("a/b[1]", pl.DataFrame({"+x": [2]}))]
    write_workbook(parts, tmp_path / "x.xlsx")
    sheets = workbook(tmp_path / "x.xlsx")
    assert list(sheets) == ["=1+1", "a_b_1_", "about the columns"]
    assert sheets["=1+1"][0] == ["=cmd()"]
    assert sheets["a_b_1_"][0] == ["+x"]


def test_long_names_of_sheets_stay_apart(tmp_path):
    """A workbook refuses a name twice, in whatever case; 31 characters are the most."""
    names = ["x" * 40, "x" * 35, "X" * 31]
    write_workbook([part(name, pl.DataFrame({"n": [1]})) for name in names], tmp_path / "x.xlsx")
    assert list(workbook(tmp_path / "x.xlsx"))[:3] == ["x" * 31, f"{'x' * 28}-2", f"{'X' * 28}-3"]


def sheet_xml(path, number=1):
    with zipfile.ZipFile(path) as book:
        return ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))


def number_formats(path):
    """The number format of each cell in the first row below the header."""
    with zipfile.ZipFile(path) as book:
        styles = ElementTree.fromstring(book.read("xl/styles.xml"))
    own = {item.get("numFmtId"): item.get("formatCode") for item in styles.iter(f"{SHEET}numFmt")}
    known = {"0": "General", "3": "#,##0", **own}
    used = [item.get("numFmtId") for item in styles.find(f"{SHEET}cellXfs")]
    [row] = [row for row in sheet_xml(path).iter(f"{SHEET}row") if row.get("r") == "2"]
    return [known[used[int(cell.get("s", 0))]] for cell in row]


def test_a_small_number_is_not_shown_as_zero_and_an_id_has_no_commas(tmp_path):
    """60 µs with three decimals would stand in the cell as 0.000."""
    frame = pl.DataFrame({"avg_wait_s": [59.7e-6], "db_id": [2494196594], "sent_bytes": [123456]})
    schema = {"sent_bytes": Field(pl.Int64, "bytes", "what was sent")}
    write_workbook([part("waits", frame, schema)], tmp_path / "x.xlsx")
    assert number_formats(tmp_path / "x.xlsx") == ["General", "General", "#,##0"]


def test_the_header_stays_in_sight_has_a_filter_and_room(tmp_path):
    """Columns are as wide as their cells; a SQL text does not push the others away."""
    frame = pl.DataFrame({"event": ["log file sync"], "text": ["select " * 100]})
    write_workbook([part("sql", frame)], tmp_path / "x.xlsx")
    sheet = sheet_xml(tmp_path / "x.xlsx")
    [pane] = sheet.iter(f"{SHEET}pane")
    assert (pane.get("ySplit"), pane.get("state")) == ("1", "frozen")
    with zipfile.ZipFile(tmp_path / "x.xlsx") as book:
        table = ElementTree.fromstring(book.read("xl/tables/table1.xml"))
    assert table.find(f"{SHEET}autoFilter").get("ref") == "A1:B2"
    event, text = (float(item.get("width")) for item in sheet.iter(f"{SHEET}col"))
    assert 13 <= event < 20
    assert 55 <= text <= 65


def test_the_last_sheet_says_what_the_columns_are(tmp_path):
    schema = {"avg_wait_s": Field(pl.Float64, "s", "mean wait as printed")}
    frame = pl.DataFrame({"avg_wait_s": [1.0], "mine": [2]})
    write_workbook([part("waits", frame, schema)], tmp_path / "x.xlsx")
    assert workbook(tmp_path / "x.xlsx")["about the columns"] == [
        ["sheet", "column", "unit", "meaning"],
        ["waits", "avg_wait_s", "s", "mean wait as printed"],
        ["waits", "mine", None, None],
    ]


def test_a_text_that_a_cell_cannot_hold_says_that_it_is_cut(tmp_path):
    """Excel's cells end at 32,767 characters, without a word."""
    texts = ["x" * 32_767, "y" * 32_768, None]
    write_workbook([part("sql", pl.DataFrame({"text": texts}))], tmp_path / "x.xlsx")
    _, (whole,), (cut,), *rest = workbook(tmp_path / "x.xlsx")["sql"]
    assert whole == texts[0]
    assert cut.endswith("y ... cut: it has 32768 characters; csv and parquet hold all")
    assert len(cut) <= 32_767
    assert rest in ([], [[None]])


def test_what_is_no_number_is_an_error_in_its_cell(tmp_path):
    frame = pl.DataFrame({"a": [float("nan"), float("inf"), 1.0]})
    write_workbook([part("t", frame)], tmp_path / "x.xlsx")
    cells = list(sheet_xml(tmp_path / "x.xlsx").iter(f"{SHEET}c"))[1:]
    assert [cell.find(f"{SHEET}f") is not None for cell in cells] == [True, True, False]
