"""Pages as a setter would let it pass, by the positions in the PDF itself."""

from __future__ import annotations

import pytest
import typst
from positions import FOOT, faults, read_layout

from perfkit.reporting.write.exporters import export_pdf

pytestmark = pytest.mark.slow

PAGE = """#set document(title: "T")
#set page(width: 100mm, height: 100mm, margin: 22mm)
#set text(size: 10pt)
"""


def set_by(text: str) -> bytes:
    return bytes(typst.compile((PAGE + text).encode(), pdf_standards=["ua-1"]))


def rows(count: int, lines: int = 1) -> str:
    cell = r"x \ " * (lines - 1) + "x"
    return f"#table(columns: 1, stroke: none, table.header[A], ..([{cell}],) * {count})"


@pytest.mark.parametrize("before", range(0, 46, 5))
def test_wherever_a_table_begins_it_breaks_well(sample, printer, before):
    """Lines before the tables move them down the page: caption, first and last rows move along."""
    words = "\n\n".join(["A line of words."] * before)
    tables = [
        cell
        for number, count in enumerate((9, 12, 40, 5, 10))
        for cell in (f"## Part {number}", sample.long_table(f"table-{number}", count))
    ]
    pdf = export_pdf(sample.notebook("# Title", f"## Before\n\n{words}", *tables), charts=printer)
    assert faults(pdf) == []


def test_the_sample_has_no_fault(sample_pdf):
    assert faults(sample_pdf) == []


def test_a_heading_at_the_foot_is_a_fault():
    """Where nothing of its own stands below it; a heading with a line below it may stand there."""
    assert faults(set_by("= A\n#v(42mm)\n#heading[B]\n#pagebreak()\nwords")) == [
        "page 1: a heading with nothing below it of the page"
    ]
    assert faults(set_by("= A\nwords #v(25mm)\n= B\nwords")) == []
    low = PAGE.replace("margin: 22mm", "margin: 2mm")
    text = "= A\n#v(78mm)\n#heading[B]\n#pagebreak()\nwords"
    pdf = bytes(typst.compile((low + text).encode(), pdf_standards=["ua-1"]))
    assert faults(pdf) == ["page 1: a heading in the foot of the page"]
    assert FOOT == 0.12


def test_a_part_of_fewer_than_three_rows_is_a_fault():
    """At the beginning or at the end of a table that breaks; a short table is none."""
    found = faults(set_by("= A\n#v(30mm)\n" + rows(5)))
    assert found == ["page 1: 2 of 5 rows of a table"]
    assert faults(set_by("= A\n" + rows(2))) == []


def test_a_row_in_two_halves_is_a_fault():
    assert "page 1: a row that goes on on the next page" in faults(set_by("= A\n" + rows(3, 5)))


def test_an_empty_page_is_a_fault_but_before_a_chapter():
    """And the last page may be empty, too."""
    page = "= A\nwords\n#pagebreak()\nwords\n#pagebreak()\n"
    assert faults(set_by(page + "words")) == ["page 2: only 4% full"]
    assert faults(set_by(page + "= B\nwords")) == []
    assert faults(set_by(page + "#page(width: 150mm)[words]\n= B\nwords")) == []


def test_few_lines_of_the_contents_on_a_page_are_a_fault():
    """Eleven of thirteen fit the first page."""
    lines = "#outline()\n#pagebreak()\n" + "= A\nwords\n" * 13
    assert [text for text in faults(set_by(lines)) if "contents" in text] == [
        "page 2: 2 lines of the contents"
    ]


def test_positions_are_those_of_the_page(sample_pdf):
    """The title stands above the abstract; every thing has a page, and a place on it."""
    layout = read_layout(sample_pdf)
    (title,) = [thing for thing in layout.things if thing.tag == "Title"]
    (first, *_) = [thing for thing in layout.things if thing.tag == "H1"]
    assert title.pages() == first.pages() == [0]
    assert title.spots[0][1] > first.spots[0][1]
    assert all(0 < y < layout.heights[page] for t in layout.things for page, y in t.spots)
