"""What perfkit did not make is marked where it stands, and listed in the appendix."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from pypdf import PdfReader

from perfkit.core.evidence import Lineage
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import Heading, Paragraph, PlainTable, plain_text
from perfkit.reporting.document.numbering import walk
from perfkit.reporting.write.exporters import export_html, export_pdf

EVERY = "Every value in this report was computed from the evidence below by the named functions."
OTHER = (
    "Every other value in this report was computed from the evidence below by the named functions."
)
NONE = "No value here was computed."
NOT_OURS = "Not made by perfkit; no number in them was checked: "
TABLE = "| Load | IOPS |\n|---|---:|\n| 1 | 640,310 |"
MARKS = (
    "Picture not made by perfkit, not traceable.",
    "(not made by perfkit, not traceable)",
    "Table not made by perfkit, not traceable.",
)


def picture(sample, **about):
    return sample.code(
        {"image/png": sample.png(), "text/plain": "<Figure>"}, perfkit={"alt": "A plot", **about}
    )


def words(document) -> str:
    lines = [
        plain_text(block.children)
        for placed in document.blocks
        for block in walk(placed.block)
        if isinstance(block, Paragraph)
    ]
    return "\n".join(lines)


def pdf_text(notebook) -> str:
    pages = PdfReader(io.BytesIO(export_pdf(notebook))).pages
    return " ".join(" ".join(page.extract_text() for page in pages).replace("\xa0", " ").split())


def test_where_perfkit_made_all_of_it_the_appendix_says_so(sample):
    document = read_document(sample.notebook("# A", sample.peak_table(), sample.sentence()))
    assert EVERY in words(document)
    assert "ot made by perfkit" not in words(document)


def indented(by: str) -> str:
    return "\n".join(f"{by}{line}" for line in TABLE.split("\n"))


CAPTIONED = {"caption": "Mine."}
PLACES = {
    "picture": (({},), "a picture (cell 3)"),
    "captioned": ((CAPTIONED,), "Figure 1 (cell 3)"),
    "with an id": (({**CAPTIONED, "id": "mine"},), "Figure 1 (cell 3)"),
    "second figure": ((None, CAPTIONED), "Figure 2 (cell 4)"),
    "table": ((TABLE,), "a table (cell 3)"),
    "quoted": ((f"> Words.\n>\n{indented('> ')}",), "a table (cell 3)"),
    "in a list": ((f"- a list:\n\n{indented('  ')}",), "a table (cell 3)"),
    "in a footnote": ((f"Words.[^1]\n\n[^1]: See:\n\n{indented('    ')}",), "a table (cell 3)"),
    "shown by a cell": (({"text/markdown": TABLE},), "a table (cell 3)"),
    "both": ((TABLE, {}), "a table (cell 3), a picture (cell 4)"),
}
"""Cells (a dictionary is a picture with these words, None a chart of perfkit), and what is told."""


def cell_of(sample, given):
    if given is None:
        return sample.curve()
    if isinstance(given, str):
        return given
    return sample.code(given) if "text/markdown" in given else picture(sample, **given)


@pytest.mark.parametrize(("cells", "told"), PLACES.values(), ids=PLACES)
def test_the_appendix_lists_what_perfkit_did_not_make(sample, cells, told):
    """And says no longer that every value was computed."""
    made = [cell_of(sample, given) for given in cells]
    document = read_document(sample.notebook("# A", sample.peak_table(), *made))
    text = words(document)
    assert f"{NOT_OURS}{told}." in text
    assert OTHER in text
    assert EVERY not in text


def test_a_report_of_nothing_else_has_the_appendix_too(sample):
    document = read_document(sample.notebook("# A", picture(sample)))
    assert "appendix-evidence" in {
        placed.block.anchor for placed in document.blocks if isinstance(placed.block, Heading)
    }
    assert f"{NOT_OURS}a picture (cell 2)." in words(document)
    assert NONE in words(document)
    assert "computed from the evidence" not in words(document)


def test_a_table_in_the_front_matter_or_the_abstract_is_listed(sample):
    front = sample.front(abstract=TABLE, acknowledgements=TABLE, sections={})
    document = read_document(sample.notebook(front, "# A", sample.peak_table()))
    assert "a table (abstract), a table (back matter)" in words(document)


def test_values_that_were_not_computed_are_named(sample):
    """One made of a bare frame, and one that stands in the study's file as it is."""
    bare = replace(sample.peak_table("bare"), lineage=Lineage())
    known = sample.peak_table().lineage
    stated = replace(sample.peak_table("parts"), lineage=replace(known, steps=()))
    document = read_document(sample.notebook("# A", sample.peak_table(), bare, stated))
    text = words(document)
    assert EVERY not in text
    assert OTHER in text
    assert "Not traceable to files, made from data without a record: Table 2 (bare)." in text
    assert "Taken from the named file as it is, not computed: Table 3 (parts)." in text


def test_own_tables_of_the_back_matter_are_not_listed(sample):
    """The version history is not a pasted table."""
    front = sample.front(abstract=None, sections={})
    document = read_document(sample.notebook(front, "# A", sample.peak_table()))
    assert any(isinstance(placed.block, PlainTable) for placed in document.blocks)
    assert EVERY in words(document)
    assert "Table not made" not in export_html(sample.notebook(front, "# A", sample.peak_table()))


def everything(sample):
    return sample.notebook(
        "# A", sample.peak_table(), picture(sample), picture(sample, caption="Mine."), TABLE
    )


def test_the_page_marks_them(sample):
    page = export_html(everything(sample))
    for mark in MARKS:
        assert page.count(mark) == 1, mark
    assert "Figure 1) Mine. (not made by perfkit, not traceable)" in page


@pytest.mark.slow
def test_the_paper_marks_them(sample):
    text = pdf_text(everything(sample))
    # a short report has no list of figures, where the caption would stand once more
    assert [text.count(mark) for mark in MARKS] == [1, 1, 1]
    assert "Figure 1) Mine. (not made by perfkit, not traceable)" in text
    assert f"{NOT_OURS}a picture (cell 3), Figure 1 (cell 4), a table (cell 5)." in text
