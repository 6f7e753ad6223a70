"""How tables are laid out: shares of the width, page, size; numbers are never broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.errors import ReportError
from perfkit.core.typeface import ZERO_WIDTH_SPACE, width_em
from perfkit.reporting.document.grids import (
    breakable,
    lay_out,
    verdict_table,
)
from perfkit.reporting.document.records import ColumnRecord, TableRecord, VerdictRecord, read_record

PORTRAIT_MM, LANDSCAPE_MM = 171.9, 235.4


def record(columns, rows, *, wide=False):
    named = [ColumnRecord(label=label, align=align) for label, align in columns]
    return TableRecord(id="t", wide=wide, columns=named, rows=rows)


def test_a_small_table_stays_upright_at_full_size():
    """Two short columns: portrait, 8.5 pt, the whole width."""
    grid = lay_out(record([("Name", "left"), ("IOPS", "right")], [["a", "1"]]), PORTRAIT_MM, 235)
    assert (grid.wide, grid.size_pt) == (False, 8.5)
    assert sum(grid.shares) == pytest.approx(1, abs=0.001)


def test_a_table_turns_before_it_shrinks_much():
    """Twelve columns of numbers need a landscape page."""
    columns = [(f"Number {n}", "right") for n in range(12)]
    grid = lay_out(record(columns, [["1,234,567.89"] * 12]), PORTRAIT_MM, LANDSCAPE_MM)
    assert grid.wide
    assert grid.size_pt >= 7


def test_a_table_that_fits_nowhere_is_refused():
    """Forty columns: one line says so, nothing is cut."""
    columns = [(f"Number {n}", "right") for n in range(40)]
    with pytest.raises(ReportError, match="its 40 columns do not fit"):
        lay_out(record(columns, [["1,234,567.89"] * 40]), PORTRAIT_MM, LANDSCAPE_MM)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=8))
def test_numbers_never_get_a_place_to_break(values):
    """1,234 must not become 1, and 234 on the next line."""
    rows = [["a-very-long-device-name" * 3, *(f"{value:,.2f}" for value in values)]]
    columns = [("Device", "left"), *(("Number", "right") for _ in values)]
    grid = lay_out(record(columns, rows), PORTRAIT_MM, LANDSCAPE_MM)
    assert list(grid.rows[0][1:]) == rows[0][1:]
    share_pt = [share * (LANDSCAPE_MM if grid.wide else PORTRAIT_MM) * 72 / 25.4
                for share in grid.shares]  # fmt: skip
    for cell, room in zip(grid.rows[0][1:], share_pt[1:], strict=True):
        assert width_em(cell) * grid.size_pt < room


@given(st.text(min_size=1, max_size=200), st.floats(3, 40))
def test_places_to_break_change_no_character(text, em):
    """Taking the marks away gives the text back, and no piece is wider than the column."""
    made = breakable(text, em)
    assert made.replace(ZERO_WIDTH_SPACE, "") == text.replace(ZERO_WIDTH_SPACE, "")
    for word in made.split():
        for piece in word.split(ZERO_WIDTH_SPACE):
            assert width_em(piece) <= em


def test_a_verdict_is_a_table_of_criteria(sample):
    """Criterion, rule, where, measured, outcome, remark; the source of all rules is in the note."""
    verdict = sample.verdict("not judged")
    table = verdict_table(read_record(VerdictRecord, verdict.record(), verdict.lineage))
    assert [column.label for column in table.columns] == [
        "Criterion", "Rule", "Where", "Measured", "Outcome", "Remark",
    ]  # fmt: skip
    assert table.note == "Source of the rule: example requirement."
    assert table.rows[3][3:5] == ["–", "not judged"]
    assert table.rows[3][5] == "too few samples"
    assert table.caption == "Acceptance: not fully judged: passed 3 of 4."
