"""Decimal signs, grouping signs, and separated text."""
# ruff: noqa: DTZ001 - forms of local times

import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.errors import ParseError
from perfkit.sources.files import table_text
from perfkit.sources.printed_numbers import Cell, decimal_sign, file_sign, is_ambiguous, plain
from perfkit.sources.printed_times import datetimes
from perfkit.sources.separated import read_separated


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("12", None), ("-3", None), ("241,180", None), ("55.655", None), ("1e5", None),
        ("0.115", "."), ("0,115", ","), ("43.24", "."), ("43,24", ","), (".5", "."), (",5", ","),
        ("1234.567", "."), ("1234,567", ","), ("1.2345", "."), ("1,234.5", "."), ("1.234,5", ","),
        ("1,234,567", "."), ("1.234.567", ","), ("1 234", None), ("1 234,5", ","), ("1'234.5", "."),
        ("1e-5", None), ("1.5e3", "."), ("30.", "."),
    ],
)  # fmt: skip
def test_what_a_number_says_of_its_decimal_sign(text, sign):
    assert decimal_sign(text) == sign


@pytest.mark.parametrize(
    "text", ["", "x", "1.2.3", "1,23,456", "12,34,5", "1.234,5,6", "--1", "1 23"]
)
def test_what_is_no_number_in_any_reading(text):
    with pytest.raises(ValueError, match="is not a number"):
        decimal_sign(text)


@pytest.mark.parametrize("text", ["241,180", "55.655", "1,000", "-1.000"])
def test_three_digits_after_one_mark_are_ambiguous(text):
    assert is_ambiguous(text)
    with pytest.raises(ParseError, match="nothing in the file says"):
        file_sign([Cell(text, "c", 2)], "x")
    assert file_sign([Cell(text, "c", 2), Cell("0.5", "d", 2)], "x") == "."
    assert file_sign([Cell(text, "c", 2)], "x", settled=",") == ","


@pytest.mark.parametrize("text", ["0.115", "1000.125", "0,500", "1234,567", "12.3456"])
def test_other_numbers_with_one_mark_are_not(text):
    assert not is_ambiguous(text)


def test_contradicting_numbers_are_an_error_with_both_places():
    with pytest.raises(ParseError) as caught:
        file_sign([Cell("1,5", "a", 3), Cell("1.5", "b", 9)], "x.csv")
    assert str(caught.value) == (
        "x.csv:9: column 'b': '1.5' and '1,5' of line 3 contradict: decimal point or decimal comma?"
    )
    with pytest.raises(ParseError, match="contradict"):
        file_sign([Cell("1,5", "a", 3)], "x.csv", settled=".")


STYLES = st.sampled_from([(".", ""), (".", ","), (",", ""), (",", "."), (".", " "), (",", "'"),
                          (",", "\u202f"), (".", "\u2019")])  # fmt: skip


@given(value=st.decimals(0, 10**9, places=2), style=STYLES)
def test_a_number_in_any_style_comes_back(value, style):
    decimal, grouping = style
    printed = f"{value:,.2f}".replace(",", "\0").replace(".", decimal).replace("\0", grouping)
    assert decimal_sign(printed) == decimal
    assert float(plain(printed, decimal)) == float(value)


@given(value=st.integers(0, 10**9), style=STYLES)
def test_a_whole_number_in_any_style_comes_back(value, style):
    decimal, grouping = style
    assert int(plain(f"{value:,}".replace(",", grouping), decimal)) == value


def test_a_number_that_does_not_fit_the_sign_is_an_error():
    with pytest.raises(ValueError, match="does not fit"):
        plain("0,5", ".")


def heads(cells):
    return list(cells)[:2] == ["a", "b"]


def test_plain_and_quoted_bodies_give_the_same_cells():
    """The quick way for plain files and the careful way for others agree."""
    quick = read_separated("x\na,b,c\n1,2,\n3,,5\n", "f", heads, "heads")
    slow = read_separated('x\na,b,c\n"1",2,\n3,,"5"\n', "f", heads, "heads")
    assert quick.cells.equals(slow.cells)
    assert quick.cells.rows() == [("1", "2", None), ("3", None, "5")]
    assert quick.lines.to_list() == slow.lines.to_list() == [3, 4]
    assert quick.before == slow.before == ((1, "x"),)


@given(
    rows=st.lists(st.lists(st.text("ab1,;\"' .", max_size=5), min_size=3, max_size=3), min_size=1),
    separator=st.sampled_from([",", ";", "\t"]),
)  # fmt: skip
def test_written_cells_come_back(rows, separator):
    """Any cells, quoted where they must be; blanks around a cell do not count."""
    lines = [separator.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    found = read_separated("\n".join([separator.join("abc"), *lines]) + "\n", "f", heads, "heads")
    wanted = [tuple(cell.strip() or None for cell in row) for row in rows]
    assert found.cells.rows() == wanted


def test_line_ends_and_marks_of_texts():
    assert table_text(b"\xef\xbb\xbfa\r\nb\rc\n", "x") == "a\nb\nc\n"
    assert table_text("a\u00b5".encode("utf-16"), "x") == "a\u00b5"


def test_times_of_a_column_have_one_form():
    """Days above 12 in one row tell day and month apart for all."""
    made = datetimes(pl.Series(["03/04/2026 08:00:00", None, "03/25/2026 09:00:00"]))
    assert made.to_list() == [dt.datetime(2026, 3, 4, 8), None, dt.datetime(2026, 3, 25, 9)]
    assert datetimes(pl.Series(["03/04/2026 08:00:00"])) is None
    assert datetimes(pl.Series(["2026-03-04 08:00:00", "soon"])) is None
    assert datetimes(pl.Series([None, None], dtype=pl.String)).to_list() == [None, None]
