"""Rows of a text report: a blank cell is one that was not printed, or one that was lost."""

import pytest

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
