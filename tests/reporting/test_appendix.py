"""The appendix of the evidence: which files stand in a row, and what is said of their sections."""

from __future__ import annotations

import pytest

from perfkit.core.evidence import Evidence, Lineage, Section
from perfkit.reporting.document.appendix import MOST_FILES, evidence_blocks
from perfkit.reporting.document.blocks import Items, TableBlock
from perfkit.reporting.document.records import Record


def blocks_of(*evidence):
    return evidence_blocks([("Table 1", Record(id="t", lineage=Lineage(evidence, ())))], [])


def rows_of(*evidence):
    (table,) = [block for block in blocks_of(*evidence) if isinstance(block, TableBlock)]
    return [[*row[:2], row[4]] for row in table.record.rows]


def files(count, folder="day"):
    return [Evidence("awr", f"{folder}/{n:02}.html", f"{n:064}", "AWR", "19") for n in range(count)]


@pytest.mark.parametrize("count", [1, MOST_FILES])
def test_a_few_files_have_a_row_each(count):
    assert len(rows_of(*files(count))) == count


def test_of_many_those_of_one_folder_kind_and_tool_share_a_row():
    other = Evidence("iostat", "day/iostat.out", "f" * 64)
    assert rows_of(*files(MOST_FILES), other) == [
        ["E1 to E16", "day/00.html to day/15.html", "16"], ["E17", "day/iostat.out", "1"],
    ]  # fmt: skip


def test_sections_of_which_the_same_is_to_be_said_share_a_line():
    lacking = [Section(name, "empty", reason="no rows") for name in ("pga", "sql", "segments")]
    one = Evidence("awr", "a.html", "0" * 64, sections=tuple(lacking), warnings=("cut off",))
    two = Evidence("awr", "b.html", "1" * 64, sections=(lacking[0], Section("io", "absent")))
    *_, items = [block for block in blocks_of(one, two) if isinstance(block, Items)]
    said = ["".join(text.text for text in paragraph.children) for (paragraph,) in items.items]
    assert said == [
        "E1: cut off",
        "E1, E2: section pga is empty (no rows)",
        "E1: sections sql and segments are empty (no rows)",
        "E2: section io is absent",
    ]
