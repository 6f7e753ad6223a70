"""Rows of a text report: a blank cell is one that was not printed, or one that was lost."""

import re

import pytest

from perfkit.sources.awr import cells
from perfkit.sources.awr.sections import named
from perfkit.sources.awr.text import tables
from perfkit.sources.awr.text_header import headed

FUNCTIONS = """\
IOStat by Function summary              DB/Inst: ORA/ora1  Snaps: 7-8

                 Reads:  Reqs    Data   Writes:  Reqs    Data    Waits:   Avg
Function Name      Data per sec per sec    Data per sec per sec   Count    Time
--------------- ------- ------- ------- ------- ------- ------- ------- -------
Buffer Cache Re    1.9G   200.1    .53M      0M     0.0      0M   72.0K  1.23ms
{row}
          ------------------------------------------------------------
"""


def rows(row):
    (table,) = [each for each in tables(FUNCTIONS.format(row=row), cut=False) if each.title]
    table, problem = headed(table, named(table))
    assert not problem
    return [cells[0] for cells in table.aligned], dict(table.broken)


def test_without_waits_their_mean_is_blank():
    """12.2 and later print no mean of 0 waits; the row is whole."""
    row = "DBWR                 0M     0.0      0M    844M    12.3   .234M       0        "
    assert rows(row) == (["Buffer Cache Re", "DBWR"], {})


def test_rows_behind_the_end_of_a_section_are_of_a_table_that_lost_its_heading():
    row = "DBWR                 0M     0.0      0M    844M    12.3   .234M       0        "
    page = f"{FUNCTIONS.format(row=row)}\nLGWR                 0M     0.0      0M\n"
    lost, whole = [each for each in tables(page, cut=False) if each.title]
    assert [cells[0] for cells in whole.aligned] == ["Buffer Cache Re", "DBWR"]
    assert (lost.title, lost.stray) == ("no heading of its own (LGWR)", True)


@pytest.mark.parametrize(
    "row",
    [
        "DBWR                 0M     0.0      0M    844M    12.3   .234M     120",
        # a cell before the count was lost with its width
        "DBWR                 0M     0.0    844M    12.3   .234M       0",
        # only the count is blank
        "DBWR                 0M     0.0      0M    844M    12.3   .234M",
    ],
)
def test_any_other_blank_is_a_lost_cell(row):
    assert rows(row) == (["Buffer Cache Re"], {2: -1})


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1190.07m", 1.19007), ("1062.09u", 1062.09e-6), ("2995.50ms", 2.9955)],
)
def test_a_time_cut_off_within_its_unit_has_that_unit(text, expected):
    """Columns of eight characters print 1190.07ms as 1190.07m: no other unit begins so."""
    assert cells.seconds(text, None) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("text", ["2824.23", "12.34m", "1190.0m", "1190.07k"])
def test_a_time_whose_unit_is_not_certain_is_an_error(text):
    """2824.23 was 2824.23 s, as its HTML says: the cell does not."""
    with pytest.raises(ValueError, match=re.escape(text[:4])):
        cells.seconds(text, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 3 * 1024**2),  # 11.2 prints megabytes alone
        ("2K", 2048), ("1.5M", 1.5 * 1024**2), ("2g", 2 * 1024**3), ("1.5T", 1.5 * 1024**4),
        ("2P", 2 * 1024**5), ("17B", 17), ("N/A", None),
    ],
)  # fmt: skip
def test_a_size_counts_in_1024(text, expected):
    assert cells.size(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("26.4K", 26_400), ("2M", 2e6), ("1.5G", 1.5e9), ("2T", 2e12), ("3P", 3e15), ("7", 7),
     ("(null)", None)],
)  # fmt: skip
def test_a_count_counts_in_1000(text, expected):
    assert cells.count(text) == expected


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [("5ns", None, 5e-9), ("17.74 s", None, 17.74), ("3 cs", None, 0.03), ("4", "cs", 0.04),
     ("2", "min", 120), ("1.5", "h", 5400), ("2K", "us", 2e-3)],
)  # fmt: skip
def test_a_time_is_in_its_own_unit_or_its_headers(text, unit, expected):
    assert cells.seconds(text, unit) == pytest.approx(expected, rel=1e-12)
